"""R over l: each number against a computation of another kind, and planted faults seen."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy as sp
import torch

from proofs_check.report.curves import smoothing as curves
from proofs_check.report.curves.points import generator
from proofs_check.report.curves.scores import evaluated
from theorems.gaussian import ensemble
from theorems.gaussian.numeric import Case

HEAD: dict[str, Any] = {
    "k": 3,
    "beta": "1",
    "W": [["1", "3/4"], ["-1/4", "1/2"]],
    "L": [["1", "0"], ["1/2", "1"]],
    "m": ["1", "-1/2"],
    "law": "gaussian",
}


def under(law: str) -> dict[str, Any]:
    return {**HEAD, "law": law, "m": ["0", "0"] if law == curves.RAYS else HEAD["m"]}


@pytest.mark.parametrize("law", ["gaussian", "centred", "signs", "mixture", "student", curves.TAILS, curves.RAYS])
def test_the_second_moments_are_those_of_the_sampled_tokens(law: str) -> None:
    case = under(law)
    z = curves.sampled(case, 40_000, torch.Generator().manual_seed(5))

    def misses(A: Any, B: Any) -> bool:
        """Whether an average of products is more than 6 standard errors off."""
        own = z[:, 0, :, None] * z[:, 0, None, :]
        other = (z[:, 0, :, None] * z[:, 1, None, :] + z[:, 1, :, None] * z[:, 0, None, :]) / 2
        found = [
            abs(values.mean(0).numpy() - np.array(wanted, dtype=float)) > 6 * values.std(0).numpy() / len(z) ** 0.5
            for values, wanted in ((own, A), (own - other, B))
        ]
        return bool(np.any(found))

    A, B = curves.second_moments(case)
    assert not misses(A, B)
    assert misses(A + B / 4, B)
    assert misses(A, B * Fraction(5, 4))


def test_laws_of_which_R_says_nothing_are_refused() -> None:
    with pytest.raises(ValueError, match="expected a mean that is not 0"):
        curves.second_moments({**HEAD, "law": "centred", "m": ["0", "0"]})
    with pytest.raises(ValueError, match="expected a mean that is 0"):
        curves.second_moments({**HEAD, "law": curves.RAYS})


def test_the_levels_are_those_of_a_finite_law_exactly() -> None:
    random = np.random.default_rng(2)
    for k in (2, 3):
        law = {
            "tokens": random.integers(-3, 4, (3, k, 2)).astype(str).tolist(),
            "W": random.integers(-3, 4, (2, 2)).astype(str).tolist(),
            "beta": "2/3",
        }
        found = ensemble.second_moments(law)
        A, B, W = (np.array(rows, dtype=object) for rows in (found.same, found.B, ensemble.read(law).W))
        D, N = curves.levels_of(A, B, W, Fraction(2, 3), k)
        floats = curves.levels_of(A.astype(float), B.astype(float), W.astype(float), 2 / 3, k)
        for level in (Fraction(0), Fraction(1, 3), Fraction(1)):
            at = {curves.LEVEL: sp.Rational(level.numerator, level.denominator)}
            wanted = [ensemble.energy(law, level), ensemble.cross(law, level)]
            assert [D.xreplace(at), N.xreplace(at)] == [sp.Rational(v.numerator, v.denominator) for v in wanted]
            assert [float(f.xreplace(at)) for f in floats] == pytest.approx([float(v) for v in wanted], abs=1e-12)
        other, _ = curves.levels_of(A, B, W, Fraction(2, 3), k + 1)
        assert sp.expand(other - D) != 0


@pytest.mark.parametrize(
    ("slope", "side"),
    [("1", "rises"), ("0", "rises"), ("-1/3", "between"), ("-3/4", "between"), ("-1", "falls"), ("-2", "falls")],
)
def test_the_place_is_where_R_is_largest(slope: str, side: str) -> None:
    case = curves.at_slope(HEAD, Fraction(slope))
    at = Case(case)
    across, up = curves.plane(at)
    assert across == pytest.approx(float(Fraction(slope)) * up, abs=1e-12)
    assert curves.region(at) == side
    grid = np.linspace(0, 1, 401)
    values = np.array(evaluated(curves.ratio_of(case), l=grid))
    assert curves.place(case) == pytest.approx(grid[values.argmax()], abs=1 / 400)
    steps = np.diff(values)
    assert {"rises": np.all(steps > 0), "falls": np.all(steps < 0), "between": steps[0] > 0 > steps[-1]}[side]
    assert curves.holds(curves.ENDS, "R(1) > R(0)", at) == (values[-1] > values[0])


def test_no_beta_turns_a_traceless_head() -> None:
    turned = curves.at_slope(HEAD, Fraction(0))
    assert turned["beta"] == HEAD["beta"]
    with pytest.raises(ValueError, match="no beta gives"):
        curves.at_slope(turned, Fraction(1))


def test_the_derived_properties_change_on_the_boundaries_and_nowhere_else() -> None:
    lines = curves.boundaries()
    assert len(lines) == 3
    assert len({line["weights"][1] / line["weights"][0] for line in lines}) == 3
    crossings = sorted(-line["weights"][1] / line["weights"][0] for line in lines)
    between = [crossings[0] - 0.25, *np.convolve(crossings, [0.5, 0.5], "valid"), crossings[-1] + 0.25]
    told = []
    for slope in between:
        at = Case(curves.at_slope(HEAD, Fraction(slope)))
        told.append((curves.region(at), curves.holds(curves.ENDS, "R(1) > R(0)", at)))
    assert len(set(told)) == 4


def test_the_simulated_maximum_is_that_of_the_simulated_ratio() -> None:
    case = curves.at_slope(HEAD, Fraction(-1, 3))
    found = curves.place_of_maximum(case, n=500, failure=0.01, seed=1)
    z = curves.sampled(case, 500, generator(1, "smoothing_ratio.place", case))
    grid = np.linspace(0, 1, 201)
    D = [float(curves.energies(curves.outputs(case, z, level))[0].mean()) for level in grid]
    assert found["estimate"] == pytest.approx(grid[int(np.argmin(D))], abs=1 / 200)
