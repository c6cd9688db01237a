"""Equality of closed expressions with roots, exp, log and erf: a normal form that proves, balls that disprove."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache

import sympy as sp

from theorems.algebra.balls import at, sign
from theorems.algebra.expressions import symbol, value_at
from theorems.algebra.pascal import RowSum


@lru_cache(maxsize=4096)
def vanishes(expression: sp.Expr) -> bool:
    """Whether the expression is shown to be 0 wherever it is defined.

    Every root, exponential and error function counts as an unknown r of its own, with r^2 = P for a root; what is left
    is a polynomial identity. Sound, and incomplete: e^a e^b = e^(a + b) is not used.
    """
    if _differs(sp.sympify(expression)):
        return False
    atoms: dict[sp.Expr, sp.Dummy] = {}
    roots: list[tuple[sp.Dummy, sp.Expr]] = []
    rational = _rational(sp.sympify(expression), atoms, roots)
    numerator, denominator = sp.fraction(sp.together(rational))
    if _reduced(denominator, roots) == 0:
        return False
    left = sp.fraction(sp.together(_reduced(numerator, roots)))[0]
    return bool(_reduced(left, roots) == 0)


def _differs(expression: sp.Expr) -> bool:
    """Whether a look at a point spares the algebra: the expression is shown not to be 0 there."""
    names = sorted(s.name for s in expression.free_symbols)
    for start in (2, 9):
        # 2/7, 3/8, ... and 9/7, 10/8, ...
        point = {name: Fraction(start + k, 7 + k) for k, name in enumerate(names)}
        try:
            value = at(expression, point, 64)
        except (ValueError, KeyError, ArithmeticError):
            continue
        if value.is_finite():
            return not value.contains(0)
    return False


def _rational(node: sp.Expr, atoms: dict[sp.Expr, sp.Dummy], roots: list[tuple[sp.Dummy, sp.Expr]]) -> sp.Expr:
    """The expression with every transcendental atom and every root replaced by an unknown."""
    if node.is_Symbol or node.is_Rational:
        return node
    if node.is_Piecewise:
        return atoms.setdefault(node, sp.Dummy())
    if node.is_Add or node.is_Mul:
        return node.func(*(_rational(part, atoms, roots) for part in node.args))
    if node.is_Pow and node.exp.is_Integer:
        return _rational(node.base, atoms, roots) ** node.exp
    if node.is_Pow and node.exp.is_Rational and node.exp.q == 2:
        inner = _normal(_rational(node.base, atoms, roots), roots)
        content, radicand = inner.as_content_primitive() if inner.is_polynomial() else (sp.S.One, inner)
        value = sp.S.One
        for factor in (content, radicand):
            if factor != 1:
                value *= _root(factor, atoms, roots)
        return value**node.exp.p
    if node.is_Pow and node.base.is_Rational and node.base > 0:
        return _exponential(node.base, sp.expand(node.exp), atoms)
    arguments = tuple(_normal(_rational(part, atoms, roots), roots) for part in node.args)
    odd = isinstance(node, sp.erf) and arguments[0].could_extract_minus_sign()
    key = node.func(-arguments[0]) if odd else node.func(*arguments) if arguments else node
    return (-1 if odd else 1) * atoms.setdefault(key, sp.Dummy())


def _exponential(base: sp.Expr, exponent: sp.Expr, atoms: dict[sp.Expr, sp.Dummy]) -> sp.Expr:
    """b^(m n + k) for a positive number b as b^k times the m-th power of one unknown for b^n, m and k integers."""
    value = sp.S.One
    for term in sp.Add.make_args(exponent):
        count, rest = term.as_coeff_Mul()
        if not count.is_Integer:
            count, rest = sp.S.One, term
        value *= (base if rest == 1 else atoms.setdefault(base**rest, sp.Dummy())) ** count
    return value


def _root(radicand: sp.Expr, atoms: dict[sp.Expr, sp.Dummy], roots: list[tuple[sp.Dummy, sp.Expr]]) -> sp.Expr:
    if radicand.is_Rational:
        # sqrt(p/q) = sqrt(p q)/q, and one unknown for every prime
        value = sp.Rational(1, radicand.q)
        for prime, power in sp.factorint(radicand.p * radicand.q).items():
            value *= sp.Integer(prime) ** (power // 2)
            if power % 2:
                value *= _unknown_root(sp.Integer(prime), atoms, roots)
        return value
    return _unknown_root(radicand, atoms, roots)


def _unknown_root(radicand: sp.Expr, atoms: dict[sp.Expr, sp.Dummy], roots: list[tuple[sp.Dummy, sp.Expr]]) -> sp.Dummy:
    key = sp.Pow(radicand, sp.Rational(1, 2), evaluate=False)
    if key not in atoms:
        atoms[key] = sp.Dummy()
        roots.append((atoms[key], radicand))
    return atoms[key]


def _normal(value: sp.Expr, roots: list[tuple[sp.Dummy, sp.Expr]]) -> sp.Expr:
    """A fraction in lowest terms, without roots below the line, so that equal arguments become one atom."""
    numerator, denominator = sp.fraction(sp.together(value))
    if _reduced(denominator, roots) == 0:
        return value
    for unknown, _ in reversed(roots):
        denominator = _reduced(denominator, roots)
        if denominator.has(unknown):
            conjugate = denominator.xreplace({unknown: -unknown})
            if _reduced(denominator * conjugate, roots) == 0:
                # the conjugate vanishes, where roots are not independent: the fraction stays as it is
                return value
            numerator, denominator = numerator * conjugate, denominator * conjugate
    return sp.expand(sp.cancel(_reduced(numerator, roots) / _reduced(denominator, roots)))


def _reduced(polynomial: sp.Expr, roots: Iterable[tuple[sp.Dummy, sp.Expr]]) -> sp.Expr:
    """The polynomial with r^2 = P used for every root r, the last one first: its radicand may hold earlier ones."""
    value = sp.expand(polynomial)
    for unknown, radicand in reversed(list(roots)):
        parts = sp.Poly(value, unknown) if value.has(unknown) else None
        if parts is not None:
            value = sp.expand(sum(c * radicand ** (k // 2) * unknown ** (k % 2) for (k,), c in parts.terms()))
    return value


def points(names: Iterable[str]) -> list[dict[str, Fraction]]:
    """A few exact points where a formula may be looked at.

    Positions and other counts are integers, positions in their order; fractions of the walk lie within (0, 1), other
    names are positive.
    """
    found = []
    wanted = sorted(names)
    for shift in range(5):
        point = {name: Fraction(3 + 2 * k + 5 * shift, 7 + k) for k, name in enumerate(wanted)}
        whole = {"i": 2 + shift, "j": 3 + 2 * shift, "T": 7 + 3 * shift, "d": 1 + shift}
        whole |= {"dim": 2 + shift, "points": 4 + 3 * shift}
        point |= {name: Fraction(value) for name, value in whole.items() if name in point}
        if "theta" in point:
            point["theta"] = Fraction(1 + shift, 7)
        found.append(point)
    return found


def equal(left: sp.Expr, right: sp.Expr) -> bool | None:
    """Whether two closed expressions are equal: True by normal form, False by a certified difference at a point."""
    gap = left - right
    # a difference at a point is seen sooner than a normal form is reached
    for point in points(s.name for s in gap.free_symbols):
        try:
            # sums over a row of Pascal's triangle are numbers there, no balls
            if sign(value_at(gap, point) if gap.has(RowSum) else gap, point) in (1, -1):
                return False
        except (ValueError, ZeroDivisionError):
            continue
    return True if vanishes(gap) else None


def names(expression: sp.Expr) -> frozenset[str]:
    """The names that occur in an expression."""
    return frozenset(s.name for s in expression.free_symbols)


def substituted(expression: sp.Expr, table: dict[str, sp.Expr]) -> sp.Expr:
    """The expression with names replaced by expressions."""
    return expression.xreplace({symbol(name): value for name, value in table.items()})
