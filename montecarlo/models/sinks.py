"""Whether some W_QK makes a sink of the first token on the very tokens that a layer's attention reads, certified.

Scores z_i^T W z_j without positions: a window's first token is z_0, its others are queries and keys. float32 numbers
are rationals, so that certificates are checked in exact arithmetic.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import torch
from torch import Tensor

from montecarlo.separability import Array, Separation, nearest, roundings, separate

Rows = list[list[int]]

#: What is added to the diagonal of a Gram matrix, over its mean: the guess bears on no certificate.
RIDGE = 1e-6


@dataclass(frozen=True)
class Certificate:
    """What shows of some windows (by number) that a W makes a sink of their first token, or that none does.

    queries, keys: for the vectors z_t and z_0 - z_t, t = 1 .. T - 1, of all those windows. Where both have a direction,
    u and v, W = u v^T makes the sink; where one has weights, none does (Proposition 4.1), and the other is None.
    """

    windows: tuple[int, ...]
    queries: Separation | None
    keys: Separation | None

    @property
    def representable(self) -> bool:
        """Whether it shows that there is such a W."""
        return all(side is not None and side.separable for side in (self.queries, self.keys))

    def holds(self, normed: Tensor) -> bool:
        """Whether it shows it of these tokens, (B, T, d) as the attention reads them, in exact arithmetic."""
        exact = integers(_float64(normed)[list(self.windows)])
        sides = ((self.queries, [z[1:] for z in exact]), (self.keys, [_gaps(z) for z in exact]))
        given = [(side, _chained(vectors)) for side, vectors in sides if side is not None]
        one = len(exact) == 1 and any(not side.separable for side, _ in given)
        return (self.representable or one) and all(side.shown(vectors) for side, vectors in given)

    def as_json(self) -> dict[str, Any]:
        """In JSON's types: directions in integers, weights as fractions by the place t of their token in the window."""
        found: dict[str, Any] = {"windows": list(self.windows), "representable": self.representable}
        for name in ("queries", "keys"):
            side = getattr(self, name)
            if side is not None and side.separable:
                found[name] = list(side.direction)
            elif side is not None:
                found[name] = {str(t): str(weight) for t, weight in enumerate(side.weights, 1) if weight}
        return found

    @classmethod
    def of_json(cls, found: Mapping[str, Any], length: int) -> Certificate:
        """The certificate that ``as_json`` gave, of windows of that many tokens."""

        def side(given: Any) -> Separation | None:
            if isinstance(given, Mapping):
                return Separation(False, weights=tuple(Fraction(given.get(str(t), "0")) for t in range(1, length)))
            return None if given is None else Separation(True, direction=tuple(given))

        return cls(tuple(found["windows"]), side(found.get("queries")), side(found.get("keys")))


@dataclass(frozen=True)
class Sinks:
    """The certificates of the windows of a layer, those in none being undecided.

    together: whether one W of rank one serves all windows: True with a certificate, False where a window has none,
    None where neither was found. rho: where one does, the distances from 0 of the hulls of all windows' z_i and of
    their z_0 - z_j, in float64.
    """

    certificates: tuple[Certificate, ...]
    together: bool | None
    rho: tuple[float, float] | None

    def windows(self, representable: bool) -> int:
        """How many windows have a W, or how many have none."""
        return sum(len(one.windows) for one in self.certificates if one.representable is representable)


def integers(x: Array) -> list[Rows]:
    """A common multiple of the float32 numbers (B, T, d) that makes all of them integers, exactly."""
    parts, powers = np.frexp(x)
    least = int(powers[x != 0].min(initial=0)) if x.any() else 0
    whole = (parts * 2.0**24).astype(np.int64)
    return [
        [[int(v) << int(p) for v, p in zip(*row, strict=True)] for row in zip(*window, strict=True)]
        for window in zip(whole.tolist(), np.where(x != 0, powers - least, 0).tolist(), strict=True)
    ]


def _common(vectors: Rows, floats: Array) -> Separation | None:
    """A direction that ridge regression finds and that has a positive product with every vector, checked exactly."""
    small = len(floats) < floats.shape[1]
    gram = floats @ floats.T if small else floats.T @ floats
    gram += (RIDGE * np.trace(gram) / len(gram) + np.finfo(float).tiny) * np.eye(len(gram))
    ones = np.ones(len(floats))
    guess = np.asarray(np.linalg.solve(gram, ones if small else floats.T @ ones), dtype=np.float64)
    ways = (Separation(True, direction=way) for way in roundings(floats.T @ guess if small else guess))
    return next((way for way in ways if way.shown(vectors)), None)


def _decided(number: int, z: Rows) -> Certificate | None:
    """Proposition 4.1, causal: representable iff conv{z_i} avoids 0 and conv{z_j} avoids z_0; None where undecided."""
    queries, keys = separate(z[1:]), separate(_gaps(z))
    for side in (Certificate((number,), queries, None), Certificate((number,), None, keys)):
        if any(part is not None and not part.separable for part in (side.queries, side.keys)):
            return side
    return None if queries is None or keys is None else Certificate((number,), queries, keys)


def _gaps(z: Rows) -> Rows:
    return [[a - b for a, b in zip(z[0], row, strict=True)] for row in z[1:]]


def _chained(parts: Sequence[Rows]) -> Rows:
    return [row for part in parts for row in part]


def _distance(vectors: Array) -> float:
    return float(np.linalg.norm(nearest(vectors) @ vectors))


def _float64(normed: Tensor) -> Array:
    found: Array = normed.detach().to("cpu", torch.float32).double().numpy()
    return found


def sinks(normed: Tensor) -> Sinks:
    """What the first token of every window can be: (B, T, d), as the attention reads them."""
    floats = _float64(normed)
    exact = integers(floats)
    asking = floats[:, 1:].reshape(-1, floats.shape[-1])
    gaps = (floats[:, :1] - floats[:, 1:]).reshape(-1, floats.shape[-1])
    queries = _common(_chained([z[1:] for z in exact]), asking)
    keys = queries and _common(_chained([_gaps(z) for z in exact]), gaps)
    if keys:
        whole = Certificate(tuple(range(len(exact))), queries, keys)
        return Sinks((whole,), True, (_distance(asking), _distance(gaps)))
    certificates = tuple(one for number, z in enumerate(exact) if (one := _decided(number, z)) is not None)
    return Sinks(certificates, None if all(one.representable for one in certificates) else False, None)
