"""The rules of analysis: true instances drawn at random are licensed, near misses and false steps are not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from tests.mutation.steps import holds
from theorems.algebra.expressions import parse, symbol
from theorems.bao2024.softmax import gamma
from theorems.claims.catalogue import by_id
from theorems.gaussian.process import Process, Step, random_walk
from theorems.kernel.derivation import Derived, fact
from theorems.kernel.limits import Pattern
from theorems.kernel.settle import settle
from theorems.rules import ABOUT, RULES
from theorems.rules.analysis import CONCLUSIONS, score_limits, visibly_positive

theta, xi, eta, r, x, v, mu = (symbol(name) for name in ("theta", "xi", "eta", "r", "x", "v", "mu"))
HALF, ONE, ZERO = sp.Rational(1, 2), sp.Integer(1), sp.Integer(0)
NAMES = {
    *("slope", "normal-interval", "heat-flow", "substitution", "positive-root", "continuous-limit", "erf-limit"),
    *("chebyshev-limit", "empty-cell", "independent-ends", "shrinking-interval"),
}


def test_the_rules_are_registered_and_their_conclusions_stand_in_their_data() -> None:
    assert set(RULES) >= NAMES
    concluding = NAMES - {"empty-cell", "independent-ends", "shrinking-interval"}
    assert set(CONCLUSIONS) >= concluding
    assert {name: CONCLUSIONS[name] for name in concluding} == {
        "slope": 2,
        "normal-interval": 5,
        "heat-flow": 5,
        "substitution": 2,
        "positive-root": 1,
        "continuous-limit": 3,
        "erf-limit": 6,
        "chebyshev-limit": 6,
    }


# -- slope


functions = st.lists(
    st.sampled_from(["xi", "eta**2", "theta**3", "(1 + theta)/(2 + eta**2)", "1/(1 + theta**2)"]),
    min_size=2,
    max_size=3,
).map(lambda parts: parse(" - 2*".join(parts)))
wraps = st.sampled_from(
    [sp.erf, lambda e: sp.exp(-(e**2)), lambda e: sp.sqrt(e**2 + 1), lambda e: e, lambda e: theta * e]
)


@settings(max_examples=12)
@given(functions, wraps, wraps, st.integers(-3, 3).filter(bool))
def test_slopes(inner: sp.Expr, one: Any, other: Any, error: int) -> None:
    """Against mpmath's difference quotients; another number, variable or sign is not licensed."""
    function = one(inner) + 2 * other(inner) * theta
    value = sp.diff(function, theta)
    names = (theta, xi, eta)
    f, slope = (sp.lambdify(names, e, "mpmath") for e in (function, value))
    with mpmath.workdps(40):
        place = [mpmath.mpf(p) for p in ("0.3", "1.25", "0.75")]
        numeric = mpmath.diff(lambda t: f(t, *place[1:]), place[0])
        assert abs(numeric - slope(*place)) < mpmath.mpf(10) ** -15
    assert holds("slope", function, "theta", value)
    assert not holds("slope", function, "theta", value + sp.Rational(error, 97))
    assert not holds("slope", function, "theta", value * (1 + error) if value != 0 and error != -1 else value - 1)
    assert not holds("slope", function, "xi", value + sp.diff(function, xi))
    assert not holds("slope", function + theta * error, "theta", value)


@pytest.mark.parametrize(
    "jump", ["Indicator(theta >= 1/2)", "sqrt((theta - 1/2)**2)/(theta - 1/2)", "Abs(theta - 1/2)/(theta - 1/2)"]
)
def test_a_function_with_a_jump_has_no_slope(jump: str) -> None:
    """The difference quotient over the jump is anything but 0."""
    assert not holds("slope", parse(jump), "theta", ZERO)
    assert not holds("slope", parse(jump) + theta, "theta", ONE)


# -- normal-interval


def primitive(mean: sp.Expr, variance: sp.Expr) -> sp.Expr:
    return sp.erf((x - mean) / sp.sqrt(2 * variance)) / 2


numbers = st.fractions(-3, 3, max_denominator=8).map(lambda q: sp.Rational(q.numerator, q.denominator))
positives = st.fractions("1/8", 4, max_denominator=8).map(lambda q: sp.Rational(q.numerator, q.denominator))


