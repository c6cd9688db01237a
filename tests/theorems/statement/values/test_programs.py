"""Families of vectors, relations for every index, existence and least norms: read, told, and certified at a case."""

from __future__ import annotations

from fractions import Fraction
from typing import Any
from unittest.mock import Mock

import flint
import pytest
import scipy.optimize
import torch

from montecarlo.statements import StatementSimulationError, programs
from montecarlo.statements.environment import environment_of
from montecarlo.statements.values import value as simulated
from proofs_check.statements.judging import check_statement
from proofs_check.statements.request import Request
from theorems.statement.expression import Expr, StatementError
from theorems.statement.latex import latex
from theorems.statement.proposition import Proposition, proposition
from theorems.statement.prose import in_words
from theorems.statement.reading.language import Vocabulary, parsed
from theorems.statement.values.arithmetic import UndefinedError, times
from theorems.statement.values.cases import Case, admissible
from theorems.statement.values.certify import violation
from theorems.statement.values.linear import Linear, linears
from theorems.statement.values.programs import feasible, least_norm
from theorems.statement.values.truths import truth
from theorems.statement.values.values import scalar

F = Fraction
#: A sink z_0 and keys z_1, z_2; the sink wins with the margin kappa for the queries z_1 and z_2.
SINK = "every(z[i].T*W*(z[0] - z[j]) >= kappa, i, 1, n, j, 1, n)"
COST = f"least(norm(W, fro), W, {SINK})"
HYPOTHESES = "z[0..n] in R^d, kappa > 0"


def case(*vectors: tuple[int | str, ...], kappa: str = "1") -> Case:
    rows = tuple(tuple(F(v) for v in row) for row in vectors)
    return Case({"d": F(len(rows[0])), "n": F(len(rows) - 1), "kappa": F(kappa)}, families={"z": rows})


def second(node: Expr, at: Case) -> float | bool:
    numbers = {name: int(v) if v.denominator == 1 else str(v) for name, v in at.numbers.items()}
    # as in a simulation, where no gradient is recorded
    with torch.inference_mode():
        return float(simulated(node.plain(), environment_of({**numbers, "families": at.plain().get("families", {})})))


def middle(node: Expr, at: Case) -> float:
    found = scalar(node, at)
    assert isinstance(found, flint.arb)
    return float(found.mid())


def said(text: str, hypotheses: str = HYPOTHESES, where: str = "") -> Proposition:
    return proposition(text, hypotheses, where)


#: Hulls {z_1, z_2} at the distances rho_Q from 0 and rho_K from z_0: the least norm is kappa/(rho_Q rho_K).
SEPARATED = case((0, 5), (3, 1), (4, 1))
#: 0 lies between the queries.
AROUND = case((0, 5), (3, 1), (-3, -1))


def test_the_conditions_of_a_least_norm_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read, multiplied = Mock(side_effect=linears), Mock(side_effect=times)
    monkeypatch.setattr("theorems.statement.values.programs.linears", read)
    monkeypatch.setattr("theorems.statement.values.values.times", multiplied)
    prop = said("least(norm(W, fro), W, every(z[i].T*W*(2*z[0]) >= kappa, i, 1, n, j, 1, n)) >= 0")
    assert middle(prop.left, SEPARATED) > 0
    # the conditions once for both ends of the value, and 2 z[0] once for all i and j
    assert read.call_count == multiplied.call_count == 1


@pytest.mark.parametrize("kind", ["fro", "2", "nuclear"])
def test_least_norm_is_the_one_of_two_distances(kind: str) -> None:
    prop = said(f"least(norm(W, {kind}), W, {SINK}) >= kappa/5")
    found = scalar(prop.left, SEPARATED)
    # the nearest query is (3, 1), and the nearest key to (0, 5) is (3, 1) too: sqrt(10) and 5 away
    expected = (10 * 25) ** -0.5
    assert isinstance(found, flint.arb) and float(found.rad()) < 1e-6
    assert abs(float(found.mid()) - expected) < 1e-8
    assert abs(second(prop.left, SEPARATED) - expected) < 1e-6


