"""What tests of the GPU's tiers and of generators share: the interpreter, bits by their definition, cases, walks."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch import Tensor

from montecarlo.kernels import gpu
from montecarlo.walks import Walks, covariance_root

Array = NDArray[Any]
#: T, d, a root of Sigma, W, the start.
Case = tuple[int, int, Tensor, Tensor, str]

PROGRAMS = ("gpu_code", "gpu_joint_code")


@contextmanager
def interpreter() -> Iterator[None]:
    """The programs, for the interpreter, whatever this process imported before; put back afterwards."""
    package = importlib.import_module("montecarlo.kernels")
    names = [f"{package.__name__}.{name}" for name in PROGRAMS]
    held = {name: sys.modules.pop(name, None) for name in names}
    told = os.environ.get("TRITON_INTERPRET")
    os.environ["TRITON_INTERPRET"] = "1"
    try:
        for name in names:
            importlib.import_module(name)
        yield
    finally:
        if told is None:
            del os.environ["TRITON_INTERPRET"]
        for short, name in zip(PROGRAMS, names, strict=True):
            sys.modules.pop(name, None)
            delattr(package, short)
            if (module := held[name]) is not None:
                sys.modules[name] = module
                setattr(package, short, module)


def philox(counter: list[Any], key: list[int], bits: int, rounds: int = 10) -> list[Any]:
    """Philox 4 x bits from its definition, in Python's integers; Salmon et al., 2011."""
    M, W = {
        32: ((0xD2511F53, 0xCD9E8D57), (0x9E3779B9, 0xBB67AE85)),
        64: ((0xD2E7470EE14C6C93, 0xCA5A826395121157), (0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B)),
    }[bits]
    low = (1 << bits) - 1
    c, k = list(counter), list(key)
    for _ in range(rounds):
        first, second = c[0] * M[0], c[2] * M[1]
        c = [(second >> bits) ^ c[1] ^ k[0], second & low, (first >> bits) ^ c[3] ^ k[1], first & low]
        k = [(k[0] + W[0]) & low, (k[1] + W[1]) & low]
    return c


def exact_pair(radius: Array, angle: Array) -> tuple[Array, Array]:
    """Box and Muller's normals of the words, float64."""
    r = np.sqrt(-2 * np.log((radius.astype(np.float64) + 0.5) / 2**32))
    turn = angle.view(np.int32).astype(np.float64) * (2 * np.pi / 2**32)
    return r * np.sin(turn), r * np.cos(turn)


def case(T: int, d: int, start: str = "sigma", singular: bool = False) -> Case:
    """A non-symmetric W with a trace to see, and an anisotropic Sigma's root."""
    generator = torch.Generator().manual_seed(100 * T + d)
    W = torch.randn(d, d, generator=generator, dtype=torch.float64) + torch.eye(d, dtype=torch.float64)
    B = torch.randn(d, d, generator=generator, dtype=torch.float64) / d**0.5
    values = torch.logspace(0, -1, d, dtype=torch.float64)
    if singular:
        values[-1] = 0
    return T, d, covariance_root(B @ torch.diag(values) @ B.T), W / d, start


def literal(given: Case, walks: int) -> Tensor:
    T, d, root, W, start = given
    z = torch.randn(T, d, walks, generator=torch.Generator().manual_seed(7), dtype=torch.float32)
    return Walks(z, root, start).scores(W)


class OutOfMemory:
    """A program that finds no memory for more than ``most`` walks."""

    def __init__(self, program: Any, most: int) -> None:
        self.program, self.most = program, most

    def __getitem__(self, grid: Any) -> Callable[..., None]:
        def run(*given: Any, width: int, **further: Any) -> None:
            if width > self.most:
                raise torch.cuda.OutOfMemoryError("no memory")
            self.program[grid](*given, width=width, **further)

        return run


def pieces_are_halved(
    draw: Callable[..., Tensor], code: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """``draw`` goes on with smaller pieces where there is no memory, says so, and gives up where none is left."""
    given = case(3, 2)
    whole = draw(given, 40, piece=16)
    monkeypatch.setattr(gpu, "INTERPRETED", 16)
    monkeypatch.setattr(code, "ends_program", OutOfMemory(code.ends_program, 16))
    assert torch.allclose(draw(given, 40, piece=48), whole, rtol=1e-5, atol=1e-6)
    assert "out of memory; going on with pieces of 16 walks" in capsys.readouterr().err
    monkeypatch.setattr(code, "ends_program", OutOfMemory(code.ends_program, 0))
    with pytest.raises(gpu.GpuError, match="no memory on cpu for 16 walks"):
        draw(given, 40, piece=48)
