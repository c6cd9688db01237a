"""The least and the largest of shares of T, as their positions are ordered: where i < j, min(theta, phi) = theta."""

from __future__ import annotations

import math

import sympy as sp

from theorems.statement.moments.scalars import sympy_of
from theorems.statement.reading.places import Order
from theorems.statement.reading.tending import Limit


class Shares:
    """The shares that a limit names, in one order of the positions."""

    def __init__(self, limit: Limit, order: Order) -> None:
        nodes: dict[str, float] = {"": -1, "T": math.inf}
        nodes |= {place.name: k for k, node in enumerate(order.nodes) for place in node}
        # a position at which there is no token stands in no order, but where it is tied to a number, or to T
        nodes |= {name: nodes[place.name] for name, place in order.values if place.name in nodes}
        self._rank: dict[sp.Expr, float] = {sympy_of(form): nodes[name] for name, form in limit.regime if name in nodes}
        self._rank |= {sp.Integer(0): -1, sp.Integer(1): math.inf}

    def settled(self, value: sp.Expr) -> sp.Expr:
        """A value with the least and the largest share, and the distance of two, as they are ordered."""
        return value.xreplace({part: self._settled(part) for part in value.atoms(sp.Min, sp.Max, sp.Abs)})

    def _settled(self, part: sp.Expr) -> sp.Expr:
        extreme = isinstance(part, sp.Min | sp.Max)
        terms = part.args if extreme else sp.Add.make_args(part.args[0])
        above = [one for one in terms if one in self._rank]
        if extreme and len(above) == len(terms):
            return (min if isinstance(part, sp.Min) else max)(above, key=self._rank.__getitem__)
        below = [-one for one in terms if one not in above and -one in self._rank]
        if not extreme and len(above) == len(below) == 1 and len(terms) == 2:
            gap = above[0] - below[0]
            return gap if self._rank[above[0]] >= self._rank[below[0]] else -gap
        return part
