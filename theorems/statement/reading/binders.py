"""Reading what binds names: ``every(relation, j, 1, n)``, ``exists(W, conditions)``, ``diff(f, theta)`` and alike."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from theorems.statement.expression import MOMENTS, TRUTHS, Expr, StatementError
from theorems.statement.reading.calculus import derivative

if TYPE_CHECKING:
    from theorems.statement.reading.language import Vocabulary, _Reader

_EVERY = "expected every(relation, j, first, last), e.g. every(z[i].T*W*z[j] > 0, i, 1, n, j, 1, n, i != j)"
_EXTREMAL = {
    "exists": "expected exists(W, conditions), e.g. exists(W, z[1].T*W*z[2] > 0)",
    "least": "expected least(f, W, conditions), e.g. least(norm(W, fro), W, z[1].T*W*z[2] >= 1)",
}


def every(reader: _Reader, head: str, node: ast.Call, depth: int) -> Expr:
    """A relation for every value of indices, the first one outermost: between two ends, or the entries of a sequence.

    Comparisons of indices at the end (``i != j``) leave out the values that do not satisfy them.
    """
    body = reader.build(node.args[0], depth) if node.args else None
    if body is None or body.op not in TRUTHS:
        raise reader.fail(_EVERY, node)
    return ranged(reader, node, depth, body, _EVERY)


def ranged(reader: _Reader, node: ast.Call, depth: int, body: Expr, expected: str, binder: str = "every") -> Expr:
    """The body under the indices and conditions that follow it in a call; ``expected`` is the error's mend."""
    place = 1
    bound: list[tuple[str, tuple[Expr, ...]]] = []
    while place < len(node.args) and isinstance(arg := node.args[place], ast.Name):
        label, rest = _index(reader, arg, [name for name, _ in bound]), node.args[place + 1 : place + 3]
        sequence = bool(rest) and isinstance(rest[0], ast.Name) and rest[0].id in reader.words.sequences
        ends = tuple(reader.build(one, depth) for one in (rest[:1] if sequence else rest))
        if len(ends) != (1 if sequence else 2) or any(end.op in TRUTHS for end in ends):
            raise reader.fail(expected, arg)
        if any(label in end.names() for end in ends):
            raise reader.fail(f"the ends of {label} hold {label} itself; rename one", arg)
        uncaught(reader, label, node)
        bound.append((label, ends))
        place += 1 + len(ends)
    conditions = [reader.build(one, depth) for one in node.args[place:]]
    if not bound or any(one.op != "relation" for one in conditions):
        raise reader.fail(expected, node if not bound else node.args[-1])
    body = Expr("given", (body, *conditions), body.at) if conditions else body
    for label, ends in reversed(bound):
        body = Expr(binder, (body, label, *ends), reader.place(node))
    return body


def taken(words: Vocabulary, label: str) -> bool:
    """Whether a word stands for something, so that it cannot be an index: that would be read in the index's place."""
    known = (words.matrices, words.vectors, words.sequences, words.families, words.entire)
    defined = (words.values, words.definitions, words.several)
    return label in ("x", "T", "d", "pi") or label.startswith("_") or any(label in table for table in known + defined)


def spoken(words: Vocabulary, label: str) -> frozenset[str]:
    """The names that a definition speaks of, but for its own indices; none of another word."""
    if label in words.values:
        return words.values[label].names()
    if label in words.definitions:
        index, body = words.definitions[label]
        return body.names() - {index}
    if label in words.several:
        indices, body = words.several[label]
        return body.names() - {*indices}
    return frozenset()


def uncaught(reader: _Reader, index: str, node: ast.Call) -> None:
    """StatementError where a definition in a body speaks of the name that is its index: that is another one."""
    for part in ast.walk(node.args[0]):
        if isinstance(part, ast.Name) and index in spoken(reader.words, part.id):
            told = f"{part.id} is defined by {index}, which is an index here"
            raise reader.fail(f"{told}; write {part.id}[{index}] = ..., or take another letter", part)


def _index(reader: _Reader, arg: ast.Name, before: list[str]) -> str:
    if taken(reader.words, arg.id) or arg.id in before:
        raise reader.fail(f"{arg.id} cannot be an index here; take another letter", arg)
    return arg.id


