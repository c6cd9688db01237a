"""Power series with coefficients >= 0, and isotropic tokens: what is read of them, and what they are at cases."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy as sp

from theorems.statement.deciding.decide import Derivation
from theorems.statement.expression import polynomial
from theorems.statement.proposition import Proposition, proposition
from theorems.statement.prose import in_words

SERIES = "g entire with coefficients >= 0"
VECTOR = "z in R^d, Sigma = I"
TAIL = "P[sum(g(x[k].T*z), k, 1, T)/T > a] <= exp(-theta*T*a)*E[exp(theta*g(x[1].T*z))]**T"


def read(text: str, names: str, law: str = "iid(isotropic)") -> Proposition:
    return proposition(text, names, "", law)


def test_a_power_series_is_a_polynomial_at_cases_and_its_coefficients_are_names() -> None:
    prop = read("g(2*u) >= g[0] + 2*g[1]*u", f"u >= 0, {SERIES}", "")
    assert str(prop.left) == "g(2*u)" and str(prop.right) == "g0 + 2*g1*u"
    at_cases = sp.sympify(str(polynomial(prop.left)))
    u, *g = sp.symbols("u g0:5")
    assert sp.expand(at_cases - sum(one * (2 * u) ** k for k, one in enumerate(g))) == 0
    assert prop.plain()["left"] == polynomial(prop.left).plain()
    assert all(prop.known.ranges[str(one)].low == 0 for one in g)


def test_a_statement_reads_back_and_says_what_it_is_about() -> None:
    prop = read(TAIL, f"{VECTOR}, theta > 0, a real, {SERIES}")
    assert read(f"{prop.left} <= {prop.right}", ", ".join(prop.known.texts)).right == prop.right
    words = in_words(prop)
    assert "power series g(u) that converges everywhere with coefficients >= 0" in words
    assert "g0" not in words and "length1" not in words and "any one law" in words


@pytest.mark.parametrize("law", ["iid(isotropic)", "frame(isotropic)"])
def test_a_moment_at_a_case_is_that_of_two_lengths(law: str) -> None:
    prop = read("E[(x[1].T*z)**4] = 0", VECTOR, law)
    case = {"d": 2, "z": ["2", "0"], "length1": "1", "length2": "3/2", "Sigma": [["1", "0"], ["0", "1"]]}
    # E cos^4 = 3/8 in the plane, r = sqrt(2) s with s = 1 or 3/2
    expected = Fraction(3, 8) * 4 * 16 * (1 + Fraction(3, 2) ** 4) / 2
    assert Derivation(prop).at(prop.left, case) == sp.Rational(expected.numerator, expected.denominator)
