"""The signs that a smooth function of one variable takes from one end of an interval to the other, by its derivatives.

A function with the slope's signs (+), (-), (+, -) or (-, +) is monotone, or rises and falls once, so that its values at
the ends, or its limits there, settle its own signs. Before it is differentiated a function may be divided by one of its
exponentials, which are positive: so terms p exp(q) lose degrees of p until one is left (Rolle).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import sympy as sp

from theorems.statement.work import Work

End = Fraction | None
Signs = tuple[int, ...]
#: Deepest derivatives, most operations of a function, exponentials by which division is tried, and by which it is done.
DEPTH, SIZE, MOST, WAYS = 10, 250, 5, 2


class Patterns:
    """Signs of functions of ``x`` on (low, high); ``at`` is the certified sign at a point, or None."""

    def __init__(self, x: sp.Symbol, low: End, high: End, at: Callable[[sp.Expr, Fraction], int | None], work: Work):
        self.x, self.ends, self.at, self.work = x, (low, high), at, work
        self._kept: dict[sp.Expr, Signs | None] = {}

    def of(self, h: sp.Expr, depth: int = 0) -> Signs | None:
        """The signs in their order, isolated zeros left out, (0,) for 0; None where they are not found."""
        h = _expanded(h)
        if h not in self._kept:
            self._kept[h] = None
            self._kept[h] = self._found(h, depth)
        return self._kept[h]

    def positive(self, h: sp.Expr, strict: bool) -> bool:
        """Whether a function is >= 0, or > 0: a polynomial times one exponential alone has isolated zeros left out."""
        signs = self.of(h)
        exponent, *others = _exponents(_expanded(h))
        rest = _expanded(h * sp.exp(-exponent))
        if strict and not others and rest.is_polynomial(self.x):
            even = (one.as_expr() for one, count in sp.Poly(rest, self.x).sqf_list()[1] if count % 2 == 0)
            return signs == (1,) and all(self.of(one, 1) in ((1,), (-1,)) for one in even)
        return signs == (1,) or (signs == (0,) and not strict)

    def _found(self, h: sp.Expr, depth: int) -> Signs | None:
        if not h.has(self.x):
            sign = self.at(h, Fraction(0))
            return None if sign is None else (sign,)
        if depth > DEPTH or (size := h.count_ops()) > SIZE or not self.work.spend(5 + size / 4):
            return None
        if h.is_polynomial(self.x) and all(one.is_Rational for one in sp.Poly(h, self.x).coeffs()):
            return self._of_polynomial(sp.Poly(h, self.x, domain="QQ"))
        exponents = _exponents(h)
        if len(exponents) == 1 and exponents[0].has(self.x):
            # one exponential times the rest
            return self.of(h * sp.exp(-exponents[0]), depth)
        ways = list[tuple[int, int, int, sp.Expr, sp.Expr]]()
        for one in exponents[:MOST]:
            way = _expanded(h * sp.exp(-one))
            slope = _expanded(sp.diff(way, self.x))
            ways.append((len(_exponents(slope)), slope.count_ops(), len(ways), way, slope))
        for *_, way, slope in sorted(ways, key=lambda one: one[:3])[:WAYS]:
            ends = [self._end(way, k) for k in (0, 1)]
            signs = None if None in ends else self.of(slope, depth + 1)
            found = None if signs is None else _with_ends(signs, *ends)
            if found is not None:
                return found
        return None

    def _of_polynomial(self, h: sp.Poly) -> Signs:
        """The signs of a polynomial with rational coefficients, by its roots of odd multiplicity."""
        odd = sp.Poly(sp.Mul(*(one.as_expr() for one, count in h.sqf_list()[1] if count % 2)), self.x, domain="QQ")
        ends = [None if end is None else sp.Rational(end.numerator, end.denominator) for end in self.ends]
        inside = odd.count_roots(*ends) - sum(end is not None and odd.eval(end) == 0 for end in ends)
        # beyond the last root it has the sign of its leading coefficient, at the last end that it has there
        above = 0 if ends[1] is None else odd.count_roots(ends[1], None) - (odd.eval(ends[1]) == 0)
        touching = 0 if ends[1] is None else int(odd.eval(ends[1]) == 0)
        last = int(sp.sign(h.LC())) * (-1) ** (above + touching)
        return tuple(last * (-1) ** (inside - k) for k in range(inside + 1))

    def _end(self, h: sp.Expr, k: int) -> int | None:
        """The sign of a function at an end; of its limit where that is infinity."""
        end = self.ends[k]
        if end is not None:
            return self.at(h, end)
        found = limit(h, self.x, (-1, 1)[k])
        if found is None or found.has(sp.nan, sp.zoo):
            return None
        if found in (sp.oo, -sp.oo):
            return 1 if found == sp.oo else -1
        return self.at(found, Fraction(0))


def _with_ends(slope: Signs, first: int | None, last: int | None) -> Signs | None:
    """The signs of a function by those of its slope and its signs at the ends."""
    if first is None or last is None:
        return None
    if slope == (0,):
        return (first,)
    if len(slope) == 1:
        # strictly monotone: 0 at an end is none inside
        before, after = (first or slope[0], last or -slope[0])
        return (before,) if before == after else (before, after)
    if len(slope) == 2:
        way = slope[0]
        # it rises and falls (way = 1): above both ends' values
        if first * way >= 0:
            return (way,) if last * way >= 0 else (way, -way)
        return (-way, way) if last * way >= 0 else None
    return None


def limit(h: sp.Expr, x: sp.Symbol, way: int) -> sp.Expr | None:
    """The limit as x tends to oo (way 1) or -oo, which may be oo or -oo; None where it is not found.

    Error functions are 1 or -1 there up to what falls as exp(-z^2), so that powers of x beside them do not matter.
    """
    groups: dict[sp.Expr, sp.Expr] = {}
    for term in sp.Add.make_args(_expanded(h)):
        # exp(x + 1) and exp(x) grow alike
        constant, exponent = _exponent(term).as_independent(x, as_Add=True)
        rest = sp.exp(constant)
        for factor in sp.Mul.make_args(term):
            base, count = factor.as_base_exp()
            if base.func is sp.erf:
                inner = limit(base.args[0], x, way)
                if inner not in (sp.oo, -sp.oo) or not base.args[0].is_polynomial(x) or _tends(exponent, x, way) > 0:
                    return None
                factor = sp.sign(inner) ** count
            rest *= sp.Integer(1) if factor.func is sp.exp else factor
        if not rest.is_rational_function(x) or not exponent.is_polynomial(x):
            return None
        groups[exponent] = groups.get(exponent, sp.Integer(0)) + rest
    left = {exponent: value for exponent, rest in groups.items() if (value := sp.cancel(sp.together(rest))) != 0}
    found = sp.Integer(0)
    while left:
        exponent = max(left, key=lambda one: sum(_tends(one - other, x, way) for other in left))
        grows, rest = _tends(exponent, x, way), left.pop(exponent)
        if grows < 0:
            return found
        above, below = (sp.Poly(part, x) for part in sp.fraction(rest))
        degree = above.degree() - below.degree()
        lead = sp.sign(above.LC() / below.LC() * sp.Integer(way) ** degree)
        if lead not in (1, -1):
            return None
        if grows > 0 or degree > 0:
            return sp.oo * lead
        if degree == 0:
            found += above.LC() / below.LC() * sp.exp(exponent)
    return found


def _tends(exponent: sp.Expr, x: sp.Symbol, way: int) -> int:
    """1 or -1 where a polynomial tends to oo or -oo, 0 where it is constant."""
    if not exponent.has(x):
        return 0
    polynomial = sp.Poly(exponent, x)
    return int(sp.sign(polynomial.LC() * sp.Integer(way) ** polynomial.degree()))


def _expanded(h: sp.Expr) -> sp.Expr:
    """Sums multiplied out, with one exponential in each term."""
    found = sp.expand(sp.powsimp(sp.expand(h), combine="exp"), power_exp=False, log=False)
    return sp.Add(*(sp.powsimp(term, combine="exp") for term in sp.Add.make_args(found)))


def _exponents(h: sp.Expr) -> list[sp.Expr]:
    """The exponents of the terms of a sum, each once."""
    return list(dict.fromkeys(_exponent(term) for term in sp.Add.make_args(h)))


def _exponent(term: sp.Expr) -> sp.Expr:
    """What stands in the exponentials of a product."""
    return sp.expand(sp.Add(*(one.args[0] for one in sp.Mul.make_args(term) if one.func is sp.exp)))
