"""The sampled side: plans, confirmation on fresh seeds, and planted faults, each of which must be caught."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest
import sympy as sp
import torch
from torch import Tensor

import montecarlo.engine
from montecarlo import registry
from montecarlo.empirical_checks import Simulation
from montecarlo.walks import Walks, block_walks, form
from proofs_check.api import Verdict, judge
from proofs_check.binding.tied import Binding
from proofs_check.cases import drawn as drawing
from proofs_check.checks import sampling
from proofs_check.checks.evidence import EFFORTS, Planned, RunContext
from proofs_check.checks.intervals import Interval
from proofs_check.claims.pairing import Pair
from proofs_check.judging import variants
from tests.proofs_check.judged import judged
from theorems import authoring
from theorems.algebra.expressions import parse, same, symbol
from theorems.claims import catalogue
from theorems.claims.catalogue import Statement, by_id
from theorems.gaussian.moments import wick
from theorems.gaussian.process import KERNELS
from theorems.kernel import deriving
from theorems.kernel.deriving import derive
from theorems.rules import RULES

EQ11, EQ15, EQ16 = (f"bao2024.appA.eq{k}" for k in (11, 15, 16))
DELTA = 1e-9
UNIT: dict[str, Any] = {"d": 1, "W": [["1"]], "Sigma": [["1"]], "start": "sigma"}


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


def test_lower_order_terms_of_a_print_do_not_matter() -> None:
    claim = by_id()["bao2024.appC.lemma1-B3"]
    shifted = replace(claim, printed={"B3": "(T*(i+1)**2 + (i+1)**3)*tr2 + (i+1)**3*tr1**2"})
    (report,) = judged(shifted)
    assert report["verdict"] == "verified"
    assert report["decoys"]["caught"] == report["decoys"]["of"] > 0


def test_a_false_claim_of_an_order_is_refuted() -> None:
    claim = replace(by_id()["bao2024.appC.lemma1-A"], printed={"A": "0"}, remainder="T")
    refuted, corrected = judged(claim)
    assert refuted["verdict"] == "refuted"
    assert refuted["counterexample"]["printed"] != refuted["counterexample"]["true"]
    assert corrected["verdict"] == "verified"


def test_an_index_below_the_fraction_bar_is_no_error() -> None:
    claim = replace(by_id()[EQ15], symbols=("i", "tr1", "tr2"), printed={"moment": "i*tr1 + tr2/i"})
    refuted = judged(claim)[0]
    assert refuted["verdict"] == "refuted"
    assert refuted["correction"]["sympy"] == "i*tr1"
    assert refuted["decoys"]["caught"] == refuted["decoys"]["of"] > 5


def test_small_scales_are_sampled_like_others() -> None:
    """With Sigma = 10^-8 the moment is 10^-8, the print 0."""
    case = {"d": 1, "i": 1, "W": [["1"]], "Sigma": [["1/100000000"]], "start": "sigma"}
    report = judged(EQ15, case)[0]
    assert report["verdict"] == "refuted"
    (row,) = report["cases"]
    assert 0.9e-8 < row["low"] < row["high"] < 1.1e-8


def test_a_statistic_whose_variance_is_nought_but_for_rounding() -> None:
    """W Sigma = 0 with rotated eigenvectors, so that x^T W x = m^T W m, which float64 does not give exactly."""
    plane = {
        "d": 2,
        "W": [["25/169", "-60/169"], ["-60/169", "144/169"]],
        "m": ["1", "2"],
        "Sigma": [["144/169", "60/169"], ["60/169", "25/169"]],
    }
    (report,) = judged(EQ11, plane)
    assert report["verdict"] == "verified"
    (row,) = report["cases"]
    assert (row["printed"], row["derived"]) == ("361/169", "361/169")
    assert row["low"] <= 361 / 169 <= row["high"]


# -- randomness that is no walk's

COIN = "mypaper.sec3.coin"


@pytest.fixture
def clean_catalogue() -> Iterator[None]:
    """Takes the test's claim out again."""
    yield
    catalogue.discard(COIN)


