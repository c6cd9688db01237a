"""Shapes of expressions: numbers, vectors, rows and matrices, told before anything is worked out."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache

from theorems.statement.expression import (
    ELEMENTARY,
    HALF_LINE,
    MOMENTS,
    PREDICATES,
    SEVERAL,
    SUMS,
    TRUTHS,
    Expr,
    StatementError,
)

#: How shapes multiply.
_PRODUCTS = {
    ("matrix", "matrix"): "matrix",
    ("matrix", "vector"): "vector",
    ("row", "matrix"): "row",
    ("row", "vector"): "number",
    ("vector", "row"): "matrix",
}
_TURNED = {"vector": "row", "row": "vector"}


@lru_cache(maxsize=1 << 14)
def shape(node: Expr, text: str = "") -> str:
    """number, vector, row, matrix or comparison; StatementError where shapes do not fit, at the place where that is."""
    op, args = node.op, node.args
    if op in ("token", "mean", "vector", "member", "family", "stack"):
        return "vector"
    if op == "unknown":
        return str(args[1])
    if op in TRUTHS:
        _truths(node, text)
        return "comparison"
    if op in ("matrix", "columns"):
        return "matrix"
    if op == "grad":
        _numbers(args[:1], text)
        return shape(args[1], text)
    if op == "at":
        return shape(args[0], text)
    if op in _OF_ONE:
        return _of_one(node, text)
    if op == "T":
        inner = shape(args[0], text)
        return _TURNED.get(inner, inner)
    if op == "+":
        found = [shape(arg, text) for arg in args]
        if len(set(found)) > 1:
            said = f"{node} adds a {found[0]} and a {_other(found)}"
            raise StatementError(f"{said}; expected equal shapes", text, node.at)
        return found[0]
    if op == "*":
        return _product(node, text)
    if op in ("/", "**", *SUMS):
        inner = shape(args[0], text)
        _numbers(args[1:], text)
        if op == "prod" and inner != "number":
            raise StatementError(f"{node} is a product of {inner}s; expected numbers", text, node.at)
        if op == "**" and inner not in ("number", "matrix"):
            raise StatementError(f"{node} is a power of a {inner}; expected e.g. norm(x[i])**2", text, node.at)
        return inner
    if op in PREDICATES:
        _numbers(args, text)
        return "comparison"
    if op == "entry" and isinstance(args[0], Expr):
        shape(args[0], text)
    if op == "indicator":
        shape(args[0], text)
        return "number"
    if op in ("diff", "series", "integral", "chance", "lim", *HALF_LINE):
        _numbers(args, text)
        return "number"
    if op in ("norm", "entrynorm"):
        if shape(args[0], text) == "matrix" and not args[1]:
            told = f"norm({args[0]}, 2) for the spectral norm, norm({args[0]}, fro) for Frobenius'"
            raise StatementError(f"{args[0]} is a matrix, which has several norms; write {told}", text, node.at)
        return "number"
    if op in _GATHERED:
        return _GATHERED[op](node, text)
    if op == "P":
        if (event := shape(args[0], text)) != "comparison":
            raise StatementError(f"P[...] of a {event}; expected a relation, e.g. P[x[i].T*W*x[j] > 0]", text, node.at)
        return "number"
    if op == "E":
        return shape(args[0], text)
    if op == "Cov" and "number" not in (shapes := {shape(arg, text) for arg in args}):
        if shapes != {"vector"}:
            said = f"{node} is of a {' and a '.join(sorted(shapes))}"
            raise StatementError(f"{said}; expected numbers, or vectors alone", text, node.at)
        return "matrix"
    if op == "Var" and shape(args[0], text) == "vector":
        raise StatementError(f"{args[0]} is a vector; write Cov[{args[0]}] for the matrix", text, node.at)
    if op in MOMENTS:
        _numbers(args, text)
    if op == "least":
        _numbers(args[:1], text)
        _truths(node, text)
    return "number"


def _truths(node: Expr, text: str) -> None:
    """Shapes inside what is true or false: numbers are compared, and conditions are true or false themselves."""
    if node.op in ("relation", *PREDICATES):
        _numbers(node.args, text)
        return
    if node.op == "every":
        _numbers(node.args[2:] if len(node.args) > 3 else (), text)
    for arg in node.args[:1] if node.op == "every" else node.args[node.op == "least" :]:
        if isinstance(arg, Expr):
            shape(arg, text)


def _of_one(node: Expr, text: str) -> str:
    """The shape of a function of one matrix or one vector."""
    wanted, found, form = _OF_ONE[node.op]
    inner, *rest = node.args
    if (given := shape(inner, text)) != wanted:
        told = inner.args[0] if inner.op == "each" else inner
        raise StatementError(f"{told} is a {given}; expected a {wanted}, e.g. {form}", text, max(inner.at, node.at))
    _numbers(rest, text)
    return found


def _each(node: Expr, text: str) -> str:
    """The shape of what stands for every value of an index, where its conditions hold."""
    body, _, *ends = node.args
    _numbers(tuple(ends) if len(ends) == 2 else (), text)
    if body.op == "given":
        body, *conditions = body.args
        for condition in conditions:
            _truths(condition, text)
    return shape(body, text)


def _of_numbers(node: Expr, text: str) -> str:
    _numbers(node.args, text)
    return "number"


def _extreme(node: Expr, text: str) -> str:
    """The extreme of numbers, or of the entries of one vector; of a vector beside others it could be either."""
    found = [shape(arg, text) for arg in node.args]
    for arg, kind in zip(node.args, found, strict=True):
        if kind not in ("number", "vector"):
            raise StatementError(f"{arg} is a {kind}; expected numbers or a vector in {node.op}(...)", text, arg.at)
    if len(found) > 1 and "vector" in found:
        own, word = node.op, "largest" if node.op == "max" else "smallest"
        args = list(zip(node.args, found, strict=True))
        whole = ", ".join(f"{own}({arg})" if kind == "vector" else f"{arg}" for arg, kind in args)
        entries = ", ".join(f"{_entry(arg)}" if kind == "vector" else f"{arg}" for arg, kind in args)
        raise StatementError(
            f"{node} has two readings, as {node.args[found.index('vector')]} is a vector: the {word} of all entries, "
            f"{own}({whole}), or the vector with the entries {own}({entries}); write the one that is meant",
            text,
            node.at,
        )
    return "number"


def _entry(vector: Expr) -> str:
    return f"({vector})[k]" if vector.op in ("+", "*", "/") else f"{vector}[k]"


def _hull(node: Expr, text: str) -> str:
    found = {shape(arg, text): arg for arg in node.args}
    wrong = next((arg for kind, arg in found.items() if kind not in ("vector", "matrix")), None)
    if wrong is not None or len(found) > 1:
        last = wrong or node.args[-1]
        said = f"{last} is a {shape(last, text)}; expected vectors alone, or matrices alone, in {node}"
        raise StatementError(said, text, max(last.at, node.at))
    return f"hull of {'vectors' if 'vector' in found else 'matrices'}"


def _distance(node: Expr, text: str) -> str:
    point, hull = node.args
    wanted = {"hull of vectors": "vector", "hull of matrices": "matrix"}[shape(hull, text)]
    zero = point.op == "number" and point.args[0] == 0
    if not zero and (found := shape(point, text)) != wanted:
        raise StatementError(
            f"{node}: {point} is a {found}; expected a {wanted}, as the hull has, or 0", text, max(point.at, node.at)
        )
    return "number"


_GATHERED: dict[str, Callable[[Expr, str], str]] = {
    "each": _each,
    **dict.fromkeys((*ELEMENTARY, "clip", "binomial"), _of_numbers),
    **dict.fromkeys(SEVERAL, _extreme),
    "largest": _of_numbers,
    "smallest": _of_numbers,
    "hull": _hull,
    "dist": _distance,
}


#: Functions of one matrix or one vector: of what, their own shape, how they are written.
_OF_ONE = {
    "tr": ("matrix", "number", "tr(W)"),
    "inv": ("matrix", "matrix", "inv(W)"),
    "eig": ("matrix", "vector", "eig(W)"),
    "column": ("matrix", "vector", "column(W, j)"),
    "softmax": ("vector", "vector", "softmax(s) of s in R^n"),
    "entropy": ("vector", "number", "entropy(s) of s in R^n"),
    "onto": ("vector", "matrix", "onto(v[j], j, 1, n)"),
}


def as_number(node: Expr) -> str:
    """How a capital letter that is read as a matrix is made a number; "" for what is no such letter."""
    own = node.op == "matrix" and node.args[0] not in ("W", "Sigma", "I")
    return f"write {node} in R among the hypotheses for a number: {node} real is a real matrix" if own else ""


def _numbers(args: Iterable[object], text: str) -> None:
    for arg in args:
        if isinstance(arg, Expr) and (found := shape(arg, text)) != "number":
            mend = as_number(arg) or "take a number of it, e.g. a.T*x[i] with a in R^d, or its norm"
            raise StatementError(f"{arg} is a {found}, not a number; {mend}", text, arg.at)


def _product(node: Expr, text: str) -> str:
    found = "number"
    for arg in node.args:
        other = shape(arg, text)
        joined = other if found == "number" else found if other == "number" else _PRODUCTS.get((found, other), "")
        if not joined:
            raise StatementError(
                f"{node} multiplies a {found} by a {other}; expected e.g. x[i].T*W*x[j]", text, max(arg.at, node.at)
            )
        found = joined
    return found


def _other(found: list[str]) -> str:
    return next(shape for shape in found if shape != found[0])
