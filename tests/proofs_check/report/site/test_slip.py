"""What is wrong in a print, in words: computed for every kind of slip, and nothing said where print and truth agree."""

from __future__ import annotations

import random
import re
from types import SimpleNamespace
from typing import Any

import pytest
import sympy as sp

from proofs_check.report import documents
from proofs_check.report.site import names, slip
from theorems.algebra.expressions import parse

FROM = ("verbatim", "own")


def claim(printed: dict[str, str], **more: Any) -> Any:
    return {
        "id": "a.b.c",
        "verdict": "refuted",
        "printed": printed,
        "symbols": [],
        "quantity": "the value",
        "correction": {"latex": "x", "holds": "always"},
        "counterexample": None,
        "fidelity": "verbatim",
        "paper": {"id": "bao2024"},
        "kind": "identity",
        "symbolic": {"evidence": []},
        **more,
    }


def told(printed: str, true: str, name: str = "value", **more: Any) -> str:
    return " ".join(slip.sentences(claim({name: printed}, **more), claim({name: true})))


@pytest.mark.parametrize(
    ("printed", "true", "sentence"),
    [
        ("(2*theta**2 + 7/12)*tr2", "(2*theta**2 - 2*theta + 7/12)*tr2", "The term `-2*theta*tr2` is missing."),
        ("(T**2*i - i**3)*tr2", "tr2*(3*T**2*i - i**3)", "The coefficient of `T**2*i*tr2` should be `3`, not `1`."),
        ("x**2 + y", "x**2", "The term `y` should not be there."),
        ("sqrt(d)*a*b", "d*a*b", "A factor `sqrt(d)` is missing."),
        ("lam**3*b", "lam*b", "The factor `lam**2` should not be there."),
        ("2*b", "b", "The factor `2` should not be there."),
        ("x - y", "y - x", "The sign is wrong."),
        ("(t - 1)*t", "2*t - 2", "The factor `t` should be `2`."),
        ("b/lam**2", "b/lam", "The factor `1/lam` should not be there."),
        ("b/lam**3", "b/lam", "The factor `1/lam**2` should not be there."),
        # a factor of a term is none of the whole
        ("a + b*lam", "a + b*lam*theta", "`b*lam` stands where `b*lam*theta` should."),
        ("2*b + a*T", "b + a*T", "The coefficient of `b` should be `1`, not `2`."),
        ("x + a*sqrt(d)", "x - a*sqrt(d)", "The coefficient of `a*sqrt(d)` should be `-1`, not `1`."),
        ("i*(T + 1)", "i*(T + 1) + (a + b)*i*sqrt(d)", "The term `i*(a*sqrt(d) + b*sqrt(d))` is missing."),
        ("(a + b)*i + c*i*(x + y)", "(a + b)*i", "The term `i*(c*x + c*y)` should not be there."),
        ("a/b", "b/a", "`a/b` stands where `b/a` should."),
        ("x/3", "x/6 + y", "`x/3` stands where `x/6 + y` should."),
        ("tr1**2 + 1", "tr1**2 + 2", "`1` stands where `2` should."),
        ("(i - 1)*tr1", "i*tr1", "`i - 1` stands where `i` should."),
        ("log(1 + T*exp(-nu)) + nu*exp(-nu/2)", "nu*exp(-nu) + log(T*exp(-nu) + 1)", "exp(-nu/2)` stands where"),
        ("i*tr1**2 + j*tr2", "i*tr1**2 + i*tr2", "The coefficient of `tr2` should be `i`, not `j`."),
        (
            "i*tr1**2 + (i - j)*tr2",
            "j*tr1**2 + i*tr2",
            "The coefficient of `tr1**2` should be `j`, not `i`; the coefficient of `tr2` should be `i`, not `i - j`.",
        ),
        ("T*tr1 + T*tr2", "T*tr1**2 + T*tr2", "`tr1` stands where `tr1**2` should."),
        (
            "T**4*tr1 + T*tr2",
            "T**3*tr1**2 + T*tr2",
            "The term `T**4*tr1` should be `T**3*tr1**2`.",
        ),
        (
            "i*tr2 + tr1**2 + 1",
            "j*tr2 + tr1**2 + 2",
            "The coefficient of `tr2` should be `j`, not `i`; the other terms differ too.",
        ),
        ("1/50", "1/100", "The value is `1/100`, not `1/50`."),
        (
            "Abs(X - Y)",
            "Max(Abs(X), Abs(X - Y))",
            "The bound `Abs(X - Y)` is false; what holds is the largest of it and `Abs(X)`.",
        ),
        ("o(1)", "O(1)", "`O(1)` is what holds, and `o(1)` does not."),
        ("iff a > 0 & b > 0", "iff a > 0 & b >= 0", "`b > 0` stands where `b >= 0` should."),
        ("if C >= 1", "if C >= 1 & n >= 2", "The condition `n >= 2` is missing."),
        ("if C >= 1", "if lam >= 1/2", "`C >= 1` does not suffice; `lam >= 1/2` does."),
        (
            "sum((-1)**i*u**i/i, i, 1, oo)",
            "log(1 - u)",
            "The series of `log(1 - u)` begins `-u - u**2/2 - u**3/3`, the printed one `-u + u**2/2 - u**3/3`.",
        ),
        (
            "sum((-1)**i*u**i/i, i, 1, oo)",
            "sum((-u**i)/i, i, 1, oo)",
            "The series begins `-u - u**2/2 - u**3/3`, the printed one `-u + u**2/2 - u**3/3`.",
        ),
    ],
)
def test_each_kind_of_slip(printed: str, true: str, sentence: str) -> None:
    found = told(printed, true)
    assert sentence in found if not sentence.endswith(".") else found == sentence


