"""How often a function turns on a half-line, and its limit there, at an exact case: by balls and leading terms.

The functions are of powers of t and exponentials exp(-a t), a rational: the slope is a quotient N/D of sums
c t^k exp(-a t), D > 0. Far out the term of N that falls slowest outweighs the others, at the low end its first
derivative that is not 0 has its sign, and between the two balls find every change of sign.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import reduce
from itertools import pairwise
from typing import Any

import flint

from theorems.algebra.balls import between, precision, rational
from theorems.statement.expression import Expr
from theorems.statement.reading.calculus import derivative
from theorems.statement.values.arithmetic import ELEMENTARY, Number, UndefinedError, add, inverse, mul

#: c t^k exp(-a t) by (k, a).
Terms = Mapping[tuple[int, Fraction], Fraction]
#: Bits of the balls, halvings of an interval, intervals in all, and doublings of a place far out.
BITS, DEPTH, MOST, FAR = 256, 40, 20_000, 60
#: Largest exponent that is multiplied out.
MOST_POWER = 12
_ZERO, _ONE = Fraction(0), Fraction(1)


class NotOfThisKindError(Exception):
    """An expression that is no quotient of sums of c t^k exp(-a t)."""


def count(op: str, body: Expr, name: str, low: Fraction, reader: Any) -> Fraction:
    """The number of ``maxima`` or ``minima`` on (low, oo); UndefinedError where it is not settled.

    ``reader`` gives the value of an expression in which the name does not occur.
    """
    if low < 0:
        raise UndefinedError(f"{op}(...) from {low} on; expected an end >= 0")
    try:
        for node in body.walk():
            if (
                node.op == "log"
                and name in node.names()
                and not all(map(_positive, _quotient(node.args[0], name, reader)))
            ):
                raise UndefinedError(f"{node} is not seen to exist for every {name} >= {low}")
        above, below = _quotient(derivative(body, name), name, reader)
    except NotOfThisKindError as error:
        raise UndefinedError(f"{op}(...): {error}") from None
    if not _positive(below):
        raise UndefinedError(f"the slope of {body} is not seen to exist for every {name} >= {low}")
    with precision(BITS):
        signs = _signs(above, low)
    wanted = (1, -1) if op == "maxima" else (-1, 1)
    return Fraction(sum(pair == wanted for pair in pairwise(signs)))


def limit(node: Expr, name: str, reader: Any) -> Number:
    """The limit as the name grows: of a quotient by its leading terms, of a continuous function by its arguments."""
    try:
        return _leading(*_quotient(node, name, reader), node)
    except NotOfThisKindError:
        if node.op not in ("+", "*", "/", "log", "sqrt", "exp", "abs"):
            raise UndefinedError(f"the limit of {node} is not settled") from None
    parts = [limit(arg, name, reader) for arg in node]
    if node.op == "/" and not (parts[1] > 0 or parts[1] < 0):
        raise UndefinedError(f"the limit of {node} is not settled, as that of {node.args[1]} may be 0")
    if node.op == "log" and not parts[0] > 0:
        raise UndefinedError(f"the limit of {node} is not settled, as that of {node.args[0]} is not seen to be > 0")
    if node.op == "/":
        return mul(parts[0], inverse(parts[1]))
    if node.op in ("+", "*"):
        return reduce(add if node.op == "+" else mul, parts)
    return ELEMENTARY[node.op](parts[0])


def _leading(above: Terms, below: Terms, node: Expr) -> Number:
    """The limit of a quotient: that of its leading terms."""
    if not below:
        raise UndefinedError(f"{node} divides by 0")
    if not above:
        return _ZERO
    (k, a), (m, b) = _first(above), _first(below)
    if (a, -k) < (b, -m):
        raise UndefinedError(f"{node} grows without bound")
    return above[k, a] / below[m, b] if (k, a) == (m, b) else _ZERO


def _first(terms: Terms) -> tuple[int, Fraction]:
    """The term that outweighs the others far out: the smallest rate, and of these the largest power."""
    return min(terms, key=lambda term: (term[1], -term[0]))


def _positive(terms: Terms) -> bool:
    """Whether a sum of c t^k exp(-a t) is visibly > 0 for t > 0."""
    return bool(terms) and all(factor > 0 for factor in terms.values())


# -- quotients


def _quotient(node: Expr, name: str, reader: Any) -> tuple[Terms, Terms]:
    """Numerator and denominator; NotOfThisKindError for what is no such quotient."""
    op, args = node.op, node.args
    unit: Terms = {(0, _ZERO): _ONE}
    if name not in node.names():
        found = reader.number(node)
        if not isinstance(found, Fraction):
            raise NotOfThisKindError(f"{node} is no rational number")
        return ({(0, _ZERO): found} if found else {}), unit
    if op == "name":
        return {(1, _ZERO): _ONE}, unit
    if op == "exp":
        above, below = _quotient(args[0], name, reader)
        if below != unit or set(above) != {(1, _ZERO)}:
            raise NotOfThisKindError(f"{node} is no exponential of a multiple of {name}")
        return {(0, -above[1, _ZERO]): _ONE}, unit
    if op in ("+", "*", "/"):
        parts = [_quotient(arg, name, reader) for arg in args]
        if op == "/":
            (a, b), (c, d) = parts
            if not c:
                raise UndefinedError(f"{node} divides by 0")
            if set(c) == {(0, _ZERO)}:
                return _times(a, {term: factor / c[0, _ZERO] for term, factor in d.items()}), b
            return _times(a, d), _times(b, c)
        return reduce(_added if op == "+" else _multiplied, parts)
    if op == "**" and name not in args[1].names():
        exponent = reader.number(args[1])
        if isinstance(exponent, Fraction) and exponent.denominator == 1 and abs(exponent) <= MOST_POWER:
            found = reduce(_multiplied, [_quotient(args[0], name, reader)] * abs(int(exponent)), (unit, unit))
            return found if exponent >= 0 else found[::-1]
    raise NotOfThisKindError(f"{node} is no quotient of sums of powers of {name} times exponentials")


def _added(one: tuple[Terms, Terms], two: tuple[Terms, Terms]) -> tuple[Terms, Terms]:
    (a, b), (c, d) = one, two
    return (_sum(a, c), b) if b == d else (_sum(_times(a, d), _times(c, b)), _times(b, d))


def _multiplied(one: tuple[Terms, Terms], two: tuple[Terms, Terms]) -> tuple[Terms, Terms]:
    return _times(one[0], two[0]), _times(one[1], two[1])


def _sum(one: Terms, two: Terms) -> Terms:
    found = dict(one)
    for term, factor in two.items():
        found[term] = found.get(term, _ZERO) + factor
    return {term: factor for term, factor in found.items() if factor}


def _times(one: Terms, two: Terms) -> Terms:
    found: dict[tuple[int, Fraction], Fraction] = {}
    for (k, a), factor in one.items():
        for (m, b), other in two.items():
            found[k + m, a + b] = found.get((k + m, a + b), _ZERO) + factor * other
    return {term: factor for term, factor in found.items() if factor}


def _slope(terms: Terms) -> Terms:
    up = {(k - 1, a): k * factor for (k, a), factor in terms.items() if k}
    return _sum(up, {(k, a): -a * factor for (k, a), factor in terms.items() if a})


# -- signs


def _signs(terms: Terms, low: Fraction) -> list[int]:
    """The signs that a sum takes on (low, oo), in order; UndefinedError where balls do not settle them."""
    if not terms:
        return []
    near, first = _at_the_end(terms, low)
    far = _far_out(terms, near)
    slope, signs, left = _slope(terms), [first], [(near, far, 0)]
    steps = 0
    while left:
        begin, end, depth = left.pop()
        steps += 1
        sign = _sign(_value(terms, between(begin, end)))
        if not sign:
            # where it rises or falls there is one change at most, from the sign that stands at the beginning
            monotone = _sign(_value(slope, between(begin, end))) != 0
            sign = _sign(_value(terms, rational(end))) if monotone else 0
            if not sign:
                if depth == DEPTH or steps > MOST:
                    raise UndefinedError(f"balls do not settle the signs of the slope from {begin} to {end}")
                middle = (begin + end) / 2
                left += [(middle, end, depth + 1), (begin, middle, depth + 1)]
                continue
        if sign != signs[-1]:
            signs.append(sign)
    return signs


def _at_the_end(terms: Terms, low: Fraction) -> tuple[Fraction, int]:
    """A place above the low end, and the sign up to it: that of the first derivative that is not 0 at the end."""
    form = terms
    while (found := _exactly(form, low)) == 0:
        form = _slope(form)
    sign = _sign(found if isinstance(found, flint.arb) else rational(found))
    step = _ONE
    for _ in range(FAR):
        if sign and _sign(_value(form, between(low, low + step))) == sign:
            return low + step, sign
        step /= 2
    raise UndefinedError(f"balls do not settle the sign of the slope next to {low}")


def _exactly(terms: Terms, place: Fraction) -> Number:
    """The value at a place, exact at 0."""
    if place:
        return _value(terms, rational(place))
    return sum((factor for (k, _), factor in terms.items() if not k), _ZERO)


def _far_out(terms: Terms, near: Fraction) -> Fraction:
    """A place from which on the leading term outweighs all others together.

    A ratio t^j exp(-b t) to it falls for t >= j/b, and for every t where b = 0 > j.
    """
    k, a = _first(terms)
    others = {(m - k, b - a): abs(factor / terms[k, a]) for (m, b), factor in terms.items() if (m, b) != (k, a)}
    place = max([near, _ONE, *(j / b for j, b in others if b > 0)])
    for _ in range(FAR):
        if _value(others, rational(place)) < 1:
            return place
        place *= 2
    raise UndefinedError(f"balls do not settle the sign of the slope beyond {place}")


def _value(terms: Terms, place: flint.arb) -> flint.arb:
    """The sum at the places of a ball; a power may be negative."""
    found = flint.arb(0)
    for (k, a), factor in terms.items():
        found += rational(factor) * place**k * (rational(-a) * place).exp()
    return found


def _sign(value: flint.arb) -> int:
    return 1 if value > 0 else -1 if value < 0 else 0
