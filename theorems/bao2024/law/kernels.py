"""The kernel of (y, x_T): the three covariances that the law of a score needs, exactly in i and T, and in the limit.

a = K(y, y), b = K(x_T, x_T), c = K(y, x_T), and the cumulants of the score that follow (see ``theorems.bao2024.law``).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache
from itertools import product

import sympy as sp

from theorems.algebra.expressions import symbol
from theorems.algebra.ratio import Ratio, total
from theorems.bao2024.law.arguments import LONGEST, exact, whole
from theorems.bao2024.softmax import gamma, taylor
from theorems.gaussian.asymptotics import expand
from theorems.gaussian.process import KERNELS, Process, random_walk
from theorems.gaussian.words import Letter, cycle

Kernel2 = tuple[Fraction, Fraction, Fraction]

#: The highest cumulants, some seconds: of symmetric W_QK, and of any, of which there are 2^n words.
ORDERS, WORDS = 60, 12
#: i = theta T, the regime of the limit law.
REGIME = {"i": "theta*T"}


def _walk(start: str, *positions: str) -> Process:
    if start not in KERNELS:
        raise ValueError(f"start = {start!r}; expected one of {', '.join(sorted(KERNELS))}")
    if KERNELS[start].mean is not None:
        raise ValueError(f"start = {start!r} has a mean that is not 0; the law is derived for centred tokens")
    return random_walk(*positions, start=start)


def _kernel(walk: Process, at: str) -> tuple[Ratio, Ratio, Ratio]:
    own, last = (next(p for p in walk.positions if p.name == name) for name in (at, "T"))
    y, x = gamma(walk, own), walk.token(last)
    return walk.covariance(y, y), walk.covariance(x, x), walk.covariance(y, x)


@cache
def score_kernel(start: str = "sigma") -> tuple[Ratio, Ratio, Ratio]:
    """(a, b, c) = K(y, y), K(x_T, x_T), K(y, x_T) in i and T, for i <= T (independent tokens: i < T)."""
    return _kernel(_walk(start, "i", "T"), "i")


@cache
def _last(start: str) -> tuple[Ratio, Ratio, Ratio]:
    """The kernel at i = T, where a kernel with a jump on the diagonal has values of its own."""
    if KERNELS[start].continuous:
        return score_kernel(start)
    return _kernel(_walk(start, "T"), "T")


@dataclass(frozen=True)
class _Rational:
    """A Ratio in i and T for fast exact values: integer coefficients over ``below`` T^power."""

    terms: tuple[tuple[int, int, int], ...]
    below: int
    power: int

    @staticmethod
    def of(ratio: Ratio) -> _Rational:
        normal = ratio.reduced()
        names = [generator.name for generator in normal.num.ring.symbols]
        if normal.names - {"i", "T"} or normal.den.keys() - {"T"}:
            raise ValueError(f"{ratio} is not a polynomial in i over a power of T")
        rows = []
        for monomial, value in normal.num.terms():
            powers = dict(zip(names, monomial, strict=True))
            rows.append(
                (Fraction(int(value.numerator), int(value.denominator)), powers.get("i", 0), powers.get("T", 0))
            )
        below = math.lcm(*(value.denominator for value, _, _ in rows))
        return _Rational(tuple((int(v * below), i, t) for v, i, t in rows), below, normal.den.get("T", 0))

    def at(self, T: int, i: int) -> Fraction:
        return Fraction(sum(value * i**m * T**n for value, m, n in self.terms), self.below * T**self.power)


@cache
def _compiled(start: str, last: bool) -> tuple[_Rational, _Rational, _Rational]:
    a, b, c = _last(start) if last else score_kernel(start)
    return _Rational.of(a), _Rational.of(b), _Rational.of(c)


@cache
def _offset() -> _Rational:
    return _Rational.of(taylor()["offset"].ratio)


def score_offset(T: int) -> Fraction:
    """gamma_0^i = S(0)_i, exactly."""
    return _offset().at(whole("T", T), 1)


def kernel_values(T: int, i: int, start: str = "sigma") -> Kernel2:
    """(a, b, c) at one token, exactly; raises ValueError unless 1 <= i <= T."""
    T = whole("T", T)
    i = whole("i", i, T)
    a, b, c = _compiled(start, i == T)
    return a.at(T, i), b.at(T, i), c.at(T, i)


# -- cumulants


@cache
def cumulant(n: int, start: str = "sigma", symmetric: bool = True) -> Ratio:
    """The n-th cumulant of <gamma^i, omega>, in i, T, lam and the traces (tr1, tr2, ...; words of W and W^T else).

    For any W_QK the cumulant generating function is -log det(I - s (K (x) Sigma) B)/2, B = [[0, W], [W^T, 0]], so
    kappa_n = (n-1)!/2 tr(((K (x) Sigma) B)^n): over the 2^n choices of W or W^T for each letter, the trace of the
    word times the entry of K between each letter's right end and the next one's left end.
    """
    n = whole("n", n, ORDERS if symmetric else WORDS)
    a, b, c = score_kernel(start)
    if symmetric:
        power = total(math.comb(n, 2 * k) * c ** (n - 2 * k) * (a * b) ** k for k in range(n // 2 + 1))
        value = math.factorial(n - 1) * power * Ratio.of(f"tr{n}")
    else:
        entry = ((a, c), (c, b))
        parts = []
        for turns in product((False, True), repeat=n):
            part = Ratio.of(cycle(tuple(Letter("W", turned, False) for turned in turns)).name)
            for one, two in zip(turns, turns[1:] + turns[:1], strict=True):
                # W stands between y (0) and x_T (1), W^T between x_T and y
                part = part * entry[0 if one else 1][1 if two else 0]
            parts.append(part)
        value = total(parts) * Fraction(math.factorial(n - 1), 2)
    return (value / Ratio.of("lam") ** n).reduced()


def _shape(limit: bool, start: str) -> tuple[sp.Expr, sp.Expr]:
    """The expressions of ab and c, at finite T or in the limit."""
    if limit:
        ab, c = limit_kernel(start)
        return ab.expr, c.expr
    a, b, c = score_kernel(start)
    return (a * b).expr, c.expr


def skewness(start: str = "sigma", limit: bool = False) -> sp.Expr:
    """kappa_3/kappa_2^(3/2) of the score for symmetric W_QK, in i and T, or with ``limit`` in theta for T -> infinity.

    2 (c^3 + 3 c ab)/(c^2 + ab)^(3/2) tr3/tr2^(3/2): free of lam, and odd in the spectrum.
    """
    ab, c = _shape(limit, start)
    tr2, tr3 = symbol("tr2"), symbol("tr3")
    spread, third = sp.factor(c**2 + ab), sp.factor(c**3 + 3 * c * ab)
    return 2 * third * tr3 / (spread * tr2) ** sp.Rational(3, 2)


def excess_kurtosis(start: str = "sigma", limit: bool = False) -> sp.Expr:
    """kappa_4/kappa_2^2 of the score for symmetric W_QK, in i and T, or with ``limit`` in theta for T -> infinity.

    6 (c^4 + 6 c^2 ab + (ab)^2)/(c^2 + ab)^2 tr4/tr2^2: never negative.
    """
    ab, c = _shape(limit, start)
    tr2, tr4 = symbol("tr2"), symbol("tr4")
    return 6 * sp.factor((c**4 + 6 * c**2 * ab + ab**2) / (c**2 + ab) ** 2) * tr4 / tr2**2


@cache
def limit_kernel(start: str = "sigma") -> tuple[Ratio, Ratio]:
    """(ab, c) in theta for T -> infinity with i/T -> theta; raises ValueError where they grow without bound.

    b grows and a falls; the law sees the two through ab only. Convergence of ab and c is that of every weight, hence
    of the law for a fixed spectrum (of rho, where the limit law has no mass at 0).
    """
    a, b, c = score_kernel(start)
    found = [expand(value, REGIME) for value in (a * b, c)]
    if any(expansion.grows for expansion in found):
        raise ValueError(f"start = {start!r}: the score has no limit law, its kernel grows with T")
    return found[0].limit, found[1].limit


@lru_cache(maxsize=64)
def token_kernels(T: int, start: str) -> tuple[Kernel2, ...]:
    """(a, b, c) of every token; ValueError where there is none, or are more than ``LONGEST``."""
    return tuple(kernel_values(T, i, start) for i in range(1, whole("T", T, LONGEST) + 1))


def kernel_limits(theta: Fraction, start: str = "sigma") -> tuple[Fraction, Fraction]:
    """(ab, c) of ``limit_kernel`` at a relative position, exactly."""
    theta = exact("theta", theta)
    if not 0 <= theta <= 1:
        raise ValueError(f"theta = {float(theta):.6g}; expected a relative position between 0 and 1")
    ab, c = (sum((k * theta**n for n, k in p.items()), Fraction(0)) for p in _polynomials(start))
    return ab, c


@cache
def _polynomials(start: str) -> tuple[Mapping[int, Fraction], ...]:
    return tuple(_powers(value) for value in limit_kernel(start))


def _powers(value: Ratio) -> Mapping[int, Fraction]:
    found = {}
    for power, coefficient in value.terms("theta").items():
        number = coefficient.reduced().num.get((), 0)
        found[power] = Fraction(int(number.numerator), int(number.denominator)) if number else Fraction(0)
    return found
