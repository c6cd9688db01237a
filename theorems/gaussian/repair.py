"""Corrections in the form of the print: one number changed where that is enough, otherwise collected by words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import lcm

import sympy as sp

from theorems.algebra.expressions import same, symbol
from theorems.gaussian.words import known

_unknown = symbol("repair_c")


def repaired(printed: sp.Expr, true: sp.Expr) -> sp.Expr | None:
    """The print with one coefficient, constant or exponent changed so that it is true, or None if none does.

    A coefficient is solved for: the difference print(c) - true is linear in c.
    """
    points = _points(printed.free_symbols | true.free_symbols)
    values = [true.xreplace(point) for point in points]
    for template in _templates(printed):
        if _never(template, points, values):
            continue
        difference = sp.expand(template - true)
        if not difference.is_rational_function(_unknown):
            continue
        numerator = sp.expand(sp.fraction(sp.together(difference))[0])
        linear = sp.Poly(numerator, _unknown)
        if linear.degree() != 1:
            continue
        slope, rest = linear.all_coeffs()
        value = sp.cancel(-rest / slope)
        if value.is_Rational and same(template.xreplace({_unknown: value}), true):
            return template.xreplace({_unknown: value})
    return next((f for f in _exponents(printed) if not _never(f, points, values) and same(f, true)), None)


def _points(names: Iterable[sp.Symbol]) -> list[dict[sp.Symbol, sp.Rational]]:
    """Two exact points at which formulas are looked at before they are compared."""
    wanted = sorted(names, key=lambda s: s.name)
    return [{name: sp.Integer(sp.prime(start + k)) for k, name in enumerate(wanted)} for start in (2, 4)]


def _never(template: sp.Expr, points: list[dict[sp.Symbol, sp.Rational]], values: list[sp.Expr]) -> bool:
    """Whether two points show that no value of the unknown makes the template equal to what has these values there.

    True only where each point leaves a single value, or none; that spares most of the algebra.
    """
    roots = set()
    for point, value in zip(points, values, strict=True):
        gap = template.xreplace(point) - value
        if gap.has(sp.zoo, sp.nan) or not gap.is_rational_function(_unknown):
            return False
        numerator = sp.fraction(sp.together(gap))[0]
        polynomial = sp.Poly(numerator, _unknown)
        if not polynomial.domain.is_ZZ or polynomial.degree() > 1 or polynomial.is_zero:
            return False
        if polynomial.degree() == 0:
            return True
        slope, rest = polynomial.all_coeffs()
        roots.add(-rest / slope)
    return len(roots) > 1


def _templates(expression: sp.Expr) -> Iterator[sp.Expr]:
    """The expression with one term of one sum, or one constant, put as an unknown multiple."""
    for node in sp.preorder_traversal(expression):
        if isinstance(node, sp.Add):
            for term in node.args:
                changed = sp.Add(*(t for t in node.args if t is not term), _unknown * term.as_coeff_Mul()[1])
                yield expression.xreplace({node: changed})
            if not any(term.is_Rational for term in node.args):
                yield expression.xreplace({node: sp.Add(node, _unknown)})
    yield _unknown * expression.as_coeff_Mul()[1]


def _exponents(expression: sp.Expr) -> Iterator[sp.Expr]:
    """The expression with one integer exponent moved by one."""
    for node in sp.preorder_traversal(expression):
        if node.is_Symbol or (node.is_Pow and node.exp.is_Integer):
            base, exponent = node.as_base_exp()
            for shift in (1, -1):
                yield expression.xreplace({node: base ** (exponent + shift)})


def presentable(expression: sp.Expr) -> sp.Expr:
    """An equal expression that reads well: collected by words, one common coefficient taken out where all share it."""
    expanded = sp.expand(expression)
    words = sorted((s for s in expanded.free_symbols if known(s.name) is not None), key=lambda s: s.name)
    if not words:
        return expanded
    parts = sp.collect(expanded, words, evaluate=False)
    (first, coefficient), *others = parts.items()
    ratios = [sp.cancel(c / coefficient) for _, c in others]
    if all(ratio.is_Rational for ratio in ratios):
        scale = lcm(*(int(r.q) for r in ratios))
        inner = sp.Add(scale * first, *(scale * r * word for (word, _), r in zip(others, ratios, strict=True)))
        return _split(sp.expand(coefficient / scale), inner)
    return sp.Add(*(_split(sp.expand(c), word) for word, c in parts.items()))


def _split(coefficient: sp.Expr, word: sp.Expr) -> sp.Expr:
    """coefficient * word with negative powers of single symbols (1/lam^2) set behind both."""
    below = [
        f for f in sp.Mul.make_args(sp.factor_terms(coefficient)) if f.is_Pow and f.exp.is_negative and f.base.is_Symbol
    ]
    inverse = sp.Mul(*below)
    return sp.Mul(sp.expand(coefficient / inverse), word, inverse)
