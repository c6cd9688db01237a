"""Ways in which the referee was led to a wrong verdict, each in the words of today, and closed."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
import sympy as sp
import torch
from torch import Tensor

from montecarlo import registry
from montecarlo.empirical_checks import Evaluation, Simulation
from montecarlo.walks import Walks, form
from proofs_check.api import check
from tests.proofs_check.holes.lemmas import (
    SPREAD,
    SYMMETRIC,
    found,
    lemma,
    mean,
    score,
    score_square,
    square,
)
from theorems.algebra.ratio import Ratio
from theorems.authoring import Moment, Position, Process, W, claim, coefficient, fact, finite
from theorems.gaussian.process import Step
from theorems.kernel.derivation import Expected

# ---- a term typed into the observable


def test_a_constant_typed_into_the_observable() -> None:
    """The print is off by a quarter of a percent, and so is the derivation, by a constant beside the form."""

    def smuggled(walk: Process, i: Position, j: Position) -> Moment:
        return walk.expect(walk.form(i, W, j) + i * Ratio.of("tr1") / 400)

    verdict = found(lemma("E[x[i].T*W*x[j]] = i*tr(W*Sigma)*401/400"), smuggled, score)
    assert verdict.verdict == "undecided"
    assert "the derivation is of another quantity than E[x[i].T*W*x[j]]" in verdict.reason
    assert "the derivation gives 401/400, the statement's quantity is 1" in verdict.reason
    assert verdict.report["symbolic"]["status"] == "undecided"


def test_a_term_that_vanishes_at_the_dimensions_that_are_drawn() -> None:
    text = "E[x[i].T*W*x[j]] = i*tr(W*Sigma) + (d - 1)*(d - 2)*(d - 3)*tr(W*Sigma)"

    def smuggled(walk: Process, i: Position, j: Position) -> Moment:
        d = Ratio.of("d")
        return walk.expect(walk.form(i, W, j) + (d - 1) * (d - 2) * (d - 3) * Ratio.of("tr1"))

    verdict = found(lemma(text), smuggled, score)
    assert verdict.verdict == "undecided"
    assert "the derivation is of another quantity" in verdict.reason
    seen = re.search(r"d = (\d+)", verdict.reason)
    assert seen is not None and int(seen[1]) >= 4
    assert found(lemma(text)).verdict == "refuted"


# ---- two sides with one misreading, and quantifiers


def test_a_variance_told_as_a_raw_moment_by_both_sides() -> None:
    statement = lemma(f"Var[x[i].T*W*x[j]] = {SPREAD}")
    assert found(statement).verdict == "refuted"
    verdict = found(statement, square, score_square, degree=4)
    assert verdict.verdict == "undecided"
    assert "the derivation is of another quantity than Var[x[i].T*W*x[j]]" in verdict.reason


def total(walk: Process, i: Position, T: Position) -> Moment:
    return walk.sum(lambda j: walk.expect(walk.form(j, W, i)), upto=i) + walk.sum(
        lambda j: walk.expect(walk.form(i, W, j)), above=i, upto=T
    )


def total_of(walk: Walks, W: Tensor, i: int, T: int) -> Tensor:
    return (walk.tokens @ W @ walk.token(i).unsqueeze(-1)).squeeze(-1).sum(1)


def test_a_free_position_is_no_constant() -> None:
    """The true value has -i^2/2, which o(T^2) does not cover for i in proportion to T."""
    text = "sum(E[x[j].T*W*x[i]], j, 1, T) = i*T*tr(W*Sigma) + o(T**2)"
    verdict = found(lemma(text, "W symmetric, i <= T", limit="T -> oo"), total, total_of)
    assert verdict.verdict in ("refuted", "undecided"), verdict.reason
    assert verdict.report["symbolic"]["status"] != "proved"


def test_every_matrix_means_matrices_that_are_not_symmetric_too() -> None:
    text = "Var[x[i].T*W*x[j]] = i*(i + j)*tr((W*Sigma)**2)"
    assert found(lemma(text, "i <= j")).verdict == "refuted"
    assert check(text, SYMMETRIC, effort="quick").verdict == "verified"


WORDS: tuple[tuple[str, str, str, dict[str, Any], Callable[..., Any], Callable[..., Any], int], ...] = (
    (
        "Sigma = I",
        "i*d",
        "i d tr_I",
        {"assumptions": ("Sigma = I",)},
        lambda walk, i: walk.expect(walk.inner(i, i)),
        lambda walk, i: (walk.token(i) ** 2).sum(1),
        2,
    ),
    (
        "tr(Sigma) = d",
        "i*d",
        "i d tr_I",
        {"conditions": ("tr_I == d",)},
        lambda walk, i: walk.expect(walk.inner(i, i)),
        lambda walk, i: (walk.token(i) ** 2).sum(1),
        2,
    ),
    (
        "d = 1",
        "3*i**2*tr1**2",
        "i tr1 tr2",
        {"assumptions": ("d = 1",)},
        lambda walk, i: walk.expect(walk.form(i, W, i) ** 2),
        lambda walk, W, i: form(walk.token(i), W, walk.token(i)) ** 2,
        4,
    ),
    (
        "d = 1 as a condition",
        "3*i**2*tr1**2",
        "i tr1 tr2",
        {"conditions": ("d == 1",)},
        lambda walk, i: walk.expect(walk.form(i, W, i) ** 2),
        lambda walk, W, i: form(walk.token(i), W, walk.token(i)) ** 2,
        4,
    ),
)


@pytest.mark.parametrize("case", WORDS, ids=lambda case: str(case[0]))
def test_a_true_claim_whose_hypothesis_stands_in_words_is_not_refuted(case: Any) -> None:
    _, printed, symbols, more, derivation, simulation, degree = case
    statement = claim("holes.sec1.words", printed=printed, symbols=symbols, positions="i", **more)
    verdict = found(statement, derivation, simulation, degree=degree)
    assert verdict.verdict == "undecided", verdict
    assert "informal: what the claim says stands in words alone" in verdict.reason
    assert verdict.counterexample is None and verdict.correction is None


# ---- what is declared or typed in


def test_declared_tails_of_a_generator_of_ones_own() -> None:
    def rare(generator: torch.Generator, n: int, p: float) -> Tensor:
        u = torch.rand(n, generator=generator, dtype=torch.float64)
        signs = torch.where(torch.rand(n, generator=generator, dtype=torch.float64) < 0.5, -1.0, 1.0)
        return torch.where(u < 1e-9, 1e9 * p, signs)

    half = sp.Rational(1, 2)
    statement = claim(
        "holes.sec1.rare", printed="0", symbols="", model="free", parameters="p", ranges={"p": "1 2"}, quantity="E[X]"
    )
    with registry.registered(Simulation(statement.id, rare, kurtosis=3.0)):
        verdict = found(statement, lambda p: finite([(-1, half), (1, half)]).expect(lambda x: x))
    assert verdict.verdict == "undecided"
    assert "randomness of its own" in verdict.reason


def test_a_value_that_is_typed_in() -> None:
    """min(T, 64) as a formula, right at every length that is evaluated but for those beyond 64."""
    statement = claim(
        "holes.sec1.typed",
        kind="construction",
        printed="(T + 64 - sqrt((T - 64)**2))/2",
        symbols="T",
        model="none",
        parameters="T i",
    )

    def typed() -> Any:
        T = sp.Symbol("T")
        value = (T + 64 - sp.sqrt((T - 64) ** 2)) / 2
        return fact(value, (Step("at-origin", "{2}", (value, sp.Integer(1), value)),), "construction")

    with registry.registered(Evaluation(statement.id, lambda T: {"value": (float(T), 1e-12)})):
        assert found(statement, typed).verdict in ("undecided", "error")


VALUE = coefficient("i").expr * coefficient("tr1").expr
STEPS: dict[str, tuple[Callable[[], Any], str]] = {
    "no step": (lambda: fact(VALUE, (), ""), "value = i*tr1 is not the conclusion of any of its steps"),
    "no rule": (lambda: fact(VALUE, (Step("insight", "clearly", (VALUE,)),), ""), "there is no rule 'insight'"),
    "a negative probability": (lambda: finite([(0, 2), (VALUE, -1)]).expect(lambda x: -x), "not licensed: E["),
}


@pytest.mark.parametrize("name", STEPS)
def test_steps_that_do_not_give_a_true_value(name: str) -> None:
    """The value is right, and nothing that stands beside the statement as its derivation derives it."""
    derivation, told = STEPS[name]
    verdict = found(lemma("E[x[i].T*W*x[j]] = i*tr(W*Sigma)"), lambda walk, i, j: derivation())
    assert verdict.verdict == "undecided"
    assert verdict.reason.startswith("the derivation's steps do not license its value: ") and told in verdict.reason
    assert found(lemma("E[x[i].T*W*x[j]] = i*tr(W*Sigma)"), mean).verdict == "verified"


def test_a_substitution_by_a_false_identity() -> None:
    false = sp.Rational(1001, 1000) * coefficient("i").expr * coefficient("tr1").expr

    def cheat(walk: Process, i: Position, j: Position) -> Expected:
        m = walk.expect(walk.form(i, W, j))
        tr1 = coefficient("tr1").expr
        step = Step("substitution", "{2}", (m.expr, {"tr1": tr1 * sp.Rational(1001, 1000)}, false))
        return Expected(false, 9 * false**2 + 9, (*walk.steps, step), "cheat")

    verdict = found(lemma("E[x[i].T*W*x[j]] = 1001*i*tr(W*Sigma)/1000"), cheat, score)
    assert verdict.verdict == "undecided"
    assert "the derivation gives 1001/1000, the statement's quantity is 1" in verdict.reason


# ---- what a reader reads


def test_a_reading_in_words_is_not_what_is_judged() -> None:
    """tr(W)^2 <= d tr(W^2) is true of symmetric W: "for every real W" must be said where it is judged."""
    assert check("tr(W)**2 <= d*tr(W*W)", "W symmetric", effort="quick").verdict == "verified"
    assert check("tr(W)**2 <= d*tr(W*W)", effort="quick").verdict == "refuted"
    statement = claim(
        "holes.sec1.reading",
        reading="For EVERY real d x d matrix W, symmetric or not",
        printed="i*tr1",
        symbols="i tr1",
        positions="i j",
    )
    assert found(statement, mean, score).verdict == "undecided"
    assert SYMMETRIC in lemma("E[x[i].T*W*x[j]] = i*tr(W*Sigma)").says.hypotheses  # type: ignore[union-attr]
    assert "symmetric W" in lemma("E[x[i].T*W*x[j]] = i*tr(W*Sigma)").reading
