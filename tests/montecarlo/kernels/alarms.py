"""Two-sample and one-sample alarms with a stated false-alarm level for a whole file."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

#: Chance of any false alarm in a file of tests, if its seeds were not fixed.
LEVEL = 1e-6
#: Numbers that a file may look at: each has this part of the level (Bonferroni).
LOOKS = 2000
#: How many standard errors are an alarm.
BOUND = float(norm.isf(LEVEL / LOOKS / 2))

Features = Mapping[str, NDArray[np.float64]]


def features(scores: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
    """What is looked at of scores (n, T) of the size of 1: name -> one number a walk, or a pair of neighbours.

    Means, second and third (cross) moments, probabilities, fixed projections squashed to (-1, 1), whose means tell
    joint laws apart, the size of what is left without the end, and products of neighbouring walks' scores.
    """
    n, T = scores.shape
    s = scores
    seen = sorted({0, T // 2, T - 1})
    found = {}
    for a in seen:
        found[f"mean {a}"] = s[:, a]
        found[f"positive {a}"] = (s[:, a] > 0).astype(float)
        found[f"large {a}"] = (s[:, a] > 1.5).astype(float)
        squashed = np.tanh(s[:, a])
        found[f"neighbours {a}"] = squashed[0 : n - 1 : 2] * squashed[1:n:2]
        for b in seen:
            if b >= a:
                found[f"second {a} {b}"] = s[:, a] * s[:, b]
                found[f"third {a} {b}"] = np.clip(s[:, a] ** 2 * s[:, b], -200, 200)
    if T > 1:
        # the bridge alone: the end's part is the same in every step
        found["bridge"] = np.log(np.abs(s[:, -1] - s[:, -2] - s[:, T // 2] + s[:, T // 2 - 1]) + 1e-3)
    rng = np.random.default_rng(0)
    for k in range(3):
        direction = rng.standard_normal(T)
        along = s @ direction / np.sqrt(T)
        found[f"joint {k}"] = np.tanh(along)
        found[f"joint square {k}"] = np.tanh(along**2)
    return found


def distance(first: Features, second: Features) -> dict[str, float]:
    """The means' differences of two independent samples in standard errors, by name."""
    found = {}
    for name, x in first.items():
        y = second[name]
        error = np.sqrt(x.var() / len(x) + y.var() / len(y))
        gap = abs(x.mean() - y.mean())
        found[name] = float(gap / error) if error > 0 else (0.0 if gap < 1e-9 else np.inf)
    return found


def alarms(first: NDArray[np.float64], second: NDArray[np.float64]) -> list[str]:
    """The features in which two samples of scores, (n, T) each, differ by more than chance allows."""
    unit = float(np.abs(first).mean()) or 1.0
    gaps = distance(features(first / unit), features(second / unit))
    return [name for name, gap in gaps.items() if gap > BOUND]
