"""Moments of a Gaussian token's homogeneous functions times powers of its length: E h(x) |x|^p.

Let x ~ N(0, c I), and h(t x) = t^K h(x). With a > 0, E h(x) exp(-a |x|^2) is (1 + 2 a c)^(-(d + K)/2) E h(x), as the
density times exp(-a |x|^2) is that of a shorter token, up to its mass. Integrated over a with weight
a^(s - 1)/Gamma(s), which gives |x|^(-2s) on the left and a Beta integral on the right,

    E h(x) |x|^p = E h(x) (2c)^(p/2) Gamma((d + K + p)/2)/Gamma((d + K)/2),   d + K + p > 0,

for p = -2s < 0, and for p > 0 by the same formula read from h |x|^p to h.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import sympy as sp

from theorems.algebra.expressions import symbol
from theorems.statement.expression import Expr, number
from theorems.statement.moments.forms import NotPolynomialError
from theorems.statement.moments.normal import nonnegative
from theorems.statement.reading.shapes import shape

if TYPE_CHECKING:
    from theorems.statement.moments.scalars import Exact

Pairs = list[tuple[Expr, Expr]]


def scaled(node: Expr, exact: Exact) -> sp.Expr | None:
    """E of a homogeneous function of one token times a power of its length that is no polynomial; None for others."""
    factors = _factors(node, number(1))
    lengths = [pair for pair in factors if _length(pair[0])]
    rest = [pair for pair in factors if pair not in lengths]
    if not lengths or not any(base.random for base, _ in rest):
        return None
    if all((one := exact.value(power)).is_Integer and one >= 0 and one % 2 == 0 for _, power in lengths):
        return None
    if node.has("sum", "mean"):
        raise NotPolynomialError(f"E[{node}] is derived of one token, not of sums", at=node.at)
    places = {exact.place(part.args[0]) for base, _ in factors for part in base.walk() if part.op == "token"}
    law = exact.law
    if len(places) != 1 or not (law.gaussian and exact.known.identity) or law.moved:
        raise NotPolynomialError(f"E[{node}] is derived of one Gaussian token with Sigma = I alone", at=node.at)
    p, d = sp.Add(*(exact.value(power) for _, power in lengths)), exact.value(Expr("name", ("d",)))
    K = sp.Add(*(_degree(base, exact) * exact.value(power) for base, power in rest))
    if not _at_least_0(sp.expand(K + p), exact):
        raise NotPolynomialError(f"E[{node}] is not shown to exist: a power of the length is left below", at=node.at)
    h = Expr("*", tuple(Expr("**", pair) if pair[1] != number(1) else pair[0] for pair in rest))
    square = exact.expectation(Expr("**", (lengths[0][0], number(2)))) / d
    scale = (2 * sp.cancel(square)) ** (p / 2)
    return exact.expectation(h) * scale * sp.gamma((d + sp.expand(K + p)) / 2) / sp.gamma((d + K) / 2)


def _factors(node: Expr, power: Expr) -> Pairs:
    """The bases of a product with their exponents; a whole power of a product is that of its factors."""
    if node.op == "*":
        # u.T*W*v is one number
        numbers = [arg for arg in node if shape(arg) == "number"]
        rest = tuple(arg for arg in node if shape(arg) != "number")
        return [pair for arg in numbers for pair in _factors(arg, power)] + [(Expr("*", rest), power)] * bool(rest)
    if node.op == "/":
        turned = Expr("*", (number(-1), power))
        return [*_factors(node.args[0], power), *_factors(node.args[1], turned)]
    if node.op == "**" and (_length(node.args[0]) or _whole(power)):
        return _factors(node.args[0], Expr("*", (node.args[1], power)) if power != number(1) else node.args[1])
    return [(node, power)]


def _whole(power: Expr) -> bool:
    return power.op == "number" and power.args[0].denominator == 1


def _length(node: Expr) -> bool:
    """Whether a node is the length of a token."""
    return node.op == "norm" and node.args[0].op == "token"


def _degree(node: Expr, exact: Exact) -> sp.Expr:
    """K of a homogeneous function; NotPolynomialError where it is not seen to be one."""
    op, args = node.op, node.args
    if not node.random:
        return sp.Integer(0)
    if op in ("token", "norm"):
        return sp.Integer(1) if op == "token" else _degree(args[0], exact)
    if op == "T":
        return _degree(args[0], exact)
    if op == "*":
        return sp.Add(*(_degree(arg, exact) for arg in node))
    if op == "/" and not args[1].random:
        return _degree(args[0], exact)
    if op == "**" and not args[1].random:
        return sp.expand(_degree(args[0], exact) * exact.value(args[1]))
    degrees = {_degree(arg, exact) for arg in node} if op == "+" and all(arg.random for arg in node) else set()
    if len(degrees) == 1:
        return degrees.pop()
    raise NotPolynomialError(f"{node} is not seen to be homogeneous in the token", at=node.at)


def _at_least_0(value: sp.Expr, exact: Exact) -> bool:
    """Whether a value is >= 0, by what is known of the names in it."""
    known = {symbol(name): values.low for name, values in exact.known.ranges.items() if values.low is not None}
    over = {one: sp.Rational(str(low)) + sp.Dummy() for one, low in known.items() if low >= Fraction(0)}
    return nonnegative(value, {one: form for one, form in over.items() if one in value.free_symbols})
