"""Inequalities between moments of which some have no closed form, by Cauchy-Schwarz, Minkowski, Jensen and Markov.

E[f g]^2 <= E f^2 E g^2, and Cov[f, g]^2 <= Var f Var g. sqrt(E |f + g|^2) <= sqrt(E |f|^2) + sqrt(E |g|^2), for numbers
or vectors f and g, and standard deviations likewise. For a convex function f of a random number g, E f(g) >= f(E g),
and <= for a concave one; E g <= sqrt(E g^2). For b > 0, P[g >= b] <= E g^k/b^k where k is even, or g is never negative.
A moment is replaced by what bounds it where its side rises or falls with it, and what is left is decided as any
statement is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import combinations_with_replacement
from math import prod

from theorems.statement.expression import BINDERS, Expr, StatementError, name, number
from theorems.statement.moments.having import visibly_nonnegative
from theorems.statement.moments.pieces import of_event
from theorems.statement.moments.scalars import MAX_FACTORS
from theorems.statement.proofs.prover import STEPS, Prover
from theorems.statement.proofs.steps import Step, Steps
from theorems.statement.proposition import Proposition
from theorems.statement.reading.ranges import Range
from theorems.statement.reading.shapes import shape
from theorems.statement.work import Work

ZERO, ONE, TWO = number(0), number(1), number(2)
JENSEN = "Jensen's inequality"
CAUCHY = "Cauchy-Schwarz"
MINKOWSKI = "Minkowski's inequality"
MARKOV = "Markov's inequality"
#: Powers of a number whose moments bound its tail.
POWERS = (1, 2, 4)


def by_cauchy(prop: Proposition) -> Steps | None:
    """The steps to an inequality that holds of any moments of which Cauchy and Schwarz's inequality holds."""
    if prop.law.exchangeable:
        # which of its moments exist is not known
        return None
    moments = dict.fromkeys(
        one for side in (prop.left, prop.right) for one in side.walk() if one.op in ("E", "Var", "Cov", "Corr")
    )
    if any(shape(arg) != "number" for one in moments for arg in one):
        return None
    names = {one: name(f"m{k}#") for k, one in enumerate(moments)}
    between = [Step(CAUCHY, f"{one}**2 <= {' * '.join(map(str, most)) or 1}", CAUCHY) for one, most in _pairs(moments)]
    sums = list(_sums(moments))
    for one, parts in sums:
        told = " + ".join(f"sqrt({part})" for part in parts)
        between.append(Step(MINKOWSKI, f"sqrt({one}) <= {told}", "Minkowski"))
    if not between:
        return None
    relations = [(">=", names[one], ZERO) for one in moments if one.op == "Var" or visibly_nonnegative(one)]
    for one, most in _pairs(moments):
        relations.append(("<=", Expr("**", (names[one], TWO)), Expr("*", (ONE, *(names[bound] for bound in most)))))
        if not most:
            relations += [("<=", names[one], ONE), (">=", names[one], number(-1))]
    for one, parts in sums:
        # and (r_1 + ... + r_n)^2 <= n (r_1^2 + ... + r_n^2)
        several = tuple(names[part] for part in parts)
        relations.append(("<=", Expr("sqrt", (names[one],)), Expr("+", tuple(Expr("sqrt", (m,)) for m in several))))
        relations.append(("<=", names[one], Expr("*", (number(len(parts)), Expr("+", several)))))
    prover = Prover(prop, Work(STEPS))
    prover.known = replace(prover.known, relations=(*prover.known.relations, *relations))

    def named(node: Expr) -> Expr:
        # under an index a moment is another number for each of its values
        return names[node] if node in names else node if node.op in BINDERS else node.mapped(named)

    high, low = (prop.right, prop.left) if prop.way > 0 else (prop.left, prop.right)
    steps = prover.related(named(high), named(low), prop.relation in ("<", ">"))
    return None if steps is None else [*between, *steps]


def _pairs(moments: Iterable[Expr]) -> Iterator[tuple[Expr, tuple[Expr, ...]]]:
    """Moments m, each with moments whose product m^2 is at most: Cov[f, g] with Var f and Var g, E f with E f^2."""
    plain = [one for one in moments if one.op == "E"]
    for one in moments:
        if one.op == "Corr":
            yield one, ()
        variances = tuple(Expr("Var", (arg,)) for arg in one)
        if one.op == "Cov" and all(variance in moments for variance in variances):
            yield one, variances
        if one.op == "E":
            twice = _factors(Expr("**", (one.args[0], TWO)))
            squares = [other for other in plain if other != one and visibly_nonnegative(other.args[0])]
            for most in (*((other,) for other in squares), *combinations_with_replacement(squares, 2)):
                if _factors(Expr("*", (ONE, *(other.args[0] for other in most)))) == twice:
                    yield one, most


