"""Bilinear forms of a Gaussian process and polynomials in them, before any expectation is taken."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import sympy as sp

from theorems.algebra.ratio import Ratio
from theorems.gaussian.words import Letter

#: The chain node that stands before every token.
START = "0"


@dataclass(frozen=True)
class Matrix:
    """A matrix of a bilinear form; ``W`` is symmetric unless a process is told otherwise."""

    name: str


W = Matrix("W")
IDENTITY = Matrix("")


@dataclass(frozen=True)
class Vector:
    """A linear combination of tokens: parts are (coefficient, ("at", node)) or (coefficient, ("between", L, H)).

    ("between", L, H) is the sum of the tokens after L up to and including H. A vector with a ``fixed`` name is a
    deterministic vector instead.
    """

    parts: tuple[tuple[Ratio, tuple[str, ...]], ...] = ()
    fixed: str = ""

    def _random(self) -> None:
        if self.fixed:
            raise TypeError(
                f"the fixed vector {self.fixed} cannot be combined with tokens; take the forms apart instead"
            )

    def __add__(self, other: Vector) -> Vector:
        self._random()
        other._random()
        table: dict[tuple[str, ...], Ratio] = {}
        for coefficient, atom in (*self.parts, *other.parts):
            table[atom] = table.get(atom, Ratio.of(0)) + coefficient
        return Vector(tuple((c.reduced(), atom) for atom, c in sorted(table.items()) if c != 0))

    def __mul__(self, factor: Any) -> Vector:
        self._random()
        ratio = Ratio.of(factor)
        return Vector(tuple(((c * ratio).reduced(), atom) for c, atom in self.parts))

    __rmul__ = __mul__

    def __truediv__(self, factor: Any) -> Vector:
        return self * (Ratio.of(1) / Ratio.of(factor))

    def __neg__(self) -> Vector:
        return self * -1

    def __sub__(self, other: Vector) -> Vector:
        return self + (-other)

    @property
    def latex(self) -> str:
        """The vector in LaTeX."""
        if self.fixed:
            return rf"\mathbf{{{self.fixed}}}"
        texts = []
        for coefficient, atom in self.parts:
            low = "1" if atom[1] == START else f"{atom[1]} + 1"
            body = f"x_{{{atom[1]}}}" if atom[0] == "at" else rf"\sum_{{a={low}}}^{{{atom[2]}}} x_a"
            texts.append(body if coefficient == 1 else rf"\left({sp.latex(coefficient.expr)}\right) {body}")
        return " + ".join(texts) or "0"

    def __str__(self) -> str:
        if self.fixed:
            return self.fixed
        texts = []
        for coefficient, atom in self.parts:
            body = f"x_{atom[1]}" if atom[0] == "at" else f"sum_({atom[1]}<a<={atom[2]}) x_a"
            texts.append(body if coefficient == 1 else f"({coefficient})*{body}")
        return " + ".join(texts) or "0"


@dataclass(frozen=True)
class Form:
    """u^T A v with u, v vectors; several letters stand for A_1 Sigma A_2 ... Sigma A_k."""

    left: Vector
    letters: tuple[Letter, ...]
    right: Vector

    @property
    def tokens(self) -> set[str]:
        """The positions that its vectors are made of."""
        return {name for end in (self.left, self.right) for _, atom in end.parts for name in atom[1:]}

    @property
    def latex(self) -> str:
        """The form in LaTeX."""
        matrix = r" \Sigma ".join(letter.name + (r"^\top" if letter.transposed else "") for letter in self.letters)
        ends = [v.latex if len(v.parts) < 2 else rf"\left({v.latex}\right)" for v in (self.left, self.right)]
        return rf"{ends[0]}^\top {matrix} {ends[1]}"

    def __str__(self) -> str:
        matrix = " Sigma ".join(str(letter) for letter in self.letters)
        return f"({self.left})^T {matrix} ({self.right})".replace("  ", " ")


@dataclass(frozen=True)
class Bound:
    """A summation index: after ``above``, up to ``upto`` (or strictly below it)."""

    index: str
    above: str
    upto: str
    strict: bool = False

    def __str__(self) -> str:
        low = "" if self.above == START else f"{self.above}<"
        return f"{low}{self.index}{'<' if self.strict else '<='}{self.upto}"


@dataclass(frozen=True)
class Term:
    """coefficient * product of forms, summed over the bounds (outermost first)."""

    coefficient: Ratio
    forms: tuple[Form, ...] = ()
    bounds: tuple[Bound, ...] = ()

    @property
    def latex(self) -> str:
        """The term in LaTeX, its sums in front."""
        sums = ""
        for bound in self.bounds:
            low = "1" if bound.above == START else f"{bound.above} + 1"
            sums += rf"\sum_{{{bound.index}={low}}}^{{{bound.upto}{' - 1' if bound.strict else ''}}} "
        factors = [] if self.coefficient == 1 and self.forms else [rf"\left({sp.latex(self.coefficient.expr)}\right)"]
        return sums + r" \; ".join([*factors, *(form.latex for form in self.forms)])

    def __str__(self) -> str:
        factors = [] if self.coefficient == 1 else [f"({self.coefficient})"]
        sums = "".join(f"sum_({bound}) " for bound in self.bounds)
        return sums + " * ".join([*factors, *map(str, self.forms)] or ["1"])


@dataclass(frozen=True)
class Observable:
    """A polynomial in bilinear forms: what a simulation would return, one number a walk."""

    terms: tuple[Term, ...]

    @staticmethod
    def of(value: Any) -> Observable:
        """An Observable from one, or from a deterministic coefficient."""
        if isinstance(value, Observable):
            return value
        return Observable((Term(Ratio.of(value)),))

    def __add__(self, other: Any) -> Observable:
        return Observable((*self.terms, *Observable.of(other).terms))

    __radd__ = __add__

    def __neg__(self) -> Observable:
        return self * -1

    def __sub__(self, other: Any) -> Observable:
        return self + (-Observable.of(other))

    def __rsub__(self, other: Any) -> Observable:
        return Observable.of(other) - self

    def __mul__(self, other: Any) -> Observable:
        other = Observable.of(other)
        taken = {bound.index for term in self.terms for bound in term.bounds}
        while taken & {bound.index for term in other.terms for bound in term.bounds}:
            other = other.renamed("'")
        return Observable(
            tuple(
                Term((a.coefficient * b.coefficient).reduced(), a.forms + b.forms, a.bounds + b.bounds)
                for a in self.terms
                for b in other.terms
            )
        )

    __rmul__ = __mul__

    def __truediv__(self, factor: Any) -> Observable:
        return self.scaled(Ratio.of(1) / Ratio.of(factor))

    def scaled(self, factor: Ratio) -> Observable:
        """The observable times a coefficient."""
        return Observable(tuple(Term((t.coefficient * factor).reduced(), t.forms, t.bounds) for t in self.terms))

    def __pow__(self, exponent: int) -> Observable:
        if exponent < 0:
            raise ValueError(f"the power {exponent} of an observable is no polynomial; expected an exponent >= 0")
        result = Observable.of(1)
        for _ in range(exponent):
            result = result * self
        return result

    def renamed(self, mark: str) -> Observable:
        """The same observable with ``mark`` put behind its summation indices."""

        def label(name: str, own: frozenset[str]) -> str:
            return name + mark if name in own else name

        def vector(v: Vector, own: frozenset[str]) -> Vector:
            parts = tuple((c, (a[0], *(label(n, own) for n in a[1:]))) for c, a in v.parts)
            return Vector(parts, v.fixed)

        terms = []
        for term in self.terms:
            own = frozenset(bound.index for bound in term.bounds)
            forms = tuple(Form(vector(f.left, own), f.letters, vector(f.right, own)) for f in term.forms)
            bounds = tuple(
                Bound(b.index + mark, label(b.above, own), label(b.upto, own), b.strict) for b in term.bounds
            )
            terms.append(Term(term.coefficient, forms, bounds))
        return Observable(tuple(terms))

    def summed(self, bound: Bound) -> Observable:
        """The sum of this observable over one more index, which becomes the outermost."""
        return Observable(tuple(Term(t.coefficient, t.forms, (bound, *t.bounds)) for t in self.terms))

    def degree(self) -> int:
        """The polynomial degree in the Gaussian tokens."""
        return max((sum(not v.fixed for f in t.forms for v in (f.left, f.right)) for t in self.terms), default=0)

    def vectors(self) -> Iterator[Vector]:
        """Every vector of every form."""
        return (v for t in self.terms for f in t.forms for v in (f.left, f.right))

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {' + '.join(term.latex for term in self.terms) or '0'}$"

    def __str__(self) -> str:
        return " + ".join(map(str, self.terms)) or "0"
