"""Probabilities of events of independent tokens, held to a derivation by the share of signs at which an event holds.

Under the law ``iid`` every token may be turned to its negative without changing the law. The probability of an event is
the mean, over tokens, of the share of the 2^T changes of signs at which it holds; where that share is the same for all
tokens in general position, it is the probability. Shares are counted exactly, at rational vectors of rational lengths.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import product
from typing import Any

import sympy as sp

from proofs_check.binding.tied import Binding
from theorems.gaussian.numeric import Case as Exact
from theorems.statement.expression import TRUTHS, Expr, StatementError
from theorems.statement.proposition import Proposition
from theorems.statement.values.cases import Case
from theorems.statement.values.truths import truth
from theorems.statement.values.values import scalar

#: Dimensions and numbers of tokens that are looked at, and sets of tokens of each.
DIMENSIONS, LENGTHS, SETS = (1, 2, 3), (1, 2, 3, 4, 5), 2


def by_signs(prop: Proposition) -> bool:
    """Whether a quantity is the probability of an event that no moment says, of tokens whose signs are free."""
    left = prop.left
    event = left.args[0] if left.op == "P" else left
    return left.op == "P" and event.op in TRUTHS and event.op != "relation" and prop.law.kind == "iid"


def signs_bound(
    prop: Proposition, parameters: Mapping[str, Proposition], value: sp.Expr, print_: sp.Expr | None, name: str
) -> Binding:
    """A derived probability against the share of the signs at which the statement's event holds.

    ``parameters`` say what the names of the derived value and of the print are in the statement's.
    """
    counted, shares = 0, set[Fraction]()
    for sizes in _sizes(prop):
        case = Case(sizes)
        exact = Exact({label: str(scalar(other.left, case)) for label, other in parameters.items()})
        derived, where = exact.evaluate(value), ", ".join(f"{label} = {number}" for label, number in sizes.items())
        for tokens in _token_sets(prop, int(sizes["d"]), int(sizes["T"])):
            share = _share(prop.left.args[0], sizes, tokens)
            if share is None:
                return Binding(missing=[f"{name} was not compared with the statement: no event is decided at {where}"])
            if _sympy(share) != derived:
                told = f"at {where} {prop.left} is {share}, by the signs of the tokens, the derivation gives {derived}"
                return Binding(derived=[f"the derivation is of another quantity: {told}"])
            counted += 1
            shares.add(share)
        if print_ is not None and _sympy(scalar(prop.right, case)) != exact.evaluate(print_):
            return Binding(derived=[f"the print is judged as another formula than is said: {prop.right}, at {where}"])
    if len(shares) < 2:
        return Binding(missing=[f"{name} was seen to be {', '.join(map(str, shares)) or 'nothing'} alone"])
    told = f"the derived {name} is the share of the signs of independent tokens at which {prop.left} holds"
    return Binding(evidence=[f"{told}: counted exactly for {counted} sets of tokens, {len(shares)} different shares"])


def _sympy(number: Any) -> sp.Expr:
    return sp.Rational(number.numerator, number.denominator) if isinstance(number, Fraction) else sp.nan


def _sizes(prop: Proposition) -> Iterator[dict[str, Fraction]]:
    """The smallest dimensions and numbers of tokens that the hypotheses allow."""
    known = prop.known
    for d, T in product(DIMENSIONS, LENGTHS):
        if known.dimension.holds(Fraction(d)) and known.places.hold(dict.fromkeys(prop.positions, T)):
            yield {"d": Fraction(d), "T": Fraction(T)}


def _token_sets(prop: Proposition, d: int, T: int) -> Iterator[list[tuple[Fraction, ...]]]:
    """Sets of T rational vectors of any rational length, by stereographic projection of random rational points.

    Where Sigma may be singular they lie in spaces of every dimension.
    """
    chosen, known = random.Random(f"{d} {T}"), prop.known
    regular = known.identity or known.shape("Sigma") == "positive definite"
    for rank in range(d if regular else 1, d + 1):
        for _ in range(SETS):
            points = [[Fraction(chosen.randint(-99, 99), 41) for _ in range(rank - 1)] for _ in range(T)]
            lengths = [Fraction(chosen.randint(1, 99), 41) for _ in points]
            sides = (Fraction(0),) * (d - rank)
            yield [(*_directed(point, length), *sides) for point, length in zip(points, lengths, strict=True)]


def _directed(point: list[Fraction], length: Fraction) -> tuple[Fraction, ...]:
    square = sum((entry**2 for entry in point), Fraction(0))
    return tuple(length * entry / (square + 1) for entry in (*(2 * entry for entry in point), square - 1))


def _share(event: Expr, sizes: Mapping[str, Fraction], tokens: list[tuple[Fraction, ...]]) -> Fraction | None:
    """The share of the changes of signs at which an event holds; None where it is not decided at one of them."""
    node, held = _at_tokens(event), 0
    for signs in product((1, -1), repeat=len(tokens)):
        turned = tuple(tuple(sign * entry for entry in token) for sign, token in zip(signs, tokens, strict=True))
        found = truth(node, Case(sizes, families={"x": turned}))
        if found is None:
            return None
        held += found
    return Fraction(held, 2 ** len(tokens))


def _at_tokens(node: Expr) -> Expr:
    """The expression with x[i] read as a vector of a family x[1..T]."""
    if node.op == "mean":
        raise StatementError("mean(x) stands in an event; write it as a sum over tokens", at=node.at)
    if node.op == "token":
        return Expr("member", ("x", "1", node.args[0]), node.at)
    return node.mapped(_at_tokens)
