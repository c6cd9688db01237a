"""The smallest case at which a statement without tokens is certified false: fewer dimensions, simpler numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

from theorems.statement.proposition import Proposition
from theorems.statement.values.cases import Case, reading
from theorems.statement.work import Work

Bad = Callable[[Case], bool]
#: Of more numbers than these, a case counts as several: it is drawn, judged and made small in more time.
MANY = 256


def cost(case: Case | None) -> float:
    """As how many cases one counts in a search; 1 where none was drawn."""
    return 1.0 if case is None else max(1.0, sum(1 for _ in case.entries()) / MANY)


def shrunk(prop: Proposition, case: Case, bad: Bad, work: Work) -> Case:
    """The least case by steps, each of which stays ``bad``: a lighter one is taken as soon as it is found."""
    best = case
    while not work.over:
        before = best
        best = _first(best, lambda one: _smaller(prop, one), bad, work)
        best = _first(best, _alike, bad, work)
        best = _first(best, _equal, bad, work)
        best = _first(best, _joint, bad, work)
        best = _numbers(prop, best, bad, work)
        if best == before:
            break
    return best


def _first(case: Case, changes: Callable[[Case], Iterator[Case]], bad: Bad, work: Work) -> Case:
    """Changes of one kind, each taken as often as one makes the case lighter."""
    while True:
        better = next(
            (one for one in changes(case) if one.weight < case.weight and work.spend(cost(one)) and bad(one)),
            None,
        )
        if better is None:
            return case
        case = better


def _numbers(prop: Proposition, case: Case, bad: Bad, work: Work) -> Case:
    """Every number in turn made as simple as it can be."""
    price = cost(case)
    for places in _slots(prop, case):
        old = [_at(case, place) for place in places]
        for simple in _simpler(old[0]):
            weight = _changed(case.weight, old, simple)
            if weight < case.weight and work.spend(price) and bad(one := _put(case, places, simple)):
                case = one
                break
    return case


def _changed(weight: tuple[int, int], old: list[Fraction], new: Fraction) -> tuple[int, int]:
    """The weight of a case once a number stands where others did; to weigh all of it takes a look at every entry."""
    digits, size = (
        before + len(old) * there - sum(gone)
        for before, there, gone in zip(weight, reading(new), zip(*map(reading, old), strict=True), strict=True)
    )
    return digits, size


def _equal(case: Case) -> Iterator[Case]:
    """All numbers and sequences of one size: u = v = 1, s = (B, -B)."""
    free = [name for name in case.numbers if name not in ("d", "n")]
    for size in (Fraction(text) for text in ("1", "1/2", "2", "1/10", "1/100", "10")):
        signed = {name: size if case.numbers[name] >= 0 else -size for name in free}
        sequences = {
            name: tuple(size if v > 0 else -size if v < 0 else v for v in entries)
            for name, entries in case.sequences.items()
        }
        if case.sequences:
            yield replace(case, sequences=sequences)
        if free:
            yield replace(case, numbers={**case.numbers, **signed})
            yield replace(case, numbers={**case.numbers, **signed}, sequences=sequences)


def _smaller(prop: Proposition, case: Case) -> Iterator[Case]:
    """One dimension less: a row, a column, or an entry of everything that has that size."""
    known = prop.known
    lengths = {size for size, _ in known.sequences.values() if not size.isdigit()}
    for size in sorted({"d", *lengths, *known.size_names} & case.numbers.keys()):
        n = int(case.numbers[size])
        for gone in range(n if n > 1 else 0):
            drop = partial(_without, gone)
            matrices = {}
            for name, rows in case.matrices.items():
                down, across = known.size(name)
                kept = drop(rows) if down == size else rows
                matrices[name] = tuple(drop(row) for row in kept) if across == size else kept
            vectors = {name: drop(v) if size == "d" else v for name, v in case.vectors.items()}
            sequences = {n: drop(v) if known.sequences[n][0] == size else v for n, v in case.sequences.items()}
            yield Case({**case.numbers, size: Fraction(n - 1)}, matrices, vectors, sequences)


def _without(gone: int, entries: tuple[Any, ...]) -> tuple[Any, ...]:
    return entries[:gone] + entries[gone + 1 :]


def _alike(case: Case) -> Iterator[Case]:
    """Whole matrices and sequences made simple at once."""
    for name, rows in case.matrices.items():
        for on, off in ((0, 0), (1, 0), (1, 1), (0, 1)):
            simple = tuple(
                tuple(Fraction(on if r == c else off) for c in range(len(row))) for r, row in enumerate(rows)
            )
            yield replace(case, matrices={**case.matrices, name: simple})
    for name, entries in case.sequences.items():
        for value in (Fraction(0), Fraction(1), Fraction(1, len(entries))):
            yield replace(case, sequences={**case.sequences, name: (value,) * len(entries)})


#: Where a number stands: "numbers" and its name, or what it is an entry of, with its indices.
Place = tuple[Any, ...]


def _slots(prop: Proposition, case: Case) -> Iterator[tuple[Place, ...]]:
    """Where every number of the case stands; an entry of a matrix alone and with its mirror image."""
    for name in case.numbers:
        yield (("numbers", name),)
    for name, rows in case.matrices.items():
        even = prop.known.symmetric(name)
        for r, row in enumerate(rows):
            for c in range(len(row)):
                here = ("matrices", name, r, c)
                if not even or r == c:
                    yield (here,)
                if (r < c or (c < r and not even)) and c < len(rows) and r < len(row):
                    yield (here, ("matrices", name, c, r))
    for kind in ("vectors", "sequences"):
        for name, entries in getattr(case, kind).items():
            for k in range(len(entries)):
                yield ((kind, name, k),)


def _at(case: Case, place: Place) -> Fraction:
    found = getattr(case, place[0])
    for key in place[1:]:
        found = found[key]
    return Fraction(found)


def _put(case: Case, places: tuple[Place, ...], new: Fraction) -> Case:
    """The case with a number put at these places of one table."""
    table = dict(getattr(case, places[0][0]))
    for _, name, *keys in places:
        table[name] = _with(table[name], keys, new)
    changed: dict[str, Any] = {places[0][0]: table}
    return replace(case, **changed)


def _with(entries: Any, keys: list[int], new: Fraction) -> Any:
    if not keys:
        return new
    return (*entries[: keys[0]], _with(entries[keys[0]], keys[1:], new), *entries[keys[0] + 1 :])


def _simpler(value: Fraction) -> Iterator[Fraction]:
    """Numbers that are simpler to read, the simplest first."""
    found = [Fraction(v) for v in (0, 1, -1, 2, -2)]
    if value.denominator > 1:
        found += [Fraction(round(value)), Fraction(int(value))]
        found += [value.limit_denominator(most) for most in (2, 3, 4, 5, 10, 100, 1000)]
    found += [Fraction(v) for v in (3, -3, "1/2", "-1/2", "1/4", "-1/4")]
    found += [Fraction(sign, 10**k) for k in range(1, 7) for sign in (1, -1)]
    size = abs(value)
    found += [Fraction(10**k if value > 0 else -(10**k)) for k in range(1, 8) if 10**k < size]
    yield from dict.fromkeys(one for one in (*found, value / 2, -value) if one != value)


def _joint(case: Case) -> Iterator[Case]:
    """Everything but whole numbers scaled at once: |s_j| <= B moves with B."""
    for factor in (Fraction(1, 2), Fraction(1, 10), Fraction(2)):
        yield replace(
            case,
            numbers={n: v if v.denominator == 1 and n in ("d", "n") else v * factor for n, v in case.numbers.items()},
            matrices={n: tuple(tuple(v * factor for v in row) for row in rows) for n, rows in case.matrices.items()},
            vectors={n: tuple(v * factor for v in entries) for n, entries in case.vectors.items()},
            sequences={n: tuple(v * factor for v in entries) for n, entries in case.sequences.items()},
        )
