"""Statements judged as they stand: true ones verified, false ones refuted at a case that anyone can check."""

from __future__ import annotations

import errno
import json
import math
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from proofs_check.api import check
from proofs_check.claims.schema import schema
from proofs_check.commands.cli import main
from proofs_check.report import outputs
from proofs_check.statements import judging
from proofs_check.statements.found import Found
from proofs_check.statements.growing import LimitChecker
from proofs_check.statements.judging import check_statement, run_report
from proofs_check.statements.measuring import Measurement, Plan, TooDearError
from proofs_check.statements.request import Request
from proofs_check.statements.trends import Configuration
from theorems.algebra.expressions import parse
from theorems.statement.deciding.decide import decide
from theorems.statement.expression import Expr, name, number
from theorems.statement.proposition import Proposition
from theorems.statement.prose import in_words
from theorems.statement.reading import laws

SCHEMA = schema()
MATRIX = {"d": 1, "Sigma": [["1"]]}
GAMMA = "s[i] = x[i].T*W*x[T]/T - sum(x[j].T*W*x[T], j, 1, T)/T**2"

TRUE = [
    Request("E[(x[i].T*W*x[j])**2] = i**2*tr(W*Sigma)**2 + i*(i + j)*tr((W*Sigma)**2)", "W symmetric, i <= j"),
    Request("E[norm(x[T] - x[i])**2] = (T - i)*tr(Sigma)", "i <= T"),
    Request("E[x[s].T*W*x[t]] = a**(t - s)*tr(W*Sigma)", "s <= t, 0 < a < 1", law="ar1(a)"),
    Request("E[norm(x[i])**2] = d*i", "Sigma = I"),
    Request(
        "Var[s[i]]/tr((W*Sigma)**2) -> theta + theta**2",
        "W symmetric",
        "s[i] = x[i].T*W*x[T]/T",
        limit="T -> oo, i/T -> theta",
    ),
]

#: False statements, with what is true instead where one formula is.
FALSE = [
    (Request("E[(x[i].T*W*x[j])**2] = i**2*tr(W*Sigma)**2 + i*(i + j)*tr((W*Sigma)**2)", "i <= j"), "W.T"),
    (Request("E[x[i].T*W*x[j]] = i*tr(W*Sigma)"), "min(i, j)"),
    (Request("E[x[i].T*W*x[j]] = i*tr(W*Sigma) + (d - 1)*(d - 2)*(d - 3)*tr(W*Sigma)", "i <= j"), "i*tr(W*Sigma)"),
    (Request("Var[x[i].T*W*x[j]] = i**2*tr(W*Sigma)**2 + i*(i + j)*tr((W*Sigma)**2)", "W symmetric, i <= j"), "tr"),
    (Request("E[norm(x[i])**2] = d*i"), "i*tr(Sigma)"),
    (
        Request(
            "Var[s[i]] -> (2*theta**2 + 7/12)*tr((W*Sigma)**2)", "W symmetric", GAMMA, limit="T -> oo, i/T -> theta"
        ),
        "2*theta",
    ),
    (Request("E[x[i].T*W*x[T]] = o(T)", "i <= T", limit="T -> oo"), ""),
    (Request("sum(j, j, 1, n) = n**2/2"), "n*(n + 1)/2"),
    (Request("sum(a*j**2, j, 1, k) = a*k**3/3", "a real, k integer, k >= 0"), "a*k*(k + 1)*(2*k + 1)/6"),
]


@pytest.mark.parametrize("request_", TRUE, ids=lambda request: request.text[:40])
def test_a_true_statement_is_verified_with_its_wrong_versions_told_apart(request_: Request) -> None:
    (report,) = check_statement(request_, "quick")
    assert report["verdict"] == "verified", report["reason"]
    assert report["decoys"]["caught"] == report["decoys"]["of"] > 0
    assert report["simulation"]["samples"] > 0 and report["simulation"]["power"]
    # every value along a limit says how many walks it is of
    if request_.limit:
        assert sum(row["samples"] for row in report["cases"]) == report["simulation"]["samples"]
        assert not any("000000" in (row["printed"] or "") for row in report["cases"])
    jsonschema.validate(run_report([report], "quick", 0, "cpu", 1.0), SCHEMA)


