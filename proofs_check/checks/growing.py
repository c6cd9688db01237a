"""The empirical check of a claim about orders of growth: exponents measured between lengths, with intervals.

The intervals are those of numbers cut off at a quantile, which hold whatever the tails are. The claim is about the mean
of the numbers as they are: its exponent is looked at beside, by standard errors, and must not tell another story.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from montecarlo.empirical_checks import Growth, Tails
from proofs_check.checks.evidence import BETA, Evidence, RunContext
from proofs_check.checks.intervals import interval
from proofs_check.claims.cases import shown_case
from proofs_check.claims.pairing import Pair
from theorems.claims.growth import Bound, bare, bound
from theorems.kernel.outcome import Outcome
from theorems.rules.orders import Order

#: Lengths between which the growth is measured, and walks a length, by effort.
LENGTHS = {"quick": (32, 512), "standard": (16, 64, 256, 1024, 4096), "thorough": (16, 64, 256, 1024, 4096)}
WALKS = {"quick": 8_000, "standard": 8_000, "thorough": 64_000}
#: Walks that set the level at which a number is cut off, and the part of them below it.
PILOT, LEVEL = 2_000, 0.9
#: Standard errors around the mean of the numbers as they are: what is cut off must not grow faster than what is kept.
ERRORS = 5
#: How many times the shorter walks beside it the walks of a case's length are.
SPAN = 16
#: Exponents are multiples of this, and an interval of half of it to either side tells them apart.
STEP = 0.5
NEAR = STEP / 2
BLOCK = 50


@dataclass(frozen=True)
class Size:
    """The size of an expectation at one length, within [low, high]; the sign is left out."""

    low: float
    high: float
    centre: float


def measured(values: Mapping[str, Any], levels: Mapping[str, float], delta: float) -> dict[str, Size]:
    """|E[f cut off at +-q]| of every quantity, q its level, from independent numbers (n,).

    A number cut off at +-q lies within an interval of width 2 q, so that the interval holds whatever the tails are.
    """
    found = {}
    for name, tensor in values.items():
        cut = np.clip(np.asarray(tensor) / levels[name], -1.0, 1.0)
        blocks = cut[: len(cut) // BLOCK * BLOCK].reshape(-1, BLOCK).mean(1)
        pairs = (cut[0 : len(cut) // 2 * 2 : 2] - cut[1::2][: len(cut) // 2]) ** 2 / 2
        around = interval(
            blocks,
            BLOCK,
            float(pairs.mean()),
            len(pairs),
            degree=Tails(width=2.0),
            planned=max(float(cut.var()), 1e-3),
            delta=delta,
            beta=BETA,
        )
        ends = sorted((abs(around.low), abs(around.high)))
        low = 0.0 if around.low <= 0 <= around.high else ends[0]
        found[name] = Size(low * levels[name], ends[1] * levels[name], abs(around.centre) * levels[name])
    return found


def uncut(values: Mapping[str, Any]) -> dict[str, Size]:
    """|E f| of every quantity within ERRORS standard errors: no interval of a stated level, for unknown tails."""
    found = {}
    for name, tensor in values.items():
        numbers = np.asarray(tensor)
        mean, reach = float(numbers.mean()), ERRORS * float(numbers.std()) / math.sqrt(len(numbers))
        found[name] = Size(max(0.0, abs(mean) - reach), abs(mean) + reach, abs(mean))
    return found


def grown(
    pair: Pair,
    outcome: Outcome,
    growth: Growth,
    alpha: float,
    context: RunContext,
    only: Mapping[str, Any] | None = None,
) -> Evidence:
    """The empirical check of a claim about growth: the exponent between the shortest and the longest walks.

    At ``only`` one case these have its length T, and T/SPAN.
    """
    from montecarlo.directly import draw_growth

    lengths, walks = LENGTHS[context.effort_name], WALKS[context.effort_name]
    lengths = lengths if only is None else (only["T"] // SPAN, only["T"])
    evidence = Evidence(tier="direct simulation, cut off at a quantile", cases=len(lengths))
    claim = pair.statement.id
    sizes: dict[int, dict[str, Size]] = {}
    whole: dict[int, dict[str, Size]] = {}
    names: tuple[str, ...] = ()
    for place, T in enumerate(lengths):
        context.step(place, len(lengths))
        pilot = draw_growth(growth, T, PILOT, context.seed, context.device, f"{claim} pilot", context.threads)
        levels = {name: _level(claim, name, T, values.numpy()) for name, values in pilot.items()}
        names = tuple(pilot)
        # each length once, and once more where a refutation is confirmed
        delta = alpha / (2 * len(lengths) * len(names))
        drawn = draw_growth(growth, T, walks, context.seed, context.device, claim, context.threads)
        sizes[T] = measured({name: values.numpy() for name, values in drawn.items()}, levels, delta)
        whole[T] = uncut({name: values.numpy() for name, values in drawn.items()})
        evidence.samples += walks * len(names)
        evidence.spent += delta * len(names)
    # the shortest walks show the approach; terms of lower order are still large there
    first, last = lengths[1] if len(lengths) > 3 else lengths[0], lengths[-1]
    outside, agrees, contradicts = [], True, []
    doubts: list[str] = []
    widest, plain = 0.0, []
    for name, printed in pair.statement.printed.items():
        order = pair.quantity(name)
        assert isinstance(order, Order)
        low, high = exponent(sizes, name, first, last)
        middle = (low + high) / 2
        widest = max(widest, (high - low) / 2)
        least, most = exponent(whole, name, first, last)
        plain.append(f"{name} [{least:.2g}, {most:.2g}]")
        if not (least - NEAR <= float(order.exponent) <= most + NEAR and most - least <= 2 * NEAR):
            doubts.append(
                f"the exponent of {name} as it is, not cut off, lies within [{least:.3g}, {most:.3g}]; derived "
                f"{order.exponent}"
            )
        if not low - NEAR <= float(order.exponent) <= high + NEAR:
            outside.append(f"{name}: derived exponent {order.exponent}, measured [{low:.3g}, {high:.3g}]")
        allowed = bound(printed).largest(STEP)
        agrees = agrees and high - low <= 2 * NEAR and high - NEAR <= allowed
        # what finite lengths and the sampled cut-off leave open counts for the print
        if low - NEAR > allowed and high - low <= 2 * NEAR:
            contradicts.append(name)
        for label, wrong in (("- 1/2", order.exponent - 0.5), ("- 1", order.exponent - 1), ("- 2", order.exponent - 2)):
            evidence.decoys += 1
            seen = low - NEAR > float(wrong)
            evidence.caught += seen
            if not seen:
                evidence.survivors.append(f"{name}: exponent {label}")
        evidence.rows.append(
            shown_case(
                {"T": last}, name, printed, order.exponent, (low, high), estimate=middle, samples=walks * len(lengths)
            )
        )
        for a, b in pairwise(lengths):
            lo, hi = exponent(sizes, name, a, b)
            evidence.trend.append(f"{name}: exponent between T = {a} and {b} within [{lo:.2f}, {hi:.2f}]")
            ends = [end if math.isfinite(end) else None for end in (lo, hi)]
            evidence.exponents.append({"quantity": name, "first": a, "last": b, "low": ends[0], "high": ends[1]})
    evidence.conflicts = outside
    evidence.detectable = widest + NEAR if math.isfinite(widest) else None
    evidence.status = "contradicts" if contradicts else "agrees" if agrees else "underpowered"
    if doubts:
        evidence.status, evidence.reason = "underpowered", doubts[0]
    lengths_told = f"between T = {first} and {last}"
    evidence.power = (
        f"what is measured is the mean of the numbers cut off at the {LEVEL:.0%} quantile of their sizes: its "
        f"exponents are known within {widest:.2g} {lengths_told}, and a wrong one is off by 1/2; of the mean itself "
        f"they lie within {', '.join(plain)}, by {ERRORS} standard errors and no stated level"
    )
    if contradicts and outcome.status == "disproved":
        name = contradicts[0]
        order = pair.quantity(name)
        again = draw_growth(growth, last, walks, context.seed, context.device, f"{claim} confirmation", context.threads)
        # ``levels`` are those of the longest walks still: set by the pilot, not by what is cut off
        fresh = dict(sizes) | {last: measured({n: v.numpy() for n, v in again.items()}, levels, delta)}
        evidence.spent += delta * len(names)
        low, _ = exponent(fresh, name, first, last)
        printed = pair.statement.printed[name]
        evidence.confirmed = low - NEAR > bound(printed).largest(STEP)
        true = str(order.exponent) if bare(printed) else f"of order {Bound(order.exponent).scale}"
        evidence.counterexample = {"params": {"T": last}, "printed": printed, "true": true}
    return evidence


def _level(claim: str, name: str, T: int, values: NDArray[np.float64]) -> float:
    """Where numbers are cut off: a quantile of their sizes."""
    found = float(np.quantile(np.abs(values), LEVEL))
    if not 0 < found < math.inf:
        raise ValueError(
            f"{claim}: {LEVEL:.0%} of the numbers {name} are below {found} at T = {T}; a growth needs numbers that are "
            "finite and mostly not 0"
        )
    return found


def exponent(sizes: Mapping[int, Mapping[str, Size]], name: str, first: int, last: int) -> tuple[float, float]:
    """An interval for the growth exponent between two lengths; that of the quotient where there is a divisor."""
    one, two = sizes[first], sizes[last]
    span = math.log(last / first)
    low = _log(two[name].low) - _log(one[name].high)
    high = _log(two[name].high) - _log(one[name].low)
    if "divisor" in one:
        low, high = (
            low - (_log(two["divisor"].high) - _log(one["divisor"].low)),
            high - (_log(two["divisor"].low) - _log(one["divisor"].high)),
        )
    return low / span, high / span


def _log(value: float) -> float:
    return math.log(value) if value > 0 else -math.inf
