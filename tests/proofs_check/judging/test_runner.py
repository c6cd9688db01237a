"""Whole runs: the report's form, what it does not depend on, its budget, its corrections, and what breaks."""

from __future__ import annotations

import fcntl
import json
import math
import os
import shlex
import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
import sympy as sp
from jsonschema.validators import validator_for

import montecarlo.directly
import montecarlo.engine
from proofs_check.checks.approaching import COARSER
from proofs_check.checks.evidence import EFFORTS
from proofs_check.claims.pairing import Pair
from proofs_check.claims.schema import schema
from proofs_check.judging import dry_run, runner
from proofs_check.judging.derived import judge_one
from proofs_check.judging.dry_run import plan
from proofs_check.judging.options import Options, Silent
from proofs_check.judging.runner import run
from theorems.algebra.expressions import parse
from theorems.claims.catalogue import ALPHA, CORRECTED, PLUGIN_SHARES, SHARES, Statement, by_id, catalogue, rests_on
from theorems.kernel.settle import settle

SCHEMA = schema()
# once, for it looks at the schema itself first
VALIDATOR = validator_for(SCHEMA)(SCHEMA)
#: The claims about moments of the walk, which take every part of a report; the others have whole paths of their own
#: beside their derivations.
PLACES = ("sec2.", "sec4.lemma1", "sec4.eq5", "sec5.eq8", "appA.", "appC.eq22", "appC.lemma1")
MOMENTS = [claim for claim in catalogue() if not claim.plugin and claim.id.removeprefix("bao2024.").startswith(PLACES)]
#: Those that take longest, whose like are among the others: left to ``make test-slow``.
LONG = (
    *("sec2.remark2-selector", "sec2.softmax-taylor", "sec4.lemma1-variance", "appC.lemma1-second-moment"),
    *(f"appC.lemma1-{n}" for n in ("B2", "B3", "C1", "C2")),
)
SHIPPED = [claim for claim in MOMENTS if not claim.id.endswith(LONG)]
#: Claims of every kind that take little time: a search, an evaluation, two models, verified and refuted.
CHEAP = tuple(f"bao2024.{name}" for name in ("sec4.eq5", "sec5.eq8", "appA.eq11", "appA.eq15", "appA.eq17"))


def options(**changes: Any) -> Options:
    return replace(Options(effort="quick", seed=0, device="cpu", jobs=1), **changes)


def chosen(*ids: str) -> list[Statement]:
    return [by_id()[name] for name in ids]


def timeless(claim: Any) -> Any:
    return {name: value for name, value in claim.items() if name not in ("seconds", "rests_on_refuted")}


def validated(report: Any) -> Any:
    """The report as a reader of strict JSON gets it, in the schema's form."""
    read: dict[str, Any] = json.loads(json.dumps(report, allow_nan=False))
    VALIDATOR.validate(read)
    return read


