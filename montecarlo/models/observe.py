"""What heads do on a text: where their attention goes, what they write there, and what makes tokens alike."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from montecarlo.models.decoder import Layer
from montecarlo.models.laws import ALIKE, alikeness, average_cosine
from montecarlo.models.rotary import rotated

#: Parts of a window that a profile over positions has.
PLACES = 16
#: A query attends to the sink where the first token has this share or more.
SINK = 0.5


@dataclass(frozen=True)
class Heads:
    """Of every window and head, (B, H), means over the queries i = 1 .. T - 1, the first one being number 0.

    entropy: of the attention over that of an even one, ln(i + 1), between 0 and 1; first: the share of the first
    token, for queries i >= 2; previous: that of the token before, for queries i >= 2; own: that of the query itself;
    late: the mean place of what is attended to, key j of query i at (j + 1/2)/(i + 1), which is 1/2 for an even one.
    """

    entropy: Tensor
    first: Tensor
    previous: Tensor
    own: Tensor
    late: Tensor


def heads(probabilities: Tensor) -> Heads:
    """What the heads attend to: (B, H, T, T), query by key, T >= 3."""
    T = probabilities.shape[-1]
    if T < 3:
        raise ValueError(f"T = {T}; expected 3 tokens or more")
    entropy = torch.special.entr(probabilities).sum(-1)[..., 1:]
    counts = torch.arange(1, T + 1, dtype=probabilities.dtype, device=probabilities.device)
    most = counts[1:].log()
    places = (probabilities @ (counts - 0.5)) / counts
    return Heads(
        (entropy / most).mean(-1),
        probabilities[..., 2:, 0].mean(-1),
        probabilities.diagonal(-1, -2, -1)[..., 1:].mean(-1),
        probabilities.diagonal(0, -2, -1)[..., 1:].mean(-1),
        places[..., 1:].mean(-1),
    )


def binned(values: Tensor) -> Tensor:
    """The means over parts of the last axis whose lengths differ by one at most: (..., T) -> (..., PLACES)."""
    return torch.stack([part.mean(-1) for part in values.tensor_split(PLACES, -1)], -1)


def at_last(layer: Layer) -> dict[str, Tensor]:
    """Of the last query i = T - 1 of every window: numbers (B, H), and profiles over the keys' positions.

    keys: T; last entropy: of its attention, in nats; norm: of its T scores less their mean; margin: the sink's score
    less the largest other; radius: max_j |W_O(v_j - v_0)|; distance: |out - W_O v_0|; profile: its attention times T;
    propagated: whether the softmax's linearisation, (score - mean)/T + 1/T, lies within 0 and 1.
    """
    scores, T = layer.last.double(), layer.last.shape[-1]
    shares = scores.softmax(-1)
    centred = scores - scores.mean(-1, keepdim=True)
    from_sink = layer.values - layer.values[..., :1, :]
    moved = (shares.float()[..., None, :] @ from_sink)[..., 0, :]
    linear = (centred + 1) / T
    return {
        "keys": torch.tensor(T),
        "last entropy": torch.special.entr(shares).sum(-1),
        "norm": centred.norm(dim=-1),
        "margin": scores[..., 0] - scores[..., 1:].amax(-1),
        "radius": written(from_sink, layer.W_O).amax(-1),
        "distance": written(moved[..., None, :], layer.W_O)[..., 0],
        "profile": T * binned(shares),
        "propagated": binned(((linear >= 0) & (linear <= 1)).double()),
    }


def written(values: Tensor, W_O: Tensor) -> Tensor:
    """|W_O v| in n dimensions: (B, H, T, n) and (H, d, n) -> (B, H, T)."""
    gram = W_O.mT @ W_O
    return (values @ gram * values).sum(-1).clamp(min=0).sqrt()


def switch(layer: Layer) -> dict[str, Tensor]:
    """What a head writes where it attends to the sink and elsewhere: sums over queries i >= 1, and sizes of values.

    on, off: numbers of queries; written on, written off: sums of |W_O sum_j p_ij v_j| over them; value: the mean of
    |W_O v_j| over j >= 1; sink value: |W_O v_0|.
    """
    on = layer.probabilities[..., 1:, 0] >= SINK
    size = written((layer.probabilities @ layer.values)[..., 1:, :], layer.W_O)
    values = written(layer.values, layer.W_O)
    return {
        "on": on.sum(-1),
        "off": (~on).sum(-1),
        "written on": (size * on).sum(-1),
        "written off": (size * ~on).sum(-1),
        "value": values[..., 1:].mean(-1),
        "sink value": values[..., 0],
    }


def smoothing(layer: Layer) -> dict[str, Tensor]:
    """The average cosines of what a head makes of the tokens but the first, (B, H), and the traces of its sign map.

    identity, attended, even: of X + W Z A with A = I, the head's own attention, and the even one over the tokens so
    far; with "written" before it, of W Z A alone; ratio: the mean of y_i . y_j over that of |y_i|^2, Y = X + W Z;
    t1 = tr(BW), t2 = tr(B W^T W) with B = E[z_i z_i^T] - E[z_i z_j^T] and W = W_O W_V.
    """
    x, z, v = layer.before, layer.normed[:, 1:], layer.values
    k, counts = z.shape[1], torch.arange(1, v.shape[2] + 1, dtype=v.dtype, device=v.device)
    mixed = {"identity": v, "attended": layer.probabilities @ v, "even": v.cumsum(2) / counts[:, None]}
    own, centred = v[:, :, 1:] - v[:, :, 1:].mean(2, keepdim=True), z - z.mean(1, keepdim=True)
    found = {
        "t1": ((centred[:, None] @ layer.W_O) * own).sum((-2, -1)) / (k - 1),
        "t2": written(own, layer.W_O).square().sum(-1) / (k - 1),
        "tB": centred.square().sum((-2, -1))[:, None].expand(-1, v.shape[1]) / (k - 1),
    }
    # products of W_O v are those of R v with R^T R = W_O^T W_O
    values_of, vectors = torch.linalg.eigh(layer.W_O.double().mT @ layer.W_O.double())
    root = (vectors * values_of.clamp(min=0).sqrt()[:, None]).to(v.dtype)
    for name, values in mixed.items():
        # a head at a time: all of them together would be as many times the tokens
        each = [alikeness((x + values[:, h] @ layer.W_O[h].T)[:, 1:]) for h in range(v.shape[1])]
        made = dict(zip(ALIKE, (torch.stack(part, 1) for part in zip(*each, strict=True)), strict=True))
        found |= {name: made["cosine"], f"written {name}": average_cosine((values @ root)[:, :, 1:])}
        if name == "identity":
            found["ratio"] = made["ratio"]
    return found


def of_heads(layer: Layer) -> dict[str, Tensor]:
    """All that is measured of the heads of a layer, (B, H, ...), by name."""
    return vars(heads(layer.probabilities)) | at_last(layer) | switch(layer) | smoothing(layer)


def inner(normed: Tensor, W_Q: Tensor, W_K: Tensor) -> Tensor:
    """Sums over the increments u of (B, T, d) tokens: W_K uu^T W_Q^T, W_K uu^T W_K^T, W_Q uu^T W_Q^T, (3, H, n, n)."""
    steps = (normed[:, 1:] - normed[:, :-1]).flatten(0, 1).double()
    K, Q = W_K.double() @ steps.T, W_Q.double() @ steps.T
    return torch.stack((K @ Q.mT, K @ K.mT, Q @ Q.mT)).cpu()


@dataclass(frozen=True)
class Traces:
    """Of each head of a layer, for W_D = W_Q^T R_D W_K, keys turned back by a rotary distance D, symmetrised: W = W_0.

    first, second: (H, D), tr(W_D Sigma) and tr((W_D Sigma)^2) at every distance; eigenvalues: (H, n), those of W_Q^T
    W_K Sigma beside its d - n zeros.
    """

    first: Tensor
    second: Tensor
    eigenvalues: Tensor


def traces(mean: Tensor, speeds: Tensor, distances: Tensor) -> Traces:
    """The traces for the mean of ``inner`` over the increments, in n dimensions: tr(W Sigma) = tr(W_K Sigma W_Q^T).

    Symmetrised, tr((W Sigma)^2) is the mean of tr(W Sigma W Sigma) and tr(W Sigma W^T Sigma), which is never negative.
    """

    def turned(matrix: Tensor) -> Tensor:
        """R_D times the matrices (H, D, n, n)."""
        return rotated(matrix.permute(0, 3, 1, 2), speeds, -distances).permute(0, 2, 3, 1)

    mixed, keys, queries = (part[:, None].expand(-1, len(distances), -1, -1) for part in mean)
    mixed, keys = turned(mixed), turned(turned(keys).mT)
    second = ((mixed * mixed.mT).sum((-2, -1)) + (keys * queries).sum((-2, -1))) / 2
    return Traces(mixed.diagonal(0, -2, -1).sum(-1), second.clamp(min=0), torch.linalg.eigvals(mean[0]))


def sizes(W_Q: Tensor, W_K: Tensor) -> tuple[Tensor, Tensor]:
    """Of (H, n, d) weights twice: |(W + W^T)/2|^2/|W|^2, 1 for a symmetric W = W_Q^T W_K, and |W| (Frobenius), (H,)."""
    Q, K = W_Q.double(), W_K.double()
    cross, size = K @ Q.mT, ((Q @ Q.mT) * (K @ K.mT)).sum((-2, -1))
    return (1 + (cross * cross.mT).sum((-2, -1)) / size) / 2, size.sqrt()
