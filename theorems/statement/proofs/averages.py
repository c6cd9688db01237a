"""Sums over all entries of sequences as means: by softmax(s), by fixed weights p, by 1/n; and Jensen's inequality.

For a convex f a mean of f(t_j) is at least f of the mean of t_j, whatever the weights are. Where every f(t_j) >= 0
their sum is at least f(max t), one of its terms.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

import sympy as sp

from theorems.statement.expression import Expr, name, number
from theorems.statement.proofs.onevariable import Line, read
from theorems.statement.proofs.steps import Step, Steps
from theorems.statement.proposition import Proposition
from theorems.statement.reading.hypotheses import Hypotheses
from theorems.statement.values.cases import frame
from theorems.statement.work import Work

if TYPE_CHECKING:
    from theorems.statement.proofs.prover import Prover

ONE, ZERO = number(1), number(0)
#: The name of an entry as a variable.
ENTRY = "#t"


def weights(prop: Proposition) -> frozenset[str]:
    """Sequences that hypotheses make probability vectors: p[j] >= 0 for every j, and sum(p[j], j, 1, n) = 1."""
    free, known = frame(prop).quantified, prop.known
    positive = {
        left.args[0]
        for mark, left, right in known.relations
        if mark in (">", ">=") and left.op == "entry" and _is_index(left.args[1], free) and _at_least_zero(right)
    }
    found = set[str]()
    for mark, left, right in known.relations:
        if mark == "=" and left.op == "sum" and right == ONE:
            body, index, first, last = left.args
            if body.op == "entry" and body.args[1] == name(index) and first == ONE and body.args[0] in positive:
                found.update({body.args[0]} if last == size_of(known, body.args[0]) else ())
    return frozenset(found)


def _is_index(node: Expr, free: frozenset[str] | set[str]) -> bool:
    return node.op == "name" and node.args[0] in free


def _at_least_zero(node: Expr) -> bool:
    return node.op == "number" and bool(node.args[0] >= 0)


def size_of(known: Hypotheses, sequence: str) -> Expr | None:
    """How many entries a sequence has; None for no sequence of the hypotheses."""
    if sequence not in known.sequences:
        return None
    text = known.sequences[sequence][0]
    return number(int(text)) if text.isdigit() else name(text)


def averaged(total: Expr, prover: Prover) -> tuple[Expr, Expr] | None:
    """The weight and what is averaged, where a sum is a mean by the weights of softmax(s), or by fixed ones."""
    body, index, first, last = total.args
    if body.op != "*" or first != ONE:
        return None
    for k, weight in enumerate(body.args):
        if weight.op != "entry" or weight.args[1] != name(index):
            continue
        head, rest = weight.args[0], (*body.args[:k], *body.args[k + 1 :])
        sequence = head
        if not isinstance(head, str):
            plain = head.op == "softmax" and head.args[0].op == "family" and index not in head.names()
            sequence = head.args[0].args[0] if plain else ""
        elif head not in prover.weights:
            continue
        if sequence and last == size_of(prover.known, sequence):
            return weight, rest[0] if len(rest) == 1 else Expr("*", rest)
    return None


def by_means(prover: Prover, high: Expr, low: Expr, strict: bool) -> Steps | None:
    """A sum of f(t_j) on the larger side is bounded by f of a mean, or by one term; on the smaller f is concave."""
    if strict:
        return None
    for side, way in ((high, 1), (low, -1)):
        for total in dict.fromkeys(one for one in side.walk() if one.op == "sum"):
            for bound, step in _bounds(prover, total, way):
                if _weight(side, total) != 1:
                    continue
                changed = side.swapped(total, bound)
                found = prover.at_least(changed, low, False) if way > 0 else prover.at_least(high, changed, False)
                if found is not None:
                    return [step, *found]
    return None


def _bounds(prover: Prover, total: Expr, way: int) -> Iterator[tuple[Expr, Step]]:
    """What a sum is at least (way 1), or at most (way -1)."""
    body, index, first, last = total.args
    by_weights = averaged(total, prover)
    inner = body if by_weights is None else by_weights[1]
    entries = {one for one in inner.walk() if one.op == "entry"}
    if first != ONE or len(entries) != 1:
        return
    (entry,) = entries
    sequence = entry.args[0]
    if entry.args[1] != name(index) or not isinstance(sequence, str) or last != size_of(prover.known, sequence):
        return
    plain = inner.swapped(entry, name(ENTRY))
    f = None if index in plain.names() or plain == name(ENTRY) else read(plain, ENTRY)
    if f is None:
        return
    line = Line(ENTRY, Work(prover.work.left / 4))

    def above(h: sp.Expr) -> bool:
        return line.nonnegative(h, None, None, (False, False), False)

    if above(way * sp.diff(f, line.symbol, 2)):
        shares = entry if by_weights is None else Expr("*", (by_weights[0], entry))
        whole = Expr("sum", (shares, index, first, last))
        value = plain.swapped(name(ENTRY), Expr("/", (whole, last)) if by_weights is None else whole)
        bound = Expr("*", (last, value)) if by_weights is None else value
        yield bound, Step("Jensen's inequality", f"{total} {'>=' if way > 0 else '<='} {bound}", "Jensen")
    if way > 0 and by_weights is None and above(f):
        bound = plain.swapped(name(ENTRY), Expr("max", (Expr("family", (sequence,)),)))
        yield bound, Step("a sum of numbers >= 0 is at least one of them", f"{total} >= {bound}")


def _weight(node: Expr, part: Expr) -> int:
    """1 where a number is another plus, or times what is >= 0, a part of it; 0 where that is not seen."""
    if node == part:
        return 1
    inside = [arg for arg in node if part in set(arg.walk())]
    if len(inside) != 1:
        return 0
    if node.op == "+":
        return _weight(inside[0], part)
    if node.op == "*":
        others = [arg for arg in node.args if arg is not inside[0]]
        fine = all(one.op == "number" and one.args[0] >= Fraction(0) for one in others)
        return _weight(inside[0], part) if fine else 0
    if node.op == "/" and node.args[1].op == "number" and node.args[1].args[0] > 0 and inside[0] is node.args[0]:
        return _weight(inside[0], part)
    return 0
