"""Whether a changed empirical check says the same: what is told apart, what is not, and what calls show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import torch

from montecarlo import registry
from montecarlo.empirical_checks import Evaluation, Growth, Observation, Points, Search, Simulation
from proofs_check.claims.pairing import Pair
from tests.mutation import same, simulators
from tests.mutation.replay import MOST, Recorder, copied, equal, repeated, telling
from tests.mutation.same import alike, coarse, otherwise, spoken, unsound
from tests.mutation.simulators import SimulatorMutant, judged_simulator, simulator_mutants
from theorems.claims.catalogue import by_id


def told(claim: str, change: Any) -> str:
    """Why the claim's empirical check with its results changed says the same; "" where it does not."""
    entry: Any = registry.find(claim)
    other = replace(entry, function=simulators._signed(entry.function, lambda *a, **k: change(entry.function(*a, **k))))
    pair, cases = Pair(by_id()[claim]), simulators._planned(claim)
    return alike(pair, entry, spoken(pair, entry, cases), spoken(pair, other, cases))


def test_numbers_of_the_same_draws_are_told_apart_beyond_rounding() -> None:
    claim = "bao2024.appA.eq15"
    assert "the same numbers from the same draws" in told(claim, lambda found: found)
    assert told(claim, lambda found: {name: x * (1 + 1e-12) for name, x in found.items()})
    for off in (lambda x: -x, lambda x: x * 1.001, lambda x: x + 1e-3):
        assert not told(claim, lambda found, off=off: {name: off(x) for name, x in found.items()})


@pytest.mark.slow
def test_an_evaluation_may_move_within_its_bound_which_exact_errors_keep() -> None:
    claim = "bao2024.sec2.softmax-taylor"

    def changed(off: float, factor: float) -> str:
        return told(claim, lambda found: {n: (v + off * e, factor * e) for n, (v, e) in found.items()})

    assert changed(0, 1) == changed(0, 2) and changed(0, 1).startswith("the same numbers, bounds")
    assert changed(0.25, 1).startswith("numbers within the stated error")
    # beyond the bound, a bound that the exact error does not keep twice over, and one that is too wide
    assert not changed(1.5, 4) and not changed(0.75, 1) and not changed(0.5, 0.5) and not changed(0, 1e10)
    assert not told(claim, lambda found: {n: v for n, v in found.items() if n != "offset"})


def test_a_search_may_look_at_other_points_if_its_numbers_are_right_there() -> None:
    claim = "bao2024.appC.lemma2-inequality"

    def some(found: Points, factor: float = 1.0, error: float = 1.0) -> Points:
        keep = slice(0, None, 2)
        columns = {n: factor ** (n == "value") * v[keep] for n, v in found.columns.items()}
        errors = {n: error * v[keep] for n, v in found.errors.items()}
        return Points(columns, errors, {n: rows[keep] for n, rows in found.matrices.items()})

    assert told(claim, lambda found: found) == f"the same numbers at {same.POINTS} further points"
    assert told(claim, some) == "other points, and every number is right at them"
    for options in ({"factor": -1.0}, {"factor": 1.001}, {"error": 0.0}):
        assert not told(claim, lambda found, options=options: some(found, **options))


@pytest.mark.slow
def test_a_search_may_look_elsewhere_where_the_original_says_the_same() -> None:
    """Below lam = 1/10 the least cost of the copy queries needs more than half the width of its bracket."""
    mutant = next(m for m in simulator_mutants("lampert2026.sec7.sink-lower") if "if not small" in m.name)
    assert judged_simulator(mutant) == ("equivalent", "other points, and the original says the same of each")
    entry: Any = registry.find(mutant.claim)
    found = spoken(Pair(by_id()[mutant.claim]), entry, ())
    assert all(same._as_before(entry, found, row) for row in (0, 7))
    off = replace(found, columns={**found.columns, "value": found.columns["value"] * (1 + 1e-15)})
    wide = replace(found, errors={name: 2 * error for name, error in found.errors.items()})
    assert not any(same._as_before(entry, other, 7) for other in (off, wide))
    assert not same._as_before(replace(entry, at=None), found, 7)


@pytest.mark.slow
def test_a_search_for_a_least_value_may_look_anywhere_and_must_reach_it() -> None:
    claim = "bao2024.sec5.eq9"

    def some(found: Points, by: float = 0.0, keep: slice = slice(0, None)) -> Points:
        columns = {n: (v + by * (n == "value"))[keep] for n, v in found.columns.items()}
        return Points(columns, {n: v[keep] for n, v in found.errors.items()}, {})

    # one score up at all starts: the least value at once
    said = "other points, none below the least value, which is reached"
    assert told(claim, lambda found: some(found, keep=slice(0, None, 5))) == said
    # no start with one score up at some T, and numbers that are below the least value, or above it
    for by in (-1e-6, 0.1):
        assert not told(claim, lambda found, by=by: some(found, by))


def test_other_answers_and_bounds_that_do_not_hold_are_seen() -> None:
    one: list[Mapping[str, Any]] = [{"a": True, "b": None}, {"a": False}, {"a": None}]
    more: list[Mapping[str, Any]] = [{"a": True, "b": False}, {"a": False}, {"a": True}]
    other: list[Mapping[str, Any]] = [{"a": None, "b": None}, {"a": True}, {}]
    assert otherwise(one, more) == ""
    assert otherwise(one, other) == "another answer at 2 of 3 further cases"
    claim = "bao2024.appC.lemma2-derivative"
    pair, entry = Pair(by_id()[claim]), registry.find(claim)
    said = spoken(pair, entry, ())
    assert unsound(pair, entry, said) == ""
    tight = [(raw, {n: (value, 0.0) for n, (value, _) in found.items()}) for raw, found in said]
    assert unsound(pair, entry, tight).startswith("its bound of the error does not hold at")


