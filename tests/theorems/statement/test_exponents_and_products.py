"""Proofs by exponents, logarithms of products, and products of factors; neighbours that are false are not proved."""

from __future__ import annotations

import pytest

from montecarlo.search_statement import evaluate
from proofs_check.api import check
from theorems.statement import proposition
from theorems.statement.cases import Case
from theorems.statement.decide import Derivation, decide
from theorems.statement.expression import StatementError
from theorems.statement.language import parsed
from theorems.statement.proofs.prover import proved
from theorems.statement.values import value


@pytest.mark.parametrize(
    ("statement", "hypotheses", "holds"),
    [
        # exp is increasing
        ("exp(-norm(u + v)**2) < 1", "u in R^d, v in R^d, norm(u + v) > 0", True),
        ("exp(-norm(u + v)**2) < 1", "u in R^d, v in R^d", False),
        ("n*exp(u)*exp(v) <= n*exp(w)", "u real, v real, w real, u + v <= w, n integer, n >= 1", True),
        ("n*exp(u)*exp(v) <= n*exp(w)", "u real, v real, w real, u - v <= w, n integer, n >= 1", False),
        ("a*exp(u) <= a*exp(v)", "u real, v real, u <= v, a > 0", True),
        ("a*exp(u) <= a*exp(v)", "u real, v real, u <= v, a real", False),
        ("exp(u) <= exp(v)", "u real, v real, u <= v", True),
        ("exp(u) < exp(v)", "u real, v real, u <= v", False),
        # logarithms of products, and of what is larger
        ("log(a*b) = log(a) + log(b)", "a > 0, b > 0", True),
        ("log(a/b) = log(a) + log(b)", "a > 0, b > 0", False),
        ("log(a*exp(u)) = log(a) + u", "a > 0, u real", True),
        ("exp(2*log(a) + u) = a**2*exp(u)", "a > 0, u real", True),
        ("log(c/w) >= (c - w)/l", "0 < w, w <= c, c < l", True),
        ("log(c/w) >= (c - w)/l", "0 < w, w <= c, 0 < l", False),
        ("log(c/w) <= (c - w)/w", "0 < w, w <= c", True),
        ("log(w) <= log(c)", "0 < w, w <= c", True),
        ("log(w) < log(c)", "0 < w, w <= c", False),
        ("-w + l*log(w) <= -c + l*log(c)", "0 < w, w <= c, c < l", True),
        ("-w + l*log(w) <= -c + l*log(c)", "0 < w, w <= c, 0 < l", False),
        # powers with exponents that are no numbers
        ("a**b*a**c = a**(b + c)", "a > 0, b real, c real", True),
        ("a**b*a**c = a**(b*c)", "a > 0, b real, c real", False),
        # of a base < 0 a power with an integer for its exponent has a value, but no logarithm
        ("a**n > 0", "a real, n integer, n >= 1", False),
        ("a**n > 0", "a > 0, n integer, n >= 1", True),
        ("a**n + 1 > 0", "a real, n integer, n >= 1", False),
        ("(a - 100000)**n > 0", "a real, n integer, n >= 1", False),
        ("a**n*a**n = a**(2*n)", "a real, n integer, n >= 1", False),
        # nor does a hypothesis about such a power say that the base is > 0
        ("b*n*(a - 1) >= 1/2", "a real, n integer, n >= 1, a**n = b, b >= 2", False),
        ("b*n*(a - 1) >= 1/2", "a > 0, n integer, n >= 1, a**n = b, b >= 2", True),
        # an even power of what is < 0 is > 0
        ("(z - exp(z))**2*(z - 2 - exp(z)) > 0", "0 < z, z < 1", False),
        ("(z - exp(z))**2*(2 + exp(z) - z) > 0", "0 < z, z < 1", True),
        ("(z - exp(z))**3*(z - 2 - exp(z)) > 0", "0 < z, z < 1", True),
        ("(z - exp(z))**3*(2 + exp(z) - z) > 0", "0 < z, z < 1", False),
        # products by their factors
        ("prod(1, k, 1, l) <= (1 + a**n)**l", "a real, n integer, n >= 1, l integer, l >= 1", False),
        ("prod(1, k, 1, l) <= (1 + a**n)**l", "a > 0, n integer, n >= 1, l integer, l >= 1", True),
        ("prod(d/(d + 2*k), k, 0, l - 1) >= (1 - (2*l - 2)/d)**l", "l integer, l >= 1, d >= 2, 2*l - 2 <= d", True),
        ("prod(d/(d + 2*k), k, 0, l - 1) >= (1 - (2*l - 3)/d)**l", "l integer, l >= 1, d >= 2, 2*l - 2 <= d", False),
        ("prod(d/(d + 2*k), k, 0, l - 1) >= (1 - (2*l - 2)/d)**(l - 1)", "l integer, l >= 1, 2*l - 2 <= d", False),
        ("prod(d/(d + 2*k), k, 0, l - 1) <= 1**l", "l integer, l >= 1, d >= 2", True),
        ("prod(1 - u/k, k, 1, n) <= 1**n", "n integer, n >= 1, 0 < u, u <= 1", True),
        ("prod(1 - u/k, k, 1, n) <= 1**n", "n integer, n >= 1, 0 < u, u <= 4", False),
        # an empty product is 1
        ("prod(a, k, 2, n) >= b**(n - 1)", "n integer, n >= 1, a >= b, b > 0", True),
        ("prod(a, k, 3, n) >= b**(n - 2)", "n integer, n >= 1, a >= b, b > 0", False),
        ("prod(a, k, 3, n) >= b**(n - 2)", "n integer, n >= 2, a >= b, b > 0", True),
        # the index is no parameter of that name
        ("prod(k/(1 + k), k, 1, n) >= (k/(1 + k))**n", "n integer, n >= 1, 0 < k, k <= 1", True),
        ("prod(k/(1 + k), k, 1, n) >= (k/(1 + k))**n", "n integer, n >= 1, 0 < k", False),
    ],
)
def test_what_is_proved_and_what_is_not(statement: str, hypotheses: str, holds: bool) -> None:
    assert (proved(proposition(statement, hypotheses)) is not None) == holds


