"""Claims about when a property holds: observed case by case, with wrong clauses, planted faults and doubt."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
import sympy as sp

from montecarlo.empirical_checks import Observation
from montecarlo.lampert2026 import comparison as second
from montecarlo.registry import registered as simulated
from proofs_check.claims.mutants import clause_mutants
from proofs_check.inputs.plugins import load_simulations
from tests.proofs_check.judged import judged
from theorems.algebra.expressions import parse
from theorems.claims.catalogue import Paper, Statement, by_id
from theorems.gaussian.process import Step
from theorems.kernel.derivation import Enclosed, Equivalence, Fact, fact
from theorems.kernel.deriving import registered as derived
from theorems.lampert2026 import comparison as first
from theorems.lampert2026.patterns.optimum import symmetric
from theorems.lampert2026.rules.optimum import lam
from theorems.rules import ABOUT, EQUIVALENCES, RULES, rule

CLAIM = "lampert2026.test.sign"
VALUES = ("-2", "-1", "0", "1", "2", "1/2", "-1/2")


@pytest.fixture(autouse=True)
def trusted_rule() -> Iterator[None]:
    """A rule that trusts the truth of this file: x + y > 0 is what "positive" means here."""
    rule("sum-sign")(lambda name, conditions: name == "positive" and conditions == ("x + y > 0",))
    EQUIVALENCES.add("sum-sign")
    yield
    del RULES["sum-sign"], ABOUT["sum-sign"]
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


def clause_judged(printed: str, look: Any = definition, case: Any = None, **changes: Any) -> list[Any]:
    with derived(CLAIM, derivation), simulated(Observation(CLAIM, look)):
        return judged(statement(printed, **changes), case)


@pytest.mark.parametrize("printed", ["iff x + y > 0", "iff 3*x + 3*y > 0", "if x + y > 0"])
def test_a_true_clause_is_verified(printed: str) -> None:
    (report,) = clause_judged(printed)
    assert report["verdict"] == "verified", report["reason"]
    assert report["decoys"]["caught"] == report["decoys"]["of"] > 0
    assert report["simulation"]["tier"] == "decision by definition"
    assert "times false" in report["simulation"]["power"]


def test_a_rule_of_a_lemmas_own_verifies_nothing() -> None:
    (report,) = clause_judged("iff x + y > 0", plugin="mypaper")
    assert report["verdict"] == "undecided"
    assert f"the derivation rests on a rule of its own, sum-sign ({__name__}), which nothing checks" in report["reason"]
    assert report["symbolic"]["trusted"][0]["source"] == __name__


def test_no_rule_takes_the_place_of_another() -> None:
    with pytest.raises(ValueError, match=r"isserlis' is a rule already, of theorems\.rules; take another name"):
        rule("isserlis")(lambda *_: True)
    with pytest.raises(ValueError, match="sum-sign' is a rule already"):
        rule("sum-sign")(lambda *_: True)


@pytest.mark.parametrize("printed", ["iff x > 0", "iff x + y >= 0", "if x + y >= 0", "iff x + 2*y > 0", "if y > 0"])
def test_a_false_clause_is_refuted_corrected_and_replayed(printed: str) -> None:
    refuted, corrected = clause_judged(printed)
    assert refuted["verdict"] == "refuted"
    assert refuted["correction"]["sympy"] is None
    assert corrected["verdict"] == "verified"
    assert corrected["printed"] == {"positive": "iff x + y > 0"}
    found = refuted["counterexample"]
    assert found["printed"] != found["true"]
    again = clause_judged(printed, case=found["params"])[0]
    assert again["verdict"] == "refuted"
    assert again["counterexample"] == found


def test_a_fault_in_the_empirical_check_is_a_conflict() -> None:
    (report,) = clause_judged("iff x + y > 0", lambda x, y: {"positive": Fraction(x) + Fraction(y) >= 0})
    assert report["verdict"] == "conflict"
    assert "observed True" in report["reason"]


def test_an_empirical_check_that_rarely_decides_shows_too_little() -> None:
    def hesitant(x: Any, y: Any) -> dict[str, bool | tuple[float, float] | None]:
        return {"positive": None if Fraction(x) < 0 else Fraction(x) + Fraction(y) > 0}

    (report,) = clause_judged("iff x + y > 0", hesitant)
    assert report["verdict"] == "undecided"
    assert "was decided in" in report["reason"]


def test_a_property_that_is_always_true_is_hardly_tried() -> None:
    (report,) = clause_judged("iff x + y > 0", ranges={"x": ("1", "2"), "y": ("1", "2")})
    assert report["verdict"] == "undecided"
    assert "hardly tried" in report["reason"]


def test_a_fault_in_the_derivation_is_not_licensed() -> None:
    def faulty() -> dict[str, Equivalence]:
        step = Step("sum-sign", "by definition", ("positive", ("x + y >= 0",)))
        return {"positive": Equivalence("positive", ("x + y >= 0",), (), (step,), "definition")}

    with derived(CLAIM, faulty), simulated(Observation(CLAIM, definition)):
        (report,) = judged(statement("iff x + y >= 0"))
    # what is not licensed proves nothing, and the empirical check contradicts what it says
    assert report["symbolic"]["status"] == "undecided"
    assert report["verdict"] == "undecided"
    assert "its value is not the empirical check's: positive at" in report["reason"]


def with_a_place() -> dict[str, Equivalence | Fact]:
    """A number x + y beside the property: the mean of a variable that takes this value only."""
    place, one = parse("x + y"), sp.Integer(1)
    step = Step("finite-expectation", "", ((place,), (one,), parse("x"), 1, place))
    return {**derivation(), "place": fact(place, (step,), "")}


def test_a_number_outside_its_bracket_is_a_conflict() -> None:
    def enclosed(x: Any, y: Any) -> dict[str, bool | tuple[float, float] | None]:
        total = float(Fraction(x) + Fraction(y))
        return {"positive": total > 0, "place": (total + 1, total + 2)}

    with derived(CLAIM, with_a_place), simulated(Observation(CLAIM, enclosed)):
        (report,) = judged(statement("iff x + y > 0"))
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
    # the clause of a claim is changed at every look at it
    assert clause_mutants(("2*x + y > 0", "x < 0")) is clause_mutants(("2*x + y > 0", "x < 0"))


def test_a_case_that_the_empirical_check_does_not_decide_shows_nothing() -> None:
    (report,) = clause_judged("iff x + y > 0", lambda x, y: {"positive": None}, case={"x": "1", "y": "1"})
    assert report["verdict"] == "undecided"
    assert "does not decide positive at this case" in report["reason"]


def test_a_clause_whose_conditions_never_hold_says_nothing() -> None:
    (report,) = clause_judged("if x + y > 0 & x + y < 0")
    assert report["verdict"] == "undecided"
    assert "says nothing" in report["reason"]


# -- numbers that both sides enclose


def judged_between(lows: str, highs: str, seen: Callable[[float], tuple[float, float] | None]) -> Any:
    """The claim with a number x^2 + 1 between what is derived and what is observed; its print has the right signs."""

    def with_number() -> dict[str, Equivalence | Enclosed]:
        ends = (tuple(parse(text) for text in part.split(";") if text) for part in (lows, highs))
        return {**derivation(), "square": Enclosed(*ends)}

    def enclosing(x: Any, y: Any) -> dict[str, bool | tuple[float, float] | None]:
        return {**definition(x, y), "square": seen(float(Fraction(x)) ** 2 + 1)}

    with derived(CLAIM, with_number), simulated(Observation(CLAIM, enclosing)):
        (report,) = judged(statement("iff x + y > 0"))
    return report


def within(part: float) -> Callable[[float], tuple[float, float]]:
    return lambda value: (value * (1 - part), value * (1 + part))


def test_a_number_that_both_sides_enclose_is_compared_and_shown() -> None:
    report = judged_between("x**2 + 1;x**2", "x**2 + 1", within(1e-3))
    assert report["verdict"] == "verified", report["reason"]
    assert "square is enclosed within 2.0e-03 of it at every case" in report["simulation"]["power"]
    assert report["simulation"]["detectable"] == pytest.approx(2e-3, rel=0.01)
    rows = [row for row in report["cases"] if row["quantity"] == "square"]
    assert rows and all(row["low"] < float(row["derived"].split(" to ")[0]) < row["high"] for row in rows)


@pytest.mark.parametrize(
    ("lows", "highs"),
    [
        ("51*(x**2 + 1)/50", "51*(x**2 + 1)/50"),
        ("49*(x**2 + 1)/50", "49*(x**2 + 1)/50"),
        ("x**2", "x**2"),
        ("x**2 + 1;x**2 + 21/20", ""),
        ("", "x**2 + 1;x**2 + 19/20"),
    ],
)
def test_a_fault_in_either_end_is_a_conflict_though_no_sign_moves(lows: str, highs: str) -> None:
    report = judged_between(lows, highs, within(1e-3))
    assert report["verdict"] == "conflict"
    assert "square at" in report["reason"] and "observed in" in report["reason"]


def test_a_fault_in_what_is_observed_is_a_conflict() -> None:
    for fault in (1.02, 0.98):
        report = judged_between("x**2 + 1", "x**2 + 1", lambda value: within(1e-3)(fault * value))  # noqa: B023
        assert report["verdict"] == "conflict"


def test_an_enclosure_that_is_wide_or_missing_shows_too_little() -> None:
    report = judged_between("x**2 + 1", "x**2 + 1", within(0.05))
    assert report["verdict"] == "undecided" and "2% up" in report["reason"]
    report = judged_between("x**2 + 1", "x**2 + 1", lambda value: None if value > 2 else within(1e-3)(value))
    assert report["verdict"] == "undecided" and "the empirical check encloses square at" in report["reason"]


#: Claims of Section 7, and a case where a cost may be off by a few percent without any change of a sign.
PLACES = {
    "sinks-always-cheaper": {"C": "2", "n": "2", "lam": "4/5", "overlap": "1/2"},
    "diag-lower": {"C": "2", "n": "2", "lam": "4/5", "overlap": "1", "d": "16", "kappa": "1", "budget": "1"},
}


def conflicts(claim: str, case: Any) -> list[str]:
    """What is in conflict at a case of a claim of Section 7, and the truth values that were seen there."""
    load_simulations(by_id()[f"lampert2026.sec7.{claim}"])
    report = judged(f"lampert2026.sec7.{claim}", case)[0]
    signs = [row for row in report["cases"] if row["derived"] in ("True", "False")]
    assert signs and all(row["derived"] == str(bool(row["estimate"])) for row in signs)
    return [report["reason"]] if report["verdict"] == "conflict" else []


@pytest.mark.parametrize("claim", PLACES)
def test_the_least_costs_of_both_sides_meet(claim: str) -> None:
    assert conflicts(claim, PLACES[claim]) == []


@pytest.mark.parametrize(
    ("claim", "pattern"), [*(("sinks-always-cheaper", one) for one in second.PATTERNS), ("diag-lower", "diag")]
)
@pytest.mark.parametrize("factor", [1.02, 0.98])
def test_a_cost_that_is_off_by_a_factor_is_noticed_in_either_side(
    monkeypatch: pytest.MonkeyPatch, claim: str, pattern: str, factor: float
) -> None:
    name = second.COSTS[pattern]
    sound, certified = second.bracket, symmetric

    def observed(which: str, *place: Any) -> tuple[float, float]:
        low, high = sound(which, *place)
        return (low * factor, high * factor) if which == pattern else (low, high)

    def derived_off(which: str, *place: Any) -> Any:
        found, off = certified(which, *place), Fraction(factor)
        return replace(found, low=found.low * off, high=found.high * off) if which == pattern else found

    for side, attribute, wrong in ((second, "bracket", observed), (first, "symmetric", derived_off)):
        with monkeypatch.context() as planted:
            planted.setattr(side, attribute, wrong)
            (reason,) = conflicts(claim, PLACES[claim])
            assert name in reason


@pytest.mark.parametrize(
    ("claim", "pattern", "others"),
    [
        ("sinks-always-cheaper", "sink", "dormant"),
        ("sinks-always-cheaper", "diag", "copies"),
        ("diag-lower", "diag", "copies"),
    ],
)
def test_constraints_left_out_are_noticed_though_the_order_of_the_costs_stays(
    monkeypatch: pytest.MonkeyPatch, claim: str, pattern: str, others: str
) -> None:
    """Dormant queries need not turn from other dormant tokens, or from copy tokens."""
    every = second.contests

    def fewer(C: int, n: int, which: str) -> Any:
        ways = every(C, n, which)
        query, loser = ways[:, 0], ways[:, 2]
        left = (query > C) & ((loser > C) if others == "dormant" else (loser > 0) & (loser <= C))
        return ways[~left] if which == pattern else ways

    monkeypatch.setattr(second, "contests", fewer)
    second.bracket.cache_clear()
    try:
        (reason,) = conflicts(claim, PLACES[claim])
    finally:
        second.bracket.cache_clear()
    assert second.COSTS[pattern] in reason


def test_a_wrong_unit_and_a_wrong_bound_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """kappa/sqrt(d) left out of what was derived; a bound of all diagonal costs with a term too many."""
    between = first.diagonal_between
    case = PLACES["diag-lower"] | {"budget": "1/8"}
    with monkeypatch.context() as planted:
        planted.setattr(first, "diagonal_between", lambda route, unit: between(route))
        assert "least diagonal cost" in conflicts("diag-lower", case)[0]

    def higher(route: bool, unit: sp.Expr) -> Enclosed:
        found = between(route, unit)
        low = found.lows[1] + 2 * unit / lam
        return replace(found, lows=(found.lows[0], low, found.lows[2]))

    with monkeypatch.context() as planted:
        planted.setattr(first, "diagonal_between", higher)
        assert "least diagonal cost" in conflicts("diag-lower", case)[0]


@pytest.mark.parametrize("points", [None, ({"x": "7/2", "y": "-9/4"}, {"x": "-5/3", "y": "11/3"})])
def test_a_counterexample_is_shrunk_where_the_derivation_names_no_small_one(points: Any) -> None:
    def told() -> dict[str, Equivalence]:
        own = derivation()["positive"]
        return {"positive": replace(own, points=points or own.points)}

    wider = {"x": ("7/2", "-5/3", *VALUES), "y": ("-9/4", "11/3", *VALUES)}
    with derived(CLAIM, told), simulated(Observation(CLAIM, definition)):
        report = judged(statement("iff x > 0", ranges=wider))[0]
    assert report["verdict"] == "refuted", report["reason"]
    assert report["counterexample"] is not None
    assert all(len(str(value)) <= 2 for value in report["counterexample"]["params"].values()), report["counterexample"]


def test_a_number_that_is_never_enclosed_is_not_looked_at() -> None:
    with derived(CLAIM, with_a_place), simulated(Observation(CLAIM, definition)):
        (report,) = judged(statement("iff x + y > 0"))
    assert report["verdict"] == "undecided"
    assert report["reason"] == "the empirical check encloses place at no case"
