"""Derivations: found by the claim's id, filled by name, and every derived formula moves with the model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any

import pytest
import sympy as sp

from theorems.algebra.closed import equal
from theorems.algebra.expressions import parse, same
from theorems.algebra.ratio import Ratio
from theorems.bao2024 import appendix_a
from theorems.claims.catalogue import Statement, paper_claims
from theorems.gaussian.observables import W
from theorems.gaussian.process import Kernel, Moment, Position, Process, random_walk
from theorems.kernel import derivation as module
from theorems.kernel.derivation import DerivationError, Derived, Fact, SharpBound, derivation, fact
from theorems.kernel.deriving import derive, find
from theorems.kernel.outcome import Outcome
from theorems.kernel.settle import printed_value, settle, stated, value_of
from theorems.rules import licensed

CLAIMS = paper_claims("bao2024")
WALKS = [c for c in CLAIMS if c.model == "walk"]
#: Values that are the same whatever the kernel is, for the matrices and lambda stand in them alone.
SCALES = {"bao2024.sec3.diagonal-dominance": ("ratio",)}
STEEP = Kernel("a walk with twice the steps", 2 * Ratio.of("s"), 2 * Ratio.of("s"))


def name_of(claim: Statement) -> str:
    return claim.id


def without(*names: str, of: Sequence[Statement]) -> list[Any]:
    """The claims as parameters, those whose ids end so left to ``make test-slow``: others are like them."""
    return [pytest.param(claim, marks=pytest.mark.slow) if claim.id.endswith(names) else claim for claim in of]


@cache
def derived_once(claim: str, start: str = "sigma", symmetric: bool = True, second_route: bool = False) -> Derived:
    """A claim's derivation, run once for all tests that only look at it."""
    positions = next(c.positions for c in CLAIMS if c.id == claim)
    return derive(claim, positions, start, symmetric=symmetric, second_route=second_route)


@pytest.fixture
def planted() -> Iterator[str]:
    """An id whose derivation is taken away again."""
    yield "test.planted"
    module.registry.pop("test.planted", None)


@pytest.mark.parametrize("claim", CLAIMS, ids=name_of)
def test_every_step_is_licensed_on_both_routes(claim: Statement) -> None:
    for second in (False, True):
        derived = derived_once(claim.id, second_route=second)
        assert derived.steps
        assert all(licensed(step) for step in derived.steps)
        assert all(step.text for step in derived.steps)


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("start", ["sigma", "zero", "mean"])
@pytest.mark.parametrize("claim", [c for c in CLAIMS if c.model in ("walk", "gaussian")], ids=name_of)
def test_both_routes_give_one_value(claim: Statement, start: str, symmetric: bool) -> None:
    one = derived_once(claim.id, start=start, symmetric=symmetric)
    two = derived_once(claim.id, start=start, symmetric=symmetric, second_route=True)
    assert list(one.quantities) == list(two.quantities)
    for name in one.quantities:
        assert equal(one.ratio(name).expr, two.ratio(name).expr) is True


@pytest.mark.parametrize(
    "kernel", ["zero", "mean", "iid", "line", STEEP], ids=lambda k: k if isinstance(k, str) else k.name
)
@pytest.mark.parametrize("claim", WALKS, ids=name_of)
def test_another_model_gives_another_formula(claim: Statement, kernel: str | Kernel) -> None:
    """Every printed quantity's derived value differs from that of the paper's walk.

    One does not: sum_a gamma^i_a = 0, so that a shift of every covariance leaves the score's mean as it is.
    """
    ours, other = derived_once(claim.id), derive(claim.id, claim.positions, kernel)
    for name in claim.printed:
        if not isinstance(ours.quantities.get(name, ours.quantities.get("")), Moment):
            continue
        shifted = name == "mean" and kernel in ("zero", "mean")
        assert (value_of(ours, name) == value_of(other, name)) == shifted, name


def test_what_is_closed_changes_with_the_model_too() -> None:
    """rho with other limits, its slope, and the ratio that is 3 for the walk."""
    table = {c.id: c for c in CLAIMS}
    for id, name in (("sec4.eq6", "rho"), ("sec4.a1-uniform", "slope"), ("sec3.diagonal-dominance", "ratio")):
        claim = table[f"bao2024.{id}"]
        model: str | Kernel = STEEP if name != "ratio" else "iid"
        ours, other = (value_of(derive(claim.id, claim.positions, k), name) for k in ("sigma", model))
        assert equal(ours.expr, other.expr) is False