@settings(max_examples=8)
@given(numbers, positives, numbers, positives, st.booleans())
def test_normal_intervals(mean: sp.Expr, variance: sp.Expr, low: sp.Expr, width: sp.Expr, symbolic: bool) -> None:
    """Against scipy's normal law, with numbers and with symbols for the moments."""
    high = low + width
    m, w = (mu, v) if symbolic else (mean, variance)
    F = primitive(m, w)
    value = F.xreplace({x: high}) - F.xreplace({x: low})
    number = float(value.xreplace({mu: mean, v: variance}))
    law = stats.norm(float(mean), float(variance) ** 0.5)
    assert number == pytest.approx(law.cdf(float(high)) - law.cdf(float(low)), abs=1e-12)
    assert holds("normal-interval", m, w, low, high, F, value)
    assert holds("normal-interval", m, w, low, high, F + 7, value)
    near_misses = [
        (m, w, low, high, F, -value),
        (m, w, low, high, F, value + sp.Rational(1, 1000)),
        (m, w, low, high, 2 * F, 2 * value),
        (m, w, low, high + 1, F, value),
        (m, w, low - 1, high, F, value),
        (m + 1, w, low, high, F, value),
        (m, 2 * w, low, high, F, value),
        (m, w, low, high, F + x, value + width),
        (m, w, low, high, primitive(m, w**2 + w), primitive(m, w**2 + w).xreplace({x: high})),
    ]
    for data in near_misses:
        assert not holds("normal-interval", *data), data


#: Primitives with a jump between 0 and 1: their slope is the density, the difference of their ends no probability.
JUMPS = ["5*sqrt((x - 1/2)**2)/(x - 1/2)", "Indicator(x >= 1/2)", "Abs(2*x - 1)/(2*x - 1)"]


@pytest.mark.parametrize("jump", JUMPS)
def test_no_probability_from_a_primitive_with_a_jump(jump: str) -> None:
    F = primitive(mu, v) + parse(jump)
    value = F.xreplace({x: ONE}) - F.xreplace({x: ZERO})
    assert float(value.xreplace({mu: HALF, v: ONE})) > 1
    assert not holds("normal-interval", mu, v, ZERO, ONE, F, value)


# -- heat-flow


def flow(mean: sp.Expr, variance: sp.Expr, low: sp.Expr, high: sp.Expr, along: sp.Symbol) -> sp.Expr:
    """The slope of the probability by differentiating it in closed form, ends held fixed."""
    F = primitive(mean, variance)
    return sp.diff(F.xreplace({x: high}) - F.xreplace({x: low}), along)


moments = st.sampled_from(
    [
        ("xi*(theta - 1/2)", "2*theta**2 + 7/12"),
        ("theta**2", "1 + theta"),
        ("1/4", "theta + 1/3"),
        ("3*theta", "2"),
        ("xi*theta**2 - 1", "theta**2 + theta + 1"),
    ]
)


@settings(max_examples=2)
@given(moments, numbers, positives, st.integers(1, 5))
def test_heat_flows(texts: tuple[str, str], low: sp.Expr, width: sp.Expr, place: int) -> None:
    """Against difference quotients of scipy's normal law; a dropped term, a sign or an end moved is not licensed."""
    mean, variance = map(parse, texts)
    high, value = low + width, flow(mean, variance, low, low + width, theta)

    def chance(t: float) -> float:
        table = {theta: t, xi: 1.25}
        law = stats.norm(float(mean.subs(table)), float(variance.subs(table)) ** 0.5)
        return float(law.cdf(float(high)) - law.cdf(float(low)))

    t, h = place / 7, 1e-4
    quotient = (8 * (chance(t + h) - chance(t - h)) - chance(t + 2 * h) + chance(t - 2 * h)) / (12 * h)
    assert float(value.subs({theta: t, xi: 1.25})) == pytest.approx(quotient, abs=1e-8)
    assert holds("heat-flow", mean, variance, low, high, "theta", value)
    near_misses = [
        (mean, variance, low, high, "theta", -value),
        (mean, variance, low, high, "theta", value + sp.Rational(1, 500)),
        (mean, variance, low, high, "xi", value),
        (mean, variance + theta**3, low, high, "theta", value),
        (mean, variance, low, high + 1, "theta", value),
        (mean, variance, high, low, "theta", value),
    ]
    for data in near_misses:
        assert not holds("heat-flow", *data), data


