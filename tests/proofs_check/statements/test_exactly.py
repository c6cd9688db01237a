"""Exact values of wrong versions: with other tokens than the statement's, and exponents that take a number."""

from __future__ import annotations

import pytest
import sympy as sp

from proofs_check.statements.exactly import Exactly, visibly_real
from theorems.algebra.norms import MatrixNorm
from theorems.statement import proposition
from theorems.statement.deciding.decide import Derivation
from theorems.statement.moments.repairing import corrected
from theorems.statement.reading.hypotheses import words_of
from theorems.statement.reading.language import parsed

CASE = {"d": 1, "Sigma": [["1"]], "u": ["2"], "k": "1"}


def test_wrong_versions_have_values() -> None:
    prop = proposition("E[(x[1].T*u)**(2*k)] = 0", "u in R^d, Sigma = I, k integer, k >= 1", law="iid")
    exactly, words = Exactly(prop, Derivation(prop)), words_of(prop.known)
    wanted = {
        "E[(x[1].T*u)**(2*k)]": 4,
        "E[(x[2].T*u)**(2*k)]": 4,
        "E[(x[1].T*u)**(3*k)]": 0,
        "E[(x[1].T*u)**(3*k + 1)]": 48,
        "E[(x[1].T*u)**(2*k)*(x[2].T*u)**2]": 16,
    }
    for text, number in wanted.items():
        assert exactly.at(parsed(text, words), CASE) == number, text
    assert exactly.at(parsed("E[log(1 + (x[1].T*u)**2)]", words), CASE) is None
    assert exactly.at(parsed("E[(x[1].T*u)**(2*k)]/(k - 1)", words), CASE) is None
    assert isinstance(exactly.at(prop.right, CASE), sp.Integer)


@pytest.mark.parametrize("law", ["walk", "walk(start=0)", "walk(start=m)"])
@pytest.mark.parametrize("given", ["", "i <= k, j <= k", "k <= j"])
def test_one_formula_holds_in_every_order_of_a_walk(law: str, given: str) -> None:
    prop = proposition("Cov[x[i].T*W*x[j], x[i].T*W*x[k]] = 0", given, law=law)
    derivation = Derivation(prop)
    found = Exactly(prop, derivation).general(prop.left)
    assert found is not None and found.has(sp.Min)
    for order in derivation.orders:
        places = {place.name: 3 * rank + 2 for rank, node in enumerate(order.nodes) for place in node}
        table = {sp.Symbol(name): sp.Integer(value) for name, value in places.items()}
        assert sp.expand((found - derivation.value(order, prop.left)).subs(table)) == 0, order


def test_tokens_that_coincide_have_no_formula_for_every_order() -> None:
    prop = proposition("Cov[x[i].T*W*x[j], x[i].T*W*x[k]] = 0", law="iid")
    assert Exactly(prop, Derivation(prop)).general(prop.left) is None


@pytest.mark.parametrize(
    ("text", "given", "law", "most"),
    [
        ("E[norm(mean(x))**2] = 0", "0 < a < 1", "ar1(a)", 25),
        ("Corr[x[i].T*W*x[k], x[j].T*W*x[k]] = 0", "W symmetric, i <= j <= k", "walk", 15),
        ("Skew[x[i].T*W*x[i]] = 0", "", "walk", 7),
    ],
)
def test_formulas_with_powers_and_roots_are_short(text: str, given: str, law: str, most: int) -> None:
    prop = proposition(text, given, law=law)
    derivation = Derivation(prop)
    found = Exactly(prop, derivation).general(prop.left)
    assert found is not None and sp.count_ops(found) <= most
    longest = max(derivation.orders, key=lambda order: len(order.nodes))
    gap = found - derivation.value(longest, prop.left)
    point = {
        one: sp.Rational(k + 2, 7) if one.name == "a" else sp.Integer(k + 2) for k, one in enumerate(gap.free_symbols)
    }
    assert abs(sp.N(gap.subs(point))) < 1e-12


@pytest.mark.parametrize("given", ["", "i <= j"])
def test_a_covariance_that_is_0_for_different_tokens_has_that_value(given: str) -> None:
    """a^(j - i) at a = 0, where a^j/a^i has none."""
    prop = proposition("E[norm(x[i] + x[j])**2] = 0", f"-1 < a < 1, {given}".rstrip(", "), law="ar1(a)")
    found = Exactly(prop, Derivation(prop)).general(prop.left)
    assert found is not None
    trace = sp.Symbol("tr(Sigma)")
    for a, value in ((0, 2 * trace), (sp.Rational(1, 3), 20 * trace / 9)):
        assert found.subs({sp.Symbol("a"): a, sp.Symbol("i"): 3, sp.Symbol("j"): 5}) == value


def test_a_correction_with_a_root_of_a_sum_is_not_multiplied_out() -> None:
    prop = proposition("Skew[x[i].T*W*x[i]] = 0")
    true = Exactly(prop, Derivation(prop)).general(prop.left)
    assert true is not None
    text, _ = corrected(prop, true)
    cubes, squares = "tr(W*Sigma*W*Sigma*W{}*Sigma)", "tr(W*Sigma*W{}*Sigma)"
    wanted = f"2*({cubes.format('')} + 3*{cubes.format('.T')})/({squares.format('')} + {squares.format('.T')})**(3/2)"
    assert text == wanted


def test_different_values_at_a_case_are_certain_where_balls_tell_them_apart() -> None:
    prop = proposition("sqrt(Var[x[1].T*u]) = k", "u in R^d, Sigma = I, k > 0", law="iid")
    exactly, words = Exactly(prop, Derivation(prop)), words_of(prop.known)
    case = {"d": 2, "Sigma": [["1", "0"], ["0", "1"]], "u": ["1", "1"], "k": "7"}

    def differ(one: str, two: str) -> bool:
        return exactly.differ_at(parsed(one, words), parsed(two, words), case)

    root = "sqrt(Var[x[1].T*u])"
    assert differ(root, "k") and differ(root, "sqrt(k)") and differ("k", "1/(k - 7)") and differ("k", "k + 1")
    # equal ones, and what has no value itself, are never certain to differ
    assert not differ(root, "sqrt(2)") and not differ(root, "(k - 5)/sqrt(2)") and not differ("1/(k - 7)", "k")


def test_a_value_is_worked_out_once_at_a_case(monkeypatch: pytest.MonkeyPatch) -> None:
    prop = proposition("E[norm(x[i])**2] = i*tr(Sigma)")
    exactly = Exactly(prop, Derivation(prop))
    cases = [{"d": 1, "i": i, "Sigma": [["2"]]} for i in (1, 3)]
    assert [exactly.at(prop.left, case) for case in cases] == [2, 6]
    monkeypatch.setattr(Derivation, "at", None)
    assert [exactly.at(prop.left, case) for case in cases] == [2, 6]
    # one that is equal is another: the numbers of a case are not compared
    with pytest.raises(TypeError):
        exactly.at(prop.left, dict(cases[0]))


def test_numbers_are_seen_to_be_real_by_arithmetic_alone() -> None:
    norm = MatrixNorm(2, 2, 1, 2, 0, 1)
    assert visibly_real(3 * norm**2 - sp.Rational(1, 2)) and visibly_real(1 / (1 + norm))
    assert visibly_real(sp.exp(sp.sqrt(2)) - sp.cos(sp.E)) and not visibly_real(sp.exp(sp.I))
    assert not any(map(visibly_real, (sp.I, 1 + sp.sqrt(-2) * norm, norm ** sp.Rational(1, 2))))
