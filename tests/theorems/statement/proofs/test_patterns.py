"""Signs of functions of one variable by their derivatives, against values on a grid; and proofs that rest on them."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
import sympy as sp

from theorems.statement.proofs.onevariable import Line, composed
from theorems.statement.proofs.patterns import Patterns, limit
from theorems.statement.proofs.prover import STEPS
from theorems.statement.reading.language import parsed
from theorems.statement.work import Work

x = sp.Symbol("u", real=True)
End = Fraction | None


def signs(h: sp.Expr, low: End, high: End) -> tuple[int, ...] | None:
    # what is found is found in a tenth of a proof's steps
    return Patterns(x, low, high, Line("u", Work(STEPS)).at, Work(STEPS // 10)).of(h)


def on_a_grid(h: sp.Expr, low: End, high: End, points: int = 1999) -> tuple[int, ...]:
    first, last = (-6.0 if low is None else float(low)), (6.0 if high is None else float(high))
    f, found = sp.lambdify(x, h, "math"), list[int]()
    for k in range(points):
        value = f(first + (last - first) * (k + 0.5) / points)
        if abs(value) > 1e-13 and (not found or found[-1] != (value > 0) - (value < 0)):
            found.append(1 if value > 0 else -1)
    return tuple(found)


def test_polynomials_have_the_signs_of_a_grid() -> None:
    generator = random.Random(1)
    for _ in range(120):
        roots = [generator.randint(-3, 3) for _ in range(generator.randint(0, 4))]
        h = sp.expand(generator.choice([1, -1, 2]) * sp.prod([x - root for root in roots]) * (x**2 + 1))
        low = generator.choice([None, Fraction(generator.randint(-4, 1))])
        high = generator.choice([None, Fraction(generator.randint(2, 5))])
        assert signs(h, low, high) == on_a_grid(h, low, high), (h, low, high)


def test_exponentials_and_error_functions_have_the_signs_of_a_grid_where_any_are_found() -> None:
    generator = random.Random(2)
    parts = [
        sp.Integer(1),
        x,
        x**2,
        sp.exp(x),
        sp.exp(-x),
        sp.exp(-(x**2)),
        sp.erf(x),
        x * sp.exp(-x),
        sp.exp(x**2 / 4),
    ]
    told = 0
    for _ in range(60):
        h = sp.Add(*(generator.randint(-3, 3) * part for part in generator.sample(parts, 3)))
        low, high = Fraction(generator.randint(-1, 1)), generator.choice([None, Fraction(3)])
        found = signs(h, low, high)
        if found is not None and found != (0,):
            told += 1
            # beyond the grid there may be one more, never fewer
            seen = on_a_grid(h, low, high)
            assert found[: len(seen)] == seen and (found == seen or high is None), (h, low, high)
    assert told > 40


@pytest.mark.parametrize(
    ("h", "way", "value"),
    [
        ((1 - sp.erf(x)) * x**3, 1, 0),
        (sp.exp(x**2) * (1 - sp.erf(x)), 1, None),
        (sp.erf(x) + 1, -1, 0),
        (x**2 - x, -1, sp.oo),
        (-(x**3), -1, sp.oo),
        ((x + 1) / (2 * x + 3), 1, sp.Rational(1, 2)),
        (sp.exp(x) - sp.exp(2 * x), 1, -sp.oo),
        (sp.exp(x) - sp.exp(x + 1) / 3, 1, sp.oo),
        (sp.exp(x) - sp.exp(x + 1) / 2, 1, -sp.oo),
        (sp.exp(-x) - 3 * sp.exp(-x - 1), -1, -sp.oo),
        (sp.cos(x), 1, None),
        (x * sp.exp(-(x**2) + x) + 3, 1, 3),
    ],
)
def test_limits(h: sp.Expr, way: int, value: sp.Expr | None) -> None:
    assert limit(h, x, way) == value


def test_a_function_of_several_names_may_be_one_of_their_combination() -> None:
    found = composed(parsed("exp(-a**2/(2*b)) - 1 + erf(a/sqrt(2*b))"))
    assert found is not None and str(found[1]) == "a/sqrt(2*b)"
    assert composed(parsed("exp(-a**2/(2*b)) - a + erf(a/sqrt(2*b))")) is None
    assert composed(parsed("exp(-a**2/(3*b)) + erf(b/sqrt(2*a))")) is None
