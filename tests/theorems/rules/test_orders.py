"""Orders of growth: every rule on true instances and near misses, each conclusion against sums that are counted."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from itertools import product as tuples
from typing import Any

import numpy as np
import pytest
import sympy as sp

from tests.mutation.steps import holds
from tests.theorems.bruteforce import Family, eye
from theorems.algebra.expressions import symbol
from theorems.algebra.matrix_calculus import Matrix
from theorems.algebra.ratio import Ratio
from theorems.bao2024 import appendix_b
from theorems.bao2024.gradient import ALPHABET, POINTS, gradient, instance, model, objective
from theorems.claims.catalogue import by_id
from theorems.gaussian.process import Kernel, Process, Step
from theorems.kernel.deriving import derive, registered
from theorems.kernel.settle import settle
from theorems.rules import licensed
from theorems.rules.orders import OBJECTIVE, Order, concluded, integral, leading, numbered, pairings, unsupported_order

HALF = sp.Rational(1, 2)
theta, phi = symbol("theta"), symbol("phi")
#: (sums, slopes, offsets, tokens, exponent) of (19), (20), (21).
GROWTHS: dict[str, tuple[Any, ...]] = {
    "eq19": (("i", "j", "alpha", "beta"), (("i", "alpha"), ("j", "beta")), (), 6, sp.Integer(3)),
    "eq20": (("i", "alpha", "beta"), (("i", "alpha"),), ("beta",), 4, sp.Integer(3)),
    "eq21": (("i", "alpha"), (("i", "alpha"),), (), 4, sp.Integer(2)),
}
#: The coordinates of the same, and the tokens that phi runs over.
PRODUCTS: dict[str, tuple[tuple[str, str], ...]] = {
    "eq19": (("y", "b"), ("x", "c"), ("Y", "e"), ("X", "c"), ("z", "e"), ("z", "b")),
    "eq20": (("y", "b"), ("x", "c"), ("X", "c"), ("z", "b")),
    "eq21": (("y", "b"), ("x", "c"), ("z", "c"), ("z", "b")),
}
EDGE = sp.Rational(3, 4)
OTHER = {"eq19": (theta, EDGE), "eq20": (EDGE, sp.Integer(1)), "eq21": (sp.Integer(0), sp.Integer(1))}
ORDERS = {"eq19": appendix_b.order19, "eq20": appendix_b.order20, "eq21": appendix_b.order21}


# -- hoelder-growth


def counted(name: str, T: int) -> float:
    """The sum with |gamma~^i_alpha|, |gamma~_0| and E|x_t|^q = t^{q/2} as large as they can be, index by index."""
    slope = np.full((T, T), 1 / T**2) + np.eye(T) * (1 / T - 2 / T**2)
    root = np.sqrt(np.arange(1, T + 1))
    last = math.sqrt(T)
    if name == "eq19":
        return float(np.einsum("ia,jb,i,j,b,a->", slope, slope, root, root, root, root)) * T
    if name == "eq20":
        return float(np.einsum("ia,i,b,a->", slope, root, root, root)) * last
    # the residual W_F x_T - y counts as a token
    return float(np.einsum("ia,i,a->", slope, root, root)) * T


@pytest.mark.parametrize("name", GROWTHS)
def test_the_exponent_is_that_of_the_counted_sum(name: str) -> None:
    """sum/T^p stays below 2^slopes and above a positive number; half a power less, it grows."""
    _, slopes, _, _, exponent = GROWTHS[name]
    sizes = {T: counted(name, T) / T ** float(exponent) for T in (8, 16, 32)}
    assert all(0.1 < size < 2 ** len(slopes) for size in sizes.values())
    rate = math.log2(sizes[32] / sizes[16])
    assert abs(rate) < 0.1
    # a decoy of the counting: without the factor 1/T^2 off the diagonal the rate is another
    assert abs(math.log2(counted(name, 32) / counted(name, 16)) - float(exponent) + HALF) > 0.4


def test_the_counted_sum_is_the_loop() -> None:
    T, total = 4, 0.0
    for i, j, a, b in tuples(range(T), repeat=4):
        one = (1 / T - 1 / T**2) if i == a else 1 / T**2
        two = (1 / T - 1 / T**2) if j == b else 1 / T**2
        total += one * two * math.sqrt((i + 1) * (j + 1) * (a + 1) * (b + 1)) * T
    assert counted("eq19", T) == pytest.approx(total)


# -- limit-kernel


def test_limit_kernels_are_those_of_sums_over_a_walk() -> None:
    """Cov of x_i, x_j, x_T, T X gamma^i, T X gamma^j at T = 400 from min(s, t), gamma from the softmax's Jacobian."""
    T, i, j = 400, 240, 300
    between = np.minimum.outer(np.arange(1, T + 1), np.arange(1, T + 1)).astype(float)

    def unit(place: int) -> Any:
        return (np.arange(1, T + 1) == place).astype(float)

    # dS_i/dw_a = S_i (1_{a = i} - S_a), S = 1/T
    vectors = {"x": unit(i), "X": unit(j), "z": unit(T), "y": unit(i) - 1 / T, "Y": unit(j) - 1 / T}
    table, steps = appendix_b.kernels()
    assert len(table) == 10
    for pair, value in table.items():
        one, two = sorted(pair)
        exact = float(vectors[one] @ between @ vectors[two]) / T
        limit = float(value.subs({theta: sp.Rational(i, T), phi: sp.Rational(j, T)}))
        assert abs(exact - limit) < 2 / T, (one, two)
    assert all(licensed(step) for step in steps)