def coin(printed: str, generator_of: Any, *, effort: str = "quick", own: bool = False, **tails: Any) -> Any:
    """Judge a print of E[X Y (1 - Z)] for three coins that fall on heads with probability p."""
    statement = authoring.claim(
        COIN,
        printed=printed,
        symbols="p",
        model="free",
        parameters="p",
        ranges={"p": "1/4 1/2 3/4"},
        assumptions=["0 <= p <= 1"],
        quantity="E[X Y (1 - Z)]",
    )
    p = symbol("p")

    def heads() -> Any:
        return authoring.finite([(1, p**2 * (1 - p)), (0, 1 - p**2 * (1 - p))]).expect(lambda x: x)

    simulation = Simulation(COIN, generator_of, **tails)
    try:
        if own:
            with registry.registered(simulation):
                return judge(statement, heads, effort=effort, device="cpu", jobs=1)
        return shipped(statement, heads, simulation, effort)
    finally:
        catalogue.discard(COIN)


def shipped(statement: Any, derived: Any, simulation: Simulation, effort: str = "quick") -> Verdict:
    """Judge a claim as one that the suite ships with: one of one's own would be informal, and at best undecided."""
    with registry.registered(simulation), deriving.registered(statement.id, derived):
        reports = judged(replace(statement, plugin=""), effort=effort)
    return Verdict(reports[0], reports[1] if len(reports) > 1 else None)


def tossed(generator: torch.Generator, n: int, p: float) -> Tensor:
    u = torch.rand(n, 3, generator=generator, device=generator.device) < p
    return u[:, 0] & u[:, 1] & ~u[:, 2]


@pytest.mark.usefixtures("clean_catalogue")
def test_a_free_simulation_is_judged_like_any_other() -> None:
    found = coin("p**2*(1 - p)", tossed, bounded=(0, 1))
    assert found.verdict == "verified", found.reason
    assert found.report["simulation"]["trusted"] == []
    assert found.exact is not None and same(parse(found.exact), parse("p**2 - p**3"))
    assert {row["params"]["p"] for row in found.report["cases"]} <= {"1/4", "1/2", "3/4"}
    assert found.report["decoys"]["caught"] == found.report["decoys"]["of"] > 3
    for row in found.report["cases"]:
        p = Fraction(row["params"]["p"])
        assert Fraction(row["derived"]) == p**2 * (1 - p)
        assert row["low"] <= p**2 * (1 - p) <= row["high"]


@pytest.mark.usefixtures("clean_catalogue")
@pytest.mark.parametrize(
    ("tails", "asked"),
    [
        ({"kurtosis": 50.0}, "a kurtosis of at most 50 for value"),
        ({"bounded": (0, 1)}, "bounded = (0, 1) for value, whose numbers are no truth values"),
        ({"degree": 4}, "degree 4 for value, which is not derived as a moment of a polynomial"),
    ],
    ids=str,
)
@pytest.mark.parametrize("printed", ["p**2*(1 - p)", "p**2*(1 + p)"])
def test_tails_that_nothing_shows_cap_what_a_plugin_claims(tails: Any, asked: str, printed: str) -> None:
    """Right or wrong, the print is not decided by a simulation of unknown tails."""
    found = coin(printed, lambda generator, n, p: tossed(generator, n, p).double(), own=True, **tails)
    assert found.verdict == "undecided"
    assert f"the simulation declares {asked}, and nothing shows that it holds" in found.reason
    assert found.report["simulation"]["trusted"] == [asked]


@pytest.mark.usefixtures("clean_catalogue")
@pytest.mark.parametrize("tails", [{"kurtosis": 3.0}, {"bounded": (-1, 1)}], ids=str)
def test_a_rare_event_behind_declared_tails_verifies_nothing(tails: Any) -> None:
    """A sign, but for one number in 10^9 that makes the mean p: no sample shows it, and the declaration is false."""

    def signs(generator: torch.Generator, n: int, p: float) -> Tensor:
        u, v = torch.rand(2, n, generator=generator, dtype=torch.float64)
        return torch.where(u < 1e-9, 1e9 * p, torch.where(v < 0.5, -1.0, 1.0))

    def derived() -> Any:
        return authoring.finite([(-1, sp.Rational(1, 2)), (1, sp.Rational(1, 2))]).expect(lambda x: x)

    statement = authoring.claim(
        COIN, printed="0", symbols="", model="free", parameters="p", ranges={"p": "1 2"}, quantity="E X, which is p"
    )
    with registry.registered(Simulation(COIN, signs, **tails)):
        found = judge(statement, derived, effort="quick", device="cpu", jobs=1)
    assert (found.verdict, found.report["simulation"]["status"]) == ("undecided", "underpowered")
    assert "informal" in found.reason and "randomness of its own" in found.reason
    assert "nothing shows that it holds" in found.reason


