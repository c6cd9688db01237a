"""Whether unknowns meet linear conditions, and the least norm of those that do: certified on both sides at a case.

A floating-point solver proposes; what counts is checked in rationals and balls. A matrix that meets the conditions has
a norm of at least the least one. Weights y >= 0 of the conditions <A_k, W> >= b_k give the lower bound
sum y_k b_k/||sum y_k A_k||', with the dual norm.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from math import comb, isqrt
from typing import Any

import flint
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

from theorems.algebra.balls import precision
from theorems.algebra.convex import Separated, decide, solver
from theorems.algebra.quotients import fraction
from theorems.statement.expression import Expr
from theorems.statement.reading.binders import conditions, unknowns
from theorems.statement.values.arithmetic import Number, UndefinedError
from theorems.statement.values.kept import kept
from theorems.statement.values.linear import Linear, NotRationalError, end, functional, linears
from theorems.statement.values.truths import Own
from theorems.statement.values.values import Data, Reader

#: Largest denominator of the solver's numbers after rounding, and bits of the balls that check them.
DENOMINATOR, BITS = 10**10, 512
#: The dual of every norm.
DUAL = {"2": "nuclear", "nuclear": "2", "fro": "fro"}
#: ||A||_2 <= tr((A^T A)^p)^(1/(2 p)) for p = 2^SQUARINGS, too large by a factor of at most rank^(1/(2 p)).
SQUARINGS = 40
#: Most choices of binding conditions that are tried for a linear function.
MOST_VERTICES = 20_000

Point = tuple[Fraction, ...]
Rows = list[list[Fraction]]
Array = NDArray[np.float64]


def _shapes(node: Expr, case: Data) -> dict[str, int]:
    """The size of every unknown: d of a matrix, 0 of a number."""
    return {name: int(case.numbers["d"]) if name[0].isupper() else 0 for name in unknowns(node)}


def _program(node: Expr, case: Data, own: Own) -> tuple[Linear, ...]:
    return _programs(node, case, own, (None,))[0]


def _programs(node: Expr, case: Data, own: Own, ways: Sequence[bool | None]) -> list[tuple[Linear, ...]]:
    shapes = _shapes(node, case)

    def work() -> list[tuple[Linear, ...]]:
        found = [one for condition in conditions(node) for one in linears(condition, case, own, shapes, ways)]
        return [tuple(dict.fromkeys(one[k] for one in found)) for k in range(len(ways))]

    # several norms have their least values under the same conditions
    free = own.keys().isdisjoint(node.names()) and not node.random
    made: list[tuple[Linear, ...]] = (
        kept(case).once((conditions(node), *shapes.items(), *ways), work) if free else work()
    )
    return made


# -- existence


def exists(node: Expr, case: Data, own: Own) -> bool | None:
    """Whether some unknowns meet all conditions, with a certificate either way; None where there is none."""
    try:
        return feasible(_program(node, case, own))
    except NotRationalError:
        return None


@lru_cache(maxsize=512)
def feasible(program: tuple[Linear, ...]) -> bool | None:
    """Whether a point meets all inequalities: strictly, by Gordan's alternative in one dimension more, or by 0.

    Where every bound is positive a point can be scaled, so that strict inequalities with the bounds 0 decide.
    """
    if not program or all(one.bound < 0 or (one.bound == 0 and not one.strict) for one in program):
        return True
    scaled = all(one.bound > 0 for one in program) or all(one.bound == 0 and one.strict for one in program)
    rows = [one.coefficients if scaled else (*one.coefficients, -one.bound) for one in program]
    if not scaled:
        rows.append((*(Fraction(0) for _ in program[0].coefficients), Fraction(1)))
    if isinstance(decide(rows), Separated):
        return True
    return False if scaled or all(one.strict for one in program) else None


# -- least values


def least_value(node: Expr, case: Data, own: Own) -> Number:
    """The least value of ``least``, exact where it is a linear function's, else a ball between two certified ends.

    Raises UndefinedError where nothing meets the conditions.
    """
    function, shapes = node.args[0], _shapes(node, case)
    try:
        if function.op != "norm":
            costs, constant = functional(function, Reader(case, own), shapes)
            found = _vertex(costs, _program(node, case, own))
            return flint.arb.nan() if found is None else found + end(constant, None)
        # a least norm falls where bounds are looser, and rises where they are stricter
        programs = _programs(node, case, own, (False, True))
    except NotRationalError:
        return flint.arb.nan()
    both = [least_norm(one, function.args[1], next(iter(shapes.values()))) for one in programs]
    if both[0] is None or both[1] is None:
        return flint.arb.nan()
    low, high = (flint.arb(flint.fmpq(end.numerator, end.denominator)) for end in (both[0][0], both[1][1]))
    return low.union(high)


@lru_cache(maxsize=512)
def least_norm(program: tuple[Linear, ...], kind: str, size: int) -> tuple[Fraction, Fraction] | None:
    """Certified ends of min ||W|| over the d x d matrices W that meet the inequalities; None where none were found.

    Raises UndefinedError where no W meets them.
    """
    if all(one.bound <= 0 for one in program):
        return Fraction(0), Fraction(0)
    rows, columns = _used(program, size)
    taken = [r * size + c for r in rows for c in columns]
    if not taken:
        raise UndefinedError("no matrix meets the conditions")
    small, bounds = [[one.coefficients[k] for k in taken] for one in program], [one.bound for one in program]
    exact, shape = rationals(small), (len(rows), len(columns))
    for tightened in (0.0, 1e-7, 1e-4):
        solved = _solved(small, bounds, kind, shape, tightened)
        if solved is None:
            if feasible(program) is False:
                raise UndefinedError("no matrix meets the conditions")
            return None
        proposed, weights = solved
        high = _above(exact, bounds, kind, proposed)
        if high is not None:
            return _below(exact, bounds, kind, shape, weights), high
    return None


def _used(program: Sequence[Linear], size: int) -> tuple[list[int], list[int]]:
    """The rows and columns that some condition sees: what else a matrix has only adds to its norm."""
    seen = {divmod(k, size) for one in program for k, c in enumerate(one.coefficients) if c}
    return sorted({r for r, _ in seen}), sorted({c for _, c in seen})


def _solved(
    coefficients: Rows, limits: Sequence[Fraction], kind: str, shape: tuple[int, int], tightened: float
) -> tuple[Array, Array] | None:
    """The matrix and the weights that a floating-point solver proposes; None where it gives none."""
    cp = solver()
    W = cp.Variable(shape)
    rows = np.array([[float(c) for c in row] for row in coefficients])
    bounds = np.array([float(limit) for limit in limits])
    meets = rows @ cp.vec(W, order="C") >= bounds + tightened * np.abs(bounds).max()
    goal = {"nuclear": cp.normNuc, "2": cp.sigma_max, "fro": lambda M: cp.norm(M, "fro")}[kind](W)
    problem = cp.Problem(cp.Minimize(goal), [meets])
    # what the solver doubts is certified in exact arithmetic, or not used; numbers far apart in size it refuses
    with warnings.catch_warnings(), suppress(cp.error.SolverError):
        warnings.simplefilter("ignore")
        problem.solve(solver=cp.CLARABEL)
    if problem.status not in ("optimal", "optimal_inaccurate"):
        return None
    return np.asarray(W.value, dtype=np.float64), np.asarray(meets.dual_value, dtype=np.float64).ravel()


def _rounded(value: float) -> Fraction:
    return Fraction(float(value)).limit_denominator(DENOMINATOR)


def rationals(rows: Rows) -> flint.fmpq_mat:
    """A matrix for flint."""
    return flint.fmpq_mat([[flint.fmpq(*v.as_integer_ratio()) for v in row] for row in rows])


def _fractions(found: flint.fmpq_mat) -> list[Fraction]:
    """The entries of a matrix, row by row."""
    return [fraction(entry) for entry in found.entries()]


def _above(program: flint.fmpq_mat, bounds: Sequence[Fraction], kind: str, proposed: Array) -> Fraction | None:
    """The norm, from above, of the proposed matrix after scaling so that it meets the conditions; None if it cannot."""
    W = [[_rounded(v) for v in row] for row in proposed]
    values = _fractions(program * rationals([[v] for row in W for v in row]))
    reached = list(zip(values, bounds, strict=True))
    if any(value <= 0 for value, bound in reached if bound > 0):
        return None
    factor = max(bound / value for value, bound in reached if bound > 0)
    if any(factor * value < bound for value, bound in reached):
        return None
    return factor * _norm_above(W, kind)


def _below(
    program: flint.fmpq_mat, bounds: Sequence[Fraction], kind: str, shape: tuple[int, int], weights: Array
) -> Fraction:
    """The lower bound that the weights give."""
    y = [max(_rounded(v), Fraction(0)) for v in weights]
    total = sum((v * bound for v, bound in zip(y, bounds, strict=True) if v), Fraction(0))
    if total <= 0:
        return Fraction(0)
    flat = _fractions(rationals([y]) * program)
    Y = [flat[r * shape[1] : (r + 1) * shape[1]] for r in range(shape[0])]
    return total / _norm_above(Y, DUAL[kind])


# -- norms from above


def _norm_above(rows: Rows, kind: str) -> Fraction:
    """A rational number not below the norm of a rational matrix, and hardly above it."""
    return _NORMS[kind](rows)


def _root_above(square: Fraction) -> Fraction:
    """A rational above the root of a rational square >= 0, by at most 10^-40 of a unit of its last digits."""
    scale = 10**40
    return Fraction(isqrt(square.numerator * scale**2 // square.denominator) + 1, scale)


def _square(rows: flint.fmpq_mat) -> Fraction:
    """The sum of the squared entries."""
    return fraction(sum((v * v for v in rows.entries()), flint.fmpq(0)))


def _frobenius(rows: Rows) -> Fraction:
    return _root_above(_square(rationals(rows)))


def _spectral(rows: Rows) -> Fraction:
    """tr((A^T A)^p)^(1/(2 p)) in balls, p = 2^SQUARINGS, every square over its trace first."""
    with precision(BITS):
        A = flint.arb_mat(rationals(rows))
        M = A.transpose() * A
        total = flint.arb(0)
        for step in range(SQUARINGS + 1):
            # ||A^T A||^(2^step) = ||M|| times the traces that were divided out
            trace = M.trace()
            if step == SQUARINGS or not trace > 0:
                break
            total = total + trace.log() / 2**step
            M = M / trace
            M = M * M
        if not trace > 0:
            return Fraction(0) if all(not v for row in rows for v in row) else _frobenius(rows)
        total = total + trace.log() / 2**SQUARINGS
        return _upper((total / 2).exp())


def _nuclear(rows: Rows) -> Fraction:
    """||sum u_k v_k^T||_* + ||rest||_* for rounded singular vectors: at most sum |u_k| |v_k| + sqrt(rank) |rest|_F."""
    left, values, right = np.linalg.svd(np.array([[float(v) for v in row] for row in rows]), full_matrices=False)
    rest, total = rationals(rows), Fraction(0)
    for k, value in enumerate(values):
        u = rationals([[Fraction(float(x * value))] for x in left[:, k]])
        v = rationals([[Fraction(float(x)) for x in right[k]]])
        total += _root_above(_square(u) * _square(v))
        rest -= u * v
    return total + _root_above(Fraction(min(len(rows), len(rows[0])))) * _root_above(_square(rest))


_NORMS: dict[str, Callable[[Rows], Fraction]] = {"fro": _frobenius, "2": _spectral, "nuclear": _nuclear}


def _upper(ball: Any) -> Fraction:
    """A rational number not below a ball."""
    man, exp = ball.upper().man_exp()
    return Fraction(int(man)) * Fraction(2) ** int(exp)


# -- linear functions of a few numbers


@lru_cache(maxsize=512)
def _vertex(costs: Point, program: tuple[Linear, ...]) -> Fraction | None:
    """min costs . u over the inequalities, exact, at a vertex with weights >= 0 that show it; None where none is found.

    Raises UndefinedError where nothing meets the conditions.
    """
    rows = np.array([[float(c) for c in one.coefficients] for one in program])
    bounds = np.array([float(one.bound) for one in program])
    solved = linprog([float(c) for c in costs], A_ub=-rows, b_ub=-bounds, bounds=(None, None), method="highs")
    if solved.status == 2 and feasible(program) is not True:
        raise UndefinedError("nothing meets the conditions")
    if solved.status != 0:
        return None
    slack = rows @ solved.x - bounds
    near = [program[k] for k in np.flatnonzero(slack <= 1e-6 * (1 + np.abs(bounds)))]
    if comb(len(near), len(costs)) > MOST_VERTICES:
        return None
    for binding in combinations(near, len(costs)):
        found = _at_vertex(costs, program, binding)
        if found is not None:
            return found
    return None


def _at_vertex(costs: Point, program: tuple[Linear, ...], binding: Sequence[Linear]) -> Fraction | None:
    """The value where some conditions bind, if their point meets all others and weights >= 0 of them show it least."""
    A = rationals([list(one.coefficients) for one in binding])
    if A.det() == 0:
        return None
    b, c = rationals([[one.bound] for one in binding]), rationals([[v] for v in costs])
    point, weights = A.solve(b), A.transpose().solve(c)
    u = tuple(_fractions(point))
    if any(weights[k, 0] < 0 for k in range(len(costs))) or any(one.at(u) < one.bound for one in program):
        return None
    return sum((v * x for v, x in zip(costs, u, strict=True)), Fraction(0))
