"""Section 6: the functionals of a context, the proofs of its claims, their points, and planted faults."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest
import sympy as sp

from proofs_check.claims.pairing import Pair
from theorems.algebra.balls import at, sign
from theorems.algebra.closed import names
from theorems.algebra.expressions import parse, symbol, text
from theorems.claims.catalogue import Statement, by_id
from theorems.gaussian.numeric import Case
from theorems.gaussian.process import Step
from theorems.kernel.bounds import admitted, ungranted
from theorems.kernel.derivation import Derived, Inequality
from theorems.kernel.deriving import registered, remarked
from theorems.kernel.outcome import Outcome
from theorems.kernel.settle import settle
from theorems.lampert2026 import switch
from theorems.rules import RULES, licensed
from theorems.rules.softmax import APART

FORWARD, BACKWARD, ZERO = NAMES = tuple(
    f"lampert2026.sec6.{name}" for name in ("sink-implies-switch", "switch-implies-sink", "zero-output-implies-sink")
)


@cache
def bound(name: str, second_route: bool = False) -> Inequality:
    found = Pair(by_id()[name], second_route=second_route).derived().quantities
    (quantity,) = found.values()
    assert isinstance(quantity, Inequality)
    return quantity


def with_print(name: str, upper: sp.Expr | str) -> Statement:
    return replace(by_id()[name], printed={"upper": upper if isinstance(upper, str) else text(upper)})


def settled(statement: Statement, found: Inequality | None = None) -> Outcome:
    if found is None:
        return settle(statement, Pair(statement).derived())
    return settle(statement, Derived({"upper": found}, found.steps))


def number(case: Case, name: str) -> float:
    return float(at(symbol(name), {name: case.number(name)}))


def brute(scores: list[Fraction], values: list[list[Fraction]]) -> dict[str, float]:
    """Every functional but rho_V, from its definition, in floating point."""
    s, v = np.array(scores, dtype=float), np.array(values, dtype=float)
    p = np.exp(s) / np.exp(s).sum()
    out = p @ v
    return {
        "keys": len(s) - 1,
        "sink_margin": min(s[0] - s[1:]),
        "score_gap": s[1] - s[0],
        "value_radius": max(np.linalg.norm(v[1:] - v[0], axis=1)),
        "sink_norm": np.linalg.norm(v[0]),
        "value_norm": np.linalg.norm(v[1]),
        "out_norm": np.linalg.norm(out),
        "deviation": np.linalg.norm(out - v[0]),
        "outside": sum(p[i] for i in range(1, len(s)) if v[i].any()),
    }


@pytest.mark.parametrize("seed", range(12))
def test_functionals_are_what_they_say(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(1, 5)), int(rng.integers(1, 4))
    scores = [Fraction(int(a), 4) for a in rng.integers(-8, 9, n + 1)]
    values = [[Fraction(int(a), 3) for a in row] for row in rng.integers(-2, 3, (n + 1, d))]
    case = Case({"scores": [str(a) for a in scores], "values": [[str(a) for a in row] for row in values]})
    for name, value in brute(scores, values).items():
        assert number(case, name) == pytest.approx(value, abs=1e-12), name


@pytest.mark.parametrize(
    ("values", "square"),
    [
        (["1", "-1"], 0),
        (["1", "3"], 1),
        (["-1/2", "-3"], Fraction(1, 4)),
        (["2 0", "0 2"], 2),
        (["1 0", "0 1", "-1 -1"], 0),
        (["1 1", "0 0", "1 -1"], 1),
    ],
)
def test_the_distance_of_the_values_leaves_out_those_that_are_0(values: list[str], square: Any) -> None:
    rows = [value.split() for value in values]
    case = Case({"scores": ["0"] * (len(rows) + 1), "values": [["7"] * len(rows[0]), *rows]})
    assert case.functional("rho_V") ** 2 == sp.Rational(Fraction(square))


@pytest.mark.parametrize(
    ("scores", "values", "name", "words"),
    [
        (["0", "0"], [["0"], ["0"]], "rho_V", "needs a value other than 0"),
        (["0"], [["0"]], "keys", "expected a score and a value"),
        (["0", "1"], [["0"]], "out_norm", "expected a score and a value"),
        (["0", "1"], [["0"], ["1", "2"]], "deviation", "expected a score and a value"),
    ],
)
def test_cases_that_are_none_are_told(scores: list[str], values: list[list[str]], name: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Case({"scores": scores, "values": values}).functional(name)


def test_an_output_that_cancels_is_exactly_0_and_another_one_is_not() -> None:
    def out(scores: str, values: str) -> sp.Expr:
        return Case(switch._context(scores, values)).functional("out_norm")

    assert out("0 4 4", "0;1;-1") == 0
    assert out("1/2 3 3 3", "0;1;1;-2") == 0
    assert out("0 4 4", "0;1;-2") != 0
    assert out("0 4 5", "0;1;-1") != 0


@pytest.mark.parametrize("name", NAMES)
def test_the_bound_holds_at_its_points_and_is_reached(name: str) -> None:
    """Where the hypotheses of the proof hold, quantity <= upper in balls; with no gap, or next to none, somewhere."""
    found = bound(name)
    smallest = np.inf
    for point in found.points:
        case = Case(point)
        if not admitted(by_id()[name], point) or ungranted(by_id()[name], found):
            continue
        values = {key: case.number(key) for key in names(found.quantity) | names(found.upper)}
        assert sign(found.quantity - found.upper, values) != 1
        smallest = min(smallest, abs(float(at(found.quantity - found.upper, values))))
    assert smallest < 1e-12 or name == ZERO


def test_the_points_against_the_last_claim_have_an_output_of_0() -> None:
    for point in bound(ZERO).points:
        case = Case(point)
        assert admitted(by_id()[ZERO], point)
        assert case.functional("out_norm") == case.functional("sink_norm") == case.functional("rho_V") == 0
        assert number(case, "outside") > 0.03
    sizes = [len(str(point)) for point in bound(ZERO).points]
    assert sizes[0] == min(sizes)


@pytest.mark.parametrize("name", [FORWARD, BACKWARD])
def test_a_print_below_the_bound_or_above_it_is_disproved(name: str) -> None:
    upper = bound(name).upper
    assert settled(with_print(name, upper)).status == "proved"
    for less in (sp.Rational(99, 100) * upper, upper - sp.Rational(1, 100), upper - sp.Rational(1, 10**6)):
        assert settled(with_print(name, less)).status == "disproved", less
    # the claim says that the bound is attained
    for more in (upper + 1, upper + sp.Rational(1, 10**6)):
        assert settled(with_print(name, more)).status == "disproved"


@pytest.mark.parametrize("name", NAMES)
def test_every_condition_is_needed_by_the_proof(name: str) -> None:
    """Without one of the claim's conditions it is not proved, and where that is a hypothesis, it stands beyond."""
    claim = with_print(name, bound(name).upper)
    claim = replace(claim, conditions=(*claim.conditions, *ungranted(claim, bound(name))))
    assert settled(claim).status == "proved"
    for condition in claim.conditions:
        lacking = replace(claim, conditions=tuple(c for c in claim.conditions if c != condition))
        assert ungranted(lacking, bound(name)) == (condition,)


