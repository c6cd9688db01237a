"""Near misses and further true steps of the rules of theorems/rules/__init__.py."""

from __future__ import annotations

from collections.abc import Iterator

import sympy as sp

from theorems.algebra.expressions import parse, symbol
from theorems.algebra.ratio import Ratio
from theorems.algebra.sizes import LARGEST
from theorems.gaussian.moments.increments import SecondRoute
from theorems.gaussian.observables import W
from theorems.gaussian.process import KERNELS, Process, Step, process
from theorems.kernel.distributions import density, finite

x, p, u, v, d, w, T, tr1, tr2 = (symbol(name) for name in ("x", "p", "u", "v", "d", "w", "T", "tr1", "tr2"))
ZERO, ONE, HALF = sp.Integer(0), sp.Integer(1), sp.Rational(1, 2)
ROOT = {"Sigma": ("R", "R")}
#: Not Sigma as the square of a letter of its own.
NO_ROOTS = (
    {"W_QK": ("R", "R")},
    {"Sigma": ("R", "R"), "W_QK": ("Q", "Q")},
    {"Sigma": ("R", "R", "R")},
    {"Sigma": ("R", "Q")},
    {"Sigma": ("Sigma", "Sigma")},
    {"Sigma": ("W_QK", "W_QK")},
    {"Sigma": ("", "")},
)