# -- substitution, positive-root


@settings(max_examples=25)
@given(functions, numbers, positives, st.integers(1, 4))
def test_substitutions(formula: sp.Expr, one: sp.Expr, other: sp.Expr, error: int) -> None:
    formula = sp.erf(formula) + formula + xi
    table = {"xi": one + theta, "eta": other}
    value = formula.xreplace({xi: one + theta, eta: other})
    assert holds("substitution", formula, table, value)
    assert not holds("substitution", formula, table, value + error)
    assert not holds("substitution", formula + theta * error, table, value)
    assert not holds("substitution", formula + xi, {"xi": one + theta, "eta": other}, value)
    assert not holds("substitution", formula + eta**2, {**table, "eta": 2 * other}, value + other**2)


@pytest.mark.parametrize("name", ["substitution", "positive-root"])
def test_a_tautology_concludes_nothing(name: str) -> None:
    """Put in nothing, or take the root of no square, and any value follows from itself."""
    claim = replace(by_id()["bao2024.sec5.eq8"], printed={"variance": "7*tr1"})
    value = parse("7*tr1")
    step = Step(name, "", (value, {}, value) if name == "substitution" else (value, value, "v"))
    assert settle(claim, Derived({"variance": fact(value, (step,), "")}, (step,))).status != "proved"


# -- continuous-limit


radicands = st.sampled_from(["2*theta**2 + 7/12", "2 - theta", "theta**2 - theta + 1", "1 + theta"]).map(parse)


def test_logarithms_ask_for_what_roots_ask_for() -> None:
    """A limit with log(lam) rests on lam > 0, and no logarithm of what tends is continuous everywhere."""
    lam, u = symbol("lam"), symbol("u")
    needs = ABOUT["continuous-limit"].needs
    assert callable(needs)
    for wrap in (sp.log, sp.sqrt):
        assert holds("continuous-limit", u * wrap(lam), "u", sp.Integer(0), sp.Integer(0))
        assert needs(u * wrap(lam), "u", sp.Integer(0), sp.Integer(0)) == ("lam > 0",)
        assert needs(wrap(theta + 1) * u, "u", sp.Integer(0), sp.Integer(0)) == ("theta >= 0", "theta <= 1")
        for point in (sp.Integer(-1), sp.Integer(0), xi):
            assert not holds("continuous-limit", wrap(u), "u", point, wrap(point))


@settings(max_examples=25)
@given(radicands, st.sampled_from(["xi", "u"]), numbers, st.integers(1, 4), wraps)
def test_continuous_limits(base: sp.Expr, variable: str, point: sp.Expr, power: int, wrap: Any) -> None:
    """Against values near the point; another value, and what is not continuous there, is not licensed."""
    along = symbol(variable)
    function = wrap((along**power + theta) / sp.sqrt(base)) * sp.exp(-along / eta) / base**power
    value = function.xreplace({along: point})
    if wrap((theta + 3) / sp.sqrt(base)).has(sp.sqrt(((theta + 3) / sp.sqrt(base)) ** 2 + 1)):
        # a root over something that holds the variable is not seen to be positive
        assert not holds("continuous-limit", function, variable, point, value)
        return
    near = function.subs({along: point + sp.Rational(1, 10**9), theta: 0.4, eta: 2.0})
    assert float(near) == pytest.approx(float(value.subs({theta: 0.4, eta: 2.0})), abs=1e-6, rel=1e-6)
    assert holds("continuous-limit", function, variable, point, value)
    assert not holds("continuous-limit", function, variable, point, value + 1)
    assert not holds("continuous-limit", function, variable, point + 1, value)
    assert not holds("continuous-limit", function + along, variable, point, value + point + sp.Rational(1, 9))


