"""Powers and products compared by their bases and factors.

b^e >= 0 for b >= 0, and c^e >= b^e for c >= |b| and whole e >= 0. Of products over the same indices with factors
f_k >= g_k >= 0 the first is the larger one; what one of them begins later by are factors of their own. A product of
exponentials is the exponential of a sum.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from theorems.statement.expression import BINDERS, Expr, StatementError, fresh, minus, name, negative, number
from theorems.statement.proofs.steps import Step, Steps, together
from theorems.statement.values.numbers import rational_at

if TYPE_CHECKING:
    from theorems.statement.proofs.prover import Prover

ZERO, ONE = number(0), number(1)
POWERS, PRODUCTS = "powers of numbers >= 0 rise with their bases", "products of factors >= 0 rise with each of them"
#: By how many factors one product may begin later.
LATER = 4


def by_bases(prover: Prover, high: Expr, low: Expr) -> Steps | None:
    """c^e >= b^e, or b^e >= 0, where an exponent is no number."""
    if high.op != "**" or high.args[1].op == "number":
        return None
    base, exponent = high.args
    if low == ZERO:
        steps = prover.at_least(base, ZERO, False)
        return None if steps is None else [Step(POWERS, f"{high} >= 0"), *steps]
    if low.op != "**" or low.args[1] != exponent or exponent.op != "name" or exponent.args[0] not in prover.whole:
        return None
    found = together(prover.at_least(base, one, False) for one in (low.args[0], negative(low.args[0])))
    return None if found is None else [Step(POWERS, f"{base} >= |{low.args[0]}|, {exponent} >= 0"), *found]


def as_sums(node: Expr) -> Expr:
    """An expression with exp(sum(f_k)) for prod(exp(f_k))."""
    node = node.mapped(as_sums)
    if node.op != "prod" or node.args[0].op != "exp":
        return node
    return Expr("exp", (Expr("sum", (*node.args[0].args, *node.args[1:])),), node.at)


def by_factors(prover: Prover, high: Expr, low: Expr) -> Steps | None:
    """A product of n factors that are all at least q >= 0 is at least q^n; at most, where they lie from 0 to q."""
    if high.op == low.op:
        return _by_each(prover, high, low) or _by_fewer(prover, high, low)
    product, power = (high, low) if high.op == "prod" else (low, high)
    _, _, first, last = product.args
    if power.op != "**" or prover.equal(power.args[1], Expr("+", (minus(last, first), ONE))) is None:
        return None
    if prover.at_least(power.args[1], ZERO, False) is None:
        # an empty product is 1, and base**(-1) is not
        return None
    base = power.args[0]
    inside, body = prover.within(product)
    goals = [(base, ZERO), (body, base)] if product is high else [(body, ZERO), (base, body)]
    found = together([inside.at_least(above, below, False) for above, below in goals])
    told = f"{goals[1][0]} >= {goals[1][1]}"
    return None if found is None else [Step("a product is bounded by its factors", told), *found]


def _by_each(prover: Prover, high: Expr, low: Expr) -> Steps | None:
    """prod_k f_k >= prod_k g_k by 0 <= g_k <= f_k, and the factors that one of both begins earlier with."""
    body, index, start, last = high.args
    other, own, first, end = low.args
    shift = _shift(start, first)
    if end != last or shift is None or abs(shift) > LATER:
        return None
    later = high if shift < 0 else low
    inside, factor = prover.within(Expr("prod", (body, index, later.args[2], last)))
    k = name(prover.own_index(index))
    # of whole numbers
    inside, less = inside.knowing((">=", Expr("**", (k, number(2))), k)), other.put({own: k})
    apart = [
        (minus(one.args[0].put({one.args[1]: Expr("+", (one.args[2], number(j)))}), ONE), one is low)
        for one in (high, low)
        for j in range(max(shift if one is high else -shift, 0))
    ]
    # an empty product is 1, and not what comes before its first factor
    goals = (
        prover.at_least(Expr("+", (minus(last, later.args[2]), ONE)), ZERO, False),
        inside.at_least(less, ZERO, False),
        inside.at_least(factor, less, False) if factor != less else [],
        *(prover.at_least(*((ZERO, gap) if small else (gap, ZERO)), False) for gap, small in apart),
        *(prover.at_least(Expr("+", (gap, ONE)), ZERO, False) for gap, small in apart if small),
    )
    found = together(goals)
    return None if found is None else [Step(PRODUCTS, f"{high} >= {low}"), *found]


def _by_fewer(prover: Prover, high: Expr, low: Expr) -> Steps | None:
    """A product of factors from 0 to 1 is at least what more of them have for a product."""
    body, index, first, last = high.args
    other, own, *ends = low.args
    if other.put({own: name(index)}) != body or ends[0] != first:
        return None
    inside, factor = prover.within(low)
    goals = (
        [Step("a product of factors from 0 to 1 falls with their number", f"{high} >= {low}")],
        inside.at_least(factor, ZERO, False),
        inside.at_least(ONE, factor, False),
        prover.at_least(ends[1], last, False),
        prover.at_least(Expr("+", (minus(last, first), ONE)), ZERO, False),
    )
    return together(goals)


def _shift(start: Expr, first: Expr) -> int | None:
    """By how much one place is before another, where that is a whole number: > 0 where high begins earlier."""
    try:
        gap = rational_at(minus(first, start), {})
    except (StatementError, KeyError):
        return 0 if first == start else None
    return int(gap) if gap.denominator == 1 else None


def by_common_products(prover: Prover, high: Expr, low: Expr, relation: str) -> Steps | None:
    """high >= low, > or =, whatever positive numbers the products are that occur in both sides."""
    taken = {*high.names(), *low.names(), *prover.known.ranges, *prover.prop.parameters, *prover.prop.positions}
    common = [{node for node in side.walk() if node.op == "prod"} for side in (high, low)]
    found: Steps = []
    for node, label in zip(sorted(common[0] & common[1], key=str), fresh("product", taken), strict=False):
        positive = prover.at_least(node, number(0), True)
        if positive is None:
            return None
        high, low = (side.swapped(node, name(label)) for side in (high, low))
        prover, found = prover.knowing(("<", number(0), name(label))), [*found, *positive]
    if not found or high.has(*BINDERS) or low.has(*BINDERS):
        return None
    steps = prover.equal(high, low) if relation == "=" else prover.at_least(high, low, relation == ">")
    return None if steps is None else [*found, *steps]