def test_what_the_suite_trusts_of_its_own_simulations_is_told() -> None:
    claim = by_id()["lampert2026.sec5.dprime-1"]
    report = judged(claim)[0]
    assert report["verdict"] == "verified"
    assert report["simulation"]["trusted"] == ["a kurtosis of at most 450 for slope"]


@pytest.mark.usefixtures("clean_catalogue")
def test_a_false_print_of_a_free_model_is_refuted_and_corrected() -> None:
    found = coin("p**2*(1 + p)", tossed, bounded=(0, 1))
    assert found.verdict == "refuted"
    point = found.counterexample
    assert point is not None
    p = Fraction(point["params"]["p"])
    assert (Fraction(point["printed"]), Fraction(point["true"])) == (p**2 * (1 + p), p**2 * (1 - p))
    assert found.correction is not None and same(parse(found.correction), parse("p**2 - p**3"))
    assert found.corrected is not None and found.corrected["verdict"] == "verified"


@pytest.mark.usefixtures("clean_catalogue")
def test_a_free_simulation_of_another_model_is_a_conflict() -> None:
    def biased(generator: torch.Generator, n: int, p: float) -> Tensor:
        return tossed(generator, n, p + 0.1)

    for printed in ("p**2*(1 - p)", "p**2"):
        found = coin(printed, biased, bounded=(0, 1))
        assert found.verdict == "conflict", found.reason


@pytest.mark.usefixtures("clean_catalogue")
def test_a_density_is_judged() -> None:
    """E[U^2] = 1/3 of a uniform number, printed right and wrong: the chance that another one lies below U^2."""
    t = symbol("t")

    def square(generator: torch.Generator, n: int, a: float) -> Tensor:
        one, other = torch.rand(2, n, generator=generator, dtype=torch.float64)
        below: Tensor = other < one**2
        return below

    def derived() -> Any:
        return authoring.density(1, t, 0, 1).expect(lambda x: x**2)

    for printed, verdict in (("1/3", "verified"), ("1/4", "refuted")):
        statement = authoring.claim(
            COIN, printed=printed, symbols="", model="free", parameters="a", ranges={"a": "1 2"}, quantity="E[U^2]"
        )
        found = shipped(statement, derived, Simulation(COIN, square, bounded=(0, 1)))
        assert found.verdict == verdict, found.reason
        assert {step["rule"] for step in found.report["proof"]["steps"]} == {"antiderivative"}
        if verdict == "refuted":
            assert found.correction == "1/3"
            assert found.corrected is not None and found.corrected["verdict"] == "verified"
        catalogue.discard(COIN)


# -- plans


def test_a_plan_is_whole_blocks_and_grows_with_the_power_wanted() -> None:
    pair, simulation = Pair(by_id()[EQ15]), registry.find(EQ15)
    quick = sampling.plan_case(pair, simulation, UNIT | {"i": 3}, DELTA, RunContext(effort=EFFORTS["quick"]))
    standard = sampling.plan_case(pair, simulation, UNIT | {"i": 3}, DELTA, RunContext(effort=EFFORTS["standard"]))
    assert quick is not None and standard is not None
    block = block_walks(3, 1)
    assert quick.walks % block == standard.walks % block == 0
    assert quick.normals == 3 * quick.walks
    thorough = sampling.plan_case(pair, simulation, UNIT | {"i": 3}, DELTA, RunContext(effort=EFFORTS["thorough"]))
    assert thorough is not None
    assert 2 * quick.walks < standard.walks
    assert 3 * standard.walks < thorough.walks < 5 * standard.walks
    variance, scale, tolerance = standard.quantities["moment"]
    assert [variance, scale, tolerance] == pytest.approx([18, math.sqrt(18), 0.01 * math.sqrt(18)])


def test_a_case_that_costs_too_much_has_no_plan() -> None:
    pair, simulation = Pair(by_id()[EQ15]), registry.find(EQ15)
    poor = RunContext(effort=replace(EFFORTS["quick"], most_normals=10_000))
    assert sampling.plan_case(pair, simulation, UNIT | {"i": 3}, DELTA, poor) is None


