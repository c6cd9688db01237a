"""Expectations of exp and cos of a coordinate of a uniform direction, by the confluent hypergeometric function 0F1.

For x uniform on the sphere of radius sqrt(d), and a linear form A of x with variance q,

    E exp(A) = sum_k (q/2)^k/k! d^k/(d (d + 2) ... (d + 2k - 2)) = 0F1(; d/2; d q/4),   E cos(A) = 0F1(; d/2; -d q/4).

As d^k <= d (d + 2) ... (d + 2k - 2), 1 <= E exp(A) <= exp(q/2); and -1 <= E cos(A) <= 1.
"""

from __future__ import annotations

from typing import Any

import flint
import sympy as sp


class _Spherical(sp.Function):  # type: ignore[misc]
    """A function of d and of q >= 0; ``way`` is the sign of the last argument of 0F1."""

    nargs = 2
    way = 1
    is_real = True

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

    def _eval_evalf(self, prec: int) -> Any:
        return self.hypergeometric._eval_evalf(prec)


class SphereExp(_Spherical):
    """E exp(A)."""


class SphereCos(_Spherical):
    """E cos(A)."""

    way = -1


def enclosed(name: str, d: flint.arb, q: flint.arb) -> flint.arb:
    """A ball that holds the value of SphereExp or SphereCos."""
    return ((1 if name == "SphereExp" else -1) * d * q / 4).hypgeom_0f1(d / 2)


def plain(value: sp.Expr) -> sp.Expr:
    """A value with these written by sympy's own function."""
    return value.replace(lambda one: isinstance(one, _Spherical), lambda one: one.hypergeometric)


def poles(one: sp.Expr) -> bool:
    """Whether a term of a hypergeometric series divides by 0."""
    below = one.bq if isinstance(one, sp.hyper) else (one.args[0] / 2,)
    return any(down.is_integer and down <= 0 for down in below)


def bounds(one: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
    """What a value of SphereExp or SphereCos is at least, and at most."""
    if isinstance(one, SphereExp):
        return sp.Integer(1), sp.exp(one.args[1] / 2)
    return sp.Integer(-1), sp.Integer(1)
