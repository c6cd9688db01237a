"""Every trusted rule: true instances drawn at random are licensed, near misses are not."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from time import process_time
from typing import Any

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad

import theorems.bao2024.entropy
import theorems.bao2024.gradient
import theorems.kernel.settle
import theorems.lampert2026.comparison
import theorems.lampert2026.cosine
import theorems.lampert2026.costs
import theorems.lampert2026.representability
import theorems.lampert2026.smoothing
import theorems.lampert2026.switch  # noqa: F401  (with those before it, every module that registers rules)
from tests.mutation.steps import step
from theorems.algebra.expressions import parse, symbol
from theorems.algebra.ratio import Ratio
from theorems.gaussian.moments.increments import SecondRoute
from theorems.gaussian.observables import START, W
from theorems.gaussian.process import KERNELS, Process, Step
from theorems.rules import RULES, canonical_trace, licensed, licensed_by, rule

d, tr1, tr2, T, u, v = (symbol(n) for n in ("d", "tr1", "tr2", "T", "u", "v"))
ROOT = {"Sigma": ("R", "R")}
INNER = ("R", "W_QK", "R")


ENTROPY = {
    *("exponential-slope", "implicit-slope", "non-negative-sum", "two-roots", "stationary-score"),
    *("two-level-entropy", "least-entropy", "entropy-sandwich", "log-expansion", "squeeze", "crossing", "no-turn"),
    *("decay", "far-enclosure", "sign-cover"),
}
MATRICES = {
    *("matrix-substitution", "matrix-gradient", "matrix-differential", "matrix-part", "column-expansion"),
    *("stationary-scalar-matrix", "completed-square", "rank-trace", "locally-constant"),
}
#: Tested in test_convex.py and test_softmax.py.
SINKS = {
    *("gordan", "nearest-point", "common-key", "full-query", "rank-one", "necessary-and-sufficient", "sink-dual"),
    *("sink-primal", "least-norm", "strict-sphere", "hyperplane-cells", "random-signs"),
    *("assumed", "attained", "attention-output", "cauchy-schwarz-sum", "hull-distance", "hull-needed", "in-turn"),
    *("increasing", "outside-weight", "put-to-zero", "scaled", "solved", "sum-identity", "termwise", "triangle"),
    *("two-key-output", "sufficient-alone"),
}
#: Tested in ../test_exchangeable.py and test_cosine.py.
SMOOTHING = {
    *("exchangeable-moment", "level-slope", "level-root", "energy-cone", "energy-balance", "slope-sign", "chord-sign"),
    *("ratio-of-energy", "ends-compared", "interior-maximum"),
    *("cosine-pointwise", "cosine-orthant", "cosine-average", "cosine-difference"),
}
#: Tested in test_pattern.py and test_optimum.py.
COSTS = {
    *(
        "binding-pair",
        "shortfall",
        "nuclear-by-root",
        "least-coefficient",
        "least-margin",
        "group-nuclear",
        "orthogonal-sum",
        "sum-over-groups",
        "routing-average",
    ),
    *("routing-dual", "routing-primal", "least-cost", "cost-at-least"),
    *("symmetric-dual", "factor-dual", "symmetric-primal", "pair-average", "pinching", "factors-add", "weaker-bound"),
    *("optimum-decides", "budget-below", "budget-at", "costs-apart", "costs-apart-where", "below-everywhere"),
    *("dormant-dual", "dormant-factors", "dormant-pairs"),
}


def test_the_list_of_trusted_rules() -> None:
    trusted = {"isserlis", "wick", "faulhaber", "identity", "derivative", "at-origin", "psd-root"}
    trusted |= {"softmax-weight", "moment-limit"}
    trusted |= {
        "eigenvalue-average",
        "trace-identity",
        "cauchy-schwarz",
        "square-root",
        "finite-expectation",
        "antiderivative",
    }
    analysis = {
        "slope",
        "normal-interval",
        "heat-flow",
        "substitution",
        "positive-root",
        "continuous-limit",
        "erf-limit",
    }
    analysis |= {"chebyshev-limit", "empty-cell", "independent-ends", "shrinking-interval", "two-sequences"}
    inequalities = {"quotient", "realised-spectrum", "vertex-maximum", "unit-combination", "hoelder"}
    orders = {"hoelder-growth", "limit-kernel", "wick-leading", "concentrated-limit"}
    orders |= {"paired-square", "tube-growth", "quotient-growth"}
    norms = {"schatten-norms", "mixed-norms", "submultiplicative", "trace-nuclear", "spectral-radius", "chain"}
    norms |= {"one-signed-trace", "gram-factor", "trace-cauchy-schwarz", "congruence"}
    # a rule that is added is tested, here or in the file of its name, and then named here
    assert (
        set(RULES)
        == trusted | analysis | inequalities | orders | norms | ENTROPY | MATRICES | SINKS | SMOOTHING | COSTS
    )


def test_every_module_of_rules_is_loaded() -> None:
    """In a process that asks one question of one rule: what is licensed depends on no other import."""
    asked = """
