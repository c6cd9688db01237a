"""What all tests share: one reproducible Hypothesis profile, precision put back after each test, a sample report."""

from __future__ import annotations

import copy
import gc
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings

from proofs_check.claims.report import Claim
from proofs_check.claims.schema import complete
from tests.documents import Together, server
from tests.timing import listed

if TYPE_CHECKING:
    from theorems.kernel.outcome import Outcome

# Many tests look at the same expressions: sympy, which is imported later, keeps more of what it has normalised.
os.environ.setdefault("SYMPY_CACHE_SIZE", "20000")
# The threads of torch and of BLAS turn round where they wait for one another, which takes the cores from other workers.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# A test judges; what a user's earlier runs found is not for it, nor what it finds with a planted fault for them.
os.environ["TWOFOLD_CACHE"] = "off"

# Drawn from the test's name, so that a failure is seen by everyone and on every run.
settings.register_profile("suite", deadline=None, derandomize=True, database=None)
settings.load_profile("suite")

SLOW = listed()
#: Files of few tests that take long. A worker is handed file by file, so that what comes late keeps one waiting.
LONG = ("test_documents", "test_walkthrough", "test_new_lemma", "test_near_misses", "test_runner", "test_environments")


@pytest.hookimpl(tryfirst=True)
def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark as slow what takes long beside quicker rows of the same test."""
    if item.nodeid in SLOW:
        item.add_marker(pytest.mark.slow)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """For several workers the files that take long come first, then those of most tests.

    The workers are told to keep to this order (``--no-loadscope-reorder``).
    """
    if "PYTEST_XDIST_WORKER" in os.environ:
        sizes = Counter(item.path for item in items)
        items.sort(key=lambda item: (item.path.stem not in LONG, -sizes[item.path]))


def pytest_collection_finish() -> None:
    """What was imported stays to the end: no search for unreachable objects looks at it again, and few are made.

    Nearly all that tests make is gone when its last name is; the searches took a tenth of their time.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


def pytest_sessionfinish() -> None:
    """Search once for what was left open; pytest does so five times more, through all that sympy keeps."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _precision_is_put_back() -> Iterator[None]:
    """mpmath's and flint's precision is global to the process: no test leaves it changed."""
    holders = [("mpmath", "mp"), ("flint", "ctx")]
    before = {name: getattr(sys.modules[name], at).prec for name, at in holders if name in sys.modules}
    yield
    for name, at in holders:
        if name in before:
            getattr(sys.modules[name], at).prec = before[name]


@pytest.fixture(scope="session")
def together() -> Iterator[Together]:
    """What runs commands and programs in processes that find everything imported, started once for all tests."""
    with server() as run:
        yield run


@pytest.fixture(scope="session")
def settled() -> Callable[[str], Outcome]:
    """The kernel's outcome for a claim as it stands in the catalogue, found once for all tests that look at it."""
    from theorems.claims.catalogue import by_id
    from theorems.kernel.deriving import derive
    from theorems.kernel.settle import settle

    @cache
    def found(claim: str) -> Outcome:
        statement = by_id()[claim]
        return settle(statement, derive(claim, statement.positions))

    return found


def _claim(**changes: Any) -> dict[str, Any]:
    claim: dict[str, Any] = {
        "id": "bao2024.appA.eq11",
        "verdict": "verified",
        "reason": "",
        "paper": {"id": "bao2024", "version": "v1"},
        "where": "Eq. (11)",
        "kind": "identity",
        "fidelity": "verbatim",
        "statement": "E[x^\\top W x] = \\mathrm{tr}(W\\Sigma) + m^\\top W m",
        "reading": "x ~ N(m, Sigma), W symmetric, every d.",
        "assumptions": ["x ~ N(m, Sigma)", "W symmetric"],
        "quantity": "E[x^T W x]",
        "symbols": ["tr1", "mWm"],
        "printed": {"moment": "tr1 + mWm"},
        "symbolic": {
            "status": "proved",
            "method": "contraction",
            "evidence": ["normal forms agree"],
            "exact": "tr1 + mWm",
        },
        "simulation": {
            "status": "agrees",
            "samples": 1638400,
            "cases": 6,
            "max_z": 1.2,
            "p_value": 0.3,
            "detectable": 0.0094,
            "tier": "mean",
            "power": "an error of 1% of max(|mean|, standard deviation) is caught with probability 0.999",
            "trusted": [],
        },
        "counterexample": None,
        "correction": None,
        "decoys": {"caught": 4, "of": 4},
        "proof": {"steps": [], "lines": [], "first_false": None, "first_reaching": None},
        "starts": [],
        "variants": [],
        "cases": [
            {
                "params": {"d": 1, "W": [["1"]], "Sigma": [["1"]], "m": ["2"]},
                "quantity": "moment",
                "printed": "5",
                "derived": "5",
                "estimate": 5.0031,
                "low": 4.99,
                "high": 5.02,
                "samples": 262144,
                "z": 1.2,
            }
        ],
        "depends_on": [],
        "rests_on_refuted": [],
        "seconds": 1.25,
        "replay": "twofold verify bao2024.appA.eq11 --seed 0",
        "traceback": None,
    }
    claim.update(changes)
    found: dict[str, Any] = complete(copy.deepcopy(claim), Claim)
    return found