def near() -> Iterator[tuple[str, Step]]:
    """Why it is false, and the step."""
    for step in _moments():
        observable, value, *rest = step.data
        yield "the mean is smaller by 1", Step(step.rule, "", (observable, value + 1, *rest))
        if value != 0:
            yield "the mean is half of it", Step(step.rule, "", (observable, value * 2, *rest))
    n, k = Ratio.of("n"), Ratio.of("k")
    zero, square = Ratio.of(0), (k * k + k) / 2
    for why, data in (
        ("another primitive", (k, "k", zero, n, k * k / 2, n * n / 2)),
        ("the ends exchanged", (k, "k", n, zero, square, (n * n + n) / 2)),
        ("another value", (k, "k", zero, n, square, (n * n - n) / 2)),
    ):
        yield why, Step("faulhaber", "", data)
    yield "n is not n + 1", Step("identity", "", (n, n + 1))
    jump = parse("Indicator(u >= 1)")
    yield "it jumps at 1", Step("derivative", "", (jump, ONE, "u", ZERO))
    yield "below the line it jumps at 1", Step("derivative", "", (ONE, 1 + jump, "u", ZERO))
    yield "0/0", Step("derivative", "", (u - v, u - v, "u", ZERO))
    # x d/dx is a slope along w where x is exp(w), and at x = 1 where x is 1 there
    yield "T is the length", Step("derivative", "", (ONE, u + T - 1, "T", -1 / T))
    yield "x is no exponential", Step("derivative", "", (x, ONE, "x", x))
    yield "it jumps at 1", Step("derivative", "", (ONE, 1 + parse("Indicator(x >= 1)"), "x", ZERO))
    yield "the slope is (T - 1)/T^2", Step("derivative", "", (u, u + (T - 1) * v, "u", (1 - T) / T**2))
    yield from _expectations()
    yield from _integrals()
    yield "v is 1, too", Step("at-origin", "", (u + 2 * v, u + v, HALF))
    yield "0/0", Step("at-origin", "", (u - v, u - v, ONE))
    for why, table, own, value in (
        ("T - 2 others and itself are T - 1", ((u, ONE), (ONE, T - 2)), u, u / (u + T - 2)),
        ("the weight of another", ((u, ONE), (v, ONE), (ONE, T - 2)), v, u / (u + v + T - 2)),
        ("no exponential of a score", ((x, ONE), (ONE, T - 1)), x, x / (x + T - 1)),
        ("a key that is not there", ((u, ONE), (ONE, T - 1)), v, v / (u + T - 1)),
        ("twice the weight", ((u, ONE), (ONE, T - 1)), u, 2 * u / (u + T - 1)),
        ("so many that are no count", ((u, d), (ONE, T - d)), u, u / (d * u + T - d)),
        ("counts of which one is none", ((u, d), (v, ONE), (ONE, T - d - 1)), u, u / (d * u + v + T - d - 1)),
        ("half an exponential", ((u, HALF), (ONE, T - HALF)), u, u / (u / 2 + T - HALF)),
        ("less than none", ((u, -ONE), (ONE, T + 1)), ONE, 1 / (T + 1 - u)),
        ("more than there are", ((u, T + 1), (ONE, -ONE)), u, u / ((T + 1) * u - 1)),
        ("half of them", ((u, T / 2), (ONE, T / 2)), u, 2 * u / (T * (u + 1))),
        ("none of its own", ((u, ZERO), (ONE, T)), u, u / T),
        ("u in two places", ((u, ONE), (u, ONE), (ONE, T - 2)), u, u / (2 * u + T - 2)),
    ):
        yield why, Step("softmax-weight", "", (table, own, value))
    yield "the second power has the trace tr2", Step("eigenvalue-average", "", (w**2, tr1**2 / d))
    yield "no function of the eigenvalues", Step("eigenvalue-average", "", (sp.Integer(5), sp.Integer(5)))
    yield "no polynomial", Step("eigenvalue-average", "", (1 / w, d / tr1))
    for name in ("W_QK", "A", "Sigma_inverse"):
        yield f"{name} need not be positive semidefinite", Step("psd-root", "", (name, "R"))
    for names in (("Sigma", "Sigma"), ("Sigma", ""), ("Sigma", "W_QK"), ("", "R")):
        yield "a root has a name of its own", Step("psd-root", "", names)
    for rewriting in NO_ROOTS:
        letter = next(reversed(rewriting))
        yield f"{rewriting} is no root", Step("trace-identity", "", ((letter,), rewriting[letter], rewriting))
        # A = 1, B = R W R, with whatever stands for R
        yield f"{rewriting} is no root", Step("cauchy-schwarz", "", ((), ("W_QK",), tr1**2, d * tr2, rewriting))
        inner = (rewriting[letter][0], "W_QK", rewriting[letter][-1])
        yield f"{rewriting} is no root", Step("cauchy-schwarz", "", ((), inner, tr1**2, d * tr2, rewriting))
    yield "another order", Step("trace-identity", "", (("W_QK", "R") * 2, ("W_QK", "W_QK", "R", "R"), ROOT))
    yield "another word", Step("trace-identity", "", (("W_QK", "R"), ("W_QK", "Sigma"), ROOT))
    for free in ("A", "W_Q", "W", "R"):
        words = ((free, "W_QK", "Sigma"), ("Sigma", "W_QK", free))
        yield f"{free} need not be symmetric", Step("trace-identity", "", (*words, {}))
    for one, two in ((("W_QK", "Sigma"), ()), ((), ("W_QK", "Sigma"))):
        yield "tr(A^T A) is another trace", Step("cauchy-schwarz", "", (one, two, tr1**2, d * tr2, ROOT))
    inner = ("R", "W_QK", "R")
    yield "without the factor d", Step("cauchy-schwarz", "", ((), inner, tr1**2, tr2, ROOT))
    yield "the square is left out", Step("cauchy-schwarz", "", ((), inner, tr1, d * tr2, ROOT))
    yield "1/d has no value at d = 0", Step("square-root", "", (tr1, 1 / d))
    yield "no name", Step("square-root", "", (tr1 + 1, d * tr2))


