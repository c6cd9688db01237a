"""Finite exchangeable laws, exactly: one of finitely many sets of tokens, uniformly, its tokens permuted uniformly.

The tokens are z_1 .. z_k in R^d, and a head maps them to Y_i(l) = beta z_i + W((1 - l) z_i + l mean_j z_j).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from itertools import combinations
from math import isqrt
from typing import Any, NamedTuple

import sympy as sp

from theorems.algebra.quotients import dot
from theorems.gaussian.functionals import functional
from theorems.gaussian.moments import exchangeable_law
from theorems.gaussian.numeric import Case

Vector = tuple[Fraction, ...]
Rows = tuple[Vector, ...]
Number = Fraction | int


@dataclass(frozen=True)
class Ensemble:
    """The law and the head of a case: ``sets`` of k tokens in R^d each, ``W`` (d x d) and ``beta``."""

    sets: tuple[Rows, ...]
    W: Rows
    beta: Fraction

    @property
    def k(self) -> int:
        """Tokens in a set."""
        return len(self.sets[0])

    @property
    def d(self) -> int:
        """The dimension of a token."""
        return len(self.sets[0][0])


class Moments(NamedTuple):
    """B = same - other, where same = E[z_i z_i^T] and other = E[z_i z_j^T] for i != j; rows of Fractions."""

    B: Rows
    same: Rows
    other: Rows


def read(case: Case | Mapping[str, Any]) -> Ensemble:
    """The law of a case {"tokens": [sets][k][d], "W": d x d, "beta": "p/q"}; without W and beta it is Y_i = z_i.

    Raises ValueError for data of another shape: sets of at least two tokens, all of one length and dimension.
    """
    raw = case if isinstance(case, Mapping) else case.raw
    try:
        sets = tuple(tuple(_vector(token) for token in tokens) for tokens in raw["tokens"])
        beta = Fraction(raw.get("beta", 1))
        W = tuple(_vector(row) for row in raw["W"]) if "W" in raw else None
    except (KeyError, TypeError, ValueError) as error:
        wanted = 'expected [sets][k][d] of integers or "p/q", and W of d rows'
        raise ValueError(f"case {sorted(raw)} is no ensemble ({type(error).__name__}: {error}); {wanted}") from None
    sizes = {(len(tokens), len(token)) for tokens in sets for token in tokens}
    if len(sizes) != 1 or len({len(tokens) for tokens in sets}) != 1 or min(min(sizes)) < 1 or min(sizes)[0] < 2:
        shapes = sorted({(len(tokens), *sorted({len(token) for token in tokens})) for tokens in sets})
        raise ValueError(f"tokens of shapes {shapes}; expected sets of one k >= 2 and one d >= 1; even them out")
    d = len(sets[0][0])
    if W is None:
        W = ((Fraction(0),) * d,) * d
    if len(W) != d or any(len(row) != d for row in W):
        raise ValueError(f"W has rows of lengths {[len(row) for row in W]}; expected {d} rows of {d} for these tokens")
    return Ensemble(sets, W, beta)


def _vector(entries: Any) -> Vector:
    return tuple(Fraction(entry) for entry in entries)


def _sum(tokens: Rows) -> Vector:
    return tuple(sum(column, Fraction(0)) for column in zip(*tokens, strict=True))


def second_moments(case: Case | Mapping[str, Any]) -> Moments:
    """B = E[z_i z_i^T] - E[z_i z_j^T] (i != j), and the two parts, over sets and ordered pairs of distinct tokens."""
    return _moments(read(case))


@lru_cache(maxsize=256)
def _moments(law: Ensemble) -> Moments:
    k, d, count = law.k, law.d, len(law.sets)
    same = [[Fraction(0)] * d for _ in range(d)]
    other = [[Fraction(0)] * d for _ in range(d)]
    for tokens in law.sets:
        total = _sum(tokens)
        for r in range(d):
            for c in range(d):
                square = dot((z[r] for z in tokens), (z[c] for z in tokens))
                same[r][c] += square / (k * count)
                other[r][c] += (total[r] * total[c] - square) / (k * (k - 1) * count)
    B = tuple(tuple(same[r][c] - other[r][c] for c in range(d)) for r in range(d))
    return Moments(B, tuple(map(tuple, same)), tuple(map(tuple, other)))


def traces(case: Case | Mapping[str, Any]) -> tuple[Fraction, Fraction]:
    """t1 = tr(B W) and t2 = tr(B W^T W)."""
    law, B = read(case), second_moments(case).B
    d = range(law.d)
    first = sum((B[r][c] * law.W[c][r] for r in d for c in d), Fraction(0))
    second = sum((B[r][c] * law.W[m][c] * law.W[m][r] for r in d for c in d for m in d), Fraction(0))
    return first, second


def images(case: Case | Mapping[str, Any], lam: Number) -> tuple[Rows, ...]:
    """Y_i(l) = beta z_i + W((1 - l) z_i + l mean_j z_j) of every token of every set."""
    return _images(read(case), Fraction(lam))


@lru_cache(maxsize=256)
def _images(law: Ensemble, share: Fraction) -> tuple[Rows, ...]:
    found = []
    for tokens in law.sets:
        mean = tuple(entry / law.k for entry in _sum(tokens))
        mixed = (tuple((1 - share) * x + share * m for x, m in zip(z, mean, strict=True)) for z in tokens)
        found.append(
            tuple(
                tuple(law.beta * x + dot(row, into) for x, row in zip(z, law.W, strict=True))
                for z, into in zip(tokens, mixed, strict=True)
            )
        )
    return tuple(found)


def energy(case: Case | Mapping[str, Any], lam: Number) -> Fraction:
    """D(l) = E|Y_i(l)|^2."""
    return _energy(images(case, lam))


def cross(case: Case | Mapping[str, Any], lam: Number) -> Fraction:
    """N(l) = E[Y_i(l)^T Y_j(l)] for i != j."""
    return _cross(images(case, lam))


def _energy(found: tuple[Rows, ...]) -> Fraction:
    squares = [dot(y, y) for tokens in found for y in tokens]
    return sum(squares, Fraction(0)) / len(squares)


def _cross(found: tuple[Rows, ...]) -> Fraction:
    products = [dot(x, y) for tokens in found for x, y in combinations(tokens, 2)]
    return sum(products, Fraction(0)) / len(products)


def ratio(case: Case | Mapping[str, Any], lam: Number) -> Fraction:
    """R(l) = N(l)/D(l); ValueError where every Y_i(l) is zero."""
    found = images(case, lam)
    return _cross(found) / _scale(found)


def spread(case: Case | Mapping[str, Any], lam: Number) -> Fraction:
    """E|1 - r_i^2| with r_i = |Y_i(l)|/sqrt(D(l)); ValueError where every Y_i(l) is zero."""
    found = images(case, lam)
    D = _scale(found)
    away = [abs(1 - dot(y, y) / D) for tokens in found for y in tokens]
    return sum(away, Fraction(0)) / len(away)


def _scale(found: tuple[Rows, ...]) -> Fraction:
    D = _energy(found)
    if not D:
        raise ValueError("E|Y_i|^2 = 0, so that no cosine or ratio is defined; choose other tokens, W or beta")
    return D


def cosine(case: Case | Mapping[str, Any], lam: Number) -> sp.Expr:
    """E[cos(Y_i(l), Y_j(l))] for i != j, a sum of rationals over roots; ValueError where some Y_i(l) is zero."""
    found = images(case, lam)
    parts: dict[Fraction, Fraction] = {}
    pairs = 0
    for tokens in found:
        for x, y in combinations(tokens, 2):
            square = dot(x, x) * dot(y, y)
            if not square:
                raise ValueError(
                    f"some Y_i({lam}) is zero, so that no cosine is defined; choose other tokens, W or beta"
                )
            root = _root(square)
            key, part = (square, dot(x, y)) if root is None else (Fraction(1), dot(x, y) / root)
            parts[key] = parts.get(key, Fraction(0)) + part
            pairs += 1
    return sp.Add(*(exact(part / pairs) / sp.sqrt(exact(square)) for square, part in parts.items()))


def _root(square: Fraction) -> Fraction | None:
    """The square root of a fraction, where that is rational."""
    top, bottom = isqrt(square.numerator), isqrt(square.denominator)
    found = Fraction(top, bottom)
    return found if found * found == square else None


def exact(value: Fraction) -> sp.Rational:
    """A fraction as a sympy number."""
    return sp.Rational(value.numerator, value.denominator)


@functional("t1", latex=r"\operatorname{tr}(BW)")
def first_trace(case: Case) -> sp.Expr:
    """tr(B W)."""
    return exact(traces(case)[0]) if "tokens" in case.raw else exchangeable_law.traces(case)[0]


@functional("t2", latex=r"\operatorname{tr}(BW^{\top}W)")
def second_trace(case: Case) -> sp.Expr:
    """tr(B W^T W)."""
    return exact(traces(case)[1]) if "tokens" in case.raw else exchangeable_law.traces(case)[1]


@functional("sum_energy", latex=r"\tfrac1k\mathbb{E}|\textstyle\sum_iY_i|^2")
def energy_of_the_sum(case: Case) -> sp.Expr:
    """E|sum_i Y_i|^2/k = D(0) + (k - 1) N(0), the same at every l."""
    return exact(energy(case, 0) + (read(case).k - 1) * cross(case, 0))


@functional("least_cross", latex=r"\min_\lambda N_k(\lambda)")
def least_cross(case: Case) -> sp.Expr:
    """The least N(l) on [0, 1], of a quadratic in l by its values at 0, 1/2 and 1."""
    low, middle, high = (cross(case, share) for share in (0, Fraction(1, 2), 1))
    slope, bend = 4 * middle - 3 * low - high, 2 * (low + high - 2 * middle)
    ends = [low, high]
    if bend > 0 and 0 < -slope < 2 * bend:
        ends.append(low - slope**2 / (4 * bend))
    return exact(min(ends))


@functional("gap", latex=r"\left|\mathbb{E}\cos(Y_i,Y_j)-\frac{\mathbb{E}[Y_i^{\top}Y_j]}{\mathbb{E}|Y_i|^2}\right|")
def approximation_gap(case: Case) -> sp.Expr:
    """|E cos(Y_i, Y_j) - E[Y_i^T Y_j]/E|Y_i|^2| of the tokens themselves."""
    law = {"tokens": case.raw["tokens"]}
    return sp.Abs(cosine(law, 0) - exact(ratio(law, 0)))


@functional("spread", latex=r"\mathbb{E}\left|1-r_i^2\right|")
def token_spread(case: Case) -> sp.Expr:
    """E|1 - r_i^2| of the tokens themselves."""
    return exact(spread({"tokens": case.raw["tokens"]}, 0))


def _at_both_ends() -> None:
    """Register cosine_l, ratio_l and spread_l for the local head (l = 0) and the averaging head (l = 1)."""
    for end in (0, 1):
        place = f"Y_i({end}),Y_j({end})"
        functional(f"cosine_{end}", latex=rf"\mathbb{{E}}\cos({place})")(partial(cosine, lam=end))
        functional(f"ratio_{end}", latex=f"R_k({end})")(partial(_ratio_number, lam=end))
        functional(f"spread_{end}", latex=rf"\mathbb{{E}}\left|1-r_i({end})^2\right|")(partial(_spread_number, lam=end))


def _ratio_number(case: Case, lam: Number) -> sp.Expr:
    return exact(ratio(case, lam))


def _spread_number(case: Case, lam: Number) -> sp.Expr:
    return exact(spread(case, lam))


_at_both_ends()
