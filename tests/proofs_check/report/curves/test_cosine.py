"""The cosine beside the ratio: moments, the bound, and planted faults seen."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from montecarlo.lampert2026 import cosine
from proofs_check.report.curves import cosine as curves
from theorems.gaussian import ensemble


def test_the_constant_is_kept_and_nearly_met_by_a_law() -> None:
    law = {"tokens": [[["1"], ["1/1000"]]] * 6 + [[["2"], ["-2"]]]}
    gap = abs(float(ensemble.cosine(law, 0)) - float(ensemble.ratio(law, 0)))
    spread = float(ensemble.spread(law, 0))
    assert 0.99 * curves.constant() * spread < gap <= curves.constant() * spread


@pytest.mark.parametrize("law", ["gaussian", "sphere", "mixture", "student"])
def test_the_moments_of_drawn_laws_are_those_of_draws(law: str) -> None:
    d = 3
    z = cosine.draw(torch.Generator().manual_seed(7), 60_000, law, 2, d)
    A, B = curves.drawn_moments(law, d)
    shared = A - B
    products = (z[:, 0, :, None] * z[:, 1, None, :]).numpy()
    own = (z[:, 0, :, None] * z[:, 0, None, :]).numpy()
    error = products.std(0) / len(z) ** 0.5
    assert np.all(abs(products.mean(0) - shared) < 6 * error)
    assert np.any(abs(products.mean(0) - shared * 1.1) > 6 * error)
    if law != "student":
        # whose squares have no variance
        assert np.all(abs(own.mean(0) - A) < 6 * own.std(0) / len(z) ** 0.5)
    with pytest.raises(ValueError, match="expected one of"):
        curves.drawn_moments("cauchy", d)


def test_on_a_line_the_sphere_is_two_signs() -> None:
    mean, square = curves.on_sphere(1)
    assert mean == pytest.approx(math.erf(1 / math.sqrt(2)), abs=1e-8)
    assert square == pytest.approx(1, abs=1e-8)


def test_the_cosine_keeps_to_the_bound_and_follows_light_tails() -> None:
    lines = curves.cosine_lines("gaussian", (2, 32), k=4, n=400, failure=1e-4, seed=0)
    for line in lines.values():
        far = np.abs(np.array(line["estimate"]) - np.array(line["ratio"]))
        assert np.all(far < np.array(line["bound"]))
        assert far[1] < 0.02
    assert lines["local"]["ratio"] != lines["averaged"]["ratio"]
