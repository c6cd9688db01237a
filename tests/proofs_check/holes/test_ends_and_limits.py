"""Ends of the ranges of parameters, and limits that are reached slowly: where verdicts were wrong, or lacking."""

from __future__ import annotations

import pytest

from proofs_check.api import check
from theorems.statement.expression import StatementError

SHARE = "T -> oo, i/T -> theta"

FALSE: dict[str, tuple[str, str, str, str]] = {
    "only at theta = 1, which theta < 2 leaves": (
        "E[norm(x[T])**2]/E[norm(x[T] - x[i])**2] -> 1/(1 - theta)",
        "theta < 2, Sigma positive definite, i < T",
        "walk",
        SHARE,
    ),
    "only at theta = 0, which theta > -1 leaves": (
        "E[norm(x[T])**2]/E[norm(x[i])**2] -> 1/theta",
        "theta > -1, Sigma positive definite",
        "walk",
        SHARE,
    ),
    "at the end a = -1": ("E[x[1].T*W*x[T]] -> 0", "-1 <= a < 1", "ar1(a)", "T -> oo"),
    "at the end a = 1": ("E[norm(mean(x))**2] -> 0", "0 <= a <= 1", "ar1(a)", "T -> oo"),
    "a power that grows": ("E[x[1].T*x[T]]*2**T -> 0", "", "ar1(1/2)", "T -> oo"),
    "less by 1, up to o(1)": ("E[norm(x[T])**2] <= T*tr(Sigma) - 1 + o(1)", "Sigma = I", "walk", "T -> oo"),
    "small for i = 1, not for a share": ("E[x[i].T*x[T]] <= o(T)", "", "walk", "T -> oo"),
    "bounded below but for a negative trace": ("E[x[i].T*W*x[T]] >= O(1)", "", "walk", "T -> oo"),
    "too large beside a scale < 0": ("-n <= -n - 1 + o(-1)", "n > 0", "walk", "n -> oo"),
    "as fast as the root of T": ("E[x[1].T*x[T]]/sqrt(T) -> 0", "", "gaussian(sqrt(s*t))", "T -> oo"),
}


@pytest.mark.parametrize(
    ("text", "hypotheses", "verdict"),
    [
        ("E[(x[1].T*u)**4]/norm(u)**4 -> 2", "u in R^d, u != 0, Sigma = I", "refuted"),
        ("E[x[1].T*W*x[1]]/tr(W) -> 1", "W positive definite, Sigma = I", "verified"),
        ("E[norm(A*x[1])**2]/norm(A, fro)**2 -> 1", "A in R^(m x d), A != 0, Sigma = I", "verified"),
    ],
)
def test_vectors_and_matrices_of_a_case_have_the_dimension_that_grows(text: str, hypotheses: str, verdict: str) -> None:
    found = check(text, hypotheses, law="iid(sphere)", limit="d -> oo", effort="quick")
    assert found.verdict == verdict, found


@pytest.mark.parametrize("name", FALSE)
def test_what_fails_at_an_end_is_not_proved(name: str) -> None:
    text, hypotheses, law, limit = FALSE[name]
    verdict = check(text, hypotheses, law=law, limit=limit, effort="quick")
    assert verdict.verdict in ("refuted", "undecided"), verdict
    assert verdict.report["symbolic"]["status"] != "proved"


TRUE: dict[str, tuple[str, str, str, str, int]] = {
    "room that grows, up to o(1)": ("E[norm(x[T])**2] <= 2*T*tr(Sigma) + o(1)", "", "walk", "T -> oo", 0),
    "room that is a share": ("E[norm(x[T])**2] >= T*tr(Sigma)/2 + o(T)", "", "walk", "T -> oo", 0),
    "bounded below though it grows": ("E[x[i].T*x[T]] >= O(1)", "", "walk", "T -> oo", 0),
    "equal up to o(T)": ("E[sum(x[j].T*x[j], j, 1, T)] >= T**2*tr(Sigma)/2 + o(T)", "", "walk", "T -> oo", 0),
    "room without tokens": ("sqrt(n**2 + n) <= n + 1 + o(1)", "n > 0", "walk", "n -> oo", 0),
    "less without bound": ("-n**2 <= O(1)", "n > 0", "walk", "n -> oo", 0),
    "a parameter beside what is averaged": (
        "lam/(1 + lam)*E[norm(x[1])**2] <= 2*d + o(1)",
        "lam > 0, Sigma = I",
        "walk",
        "lam -> oo",
        0,
    ),
    "a root of T": ("sqrt(E[norm(x[1])**2]/E[norm(x[T])**2]) -> 0", "", "walk", "T -> oo", 0),
    "a covariance with a root": ("E[x[1].T*x[T]]/T -> 0", "", "gaussian(sqrt(s*t))", "T -> oo", 0),
    "powers of a that last beyond the lengths": (
        "T*E[norm(mean(x))**2] -> tr(Sigma)*(1 + a)/(1 - a)",
        "0 < a < 1",
        "ar1(a)",
        "T -> oo",
        3,
    ),
    "powers of a negative number": ("E[x[1].T*W*x[T]] -> 0", "-1 < a < 1", "ar1(a)", "T -> oo", 0),
    "powers of a given number": (
        "E[norm(mean(x))**2] = 3*tr(Sigma)/T - 4*tr(Sigma)/T**2 + o(1/T**5)",
        "",
        "ar1(1/2)",
        "T -> oo",
        0,
    ),
    "an inequality that is one at i = j": ("E[x[i].T*x[j]] <= i*tr(Sigma)", "", "walk", "", 0),
    "a form that is not negative": (
        "Corr[x[i].T*a, x[j].T*a] = sqrt(i/j)",
        "i <= j, a in R^d",
        "walk",
        "",
        0,
    ),
}


