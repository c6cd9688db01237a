"""Importance sampling of sums of exponentials: each term with its tokens moved to where it is large.

For normals z ~ N(0, I) and any vector c, E g(z) = E g(z + c) exp(-c^T z - |c|^2/2) (Cameron and Martin). The mean of
f(z) = sum_j a_j exp(b_j^T z) comes from z near the Re b_j, which plain samples hardly ever meet. So the j-th term is
taken at z + c_j, c_j along Re b_j and shorter by ``LEFT``: the number of a walk is

    sum_j a_j exp(b_j^T c_j - |c_j|^2/2) exp((b_j - c_j)^T z),

whose mean is that of f, for every c_j. It is again such a sum, so that its kurtosis is exact, too.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from montecarlo.statements.arrays import Array
from montecarlo.statements.waves import Terms, kurtosis_of_terms

#: The length of the real part of a slope that is left; shorter slopes stay as they are.
LEFT = 0.5
#: Values of a sum of exponentials and of what it was made from agree within this part of the largest term.
ROUNDING = 1e-9


@dataclass(frozen=True)
class Tilted:
    """Numbers of mean E f: ``slopes`` (J, normals) and the ``logarithms`` (J,) of the weights, both complex."""

    slopes: NDArray[np.complex128]
    logarithms: NDArray[np.complex128]

    def numbers(self, z: Array) -> Array:
        """Those of walks with the normals z, (normals, n) -> (n,)."""
        if isinstance(z, np.ndarray):
            # most are real, up to their signs
            real = ~self.slopes.imag.any(1)
            signs = np.exp(1j * self.logarithms.imag[real]).real
            found = signs @ np.exp(self.slopes.real[real] @ z + self.logarithms.real[real, None])
            if real.all():
                return found
            waves = np.exp(self.slopes[~real] @ z + self.logarithms[~real, None])
            return found + waves.sum(0).real
        import torch

        slopes, logarithms = (torch.as_tensor(one, device=z.device) for one in (self.slopes, self.logarithms))
        return torch.exp(slopes @ z.to(slopes.dtype) + logarithms[:, None]).sum(0).real

    def kurtosis(self) -> float:
        """That of the numbers; infinite where it is too dear."""
        return kurtosis_of_terms(_as_terms(self.slopes, self.logarithms), 1)


def tilted(terms: Terms) -> Tilted | None:
    """The numbers of a sum of exponentials, each taken where it is large; None where none is longer than ``LEFT``."""
    # what cancels has the weight 0, and no logarithm
    terms = {slope: weight for slope, weight in terms.items() if weight}
    if not terms:
        return None
    slopes = np.array(list(terms), dtype=np.complex128)
    logarithms = np.log(np.array(list(terms.values()), dtype=np.complex128))
    lengths = np.linalg.norm(slopes.real, axis=1)
    if lengths.max() <= LEFT:
        return None
    moved = slopes.real * (1 - LEFT / np.maximum(lengths, LEFT))[:, None]
    logarithms = logarithms + (slopes * moved).sum(1) - (moved * moved).sum(1) / 2
    return Tilted(slopes - moved, logarithms)


def same_at(terms: Terms, z: NDArray[np.float64], found: NDArray[np.float64]) -> bool:
    """Whether the sum has these values at normals z, (normals, n), up to rounding."""
    slopes = np.array(list(terms), dtype=np.complex128)
    with np.errstate(all="ignore"):
        each = np.array(list(terms.values()))[:, None] * np.exp(slopes @ z)
        return bool((abs(each.sum(0).real - found) <= ROUNDING * abs(each).max(0)).all())


def _as_terms(slopes: NDArray[np.complex128], logarithms: NDArray[np.complex128]) -> Terms:
    found: Terms = {}
    with np.errstate(over="raise"):
        weights = np.exp(logarithms)
    for key, weight in zip(map(tuple, slopes.tolist()), weights.tolist(), strict=True):
        found[key] = found.get(key, 0j) + weight
    return found
