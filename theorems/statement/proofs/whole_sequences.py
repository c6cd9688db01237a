"""Products over sequences of whole numbers: B(J_1) ... B(J_n)/B(J_1 + ... + J_n), B(q) = r(0) r(1) ... r(q - 1).

With 0 < r(0) <= r(1) <= ... is B(a) B(b)/B(a + b) = prod_(j<b) r(j)/r(a + j), where every factor is at most 1, and the
first one at most r(0)/r(1) if a, b >= 1. So the product of n >= 2 is at most r(0)/r(1): what the third and later ones
bring is at most 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import sympy as sp

from theorems.algebra.expressions import symbol
from theorems.statement.expression import Expr, StatementError, fresh, name, number
from theorems.statement.moments.repairing import language_text
from theorems.statement.moments.scalars import sympy_of
from theorems.statement.proofs.steps import Step, Steps, together
from theorems.statement.reading.hypotheses import words_of
from theorems.statement.reading.language import parsed

if TYPE_CHECKING:
    from theorems.statement.proofs.prover import Prover

RULE = "products of values with growing ratios, over n >= 2 whole numbers >= 1"
TRUSTED = "B(a) B(b)/B(a + b) = prod_(j<b) r(j)/r(a + j), each factor at most 1, the first at most r(0)/r(1)"


def by_ratios(prover: Prover, high: Expr, low: Expr) -> Steps | None:
    """high >= r(0)/r(1) >= low, where low is such a product."""
    if low.op != "/" or low.args[0].op != "prod":
        return None
    product, below = low.args
    body, index, first, last = product.args
    entries = {part for part in body.walk() if part.op == "entry" and part.args[1] == name(index)}
    if len(entries) != 1 or first != number(1) or not isinstance(head := next(iter(entries)).args[0], str):
        return None
    known = prover.known.choices.get(head)
    size = name(prover.known.sequences[head][0])
    if known is None or last != size:
        return None
    # the argument of B
    labels = {str(label) for side in (low, high) for part in side.walk() for label in part.args}
    own = next(fresh("q", labels | prover.known.ranges.keys()))
    value = body.swapped(entries.pop(), name(own))
    for total in [part for part in below.walk() if part.op == "sum"]:
        if total.args[0] == Expr("entry", (head, name(total.args[1]))) and total.args[2:] == (first, last):
            below = below.swapped(total, name(own))
    if index in value.names() or below != value:
        return None
    ratio = _ratio(value, own)
    if ratio is None:
        return None
    try:
        words = words_of(prover.known)
        r = parsed(language_text(ratio), words)
        ends = [r.put({own: number(k)}) for k in (0, 1)]
        later = r.put({own: Expr("+", (name(own), number(1)))})
    except StatementError:
        return None
    inside = prover.knowing(("<=", number(0), name(own)))
    goals = (
        [Step(RULE, f"B({own}) = {value}, B({own} + 1)/B({own}) = {r}", TRUSTED)],
        inside.defined(r),
        prover.at_least(size, number(2), False),
        prover.at_least(known[0], number(1), False),
        prover.at_least(ends[0], number(0), True),
        inside.at_least(later, r, False),
        prover.at_least(high, Expr("/", (ends[0], ends[1])), False),
    )
    return together(goals)


def _ratio(value: Expr, own: str) -> sp.Expr | None:
    """B(q + 1)/B(q) as a rational function, where B(0) = 1; None where it is none."""
    try:
        B = sympy_of(value)
    except StatementError:
        return None
    q = symbol(own)
    found = sp.cancel(sp.gammasimp(sp.powsimp(sp.expand_power_exp(B.subs(q, q + 1) / B), force=False)))
    if sp.simplify(B.subs(q, 0)) != 1 or not found.is_rational_function(*found.free_symbols):
        return None
    return found
