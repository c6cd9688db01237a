"""Values at several lengths, each within an interval, brought to the limit of infinite length.

Let V(T) = c_0 + sum_p c_p T^(-p) with known exponents p > 0 and unknown coefficients. Weights a_k with

    sum_k a_k = 1,   sum_k a_k T_k^(-p) = 0 for every p

give sum_k a_k V(T_k) = c_0 without error (Richardson). Intervals [l_k, h_k] of V(T_k) that hold together give the
interval of c_0 whose lower end is sum_k a_k (l_k if a_k > 0 else h_k); as many intervals of level delta as there are
lengths hold together but for that many times delta. Every exponent is eliminated: no term is neglected.

Where nothing is known of the speed, values along a growing index can only be seen to come nearer or not: ``approach``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from proofs_check.checks.intervals import Interval

Exponent = int | Fraction

#: Roundoffs allowed for a sum of weighted values, relative to the sum of their sizes.
ROUNDING = 1e-12
#: A weight is taken for at least this, where a sample's size is shared out by weights.
UNUSED = 1e-9


class ExtrapolationError(ValueError):
    """The limit cannot be formed from these lengths; the message says what is lacking."""


@dataclass(frozen=True)
class Extrapolated:
    """The limit of values at several lengths: its interval, and the weights that it was formed with."""

    interval: Interval
    weights: tuple[float, ...]


def weights(
    lengths: Sequence[int], exponents: Sequence[Exponent], costs: Sequence[float] | None = None
) -> NDArray[np.float64]:
    """The weights (one a length, 0 where a length is not used) that form the limit with the least sum |a_k| cost_k.

    ``exponents`` are the p > 0 of the terms T^(-p) that are eliminated. Raises ExtrapolationError where the lengths
    are fewer than the terms (the limit is one of them), not distinct, or an exponent is not positive.
    """
    powers = sorted({Fraction(p) for p in exponents})
    if powers and powers[0] <= 0:
        raise ExtrapolationError(f"exponent {powers[0]}; expected p > 0, for a term that vanishes as T^(-p)")
    if len(set(lengths)) != len(lengths) or any(T < 1 for T in lengths):
        raise ExtrapolationError(f"lengths {tuple(lengths)}; expected distinct integers >= 1")
    if len(lengths) < len(powers) + 1:
        raise ExtrapolationError(
            f"{len(lengths)} lengths for {len(powers) + 1} terms; give at least as many lengths as terms"
        )
    # relative to the shortest, so that the powers are at most 1
    nodes = min(lengths) / np.asarray(lengths, dtype=np.float64)
    table = np.stack([np.ones(len(nodes)), *(nodes ** float(p) for p in powers)])
    wanted = np.zeros(len(table))
    wanted[0] = 1.0
    price = np.ones(len(nodes)) if costs is None else np.asarray(costs, dtype=np.float64)
    # the least sum is found on as many lengths as there are terms: a vertex of the linear program
    choices = np.array(list(combinations(range(len(nodes)), len(table))))
    rows = np.moveaxis(table[:, choices], 1, 0)
    solved = np.linalg.solve(rows, np.broadcast_to(wanted[:, None], (len(choices), len(wanted), 1)))[..., 0]
    best = int((np.abs(solved) * price[choices]).sum(1).argmin())
    used, exact = choices[best], solved[best]
    if np.abs(rows[best] @ exact - wanted).max() > ROUNDING * np.abs(exact).sum():
        raise ExtrapolationError(f"no weights at the lengths {tuple(lengths)} for the exponents {powers}")
    result = np.zeros(len(nodes))
    result[used] = exact
    return result


def allotted(
    factors: Sequence[float], spreads: Sequence[float], costs: Sequence[float], tolerance: float
) -> list[float]:
    """How far off each value may be so that the limit is within the tolerance, at the least cost of sampling.

    The weights are ``factors``, ``spreads`` the standard deviations of one number at each length, ``costs`` what a
    number costs there: the values err independently, sum_k a_k^2 h_k^2 = tolerance^2 with sum_k cost_k
    spread_k^2/h_k^2 least.
    """
    sizes, wide, dear = (np.asarray(v, dtype=np.float64) for v in (np.abs(factors), spreads, costs))
    raw = np.where((wide > 0) & (sizes > 0), np.sqrt(wide * np.sqrt(dear) / np.maximum(sizes, UNUSED)), 0.0)
    total = float(np.linalg.norm(sizes * raw))
    return [tolerance * float(h) / total if h > 0 else tolerance for h in raw]


def extrapolated(
    lengths: Sequence[int],
    intervals: Sequence[Interval],
    exponents: Sequence[Exponent],
    *,
    using: Sequence[float] | None = None,
) -> Extrapolated:
    """The interval of the limit from intervals of the values at the lengths, which hold together.

    ``exponents`` are eliminated; ``using`` are weights from ``weights``, made anew where not given. Raises
    ExtrapolationError as ``weights`` does.
    """
    if len(lengths) != len(intervals):
        raise ExtrapolationError(f"{len(intervals)} intervals for {len(lengths)} lengths; give one a length")
    a = weights(lengths, exponents) if using is None else np.asarray(using, dtype=np.float64)
    low = sum(x * (v.low if x > 0 else v.high) for x, v in zip(a, intervals, strict=True) if x)
    high = sum(x * (v.high if x > 0 else v.low) for x, v in zip(a, intervals, strict=True) if x)
    centre = sum(x * v.centre for x, v in zip(a, intervals, strict=True) if x)
    slack = ROUNDING * sum(abs(x * v.centre) for x, v in zip(a, intervals, strict=True))
    spread = sum(x * x * v.spread for x, v in zip(a, intervals, strict=True) if x)
    miss = sum(abs(x) * v.miss for x, v in zip(a, intervals, strict=True) if x)
    around = Interval(float(low - slack), float(high + slack), float(centre), float(spread), float(miss))
    return Extrapolated(around, tuple(float(x) for x in a))


def distances(intervals: Sequence[Interval], value: float) -> list[tuple[float, float]]:
    """How far each value is at least and at most from ``value``, by its interval."""
    found = []
    for v in intervals:
        ends = sorted((abs(v.low - value), abs(v.high - value)))
        found.append((0.0 if v.holds(value) else ends[0], ends[1]))
    return found


def approach(
    indices: Sequence[Fraction | int], intervals: Sequence[Interval], value: float, tolerance: float
) -> Literal["approaches", "stays away", "open"]:
    """What values at growing indices say of a limit, nothing being known of the speed.

    "stays away": at the last index the value is left out, and since the one before the distance has not even shrunk as
    1/index does. "approaches": the last interval lies within the tolerance of the value, and is not shown to be
    farther from it than any before. "open" otherwise.
    """
    if len(intervals) < 2 or len(indices) != len(intervals) or list(indices) != sorted(set(indices)):
        raise ExtrapolationError(
            f"{len(intervals)} intervals at the indices {[str(k) for k in indices]}; give two or more, at growing ones"
        )
    found = distances(intervals, value)
    (nearest, farthest), before = found[-1], found[:-1]
    if nearest > 0 and nearest >= before[-1][1] * float(Fraction(indices[-2]) / Fraction(indices[-1])):
        return "stays away"
    if farthest <= tolerance and all(nearest <= most for _, most in before):
        return "approaches"
    return "open"
