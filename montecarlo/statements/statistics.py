"""The raw numbers behind moments: independent from group to group of walks, with means that the moments are made of.

With f, f', f'' of different walks, sigma^2 = Var f and mu_k its central moments:
E (f - f')^2/2 = sigma^2, E (f - f')(g - g')/2 = Cov(f, g), E (f - f')^4/4 = (mu_4 + 3 sigma^4)/2 and
E (f - (f' + f'')/2)^3 = (1 - 2/8) mu_3 = 3 mu_3/4, without bias.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from montecarlo.empirical_checks import Tails
from montecarlo.registry import covariance, variance
from montecarlo.statements.arrays import Array
from montecarlo.statements.combine import combine, moments_apart
from montecarlo.statements.environment import Environment
from montecarlo.statements.nodes import MOMENTS, Node, StatementSimulationError, frozen, has_moment, parts, text
from montecarlo.statements.tails import bounds, degree
from montecarlo.statements.values import numbers

__all__ = ["Statistic", "combine", "statistics_of"]

Pair = tuple[float, float]


@dataclass(frozen=True)
class Statistic:
    """Numbers (k,) whose mean is wanted: ``fold`` of the values of ``arguments``, (n,) each, by groups of walks.

    ``degree`` is their polynomial degree in the Gaussian tokens, None where they are no polynomial; ``bounds`` encloses
    bounded ones. ``power`` is that of the one argument (1), or of its difference from other walks' (2, 3 or 4).
    """

    name: str
    arguments: tuple[Node, ...]
    fold: Callable[..., Array]
    degree: int | None = None
    bounds: Pair | None = None
    power: int = 1

    @property
    def group(self) -> int:
        """How many walks a number is made of."""
        return 3 if self.power == 3 else 2 if self.power > 1 or len(self.arguments) > 1 else 1

    def function(self, env: Environment) -> Array:
        """The numbers of the walks of an environment, (k,)."""
        return self.fold(*(numbers(argument, env) for argument in self.arguments))

    @property
    def tails(self) -> Tails:
        """The tails as the engine states them; an infinite kurtosis where nothing is known, and no interval follows."""
        if self.bounds is not None and self.bounds[1] > self.bounds[0]:
            return Tails(width=self.bounds[1] - self.bounds[0])
        return Tails(degree=self.degree) if self.degree is not None else Tails(kurtosis=math.inf)


def third(f: Array) -> Array:
    """(f1 - (f2 + f3)/2)^3 of triples of walks, (n,) -> (n // 3,); the mean is 3 mu_3/4."""
    triples = f[: len(f) // 3 * 3].reshape(-1, 3)
    gap = triples[:, 0] - (triples[:, 1] + triples[:, 2]) / 2
    return gap * gap * gap


def fourth(f: Array) -> Array:
    """(f - f')^4/4 of pairs of walks, (n,) -> (n // 2,); the mean is (mu_4 + 3 sigma^4)/2."""
    half = variance(f)
    return half * half


def statistics_of(*sides: Node | Sequence[Any], env: Environment | None = None) -> dict[str, Statistic]:
    """The statistics of every moment in one side or more, by name.

    A case's ``env`` is needed for sums of moments, degrees that are parameters, and bounds that depend on parameters.
    """
    found: dict[str, Statistic] = {}
    for side in sides:
        for node in _moments(moments_apart(frozen(side), env)):
            for statistic in _OF[node[0]](node, env):
                found[statistic.name] = statistic
    return found


def _moments(node: Node) -> Iterator[Node]:
    if node[0] not in MOMENTS:
        for part in parts(node):
            yield from _moments(part)
        return
    if any(has_moment(part) for part in parts(node)):
        raise StatementSimulationError(
            f"{text(node)}: a moment stands inside another one; write central moments as Var, Cov, Skew or Kurt"
        )
    yield node


def _expectation(node: Node, env: Environment | None) -> Iterator[Statistic]:
    argument = node[1]
    yield Statistic(text(node), (argument,), lambda f: f, degree(argument, env), bounds(argument, env))


def _probability(node: Node, env: Environment | None) -> Iterator[Statistic]:
    if node[1][0] not in ("relation", "and"):
        raise StatementSimulationError(f"{text(node)}: P takes a relation, e.g. P[x[i].T*W*x[j] > 0]")
    yield Statistic(text(node), (node[1],), lambda f: f, None, (0.0, 1.0))


def _width(node: Node, env: Environment | None) -> float | None:
    found = bounds(node, env)
    return None if found is None else found[1] - found[0]


def _times(node: Node, env: Environment | None, factor: int) -> int | None:
    found = degree(node, env)
    return None if found is None else factor * found


def _power(name: str, node: Node, env: Environment | None, fold: Callable[..., Array], k: int) -> Statistic:
    """The k-th power of a difference of walks, at most width^k: /2 for the square, /4 for the fourth power."""
    width = _width(node, env)
    most = None if width is None else width**k / {2: 2, 3: 1, 4: 4}[k]
    around = None if most is None else (-most if k == 3 else 0.0, most)
    return Statistic(f"{name}[{text(node)}]", (node,), fold, _times(node, env, k), around, k)


def _variance(node: Node, env: Environment | None) -> Iterator[Statistic]:
    yield _power("Var", node[1], env, variance, 2)


def _covariance(node: Node, env: Environment | None) -> Iterator[Statistic]:
    _, one, two = node
    degrees, widths = [degree(part, env) for part in (one, two)], [_width(part, env) for part in (one, two)]
    both = None if degrees[0] is None or degrees[1] is None else degrees[0] + degrees[1]
    most = None if widths[0] is None or widths[1] is None else widths[0] * widths[1] / 2
    name = f"Cov[{text(one)}, {text(two)}]"
    yield Statistic(name, (one, two), covariance, both, None if most is None else (-most, most))


def _correlation(node: Node, env: Environment | None) -> Iterator[Statistic]:
    yield from _covariance(node, env)
    for part in node[1:]:
        yield _power("Var", part, env, variance, 2)


def _skewness(node: Node, env: Environment | None) -> Iterator[Statistic]:
    yield _power("third", node[1], env, third, 3)
    yield _power("Var", node[1], env, variance, 2)


def _kurtosis(node: Node, env: Environment | None) -> Iterator[Statistic]:
    yield _power("fourth", node[1], env, fourth, 4)
    yield _power("Var", node[1], env, variance, 2)


_OF: dict[str, Callable[[Node, Environment | None], Iterator[Statistic]]] = {
    "E": _expectation,
    "P": _probability,
    "Var": _variance,
    "Cov": _covariance,
    "Corr": _correlation,
    "Skew": _skewness,
    "Kurt": _kurtosis,
}
