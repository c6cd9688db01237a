"""Inequalities between moments of which some have no closed form, by Cauchy-Schwarz, Minkowski, Jensen and Markov.

E[f g]^2 <= E f^2 E g^2, and Cov[f, g]^2 <= Var f Var g. sqrt(E |f + g|^2) <= sqrt(E |f|^2) + sqrt(E |g|^2), for numbers
or vectors f and g, and standard deviations likewise. (E |f|^p)^(1/p) rises with p > 0 (Lyapunov). For a convex function
f of a random number g, E f(g) >= f(E g), and <= for a concave one; E g <= sqrt(E g^2). For b > 0, P[g >= b] <= E
g^k/b^k where k is even, or g is never negative; P[g >= b] <= v/(v + (b - m)^2) for the mean m < b and the variance v of
g (Cantelli). A moment is replaced by what bounds it where its side rises or falls with it, and what is left is decided
as any statement is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import combinations_with_replacement, permutations
from math import prod

from theorems.statement.expression import BINDERS, Expr, StatementError, minus, name, negative, number
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
LYAPUNOV = "Lyapunov's inequality"
CENTRED = "a covariance by means"
CHANCE = "a probability lies between 0 and 1"
MARKOV = "Markov's inequality"
CANTELLI = "Cantelli's inequality"
#: Powers of a number whose moments bound its tail.
POWERS = (1, 2, 4)
Relation = tuple[str, Expr, Expr]
Bound = tuple[Expr, Step] | tuple[Expr, Step, Proposition]


def by_cauchy(prop: Proposition) -> Steps | None:
    """The steps to an inequality that holds of any moments with what Cauchy, Schwarz and others say of them."""
    if prop.law.exchangeable:
        # which of its moments exist is not known
        return None
    moments = dict.fromkeys(
        one for side in (prop.left, prop.right) for one in side.walk() if one.op in ("E", "Var", "Cov", "Corr")
    )
    if any(shape(arg) != "number" for one in moments for arg in one):
        return None
    names = {one: name(f"m{k}#") for k, one in enumerate(moments)}
    known = list(_known(moments))
    if not known:
        return None
    signs = [(">=", one, ZERO) for one in moments if one.op == "Var" or visibly_nonnegative(one)]
    relations = [
        (mark, _named(one, names), _named(two, names))
        for mark, one, two in (*signs, *(relation for _, several in known for relation in several))
    ]
    prover = Prover(prop, Work(STEPS))
    prover.known = replace(prover.known, relations=(*prover.known.relations, *relations))
    high, low = (prop.right, prop.left) if prop.way > 0 else (prop.left, prop.right)
    steps = prover.related(_named(high, names), _named(low, names), prop.relation in ("<", ">"))
    return None if steps is None else [*(step for step, _ in known), *steps]


def _named(node: Expr, names: Mapping[Expr, Expr]) -> Expr:
    """An expression with names for its moments; under an index a moment is another number for each of its values."""
    if node in names:
        return names[node]
    return node if node.op in BINDERS else node.mapped(lambda arg: _named(arg, names))


def _known(moments: Iterable[Expr]) -> Iterator[tuple[Step, list[Relation]]]:
    """What holds between moments, whatever these are."""
    for one, most in _pairs(moments):
        found: list[Relation] = [("<=", Expr("**", (one, TWO)), Expr("*", (ONE, *most)))]
        if len(most) != 1:
            # |m| <= 1, and |m| <= (a + b)/2 where m^2 <= a b
            mean = Expr("/", (Expr("+", most), TWO)) if most else ONE
            found += [("<=", one, mean), (">=", one, negative(mean))]
        yield Step(CAUCHY, f"{one}**2 <= {' * '.join(map(str, most)) or 1}", CAUCHY), found
    for one, parts in _sums(moments):
        # each root is at most the sum of the others, and (r_1 + ... + r_n)^2 <= n (r_1^2 + ... + r_n^2)
        roots = [Expr("*", (number(c), Expr("sqrt", (part,)))) for c, part in ((Fraction(1), one), *parts)]
        sums = [Expr("+", (ZERO, *roots[:k], *roots[k + 1 :])) for k in range(len(roots))]
        squares = Expr("+", tuple(Expr("*", (number(len(parts) * c**2), part)) for c, part in parts))
        step = Step(MINKOWSKI, f"sqrt({one}) <= {sums[0]}", "Minkowski")
        yield step, [("<=", one, squares), *(("<=", *pair) for pair in zip(roots, sums, strict=True))]
    for relation in _centred(moments):
        yield Step(CENTRED, " ".join(map(str, (relation[1], relation[0], relation[2])))), [relation]
    for (low, p), (high, q) in _powers(moments):
        found = [
            ("<=", _to(low, scale), _to(high, scale * p / q)) for scale in dict.fromkeys((1 / p, Fraction(1), q / p, q))
        ]
        yield Step(LYAPUNOV, f"{found[0][1]} <= {found[0][2]}", "Jensen"), found


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


def _centred(moments: Iterable[Expr]) -> Iterator[Relation]:
    """Cov[f, g] = E[f g] - E[f] E[g], and Var[f] likewise, which is at most E[f^2]."""
    means = {one.args[0]: one for one in moments if one.op == "E"}
    for one in moments:
        if one.op not in ("Var", "Cov"):
            continue
        pair = (one.args[0], one.args[-1])
        both = _factors(Expr("*", (ONE, *pair)))
        joint = next((mean for inner, mean in means.items() if _factors(inner) == both), None)
        if joint is not None and all(arg in means for arg in pair):
            yield "=", one, minus(joint, Expr("*", tuple(means[arg] for arg in pair)))
        elif joint is not None and one.op == "Var":
            yield "<=", one, joint


def _powers(moments: Iterable[Expr]) -> Iterator[tuple[tuple[Expr, Fraction], tuple[Expr, Fraction]]]:
    """Two means of powers p < q of one number g >= 0, with these: (E g^p)^(1/p) rises with p > 0."""
    for one, two in permutations([one for one in moments if one.op == "E"], 2):
        (base, p), (other, q) = (_power_of(moment.args[0]) for moment in (one, two))
        if base == other and 0 < p < q and visibly_nonnegative(base):
            yield (one, p), (two, q)


def _power_of(node: Expr) -> tuple[Expr, Fraction]:
    """A number as a power of another, an even one as that of an absolute value."""
    base, power = node, Fraction(1)
    if node.op == "**" and node.args[1].op == "number":
        base, power = node.args[0], node.args[1].args[0]
    if base.op == "sqrt":
        base, power = base.args[0], power / 2
    return (Expr("abs", (base,)) if power % 2 == 0 and not visibly_nonnegative(base) else base), power


def _to(moment: Expr, power: Fraction) -> Expr:
    return moment if power == 1 else Expr("**", (moment, number(power)))


def _sums(moments: Iterable[Expr]) -> Iterator[tuple[Expr, list[tuple[Fraction, Expr]]]]:
    """Mean squares, or variances, of sums, each with those of its terms and the size of these terms' factors."""
    squares = {squared: one for one in moments if (squared := _squared(one)) is not None}
    for (kind, total), one in squares.items():
        terms = [_scaled(term) for term in total.args] if total.op == "+" else []
        found = [(factor, squares.get((kind, term))) for factor, term in terms]
        parts = [(factor, part) for factor, part in found if part is not None]
        if found and len(parts) == len(found):
            yield one, parts


