"""Reading the calls of the language: f(...) to a node, each with its number and kind of arguments."""

from __future__ import annotations

import ast
from collections.abc import Callable
from itertools import count
from typing import TYPE_CHECKING

from theorems.statement.expression import (
    ELEMENTARY,
    ENTRY_NORMS,
    HALF_LINE,
    MOMENTS,
    NORMS,
    OF_MATRICES,
    OF_VECTORS,
    PREDICATES,
    SEVERAL,
    SUMS,
    Expr,
    minus,
    negative,
    number,
)
from theorems.statement.reading import binders, gathering
from theorems.statement.reading.syntax import counted, nearest

if TYPE_CHECKING:
    from theorems.statement.reading.language import _Reader

_FORMS = (
    *("tr", "norm", "mean", "clip", "o", "O", "grad", "at", "column", "indicator", "diff", "integral", "normal", "lim"),
    *("every", "exists", "least", "binomial"),
    *PREDICATES,
    *HALF_LINE,
)
#: Read by their definitions: factorial(n) as the product of 1, ..., n, cosh u = (exp(u) + exp(-u))/2.
BY_EXP = ("cosh", "sinh", "tanh", "sigmoid")
CALLS = (*ELEMENTARY, *BY_EXP, "factorial", *SEVERAL, *OF_VECTORS, *OF_MATRICES, *SUMS, *_FORMS, *gathering.GATHERED)


def plain_call(reader: _Reader, head: str, node: ast.Call, depth: int) -> Expr:
    """A function of expressions alone, of as many as it takes."""
    form = _ARGUMENTS.get(head, "u")
    fewest, most, several = (1, 8, ", 1 to 8 of them") if head in SEVERAL else (*(form.count(",") + 1,) * 2, "")
    if not fewest <= len(node.args) <= most:
        told = counted(len(node.args), "argument")
        raise reader.fail(f"{head}(...) of {told}; expected {head}({form}){several}", node)
    return Expr(head, tuple(reader.build(arg, depth) for arg in node.args))


def _by_exp(reader: _Reader, head: str, node: ast.Call, depth: int) -> Expr:
    inner = plain_call(reader, head, node, depth).args[0]
    ends = Expr("exp", (inner,)), Expr("exp", (negative(inner),))
    if head == "sigmoid":
        return Expr("/", (number(1), Expr("+", (number(1), ends[1]))))
    above, below = (minus(*ends) if head != "cosh" else Expr("+", ends)), Expr("+", ends)
    return Expr("/", (above, below if head == "tanh" else number(2)))


def _factorial(reader: _Reader, head: str, node: ast.Call, depth: int) -> Expr:
    last = plain_call(reader, head, node, depth).args[0]
    if last.random or last.has(*MOMENTS):
        raise reader.fail(f"{last} is random, or a moment; expected e.g. factorial(n)", node.args[0])
    index = next(label for k in count(1) if (label := f"j{k}") not in last.names())
    return Expr("prod", (Expr("name", (index,)), index, number(1), last))


def _by_variable(reader: _Reader, head: str, node: ast.Call, depth: int) -> Expr:
    """grad(f, W) and at(f, s, 0): the second argument is a matrix, a vector or a sequence by its name."""
    form = {"grad": "grad(f, W)", "at": "at(f, s, 0)"}[head]
    if len(node.args) != {"grad": 2, "at": 3}[head]:
        raise reader.fail(f"expected {form}, f in terms of a matrix W or a vector s", node)
    variable = reader.build(node.args[1], depth)
    if variable.op not in ("matrix", "vector", "family") or variable == Expr("matrix", ("I",)):
        mend = "say that it is one with --for, e.g. W in R^(m x d), s in R^n"
        raise reader.fail(f"{variable} is no matrix and no vector that may vary; {mend}", node.args[1])
    return Expr(head, (reader.build(node.args[0], depth), variable, *(reader.build(a, depth) for a in node.args[2:])))


def _mean(reader: _Reader, head: str, node: ast.Call, depth: int) -> Expr:
    if len(node.args) != 1:
        raise reader.fail(f"mean(...) of {counted(len(node.args), 'argument')}; {_OF_MEAN}", node)
    inner = node.args[0]
    if isinstance(inner, ast.Name) and inner.id == "x" and inner.id not in reader.words.definitions:
        return Expr("mean")
    if isinstance(inner, ast.Name) and inner.id in reader.words.definitions:
        variable, body = reader.words.definitions[inner.id]
        size = Expr("name", ("T",))
    elif isinstance(inner, ast.Name) and (label := reader.words.sequences.get(inner.id)):
        size = number(int(label)) if label.isdigit() else Expr("name", (label,))
        variable = next(one for one in "jkl" if one != label)
        body = Expr("entry", (inner.id, Expr("name", (variable,))))
    else:
        raise reader.fail(f"mean({ast.unparse(inner)}) is of neither tokens nor a sequence; {_OF_MEAN}", inner)
    return Expr("/", (Expr("sum", (body, variable, number(1), size)), size))


