"""Proofs by boxes: what is positive everywhere, and near misses."""

from collections.abc import Callable, Iterator
from fractions import Fraction as F

import flint
import pytest
import sympy as sp

from theorems.algebra.balls import ball, between, centred, lower_end
from theorems.algebra.covers import Box, covered, middle, some_positive
from theorems.algebra.expressions import parse, symbol

UNIT: Box = {"x": (F(0), F(1)), "y": (F(0), F(1))}


def over(*formulas: str) -> Callable[[Box], Iterator[flint.arb]]:
    """Enclosures of formulas in x and y by the mean value theorem."""
    parts = [(f, {name: sp.diff(f, symbol(name)) for name in UNIT}) for f in map(parse, formulas)]
    return lambda box: (centred(formula, slopes, box, {}) for formula, slopes in parts)


@pytest.mark.parametrize(
    ("formulas", "good"),
    [
        (("x**2 + y**2 - x*y + 1/100",), True),
        (("(x - 1/3)**2 + (y - 2/3)**2 + 1/1000",), True),
        (("1/3 - x + y/10", "x - 1/4"), True),
        (("1/4 - x", "x - 1/5", "y"), True),
        # 0 at an end, on a curve, between two that leave a gap, and exactly where both are 0
        (("x",), False),
        (("x**2 + y**2 - x*y",), False),
        (("x - y", "y - x"), False),
        (("1/4 - x", "x - 1/3"), False),
        (("1/4 - x", "x - 1/4"), False),
        (("x - 1/10",), False),
        (("0",), False),
        (("1/x",), False),
        (("sqrt(x - 2)",), False),
        ((), False),
    ],
)
def test_what_is_positive_everywhere(formulas: tuple[str, ...], good: bool) -> None:
    assert some_positive(over(*formulas), UNIT, 1000) is good


def test_the_limit_counts_boxes() -> None:
    tried: list[Box] = []

    def small(box: Box) -> bool:
        tried.append(box)
        return box["x"][1] - box["x"][0] <= F(1, 4)

    box = {"x": (F(0), F(1))}
    assert covered(small, box, 7)
    assert len(tried) == 7
    assert sorted(part["x"] for part in tried)[-1] == (F(3, 4), F(1))
    assert not covered(small, box, 6)
    assert not covered(lambda _: True, box, 0)


def test_a_hopeless_box_ends_it() -> None:
    tried: list[Box] = []

    def never(box: Box) -> bool | None:
        tried.append(box)
        return None if box["x"][0] >= F(1, 2) else False

    assert not covered(never, {"x": (F(0), F(1))}, 1000)
    assert len(tried) == 3


def test_the_longest_side_is_halved() -> None:
    sides: list[tuple[F, F]] = []

    def look(box: Box) -> bool:
        sides.append((box["x"][1] - box["x"][0], box["y"][1] - box["y"][0]))
        return len(sides) > 3

    covered(look, {"x": (F(0), F(4)), "y": (F(0), F(1))}, 9)
    assert sides[:4] == [(F(4), F(1)), (F(2), F(1)), (F(2), F(1)), (F(1), F(1))]
    assert middle({"x": (F(1), F(4))}) == {"x": (F(5, 2), F(5, 2))}


def test_the_lower_end_of_a_ball() -> None:
    assert lower_end(flint.arb(3)) == 3
    assert lower_end(flint.arb(-5) / 8) == F(-5, 8)
    third = flint.arb(flint.fmpq(1, 3))
    assert F(1, 3) - F(1, 10**12) < lower_end(third) < F(1, 3)
    assert lower_end(between(F(-2), F(7))) <= -2


def test_a_centred_enclosure_holds_the_values_and_is_narrow() -> None:
    formula = parse("x**2*y - x*y + sqrt(x + 1)")
    slopes = {name: sp.diff(formula, symbol(name)) for name in UNIT}
    box = {"x": (F(1, 4), F(5, 16)), "y": (F(1, 2), F(9, 16))}
    whole = centred(formula, slopes, box, {})
    for x in (F(1, 4), F(9, 32), F(5, 16)):
        for y in (F(1, 2), F(9, 16)):
            assert whole.contains(ball(formula, {"x": between(x, x), "y": between(y, y)}))
    plain = ball(formula, {name: between(*ends) for name, ends in box.items()})
    assert whole.rad() < plain.rad()
    # names that are fixed are no sides
    assert centred(formula, {"x": slopes["x"]}, {"x": box["x"]}, {"y": F(1, 2)}).rad() < whole.rad()
