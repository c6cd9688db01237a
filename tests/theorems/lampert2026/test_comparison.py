"""The rules behind the costs of the patterns, with near-misses, and the bounds against certified optima."""

from dataclasses import replace
from fractions import Fraction as F
from itertools import product
from typing import Any

import numpy as np
import pytest
import sympy as sp

from theorems.algebra.expressions import parse
from theorems.claims.facts import Facts
from theorems.gaussian.numeric import Case
from theorems.gaussian.process import Step
from theorems.kernel.deriving import beside
from theorems.kernel.equivalence import holds, judged, unsupported_equivalence
from theorems.kernel.outcome import Between
from theorems.lampert2026 import comparison
from theorems.lampert2026.patterns.curves import over_groups, region, row
from theorems.lampert2026.patterns.instances import overlapping
from theorems.lampert2026.patterns.optimum import symmetric
from theorems.lampert2026.patterns.symmetric import Family, blocks
from theorems.lampert2026.rules.optimum import CHEAPER, LEAST, NO_SOLUTION, C, at_least_zero, lam, n
from theorems.lampert2026.rules.optimum_dormant import OWN, share
from theorems.rules import licensed

#: C, n, lam, overlap; one group overlaps with none.
GRID = [
    place
    for place in product((1, 2, 3, 5), (2, 3), (F(1, 4), F(3, 5), F(9, 10)), (F(0), F(1, 2), F(1)))
    if place[0] > 1 or place[3] == 0
]

SECOND = comparison.second_sink_solution()


def found(claim: str, second_route: bool = False) -> Any:
    function = {NO_SOLUTION: comparison.diag_lower, CHEAPER: comparison.sinks_cheaper}[claim]
    return function(second_route)[claim]


def step_of(rule: str) -> Step:
    every: list[Step] = [
        s for prop in (NO_SOLUTION, CHEAPER) for second in (False, True) for s in found(prop, second).steps
    ]
    return next(s for s in every if s.rule == rule)


def changed(rule: str, place: int, value: Any) -> Step:
    step = step_of(rule)
    return Step(rule, "", (*step.data[:place], value, *step.data[place + 1 :]))


def at(expression: sp.Expr, place: tuple[int, int, F, F]) -> float:
    groups, size, ratio, overlap = place
    case = Case({"C": str(groups), "n": str(size), "lam": str(ratio), "overlap": str(overlap)})
    return float(case.evaluate(expression))


@pytest.mark.parametrize("prop", [NO_SOLUTION, CHEAPER])
@pytest.mark.parametrize("second_route", [False, True])
def test_every_step_is_licensed(prop: str, second_route: bool) -> None:
    equivalence = found(prop, second_route)
    assert all(licensed(step) for step in equivalence.steps)
    assert equivalence.sufficient


def test_sufficient_conditions_need_a_step_and_a_print_that_implies_them() -> None:
    equivalence = found(CHEAPER)
    assert not unsupported_equivalence(equivalence)
    assert unsupported_equivalence(replace(equivalence, sufficient=(("lam**2 >= 1/4",),)))
    half = "lam**2 >= 1/2"
    for more in ("r_eff > 13*delta2", "r_eff > 11/2*delta2", "r_eff**2 > 73/5*delta2", "r_eff > 73/5*delta2**2"):
        assert judged("if", (half, more), equivalence, ()) == (True, None)
        assert judged("iff", (half, more), equivalence, ())[0] is not True
    for less in ("r_eff > 5*delta2", "r_eff**2 > 14*delta2", "r_eff > 14*delta2**2", half):
        assert judged("if", (half, less), equivalence, ())[0] is None
    assert judged("if", ("lam >= 1/2", "r_eff > 73/5*delta2"), equivalence, ()) == (True, None)
    assert judged("if", ("lam >= 1/2", "r_eff > 72/5*delta2"), equivalence, ())[0] is None


def test_the_two_routes_share_no_rule_for_the_structural_part() -> None:
    one, two = ({step.rule for step in found(NO_SOLUTION, second).steps} for second in (False, True))
    assert {"symmetric-dual", "pinching"} <= one - two
    assert {"factor-dual", "factors-add"} <= two - one