def _sum(reader: _Reader, head: str, node: ast.Call, depth: int) -> Expr:
    if len(node.args) != 4 or not isinstance(node.args[1], ast.Name):
        inner = f"; over two indices, {head}({head}(..., k, 1, T), j, 1, T)" if len(node.args) > 4 else ""
        form = f"{head}(expression, j, first, last), e.g. {head}({_EXAMPLES[head]}, j, 1, T)"
        raise reader.fail(f"expected {form}{inner}", node)
    index = node.args[1].id
    if binders.taken(reader.words, index):
        raise reader.fail(f"{index} cannot be the index of a {head}; take another letter", node.args[1])
    binders.uncaught(reader, index, node)
    body, first, last = (reader.build(node.args[k], depth) for k in (0, 2, 3))
    if index in first.names() | last.names():
        raise reader.fail(f"the ends of the {head} over {index} hold {index} itself; rename one", node)
    to_oo = last == Expr("name", ("oo",))
    if (head == "prod" or to_oo) and (body.random or body.has(*MOMENTS)):
        mend = "end it at a number" if to_oo else "write such factors out, f*g*h"
        raise reader.fail(
            f"{head}(...) {'to oo ' * to_oo}takes numbers, not random ones, nor moments; {mend}", node.args[0]
        )
    return (
        binders.series_of(reader, head, body, index, first, node) if to_oo else Expr(head, (body, index, first, last))
    )


def _indicator(reader: _Reader, head: str, node: ast.Call, depth: int) -> Expr:
    inner = reader.build(node.args[0], depth) if len(node.args) == 1 else None
    if inner is None or inner.op not in ("relation", "and"):
        raise reader.fail("indicator(...) is of a comparison; write e.g. indicator(theta >= 1/2)", node)
    return Expr("indicator", (inner,))


def _norm(reader: _Reader, head: str, node: ast.Call, depth: int) -> Expr:
    kind = ast.unparse(node.args[1]).strip("'\"") if len(node.args) == 2 else ""
    if len(node.args) not in (1, 2) or (kind and kind not in (*NORMS, *ENTRY_NORMS)):
        what = f"norm(W, {kind}) is unknown{nearest(kind, (*NORMS, *ENTRY_NORMS))}; " if kind else ""
        told = f"{what}expected norm(v), or norm(W, {'|'.join((*NORMS, *ENTRY_NORMS))}), 2 for the spectral norm"
        raise reader.fail(told, node.args[1] if len(node.args) > 1 else node)
    return Expr("entrynorm" if kind in ENTRY_NORMS else "norm", (reader.build(node.args[0], depth), kind))


_OF_MEAN = "expected mean(x), or mean(s) of s in R^n or one that --where defines"
#: What stands between the brackets; one number where nothing is said.
_ARGUMENTS = {
    **dict.fromkeys(SEVERAL, "a, b, ..."),
    **dict.fromkeys(OF_VECTORS, "s"),
    **dict.fromkeys((*OF_MATRICES, "tr"), "W"),
    "clip": "u, low, high",
    "column": "W, j",
    "normal": "mu, v",
    "binomial": "n, k",
}
_EXAMPLES = {"sum": "x[j].T*W*x[T]", "prod": "d/(d + 2*j)", "stack": "s[j]**2", "columns": "W*x[j]"}
READ: dict[str, Callable[[_Reader, str, ast.Call, int], Expr]] = {
    "mean": _mean,
    **dict.fromkeys(SUMS, _sum),
    "norm": _norm,
    **dict.fromkeys(BY_EXP, _by_exp),
    "factorial": _factorial,
    "diff": binders.by_parameter,
    "indicator": _indicator,
    **dict.fromkeys(("grad", "at"), _by_variable),
    "every": binders.every,
    **dict.fromkeys(("exists", "least"), binders.extremal),
    **gathering.GATHERED,
    **dict.fromkeys((*PREDICATES, "integral"), binders.property_of),
    **dict.fromkeys(HALF_LINE, binders.on_half_line),
}
