"""Names on a claim's page: definitions, letters of the cases, and the paper's own notation, from the claim's data."""

from __future__ import annotations

import re
from typing import Any

import pytest

from proofs_check.report.site import cases, names, pages, view

Report = Any
SAID = {
    "quantities": {"variance": "Var[s[i]]", "mean": "E[x[i].T*W*x[i]]", "long": "+".join(["E[x[i].T*W*x[i]]"] * 9)},
    "hypotheses": "W symmetric",
    "where": "omega[j] = x[j].T*W*x[T]/lam, s[i] = sum(omega[j], j, 1, T)/T",
    "law": "walk",
    "limit": "",
    "letters": {"dim": "d"},
    "paper": {"W": "W_QK*Sigma"},
    "along": {"xi": "4**k"},
}


@pytest.mark.parametrize(("fidelity", "head"), [("verbatim", "printed"), ("inferred", "as read"), ("own", "as read")])
def test_a_title_typesets_its_names_and_a_statement_says_how_far_it_is_printed(
    fidelity: Any, head: str, sample_report: Report
) -> None:
    found = sample_report["claims"][0] | {"where": "Appendix C, gradient by W_Q", "fidelity": fidelity}
    report: Any = {**sample_report, "claims": [found]}
    (entry,) = view.entries(report)
    assert str(entry.heading).startswith("Appendix C, gradient by <math>") and entry.head == head
    # who escapes a part may strip it, and the spaces stay
    assert entry.titled(str.strip, lambda name: f"<{name}>") == "Appendix C, gradient by <W_Q>"
    assert names.label("eq20_over_eq19") == "(20) over (19)"
    page = f'<p class="word">{head.capitalize()}</p>'.encode()
    assert any(page in content for _, content in pages.files(report))


@pytest.fixture
def claim(sample_report: Report) -> Any:
    found = next(claim for claim in sample_report["claims"] if claim["counterexample"])
    found.update(said=SAID, printed={"variance": "tr2/lam**2 + tr1", "mean": "variance"}, quantity="limit")
    return found


def test_a_bound_is_written_as_the_inequality_that_it_is(claim: Any) -> None:
    bound = claim | {"said": {**SAID, "quantities": {"upper": "norm(W, 2)"}}, "printed": {"upper": "d"}}
    assert names.bounded("upper", bound) == r"\lVert W_{\mathrm{QK}} \rVert_{2} \leq"
    assert names.bounded("mean", bound) is None and names.quantity("upper", bound) == "upper bound"


def page_of(report: Report, name: str) -> str:
    return dict(pages.files(report))[f"claims/{name}.html"].decode()


def test_a_clause_of_one_quantity_has_that_for_its_sentence(claim: Any) -> None:
    one = claim | {"printed": {"solvable": "iff a > 0"}, "quantity": "whether W exists"}
    assert str(names.named(one, one["printed"], names.PAGE)[0][0]).endswith("</math> exists")


def test_a_quantity_of_several_words_is_defined_by_these(claim: Any) -> None:
    told = {"eq20_over_eq19": "tr(W)/d", "eq21_over_eq19": "d/tr(W)"}
    one = claim | {"said": {"quantities": told}, "printed": dict.fromkeys(told, "o(1)"), "symbols": []}
    assert "(20) over (19)" in str(names.definitions(one)).replace("\N{NO-BREAK SPACE}", " ")


def test_a_greek_letter_of_the_print_stays_that_letter(claim: Any) -> None:
    one = claim | {"said": {**SAID, "quantities": {"eta": "product/xi"}}, "statement": r"\eta = 0.02"}
    assert "η" in str(names.quantity("eta", one)) and "product" not in str(names.quantity("eta", one))


def test_traces_are_in_the_papers_letters_where_its_matrix_is_a_product(claim: Any) -> None:
    assert names.written("tr1 + tr2/2 - tr12", claim) == "tr(W) + tr(W**2)/2 - tr(W**12)"
    assert names.written("for lambda in (0, 1)", claim) == "for lam in (0, 1)"
    # the suite's W is the model's matrix, the paper's own words mean the product
    assert names.written("E[x_i^T W x_j] = tr1", claim, generated=True) == "E[x_i^T W_QK x_j] = tr(W)"
    assert names.written("the eigenvalues of W", claim) == "the eigenvalues of W"
    assert names.letter("W", claim) == "W_QK" and names.letter("dim", claim) == "d" and names.letter("T", claim) == "T"
    assert "W" in str(names.mapping(claim)) and "QK" in str(names.mapping(claim))


def test_without_such_letters_nothing_changes(claim: Any) -> None:
    claim["said"] = SAID | {"paper": {}}
    assert names.written("tr1 of W", claim, generated=True) == "tr1 of W" and names.letter("W", claim) == "W"
    assert names.mapping(claim) is None
    claim["said"] = None
    assert names.definitions(claim) is None and str(names.quantity("second_moment", claim)) == "second moment"


