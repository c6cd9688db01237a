"""A derivation that holds for every exchangeable law, held against the statement at finite ones.

A finite law is one of some sets of tokens in random order; its expectations are exact.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import islice
from typing import Any

from proofs_check.binding.instances import derived_bound
from proofs_check.binding.named import InstanceError, instance
from proofs_check.binding.tied import Binding, line, quantities
from proofs_check.checks.evidence import Seen
from proofs_check.checks.points import BITS
from proofs_check.claims.pairing import Pair
from theorems.algebra.balls import precision
from theorems.statement.expression import StatementError
from theorems.statement.proposition import Proposition
from theorems.statement.values.arithmetic import UndefinedError
from theorems.statement.values.cases import admissible

#: Finite laws that are looked at, of so many that are drawn.
LAWS, DRAWS = 24, 240
ENTRIES = (0, 1, -1, 2, -2, 3)
NUMBERS = ("1", "-1", "2", "1/2", "-3", "0")


def finite_laws_bound(pair: Pair) -> Binding:
    """The derived values and the prints of a claim against its statement at LAWS finite exchangeable laws."""
    try:
        table = quantities(pair.statement)
        laws = finite_laws(tuple(table.values()))
    except (StatementError, InstanceError) as error:
        return Binding(missing=[f"what the claim says cannot be read: {line(error)}"])
    if not laws:
        return Binding(missing=["no finite law that was drawn satisfies the hypotheses"])
    return derived_bound(pair, table, laws)


def finite_laws(props: Sequence[Proposition]) -> list[dict[str, Any]]:
    """LAWS finite exchangeable laws within the hypotheses of all propositions, as cases of them."""
    with precision(BITS):
        return list(islice((case for case in _laws(props) if all(_within(prop, case) for prop in props)), LAWS))


def _within(prop: Proposition, case: dict[str, Any]) -> bool:
    try:
        return not admissible(prop, instance(prop, Seen(case, case, {}), None))
    except (UndefinedError, IndexError):
        # a hypothesis says nothing there
        return False


def _laws(props: Iterable[Proposition]) -> Iterator[dict[str, Any]]:
    """Cases {"tokens", "W", "i", "j", "k", ...}: k is the number of tokens, positions are any of them."""
    draw = random.Random(0)
    positions = sorted({name for prop in props for name in prop.positions} - {"T"})
    names = sorted({name for prop in props for name in prop.parameters} - {*positions, "T"})
    for number in range(DRAWS):
        d, k, sets = 1 + number % 3, 2 + number % 3, 1 + number // 8 % 3
        tokens = [[[draw.choice(ENTRIES) for _ in range(d)] for _ in range(k)] for _ in range(sets)]
        # large and small beside beta
        size = (1, 8)[number % 2]
        W = [[str(Fraction(draw.choice(ENTRIES), size)) for _ in range(d)] for _ in range(d)]
        case: dict[str, Any] = {"tokens": tokens, "W": W, "k": k, **{name: draw.randint(1, k) for name in positions}}
        yield case | {name: draw.choice(NUMBERS) for name in names if name not in case}
