"""Vectors and matrices on both sides of a statement, as the number that any of their entries is.

M = N exactly if u^T M v = u^T N v for all vectors u and v, which is what the derivation shows; cases put the unit
vectors of an entry for u and v. Expectations and covariances are linear: u^T A E[f] B v = E[u^T A f B v], and
u^T Cov[f, g] v = Cov[u^T f, v^T g].
"""

from __future__ import annotations

from theorems.statement.expression import MOMENTS, Expr, StatementError, number
from theorems.statement.reading.shapes import shape

#: The names of u and v; no name that is written begins with _.
LEFT, RIGHT = "_left", "_right"
Factors = tuple[Expr, ...]


def entry(node: Expr, kind: str) -> Expr:
    """The entry of a vector, row or matrix that the unit vectors stand for, as a number; moments are of numbers."""
    left = (Expr("T", (Expr("family", (LEFT,)),)),) if kind in ("vector", "matrix") else ()
    right = (Expr("family", (RIGHT,)),) if kind in ("row", "matrix") else ()
    return _between(left, node, right)


def _between(left: Factors, node: Expr, right: Factors) -> Expr:
    op, args = node.op, node.args
    if node == number(0):
        return node
    if not node.has(*MOMENTS) or shape(node) == "number":
        return _product(*left, node, *right)
    if op == "+":
        return Expr("+", tuple(_between(left, arg, right) for arg in args), node.at)
    if op == "T":
        return _between(_turned(right), args[0], _turned(left))
    if op in ("/", "sum"):
        return Expr(op, (_between(left, args[0], right), *args[1:]), node.at)
    if op == "E":
        return Expr("E", (_product(*left, args[0], *right),), node.at)
    if op == "Cov":
        return Expr("Cov", (_product(*left, args[0]), _product(*_turned(right), args[1])), node.at)
    if op == "*":
        return _factors(left, args, right)
    raise StatementError(f"the entries of {node} are no moments of numbers; write it by E[...]", at=node.at)


def _factors(left: Factors, args: Factors, right: Factors) -> Expr:
    """u^T (a product) v: what is a number stands before it, and at most one factor has moments, or each of two has."""
    numbers, rest = _numbers_first(args)
    places = [k for k, arg in enumerate(rest) if arg.has(*MOMENTS)]
    if len(places) <= 1:
        k = places[0] if places else 0
        return _joined(*numbers, _between((*left, *rest[:k]), rest[k], (*rest[k + 1 :], *right)))
    for k in range(1, len(rest)):
        if (shape(Expr("*", rest[:k])), shape(Expr("*", rest[k:]))) == ("vector", "row"):
            return _joined(*numbers, _factors(left, rest[:k], ()), _factors((), rest[k:], right))
    whole = Expr("*", args)
    raise StatementError(f"{whole} is a product of matrices of moments; define one of them as a matrix", at=args[0].at)


def _numbers_first(args: Factors) -> tuple[Factors, Factors]:
    """The numbers of a product, those that its first factors make with one another too, and the other factors."""
    numbers: Factors = tuple(arg for arg in args if shape(arg) == "number")
    rest: Factors = tuple(arg for arg in args if shape(arg) != "number")
    for k in range(2, len(rest)):
        if shape(Expr("*", rest[:k])) == "number":
            more, others = _numbers_first(rest[k:])
            return (*numbers, *rest[:k], *more), others
    return numbers, rest


def _turned(factors: Factors) -> Factors:
    return tuple(one.args[0] if one.op == "T" else Expr("T", (one,)) for one in reversed(factors))


def _product(*factors: Expr) -> Expr:
    """The product, with numbers of its factors in front."""
    numbers: Factors = ()
    others: Factors = ()
    for one in factors:
        found = _numbers_first(one.args) if one.op == "*" else ((), (one,))
        numbers, others = (*numbers, *found[0]), (*others, *found[1])
    return _joined(*numbers, *others)


def _joined(*factors: Expr) -> Expr:
    flat = [part for one in factors for part in (one.args if one.op == "*" else (one,))]
    return flat[0] if len(flat) == 1 else Expr("*", tuple(flat))


def readable(text: str) -> str:
    """A text in which u^T M v stands, with M in its place: a step of a derivation as a reader knows it."""
    text = text.replace(f"{LEFT}.T*{RIGHT}", "I").replace(f"{LEFT}.T*", "").replace(f"*{RIGHT}", "")
    return text.replace(f"{LEFT}*", "").replace(f"*{LEFT}", "").replace(f"{RIGHT}.T*", "").replace(f"{RIGHT}*", "")
