"""The kurtosis of any functions of few Gaussian linear forms, such as abs(x[1].T*u), by quadrature.

A sum of such numbers falls into parts that share no normal: these are independent, and the cumulants of the sum are the
sums of theirs. A part that is a function of one or two standard normals has its moments by Gauss-Legendre quadrature on
panels; where the highest moment has a part near the edge of these, the function grows too fast and nothing is found.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from montecarlo.statements.arrays import array, fetched
from montecarlo.statements.environment import Environment
from montecarlo.statements.evaluation import Value
from montecarlo.statements.nodes import Node, StatementSimulationError, mapped, parts, put, random
from montecarlo.statements.quadratic import kurtosis_of_moments, moments
from montecarlo.statements.tails import degree
from montecarlo.statements.values import numbers, value, whole

Array = NDArray[np.float64]
#: The constant and the coefficients of a linear form by the normals, and of what kind the value of a node is.
Linear = Callable[[Node], tuple[float, Array]]
Kind = Callable[[Node], str]
#: Most terms of a sum, and highest power whose kurtosis is found.
MOST_TERMS, HIGHEST = 512, 2
#: Half the width of the domain, panels and points of each, by the number of normals.
GRIDS = {1: (36.0, 576, 6), 2: (16.0, 48, 6)}
#: Where the edge of the domain begins, and the part of the highest moment that may come from there.
EDGE, BEYOND = 0.8, 1e-9
#: Slopes that are linear combinations of others up to this part of their length.
DEPENDENT = 1e-9


class NotFewError(ValueError):
    """A number that is no function of a few linear forms."""


def kurtosis(node: Node, env: Environment, linear: Linear, kind: Kind, power: int, apart: bool) -> float:
    """E (Z - mu)^4/sigma^4 of Z = f^power, f the node's value; infinite where it is not found.

    ``apart`` takes f - f' of two walks for f.
    """
    if power > HIGHEST:
        return math.inf
    kappa = np.zeros(4 * power + 1)
    try:
        grouped = [_grouped(term, kind) for term in _terms(node, env)]
        for terms in _apart([(term, _slopes(term, env, linear)) for term in grouped]):
            kappa += _cumulants(terms, env, 4 * power)
    except (NotFewError, StatementSimulationError, ArithmeticError):
        return math.inf
    return _of_power(kappa, power, apart)


def kurtosis_on_grid(value: Callable[[Array], Array], normals: int, power: int, apart: bool) -> float:
    """The same of a function of one or two normals, by its values (n,) at points (n, normals); infinite for more."""
    if power > HIGHEST or normals not in GRIDS:
        return math.inf
    places, weights, outer = _grid(normals)
    try:
        with np.errstate(all="raise", under="ignore"):
            return _of_power(_from_values(value(places), weights, outer, 4 * power), power, apart)
    except (NotFewError, ArithmeticError):
        return math.inf


def _of_power(kappa: Array, power: int, apart: bool) -> float:
    """The kurtosis of f^power, or of (f - f')^power, from the cumulants of f."""
    if apart:
        kappa = kappa * [1 + (-1) ** r for r in range(len(kappa))]
    return kurtosis_of_moments(moments(list(kappa)), power)


#: A term, with the linear forms in it: their constants and slopes.
Forms = dict[Node, tuple[float, Array]]


def _terms(node: Node, env: Environment, factor: Node | None = None) -> Iterator[Node]:
    """The terms of a sum, each with its factor."""
    op, own = node[0], [] if factor is None else [factor]
    if op == "+":
        for part in node[1:]:
            yield from _terms(part, env, factor)
    elif op == "*" and sum(map(random, node[1:])) == 1:
        (rest,) = (part for part in node[1:] if random(part))
        yield from _terms(rest, env, ("*", *own, *(part for part in node[1:] if not random(part))))
    elif op == "/" and not random(node[2]):
        yield from _terms(node[1], env, ("*", *own, ("/", ("number", "1"), node[2])))
    elif op == "sum" and degree(node, env) != 1:
        body, index, *ends = node[1:]
        first, last = (whole(float(value(end, env)), end) for end in ends)
        if last - first >= MOST_TERMS:
            raise NotFewError(op)
        for k in range(first, last + 1):
            yield from _terms(put(body, index, ("number", str(k))), env, factor)
    else:
        yield ("*", *own, node) if own else node


def _grouped(node: Node, kind: Kind) -> Node:
    """The number with products of numbers in the place of products of matrices, vectors and numbers."""
    if node[0] != "*":
        return mapped(node, lambda part: _grouped(part, kind)) if random(node) else node
    found, group = list[Node](), list[Node]()
    for part in node[1:]:
        group.append(part)
        joined = ("*", *group) if len(group) > 1 else group[0]
        if kind(joined) == "scalar":
            found.append(joined if len(group) > 1 else _grouped(part, kind))
            group = []
    if group:
        raise NotFewError("*")
    return found[0] if len(found) == 1 else ("*", *found)


def _slopes(node: Node, env: Environment, linear: Linear) -> Forms:
    """The linear forms that a number is made of; NotFewError where it has tokens in another way."""
    if not random(node):
        return {}
    if degree(node, env) == 1:
        return {node: linear(node)}
    if node[0] in ("token", "mean", "sum", "T", "stack", "columns", "norm"):
        raise NotFewError(node[0])
    return {leaf: form for part in parts(node) for leaf, form in _slopes(part, env, linear).items()}


def _apart(terms: list[tuple[Node, Forms]]) -> list[list[tuple[Node, Forms]]]:
    """Terms that share normals together, directly or through others."""
    groups: list[tuple[set[int], list[tuple[Node, Forms]]]] = []
    for term, forms in terms:
        joined = {int(k) for _, slope in forms.values() for k in np.nonzero(slope)[0]}
        entries = [(term, forms)]
        rest = []
        for shared, others in groups:
            if shared & joined:
                joined, entries = joined | shared, [*others, *entries]
            else:
                rest.append((shared, others))
        groups = [*rest, (joined, entries)]
    return [entries for _, entries in groups]


def _cumulants(terms: list[tuple[Node, Forms]], env: Environment, most: int) -> Array:
    """kappa_0 = 0 and kappa_1, ..., kappa_most of the sum of some terms."""
    forms = {leaf: form for _, own in terms for leaf, form in own.items()}
    if not forms:
        # cos(x.(u - v)) at u = v: no form is left that varies
        raise NotFewError("+")
    slopes = np.array([slope for _, slope in forms.values()])
    _, sizes, turn = np.linalg.svd(slopes, full_matrices=False)
    rank = int((sizes > DEPENDENT * max(sizes.max(initial=0.0), 1e-300)).sum())
    if rank not in GRIDS:
        raise NotFewError("+")
    places, weights, outer = _grid(rank)
    own = replace(env, n=len(weights), memo={})
    for leaf, (start, slope) in forms.items():
        line = start + places @ (turn[:rank] @ slope)
        own.memo[leaf] = Value("scalar", line if env.device is None else array(line, env.device))
    with np.errstate(all="raise", under="ignore"):
        found = sum(fetched(numbers(term, own)) for term, _ in terms)
        return _from_values(found, weights, outer, most)


def _from_values(found: Array, weights: Array, outer: Array, most: int) -> Array:
    """kappa_0 = 0 and kappa_1, ..., kappa_most of numbers at points of a grid; NotFewError where it is too narrow."""
    mean = float(weights @ found)
    powers = [found - mean]
    for _ in range(2, most + 1):
        powers.append(powers[-1] * powers[0])
    # most is even
    highest = weights * powers[-1]
    if float(highest @ outer) > BEYOND * float(highest.sum()):
        raise NotFewError("what grows too fast for the grid")
    central = [1.0, 0.0, *(float(weights @ power) for power in powers[1:])]
    kappa = [0.0, 0.0]
    for n in range(2, most + 1):
        kappa.append(central[n] - sum(math.comb(n - 1, k - 1) * kappa[k] * central[n - k] for k in range(2, n)))
    return np.array([0.0, mean, *kappa[2:]])


@cache
def _grid(rank: int) -> tuple[Array, Array, Array]:
    """Points (n, rank), weights (n,) of the standard normal density there, and whether they lie near the edge."""
    end, panels, points = GRIDS[rank]
    own, weights = np.polynomial.legendre.leggauss(points)
    half = end / panels
    middles = np.linspace(-end + half, end - half, panels)
    line = (middles[:, None] + half * own).ravel()
    density = np.exp(-(line**2) / 2) * np.tile(weights * half, panels) / math.sqrt(2 * math.pi)
    places = np.stack(np.meshgrid(*[line] * rank, indexing="ij"), -1).reshape(-1, rank)
    outer = (abs(places).max(axis=1) > EDGE * end).astype(np.float64)
    return places, density if rank == 1 else np.outer(density, density).ravel(), outer