@pytest.mark.slow
def test_the_points_of_a_derivation_are_further_cases() -> None:
    """A head and its transpose are told apart where the head takes the tokens' difference to 0."""
    claim = "lampert2026.sec5.dense-smooths-more"
    turned = next(m for m in simulator_mutants(claim) if m.name.endswith("W transposed"))
    assert any(raw["W"] == [["0", "1"], ["0", "0"]] for raw in same.further(Pair(by_id()[claim])))
    assert judged_simulator(turned)[0] == "caught"


@pytest.mark.slow
def test_a_growth_may_change_by_a_factor_but_not_by_a_power() -> None:
    claim = "bao2024.appB.order19"
    assert told(claim, lambda found: {n: -3 * x for n, x in found.items()}) == "a multiple of the original's numbers"

    def longer(generator: torch.Generator, n: int, T: int) -> Mapping[str, Any]:
        entry: Any = registry.find(claim)
        return {name: x * T**0.5 for name, x in entry.function(generator, n, T).items()}

    pair, entry = Pair(by_id()[claim]), registry.find(claim)
    said = spoken(pair, entry, ()), spoken(pair, replace(entry, function=longer), ())
    assert not alike(pair, entry, *said)


def test_truth_values_and_counts_are_coarse() -> None:
    observation = registry.find("lampert2026.sec4.prop41")
    assert coarse(observation, [])
    evaluation = Evaluation("a.b", lambda: None)
    assert coarse(evaluation, [({}, {"maxima": (2.0, 0.0), "place": (0.5, 0.1)}), ({}, {"maxima": (1.0, 0.0)})])
    assert not coarse(evaluation, [({}, {"place": (0.5, 0.1)}), ({}, {"place": (1.0, 0.0)})])
    pair = Pair(by_id()["lampert2026.sec4.prop41"])
    assert alike(pair, observation, [{"representable": True}], [{"representable": True}]) == ""


# ---- calls


def halved(x: Fraction, parts: list[torch.Tensor], *, up: bool = False) -> tuple[Fraction, torch.Tensor]:
    parts[0] += 1
    return x / 2 + up, parts[0] * 2


def positive(x: Fraction) -> bool:
    return x > 0


def test_calls_are_recorded_as_they_were_made() -> None:
    part = torch.zeros(2)
    with Recorder([halved, positive]) as found:  # type: ignore[list-item]
        halved(Fraction(1), [part])
        halved(Fraction(3), [part], up=True)
        positive(Fraction(-1))
    calls: Any = dict(found.calls)
    assert [given["x"] for given, _ in calls[halved]] == [1, 3]
    # the tensor was changed by the call, its copy was not
    assert float(calls[halved][0][0]["parts"][0][0]) == 0 and float(calls[halved][1][0]["parts"][0][0]) == 1
    assert repeated(halved, calls[halved]) and repeated(positive, calls[positive])
    assert not repeated(lambda x, parts, up: (x / 2, parts[0] * 2), calls[halved])
    assert telling(calls[halved]) and not telling(calls[positive]) and not telling([])


def test_many_calls_are_thinned_out() -> None:
    with Recorder([positive]) as found:  # type: ignore[list-item]
        for k in range(4 * MOST):
            positive(Fraction(k))
    (calls,) = found.calls.values()
    assert MOST // 4 < len(calls) < MOST
    assert max(given["x"] for given, _ in calls) > 3 * MOST


def test_results_are_compared_to_the_last_bit() -> None:
    one = {"a": [torch.ones(2), np.array([1.0, np.nan])], "b": (Fraction(1, 3), None)}
    assert equal(one, copied(one))
    for other in (
        {"a": [torch.ones(3), one["a"][1]], "b": one["b"]},
        {"a": [one["a"][0], np.array([1.0, 2.0])], "b": one["b"]},
        {"a": one["a"], "b": (Fraction(1, 3), 0)},
        {"b": one["b"], "a": one["a"]},
    ):
        assert not equal(one, other)
    assert not equal(1, 1.0) and not equal(len, len)


# ---- mutants


def test_a_mutant_of_a_truth_value_is_equivalent_by_its_calls_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    claim = "lampert2026.sec4.prop41"
    unused = [m for m in simulator_mutants(claim) if m.code is None]
    assert unused and all(judged_simulator(m)[0] == "caught" for m in unused)
    code = next(m for m in simulator_mutants(claim) if m.code is not None)
    monkeypatch.setattr(simulators, "_judged", lambda *_, **__: "verified")
    monkeypatch.setattr(simulators, "_word", lambda *_: "verified")
    monkeypatch.setattr(simulators, "_calls", lambda _: {})
    monkeypatch.setattr(simulators, "_told_apart", lambda _: "")
    assert judged_simulator(code)[0] == "survived"
    monkeypatch.setattr(simulators, "telling", lambda _: True)
    assert judged_simulator(code)[0] == "equivalent"


def test_a_simulation_that_breaks_on_further_cases_is_caught() -> None:
    claim = "bao2024.appA.eq15"

    def broken(walk: Any, W: Any, i: int) -> Any:
        raise ArithmeticError("never")

    mutant = SimulatorMutant(claim, f"{claim}: broken", broken)
    assert judged_simulator(mutant) == ("caught", "raised ArithmeticError")


def test_every_kind_of_second_side_is_compared() -> None:
    kinds = {type(registry.find(claim.id)) for claim in by_id().values() if not claim.plugin and has(claim.id)}
    assert kinds >= {Simulation, Evaluation, Search, Growth, Observation}


def has(claim: str) -> bool:
    try:
        registry.find(claim)
    except LookupError:
        return False
    return True
