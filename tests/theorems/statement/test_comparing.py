"""Comparisons through logarithms, term by term and by signs: what they prove, and what is false and must not be."""

from __future__ import annotations

import pytest

from theorems.statement.decide import Derivation, decide
from theorems.statement.expression import StatementError
from theorems.statement.proofs import proved
from theorems.statement.proposition import proposition

TRUE = [
    # logarithms
    ("log(1 + exp(u)) > u", "u real"),
    ("log(1 + exp(u)) >= log(2) + u/2", "u real"),
    ("log(u) + log(v) <= 2*log((u + v)/2)", "u > 0, v > 0"),
    ("log(u) - log(v) <= u/v - 1", "u > 0, v > 0"),
    ("(1 + 1/n)**n <= exp(1)", "n integer, n >= 1"),
    # sums
    ("log(sum(exp(s[j]), j, 1, n)) <= max(s) + log(n)", "s in R^n"),
    ("log(sum(exp(s[j]), j, 1, n)) <= B + log(n)", "s in R^n, abs(s[j]) <= B"),
    ("sum(exp(s[j]), j, 2, n) >= (n - 1)*exp(min(s))", "s in R^n, n >= 2"),
    ("min(s) <= mean(s)", "s in R^n"),
    ("sum(s[j]**2, j, 1, n) >= 0", "s in R^n"),
    ("sum(softmax(s)[j]*t[j], j, 1, n) <= max(t)", "s in R^n, t in R^n"),
    ("sum(softmax(s)[j]**2, j, 1, n) >= 1/n", "s in R^n"),
    ("mean(s)**2 <= norm(s)**2/n", "s in R^n"),
    ("abs(sum(s[j]*t[j], j, 1, n)) <= norm(s)*norm(t)", "s in R^n, t in R^n"),
    # cosines and sines
    ("cos(u) >= 1 - u**2/2", "u real"),
    ("abs(sin(u)) <= abs(u)", "u real"),
    ("sin(u) >= u - u**3/6", "u >= 0"),
    # ratios of weights, forms of psd matrices, products with squares
    ("softmax(s)[i]/softmax(s)[j] = exp(s[i] - s[j])", "s in R^n"),
    ("abs(u.T*P*v) <= sqrt(u.T*P*u*v.T*P*v)", "u in R^d, v in R^d, P psd"),
    ("(u + v)**3 <= 4*(u**3 + v**3)", "u >= 0, v >= 0"),
    # signs
    ("log(1 + exp(u)) <= log(2) + max(u, 0)", "u real"),
    ("max(u, v) >= (u + v)/2", "u real, v real"),
    ("max(u, 1) = u", "u >= 1"),
    # rational functions of exponentials
    ("tanh(u)**2 < 1", "u real"),
    ("sigmoid(u) + sigmoid(-u) = 1", "u real"),
    ("exp(u/3) > exp(u/2)", "u < 0"),
    ("3*exp(u*v) >= 2*exp(-u*v)", "u >= 0, v >= 0"),
    ("exp(u) + exp(-u) + v**2 > 0", "u real, v real"),
]

