"""Interval arithmetic: the inverse of a matrix, whose interval grows with the condition number."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from montecarlo.statements.encloser import Encloser
from montecarlo.statements.enclosure import Enclosure, inverse
from montecarlo.statements.environment import Environment
from montecarlo.statements.nodes import NoValueError
from montecarlo.statements.radii import _inverted


def _hilbert(d: int) -> list[list[Fraction]]:
    return [[Fraction(1, r + c + 1) for c in range(d)] for r in range(d)]


def _enclosed(rows: list[list[Fraction]]) -> Enclosure:
    middle = np.array([[float(entry) for entry in row] for row in rows])
    return Enclosure("matrix", np.nextafter(middle, -np.inf), np.nextafter(middle, np.inf))


def test_the_inverse_lies_in_its_interval_which_is_as_wide_as_its_condition_number_asks() -> None:
    widths = []
    for d in range(1, 11):
        rows = _hilbert(d)
        exact, found = _inverted(rows), inverse(_enclosed(rows))
        for r in range(d):
            for c in range(d):
                assert Fraction(float(found.low[r, c])) <= exact[r][c] <= Fraction(float(found.high[r, c]))
        size = max(abs(float(entry)) for row in exact for entry in row)
        widths.append(float((found.high - found.low).max()) / size)
    assert widths[1] < 1e-12 and 1e-6 < widths[7] < 1 and widths == sorted(widths)


def test_a_matrix_that_may_be_singular_has_no_bounded_inverse() -> None:
    for rows in (_hilbert(14), [[Fraction(0)]], [[Fraction(1), Fraction(2)], [Fraction(2), Fraction(4)]]):
        found = inverse(_enclosed(rows))
        assert np.isinf(found.low).all() and np.isinf(found.high).all()


def test_every_matrix_of_a_wide_interval_is_inverted() -> None:
    found = inverse(Enclosure("matrix", np.array([[1.9, -0.1], [0.9, 2.9]]), np.array([[2.1, 0.1], [1.1, 3.1]])))
    generator = np.random.default_rng(0)
    for _ in range(200):
        near = np.linalg.inv(np.array([[2.0, 0.0], [1.0, 3.0]]) + generator.choice([-0.1, 0.1], (2, 2)))
        assert (found.low <= near).all() and (near <= found.high).all()


def test_the_gamma_function_of_an_interval() -> None:
    for low, high in ((0.25, 0.5), (1.2, 1.9), (1.4617, 1.5), (4.0, 6.5), (0.9, 70.0)):
        encloser = Encloser(Environment(), lambda node, ends=(low, high): ends)  # type: ignore[misc]
        found = encloser.number(("gamma", ("E", ("token", ("number", "1"))))).pair
        inside = [math.gamma(low + k * (high - low) / 4000) for k in range(4001)]
        assert found[0] <= min(inside) and max(inside) <= found[1]
        assert found[1] == pytest.approx(max(inside), rel=1e-9) and found[0] == pytest.approx(min(inside), rel=1e-4)
    encloser = Encloser(Environment(scalars={"t": -0.5}), lambda node: (0.0, 1.0))
    assert encloser.number(("gamma", ("name", "t"))).pair == (-math.inf, math.inf)
    with pytest.raises(NoValueError):
        encloser.number(("gamma", ("number", "0")))
