"""Simulations of lemmas of one's own: a mistake is told at the smallest case, with both numbers and the mend."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from torch import Tensor

from montecarlo import registry
from montecarlo.empirical_checks import Simulation
from montecarlo.walks import Walks
from tests.proofs_check.holes.lemmas import SPREAD, SYMMETRIC, forgotten, found, lemma, score, score_square
from theorems.authoring import Step, coefficient, fact
from theorems.rules import ABOUT, RULES, rule

MEAN = "E[x[i].T*W*x[j]] = i*tr(W*Sigma)"
SMALLEST = "at i = 1, j = 1, d = 1, Sigma = [[1]], W = [[1]], value: at walk 1 the simulation's number is "

Function = Callable[..., Any]


def clamped(tokens: Tensor, W: Tensor, i: int, j: int) -> Tensor:
    """The scores of tokens that are cut at 3.5."""
    x = tokens.clamp(-3.5, 3.5)
    return torch.einsum("nd,de,ne->n", x[:, i - 1], W, x[:, j - 1])


def doubled(tokens: Tensor, W: Tensor, i: int, j: int) -> Tensor:
    """The scores of tokens that are doubled where they stand."""
    tokens.mul_(2)
    return torch.einsum("nd,de,ne->n", tokens[:, i - 1], W, tokens[:, j - 1])


def printed(walk: Walks, W: Tensor, Sigma: Tensor, i: int, j: int) -> Tensor:
    """The print, which is no number of a walk."""
    return torch.full((walk.n,), float(i * torch.trace(W @ Sigma)), dtype=torch.float64)


WRONG: dict[str, tuple[Function, str]] = {
    "biased": (lambda walk, W, i, j: score(walk, W, i, j) * 1.003, SMALLEST),
    "printed": (printed, SMALLEST),
    "doubled": (doubled, SMALLEST),
    "clamped": (clamped, "at i = 1, j = 1, d = 1, "),
    "d >= 4": (lambda walk, W, i, j, d: score(walk, W, i, j) * (1.003 if d >= 4 else 1), "d = 4, "),
    "i = j": (lambda walk, W, i, j: score(walk, W, i, j) * (1.003 if i == j > 3 else 1), "at i = "),
    "float32": (lambda walk, W, i, j: score(walk, W, i, j).float(), "value is torch.float32"),
    "many walks": (lambda walk, W, i, j: score(walk, W, i, j) * (1.05 if walk.n > 1000 else 1), "at i = "),
    "one a pair": (lambda walk, W, i, j: score(walk, W, i, j)[::2], "is one number a walk"),
    "other names": (lambda walk, W, i, trace: walk.n, "case lacks 'trace'"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_simulation_is_told_at_the_smallest_case(name: str) -> None:
    simulation, told = WRONG[name]
    verdict = found(lemma(MEAN), simulation=simulation)
    assert verdict.verdict == "undecided"
    assert told in verdict.reason
    assert "bug in Twofold" not in verdict.reason


def test_a_square_for_a_variance_is_told_what_makes_one() -> None:
    text = "Var[x[i].T*W*x[j]] = i*(i + j)*tr((W*Sigma)**2)"
    verdict = found(lemma(text), simulation=score_square, degree=4)
    assert verdict.verdict == "undecided"
    assert "variance(f) and covariance(f, g) make them; leave it out, and" in verdict.reason


def test_a_simulation_of_a_limit_is_compared_at_long_walks_too() -> None:
    def cut(walk: Walks, W: Tensor, i: int, T: int) -> Tensor:
        return score(walk, W, i, T) / T * (1.02 if T > 60 else 1)

    limit = {"limit": "T -> oo, i/T -> theta"}
    verdict = found(lemma("E[x[i].T*W*x[T]]/T -> theta*tr(W*Sigma)", "W symmetric", **limit), simulation=cut)
    assert verdict.verdict == "undecided" and "the simulation is of another quantity" in verdict.reason


@pytest.mark.parametrize(
    ("text", "declared", "told"),
    [
        (f"E[(x[i].T*W*x[j])**2] = {SPREAD}", {"degree": 2}, "degree 2 for value, which has degree 4; write degree=4"),
        (f"E[(x[i].T*W*x[j])**2] = {SPREAD}", {"kurtosis": 3.0}, "a kurtosis of 3 for value, which nothing shows"),
        (f"E[(x[i].T*W*x[j])**2] = {SPREAD}", {"bounded": (0, 9)}, "an interval of width 9 for value, which nothing"),
    ],
)
def test_what_a_simulation_declares_of_its_tails_has_to_hold(text: str, declared: dict[str, Any], told: str) -> None:
    with forgotten():
        statement = lemma(text)
        with registry.registered(Simulation(statement.id, score_square, **declared)):
            verdict = found(statement)
    assert verdict.verdict == "undecided" and told in verdict.reason


@pytest.fixture
def whatever() -> Iterator[None]:
    """A rule of a lemma's own that licenses everything."""

    @rule("whatever", concludes=0)
    def licensed(*data: Any) -> bool:
        """Whatever it is."""
        return True

    yield
    del RULES["whatever"], ABOUT["whatever"]


