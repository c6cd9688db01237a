"""What the setting of one claim says of its names: least values, names in (0, 1), names defined by others.

Such facts are handed over with the claim that they belong to; no table of the process holds them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import sympy as sp


@dataclass(frozen=True)
class Facts:
    """Names at or above the values in ``least``; those in ``above`` are above them, those in ``parts`` in (0, 1).

    ``defined`` are names that the setting makes functions of others.
    """

    least: Mapping[str, int] = field(default_factory=dict)
    above: frozenset[str] = frozenset()
    parts: frozenset[str] = frozenset()
    defined: Mapping[str, sp.Expr] = field(default_factory=dict)

    def __hash__(self) -> int:
        return hash((frozenset(self.least.items()), self.above, self.parts, frozenset(self.defined.items())))

    def lacking(self, wanted: Facts) -> str:
        """The first of the wanted facts that these do not give, in words; "" where they give all of them."""
        for name, start in wanted.least.items():
            if start > self.least.get(name, start - 1):
                return f"{name} >= {start}"
        for name in sorted(wanted.above - self.above):
            return f"{name} > {wanted.least.get(name, 0)}"
        for name in sorted(wanted.parts - self.parts):
            return f"0 < {name} < 1"
        return next((f"{n} = {value}" for n, value in wanted.defined.items() if self.defined.get(n) != value), "")
