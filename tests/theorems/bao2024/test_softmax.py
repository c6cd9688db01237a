"""The softmax at the origin: Taylor coefficients against automatic-free difference quotients at high precision."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import pytest

from tests.theorems.bruteforce import number
from theorems.bao2024.softmax import gamma, taylor
from theorems.claims.catalogue import by_id
from theorems.gaussian.process import random_walk
from theorems.kernel.deriving import derive
from theorems.kernel.settle import settle
from theorems.rules import licensed


def softmax(scores: list[mpmath.mpf], at: int) -> mpmath.mpf:
    weights = [mpmath.exp(score) for score in scores]
    return weights[at] / sum(weights)


@pytest.mark.parametrize("T", [1, 2, 3, 7])
def test_slopes_of_the_softmax_itself(T: int) -> None:
    """Central differences of the literal softmax of T scores with 60 digits, in every direction."""
    derived = derive("bao2024.sec2.softmax-taylor")
    at = {"T": Fraction(T)}
    with mpmath.workdps(60):
        step = mpmath.mpf(10) ** -20
        for i in range(T):
            for j in range(T):
                up, down = [mpmath.mpf(0)] * T, [mpmath.mpf(0)] * T
                up[j], down[j] = step, -step
                slope = (softmax(up, i) - softmax(down, i)) / (2 * step)
                exact = number(derived.ratio("diagonal" if i == j else "off_diagonal").expr, dict(at))
                assert abs(slope - mpmath.mpf(exact.numerator) / exact.denominator) < mpmath.mpf(10) ** -38
            assert number(derived.ratio("offset").expr, dict(at)) == Fraction(1, T)


def test_hand_values() -> None:
    table = taylor()
    at = {"T": 4}
    assert number(table["diagonal"].ratio.expr, dict(at)) == Fraction(3, 16)
    assert number(table["off_diagonal"].ratio.expr, dict(at)) == Fraction(-1, 16)
    # the slopes along all scores at once add up to nothing
    assert table["diagonal"].ratio + (table["off_diagonal"].ratio * "T" - table["off_diagonal"].ratio) == 0


def test_gamma_is_made_of_the_slopes_and_takes_their_steps_along() -> None:
    walk = random_walk("i", "T")
    i, _ = walk.positions
    weights = {atom: c for c, atom in gamma(walk, i).parts}
    own, every = weights["at", "i"], weights["between", "0", "T"]
    assert every == taylor()["off_diagonal"].ratio
    assert own + every == taylor()["diagonal"].ratio
    assert [step.rule for step in walk.steps] == [
        *("softmax-weight", "derivative", "softmax-weight", "derivative", "softmax-weight", "at-origin")
    ]
    assert all(licensed(step) for step in walk.steps)


def test_a_wrong_coefficient_is_disproved() -> None:
    from dataclasses import replace

    statement = by_id()["bao2024.sec2.softmax-taylor"]
    derived = derive(statement.id)
    assert settle(statement, derived).status == "proved"
    for name, wrong in (
        ("diagonal", "1/T"),
        ("off_diagonal", "1/T**2"),
        ("offset", "1/(T + 1)"),
        ("diagonal", "1/T - 1/T**3"),
    ):
        outcome = settle(replace(statement, printed={**statement.printed, name: wrong}), derived)
        assert outcome.status == "disproved"
        assert outcome.false_quantities == (name,)
