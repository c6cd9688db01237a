"""Expressions as mathematics: words as the traces and forms that they stand for."""

from __future__ import annotations

import sympy as sp

from theorems.algebra.norms import functional, functional_latex
from theorems.gaussian import functionals
from theorems.gaussian.words import Word, known


def word_latex(word: Word) -> str:
    """tr(W Sigma W^T Sigma), tr((W Sigma)^2), a^T W Sigma W m in LaTeX."""
    letters = [letter.name + (r"^\top" if letter.transposed else "") for letter in word.letters]
    if word.ends:
        inside = r" \Sigma ".join(letter or "" for letter in letters).strip()
        return rf"{word.ends[0]}^\top {inside} {word.ends[1]}".replace("  ", " ")
    if len(set(letters)) == 1 and len(letters) > 1:
        return r"\operatorname{tr}((" + f"{letters[0]}" + rf"\Sigma)^{{{len(letters)}}})"
    return r"\operatorname{tr}(" + "".join(rf"{letter}\Sigma " for letter in letters).strip() + ")"


def latex(expression: sp.Expr) -> str:
    """An expression in LaTeX, words and norms written out and lam as lambda."""
    names = {}
    for free in expression.free_symbols:
        word = known(free.name)
        if word is not None:
            names[free] = word_latex(word)
        elif (named := functionals.known(free.name)) is not None:
            names[free] = named.latex
        elif functional(free.name) is not None:
            names[free] = functional_latex(free.name)
        elif free.name == "lam":
            names[free] = r"\lambda"
    return str(sp.latex(expression, symbol_names=names))
