"""Inequalities that hold by general rules, as data: an expression that is >= 0 or > 0, the rule, what it rests on.

Every rule reads its hypotheses from the statement's: a fact is only made where they are there. A fact is an expression
of the statement's own language, so that it can be evaluated at any case.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import combinations, permutations, product

from theorems.statement.expression import Expr, minus, name, negative, number
from theorems.statement.moments.squares import semidefinite
from theorems.statement.moments.traces import Letters, product_of
from theorems.statement.proofs.atoms import Atoms, NoFormError, monomials
from theorems.statement.proofs.fact import ONE, ZERO, Fact, add, between, count, extent, spoken, times
from theorems.statement.proofs.norms import entry_norm, norm
from theorems.statement.proofs.quotients import NONE
from theorems.statement.proofs.softmax import entropy, entry, extreme
from theorems.statement.proofs.sums import log_sums
from theorems.statement.reading.hypotheses import Hypotheses


def facts_of(atoms: Atoms, known: Hypotheses, whole: Iterable[str]) -> Iterator[Fact]:
    """What is known of every atom; ``whole`` are names of integers >= 1."""
    yield from _hypotheses(atoms, known, set(whole))
    for label, node in list(atoms.nodes.items()):
        rule = _RULES.get(node.op)
        if rule is not None:
            yield from rule(atoms, known, label, node)
    yield from _cauchy(atoms, known)
    yield from _logarithms(atoms, known, set(whole))
    yield from log_sums(atoms, known)
    yield from _gammas(atoms, known, set(whole))


def _gammas(atoms: Atoms, known: Hypotheses, whole: set[str]) -> Iterator[Fact]:
    """Gamma(a) > 0 and (a - 1/4) Gamma(a)^2 <= Gamma(a + 1/2)^2 <= a Gamma(a)^2 for a > 0."""
    nodes = [
        node for node in atoms.nodes.values() if node.op == "gamma" and _above_zero(atoms, node.args[0], known, whole)
    ]
    for node in nodes:
        yield Fact("gamma(t) > 0 for t > 0", node, strict=True)
    half = number(Fraction(1, 2))
    for one, two in permutations(nodes, 2):
        a, apart = one.args[0], minus(two.args[0], one.args[0])
        later = atoms.quotient(minus(apart, half)).above == NONE
        if not later and atoms.quotient(add(apart, half)).above != NONE:
            continue
        # Gamma(a + 1/2) is the other, or a - 1/2 times it
        square = times(two, two) if later else times(two.args[0], two.args[0], two, two)
        least = times(add(a, number(Fraction(-1, 4))), one, one)
        yield Fact(
            "Gamma(a + 1/2)**2 <= a Gamma(a)**2, as log Gamma is convex",
            minus(times(a, one, one), square),
            trusted="Hoelder",
        )
        yield Fact("Gamma(a + 1/2)**2 >= (a - 1/4) Gamma(a)**2", minus(square, least), trusted="Watson")


def _above_zero(atoms: Atoms, node: Expr, known: Hypotheses, whole: set[str]) -> bool:
    """Whether a polynomial is > 0 as its names are all > 0, or >= 1."""
    form = atoms.quotient(node).lowest
    terms = monomials(form.above) if form.below.names == frozenset() else {(): Fraction(-1)}
    least, free = terms.pop((), Fraction(0)), False
    for key, coefficient in terms.items():
        counted = all(label in whole or label == "d" for label, _ in key)
        positive = (label in known.ranges and known.ranges[label].sign == 1 for label, _ in key)
        if coefficient < 0 or not (counted or all(positive)):
            return False
        least, free = least + coefficient * counted, free or not counted
    return least > 0 or (least == 0 and free)


def _logarithms(atoms: Atoms, known: Hypotheses, whole: set[str]) -> Iterator[Fact]:
    """s log(s/t) >= s - t, and log(s/t) >= 0 where a hypothesis says s >= t, for every two logarithms."""
    inside = [node.args[0] for node in atoms.nodes.values() if node.op == "log" and node.args[0].op == "name"]
    ordered = {}
    for fact in _hypotheses(atoms, known, whole) if len(inside) > 1 else ():
        try:
            ordered[atoms.quotient(fact.node)] = fact
        except NoFormError:
            continue
    for s, t in permutations(inside, 2):
        apart = minus(Expr("log", (s,)), Expr("log", (t,)))
        yield Fact("s log(s/t) >= s - t", minus(times(s, apart), minus(s, t)))
        larger = ordered.get(atoms.quotient(minus(s, t)))
        if larger is not None:
            yield Fact("log is increasing", apart, strict=larger.strict)


def _hypotheses(atoms: Atoms, known: Hypotheses, whole: set[str]) -> Iterator[Fact]:
    names = {label for label, node in atoms.nodes.items() if node.op == "name"}
    for label, values in known.ranges.items():
        if values.low is not None:
            yield Fact("hypothesis", minus(name(label), number(values.low)), values.low_open)
        if values.high is not None:
            yield Fact("hypothesis", minus(number(values.high), name(label)), values.high_open)
        if values.sign:
            yield Fact("hypothesis", name(label) if values.sign > 0 else negative(name(label)), strict=True)
    for label in sorted((names & whole) | ({"d"} & names)):
        yield Fact("an integer >= 1", minus(name(label), ONE))
        yield Fact("an integer >= 1", name(label), strict=True)
        low = known.ranges[label].low if label in known.ranges else None
        if low is not None and low > 1:
            yield Fact("hypothesis", minus(name(label), ONE), strict=True)
    for one, two, bound in known.places.bounds:
        ends = [name(end) if end else ZERO for end in (one, two)]
        yield Fact("order of positions", add(number(bound), ends[1], negative(ends[0])))
    for relation, left, right in known.relations:
        if any(side.has("entry", "family", "sum", "E") for side in (left, right)):
            continue
        gap = minus(right, left) if relation[0] == "<" else minus(left, right)
        if relation != "!=":
            yield Fact("hypothesis", gap, strict=relation in ("<", ">"), equal=relation == "=")
    for _, largest in known.sequences.values():
        if largest is not None:
            # some |s_j| lies below it
            yield Fact("hypothesis", largest)


def _root(atoms: Atoms, known: Hypotheses, label: str, node: Expr) -> Iterator[Fact]:
    yield Fact("a root is not negative", node)


def _absolute(atoms: Atoms, known: Hypotheses, label: str, node: Expr) -> Iterator[Fact]:
    yield Fact("abs(t) >= 0", node)
    yield Fact("abs(t) >= t", minus(node, node.args[0]))
    yield Fact("abs(t) >= -t", add(node, node.args[0]))
    inner = node.args[0]
    if inner.op == "entry" and isinstance(inner.args[0], str):
        bound = known.sequences[inner.args[0]][1]
        if bound is not None:
            yield Fact("bound of the entries", minus(bound, node))
    if inner.op == "tr":
        yield from _trace_norms(node, inner)


def _trace(atoms: Atoms, known: Hypotheses, label: str, node: Expr) -> Iterator[Fact]:
    (letters,) = atoms.word(node.args[0])
    if semidefinite(known, letters):
        strict = semidefinite(known, letters, strict=True)
        rule = (
            "tr(A^T P A Q) > 0 where one factor is not 0 and the others are definite"
            if strict
            else "tr(A^T P A Q) >= 0 for P, Q psd"
        )
        yield Fact(rule, node, strict)
    yield from _powers(known, letters, node)
    absolute = Expr("abs", (node,))
    yield from _trace_norms(absolute, node)
    # a trace is the same from every letter on
    for low, high in combinations(range(len(letters)), 2):
        one, two = product_of(letters[low:high]), product_of(letters[high:] + letters[:low])
        for x, y in (("2", "nuclear"), ("nuclear", "2"), ("fro", "fro")):
            bound = times(Expr("norm", (one, x)), Expr("norm", (two, y)))
            yield Fact("|tr(A B)| <= norm(A) norm(B) for dual norms", minus(bound, absolute), trusted="von Neumann")
    for apart in (*combinations(range(len(letters)), 2), *combinations(range(len(letters)), 1)):
        own = "fro" if len(apart) == 2 else "nuclear"
        sizes = [Expr("norm", (product_of((one,)), own if k in apart else "2")) for k, one in enumerate(letters)]
        if len(letters) > 2 and spoken(atoms, sizes):
            rule = "|tr(A B C)| <= norm(A, fro) norm(B, fro) norm(C, 2), norm(A, nuclear) norm(B, 2) norm(C, 2)"
            yield Fact(rule, minus(times(*sizes), absolute), trusted="Hoelder")


def _powers(known: Hypotheses, letters: Letters, node: Expr) -> Iterator[Fact]:
    """tr(M^(j + k)) <= tr(M^j) tr(M^k) for psd powers, and tr(M^k)^2 <= d tr(M^2k), where M is d x d and symmetric.

    M is A, or P^(1/2) A P^(1/2) with A = A^T and P psd.
    """
    for base in (letters[:1], letters[:2]):
        n, psd = len(letters) // len(base), [_psd(known, label) for label, _ in base]
        symmetric = all(known.symmetric(label) for label, _ in base) and (len(base) == 1 or any(psd))
        if n < 2 or base * n != letters or not symmetric:
            continue
        for j in range(1, n // 2 + 1):
            one, two = (Expr("tr", (product_of(base * power),)) for power in (j, n - j))
            if all(psd) or not (j % 2 or n % 2):
                yield Fact("tr(M**(j + k)) <= tr(M**j)*tr(M**k) for psd powers", minus(times(one, two), node))
            if 2 * j == n:
                most = times(count(extent(known, base)[0]), node)
                yield Fact(
                    "tr(M**k)**2 <= d*tr(M**(2*k)) for M symmetric",
                    minus(most, times(one, two)),
                    trusted="Cauchy-Schwarz",
                )


def _psd(known: Hypotheses, matrix: str) -> bool:
    return known.shape(matrix) in ("psd", "positive definite")


def _trace_norms(absolute: Expr, trace: Expr) -> Iterator[Fact]:
    nuclear = Expr("norm", (trace.args[0], "nuclear"))
    yield Fact("|tr(A)| <= norm(A, nuclear)", minus(nuclear, absolute), trusted="von Neumann")


def _cyclic(known: Hypotheses, letters: Letters) -> bool:
    """Whether a product of matrices fits, and has a trace."""
    extents = [extent(known, (letter,)) for letter in letters]
    return all(one[1] == two[0] for one, two in zip(extents, [*extents[1:], *extents[:1]], strict=True))


def _chain(atoms: Atoms, known: Hypotheses, label: str, node: Expr) -> Iterator[Fact]:
    """u.T*A*v by Cauchy-Schwarz."""
    left, right, inside = node.args[0].args[0], node.args[-1], node.args[1:-1]
    ends = [Expr("norm", (end, "")) for end in (left, right)]
    middle = [Expr("norm", (times(*inside) if len(inside) > 1 else inside[0], "2"))] if inside else []
    bound = times(*middle, *ends)
    if left != right or inside:
        yield Fact("Cauchy-Schwarz", minus(bound, Expr("abs", (node,))))
    for k in range(len(inside) + 1) if inside else ():
        ahead, behind = inside[:k], inside[k:]
        lengths = (
            times(Expr("T", (left,)), *ahead, *map(_turned, reversed(ahead)), left),
            times(Expr("T", (right,)), *map(_turned, reversed(behind)), *behind, right),
        )
        if left != right and spoken(atoms, lengths):
            yield Fact("Cauchy-Schwarz", minus(times(*lengths), times(node, node)))
    entries = not inside and any(one.op == "entrynorm" for one in atoms.nodes.values())
    for kinds in (("sum", "max"), ("max", "sum")) if entries else ():
        other = times(*(Expr("entrynorm", pair) for pair in zip((left, right), kinds, strict=True)))
        yield Fact("abs(u.T*v) <= norm(u, 1) norm(v, oo)", minus(other, Expr("abs", (node,))))
    if not inside and atoms.distribution(left) and atoms.distribution(right):
        yield Fact("0 <= p.T*q <= max p for probability vectors", node)
        yield Fact("0 <= p.T*q <= max p for probability vectors", minus(ONE, node))
        yield Fact("0 <= p.T*q <= max p for probability vectors", minus(Expr("max", (left,)), node))
    if left != right and len(inside) == 1 and inside[0].op == "matrix" and _psd(known, inside[0].args[0]):
        forms = (times(Expr("T", (end,)), inside[0], end) for end in (left, right))
        yield Fact("Cauchy-Schwarz for u.T*P*v, P psd", minus(times(*forms), times(node, node)))
    if left != right and not inside:
        squares = [times(Expr("T", (end,)), end) for end in (left, right)]
        for sign in (2, -2):
            yield Fact("norm(u + v)**2 >= 0", add(*squares, times(number(sign), node)))
    if left == right and (
        not inside or (len(inside) == 1 and inside[0].op == "matrix" and _psd(known, inside[0].args[0]))
    ):
        definite = not inside or known.shape(inside[0].args[0]) == "positive definite"
        length = (">", Expr("norm", (right, "")), ZERO)
        yield Fact("v.T*P*v >= 0 for P psd", node, strict=definite and length in known.relations)


def _turned(letter: Expr) -> Expr:
    return letter.args[0] if letter.op == "T" else Expr("T", (letter,))


def _exponential(atoms: Atoms, known: Hypotheses, label: str, node: Expr) -> Iterator[Fact]:
    inner = node.args[0]
    yield Fact("exp(t) > 0", node, strict=True)
    yield Fact("exp(t) >= 1 + t", minus(node, add(ONE, inner)))
    yield Fact("exp(-t) >= 1 - t", minus(ONE, times(node, minus(ONE, inner))))


def _circle(atoms: Atoms, known: Hypotheses, label: str, node: Expr) -> Iterator[Fact]:
    yield Fact("223/71 < pi < 22/7", minus(node, number(Fraction(223, 71))), strict=True)
    yield Fact("223/71 < pi < 22/7", minus(number(Fraction(22, 7)), node), strict=True)


def _error_function(atoms: Atoms, known: Hypotheses, label: str, node: Expr) -> Iterator[Fact]:
    yield Fact("-1 < erf(t) < 1", minus(ONE, node), strict=True)
    yield Fact("-1 < erf(t) < 1", add(ONE, node), strict=True)
    yield Fact("t erf(t) >= 0", times(node.args[0], node))


def _logarithm(atoms: Atoms, known: Hypotheses, label: str, node: Expr) -> Iterator[Fact]:
    inner = node.args[0]
    yield Fact("log(t) <= t - 1", minus(minus(inner, ONE), node))
    yield Fact("t log(t) >= t - 1", minus(times(inner, node), minus(inner, ONE)))


def _sum(atoms: Atoms, known: Hypotheses, label: str, node: Expr) -> Iterator[Fact]:
    """The sum of all entries of a sequence."""
    body, _, _, last = node.args
    if body.op != "entry" or not isinstance(body.args[0], str):
        return
    if (ends := known.choices.get(body.args[0])) is not None:
        yield from between((times(last, ends[0]), times(last, ends[1])), node)
    vector = Expr("family", (body.args[0],))
    square = times(last, Expr("norm", (vector, "")), Expr("norm", (vector, "")))
    yield Fact("(s_1 + ... + s_n)**2 <= n norm(s)**2", minus(square, times(node, node)))
    yield Fact("a sum is at most n times the largest entry", minus(times(last, Expr("max", (vector,))), node))
    yield Fact("a sum is at least n times the smallest entry", minus(node, times(last, Expr("min", (vector,)))))


_RULES = {
    "sqrt": _root,
    "**": _root,
    "abs": _absolute,
    "tr": _trace,
    "norm": norm,
    "entrynorm": entry_norm,
    "*": _chain,
    "exp": _exponential,
    "log": _logarithm,
    "entry": entry,
    "max": extreme,
    "min": extreme,
    "entropy": entropy,
    "sum": _sum,
    "pi": _circle,
    "erf": _error_function,
}


def _cauchy(atoms: Atoms, known: Hypotheses) -> Iterator[Fact]:
    """tr(A^T P B Q)^2 <= tr(A^T P A Q) tr(B^T P B Q) for P, Q psd or I; A or B may be P^(-1/2) Q^(-1/2) where P = Q.

    These are inner products of P^(1/2) A Q^(1/2) and P^(1/2) B Q^(1/2); for P = Q the identity is such a matrix too.
    """
    letters = sorted({letter for node in atoms.nodes.values() for letter in _letters(atoms, node)})
    if not letters:
        return
    psd = [
        (label, False)
        for label in sorted({one for one, _ in letters})
        if known.shape(label) in ("psd", "positive definite")
    ]
    base: list[Letters] = [(), *[(one,) for one in letters]]
    base += [(one, two) for one in letters for two in letters] if len(letters) < 3 else []
    weights: list[Letters] = [(), *[(one,) for one in psd]]
    rule = "tr(A.T*P*B*Q)**2 <= tr(A.T*P*A*Q)*tr(B.T*P*B*Q) for P, Q psd"
    seen: set[str] = set()
    for P, Q in product(weights, repeat=2):
        words: list[Letters | None] = [*base, *([None] if P == Q and P else [])]
        for k, A in enumerate(words):
            for B in words[:k]:
                gaps = _gram(atoms, A, B, P, Q)
                if gaps is not None and str(gaps) not in seen:
                    seen.add(str(gaps))
                    yield Fact(rule, gaps[0], trusted="Cauchy-Schwarz")
                    yield Fact("tr((A - B).T*P*(A - B)*Q) >= 0 for P, Q psd", gaps[1])
                    yield Fact("tr((A + B).T*P*(A + B)*Q) >= 0 for P, Q psd", gaps[2])


def _letters(atoms: Atoms, node: Expr) -> Iterator[tuple[str, bool]]:
    if node.op == "tr" or (node.op == "norm" and node.args[0].has("matrix") and not node.has("vector", "family")):
        try:
            for word in atoms.word(node.args[0]):
                for label, turned in word:
                    yield label, turned
                    if not atoms.known.symmetric(label):
                        yield label, not turned
        except NoFormError:
            return


def _gram(atoms: Atoms, A: Letters | None, B: Letters | None, P: Letters, Q: Letters) -> tuple[Expr, ...] | None:
    """<A, A> <B, B> - <A, B>^2, <A - B, A - B>, <A + B, A + B>; None where a trace is none of the statement's."""

    def inner(one: Letters | None, two: Letters | None) -> Letters:
        if one is None or two is None:
            # tr(P^(1/2) A P^(1/2)), as Q = P; of the identity with itself d
            other = two if one is None else one
            return () if other is None else other + P
        return atoms.traces.transposed(one) + P + two + Q

    parts = []
    # the identity has the size of what it is multiplied with
    one = count(extent(atoms.known, inner(A, B))[0])
    for letters in (inner(A, A), inner(B, B), inner(A, B)):
        if not _cyclic(atoms.known, letters):
            return None
        if atoms.traces.reduced(letters) and not atoms.traces.trace(letters).names <= atoms.nodes.keys():
            return None
        parts.append(Expr("tr", (product_of(letters),)) if letters else one)
    both = add(parts[0], parts[1])
    twice = times(number(2), parts[2])
    return minus(times(parts[0], parts[1]), times(parts[2], parts[2])), minus(both, twice), add(both, twice)


__all__ = ["Fact", "facts_of"]
