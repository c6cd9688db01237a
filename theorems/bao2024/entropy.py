"""Section 5, Eq. (9): the least entropy of a softmax whose scores have norm nu at most, and the shape of the print."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import sympy as sp

from theorems.algebra.closed import substituted
from theorems.algebra.expressions import symbol
from theorems.gaussian.process import Step
from theorems.kernel.derivation import Fact, derivation, fact
from theorems.kernel.eventually import Eventually
from theorems.rules.entropy import far_out, flow, in_unknown, signs_of

T, nu, k, g, s, n, e = (symbol(name) for name in ("T", "nu", "k", "g", "s", "n", "e"))
HALF = sp.Rational(1, 2)

#: Where a false bound is looked at: large T, simple nu.
POINTS = tuple({"T": 4096, "nu": value} for value in ("1", "1/2", "2", "4", "1/8", "8"))
#: Lengths at which balls cover the slope of the printed bound.
COVERED = (4, 16, 1024)


def two_levels(total: sp.Expr, up: sp.Expr, gap: sp.Expr) -> sp.Expr:
    """Entropy of ``total`` scores, ``up`` of them higher than the others by ``gap``: log Z + gap p(lower ones)."""
    low = (total - up) * sp.exp(-gap)
    return sp.log(up + low) + gap * low / (up + low)


def critical() -> tuple[Step, Step]:
    """Where the entropy is least the scores take two values: one below and one above their mean of 0."""
    x, S, M, m, c = (symbol(name) for name in ("x", "S", "M", "m", "k"))
    partition = sp.exp(x) + S
    mean = (x * sp.exp(x) + M) / partition
    entropy = sp.log(partition) - mean
    slope = -sp.exp(x) * (x - mean) / partition
    condition = sp.exp(x) * (x - m) - c * x
    return (
        Step(
            "stationary-score",
            "dH/dx = {1}; at a least point every score solves {3} = 0",
            (entropy, slope, "x", condition, signs_of("m", "k")),
        ),
        Step(
            "two-roots", "{0} = 0 has one root x < 0 and one root x > 0", (condition, "x", "m", "k", signs_of("m", "k"))
        ),
    )


def rising() -> tuple[Step, Step]:
    """At a fixed norm the entropy of two levels rises with the share s of the higher scores."""
    low = (1 - s) * sp.exp(-g)
    function = sp.log(s + low) + g * low / (s + low)
    constraint = g**2 * s * (1 - s)
    first = 1 - g + g**2 / 2 - sp.exp(-g)
    second = 1 - sp.exp(-g) * (1 + g + g**2 / 2)
    parts = (((1 - s) * sp.exp(-g), first), (s, second))
    positive = sp.Add(*(weight * term for weight, term in parts))
    rise = positive / (s + low) ** 2
    return (
        Step("implicit-slope", "d/ds of {0} with {3} kept: {4}", (function, "s", "g", constraint, rise)),
        Step("non-negative-sum", "{0} > 0 for g > 0 and 0 < s < 1, by Taylor's formula", (positive, parts, "g", "s")),
    )


def least() -> tuple[sp.Expr, tuple[Step, ...]]:
    """The least entropy of T scores of norm <= nu, one up and T - 1 equal, and the steps that show it."""
    levels = Step(
        "two-level-entropy",
        "{0} of {1} scores higher by {2}: squared norm {3}, entropy {4}",
        (k, T, g, g**2 * k * (T - k) / T, two_levels(T, k, g)),
    )
    premises = (*critical(), levels, *rising())
    value = two_levels(T, sp.Integer(1), nu * sp.sqrt(T / (T - 1)))
    last = Step(
        "least-entropy",
        "least entropy, at one score nu sqrt((T - 1)/T), others -nu/sqrt(T (T - 1)): {3}",
        (premises, "T", "nu", value),
    )
    return value, (*premises, last)


def in_the_limit() -> sp.Expr:
    """The least entropy with T for T - 1 and 1 for T/(T - 1): log(1 + z) + nu z/(1 + z) with z = T exp(-nu)."""
    low = T * sp.exp(-nu)
    # both sides of the fraction divided by T
    return sp.log(1 + low) + sp.expand(nu * low / T) / sp.expand((1 + low) / T)


def _sandwich(value: sp.Expr) -> tuple[Step, Step]:
    """log T >= H >= log T - nu exp(nu/2)/sqrt(T) for all scores, by Jensen and Cauchy-Schwarz."""
    mean = nu * sp.exp(nu / 2) / sp.sqrt(T)
    low = sp.log(T) - mean
    words = "log T >= H >= {5}: Z >= {2}, p <= {3}, sum p x <= {4}"
    premise = Step("entropy-sandwich", words, (T, nu, T, sp.exp(nu) / T, mean, low))
    data = (premise, value, "T", "nu", low, sp.log(T), sp.log(T))
    return premise, Step("squeeze", "{4} <= least entropy <= {5}, so it is {6} + o(1)", data)


def _expansion(value: sp.Expr) -> tuple[Step, Step]:
    """|least entropy - log T| <= ((1 + g) exp(g) + 1)/(T - 1) with g = sqrt(2) nu, from the exact value."""
    function = sp.log(1 + n * sp.exp(-g)) + g * n * sp.exp(-g) / (1 + n * sp.exp(-g))
    small = sp.exp(g) / n
    remainder = (1 + g) * small + 1 / n
    premise = Step("log-expansion", "|{0} - log(n + 1)| <= {4}", (function, "g", "n", small, remainder))
    off = substituted(remainder, {"n": T - 1, "g": sp.sqrt(2) * nu})
    low, high = sp.log(T) - off, sp.log(T) + off
    data = (premise, value, "T", "nu", low, high, sp.log(T))
    return premise, Step("squeeze", "{4} <= least entropy <= {5}, so it is {6} + o(1)", data)


@derivation("bao2024.sec5.eq9")
def eq9(second_route: bool) -> Eventually:
    """The least entropy at every T, its growth log T + o(1), and the bound that it is in the limit."""
    value, steps = least()
    last = _expansion(value) if second_route else _sandwich(value)
    method = "expansion of the least value in 1/T" if second_route else "Jensen's and Cauchy-Schwarz's inequality"
    return Eventually(in_the_limit(), value, POINTS, (*steps, *last), method, sp.log(T), ("T", "nu"))


# -- the shape of the printed bound in nu


def _pieces(slope: sp.Expr) -> tuple[sp.Expr, int, sp.Expr, sp.Expr] | None:
    """P, n, B, A with slope = P (T e^n B - A), from its factor that is affine in T; None where there is none."""
    above, below = sp.fraction(sp.factor(sp.together(slope)))
    for factor in sp.Mul.make_args(above):
        if not factor.is_polynomial(T, e) or sp.degree(factor, T) != 1:
            continue
        tilt, rest = sp.Poly(sp.expand(factor), T).all_coeffs()
        if rest == 0:
            continue
        power = min(exponent for (exponent,), _ in sp.Poly(tilt, e).terms())
        scale = sp.Poly(sp.expand(tilt / e**power).xreplace({e: sp.Integer(0)}), nu).LC()
        return scale * above / factor / below, int(power), sp.expand(tilt / e**power / scale), sp.expand(-rest / scale)
    return None


def _turns(bound: sp.Expr) -> dict[str, Fact]:
    """Maxima and minima of a bound on nu > 0: by one crossing of its slope, or by a slope of one sign."""
    rate = -HALF
    form = in_unknown(bound, "nu", rate, "e")
    slope = sp.factor(sp.together(flow(form, "nu", rate, "e")))
    pieces = _pieces(slope)
    if pieces is None:
        data: tuple[Any, ...] = (bound, "nu", slope.xreplace({e: sp.exp(rate * nu)}), sp.Integer(0))
        last = Step("no-turn", "{0} has the slope {2} of one sign", data)
        return {name: fact(sp.Integer(0), (last,), "sign of the slope") for name in ("maxima", "minima")}
    words = "with e = exp(-nu/2) the slope in nu is {5}"
    every = [Step("exponential-slope", words, (bound, "nu", rate, "e", form, slope))]
    _, power, below, above = pieces
    for length in COVERED:
        level = (T * e**power * below - above).xreplace({T: sp.Integer(length), e: sp.exp(rate * nu)})
        words = f"T = {length}: balls show one change of sign of {{0}} for {{2}} <= nu <= {{3}}"
        every.append(Step("sign-cover", words, (sp.expand(level), "nu", Fraction(1, 64), Fraction(64))))
    # A <= nu^2/4, which it begins with, and B >= nu/2
    near = (nu**2 / 4, nu / 2)
    words = "slope P (T e^n B - A) with (P, n, B, A) = {5}, where A/(e^n B) rises from 0 to infinity: {7} = {8}"
    found = {}
    for kind, count in (("maxima", 1), ("minima", 0)):
        data = (bound, "nu", rate, "e", "T", pieces, near, kind, sp.Integer(count))
        found[kind] = fact(sp.Integer(count), (*every, Step("crossing", words, data)), "one crossing of the slope")
    return found


@derivation("bao2024.sec5.eq9-unimodal")
def eq9_unimodal(bound: sp.Expr) -> dict[str, Fact]:
    """Maxima and minima of the printed bound on nu > 0, its limit; and the maxima of the least entropy itself.

    The least entropy of T + 1 scores depends on nu through the gap g = nu sqrt((T + 1)/T) alone.
    """
    limit = far_out(bound, "nu", -HALF).xreplace({e: sp.Integer(0), symbol("v"): sp.Integer(0)})
    far = Step("decay", "as nu -> infinity, {0} -> {3}", (bound, "nu", -HALF, limit))
    near = [
        Step("far-enclosure", "balls at {1} confirm the limit {2}", (bound, (("T", length), ("nu", 512)), limit))
        for length in COVERED
    ]
    entropy = sp.log(1 + T * sp.exp(-g)) + g * T * sp.exp(-g) / (1 + T * sp.exp(-g))
    slope = -g * T * sp.exp(-g) / (1 + T * sp.exp(-g)) ** 2
    words = "the least entropy of T + 1 scores, {0}, falls with the gap g: its slope is {2}"
    falls = Step("no-turn", words, (entropy, "g", slope, sp.Integer(0)))
    return {
        **_turns(bound),
        "limit": fact(limit, (*near, far), "e = exp(-nu/2) and nu e tend to 0"),
        "maxima@the least entropy itself": fact(sp.Integer(0), (falls,), "sign of the slope"),
    }