def test_what_agrees_has_no_slip() -> None:
    assert told("(a + b)**2", "a**2 + 2*a*b + b**2") == ""
    assert told("sum(u**i/i, i, 1, oo)", "sum(u**i/i, i, 1, oo)") == ""
    assert slip.sentences(claim({"value": "1"}, verdict="verified"), claim({"value": "2"})) == []


def test_a_bound_that_is_false_and_one_that_is_not_necessary() -> None:
    assert told("0", "r + s", "upper") == "The bound `0` is false; what holds is `r + s`."
    example: dict[str, Any] = {"counterexample": {"printed": "value: False", "true": "value: True"}}
    assert told("iff a > 0", "iff b > 0", **example) == "`a > 0` is not necessary; `b > 0` is."
    found = told("iff a > 0 & b > 0", "iff c > 0", **example)
    assert found == "`a > 0` and `b > 0` together are not necessary; `c > 0` is."
    example["counterexample"]["printed"] = "value: True"
    assert told("iff a > 0", "iff b > 0", **example) == "`a > 0` does not suffice; `b > 0` has to hold."
    found = told("if a > 0 & b > 0", "if a > 0 & c > 0")
    assert found == "Together with `a > 0`, `b > 0` does not suffice; `c > 0` does."
    assert told("iff a > 0 & b > 0", "iff a > 0") == "`b > 0` is not necessary."


@pytest.mark.parametrize(
    ("printed", "true", "sentence"),
    [
        ("sqrt(d)*b", "d*b", "The bound is false; with a further factor `sqrt(d)` it holds."),
        ("d*b", "b", "The bound is false; without the factor `d` it holds."),
        ("exp(-x/2)*b", "exp(-x)*b", "The bound is false; with `exp(-x)` in the place of `exp(-x/2)` it holds."),
        ("i*tr2 + tr1**2", "j*tr2 + tr1**2", "What holds has the coefficient `j` of `tr2`, not `i`."),
        ("T*tr1 + tr2", "T*tr1**2 + tr2", "The bound is false; with `tr1**2` in the place of `tr1` it holds."),
        ("a + b", "a", "The bound is false; without the term `b` it holds."),
        (
            "Abs(x)/c",
            "24*Abs(t/c) + Abs(12*x)",
            "The bound is false; with `12*Abs(x) + 24*Abs(t/c)` in the place of `Abs(x)/c` it holds.",
        ),
    ],
)
def test_of_a_bound_is_said_what_it_holds_with(printed: str, true: str, sentence: str) -> None:
    # another bound may hold as well: nothing "should" stand there
    assert told(printed, true, "upper") == sentence


