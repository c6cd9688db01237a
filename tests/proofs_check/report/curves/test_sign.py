"""Heads on the map of signs: averages over pairs, changes of R as derived, and wrong sides seen."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import torch

from proofs_check.report.curves import sign as curves
from proofs_check.report.curves.smoothing import RAYS, TAILS, at_slope, energies, plane, second_moments
from theorems.gaussian.numeric import Case

HEAD: dict[str, Any] = {
    "k": 3,
    "beta": "1",
    "W": [["1", "3/4"], ["-1/4", "1/2"]],
    "L": [["1", "0"], ["1/2", "1"]],
    "m": ["1", "-1/2"],
    "law": "gaussian",
}


def test_cosines_and_energies_are_averages_over_pairs() -> None:
    Y = torch.randn((4, 3, 2), generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    pairs = [(i, j) for i in range(3) for j in range(3) if i != j]
    D, N = energies(Y)
    for n, y in enumerate(Y.numpy()):
        products = [float(y[i] @ y[j]) for i, j in pairs]
        turned = [p / math.sqrt((y[i] @ y[i]) * (y[j] @ y[j])) for p, (i, j) in zip(products, pairs, strict=True)]
        assert float(D[n]) == pytest.approx(np.mean([v @ v for v in y]))
        assert float(N[n]) == pytest.approx(np.mean(products))
        assert float(curves.cosines(Y)[n]) == pytest.approx(np.mean(turned))
    Y[0, 0] = 0
    with pytest.raises(ValueError, match="some Y_i is zero"):
        curves.cosines(Y)


@pytest.mark.parametrize("kind", curves.KINDS)
def test_heads_are_drawn_from_seed_and_index_alone(kind: str) -> None:
    one = curves.random_case(kind, "gaussian", 1, 2)
    assert one == curves.random_case(kind, "gaussian", 1, 2)
    assert one != curves.random_case(kind, "gaussian", 1, 3)
    x, y = plane(Case(one))
    _, B = second_moments(one)
    assert x * x <= float(np.trace(B)) * y * (1 + 1e-12)


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="kind = 'sparse'"):
        curves.random_case("sparse", "gaussian", 0, 0)


@pytest.mark.parametrize("slope", ["1", "-1/4", "-3/4", "-3/2"])
def test_a_head_changes_R_as_derived(slope: str) -> None:
    case = at_slope({**HEAD, "law": TAILS}, Fraction(slope))
    found = curves.head(case, n=4000, failure=1e-5, seed=0)
    held = found["ratio"]
    assert held["low"] <= found["derived"] <= held["high"]
    assert not held["low"] <= found["derived"] + 0.5 <= held["high"]
    assert found["x"] / found["y"] == pytest.approx(float(Fraction(slope)))
    assert (found["ends"] == "rises") == (found["derived"] > 0)


def test_on_rays_the_cosine_falls_where_R_rises() -> None:
    found = curves.head(at_slope({**HEAD, "law": RAYS, "m": ["0", "0"]}, Fraction(1)), n=500, failure=1e-5, seed=0)
    assert found["region"] == "rises"
    assert found["wrong"] == {"cosine": True, "ratio": False}


def test_a_change_is_against_a_sign_only_if_its_interval_is() -> None:
    up, down, both = {"low": 0.1, "high": 0.2}, {"low": -0.2, "high": -0.1}, {"low": -0.1, "high": 0.1}
    assert [curves.against("rises", change) for change in (up, down, both)] == [False, True, False]
    assert [curves.against("falls", change) for change in (up, down, both)] == [True, False, False]
    assert not any(curves.against("between", change) for change in (up, down, both))
