"""Hulls, distances, extremes over indices and indicators: read, shown, and evaluated by three interpreters."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from montecarlo.search_values import evaluate
from montecarlo.statements.environment import environment_of
from montecarlo.statements.values import value
from theorems.algebra.balls import precision, rational
from theorems.statement import Proposition, StatementError, proposition
from theorems.statement.latex import statement_latex
from theorems.statement.prose import in_words
from theorems.statement.values.arithmetic import UndefinedError
from theorems.statement.values.cases import Case, admissible
from theorems.statement.values.values import scalar

VECTORS, SEQUENCE = "a in R^d, b in R^d", "s in R^n"
QUANTITIES = (
    "dist(0, hull(a, b))",
    "dist(a, hull(b, 2*b, a - b))",
    "dist(0, hull(s[j]*a + j*b, j, 1, n))",
    "dist(b, hull(s[j]*a, j, 1, n, s[j] != 0))",
    "dist(0, hull(s[i]*a*b.T - j*b*a.T, i, 1, n, j, 1, n, i != j))",
    "dist(a*b.T, hull(j*b*a.T, j, 1, n))",
    "largest(s[j], j, 1, n)",
    "smallest(abs(s[j] - s[i]), i, 1, n, j, 1, n, i < j)",
    "largest(i*s[1], i, s)",
    "sum(indicator(s[j] > 0)*s[j], j, 1, n)",
    "sum(smallest(s[j], j, 1, i), i, 1, n)",
    "indicator(a.T*b <= s[1])",
)


def _known(quantity: str) -> str:
    return f"{VECTORS}, {SEQUENCE}" if "n)" in quantity or "s[" in quantity else VECTORS


def _said(quantity: str) -> Proposition:
    return proposition(f"{quantity} <= 1", _known(quantity))


def _case(a: tuple[int, ...], b: tuple[int, ...], s: tuple[int, ...]) -> Case:
    vectors = {name: tuple(map(Fraction, entries)) for name, entries in (("a", a), ("b", b))}
    numbers = {"d": Fraction(len(a)), "n": Fraction(len(s))}
    return Case(numbers, vectors=vectors, sequences={"s": tuple(map(Fraction, s))})


def _three(prop: Proposition, case: Case) -> tuple[float, float, float]:
    plain = case.plain()
    names = {**{k: int(v) for k, v in case.numbers.items()}, **plain["vectors"], **plain["sequences"]}
    with precision(128):
        exact = scalar(prop.left, case)
        middle = float(exact if isinstance(exact, Fraction) else exact.mid())
    other = value(prop.left.plain(), environment_of(names))
    return middle, float(other), evaluate(prop.left.plain(), plain)


@pytest.mark.parametrize("quantity", QUANTITIES)
@settings(max_examples=15, deadline=None)
@given(st.data())
def test_the_three_interpreters_agree(quantity: str, data: st.DataObject) -> None:
    d = data.draw(st.integers(1, 3))
    entries = st.integers(-3, 3)
    a, b = (tuple(data.draw(st.lists(entries, min_size=d, max_size=d))) for _ in range(2))
    s = tuple(data.draw(st.lists(entries, min_size=2, max_size=4)))
    if "s[j] != 0" in quantity and not any(s):
        s = (1, *s)
    one, two, three = _three(_said(quantity), _case(a, b, s))
    assert two == pytest.approx(one, abs=1e-9)
    assert three == pytest.approx(one, abs=1e-9)


@pytest.mark.parametrize("quantity", QUANTITIES)
def test_what_is_written_reads_back(quantity: str) -> None:
    prop = _said(quantity)
    assert proposition(f"{prop.left} <= 1", _known(quantity)).left == prop.left


def test_a_distance_of_rational_points_is_exact_and_attained_on_the_hull() -> None:
    case = _case((1, 1), (1, -1), (0,))
    assert scalar(_said("dist(0, hull(a, b))").left, case) == 1
    assert scalar(_said("dist(0, hull(a, -a))").left, case) == 0
    assert scalar(_said("dist(a, hull(b))").left, case) == 2
    with precision(128):
        corner = scalar(_said("dist(0, hull(a, 2*a))").left, case)
        assert not isinstance(corner, Fraction)
        assert corner.overlaps(rational(Fraction(2)).sqrt())


@given(st.lists(st.tuples(st.integers(-2, 2), st.integers(-2, 2)), min_size=1, max_size=5))
@settings(max_examples=40, deadline=None)
def test_a_distance_is_the_least_over_a_grid_of_weights(points: list[tuple[int, int]]) -> None:
    """Against the definition: no mean of the points is nearer, and one of a fine grid is nearly as near."""
    s = tuple(entry for point in points for entry in point)
    n = len(points)
    prop = proposition(
        "dist(0, hull(s[2*j - 1]*a + s[2*j]*b, j, 1, k)) <= 1", "s in R^n, a in R^d, b in R^d, k integer, k >= 1"
    )
    case = _case((1, 0), (0, 1), s)
    exact = scalar(prop.left, case.with_number("k", Fraction(n)))
    found = float(exact if isinstance(exact, Fraction) else exact.mid())
    grid = 12 if n < 4 else 6
    shares = [w for w in product(range(grid + 1), repeat=n) if sum(w) == grid]
    means = [[sum(w * p[c] for w, p in zip(share, points, strict=True)) / grid for c in (0, 1)] for share in shares]
    lengths = [math.hypot(*mean) for mean in means]
    assert found <= min(lengths) + 1e-12
    assert min(lengths) <= found + 2 * math.sqrt(8) * n / grid


def test_a_relation_that_only_balls_tell_decides_a_condition() -> None:
    prop = _said("sum(indicator(exp(s[j]) > 2), j, 1, n)")
    assert scalar(prop.left, _case((1,), (1,), (0, 1, 2, -1))) == 2


def test_an_empty_hull_has_no_distance() -> None:
    prop = _said("dist(0, hull(s[j]*a, j, 1, n, s[j] > 0))")
    with pytest.raises(UndefinedError):
        scalar(prop.left, _case((1,), (1,), (-1, 0)))


def test_hypotheses_that_compare_are_part_of_the_reading() -> None:
    prop = proposition("kappa <= norm(a) + s[1]", "a in R^d, s in R^n, n >= 2, kappa <= s[1] - largest(s[j], j, 2, n)")
    assert "with kappa <= s[1] - largest(s[j], j, 2, n)" in in_words(prop)
    assert r"\max_{2 \le j \le n} s_{j}" in statement_latex(_said("largest(s[j], j, 2, n)"))
    assert prop.positions == ()
    case = Case(
        {"d": Fraction(1), "n": Fraction(2), "kappa": Fraction(1)},
        {},
        {"a": (Fraction(1),)},
        {"s": (Fraction(2), Fraction(1))},
    )
    assert admissible(prop, case) == ""
    assert "kappa" in admissible(prop, case.with_number("kappa", Fraction(2)))


@pytest.mark.parametrize(
    ("text", "says", "at"),
    [
        ("largest(s[j], j, 1) <= 1", "expected largest(expression, j, first, last)", 14),
        ("largest(s[j]) <= 1", "expected largest(expression, j, first, last)", 0),
        ("largest(s[j], j, 1, j) <= 1", "hold j itself", 14),
        ("largest(s[j], a, 1, n) <= 1", "cannot be an index", 14),
        ("largest(a, j, 1, n) <= 1", "is a vector, not a number", 0),
        ("dist(0, a) <= 1", "expected dist(a, hull(...))", 0),
        ("dist(0, hull(s[1], 2)) <= 1", "is a number", 19),
        ("dist(a*b.T, hull(a, b)) <= 1", "expected a vector", 5),
        ("norm(hull(a, b)) + hull(a, b) <= 1", "adds a", 0),
        ("indicator(s[1]) <= 1", "is of a comparison", 0),
        ("larges(s[j], j, 1, n) <= 1", "did you mean largest?", 0),
    ],
)
def test_an_error_has_its_place_and_the_mend(text: str, says: str, at: int) -> None:
    with pytest.raises(StatementError) as caught:
        proposition(text, _known(text))
    assert says in str(caught.value)
    assert caught.value.at == at
