"""Independent tokens that are not Gaussian: moments against enumeration, sums and scipy, and what does not exist."""

from __future__ import annotations

import itertools
from fractions import Fraction
from math import prod
from typing import Any

import pytest
import sympy as sp
from scipy import stats

from theorems.algebra.ratio import Ratio
from theorems.statement.deciding.cumulants import CaseMoments
from theorems.statement.deciding.decide import Derivation, decide
from theorems.statement.expression import StatementError
from theorems.statement.moments import mixing
from theorems.statement.proposition import proposition
from theorems.statement.reading.laws import read_law

ONE: dict[str, Any] = {"i": 1, "d": 1, "Sigma": [["4"]], "W": [["3"]]}
TWO: dict[str, Any] = {"i": 1, "d": 2, "Sigma": [["1", "0"], ["0", "1"]], "W": [["1", "0"], ["0", "-1"]]}


def value(text: str, law: str, case: dict[str, Any], known: str = "") -> Fraction:
    prop = proposition(f"{text} = 0", known, "", law)
    found = Derivation(prop).at(prop.left, case)
    assert found.is_Rational
    return Fraction(int(found.p), int(found.q))


def test_signs_by_enumeration() -> None:
    """Every product of three tokens in one dimension, x = 2 e, against the mean over all signs."""
    for powers in itertools.product(range(5), repeat=3):
        expected = Fraction(
            sum(
                prod((2 * e) ** k for e, k in zip(es, powers, strict=True))
                for es in itertools.product((1, -1), repeat=3)
            ),
            8,
        )
        body = "*".join(f"(a.T*x[{t}])**{k}" for t, k in enumerate(powers, 1) if k) or "a.T*a"
        found = (
            value(f"E[{body}]", "iid(signs)", {**ONE, "a": ["1"], "T": 3}, "a in R^d, d = 1")
            if any(powers)
            else Fraction(1)
        )
        assert found == expected, powers


def test_signs_of_two_coordinates_where_each_token_occurs_twice() -> None:
    signs = list(itertools.product((1, -1), repeat=2))
    expected = Fraction(sum((x[0] * y[0] - x[1] * y[1]) ** 2 for x in signs for y in signs), len(signs) ** 2)
    assert value("E[(x[1].T*W*x[2])**2]", "iid(signs)", TWO) == expected == 2


@pytest.mark.parametrize("k", [1, 2, 3])
def test_the_sphere_of_two_dimensions_is_a_circle(k: int) -> None:
    """x = sqrt(2) (cos t, sin t): x^T diag(1, -1) x = 2 cos 2t."""
    t = sp.Symbol("t")
    circle = sp.integrate((2 * sp.cos(2 * t)) ** (2 * k), (t, 0, 2 * sp.pi)) / (2 * sp.pi)
    assert value(f"E[(x[i].T*W*x[i])**{2 * k}]", "iid(sphere)", TWO) == circle
    assert value(f"E[norm(x[i])**{2 * k}]", "iid(sphere)", TWO) == 2**k


@pytest.mark.parametrize("power", [2, 4, 6])
def test_student_has_the_moments_of_scipy(power: int) -> None:
    found = value(f"E[(a.T*x[i])**{power}]", "iid(student(9))", {**ONE, "a": ["1"]}, "a in R^d, d = 1")
    assert float(found) == pytest.approx(2**power * stats.t(9).moment(power), rel=1e-9)


@pytest.mark.parametrize("power", [2, 4, 6])
def test_a_mixture_is_a_weighted_sum(power: int) -> None:
    case = {**ONE, "p": "1/3", "c": "5", "a": ["1"]}
    found = value(f"E[(a.T*x[i])**{power}]", "iid(mixture(p, c))", case, "a in R^d, d = 1, 0 <= p <= 1, c >= 0")
    gauss = prod(range(1, power, 2)) * 2**power
    assert found == Fraction(1, 3) * 5 ** (power // 2) * gauss + Fraction(2, 3) * gauss


LAWS = ["iid(signs)", "iid(sphere)", "iid(student(11))", "iid(mixture(1/3, 5))"]


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize(
    "body", ["x[1].T*W*x[2]*x[2].T*W*x[1]", "norm(mean(x))**2", "(x[1].T*W*x[1])**2", "x[1].T*W*x[2]"]
)
def test_joint_cumulants_say_the_same(law: str, body: str) -> None:
    known = "d = 1" if law == "iid(signs)" and "W*x[1])**2" in body else ""
    prop = proposition(f"E[{body}] = 0", known, "", law)
    derivation, case = Derivation(prop), {**(ONE if known else TWO), "T": 3}
    other = CaseMoments(derivation, case).expectation(prop.left.args[0])
    assert derivation.at(prop.left, case) == sp.Rational(other.numerator, other.denominator)


def test_a_wrong_factor_is_seen_by_the_second_route(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mixing, "factor", lambda *_: Ratio.of(1))
    with pytest.raises(AssertionError):
        test_joint_cumulants_say_the_same("iid(sphere)", "(x[1].T*W*x[1])**2")


@pytest.mark.parametrize(
    ("law", "known"),
    [
        ("iid(student(4))", ""),
        ("iid(student(nu))", "nu > 2"),
        ("iid(student(nu))", "nu >= 4"),
        ("iid(student(nu))", "3 < nu <= 4"),
    ],
)
def test_a_moment_that_does_not_exist_is_refused(law: str, known: str) -> None:
    prop = proposition("E[norm(x[i])**4] = 1", known, "", law)
    with pytest.raises(StatementError, match="a token occurs 4 times in a product"):
        decide(prop, Derivation(prop))


@pytest.mark.parametrize(
    ("law", "mend"),
    [
        ("iid(sign)", r"or another law; did you mean signs\?|iid\(signs\)"),
        ("iid(student)", r"expected student\(nu\)"),
        ("iid(student(1, 2))", r"expected student\(nu\)"),
        ("iid(student(-1))", "expected 0 < -1; take another number"),
        ("iid(student(nu))", "say so with --for"),
        ("iid(mixture(2, 1))", "expected 0 <= 2 <= 1"),
        ("iid(mixture(1/2, -1))", "expected 0 <= -1"),
        ("iid(signs(3))", "expected signs"),
        ("iid(student(W))", "expected numbers and parameters"),
    ],
)
def test_what_is_no_law_is_named(law: str, mend: str) -> None:
    with pytest.raises(StatementError, match=mend):
        proposition("E[x[i].T*W*x[j]] = 0", "nu real" if "nu" in law else "", "", law)


@pytest.mark.parametrize("name", ["signs", "sphere", "student(5)", "mixture(1/10, 9)"])
def test_both_spellings_are_one_law(name: str) -> None:
    one, two = read_law(f"iid({name})"), read_law(f"iid {name}")
    assert (one.kind, one.arguments) == (two.kind, two.arguments) and not one.gaussian
    assert one.plain() == two.plain()
