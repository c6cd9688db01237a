"""The exact kurtosis of raw numbers made of exponentials, cosines and sines of linear forms in the tokens.

A linear form is a + b^T z in the normals z that make the tokens, and E exp(b^T z) = exp(b^T b/2) for complex b, too, so
that cos and sin are halves of two exponentials. A sum f of such terms falls into parts that share no normal: these are
independent, and the cumulants of f are the sums of theirs. Moments of f^k follow from those of f up to 4 k.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations_with_replacement
from operator import add
from typing import Any

import numpy as np
from numpy.typing import NDArray

from montecarlo.statements.environment import Environment
from montecarlo.statements.frames import DirectionError, Frame, Powers
from montecarlo.statements.nodes import Node, StatementSimulationError, put, random
from montecarlo.statements.quadratic import CANCELLED, kurtosis_of_moments, moments
from montecarlo.statements.tails import degree
from montecarlo.statements.values import value, whole

Slope = NDArray[np.complexfloating[Any, Any]]
#: The constant and the coefficients of a linear form by the normals: of a node without index.
Linear = Callable[[Node], tuple[float, NDArray[np.float64]]]
#: The weight of exp(b^T z) for every b, as a tuple.
Terms = dict[tuple[complex, ...], complex]
#: What a node of the simplest kind is; None for another.
Leaf = Callable[[Node], Terms | None]
#: Weights and slopes of exponentials that share normals.
Part = list[tuple[complex, NDArray[np.complex128]]]
#: Most terms of a sum of exponentials, and most products of the terms of one part.
MOST_TERMS, MOST_PRODUCTS = 2_048, 20_000
#: Highest power of such a sum whose kurtosis is found.
HIGHEST = 2
WAVES = ("exp", "cos", "sin")


class NoWavesError(ValueError):
    """A node that is no sum of exponentials of linear forms, or of too many."""


@dataclass(frozen=True)
class Gaussian:
    """Independent standard normals: E exp(b^T z) = exp(b^T b/2)."""

    def mean(self, slope: Slope) -> Any:
        """E exp(slope^T z), of one slope or of each in a row of its own."""
        return np.exp((slope * slope).sum(-1) / 2)

    def shared(self, slope: Slope) -> set[int]:
        """What an exponential has in common with those that it depends on: its normals."""
        return set(np.nonzero(slope)[0].tolist())

    def met(self, slopes: Slope) -> Slope:
        """Slopes, a row each, by what one of them has alone."""
        return slopes[:, slopes.any(0)]


@dataclass(frozen=True)
class Sphere:
    """Independent z_t, uniform on the sphere of radius sqrt(d) in R^d: E exp(b^T z_t) = 0F1(; d/2; d b^T b/4)."""

    d: int

    def mean(self, slope: Slope) -> Any:
        """E exp(slope^T z), the product over the tokens; of one slope or of each in a row of its own."""
        from scipy import special

        squares = (slope * slope).reshape(*slope.shape[:-1], -1, self.d).sum(-1).astype(np.complex128)
        return special.hyp0f1(self.d / 2, self.d * squares / 4).prod(-1)

    def shared(self, slope: Slope) -> set[int]:
        """What an exponential has in common with those that it depends on: its tokens."""
        return {int(k) // self.d for k in np.nonzero(slope)[0]}

    def met(self, slopes: Slope) -> Slope:
        """Slopes, a row each, by the tokens that one of them has alone."""
        tokens = slopes.reshape(len(slopes), -1, self.d)
        return tokens[:, tokens.any((0, 2))].reshape(len(slopes), -1)


Law = Gaussian | Sphere | Frame | Powers


@np.errstate(over="raise", invalid="raise")
def kurtosis(
    node: Node,
    env: Environment,
    linear: Linear,
    normals: int,
    power: int,
    apart: bool = False,
    law: Law | None = None,
) -> float:
    """E (Z - mu)^4/sigma^4 of Z = f^power, f the node's value; infinite where f is of another kind.

    ``apart`` takes f - f' of two walks for f. Under a law of ``Powers`` f is a polynomial in its linear forms.
    """
    try:
        if isinstance(law, Powers):
            powers, zero = law, (0j,) * (normals // law.d)

            def leaf(part: Node) -> Terms | None:
                return powers.powers(*linear(part)) if degree(part, env) == 1 else None

            terms = _expanded(node, env, leaf, zero)
        else:
            terms = exponentials(node, env, linear, normals)
    except (NoWavesError, DirectionError, StatementSimulationError, OverflowError, FloatingPointError):
        return math.inf
    return kurtosis_of_terms(terms, power, apart, law)


def exponentials(node: Node, env: Environment, linear: Linear, normals: int) -> Terms:
    """A node as a sum of exponentials of linear forms in the normals; NoWavesError where it is none."""
    return _expanded(node, env, lambda part: _wave(part, env, linear), (0j,) * normals)


@np.errstate(over="raise", invalid="raise")
def kurtosis_of_terms(terms: Terms, power: int, apart: bool = False, law: Law | None = None) -> float:
    """``kurtosis`` of the sum of such terms; infinite where that is too dear."""
    law = law or Gaussian()
    try:
        mean, parts = _parts({key: weight for key, weight in terms.items() if weight}, law)
        if not parts:
            # all that is random cancels: a constant
            return 1.0
        kappa, known = np.zeros(4 * power + 1), dict[tuple[Any, ...], NDArray[np.float64]]()
        for part in parts:
            weights, slopes = [weight for weight, _ in part], np.array([slope for _, slope in part])
            slopes = law.met(slopes) if isinstance(law, Gaussian | Sphere) else slopes
            # every token of a sum is a part like the others
            key = (*weights, slopes.tobytes())
            if key not in known:
                known[key] = _cumulants(weights, slopes, 4 * power, law)
            kappa = kappa + known[key]
        if apart:
            mean, kappa = 0.0, kappa * [1 + (-1) ** r for r in range(len(kappa))]
        kappa[1] = mean
        return kurtosis_of_moments(moments(list(kappa)), power)
    except (NoWavesError, DirectionError, OverflowError, FloatingPointError):
        return math.inf


def _wave(node: Node, env: Environment, linear: Linear) -> Terms | None:
    """An exponential, cosine or sine as exponentials; None for anything else."""
    op = node[0]
    if op not in WAVES or degree(node[1], env) != 1:
        return None
    start, slope = linear(node[1])
    if op == "exp":
        return {tuple(slope.astype(np.complex128).tolist()): complex(math.exp(start))}
    turns = [(sign, np.exp(1j * sign * start) / 2 / (1j * sign if op == "sin" else 1)) for sign in (1, -1)]
    return {tuple((1j * sign * slope).tolist()): complex(weight) for sign, weight in turns}


def _expanded(node: Node, env: Environment, leaf: Leaf, zero: tuple[complex, ...]) -> Terms:
    op = node[0]
    if not random(node):
        return {zero: complex(_number(node, env))}
    if (known := leaf(node)) is not None:
        return known

    def inner(part: Node) -> Terms:
        return _expanded(part, env, leaf, zero)

    if op == "+":
        return _added(inner(part) for part in node[1:])
    if op == "*":
        return _multiplied(*map(inner, node[1:]))
    if op == "/" and not random(node[2]):
        return _multiplied(inner(node[1]), {zero: complex(1 / _number(node[2], env))})
    if op == "**" and not random(node[2]):
        count = _number(node[2], env)
        if count in (1, 2, 3, 4):
            return _multiplied(*[inner(node[1])] * int(count))
    if op == "sum":
        body, index, *ends = node[1:]
        first, last = (whole(_number(end, env), end) for end in ends)
        if last - first < MOST_TERMS:
            places = (put(body, index, ("number", str(k))) for k in range(first, last + 1))
            return _added(inner(place) for place in places)
    raise NoWavesError(op)


def _number(node: Node, env: Environment) -> float:
    found = value(node, env)
    if not isinstance(found, float | int):
        raise NoWavesError(node[0])
    return float(found)


def _added(several: Iterator[Terms]) -> Terms:
    found: Terms = {}
    for terms in several:
        for key, weight in terms.items():
            found[key] = found.get(key, 0j) + weight
        if len(found) > MOST_TERMS:
            raise NoWavesError("+")
    return found


def _multiplied(first: Terms, *others: Terms) -> Terms:
    for terms in others:
        if len(first) * len(terms) > MOST_TERMS:
            raise NoWavesError("*")
        found: Terms = {}
        # a number has no slope
        each = [(b if any(b) else None, weight) for b, weight in terms.items()]
        for a, one in first.items():
            for b, two in each:
                key = a if b is None else tuple(map(add, a, b))
                found[key] = found.get(key, 0j) + one * two
        first = found
    return first


def _parts(terms: Terms, law: Law) -> tuple[float, list[Part]]:
    """The mean of all, then the parts that share nothing, each as the weights and slopes of its exponentials."""
    mean, groups = 0j, list[tuple[set[int], Part]]()
    slopes = np.array(list(terms), dtype=np.complex128)
    means = law.mean(slopes) if len(slopes) else []
    for slope, weight, own in zip(slopes, terms.values(), means, strict=True):
        mean += weight * own
        support = law.shared(slope)
        if not support:
            continue
        joined, entries = support, [(weight, slope)]
        apart = []
        for group in groups:
            if group[0] & joined:
                joined, entries = joined | group[0], group[1] + entries
            else:
                apart.append(group)
        groups = [*apart, (joined, entries)]
    return float(mean.real), [entries for _, entries in groups]


def _cumulants(several: list[complex], slopes: Slope, most: int, law: Law) -> NDArray[np.float64]:
    """kappa_0 = kappa_1 = 0 and kappa_2 ... kappa_most of one part, in extended precision."""
    weights = [np.clongdouble(weight) for weight in several]
    if isinstance(law, Gaussian):
        # the others work in double precision, token by token
        slopes = slopes.astype(np.clongdouble)
    own = [weight * law.mean(slope) for weight, slope in zip(weights, slopes, strict=True)]
    if math.comb(most + len(weights), most) > MOST_PRODUCTS:
        raise NoWavesError("**")
    # about the mean: one more term, without a slope
    scaled = [*weights, -sum(own)]
    slopes = np.pad(slopes, ((0, 1), (0, 0)))
    central = [1.0, 0.0]
    powers = np.array(scaled) ** np.arange(most + 1)[:, None]
    for n in range(2, most + 1):
        counts, ways = _choices(len(scaled), n)
        products = powers[counts, np.arange(len(scaled))].prod(1)
        central.append(float((ways * products * law.mean(counts @ slopes)).sum().real))
    # what rounding leaves of the highest moment
    if central[2] <= CANCELLED ** (4 / most) * float(abs(sum(own)) ** 2):
        raise NoWavesError("rounding")
    kappa = [0.0, 0.0]
    for n in range(2, most + 1):
        kappa.append(central[n] - sum(math.comb(n - 1, k - 1) * kappa[k] * central[n - k] for k in range(2, n)))
    return np.array(kappa)


@lru_cache(maxsize=64)
def _choices(several: int, n: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Every way to choose n of several terms, in a row how often each is chosen, and in how many orders."""
    chosen = np.array(list(combinations_with_replacement(range(several), n)))
    counts = (chosen[:, :, None] == np.arange(several)).sum(1)
    factorials = np.array([math.factorial(k) for k in range(n + 1)])
    return counts, factorials[n] // factorials[counts].prod(1)
