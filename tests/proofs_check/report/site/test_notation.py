"""What the symbols on a claim's page are: every one is defined there, by the claim's data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from proofs_check.claims.findings import saying
from proofs_check.report.site import formula, names, notation
from theorems.claims.catalogue import by_id, shipped
from theorems.kernel.deriving import find

TRANSFER = "lampert2026.sec5.cosine-transfer"
#: The print that fig2-eta names by the name of its definition; on its page stands what that is.
CORRECTIONS = {
    "bao2024.sec4.fig2-eta": {
        "sympy": "sqrt(tr2)/lam",
        "apart": {"eta": "sqrt(tr2)/lam - sqrt(tr2)/lam**2"},
    }
}


#: What needs no definition: the model's tokens, matrices, lengths and positions, means, kinds of norms and constants.
COMMON = {"x", "W", "Sigma", "I", "T", "d", "i", "j", "E", "Var", "Cov", "Kurt", "P", "pi", "oo", "lim"}
COMMON |= {"fro", "nuclear", "True", "False", "if", "iff"}


def undefined(claim: Any, correction: Any, below: Sequence[Any] = ()) -> list[str]:
    """The names in the claim's formulas that its page neither defines nor assumes something of."""
    told = names.said(claim)
    texts = [claim["reading"], claim["quantity"], *claim["assumptions"]]
    texts += [str(told.get(part, "")) for part in ("hypotheses", "law", "limit")]
    texts += [*told.get("letters", {}), *told.get("letters", {}).values(), *told.get("along", {})]
    assumed = {name for text in texts for name in notation._NAME.findall(text)}
    known = {*notation.defined(claim, below), *COMMON, *formula.functions(), *assumed}
    used = notation._used(claim, correction, below)
    return sorted({name for name in used if name not in known and not formula.telling(name)})


def claim(name: str) -> Any:
    statement = by_id()[name]
    lines = [line for source in (*(by_id()[one] for one in statement.proof), statement) for line in source.lines]
    return {
        "id": name,
        "kind": statement.kind,
        "paper": {"id": statement.paper.id},
        "fidelity": statement.fidelity,
        "printed": dict(statement.printed),
        "said": saying(statement),
        "reading": statement.reading,
        "statement": statement.statement,
        "quantity": statement.quantity,
        "assumptions": list(statement.assumptions),
        "symbols": list(statement.symbols),
        "proof": {"lines": [{"printed": line.printed, "derived": ""} for line in lines if not line.says]},
        "depends_on": list(statement.depends_on),
        "correction": CORRECTIONS.get(name),
    }


@pytest.fixture(scope="module")
def table() -> dict[str, Any]:
    return {statement.id: claim(statement.id) for statement in shipped()}


@pytest.mark.parametrize("name", [statement.id for statement in shipped()])
def test_every_symbol_of_a_shipped_claim_is_defined_on_its_page(name: str, table: dict[str, Any]) -> None:
    assert undefined(table[name], None, notation.beneath(table[name], table)) == []


def test_lines_of_a_proof_use_the_names_of_what_it_rests_on(table: dict[str, Any]) -> None:
    """Lemma 1 prints E[x_i^T W_QK Sigma W_QK x_j] and (A), ..., (C2), which are quantities of the claims beneath it."""
    lemma = table["bao2024.sec4.lemma1-variance"]
    below = notation.beneath(lemma, table)
    assert "EiWSWj" in undefined(lemma, None) and "C2" in undefined(lemma, None)
    assert notation.spelt("(T - j)*EiWSWj + A", lemma, below) == "(T - j)*(E[x[i].T*W_QK*Sigma*W_QK*x[j]]) + A"
    told = " ".join(map(str, notation.definitions(lemma, None, below)))
    assert "<mi>C</mi><mn>2</mn>" in told and "EiWSWj" not in told


@pytest.mark.parametrize("name", ["bao2024.sec4.lemma2-1", "choromanski2021.sec3.thm1-lower"])
def test_what_a_claim_assumes_of_a_name_is_no_definition_of_another_claim(name: str, table: dict[str, Any]) -> None:
    """Lemma 2 has eta with lambda, (6) without; the C of Theorem 1 bounds A, that of another claim is e^(c/2)."""
    below = notation.beneath(table[name], table)
    assert {"eta", "C"} & {*notation.defined(below[-1], below)}
    assert not {"eta", "C"} & {*notation.defined(table[name], below)}


def test_definitions_have_the_papers_letter_for_a_product(table: dict[str, Any]) -> None:
    assert names.defined("upper", table["bao2024.sec4.eq5"]) == "tr(W)"
    assert names.defined("eta", table["bao2024.sec4.xi-eta-range"]) == "sqrt(tr((W)**2))/lam"
    # a factor among others keeps its own, also in a line of a proof
    assert names.defined("EiWSWj", table["bao2024.appC.eq22"]) == "E[x[i].T*W_QK*Sigma*W_QK*x[j]]"
    assert notation.spelt("EiWSWj", table["bao2024.appC.eq22"], ()) == "(E[x[i].T*W_QK*Sigma*W_QK*x[j]])"


