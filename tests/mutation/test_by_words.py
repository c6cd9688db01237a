"""A changed inequality is true where a proved print implies it, and caught where samples contradict it."""

from __future__ import annotations

from typing import Any

import pytest

from proofs_check.statements.found import Found
from tests.mutation import by_words
from tests.mutation.by_words import by_its_words
from tests.mutation.prints import PrintMutant, print_mutants
from theorems.statement import proposition
from theorems.statement.proposition import Proposition

TAIL = "P[sum(g(x[k].T*z), k, 1, T)/T > a] <= "
NAMES = "z in R^d, Sigma = I, a real, g entire with coefficients >= 0"


def changed(claim: str, label: str) -> PrintMutant:
    """A mutant of a claim of choromanski2021."""
    return next(one for one in print_mutants(f"choromanski2021.{claim}") if one.name.endswith(f": {label}"))


def told(claim: str, label: str) -> tuple[bool, bool]:
    """Whether the print is proved, and whether it implies the mutant."""
    mutant = changed(claim, label)
    assert mutant.said is not None
    return by_words._holds(mutant.statement.id, mutant.said[0]), by_words._implied(*mutant.said)


@pytest.mark.parametrize(
    ("claim", "label", "found"),
    [
        # a number >= 0 in the place of one <= 0
        ("sec3.thm2", "1 and 2 exchanged", (True, True)),
        # smaller where the bound is below 1
        ("sec3.thm3-iid", "T -> T + 1", (True, False)),
        ("sec3.thm3-iid", "times 21/20", (True, True)),
        ("sec3.thm3-iid", "times 19/20", (True, False)),
        # one factor of one term, with the sign of the others, or of the left side
        ("appF.thm6", "d -> d**2", (True, True)),
        ("appF.thm6", "times 21/20", (True, True)),
        ("sec3.thm2-reg", "times 21/20", (True, True)),
        ("sec3.thm2-reg", "times 19/20", (True, False)),
        ("appF.eq32", "times 19/20", (True, True)),
        ("appF.eq32", "times 21/20", (True, False)),
        ("appF.eq32", "2 -> 3", (True, True)),
        ("appF.eq32", "2 -> 1", (True, False)),
        ("appF.eq32", "1 and -1 exchanged", (True, True)),
        ("appF.eq33-power", "1 and -1 exchanged", (True, True)),
        # the print itself is false
        ("sec3.thm3-ort", "times 19/20", (False, False)),
    ],
)
def test_what_a_proved_print_implies(claim: str, label: str, found: tuple[bool, bool]) -> None:
    assert told(claim, label) == found


@pytest.mark.parametrize(
    ("right", "other", "implied"),
    [
        ("exp(-T*a)*E[exp(g(x[1].T*z))]**T", "2*(exp(-T*a)*E[exp(g(x[1].T*z))]**T)", True),
        ("exp(-T*a)*E[exp(g(x[1].T*z))]**T", "exp(-a)*E[exp(g(x[1].T*z))]**T", False),
        # a moment that may have either sign
        ("1", "1 + E[g(x[1].T*z)**2]", True),
        ("1", "1 + E[g(x[1].T*z)**3]", False),
        # which has no value for T = 1
        ("-T", "T/(T - 1)", False),
        ("-T", "T/(T + 1)", True),
        # of factors that may have either sign, and of two terms
        ("a*T", "a*T*2", True),
        ("T + a*T", "T + a*T*2", False),
        ("T + a**2*T", "T + a**2*T*2", True),
        ("a*T", "-a*T*2", False),
        ("a*T + a**3", "a*T*2 + a**3*2", False),
    ],
)
def test_moments_are_numbers_of_which_the_sign_is_seen(right: str, other: str, implied: bool) -> None:
    one, two = (proposition(TAIL + side, NAMES, "", "iid(isotropic)") for side in (right, other))
    assert by_words._implied(one, two) is implied


def test_what_samples_contradict_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def both_sides(prop: Proposition, *_: Any) -> Found:
        return Found(status="undecided", simulation="contradicts")

    class Undecided:
        status = "undecided"

    monkeypatch.setattr(by_words, "both_sides", both_sides)
    monkeypatch.setattr(by_words._Deriving, "run", lambda self: Undecided())
    mutant = changed("sec3.thm3-iid", "a -> a**2")
    assert mutant.said is not None
    assert by_its_words(*mutant.said, mutant.statement.id) == ("caught", "contradicted")
