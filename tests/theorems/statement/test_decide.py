"""Propositions about moments are decided in every order and along every limit; nothing false is proved."""

from __future__ import annotations

import pytest

from theorems.statement import proposition
from theorems.statement.decide import Derivation, decide

GAMMA = "s[i] = x[i].T*W*x[T]/T - sum(x[j].T*W*x[T], j, 1, T)/T**2"
S = "s[i] = x[i].T*W*x[T]/T"
END = "T -> oo, i/T -> theta"

TRUE = [
    ("E[(x[i].T*W*x[j])**2] = i**2*tr(W*Sigma)**2 + i*(i + j)*tr((W*Sigma)**2)", "W symmetric, i <= j", "", "walk", ""),
    ("E[x[i].T*W*x[j]] = min(i, j)*tr(W*Sigma)", "", "", "walk", ""),
    ("E[norm(x[T] - x[i])**2] = (T - i)*tr(Sigma)", "i <= T", "", "walk", ""),
    ("E[x[s].T*W*x[t]] = a**(t - s)*tr(W*Sigma)", "s <= t, 0 < a < 1", "", "ar1(a)", ""),
    ("E[x[s].T*W*x[t]] = a**abs(t - s)*tr(W*Sigma)", "-1 < a < 1, a != 0", "", "ar1(a)", ""),
    ("E[norm(x[i])**2] = d*i", "Sigma = I", "", "walk", ""),
    ("E[(x[i].T*W*x[i])**2] = 3*i**2*tr(W*Sigma)**2", "d = 1", "", "walk", ""),
    ("Corr[x[i].T*x[i], x[j].T*x[j]] = min(i, j)/max(i, j)", "", "", "walk", ""),
    ("Skew[x[i].T*x[i]] = 2*sqrt(2)*tr(Sigma**3)/tr(Sigma**2)**(3/2)", "", "", "walk", ""),
    ("Kurt[x[i].T*W*x[i]] = 12*tr((W*Sigma)**4)/tr((W*Sigma)**2)**2", "W symmetric", "", "walk", ""),
    ("Var[x[i].T*W*x[j]] >= 0", "i <= j, W symmetric", "", "walk", ""),
    ("E[norm(mean(x))**2] = tr(Sigma)/T", "", "", "iid", ""),
    ("E[x[i].T*W*x[j]] = (i - 1)*tr(W*Sigma) + m.T*W*m", "i <= j", "", "walk(start=m)", ""),
    ("Var[s[i]]/tr((W*Sigma)**2) -> theta + theta**2", "W symmetric", S, "walk", END),
    ("Var[s[i]] -> (2*theta**2 - 2*theta + 7/12)*tr((W*Sigma)**2)", "W symmetric", GAMMA, "walk", END),
    ("E[sum(x[j].T*W*x[T], j, 1, T)] = T**3/(2*T + 7)*tr(W*Sigma) + o(T**2)", "", "", "walk", "T -> oo"),
    ("E[x[i].T*W*x[T]] = O(T)", "i <= T", "", "walk", "T -> oo"),
    ("T*E[norm(mean(x))**2] -> tr(Sigma)*(1 + a)/(1 - a)", "0 < a < 1", "", "ar1(a)", "T -> oo"),
    ("E[x[1].T*W*x[3]] -> tr(W*Sigma)", "0 <= a <= 1", "", "ar1(a)", "a -> 1"),
    ("E[sum(x[j].T*W*x[T], j, 1, T)] ~ T**2*tr(W*Sigma)/2", "", "", "walk", "T -> oo"),
]