@pytest.mark.parametrize("name", TRUE)
def test_a_true_statement_near_them_is_verified(name: str) -> None:
    text, hypotheses, law, limit, seed = TRUE[name]
    verdict = check(text, hypotheses, law=law, limit=limit, effort="quick", seed=seed)
    assert verdict.verdict == "verified", verdict


def test_a_bound_that_is_reached_late_is_no_conflict() -> None:
    """T E|mean|^2 grows up to T = 1/(1 - a) and beyond: no length here shows that it stays bounded."""
    verdict = check("T*E[norm(mean(x))**2] = O(1)", law="ar1(99/100)", limit="T -> oo", effort="quick")
    assert verdict.verdict in ("verified", "undecided"), verdict


def test_a_limit_that_is_off_is_told_with_its_size() -> None:
    found = check(
        "E[norm(mean(x))**2] = 3*tr(Sigma)/T - 5*tr(Sigma)/T**2 + o(1/T**2)",
        law="ar1(1/2)",
        limit="T -> oo",
        effort="quick",
    )
    assert found.verdict == "refuted" and found.counterexample is not None
    assert found.counterexample["true"] == "1"


def test_hypotheses_that_leave_no_share_are_refused() -> None:
    with pytest.raises(StatementError, match="leave no value for theta"):
        check("E[x[i].T*W*x[T]]/T -> theta*tr(W*Sigma)", "theta > 2", limit=SHARE)


@pytest.mark.parametrize("hypotheses", ["u integer, u real", "u real, u integer", "u integer, u in R"])
def test_an_integer_that_is_real_stays_an_integer(hypotheses: str) -> None:
    assert check("u <= 2", f"{hypotheses}, u > 0, u < 5/2", effort="quick").verdict != "refuted"


def test_hypotheses_that_no_case_meets_are_named_as_the_reason() -> None:
    found = check("E[norm(x[i])**2] = 1", "tr(Sigma) = 1, tr(Sigma) = 2", effort="quick")
    assert found.verdict == "undecided" and "no case was found at which the hypotheses hold" in found.reason


@pytest.mark.parametrize(
    ("text", "hypotheses"),
    [
        ("E[lam*norm(x[i])**2] >= tr(Sigma)", "lam > 0, lam <= i"),
        ("E[lam*norm(x[i])**2] >= i*tr(Sigma)", "lam*i <= 5"),
        ("E[lam*norm(x[i])**2] >= 0", "lam real, lam < i"),
        ("n*u >= u", "n > 0, u > 0"),
    ],
)
def test_a_number_beside_a_position_or_called_n_is_no_integer(text: str, hypotheses: str) -> None:
    assert check(text, hypotheses, effort="quick").verdict == "refuted"


def test_a_root_of_a_number_beside_a_position_need_not_exist() -> None:
    found = check("E[norm(x[i])**2]*sqrt(lam - 1)**2 = (lam - 1)*i*tr(Sigma)", "lam > 0, lam <= i", effort="quick")
    assert found.verdict == "undecided" and "sqrt(lam - 1)" in found.reason


@pytest.mark.parametrize(
    ("text", "hypotheses"),
    [
        ("E[norm(x[i])**2]*exp(log(lam)) = lam*i*tr(Sigma)", "lam real"),
        ("E[norm(x[i])**2]*sqrt(tr(W))**2 = tr(W)*i*tr(Sigma)", ""),
    ],
)
def test_no_case_at_which_a_side_has_no_value_makes_a_conflict(text: str, hypotheses: str) -> None:
    assert check(text, hypotheses, effort="quick").verdict in ("verified", "undecided")