# -- wick-leading

KERNEL = {"x": 0, "X": 1, "z": 2, "y": 3, "Y": 4}
#: Any symmetric numbers will do: Wick's theorem is an identity of polynomials in them.
NUMBERS = {(a, b): Fraction(2 * a + 3 * b + 1, 7 + a) for a in range(5) for b in range(a, 5)}


def exact(product: tuple[tuple[str, str], ...], d: int) -> Fraction:
    """E[prod of coordinates] summed over all coordinates but b, coordinate by coordinate."""
    family = Family(lambda s, t: NUMBERS[s, t], eye(d))  # type: ignore[arg-type, return-value]
    names = sorted({coordinate for _, coordinate in product} - {"b"})
    total = Fraction(0)
    for chosen in tuples(range(d), repeat=len(names)):
        place = dict(zip(names, chosen, strict=True)) | {"b": 0}
        total += family.scalars((KERNEL[letter], place[coordinate]) for letter, coordinate in product)
    return total


@pytest.mark.parametrize("name", PRODUCTS)
def test_the_leading_term_is_that_of_the_exact_count(name: str) -> None:
    """Exact expectations for d = 1 .. 6 are a polynomial in d; its leading coefficient is the density."""
    product = PRODUCTS[name]
    d = sp.Symbol("d")
    points = [
        (k, sp.Rational(value.numerator, value.denominator)) for k in range(1, 7) for value in [exact(product, k)]
    ]
    polynomial = sp.Poly(sp.interpolate(points, d), d)
    assert polynomial.degree() == len({coordinate for _, coordinate in product}) - 1
    kernels = {
        frozenset((one, two)): sp.Rational(value.numerator, value.denominator)
        for one in KERNEL
        for two in KERNEL
        for value in [NUMBERS[tuple(sorted((KERNEL[one], KERNEL[two])))]]  # type: ignore[index]
    }
    assert leading(product, kernels) == polynomial.LC()
    assert holds("wick-leading", product, kernels, polynomial.LC())
    for wrong in (2 * polynomial.LC(), -polynomial.LC(), polynomial.LC() + 1, sp.Integer(0)):
        assert not holds("wick-leading", product, kernels, wrong)


def test_there_are_as_many_pairings_as_odd_numbers_multiply_to() -> None:
    assert [len(pairings(tuple(range(n)))) for n in (0, 2, 4, 6, 8)] == [1, 1, 3, 15, 105]
    assert all(len({place for pair in one for place in pair}) == 6 for one in pairings(tuple(range(6))))


def test_where_pairings_tie_one_of_them_left_out_is_refused() -> None:
    """E[x_b X_b y_b z_b]: three pairings lead alike."""
    product = (("x", "b"), ("X", "b"), ("y", "b"), ("z", "b"))
    table = {frozenset(pair): symbol(pair) for pair in ("xX", "xy", "xz", "Xy", "Xz", "yz")}
    parts = [table[frozenset(one)] * table[frozenset(two)] for one, two in (("xX", "yz"), ("xy", "Xz"), ("xz", "Xy"))]
    assert holds("wick-leading", product, table, sp.Add(*parts))
    for k in range(3):
        assert not holds("wick-leading", product, table, sp.Add(*parts[:k], *parts[k + 1 :]))
    # a kernel that is not in the table, and an odd product
    assert not holds("wick-leading", product, {k: v for k, v in table.items() if k != frozenset("xy")}, sp.Add(*parts))
    assert leading(product[:3], table) == 0


# -- concentrated-limit


def limit(name: str) -> tuple[sp.Expr, sp.Expr]:
    density = leading(PRODUCTS[name], appendix_b.kernels()[0])
    return density, integral(density, (HALF, EDGE), OTHER[name])


