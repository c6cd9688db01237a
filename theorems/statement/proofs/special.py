"""Functions with identities of their own as atoms: erf(-t) = -erf(t), and Gamma(a + 1) = a Gamma(a)."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor
from typing import TYPE_CHECKING

from theorems.algebra.ratio import Ratio
from theorems.statement.expression import Expr, minus, negative, number
from theorems.statement.proofs.quotients import NONE, ONE, NoFormError, Quotient

if TYPE_CHECKING:
    from theorems.statement.proofs.atoms import Atoms

#: Largest integer by which arguments of the Gamma function are shifted.
MOST_SHIFTED = 12


def error_function(atoms: Atoms, node: Expr) -> Quotient:
    """erf(t), an odd function, as an atom by the normal form of t."""
    inner = atoms.quotient(node.args[0])
    if inner.above == NONE:
        return Quotient(NONE)
    sign = -1 if str(inner.above.expr).startswith("-") else 1
    text = f"erf(({(inner.above * sign).reduced().expr})/({inner.below.expr}))"
    kept = node if sign > 0 else Expr("erf", (negative(node.args[0]),))
    return Quotient((atoms.label(text, kept) * sign).reduced())


def gamma(atoms: Atoms, node: Expr) -> Quotient:
    """Gamma(a + n) as a (a + 1) ... (a + n - 1) Gamma(a), where the number in a lies in [0, 1)."""
    inner = atoms.quotient(node.args[0])
    if inner.below != ONE:
        return Quotient(atoms.label(f"gamma(({inner.above.expr})/({inner.below.expr}))", node))
    end = _constant(inner.above)
    shift = floor(end) if inner.above.names else ceil(end) - 1
    if abs(shift) > MOST_SHIFTED:
        raise NoFormError
    least = (inner.above - shift).reduced()
    found = Quotient(atoms.label(f"gamma({least.expr})", Expr("gamma", (minus(node.args[0], number(shift)),))))
    for k in range(min(shift, 0), max(shift, 0)):
        factor = Quotient((least + k).reduced())
        found = found * (factor if shift > 0 else factor.inverse)
    return found


def _constant(value: Ratio) -> Fraction:
    """The term of a polynomial without names."""
    found = value.reduced()
    constant = found.num.get((0,) * len(found.num.ring.symbols), 0)
    return Fraction(int(constant.numerator), int(constant.denominator))


READERS = {"erf": error_function, "gamma": gamma}
