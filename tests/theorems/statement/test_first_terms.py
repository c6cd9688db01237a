"""Means under weights that sum to 1 are bounded below by their first terms, and products fall with their factors."""

from __future__ import annotations

import pytest

from theorems.statement import proposition
from theorems.statement.proofs.prover import proved
from theorems.statement.work import Work

WEIGHT = "exp(-w)*w**k/factorial(k)"
FACTOR, BOUND = "prod(d/(d + 2*j), j, 0, k - 1)", "prod(d/(d + 2*j), j, 0, l - 1)"
GIVEN = "w > 0, l integer, l >= 1, d >= 2"


@pytest.mark.parametrize(
    ("factor", "bound", "tail", "hypotheses", "holds"),
    [
        (FACTOR, BOUND, f"{WEIGHT}, k, l + 1", GIVEN, True),
        # the first terms end where the bound does, and no later
        (FACTOR, BOUND, f"{WEIGHT}, k, l + 2", GIVEN, False),
        (FACTOR, "prod(d/(d + 2*j), j, 0, l - 2)", f"{WEIGHT}, k, l + 1", GIVEN, False),
        (FACTOR, "prod(d/(d + j), j, 0, l - 1)", f"{WEIGHT}, k, l + 1", GIVEN, False),
        # factors above 1, and below 0
        ("prod((d + j)/d, j, 0, k - 1)", "prod((d + j)/d, j, 0, l - 1)", f"{WEIGHT}, k, l + 1", GIVEN, False),
        ("prod((1 - j)/d, j, 0, k - 1)", "prod((1 - j)/d, j, 0, l - 1)", f"{WEIGHT}, k, l + 1", GIVEN, False),
        # weights that sum to something else, or are not those of the mean
        (FACTOR, BOUND, "w**k/factorial(k), k, l + 1", GIVEN, False),
        (
            FACTOR,
            BOUND,
            "exp(-2*w)*(2*w)**k/factorial(k), k, l + 1",
            GIVEN,
            False,
        ),
        # weights of both signs
        (
            FACTOR,
            BOUND,
            f"{WEIGHT}, k, l + 1",
            "w < 0, l integer, l >= 1, d >= 2",
            False,
        ),
    ],
)
def test_what_is_proved_and_what_is_not(factor: str, bound: str, tail: str, hypotheses: str, holds: bool) -> None:
    statement = f"sum({WEIGHT}*{factor}, k, 0, oo) >= {bound}*(1 - sum({tail}, oo))"
    assert (proved(proposition(statement, hypotheses), Work(800)) is not None) == holds
