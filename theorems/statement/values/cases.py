"""Exact cases of a statement without tokens: numbers, matrices, vectors and sequences, and whether the hypotheses hold.

A case is rational throughout, so that every hypothesis is decided exactly or in balls, never in floating point.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import groupby, product
from typing import Any

from theorems.algebra.norms import is_semidefinite, is_symmetric
from theorems.statement.expression import BINDERS, HOLDS, Expr
from theorems.statement.proposition import Proposition
from theorems.statement.reading.coherent import of_every_entry
from theorems.statement.reading.ranges import Range
from theorems.statement.values import monotone
from theorems.statement.values.arithmetic import UndefinedError, Vector
from theorems.statement.values.kept import once
from theorems.statement.values.numbers import rational_at
from theorems.statement.values.truths import truth
from theorems.statement.values.values import compared, value

Rows = tuple[tuple[Fraction, ...], ...]
#: The vectors of a family of one index, or lists of lists of vectors for one of several.
Members = tuple[Any, ...]


@dataclass(frozen=True)
class Case:
    """One exact choice of everything that a statement leaves open; ``numbers`` holds sizes and positions too."""

    numbers: Mapping[str, Fraction] = field(default_factory=dict)
    matrices: Mapping[str, Rows] = field(default_factory=dict)
    vectors: Mapping[str, tuple[Fraction, ...]] = field(default_factory=dict)
    sequences: Mapping[str, tuple[Fraction, ...]] = field(default_factory=dict)
    families: Mapping[str, Members] = field(default_factory=dict)
    #: of a finite exchangeable law: sets of tokens, equally likely, each in random order
    ensemble: tuple[Rows, ...] = ()

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        # ratios of integers are hashed in a part of the time that fractions take; equal mappings may differ in order;
        # balls, which have no hash, are equal to themselves alone
        exact = (one for one in self.entries() if isinstance(one, Fraction))
        return hash(tuple(sorted(map(Fraction.as_integer_ratio, exact))))

    def plain(self) -> dict[str, Any]:
        """The case as text, as the other side reads it: {"numbers": {"u": "1/2"}, "matrices": {"W": [["0", ...]]}}."""
        return {
            "numbers": {name: str(value) for name, value in self.numbers.items()},
            "matrices": {name: [[str(v) for v in row] for row in rows] for name, rows in self.matrices.items()},
            "vectors": {name: [str(v) for v in entries] for name, entries in self.vectors.items()},
            "sequences": {name: [str(v) for v in entries] for name, entries in self.sequences.items()},
            **(
                {"families": {name: _texts(members) for name, members in self.families.items()}}
                if self.families
                else {}
            ),
        } | (
            {"tokens": [[[str(v) for v in one] for one in tokens] for tokens in self.ensemble]} if self.ensemble else {}
        )

    def entries(self) -> Iterator[Fraction]:
        """Every number of the case."""
        yield from self.numbers.values()
        for rows in self.matrices.values():
            for row in rows:
                yield from row
        for table in (self.vectors, self.sequences):
            for values in table.values():
                yield from values
        for members in self.families.values():
            yield from _flat(members)
        for tokens in self.ensemble:
            for token in tokens:
                yield from token

    @cached_property
    def weight(self) -> tuple[int, int]:
        """How much there is to read in a case, the least first: digits, then numerators and denominators."""
        # ratios of integers are hashed and compared in a fraction of the time that fractions take
        counted = Counter(map(Fraction.as_integer_ratio, self.entries()))
        found = [(count, reading(Fraction(*ratio))) for ratio, count in counted.items()]
        return sum(count * digits for count, (digits, _) in found), sum(count * size for count, (_, size) in found)

    def with_number(self, name: str, value: Fraction) -> Case:
        """The case with one number changed."""
        return replace(self, numbers={**self.numbers, name: value})

    def __str__(self) -> str:
        parts = [f"{name} = {value}" for name, value in sorted(self.numbers.items())]
        for name, rows in sorted(self.matrices.items()):
            parts.append(f"{name} = [{', '.join('[' + ', '.join(map(str, row)) + ']' for row in rows)}]")
        for table in (self.vectors, self.sequences):
            parts += [f"{name} = ({_listed(entries)})" for name, entries in sorted(table.items())]
        parts += [f"{name} = {str(_texts(one)).replace(chr(39), '')}" for name, one in sorted(self.families.items())]
        if self.ensemble:
            shown = [f"({', '.join(f'({_listed(one)})' for one in tokens)})" for tokens in self.ensemble]
            parts.append(f"x one of {', '.join(shown)}, in random order")
        return ", ".join(parts)


def reading(value: Fraction) -> tuple[int, int]:
    """How much there is to read in a number: its digits and signs, and its numerator and denominator."""
    digits = len(str(value)) + (value != 0) + 2 * (value.denominator > 1) + (value < 0)
    return digits, abs(value.numerator) + value.denominator


def _texts(members: Any) -> Any:
    return [_texts(one) for one in members] if isinstance(members, tuple) else str(members)


def _flat(members: Any) -> Iterator[Fraction]:
    if isinstance(members, tuple):
        for one in members:
            yield from _flat(one)
    else:
        yield members


def _listed(entries: tuple[Fraction, ...]) -> str:
    """Entries as text; of a long sequence, how often a value stands one after the other."""
    if len(entries) <= 8:
        return ", ".join(map(str, entries))
    runs = [(value, len(list(group))) for value, group in groupby(entries)]
    return ", ".join(f"{value} {count} times" if count > 1 else str(value) for value, count in runs)


@dataclass(frozen=True)
class Frame:
    """What a case of a statement has to give: names of numbers, sizes among them, names of entries, matrices."""

    names: tuple[str, ...]
    sizes: frozenset[str]
    quantified: frozenset[str]
    indices: Mapping[str, Expr]
    matrices: tuple[str, ...]
    entries: tuple[Expr, ...]


def free_names(prop: Proposition) -> tuple[str, ...]:
    """The numbers that a case has to give: parameters, positions, sizes and d, not what hypotheses quantify over."""
    return frame(prop).names


@once
def frame(prop: Proposition) -> Frame:
    """The frame of a statement."""
    sides = (prop.left, prop.right)
    sizes = frozenset(size for size, _ in prop.known.sequences.values() if not size.isdigit())
    sizes |= {name for bounds in prop.known.families.values() for _, last in bounds for name in last.names()}
    quantified = _quantified(prop)
    names = {name for side in sides for name in side.names()} | set(prop.parameters) | set(prop.positions) | sizes
    sizes |= prop.known.size_names
    square = [node for node in _nodes(prop) if node.op == "matrix" and "d" in prop.known.size(node.args[0])]
    if set(prop.matrices) - set(prop.known.sizes) or prop.known.vectors or prop.known.families or square:
        names.add("d")
    names |= sizes
    entries = []
    for side in sides:
        inner = {node.args[1] for node in side.walk() if node.op in BINDERS}
        entries += [node for node in side.walk() if node.op == "entry" and not node.names() & inner]
    found = _indices(prop)
    return Frame(tuple(sorted(names - quantified)), sizes, quantified, found, prop.matrices, tuple(entries))


def _quantified(prop: Proposition) -> frozenset[str]:
    """Names of entries in hypotheses alone, which hold for every entry: the j of ``p[j] >= 0``."""
    return of_every_entry(prop.known) - {name for side in (prop.left, prop.right) for name in side.names()}


def _indices(prop: Proposition) -> dict[str, Expr]:
    """Names that stand for an entry, i of softmax(s)[i], with what they are an entry of."""
    found: dict[str, Expr] = {}
    for side in (prop.left, prop.right):
        free = side.names()
        for node in side.walk():
            if node.op == "entry":
                for name in node.args[-1].names() & free:
                    head = node.args[0]
                    found.setdefault(name, Expr("family", (head,)) if isinstance(head, str) else head)
    return found


def _nodes(prop: Proposition) -> Iterator[Expr]:
    sides = [prop.left, prop.right]
    for _, one, two in prop.known.relations:
        sides += [one, two]
    for side in sides:
        yield from side.walk()


def only_set(prop: Proposition, sequence: str) -> bool:
    """Whether a sequence occurs only where ``at`` sets it, so that its entries at a case do not matter."""
    variable = Expr("family", (sequence,))

    def free(node: Expr) -> bool:
        if node.op == "at" and node.args[1] == variable:
            return free(node.args[2])
        own = node == variable or (node.op == "entry" and node.args[0] == sequence)
        return own or any(free(arg) for arg in node)

    sides = [prop.left, prop.right, *(side for _, one, two in prop.known.relations for side in (one, two))]
    return not any(free(side) for side in sides)


def admissible(prop: Proposition, case: Case) -> str:
    """ "" where a case satisfies every hypothesis, else the one that fails; KeyError for a name that the case lacks."""
    return next(failures(prop, case), "")


def failures(prop: Proposition, case: Case) -> Iterator[str]:
    """The hypotheses that a case does not satisfy; KeyError for a name that it lacks."""
    yield from _sizes_fail(prop, case)
    yield from _numbers_fail(prop, case)
    yield from _matrices_fail(prop, case)
    yield from _bounds_fail(prop, case)
    yield from _relations_fail(prop, case)
    yield from (str(one) for one in prop.known.truths if not truth(one, case))
    yield from _properties_fail(prop, case)
    yield from _entries_fail(prop, case)


def _whole(value: Fraction) -> bool:
    return value.denominator == 1 and value >= 1


def _sizes_fail(prop: Proposition, case: Case) -> Iterator[str]:
    known, shape = prop.known, frame(prop)
    for name in (*prop.positions, *sorted(shape.sizes), *shape.indices, *(["d"] if "d" in shape.names else [])):
        if not _whole(case.numbers[name]):
            yield f"{name} = {case.numbers[name]} is no integer >= 1"
    for name, (size, _) in known.sequences.items():
        wanted = Fraction(size) if size.isdigit() else case.numbers[size]
        if len(case.sequences[name]) != wanted:
            yield f"{name} has {len(case.sequences[name])} entries, not {size} = {wanted}"
    for name, (low, high) in known.choices.items():
        ends = [end for end in (value(low, case), value(high, case)) if isinstance(end, Fraction)]
        inside = len(ends) == 2 and all(ends[0] <= entry <= ends[1] for entry in case.sequences[name])
        if not inside or any(entry.denominator != 1 for entry in case.sequences[name]):
            yield f"{name} holds another number than an integer from {low} to {high}"
    rectangles = {name: rows for name, rows in case.matrices.items() if name in known.sizes}
    for name, rows in rectangles.items():
        wanted_size = [Fraction(size) if size.isdigit() else case.numbers[size] for size in known.sizes[name]]
        if len(rows) != wanted_size[0] or {len(row) for row in rows} != {wanted_size[1]}:
            yield f"{name} is not {wanted_size[0]} x {wanted_size[1]}"
    square = {name: {len(rows), *map(len, rows)} for name, rows in case.matrices.items() if name not in rectangles}
    square |= {name: {len(entries)} for name, entries in case.vectors.items()}
    for name, bounds in known.families.items():
        lengths = [int(rational_at(last, case.numbers)) - first + 1 for first, last in bounds]
        if not _filled(case.families[name], [*lengths, int(case.numbers["d"])]):
            yield f"{name} has not {' x '.join(map(str, lengths))} vectors of dimension d = {case.numbers['d']}"
    for name, found in square.items():
        if found != {case.numbers["d"]}:
            yield f"{name} is not of dimension d = {case.numbers['d']}"


def _filled(members: Any, lengths: list[int]) -> bool:
    """Whether nested tuples have these lengths, the outermost first."""
    if not lengths:
        return not isinstance(members, tuple)
    return len(members) == lengths[0] and all(_filled(one, lengths[1:]) for one in members)


def _numbers_fail(prop: Proposition, case: Case) -> Iterator[str]:
    known = prop.known
    for name, values in known.ranges.items():
        if not values.holds(case.numbers[name]):
            yield f"{name} = {case.numbers[name]} lies outside {_said(values)}"
    positions = {name: int(case.numbers[name]) for name in known.places.names()}
    if not known.places.hold(positions):
        yield f"the positions {positions} are not in the order that is assumed"
    for one, two in known.unequal:
        places = [positions.get(place.name, case.numbers.get(place.name, 0)) + place.offset for place in (one, two)]
        if places[0] == places[1]:
            yield f"{one} != {two}"


def _said(values: Range) -> str:
    low = "(-oo" if values.low is None else f"{'(' if values.low_open else '['}{values.low}"
    high = "oo)" if values.high is None else f"{values.high}{')' if values.high_open else ']'}"
    return f"{low}, {high}{', integer' * values.integer}{', not 0' * values.nonzero}"


def _matrices_fail(prop: Proposition, case: Case) -> Iterator[str]:
    known = prop.known
    for name, rows in case.matrices.items():
        if _is_identity(rows):
            # it is of every shape
            continue
        listed, shape = [list(row) for row in rows], known.shape(name)
        if shape == "symmetric" and not is_symmetric(listed):
            yield f"{name} symmetric"
        if shape in ("psd", "positive definite") and not is_semidefinite(listed, definite=shape != "psd"):
            yield f"{name} {shape}"
        if name in known.nonzero and not any(map(any, rows)):
            yield f"{name} != 0"
        if name == "Sigma" and known.identity:
            yield "Sigma = I"


def _is_identity(rows: Rows) -> bool:
    return {len(rows)} == {*map(len, rows)} and all(
        value == int(r == c) for r, row in enumerate(rows) for c, value in enumerate(row)
    )


def _bounds_fail(prop: Proposition, case: Case) -> Iterator[str]:
    for name, (_, bound) in prop.known.sequences.items():
        if bound is None:
            continue
        largest = max(map(abs, case.sequences[name]), default=Fraction(0))
        if _sign(Expr("number", (largest,)), bound, case) not in (-1, 0):
            yield f"abs({name}[j]) <= {bound}"


def _relations_fail(prop: Proposition, case: Case) -> Iterator[str]:
    free = frame(prop).quantified
    for relation, left, right in prop.known.relations:
        if not prop.law.exchangeable and (left.has("E") or right.has("E")):
            # moments are derived, which needs more than a case
            continue
        names = sorted((left.names() | right.names()) & free)
        longest = max((len(entries) for entries in case.sequences.values()), default=0)
        for choice in product(range(1, longest + 1), repeat=len(names)):
            point = case
            for name, number in zip(names, choice, strict=True):
                point = point.with_number(name, Fraction(number))
            try:
                sign = _sign(left, right, point, strict=True)
            except IndexError:
                continue
            if sign not in HOLDS[relation]:
                yield f"{left} {relation} {right}"
                break


def _properties_fail(prop: Proposition, case: Case) -> Iterator[str]:
    for part in prop.known.properties:
        try:
            found = monotone.truth(part, case)
        except UndefinedError:
            found = False
        if found is not True:
            yield str(part)


def _entries_fail(prop: Proposition, case: Case) -> Iterator[str]:
    """An entry that does not exist makes no case: softmax(s)[2] for n = 1."""
    for node in frame(prop).entries:
        head = Expr("family", (node.args[0],)) if isinstance(node.args[0], str) else node.args[0]
        try:
            place, length = value(node.args[-1], case), _length(head, case)
        except UndefinedError:
            continue
        if not (isinstance(place, Fraction) and place.denominator == 1 and 1 <= place <= length):
            yield f"{node}: there is no such entry for a length of {length}"


def _length(head: Expr, case: Case) -> int:
    """How many entries a vector has; a random one as many as the family that it is made of."""
    if head.random:
        made = next((node for node in head.walk() if node.op == "stack"), None)
        if made is None:
            raise UndefinedError(f"{head} is random")
        last, first = value(made.args[3], case), value(made.args[2], case)
        return int(last) - int(first) + 1 if isinstance(last, Fraction) and isinstance(first, Fraction) else 0
    if head.op in ("at", "grad", "softmax"):
        # as long as what it is of or by: no gradient is worked out to be counted
        return _length(head.args[head.op == "grad"], case)
    vector = value(head, case)
    return len(vector.entries) if isinstance(vector, Vector) else 0


def _sign(left: Expr, right: Expr, case: Case, strict: bool = False) -> int | None:
    """The certified sign of left - right; None where it is undefined or the balls settle none."""
    try:
        return compared(left, right, case)
    except IndexError:
        if strict:
            raise
        return None
    except UndefinedError:
        return None
