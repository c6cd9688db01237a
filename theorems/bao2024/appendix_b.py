"""Appendix B.2: the displays (B) and (C) summed exactly, what dominates (4), and how fast (19)-(21) grow."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from math import prod
from typing import Any

import sympy as sp

from theorems.algebra.expressions import symbol
from theorems.algebra.matrix_calculus import Matrix
from theorems.bao2024.gradient import ALPHABET, POINTS, gradient, instance
from theorems.bao2024.softmax import gamma, taylor
from theorems.gaussian.asymptotics import expand
from theorems.gaussian.functionals import functional
from theorems.gaussian.numeric import Case
from theorems.gaussian.observables import W
from theorems.gaussian.process import Moment, Position, Process, Step, random_walk
from theorems.kernel.derivation import Fact, Inequality, derivation, fact
from theorems.rules.orders import Order, Rows, integral, leading


@derivation("bao2024.sec3.diagonal-dominance")
def diagonal_dominance(walk: Process, T: Position) -> dict[str, Moment | Fact]:
    """a^T E[X Gamma X^T] b / T without clipping, its part with alpha = i, and their ratio.

    X Gamma X^T = sum_i (X gamma^i) x_i^T.
    """
    own = taylor()["diagonal"].ratio
    part = walk.sum(lambda i: walk.expect(walk.inner("a", i) * walk.inner(i, "b")), upto=T) * own / T
    full = walk.sum(lambda i: walk.expect(walk.inner("a", gamma(walk, i)) * walk.inner(i, "b")), upto=T) / T
    quotient = (part.ratio.expr / full.ratio.expr).cancel()
    table = {"diagonal": part.ratio.expr, "full": full.ratio.expr}
    step = Step("substitution", "ratio = {2}", (symbol("diagonal") / symbol("full"), table, quotient))
    return {"ratio": fact(quotient, (*walk.steps, step), "exact sums over tokens"), "diagonal": part, "full": full}


def squares(walk: Process, i: Position, j: Position) -> Moment:
    """E[(x_i^T W x_j)^2 + (x_j^T W x_i)^2]/2, one number for symmetric W."""
    return (walk.expect(walk.form(i, W, j) ** 2) + walk.expect(walk.form(j, W, i) ** 2)) / 2


@derivation("bao2024.appB.display-b")
def display_b(walk: Process, T: Position) -> dict[str, Moment]:
    """T^2 sum over all i, j of E[(x_i^T W x_j)^2]: twice the pairs i < j, and the pairs i = j."""
    pairs = walk.sum(lambda j: walk.sum(lambda i: squares(walk, i, j), below=j), upto=T)
    own = walk.sum(lambda j: squares(walk, j, j), upto=T)
    return {"sum": (2 * pairs + own) * T.ratio**2}


@derivation("bao2024.appB.display-c")
def display_c(walk: Process, T: Position) -> dict[str, Moment]:
    """T^3 sum over beta of E[(x_beta^T W x_T)^2]."""
    return {"sum": walk.sum(lambda b: walk.expect(walk.form(b, W, T) ** 2), upto=T) * T.ratio**3}


def _weighted_sum(letters: str) -> None:
    """Register sum_<letters>: sum_j p_j times a product of the families that the letters name; e is the paper's d."""
    latex = "".join(f"{x}^{n}" if (n := letters.count(x)) > 1 else x for x in dict.fromkeys(letters)).replace("e", "d")

    @functional(f"sum_{letters}", latex=rf"\Big(\sum E[{latex}]\Big)")
    def total(case: Case) -> sp.Expr:
        rows = [case.vectors[name] for name in ("p", *letters)]
        found = sum((prod(entries) for entries in zip(*rows, strict=True)), Fraction(0))
        return sp.Rational(found.numerator, found.denominator)


FAMILIES = "abce"
for _letters in (FAMILIES, *(name * power for power in (2, 4) for name in FAMILIES)):
    _weighted_sum(_letters)


