"""Section 6: sinks and the hard attention switch: searches for violations.

A context is one query's scores (n + 1,), of which key 0 is the sink's, and values (n + 1, d). Attention is computed
from its definition, out = sum_j p_j v_j with p = exp(s)/sum exp(s), in float64 on scores and values that are exact.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from montecarlo.draws import normals, uniforms
from montecarlo.empirical_checks import Points
from montecarlo.registry import instance, search

ROUNDOFF = 2.0**-53
#: Numbers of keys beside the sink, dimensions of the values, and the grid of scores and values.
KEYS, DIMENSIONS, GRID = (1, 2, 3, 5, 8, 32), (1, 2, 4), 2.0**-20
#: How far kappa is kept below the margin, so that rounding cannot put it above.
SLACK = 2.0**-30
#: Gradient steps of a climb, each shorter than the last, and the power of the smooth stand-in for a maximum.
STEPS, STEP, DECAY, POWER = 120, 0.4, 0.92, 64
#: Gradient steps of a climb of one score.
CLIMB = 40
#: Kinds of contexts (see ``drawn``).
KINDS = 6
HALVINGS = 64
#: Rounds of the nearest-point search; its certificate says how far it is off.
ROUNDS = 400


def _on_grid(values: Tensor) -> Tensor:
    return (values / GRID).round() * GRID


def attention(scores: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
    """Softmax weights (k, n + 1) and outputs (k, d) of contexts, by their definition."""
    weights = (scores - scores.amax(-1, keepdim=True)).exp()
    weights = weights / weights.sum(-1, keepdim=True)
    return weights, (weights[..., None] * values).sum(-2)


def rounding(weights: Tensor, values: Tensor) -> Tensor:
    """A bound of the rounding error of every coordinate of an output, (k, d), for scores whose differences are exact.

    exp is off by 2 roundoffs, a sum of n + 1 terms by n of the sum of its sizes, a quotient and a product by one each.
    """
    size: Tensor = (weights[..., None] * values.abs()).sum(-2)
    return (2 * weights.shape[-1] + 16) * ROUNDOFF * size


def _length(vectors: Tensor, off: Tensor) -> tuple[Tensor, Tensor]:
    """Euclidean norms (k,) of vectors (k, d), and how far the coordinates' errors ``off`` and rounding move them."""
    length = (vectors**2).sum(-1).sqrt()
    return length, (off**2).sum(-1).sqrt() * (1 + 1e-9) + (vectors.shape[-1] + 4) * ROUNDOFF * length


def _gathered(rows: Sequence[dict[str, tuple[Tensor, Tensor]]], contexts: Sequence[tuple[Tensor, Tensor]]) -> Points:
    """Points from parts: name -> (column, bound of its rounding error), and the scores and values."""
    columns = {name: torch.cat([part[name][0] for part in rows]).cpu().numpy() for name in rows[0]}
    errors = {name: torch.cat([part[name][1] for part in rows]).cpu().numpy() for name in rows[0]}
    scores = tuple(row for part, _ in contexts for row in part.cpu().numpy())
    values = tuple(row for _, part in contexts for row in part.cpu().numpy())
    return Points(columns, errors, {"scores": scores, "values": values})


def _exact(column: Tensor) -> tuple[Tensor, Tensor]:
    return column, torch.zeros_like(column)


# -- a sink makes the switch


