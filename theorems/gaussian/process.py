"""Gaussian processes with covariance K(s, t) Sigma and mean c(t) m: exact moments of forms, and sums over tokens."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, ClassVar

import sympy as sp

from theorems.algebra.ratio import Ratio, total
from theorems.gaussian.asymptotics import Expansion, expand
from theorems.gaussian.display import latex
from theorems.gaussian.moments.wick import contract
from theorems.gaussian.observables import IDENTITY, START, Bound, Form, Matrix, Observable, Term, Vector
from theorems.gaussian.repair import presentable
from theorems.gaussian.words import Letter


@dataclass(frozen=True)
class Kernel:
    """A scalar covariance: ``below`` = K(s, t) for s < t, a polynomial in s and t, and ``diagonal`` = K(s, s) in s.

    ``mean`` is the polynomial c(t) of the mean c(t) m (None for a centred process).
    """

    name: str
    below: Ratio
    diagonal: Ratio
    mean: Ratio | None = None

    @property
    def continuous(self) -> bool:
        """Whether the formula for s < t also holds at s = t, so that positions may coincide."""
        return self.below.substitute("t", "s") == self.diagonal

    def between(self, first: Any, second: Any) -> Ratio:
        """K(first, second) for first < second; a position may itself be called s or t."""
        apart = self.below.substitute("s", "_s").substitute("t", "_t")
        return apart.substitute("_s", first).substitute("_t", second)

    def at(self, position: Any) -> Ratio:
        """K(position, position)."""
        return self.diagonal.substitute("s", position)

    def mean_at(self, position: Any) -> Ratio:
        """c(position)."""
        return Ratio.of(0) if self.mean is None else self.mean.substitute("t", position)


_s, _t, _one = Ratio.of("s"), Ratio.of("t"), Ratio.of(1)

#: Kernels by name. "sigma": the paper's walk, x_1 ~ N(0, Sigma). "zero": x_1 = 0. "mean": x_1 = m, fixed.
KERNELS = {
    "sigma": Kernel("random walk, x_1 ~ N(0, Sigma)", _s, _s),
    "zero": Kernel("random walk, x_1 = 0", _s - 1, _s - 1),
    "mean": Kernel("random walk, x_1 = m", _s - 1, _s - 1, _one),
    "iid": Kernel("independent tokens", Ratio.of(0), _one),
    "line": Kernel("a random straight line, x_t = t x_1", _s * _t, _s * _s),
    "one": Kernel("one Gaussian vector x ~ N(m, Sigma)", _one, _one, _one),
}


@dataclass(frozen=True)
class Position:
    """A token position; arithmetic with it gives coefficients."""

    name: str

    is_position: ClassVar[bool] = True

    @property
    def ratio(self) -> Ratio:
        """The position as a coefficient."""
        return Ratio.of(self.name)

    def __neg__(self) -> Ratio:
        return -self.ratio

    # the coefficient does the arithmetic: it leaves what is no coefficient (a moment, a form) to the other side
    def __add__(self, other: Any) -> Any:
        return self.ratio + (other.ratio if isinstance(other, Position) else other)

    def __sub__(self, other: Any) -> Any:
        return self.ratio - (other.ratio if isinstance(other, Position) else other)

    def __rsub__(self, other: Any) -> Any:
        return other - self.ratio

    def __mul__(self, other: Any) -> Any:
        return self.ratio * (other.ratio if isinstance(other, Position) else other)

    def __truediv__(self, other: Any) -> Ratio:
        return self.ratio / Ratio.of(other)

    def __rtruediv__(self, other: Any) -> Any:
        return other / self.ratio

    __radd__, __rmul__ = __add__, __mul__

    def __pow__(self, exponent: int) -> Ratio:
        return self.ratio**exponent


@dataclass(frozen=True)
class Step:
    """One step of a derivation as data: the rule, what the kernel needs to check it, and the conclusion in words.

    ``{0}``, ``{1}``, ... in the words stand for the data, so that nothing is printed before somebody reads it.
    """

    rule: str
    words: str
    data: tuple[Any, ...] = ()

    @property
    def text(self) -> str:
        """The conclusion as a line."""
        return self.words.format(*map(_worded, self.data))


def _worded(part: Any) -> Any:
    """Data as a line has it: names joined, a point as T = 4, nu = 512."""
    if isinstance(part, tuple) and part and all(isinstance(one, str) for one in part):
        return " and ".join(part)
    if (
        isinstance(part, tuple)
        and part
        and all(isinstance(one, tuple) and len(one) == 2 and isinstance(one[0], str) for one in part)
    ):
        return ", ".join(f"{name} = {value}" for name, value in part)
    return part


@dataclass
class Moment:
    """A derived quantity: its value, and what it is the mean, the variance or the covariance of.

    ``observable`` is what a simulation averages; for a covariance ``other`` is the second one. ``chain`` is the order
    of positions that it was derived under.
    """

    ratio: Ratio
    observable: Observable | None
    kind: str
    process: Process
    other: Observable | None = None
    chain: tuple[str, ...] = ()

    @property
    def expr(self) -> sp.Expr:
        """The value as a sympy expression."""
        return self.ratio.expr

    def limit(self, scale: str = "1", **regime: str) -> Expansion:
        """value/scale as T -> infinity, e.g. limit(i="theta*T"): the limit, and the remainder exactly."""
        return expand(self.ratio, regime, scale)

    @property
    def latex(self) -> str:
        """The value in LaTeX."""
        return latex(presentable(self.expr))

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.latex}$"

    def __str__(self) -> str:
        return str(self.ratio)

    def __mul__(self, factor: Any) -> Moment:
        ratio = Ratio.of(factor)
        observable = None
        if self.observable is not None and self.kind == "mean" and not isinstance(factor, Moment):
            observable = self.observable.scaled(ratio)
        return Moment((self.ratio * ratio).reduced(), observable, self.kind, self.process, chain=self.chain)

    __rmul__ = __mul__

    def __truediv__(self, factor: Any) -> Moment:
        return self * (Ratio.of(1) / Ratio.of(factor))

    def _combined(self, other: Any, sign: int) -> Moment:
        ratio = (self.ratio + sign * Ratio.of(other)).reduced()
        observable = None
        if self.kind == "mean" and self.observable is not None:
            if isinstance(other, Moment):
                if other.kind == "mean" and other.observable is not None:
                    observable = self.observable + other.observable * sign
            else:
                observable = self.observable + Ratio.of(other) * sign
        return Moment(ratio, observable, "mean", self.process, chain=self.chain)

    def __add__(self, other: Any) -> Moment:
        return self._combined(other, 1)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Moment:
        return self._combined(other, -1)

    def __rsub__(self, other: Any) -> Moment:
        return (self * -1)._combined(other, 1)

    def __neg__(self) -> Moment:
        return self * -1


@dataclass
class Process:
    """A Gaussian process over token positions with a stated order 1 <= i <= j <= ... <= T.

    Positions of a discontinuous kernel (independent tokens) are distinct: i < j < T. ``symmetric`` says whether
    W^T = W. ``steps`` records every contraction and every closed sum, for the proof kernel.
    """

    kernel: Kernel
    chain: tuple[str, ...] = (START,)
    symmetric: bool = True
    steps: list[Step] = field(default_factory=list)
    _covariances: dict[tuple[Vector, Vector], Ratio] = field(default_factory=dict)
    _count: int = 0
    expectation_rule: ClassVar[str] = "isserlis"

    @property
    def positions(self) -> tuple[Position, ...]:
        """The positions in their order, e.g. ``i, j, T = walk.positions``."""
        return tuple(Position(name) for name in self.chain[1:])

    # -- building observables

    def token(self, position: Position | str) -> Vector:
        """The token x_position."""
        name = position.name if isinstance(position, Position) else position
        if name not in self.chain[1:]:
            raise ValueError(f"position {name!r} is not in the order {' <= '.join(self.chain[1:])}; declare it there")
        return Vector(((Ratio.of(1), ("at", name)),))

    def tokens(self, above: Position | str = START, upto: Position | str = "T") -> Vector:
        """The sum of the tokens x_a over above < a <= upto."""
        low, high = (p.name if isinstance(p, Position) else p for p in (above, upto))
        for name in (low, high):
            if name not in self.chain:
                raise ValueError(
                    f"position {name!r} is not in the order {' <= '.join(self.chain[1:])}; declare it there"
                )
        if self.chain.index(low) >= self.chain.index(high):
            raise ValueError(f"tokens after {low} up to {high}: {high} does not come after {low} in the order")
        return Vector(((Ratio.of(1), ("between", low, high)),))

    def form(self, left: Any, matrix: Matrix | Sequence[Matrix], right: Any) -> Observable:
        """The bilinear form left^T matrix right; ends are positions, vectors or names of fixed vectors.

        A sequence of matrices (A, B) stands for the product A Sigma B.
        """
        matrices = (matrix,) if isinstance(matrix, Matrix) else tuple(matrix)
        letters = tuple(Letter(m.name, symmetric=self.symmetric or not m.name) for m in matrices)
        return Observable((Term(Ratio.of(1), (Form(self._vector(left), letters, self._vector(right)),)),))

    def inner(self, left: Any, right: Any) -> Observable:
        """The inner product left^T right."""
        return self.form(left, IDENTITY, right)

    def _vector(self, end: Any) -> Vector:
        if isinstance(end, Vector):
            return end
        if isinstance(end, Position):
            return self.token(end)
        if isinstance(end, str):
            return self.token(end) if end in self.chain[1:] else Vector(fixed=end)
        raise TypeError(
            f"{end!r} is no end of a form; expected a position, a vector of tokens or a fixed vector's name"
        )

    # -- expectations

    def expect(self, observable: Any) -> Moment:
        """E[observable], a polynomial in positions and words; every summation index must be closed with ``sum``."""
        observable = Observable.of(observable)
        parts = []
        for term in observable.terms:
            if term.bounds:
                raise ValueError(f"{term} is summed inside the expectation; use walk.sum(lambda j: walk.expect(...))")
            parts.append(term.coefficient * self.product(term.forms))
        value = total(parts).reduced()
        self.steps.append(Step(self.expectation_rule, "E[{0}] = {1}", (observable, value, self, self.chain)))
        return Moment(value, observable, "mean", self, chain=self.chain)

    def variance(self, observable: Any) -> Moment:
        """Var[observable] = E[observable^2] - E[observable]^2."""
        observable = Observable.of(observable)
        first, second = self.expect(observable), self.expect(observable * observable)
        value = (second.ratio - first.ratio * first.ratio).reduced()
        self.steps.append(Step("identity", "Var = E[f^2] - E[f]^2 = {0}", (value, second.ratio - first.ratio**2)))
        return Moment(value, observable, "variance", self, chain=self.chain)

    def cov(self, one: Any, two: Any) -> Moment:
        """Cov[one, two] = E[one two] - E[one] E[two]."""
        f, g = Observable.of(one), Observable.of(two)
        first, second, joint = self.expect(f), self.expect(g), self.expect(f * g)
        value = (joint.ratio - first.ratio * second.ratio).reduced()
        self.steps.append(
            Step("identity", "Cov = E[f g] - E[f] E[g] = {0}", (value, joint.ratio - first.ratio * second.ratio))
        )
        return Moment(value, f, "covariance", self, g, self.chain)

    def sum(
        self,
        body: Callable[[Position], Moment],
        *,
        above: Position | str = START,
        upto: Position | str = "",
        below: Position | str = "",
    ) -> Moment:
        """sum over above < j <= upto (or above < j < below) of body(j), closed exactly in the positions.

        ``above`` and the upper end must be neighbours in the order; split the sum otherwise.
        """
        low, high = (p.name if isinstance(p, Position) else p for p in (above, below or upto))
        if low not in self.chain or high not in self.chain or self.chain.index(high) != self.chain.index(low) + 1:
            raise ValueError(
                f"sum over {low} < j <= {high}: not neighbours in {' <= '.join(self.chain)}; split the sum"
            )
        if not below and not self.kernel.continuous:
            # at j = T the two positions coincide, where such a kernel has another value
            return self.sum(body, above=above, below=high) + body(Position(high))
        self._count += 1
        index = f"{next(iter(inspect.signature(body).parameters))}{self._count}"
        outer = self.chain
        place = outer.index(high)
        self.chain = (*outer[:place], index, *outer[place:])
        try:
            inner = body(Position(index))
        finally:
            self.chain = outer
        lower = Ratio.of(0) if low == START else Ratio.of(low)
        upper = Ratio.of(high) - 1 if below else Ratio.of(high)
        value = self._closed(inner.ratio, index, lower, upper)
        bound = Bound(index, low, high, bool(below))
        plain = inner.observable is not None and inner.kind == "mean"
        observable = inner.observable.summed(bound) if plain and inner.observable is not None else None
        return Moment(value, observable, "mean", self, chain=self.chain)

    @contextmanager
    def over_all(self, *ignored: Position) -> Iterator[None]:
        """Within the block, the order does not hold these positions, so that a sum may run over them."""
        outer = self.chain
        self.chain = tuple(node for node in outer if node not in {position.name for position in ignored})
        try:
            yield
        finally:
            self.chain = outer

    def _closed(self, summand: Ratio, index: str, lower: Ratio, upper: Ratio) -> Ratio:
        """sum_{index = lower + 1}^{upper} summand."""
        primitive = summand.summed(index)
        value = (primitive.substitute(index, upper) - primitive.substitute(index, lower)).reduced()
        words = "sum over {2} < {1} <= {3} of {0} = {5}"
        self.steps.append(Step("faulhaber", words, (summand, index, lower, upper, primitive, value)))
        return value

    def product(self, forms: Sequence[Form]) -> Ratio:
        """E[product of the forms]."""
        if not forms:
            return Ratio.of(1)
        vectors, terms = contract(forms, self.kernel.mean is None)
        parts = []
        for term in terms:
            value = Ratio.of(term.count)
            for one, two in term.pairs:
                value = value * self.covariance(vectors[one], vectors[two])
            for end in term.means:
                value = value * self.mean(vectors[end])
            for word in term.words:
                value = value * Ratio.of(word.name)
            parts.append(value)
        return total(parts)

    # -- the kernel on linear combinations of tokens

    def covariance(self, one: Vector, two: Vector) -> Ratio:
        """The scalar K(u, v) with Cov(u, v) = K(u, v) Sigma, for linear combinations of tokens.

        Raises TypeError for a fixed vector.
        """
        if (two, one) in self._covariances:
            return self._covariances[two, one]
        if (one, two) not in self._covariances:
            left, right = self._tokens(one), self._tokens(two)
            parts = [a * b * self._atoms((x, y)) for a, x in left for b, y in right]
            self._covariances[one, two] = total(parts).reduced()
        return self._covariances[one, two]

    def mean(self, vector: Vector) -> Ratio:
        """The scalar c with E[vector] = c m, for linear combinations of tokens; TypeError for a fixed vector."""
        tokens = self._tokens(vector)
        if self.kernel.mean is None:
            return Ratio.of(0)
        parts = []
        for coefficient, atom in tokens:
            if atom[0] == "at":
                parts.append(coefficient * self.kernel.mean_at(atom[1]))
            else:
                parts.append(coefficient * self._closed(self.kernel.mean_at("_a"), "_a", *self._ends(atom)))
        return total(parts).reduced()

    def _tokens(self, vector: Vector) -> tuple[tuple[Ratio, tuple[str, ...]], ...]:
        """The tokens of a vector, with their coefficients; TypeError for a fixed vector, which is made of none."""
        if vector.fixed:
            raise TypeError(f"the fixed vector {vector.fixed} has no covariance and no mean; expected tokens")
        return vector.parts

    def _split(self, atom: tuple[str, ...]) -> list[tuple[str, ...]]:
        """The pieces of a stretch of tokens between neighbouring positions."""
        if atom[0] == "at":
            return [atom]
        low, high = self.chain.index(atom[1]), self.chain.index(atom[2])
        return [("between", self.chain[k], self.chain[k + 1]) for k in range(low, high)]

    def _atoms(self, pair: tuple[tuple[str, ...], tuple[str, ...]]) -> Ratio:
        """K between two tokens or stretches, whichever comes first."""
        both = itertools.product(*(self._split(atom) for atom in pair))
        return total(self._pieces(*sorted(pieces, key=self._place)) for pieces in both)

    def _place(self, atom: tuple[str, ...]) -> tuple[int, bool]:
        """The order of tokens and elementary stretches: by where they end, a stretch before the token at its end."""
        return self.chain.index(atom[-1]), atom[0] == "at"

    def _pieces(self, first: tuple[str, ...], second: tuple[str, ...]) -> Ratio:
        """K between two tokens or elementary stretches in their order."""
        # names of summation variables begin with an underscore, which no position's name may
        between, at = self.kernel.between, self.kernel.at
        if first[0] == "at":
            if second[0] == "at":
                return at(first[1]) if first == second else between(first[1], second[1])
            return self._closed(between(first[1], "_a"), "_a", *self._ends(second))
        low, high = self._ends(first)
        if first == second:
            upper = self._closed(between("_a", "_b"), "_a", low, Ratio.of("_b") - 1)
            twice = 2 * self._closed(upper, "_b", low, high)
            return twice + self._closed(at("_a"), "_a", low, high)
        if second[0] == "between":
            inner = self._closed(between("_a", "_b"), "_a", low, high)
            return self._closed(inner, "_b", *self._ends(second))
        node = second[1]
        if node == first[2]:
            return self._closed(between("_a", node), "_a", low, high - 1) + at(node)
        return self._closed(between("_a", node), "_a", low, high)

    def _ends(self, atom: tuple[str, ...]) -> tuple[Ratio, Ratio]:
        return (Ratio.of(0) if atom[1] == START else Ratio.of(atom[1])), Ratio.of(atom[2])


def process(kernel: str | Kernel, positions: Sequence[str], symmetric: bool = True) -> Process:
    """A process by the kernel's name, with the positions in their stated order."""
    chosen = KERNELS[kernel] if isinstance(kernel, str) else kernel
    return Process(chosen, chain_of(positions), symmetric)


def chain_of(positions: Sequence[str]) -> tuple[str, ...]:
    """The order of a process from its positions' names; ValueError for a name that is none, or that stands twice."""
    for name in positions:
        if not name.isidentifier() or name.startswith("_"):
            raise ValueError(f"position {name!r}; expected a letter and then letters or digits, e.g. i")
    if len(set(positions)) != len(positions):
        raise ValueError(f"positions {', '.join(positions)}: one stands twice; name each once")
    return (START, *positions)


def random_walk(*positions: str, start: str = "sigma", symmetric: bool = True) -> Process:
    """The walk of Assumption 1 (``start`` = "sigma": x_1 ~ N(0, Sigma)), or started at "zero", or at "mean" = m."""
    return process(start, positions, symmetric)
