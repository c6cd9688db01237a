"""LocAteR's gradients as the kernel settles them, false prints, and the minimiser of the regularisers alone."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest
import sympy as sp

from theorems.algebra.expressions import parse, symbol
from theorems.bao2024 import locater
from theorems.claims.catalogue import by_id
from theorems.gaussian.process import Step
from theorems.kernel.derivation import Derived
from theorems.kernel.deriving import derive
from theorems.kernel.matrix_claims import matrix_of
from theorems.kernel.matrix_facts import MatrixFact
from theorems.kernel.settle import settle

SCALE = ("bao2024.sec6.grad-scale-q", "bao2024.sec6.grad-scale-k")
MEAN = ("bao2024.sec6.grad-mean-q", "bao2024.sec6.grad-mean-k")


def fact_of(claim: str, second_route: bool = False) -> MatrixFact:
    found = matrix_of(derive(claim, second_route=second_route))
    assert found is not None
    return found


def word(claim: str) -> str:
    (name,) = by_id()[claim].printed
    return name


@pytest.mark.parametrize("claim", [*SCALE, *MEAN])
def test_both_routes_give_the_derivative_of_the_regulariser(claim: str) -> None:
    first, second = fact_of(claim), fact_of(claim, second_route=True)
    assert first.value == second.value
    assert first.method != second.method
    random, by = Random(3), "W_Q" if claim.endswith("q") else "W_K"
    for d, m in ((1, 1), (2, 3), (3, 2)):
        here = first.instance({"dim": str(d), "inner": str(m), "seed": "4"})
        step = locater.drawn(random, m, d)

        def f(h: int, here: Any = here, step: Any = step) -> Fraction:
            moved = {name: array + h * step if name == by else array for name, array in here.arrays.items()}
            W = moved["W_Q"].T @ moved["W_K"]
            value: Fraction = (W * W).sum() if claim in SCALE else (W.trace() - 1) ** 2
            return value

        # the regularisers are quadratic in each factor, so the difference is the derivative
        assert (f(1) - f(-1)) / 2 == (here.evaluate(first.value) * step).sum()


def test_what_is_settled() -> None:
    for claim in (*SCALE, *MEAN):
        statement = by_id()[claim]
        outcome = settle(statement, derive(claim))
        assert all(step.ok for step in outcome.steps)
        # the true factor, stated again, is proved; and it is the correction where there is one
        told = {word(claim): str(outcome.exact)}
        assert settle(replace(statement, printed=told), derive(claim)).status == "proved"
        if outcome.status == "disproved":
            assert {name: str(sp.expand(true)) for name, true in outcome.corrections.items()} == told
            assert outcome.false_quantities == tuple(told)
        assert {s.name for s in outcome.exact.free_symbols} <= set(statement.symbols)  # type: ignore[union-attr]


@pytest.mark.parametrize("claim", [*SCALE, *MEAN])
def test_false_prints_are_disproved_and_corrected(claim: str) -> None:
    statement, derived = by_id()[claim], derive(claim)
    true = settle(statement, derived).exact
    assert true is not None
    name, other = word(claim), {"W_Q": "W_K", "W_K": "W_Q"}
    exchanged = "factor of " + "".join(
        other.get(p, p) for p in name.removeprefix("factor of ").replace("W_", " W_").split()
    )
    wrong = [{name: str(true + 1)}, {name: f"-({true})"}, {name: f"3*({true})"}, {name: "0"}]
    wrong += [{exchanged: str(true)}, {name: str(true), "factor of W_Q - W_K": "1"}]
    if claim in SCALE:
        wrong.append({"factor of W_Q*W_Q.T*W_Q": "2"})
    else:
        wrong += [{name: "2*t*(t - 1)"}, {name: "t"}, {name: "2*t"}]
    for printed in wrong:
        outcome = settle(replace(statement, printed=printed), derived)
        assert outcome.status == "disproved", printed
        told = {key: str(value) for key, value in outcome.corrections.items()}
        assert settle(replace(statement, printed=told), derived).status == "proved", told
    # another form of the truth is proved
    again = {name: f"({true} + 1)*2/2 - 1"}
    assert settle(replace(statement, printed=again), derived).status == "proved"


def test_a_print_that_cannot_be_read_is_refused() -> None:
    statement, derived = by_id()[MEAN[0]], derive(MEAN[0])
    for printed in (
        {"gradient": "2"},
        {"factor of W_Q.T": "2"},
        {"factor of W": "2"},
        {"factor of W_K": "s"},
        {"factor of W_K": "1/t"},
    ):
        with pytest.raises(ValueError):
            settle(replace(statement, printed=printed), derived)


def test_a_value_without_its_steps_is_undecided() -> None:
    claim = MEAN[0]
    fact, statement = fact_of(claim), by_id()[MEAN[0]]
    put, step = fact.steps
    other = fact_of(MEAN[1])
    broken = [
        replace(fact, steps=()),
        replace(fact, steps=(put,)),
        replace(fact, steps=other.steps),
        replace(fact, steps=fact_of(SCALE[0]).steps),
        replace(fact, value=fact.value * 2),
        # a gradient of something that no step led to
        replace(fact, steps=(fact_of(SCALE[0]).steps[0], step)),
        replace(fact, steps=(put, Step("matrix-gradient", "", (*step.data[:2], step.data[2] * 2)))),
    ]
    for bad in broken:
        assert settle(statement, Derived({"": bad}, bad.steps)).status == "undecided"
    assert settle(statement, Derived({"": fact}, fact.steps)).status != "undecided"


def test_a_false_print_needs_an_instance() -> None:
    claim = by_id()[MEAN[0]]
    fact = replace(fact_of(MEAN[0]), points=())
    wrong = replace(claim, printed={word(MEAN[0]): "t**3"})
    assert settle(wrong, Derived({"": fact}, fact.steps)).status == "undecided"


def random_of_rank(random: Random, rank: int, d: int) -> Any:
    low, high = (np.array([[random.uniform(-1, 1) for _ in range(d)] for _ in range(rank)]) for _ in "ab")
    return low.T @ high


def value(W: Any, one: float, two: float) -> float:
    return float(one * (W * W).sum() + two * (W.trace() - 1) ** 2)


def test_no_matrix_of_the_rank_is_below_the_minimiser() -> None:
    found = locater.minimiser()
    random = Random(11)
    for rank, d in ((1, 1), (1, 4), (2, 4), (4, 4), (3, 7)):
        for one, two in ((1.0, 1.0), (100.0, 1.0), (0.25, 3.0), (2.0, 0.0)):
            at = {symbol("kappa_1"): one, symbol("kappa_2"): two, symbol("r"): rank}
            least, trace, eigenvalue = (float(part.subs(at)) for part in (found.least, found.trace, found.eigenvalue))
            basis, _ = np.linalg.qr(np.array([[random.gauss(0, 1) for _ in range(d)] for _ in range(d)]))
            W = eigenvalue * basis[:, :rank] @ basis[:, :rank].T
            assert value(W, one, two) == pytest.approx(least, rel=1e-12, abs=1e-15)
            assert W.trace() == pytest.approx(trace, rel=1e-12, abs=1e-15)
            for size in (1e-3, 0.1, 1.0):
                # far from it, and near it: a change within the rank
                V = (W + size * random_of_rank(random, d, d)) @ basis[:, :rank] @ basis[:, :rank].T
                assert value(V, one, two) >= least - 1e-12
                assert value(size * random_of_rank(random, rank, d), one, two) >= least - 1e-12
            # a smaller or larger eigenvalue is worse where the least is not 0
            for factor in (0.9, 1.1):
                assert value(factor * W, one, two) > least or two == 0


def test_what_the_strengths_say() -> None:
    found = locater.minimiser()
    one, two, r = (symbol(name) for name in ("kappa_1", "kappa_2", "r"))
    # tr W is a function of kappa_1/kappa_2 and the rank alone, and tends to 1 without the first term
    c = symbol("c")
    assert not sp.cancel(found.trace.subs(one, c * two)).has(two)
    assert sp.cancel(found.trace.subs(one, 0)) == 1
    assert sp.cancel(found.trace - r * found.eigenvalue) == 0
    assert len(found.remarks) == 2 + len(locater.KAPPAS_2)
    at = {one: locater.KAPPA_1, r: locater.WIDTH}
    for kappa_2 in locater.KAPPAS_2:
        trace = found.trace.subs({**at, two: kappa_2})
        assert any(f"kappa_2 = {kappa_2}:" in line and f"tr(W_QK) = {trace} " in line for line in found.remarks)
        assert 0 <= trace < 1
    for claim in MEAN:
        assert set(found.remarks) <= set(settle(by_id()[claim], derive(claim)).evidence)


def test_an_unproved_minimiser_makes_no_remarks() -> None:
    found = locater.minimiser()
    first, square, *others = found.steps
    wrong = replace(square, data=(*square.data[:3], square.data[3] * 2, square.data[4]))
    with pytest.raises(ArithmeticError):
        _ = replace(found, steps=(first, wrong, *others)).remarks


def test_cases_are_checked() -> None:
    fact = fact_of(SCALE[0])
    for case in ({"dim": "0"}, {"dim": "3/2"}, {"inner": "17"}, {"seed": "-1"}):
        with pytest.raises(ValueError, match=next(iter(case))):
            fact.instance({"dim": "1", "inner": "1", "seed": "1", **case})
    one, again = (fact.instance({"dim": "2", "inner": "3", "seed": "5"}) for _ in range(2))
    assert all((one.arrays[name] == again.arrays[name]).all() for name in fact.given)
    assert one.arrays["W_Q"].shape == (3, 2)
    assert parse("t").is_Symbol