FALSE = [
    ("E[(x[i].T*W*x[j])**2] = i**2*tr(W*Sigma)**2 + i*(i + j)*tr((W*Sigma)**2)", "i <= j", "", "walk", ""),
    ("E[x[i].T*W*x[j]] = i*tr(W*Sigma)", "", "", "walk", ""),
    ("E[x[i].T*W*x[j]] = i*tr(W*Sigma)*401/400", "i <= j", "", "walk", ""),
    ("E[x[i].T*W*x[j]] = i*tr(W*Sigma) + (d - 1)*(d - 2)*(d - 3)*tr(W*Sigma)", "i <= j", "", "walk", ""),
    ("E[x[i].T*W*x[j]] = i*tr(W*Sigma)", "i <= j", "", "walk(start=0)", ""),
    ("Var[x[i].T*W*x[j]] = i**2*tr(W*Sigma)**2 + i*(i + j)*tr((W*Sigma)**2)", "W symmetric, i <= j", "", "walk", ""),
    ("E[norm(x[i])**2] = d*i", "", "", "walk", ""),
    ("E[(x[i].T*W*x[i])**2] = 3*i**2*tr(W*Sigma)**2", "", "", "walk", ""),
    ("E[x[i].T*W*x[T]] = o(T)", "i <= T", "", "walk", "T -> oo"),
    ("E[sum(x[j].T*W*x[i], j, 1, T)] = i*T*tr(W*Sigma) + o(T**2)", "i <= T", "", "walk", "T -> oo"),
    ("E[sum(x[j].T*W*x[i], j, 1, T)] = i*T*tr(W*Sigma) + o(T**2)", "i <= T", "", "walk", END),
    ("Var[s[i]] -> (2*theta**2 + 7/12)*tr((W*Sigma)**2)", "W symmetric", GAMMA, "walk", END),
    ("Var[s[i]] -> (2*theta**2 - 2*theta + 7/12)*tr((W*Sigma)**2)", "", GAMMA, "walk", END),
    ("Var[s[i]] = (theta + theta**2)*tr((W*Sigma)**2) + o(1/T)", "", S, "walk", END),
    ("E[norm(x[i])**2] -> tr(Sigma)", "", "", "walk", "T -> oo"),
    ("Var[x[i].T*W*x[j]] <= i*j*tr((W*Sigma)**2)", "i <= j, W symmetric", "", "walk", ""),
    ("E[x[s].T*W*x[t]] = a**(t - s)*tr(W*Sigma)", "0 < a < 1", "", "ar1(a)", ""),
    ("E[norm(mean(x))**2] = tr(Sigma)/T", "", "", "ar1(1/2)", ""),
]


@pytest.mark.parametrize(("text", "hypotheses", "where", "law", "limit"), TRUE)
def test_a_true_statement_is_proved(text: str, hypotheses: str, where: str, law: str, limit: str) -> None:
    prop = proposition(text, hypotheses, where, law, limit)
    found = decide(prop, Derivation(prop))
    assert found.status == "proved", (found.reason, found.failing)


@pytest.mark.parametrize(("text", "hypotheses", "where", "law", "limit"), FALSE)
def test_a_false_statement_is_open_in_some_order(text: str, hypotheses: str, where: str, law: str, limit: str) -> None:
    prop = proposition(text, hypotheses, where, law, limit)
    found = decide(prop, Derivation(prop))
    assert found.status == "open"
    assert found.failing


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("sqrt(E[norm(x[T])**2]**2 + T*tr(Sigma)) - E[norm(x[T])**2] -> 0", "T -> oo"),
        ("1/(sqrt(T**2 + T) - T) -> 0", "T -> oo"),
        ("E[log(norm(x[T]))] -> 0", "T -> oo"),
    ],
)
def test_a_limit_that_cannot_be_read_off_is_undecided_and_not_proved(text: str, limit: str) -> None:
    prop = proposition(text if "x[" in text else f"{text.replace(' ->', ' + 0*E[norm(x[T])**2] ->')}", limit=limit)
    assert decide(prop, Derivation(prop)).status == "undecided"


SHARES = [
    # at i = 1 the share is 0 and the quotient T; at i = 1, j = 2 the second one is 1/2
    ("E[norm(x[T])**2]/E[norm(x[i])**2] = O(1)", END),
    ("E[norm(x[T])**2]/E[norm(x[i])**2] -> 1/theta", END),
    ("E[norm(x[T])**2]/E[norm(x[i])**2] = O(1)", "T -> oo, i/T -> 0"),
    ("E[norm(x[i])**2]/E[norm(x[j])**2] -> 1", "T -> oo, i/T -> theta, j/T -> theta"),
    ("Corr[x[i].T*x[i], x[j].T*x[j]] = O(1)", "T -> oo, i/T -> theta, j/T -> theta"),
    ("sqrt(T/i)*E[norm(x[i])**2]/i = O(1)", END),
]


@pytest.mark.parametrize(("text", "limit"), SHARES)
def test_a_share_of_the_length_may_tend_to_0_below_a_line(text: str, limit: str) -> None:
    prop = proposition(text, limit=limit)
    assert decide(prop, Derivation(prop)).status == "undecided"
    if "theta" in limit:
        prop = proposition(text, "theta > 0", limit=limit)
        assert decide(prop, Derivation(prop)).status == "proved"