@derivation("bao2024.appB.cauchy-schwarz")
def four_factors() -> Inequality:
    """|sum E[abcd]|^2 <= (sum E[a^4] sum E[b^4] sum E[c^4] sum E[d^4])^{1/2}: Hoelder's inequality, all exponents 4.

    It is attained by constants on an event of probability p, where sum E[a^2] ... sum E[d^2] is p^2 times as large.
    """
    quantity = symbol(f"sum_{FAMILIES}") ** 2
    upper = sp.sqrt(sp.Mul(*(symbol(f"sum_{name * 4}") for name in FAMILIES)))
    step = Step("hoelder", "{0} <= {1}, a sum of weights p_j >= 0 times a product of four", (quantity, upper, FAMILIES))

    def point(p: str, *families: str) -> dict[str, list[str]]:
        return {"p": p.split(), **{name: row.split() for name, row in zip(FAMILIES, families, strict=True)}}

    points = (
        *(point("1/2", *[size] * 4) for size in ("1", "1/2")),
        *(point("1/2", *("1/8" if name == small else "1" for name in FAMILIES)) for small in FAMILIES),
        point("1/2 1/4", *["1 -1"] * 4),
    )
    return Inequality(quantity, upper, points, (step,), "Hoelder's inequality, attained")


# -- orders of growth

#: Slope of the scores in the example W_QK = (SLOPE lambda/d) I: the tokens in FREE are not clipped, those behind are.
SLOPE = sp.Integer(4)
FREE = (sp.Rational(1, 2), sp.Rational(1, 2) + 1 / SLOPE)
EXAMPLE = "W_QK = (4 lambda/d) I, W_V = I, W_F = 2 I, d large enough"
theta, phi = symbol("theta"), symbol("phi")


@cache
def kernels() -> tuple[dict[frozenset[str], sp.Expr], tuple[Step, ...]]:
    """Limits of K/T between the tokens x at theta, X at phi >= theta, the last token z, and y, Y = T X gamma^i."""
    walk = random_walk("i", "j", "T")
    i, j, T = walk.positions
    regime = {"i": "theta*T", "j": "phi*T"}
    vectors = {"x": walk.token(i), "X": walk.token(j), "z": walk.token(T)}
    vectors |= {"y": gamma(walk, i) * T.ratio, "Y": gamma(walk, j) * T.ratio}
    table, steps = {}, []
    letters = sorted(vectors)
    for one, two in ((a, b) for k, a in enumerate(letters) for b in letters[k + 1 :]):
        value = expand(walk.covariance(vectors[one], vectors[two]), regime, "T").limit.expr
        table[frozenset((one, two))] = value
        words = f"K({one}, {two})/T -> " + "{5}"
        steps.append(Step("limit-kernel", words, (walk, vectors[one], vectors[two], regime, 1, value)))
    return table, (*walk.steps, *steps)


def attained(product: tuple[tuple[str, str], ...], other: tuple[sp.Expr, sp.Expr]) -> tuple[Step, ...]:
    """The leading term in d of a product of coordinates, and its integral over the tokens that are not clipped."""
    table, before = kernels()
    density = leading(product, table)
    value = integral(density, FREE, other)
    return (
        *before,
        Step("wick-leading", "leading in d, by Wick's theorem: {2}", (product, table, density)),
        Step("concentrated-limit", "limit of sum/T^p per power of d: {4} > 0", (density, FREE, other, SLOPE, value)),
    )


def picked(number: str, degrees: Mapping[str, int]) -> tuple[Step, ...]:
    """The gradient, and its terms in which letters occur so often."""
    whole, steps = gradient()
    words = number + ", before the expectation: {2}"
    return (*steps, Step("matrix-part", words, (whole, degrees, whole.part(degrees))))


def summand(term: Matrix, raw: Mapping[str, Any]) -> tuple[Mapping[str, Any], Rows]:
    """A term of the gradient at an exact case. The tokens x_1 ... x_{T + 1} are the columns of X, and y."""
    here = instance(raw)
    X, y, d = here.arrays["X"], here.arrays["y"], int(here.numbers["d"])
    tokens = [[Fraction(v) for v in column] for column in [*X.T.tolist(), [row[0] for row in y.tolist()]]]
    matrices = {name: here.arrays[name].tolist() for name in ("W_QK", "W_V", "W_F")}
    unit = [[Fraction(int(r == c)) for c in range(d)] for r in range(d)]
    return {**here.numbers, **matrices, "Sigma": unit, "x": tokens}, tuple(map(tuple, here.evaluate(term).tolist()))


def _order(value: sp.Rational, number: str, degrees: Mapping[str, int], steps: tuple[Step, ...]) -> Order:
    return Order(value, (*picked(number, degrees), *steps), METHOD, EXAMPLE, summand, POINTS)


