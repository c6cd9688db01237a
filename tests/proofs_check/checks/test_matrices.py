"""Matrix identities judged whole: verdicts, corrections, wrong versions, and faults on either side that are seen."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import jsonschema
import pytest

from montecarlo import registry
from montecarlo.empirical_checks import Evaluation
from proofs_check.checks.matrices import decoys, entry_rows, words
from proofs_check.claims.pairing import Pair
from proofs_check.claims.schema import schema
from tests.proofs_check.judged import judged
from theorems.algebra.matrix_calculus import Matrix
from theorems.bao2024 import gradient as eq3_model
from theorems.bao2024 import locater
from theorems.claims.catalogue import by_id
from theorems.kernel.deriving import registered
from theorems.kernel.matrix_claims import matrix_of
from theorems.kernel.matrix_facts import MatrixFact

SEC6 = tuple(f"bao2024.sec6.grad-{what}-{by}" for what in ("scale", "mean") for by in "qk")
APPENDIX = ("bao2024.sec3.eq3", "bao2024.appB.eq19", "bao2024.appB.eq20", "bao2024.appB.eq21")
MEAN = SEC6[2]


#: (20) is like (19) and (21), of which it is the dearest.
@pytest.mark.parametrize(
    "claim", [pytest.param(c, marks=pytest.mark.slow) if c.endswith("eq20") else c for c in (*SEC6, *APPENDIX)]
)
def test_both_sides_agree_and_every_wrong_version_is_caught(claim: str) -> None:
    for report in judged(claim):
        assert report["verdict"] in ("verified", "refuted"), report["reason"]
        assert report["decoys"]["caught"] == report["decoys"]["of"] >= 5
        assert report["simulation"]["cases"] == 40
        assert 0 < report["simulation"]["detectable"] < 1e-8
        assert report["traceback"] is None
        part = {"$defs": schema()["$defs"], "$ref": "#/$defs/Claim"}
        jsonschema.validate(report, part)
        evidence = "\n".join(report["symbolic"]["evidence"])
        assert "within its bound of rounding" in evidence
        if claim in APPENDIX:
            assert all(re.search(re.escape(branch) + r" [1-9]\d+ times", evidence) for branch in eq3_model.BRANCHES)


def test_a_refuted_print_has_a_correction_and_a_case() -> None:
    reports = judged(MEAN)
    if len(reports) == 1:
        pytest.skip("the print is not refuted")
    refuted, corrected = reports
    found = refuted["counterexample"]
    assert found["printed"] != found["true"]
    (again, _) = judged(MEAN, found["params"])
    assert (again["verdict"], again["counterexample"]) == ("refuted", found)
    assert corrected["verdict"] == "verified"
    assert corrected["symbolic"]["method"] != refuted["symbolic"]["method"]
    # in cases of its own
    assert not any(row["params"] in [other["params"] for other in refuted["cases"]] for row in corrected["cases"])
    assert refuted["correction"]["sympy"] == refuted["symbolic"]["exact"]


@pytest.mark.parametrize("claim", [SEC6[0], APPENDIX[0], APPENDIX[3]])
def test_a_false_print_is_refuted_and_its_correction_verified(claim: str) -> None:
    statement = by_id()[claim]
    name, text = next(iter(statement.printed.items()))
    lost = {key: value for key, value in statement.printed.items() if key != name}
    refuted, corrected = judged(replace(statement, printed=lost or {name: f"-({text})"}))
    assert (refuted["verdict"], corrected["verdict"]) == ("refuted", "verified"), corrected["reason"]


@pytest.mark.parametrize("claim", [SEC6[1], MEAN, APPENDIX[0], APPENDIX[1]])
def test_an_evaluation_that_is_off_is_a_conflict(claim: str) -> None:
    true = registry.find(claim)
    assert isinstance(true, Evaluation)

    def off(**handed: Any) -> dict[str, tuple[float, float]]:
        found = dict(true.function(**handed))
        value, error = found["[1,1]"]
        return {**found, "[1,1]": (value * (1 + 1e-6), error)}

    with registry.registered(_spoilt(true, off)):
        report = judged(claim)[0]
    assert report["verdict"] == "conflict"
    assert "entry [1,1]" in report["reason"]


def _spoilt(true: Evaluation, function: Any) -> Evaluation:
    spoilt = Evaluation(true.claim_id, function)
    object.__setattr__(spoilt, "parameters", true.parameters)
    return spoilt


def test_a_derivation_of_something_else_is_told_as_one() -> None:
    def other(second_route: bool) -> MatrixFact:
        t = locater.LETTERS["W_QK"].trace()
        return locater.gradient((t - Matrix.scalar(2)) ** 2, "W_Q", second_route)

    with registered(MEAN, other):
        report = judged(MEAN)[0]
    assert report["verdict"] == "undecided"
    assert "the derivation is of another quantity: grad((tr(W_QK) - 1)**2, W_Q) is " in report["reason"]

    def doubled(second_route: bool) -> MatrixFact:
        fact: MatrixFact = eq3_model.eq3(second_route)
        return replace(fact, value=fact.value * 2)

    # a value that its steps do not lead to says nothing of the print, and the model is seen to contradict it as well
    with registered(APPENDIX[0], doubled):
        report = judged(APPENDIX[0])[0]
    assert report["verdict"] == "undecided"
    assert "steps do not license its value" in report["reason"]
    assert "its value is not the empirical check's: entry [1,1]" in report["reason"]


@pytest.mark.parametrize(
    "change",
    [
        lambda found: {name: value for name, value in found.items() if name != "[1,1]"},
        lambda found: {**found, "[9,9]": (0.0, 0.0)},
        lambda found: {**found, "[1,1]": (float("nan"), 0.0)},
        lambda found: {**found, "[1,1]": (0.0, float("inf"))},
    ],
)
def test_an_evaluation_of_another_shape_is_an_error(change: Any) -> None:
    true = registry.find(SEC6[0])
    assert isinstance(true, Evaluation)
    with registry.registered(_spoilt(true, lambda **handed: change(true.function(**handed)))):
        report = judged(SEC6[0])[0]
    assert report["verdict"] == "error"
    assert "ValueError" in report["reason"]


def test_a_loose_evaluation_shows_too_little() -> None:
    true = registry.find(SEC6[0])
    assert isinstance(true, Evaluation)

    def loose(**handed: Any) -> dict[str, tuple[float, float]]:
        return {name: (value, 1e-3) for name, (value, _) in true.function(**handed).items()}

    with registry.registered(_spoilt(true, loose)):
        assert judged(SEC6[0])[0]["verdict"] == "undecided"


def test_a_branch_that_no_case_meets_is_missed() -> None:
    def never_above(second_route: bool) -> MatrixFact:
        fact: MatrixFact = eq3_model.eq21(second_route)
        return replace(fact, instance=lambda case: _without(fact, case, eq3_model.BRANCHES[2]))

    with registered(APPENDIX[3], never_above):
        report = judged(APPENDIX[3])[0]
    assert report["verdict"] == "undecided"
    assert eq3_model.BRANCHES[2] in report["reason"]


def _without(fact: MatrixFact, case: Mapping[str, Any], branch: str) -> Any:
    here = fact.instance(case)
    return replace(here, notes={**here.notes, branch: 0})


def test_the_wrong_versions_of_a_word() -> None:
    found = {word.replace(" * ", "*") for word in words("A*B.T*x[i]")}
    assert {"A*B*x[i]", "A.T*B.T*x[i]", "A*x[i]*B.T", "B.T*A*x[i]", "B.T*x[i]", "A*x[i]", "A*B.T"} <= found
    found = set(words("Sum(i, j, G[i, j]*(y - x[i])), y = A*u"))
    assert any("G[j, i]" in word for word in found)
    assert any("G[i, i]" in word for word in found)
    assert any("y + x[i]" in word for word in found)
    assert any("y=u * A" in word for word in found)


@pytest.mark.parametrize("claim", APPENDIX)
def test_wrong_versions_are_wrong_and_of_every_kind(claim: str) -> None:
    pair = Pair(by_id()[claim])
    fact = matrix_of(pair.derived())
    assert fact is not None
    found = decoys(fact, pair.statement.printed)
    assert len({label for label, _ in found}) == len(found) >= 20
    assert all(not gap.is_zero for _, gap in found)
    labels = " ".join(label for label, _ in found)
    assert "left out" in labels and "->" in labels


def test_entries_for_a_case() -> None:
    pair = Pair(by_id()[MEAN])
    fact = matrix_of(pair.derived())
    assert fact is not None
    rows = entry_rows(pair, fact, registry.find(MEAN), {"dim": "2", "inner": "3", "seed": "2"})
    assert [name for name, *_ in rows] == [f"entry [{r},{c}]" for r in (1, 2, 3) for c in (1, 2)]
    for _, target, interval, _, _ in rows:
        assert interval is not None and interval.holds(float(target.derived))


def test_a_matrix_that_float64_does_not_hold_is_refused() -> None:
    pair = Pair(by_id()[MEAN])
    fact = matrix_of(pair.derived())
    assert fact is not None
    third = replace(fact, instance=lambda case: _over_three(fact, case))
    with pytest.raises(ValueError, match="not exact in float64"):
        entry_rows(pair, third, registry.find(MEAN), {"dim": "2", "inner": "2", "seed": "1"})


def _over_three(fact: MatrixFact, case: Mapping[str, Any]) -> Any:
    here = fact.instance(case)
    return replace(here, arrays={name: array / 3 for name, array in here.arrays.items()})
