"""Mutants: wrong versions of a statement's right side, made from its tree; a check that lets one pass proves little."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations

from theorems.statement.expression import MOMENTS, RANGES, Expr, StatementError, name, negative, number
from theorems.statement.proposition import Proposition
from theorems.statement.reading.places import place_of
from theorems.statement.reading.shapes import shape

#: Most mutants that are tried.
MOST = 72
#: What may have no value when something is exchanged in it.
_VALUELESS = (*MOMENTS, "series")


@dataclass(frozen=True)
class Mutant:
    """A right side that differs in one place, and what was changed."""

    label: str
    right: Expr


def mutants(prop: Proposition) -> list[Mutant]:
    """Right sides with one coefficient, sign, exponent, index, term or transpose changed, or two parts exchanged."""
    found: dict[Expr, Mutant] = {}
    own = _sorted(prop.right)
    for label, tree in _changes(prop):
        normal = _sorted(tree)
        if normal != own and _has_places(tree) and _converges(tree):
            found.setdefault(normal, Mutant(label, tree))
    return list(found.values())[:MOST]


def _sorted(tree: Expr) -> Expr:
    """The tree with what is added, or taken min and max of, in one order, so that min(j, i) is min(i, j)."""
    made = tree.mapped(_sorted)
    return Expr(made.op, tuple(sorted(made.args, key=str)), made.at) if made.op in ("min", "max", "+") else made


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
        from theorems.statement.moments.series import terms_of
    try:
        return all(terms_of(part).everywhere in (True, False) for part in sums)
    except StatementError:
        return False


def _changes(prop: Proposition) -> Iterator[tuple[str, Expr]]:
    right = prop.right
    yield from _terms(right)
    yield from exchanges(right)
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


def _edited(node: Expr, edit, into=lambda node: range(len(node.args))) -> Iterator[tuple[str, Expr]]:  # type: ignore[no-untyped-def]
    """The tree with one node edited, every way; ``into`` says in which arguments."""
    for label, changed in edit(node):
        yield label, changed
    for k in into(node):
        if isinstance(arg := node.args[k], Expr):
            for label, changed in _edited(arg, edit, into):
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


def exchanges(right: Expr) -> Iterator[tuple[str, Expr]]:
    """Every right side with two parts exchanged, but in moments, series and ends: they might lose their values."""
    yield from _edited(right, _exchanged, _into)


def _into(node: Expr) -> Iterable[int]:
    """The arguments in which parts may be exchanged: sums whose ends do, and series that do, need have no value."""
    return () if node.op in _VALUELESS else (0,) if node.op in RANGES else range(len(node.args))


def _exchanged(node: Expr) -> Iterator[tuple[str, Expr]]:
    """A factor of one term exchanged with one of another, of its kind; exponents of two factors; a quotient's ends.

    Of a term without a number the factor 1 is exchanged, and vectors and matrices that are multiplied are one factor.
    """
    if node.op == "/" and node.args[0] != number(1) and shape(node.args[0]) == "number" and not node.has(*_VALUELESS):
        yield f"{node.args[0]} and {node.args[1]} exchanged", Expr("/", (node.args[1], node.args[0]), node.at)
    if node.op == "*":
        powers = [(k, arg) for k, arg in enumerate(node.args) if shape(arg) == "number" and arg.op != "number"]
        for (k, one), (m, two) in combinations(powers, 2):
            (a, p), (b, q) = _base(one), _base(two)
            if a != b and p != q:
                yield f"{p} and {q} exchanged", _put(node, {k: _power(a, q), m: _power(b, p)})
    if node.op != "+":
        return
    for (k, one), (m, two) in combinations([(k, _factors(arg)) for k, arg in enumerate(node.args)], 2):
        for here, f in enumerate(one):
            for there, g in enumerate(two):
                if f != g and _kind(f) == _kind(g):
                    turned = (
                        _product([*one[:here], g, *one[here + 1 :]]),
                        _product([*two[:there], f, *two[there + 1 :]]),
                    )
                    yield f"{f} and {g} exchanged", _put(node, dict(zip((k, m), turned, strict=True)))


def _kind(node: Expr) -> tuple[str, bool, bool]:
    """Coefficients, what is made of positions and parameters, and what is made of vectors and matrices."""
    return shape(node), node.op == "number", node.has("matrix", "vector", "family", "token", "mean")


def _put(node: Expr, table: dict[int, Expr]) -> Expr:
    return Expr(node.op, tuple(table.get(k, arg) for k, arg in enumerate(node.args)), node.at)


def _base(node: Expr) -> tuple[Expr, Expr]:
    return node.args if node.op == "**" else (node, number(1))


def _power(base: Expr, exponent: Expr) -> Expr:
    return base if exponent == number(1) else Expr("**", (base, exponent))


def _factors(node: Expr) -> list[Expr]:
    """A number, the other factors that are numbers, and the product of all that is none."""
    parts = list(node.args) if node.op == "*" else [node]
    values = [part for part in parts if shape(part) == "number"]
    rest = [part for part in parts if shape(part) != "number"]
    if not any(part.op == "number" for part in values):
        values.insert(0, number(1))
    return [*values, *([_product(rest)] if rest else [])]


def _product(factors: list[Expr]) -> Expr:
    kept = [one for one in factors if one != number(1)]
    return Expr("*", tuple(kept)) if len(kept) > 1 else kept[0] if kept else number(1)


def _transposes(prop: Proposition):  # type: ignore[no-untyped-def]
    def edit(node: Expr) -> Iterator[tuple[str, Expr]]:
        square = node.op == "matrix" and len(set(prop.known.size(node.args[0]))) == 1
        if square and not prop.known.symmetric(node.args[0]):
            yield f"{node} -> {node}.T", Expr("T", (node,))

    return edit