def test_a_norm_of_another_kind_has_another_least_value() -> None:
    # one condition per unit vector: the identity is least in all norms, and its norms differ
    rows = tuple(Linear(tuple(F(int(k == 4 * r)) for k in range(9)), F(1)) for r in range(3))
    found = {kind: least_norm(rows, kind, 3) for kind in ("2", "fro", "nuclear")}
    for kind, value in {"2": 1.0, "fro": 3**0.5, "nuclear": 3.0}.items():
        ends = found[kind]
        assert ends is not None and ends[0] <= F(value) + F(1, 10**12) and float(ends[1] - ends[0]) < 1e-6
        assert abs(float(ends[1]) - value) < 1e-6


@pytest.mark.parametrize("kind", ["fro", "2", "nuclear"])
def test_numbers_that_the_solver_refuses_leave_the_norm_open(kind: str) -> None:
    far = F(10**20)
    program = Linear((far, F(1), F(0), F(2)), F(1)), Linear((F(1), far, F(3), F(0)), F(1))
    assert least_norm(program, kind, 2) is None


@pytest.mark.parametrize("kind", ["fro", "2", "nuclear"])
def test_conditions_without_the_matrix_are_met_by_none_or_by_all(kind: str) -> None:
    nothing = (F(0),) * 4
    with pytest.raises(UndefinedError, match="no matrix meets"):
        least_norm((Linear(nothing, F(1)),), kind, 2)
    assert least_norm((Linear(nothing, F(-1)),), kind, 2) == (F(0), F(0))
    same = case((1, 2), (1, 2))
    with pytest.raises(UndefinedError, match="no matrix meets"):
        scalar(said(f"{COST} >= 0".replace("fro", kind)).left, same)
    with pytest.raises(StatementSimulationError):
        second(said(f"{COST} >= 0".replace("fro", kind)).left, same)


@pytest.mark.parametrize(("at", "expected"), [(SEPARATED, True), (AROUND, False)])
def test_existence_is_certified_either_way_and_seen_by_the_second_interpreter(at: Case, expected: bool) -> None:
    node = said(f"{COST} >= 0").left
    weak = node.args[2:]
    strict = parsed("exists(W, every(z[i].T*W*(z[0] - z[j]) > 0, i, 1, n, j, 1, n))", Vocabulary(families={"z": (0,)}))
    for exists in (Expr("exists", ("W", *weak)), strict):
        assert truth(exists, at) is expected and bool(second(exists, at)) is expected
    if expected:
        assert scalar(node, at) > 0
    else:
        with pytest.raises(UndefinedError, match="no matrix meets"):
            scalar(node, at)


def test_strict_conditions_with_a_bound_need_not_be_met_by_scaling() -> None:
    one, other = Linear((F(1),), F(1), True), Linear((F(-1),), F(-1), True)
    assert feasible((one,)) and feasible((other,)) and feasible((one, other)) is False
    assert feasible((Linear((F(1),), F(1)), Linear((F(-1),), F(-2)))) is True
    # u >= 1 and -u >= -1 leave u = 1, which strict inequalities do not show
    assert feasible((Linear((F(1),), F(1)), Linear((F(-1),), F(-1)))) is None


def test_the_least_number_is_exact() -> None:
    prop = said("least(t, t, t >= 0, every(z[i].T*z[0] + t >= kappa, i, 1, n)) = 0")
    at = case((1, 0), ("1/3", 2), (2, 2))
    assert scalar(prop.left, at) == F(2, 3)
    assert abs(second(prop.left, at) - 2 / 3) < 1e-9


def test_two_unknown_numbers_and_a_trace() -> None:
    prop = proposition("least(u, u, v, u + v >= 3, u - v >= -1, v <= 2) = 0", "")
    assert scalar(prop.left, Case()) == 1
    both = proposition("least(norm(W, nuclear), W, tr(B*W) >= 1) = 0", "B symmetric, d = 2")
    at = Case({"d": F(2)}, matrices={"B": ((F(3), F(0)), (F(0), F(1)))})
    assert abs(middle(both.left, at) - 1 / 3) < 1e-8


def test_turned_unknowns_have_turned_coefficients() -> None:
    left = said("least(norm(W, fro), W, z[1].T*(W.T + 0*I)*z[0] >= kappa, z[1].T*W*z[0] >= 0) = 0").left
    at = case((0, 2), (1, 0))
    # W_21 >= 1/2 alone, for W.T has the entry 12 of it there
    assert abs(middle(left, at) - 0.5) < 1e-8 and abs(second(left, at) - 0.5) < 1e-6


