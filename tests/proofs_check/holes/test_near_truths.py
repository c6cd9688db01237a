"""Lemmas that are false in one corner only, or told alike by two wrong sides: none of them is verified."""

from __future__ import annotations

from typing import Any

import pytest
from torch import Tensor

from montecarlo.registry import covariance, variance
from montecarlo.walks import Walks, form
from tests.proofs_check.holes.lemmas import found, lemma, mean, score
from theorems.authoring import Moment, Position, Process, Statement, W, claim, random_walk


def test_a_covariance_told_as_a_raw_product_by_both_sides() -> None:
    text = "Cov[x[i].T*W*x[i], x[j].T*W*x[j]] = i*j*tr(W*Sigma)**2 + 2*i**2*tr((W*Sigma)**2)"

    def product(walk: Process, i: Position, j: Position) -> Moment:
        return walk.expect(walk.form(i, W, i) * walk.form(j, W, j))

    def drawn(walk: Walks, W: Tensor, i: int, j: int) -> Tensor:
        return form(walk.token(i), W, walk.token(i)) * form(walk.token(j), W, walk.token(j))

    verdict = found(lemma(text), product, drawn, degree=4)
    assert verdict.verdict == "undecided"
    assert "the derivation is of another quantity than Cov" in verdict.reason
    assert found(lemma(text)).verdict == "refuted"


def test_sides_of_the_right_quantity_are_held_to_it_and_pass() -> None:
    text = "Cov[x[i].T*W*x[i], x[j].T*W*x[j]] = 2*i**2*tr((W*Sigma)**2)"

    def derived(walk: Process, i: Position, j: Position) -> Moment:
        return walk.cov(walk.form(i, W, i), walk.form(j, W, j))

    def drawn(walk: Walks, W: Tensor, i: int, j: int) -> Tensor:
        return covariance(form(walk.token(i), W, walk.token(i)), form(walk.token(j), W, walk.token(j)))

    verdict = found(lemma(text), derived, drawn, degree=4)
    assert (verdict.verdict, verdict.report["bound"]) == ("verified", True), verdict


def test_a_derivation_on_a_walk_of_its_own() -> None:
    """The statement is true; its derivation starts the walk at 0."""

    def elsewhere(walk: Process, i: Position, j: Position) -> Moment:
        return mean(random_walk("i", "j", start="zero"), i, j)

    verdict = found(lemma("E[x[i].T*W*x[j]] = i*tr(W*Sigma)"), elsewhere, score)
    assert verdict.verdict == "undecided"
    assert "the derivation gives 0, the statement's quantity is 1" in verdict.reason


@pytest.mark.parametrize(
    "biased",
    [
        lambda walk, W, i, j: score(walk, W, i, j) * 1.001,
        lambda walk, W, i, j: form(walk.token(i) - walk.token(1), W, walk.token(j)),
        lambda walk, W, i, j: form(walk.token(i), W, walk.token(min(j, 3))),
        lambda walk, W, i, j: score(walk, W, i, j).clamp(-50.0, 50.0),
        lambda walk, W, i, j: score(walk, W, i, j).roll(1),
    ],
    ids=["scaled", "start", "beyond 3", "clipped", "rolled"],
)
def test_a_simulation_of_another_number_is_told_the_walk(biased: Any) -> None:
    verdict = found(lemma("E[x[i].T*W*x[j]] = i*tr(W*Sigma)"), mean, biased)
    assert verdict.verdict == "undecided", verdict
    assert "the simulation is of another quantity than the statement's: at " in verdict.reason
    assert "the simulation's number is" in verdict.reason
    assert verdict.report["bound"] is False


def test_half_squared_differences_of_another_number() -> None:
    def drawn(walk: Walks, W: Tensor, i: int, j: int) -> Tensor:
        return variance(score(walk, W, i, i))

    verdict = found(lemma("Var[x[i].T*W*x[j]] = i*(i + j)*tr((W*Sigma)**2)"), None, drawn, degree=4)
    assert verdict.verdict == "undecided"
    assert "the simulation is of another quantity" in verdict.reason


def test_one_of_several_quantities_is_wrong() -> None:
    def both(walk: Process, i: Position, j: Position) -> dict[str, Moment]:
        return {"mean": mean(walk, i, j), "spread": walk.variance(walk.form(i, W, j))}

    def several(id: str, spread: str) -> Statement:
        return claim(
            id,
            printed={"mean": "i*tr1", "spread": spread},
            quantity={"mean": "E[x[i].T*W*x[j]]", "spread": "Var[x[i].T*W*x[j]]"},
            hypotheses="W symmetric",
            symbols="i j tr1 tr2",
            positions="i j",
        )

    right = found(several("holes.sec1.right", "i*(i + j)*tr2"), both)
    assert (right.verdict, right.report["bound"]) == ("verified", True), right
    wrong = found(several("holes.sec1.wrong", "i*j*tr2"), both)
    assert wrong.verdict == "refuted"
    assert "Var" in wrong.report["reading"] and set(wrong.report["printed"]) == {"mean", "spread"}


def test_what_is_false_in_high_dimensions_alone_is_told_in_the_least_of_them() -> None:
    """E|x|^4 = i^2 d (d + 2), which is 24 for d = 4."""
    verdict = found(lemma("E[norm(x[i])**4] <= 24*i**2", "Sigma = I"))
    assert verdict.verdict == "refuted" and verdict.counterexample is not None
    assert verdict.counterexample["params"]["d"] == 5
