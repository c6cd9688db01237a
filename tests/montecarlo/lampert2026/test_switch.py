"""Section 6: errors are small, and bounds are reached and never passed."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest
import torch

import theorems.lampert2026.switch  # noqa: F401  (registers the functionals)
from montecarlo import registry
from montecarlo.directly import run_search
from montecarlo.empirical_checks import Points, Search
from montecarlo.lampert2026 import switch as searches
from theorems.algebra.convex import nearest

FORWARD, BACKWARD, ZERO = "sink-implies-switch", "switch-implies-sink", "zero-output-implies-sink"


def entry(name: str) -> Search:
    found = registry.find("lampert2026.sec6." + name)
    assert isinstance(found, Search)
    return found


@cache
def points(name: str, count: int = 200, seed: int = 0) -> Points:
    return run_search(entry(name), count, seed)


def edge(name: str, c: Any) -> Any:
    """The true bound, from the closed forms of one row of equal keys and of two keys; 0 where 0 is outside the hull."""
    if name == FORWARD:
        odds = c["keys"] * np.exp(-c["kappa"])
        return odds / (1 + odds) * c["value_radius"]
    return np.log(c["eps"] / (c["value_norm"] - c["eps"]))


@pytest.mark.parametrize("name", [FORWARD, BACKWARD, ZERO])
def test_errors_are_not_generous(name: str) -> None:
    found = points(name)
    scale = 1 + np.array([np.abs(values).max() for values in found.matrices["values"]])
    seen = np.array([np.isfinite(scores).all() for scores in found.matrices["scores"]])
    # rho_V is told from above, with a bound that its certificate gives
    for column in found.errors.keys() - {"rho_V"}:
        assert (found.errors[column] <= 1e-13 * scale)[seen].all(), column


def test_the_forward_bound_is_reached_for_every_number_of_keys_and_never_passed() -> None:
    found = points(FORWARD)
    c = found.columns
    assert (c["value"] <= edge(FORWARD, c) * (1 + 1e-12) + found.error).all()
    assert (c["kappa"] < c["sink_margin"]).all()
    for keys in searches.KEYS:
        ratio = (c["value"] - found.error)[c["keys"] == keys] / edge(FORWARD, c)[c["keys"] == keys]
        assert ratio.max() > 0.9999, keys


@pytest.mark.parametrize("keys", searches.KEYS)
def test_the_climb_alone_reaches_it(keys: int) -> None:
    """From random starts, without the family that attains the bound."""
    generator = torch.Generator().manual_seed(3)
    margin, excess, _, steps = searches.drawn(12, keys, 2, generator)
    kind = torch.arange(12) % searches.KINDS
    rough = (kind != 0) & (kind != 4)
    margin, excess, steps = margin[rough], excess[rough], steps[rough]

    def ratio(excess: torch.Tensor, steps: torch.Tensor) -> torch.Tensor:
        scores = torch.cat([torch.zeros(len(margin), 1), -margin[:, None] - excess], -1).double()
        values = torch.cat([torch.zeros_like(steps[:, :1]), steps], -2)
        row = {name: pair[0] for name, pair in searches.measured(scores, values).items()}
        odds = keys * torch.exp(-margin)
        return row["value"] / (odds / (1 + odds) * row["value_radius"])

    assert bool((ratio(excess, steps) < 1 + 1e-12).all())
    after = ratio(*searches.climbed(margin, excess, steps))
    assert bool((after < 1 + 1e-12).all())
    assert float(after.max()) > 0.999


def test_false_forward_bounds_are_violated_for_every_number_of_keys() -> None:
    found = points(FORWARD)
    c = found.columns
    n, e, r = c["keys"], np.exp(-c["kappa"]), c["value_radius"]
    with np.errstate(all="ignore"):
        wrong = (0.999 * n * e / (1 + n * e) * r, n * e / (2 + n * e) * r, n * e / (1 + n * e) * np.minimum(r, r * r))
        for upper in (*wrong, e / (1 + e) * r * np.where(n == 1, 0.9, 1.0)):
            beyond = c["value"] > upper + 10 * found.error
            assert {int(keys) for keys in n[beyond]} == set(searches.KEYS)


def test_the_backward_bound_is_reached_and_never_passed() -> None:
    found = points(BACKWARD)
    c = found.columns
    gap = edge(BACKWARD, c) - c["value"]
    assert (gap > 0).all()
    assert np.median(gap) < 1e-8
    assert (gap > 0.1).sum() > 10
    assert {bool(x) for x in c["value"] > 0} == {True, False}
    assert (c["out_norm"] + found.errors["out_norm"] < c["eps"]).all()
    assert (c["eps"] < c["value_norm"] - found.errors["value_norm"]).all()


def test_outputs_of_0_are_0_exactly_and_the_rest_is_not() -> None:
    """Rational values that sum to 0 over keys of one score, or keys of weight 0: in exact arithmetic, too."""
    found = points(ZERO)
    c = found.columns
    nothing = c["out_norm"] == 0
    assert (found.errors["out_norm"][nothing] == 0).all()
    assert (c["sink_norm"] == 0).all()
    assert 0 < (~nothing).sum() < nothing.sum()
    apart = c["rho_V"] > found.errors["rho_V"]
    for k in np.flatnonzero(nothing):
        scores, values = found.matrices["scores"][k], found.matrices["values"][k]
        used = [i for i in range(1, len(scores)) if values[i].any() and np.isfinite(scores[i])]
        assert len({scores[i] for i in used}) <= 1
        for column in range(values.shape[1]):
            assert sum((Fraction(values[i][column]) for i in used), Fraction(0)) == 0
        assert (c["value"][k] > 0) == bool(used)
        # where 0 is not in the hull, the weight is 0
        assert not (apart[k] and c["value"][k] > 0)
    assert (apart & nothing).sum() > 10
    assert c["value"][nothing].max() > 0.9
    with pytest.raises(ValueError, match="exactly 0"):
        searches.zero_output(torch.zeros(1, 3).double(), torch.tensor([[[0.0], [1.0], [2.0]]]).double(), balanced=True)


def test_the_hull_distance_is_within_its_error_of_the_exact_one() -> None:
    generator = torch.Generator().manual_seed(0)
    values = torch.randn((24, 4, 2), generator=generator, dtype=torch.float64)
    values[::2, :, 0] = values[::2, :, 0].abs()
    found, error = searches.hull_distance(values)
    far = 0
    for row, length, off in zip(values.tolist(), found.tolist(), error.tolist(), strict=True):
        true = math.sqrt(nearest([[Fraction(a) for a in point] for point in row]).square)
        assert true - 1e-12 <= length <= true + off
        far += length > off
    assert far >= 8
