"""Traces and chains of matrices in normal form, by what a statement assumes of the matrices.

tr(A B) = tr(B A) = tr(B^T A^T): a trace is kept as the least of its rotations and of those of its transpose. Symmetric
matrices lose their transposes, Sigma = I is left out, and for d = 1 everything commutes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from operator import mul

import flint

from theorems.algebra.quotients import fraction
from theorems.algebra.ratio import Ratio
from theorems.statement.expression import Expr
from theorems.statement.reading.hypotheses import Hypotheses

#: A matrix of a product: its name, and whether it is transposed.
Letter = tuple[str, bool]
Letters = tuple[Letter, ...]
Rows = Sequence[Sequence[Fraction]]
SIGMA: Letter = ("Sigma", False)


def letter_of(letter: tuple[str, bool]) -> Expr:
    """A matrix, or its transpose."""
    matrix = Expr("matrix", (letter[0],))
    return Expr("T", (matrix,)) if letter[1] else matrix


def product_of(letters: Letters) -> Expr:
    """The product of letters; I for none."""
    parts = tuple(map(letter_of, letters))
    return parts[0] if len(parts) == 1 else Expr("*", parts) if parts else Expr("matrix", ("I",))


@dataclass
class Traces:
    """The names of traces tr(...) and of chains u^T ... v, and what they stand for."""

    known: Hypotheses
    table: dict[str, tuple[str, Letters, str]] = field(default_factory=dict)

    def reduced(self, letters: Letters) -> Letters:
        """The product without what the hypotheses make superfluous."""
        found = []
        for label, turned in letters:
            if label == "I" or (label == "Sigma" and self.known.identity):
                continue
            found.append((label, turned and not self.known.symmetric(label)))
        return tuple(found)

    @staticmethod
    def transposed(letters: Letters) -> Letters:
        """The transposed product, before it is reduced."""
        return tuple((label, not turned) for label, turned in reversed(letters))

    def trace(self, letters: Letters) -> Ratio:
        """tr of a product; d for the empty one."""
        word = self.reduced(letters)
        if not word:
            return Ratio.of("d")
        if self.scalar:
            return self._product(word)
        other = self.reduced(self.transposed(word))
        turns = (w[k:] + w[:k] for w in (word, other) for k in range(len(w)))
        return self._named("", min(turns, key=_readable), "")

    def chain(self, left: str, letters: Letters, right: str) -> Ratio:
        """left^T (product) right for fixed vectors."""
        word = self.reduced(letters)
        if self.scalar:
            return self._product(word) * self._named(left, (), "") * self._named("", (), right)
        other = self.reduced(self.transposed(word))
        first, product, last = min((left, word, right), (right, other, left))
        return self._named(first, product, last)

    @property
    def scalar(self) -> bool:
        """Whether every matrix is a number: d = 1, and none has another size."""
        sizes = {label for size in self.known.sizes.values() for label in size}
        sizes |= {label for label, _ in self.known.sequences.values()}
        return self.known.dimension.high == 1 and sizes <= {"d", "1"}

    def _product(self, word: Letters) -> Ratio:
        value = Ratio.of(1)
        for label, _ in word:
            value = value * self._named("", ((label, False),), "")
        return value

    def _named(self, left: str, letters: Letters, right: str) -> Ratio:
        text = "*".join(f"{label}.T" if turned else label for label, turned in letters)
        if left and right:
            label = f"{left}.T*{text}*{right}" if text else f"{left}.T*{right}"
        else:
            label = left or right or f"tr({text})"
        self.table[label] = (left, letters, right)
        return Ratio.of(label)

    def value(self, label: str, matrices: Mapping[str, Rows], vectors: Mapping[str, Sequence[Fraction]]) -> Fraction:
        """The exact value of a name of the table at a case; KeyError for another name."""
        left, letters, right = self.table[label]
        if (left or right) and not (left and right):
            return vectors[left or right][0]
        factors = [_exact(matrices[name]) for name, _ in letters]
        factors = [one.transpose() if turned else one for one, (_, turned) in zip(factors, letters, strict=True)]
        if left:
            factors = [_exact([vectors[left]]), *factors, _exact([vectors[right]]).transpose()]
        product = reduce(mul, factors)
        return sum((fraction(product[k, k]) for k in range(product.nrows())), Fraction(0))


def _readable(letters: Letters) -> list[tuple[bool, Letter]]:
    """The order of products: Sigma after the other matrices, W before its transpose, so that tr(W*Sigma) is one."""
    return [(label == "Sigma", (label, turned)) for label, turned in letters]


def _exact(rows: Rows) -> flint.fmpq_mat:
    return flint.fmpq_mat([[flint.fmpq(v.numerator, v.denominator) for v in row] for row in rows])
