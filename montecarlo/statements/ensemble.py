"""Expectations under a finite exchangeable law: the mean over every order of every set of its tokens.

The orders stand as walks, so that what is evaluated walk by walk is averaged. Properties of a function on an interval
are looked at on a grid.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise, permutations
from typing import Any

import torch

from montecarlo.statements.environment import Environment, environment_of
from montecarlo.statements.evaluation import CORE, Value, evaluate, kept, reads, scalar
from montecarlo.statements.nodes import Node, StatementSimulationError, random, text

#: Most tokens of a set: their orders are written out.
MOST = 6
#: Steps of the grid on which a property of a function is looked at, and what counts as rounding in one step.
STEPS, ROUNDING = 48, 1e-12


def law_of(case: Mapping[str, Any]) -> Environment:
    """The names of a case {"tokens": [sets][T][d], ...}, with every order of every set as one of n walks."""
    sets = case["tokens"]
    count = len(sets[0])
    if count > MOST:
        raise StatementSimulationError(f"{count} tokens in every order; expected at most {MOST}")
    walks = [[list(map(_float, one)) for one in order] for tokens in sets for order in permutations(tokens)]
    env = environment_of({"d": len(sets[0][0]), **{name: value for name, value in case.items() if name != "tokens"}})
    env.scalars = {"T": count, **env.scalars}
    whole = env.with_tokens(torch.tensor(walks, dtype=torch.float64))
    whole.exhaustive = True
    return whole


def _float(entry: Any) -> float:
    return float(Fraction(entry))


@reads("E")
def _expected(node: Node, env: Environment) -> Value:
    if not env.exhaustive:
        raise StatementSimulationError(
            f"{text(node)} cannot be evaluated walk by walk: a moment stands inside another one"
        )
    found = evaluate(node[1], env)
    if not random(node[1]):
        return found
    mean = found.tensor.mean(-1 - CORE[found.kind])
    return Value(found.kind, mean if found.kind != "scalar" or mean.requires_grad else kept(mean).data)


@reads("positive")
def _positive(node: Node, env: Environment) -> Value:
    return Value("scalar", float(min(on_grid(node, env)) > 0))


@reads("increasing", "decreasing", "peaks")
def _property(node: Node, env: Environment) -> Value:
    """Whether a function rises, falls, or first rises and then falls, from each point of a grid to the next."""
    values = on_grid(node, env)
    steps = [after - before for before, after in pairwise(values)]
    slack = ROUNDING * max(map(abs, values))
    if any(abs(step) <= slack for step in steps) and any(abs(step) > slack for step in steps):
        raise StatementSimulationError(f"{text(node)}: the grid does not settle it in float64")
    signs = [0 if abs(step) <= slack else 1 if step > 0 else -1 for step in steps]
    changes = [sign for k, sign in enumerate(signs) if k == 0 or sign != signs[k - 1]]
    return Value("scalar", float(changes == {"increasing": [1], "decreasing": [-1], "peaks": [1, -1]}[node[0]]))


def on_grid(node: Node, env: Environment) -> Sequence[float]:
    """The values of a property's function at STEPS + 1 places of its interval."""
    _, body, name, *ends = node
    low, high = (float(scalar(end, env)) for end in ends)
    found = []
    for k in range(STEPS + 1):
        here = env.with_tokens(env.tokens, env.places) if env.tokens is not None else Environment(1, None, env.matrices)
        here.lists, here.exhaustive = env.lists, env.exhaustive
        here.scalars = {**env.scalars, name: low + (high - low) * k / STEPS}
        found.append(float(scalar(body, here)))
    return found