def test_the_head_of_a_formula_is_as_long_as_its_signs_and_not_as_its_latex(table: dict[str, Any]) -> None:
    """W_QK is four letters there; a letter of the print, (A), stays that letter."""
    assert "𝔼" in str(names.quantity("pair", table["bao2024.appC.eq22"]))
    assert "𝔼" not in str(names.quantity("A", table["bao2024.appC.lemma1-A"]))
    assert str(names.quantity("second_moment", table["bao2024.appC.lemma1-second-moment"])) == "second moment"
    # own[i] would need a definition itself
    assert str(names.quantity("diagonal", table["bao2024.sec3.diagonal-dominance"])) == "diagonal"
    # the paper's own letters where the statement needs others: d beside a dimension, u for a number
    assert names.written("e[j]", table["bao2024.appB.cauchy-schwarz"], generated=True) == "d_[j]"
    assert names.letter("u", table["choromanski2021.appF.eq33-series"]) == "u"


def test_a_least_value_under_many_conditions_breaks_between_these(table: dict[str, Any]) -> None:
    """On paper and on narrow pages a line ends somewhere; one condition or none needs no line of its own."""
    told = {
        str(one).count("<math"): str(one) for one in notation.definitions(table["lampert2026.sec7.diag-lower"], None)
    }
    (least,) = (one for one in told.values() if "over all" in one)
    assert least.count("<math") == 2 + 10 and "W" in least.partition("over all")[2].partition(" with ")[0]
    assert notation._program("c", "least(norm(W, 2), W, every(z[i].T*W*z[i] >= 1, i, J))") is None


def test_formulas_are_in_the_papers_letters(table: dict[str, Any]) -> None:
    """Theorem 5 has a_0 for what the statement calls g[0], the other paper z for its tokens and W_QK for its matrix."""
    bound = table["choromanski2021.appF.thm5"]
    told = list(map(str, notation.definitions(bound, None)))
    assert "<mi>a</mi>" in told[0] and not any("<mi>g</mi><mn>0</mn>" in one for one in told)
    assert names.written("a0**2", bound) == "(a[0])**2" and names.letter("g1", bound) == "a1"
    assert names.written("g_0 = 0, g(t)", bound, generated=True) == "a_0 = 0, g(t)"
    # with Sigma = I the traces are of the matrix itself
    assert names.written("tr2 + tr1", table["bao2024.appB.display-b"]) == "tr(P**2) + tr(P)"
    slope, cost = table["lampert2026.sec5.dprime-1"], table["lampert2026.sec7.lower-constant"]
    assert names.defined("slope", slope) == "diff(E[norm(Y[i])**2], lam, 1)"
    assert names.defined("t1", slope) == "tr(B*W)" and "z[i]" in names.written("x[i]", slope, generated=True)
    assert "c_[c].T*W_QK*(lam*dbar[c] - b_BOS)" in names.defined("cost", cost)
    latex = formula.latex(names.defined("cost", cost)) or ""
    assert "c_{c}" in latex and r"\bar{d}_{c}" in latex and r"\_" not in latex


@pytest.mark.parametrize("where", ["printed", "corrected", "concluded", "used by a quantity"])
def test_a_symbol_that_is_left_undefined_is_found(where: str) -> None:
    found = claim(TRANSFER)
    correction = claim(TRANSFER) | {"printed": {"upper": "ratio_0 - ratio_1 + 3*spread_0/2"}}
    assert undefined(found, correction) == []
    if where == "printed":
        found["printed"]["upper"] = "2*stray"
    elif where == "corrected":
        correction["printed"]["upper"] += " + stray"
    elif where == "concluded":
        found["proof"] = {"concludes": [{"value": "stray", "limit": "", "remainder": ""}]}
    else:
        found["said"]["quantities"]["upper"] += " - stray[i]"
    assert undefined(found, correction) == ["stray"]


def test_what_a_correction_names_is_defined_with_all_that_its_definitions_use() -> None:
    correction = claim(TRANSFER) | {"printed": {"upper": "ratio_0 - ratio_1 + 3*spread_0/2 + 3*spread_1/2"}}
    # the module of a derivation brings the LaTeX of its names
    find(TRANSFER)
    told = " ".join(map(str, notation.definitions(claim(TRANSFER), correction)))
    assert "<code>" not in told
    # R_k(0) and r_i(0) of the correction, and U_i = Y_i(0) and V_i = Y_i(1) by which they are defined
    for letter in ("R", "r", "U", "V"):
        assert f"<mi>{letter}</mi>" in told
    alone = " ".join(map(str, notation.definitions(claim(TRANSFER), None)))
    assert "<mi>R</mi>" not in alone and "<mi>U</mi>" in alone
