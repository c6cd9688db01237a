"""Moments in every order of the positions, against the engine of walks and against joint cumulants."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy as sp

from proofs_check.cases.of_statements import drawn
from theorems.gaussian.observables import W
from theorems.gaussian.process import KERNELS, random_walk
from theorems.statement import StatementError, proposition
from theorems.statement.deciding.cumulants import CaseMoments
from theorems.statement.deciding.decide import Derivation
from theorems.statement.moments import normal
from theorems.statement.moments.normal import equal

LAWS = ("walk", "walk(start=0)", "walk(start=m)", "iid", "ar1(1/3)", "gaussian(min(s, t)*2)", "gaussian(s*t)")
QUANTITIES = (
    "E[(x[i].T*W*x[j])**2]",
    "E[x[i].T*W*x[j]*x[k].T*W.T*x[i]]",
    "E[sum(x[j].T*W*x[T], j, 1, T)]",
    "E[norm(mean(x) - x[1])**2]",
    "E[a.T*x[i]*x[j].T*W*x[i]]",
    "E[tr(W*x[i]*x[j].T*Sigma)]",
)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("quantity", QUANTITIES)
def test_pairings_agree_with_joint_cumulants_at_exact_cases(law: str, quantity: str) -> None:
    prop = proposition(f"{quantity} = 0", "a in R^d" if "a.T" in quantity else "", law=law)
    derivation = Derivation(prop)
    cases = drawn(prop, 7, 6, longest=4)
    assert len(cases) >= 3
    for case in cases:
        other = CaseMoments(derivation, case).expectation(prop.left.args[0])
        assert derivation.at(prop.left, case) == sp.Rational(other.numerator, other.denominator), case


@pytest.mark.parametrize("right", ["A*x[i]*x[j].T*A.T", "A*x[i]*x[j].T", "A*x[i]*x[j].T*x[i]*x[j].T*A.T"])
def test_joint_cumulants_between_vectors_of_another_length(right: str) -> None:
    """A chain from a vector of length m is a product that begins with m, not with d."""
    prop = proposition(f"E[{right}] = 0", "A in R^(m x d), i <= j")
    derivation, seen = Derivation(prop), 0
    for case in drawn(prop, 7, 12, longest=4):
        other = CaseMoments(derivation, case).expectation(prop.left.args[0])
        assert derivation.at(prop.left, case) == sp.Rational(other.numerator, other.denominator), case
        seen += int(case["m"]) != int(case["d"])
    assert seen


def test_the_walks_own_engine_says_the_same() -> None:
    walk = random_walk("i", "j", symmetric=True)
    i, j = walk.positions
    value = walk.variance(walk.form(i, W, j)).expr
    prop = proposition("Var[x[i].T*W*x[j]] = 0", "W symmetric, i <= j")
    derivation = Derivation(prop)
    names = {sp.Symbol("tr1"): sp.Symbol("tr(W*Sigma)"), sp.Symbol("tr2"): sp.Symbol("tr(W*Sigma*W*Sigma)")}
    for order in derivation.orders:
        tied = {sp.Symbol(n): sp.Symbol(p.name) for n, p in order.values}
        assert equal(derivation.value(order, prop.left), value.xreplace(names).xreplace(tied))


def test_another_law_gives_another_moment() -> None:
    found = set()
    for law in ("walk", "walk(start=0)", "iid", "ar1(1/2)"):
        prop = proposition("E[x[i].T*W*x[j]] = 0", "i < j", law=law)
        derivation = Derivation(prop)
        (order,) = derivation.orders
        found.add(str(derivation.value(order, prop.left)))
    assert len(found) == 4
    assert KERNELS["sigma"] != KERNELS["zero"]


def test_a_sum_over_tokens_closes_for_a_geometric_covariance() -> None:
    prop = proposition(
        "E[norm(mean(x))**2] = tr(Sigma)*((1 + a)/(1 - a)/T - 2*a*(1 - a**T)/(1 - a)**2/T**2)",
        "0 < a < 1",
        law="ar1(a)",
    )
    derivation = Derivation(prop)
    for order in derivation.orders:
        assert equal(derivation.value(order, prop.left), derivation.value(order, prop.right))
    # and by adding up, at one a
    a, T = Fraction(2, 5), 7
    direct = sum(a ** abs(s - t) for s in range(T) for t in range(T)) / Fraction(T) ** 2
    case = {"T": T, "a": str(a), "d": 1, "Sigma": [["1"]]}
    assert derivation.at(prop.left, case) == sp.Rational(direct.numerator, direct.denominator)


def test_a_sum_that_has_no_closed_form_is_refused_and_never_taken_for_a_constant() -> None:
    for text in (
        "E[sum(min(j, i)*x[j].T*W*x[T], j, 1, T)] = 0",
        "E[sum(x[j].T*W*x[T]/(j + 1), j, 1, T)] = 0",
        "E[sum(x[j].T*W*x[T]/j, j, 1, T)] = 0",
        "E[sum(2**j*x[j].T*W*x[T], j, 1, T)] = 0",
    ):
        prop = proposition(text, "i <= T" if "i)" in text else "")
        derivation = Derivation(prop)
        with pytest.raises(StatementError):
            for order in derivation.orders:
                derivation.value(order, prop.left)


def test_an_empty_sum_is_zero_and_not_its_polynomial() -> None:
    prop = proposition("E[sum(x[j].T*W*x[T], j, k, i)] = tr(W*Sigma)*sum(j, j, k, i)")
    derivation = Derivation(prop)
    case = {"i": 1, "k": 4, "T": 5, "d": 1, "W": [["1"]], "Sigma": [["1"]]}
    assert derivation.at(prop.left, case) == 0
    assert derivation.at(prop.right, case) == 0


def test_a_product_of_many_tokens_is_refused_with_the_mend() -> None:
    prop = proposition("E[(x[i].T*W*x[j])**9] = 0", "i <= j")
    derivation = Derivation(prop)
    with pytest.raises(StatementError, match="at most 16"):
        derivation.value(derivation.orders[0], prop.left)


def test_values_that_differ_at_a_point_are_told_apart_without_algebra(monkeypatch: pytest.MonkeyPatch) -> None:
    i, j, a = sp.symbols("i j a")
    step = sp.Symbol("step#")
    known = {i: 1 + step, j: 2 + step}
    same = [
        (sp.sqrt(i**2 * a), i * sp.sqrt(a)),
        (a ** (j - i), a**j / a**i),
        (sp.sqrt(i) * sp.sqrt(j), sp.sqrt(i * j)),
        ((i + j) ** sp.Rational(3, 2), i * sp.sqrt(i + j) + j * sp.sqrt(i + j)),
    ]
    assert all(equal(one, two, known) for one, two in same)
    monkeypatch.setattr(normal, "rational_form", None)
    for one, two in same:
        assert not equal(one, 2 * two, known) and not equal(one, two + sp.Rational(1, 10**30), known)
        # nothing is said of equal ones without algebra
        with pytest.raises(TypeError):
            equal(one, two, known)
    # numbers of too many digits are not looked at: 3^(5^(7^11)), 3^(5*7*11*13)
    k, m = sp.symbols("k m")
    for exponent in (i ** (j**k), i * j * k * m):
        with pytest.raises(TypeError):
            equal(a**exponent, sp.sqrt(a))
