"""Names and values as text that ``sympify`` reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sympy as sp


def alias(word: str) -> str:
    """A trace's or chain's name as ``sympify`` reads it: tr(W*Sigma) is tr1, tr(Sigma) is tr_I."""
    if word.isidentifier():
        return word
    if word.startswith("tr(") and word.endswith(")"):
        letters = word[3:-1].split("*")
        others = [letter for letter in letters if letter != "Sigma"]
        if letters == [letter for other in others for letter in (other, "Sigma")] and others:
            names = [other.replace(".T", "t") for other in others]
            return f"tr{len(names)}" if set(names) == {"W"} else "tr_" + "_".join(names)
        if not others:
            return "tr_" + "_".join("I" for _ in letters)
        return "trace_" + "_".join(letter.replace(".T", "t") for letter in letters)
    return "".join(c if c.isalnum() else "_" for c in word).strip("_")


def sympy_text(value: sp.Expr) -> str:
    """A value as text that ``sympify`` reads, traces by their short names."""
    from theorems.algebra.expressions import symbol

    return str(value.xreplace({free: symbol(alias(free.name)) for free in value.free_symbols}))
