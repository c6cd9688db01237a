"""Values, intervals and moments of a statement as text, and one by one."""

from __future__ import annotations

from collections.abc import Iterator

import sympy as sp

from theorems.algebra.spherical import plain
from theorems.statement.expression import MOMENTS, Expr
from theorems.statement.proposition import Proposition
from theorems.statement.reading.entrywise import LEFT, RIGHT, readable
from theorems.statement.sympy_text import sympy_text


def without_cases(prop: Proposition) -> str:
    """Why nothing was looked at: no case has a value, or meets the hypotheses where there are any.

    StatementError where these contradict one another.
    """
    from theorems.statement.proofs.contradiction import check_consistent

    check_consistent(prop)
    hold = "the hypotheses hold and " if prop.known.texts else ""
    return f"no case was found at which {hold}both sides have a value"


def raw_moments(node: Expr) -> Iterator[Expr]:
    """The moments of a side; of a sum of expectations, the expectation of the sum."""
    if node.op in MOMENTS:
        yield node
    elif node.op == "sum" and node.args[0].op == "E":
        body, *rest = node.args
        yield Expr("E", (Expr("sum", (body.args[0], *rest)),))
    elif node.op != "sum":
        for arg in node:
            yield from raw_moments(arg)


def exact_text(value: sp.Expr) -> str:
    """A value as text that ``sympify`` reads; an entry of M as entry_M."""
    value = plain(value)
    entries = [one for one in value.free_symbols if LEFT in one.name and RIGHT in one.name]
    return sympy_text(value.xreplace({one: sp.Symbol(f"entry_{readable(one.name)}") for one in entries}))


def interval_text(interval: tuple[float, float]) -> str:
    """An interval's ends, to six digits."""
    return f"[{interval[0]:.6g}, {interval[1]:.6g}]"
