"""Expectations by symmetry: tokens that have one law with their negatives give E f(x) = E (f(x) + f(-x))/2.

The half sum may be a polynomial where f is none: 1/2 for a sigmoid, 0 for an odd function. E f has to exist: f is made
of polynomials, exponentials of what grows at most linearly, cosines, sines, error functions, and divisors that are sums
of positive terms, one of them a number or such an exponential; that has a mean under Gaussian laws and under LIGHT.
"""

from __future__ import annotations

from fractions import Fraction
from math import lcm
from typing import TYPE_CHECKING

import sympy as sp

from theorems.statement.expression import Expr, number
from theorems.statement.reading.shapes import shape

if TYPE_CHECKING:
    from theorems.statement.moments.scalars import Exact

#: Laws beside the Gaussian ones that are those of the negative tokens, and under which exp(c |x|) has a mean.
LIGHT = ("iid-signs", "iid-sphere", "iid-mixture", "frame", "frame-sphere")
BOUNDED = {"cos": sp.cos, "sin": sp.sin, "erf": sp.erf}


class _Unread(ValueError):
    """A function that is not of the kind above."""


def half_sum(node: Expr, exact: Exact) -> Expr | None:
    """(f(x) + f(-x))/2 where it is a polynomial in the tokens, though f is none; None for other functions and laws."""
    law = exact.law
    if law.moved or not (law.gaussian or law.kind in LIGHT) or not node.has(*BOUNDED, "exp", "/"):
        return None
    if node.op in ("sum", "/") and not any(arg.random for arg in node.args[1:] if isinstance(arg, Expr)):
        inner = half_sum(node.args[0], exact)
        return None if inner is None else Expr(node.op, (inner, *node.args[1:]), node.at)
    reader = _Reader(exact)
    try:
        value = reader.read(node)
        turned = value.xreplace({one: -one for one in reader.odd})
        above, below = sp.fraction(sp.cancel(sp.together(reader.by_powers(value + turned))))
        if below.free_symbols & reader.random or not above.is_polynomial(*reader.random):
            return None
        return reader.written(above / (2 * below))
    except (_Unread, sp.PolynomialError):
        return None


