"""Cases of a proposition, drawn from its hypotheses, and the features that they should cover.

Hypothesis draws them in property tests; a check, which shrinks nothing, draws the same cases by a generator of its own,
as Hypothesis takes longer to be imported and to draw than the cases take to be sampled.

A case is exact and JSON-able: positions and d as integers, every other number as "p/q".
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from random import Random
from typing import TYPE_CHECKING, Any

from proofs_check.cases.rotations import rotated
from theorems.statement.deciding.enclosing import assumed
from theorems.statement.expression import coefficients
from theorems.statement.moments.waves import WAVES
from theorems.statement.proposition import Proposition
from theorems.statement.reading.entrywise import LEFT, RIGHT
from theorems.statement.reading.places import ZERO, Order, Place, ordered
from theorems.statement.reading.ranges import Range
from theorems.statement.values import cases as exact_cases

if TYPE_CHECKING:
    pass

Case = dict[str, Any]

#: Numbers drawn, simplest first, for entries, eigenvalues, variances and parameters.
ENTRIES = ("1", "0", "-1", "2", "1/2", "-2", "3", "-3/2")
SPECTRUM = ("1", "-1", "2", "1/2", "-2", "3", "-3/2", "0")
#: Entries of vectors that stand beside tokens in an exponential, whose tails grow with them.
GENTLE = ("1/4", "-1/4", "1/2", "0", "1/8", "-1/2", "3/8", "-1/8")
VARIANCES = ("1", "2", "1/4", "3", "1/64", "0")
NUMBERS = ("1", "2", "1/2", "-1", "3", "-1/2", "1/4", "5", "-3", "0", "1/8", "10", "7/8", "1/100")
FREEDOM = ("40", "24", "64", "100", "33")
#: Coefficients of a power series, and lengths over sqrt(d), of which high powers are taken.
COEFFICIENTS = ("1/4", "0", "1/2", "1", "1/8")
LENGTHS_DRAWN = ("1", "1/2", "3/4", "1/4")
#: How often a case is drawn where hypotheses are about moments, which few may meet.
TRIES = 8
#: Simple cases that are looked at for what another case lacks.
LOOKS = 1000
SHARES = ("1/2", "1/4", "3/4", "1", "1/8", "5/8")
#: The unit vectors of an entry's row and column.
UNITS = (LEFT, RIGHT)
#: Longest walk and largest dimension drawn.
LONGEST, LARGEST = 24, 8
#: Cases hold few different numbers, and a text takes longer to be read than to be found.
_rational = lru_cache(maxsize=4096)(Fraction)


@dataclass(frozen=True)
class Draw:
    """The choices of a case: the least of what is allowed, near it, or any; ``far`` takes any more often."""

    random: Random
    far: bool = False

    def one_of(self, options: Sequence[Any]) -> Any:
        """One of several, all alike."""
        return self.random.choice(options)

    def integer(self, low: int, high: int) -> int:
        """An integer from low to high: the least, one of the least four (unless far), or any."""
        near = high if self.far else min(low + 3, high)
        return self.random.randint(low, self.random.choice((low, near, high, high)))


def case_of(prop: Proposition, draw: Draw, longest: int = LONGEST, largest: int = LARGEST) -> Case:
    """A case that satisfies the hypotheses on positions, shapes and ranges."""
    case: Case = {}
    known = prop.known
    within = [
        one.args[0]
        for mark, one, two in known.relations
        if mark in ("<=", "<")
        and (two.op, *two.args) == ("name", "d")
        and one.op == "name"
        and one.args[0] in prop.positions
    ]
    # where at most d tokens are, the dimension is no smaller than they are many
    _draw_positions(draw, prop, case, largest if within else longest)
    if prop.matrices or known.vectors or prop.random:
        low = max(int(known.dimension.low or 1), *(case[name] for name in within), 1)
        high = int(known.dimension.high) if known.dimension.high is not None else max(low, largest)
        case["d"] = draw.integer(low, max(low, high))
    for name in prop.parameters:
        if name not in case:
            many = own_numbers(prop, name)
            case[name] = draw.one_of(many or [str(one) for one in numbers(range_of(prop, name))])
    for name in prop.matrices:
        case[name] = matrix(draw, prop, name, *(length(case, label) for label in known.size(name)))
    for name, label in _lists(prop):
        long = length(case, label)
        at = draw.integer(1, long) if name in UNITS else 0
        entries = GENTLE if steep(prop) else ENTRIES
        case[name] = unit(at, long) if at else [draw.one_of(entries) for _ in range(long)]
    return case


def steep(prop: Proposition) -> bool:
    """Whether tokens stand in an exponential, a cosine or a sine."""
    return any(part.op in WAVES and part.args[0].random for side in (prop.left, prop.right) for part in side.walk())


def unit(place: int, long: int) -> list[str]:
    """The unit vector with its 1 at a place."""
    return [str(int(k == place)) for k in range(1, long + 1)]


def readable_case(case: Mapping[str, Any]) -> Case:
    """A case as a reader knows it: the entry of a matrix by its row and column."""
    places = [case[name].index("1") + 1 for name in UNITS if name in case]
    return {**{n: v for n, v in case.items() if n not in UNITS}, **({"entry": places} if places else {})}


def whole_case(case: Case, props: Iterable[Proposition]) -> Case:
    """A case with the names that others of its claim's statements have, simplest first; as it is where none fit."""
    for prop in props:
        missing = names_given(prop).keys() - case.keys()
        if not missing:
            continue
        d = {"d": Range(Fraction(case["d"]), Fraction(case["d"]), integer=True)} if "d" in case else {}
        here = replace(prop, known=replace(prop.known, ranges={**prop.known.ranges, **d}))
        wholes = ({**case, **{n: other[n] for n in missing}} for other in itertools.islice(simple(here), LOOKS))
        case = next((whole for whole in wholes if satisfied(prop, whole)), case)
    return case


