"""Families of vectors, relations for every index, and what is said of unknowns, in LaTeX."""

from __future__ import annotations

from collections.abc import Callable

from theorems.statement.expression import Expr
from theorems.statement.reading.binders import conditions, unknowns

Latex = Callable[[Expr], str]


def member(node: Expr, name: str, latex: Latex) -> str:
    r"""A vector of a family: \eta_{c,i}."""
    return rf"{name}_{{{','.join(latex(index) for index in node.args[2:])}}}"


def truth(node: Expr, latex: Latex) -> str:
    """A relation for every value of its indices, the conditions on these after a comma."""
    body, indices, further = node, list[str](), list[str]()
    while body.op in ("every", "given"):
        if body.op == "given":
            further += [latex(one) for one in body.args[1:]]
        else:
            _, index, *ends = body.args
            values = rf"\in {latex(ends[0])}" if len(ends) == 1 else rf"={latex(ends[0])},\dots,{latex(ends[1])}"
            indices.append(f"{index}{values}")
        body = body.args[0]
    quantified = r",\ ".join([*indices, *further])
    return rf"{latex(body)}\ \ \forall\, {quantified}"


def extremal(node: Expr, names: Callable[[str], str], latex: Latex) -> str:
    r"""\exists W:\ ..., or \min\{f : ...\}."""
    held = r";\ ".join(latex(one) for one in conditions(node))
    if node.op == "exists":
        return rf"\exists\, {', '.join(map(names, unknowns(node)))}:\ {held}"
    return rf"\min\left\{{{latex(node.args[0])} :\ {held}\right\}}"
