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

from theorems.algebra.ratio import Ratio, total
from theorems.gaussian.moments.wick import MEAN
from theorems.gaussian.observables import START, Form, Vector
from theorems.gaussian.process import KERNELS, Kernel, Process
from theorems.gaussian.words import Letter, chain, cycle, reverse

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
        for coefficient, atom in self._tokens(vector):
            if atom[0] == "at":
                if place(high) <= place(atom[1]):
                    parts.append(coefficient)
            elif place(high) <= place(atom[1]):
                parts.append(coefficient * (Ratio.of(atom[2]) - atom[1]))
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
        head, *rest = block
        # read backwards a cycle or chain is the same one: the first form is read forwards only
        ways = [(form, _turned(form)) for form in rest]
        if not any(v.fixed for form in block for v in (form.left, form.right)):
            for order in permutations(ways):
                for loop in itertools.product((head,), *order):
                    links = [self.covariance(f.right, g.left) for f, g in pairwise((*loop, head))]
                    parts.append(_times(links) * Ratio.of(cycle(_letters(loop)).name))
        for line in permutations([(head,), *ways]):
            for path in itertools.product(*line):
                if any(v.fixed for f, g in pairwise(path) for v in (f.right, g.left)):
                    continue
                ends = (path[0].left, path[-1].right)
                means = _times([self.mean(v) for v in ends if not v.fixed])
                if not means.num:
                    continue
                links = [self.covariance(f.right, g.left) for f, g in pairwise(path)]
                left, right = (v.fixed or MEAN for v in ends)
                parts.append(means * _times(links) * Ratio.of(chain(left, _letters(path), right).name))
        return total(parts)


def _turned(form: Form) -> Form:
    return Form(form.right, reverse(form.letters), form.left)


def _letters(forms: Sequence[Form]) -> tuple[Letter, ...]:
    return tuple(letter for form in forms for letter in form.letters)


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