def range_of(prop: Proposition, name: str) -> Range:
    """The values of a parameter; sizes of matrices and of vectors go from 1 to LARGEST."""
    known = prop.known.ranges.get(name, Range())
    lengths = {label for label, _ in prop.known.sequences.values()}
    if name not in prop.known.size_names | lengths:
        return known
    low = max(known.low or Fraction(1), Fraction(1))
    return replace(known, low=low, high=known.high or low + LARGEST - 1, integer=True)


def length(case: Mapping[str, Any], label: str) -> int:
    """A size by its name or its number."""
    return int(label) if label.isdigit() else int(case[label])


def _lists(prop: Proposition) -> list[tuple[str, str]]:
    """The fixed vectors of a statement with their lengths."""
    square = [(name, "d") for name in (*prop.known.vectors, *(("m",) if prop.law.moved else ()))]
    return square + [(name, label) for name, (label, _) in prop.known.sequences.items()]


def names_given(prop: Proposition) -> dict[str, int]:
    """The names that a case has to give: 0 for those of numbers, 1 for those of lists, 2 for those of matrices."""
    numbers = dict.fromkeys((*exact_cases.free_names(prop), *(("d",) if prop.random else ())), 0)
    return numbers | dict.fromkeys((name for name, _ in _lists(prop)), 1) | dict.fromkeys(prop.matrices, 2)


def own_numbers(prop: Proposition, name: str) -> list[str]:
    """Values of a name whose tails have to be light enough for samples; none for another name.

    That is Student's nu, a length of isotropic tokens, or a coefficient of a power series.
    """
    many: tuple[str, ...] = ()
    if prop.law.kind == "iid-student" and str(prop.law.arguments[0]) == name:
        many = FREEDOM
    elif name in prop.law.lengths:
        many = LENGTHS_DRAWN
    elif any(name in coefficients(head) for head in prop.known.entire):
        many = COEFFICIENTS
    known = prop.known.ranges.get(name, Range())
    return [text for text in many if known.holds(Fraction(text))]


def numbers(known: Range) -> list[Fraction]:
    """Rationals of a range: simple ones that lie in it, its closed ends, and points inside a narrow one."""
    pool = [Fraction(text) for text in NUMBERS if known.holds(Fraction(text))]
    ends = [end for end in (known.low, known.high) if end is not None and known.holds(end)]
    if known.low is not None and known.high is not None:
        inside = [known.low + (known.high - known.low) * Fraction(k, 8) for k in (4, 2, 6, 1, 7)]
        pool += [value for value in inside if known.holds(value)]
    elif known.low is not None:
        pool += [value for k in (1, 2, 5) if known.holds(value := known.low + k)]
    elif known.high is not None:
        pool += [value for k in (1, 2, 5) if known.holds(value := known.high - k)]
    return list(dict.fromkeys([*pool, *ends]))