def _sums(moments: Iterable[Expr]) -> Iterator[tuple[Expr, tuple[Expr, ...]]]:
    """Mean squares, or variances, of sums, each with those of its terms."""
    squares = {squared: one for one in moments if (squared := _squared(one)) is not None}
    for (kind, total), one in squares.items():
        terms = total.args if total.op == "+" else ()
        found = [squares.get((kind, _unsigned(term))) for term in terms]
        if found and None not in found:
            yield one, tuple(part for part in found if part is not None)


def _squared(moment: Expr) -> tuple[str, Expr] | None:
    """What a moment is the mean square of, E |f|^2, or the variance of."""
    (inner,) = moment.args[:1]
    if moment.op == "Var":
        return "Var", inner
    if moment.op != "E" or inner.op != "**" or inner.args[1] != TWO:
        return None
    base = inner.args[0]
    return "E", base.args[0] if base.op == "abs" or (base.op == "norm" and base.args[1] in ("", "fro")) else base


def _unsigned(node: Expr) -> Expr:
    """A term without its sign."""
    if node.op == "*" and node.args[0] == number(-1):
        return node.args[1] if len(node.args) == 2 else Expr("*", node.args[1:])
    return node


def _factors(node: Expr) -> Counter[Expr]:
    """How often each factor stands in a product."""
    found = Counter[Expr]()
    numbers = [arg for arg in node if shape(arg) == "number"] if node.op == "*" else []
    if numbers:
        # u.T*M*v is one number
        chain = tuple(arg for arg in node if arg not in numbers)
        for arg in (*numbers, *([Expr("*", chain)] if chain else [])):
            found += _factors(arg)
    elif node.op == "**" and node.args[1].op == "number" and node.args[1].args[0] in range(1, MAX_FACTORS + 1):
        for _ in range(int(node.args[1].args[0])):
            found += _factors(node.args[0])
    elif node != ONE:
        found[node] += 1
    return found


def weaker(prop: Proposition) -> Iterator[tuple[Proposition, Step]]:
    """Statements that imply a proposition, each with the step by which it does, its moments bounded one at a time."""
    if prop.law.kind == "iid-student":
        # which of its moments exist is known of those with closed forms alone
        return
    for moment in dict.fromkeys(one for one in prop.left.walk() if one.op in ("E", "P")):
        for bound, step in _bounds(moment, prop.way * _slope(prop.left, moment, prop), prop):
            yield replace(prop, left=prop.left.swapped(moment, bound)), step
    for moment in dict.fromkeys(one for one in prop.right.walk() if one.op in ("E", "P")):
        for bound, step in _bounds(moment, -prop.way * _slope(prop.right, moment, prop), prop):
            yield replace(prop, right=prop.right.swapped(moment, bound)), step


def _bounds(moment: Expr, way: int, prop: Proposition) -> Iterator[tuple[Expr, Step]]:
    """What a moment is at most (way 1), or at least (way -1), and then >= 0."""
    if way == 0 or shape(moment) != "number":
        return
    if moment.op == "P":
        yield from _tails(moment, prop) if way > 0 else ()
        return
    (inner,) = moment.args
    for outer, power in _roots(inner):
        # inner = outer^power, with outer >= 0 where power is no even number
        if power != 1 and (power > 1) == (way < 0):
            bound = Expr("**", (Expr("E", (outer,)), number(power)))
            yield bound, Step(JENSEN, f"{moment} {'<=' if way > 0 else '>='} {bound}", "Jensen")
    if (inner.op, way) in (("log", 1), ("exp", -1)):
        bound = Expr(inner.op, (Expr("E", inner.args),))
        yield bound, Step(JENSEN, f"{moment} {'<=' if way > 0 else '>='} {bound}", "Jensen")
    if way > 0:
        bound = Expr("sqrt", (Expr("E", (Expr("**", (inner, TWO)),)),))
        yield bound, Step(JENSEN, f"{moment} <= {bound}", "Jensen")
    if way < 0 and inner.op == "abs":
        bound = Expr("abs", (Expr("E", inner.args),))
        yield bound, Step(JENSEN, f"{moment} >= {bound}", "Jensen")