def test_a_quantity_that_does_not_vary_takes_two_blocks() -> None:
    pair, simulation = Pair(by_id()[EQ15]), registry.find(EQ15)
    planned = sampling.plan_case(pair, simulation, UNIT | {"i": 1, "start": "zero"}, DELTA, RunContext())
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
    assert report["reason"].endswith("no affordable case among 1 drawn at this effort")


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
    # a print far off has a small p-value, which an interval that holds it contradicts
    (report,) = judged(EQ15)
    assert report["verdict"] == "error"
    assert "interval and p-value of moment disagree" in report["reason"]
    monkeypatch.setattr(sampling, "p_value", lambda *_, **__: 1.0)
    (report,) = judged(EQ11)
    assert report["verdict"] == "undecided"
    assert "not told apart" in report["reason"]
    assert report["decoys"]["caught"] == 0 < report["decoys"]["of"]
    (report,) = judged(EQ15)
    assert report["verdict"] == "undecided"


def test_infinitely_wide_intervals_verify_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def everything(means: Any, *_: Any, **__: Any) -> Interval:
        return Interval(-math.inf, math.inf, float(means.mean()), math.inf, math.inf)

    monkeypatch.setattr(sampling, "interval", everything)
    (report,) = judged(EQ15)
    assert report["verdict"] == "error"
    assert "interval and p-value of moment disagree" in report["reason"]
    monkeypatch.setattr(sampling, "p_value", lambda *_, **__: 1.0)
    for claim in (EQ11, EQ15):
        (report,) = judged(claim)
        assert report["verdict"] == "undecided"
        assert report["simulation"]["status"] == "underpowered"
        assert report["simulation"]["detectable"] is None
        assert report["decoys"]["caught"] == 0 < report["decoys"]["of"]


@pytest.mark.parametrize("p", [0.0, 1e-12])
def test_a_p_value_that_is_small_for_a_value_in_the_interval_is_an_error(
    p: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sampling, "p_value", lambda *_, **__: p)
    (report,) = judged(EQ11)
    assert report["verdict"] == "error"
    assert "interval and p-value of moment disagree" in report["reason"]


# -- planted faults, each a conflict


def assert_conflict(claim: Statement | str) -> Any:
    (report,) = judged(claim)
    assert report["verdict"] == "conflict", report["reason"]
    assert report["reason"]
    assert report["counterexample"] is None and report["correction"] is None
    return report


def assert_told(report: Any, why: str = "do not license its value") -> None:
    """A derivation that is not licensed decides nothing; that its value is not the simulated one is said."""
    assert report["verdict"] == "undecided"
    assert why in report["reason"]
    assert "its value is not the empirical check's: moment at" in report["reason"] and "simulated [" in report["reason"]


class AlwaysZero(Walks):
    """Starts every walk at 0."""

    def __init__(self, normals: Tensor, root: Tensor, start: str = "sigma", **known: Any) -> None:
        super().__init__(normals, root, "zero", **known)


class NeverZero(Walks):
    """Starts every walk at a token of its own."""

    def __init__(self, normals: Tensor, root: Tensor, start: str = "sigma", **known: Any) -> None:
        super().__init__(normals, root, "sigma", **known)


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


OTHER_START = "the derivation gives 0, the statement's quantity is 1"