def series_of(reader: _Reader, head: str, body: Expr, index: str, first: Expr, node: ast.Call) -> Expr:
    """A sum to infinity, of terms whose ratio is rational in the index, so that it is known where it converges."""
    # it needs sympy, which a reading without such a sum does not import
    from theorems.statement.moments.series import terms_of

    if head != "sum":
        raise reader.fail(f"only a sum goes to oo; end {head}(...) at a number", node.args[3])
    found = Expr("series", (body, index, first))
    try:
        terms_of(found)
    except StatementError as error:
        raise reader.fail(str(error), node.args[0]) from None
    return found


def extremal(reader: _Reader, head: str, node: ast.Call, depth: int) -> Expr:
    """Whether some unknowns meet conditions, or the least value of a function of those that do.

    Unknowns are real d x d matrices (W, or another capital letter) or real numbers; conditions are linear in them.
    """
    first = int(head == "least")
    names: list[ast.Name] = []
    for arg in node.args[first:]:
        if not isinstance(arg, ast.Name):
            break
        names.append(arg)
    rest = node.args[first + len(names) :]
    if not names or not rest:
        raise reader.fail(_EXTREMAL[head], node)
    for arg in names:
        label = arg.id
        declared = {*reader.words.vectors, *reader.words.sequences, *reader.words.families, *reader.words.values}
        if label in {"x", "T", "d", "I", "Sigma", *declared} or label.startswith("_"):
            raise reader.fail(f"{label} is no unknown here; take another letter", arg)
    kinds = {arg.id: "matrix" if arg.id[0].isupper() else "number" for arg in names}
    built = [_bound(reader.build(arg, depth), kinds, reader, arg) for arg in (*node.args[:first], *rest)]
    for tree, arg in zip(built[first:], rest, strict=True):
        if tree.op not in TRUTHS or tree.op == "exists":
            raise reader.fail(_EXTREMAL[head], arg)
        for relation in _relations(tree):
            _check_condition(relation, set(kinds), head, reader.text, reader.place(arg))
    if first:
        _check_function(built[0], kinds, reader, node.args[0])
    return Expr(head, (*built[:first], ", ".join(kinds), *built[first:]))


def _bound(node: Expr, kinds: dict[str, str], reader: _Reader, arg: ast.expr) -> Expr:
    """The tree with the names of unknowns bound to them."""
    if node.op in ("name", "matrix") and node.args[0] in kinds:
        return Expr("unknown", (node.args[0], kinds[node.args[0]]), node.at)
    if node.op in ("exists", "least") and set(unknowns(node)) & set(kinds):
        raise reader.fail(f"{node} has an unknown of the same name; take another letter", arg)
    return node.mapped(lambda inner: _bound(inner, kinds, reader, arg))


def unknowns(node: Expr) -> tuple[str, ...]:
    """The names of the unknowns of ``exists`` or ``least``."""
    return tuple(str(node.args[int(node.op == "least")]).split(", "))


def conditions(node: Expr) -> tuple[Expr, ...]:
    """The conditions of ``exists`` or ``least``."""
    return tuple(node.args[1 + int(node.op == "least") :])


def _relations(node: Expr) -> list[Expr]:
    return [node] if node.op == "relation" else _relations(node.args[0])


def _check_condition(relation: Expr, names: set[str], head: str, text: str, at: int) -> None:
    mark, left, right = relation.args
    allowed = (">=", "<=") if head == "least" else (">=", "<=", ">", "<")
    if mark not in allowed:
        raise StatementError(f"{relation}: in a condition of {head}(...) expected one of {' '.join(allowed)}", text, at)
    if max(_degree(left, names), _degree(right, names)) != 1:
        raise StatementError(
            f"{relation} is not linear in {', '.join(sorted(names))}; expected e.g. a.T*W*b >= u", text, at
        )


