"""Mutants of what a claim says in the language: settled by the derivation, or by the search and the samples.

A changed inequality that follows from the print is true where that is proved, and counts as equivalent.
"""

from __future__ import annotations

import functools
from collections import Counter
from dataclasses import replace
from math import prod
from typing import Any

from proofs_check.statements.judging import both_sides
from proofs_check.statements.measuring import TooDearError
from proofs_check.statements.moments import Checker
from tests.mutation.probes import claims
from theorems.claims.catalogue import Statement
from theorems.kernel.catalogued import said
from theorems.statement.deciding.decide import Derivation, decide
from theorems.statement.expression import MOMENTS, Expr, StatementError, fresh, name, negative, number
from theorems.statement.moments.having import visibly_nonnegative
from theorems.statement.proofs import proved
from theorems.statement.proofs.heads import factors_of
from theorems.statement.proofs.prover import STEPS, Prover
from theorems.statement.proposition import Proposition
from theorems.statement.work import Work

#: Steps of a proof that a changed bound is the weaker one.
LONGER = 10 * STEPS


def by_its_words(stated: Proposition, prop: Proposition, claim: str) -> tuple[str, str]:
    """What the derivation, or a search, says of a changed statement."""
    key = f"{claim}:mutant"
    try:
        found = _Deriving(prop, key, "quick").run() if prop.random and not prop.limit.variable else None
        if found is None or found.status == "undecided":
            found = both_sides(prop, key, "quick", 0, "cpu", 1)
    except (StatementError, KeyError) as error:
        # it divides by 0, say, or speaks of a token that the statement does not have
        return "caught", f"refused: {error}"
    if found.status == "undecided":
        if found.simulation == "contradicts":
            return "caught", "contradicted"
        if prop.way and _holds(claim, stated) and _implied(stated, prop):
            return "equivalent", "implied by the print, which is proved"
    if found.status in ("proved", "disproved"):
        return ("caught", "disproved") if found.status == "disproved" else ("equivalent", "proved: true as changed")
    return "survived", f"{found.status}: {found.reason}"


def _claim(claim: str) -> Statement:
    return next(one for one in claims() if one.id == claim)


@functools.cache
def _proved(claim: str, label: str) -> bool:
    prop = said(_claim(claim), label)
    return decide(prop, Derivation(prop)).status == "proved" if prop.random else proved(prop) is not None


def _holds(claim: str, stated: Proposition) -> bool:
    """Whether a print of a claim is proved: of a false one a weaker version may be as false."""
    statement = _claim(claim)
    return any(said(statement, label) == stated and _proved(claim, label) for label in statement.printed)


def _implied(stated: Proposition, prop: Proposition) -> bool:
    """Whether an inequality follows from another with its left side, whatever the moments in their right sides are.

    The right sides are compared by the prover, and with 0 by the signs of their factors; of moments no more is known
    than which are visibly >= 0.
    """
    moments = dict.fromkeys(n for side in (stated.right, prop.right) for n in side.walk() if n.op in MOMENTS)
    taken = {*stated.right.names(), *prop.right.names(), *prop.parameters, *prop.positions}
    own = {moment: name(label) for moment, label in zip(moments, fresh("moment", taken), strict=False)}
    prover = Prover(prop, Work(STEPS))
    signs = [
        ("<" if moment.op == "E" and moment.args[0].op == "exp" else "<=", number(0), label)
        for moment, label in own.items()
        if visibly_nonnegative(moment)
    ]
    prover.known = replace(prover.known, relations=(*prover.known.relations, *signs))
    sides = [stated.right, prop.right]
    for moment, label in own.items():
        sides = [side.swapped(moment, label) for side in sides]
    # of powers with whole exponents no more than bases and exponents is read
    prover.bounds = tuple(node for side in sides for node in side.walk() if node.op == "**")
    prover.work = Work(LONGER)
    if prover.defined(sides[1]) is None:
        return False
    low, high = sides if prop.way > 0 else sides[::-1]
    prover.work = Work(LONGER)
    if prover.related(high, low, False) is not None or (_sign_of(low, prover) < 0 < _sign_of(high, prover)):
        return True
    return _by_factors(sides, prop, prover)


def _by_factors(sides: list[Expr], prop: Proposition, prover: Prover) -> bool:
    """Whether X' is weaker than X, where only one term differs, and in it factors P' and P: X = R + P S, X' = R + P' S.

    That is told by the signs of S and of P' - P. Without R and the sign of S it follows from the print where its left
    side L is never negative: L <= P S is L <= P' S where P' >= P > 0, as S >= 0 then; and L >= P S, with L >= 0, is
    L >= P' S where P >= P' >= 0.
    """
    split = [Counter(side.args if side.op == "+" else (side,)) for side in sides]
    return any(_one_apart(terms, prop, prover) for terms in (split, [Counter((side,)) for side in sides]))


def _one_apart(terms: list[Counter[Expr]], prop: Proposition, prover: Prover) -> bool:
    one, two = ((terms[k] - terms[1 - k]).elements() for k in (0, 1))
    apart = list(zip(one, two, strict=False))
    if len(apart) != 1 or any(sum((terms[k] - terms[1 - k]).values()) != 1 for k in (0, 1)):
        return False
    factors = [Counter(factors_of(term)) for term in apart[0]]
    old, new = (_product(factors[k] - factors[1 - k]) for k in (0, 1))
    sign = _sign_of(_product(factors[0] & factors[1]), prover)
    if sign:
        return _at_least(prover, *((new, old) if sign * prop.way > 0 else (old, new)))
    nonnegative = prop.left.op == "P" or visibly_nonnegative(prop.left) or _at_least(prover, prop.left, number(0))
    if terms[0] & terms[1] or not nonnegative or prop.relation not in ("<=", ">="):
        return False
    if prop.way > 0:
        return _at_least(prover, new, old) and _at_least(prover, old, number(0), True)
    return _at_least(prover, old, new) and _at_least(prover, new, number(0))


def _product(factors: Counter[Expr]) -> Expr:
    parts = tuple(factors.elements())
    return parts[0] if len(parts) == 1 else Expr("*", (number(1), *parts))


def _at_least(prover: Prover, high: Expr, low: Expr, strict: bool = False) -> bool:
    prover.work = Work(STEPS)
    return prover.at_least(high, low, strict) is not None


def _sign_of(node: Expr, prover: Prover) -> int:
    """1 for what is seen to be >= 0, by its factors, -1 for what is <= 0, and 0 where neither is seen."""
    if node.op == "*":
        return prod(_sign_of(arg, prover) for arg in node.args)
    if node.op == "/":
        return _sign_of(node.args[0], prover) * _at_least(prover, node.args[1], number(0), True)
    if visibly_nonnegative(node) or _at_least(prover, node, number(0)):
        return 1
    turned = Expr("+", tuple(_turned(arg) for arg in node.args)) if node.op == "+" else negative(node)
    return -1 if _at_least(prover, number(0), node) or _at_least(prover, turned, number(0)) else 0


def _turned(node: Expr) -> Expr:
    return number(-node.args[0]) if node.op == "number" else negative(node)


class _Deriving(Checker):
    """A checker that samples nothing."""

    def _measure(self, *args: Any) -> Any:
        raise TooDearError("not sampled")

    def _sample(self, pool: Any) -> None:
        return None