def test_the_bound_of_one_name_is_taken_out_of_two_conditions() -> None:
    said = {"where": "r = tr(A)/norm(A, 2)"}
    found = told("if budget < r*d + lam", "if budget - (2*r + lam) <= 0", said=said)
    assert found == "In the bound of budget, what holds has the coefficient `2` of `r`, not `d`."
    found = told("if budget < r*d + lam", "if budget - (2*r + 3*lam) <= 0", said=said)
    assert found.endswith("of `r`, not `d`; the other terms differ too.")


def test_a_number_is_no_word_of_a_trace() -> None:
    said: Any = {"where": "t = tr(W)"}
    assert told("(t - 1)*t", "2*t - 2", said=said) == "The factor `t` should be `2`."


def test_a_letter_that_the_claim_defines_is_written_by_its_definition() -> None:
    said: Any = {"where": "W_QK = W_Q.T*W_K, t = tr(W_QK)"}
    found = told("(t - 1)*t", "2*t - 2", said=said, symbols=["t"])
    assert found == "The factor `tr(W_QK)` should be `2`."


def test_a_correction_tells_what_its_names_are() -> None:
    said: Any = {
        "quantities": {"upper": "P[x > a]", "M": "E[exp(theta*f(u))]", "m": "T"},
        "letters": {"T": "m", "u": "x"},
    }
    right = claim({"value": "M**m - a"}, said=said, symbols=["a", "M", "m"])
    right["correction"] = {"latex": "", "holds": "always"}
    entry: Any = SimpleNamespace(claim=right, correction=SimpleNamespace(claim=right))
    assert documents._truth(entry) == "the value $=$ $M^{m} - a$ with $M = \\mathbb{E}[e^{\\theta f(x)}]$"


def test_where_a_limit_is_another_one() -> None:
    rows = (("theta < 0", "0", "0"), ("theta = 0", "1/2", "1"), ("theta > 1/2", "1", "1"))
    cells = [
        {"quantity": "rho", "where": where, "limit": limit, "printed": printed, "agrees": limit == printed}
        for where, limit, printed in rows
    ]
    found = told(
        "Indicator(theta >= 0)", "Indicator(theta > 0)", "rho", correction={"latex": "", "holds": "", "cells": cells}
    )
    assert found == "Where `theta = 0`, the limit is 1/2, not 1. Elsewhere the print holds."


def test_a_print_that_names_another_quantity_is_the_correction_less_their_difference() -> None:
    more: dict[str, Any] = {"said": {"quantities": {"value": "Var[s]", "other": "Var[x]"}}}
    found = told("other", "a*c", **more, correction={"latex": "", "holds": "", "apart": {"value": "-c"}})
    assert found == "The print takes it for `Var[x]`, which is `c*(a + 1)`; it is `a*c`."
    assert told("other", "a*c", **more) == ""


def test_a_bound_that_holds_up_to_a_remainder_is_said_to_hold_so_and_the_exact_one_stands_beside_it() -> None:
    said: dict[str, Any] = {"quantities": {}, "remainder": "1"}
    assert told("exp(-nu/2)", "exp(-nu)", "lower", said=said).endswith("it holds up to `o(1)`.")
    assert told("2", "1", "lower", said=said) == "The bound `2` is false; what holds is `1 + o(1)`."
    last = " Exactly, and for every T >= 2, the bound is `log(T)`."
    assert told("2", "1", "lower", said=said, symbolic={"attained": "log(T)"}).endswith(last)


