"""The sides of a statement about moments in a limit, and whether its relation holds of them there.

An equality up to an error term is about the size of (left - right)/scale, an inequality about what exceeds 0 of it.
"""

from __future__ import annotations

import re
from dataclasses import replace

import sympy as sp

from theorems.algebra.expressions import symbol
from theorems.statement.expression import Expr, StatementError
from theorems.statement.limits.limits import GROWING, Regime, consequences, leading, limit, put, uniform
from theorems.statement.limits.shares import Shares
from theorems.statement.moments.forms import NotPolynomialError
from theorems.statement.moments.normal import equal, nonnegative
from theorems.statement.moments.scalars import sympy_of
from theorems.statement.moments.signs import nonzero, positive_names
from theorems.statement.proposition import Proposition
from theorems.statement.reading.places import Order, ordered
from theorems.statement.reading.tending import share_ranges

#: A name in that of a trace or of a form: W and Sigma in tr(W*Sigma).
_LETTER = re.compile(r"[A-Za-z]\w*")


def limit_sides(
    prop: Proposition, order: Order, regime: Regime, left: sp.Expr, right: sp.Expr, scale: sp.Expr
) -> tuple[sp.Expr, sp.Expr, bool] | None:
    """What the sides are in the limit, and whether the relation was shown of it; None where an order has no limit.

    NotPolynomialError where that is not decided. Of an error term the sides are (left - right)/scale, and 0; its scale
    is given in the order, like both sides: where i = T, O(i) is O(T).
    """
    tied = consequences(prop, order, regime)
    ranges = share_ranges(prop.known.ranges, prop.limit, ordered(prop.known.places, order))
    prop, ranked = replace(prop, known=replace(prop.known, ranges=ranges)), Shares(prop.limit, order)
    bounded = prop.limit.variable == "T" and "T" in dict(order.values)
    if sp.Symbol("never#") in tied or bounded:
        return None
    small = frozenset(
        symbol(name)
        for name, known in prop.known.ranges.items()
        if known.low is not None
        and known.high is not None
        and (known.low > -1 or (known.low == -1 and known.low_open))
        and (known.high < 1 or (known.high == 1 and known.high_open))
    )
    _stays(prop, regime, left - right)
    shares = {symbol(f"{name}/T"): sympy_of(form) for name, form in prop.limit.regime}

    def settled(value: sp.Expr) -> sp.Expr:
        return ranked.settled(value.xreplace(shares)).xreplace(tied)

    def never_zero(value: sp.Expr) -> bool:
        return nonzero(prop, order, settled(value))

    moving = put(left, regime).xreplace(tied), put(right, regime).xreplace(tied)
    if prop.error is not None:
        kind, stated = prop.error
        weight = put(scale, regime).xreplace(tied)
        if weight == 0:
            raise StatementError(
                f"the error term {kind}({stated}) has the scale 0; write its size, e.g. o(T)", at=stated.at
            )
        if not never_zero(leading(weight, small, never_zero).coefficient):
            raise NotPolynomialError(
                f"the scale {stated} of the error term is not seen to differ from 0; exclude 0 by a hypothesis, or "
                "give a scale in powers of what tends"
            )
        gap = sp.together(moving[0] - moving[1])
        weight *= _scale_sign(prop, order, settled(leading(weight, small, never_zero).coefficient)) if prop.way else 1
        _uniformly(prop, order, (left - right) / scale)
        found = leading(gap / weight, small, never_zero) if not equal(moving[0], moving[1]) else None
        shown = sp.Integer(0) if found is None else found.coefficient
        if found is not None and found.power == 0:
            shown = settled(shown)
        # O(...) holds with any coefficient, o(...) where it is 0 as the positions tend
        small_enough = found is None or found.power < 0 or (found.power == 0 and (kind == "O" or shown == 0))
        fine = small_enough or shown == 0
        if not fine and prop.way and found is not None:
            # without the error it may hold everywhere
            fine = _stays_below(prop, order, prop.way * (right - left))
            if not fine and not _free(prop, order) & (left - right).free_symbols:
                fine = _stays_below(prop, order, -prop.way * settled(shown), found.power)
        value = shown * GROWING ** (found.power if found is not None else 0)
        return value.subs(GROWING, _index(prop, regime)), sp.Integer(0), bool(fine)
    if prop.relation == "~":
        _uniformly(prop, order, left / right)
        ratio = settled(limit(moving[0] / moving[1], small, never_zero))
        below = sp.fraction(sp.cancel(sp.together(moving[0] / moving[1])))[1].xreplace(shares)
        if not never_zero(leading(below, small, never_zero).coefficient):
            raise NotPolynomialError(f"the right side may vanish where {below} = 0; exclude that by a hypothesis")
        return ratio, sp.Integer(1), equal(ratio, sp.Integer(1))
    _uniformly(prop, order, left)
    goes, printed = settled(limit(moving[0], small, never_zero)), settled(moving[1])
    return goes, printed, goes is not sp.oo and equal(goes, printed, positive_names(prop, order, goes - printed))


