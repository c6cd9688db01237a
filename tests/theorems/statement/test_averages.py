"""Means over the entries of sequences: by fixed weights, by softmax, by 1/n; next to what is true, what is false."""

from __future__ import annotations

import pytest

from theorems.statement.proofs import proved
from theorems.statement.proofs.averages import weights
from theorems.statement.proposition import proposition

S = "s in R^n"
P = "p in R^n, t in R^n, p[j] >= 0, sum(p[j], j, 1, n) = 1"
SOFT = "s in R^n, t in R^n"
PROVED = [
    ("log(sum(exp(s[i]), i, 1, n)) >= mean(s) + log(n)", S),
    ("log(sum(exp(s[i]), i, 1, n)) >= mean(s)", S),
    ("log(sum(exp(s[i]), i, 1, n)) >= max(s)", S),
    ("sum(exp(s[i]), i, 1, n) >= n*exp(mean(s))", S),
    ("sum(p[j]*t[j], j, 1, n) <= max(t)", P),
    ("sum(p[j]*t[j], j, 1, n) >= min(t)", P),
    ("sum(p[j]*t[j], j, 1, n)**2 <= sum(p[j]*t[j]**2, j, 1, n)", P),
    ("exp(sum(p[j]*t[j], j, 1, n)) <= sum(p[j]*exp(t[j]), j, 1, n)", P),
    ("sum(p[j]*cosh(t[j]), j, 1, n) >= 1", P),
    ("sum(softmax(s)[j]*exp(t[j]), j, 1, n) >= exp(sum(softmax(s)[j]*t[j], j, 1, n))", SOFT),
]
NOT_PROVED = [
    ("log(sum(exp(s[i]), i, 1, n)) >= mean(s) + 1003*log(n)/1000", S),
    ("log(sum(exp(s[i]), i, 1, n)) > mean(s) + log(n)", S),
    ("log(sum(exp(s[i]), i, 1, n)) <= mean(s) + log(n)", S),
    ("log(sum(exp(s[i]), i, 1, n)) >= max(s) + log(n)", S),
    ("sum(s[j], j, 1, n) >= max(s)", S),
    ("sum(p[j]*t[j], j, 1, n) < max(t)", P),
    ("sum(p[j]*t[j], j, 1, n) <= min(t)", P),
    ("sum(p[j]*t[j]**2, j, 1, n) <= sum(p[j]*t[j], j, 1, n)**2", P),
    ("sum(p[j]*t[j], j, 1, n)**3 <= sum(p[j]*t[j]**3, j, 1, n)", P),
    ("exp(sum(p[j]*t[j], j, 1, n)) <= 997*sum(p[j]*exp(t[j]), j, 1, n)/1000", P),
    ("-exp(sum(p[j]*t[j], j, 1, n)) <= -sum(p[j]*exp(t[j]), j, 1, n)", P),
    # every hypothesis is needed
    ("sum(p[j]*t[j], j, 1, n) <= max(t)", P.replace("p[j] >= 0, ", "")),
    ("sum(p[j]*t[j], j, 1, n) <= max(t)", P.replace(", sum(p[j], j, 1, n) = 1", "")),
    ("exp(sum(p[j]*t[j], j, 1, n)) <= sum(p[j]*exp(t[j]), j, 1, n)", P.replace("= 1", "= 2")),
    ("exp(sum(p[j]*t[j], j, 1, n)) <= sum(p[j]*exp(t[j]), j, 1, n)", P.replace("p[j] >= 0, ", "p[1] >= 0, ")),
]


@pytest.mark.parametrize(("text", "hypotheses"), PROVED)
def test_proved(text: str, hypotheses: str) -> None:
    assert proved(proposition(text, hypotheses)) is not None


@pytest.mark.parametrize(("text", "hypotheses"), NOT_PROVED)
def test_what_is_false_is_not_proved(text: str, hypotheses: str) -> None:
    assert proved(proposition(text, hypotheses)) is None


def test_weights_are_of_all_entries() -> None:
    assert weights(proposition("sum(p[j]*t[j], j, 1, n) <= max(t)", P)) == {"p"}
    for other in (P.replace("= 1", "= 1/2"), P.replace("p[j] >= 0", "p[1] >= 0"), P.replace("p[j] >= 0", "p[j] >= -1")):
        assert not weights(proposition("sum(p[j]*t[j], j, 1, n) <= max(t)", other))


def test_weights_may_be_what_is_averaged() -> None:
    text = "sum(p[j]*p[j]*p[j], j, 1, n) >= sum(p[j]*p[j], j, 1, n)**2"
    assert proved(proposition(text, P.replace("t in R^n, ", ""))) is not None


WEIGHTS = "p in R^n, p[j] >= 0, sum(p[j], j, 1, n) = 1"


@pytest.mark.parametrize(
    ("text", "given", "true"),
    [
        ("p[i] <= 1", WEIGHTS, True),
        ("p[i] <= 1/2", WEIGHTS, False),
        ("max(p) >= 1/n", WEIGHTS, True),
        ("min(p) >= 1/n", WEIGHTS, False),
        ("norm(p) <= 1", WEIGHTS, True),
        ("norm(p) <= 1", "p in R^n, p[j] >= 0", False),
        ("sum(p[j]**2, j, 1, n) >= 1/n", WEIGHTS, True),
        ("sum(p[j]**2, j, 1, n) >= 2/n", WEIGHTS, False),
        ("sum(p[j]**2, j, 1, n) <= 1", "p in R^n, sum(p[j], j, 1, n) = 1", False),
        ("mean(p) = 1/n", WEIGHTS, True),
        ("entropy(p) <= log(n)", WEIGHTS, True),
        ("entropy(p) >= 0", WEIGHTS, True),
        ("entropy(p) > 0", WEIGHTS, False),
        ("entropy(p) <= log(n) - 1/100", WEIGHTS, False),
        ("entropy(p) <= log(n)", "p in R^n, sum(p[j], j, 1, n) = 1", False),
    ],
)
def test_probability_vectors_are_what_hypotheses_make_them(text: str, given: str, true: bool) -> None:
    assert (proved(proposition(text, given)) is not None) is true
