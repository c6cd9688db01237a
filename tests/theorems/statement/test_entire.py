"""Power series with coefficients >= 0, and isotropic tokens: what is read of them, and what they are at cases."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy as sp

from theorems.statement.decide import Decision, Derivation, decide
from theorems.statement.expression import StatementError, polynomial
from theorems.statement.proposition import Proposition, proposition
from theorems.statement.prose import in_words

SERIES = "g entire with coefficients >= 0"
VECTOR = "z in R^d, Sigma = I"
TAIL = "P[sum(g(x[k].T*z), k, 1, T)/T > a] <= exp(-theta*T*a)*E[exp(theta*g(x[1].T*z))]**T"


def read(text: str, names: str, law: str = "iid(isotropic)") -> Proposition:
    return proposition(text, names, "", law)


def decided(text: str, names: str, law: str = "iid(isotropic)") -> Decision:
    prop = read(text, names, law)
    return decide(prop, Derivation(prop))


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


@pytest.mark.parametrize(
    ("text", "names", "mend"),
    [
        ("g(u) >= 0", "u >= 0", "unknown"),
        ("g >= 0", SERIES, "write g(...)"),
        ("g[9] >= 0", SERIES, "expected g[0] to g[4]"),
        ("g[u] >= 0", f"u >= 0, {SERIES}", "expected g[0] to g[4]"),
        ("g(u, u) >= 0", f"u >= 0, {SERIES}", "takes 1"),
        ("u >= 0", f"u >= 0, {SERIES}", "speak of g,"),
        ("g(u) >= 0", "u >= 0, g entire", "is unknown"),
        ("g(u) >= 0", f"u >= 0, {SERIES}, g0 < 0", "leaves no value"),
    ],
)
def test_what_is_no_power_series_is_refused(text: str, names: str, mend: str) -> None:
    with pytest.raises(StatementError) as error:
        read(text, names, "")
    assert mend in str(error.value)


def test_the_tail_of_a_mean_is_bounded_under_any_law_of_lengths() -> None:
    names = f"{VECTOR}, theta > 0, a real, {SERIES}"
    assert decided(TAIL, names).status == "proved"
    assert decided(TAIL, names, "iid(sphere)").status == "proved"
    # the other sign is true of a > 0 alone
    other = TAIL.replace("(-theta", "(theta")
    assert decided(other, names).status != "proved"
    assert decided(other, names.replace("a real", "a > 0")).status == "proved"
    # of Gaussian tokens the moment is infinite for some g
    assert decided(TAIL, names, "iid").status != "proved"
    # tokens of a frame are not independent
    assert decided(TAIL, f"{names}, T <= d", "frame(isotropic)").status != "proved"


@pytest.mark.parametrize(
    ("text", "law", "status"),
    [
        ("E[(x[1].T*z)**4] = 3*E[norm(x[1])**4]*norm(z)**4/(d*(d + 2))", "iid(isotropic)", "proved"),
        ("E[(x[1].T*z)**4] = 3*E[norm(x[1])**4]*norm(z)**4/(d*(d + 2))", "frame(isotropic)", "proved"),
        # 3 d^2 |z|^4/(d (d + 2)) holds of lengths sqrt(d) alone
        ("E[(x[1].T*z)**4] = 3*d*norm(z)**4/(d + 2)", "iid(isotropic)", "open"),
        ("E[(x[1].T*z)**4] = 3*E[norm(x[1])**2]**2*norm(z)**4/(d*(d + 2))", "iid(isotropic)", "open"),
    ],
)
def test_moments_are_those_of_any_law_of_lengths(text: str, law: str, status: str) -> None:
    assert decided(text, VECTOR, law).status == status


def test_two_orthogonal_tokens_have_less_in_common_than_independent_ones() -> None:
    text = "E[(x[1].T*z)**2*(x[2].T*z)**2] = d/(d + 2)*E[(x[1].T*z)**2]**2"
    assert decided(text, f"{VECTOR}, d >= 2", "frame(isotropic)").status == "proved"
    assert decided(text, f"{VECTOR}, d >= 2").status == "open"


@pytest.mark.parametrize("law", ["iid(isotropic)", "frame(isotropic)"])
def test_a_moment_at_a_case_is_that_of_two_lengths(law: str) -> None:
    prop = read("E[(x[1].T*z)**4] = 0", VECTOR, law)
    case = {"d": 2, "z": ["2", "0"], "length1": "1", "length2": "3/2", "Sigma": [["1", "0"], ["0", "1"]]}
    # E cos^4 = 3/8 in the plane, r = sqrt(2) s with s = 1 or 3/2
    expected = Fraction(3, 8) * 4 * 16 * (1 + Fraction(3, 2) ** 4) / 2
    assert Derivation(prop).at(prop.left, case) == sp.Rational(expected.numerator, expected.denominator)