@pytest.mark.parametrize(
    ("function", "variable", "point", "value"),
    [
        # below a line or under a root
        ("1/u", "u", "0", "0"),
        ("u/u**2 + 1", "u", "0", "1"),
        ("exp(-1/u**2)", "u", "0", "0"),
        ("erf(theta/u)", "u", "0", "1"),
        ("sqrt(xi**2)/xi", "xi", "0", "1"),
        ("sqrt(u)", "u", "0", "0"),
        ("erf((theta - 1/2)*xi/eta)", "eta", "0", "1"),
        # jumps
        ("Indicator(xi >= 0)", "xi", "0", "1"),
        ("Abs(xi)", "xi", "0", "0"),
        ("Max(xi, 0)", "xi", "0", "0"),
        # a denominator that vanishes at a theta in [0, 1], and a root of something negative there
        ("xi/(theta - 1/2)", "xi", "0", "0"),
        ("exp(-xi**2/(theta - 1/3)**2)", "xi", "0", "1"),
        ("xi*sqrt(theta - 1/2)", "xi", "0", "0"),
        ("xi/(1 - theta)", "xi", "0", "0"),
        # names of either sign below a line
        ("xi/r", "xi", "0", "0"),
        ("xi/(1 + r)", "xi", "0", "0"),
    ],
)
def test_what_is_not_continuous(function: str, variable: str, point: str, value: str) -> None:
    assert not holds("continuous-limit", parse(function), variable, parse(point), parse(value))


def test_visibly_positive() -> None:
    for good in ("2", "pi", "v*eta", "1/sqrt(lam)", "3*u**2*tr2", "2*theta**2 + 7/12", "eta*(2 - theta)", "sqrt(2)*v"):
        assert visibly_positive(parse(good)), good
    for bad in (
        "0",
        "-1",
        "xi",
        "-v",
        "v*xi",
        "theta",
        "1 - theta",
        "theta - 1/2",
        "v + eta",
        "r",
        "xi**2",
        "v*(theta - 1)",
    ):
        assert not visibly_positive(parse(bad)), bad


# -- erf-limit, chebyshev-limit

A, B = theta - HALF, (theta - HALF) * r - 1
#: Twice the limit of the score's variance over tr2/lam^2.
RADICAND = parse("4*theta**2 - 4*theta + 7/6")
OUT, BACK = (theta, 1 - theta, r), (theta, 1 - theta, -r)
REGIME = {"i": "theta*T"}


def terms(radicand: sp.Expr = RADICAND) -> tuple[tuple[sp.Expr, str, sp.Expr], tuple[sp.Expr, str, sp.Expr]]:
    """z_1 = A xi/sqrt(radicand) and z_2 = (A xi - 1/eta)/sqrt(radicand), which has xi eta -> r."""
    root = sp.sqrt(radicand)
    return (A * xi / root, "xi", A), ((A * xi - 1 / eta) / root, "1/eta", B)


def finite(radicand: sp.Expr = RADICAND) -> sp.Expr:
    one, two = terms(radicand)
    return (sp.erf(one[0]) - sp.erf(two[0])) / 2


def pattern(first: int, second: int) -> Pattern:
    return ((A, (first,)), (B, (second,)))


def cell(first: int, second: int, side: int) -> sp.Expr:
    return sp.Rational(side * first - second, 2)


def score(start: str = "sigma") -> Any:
    """The linearised score's form, <gamma^i, X>^T W x_T."""
    walk = random_walk("i", "T", start=start)
    return (walk, *ends(walk), REGIME)


def independent(place: sp.Expr = HALF, form: Any = None) -> Step:
    return Step("independent-ends", "", (*(score() if form is None else form), place))


#: (sign of theta - 1/2, sign of (theta - 1/2) r - 1, direction of xi, a point that has them).
CELLS = [
    (-1, -1, 1, ("1/4", "1")),
    (0, -1, 1, ("1/2", "4")),
    (1, -1, 1, ("3/4", "2")),
    (1, 1, 1, ("3/4", "8")),
    (1, -1, -1, ("3/4", "-2")),
    (0, -1, -1, ("1/2", "-4")),
    (-1, -1, -1, ("1/4", "-2")),
    (-1, 1, -1, ("1/4", "-8")),
]


