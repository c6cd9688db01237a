"""The models, sampled literally: Assumption 1's Gaussian random walk, and a single Gaussian vector."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from montecarlo.cases import STARTS
from montecarlo.draws import draw_normals

if TYPE_CHECKING:
    from montecarlo.kernels.forms import Form

#: Normals in a block: enough that drawing them outweighs the interpreter, few enough to stay near the core's cache.
BLOCK_NORMALS = 1 << 18
MOST_WALKS = 1 << 13
FEWEST_WALKS = 1 << 8
#: No block holds more normals than this (16 MiB), however long the walk: memory stays bounded.
MOST_NORMALS = 1 << 22
#: Most scores of blocks that are drawn at once (2 MiB): enough that the interpreter takes less time than the kernel.
MOST_SCORES = 1 << 18
#: The same of tier ``joint`` on a GPU (32 MiB), where a launch has to be worth its while.
MOST_SCORES_ON_GPU = 1 << 22
#: Entries worked on at once in float64: 512 KiB, which are still near the core when they are read again.
SLAB = 1 << 16
#: Most steps that are added up by one product, and most numbers of them: a sum's last digit depends on it.
ADDED, ADDED_NUMBERS = 8, 1 << 17
#: Normals that are drawn at once, 512 KiB: they are still near the core when they are added up.
PIECE = 1 << 17
#: Entries between rows beyond their length: power-of-two strides would fall on one cache set.
PAD = 8

F = TypeVar("F")

#: How walks are sampled: as the model says; the same, never stored; by the joint law of the scores given the end.
TIERS = ("literal", "fused", "joint")


class NotSampledError(ValueError):
    """A simulation reads what walks of its tier don't have; the message names it and the mend."""


def block_walks(T: int, d: int) -> int:
    """Walks in a block: a power of two that depends on the shape (T, d) of a walk alone."""
    walks = MOST_WALKS
    while walks > FEWEST_WALKS and walks * T * d > BLOCK_NORMALS:
        walks //= 2
    while walks > 2 and walks * T * d > MOST_NORMALS:
        walks //= 2
    return walks