def _scale_sign(prop: Proposition, order: Order, weight: sp.Expr) -> int:
    """The sign of an error term's scale, as an inequality is up to its size."""
    for way in (1, -1):
        if nonnegative(way * weight, positive_names(prop, order, weight)):
            return way
    raise NotPolynomialError(f"the sign of the error term's scale is that of {weight}, which is not seen")


def _stays_below(prop: Proposition, order: Order, room: sp.Expr, power: float = 0) -> bool:
    """Whether -room * GROWING^power stays at most 0 where room is but the leading coefficient of what is looked at.

    Where it grows and the coefficient vanishes, lower terms lead.
    """
    below = nonnegative(room, positive_names(prop, order, room))
    return below and (power <= 0 or nonzero(prop, order, room))


def _index(prop: Proposition, regime: Regime) -> sp.Expr:
    """What grows, in the name that tends: the name itself, or +-1/(name - its limit)."""
    name = symbol(prop.limit.variable)
    if prop.limit.variable == "T" or prop.limit.value is None:
        return name
    point = sympy_of(prop.limit.value)
    return sp.expand((regime.table[name.name] - point) * GROWING) / (name - point)


def _stays(prop: Proposition, regime: Regime, value: sp.Expr) -> None:
    """NotPolynomialError where something that the limit leaves fixed in fact moves with what tends."""
    variable = prop.limit.variable
    names = {free.name for free in value.free_symbols}
    if variable == "d" and (
        moved := sorted(name for name in names if name.startswith(("tr(", "norm(")) or ".T*" in name)
    ):
        raise NotPolynomialError(f"{moved[0]} changes with d; nothing is said of how")
    for mark, *sides in prop.known.relations:
        # W with tr(W*Sigma) = i is another one for every i
        spoken = _letters(*sides)
        if mark != "!=" and (tends := sorted(spoken & {variable, *regime.table})):
            tied = spoken - {variable, "T", *prop.positions}
            if moved := sorted(name for name in names if tied & set(_LETTER.findall(name))):
                raise NotPolynomialError(f"{moved[0]} changes with {tends[0]}; nothing is said of how")
    if variable != "T" and variable in prop.positions and (others := sorted(names & set(prop.positions) - {variable})):
        raise NotPolynomialError(f"how {others[0]} moves as {variable} tends is not said; write T -> oo, i/T -> theta")


def _letters(*sides: Expr) -> set[str]:
    """The names in expressions, those of matrices and vectors among them."""
    letters = {part.args[0] for side in sides for part in side.walk() if part.op in ("matrix", "vector", "family")}
    return letters.union(*(side.names() for side in sides))


def _free(prop: Proposition, order: Order) -> set[sp.Symbol]:
    """Positions of which a limit T -> oo says nothing."""
    if prop.limit.variable != "T":
        return set()
    tied, said = dict(order.values), dict(prop.limit.regime)
    return {symbol(name) for name in prop.positions if name != "T" and name not in said and name not in tied}


def _uniformly(prop: Proposition, order: Order, value: sp.Expr) -> None:
    """NotPolynomialError where positions that tend nowhere are not decided by their ends."""
    free = _free(prop, order)
    if not free & value.free_symbols:
        return
    ranked = {symbol(place.name): None for node in order.nodes for place in node if place.name and place.name != "T"}
    uniform(value, [*ranked, symbol("T")], free, positive_names(prop, order, value))
