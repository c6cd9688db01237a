"""Cases drawn by Hypothesis, from the seed alone.

Hypothesis takes a share of its numbers from the constants that stand in the modules that are loaded and not installed.
The same seed would so give other cases after other claims, in a process of one's own, or from an installed wheel;
nothing is drawn here but without these constants.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from fractions import Fraction
from functools import lru_cache
from random import Random
from typing import Any, TypeVar

from hypothesis import HealthCheck, Phase, core, find, given, seed, settings
from hypothesis import strategies as st
from hypothesis.errors import HypothesisWarning, NoSuchExample, Unsatisfiable
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants
from hypothesis.strategies import SearchStrategy

Drawn = TypeVar("Drawn")

# on Python 3.14 Hypothesis takes its own generator for one that nothing refers to
warnings.filterwarnings("ignore", "It looks like `register_random`", HypothesisWarning)


#: Options of these are the same wherever they are equal and of one type.
PLAIN = frozenset({bool, int, str, Fraction})


class EnoughError(BaseException):
    """Raised by who looks at cases when no more are needed."""


@lru_cache(maxsize=1024)
def integers(low: int, high: int) -> SearchStrategy[int]:
    """Whole numbers from low to high; a strategy is made and checked once, and not at every draw."""
    return st.integers(low, high)


def sampled_from(options: Sequence[Drawn]) -> SearchStrategy[Drawn]:
    """One of some options; for the same numbers and texts a strategy is made and checked once."""
    kinds = tuple(map(type, options))
    return _sampled_from(tuple(options), kinds) if PLAIN.issuperset(kinds) else st.sampled_from(options)


@lru_cache(maxsize=4096)
def _sampled_from(options: tuple[Any, ...], _: tuple[type, ...]) -> SearchStrategy[Any]:
    # 1 and True are equal, and no one option
    return st.sampled_from(options)


def quiet(count: int) -> settings:
    """So many random examples, none of which is kept."""
    return settings(
        max_examples=count,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
        derandomize=False,
    )


def each(cases: SearchStrategy[Drawn], run_seed: int, count: int, look: Callable[[Drawn], None]) -> None:
    """Look at so many drawn cases, or until EnoughError; at none where all are refused."""

    @seed(run_seed)
    @quiet(count)
    @given(cases)
    def looked(case: Drawn) -> None:
        look(case)

    with _without_constants_of_modules(), _without_seeds(), suppress(EnoughError, Unsatisfiable):
        looked()


def least(cases: SearchStrategy[Drawn], wanted: Callable[[Drawn], bool], count: int, random: Random) -> Drawn | None:
    """The smallest case that Hypothesis finds with the property in so many tries; None where it finds none."""
    options = settings(quiet(count), phases=[Phase.generate, Phase.shrink])
    with _without_constants_of_modules(), suppress(NoSuchExample):
        return find(cases, wanted, settings=options, random=random)
    return None


@contextmanager
def _without_constants_of_modules() -> Iterator[None]:
    own, none = providers._get_local_constants, Constants()
    # the cache holds permitted constants of both kinds under one key
    providers.CONSTANTS_CACHE.cache.clear()
    providers._get_local_constants = lambda: none
    try:
        yield
    finally:
        providers._get_local_constants = own
        providers.CONSTANTS_CACHE.cache.clear()


@contextmanager
def _without_seeds() -> Iterator[None]:
    """Cases take their numbers from Hypothesis alone: no generator of the process is seeded around every one."""
    names = vars(core)
    own, names["deterministic_PRNG"] = names["deterministic_PRNG"], nullcontext
    try:
        yield
    finally:
        names["deterministic_PRNG"] = own
