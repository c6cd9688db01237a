"""Orders of growth: an exponent that no choice of matrices exceeds, and matrices for which it is attained."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from typing import Any

import sympy as sp

from theorems.algebra.expressions import symbol
from theorems.algebra.matrix_calculus import Letter, Matrix
from theorems.algebra.sizes import modest
from theorems.gaussian.process import KERNELS, Process, Step
from theorems.rules import rule

Rows = tuple[tuple[Fraction, ...], ...]

#: The walks of which ``hoelder-growth`` and ``tube-growth`` speak: without drift, in steps of one law.
WALKS = (KERNELS["sigma"], KERNELS["zero"])


@dataclass(frozen=True)
class Order:
    """A sum that is O(T^exponent) for all fixed matrices, and not smaller for some.

    ``steps`` pick the term of the gradient that the sum is (rule ``matrix-part``), and end with the bound (rule
    ``hoelder-growth``) and with a positive limit of sum/T^exponent for the matrices that ``attained`` describes (rule
    ``concentrated-limit``); for a quotient of two sums both come from theirs, and from a bound of the divisor from
    below for all matrices for which it is not 0 (rules ``tube-growth`` and ``quotient-growth``).

    ``summand`` gives at each of ``points`` (JSON-able) exact matrices and tokens by the names of statements, and by
    rows what a term of the gradient is there, of which the expectation is taken.
    """

    exponent: sp.Rational
    steps: tuple[Step, ...]
    method: str
    attained: str
    summand: Callable[[Matrix, Mapping[str, Any]], tuple[Mapping[str, Any], Rows]] | None = None
    points: tuple[Mapping[str, Any], ...] = ()

    @property
    def terms(self) -> tuple[Matrix, ...]:
        """The terms of the gradient that the steps pick."""
        return tuple(step.data[2] for step in self.steps if step.rule == "matrix-part")


@rule("hoelder-growth", argued=True)
def hoelder_growth(
    sums: tuple[str, ...],
    slopes: tuple[tuple[str, str], ...],
    offsets: tuple[str, ...],
    tokens: int,
    value: sp.Rational,
) -> bool:
    """sum E[prod gamma~^i_alpha prod gamma~_0^beta (product of ``tokens`` tokens)] = O(T^value).

    By definition |gamma~^i_i| <= 1/T and |gamma~^i_alpha| <= 1/T^2, so that the sum over alpha of |gamma~^i_alpha| is
    below 2/T: each slope takes its own index alpha and a factor T away. |gamma~_0| <= 1, each index that is left
    counts T, and each token of a random walk sqrt(T), as E|x_t|^q <= C_q t^{q/2}. Trusted: Hoelder's inequality.
    """
    absorbed = [own for _, own in slopes]
    if not isinstance(tokens, int) or tokens < 0:
        return False
    if len(set(sums)) != len(sums) or len(set(absorbed)) != len(absorbed):
        return False
    if not all(index in sums and own in sums for index, own in slopes):
        return False
    if not all(index in sums for index in offsets) or any(index in absorbed for index, _ in slopes):
        return False
    left = len(sums) - len(absorbed)
    return bool(sp.Rational(left - len(slopes)) + sp.Rational(tokens, 2) == value)


@rule("limit-kernel")
def limit_kernel(
    process: Process, one: object, two: object, regime: Mapping[str, str], scale: int, value: sp.Expr
) -> bool:
    """K(one, two)/T^scale tends to this value, theta and phi the places of the tokens i and j."""
    from theorems.gaussian.asymptotics import expand

    found = expand(process.covariance(one, two), regime, f"T**{scale}" if scale else "1")  # type: ignore[arg-type]
    return not found.grows and bool(sp.expand(found.limit.expr - value) == 0)


def integral(density: sp.Expr, window: tuple[sp.Expr, sp.Expr], other: tuple[sp.Expr, sp.Expr]) -> sp.Expr:
    """The integral over theta in ``window``, phi in ``other``; twice it where phi runs from theta on, by symmetry."""
    theta, phi = symbol("theta"), symbol("phi")
    inner = sp.integrate(sp.expand(density), (phi, *other))
    whole = sp.integrate(sp.expand(inner), (theta, *window))
    return sp.expand(2 * whole if other[0] == theta else whole)


@rule("concentrated-limit")
def concentrated_limit(
    density: sp.Expr,
    window: tuple[sp.Expr, sp.Expr],
    other: tuple[sp.Expr, sp.Expr],
    slope: sp.Rational,
    value: sp.Expr,
) -> bool:
    """The limit (T -> infinity, then d -> infinity) of a sum whose clipping has become deterministic, positive.

    For W_QK = (slope lambda/d) I the score of the token at theta tends to (theta - 1/2) slope in mean square as
    d -> infinity (its variance is of order 1/d), so that exactly the theta with 0 < (theta - 1/2) slope < 1 are not
    clipped, and those with (theta - 1/2) slope > 1 are clipped at 1. ``density`` is the leading term in d of the
    expectation by Wick's theorem for theta <= phi; phi is a second free token (from theta on, and twice by symmetry),
    a clipped one, or none (from 0 to 1). Trusted: Chebyshev's inequality and dominated convergence; what has a limit
    other than 0 in d is other than 0 for some d.
    """
    theta, phi = inside = symbol("theta"), symbol("phi")
    edge = sp.Rational(1, 2) + 1 / slope
    whole = (sp.Integer(0), sp.Integer(1))
    places = ((theta, edge), (edge, sp.Integer(1)), whole)
    if not (slope - 2).is_positive or window != (sp.Rational(1, 2), edge) or other not in places:
        return False
    if not modest(density) or not density.is_polynomial(*inside) or (other == whole and density.has(phi)):
        return False
    return bool(integral(density, window, other) == value and value.is_positive)


def _sums(cycle: tuple[tuple[str, str], ...], pairing: tuple[tuple[int, int], ...]) -> int:
    """How many sums over coordinates a pairing leaves: connected groups of coordinates, with that of "b"."""
    ends = [(letter, coordinate) for letter, coordinate in cycle]
    parent = {coordinate: coordinate for _, coordinate in ends}

    def root(name: str) -> str:
        while parent[name] != name:
            name = parent[name]
        return name

    for one, two in pairing:
        parent[root(ends[one][1])] = root(ends[two][1])
    return len({root(coordinate) for _, coordinate in ends})


def pairings(places: tuple[int, ...]) -> list[tuple[tuple[int, int], ...]]:
    """All ways to put an even number of places into pairs."""
    if not places:
        return [()]
    first, *rest = places
    found = []
    for k, other in enumerate(rest):
        left = (*rest[:k], *rest[k + 1 :])
        found += [((first, other), *more) for more in pairings(tuple(left))]
    return found


def leading(product: tuple[tuple[str, str], ...], kernels: Mapping[frozenset[str], sp.Expr]) -> sp.Expr:
    """The pairings of a product of Gaussian coordinates that leave the most sums over coordinates free, added up."""
    counts = {pairing: _sums(product, pairing) for pairing in pairings(tuple(range(len(product))))}
    total = sp.Integer(0)
    for pairing, count in counts.items():
        if count == max(counts.values()):
            total += sp.Mul(*(kernels[frozenset((product[a][0], product[b][0]))] for a, b in pairing))
    return sp.expand(total)


@rule("wick-leading", needs=("Sigma = I",))
def wick_leading(
    product: tuple[tuple[str, str], ...], kernels: Mapping[frozenset[str], sp.Expr], density: sp.Expr
) -> bool:
    """The leading term in d of E[prod of Gaussian coordinates], summed over all coordinates but b.

    ``product`` lists (letter, coordinate), a coordinate twice or more. Coordinates are independent, so that a pairing
    forces the coordinates it joins to be equal; those that leave most sums free lead.
    """
    return bool(sp.expand(leading(product, kernels) - density) == 0)


#: X Gamma^T X^T W_QK x_T.
SCORED = (
    Letter("X", "d", "T"),
    Letter("Gamma", "T", "T", transposed=True),
    Letter("X", "d", "T", transposed=True),
    Letter("W_QK", "d", "d"),
    Letter("x", "d", "T", ("", "T")),
)
#: The parameters of the model, which do not depend on the tokens, and the one that the gradient is taken by.
FIXED = frozenset(Letter(name, "d", "d") for name in ("W_QK", "W_V", "W_F"))
VARIABLE = "W_QK"


def _objective() -> Matrix:
    """(1/2) |y - W_F (W_V X (Gamma^T X^T W_QK x_T/lam + gamma_0) + x_T)|^2, for one sequence."""
    W_V, W_F = (Matrix.of(Letter(name, "d", "d")) for name in ("W_V", "W_F"))
    y, offset = Matrix.of(Letter("y", "d", "1")), Matrix.of(Letter("gamma_0", "T", "1"))
    X, slopes, columns, W_QK, last = map(Matrix.of, SCORED)
    off = y - W_F * (W_V * X * (slopes * columns * W_QK * last * (1 / symbol("lam")) + offset) + last)
    half: Matrix = (off.T * off) * sp.Rational(1, 2)
    return half


OBJECTIVE = _objective()
#: The terms of its gradient by their numbers in the paper: how often letters occur in them.
TERMS = {"(19)": {"Gamma": 2}, "(20)": {"Gamma": 1, "gamma_0": 1}, "(21)": {"Gamma": 1, "gamma_0": 0}}
#: The term that a printed quantity is the size of, or the two that it is the quotient of.
QUANTITIES = {
    "eq19": ("(19)",),
    "eq20": ("(20)",),
    "eq21": ("(21)",),
    "eq20_over_eq19": ("(20)", "(19)"),
    "eq21_over_eq19": ("(21)", "(19)"),
}


@rule("paired-square")
def paired_square(term: Matrix, name: str, vector: Matrix) -> bool:
    """tr(G^T W) = |v|^2 for G = ``term``, one product, and the letter W, by normal form; and G = 0 where v = 0.

    For G is v^T v without one W, so that one of the two v is whole in it. So |E[G]|_F |W|_F >= E|v|^2 for a fixed W.
    Trusted: Cauchy-Schwarz for the inner product tr(A^T B).
    """
    letter = Matrix.of(Letter(name, term.rows, term.columns))
    return len(term.terms) == 1 and (term.T * letter).trace() == vector.T * vector


@rule(
    "tube-growth",
    needs=("Sigma = I",),
    argued=True,
    source="Donsker 1951; Cameron and Martin, Ann. of Math. 45, 1944",
)
def tube_growth(vector: Matrix, along: sp.Expr, aside: sp.Expr, value: sp.Rational) -> bool:
    """E|v|^2 >= c T^value with c > 0 from some T on, v = B X Gamma^T X^T W x_T/lam, for all fixed B, W other than 0.

    v is the sum of (s_i - 1/T) B x_i over the tokens whose score s_i = (x_i - mean)^T W x_T/(lam T) + 1/T is in
    [0, 1]; B is the product of the letters before X, which are parameters of the model. For a row a of B other than 0
    some u has a^T u > 0 and q = W u/lam != 0. Take the path b = f u + h g q, f = ``along``, g = ``aside``, for a small
    h > 0: b = 0 at 0, b = u at 1, and a^T b > 0 between, as f/theta > 0 and g/theta is bounded. There the score tends
    to (b - its mean)^T q, which is 0 on average and not constant: else h g |q|^2 = -f u^T q, at theta = 1 so u^T q = 0,
    and g = 0. So it is in (0, 1) for a part of the tokens. A walk within eps sqrt(T) of sqrt(T) b, eps small, has so
    many tokens with a positive score and a^T x_i of the order of sqrt(T), and a^T x_i >= -eps |a| sqrt(T) for the
    others, so that a^T v is of the order of T^{3/2}. Trusted: x_i/sqrt(T) has the law of Brownian motion at i/T, which
    is so near a polynomial path from 0 with a positive probability, that T does not change (Cameron and Martin).
    """
    theta = symbol("theta")
    [((traces, word), number)] = vector.terms.items()
    front, scored = word[: -len(SCORED)], word[-len(SCORED) :]
    if traces or number != 1 / symbol("lam") or scored != SCORED:
        return False
    if any(FIXED.isdisjoint((letter, letter.flipped())) for letter in front):
        return False
    if not (isinstance(value, sp.Rational) and modest(along) and modest(aside)):
        return False
    f, g = (sp.Poly(path, theta, domain="QQ") for path in (along, aside))
    if (f.eval(0), f.eval(1), g.eval(0), g.eval(1)) != (0, 1, 0, 0) or g.is_zero:
        return False
    return bool(f.quo(sp.Poly(theta)).count_roots(0, 1) == 0 and value <= 3)


@rule("quotient-growth")
def quotient_growth(above: sp.Rational, below: sp.Rational, value: sp.Rational) -> bool:
    """A sum that is O(T^a) over one that is at least c T^b, c > 0, for the same matrices, is O(T^{a - b}).

    And no less for matrices for which both sums have positive limits, at T^a and T^b.
    """
    return bool(above - below == value)


def _renamed(
    vectors: tuple[object, ...], kernels: list[tuple[object, ...]], table: Mapping[frozenset[str], sp.Expr]
) -> bool:
    """Whether the letters can stand for these vectors, each for one, so that steps give every kernel of the table."""
    letters = sorted({letter for pair in table for letter in pair})
    shown = [(data[1], data[2], data[5]) for data in kernels]
    for choice in permutations(vectors, len(letters)):
        chosen = dict(zip(letters, choice, strict=True))
        wanted = [({a: chosen[a] for a in pair}, value) for pair, value in table.items()]
        if all(
            any(value == known and list(pair.values()) in ([one, two], [two, one]) for one, two, known in shown)
            for pair, value in wanted
        ):
            return True
    return False


def _mismatch(
    bound: tuple[Any, ...] | None,
    kernels: list[tuple[Any, ...]],
    wick: tuple[Any, ...] | None,
    limit: tuple[Any, ...],
) -> str:
    """Why a limit is not that of the sum that was bounded before it; empty where it is.

    A sum of tokens, slopes and offsets has a letter a token, among them y or Y (T X gamma^i) a slope, and an integral
    an index that is left; so sum/T^p has a limit for the p of the bound and no other.
    """
    if bound is None or wick is None:
        return "a limit stands without a bound or without Wick's theorem before it"
    sums, slopes, offsets, tokens, _ = bound
    product, table, density = wick
    shown, _, other, slope, _ = limit
    letters = [letter for letter, _ in product]
    if sp.expand(density - shown) != 0:
        return "the density of a limit is not the one that Wick's theorem gives"
    if len(letters) != tokens or letters.count("y") != 1 or 1 + letters.count("Y") != len(slopes):
        return "the product of Wick's theorem has not the tokens and slopes of the sum that is bounded"
    edge = sp.Rational(1, 2) + 1 / slope
    free = 2 if other == (symbol("theta"), edge) else 1
    clipped = other == (edge, sp.Integer(1))
    if (free, int(clipped)) != (len(slopes), len(offsets)) or len(sums) - len(slopes) != free + clipped:
        return "the integrals of a limit are not over the indices of the sum that is bounded"
    if free == 1 and ("Y" in letters or ("X" in letters) != clipped):
        return "the product of Wick's theorem has letters of a token that no sum runs over, or none of one that does"
    # the score of the token at theta is the sum of y z over coordinates, times slope/d
    if table.get(frozenset("yz")) != symbol("theta") - sp.Rational(1, 2):
        return "the kernel of y and z does not say which tokens are clipped"
    if free == 2:
        swapped = tuple((letter.swapcase() if letter in "xXyY" else letter, b) for letter, b in product)
        if sp.expand(leading(swapped, table) - density) != 0:
            return "the product does not stay the same where its two free tokens change places"
    if any(data[0].kernel not in WALKS for data in kernels):
        return "the kernels are not those of a random walk, of which the growth of tokens is bounded"
    if any(data[3] != kernels[0][3] or data[4] != 1 for data in kernels):
        return "the kernels are not limits in one regime, of K/T"
    vectors: list[object] = []
    for data in kernels:
        vectors += [vector for vector in data[1:3] if vector not in vectors]
    if not _renamed(tuple(vectors), kernels, table):
        return "a kernel of Wick's theorem is not the limit that a step shows"
    return ""


def _unanchored(steps: tuple[Step, ...], part: tuple[Any, ...] | None, bound: tuple[Any, ...]) -> str:
    """Why the sum that is bounded is not a term of the gradient of the objective; empty where it is.

    In every product of the term Gamma makes a slope, gamma_0 an offset; X, x_T and y are tokens. The sums over
    indices are then as many as the exponent asks for.
    """
    if part is None:
        return "a growth stands without the term of the gradient that it is the growth of"
    whole, _, term = part
    gradients = [step.data for step in steps if step.rule == "matrix-gradient"]
    if not any((function, name, value) == (OBJECTIVE, VARIABLE, whole) for function, name, value in gradients):
        return f"the term of a growth is not taken from the gradient of the objective by {VARIABLE}"
    _, slopes, offsets, tokens, _ = bound
    for cycles, word in term.terms:
        names = [letter.name for piece in (*cycles, word) for letter in piece]
        counted = (names.count("Gamma"), names.count("gamma_0"), sum(map(names.count, ("X", "x", "y"))))
        if counted != (len(slopes), len(offsets), tokens):
            return "the sum that is bounded is not the term of the gradient before it"
    return ""


def _loose(steps: tuple[Step, ...], term: Matrix, bound: tuple[Any, ...]) -> str:
    """Why steps do not bound the divisor of a quotient, this term, from below as it is from above; empty where they do.

    The inner product is with the letter that the gradient is taken by, which is a fixed matrix.
    """
    paired = [step.data for step in steps if step.rule == "paired-square"]
    lower = [step.data for step in steps if step.rule == "tube-growth"]
    if len(paired) != 1 or len(lower) != 1:
        return "no step bounds the divisor of the quotient from below"
    (divisor, name, vector), (shown, _, _, value) = paired[0], lower[0]
    if (divisor, name) != (term, VARIABLE):
        return "the divisor that is bounded from below is not the term that is bounded from above"
    if shown != vector or value != bound[4]:
        return "the divisor is not bounded from below by the growth that bounds it from above"
    return ""


def numbered(order: Order) -> tuple[str, ...]:
    """The numbers of the terms that the steps of an order pick from the gradient, "" for one that has no number."""
    picked = [step.data[1] for step in order.steps if step.rule == "matrix-part"]
    return tuple(next((number for number, known in TERMS.items() if known == degrees), "") for degrees in picked)


def concluded(order: Order) -> str:
    """The quantity that an order is of, by the terms that its steps pick: no other one may take it; "" for none."""
    return next((name for name, numbers in QUANTITIES.items() if numbers == numbered(order)), "")


def unsupported_order(order: Order) -> list[str]:
    """Why an exponent does not follow from its steps; empty where it does.

    The term of each sum is picked and bounded first, then its limit shown: kernels, Wick's theorem, integral, in this
    order.
    """
    try:
        reason = _unsupported(order)
    except (AttributeError, LookupError, TypeError, ValueError):
        reason = "the data of a step of the growth are of another shape"
    return [reason] if reason else []


def _unsupported(order: Order) -> str:
    part: tuple[Any, ...] | None = None
    summed: tuple[Any, ...] | None = None
    bound: tuple[Any, ...] | None = None
    wick: tuple[Any, ...] | None = None
    kernels: list[tuple[Any, ...]] = []
    bounds, divisor, examples = [], OBJECTIVE, set()
    for step in order.steps:
        if step.rule == "matrix-part":
            part = step.data
        elif step.rule == "hoelder-growth":
            # a term is that of one bound only
            summed, bound, part, wick, kernels = part, step.data, None, None, []
        elif step.rule == "limit-kernel":
            kernels.append(step.data)
        elif step.rule == "wick-leading":
            wick = step.data
        elif step.rule == "concentrated-limit":
            reason = _mismatch(bound, kernels, wick, step.data)
            if reason:
                return reason
            assert bound is not None
            reason = _unanchored(order.steps, summed, bound)
            if reason:
                return reason
            assert summed is not None
            bounds.append(bound)
            divisor = summed[2]
            examples.add(step.data[3])
            bound = wick = None
    attained = [found[4] for found in bounds]
    quotients = [step.data for step in order.steps if step.rule == "quotient-growth"]
    if quotients:
        ((above, below, value),) = quotients
        if value != order.exponent or attained != [above, below] or len(examples) != 1:
            return "the exponent of the quotient does not follow from those of its two sums"
        reason = _loose(order.steps, divisor, bounds[1])
        if reason:
            return reason
    elif not attained:
        return "no step shows that the bound of the growth is attained"
    elif attained != [order.exponent]:
        return f"no step bounds the growth by T^{order.exponent}"
    if len(numbered(order)) != len(bounds) or not concluded(order):
        return "the terms that are picked from the gradient are not those of a printed quantity"
    return ""
