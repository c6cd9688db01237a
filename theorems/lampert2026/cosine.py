"""Section 5: the expected cosine of exchangeable tokens, against the ratio of expectations that stands in for it.

The sharp c of |E cos - R| <= c E|1 - r_i^2| comes from pairs of norms (a, b): none may exceed the inequality for
(c, mu) of ``theorems.rules.cosine``, and the pairs (1, 0) and (M, M) with M > 1 meet it with equality where
c - mu = 2 and c + mu = 1. Sets with norms (1, ..., 1, eps), the last one opposite to the others, beside rarer ones with
norms (M, ..., M) and one direction, so come as near to c as one likes, for every k.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import sympy as sp

from theorems.algebra.expressions import symbol
from theorems.gaussian.ensemble import cosine, exact, ratio, spread, traces
from theorems.gaussian.process import Step
from theorems.kernel.derivation import Inequality, derivation, remark
from theorems.rules.cosine import Certificate

#: c and mu from the two pairs that the inequality must meet with equality.
SHARP, MULTIPLIER = sp.Matrix([[1, -1], [1, 1]]).solve(sp.Matrix([2, 1]))

_HALF = sp.Rational(1, 2)


def _sum_of(*terms: tuple[Any, tuple[int, ...]]) -> Certificate:
    return tuple((sp.Rational(coefficient), exponents) for coefficient, exponents in terms)


#: Why each slack of (c, mu) is not negative, part by part, for 1 - ab and then for ab - 1.
CERTIFICATES = (
    # in b, a - b, 1 - a
    _sum_of((1, (0, 0, 1)), (1, (1, 0, 1)), (1, (0, 1, 1)), (1, (1, 1, 0))),
    _sum_of((3, (0, 0, 1)), (1, (0, 1, 0)), (3, (1, 0, 1)), (2, (0, 1, 1)), (2, (1, 1, 0)), (1, (0, 2, 0))),
    # in b - 1, a - b
    _sum_of((4, (1, 0)), (2, (0, 1)), (2, (2, 0)), (2, (1, 1)), (_HALF, (0, 2))),
    _sum_of((_HALF, (0, 2))),
    # in b, 1 - b, a - 1
    _sum_of((_HALF, (0, 0, 2)), (1, (0, 0, 1)), (1, (1, 0, 1)), (1, (1, 1, 0))),
    _sum_of((2, (0, 1, 0)), (1, (1, 1, 0)), (1, (0, 1, 1)), (_HALF, (0, 0, 2))),
)


def _pointwise(second_route: bool) -> Step:
    """|1 - ab| <= c/2 (|1 - a^2| + |1 - b^2|) + mu/2 (a^2 + b^2 - 2) for all a, b > 0."""
    words = "|1 - ab| <= ({0})/2 (|1 - a^2| + |1 - b^2|) + ({1})/2 (a^2 + b^2 - 2) for all a, b > 0: "
    if second_route:
        return Step("cosine-orthant", words + "no negative coefficient in u, v >= 0", (SHARP, MULTIPLIER))
    data = (SHARP, MULTIPLIER, CERTIFICATES)
    return Step("cosine-pointwise", words + "products of what is not negative", data)


def _averaged(pointwise: Step, end: str = "") -> Step:
    """|E cos - R| <= c E|1 - r^2|, of the tokens or of a head's outputs at l = 0 or l = 1."""
    suffix = f"_{end}" if end else ""
    left = sp.Abs(symbol("cosine_" + end) - symbol("ratio_" + end)) if end else symbol("gap")
    words = "{0} <= {1}: the expectation, in which E a^2 = E b^2 = 1"
    return Step("cosine-average", words, (left, SHARP * symbol("spread" + suffix), end, pointwise))


def _method(second_route: bool) -> str:
    if second_route:
        return "pointwise inequality in the positive orthant"
    return "pointwise inequality with a multiplier for E r^2 = 1"


def _case(sets: Sequence[Sequence[Sequence[Any]]], **head: Any) -> dict[str, Any]:
    """A case of numbers that ``Fraction`` reads."""

    def texts(values: Any) -> Any:
        return [texts(value) for value in values] if isinstance(values, (list, tuple)) else str(Fraction(values))

    return {"tokens": texts(sets)} | {name: texts(value) for name, value in head.items()}


def _one_line(eps: str, k: int = 2) -> dict[str, Any]:
    """3 k sets (1, ..., 1, -eps) and one (2, ..., 2) on a line: E r^2 = 1 up to eps^2 for r = 1 in the former."""
    return _case([[["1"]] * (k - 1) + [["-" + eps]]] * (3 * k) + [[["2"]] * k])


@derivation("lampert2026.sec5.cosine-approximation")
def cosine_approximation(second_route: bool) -> Inequality:
    """|E cos - R| <= c E|1 - r^2| for exchangeable tokens, approached by tokens on a line."""
    step = _averaged(_pointwise(second_route))
    points = (
        _case([[["3"], ["1"]], [["3"], ["-3"]]]),
        _case([[["10"], ["1"]], [["12"], ["-12"]]]),
        *(_one_line(f"1/{10**places}") for places in range(2, 7)),
        *(_one_line(f"1/{10**places}", 3) for places in range(2, 5)),
        # equal norms, where both sides are 0
        _case([[["1"], ["-1"]]]),
    )
    return Inequality(step.data[0], step.data[1], points, (step.data[3], step), _method(second_route))


