"""Expectations of exp and cos of a coordinate of a uniform direction, by the confluent hypergeometric function 0F1.

For x uniform on the sphere of radius sqrt(d), and a linear form A of x with variance q,

    E exp(A) = sum_k (q/2)^k/k! d^k/(d (d + 2) ... (d + 2k - 2)) = 0F1(; d/2; d q/4),   E cos(A) = 0F1(; d/2; -d q/4).

Of k orthogonal x_1, ..., x_k that are the columns of a uniformly random orthonormal frame times independent lengths of
the law of |g|, g ~ N(0, I), and of A = z^T (x_1 + ... + x_k) with z^T x_1 of variance q: as E (z^T x_1)^(2 t_1) ...
(z^T x_k)^(2 t_k) = q^n prod (2 t_i - 1)!! (d/2)_(t_i)/(d/2)_n, n = sum t_i, with (a)_n = a (a + 1) ... (a + n - 1),

    E exp(A) = sum_n (q/2)^n/(d/2)_n sum prod (d/2)_(t_i)/t_i! = sum_n (q/2)^n/n! (k d/2)_n/(d/2)_n
             = 1F1(k d/2; d/2; q/2),

and E cos(A) = 1F1(k d/2; d/2; -q/2). As (k d/2)_n <= k^n (d/2)_n, 1 <= E exp(A) <= exp(k q/2).

As d^k <= d (d + 2) ... (d + 2k - 2), 1 <= E exp(A) <= exp(q/2); and -1 <= E cos(A) <= 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import flint
import sympy as sp

from theorems.algebra.balls import Enclosed


class Spherical(Enclosed):
    """A function of d and of q >= 0; ``way`` is the sign of the last argument of 0F1."""

    nargs = 2
    way = 1

    @classmethod
    def eval(cls, d: sp.Expr, q: sp.Expr) -> sp.Expr | None:
        return sp.Integer(1) if q == 0 else None

    @property
    def hypergeometric(self) -> sp.Expr:
        """As sympy's own function, which ``sympify`` reads."""
        d, q = self.args
        return sp.hyper((), (d / 2,), self.way * d * q / 4)

    def _sympystr(self, printer: Any) -> str:
        return str(printer.doprint(self.hypergeometric))

    def _latex(self, printer: Any, **options: Any) -> str:
        return str(printer.doprint(self.hypergeometric))

    def enclosed(self, parts: Sequence[flint.arb]) -> flint.arb:
        d, q = parts
        return (self.way * d * q / 4).hypgeom_0f1(d / 2)


class SphereExp(Spherical):
    """E exp(A)."""


class FrameExp(Spherical):
    """E exp(A) of k tokens of a frame: a function of d, k and q."""

    nargs = 3

    @classmethod
    def eval(cls, d: sp.Expr, k: sp.Expr, q: sp.Expr) -> sp.Expr | None:  # type: ignore[override]
        return sp.exp(cls.way * q / 2) if q == 0 or k == 1 else None

    @property
    def hypergeometric(self) -> sp.Expr:
        d, k, q = self.args
        return sp.hyper((k * d / 2,), (d / 2,), self.way * q / 2)

    def enclosed(self, parts: Sequence[flint.arb]) -> flint.arb:
        d, k, q = parts
        return (self.way * q / 2).hypgeom_1f1(k * d / 2, d / 2)


class FrameCos(FrameExp):
    """E cos(A) of them."""

    way = -1


class SphereCos(Spherical):
    """E cos(A)."""

    way = -1


def plain(value: sp.Expr) -> sp.Expr:
    """A value with these written by sympy's own function."""
    return value.replace(lambda one: isinstance(one, Spherical), lambda one: one.hypergeometric)


def poles(one: sp.Expr, table: Mapping[sp.Symbol, sp.Expr]) -> bool:
    """Whether a term of a hypergeometric series divides by 0 where its names have the numbers of a table."""
    below = one.bq if isinstance(one, sp.hyper) else (one.args[0] / 2,)
    return any(down.is_integer and down <= 0 for down in (end.xreplace(table) for end in below))


def bounds(one: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
    """What a value of one of these functions is at least, and at most."""
    if isinstance(one, FrameExp) and one.way > 0:
        return sp.Integer(1), sp.exp(one.args[1] * one.args[2] / 2)
    if isinstance(one, SphereExp):
        return sp.Integer(1), sp.exp(one.args[1] / 2)
    return sp.Integer(-1), sp.Integer(1)
