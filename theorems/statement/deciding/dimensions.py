"""Inequalities up to o(g) as d -> oo, of vectors that may change with d: disproved along vectors d^p a in R^d.

Along such vectors a value is one of d alone, and of F(d, q) = E exp(A) for a linear form A of variance q in a token
on the sphere: as |A| <= sqrt(d q), 1 <= F <= exp(sqrt(d q)). What is at least a sum of terms c d^r exp(s), s a sum of
powers of d, tends to oo or stays above 0 where the leading term says so.

Proved where the hypotheses bound q = |z|^2 by a number that does not change with d, by

    F(d, q) >= exp(q/2) (1 - q^2/(4 d)).

With w = q/2, F = sum_k w^k/k! prod_(j<k) 1/(1 + 2j/d). A product of 1/(1 + a_j), a_j >= 0, is at least 1 - sum_j a_j:
by induction, as (1 - s)/(1 + a) >= 1 - s - a for s <= 1, and beyond there is nothing to show. So F is at least
sum_k w^k/k! (1 - k (k - 1)/d) = exp(w) (1 - w^2/d).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import product

import sympy as sp

from theorems.algebra.expressions import symbol
from theorems.algebra.spherical import SphereCos, SphereExp
from theorems.statement.deciding.arcs import case_on
from theorems.statement.deciding.decide import Decision, Derivation, Part
from theorems.statement.deciding.sequences import DIRECTIONS, POWERS, Path
from theorems.statement.moments.scalars import sympy_of
from theorems.statement.proofs.steps import Step
from theorems.statement.proposition import Proposition
from theorems.statement.reading.places import Order
from theorems.statement.values.cases import Case, admissible

D = sp.Symbol("d", positive=True)
RULE = "a power series on the sphere, below by its first terms"
TRUSTED = "F = sum_k (q/2)^k/k! prod_(j<k) 1/(1 + 2j/d), and prod_j 1/(1 + a_j) >= 1 - sum_j a_j for a_j >= 0"
#: Dimensions at which a path is asked whether it satisfies the hypotheses.
FAR_OUT = (2, 4, 9)


def moves(prop: Proposition) -> bool:
    """Whether d tends to oo, and vectors of R^d change with it."""
    return prop.limit.variable == "d" and bool(prop.known.vectors) and prop.error is not None


def decided(prop: Proposition, derivation: Derivation) -> tuple[Decision, Path | None]:
    """Open with a path that disproves left <= right + o(g), proved by a bound of F, or undecided."""
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
            return Decision("open", "a lower bound along vectors that grow with d", [part], words, str(least)), path
    parts = [_proved(prop, derivation, order) for order in derivation.orders]
    shown = [part for part in parts if part is not None]
    if len(shown) == len(parts):
        # where z is 0 there is nothing to be seen
        ways = (path for path in paths(prop) if all(along(part.left, path).has(SphereExp) for part in shown))
        return Decision("proved", RULE, shown), next(ways, None)
    reason = "no vectors that grow with d disprove it, and no rule proves it for all"
    return Decision("undecided", "", reason=reason), None


def _proved(prop: Proposition, derivation: Derivation, order: Order) -> Part | None:
    """The step by which left - right <= o(g), or the other way round, where q is bounded."""
    assert prop.error is not None
    left, right = (derivation.value(order, side) for side in (prop.left, prop.right))
    gap = (left - right if prop.relation == "<=" else right - left) / sp.Abs(sympy_of(prop.error[1]))
    waves = list(gap.atoms(SphereExp))
    if len(waves) != 1 or gap.atoms(SphereCos):
        return None
    (one,) = waves
    q, most = sp.expand(one.args[1]), _bound(prop, derivation, order, sp.expand(one.args[1]))
    own, length = sp.Dummy(), sp.Dummy(nonnegative=True)
    form = sp.expand(gap.xreplace({one: own}))
    rest, slope = form.coeff(own, 0), form.coeff(own, 1)
    table = {
        free: D if free == symbol("d") else sp.Dummy(free.name, real=True) for free in gap.free_symbols | q.free_symbols
    }
    if most is None or sp.expand(form - rest - slope * own) != 0 or not slope.xreplace(table).is_nonpositive:
        return None
    # every inner product but one by that one and q
    pivot = min(q.free_symbols, key=str)
    solved = sp.solve(q - length, pivot)
    if len(solved) != 1:
        return None
    upper = rest + slope * sp.exp(q / 2) * (1 - q**2 / (4 * symbol("d")))
    upper = sp.expand(sp.powsimp(sp.expand(upper.subs(pivot, solved[0])))).xreplace({symbol("d"): D})
    if upper.free_symbols - {D, length} or not upper.is_polynomial(length):
        return None
    total = sp.Integer(0)
    for (power,), size in sp.Poly(upper, length).terms():
        for term in sp.Add.make_args(sp.expand(size)):
            share, r = term.as_coeff_exponent(D)
            if not share.is_Rational or not r.is_Rational or r > 0 or (power and share < 0):
                return None
            # with l^2 as the largest q, a power of d below 0 tends to 0
            total += share * most**power if r == 0 else 0
    if not total.is_Rational or total > 0:
        return None
    told = (
        f"{one} >= exp(q/2) (1 - q^2/(4 d)), q = {q} <= {most}: the left side exceeds the right one by at most {upper}"
    )
    return Part(str(order), left, right, True, order, proof=(Step(RULE, told.replace(str(length), "q"), TRUSTED),))


def _bound(prop: Proposition, derivation: Derivation, order: Order, q: sp.Expr) -> sp.Expr | None:
    """A number that is no function of d, and that q = |z|^2 is at most, by the hypotheses.

    These bound |z| or |z|^2, or the norms of vectors of which z is a sum with coefficients. A number that is compared
    with d may move with it.
    """
    known: dict[sp.Expr, sp.Expr] = {}
    relations = prop.known.relations
    if any("d" in side.names() for side in (*prop.known.truths, *(s for _, *ends in relations for s in ends))):
        return None
    for mark, one, two in relations:
        small, large = (one, two) if mark in ("<", "<=") else (two, one) if mark in (">", ">=") else (None, None)
        if small is None or large is None or large.names() & {*prop.known.vectors}:
            continue
        value, most = derivation.value(order, small), sympy_of(large)
        # a norm is not negative, so that its square has the square of its bound
        known |= {sp.expand(value**2): most**2} if small.op == "norm" else {sp.expand(value): most}
    if q in known:
        return known[q]
    table = {free.name: free for free in q.free_symbols}
    own = {name: table[f"{name}.T*{name}"] for name in prop.known.vectors if f"{name}.T*{name}" in table}
    sizes = {name: sp.sqrt(q.coeff(square)) for name, square in own.items()}
    if any(own[name] not in known for name in sizes) or not _square(q, sizes):
        return None
    return sp.Add(*(size * sp.sqrt(known[own[name]]) for name, size in sizes.items())) ** 2


def _square(q: sp.Expr, sizes: Mapping[str, sp.Expr]) -> bool:
    """Whether q is |sum_i +-c_i v_i|^2 for these c_i, for some signs."""
    table = {free.name: free for free in q.free_symbols}
    first, *others = sizes
    for signs in product((1, -1), repeat=len(others)):
        signed = {first: sizes[first], **{name: s * sizes[name] for name, s in zip(others, signs, strict=True)}}
        form = sp.Add(
            *(
                s * t * table.get(".T*".join(sorted((one, two))), 0)
                for (one, s), (two, t) in product(signed.items(), repeat=2)
            )
        )
        if sp.expand(q - form) == 0:
            return True
    return False


def paths(prop: Proposition) -> Iterator[Path]:
    """Vectors d^p a that satisfy the hypotheses, far out."""
    names = sorted(prop.known.vectors)
    ways = product(POWERS, ((1, 0), (0, 0), *DIRECTIONS[1:]))
    for chosen in product(list(ways), repeat=len(names)):
        path = Path(dict(zip(names, chosen, strict=True)))
        if all(not admissible(prop, case_at(prop, path, d)) for d in FAR_OUT):
            yield path


def fixed(prop: Proposition) -> dict[str, Fraction]:
    """The numbers that stay as they are: the simplest that the hypotheses allow."""
    taken = {*prop.known.vectors, *prop.positions, "d"}
    return {one: numbers_of(prop, one) for one in prop.parameters if one not in taken}


def numbers_of(prop: Proposition, label: str) -> Fraction:
    """The simplest number of a name's range."""
    values = prop.known.ranges.get(label)
    return Fraction(1) if values is None or values.holds(Fraction(1)) else (values.low or Fraction(0)) + 1


def case_at(prop: Proposition, path: Path, d: int) -> Case:
    """The case on a path in R^d."""
    return case_on(prop, path, Fraction(d), fixed(prop), d)


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
