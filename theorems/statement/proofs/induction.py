"""Induction on a whole number: both sides compared at its least value, and what they grow by, or are multiplied by."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from theorems.statement.expression import BINDERS, Expr, minus, name, number
from theorems.statement.proofs.steps import Step, Steps, together
from theorems.statement.reading.hypotheses import spoken_of

if TYPE_CHECKING:
    from theorems.statement.proofs.prover import Prover

ONE, ZERO = number(1), number(0)
#: How deep one induction may stand in another, and most terms of a sum at the least value.
DEEPEST, MOST_TERMS = 3, 12


def by_induction(prover: Prover, high: Expr, low: Expr, relation: str) -> Steps | None:
    """high >= low, or high = low, for all values of a whole number; ``relation`` is ">=" or "="."""
    if prover.inductions >= DEEPEST:
        return None
    for label, first in _whole_names(prover, high, low):
        prover.inductions += 1
        try:
            found = _from(prover, high, low, relation, label, first)
        finally:
            prover.inductions -= 1
        if found is not None:
            return found
    return None


def _whole_names(prover: Prover, high: Expr, low: Expr) -> Iterator[tuple[str, Fraction]]:
    """Integers with a least value of which nothing else is said, at which a sum or a product ends, or in exponents."""
    known = prover.known
    # of what depends on it nothing is known at the places before
    spoken = {*spoken_of(known), *known.fixed, *prover.prop.positions}
    spoken |= {label for one in known.properties for label in one.names()}
    spoken |= {label for side in (high, low) for part in side.walk() if part.op == "entry" for label in part.names()}
    for label in sorted(high.names() | low.names()):
        values = known.ranges.get(label)
        if label in spoken or values is None or not values.integer or values.low is None or values.high is not None:
            continue
        whole = values.low.denominator == 1 and not values.low_open
        if whole and any(_counts(part, label) for side in (high, low) for part in side.walk()):
            yield label, values.low


def _counts(node: Expr, label: str) -> bool:
    """Whether a name is the last index of a sum or a product, or stands in an exponent or a factorial."""
    if node.op in ("sum", "prod"):
        return bool(node.args[3] == name(label))
    if node.op == "**":
        # n**n grows by nothing simpler
        return label in node.args[1].names() - node.args[0].names()
    return node.op == "gamma" and label in node.names()


def _from(prover: Prover, high: Expr, low: Expr, relation: str, label: str, first: Fraction) -> Steps | None:
    start = {label: number(first)}
    ends = _all(_spread(side.put(start)) for side in (high, low))
    if ends is None:
        return None

    def shown(sides: list[Expr]) -> Steps | None:
        one, two = sides
        return prover.equal(one, two) if relation == "=" else prover.at_least(one, two, False)

    told = f"{high} {relation} {low}, {label} = {first}, {first + 1}, ..."
    grown = _all(_growth(side, label, first) for side in (high, low))
    if grown is not None and (steps := together((shown(grown), shown(ends)))) is not None:
        return [Step("induction: both sides at the first place, and what they grow by", told), *steps]
    ratios = _all(ratio(side, label, first) for side in (high, low))
    if ratios is None:
        return None
    goals = [shown(ratios), shown(ends), *map(prover.defined, ratios)]
    if relation != "=":
        goals += [prover.at_least(side, ZERO, False) for side in (low, ratios[0])]
    steps = together(goals)
    rule = "induction: both sides at the first place, and what they are multiplied by"
    return None if steps is None else [Step(rule, told), *steps]


def _all(parts: Iterable[Expr | None]) -> list[Expr] | None:
    found = list(parts)
    return None if None in found else [part for part in found if part is not None]


def _spread(node: Expr) -> Expr | None:
    """The expression with sums and products between numbers written out; None for one that is too long."""
    if node.op in ("sum", "prod"):
        body, index, first, last = node.args
        if not (first.op == last.op == "number") or last.args[0] - first.args[0] > MOST_TERMS:
            return None
        start, count = first.args[0], int(last.args[0] - first.args[0]) + 1
        parts = _all(_spread(body.put({index: number(start + k)})) for k in range(count))
        return (
            None
            if parts is None
            else Expr("+" if node.op == "sum" else "*", (ZERO if node.op == "sum" else ONE, *parts))
        )
    args = [_spread(arg) if isinstance(arg, Expr) else arg for arg in node.args]
    return None if None in args else Expr(node.op, tuple(args), node.at)


def _further(node: Expr, label: str, first: Fraction) -> Expr | None:
    """What comes to a sum, or a product, up to n where it goes up to n + 1; None where its other parts know n."""
    body, index, begin, last = node.args
    if last != name(label) or label in begin.names() or (label != index and label in body.names()):
        return None
    if begin.op != "number" or begin.args[0] > first + 1:
        # an empty sum has no term that is the last
        return None
    term: Expr = body.put({index: _next(label)})
    return term


def _next(label: str) -> Expr:
    return Expr("+", (name(label), ONE))


def _growth(node: Expr, label: str, first: Fraction) -> Expr | None:
    """f(n + 1) - f(n), where sums stand in f alone, or beside factors without n."""
    if label not in node.names():
        return ZERO
    if node.op == "sum":
        return _further(node, label, first)
    if node.op == "+":
        parts = _all(_growth(arg, label, first) for arg in node.args)
        return None if parts is None else Expr("+", (ZERO, *parts))
    if not node.has("sum", "prod"):
        return minus(node.put({label: _next(label)}), node)
    if node.op in ("*", "/"):
        within = [k for k, arg in enumerate(node.args) if label in arg.names()]
        if len(within) == 1 and (node.op == "*" or within == [0]):
            (k,) = within
            part = _growth(node.args[k], label, first)
            return None if part is None else Expr(node.op, (*node.args[:k], part, *node.args[k + 1 :]))
    return None


def ratio(node: Expr, label: str, first: Fraction) -> Expr | None:
    """f(n + 1)/f(n), of products factor by factor."""
    if label not in node.names():
        return ONE
    if node.op == "prod":
        return _further(node, label, first)
    if node.op in ("*", "/"):
        parts = _all(ratio(arg, label, first) for arg in node.args)
        return None if parts is None else Expr(node.op, tuple(parts))
    if node.op == "**" and label not in node.args[0].names():
        base: Expr = node.args[0]
        exponent: Expr = node.args[1]
        if exponent == name(label):
            return base
        return Expr("**", (base, minus(exponent.put({label: _next(label)}), exponent)))
    if node.op in BINDERS or node.has("sum", "prod"):
        return None
    return Expr("/", (node.put({label: _next(label)}), node))
