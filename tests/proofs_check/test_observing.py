"""Claims about when a property holds: observed case by case, with wrong clauses, planted faults and doubt."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest

from montecarlo.registry import Observation
from montecarlo.registry import registered as simulated
from proofs_check import runner
from proofs_check.decoys import clause_mutants
from proofs_check.runner import Options, Silent
from theorems.catalogue import Paper, Statement
from theorems.derivation import Equivalence
from theorems.deriving import registered as derived
from theorems.process import Step
from theorems.rules import EQUIVALENCES, RULES

CLAIM = "lampert2026.test.sign"
VALUES = ("-2", "-1", "0", "1", "2", "1/2", "-1/2")


@pytest.fixture(autouse=True)
def trusted_rule() -> Iterator[None]:
    """A rule that trusts the truth of this file: x + y > 0 is what "positive" means here."""
    RULES["sum-sign"] = lambda name, conditions: name == "positive" and conditions == ("x + y > 0",)
    EQUIVALENCES.add("sum-sign")
    yield
    del RULES["sum-sign"]
    EQUIVALENCES.remove("sum-sign")


def statement(printed: str, **changes: Any) -> Statement:
    data: dict[str, Any] = {"where": "", "kind": "bound", "statement": "", "reading": "", "quantity": ""}
    data |= {"symbols": (), "printed": {"positive": printed}, "paper": Paper("p", "t", "a", "v")}
    data |= {"model": "free", "parameters": ("x", "y"), "ranges": {"x": VALUES, "y": VALUES}, "relation": "when"}
    return Statement(id=CLAIM, **(data | changes))


def derivation() -> dict[str, Equivalence]:
    step = Step("sum-sign", "by definition", ("positive", ("x + y > 0",)))
    points = ({"x": "1", "y": "-1"}, {"x": "-1", "y": "2"}, {"x": "2", "y": "-1"}, {"x": "-2", "y": "1"})
    return {"positive": Equivalence("positive", ("x + y > 0",), points, (step,), "definition")}


def definition(x: Any, y: Any) -> dict[str, bool | tuple[float, float] | None]:
    return {"positive": Fraction(x) + Fraction(y) > 0}


def judged(printed: str, look: Any = definition, case: Any = None, **changes: Any) -> list[dict[str, Any]]:
    options = Options(effort="quick", device="cpu", jobs=1, case=case)
    with derived(CLAIM, derivation), simulated(Observation(CLAIM, look)):
        return [r for r, _ in runner.judge(statement(printed, **changes), options, "cpu", Silent())]


@pytest.mark.parametrize("printed", ["iff x + y > 0", "iff 3*x + 3*y > 0", "if x + y > 0"])
def test_a_true_clause_is_verified(printed: str) -> None:
    (report,) = judged(printed)
    assert report["verdict"] == "verified", report["reason"]
    assert report["decoys"]["caught"] == report["decoys"]["of"] > 0
    assert report["simulation"]["tier"] == "decision by definition"
    assert "times false" in report["simulation"]["power"]


@pytest.mark.parametrize("printed", ["iff x > 0", "iff x + y >= 0", "if x + y >= 0", "iff x + 2*y > 0", "if y > 0"])
def test_a_false_clause_is_refuted_corrected_and_replayed(printed: str) -> None:
    refuted, corrected = judged(printed)
    assert refuted["verdict"] == "refuted"
    assert refuted["correction"]["sympy"] is None
    assert corrected["verdict"] == "verified"
    assert corrected["printed"] == {"positive": "iff x + y > 0"}
    found = refuted["counterexample"]
    assert found["printed"] != found["true"]
    again = judged(printed, case=found["params"])[0]
    assert again["verdict"] == "refuted"
    assert again["counterexample"] == found


def test_a_fault_in_the_second_side_is_a_conflict() -> None:
    (report,) = judged("iff x + y > 0", lambda x, y: {"positive": Fraction(x) + Fraction(y) >= 0})
    assert report["verdict"] == "conflict"
    assert "observed True" in report["reason"]


def test_a_second_side_that_rarely_decides_shows_too_little() -> None:
    def hesitant(x: Any, y: Any) -> dict[str, bool | tuple[float, float] | None]:
        return {"positive": None if Fraction(x) < 0 else Fraction(x) + Fraction(y) > 0}

    (report,) = judged("iff x + y > 0", hesitant)
    assert report["verdict"] == "undecided"
    assert "was decided in" in report["reason"]


def test_a_property_that_is_always_true_is_hardly_tried() -> None:
    (report,) = judged("iff x + y > 0", ranges={"x": ("1", "2"), "y": ("1", "2")})
    assert report["verdict"] == "undecided"
    assert "hardly tried" in report["reason"]


def test_a_fault_in_the_derivation_is_not_licensed() -> None:
    def faulty() -> dict[str, Equivalence]:
        step = Step("sum-sign", "by definition", ("positive", ("x + y >= 0",)))
        return {"positive": Equivalence("positive", ("x + y >= 0",), (), (step,), "definition")}

    with derived(CLAIM, faulty), simulated(Observation(CLAIM, definition)):
        options = Options(effort="quick", device="cpu", jobs=1)
        ((report, _),) = runner.judge(statement("iff x + y >= 0"), options, "cpu", Silent())
    # what is not licensed proves nothing, and the second side contradicts what it says
    assert report["symbolic"]["status"] == "undecided"
    assert report["verdict"] in ("undecided", "conflict")


def test_a_number_outside_its_bracket_is_a_conflict() -> None:
    from theorems.derivation import Fact, fact
    from theorems.expressions import parse

    def with_place() -> dict[str, Equivalence | Fact]:
        return {**derivation(), "place": fact(parse("x + y"), (), "")}

    def enclosed(x: Any, y: Any) -> dict[str, bool | tuple[float, float] | None]:
        total = float(Fraction(x) + Fraction(y))
        return {"positive": total > 0, "place": (total + 1, total + 2)}

    with derived(CLAIM, with_place), simulated(Observation(CLAIM, enclosed)):
        options = Options(effort="quick", device="cpu", jobs=1)
        ((report, _),) = runner.judge(statement("iff x + y > 0"), options, "cpu", Silent())
    assert report["verdict"] == "conflict"
    assert "place" in report["reason"]


def test_every_part_of_a_clause_is_changed() -> None:
    labels = [label for label, _ in clause_mutants(("2*x + y > 0", "x < 0"))]
    others = [conditions for _, conditions in clause_mutants(("2*x + y > 0", "x < 0"))]
    assert ("2*x + y >= 0", "x < 0") in others
    assert ("x + y > 0", "x < 0") in others
    assert ("2*x + y > 0", "x <= 0") in others
    assert ("2*x + y > 0",) in others
    assert ("x < 0",) in others
    assert len(labels) == len(others) == len(set(others)) > 12


def test_a_case_that_the_second_side_does_not_decide_shows_nothing() -> None:
    (report,) = judged("iff x + y > 0", lambda x, y: {"positive": None}, case={"x": "1", "y": "1"})
    assert report["verdict"] == "undecided"
    assert "does not decide positive at this case" in report["reason"]


def test_a_clause_whose_conditions_never_hold_says_nothing() -> None:
    (report,) = judged("if x + y > 0 & x + y < 0")
    assert report["verdict"] == "undecided"
    assert "says nothing" in report["reason"]


def test_a_number_that_is_never_enclosed_is_not_looked_at() -> None:
    from theorems.derivation import Fact, fact
    from theorems.expressions import parse

    def with_place() -> dict[str, Equivalence | Fact]:
        return {**derivation(), "place": fact(parse("x + y"), (), "")}

    with derived(CLAIM, with_place), simulated(Observation(CLAIM, definition)):
        options = Options(effort="quick", device="cpu", jobs=1)
        ((report, _),) = runner.judge(statement("iff x + y > 0"), options, "cpu", Silent())
    assert report["verdict"] == "undecided"
