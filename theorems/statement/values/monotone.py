"""Whether a function of one name increases, decreases or peaks on an interval, at an exact case: by sign changes.

The function is a quotient N/D of polynomials in the name, whose values at whole numbers give N and D exactly. The sign
of its slope is that of N' D - N D', which changes at the roots of odd multiplicity alone.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from theorems.statement.expression import Expr, number
from theorems.statement.reading.shapes import shape
from theorems.statement.values.arithmetic import UndefinedError
from theorems.statement.values.kept import kept
from theorems.statement.values.values import Data, scalar

_ONE = number(1)
_NAME = sp.Symbol("t#")


class NotRationalError(Exception):
    """An expression that is no quotient of polynomials in the name."""


def truth(part: Expr, case: Data) -> bool | None:
    """Whether ``increasing``, ``decreasing`` (both strictly), ``peaks`` or ``positive`` holds; None: not decided.

    ``peaks``: the function increases strictly up to a place inside the interval, and decreases strictly from there on.
    Raises UndefinedError where the function has no value somewhere on the interval.
    """
    found: bool | None = kept(case).once(("truth", part), lambda: _truth(part, case))
    return found


def _truth(part: Expr, case: Data) -> bool | None:
    body, name, *ends = part.args
    low, high = (scalar(end, case) for end in ends)
    if not (isinstance(low, Fraction) and isinstance(high, Fraction) and low < high):
        raise UndefinedError(f"{part}: {ends[0]} to {ends[1]} is no interval of rational ends")
    try:
        above, below, *degrees = fraction(body, name)
    except NotRationalError:
        return None
    N, D = (_polynomial(node, name, degree, case) for node, degree in zip((above, below), degrees, strict=True))
    if N is None or D is None:
        return None
    first, last = sp.Rational(str(low)), sp.Rational(str(high))
    if D.is_zero or D.count_roots(first, last):
        raise UndefinedError(f"{body} has no value somewhere from {low} to {high}")
    if part.op == "positive":
        return bool((N * D).eval(first) > 0) and not N.count_roots(first, last)
    changes = signs(N.diff() * D - N * D.diff(), first, last)
    return changes == {"increasing": [1], "decreasing": [-1], "peaks": [1, -1]}[part.op]


def signs(slope: sp.Poly, low: sp.Rational, high: sp.Rational) -> list[int]:
    """The signs that a polynomial takes between two places, in order, isolated zeros left out; [0] where it is 0."""
    if slope.is_zero:
        return [0]
    _, factors = slope.sqf_list()
    odd = sp.Poly(sp.Mul(*(factor.as_expr() for factor, count in factors if count % 2)), _NAME, domain="QQ")
    inside = int(odd.count_roots(low, high)) - sum(int(odd.eval(end) == 0) for end in (low, high))
    # near enough to the end that no root lies between
    start = low
    step = (high - low) / 2
    while (sign := _sign(slope.eval(start))) == 0 or slope.count_roots(low, start) > int(slope.eval(low) == 0):
        start = low + step
        step = step / 2
    return [sign * (-1) ** k for k in range(inside + 1)]


def _sign(value: sp.Rational) -> int:
    return int(sp.sign(value))


def _polynomial(node: Expr, name: str, degree: int, case: Data) -> sp.Poly | None:
    """The polynomial in a name that an expression is at a case, from its values at 0 ... degree; None for no such."""
    values = []
    for place in range(degree + 1):
        found = scalar(node.put({name: number(place)}), case)
        if not isinstance(found, Fraction):
            return None
        values.append((sp.Integer(place), sp.Rational(found.numerator, found.denominator)))
    form = sp.interpolate(values, _NAME) if degree else values[0][1]
    return sp.Poly(form, _NAME, domain="QQ")


def fraction(node: Expr, name: str) -> tuple[Expr, Expr, int, int]:
    """Numerator, denominator, and their degrees in a name at most; NotRationalError for what is no such quotient."""
    op, args = node.op, node.args
    if name not in node.names():
        return node, _ONE, 0, 0
    if op == "name":
        return node, _ONE, 1, 0
    if op == "+":
        return _added([fraction(arg, name) for arg in args])
    if op == "*":
        parts = [fraction(arg, name) for arg in args]
        return _times(*(p[0] for p in parts)), _times(*(p[1] for p in parts)), *_degrees(parts)
    if op == "/" and name not in args[1].names():
        above, below, p, q = fraction(args[0], name)
        return Expr("/", (above, args[1])), below, p, q
    if op == "/":
        (a, b, p, q), (c, d, r, s) = (fraction(arg, name) for arg in args)
        return _times(d, a), _times(b, c), p + s, q + r
    if op == "**" and args[1].op == "number" and args[1].args[0].denominator == 1:
        return _power(args[0], int(args[1].args[0]), name)
    if op in ("T", "tr", "E", "sum"):
        inner, below, degree, least = fraction(args[0], name)
        if below != _ONE or least or any(name in arg.names() for arg in args[2:] if isinstance(arg, Expr)):
            raise NotRationalError
        return Expr(op, (inner, *args[1:])), _ONE, degree, 0
    raise NotRationalError


def _power(base: Expr, count: int, name: str) -> tuple[Expr, Expr, int, int]:
    if base.op == "norm" and count % 2 == 0 and base.args[1] in ("", "fro"):
        product = Expr("*", (Expr("T", (base.args[0],)), base.args[0]))
        return _power(product if shape(base.args[0]) != "matrix" else Expr("tr", (product,)), count // 2, name)
    a, b, p, q = fraction(base, name)
    exponent = number(abs(count))
    above, below = Expr("**", (a, exponent)), b if b == _ONE else Expr("**", (b, exponent))
    p, q = p * abs(count), q * abs(count)
    return (above, below, p, q) if count > 0 else (below, above, q, p)


def _added(parts: list[tuple[Expr, Expr, int, int]]) -> tuple[Expr, Expr, int, int]:
    terms, degree = [], 0
    for k, (above, _, p, _) in enumerate(parts):
        others = [other for m, other in enumerate(parts) if m != k]
        terms.append(_times(*(other[1] for other in others), above))
        degree = max(degree, p + sum(other[3] for other in others))
    return Expr("+", tuple(terms)), _times(*(part[1] for part in parts)), degree, sum(part[3] for part in parts)


def _times(*factors: Expr) -> Expr:
    kept = tuple(factor for factor in factors if factor != _ONE)
    return _ONE if not kept else kept[0] if len(kept) == 1 else Expr("*", kept)


def _degrees(parts: list[tuple[Expr, Expr, int, int]]) -> tuple[int, int]:
    return sum(part[2] for part in parts), sum(part[3] for part in parts)