def matrix(draw: Draw, prop: Proposition, name: str, d: int, across: int) -> list[list[str]]:
    """A matrix of d rows of the shape that the hypotheses give: any, symmetric, positive (semi)definite, I."""
    if name == "Sigma" and prop.known.identity:
        return [[str(int(r == c)) for c in range(d)] for r in range(d)]
    shape = prop.known.shape(name)
    if shape == "any":
        found = [[draw.one_of(ENTRIES) for _ in range(across)] for _ in range(d)]
    else:
        values: tuple[str, ...] = VARIANCES if shape != "symmetric" else SPECTRUM
        values = values[:5] if shape == "positive definite" else values
        spectrum = [draw.one_of(values) for _ in range(d)]
        found = rotated(spectrum, [draw.integer(0, 2) for _ in range(d)])
    if name in prop.known.nonzero and not any(Fraction(entry) for row in found for entry in row):
        found[0][0] = "1"
    return found


def _draw_positions(draw: Draw, prop: Proposition, case: Case, longest: int) -> None:
    """Positions that satisfy what is known of their differences: one after the other, each within what is left."""
    shares = [name for name, form in prop.limit.regime if form.op == "name"]
    bounds = prop.known.places
    names = list(prop.positions)
    for name in sorted(names, key=lambda n: n != "T"):
        table = bounds.shortest(names)
        assert table is not None
        low = max(1 if name in prop.positions else 0, int(-table[ZERO, name]))
        high = int(min(table[name, ZERO], max(low, longest)))
        if name in shares:
            share = Fraction(draw.one_of(SHARES))
            value = min(max(low, round(share * case["T"])), max(low, high))
        else:
            value = draw.integer(low, max(low, high))
        case[name] = value
        bounds = bounds.with_(Place(name), Place(ZERO, value), 0).with_(Place(ZERO, value), Place(name), 0)
        if bounds.shortest(names) is None:
            # a share rounded to a place that another hypothesis forbids
            raise AssertionError(f"no place for {name} in {case}")
    for name, form in prop.limit.regime:
        if form.op == "name":
            case[form.args[0]] = str(Fraction(case[name], case["T"]))


def drawn(prop: Proposition, key: int, count: int, longest: int = LONGEST, far: bool = False) -> list[Case]:
    """At most ``count`` distinct cases that satisfy every hypothesis, the same for the same key."""
    found: dict[str, Case] = {}
    draw = Draw(Random(key), far)
    moments = any(side.has("E") for _, *sides in prop.known.relations for side in sides)
    for _ in range(count * (TRIES if moments and not prop.law.exchangeable else 1)):
        if len(found) == count:
            break
        case = case_of(prop, draw, longest)
        if satisfied(prop, case):
            found[json.dumps(case, sort_keys=True)] = case
    return list(found.values())


def far_out(prop: Proposition, order: Order, count: int = 8) -> list[Case]:
    """Cases in an order of the positions that begins beyond the longest walk drawn, 100 < i; none in a nearer one."""
    places = ordered(prop.known.places, order)
    table = places.shortest(prop.positions)
    assert table is not None
    least = max((int(-table[ZERO, name]) for name in prop.positions), default=0)
    if least <= LONGEST:
        return []
    return drawn(replace(prop, known=replace(prop.known, places=places)), 4, count, 2 * least)


def simple(prop: Proposition) -> Iterator[Case]:
    """Small cases from the smallest on, in the order in which a reader would try them by hand."""
    low = int(prop.known.dimension.low or 1)
    high = int(prop.known.dimension.high or max(LARGEST, low))
    options = [_choices(prop, name) for name in prop.parameters if name not in _shares(prop)]
    names = [name for name in prop.parameters if name not in _shares(prop)]
    for d in range(low, min(high, max(low, LARGEST)) + 1) if (prop.matrices or prop.random) else (0,):
        for places in _small_positions(prop):
            for values in itertools.islice(itertools.product(*options), 24):
                base: Case = {**places, **({"d": d} if d else {}), **dict(zip(names, values, strict=True))}
                lists = _lists(prop)
                samples = itertools.product(*(_samples(prop, name, base) for name in prop.matrices))
                listed = [_simple_lists(name, length(base, label), prop) for name, label in lists]
                for vectors, matrices_ in itertools.product(list(itertools.product(*listed)), list(samples)):
                    case = base | dict(zip(prop.matrices, matrices_, strict=True))
                    case |= {name: vector for (name, _), vector in zip(lists, vectors, strict=True)}
                    if satisfied(prop, case):
                        yield case