def blocks_together(T: int, d: int, tier: str, on_gpu: bool = False) -> int:
    """Blocks that are drawn at once: a power of two that (T, d), the tier and the kind of device determine."""
    walks = block_walks(T, d)
    if on_gpu and tier == "joint":
        return 1 << max(0, (MOST_SCORES_ON_GPU // (walks * T)).bit_length() - 1)
    normals = walks * (T + d if tier == "joint" else T * d)
    blocks = 1
    while tier != "literal" and 2 * blocks * walks * T <= MOST_SCORES and 2 * blocks * normals <= MOST_NORMALS:
        blocks *= 2
    return blocks


def covariance_root(Sigma: Tensor) -> Tensor:
    """The symmetric R, (d, d) float64, with R R = Sigma; eigenvalues below 8 d roundoffs of the largest count as 0."""
    values, vectors = torch.linalg.eigh(Sigma.double())
    floor = 8 * len(Sigma) * torch.finfo(torch.float64).eps * values.abs().max()
    kept: Tensor = torch.where(values > floor, values, torch.zeros_like(values))
    root: Tensor = (vectors * kept.sqrt()) @ vectors.T
    return root


def draw_steps(out: Tensor, generator: torch.Generator) -> Tensor:
    """Fill (T, d, n) with the normals of ``draw_normals`` and return their sum over T, (d, n) float64.

    On a CPU a few tokens at a time, so that they are still in the core's cache when they are added up.
    """
    T, d, n = out.shape
    total = _Sum(out)
    rows = T if out.is_cuda else total.rows * max(1, PIECE // (total.rows * d * n))
    for first in range(0, T, rows):
        total.add(draw_normals(out[first : first + rows], generator))
    return total.end


class _Sum:
    """The sum of steps (T, d, n) over T, (d, n) float64: ``end``, to which they are added in whatever pieces.

    Every piece but the last is a multiple of ``rows`` steps, so that the sum is the same to the last bit.
    """

    def __init__(self, steps: Tensor) -> None:
        T, d, n = steps.shape
        self.rows = max(1, min(T, ADDED, ADDED_NUMBERS // (d * n)))
        self.end = steps.new_zeros(d, n, dtype=torch.float64)
        if not steps.is_cuda:
            self._flat = self.end.view(-1)
            # one for all pieces, as new memory is not near the core
            self._slab = self.end.new_empty(self.rows, d * n)
            self._ones = self.end.new_ones(self.rows)

    def add(self, steps: Tensor) -> None:
        """Add (k, d, n) steps: torch's own sum into another type reads memory across its rows."""
        if steps.is_cuda:
            # there the conversion is part of the addition
            for z in steps:
                self.end += z
            return
        rows = steps.reshape(len(steps), -1)
        for first in range(0, len(rows), self.rows):
            some = rows[first : first + self.rows]
            k = len(some)
            # one product for several steps, as each addition reads the end and writes it
            self._flat.addmv_(self._slab[:k].copy_(some).T, self._ones[:k])


class Folded:
    """R W R for the matrices W of a case, each made once: with R = ``root``, (d, d) float64."""

    def __init__(self, root: Tensor) -> None:
        self.root = root
        self._kept: list[tuple[Tensor, Tensor]] = []

    def find(self, W: Tensor) -> Tensor:
        """R W R, of the last matrix at once."""
        for known, found in self._kept:
            if torch.equal(known, W):
                return found
        found = self.root @ W @ self.root
        # a list that others read is not changed
        self._kept = [*self._kept[-3:], (W.clone(), found)]
        return found


def form(x: Tensor, W: Tensor, y: Tensor) -> Tensor:
    """x^T W y, walk by walk: (n, d), (d, d), (n, d) -> (n,)."""
    # Walks are innermost in memory, so the sum over d runs along them.
    return ((W.T @ x.T) * y.T).sum(0)


class Walks:
    """n walks of T tokens: x_1 ~ N(0, Sigma) or x_1 = 0 (start ``zero``), x_{t+1} ~ N(x_t, Sigma).

    Made of standard normals z, (T, d, n), and ``root`` R, (d, d) float64, with R R = Sigma:
    x_t = R (z_1 + ... + z_t), with z_1 = 0 for the start at 0. All that comes out is float64. The normals are taken
    over, not copied: the start at 0 overwrites the first. ``end`` is their sum over T as drawn and ``folded`` keeps
    R W R, where whoever made them has these.
    """

    def __init__(
        self,
        normals: Tensor,
        root: Tensor,
        start: str = "sigma",
        *,
        end: Tensor | None = None,
        folded: Folded | None = None,
    ) -> None:
        if start not in STARTS:
            raise ValueError(f"start = {start!r}; expected one of {', '.join(STARTS)}")
        self.T, self.d, self.n = normals.shape
        self.root = root
        self.normals = normals
        self._drawn_end = end
        self._folded = Folded(root) if folded is None else folded
        if start == "zero":
            self.normals[0] = 0
            # which was the sum with the first
            self._drawn_end = None

    def _slabs(self) -> Iterator[tuple[slice, Tensor]]:
        """The normals in float64, a few tokens at a time; what is handed out is overwritten by the next."""
        rows = min(max(1, SLAB // (self.d * self.n)), self.T)
        slab = self.root.new_empty(rows, self.d, self.n)
        for first in range(0, self.T, rows):
            part = slice(first, min(first + rows, self.T))
            yield part, slab[: part.stop - first].copy_(self.normals[part])

    @cached_property
    def tokens(self) -> Tensor:
        """All tokens, (n, T, d): the cumulated steps R z_t, a token after the other."""
        x = self.root.new_empty(self.T, self.d, self.n + PAD)[:, :, : self.n]
        for part, z in self._slabs():
            torch.matmul(self.root, z, out=x[part])
        return x.cumsum_(0).permute(2, 0, 1)

    @cached_property
    def _end(self) -> Tensor:
        """z_1 + ... + z_T, (d, n)."""
        if self._drawn_end is not None:
            return self._drawn_end
        total = _Sum(self.normals)
        total.add(self.normals)
        return total.end

    def token(self, i: int) -> Tensor:
        """x_i, (n, d), for 1 <= i <= T, without the other tokens."""
        if not 1 <= i <= self.T:
            raise ValueError(f"i = {i}; expected 1 <= i <= T = {self.T}")
        z = self._end if i == self.T else self.normals[:i].sum(0, dtype=torch.float64)
        return (self.root @ z).T

    @property
    def last(self) -> Tensor:
        """x_T, (n, d)."""
        return self.token(self.T)

    def scores(self, W: Tensor) -> Tensor:
        """The scores x_a^T W x_T of all tokens a, (n, T), for W (d, d).

        x_a^T W x_T = sum of z_t^T (R W x_T) over t <= a: one projection a walk, and no (d, d) product a token.
        """
        query = self._folded.find(W) @ self._end
        steps = self.root.new_empty(self.T, self.n + PAD)[:, : self.n]
        for part, z in self._slabs():
            torch.sum(z.mul_(query), 1, out=steps[part])
        return steps.cumsum_(0).T


class Forms:
    """The matrices W of a case as the kernels read them, each made once, whichever thread asks first."""

    def __init__(self, root: Tensor) -> None:
        self.root = root.numpy()
        self._kept: list[tuple[NDArray[np.float64], Form | None, Form]] = []
        self._lock = threading.Lock()

    def find(self, W: Tensor, first: Form | None = None) -> Form:
        """W in coordinates of its own choice, or in those of the form ``first``; equal matrices have one form."""
        matrix = W.numpy()
        # most often the only one: looked for without the lock, in a list that is replaced and never changed
        return self._known(matrix, first) or self._made(matrix, first)

    def _known(self, matrix: NDArray[Any], first: Form | None) -> Form | None:
        for known, coordinates, found in self._kept:
            if coordinates is first and np.array_equal(known, matrix):
                return found
        return None

    def _made(self, matrix: NDArray[Any], first: Form | None) -> Form:
        from montecarlo.kernels.forms import form

        with self._lock:
            found = self._known(matrix, first)
            if found is None:
                # a copy, as whoever asks may go on to change it
                kept = matrix.astype(np.float64)
                found = form(self.root.T @ kept @ self.root, None if first is None else first.basis)
                self._kept = [*self._kept, (kept, first, found)]
            return found


class DrawnScores:
    """Walks of T tokens of which only the scores exist: tier ``fused`` or ``joint``, on the CPU, float64.

    There are n of block ``block``, then n of the next and so on, of ``blocks`` blocks. They are named by a stream's
    64-bit ``key``, the block's number and their place in the block, and depend on nothing else.
    """

    def __init__(
        self, tier: str, forms: Forms, key: int, block: int, n: int, T: int, start: str = "sigma", blocks: int = 1
    ) -> None:
        if tier not in TIERS[1:]:
            raise ValueError(f"tier = {tier!r}; expected one of {', '.join(TIERS[1:])}")
        if start not in STARTS:
            raise ValueError(f"start = {start!r}; expected one of {', '.join(STARTS)}")
        self.tier, self.forms, self.key, self.block, self.blocks = tier, forms, key, block, blocks
        self.n, self.T, self.d, self.start = n * blocks, T, len(forms.root), start
        self._first: Any = None

    def scores(self, W: Tensor) -> Tensor:
        """The scores x_a^T W x_T of all tokens a, (n, T), for W (d, d), of the same walks whenever it is called.

        Each call draws them anew, and whoever asks may work in them. Raises NotSampledError for a second W in tier
        ``joint``, which draws the law of the scores under one W.
        """
        from montecarlo.kernels import fused, joint

        form = self.forms.find(W)
        first = self.of_one_matrix(form)
        if form is not first:
            form = self.forms.find(W, first)
        steps = self.T if self.start == "sigma" else self.T - 1
        kernel = fused.scores if self.tier == "fused" else joint.scores
        drawn = torch.from_numpy(kernel(form, self.key, self.block, self.n // self.blocks, steps, self.blocks))
        if steps < self.T:
            drawn = torch.cat((drawn.new_zeros(1, self.n), drawn))
        return drawn.T

    def of_one_matrix(self, form: F) -> F:
        """The form that was asked for first; NotSampledError where this is another and the tier has but one."""
        if self._first is None:
            self._first = form
        elif form is not self._first and self.tier == "joint":
            raise NotSampledError("walk.scores was called with two matrices, tier joint has one; use tier fused")
        first: F = self._first
        return first

    def __getattr__(self, name: str) -> Any:
        """Raises NotSampledError for what only walks of tier literal have."""
        if name in ("tokens", "token", "last", "normals", "root"):
            raise NotSampledError(
                f"walk.{name} does not exist in tier {self.tier}, which draws scores; use tier literal"
            )
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")
