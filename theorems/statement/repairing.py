"""The corrected right side: the smallest change of the printed one that makes it true, or else the true formula."""

from __future__ import annotations

import sympy as sp

from theorems.algebra.expressions import symbol
from theorems.gaussian.repair import presentable, repaired
from theorems.statement.expression import StatementError
from theorems.statement.forms import NotPolynomialError
from theorems.statement.proposition import Proposition
from theorems.statement.scalars import sympy_of


def corrected(prop: Proposition, true: sp.Expr) -> tuple[str, str]:
    """The correction as text of the language and in LaTeX."""
    formula = true
    try:
        printed = sympy_of(prop.right)
        changed = repaired(printed, true)
        formula = changed if changed is not None else presentable(true)
    except (NotPolynomialError, StatementError, ValueError, sp.PolynomialError):
        try:
            formula = presentable(true)
        except (ValueError, sp.PolynomialError):
            formula = true
    return language_text(formula), latex_of(formula)


def language_text(formula: sp.Expr) -> str:
    """An exact value as text of the language: min and max in small letters, positions before traces."""
    return str(formula).replace("Min(", "min(").replace("Max(", "max(")


def latex_of(formula: sp.Expr) -> str:
    """An exact value in LaTeX, traces and chains written out."""
    from theorems.statement.language import parsed
    from theorems.statement.prose import latex, name_latex

    names = {}
    for free in formula.free_symbols:
        if free.name.isidentifier():
            names[symbol(free.name)] = name_latex(free.name)
        else:
            try:
                names[symbol(free.name)] = latex(parsed(free.name))
            except StatementError:
                names[symbol(free.name)] = rf"\mathrm{{{free.name}}}"
    return str(sp.latex(formula, symbol_names=names))