def true() -> Iterator[Step]:
    """Steps that hold."""
    yield from _moments()
    n, k = Ratio.of("n"), Ratio.of("k")
    yield Step("faulhaber", "", (k, "k", Ratio.of(2), n, (k * k + k) / 2, (n * n + n) / 2 - 3))
    yield Step("identity", "", ((n + 1) ** 2, n * n + 2 * n + 1))
    yield Step("derivative", "", (u**2, u + (T - 1) * v, "u", (2 * T - 1) / T**2))
    yield from finite([(1, p), (2, 1 - p)]).expect(lambda value: value).steps
    yield from finite([(-1, sp.Rational(1, 4)), (3, sp.Rational(3, 4))]).expect(lambda value: value**2).steps
    yield Step("finite-expectation", "", ((ONE, ZERO), (ZERO, ONE), x, 1, ZERO))
    yield from density(2 * x, x, 0, 1).expect(lambda value: value).steps
    yield from density(sp.Rational(1, 2), x, -1, 1).expect(lambda value: value**3 + value).steps
    yield Step("antiderivative", "", (x, x, ONE, ONE, x**2 / 2, ZERO))
    for primitive in (
        x**LARGEST / LARGEST,
        sp.sqrt(x + 1) * sp.exp(x),
        (sp.exp(x) + 1) ** 3,
        sp.log(x + 2) * sp.sin(x) - sp.cos(p * x) / sp.sqrt(2),
    ):
        yield _integral(primitive)
    yield Step("at-origin", "", (u + 2 * v, u + v, sp.Rational(3, 2)))
    yield Step("softmax-weight", "", (((u, ONE), (v, 2 * ONE), (ONE, T - 3)), v, v / (u + 2 * v + T - 3)))
    yield Step("softmax-weight", "", (((ONE, T),), ONE, 1 / T))
    yield Step("eigenvalue-average", "", (w**3 - 2 * w + 5, symbol("tr3") / d - 2 * tr1 / d + 5))
    yield Step("psd-root", "", ("Sigma", "Q"))
    yield Step("trace-identity", "", (("W_QK", "Sigma", "Sigma"), ("Sigma", "Sigma", "W_QK"), {}))
    turned = ("W_QK", "W_QK", "Sigma", "W_QK", "Sigma", "Sigma")
    yield Step("trace-identity", "", (turned, turned[::-1], {}))
    yield Step("trace-identity", "", (("W_QK", "R", "Sigma", "W_QK"), ("W_QK", "Sigma", "R", "W_QK"), ROOT))
    yield Step("trace-identity", "", (("W_QK", "Sigma"), ("R", "W_QK", "R"), ROOT))
    yield Step("derivative", "", (u**2 * v, u + (T - 1) * v, "v", 1 / T**2))
    inner = ("R", "W_QK", "R")
    yield Step("cauchy-schwarz", "", (inner, (), tr1**2, d * tr2, ROOT))
    yield Step("cauchy-schwarz", "", (inner * 2, inner, symbol("tr3") ** 2, symbol("tr4") * tr2, ROOT))
    yield Step("square-root", "", (tr2, d**2 + 1))


def _moments() -> Iterator[Step]:
    """Moments by both ways of the engine, for every kernel, W being symmetric or not."""
    for kernel in sorted(KERNELS):
        one = process(kernel, ("i", "j", "T"), symmetric=kernel in ("zero", "line"))
        for walk in (one, SecondRoute(one.kernel, one.chain, one.symmetric)):
            yield from _steps(walk)


def _steps(walk: Process) -> Iterator[Step]:
    i, j, last = walk.positions
    before, between, after = walk.tokens(upto=j), walk.tokens(i, j), walk.tokens(i, last)
    for observable in (
        walk.form(i, W, j),
        walk.form("a", W, j) * walk.form(i, (W, W), "b"),
        walk.form(before, W, after),
        walk.form(between, (W, W), j) + walk.form(i, W, between),
        walk.form(i, W, last) * walk.form(before, W, j),
        walk.form("a", W, i) * walk.form(i, W, j) * walk.inner(j, "b"),
        walk.inner("a", "b") * walk.form(j, W, j) * walk.form(last, W, "b"),
        walk.form(i, W, j) * walk.form(j, W, j) * walk.form(i, W, last),
    ):
        walk.expect(observable)
    yield from (step for step in walk.steps if step.rule in ("isserlis", "wick"))


