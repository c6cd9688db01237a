"""Exact expectations for tests: a Gauss-Hermite product rule over all normals of a small model, and Isserlis' theorem.

The 3-point rule (nodes 0, +-sqrt 3) is exact to degree 5 in every normal, so a simulation's own function, fed with
all the nodes instead of draws, gives its expectation without any sampling error.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from montecarlo.walks import Walks, covariance_root

Array = NDArray[np.float64]

NODES = (-(3.0**0.5), 0.0, 3.0**0.5)
WEIGHTS = (1 / 6, 2 / 3, 1 / 6)


def product_rule(variables: int) -> tuple[Tensor, Tensor]:
    """Nodes (variables, n) and weights (n,) of the rule for independent standard normals, n = 3^variables."""
    grid = np.indices((3,) * variables).reshape(variables, -1)
    return torch.from_numpy(np.array(NODES)[grid]), torch.from_numpy(np.array(WEIGHTS)[grid].prod(0))


def all_walks(T: int, Sigma: Tensor, start: str = "sigma") -> tuple[Walks, Tensor]:
    """The rule's walks of T tokens, and their weights (n,)."""
    d = len(Sigma)
    nodes, weights = product_rule(T * d)
    return Walks(nodes.reshape(T, d, -1).clone(), covariance_root(Sigma), start), weights


def all_pairs_of_walks(T: int, Sigma: Tensor, start: str = "sigma") -> tuple[Walks, Tensor]:
    """Every ordered pair of the rule's walks as neighbours (2 n^2 walks), and the pairs' weights (n^2,)."""
    d = len(Sigma)
    nodes, weights = product_rule(T * d)
    n = len(weights)
    one, two = nodes.repeat_interleave(n, 1), nodes.repeat(1, n)
    pairs = torch.stack((one, two), 2).reshape(T, d, -1)
    return Walks(pairs, covariance_root(Sigma), start), weights.repeat_interleave(n) * weights.repeat(n)


def expectation(numbers: Tensor, weights: Tensor) -> float:
    return float(numbers @ weights)


@dataclass(frozen=True)
class Isserlis:
    """Moments of a Gaussian family x_1, ..., x_T in R^d, covariance K[s, t] Sigma and means mean[t], by pairings."""

    K: Array
    Sigma: Array
    mean: Array

    def second(self, s: int, t: int) -> Array:
        """E[x_s x_t^T], (d, d), indices from 0."""
        found: Array = self.K[s, t] * self.Sigma + np.outer(self.mean[s], self.mean[t])
        return found

    def fourth(self, r: int, s: int, t: int, u: int) -> Array:
        """E[x_r (x) x_s (x) x_t (x) x_u], (d, d, d, d): three products of second moments, less 2 m m m m."""
        a, b, c = (
            np.einsum("ab,cd->abcd", self.second(r, s), self.second(t, u)),
            np.einsum("ac,bd->abcd", self.second(r, t), self.second(s, u)),
            np.einsum("ad,bc->abcd", self.second(r, u), self.second(s, t)),
        )
        m = self.mean
        means = np.einsum("a,b,c,d->abcd", m[r], m[s], m[t], m[u])
        found: Array = a + b + c - 2 * means
        return found

    def form(self, W: Array, s: int, t: int) -> float:
        """E[x_s^T W x_t]."""
        return float((self.second(s, t) * W).sum())

    def forms(self, W: Array, r: int, s: int, t: int, u: int) -> float:
        """E[x_r^T W x_s x_t^T W x_u]."""
        return float(np.einsum("abcd,ab,cd->", self.fourth(r, s, t, u), W, W))


def walk_moments(T: int, Sigma: Tensor, start: str = "sigma") -> Isserlis:
    """The walk's: K(s, t) = min(s, t), or min(s, t) - 1 for the start at 0, for s, t = 1 ... T."""
    positions = np.arange(1.0, T + 1) - (start == "zero")
    return Isserlis(np.minimum.outer(positions, positions), Sigma.numpy(), np.zeros((T, len(Sigma))))