@pytest.mark.parametrize("rule", ["symmetric-dual", "factor-dual"])
def test_multipliers_that_prove_nothing(rule: str) -> None:
    pattern, bound, weights = step_of(rule).data
    table = dict(weights)
    assert not licensed(changed(rule, 0, "sink"))
    assert not licensed(changed(rule, 1, bound + sp.Rational(1, 1000)))
    assert not licensed(changed(rule, 1, bound * sp.Rational(1001, 1000)))
    for name in table:
        more = {**table, name: table[name] * 2}
        assert not licensed(Step(rule, "", (pattern, 2 * sp.Add(*more.values()), tuple(more.items()))))
        negative = {**table, name: -table[name]}
        assert not licensed(Step(rule, "", (pattern, 2 * sp.Add(*negative.values()), tuple(negative.items()))))
    dormant = {**table, "g: g > b": sp.Integer(0)}
    assert not licensed(Step(rule, "", (pattern, bound, tuple(dormant.items()))))


def test_a_sink_solution_needs_its_margins_and_its_cost() -> None:
    _, cost, entries, apart, means = step_of("symmetric-primal").data
    assert not licensed(changed("symmetric-primal", 0, "diag"))
    assert not licensed(changed("symmetric-primal", 1, cost - sp.Rational(1, 1000)))
    for name, value in entries:
        other = {**dict(entries), name: value - sp.Rational(1, 100)}
        assert not licensed(changed("symmetric-primal", 2, tuple(other.items())))
    assert not licensed(changed("symmetric-primal", 3, (apart[0], apart[1] + 1)))
    assert not licensed(changed("symmetric-primal", 4, (-means[0], means[1])))


@pytest.mark.parametrize("place", [(1, F(1, 3)), (2, F(4, 5)), (7, F(1, 2))])
def test_the_cost_of_the_sink_solution_is_its_nuclear_norm(place: tuple[int, F]) -> None:
    groups, ratio = place
    point = {C: groups, lam: sp.Rational(str(ratio))}
    _, cost, entries, *_ = step_of("symmetric-primal").data
    values = {name: float(value.xreplace(point)) for name, value in entries}
    apart, means = blocks(values, groups)
    means = [[groups**0.5 * line[0], *line[1:]] for line in means]
    size = np.linalg.norm(np.array(means, dtype=float), "nuc")
    size += (groups - 1) * np.linalg.norm(np.array(apart, dtype=float), "nuc")
    assert float(cost.xreplace(point)) == pytest.approx(2 * size)


@pytest.mark.parametrize(
    ("start", "least", "good"),
    [
        ("17/20", "1", True),
        ("21/25", "1", False),
        ("7072/10000", "5*delta2", True),
        ("7072/10000", "9/2*delta2", False),
        ("1/2", "73/5*delta2", True),
        ("1/2", "10*delta2", False),
        ("7072/10000", "1", False),
    ],
)
def test_where_the_costs_are_apart(start: str, least: str, good: bool) -> None:
    step = step_of("below-everywhere")
    assert licensed(Step(step.rule, "", (*step.data[:3], parse(start), parse(least)))) is good


@pytest.mark.parametrize("place", [*GRID[::2], (20, 2, F(7, 10), F(1, 4)), (60, 3, F(1, 2), F(1, 6))], ids=str)
def test_the_bound_with_dormant_rows_holds_at_certified_optima(place: tuple[int, int, F, F]) -> None:
    groups, _, ratio, _ = place
    bound, own, _ = comparison.dormant_bound().data
    case = Case({name: str(v) for name, v in zip(("C", "n", "lam", "overlap"), place, strict=True)})
    ranks = float(case.value("r_eff") / (1 - ratio**2))
    diag = float(symmetric("diag", *place).low)
    lam_ = float(ratio)
    largest = min(1.0, ranks * lam_ * (1 + lam_**2) ** 0.5 / groups)
    found = []
    for part in (0, F(1, 2), 1):
        used = sp.Rational(str(F(largest).limit_denominator(10**6) * part))
        assert float(case.evaluate(own.xreplace({share: used}))) <= ranks * (1 + 1e-5)
        found.append(float(case.evaluate(bound.xreplace({share: used}))))
        assert found[-1] <= diag + 1e-4
    # the more of them the better, and better than without
    assert found == sorted(found)
    if place[1] == 2 and groups > 2:
        assert found[-1] > float(case.evaluate(comparison.diagonal_bound().data[0]))


