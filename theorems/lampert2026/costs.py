"""Section 7: what the sink and the diagonal construction cost, and what the copy queries alone cost."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import sympy as sp

from theorems.algebra.expressions import symbol
from theorems.gaussian.process import Step
from theorems.kernel.derivation import Fact, Incomplete, derivation, fact, remark
from theorems.kernel.thresholds import Threshold
from theorems.lampert2026.patterns.group_matrices import ONE, ZERO, C, GroupMatrix, group_matrix
from theorems.lampert2026.patterns.margins import (
    COPIES,
    GROUPS,
    d,
    diagonal_matrix,
    kappa,
    lam,
    margins,
    r_eta,
    routing,
    sink_matrix,
)
from theorems.lampert2026.rules.pattern import Parts, at_most, worst

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


def _root(matrix: sp.ImmutableMatrix) -> sp.ImmutableMatrix:
    """(A A^T)^(1/2) of a matrix of rank <= 2: (G + r P)/(s_1 + s_2), r = s_1 s_2, with P the projector onto its rows.

    For G = A A^T on the rows of A that are not 0, by Cayley and Hamilton: S^2 - (s_1 + s_2) S + r P = 0.
    """
    total, product = _rank_two(matrix)
    rows = [row for row in range(matrix.rows) if any(matrix[row, :])]
    P = sp.diag(*(int(row in rows) for row in range(matrix.rows))) if product != 0 else sp.zeros(matrix.rows)
    if total == 0:
        return sp.ImmutableMatrix(sp.zeros(matrix.rows))
    return sp.ImmutableMatrix((matrix * matrix.T + product * P) / total)


def _by_root(matrix: GroupMatrix) -> Step:
    """||M||_* once more: the trace of the root of M M^T, found as a matrix."""
    roots = _root(matrix.standard), _root(matrix.trivial)
    value = (C - 1) * roots[0].trace() + roots[1].trace()
    words = "||M||_* = tr (M M^T)^(1/2) = {2}: the roots on 1-perp and on the span of e_0 and 1"
    return Step("nuclear-by-root", words, (matrix, roots, value))


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


def _binding() -> tuple[Step, Step]:
    """a and b once more: the pair of margins, of a alone and of both, whose solution keeps all margins."""
    matrix = sink_matrix(a_name, b_name)
    every = [m for m in margins("sink", matrix) if m.always and m.value.has(a_name, b_name)]
    alone = [m for m in every if not m.value.has(b_name)]
    for first, second in ((one, two) for one in alone for two in every if two.value.has(b_name)):
        solved = sp.solve([first.value - kappa, second.value - kappa], [a_name, b_name], dict=True)
        if not solved or not all(at_most(kappa, m.value.xreplace(solved[0])) for m in margins("sink", matrix)):
            continue
        pair = sp.factor(solved[0][a_name]), sp.factor(solved[0][b_name])
        words = f"{first.text} and {second.text} bind: {{5}} = {{6}}"
        told = (first.text, second.text)
        one, two = (
            Step("binding-pair", words, ("sink", matrix, ("a", "b"), told, pair, name, value))
            for name, value in (("a", pair[0]), ("b", pair[1]))
        )
        return one, two
    raise ArithmeticError("no two margins of the sink pattern bind; expected one of a alone and one of both")


def _margin(pattern: str, matrix: GroupMatrix, alpha: sp.Expr) -> Step:
    """The least margin of a pattern, over every C and all nuisances."""
    value = _end(sp.Min, {sp.factor(worst(margin.value)) for margin in margins(pattern, matrix, alpha)})
    told = "; ".join(margin.text for margin in margins(pattern, matrix, alpha))
    words = f"{told}: the least margin over every C and all nuisances is {{3}}"
    return Step("least-margin", words, (pattern, matrix, alpha, value))


def _shortfall(least: Step) -> Step:
    """What the least margin lacks of kappa."""
    margin = least.data[3]
    value = sp.Max(ZERO, kappa - margin)
    if at_most(kappa, margin):
        value = ZERO
    elif at_most(margin, kappa):
        value = sp.factor(kappa - margin)
    return Step("shortfall", "what the least margin lacks of kappa: {0}", (value, least))


def _facts(pattern: str, matrix: GroupMatrix, alpha: sp.Expr) -> dict[str, Fact]:
    """The nuclear norm of M by two ways, the least margin, and what it lacks of kappa: each from one step."""
    norm, other, least = _nuclear(matrix), _by_root(matrix), _margin(pattern, matrix, alpha)
    short = _shortfall(least)
    method = (
        f"margins from the Gram relations, of which the least is {least.data[3]}; the nuclear norm on 1 and on 1-perp, "
        "from singular values and from the root of M M^T"
    )
    return {
        "nuclear": fact(norm.data[2], (norm,), method),
        "nuclear_by_root": fact(other.data[2], (other,), method),
        "margin": fact(least.data[3], (least,), method),
        "shortfall": fact(short.data[0], (short,), method),
    }


@derivation("lampert2026.sec7.sink-construction")
def sink_construction() -> dict[str, Fact]:
    """The least a, then the least b, the nuclear norm of M with them, and the least margin of the sink pattern.

    a and b come margin by margin, and as a_bound and b_bound from the two margins that bind.
    """
    found, steps = _sink()
    facts = _facts("sink", sink_matrix(found["a"], found["b"]), ZERO)
    method = facts["nuclear"].method
    facts |= {step.data[3]: fact(step.data[5], (step,), method) for step in steps}
    facts |= {f"{step.data[5]}_bound": fact(step.data[6], (step,), method) for step in _binding()}
    return facts


@derivation("lampert2026.sec7.diag-construction")
def diag_construction(s: sp.Expr, a: sp.Expr, b: sp.Expr, alpha: sp.Expr) -> dict[str, Fact]:
    """The nuclear norm of M_diag with the printed constants, and what the diagonal pattern's margins lack of kappa."""
    return _facts("diagonal", diagonal_matrix(s, a, b), alpha)


