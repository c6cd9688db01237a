"""Both sides of a claim at cases as wide as its hypotheses, as a run asks them."""

from __future__ import annotations

from dataclasses import replace
from functools import wraps
from typing import Any

import numpy as np
import pytest
from torch import Tensor

from montecarlo import registry
from proofs_check.checks import agreeing, both_sides
from proofs_check.claims.pairing import Pair
from proofs_check.judging.options import Options, Silent
from proofs_check.judging.runner import judge
from theorems.claims.catalogue import by_id

EQ15 = "bao2024.appA.eq15"


@pytest.fixture
def drawn_at_quick_effort(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(agreeing.DRAWS, "quick", agreeing.DRAWS["standard"])


def wrong_from_five_dimensions_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """Double what eq15 simulates from d = 5 on, which no case that is judged reaches."""
    found: Any = registry.find(EQ15)

    @wraps(found.function)
    def simulated(W: Tensor, **given: Any) -> Any:
        factor = 2 if len(W) >= 5 else 1
        return {name: factor * numbers for name, numbers in found.function(W=W, **given).items()}

    monkeypatch.setitem(registry._REGISTERED, EQ15, replace(found, function=simulated))


def test_a_fault_that_no_judged_case_sees_is_a_conflict(
    monkeypatch: pytest.MonkeyPatch, drawn_at_quick_effort: None
) -> None:
    wrong_from_five_dimensions_on(monkeypatch)
    (report, spent), *_ = judge(by_id()[EQ15], Options(effort="quick"), "cpu", Silent())
    assert report["verdict"] == "conflict", report["traceback"]
    assert {row["params"]["d"] for row in report["cases"]} <= {1, 2, 3, 4}
    assert "the two sides differ at d = 5," in report["reason"]
    assert f"twofold verify {EQ15} --case" in report["reason"]
    assert spent <= by_id()[EQ15].alpha


def test_what_was_asked_stands_in_the_report(drawn_at_quick_effort: None) -> None:
    found = judge(by_id()[EQ15], Options(effort="quick"), "cpu", Silent())
    assert [report["verdict"] for report, _ in found] == ["refuted", "verified"]
    for report, spent in found:
        asked = report["agreement"]
        assert asked["cases"] == asked["compared"] == 30
        assert {"name": "d", "least": "1", "largest": "16"} in asked["ranges"]
        assert {"Sigma singular", "W traceless", "i = 1", "start zero"} <= set(asked["edges"])
        assert not asked["missed"]
        assert 0.01 < (asked["least"] or 0.0) < 0.05
        alone = asked["alone"]
        # power at many cases: as much at half of them as where walks are short
        assert alone and alone["half"] < 0.05 and alone["half"] <= alone["all"] < 0.5
        assert agreeing.PART * by_id()[EQ15].alpha < spent <= by_id()[EQ15].alpha


def test_a_seed_is_no_number_of_the_claim(drawn_at_quick_effort: None) -> None:
    pair = Pair(by_id()["bao2024.sec6.grad-scale-q"])
    asked, told = agreeing.widely(pair, 1e-9, 0, "quick")
    assert not told and {one["name"] for one in asked["ranges"]} == {"dim", "inner"}
    assert {"dim = 1", "dim = 4"} <= set(asked["edges"]) and not any("seed" in edge for edge in asked["edges"])
    found = agreeing.Agreed("own.lemma", cases=[{"dim": "1", "seed": "2"}], missed=["seed = 1"], unasked=["dim = 3"])
    for chosen, edges, missed in (
        ("seed", ["dim = 1"], ["dim = 3"]),
        # of another claim it is one
        ("", ["dim = 1", "seed = 2"], ["dim = 3", "seed = 1"]),
    ):
        row = agreeing.reported(found, ["dim = 1", "dim = 3", "seed = 1", "seed = 2"], chosen)
        assert (row["edges"], row["missed"]) == (edges, missed)
        assert [one["name"] for one in row["ranges"]] == ["dim", "seed"][: 2 - bool(chosen)]


def test_nothing_is_asked_at_quick_effort_nor_of_a_search() -> None:
    nothing = {"cases": 0, "compared": 0, "ranges": [], "edges": [], "missed": [], "least": None, "alone": None}
    for claim, effort in ((EQ15, "quick"), ("bao2024.sec4.eq5", "standard")):
        pair = Pair(by_id()[claim])
        assert agreeing.widely(pair, 1e-9, 0, effort) == (nothing, "")


def test_the_error_that_a_case_shows_alone_is_seen_there() -> None:
    """With rounding or without, either way; half of it in hardly any."""
    budget, n = both_sides.Budget(1e-12), 4096
    runs = np.random.default_rng(0).normal(size=(300, n))
    for off in (1e-9, 0.5):
        for sign in (1, -1):
            shifted = [own + sign * both_sides.alone(own, budget, off) for own in runs]
            assert all(both_sides.compared(own, 0.0, 1.0, off, 1e-12)[0] for own in shifted)
    halves = [own + both_sides.alone(own, budget) / 2 for own in runs]
    assert sum(bool(both_sides.compared(own, 0.0, 1.0, 1e-9, 1e-12)[0]) for own in halves) <= 3


def test_larger_samples_are_of_parts_with_streams_of_their_own() -> None:
    check: Any = registry.find(EQ15)
    both = both_sides.Sides(Pair(by_id()[EQ15]), check)
    case = {"d": 1, "W": [["1"]], "Sigma": [["1"]], "start": "sigma", "i": 1, "j": 1}
    samples = (both_sides.numbers_of(both, check, case, both_sides.Budget(1e-9, effort=k)) for k in (1, 4))
    (one,), (four,) = (sample.values() for sample in samples)
    assert len(four) == 4 * len(one) == 4 * both_sides.MOST and np.array_equal(four[: len(one)], one)
    assert len(set(four.tolist())) > 0.99 * len(four)


def test_numbers_that_hardly_vary_are_no_constant() -> None:
    """x^T W x of a spread below what rounding may move: its tails reach beyond it, and are no disagreement."""
    normals = np.random.default_rng(0).normal(size=200_000)
    numbers, deviation, slack = 1 / 7 + 1e-9 * (normals**2 - 1), 1e-9 * 2**0.5, 1.5e-9
    assert abs(numbers - 1 / 7).max() > 10 * slack
    assert not both_sides.compared(numbers, 1 / 7, deviation**2, slack, 1e-12)[0]
    assert "derived" in both_sides.compared(numbers + 1e-7, 1 / 7, deviation**2, slack, 1e-12)[0]
    assert "without variance" in both_sides.compared(numbers, 1 / 7, 0.0, slack, 1e-12)[0]