def _squared(moment: Expr) -> tuple[str, Expr] | None:
    """What a moment is the mean square of, E |f|^2, or the variance of."""
    (inner,) = moment.args[:1]
    if moment.op == "Var":
        return "Var", inner
    if moment.op != "E" or inner.op != "**" or inner.args[1] != TWO:
        return None
    base = inner.args[0]
    return "E", base.args[0] if base.op == "abs" or (base.op == "norm" and base.args[1] in ("", "fro")) else base


def _scaled(node: Expr) -> tuple[Fraction, Expr]:
    """The size of a term's factor that is a number, and the rest of it."""
    if node.op == "*" and node.args[0].op == "number":
        size, rest = _scaled(node.args[1] if len(node.args) == 2 else Expr("*", node.args[1:]))
        return abs(node.args[0].args[0]) * size, rest
    return Fraction(1), node


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


def weaker(prop: Proposition) -> Iterator[tuple[list[Proposition], Step]]:
    """Statements that together imply a proposition, and the step by which they do: one of its moments is bounded."""
    if prop.law.kind == "iid-student":
        # which of its moments exist is known of those with closed forms alone
        return
    for moment in dict.fromkeys(one for one in prop.left.walk() if one.op in ("E", "P")):
        for bound, step, *more in _bounds(moment, prop.way * _slope(prop.left, moment, prop), prop):
            yield [replace(prop, left=prop.left.swapped(moment, bound)), *more], step
    for moment in dict.fromkeys(one for one in prop.right.walk() if one.op in ("E", "P")):
        for bound, step, *more in _bounds(moment, -prop.way * _slope(prop.right, moment, prop), prop):
            yield [replace(prop, right=prop.right.swapped(moment, bound)), *more], step


def _bounds(moment: Expr, way: int, prop: Proposition) -> Iterator[Bound]:
    """What a moment is at most (way 1), or at least (way -1), and then >= 0; and what is still to be shown for that."""
    if way == 0 or shape(moment) != "number":
        return
    if moment.op == "P":
        bound = ONE if way > 0 else ZERO
        yield bound, Step(CHANCE, f"{moment} {'<=' if way > 0 else '>='} {bound}")
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


def _tails(chance: Expr, prop: Proposition) -> Iterator[Bound]:
    """P[g >= b] by moments of g, of a relation between a random number and one that is none."""
    event = chance.args[0]
    if event.op != "relation" or (gaps := of_event(event)) is None or len(gaps) != 1:
        return
    low, high = event.args[1:] if event.args[0][0] == "<" else event.args[:0:-1]
    if low.random:
        low, high = negative(high), negative(low)
    if low.random or not high.random or shape(high) != "number":
        return
    mean, variance = Expr("E", (high,)), Expr("Var", (high,))
    bound = Expr("/", (variance, Expr("+", (variance, Expr("**", (minus(low, mean), TWO))))))
    below = replace(prop, left=mean, relation="<", right=low)
    yield bound, Step(CANTELLI, f"{chance} <= {bound}, as {mean} < {low}", "Cantelli"), below
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
