"""Names with two meanings, indices that are none, and limits that the hypotheses exclude: none of them is judged.

Each was ``verified``, ``refuted`` or a ``conflict`` by what one side, or a reader, took another name for.
"""

from __future__ import annotations

from fractions import Fraction

import pytest

from proofs_check.api import check
from theorems.statement.cases import free_names
from theorems.statement.expression import StatementError
from theorems.statement.proposition import proposition
from theorems.statement.ranges import Range

#: Statement, hypotheses, definitions, law, limit, and the words of the error.
REFUSED: dict[str, tuple[str, str, str, str, str, str]] = {
    "the index of a sum is defined": (
        "E[sum(x[j].T*W*x[j], j, 1, T)] = T*tr(W*Sigma)",
        "",
        "j = 1",
        "walk",
        "",
        "j cannot be the index",
    ),
    "so is that of a derivative": ("diff(u**2, u) = 0", "", "u = 1", "walk", "", "u is no parameter"),
    "so is that of a definition": ("E[s[5]] = tr(W*Sigma)", "", "k = 1; s[k] = x[k].T*W*x[k]", "walk", "", "k cannot"),
    "the letter of every entry is bounded": (
        "max(s) <= B",
        "s in R^n, abs(s[j]) <= B, j = 1",
        "",
        "walk",
        "",
        "j stands for every entry",
    ),
    "it is another one than an index": (
        "s[k] <= B",
        "s in R^n, abs(s[j]) <= B, j != k",
        "",
        "walk",
        "",
        "j stands for",
    ),
    "it is an index of the statement": (
        "max(s) - s[j] <= 2*B",
        "s in R^n, abs(s[j]) <= B",
        "",
        "walk",
        "",
        "j stands for every entry",
    ),
    "it orders entries": (
        "max(s) <= 1",
        "s in R^n, s[j] + s[k] <= 2, j < k",
        "",
        "walk",
        "",
        "j stands for every entry",
    ),
    "vectors are compared": ("a.T*b >= 0", "a in R^d, b in R^d, a >= 0, b >= 0", "", "walk", "", "say it of entries"),
    "a sequence is": ("min(s) >= 0", "s in R^n, s >= 0", "", "walk", "", "say it of entries"),
    "it is defined": ("max(s) <= u", "s in R^n, abs(s[j]) <= u", "j = 1", "walk", "", "j is defined"),
    "it says which entries": ("s[1] >= 0", "s in R^n, s[j] >= 0, j >= 2", "", "walk", "", "j stands for every entry"),
    "a matrix has several norms": (
        "norm(W) <= norm(W, 2)",
        "",
        "",
        "walk",
        "",
        "W is a matrix, which has several norms; write norm",
    ),
    "a number has the name of a coefficient": (
        "g[0] = g0",
        "g entire with coefficients >= 0, g0 real",
        "",
        "walk",
        "",
        "cases call g",
    ),
    "so has the index of a sum": (
        "E[norm(x[1])**2]*0 + sum(g0*g[0], g0, 1, 3) + g[0] = 14 + g[0]",
        "Sigma = I, g entire with coefficients >= 0",
        "",
        "iid(isotropic)",
        "",
        "and no index",
    ),
    "so has a position": (
        "E[x[g0].T*x[g0]] = g[0]*tr(Sigma)",
        "g entire with coefficients >= 0",
        "",
        "walk",
        "",
        "and no index",
    ),
    "a function is a power series": (
        "E[exp(x[1].T*u)] = exp(norm(u)**2/2)",
        "u in R^d, Sigma = I, exp entire with coefficients >= 0",
        "",
        "iid",
        "",
        "exp is no name of a power series",
    ),
    "a vector is a power series": (
        "E[g(x[1].T*g)] >= g[0]",
        "g in R^d, Sigma = I, g entire with coefficients >= 0",
        "",
        "iid",
        "",
        "g is no name of a power series",
    ),
    "a length of tokens is a number": (
        "E[norm(x[1])**4] = d**2",
        "Sigma = I, length1 = 1, length2 = 1",
        "",
        "iid(isotropic)",
        "",
        "a length of a token",
    ),
    "its coefficients are lengths of tokens": (
        "E[length(x[1].T*u)] >= length[0]",
        "u in R^d, Sigma = I, length entire with coefficients >= 0",
        "",
        "iid(isotropic)",
        "",
        "length is no name of a power series",
    ),
    "a hypothesis speaks of an index": (
        "E[sum(x[i].T*W*x[i], i, 1, T)] = T*(T + 1)/2*tr(W*Sigma)",
        "i <= 3, i <= T",
        "",
        "walk",
        "",
        "i, which is an index here",
    ),
    "two indices of one name": ("E[s[1, 2]] = tr(Sigma)", "", "s[k, k] = x[k].T*x[k]", "walk", "", "k cannot be"),
    "a vector is defined": ("E[a.T*x[1]] = tr(Sigma)", "a in R^d", "a = x[1]", "walk", "", "defined already"),
    "a number is defined": ("E[x[i].T*W*x[i]] = pi*tr(W*Sigma)", "", "pi = i", "walk", "", "defined already"),
    "a function is defined": ("E[x[i].T*W*x[i]] = exp*tr(W*Sigma)", "", "exp = i", "walk", "", "defined already"),
    "the start is defined": ("E[m.T*x[1]] = tr(Sigma)", "", "m = x[1]", "walk(start=m)", "", "defined already"),
    "a hypothesis speaks of a definition": (
        "E[x[i].T*W*x[j]] = 3*tr(W*Sigma)",
        "i <= j",
        "i = 3",
        "walk",
        "",
        "i is defined",
    ),
    "a law speaks of a definition": (
        "E[x[1].T*x[2]] = a*tr(Sigma)",
        "0 < a < 1",
        "a = 1/2",
        "ar1(a)",
        "",
        "a is defined",
    ),
    "a parameter of a law is one of its positions": (
        "E[x[i].T*W*x[j]] = s**(j - i)*tr(W*Sigma)",
        "i <= j, 0 < s < 1",
        "",
        "ar1(s)",
        "",
        "call the parameter otherwise",
    ),
    "a real end of a sum": (
        "E[sum(k, k, 1, a)*x[1].T*x[1]] = a*(a + 1)/2*tr(Sigma)",
        "a real",
        "",
        "walk",
        "",
        "a is said to be real",
    ),
    "a real position": ("E[norm(x[i])**2] = i*tr(Sigma)", "i real", "", "walk", "", "i is said to be real"),
    "a real entry": ("softmax(s)[i] > 0", "s in R^n, i real", "", "walk", "", "i is said to be real"),
    "no integer in between": ("E[lam*norm(x[1])**2] = 7", "lam integer, 0 < lam < 1", "", "walk", "", "no value"),
    "no number but 0": ("E[lam*norm(x[1])**2] = 7", "lam >= 0, lam <= 0, lam != 0", "", "walk", "", "no value"),
    "a length that is bounded": ("E[norm(x[T])**2]/T -> 7", "T <= 10", "", "walk", "T -> oo", "bound it from above"),
    "a position that is bounded": ("E[norm(x[i])**2]/i -> 7", "i <= 5", "", "walk", "i -> oo", "bound it from above"),
    "a dimension that is bounded": ("E[norm(x[1])**2]/d -> 1", "Sigma = I, d <= 3", "", "walk", "d -> oo", "bound it"),
    "a number that is bounded": ("E[norm(x[1])**2]/lam -> 0", "lam < 0", "", "walk", "lam -> oo", "bound it from"),
    "a number away from its limit": ("lam*E[norm(x[1])**2] -> 0", "lam > 2", "", "walk", "lam -> 1", "away from 1"),
    "a number that stays": ("lam*E[norm(x[1])**2] -> 0", "lam = 1", "", "walk", "lam -> 1", "away from 1"),
    "an integer that tends to one": ("lam*E[norm(x[1])**2] -> 0", "lam integer", "", "walk", "lam -> 1", "an integer"),
    "a share that no position has": (
        "E[x[i].T*W*x[T]]/T -> tr(W*Sigma)/2",
        "i <= 5",
        "",
        "walk",
        "T -> oo, i/T -> 1/2",
        "no such share",
    ),
    "a share that its name excludes": (
        "E[x[i].T*W*x[T]]/T -> theta*tr(W*Sigma)",
        "i = T, theta < 1/2",
        "",
        "walk",
        "T -> oo, i/T -> theta",
        "no such share",
    ),
    "shares in another order": (
        "E[x[i].T*W*x[j]]/T -> tr(W*Sigma)/4",
        "i <= j",
        "",
        "walk",
        "T -> oo, i/T -> 1/2, j/T -> 1/4",
        "no such share",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_two_meanings_or_none_is_refused(name: str) -> None:
    text, hypotheses, where, law, limit, words = REFUSED[name]
    with pytest.raises(StatementError, match=words):
        proposition(text, hypotheses, where, law, limit)


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


@pytest.mark.parametrize(
    ("text", "hypotheses"),
    [("E[x[i].T*x[T]]/T -> 0", "i <= 1000000"), ("E[x[i].T*x[T]] = O(1)", "i <= 1000000")],
)
def test_a_position_that_is_bounded_far_out_has_no_share_of_the_length(text: str, hypotheses: str) -> None:
    # a half of T is below the bound at every length that is sampled
    assert check(text, hypotheses, limit="T -> oo", effort="quick").verdict == "verified"
    assert check(text, limit="T -> oo", effort="quick").verdict in ("refuted", "undecided")


@pytest.mark.parametrize("hypotheses", ["2*i <= 1000000", "i*i <= 1000000"])
def test_no_configuration_outside_the_hypotheses_refutes(hypotheses: str) -> None:
    assert check("E[x[i].T*x[T]]/T -> 0", hypotheses, limit="T -> oo", effort="quick").verdict == "undecided"


@pytest.mark.parametrize("limit", ["lam -> oo"])
def test_no_parameter_outside_the_hypotheses_agrees(limit: str) -> None:
    found = check("E[norm(x[1])**2]/lam -> 0", "lam**2 <= 10**12", limit=limit, effort="quick")
    assert found.verdict == "undecided"


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("exp(log(E[x[1].T*W*x[1]])) = tr(W*Sigma)", "W psd"),
        ("sqrt(E[x[1].T*W*x[1]])**2 = tr(W*Sigma)", "W psd"),
        ("E[x[1].T*W*x[1]]**(1/2)*tr(W*Sigma)**(1/2) = tr(W*Sigma)", "W psd"),
    ],
)
def test_a_root_of_a_moment_that_may_be_negative_does_not_exist(text: str, condition: str) -> None:
    found = check(text, effort="quick")
    assert found.verdict == "undecided" and "not shown to be >= 0" in found.reason
    assert check(text, condition, effort="quick").report["symbolic"]["status"] == "proved"


def test_a_root_of_a_variance_exists() -> None:
    text = "sqrt(Var[x[i].T*W*x[i]]) = i*sqrt(tr((W*Sigma)**2) + tr(W*Sigma*W.T*Sigma))"
    assert check(text, effort="quick").report["symbolic"]["status"] == "proved"


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


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("norm(a - b) = 0", "a in R^d, b in R^d, a = b"),
        ("norm(a - b) > 0", "a in R^d, b in R^d, a != b"),
    ],
)
def test_equal_vectors_are_equal_in_every_entry(text: str, known: str) -> None:
    """Of a = b the first entries were compared alone, so that what is true of equal vectors was refuted."""
    assert check(text, known, effort="quick").verdict == "verified"


def test_equal_matrices_are_equal_in_every_entry() -> None:
    known = proposition("tr(W) = 0", "W + W.T = 0").known
    assert [str(one) for _, one, _ in known.relations] == ["norm(W + W.T, fro)"]