@pytest.mark.parametrize(
    ("request_", "true"), FALSE, ids=lambda value: value.text[:40] if isinstance(value, Request) else ""
)
def test_a_false_statement_is_refuted_at_a_case_and_corrected(request_: Request, true: str) -> None:
    reports: Any = check_statement(request_, "quick")
    assert reports[0]["verdict"] == "refuted", reports[0]["reason"]
    point = reports[0]["counterexample"]
    assert point["printed"] != point["true"]
    if true:
        assert true in reports[1]["printed"]["value"]
        assert reports[1]["verdict"] in ("verified", "undecided"), reports[1]["reason"]
        assert reports[1]["symbolic"]["status"] == "proved"
    jsonschema.validate(run_report(reports, "quick", 0, "cpu", 1.0), SCHEMA)


@pytest.mark.parametrize(
    ("limit", "shown"),
    [("T -> oo, i/T -> theta", None), ("T -> oo, i/T -> theta, j/T -> phi", None), ("T -> oo, i/T -> phi", "phi*")],
)
def test_a_limit_in_one_order_of_the_positions_alone_corrects_nothing(limit: str, shown: str | None) -> None:
    """E[x_i^T W x_j]/T tends to the smaller share: that of i where j = T."""
    j = "T" if shown else "j"
    report, *others = check_statement(Request(f"E[x[i].T*W*x[{j}]]/T -> 2*tr(W*Sigma)", limit=limit), "quick")
    assert report["verdict"] == "refuted", report["reason"]
    correction = report["correction"]
    if shown:
        assert correction is not None and shown in str(correction["sympy"]) and others[0]["verdict"] == "verified"
    else:
        assert correction is None and report["symbolic"]["exact"] is None and not others


def test_a_proved_limit_that_the_orders_of_the_positions_tell_apart_is_no_one_exact_form() -> None:
    request = Request("E[x[i].T*W*x[j]]/T -> min(theta, phi)*tr(W*Sigma)", limit="T -> oo, i/T -> theta, j/T -> phi")
    (report,) = check_statement(request, "quick")
    assert report["symbolic"]["status"] == "proved" and report["symbolic"]["exact"] is None


def test_where_a_position_stays_is_no_counterexample_to_a_limit_where_it_grows() -> None:
    """1 + 1/i tends to 1 as i grows, and is 2 where i stays 1."""
    prop = Request("E[norm(x[i])**2]/i + tr(Sigma)/i -> 2*tr(Sigma)", limit="T -> oo").read()
    checker = LimitChecker(prop, "test.regime", "quick")
    parts = decide(prop, checker.derivation).failing
    grows = [part for part in parts if part.regime is not None and "any share" in part.regime.words]
    stays, moves = Configuration({**MATRIX, "i": 1}, {}), Configuration(MATRIX, {"i": Fraction(1, 2)})
    assert grows and checker.differing(grows, stays) is None
    assert checker.differing(grows, moves) == (1, 2)


@pytest.mark.slow
def test_what_an_effort_began_to_sample_the_one_below_samples_on_other_streams(monkeypatch: pytest.MonkeyPatch) -> None:
    plain, begun = LimitChecker._drawn, list[str]()

    def dear(self: LimitChecker, sample: Plan) -> Measurement:
        begun.append(self.level)
        if self.level == "standard" and begun.count("standard") % 2 == 0:
            raise TooDearError("the second length is too dear")
        return plain(self, sample)

    monkeypatch.setattr(LimitChecker, "_drawn", dear)
    (report,) = check_statement(Request("E[norm(mean(x))**2]/T -> tr(Sigma)/3", limit="T -> oo"), "standard")
    assert set(begun) == {"standard", "quick"} and report["verdict"] == "verified", report["reason"]


def test_what_breaks_in_a_correction_leaves_the_refutation_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = judging.both_sides

    def broken(prop: Proposition, claim_id: str, *given: Any) -> Found:
        if claim_id.endswith(".corrected"):
            raise ValueError("it breaks")
        return plain(prop, claim_id, *given)

    monkeypatch.setattr(judging, "both_sides", broken)
    first, second = check_statement(Request("E[norm(x[i])**2] = 2*i*tr(Sigma)"), "quick")
    assert (first["verdict"], second["verdict"]) == ("refuted", "error")
    assert "it breaks" in second["reason"]