def test_limits_are_those_of_walks_in_high_dimension() -> None:
    """Sums over walks with d = 400 and T = 128, clipped token by token, against the integrals."""
    rng = np.random.default_rng(0)
    T, d, n = 128, 400, 60
    found = np.zeros(3)
    for _ in range(n):
        x = rng.standard_normal((T, d)).cumsum(0)
        combined, last = (x - x.mean(0)) / T, x[-1]
        score = 4 / d * combined @ last + 1 / T
        inside = ((score >= 0) & (score <= 1)).astype(float)
        mixing = (combined * inside[:, None]).T @ x
        offsets = ((score > 1) + inside / T) @ x
        # an element (b, b) on average, each sum over coordinates one power of d
        first = (mixing.T @ last) @ (mixing.T @ last) / T**3 / d**3
        found += [first, last @ mixing @ offsets / T**3 / d**2, last @ mixing @ last / T**2 / d**2]
    wanted = np.array([float(limit(name)[1]) for name in OTHER])
    assert np.all(np.abs(found / n / wanted - 1) < 0.12)


# -- orders


@pytest.mark.parametrize("name", ORDERS)
def test_a_derived_order_follows_from_its_steps(name: str) -> None:
    order = ORDERS[name]()
    assert order.exponent == GROWTHS[name][4] and not unsupported_order(order)
    assert all(licensed(step) for step in order.steps)
    for exponent in (order.exponent - HALF, order.exponent + HALF, order.exponent - 1):
        assert unsupported_order(replace(order, exponent=exponent))


def test_an_order_without_one_of_its_steps_is_not_supported() -> None:
    order = appendix_b.order19()
    for rule in ("hoelder-growth", "wick-leading", "concentrated-limit"):
        assert unsupported_order(replace(order, steps=tuple(s for s in order.steps if s.rule != rule))), rule
    assert unsupported_order(replace(order, steps=()))
    # a kernel that the leading pairings use
    kept = [s for s in order.steps if s.rule != "limit-kernel" or s.data[5] != theta - HALF]
    assert unsupported_order(replace(order, steps=tuple(kept)))


def changed(order: Order, rule: str, place: int, value: Any) -> Order:
    """The order with one datum of the steps of a rule replaced."""
    steps = tuple(
        replace(step, data=(*step.data[:place], value, *step.data[place + 1 :])) if step.rule == rule else step
        for step in order.steps
    )
    return replace(order, steps=steps)


@pytest.mark.parametrize("mean, at", [("t", "s"), (None, "s**3")], ids=["drift", "noise"])
def test_tokens_that_grow_faster_than_a_walk_have_no_such_order(mean: str | None, at: str) -> None:
    """A walk with drift, and one with noise of the size t^(3/2): K/T between tokens has the limits of a walk's."""
    s = Ratio.of("s")
    kernel = Kernel("other tokens", s, Ratio.from_expr(sp.sympify(at)), None if mean is None else Ratio.of(mean))
    order = appendix_b.order19()
    walk = next(step.data[0] for step in order.steps if step.rule == "limit-kernel")
    other = changed(order, "limit-kernel", 0, Process(kernel, walk.chain, walk.symmetric))
    assert not unsupported_order(order) and unsupported_order(other)


def test_steps_that_are_true_each_but_of_another_sum_support_nothing() -> None:
    """The limit of (21) beside a bound with a sum too many: every step is licensed, the exponent is not attained."""
    order = appendix_b.order21()
    slack = changed(order, "hoelder-growth", 0, ("i", "alpha", "beta"))
    slack = replace(changed(slack, "hoelder-growth", 4, sp.Integer(3)), exponent=sp.Integer(3))
    assert all(licensed(step) for step in slack.steps)
    assert unsupported_order(slack)
    # as many tokens more as make up for it
    more = changed(changed(order, "hoelder-growth", 3, 6), "hoelder-growth", 4, sp.Integer(3))
    assert all(licensed(step) for step in more.steps)
    assert unsupported_order(replace(more, exponent=sp.Integer(3)))
    # (20)'s bound with (21)'s limit
    bound = next(s for s in appendix_b.order20().steps if s.rule == "hoelder-growth")
    mixed = tuple(bound if s.rule == "hoelder-growth" else s for s in order.steps)
    assert unsupported_order(Order(sp.Integer(3), mixed, "", ""))
    # the limit of a density that Wick's theorem did not give, and kernels that no step shows
    half = changed(changed(order, "concentrated-limit", 0, theta**2), "concentrated-limit", 4, sp.Rational(19, 192))
    assert all(licensed(step) for step in half.steps)
    assert unsupported_order(half)
    table = {pair: 2 * value for pair, value in appendix_b.kernels()[0].items()}
    density = leading(PRODUCTS["eq21"], table)
    forged = changed(changed(order, "wick-leading", 1, table), "wick-leading", 2, density)
    value = integral(density, (HALF, EDGE), OTHER["eq21"])
    forged = changed(changed(forged, "concentrated-limit", 0, density), "concentrated-limit", 4, value)
    assert all(licensed(step) for step in forged.steps)
    assert unsupported_order(forged)


