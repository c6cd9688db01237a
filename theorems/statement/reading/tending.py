"""What tends where: one name or several at once, T with shares of it, and products of names that have limits too."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from theorems.statement.expression import Expr, StatementError
from theorems.statement.reading.language import Vocabulary, parsed
from theorems.statement.reading.places import Differences
from theorems.statement.reading.ranges import Range
from theorems.statement.reading.syntax import about, split_top

_GOES = re.compile(r"^\s*(.+?)\s*->\s*(.+?)\s*$")
_INFINITE = {"oo": 1, "infinity": 1, "inf": 1, "-oo": -1, "-infinity": -1, "-inf": -1}


@dataclass(frozen=True)
class Goes:
    """An expression that tends to a value, or to infinity with a sign (``value`` None)."""

    source: Expr
    value: Expr | None
    sign: int = 1

    def __str__(self) -> str:
        return f"{self.source} -> {self.value if self.value is not None else 'oo' if self.sign > 0 else '-oo'}"


@dataclass(frozen=True)
class Limit:
    """What tends where: ``name`` (T, or a parameter) to ``value`` (an expression, or ``oo``).

    ``regime`` maps a position to the proportion of T that it tends to: i/T -> theta. ``together`` holds what tends
    where several do at once (xi -> oo, eta -> 0, xi*eta -> r), or one to -oo, or a number made of vectors does
    (u.T*v -> -oo): for every such sequence.
    """

    variable: str = ""
    value: Expr | None = None
    regime: tuple[tuple[str, Expr], ...] = ()
    text: str = ""
    together: tuple[Goes, ...] = ()

    @property
    def of_vectors(self) -> bool:
        """Whether a number made of vectors tends, which stands for no name."""
        return len(self.together) == 1 and not self.variable.isidentifier()

    def names(self) -> set[str]:
        """The names of what tends, T apart, and of where."""
        found = {name for _, form in self.regime for name in form.names()}
        if self.variable and self.variable != "T" and not self.of_vectors:
            found.add(self.variable)
        found |= self.value.names() if self.value is not None else set()
        for one in self.together:
            found |= one.source.names() | (one.value.names() if one.value is not None else set())
        return found


def read_limit(text: str, words: Vocabulary) -> Limit:
    """The limit that a text states; StatementError points at what cannot be read."""
    goes: list[tuple[Goes, int]] = []
    regime: list[tuple[str, Expr]] = []
    for part, column in split_top(text, ",;"):
        if not part.strip():
            continue
        match = _GOES.match(part)
        if match is None:
            raise StatementError(f"{part.strip()!r} is no limit; expected e.g. T -> oo, i/T -> theta", text, column)
        source, target = match[1].replace(" ", ""), match[2].strip()
        place = column + match.start(2)
        if source.endswith("/T") and source[:-2].isidentifier():
            if source[:-2] in dict(regime):
                raise StatementError(f"{source} tends to two limits; keep one", text, column)
            regime.append((source[:-2], _share(source, target, words, text, place)))
            continue
        tree = parsed(match[1], words, text, column + match.start(1))
        moving = tree.names() or tree.has("vector", "matrix")
        if tree.op in ("number", "matrix", "vector", "family") or not moving or tree.random:
            raise StatementError(
                f"{source[:30]!r} tends nowhere; expected T -> oo, i/T -> theta or lam -> 0", text, column
            )
        sign = _INFINITE.get(target.replace(" ", ""))
        value = parsed(target, words, text, place) if sign is None else None
        goes.append((Goes(tree, value, sign or 1), column))
    return _limit(goes, regime, text)


def _share(source: str, target: str, words: Vocabulary, text: str, column: int) -> Expr:
    share = parsed(target, words, text, column)
    if share.op != "name" and not (share.op == "number" and 0 <= Fraction(share.args[0]) <= 1):
        raise StatementError(
            f"{source} tends to {target}; expected a name such as theta, or a number from 0 to 1", text, share.at
        )
    return share


def _limit(goes: list[tuple[Goes, int]], regime: list[tuple[str, Expr]], text: str) -> Limit:
    words = " ".join(text.split())
    if not goes:
        return Limit("T" if regime else "", None, tuple(regime), words)
    first = goes[0][0]
    own = {one.source.args[0] for one, _ in goes if one.source.op == "name"}
    if len(goes) == 1 and first.source.op == "name" and first.sign > 0:
        return Limit(first.source.args[0], first.value, tuple(regime), words)
    for k, (one, column) in enumerate(goes):
        if "T" in one.source.names() or regime:
            raise StatementError("T tends to oo alone, or with shares of it; write T -> oo, i/T -> theta", text, column)
        loose = one.source.names() - own
        if loose:
            raise StatementError(
                f"{one.source} tends to a limit, and nothing is said of {min(loose)}; say where it tends", text, column
            )
        if any(one.source == other.source for other, _ in goes[:k]):
            raise StatementError(f"{one.source} tends to two limits; keep one", text, column)
        if one.value is not None and one.value.names() & own:
            moving = min(one.value.names() & own)
            told = f"{one.source} tends to {one.value}, but {moving} tends itself"
            raise StatementError(f"{told}; expected a number, or a name that stays", text, column)
    if len(goes) == 1:
        # a number made of vectors and matrices: along every sequence of these
        return Limit(str(first.source), first.value, (), words, (first,))
    leading = next(one for one, _ in goes if one.source.op == "name")
    return Limit(leading.source.args[0], leading.value, (), words, tuple(one for one, _ in goes))


def share_ranges(ranges: Mapping[str, Range], limit: Limit, places: Differences) -> dict[str, Range]:
    """The ranges of names, with 0 <= theta <= 1 for the share of T that i tends to, and theta <= phi where i <= j."""
    found = dict(ranges)
    named = [(position, form.args[0]) for position, form in limit.regime if form.op == "name"]
    for _, share in named:
        found[share] = found.get(share, Range()).within(Fraction(0), Fraction(1))
    gaps = places.shortest(position for position, _ in named) or {}
    for one, low in named:
        for two, high in named:
            if gaps.get((one, two), math.inf) < math.inf:
                found[high] = found[high].between(found[low], Range())
                found[low] = found[low].between(Range(), found[high])
    return found


def check_limit(
    sides: tuple[Expr, ...], relation: str, error: tuple[str, Expr] | None, limit: Limit, text: str, given: str
) -> None:
    """Raise StatementError where a relation and a limit do not fit: what tends is not said, or moves on the right."""
    if relation in ("->", "~") and not limit.variable:
        raise StatementError(
            f"{relation} without what tends where; add --as, e.g. --as 'T -> oo'", text, text.find(relation)
        )
    moving = {limit.variable, *(position for position, _ in limit.regime)}
    moving |= {name for one in limit.together for name in one.source.names()}
    if relation == "->" and (stuck := sorted(moving & sides[1].names())):
        raise StatementError(
            f"{stuck[0]} tends, and {sides[1]} moves with it; write ~, or divide both sides by it",
            text,
            sides[1].at,
        )
    if limit.variable == "T" and limit.value is not None:
        raise StatementError(f"T tends to oo alone, not to {limit.value}; write T -> oo", given, 0)
    if error is not None and not limit.variable:
        raise StatementError("an error term without what tends where; add --as, e.g. --as 'T -> oo'", text, error[1].at)
    reached = any(side.has("lim") for side in sides)
    if reached and (not limit.variable or limit.together or relation in ("->", "~") or error is not None):
        raise about(
            "lim",
            text,
            "lim(...) is a number, along one limit that --as says: write lim(f) = value with --as 'T -> oo'",
        )
    if limit.variable and relation not in ("->", "~") and error is None and not reached:
        raise StatementError(
            f"--as {given!r}, but {relation} states no limit; write -> or add o(...)", text, text.find(relation)
        )
