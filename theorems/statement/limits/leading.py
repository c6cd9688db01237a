"""Limits of functions of one name by Laurent series, and by leading terms in powers, logarithms and exponentials.

With x = 1/s^m, or x = a + s^m and x = a - s^m, s falls to 0 and L = log(1/s) grows. A polynomial in L with Laurent
series in s as coefficients (``laurent``) is kept whole; of every other function the leading term

    c exp(e) exp(sum c_k s^-k) s^p L^q

is known, up to a factor that tends to 1. Exponentials outgrow powers, and powers logarithms. A sum has the leading term
of its largest part, and none where these cancel.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from theorems.statement.expression import Expr
from theorems.statement.limits.laurent import (
    TERMS,
    NoSeriesError,
    Series,
    composed_wave,
    exp_of,
    log_of,
    rational_power,
    root_of,
)

INFINITE = (float("inf"), float("-inf"))
ONES = (Fraction(1), *(Fraction(0),) * (TERMS - 1))


@dataclass(frozen=True)
class Number:
    """coefficient * exp(exponent), exactly."""

    coefficient: Fraction
    exponent: Fraction

    def __float__(self) -> float:
        return float(self.coefficient) * math.exp(min(float(self.exponent), 700.0))

    def __str__(self) -> str:
        return f"exp({self.exponent})" if self.coefficient == 1 else f"{self.coefficient}*exp({self.exponent})"


Limit = Fraction | Number | float


@dataclass(frozen=True)
class Lead:
    """``coefficient`` exp(``exponent``) exp(sum c_k s^-k) s^``power`` L^``logs``; ``growth`` is (k, c_k), k falling."""

    coefficient: Fraction
    growth: tuple[tuple[int, Fraction], ...] = ()
    power: int = 0
    logs: int = 0
    exponent: Fraction = Fraction(0)

    @property
    def scale(self) -> tuple[object, ...]:
        """What it grows like."""
        return self.growth, self.power, self.logs

    def __mul__(self, other: Lead) -> Lead:
        total = dict(self.growth)
        for k, c in other.growth:
            total[k] = total.get(k, Fraction(0)) + c
        growth = tuple(sorted(((k, c) for k, c in total.items() if c), reverse=True))
        parts = (getattr(self, one) + getattr(other, one) for one in ("power", "logs", "exponent"))
        return Lead(self.coefficient * other.coefficient, growth, *parts)

    def raised(self, power: Fraction) -> Lead:
        """The function to a rational power."""
        if power.denominator > 1 and self.coefficient <= 0:
            raise NoSeriesError("a root of what is not seen to be positive")
        if any((part * power).denominator > 1 for part in (self.power, self.logs)):
            raise NoSeriesError("a root of a power that is none")
        scale = rational_power(self.coefficient, power) if power.denominator > 1 else self.coefficient ** int(power)
        growth = tuple((k, c * power) for k, c in self.growth)
        return Lead(scale, growth, int(self.power * power), int(self.logs * power), self.exponent * power)

    @property
    def way(self) -> int:
        """1 where it grows beyond bounds, -1 where it vanishes, 0 where it tends to a number that is not 0."""
        signs = [*(c for _, c in self.growth[:1]), Fraction(-self.power), Fraction(self.logs)]
        first = next((one for one in signs if one), Fraction(0))
        return (first > 0) - (first < 0)

    @property
    def limit(self) -> Limit:
        """Where it tends."""
        if self.way:
            return Fraction(0) if self.way < 0 else INFINITE[self.coefficient < 0]
        return Number(self.coefficient, self.exponent) if self.exponent else self.coefficient


#: A polynomial in L: the series before each power.
Exact = dict[int, Series]
Known = Exact | Lead
ZERO: Exact = {0: Series(0, ())}


class Leading:
    """Reads functions of one name; ``way`` is the side from which a number is approached."""

    def __init__(self, variable: str, at: Fraction | None, way: int, root: int) -> None:
        self.variable, self.way = variable, way
        near = Series(-root if at is None else root, ONES).scaled(Fraction(way))
        self.own, self.root = near if not at else Series.of(at) + near, root
        #: log of the name itself, where that is a power of s
        self.log = None if at or way < 0 else Series.of(Fraction(root if at is None else -root))

    def known(self, node: Expr) -> Known:
        """The function; NoSeriesError where not even a leading term is known."""
        op, args = node.op, node.args
        if op == "number":
            return {0: Series.of(args[0])}
        if op == "name" and args[0] == self.variable:
            return {0: self.own}
        if op in ("+", "*"):
            found = self.known(args[0])
            for arg in args[1:]:
                found = (_added if op == "+" else _times)(found, self.known(arg))
            return found
        if op == "/":
            return _times(self.known(args[0]), _raised(self.known(args[1]), Fraction(-1)))
        if op == "sqrt":
            return _raised(self.known(args[0]), Fraction(1, 2))
        if op == "**" and args[1].op == "number":
            return _raised(self.known(args[0]), args[1].args[0])
        if op == "**":
            return _exp(_times(self.known(args[1]), self._log(args[0])))
        if op == "exp":
            return _exp(self.known(args[0]))
        if op == "log":
            return self._log(args[0])
        if op in ("cos", "sin"):
            inner = self.known(args[0])
            if isinstance(inner, dict) and set(inner) <= {0}:
                return {0: composed_wave(op, inner.get(0, Series(0, ())))}
            if (lead := _lead(inner)).way >= 0:
                raise NoSeriesError(f"what stands in {op} does not tend to 0")
            return lead if op == "sin" else Lead(Fraction(1))
        raise NoSeriesError(f"{node} has no series and no leading term here")

    def _log(self, inner: Expr) -> Known:
        if inner.op == "exp":
            return self.known(inner.args[0])
        if inner.op == "**" and inner.args[1].op != "number":
            return _times(self.known(inner.args[1]), self._log(inner.args[0]))
        if inner == Expr("name", (self.variable,)) and self.log is not None:
            return {1: self.log}
        found = self.known(inner)
        if not inner.names() and found == {0: Series.of(1)}:
            # the number 1, and no series that begins with it
            return ZERO
        lead, why = _lead(found), NoSeriesError(f"log of {inner} is no power of x and log(x)")
        if lead.coefficient <= 0:
            raise NoSeriesError(f"log of {inner}, which is not seen to be positive")
        if isinstance(found, dict) and set(found) == {0} and lead.coefficient == 1:
            series = found[0]
            try:
                rest = log_of(replace(series, valuation=0))
            except NoSeriesError as error:
                # nothing but the leading term is known
                rest, why = None, error
            if rest is not None:
                return {0: rest} | ({1: Series.of(Fraction(-series.valuation))} if series.valuation else {})
        if lead.growth:
            k, c = lead.growth[0]
            return Lead(c, power=-k)
        if lead.power:
            return Lead(Fraction(-lead.power), logs=1)
        if lead.logs or lead.coefficient != 1 or not lead.exponent:
            raise why
        return Lead(lead.exponent)


def _lead(known: Known) -> Lead:
    """The leading term; NoSeriesError for 0."""
    if isinstance(known, Lead):
        return known
    parts = [(series.valuation, -logs, series.terms[0]) for logs, series in known.items() if not series.zero]
    if not parts:
        raise NoSeriesError("0 has no leading term")
    power, less, coefficient = min(parts)
    return Lead(coefficient, power=power, logs=-less)


def _zero(known: Known) -> bool:
    return isinstance(known, dict) and all(series.zero for series in known.values())


def _added(one: Known, two: Known) -> Known:
    if _zero(one) or _zero(two):
        return two if _zero(one) else one
    if isinstance(one, dict) and isinstance(two, dict):
        return {k: one.get(k, Series(0, ())) + two.get(k, Series(0, ())) for k in {*one, *two}}
    first, second = _lead(one), _lead(two)
    if first.scale == second.scale:
        if first.exponent != second.exponent or first.coefficient + second.coefficient == 0:
            raise NoSeriesError("leading terms cancel, or are no rational multiples of each other")
        return replace(first, coefficient=first.coefficient + second.coefficient)
    return first if (first * second.raised(Fraction(-1))).way > 0 else second


def _times(one: Known, two: Known) -> Known:
    if _zero(one) or _zero(two):
        return ZERO
    if isinstance(one, dict) and isinstance(two, dict):
        found: Exact = {}
        for a, x in one.items():
            for b, y in two.items():
                found[a + b] = found[a + b] + x * y if a + b in found else x * y
        return found
    return _lead(one) * _lead(two)


def _raised(base: Known, power: Fraction) -> Known:
    if isinstance(base, dict) and set(base) == {0}:
        if power.denominator > 1:
            return {0: root_of(base[0], power)}
        one = base[0].inverse if power < 0 else base[0]
        found = Series.of(1)
        for _ in range(abs(int(power))):
            found = found * one
        return {0: found}
    return _lead(base).raised(power)


def _exp(inner: Known) -> Known:
    if isinstance(inner, Lead):
        if inner.way >= 0:
            raise NoSeriesError("what stands in exp is not known up to what vanishes")
        return Lead(Fraction(1))
    plain, logs = inner.get(0, Series(0, ())), inner.get(1, Series(0, ()))
    if all(series.zero or series.valuation > 0 for series in inner.values()) and set(inner) <= {0}:
        return {0: exp_of(plain)}
    if any(not s.zero and s.valuation <= 0 for k, s in inner.items() if k > 1) or (
        not logs.zero and logs.valuation < 0
    ):
        raise NoSeriesError("what stands in exp grows like no polynomial in x and multiple of log(x)")
    if logs.term(0).denominator > 1:
        raise NoSeriesError("a root of a power that is none")
    if not plain.zero and plain.valuation + len(plain.terms) <= 0:
        raise NoSeriesError("what stands in exp is not known up to what vanishes")
    low = plain.valuation if not plain.zero else 0
    growth = tuple((-k, plain.term(k)) for k in range(low, 0) if plain.term(k))
    return Lead(Fraction(1), growth, -int(logs.term(0)), 0, plain.term(0))


def quotient_limit(
    above: Expr, below: Expr, variable: str, at: Fraction | None, ways: Sequence[int] = (1, -1)
) -> Limit:
    """The limit of above/below; NoSeriesError where it is not known.

    A number is approached from the sides given, 1 for above; NoSeriesError where the limits there differ.
    """
    found = {
        Fraction(0) if _zero(one) else _lead(one).limit for one in _near(Expr("/", (above, below)), variable, at, ways)
    }
    if len(found) != 1:
        raise NoSeriesError("its limits from the two sides differ")
    return found.pop()


def sign_near(node: Expr, variable: str, at: Fraction | None, ways: Sequence[int]) -> int:
    """The sign of a function near a place, on the sides given; NoSeriesError where it has none, or two."""
    signs = {_lead(one).coefficient > 0 for one in _near(node, variable, at, ways)}
    if len(signs) != 1:
        raise NoSeriesError(f"{node} has no one sign")
    return 1 if signs.pop() else -1


def _near(node: Expr, variable: str, at: Fraction | None, ways: Sequence[int]) -> Iterator[Known]:
    """A function near a place, on each of the sides given."""
    exponents = [one.args[1] for one in node.walk() if one.op == "**"]
    roots = [one.args[0].denominator for one in exponents if one.op == "number"] + [2] * node.has("sqrt")
    root = math.lcm(*roots)
    for way in ways if at is not None else (1,):
        try:
            # the series in x itself, or 1/x, reach farther
            known = Leading(variable, at, way, 1).known(node)
        except NoSeriesError:
            if root == 1:
                raise
            known = Leading(variable, at, way, root).known(node)
        yield known