def test_families_of_two_indices_and_relations_for_every_index() -> None:
    hypotheses = (
        "z[0..n] in R^d, y[1..n, 1..2] in R^d, "
        "every(y[c, 1].T*y[c, 2] = 0, c, 1, n), every(norm(y[c, i] - y[e, i]) > 1, c, 1, n, e, 1, n, i, 1, 2, c != e)"
    )
    prop = said("z[0].T*z[1] <= sum(norm(y[c, 1])**2, c, 1, n)", hypotheses)
    y = tuple(((F(k), F(0)), (F(0), F(3 * k))) for k in (1, 3))
    at = Case({"d": F(2), "n": F(2)}, families={"z": ((F(1), F(1)),) * 3, "y": y})
    assert admissible(prop, at) == ""
    near = tuple(((F(k), F(0)), (F(0), F(3 * k))) for k in (1, 2))
    assert "y[c, i] - y[e, i]" in admissible(prop, Case(at.numbers, families={**at.families, "y": near}))
    assert "2 x 2 vectors" in admissible(prop, Case(at.numbers, families={**at.families, "y": y[:1]}))
    assert second(prop.right, at) == 10


def test_sequences_are_run_through() -> None:
    prop = said("least(norm(W, fro), W, every(z[i].T*W*z[0] >= 1, i, J)) = 0", "z[0..n] in R^d, J in R^m")
    at = case((1, 0), (3, 0), (4, 0))
    at = Case({**at.numbers, "m": F(1)}, sequences={"J": (F(2),)}, families=at.families)
    assert abs(middle(prop.left, at) - 0.25) < 1e-8


def test_the_words_read_back() -> None:
    prop = said(f"{COST} >= kappa")
    again = said(f"{prop.left} >= kappa")
    assert again.left == prop.left
    assert "z[0..n] in R^d" in in_words(prop)
    assert r"\min\left\{\left\lVert W \right\rVert_{F} :\ " in latex(prop.left)
    assert r"\forall\, i=1,\dots,n,\ j=1,\dots,n" in latex(prop.left)


@pytest.mark.parametrize(
    ("text", "message", "at"),
    [
        ("least(norm(W, fro), W, z[1].T*W*W*z[0] >= 1) = 0", "not linear in W", "z[1].T*W*W*z[0] >= 1"),
        ("least(norm(W, fro), W, z[1].T*W*z[0] > 1) = 0", "one of >= <=", "z[1].T*W*z[0] > 1"),
        ("least(tr(W*W), W, z[1].T*W*z[0] >= 1) = 0", "expected a norm of an unknown matrix", "tr(W*W)"),
        ("least(norm(W, fro), W) = 0", "expected least(f, W, conditions)", "least"),
        ("least(norm(W, fro), W, 2*kappa) = 0", "expected least(f, W, conditions)", "2*kappa"),
        ("least(norm(W, fro), W, kappa >= 1) = 0", "not linear in W", "kappa >= 1"),
        ("least(norm(W, fro), z, z[1].T*W*z[0] >= 1) = 0", "z is no unknown", "z, "),
        ("least(norm(W, fro), W, every(z[1].T*W*z[0], j, 1, n)) = 0", "expected every(relation", "every"),
        ("least(norm(W, fro), W, every(z[j].T*W*z[0] >= 1, j, 1)) = 0", "expected every(relation", "j, 1))"),
        ("least(norm(W, fro), W, every(z[j].T*W*z[0] >= 1, d, 1, 2)) = 0", "d cannot be an index", "d, 1"),
        ("z[1, 2].T*z[0] = 0", "z[...] at 2 places; expected z[j]", "z[1, 2]"),
        ("norm(z) = 0", "z is a family", "z) ="),
    ],
)
def test_what_cannot_be_read_is_told_with_its_place(text: str, message: str, at: str) -> None:
    with pytest.raises(StatementError) as told:
        said(text)
    assert message in str(told.value)
    assert told.value.at == text.index(at), told.value.caret


def test_a_family_begins_with_0_or_1() -> None:
    with pytest.raises(StatementError, match="expected 0 or 1 as the first index"):
        said("norm(z[2]) = 0", "z[2..n] in R^d")


TRACE = ["tr", ["unknown", "W", "matrix"]]
ENTRY = ["norm", ["unknown", "W", "matrix"], "fro"]


