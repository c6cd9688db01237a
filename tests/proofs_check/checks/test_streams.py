"""Every sample of a claim has a stream of its own: planted repeats are errors, at run time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import montecarlo.engine
from montecarlo import seeds
from montecarlo.empirical_checks import Simulation
from montecarlo.statements import blocks
from proofs_check.api import check
from proofs_check.checks.streams import SharedStreamError, Streams
from tests.proofs_check.judged import judged

EQ15, EQ16 = "bao2024.appA.eq15", "bao2024.appA.eq16"


def test_without_a_fault_no_two_samples_share_a_stream() -> None:
    assert judged(EQ15)[0]["verdict"] == "refuted"


def test_a_confirmation_on_the_seeds_of_the_case_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    own = montecarlo.engine.draw
    monkeypatch.setattr(
        montecarlo.engine, "draw", lambda *a, key, **named: own(*a, key=key.removesuffix("confirmation"), **named)
    )
    report = judged(EQ15)[0]
    assert report["verdict"] == "error"
    assert "have the same seeds" in report["reason"] and "(confirmation)" in report["reason"]


FAULTS: tuple[tuple[str, Callable[[Any], Any]], ...] = (
    ("case_digest", lambda own: lambda seed, claim, key: own(seed, claim, "")),
    ("block_seed", lambda own: lambda digest, block: own(b"\0" * 32, block)),
)


@pytest.mark.parametrize(("name", "fault"), FAULTS)
def test_cases_on_one_stream_are_an_error(
    name: str, fault: Callable[[Any], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seeds, name, fault(getattr(seeds, name)))
    report = judged(EQ15)[0]
    assert report["verdict"] == "error" and "no independent samples" in report["reason"]


def test_a_generator_that_ignores_its_seed_is_seen_from_the_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """The case and its confirmation have seeds of their own, and the same numbers all the same."""
    own = montecarlo.engine._Task.generator

    def deaf(task: Any, block: int) -> Any:
        generator = own(task, block)
        generator.manual_seed(block)
        return generator

    monkeypatch.setattr(montecarlo.engine._Task, "generator", deaf)
    report = judged(EQ15)[0]
    assert report["verdict"] == "error" and "have the same numbers" in report["reason"]


#: A statement that is sampled at cases and again on a confirmation, and one that is sampled along a limit.
INTERPRETED = {
    "refuted": ("E[x[i].T*W*x[j]] = i*tr(W*Sigma)", "", ""),
    "verified": ("E[x[T].T*W*x[T]]/T -> tr(W*Sigma)", "", "T -> oo"),
}


def checked(verdict: str) -> Any:
    text, hypotheses, limit = INTERPRETED[verdict]
    return check(text, hypotheses, limit=limit, effort="quick").report


@pytest.mark.parametrize("verdict", INTERPRETED)
def test_no_two_samples_of_a_statement_share_a_stream(verdict: str) -> None:
    assert checked(verdict)["verdict"] == verdict


@pytest.mark.parametrize("verdict", INTERPRETED)
@pytest.mark.parametrize(("name", "fault"), FAULTS)
def test_samples_of_a_statement_on_one_stream_are_an_error(
    name: str, fault: Callable[[Any], Any], verdict: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seeds, name, fault(getattr(seeds, name)))
    report = checked(verdict)
    assert report["verdict"] == "error" and "have the same seeds" in report["reason"]


def test_a_generator_of_statements_that_ignores_its_seed_is_seen_from_the_numbers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(blocks, "generator", lambda digest, block: np.random.Generator(np.random.SFC64(block)))
    report = checked("refuted")
    assert report["verdict"] == "error" and "have the same numbers" in report["reason"]


def test_a_confirmation_of_a_statement_on_the_seeds_of_the_case_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    own = seeds.case_digest
    monkeypatch.setattr(seeds, "case_digest", lambda seed, claim, key: own(seed, claim, key.split("confirmation")[0]))
    report = checked("refuted")
    assert report["verdict"] == "error"
    assert "confirmation and the sample at" in report["reason"] and "have the same seeds" in report["reason"]


def test_a_repeat_names_both_samples() -> None:
    def sample(key: str, walks: int = 64_000) -> Any:
        simulation = Simulation(EQ16, lambda tokens: tokens[:, 0, 0], degree=1)
        case = {"d": 1, "T": 1, "Sigma": [["1"]], "start": "sigma"}
        return montecarlo.engine.draw(simulation, case, walks=walks, seed=0, claim_id=EQ16, key=key)

    streams = Streams()
    streams.see(sample("one"), "first")
    streams.see(sample("two"), "second")
    with pytest.raises(SharedStreamError, match="third and first have the same seeds"):
        streams.see(sample("one", 128_000), "third")
