"""Tokens of walks under a law, each made in the law's own words: increments, a recursion, or a root of the covariance.

A law is plain data: ["walk"], ["walk-zero"], ["walk-mean"], ["iid"], ["ar1", a], ["gaussian", K(s, t)], and of
independent tokens ["iid-signs"], ["iid-sphere"], ["iid-student", nu], ["iid-mixture", p, c]; orthogonal ones are
["frame"] and ["frame-sphere"]. Isotropic ones, ["iid-isotropic", a, b] and ["frame-isotropic", a, b], have the lengths
sqrt(d) a or sqrt(d) b.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from montecarlo.statements import frames, radii
from montecarlo.statements.arrays import Array, Generator, alike, array, fetched, is_array, library
from montecarlo.statements.environment import Environment
from montecarlo.statements.nodes import Node, NoValueError, StatementSimulationError, frozen, text
from montecarlo.statements.normals import normals as standard
from montecarlo.statements.values import value

#: Longest process whose covariance is made as a matrix.
MOST_TOKENS = 4096
#: Up to here tokens are cumulated one by one, which reads memory in order.
FEW_TOKENS = 32
#: Most tokens that are drawn where all of them are needed.
MOST_TOKENS = 1 << 20
#: An eigenvalue of a covariance over T tokens may be below 0 by this, times T and its largest entry.
ROUNDING = 2.0**-46


class Process:
    """A law at a case, ready to be drawn from: the tokens at ``places`` alone, in increasing order (all of 1 ... T).

    ``root`` is R, (d, d), with R R = Sigma; ``parameters`` are the values of the law's names; ``mean`` is m, (d,), for
    the walk that starts there. Raises StatementSimulationError for a law that these values leave none.
    """

    def __init__(
        self,
        law: Sequence[Any],
        T: int,
        root: Array,
        parameters: Mapping[str, float | Array],
        mean: Array | None = None,
        places: Sequence[int] | None = None,
    ) -> None:
        self.kind, self.root, self.mean = str(law[0]), root, mean
        self._isotropic = np.array_equal(fetched(root), np.eye(len(root)))
        if places is None and T > MOST_TOKENS:
            raise StatementSimulationError(f"T = {T} tokens, all of them drawn; expected T <= {MOST_TOKENS}")
        self.places = list(range(1, T + 1)) if places is None else sorted(set(places))
        if not self.places or self.places[0] < 1 or self.places[-1] > T:
            raise StatementSimulationError(f"places = {self.places} of T = {T} tokens; expected 1 <= t <= T")
        makers: dict[str, Callable[[Array], Array]] = {
            "walk": self._walk,
            "walk-zero": self._walk,
            "walk-mean": self._walk,
            "iid": lambda z: z,
            "ar1": self._recursion,
            "gaussian": self._mixed,
            **dict.fromkeys((*radii.KINDS, *frames.KINDS), lambda z: z),
        }
        if self.kind not in makers:
            raise StatementSimulationError(f"law = {self.kind!r}; expected one of {', '.join(makers)}")
        if self.kind == "walk-mean" and mean is None:
            raise StatementSimulationError("the walk starts at m, and the case has no vector m")
        if mean is not None and self.kind == "walk-mean" and mean.shape != root.shape[:1]:
            raise StatementSimulationError(f"m has {len(mean)} entries; expected {len(root)}, as Sigma has")
        if self.kind in frames.KINDS and len(root) < T:
            raise NoValueError(f"{T} orthogonal tokens in {len(root)} dimensions; expected T <= d")
        self._make = makers[self.kind]
        gaps = [b - a for a, b in zip(self.places, self.places[1:], strict=False)]
        # x_1 = 0 and x_1 = m hold no increment, x_1 ~ N(0, Sigma) holds one
        first = self.places[0] if self.kind == "walk" else self.places[0] - 1
        self._steps = [math.sqrt(k) for k in (first, *gaps)]
        self.given = self._arguments(law, parameters) if self.kind in (*radii.KINDS, *frames.KINDS) else ()
        if self.kind == "ar1":
            self._decay = self._decays(frozen(law[1]), parameters, gaps)
        if self.kind == "gaussian":
            self._mixing = self._covariance_root(frozen(law[1]), parameters, T)

    def draw(self, n: int, generator: Generator) -> Array:
        """n walks' tokens at the places, (n, places, d) float64, walks innermost in memory."""
        return self.made(self.normals(n, generator))

    def normals(self, n: int, generator: Generator) -> Array:
        """What n walks' tokens are made of, (places, d, n) float64: normals, or what stands for them under the law."""
        shape = (len(self.places), len(self.root), n)
        if isinstance(generator, np.random.Generator):
            return self._whitened(standard(generator, shape), generator)
        from montecarlo import draws

        return self._whitened(draws.normals(generator, *shape), generator)

    def _whitened(self, z: Array, generator: Generator) -> Array:
        if self.kind in frames.KINDS:
            return frames.whitened(self.kind, self.given, z, generator)
        return radii.whitened(self.kind, self.given, z, generator) if self.kind in radii.KINDS else z

    def made(self, z: Array) -> Array:
        """The tokens (n, places, d) of normals (places, d, n), which are overwritten: linear but for the mean."""
        d, own, made = len(self.root), library(z), self._make(z)
        if not self._isotropic:
            root, _ = alike(self.root, z)
            made = own.matmul(own.broadcast_to(root, (len(z), d, d)), made)
        if self.kind == "walk-mean" and self.mean is not None:
            made = made + alike(self.mean, z)[0][:, None]
        return own.moveaxis(made, -1, 0)

    def _arguments(self, law: Sequence[Any], parameters: Mapping[str, float | Array]) -> tuple[float, ...]:
        """nu of Student's t, p and c of a mixture, the lengths of isotropic tokens."""
        found = [value(frozen(node), Environment(scalars=parameters)) for node in law[1:]]
        given = tuple(float(one) for one in found)
        several = dict.fromkeys(("iid-mixture", *radii.ISOTROPIC), len(given) == 2)
        fine = {"iid-student": len(given) == 1 and given[0] > 0, **several}.get(self.kind, not given)
        if not fine or (self.kind == "iid-mixture" and not (0 <= given[0] <= 1 and given[1] >= 0)):
            raise NoValueError(
                f"{self.kind}{given}: no such law; expected student(nu) with nu > 0, mixture(p, c) with 0 <= p <= 1 "
                "and c >= 0, signs or sphere without arguments"
            )
        return given

    def _walk(self, z: Array) -> Array:
        """Cumulated increments: k steps at once are N(0, k Sigma)."""
        z[0] *= self._steps[0]
        if len(z) > FEW_TOKENS and set(self._steps[1:]) == {1.0}:
            return library(z).cumsum(z, 0)
        rows = list(z)
        for before, row, size in zip(rows, rows[1:], self._steps[1:], strict=False):
            row *= size
            row += before
        return z

    def _decays(self, node: Node, parameters: Mapping[str, float | Array], gaps: list[int]) -> list[float]:
        found = value(node, Environment(scalars=parameters))
        if is_array(found) or not -1.0 <= found <= 1.0:
            raise NoValueError(
                f"ar1({text(node)}) with {text(node)} = {found}: no stationary process; expected -1 <= a <= 1"
            )
        return [found**gap for gap in gaps]

    def _recursion(self, z: Array) -> Array:
        """x_{t+k} = a^k x_t + sqrt(1 - a^(2k)) z, from x_1 ~ N(0, Sigma): every token has the variance Sigma."""
        rows = list(z)
        for before, row, decay in zip(rows, rows[1:], self._decay, strict=False):
            row *= math.sqrt((1.0 - decay) * (1.0 + decay))
            row += decay * before
        return z

    def _mixed(self, z: Array) -> Array:
        places, d, n = z.shape
        return (alike(self._mixing, z)[0] @ z.reshape(places, d * n)).reshape(places, d, n)

    def _covariance_root(self, node: Node, parameters: Mapping[str, float | Array], T: int) -> Array:
        """The symmetric root of K at the places; K over all of 1 ... T has to be a covariance."""
        if T > MOST_TOKENS:
            raise StatementSimulationError(f"T = {T} tokens of the law gaussian; expected at most {MOST_TOKENS}")
        K = covariance_matrix(node, parameters, T)
        rows = np.array(self.places) - 1
        size = float(abs(K).max())
        spectrum = np.linalg.eigvalsh(K)
        if float(spectrum[0]) < -ROUNDING * T * size:
            raise NoValueError(
                f"gaussian({text(node)}) with T = {T} has the eigenvalue {float(spectrum[0]):.6g} < 0: there is no "
                "Gaussian process with this covariance"
            )
        values, vectors = np.linalg.eigh(K[np.ix_(rows, rows)])
        kept = np.where(values > ROUNDING * T * size, values, 0.0)
        return (vectors * np.sqrt(kept)) @ vectors.T


