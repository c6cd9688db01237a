"""The rules on expected cosines: what they license holds for random norms and laws, and near misses are refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy as sp

from theorems.algebra.closed import vanishes
from theorems.algebra.expressions import parse, symbol
from theorems.gaussian.process import Step
from theorems.lampert2026.cosine import CERTIFICATES, MULTIPLIER, SHARP
from theorems.rules import licensed
from theorems.rules.cosine import PARTS, slacks

R = sp.Rational
PAIRS = [(R(c), R(mu)) for c in ("5/4", "149/100", "3/2", "2") for mu in ("-51/100", "-1/2", "0")]


def pointwise(c: Any = SHARP, mu: Any = MULTIPLIER, certificates: Any = CERTIFICATES) -> Step:
    return Step("cosine-pointwise", "", (c, mu, certificates))


def orthant(c: Any = SHARP, mu: Any = MULTIPLIER) -> Step:
    return Step("cosine-orthant", "", (c, mu))


def average(left: str = "gap", right: str = "3*spread/2", end: str = "", inner: Step | None = None) -> Step:
    return Step("cosine-average", "", (parse(left), parse(right), end, inner or orthant()))


FIRST = average("Abs(cosine_0 - ratio_0)", "3/2*spread_0", "0")
LAST = average("Abs(cosine_1 - ratio_1)", "3/2*spread_1", "1")
UPPER = "3/2*(spread_0 + spread_1) + ratio_0 - ratio_1"


def difference(right: str = UPPER, left: str = "cosine_0 - cosine_1", first: Step = FIRST, last: Step = LAST) -> Step:
    return Step("cosine-difference", "", (parse(left), parse(right), first, last))


def norms() -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Pairs of norms, among them those where the sharp inequality is nearly met with equality."""
    rng = np.random.default_rng(0)
    a = np.concatenate([np.exp(2 * rng.normal(size=4000)), np.ones(50), np.linspace(1, 50, 50)])
    b = np.concatenate([np.exp(2 * rng.normal(size=4000)), np.linspace(1e-6, 1, 50), np.linspace(1, 50, 50)])
    return a, b


def holds(c: float, mu: float) -> bool:
    a, b = norms()
    bound = c / 2 * (abs(1 - a**2) + abs(1 - b**2)) + mu / 2 * (a**2 + b**2 - 2)
    return bool((abs(1 - a * b) <= bound + 1e-9 * (1 + a**2 + b**2)).all())


@pytest.mark.parametrize(("c", "mu"), PAIRS)
def test_the_orthant_licenses_what_holds_for_random_norms_and_nothing_else(c: sp.Rational, mu: sp.Rational) -> None:
    assert licensed(orthant(c, mu)) == holds(float(c), float(mu))


def test_the_slacks_are_the_inequality_part_by_part() -> None:
    """Every pair of norms lies in one part, up to its order, and the lesser slack there is what the inequality has."""
    a, b = norms()
    a, b = np.maximum(a, b), np.minimum(a, b)
    c, mu = R(7, 5), R(-1, 3)
    direct = 1.4 / 2 * (abs(1 - a**2) + abs(1 - b**2)) - (a**2 + b**2 - 2) / 6 - abs(1 - a * b)
    least = np.full_like(a, np.nan)
    for part, (_, _, polynomials) in PARTS.items():
        inside = np.ones(len(a), dtype=bool)
        for polynomial in polynomials:
            inside &= sp.lambdify([symbol("a"), symbol("b")], polynomial, "numpy")(a, b) >= 0
        found = [
            sp.lambdify([symbol("a"), symbol("b")], slack, "numpy")(a, b)
            for name, _, slack in slacks(c, mu)
            if name == part
        ]
        least = np.where(inside, np.minimum(*found), least)
    assert np.allclose(least, direct, rtol=1e-9, atol=1e-9)


def test_certificates_prove_the_sharp_inequality_and_nothing_near_it() -> None:
    assert licensed(pointwise())
    for c, mu in PAIRS:
        assert licensed(pointwise(c, mu)) == ((c, mu) == (SHARP, MULTIPLIER))


def law(rng: np.random.Generator) -> np.ndarray[Any, Any]:
    """Pairs of dependent vectors of all sizes, (n, 2, d), each with its swap, so that they are exchangeable."""
    n, d = int(rng.integers(1, 6)), int(rng.integers(1, 4))
    pairs = rng.normal(size=(n, 2, d)) * np.exp(1.5 * rng.normal(size=(n, rng.integers(1, 3), 1)))
    return np.concatenate([pairs, pairs[:, ::-1]])


@pytest.mark.parametrize("seed", range(5))
def test_what_the_average_concludes_holds_for_random_laws(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(100):
        pairs = law(rng)
        sizes = (pairs**2).sum(-1)
        products = (pairs[:, 0] * pairs[:, 1]).sum(-1)
        D = sizes.mean()
        gap = abs((products / np.sqrt(sizes.prod(1))).mean() - products.mean() / D)
        assert gap <= float(SHARP) * abs(1 - sizes / D).mean() + 1e-12


def test_the_average_refuses_near_misses() -> None:
    assert licensed(average()) and licensed(average(inner=pointwise())) and licensed(FIRST) and licensed(LAST)
    assert licensed(average(right="2*spread", inner=orthant(R(2), R(-1))))
    for wrong in (
        average(right="149/100*spread"),
        # a weaker conclusion is another one, which the kernel draws itself
        average(right="2*spread"),
        average(right="3/2*spread_0"),
        average(left="spread"),
        average(end="0"),
        average("Abs(cosine_0 - ratio_1)", "3/2*spread_0", "0"),
        average("cosine_0 - ratio_0", "3/2*spread_0", "0"),
        average("Abs(cosine_0 - ratio_0)", "3/2*spread_0", "2"),
        average(right="149/100*spread", inner=orthant(R(149, 100), MULTIPLIER)),
        average(inner=FIRST),
        Step("cosine-average", "", (symbol("gap"), R(3, 2) * symbol("spread"), "")),
    ):
        assert not licensed(wrong)


def test_the_difference_holds_for_random_numbers_that_meet_its_steps() -> None:
    rng = np.random.default_rng(1)
    ratios, away = rng.normal(size=(2, 500)), rng.uniform(0, 1, size=(2, 500))
    cosines = ratios + 1.5 * away * rng.choice((-1.0, 1.0, 0.3), size=(2, 500))
    upper = 1.5 * away.sum(0) + ratios[0] - ratios[1]
    assert (cosines[0] - cosines[1] <= upper + 1e-12).all()
    assert vanishes(difference().data[1] - parse(UPPER))
