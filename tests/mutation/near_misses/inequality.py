"""Near misses and further true steps of the rules of theorems/rules/inequality.py."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sympy as sp

from theorems.algebra.closed import substituted
from theorems.algebra.expressions import parse, symbol
from theorems.gaussian.process import Step

d, x, p, q, X, Y = (symbol(name) for name in ("d", "x", "p", "q", "X", "Y"))
ONE = sp.Integer(1)
CORNERS = sp.Max(sp.Abs(X), sp.Abs(Y), sp.Abs(X + Y))
UNITS = {"p": parse("exp(-a**2)"), "q": parse("exp(-b**2)")}

#: exp(-s) for an s that is negative somewhere, or no real number.
NO_UNITS = (
    *("exp(a)", "exp(-a)", "exp(-a**3)", "exp(a**2)", "exp(-a*b)", "exp(-a**2*b)", "exp(-a**2/b)", "exp(-a**2/b**3)"),
    *("exp(-a**2/(theta - 1/2))", "exp(-a**2/(1/2 - theta))", "exp(-a**2*(1/2 - theta))", "exp(-a**2/(xi + 2))"),
    *("1 + a**2", "2*exp(-a**2)", "exp(-a**k)", "a", "1/a**2"),
)
#: exp(-s) for an s that is >= 0 wherever theta lies in [0, 1].
MORE_UNITS = (
    *("exp(-a**2/b**2)", "exp(-3*a**4)", "exp(-pi*a**2)", "exp(-a**2/(theta + 1/2))", "exp(-a**2/(3/2 - theta))"),
    *("exp(-(a - b)**2/(2*theta**2 + 7/12))", "exp(-a**2*(theta + 1/2))"),
)


def near() -> Iterator[tuple[str, Step]]:
    """Why it is false, and the step."""
    yield (
        "the sign of the divisor is unknown",
        Step("quotient", "", (symbol("tr1"), d * symbol("tr1"), symbol("tr1"), d)),
    )
    for why, data in _spectra():
        yield why, Step("realised-spectrum", "", data)
    for unit in (*map(parse, NO_UNITS), sp.exp(-((symbol("a") + sp.I) ** 2)), sp.Integer(2)):
        # |p X| <= |X|
        yield f"{unit} does not lie in (0, 1]", _vertex(p * X, sp.Abs(X), {"p": unit})
        yield f"{unit} does not lie in (0, 1]", _combination(((p, X),), ONE, {"p": unit})
    yield "it is 3 X inside, X at both ends", _vertex(8 * p * (1 - p) * X + X, sp.Abs(X), UNITS)
    yield "a corner is left out", _vertex(p * X - q * Y, sp.Max(sp.Abs(X), sp.Abs(Y)), UNITS)
    yield "one of two is no unit", _combination(((p, X), (q, Y)), ONE, UNITS | {"q": parse("exp(b**2)")})
    for weight in ("p + q", "1 + p", "p - q - 1", "-q - 1", "3/2", "2*p", "-2*p"):
        yield f"{weight} leaves [-1, 1]", _combination(((parse(weight), X),), ONE, UNITS)
    yield "it is -2 inside, and within [-1, 1] at the corners", _combination(((8 * p * (p - 1), X),), ONE, UNITS)
    for factor in ("-1", "xi", "theta - 1/2", "1/2 - theta", "v - 1"):
        yield f"{factor} may be negative", _combination(((p, X),), parse(factor), UNITS)
    yield "one of two is no unit", _vertex(p * X + q * Y, CORNERS, UNITS | {"q": parse("exp(b**2)")})
    yield "0 is not below -1", _vertex(sp.Integer(0), -ONE, UNITS)
    whole, upper = substituted(p * X, UNITS), sp.Abs(X)
    for quantity, why in ((sp.exp(whole), "exp(y) is not below |y|"), (_size(whole + 1), "another quantity")):
        yield why, Step("unit-combination", "", (quantity, upper, ((p, X),), ONE, UNITS))
        yield why, Step("vertex-maximum", "", (quantity, upper, p * X, UNITS))
    yield "the bound has a unit's name, which may be 0", _combination(((ONE, p * X), (ONE, Y)), ONE, UNITS)
    square, fourth = parse("sum_abce**2"), parse("sqrt(sum_aaaa*sum_bbbb*sum_cccc*sum_eeee)")
    second = parse("sum_aa*sum_bb*sum_cc*sum_ee")
    yield "second moments do not bound", Step("hoelder", "", (square, second, "abce"))
    yield "it is a bound of the square", Step("hoelder", "", (square, sp.sqrt(fourth), "abce"))
    yield "constants attain it", Step("hoelder", "", (square, 99 * fourth / 100, "abce"))
    yield "e is another family than f", Step("hoelder", "", (parse("sum_abcf**2"), fourth, "abce"))
    three = parse("sqrt(sum_aaaa*sum_bbbb*sum_cccc)")
    yield "three factors need the third root", Step("hoelder", "", (parse("sum_abc**2"), three, "abc"))
    five = parse("sqrt(sum_aaaa*sum_bbbb*sum_cccc*sum_eeee*sum_ffff)")
    yield "five factors need the fifth root", Step("hoelder", "", (parse("sum_abcef**2"), five, "abcef"))
    digit = parse("sqrt(sum_aaaa*sum_bbbb*sum_cccc*sum_1111)")
    yield "1 is no family", Step("hoelder", "", (parse("sum_abc1**2"), digit, "abc1"))
    yield "a square is not below its root", Step("hoelder", "", (parse("sum_aabb**2"), fourth, "abce"))


def true() -> Iterator[Step]:
    """Steps that hold."""
    yield Step("quotient", "", (symbol("tr1"), 3 * symbol("tr2") ** 2, symbol("tr2"), 3 * symbol("tr2")))
    yield Step("hoelder", "", (parse("sum_fghk**2"), parse("sqrt(sum_ffff*sum_gggg*sum_hhhh*sum_kkkk)"), "fghk"))
    side = sp.sqrt(2) / 2 * sp.sqrt(1 - x**2 / d)
    pair = ((x / d + side, ONE), (x / d - side, ONE), (x / d, d - 2))
    yield Step("realised-spectrum", "", (pair, x, d, 2))
    yield Step("realised-spectrum", "", ((*pair, (sp.Integer(0), sp.Integer(0))), x, d, 3))
    for unit in map(parse, MORE_UNITS):
        yield _vertex(p * X, sp.Abs(X), {"p": unit})
    yield from (_vertex(p * X + q * Y, CORNERS, UNITS, side) for side in (1, -1))
    for weight in ("p - q", "1", "-1", "1 - 2*p", "1/2", "-q"):
        yield _combination(((parse(weight), X), (p, Y)), symbol("v"), UNITS)
    yield _combination(((ONE, X), (p, Y)), symbol("eta"), UNITS, -1)


def _spectra() -> Iterator[tuple[str, tuple[Any, ...]]]:
    root = sp.sqrt((1 - x**2 / d) / 2)

    def pair(side: sp.Expr, count: sp.Expr = ONE) -> tuple[tuple[sp.Expr, sp.Expr], ...]:
        return ((x / d + side, count), (x / d - side, count), (x / d, d - 2 * count))

    yield "the squares add up to x^2/d", (((x / d, d),), x, d, 1)
    yield "they add up to 0", (((root.xreplace({x: 0}), ONE), (-root.xreplace({x: 0}), ONE), (d * 0, d - 2)), x, d, 2)
    yield "the squares add up to more than 1", (pair(2 * root), x, d, 2)
    yield "d + 1 eigenvalues", ((*pair(root), (sp.Integer(0), ONE)), x, d, 2)
    yield "d - 2 < 0 for d = 1", (pair(root), x, d, 1)
    yield "half an eigenvalue", (pair(sp.sqrt(1 - x**2 / d), sp.Rational(1, 2)), x, d, 2)
    yield "no real number where x^2 > d", (pair(root), x, 9 * d, 2)
    yield "no real numbers", (pair(sp.I * sp.sqrt((x**2 / d - 1) / 2)), x, d, 2)
    # beyond sqrt(d), with a root of a number below 0, a cube root of one, i, and a function that is imaginary there
    third = sp.Rational(1, 3)
    for away in (sp.sqrt(1 - sp.sqrt(2)), sp.Integer(-1) ** third, sp.I, sp.acosh(third)):
        square = sp.expand(d * (1 - 2 * away**2))
        wide = sp.sqrt((square - x**2) / (2 * d))
        four = tuple((x / d + side * part, ONE) for part in (wide, away) for side in (1, -1))
        yield "no real number", ((*four, (x / d, d - 4)), x, square, 4)
    # 0/0 at x^2 = d
    power = sp.Pow(1 - x**2 / d, sp.Rational(3, 2)) / ((d - x**2) / d) / sp.sqrt(2)
    yield "not defined at x^2 = d", (pair(power), x, d, 2)


def _size(expression: sp.Expr) -> sp.Expr:
    return sp.Abs(expression, evaluate=False)


def _vertex(form: sp.Expr, upper: sp.Expr, table: dict[str, sp.Expr], side: int = 1) -> Step:
    return Step("vertex-maximum", "", (_size(side * substituted(form, table)), upper, form, table))


def _combination(
    parts: tuple[tuple[sp.Expr, sp.Expr], ...], factor: sp.Expr, table: dict[str, sp.Expr], side: int = 1
) -> Step:
    """|g sum c_k t_k| <= g sum |t_k|."""
    whole = substituted(factor * sp.Add(*(c * t for c, t in parts)), table)
    upper = factor * sp.Add(*(sp.Abs(t) for _, t in parts))
    return Step("unit-combination", "", (_size(side * whole), upper, parts, factor, table))