def rewired(order: Order, product: tuple[tuple[str, str], ...], other: tuple[sp.Expr, sp.Expr]) -> Order:
    """The order with another product, and the density and limit that follow from it: every step is licensed."""
    density = leading(product, appendix_b.kernels()[0])
    found = changed(changed(order, "wick-leading", 0, product), "wick-leading", 2, density)
    found = changed(changed(found, "concentrated-limit", 0, density), "concentrated-limit", 2, other)
    found = changed(found, "concentrated-limit", 4, integral(density, (HALF, EDGE), other))
    assert all(licensed(step) for step in found.steps)
    return found


def test_a_product_has_the_tokens_that_the_sums_run_over() -> None:
    assert not unsupported_order(rewired(appendix_b.order20(), PRODUCTS["eq20"], OTHER["eq20"]))
    # the slope of a clipped token, which is 0
    slope = (("Y", "b"), ("x", "c"), ("X", "c"), ("z", "b"))
    assert unsupported_order(rewired(appendix_b.order20(), slope, OTHER["eq20"]))
    # a second token in a sum over one, one token in a sum over two
    assert unsupported_order(rewired(appendix_b.order21(), PRODUCTS["eq20"], OTHER["eq21"]))
    assert unsupported_order(rewired(appendix_b.order20(), PRODUCTS["eq21"], OTHER["eq20"]))
    # tokens where slopes should be
    assert unsupported_order(
        rewired(appendix_b.order21(), (("x", "b"), ("x", "c"), ("z", "c"), ("z", "b")), OTHER["eq21"])
    )


def test_the_kernel_of_the_score_says_which_tokens_are_clipped() -> None:
    """Letters that stand for other vectors: y for a token at theta, whose scores have another window."""
    order = appendix_b.order21()
    table = appendix_b.kernels()[0]
    swap = {"x": "y", "y": "x", "X": "Y", "Y": "X"}
    other = {frozenset(swap.get(letter, letter) for letter in pair): value for pair, value in table.items()}
    density = leading(PRODUCTS["eq21"], other)
    forged = changed(changed(order, "wick-leading", 1, other), "wick-leading", 2, density)
    forged = changed(forged, "concentrated-limit", 0, density)
    forged = changed(forged, "concentrated-limit", 4, integral(density, (HALF, EDGE), OTHER["eq21"]))
    assert all(licensed(step) for step in forged.steps)
    assert unsupported_order(forged) == ["the kernel of y and z does not say which tokens are clipped"]


def test_two_free_tokens_must_be_exchangeable() -> None:
    """Twice the half phi >= theta is the whole only where the product stays the same under the exchange."""
    order = appendix_b.order19()
    table = appendix_b.kernels()[0]
    product = (("y", "b"), ("x", "c"), ("Y", "e"), ("z", "c"), ("z", "e"), ("x", "b"))
    density = leading(product, table)
    window, other = (HALF, EDGE), OTHER["eq19"]
    lame = changed(changed(order, "wick-leading", 0, product), "wick-leading", 2, density)
    value = integral(density, window, other)
    lame = changed(changed(lame, "concentrated-limit", 0, density), "concentrated-limit", 4, value)
    assert all(licensed(step) for step in lame.steps)
    assert unsupported_order(lame) == ["the product does not stay the same where its two free tokens change places"]


def test_data_of_another_shape_is_a_reason_and_no_crash() -> None:
    order = appendix_b.order21()
    assert unsupported_order(changed(order, "hoelder-growth", 1, 5))
    assert unsupported_order(changed(order, "wick-leading", 0, ("y", "x")))
    short = replace(order, steps=tuple(Step(s.rule, "", ()) if s.rule == "matrix-part" else s for s in order.steps))
    assert unsupported_order(short) and settled("eq21", "4", short).status == "undecided"


# -- a divisor from below


def vector(*front: str) -> Any:
    """(product of the letters) X Gamma^T X^T W_QK x_T/lam."""
    found = ALPHABET["X"] * ALPHABET["Gamma"].T * ALPHABET["X"].T * ALPHABET["W_QK"] * ALPHABET.entry("x", "T")
    for name in reversed(front):
        found = ALPHABET[name] * found
    return found * (1 / symbol("lam"))


def test_an_inner_product_is_a_square_number_by_number() -> None:
    """tr(G^T W_QK) against |v|^2 in fractions, with clipped slopes, for the G and the v of (19)."""
    paired = next(step for step in appendix_b.below19() if step.rule == "paired-square")
    assert licensed(paired)
    term, name, v = paired.data
    sizes = []
    for case in POINTS:
        at = instance(case)
        inner = (at.evaluate(term) * at.arrays[name]).sum()
        sizes.append((at.evaluate(v) ** 2).sum())
        assert inner == sizes[-1] >= 0
    assert any(sizes)
    for other in (vector("W_V"), vector("W_V", "W_F"), 2 * v):
        assert not holds("paired-square", term, name, other)
        assert any((instance(c).evaluate(other) ** 2).sum() != size for c, size in zip(POINTS, sizes, strict=True))


