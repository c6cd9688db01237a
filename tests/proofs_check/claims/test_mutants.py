"""Decoys and mutants: every wrong version that is wanted, no right one among them."""

from __future__ import annotations

from functools import cache

import pytest
import sympy as sp

from proofs_check.claims.mutants import mutants
from theorems.algebra.expressions import parse
from theorems.algebra.expressions import text as written
from theorems.algebra.ratio import Ratio
from theorems.claims.catalogue import Statement, with_sides
from theorems.kernel.settle import holds

#: Claims whose prints are formulas; clauses are changed in test_observing.py, exponents in test_growing.py.
FORMULAS = [claim for claim in with_sides() if claim.relation not in ("when", "order")]
#: The normal forms of one are long; those of Eq. (6) have its functions too.
LONG = "bao2024.appC.lemma2-derivative"
SOME = [pytest.param(claim, marks=pytest.mark.slow) if claim.id == LONG else claim for claim in FORMULAS]


def forms(text: str, positions: tuple[str, ...] = (), words: tuple[str, ...] = (), scale: str = "") -> set[sp.Expr]:
    return {sp.expand(formula) for _, formula in mutants(parse(text), positions, words, scale)}


def expanded(*texts: str) -> set[sp.Expr]:
    return {sp.expand(parse(text)) for text in texts}


def test_every_mutant_of_equation_15() -> None:
    assert forms("(i - 1)*tr1", ("i",)) == expanded(
        # coefficients of i, of the constant and of the whole: one more, one less, the other sign
        *("(2*i - 1)*tr1", "-tr1", "(-i - 1)*tr1"),
        *("i*tr1", "(i - 2)*tr1", "(i + 1)*tr1"),
        *("2*(i - 1)*tr1", "0", "-(i - 1)*tr1"),
        # i (the shift down is the constant's), and the exponents of i and tr1; the 0th power of i is 0
        *("(i**2 - 1)*tr1", "(i - 1)*tr1**2", "i - 1"),
    )


def test_coefficients_and_exponents_inside_a_product() -> None:
    found = forms("(2*theta**2 + 7/12)*tr2/lam**2")
    assert expanded("(3*theta**2 + 7/12)*tr2/lam**2", "(2*theta**2 + 19/12)*tr2/lam**2") <= found
    assert expanded("(2*theta**3 + 7/12)*tr2/lam**2", "(2*theta + 7/12)*tr2/lam**2") <= found
    assert expanded("(2*theta**2 - 7/12)*tr2/lam**2", "(2*theta**2 + 7/12)*tr2/lam**3") <= found


def test_a_bound_is_changed_under_the_root() -> None:
    found = forms("sqrt(d*tr2)")
    assert expanded("sqrt(2*d*tr2)", "sqrt((d - 1)*tr2)", "sqrt(d**2*tr2)", "-sqrt(d*tr2)", "2*sqrt(d*tr2)") <= found


def test_zero_with_a_remainder_is_changed_by_its_scale() -> None:
    found = forms("0", ("T",), ("tr1", "tr2"), "T**4")
    assert found == expanded("T**4*tr1", "-T**4*tr1", "T**4*tr2", "-T**4*tr2")
    # each of them is told from 0 + o(T**4), which a constant is not
    assert not any(holds(Ratio.of(0), formula, {}, "T**4") for formula in found)
    assert holds(Ratio.of(0), sp.Integer(1), {}, "T**4")


@cache
def normal_forms(text: str, positions: tuple[str, ...], scale: str) -> list[tuple[str, sp.Expr, sp.Expr]]:
    """The mutants of a print with their normal forms, found once for the tests that look at them."""
    found = mutants(parse(text), positions, ("tr1", "tr2"), scale)
    return [(label, formula, sp.expand(formula)) for label, formula in found]


@pytest.mark.parametrize("claim", SOME, ids=lambda claim: str(claim.id))
def test_mutants_differ_from_the_print_and_from_one_another(claim: Statement) -> None:
    for text in claim.printed.values():
        printed = parse(text)
        found = normal_forms(text, tuple(claim.positions), claim.remainder)
        normal = [form for _, _, form in found]
        assert sp.expand(printed) not in normal
        assert len(set(normal)) == len(normal) >= 2
        assert all(label for label, _, _ in found)
        assert not any(formula.has(sp.zoo, sp.nan, sp.oo) for formula in normal)
        # in no other names than the print and its words
        assert {s for f in normal for s in f.free_symbols} <= {
            *printed.free_symbols,
            *map(sp.Symbol, ("tr1", "tr2", "T")),
        }
        # a mutant is a statement again: its text reads back to it
        for _, formula, form in found:
            again = parse(written(formula))
            assert again == formula or sp.expand(again) == form


@pytest.mark.parametrize("claim", SOME, ids=lambda claim: str(claim.id))
def test_every_index_and_every_coefficient_is_changed(claim: Statement) -> None:
    for text in claim.printed.values():
        printed = parse(text)
        found = {form for _, _, form in normal_forms(text, tuple(claim.positions), claim.remainder)}
        for name in claim.positions:
            index = sp.Symbol(name)
            if printed.has(index):
                assert {sp.expand(printed.xreplace({index: index + shift})) for shift in (1, -1)} <= found
        for node in sp.preorder_traversal(printed):
            for term in node.args if isinstance(node, sp.Add) else ():
                unit = term / term.as_coeff_Mul()[0]
                for changed in (term + unit, term - unit, -term):
                    wrong = printed.xreplace({node: node - term + changed})
                    # log of a negative number is no version of anything
                    assert sp.expand(wrong) in found or sp.expand(wrong - printed) == 0 or wrong.has(sp.I)
