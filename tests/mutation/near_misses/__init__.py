"""Steps made by hand for every trusted rule: near misses, which it must refuse, and true steps that no paper takes.

A module for every module of ``theorems.rules``, with the same stem, one for ``theorems.rules`` itself, one for
``theorems.rules.orders``, and one of holes that were found. ``near()`` gives steps that are false, or that lack a
hypothesis, each with the reason; ``true()`` gives steps that the rule must license.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from tests.mutation.near_misses import (
    analysis,
    convex,
    cosine,
    entropy,
    exchangeable,
    inequality,
    licensed_once,
    matrix,
    moment,
    norm,
    optimum,
    optimum_cover,
    optimum_dormant,
    optimum_ends,
    orders,
    pattern,
    rules,
    softmax,
)
from theorems.gaussian.process import Step


class Module(Protocol):
    """What a module of near misses has."""

    __name__: str

    def near(self) -> Iterator[tuple[str, Step]]:
        """Why a step is false, and the step."""

    def true(self) -> Iterator[Step]:
        """Steps that hold."""


MODULES: tuple[Module, ...] = (
    analysis,
    convex,
    cosine,
    entropy,
    exchangeable,
    inequality,
    licensed_once,
    matrix,
    moment,
    norm,
    optimum,
    optimum_cover,
    optimum_dormant,
    optimum_ends,
    orders,
    pattern,
    rules,
    softmax,
)


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