#: A matrix of full rank, a skew one, and one whose square is 0: no line is scored by the second.
MATRICES = ([[2.0, 1.0], [-1.0, 1.0]], [[0.0, 1.0], [-1.0, 0.0]], [[0.0, 3.0], [0.0, 0.0]])


def scored(x: Any, W: Any) -> Any:
    """The sum of (s_i - 1/T) x_i over the tokens with a score in [0, 1], for walks (n, T, d) and lambda = 1."""
    T = x.shape[1]
    score = np.einsum("nid,de,ne->ni", x - x.mean(1, keepdims=True), W, x[:, -1]) / T + 1 / T
    return np.einsum("ni,nid->nd", np.where((score >= 0) & (score <= 1), score - 1 / T, 0.0), x)


@pytest.mark.parametrize("case", POINTS)
def test_the_vector_is_a_sum_over_tokens_by_their_scores(case: dict[str, str]) -> None:
    """X Gamma^T X^T W x_T/lam with the slopes of the softmax's Jacobian, against the sum."""
    at = instance(case)
    X, W = (np.array(at.arrays[name], dtype=float) for name in ("X", "W_QK"))
    found = np.array(at.evaluate(vector()), dtype=float)[:, 0]
    assert scored(X.T[None], W / float(at.numbers["lam"]))[0] == pytest.approx(found, abs=1e-12)


def tube(W: Any, a: Any, aside: bool, T: int, eps: float, rng: np.random.Generator) -> Any:
    """a^T v/T^{3/2} along the path of ``tube-growth`` and in its neighbourhood, or along the line alone."""
    u = next(u for u in rng.standard_normal((100, 2)) if a @ u > 0.3 and np.linalg.norm(W @ u) > 0.5)
    q = W @ u
    h = min(1.0, a @ u / (2 * abs(a @ q) + 1e-9)) if aside else 0.0
    t = np.arange(1, T + 1) / T
    path = np.outer(t, u) + h * np.outer(t * (1 - t), q)
    assert (path @ a > 0).all()
    near = path + rng.uniform(-eps, eps, (40, T, 2))
    return scored(math.sqrt(T) * near, W) @ a / T**1.5


@pytest.mark.parametrize("W", MATRICES)
def test_walks_near_a_path_have_a_vector_of_the_order_of_the_bound(W: list[list[float]]) -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        a = rng.uniform(0.5, 2, 2) * rng.choice((-1, 1), 2)
        assert min(tube(np.array(W), a, True, T, 1e-3, rng).min() for T in (400, 1600)) > 1e-4
    assert holds("tube-growth", vector(), theta, theta * (1 - theta), sp.Integer(3))


def test_a_line_does_not_do_for_every_matrix() -> None:
    """Its scores are all 1/T where W_QK is skew: without the detour there is nothing to count."""
    rng = np.random.default_rng(0)
    W = np.array(MATRICES[1])
    assert np.abs(tube(W, np.array([1.0, 0.5]), False, 400, 0.0, rng)).max() < 1e-9
    assert not holds("tube-growth", vector(), theta, sp.Integer(0), sp.Integer(3))


@pytest.mark.parametrize("W", MATRICES)
def test_the_mean_square_grows_like_the_bound(W: list[list[float]]) -> None:
    """E|v|^2/T^3 over walks, for a projection B: it tends to a number, which is not 0."""
    rng = np.random.default_rng(1)
    sizes = []
    for T in (16, 64, 256):
        x = rng.standard_normal((1500, T, 2)).cumsum(1)
        sizes.append(float(((scored(x, np.array(W)) @ np.array([0.6, 0.8])) ** 2).mean()) / T**3)
    assert min(sizes) > 0.001
    assert abs(math.log(sizes[2] / sizes[1], 4)) < 0.25


# -- quotients