import pkgutil, sys
from theorems import rules
assert not rules.licensed(type("Step", (), {"rule": "no rule", "data": ()})())
missing = [m.name for m in pkgutil.iter_modules(rules.__path__, "theorems.rules.") if m.name not in sys.modules]
assert not missing and "theorems.rules.orders" in sys.modules, missing
"""
    found = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr


def test_a_rule_that_nobody_trusts_licenses_nothing() -> None:
    assert not licensed(step("because", 1))
    assert not licensed(step("", 1))
    name = "always, for this test"
    rule(name)(lambda *_: True)
    try:
        assert licensed(step(name, 1))
    finally:
        del RULES[name]
    assert not licensed(step(name, 1))


@pytest.mark.parametrize("error", [AssertionError, RecursionError, NameError, sp.PolynomialError, OSError])
def test_a_rule_that_breaks_licenses_nothing(monkeypatch: pytest.MonkeyPatch, error: type[Exception]) -> None:
    def broken(*data: Any) -> bool:
        raise error

    monkeypatch.setitem(RULES, "broken, for this test", broken)
    assert not licensed(step("broken, for this test", 1))


@pytest.mark.parametrize("error", [MemoryError, KeyboardInterrupt, GeneratorExit])
def test_what_says_nothing_of_a_step_passes_through(
    monkeypatch: pytest.MonkeyPatch, error: type[BaseException]
) -> None:
    def stopped(*data: Any) -> bool:
        raise error

    monkeypatch.setitem(RULES, "stopped, for this test", stopped)
    with pytest.raises(error):
        licensed(step("stopped, for this test", 1))


def test_odd_data_are_no_instance_of_a_rule() -> None:
    x = symbol("x")
    deep: Any = x
    for _ in range(20_000):
        deep = (deep,)
    assert not licensed(step("square-root", deep, x))
    assert not licensed(None)
    assert not licensed(Step(["square-root"], "", (x, x)))  # type: ignore[arg-type]
    assert licensed_by(step("square-root", x, x), ("square-root",))
    assert not licensed_by(step("square-root", x, x), ("identity",))
    assert not licensed_by(step("square-root", 1 + x, x), ("square-root",))


@pytest.mark.parametrize("place", [lambda s: s, lambda s: [s], lambda s: {"x": s}, lambda s: {s: 1}, lambda s: {s}])
@pytest.mark.parametrize("assumed", [sp.Symbol("x", positive=True), sp.Dummy("x"), sp.Wild("x")])
def test_symbols_with_assumptions_are_no_data(
    monkeypatch: pytest.MonkeyPatch, place: Callable[[Any], Any], assumed: sp.Symbol
) -> None:
    monkeypatch.setitem(RULES, "anything, for this test", lambda *_: True)
    for value in (assumed, assumed + 1, sp.Matrix([[1, assumed]]).as_immutable()):
        assert not licensed(step("anything, for this test", 1, place(value)))
        assert licensed(step("anything, for this test", 1, place(value.xreplace({assumed: symbol("x")}))))
    assert not licensed(step("anything, for this test", sp.Matrix([[1, assumed]])))


def test_an_integral_of_another_form_is_refused_soon() -> None:
    """sympy does not end on some of these."""
    x, zero, one = symbol("x"), sp.Integer(0), sp.Integer(1)
    for F in (
        sp.exp(sp.exp(x)) * sp.tan(x ** sp.Rational(2, 3)),
        sp.exp(2 * sp.log(sp.log(5 * x / 2) + sp.log(x) ** -2) ** sp.Rational(2, 3)),
        (x + 1) ** 10**6,
    ):
        start = process_time()
        assert not licensed(step("antiderivative", sp.diff(F, x), x, zero, one, F, zero))
        assert process_time() - start < 1


@pytest.mark.parametrize("kernel", ["sigma", "zero", "mean", "iid", "line"])
@pytest.mark.parametrize("symmetric", [True, False])
def test_expectations(kernel: str, symmetric: bool) -> None:
    """Each route licenses the other's steps; a value with one coefficient changed is licensed by neither."""
    for family in (Process, SecondRoute):
        source = family(KERNELS[kernel], (START, "i", "j", "T"), symmetric)
        i, j, T_at = source.positions
        source.expect(source.form(i, W, j) * source.form(j, W, T_at) + source.form("a", W, i) * source.form(i, W, "b"))
        source.expect(source.form(source.tokens(above=i), W, T_at) / "lam")
        for found in source.steps:
            assert licensed(found)
            if found.rule != source.expectation_rule:
                continue
            observable, value, *model = found.data
            for wrong in (value + 1, value * 2 + Ratio.of("tr1"), value + Ratio.of("i") * "tr2", Ratio.of("T") + value):
                assert not licensed(step(found.rule, observable, wrong, *model))


