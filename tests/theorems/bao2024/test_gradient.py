"""The QK-gradient against exact differences of the clipped model, its terms token by token, and false prints."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product
from random import Random
from typing import Any

import numpy as np
import pytest

from theorems.bao2024.gradient import BRANCHES, POINTS, gradient
from theorems.bao2024.locater import drawn
from theorems.claims.catalogue import by_id
from theorems.kernel.derivation import Derived
from theorems.kernel.deriving import derive
from theorems.kernel.matrix_claims import matrix_of, settle_matrix, unsupported_matrix
from theorems.kernel.matrix_facts import Instance, MatrixFact
from theorems.kernel.settle import settle

EQ3 = "bao2024.sec3.eq3"
TERMS = ("bao2024.appB.eq19", "bao2024.appB.eq20", "bao2024.appB.eq21")
CASES = tuple(
    {"dim": str(d), "tokens": str(T), "lam": lam, "seed": str(seed)}
    for d, T, lam, seed in (
        (1, 1, "1", 1),
        (1, 3, "1/2", 2),
        (2, 4, "2", 3),
        (3, 5, "3", 4),
        (4, 8, "2", 5),
        (2, 8, "1", 6),
    )
)


@cache
def fact_of(claim: str, second_route: bool = False) -> MatrixFact:
    found = matrix_of(derive(claim, second_route=second_route))
    assert found is not None
    return found


def loss(here: Instance, W: Any) -> Fraction:
    """(1/2) |y - F|^2 for the clipped softmax, straight from its definition, in rationals."""
    a, lam, T = here.arrays, here.numbers["lam"], here.places["T"] + 1
    X = a["X"]
    omega = (X.T @ W @ X[:, -1:]) / lam
    average = sum(omega[:, 0], Fraction(0)) / T
    scores = [(omega[i, 0] - average) / T + Fraction(1, T) for i in range(T)]
    S = np.array([[min(Fraction(1), max(Fraction(0), score))] for score in scores], dtype=object)
    off = a["y"] - a["W_F"] @ (a["W_V"] @ (X @ S) + X[:, -1:])
    return Fraction(sum(off[:, 0] ** 2, Fraction(0)) / 2)


@pytest.mark.parametrize("case", CASES)
def test_the_gradient_is_the_models_own_slope(case: dict[str, str]) -> None:
    fact = fact_of(EQ3)
    here, random = fact.instance(case), Random(5)
    value = here.evaluate(fact.value)
    for _ in range(3):
        E = drawn(random, len(value), len(value))
        # near a point off the boundaries the loss is quadratic, so the difference is exact
        h = Fraction(1, 2**60)
        slope = (loss(here, here.arrays["W_QK"] + h * E) - loss(here, here.arrays["W_QK"] - h * E)) / (2 * h)
        assert slope == (value * E).sum()
        assert slope != (2 * value * E).sum() or slope == 0


@pytest.mark.parametrize("case", CASES)
def test_the_terms_are_the_gradient_token_by_token(case: dict[str, str]) -> None:
    here = fact_of(EQ3).instance(case)
    total = sum(here.evaluate(fact_of(term).value) for term in TERMS)
    assert (total == here.evaluate(gradient()[0])).all()
    a, lam, T = here.arrays, here.numbers["lam"], here.places["T"] + 1
    if T > 5:
        return
    # loops over the tokens, straight from the definition of every sum
    x, P = [a["X"][:, [k]] for k in range(T)], a["W_V"].T @ a["W_F"].T @ a["W_F"] @ a["W_V"]
    q = a["W_V"].T @ a["W_F"].T @ (a["W_F"] @ x[-1] - a["y"])
    sums: list[Any] = [0, 0, 0]
    for i, alpha in product(range(T), repeat=2):
        outer = a["Gamma"][alpha, i] * (x[alpha] @ x[-1].T) / lam
        sums[2] = sums[2] + (x[i].T @ q)[0, 0] * outer
        for beta in range(T):
            sums[1] = sums[1] + a["gamma_0"][beta, 0] * (x[i].T @ P @ x[beta])[0, 0] * outer
            for j in range(T):
                score = (x[beta].T @ a["W_QK"] @ x[-1])[0, 0] / lam
                sums[0] = sums[0] + a["Gamma"][beta, j] * (x[i].T @ P @ x[j])[0, 0] * score * outer
    for term, wanted in zip(TERMS, sums, strict=True):
        assert (here.evaluate(fact_of(term).value) == wanted).all()


def test_every_branch_is_met() -> None:
    met: Counter[str] = Counter()
    for case in (*CASES, *POINTS):
        met.update(fact_of(EQ3).instance(case).notes)
    assert set(met) == set(BRANCHES)
    assert all(met[name] >= 5 for name in BRANCHES)
    # one score of a case may be clipped while another is not: Gamma is then not symmetric
    gammas = [fact_of(EQ3).instance(case).arrays["Gamma"] for case in POINTS]
    assert any((gamma != gamma.T).any() for gamma in gammas)


@pytest.mark.parametrize("claim", [EQ3, *TERMS])
def test_both_routes_agree_and_every_step_is_licensed(claim: str) -> None:
    assert fact_of(claim).value == fact_of(claim, second_route=True).value
    for second_route in (False, True):
        outcome = settle(by_id()[claim], derive(claim, second_route=second_route))
        assert outcome.steps and all(step.ok for step in outcome.steps)
        # no symbols are declared, so no value is stated
        assert outcome.exact is None


def wrong_prints(claim: str) -> list[dict[str, str]]:
    """The print with a coefficient, sign, transposition, index or order of factors changed, or a term lost."""
    printed = dict(by_id()[claim].printed)
    found = []
    for name, text in printed.items():
        for other in (f"2*({text})", f"-({text})", f"({text})*lam", f"({text})/lam", "0"):
            found.append({**printed, name: other})
        for old, new in (
            *(
                ("Gamma*P", "Gamma.T*P"),
                ("P*Gamma.T", "P*Gamma"),
                ("W_QK*", "W_QK.T*"),
                ("x[T]*x[T].T", "x[T].T*x[T]*W_QK"),
            ),
            *(("gamma[alpha, i]", "gamma[i, alpha]"), ("gamma[beta, j]", "gamma[j, beta]"), ("x[i].T*", "x[alpha].T*")),
            *(
                ("*x[alpha]*x[T].T", "*x[T]*x[alpha].T"),
                ("*x[alpha]*x[T].T", "*x[beta]*x[T].T"),
                ("gamma_0[beta]", "gamma_0[i]"),
            ),
            *(
                ("W_F*x[T] - y", "W_F*x[T] + y"),
                ("W_F*x[T] - y", "x[T] - y"),
                ("W_F.T*W_F", "W_F"),
                ("W_V.T*W_F.T", "W_F.T*W_V.T"),
            ),
        ):
            if old in name:
                changed = {key.replace(old, new) if key == name else key: value for key, value in printed.items()}
                found.append(changed)
    found += [{key: value for key, value in printed.items() if key != name} for name in printed if len(printed) > 1]
    return found


@pytest.mark.parametrize("claim", [EQ3, *TERMS])
def test_false_prints_are_disproved_and_corrected(claim: str) -> None:
    statement, fact = by_id()[claim], fact_of(claim)
    assert settle_matrix(statement, fact, []).status == "proved"
    count = 0
    for printed in wrong_prints(claim):
        try:
            outcome = settle_matrix(replace(statement, printed=printed), fact, [])
        except ValueError:
            # an index without a sum: refused, never proved
            continue
        assert outcome.status == "disproved", printed
        told = {key: str(value) for key, value in outcome.corrections.items()}
        assert settle_matrix(replace(statement, printed=told), fact, []).status == "proved"
        count += 1
    assert count >= 10


def test_the_same_sum_written_otherwise_is_proved() -> None:
    claim = by_id()[TERMS[0]]
    ((name, text),) = claim.printed.items()
    swapped = (
        name.replace("alpha", "a1")
        .replace("beta", "b1")
        .replace("Sum(i, j", "Sum(j, i")
        .replace("x[i].T*Pc*x[j]", "x[j].T*Pc*x[i]")
    )
    assert swapped != name
    assert settle(replace(claim, printed={swapped: text}), derive(claim.id)).status == "proved"
    # i and j exchanged in the form alone change nothing, as the inner matrix is symmetric; in one gamma they do
    one = name.replace("gamma[alpha, i]", "gamma[alpha, j]")
    assert settle(replace(claim, printed={one: text}), derive(claim.id)).status == "disproved"


def test_no_step_can_be_left_out() -> None:
    for claim in (EQ3, *TERMS):
        fact = fact_of(claim)
        # the first matrix step starts from the model itself
        model = next(k for k, step in enumerate(fact.steps) if step.rule == "matrix-substitution")
        for place, step in enumerate(fact.steps):
            bare = replace(fact, steps=(*fact.steps[:place], *fact.steps[place + 1 :]))
            # the weight that two coefficients come from stands twice: what follows the first needs it already
            wanted = place != model and step not in fact.steps[:place]
            assert bool(unsupported_matrix(bare)) == wanted, step.text
        assert not unsupported_matrix(fact)
        bare = replace(fact, steps=fact.steps[:-1])
        assert settle(by_id()[claim], Derived({"": bare}, bare.steps)).status == "undecided"


def test_cases_are_checked() -> None:
    fact = fact_of(EQ3)
    for wrong in ({"lam": "0"}, {"lam": "-1"}, {"tokens": "33"}, {"dim": "0"}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            fact.instance({**CASES[0], **wrong})
