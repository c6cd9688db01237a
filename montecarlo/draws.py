"""Arrays of independent numbers on the device of their generator."""

from __future__ import annotations

from functools import cache
from types import ModuleType

import torch
from torch import Tensor


def normals(generator: torch.Generator, *shape: int) -> Tensor:
    """Independent N(0, 1) of that shape, float64; none is 0, so that every vector has a direction."""
    drawn = draw_normals(torch.empty(shape, device=generator.device), generator).double()
    return drawn.masked_fill_(drawn == 0, 2.0**-33)


def uniforms(generator: torch.Generator, *shape: int) -> Tensor:
    """Independent numbers, uniform on [0, 1), of that shape, float64."""
    return torch.rand(shape, generator=generator, device=generator.device, dtype=torch.float64)


def draw_normals(out: Tensor, generator: torch.Generator) -> Tensor:
    """Fill a contiguous float32 tensor with standard normals.

    On a CPU by the kernels' generator, which is several times as fast as torch's, from 126 bits of ``generator``: what
    is off in its moments is said there. Elsewhere, and without numba, by torch's, which makes them of 24-bit uniforms:
    second, fourth and eighth moments are too small by relative 6e-7, 6e-6 and 2e-4 at most.
    """
    kernel = _kernel() if out.device.type == "cpu" else None
    if kernel is None:
        return out.normal_(generator=generator)
    key, block = torch.empty(2, dtype=torch.int64).random_(generator=generator).tolist()
    kernel.draw(key, block, out.view(-1).numpy())
    return out


@cache
def _kernel() -> ModuleType | None:
    try:
        from montecarlo.kernels import generator
    except ImportError:
        return None
    return generator
