"""A statement simulated at a case: its moments' raw numbers drawn by the engine, and the interval of either side."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from montecarlo import hypercontractivity
from montecarlo.accumulate import Sample
from montecarlo.empirical_checks import Simulation, Tails
from montecarlo.statements import blocks, frames, pieces, radii, tilting, waves
from montecarlo.statements import quadratic as quadratics
from montecarlo.statements.arrays import Array, Generator, array, fetched, floating, is_array, library
from montecarlo.statements.combine import combine, covariances_apart, moments_apart
from montecarlo.statements.entries import picked
from montecarlo.statements.environment import Environment, environment_of
from montecarlo.statements.evaluation import evaluate, native
from montecarlo.statements.nodes import BINDING, Node, StatementSimulationError, frozen, parts, random, text, walk
from montecarlo.statements.statistics import Statistic, statistics_of
from montecarlo.statements.tails import degree as degree_of
from montecarlo.statements.tokens import Process, covariance_root
from montecarlo.statements.values import numbers, value, whole

#: Most float64 of tokens that exist at once in a thread: 64 MiB.
MOST_NUMBERS = 1 << 23
#: Walks of the trial evaluation: whole pairs and triples.
FEW = 6
#: Normals of a block: few enough that what is made of them stays near the core.
BLOCK_NORMALS = 1 << 18
#: Most walks of a block: an interval needs a hundred blocks, of which small statements would draw too many walks.
MOST_WALKS = 1 << 11
#: A bounded number may leave its bounds by this part of their width, for rounding.
ROUNDING = 1e-9
#: Laws of Gaussian tokens of mean 0: a sum of such is N(0, c Sigma); and all Gaussian ones.
ISOTROPIC = ("iid", "walk", "walk-zero", "ar1", "gaussian")
GAUSSIAN = (*ISOTROPIC, "walk-mean")


class StatementSimulation:
    """The other side of a statement, from its plain form and a case.

    The plain form is {"law", "left", "right"}, maybe "definitions", and "sizes" of the matrices that need not be d x d.
    Of sides that are vectors or matrices the case names an entry, by unit vectors "_left" and "_right".

    The case is JSON-able: "d", positions and "T" as ints, matrices as nested lists of "p/q", vectors and sequences as
    lists, other parameters as "p/q". Without T the length is the largest position that a token has. Raises
    StatementSimulationError for what cannot be simulated, CaseError for a case that is none.
    """

    def __init__(self, plain: Mapping[str, Any], case: Mapping[str, Any]) -> None:
        self.law, self.case = list(plain["law"]), dict(case)
        self._tails: dict[str, Tails] = {}
        #: By statistic, what stands for its numbers where it is sampled by importance.
        self.tilts: dict[str, tilting.Tilted] = {}
        definitions = plain.get("definitions")
        sides = (frozen(plain[side], definitions) for side in ("left", "right"))
        #: Whether numpy suffices on a CPU.
        self.native = all(map(native, sides))
        self.env = environment_of(case, None if self.native else "cpu", plain.get("sizes"))
        self.sides: dict[str, Node] = {}
        if self.law[0] in (*radii.BOUNDED, *radii.ISOTROPIC):
            lengths = [abs(value(frozen(node), self.env)) for node in self.law[1:]]
            self.env.radius = math.sqrt(self.env.scalars.get("d", 1)) * max(lengths, default=1.0)
        # a family of scores has T entries, so the length is known before the sides are
        plain_sides = {side: frozen(plain[side], definitions) for side in ("left", "right")}
        if "_left" in case or "_right" in case:
            plain_sides = {side: picked(node) for side, node in plain_sides.items()}
        self.T = _length(tuple(plain_sides.values()), self.env)
        if self.T and "T" not in self.env.scalars:
            self.env.scalars = {**self.env.scalars, "T": self.T}
        self.sides = {
            side: covariances_apart(moments_apart(node, self.env), self._joint) for side, node in plain_sides.items()
        }
        self.statistics: dict[str, Statistic] = statistics_of(*self.sides.values(), env=self.env)
        self._process = self._made() if self.statistics else None
        # shapes that do not fit and names that are missing are told at once
        with np.errstate(all="ignore"):
            self._numbers(_first_generator(self.native), FEW)

    def _joint(self, covariance: Node) -> bool:
        """Whether products of differences of walks have tails of which nothing is known."""
        (statistic,) = statistics_of(covariance, env=self.env).values()
        several = frames.several(self.law[0], self.T)
        return statistic.bounds is None and (statistic.degree is None or (several and statistic.degree > 0))

    def _made(self) -> Process | None:
        arguments = [node for statistic in self.statistics.values() for node in statistic.arguments]
        if not any(random(node) for node in arguments):
            return None
        if "Sigma" not in self.env.matrices:
            raise StatementSimulationError(
                'the case has no Sigma; give the covariance, e.g. "Sigma": [["1"]] for d = 1'
            )
        # where sums are empty no token is read, but one is there
        self.T = max(self.T, 1)
        named = places_of(arguments, self.env)
        read = None if any(_reads_all(node) for node in arguments) else named or [1]
        # the token after the last, x[T + 1], is drawn like the others
        self.T += self.T + 1 in named
        root, mean = covariance_root(fetched(self.env.matrices["Sigma"])), self.env.lists.get("m")
        return Process(self.law, self.T, root, self.env.scalars, None if mean is None else fetched(mean), read)

    @property
    def _shape(self) -> tuple[int, int]:
        return (1, 1) if self._process is None else (len(self._process.places), len(self._process.root))

    @property
    def normals(self) -> int:
        """Normals that a walk takes."""
        return math.prod(self._shape)

    @property
    def walks_per_block(self) -> int:
        """Walks of a block."""
        return _block_walks(*self._shape)

    def numbers_per_block(self, name: str) -> int:
        """Numbers of a statistic in a block, from groups of its walks."""
        return self.walks_per_block // self.statistics[name].group

    def draw(
        self, walks: int, seed: int, claim_id: str, key: str, device: str = "cpu", threads: int = 2, **options: Any
    ) -> Sample:
        """Sample all statistics from ``walks`` walks; devices but the CPU take the options of ``engine.draw``."""
        if not self.statistics:
            raise StatementSimulationError("the statement has no moment; there is nothing to draw")
        if self.native and device in ("cpu", "auto"):
            return blocks.draw(
                self._numbers,
                walks=walks,
                walks_per_block=self.walks_per_block,
                normals=self.normals,
                seed=seed,
                claim_id=claim_id,
                key=key,
                threads=threads,
                **options,
            )
        options |= {"walks": walks, "seed": seed, "key": key, "device": device, "threads": threads}
        return self.by_torch(claim_id=claim_id, **options)

    def by_torch(self, *, claim_id: str, **options: Any) -> Sample:
        """Sample all statistics by torch, with the options of ``engine.draw``."""
        from montecarlo.engine import draw

        tails = {name: self.tails(name) for name in self.statistics}
        simulation = Simulation(
            claim_id, self._numbers, tails=tails, shape=self._shape, most_walks=self.walks_per_block
        )
        return draw(simulation, {}, claim_id=claim_id, **options)

    def tails(self, name: str) -> Tails:
        """What is known of the tails of a statistic's numbers; of quadratic forms their kurtosis, exactly."""
        if name not in self._tails:
            self._tails[name] = self._tails_of(self.statistics[name])
        return self._tails[name]

    def _tails_of(self, statistic: Statistic) -> Tails:
        known, process = statistic.tails, self._process
        if statistic.name in self.tilts:
            return Tails(kurtosis=max(1.0, self.tilts[statistic.name].kurtosis()))
        shape, (argument, *others) = self._shape, statistic.arguments
        form, k = _power_of(argument, self.env) if statistic.power == 1 else (argument, statistic.power)
        if known.degree and process is not None and frames.several(process.kind, shape[0]):
            # of polynomials in several directions no bound of the kurtosis is known
            unknown = Tails(kurtosis=math.inf)
            return unknown if others else self._of_waves(statistic, form, k, unknown)
        if known.degree is not None and process is not None and process.kind in radii.KINDS:
            return self._independent(statistic, known.degree)
        if process is None or (known.degree is not None and self.normals > quadratics.MOST_NORMALS):
            return known
        if known.degree is None and (power := self._of_radius(statistic)) is not None:
            return Tails(kurtosis=max(1.0, power))
        if known.degree is None:
            return known if others else self._of_waves(statistic, form, k, known)
        if others or known.degree != 2 * k or k > quadratics.HIGHEST:
            return known

        def at(points: Array) -> Array:
            return fetched(numbers(form, self._at_points(process, points)))

        A, b, c = quadratics.coefficients(at, self.normals)
        power = statistic.power == 1 and k > 1
        found = quadratics.kurtosis_of_power(A, b, c, k) if power else quadratics.kurtosis(A, b, statistic.power)
        return Tails(kurtosis=max(1.0, found)) if found < hypercontractivity.kurtosis(known.degree) else known

    def _at_points(self, process: Process, points: Array) -> Environment:
        """The environment with tokens made of given normals, a row a walk."""
        tokens = process.made(points.T.reshape(*self._shape, len(points)).copy())
        return self.env.with_tokens(tokens if self.native else array(tokens, self.env.device), self._read())

    def _linear(self, process: Process) -> waves.Linear:
        """The constant and the coefficients, by the normals, of nodes that are linear in the tokens."""
        env = self._at_points(process, np.concatenate((np.zeros((1, self.normals)), np.eye(self.normals))))

        def linear(node: Node) -> tuple[float, Array]:
            start, *ends = fetched(numbers(node, env))
            return float(start), np.array(ends) - start

        return linear

    def tilted(self) -> StatementSimulation | None:
        """The same statement with means of exponentials sampled where these are large; None where none is to be."""
        process, found = self._process, dict[str, tilting.Tilted]()
        if process is None or process.kind not in GAUSSIAN:
            return None
        z = np.random.Generator(np.random.SFC64(0)).standard_normal((FEW, self.normals))
        env, linear = self._at_points(process, z), self._linear(process)
        for name, statistic in self.statistics.items():
            if statistic.group > 1 or statistic.bounds is not None or statistic.degree is not None:
                continue
            (node,) = statistic.arguments
            try:
                with np.errstate(over="raise", invalid="raise"):
                    terms = waves.exponentials(node, self.env, linear, self.normals)
                    tilt = tilting.tilted(terms)
                    values = fetched(numbers(node, env))
            except (waves.NoWavesError, StatementSimulationError, OverflowError, FloatingPointError):
                continue
            if tilt is not None:
                if not tilting.same_at(terms, z.T, values):
                    raise StatementSimulationError(f"{name} is not the sum of exponentials that it was expanded into")
                found[name] = tilt
        if not found:
            return None
        other = copy.copy(self)
        other.tilts, other._tails = found, {}
        return other

    def _of_radius(self, statistic: Statistic) -> float | None:
        """The kurtosis of |v|^j, v a token or a sum of such with Sigma = I and j > 0; None for anything else."""
        process, (node, *others) = self._process, statistic.arguments
        assert process is not None
        norm, exponent = (node[1], node[2]) if node[0] == "**" else (node, ("number", "1"))
        if others or statistic.power > 1 or norm[0] != "norm" or random(exponent):
            return None
        j, one = value(exponent, self.env), np.eye(len(process.root))
        plain = degree_of(norm[1], self.env) == 1 and not any(part[0] == "matrix" for part in walk(norm[1]))
        if not (plain and process.kind in ISOTROPIC and np.array_equal(process.root, one)) or is_array(j) or j <= 0:
            return None
        return radii.kurtosis_of_power(len(one), float(j))

    def _of_waves(self, statistic: Statistic, form: Node, k: int, known: Tails) -> Tails:
        """The kurtosis of numbers made of exponentials, cosines and sines."""
        if k > waves.HIGHEST:
            return known
        process = self._process
        assert process is not None
        law: waves.Law = waves.Gaussian()
        if process.kind in radii.KINDS:
            if process.kind != "iid-sphere":
                return known
            # tokens are linear in what is uniform on the sphere
            law = waves.Sphere(len(process.root))
        if process.kind in frames.KINDS:
            polynomial = degree_of(form, self.env) is not None
            law = (
                frames.Powers(process.kind, len(process.root), process.given)
                if polynomial
                else frames.Frame(process.kind, len(process.root))
            )
        if not isinstance(law, waves.Gaussian):
            process = Process(["iid"], self.T, process.root, self.env.scalars, places=process.places)
        linear = self._linear(process)
        found = waves.kurtosis(form, self.env, linear, self.normals, k, apart=statistic.power > 1, law=law)
        # of bounded numbers the bounds say more: what is rare need not occur in a sample
        if isinstance(law, waves.Gaussian) and not math.isfinite(found) and known.width is None:
            one = self._at_points(process, np.zeros((1, self.normals)))

            def kind(node: Node) -> str:
                return evaluate(node, one).kind

            found = pieces.kurtosis(form, self.env, linear, kind, k, statistic.power > 1)
            if not math.isfinite(found) and self.normals in pieces.GRIDS:

                def values(places: Array) -> Array:
                    return fetched(numbers(form, self._at_points(process, places)))

                found = pieces.kurtosis_on_grid(values, self.normals, k, statistic.power > 1)
        return Tails(kurtosis=max(1.0, found)) if math.isfinite(found) else known

    def _independent(self, statistic: Statistic, degree: int) -> Tails:
        """The kurtosis of numbers made of tokens that are not Gaussian."""
        process = self._process
        assert process is not None
        # the walks that a number is made of, each with tokens of its own
        walks = 2 if len(statistic.arguments) == 2 else {1: 1, 3: 3}.get(statistic.power, 2)
        degrees: dict[int, int] = {}
        for k, t in enumerate(process.places):
            found = [degree_of(node, self.env, t) for node in statistic.arguments]
            most = sum(q if q is not None else degree for q in found) * (statistic.power if len(found) == 1 else 1)
            degrees |= {k * walks + copy: most for copy in range(walks) if most}
        given = [Fraction(one) for one in process.given]
        return Tails(kurtosis=max(1.0, radii.kurtosis(process.kind, given, degree, degrees)))

    def _read(self) -> dict[int, int] | None:
        """Where the tokens stand that are made; None where all are."""
        assert self._process is not None
        places = self._process.places
        return None if len(places) == self.T else {t: k for k, t in enumerate(places)}

    def _numbers(self, generator: Generator, n: int) -> dict[str, Array]:
        """The numbers of n walks by statistic: tokens of a few walks at a time, groups of walks from all of them."""
        plain = {name: one for name, one in self.statistics.items() if name not in self.tilts}
        arguments = {node: [] for one in plain.values() for node in one.arguments}  # type: dict[Node, list[Array]]
        moved = {name: [] for name in self.tilts}  # type: dict[str, list[Array]]
        for env, z in self._environments(generator, n):
            for node, found in arguments.items():
                found.append(numbers(node, env))
            for name, parts_of in moved.items():
                parts_of.append(self.tilts[name].numbers(z))
        values = {node: _joined(found) for node, found in arguments.items()}
        drawn = {name: self._folded(one, [values[node] for node in one.arguments]) for name, one in plain.items()}
        drawn |= {name: _joined(found) for name, found in moved.items()}
        return {name: _checked(one, drawn[name]) for name, one in self.statistics.items()}

    def _folded(self, statistic: Statistic, values: list[Array]) -> Array:
        """The numbers of groups of walks: no group reaches from one block into the next."""
        block, n = self.walks_per_block, len(values[0])
        if block % statistic.group == 0 or n <= block:
            return statistic.fold(*values)
        parts = [statistic.fold(*(one[first : first + block] for one in values)) for first in range(0, n, block)]
        return library(*parts).concatenate(parts)

    def _environments(self, generator: Generator, n: int) -> Iterator[tuple[Environment, Array | None]]:
        """The tokens of some walks at a time, and the normals that they are made of where a statistic needs these."""
        base = self.env if isinstance(generator, np.random.Generator) else _moved(self.env, generator.device)
        if self._process is None:
            yield Environment(n, None, base.matrices, base.lists, base.scalars, device=base.device), None
            return
        process = self._process
        places = self._read()
        most = max(1, MOST_NUMBERS // (len(process.places) * len(process.root)))
        for first in range(0, n, most):
            z = process.normals(min(most, n - first), generator)
            # a copy, as tokens are made in the place of the normals
            kept = z.reshape(self.normals, -1) + 0.0 if self.tilts else None
            yield base.with_tokens(process.made(z), places), kept

    def interval(self, side: str | Sequence[Any], intervals: Mapping[str, tuple[float, float]]) -> tuple[float, float]:
        """The interval of a side, "left" or "right" or an expression, from one of every raw mean by its name."""
        node = self.sides[side] if isinstance(side, str) else frozen(side)
        return combine(node, self.env, intervals)


class BoundsError(StatementSimulationError):
    """Numbers outside of the bounds that were derived for them: a fault of the simulation."""


def _checked(statistic: Statistic, found: Array) -> Array:
    if statistic.bounds is not None and len(found) and floating(found):
        low, high = statistic.bounds
        slack = ROUNDING * (high - low)
        least, most = float(found.min()), float(found.max())
        if least < low - slack or most > high + slack:
            raise BoundsError(
                f"{statistic.name} took values from {least:g} to {most:g}, outside its bounds {low:g} to {high:g}"
            )
    return found


def _first_generator(native: bool) -> Generator:
    if native:
        return np.random.Generator(np.random.SFC64(0))
    import torch

    return torch.Generator().manual_seed(0)


def _moved(env: Environment, device: Any) -> Environment:
    if env.device is not None and str(env.device) == str(device):
        return env
    matrices = {name: array(matrix, device) for name, matrix in env.matrices.items()}
    lists = {name: array(one, device) for name, one in env.lists.items()}
    return Environment(1, None, matrices, lists, env.scalars, device=device)


def _reads_all(node: Node) -> bool:
    """Whether all tokens are read: their mean, or one at an index of a sum."""
    return any(one[0] == "mean" or (one[0] in BINDING and random(one[1])) for one in walk(node))


def _length(sides: tuple[Node, ...], env: Environment) -> int:
    """T of the case, or the largest position of a token; 0 where there is none."""
    if "T" in env.scalars:
        return whole(float(env.scalars["T"]), ("name", "T"))
    return max((place for side in sides for place in _positions(side, env)), default=0)


def places_of(nodes: Iterable[Node], env: Environment) -> list[int]:
    """The positions of the tokens that expressions name, in rising order."""
    return sorted({place for node in nodes for place in _positions(node, env)})


def _positions(node: Node, env: Environment) -> Iterator[int]:
    """The positions of the tokens of an expression; of those inside a sum, at both of its ends, if it has terms."""
    if node[0] == "token":
        yield whole(_float(node[1], env), node)
    elif node[0] in BINDING:
        if any(one[0] == "token" for one in walk(node[1])):
            ends = [_float(end, env) for end in node[3:]]
            for end in ends if ends == sorted(ends) else []:
                yield from _positions(node[1], env.inside(node[2], end))
    else:
        for part in parts(node):
            yield from _positions(part, env)


def _float(node: Node, env: Environment) -> float:
    found = value(node, env)
    if is_array(found):
        raise StatementSimulationError(f"{text(node)} is no position; expected an integer")
    return found


def _block_walks(T: int, d: int) -> int:
    """Walks in a block: a power of two that depends on the shape (T, d) of a walk alone."""
    return 1 << max(6, min(MOST_WALKS.bit_length() - 1, (BLOCK_NORMALS // (T * d)).bit_length() - 1))


def _power_of(node: Node, env: Environment) -> tuple[Node, int]:
    """f and k of f^k, for k a whole number; any other node is its own first power."""
    if node[0] == "**" and not random(node[2]):
        exponent = value(node[2], env)
        if isinstance(exponent, float | int) and exponent == round(exponent) >= 1:
            return node[1], round(exponent)
    return node, 1


def _joined(found: list[Array]) -> Array:
    return found[0] if len(found) == 1 else library(*found).concatenate(found)
