"""Names with two meanings, indices that are none, and limits that the hypotheses exclude: none of them is judged.

Each was ``verified``, ``refuted`` or a ``conflict`` by what one side, or a reader, took another name for.
"""

from __future__ import annotations

from fractions import Fraction

import pytest

from proofs_check.api import check
from theorems.statement.proposition import proposition
from theorems.statement.reading.ranges import Range
from theorems.statement.values.cases import free_names

#: Their neighbours, which have one meaning.
READ: tuple[tuple[str, str, str, str, str], ...] = (
    ("E[sum(x[j].T*W*x[j], j, 1, T)] = T*(T + 1)/2*tr(W*Sigma)", "", "k = 1", "walk", ""),
    ("E[s[5]] = 5*tr(W*Sigma)", "", "s[k] = x[k].T*W*x[k]; k = 1", "walk", ""),
    ("E[sum(k, k, 1, i)*norm(x[i])**2] = i**2*(i + 1)/2*tr(Sigma)", "i >= 2", "", "walk", ""),
    ("E[lam*norm(x[1])**2] = lam*tr(Sigma)", "lam integer, 0 < lam < 2", "", "walk", ""),
    ("E[norm(x[T])**2]/T -> tr(Sigma)", "T >= 10", "", "walk", "T -> oo"),
    ("lam*E[norm(x[1])**2] -> tr(Sigma)", "lam > 1", "", "walk", "lam -> 1"),
    ("E[x[i].T*W*x[T]]/T -> 0", "i <= 5", "", "walk", "T -> oo, i/T -> theta"),
    ("E[x[i].T*W*x[j]]/T -> tr(W*Sigma)/4", "j <= i", "", "walk", "T -> oo, i/T -> 1/2, j/T -> 1/4"),
)


@pytest.mark.parametrize("given", READ, ids=lambda given: str(given[0]))
def test_its_neighbour_is_read(given: tuple[str, str, str, str, str]) -> None:
    assert proposition(*given).left is not None


@pytest.mark.parametrize(
    ("values", "empty"),
    [
        (Range(Fraction(0), Fraction(1), True, True, integer=True), True),
        (Range(Fraction(0), Fraction(1), True, integer=True), False),
        (Range(Fraction(1, 3), Fraction(2, 3), integer=True), True),
        (Range(Fraction(1, 3), Fraction(2, 3)), False),
        (Range(Fraction(0), Fraction(0), nonzero=True), True),
        (Range(Fraction(-1, 2), Fraction(1, 2), nonzero=True, integer=True), True),
        (Range(Fraction(0), Fraction(0)), False),
    ],
)
def test_a_range_without_a_value_is_empty(values: Range, empty: bool) -> None:
    assert values.empty is empty


def test_what_is_said_of_every_entry_has_an_index_of_its_own() -> None:
    """p[j] >= 0 is said of every j, also beside a sum over j."""
    prop = proposition("sum(p[j], j, 1, n) >= 0", "p in R^n, p[j] >= 0")
    assert "j" not in free_names(prop)


@pytest.mark.parametrize("size", ["n", "T"])
def test_the_last_entry_is_one_entry(size: str) -> None:
    """abs(s[n]) <= B bounds the last entry alone; max(s) <= B was verified of it."""
    found = check("max(s) <= B", f"s in R^{size}, abs(s[{size}]) <= B", effort="quick")
    assert found.verdict == "refuted" and found.counterexample is not None
    assert found.counterexample["params"]["s"] == ["1", "0"]


def test_equal_matrices_are_equal_in_every_entry() -> None:
    known = proposition("tr(W) = 0", "W + W.T = 0").known
    assert [str(one) for _, one, _ in known.relations] == ["norm(W + W.T, fro)"]