@pytest.mark.parametrize(("first", "second", "side", "place"), CELLS)
def test_limits_of_error_functions(first: int, second: int, side: int, place: tuple[str, str]) -> None:
    """Against the probability far along a sequence; a flipped sign, direction or value is not licensed."""
    at, limit = sp.Rational(place[0]), sp.Rational(place[1])
    far = sp.Integer(4) ** 20
    number = finite().subs({theta: at, xi: limit * far, eta: 1 / far})
    value = cell(first, second, side)
    assert float(number) == pytest.approx(float(value), abs=1e-12)
    domain, other = (OUT, BACK) if side == 1 else (BACK, OUT)
    good = (*terms(), RADICAND, pattern(first, second), domain)
    half = independent() if first == 0 else None
    assert holds("erf-limit", finite(), *good, value)
    assert holds("chebyshev-limit", *good, half, value, score())
    for wrong in {ZERO, HALF, ONE, -ONE} - {value}:
        assert not holds("erf-limit", finite(), *good, wrong)
        assert not holds("chebyshev-limit", *good, half, wrong, score())
    near_misses = [
        (*terms(), RADICAND, pattern(first, -second), domain),
        (*terms(), RADICAND, pattern(1 if first != 1 else -1, second), domain),
        # a sign that the pattern leaves open, or does not have
        (*terms(), RADICAND, ((A, (first,)), (B, (0, second))), domain),
        (*terms(), RADICAND, ((A, (first,)),), domain),
        # (theta - 1/2) r - 1 -> 0 goes anywhere
        (*terms(), RADICAND, pattern(first, 0), domain),
        # a radicand that is not positive for all theta, or that is another one
        (*terms(), theta - HALF, pattern(first, second), domain),
        (*terms(), RADICAND + 1, pattern(first, second), domain),
        # the second argument with r of the wrong sign
        (terms()[0], (terms()[1][0], "1/eta", -A * r - 1), RADICAND, pattern(first, second), domain),
        ((terms()[0][0], "1/eta", A), terms()[1], RADICAND, pattern(first, second), domain),
        # a domain that does not say where xi goes
        *((*terms(), RADICAND, pattern(first, second), unsaid) for unsaid in ((), OUT[:2], (*OUT, -r), (r - 1,))),
    ]
    if first != 0:
        near_misses.append((*terms(), RADICAND, pattern(first, second), other))
    for data in near_misses:
        assert not holds("erf-limit", finite(), *data, value), data
        assert not holds("chebyshev-limit", *data, half, value, score()), data


def test_a_coefficient_holds_theta_and_r_only() -> None:
    """z = xi (A eta)/sqrt(.) tends to A r/sqrt(.), whatever sign A eta has: the scale does not grow in it."""
    one = (A * xi * eta / sp.sqrt(RADICAND), "xi", A * eta)
    whole = (sp.erf(one[0]) - sp.erf(terms()[1][0])) / 2
    near = whole.subs({theta: sp.Rational(3, 4), xi: 4**20, eta: sp.Rational(1, 4**20)})
    assert float(near) < 0.9
    signs = ((A * eta, (1,)), (B, (-1,)))
    assert not holds("erf-limit", whole, one, terms()[1], RADICAND, signs, OUT, ONE)
    assert not holds("chebyshev-limit", one, terms()[1], RADICAND, signs, OUT, None, ONE, score())


def test_the_law_is_the_forms() -> None:
    """Mean and variance are those of the form, computed again: not (theta + 1) xi, nor the printed variance."""
    signs = pattern(1, -1)
    assert holds("chebyshev-limit", *terms(), RADICAND, signs, OUT, None, ONE, score())
    c = theta + 1
    first, second = (xi * c / sp.sqrt(RADICAND), "xi", c), ((xi * c - 1 / eta) / sp.sqrt(RADICAND), "1/eta", c * r - 1)
    typed = ((c, (1,)), (sp.expand(c * r - 1), (-1,)))
    assert not holds("chebyshev-limit", first, second, RADICAND, typed, OUT, None, ONE, score())
    printed = parse("4*theta**2 + 7/6")
    assert not holds("chebyshev-limit", *terms(printed), printed, signs, OUT, None, ONE, score())
    walk = random_walk("i", "T")
    i, T = walk.positions
    both = (walk, (walk.token(i) + walk.token(T)) / "T", walk.token(T), REGIME)
    mean, variance = score_limits(both)
    assert (mean, variance) == (c, parse("theta**2 + 5*theta + 2"))
    root = sp.sqrt(2 * variance)
    ends_of_both = (xi * c / root, "xi", c), ((xi * c - 1 / eta) / root, "1/eta", sp.expand(c * r - 1))
    assert holds("chebyshev-limit", *ends_of_both, 2 * variance, typed, OUT, None, ONE, both)
    assert not holds("chebyshev-limit", *ends_of_both, 2 * variance, typed, OUT, None, ONE, score())
    # theta counted from the end
    with pytest.raises(ValueError, match="as theta is i/T"):
        score_limits((*score()[:3], {"i": "T - theta*T"}))
    # a form that grows with T
    with pytest.raises(ValueError, match="grows with T"):
        score_limits((walk, walk.token(i), walk.token(T), REGIME))