def test_a_derivation_by_a_rule_of_its_own_proves_nothing(whatever: None) -> None:
    value = (coefficient("i") * coefficient("tr1")).expr
    verdict = found(lemma(MEAN), lambda walk, i, j: fact(value, (Step("whatever", "clearly", (value,)),), "own"))
    assert verdict.verdict == "undecided"
    assert f"the derivation rests on a rule of its own, whatever ({__name__}), which nothing" in verdict.reason


NAMED: tuple[tuple[str, str, dict[str, str], Function, Function], ...] = (
    (
        "E[(x[1].T*u)**2] = norm(u)**2",
        "u in R^d, Sigma = I",
        {},
        lambda walk, u: (walk.token(1) @ u) ** 2,
        lambda walk, u: (walk.token(1) @ u) ** 2 * 1.003,
    ),
    (
        "E[x[s].T*W*x[t]] = a**(t - s)*tr(W*Sigma)",
        "s <= t, 0 < a < 1",
        {"law": "ar1(a)"},
        lambda walk, W, s, t: ((walk.token(s) @ W) * walk.token(t)).sum(1),
        lambda walk, W, s, t, a: ((walk.token(s) @ W) * walk.token(t)).sum(1) * a,
    ),
    (
        "E[norm(A*x[k])**2] = k*tr(A*Sigma*A.T)",
        "A in R^(m x d)",
        {},
        lambda walk, A, k: ((walk.token(k) @ A.T) ** 2).sum(1),
        lambda walk, A, k, m: ((walk.token(k) @ A.T) ** 2).sum(1) * m,
    ),
)


@pytest.mark.parametrize("case", NAMED, ids=lambda case: str(case[0]))
def test_a_simulation_may_have_every_name_of_the_lemma(case: Any) -> None:
    text, hypotheses, more, right, wrong = case
    verdict = found(lemma(text, hypotheses, **more), simulation=right)
    assert verdict.verdict == "verified", verdict.reason
    assert verdict.report["bound"]
    assert "is of another quantity" in found(lemma(text, hypotheses, **more), simulation=wrong).reason


def test_the_symmetric_half_is_the_same_number_of_a_symmetric_matrix_alone() -> None:
    def half(walk: Walks, W: Tensor, i: int, j: int) -> Tensor:
        found: Tensor = (score(walk, W, i, j) + score(walk, W, j, i)) / 2
        return found

    for hypotheses, ruling in ((SYMMETRIC, "verified"), ("i <= j", "undecided")):
        with forgotten():
            assert found(lemma(MEAN, hypotheses), simulation=half).verdict == ruling


def neighbours(walk: Walks) -> Tensor:
    """x_1^T x_2 + ... + x_(T - 1)^T x_T of the tokens that there are, (n,)."""
    return (walk.tokens[:, :-1] * walk.tokens[:, 1:]).sum((1, 2))


LATER: tuple[tuple[str, Function, Function], ...] = (
    (
        "E[x[1].T*W*x[2]] = tr(W*Sigma)",
        lambda walk, W: score(walk, W, 1, 2),
        lambda walk, W: score(walk, W, 2, 2),
    ),
    (
        "E[x[i].T*W*x[i + 1]] = i*tr(W*Sigma)",
        lambda walk, W, i: score(walk, W, i, i + 1),
        lambda walk, W, i: score(walk, W, i + 1, i + 1),
    ),
    (
        "E[x[1].T*W*x[T + 1]] = tr(W*Sigma)",
        lambda walk, W, T: score(walk, W, 1, T + 1),
        lambda walk, W, T: score(walk, W, 1, T),
    ),
)


@pytest.mark.parametrize("case", LATER, ids=lambda case: str(case[0]))
def test_a_simulation_may_read_every_token_that_the_statement_names(case: Any) -> None:
    text, right, wrong = case
    verdict = found(lemma(text, ""), simulation=right)
    assert verdict.verdict == "verified", verdict.reason
    assert "is of another quantity" in found(lemma(text, ""), simulation=wrong).reason


@pytest.mark.parametrize("last", ["T", "i"])
def test_a_sum_without_terms_reads_no_token(last: str) -> None:
    text = f"E[sum(x[j].T*x[j + 1], j, 1, {last} - 1)] = {last}*({last} - 1)/2*tr(Sigma)"
    verdict = found(lemma(text, ""), simulation=neighbours)
    assert verdict.verdict == "verified", verdict.reason


def test_a_simulation_that_returns_nothing_is_told_what_it_returned() -> None:
    verdict = found(lemma(MEAN), simulation=lambda walk, W, i, j: None)
    assert "value is NoneType; the statement's E[(x[i].T*W*x[j])] is one number a walk" in verdict.reason
