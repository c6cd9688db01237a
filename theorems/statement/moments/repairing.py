"""The corrected right side: the smallest change of the printed one that makes it true, or else the true formula."""

from __future__ import annotations

import re

import sympy as sp

from theorems.algebra.expressions import symbol
from theorems.gaussian.repair import presentable, repaired
from theorems.statement.expression import StatementError
from theorems.statement.moments.forms import NotPolynomialError
from theorems.statement.moments.scalars import sympy_of
from theorems.statement.proposition import Proposition
from theorems.statement.reading.entrywise import LEFT, RIGHT, readable


def corrected(prop: Proposition, true: sp.Expr) -> tuple[str, str]:
    """The correction as text of the language and in LaTeX."""
    formula = true
    try:
        printed = sympy_of(prop.right)
        changed = repaired(printed, true)
        formula = changed if changed is not None else _shown(true)
    except (NotPolynomialError, StatementError, ValueError, sp.PolynomialError):
        try:
            formula = _shown(true)
        except (ValueError, sp.PolynomialError):
            formula = true
    if prop.whole is None:
        return language_text(formula), latex_of(formula)
    text = whole_text(true)
    return (text, latex_of_text(text, prop)) if text is not None else (readable(language_text(true)), "")


def _shown(true: sp.Expr) -> sp.Expr:
    """The true formula expanded; as it is where that would multiply out a root of a sum, (a + b)**(3/2)."""
    rooted = any(power.exp.is_Rational and not power.exp.is_Integer for power in true.atoms(sp.Pow))
    return true if rooted else presentable(true)


#: What stands in brackets in a name, as in tr(W*Sigma).
_INSIDE = re.compile(r"\(.*\)")


def language_text(formula: sp.Expr) -> str:
    """An exact value as text of the language: min, max and abs in small letters, positions before traces."""
    chains = {
        power: sp.Symbol(f"({power.base.name})") ** power.exp
        for power in formula.atoms(sp.Pow)
        if power.base.is_Symbol and "*" in _INSIDE.sub("", power.base.name)
    }
    return re.sub(r"\b(Min|Max|Abs)\(", lambda found: found[0].lower(), str(formula.xreplace(chains)))


def latex_of(formula: sp.Expr) -> str:
    """An exact value in LaTeX, traces and chains written out."""
    from theorems.statement.latex import latex, name_latex
    from theorems.statement.reading.language import parsed

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


def latex_of_text(text: str, prop: Proposition) -> str:
    """A matrix or vector of the language in LaTeX."""
    from theorems.statement.latex import latex
    from theorems.statement.reading.hypotheses import words_of
    from theorems.statement.reading.language import parsed

    return latex(parsed(text, words_of(prop.known)))


def whole_text(value: sp.Expr) -> str | None:
    """The matrix or vector whose entry is this formula, in the language; None where it is no linear one."""
    found: dict[str, sp.Expr] = {}
    for term in sp.Add.make_args(sp.expand(value)):
        sides = {LEFT: "", RIGHT: ""}
        middle, rest = "", sp.Integer(1)
        for factor in sp.Mul.make_args(term):
            names = [one.name for one in factor.free_symbols if LEFT in one.name or RIGHT in one.name]
            if not names:
                rest = rest * factor
            elif not factor.is_Symbol:
                return None
            elif LEFT in factor.name and RIGHT in factor.name:
                middle = _inner(factor.name)
            else:
                sides[LEFT if LEFT in factor.name else RIGHT] = _inner(factor.name)
        parts = [part for part in (sides[LEFT], middle, sides[RIGHT] and f"{_transposed(sides[RIGHT])}") if part]
        key = "*".join(parts)
        found[key] = found.get(key, sp.Integer(0)) + rest
    if value == 0:
        return "0"
    texts = [_multiple(sp.factor_terms(factor), key) for key, factor in found.items() if key]
    return " + ".join(texts) if len(texts) == len(found) else None


def _multiple(factor: sp.Expr, key: str) -> str:
    if factor == 1:
        return key
    text = str(factor).replace("Min(", "min(").replace("Max(", "max(")
    return f"({text})*{key}" if factor.is_Add else f"{text}*{key}"


def _inner(name: str) -> str:
    """What stands beside the unit vectors in u^T M v, and in u^T M a or a^T M u as a column: M, M*a, M.T*a."""
    parts = name.split("*")
    first, *middle, last = (parts[0].removesuffix(".T"), *parts[1:-1], parts[-1])
    if len(parts) == 1:
        return ""
    if {first, last} == {LEFT, RIGHT}:
        word = "*".join(middle)
        return (word if first == LEFT else _transposed(word)) or "I"
    if first in (LEFT, RIGHT):
        return "*".join([*middle, last])
    return "*".join([*([_transposed("*".join(middle))] if middle else []), first])


def _transposed(word: str) -> str:
    """The transpose of a product of matrices and vectors; Sigma and I are their own."""
    turned = [part.removesuffix(".T") if part.endswith(".T") else f"{part}.T" for part in reversed(word.split("*"))]
    return "*".join({"Sigma.T": "Sigma", "I.T": "I"}.get(part, part) for part in turned) if word else ""