def test_quantities_stand_by_their_definitions(claim: Any) -> None:
    assert "Var" in str(names.quantity("variance", claim)) and "<math>" in str(names.quantity("variance", claim))
    assert str(names.quantity("long", claim)) == "long"
    assert "<math>" in str(names.quantity("factor of W_K*W_K.T", claim))
    # a print that is another quantity is shown as that one
    assert str(names.value("variance", claim)) == str(names.quantity("variance", claim))
    told = str(names.definitions(claim))
    assert "Var" in told and "**" not in told
    claim["said"] = SAID | {"quantities": {"mean": "least(t, every(t, c, 1, C), not a formula"}}
    assert names.definitions(claim) is None


def test_a_page_maps_the_papers_notation_once_and_prints_in_it(sample_report: Report, claim: Any) -> None:
    text = page_of(sample_report, claim["id"])
    assert text.count("In the paper's notation") == 1
    row = re.search(r'<td data-label="Printed">.*?</td>', text, re.S)
    assert row is not None and "Σ" not in row[0] and "Var" not in row[0]


def test_a_counterexample_shows_what_its_parameters_stand_for(sample_report: Report, claim: Any) -> None:
    claim["counterexample"] |= {"params": {"dim": "1", "seed": "7"}, "given": {"W_Q": [["-2"]], "y": ["1", "2"]}}
    shown = cases.example(claim)
    assert shown is not None
    assert ">seed<" not in shown["params"] and "<mi>Q</mi>" in shown["params"] and "<mn>2</mn>" in shown["params"]
    assert "seed" in shown["drawn"] and "dim" not in shown["drawn"]
    claim["counterexample"].pop("given")
    shown = cases.example(claim)
    assert shown is not None and "seed" in shown["params"] and shown["drawn"] == ""


def test_the_formula_that_a_case_estimates_is_in_the_letters_of_the_page(claim: Any) -> None:
    """Else x would be a token in one column of the table and a fixed vector in the next."""
    claim["said"] = SAID | {"letters": {"u": "x", "v": "y", "x": "omega"}}
    claim["cases"] = [claim["cases"][0] | {"quantity": "E[cos(x[1].T*(u - v))]"}]
    (shown,) = cases.simulated(claim)
    assert "<mi>ω</mi>" in shown["quantity"] and "<mi>y</mi>" in shown["quantity"]
    assert "<mi>u</mi>" not in shown["quantity"] and "<mi>v</mi>" not in shown["quantity"]
    # what is printed has the page's letters already
    claim["printed"] = {"factor of u*v": "1"}
    assert names.estimated("factor of u*v", claim) == "factor of u*v"


def test_a_value_of_another_quantity_is_what_the_reading_gives(claim: Any) -> None:
    """A limit's counterexample has theta beside its case; its quantity is found all the same."""
    given = claim["counterexample"]
    case = claim["cases"][0] | {"params": given["params"], "printed": given["printed"], "derived": given["true"]}
    given["params"] = given["params"] | {"theta": "1/2"}
    for name, by in (("mean", "reading"), ("variance", "printed formula")):
        claim["cases"] = [case | {"quantity": name}]
        shown = cases.example(claim)
        assert shown is not None and shown["by"] == by and name in shown["quantity"]


def test_symbols_stand_by_short_definitions_and_statements_in_the_papers_letters(claim: Any) -> None:
    quantities = {
        "value": "E[cos(x[1].T*(u - v))]",
        "xx": "norm(u)**2",
        "xy": "u.T*v",
        "m": "T",
        "far": "norm(u)**2 + norm(v)**2",
    }
    letters = {"u": "x", "v": "y", "T": "m", "x": "omega", "tokens": "n"}
    claim.update(said=SAID | {"quantities": quantities, "letters": letters, "paper": {}}, symbols=[*quantities][1:])
    assert names.written("exp(xx + 2*xy)/m + far", claim) == "exp(norm(x)**2 + 2*x.T*y)/(m) + far"
    assert names.written("xy**2", claim) == "(x.T*y)**2"
    # what the suite writes is in the statement's letters, what authors write in the paper's; a transpose is no length
    told = "u, v: x[1].T*u of length T, made of tokens"
    assert names.written(told, claim, generated=True) == "x, y: omega[1].T*x of length m, made of tokens"
    assert names.written(told, claim) == told
    shown = str(names.definitions(claim))
    assert shown.count("<math>") >= 2 and "m" in shown and "ω" in shown


def test_what_a_correction_names_is_told_with_it(claim: Any) -> None:
    """Declared or not: a letter or the findings have no notation beside them."""
    said = SAID | {"quantities": {"upper": "norm(W, 2)", "far": "norm(W, fro) + norm(W, nuclear)", "d": "d"}}
    claim.update(said=said, symbols=[], printed={"upper": "2"})
    assert names.left("3*far/d", claim) == ["`far = norm(W_QK, fro) + norm(W_QK, nuclear)`"]
    assert names.left("3*d", claim) == []


