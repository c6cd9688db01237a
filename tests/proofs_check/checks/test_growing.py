"""Claims about growth: intervals that hold under heavy tails, exponents, and verdicts on planted prints and growths."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from montecarlo import registry
from montecarlo.empirical_checks import Growth
from proofs_check.checks import growing
from proofs_check.checks.evidence import EFFORTS, Evidence, RunContext
from proofs_check.checks.growing import Size, exponent, grown, measured
from proofs_check.claims.pairing import Pair
from proofs_check.judging import runner
from proofs_check.judging.judgement import verdict
from proofs_check.judging.options import Options, Silent
from theorems.claims.catalogue import by_id
from theorems.kernel.outcome import Outcome
from theorems.kernel.settle import settle

APPB = "bao2024.appB."
BENCH = RunContext(effort=EFFORTS["quick"], effort_name="quick")
ALPHA = 1e-6


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few and short walks; the exponents are within 1/4 of their limits already."""
    monkeypatch.setattr(growing, "LENGTHS", {"quick": (32, 256)})
    monkeypatch.setattr(growing, "WALKS", {"quick": 4000})


def judged(
    name: str, printed: Mapping[str, str] | None = None, function: Callable[..., Any] | None = None
) -> tuple[Outcome, Evidence, str, str]:
    """Outcome, evidence, verdict and reason of a claim about growth, with another print or empirical check if given."""
    statement = by_id()[APPB + name]
    pair = Pair(replace(statement, printed=dict(printed)) if printed else statement)
    registry.load("bao2024")
    found = registry.find(statement.id)
    assert isinstance(found, Growth)
    outcome = settle(pair.statement, pair.derived())
    second = Growth(statement.id, function) if function else found
    evidence = grown(pair, outcome, second, ALPHA, BENCH)
    return outcome, evidence, *verdict(outcome, evidence)


def planted(power: float, name: str = "eq19") -> Callable[..., dict[str, Tensor]]:
    """Numbers of either sign and heavy tails whose mean grows like T^power."""

    def function(generator: torch.Generator, n: int, T: int) -> dict[str, Tensor]:
        noise = torch.randn(n, generator=generator, dtype=torch.float64)
        return {name: T**power * (noise**3 / 4 + 1 + noise)}

    return function


# -- sizes


def cut_mean(level: float) -> float:
    """E[clip(X, -level, level)] of a Pareto number X >= 1 with P(X > x) = x^{-3/2}: a mean, and no variance."""
    # E[min(X, q)] = 1 + integral of P(X > x) from 1 to q
    return 3 - 2 / math.sqrt(level)


def test_the_interval_holds_the_mean_of_heavy_tails_cut_off() -> None:
    level, missed, delta = 5.0, 0, 0.05
    for seed in range(60):
        values = np.random.default_rng(seed).pareto(1.5, 4000) + 1
        size = measured({"x": values}, {"x": level}, delta)["x"]
        missed += not size.low <= cut_mean(level) <= size.high
        assert size.high - size.low < 0.5 and size.low <= size.centre <= size.high
    # at least 1 - delta each: six misses in sixty are one chance in twenty
    assert missed <= 6
    # it is the number cut off that is measured: the mean itself is 3
    assert cut_mean(level) < 2.2 and size.high < 2.5


def test_an_interval_of_level_delta_is_not_wider_than_it_must_be_by_far() -> None:
    """An error of a few standard errors is told."""
    values = np.random.default_rng(0).pareto(1.5, 20_000) + 1
    size = measured({"x": values}, {"x": 5.0}, 1e-6)["x"]
    error = float(np.clip(values, -5, 5).std()) / math.sqrt(len(values))
    assert size.high - size.low < 30 * error
    assert not size.low <= 1.1 * cut_mean(5.0) <= size.high


def test_a_mean_of_either_sign_has_one_size_and_0_is_kept() -> None:
    rng = np.random.default_rng(0)
    values = rng.standard_normal(5000)
    up, down = (measured({"x": sign * (values + 1)}, {"x": 3.0}, 1e-3)["x"] for sign in (1, -1))
    assert (up.low, up.high, up.centre) == pytest.approx((down.low, down.high, down.centre))
    none = measured({"x": values}, {"x": 3.0}, 1e-3)["x"]
    assert none.low == 0 and 0 < none.high < 0.3


def test_sizes_scale_with_the_numbers() -> None:
    values = np.random.default_rng(0).standard_normal(2000) + 1
    one = measured({"x": values}, {"x": 3.0}, 1e-3)["x"]
    many = measured({"x": 1e9 * values}, {"x": 3e9}, 1e-3)["x"]
    assert (many.low, many.high) == pytest.approx((1e9 * one.low, 1e9 * one.high))


# -- exponents


def sizes(power: float, error: float, extra: Mapping[str, float] | None = None) -> dict[int, dict[str, Size]]:
    powers = {"x": power, **(extra or {})}
    return {
        T: {name: Size((1 - error) * T**p, (1 + error) * T**p, float(T**p)) for name, p in powers.items()}
        for T in (16, 256)
    }