@pytest.mark.parametrize("place", [(1, F(1, 3)), (2, F(4, 5)), (9, F(1, 2)), (40, F(7, 10))])
def test_the_second_sink_solution_costs_less_for_many_groups(place: tuple[int, F]) -> None:
    groups, ratio = place
    point = {C: sp.Integer(groups), lam: sp.Rational(str(ratio))}
    first, second = (float(s.data[1].xreplace(point)) for s in (comparison.sink_solution(), SECOND))
    assert float(symmetric("sink", groups, 2, ratio, F(0)).low) <= min(first, second)
    assert (second < first) is (groups > 5)


def test_dormant_rows_prove_nothing_that_is_false() -> None:
    """Multipliers drawn at random for C = 3: where all checks pass in floats the norm of their full matrix is 1."""
    bound, weights = comparison.dormant_bound().data[2][0].data
    rng = np.random.default_rng(0)
    for _ in range(8):
        point = {C: sp.Integer(3), lam: sp.Float(rng.uniform(0.3, 1)), share: sp.Float(rng.uniform(0, 1))}
        values = {name: float(weight.xreplace(point)) for name, weight in weights}
        Y = full_dual(values, 3, float(point[lam]))
        assert np.linalg.norm(Y, 2) == pytest.approx(1)
        assert 2 * sum(values.values()) == pytest.approx(float(bound.xreplace(point)))


def full_dual(weights: dict[str, float], groups: int, ratio: float) -> np.ndarray[Any, Any]:
    """Y = sum y q (w - l)^T over b, e_c, f_c, each orbit's weight spread evenly over its constraints."""
    b, e, f = 0, range(1, groups + 1), range(groups + 1, 2 * groups + 1)
    Y = np.zeros((2 * groups + 1, 2 * groups + 1))
    for c in range(groups):
        others = [k for k in range(groups) if k != c]
        scale = 1 / groups
        far = scale / len(others)
        Y[f[c], e[c]] += ratio * weights["f: g > f"] * scale
        Y[f[c], f[c]] -= weights["f: g > f"] * scale
        Y[f[c], f[c]] += weights["f: f > b"] * scale
        Y[f[c], b] -= weights["f: f > b"] * scale
        Y[e[c], e[c]] += ratio**2 * weights[OWN] * scale
        Y[e[c], f[c]] -= ratio * weights[OWN] * scale
        for k in others:
            Y[f[c], f[c]] += (weights["f: f > F"] + weights["f: f > G"]) * far
            Y[f[c], f[k]] -= weights["f: f > F"] * far
            Y[f[c], e[k]] -= ratio * weights["f: f > G"] * far
    return Y


def test_non_negative_expressions() -> None:
    for expression in (C - 1, 4 * C - lam**4, 2 / (lam * sp.sqrt(lam**2 + 4)) - 1 / sp.sqrt(lam**2 + C), (C - 1) * lam):
        assert at_least_zero(expression), expression
    for expression in (C - 2, lam - 1, 1 / sp.sqrt(lam**2 + C) - 1 / sp.sqrt(lam**2 + 1), 2 - C / lam, -lam):
        assert not at_least_zero(expression), expression


@pytest.mark.parametrize("place", GRID[::2], ids=str)
def test_the_bounds_hold_at_certified_optima(place: tuple[int, int, F, F]) -> None:
    lower, upper = comparison.diagonal_bound().data[0], comparison.sink_solution().data[1]
    sink, diag = symmetric("sink", *place), symmetric("diag", *place)
    # not even attained
    assert at(lower, place) < float(diag.low)
    assert at(upper, place) >= float(sink.low) * (1 - 1e-12)
    case = Case({name: str(v) for name, v in zip(("C", "n", "lam", "overlap"), place, strict=True)})
    for conditions in found(CHEAPER).sufficient:
        if holds(conditions, case):
            assert sink.high < diag.low


def test_the_least_values_are_those_of_the_instances() -> None:
    for groups, size, ratio, overlap in GRID:
        case = Case({"C": str(groups), "n": str(size), "lam": str(ratio), "overlap": str(overlap)})
        assert all(case.value(name) >= least for name, least in LEAST.items() if name not in ("kappa", "d"))


