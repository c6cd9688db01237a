"""Sums over the keys of a softmax, compared term by term."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import sympy as sp

from theorems.algebra.expressions import symbol

#: The keys of a context beside the sink, and those of them whose value is not 0.
n, m = symbol("keys"), symbol("m")
INDEX = sp.Dummy("index")
Atoms = dict[Any, sp.Dummy]


def flat(node: sp.Expr, atoms: Atoms) -> sp.Expr:
    """The expression with every sum, exponential, function and indexed name replaced by unknowns.

    A sum is split into its terms, what does not depend on its index is drawn out, and a first term at 0 stands alone,
    so that equal sums of a symbolic number of terms become equal polynomials in unknowns. Raises ValueError for a sum
    over anything but 0, ..., N or 1, ..., N, or over an index that a sum inside it uses, and for what else binds one.
    """
    if isinstance(node, sp.Sum):
        body, (index, low, high) = node.args
        if low not in (0, 1) or high.has(index):
            raise ValueError(f"{node} runs from {low} to {high}; expected 0 or 1 to a number of keys")
        here = sp.Dummy()
        inside = body.xreplace({index: here})
        first = flat(inside.xreplace({here: sp.Integer(0)}), atoms) if low == 0 else sp.Integer(0)
        return first + _summed(inside, here, high, atoms)
    if isinstance(node, sp.exp):
        (argument,) = node.args
        return _exponential(argument, atoms)
    if isinstance(node, sp.Indexed) or node.is_Function:
        return atoms.setdefault(node, sp.Dummy())
    if not node.args:
        return node
    if not (node.is_Add or node.is_Mul or node.is_Pow):
        raise ValueError(f"{node}; expected sums, products and powers")
    return node.func(*(flat(part, atoms) for part in node.args))


def _exponential(argument: sp.Expr, atoms: Atoms) -> sp.Expr:
    """exp of a sum as a product of powers: x^c for a term c log(x), exp(a)^c for another term c a."""
    value = sp.Integer(1)
    for term in sp.Add.make_args(sp.expand(argument)):
        coefficient, rest = term.as_coeff_Mul()
        if isinstance(rest, sp.log):
            (power,) = rest.args
            value *= flat(power, atoms) ** coefficient
        elif rest == 1:
            value *= sp.exp(coefficient)
        else:
            value *= atoms.setdefault(sp.exp(rest), sp.Dummy()) ** coefficient
    return value


def _summed(body: sp.Expr, index: sp.Dummy, high: sp.Expr, atoms: Atoms) -> sp.Expr:
    """sum_{index = 1}^{high} of a body: coefficients free of the index, times one unknown for every shape of term."""
    inside: Atoms = {}
    spread = sp.expand(flat(body, inside))
    varying, fixed = {}, {}
    for what, unknown in inside.items():
        if not sp.Tuple(what).has(index):
            fixed[unknown] = atoms.setdefault(what, sp.Dummy())
        elif isinstance(what, tuple):
            raise ValueError(f"a sum of {what[0]} uses the index of the sum around it; expected one that does not")
        else:
            varying[unknown] = what.xreplace({index: INDEX})
    value = sp.Integer(0)
    for term in sp.Add.make_args(spread):
        constant, rest = term.as_independent(*varying, index, as_Add=False)
        if rest == 1:
            value += constant.xreplace(fixed) * high
        else:
            shape = rest.xreplace(varying).xreplace({index: INDEX}).xreplace(fixed)
            value += constant.xreplace(fixed) * atoms.setdefault((shape, high), sp.Dummy())
    return value


@lru_cache(maxsize=4096)
def equal_sums(left: sp.Expr, right: sp.Expr) -> bool:
    """Whether two expressions in finite sums are shown equal, for every number of terms; vectors by coordinates.

    Nothing that is 0 may stand below a line.
    """
    atoms: Atoms = {}
    sides = [flat(side, atoms) for side in (left, right)]
    bases = (node.base for side in sides for node in side.atoms(sp.Pow))
    return _is_zero(sides[0] - sides[1]) and not any(_is_zero(base) for base in bases)


def _is_zero(node: sp.Expr) -> bool:
    return bool(sp.expand(sp.fraction(sp.together(node))[0]) == 0)


def counted(node: sp.Sum) -> bool:
    """Whether a sum is over keys: to a negative end sympy's sum would be minus another one."""
    (_, low, high), *others = node.args[1:]
    return not others and low in (0, 1) and high in (n, m)