@settings(max_examples=30)
@given(
    st.lists(st.integers(-4, 4), min_size=1, max_size=6).filter(any),
    st.sampled_from([("0", "T"), ("i", "T"), ("0", "i - 1"), ("i", "2*i + 1")]),
    st.fractions(-2, 2, max_denominator=3).filter(bool),
)
def test_closed_sums(coefficients: list[int], ends: tuple[str, str], error: Fraction) -> None:
    j = Ratio.of("j")
    summand = sum((c * j**p * Ratio.of("T") for p, c in enumerate(coefficients)), Ratio.of(0))
    lower, upper = (Ratio.from_expr(parse(end)) for end in ends)
    primitive = summand.summed("j")
    value = primitive.substitute("j", upper) - primitive.substitute("j", lower)
    assert licensed(step("faulhaber", summand, "j", lower, upper, primitive, value))
    wrong = [
        (summand, "j", lower, upper, primitive, value + error),
        (summand, "j", lower, upper + 1, primitive, value),
        (summand + error, "j", lower, upper, primitive, value),
        (summand, "j", lower, upper, primitive + error * j, value + error * (upper - lower)),
        (summand, "j", lower, upper, primitive * 2, value * 2),
    ]
    at_next = primitive.substitute("j", upper + 1) - primitive.substitute("j", upper)
    for data in wrong:
        if data[1:3] == ("j", lower) and data[3] == upper + 1 and at_next == 0:
            continue
        assert not licensed(step("faulhaber", *data))


@settings(max_examples=30)
@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(0, 3), st.integers(-2, 3)), min_size=1, max_size=4))
def test_identities(terms: list[tuple[int, int, int]]) -> None:
    i, T_ = symbol("i"), symbol("T")
    expression = sp.Add(*(c * (i + 1) ** p * T_**q for c, p, q in terms))
    left, right = Ratio.from_expr(expression), Ratio.from_expr(sp.expand(expression))
    assert licensed(step("identity", left, right))
    assert not licensed(step("identity", left, right + 1))
    assert not licensed(step("identity", left, right + Ratio.of("i") / "T"))


def quotients() -> list[tuple[sp.Expr, sp.Expr]]:
    return [(u, u + T - 1), (u, u + v + T - 2), (u * v, u + 2 * v + T), (u**2 + v, T * u)]


