"""Cases at which a quantity with a derived range takes values between its ends."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

import sympy as sp

from theorems.algebra.closed import names
from theorems.algebra.expressions import symbol
from theorems.kernel.derivation import SharpBound

#: Dimensions beyond the least, values as parts of the upper end, and values of what is free beside them.
FURTHER, PARTS = (0, 1, 3), (Fraction(-1), Fraction(-9, 10), Fraction(-1, 3), Fraction(0), Fraction(1, 2), Fraction(1))
FREE = (Fraction(1, 4), Fraction(3))
#: Standard deviations along the axes of Sigma: its root is R = diag(...).
ROOTS = (Fraction(1), Fraction(2), Fraction(1, 2), Fraction(3))
DIGITS = 30


def between_ends(bound: SharpBound) -> Iterator[tuple[dict[str, Any], sp.Expr, Mapping[str, Fraction]]]:
    """Cases (JSON-able), the bounded quantity's value there, and those of the free ones, by the derived spectra.

    W_QK = R^-1 D R^-1 with D diagonal, of the derived eigenvalues rounded to rationals, so that R W_QK R = D.
    """
    (step,) = (step for step in bound.steps if step.rule == "realised-spectrum")
    spectrum, name, square, least = step.data
    for more in FURTHER:
        d = int(least) + more
        roots = [ROOTS[k % len(ROOTS)] for k in range(d)]
        for part in PARTS:
            value = part.numerator * sp.sqrt(square.xreplace({symbol("d"): sp.Integer(d)})) / part.denominator
            at = {symbol("d"): sp.Integer(d), name: value}
            eigenvalues = [_rational(w.xreplace(at)) for w, count in spectrum for _ in range(int(count.xreplace(at)))]
            W = [w / root**2 for w, root in zip(eigenvalues, roots, strict=True)]
            raw = {"d": d, "W": _diagonal(W), "Sigma": _diagonal([root**2 for root in roots])}
            # with tr(W^2) = 1 what is free is 1 over its parameter
            parameters = {key: min(names(form) - {"tr1", "tr2", "d"}) for key, form in bound.free.items()}
            for size in FREE:
                further = {parameter: str(1 / size) for parameter in parameters.values()}
                yield raw | further, value, dict.fromkeys(bound.free, size)


def _rational(value: sp.Expr) -> Fraction:
    near = sp.Rational(str(sp.N(value, DIGITS)))
    return Fraction(int(near.p), int(near.q))


def _diagonal(entries: list[Fraction]) -> list[list[str]]:
    return [[str(v) if r == c else "0" for c in range(len(entries))] for r, v in enumerate(entries)]
