"""Derived matrices: the value as a sum of words, how prints of it are read, and the model's matrices at a case.

A printed quantity is named "factor of <word>", its value the printed scalar in front of that word.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import sympy as sp

from theorems.algebra.alphabet import Alphabet
from theorems.algebra.contraction import evaluate
from theorems.algebra.expressions import parse, same
from theorems.algebra.matrix_calculus import Matrix
from theorems.algebra.ratio import Ratio
from theorems.gaussian.process import Step
from theorems.kernel.derivation import Fact, closed

PREFIX = "factor of "


@dataclass(frozen=True)
class Instance:
    """The matrices of one case, exactly: arrays of Fractions by letter, scalars and sizes, and fixed token places.

    ``notes`` counts what the case is an example of.
    """

    arrays: Mapping[str, Any]
    numbers: Mapping[str, Fraction]
    places: Mapping[str, int] = field(default_factory=dict)
    notes: Mapping[str, int] = field(default_factory=dict)

    def evaluate(self, expression: Matrix) -> Any:
        """The exact value of an expression, an array of Fractions."""
        return evaluate(expression, self.arrays, self.numbers, self.places)


@dataclass(frozen=True)
class MatrixFact(Fact):
    """A derived matrix: its value, the alphabet that prints are read in, and the model's matrices at a case.

    ``given`` names the letters that the empirical check is handed, ``frozen`` those that a step must show to be locally
    constant; ``points`` are cases (JSON-able) at which a false print is looked at exactly.
    """

    value: Matrix
    alphabet: Alphabet
    instance: Callable[[Mapping[str, Any]], Instance]
    given: tuple[str, ...]
    points: tuple[Mapping[str, Any], ...]
    frozen: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    def read(self, name: str) -> Matrix:
        """The word of a printed quantity "factor of <word>"; raises ValueError for a name of another form."""
        if not name.startswith(PREFIX):
            raise ValueError(f"the print names {name!r}; expected {PREFIX}<word>, e.g. {PREFIX}W_K")
        found = self.alphabet.read(name.removeprefix(PREFIX))
        if found.shape != self.value.shape:
            raise ValueError(f"{name} is of size {found.shape}; the derived matrix is of size {self.value.shape}")
        return found

    def term(self, name: str, coefficient: str | sp.Expr) -> Matrix:
        """A printed term: the coefficient, in which the alphabet's names may occur, times the word."""
        factor = parse(coefficient) if isinstance(coefficient, str) else coefficient
        return self.read(name) * scalar(factor, self.alphabet)

    def printed(self, table: Mapping[str, str | sp.Expr]) -> Matrix:
        """The printed sum."""
        total = Matrix(self.value.rows, self.value.columns, {})
        for name, coefficient in table.items():
            total = total + self.term(name, coefficient)
        return total

    def factor(self, name: str) -> sp.Expr:
        """The c for which derived - c word has none of the words that the printed one is made of; 0 without one."""
        mine, word = self.value.by_word(self.alphabet.names), self.read(name).by_word(self.alphabet.names)
        factors = [sp.cancel(mine.get(key, sp.Integer(0)) / c) for key, c in word.items()]
        agree = bool(factors) and all(same(factors[0], other) for other in factors)
        return sp.expand(factors[0]) if agree else sp.Integer(0)

    def known(self, name: str) -> Ratio:
        """The factor of a printed word as a value like any other."""
        return closed(self.factor(name))


def scalar(expression: sp.Expr, alphabet: Alphabet) -> Matrix:
    """A polynomial in the alphabet's named scalars, with any powers of its commuting names; ValueError for another."""
    named = {name: value for name, value in alphabet.names.items() if name in {s.name for s in expression.free_symbols}}
    unknown = sorted({s.name for s in expression.free_symbols} - set(alphabet.names) - set(alphabet.scalars))
    if unknown:
        known = ", ".join((*alphabet.scalars, *alphabet.names)) or "none"
        raise ValueError(f"{expression} holds {unknown[0]}, which the derivation does not know; it has {known}")
    symbols = [s for s in sorted(expression.free_symbols, key=lambda s: s.name) if s.name in named]
    if not symbols:
        return Matrix.scalar(expression)
    try:
        terms = sp.Poly(expression, *symbols).terms()
    except sp.PolynomialError:
        raise ValueError(f"{expression} is no polynomial in {', '.join(map(str, symbols))}") from None
    total = Matrix("1", "1", {})
    for powers, coefficient in terms:
        term = Matrix.scalar(coefficient)
        for unknown_name, power in zip(symbols, powers, strict=True):
            term = term * named[unknown_name.name] ** power
        total = total + term
    return total


def matrix_fact(
    value: Matrix,
    steps: tuple[Step, ...],
    method: str,
    *,
    alphabet: Alphabet,
    instance: Callable[[Mapping[str, Any]], Instance],
    given: tuple[str, ...],
    points: tuple[Mapping[str, Any], ...],
    frozen: tuple[str, ...] = (),
    remarks: tuple[str, ...] = (),
) -> MatrixFact:
    """A MatrixFact, whose scalar stand-in is the number of its words."""
    return MatrixFact(
        Ratio.of(len(value.terms)), steps, method, value, alphabet, instance, given, points, frozen, remarks
    )