def _roots(node: Expr) -> Iterator[tuple[Expr, Fraction]]:
    """A number as powers of others whose moments may be known: norm(v)**3 = (v.T*v)**(3/2)."""
    base, power = node, Fraction(1)
    if node.op == "**" and node.args[1].op == "number" and node.args[1].args[0] > 0:
        base, power = node.args[0], node.args[1].args[0]
    if base.op == "sqrt":
        yield base.args[0], power / 2
    elif base.op == "norm" and base.args[1] in ("", "fro"):
        yield Expr("**", (base, TWO)), power / 2
    elif base.op == "abs":
        yield Expr("**", (base.args[0], TWO)), power / 2
    elif power.denominator == 1 and power % 2 == 0 and shape(base) == "number":
        yield base, power
        if power > 2:
            yield Expr("**", (base, TWO)), power / 2


def _tails(chance: Expr, prop: Proposition) -> Iterator[tuple[Expr, Step]]:
    """P[g >= b] by moments of g, of a relation between a random number and one that is none."""
    event = chance.args[0]
    if event.op != "relation" or (gaps := of_event(event)) is None or len(gaps) != 1:
        return
    low, high = event.args[1:] if event.args[0][0] == "<" else event.args[:0:-1]
    if low.random or not high.random or shape(high) != "number":
        return
    prover = Prover(prop, Work(STEPS))
    if prover.at_least(low, ZERO, True) is None:
        return
    for power in POWERS:
        if power % 2 and not _never_negative(high, prop):
            continue
        value = high if power == 1 else Expr("**", (high.args[0] if high.op == "abs" else high, number(power)))
        bound = Expr("/", (Expr("E", (value,)), Expr("**", (low, number(power))) if power > 1 else low))
        yield bound, Step(MARKOV, f"{chance} <= {bound}", "Markov")


def _never_negative(node: Expr, prop: Proposition) -> bool:
    """Whether a random number is >= 0 whatever the tokens are."""
    if visibly_nonnegative(node):
        return True
    vectors: dict[Expr, str] = {}
    sums: dict[Expr, str] = {}

    def fixed(one: Expr) -> Expr:
        if one.op == "token":
            return Expr("vector", (vectors.setdefault(one, f"x{len(vectors)}#"),))
        if one.op == "sum" and one.random:
            body, index, first, _ = one.args
            own = name(f"{index}#")
            inside = replace(prop.known, relations=(*prop.known.relations, ("<=", first, own)))
            if _never_negative(body.put({index: own}), replace(prop, known=inside)):
                return name(sums.setdefault(one, f"sum{len(sums)}#"))
        # under an index a token is another vector for each of its values
        return one if one.op in BINDERS else one.mapped(fixed)

    found = fixed(node)
    if found.random:
        return False
    ranges = {**prop.known.ranges, **dict.fromkeys(sums.values(), Range(Fraction(0)))}
    known = replace(prop.known, vectors=(*prop.known.vectors, *vectors.values()), ranges=ranges)
    try:
        prover = Prover(replace(prop, left=found, right=ZERO, known=known), Work(STEPS))
        return prover.at_least(found, ZERO, False) is not None
    except (StatementError, ValueError, KeyError):
        return False


def _slope(node: Expr, part: Expr, prop: Proposition) -> int:
    """1 where an expression rises with a part of it that is a moment, -1 where it falls, 0 where that is not seen."""
    if node == part:
        return 1
    inside = [arg for arg in node if part in set(arg.walk())]
    if len(inside) != 1:
        return 0
    (arg,) = inside
    rises = _slope(arg, part, prop)
    op, args = node.op, node.args
    if op == "+" or op in ("exp", "sqrt", "log"):
        return rises
    if op == "*":
        return rises * prod(_sign(other, prop) for other in args if other is not arg)
    if op == "/" and arg is args[0]:
        return rises * _sign(args[1], prop)
    if op == "**" and arg is args[0] and args[1].op == "number" and args[1].args[0] > 0:
        # powers rise where the base is >= 0; bounds of it are then replaced by ones that are >= 0, too
        return rises if visibly_nonnegative(arg) else 0
    return 0


def _sign(node: Expr, prop: Proposition) -> int:
    """1 for what is seen to be >= 0, -1 for a number below 0, else 0."""
    if node.op == "number":
        return 1 if node.args[0] >= 0 else -1
    if node.op == "name":
        known = prop.known.ranges.get(node.args[0])
        whole = node.args[0] in {"d", *prop.positions, *prop.known.size_names}
        return int(whole or (known is not None and known.low is not None and known.low >= 0))
    return int(visibly_nonnegative(node))
