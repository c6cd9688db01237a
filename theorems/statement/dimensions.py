"""Inequalities up to o(g) as d -> oo, of vectors that may change with d: disproved along vectors d^p a in R^d.

Along such vectors a value is one of d alone, and of F(d, q) = E exp(A) for a linear form A of variance q in a token
on the sphere: as |A| <= sqrt(d q), 1 <= F <= exp(sqrt(d q)). What is at least a sum of terms c d^r exp(s), s a sum of
powers of d, tends to oo or stays above 0 where the leading term says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import sympy as sp

from theorems.algebra.expressions import symbol
from theorems.algebra.spherical import SphereCos, SphereExp
from theorems.statement.cases import Case, admissible
from theorems.statement.decide import Decision, Derivation, Part
from theorems.statement.proposition import Proposition
from theorems.statement.scalars import sympy_of
from theorems.statement.sequences import DIRECTIONS, POWERS, Path

D = sp.Symbol("d", positive=True)
#: Dimensions at which a path is asked whether it satisfies the hypotheses.
FAR_OUT = (2, 4, 9)


def moves(prop: Proposition) -> bool:
    """Whether d tends to oo, and vectors of R^d change with it."""
    return prop.limit.variable == "d" and bool(prop.known.vectors) and prop.error is not None


def decided(prop: Proposition, derivation: Derivation) -> tuple[Decision, Path | None]:
    """Open with a path that disproves left <= right + o(g), or undecided."""
    if prop.relation not in ("<=", ">=") or not prop.known.identity:
        reason = "of vectors that change with d only inequalities for Sigma = I are looked at"
        return Decision("undecided", "", reason=reason), None
    assert prop.error is not None
    kind, scale = prop.error
    for order, path in product(derivation.orders, paths(prop)):
        left, right = (derivation.value(order, side) for side in (prop.left, prop.right))
        gap = (left - right if prop.relation == "<=" else right - left) / sp.Abs(sympy_of(scale))
        least = lowest(along(gap, path))
        goes = None if least is None else leading(least)
        if goes is not None and goes > 0 and (kind == "o" or goes is sp.oo):
            words = (
                f"along {path} with t = d the left side exceeds the right one by at least {least}, that tends to {goes}"
            )
            part = Part(str(path), left, right, False, order)
            return Decision("open", "a lower bound along vectors that grow with d", [part], words), path
    reason = "no vectors that grow with d disprove it, and no rule proves it for all"
    return Decision("undecided", "", reason=reason), None


def paths(prop: Proposition) -> Iterator[Path]:
    """Vectors d^p a that satisfy the hypotheses, far out."""
    names = sorted(prop.known.vectors)
    ways = product(POWERS, ((1, 0), (0, 0), *DIRECTIONS[1:]))
    for chosen in product(list(ways), repeat=len(names)):
        path = Path(dict(zip(names, chosen, strict=True)))
        if all(not admissible(prop, _case(prop, path, d)) for d in FAR_OUT):
            yield path


def fixed(prop: Proposition) -> dict[str, Fraction]:
    """The numbers that stay as they are: the simplest that the hypotheses allow."""
    taken = {*prop.known.vectors, *prop.positions, "d"}
    return {one: numbers_of(prop, one) for one in prop.parameters if one not in taken}


def numbers_of(prop: Proposition, label: str) -> Fraction:
    """The simplest number of a name's range."""
    values = prop.known.ranges.get(label)
    return Fraction(1) if values is None or values.holds(Fraction(1)) else (values.low or Fraction(0)) + 1


def _case(prop: Proposition, path: Path, d: int) -> Case:
    one = tuple(tuple(Fraction(int(r == c)) for c in range(d)) for r in range(d))
    vectors = {
        name: (*map(Fraction, entries), *(Fraction(0),) * (d - len(entries)))
        for name, entries in path.at(Fraction(d)).items()
    }
    return Case(
        {"d": Fraction(d), **dict.fromkeys(prop.positions, Fraction(2)), **fixed(prop)}, {"Sigma": one}, vectors
    )


def along(value: sp.Expr, path: Path) -> sp.Expr:
    """A value with the vectors of a path for its own, as one of d."""
    table: dict[sp.Expr, sp.Expr] = {symbol("d"): D}
    for free in value.free_symbols:
        ends = free.name.split(".T*")
        if len(ends) == 2 and set(ends) <= set(path.vectors):
            power, size = path.inner(*ends)
            table[free] = sp.Rational(size.numerator, size.denominator) * D**power
    return value.xreplace(table)


def lowest(value: sp.Expr) -> sp.Expr | None:
    """A lower bound of a value that is linear in one F(d, q) > 0: by 1 <= F, or by F <= exp(sqrt(d q))."""
    waves = list(value.atoms(SphereExp, SphereCos))
    if value.free_symbols - {D} or len(waves) > 1:
        return None
    if not waves:
        return value
    (one,) = waves
    own = sp.Dummy()
    form = sp.expand(value.xreplace({one: own}))
    rest, slope = form.coeff(own, 0), form.coeff(own, 1)
    if isinstance(one, SphereCos) or sp.expand(form - rest - slope * own) != 0:
        return None
    if slope.is_nonnegative:
        return rest + slope
    return rest + slope * sp.exp(sp.sqrt(sp.expand(one.args[0] * one.args[1]))) if slope.is_nonpositive else None


def leading(value: sp.Expr) -> sp.Expr | None:
    """The limit of a sum of terms c d^r exp(s): 0 where s -> -oo; None where it is not seen."""
    powers: dict[sp.Expr, sp.Expr] = {}
    for term in sp.Add.make_args(sp.expand(sp.powsimp(sp.expand(value)))):
        exponent = sp.Integer(0)
        plain = sp.Integer(1)
        for factor in sp.Mul.make_args(term):
            if isinstance(factor, sp.exp):
                exponent += factor.args[0]
            else:
                plain *= factor
        goes = _power(sp.expand(exponent))
        if goes is None:
            return None
        if goes[0] > 0:
            if goes[1] > 0:
                return None
            continue
        size, r = plain.as_coeff_exponent(D)
        if size.free_symbols or exponent != 0 or not r.is_Rational:
            return None
        powers[r] = powers.get(r, sp.Integer(0)) + size
    kept = {r: size for r, size in powers.items() if size != 0}
    most = max(kept, default=sp.Integer(-1))
    if most < 0:
        return sp.Integer(0)
    return kept[most] if most == 0 else sp.oo * sp.sign(kept[most])


def _power(value: sp.Expr) -> tuple[sp.Rational, sp.Expr] | None:
    """The leading power of d in a sum of powers, and its coefficient."""
    found: dict[sp.Rational, sp.Expr] = {}
    for term in sp.Add.make_args(value):
        size, r = term.as_coeff_exponent(D)
        if size.free_symbols or not r.is_Rational:
            return None
        found[r] = found.get(r, sp.Integer(0)) + size
    kept = {r: size for r, size in found.items() if size != 0}
    most = max(kept, default=sp.Integer(0))
    return most, kept.get(most, sp.Integer(0))
