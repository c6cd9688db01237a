"""The normals of every tier are standard normals; a clamp, a scale or a fat tail is noticed where walks are sampled."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from torch import Tensor

import montecarlo.walks
from montecarlo import calibration, engine
from montecarlo.calibration import LOOKED_AT, check_normals, misfit
from montecarlo.draws import draw_normals
from montecarlo.threads import EngineError
from tests.proofs_check.judged import judged
from tests.properties.planted import clamped


@pytest.fixture(autouse=True)
def looked_at_anew() -> Iterator[None]:
    """No test relies on what another one looked at."""
    check_normals.cache_clear()
    yield
    check_normals.cache_clear()


def normals() -> Tensor:
    generator = torch.Generator()
    generator.manual_seed(5)
    return torch.randn(LOOKED_AT, generator=generator, dtype=torch.float64)


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        (lambda z: z.clamp(-3.5, 3.5), "beyond 3.5"),
        (lambda z: z.clamp(-4, 4), "beyond 4"),
        (lambda z: z * 1.01, "beyond"),
        (lambda z: torch.where(z.abs() > 2, z * 1.1, z), "beyond"),
        (lambda z: torch.where(z.abs() > 4.2, z * 3, z), "z^4"),
    ],
)
def test_what_is_no_standard_normal_is_told(fault: Callable[[Tensor], Tensor], told: str) -> None:
    z = normals()
    assert misfit(z.abs()) == ""
    assert told in misfit(fault(z).abs())


@pytest.mark.parametrize("tier", ["literal", "fused"])
def test_the_normals_of_a_tier_are_standard(tier: str) -> None:
    check_normals(tier, "cpu")
    assert check_normals.cache_info().currsize == 1


def test_a_clamp_in_the_sampler_is_an_error_of_every_claim(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "draw_normals", clamped(draw_normals))
    monkeypatch.setattr(montecarlo.walks, "draw_normals", clamped(draw_normals))
    with pytest.raises(EngineError, match=r"tier literal on cpu are not standard: 0 of .* beyond 3\.5"):
        check_normals("literal", "cpu")
    report, *_ = judged("bao2024.appA.eq15")
    assert report["verdict"] == "error" and "not standard" in report["reason"]


def test_a_clamp_of_scores_that_are_drawn_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    own = montecarlo.walks.DrawnScores.scores

    def scores(walk: Any, W: Tensor) -> Tensor:
        # x_2^2 with |x_2 - x_1| clamped, as a kernel would that clamps its normals
        found = own(walk, W)
        end = found[:, 1].sqrt()
        first = (found[:, 0] / end).clamp(-3.5, 3.5)
        step = (end - first).clamp(-3.5, 3.5)
        return torch.stack([first * (first + step), (first + step) ** 2], 1)

    monkeypatch.setattr(montecarlo.walks.DrawnScores, "scores", scores)
    with pytest.raises(EngineError, match="tier fused"):
        check_normals("fused", "cpu")


def test_the_sizes_are_those_of_the_increments() -> None:
    z = normals().reshape(-1, 2)
    x1, x2 = z[:, 0], z[:, 0] + z[:, 1]
    found = calibration.sizes(torch.stack([x1 * x2, x2 * x2], 1))
    assert torch.allclose(found, torch.cat([z[:, 0], z[:, 1]]).abs(), atol=1e-6)
