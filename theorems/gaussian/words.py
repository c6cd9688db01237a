"""Trace words and chain words: what a contraction of bilinear forms leaves behind.

A cycle of letters A_1 .. A_k stands for tr(A_1 Sigma A_2 Sigma ... A_k Sigma), a chain from u to v for
u^T A_1 Sigma A_2 ... Sigma A_k v. Words are kept up to rotation and transposition, so that equal traces are equal
words; W^T is a letter of its own unless W is symmetric.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import flint
import numpy as np

Exact = list[list[Fraction]]


@dataclass(frozen=True, order=True)
class Letter:
    """A matrix of a form: its name ("" for the identity), whether it is transposed, whether it is symmetric."""

    name: str
    transposed: bool = False
    symmetric: bool = True

    def flipped(self) -> Letter:
        """The transposed letter; a symmetric one is its own."""
        return self if self.symmetric or not self.name else Letter(self.name, not self.transposed, False)

    def __str__(self) -> str:
        return self.name + ("t" if self.transposed else "")


@dataclass(frozen=True)
class Word:
    """A cycle (``ends`` empty) or a chain between two fixed vectors, in canonical form."""

    letters: tuple[Letter, ...]
    ends: tuple[str, str] | tuple[()] = ()

    @property
    def name(self) -> str:
        """The symbol's name: tr1, tr2, tr_W_Wt, mWm, aWSWm, aSb."""
        texts = [str(letter) for letter in self.letters]
        if self.ends:
            return self.ends[0] + "S".join(texts) + self.ends[1]
        if set(texts) == {"W"}:
            return f"tr{len(texts)}"
        return "tr_" + "_".join(text or "I" for text in texts)


_known: dict[str, Word] = {}


def reverse(letters: tuple[Letter, ...]) -> tuple[Letter, ...]:
    """The letters of the transposed product."""
    return tuple(letter.flipped() for letter in reversed(letters))


@cache
def cycle(letters: tuple[Letter, ...]) -> Word:
    """The canonical cycle: the least of all rotations of the word and of its transpose."""
    turns = [word[k:] + word[:k] for word in (letters, reverse(letters)) for k in range(len(letters))]
    word = Word(min(turns))
    _known[word.name] = word
    return word


@cache
def chain(left: str, letters: tuple[Letter, ...], right: str) -> Word:
    """The canonical chain u^T A_1 Sigma ... A_k v, read from the end that comes first."""
    word = Word(
        *min(((letters, (left, right)), (reverse(letters), (right, left))), key=lambda pair: (pair[1], pair[0]))
    )
    _known[word.name] = word
    return word


def known(name: str) -> Word | None:
    """The word of that name, if some contraction has met it or it is one of the plain traces tr1, tr2, ..."""
    plain = re.fullmatch("tr([1-9][0-9]*)", name)
    return cycle((Letter("W"),) * int(plain[1])) if plain else _known.get(name)


def _floats(matrices: Mapping[str, np.ndarray], letter: Letter, d: int) -> np.ndarray:
    matrix = matrices[letter.name] if letter.name else np.eye(d)
    return matrix.T if letter.transposed else matrix


def evaluate(
    word: Word, matrices: Mapping[str, np.ndarray], sigma: np.ndarray, vectors: Mapping[str, np.ndarray]
) -> float:
    """The word's value in floating point; ``matrices`` by letter name, ``vectors`` by end name."""
    product = np.eye(len(sigma))
    for position, letter in enumerate(word.letters):
        product = product @ _floats(matrices, letter, len(sigma))
        if not word.ends or position + 1 < len(word.letters):
            product = product @ sigma
    if word.ends:
        return float(vectors[word.ends[0]] @ product @ vectors[word.ends[1]])
    return float(np.trace(product))


def evaluate_exactly(
    word: Word, matrices: Mapping[str, Exact], sigma: Exact, vectors: Mapping[str, list[Fraction]]
) -> Fraction:
    """The word's value as an exact rational."""
    d = len(sigma)
    product = _exact([[Fraction(int(r == c)) for c in range(d)] for r in range(d)])
    spread = _exact(sigma)
    for position, letter in enumerate(word.letters):
        if letter.name:
            matrix = _exact(matrices[letter.name])
            product = product * (matrix.transpose() if letter.transposed else matrix)
        if not word.ends or position + 1 < len(word.letters):
            product = product * spread
    if word.ends:
        left, right = (_exact([vectors[end]]) for end in word.ends)
        return _fraction((left * product * right.transpose())[0, 0])
    return sum((_fraction(product[k, k]) for k in range(d)), Fraction(0))


def _exact(rows: Exact) -> flint.fmpq_mat:
    return flint.fmpq_mat([[flint.fmpq(value.numerator, value.denominator) for value in row] for row in rows])


def _fraction(value: flint.fmpq) -> Fraction:
    return Fraction(int(value.p), int(value.q))