@pytest.mark.parametrize("variable", ["u", "v"])
@pytest.mark.parametrize("quotient", quotients(), ids=str)
def test_derivatives(quotient: tuple[sp.Expr, sp.Expr], variable: str) -> None:
    """Against a difference quotient of the exponentials at T = 5, with 50 digits."""
    numerator, denominator = quotient
    other = {"u": "v", "v": "u"}[variable]

    def along(w: sp.Expr) -> sp.Expr:
        return (numerator / denominator).subs({variable: sp.exp(w), other: 1, "T": 5})

    step_size = sp.Float("1e-15", 50)
    slope = ((along(step_size) - along(-step_size)) / (2 * step_size)).evalf(50)
    x = symbol(variable)
    true = sp.diff((numerator / denominator), x).subs({u: 1, v: 1})
    assert abs(true.subs(T, 5) - slope) < 1e-25
    assert licensed(step("derivative", numerator, denominator, variable, true))
    for wrong in (true + 1, true + 1 / T**2, 2 * true + 1 / T, -true - 1):
        assert not licensed(step("derivative", numerator, denominator, variable, wrong))
    # another numerator is licensed exactly where it has the same slope
    moved = sp.diff((numerator + u * v) / denominator, x).subs({u: 1, v: 1})
    assert licensed(step("derivative", numerator + u * v, denominator, variable, true)) == (
        sp.cancel(moved - true) == 0
    )
    assert licensed(step("derivative", numerator + u * v, denominator, variable, moved))


def test_averages_over_eigenvalues() -> None:
    """Polynomials of the eigenvalues of random W_QK Sigma, and near misses in every coefficient."""
    generator = np.random.default_rng(7)
    w = symbol("w")
    for size in range(1, 6):
        root = generator.standard_normal((size, size))
        matrix = generator.standard_normal((size, size))
        product = (matrix + matrix.T) @ (root @ root.T)
        values = np.linalg.eigvals(product)
        for powers in ((1,), (2,), (3,), (0, 2), (1, 2, 3)):
            polynomial = sum((k + 2) * w**k for k in powers)
            parts = [(k + 2) * (symbol(f"tr{k}") / symbol("d") if k else 1) for k in powers]
            value = sp.Add(*parts)
            assert licensed(step("eigenvalue-average", polynomial, value))
            assert not licensed(step("eigenvalue-average", polynomial + w, value))
            assert not licensed(step("eigenvalue-average", polynomial, value + symbol("tr1")))
            traces = {f"tr{k}": np.trace(np.linalg.matrix_power(product, k)) for k in (1, 2, 3)} | {"d": size}
            told = complex(value.subs({symbol(name): number for name, number in traces.items()}))
            found = sum((k + 2) * (values**k).mean() for k in powers)
            assert told == pytest.approx(found, rel=1e-9, abs=1e-9)
    assert not licensed(step("eigenvalue-average", 1 / w, symbol("tr1")))


def symmetric_matrices(size: int, seed: int) -> dict[str, np.ndarray[Any, np.dtype[np.float64]]]:
    generator = np.random.default_rng(seed)
    found = {}
    for name in ("W_QK", "R"):
        matrix = generator.standard_normal((size, size))
        found[name] = matrix + matrix.T
    return {**found, "Sigma": found["R"] @ found["R"]}


words = st.lists(st.sampled_from(["W_QK", "Sigma", "R"]), min_size=1, max_size=4).map(tuple)


@settings(max_examples=80)
@given(words, words, st.integers(0, 3))
def test_trace_identities_against_random_symmetric_matrices(
    one: tuple[str, ...], two: tuple[str, ...], seed: int
) -> None:
    """The rule says yes exactly where the traces of three by three symmetric matrices agree."""
    matrices = symmetric_matrices(3, seed)

    def trace(word: tuple[str, ...]) -> float:
        product = np.eye(3)
        for letter in word:
            product = product @ matrices[letter]
        return float(np.trace(product))

    said = licensed(step("trace-identity", one, two, ROOT))
    assert said == bool(np.isclose(trace(one), trace(two), rtol=1e-9))
    root = tuple(piece for letter in one for piece in ROOT.get(letter, (letter,)))
    for same in (one[1:] + one[:1], one[::-1], root, root[::-1]):
        assert licensed(step("trace-identity", one, same, ROOT))
    assert not licensed(step("trace-identity", one, (*one, "W_QK"), ROOT))
    # without a rewriting Sigma is a letter like any other, and nothing is known of R
    assert licensed(step("trace-identity", one, one[::-1], {})) == ("R" not in one)
    assert licensed(step("trace-identity", one, root, {})) == (not {"Sigma", "R"} & set(one))
    # of another letter nothing is known, not even that it is a matrix
    assert not licensed(step("trace-identity", (*one, "B"), ("B", *one), ROOT))