@pytest.fixture
def make_claim() -> Callable[..., dict[str, Any]]:
    """Builds the report's entry of one claim: Eq. (11) verified, with the given fields changed."""
    return _claim


def _refuted() -> list[dict[str, Any]]:
    base = _claim()
    case: dict[str, Any] = {
        "params": {"i": 1, "d": 1, "W": [["1"]], "Sigma": [["1"]], "start": "sigma"},
        "quantity": "moment",
    }
    case |= {
        "printed": "0",
        "derived": "1",
        "estimate": 1.0003,
        "low": 0.98,
        "high": 1.02,
        "samples": 262144,
        "z": 512.4,
    }
    line = {"label": "line 2", "where": "Appendix A", "printed": "(i - 1)*tr1", "derived": "i*tr1"}
    refuted = _claim(
        id="bao2024.appA.eq15",
        verdict="refuted",
        where="Eq. (15)",
        reading="Every i >= 1, Assumption 1 as printed.",
        symbols=["i", "tr1"],
        printed={"moment": "(i - 1)*tr1"},
        symbolic=base["symbolic"] | {"status": "disproved", "exact": "i*tr1"},
        simulation=base["simulation"] | {"status": "contradicts", "max_z": 512.4, "p_value": 0.0},
        counterexample={"params": case["params"], "printed": "0", "true": "1"},
        correction={"latex": "i\\,\\mathrm{tr}(W\\Sigma)", "sympy": "i*tr1", "holds": "for every i >= 1"},
        starts=[
            {"start": "sigma", "exact": False, "leading": True},
            {"start": "zero", "exact": True, "leading": True},
        ],
        proof={
            "steps": [{"text": "E[x_i^T W x_i] = i tr1", "rule": "normal form", "ok": True}],
            "lines": [line | {"holds": False, "reaches": True}],
            "first_false": "line 2",
            "first_reaching": "line 2",
        },
        cases=[case],
        depends_on=["bao2024.appA.eq11"],
        replay="twofold verify bao2024.appA.eq15 --case '{\"i\": 1}'",
    )
    corrected = _claim(
        id="bao2024.appA.eq15.corrected",
        where="Eq. (15)",
        printed={"moment": "i*tr1"},
        symbolic=base["symbolic"] | {"method": "exact enumeration", "exact": "i*tr1"},
        replay="twofold verify bao2024.appA.eq15",
    )
    return [refuted, corrected]


def sampled_report() -> dict[str, Any]:
    """A report with one claim of each verdict, and a correction."""
    none = {"status": "none", "samples": 0, "cases": 0, "max_z": None, "p_value": None, "detectable": None}
    none |= {"tier": "", "power": "", "trusted": []}
    claims = [
        _claim(),
        *_refuted(),
        _claim(
            id="bao2024.appA.eq16",
            verdict="undecided",
            reason="too little power at quick effort",
            simulation=_claim()["simulation"] | {"status": "underpowered"},
        ),
        _claim(
            id="bao2024.appC.eq22",
            verdict="conflict",
            reason="the derivation proves it, the simulation contradicts it",
            simulation=_claim()["simulation"] | {"status": "contradicts"},
        ),
        _claim(
            id="bao2024.appC.lemma1-A",
            verdict="error",
            reason="ZeroDivisionError: division by zero",
            symbolic={"status": "none", "method": "", "evidence": [], "exact": None},
            simulation=none,
            cases=[],
            traceback="Traceback (most recent call last): ...",
        ),
    ]
    run = {
        "seed": 0,
        "device": "cpu",
        "dtype": "float32 draws, float64 sums",
        "effort": "standard",
        "versions": {"torch": "2.13.0"},
        "seconds": 143.2,
        "alpha": 1e-6,
        "partial": False,
        "ledger": [{"id": claim["id"], "alpha": 3.9e-9, "spent": 2e-9} for claim in claims],
        "command": ["twofold", "verify"],
    }
    found: dict[str, Any] = complete({"schema": 2, "run": run, "claims": claims})
    return found


@pytest.fixture
def sample_report() -> dict[str, Any]:
    """The report of `sampled_report`."""
    return sampled_report()
