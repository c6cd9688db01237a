"""Sharp upper bounds in one name of (0, 1) and a positive scale: from which value of the name on a print holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import sympy as sp

from theorems.algebra.balls import sign
from theorems.algebra.closed import names, vanishes
from theorems.algebra.expressions import symbol
from theorems.claims.conditions import read
from theorems.kernel.derivation import Inequality


@dataclass(frozen=True)
class Threshold(Inequality):
    """quantity <= upper, an equality at ``attained``; ``variable`` runs over (0, 1), all other names are positive.

    A print that differs from ``upper`` by ``scale``, a monomial in the other names, times a function of the variable is
    decided for every value of all names: where that function is not negative. ``instances`` gives exact JSON-able
    cases at ``attained`` for a value of the variable.
    """

    variable: str
    scale: sp.Expr
    attained: Mapping[str, sp.Expr]
    instances: Callable[[Fraction], tuple[dict[str, Any], ...]] | None = None

    @property
    def needs(self) -> tuple[str, ...]:
        """The variable is below 1, and all names are positive."""
        return (f"{self.variable} < 1", *(f"{name} > 0" for name in sorted(self._positive)))

    @property
    def _positive(self) -> frozenset[str]:
        return names(self.upper) | names(self.quantity) | names(self.scale) | {self.variable}

    @property
    def sharp(self) -> bool:
        """Whether quantity = upper at ``attained``, for every value of the other names."""
        table = {symbol(name): value for name, value in self.attained.items()}
        return vanishes((self.quantity - self.upper).xreplace(table))

    def excess(self, printed: sp.Expr) -> sp.Expr | None:
        """The function of the variable with printed - upper = scale * function; None where there is none."""
        variable, gap = symbol(self.variable), printed - self.upper
        ones = {s: sp.Integer(1) for s in gap.free_symbols | self.scale.free_symbols if s != variable}
        function = gap.xreplace(ones)
        monomial = self.variable not in names(self.scale) and all(
            part.is_Symbol or (part.is_Pow and part.base.is_Symbol and part.exp.is_Rational)
            for part in sp.Mul.make_args(self.scale)
        )
        if not monomial or not vanishes(gap - self.scale * function):
            return None
        return sp.Integer(0) if vanishes(function) else function

    def signs(self, printed: sp.Expr) -> list[tuple[sp.Expr, sp.Expr, int | None]] | None:
        """The sign of printed - upper from each crossing to the next, (low, high, sign); None where there is none."""
        function = self.excess(printed)
        found = None if function is None else crossings(function, self.variable)
        if function is None or found is None:
            return None
        ends = pairwise([sp.Integer(0), *found, sp.Integer(1)])
        return [(low, high, sign(function, {self.variable: between(low, high)})) for low, high in ends]

    def least(self, printed: sp.Expr) -> sp.Expr | None:
        """The least value of the variable from which the print is not below ``upper``, in [0, 1].

        At 0 the print holds on all of (0, 1). None where the print is not decided, or holds on no interval up to 1 and
        nowhere else.
        """
        if self.excess(printed) == 0:
            return sp.Integer(0)
        pieces = self.signs(printed)
        if pieces is None:
            return None
        signs = [s for _, _, s in pieces]
        if None in signs or 0 in signs or signs != sorted(signs, key=lambda s: s or 0):
            return None
        return [sp.Integer(0), *(high for _, high, _ in pieces)][signs.count(-1)]

    def holds(self, printed: sp.Expr, conditions: tuple[str, ...]) -> bool:
        """Whether the print is shown not to be below ``upper`` wherever the conditions on the variable hold.

        Products of positive names, with positive coefficients, that the print has beside ``upper`` are left out.
        """
        if self.excess(printed) is None:
            terms = sp.Add.make_args(sp.expand(printed - self.upper))
            printed -= sp.Add(*(term for term in terms if self._extra(term)))
        start = self.least(printed)
        return start is not None and start != 1 and bool(start <= lowest(self.variable, conditions))

    def _extra(self, term: sp.Expr) -> bool:
        """Whether a term is visibly positive, a monomial in the bound's names, and no scale times a function."""
        coefficient, rest = term.as_coeff_mul()
        powers = [part.as_base_exp() for part in rest]
        plain = (
            all(base.is_Symbol and exponent.is_Rational for base, exponent in powers) and names(term) <= self._positive
        )
        return bool(coefficient > 0) and plain and not names(term / self.scale) <= {self.variable}

    def violated(self, printed: sp.Expr, conditions: tuple[str, ...]) -> tuple[dict[str, Any], ...]:
        """Exact cases at ``attained``, with the conditions on the variable, where the print is below ``upper``."""
        if self.instances is None or not self.sharp:
            return ()
        low, high = lowest(self.variable, conditions), highest(self.variable, conditions)
        found: list[dict[str, Any]] = []
        for start, end, side in self.signs(printed) or ():
            inside = sp.Max(start, low), sp.Min(end, high)
            if side == -1 and inside[0] < inside[1]:
                found += self.instances(between(*inside))
        return tuple(found)

    def exact(self, printed: sp.Expr) -> sp.Expr | None:
        """The least value where ``upper`` is attained, so that below it the print fails; None where it is not shown."""
        start = self.least(printed)
        return start if start != 1 and self.sharp else None

    def told(self, printed: sp.Expr) -> list[str]:
        """Where the print holds for all values of the other names, as a line of evidence."""
        start = self.exact(printed)
        if start is None:
            return []
        where = f"everywhere on 0 < {self.variable} < 1" if start == 0 else f"exactly for {self.variable} >= {start}"
        number = "" if start == 0 or start.is_Rational else f" = {sp.N(start, 8)}"
        return [f"upper: for all values of the other names it holds {where}{number}"]