@pytest.mark.parametrize("place", [*GRID[::3], (3, 2, F(4, 5), F(-1, 2)), (3, 4, F(4, 5), F(-1, 4))], ids=str)
def test_the_effective_rank_of_the_family(place: tuple[int, int, F, F]) -> None:
    case = Case({name: str(v) for name, v in zip(("C", "n", "lam", "overlap"), place, strict=True)})
    assert case.functional("r_eff") == overlapping(*place).r_eff


def test_the_correction_asks_for_lam_alone_and_no_instance_denies_it() -> None:
    ((condition,), *_) = found(CHEAPER).sufficient
    assert condition == "lam >= 17/20"
    for groups, size, overlap in product((1, 2, 10, 100), (2, 30), (F(0), F(1))):
        if groups > 1 or overlap == 0:
            sink, diag = (symmetric(pattern, groups, size, F(17, 20), overlap) for pattern in ("sink", "diag"))
            assert sink.high < diag.low


def test_signs_are_certified() -> None:
    assert comparison.settled(F(1, 9), F(1, 8), "x") == sp.Rational(1, 9)
    assert comparison.settled(F(-1, 8), F(-1, 9), "x") == -sp.Rational(1, 9)
    with pytest.raises(ValueError, match="not settled"):
        comparison.settled(F(-1, 9), F(1, 9), "x")
    point = {**comparison.BUDGETS[0], "budget": "13/4"}
    assert Case(point).functional("diag_slack") < 0
    assert Case({**point, "budget": "16/5"}).functional("diag_slack") > 0
    with pytest.raises(ValueError, match="whole numbers"):
        Case({**point, "C": "3/2"}).functional("r_eff")


def test_rows_of_the_figures() -> None:
    rows = over_groups(F(4, 5), range(1, 4))
    assert [line["C"] for line in rows] == [1, 2, 3]
    for line in rows:
        assert line["diag_bound"] <= line["diag_high"]
        assert line["sink_low"] <= line["sink_solution"]
    assert row(1, 2, F(1, 2), F(0))["cheaper"] == "diagonal"
    grid = region((F(1, 2), F(40, 41)), (1, 2), F(1))
    assert [(line["lam"], line["C"]) for line in grid] == [(0.5, 1), (0.5, 2), (40 / 41, 1), (40 / 41, 2)]
    assert all(line["cheaper"] == "sink" for line in grid if line["shown"])
    assert any(line["shown"] for line in grid)


def test_the_reduced_program_takes_symbols() -> None:
    assert Family(C, n, lam, 0).delta2 == 1 - lam**2


@pytest.mark.parametrize(
    "changes", [{"lam": "2"}, {"lam": "-4/5"}, {"n": "1"}, {"C": "1", "overlap": "1"}, {"overlap": "-1"}, {"C": "0"}]
)
def test_what_is_no_instance_has_no_optimum(changes: dict[str, str]) -> None:
    place = {"C": "3", "n": "2", "lam": "3/5", "overlap": "0"} | changes
    with pytest.raises(ValueError, match="expected C >= 1"):
        Case(place).functional("sink_gain")
    with pytest.raises(ValueError, match="expected kappa > 0"):
        Case({**comparison.BUDGETS[0], "budget": "-4"}).functional("diag_slack")


def test_least_values_that_nothing_says_prove_nothing() -> None:
    honest = found(NO_SOLUTION)
    assert unsupported_equivalence(honest) == []
    assert unsupported_equivalence(replace(honest, facts=Facts({**LEAST, "C": 10}))) == ["nothing says that C >= 10"]
    assert unsupported_equivalence(replace(honest, facts=Facts({"budget": 1}))) == ["nothing says that budget >= 1"]


def test_the_report_encloses_the_costs_that_both_comparisons_are_about() -> None:
    """Where lam = 4/5 a diagonal solution costs less than 8, the budget of the refuted bound's counterexample."""
    found = beside("lampert2026.sec7.diag-lower-other")
    assert found == beside("lampert2026.sec7.sinks-always-cheaper") and len(found) == 3
    last = found[2]
    assert isinstance(last, Between) and last.params["lam"] == "4/5"
    low, high = last.ends["OPT_diag"]
    assert 6 < low <= high < 8 and str(last).endswith(f"OPT_diag in [{float(low):.7f}, {float(high):.7f}]")
