"""Inequalities through a monotone function, and term by term: log(a) >= b where a >= exp(b), sums by their terms."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from theorems.statement.expression import BINDERS, Expr, minus, negative, number
from theorems.statement.proofs.averages import averaged
from theorems.statement.proofs.steps import Step, Steps, together

if TYPE_CHECKING:
    from theorems.statement.proofs.prover import Prover

ONE = number(1)


def by_logarithm(prover: Prover, high: Expr, low: Expr, strict: bool) -> Steps | None:
    """c log(a) + b >= 0 with a constant c: a >= exp(-b/c) where c > 0, and a <= exp(-b/c) where c < 0."""
    parts = parts_of(minus(high, low), Fraction(1))
    for k, (weight, part) in enumerate(parts):
        if part.op != "log":
            continue
        exponent = _combined([(-one / weight, other) for j, (one, other) in enumerate(parts) if j != k])
        sides = [part.args[0], Expr("exp", (exponent,))]
        above, below = sides if weight > 0 else sides[::-1]
        found = prover.at_least(above, below, strict)
        if found is not None:
            return [Step("log is increasing", f"{above} {'>' if strict else '>='} {below}"), *found]
    return None


def by_exponent(prover: Prover, high: Expr, low: Expr, strict: bool) -> Steps | None:
    """exp(a) <= b where b > 0 and a <= log(b), and exp(a) >= b where b > 0 and a >= log(b)."""
    for one, other, above in ((low, high, False), (high, low, True)):
        if one.op != "exp" or other.op == "number" or prover.nested:
            continue
        exponent, logarithm = one.args[0], Expr("log", (other,))
        more, less = (exponent, logarithm) if above else (logarithm, exponent)
        # the logarithm alone, which by_logarithm would turn into this exponential again
        found = together((prover.at_least(other, number(0), True), prover.certified(more, less, strict)))
        if found is not None:
            return [Step("exp is increasing", f"{more} {'>' if strict else '>='} {less}"), *found]
    return None


def by_terms(prover: Prover, high: Expr, low: Expr, strict: bool) -> Steps | None:
    """n >= 1 terms that are all at least q/n sum to at least q; to at most q, where all are at most q/n.

    Of a mean by the weights softmax(s)[j] all that is averaged is compared with q itself.
    """
    parts = parts_of(minus(high, low), Fraction(1))
    sums = [k for k, (_, part) in enumerate(parts) if part.has("sum")]
    if len(sums) != 1:
        return None
    weight, part = parts[sums[0]]
    total, factors = _factored(part)
    if total is None or any(factor.has("sum") for factor in factors):
        return None
    _, _, first, last = total.args
    if not all(_whole(end, prover.whole) for end in (first, last)):
        return None
    count, factor = Expr("+", (minus(last, first), ONE)), Expr("*", (ONE, *factors))
    inner = averaged(total, prover)
    if inner is not None:
        total, count = Expr("sum", (inner[1], *total.args[1:])), ONE
    found = prover.at_least(count, ONE, False)
    positive = prover.at_least(factor, number(0), True) if factors and found is not None else []
    if found is None or positive is None:
        return None
    rest = _combined([(-one / weight, other) for k, (one, other) in enumerate(parts) if k != sums[0]])
    share = Expr("/", (rest, Expr("*", (count, factor))))
    inside, body = prover.within(total)
    above, below = (body, share) if weight > 0 else (share, body)
    steps = inside.at_least(above, below, strict)
    if steps is None:
        return None
    return [
        Step("a sum is bounded by its terms", f"{above} {'>' if strict else '>='} {below}"),
        *found,
        *positive,
        *steps,
    ]


def by_signs(prover: Prover, high: Expr, low: Expr, strict: bool) -> Steps | None:
    """|t| is t or -t, and max(a, b) is a or b: the inequality on both sides of t = 0, and of a = b."""
    gap = minus(high, low)
    split = _two_sided(gap)
    if split is None:
        return None
    one, two = (split.args[0], negative(split.args[0])) if split.op == "abs" else split.args
    first, second = (two, one) if split.op == "min" else (one, two)
    told: Steps = [Step("cases by sign", f"{one} >= {two}, and {one} <= {two}")]
    for value, apart in ((first, minus(one, two)), (second, minus(two, one))):
        inside = prover.under(apart)
        if any(values.empty for values in inside.known.ranges.values()):
            continue
        steps = inside.at_least(_replaced(gap, split, value), number(0), strict)
        if steps is None:
            return None
        told += steps
    return told


def unclipped(node: Expr) -> Expr:
    """The expression with clip(a, low, high) as min(max(a, low), high)."""
    made = node.mapped(unclipped)
    return Expr("min", (Expr("max", made.args[:2]), made.args[2]), made.at) if made.op == "clip" else made


def _two_sided(node: Expr) -> Expr | None:
    """|t|, max(a, b) or min(a, b), the same for every value of an index."""
    if node.op == "abs" or (node.op in ("max", "min") and len(node.args) == 2):
        return node
    return None if node.op in BINDERS else next(filter(None, map(_two_sided, node)), None)


def _replaced(node: Expr, old: Expr, new: Expr) -> Expr:
    if node == old:
        return new
    return node if node.op in BINDERS else node.mapped(lambda arg: _replaced(arg, old, new))


def parts_of(node: Expr, weight: Fraction) -> list[tuple[Fraction, Expr]]:
    """The terms of a sum, each with its constant factor."""
    if node.op == "+":
        return [part for arg in node.args for part in parts_of(arg, weight)]
    if node.op == "*" and (constants := [arg.args[0] for arg in node.args if arg.op == "number"]):
        for constant in constants:
            weight *= constant
        rest = tuple(arg for arg in node.args if arg.op != "number")
        return parts_of(rest[0] if len(rest) == 1 else Expr("*", rest) if rest else ONE, weight) if weight else []
    if node.op == "/" and node.args[1].op == "number" and node.args[1].args[0]:
        return parts_of(node.args[0], weight / node.args[1].args[0])
    return [(weight, node)]


def _combined(parts: list[tuple[Fraction, Expr]]) -> Expr:
    return Expr("+", (number(0), *(Expr("*", (number(weight), part)) for weight, part in parts)))


def _factored(node: Expr) -> tuple[Expr | None, list[Expr]]:
    """The sum in a product, and what stands beside it."""
    if node.op == "sum":
        return node, []
    if node.op == "/":
        total, factors = _factored(node.args[0])
        return total, [*factors, Expr("/", (ONE, node.args[1]))]
    if node.op == "*":
        inner = [arg for arg in node.args if arg.has("sum")]
        total, factors = _factored(inner[0]) if len(inner) == 1 else (None, [])
        return total, [*factors, *(arg for arg in node.args if arg not in inner)]
    return None, []


def _whole(end: Expr, whole: set[str]) -> bool:
    """Whether an end of a sum is made of integers by addition."""
    if end.op == "number":
        return bool(end.args[0].denominator == 1)
    if end.op == "name":
        return end.args[0] in whole
    return end.op in ("+", "*") and all(_whole(arg, whole) for arg in end)
