"""Second moments of exchangeable tokens z_1, ..., z_k: E[(P z_a)^T (Q z_b)] for products P, Q of W and W^T.

With A = E[z_i z_i^T] and B = E[z_i z_i^T] - E[z_i z_j^T], i != j, every such moment is a polynomial in 1/k and in trace
words tr(A M), tr(B M). Nothing else of the law enters, so that what follows holds for every exchangeable law with
finite second moments.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import sympy as sp

from theorems.algebra.expressions import symbol

#: A product of "W" and "Wt" (the transpose), applied from the right end on.
Product = tuple[str, ...]
MEAN = "mean"
_TRANSPOSED = {"W": "Wt", "Wt": "W"}

#: Trace words that the claims have names for.
NAMED = {("B", ("W",)): "t1", ("B", ("Wt", "W")): "t2"}


@dataclass(frozen=True)
class Vector:
    """A random vector sum_n c_n P_n z_(s_n): terms (coefficient, product, slot), a slot a token's name or the mean."""

    terms: tuple[tuple[sp.Expr, Product, str], ...]

    def __add__(self, other: Vector) -> Vector:
        return Vector((*self.terms, *other.terms))

    def times(self, coefficient: sp.Expr) -> Vector:
        """The vector times a number."""
        return Vector(tuple((coefficient * c, product, slot) for c, product, slot in self.terms))

    def mapped(self, letter: str = "W") -> Vector:
        """W times the vector."""
        return Vector(tuple((c, (letter, *product), slot) for c, product, slot in self.terms))


def token(slot: str) -> Vector:
    """z_slot; the mean of all tokens for slot "mean"."""
    return Vector(((sp.Integer(1), (), slot),))


def trace(matrix: str, product: Product) -> sp.Expr:
    """The symbol of tr(matrix M), for symmetric matrix A or B: M and M^T have the same."""
    turned = tuple(_TRANSPOSED[letter] for letter in reversed(product))
    chosen = next((p for p in (product, turned) if (matrix, p) in NAMED), min(product, turned))
    return symbol(NAMED.get((matrix, chosen), "_".join(("tr", matrix, *chosen))))


def moment(one: Vector, two: Vector) -> sp.Expr:
    """E[one^T two]: E[z_b z_a^T] is A - f B with f = 0 for one token, 1 for two, 1 - 1/k where a mean is among them."""
    total = sp.Integer(0)
    for c, p, a in one.terms:
        for e, q, b in two.terms:
            off = 1 - 1 / symbol("k") if MEAN in (a, b) else sp.Integer(a != b)
            word = (*(_TRANSPOSED[letter] for letter in reversed(p)), *q)
            total += c * e * (trace("A", word) - off * trace("B", word))
    return sp.expand(total)


def moment_by_deviations(one: Vector, two: Vector) -> sp.Expr:
    """E[one^T two] by another route: z_i = mean + u_i, uncorrelated with the mean, sum_i u_i = 0.

    E[u_i u_i^T] = (1 - 1/k) B, E[u_i u_j^T] = -B/k, and E[mean mean^T] = A - (1 - 1/k) B.
    """
    inverse = 1 / symbol("k")
    total = sp.Integer(0)
    for c, p, a in one.terms:
        for e, q, b in two.terms:
            word = (*(_TRANSPOSED[letter] for letter in reversed(p)), *q)
            of_mean = trace("A", word) - (1 - inverse) * trace("B", word)
            weight = sp.Integer(0) if MEAN in (a, b) else (1 - inverse if a == b else -inverse)
            total += c * e * (of_mean + weight * trace("B", word))
    return sp.expand(total)


def output(slot: str, level: sp.Expr) -> Vector:
    """Y_slot(l) = beta z_slot + W((1 - l) z_slot + l mean), the setting of fragment [47]."""
    own, shared = token(slot), token(MEAN)
    mixed = own.times(1 - level) + shared.times(level)
    return own.times(symbol("beta")) + mixed.mapped()


@dataclass(frozen=True)
class Weighted:
    """A random vector sum_n c_n P_n (sum_a u_a z_a): terms (coefficient, product, name of weights u that sum to 1)."""

    terms: tuple[tuple[sp.Expr, Product, str], ...]


def weighted_moment(one: Weighted, two: Weighted, products: Mapping[tuple[str, str], sp.Expr]) -> sp.Expr:
    """E[one^T two] for weights that add up to 1, given by their products u . v.

    E[(sum_b v_b z_b)(sum_a u_a z_a)^T] = A - B + (u . v) B.
    """
    total = sp.Integer(0)
    for c, p, u in one.terms:
        for e, q, v in two.terms:
            word = (*(_TRANSPOSED[letter] for letter in reversed(p)), *q)
            total += c * e * (trace("A", word) - trace("B", word) + products[u, v] * trace("B", word))
    return sp.expand(total)
