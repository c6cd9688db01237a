"""The normals at the drawn cases of claims are standard normals; a shift, a scale or a clamp of theirs is found."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
import torch

from montecarlo.calibration import check_normals
from tests.properties.normals import FEWEST, Draw, Recorded, draws, shape
from tests.properties.test_agreement import asked, sides

#: Claims whose walks are cheap, long ones with them; the first in ``make test``.
CLAIMS = ("bao2024.appA.eq17", "bao2024.appA.eq16", "bao2024.sec4.lemma1-variance")
Change = Callable[[torch.Tensor], torch.Tensor]


def changed(change: Change) -> Callable[[Draw], Draw]:
    """What draws normals, with these changed."""

    def changing(draw: Draw) -> Draw:
        return lambda out, generator: out.copy_(change(draw(out, generator)))

    return changing


def recorded(monkeypatch: pytest.MonkeyPatch, claim: str, fault: Change = lambda z: z) -> Recorded:
    found = Recorded()
    with monkeypatch.context() as patch:
        # what looks at normals of its own has been
        check_normals("literal", "cpu")
        draws(patch, lambda draw: found(changed(fault)(draw)))
        patch.setattr("montecarlo.calibration.check_normals", lambda tier, device: None)
        asked(sides(claim))
    check_normals.cache_clear()
    return found


@pytest.mark.parametrize("claim", [CLAIMS[0], *(pytest.param(c, marks=pytest.mark.slow) for c in CLAIMS[1:])])
def test_the_normals_of_all_cases_are_standard(claim: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = recorded(monkeypatch, claim)
    assert not found.misfits()
    # dimensions and lengths of which there are enough
    enough = {name for name, one in found.groups.items() if one.count >= FEWEST}
    assert {"all", "d = 2", "d = 16", "T from 64", "T from 256"} <= enough


def faults(least: float) -> dict[str, Change]:
    """The least shift and scale that are found, and clamps that depend on the dimension or the length."""
    return {
        "shift": lambda z: z + least,
        "scale": lambda z: z * (1 + least / math.sqrt(2)),
        "clamp at d = 16": lambda z: z.clamp(-3.49, 3.49) if shape(z)[0] == 16 else z,
        "clamp from T = 64 on": lambda z: z.clamp(-3.49, 3.49) if shape(z)[1] >= 64 else z,
    }


@pytest.mark.parametrize("fault", ["shift", "scale", "clamp at d = 16", "clamp from T = 64 on"])
@pytest.mark.parametrize("claim", [CLAIMS[0], *(pytest.param(c, marks=pytest.mark.slow) for c in CLAIMS[1:])])
def test_a_fault_in_the_normals_is_found(claim: str, fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    least = recorded(monkeypatch, claim).least()
    assert least <= 0.003
    assert recorded(monkeypatch, claim, faults(least)[fault]).misfits()
