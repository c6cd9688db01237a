"""Decoys: wrong versions of a print, made from its formula; a judgement that lets one pass proves nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

import sympy as sp

from theorems.algebra.expressions import parse, symbol
from theorems.claims.conditions import read, written


def mutants(
    printed: sp.Expr, positions: Sequence[str], words: Sequence[str] = (), scale: str = ""
) -> list[tuple[str, sp.Expr]]:
    """Every formula that differs from the print by one coefficient, index, sign or exponent, with what was changed.

    A print of 0 with a remainder o(scale) is changed by the scale times each word. Formulas equal to the print, or to
    one another, are left out.
    """
    found: dict[sp.Expr, tuple[str, sp.Expr]] = {}
    own = sp.expand(printed)
    for label, formula in _changes(printed, positions, words, scale):
        normal = sp.expand(formula)
        if normal != own and not normal.has(sp.zoo, sp.nan, sp.oo, sp.I):
            found.setdefault(normal, (label, formula))
    return list(found.values())


@lru_cache(maxsize=256)
def clause_mutants(conditions: tuple[str, ...]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Every conjunction that differs by one coefficient, sign or exponent of one condition, by one relation made
    weak or strict, or by one condition dropped, with what was changed."""
    found: dict[tuple[str, ...], str] = {}
    for place, condition in enumerate(conditions):
        gap, allowed = read(condition)
        others = [*conditions[:place]], [*conditions[place + 1 :]]
        changed = [(label, written(formula, allowed)) for label, formula in mutants(gap, ())]
        weaker = tuple(sorted({*allowed, 0})) if 0 not in allowed else tuple(s for s in allowed if s != 0)
        if weaker and len(weaker) < 3:
            changed.append((f"boundary of {condition} moved", written(gap, weaker)))
        for label, other in changed:
            found.setdefault((*others[0], other, *others[1]), label)
        if len(conditions) > 1:
            found.setdefault((*others[0], *others[1]), f"without {condition}")
    return tuple((label, formula) for formula, label in found.items())


def _changes(
    printed: sp.Expr, positions: Sequence[str], words: Sequence[str], scale: str
) -> Iterator[tuple[str, sp.Expr]]:
    if printed == 0 and scale:
        size = parse(scale)
        for word in words:
            yield f"0 -> {size * symbol(word)}", size * symbol(word)
            yield f"0 -> {-size * symbol(word)}", -size * symbol(word)
    yield from _coefficients(printed, scale)
    for name in positions:
        index = symbol(name)
        if printed.has(index):
            for shift in (1, -1):
                yield f"{name} -> {name} {'+' if shift > 0 else '-'} 1", printed.xreplace({index: index + shift})
    for node in sp.preorder_traversal(printed):
        if node.is_Symbol or (node.is_Pow and node.exp.is_Integer and not node.base.is_number):
            base, exponent = node.as_base_exp()
            for shift in (1, -1):
                yield f"{node} -> {base}**{exponent + shift}", printed.xreplace({node: base ** (exponent + shift)})


def _coefficients(printed: sp.Expr, scale: str) -> Iterator[tuple[str, sp.Expr]]:
    nodes = [node for node in sp.preorder_traversal(printed) if isinstance(node, sp.Add)]
    for node in nodes:
        for term in node.args:
            rest = sp.Add(*(other for other in node.args if other is not term))
            coefficient, factor = term.as_coeff_Mul()
            for changed in (coefficient + 1, coefficient - 1, -coefficient):
                yield f"{term} -> {changed * factor}", printed.xreplace({node: rest + changed * factor})
    coefficient, factor = printed.as_coeff_Mul() if printed != 0 else (sp.Integer(0), sp.Integer(1))
    for changed in (coefficient + 1, coefficient - 1, -coefficient) if printed != 0 or not scale else ():
        label = f"({printed}) * {changed}/{coefficient}" if printed != 0 else f"0 -> {changed}"
        yield label, changed * factor
    for node in sp.preorder_traversal(printed):
        if node.is_Pow and node.exp == sp.Rational(1, 2):
            inner, rest = node.base.as_coeff_Mul()
            for changed in (inner + 1, inner - 1):
                yield f"{node} -> sqrt({changed * rest})", printed.xreplace({node: sp.sqrt(changed * rest)})
            for free in sorted(node.base.free_symbols, key=lambda s: s.name):
                for shift in (1, -1):
                    moved = node.base.xreplace({free: free + shift})
                    yield f"{node} -> sqrt({moved})", printed.xreplace({node: sp.sqrt(moved)})
