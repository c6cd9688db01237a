"""Relations between closed forms: by the prover, term by term as power series, by logarithms."""

from __future__ import annotations

from dataclasses import replace
from itertools import count, pairwise
from typing import TYPE_CHECKING

import sympy as sp

from theorems.algebra.expressions import symbol
from theorems.algebra.spherical import Spherical, bounds
from theorems.statement.expression import Expr, StatementError
from theorems.statement.moments.normal import equal_logarithms, nonnegative
from theorems.statement.moments.repairing import language_text
from theorems.statement.moments.signs import nonzero, positive_names
from theorems.statement.proposition import Proposition
from theorems.statement.reading.hypotheses import words_of
from theorems.statement.reading.language import parsed
from theorems.statement.reading.places import Order
from theorems.statement.work import Work

if TYPE_CHECKING:
    from theorems.statement.proofs.steps import Step


def proved_between(prop: Proposition, order: Order, left: sp.Expr, right: sp.Expr) -> tuple[Step, ...]:
    """The steps of a proof of the inequality between two values, as of a statement without tokens; or none.

    What divides may be anything but 0: a quotient of moments is spoken of where it exists.
    """
    from theorems.statement.proofs.prover import STEPS, Prover

    words = words_of(prop.known)
    relations = list(prop.known.relations)
    relations += [("<", parsed(str(one[0])), parsed(str(two[0]))) for one, two in pairwise(order.nodes)]
    spherical = sorted((left + right).atoms(Spherical) | (left - right).atoms(Spherical), key=str)
    # names that the statement does not have
    free = (f"spherical{k}" for k in count() if f"spherical{k}" not in {*prop.parameters, *prop.positions})
    named = {one: symbol(label) for one, label in zip(spherical, free, strict=False)}
    try:
        low, high = (parsed(language_text(value.xreplace(named)), words) for value in (left, right))
        for one, label in named.items():
            least, most = (parsed(language_text(end), words) for end in bounds(one))
            own = Expr("name", (label.name,))
            relations += [("<=", least, own), ("<=", own, most)]
    except StatementError:
        return ()
    if prop.relation in (">=", ">"):
        low, high = high, low
    prover = Prover(prop, Work(STEPS))
    prover.known = replace(prover.known, relations=tuple(relations))
    steps = prover.related(high, low, prop.relation in ("<", ">"))
    return () if steps is None else tuple(dict.fromkeys(steps))


def by_terms_of(prop: Proposition, order: Order, left: sp.Expr, right: sp.Expr) -> tuple[Step, ...]:
    """The step of a proof by the coefficients of power series; or none."""
    if prop.relation not in ("<=", ">="):
        return ()
    gap = right - left if prop.relation == "<=" else left - right

    def shown(value: sp.Expr) -> bool:
        return nonnegative(value, positive_names(prop, order, value))

    if not gap.has(Spherical):
        from theorems.statement.proofs.pairs import by_series

        step = by_series(gap, prop.law, shown)
        return () if step is None else (step,)
    from theorems.statement.proofs.termwise import by_terms

    step = by_terms(gap, shown)
    return () if step is None else (step,)


def equal_by_logarithms(prop: Proposition, order: Order, left: sp.Expr, right: sp.Expr) -> bool:
    """Whether two values are equal as sums of logarithms whose arguments are shown to be > 0."""
    arguments = [one.args[0] for one in (left + right).atoms(sp.log) | (left - right).atoms(sp.log)]
    return (
        bool(arguments)
        and all(nonnegative(one, positive_names(prop, order, one)) and nonzero(prop, order, one) for one in arguments)
        and equal_logarithms(left, right)
    )
