"""Arrays of independent numbers, float64 on the device of their generator."""

from __future__ import annotations

import torch
from torch import Tensor


def normals(generator: torch.Generator, *shape: int) -> Tensor:
    """Independent N(0, 1) of that shape."""
    return torch.randn(shape, generator=generator, device=generator.device, dtype=torch.float64)


def uniforms(generator: torch.Generator, *shape: int) -> Tensor:
    """Independent numbers, uniform on [0, 1), of that shape."""
    return torch.rand(shape, generator=generator, device=generator.device, dtype=torch.float64)
