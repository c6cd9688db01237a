"""Limits along vectors of fixed lengths whose inner product tends to a number, and where none is read off."""

from __future__ import annotations

from fractions import Fraction

import pytest

from proofs_check.statements.judging import check_statement
from proofs_check.statements.request import Request
from theorems.statement import proposition
from theorems.statement.deciding.arcs import arcs, decided
from theorems.statement.deciding.decide import Derivation

LENGTHS = "u in R^d, v in R^d, Sigma = I, d >= 2, l > 0, norm(u) = l, norm(v) = l"
BOTH = "E[exp(x[1].T*(u + v))]"


@pytest.mark.parametrize(
    ("statement", "hypotheses", "limit", "status"),
    [
        (f"{BOTH} -> 1", LENGTHS, "u.T*v -> -l**2", "proved"),
        (f"{BOTH} -> 2", LENGTHS, "u.T*v -> -l**2", "open"),
        (f"{BOTH} -> exp(l**2)", LENGTHS, "u.T*v -> 0", "proved"),
        (f"{BOTH} -> exp(2*l**2)", LENGTHS, "u.T*v -> l**2", "proved"),
        (f"{BOTH} -> exp(l**2)", LENGTHS, "u.T*v -> l**2", "open"),
        # no vectors go there
        (f"{BOTH} -> 1", LENGTHS, "u.T*v -> 2*l**2", "undecided"),
        (f"{BOTH} -> 1", f"{LENGTHS}, u.T*v > 0", "u.T*v -> -l**2", "undecided"),
        # nothing is said of the length of v
        (f"{BOTH} -> 1", LENGTHS.replace(", norm(v) = l", ""), "u.T*v -> -l**2", "undecided"),
        # the denominator vanishes at the place
        (f"1/({BOTH} - 1) -> 0", f"{LENGTHS}, norm(u + v) > 0", "u.T*v -> -l**2", "undecided"),
        (f"1/({BOTH} - 1) -> 1/(exp(l**2) - 1)", f"{LENGTHS}, norm(u + v) > 0", "u.T*v -> 0", "proved"),
    ],
)
def test_what_is_decided(statement: str, hypotheses: str, limit: str, status: str) -> None:
    prop = proposition(statement, hypotheses, law="iid", limit=limit)
    assert decided(prop, Derivation(prop))[0].status == status


@pytest.mark.parametrize(("limit", "goal"), [("-l**2", -1), ("0", 0), ("l**2", 1), ("7*l**2/25", Fraction(7, 25))])
def test_the_vectors_keep_their_lengths_and_go_there(limit: str, goal: Fraction) -> None:
    arc = next(arcs(proposition(f"{BOTH} -> 1", LENGTHS, law="iid", limit=f"u.T*v -> {limit}")))
    far = []
    for t in (1, 8, 64):
        u, v = ([Fraction(entry) for entry in vector] for vector in arc.at(Fraction(t)).values())
        assert sum(a * a for a in u) == sum(b * b for b in v) == 1
        far.append(abs(sum(a * b for a, b in zip(u, v, strict=True)) - goal))
    assert far[0] > far[1] > far[2] > 0 and far[2] < Fraction(1, 100)


@pytest.mark.parametrize(("right", "verdict"), [("1", "verified"), ("2", "refuted")])
def test_both_sides_judge_it(right: str, verdict: str) -> None:
    request = Request(f"{BOTH} -> {right}", LENGTHS, "", "iid", "u.T*v -> -l**2")
    first, *rest = check_statement(request, effort="quick")
    assert first["verdict"] == verdict
    if verdict == "refuted":
        assert first["correction"] is not None and first["correction"]["sympy"] == "1"
        assert [one["verdict"] for one in rest] == ["verified"]
