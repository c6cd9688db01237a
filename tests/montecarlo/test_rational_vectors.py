"""Orthogonal rational vectors of a given squared length, by four squares."""

from __future__ import annotations

from fractions import Fraction

import pytest

from montecarlo.rational_vectors import four_squares, orthogonal, two_squares


@pytest.mark.parametrize("n", [*range(400), 2**61 - 1, 4**30 * 7, 10**30 + 57, int(0.36 * 2**106), 3 * 2**101 + 5])
def test_four_squares_add_up(n: int) -> None:
    assert sum(x * x for x in four_squares(n)) == n


def test_two_squares_add_up_or_there_are_none() -> None:
    for n in range(2000):
        found = two_squares(n)
        some = any((n - a * a) >= 0 and round((n - a * a) ** 0.5) ** 2 == n - a * a for a in range(45))
        assert (found is not None) == some
        assert found is None or found[0] ** 2 + found[1] ** 2 == n
    prime = 10**18 + 9
    assert prime % 4 == 1
    pair = two_squares(prime)
    assert pair is not None and pair[0] ** 2 + pair[1] ** 2 == prime
    # 3 mod 4
    assert two_squares(10**18 + 3) is None


def test_a_negative_number_has_none() -> None:
    with pytest.raises(ValueError, match="expected n >= 0"):
        four_squares(-1)


@pytest.mark.parametrize("square", [Fraction(9, 4), Fraction(7), Fraction(5, 3), (1 - Fraction(0.8) ** 2) * 36])
@pytest.mark.parametrize("number", [1, 3, 4, 6])
def test_vectors_are_orthogonal_and_of_that_length(square: Fraction, number: int) -> None:
    rows = orthogonal(square, number)
    assert len(rows) == number and len({len(row) for row in rows}) == 1
    for j, one in enumerate(rows):
        for k, two in enumerate(rows):
            assert sum(x * y for x, y in zip(one, two, strict=True)) == (square if j == k else 0)
