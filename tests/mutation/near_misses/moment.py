"""Near misses and further true steps of the rules of theorems/rules/moment.py."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from theorems.algebra.expressions import parse
from theorems.gaussian.observables import W
from theorems.gaussian.process import Moment, Step, random_walk

REGIME = {"i": "theta*T"}


def near() -> Iterator[tuple[str, Step]]:
    """Why it is false, and the step."""
    for moment, limit in _moments():
        more = limit + " + 1"
        yield "more by 1", _limit(moment, more)
        yield "a value that the observable does not have", _limit(replace(moment, ratio=moment.ratio + 1), more)
        yield "of no observable", _limit(replace(moment, observable=None), limit)
    moment, _ = next(_moments())
    for limit in ("theta*tr1", "0"):
        yield "it grows", _limit(moment * "T", limit)


def true() -> Iterator[Step]:
    """Steps that hold."""
    yield from (_limit(moment, limit) for moment, limit in _moments())


def _moments() -> Iterator[tuple[Moment, str]]:
    """A mean, a variance and a covariance, and their limits."""
    walk = random_walk("i", "T")
    i, T = walk.positions
    form = walk.form(i, W, T) * (1 / T)
    yield walk.expect(form), "theta*tr1"
    yield walk.variance(form), "(theta**2 + theta)*tr2"
    yield walk.cov(form, walk.form(T, W, T) * (1 / T)), "2*theta*tr2"


def _limit(moment: Moment, limit: str) -> Step:
    return Step("moment-limit", "", (moment, REGIME, parse(limit)))
