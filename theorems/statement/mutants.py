"""Mutants: wrong versions of a statement's right side, made from its tree; a check that lets one pass proves little."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from theorems.statement.expression import Expr, StatementError, name, negative, number
from theorems.statement.places import place_of
from theorems.statement.proposition import Proposition

#: Most mutants that are tried.
MOST = 48


@dataclass(frozen=True)
class Mutant:
    """A right side that differs in one place, and what was changed."""

    label: str
    right: Expr


def mutants(prop: Proposition) -> list[Mutant]:
    """Right sides that differ by one coefficient, sign, exponent, index, term or transpose; equal trees once."""
    found: dict[Expr, str] = {}
    for label, tree in _changes(prop):
        if _sorted(tree) != _sorted(prop.right) and _has_places(tree) and _converges(tree):
            found.setdefault(tree, label)
    return [Mutant(label, tree) for tree, label in list(found.items())[:MOST]]


def _sorted(tree: Expr) -> Expr:
    """The tree with what min and max are taken of in one order, so that min(j, i) is min(i, j)."""
    made = tree.mapped(_sorted)
    return Expr(made.op, tuple(sorted(made.args, key=str)), made.at) if made.op in ("min", "max") else made


def _has_places(tree: Expr) -> bool:
    """Whether tokens stand at places, and sums over them begin and end at such: not at k**2, 0 or T + 1."""
    places = [part.args[0] for part in tree.walk() if part.op == "token"]
    places += [end for part in tree.walk() if part.op == "sum" and part.random for end in part.args[2:]]
    try:
        return all(
            place.offset <= 0 if place.name == "T" else place.name or place.offset > 0
            for place in map(place_of, places)
        )
    except StatementError:
        return False


def _converges(tree: Expr) -> bool:
    """Whether sums to infinity have terms with a ratio that does not grow: what diverges says nothing."""
    sums = [part for part in tree.walk() if part.op == "series"]
    if sums:
        # it needs sympy
        from theorems.statement.series import terms_of
    try:
        return all(terms_of(part).everywhere in (True, False) for part in sums)
    except StatementError:
        return False


def _changes(prop: Proposition) -> Iterator[tuple[str, Expr]]:
    right = prop.right
    yield from _terms(right)
    yield from _edited(right, _numbers)
    yield from _edited(right, _transposes(prop))
    positions = [place for place in prop.positions if place in right.names()]
    for place in positions:
        for shift in (1, -1):
            moved = Expr("+", (name(place), number(shift)))
            yield f"{place} -> {moved}", right.put({place: moved})
        for other in prop.positions:
            if other != place:
                yield f"{place} -> {other}", right.put({place: name(other)})
    for k, one in enumerate(positions):
        for two in positions[k + 1 :]:
            yield f"{one} and {two} exchanged", right.put({one: name(two), two: name(one)})


def _terms(right: Expr) -> Iterator[tuple[str, Expr]]:
    """Every term with its sign turned, doubled, or left out."""
    terms = list(right.args) if right.op == "+" else [right]
    for k, term in enumerate(terms):
        others = (*terms[:k],), (*terms[k + 1 :],)
        if term == number(0):
            yield "0 -> 1", number(1)
            continue
        yield f"sign of {term}", _sum((*others[0], negative(term), *others[1]))
        yield f"{term} doubled", _sum((*others[0], Expr("*", (number(2), term)), *others[1]))
        if len(terms) > 1:
            yield f"without {term}", _sum((*others[0], *others[1]))


def _sum(terms: tuple[Expr, ...]) -> Expr:
    return terms[0] if len(terms) == 1 else Expr("+", terms)


def _edited(node: Expr, edit) -> Iterator[tuple[str, Expr]]:  # type: ignore[no-untyped-def]
    """The tree with one node edited, every way."""
    for label, changed in edit(node):
        yield label, changed
    for k, arg in enumerate(node.args):
        if isinstance(arg, Expr):
            for label, changed in _edited(arg, edit):
                yield label, Expr(node.op, (*node.args[:k], changed, *node.args[k + 1 :]), node.at)


def _numbers(node: Expr) -> Iterator[tuple[str, Expr]]:
    if node.op == "number" and node.args[0] != -1:
        value = node.args[0]
        for other in (value + 1, value - 1):
            yield f"{value} -> {other}", number(other)
    if node.op == "**" and node.args[1].op == "number":
        yield f"{node} -> {node.args[0]}", node.args[0]
    if node.op == "name":
        yield f"{node} -> {node}**2", Expr("**", (node, number(2)))


def _transposes(prop: Proposition):  # type: ignore[no-untyped-def]
    def edit(node: Expr) -> Iterator[tuple[str, Expr]]:
        square = node.op == "matrix" and len(set(prop.known.size(node.args[0]))) == 1
        if square and not prop.known.symmetric(node.args[0]):
            yield f"{node} -> {node}.T", Expr("T", (node,))

    return edit