def drawn(count: int, keys: int, d: int, generator: torch.Generator) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Margins (k,), excesses of the gaps (k, n), v_0 (k, d) and steps v_j - v_0 (k, n, d), row k of kind k mod 6.

    Equal gaps and equal values; anything; opposite values; margins near 0; huge margins; one key near, others far.
    """
    place = torch.arange(count, device=generator.device)
    kind = place % KINDS
    margin = -3 + 11 * uniforms(generator, count)
    margin = torch.where(kind == 3, margin / 64, margin)
    margin = torch.where(kind == 4, 8 + 24 * uniforms(generator, count), margin)
    excess = normals(generator, count, keys).abs()
    excess = torch.where((kind == 0)[:, None], torch.zeros_like(excess), excess)
    far = 8.0 * (torch.arange(keys, device=generator.device) > 0)
    excess = torch.where((kind == 5)[:, None], far.expand(count, keys), excess)
    steps = normals(generator, count, keys, d)
    steps = torch.where((kind == 0)[:, None, None], steps[:, :1].expand_as(steps), steps)
    signs = 1.0 - 2.0 * (torch.arange(keys, device=generator.device) % 2)
    steps = torch.where((kind == 2)[:, None, None], steps[:, :1] * signs[None, :, None], steps)
    # sizes far apart, so that a bound of another homogeneity fails at one end
    steps = steps * 2.0 ** (3 - 3 * (place // KINDS % 3))[:, None, None]
    first = normals(generator, count, d) * (place // KINDS % 2)[:, None]
    return margin, excess, first, steps


def _largest(lengths: Tensor) -> Tensor:
    """A smooth stand-in for the maximum of lengths (k, n), used to climb only."""
    top = lengths.amax(-1, keepdim=True).detach().clamp_min(1e-300)
    power: Tensor = ((lengths / top) ** POWER).sum(-1) ** (1 / POWER)
    return top[:, 0] * power


def climbed(margin: Tensor, excess: Tensor, steps: Tensor) -> tuple[Tensor, Tensor]:
    """The excesses and steps after a climb of |out - v_0| over the largest |v_j - v_0|, at margins that stay.

    The gaps s_0 - s_j = margin + a_j^2 move by a, and the output is that of the definition, with v_0 = 0.
    """
    a, x = excess.clamp_min(0).sqrt(), steps / _largest(steps.norm(dim=-1))[:, None, None]
    with torch.inference_mode(False), torch.enable_grad():
        for step in range(STEPS):
            free = [a.detach().clone().requires_grad_(), x.detach().clone().requires_grad_()]
            scores = torch.cat([margin[:, None] * 0, -margin[:, None] - free[0] ** 2], -1)
            values = torch.cat([torch.zeros_like(free[1][:, :1]), free[1]], -2)
            _, out = attention(scores, values)
            goal = out.norm(dim=-1).clamp_min(1e-300).log() - _largest(free[1].norm(dim=-1)).log()
            one, two = torch.autograd.grad(goal.sum(), free)
            length = STEP * DECAY**step
            # every key moves as far, however small its weight
            a = a + length * one.sign()
            x = x + length * _unit(two)
            x = x / _largest(x.norm(dim=-1))[:, None, None]
    return a.detach() ** 2, x.detach()


def _unit(slope: Tensor) -> Tensor:
    unit: Tensor = slope.nan_to_num(0.0) / slope.nan_to_num(0.0).norm(dim=-1, keepdim=True).clamp_min(1e-12)
    return unit


def measured(scores: Tensor, values: Tensor) -> dict[str, tuple[Tensor, Tensor]]:
    """|out - v_0|, the number of keys, the margin and the largest |v_j - v_0|, with bounds of their rounding errors."""
    weights, out = attention(scores, values)
    apart = values[:, 1:] - values[:, :1]
    deviation = _length(out - values[:, 0], rounding(weights, values) + ROUNDOFF * (out.abs() + values[:, 0].abs()))
    lengths = (apart**2).sum(-1).sqrt().amax(-1)
    keys = torch.full_like(lengths, scores.shape[-1] - 1)
    return {
        "value": deviation,
        "keys": _exact(keys),
        "sink_margin": _exact(scores[:, 0] - scores[:, 1:].amax(-1)),
        "value_radius": (lengths, (values.shape[-1] + 4) * ROUNDOFF * lengths),
    }


def _at(found: dict[str, tuple[Tensor, Tensor]], scores: Tensor, values: Tensor, **further: float) -> Points:
    """What is measured of one context, with further columns that are exact."""
    columns = {name: _exact(torch.tensor([value], dtype=torch.float64)) for name, value in further.items()}
    return _gathered([found | columns], [(scores[None], values[None])])


@search(
    "lampert2026.sec6.sink-implies-switch",
    at=lambda scores, values, kappa: _at(measured(scores[None], values[None]), scores, values, kappa=kappa),
)
def sink_implies_switch(points: int, generator: torch.Generator) -> Points:
    """value = |out - v_0|; climbs it over the largest |v_j - v_0| at fixed margins, for every number of keys.

    kappa lies just below the margin, or well below it.
    """
    rows, contexts = [], []
    groups = [(keys, d) for keys in KEYS for d in DIMENSIONS]
    each = max(4 * KINDS, points // len(groups))
    for keys, d in groups:
        margin, excess, first, steps = drawn(each, keys, d, generator)
        place = torch.arange(each, device=generator.device)
        up = (place < 8 * KINDS) & (place // 2 % 2 == 0)
        sizes = steps[up].norm(dim=-1).amax(-1)
        excess[up], best = climbed(margin[up], excess[up], steps[up])
        steps[up] = best * sizes[:, None, None]
        gaps = _on_grid(margin)[:, None] + _on_grid(excess)
        score = _on_grid(normals(generator, each, 1))
        scores = torch.cat([score, score - gaps], -1)
        values = _on_grid(torch.cat([first[:, None], first[:, None] + steps], -2))
        row = measured(scores, values)
        below = torch.where(place % 5 == 4, _on_grid(2 * uniforms(generator, each)), torch.zeros_like(margin))
        rows.append(row | {"kappa": _exact(row["sink_margin"][0] - below - SLACK)})
        contexts.append((scores, values))
    return _gathered(rows, contexts)


@instance("lampert2026.sec6.sink-implies-switch")
def context(scores: list[float], values: list[list[float]]) -> dict[str, Any]:
    """All scores and values, the sink's first; kappa is the case's own."""
    return {"s": scores, "v": values, "N": len(scores)}


# -- the switch makes a sink


def two_keys(scores: Tensor, values: Tensor) -> dict[str, tuple[Tensor, Tensor]]:
    """s_1 - s_0, |v_0|, |v_1| and |out| of contexts {0, 1}, each with a bound of its rounding error."""
    weights, out = attention(scores, values)
    none = torch.zeros_like(values[:, 0])
    return {
        "value": _exact(scores[:, 1] - scores[:, 0]),
        "keys": _exact(torch.ones_like(scores[:, 0])),
        "sink_norm": _exact((values[:, 0] ** 2).sum(-1).sqrt()),
        "value_norm": _length(values[:, 1], none),
        "out_norm": _length(out, rounding(weights, values)),
    }


@search(
    "lampert2026.sec6.switch-implies-sink",
    at=lambda scores, values, eps: _at(two_keys(scores[None], values[None]), scores, values, eps=eps),
)
def switch_implies_sink(points: int, generator: torch.Generator) -> Points:
    """value = s_1 - s_0 of two keys with v_0 = 0; raises it, by halving, as long as |out| is sure to be <= eps.

    One point of four stays where it was drawn.
    """
    rows, contexts = [], []
    each = max(8 * KINDS, points // len(DIMENSIONS))
    for d in DIMENSIONS:
        place = torch.arange(each, device=generator.device)
        value = _on_grid(normals(generator, each, d) * 2.0 ** (2 - 2 * (place % 3))[:, None])
        value = torch.where(value.abs().amax(-1, keepdim=True) > 0, value, torch.ones_like(value))
        values = torch.stack([torch.zeros_like(value), value], -2)
        # shares of eps near 0, near 1/2 and near 1
        share = torch.special.expit(2 * normals(generator, each) * (1 + place % 2))
        eps = (share * value.norm(dim=-1) / SLACK).floor().clamp_min(1) * SLACK
        first = _on_grid(normals(generator, each))
        # |out| <= eps holds at the low end: exp(-64) is below every share
        low, high = torch.full_like(eps, -64.0), torch.full_like(eps, 64.0)
        for _ in range(HALVINGS):
            middle = ((low + high) / 2 / SLACK).round() * SLACK
            length, off = two_keys(torch.stack([first, first + middle], -1), values)["out_norm"]
            fits = length + 4 * off < eps
            low, high = torch.where(fits, middle, low), torch.where(fits, high, middle)
        loose = _on_grid(uniforms(generator, each) * 4)
        gap = torch.where(place % 4 == 3, low - loose, low)
        scores = torch.stack([first, first + gap], -1)
        rows.append(two_keys(scores, values) | {"eps": _exact(eps)})
        contexts.append((scores, values))
    return _gathered(rows, contexts)


@instance("lampert2026.sec6.switch-implies-sink")
def sink_and_one_key(scores: list[float], values: list[list[float]]) -> dict[str, list[float]]:
    """The scores of the sink and the key, and the key's value; eps is the case's own."""
    return {"s": scores, "v": values[1]}


# -- an output that is 0


def hull_distance(values: Tensor) -> tuple[Tensor, Tensor]:
    """dist(0, conv of the rows) of (k, n, d), from above, and how far it is off at most, (k,) each.

    Gilbert's method: y moves towards the row of the least <y, v_j>. That least value over |y| is below the distance.
    """
    y = values.mean(-2)
    for _ in range(ROUNDS):
        along = (values @ y[..., None])[..., 0]
        v = values[torch.arange(len(values), device=values.device), along.argmin(-1)]
        way = v - y
        share = (-(y * way).sum(-1) / (way**2).sum(-1).clamp_min(1e-300)).clamp(0, 1)
        y = y + share[:, None] * way
    length = y.norm(dim=-1)
    least = (values @ y[..., None])[..., 0].amin(-1) / length.clamp_min(1e-300)
    size = values.norm(dim=-1).amax(-1)
    slack = (4 * ROUNDS + 8 * values.shape[-1]) * ROUNDOFF * size
    return length, length - least.clamp_min(0).minimum(length) + slack


def _cancelling(each: int, d: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Contexts of four keys with v_0 = 0 and out = 0 exactly: an opposite pair of equal scores, and a value 0.

    Every other one has scores that are all equal and values that sum to 0, so that weights are 1/4.
    """
    place = torch.arange(each, device=generator.device)
    one = (normals(generator, each, d) * 4).round()
    one = torch.where(one.abs().amax(-1, keepdim=True) > 0, one, torch.ones_like(one))
    two = (normals(generator, each, d) * 4).round()
    scale = 2.0 ** (2 - 2 * (place % 3))[:, None]
    one, two = one * scale, two * scale
    nothing = torch.zeros_like(one)
    even = (place % 2 == 0)[:, None]
    second = torch.where(even, -one, two)
    third = torch.where(even, nothing, -one - two)
    values = torch.stack([nothing, one, second, third], -2)
    sink, common, other = (4 * normals(generator, each) for _ in range(3))
    common = common_climbed(sink, common, other)
    scores = torch.stack([sink, common, common, other], -1)
    return _on_grid(torch.where(even, scores, torch.zeros_like(scores))), values