def _simple_lists(name: str, long: int, prop: Proposition) -> list[list[str]]:
    """A fixed vector, or every unit vector for the row or column of an entry; shorter ones in an exponential.

    Those of orthogonal tokens on the sphere are bounded, and light enough in their tails for longer ones. Of a vector
    in an equation, as norm(u) = 1 and u.T*v = 0, the unit vectors are tried.
    """
    equations = (side for mark, *sides in prop.known.relations if mark == "=" for side in sides)
    tied = any(part.op == "vector" and part.args[0] == name for side in equations for part in side.walk())
    units = [unit(place, long) for place in range(1, (long if name in UNITS or tied else 1) + 1)]
    if steep(prop) and name not in UNITS:
        longer = ("1",) if prop.law.kind == "frame-sphere" else ()
        short = [[one, *["0"] * (long - 1)] for one in ("1/2", "-1/4", "0", *longer)]
        return [*short, *units] if tied else short
    return units


def satisfied(prop: Proposition, case: Mapping[str, Any]) -> bool:
    """Whether a case satisfies every hypothesis, decided exactly."""
    return not exact_cases.admissible(prop, exact_case(prop, case)) and assumed(prop, case)


def exact_case(prop: Proposition, case: Mapping[str, Any]) -> exact_cases.Case:
    """A case in rational numbers."""
    lists = {name: value for name, value in case.items() if isinstance(value, list)}
    matrices_ = {
        name: tuple(tuple(map(_rational, row)) for row in rows)
        for name, rows in lists.items()
        if isinstance(rows[0], list)
    }
    vectors = {name: tuple(map(_rational, entries)) for name, entries in lists.items() if name not in matrices_}
    sequences = {name: vectors.pop(name) for name in prop.known.sequences if name in vectors}
    scalars = {name: _rational(value) for name, value in case.items() if name not in lists}
    return exact_cases.Case(scalars, matrices_, vectors, sequences)


def case_as_text(prop: Proposition, case: exact_cases.Case) -> Case:
    """The same of a case in rational numbers: positions and d as integers, everything else as text."""
    whole = {"d", *prop.positions}
    found: Case = {name: int(value) if name in whole else str(value) for name, value in case.numbers.items()}
    found |= {name: [[str(v) for v in row] for row in rows] for name, rows in case.matrices.items()}
    return found | {name: [str(v) for v in entries] for name, entries in {**case.vectors, **case.sequences}.items()}


def _shares(prop: Proposition) -> set[str]:
    return {form.args[0] for _, form in prop.limit.regime if form.op == "name"}


def _choices(prop: Proposition, name: str) -> list[str]:
    if many := own_numbers(prop, name):
        return many[:4]
    known = range_of(prop, name)
    found = [text for text in NUMBERS if known.holds(Fraction(text))][:4]
    if not found and known.low is not None and known.high is not None:
        found = [str((known.low + known.high) / 2)]
    return found or [str(known.low if known.low is not None else known.high)]


def _small_positions(prop: Proposition) -> Iterator[Case]:
    """Assignments of the positions by their sum."""
    names = list(prop.positions)
    known = prop.known
    found = []
    tops = {1: 12, 2: 6, 3: 5, 4: 4}
    for values in itertools.product(range(1, tops.get(len(names), 3) + 1), repeat=len(names)):
        point = dict(zip(names, values, strict=True))
        if known.places.hold(point):
            found.append(point)
    found.sort(key=lambda point: (sum(point.values()), list(point.values())))
    for point in found[:40]:
        shares = {
            form.args[0]: str(Fraction(point[name], point["T"]))
            for name, form in prop.limit.regime
            if form.op == "name"
        }
        yield {**point, **shares}