def test_canonical_traces() -> None:
    assert canonical_trace(()) == ()
    assert canonical_trace(("B", "A", "C")) == ("A", "B", "C")
    assert canonical_trace(("W", "Sigma"), ROOT) == canonical_trace(("R", "W", "R"))
    # of three symmetric letters every order has one trace, of four not
    assert canonical_trace(("A", "B", "A", "B")) != canonical_trace(("A", "A", "B", "B"))


def test_cauchy_schwarz() -> None:
    instance = step("cauchy-schwarz", (), INNER, tr1**2, d * tr2, ROOT)
    assert licensed(instance)
    near_misses: list[tuple[Any, ...]] = [
        ((), INNER, tr1**2, tr2, ROOT),
        ((), INNER, tr1**2, (d - 1) * tr2, ROOT),
        ((), INNER, tr1**2, d**2 * tr2, ROOT),
        ((), INNER, tr1, d * tr2, ROOT),
        ((), INNER, 2 * tr1**2, d * tr2, ROOT),
        ((), INNER, d * tr2, tr1**2, ROOT),
        ((), INNER, tr1**2, d * tr2, {}),
        (INNER, INNER, tr1**2, d * tr2, ROOT),
        ((), ("W_QK",), tr1**2, d * tr2, ROOT),
        ((), ("W_QK", "Sigma"), tr1**2, d * tr2, ROOT),
        ((), ("R", "W_QK"), tr1**2, d * tr2, ROOT),
        ((), ("W_QK", "Sigma", "W_QK"), tr1**2, d * tr2, ROOT),
        # a table of names that the derivation brings along is not read
        ((), INNER, {(): d}, tr1**2, tr2, ROOT),
    ]
    assert licensed(step("cauchy-schwarz", INNER, INNER, tr2**2, tr2**2, ROOT))
    assert licensed(step("cauchy-schwarz", INNER, INNER * 2, symbol("tr3") ** 2, tr2 * symbol("tr4"), ROOT))
    for data in near_misses:
        assert not licensed(step("cauchy-schwarz", *data)), data


def test_the_inequality_that_the_instance_states() -> None:
    """tr(W S)^2 <= d tr((W S)^2) over random symmetric W and S = R R; without the factor d it fails."""
    tight = 0.0
    for seed in range(40):
        for size in (1, 2, 4):
            m = symmetric_matrices(size, seed)
            product = m["W_QK"] @ m["Sigma"]
            one, two = float(np.trace(product)) ** 2, float(np.trace(product @ product))
            assert one <= size * two * (1 + 1e-9)
            tight = max(tight, one / two)
    assert tight > 1.5


@settings(max_examples=25)
@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(1, 5)), min_size=1, max_size=4), st.integers(1, 3))
def test_expectations_of_finite_distributions(weights: list[tuple[int, int]], power: int) -> None:
    """Sum of p f(x)^k by fractions; a value, a probability or a power that is off by a little is not licensed."""
    whole = sum(weight for _, weight in weights)
    values = tuple(sp.Integer(x) for x, _ in weights)
    chances = tuple(sp.Rational(weight, whole) for _, weight in weights)
    exact = sum((Fraction(weight, whole) * (x * x + x) ** power for x, weight in weights), Fraction(0))
    value, statistic = sp.Rational(exact.numerator, exact.denominator), parse("x**2 + x")
    assert licensed(step("finite-expectation", values, chances, statistic, power, value))
    near_misses: list[tuple[Any, ...]] = [
        (values, chances, statistic, power, value + sp.Rational(1, 7)),
        (values, chances, statistic + sp.Rational(1, 1000), power, value + 5),
        ((*values, sp.Integer(0)), (*chances, sp.Rational(1, 9)), statistic, power, value),
        (values, tuple(c / 2 for c in chances), statistic, power, value / 2),
        (values, (*chances, sp.Integer(0)), statistic, power, value),
        # weights that add up to 1, and a weighted sum that is right, but no probabilities
        ((*values, sp.Integer(0), sp.Integer(-1)), (*chances, sp.Integer(1), sp.Integer(-1)), statistic, power, value),
    ]
    for data in near_misses:
        assert not licensed(step("finite-expectation", *data))


