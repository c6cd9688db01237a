"""Square roots and absolute values in normal form: of a product the product of its factors'."""

from __future__ import annotations

from fractions import Fraction
from functools import reduce
from typing import TYPE_CHECKING

from theorems.algebra.ratio import Ratio
from theorems.statement.expression import Expr, number
from theorems.statement.moments.traces import product_of
from theorems.statement.proofs.quotients import ONE, Quotient, monomials, number_of

if TYPE_CHECKING:
    from theorems.statement.proofs.atoms import Atoms


def sqrt(atoms: Atoms, node: Expr) -> Quotient:
    """A square root: of a product of what is shown to be >= 0 the product of the roots, sqrt(u.T*u) = norm(u)."""
    inner = atoms.quotient(node.args[0])
    below = number_of(inner.below)
    if below is not None:
        inner = Quotient((inner.above * Ratio.of(1 / below)).reduced())
    if inner.below == ONE:
        found = monomials(inner.above)
        key, coefficient = next(iter(found.items())) if len(found) == 1 else ((), Fraction(0))
        if key and coefficient > 0 and all(_nonnegative(atoms, label) for label, power in key if power % 2):
            root = _constant_root(atoms, coefficient)
            for label, power in key:
                whole = Quotient(_size(atoms, label) ** (power // 2))
                root = root * whole * (_root_of(atoms, label) if power % 2 else Quotient(ONE))
            return root
    return atoms.root(f"sqrt({inner.above.expr})" if inner.below == ONE else str(node), node, inner)


def _constant_root(atoms: Atoms, value: Fraction) -> Quotient:
    return atoms.root(f"sqrt({value})", Expr("sqrt", (number(value),)), Quotient(Ratio.of(value)))


def _root_of(atoms: Atoms, label: str) -> Quotient:
    """The root of an atom >= 0; the length of a vector, or of a matrix, where it is the square of one."""
    node = atoms.node(label)
    if node.op == "*" and len(node.args) == 2 and node.args[0] == Expr("T", (node.args[1],)):
        return atoms.norm(Expr("norm", (node.args[1], "")))
    if node.op == "tr" and (half := _half(atoms, node)) is not None:
        return atoms.norm(Expr("norm", (half, "fro")))
    return atoms.root(f"sqrt({label})", Expr("sqrt", (node,)), Quotient(Ratio.of(label)))


def _half(atoms: Atoms, trace: Expr) -> Expr | None:
    """A with tr(A.T*A) = trace."""
    (letters,) = atoms.word(trace.args[0])
    for k in range(len(letters)):
        turned = letters[k:] + letters[:k]
        half = turned[len(turned) // 2 :]
        if atoms.traces.reduced(atoms.traces.transposed(half)) + half == turned:
            return product_of(half)
    return None


def _nonnegative(atoms: Atoms, label: str) -> bool:
    """Whether an atom is never negative, by what it is or by the range of a name."""
    node = atoms.node(label)
    if node.op == "name":
        known = atoms.known.ranges.get(label)
        low = None if known is None else known.low
        return label == "d" or label in atoms.whole or (low is not None and low >= 0)
    if node.op == "*":
        return len(node.args) == 2 and node.args[0] == Expr("T", (node.args[1],))
    if node.op == "tr":
        return _half(atoms, node) is not None
    return node.op in ("norm", "entrynorm", "sqrt", "abs", "exp", "pi")


def _size(atoms: Atoms, label: str) -> Ratio:
    """The absolute value of an atom."""
    if _nonnegative(atoms, label):
        return Ratio.of(label)
    own = Ratio.of(label)
    return atoms.root(f"abs({label})", Expr("abs", (atoms.node(label),)), Quotient(own * own)).above


def absolute(atoms: Atoms, node: Expr) -> Quotient:
    """|t| with |t|^2 = t^2; of a product the product of its factors' absolute values."""
    inner = atoms.quotient(node.args[0])
    alone = number_of(inner.above) if inner.below == ONE else None
    if alone is not None:
        return Quotient(Ratio.of(abs(alone)))
    if inner.below != ONE:
        return Quotient(atoms.label(str(node), node))
    if len(found := monomials(inner.above)) == 1:
        ((key, coefficient),) = found.items()
        sizes = (_size(atoms, label) ** power for label, power in key)
        return Quotient(reduce(Ratio.__mul__, sizes, Ratio.of(abs(coefficient))))
    sign = -1 if str(inner.above.expr).startswith("-") else 1
    text = (inner.above * sign).reduced()
    return atoms.root(f"abs({text.expr})", node, inner * inner)