@pytest.mark.parametrize(
    ("statement", "hypotheses", "law"),
    [
        # powers, roots and logarithms that need not have the value that they are read as
        ("E[norm(x[1])**2]*a**n >= 0", "a real, n integer, n >= 1", "walk"),
        ("E[norm(x[1])**2]/(a**n + 1) = tr(Sigma)/(a**n + 1)", "a real, n integer, n >= 1", "walk"),
        ("E[norm(x[1])**2]*sqrt(a) >= 0", "a real", "walk"),
        # a parameter is not what stands for a function of the derivation
        ("E[exp(u.T*x[1])] >= spherical0", "u in R^d, Sigma = I, spherical0 real", "iid(sphere)"),
    ],
)
def test_what_is_not_proved_of_moments(statement: str, hypotheses: str, law: str) -> None:
    prop = proposition(statement, hypotheses, law=law)
    assert decide(prop, Derivation(prop)).status != "proved"


@pytest.mark.parametrize(
    ("statement", "hypotheses", "verdict"),
    [
        ("E[exp(u.T*x[1])] >= 1 + norm(u)**2/2", "u in R^d, Sigma = I", "verified"),
        ("E[exp(u.T*x[1])] >= 1 + norm(u)**2", "u in R^d, Sigma = I", "refuted"),
        ("E[cosh(u.T*x[1])] > 1", "u in R^d, Sigma = I, norm(u) > 0", "verified"),
        ("E[cos(u.T*x[1])] < 1", "u in R^d, Sigma = I, norm(u) > 0", "verified"),
        ("E[cos(u.T*x[1])] < 1/2", "u in R^d, Sigma = I, norm(u) > 0", "refuted"),
    ],
)
def test_inequalities_between_moments_with_closed_forms(statement: str, hypotheses: str, verdict: str) -> None:
    found = check(statement, hypotheses=hypotheses, effort="quick")
    assert found.verdict == verdict
    if verdict == "verified":
        assert found.report["symbolic"]["method"].split("; ", 1)[1]


@pytest.mark.parametrize(("text", "number"), [("prod(k, k, 1, 5)", 120), ("prod(k/2, k, 1, 0)", 1)])
def test_products_are_those_of_their_factors_on_both_sides(text: str, number: int) -> None:
    node = parsed(text)
    assert value(node, Case({})) == number == evaluate(node.plain(), {"numbers": {}})


@pytest.mark.parametrize("text", ["E[prod(x[k].T*x[k], k, 1, T)] = 0", "prod(W, k, 1, n) = W"])
def test_products_are_of_numbers(text: str) -> None:
    with pytest.raises(StatementError, match="numbers"):
        proposition(text, "n integer, n >= 1" if "n)" in text else "", law="iid" if "x[" in text else "walk")


@pytest.mark.parametrize(
    ("text", "names", "true"),
    [
        ("diff(diff((a + b*t)**2, t), t, 0)/2 = b**2", "a real, b real", True),
        ("diff(diff((a + b*t)**2, t), t, 0)/2 = a*b", "a real, b real", False),
        ("diff(exp(a*t), t, 0) = a", "a real", True),
        ("diff(exp(a*t), t, 0) >= a + 1", "a real", False),
    ],
)
def test_derivatives_are_taken_before_a_proof(text: str, names: str, true: bool) -> None:
    assert (proved(proposition(text, names)) is not None) is true
