"""What is measured on a model's tokens and heads: how their increments grow, and where attention goes."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from scipy import stats
from torch import Tensor


@dataclass(frozen=True)
class Interval:
    """A mean over windows, and Student's interval as if the windows were independent draws."""

    mean: float
    low: float
    high: float


def interval(values: Tensor, failure: float = 0.05) -> Interval:
    """The mean of (B,) values, one a window, B >= 2, with its interval of confidence 1 - failure."""
    count = values.shape[0]
    if values.ndim != 1 or count < 2:
        raise ValueError(f"values of shape {tuple(values.shape)}; expected one for each of two windows or more")
    mean = float(values.mean())
    half = float(stats.t.ppf(1 - failure / 2, count - 1)) * float(values.std()) / math.sqrt(count)
    return Interval(mean, mean - half, mean + half)


def growth(x: Tensor) -> Tensor:
    """The exponent a of mean_t |x_{t+k} - x_t|^2 ~ k^a, of every window: (B, T, d) -> (B,); T >= 17.

    Least squares of the logarithms over k = 1, 2, 4, ... <= (T - 1)/4. A random walk has a = 1, independent tokens 0.
    The first token is left out: where it is a sink its size is all that one would see.
    """
    x = x[:, 1:]
    T = x.shape[1]
    if T < 16:
        raise ValueError(f"T = {T + 1}; expected 17 tokens or more")
    lags = [2**power for power in range(int(math.log2(T // 4)) + 1)]
    sizes = torch.stack([(x[:, k:] - x[:, :-k]).square().sum(-1).mean(-1) for k in lags], dim=-1).log()
    places = torch.tensor(lags, dtype=x.dtype).log()
    places = places - places.mean()
    return sizes @ places / places.square().sum()


def growth_in_words(found: Interval) -> str:
    """What the interval of the exponent says of the tokens as a random walk."""
    if found.low <= 1 <= found.high:
        return "increments grow as a random walk's do"
    if found.low <= 0:
        return "not a random walk: increments do not grow"
    side = "slower" if found.high < 1 else "faster"
    return f"not a random walk: increments grow {side} than k"


@dataclass(frozen=True)
class Heads:
    """Of every window and head, (B, H), means over the queries i = 1 .. T - 1, the first one being number 0.

    entropy: of the attention over that of an even one, ln(i + 1), between 0 and 1; first: the share of the first
    token, for queries i >= 2; previous: that of the token before, for queries i >= 2; late: the mean place of what is
    attended to, key j of query i at (j + 1/2)/(i + 1), which is 1/2 for an even attention.
    """

    entropy: Tensor
    first: Tensor
    previous: Tensor
    late: Tensor


def heads(probabilities: Tensor) -> Heads:
    """What the heads attend to: (B, H, T, T), query by key, T >= 3."""
    T = probabilities.shape[-1]
    if T < 3:
        raise ValueError(f"T = {T}; expected 3 tokens or more")
    entropy = torch.special.entr(probabilities).sum(-1)[..., 1:]
    counts = torch.arange(1, T + 1, dtype=probabilities.dtype)
    most = counts[1:].log()
    places = (probabilities @ (counts - 0.5)) / counts
    return Heads(
        (entropy / most).mean(-1),
        probabilities[..., 2:, 0].mean(-1),
        probabilities.diagonal(-1, -2, -1)[..., 1:].mean(-1),
        places[..., 1:].mean(-1),
    )


@dataclass(frozen=True)
class Traces:
    """Of each head of a layer, (H,): traces of W Sigma and of its square, for W = W_Q^T W_K.

    Sigma is the second moment of the increments of what the attention reads; symmetric: |(W + W^T)/2|^2/|W|^2 in the
    Frobenius norm, 1 for a symmetric W.
    """

    first: Tensor
    second: Tensor
    symmetric: Tensor


def traces(normed: Tensor, W_Q: Tensor, W_K: Tensor) -> Traces:
    """The traces for (B, T, d) tokens and (H, n, d) weights, in n dimensions: tr(W Sigma) = tr(W_K Sigma W_Q^T)."""
    steps = (normed[:, 1:] - normed[:, :-1]).flatten(0, 1).double()
    Q, K = W_Q.double(), W_K.double()
    inner = (K @ steps.T) @ (Q @ steps.T).transpose(-1, -2) / steps.shape[0]
    cross = K @ Q.transpose(-1, -2)
    size = ((Q @ Q.transpose(-1, -2)) * (K @ K.transpose(-1, -2))).sum((-2, -1))
    square = (cross * cross.transpose(-1, -2)).sum((-2, -1))
    return Traces(
        inner.diagonal(0, -2, -1).sum(-1), (inner @ inner).diagonal(0, -2, -1).sum(-1), (1 + square / size) / 2
    )
