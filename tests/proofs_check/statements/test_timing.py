"""A check that takes too long is stopped, and says at what it was."""

from __future__ import annotations

import time

import pytest

from proofs_check.statements import timing
from proofs_check.statements.judging import check_statement
from proofs_check.statements.request import Request
from proofs_check.statements.texts import without_cases
from theorems.statement import proposition


def test_a_block_that_works_longer_than_its_limit_is_stopped() -> None:
    began = time.process_time()
    with pytest.raises(timing.TimeLimitError), timing.time_limit(0.2):
        while time.process_time() < began + 30:
            pass
    assert time.process_time() < began + 20


def test_a_block_that_ends_in_time_is_left_alone() -> None:
    with timing.time_limit(30):
        assert sum(range(10)) == 45


@pytest.fixture(scope="module")
def imported() -> None:
    """Both kinds of statement once, so that the limits are not spent on imports."""
    for text in ("E[(x[i].T*W*x[j])**2] = 3", "norm(W**2, 2) <= norm(W, 2)**2"):
        check_statement(Request(text), "quick")


# the first ring may be lost in a destructor, and another follows
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.usefixtures("imported")
def test_a_statement_over_the_limit_is_undecided_and_says_at_what_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(timing.SECONDS, "quick", 0.02)
    (report,) = check_statement(Request("E[(x[i].T*W*x[j])**8] = 3", "i <= j"), "quick")
    assert report["verdict"] == "undecided"
    assert report["reason"].startswith("stopped after 0.02 s of processor time, while ")


# the first ring may be lost in a destructor, and another follows
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.usefixtures("imported")
def test_a_statement_without_tokens_says_so_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(timing.SECONDS, "quick", 0.02)
    (report,) = check_statement(Request("norm(W**4, 2) <= norm(W, 2)**4"), "quick")
    assert report["reason"] == "stopped after 0.02 s of processor time, while looking for a proof and for cases"


def test_hypotheses_are_spoken_of_where_there_are_any() -> None:
    assert "hypotheses" not in without_cases(proposition("norm(W, 2) <= norm(W, fro)"))
    assert "the hypotheses hold and" in without_cases(proposition("u**2 >= 0", "u real"))


#: Statements that would run away: nested, high, long, huge.
HARD = [
    Request("E[x[i].T*W*x[j]] = " + "1/(1 + " * 25 + "i*tr(W*Sigma)" + ")" * 25),
    Request("E[((x[i].T*W*x[j] + 1)**4 + 1)**4] = 1"),
    Request("E[norm(x[i])**64] = 1"),
    Request("E[(x[i].T*W*x[j])**16] = 1"),
    Request("E[x[i].T*x[i]] = " + "+".join(["i*tr(Sigma)/300"] * 200)),
    Request("E[sum(sum(sum(x[k].T*W*x[l]*(x[m].T*W*x[k]), k, 1, T), l, 1, T), m, 1, T)] = 1"),
    Request("lam**(2**lam) <= 1", "lam > 0"),
    Request("exp(exp(exp(exp(exp(lam))))) >= 1", "lam > 0"),
    Request("norm(W**40, 2) <= norm(W, 2)**40 + 1"),
]


@pytest.mark.parametrize("request_", HARD, ids=lambda request: request.text[:30])
def test_no_statement_runs_past_its_limit(request_: Request, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(timing.SECONDS, "quick", 4.0)
    began = time.process_time()
    reports = check_statement(request_, "quick")
    # the correction has what its statement leaves of the limit, and at least a second
    assert time.process_time() - began < 4.0 + timing.LEAST + 4.0
    assert reports[0]["verdict"] in ("verified", "refuted", "undecided"), reports[0]["reason"]
    assert reports[0]["verdict"] != "undecided" or reports[0]["reason"]


def test_a_correction_keeps_the_hypotheses_on_what_it_still_has() -> None:
    reports = check_statement(Request("E[norm(x[i])**2] = i*tr(Sigma) + lam**64", "lam > 0, i >= 2"), "quick")
    assert [report["verdict"] for report in reports] == ["refuted", "verified"]
    assert reports[1]["printed"]["value"] == "i*tr(Sigma)" and "lam" not in " ".join(reports[1]["assumptions"])
    assert any("i" in text for text in reports[1]["assumptions"])