#: Without the last hypothesis one side divides by 0, or is the root or the logarithm of what is no positive number.
PARTIAL = [
    ("E[sum(x[1].T*W*x[j], j, 1, T)] = (1 - a**T)/(1 - a)*tr(W*Sigma)", "0 <= a <= 1", "a < 1", "ar1(a)", ""),
    ("E[x[s].T*W*x[t]] = a**t/a**s*tr(W*Sigma)", "0 <= a < 1, s <= t", "a > 0", "ar1(a)", ""),
    ("E[x[i].T*W*x[i]/lam] = i/lam*tr(W*Sigma)", "lam real", "lam != 0", "walk", ""),
    ("E[x[i].T*W*x[i]] = i*lam/lam*tr(W*Sigma)", "lam real", "lam != 0", "walk", ""),
    ("E[x[i].T*W*x[i]]/(i - 5) = i/(i - 5)*tr(W*Sigma)", "", "i <= 4", "walk", ""),
    ("E[x[i].T*W*x[i]]/(T - i) = i/(T - i)*tr(W*Sigma)", "i <= T", "i < T", "walk", ""),
    ("E[x[i].T*W*x[i]]*sqrt(lam) = i*sqrt(lam)*tr(W*Sigma)", "lam real", "lam >= 0", "walk", ""),
    ("E[x[i].T*W*x[i]]*log(lam) = i*log(lam)*tr(W*Sigma)", "lam >= 0", "lam > 0", "walk", ""),
    ("E[x[i].T*W*x[T]]/T -> theta**2/theta*tr(W*Sigma)", "", "theta > 0", "walk", END),
]


@pytest.mark.parametrize(("text", "hypotheses", "last", "law", "limit"), PARTIAL)
def test_what_is_true_where_it_has_a_value_is_not_proved(
    text: str, hypotheses: str, last: str, law: str, limit: str
) -> None:
    prop = proposition(text, hypotheses, "", law, limit)
    found = decide(prop, Derivation(prop))
    assert found.status == "undecided" and "to have a value" in found.reason
    prop = proposition(text, f"{hypotheses}, {last}".strip(", "), "", law, limit)
    assert decide(prop, Derivation(prop)).status == "proved"


@pytest.mark.parametrize("relation", ["<=", "<", "=", ">="])
def test_a_correlation_with_a_constant_is_undecided(relation: str) -> None:
    # (x^T x)^2 = Sigma^2 in one dimension
    prop = proposition(f"Corr[x[i].T*x[i], x[j].T*x[j]] {relation} 1", "d = 1, i < j", law="iid(sphere)")
    found = decide(prop, Derivation(prop))
    assert found.status == "undecided" and "has no value" in found.reason


def test_what_has_no_value_somewhere_is_still_open_to_refutation() -> None:
    prop = proposition("E[x[i].T*W*x[i]]/lam = 2*i/lam*tr(W*Sigma)", "lam real")
    assert decide(prop, Derivation(prop)).status == "open"


def test_a_limit_that_no_order_reaches_proves_nothing() -> None:
    prop = proposition("E[norm(x[T])**2] -> 17", "2*T = 10", limit="T -> oo")
    assert decide(prop, Derivation(prop)).status == "open"


def test_another_hypothesis_changes_what_is_proved() -> None:
    text = "E[x[i].T*W*x[j]*x[i].T*W*x[j]] = E[x[j].T*W*x[i]*x[i].T*W*x[j]]"
    for hypotheses, status in (("W symmetric", "proved"), ("", "open")):
        prop = proposition(text, hypotheses)
        assert decide(prop, Derivation(prop)).status == status


@pytest.mark.parametrize(
    ("right", "known", "status"),
    [
        ("log(i) + log(tr(Sigma))", "Sigma positive definite", "proved"),
        ("2*log(tr(Sigma)) - log(tr(Sigma)/i)", "Sigma positive definite", "proved"),
        ("log(i) + 2*log(tr(Sigma))", "Sigma positive definite", "open"),
        ("log(i)*log(tr(Sigma))", "Sigma positive definite", "open"),
        # Sigma = 0 has no logarithm
        ("log(i) + log(tr(Sigma))", "", "open"),
    ],
)
def test_logarithms_of_moments_are_joined_where_they_are_positive(right: str, known: str, status: str) -> None:
    prop = proposition(f"log(E[norm(x[i])**2]) = {right}", known)
    assert decide(prop, Derivation(prop)).status == status


def test_logarithms_of_what_may_be_negative_are_not_joined() -> None:
    """log(a b) has a value for a, b < 0, where log a has none."""
    prop = proposition("log(E[x[i].T*W*x[i]]**2) = 2*log(E[x[i].T*W*x[i]])")
    assert decide(prop, Derivation(prop)).status == "open"
