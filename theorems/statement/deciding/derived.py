"""A derived value held against a statement's quantity: equal in every order of the positions, or where it is not.

The two engines share no code: the derivation's words (tr1, tr_W_Wt, aSb) are read as the traces and chains they stand
for, under the statement's hypotheses, and both values are compared by normal form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sympy as sp

from theorems.algebra.ratio import Ratio
from theorems.gaussian.process import Kernel
from theorems.statement.deciding.decide import derivation_of
from theorems.statement.expression import StatementError, name
from theorems.statement.moments.normal import equal
from theorems.statement.moments.scalars import Exact, sympy_of
from theorems.statement.moments.signs import positive_names
from theorems.statement.proposition import Proposition
from theorems.statement.reading.laws import Law
from theorems.statement.reading.places import Order
from theorems.statement.reading.words import word_expression

#: Kernels of the derivations' engine by the kind of law.
_KERNELS = {"walk": "sigma", "walk-zero": "zero", "walk-mean": "mean", "iid": "iid"}
#: A derived value for positions in this order.
ByChain = Callable[[tuple[str, ...]], sp.Expr]


@dataclass(frozen=True)
class Difference:
    """Where a derived value is not the statement's quantity: the order, both values there, and at the smallest case."""

    order: str
    derived: sp.Expr
    stated: sp.Expr
    case: Mapping[str, Any] | None = None
    at: tuple[sp.Expr, sp.Expr] | None = None

    def __str__(self) -> str:
        if self.case is None or self.at is None:
            return f"for {self.order} the derivation gives {self.derived}, the statement's quantity is {self.stated}"
        shown = ", ".join(f"{key} = {value}" for key, value in self.case.items()).replace("'", "")
        return f"at {shown} the derivation gives {self.at[0]}, the statement's quantity is {self.at[1]}"


def kernel_of(law: Law) -> str | Kernel | None:
    """The law as the derivations' engine has it; None for a covariance that is no polynomial, or no Gaussian law."""
    if not law.gaussian:
        return None
    if law.kind in _KERNELS:
        return _KERNELS[law.kind]
    try:
        below, diagonal = (Ratio.from_expr(sympy_of(node)) for node in (law.below, law.diagonal))
    except (StatementError, ValueError, sp.PolynomialError):
        return None
    return Kernel(law.text, below, diagonal)


def chain_in(order: Order, names: Sequence[str]) -> tuple[str, ...]:
    """These positions in one order of the statement's places; those that no token has stay where they are named."""
    ranks: dict[str, float] = {}
    for rank, node in enumerate(order.nodes):
        for place in node:
            if place.name and (place.offset == 0 or place.name not in ranks):
                ranks[place.name] = rank - place.offset / 1000
    last = float(len(order.nodes))
    return tuple(sorted(names, key=lambda n: (n == "T", ranks.get(n, last), list(names).index(n))))


def in_words_of(value: sp.Expr, exact: Exact) -> sp.Expr:
    """A derived value with its words read as the traces and chains of the statement, in one order."""
    vectors = frozenset({*exact.known.vectors, "m"})
    table = {}
    for free in value.free_symbols:
        word = word_expression(free.name, vectors)
        table[free] = exact.value(word if word is not None else name(free.name))
    return sp.sympify(value.xreplace(table))


def difference(
    prop: Proposition, value: ByChain, names: Sequence[str], cases: Iterable[Mapping[str, Any]] = ()
) -> Difference | None:
    """The first order in which a derived value is not the left side of a proposition; None where it always is.

    A kernel that has another value where positions coincide is derived for distinct ones, and compared there.
    Raises StatementError where the left side has no exact value, and whatever the derivation raises.
    """
    derivation = derivation_of(prop)
    found: dict[Order, sp.Expr] = {}
    wrong: tuple[Order, sp.Expr, sp.Expr] | None = None
    for order in derivation.orders:
        if not prop.law.continuous and _coincide(order, names):
            continue
        exact = derivation.exact(order)
        found[order] = in_words_of(value(chain_in(order, names)), exact)
        stated = derivation.value(order, prop.left)
        positive = positive_names(prop, order, stated - found[order])
        if wrong is None and not equal(found[order], stated, positive):
            wrong = order, found[order], stated
    if wrong is None:
        return None
    for case in cases:
        try:
            order = derivation.order_at(case)
            if order in found:
                pair = derivation.put(found[order], order, case), derivation.at(prop.left, case)
                if pair[0] != pair[1]:
                    return Difference(str(order), *wrong[1:], case, pair)
        except (KeyError, StatementError, ZeroDivisionError):
            continue
    return Difference(str(wrong[0]), *wrong[1:])


def _coincide(order: Order, names: Sequence[str]) -> bool:
    """Whether an order has two of these positions, or one of them and a fixed place, at one token."""
    return any(len(node) > 1 and any(place.name in names for place in node) for node in order.nodes)