def _check_function(node: Expr, kinds: dict[str, str], reader: _Reader, arg: ast.expr) -> None:
    """A norm of one unknown matrix, or a linear function of unknown numbers."""
    if node.op == "norm" and node.args[0].op == "unknown" and node.args[0].args[1] == "matrix":
        if len(kinds) == 1 and node.args[1]:
            return
        raise reader.fail(f"{node}; expected norm({node.args[0]}, 2|fro|nuclear) of one unknown", arg)
    if set(kinds.values()) == {"number"} and _degree(node, set(kinds)) == 1:
        return
    raise reader.fail(f"{node}; expected a norm of an unknown matrix, or a linear function of unknown numbers", arg)


def _degree(node: Expr, names: set[str]) -> int:
    """The degree in the unknowns, 0 or 1; 2 for any other dependence."""
    if node.op == "unknown":
        return int(node.args[0] in names)
    degrees = [_degree(arg, names) for arg in node]
    if not any(degrees):
        return 0
    if node.op in ("+", "T", "tr"):
        return max(degrees)
    if node.op == "*":
        return sum(degrees)
    if node.op in ("/", "sum"):
        return degrees[0] if not any(degrees[1:]) else 2
    return 2


def on_half_line(reader: _Reader, head: str, node: ast.Call, depth: int) -> Expr:
    """maxima(f, t, 0, oo), minima(f, t, 0, oo), and limit(f, t, oo)."""
    form, last = f"{head}(f, t, {'' if head == 'limit' else '0, '}oo)", node.args[-1] if node.args else node
    if len(node.args) != form.count(",") + 1 or not (isinstance(last, ast.Name) and last.id == "oo"):
        raise reader.fail(f"expected {form}, f in terms of t", node)
    return _of_function(reader, head, node, node.args[2:-1], depth, form)


def property_of(reader: _Reader, head: str, node: ast.Call, depth: int) -> Expr:
    """increasing(f, t, low, high), decreasing(...), peaks(...), positive(...)."""
    form = f"{head}(f, t, low, high)"
    if len(node.args) != 4:
        raise reader.fail(f"expected {form}, f in terms of t", node)
    return _of_function(reader, head, node, node.args[2:], depth, form)


def _of_function(reader: _Reader, head: str, node: ast.Call, places: list[ast.expr], depth: int, form: str) -> Expr:
    """What is said of a function of one name from place to place."""
    if not isinstance(node.args[1], ast.Name):
        raise reader.fail(f"expected {form}, f in terms of t", node)
    index = node.args[1].id
    if taken(reader.words, index):
        raise reader.fail(f"{index} is no parameter; take another letter", node.args[1])
    body, *ends = (reader.build(arg, depth) for arg in (node.args[0], *places))
    if index not in body.names():
        raise reader.fail(f"{body} does not depend on {index}; expected {form}, f in terms of t", node.args[0])
    if body.random:
        raise reader.fail(f"{body} is random; take a moment of it, e.g. E[{body}]", node.args[0])
    return Expr(head, (body, index, *ends))


def by_parameter(reader: _Reader, head: str, node: ast.Call, depth: int) -> Expr:
    """A derivative by a parameter, at a place where one is given."""
    if len(node.args) not in (2, 3) or not isinstance(node.args[1], ast.Name):
        raise reader.fail("expected diff(expression, theta), or diff(expression, theta, place)", node)
    index = node.args[1].id
    if taken(reader.words, index):
        raise reader.fail(f"{index} is no parameter; take another letter, such as theta", node.args[1])
    body = reader.build(node.args[0], depth)
    if _outside_limits(body):
        raise reader.fail(f"of moments only expectations are differentiated; write {body} by expectations", node)
    at = (
        reader.build(node.args[2], depth) if len(node.args) == 3 else Expr("name", (index,), reader.place(node.args[1]))
    )
    try:
        if not body.has("lim"):
            derivative(body, index)
    except StatementError as error:
        raise StatementError(str(error), reader.text, error.at if error.at >= 0 else reader.place(node)) from None
    return Expr("diff", (body, index, at))


def _outside_limits(node: Expr) -> bool:
    """Whether a moment other than an expectation stands outside of every lim(...)."""
    if node.op in MOMENTS and node.op != "E":
        return True
    return node.op != "lim" and any(_outside_limits(arg) for arg in node)