FALSE = [
    ("log(1 + exp(u)) <= u", "u real"),
    ("log(u) >= 1 - u", "u > 0"),
    ("log(u) + log(v) <= log(u + v)", "u > 0, v > 0"),
    ("(1 + 1/n)**n >= exp(1)", "n integer, n >= 1"),
    ("log(sum(exp(s[j]), j, 1, n)) <= max(s)", "s in R^n"),
    ("sum(exp(s[j]), j, 1, n) >= (n + 1)*exp(min(s))", "s in R^n"),
    ("mean(s) >= max(s)", "s in R^n"),
    # an empty sum is 0
    ("sum(exp(s[j]), j, 2, n) > 0", "s in R^n"),
    ("sum(exp(s[j]), j, 2, n) >= (n - 2)*exp(min(s)) + 1/100", "s in R^n, n >= 2"),
    # terms of either sign, and weights of the other sign
    ("sum(s[j], j, 1, n) >= max(s)", "s in R^n"),
    ("B*sum(s[j], j, 1, n) <= B*n*max(s)", "s in R^n, B in R"),
    ("sum(softmax(s)[j]*t[j], j, 1, n) <= max(s)", "s in R^n, t in R^n"),
    ("sum(softmax(s)[j]*t[j], j, 2, n) >= min(t)", "s in R^n, t in R^n"),
    ("sum(softmax(s)[j]**2, j, 1, n) >= 2/n", "s in R^n"),
    ("softmax(s)[i]/softmax(s)[j] = exp(s[j] - s[i])", "s in R^n"),
    ("(u.T*P*v)**2 <= u.T*P*u*v.T*P*v", "u in R^d, v in R^d, P symmetric"),
    ("(u + v)**3 <= 3*(u**3 + v**3)", "u >= 0, v >= 0"),
    ("u**3 + v**3 >= u**2*v + u*v**2", "u >= 0, v real"),
    ("mean(s)**2 <= norm(s)**2/(n + 1)", "s in R^n"),
    ("sum(s[j]*t[j], j, 1, n) >= 0", "s in R^n, t in R^n"),
    ("cos(u) >= 1 - u**2/3", "u real"),
    ("cos(u) < 1", "u > 0"),
    ("1/(1 - cos(u)) >= 1/2", "u real"),
    # entries that are none
    ("sum(s[j], j, 1, n + 1) <= (n + 1)*max(s)", "s in R^n"),
    ("sum(1/s[j], j, 1, n) >= 0", "s in R^n"),
    # signs are not exchanged, and not those of another index
    ("max(u, v) <= (u + v)/2", "u real, v real"),
    ("min(u, v) >= u", "u real, v real"),
    ("sum(abs(s[j]), j, 1, n) <= abs(sum(s[j], j, 1, n))", "s in R^n"),
    ("exp(u) + exp(-u) > 2", "u real"),
    ("sigmoid(u)*(1 - sigmoid(u)) < 1/4", "u real"),
    ("exp(u) >= 2", "u >= 0"),
    ("2*exp(u*v) >= 3*exp(-u*v)", "u >= 0, v >= 0"),
    ("3*exp(u*v) >= 2*exp(-u*v)", "u >= 0, v real"),
    ("exp(u) <= exp(2*u)", "u real"),
]


@pytest.mark.parametrize(("text", "hypotheses"), TRUE)
def test_proved(text: str, hypotheses: str) -> None:
    assert proved(proposition(text, hypotheses)) is not None


@pytest.mark.parametrize(("text", "hypotheses"), FALSE)
def test_not_proved(text: str, hypotheses: str) -> None:
    assert proved(proposition(text, hypotheses)) is None


def test_steps_name_what_was_compared() -> None:
    proof = proved(proposition("log(sum(exp(s[j]), j, 1, n)) <= max(s) + log(n)", "s in R^n"))
    assert proof is not None
    rules = [step.rule for step in proof.steps]
    found = rules.index("log is increasing")
    assert "a sum is bounded by its terms" in rules[found:] and "exp is increasing" in rules[found:]


def test_names_of_matrices_and_vectors() -> None:
    with pytest.raises(StatementError, match=r"A in R\^\(m x d\)"):
        proposition("norm(A, 2) <= norm(A, fro)")
    assert proposition("norm(A, 2) <= norm(A, fro)", "A in R^{m x d}").known.size("A") == ("m", "d")
    assert proved(proposition("norm(u)**2 > 0", "u in R^d, u != 0")) is not None
    assert proved(proposition("norm(u)**2 > 0", "u in R^d")) is None


MOMENTS = {
    "Var[x[i].T*W*x[j]] >= 0": ("", "proved"),
    "0 <= Var[x[i].T*u]": ("u in R^d", "proved"),
    "Var[x[i].T*u] > 0": ("u in R^d", "open"),
    "Cov[x[i].T*u, x[j].T*v] >= 0": ("u in R^d, v in R^d", "open"),
    "E[x[i].T*u*x[j].T*v]**2 <= E[(x[i].T*u)**2]*E[(x[j].T*v)**2]": ("u in R^d, v in R^d", "proved"),
    "E[x[i].T*u*x[j].T*v]**2 <= E[(x[j].T*u)**2]*E[(x[j].T*v)**2]/2": ("u in R^d, v in R^d, j <= i", "open"),
}


@pytest.mark.parametrize("text", MOMENTS)
def test_inequalities_between_moments(text: str) -> None:
    hypotheses, status = MOMENTS[text]
    prop = proposition(text, hypotheses)
    assert decide(prop, Derivation(prop)).status == status
