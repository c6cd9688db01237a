"""The kinds of empirical checks: simulations, evaluations, searches, growths and observations, with what each states.

This module imports no torch, so that looking at what is registered is cheap.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from torch import Tensor

#: The name of the quantity of a simulation that returns bare numbers instead of a dict.
SINGLE = "value"

#: What the engine samples, and the parameters of a case it can hand over, by the name in the signature.
SAMPLED = {"tokens": "walk", "walk": "walk", "x": "gaussian", "generator": "free"}
#: How many numbers a free simulation must return for a block.
COUNT = "n"
GIVEN = ("W", "Sigma", "m", "a", "b", "i", "j", "T", "d", "lam", "theta")


class RegistryError(ValueError):
    """A simulation can't be registered as it stands; the message names it and the mend."""


@dataclass(frozen=True)
class Tails:
    """What is known of the tails of a simulation's numbers, so that an interval holds at finite n.

    One of: ``degree``, a polynomial of that degree in Gaussians; ``width``, numbers within an interval of that width;
    ``kurtosis``, a bound of E(f - mu)^4/sigma^4.
    """

    degree: int | None = None
    width: float | None = None
    kurtosis: float | None = None

    def __post_init__(self) -> None:
        if sum(value is not None for value in (self.degree, self.width, self.kurtosis)) != 1:
            raise RegistryError(f"tails = {self}; state one of degree, width and kurtosis")
        if self.degree is not None and (not isinstance(self.degree, int) or self.degree < 0):
            raise RegistryError(f"degree = {self.degree!r}; expected integers >= 0, e.g. degree=2")
        if self.width is not None and not self.width > 0:
            raise RegistryError(f"width = {self.width!r}; expected a number > 0, e.g. bounded=(0, 1)")
        if self.kurtosis is not None and not self.kurtosis >= 1:
            raise RegistryError(f"kurtosis = {self.kurtosis!r}; expected a number >= 1, e.g. kurtosis=3")


@dataclass(frozen=True)
class Drawn:
    """A free simulation in two parts: ``law`` draws tokens (n, T, d), ``function`` makes a number of each walk's."""

    law: Callable[..., Tensor]
    function: Callable[..., Any]

    def tokens(self, generator: Any, n: int, given: Mapping[str, Any]) -> Tensor:
        """The tokens of n walks at a case's parameters."""
        return self.law(generator, n, **{name: given[name] for name in _further(self.law, 2)})

    def numbers(self, tokens: Tensor, given: Mapping[str, Any]) -> Any:
        """What the function makes of tokens."""
        return self.function(tokens, **{name: given[name] for name in _further(self.function, 1)})

    def whole(self) -> Callable[..., Any]:
        """Both parts as one function of generator, n and the parameters of either."""

        def drawn_and_measured(generator: Any, n: int, **given: Any) -> Any:
            return self.numbers(self.tokens(generator, n, given), given)

        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        names = ("generator", "n", *dict.fromkeys((*_further(self.law, 2), *_further(self.function, 1))))
        found: Any = drawn_and_measured
        found.__signature__ = inspect.Signature([inspect.Parameter(name, kind) for name in names])
        return drawn_and_measured


def _further(function: Callable[..., Any], own: int) -> tuple[str, ...]:
    return tuple(inspect.signature(function).parameters)[own:]


@dataclass(frozen=True)
class Simulation:
    """A random simulation: numbers, each drawn independently of the other walks', whose mean is the quantity.

    ``degree`` is the polynomial degree of the numbers in the Gaussians, for all quantities or by quantity name; a free
    simulation states ``bounded`` = (low, high) or ``kurtosis`` instead, or the ``tails`` of every quantity by name.
    ``shape`` is (T, d) of the normals that a free simulation draws for one walk: it sets how many walks a block has,
    ``most_walks`` at most. ``drawn`` says of a free one how it is made of tokens of its own law.
    """

    claim_id: str
    function: Callable[..., Any]
    degree: int | Mapping[str, int] | None = None
    bounded: tuple[float, float] | None = None
    kurtosis: float | None = None
    parameters: tuple[str, ...] = field(default=())
    tails: Mapping[str, Tails] | None = None
    shape: tuple[int, int] = (1, 1)
    most_walks: int = 1 << 13
    drawn: Drawn | None = None

    def __post_init__(self) -> None:
        names = tuple(inspect.signature(self.function).parameters)
        free = "generator" in names
        # what is not sampled are names of the claim, which a case has or has not
        object.__setattr__(self, "parameters", names)
        models = {SAMPLED[name] for name in self.parameters if name in SAMPLED}
        if len(models) != 1 or (free and COUNT not in names):
            found = ", ".join(self.parameters) or "none"
            raise RegistryError(
                f"{self.claim_id}: a simulation takes tokens or walk, or x, or else generator and n; its parameters "
                f"are {found}; name what it reads, or register a claim without randomness with @evaluation or @search"
            )
        if isinstance(self.degree, Mapping) and not self.degree:
            raise RegistryError(f"{self.claim_id}: degree = {self.degree!r}; expected integers >= 0, e.g. degree=2")
        if min(self.shape) < 1 or (self.shape != (1, 1) and not free):
            raise RegistryError(f"{self.claim_id}: shape = {self.shape}; expected (T, d) of a free simulation")
        try:
            for name in self.tails or (self.degree if isinstance(self.degree, Mapping) else (SINGLE,)):
                self.tails_of(name)
        except RegistryError as error:
            raise RegistryError(f"{self.claim_id}: {error}") from None

    @property
    def model(self) -> str:
        """``walk``, ``gaussian`` or ``free``."""
        return next(SAMPLED[name] for name in self.parameters if name in SAMPLED)

    def degree_of(self, quantity: str) -> int:
        """Polynomial degree of one quantity's numbers in the Gaussians; RegistryError where none is stated."""
        degree = self.tails_of(quantity).degree
        if degree is None:
            raise RegistryError(f"{self.claim_id}: {quantity!r} has no degree; it is bounded or of known kurtosis")
        return degree

    def tails_of(self, quantity: str) -> Tails:
        """What is known of the tails of one quantity's numbers; RegistryError where nothing is stated."""
        if self.tails is not None:
            if quantity not in self.tails:
                raise RegistryError(f"{self.claim_id}: tails names {', '.join(self.tails)} but not {quantity!r}")
            return self.tails[quantity]
        if self.bounded is not None:
            return Tails(width=self.bounded[1] - self.bounded[0])
        if self.kurtosis is not None:
            return Tails(kurtosis=self.kurtosis)
        if isinstance(self.degree, Mapping):
            if quantity not in self.degree:
                stated = ", ".join(self.degree)
                raise RegistryError(f"{self.claim_id}: degree names {stated} but not {quantity!r}; add it to degree")
            return Tails(degree=self.degree[quantity])
        return Tails(degree=self.degree)


