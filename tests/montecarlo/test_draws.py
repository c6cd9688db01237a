"""Arrays of normals: those of the kernels' generator, under a name that the given generator makes."""

from __future__ import annotations

import pytest
import torch

pytest.importorskip("numba")

from montecarlo.calibration import misfit
from montecarlo.draws import draw_normals, normals
from tests.montecarlo.kernels.draws import draw


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


@pytest.mark.parametrize("shape", [(1,), (3, 5), (4, 16), (7, 64), (5, 3, 129)])
def test_an_array_holds_sixteen_walks_position_after_position(shape: tuple[int, ...]) -> None:
    found = draw_normals(torch.empty(shape), generator(4))
    key, block = torch.empty(2, dtype=torch.int64).random_(generator=generator(4)).tolist()
    walks = draw(key, block, 16, -(-found.numel() // 16))
    assert found.flatten().tolist() == walks.T.ravel()[: found.numel()].tolist()
    assert torch.equal(found.double(), normals(generator(4), *shape))


def test_arrays_of_one_generator_have_no_number_in_common() -> None:
    one = generator()
    first, second, other = (normals(g, 4096) for g in (one, one, generator(1)))
    assert len({*first.tolist(), *second.tolist(), *other.tolist()}) > 3 * 4096 - 8


def test_they_are_standard_normals_in_the_length_and_across() -> None:
    z = normals(generator(7), 1 << 20)
    assert misfit(z.abs()) == ""
    assert abs(float(z.mean())) < 6 * 2.0**-10
    for lag in (1, 2, 15, 16, 17, 32, 64):
        assert abs(float((z[lag:] * z[:-lag]).mean())) < 6 * 2.0**-10
