"""How often a sink is representable: derived and counted, each against a certificate or another count."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import torch

from montecarlo.lampert2026 import representability
from montecarlo.separability import separate
from proofs_check.report.curves import representability as curves
from proofs_check.report.curves.points import generator


def test_the_probability_is_one_up_to_d_and_a_half_at_2d() -> None:
    for d in (2, 3, 8):
        found = curves.probabilities(d, list(range(1, 4 * d)))
        assert found[:d] == [1.0] * d
        assert found[2 * d - 1] == 0.5
        assert all(a > b for a, b in zip(found[d - 1 :], found[d:], strict=False))
    # N arcs of a half circle on the circle: some token is the first of a half circle
    assert curves.probabilities(2, [5]) == [5 / 2**4]


def test_hulls_avoid_0_as_certified() -> None:
    random = np.random.default_rng(4)
    seen = set()
    for _ in range(60):
        vectors = random.standard_normal((8, 4))
        certified = separate([[Fraction(entry) for entry in row] for row in vectors.tolist()])
        assert certified is not None
        assert curves.avoids(vectors) == certified.separable
        seen.add(certified.separable)
    assert seen == {True, False}
    with pytest.raises(ArithmeticError, match="float64 cannot decide"):
        curves.avoids(np.array([[1.0, 1e-9], [-1.0, 1e-9]]))


@pytest.mark.parametrize("mask", ["full", "causal", "window 2"])
def test_masks_are_decided_as_by_certificates(mask: str) -> None:
    d, N, draws = 2, 5, 40
    found = curves.mask_frequencies(d, [N], mask, draws=draws, failure=0.01, seed=0)
    seen = {"full": representability.full, "causal": representability.causal, "window 2": representability.window(2)}
    random = generator(0, "representability.mask", [d, N, mask])
    z = torch.randn((draws, N + 1, d), generator=random, dtype=torch.float64)
    hits = 0
    for rows in (z / z.norm(dim=2, keepdim=True)).tolist():
        exact = [[str(Fraction(entry)) for entry in row] for row in rows]
        one = representability.representable(exact, range(1, N + 1), seen[mask])
        assert one is not None
        hits += one.separable
    assert found["estimate"] == [hits / draws]
    assert 0 < hits < draws


def test_both_ways_to_count_on_the_sphere_agree_with_the_derived_probability(monkeypatch: pytest.MonkeyPatch) -> None:
    def inside(wrong: int = 0) -> bool:
        found = curves.sphere_frequencies(3, [5, 7], n=2000, few=1500, failure=1e-4, seed=0)
        true = curves.probabilities(3 + wrong, [5, 7])
        return all(a <= p <= b for a, p, b in zip(found["low"], true, found["high"], strict=True))

    assert inside()
    assert not inside(1)
    monkeypatch.setattr(representability, "MINORS", 1)
    assert curves.sphere_frequencies(3, [5], n=2000, few=10, failure=0.01, seed=0)["draws"] == [10]
    assert inside()
    assert not inside(1)
