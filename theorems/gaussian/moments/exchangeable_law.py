"""Exchangeable laws that cases name: exact traces, and the exact variance of a simulated slope, for sample sizes.

A case of the model "exchangeable" is {"k", "beta", "W", "L", "m", "law"}: tokens z_i = s (m + L eta_i) with covariances
E[eta_i eta_i^T] - E[eta_i eta_j^T] = I and E s^2 = 1, so that B = L L^T. eta_i = g + xi_i with independent standard
entries, or xi_i minus the mean of all xi for the law "centred".
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import flint
import sympy as sp

from theorems.algebra.quotients import fraction
from theorems.gaussian.functionals import functional
from theorems.gaussian.numeric import Case


@dataclass(frozen=True)
class Law:
    """E s^4 of the common scale, E xi^4 of an entry, and whether the xi are centred instead of having g in common."""

    scale_fourth: Fraction
    entry_fourth: int
    centred: bool = False


#: "mixture": s^2 is 1/2 (4 in 5) or 3; "student": s^2 = 10/chi^2 of 12 degrees; "signs": entries are +-1.
LAWS = {
    "gaussian": Law(Fraction(1), 3),
    "centred": Law(Fraction(1), 3, centred=True),
    "signs": Law(Fraction(1), 1),
    "mixture": Law(Fraction(4, 5) * Fraction(1, 4) + Fraction(1, 5) * 9, 3),
    "student": Law(Fraction(10, 8), 3),
}


def _matrix(rows: Any) -> flint.fmpq_mat:
    return flint.fmpq_mat([[_fmpq(entry) for entry in row] for row in rows])


def _fmpq(value: Any) -> flint.fmpq:
    number = Fraction(value)
    return flint.fmpq(number.numerator, number.denominator)


def _trace(matrix: flint.fmpq_mat) -> flint.fmpq:
    return sum((matrix[i, i] for i in range(matrix.nrows())), flint.fmpq(0))


def traces(case: Case) -> tuple[sp.Rational, sp.Rational]:
    """tr(BW) and tr(B W^T W) with B = L L^T."""
    L, W = _matrix(case.raw["L"]), _matrix(case.raw["W"])
    B = L * L.transpose()
    return sp.Rational(fraction(_trace(B * W))), sp.Rational(fraction(_trace(B * W.transpose() * W)))


def slope_moments(case: Case, level: int) -> tuple[sp.Rational, sp.Rational]:
    """Mean and variance of f = (1/k) sum_i 2 Y_i(l)^T W (mean - z_i), the slope of the tokens' mean energy.

    f = s^2 q with q = zeta^T M zeta + h^T zeta + c in independent standard entries zeta with even laws, so that
    Var q = 2 tr(M^2) + (E xi^4 - 3) sum M_aa^2 + |h|^2 and E f^2 = E s^4 E q^2.
    """
    raw, law = case.raw, LAWS[case.raw["law"]]
    k, W, L = int(raw["k"]), _matrix(raw["W"]), _matrix(raw["L"])
    d, inverse, shift = L.nrows(), flint.fmpq(1, int(raw["k"])), _fmpq(level)
    unit = flint.fmpq_mat([[flint.fmpq(int(r == c)) for c in range(d)] for r in range(d)])
    own = unit * _fmpq(raw["beta"]) + W * (1 - shift)
    form = _zeros(k * d, k * d)
    for i in range(k):
        of_y = [(own if a == i else _zeros(d, d)) + W * (shift * inverse) for a in range(k)]
        of_slope = [W * (inverse - int(b == i)) for b in range(k)]
        for a in range(k):
            for b in range(k):
                _add(form, a * d, b * d, of_y[a].transpose() * of_slope[b] * (2 * inverse))
    columns = k if law.centred else k + 1
    spread = _zeros(k * d, columns * d)
    for i in range(k):
        for b in range(columns):
            weight = int(b == i) - inverse if law.centred else flint.fmpq(int(b in (i, k)))
            _add(spread, i * d, b * d, L * weight)
    mean = flint.fmpq_mat([[_fmpq(entry)] for _ in range(k) for entry in raw["m"]])
    M = spread.transpose() * (form + form.transpose()) * spread * flint.fmpq(1, 2)
    h = spread.transpose() * (form + form.transpose()) * mean
    q = (mean.transpose() * form * mean)[0, 0] + _trace(M)
    diagonal = sum((M[a, a] ** 2 for a in range(M.nrows())), flint.fmpq(0))
    variance = 2 * _trace(M * M) + (law.entry_fourth - 3) * diagonal + (h.transpose() * h)[0, 0]
    return sp.Rational(fraction(q)), sp.Rational(fraction(_fmpq(law.scale_fourth) * (variance + q**2) - q**2))


def _zeros(rows: int, columns: int) -> flint.fmpq_mat:
    return flint.fmpq_mat(rows, columns)


def _add(matrix: flint.fmpq_mat, row: int, column: int, block: flint.fmpq_mat) -> None:
    for r in range(block.nrows()):
        for c in range(block.ncols()):
            matrix[row + r, column + c] += block[r, c]


@functional("slope_variance_0", latex=r"\operatorname{Var}(D'(0))")
def slope_variance_0(case: Case) -> sp.Expr:
    """Variance of the number that a simulation averages for D'(0)."""
    return slope_moments(case, 0)[1]


@functional("slope_variance_1", latex=r"\operatorname{Var}(D'(1))")
def slope_variance_1(case: Case) -> sp.Expr:
    """Variance of the number that a simulation averages for D'(1)."""
    return slope_moments(case, 1)[1]
