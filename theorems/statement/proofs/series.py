"""Sums to infinity in proofs: that they converge wherever the hypotheses hold, and their closed forms."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

import sympy as sp

from theorems.statement.expression import Expr, StatementError, minus, name, number
from theorems.statement.moments.series import terms_of
from theorems.statement.proofs.induction import ratio as ratio_of
from theorems.statement.proofs.steps import Step, Steps, together
from theorems.statement.reading.hypotheses import words_of
from theorems.statement.reading.language import Vocabulary, parsed
from theorems.statement.reading.shapes import shape

if TYPE_CHECKING:
    from theorems.statement.proofs.prover import Prover

TAIL = "a sum of terms >= 0 is at least the sum of the later ones"
RULE, TRUSTED = "a sum to infinity converges by the ratio of its terms", "d'Alembert's ratio test"


def converges(prover: Prover, node: Expr) -> Steps | None:
    """Steps showing that every term of a sum to infinity has a value, and that it converges."""
    _, index, first = node.args
    words = words_of(prover.known)
    inside, body = prover.within(node)
    own = prover.own_index(index)
    found = inside.defined(_without_powers(inside, body, own))
    if found is None or not _whole(first, {*prover.whole, "d"}):
        return None
    try:
        terms = terms_of(node)
        x, _, downs = terms.shifts
        goals = [(inside, need, number(0), False) for need in (one.put({index: name(own)}) for one in terms.needs)]
        goals += [(prover, _read(one, words), number(0), True) for one in downs]
        if not terms.everywhere:
            goals += [(prover, number(1), _read(x, words), True), (prover, _read(x, words), number(-1), True)]
    except StatementError:
        return None
    for one, high, low, strict in goals:
        steps = one.at_least(high, low, strict)
        if steps is None:
            return None
        found = [*found, *steps]
    where = "" if terms.everywhere else f", as abs({x}) < 1"
    ratio = f"({terms.above.as_expr()})/({terms.below.as_expr()})".replace("n#", "n")
    told = f"the terms of {node} have the ratio {ratio}, n = 0, 1, ..."
    return [*found, Step(RULE, f"{told}: it converges{where}", TRUSTED)]


def closed(node: Expr, words: Vocabulary) -> Expr | None:
    """The expression with sums to infinity in closed form; None where one has none that the language can say."""
    if node.op == "series":
        try:
            found = terms_of(node).closed
            return None if found is None else _read(found, words)
        except StatementError:
            return None
    if not node.has("series"):
        return node
    parts = [closed(arg, words) if isinstance(arg, Expr) else arg for arg in node.args]
    return None if None in parts else Expr(node.op, tuple(parts), node.at)


def in_closed_form(prover: Prover, left: Expr, right: Expr) -> Steps | None:
    """left = right with their sums to infinity in closed form."""
    words, found = words_of(prover.known), list[Step]()
    sides: list[Expr] = []
    for side in (left, right):
        one = closed(side, words)
        if one is None or (steps := prover.defined(one)) is None:
            return None
        sides.append(one)
        found += [*_told(side, one), *steps]
    same = prover.equal(*sides)
    return None if same is None else found + same


def bounded(prover: Prover, high: Expr, low: Expr, strict: bool) -> Steps | None:
    """high >= low with sums to infinity: in closed form, or a tail of terms >= 0 by its exponential moment.

    With r >= 1 and p <= n is sum_(k >= n) t_k <= r^(-p) sum_(k >= 0) t_k r^k, as r^(k - p) >= 1 (Chernoff's bound).
    """
    words = words_of(prover.known)
    sides = [closed(side, words) for side in (high, low)]
    if sides[0] is not None and sides[1] is not None:
        return _compared(prover, [(high, sides[0]), (low, sides[1])], strict)
    if high.has("series") and not strict:
        from theorems.statement.proofs.heads import by_first_terms, tail_of

        tail = tail_of(high) if low == number(0) else None
        return by_first_terms(prover, high, low) if tail is None else bounded(prover, number(1), tail, strict)
    if strict or low.op != "series":
        return None
    body, index, first = low.args
    inside, own = prover.within(low)
    terms, start = positive(inside, own), prover.at_least(first, number(0), False)
    if terms is None or start is None:
        return None
    whole = Expr("series", (body, index, number(0)))
    value, (early, below) = closed(whole, words), prover.within(whole)
    if value is not None and prover.defined(whole) is not None and positive(early, below) is not None:
        compared = prover.at_least(high, value, False)
        if compared is not None:
            return [*terms, *start, Step(TAIL, f"{low} <= {value}"), *compared]
    # a bound in other names than the print's is not compared with it
    for less, more in (pair for pair in _ordered(prover) if pair[0].names() | pair[1].names() <= high.names()):
        base = Expr("/", (more, less))
        whole = Expr("series", (Expr("*", (body, Expr("**", (base, name(index))))), index, number(0)))
        value = closed(whole, words) if prover.at_least(less, number(0), True) is not None else None
        early, below = prover.within(whole)
        if value is None or prover.defined(whole) is None or positive(early, below) is None:
            continue
        for place in (more, less, first):
            if prover.at_least(first, place, False) is None:
                continue
            bound = Expr("*", (Expr("exp", (Expr("*", (number(-1), place, Expr("log", (base,)))),)), value))
            steps = None if prover.defined(bound) is None else prover.at_least(high, bound, False)
            if steps is not None:
                told = f"{low} <= ({base})**(-({place}))*{whole}, as {base} >= 1 and {place} <= {first}"
                return [*terms, *start, Step("Chernoff's bound", told, "Chernoff"), *_told(whole, value), *steps]
    rest = _geometric(prover, high, low)
    return None if rest is None else [*terms, *start, *rest]


def _geometric(prover: Prover, high: Expr, low: Expr) -> Steps | None:
    """high >= sum_(k >= n) t_k, t_k >= 0, by t_n/(1 - r), where t_(k + 1)/t_k <= r = t_(n + 1)/t_n < 1 for k >= n."""
    body, index, first = low.args
    ratio = ratio_of(body, index, Fraction(0))
    if ratio is None:
        return None
    largest = ratio.put({index: first})
    own = ratio.put({index: name(prover.own_index(index))})
    inside, _ = prover.within(low)
    bound = Expr("/", (body.put({index: first}), minus(number(1), largest)))
    steps = together(
        goal()
        for goal in (
            partial(inside.defined, own),
            partial(inside.at_least, largest, own, False),
            partial(prover.at_least, number(1), largest, True),
            partial(prover.defined, bound),
            partial(prover.at_least, high, bound, False),
        )
    )
    told = f"{low} <= {bound}, as every term is at most {largest} times the one before"
    return None if steps is None else [Step("a sum to infinity is at most a geometric one", told), *steps]


def _compared(prover: Prover, sides: list[tuple[Expr, Expr]], strict: bool) -> Steps | None:
    if any(prover.defined(one) is None for _, one in sides):
        return None
    steps = prover.at_least(sides[0][1], sides[1][1], strict)
    return None if steps is None else [step for pair in sides for step in _told(*pair)] + steps


def _told(side: Expr, one: Expr) -> Steps:
    return [Step("a sum to infinity in closed form", f"{side} = {one}", "Taylor series")] * side.has("series")


def _ordered(prover: Prover) -> list[tuple[Expr, Expr]]:
    """Names of which hypotheses say that the first is at most the second."""
    pairs = []
    for relation, left, right in prover.known.relations:
        if left.op == right.op == "name" and relation in ("<", "<=", ">", ">="):
            pairs.append((left, right) if relation[0] == "<" else (right, left))
    return pairs


def positive(prover: Prover, node: Expr) -> Steps | None:
    """Steps showing that an expression is >= 0, by its factors."""
    if node.op == "exp":
        return []
    if node.op == "**" and node.args[1].op != "number":
        # a number >= 0 to any power that has a value
        return positive(prover, node.args[0])
    if node.op in ("*", "/") and all(shape(arg) == "number" for arg in node):
        return together(positive(prover, arg) for arg in node.args)
    return prover.at_least(node, number(0), False)


def _read(value: sp.Expr, words: Vocabulary) -> Expr:
    from theorems.statement.moments.repairing import language_text

    return parsed(language_text(value), words)


def _without_powers(inside: Prover, node: Expr, index: str) -> Expr:
    """The body with base for base**e where e is a whole number >= 0 at every index, so that any base will do."""
    if node.op == "**" and index in node.args[1].names() and index not in node.args[0].names():
        base, exponent = node.args
        whole = _whole(exponent, {index, "d", *inside.whole})
        return base if whole and inside.at_least(exponent, number(0), False) is not None else node
    return node.mapped(lambda arg: _without_powers(inside, arg, index))


def _whole(node: Expr, names: set[str]) -> bool:
    """Whether an expression is made of whole numbers by sums and products."""
    if node.op == "number":
        return bool(node.args[0].denominator == 1)
    return (
        node.args[0] in names
        if node.op == "name"
        else node.op in ("+", "*") and all(_whole(one, names) for one in node)
    )
