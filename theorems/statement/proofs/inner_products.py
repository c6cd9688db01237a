"""Inner products u^T P v with weights that add up to squares: sum C_jk u_j^T P u_k >= 0 where C and P are psd.

It is the trace of C times the matrix of all u_j^T P u_k, which is psd as well, being one of inner products.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

from theorems.algebra.norms import is_semidefinite
from theorems.statement.expression import Expr, name, number
from theorems.statement.proofs.certificate import Monomial, Poly
from theorems.statement.proofs.fact import Fact, add, times
from theorems.statement.reading.hypotheses import Hypotheses

#: Most vectors of one sum of squares.
MOST = 8
#: P, a vector, and a product of numbers beside it: norm(eps*u)**2 is eps**2 times u.T*u.
Scaled = tuple[tuple[Expr, ...], Expr, Monomial]


def squares(goal: Poly, nodes: dict[str, Expr], known: Hypotheses) -> Iterator[Fact]:
    """The part of a goal that is a sum of squares of vectors; nothing where it is none."""
    inner = {key: found for key in goal if (found := _inner(key, nodes, known)) is not None}
    lengths: list[Scaled] = []
    for node, rest in inner.values():
        if node.args[0].args[0] == node.args[-1] and all(power % 2 == 0 for _, power in rest):
            lengths.append((node.args[1:-1], node.args[-1], tuple((label, power // 2) for label, power in rest)))
    rows, parts = [[Fraction(0)] * len(lengths) for _ in lengths], list[Expr]()
    for key, (node, rest) in inner.items():
        places = next(_places(node, rest, lengths), None)
        if places is not None:
            for j, k in (places, places[::-1]):
                rows[j][k] += Fraction(goal[key]) / 2
            powers = (Expr("**", (nodes.get(label, name(label)), number(power))) for label, power in rest)
            parts.append(times(number(goal[key]), *powers, node))
    if 1 < len(lengths) <= MOST and len(parts) > len(lengths) and is_semidefinite(rows):
        yield Fact("a sum of squares of vectors", add(*parts))


def _places(node: Expr, rest: Monomial, lengths: list[Scaled]) -> Iterator[tuple[int, int]]:
    """Which two vectors a product r u^T P v, r a product of numbers, is one of."""
    ends = [(node.args[1:-1], end) for end in (node.args[0].args[0], node.args[-1])]
    for places in product(range(len(lengths)), range(len(lengths))):
        one, two = (lengths[k] for k in places)
        if [one[:2], two[:2]] == ends and _joined(one[2], two[2]) == rest:
            yield places


def _inner(key: Monomial, nodes: dict[str, Expr], known: Hypotheses) -> tuple[Expr, Monomial] | None:
    """The one factor u^T P v of a term, P psd or I, and the others; None where there is no such."""
    found = [label for label, power in key if power == 1 and label in nodes and _is_inner(nodes[label], known)]
    return (nodes[found[0]], tuple(part for part in key if part[0] != found[0])) if len(found) == 1 else None


def _is_inner(node: Expr, known: Hypotheses) -> bool:
    if node.op != "*" or len(node.args) not in (2, 3) or node.args[0].op != "T":
        return False
    middle = node.args[1:-1]
    return all(one.op == "matrix" and known.shape(one.args[0]) in ("psd", "positive definite") for one in middle)


def _joined(one: Monomial, two: Monomial) -> Monomial:
    powers: dict[str, int] = dict(one)
    for label, power in two:
        powers[label] = powers.get(label, 0) + power
    return tuple(sorted(powers.items()))
