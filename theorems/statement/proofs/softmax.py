"""Inequalities of softmax, of probability vectors, and of the entries of sequences."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from theorems.statement.expression import BINDERS, Expr, minus, negative, number
from theorems.statement.proofs.atoms import Atoms
from theorems.statement.proofs.fact import ONE, Fact, add, between, size, spoken, times
from theorems.statement.proposition import Proposition
from theorems.statement.reading.hypotheses import Hypotheses
from theorems.statement.reading.ranges import Range


def of_any_scores(prop: Proposition) -> Proposition:
    """The statement with a sequence of its own for lam*s in softmax(lam*s): true of any, it is true of this one.

    Scores k*s below a sum over k are no sequence: they are another one for every k.
    """
    nodes = [one for side in (prop.left, prop.right) for one in side.walk()]
    bound = {one.args[1] for one in nodes if one.op in BINDERS}
    for node in (one for one in nodes if one.op == "softmax"):
        (scores,) = node.args
        parts = list(scores.walk())
        lengths = {prop.known.sequences[part.args[0]] for part in parts if part.op == "family"}
        plain = all(part.op in ("family", "name", "number", "+", "*", "/", "sqrt") for part in parts)
        scales = [part.args[part.op == "/"] for part in parts if part.op in ("/", "sqrt")]
        if (
            scores.op == "family"
            or scores.names() & bound
            or len(lengths) != 1
            or not (plain and all(_positive(prop.known, one) for one in scales))
        ):
            continue
        label = f"{scores}#"
        known = replace(prop.known, sequences={**prop.known.sequences, label: (lengths.pop()[0], None)})
        left, right = (side.swapped(scores, Expr("family", (label,))) for side in (prop.left, prop.right))
        return of_any_scores(replace(prop, left=left, right=right, known=known))
    return prop


def entry(atoms: Atoms, known: Hypotheses, label: str, node: Expr) -> Iterator[Fact]:
    """An entry of softmax(s), of a probability vector or of a sequence."""
    head = node.args[0]
    if isinstance(head, str):
        bound = known.sequences[head][1]
        if bound is not None:
            yield Fact("bound of the entries", minus(bound, node))
            yield Fact("bound of the entries", add(bound, node))
        for relation, left, right in known.relations:
            if left.op == "entry" and left.args[0] == head and _every(known, left.args[1]) and not right.has("entry"):
                # what is said of s_j for every j is said of this entry at its own place
                there = right.put({left.args[1].args[0]: node.args[1]})
                gap = minus(there, node) if relation[0] == "<" else minus(node, there)
                if relation != "!=":
                    yield Fact("hypothesis", gap, strict=relation in ("<", ">"), equal=relation == "=")
        if head in known.choices:
            yield from between(known.choices[head], node)
        if head in atoms.weights:
            yield Fact("entries of a probability vector lie between 0 and 1", node)
            yield Fact("entries of a probability vector lie between 0 and 1", minus(ONE, node))
        return
    found = _scores(known, head)
    if found is not None:
        yield Fact("softmax is positive", node, strict=True)
        yield Fact("softmax sums to 1", minus(ONE, node), strict=_several(known, found[0]))
        scores = str(head.args[0].args[0])
        for other in list(atoms.nodes.values()):
            if other.op == "entry" and other.args[0] == head and other != node:
                one, two = (Expr("exp", (Expr("entry", (scores, entry.args[1])),)) for entry in (node, other))
                ratio = minus(times(node, two), times(other, one))
                yield Fact("entries of softmax(s) are as exp(s_i) to exp(s_j)", ratio, equal=True)
                if distinct(known, node.args[1], other.args[1]):
                    gap = minus(ONE, add(node, other))
                    yield Fact("two entries of softmax(s) add up to 1 at most", gap, equal=_two(known, found[0]))
        yield from _beside_scores(atoms, known, node, scores, found[0])
        yield from _beside_ends(atoms, node, scores, found[0])
        if found[1] is not None:
            yield from _corners(node, found[0], found[1], upper=True, lower=True)


def _beside_scores(atoms: Atoms, known: Hypotheses, node: Expr, scores: str, many: Expr) -> Iterator[Fact]:
    """softmax(s)[i] (exp(s_i) + rest) = exp(s_i), where the rest lies between what some others, or all, are at most."""
    head, index = node.args
    family, own = Expr("family", (scores,)), Expr("exp", (Expr("entry", (scores, index)),))
    for other in list(atoms.nodes.values()):
        if other.op == "entry" and other.args[0] == scores and distinct(known, index, other.args[1]):
            gap = minus(own, times(node, add(own, Expr("exp", (other,)))))
            yield Fact("softmax(s)[i] <= exp(s_i)/(exp(s_i) + exp(s_j))", gap, equal=_two(known, many))
    for relation, left, right in known.relations:
        places = [side.args[1] for side in (left, right) if side.op == "entry" and side.args[0] == scores]
        if relation != "!=" and len(places) == 2 and index in places:
            low, high = (Expr("entry", (head, one)) for one in (places if relation[0] != ">" else places[::-1]))
            rule = "softmax(s)[i] <= softmax(s)[j] where s_i <= s_j"
            yield Fact(rule, minus(high, low), strict=relation in ("<", ">"), equal=relation == "=")
    for op, sign in (("min", 1), ("max", -1)):
        rest = times(minus(many, ONE), Expr("exp", (Expr(op, (family,)),)))
        gap = times(number(sign), minus(own, times(node, add(own, rest))))
        if spoken(atoms, (rest,)):
            yield Fact("softmax(s)[i] beside n - 1 times the smallest, or largest, exp(s_j)", gap)


def _beside_ends(atoms: Atoms, node: Expr, scores: str, many: Expr) -> Iterator[Fact]:
    """exp(s_i - max(s))/n <= softmax(s)[i] <= exp(s_i - min(s))/n, and exp(min(s)) <= exp(s_i) <= exp(max(s))."""
    family, own = Expr("family", (scores,)), Expr("exp", (Expr("entry", (scores, node.args[1])),))
    low, high = (Expr("exp", (Expr(op, (family,)),)) for op in ("min", "max"))
    for one, two in ((own, high), (low, high)):
        if spoken(atoms, (one, two)):
            rule = "n softmax(s)[i] >= exp(s_i - max(s)), and s_i >= min(s)"
            yield Fact(rule, minus(times(many, node, two), one))
    for one, two in ((own, low), (high, low)):
        if spoken(atoms, (one, two)):
            rule = "n softmax(s)[i] <= exp(s_i - min(s)), and s_i <= max(s)"
            yield Fact(rule, minus(one, times(many, node, two)))


def extreme(atoms: Atoms, known: Hypotheses, label: str, node: Expr) -> Iterator[Fact]:
    """The largest or smallest entry of softmax(s), or of s."""
    inner = node.args[0]
    for other in list(atoms.nodes.values()):
        if other.op == "entry" and other.args[0] == (inner.args[0] if inner.op == "family" else inner):
            apart = minus(node, other) if node.op == "max" else minus(other, node)
            yield Fact("an entry lies between the smallest and the largest", apart)
    if inner.op == "family":
        bound = known.sequences[inner.args[0]][1]
        if bound is not None:
            yield Fact("bound of the entries", minus(bound, node))
            yield Fact("bound of the entries", add(bound, node))
        if inner.args[0] in atoms.weights:
            yield Fact("entries of a probability vector lie between 0 and 1", node)
            yield Fact("entries of a probability vector lie between 0 and 1", minus(ONE, node))
            yield from _beside_mean(node, size(known, inner))
        return
    found = _scores(known, inner)
    if found is None:
        return
    many, spread = found
    yield Fact("softmax is positive", node, strict=True)
    yield Fact("softmax sums to 1", minus(ONE, node), strict=_several(known, many))
    yield from _beside_mean(node, many)
    if spread is not None:
        yield from _corners(node, many, spread, node.op == "max", node.op == "min")


def entropy(atoms: Atoms, known: Hypotheses, label: str, node: Expr) -> Iterator[Fact]:
    """The entropy of softmax(s) or of a probability vector, beside its length, its largest entry and the scores."""
    inner = node.args[0]
    if not (atoms.distribution(inner) and (inner.op == "family" or inner.args[0].op == "family")):
        return
    many, spread = _scores(known, inner) or (size(known, inner), None)
    logarithm = Expr("log", (many,))
    positive = inner.op == "softmax" and _several(known, many)
    yield Fact("entropy >= 0, and > 0 of softmax(s) for two entries or more", node, strict=positive)
    yield Fact("entropy <= log(n)", minus(logarithm, node), trusted="Jensen")
    length, top = Expr("norm", (inner, "")), Expr("max", (inner,))
    yield Fact("entropy(p) >= 1 - norm(p)**2, as -log(t) >= 1 - t", add(node, times(length, length), number(-1)))
    for inside, rule in ((top, "entropy(p) >= -log(max p)"), (times(length, length), "entropy(p) >= -log(norm(p)**2)")):
        value = Expr("log", (inside,))
        if spoken(atoms, (value,)):
            yield Fact(rule, add(node, value), trusted="Jensen")
    scores = inner.args[0] if inner.op == "softmax" else None
    if scores is not None and spoken(atoms, ends := [Expr(op, (scores,)) for op in ("max", "min")]):
        yield from _by_spread(node, logarithm, minus(*ends))
    if spread is not None:
        bound = spread.args[0]
        rule = "entropy(p) >= -log(max p), and max softmax(s) <= exp(2B)/(n - 1 + exp(2B))"
        yield Fact(rule, minus(add(node, bound), Expr("log", (add(minus(many, ONE), spread),))))
        # 2B is the largest spread
        yield from _by_spread(node, logarithm, bound)


def _by_spread(node: Expr, logarithm: Expr, spread: Expr) -> Iterator[Fact]:
    """log(n) - entropy(softmax(s)) is at most the spread of the scores, and an eighth of its square."""
    yield Fact("entropy(softmax(s)) >= log(n) - (max(s) - min(s))", minus(add(node, spread), logarithm))
    eighth = times(number(Fraction(1, 8)), spread, spread)
    rule = "entropy(softmax(s)) >= log(n) - (max(s) - min(s))**2/8"
    yield Fact(rule, minus(add(node, eighth), logarithm), trusted="Hoeffding")


def _scores(known: Hypotheses, node: Expr) -> tuple[Expr, Expr | None] | None:
    """The length and exp(2*bound) of softmax(s); None for another vector."""
    if node.op != "softmax" or node.args[0].op != "family":
        return None
    bound = known.sequences[node.args[0].args[0]][1]
    spread = None if bound is None else Expr("exp", (times(number(2), bound),))
    return size(known, node), spread


def _corners(node: Expr, size: Expr, spread: Expr, upper: bool, lower: bool) -> Iterator[Fact]:
    """softmax(s)[i] rises in s_i and falls in the others: its extremes lie at corners of the box abs(s[j]) <= B."""
    rule = "softmax(s)[i] is extremal at a corner of the box of scores"
    rest = minus(size, ONE)
    if upper:
        yield Fact(rule, minus(spread, times(add(rest, spread), node)))
    if lower:
        yield Fact(rule, minus(times(add(ONE, times(rest, spread)), node), ONE))


def _beside_mean(node: Expr, many: Expr) -> Iterator[Fact]:
    gap = minus(times(many, node), ONE)
    rule = "the largest is at least the mean 1/n, the smallest at most"
    yield Fact(rule, gap if node.op == "max" else negative(gap))


def _positive(known: Hypotheses, node: Expr) -> bool:
    """Whether what scores are divided by is seen to be > 0: a number, a name, d, or a root of one."""
    if node.op == "sqrt":
        return _positive(known, node.args[0])
    if node.op == "number":
        return bool(node.args[0] > 0)
    return node.op == "name" and (node.args[0] in known.fixed or known.ranges.get(node.args[0], Range()).sign == 1)


def _every(known: Hypotheses, index: Expr) -> bool:
    """Whether an index is a letter that stands for every entry."""
    return index.op == "name" and index.args[0] in known.letters


def distinct(known: Hypotheses, one: Expr, two: Expr) -> bool:
    """Whether two indices are never the same: two numbers, or names that a hypothesis tells apart."""
    if one.op == two.op == "number":
        return bool(one.args[0] != two.args[0])
    pairs = [{left, right} for relation, left, right in known.relations if relation in ("!=", "<", ">")]
    return {one, two} in pairs


def _two(known: Hypotheses, size: Expr) -> bool:
    """Whether a length is 2."""
    values = known.ranges.get(size.args[0]) if size.op == "name" else None
    return size == number(2) or (values is not None and values.low == values.high == 2)


def _several(known: Hypotheses, size: Expr) -> bool:
    """Whether a length is at least 2."""
    if size.op == "number":
        return bool(size.args[0] >= 2)
    low = known.ranges[size.args[0]].low if size.args[0] in known.ranges else None
    return low is not None and low > 1
