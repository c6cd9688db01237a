"""Deterministic identities: drawn points, an independent evaluation, and what contradicts it."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any
from unittest.mock import Mock

import pytest
from torch import Tensor

from montecarlo import registry
from montecarlo.empirical_checks import Evaluation
from proofs_check.cases import drawn as drawing
from proofs_check.checks import evaluating
from proofs_check.checks.evaluating import evaluated
from proofs_check.checks.evidence import EFFORTS, RunContext
from proofs_check.claims.cases import shown_case
from proofs_check.claims.pairing import Pair
from tests.proofs_check.judged import judged
from theorems.claims.catalogue import by_id
from theorems.kernel.outcome import Outcome

pytestmark = pytest.mark.usefixtures("prints_are_held_elsewhere")
SOFTMAX, EQ8 = "bao2024.sec2.softmax-taylor", "bao2024.sec5.eq8"


@pytest.fixture(scope="module")
def softmax() -> Any:
    (report,) = judged(SOFTMAX)
    return report


@pytest.mark.slow
def test_what_is_verified(softmax: Any) -> None:
    (eq8,) = judged(EQ8)
    for report in (softmax, eq8):
        assert report["verdict"] == "verified"
        assert report["simulation"]["samples"] == report["simulation"]["cases"] > 100
        assert 0 < report["simulation"]["detectable"] < 1e-8
        assert report["decoys"]["caught"] == report["decoys"]["of"] > 10
        assert report["simulation"]["p_value"] is None
        for row in report["cases"]:
            assert row["low"] <= row["estimate"] <= row["high"]


def test_the_smallest_softmax_has_no_other_scores(softmax: Any) -> None:
    rows = [row for row in softmax["cases"] if row["params"]["T"] == 1]
    assert {row["quantity"] for row in rows} <= {"diagonal", "offset"}
    (report,) = judged(SOFTMAX, {"T": 1, "i": 1})
    assert {row["quantity"] for row in report["cases"]} == {"diagonal", "offset"}
    # one point tells too few decoys from the print
    assert report["verdict"] == "undecided"
    assert "not told apart" in report["reason"]


@pytest.mark.parametrize(
    ("claim", "printed"),
    [
        (SOFTMAX, {"diagonal": "1/T", "off_diagonal": "-1/T**2", "offset": "1/T"}),
        (EQ8, {"variance": "d*tr2 + tr1**2"}),
        *(
            pytest.param(*others, marks=pytest.mark.slow)
            for others in (
                (SOFTMAX, {"diagonal": "1/T - 1/T**2", "off_diagonal": "1/T**2", "offset": "1/T"}),
                (SOFTMAX, {"diagonal": "1/T - 1/T**2", "off_diagonal": "-1/T**2", "offset": "1/(T + 1)"}),
                (EQ8, {"variance": "d**2*tr2 - tr1**2"}),
                (EQ8, {"variance": "tr2 - tr1**2"}),
            )
        ),
    ],
)
def test_a_false_print_is_refuted_and_corrected(claim: str, printed: dict[str, str]) -> None:
    refuted, corrected = judged(replace(by_id()[claim], printed=printed))
    assert refuted["verdict"] == "refuted"
    assert corrected["verdict"] == "verified"
    found = refuted["counterexample"]
    assert found["printed"] != found["true"]
    # anyone can replay it
    (again, _) = judged(replace(by_id()[claim], printed=printed), found["params"])
    assert (again["verdict"], again["counterexample"]) == ("refuted", found)


@pytest.mark.parametrize("claim", [SOFTMAX, EQ8])
@pytest.mark.parametrize("error", [1e-6, -1e-6])
def test_an_evaluation_that_is_off_is_a_conflict(claim: str, error: float) -> None:
    true = registry.find(claim)
    assert isinstance(true, Evaluation)
    function = true.function

    def softmax_off(T: int, i: int) -> dict[str, tuple[float, float]]:
        return {name: (value * (1 + error), bound) for name, (value, bound) in function(T=T, i=i).items()}

    def eq8_off(W: Any, Sigma: Any) -> dict[str, tuple[float, float]]:
        return {name: (value * (1 + error), bound) for name, (value, bound) in function(W=W, Sigma=Sigma).items()}

    with registry.registered(Evaluation(claim, softmax_off if claim == SOFTMAX else eq8_off)):
        (report,) = judged(claim)
    assert report["verdict"] == "conflict"
    assert "evaluated" in report["reason"]


def test_an_evaluation_with_a_wide_bound_tells_nothing() -> None:
    def vague(T: int, i: int) -> dict[str, tuple[float, float]]:
        return {"diagonal": (0.0, 10.0), "off_diagonal": (0.0, 10.0), "offset": (0.0, 10.0)}

    with registry.registered(Evaluation(SOFTMAX, vague)):
        (report,) = judged(SOFTMAX)
    assert report["verdict"] == "undecided"
    assert report["reason"].endswith("the simulation had too little power at this effort")
    assert report["simulation"]["status"] == "underpowered"
    assert report["simulation"]["detectable"] >= 20
    assert report["decoys"]["caught"] < report["decoys"]["of"]
    # nor does it tell a false print from the truth
    with registry.registered(Evaluation(SOFTMAX, vague)):
        (report,) = judged(replace(by_id()[SOFTMAX], printed={**by_id()[SOFTMAX].printed, "offset": "2/T"}))
    assert (report["verdict"], report["counterexample"]) == ("undecided", None)


@pytest.mark.parametrize(("error", "verdict"), [(1e-9, "verified"), (1e-5, "undecided"), (0.5, "undecided")])
def test_how_sharp_an_evaluation_must_be(error: float, verdict: str) -> None:
    """Every decoy of the softmax is caught with an error of 1e-5, yet that is too much to call the print verified."""
    true = registry.find(SOFTMAX)
    assert isinstance(true, Evaluation)
    function = true.function

    def blurred(T: int, i: int) -> dict[str, tuple[float, float]]:
        return {name: (value, error) for name, (value, _) in function(T=T, i=i).items()}

    with registry.registered(Evaluation(SOFTMAX, blurred)):
        (report,) = judged(SOFTMAX)
    assert report["verdict"] == verdict
    assert 2 * error <= report["simulation"]["detectable"] < 2.1 * error
    assert (report["decoys"]["caught"] == report["decoys"]["of"]) == (error < 0.1)


@pytest.mark.parametrize("bad", [(math.nan, 0.0), (0.0, math.inf), (0.0, math.nan), (math.inf, 0.0)])
@pytest.mark.parametrize("after", [0, 20])
def test_an_evaluation_without_a_number_is_an_error(bad: tuple[float, float], after: int) -> None:
    true = registry.find(SOFTMAX)
    assert isinstance(true, Evaluation)
    function = true.function

    def holey(T: int, i: int) -> dict[str, tuple[float, float]]:
        found: dict[str, tuple[float, float]] = function(T=T, i=i)
        return dict.fromkeys(found, bad) if after < T else found

    with registry.registered(Evaluation(SOFTMAX, holey)):
        (report,) = judged(SOFTMAX)
    assert report["verdict"] == "error"
    assert f"the evaluation gives diagonal = {bad[0]} with the error {bad[1]}" in report["reason"]
    assert "expected finite numbers" in report["reason"]


def test_a_quantity_that_is_never_evaluated_is_not_verified() -> None:
    true = registry.find(SOFTMAX)
    assert isinstance(true, Evaluation)
    function = true.function

    def partial(T: int, i: int) -> dict[str, tuple[float, float]]:
        found: dict[str, tuple[float, float]] = function(T=T, i=i)
        return {"diagonal": found["diagonal"]}

    with registry.registered(Evaluation(SOFTMAX, partial)):
        (report,) = judged(SOFTMAX)
    assert report["verdict"] == "undecided"


def test_an_evaluation_that_breaks_is_an_error() -> None:
    def broken(T: int, i: int) -> dict[str, tuple[float, float]]:
        raise ArithmeticError("the derivatives differ")

    with registry.registered(Evaluation(SOFTMAX, broken)):
        (report,) = judged(SOFTMAX)
    assert (report["verdict"], report["reason"]) == ("error", "ArithmeticError: the derivatives differ")
    assert "in broken" in report["traceback"]


def test_a_claim_and_its_correction_look_at_points_of_their_own() -> None:
    claim = by_id()["bao2024.appC.lemma2-derivative"]
    correction = claim.corrected({"slope": "0"})
    streams = [drawing.stream(one, seed, place) for one in (claim, correction) for seed in (0, 1) for place in (0, 1)]
    assert len(set(streams)) == len(streams)
    assert drawing.stream(claim, 0) == drawing.stream(claim, 0)
    points = [drawing.drawn(one, {}, drawing.stream(one, 0), 20) for one in (claim, correction)]
    assert [drawing.key(p) for p in points[0]] != [drawing.key(p) for p in points[1]]


def test_an_evaluation_at_single_cases_says_nothing_of_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """The value at every case is the derived one, and the print, right or wrong, is about its limit."""
    shown = Mock(side_effect=shown_case)
    monkeypatch.setattr(evaluating, "shown_case", shown)
    claim = by_id()["bao2024.sec4.lemma1-mean"]

    def at(T: int, i: int, lam: float, W: Tensor, Sigma: Tensor) -> dict[str, tuple[float, float]]:
        trace = float((W @ Sigma).trace())
        return {"mean": (i * trace / (lam * T) - (T + 1) * trace / (2 * lam * T) + 1 / T, 1e-9)}

    few = RunContext(effort=replace(EFFORTS["quick"], points=20), effort_name="quick")
    found = evaluated(Pair(claim), Outcome("proved", ""), Evaluation(claim.id, at), few, None)
    assert (found.status, found.conflicts) == ("underpowered", [])
    assert "about a limit" in found.reason
    # texts of exact values cost more than the comparison
    assert shown.call_count == len(found.rows) == evaluating.SHOWN
