"""Trusted rules about the expected cosine of exchangeable vectors, against the ratio of expectations.

Everywhere a = |Y_i|/sqrt(D) and b = |Y_j|/sqrt(D) with D = E|Y_i|^2, and a pair (c, mu) stands for the inequality

    |1 - a b| <= c/2 (|1 - a^2| + |1 - b^2|) + mu/2 (a^2 + b^2 - 2)    for all a, b > 0.

Where a^2 and b^2 are above or below 1 it is two polynomial inequalities, one for each sign of 1 - a b.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sympy as sp

from theorems.algebra.closed import vanishes
from theorems.algebra.expressions import symbol
from theorems.rules import licensed_by, rule

a, b = symbol("a"), symbol("b")

#: The parts of 0 <= b <= a, up to which the inequality is symmetric: the signs of 1 - a^2 and of 1 - b^2, and
#: polynomials that are not negative there.
PARTS: dict[str, tuple[int, int, tuple[sp.Expr, ...]]] = {
    "b <= a <= 1": (1, 1, (b, a - b, 1 - a)),
    "1 <= b <= a": (-1, -1, (b - 1, a - b)),
    "b <= 1 <= a": (-1, 1, (b, 1 - b, a - 1)),
}

#: Every 0 < b <= a of a part by u, v >= 0.
_u, _v = symbol("u"), symbol("v")
_ORTHANT = {
    "b <= a <= 1": {a: 1 / (1 + _u), b: 1 / ((1 + _u) * (1 + _v))},
    "1 <= b <= a": {a: 1 + _u + _v, b: 1 + _u},
    "b <= 1 <= a": {a: 1 + _u, b: 1 / (1 + _v)},
}

#: The powers that a certificate may take.
POWERS = range(65)
#: A sum of positive numbers times powers of a part's polynomials: (coefficient, one exponent for each of them).
Certificate = tuple[tuple[sp.Rational, tuple[int, ...]], ...]


def slacks(c: sp.Expr, mu: sp.Expr) -> Iterator[tuple[str, int, sp.Expr]]:
    """(part, sign, polynomial) for the six polynomials that must not be negative on their parts.

    The polynomial is the right-hand side of the inequality for (c, mu) minus sign (1 - a b).
    """
    for part, (first, second, _) in PARTS.items():
        bound = c / 2 * (first * (1 - a**2) + second * (1 - b**2)) + mu / 2 * (a**2 + b**2 - 2)
        for sign in (1, -1):
            yield part, sign, sp.expand(bound - sign * (1 - a * b))


@rule("cosine-pointwise")
def cosine_pointwise(c: sp.Expr, mu: sp.Expr, certificates: tuple[Certificate, ...]) -> bool:
    """The inequality for (c, mu): every slack is a sum of positive numbers times products of what is not negative.

    One certificate for every slack, in their order; each is an identity of polynomials in a and b. Trusted: the parts
    are all of 0 < b <= a, and both sides are symmetric in a and b.
    """
    if not (c.is_Rational and mu.is_Rational):
        return False
    for (part, _, slack), certificate in zip(slacks(c, mu), certificates, strict=True):
        factors = PARTS[part][2]
        total = sp.Integer(0)
        for coefficient, exponents in certificate:
            # a rounded number would let through what is false by less than it is rounded
            if not (coefficient.is_Rational and coefficient.is_positive):
                return False
            # to a power that is no number a factor may become anything: f^(log p/log f) = p
            if any(power not in POWERS for power in exponents):
                return False
            total += coefficient * sp.Mul(*(f**n for f, n in zip(factors, exponents, strict=True)))
        if sp.expand(total - slack) != 0:
            return False
    return True


@rule("cosine-orthant")
def cosine_orthant(c: sp.Expr, mu: sp.Expr) -> bool:
    """The inequality for (c, mu), with every part's a, b > 0 written in u, v >= 0.

    Every slack is then a quotient of polynomials without negative coefficients. Trusted: as for cosine-pointwise, and
    that u, v >= 0 run over all of a part.
    """
    if not (c.is_Rational and mu.is_Rational):
        return False
    for part, _, slack in slacks(c, mu):
        quotient = sp.fraction(sp.together(slack.xreplace(_ORTHANT[part])))
        if any(value.is_negative for side in quotient for value in sp.Poly(side, _u, _v).coeffs()):
            return False
    return True


#: Rules that show the inequality for the (c, mu) which their data begin with.
POINTWISE = frozenset({"cosine-pointwise", "cosine-orthant"})


def _cosines(left: sp.Expr, right: sp.Expr, end: str, pointwise: Any) -> tuple[str, ...]:
    """That there is a cosine."""
    return (f"Y_i({end}) is almost surely not zero" if end else "Y_i is almost surely not zero",)


@rule("cosine-average", needs=_cosines)
def cosine_average(left: sp.Expr, right: sp.Expr, end: str, pointwise: Any) -> bool:
    """|E cos(Y_i, Y_j) - R| <= c E|1 - r_i^2|, R = E[Y_i^T Y_j]/D, from the inequality for (c, mu).

    ``end`` says of which law: "" the tokens themselves, "0" or "1" a head's outputs; that they are almost surely not
    zero is asked for. Trusted, for exchangeable Y_i with a finite D: E cos - R = E[(1 - a b) cos] with |cos| <= 1,
    E a^2 = E b^2 = 1, so that mu drops out, and E|1 - a^2| = E|1 - b^2|.
    """
    if not licensed_by(pointwise, POINTWISE):
        return False
    gap, spread = {
        "": (symbol("gap"), symbol("spread")),
        "0": (sp.Abs(symbol("cosine_0") - symbol("ratio_0")), symbol("spread_0")),
        "1": (sp.Abs(symbol("cosine_1") - symbol("ratio_1")), symbol("spread_1")),
    }[end]
    return vanishes(left - gap) and vanishes(right - pointwise.data[0] * spread)


@rule("cosine-difference")
def cosine_difference(left: sp.Expr, right: sp.Expr, first: Any, last: Any) -> bool:
    """E cos at l = 0 less E cos at l = 1, from |x - p| <= A and |y - q| <= B: x - y <= A + B + p - q.

    Trusted: the triangle inequality.
    """
    for step, end in ((first, "0"), (last, "1")):
        if not licensed_by(step, ("cosine-average",)) or step.data[2] != end:
            return False
    fall = symbol("cosine_0") - symbol("cosine_1")
    change = symbol("ratio_0") - symbol("ratio_1")
    return vanishes(left - fall) and vanishes(right - (first.data[1] + last.data[1] + change))