def test_a_quotient_needs_both_limits_at_the_same_matrices() -> None:
    found = appendix_b.dominance()
    third = found["eq21_over_eq19"]
    assert not unsupported_order(found["eq20_over_eq19"]) and not unsupported_order(third)
    assert unsupported_order(replace(third, exponent=-HALF))
    # a quotient of other exponents than those of the two sums, and two quotients
    for above_it, below_it in ((3, 3), (4, 3), (2, 2)):
        lame = changed(changed(third, "quotient-growth", 0, sp.Integer(above_it)), "quotient-growth", 1, below_it)
        lame = replace(
            changed(lame, "quotient-growth", 2, above_it - below_it), exponent=sp.Integer(above_it - below_it)
        )
        assert all(licensed(step) for step in lame.steps) and unsupported_order(lame)
    assert unsupported_order(replace(third, steps=(*third.steps, third.steps[-1])))
    above, below, lower = appendix_b.order21(), appendix_b.order19(), appendix_b.below19()
    step = third.steps[-1]
    assert not unsupported_order(replace(third, steps=(*above.steps, *below.steps, *lower, step)))
    assert unsupported_order(replace(third, steps=(*above.steps, *lower, step)))
    assert unsupported_order(replace(third, steps=(*below.steps, *above.steps, *lower, step)))
    # (21) for another slope than (19)
    slope, high = sp.Integer(8), sp.Rational(5, 8)
    density = leading(PRODUCTS["eq21"], appendix_b.kernels()[0])
    other = changed(above, "concentrated-limit", 1, (HALF, high))
    other = changed(other, "concentrated-limit", 3, slope)
    other = changed(other, "concentrated-limit", 4, integral(density, (HALF, high), OTHER["eq21"]))
    assert all(licensed(s) for s in other.steps) and not unsupported_order(other)
    assert unsupported_order(replace(third, steps=(*other.steps, *below.steps, *lower, step)))


LOOSE = "no step bounds the divisor of the quotient from below"
OTHER_DIVISOR = "the divisor that is bounded from below is not the term that is bounded from above"


def test_a_quotient_for_all_matrices_needs_its_divisor_from_below() -> None:
    third = appendix_b.dominance()["eq21_over_eq19"]
    for rule in ("paired-square", "tube-growth"):
        assert unsupported_order(replace(third, steps=tuple(s for s in third.steps if s.rule != rule))) == [LOOSE]
    # each step is licensed below: a smaller bound, that of another vector, and that of another matrix
    v = vector("W_V")
    term = (v.T * v.substitute({"W_QK": ALPHABET["W_F"]})).gradient("W_F")
    score = ALPHABET["W_V"] * ALPHABET.entry("x", "T")
    other = changed(changed(third, "paired-square", 0, score * ALPHABET.entry("x", "T").T), "paired-square", 1, "W_V")
    wrong = [
        changed(third, "tube-growth", 3, sp.Rational(5, 2)),
        changed(third, "tube-growth", 0, v),
        changed(changed(third, "paired-square", 0, term), "paired-square", 2, v),
        changed(changed(changed(third, "paired-square", 0, term), "paired-square", 2, v), "tube-growth", 0, v),
        changed(other, "paired-square", 2, score),
    ]
    for order in wrong:
        assert all(licensed(step) for step in order.steps)
        assert unsupported_order(order)
    # the inner product with another letter than that of the gradient
    assert unsupported_order(changed(third, "paired-square", 1, "W_V")) == [OTHER_DIVISOR]


def test_the_divisor_from_below_is_the_one_from_above() -> None:
    """(21)/(20) with the bound of (19) from below, which has the exponent of (20): every step is licensed."""
    above, below, lower = appendix_b.order21(), appendix_b.order20(), appendix_b.below19()
    step = Step("quotient-growth", "", (sp.Integer(2), sp.Integer(3), sp.Integer(-1)))
    mixed = Order(sp.Integer(-1), (*above.steps, *below.steps, *lower, step), "", "")
    assert all(licensed(step) for step in mixed.steps)
    assert unsupported_order(mixed) == [OTHER_DIVISOR]


# -- the terms of the gradient

UNPICKED = "a growth stands without the term of the gradient that it is the growth of"
UNROOTED = "the term of a growth is not taken from the gradient of the objective by W_QK"
OTHER_SUM = "the sum that is bounded is not the term of the gradient before it"
NUMBERLESS = "the terms that are picked from the gradient are not those of a printed quantity"


def test_the_objective_is_that_of_the_model() -> None:
    function = objective()
    for table in model():
        function = function.substitute(table)
    assert function == OBJECTIVE


@pytest.mark.parametrize("name", ORDERS)
def test_an_order_is_of_its_own_term_of_the_gradient(name: str) -> None:
    order = ORDERS[name]()
    assert (concluded(order), numbered(order)) == (name, (f"({name[2:]})",))
    for rule, reason in (("matrix-part", UNPICKED), ("matrix-gradient", UNROOTED)):
        assert unsupported_order(replace(order, steps=tuple(s for s in order.steps if s.rule != rule))) == [reason]
    # the part of another term
    for other, picked in ORDERS.items():
        (part,) = (s for s in picked().steps if s.rule == "matrix-part")
        mixed = replace(order, steps=tuple(part if s.rule == "matrix-part" else s for s in order.steps))
        assert all(licensed(step) for step in mixed.steps)
        assert unsupported_order(mixed) == ([] if other == name else [OTHER_SUM])