def test_a_position_that_only_orders_others_stays_one() -> None:
    found = check("E[x[i].T*W*x[j]] = k*tr(W*Sigma)", "i <= j, k = i", effort="quick")
    assert found.verdict == "verified"


@pytest.mark.parametrize("hypotheses", ["n >= 2, s in R^n", "s in R^n, n >= 2"])
def test_the_length_of_a_sequence_is_an_integer_wherever_it_is_said(hypotheses: str) -> None:
    assert check("n*n >= 2*n", hypotheses, effort="quick").verdict == "verified"


SIZED: dict[str, tuple[str, str, str, str]] = {
    "the dimension": ("E[norm(x[i])**4]/d**2 -> i**2", "Sigma = I", "walk", "d -> oo"),
    "a position": ("E[norm(x[i])**2]/i -> tr(Sigma)", "", "walk", "i -> oo"),
    "degrees of freedom": ("E[norm(x[i])**2] -> tr(Sigma)", "nu > 8", "iid(student(nu))", "nu -> oo"),
}


@pytest.mark.parametrize("name", SIZED)
def test_what_is_a_size_or_has_a_range_tends_too(name: str) -> None:
    text, hypotheses, law, limit = SIZED[name]
    right = check(text, hypotheses, law=law, limit=limit, effort="quick")
    wrong = check(f"{text} + 1", hypotheses, law=law, limit=limit, effort="quick")
    assert (right.verdict, wrong.verdict) == ("verified", "refuted")


def test_a_reading_says_that_positions_are_at_most_the_length() -> None:
    found = check("E[sum(x[j].T*x[j], j, i + 1, T)] = (T - i)*(T + i + 1)/2*tr(Sigma)", "i <= T + 1", effort="quick")
    assert "i <= T + 1 and i <= T:" in str(found.report["reading"])


UNSEEN: dict[str, tuple[str, str, str, str]] = {
    "beside a scale < 0": (
        "E[cosh(x[1].T*u)] <= 2*exp(norm(u)**2/2) + o(-1/d)",
        "u in R^d, Sigma = I",
        "iid(sphere)",
        "d -> oo",
    ),
    "a sum whose first term is 0": (
        "E[norm(x[1])**2]*sum(k*u**k/factorial(k), k, 0, oo) = d*u*exp(u)",
        "u > 0, Sigma = I",
        "walk",
        "",
    ),
    "a sum whose first term may be 0": (
        "E[norm(x[1])**2]*sum((k + a)*u**k/factorial(k), k, 0, oo) = d*(u + a)*exp(u)",
        "u > 0, a >= 0, Sigma = I",
        "walk",
        "",
    ),
}


@pytest.mark.parametrize("name", UNSEEN)
def test_a_true_statement_whose_first_term_says_nothing_is_not_refuted(name: str) -> None:
    text, hypotheses, law, limit = UNSEEN[name]
    verdict = check(text, hypotheses, law=law, limit=limit, effort="quick")
    assert verdict.verdict in ("verified", "undecided"), verdict
    assert verdict.report["symbolic"]["status"] != "disproved"


@pytest.mark.parametrize(
    ("text", "hypotheses", "law"),
    [
        ("P[x[i].T*u > 0] = 1/2", "u in R^d, u != 0, Sigma = I", "walk(start=m)"),
        ("E[cos(x[1].T*u + x[2].T*u)] >= exp(-norm(u)**2)", "u in R^d, Sigma = I, d >= 2", "frame"),
    ],
)
def test_a_false_statement_of_a_law_that_either_library_draws_breaks_nothing(
    text: str, hypotheses: str, law: str
) -> None:
    assert check(text, hypotheses, law=law, effort="quick").verdict == "refuted"


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("1/log(n) -> 1/100", "refuted"),
        ("1/n -> 1/1000", "refuted"),
        ("log(n) -> 600", "refuted"),
        ("1/log(n) -> 1/1000", "undecided"),
        ("log(n) -> 690", "undecided"),
    ],
)
def test_values_nearer_to_the_print_than_to_the_limit_contradict_nothing(text: str, verdict: str) -> None:
    """At the end of float64 1/log(n) is 1/693, nearer to 1/1000 than to 0."""
    assert check(text, limit="n -> oo", effort="quick").verdict == verdict


def test_a_share_with_a_name_is_brought_to_the_limit() -> None:
    """A tenth of theta**2 too much: values that are there from the start do not come nearer to anything."""
    scores = "s[i] = x[i].T*W*x[T]/T"
    found = check(
        "Var[s[i]]/tr((W*Sigma)**2) -> theta + 11/10*theta**2", "W symmetric", scores, limit=SHARE, effort="quick"
    )
    assert found.verdict == "refuted"
    assert any("brought to the limit" in told for told in found.report["symbolic"]["evidence"])