@pytest.mark.parametrize(
    "side",
    [
        ["**", TRACE, ["number", "2"]],
        ["**", TRACE, ["number", "3"]],
        # homogeneous of degree 1, like what is linear
        ["abs", TRACE],
        ENTRY,
        ["max", TRACE, ["number", "0"]],
        ["+", TRACE, ["abs", TRACE]],
        ["/", ["**", TRACE, ["number", "2"]], ENTRY],
        ["/", ["**", TRACE, ["number", "3"]], ["**", ENTRY, ["number", "2"]]],
    ],
)
def test_a_relation_that_is_not_linear_is_seen_by_the_second_interpreter(side: Any) -> None:
    left = said(f"{COST} >= 0").left
    node = left.plain()
    node[3] = ["relation", ">=", side, ["number", "1"]]
    numbers = {"d": 2, "n": 2, "kappa": 1, "families": SEPARATED.plain()["families"]}
    with pytest.raises(StatementSimulationError, match="not linear in the unknowns"):
        simulated(node, environment_of(numbers))


U, V = (["unknown", name, "number"] for name in "uv")


@pytest.mark.parametrize(
    "side", [["**", U, ["number", "2"]], ["abs", U], ["max", U, ["number", "0"]], ["*", U, V], ["+", U, ["abs", V]]]
)
def test_numbers_whose_relation_is_not_linear_are_seen(side: Any) -> None:
    """Few unknowns have unit points and no gradient: what is linear along the axes alone is no less seen."""
    node = ["least", ["+", U, V], "u, v", ["relation", ">=", side, ["number", "1"]]]
    with pytest.raises(StatementSimulationError, match="not linear in the unknowns"):
        simulated(node, environment_of({}))


def test_a_least_value_in_the_conditions_of_another_is_worked_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    solved: list[Any] = []
    linprog = scipy.optimize.linprog

    def counted(*given: Any, **options: Any) -> Any:
        solved.append(given)
        return linprog(*given, **options)

    monkeypatch.setattr(programs, "linprog", counted)
    inner = ["least", U, "u", ["relation", ">=", U, ["name", "c"]]]
    outer = ["least", V, "v", ["relation", ">=", V, ["*", ["number", "3"], inner]], ["relation", ">=", V, inner]]
    assert simulated(["+", inner, outer], environment_of({"c": 2})) == pytest.approx(8)
    assert len(solved) == 2


def test_existence_may_stand_in_a_clause() -> None:
    prop = said(
        "exists(W, every(z[i].T*W*(z[0] - z[j]) > 0, i, 1, n, j, 1, n)) iff z[1].T*z[2] > 0", "z[0..n] in R^d, n = 2"
    )
    assert truth(prop.left, SEPARATED) is True and truth(prop.left, AROUND) is False
    assert violation(prop, SEPARATED) is False and violation(prop, AROUND) is False
    other = said(f"{prop.left} if z[1].T*z[2] < 0", "z[0..n] in R^d, n = 2")
    assert violation(other, AROUND) is True


def test_a_projector_onto_a_span() -> None:
    prop = said("tr(onto(z[j], j, 0, n)) = norm(onto(z[j], j, 1, n), fro)", "z[0..n] in R^d")
    at = case((1, 0, 0), (1, 2, 2), (2, 4, 4))
    assert scalar(prop.left, at) == 2 and scalar(prop.right, at) == 1
    assert abs(second(prop.left, at) - 2) < 1e-12 and abs(second(prop.right, at) - 1) < 1e-12
    assert r"\operatorname{span}" in latex(prop.left)
    with pytest.raises(StatementError, match=r"expected a vector, e\.g\. onto"):
        said("tr(onto(norm(z[j]), j, 0, n)) = 0", "z[0..n] in R^d")


@pytest.mark.parametrize(
    ("text", "hypotheses"),
    [
        ("norm(z[1]) >= 0", "z[1..n] in R^d"),
        ("least(norm(W, fro), W, a.T*W*a >= 1) >= 0", "a in R^d"),
        ("every(s[j] <= u, j, 1, n) iff max(s) <= u", "s in R^n, u real"),
    ],
)
def test_what_is_not_searched_is_undecided_and_no_error(text: str, hypotheses: str) -> None:
    (found,) = check_statement(Request(text, hypotheses), effort="quick")
    assert found["verdict"] == "undecided" and "not yet searched" in found["reason"]
