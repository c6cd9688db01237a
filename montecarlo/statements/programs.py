"""Relations for every index, the existence of unknowns under linear conditions, and least norms, in floating point.

What is linear in the unknowns is known from its values at 0 and at unit points where the unknowns are few numbers, else
from its gradient; it is looked at in several points at once, as if they were walks.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.optimize import linprog
from torch import Tensor

from montecarlo.statements.environment import Environment
from montecarlo.statements.evaluation import Value, as_tensor, evaluate, reads, scalar, whole
from montecarlo.statements.nodes import Node, StatementSimulationError, has_unknown, random, text

#: Relative gap at which the ends of a least norm count as met, penalty of the splitting, and its most steps.
GAP, PENALTY, STEPS, EVERY = 1e-8, 1.0, 60_000, 25
#: Relative size below which a margin is rounding, and above which it is none.
ROUNDING, SEEN = 1e-10, 1e-7
#: Two random points at which what is said to be linear is looked at, and how far it may be off there.
LOOKED, OFF = 2, 1e-9
#: Most numbers of which each has a unit point.
FEW = 8

Array = NDArray[np.float64]


# -- relations for every value of indices


def _instances(node: Node, env: Environment) -> Iterator[tuple[Node, Environment]]:
    """The relations that a condition stands for, each with its indices bound."""
    if node[0] == "given":
        if all(bool(as_tensor(scalar(one, env))) for one in node[2:]):
            yield from _instances(node[1], env)
    elif node[0] == "every":
        _, body, index, *ends = node
        for place in _places(ends, env, node):
            yield from _instances(body, env.inside(index, place))
    else:
        yield node, env


def _places(ends: list[Node], env: Environment, node: Node) -> list[float]:
    if len(ends) == 1:
        return [float(whole(one, node)) for one in evaluate(ends[0], env).tensor.flatten().tolist()]
    found = [scalar(end, env) for end in ends]
    low, high = (whole(end, node) for end in found if not isinstance(end, Tensor))
    return [float(place) for place in range(low, high + 1)]


@reads("every")
def _every(node: Node, env: Environment) -> Value:
    held = [as_tensor(scalar(one, inner)).bool() for one, inner in _instances(node, env)]
    return Value("scalar", torch.stack([one.expand(env.n) for one in held]).all(0) if held else torch.tensor([True]))


# -- linear conditions


def _unknowns(names: str, env: Environment) -> dict[str, int]:
    """The size of every unknown: d of a matrix, 0 of a number."""
    d = env.scalar("d") if any(name[0].isupper() for name in names.split(", ")) else 0
    return {name: int(as_tensor(d)) if name[0].isupper() else 0 for name in names.split(", ")}


def _trials(sizes: dict[str, int]) -> tuple[Array, dict[str, Tensor]]:
    """All unknowns 0, then random points and their opposites, (n, entries); and the values of every unknown there.

    Last come unit points, where the unknowns are few numbers; else gradients are recorded.
    """
    entries = sum(max(size, 1) ** 2 for size in sizes.values())
    looked = np.random.default_rng(entries).normal(size=(LOOKED, entries))
    few = entries <= FEW
    points = np.concatenate([np.zeros((1, entries)), looked, -looked, np.eye(entries if few else 0, entries)])
    values, first = dict[str, Tensor](), 0
    for name, size in sizes.items():
        part = torch.from_numpy(points[:, first : first + max(size, 1) ** 2].copy())
        values[name] = (part.reshape(len(points), size, size) if size else part[:, 0]).requires_grad_(not few)
        first += max(size, 1) ** 2
    return points, values


def _coefficients(node: Node, env: Environment, points: Array, values: dict[str, Tensor]) -> tuple[Array, float]:
    """The coefficients of a number that is linear in the unknowns, and its value where they are 0.

    It is linear where its values at all points are those that its coefficients give, and its gradients are the same.
    """
    found = as_tensor(scalar(node, env))
    if not has_unknown(node) and found.numel() == 1:
        return np.zeros(points.shape[1]), float(found)
    found = found.expand(len(points)).double()
    given = found.detach().numpy()
    slopes = np.zeros(points.shape)
    if len(points) > 1 + 2 * LOOKED:
        slopes[:] = given[1 + 2 * LOOKED :] - given[0]
    elif found.requires_grad:
        # what two conditions share is evaluated once, and stays
        parts = torch.autograd.grad(found.sum(), [*values.values()], retain_graph=True, materialize_grads=True)
        slopes = np.concatenate([part.reshape(len(points), -1).numpy() for part in parts], axis=1)
    # at 0 itself a norm has no gradient
    slope, size = slopes[1], 1 + np.abs(given).max()
    apart = np.abs(slopes[1:] - slope).max(initial=0.0)
    if not max(np.abs(given - given[0] - points @ slope).max(), apart) <= OFF * size:
        raise StatementSimulationError(f"{text(node)} is not linear in the unknowns")
    return slope, float(given[0])


Program = tuple[Array, Array, list[bool]]


def _program(names: str, conditions: tuple[Node, ...], env: Environment) -> Program:
    """The rows G and bounds h of G u >= h, and which of them are strict: one for all norms under the conditions."""
    key = ("program", names, *conditions)
    if key not in env.memo:
        env.memo[key] = _made(names, conditions, env)
    found: Program = env.memo[key]
    return found


def _made(names: str, conditions: tuple[Node, ...], env: Environment) -> Program:
    rows, bounds, strict = list[Array](), list[float](), list[bool]()
    # simulations run in inference mode, where no gradient is recorded
    with torch.inference_mode(False), torch.enable_grad():
        points, values = _trials(_unknowns(names, env))
        trial = env.with_unknowns(len(points), values)
        for condition in conditions:
            for (_, mark, left, right), inner in _instances(condition, trial):
                (one, above), (two, below) = (_coefficients(side, inner, points, values) for side in (left, right))
                sign = 1.0 if mark in (">", ">=") else -1.0
                rows.append(sign * (one - two))
                bounds.append(sign * (below - above))
                strict.append(mark in ("<", ">"))
    return np.array(rows), np.array(bounds), strict


# -- existence


@reads("exists")
def _exists(node: Node, env: Environment) -> Value:
    """Whether unknowns meet all conditions, walk by walk where tokens are among these.

    They do where the largest margin that a point of bounded entries can have is above 0.

    One more unknown t >= 0 scales the bounds, so that points of any size count.
    """
    if env.n > 1 and random(node):
        return Value("scalar", torch.cat([evaluate(node, alone).tensor for alone in env.walks()]))
    G, h, strict = _program(node[1], node[2:], env)
    if not len(G) or all(bound < 0 or (bound == 0 and not s) for bound, s in zip(h, strict, strict=True)):
        return Value("scalar", torch.tensor([True]))
    size = np.linalg.norm(np.c_[G, h], axis=1)
    rows = np.c_[G, -h] / np.where(size > 0, size, 1.0)[:, None]
    if (h != 0).any():
        rows = np.r_[rows, np.eye(rows.shape[1])[-1:]]
    solved = linprog(
        np.r_[np.zeros(rows.shape[1]), -1.0],
        A_ub=np.c_[-rows, np.ones(len(rows))],
        b_ub=np.zeros(len(rows)),
        bounds=[*[(-1, 1)] * rows.shape[1], (None, 1)],
        method="highs",
    )
    margin = float(solved.x[-1]) if solved.status == 0 else math.nan
    weak = not all(strict) and not (h > 0).all()
    if not (margin > SEEN or (margin < ROUNDING and not weak)):
        raise StatementSimulationError(f"{text(node)}: the largest margin is {margin:.1e}, which is not told from 0")
    return Value("scalar", torch.tensor([margin > SEEN]))


# -- least values


@reads("least")
def _least(node: Node, env: Environment) -> Value:
    """The least norm, or the least value of a linear function, under the conditions."""
    function, names = node[1], node[2]
    G, h, _ = _program(names, node[3:], env)
    if function[0] != "norm":
        with torch.inference_mode(False), torch.enable_grad():
            points, values = _trials(_unknowns(names, env))
            costs, constant = _coefficients(function, env.with_unknowns(len(points), values), points, values)
        solved = linprog(costs, A_ub=-G, b_ub=-h, bounds=(None, None), method="highs")
        if solved.status != 0:
            raise StatementSimulationError(f"{text(node)}: {solved.message}")
        return Value("scalar", float(solved.fun) + constant)
    low, high = least_norm(G.tobytes(), h.tobytes(), len(h), function[2])
    if not high - low <= 100 * GAP * high:
        raise StatementSimulationError(f"{text(node)} lies between {low:.8g} and {high:.8g}: the search did not end")
    return Value("scalar", (low + high) / 2)


def _prox(values: Array, kind: str, weight: float) -> Array:
    """Singular values after the proximal step of ``weight`` times a norm."""
    if kind == "nuclear":
        return np.maximum(values - weight, 0.0)
    if kind == "fro":
        size = float(np.linalg.norm(values))
        return values * max(0.0, 1 - weight / size) if size else values
    # the spectral norm: what is left after the projection onto the ball of the nuclear norm
    if values.sum() <= weight:
        return np.zeros_like(values)
    steps = (np.cumsum(values) - weight) / np.arange(1, len(values) + 1)
    return np.asarray(np.minimum(values, steps[np.flatnonzero(values > steps)[-1]]))


def _norm(values: Array, kind: str) -> float:
    return {"nuclear": values.sum, "fro": lambda: np.linalg.norm(values), "2": values.max}[kind]()  # type: ignore[no-any-return, operator]


_DUAL = {"nuclear": "2", "2": "nuclear", "fro": "fro"}


@lru_cache(maxsize=256)
def least_norm(rows: bytes, bounds: bytes, count: int, kind: str) -> tuple[float, float]:
    """Two numbers that enclose min ||W|| under <G_k, W> >= h_k, up to rounding, by alternating directions.

    A point over its least ratio to the bounds is feasible, multipliers y >= 0 give y . h/||sum y_k G_k||' for the dual
    norm, and these are the ends. Only the rows and columns that a condition sees are kept.
    """
    G, h = np.frombuffer(rows).reshape(count, -1), np.frombuffer(bounds)
    if (h <= 0).all():
        return 0.0, 0.0
    G, shape = _kept(G)
    size = np.linalg.norm(G, axis=1)
    if (size[h > 0] == 0).any():
        raise StatementSimulationError("a condition holds of no matrix")
    unit = np.where(size > 0, size, 1.0)
    G, h = G / unit[:, None], h / unit
    scale = float(np.abs(h).max())
    h = h / scale
    solve = np.linalg.inv(np.eye(G.shape[1]) + G.T @ G)
    Z, U = np.zeros(G.shape[1]), np.zeros(G.shape[1])
    u = np.zeros(count)
    low, high = 0.0, math.inf
    for step in range(1, STEPS + 1):
        left, values, right = np.linalg.svd((Z - U).reshape(shape), full_matrices=False)
        X = ((left * _prox(values, kind, 1 / PENALTY)) @ right).ravel()
        slack = np.maximum(0.0, G @ Z - h - u)
        Z = solve @ (X + U + G.T @ (slack + h + u))
        U += X - Z
        u += slack - G @ Z + h
        if step % EVERY == 0:
            low, high = max(low, _dual(G, h, u, shape, kind)), min(high, _primal(G, h, Z, shape, kind))
            if high - low <= GAP * high:
                break
    return low * scale, high * scale


def _kept(G: Array) -> tuple[Array, tuple[int, int]]:
    """The coefficients of the rows and columns of W that some condition sees, and how many these are."""
    size = math.isqrt(G.shape[1])
    seen = np.abs(G.reshape(-1, size, size)).sum(0) > 0
    rows, columns = np.flatnonzero(seen.any(1)), np.flatnonzero(seen.any(0))
    small = G.reshape(-1, size, size)[:, rows][:, :, columns]
    return small.reshape(len(G), -1), (len(rows), len(columns))


def _singular(flat: Array, shape: tuple[int, int]) -> Array:
    return np.asarray(np.linalg.svd(flat.reshape(shape), compute_uv=False))


def _dual(G: Array, h: Array, u: Array, shape: tuple[int, int], kind: str) -> float:
    y = np.maximum(u, 0.0)
    norm = _norm(_singular(y @ G, shape), _DUAL[kind])
    return float(y @ h) / norm if norm > 0 else 0.0


def _primal(G: Array, h: Array, Z: Array, shape: tuple[int, int], kind: str) -> float:
    reached, wanted = G @ Z, h > 0
    if (reached[wanted] <= 0).any():
        return math.inf
    factor = float((h[wanted] / reached[wanted]).max())
    if (factor * reached[~wanted] < h[~wanted] - 1e-12).any():
        return math.inf
    return factor * _norm(_singular(Z, shape), kind)
