"""Powers with exponents that are names, products, and sums to infinity, in statements about tokens."""

from __future__ import annotations

import pytest
import sympy as sp

from proofs_check.api import check
from theorems.statement import proposition
from theorems.statement.decide import Derivation, decide
from theorems.statement.expression import Expr, number
from theorems.statement.proofs.prover import proved
from theorems.statement.series import terms_of
from theorems.statement.waves import variance

UNIT = "v in R^d, norm(v) > 0, Sigma = I, k integer, k >= 1, d >= 2"
COSINE = "E[(x[1].T*v)**(2*k)]/(norm(v)**(2*k)*d**k)"
REGULAR = "exp(-(norm(u)**2 + norm(v)**2)/2)*E[exp(x[1].T*(u + v))]/exp(u.T*v)"
TERM = "w**k/factorial(k)*d**k/prod(d + 2*j, j, 0, k - 1)"


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


@pytest.mark.parametrize(
    ("statement", "law", "status"),
    [
        (f"{COSINE} = prod(2*j - 1, j, 1, k)/prod(d + 2*j, j, 0, k - 1)", "iid(sphere)", "proved"),
        # the factor for j = 1 is 1
        (f"{COSINE} = prod(2*j - 1, j, 2, k)/prod(d + 2*j, j, 0, k - 1)", "iid(sphere)", "proved"),
        (f"{COSINE} = prod(2*j + 1, j, 0, k - 1)/prod(d + 2*j - 2, j, 1, k)", "iid(sphere)", "proved"),
        (f"{COSINE} = prod(2*j - 1, j, 1, k)/prod(d + 2*j, j, 1, k)", "iid(sphere)", "open"),
        (f"{COSINE} = prod(2*j - 1, j, 1, k)/prod(d + 2*j, j, 1, k - 1)", "iid(sphere)", "open"),
        (f"{COSINE} = prod(2*j - 1, j, 1, k)/d**k", "iid(sphere)", "open"),
        (f"{COSINE} = prod(2*j - 1, j, 1, k)/d**k", "iid", "proved"),
        # an empty product is 1, whatever the formula for longer ones says
        (f"{COSINE} = prod(2*j - 1, j, 3, k)/prod(d + 2*j, j, 0, k - 1)", "iid(sphere)", "undecided"),
        ("E[(x[1].T*v)**(2*k - 1)] = 0", "iid(sphere)", "proved"),
        ("E[(x[1].T*v)**(k + 1)] = 0", "iid", "undecided"),
        # the root of an even power is the size of a number, not the number
        ("E[((x[1].T*v)**(4*k + 2))**(1/2)] = 0", "iid", "undecided"),
        ("E[((x[1].T*v)**2)**(k + 1/2)] = 0", "iid(sphere)", "undecided"),
        ("E[(x[1].T*v)**(1/2)*(x[1].T*v)**(2*k + 1/2)] = 0", "iid", "undecided"),
        ("E[(x[1].T*v + 1)**(2*k)] = 0", "iid", "undecided"),
        ("E[(x[1].T*v)**(2*k)] = 0", "iid(signs)", "undecided"),
        # false at k = 1 alone, and at d = 2 alone
        (f"{COSINE} = prod(2*j - 1, j, 1, k)/prod(d + 2*j, j, 0, k - 1) + (1 - 1/k)", "iid(sphere)", "open"),
        (f"{COSINE} = prod(2*j - 1, j, 1, k)/prod(d + 2*j, j, 0, k - 1)*(1 + 1/d - 1/2)", "iid(sphere)", "open"),
    ],
)
def test_moments_of_every_order(statement: str, law: str, status: str) -> None:
    assert decided(statement, UNIT, law) == status


def test_another_recurrence_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("theorems.statement.powers.variance", lambda *args: 2 * variance(*args))
    assert decided(f"{COSINE} = prod(2*j - 1, j, 1, k)/d**k", UNIT, "iid") == "open"


@pytest.mark.parametrize(
    ("right", "status"),
    [
        (f"exp(-w)*sum({TERM}, k, 0, oo)", "proved"),
        (f"exp(-w)*sum({TERM}, k, 1, oo)", "open"),
        (f"exp(-w)*(1 + sum({TERM}, k, 1, oo))", "open"),
        (f"exp(-w)*sum({TERM.replace('k - 1', 'k')}, k, 0, oo)", "open"),
        (f"exp(-w)*sum({TERM.replace('2*j', 'j')}, k, 0, oo)", "open"),
        (f"exp(-w)*sum({TERM.replace('d + 2*j', 'd + 2*j - 4')}, k, 0, oo)", "open"),
        (f"exp(w)*sum({TERM}, k, 0, oo)", "open"),
    ],
)
def test_the_regularised_kernel_as_a_sum(right: str, status: str) -> None:
    held = "u in R^d, v in R^d, Sigma = I, d >= 2"
    assert decided(f"{REGULAR} = {right}", held, "iid(sphere)", "w = norm(u + v)**2/2") == status


def test_a_check_of_a_power() -> None:
    held = UNIT.replace(", d >= 2", "")
    found = check("E[(x[1].T*v)**(2*k - 1)] = 0", held, "", "iid(sphere)", effort="quick")
    assert found.verdict == "verified"
    wrong = check("E[(x[1].T*v)**(2*k)] = norm(v)**(2*k)*prod(2*j + 1, j, 1, k)", held, "", "iid", effort="quick")
    assert wrong.verdict == "refuted"


def test_hypergeometric_sums_are_enclosed() -> None:
    from theorems.algebra.balls import at

    found = terms_of(proposition("sum(u**k/factorial(k)**3, k, 0, oo) = 0", "u real").left).closed
    assert found is not None and found.has(sp.hyper)
    ball = at(found, {"u": 2})
    assert ball.overlaps(sum(at(sp.Rational(2**k, sp.factorial(k) ** 3), {}) for k in range(40)))
    assert terms_of(proposition("sum(u**k/factorial(k), k, 0, oo) = 0", "u real").left).closed == sp.exp(sp.Symbol("u"))


def test_products_are_positive_by_their_factors() -> None:
    assert proved(proposition("prod(d + 2*j, j, 0, k) > 0", "k integer, k >= 1, d >= 2")) is not None
    assert proved(proposition("prod(d - 2*j, j, 0, k) > 0", "k integer, k >= 1, d >= 2")) is None


def test_a_factorial_is_the_product_up_to_its_number() -> None:
    left = proposition("factorial(n + 1) = 6", "n integer, n >= 1").left
    index = Expr("name", (left.args[1],))
    assert left == Expr("prod", (index, left.args[1], number(1), left.args[3])) and left.names() == {"n"}


@pytest.mark.parametrize(
    ("right", "hypotheses", "status"),
    [
        ("n*(n - 1)/2*norm(v)**2", "n integer, n >= 0, ", "proved"),
        ("n*(n + 1)/2*norm(v)**2", "n integer, n >= 0, ", "open"),
        ("n**2/2*norm(v)**2", "n integer, n >= 0, ", "open"),
        # of other numbers than whole ones nothing is said
        ("n*(n - 1)/2*norm(v)**2", "n >= 0, ", "undecided"),
        ("n*(n - 1)/2*norm(v)**2", "n integer, n >= -3, ", "undecided"),
    ],
)
def test_numbers_of_choices(right: str, hypotheses: str, status: str) -> None:
    assert decided(f"binomial(n, 2)*E[(x[1].T*v)**2] = {right}", f"{hypotheses}v in R^d, Sigma = I", "iid") == status