def covariance_root(Sigma: Array) -> Array:
    """The symmetric R, (d, d) float64, with R R = Sigma; eigenvalues below 8 d roundoffs of the largest count as 0."""
    values, vectors = np.linalg.eigh(Sigma)
    floor = 8 * len(Sigma) * np.finfo(np.float64).eps * abs(values).max()
    return (vectors * np.sqrt(np.where(values > floor, values, 0.0))) @ vectors.T


def covariance_matrix(node: Node, parameters: Mapping[str, float | Array], T: int) -> Array:
    """K(s, t) for 1 <= s, t <= T, (T, T) float64; StatementSimulationError where it is not symmetric or not finite."""
    positions = array(range(1, T + 1))
    table = {**parameters, "s": positions[:, None], "t": positions[None, :]}
    found = value(node, Environment(scalars=table))
    K = np.broadcast_to(np.asarray(found, dtype=np.float64), (T, T))
    if not np.isfinite(K).all():
        raise NoValueError(f"gaussian({text(node)}) has no finite value for some s, t <= T = {T}")
    if float(abs(K - K.T).max()) > ROUNDING * float(abs(K).max()):
        raise StatementSimulationError(f"gaussian({text(node)}) is not symmetric in s and t; a covariance is")
    return (K + K.T) / 2
