"""Token positions and their orders: i, j + 1, 3, T, and every order that hypotheses leave open.

A position is a name plus an integer. What is known of positions are differences, ``one - two <= bound``; the positions
lie between 1 and T, where the statement has a T. A statement about all positions is decided order by order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from theorems.statement.expression import Expr, StatementError

#: The name of the position 0, before every token; most orders that are looked at one by one.
ZERO = ""
MAX_ORDERS = 600


@dataclass(frozen=True, order=True)
class Place:
    """The position ``name + offset``; a constant has the name ZERO."""

    name: str
    offset: int = 0

    def __str__(self) -> str:
        if not self.name:
            return str(self.offset)
        return self.name if not self.offset else f"{self.name} {'+' if self.offset > 0 else '-'} {abs(self.offset)}"


def place_of(node: Expr, text: str = "") -> Place:
    """The position that an expression states; StatementError for any other than a name plus an integer."""
    total: dict[str, Fraction] = {}
    for term in node.args if node.op == "+" else (node,):
        factors = term.args if term.op == "*" else (term,)
        names = [f.args[0] for f in factors if f.op == "name"]
        rest = [f for f in factors if f.op not in ("name", "number")]
        weight = Fraction(1)
        for factor in factors:
            weight *= factor.args[0] if factor.op == "number" else 1
        if rest or len(names) > 1:
            if node.op in ("vector", "family", "member", "matrix"):
                raise StatementError(f"{node} is no position, as hypotheses say; take another letter", text, node.at)
            raise StatementError(f"{node} is no position; expected i, i + 1, T - 1 or an integer", text, node.at)
        key = names[0] if names else ZERO
        total[key] = total.get(key, Fraction(0)) + weight
    offset = total.pop(ZERO, Fraction(0))
    left = {key: value for key, value in total.items() if value}
    if offset.denominator != 1 or len(left) > 1 or any(value != 1 for value in left.values()):
        raise StatementError(f"{node} is no position; expected i, i + 1, T - 1 or an integer", text, node.at)
    return Place(next(iter(left), ZERO), int(offset))


@dataclass(frozen=True)
class Differences:
    """What is known of positions: ``one - two <= bound`` for names (ZERO is the position 0)."""

    bounds: tuple[tuple[str, str, int], ...] = ()

    def with_(self, one: Place, two: Place, gap: int) -> Differences:
        """And ``one - two <= gap``."""
        return Differences((*self.bounds, (one.name, two.name, gap - one.offset + two.offset)))

    def names(self) -> set[str]:
        """Every name that something is known of."""
        return {name for one, two, _ in self.bounds for name in (one, two)} - {ZERO}

    def shortest(self, names: Iterable[str]) -> dict[tuple[str, str], float] | None:
        """The tightest bound of every difference; None where the bounds contradict each other."""
        nodes = sorted({ZERO, *names, *self.names()})
        table = {(a, b): 0.0 if a == b else float("inf") for a in nodes for b in nodes}
        for one, two, bound in self.bounds:
            table[one, two] = min(table[one, two], bound)
        for k in nodes:
            for a in nodes:
                for b in nodes:
                    table[a, b] = min(table[a, b], table[a, k] + table[k, b])
        return None if any(table[a, a] < 0 for a in nodes) else table

    def hold(self, values: dict[str, int]) -> bool:
        """Whether they hold where every name has this value."""
        known = {ZERO: 0, **values}
        return all(known[one] - known[two] <= bound for one, two, bound in self.bounds)


@dataclass(frozen=True)
class Order:
    """One order of positions: ``nodes`` strictly increasing, each a class of equal places, as far as it matters.

    ``values`` replaces names that the order ties to another one.
    """

    nodes: tuple[tuple[Place, ...], ...]
    values: tuple[tuple[str, Place], ...] = ()

    def index(self, place: Place) -> int:
        """The number of the node that a place belongs to; KeyError for a place that is in none."""
        for number, node in enumerate(self.nodes):
            if place in node:
                return number
        raise KeyError(str(place))

    def __str__(self) -> str:
        return " < ".join(" = ".join(map(str, node)) for node in self.nodes)


def orders(places: Sequence[Place], known: Differences) -> Iterator[Order]:
    """Every strict order of the places (classes of equal ones) that what is known allows; StatementError for too many.

    Two places of one name lie apart by their offsets; a place that is at most 0 does not exist.
    """
    distinct = sorted(set(places))
    names = {place.name for place in distinct} | known.names()
    found: list[tuple[tuple[tuple[Place, ...], ...], Differences]] = [((), known)]
    for place in distinct:
        extended = []
        for nodes, bounds in found:
            for slot in range(len(nodes) + 1):
                for joined in (True, False):
                    if joined and slot == len(nodes):
                        continue
                    new = _inserted(nodes, place, slot, joined)
                    tight = _with_order(bounds, place, nodes, slot, joined)
                    if tight.shortest(names) is not None:
                        extended.append((new, tight))
        found = extended
        if len(found) > MAX_ORDERS:
            raise StatementError(f"over {MAX_ORDERS} orders of the positions; say more of their order with --for")
    for nodes, bounds in found:
        yield Order(nodes, tuple(_tied(bounds, names)))


def _inserted(
    nodes: tuple[tuple[Place, ...], ...], place: Place, slot: int, joined: bool
) -> tuple[tuple[Place, ...], ...]:
    if joined:
        return (*nodes[:slot], (*nodes[slot], place), *nodes[slot + 1 :])
    return (*nodes[:slot], (place,), *nodes[slot:])


def _with_order(
    bounds: Differences, place: Place, nodes: tuple[tuple[Place, ...], ...], slot: int, joined: bool
) -> Differences:
    if joined:
        other = nodes[slot][0]
        return bounds.with_(place, other, 0).with_(other, place, 0)
    if slot > 0:
        bounds = bounds.with_(nodes[slot - 1][0], place, -1)
    if slot < len(nodes):
        bounds = bounds.with_(place, nodes[slot][0], -1)
    return bounds


def _tied(bounds: Differences, names: set[str]) -> Iterator[tuple[str, Place]]:
    """Names whose difference to another one (or to 0) is one integer."""
    table = bounds.shortest(names)
    assert table is not None
    kept = [ZERO]
    for one in sorted(names - {ZERO}, key=lambda n: (n == "T", n), reverse=True):
        anchor = next((two for two in kept if table[one, two] == -table[two, one]), None)
        if anchor is None:
            kept.append(one)
        else:
            yield one, Place(anchor, int(table[one, anchor]))


def ordered(known: Differences, order: Order) -> Differences:
    """What is known of positions in one order of them."""
    for node in order.nodes:
        for one, two in pairwise(node):
            known = known.with_(one, two, 0).with_(two, one, 0)
    for first, second in pairwise(order.nodes):
        known = known.with_(first[0], second[0], -1)
    return known
