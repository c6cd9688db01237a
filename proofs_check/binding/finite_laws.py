"""A derivation that holds for every exchangeable law, held against the statement at finite ones.

A finite law is one of some sets of tokens in random order; its expectations are exact.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from typing import Any

from proofs_check.binding.instances import derived_bound
from proofs_check.binding.tied import Binding, line, quantities
from proofs_check.claims.pairing import Pair
from theorems.statement.expression import StatementError
from theorems.statement.proposition import Proposition

#: Finite laws that are looked at.
LAWS = 24
ENTRIES = (0, 1, -1, 2, -2, 3)
NUMBERS = ("1", "-1", "2", "1/2", "-3", "0")


def finite_laws_bound(pair: Pair) -> Binding:
    """The derived values and the prints of a claim against its statement at LAWS finite exchangeable laws."""
    try:
        table = quantities(pair.statement)
    except StatementError as error:
        return Binding(missing=[f"what the claim says cannot be read: {line(error)}"])
    return derived_bound(pair, table, finite_laws(table.values()))


def finite_laws(props: Iterable[Proposition]) -> list[dict[str, Any]]:
    """LAWS finite exchangeable laws, as cases of propositions."""
    names = sorted({name for prop in props for name in (*prop.parameters, *prop.positions)} - {"T"})
    return list(_laws(names))


def _laws(names: list[str]) -> Iterator[dict[str, Any]]:
    """Cases {"tokens", "W", "i", "j", "k", ...}: k is the number of tokens, other positions are distinct ones."""
    draw = random.Random(0)
    for number in range(LAWS):
        d, k, sets = 1 + number % 3, 2 + number % 3, 1 + number // 8
        tokens = [[[draw.choice(ENTRIES) for _ in range(d)] for _ in range(k)] for _ in range(sets)]
        W = [[draw.choice(ENTRIES) for _ in range(d)] for _ in range(d)]
        case: dict[str, Any] = {"tokens": tokens, "W": W, "i": 1, "j": 2, "k": k}
        yield case | {name: draw.choice(NUMBERS) for name in names if name not in case}