def _expectations() -> Iterator[tuple[str, Step]]:
    for why, data in (
        ("a probability of -1", ((ONE, ZERO), (sp.Integer(2), -ONE), x, 1, sp.Integer(2))),
        ("probabilities of 3/2 in all", ((ONE, ZERO), (ONE, HALF), x, 1, ONE)),
        ("more probabilities than values", ((ONE,), (ONE, HALF), x, 1, ONE)),
        ("more values than probabilities", ((ONE, ZERO), (ONE,), x, 1, ONE)),
        ("the square is 1/2, too", ((ONE, ZERO), (HALF, HALF), x, 2, sp.Rational(1, 4))),
        ("2 - p", ((ONE, sp.Integer(2)), (p, 1 - p), x, 1, 1 + p)),
    ):
        yield why, Step("finite-expectation", "", data)


def _integral(primitive: sp.Expr) -> Step:
    """The integral over [0, 1] of its slope."""
    value = primitive.xreplace({x: ONE}) - primitive.xreplace({x: ZERO})
    return Step("antiderivative", "", (sp.diff(primitive, x), x, ZERO, ONE, primitive, value))


def _integrals() -> Iterator[tuple[str, Step]]:
    for primitive, why in (
        (sp.tan(x), "no function whose poles are looked for"),
        (sp.tan(x) + sp.exp(x), "one such function"),
        (sp.exp(sp.exp(x)), "a function in a function"),
        (sp.sqrt(sp.exp(x) + 1), "a function under a root"),
        (
            sp.exp(x) + sp.sin(sp.exp(x)) ** 2 + sp.cos(sp.exp(x)) ** 2,
            "a function in a function of the primitive alone",
        ),
        (x ** (LARGEST + 1), "too large a power"),
        ((x + 1) ** sp.Rational(3, LARGEST + 1), "too high a root"),
        (sp.Add(*(p**k * x**j for k in range(1, 9) for j in range(1, 9))), "too many terms"),
    ):
        yield why, _integral(primitive)
    for third in (sp.Rational(1, 3), sp.Rational(2, 5), sp.Rational(-1, 3)):
        F = -sp.I * ((sp.I * x - 1) ** third - (-sp.I * x - 1) ** third)
        ends = sp.expand(F.subs(x, ONE) - F.subs(x, -ONE))
        yield "a root of a complex base jumps at 0", Step("antiderivative", "", (sp.diff(F, x), x, -ONE, ONE, F, ends))
    # (-1)^(1/3) is no real number either, and not written with i
    F = (sp.Integer(-1) ** sp.Rational(1, 3) * x - 1) ** sp.Rational(4, 3)
    ends = F.subs(x, ONE) - F.subs(x, -ONE)
    yield "a root of a complex base jumps at 0", Step("antiderivative", "", (sp.diff(F, x), x, -ONE, ONE, F, ends))
    jump = parse("Indicator(x >= 1/2)")
    for why, data in (
        ("a pole at 0", (x**-2, x, -ONE, ONE, -1 / x, -sp.Integer(2))),
        ("the primitive is not smooth at 0", (1 / (2 * sp.sqrt(x)), x, ZERO, ONE, sp.sqrt(x), ONE)),
        ("the primitive jumps", (ZERO, x, ZERO, ONE, jump, ONE)),
        ("the density jumps", (jump, x, ZERO, ONE, x * jump, ONE)),
        ("the ends exchanged", (ONE, x, ONE, ZERO, x, -ONE)),
        ("ends in no known order", (ONE, x, p, ONE, x, 1 - p)),
        ("ends in no known order", (ONE, x, ZERO, p, x, p)),
        ("another primitive", (x, x, ZERO, ONE, x**2, ONE)),
        ("another value", (x, x, ZERO, ONE, x**2 / 2, ONE)),
    ):
        yield why, Step("antiderivative", "", data)