@pytest.mark.parametrize(
    "text",
    [
        "E[norm(W*x[i])**2] <= i*norm(W, 2)*tr(Sigma)",
        "Var[x[1].T*W*x[1]] = 2*tr((W*Sigma)**2)",
        "E[x[i].T*W*x[i]*x[1].T*x[1]] = i*tr(W*Sigma)*tr(Sigma)",
    ],
)
def test_the_names_of_exact_values_are_declared(text: str) -> None:
    claim = check(text, effort="quick").report
    told = [claim["symbolic"]["exact"], (claim["correction"] or {}).get("sympy")]
    names = {one.name for formula in told if formula for one in parse(formula).free_symbols}
    assert names and names <= set(claim["symbols"])


def test_a_condition_is_told_once() -> None:
    told = in_words(Request("E[norm(x[i])**2] = O(T)", "tr(Sigma) >= i", limit="T -> oo").put())
    assert told.startswith("For every d, covariance Sigma, position i (1 <= i <= T) and length T with tr(Sigma) >= i: ")


def test_sides_that_are_equal_where_one_is_to_be_larger_refute() -> None:
    (report,) = check_statement(Request("E[(x[i].T*u)**4] < 3*E[(x[i].T*u)**2]**2", "u in R^d, u != 0"), "quick")
    assert (report["verdict"], report["simulation"]["status"]) == ("refuted", "contradicts")
    point = report["counterexample"]
    assert point is not None and (point["printed"], point["true"]) == ("3", "3")
    assert "both sides are equal there, and so are the samples" in report["simulation"]["power"]


def test_samples_that_differ_where_the_sides_are_equal_refute_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Measurement, "agrees", lambda self, relation: False)
    (report,) = check_statement(Request("E[norm(x[i] - x[j])**2] > 0", "i <= j, Sigma = I"), "quick")
    assert (report["verdict"], report["symbolic"]["status"]) == ("undecided", "disproved")


def test_what_has_no_closed_form_is_undecided_and_says_what_was_simulated() -> None:
    (report,) = check_statement(Request("P[x[i].T*x[i] > 1] = 1/2", "d = 1"), "quick")
    assert report["verdict"] == "undecided"
    assert "no closed form" in report["reason"] and "contradicts" in report["reason"]


def test_a_wrong_kernel_in_the_derivation_is_a_conflict(monkeypatch: pytest.MonkeyPatch) -> None:
    real = laws.read_law

    def wrong(text: str) -> Any:
        law = real(text)
        return replace(law, below=Expr("+", (name("s"), number(1))), diagonal=Expr("+", (name("s"), number(1))))

    monkeypatch.setattr(sys.modules["theorems.statement.proposition"], "read_law", wrong)
    (report,) = check_statement(Request("E[norm(x[i])**2] = (i + 1)*tr(Sigma)"), "quick")
    assert report["verdict"] == "conflict"


def test_a_biased_simulation_is_a_conflict_whatever_the_statement(monkeypatch: pytest.MonkeyPatch) -> None:
    from montecarlo.statements.tokens import covariance_root

    wrong = "montecarlo.statements.simulation.covariance_root"
    monkeypatch.setattr(wrong, lambda sigma: 1.05 * covariance_root(sigma))
    for text in ("E[norm(x[i])**2] = i*tr(Sigma)", "E[norm(x[i])**2] = 2*i*tr(Sigma)"):
        reports = check_statement(Request(text), "quick")
        assert reports[0]["verdict"] == "conflict", text


def test_a_skew_matrix_is_among_the_first_that_are_tried() -> None:
    report = check_statement(Request("E[x[i].T*W*W*x[i]] >= 0"), "quick")[0]
    example = report["counterexample"]
    assert example is not None and example["params"]["W"] == [["0", "1"], ["-1", "0"]]


def test_two_runs_say_the_same_and_another_seed_samples_other_walks() -> None:
    request = Request("E[norm(x[i])**2] = i*tr(Sigma)")
    first, again, other = (check_statement(request, "quick", seed)[0] for seed in (0, 0, 1))
    assert first | {"seconds": 0} == again | {"seconds": 0}
    assert first["cases"][0]["estimate"] != other["cases"][0]["estimate"]


def test_the_command_prints_a_verdict_and_writes_the_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "check.json"
    assert main(["check", "E[norm(x[i])**2] = d*i", "--effort", "quick", "--json", str(out)]) == 0
    told = capsys.readouterr().out
    assert "refuted" in told and "i*tr(Sigma)" in told and "counterexample" in told
    jsonschema.validate(json.loads(out.read_text()), SCHEMA)


