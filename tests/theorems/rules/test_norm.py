"""Every norm rule: what it licenses is true on random matrices, and near misses are refused."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
import sympy as sp

from theorems.algebra.expressions import floats, parse, symbol
from theorems.gaussian.process import Step
from theorems.rules import RULES, licensed
from theorems.rules.norm import (
    COVARIANCE,
    DEFINITE,
    MIXED,
    NORM_RULES,
    ONE_SIGNED,
    SCHATTEN,
    SYMMETRIC,
    granted,
    reduced,
    trace_of,
)

Matrix = np.ndarray[Any, np.dtype[np.float64]]
ALL = (SYMMETRIC, DEFINITE, ONE_SIGNED)
EXPONENTS = [sp.Rational(k, 2) for k in range(-1, 5)]


def step(rule: str, left: str | sp.Expr, right: str | sp.Expr, hypotheses: tuple[str, ...] = (), *more: Any) -> Step:
    sides = (parse(side) if isinstance(side, str) else side for side in (left, right))
    return Step(rule, "{0} <= {1}", (*sides, hypotheses, *more))


def schatten(one: str, two: str, factor: Any = 1, matrix: str = "W") -> Step:
    return step("schatten-norms", f"{one}_{matrix}", factor * symbol(f"{two}_{matrix}"), (), one, two, matrix)


def mixed(one: str, two: str, factor: Any = 1) -> Step:
    return step("mixed-norms", f"{one}_W", factor * symbol(f"{two}_W"), (), one, two, "W")


def functionals(W: Matrix, Sigma: Matrix) -> dict[str, float]:
    """Every name that a rule may use, for these matrices."""
    found = {
        "d": float(len(W)),
        "tr_W": np.trace(W),
        "tr1": np.trace(W @ Sigma),
        "tr2": np.trace(W @ Sigma @ W @ Sigma),
    }
    variances, axes = np.linalg.eigh(Sigma)
    root = (axes * np.sqrt(variances)) @ axes.T
    values, basis = np.linalg.eigh((W + W.T) / 2)
    C = np.sqrt(np.abs(values))[:, None] * basis.T
    matrices = {
        "W": W,
        "Sigma": Sigma,
        "Sigma_inverse": np.linalg.inv(Sigma),
        "W_Sigma": W @ Sigma,
        "C": C,
        "M": root @ W @ root,
    }
    for name, A in matrices.items():
        found |= {
            f"spectral_{name}": np.linalg.norm(A, 2),
            f"frobenius_{name}": np.linalg.norm(A),
            f"nuclear_{name}": np.linalg.norm(A, "nuc"),
            f"entrywise_{name}": np.abs(A).sum(),
            f"column_{name}": np.linalg.norm(A, 1),
        }
    return found


def instances(hypotheses: tuple[str, ...], count: int = 120) -> list[dict[str, float]]:
    """Random matrices that meet the hypotheses and, beside them, nothing more; extreme ones among them."""
    rng = np.random.default_rng(3)
    found = []
    for k in range(count):
        d = 1 + k % 4
        A = rng.normal(size=(d, d))
        W = [A, np.eye(d), np.outer(A[0], A[-1]), np.diag(A[0]), np.eye(d)[::-1], np.ones((d, d))][k // 4 % 6]
        if SYMMETRIC in hypotheses:
            W = (W + W.T) / 2
        if ONE_SIGNED in hypotheses:
            W = (-1) ** k * (W @ W.T)
        Sigma = np.eye(d) if k % 3 == 0 else (A @ A.T + 0.05 * np.eye(d))
        found.append(functionals(W, Sigma))
    return found


def true_everywhere(one: Step) -> bool:
    left, right, hypotheses = one.data[:3]
    for values in instances(hypotheses):
        low, high = float(floats(left, values)), float(floats(right, values))
        if low > high * (1 + 1e-9) + 1e-12:
            return False
    return True


RADIUS = step("spectral-radius", "spectral_W", "column_W", (SYMMETRIC,))
SIGNS = step("one-signed-trace", "nuclear_W", "Abs(tr_W)", (SYMMETRIC, ONE_SIGNED))
FACTOR = step("gram-factor", "spectral_W", "spectral_C**2", (SYMMETRIC, ONE_SIGNED))
SQUARES = step("gram-factor", "frobenius_C**2", "Abs(tr_W)", (SYMMETRIC, ONE_SIGNED))
LIFTED = step("congruence", "spectral_W", "spectral_Sigma_inverse*spectral_M", (DEFINITE,))
MIDDLE = step("congruence", "frobenius_M", "sqrt(tr2)", (SYMMETRIC, COVARIANCE))
PRODUCT = step("submultiplicative", "spectral_W_Sigma", "spectral_W*spectral_Sigma", (), "W", "Sigma")
NUCLEAR = step("trace-nuclear", "Abs(tr1)", "nuclear_W_Sigma", (SYMMETRIC, COVARIANCE), ("W", "Sigma"))
INNER = step(
    "trace-cauchy-schwarz",
    "Abs(tr_W)",
    "frobenius_Sigma_inverse*sqrt(tr2)",
    (SYMMETRIC, DEFINITE),
    ("R", "W", "R"),
    ("Sigma_inverse",),
)
PLAIN = step(
    "trace-cauchy-schwarz", "Abs(tr1)", "frobenius_W*frobenius_Sigma", (SYMMETRIC, COVARIANCE), ("W",), ("Sigma",)
)
UNIT = step("trace-cauchy-schwarz", "Abs(tr1)", "sqrt(d)*sqrt(tr2)", (SYMMETRIC, COVARIANCE), (), ("R", "W", "R"))
ONE = sp.Integer(1)
CHAINS = [
    step("chain", "Abs(tr1)", "d*spectral_W*spectral_Sigma", (SYMMETRIC, COVARIANCE), parts)
    for parts in (
        ((NUCLEAR, ONE), (schatten("nuclear", "spectral", symbol("d"), "W_Sigma"), ONE), (PRODUCT, ONE)),
        (
            (PLAIN, ONE),
            (schatten("frobenius", "spectral", sp.sqrt(symbol("d"))), ONE),
            (schatten("frobenius", "spectral", sp.sqrt(symbol("d")), "Sigma"), ONE),
        ),
    )
]
GRAM = ((FACTOR, ONE), (schatten("spectral", "frobenius", 1, "C"), 2 * ONE), (SQUARES, ONE))
CHAINS.append(step("chain", "spectral_W", "Abs(tr_W)", (SYMMETRIC, ONE_SIGNED), GRAM))
TRUE = [RADIUS, SIGNS, FACTOR, SQUARES, LIFTED, MIDDLE, PRODUCT, NUCLEAR, INNER, PLAIN, UNIT, *CHAINS]


def test_what_is_here_is_all_there_is() -> None:
    tested = {one.rule for one in TRUE} | {"schatten-norms", "mixed-norms"}
    assert tested == NORM_RULES
    assert set(RULES) >= NORM_RULES


@pytest.mark.parametrize("one", TRUE, ids=lambda one: one.text)
def test_a_true_instance_is_licensed(one: Step) -> None:
    assert licensed(one)
    assert true_everywhere(one)


@pytest.mark.parametrize(("rule", "table", "make"), [("schatten", SCHATTEN, schatten), ("mixed", MIXED, mixed)])
def test_exactly_the_least_power_of_d_is_licensed(rule: str, table: dict[str, Any], make: Any) -> None:
    """For every pair of norms one exponent is licensed; it is true, and half a power of d less is false."""
    for one, two in product(table, repeat=2):
        d = symbol("d")
        good = [e for e in EXPONENTS if licensed(make(one, two, d**e))]
        assert len(good) == 1, (one, two)
        assert true_everywhere(make(one, two, d ** good[0]))
        assert not true_everywhere(make(one, two, d ** (good[0] - sp.Rational(1, 2))))
        assert not licensed(make(one, two, 2 * d ** good[0]))
        other = "Sigma"
        data = make(one, two, d ** good[0]).data
        assert not licensed(Step(f"{rule}-norms", "", (*data[:3], one, two, other)))
    assert not licensed(make("tr", "spectral"))
    assert not licensed(schatten("spectral", "frobenius", 1, "Sigma_inverse"))


@pytest.mark.parametrize("one", TRUE, ids=lambda one: one.text)
def test_near_misses_are_refused(one: Step) -> None:
    left, right, hypotheses, *more = one.data
    d = symbol("d")
    for factor in (sp.Rational(1, 2), 2, -1, d, 1 / d, sp.sqrt(d), 1 / sp.sqrt(d)):
        assert not licensed(Step(one.rule, "", (left, factor * right, hypotheses, *more))), factor
        assert not licensed(Step(one.rule, "", (factor * left, right, hypotheses, *more))), factor
    assert not licensed(Step(one.rule, "", (left, right**2, hypotheses, *more)))
    assert not licensed(Step(one.rule, "", (right, left, hypotheses, *more)))
    # without any one of its hypotheses
    for dropped in hypotheses:
        kept = tuple(h for h in hypotheses if h != dropped)
        assert not licensed(Step(one.rule, "", (left, right, kept, *more))), dropped
    assert not licensed(Step(one.rule, "", (left, right)))
    assert not licensed(Step(one.rule, "", (left, None, hypotheses, *more)))


def test_the_hypotheses_matter() -> None:
    """Each one dropped makes a rule that needs it false."""

    def somewhere_false(one: Step, kept: tuple[str, ...]) -> bool:
        return not true_everywhere(Step(one.rule, one.words, (*one.data[:2], kept)))

    for one in (RADIUS, FACTOR):
        assert somewhere_false(one, ())
    for one in (SIGNS, SQUARES):
        assert somewhere_false(one, (SYMMETRIC,))


@pytest.mark.parametrize(
    ("right", "one", "two"),
    [
        ("frobenius_Sigma_inverse*sqrt(tr2)", ("R", "W"), ("Sigma_inverse",)),
        ("frobenius_Sigma_inverse*sqrt(tr2)", ("R", "W", "R"), ("Sigma",)),
        ("frobenius_Sigma*sqrt(tr2)", ("R", "W", "R"), ("Sigma_inverse",)),
        ("frobenius_Sigma_inverse*frobenius_W", ("W",), ("Sigma_inverse",)),
        ("frobenius_Sigma_inverse*tr2", ("R", "W", "R"), ("Sigma_inverse",)),
        ("frobenius_Sigma_inverse*sqrt(tr2)", ("Q", "W", "Q"), ("Sigma_inverse",)),
    ],
)
def test_other_factors_are_refused(right: str, one: tuple[str, ...], two: tuple[str, ...]) -> None:
    assert not licensed(step("trace-cauchy-schwarz", "Abs(tr_W)", right, (SYMMETRIC, DEFINITE), one, two))


def test_words_of_traces() -> None:
    """A word is named as its trace is, on random matrices."""
    rng = np.random.default_rng(0)
    A = rng.normal(size=(3, 3))
    values, basis = np.linalg.eigh(A @ A.T + np.eye(3))
    W, Sigma = A + A.T, (basis * values) @ basis.T
    root = (basis * np.sqrt(values)) @ basis.T
    letters = {
        "W": W,
        "Sigma": Sigma,
        "R": root,
        "R_inverse": np.linalg.inv(root),
        "Sigma_inverse": np.linalg.inv(Sigma),
    }
    table = functionals(W, Sigma)
    named = 0
    for size in range(5):
        for word in product(letters, repeat=size):
            value = trace_of(word)
            if value is not None:
                named += 1
                matrix = np.linalg.multi_dot([np.eye(3), *(letters[c] for c in word), np.eye(3)])
                assert np.isclose(np.trace(matrix), float(floats(value, table)))
    assert named > 40
    assert trace_of(("R",)) is None
    assert reduced(("R", "R_inverse")) == ()
    with pytest.raises(ValueError, match="expected letters among R, R_inverse, Sigma"):
        trace_of(("Q",))


def chained(left: str, right: str, parts: Any, hypotheses: tuple[str, ...] = ALL) -> bool:
    return licensed(step("chain", left, right, hypotheses, parts))


def test_a_chain_follows_its_parts() -> None:
    first = schatten("spectral", "frobenius")
    assert chained("3*d*spectral_W**2", "3*d*frobenius_W**2", ((first, sp.Integer(2)),))
    assert chained("spectral_W/d", "frobenius_W/d", ((first, ONE),))
    # a factor that may be negative or infinite, a power that is not positive, no parts, a part that is not licensed
    assert not chained("-spectral_W", "-frobenius_W", ((first, ONE),))
    assert not chained("tr_W*spectral_W", "tr_W*frobenius_W", ((first, ONE),))
    assert not chained("x*spectral_W", "x*frobenius_W", ((first, ONE),))
    assert not chained("spectral_W/column_W", "frobenius_W/column_W", ((first, ONE),))
    assert not chained("(1 - d)*spectral_W", "(1 - d)*frobenius_W", ((first, ONE),))
    assert not chained("spectral_W**2", "spectral_W*frobenius_W**2", ((first, 2 * ONE),))
    assert not chained("1/frobenius_W", "1/spectral_W", ((first, -ONE),))
    assert not chained("spectral_W", "spectral_W", ())
    assert not chained("spectral_W", "spectral_W", ((first, sp.Integer(0)),))
    assert not chained("frobenius_W", "spectral_W", ((schatten("frobenius", "spectral"), ONE),))
    # only rules of this module conclude an inequality between norms
    assert not chained("spectral_W", "frobenius_W", ((Step("psd-root", "", ("Sigma", "R", ())), ONE),))
    assert not chained("spectral_W", "Abs(tr_W)", GRAM[:2])
    assert not chained("spectral_W", "Abs(tr_W)", tuple((part, ONE) for part, _ in GRAM))


def test_what_a_claim_grants() -> None:
    assert granted(SYMMETRIC, ("W_QK symmetric, Sigma positive semidefinite",), ())
    assert granted(COVARIANCE, ("Sigma positive definite",), ())
    assert not granted(DEFINITE, ("Sigma positive semidefinite",), ())
    assert not granted(SYMMETRIC, ("W_QK not symmetric", "W_QK real and square"), ())
    assert granted(ONE_SIGNED, (), (ONE_SIGNED,))
    assert not granted(ONE_SIGNED, ("W_QK symmetric",), ("least_W >= 0",))
