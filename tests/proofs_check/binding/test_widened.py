"""What is derived holds under all that a statement allows: hypotheses that are too wide are seen."""

from __future__ import annotations

from dataclasses import replace

import pytest

from proofs_check.binding import widened
from proofs_check.binding.tied import Binding
from proofs_check.binding.widened import as_wide_as_said, needed_as_said
from proofs_check.claims.pairing import Pair
from theorems.claims.catalogue import by_id, with_sides

EQ5, STEP, SPREAD = "bao2024.sec4.eq5", "bao2024.appC.lemma2-inequality", "bao2024.sec5.eq8"
LEAST = "bao2024.sec5.eq9"
INVERSE, FIRST = "bao2024.sec5.eq10-first", "bao2024.sec5.eq7-first"


def said_for(claim: str, hypotheses: str | None = None) -> Pair:
    statement = by_id()[claim]
    assert statement.says is not None
    if hypotheses is None:
        return Pair(statement)
    return Pair(replace(statement, says=replace(statement.says, hypotheses=hypotheses)))


@pytest.mark.parametrize("claim", [EQ5, STEP, SPREAD, INVERSE, FIRST, "bao2024.sec5.eq10-second"])
def test_the_shipped_hypotheses_are_no_wider_than_the_derivations(claim: str) -> None:
    found = as_wide_as_said(said_for(claim))
    assert found.bound and found.evidence
    assert all("cases drawn from the hypotheses" in told for told in found.evidence)


@pytest.mark.parametrize("hypotheses", ["", "Sigma any"])
def test_hypotheses_that_are_too_wide_are_seen(hypotheses: str) -> None:
    found = as_wide_as_said(said_for(EQ5, hypotheses))
    assert found.derived[0].startswith("more is said of upper than is derived: under the hypotheses, at ")
    assert "its square is " in found.derived[0]


def test_nothing_is_said_where_the_case_has_other_names() -> None:
    assert as_wide_as_said(said_for("lampert2026.sec6.switch-implies-sink")) == Binding()
    assert as_wide_as_said(said_for("bao2024.sec4.lemma2-3")) == Binding()


def test_a_least_value_is_one_of_all_that_is_said() -> None:
    assert "keeps the derived bound at 40 cases" in as_wide_as_said(said_for(LEAST)).evidence[0]
    for wider in ("s in R^T, nu >= 0", "s in R^T, nu >= 0, norm(s) <= 2*nu"):
        assert "beyond the derived end" in as_wide_as_said(said_for(LEAST, wider)).derived[0]


UPPER, LOWER, CHEAPER = ("lampert2026.sec7." + name for name in ("sink-upper", "sink-lower", "sinks-cheaper-when"))


@pytest.mark.parametrize(
    ("claim", "said", "less", "lacks"),
    [
        (UPPER, "kappa > 0", "kappa real", "kappa > 0"),
        (UPPER, "2/3 <= lam < 1", "2/3 <= lam", "lam < 1"),
        (UPPER, "2/3 <= lam < 1", "1/2 <= lam < 1", "lam >= 2/3"),
        (LOWER, "0 < lam < 1", "0 < lam <= 1", "lam < 1"),
        (CHEAPER, "n >= 2", "n >= 1", "n >= 2"),
        ("bao2024.sec4.xi-eta-range", "W symmetric", "W != 0", "W symmetric"),
        ("bao2024.sec4.xi-eta-range", "d >= 2", "d >= 1", "d >= 2"),
        # hypotheses of a rule about norms
        (INVERSE, "W symmetric, ", "", "W symmetric"),
        (FIRST, "W symmetric, ", "", "W symmetric"),
        ("bao2024.sec5.eq10-second", "W symmetric", "W any", "W symmetric"),
        # conditions on traces, at drawn matrices
        ("bao2024.sec4.a1-uniform", ", tr(W*Sigma) = 0", "", "tr1 == 0"),
        ("bao2024.sec4.a1-uniform", ", tr((W*Sigma)**2) > 0", "", "tr2 > 0"),
    ],
)
def test_what_the_words_grant_alone_is_not_said(claim: str, said: str, less: str, lacks: str) -> None:
    """The kernel reads a claim's words; the cases of an instance are within them, whatever is said."""
    statement = by_id()[claim]
    assert statement.says is not None and said in statement.says.hypotheses
    wider = statement.says.hypotheses.replace(said, less)
    assert needed_as_said(said_for(claim)) == Binding()
    assert needed_as_said(said_for(claim, wider)).faults == [f"{lacks} is needed, and is not said"]


@pytest.mark.parametrize(("need", "faults"), [("tr1 == 0", 1), ("tr2 > 0", 1), ("tr2 >= 0", 0), ("order matters", 0)])
def test_a_need_in_names_that_the_statement_lacks_is_asked_at_its_cases(
    need: str, faults: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(widened, "ungranted", lambda *_: (need,))
    found = needed_as_said(said_for("bao2024.sec4.lemma1-mean"))
    assert found.faults == [f"{need} is needed, and is not said"] * faults


@pytest.mark.slow
def test_what_every_derivation_needs_is_said() -> None:
    for claim in with_sides():
        for second_route in (False, True) if claim.says is not None else ():
            assert needed_as_said(Pair(claim, second_route)) == Binding(), claim.id