def test_a_statement_that_cannot_be_read_is_a_usage_error_with_a_caret(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "E[norm(x[i])**2] = d*i", "--for", "W symetric"]) == 2
    told = capsys.readouterr().err
    assert "--for" in told and "did you mean symmetric?" in told and told.rstrip().endswith("^")


@pytest.mark.parametrize(
    ("arguments", "told", "at"),
    [
        (["W**(1/2) = 0"], "STATEMENT: the power 1/2 of the matrix W; expected one from 0 to 64", "W**(1/2) = 0"),
        (["q = 0", "--where", "p = 1; q = p*tr(W**(1/2))"], "--where: the power 1/2 of the matrix W", "W**(1/2))"),
        (["grad(norm(W, 2), W) = 0"], "STATEMENT: norm(W, 2) has no gradient everywhere", "norm(W, 2), W"),
        (["E[s[1]] = 0", "--where", "s[j] = x[j]*x[j]"], "--where: x[1]*x[1] multiplies a vector by a vector", "x[j]"),
    ],
)
def test_what_is_met_later_or_in_a_definition_is_shown_there(
    arguments: list[str], told: str, at: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", *arguments]) == 2
    message, text, caret = capsys.readouterr().err.splitlines()
    assert told in message and text[len(caret) - 1 :].startswith(at)


def test_what_a_message_quotes_is_cut_and_not_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", f"E[{'x[1].T*' * 300}x[1]] = 0"]) == 2
    message = capsys.readouterr().err.splitlines()[0]
    assert len(message) < 600 and "...; expected e.g. x[i].T*W*x[j]" in message


def test_a_report_that_cannot_be_written_is_told_after_the_verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(outputs, "write_json", full)
    assert main(["check", "u**2 >= 0", "--for", "u real", "--effort", "quick", "--json", str(tmp_path / "new")]) == 1
    told = capsys.readouterr()
    assert "verified" in told.out and "--json" in told.err and "No space left" in told.err


def test_no_number_of_threads_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "u**2 >= 0", "--for", "u real", "--jobs", ""]) == 2
    assert "--jobs '': expected an integer from 1" in capsys.readouterr().err


def test_where_matrices_tend_nothing_is_seen_and_nothing_fails() -> None:
    (report,) = check_statement(Request("E[x[T].T*W*x[T]]/T -> 0", limit="tr(W) -> oo"), "quick")
    assert report["verdict"] == "undecided"


def test_more_tokens_than_can_be_drawn_are_no_error() -> None:
    (report,) = check_statement(Request("E[sum(x[k].T*x[k], k, 1, 99999999999)] = 0"), "quick")
    assert report["verdict"] in ("refuted", "undecided"), report["reason"]


@pytest.mark.parametrize(
    "request_",
    [
        Request("binomial(i, 2)*E[x[i].T*W*x[i]] = binomial(i, 2)*i*tr(W*Sigma)"),
        Request("binomial(u, 2)*E[x[1].T*W*x[1]] = binomial(u, 2)*tr(W*Sigma)", "u real"),
        Request("E[x[i].T*W*x[j]] = indicator(i > j)*j*tr(W*Sigma) + indicator(i <= j)*i*tr(W*Sigma)"),
        Request("E[sum(x[j].T*W*x[j]/j*(j - 3)/(j - 3), j, 1, T)] = T*tr(W*Sigma)"),
        Request("E[softmax(s)[1]] = 1/T", "", "s[i] = x[i].T*W*x[T]"),
        Request("E[max(s)] >= tr(W*Sigma)", "", "s[i] = x[i].T*W*x[i]"),
        Request("E[x[i].T*x[i]]/sqrt(u) > 0 iff tr(Sigma) > 0", "u real"),
    ],
    ids=lambda request: request.text[:40],
)
def test_what_cannot_be_evaluated_is_undecided_and_no_error(request_: Request) -> None:
    (report,) = check_statement(request_, "quick")
    assert report["verdict"] == "undecided" and report["reason"], report["reason"]
    jsonschema.validate(run_report([report], "quick", 0, "cpu", 1.0), SCHEMA)


def test_cases_of_an_indicator_are_told_apart() -> None:
    true = "E[x[i].T*W*x[j]] = indicator(i > j)*j*tr(W*Sigma) + indicator(i <= j)*i*tr(W*Sigma)"
    for text, seen in ((true, "agrees"), (true.replace(")*j*", ")*i*"), "contradicts")):
        (report,) = check_statement(Request(text), "quick")
        assert report["simulation"]["status"] == seen


