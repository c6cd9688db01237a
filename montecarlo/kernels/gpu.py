"""Tier b on a GPU: walks drawn, projected and reduced in registers, never stored.

With u_t = z_1 + ... + z_t and R R = Sigma the tokens are x_t = R u_t, and the scores are x_t^T W x_T = u_t^T q with
q = R W R u_T. The query q needs the end of the walk before its first step is worth anything. A GPU's limit here is
how many instructions it can issue, some twenty a normal, so nothing may be drawn twice: the walk is drawn backward.
Given u_t, u_{t-1} is normal with mean (v_{t-1}/v_t) u_t and covariance (v_{t-1}/v_t) I, where v_t I is the covariance
of u_t (v_t = t, or t - 1 for the start at 0). For b_t = u_t / v_t that reads

    b_{t-1} = b_t + e_t / sqrt(v_{t-1} v_t),   e_t standard normal in d dimensions,

so the scores v_t b_t^T q come of one fused multiply-add a normal, e_t^T q, and no state but one number a walk. The T d
normals of a walk are all drawn: v_T first, which makes the ends and by one product of matrices the queries, then the
steps back. Where v_{t-1} = 0 (the start at 0) the score is 0.

The bits are Philox 4x32 of ten rounds with the counter (place, walk, block, 0), place counting fours of coordinates,
token after token. So a block's numbers depend on (key, block, walks, the case) alone, however they are cut into
pieces, but for the last bits of the product of matrices. They are other numbers than the CPU's, of the same law.

Triton is optional: ``missing`` says why a GPU can't be used. Where TRITON_INTERPRET=1 stood in the environment when
Triton was first imported, the same programs run on the CPU, slowly. ``approximate`` draws with the GPU's approximate
instructions for logarithm, root, sine and cosine: their normals differ from the others by APPROXIMATE_RMS in the root
mean square at most, so that second moments of normals are off by 2 APPROXIMATE_RMS + APPROXIMATE_RMS^2 at most.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from torch import Tensor

from montecarlo.cases import STARTS

ROUNDS = 10
#: Bound of the root mean square of what the approximate instructions move a normal by; tested on a GPU.
APPROXIMATE_RMS = 2.0**-18

#: Fours of coordinates that a thread holds, walks of a program, warps of a program.
QUADS, LANES, WARPS = 8, 128, 4
#: Walks of a piece; its ends and queries are two arrays of d float32 a walk.
PIECE = 1 << 17
#: Walks of a program and of a piece in the interpreter, where a program's operations are numpy's.
INTERPRETED = 1 << 12


class GpuError(RuntimeError):
    """Nothing can be drawn on a GPU here or as asked; the message says why."""


@dataclass(frozen=True)
class Layout:
    """How coordinates are dealt out: ``quads`` fours in all, the last ones padded, ``at_once`` in hand at a time."""

    quads: int
    at_once: int


def layout(d: int) -> Layout:
    """The layout for d dimensions."""
    needed = -(-d // 4)
    at_once = 1
    while at_once < min(needed, QUADS):
        at_once *= 2
    return Layout(-(-needed // at_once) * at_once, at_once)


def largest_piece(T: int, dealt: Layout) -> int:
    """Most walks of a piece: the programs count the numbers of its arrays, T or 4 quads a walk, in 31 bits."""
    return ((1 << 31) - 1) // max(T, 4 * dealt.quads)


def missing() -> str | None:
    """Why no GPU can be used here; None where one can."""
    if importlib.util.find_spec("triton") is None:
        return "Triton is not installed; pip install -c constraints.txt -e '.[gpu]'"
    if not torch.cuda.is_available():
        return "torch finds no CUDA device here"
    return None


def levels(T: int, start: str) -> tuple[Tensor, Tensor]:
    """v_t and 1/sqrt(v_{t-1} v_t), each (T + 1,) float64 at t; at 0 of the second, 1/v_T. What has no value is 0."""
    v = torch.arange(T + 1, dtype=torch.float64) - (1 if start == "zero" else 0)
    v = v.clamp_min(0)
    step = torch.zeros(T + 1, dtype=torch.float64)
    inside = v[:-1] * v[1:]
    step[1:] = torch.where(inside > 0, inside.rsqrt(), torch.zeros_like(inside))
    step[0] = 1 / v[T] if v[T] > 0 else 0
    return v, step


@contextmanager
def _full_precision() -> Iterator[None]:
    """Products of float32 matrices in float32, whatever the process has set."""
    saved = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("highest")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(saved)


def checked(T: int, d: int, root: Tensor, W: Tensor, start: str) -> None:
    """GpuError where a case is none; root and W are to be (d, d)."""
    for name, value in (("T", T), ("d", d)):
        if not isinstance(value, int) or value < 1:
            raise GpuError(f"{name} = {value!r}; expected an integer >= 1")
    if start not in STARTS:
        raise GpuError(f"start = {start!r}; expected one of {', '.join(STARTS)}")
    for name, matrix in (("root", root), ("W", W)):
        if tuple(matrix.shape) != (d, d):
            raise GpuError(f"{name} has shape {tuple(matrix.shape)}; expected ({d}, {d})")
        if not torch.isfinite(matrix).all():
            raise GpuError(f"{name} holds NaN or inf; expected finite numbers")
    if T * layout(d).quads >= 1 << 32:
        raise GpuError(f"T d = {T * d}; expected fewer than 2**34 normals a walk")
    if largest_piece(T, layout(d)) < LANES:
        raise GpuError(f"T = {T}, d = {d}; expected fewer than {(1 << 31) // LANES} tokens and dimensions")


def signed(word: int) -> int:
    """The int32 of a word's low 32 bits: Triton takes a number of 32 bits as signed."""
    word &= 0xFFFFFFFF
    return word - (1 << 32) if word >= 1 << 31 else word


