"""Claims of the catalogue as propositions: words and definitions put in, relations, limits and error terms."""

from __future__ import annotations

from dataclasses import replace

import pytest

from theorems.claims.catalogue import CatalogueError, Paper, Said, Statement, _claim
from theorems.kernel.catalogued import left_side, said, said_texts
from theorems.statement import StatementError
from theorems.statement.reading.words import word_text

STATED = Statement(
    id="p.sec1.thing",
    where="",
    kind="identity",
    statement="",
    reading="",
    quantity="",
    symbols=("i", "tr1"),
    printed={"mean": "i*tr1"},
    paper=Paper("p", "", "", ""),
    positions=("i", "T"),
    says=Said({"mean": "E[x[i].T*W*x[T]]"}, "W symmetric"),
)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("tr1", "tr(W*Sigma)"),
        ("tr3", "tr(W*Sigma*W*Sigma*W*Sigma)"),
        ("tr_W_Wt", "tr(W*Sigma*W.T*Sigma)"),
        ("tr_I", "tr(Sigma)"),
        ("tr_I_I", "tr(Sigma*Sigma)"),
        ("am", "(a.T*m)"),
        ("aSb", "(a.T*Sigma*b)"),
        ("aWSWm", "(a.T*W*Sigma*W*m)"),
        ("mWtSm", "(m.T*W.T*Sigma*m)"),
        ("lam", None),
        ("i", None),
        ("trace", None),
    ],
)
def test_words_by_what_they_stand_for(name: str, text: str | None) -> None:
    assert word_text(name) == text


def test_relations_limits_and_error_terms() -> None:
    assert said_texts(STATED, "mean")[0] == "E[x[i].T*W*x[T]] = i*tr(W*Sigma)"
    asymptotic = replace(STATED, regime={"i": "theta*T"}, remainder="1", printed={"mean": "theta*tr1"})
    assert said_texts(asymptotic, "mean")[0] == "E[x[i].T*W*x[T]] -> theta*tr(W*Sigma)"
    assert said_texts(asymptotic, "mean")[4] == "T -> oo, i/T -> theta"
    assert said(asymptotic, "mean").limit.regime[0][0] == "i"
    grown = replace(STATED, remainder="T**2")
    assert said_texts(grown, "mean")[0] == "E[x[i].T*W*x[T]] = i*tr(W*Sigma) + o(T**2)"
    bound = replace(STATED, relation="<=", printed={"upper": "i*tr1"}, says=Said({"upper": "E[x[i].T*W*x[T]]"}))
    assert said(bound, "upper").relation == "<="
    lower = replace(bound, printed={"lower": "i*tr1"}, says=Said({"lower": "E[x[i].T*W*x[T]]"}))
    assert said(lower, "lower").relation == ">="


def test_definitions_and_other_quantities_are_put_in() -> None:
    made = replace(
        STATED,
        definitions={"scale": "tr1/lam"},
        printed={"mean": "i*scale*lam", "twice": "2*mean"},
        says=Said({"mean": "E[x[i].T*W*x[T]]", "twice": "E[2*x[i].T*W*x[T]]"}, "W symmetric, lam > 0"),
    )
    assert said_texts(made, "mean")[0] == "E[x[i].T*W*x[T]] = i*(tr(W*Sigma)/lam)*lam"
    assert said_texts(made, "twice")[0] == "E[2*x[i].T*W*x[T]] = 2*(E[x[i].T*W*x[T]])"
    # of the quantity alone, lam is no name
    assert made.says is not None and left_side(made.says, "mean").known.texts == ("W symmetric",)


@pytest.mark.parametrize(
    ("hypotheses", "kept"),
    [
        ("i <= T, lam > 0", "i <= T"),
        ("i <= T, j <= T, i != j", "i <= T"),
        # j <= 3 says that i is 3 at most, and i is not 1 where j is
        ("i <= j, j <= 3", "i <= j, j <= 3"),
        ("i != j, j <= 1", "i != j, j <= 1"),
        ("i <= T, j <= T - 5", "i <= T, j <= T - 5"),
        ("lam <= mu, mu <= j, j <= 3", ""),
        ("i <= j, lam <= mu, mu <= j", "i <= j, lam <= mu, mu <= j"),
    ],
)
def test_a_hypothesis_of_another_quantity_is_left_out_where_it_says_nothing_of_this_one(
    hypotheses: str, kept: str
) -> None:
    both = {"one": "E[norm(x[i])**2]", "other": "E[lam*mu*x[i].T*x[j]]"}
    made = replace(STATED, printed={"one": "i*tr_I", "other": "lam*mu*i*tr_I"}, says=Said(both, hypotheses))
    assert said_texts(made, "one")[1] == kept
    assert said_texts(made, "other")[1] == hypotheses


def test_what_is_no_proposition_is_told() -> None:
    with pytest.raises(StatementError, match="stands in words alone"):
        said(replace(STATED, says=None), "mean")
    with pytest.raises(StatementError, match="lacks other"):
        said(STATED, "other")


@pytest.mark.parametrize(
    ("says", "part"),
    [
        ({"quantities": {}}, "has no quantities"),
        ({"quantities": {"mean": 3}}, "expected text"),
        ({"quantity": "E[x]"}, "says.quantity is unknown"),
        ("E[x]", r"expected a table \[claim.says\]"),
    ],
)
def test_a_table_that_cannot_be_used(says: object, part: str) -> None:
    with pytest.raises(CatalogueError, match=part):
        _claim({"id": "p.x", "says": says}, Paper("p", "", "", ""))


def test_a_clause_is_read_as_it_is_printed() -> None:
    assert STATED.says is not None
    says = replace(STATED.says, quantities={"mean": "E[x[i].T*W*x[j]] > 0"})
    clause = replace(STATED, says=says, relation="when", printed={"mean": "iff tr1 > 0 & tr1 != 0"})
    prop = said(clause, "mean")
    assert prop.relation == "iff"
    assert str(prop.right) == "tr(W*Sigma) > 0 and tr(W*Sigma) != 0"
