"""Sequences of whole numbers of any length: products over them are bounded, cases of them are drawn."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import pytest

from proofs_check.cases.without_tokens import drawn
from proofs_check.judging.stated import hold_attained
from proofs_check.statements.attaining import where_attained
from proofs_check.statements.deterministic import judge_deterministic
from theorems.statement import proposition

MU = "mu[j] = 2**(j/2)*gamma((d + j)/2)/gamma(d/2)"
KNOWN = "J in {1..N}^n, n integer, n >= 2, N integer, N >= 1"
TAU = "prod(mu[2*J[i]], i, 1, n)/mu[2*sum(J[k], k, 1, n)]"


def test_cases_are_drawn_within_the_ends() -> None:
    prop = proposition("sum(J[i], i, 1, n) >= m*n", "J in {m..5}^n, m integer, m >= 2")
    generator, lengths = random.Random(1), set[int]()
    for _ in range(200):
        case = drawn(prop, generator.choice)
        if case is not None:
            assert all(case.numbers["m"] <= one <= 5 and one.denominator == 1 for one in case.sequences["J"])
            lengths.add(len(case.sequences["J"]))
    assert {1, 2, 3} <= lengths


def test_a_false_bound_is_refuted_at_whole_numbers() -> None:
    found = judge_deterministic(proposition(f"{TAU} <= d/(d + 3)", KNOWN, MU), "quick")
    assert found.verdict == "refuted" and found.counterexample is not None
    assert found.counterexample.sequences["J"] == (Fraction(1), Fraction(1))


@pytest.mark.parametrize(("right", "verdict"), [("d/(d + 2)", "verified"), ("(d + 1)/(d + 2)", "undecided")])
def test_a_bound_that_is_said_to_be_attained_has_a_case_of_equality(right: str, verdict: str) -> None:
    prop = proposition(f"{TAU} <= {right}", KNOWN, MU)
    report: Any = {"verdict": "verified", "reason": "", "symbolic": {"evidence": []}}
    hold_attained(report, prop, 0)
    assert report["verdict"] == verdict
    assert (where_attained(prop) is None) == (verdict == "undecided") == bool(report["reason"])


@pytest.mark.parametrize(
    ("text", "attained"),
    [
        ("norm(W, 2) <= norm(W, fro)", True),
        # at W = 0 alone, where every multiple is
        ("norm(W, 2) <= 2*norm(W, fro)", False),
        ("-norm(W, 2) <= 0", True),
    ],
)
def test_a_bound_that_is_0_is_attained_by_nothing_else(text: str, attained: bool) -> None:
    assert (where_attained(proposition(text)) is not None) == attained