class _Reader:
    """Reads a function of tokens, its polynomial parts as names that are odd or even in them."""

    def __init__(self, exact: Exact) -> None:
        self.exact = exact
        self.names: dict[Expr, sp.Symbol] = {}
        self.odd: set[sp.Symbol] = set()
        self.random: set[sp.Symbol] = set()

    def read(self, node: Expr) -> sp.Expr:
        """The function in these names; _Unread where E of it may not exist."""
        op, args = node.op, node.args
        if op == "number":
            return sp.Rational(args[0].numerator, args[0].denominator)
        if not node.random:
            return self._named(node, 1)
        if op == "+":
            return sp.Add(*map(self.read, args))
        if op == "*":
            # u.T*W*x is one number
            numbers = [arg for arg in args if shape(arg) == "number"]
            rest = tuple(arg for arg in args if shape(arg) != "number")
            return sp.Mul(*map(self.read, numbers), *([self._part(Expr("*", rest))] if rest else []))
        if op == "/" and self._positive(args[1]):
            return self.read(args[0]) / self.read(args[1])
        if op == "**" and (power := _whole(args[1])) is not None:
            return self.read(args[0]) ** power
        if op == "exp" and self._growth(args[0]) <= 1:
            return sp.exp(self.read(args[0]))
        if op in BOUNDED:
            return BOUNDED[op](self.read(args[0]))
        return self._part(node)

    def by_powers(self, value: sp.Expr) -> sp.Expr:
        """The function with powers of names in the place of exponentials."""
        parts = {
            one: [term.as_coeff_Mul() for term in sp.Add.make_args(sp.expand(one.args[0]))]
            for one in value.atoms(sp.exp)
        }
        if any(not count.is_Rational for terms in parts.values() for count, _ in terms):
            raise _Unread
        roots: dict[sp.Expr, int] = {}
        for count, rest in (term for terms in parts.values() for term in terms):
            roots[rest] = lcm(roots.get(rest, 1), int(count.q))
        named = {rest: sp.Dummy(positive=True) for rest in roots}
        self.random |= set(named.values())
        return value.xreplace(
            {
                one: sp.Mul(*(named[rest] ** (count * roots[rest]) for count, rest in terms))
                for one, terms in parts.items()
            }
        )

    def written(self, value: sp.Expr) -> Expr:
        """A polynomial in the names as an expression; _Unread for what is none."""
        back = {label: node for node, label in self.names.items()}
        if value in back:
            return back[value]
        if value.is_Rational:
            return number(Fraction(int(value.p), int(value.q)))
        if value.is_Pow and value.exp.is_Integer:
            return Expr("**", (self.written(value.base), number(int(value.exp))))
        if value.is_Add or value.is_Mul:
            return Expr("+" if value.is_Add else "*", tuple(map(self.written, value.args)))
        raise _Unread

    def _part(self, node: Expr) -> sp.Symbol:
        found = _homogeneous(node)
        if found is None or shape(node) != "number":
            raise _Unread
        return self._named(node, found[1])

    def _named(self, node: Expr, sign: int) -> sp.Symbol:
        if node not in self.names:
            self.names[node] = sp.Dummy(real=True)
            if node.random:
                self.random.add(self.names[node])
            if sign < 0:
                self.odd.add(self.names[node])
        return self.names[node]

    def _growth(self, node: Expr) -> float:
        """A power of |x| that a number grows by at most."""
        if node.op == "+":
            return max(map(self._growth, node.args))
        found = _homogeneous(node)
        return float("inf") if found is None else found[0]

    def _positive(self, node: Expr) -> bool:
        """Whether a number is at least a positive number or an exponential of what grows linearly."""
        op, args = node.op, node.args
        if op == "name":
            return args[0] in self.exact.known.ranges and self.exact.known.ranges[args[0]].sign == 1
        if op == "+":
            found = [self._positive(arg) for arg in args]
            return any(found) and all(one or _square(arg) for one, arg in zip(found, args, strict=True))
        if op in ("*", "/"):
            return all(map(self._positive, args))
        if op == "**":
            return _whole(args[1]) is not None and self._positive(args[0])
        return (op == "number" and args[0] > 0) or (op == "exp" and self._growth(args[0]) <= 1)


def _whole(exponent: Expr) -> int | None:
    good = exponent.op == "number" and exponent.args[0].denominator == 1 and exponent.args[0] >= 0
    return int(exponent.args[0]) if good else None


def _square(node: Expr) -> bool:
    return node.op == "**" and (power := _whole(node.args[1])) is not None and power % 2 == 0


def _homogeneous(node: Expr) -> tuple[int, int] | None:
    """The degree of a homogeneous function of the tokens, and its sign where all of them are turned."""
    op, args = node.op, node.args
    if not node.random:
        return 0, 1
    if op in ("token", "mean"):
        return 1, -1
    if op in ("T", "tr") or (op == "sum" and not any(end.random for end in args[2:])):
        return _homogeneous(args[0])
    if op == "norm":
        return None if (found := _homogeneous(args[0])) is None else (found[0], 1)
    if op == "/":
        return None if args[1].random else _homogeneous(args[0])
    if op == "**":
        power, found = _whole(args[1]), _homogeneous(args[0])
        return None if power is None or found is None else (power * found[0], found[1] ** power)
    if op not in ("+", "*"):
        return None
    several = [_homogeneous(arg) for arg in args]
    known = [one for one in several if one is not None]
    if len(known) < len(several) or (op == "+" and len(set(known)) > 1):
        return None
    return known[0] if op == "+" else (sum(n for n, _ in known), -1 if sum(s < 0 for _, s in known) % 2 else 1)