@dataclass(frozen=True)
class Ready:
    """A case on its device: v_t and 1/sqrt(v_{t-1} v_t) (T + 1,) float64, and R W R padded, (4 quads, 4 quads)."""

    T: int
    layout: Layout
    level: Tensor
    step: Tensor
    middle: Tensor
    end: float

    @property
    def device(self) -> torch.device:
        """Where it is drawn."""
        return self.middle.device

    def draw(self, *, key: int, block: int, walks: int, approximate: bool = False, piece: int | None = None) -> Tensor:
        """The scores of a block's walks, as ``scores`` gives them; raises GpuError where there is no memory."""
        if not isinstance(walks, int) or walks < 1:
            raise GpuError(f"walks = {walks!r}; expected an integer >= 1")
        interpreted = self.device.type == "cpu"
        lanes = INTERPRETED if interpreted else LANES
        while interpreted and lanes >= 2 * walks and lanes > 16:
            lanes //= 2
        size = min(piece or (INTERPRETED if interpreted else PIECE), largest_piece(self.T, self.layout))
        size = min(-(-walks // lanes), max(1, size // lanes)) * lanes
        found = torch.empty((self.T, walks), dtype=torch.float32, device=self.device)
        done = 0
        while done < walks:
            width = min(size, -(-(walks - done) // lanes) * lanes)
            try:
                out = self._piece(key, block, done, width, lanes, approximate)
            except torch.cuda.OutOfMemoryError:
                if size <= lanes:
                    raise GpuError(f"no memory on {self.device} for {lanes} walks of T = {self.T}") from None
                size = max(lanes, size // 2 // lanes * lanes)
                print(f"{self.device}: out of memory; going on with pieces of {size} walks", file=sys.stderr)
                torch.cuda.empty_cache()
                continue
            found[:, done : done + width] = out[:, : walks - done]
            done += width
        return found.T

    def _piece(self, key: int, block: int, first: int, width: int, lanes: int, approximate: bool) -> Tensor:
        """The scores of walks first, ..., first + width - 1, (T, width)."""
        from montecarlo.kernels import gpu_code

        quads, at_once = self.layout.quads, self.layout.at_once
        given = {"key0": signed(key), "key1": signed(key >> 32), "block": signed(block), "first": first}
        given |= {"width": width, "ROUNDS": ROUNDS, "QUADS": at_once, "N": lanes, "APPROXIMATE": approximate}
        if self.device.type != "cpu":
            given["num_warps"] = WARPS
        ends = torch.empty((4 * quads, width), dtype=torch.float32, device=self.device)
        out = torch.empty((self.T, width), dtype=torch.float32, device=self.device)
        gpu_code.ends_program[(width // lanes, quads // at_once)](ends, self.end, **given)
        with _full_precision():
            queries = self.middle @ ends
        grid = (width // lanes,)
        gpu_code.scores_program[grid](
            out, ends, queries, self.level, self.step, apart=1, quads=quads, T=self.T, **given
        )
        return out


def ready(T: int, d: int, root: Tensor, W: Tensor, start: str, device: str | torch.device = "cuda") -> Ready:
    """A case made ready on a device, for root and W (d, d); raises GpuError."""
    checked(T, d, root, W, start)
    place = torch.device(device)
    if place.type != "cpu" and (why := missing()) is not None:
        raise GpuError(f"device = {str(device)!r}: {why}")
    dealt = layout(d)
    level, step = levels(T, start)
    middle = torch.zeros((4 * dealt.quads, 4 * dealt.quads), dtype=torch.float64)
    middle[:d, :d] = (root.double() @ W.double() @ root.double()).cpu()
    end = float(level[T]) ** 0.5
    return Ready(T, dealt, level.to(place), step.to(place), middle.float().to(place), end)