# -- empty-cell


C, DOMAIN = 2 - r, (theta, 1 - theta, r)
#: Patterns without a point for theta in [0, 1] and r >= 0, and the products that show it.
EMPTY: list[tuple[Pattern, tuple[tuple[int, tuple[sp.Expr, ...]], ...]]] = [
    (((A, (0, -1)), (B, (0, 1))), ((1, (B,)), (1, (-A, r)))),
    (((B, (1,)), (C, (0, 1))), ((2, (B,)), (2, (1 - theta, r)), (1, (C,)))),
    (((B, (0,)), (C, (1,))), ((2, (B,)), (2, (1 - theta, r)), (1, (C,)))),
    (((r, (-1,)),), ((1, (-r,)), (1, (r,)))),
    (((r, (0,)), (C, (-1, 0))), ((1, (-C,)), (1, (-r,)))),
]


@pytest.mark.parametrize(("signs", "shown"), EMPTY, ids=str)
def test_empty_cells(signs: Pattern, shown: Any) -> None:
    """No point of a fine grid has the signs; without one product, hypothesis or sign the certificate shows nothing."""
    t, s = np.meshgrid(np.linspace(0, 1, 41), np.linspace(0, 6, 49))
    met = np.ones(t.shape, dtype=bool)
    for polynomial, allowed in signs:
        values = np.sign(np.round(sp.lambdify([theta, r], polynomial, "numpy")(t, s), 12))
        met &= np.isin(values, allowed)
    assert not met.any()
    assert holds("empty-cell", signs, DOMAIN, shown)
    for k in range(len(shown)):
        assert not holds("empty-cell", signs, DOMAIN, (*shown[:k], *shown[k + 1 :]))
        coefficient, factors = shown[k]
        for other in (-coefficient, 0, coefficient + 5):
            assert not holds("empty-cell", signs, DOMAIN, (*shown[:k], (other, factors), *shown[k + 1 :]))
        assert not holds("empty-cell", signs, DOMAIN, (*shown[:k], (coefficient, (*factors, xi)), *shown[k + 1 :]))
    # the opposite signs, and every sign, have points
    for turned in (
        tuple((p, tuple(-s for s in allowed)) for p, allowed in signs),
        tuple((p, (-1, 0, 1)) for p, _ in signs),
    ):
        if turned != signs:
            assert not holds("empty-cell", turned, DOMAIN, shown)


def test_an_empty_cell_needs_its_domain() -> None:
    used = [(EMPTY[0], r), (EMPTY[1], r), (EMPTY[1], 1 - theta), (EMPTY[2], 1 - theta), (EMPTY[3], r)]
    for (signs, shown), dropped in used:
        assert not holds("empty-cell", signs, tuple(f for f in DOMAIN if f != dropped), shown)


def test_a_sum_of_nought_is_no_contradiction() -> None:
    """A >= 0 and -A >= 0 add up to 0, and A = 0 has points."""
    assert not holds("empty-cell", ((A, (0,)),), DOMAIN, ((1, (A,)), (1, (-A,))))
    assert holds("empty-cell", ((A, (1,)), (theta, (-1,))), DOMAIN, ((1, (A,)), (1, (-theta,)))) is True
    assert not holds("empty-cell", ((A, (1,)), (theta, (0, 1))), DOMAIN, ((1, (A,)), (1, (-theta,))))
    # a product of an unknown sign
    assert not holds("empty-cell", ((A, (-1, 1)),), DOMAIN, ((1, (A, A)), (1, (-A, A))))


# -- independent-ends, shrinking-interval


def ends(walk: Process) -> tuple[Any, Any]:
    i, T = walk.positions
    return gamma(walk, i), walk.token(T)
