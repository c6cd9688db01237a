"""Where simulations, evaluations and searches are registered, each under the id of the claim it tells.

This module imports no torch, so that looking at what is registered is cheap.
"""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from montecarlo.empirical_checks import (
    Drawn,
    Evaluation,
    Growth,
    Observation,
    Registered,
    RegistryError,
    Search,
    Simulation,
)

# a lemma of one's own takes what its search returns from where it registers it
from montecarlo.empirical_checks import Points as Points

if TYPE_CHECKING:
    from torch import Tensor

CORRECTED = ".corrected"

F = TypeVar("F", bound=Callable[..., Any])

_REGISTERED: dict[str, Registered] = {}
#: The tokens that a free simulation draws first, from the same generator.
_DRAWN: dict[str, Callable[..., Tensor]] = {}
#: What a claim's statement names, at a case of its empirical check.
_INSTANCES: dict[str, Callable[..., Mapping[str, Any] | None]] = {}
#: Evaluations of what a claim's simulation does not return.
_BESIDE: dict[str, Evaluation] = {}


def _register(entry: Registered, table: dict[str, Any]) -> None:
    taken = table.get(entry.claim_id)
    if taken is not None:
        where = f"{taken.function.__module__}.{taken.function.__qualname__}"
        raise RegistryError(f"{entry.claim_id}: already registered by {where}; give one of the two another id")
    if entry.claim_id.endswith(CORRECTED):
        raise RegistryError(f"{entry.claim_id}: a correction uses the simulation of its claim; register that one only")
    table[entry.claim_id] = entry


def _registering(made: Callable[[F], Registered], *, beside: bool = False) -> Callable[[F], F]:
    """Register what is made of the function, which itself comes back unchanged."""

    def register(function: F) -> F:
        _register(made(function), _BESIDE if beside else _REGISTERED)
        return function

    return register


def _once(claim_id: str, table: dict[str, Any], what: str) -> Callable[[F], F]:
    """Put the function into a table that has one of each claim."""

    def register(function: F) -> F:
        if claim_id in table:
            raise RegistryError(f"{claim_id}: a second {what}, {function.__qualname__}; keep one")
        table[claim_id] = function
        return function

    return register


def simulation(
    claim_id: str,
    *,
    degree: int | Mapping[str, int] | None = None,
    bounded: tuple[float, float] | None = None,
    kurtosis: float | None = None,
    law: Callable[..., Any] | None = None,
) -> Callable[[F], F]:
    """Register a simulation of a claim; the function itself comes back unchanged.

    Its parameters are filled by name: ``tokens`` (n, T, d) or ``walk`` (a Walks), or ``x`` (n, d) of the Gaussian
    model, and names of the claim: ``W``, ``Sigma`` (d, d) and other matrices, vectors (d,), positions, ``T`` and ``d``
    as ints, numbers as floats. A simulation with other randomness takes ``generator`` (a torch.Generator), ``n`` and
    the claim's own parameters, draws from the generator alone, and states ``bounded`` = (low, high) or ``kurtosis``,
    not ``degree``.
    Where such tokens are of a ``law`` of their own, a function of (generator, n, ...) that draws them, the simulation
    takes them first, (n, T, d), and can be held against a statement walk by walk.
    It returns (n,) numbers whose mean is the quantity (booleans for a probability), or a dict name -> (k,) numbers.
    Raises RegistryError where the id is taken.
    """

    def made(function: F) -> Simulation:
        drawn = None if law is None else Drawn(law, function)
        whole = function if drawn is None else drawn.whole()
        return Simulation(claim_id, whole, degree, bounded, kurtosis, drawn=drawn)

    return _registering(made)


def evaluation(
    claim_id: str, *, beside: bool = False, at: Mapping[str, tuple[str, ...]] | None = None
) -> Callable[[F], F]:
    """Register an evaluation, case -> {name: (value, error bound)}, of a claim without randomness.

    With ``beside`` it gives those quantities of a claim that the claim's simulation does not return, at the cases of
    that claim; ``at`` names further parameters and the values, "p/q", that they take. An empty result says that the
    quantities have no value at a case.
    """
    return _registering(lambda function: Evaluation(claim_id, function, at=at or {}), beside=beside)


def search(claim_id: str, *, at: Callable[..., Points] | None = None) -> Callable[[F], F]:
    """Register a search (points, generator) -> Points for a violation of a bound.

    ``at`` makes Points of one point that is given by a case, measured as those of the search: it takes the case's
    numbers as floats and its lists as float64 tensors, by name, and what a search takes further. The result is empty
    where the search has no such point.
    """
    return _registering(lambda function: Search(claim_id, function, at=at))