def test_a_term_without_a_number_is_no_printed_one() -> None:
    """The part of (21) with y has the letters that it is counted by, but is not all of (21)."""
    order = appendix_b.order21()
    degrees = {"Gamma": 1, "gamma_0": 0, "y": 1}
    part = Step("matrix-part", "", (gradient()[0], degrees, gradient()[0].part(degrees)))
    lame = replace(order, steps=tuple(part if s.rule == "matrix-part" else s for s in order.steps))
    assert all(licensed(step) for step in lame.steps)
    assert (concluded(lame), unsupported_order(lame)) == ("", [NUMBERLESS])
    # behind (20), picked and bounded without a limit, and (20) picked beside (21)
    (named,) = (s for s in appendix_b.order20().steps if s.rule == "matrix-part")
    bound = next(s for s in appendix_b.order20().steps if s.rule == "hoelder-growth")
    for before in ((named, bound, *lame.steps), (named, *lame.steps), (named, bound, *order.steps)):
        forged = replace(order, steps=tuple(before))
        assert all(licensed(step) for step in forged.steps)
        assert unsupported_order(forged) == [NUMBERLESS]
    # both terms of a quotient, and the growth of the divisor alone
    both = replace(appendix_b.order19(), steps=(named, *appendix_b.order19().steps))
    assert concluded(both) == "eq20_over_eq19" and unsupported_order(both) == [NUMBERLESS]
    # one term picked for two growths
    second = appendix_b.dominance()["eq20_over_eq19"]
    once = replace(second, steps=tuple(s for s in second.steps if s.rule != "matrix-part" or s.data[1] == {"Gamma": 2}))
    assert unsupported_order(once) == [UNPICKED]


def test_a_term_is_of_the_gradient_of_the_model() -> None:
    """Steps that are licensed each, from a sum put together, and from the gradients of other models."""
    third: Order = appendix_b.dominance()["eq21_over_eq19"]
    degrees = {"Gamma": 2}

    def forged(before: tuple[Step, ...], whole: Matrix, term: Matrix, v: Matrix) -> Order:
        part = Step("matrix-part", "", (whole, degrees, term))
        steps: list[Step] = []
        other = changed(changed(third, "paired-square", 0, term), "paired-square", 2, v)
        for step in changed(other, "tube-growth", 0, v).steps:
            divisor = step.rule == "matrix-part" and step.data[1] == degrees
            steps += (*before, part) if divisor else (step,)
        return replace(third, steps=tuple(steps))

    v, whole = vector("W_F", "W_V"), gradient()[0]
    assert not unsupported_order(forged((), whole, whole.part(degrees), v))
    wrong = [forged((), whole.part(degrees) + ALPHABET["W_V"], whole.part(degrees), v)]
    for front in ((), ("W_V",), ("W_F", "W_V", "W_V")):
        v = vector(*front)
        half: Matrix = (v.T * v) * HALF
        value = half.gradient("W_QK")
        wrong.append(forged((Step("matrix-gradient", "", (half, "W_QK", value)),), value, value, v))
    for order in wrong:
        assert all(licensed(step) for step in order.steps)
        assert unsupported_order(order) == [UNROOTED]
    # the gradient by another parameter
    value = OBJECTIVE.gradient("W_V")
    step = Step("matrix-gradient", "", (OBJECTIVE, "W_V", value))
    assert licensed(step)
    assert unsupported_order(forged((step,), value, value.part(degrees), v)) == [UNROOTED]


def test_a_quotient_is_of_two_terms_of_the_gradient() -> None:
    one, lower = appendix_b.order19(), appendix_b.below19()
    step = Step("quotient-growth", "", (sp.Integer(3), sp.Integer(3), sp.Integer(0)))
    same = Order(sp.Integer(0), (*one.steps, *one.steps, *lower, step), "", "")
    assert all(licensed(step) for step in same.steps)
    assert unsupported_order(same) == [NUMBERLESS]
    found = appendix_b.dominance()
    assert {name: concluded(order) for name, order in found.items()} == {name: name for name in found}
    assert numbered(found["eq20_over_eq19"]) == ("(20)", "(19)")


# -- what the kernel makes of it


def settled(name: str, printed: str, order: Order | None = None) -> Any:
    claim = f"bao2024.appB.order{name[2:]}"
    statement = replace(by_id()[claim], printed={name: printed})
    if order is None:
        return settle(statement, derive(claim))
    with registered(claim, lambda: {name: order}):
        return settle(statement, derive(claim))


@pytest.mark.parametrize("name", ORDERS)
def test_a_print_holds_from_the_sharp_exponent_on(name: str) -> None:
    sharp = ORDERS[name]().exponent
    assert settled(name, str(sharp)).status == "proved"
    assert settled(name, str(sharp + HALF)).status == "proved"
    for wrong in (sharp - HALF, sharp - 1):
        outcome = settled(name, str(wrong))
        assert (outcome.status, outcome.false_quantities) == ("disproved", (name,))
        assert outcome.corrections == {name: sharp}


