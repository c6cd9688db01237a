"""Section 7: what the sink and the diagonal construction cost, and what the copy queries alone cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import sympy as sp

from theorems.derivation import Fact, Incomplete, derivation, fact, remark
from theorems.expressions import symbol
from theorems.group_matrices import ONE, ZERO, C, GroupMatrix, group_matrix
from theorems.pattern_rules import Parts, at_most, worst
from theorems.patterns import COPIES, GROUPS, d, diagonal_matrix, kappa, lam, margins, r_eta, routing, sink_matrix
from theorems.process import Step
from theorems.thresholds import Threshold

#: The scale of the costs.
UNIT = kappa / sp.sqrt(d)
a_name, b_name = symbol("a"), symbol("b")


# -- nuclear norms


def _rank_two(matrix: sp.ImmutableMatrix) -> tuple[sp.Expr, sp.Expr]:
    """The nuclear norm of a matrix of rank <= 2 with entries in positive names, and s_1 s_2.

    s_1 + s_2 is the root of tr(A^T A) + 2 s_1 s_2, and (s_1 s_2)^2 the sum of the principal 2 x 2 minors of A^T A.
    """
    positive = {name: sp.Dummy(name.name, positive=True) for name in matrix.free_symbols}
    gram = (matrix.T * matrix).xreplace(positive)
    root = sp.sqrt(sp.factor(sp.expand((gram.trace() ** 2 - (gram * gram).trace()) / 2)))
    value = sp.sqrt(sp.factor(sp.expand(gram.trace() + 2 * root)))
    names = {dummy: name for name, dummy in positive.items()}
    return value.xreplace(names), root.xreplace(names)


def _nuclear(matrix: GroupMatrix) -> Step:
    """||M||_* for symbolic C, by the two isotypic parts."""
    parts: Parts = (_rank_two(matrix.standard), _rank_two(matrix.trivial))
    (perp, _), (first, _) = parts
    value = C * first if perp == first else (C - 1) * perp + first
    return Step(
        "group-nuclear", "||M||_* = {2}: C - 1 times on 1-perp, once on the span of e_0 and 1", (matrix, parts, value)
    )


# -- the sink construction


def _sink() -> tuple[dict[str, sp.Expr], tuple[Step, Step]]:
    """The least a, then the least b, of M = a r e_0^T + b sum e_{1,c} e_{0,c}^T."""
    matrix = sink_matrix(a_name, b_name)
    found: dict[str, sp.Expr] = {}
    steps = []
    for name, later in (("a", ("b",)), ("b", ())):
        value = _least(matrix, found, name, later)
        words = f"the least {name} for which all margins of the sink pattern can be kappa: {{5}}"
        steps.append(Step("least-coefficient", words, ("sink", matrix, dict(found), name, later, value)))
        found[name] = value
    return found, (steps[0], steps[1])


def _least(matrix: GroupMatrix, found: Mapping[str, sp.Expr], name: str, later: tuple[str, ...]) -> sp.Expr:
    """The largest lower bound that a margin without later names puts on the name."""
    unknown, known = symbol(name), {symbol(n): v for n, v in found.items()}
    bounds = set()
    for margin in margins("sink", matrix):
        if margin.value.has(unknown) and not margin.value.has(*map(symbol, later)):
            slope, rest = sp.Poly(margin.value.xreplace(known), unknown).all_coeffs()
            bounds.add(sp.factor((kappa - rest) / slope))
    return _end(sp.Max, bounds)


def _end(choice: Any, values: set[sp.Expr]) -> sp.Expr:
    """The largest or the least of expressions, as far as they are comparable."""
    kept: list[sp.Expr] = []
    for value in sorted(values, key=str):
        below = choice is sp.Max
        if not any(at_most(value, other) if below else at_most(other, value) for other in kept):
            kept = [o for o in kept if not (at_most(o, value) if below else at_most(value, o))]
            kept.append(value)
    return choice(*kept)


def _sink_construction() -> tuple[GroupMatrix, tuple[Step, Step]]:
    """M with its least a and b, and the steps that find them."""
    found, steps = _sink()
    return sink_matrix(found["a"], found["b"]), steps


def _margin(pattern: str, matrix: GroupMatrix, alpha: sp.Expr) -> Step:
    """The least margin of a pattern over all of them and over all nuisances."""
    value = _end(sp.Min, {sp.factor(worst(margin.value)) for margin in margins(pattern, matrix, alpha)})
    told = "; ".join(margin.text for margin in margins(pattern, matrix, alpha))
    return Step("least-margin", f"{told}: the least margin is {{3}}", (pattern, matrix, alpha, value))


def _facts(pattern: str, matrix: GroupMatrix, alpha: sp.Expr, before: tuple[Step, ...] = ()) -> dict[str, Fact]:
    """The nuclear norm of M, also from M^T, and the least margin."""
    norm, other, least = _nuclear(matrix), _nuclear(matrix.T), _margin(pattern, matrix, alpha)
    method = "margins from the Gram relations; the nuclear norm on 1 and on 1-perp"
    return {
        "nuclear": fact(norm.data[2], (*before, norm), method),
        "construction_nuclear": fact(other.data[2], (*before, other), method),
        "margin": fact(least.data[3], (*before, least), method),
    }


@derivation("lampert2026.sec7.sink-construction")
def sink_construction() -> dict[str, Fact]:
    """The least a, then the least b, the nuclear norm of M with them, and the least margin of the sink pattern."""
    matrix, steps = _sink_construction()
    facts = _facts("sink", matrix, ZERO, steps)
    for step in steps:
        for name in (step.data[3], f"least_{step.data[3]}"):
            facts[name] = fact(step.data[5], steps, facts["nuclear"].method)
    return facts


@derivation("lampert2026.sec7.diag-construction")
def diag_construction(s: sp.Expr, a: sp.Expr, b: sp.Expr, alpha: sp.Expr) -> dict[str, Fact]:
    """The nuclear norm of M_diag with the printed constants, and the least margin of the diagonal pattern."""
    return _facts("diagonal", diagonal_matrix(s, a, b), alpha)


# -- upper bounds


def _at_most_per_group(norm: Step, matrix: GroupMatrix, points: tuple[dict[str, Any], ...], rest: sp.Expr) -> Threshold:
    """The cost is at most C times that of one group: sharp at C = 1."""
    one = _rank_two(matrix.of_one_group)
    value = norm.data[0] if norm.rule == "orthogonal-sum" else norm.data[2]
    cost, upper = 2 * value, 2 * C * one[0] + rest
    words = "cost = {0} <= {1}: the triangle inequality over the groups"
    last = Step("sum-over-groups", words, (cost, upper, norm, one))
    steps = (norm, last) if norm.rule != "orthogonal-sum" else (norm.data[1], norm, last)
    return Threshold(cost, upper, points, steps, "the triangle inequality over the groups", "lam", C * UNIT, {"C": ONE})


def _points(*further: dict[str, str]) -> tuple[dict[str, Any], ...]:
    """Exact cases: one group and several, lam at 2/3 and above, kappa and d small and large, each with more names."""
    return tuple(
        {"C": count, "lam": value, "kappa": size, "d": width, **more}
        for count, width in (("1", "4"), ("1", "64"), ("5", "64"))
        for value in ("2/3", "9/10", "99/100")
        for size in ("1", "1/16", "16")
        for more in further or ({},)
    )


@derivation("lampert2026.sec7.sink-upper")
def sink_upper() -> Threshold:
    """2 ||W||_* <= C times its value at C = 1, for the sink construction with its least a and b."""
    matrix, steps = _sink_construction()
    found = _at_most_per_group(_nuclear(matrix), matrix, _points(), ZERO)
    return replace(found, steps=(*steps, *found.steps))


@derivation("lampert2026.sec7.diag-upper")
def diag_upper(s: sp.Expr, a: sp.Expr, b: sp.Expr, alpha: sp.Expr) -> Threshold:
    """2 ||W||_* <= C times the structural part of one group, and the nuisance part 2 alpha r_eta."""
    matrix = diagonal_matrix(s, a, b)
    block = _nuclear(matrix)
    whole = block.data[2] + alpha * r_eta
    norm = Step("orthogonal-sum", "||W||_* = {0}: P_eta is orthogonal to the structural part", (whole, block, alpha))
    sizes = (("1", "1"), ("8", "1/4"), ("1", "16"), ("8", "1/64"))
    points = _points(*({"r_eta": rank, "Delta_diag": square} for rank, square in sizes))
    return _at_most_per_group(norm, matrix, points, 2 * alpha * r_eta)


# -- the copy queries alone


def _copy_routing() -> tuple[Step, ...]:
    """The least cost under the two families of constraints: a primal matrix and weights that meet, for every C.

    In units of kappa/sqrt(d): on 1-perp the least slope is 1/lam; on 1, the row (lam, -sqrt(C))/(lam^2 + C) is the
    nearest point to 0 of the line that both families leave. The weights are those of a Y that has norm 1 on both.
    """
    families = routing()
    square = lam**2 + C
    slope = 1 / lam
    # the row on 1 is (entry on the groups, sqrt(C) times that on BOS)
    every = (lam / square - slope) / C
    entries: dict[Any, sp.Expr] = {
        ((COPIES, "c"), (GROUPS, "c")): slope + every,
        ((COPIES, "c"), (GROUPS, "e")): every,
        ((COPIES, "c"), None): -1 / square,
    }
    matrix = group_matrix(2, entries) * UNIT
    primal = Step("routing-primal", "a W that meets both families", (families, matrix))
    norms = (UNIT * slope, ZERO), (UNIT / sp.sqrt(square), ZERO)
    value = (C - 1) * norms[0][0] + norms[1][0]
    norm = Step("group-nuclear", "its nuclear norm is {2}", (matrix, norms, value))
    # 1-perp: lam (first + C second) = 1; 1: first * sqrt(lam^2 + C) = 1
    first = 1 / sp.sqrt(square)
    second = first / (lam * (sp.sqrt(square) + lam))
    dual = Step(
        "routing-dual", "no W that meets them has less than {2}: weights {1}", (families, (first, second), value)
    )
    return primal, norm, dual, Step("least-cost", "the least cost is {0}", (2 * value, primal, norm, dual))


@derivation("lampert2026.sec7.lower-constant")
def lower_constant() -> dict[str, Fact]:
    """The least 2 ||W||_* under the two families of the copy queries."""
    steps = _copy_routing()
    return {"cost": fact(steps[-1].data[0], steps, "a primal matrix and dual weights that meet, for symbolic C")}


@derivation("lampert2026.sec7.sink-lower")
def sink_lower() -> Threshold:
    """-cost <= -(least cost of the copy queries alone) <= -C times that of one group."""
    average = Step("routing-average", "means over i of margins of the copy queries", ("sink", routing()))
    steps = _copy_routing()
    least = steps[-1]
    one, many = sp.sqrt(lam**2 + 1), sp.sqrt(lam**2 + C)
    quantity, upper = -least.data[0], -2 * C * UNIT / one
    factors = (2 * UNIT / (lam * one * many), many - one, one - lam, many - lam, many + lam + one)
    words = "-cost <= {0} <= {1}, as the difference is the product of {2}"
    last = Step("cost-at-least", words, (quantity, upper, factors, average, least))
    method = "the copy queries' constraints: a dual certificate, and factors of one sign"
    points = (*_points(), *({"C": "3", "lam": "1/2", "kappa": size, "d": "64"} for size in ("1", "1/16", "16")))
    return Threshold(quantity, upper, points, (average, *steps, last), method, "lam", C * UNIT, {"C": ONE})


# -- the value part


@derivation("lampert2026.sec7.value-terms")
def value_terms() -> Incomplete:
    """Nothing can be derived: the source gives the two numbers of units and no model of the parts they count."""
    return Incomplete(
        "of the value and MLP parts the excerpt has two multiples of r_eta + C and nothing else: missing are what "
        "these layers must compute for either pattern, how their weights are counted, and the proof's steps about them"
    )


def block_model() -> dict[str, int]:
    """Units of cost per dimension of the span of the d_ci in a block model that gives the source's two numbers.

    A value matrix that copies a direction is one entry 1, of square 1. An MLP that passes a direction on without a
    nonlinearity needs an entry in each of two layers; through ReLUs x = relu(x) - relu(-x) needs two in each.
    """
    value, linear, rectified = 1, 2 * 1, 2 * 2
    return {"sink": value + rectified, "diagonal": value + linear}


@remark("lampert2026.sec7.value-terms")
def guessed_blocks() -> list[str]:
    """The block model, said to be a guess."""
    units = block_model()
    return [
        "the d_ci span r_eta + C dimensions: the n of a group add up to n lam dbar_c, as their nuisances sum to 0",
        f"a guess that reproduces the two numbers, not in the source: one value matrix that copies every dimension (1 "
        f"each) and an MLP that passes it on, through pairs of ReLUs for the sink (4 each, {units['sink']} in all), "
        f"linearly for the diagonal (2 each, {units['diagonal']} in all); other models give other numbers",
    ]