@dataclass(frozen=True)
class Evaluation:
    """A claim without randomness, evaluated at a case in float64: name -> (value, bound of its rounding error).

    ``at`` are further parameters, numbers as strings "p/q", that cases do not have, each with the values it takes.
    """

    claim_id: str
    function: Callable[..., Any]
    parameters: tuple[str, ...] = field(default=())
    at: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "parameters", tuple(inspect.signature(self.function).parameters))


@dataclass(frozen=True)
class Search:
    """A search for a violation of a bound: a function of (points, generator) that returns Points.

    Further ``parameters`` are printed objects that the claim is about (``variance_of``). ``at`` measures one point, as
    the search does, whose parts it takes by their names in a case.
    """

    claim_id: str
    function: Callable[..., Points]
    parameters: tuple[str, ...] = field(default=())
    at: Callable[..., Points] | None = None

    def __post_init__(self) -> None:
        names = tuple(inspect.signature(self.function).parameters)
        if names[:2] != ("points", "generator"):
            raise RegistryError(f"{self.claim_id}: a search takes (points, generator); it takes {names}")
        object.__setattr__(self, "parameters", names[2:])


@dataclass(frozen=True)
class Points:
    """What a search tried: n points, each a float64 entry of every column.

    ``errors`` bounds the rounding error of a column entry by entry (columns without one are exact). ``matrices``
    maps a matrix's name to its n float64 arrays, which are the points themselves, exactly.
    """

    columns: Mapping[str, NDArray[np.float64]]
    errors: Mapping[str, NDArray[np.float64]]
    matrices: Mapping[str, tuple[NDArray[np.float64], ...]]

    def __post_init__(self) -> None:
        for name, bound in self.errors.items():
            # as many points may have no number at all, which is told where they are judged
            if (bound < 0).any():
                raise ValueError(f"errors[{name!r}] = {float(bound.min())} at a point; expected bounds >= 0")

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    @classmethod
    def joined(cls, parts: Sequence[Points]) -> Points:
        """The points of several parts that have the same columns, one after the other."""
        import numpy as np

        first = parts[0]
        return cls(
            {name: np.concatenate([part.columns[name] for part in parts]) for name in first.columns},
            {name: np.concatenate([part.errors[name] for part in parts]) for name in first.errors},
            {name: tuple(row for part in parts for row in part.matrices[name]) for name in first.matrices},
        )

    @property
    def error(self) -> NDArray[np.float64]:
        """Bound of the rounding error of the column ``value``, point by point."""
        return self.errors[SINGLE]

    def point(self, index: int) -> dict[str, list[list[float]]]:
        """The matrices of one point, as nested lists."""
        return {name: arrays[index].tolist() for name, arrays in self.matrices.items()}


@dataclass(frozen=True)
class Growth:
    """Sums over walks of T tokens: a function of (generator, n, T) that returns numbers (n,) by quantity.

    Their expectations' growth in T is what the claim is about. ``tokens`` draws x_1 ... x_{T + 1} of the same walks,
    (n, T + 1, d), from a generator in the same state, so that the numbers can be held to a statement walk by walk.
    """

    claim_id: str
    function: Callable[..., Mapping[str, Tensor]]
    tokens: Callable[..., Tensor] | None = None

    def __post_init__(self) -> None:
        names = _parameters(self.claim_id, self.function, ("generator", "n", "T"))
        if names != ("generator", "n", "T"):
            raise RegistryError(f"{self.claim_id}: a growth takes (generator, n, T); it takes {names}")


@dataclass(frozen=True)
class Observation:
    """Properties of an exact case, decided from their definitions: name -> True, False, or None where undecided.

    The parameters are handed by name, as the case holds them. A pair of numbers (low, high) in the place of a truth
    value encloses a quantity of that name.
    """

    claim_id: str
    function: Callable[..., Mapping[str, bool | tuple[float, float] | None]]
    parameters: tuple[str, ...] = field(default=())

    def __post_init__(self) -> None:
        object.__setattr__(self, "parameters", tuple(inspect.signature(self.function).parameters))


def _parameters(claim_id: str, function: Callable[..., Any], known: tuple[str, ...]) -> tuple[str, ...]:
    names = tuple(inspect.signature(function).parameters)
    for name in names:
        if name not in known:
            raise RegistryError(f"{claim_id}: parameter {name!r} is unknown; expected some of {', '.join(known)}")
    return names


Registered = Simulation | Evaluation | Search | Growth | Observation
