"""Wick's theorem for long products of bilinear forms: forms that are equal are counted, not told apart.

The pairings of a product fall apart into connected blocks of forms, cycles and chains: a block of k forms closes to a
cycle in (k - 1)! 2^(k-1) ways, and a product is the sum over its partitions into blocks. Blocks are built form by form
and what is equal so far is counted once, so that a power of one form of 16 factors, 2027025 pairings, takes a moment.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import comb, factorial, prod

from theorems.gaussian.moments.wick import MEAN, Contraction
from theorems.gaussian.observables import Form, Vector
from theorems.gaussian.words import Letter, Word, chain, cycle, reverse

#: Most partial blocks and terms that a product may take.
MOST_STEPS = 150_000

#: The right or left end of a form: the number of a random vector, or the name of a fixed one.
End = int | str
Letters = tuple[Letter, ...]
Pairs = tuple[tuple[int, int], ...]
Counts = tuple[int, ...]
#: Pairs, ends left at their mean, words: how often each occurs.
Terms = Counter[tuple[Pairs, tuple[int, ...], tuple[Word, ...]]]


class TooManyTermsError(ValueError):
    """A product whose pairings are of too many kinds."""


@dataclass(frozen=True)
class _Kind:
    """left^T letters right, read the way that comes first."""

    left: End
    letters: Letters
    right: End

    @property
    def turned(self) -> _Kind:
        return _Kind(self.right, reverse(self.letters), self.left)

    @property
    def ways(self) -> tuple[tuple[_Kind, int], ...]:
        """The form read either way, with how often each reading occurs."""
        return ((self, 2),) if self.turned == self else ((self, 1), (self.turned, 1))


def contract_counted(forms: Sequence[Form], centred: bool) -> tuple[tuple[Vector, ...], tuple[Contraction, ...]]:
    """As ``wick.contract``, for products of any length; TooManyTermsError where the kinds of pairings are too many."""
    vectors: list[Vector] = []

    def end(vector: Vector) -> End:
        if vector.fixed:
            return vector.fixed
        if vector not in vectors:
            vectors.append(vector)
        return vectors.index(vector)

    kinds: Counter[_Kind] = Counter()
    for form in forms:
        one = _Kind(end(form.left), form.letters, end(form.right))
        kinds[min(one, one.turned, key=repr)] += 1
    found = _Blocks(tuple(kinds), centred).expectation(tuple(kinds.values()))
    return tuple(vectors), tuple(Contraction(count, *term) for term, count in found.items())


@dataclass
class _Blocks:
    """Blocks of forms of these kinds, by how many of each kind."""

    kinds: tuple[_Kind, ...]
    centred: bool
    steps: int = 0
    _products: dict[Counts, Terms] = field(default_factory=dict)
    _cumulants: dict[Counts, Terms] = field(default_factory=dict)

    def expectation(self, counts: Counts) -> Terms:
        """E of the product: the first form's block, times the expectation of the rest."""
        if not any(counts):
            return Counter({((), (), ()): 1})
        if counts not in self._products:
            head = next(k for k, count in enumerate(counts) if count)
            found: Terms = Counter()
            for block in product(*(range(k == head, count + 1) for k, count in enumerate(counts))):
                cumulant = self.cumulant(block)
                if not cumulant:
                    continue
                weight = prod(
                    comb(n - (k == head), c - (k == head)) for k, (n, c) in enumerate(zip(counts, block, strict=True))
                )
                rest = self.expectation(tuple(n - c for n, c in zip(counts, block, strict=True)))
                self._step(len(cumulant) * len(rest))
                for (pairs, means, words), times in cumulant.items():
                    for (others, at_mean, more), again in rest.items():
                        key = (_sorted(pairs + others), tuple(sorted(means + at_mean)), _by_name(words + more))
                        found[key] += weight * times * again
            self._products[counts] = found
        return self._products[counts]

    def cumulant(self, block: Counts) -> Terms:
        """The connected ways to pair the forms of a block, every form told apart."""
        if block not in self._cumulants:
            self._cumulants[block] = self._connected(block)
        return self._cumulants[block]

    def _connected(self, block: Counts) -> Terms:
        fixed = sum(
            count * sum(isinstance(end, str) for end in (kind.left, kind.right))
            for kind, count in zip(self.kinds, block, strict=True)
        )
        found: Terms = Counter()
        if fixed == 0:
            head = next(k for k, count in enumerate(block) if count)
            start, rest = self.kinds[head], tuple(c - (k == head) for k, c in enumerate(block))
            apart = prod(map(factorial, rest))
            for (letters, last, pairs), count in self._lines({(start.letters, start.right, ()): 1}, rest).items():
                if isinstance(last, int) and isinstance(start.left, int):
                    key = (_sorted((*pairs, _pair(last, start.left))), (), (cycle(letters),))
                    found[key] += count * apart
        if fixed == 2 or (fixed < 2 and not self.centred):
            self._add_chains(block, found)
        return found

    def _add_chains(self, block: Counts, found: Terms) -> None:
        """Chains between fixed vectors and means, each met once from either end."""
        apart = prod(map(factorial, block))
        ends: Terms = Counter()
        for k, kind in enumerate(self.kinds):
            if not block[k]:
                continue
            rest = tuple(c - (n == k) for n, c in enumerate(block))
            for way, times in kind.ways:
                if isinstance(way.left, int) and self.centred:
                    continue
                lines = self._lines({(way.letters, way.right, ()): times}, rest)
                for (letters, last, pairs), count in lines.items():
                    if isinstance(last, int) and self.centred:
                        continue
                    means = tuple(sorted(end for end in (way.left, last) if isinstance(end, int)))
                    names = [end if isinstance(end, str) else MEAN for end in (way.left, last)]
                    ends[_sorted(pairs), means, (chain(names[0], letters, names[1]),)] += count * apart
        for key, count in ends.items():
            found[key] += count // 2

    def _lines(
        self, lines: dict[tuple[Letters, End, Pairs], int], rest: Counts
    ) -> dict[tuple[Letters, End, Pairs], int]:
        """Lines of forms with all of the rest joined on; the forms of one kind are told apart by the caller.

        Lines are kept by what is left to join, so that equal ones are counted once.
        """
        table: dict[Counts, Counter[tuple[Letters, End, Pairs]]] = {rest: Counter(lines)}
        for _ in range(sum(rest)):
            after: dict[Counts, Counter[tuple[Letters, End, Pairs]]] = {}
            for left, known in table.items():
                for less, kind in self._next(left):
                    into = after.setdefault(less, Counter())
                    for (letters, last, pairs), count in known.items():
                        for way, times in kind.ways:
                            if isinstance(last, int) and isinstance(way.left, int):
                                key = (letters + way.letters, way.right, _sorted((*pairs, _pair(last, way.left))))
                                into[key] += count * times
                    self._step(len(known))
            table = after
        return dict(next(iter(table.values()), Counter()))

    def _next(self, left: Counts) -> Iterator[tuple[Counts, _Kind]]:
        for k, count in enumerate(left):
            if count:
                yield tuple(c - (n == k) for n, c in enumerate(left)), self.kinds[k]

    def _step(self, count: int) -> None:
        self.steps += count
        if self.steps > MOST_STEPS:
            raise TooManyTermsError(f"its pairings are of over {MOST_STEPS} kinds")


def _pair(one: int, two: int) -> tuple[int, int]:
    return (one, two) if one <= two else (two, one)


def _sorted(pairs: Pairs) -> Pairs:
    return tuple(sorted(pairs))


def _by_name(words: tuple[Word, ...]) -> tuple[Word, ...]:
    return tuple(sorted(words, key=lambda word: word.name))