@remark("lampert2026.sec5.cosine-approximation")
def sharpness() -> list[str]:
    """How near exact laws come to the constant."""
    lines = [f"the constant {SHARP} is sharp; equality holds only where all norms are equal, as 0 = 0"]
    for places, k in ((1, 2), (2, 2), (3, 2), (3, 3), (3, 8)):
        law, eps = _one_line(f"1/{10**places}", k), f"-1/{10**places}"
        gap, size = abs(cosine(law, 0) - exact(ratio(law, 0))), exact(spread(law, 0))
        sets = f"{3 * k} sets ({'1, ' * (k - 1)}{eps}) and one ({', '.join('2' * k)})"
        lines.append(f"{sets}: gap = {gap}, which is {float(gap / size):.6f} of the spread")
    return lines


def _falling(eps: str) -> dict[str, Any]:
    """Six sets whose tokens turn from one direction to equal norms, and one that pays for it in tr(BW).

    At l = 0 the six have norms (1, eps)/(1 + eps) and one direction, the seventh (2, -2): E cos - R is near c times the
    spread. At l = 1 all norms are nearly one, 13/24.
    """
    six = [[str(13 * (1 + Fraction(eps))), side] for side in ("20", "-20")]
    return _case([six] * 6 + [[["52", "0"], ["-52", "0"]]], W=[["35/13", "12/5"], ["0", "-1"]], beta="1")


def _both_ends() -> dict[str, Any]:
    """A law near equality at both ends, with spread at both.

    Sets s + t, s - t of four kinds, whose outputs are S +- T at l = 0 and S +- t at l = 1: (i) norms (1, eps) and one
    direction, then equal norms; (ii) equal norms, then (1, eps) and opposite directions; (iii) opposite tokens at both;
    (iv) equal tokens. The lengths are such that the norms called 1 are near sqrt(D).
    """
    turn, rise, grow = Fraction(234, 88), Fraction(451, 126), Fraction(936, 250)
    kinds = (
        (6, 235 / turn, (0, 88, 0)),
        (5, 125 / turn, (126, 0, 0)),
        (1, Fraction(0), (0, 0, 250)),
        (1, 468 / turn, (0, 0, 0)),
    )
    sets = [[[x, s + y, z], [-x, s - y, -z]] for count, s, (x, y, z) in kinds for _ in range(count)]
    return _case(sets, W=[[-1, turn, 0], [rise, -1, 0], [0, 0, grow - 1]], beta="1")


def _whole_fall(copies: int) -> dict[str, Any]:
    """Sets on a line that turn from one direction to opposite ones, and a large one that keeps tr(BW) > 0.

    With n copies the fall is 2 n/(n + 1), and tr(BW) = (8 n^2 - 6 n)/(n + 1).
    """
    turning, large = [["0", "3"], ["0", "1"]], [[copies, "0"], [-copies, "0"]]
    return _case([turning] * copies + [large], W=[["4", "0"], ["0", "-3"]], beta="4")


#: A symmetric W >= 0 under which the cosine falls; W = I, with three tokens.
_SYMMETRIC = _case([[["2", "1"], ["1", "0"]]], W=[["1", "0"], ["0", "0"]], beta="1")
_IDENTITY = _case([[["0", "-1"], ["-3", "2"], ["2", "0"]]], W=[["1", "0"], ["0", "1"]], beta="1")


@derivation("lampert2026.sec5.cosine-transfer")
def cosine_transfer(second_route: bool) -> Inequality:
    """cosine_0 - cosine_1 <= c (spread_0 + spread_1) + ratio_0 - ratio_1: the approximation at both ends.

    A head that averages may well lower the expected cosine while it raises the ratio; the two agree where the norms are
    nearly equal.
    """
    pointwise = _pointwise(second_route)
    first, last = (_averaged(pointwise, end) for end in ("0", "1"))
    quantity = symbol("cosine_0") - symbol("cosine_1")
    upper = first.data[1] + last.data[1] + symbol("ratio_0") - symbol("ratio_1")
    step = Step("cosine-difference", "{0} <= {1}: the approximation at both ends", (quantity, upper, first, last))
    points = (
        _case([[["2", "0"], ["1", "0"]]], W=[["1", "0"], ["1", "0"]], beta="1"),
        _SYMMETRIC,
        _IDENTITY,
        _whole_fall(9),
        _both_ends(),
        *(_falling(f"1/{10**k}") for k in range(1, 5)),
    )
    return Inequality(quantity, upper, points, (pointwise, first, last, step), _method(second_route))


def _falls(law: dict[str, Any]) -> str:
    """The expected cosine at both ends, and beta tr(BW), as text."""
    first, last = (float(cosine(law, end)) for end in (0, 1))
    return f"from {first:.4f} to {last:.4f} with beta tr(BW) = {Fraction(law['beta']) * traces(law)[0]}"


@remark("lampert2026.sec5.cosine-transfer")
def transfer_fails() -> list[str]:
    """What is judged, how far the cosine can fall, and under how plain a W."""
    return [
        "judged in the weak form, not lower at l = 1 than at l = 0; where that is false, so is the increase",
        f"a symmetric W >= 0: {_falls(_SYMMETRIC)}; W = I with three tokens: {_falls(_IDENTITY)}",
        f"the fall comes near 2, the largest there can be: {_falls(_whole_fall(99))}",
        f"where the norms are nearly equal the cosine follows the ratio: it rises where the ratio rises by more than "
        f"{SHARP} (spread_0 + spread_1)",
    ]
