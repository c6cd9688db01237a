"""Walks of which only the scores exist, drawn by the GPU's programs of tiers b and c: what the engine hands out."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from montecarlo.kernels import gpu, gpu_joint
from montecarlo.walks import DrawnScores, Forms

Case = gpu.Ready | gpu_joint.Ready


class FormsOnGpu(Forms):
    """The matrices W of a case as the programs on ``device`` read them, each made ready once, whoever asks first."""

    def __init__(self, root: Tensor, device: torch.device) -> None:
        super().__init__(root.cpu())
        self.device = device
        self._made_ready: list[tuple[NDArray[np.float64], tuple[str, int, str], Case]] = []

    def ready(self, W: Tensor, tier: str, T: int, start: str) -> Case:
        """W made ready for walks of T tokens in a tier; equal matrices are one. Raises GpuError."""
        # a copy, as whoever asks may go on to change it
        matrix, asked = W.cpu().double().numpy().copy(), (tier, T, start)
        with self._lock:
            for known, wanted, found in self._made_ready:
                if wanted == asked and np.array_equal(known, matrix):
                    return found
            make = gpu_joint.ready if tier == "joint" else gpu.ready
            made = make(T, len(matrix), torch.from_numpy(self.root), torch.from_numpy(matrix), start, self.device)
            self._made_ready.append((matrix, asked, made))
            return made


class ScoresOnGpu(DrawnScores):
    """Walks as ``DrawnScores`` has them, on the device of ``forms``: of the same law, with numbers of their own."""

    forms: FormsOnGpu

    def scores(self, W: Tensor) -> Tensor:
        """The scores x_a^T W x_T of all tokens a, (n, T) float64, for W (d, d), of the same walks whenever called.

        Raises NotSampledError for a second W in tier ``joint``, and GpuError.
        """
        case = self.forms.ready(W, self.tier, self.T, self.start)
        self.of_one_matrix(case)
        walks = self.n // self.blocks
        if isinstance(case, gpu_joint.Ready):
            drawn = case.draw(key=self.key, block=self.block, walks=walks, blocks=self.blocks)
        else:
            parts = [case.draw(key=self.key, block=self.block + k, walks=walks) for k in range(self.blocks)]
            drawn = torch.cat(parts)
        return drawn.double()
