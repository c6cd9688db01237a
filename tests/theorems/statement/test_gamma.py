"""The Gamma function and moments of lengths: values and poles, shifts by integers, the chi law against quadrature."""

from __future__ import annotations

import math
from fractions import Fraction

import flint
import numpy as np
import pytest
import sympy as sp

from proofs_check.api import check
from theorems.algebra.expressions import parse
from theorems.statement import proposition
from theorems.statement.deciding.decide import Derivation, decide
from theorems.statement.expression import StatementError
from theorems.statement.latex import latex
from theorems.statement.moments.normal import equal
from theorems.statement.proofs import proved
from theorems.statement.reading.language import parsed
from theorems.statement.typeset import _text
from theorems.statement.values.arithmetic import UndefinedError, gamma


def test_values_and_poles() -> None:
    assert gamma(Fraction(5)) == 24
    assert gamma(Fraction(1, 2)).overlaps(flint.arb.pi().sqrt())  # type: ignore[union-attr]
    for pole in (0, -1, -7):
        with pytest.raises(UndefinedError):
            gamma(Fraction(pole))
    assert not gamma(flint.arb(0, 1)).is_finite()  # type: ignore[union-attr]
    assert float(gamma(Fraction(300)).log()) == pytest.approx(math.lgamma(300))  # type: ignore[union-attr]


def test_it_is_read_and_written() -> None:
    tree = parsed("gamma((d + j)/2)")
    assert str(tree) == "gamma((d + j)/2)" and latex(tree).startswith(r"\Gamma") and _text(tree).startswith("Γ(")
    assert parse("gamma(7/2)") == sp.Rational(15, 8) * sp.sqrt(sp.pi)
    # a parameter may have its name
    assert parsed("gamma + 1").names() == {"gamma"}
    with pytest.raises(StatementError, match=r"expected gamma\(u\)"):
        parsed("gamma(t, 2)")


def test_arguments_that_differ_by_integers() -> None:
    t = sp.Symbol("t")
    product = sp.Mul(*(t + sp.Rational(1, 2) + k for k in range(3)))
    assert equal(sp.gamma(t + sp.Rational(7, 2)), product * sp.gamma(t + sp.Rational(1, 2)))
    assert not equal(sp.gamma(t + sp.Rational(7, 2)), product * sp.gamma(t + sp.Rational(3, 2)))
    assert not equal(sp.gamma(t + sp.Rational(1, 3)), t * sp.gamma(t - sp.Rational(1, 2)))


@pytest.mark.parametrize("d", [1, 2, 3, 7])
@pytest.mark.parametrize("j", ["1", "1/2", "7/3", "5"])
def test_lengths_against_quadrature(d: int, j: str) -> None:
    """E |x_1 - 2 x_2|^j, the density of the length being proportional to r^(d - 1) exp(-r^2/2)."""
    prop = proposition(f"E[norm(x[1] - 2*x[2])**({j})] = 0", "Sigma = I", "", "iid")
    found = Derivation(prop).at(prop.left, {"d": d, "T": 2})
    r = np.linspace(0, 40, 400_001)[1:]
    weight = r ** (d - 1) * np.exp(-(r**2) / 2)
    expected = 5 ** (float(Fraction(j)) / 2) * (weight @ r ** float(Fraction(j))) / weight.sum()
    assert float(found) == pytest.approx(expected, rel=1e-4)


def test_an_identity_without_tokens() -> None:
    assert check("gamma(t + 1) = (t + 1)*gamma(t)", "t > 0").verdict == "refuted"
    assert check("gamma(t) >= 1", "t > 0").verdict == "refuted"
    assert check("gamma(t + 1) = t*gamma(t)", "t real").verdict != "verified"


def test_gamma_is_a_letter_too() -> None:
    prop = proposition("gamma[i]*gamma[j] <= 1", "s in R^n", "gamma[i] = softmax(s)[i]")
    assert not prop.left.has("gamma")
    with pytest.raises(StatementError, match="two readings"):
        proposition("gamma[i] <= gamma(2)", "s in R^n", "gamma[i] = softmax(s)[i]")


@pytest.mark.parametrize(
    ("text", "known", "true"),
    [
        ("E[norm(x[1])] >= sqrt(d - 1)", "Sigma = I", True),
        ("E[norm(x[1])] >= sqrt(d - 1/2)", "Sigma = I", True),
        ("E[norm(x[1])] >= sqrt(d - 1/4)", "Sigma = I", False),
        ("E[norm(x[i])]**2 >= i*(d - 1)", "Sigma = I", True),
        ("Var[norm(x[1])] <= 1/2", "Sigma = I", True),
        ("Var[norm(x[1])] <= 1/4", "Sigma = I", False),
        ("gamma(u + 1/2)**2 <= u*gamma(u)**2", "u > 0", True),
        ("gamma(u + 1/2)**2 <= (u - 1/8)*gamma(u)**2", "u > 0", False),
        ("gamma(u + 1/2)**2 >= (u - 1/4)*gamma(u)**2", "u > 0", True),
        ("gamma(u + 1/2)**2 >= (u - 1/5)*gamma(u)**2", "u > 0", False),
        ("gamma(u + 1) <= sqrt(u + 1)*gamma(u + 1/2)", "u > 0", True),
        # Gamma(u) < 0 there
        ("gamma(u + 1)**2*(u + 1/2) >= u**2*gamma(u + 1/2)**2", "u > -1/2", False),
    ],
)
def test_arguments_that_differ_by_a_half(text: str, known: str, true: bool) -> None:
    prop = proposition(text, known)
    found = decide(prop, Derivation(prop)).status == "proved" if "x[" in text else proved(prop) is not None
    assert found is true
