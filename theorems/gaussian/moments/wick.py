"""Wick's (Isserlis') theorem for products of bilinear forms, for every dimension at once.

E[prod_k u_k^T A_k v_k] is a sum over the ways to join the random ends of the forms in pairs (or to leave an end at
its mean). A pair (u, v) contributes K(u, v) and links two matrices through Sigma; the links close to cycles, which
are traces, and chains between fixed vectors.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from theorems.gaussian.observables import Form, Vector
from theorems.gaussian.words import Letter, Word, chain, cycle, reverse

#: Most Gaussian factors in one product: 10395 pairings.
MAX_FACTORS = 12

#: The partner of a slot that is left at its mean; slots are numbered from 0.
ALONE = -1

#: The name of the fixed vector that the mean of every token is a multiple of.
MEAN = "m"


@dataclass(frozen=True)
class Contraction:
    """One kind of term: how often it occurs, the pairs to take covariances of, the ends left at their mean, words."""

    count: int
    pairs: tuple[tuple[int, int], ...]
    means: tuple[int, ...]
    words: tuple[Word, ...]


def contract(
    forms: Sequence[Form], centred: bool, most: int = MAX_FACTORS
) -> tuple[tuple[Vector, ...], tuple[Contraction, ...]]:
    """The contraction of a product of forms: its distinct random vectors, and the terms in their numbers.

    ``centred`` says that the process has mean zero. Raises ValueError over ``most`` Gaussian factors.
    """
    vectors: list[Vector] = []
    ends: list[int | str] = []
    for form in forms:
        for vector in (form.left, form.right):
            if vector.fixed:
                ends.append(vector.fixed)
            else:
                if vector not in vectors:
                    vectors.append(vector)
                ends.append(vectors.index(vector))
    factors = sum(isinstance(end, int) for end in ends)
    if factors > most:
        raise ValueError(f"a product of {factors} Gaussian factors; expected at most {most}, expand it in parts")
    return tuple(vectors), _contract(tuple(form.letters for form in forms), tuple(ends), centred)


@lru_cache(maxsize=4096)
def _contract(
    letters: tuple[tuple[Letter, ...], ...], ends: tuple[int | str, ...], centred: bool
) -> tuple[Contraction, ...]:
    found: Counter[tuple[tuple[tuple[int, int], ...], tuple[int, ...], tuple[Word, ...]]] = Counter()
    random = [slot for slot, end in enumerate(ends) if isinstance(end, int)]
    for matching in _matchings(random, centred):
        pairs, means = [], []
        for one, two in matching:
            if two < 0:
                means.append(_node(ends[one]))
            else:
                first, second = _node(ends[one]), _node(ends[two])
                pairs.append((min(first, second), max(first, second)))
        words = _words(letters, ends, matching)
        found[(tuple(sorted(pairs)), tuple(sorted(means)), words)] += 1
    return tuple(Contraction(count, pairs, means, words) for (pairs, means, words), count in found.items())


def _node(end: int | str) -> int:
    assert isinstance(end, int)
    return end


def _matchings(slots: list[int], centred: bool) -> Iterator[list[tuple[int, int]]]:
    """Every way to pair the slots; (slot, ALONE) leaves one at its mean."""
    if not slots:
        yield []
        return
    *rest, last = slots
    for position, partner in enumerate(rest):
        for others in _matchings(rest[:position] + rest[position + 1 :], centred):
            yield [(last, partner), *others]
    if not centred:
        for others in _matchings(rest, centred):
            yield [(last, ALONE), *others]


def _words(
    letters: tuple[tuple[Letter, ...], ...], ends: tuple[int | str, ...], matching: list[tuple[int, int]]
) -> tuple[Word, ...]:
    """The words that a matching closes; slot 2k is the left end of form k, slot 2k + 1 its right end."""
    link: dict[int, int] = {}
    terminal = {slot: end for slot, end in enumerate(ends) if isinstance(end, str)}
    for one, two in matching:
        if two < 0:
            terminal[one] = MEAN
        else:
            link[one], link[two] = two, one
    words = []
    unused = set(range(len(letters)))

    def walk(slot: int) -> tuple[list[Letter], int]:
        read: list[Letter] = []
        while True:
            form = slot // 2
            unused.discard(form)
            read.extend(letters[form] if slot % 2 == 0 else reverse(letters[form]))
            exit_slot = slot ^ 1
            # at the end of a chain, or back at the form where a cycle began
            if exit_slot in terminal or link[exit_slot] // 2 not in unused:
                return read, exit_slot
            slot = link[exit_slot]

    for slot in sorted(terminal):
        if slot // 2 in unused:
            read, last = walk(slot)
            words.append(chain(terminal[slot], tuple(read), terminal[last]))
    while unused:
        # a cycle may be read from any of its forms
        read, _ = walk(2 * next(iter(unused)))
        words.append(cycle(tuple(read)))
    return tuple(sorted(words, key=lambda word: word.name))
