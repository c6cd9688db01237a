"""Sums over all entries of sequences as combinations of few of them, sums of polynomials in their index in closed form,
and what is known of log(sum(exp(...))).

For scores e_j and weights w_j >= 0 that add up to 1, log(sum_j exp(e_j)) >= sum_j w_j e_j + entropy(w), with equality
where w = softmax(e) (Gibbs). At w_j = 1/n, and at w = 1 at the largest score, this is what bounds it by the mean and
the largest one; it is convex in e, and at most as far apart as the scores are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import permutations
from typing import TYPE_CHECKING

from theorems.algebra.sums import power_sum
from theorems.statement.expression import Expr, fresh, minus, name, negative, number
from theorems.statement.proofs.fact import ONE, ZERO, Fact, add, size, spoken, times
from theorems.statement.proofs.quotients import NONE, NoFormError, Quotient, monomials
from theorems.statement.reading.hypotheses import Hypotheses

if TYPE_CHECKING:
    from theorems.statement.proofs.atoms import Atoms

Powers = tuple[tuple[str, int], ...]

#: The index of every sum, which is no other index, whatever that is called.
INDEX = "#"
GIBBS = "log(sum(exp(e))) >= sum(w*e) + entropy(w) for weights w, and = for softmax(e)"


def summed(atoms: Atoms, node: Expr) -> Quotient:
    """A sum over all entries, by its terms; of polynomials in the index in closed form."""
    for way in (_of_entries, _spread):
        try:
            return way(atoms, node)
        except NoFormError:
            continue
    return _in_closed_form(atoms, node)


def _in_closed_form(atoms: Atoms, node: Expr) -> Quotient:
    """A sum of a polynomial in the index by Faulhaber's formula: S(last) - S(first - 1), S(t) - S(t - 1) = t^p.

    That is 0 for last = first - 1, as an empty sum is, and wrong of shorter ones. What has no value there, a quotient
    or a logarithm beside the index, is summed only where the sum is never empty.
    """
    body, index, first, last = node.args
    own = next(fresh(INDEX, body.names()))
    start, gap = _least(atoms, first), _least(atoms, minus(last, first))
    if start is None or gap is None or gap < -1:
        raise NoFormError
    inside = _beside(atoms, (atoms.whole - {own}) | ({own} if start >= 1 else set()))
    form = inside.settle(body.put({index: name(own)}))
    (below, count), *more = monomials(form.below).items()
    nodes = {label: inside.nodes.get(label, name(label)) for label in form.above.names | form.below.names}
    plain = not below and all(part.op == "name" for part in nodes.values())
    if more or (gap < 0 and not plain) or any(own in nodes[label].names() for label in nodes.keys() - {own}):
        raise NoFormError
    total = Quotient(NONE)
    for key, coefficient in monomials(form.above).items():
        powers = Counter(dict(key))
        # a name may stand above and below: (k + 1)/k
        powers.subtract(dict(below))
        if (degree := powers.pop(own, 0)) < 0:
            raise NoFormError
        ends = (
            times(number(Fraction(str(sign * weight))), Expr("**", (end, number(power))))
            for power, weight in power_sum(degree)
            for sign, end in ((1, last), (-1, minus(first, ONE)))
        )
        fixed = [Expr("**", (nodes[label], number(power))) for label, power in powers.items() if power]
        total = total + atoms.quotient(times(number(coefficient / count), add(ZERO, *ends), *fixed))
    return total


def _least(atoms: Atoms, node: Expr) -> Fraction | None:
    """A number that a polynomial in whole numbers, which is one, is not below; None where none is seen."""
    form, total = atoms.quotient(node).lowest, Fraction(0)
    for key, coefficient in monomials(form.above).items():
        least = coefficient
        for label, power in key:
            values = atoms.known.ranges.get(label)
            low = values.low if values is not None and values.integer else None
            low = max(low or Fraction(0), Fraction(1)) if label in atoms.whole or label == "d" else low
            if low is None or low < 0 or coefficient < 0:
                return None
            least *= low**power
        if coefficient.denominator != 1:
            return None
        total += least
    return total if monomials(form.below) == {(): 1} else None


def _of_entries(atoms: Atoms, node: Expr) -> Quotient:
    """sum(softmax(s)[i], i, 1, n) = 1 over all entries, and sum(s[i]**2, i, 1, n) = norm(s)**2."""
    body, index, first, last = node.args
    if first != ONE:
        raise NoFormError
    square = body.op == "**" and body.args[1] == number(2)
    vector = _of_all_entries(atoms, body.args[0] if square else body, name(index), last)
    if vector is not None:
        if square:
            return atoms.quotient(Expr("**", (Expr("norm", (vector, "")), number(2))))
        return Quotient(
            atoms.quotient(ONE).above if atoms.distribution(vector) else atoms.label(f"sum({vector})", node)
        )
    if body.op == "*" and len(body.args) == 2:
        one, two = (_of_all_entries(atoms, factor, name(index), last) for factor in body.args)
        if one is not None and two is not None:
            return atoms.quotient(times(Expr("T", (one,)), two))
    raise NoFormError


def _of_all_entries(atoms: Atoms, entry: Expr, index: Expr, last: Expr) -> Expr | None:
    """The vector of which an entry is any one, where the last is its size."""
    if entry.op != "entry" or entry.args[1] != index:
        return None
    vector = _vector(entry)
    inner = vector.args[0] if vector.op == "softmax" else vector
    return vector if inner.op == "family" and size(atoms.known, vector) == last else None


def _spread(atoms: Atoms, node: Expr) -> Quotient:
    """A sum over all entries of a sequence, of a polynomial in them and in what does not depend on the index.

    Every term is an atom, times what may stand before the sum.
    """
    body, index, first, last = node.args
    sizes = {size for size, _ in atoms.known.sequences.values()}
    # a sum below it is read with the same index, which must not be the one around it
    inner = any(index in part.names() for part in body.walk() if part.op == "sum")
    if first != ONE or str(last) not in sizes or inner or not body.has("entry"):
        raise NoFormError
    body, inside = body.put({index: name(INDEX)}), _beside(atoms)
    form = inside.settle(body)
    (below, count), *more = monomials(form.below).items()
    if more:
        raise NoFormError
    total = Quotient(NONE)
    for key, coefficient in monomials(form.above).items():
        powers = [*key, *((label, -power) for label, power in below)]
        parts = [(inside.nodes.get(label, name(label)), power) for label, power in powers]
        under = _joined([(part, power) for part, power in parts if INDEX in part.names()])
        fixed = [Expr("**", (part, number(power))) for part, power in parts if INDEX not in part.names()]
        one = atoms.quotient(last) if under is None else _one(atoms, Expr("sum", (under, INDEX, ONE, last)))
        total = total + one * atoms.quotient(times(number(coefficient / count), *fixed))
    return total


def _beside(atoms: Atoms, whole: Iterable[str] | None = None) -> Atoms:
    """A reader under the same hypotheses, with atoms of its own."""
    return type(atoms)(atoms.known, atoms.weights, atoms.whole if whole is None else whole)


def _joined(parts: list[tuple[Expr, int]]) -> Expr | None:
    """A product of powers, its exponentials as one; None for an empty one."""
    exponents = [times(number(power), *part.args) for part, power in parts if part.op == "exp"]
    rest = [(part, power) for part, power in parts if part.op != "exp"]
    if any(power < 0 for _, power in rest):
        raise NoFormError
    found = [Expr("**", (part, number(power))) if power > 1 else part for part, power in rest]
    if exponents:
        found.append(Expr("exp", (add(*exponents) if len(exponents) > 1 else exponents[0],)))
    return None if not found else found[0] if len(found) == 1 else Expr("*", tuple(found))


def _one(atoms: Atoms, node: Expr) -> Quotient:
    for way in (_of_entries, _in_closed_form):
        try:
            return way(atoms, node)
        except NoFormError:
            continue
    return Quotient(atoms.label(str(node), node))


def log_of_entry(node: Expr, known: Hypotheses) -> Expr | None:
    """log(softmax(s)[i]) = s_i - log(sum(exp(s_j)))."""
    head, index = node.args
    if isinstance(head, str) or head.args[0].op != "family":
        return None
    (scores,) = head.args[0].args
    return minus(Expr("entry", (scores, index)), _log_sum(scores, size(known, head)))


def _log_sum(scores: str, last: Expr) -> Expr:
    return Expr("log", (Expr("sum", (Expr("exp", (Expr("entry", (scores, name(INDEX))),)), INDEX, ONE, last)),))


def log_sums(atoms: Atoms, known: Hypotheses) -> Iterator[Fact]:
    """What is known of logarithms of sums of exponentials, and of means of scores and of logarithms by weights."""
    nodes = list(atoms.nodes.values())
    shares = list(dict.fromkeys(share for node in nodes for share in _shares(atoms, node)))
    for node in (one for one in nodes if one.op == "sum"):
        yield from _cross_entropy(atoms, node)
    for share in shares:
        if share.op == "softmax" and spoken(atoms, [mean := times(Expr("T", (share,)), share.args[0])]):
            whole = _log_sum(share.args[0].args[0], size(known, share))
            yield Fact(GIBBS, minus(whole, add(mean, Expr("entropy", (share,)))), equal=True)
    sums = [(node, *found) for node in nodes if (found := _exponents(atoms, node)) is not None]
    for node, e, last in sums:
        mean = Expr("sum", (e, INDEX, ONE, last))
        rule = "log(sum(exp(e))) >= log(n) + mean(e)"
        yield Fact(rule, minus(times(last, minus(node, Expr("log", (last,)))), mean), trusted="Jensen")
        for share in shares:
            if size(known, share) == last:
                mean = Expr("sum", (times(_entry(share), e), INDEX, ONE, last))
                yield Fact(GIBBS, minus(node, add(mean, Expr("entropy", (share,)))), trusted="Gibbs")
        for one in nodes:
            if one.op == "entry" and size(known, _vector(one)) == last:
                yield Fact("log(sum(exp(e))) >= e_i", minus(node, e.put({INDEX: one.args[1]})))
        yield from _beside_largest(atoms, node, e, last)
    for (one, e, last), (two, f, end) in permutations(sums, 2):
        if last == end:
            yield from _apart(atoms, minus(one, two), minus(e, f))
            for third, g, _ in sums:
                if _coefficients(atoms, minus(add(g, g), add(e, f))) == {}:
                    rule = "log(sum(exp(e))) is convex in e"
                    yield Fact(rule, minus(add(one, two), add(third, third)), trusted="Hoelder")


def _shares(atoms: Atoms, node: Expr) -> Iterator[Expr]:
    """Probability vectors in a node: softmax(s), and those of the hypotheses."""
    for part in node.walk():
        if part.op == "softmax" and part.args[0].op == "family":
            yield part
        elif part.op in ("entry", "vector", "family") and part.args[0] in atoms.weights:
            yield Expr("family", part.args[:1])
        elif part.op == "entry" and not isinstance(part.args[0], str):
            yield from _shares(atoms, part.args[0])


def _vector(entry: Expr) -> Expr:
    return Expr("family", entry.args[:1]) if isinstance(entry.args[0], str) else entry.args[0]


def _entry(share: Expr) -> Expr:
    return Expr("entry", (share if share.op == "softmax" else share.args[0], name(INDEX)))


def _exponents(atoms: Atoms, node: Expr) -> tuple[Expr, Expr] | None:
    """e_j and the last index where a node is log(sum(exp(e_j)))."""
    if node.op != "log":
        return None
    form = atoms.quotient(node.args[0])
    terms = monomials(form.above)
    if monomials(form.below) != {(): 1} or list(terms.values()) != [1]:
        return None
    ((key, _),) = terms.items()
    inner = atoms.nodes.get(key[0][0]) if len(key) == 1 and key[0][1] == 1 else None
    good = inner is not None and inner.op == "sum" and inner.args[0].op == "exp"
    return (inner.args[0].args[0], inner.args[3]) if inner is not None and good else None


def _coefficients(atoms: Atoms, node: Expr) -> dict[Powers, Fraction] | None:
    """The coefficients of a polynomial in atoms; None for what is none."""
    try:
        form = _beside(atoms).quotient(node)
    except NoFormError:
        return None
    return monomials(form.above) if monomials(form.below) == {(): 1} else None


def _beside_largest(atoms: Atoms, node: Expr, e: Expr, last: Expr) -> Iterator[Fact]:
    """Scores c s_j with c > 0 are largest at the largest s_j."""
    found = _coefficients(atoms, e) or {}
    families = [one for one, (length, _) in atoms.known.sequences.items() if length == str(last)]
    for family in families if len(found) == 1 else ():
        ((key, coefficient),) = found.items()
        label, top = str(Expr("entry", (family, name(INDEX)))), Expr("max", (Expr("family", (family,)),))
        others = [one for one in key if one != (label, 1)]
        fine = coefficient > 0 and len(others) < len(key) and all(atoms.positive(one) for one, _ in others)
        if fine and spoken(atoms, [top]):
            value = times(number(coefficient), *(Expr("**", (name(one), number(p))) for one, p in others), top)
            yield Fact("log(sum(exp(e))) >= max(e)", minus(node, value))
            yield Fact("log(sum(exp(e))) <= log(n) + max(e)", minus(add(value, Expr("log", (last,))), node))


def _apart(atoms: Atoms, gap: Expr, scores: Expr) -> Iterator[Fact]:
    """log(sum(exp(s))) - log(sum(exp(t))) is at most the largest |s_j - t_j|."""
    found = _coefficients(atoms, scores) or {}
    table: dict[Powers, str] = {((str(Expr("entry", (one, name(INDEX)))), 1),): one for one in atoms.known.sequences}
    if len(found) == 2 and sorted(found.values()) == [-1, 1] and found.keys() <= table.keys():
        one, two = (Expr("family", (table[key],)) for key, _ in sorted(found.items(), key=lambda item: -item[1]))
        for first, second in permutations((one, two)):
            apart = minus(first, second)
            for most in (Expr("entrynorm", (apart, "oo")), Expr("norm", (apart, ""))):
                if spoken(atoms, [most]):
                    yield Fact("log(sum(exp(s))) - log(sum(exp(t))) <= max(abs(s - t))", minus(most, gap))


def _cross_entropy(atoms: Atoms, node: Expr) -> Iterator[Fact]:
    """sum(p*log(q)) of probability vectors p and q is at most sum(p*log(p)) = -entropy(p)."""
    body = node.args[0]
    for one, two in permutations(body.args) if body.op == "*" and len(body.args) == 2 else ():
        if one.op == "entry" and two.op == "log" and two.args[0].op == "entry":
            p, q = one.args[0], two.args[0].args[0]
            lengths = {atoms.known.sequences[label][0] for label in (p, q) if label in atoms.weights}
            if {p, q} <= atoms.weights and lengths == {str(node.args[3])} and one.args[1] == two.args[0].args[1]:
                gap = negative(add(Expr("entropy", (Expr("family", (p,)),)), node))
                yield Fact("sum(p*log(q)) <= sum(p*log(p)) = -entropy(p)", gap, equal=p == q, trusted="Gibbs")