def test_a_derivation_for_another_start_of_the_walk_is_told_and_past_that_a_conflict(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def late(claim: str, positions: Any, kernel: str = "sigma", **options: Any) -> Any:
        return derive(claim, positions, "zero", **options)

    monkeypatch.setattr("proofs_check.claims.pairing.derive", late)
    (report,) = judged(EQ15)
    assert_told(report, "the derivation is of another quantity than E[x[i].T*W*x[i]] (walk): at i = 1, ")
    assert OTHER_START in report["reason"]
    assert report["symbolic"]["status"] == "undecided"
    # not held against the statement, the fault makes the false print look proved
    monkeypatch.setattr("proofs_check.judging.derived.bind", lambda *_: Binding())
    assert assert_conflict(EQ15)["symbolic"]["status"] == "proved"


def test_a_walk_s_kernel_that_is_not_its_increments_is_found_by_the_kernel_and_by_the_simulation(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(KERNELS, "sigma", KERNELS["zero"])
    (report,) = judged(EQ15)
    # the statement's quantity, and the increments of the walk named sigma, give another moment
    assert_told(report, OTHER_START)
    assert report["symbolic"]["status"] == "undecided"
    assert report["symbolic"]["evidence"][0].startswith("not licensed: E[")
    assert report["symbolic"]["exact"] is None
    # past the kernel and the statement, the false print looks proved
    monkeypatch.setitem(RULES, "isserlis", lambda *_: True)
    monkeypatch.setattr("theorems.kernel.settle.unsupported", lambda *_: [])
    monkeypatch.setattr("proofs_check.judging.derived.bind", lambda *_: Binding())
    assert assert_conflict(EQ15)["symbolic"]["status"] == "proved"


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
    assert report["symbolic"]["method"] == "the derivation's steps do not license its value"
    assert report["symbolic"]["evidence"][0].startswith("not licensed: E[")
    assert report["symbolic"]["exact"] is None
    assert_told(report)


@pytest.mark.usefixtures("dropped_pairing")
def test_a_wrong_contraction_with_licensed_steps_is_seen_from_its_observable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(RULES, "isserlis", lambda *_: True)
    (report,) = judged(EQ16)
    assert_told(report)
    assert report["symbolic"]["status"] == "undecided"
    assert all(step["ok"] for step in report["proof"]["steps"])
    assert "but its observable gives" in report["symbolic"]["evidence"][0]


@pytest.mark.usefixtures("dropped_pairing")
def test_a_wrong_contraction_that_passes_the_kernel_is_a_conflict(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(RULES, "isserlis", lambda *_: True)
    monkeypatch.setattr("theorems.kernel.settle.unsupported", lambda *_: [])
    report = assert_conflict(EQ16)
    assert report["symbolic"]["status"] == "disproved"
    assert "tr1" not in report["symbolic"]["exact"]


@pytest.mark.parametrize(
    ("device", "tier", "elsewhere", "found"),
    [
        ("cpu", "auto", None, "fused"),
        ("cpu", "joint", None, "joint"),
        ("cpu", "joint", judged, "joint"),
        ("cuda", "auto", None, "literal"),
        ("cuda", "joint", None, "joint"),
        ("cuda", "joint", judged, "literal"),
        ("cpu and cuda", "joint", judged, "literal"),
    ],
)
def test_a_tier_is_taken_where_its_kernel_is(
    device: str, tier: str, elsewhere: Any, found: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A GPU's kernels are taken where they are asked for by name, on this machine."""
    tried: list[Any] = []

    def reads_scores_alone(*given: Any) -> bool:
        tried.append(given)
        return True

    monkeypatch.setattr(montecarlo.engine, "reads_scores_alone", reads_scores_alone)
    simulation = Simulation("test.scores", lambda walk, W: walk.scores(W)[:, 0], degree=2)
    raw = {"T": 40, "Sigma": [[1.0]], "W": [[1.0]]}
    here: Any = SimpleNamespace(device=device, tier=tier, elsewhere=elsewhere)
    assert sampling.tier_of(simulation, raw, here) == found
    assert [given[2:] for given in tried] == ([(found, device)] if found != "literal" else [])


def test_a_claim_and_its_variants_have_one_sample_and_its_correction_another() -> None:
    claim = by_id()["bao2024.sec4.lemma2-1"]
    pair, simulation, context = Pair(claim), registry.find(claim.id), RunContext()
    raw = drawing.drawn(claim, drawing.slots(claim, "quick")[0], 0, 1)[0]
    planned = Planned(raw, 1 << 13, 1 << 13, {})
    own = sampling.sample_of(pair, simulation, planned, context)
    for key in variants.keys(pair):
        variant = replace(pair, statement=variants.of(pair, key))
        assert variant.statement.id != claim.id
        assert sampling.sample_of(variant, simulation, planned, context) is own
    assert len(variants.keys(pair)) == 2
    correction = Pair(claim.corrected(claim.printed))
    others = [
        sampling.sample_of(correction, simulation, planned, context),
        sampling.sample_of(pair, simulation, planned, context, "confirmation"),
    ]
    assert len({sample.stream for sample in (own, *others)}) == 3


def test_another_seed_or_simulation_is_never_handed_this_sample() -> None:
    claim = by_id()["bao2024.appA.eq15"]
    pair, simulation = Pair(claim), registry.find(claim.id)
    raw = drawing.drawn(claim, drawing.slots(claim, "quick")[0], 0, 1)[0]
    planned = Planned(raw, 1 << 13, 1 << 13, {})
    own = sampling.sample_of(pair, simulation, planned, RunContext())
    assert sampling.sample_of(pair, simulation, planned, RunContext()) is own
    assert sampling.sample_of(pair, simulation, planned, RunContext(seed=1)) is not own
    assert sampling.sample_of(pair, replace(simulation), planned, RunContext()) is not own
