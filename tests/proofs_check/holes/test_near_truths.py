"""Lemmas that are false in one corner only, or told alike by two wrong sides: none of them is verified."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from torch import Tensor

from montecarlo.registry import covariance, variance
from montecarlo.walks import Walks, form
from proofs_check.api import check
from tests.proofs_check.holes.lemmas import forgotten, found, lemma, mean, score
from theorems.authoring import Moment, Position, Process, Statement, W, claim, random_walk


@pytest.fixture(autouse=True)
def _claims_are_forgotten() -> Iterator[None]:
    with forgotten():
        yield


FALSE: dict[str, tuple[str, str, str]] = {
    "only for singular Sigma": ("E[norm(x[i])**2] > 0", "", ""),
    "only for W with negative trace": ("E[x[i].T*W*x[j]] = i*abs(tr(W*Sigma))", "W symmetric, i <= j", ""),
    "only at i = T": ("E[norm(x[T] - x[i])**2] > 0", "Sigma = I", ""),
    "only for d >= 4": ("E[norm(x[i])**2] = i*d + (d - 1)*(d - 2)*(d - 3)", "Sigma = I", ""),
    "off by 0.3%": ("E[x[i].T*W*x[j]] = 1003*i*tr(W*Sigma)/1000", "W symmetric, i <= j", ""),
    "true only to leading order": ("sum(E[x[j].T*W*x[T]], j, 1, T) = T**2*tr(W*Sigma)/2", "W symmetric", ""),
    "swapped quantifier": ("E[x[i].T*W*x[T]]/T -> 0", "W symmetric", "T -> oo"),
    "reversed limit": ("lam*E[norm(x[i])**2]/(1 + lam) -> 0", "lam > 0", "lam -> oo"),
    "the other order of positions": ("E[x[i].T*W*x[j]] = i*tr(W*Sigma)", "W symmetric", ""),
    "a start that is not the walk's": ("E[x[i].T*W*x[j]] = (i - 1)*tr(W*Sigma)", "W symmetric, i <= j", ""),
    "a transpose": ("E[(x[i].T*W*x[i])**2] = i**2*(tr(W*Sigma)**2 + 2*tr(W*Sigma*W*Sigma))", "", ""),
}


#: The token after the last is drawn like the others, and what only renames min(i, j) is no wrong version.
PLAIN: dict[str, tuple[str, str, str]] = {
    "the token after the last": ("E[x[T + 1].T*W*x[i]] = i*tr(W*Sigma)", "i <= T", ""),
    "its growth": ("E[norm(x[T + 1])**2]/T -> tr(Sigma)", "", "T -> oo"),
    "i and j exchanged in a root": ("E[x[i].T*W*x[j]] = sqrt(tr(W*Sigma)**2)*min(i, j)", "W psd", ""),
}


@pytest.mark.parametrize("name", PLAIN)
def test_a_true_lemma_is_verified(name: str) -> None:
    text, hypotheses, limit = PLAIN[name]
    assert check(text, hypotheses, limit=limit, effort="quick").verdict == "verified"


def test_the_token_after_the_last_is_no_token_of_the_same_walk_again() -> None:
    assert check("E[norm(x[T + 1])**2] = T*tr(Sigma)", effort="quick").verdict == "refuted"


@pytest.mark.parametrize("name", FALSE)
def test_a_lemma_that_is_false_in_one_corner_is_not_verified(name: str) -> None:
    text, hypotheses, limit = FALSE[name]
    verdict = check(text, hypotheses, limit=limit, effort="quick")
    assert verdict.verdict in ("refuted", "undecided"), verdict
    assert verdict.report["symbolic"]["status"] != "proved"


TRUE: dict[str, tuple[str, str, str]] = {
    "fixed position": ("E[x[1].T*W*x[T]]/T -> 0", "W symmetric", "T -> oo"),
    "limit from the other end": ("lam*E[norm(x[i])**2]/(1 + lam) -> 0", "lam > 0", "lam -> 0"),
    "either order": ("E[x[i].T*W*x[j]] = min(i, j)*tr(W*Sigma)", "W symmetric", ""),
    "with the transpose": (
        "E[(x[i].T*W*x[i])**2] = i**2*(tr(W*Sigma)**2 + tr(W*Sigma*W*Sigma) + tr(W*Sigma*W.T*Sigma))",
        "",
        "",
    ),
}


@pytest.mark.parametrize("name", TRUE)
def test_its_true_neighbour_is_not_refuted(name: str) -> None:
    text, hypotheses, limit = TRUE[name]
    verdict = check(text, hypotheses, limit=limit, effort="quick")
    assert verdict.verdict in ("verified", "undecided"), verdict
    assert verdict.report["symbolic"]["status"] != "disproved"


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
