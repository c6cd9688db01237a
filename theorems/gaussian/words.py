"""Trace words and chain words: what a contraction of bilinear forms leaves behind.

A cycle of letters A_1 .. A_k stands for tr(A_1 Sigma A_2 Sigma ... A_k Sigma), a chain from u to v for
u^T A_1 Sigma A_2 ... Sigma A_k v. Words are kept up to rotation and transposition, so that equal traces are equal
words; W^T is a letter of its own unless W is symmetric.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from operator import mul

import flint

Exact = list[list[Fraction]]
#: An integer matrix, and what all its entries are divided by.
Over = tuple[flint.fmpz_mat, int]


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


class Products:
    """Exact values of words at given matrices; every product is over one denominator, and is made once.

    Of a cycle no more than two halves are multiplied out, tr(P Q) = sum over r, c of P[r, c] Q[c, r], and a chain is
    read from its left end: d^3 steps only for what is longer than two letters, or has a Sigma that is not the identity.
    """

    def __init__(self, matrices: Mapping[str, Exact], sigma: Exact, vectors: Mapping[str, list[Fraction]]) -> None:
        self.matrices, self.vectors, self.d = matrices, vectors, len(sigma)
        self.plain = all(value == (r == c) for r, row in enumerate(sigma) for c, value in enumerate(row))
        self._sigma = sigma
        self._made: dict[tuple[Letter, ...], Over] = {}
        self._read: dict[Letter | None, Over] = {}

    def value(self, word: Word) -> Fraction:
        """The word's value; KeyError for a matrix or vector that is not there, ValueError where shapes do not fit."""
        if word.ends:
            return self._chain(word.letters, *word.ends)
        half = len(word.letters) // 2
        late, below = self._product(word.letters[half:])
        if not half:
            return _quotient(sum((late[k, k] for k in range(self.d)), flint.fmpz(0)), below)
        early, above = self._product(word.letters[:half])
        return _quotient(sum(map(mul, early.entries(), late.transpose().entries()), flint.fmpz(0)), above * below)

    def _chain(self, letters: tuple[Letter, ...], left: str, right: str) -> Fraction:
        row, below = _over([self.vectors[left]])
        for position, letter in enumerate(letters):
            row, below = _times((row, below), self._letter(letter))
            if position + 1 < len(letters):
                row, below = _times((row, below), self._letter(None))
        column, above = _over([self.vectors[right]])
        return _quotient((row * column.transpose())[0, 0], below * above)

    def _product(self, letters: tuple[Letter, ...]) -> Over:
        """A_1 Sigma A_2 Sigma ... A_k Sigma."""
        if letters not in self._made:
            half = len(letters) // 2
            if half:
                self._made[letters] = _times(self._product(letters[:half]), self._product(letters[half:]))
            else:
                (letter,) = letters
                matrix = self._letter(letter)
                self._made[letters] = matrix if self.plain else _times(matrix, self._letter(None))
        return self._made[letters]

    def _letter(self, letter: Letter | None) -> Over:
        """A letter's matrix; Sigma for None."""
        if letter not in self._read:
            if letter is None:
                self._read[letter] = _over(self._sigma)
            elif not letter.name:
                self._read[letter] = _over([[Fraction(int(r == c)) for c in range(self.d)] for r in range(self.d)])
            elif letter.transposed:
                matrix, below = self._letter(Letter(letter.name, False, letter.symmetric))
                self._read[letter] = matrix.transpose(), below
            else:
                self._read[letter] = _over(self.matrices[letter.name])
        return self._read[letter]


def _over(rows: Exact) -> Over:
    """A matrix as integers over their least common denominator."""
    if len({len(row) for row in rows}) > 1:
        raise ValueError(f"rows of the lengths {', '.join(str(len(row)) for row in rows)}; a matrix has rows of one")
    below = math.lcm(*{value.denominator for row in rows for value in row})
    return flint.fmpz_mat([[value.numerator * (below // value.denominator) for value in row] for row in rows]), below


def _times(one: Over, two: Over) -> Over:
    return one[0] * two[0], one[1] * two[1]


def _quotient(above: flint.fmpz, below: int) -> Fraction:
    return Fraction(int(above), below)