#: Parts of the proof of Lemma 1 and of the traces of Appendix B, of which others are looked at.
@pytest.mark.parametrize(
    "claim", without("lemma1-second-moment", "lemma1-B2", "lemma1-C2", "display-b", of=WALKS), ids=name_of
)
def test_another_model_gives_another_correction(claim: Statement, settled: Callable[[str], Outcome]) -> None:
    """What the kernel says is true instead changes with the model; no print of the walk is proved for larger steps."""
    ours = settled(claim.id)
    other_values = derive(claim.id, claim.positions, STEEP)
    other = settle(claim, other_values)
    if not claim.symbols:
        assert other.exact is None
        return
    assert other.exact is not None
    assert ours.exact is not None
    if claim.id in SCALES:
        return
    if claim.printed == {"B1": "0"} or claim.printed == {"C1": "0"} or claim.id.endswith("remark2-selector"):
        assert not same(other.exact, ours.exact)
        return
    assert other.status == "disproved"
    assert not same(other.exact, ours.exact)
    for name, correction in other.corrections.items():
        if name in ours.corrections:
            assert equal(correction, ours.corrections[name]) is False
        assert equal(correction, printed_value(claim, claim.printed[name], other_values)) is False


def test_a_start_at_zero_changes_the_corrections_of_appendix_a() -> None:
    """From x_1 = 0 the print of (15) is true, so that there is nothing to correct."""
    table = {c.id: c for c in CLAIMS}
    eq15, eq16 = table["bao2024.appA.eq15"], table["bao2024.appA.eq16"]
    assert settle(eq15, derive(eq15.id, eq15.positions, "zero")).status == "proved"
    assert settle(eq15, derive(eq15.id, eq15.positions, "sigma")).status == "disproved"
    other = settle(eq16, derive(eq16.id, eq16.positions, "zero"))
    assert other.status == "disproved"
    assert same(other.corrections["moment"], parse("(i - 1)**2*(2*tr2 + tr1**2)"))


@pytest.mark.parametrize("claim", without("lemma2-2", of=CLAIMS), ids=name_of)  # part 1 of Lemma 2, mirrored
def test_exact_values_read_back_and_hold_declared_symbols_only(
    claim: Statement, settled: Callable[[str], Outcome]
) -> None:
    outcome = settled(claim.id)
    if not claim.symbols and not claim.coefficient_of:
        assert outcome.exact is None or outcome.exact.is_number
        return
    assert outcome.exact is not None
    again = sp.sympify(str(outcome.exact))
    assert sp.expand(again - outcome.exact) == 0
    assert {s.name for s in again.free_symbols} <= set(claim.symbols)
    for correction in list(outcome.corrections.values())[:1]:
        shown = stated(claim, correction)
        again = sp.sympify(str(shown))
        assert sp.expand(again - shown) == 0
        assert {s.name for s in again.free_symbols} <= set(claim.symbols)


def test_parameters_are_filled_by_name(planted: str) -> None:
    seen: dict[str, Any] = {}

    @derivation(planted)
    def thing(walk: Process, i: Position, lam: Ratio) -> Moment:
        seen.update(walk=walk, i=i, lam=lam)
        return walk.expect(walk.form(i, W, i)) / lam

    derived = derive(planted, ("i",), "zero")
    assert derived.ratio("") == (Ratio.of("i") - 1) * "tr1" / "lam"
    assert seen["walk"].chain == ("0", "i")
    assert seen["walk"] is derived.process
    assert seen["i"] == Position("i")
    assert seen["lam"] == "lam"
    assert derived.known("")
    assert not derived.known("other")


def test_a_second_derivation_of_one_claim_is_refused(planted: str) -> None:
    derivation(planted)(lambda walk: walk)
    with pytest.raises(DerivationError, match=r"test\.planted: a second derivation"):
        derivation(planted)(lambda walk: walk)


@pytest.mark.parametrize("value", [3, "i*tr1", None, Ratio.of("i"), {"moment": sp.Integer(1)}])
def test_a_derivation_hands_in_moments_only(planted: str, value: Any) -> None:
    derivation(planted)(lambda walk: value)
    with pytest.raises(DerivationError, match=r"test\.planted: .* returned \w+ for .*; expected walk\.expect"):
        derive(planted, ("i",))


def test_a_claim_without_a_derivation_is_named() -> None:
    for name in ("bao2024.appA.eq99", "nopaper.sec1.thing"):
        with pytest.raises(LookupError, match=name):
            find(name)
    assert find("bao2024.appA.eq15") is appendix_a.eq15


def test_facts_and_bounds() -> None:
    made = fact(parse("(i + 1)/T"), (), "by hand")
    assert isinstance(made, Fact)
    assert made.ratio == (Ratio.of("i") + 1) / "T"
    derived = derive("bao2024.sec4.eq5")
    (bound,) = derived.quantities.values()
    assert isinstance(bound, SharpBound)
    assert not derived.known("")
    with pytest.raises(KeyError):
        derived.ratio("")
    assert derived.process is None
    assert random_walk("i").kernel.name.startswith("random walk")
