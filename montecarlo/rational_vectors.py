"""Orthogonal vectors with rational entries and a given rational squared length: by four squares, four at a time."""

from __future__ import annotations

from fractions import Fraction
from itertools import count
from math import isqrt

Row = list[Fraction]

#: Below this, two squares are searched for one by one; above, among primes alone.
SMALL = 10_000
#: Values of the second square that are tried beside each of the first.
TRIED = 2_000
#: Bases with which a number of up to 81 bits that is no prime is told, and larger ones almost surely.
BASES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41)


def orthogonal(square: Fraction, number: int) -> list[Row]:
    """So many orthogonal vectors of that squared length: one dimension each where it is a rational square, else four
    dimensions for every four of them. All have the same dimension."""
    above, below = isqrt(square.numerator), isqrt(square.denominator)
    if above**2 == square.numerator and below**2 == square.denominator:
        return [[Fraction(above, below) if k == j else Fraction(0) for k in range(number)] for j in range(number)]
    a, b, c, d = (Fraction(x, square.denominator) for x in four_squares(square.numerator * square.denominator))
    block = [[a, b, c, d], [-b, a, -d, c], [-c, d, a, -b], [-d, -c, b, a]]
    size = 4 * -(-number // 4)
    found = []
    for j in range(number):
        row = [Fraction(0)] * size
        row[4 * (j // 4) : 4 * (j // 4) + 4] = block[j % 4]
        found.append(row)
    return found


def four_squares(n: int) -> tuple[int, int, int, int]:
    """Four integers whose squares add up to n >= 0."""
    if n < 0:
        raise ValueError(f"n = {n}; expected n >= 0")
    scale = 1
    while n and n % 4 == 0:
        n, scale = n // 4, 2 * scale
    for x in count(isqrt(n), -1):
        for y in range(min(isqrt(n - x * x), TRIED) + 1):
            pair = two_squares(n - x * x - y * y)
            if pair is not None:
                return scale * x, scale * y, scale * pair[0], scale * pair[1]
    raise AssertionError


def two_squares(n: int) -> tuple[int, int] | None:
    """Two integers whose squares add up to n, where they are few to try or n is a prime; else None."""
    if isqrt(n) ** 2 == n:
        return isqrt(n), 0
    if n <= SMALL:
        return next(((a, isqrt(n - a * a)) for a in range(isqrt(n) + 1) if isqrt(n - a * a) ** 2 == n - a * a), None)
    if n % 4 != 1 or not _is_prime(n):
        return None
    root = next(r for a in count(2) if (r := pow(a, (n - 1) // 4, n)) ** 2 % n == n - 1)
    a, b = n, root
    while b * b > n:
        a, b = b, a % b
    return b, isqrt(n - b * b)


def _is_prime(n: int) -> bool:
    """Miller and Rabin's test of an odd n > 41."""
    if any(n % base == 0 for base in BASES):
        return False
    odd, twos = n - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    for base in BASES:
        x = pow(base, odd, n)
        if x in (1, n - 1):
            continue
        for _ in range(twos - 1):
            x = x * x % n
            if x == n - 1:
                break
        else:
            return False
    return True