def test_a_case_without_value_leaves_a_proved_statement_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    from proofs_check.statements import measuring

    true, seen = measuring.planned, list[int]()

    def lost(*args: Any, **options: Any) -> Any:
        seen.append(1)
        if len(seen) == 2:
            raise ZeroDivisionError("0/0")
        return true(*args, **options)

    monkeypatch.setattr(measuring, "planned", lost)
    (report,) = check_statement(Request("E[norm(x[i])**2] = i*tr(Sigma)"), "quick")
    assert report["verdict"] == "undecided" and "no value at" in report["reason"]


def test_a_fault_of_the_simulation_stays_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    from montecarlo.statements import statistics

    monkeypatch.setattr(statistics, "bounds", lambda *args: (0.0, 0.01))
    (report,) = check_statement(Request("E[clip(x[i].T*W*x[i], 0, 1)] = 1/2"), "quick")
    assert report["verdict"] == "error" and "outside its bounds" in report["reason"]


def test_a_family_made_of_tokens_is_random(capsys: pytest.CaptureFixture[str]) -> None:
    where = "s[i] = x[i].T*W*x[T]"
    assert main(["check", "max(s) <= B", "--for", "B > 0", "--where", where]) == 2
    told = capsys.readouterr().err
    assert "is random; a statement is about moments" in told and told.rstrip().endswith("^")
    reading = in_words(Request("E[softmax(s)[1]] = 1/T", "", where).read())
    assert "covariance Sigma, real d x d matrix W and length T" in reading and "N(0, Sigma)" in reading


def test_an_interval_without_bounds_is_no_agreement() -> None:
    line = (-math.inf, math.inf)
    for relation in ("=", "<=", "<", ">=", ">"):
        assert not Measurement({}, line, line, 1, math.inf).agrees(relation)
    # a negative trace to a power that is no integer has no real value: such cases are none of the statement's
    (report,) = check_statement(Request("E[x[i].T*W*x[i]]**u = (i*tr(W*Sigma))**u", "u real"), "quick")
    found = report["simulation"]["detectable"]
    assert report["verdict"] != "verified" or (found is not None and math.isfinite(found))


@pytest.mark.parametrize(
    ("text", "hypotheses", "what"),
    [
        ("E[norm(x[1])] <= sqrt(tr(Sigma))", "", "Jensen"),
        ("P[norm(x[1])**2 > a] <= d/a", "Sigma = I, a > 0", "Markov"),
        ("abs(tr(W)) <= norm(W, nuclear)", "", "von Neumann"),
    ],
)
def test_what_a_proof_takes_on_trust_is_listed(text: str, hypotheses: str, what: str) -> None:
    found = check(text, hypotheses, effort="quick")
    assert found.verdict == "verified" and [one["what"] for one in found.report["symbolic"]["trusted"]] == [what]


@pytest.mark.parametrize(
    ("request_", "told"),
    [
        (Request("E[norm(x[1])]/sqrt(d) -> 1", "Sigma = I", limit="d -> oo"), "gamma(N/2) (N -> oo)"),
        (Request("E[norm(x[1])] = 1"), "norm(x[1]) has no closed form here"),
        (Request("P[x[1].T*u > 0] = 1/2", "u in R^d, u != 0"), "the variance of x[1].T*u may be 0"),
        (Request("E[max(x[i].T*u, x[j].T*u)] >= 0", "u in R^d, Sigma = I, i <= j"), "two forms that may coincide"),
    ],
)
def test_what_is_not_decided_is_told_in_the_statement_s_own_names(request_: Request, told: str) -> None:
    report = check_statement(request_, "quick")[0]
    assert report["verdict"] == "undecided"
    assert told in report["reason"]
    assert "#" not in report["reason"]


def test_a_limit_that_a_share_of_0_spoils_says_which_hypotheses_are_wanting() -> None:
    said = "Corr[norm(x[i])**2, norm(x[T])**2] -> theta"
    (report,) = check_statement(Request(said, limit="T -> oo, i/T -> theta"), "quick")
    assert report["verdict"] == "undecided"
    assert "sqrt((i/T)**2*" in report["reason"] and "theta > 0 where i/T -> theta" in report["reason"]
    (report,) = check_statement(
        Request(said, "Sigma positive definite, theta > 0", limit="T -> oo, i/T -> theta"), "quick"
    )
    assert report["verdict"] == "verified"