@pytest.fixture(scope="session")
def report(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Every claim at quick effort: judged once, whichever of the test workers comes first."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        return validated(run(SHIPPED, options(jobs=2)))
    place = tmp_path_factory.getbasetemp().parent / "quick-report.json"
    with place.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not place.exists():
            place.write_text(json.dumps(validated(run(SHIPPED, options(jobs=2)))), encoding="utf-8")
        return validated(json.loads(place.read_text(encoding="utf-8")))


@pytest.fixture(scope="session")
def claims(report: Any) -> dict[str, Any]:
    return {claim["id"]: claim for claim in report["claims"]}


# -- the report


def test_the_report_says_how_it_was_made(report: Any) -> None:
    assert report["run"]["bound"] == sum(claim["bound"] for claim in report["claims"])
    assert report["run"] | {"seconds": 0, "ledger": [], "versions": {}, "trusted": 0, "bound": 0} == {
        "bound": 0,
        "seed": 0,
        "device": "cpu",
        "dtype": "float32 draws, float64 sums",
        "effort": "quick",
        "versions": {},
        "seconds": 0,
        "alpha": 1e-6,
        "partial": False,
        "ledger": [],
        "trusted": 0,
        "command": [],
    }
    assert {"python", "torch", "sympy", "numpy", "hypothesis"} <= set(report["run"]["versions"])


def test_what_is_trusted_is_listed_by_claim_and_counted_in_all(report: Any) -> None:
    """Of the rules that the steps use, those that take something on trust, each with what that is."""
    listed = {claim["id"]: {one["rule"]: one for one in claim["symbolic"]["trusted"]} for claim in report["claims"]}
    assert report["run"]["trusted"] == len(set().union(*listed.values())) >= 4
    assert list(listed["bao2024.sec4.eq5"]) == ["psd-root", "cauchy-schwarz", "square-root"]
    assert listed["bao2024.sec4.eq5"]["cauchy-schwarz"]["what"] == "Cauchy-Schwarz."
    assert "Horn and Johnson" in listed["bao2024.sec4.eq5"]["psd-root"]["source"]
    assert set(listed["bao2024.appA.eq11"]) == {"isserlis"}


def test_every_claim_has_its_verdict_with_its_evidence(report: Any) -> None:
    assert {claim["verdict"] for claim in report["claims"]} == {"verified", "refuted"}
    for claim in report["claims"]:
        symbolic, simulation = claim["symbolic"], claim["simulation"]
        assert symbolic["status"] == ("proved" if claim["verdict"] == "verified" else "disproved")
        assert simulation["samples"] > 100 and simulation["cases"] > 2
        assert claim["decoys"]["of"] >= 4
        assert claim["verdict"] == "refuted" or claim["decoys"]["caught"] == claim["decoys"]["of"]
        assert symbolic["evidence"]
        assert claim["cases"] or simulation["tier"] == "adversarial search"
        assert all(step["ok"] for step in claim["proof"]["steps"])
        assert claim["replay"].startswith(f"twofold verify {claim['id']}")


@pytest.mark.slow
def test_the_long_claims_have_theirs_too() -> None:
    claims = [claim for claim in MOMENTS if claim.id.endswith(LONG)]
    assert len(claims) == len(LONG)
    found = validated(run(claims, options()))
    test_every_claim_has_its_verdict_with_its_evidence(found)
    test_the_power_at_quick_effort(found)
    assert all(c["verdict"] == "verified" for c in found["claims"] if c["id"].endswith(CORRECTED))
    assert all(entry["spent"] <= entry["alpha"] * (1 + 1e-12) for entry in found["run"]["ledger"])


def test_corrections_come_right_after_their_claim_and_are_verified(report: Any) -> None:
    ids = [claim["id"] for claim in report["claims"]]
    refuted = [claim["id"] for claim in report["claims"] if claim["verdict"] == "refuted"]
    assert len(refuted) >= 5
    wanted = [part for claim in SHIPPED for part in (claim.id, *([claim.id + CORRECTED] * (claim.id in refuted)))]
    assert ids == wanted
    for claim in report["claims"]:
        if claim["id"].endswith(CORRECTED):
            assert claim["verdict"] == "verified"
            assert claim["fidelity"] == "own"
            assert "wick" in {step["rule"] for step in claim["proof"]["steps"]}


def test_a_correction_draws_from_a_stream_of_its_own(claims: dict[str, Any]) -> None:
    for name in [name for name in claims if name.endswith(CORRECTED)]:
        shown = [row for row in claims[name]["cases"] if row["z"] or (row["limit"] or {}).get("z")]
        estimates = {row["estimate"] for row in shown}
        assert estimates
        assert not estimates & {row["estimate"] for row in claims[name.removesuffix(CORRECTED)]["cases"]}


def test_corrections_read_back_in_the_declared_symbols_and_are_true(claims: dict[str, Any]) -> None:
    for claim in SHIPPED:
        shown = claims[claim.id]
        texts = [shown["symbolic"]["exact"]] if claim.symbols or claim.coefficient_of else []
        texts += [shown["correction"]["sympy"]] if shown["correction"] else []
        for text in texts:
            found = sp.sympify(text)
            assert isinstance(found, sp.Expr)
            assert {symbol.name for symbol in found.free_symbols} <= set(claim.symbols), claim.id
            assert not found.has(sp.Sum, sp.Derivative, sp.Integral, sp.Float)
            # read back by the suite's own reader too
            assert sp.expand(parse(text) - found) == 0
        if shown["correction"]:
            assert shown["correction"]["latex"] and shown["correction"]["holds"]
            primary = next(iter(claim.printed))
            corrected = replace(claim, printed={**claims[claim.id + CORRECTED]["printed"]})
            assert sp.expand(parse(corrected.printed[primary]) - sp.sympify(shown["correction"]["sympy"])) == 0
            assert settle(corrected, Pair(claim).derived()).status == "proved"
            assert settle(claim, Pair(claim).derived()).status == "disproved"


def test_the_power_at_quick_effort(report: Any) -> None:
    """4% of max(|mean|, standard deviation) for means of degree 2, 8% of the value for variances and the rest.

    Twice that for a limit, which is formed from the values at several lengths.
    """
    for claim in report["claims"]:
        statement = by_id()[claim["id"].removesuffix(CORRECTED)]
        if statement.model not in ("walk", "gaussian"):
            continue
        pair = Pair(statement)
        moments = [pair.derived().quantities[name if name in pair.derived().quantities else ""] for name in pair.names]
        means = all(m.kind == "mean" and m.observable and m.observable.degree() <= 2 for m in moments)  # type: ignore[union-attr]
        wanted = (0.04 if means else 0.08) * (COARSER if statement.remainder else 1)
        assert 0 < claim["simulation"]["detectable"] <= wanted, claim["id"]
        assert "is caught with probability 0.999" in claim["simulation"]["power"]


def test_numbers_are_finite_or_absent(report: Any) -> None:
    for claim in report["claims"]:
        simulation = claim["simulation"]
        for name in ("max_z", "p_value", "detectable"):
            assert simulation[name] is None or math.isfinite(simulation[name])
        if simulation["p_value"] is not None:
            assert (simulation["p_value"] < by_id()[claim["id"].removesuffix(CORRECTED)].alpha) == (
                claim["verdict"] == "refuted"
            )
        for row in claim["cases"]:
            assert all(row[name] is None or math.isfinite(row[name]) for name in ("estimate", "low", "high", "z"))
            assert row["low"] <= float(sp.Rational(row["derived"])) <= row["high"]


def test_what_rests_on_a_refuted_claim_says_so(report: Any, claims: dict[str, Any]) -> None:
    refuted = {name for name, claim in claims.items() if claim["verdict"] == "refuted"}
    # what did not run counts by what the kernel says of it
    silent = [claim for claim in MOMENTS if claim.id.endswith(LONG)]
    refuted |= {claim.id for claim in silent if settle(claim, Pair(claim).derived()).status == "disproved"}
    assert "bao2024.appC.lemma1-second-moment" in refuted
    for claim in SHIPPED:
        wanted = [name for name in rests_on(claim, by_id()) if name in refuted]
        assert claims[claim.id]["rests_on_refuted"] == wanted
    assert "bao2024.appA.eq15" in claims["bao2024.sec4.lemma1-mean"]["rests_on_refuted"]
    # through others, not directly
    assert "bao2024.appA.eq15" not in by_id()["bao2024.appC.lemma1-A"].depends_on
    assert "bao2024.appA.eq15" in claims["bao2024.appC.lemma1-A"]["rests_on_refuted"]
    assert claims["bao2024.appA.eq11"]["rests_on_refuted"] == []


# -- the budget


def test_no_claim_spends_more_than_its_share(report: Any) -> None:
    ledger = report["run"]["ledger"]
    assert [entry["id"] for entry in ledger] == [claim["id"] for claim in report["claims"]]
    for entry in ledger:
        assert entry["alpha"] == by_id()[entry["id"].removesuffix(CORRECTED)].alpha
        assert 0 <= entry["spent"] <= entry["alpha"] * (1 + 1e-12)
    sampled = {c["id"] for c in report["claims"] if c["simulation"]["tier"] == "direct simulation"}
    assert all(entry["spent"] > 0 for entry in ledger if entry["id"] in sampled)


def test_all_shares_together_stay_within_the_budget() -> None:
    own = math.fsum(2 * claim.alpha for claim in SHIPPED)
    assert own + ALPHA * PLUGIN_SHARES / SHARES <= ALPHA == 1e-6


# -- what a report does not depend on


@pytest.mark.slow
def test_one_worker_and_fewer_claims_in_another_order_find_the_same(claims: dict[str, Any]) -> None:
    fewer = validated(run(chosen(*reversed(CHEAP)), options(jobs=1)))
    assert len(fewer["claims"]) > len(CHEAP)
    for claim in fewer["claims"]:
        assert timeless(claim) == timeless(claims[claim["id"]])


def test_another_seed_gives_other_estimates_and_the_same_verdicts(claims: dict[str, Any]) -> None:
    names = ("bao2024.sec4.eq5", "bao2024.appA.eq15", "bao2024.sec4.lemma1-mean")
    other = validated(run(chosen(*names), options(seed=1)))
    for claim in other["claims"]:
        before = claims[claim["id"]]
        assert claim["verdict"] == before["verdict"]
        # but for the simulated values that its evidence quotes
        assert claim["symbolic"] | {"evidence": []} == before["symbolic"] | {"evidence": []}
        assert claim["correction"] == before["correction"]
        if claim["simulation"]["tier"] == "direct simulation":
            old = {row["estimate"] for row in before["cases"] if row["z"]}
            assert not old & {row["estimate"] for row in claim["cases"] if row["z"]}
    assert "--seed 1" in other["claims"][0]["replay"]


@pytest.fixture
def verdict_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out what a report says beside the verdict, which takes as long as the verdict itself."""
    for name in ("generalised", "starts"):
        monkeypatch.setattr(f"proofs_check.judging.derived.{name}", lambda *_: [])


@pytest.mark.usefixtures("verdict_only")
def test_every_counterexample_replays(claims: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    # a counterexample is far from the truth, so that wide intervals are enough
    monkeypatch.setitem(EFFORTS, "quick", replace(EFFORTS["quick"], factor=12.0))
    for claim in SHIPPED:
        found = claims[claim.id]["counterexample"]
        if found is None:
            continue
        words = shlex.split(claims[claim.id]["replay"])
        assert json.loads(words[words.index("--case") + 1]) == found["params"]
        again, _, _ = judge_one(claim, options(seed=5, case=found["params"]), "cpu", Silent())
        assert again["verdict"] == "refuted", (claim.id, again["reason"])
        assert again["counterexample"] == found
        assert [row["params"] for row in again["cases"]] == [found["params"]] * len(again["cases"])


# -- what breaks


class Interrupting(Silent):
    """Presses Ctrl-C when a claim is begun, or in the middle of its sampling."""

    def __init__(self, at: str, step: bool = False) -> None:
        self.at, self.in_step = at, step
        self.told: list[str] = []

    def claim(self, id: str) -> None:
        if id == self.at and not self.in_step:
            raise KeyboardInterrupt

    def step(self, id: str, done: int, total: int) -> None:
        if id == self.at and self.in_step:
            raise KeyboardInterrupt

    def finished(self, claim: Any) -> None:
        self.told.append(claim["id"])


def test_an_interruption_of_one_claim_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    """Figures are drawn from such a report, and there is nothing in it."""

    def pressed(*_: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(runner, "_judgements", pressed)
    with pytest.raises(KeyboardInterrupt):
        runner.run_alone(chosen("bao2024.appA.eq11")[0], options())


@pytest.mark.parametrize("in_step", [False, True])
def test_an_interruption_leaves_what_was_finished(in_step: bool) -> None:
    listener = Interrupting("bao2024.appA.eq15", in_step)
    found = validated(run(chosen("bao2024.appA.eq11", "bao2024.appA.eq15", "bao2024.appA.eq12"), options(), listener))
    assert found["run"]["partial"] is True
    assert [claim["id"] for claim in found["claims"]] == listener.told == ["bao2024.appA.eq11"]
    assert [entry["id"] for entry in found["run"]["ledger"]] == listener.told


@pytest.fixture
def broken_derivation(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """One claim whose derivation divides by zero."""
    at = "bao2024.appA.eq15"

    def broken(claim: Statement, derived: Any) -> Any:
        return 1 // 0 if claim.id == at else settle(claim, derived)

    monkeypatch.setattr("proofs_check.judging.derived.settle", broken)
    yield at


def test_a_derivation_that_ends_the_interpreter_ends_its_claim_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def leaving(claim: Statement, derived: Any) -> Any:
        return sys.exit("bye") if claim.id == "bao2024.appA.eq15" else settle(claim, derived)

    monkeypatch.setattr("proofs_check.judging.derived.settle", leaving)
    found = validated(run(chosen("bao2024.appA.eq15", "bao2024.sec5.eq8"), options()))
    assert [claim["verdict"] for claim in found["claims"]] == ["error", "verified"]
    assert found["claims"][0]["reason"] == "SystemExit: bye"


def test_what_breaks_is_an_error_with_its_traceback_and_the_run_goes_on(broken_derivation: str) -> None:
    found = validated(run(chosen("bao2024.appA.eq11", broken_derivation, "bao2024.sec5.eq8"), options()))
    assert [claim["verdict"] for claim in found["claims"]] == ["verified", "error", "verified"]
    error = found["claims"][1]
    assert error["reason"].startswith("ZeroDivisionError: ")
    assert "1 // 0" in error["traceback"]
    assert error["simulation"]["status"] == error["symbolic"]["status"] == "none"
    assert found["run"]["partial"] is False
    assert found["run"]["ledger"][1]["spent"] == 0.0


def test_a_broken_correction_leaves_the_refutation(monkeypatch: pytest.MonkeyPatch) -> None:
    original = montecarlo.engine.draw

    def draw(*arguments: Any, **named: Any) -> Any:
        if named["claim_id"].endswith(CORRECTED):
            raise RuntimeError("no more memory")
        return original(*arguments, **named)

    monkeypatch.setattr(montecarlo.engine, "draw", draw)
    first, second = validated(run(chosen("bao2024.appA.eq15"), options()))["claims"]
    assert (first["verdict"], second["verdict"]) == ("refuted", "error")
    assert second["id"] == first["id"] + CORRECTED
    assert second["reason"] == "RuntimeError: no more memory"


def test_a_claim_without_a_simulation_is_an_error_that_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    from montecarlo import registry

    registry.find("bao2024.appA.eq11")
    monkeypatch.delitem(registry._REGISTERED, "bao2024.appA.eq11")
    (claim,) = validated(run(chosen("bao2024.appA.eq11"), options()))["claims"]
    assert claim["verdict"] == "error"
    assert claim["reason"].startswith("LookupError: ")
    assert "bao2024.appA.eq11: no simulation is registered" in claim["reason"]


def test_a_claim_without_a_derivation_is_an_error_that_names_it() -> None:
    nameless = replace(by_id()["bao2024.appA.eq11"], id="bao2024.appA.eq99")
    (claim,) = validated(run([nameless], options()))["claims"]
    assert claim["verdict"] == "error"
    assert "bao2024.appA.eq99: no derivation" in claim["reason"]


class Counting(Silent):
    """Counts what it is told."""

    def __init__(self) -> None:
        self.begun, self.claims, self.ends = 0, list[str](), list[str]()
        self.steps: list[tuple[int, int]] = []

    def begin(self, claims: int) -> None:
        self.begun = claims

    def claim(self, id: str) -> None:
        self.claims.append(id)

    def step(self, id: str, done: int, total: int) -> None:
        self.steps.append((done, total))

    def finished(self, claim: Any) -> None:
        self.ends.append(claim["id"])


def test_progress_is_told() -> None:
    listener = Counting()
    run(chosen("bao2024.appA.eq15", "bao2024.sec5.eq8"), options(), listener)
    assert listener.begun == 2
    assert listener.claims == ["bao2024.appA.eq15", "bao2024.sec5.eq8"]
    assert listener.ends == ["bao2024.appA.eq15", "bao2024.appA.eq15" + CORRECTED, "bao2024.sec5.eq8"]
    assert len(listener.steps) > 10
    assert all(0 <= done <= total for done, total in listener.steps)


# -- --dry-run


def test_a_plan_is_what_a_run_then_samples(claims: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> Any:
        raise AssertionError("a plan judges nothing")

    monkeypatch.setattr(dry_run, "rate", lambda pair, simulation, case, here: case.normals / 2.0)
    monkeypatch.setattr(montecarlo.engine, "draw", refuse)
    for name in ("evaluate", "run_search"):
        monkeypatch.setattr(montecarlo.directly, name, refuse)
    rows = plan(chosen(*CHEAP), options())
    assert {row["id"] for row in rows} == set(CHEAP)
    assert rows == plan(chosen(*CHEAP), options())
    for row in rows:
        assert set(row) == {"id", "case", "walks", "seconds"}
        assert row["walks"] > 0 and row["seconds"] in (1.0, 2.0)
        cases = claims[row["id"]]["cases"]
        if row["case"] == "points":
            assert row["walks"] == EFFORTS["quick"].points
        else:
            # one number a walk: as many as were sampled at that case
            assert row["walks"] in [case["samples"] for case in cases if case["params"] == row["case"]]
    case = claims["bao2024.appA.eq15"]["counterexample"]["params"]
    (one,) = plan(chosen("bao2024.appA.eq15"), options(case=case))
    assert one["case"] == case


CASE = {"i": 3, "d": 1, "Sigma": [["1"]], "W": [["2"]], "start": "sigma"}


def test_a_prediction_is_the_rate_that_was_measured_times_the_work() -> None:
    (few,) = plan(chosen("bao2024.appA.eq15"), options(case=CASE, walks=100_000))
    (many,) = plan(chosen("bao2024.appA.eq15"), options(case=CASE, walks=10**12))
    assert 100_000 <= few["walks"] < 10**7 and many["walks"] == 10**12
    # a machine may be busy for the one and not for the other
    assert 1e-2 < many["seconds"] / max(few["seconds"], 1e-3) / (1e12 / few["walks"]) < 1e2


def test_so_many_walks_are_drawn_as_are_asked_for() -> None:
    (found,) = run(chosen("bao2024.appA.eq12"), options(case=CASE, walks=300_000))["claims"]
    assert all(case["samples"] >= 300_000 for case in found["cases"])