@pytest.mark.parametrize("power", [-1.0, 0.0, 2.5, 3.0])
def test_exponents_are_slopes_between_two_lengths(power: float) -> None:
    low, high = exponent(sizes(power, 0.0), "x", 16, 256)
    assert low == pytest.approx(power) and high == pytest.approx(power)
    low, high = exponent(sizes(power, 0.1), "x", 16, 256)
    reach = math.log(1.1 / 0.9) / math.log(16)
    assert (low, high) == pytest.approx((power - reach, power + reach))


def test_the_exponent_of_a_quotient_takes_both_errors() -> None:
    low, high = exponent(sizes(3.0, 0.1, {"divisor": 2.0}), "x", 16, 256)
    reach = 2 * math.log(1.1 / 0.9) / math.log(16)
    assert (low, high) == pytest.approx((1 - reach, 1 + reach))


def test_a_size_that_may_be_0_leaves_the_exponent_open() -> None:
    found = sizes(3.0, 0.1, {"divisor": 2.0})
    found[16]["x"] = Size(0.0, 1.0, 0.5)
    assert exponent(found, "x", 16, 256)[1] == math.inf
    found = sizes(3.0, 0.1, {"divisor": 2.0})
    found[256]["x"] = Size(0.0, 1.0, 0.5)
    assert exponent(found, "x", 16, 256)[0] == -math.inf
    found = sizes(3.0, 0.1, {"divisor": 2.0})
    found[256]["divisor"] = Size(0.0, 1.0, 0.5)
    assert exponent(found, "x", 16, 256)[1] == math.inf


# -- verdicts


def test_a_print_below_the_sharp_exponent_is_refuted(few: None) -> None:
    outcome, evidence, ruling, _ = judged("order19", {"eq19": "5/2"})
    assert (outcome.status, evidence.status, ruling) == ("disproved", "contradicts", "refuted")
    assert evidence.confirmed and not evidence.conflicts
    assert evidence.counterexample == {"params": {"T": 256}, "printed": "5/2", "true": "3"}
    assert evidence.spent <= ALPHA


@pytest.mark.parametrize(
    ("name", "printed"),
    [("order19", {"eq19": "3"}), ("order19", None), ("order20", {"eq20": "3"}), ("order21", {"eq21": "2"})],
)
def test_a_print_from_the_sharp_exponent_on_is_verified(
    few: None, name: str, printed: Mapping[str, str] | None
) -> None:
    outcome, evidence, ruling, reason = judged(name, printed)
    assert (outcome.status, evidence.status, ruling) == ("proved", "agrees", "verified"), reason
    assert evidence.caught == evidence.decoys == 3 and evidence.samples == 8000
    row: Any
    (row,) = evidence.rows
    assert row["low"] < float(row["derived"]) < row["high"]
    assert evidence.spent <= ALPHA


