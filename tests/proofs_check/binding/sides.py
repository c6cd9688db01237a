"""Both sides of a shipped claim, and derivations changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

from proofs_check.checks.evidence import Seen
from proofs_check.claims.pairing import Pair
from proofs_check.judging.derived import empirical_check
from proofs_check.judging.options import Options, Silent
from theorems.claims.catalogue import by_id
from theorems.kernel.derivation import Derived
from theorems.kernel.settle import settle


@cache
def looked(claim: str) -> tuple[Pair, list[Seen]]:
    """A claim and what its empirical check found, worked out once."""
    pair, options = Pair(by_id()[claim]), Options(effort="quick", device="cpu", jobs=1)
    evidence = empirical_check(pair, settle(pair.statement, pair.derived()), options, "cpu", Silent())
    return pair, evidence.seen


def derived_as(pair: Pair, **changed: Any) -> Pair:
    """The pair with derived quantities changed."""
    derived = pair.derived()
    return replace(pair, _derived={"sigma": Derived({**derived.quantities, **changed}, derived.steps)})


def moved(seen: list[Seen], change: Callable[[float], float]) -> list[Seen]:
    """The same cases with every number changed."""
    return [
        replace(one, found={name: (change(number), off) for name, (number, off) in one.found.items()})  # type: ignore[misc]
        for one in seen
    ]