# -- upper bounds


Cases = tuple[dict[str, Any], ...]


def _at_most_per_group(norm: Step, matrix: GroupMatrix, instances: Callable[..., Cases], rest: sp.Expr) -> Threshold:
    """The cost is at most C times that of one group: sharp at C = 1."""
    one = _rank_two(matrix.of_one_group)
    value = norm.data[0] if norm.rule == "orthogonal-sum" else norm.data[2]
    cost, upper = 2 * value, 2 * C * one[0] + rest
    words = "cost = {0} <= {1}: the triangle inequality over the groups"
    last = Step("sum-over-groups", words, (cost, upper, norm, one))
    steps = (norm, last) if norm.rule != "orthogonal-sum" else (norm.data[1], norm, last)
    method = "the triangle inequality over the groups"
    return Threshold(cost, upper, _grid(instances), steps, method, "lam", C * UNIT, {"C": ONE}, instances)


def _grid(instances: Callable[..., Cases]) -> Cases:
    """Exact cases: one group and several, lam at 2/3 and above."""
    shares = (Fraction(2, 3), Fraction(9, 10), Fraction(99, 100))
    return tuple(case for count in (1, 5) for share in shares for case in instances(share, count))


def _plain(share: Fraction, count: int = 1) -> Cases:
    """Exact cases of lam and C, kappa and d small and large: d has room for C groups of two antipodal nuisances."""
    return tuple(
        {"C": str(count), "lam": str(share), "kappa": size, "d": str(width)}
        for width in (4, 64)
        for size in ("1", "1/16", "16")
        if 3 * count + 1 <= width
    )


def _paired(share: Fraction, count: int = 1) -> Cases:
    """The same for groups of 2, 4 and 8 nuisances in antipodal pairs, all pairs orthogonal to one another.

    They have C n/2 dimensions; the nearest are a pair for n = 2, at 4 (1 - lam^2) d, and of two pairs, at half of that.
    """
    return tuple(
        case
        | {"r_eta": str(count * pairs), "Delta_diag": str((4 if pairs == 1 else 2) * (1 - share**2) * int(case["d"]))}
        for case in _plain(share, count)
        for pairs in (1, 2, 4)
        if 2 * count + 1 + count * pairs <= int(case["d"])
    )


@derivation("lampert2026.sec7.sink-upper")
def sink_upper() -> Threshold:
    """2 ||W||_* <= C times its value at C = 1, for the sink construction with its least a and b."""
    matrix, steps = _sink_construction()
    found = _at_most_per_group(_nuclear(matrix), matrix, _plain, ZERO)
    return replace(found, steps=(*steps, *found.steps))


@derivation("lampert2026.sec7.diag-upper")
def diag_upper(s: sp.Expr, a: sp.Expr, b: sp.Expr, alpha: sp.Expr) -> Threshold:
    """2 ||W||_* <= C times the structural part of one group, and the nuisance part 2 alpha r_eta."""
    matrix = diagonal_matrix(s, a, b)
    block = _nuclear(matrix)
    whole = block.data[2] + alpha * r_eta
    norm = Step("orthogonal-sum", "||W||_* = {0}: P_eta is orthogonal to the structural part", (whole, block, alpha))
    return _at_most_per_group(norm, matrix, _paired, 2 * alpha * r_eta)


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
    """-(least cost that the copy queries' constraints force) <= -C times that of one group."""
    average = Step("routing-average", "means over i of margins of the copy queries", ("sink", routing()))
    steps = _copy_routing()
    least = steps[-1]
    one, many = sp.sqrt(lam**2 + 1), sp.sqrt(lam**2 + C)
    quantity, upper = -least.data[0], -2 * C * UNIT / one
    factors = (2 * UNIT / (lam * one * many), many - one, one - lam, many - lam, many + lam + one)
    words = "-cost of every sink solution <= {0} <= {1}, as the difference is the product of {2}"
    last = Step("cost-at-least", words, (quantity, upper, factors, average, least))
    method = "the copy queries' constraints: a dual certificate, and factors of one sign"
    points = (*_grid(_plain), *_plain(Fraction(1, 2), 3))
    return Threshold(quantity, upper, points, (average, *steps, last), method, "lam", C * UNIT, {"C": ONE}, _plain)


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
