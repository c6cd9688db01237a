"""The sampled side: plans, confirmation on fresh seeds, and planted faults, each of which must be caught."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest
from torch import Tensor

import montecarlo.engine
from montecarlo import registry
from montecarlo.registry import Simulation
from montecarlo.walks import Walks, block_walks, form
from proofs_check import runner, sampling
from proofs_check.evidence import EFFORTS, Bench
from proofs_check.intervals import Interval
from proofs_check.pairing import Pair
from proofs_check.runner import Options, Silent
from theorems import wick
from theorems.catalogue import Statement, by_id
from theorems.process import KERNELS
from theorems.rules import RULES

EQ11, EQ15, EQ16 = (f"bao2024.appA.eq{k}" for k in (11, 15, 16))
DELTA = 1e-9
UNIT: dict[str, Any] = {"d": 1, "W": [["1"]], "Sigma": [["1"]], "start": "sigma"}


def judged(claim: Statement | str, case: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
    """The reports of a claim and its correction, at quick effort."""
    statement = by_id()[claim] if isinstance(claim, str) else claim
    options = Options(effort="quick", seed=0, device="cpu", jobs=1, case=case)
    return [report for report, _ in runner.judge(statement, options, "cpu", Silent())]


# -- what is found without a fault


def test_without_a_fault_the_two_claims_below_are_told_apart() -> None:
    assert [report["verdict"] for report in judged(EQ11)] == ["verified"]
    assert [report["verdict"] for report in judged(EQ15)] == ["refuted", "verified"]


def test_the_counterexample_is_the_smallest_and_exact() -> None:
    found = judged(EQ15)[0]["counterexample"]
    assert found == {"params": UNIT | {"i": 1}, "printed": "0", "true": "1"}


def test_a_case_where_print_and_truth_coincide_refutes_nothing() -> None:
    claim = replace(by_id()[EQ15], printed={"moment": "i*tr1 + (i - 2)*tr1"})
    (report,) = judged(claim, UNIT | {"i": 2})
    assert report["verdict"] == "undecided"
    assert report["reason"] == "disproved, but no simulated case tells the print from the truth"
    assert judged(claim, UNIT | {"i": 3})[0]["verdict"] == "refuted"


# -- plans


def test_a_plan_is_whole_blocks_and_grows_with_the_power_wanted() -> None:
    pair, simulation = Pair(by_id()[EQ15]), registry.find(EQ15)
    quick = sampling.plan_case(pair, simulation, UNIT | {"i": 3}, DELTA, Bench(effort=EFFORTS["quick"]))
    standard = sampling.plan_case(pair, simulation, UNIT | {"i": 3}, DELTA, Bench(effort=EFFORTS["standard"]))
    assert quick is not None and standard is not None
    block = block_walks(3, 1)
    assert quick.walks % block == standard.walks % block == 0
    assert quick.normals == 3 * quick.walks
    thorough = sampling.plan_case(pair, simulation, UNIT | {"i": 3}, DELTA, Bench(effort=EFFORTS["thorough"]))
    assert thorough is not None
    assert 2 * quick.walks < standard.walks
    assert 3 * standard.walks < thorough.walks < 5 * standard.walks
    variance, scale, tolerance = standard.quantities["moment"]
    assert [variance, scale, tolerance] == pytest.approx([18, math.sqrt(18), 0.01 * math.sqrt(18)])


def test_a_case_that_costs_too_much_has_no_plan() -> None:
    pair, simulation = Pair(by_id()[EQ15]), registry.find(EQ15)
    poor = Bench(effort=replace(EFFORTS["quick"], most_normals=10_000))
    assert sampling.plan_case(pair, simulation, UNIT | {"i": 3}, DELTA, poor) is None


def test_a_quantity_that_does_not_vary_takes_two_blocks() -> None:
    pair, simulation = Pair(by_id()[EQ15]), registry.find(EQ15)
    planned = sampling.plan_case(pair, simulation, UNIT | {"i": 1, "start": "zero"}, DELTA, Bench())
    assert planned is not None
    assert planned.walks == 2 * block_walks(1, 1)
    assert planned.quantities["moment"][0] == 0.0
    (report,) = judged(EQ15, UNIT | {"i": 1, "start": "zero"})
    assert report["verdict"] == "undecided"
    assert report["cases"][0]["printed"] is None
    assert report["cases"][0]["low"] <= 0 <= report["cases"][0]["high"]


def test_nothing_affordable_is_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(EFFORTS, "quick", replace(EFFORTS["quick"], most_normals=10_000))
    for claim, case in ((EQ11, None), (EQ15, None), (EQ15, UNIT | {"i": 3})):
        (report,) = judged(claim, case)
        assert report["verdict"] == "undecided"
        assert report["reason"]
    assert report["simulation"]["status"] == "underpowered"
    assert report["reason"] == "no affordable case among 1 drawn at this effort"


def test_a_simulation_of_another_degree_than_it_says_is_an_error() -> None:
    def low(walk: Walks, W: Tensor, i: int) -> dict[str, Tensor]:
        x = walk.token(i)
        return {"moment": form(x, W, x)}

    with registry.registered(Simulation(EQ15, low, 1)):
        (report,) = judged(EQ15)
    assert report["verdict"] == "error"
    assert "declares degree 1 for moment, the derivation's is 2" in report["reason"]


# -- the streams


class Spy:
    """Keeps what every sample was asked for."""

    def __init__(self, original: Any) -> None:
        self.original, self.calls = original, []  # type: tuple[Any, list[tuple[str, str, Any]]]

    def __call__(self, simulation: Any, case: Any, **options: Any) -> Any:
        sample = self.original(simulation, case, **options)
        means = next(iter(sample.estimates.values())).block_means
        self.calls.append((options["claim_id"], options["key"], tuple(means)))
        return sample


@pytest.fixture
def spy(monkeypatch: pytest.MonkeyPatch) -> Spy:
    found = Spy(montecarlo.engine.draw)
    monkeypatch.setattr(montecarlo.engine, "draw", found)
    return found


def test_a_refutation_is_confirmed_on_a_stream_of_its_own(spy: Spy) -> None:
    refuted, corrected = judged(EQ15)
    first = [call for call in spy.calls if call[0] == EQ15]
    own = [call for call in spy.calls if call[0] == EQ15 + ".corrected"]
    assert len(first) + len(own) == len(spy.calls)
    names = [(claim, key) for claim, key, _ in spy.calls]
    assert len(set(names)) == len(names)
    # no two samples share a block
    blocks = [mean for _, _, means in spy.calls for mean in means if mean != 0]
    assert len(set(blocks)) == len(blocks)
    (confirmation,) = [call for call in first if call[1].endswith("confirmation")]
    (searched,) = [call for call in first if call[1] + "confirmation" == confirmation[1]]
    assert confirmation[2] != searched[2] and len(confirmation[2]) == len(searched[2])
    assert refuted["simulation"]["samples"] > sum(row["samples"] for row in refuted["cases"])
    assert corrected["simulation"]["samples"] == sum(row["samples"] for row in corrected["cases"])


def test_a_refutation_that_fresh_seeds_do_not_confirm_is_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    original = sampling.measure

    def measure(*arguments: Any) -> Any:
        found = original(*arguments)
        if arguments[-1] == "confirmation":
            found = [replace(m, interval=Interval(-10.0, 10.0, 0.0, 1.0, 0.0)) for m in found]
        return found

    monkeypatch.setattr(sampling, "measure", measure)
    (report,) = judged(EQ15)
    assert report["verdict"] == "undecided"
    assert report["simulation"]["status"] == "contradicts"
    assert report["counterexample"] is None and report["correction"] is None


# -- rules that never reject


def test_an_interval_that_leaves_nothing_out_verifies_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Interval, "holds", lambda self, value: True)
    (report,) = judged(EQ11)
    assert report["verdict"] == "undecided"
    assert "decoys survive" in report["reason"]
    assert report["decoys"]["caught"] == 0 < report["decoys"]["of"]
    (report,) = judged(EQ15)
    assert report["verdict"] == "undecided"


def test_infinitely_wide_intervals_verify_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def everything(means: Any, *_: Any, **__: Any) -> Interval:
        return Interval(-math.inf, math.inf, float(means.mean()), math.inf, math.inf)

    monkeypatch.setattr(sampling, "interval", everything)
    for claim in (EQ11, EQ15):
        (report,) = judged(claim)
        assert report["verdict"] == "undecided"
        assert report["simulation"]["status"] == "underpowered"
        assert report["simulation"]["detectable"] is None
        assert report["decoys"]["caught"] == 0 < report["decoys"]["of"]


# -- planted faults, each a conflict


def assert_conflict(claim: Statement | str) -> dict[str, Any]:
    (report,) = judged(claim)
    assert report["verdict"] == "conflict", report["reason"]
    assert report["reason"]
    assert report["counterexample"] is None and report["correction"] is None
    return report


class AlwaysZero(Walks):
    """Starts every walk at 0."""

    def __init__(self, normals: Tensor, root: Tensor, start: str = "sigma") -> None:
        super().__init__(normals, root, "zero")


class NeverZero(Walks):
    """Starts every walk at a token of its own."""

    def __init__(self, normals: Tensor, root: Tensor, start: str = "sigma") -> None:
        super().__init__(normals, root, "sigma")


class OneStepMore(Walks):
    """Takes a token too late."""

    def token(self, i: int) -> Tensor:
        return super().token(min(i + 1, self.T)) * (1.0 if i < self.T else 2.0)


@pytest.mark.parametrize("fault", [AlwaysZero, NeverZero, OneStepMore])
def test_a_walk_that_starts_wrong_is_a_conflict(fault: type[Walks], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(montecarlo.engine, "Walks", fault)
    report = assert_conflict(EQ15)
    assert "derivation and simulation disagree" in report["reason"]


def test_a_biased_simulation_is_a_conflict() -> None:
    def biased(x: Tensor, W: Tensor) -> dict[str, Tensor]:
        return {"moment": form(x, W, x) + 0.1 * x.square().sum(1)}

    with registry.registered(Simulation(EQ11, biased, 2)):
        assert "derivation and simulation disagree" in assert_conflict(EQ11)["reason"]


def test_a_derivation_for_another_start_of_the_walk_is_a_conflict(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(KERNELS, "sigma", KERNELS["zero"])
    report = assert_conflict(EQ15)
    # the fault makes the false print look proved
    assert report["symbolic"]["status"] == "proved"


@pytest.fixture
def dropped_pairing(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Wick's theorem without one kind of pairing in the products of four factors."""
    original = wick._contract

    def contract(letters: Any, ends: Any, centred: bool) -> Any:
        found = original(letters, ends, centred)
        return found[:-1] if sum(isinstance(end, int) for end in ends) == 4 else found

    monkeypatch.setattr(wick, "_contract", contract)
    yield


@pytest.mark.usefixtures("dropped_pairing")
def test_a_wrong_contraction_does_not_pass_the_kernel() -> None:
    (report,) = judged(EQ16)
    assert report["symbolic"]["status"] == "undecided"
    assert report["symbolic"]["method"] == "a step of the derivation is not licensed"
    assert report["verdict"] == "conflict"


@pytest.mark.usefixtures("dropped_pairing")
def test_a_wrong_contraction_that_passes_the_kernel_is_a_conflict(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(RULES, "isserlis", lambda *_: True)
    report = assert_conflict(EQ16)
    assert report["symbolic"]["status"] == "disproved"
    assert "tr2" not in report["symbolic"]["exact"]