def order19() -> Order:
    """(19): with M = X Gamma X^T, E[sum_{c, e} M_{bc} M_{ec} x_{T,e} x_{T,b}] up to positive factors."""
    bound = (("i", "j", "alpha", "beta"), (("i", "alpha"), ("j", "beta")), (), 6, sp.Integer(3))
    product = (("y", "b"), ("x", "c"), ("Y", "e"), ("X", "c"), ("z", "e"), ("z", "b"))
    steps = (Step("hoelder-growth", "(19) = O(T^{4})", bound), *attained(product, (theta, FREE[1])))
    return _order(sp.Integer(3), "(19)", {"Gamma": 2}, steps)


def order20() -> Order:
    """(20): with S = X gamma~_0, E[sum_c M_{bc} S_c x_{T,b}] up to positive factors; S: tokens clipped at 1."""
    bound = (("i", "alpha", "beta"), (("i", "alpha"),), ("beta",), 4, sp.Integer(3))
    product = (("y", "b"), ("x", "c"), ("X", "c"), ("z", "b"))
    steps = (Step("hoelder-growth", "(20) = O(T^{4})", bound), *attained(product, (FREE[1], sp.Integer(1))))
    return _order(sp.Integer(3), "(20)", {"Gamma": 1, "gamma_0": 1}, steps)


def order21() -> Order:
    """(21): E[sum_c M_{bc} x_{T,c} x_{T,b}] up to positive factors, as W_F x_T - y has the mean x_T given the walk."""
    bound = (("i", "alpha"), (("i", "alpha"),), (), 4, sp.Integer(2))
    product = (("y", "b"), ("x", "c"), ("z", "c"), ("z", "b"))
    steps = (Step("hoelder-growth", "(21) = O(T^{4})", bound), *attained(product, (sp.Integer(0), sp.Integer(1))))
    return _order(sp.Integer(2), "(21)", {"Gamma": 1, "gamma_0": 0}, steps)


METHOD = "Hoelder's inequality; an example whose clipping becomes deterministic"


#: A path from 0 to u = x_T/sqrt(T), and a detour from it, along which scores are in (0, 1) for some tokens.
ALONG, ASIDE = theta, theta * (1 - theta)


@cache
def below19() -> tuple[Step, ...]:
    """(19) is at least c T^3, c > 0, wherever it is not 0 for all T: <(19), W_QK> = E|v|^2 for a vector v."""
    term = gradient()[0].part({"Gamma": 2})
    X, Gamma, W_QK, W_V, W_F = (ALPHABET[name] for name in ("X", "Gamma", "W_QK", "W_V", "W_F"))
    vector = W_F * W_V * X * Gamma.T * X.T * W_QK * ALPHABET.entry("x", "T") * (1 / symbol("lam"))
    square = Step("paired-square", "its inner product with {1} is |v|^2, v = {2}", (term, "W_QK", vector))
    words = "E|v|^2 is at least c T^{3}, c > 0, unless W_QK = 0 or W_F W_V = 0: walks near a path have such v"
    return (square, Step("tube-growth", words, (vector, ALONG, ASIDE, sp.Integer(3))))


def quotient(above: Order, below: Order) -> Order:
    """|above|/|below|, where (19) is the divisor."""
    value = above.exponent - below.exponent
    step = Step("quotient-growth", "the quotient grows like T^{2}", (above.exponent, below.exponent, value))
    method = "Hoelder's inequality above, walks near a path below; an example whose clipping becomes deterministic"
    return Order(value, (*above.steps, *below.steps, *below19(), step), method, EXAMPLE, summand, POINTS)


@derivation("bao2024.appB.order19")
def growth19() -> dict[str, Order]:
    """The sharp exponent of (19)."""
    return {"eq19": order19()}


@derivation("bao2024.appB.order20")
def growth20() -> dict[str, Order]:
    """The sharp exponent of (20)."""
    return {"eq20": order20()}


@derivation("bao2024.appB.order21")
def growth21() -> dict[str, Order]:
    """The sharp exponent of (21)."""
    return {"eq21": order21()}


@derivation("bao2024.appB.dominance")
def dominance() -> dict[str, Order]:
    """The growth of |(20)|/|(19)| and |(21)|/|(19)|, for all matrices with (19) other than 0, and attained for some."""
    return {"eq20_over_eq19": quotient(order20(), order19()), "eq21_over_eq19": quotient(order21(), order19())}
