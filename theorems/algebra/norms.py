"""Norms and eigenvalues of a case's matrices: in closed form where that is short, and always enclosed in balls.

A functional's name is ``<kind>_<matrix>``: ``spectral_W`` is ||W_QK||_2, ``frobenius_Sigma_inverse`` is
||Sigma^{-1}||_F.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import flint
import sympy as sp

from theorems.algebra.balls import Enclosed, precision
from theorems.algebra.quotients import fraction

Exact = list[list[Fraction]]

#: What a functional is of a matrix A, in LaTeX, A standing for the matrix.
KINDS = {
    "spectral": r"\|A\|_2",
    "frobenius": r"\|A\|_{\mathrm F}",
    "nuclear": r"\|A\|_*",
    "entrywise": r"\|A\|_{1,\mathrm{entries}}",
    "column": r"\|A\|_{1\to1}",
    "tr": r"\operatorname{tr}(A)",
    "least": r"w_{\min}(A)",
    "largest": r"w_{\max}(A)",
}
MATRICES = {"W": "W_{QK}", "Sigma": r"\Sigma", "Sigma_inverse": r"\Sigma^{-1}"}


def functional(name: str) -> tuple[str, str] | None:
    """The kind and the matrix that a name stands for; None where it names no functional."""
    kind, _, matrix = name.partition("_")
    return (kind, matrix) if kind in KINDS and matrix in MATRICES else None


def functional_latex(name: str) -> str:
    """A functional in LaTeX: ``\\|W_{QK}\\|_2``."""
    kind, _, matrix = name.partition("_")
    return KINDS[kind].replace("A", MATRICES[matrix])


def closed_form(name: str, matrices: Mapping[str, Exact]) -> sp.Expr | None:
    """The exact value as a rational or the root of one; None where it is neither. Raises as ``enclosure`` does.

    Eigenvalues are rational roots of the characteristic polynomial, singular values roots of those of A^T A.
    """
    kind, matrix = _parts(name)
    A = _matrix(matrix, matrices)
    if kind in ("entrywise", "column", "tr", "frobenius"):
        return _from_entries(kind, A)
    if kind in ("least", "largest"):
        values = [sp.Rational(fraction(r)) for r in _rational_roots(_characteristic(A, name))]
        found = _all_rational(A, values)
        return None if found is None else (min(found) if kind == "least" else max(found))
    squares = _all_rational(A, [sp.Rational(fraction(r)) for r in _rational_roots((A.transpose() * A).charpoly())])
    if squares is None:
        return None
    roots = [sp.sqrt(square) for square in squares]
    return sp.sqrt(max(squares)) if kind == "spectral" else sp.Add(*roots)


class MatrixNorm(Enclosed):
    """The spectral norm (k = 2), or the nuclear norm (k = 1), of a matrix of n columns: MatrixNorm(k, n, *entries)."""

    is_nonnegative = True

    def enclosed(self, parts: Sequence[flint.arb]) -> flint.arb:
        k, n, *entries = self.args
        numbers = [Fraction(int(entry.p), int(entry.q)) for entry in entries]
        rows = [numbers[start : start + n] for start in range(0, len(numbers), int(n))]
        return enclosure("spectral_W" if k == 2 else "nuclear_W", {"W": rows})


def enclosure(name: str, matrices: Mapping[str, Exact]) -> flint.arb:
    """A ball around the value at flint's present precision.

    Eigenvalues are isolated roots of the exact characteristic polynomial. Raises KeyError for a name that is no
    functional or a matrix that the case lacks, ValueError where Sigma has no inverse or a spectrum needs symmetry.
    """
    kind, matrix = _parts(name)
    A = _matrix(matrix, matrices)
    if kind in ("entrywise", "column", "tr", "frobenius"):
        value = _from_entries(kind, A)
        square = value**2
        root = flint.arb(flint.fmpq(int(square.p), int(square.q))).sqrt()
        return -root if value.is_negative else root
    if kind in ("least", "largest"):
        roots = [root for root, _ in _real_roots(_characteristic(A, name))]
        value = roots[0]
        for root in roots[1:]:
            value = value.max(root) if kind == "largest" else value.min(root)
        return value
    squares = _real_roots((A.transpose() * A).charpoly())
    singular = [(root.nonnegative_part().sqrt(), count) for root, count in squares]
    if kind == "spectral":
        value = singular[0][0]
        for root, _ in singular[1:]:
            value = value.max(root)
        return value
    return sum((root * count for root, count in singular), flint.arb(0))


def is_symmetric(rows: Exact) -> bool:
    """Whether a matrix is symmetric."""
    return [*map(tuple, rows)] == [*zip(*rows, strict=True)]


def is_semidefinite(rows: Exact, definite: bool = False) -> bool:
    """Whether a matrix is symmetric and positive semidefinite, or positive definite.

    Of a polynomial with real roots only, all are >= 0 just where its coefficients' signs alternate (or are 0).
    """
    if not is_symmetric(rows):
        return False
    coefficients = _matrix("", {"": rows}).charpoly().coeffs()
    alternate = all((-1) ** (len(rows) - k) * c >= 0 for k, c in enumerate(coefficients))
    return alternate and not (definite and coefficients[0] == 0)


def _parts(name: str) -> tuple[str, str]:
    parts = functional(name)
    if parts is None:
        raise KeyError(name)
    return parts


def _matrix(name: str, matrices: Mapping[str, Exact]) -> flint.fmpq_mat:
    """W_QK, Sigma or the inverse of Sigma, exactly."""
    rows = matrices[name.removesuffix("_inverse")]
    matrix = flint.fmpq_mat(
        len(rows),
        len(rows[0]),
        [flint.fmpq(*(v if type(v) is Fraction else Fraction(v)).as_integer_ratio()) for row in rows for v in row],
    )
    if not name.endswith("_inverse"):
        return matrix
    if matrix.det() == 0:
        shown = [[str(value) for value in row] for row in rows]
        raise ValueError(f"Sigma = {shown} is singular, but its inverse is needed; give a positive definite Sigma")
    return matrix.inv()


def _from_entries(kind: str, A: flint.fmpq_mat) -> sp.Expr:
    entries = [[sp.Rational(fraction(A[r, c])) for c in range(A.ncols())] for r in range(A.nrows())]
    if kind == "tr":
        return sp.Add(*(row[k] for k, row in enumerate(entries)))
    if kind == "entrywise":
        return sp.Add(*(abs(v) for row in entries for v in row))
    if kind == "column":
        return max(sp.Add(*(abs(v) for v in column)) for column in zip(*entries, strict=True))
    return sp.sqrt(sp.Add(*(v**2 for row in entries for v in row)))


def _characteristic(A: flint.fmpq_mat, name: str) -> flint.fmpq_poly:
    if A.transpose() != A:
        raise ValueError(f"{name} = an eigenvalue of a matrix that is not symmetric; give a symmetric one")
    return A.charpoly()


def _real_roots(polynomial: flint.fmpq_poly) -> list[tuple[flint.arb, int]]:
    """Balls around the roots of a polynomial that has real ones only, with multiplicity."""
    found: Any = polynomial.complex_roots()
    return [(root.real, int(count)) for root, count in found]


def _rational_roots(polynomial: flint.fmpq_poly) -> list[flint.fmpq]:
    """The rational roots, each as often as it occurs."""
    return [
        -factor[0] / factor[1]
        for factor, count in polynomial.factor()[1]
        if factor.degree() == 1
        for _ in range(int(count))
    ]


def _all_rational(A: flint.fmpq_mat, values: list[sp.Rational]) -> list[sp.Rational] | None:
    """The values where they are the whole spectrum, None where some of it is not rational."""
    return values if len(values) == A.nrows() else None


def shown(name: str, matrices: Mapping[str, Exact]) -> sp.Expr:
    """The value for a report: in closed form where there is one, with 30 digits elsewhere."""
    value = closed_form(name, matrices)
    if value is not None:
        return value
    with precision(256):
        return sp.Float(enclosure(name, matrices).str(30, radius=False), 30)


def rational_value(name: str, matrices: Mapping[str, Exact]) -> Fraction | None:
    """The value where it is rational, None where it is not shown to be."""
    value = closed_form(name, matrices)
    return Fraction(int(value.p), int(value.q)) if value is not None and value.is_Rational else None