def growth(claim_id: str, *, tokens: Callable[..., Tensor] | None = None) -> Callable[[F], F]:
    """Register a function (generator, n, T) -> {name: (n,) numbers} of a claim about the growth of expectations.

    ``tokens`` draws the same walks' tokens, (n, T + 1, d), from a generator in the same state.
    """
    return _registering(lambda function: Growth(claim_id, function, tokens))


def observation(claim_id: str) -> Callable[[F], F]:
    """Register an observation, exact case -> {property: whether it holds}, of a claim about when properties hold."""
    return _registering(lambda function: Observation(claim_id, function))


def instance(claim_id: str) -> Callable[[F], F]:
    """Register what the names of a claim's statement stand for at a case of its empirical check.

    A function of what the check has there, by name (the parameters that it is handed, the matrices and columns of
    a search), that returns numbers and nested lists of them, taken exactly, by the statement's names. A name that the
    case has itself need not be given. Raises RegistryError where a claim has one already.
    """
    return _once(claim_id, _INSTANCES, "instance")


def drawing(claim_id: str) -> Callable[[F], F]:
    """Register the tokens that a free simulation draws: (generator, n, the case's parameters) -> (n, T, d).

    From a generator in the same state they are those that the simulation makes its numbers of.
    """
    return _once(claim_id, _DRAWN, "drawing")


def drawing_of(claim_id: str) -> Callable[..., Tensor] | None:
    """The function that ``drawing`` registered for a claim or its correction; None where there is none."""
    find(claim_id)
    return _DRAWN.get(claim_id.removesuffix(CORRECTED))


def instance_of(claim_id: str) -> Callable[..., Mapping[str, Any] | None] | None:
    """The function that ``instance`` registered for a claim or its correction; None where the names are the case's."""
    base = claim_id.removesuffix(CORRECTED)
    if base not in _INSTANCES:
        load(base.split(".")[0])
    return _INSTANCES.get(base)


def load(paper: str) -> bool:
    """Import every module of ``montecarlo.<paper>``; whether there is such a sub-package."""
    name = f"{__package__}.{paper}"
    if not paper.isidentifier() or importlib.util.find_spec(name) is None:
        return False
    package = importlib.import_module(name)
    for module in pkgutil.iter_modules(getattr(package, "__path__", ())):
        importlib.import_module(f"{name}.{module.name}")
    return True


def withdraw(package: str, paper: str) -> list[str]:
    """Forget what a package registered of claims that are not its paper's, and say of which."""
    tables: tuple[dict[str, Any], ...] = (_REGISTERED, _BESIDE, _INSTANCES, _DRAWN)
    found = []
    for table in tables:
        for name, entry in list(table.items()):
            own = getattr(entry, "function", entry).__module__.split(".")[0] == package
            if own and not name.startswith(paper + "."):
                del table[name]
                found.append(name)
    return sorted(found)


@contextmanager
def registered(entry: Registered, *, beside: bool = False) -> Iterator[None]:
    """An empirical check, or an evaluation beside it, that counts for its claim inside the block only."""
    table: dict[str, Any] = _BESIDE if beside else _REGISTERED
    before = table.get(entry.claim_id)
    table[entry.claim_id] = entry
    try:
        yield
    finally:
        if before is None:
            del table[entry.claim_id]
        else:
            table[entry.claim_id] = before


def find(claim_id: str) -> Registered:
    """What is registered for a claim, with its paper's modules imported on demand.

    ``<id>.corrected`` finds that of ``<id>``. Raises LookupError naming the id where nothing is registered.
    """
    base = claim_id.removesuffix(CORRECTED)
    if base not in _REGISTERED:
        load(base.split(".")[0])
    try:
        return _REGISTERED[base]
    except KeyError:
        raise LookupError(f"{base}: no simulation is registered; write one with @simulation") from None


def beside(claim_id: str) -> Evaluation | None:
    """What evaluates the quantities that a claim's simulation does not return; None where there is no need."""
    find(claim_id)
    return _BESIDE.get(claim_id.removesuffix(CORRECTED))


def variance(f: Tensor) -> Tensor:
    """Half squared differences of consecutive walks' numbers, (n,) -> (n // 2,); their mean is Var f, without bias.

    The polynomial degree doubles.
    """
    halves: Tensor = _differences(f) ** 2 / 2
    return halves


def covariance(f: Tensor, g: Tensor) -> Tensor:
    """Half products of the differences of consecutive walks' numbers, (n // 2,); their mean is Cov(f, g)."""
    halves: Tensor = _differences(f) * _differences(g) / 2
    return halves


def _differences(f: Any) -> Any:
    even = len(f) // 2 * 2
    found = f[:even:2] - f[1:even:2]
    # numpy's arrays have no double()
    return found.double() if hasattr(found, "double") else found.astype("float64", copy=False)
