"""Steps made by hand for every trusted rule: near misses, which it must refuse, and true steps that no paper takes.

A module for every module of ``theorems.rules``, with the same stem, one for ``theorems.rules`` itself, one for
``theorems.rules.orders``, and one of holes that were found. ``near()`` gives steps that are false, or that lack a
hypothesis, each with the reason; ``true()`` gives steps that the rule must license.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pkgutil import iter_modules
from typing import Protocol, cast

from theorems.gaussian.process import Step


class Module(Protocol):
    """What a module of near misses has."""

    __name__: str

    def near(self) -> Iterator[tuple[str, Step]]:
        """Why a step is false, and the step."""

    def true(self) -> Iterator[Step]:
        """Steps that hold."""


MODULES = tuple(cast(Module, import_module(f"{__name__}.{found.name}")) for found in iter_modules(__path__))


def explained() -> Iterator[tuple[str, Step]]:
    """Why each near miss is false, and the step."""
    for module in MODULES:
        yield from module.near()


def near_misses() -> Iterator[Step]:
    """False steps, and steps that lack a hypothesis: the rules must refuse them."""
    yield from (step for _, step in explained())


def true_steps() -> Iterator[Step]:
    """True steps beside those of the shipped derivations: the rules must license them."""
    for module in MODULES:
        yield from module.true()
