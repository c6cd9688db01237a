"""Exact moments of a small Gaussian family, coordinate by coordinate: an oracle that shares no code with theorems/.

Every token is a list of d scalar Gaussians with Cov(x_s[a], x_t[b]) = K(s, t) Sigma[a][b] and mean c(t) m[a]; an
expectation of a product of scalars follows E[u F] = E[u] E[F] + sum_v Cov(u, v) E[dF/dv].
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from typing import Any

import sympy as sp

Rows = list[list[Fraction]]
#: A token's position, or a fixed vector.
End = int | Sequence[Fraction]


def rows(*lines: Sequence[int | str | Fraction]) -> Rows:
    return [[Fraction(entry) for entry in line] for line in lines]


def eye(d: int) -> Rows:
    return [[Fraction(int(r == c)) for c in range(d)] for r in range(d)]


def transposed(matrix: Rows) -> Rows:
    return [list(column) for column in zip(*matrix, strict=True)]


def times(*matrices: Rows) -> Rows:
    result = matrices[0]
    for other in matrices[1:]:
        result = [
            [sum((x * y for x, y in zip(r, c, strict=True)), Fraction(0)) for c in zip(*other, strict=True)]
            for r in result
        ]
    return result


def trace(*matrices: Rows) -> Fraction:
    result = times(*matrices)
    return sum((result[k][k] for k in range(len(result))), Fraction(0))


def bilinear(left: Sequence[Fraction], matrix: Rows, right: Sequence[Fraction]) -> Fraction:
    return sum(
        (u * w * v for u, r in zip(left, matrix, strict=True) for w, v in zip(r, right, strict=True)), Fraction(0)
    )


@dataclass
class Family:
    """A Gaussian family x_1, x_2, ... in R^d with covariance K(s, t) Sigma and mean c(t) m."""

    K: Callable[[int, int], int]
    Sigma: Rows
    c: Callable[[int], int] = lambda t: 0
    m: Sequence[Fraction] = ()
    _memo: dict[tuple[tuple[int, int], ...], Fraction] = field(default_factory=dict)

    def scalars(self, entries: Iterable[tuple[int, int]]) -> Fraction:
        """E[prod x_t[a]] over the entries (t, a)."""
        key = tuple(sorted(entries))
        if not key:
            return Fraction(1)
        if key not in self._memo:
            (t, a), rest = key[0], key[1:]
            value = Fraction(0)
            for k, (s, b) in enumerate(rest):
                weight = self.K(min(s, t), max(s, t)) * self.Sigma[a][b]
                if weight:
                    value += weight * self.scalars(rest[:k] + rest[k + 1 :])
            if self.c(t):
                value += self.c(t) * self.m[a] * self.scalars(rest)
            self._memo[key] = value
        return self._memo[key]

    def forms(self, *triples: tuple[End, Rows, End]) -> Fraction:
        """E[prod u^T M v], by a sum over every coordinate of every token."""
        d = len(self.Sigma)
        value = Fraction(0)
        for places in product(product(range(d), repeat=2), repeat=len(triples)):
            weight, entries = Fraction(1), []
            for (left, matrix, right), (a, b) in zip(triples, places, strict=True):
                weight *= matrix[a][b]
                for end, at in ((left, a), (right, b)):
                    if isinstance(end, int):
                        entries.append((end, at))
                    else:
                        weight *= end[at]
            if weight:
                value += weight * self.scalars(entries)
        return value


def minimum(s: int, t: int) -> int:
    return min(s, t)


def late_minimum(s: int, t: int) -> int:
    return min(s, t) - 1


def same_token(s: int, t: int) -> int:
    return int(s == t)


def line(s: int, t: int) -> int:
    return s * t


def one(*_: int) -> int:
    return 1


def walk(start: str, Sigma: Rows, m: Sequence[Fraction] = ()) -> Family:
    """The walk started at N(0, Sigma) ("sigma"), at 0 ("zero") or at m ("mean")."""
    if start == "sigma":
        return Family(minimum, Sigma)
    return Family(late_minimum, Sigma, one, m) if start == "mean" else Family(late_minimum, Sigma)


def number(expression: sp.Expr, table: dict[str, Any]) -> Fraction:
    """A rational expression at exact values, by Python's own fractions; KeyError for a name without a value."""
    if expression.is_Symbol:
        return Fraction(table[expression.name])
    if expression.is_Rational:
        return Fraction(int(expression.p), int(expression.q))
    if expression.is_Pow:
        assert expression.exp.is_Integer, expression
        return number(expression.base, table) ** int(expression.exp)
    parts = [number(part, table) for part in expression.args]
    assert expression.is_Add or expression.is_Mul, expression
    result = Fraction(int(bool(expression.is_Mul)))
    for part in parts:
        result = result * part if expression.is_Mul else result + part
    return result


def words(
    W: Rows, Sigma: Rows, m: Sequence[Fraction] = (), a: Sequence[Fraction] = (), b: Sequence[Fraction] = ()
) -> dict[str, Fraction]:
    """The trace and chain words of the claims, each by its definition."""
    WS, tS = times(W, Sigma), times(transposed(W), Sigma)
    table = {"tr1": trace(WS), "tr2": trace(WS, WS), "tr_W_Wt": trace(WS, tS)}
    if m:
        table |= {"mWm": bilinear(m, W, m), "mWSWm": bilinear(m, times(WS, W), m)}
        table |= {"mWtSWm": bilinear(m, times(tS, W), m), "mWSWtm": bilinear(m, times(WS, transposed(W)), m)}
    if a and m:
        table |= {"aWm": bilinear(a, W, m), "aWSWm": bilinear(a, times(WS, W), m)}
        table |= {"aWSWtm": bilinear(a, times(WS, transposed(W)), m), "am": bilinear(a, eye(len(a)), m)}
    if a and b:
        table["aSb"] = bilinear(a, Sigma, b)
    if b and m:
        table["bm"] = bilinear(b, eye(len(b)), m)
    return table
