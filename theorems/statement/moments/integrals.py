"""Integrals integral(f, t, low, high): enclosed at a case, and of powers of cos t and sin t in closed form.

For whole a, b >= 0 Euler's Beta integral, with u = cos(t)^2, is
    int_0^(pi/2) cos(t)^a sin(t)^b dt = Gamma((a + 1)/2) Gamma((b + 1)/2)/(2 Gamma((a + b)/2 + 1));
over 0 <= t <= pi it is twice that for even a, and 0 for odd a, as cos(pi - t) = -cos(t).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import reduce
from operator import add, mul, truediv
from typing import TYPE_CHECKING

import flint
import sympy as sp

from theorems.statement.expression import Expr, name
from theorems.statement.moments.forms import NotPolynomialError
from theorems.statement.moments.powers import rising, whole
from theorems.statement.values.arithmetic import Number, UndefinedError, ball, unknown

if TYPE_CHECKING:
    from theorems.statement.moments.scalars import Exact
    from theorems.statement.reading.hypotheses import Hypotheses
    from theorems.statement.values.values import Reader

#: The function under an integral in the complex plane, and whether it has to be analytic where it is asked.
Integrand = Callable[[flint.acb, bool], flint.acb]
_FUNCTIONS = {"exp": flint.acb.exp, "cos": flint.acb.cos, "sin": flint.acb.sin}
_CUT: dict[str, Callable[..., flint.acb]] = {"sqrt": flint.acb.sqrt, "log": flint.acb.log, "**": flint.acb.pow}
_ARITHMETIC = {"+": add, "*": mul, "/": truediv}


def closed(node: Expr, exact: Exact) -> sp.Expr:
    """The value of an integral of powers of cos and sin over [0, pi] or [0, pi/2]; NotPolynomialError for any other."""
    body, index, low, high = node.args
    ends = exact.value(low), exact.value(high)
    factor, powers = sp.Integer(1), {"cos": sp.Integer(0), "sin": sp.Integer(0)}
    for one, exponent in _factors(body):
        if index not in one.names() | exponent.names():
            factor *= exact.value(one) ** exact.value(exponent)
        elif one.op in powers and one.args[0] == name(index) and index not in exponent.names():
            powers[one.op] += exact.value(exponent)
        else:
            raise NotPolynomialError(f"{node}: integrals of powers of cos({index}) and sin({index}) have a closed form")
    a, b = powers["cos"], powers["sin"]
    if ends[0] != 0 or ends[1] not in (sp.pi, sp.pi / 2):
        raise NotPolynomialError(f"{node} has a closed form from 0 to pi, or to pi/2", at=node.at)
    if not (whole(a, exact.known) and whole(b, exact.known)):
        raise NotPolynomialError(f"{node}: the exponents are not shown to be whole numbers >= 0", at=node.at)
    if ends[1] == sp.pi and whole((a - 1) / 2, exact.known):
        return sp.Integer(0)
    if ends[1] == sp.pi and not whole(a / 2, exact.known):
        raise NotPolynomialError(f"{node}: whether {a} is even or odd is not known", at=node.at)
    above = [_gamma((power + 1) / 2, exact.known) for power in (a, b)]
    half = sp.Rational(1, 1 if ends[1] == sp.pi else 2)
    return half * factor * sp.Mul(*above) / _gamma((a + b) / 2 + 1, exact.known)


def _factors(node: Expr) -> list[tuple[Expr, Expr]]:
    """The bases of a product with their exponents."""
    one = Expr("number", (Fraction(1),))
    if node.op == "*":
        return [pair for arg in node.args for pair in _factors(arg)]
    if node.op == "/":
        return [*_factors(node.args[0]), (node.args[1], Expr("number", (Fraction(-1),)))]
    return [node.args] if node.op == "**" else [(node, one)]


def _gamma(value: sp.Expr, known: Hypotheses) -> sp.Expr:
    """Gamma(a + n) = Gamma(a) a (a + 1) ... (a + n - 1), with all of n that is a whole number >= 0 by its names."""
    terms = sp.Add.make_args(sp.expand(value))
    count = sp.Add(*(term for term in terms if term.free_symbols and whole(term, known)))
    return sp.gamma(value - count) * rising(value - count, count, known) if count != 0 else sp.gamma(value)


def enclosed(node: Expr, reader: Reader) -> Number:
    """A ball that holds the integral at a case; a function that is not analytic near the interval leaves it open."""
    body, index, low, high = node.args
    first, last = (ball(reader.number(end)) for end in (low, high))
    held = {one: reader.number(one) for one in _apart(body, index)}
    found = flint.acb.integral(_complex(body, held), first, last)
    return found.real if found.is_finite() else unknown()


def _apart(node: Expr, index: str) -> list[Expr]:
    """The largest parts without the index."""
    if index not in node.names():
        return [node]
    return [part for arg in node for part in _apart(arg, index)]


def _complex(node: Expr, held: dict[Expr, Number]) -> Integrand:
    """The function of the index, and of whether it has to be analytic; its tree is read once, not at every point."""
    op, args = node.op, node.args
    if node in held:
        value = flint.acb(ball(held[node]))
        return lambda t, analytic: value
    if op == "name":
        return lambda t, analytic: t
    if op == "**" and isinstance(count := held.get(args[1]), Fraction) and count.denominator == 1:
        base, power = _complex(args[0], held), int(count)
        return lambda t, analytic: base(t, analytic) ** power
    parts = [_complex(arg, held) for arg in node]
    if op in _FUNCTIONS:
        function, (inner,) = _FUNCTIONS[op], parts
        return lambda t, analytic: function(inner(t, analytic))
    if op in _CUT:
        return lambda t, analytic: _beside_a_cut(_CUT[op], [part(t, analytic) for part in parts], analytic)
    if op in _ARITHMETIC:
        joined = _ARITHMETIC[op]
        return lambda t, analytic: reduce(joined, [part(t, analytic) for part in parts])
    raise UndefinedError(f"an integral of {node} has no value here; expected sums, products, powers, exp, cos, sin")


def _beside_a_cut(function: Callable[..., flint.acb], parts: Sequence[flint.acb], analytic: bool) -> flint.acb:
    """A function that is no real number left of 0; where it is analytic, the cut is not met."""
    return function(*parts, analytic=analytic) if analytic or parts[0].real >= 0 else flint.acb("nan")
