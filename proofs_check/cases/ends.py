"""Cases without tokens that chance seldom meets: long sequences between two ends, and things that nearly coincide."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import prod
from random import Random
from typing import Any

from proofs_check.cases.without_tokens import SIMPLE, Drawing, Pick
from theorems.statement.proposition import Proposition
from theorems.statement.values.cases import Case, frame

#: Lengths of sequences between two ends; one more may be the first at which a bound by log(n) fails.
GROWING = (2, 3, 5, 10, 20, 40, 60)
#: Sizes at which things nearly coincide, how far they are apart, and in what directions.
SMALL = (1, 2, 3)
APART = tuple(Fraction(1, size) for size in (100, 10, 1000))
TURNS = tuple(map(Fraction, (1, -1, 0)))


def at_ends(prop: Proposition, generator: Random, most: int) -> Iterator[Case]:
    """Of every sequence one entry at one end and the others at the other, at growing lengths, at most so many each."""
    if prop.known.sequences:
        for size in GROWING:
            yield from _some(_Ends, prop, size, generator, most)


def close(prop: Proposition, generator: Random, most: int) -> Iterator[Case]:
    """Sequences, vectors and numbers that nearly coincide with those of their size, some of them near 0."""
    if prop.known.sequences or prop.known.vectors:
        for size in SMALL:
            yield from _some(_Close, prop, size, generator, most)


def _some(kind: type[_Sized], prop: Proposition, size: int, generator: Random, most: int) -> Iterator[Case]:
    """The cases of all choices, each once, or where there are more than so many of some at random."""
    turn = _Odometer()
    while turn.goes_on:
        turn.begin()
        case = kind(prop, turn, size).case()
        if prod(turn.lengths) > most:
            draws = (kind(prop, generator.choice, size).case() for _ in range(most))
            yield from (one for one in draws if one is not None)
            return
        if case is not None:
            yield case
        turn.advance()


class _Odometer:
    """All choices in turn: what is chosen first varies slowest."""

    def __init__(self) -> None:
        self.made: list[int] = []
        self.lengths: list[int] = []
        self.goes_on = True

    def begin(self) -> None:
        """The next round of choices."""
        self.lengths = []

    def __call__(self, options: Sequence[Any]) -> Any:
        """The option that is next in its turn."""
        if len(self.lengths) == len(self.made):
            self.made.append(0)
        self.lengths.append(len(options))
        return options[self.made[len(self.lengths) - 1]]

    def advance(self) -> None:
        """The last choice that has another option takes it."""
        while self.lengths and self.made[-1] + 1 == self.lengths[-1]:
            self.made.pop()
            self.lengths.pop()
        self.goes_on = bool(self.lengths)
        if self.goes_on:
            self.made[-1] += 1


class _Sized(Drawing):
    """Sizes that are all alike."""

    def __init__(self, prop: Proposition, pick: Pick, size: int) -> None:
        super().__init__(prop, pick)
        self.size = size

    def _number(self, name: str, whole: bool, bounds: bool) -> Fraction:
        if not whole:
            return super()._number(name, whole, bounds)
        low = self.prop.known.ranges[name].low if name in self.prop.known.ranges else None
        size = max(self.size, 1 if low is None else int(low))
        return Fraction(size)


class _Ends(_Sized):
    """Sequences of one entry at one end, the first or the last, and the others at the other."""

    def _sequence(self, length: int, top: Fraction | None) -> tuple[Fraction, ...]:
        scale = self.pick([v for v in SIMPLE if v > 0]) if top is None else top
        high = scale * self.pick(TURNS[:2])
        return (high, *[-high] * (length - 1))


class _Close(_Sized):
    """Everything of one size beside the first of that size, which may be 0."""

    def __init__(self, prop: Proposition, pick: Pick, size: int) -> None:
        super().__init__(prop, pick, size)
        self.apart: Fraction = pick(APART)
        self.first: dict[int, tuple[Fraction, ...]] = {}

    def _number(self, name: str, whole: bool, bounds: bool) -> Fraction:
        if whole or bounds or name in (*self.prop.positions, *frame(self.prop).indices):
            return super()._number(name, whole, bounds)
        near = self._entries(1)[0]
        values = self.prop.known.ranges.get(name)
        return near if values is None or values.holds(near) else super()._number(name, whole, bounds)

    def _entries(self, count: int) -> tuple[Fraction, ...]:
        if count not in self.first:
            self.first[count] = (Fraction(0),) * count if self.pick((True, False)) else super()._entries(count)
        return tuple(value + self.apart * self.pick(TURNS) for value in self.first[count])

    def _sequence(self, length: int, top: Fraction | None) -> tuple[Fraction, ...]:
        entries = self._entries(length)
        return entries if top is None else tuple(max(-top, min(top, top * value)) for value in entries)

    def _shares(self, length: int, total: Fraction) -> tuple[Fraction, ...]:
        weights = [abs(value) + 1 for value in self._entries(length)]
        return tuple(total * weight / sum(weights) for weight in weights)