def test_a_planted_exponent_or_step_decides_nothing() -> None:
    order = appendix_b.order19()
    assert settled("eq19", "8", order).status == "proved"
    assert settled("eq19", "5/2", replace(order, exponent=sp.Rational(5, 2))).status == "undecided"
    planted = changed(order, "hoelder-growth", 4, sp.Rational(5, 2))
    assert settled("eq19", "5/2", replace(planted, exponent=sp.Rational(5, 2))).status == "undecided"


@pytest.mark.parametrize("name", ORDERS)
def test_the_order_of_another_term_decides_nothing(name: str) -> None:
    for other, order in ORDERS.items():
        outcome = settled(name, "8", order())
        assert outcome.status == ("proved" if other == name else "undecided")
        assert other == name or outcome.evidence == [f"{name}: its steps give the order of ({other[2:]})"]


def test_the_paper_s_orders_hold_and_its_dominance_does_not() -> None:
    for name in ORDERS:
        statement = by_id()[f"bao2024.appB.order{name[2:]}"]
        assert settle(statement, derive(statement.id)).status == "proved"
    dominance = by_id()["bao2024.appB.dominance"]
    outcome = settle(dominance, derive(dominance.id))
    assert (outcome.status, outcome.false_quantities) == ("disproved", ("eq20_over_eq19",))
    assert outcome.corrections == {"eq20_over_eq19": 0}
    known = "of order T^(0) for all matrices with (19) not identically 0, attained for"
    assert outcome.evidence[0].startswith(f"eq20_over_eq19: (20) over (19) is {known}")


def test_exchanged_quotients_decide_nothing() -> None:
    """With (21) over (19) in the place of (20) over (19), the paper's false print would be proved."""
    dominance = by_id()["bao2024.appB.dominance"]
    found = derive(dominance.id)
    second, third = found.quantities["eq20_over_eq19"], found.quantities["eq21_over_eq19"]
    for table in (
        {"eq20_over_eq19": third, "eq21_over_eq19": third},
        {"eq20_over_eq19": third, "eq21_over_eq19": second},
    ):
        outcome = settle(dominance, replace(found, quantities=table))
        assert outcome.status == "undecided"
        assert outcome.evidence == ["eq20_over_eq19: its steps give the order of (21) over (19)"]
    # a single order without a name is of no quantity
    order = by_id()["bao2024.appB.order20"]
    nameless = replace(derive(order.id), quantities={"": appendix_b.order20()})
    assert settle(order, nameless).status == "undecided"


def quotients(second: str, third: str) -> Any:
    claim = "bao2024.appB.dominance"
    statement = replace(by_id()[claim], printed={"eq20_over_eq19": second, "eq21_over_eq19": third})
    return settle(statement, derive(claim))


def test_what_tends_to_0_is_of_an_exponent_below_0() -> None:
    """o(1) is false of the exponent 0 and true below it; o(T**p) and O(T**p) differ at the sharp exponent alone."""
    for second, third, wrong in (
        ("O(1)", "o(1)", ()),
        ("o(T**(1/2))", "O(T**(-1))", ()),
        ("0", "o(T**(-1/2))", ()),
        ("o(1)", "o(1)", ("eq20_over_eq19",)),
        ("O(1)", "o(T**(-1))", ("eq21_over_eq19",)),
        ("O(T**(-1/2))", "o(1/T)", ("eq20_over_eq19", "eq21_over_eq19")),
    ):
        outcome = quotients(second, third)
        assert (outcome.status, outcome.false_quantities) == ("disproved" if wrong else "proved", wrong)
        assert outcome.corrections == {name: {"eq20_over_eq19": 0, "eq21_over_eq19": -1}[name] for name in wrong}
    assert "eq20_over_eq19: not o(1), for W_QK" in "; ".join(quotients("o(1)", "o(1)").evidence)


def test_a_quotient_s_print_holds_from_the_sharp_exponent_on() -> None:
    for second, third in (("0", "-1"), ("0", "-1/2"), ("1/2", "-1/2"), ("2", "0")):
        assert quotients(second, third).status == "proved"
    for second, third, wrong in (
        ("-1/2", "-1/2", ("eq20_over_eq19",)),
        ("0", "-3/2", ("eq21_over_eq19",)),
        ("-1/2", "-2", ("eq20_over_eq19", "eq21_over_eq19")),
    ):
        outcome = quotients(second, third)
        assert (outcome.status, outcome.false_quantities) == ("disproved", wrong)
        assert outcome.corrections == {name: {"eq20_over_eq19": 0, "eq21_over_eq19": -1}[name] for name in wrong}
