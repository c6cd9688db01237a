"""The eigenspectrum: the variance (8) and the bound (5) against matrices."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tests.theorems.bruteforce import number, rows, times, trace, words
from theorems.claims.catalogue import by_id
from theorems.gaussian.numeric import Case
from theorems.kernel.derivation import SharpBound
from theorems.kernel.deriving import derive
from theorems.kernel.settle import settle


@pytest.mark.parametrize("spectrum", [(1,), (2, 2), (1, -1), (3, 0, 0), (1, 2, 4, -8), ("1/2", "1/3", "1/6")])
def test_eq8_at_diagonal_matrices(spectrum: tuple[int | str, ...]) -> None:
    """d^2 V[w] = d^2 (mean of squares - square of the mean), from the eigenvalues themselves."""
    values = [Fraction(value) for value in spectrum]
    d = len(values)
    wanted = d * d * (sum(w * w for w in values) / Fraction(d) - (sum(values) / Fraction(d)) ** 2)
    table = {"d": d, "tr1": sum(values), "tr2": sum(w * w for w in values)}
    assert number(derive("bao2024.sec5.eq8").ratio("variance").expr, dict(table)) == wanted


def test_eq8_at_products_of_matrices() -> None:
    generator = np.random.default_rng(3)
    exact = derive("bao2024.sec5.eq8").ratio("variance")
    for d in range(1, 6):
        a, r = generator.standard_normal((2, d, d))
        product = (a + a.T) @ (r @ r.T)
        eigenvalues = np.linalg.eigvals(product).real
        table = {"d": float(d), "tr1": float(np.trace(product)), "tr2": float(np.trace(product @ product))}
        assert exact.at(table) == pytest.approx(d**2 * eigenvalues.var(), rel=1e-8, abs=1e-9)


def bound() -> SharpBound:
    (found,) = derive("bao2024.sec4.eq5").quantities.values()
    assert isinstance(found, SharpBound)
    return found


def test_eq5_is_attained_where_it_says() -> None:
    case = Case(bound().attained)
    root = number(bound().square.expr, {"d": 2, "tr2": case.value("tr2")})
    assert case.value("tr1") ** 2 == root == 4
    minus = rows((-1, 0), (0, -1))
    assert trace(minus) ** 2 == 2 * trace(minus, minus)


def test_eq5_holds_for_symmetric_matrices_and_every_covariance() -> None:
    """Integer matrices, singular covariances included, decided exactly; for a non-symmetric W it fails."""
    generator = np.random.default_rng(5)
    for d in (1, 2, 3):
        for _ in range(40):
            a = generator.integers(-3, 4, (d, d))
            r = generator.integers(-2, 3, (d, generator.integers(1, d + 1)))
            matrix, sigma = rows(*(a + a.T).tolist()), rows(*(r @ r.T).tolist())
            table: dict[str, Any] = {"d": d, **words(matrix, sigma)}
            assert table["tr1"] ** 2 <= number(bound().square.expr, table)
    rotation, unit = rows((1, 1), (-1, 1)), rows((1, 0), (0, 1))
    assert trace(rotation) ** 2 > 2 * trace(times(rotation, unit), times(rotation, unit))


def test_verdicts_of_the_kernel() -> None:
    for name in ("bao2024.sec4.eq5", "bao2024.sec5.eq8"):
        outcome = settle(by_id()[name], derive(name))
        assert outcome.status == "proved"
        assert {step.rule for step in outcome.steps} >= (
            {"cauchy-schwarz"} if name.endswith("eq5") else {"eigenvalue-average"}
        )
