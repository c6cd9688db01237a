"""Cases of a statement without tokens, drawn from its hypotheses: small and corner ones first, exact throughout."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor
from random import Random
from typing import Any, cast

from theorems.statement.expression import Expr, StatementError
from theorems.statement.proofs.matrices import about_matrices
from theorems.statement.proposition import Proposition
from theorems.statement.reading.ranges import Range
from theorems.statement.values.arithmetic import Matrix, UndefinedError, times
from theorems.statement.values.cases import Case, Rows, admissible, frame
from theorems.statement.values.numbers import rational_at
from theorems.statement.values.values import scalar

#: Chooses one of several; the simplest stand first.
Pick = Callable[[Sequence[Any]], Any]
#: Sizes and positions go from the least to LARGEST - 1 above it; sequences may be LONG too, which costs little.
LARGEST = 6
LONG = (10, 25, 60)
#: The part of a case's choices that is drawn again.
AGAIN = 0.15
#: Numbers that are tried where nothing else is said: corners, simple ones, tiny and huge ones.
SIMPLE = tuple(Fraction(v) for v in (0, 1, -1, 2, -2, 3, -3)) + tuple(
    Fraction(a, b) for a, b in ((1, 2), (-1, 2), (1, 3), (3, 2), (-3, 2), (1, 4), (3, 4), (5, 2), (1, 10), (-1, 10))
)
EXTREME = tuple(Fraction(v) for v in (5, -5, 10, -10, 100, -100, 10**4)) + tuple(
    Fraction(sign, size) for size in (100, 10**4) for sign in (1, -1)
)
#: Of which the entries of one vector are.
POOLS = (tuple(map(Fraction, (0, 1))), tuple(map(Fraction, (-1, 0, 1))), SIMPLE, (*SIMPLE, *EXTREME))
#: Parts of an interval, and of the distance from its end.
FRACTIONS = tuple(Fraction(text) for text in ("1/2", "1/4", "3/4", "1/100", "99/100", "1/3"))
NEXT = (Fraction(1), Fraction(1, 100), Fraction(10))
STEPS = tuple(Fraction(k, 8) for k in (8, -8, 0, 4, -4, 2, -2, 6, -6, 1, 7))


class Choices:
    """Choices at random, or those of an earlier case with some of them drawn again."""

    def __init__(self, generator: Random, before: Choices | None = None) -> None:
        self.generator = generator
        self.made: list[float] = []
        self.before = [] if before is None else [u if generator.random() > AGAIN else None for u in before.made]

    def __call__(self, options: Sequence[Any]) -> Any:
        """One of the options."""
        kept = self.before[len(self.made)] if len(self.made) < len(self.before) else None
        self.made.append(self.generator.random() if kept is None else kept)
        return options[int(self.made[-1] * len(options))]


def drawn(prop: Proposition, pick: Pick) -> Case | None:
    """One case by a sequence of choices; None where the hypotheses refuse it."""
    return Drawing(prop, pick).case()


def plain_cases(prop: Proposition) -> Iterator[Case]:
    """The cases that one tries by hand: all sizes alike, every matrix with ones on its diagonal or everywhere."""
    for size in (1, 2, 3):
        for everywhere in (False, True):
            case = _Plain(prop, lambda options: options[0], size, everywhere).case()
            if case is not None:
                yield case


@lru_cache(maxsize=256)
def numbers_of(values: Range) -> tuple[Fraction, ...]:
    """Numbers in a range, its ends and what lies next to them first."""
    ends = [end for end in (values.low, values.high) if end is not None]
    inner: list[Fraction] = list(ends)
    if values.low is not None and values.high is not None:
        width = values.high - values.low
        inner += [values.low + width * part for part in FRACTIONS]
    else:
        inner += [end + sign * step for end in ends for step in (*FRACTIONS[:2], *NEXT) for sign in (1, -1)]
    found = tuple(dict.fromkeys(value for value in (*inner, *SIMPLE, *EXTREME) if values.holds(value)))
    return found or (Fraction(0) if values.low is None else values.low,)


def simplex(prop: Proposition) -> dict[str, Fraction]:
    """Sequences that hypotheses make probability vectors, p[j] >= 0 and sum(p[j], j, 1, n) = 1, with their sums."""
    nonnegative = {
        left.args[0]
        for relation, left, right in prop.known.relations
        if relation in (">=", ">") and left.op == "entry" and right.op == "number" and right.args[0] == 0
    }
    found = {}
    for relation, left, right in prop.known.relations:
        if relation == "=" and left.op == "sum" and right.op == "number" and right.args[0] > 0:
            body, index, first, _ = left.args
            plain = (
                body.op == "entry"
                and body.args[1] == Expr("name", (index,))
                and first == Expr("number", (Fraction(1),))
            )
            if plain and body.args[0] in nonnegative:
                found[body.args[0]] = right.args[0]
    return found


class Drawing:
    """What a case of a statement is made of, by choices; a kind of cases makes some of it otherwise."""

    def __init__(self, prop: Proposition, pick: Pick) -> None:
        self.prop, self.pick = prop, pick

    def case(self) -> Case | None:
        prop, known, shape = self.prop, self.prop.known, frame(self.prop)
        whole = shape.sizes | {"d"}
        bounded = {name for _, bound in known.sequences.values() if bound is not None for name in bound.names()}
        numbers: dict[str, Fraction] = {}
        for name in sorted(shape.names, key=lambda n: (n not in whole, n)):
            numbers[name] = self._number(name, name in whole, name in bounded)
        lengths = {n: int(size) if size.isdigit() else int(numbers[size]) for n, (size, _) in known.sequences.items()}
        longest = max(lengths.values(), default=0)
        for name in shape.indices:
            top = longest or int(numbers.get("d", Fraction(1)))
            numbers[name] = Fraction(self.pick(range(1, top + 1)))
        d = int(numbers.get("d", Fraction(1)))
        matrices = {}
        for name in shape.matrices:
            rows, columns = (int(n) if n.isdigit() else int(numbers[n]) for n in known.size(name))
            matrices[name] = self._matrix(name, rows) if rows == columns else self._rectangle(rows, columns)
        case = Case(numbers, matrices, {n: self._vector(d) for n in known.vectors})
        totals = simplex(prop)
        sequences = {}
        for name, (_, bound) in known.sequences.items():
            if name in totals:
                sequences[name] = self._shares(lengths[name], totals[name])
                continue
            if name in known.choices:
                entries = self._whole(lengths[name], *known.choices[name], case)
                if not entries:
                    return None
                sequences[name] = entries
                continue
            largest = None if bound is None else _rational(bound, case)
            if largest is not None and largest < 0:
                return None
            sequences[name] = self._sequence(lengths[name], largest)
        families = {
            name: self._members([int(rational_at(last, numbers)) - first + 1 for first, last in ends], d)
            for name, ends in known.families.items()
        }
        case = Case(case.numbers, case.matrices, case.vectors, sequences, families)
        return None if admissible(prop, case) else case

    def _number(self, name: str, whole: bool, bounds: bool) -> Fraction:
        values = self.prop.known.ranges.get(name, Range())
        if name in self.prop.positions or whole:
            low = max(int(values.low), 1) if values.low is not None else 1
            long = LONG if name in frame(self.prop).sizes and not about_matrices(self.prop) else ()
            options = [*range(low, low + LARGEST), *long]
            return Fraction(self.pick([k for k in options if values.high is None or k <= values.high] or [low]))
        choice: Fraction = self.pick(numbers_of(values))
        return abs(choice) if bounds and values.holds(abs(choice)) else choice

    def _entries(self, count: int) -> tuple[Fraction, ...]:
        pool, pick = self.pick(POOLS), self.pick
        return tuple(pick(pool) for _ in range(count))

    def _vector(self, d: int) -> tuple[Fraction, ...]:
        return self._entries(d)

    def _members(self, lengths: Sequence[int], d: int) -> tuple[Any, ...]:
        """The vectors of a family, as deep as it has indices."""
        if not lengths:
            return self._vector(d)
        return tuple(self._members(lengths[1:], d) for _ in range(lengths[0]))

    def _sequence(self, length: int, top: Fraction | None) -> tuple[Fraction, ...]:
        """Entries within the bound ``top``: all equal, some apart from the others, at corners, or anywhere."""
        kinds = ["equal", "one apart", "some apart"] + ([] if length > LARGEST else ["corners", "inside"])
        kind, scale = self.pick(kinds), Fraction(1) if top is None else top
        pool: Sequence[Fraction] = (*SIMPLE, *EXTREME) if top is None else STEPS
        if kind in ("corners", "inside"):
            if top is None:
                return self._entries(length)
            pool = STEPS[:2] if kind == "corners" else STEPS
            return tuple(scale * self.pick(pool) for _ in range(length))
        high = Fraction(self.pick(pool[:2] if self.pick((True, False)) else pool))
        low = high if kind == "equal" else -high if self.pick((True, False)) else Fraction(self.pick(pool))
        count = 1 if kind == "one apart" else self.pick(range(1, length + 1))
        entries = [high] * count + [low] * (length - count)
        turn = self.pick((0, length - 1))
        return tuple(scale * value for value in entries[turn:] + entries[:turn])

    def _whole(self, length: int, low: Expr, high: Expr, case: Case) -> tuple[Fraction, ...]:
        """Whole numbers between two ends, most of them alike; none where there are no such numbers."""
        ends = [_rational(end, case) for end in (low, high)]
        if ends[0] is None or ends[1] is None:
            return ()
        pool = [Fraction(k) for k in range(ceil(ends[0]), min(floor(ends[1]), ceil(ends[0]) + LARGEST) + 1)]
        if not pool:
            return ()
        count, usual = self.pick(range(min(length, LARGEST) + 1)), self.pick(pool)
        return tuple(self.pick(pool) if k < count else usual for k in range(length))

    def _shares(self, length: int, total: Fraction) -> tuple[Fraction, ...]:
        weights = [self.pick((1, 0, 2, 3, 10, 1000)) for _ in range(length)]
        if not any(weights):
            weights[0] = 1
        return tuple(total * Fraction(weight, sum(weights)) for weight in weights)

    def _matrix(self, name: str, d: int) -> Rows:
        known = self.prop.known
        if name == "Sigma" and known.identity:
            return _diagonal([Fraction(1)] * d)
        shape = known.shape(name)
        scale = Fraction(self.pick((1, 1, 1, 1, "1/2", 3, "1/100", 100)))
        rows = self._semidefinite(d, shape) if shape in ("psd", "positive definite") else self._plain(d)
        if shape == "symmetric":
            rows = tuple(tuple(rows[min(r, c)][max(r, c)] for c in range(d)) for r in range(d))
        return rows if scale == 1 else tuple(tuple(scale * v if v else v for v in row) for row in rows)

    def _rectangle(self, rows: int, columns: int) -> Rows:
        if self.pick((True, False)):
            return _outer(self._entries(rows), self._entries(columns))
        return tuple(self._entries(columns) for _ in range(rows))

    def _plain(self, d: int) -> Rows:
        kind = self.pick(
            ["diagonal", "identity", "entries", "rank one", "nilpotent", "skew", "turn", "permutation", "zero"]
        )
        if kind == "diagonal":
            return _diagonal(self._entries(d))
        if kind in ("identity", "zero"):
            return _diagonal([Fraction(int(kind == "identity"))] * d)
        if kind == "rank one":
            return _outer(self._entries(d), self._entries(d))
        entries = self._entries(d * d)
        rows = tuple(entries[r * d : (r + 1) * d] for r in range(d))
        if kind == "nilpotent":
            return tuple(tuple(v if c > r else Fraction(0) for c, v in enumerate(row)) for r, row in enumerate(rows))
        if kind in ("skew", "turn"):
            extra = Fraction(int(kind == "turn"))
            return tuple(
                tuple((rows[r][c] if c > r else -rows[c][r] if c < r else extra) for c in range(d)) for r in range(d)
            )
        if kind == "permutation":
            return tuple(tuple(Fraction(int(c == (r + 1) % d)) for c in range(d)) for r in range(d))
        return rows

    def _semidefinite(self, d: int, shape: str) -> Rows:
        kind = self.pick(["identity", "diagonal", "rank one", "product", "zero"])
        if kind == "diagonal":
            rows = _diagonal([abs(v) for v in self._entries(d)])
        elif kind == "rank one":
            column = self._entries(d)
            rows = _outer(column, column)
        elif kind == "product":
            rows = gram([self._entries(d) for _ in range(d)])
        else:
            rows = _diagonal([Fraction(int(kind == "identity"))] * d)
        if shape == "psd":
            return rows
        return tuple(tuple(v + Fraction(int(r == c), 8) for c, v in enumerate(row)) for r, row in enumerate(rows))


class _Plain(Drawing):
    """Sizes that are all alike, and matrices and vectors of ones."""

    def __init__(self, prop: Proposition, pick: Pick, size: int, everywhere: bool) -> None:
        super().__init__(prop, pick)
        self.size, self.everywhere = size, everywhere

    def _number(self, name: str, whole: bool, bounds: bool) -> Fraction:
        values = self.prop.known.ranges.get(name, Range())
        like = whole and name not in self.prop.positions and values.holds(Fraction(self.size))
        return Fraction(self.size) if like else super()._number(name, whole, bounds)

    def _entries(self, count: int) -> tuple[Fraction, ...]:
        return tuple(Fraction(int(self.everywhere or k == 0)) for k in range(count))

    def _matrix(self, name: str, d: int) -> Rows:
        return self._rectangle(d, d)

    def _rectangle(self, rows: int, columns: int) -> Rows:
        return tuple(tuple(Fraction(int(self.everywhere or r == c)) for c in range(columns)) for r in range(rows))


def gram(rows: Sequence[Sequence[Fraction]]) -> Rows:
    """A A^T for the rows of A."""
    found = times(Matrix(tuple(map(tuple, rows))), Matrix(tuple(zip(*rows, strict=True))))
    assert isinstance(found, Matrix)
    return cast(Rows, found.rows)


def _diagonal(entries: Sequence[Fraction]) -> Rows:
    return tuple(tuple(v if r == c else Fraction(0) for c in range(len(entries))) for r, v in enumerate(entries))


def _outer(one: Sequence[Fraction], two: Sequence[Fraction]) -> Rows:
    return tuple(tuple(a * b for b in two) for a in one)


def _rational(node: Expr, case: Case) -> Fraction | None:
    """A rational number not above a value, next to it; -1 where there is none."""
    try:
        found = scalar(node, case)
    except (UndefinedError, StatementError, IndexError):
        return Fraction(-1)
    if isinstance(found, Fraction):
        return found
    if not found.is_finite():
        return Fraction(-1)
    return Fraction(int((found * 10**6).floor().lower().unique_fmpz() or -(10**6)), 10**6)
