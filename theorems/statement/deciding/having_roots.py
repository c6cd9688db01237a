"""Whether what roots and logarithms are taken of, and entries, are there wherever a statement's hypotheses hold.

As quotients are, logarithms of what may be 0 are spoken of where they exist.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import sympy as sp

from theorems.statement.expression import MOMENTS, Expr, number
from theorems.statement.moments.forms import NotPolynomialError
from theorems.statement.moments.having import Values, is_plain, visibly_nonnegative
from theorems.statement.moments.normal import nonnegative
from theorems.statement.moments.signs import positive_names
from theorems.statement.proposition import Proposition

if TYPE_CHECKING:
    from theorems.statement.deciding.decide import Derivation

#: Most places of a sum at which roots under its index are looked at.
PLACES = 4096


def roots_exist(prop: Proposition, derivation: Derivation) -> None:
    """NotPolynomialError where a root or a logarithm is taken of what may be negative, or an entry may be none.

    Of what is made of names alone ``has_values`` speaks.
    """
    values, sides = Values(prop), (prop.left, prop.right)
    bases = dict.fromkeys(base for side in sides for base in _taken(side, values) if not is_plain(base))
    plain = [base for base in bases if visibly_nonnegative(base)]
    for base in (base for base in bases if base not in plain):
        if not (_in_every_order(base, plain, prop, derivation) or _without_moments(base, values)):
            raise NotPolynomialError(f"{base} is not shown to be >= 0, so that its root or logarithm may not exist")
    for node in (node for side in sides for node in side.walk() if node.op in ("entry", "element")):
        if not node.random and values.prover.defined(node) is None:
            raise NotPolynomialError(f"{node} is not shown to be an entry wherever the hypotheses hold", at=node.at)


def bases_of(node: Expr) -> Iterator[tuple[Expr, bool]]:
    """What a side takes roots and logarithms of, and variances; and whether it must be > 0."""
    yield from filter(None, map(_base, node.walk()))


def bases_at(node: Expr, place: Callable[[Expr], int | None]) -> Iterator[tuple[Expr, bool]]:
    """The same, what moves with the index of a sum at each place of the sum, the first ``PLACES``.

    ``place`` gives the number that an end of a sum is, None for an end that is none.
    """
    if node.op == "sum":
        body, index, *ends = node.args
        first, last = map(place, ends)
        moves = any(is_plain(base) and index in base.names() for base, _ in bases_of(body))
        if moves and first is not None and last is not None:
            for k in range(first, min(last, first + PLACES - 1) + 1):
                yield from bases_at(body.put({index: number(k)}), place)
            return
    if (own := _base(node)) is not None:
        yield own
    for arg in node:
        yield from bases_at(arg, place)


def _base(part: Expr) -> tuple[Expr, bool] | None:
    """What one part takes a root or a logarithm of, and whether it must be > 0."""
    if part.op in ("sqrt", "log"):
        base, strict = part.args[0], part.op == "log"
    elif part.op == "**" and part.args[1].op == "number" and part.args[1].args[0].denominator > 1:
        base, strict = part.args[0], negative_power(part.args[1])
    elif part.op == "chance":
        # the variance of a normal number
        base, strict = part.args[2], True
    else:
        return None
    return None if base.random or base.op == "norm" else (base, strict)


def negative_power(exponent: Expr) -> bool:
    """Whether an exponent is a number below 0."""
    return exponent.op == "number" and exponent.args[0] < 0


def _taken(side: Expr, values: Values) -> Iterator[Expr]:
    """What must not be negative in a side: also under powers that may be no integers, and under gamma."""
    yield from (base for base, _ in bases_of(side))
    for part in side.walk():
        power = part.op == "**" and part.args[1].op != "number" and not is_plain(part.args[0])
        if (part.op == "gamma" or (power and not values.whole(part.args[1]))) and not part.args[0].random:
            yield part.args[0]


def _without_moments(base: Expr, values: Values) -> bool:
    return not base.has(*MOMENTS) and values.prover.at_least(base, number(0), False) is not None


def _in_every_order(base: Expr, plain: list[Expr], prop: Proposition, derivation: Derivation) -> bool:
    """Whether a base is >= 0, or has the sign of another that is, by its exact value in every order."""
    for order in derivation.orders:
        try:
            value = derivation.value(order, base)
        except NotPolynomialError:
            if base.has(*MOMENTS):
                raise
            return False
        known = (derivation.value(order, other) for other in plain)
        ratios = (value, *(sp.cancel(value / other) for other in known if other != 0))
        if not any(nonnegative(ratio, positive_names(prop, order, ratio)) for ratio in ratios):
            return False
    return True
