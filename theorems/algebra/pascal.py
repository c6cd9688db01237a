"""Partial sums of a row of Pascal's triangle: the one finite sum whose upper end may be a name, kept as a function."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import sympy as sp

#: Rows and sums beyond this are not written out.
MAX_ROW = 10_000


class RowSum(sp.Function):  # type: ignore[misc]
    """RowSum(n, m) = sum_{k=0}^m C(n, k): a number for integers n and m (0 for m < 0), as it stands otherwise."""

    nargs = 2

    @classmethod
    def eval(cls, n: sp.Expr, m: sp.Expr) -> sp.Expr | None:
        """The sum, where both arguments are integers, and not too large to be written out."""
        if not (n.is_Integer and m.is_Integer):
            return None
        top, last = int(n), int(m)
        if max(abs(top), last) > MAX_ROW:
            return None
        if top < 0:
            # C(-a, k) = (-1)^k C(a + k - 1, k)
            return sp.Integer(sum((-1) ** k * math.comb(k - top - 1, k) for k in range(last + 1)))
        return sp.Integer(sum(math.comb(top, k) for k in range(min(last, top) + 1)))

    def floats(self, n: Any, m: Any) -> Any:
        """The sum in floating point, for numbers or numpy arrays; NaN where an argument is no integer."""

        def value(row: float, last: float) -> float:
            whole = float(row).is_integer() and float(last).is_integer()
            return float(RowSum(sp.Integer(int(row)), sp.Integer(int(last)))) if whole else math.nan

        return np.vectorize(value, otypes=[float])(n, m)

    def _sympystr(self, printer: Any) -> str:
        n, m = (printer.doprint(part) for part in self.args)
        return f"Sum(binomial({n}, {_index(self)}), {_index(self)}, 0, {m})"

    def _latex(self, printer: Any, exp: str | None = None) -> str:
        n, m = (printer.doprint(part) for part in self.args)
        k = _index(self)
        body = rf"\sum_{{{k}=0}}^{{{m}}} \binom{{{n}}}{{{k}}}"
        return body if exp is None else rf"\left({body}\right)^{{{exp}}}"


def _index(found: RowSum) -> str:
    """A name for the index that does not occur in the arguments."""
    taken = {free.name for free in found.free_symbols}
    return next(name for name in ("k", "l", "r", "k_", "l_", "r_") if name not in taken)
