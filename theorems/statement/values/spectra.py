"""Values that a matrix has by its entries: norms of columns, rows and entries, the inverse, eigenvalues."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import reduce
from typing import Any

import flint
import sympy as sp

from theorems.algebra.balls import rational
from theorems.algebra.norms import MatrixNorm, closed_form
from theorems.algebra.quotients import fraction

Number = Fraction | flint.arb
Rows = Sequence[Sequence[Number]]


def entry_norm(rows: Rows, kind: str, add: Callable[..., Number], larger: Callable[..., Number]) -> Number:
    """Of absolute entries, the largest column sum ("1") or row sum ("oo"), the largest of all, or their sum.

    ``add`` and ``larger`` work on fractions and on balls.
    """
    sizes = [[abs(v) if isinstance(v, Fraction) else v.max(-v) for v in row] for row in rows]
    every = [v for row in sizes for v in row]
    if kind in ("max", "sum"):
        return reduce(larger if kind == "max" else add, every)
    lines = sizes if kind == "oo" else list(zip(*sizes, strict=True))
    return reduce(larger, [reduce(add, line) for line in lines])


def exact(rows: Rows) -> flint.fmpq_mat | None:
    """The matrix of fractions; None where an entry is known by a ball only."""
    entries = [flint.fmpq(v.numerator, v.denominator) for row in rows for v in row if isinstance(v, Fraction)]
    return flint.fmpq_mat(len(rows), len(rows), entries) if len(entries) == len(rows) ** 2 else None


def inverse(rows: Rows) -> list[list[Number]] | None:
    """The inverse; None where there is none, or where balls do not show one."""
    matrix = exact(rows)
    d = len(rows)
    if matrix is not None:
        if matrix.det() == 0:
            return None
        turned = matrix.inv()
        return [[fraction(turned[r, c]) for c in range(d)] for r in range(d)]
    balls = flint.arb_mat([[rational(v) if isinstance(v, Fraction) else v for v in row] for row in rows])
    try:
        found = balls.inv()
    except ZeroDivisionError:
        return None
    return [[found[r, c] for c in range(d)] for r in range(d)]


def eigenvalues(rows: Rows) -> list[Number] | None:
    """The eigenvalues in rising order, each as often as it occurs; None where one is not real, or not to be isolated.

    Those that are rational are fractions, the others are isolated roots of the characteristic polynomial.
    """
    matrix = exact(rows)
    if matrix is None:
        return None
    found: list[tuple[flint.arb, Number]] = []
    for factor, count in matrix.charpoly().factor()[1]:
        if factor.degree() == 1:
            value = fraction(-factor[0] / factor[1])
            found += [(rational(value), value)] * int(count)
            continue
        roots: Any = factor.complex_roots()
        for root, _ in roots:
            if root.imag != 0:
                return None
            found += [(root.real, root.real)] * int(count)
    return [value for _, value in sorted(found, key=lambda pair: float(pair[0]))]


def matrix_norm(kind: str, rows: Rows) -> sp.Expr | None:
    """The norm of kind "2" or "nuclear", exactly; None where an entry is known by a ball only."""
    known = [[v for v in row if isinstance(v, Fraction)] for row in rows]
    if any(len(row) != len(whole) for row, whole in zip(known, rows, strict=True)):
        return None
    small = trimmed(known)
    value = closed_form("spectral_W" if kind == "2" else "nuclear_W", {"W": small})
    numbers = (sp.Rational(v) for row in small for v in row)
    return MatrixNorm(2 if kind == "2" else 1, len(small), *numbers) if value is None else value


def trimmed(rows: list[list[Fraction]]) -> list[list[Fraction]]:
    """A square matrix with the singular values of another one, zeros apart; rows and columns of zeros are left out."""
    kept, columns = [row for row in rows if any(row)], [k for k in range(len(rows[0])) if any(row[k] for row in rows)]
    size = max(len(kept), len(columns), 1)
    small = [[*(row[k] for k in columns), *[Fraction(0)] * (size - len(columns))] for row in kept]
    return [*small, *([Fraction(0)] * size for _ in range(size - len(kept)))]
