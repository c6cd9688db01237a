"""Faults that once let a false claim through, or broke a true one: each stays caught."""

from __future__ import annotations

import math
import time
from dataclasses import replace

import pytest
import torch

from montecarlo import registry
from montecarlo.empirical_checks import Simulation
from proofs_check.api import judge
from tests.proofs_check.judged import judged
from theorems import authoring
from theorems.algebra.expressions import ExpressionError, parse, symbol
from theorems.algebra.ratio import Ratio
from theorems.claims import catalogue
from theorems.claims.catalogue import by_id
from theorems.gaussian.observables import W
from theorems.gaussian.process import Moment, Step, random_walk
from theorems.kernel.derivation import Derived, Fact, SharpBound
from theorems.kernel.deriving import derive
from theorems.kernel.settle import compare, settle
from theorems.rules import licensed


@pytest.mark.slow
def test_the_correction_of_a_bound_is_judged() -> None:
    c = by_id()["bao2024.sec4.eq5"]
    refuted, corrected = judged(replace(c, printed={**c.printed, "upper": "sqrt(d)"}))
    assert (refuted["verdict"], corrected["verdict"]) == ("refuted", "verified"), corrected["reason"]


def test_a_word_of_the_print_that_the_correction_lacks() -> None:
    c = replace(by_id()["bao2024.appA.eq15"], symbols=("i", "tr1", "tr2"), printed={"moment": "i*tr1 + tr2/i"})
    refuted, corrected = judged(c)
    assert (refuted["verdict"], corrected["verdict"]) == ("refuted", "verified"), corrected["reason"]


def test_numbers_outside_their_bounds() -> None:
    """bounded=(0, 1), but the numbers are 0 and 4, with the right mean: the interval's level is not kept."""
    p = symbol("p")
    made = authoring.claim(
        "mypaper.sec3.pending",
        printed="p",
        symbols="p",
        model="free",
        parameters="p",
        ranges={"p": "1/4 1/2"},
        assumptions=["0 <= p <= 1"],
        quantity="P",
    )

    def wide(generator: torch.Generator, n: int, p: float) -> torch.Tensor:
        return 4.0 * (torch.rand(n, generator=generator) < p / 4)

    try:
        with registry.registered(Simulation(made.id, wide, bounded=(0, 1))):
            found = judge(
                made,
                lambda: authoring.finite([(1, p), (0, 1 - p)]).expect(lambda x: x),
                effort="quick",
                device="cpu",
                jobs=1,
            )
    finally:
        catalogue.discard(made.id)
    assert found.verdict == "error"


@pytest.mark.parametrize(
    ("value", "printed"),
    [("(T - i)*tr1", "Abs(T - i)*tr1"), ("(i - 1)*tr1", "Abs(i - 1)*tr1"), ("(i - 1)*tr1", "sqrt((i - 1)**2)*tr1")],
)
def test_points_that_are_no_positions_disprove_nothing(value: str, printed: str) -> None:
    """_equal tries i = 3/7, and T < i; the print is true for 1 <= i <= T."""
    assert compare(Ratio.from_expr(parse(value)), parse(printed), {}, "") is not False


def test_a_bound_above_by_a_constant() -> None:
    """sp.Poly(1) without generators: GeneratorsNeeded in _at_least."""
    c = by_id()["bao2024.sec4.eq5"]
    for upper in ("sqrt(d*tr2 + 1)", "sqrt(d*tr2 + 1/9)"):
        assert settle(replace(c, printed={"upper": upper}), derive(c.id)).status == "proved"


def test_a_tautology_concludes_nothing() -> None:
    """A Fact of any value with the step value = value is proved."""
    c = replace(by_id()["bao2024.sec5.eq8"], printed={"variance": "7*tr1"})
    step = Step("identity", "{0} = {1}", (Ratio.from_expr(parse("7*tr1")),) * 2)
    assert settle(c, Derived({"variance": Fact(step.data[0], (step,), "")}, (step,))).status != "proved"


def test_a_nested_sum_takes_long() -> None:
    begin = time.process_time()
    with pytest.raises(ExpressionError):
        parse("Sum(Sum(Sum((a+b+c)**40,a,1,b),b,1,c),c,1,T)")
    assert time.process_time() - begin < 1


def test_a_position_on_the_left_of_a_moment_or_an_observable() -> None:
    walk = random_walk("i", "T")
    i, T = walk.positions
    f = walk.form(i, W, T)
    m = walk.expect(f)
    assert isinstance(T - m, Moment) and isinstance(T + m, Moment)
    assert walk.expect(i - f).ratio == walk.expect(i + f * -1).ratio


def test_equal_values_hash_alike() -> None:
    assert (Ratio.of("i") == "i") <= (hash(Ratio.of("i")) == hash("i"))


def test_power_sums_of_whole_powers_only() -> None:
    assert not licensed(Step("power-sums", "", (1.5, "tr1.5")))
    assert not licensed(Step("power-sums", "", (math.inf, "trinf")))


def test_a_bound_needs_its_root_and_its_traces() -> None:
    c = by_id()["bao2024.sec4.eq5"]
    d = derive(c.id)
    (bound,) = d.quantities.values()
    assert isinstance(bound, SharpBound)
    steps = tuple(s for s in bound.steps if s.rule != "psd-root")
    assert settle(c, Derived({"": replace(bound, steps=steps)}, steps)).status == "undecided"


def test_an_exact_print_of_nought_has_decoys() -> None:
    """mutants(0) without a remainder is empty now, so a deterministic print of 0 is verified with 0 of 0 decoys."""
    from proofs_check.claims.mutants import mutants

    assert {formula for _, formula in mutants(parse("0"), ("T",))} >= {1, -1}