def test_a_name_that_the_cases_give_a_printed_formula_is_never_shown() -> None:
    """The print is what its correction is away from: scale stands for sqrt(tr2)/lam**2."""
    apart = {"eta": "sqrt(tr2)/lam - sqrt(tr2)/lam**2", "variance": "1"}
    claim: Any = {"printed": {"eta": "scale", "variance": "scale**2*b"}, "symbols": ["tr2", "lam"], "said": {}}
    claim["correction"] = {"sympy": "sqrt(tr2)/lam", "apart": apart}
    assert names.written("scale", claim) == "sqrt(tr2)/lam**2"
    assert names.written("scale**2*b", claim) == "(sqrt(tr2)/lam**2)**2*b"
    claim["correction"] = None
    assert names.written("scale", claim) == "scale"


PLAIN = names.Writer(lambda latex: f"<{latex}>", str, lambda text: f"[{text}]")


@pytest.mark.parametrize(
    ("formulas", "expected"),
    [
        # a value is of what the claim is about
        ({"value": "a + b"}, [("the mean of it", "<=>", "[a + b]")]),
        ({"value": "iff a > b"}, [("the mean of it", "[iff a > b]")]),
        ({"value": "a", "spread": "b"}, [("the mean of it", "<=>", "[a]"), ("spread", "<=>", "[b]")]),
        ({"eta": "a"}, [(r"<\eta>", "<=>", "[a]")]),
        ({"S": "a"}, [("<S>", "<=>", "[a]")]),
        ({"upper": "a"}, [("the mean of it", r"<\leq>", "[a]")]),
        ({"factor of W_K": "a"}, [("factor of `W_K`", "<=>", "[a]")]),
    ],
)
def test_formulas_are_named_by_their_quantities(formulas: dict[str, str], expected: list[tuple[str, ...]]) -> None:
    claim: Any = {
        "printed": formulas,
        "symbols": [],
        "said": {},
        "correction": None,
        "quantity": "the mean of it",
        "statement": "",
    }
    assert names.named(claim | {"kind": "identity"}, formulas, PLAIN) == expected


def test_a_limit_is_written_as_a_limit_where_the_formula_is_that_alone() -> None:
    claim: Any = {"printed": {"rho": "1/2"}, "symbols": [], "correction": None, "kind": "limit", "statement": ""}
    claim["said"] = {"quantities": {}, "limit": "xi -> 0", "remainder": ""}
    assert names.named(claim, claim["printed"], PLAIN) == [(r"<\rho>", r"<\to>", "[1/2]", "as xi -> 0")]
    # up to o(1) it is an equation, and so is a power of growth
    claim["said"]["remainder"] = "1"
    assert names.named(claim, claim["printed"], PLAIN) == [(r"<\rho>", "<=>", "[1/2 + o(1)]")]
    claim["said"]["remainder"], claim["kind"] = "", "order"
    assert names.named(claim, claim["printed"], PLAIN) == [(r"<\rho>", "<=>", "[1/2]")]


def test_a_bound_and_what_it_leaves_out_stand_with_the_formula() -> None:
    claim: Any = {"printed": {"upper": "a"}, "symbols": [], "correction": None, "kind": "bound"}
    claim["said"] = {"quantities": {"upper": "norm(W, 2)"}, "remainder": "1/T"}
    assert names.named(claim, claim["printed"], PLAIN) == [(r"<\lVert W \rVert_{2} \leq>", "[a + o(1/T)]")]


def test_beside_a_row_of_a_drawing_stands_a_formula_or_a_word_but_no_code() -> None:
    quantities = {"EiWSWj": "E[x[i].T*W*Sigma*W*x[j]]", "second_moment": "+".join(["E[x[i].T*W*x[i]]"] * 3)}
    claim: Any = {"printed": quantities, "symbols": [], "said": {"quantities": quantities}}
    assert "EiWSWj" not in str(names.tag("EiWSWj", claim)) and "<math>" in str(names.tag("EiWSWj", claim))
    assert str(names.tag("second_moment", claim)) == "second moment"
    assert "exp(" not in str(names.tag("exp(u.T*v)", claim)) and "<math>" in str(names.tag("exp(u.T*v)", claim))


def test_a_number_that_only_chooses_what_is_sampled_is_no_part_of_a_case(sample_report: Report) -> None:
    """Along a sequence; elsewhere a case is given whole."""
    claim = sample_report["claims"][1]
    case = {"theta": "1/2", "s": "0", "k": "2", "mix": "1"}
    claim["printed"] = {"rho": "Indicator(theta >= 1/2)"}
    claim["said"] = {"along": {"xi": "(1 + s/2**k)*4**k"}}
    assert names.unsaid(case, claim) == {"mix"}
    claim["said"] = {"along": {"i": "theta*T"}}
    assert names.unsaid(case, claim) == set()
