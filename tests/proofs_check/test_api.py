"""``judge`` from a script or a notebook: the verdict, its forms, and what it leaves behind (nothing)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from torch import Tensor

from montecarlo import registry
from montecarlo.empirical_checks import RegistryError
from montecarlo.walks import Walks, form
from proofs_check.api import Verdict, check, judge
from theorems.authoring import Moment, Position, Process, Statement, W, claim
from theorems.claims import catalogue
from theorems.kernel import derivation

CLAIM = "notes.scores.mean"


def stated(right: str = "i*tr(W*Sigma)") -> Statement:
    """E[x_i^T W x_j] as a notebook states it, with the given right side."""
    text = f"E[x[i].T*W*x[j]] = {right}"
    notebook = {"__name__": "__main__", "claim": claim, "text": text}
    made: Statement = eval(f"claim({CLAIM!r}, text, hypotheses='W symmetric, i <= j')", notebook)
    return made


def derived(walk: Process, i: Position, j: Position) -> Moment:
    return walk.expect(walk.form(i, W, j))


def sampled(walk: Walks, W: Tensor, i: int, j: int) -> Tensor:
    return form(walk.token(i), W, walk.token(j))


@pytest.fixture(autouse=True)
def _claims_are_forgotten() -> Iterator[None]:
    yield
    catalogue.discard(CLAIM)


@pytest.fixture(scope="module")
def refuted() -> Iterator[Verdict]:
    yield judge(stated("(i - 1)*tr(W*Sigma)"), derived, sampled, degree=2, effort="quick")
    catalogue.discard(CLAIM)


def test_a_refutation_says_what_is_true_instead(refuted: Verdict) -> None:
    assert refuted.verdict == "refuted"
    assert refuted.exact == refuted.correction == "i*tr1"
    assert refuted.reason == ""
    assert refuted.counterexample is not None
    assert (refuted.counterexample["printed"], refuted.counterexample["true"]) == ("0", "1")
    assert "is caught with probability 0.999" in refuted.power
    assert refuted.corrected is not None
    assert refuted.corrected["id"] == f"{CLAIM}.corrected"
    assert refuted.corrected["verdict"] == "verified"


def test_the_forms_of_a_verdict(refuted: Verdict) -> None:
    text, table = str(refuted), refuted._repr_html_()
    assert "<th>statement</th><td><math" in table
    assert text.splitlines()[0].split() == ["verdict", "refuted"]
    for label in ("claim", "print", "correction", "counterexample", "power"):
        assert f"\n{label}" in text
        assert f"<th>{label}</th>" in table
    assert table.startswith("<table>")
    assert table.endswith("</table>")
    shown = Verdict({**refuted.report, "reason": "a < b & <script>"})._repr_html_()
    assert "<script>" not in shown
    assert "a &lt; b &amp; &lt;script&gt;" in shown


def test_a_cell_may_be_run_again_and_leaves_no_registration() -> None:
    first = judge(stated(), derived, sampled, degree=2, effort="quick")
    second = judge(stated(), derived, sampled, degree=2, effort="quick")
    assert first.verdict == second.verdict == "verified"
    assert first.corrected is None
    assert first.report["cases"] == second.report["cases"]
    assert CLAIM not in derivation.registry
    with pytest.raises(LookupError, match="no simulation is registered"):
        registry.find(CLAIM)


def test_a_changed_cell_is_judged_as_it_stands_now() -> None:
    assert judge(stated(), derived, sampled, degree=2, effort="quick").verdict == "verified"
    changed = stated("j*tr(W*Sigma)")
    case = {"d": 1, "i": 1, "j": 3, "W": [["1"]], "Sigma": [["1"]], "start": "sigma"}
    found = judge(changed, derived, sampled, degree=2, effort="quick", case=case)
    assert found.verdict == "refuted"
    assert found.correction == "i*tr1"
    assert found.counterexample is not None and found.counterexample["params"]["j"] == 3


def test_a_case_outside_the_hypotheses_is_an_error() -> None:
    case = {"d": 1, "i": 3, "j": 1, "W": [["1"]], "Sigma": [["1"]]}
    with pytest.raises(ValueError, match=r"case = .*cannot be used: .*i"):
        judge(stated(), effort="quick", case=case)


def test_neither_side_has_to_be_written() -> None:
    found = judge(stated(), effort="quick")
    assert (found.verdict, found.report["bound"]) == ("verified", True)


def test_a_statement_is_checked_from_python() -> None:
    found = check("E[norm(x[i])**2] = i*tr(Sigma) + 1", effort="quick")
    assert (found.verdict, found.correction) == ("refuted", "i*tr_I")
    assert found.corrected is not None and found.corrected["verdict"] == "verified"
    assert check("E[norm(x[i])**2] = i*d", "Sigma = I", effort="quick").verdict == "verified"
    with pytest.raises(ValueError, match="no relation"):
        check("E[norm(x[i])**2]")
    with pytest.raises(ValueError, match="effort = 'fast'"):
        check("E[norm(x[i])**2] = i*d", effort="fast")


def test_a_shipped_claim_with_another_side_decides_nothing() -> None:
    shipped = catalogue.by_id()["bao2024.appA.eq15"]

    def tampered(walk: Process, i: Position) -> Moment:
        return walk.expect(walk.form(i, W, i))

    found = judge(shipped, tampered, effort="quick")
    assert found.verdict == "undecided"
    assert "another side or print than it ships with" in found.reason
    assert judge(replace(shipped, printed={"moment": "i*tr1"}), effort="quick").verdict == "undecided"


def test_registrations_are_put_back_after_an_error() -> None:
    shipped = catalogue.by_id()["bao2024.appA.eq15"]
    known = registry.find(shipped.id)

    def broken(walk: Walks, W: Tensor, i: int) -> Tensor:
        raise RuntimeError("no such luck")

    found = judge(shipped, simulation=broken, degree=2, effort="quick")
    assert found.verdict == "error"
    assert "no such luck" in found.reason
    assert found.report["traceback"] is not None
    assert registry.find(shipped.id) is known


def test_a_shipped_claim_is_judged_by_what_is_registered() -> None:
    found = judge(catalogue.by_id()["bao2024.sec2.softmax-taylor"], effort="quick")
    assert found.verdict == "verified"


@pytest.mark.parametrize(
    ("options", "parts"),
    [
        ({"degree": None}, ["sampled", "degree=2"]),
        ({"degree": -1}, [CLAIM, "degree = -1"]),
        ({"degree": {}}, [CLAIM, "degree = {}"]),
        ({"effort": "Quick"}, ["effort = 'Quick'", "quick, standard, thorough"]),
        ({"device": "tpu"}, ["device = 'tpu'", "cpu"]),
        ({"jobs": 0}, ["jobs = 0"]),
        ({"seed": -1}, ["seed = -1"]),
        ({"case": {"d": 1}}, ["case"]),
    ],
    ids=str,
)
def test_an_argument_that_cannot_be_used(options: dict[str, Any], parts: list[str]) -> None:
    with pytest.raises(ValueError) as caught:
        judge(stated(), derived, sampled, **{"degree": 2, "effort": "quick", **options})
    for part in parts:
        assert part in str(caught.value)
    assert CLAIM not in derivation.registry


def test_a_simulation_that_reads_what_there_is_not() -> None:
    verdict = judge(stated(), derived, lambda walk, k: walk.last[:, 0], degree=2, effort="quick")
    assert verdict.verdict in ("undecided", "error") and "case lacks 'k'" in verdict.reason
    with pytest.raises(RegistryError, match="its parameters are W"):
        judge(stated(), derived, lambda W: W, degree=2, effort="quick")
