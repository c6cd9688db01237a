"""|f(u) - f(v)| <= c |u - v| from |f'| <= c, by the mean value theorem."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from theorems.statement.expression import Expr, name, negative, number
from theorems.statement.proofs.comparing import parts_of
from theorems.statement.proofs.steps import Step, Steps, together
from theorems.statement.reading.calculus import derivative
from theorems.statement.reading.ranges import Range

if TYPE_CHECKING:
    from theorems.statement.proofs.prover import Prover

ONE, ZERO = number(1), number(0)
#: What has a derivative wherever it has a value.
SMOOTH = frozenset(("number", "name", "pi", "+", "*", "/", "exp", "log", "cos", "sin", "erf"))


def by_slopes(prover: Prover, high: Expr, low: Expr) -> Steps | None:
    """low <= |f(u) - f(v)| <= c |u - v| = high, for u and v of one interval of which nothing else is said."""
    for distance in dict.fromkeys(one for one in high.walk() if one.op == "abs"):
        ends = sorted(distance.names())
        scale = _scale(high, distance)
        if len(ends) != 2 or scale is None or not (scale.names().isdisjoint(ends) and _known_alike(prover, *ends)):
            continue
        u, v = ends
        if not prover.identical(distance, Expr("abs", (Expr("+", (name(u), negative(name(v)))),))):
            continue
        gap = low.args[0] if low.op == "abs" else low
        parts = [
            (Expr("*", (number(weight), part)), part.names() & {*ends}) for weight, part in parts_of(gap, Fraction(1))
        ]
        one = Expr("+", (ZERO, *(part for part, names in parts if names == {u})))
        two = Expr("+", (ZERO, *(part for part, names in parts if names == {v})))
        if any(len(names) != 1 for _, names in parts) or not all(map(_smooth, one.walk())):
            continue
        inside = prover.knowing()
        relations = prover.known.relations
        kept = (r for r in relations if not any(side.names() & {*ends} for side in r[1:]))
        inside.known = replace(prover.known, relations=tuple(kept))
        slope = derivative(one, u)
        found = together(
            (
                inside.equal(Expr("+", (one, two.put({v: name(u)}))), ZERO),
                inside.defined(one),
                inside.at_least(scale, slope, False),
                inside.at_least(scale, negative(slope), False),
            )
        )
        if found is not None:
            return [Step("the mean value theorem", f"abs({slope}) <= {scale}, so that {low} <= {high}"), *found]
    return None


def _scale(node: Expr, part: Expr) -> Expr | None:
    """c where a node is c times a part of it."""
    if node == part:
        return ONE
    if node.op == "*" and node.args.count(part) == 1:
        return Expr("*", (ONE, *(arg for arg in node.args if arg != part)))
    if node.op == "/" and (above := _scale(node.args[0], part)) is not None:
        return Expr("/", (above, node.args[1]))
    return None


def _known_alike(prover: Prover, u: str, v: str) -> bool:
    """Whether two names go through the real numbers of one interval."""
    whole = {"d", *prover.whole}
    one, two = (prover.known.ranges.get(label, Range()) for label in (u, v))
    return not ({u, v} & whole) and one == two and not one.integer and not one.nonzero


def _smooth(node: Expr) -> bool:
    if node.op == "**":
        power = node.args[1]
        return power.op == "number" and bool(power.args[0].denominator == 1)
    return node.op in SMOOTH
