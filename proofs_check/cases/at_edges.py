"""Cases of a proposition, drawn by Hypothesis at every edge of its hypotheses in turn, and which edges cases meet.

An *edge* is a least or greatest value that a hypothesis leaves a name, a position or d, and what lies well inside; two
numbers that are equal where a hypothesis says <=, and two positions; a fixed vector that is 0, and two that are equal
or opposite. An edge is no edge of a statement where one of the
hypotheses forbids it: then that one fails at every case which is put there.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import combinations
from random import Random
from typing import Any

from hypothesis import assume
from hypothesis import strategies as st

from proofs_check.cases.drawing import integers, least, sampled_from
from proofs_check.cases.drawn import key as key_of
from proofs_check.cases.of_statements import Case, Draw, case_as_text, case_of, exact_case, own_numbers, satisfied
from proofs_check.cases.rotations import rotated
from proofs_check.cases.wide import made
from proofs_check.cases.without_tokens import drawn as without_tokens
from theorems.statement.proposition import Proposition
from theorems.statement.reading.places import ZERO, Place
from theorems.statement.reading.ranges import Range
from theorems.statement.values.cases import failures, frame
from theorems.statement.values.values import scalar

#: Longest walks, largest dimensions; positions and whole numbers beyond MANY are well inside of their ranges.
LONGEST, LARGEST, MANY = 6, 8, 3
#: Walks and dimensions that are drawn at edges of their own, as each takes long.
LONG, LARGE = 32, 16
#: What small vectors are multiplied by.
SMALL = Fraction(1, 10**6)
#: Draws that are made for one that is kept, cases that are looked at for one that can be afforded, and cases that are
#: put at an edge before it is found to be forbidden.
TRIES, LOOKS, PUT = 6, 12, 12

Change = Callable[[Case], Case]


class _ByHypothesis(Draw):
    """The choices of a case, each made by Hypothesis; they shrink towards the simplest."""

    def one_of(self, options: Any) -> Any:
        return self.random(sampled_from(list(options)))  # type: ignore[operator]

    def integer(self, low: int, high: int) -> int:
        found: int = self.random(integers(low, high))  # type: ignore[operator]
        return found


@dataclass(frozen=True)
class Edge:
    """A narrower proposition whose cases lie at the edge, or a change that puts a case there; ``met`` reads it off."""

    name: str
    met: Callable[[Case], bool]
    prop: Proposition
    change: Change = dict


@st.composite
def strategy(draw: Any, prop: Proposition, change: Change = dict) -> Case:
    """A case of a proposition that satisfies its hypotheses, changed as asked for."""
    choices = _ByHypothesis(draw)
    case = _drawn(prop, choices)
    assume(case is not None)
    assert case is not None
    case = change(_stretched(choices, prop, case))
    assume(satisfied(prop, case))
    return case


def _drawn(prop: Proposition, choices: Draw) -> Case | None:
    if prop.random:
        return case_of(prop, choices, LONGEST, LARGEST)
    exact = without_tokens(prop, choices.one_of)
    return None if exact is None else case_as_text(prop, exact)


def _stretched(choices: Draw, prop: Proposition, case: Case) -> Case:
    """The vectors whose lengths are given, norm(u) = l, made so long."""
    for relation, left, right in prop.known.relations:
        if relation == "=" and left.op == "norm" and left.args[0].op == "vector" and right.op in ("name", "number"):
            d = case["d"]
            turned = rotated(["2", *["0"] * (d - 1)], [choices.integer(0, 2) for _ in range(d)])
            # the first column of H diag(2, 0, ..) H - I, which is orthogonal
            unit = [Fraction(row[0]) - (k == 0) for k, row in enumerate(turned)]
            long = scalar(right, exact_case(prop, case))
            assert isinstance(long, Fraction)
            case = {**case, left.args[0].args[0]: [str(long * entry) for entry in unit]}
    return case


def edges(prop: Proposition) -> dict[str, Edge]:
    """The edges of the hypotheses by name, without those that one of the hypotheses forbids."""
    return {edge.name: edge for edge in _edges(prop) if not forbidden(prop, edge)}


def _edges(prop: Proposition) -> Iterator[Edge]:
    known = prop.known
    for name in dict.fromkeys((*(("d",) if has_dimension(prop) else ()), *prop.parameters)):
        values = known.ranges.get(name, known.dimension if name == "d" else Range())
        parts = [Range(end, end) for end in (values.low, values.high) if end is not None and values.holds(end)]
        if own := own_numbers(prop, name):
            parts = [Range(end, end) for end in (min(map(Fraction, own)), max(map(Fraction, own)))]
        elif values.integer or name == "d":
            parts += [Range(Fraction(low), integer=True) for low in (MANY + 1, LARGE) if values.high is None]
        elif not prop.random:
            parts += [part for part in _inside(values) if not part.empty]
        for part in parts:
            narrow = replace(known, ranges={**known.ranges, name: replace(part, integer=values.integer or name == "d")})
            change = partial(_gentler, prop) if name == "d" and part.low == LARGE else dict
            yield Edge(_told(name, part), partial(_within, name, part), replace(prop, known=narrow), change)
    table = known.places.shortest(prop.positions)
    for name in prop.positions:
        low = max(1, int(-table[ZERO, name])) if table else 1
        ends = [Range(Fraction(low), Fraction(low)), *(Range(Fraction(max(low, m) + 1)) for m in (MANY, LONG))]
        for part in ends:
            assert part.low is not None
            end = Place(ZERO, int(part.low))
            between = (Place(name), end) if part.high is not None else (end, Place(name))
            narrow = replace(known, places=known.places.with_(*between, 0))
            yield Edge(_told(name, part), partial(_within, name, part), replace(prop, known=narrow))
    for one, two in combinations(prop.positions, 2):
        both = known.places.with_(Place(one), Place(two), 0).with_(Place(two), Place(one), 0)
        if both.shortest(prop.positions) is not None:
            yield Edge(f"{one} = {two}", partial(_equal, one, two), replace(prop, known=replace(known, places=both)))
    for relation, left, right in known.relations:
        if relation in ("<=", ">=") and left.op == right.op == "name":
            less, more = map(str, (left, right) if relation == "<=" else (right, left))
            yield Edge(f"{less} = {more}", partial(_equal, less, more), prop, partial(_level, less, more))
    for name in known.vectors:
        yield Edge(f"{name} = 0", partial(_vanishes, name), prop, partial(_put, name, name, 0))
        yield Edge(f"{name} small", partial(_small, name), prop, partial(_put, name, name, SMALL))
    for one, two in combinations(known.vectors, 2):
        for sign, told in ((1, f"{one} = {two}"), (-1, f"{one} = -{two}")):
            yield Edge(told, partial(_alike, one, two, sign), prop, partial(_put, one, two, sign))


def _inside(values: Range) -> Iterator[Range]:
    """Numbers of either sign that are small, and that are large."""
    for one in (Range(Fraction(0), Fraction(1, 4), low_open=True), Range(Fraction(4))):
        for low, high in ((one.low, one.high), (None if one.high is None else -one.high, -(one.low or Fraction(0)))):
            part = values
            part = part if low is None else replace(part, low=low if part.low is None else max(low, part.low))
            part = part if high is None else replace(part, high=high if part.high is None else min(high, part.high))
            yield replace(part, nonzero=True)


def _told(name: str, part: Range) -> str:
    if part.low == part.high:
        return f"{name} = {part.low}"
    ends = (f"{part.low} <= " if part.low is not None else "", f" <= {part.high}" if part.high is not None else "")
    return f"{ends[0]}{name}{ends[1]}"


def _within(name: str, part: Range, case: Case) -> bool:
    return part.holds(Fraction(case[name]))


def _equal(one: str, two: str, case: Case) -> bool:
    return Fraction(case[one]) == Fraction(case[two])


def _level(low: str, high: str, case: Case) -> Case:
    return {**case, low: case[high]}


def _vanishes(name: str, case: Case) -> bool:
    return not any(map(Fraction, case[name]))


def _small(name: str, case: Case) -> bool:
    return 0 < max(abs(Fraction(entry)) for entry in case[name]) < 1000 * SMALL


def _gentler(prop: Proposition, case: Case) -> Case:
    """The vectors a quarter as long, where they may be: tails of exponentials grow with their lengths, and with d."""
    short = {**case, **{name: [str(Fraction(entry) / 4) for entry in case[name]] for name in prop.known.vectors}}
    return short if satisfied(prop, short) else case


def _alike(one: str, two: str, sign: int, case: Case) -> bool:
    return any(map(Fraction, case[two])) and [sign * Fraction(v) for v in case[two]] == [*map(Fraction, case[one])]


def _put(one: str, two: str, factor: Fraction | int, case: Case) -> Case:
    return {**case, one: [str(factor * Fraction(entry)) for entry in case[two]]}


def forbidden(prop: Proposition, edge: Edge) -> str:
    """The hypothesis that fails at every case which is put at an edge; "" where none does."""
    failing: list[set[str]] = []
    generator = Random(edge.name)
    free = replace(edge.prop, known=replace(edge.prop.known, relations=()))
    for _ in range(PUT):
        choices = Draw(generator)
        case = _drawn(free, choices)
        if case is None:
            continue
        case = edge.change(_stretched(choices, prop, case))
        if edge.met(case):
            failing.append({*failures(prop, exact_case(prop, case))})
    return min(set.intersection(*failing), default="") if failing else ""


def drawn(prop: Proposition, at: Iterable[Edge], key: int, count: int) -> Iterator[list[Case]]:
    """``count`` lists of cases, of each of which the first that can be looked at is to be; the same for the same key.

    Those at every edge in turn, then others; no case stands in two lists.
    """
    targets: list[tuple[Proposition, Change]] = [(edge.prop, edge.change) for edge in at]
    targets.append((prop, dict))
    seen: set[str] = set()
    for place, (narrow, change) in enumerate(targets):
        wanted = max(1, count // len(targets) + (count % len(targets) if place == len(targets) - 1 else 0))
        tries = max(wanted, 2) * TRIES
        cases = made(strategy(narrow, change), key * len(targets) + place, tries, tries, seen)
        seen |= cases.keys()
        # Hypothesis begins with the simplest, and grows
        fresh = list(reversed(cases.values()))
        each = max(1, len(fresh) // wanted)
        yield from (fresh[k * each : (k + 1) * each][:LOOKS] for k in range(wanted) if fresh[k * each :])


def missed(at: Iterable[Edge], cases: Collection[Case]) -> list[str]:
    """The edges that none of the cases meets."""
    return sorted(edge.name for edge in at if not any(map(edge.met, cases)))


def smallest(prop: Proposition, wrong: Callable[[Case], bool], at: Iterable[Edge] = (), looks: int = 80) -> Case | None:
    """The smallest case that Hypothesis finds with the property: any, or one at such edges; None where it finds none.

    In so many looks each, of few dimensions first, as a case of many is seldom led to one of few.
    """
    for narrow, change in ((prop, dict), *((edge.prop, edge.change) for edge in at)):
        known, dimension = narrow.known, narrow.known.dimension
        for most in map(Fraction, (2, 4) if has_dimension(prop) and dimension.high is None else ()):
            few = replace(narrow, known=replace(known, ranges={**known.ranges, "d": replace(dimension, high=most)}))
            if not few.known.dimension.empty and (found := _smallest(few, change, wrong, looks)) is not None:
                return found
        if (found := _smallest(narrow, change, wrong, looks)) is not None:
            return found
    return None


def has_dimension(prop: Proposition) -> bool:
    """Whether cases of a statement have a dimension d."""
    return prop.random or "d" in frame(prop).names


def _smallest(prop: Proposition, change: Change, wrong: Callable[[Case], bool], looks: int) -> Case | None:
    known: dict[str, bool] = {}

    def seen(case: Case) -> bool:
        name = key_of(case)
        if name not in known:
            # what is not looked at any more is not wrong, every time
            known[name] = len(known) < looks and wrong(case)
        return known[name]

    return least(strategy(prop, change), seen, looks, Random(prop.text))
