"""Tier c on a GPU: the scores of all tokens from their joint law given the end of the walk, d + N - 1 normals a walk.

For a walk of N steps (N = T, or T - 1 from x_1 = 0) ``joint`` derives, with M = R W R and v ~ N(0, I_d),

    x_a^T W x_T = a v^T M v + sqrt(N) |M v| X_a,    X_{a+1} = k_a X_a + sqrt(k_a) g_{a+1},    k_a = 1 - 1 / (N - a),

so that all that is wanted of v are two numbers, v^T M v and |M v|. Their law is the same for Q v in the place of v, Q
orthogonal. With the Q that diagonalises (M + M^T)/2 the first is a sum of squares, weighted with its eigenvalues; the
second is |U v| for the upper triangle U of M Q = O U, as the orthogonal O does not change a length. Where M is
symmetric, U may be that diagonal matrix, and nothing is multiplied but v itself. Else U v is taken by the tensor cores,
panel by panel of the triangle, without a number of v leaving the chip: v is drawn in registers, which hold the sums of
at most 128 rows of U v too. Of more rows v is drawn anew for each 128.

Precision. Tensor cores multiply float16 exactly and add in float32. U is split in two, U1 + U2, each entry right to
2^-22 of itself or 2^-36 of the largest; v likewise, to 2^-22 of itself or 2^-25. U1 v1 + U2 v1 + U1 v2 leaves out U2 v2
alone: with absolute values, each entry of U v is right to SPLIT_ERROR |U| (|v| + 1/32), or 2^-36 of the largest of U
times the sum of |v|, but for the rounding of float32. ``approximate`` leaves out U1 v2 too: |U v| is then that of v
rounded to 11 bits, with v^T M v still that of v. That moves an entry of U v by up to 2^-11 |U| |v|, but the mean square
of |U v| by ROUNDED_BIAS of itself only. It also takes the approximate instructions of tier b. What Triton's interpreter
does not show is the order and the rounding of the tensor cores' additions, and those instructions.

The bits are tier b's Philox with the counter (place, walk, block, 1) where tier b has 0: the fours of coordinates of v
are the first places, fours of tokens the next. A block's numbers depend on (key, block, walk, the case) alone.

As this is itself a computation with the Gaussian law, it is no independent evidence for a formula of moments.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from montecarlo.kernels import gpu
from montecarlo.kernels.forms import symmetric
from montecarlo.kernels.gpu import GpuError

#: Bound of what the split in halves moves an entry of U v by, relative to |U| (|v| + 1/32).
SPLIT_ERROR = 2.0**-20
#: Bound of |E f^2 - 1| for a standard normal that is rounded to a float16 f.
ROUNDED_BIAS = 2.0**-24
#: Rows of U v that a program holds at a time, and the fewest that tensor cores take.
MOST_ROWS, FEWEST_ROWS = 128, 16
#: Fours of coordinates in hand at a time, with products of matrices and without.
QUADS, DIAGONAL_QUADS = 4, 8
#: U's largest entry is scaled to 2^11 or more, below 2^12: float16 ends at 2^16, and its last digit is 2^-24.
UNIT = 11
#: Powers of two that R W R may be as large or small as: scores are float32.
MOST_EXPONENT = 100
#: Walks of a program, warps of a program; walks of a launch.
LANES, WARPS, PIECE = 128, 4, 1 << 21
#: Walks and dimensions that the programs count, in 31 bits.
MOST_WALKS, MOST_DIMENSION = (1 << 31) - (1 << 22), 1 << 15


@dataclass(frozen=True)
class Shape:
    """Coordinates with those that pad them, rows of U v at a time, and fours of coordinates at a time."""

    padded: int
    rows: int
    quads: int


def shape(d: int, dense: bool) -> Shape:
    """How d coordinates are dealt out."""
    rows = FEWEST_ROWS
    while rows < min(d, MOST_ROWS):
        rows *= 2
    return Shape(-(-d // rows) * rows, rows, min(rows // 4, QUADS if dense else DIAGONAL_QUADS))


def forms(M: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64] | None]:
    """(w, U) with (v^T M v, |M v|) = (sum of w_i v_i^2, |U v|) in law for v ~ N(0, I); None for U = diag(w).

    w is (d,), U (d, d) upper triangular, for M (d, d).
    """
    weights, Q = np.linalg.eigh((M + M.T) / 2)
    return weights, None if symmetric(M) else np.linalg.qr(M @ Q).R


def halves(U: NDArray[np.float64]) -> tuple[NDArray[np.float16], NDArray[np.float16]]:
    """U as a sum of two float16."""
    high = U.astype(np.float16)
    return high, (U - high).astype(np.float16)


def bridge(N: int) -> Tensor:
    """k_a and sqrt(k_a) for a = 0, ..., N - 1, (N, 2) float32, filled up with zeros to a multiple of 4 rows."""
    found = torch.zeros((-(-N // 4) * 4, 2), dtype=torch.float32)
    keep = 1 - 1 / torch.arange(N, 0, -1, dtype=torch.float64)
    found[:N] = torch.stack((keep, keep.sqrt()), 1)
    return found


def units(N: int, exponent: int, spread: int) -> tuple[float, float]:
    """What makes scores of the sum of w_i v_i^2 and of |U v|, in their units of 2^exponent and 2^spread."""
    return math.ldexp(1, exponent), math.ldexp(math.sqrt(N), spread)


def _exponent(values: NDArray[np.float64]) -> int:
    """The e with 2^(e-1) <= the largest |value| < 2^e, 0 for zeros."""
    return math.frexp(float(np.abs(values).max()))[1]


@dataclass(frozen=True)
class Ready:
    """A case on its device: the weights of v_i^2, (padded,) float32 in the unit 2^exponent, and the bridge's k_a.

    ``triangle`` is U transposed, two halves (padded, padded) float16, in the unit 2^spread; None for diag(weights).
    """

    T: int
    N: int
    shape: Shape
    weights: Tensor
    bridge: Tensor
    triangle: tuple[Tensor, Tensor] | None
    exponent: int
    spread: int

    @property
    def device(self) -> torch.device:
        """Where it is drawn."""
        return self.weights.device

    def draw(
        self,
        *,
        key: int,
        block: int,
        walks: int,
        blocks: int = 1,
        approximate: bool = False,
        piece: int | None = None,
    ) -> Tensor:
        """The scores of the walks of blocks block, block + 1, ..., (blocks walks, T) float32, block after block.

        Raises GpuError where there is no memory for a piece of walks.
        """
        for name, value in (("walks", walks), ("blocks", blocks)):
            if not isinstance(value, int) or value < 1:
                raise GpuError(f"{name} = {value!r}; expected an integer >= 1")
        if walks * blocks > MOST_WALKS:
            raise GpuError(f"walks = {walks} in {blocks} blocks; expected {MOST_WALKS} or fewer at once")
        lanes, most = LANES, piece or PIECE
        if self.device.type == "cpu":
            lanes, most = gpu.INTERPRETED, piece or gpu.INTERPRETED
            while lanes >= 2 * walks * blocks and lanes > 16:
                lanes //= 2
        # filled up to whole programs and to whole fours of tokens, so that no program asks where it may store
        total, still = -(-walks * blocks // lanes) * lanes, self.T - self.N
        out = torch.empty((still + len(self.bridge), total), dtype=torch.float32, device=self.device)
        out[:still] = 0
        size = max(1, most // lanes) * lanes
        done = 0
        while self.N and done < total:
            width = min(size, total - done)
            try:
                self._piece(out[still:], key, block, walks, done, width, lanes, approximate)
            except torch.cuda.OutOfMemoryError:
                if width <= lanes:
                    raise GpuError(f"no memory on {self.device} for {lanes} walks of T = {self.T}") from None
                size = max(lanes, width // 2 // lanes * lanes)
                print(f"{self.device}: out of memory; going on with pieces of {size} walks", file=sys.stderr)
                torch.cuda.empty_cache()
                continue
            done += width
        return out[: self.T, : walks * blocks].T

    def _piece(
        self, out: Tensor, key: int, block: int, walks: int, first: int, width: int, lanes: int, approximate: bool
    ) -> None:
        """Store the scores of walks first, ..., first + width - 1 in their columns of ``out``."""
        from montecarlo.kernels import gpu_joint_code

        given = {"key0": gpu.signed(key), "key1": gpu.signed(key >> 32), "block": gpu.signed(block), "walks": walks}
        given |= {"first": first, "width": width, "ROUNDS": gpu.ROUNDS, "N": lanes, "APPROXIMATE": approximate}
        if self.device.type != "cpu":
            given["num_warps"] = WARPS
        ends = torch.empty((2, width), dtype=torch.float32, device=self.device)
        high, low = self.triangle or (self.weights, self.weights)
        gpu_joint_code.ends_program[(width // lanes,)](
            *(ends, high, low, self.weights),
            *units(self.N, self.exponent, self.spread),
            padded=self.shape.padded,
            QUADS=self.shape.quads,
            D=self.shape.rows,
            PRODUCTS=0 if self.triangle is None else 2 if approximate else 3,
            **given,
        )
        gpu_joint_code.tokens_program[(width // lanes,)](
            *(out, ends, self.bridge),
            total=out.shape[1],
            zero=0,
            place=self.shape.padded // 4,
            padded=len(self.bridge),
            **given,
        )


def ready(T: int, d: int, root: Tensor, W: Tensor, start: str, device: str | torch.device = "cuda") -> Ready:
    """A case made ready on a device, for root and W (d, d); raises GpuError."""
    gpu.checked(T, d, root, W, start)
    if d > MOST_DIMENSION:
        raise GpuError(f"d = {d}; expected {MOST_DIMENSION} or fewer dimensions in tier joint")
    place = torch.device(device)
    if place.type != "cpu" and (why := gpu.missing()) is not None:
        raise GpuError(f"device = {str(device)!r}: {why}")
    weights, U = forms((root.double() @ W.double() @ root.double()).cpu().numpy())
    dealt = shape(d, U is not None)
    exponent = spread = _exponent(weights) if U is None else max(_exponent(weights), _exponent(U))
    if abs(exponent) > MOST_EXPONENT:
        raise GpuError(f"R W R has entries of about 2^{exponent}; expected a W in a unit that float32 holds")
    filled = torch.zeros(dealt.padded, dtype=torch.float32)
    filled[:d] = torch.from_numpy(np.ldexp(weights, -exponent))
    triangle = None
    if U is not None:
        spread = _exponent(U) - UNIT - 1
        square = np.zeros((dealt.padded, dealt.padded))
        # transposed, as a program's tile has the walks in its rows
        square[:d, :d] = np.ldexp(U, -spread).T
        high, low = halves(square)
        triangle = torch.from_numpy(high).to(place), torch.from_numpy(low).to(place)
    N = T - (start == "zero")
    return Ready(T, N, dealt, filled.to(place), bridge(N).to(place), triangle, exponent, spread)