def test_the_correction_has_a_second_proof_by_other_rules() -> None:
    one, two = bound(ZERO), bound(ZERO, second_route=True)
    assert (one.quantity, one.upper) == (two.quantity, two.upper)
    rules = [{step.rule for step in found.steps} for found in (one, two)]
    assert "hull-distance" in rules[0] - rules[1]
    assert {"termwise", "cauchy-schwarz-sum"} <= rules[1] - rules[0]
    corrected = replace(
        by_id()[ZERO], conditions=(*by_id()[ZERO].conditions, APART), printed={"upper": text(one.upper)}
    )
    for found in (one, two):
        assert settled(corrected, found).status == "proved"
        assert ungranted(by_id()[ZERO], found) == (APART,)


@pytest.mark.parametrize("name", NAMES)
def test_a_step_that_is_off_leaves_the_claim_undecided(name: str) -> None:
    """Each step with its right side doubled and 1 added is not licensed, and one such step is enough."""
    found = bound(name)
    claim = with_print(name, found.upper)
    for place, step in enumerate(found.steps):
        if step.rule == "hull-needed":
            wrong = Step(step.rule, step.words, (*step.data[:2], step.data[2] / 2))
        else:
            wrong = Step(step.rule, step.words, (step.data[0], 2 * step.data[1] + 1, *step.data[2:]))
        assert not licensed(wrong), step.text
        if place == 1:
            faulty = replace(found, steps=(found.steps[0], wrong, *found.steps[2:]))
            assert settled(claim, faulty).status == "undecided"
    assert settled(claim, replace(found, steps=())).status == "undecided"
    assert settled(claim, replace(found, upper=found.upper / 2 - 1)).status == "undecided"
    assert settled(claim, replace(found, quantity=symbol("value_radius"))).status == "undecided"


def test_the_forward_bound_needs_its_equality_case() -> None:
    """With a configuration that does not attain the bound, the last step is not licensed."""
    found = bound(FORWARD)
    last = found.steps[-1]
    assert last.rule == "attained"
    kappa, zero, one = symbol("kappa"), sp.Integer(0), sp.Integer(1)
    for sink, other in (((kappa, zero), (zero, zero)), ((2 * kappa, zero), (zero, one)), ((kappa, zero), (one, one))):
        assert not licensed(Step(last.rule, last.words, (*last.data[:4], sink, other)))
    wrong = Step(last.rule, last.words, (*last.data[:4], (2 * kappa, zero), (zero, one)))
    faulty = replace(found, steps=(*found.steps[:-1], wrong))
    assert settled(with_print(FORWARD, found.upper), faulty).status == "undecided"


def test_the_remarks_stand_on_licensed_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, words in ((FORWARD, "out = g attn"), (ZERO, "outside <= |out|/rho_V")):
        assert any(words in line for line in remarked(name))
    monkeypatch.setitem(RULES, "sum-identity", lambda *data: False)
    monkeypatch.setitem(RULES, "hull-distance", lambda *data: False)
    assert switch.gated_attention() == switch.small_output() == []


def test_the_gate_is_part_of_the_derivation() -> None:
    assert set(switch.gate()) <= set(bound(FORWARD).steps)


def test_a_derivation_that_reads_the_print_is_refused() -> None:
    def quoting() -> Inequality:
        return replace(bound(FORWARD), upper=parse(by_id()[FORWARD].printed["upper"]))

    with registered(FORWARD, quoting), pytest.raises(ValueError, match="reads the printed formula"):
        Pair(by_id()[FORWARD]).derived()