def _samples(prop: Proposition, name: str, case: Case) -> list[list[list[str]]]:
    """A few matrices of a shape that differ in kind: I, negative, indefinite, nilpotent, skew, singular, correlated."""
    d, across = (length(case, label) for label in prop.known.size(name))
    if d != across:
        ones = [[str(int(r == c)) for c in range(across)] for r in range(d)]
        return [ones, [["1"] * across for _ in range(d)], [[str(r - c) for c in range(across)] for r in range(d)]]
    one = [[str(int(r == c)) for c in range(d)] for r in range(d)]
    if name == "Sigma" and prop.known.identity:
        return [one]
    shape = prop.known.shape(name)
    alternate = [[str((-1) ** r * int(r == c)) for c in range(d)] for r in range(d)]
    last = [[str(int(r == c) * (r + 1)) for c in range(d)] for r in range(d)]
    flat = [[str(int(r == c == 0)) for c in range(d)] for r in range(d)]
    none = [["0"] * d for _ in range(d)]
    upper = [[str(int(c == r + 1)) for c in range(d)] for r in range(d)]
    mixed = [[str(int(r == c) + int(c == r + 1)) for c in range(d)] for r in range(d)]
    negative = [[str(-int(r == c)) for c in range(d)] for r in range(d)]
    tied = [["1/2" if r + c == 1 else str(int(r == c)) for c in range(d)] for r in range(d)]
    if shape == "positive definite":
        return [one, last, tied] if d > 1 else [one, [["2"]]]
    if shape == "psd":
        return [one, last, flat, tied, none] if d > 1 else [one, [["2"]], none]
    if shape == "symmetric":
        return [one, negative, alternate, last] if d > 1 else [one, negative, [["2"]]]
    skew = [[str((c > r) - (c < r)) for c in range(d)] for r in range(d)]
    return [one, negative, mixed, upper, alternate, skew] if d > 1 else [one, negative, [["2"]]]


def features(prop: Proposition, case: Mapping[str, Any]) -> set[str]:
    """What a case covers: dimensions, shapes and signs of matrices, coinciding positions and ends."""
    found = {f"d = {case['d']}" if case.get("d", 9) < 4 else "d >= 4"} if "d" in case else set()
    for name in prop.matrices:
        rows = [[*map(_rational, row)] for row in case[name]]
        if len(rows) != len(rows[0]):
            found.add(f"{name} {'tall' if len(rows) > len(rows[0]) else 'flat'}")
            continue
        trace = sum(rows[k][k] for k in range(len(rows)))
        found.add(f"tr({name}) {'>' if trace > 0 else '<' if trace < 0 else '='} 0")
        if rows != [list(column) for column in zip(*rows, strict=True)]:
            found.add(f"{name} not symmetric")
        if _determinant(rows) == 0:
            found.add(f"{name} singular")
    if set(UNITS) <= case.keys():
        found.add(f"entry {'on' if case[UNITS[0]] == case[UNITS[1]] else 'off'} the diagonal")
    vectors = {name: [*map(_rational, case[name])] for name, _ in _lists(prop) if name not in UNITS}
    found |= {f"{name} {'!' if any(entries) else ''}= 0" for name, entries in vectors.items()}
    for one, two in itertools.combinations(vectors, 2):
        product = sum(a * b for a, b in zip(vectors[one], vectors[two], strict=False))
        found.add(f"{one}.{two} {'>' if product > 0 else '<' if product < 0 else '='} 0")
    names = [name for name in prop.positions if name in case]
    for one, two in itertools.combinations(names, 2):
        found.add(f"{one} {'=' if case[one] == case[two] else '<' if case[one] < case[two] else '>'} {two}")
    found |= {f"{name} = 1" for name in names if case[name] == 1}
    found |= {f"{name} > {bound}" for name in names for bound in (3, 10) if case[name] > bound}
    return found


def _determinant(rows: list[list[Fraction]]) -> Fraction:
    import flint

    return Fraction(str(flint.fmpq_mat([[flint.fmpq(v.numerator, v.denominator) for v in row] for row in rows]).det()))


def distinct(cases: Iterable[Case]) -> Iterator[Case]:
    """Every case once: a case has one stream, and a second sample of it would be the first one again."""
    seen: list[Case] = []
    for case in cases:
        if case not in seen:
            seen.append(case)
            yield case


def covering(prop: Proposition, pool: list[Case], count: int) -> list[Case]:
    """At most ``count`` cases of the pool that together cover the most features, the simplest first among equals."""
    covered: set[str] = set()
    chosen: list[Case] = []
    rest = [(case, features(prop, case)) for case in sorted(pool, key=size)]
    while rest and len(chosen) < count:
        best = max(rest, key=lambda entry: len(entry[1] - covered))
        if chosen and not best[1] - covered:
            break
        chosen.append(best[0])
        covered |= best[1]
        rest.remove(best)
    return chosen


def counts(case: Mapping[str, Any]) -> dict[str, int]:
    """The dimension, the positions and the other integers of a case."""
    return {name: value for name, value in case.items() if isinstance(value, int)}


def size(case: Mapping[str, Any]) -> tuple[int, int, str]:
    """How large a case is: its dimension, its positions, the length of its numbers."""
    places = sum(value for value in case.values() if isinstance(value, int))
    text = json.dumps(case, sort_keys=True)
    return case.get("d", 0) + places, len(text), text
