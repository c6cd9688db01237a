"""Running derivations: found by the claim's id, on any process, with every print out of reach."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn

from theorems.algebra.expressions import parse
from theorems.algebra.ratio import Ratio
from theorems.claims.catalogue import PAPERS, by_id
from theorems.gaussian.moments.increments import SecondRoute
from theorems.gaussian.observables import START
from theorems.gaussian.process import KERNELS, Kernel, Position, Process, chain_of
from theorems.kernel.derivation import STEPPED, DerivationError, Derived, Function, Quantity, registry, remarks
from theorems.kernel.outcome import Between

#: Where the prints of a statement stand: on its own, line by line of a proof, and in what it says.
PRINTS = ("printed", "lines", "says")


class _Sealed(Mapping[str, str]):
    """The prints while a derivation runs: reading one is an error, for a derivation that quotes proves nothing."""

    def __init__(self, claim: str, function: Function) -> None:
        self._where = f"{claim}: the derivation {function.__module__}.{function.__name__}"

    def _refuse(self) -> NoReturn:
        raise DerivationError(f"{self._where} reads the printed formula; derive the value from the process instead")

    def __getattr__(self, name: str) -> NoReturn:
        self._refuse()

    def __getitem__(self, key: str) -> str:
        self._refuse()

    def __iter__(self) -> Iterator[str]:
        self._refuse()

    def __len__(self) -> int:
        self._refuse()


@contextmanager
def _sealed(claim: str, function: Function) -> Iterator[None]:
    """Keep every statement's print out of reach of the derivation that runs inside."""
    statements = list(by_id().values())
    prints = [(statement, name, getattr(statement, name)) for statement in statements for name in PRINTS]
    seal = _Sealed(claim, function)
    try:
        for statement, name, _ in prints:
            object.__setattr__(statement, name, seal)
        yield
    finally:
        for statement, name, printed in prints:
            object.__setattr__(statement, name, printed)


@contextmanager
def registered(claim: str, function: Function) -> Iterator[None]:
    """A derivation that counts for this claim inside the block only."""
    before = registry.get(claim)
    registry[claim] = function
    try:
        yield
    finally:
        if before is None:
            del registry[claim]
        else:
            registry[claim] = before


def find(claim: str) -> Function:
    """The derivation of a claim, its paper's modules imported on demand; LookupError names a claim without one."""
    if claim not in registry:
        paper = claim.split(".", 1)[0]
        if paper in PAPERS:
            package = importlib.import_module(f"theorems.{paper}")
            for module in pkgutil.iter_modules(package.__path__):
                if not module.ispkg:
                    importlib.import_module(f"theorems.{paper}.{module.name}")
    if claim not in registry:
        raise LookupError(f"{claim}: no derivation is registered; write one with @derivation({claim!r})")
    return registry[claim]


def derive(
    claim: str,
    positions: Sequence[str] = (),
    kernel: str | Kernel = "sigma",
    *,
    parameters: Sequence[str] | None = None,
    symmetric: bool = True,
    second_route: bool = False,
    definitions: Mapping[str, str] | None = None,
) -> Derived:
    """Run a claim's derivation on a process.

    ``kernel`` swaps the model (another start of the walk, another covariance); ``second_route`` takes the moments from
    joint cumulants and the covariances from increments instead of Wick's theorem and the kernel; a derivation without a
    process that can take another way has a parameter of that name. ``definitions`` stand in for those of the claim in
    the catalogue.
    """
    function = find(claim)
    wanted = list(inspect.signature(function).parameters)
    statement = by_id().get(claim)
    defined = definitions if definitions is not None else statement.definitions if statement is not None else {}
    chosen = KERNELS[kernel] if isinstance(kernel, str) else kernel
    family = SecondRoute if second_route else Process
    source: Process | None = None
    arguments: dict[str, Any] = {}
    for name in wanted:
        if name == "walk":
            source = family(chosen, chain_of(positions), symmetric)
            arguments[name] = source
        elif name == "x":
            source = family(KERNELS["one"], (START, "x"), symmetric)
            arguments[name] = source
        elif name in positions:
            arguments[name] = Position(name)
        elif name == "second_route":
            arguments[name] = second_route
        elif name in defined:
            arguments[name] = parse(defined[name])
        elif parameters is not None and name not in parameters:
            known = ", ".join(dict.fromkeys(("walk", *positions, *parameters)))
            where = f"{function.__module__}.{function.__name__}"
            raise DerivationError(f"{claim}: {where} takes {name!r}, which the claim does not have; it has {known}")
        else:
            arguments[name] = Ratio.of(name)
    with _sealed(claim, function):
        result = function(**arguments)
    table = result if isinstance(result, dict) else {"": result}
    for name, value in table.items():
        if not isinstance(value, Quantity):
            what = (
                f"{function.__module__}.{function.__name__} returned {type(value).__name__} for {name or 'its value'}"
            )
            raise DerivationError(f"{claim}: {what}; expected walk.expect(...), walk.variance(...) or a table of them")
    steps = tuple(source.steps) if source is not None else ()
    for value in table.values():
        if isinstance(value, STEPPED):
            steps = (*steps, *(step for step in value.steps if step not in steps))
    return Derived(table, steps, source)


def remarked(claim: str) -> list[str]:
    """The lines that the report has beside a claim's verdict; none for most claims."""
    return [str(one) for one in beside(claim)]


def beside(claim: str) -> list[str | Between]:
    """What is registered for the report beside a claim's verdict, lines and data."""
    find(claim)
    function = remarks.get(claim)
    if function is None:
        return []
    defined = by_id()[claim].definitions
    arguments = {name: parse(defined[name]) for name in inspect.signature(function).parameters}
    with _sealed(claim, function):
        return list(function(**arguments))