def test_of_long_coefficients_one_is_told() -> None:
    """The derivative of Lemma 2: two exponentials, each with a wrong polynomial."""
    found = told(
        "(4*theta**2 - theta + 5/3)*exp(-xi**2) - (4*theta**2 - theta + 5/3 - 1/eta)*exp(-(xi - 1/eta)**2)",
        "(2*theta + 7/6)*exp(-xi**2) - (2*theta + 7/6 + 4*theta/(xi*eta))*exp(-(xi - 1/eta)**2)",
    )
    assert "oefficient of `exp(-xi**2)` should be" in found and found.endswith("the other terms differ too.")


def test_where_a_condition_is_wrong_on_its_boundary_alone_is_said() -> None:
    only = {"boundaries": {"value": ["a = 0", "b = 0"]}}
    assert told("iff a > 0", "iff a >= 0", symbolic=only).endswith(" The print fails only where `a = 0` or `b = 0`.")
    assert "only" not in told("iff a > 0", "iff a >= 0", "other", symbolic=only)


def test_of_a_statement_that_is_no_print_none_is_spoken_of() -> None:
    series = ("sum(x**k, k, 1, oo)", "1/(1 - x)")
    texts = [slip.sentences(claim({"value": series[0]}, fidelity=of), claim({"value": series[1]})) for of in FROM]
    assert ["printed" in text for (text,) in texts] == [True, False]
    assert texts[0][0].replace("the printed one", "the stated one") == texts[1][0]


def test_a_narrower_print_says_where_it_holds() -> None:
    said = {"limit": "d -> oo", "hypotheses": "u in R^d"}
    narrow = claim({"upper": "2"}, correction={"latex": "x", "where": "l > 0, norm(u) <= l"}, said=said)
    assert slip.sentences(narrow, None) == [
        "A hypothesis is missing: it holds where l > 0, norm(u) <= l, for a constant l."
    ]


def test_of_several_quantities_each_is_named() -> None:
    found = slip.sentences(claim({"mean": "a*c", "spread": "2*b"}), claim({"mean": "b*c", "spread": "b"}))
    assert found == ["mean: `a` stands where `b` should.", "spread: the factor `2` should not be there."]


def test_of_made_up_pairs_nothing_false_is_said() -> None:
    """The algebra that each sentence about a factor or a term stands for."""
    draw, seen = random.Random(6), 0
    pieces = ["b", "lam", "T", "(T + 1)", "sqrt(d)", "exp(-x)", "2", "3", "tr1", "theta", "log(T)"]
    for _ in range(120):
        terms = ["*".join(draw.sample(pieces, draw.choice([1, 2, 3]))) for _ in range(draw.choice([1, 2, 3]))]
        changed = terms.copy()
        place = draw.randrange(len(terms))
        changed[place] += draw.choice(["*lam", "/T", f" + {draw.choice(pieces)}*y"])
        one, two = (parse(" + ".join(side)) for side in (terms, changed))
        found = told(str(one), str(two), correction={"latex": "", "holds": "", "sympy": None})
        parts = [parse(part) for part in re.findall(r"`([^`]*)`", found)]
        expected = {
            "A factor  is missing.": lambda one=one, parts=parts: one * parts[0],
            "The factor  should not be there.": lambda one=one, parts=parts: one / parts[0],
            "The term  is missing.": lambda one=one, parts=parts: one + parts[0],
            "The term  should not be there.": lambda one=one, parts=parts: one - parts[0],
        }.get(re.sub(r"`[^`]*`", "", found))
        if expected:
            seen += 1
            assert sp.expand(expected() - two) == 0, (str(one), str(two), found)
    assert seen > 40


def test_formulas_that_cannot_be_read_are_written_beside_each_other() -> None:
    assert names.less("é" * 3000, "1") == "é" * 3000 + " - (1)"
