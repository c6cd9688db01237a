"""Powers with exponents that are names, products, and sums to infinity, in statements about tokens."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy as sp

from theorems.statement import proposition
from theorems.statement.deciding.decide import Derivation, decide
from theorems.statement.expression import Expr, number
from theorems.statement.moments.mixing import Radial
from theorems.statement.moments.powers import rising
from theorems.statement.moments.series import terms_of
from theorems.statement.moments.waves import covariances
from theorems.statement.reading.hypotheses import Hypotheses

UNIT = "v in R^d, norm(v) > 0, Sigma = I, k integer, k >= 1, d >= 2"
COSINE = "E[(x[1].T*v)**(2*k)]/(norm(v)**(2*k)*d**k)"


def decided(statement: str, hypotheses: str, law: str, where: str = "") -> str:
    prop = proposition(statement, hypotheses, where, law)
    return decide(prop, Derivation(prop)).status


@pytest.mark.parametrize("law", ["iid", "iid(sphere)", "walk", "ar1(a)"])
@pytest.mark.parametrize("base", ["x[2].T*v", "2*x[2].T*W*v - x[2].T*v"])
def test_a_power_is_that_of_every_number(law: str, base: str) -> None:
    held = "k integer, k >= 1, v in R^d" + (", 0 < a, a < 1" if "a)" in law else "")
    found = proposition(f"E[({base})**(2*k)] = 0", held, law=law)
    derivation = Derivation(found)
    (order,) = derivation.orders
    general = derivation.value(order, found.left)
    for k in (1, 2, 3):
        one = proposition(f"E[({base})**{2 * k}] = 0", held.removeprefix("k integer, k >= 1, "), law=law)
        apart = Derivation(one).value(order, one.left) - general.subs(sp.Symbol("k"), k)
        assert sp.simplify(sp.expand_func(apart)) == 0


def test_another_recurrence_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    doubled = "theorems.statement.moments.powers.covariances"
    monkeypatch.setattr(doubled, lambda *args: lambda *forms: 2 * covariances(*args)(*forms))
    assert decided(f"{COSINE} = prod(2*j - 1, j, 1, k)/d**k", UNIT, "iid") == "open"


TWO = ("x[1].T*z", "2*x[2].T*z")
THREE = ("x[1].T*z", "x[2].T*z", "x[3].T*z")
ACROSS = ("x[1].T*z", "3*x[1].T*v")
LAWS = ["iid", "iid(sphere)", "iid(isotropic)", "frame", "frame(sphere)", "frame(isotropic)"]


def apart(forms: tuple[str, ...], exponents: tuple[str, ...], law: str, numbers: tuple[int, ...]) -> sp.Expr:
    """What E prod forms_k^exponents_k by a formula in j, k and l differs by from that of numbers, by Wick's theorem."""
    held = "z in R^d, Sigma = I, d >= 3" + (", v in R^d, z.T*v = 0" if forms == ACROSS else "")
    table = dict(zip(("j", "k", "l"), numbers, strict=False))
    plain = [str(sp.sympify(one).subs(table)) for one in exponents]
    values = []
    for powers, known in ((exponents, held + "".join(f", {one} integer, {one} >= 0" for one in table)), (plain, held)):
        text = "*".join(f"({form})**({power})" for form, power in zip(forms, powers, strict=True))
        prop = proposition(f"E[{text}] = 0", known, law=law)
        derivation = Derivation(prop)
        (order,) = derivation.orders
        values.append(derivation.under(order, prop.left))
    return sp.simplify(sp.expand_func(values[0].subs({sp.Symbol(one): n for one, n in table.items()}) - values[1]))


@pytest.mark.parametrize("law", LAWS)
def test_powers_of_several_forms_are_those_of_every_number(law: str) -> None:
    for forms in (TWO, ACROSS):
        for numbers in ((1, 0), (1, 1), (2, 1)):
            assert apart(forms, ("2*j", "2*k"), law, numbers) == 0
        assert apart(forms, ("2*j + 1", "k"), law, (1, 1)) == 0
    assert apart(THREE, ("2*j", "2*k", "2*l"), law, (1, 2, 1)) == 0


@pytest.mark.parametrize("law", LAWS[1:])
def test_another_number_of_directions_is_seen(law: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(start: sp.Expr, count: sp.Expr, known: Hypotheses) -> sp.Expr:
        return rising(start + 1 if start.free_symbols else start, count, known)

    monkeypatch.setattr("theorems.statement.moments.powers.rising", wrong)
    assert apart(TWO, ("2*j", "2*k"), law, (2, 1)) != 0


def test_another_moment_of_the_lengths_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("theorems.statement.moments.powers.Radial", lambda power: Radial(power / 2))
    for law in ("iid(isotropic)", "frame(isotropic)"):
        assert apart(TWO, ("2*j", "2*k"), law, (2, 2)) != 0


@pytest.mark.parametrize("law", ["iid(isotropic)", "frame(isotropic)"])
def test_lengths_of_any_law_have_the_moments_of_a_case(law: str) -> None:
    case = {"d": 2, "length1": Fraction(1), "length2": Fraction(3), "k": 2}
    for text, held in (("E[norm(x[1])**(2*k)]", ", k integer, k >= 0"), ("E[norm(x[1])**4]", "")):
        prop = proposition(f"{text} = 0", f"Sigma = I{held}", law=law)
        assert Derivation(prop).at(prop.left, case) == 2**2 * (1 + 3**4) // 2
    odd = proposition("E[norm(3*x[1])**3] = 0", "Sigma = I", law=law)
    assert Derivation(odd).at(odd.left, case) == 27 * sp.sqrt(2) ** 3 * 14


def test_hypergeometric_sums_are_enclosed() -> None:
    from theorems.algebra.balls import at

    found = terms_of(proposition("sum(u**k/factorial(k)**3, k, 0, oo) = 0", "u real").left).closed
    assert found is not None and found.has(sp.hyper)
    ball = at(found, {"u": 2})
    assert ball.overlaps(sum(at(sp.Rational(2**k, sp.factorial(k) ** 3), {}) for k in range(40)))
    assert terms_of(proposition("sum(u**k/factorial(k), k, 0, oo) = 0", "u real").left).closed == sp.exp(sp.Symbol("u"))


def test_a_factorial_is_the_product_up_to_its_number() -> None:
    left = proposition("factorial(n + 1) = 6", "n integer, n >= 1").left
    index = Expr("name", (left.args[1],))
    assert left == Expr("prod", (index, left.args[1], number(1), left.args[3])) and left.names() == {"n"}


def test_a_power_is_told_with_its_brackets() -> None:
    prop = proposition("E[norm(x[1] + x[2])**(2*k)] = 1", "Sigma = I, k integer, k >= 0, d >= 2", law="frame")
    assert "norm(x[1] + x[2])**(2*k) has no closed form" in decide(prop, Derivation(prop)).reason