def test_the_print_5_2_is_refuted_on_the_whole_path(few: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """From the statement to the report, with its print alone replaced."""
    claim = by_id()[f"{APPB}order19"]
    options = Options(effort="quick", device="cpu", jobs=1)
    monkeypatch.setattr(growing, "WALKS", {"quick": 12_000})
    verdicts = {}
    for text in ("5/2", "3"):
        found = runner.judge(replace(claim, printed={"eq19": text}), options, "cpu", Silent())
        verdicts[text] = [(report["id"].rpartition(".")[2], report["verdict"]) for report, _ in found]
        json.dumps([report for report, _ in found], allow_nan=False)
        assert sum(spent for _, spent in found) <= 2 * claim.alpha
        texts = [report["statement"] for report, _ in found if report["id"].endswith("corrected")]
        assert texts == ([r"eq19 = O(T^{3})"] if text == "5/2" else [])
    assert verdicts["3"] == [("order19", "verified")]
    assert verdicts["5/2"] == [("order19", "refuted"), ("corrected", "verified")]


@pytest.mark.parametrize("power", [3.5, 2.0, 2.5, 4.0])
def test_a_planted_growth_is_in_conflict_with_the_derived_exponent(few: None, power: float) -> None:
    _, evidence, ruling, reason = judged("order19", {"eq19": "8"}, planted(power))
    assert ruling == "conflict" and "disagree" in reason
    assert evidence.conflicts[0].startswith("eq19: derived exponent 3, measured [")


def test_a_planted_growth_of_the_derived_exponent_is_verified(few: None) -> None:
    assert judged("order19", {"eq19": "3"}, planted(3.0))[2:] == ("verified", "")


@pytest.mark.slow
def test_dominance_is_not_kept_up_by_20(few: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(growing, "WALKS", {"quick": 16_000})
    monkeypatch.setattr(growing, "LENGTHS", {"quick": (32, 512)})
    outcome, evidence, ruling, reason = judged("dominance")
    assert outcome.status == "disproved" and not evidence.conflicts
    second: Any
    third: Any
    second, third = evidence.rows
    assert second["low"] > -0.5 and third["high"] < -0.5
    assert (evidence.status, ruling) == ("contradicts", "refuted"), reason
    assert evidence.counterexample == {"params": {"T": 512}, "printed": "o(1)", "true": "of order 1"}
    # what is refuted is o(1): O(1) of the same numbers is not
    assert judged("dominance", {"eq20_over_eq19": "O(1)", "eq21_over_eq19": "o(1)"})[2] == "verified"


def test_little_o_is_told_from_big_o_by_half_an_exponent(few: None) -> None:
    """T^3 planted and derived: O(T**3) and o(T**(7/2)) are verified, o(T**3) and O(T**(5/2)) refuted."""
    for printed, expected in (
        ("O(T**3)", "verified"),
        ("o(T**(7/2))", "verified"),
        ("o(T**3)", "refuted"),
        ("O(T**(5/2))", "refuted"),
    ):
        assert judged("order19", {"eq19": printed}, planted(3.0))[2] == expected


def test_noise_alone_leaves_the_claim_undecided(few: None) -> None:
    """A mean that is 0 has no exponent: too little power, and numbers that JSON has."""

    def function(generator: torch.Generator, n: int, T: int) -> dict[str, Tensor]:
        return {"eq19": T**3 * torch.randn(n, generator=generator, dtype=torch.float64)}

    _, evidence, ruling, _ = judged("order19", {"eq19": "3"}, function)
    assert (evidence.status, ruling) == ("underpowered", "undecided")
    row: Any
    (row,) = evidence.rows
    assert row["low"] is None and row["high"] is None and row["estimate"] is None
    json.dumps(evidence.rows, allow_nan=False)
    assert evidence.survivors and evidence.detectable is None


def rare(power: float, chance: Callable[[int], float], kept: float = 3.0) -> Callable[..., dict[str, Tensor]]:
    """Numbers of a typical size that grows like T^kept, and a rare event whose part of the mean grows like T^power."""

    def function(generator: torch.Generator, n: int, T: int) -> dict[str, Tensor]:
        one = planted(kept)(generator, n, T)["eq19"]
        hit = torch.rand(n, generator=generator, dtype=torch.float64) < chance(T)
        return {"eq19": one + 4 * hit * float(T) ** power / chance(T)}

    return function


def test_what_is_cut_off_must_not_grow_faster(few: None) -> None:
    """The mean grows like T^4 by one walk in twenty, which no cut-off at a quantile shows."""
    _, evidence, ruling, reason = judged("order19", {"eq19": "3"}, rare(4.0, lambda _: 0.05))
    assert ruling == "undecided" and not evidence.conflicts
    assert "the exponent of eq19 as it is, not cut off, lies within" in reason
    # of the derived order itself it is no objection
    assert judged("order19", {"eq19": "3"}, rare(3.0, lambda _: 0.08))[2] == "verified"


def test_a_rare_event_does_not_confirm_a_refutation(few: None) -> None:
    """What is kept grows like T^3, but the mean like T^2 only: it is another quantity that breaks the print."""

    def cancelled(generator: torch.Generator, n: int, T: int) -> dict[str, Tensor]:
        one = planted(3.0)(generator, n, T)["eq19"]
        hit = torch.rand(n, generator=generator, dtype=torch.float64) < 0.05
        return {"eq19": one - hit * (T**3 - T**2.0) / 0.05}

    _, evidence, ruling, reason = judged("order19", {"eq19": "5/2"}, cancelled)
    assert ruling == "undecided" and evidence.status == "underpowered"
    assert "not cut off" in reason


def test_the_line_of_a_verdict_says_what_was_measured(few: None) -> None:
    _, evidence, ruling, _ = judged("order21", {"eq21": "2"})
    assert ruling == "verified"
    assert (
        "cut off at the 90% quantile" in evidence.power
        and "of the mean itself they lie within eq21 [" in evidence.power
    )


def test_numbers_that_are_mostly_0_are_an_error(few: None) -> None:
    def function(generator: torch.Generator, n: int, T: int) -> dict[str, Tensor]:
        return {"eq19": torch.zeros(n, dtype=torch.float64)}

    with pytest.raises(ValueError, match="mostly not 0"):
        judged("order19", None, function)


def test_the_confirmation_keeps_the_level_of_the_pilot(few: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """A level taken from the numbers that it cuts off would not be fixed beforehand."""
    levels: dict[float, int] = {}

    def noted(values: Any, cut: Mapping[str, float], delta: float) -> dict[str, Size]:
        levels[cut["eq19"]] = levels.get(cut["eq19"], 0) + 1
        return measured(values, cut, delta)

    monkeypatch.setattr(growing, "measured", noted)
    assert judged("order19", {"eq19": "5/2"})[2] == "refuted"
    assert sorted(levels.values()) == [1, 2]
