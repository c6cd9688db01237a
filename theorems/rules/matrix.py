"""Trusted rules about matrices of any size: definitions put in, gradients of traces, sums over tokens, null sets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import sympy as sp

from theorems.algebra.alphabet import Alphabet, differential
from theorems.algebra.expressions import same, symbol
from theorems.algebra.matrix_calculus import Letter, Matrix
from theorems.rules import rule

ZERO = sp.Integer(0)
#: The names that bound a rank: r, and the size d.
RANKS = ("r", "d")


@rule("matrix-substitution")
def matrix_substitution(expression: Matrix, table: Mapping[str, Matrix], value: Matrix) -> bool:
    """An expression with matrices put in for its letters, by normal form; no matrix is defined through itself."""
    if any(letter.name in table for definition in table.values() for letter in definition.letters()):
        return False
    return expression.substitute(table) == value


@rule("matrix-gradient")
def matrix_gradient(function: Matrix, name: str, value: Matrix) -> bool:
    """The gradient G of a scalar f by the letter W: the part of f(W + E) that is linear in E is tr(G^T E), for every E.

    Trusted: that this is what a gradient is, and that the letters other than W do not depend on it.
    """
    direction = _other((function, value))
    moved = differential(function, name, direction)
    return moved == (value.T * Matrix.of(Letter(direction, value.rows, value.columns))).trace()


@rule("matrix-differential")
def matrix_differential(function: Matrix, name: str, value: Matrix) -> bool:
    """A gradient G that was read off from the part of f(W + E) linear in E: checked by the cyclic derivative of f.

    tr(U W V) contributes (V U)^T and tr(U W^T V) contributes V U, for every occurrence of W. Trusted as
    ``matrix-gradient`` is.
    """
    return function.gradient(name) == value


@rule("matrix-part")
def matrix_part(expression: Matrix, degrees: Mapping[str, int], value: Matrix) -> bool:
    """The terms of a sum in which letters occur a stated number of times: no other term has that, and none is lost."""
    rest = expression - value
    return value.part(degrees) == value and rest.part(degrees).is_zero


@rule("column-expansion")
def column_expansion(expression: Matrix, alphabet: Alphabet, value: Matrix) -> bool:
    """A B = sum_i (column i of A)(row i of B) wherever factors meet in the tokens' dimension, by normal form."""
    return expression.in_columns(alphabet.entries) == value


@rule("stationary-scalar-matrix")
def stationary_scalar_matrix(gradient: Matrix, name: str, scale: sp.Expr, remainder: sp.Expr) -> bool:
    """The gradient at W = s I is (remainder) I, and the remainder is 0: s I is a stationary point."""
    wanted = Matrix.identity(gradient.rows) * scale
    return gradient.substitute({name: wanted}) == Matrix.identity(gradient.rows) * remainder and same(
        remainder, sp.S.Zero
    )


def _leading(quadratic: sp.Expr, name: str, lead: sp.Expr, *_: Any) -> tuple[str, ...]:
    """The leading coefficient is positive, where it is no number."""
    return () if lead.is_number else (f"{lead} > 0",)


@rule("completed-square", needs=_leading)
def completed_square(quadratic: sp.Expr, name: str, lead: sp.Expr, centre: sp.Expr, least: sp.Expr) -> bool:
    """a t^2 + b t + c = lead (t - centre)^2 + least, lead > 0 a sum without minus signs: least at t = centre.

    A lead that is a number is a positive one, and nothing holds i.
    """
    t = symbol(name)
    terms = sp.Add.make_args(sp.expand(lead))
    visible = lead.is_positive if lead.is_number else all(term.as_coeff_Mul()[0].is_positive for term in terms)
    if any(part.has(sp.I) for part in (quadratic, lead, centre, least)):
        return False
    if not visible or any(part.has(t) for part in (lead, centre, least)):
        return False
    return same(quadratic, lead * (t - centre) ** 2 + least)


@rule("rank-trace")
def rank_trace(rank: str, square: sp.Expr) -> bool:
    """tr(W)^2 <= r tr(W^T W) for a square matrix of rank at most r; equality for multiples of a projector of rank r.

    The bound is r, or d, the matrix's size. Trusted: tr(W) = tr(Pi W) for the orthogonal projector Pi onto the range,
    tr(Pi) = rank, and Cauchy-Schwarz.
    """
    return rank in RANKS and same(square, symbol("t") ** 2 / symbol(rank))


@rule("locally-constant", argued=True)
def locally_constant(own: sp.Expr, others: sp.Expr, offset: sp.Expr) -> bool:
    """For almost every W_QK the clipped softmax's Gamma and gamma_0 do not change in a neighbourhood of W_QK.

    ``own``, ``others`` and ``offset`` are the first-order Taylor coefficients of the softmax at 0, differentiated here
    again. The score <gamma^i, omega> + gamma_0^i is affine in W_QK with the constant term 1/T. Where it is not constant
    its values 0 and 1, where the branches change, are taken on hyperplanes only; where it is constant it equals the
    offset, 0 < 1/T < 1 for T > 1, which is no boundary; for T = 1, where it is 1, the slope is 0, so that both branches
    agree. Trusted: finitely many hyperplanes have Lebesgue measure 0, and a continuous score keeps its branch nearby.
    """
    w, v = sp.Dummy("w"), sp.Dummy("v")
    # along one score and along another one, the T - 2 that are left at 0
    softmax = sp.exp(w) / (sp.exp(w) + sp.exp(v) + symbol("T") - 2)
    at = {w: ZERO, v: ZERO}
    slopes = same(own, sp.diff(softmax, w).subs(at)) and same(others, sp.diff(softmax, v).subs(at))
    return slopes and same(offset, softmax.subs(at))


def _other(expressions: Iterable[Matrix]) -> str:
    """A letter that occurs nowhere."""
    taken = {letter.name for expression in expressions for letter in expression.letters()}
    name = "E"
    while name in taken:
        name += "'"
    return name


#: Where in a step's data its premise and its conclusion stand.
PREMISE = dict.fromkeys(
    ("matrix-substitution", "matrix-gradient", "matrix-differential", "matrix-part", "column-expansion"), 0
)
CONCLUSION = {
    "matrix-substitution": 2,
    "matrix-gradient": 2,
    "matrix-differential": 2,
    "matrix-part": 2,
    "column-expansion": 2,
}