def test_weights_that_are_no_probabilities_are_not_licensed() -> None:
    x, p = symbol("x"), symbol("p")
    coin = (sp.Integer(0), sp.Integer(1))
    assert not licensed(step("finite-expectation", coin, (sp.Integer(2), sp.Integer(-1)), x, 1, sp.Integer(-1)))
    assert not licensed(step("finite-expectation", coin, (sp.I, 1 - sp.I), x, 1, 1 - sp.I))
    # symbols are trusted to be probabilities where they are drawn
    assert licensed(step("finite-expectation", coin, (1 - p, p), x, 1, p))
    assert not licensed(step("finite-expectation", coin, (1 - p, p), x, 1, 1 - p))


@pytest.mark.parametrize(
    ("integrand", "low", "high", "primitive", "value"),
    [
        ("x**2", "0", "1", "x**3/3", "1/3"),
        ("x**2", "0", "2", "x**3/3 + 5", "8/3"),
        ("x**2", "-1", "-1", "x**3/3", "0"),
        ("exp(-x)", "0", "1", "-exp(-x)", "1 - exp(-1)"),
        ("1/(x + 1)**2", "0", "1", "-1/(x + 1)", "1/2"),
    ],
)
def test_antiderivatives(integrand: str, low: str, high: str, primitive: str, value: str) -> None:
    """Against scipy's quadrature; a wrong primitive, end or value is not licensed."""
    x, F, f = symbol("x"), parse(primitive), parse(integrand)
    a, b, v = parse(low), parse(high), parse(value)
    numeric, error = quad(sp.lambdify(x, f), float(a), float(b))
    assert abs(numeric - float(v)) < 10 * error + 1e-12
    assert licensed(step("antiderivative", f, x, a, b, F, v))
    for wrong in ((f, x, a, b, F, v + 1), (f, x, a, b, 2 * F, 2 * v), (f, x, a, b + 1, F, v), (f + 1, x, a, b, F, v)):
        assert not licensed(step("antiderivative", *wrong))
    # ends that are no numbers cannot be seen to lie in an interval where F is smooth
    for low_end, high_end in ((a, T), (T, b), (T, T), (a, sp.I), (b + 1, a)):
        at_ends = F.subs(x, high_end) - F.subs(x, low_end)
        assert not licensed(step("antiderivative", f, x, low_end, high_end, F, at_ends))


#: Data that no rule takes: too little, too much, and of other types.
SHAPES: list[tuple[Any, ...]] = [
    (),
    (1,),
    ("i", "T"),
    (None,) * 5,
    ((), (), {}, 1, 2),
    (1, 2, 3, 4, 5, 6),
    ([], {}),
    (tr1,) * 6,
    ("tr1", 2),
    ("a", "b", "c", "d", "e", "f"),
    ((), INNER, {(): d}, tr1**2, d * tr2, ROOT),
]


@pytest.mark.parametrize("name", sorted(RULES))
def test_data_of_another_shape_is_not_licensed_and_breaks_nothing(name: str) -> None:
    for data in SHAPES:
        if name == "psd-root" and len(data) == 2 and all(data) and data[0] != data[1]:
            # the rule takes two names on trust
            continue
        assert licensed(step(name, *data)) is False, data


def test_a_tampered_step_of_the_bound_is_not_licensed() -> None:
    from theorems.kernel.derivation import SharpBound
    from theorems.kernel.deriving import derive

    (bound,) = derive("bao2024.sec4.eq5").quantities.values()
    assert isinstance(bound, SharpBound)
    assert all(licensed(found) for found in bound.steps)
    by_rule = {found.rule: found for found in bound.steps}
    trace = by_rule["trace-identity"]
    assert not licensed(replace(trace, data=(trace.data[0], (*trace.data[1], "R"), trace.data[2])))
    schwarz = by_rule["cauchy-schwarz"]
    assert not licensed(replace(schwarz, data=(*schwarz.data[:3], d * tr2 / 2, schwarz.data[4])))
    assert not licensed(replace(schwarz, data=(*schwarz.data[:2], 2 * tr1**2, *schwarz.data[3:])))
    assert not licensed(replace(schwarz, data=(*schwarz.data[:4], {})))
    assert not licensed(replace(schwarz, rule="trace-identities"))