def lowest(variable: str, conditions: tuple[str, ...]) -> sp.Rational:
    """The largest rational that the conditions "lam >= 2/3" put below the variable; 0 where there is none."""
    return max((end for end, side in _ends(variable, conditions) if side == 1), default=sp.Integer(0))


def highest(variable: str, conditions: tuple[str, ...]) -> sp.Rational:
    """The least rational that the conditions put above the variable; 1 where there is none below it."""
    return min((sp.Integer(1), *(end for end, side in _ends(variable, conditions) if side == -1)))


def _ends(variable: str, conditions: tuple[str, ...]) -> Iterator[tuple[sp.Rational, int]]:
    """What linear conditions on the variable put below it, with 1, and above it, with -1."""
    name = symbol(variable)
    for condition in conditions:
        gap, allowed = read(condition)
        if names(gap) != {variable} or not gap.is_polynomial(name) or sp.degree(gap, name) != 1:
            continue
        slope, rest = sp.Poly(gap, name).all_coeffs()
        for side in (1, -1):
            if set(allowed) <= {0, side * sp.sign(slope)} and allowed != (0,):
                yield -rest / slope, side


def crossings(function: sp.Expr, variable: str) -> list[sp.Expr] | None:
    """Every place in (0, 1) where a function A + B sqrt(Q) may change its sign, exact algebraic numbers in order.

    A, B and Q are rational in the variable. These are roots of A^2 - B^2 Q; None for other functions, and for ones
    that have a pole in (0, 1), or where Q is not shown positive there.
    """
    x = symbol(variable)
    roots = {
        node for node in sp.preorder_traversal(function) if node.is_Pow and not node.exp.is_Integer and node.has(x)
    }
    radicands = {node.base for node in roots}
    plain = names(function) <= {variable} and len(radicands) < 2 and all(node.exp.q == 2 for node in roots)
    if not plain:
        return None
    r, Q = sp.Dummy("r"), radicands.pop() if radicands else sp.Integer(1)
    form = sp.together(function.xreplace({node: r**node.exp.p for node in roots}))
    numerator, denominator = sp.fraction(form)
    if not numerator.is_polynomial(x, r) or not denominator.is_polynomial(x, r):
        return None
    places: set[sp.Expr] = set()
    for part, may_vanish in ((numerator, True), (denominator, False), (Q, False)):
        norm = sp.fraction(sp.cancel(sp.resultant(part, r**2 - Q, r) if part.has(r) else part))
        inside = [root for polynomial in norm for root in _inside(polynomial, x)]
        if inside and not may_vanish:
            return None
        places |= set(inside)
    return sorted(places)


def _inside(polynomial: sp.Expr, x: sp.Symbol) -> list[sp.Expr]:
    """The real roots in (0, 1)."""
    if not polynomial.has(x):
        return []
    factors = [factor for factor, _ in sp.Poly(polynomial, x).factor_list()[1]]
    # made one by one, so that sympy keeps the name of x in what it writes
    roots = [sp.rootof(factor.as_expr(), k) for factor in factors for k in range(factor.count_roots())]
    return [root for root in roots if 0 < root < 1]


def between(low: sp.Expr, high: sp.Expr) -> Fraction:
    """A rational strictly between two numbers of [0, 1], low < high."""
    digits = 8
    while True:
        value = Fraction(str(sp.N((low + high) / 2, digits)))
        exact = sp.Rational(value.numerator, value.denominator)
        if low < exact < high:
            return value
        digits *= 2