def common_climbed(sink: Tensor, common: Tensor, other: Tensor) -> Tensor:
    """The common score (k,) of an opposite pair after a climb of the log of their weight; the output stays 0."""
    with torch.inference_mode(False), torch.enable_grad():
        for _ in range(CLIMB):
            free = common.detach().clone().requires_grad_()
            logs = torch.log_softmax(torch.stack([sink, free, free, other], -1), -1)
            (slope,) = torch.autograd.grad(torch.logsumexp(logs[:, 1:3], -1).sum(), free)
            common = (common + slope).detach()
    return common.clamp(-20, 20)


def _masked(each: int, keys: int, d: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Contexts whose keys with v_j != 0 have the score -inf, so weight 0; every other one has them on one side of 0."""
    values = _on_grid(normals(generator, each, keys + 1, d))
    values = torch.where(values == 0, torch.ones_like(values), values)
    aside = (torch.arange(each, device=generator.device) % 2 == 0)[:, None]
    values[..., 0] = torch.where(aside, values[..., 0].abs(), values[..., 0])
    values[:, 0] = 0
    scores = torch.full((each, keys + 1), -math.inf, dtype=torch.float64, device=generator.device)
    scores[:, 0] = _on_grid(normals(generator, each))
    return scores, values


def zero_output(scores: Tensor, values: Tensor, *, balanced: bool) -> dict[str, tuple[Tensor, Tensor]]:
    """The weight on values other than 0, |v_0|, |out| and rho_V, each with a bound of its rounding error.

    ``balanced`` says that out is 0 in exact arithmetic, too: equal weights on values that sum to 0, so that 0 is in
    their hull. Raises ValueError where an output that must be 0 is not.
    """
    weights, out = attention(scores, values)
    length = (out**2).sum(-1).sqrt()
    masked = scores.isneginf().any(-1)
    if bool((length[masked] != 0).any()) or (balanced and bool((length != 0).any())):
        raise ValueError(f"|out| = {float(length.abs().max())}; expected contexts whose output is exactly 0")
    with_value = (values != 0).any(-1)
    with_value[:, 0] = False
    outside = (weights * with_value).sum(-1)
    distance, off = (torch.zeros_like(length),) * 2 if balanced else hull_distance(values[:, 1:])
    _, error = _length(out, rounding(weights, values))
    return {
        "value": (outside, (2 * weights.shape[-1] + 16) * ROUNDOFF * outside),
        "keys": _exact(torch.full_like(outside, scores.shape[-1] - 1)),
        "sink_norm": _exact((values[:, 0] ** 2).sum(-1).sqrt()),
        "out_norm": (length, torch.where(length == 0, torch.zeros_like(error), error)),
        "rho_V": (distance, off),
    }


@search(
    "lampert2026.sec6.zero-output-implies-sink",
    at=lambda scores, values: _at(zero_output(scores[None], values[None], balanced=False), scores, values),
)
def zero_output_implies_sink(points: int, generator: torch.Generator) -> Points:
    """value = the weight on values other than 0, of contexts with v_0 = 0.

    Values that cancel exactly, whose weight climbs; values of weight 0, on one side of 0 or not; and random contexts.
    """
    rows, contexts = [], []
    groups = [(keys, d) for keys in (1, 2, 3, 5) for d in DIMENSIONS]
    each = max(8, points // (2 * len(groups)))
    for keys, d in groups:
        if keys == 3:
            scores, values = _cancelling(each, d, generator)
            rows.append(zero_output(scores, values, balanced=True))
            contexts.append((scores, values))
        scores, values = _masked(each, keys, d, generator)
        open_ = torch.arange(each, device=generator.device) % 4 == 3
        scores[open_] = _on_grid(normals(generator, each, keys + 1))[open_]
        rows.append(zero_output(scores, values, balanced=False))
        contexts.append((scores, values))
    return _gathered(rows, contexts)


@instance("lampert2026.sec6.zero-output-implies-sink")
def visible_context(scores: list[float], values: list[list[float]]) -> dict[str, Any]:
    """All scores and values, the sink's first; a key of the score -inf is one that the query does not see."""
    seen = [int(score > -math.inf) for score in scores]
    return {"s": [score if there else 0 for score, there in zip(scores, seen, strict=True)], "seen": seen, "v": values}
