"""Powers with exponents that are names, products, and sums to infinity, in statements about tokens."""

from __future__ import annotations

import pytest
import sympy as sp

from theorems.statement import proposition
from theorems.statement.deciding.decide import Derivation, decide
from theorems.statement.expression import Expr, number
from theorems.statement.moments.series import terms_of
from theorems.statement.moments.waves import variance

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
    monkeypatch.setattr("theorems.statement.moments.powers.variance", lambda *args: 2 * variance(*args))
    assert decided(f"{COSINE} = prod(2*j - 1, j, 1, k)/d**k", UNIT, "iid") == "open"


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
