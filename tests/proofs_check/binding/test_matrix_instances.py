"""Derived matrices held to what their claims say: another derivation, empirical check, print or statement is seen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from montecarlo import registry
from montecarlo.directly import evaluate
from proofs_check.binding.matrix_instances import matrices_bound
from proofs_check.checks.evidence import Seen
from proofs_check.checks.matrices import handed
from proofs_check.claims.pairing import Pair
from tests.proofs_check.binding.sides import looked
from theorems.bao2024 import gradient as model
from theorems.claims.catalogue import by_id
from theorems.kernel.matrix_claims import matrix_of
from theorems.kernel.matrix_facts import MatrixFact

SCALE, MEAN, WHOLE = "bao2024.sec6.grad-scale-q", "bao2024.sec6.grad-mean-k", "bao2024.sec3.eq3"
TERMS = tuple(f"bao2024.appB.eq{k}" for k in (19, 20, 21))
CLAIMS = (SCALE, "bao2024.sec6.grad-scale-k", "bao2024.sec6.grad-mean-q", MEAN, WHOLE, *TERMS)


def looked_at(claim: str) -> tuple[Pair, MatrixFact, list[Seen]]:
    """A claim, its derived matrix and what its empirical check found."""
    pair, seen = looked(claim)
    fact = matrix_of(pair.derived())
    assert fact is not None
    return pair, fact, seen


def small(seen: list[Seen]) -> list[Seen]:
    """A few cases, with several branches among them."""
    return [one for one in seen if one.case["dim"] in ("1", "2")][:8]


@pytest.mark.parametrize("claim", CLAIMS)
def test_the_shipped_claims_are_bound(claim: str) -> None:
    pair, fact, seen = looked_at(claim)
    found = matrices_bound(pair, fact, small(seen))
    assert found.bound, (found.faults, found.missing)
    assert "by value at 8 cases, entry by entry: exactly as derived" in found.evidence[-1]
    assert (len(found.evidence) == 2) == claim.startswith("bao2024.sec6")


def neighbour(claim: str) -> MatrixFact:
    """The derived matrix of a claim beside it."""
    others = {SCALE: CLAIMS[1], MEAN: SCALE, WHOLE: TERMS[0], TERMS[0]: TERMS[1], TERMS[1]: TERMS[2], TERMS[2]: WHOLE}
    found = matrix_of(Pair(by_id()[others[claim]]).derived())
    assert found is not None
    return found


@pytest.mark.parametrize("claim", [SCALE, MEAN, WHOLE, *TERMS])
@pytest.mark.parametrize("change", ["neighbour", "twice", "minus"])
def test_a_derivation_of_another_matrix_is_seen(claim: str, change: str) -> None:
    pair, fact, seen = looked_at(claim)
    value = neighbour(claim).value if change == "neighbour" else fact.value * {"twice": 2, "minus": -1}[change]
    found = matrices_bound(pair, replace(fact, value=value), small(seen))
    assert found.derived
    assert "the derivation is of another quantity" in found.derived[0]
    assert not found.simulated
    assert not found.bound


def changed(seen: list[Seen], change: Callable[[Seen], dict[str, tuple[float, float]]]) -> list[Seen]:
    return [replace(one, found=change(one)) for one in seen]


@pytest.mark.parametrize("claim", [SCALE, MEAN, WHOLE, *TERMS])
def test_an_empirical_check_that_is_off_is_seen(claim: str) -> None:
    pair, fact, seen = looked_at(claim)
    for factor in (1 + 1e-6, 2, -1):
        off = changed(small(seen), lambda one, f=factor: {k: (v * f, e) for k, (v, e) in one.found.items()})  # type: ignore[misc]
        found = matrices_bound(pair, fact, off)
        assert "the empirical check is of another quantity" in found.simulated[0]
        assert not found.derived


@pytest.mark.parametrize(("claim", "other"), [(SCALE, CLAIMS[1]), (TERMS[0], TERMS[1]), (TERMS[1], TERMS[2])])
def test_an_empirical_check_of_a_neighbour_is_seen(claim: str, other: str) -> None:
    pair, fact, seen = looked_at(claim)
    evaluation: Any = registry.find(other)
    cases = small(seen)
    found = [evaluate(evaluation, {**one.case, "matrices": handed(fact.instance(one.case), fact)}) for one in cases]
    off = [replace(one, found=value) for one, value in zip(cases, found, strict=True)]
    assert matrices_bound(pair, fact, off).simulated


def restated(pair: Pair, **changed: Any) -> Pair:
    says = pair.statement.says
    assert says is not None
    return replace(pair, statement=replace(pair.statement, says=replace(says, **changed)))


@pytest.mark.parametrize(
    ("claim", "old", "new"),
    [
        (WHOLE, "x[T]/lam", "x[T]*lam"),
        (WHOLE, "clip(score[i], 0, 1)", "score[i]"),
        (WHOLE, "+ x[T]),", "- x[T]),"),
        (WHOLE, "clip(score[i], 0, 1)", "clip(score[i], 0, 2)"),
        (TERMS[0], "score[i] <= 1", "score[i] <= 2"),
        (TERMS[1], "indicator(score[i] > 1)", "0*indicator(score[i] > 1)"),
        (TERMS[2], "x[T] - y", "x[T] + y"),
    ],
)
def test_another_statement_is_not_what_is_derived(claim: str, old: str, new: str) -> None:
    """No rule of the derivation sees the statement: only the comparison by value tells another model."""
    pair, fact, seen = looked_at(claim)
    assert pair.statement.says is not None
    where = pair.statement.says.where
    assert old in where
    assert matrices_bound(restated(pair, where=where.replace(old, new)), fact, seen[:24]).faults


def test_a_print_that_is_said_as_another_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    pair, fact, seen = looked_at(SCALE)
    other = replace(pair, statement=replace(pair.statement, printed={"factor of W_K*W_K.T*W_Q": "3"}))
    # a print is judged as it is said, whether it is true or not
    assert matrices_bound(other, fact, small(seen)).bound

    def misread(self: MatrixFact, table: Any) -> Any:
        return self.value * 5

    monkeypatch.setattr(MatrixFact, "printed", misread)
    assert "the print is judged as another than is said" in matrices_bound(other, fact, small(seen)).derived[0]


def test_what_cannot_be_compared_is_missing() -> None:
    pair, fact, seen = looked_at(SCALE)
    assert matrices_bound(pair, fact, []).missing == ["the empirical check was seen at no case"]
    two = restated(pair, quantities={"gradient": "grad(tr(W_QK), W_Q)", "other": "W_K"})
    assert "one quantity" in matrices_bound(two, fact, seen).missing[0]
    rough = changed(small(seen), lambda one: {k: (v, 1.0) for k, (v, _) in one.found.items()})  # type: ignore[misc]
    assert "within" in matrices_bound(pair, fact, rough).missing[0]
    unread = restated(pair, quantities={"gradient": "grad(tr(W_QK), W_Q"})
    assert "cannot be read" in matrices_bound(unread, fact, seen).missing[0]


def test_a_case_outside_the_hypotheses_is_a_fault() -> None:
    pair, fact, seen = looked_at(TERMS[1])
    says = pair.statement.says
    assert says is not None
    narrow = restated(pair, hypotheses=says.hypotheses.replace("lam > 0", "lam > 2"))
    assert "outside the hypotheses" in matrices_bound(narrow, fact, small(seen)).simulated[0]


def test_the_branches_are_met() -> None:
    """The cases that are compared have scores of all three branches."""
    _, fact, seen = looked_at(WHOLE)
    chosen = [seen[len(seen) * k // 24] for k in range(24)]
    notes = [fact.instance(one.case).notes for one in chosen]
    assert all(any(note[branch] for note in notes) for branch in model.BRANCHES)
