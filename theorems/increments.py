"""The second route: walks as sums of independent increments, moments from joint cumulants of the forms.

Neither the kernel min(s, t) nor the pairings of Wick's theorem are used: a covariance is a sum over increments, and
E[f_1 ... f_k] is a sum over the partitions of the forms into blocks of the product of their joint cumulants, which
are the connected cycles and chains of log E[exp(sum_k t_k f_k)].
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, permutations
from typing import ClassVar

from theorems.observables import START, Form, Vector
from theorems.process import KERNELS, Kernel, Process
from theorems.ratio import Ratio, total
from theorems.wick import MEAN
from theorems.words import chain, cycle, reverse

#: Variance of the first increment in units of Sigma, by the walk's start.
FIRST_INCREMENT = {"sigma": 1, "zero": 0, "mean": 0}


def first_increment(kernel: Kernel) -> int | None:
    """The variance of the first increment of a walk's kernel; None for a kernel that is no walk's."""
    return next((value for start, value in FIRST_INCREMENT.items() if KERNELS[start] == kernel), None)


@dataclass
class SecondRoute(Process):
    """A process whose moments come from joint cumulants, and a walk's covariances from its increments."""

    expectation_rule: ClassVar[str] = "wick"

    def covariance(self, one: Vector, two: Vector) -> Ratio:
        """K(u, v) = sum_k b_u(k) b_v(k) over the increments k, b_u(k) the weight of increment k in u (walks only)."""
        first = first_increment(self.kernel)
        if first is None:
            return super().covariance(one, two)
        if (one, two) not in self._covariances:
            parts = []
            for low, high in pairwise(self.chain):
                weight = self._tail(one, low, high) * self._tail(two, low, high)
                lower = Ratio.of(0) if low == START else Ratio.of(low)
                parts.append(self._closed(weight, "_k", lower, Ratio.of(high)))
            if first == 0:
                head = self._tail(one, *self.chain[:2]) * self._tail(two, *self.chain[:2])
                parts.append(-head.substitute("_k", 1))
            self._covariances[one, two] = total(parts).reduced()
        return self._covariances[one, two]

    def _tail(self, vector: Vector, low: str, high: str) -> Ratio:
        """The weight of increment k in the vector, for k in the stretch (low, high]."""
        parts = []
        place = self.chain.index
        for coefficient, atom in vector.parts:
            if atom[0] == "at":
                if place(high) <= place(atom[1]):
                    parts.append(coefficient)
                continue
            bottom = Ratio.of(0) if atom[1] == START else Ratio.of(atom[1])
            if place(high) <= place(atom[1]):
                parts.append(coefficient * (Ratio.of(atom[2]) - bottom))
            elif place(high) <= place(atom[2]):
                parts.append(coefficient * (Ratio.of(atom[2]) - Ratio.of("_k") + 1))
        return total(parts)

    def product(self, forms: Sequence[Form]) -> Ratio:
        """E[product of the forms]."""
        parts = []
        for partition in _partitions(list(forms)):
            value = Ratio.of(1)
            for block in partition:
                value = value * self._cumulant(block)
            parts.append(value)
        return total(parts)

    def _cumulant(self, block: list[Form]) -> Ratio:
        """The joint cumulant of the forms: closed cycles, and chains between fixed vectors or means."""
        parts = []
        centred = self.kernel.mean is None
        head, rest = block[0], block[1:]
        for order in permutations(rest):
            for turned in itertools.product((False, True), repeat=len(rest)):
                loop = [_turn(f, t) for f, t in zip((head, *order), (False, *turned), strict=True)]
                if all(not f.left.fixed and not f.right.fixed for f in loop):
                    letters = tuple(letter for f in loop for letter in f.letters)
                    links = [self.covariance(f.right, g.left) for f, g in zip(loop, [*loop[1:], loop[0]], strict=True)]
                    parts.append(_times(links) * Ratio.of(cycle(letters).name))
        for line in permutations(range(len(block))):
            if line[0] > line[-1]:
                continue
            for turned in itertools.product((False, True), repeat=len(block)):
                if len(block) == 1 and turned[0]:
                    continue
                path = [_turn(block[k], t) for k, t in zip(line, turned, strict=True)]
                inner = [*(f.right for f in path[:-1]), *(f.left for f in path[1:])]
                ends = (path[0].left, path[-1].right)
                if any(v.fixed for v in inner) or (centred and not all(v.fixed for v in ends)):
                    continue
                letters = tuple(letter for f in path for letter in f.letters)
                links = [self.covariance(f.right, g.left) for f, g in pairwise(path)]
                links += [self.mean(v) for v in ends if not v.fixed]
                names = [v.fixed or MEAN for v in ends]
                parts.append(_times(links) * Ratio.of(chain(names[0], letters, names[1]).name))
        return total(parts)


def _turn(form: Form, turned: bool) -> Form:
    return Form(form.right, reverse(form.letters), form.left) if turned else form


def _times(values: Sequence[Ratio]) -> Ratio:
    result = Ratio.of(1)
    for value in values:
        result = result * value
    return result


def _partitions(items: list[Form]) -> Iterator[list[list[Form]]]:
    """Every partition of the items into blocks."""
    if not items:
        yield []
        return
    head, rest = items[0], items[1:]
    for partition in _partitions(rest):
        yield [[head], *partition]
        for k, block in enumerate(partition):
            yield [*partition[:k], [head, *block], *partition[k + 1 :]]
