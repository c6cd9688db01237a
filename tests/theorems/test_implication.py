"""When a print's conditions imply sufficient ones: what follows, and near-misses that do not."""

import pytest

from theorems.conditions import read
from theorems.expressions import parse, symbol
from theorems.implication import implied, visibly_non_negative

LEAST = {"C": 1, "n": 2, "r": 1, "s": 0}


@pytest.mark.parametrize(
    ("printed", "sufficient"),
    [
        (("x**2 >= 1/2",), ("x**2 >= 49/100",)),
        (("x**2 > 1/2",), ("x**2 >= 1/2",)),
        (("2*x**2 >= 1", "r > 3*s"), ("x**2 >= 1/2", "r > 2*s")),
        (("r > 3*s",), ("r > 3*s",)),
        (("3*s < r",), ("r > 3*s",)),
        (("x < r/s + C/2",), ("x < r/s + 2*C",)),
        (("x < (r + C)/sqrt(s)",), ("x < (r + n*C - 1)/sqrt(s)",)),
        (("x == y",), ("x == y",)),
        (("x < C", "y > 0"), ("x < 2*C - 1",)),
    ],
)
def test_what_follows(printed: tuple[str, ...], sufficient: tuple[str, ...]) -> None:
    assert implied(printed, sufficient, LEAST)


@pytest.mark.parametrize(
    ("printed", "sufficient"),
    [
        (("x**2 >= 48/100",), ("x**2 >= 49/100",)),
        (("x**2 >= 1/2",), ("x**2 > 1/2",)),
        (("r > 2*s",), ("r > 3*s",)),
        (("r >= 3*s",), ("r > 3*s",)),
        (("r < 3*s",), ("r > 3*s",)),
        (("x < r/s + 2*C",), ("x < r/s + C/2",)),
        (("x < C",), ("x < 2*C - 2",)),
        (("x < C",), ("x < C + y",)),
        (("x == y",), ("x == 2*y",)),
        (("x >= y",), ("x == y",)),
        (("x > y",), ("x > y", "x > 0")),
        ((), ("x > 0",)),
    ],
)
def test_what_does_not_follow(printed: tuple[str, ...], sufficient: tuple[str, ...]) -> None:
    assert not implied(printed, sufficient, LEAST)


def test_what_is_visibly_not_negative() -> None:
    for formula in ("s", "s/r**2", "x**2", "3*sqrt(r + s)", "1/sqrt(C + s**2)", "C*s + 1/2"):
        assert visibly_non_negative(parse(formula), LEAST), formula
    for formula in ("-s", "x", "s - 1", "x**3", "sqrt(r - s)", "x*s", "s*(r - C)"):
        assert not visibly_non_negative(parse(formula), LEAST), formula
    assert symbol("x") == read("x > 0")[0]
