"""Whether a kernel K(s, t) is a covariance: of the first tokens, at values of its parameters that the hypotheses allow.

K is one if and only if the matrix K(s, t) of every number of tokens is positive semidefinite. That is decided for the
first ones alone, by exact elimination where K is rational and in balls where it is not; what is said of all others
stays the reader's to know, but for the kernels that ``always`` knows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import islice, product
from math import prod
from random import Random
from typing import Any

import flint

from theorems.algebra.balls import precision
from theorems.statement.expression import HOLDS, Expr, StatementError, name, negative
from theorems.statement.reading.hypotheses import Hypotheses
from theorems.statement.reading.laws import Law
from theorems.statement.reading.places import ZERO, Place
from theorems.statement.reading.ranges import Range
from theorems.statement.values.arithmetic import Number, UndefinedError, ball
from theorems.statement.values.values import compared, value

#: Tokens whose matrix is looked at; values of the parameters at which it is; bits of the balls.
TOKENS, POINTS, BITS = 24, 30, 256
#: Bits of a rational number beyond which it is taken as a ball.
LONG = 512
#: Values of a parameter, those first at which kernels most often fail; of a position or another integer.
_NUMBERS = tuple(map(Fraction, ("-1", "1", "0", "1/2", "-1/2", "10", "-10", "1/100", "2", "-3", "1/8", "7/8")))
_NEAR = tuple(map(Fraction, ("1/100", "-1/100", "1/10000", "-1/10000")))
_INTEGERS = tuple(map(Fraction, (1, 2, 3, 5, 8)))
_LENGTHS = tuple(map(Fraction, (TOKENS, 12, 5, 3, 2, 1)))
_s, _t = name("s"), name("t")
_GAP = Expr("abs", (Expr("+", (_s, negative(_t))),))


# values are kept by the point, which no other one is equal to
@dataclass(frozen=True, eq=False)
class _Point:
    """Values of the parameters and of s and t, as expressions are evaluated at them."""

    numbers: Mapping[str, Fraction]
    matrices: Mapping[str, Any] = field(default_factory=dict)
    vectors: Mapping[str, Any] = field(default_factory=dict)
    sequences: Mapping[str, Any] = field(default_factory=dict)
    families: Mapping[str, Any] = field(default_factory=dict)


def check(law: Law, known: Hypotheses, places: Sequence[Place], positions: set[str], given: str) -> None:
    """StatementError where a Gaussian law has no covariance at some of the first tokens of the statement.

    ``places`` are the positions that the statement names, ``given`` the law as it was written.
    """
    assert law.parameter is not None
    if always(law.parameter, known):
        return
    tokens = _tokens(known, places, positions)
    own = law.names()
    for point in _points(own, known, positions):
        count = min(tokens, int(point["T"])) if "T" in own else tokens
        if wrong := failure(law, point, count):
            at = ", ".join(f"{label} = {point[label]}" for label in sorted(own))
            free = sorted(own - positions - {"d", "T"})
            signs = ", ".join(f"{label} >= 0" for label in free if point[label] < 0)
            mend = (
                f"say for which {' and '.join(free)} it is one with --for" + (f", e.g. {signs}" if signs else "")
                if free
                else "take another kernel, or say with --for how many tokens there are"
            )
            raise StatementError(
                f"{law.parameter} is no covariance{' at ' + at if at else ''}: {wrong}; {mend}",
                given,
                given.find("(") + 1,
            )


def failure(law: Law, point: Mapping[str, Fraction], count: int) -> str:
    """Which of the first tokens have no such covariance, in words; "" where none is seen to fail."""
    with precision(BITS):
        try:
            rows = [[_entry(law, point, s, t) for t in range(1, s + 1)] for s in range(1, count + 1)]
        except UndefinedError as error:
            # a kernel may have no value at some parameters, as a statement may
            return "" if point else str(error)
        except (StatementError, KeyError, IndexError, OverflowError):
            return ""
        for s, row in enumerate(rows):
            for t, both in enumerate(row):
                if _negative(row[s]) or _negative(rows[t][t] * row[s] - both * both):
                    return f"look at the tokens {t + 1} and {s + 1}" if t < s else f"K({s + 1}, {s + 1}) < 0"
        found = _indefinite(rows)
    return f"the matrix K(s, t) of the tokens 1 to {found} has a negative eigenvalue" if found else ""


def _entry(law: Law, point: Mapping[str, Fraction], s: int, t: int) -> Any:
    """K(s, t) for s >= t: an exact fraction, or a ball."""
    node = law.diagonal if s == t else law.below
    found: Number | Any = value(node, _Point({**point, "s": Fraction(t), "t": Fraction(s)}))
    if isinstance(found, Fraction):
        long = max(found.numerator.bit_length(), found.denominator.bit_length()) > LONG
        return ball(found) if long else flint.fmpq(found.numerator, found.denominator)
    if not isinstance(found, flint.arb):
        raise StatementError(f"{node} is not a number", at=node.at)
    return found


def _negative(one: Any) -> bool:
    """Whether a fraction or a ball is certainly negative."""
    return bool(one < 0)


def _indefinite(rows: list[list[Any]]) -> int:
    """How many first tokens have a matrix that is certainly not positive semidefinite; 0 where none is found.

    Elimination without pivoting (L D L^T): a negative pivot, or a pivot 0 with anything else in its column, means that
    there is a negative eigenvalue. A ball that may be 0 is no pivot; its token is left out, as a part of a positive
    semidefinite matrix is one.
    """
    exact = all(isinstance(one, flint.fmpq) for row in rows for one in row)
    work = [[one if exact else flint.arb(one) for one in row] for row in rows]
    for k in range(len(work)):
        pivot = work[k][k]
        if _negative(pivot):
            return k + 1
        below = [(r, work[r][k]) for r in range(k + 1, len(work)) if not (exact and work[r][k] == 0)]
        if not pivot > 0:
            if exact and below:
                return below[0][0] + 1
            continue
        for r, head in below:
            factor = head / pivot
            for c, other in below:
                if c > r:
                    break
                work[r][c] -= factor * other
    return 0


def _tokens(known: Hypotheses, places: Sequence[Place], positions: set[str]) -> int:
    """How many tokens there may be: T, or as many as the statement names, at most TOKENS."""
    table = known.places.shortest(positions)
    assert table is not None
    named = [Place("T")] if "T" in positions else [*places]
    tops = [place.offset + (table[place.name, ZERO] if place.name else 0) for place in named]
    return int(min([TOKENS, max(tops, default=TOKENS)]))


def _points(own: set[str], known: Hypotheses, positions: set[str]) -> Iterator[dict[str, Fraction]]:
    """Values of the law's parameters that satisfy the hypotheses: simple ones and the ends first, then drawn ones."""
    labels = sorted(own)
    said = [
        *(one.names() for one in (*known.truths, *known.properties)),
        *(one.names() | two.names() for _, one, two in known.relations),
    ]
    if any(names & own and not names <= own for names in said) or any(one.names() & own for one in known.properties):
        # a hypothesis that ties them to something else
        return
    options = [_values(label, known, positions) for label in labels]
    generator = Random(0)
    drawn = ([generator.choice(values) for values in options] for _ in range(8 * POINTS))
    few = prod(map(len, options)) <= 8 * POINTS
    seen = (dict(zip(labels, values, strict=True)) for values in (product(*options) if few else drawn))
    yield from islice((point for point in seen if _allowed(point, known)), POINTS)


def _values(label: str, known: Hypotheses, positions: set[str]) -> list[Fraction]:
    """Values of one parameter: simple ones in its range, and its ends, or numbers near an open one."""
    if label == "T":
        return list(_LENGTHS)
    found = known.dimension if label == "d" else known.ranges.get(label, Range())
    if label in positions or label == "d" or found.integer:
        pool = [*_INTEGERS, *(end for end in (found.low, found.high) if end is not None)]
        if found.integer and label != "d":
            pool += [-one for one in _INTEGERS] + [Fraction(0)]
    else:
        ends = [end for end in (found.low, found.high) if end is not None]
        near = [end + step for end in ends for step in _NEAR]
        inside = [(ends[0] + ends[1]) / 2] if len(ends) == 2 else []
        pool = [*ends, *near, *inside, *_NUMBERS]
    return [one for one in dict.fromkeys(pool) if found.holds(one)]


def _allowed(point: Mapping[str, Fraction], known: Hypotheses) -> bool:
    """Whether the relations and the order of positions among the hypotheses hold at a point."""
    levels = {ZERO: Fraction(0), **point}
    if any(
        one in levels and two in levels and levels[one] - levels[two] > bound for one, two, bound in known.places.bounds
    ):
        return False
    return all(
        _sign(one, two, point) in HOLDS[relation]
        for relation, one, two in known.relations
        if (one.names() | two.names()) & point.keys()
    )


def _sign(one: Expr, two: Expr, point: Mapping[str, Fraction]) -> int | None:
    try:
        return compared(one, two, _Point(point))
    except (UndefinedError, StatementError, KeyError, IndexError):
        return None


def always(node: Expr, known: Hypotheses) -> bool:
    """Whether a kernel is a covariance by its form, whatever the number of tokens.

    min(s, t), s*t and r**abs(s - t) for -1 <= r <= 1 are, exp(-c*abs(s - t)) for c >= 0 and numbers >= 0; so are sums,
    whole powers and products (Schur) of such ones.
    """
    op, args = node.op, node.args
    if op == "min":
        return set(args) == {_s, _t}
    if op == "+":
        return all(always(one, known) for one in args)
    if op == "*":
        rest = [one for one in args if one not in (_s, _t)]
        return args.count(_s) == args.count(_t) and all(always(one, known) for one in rest)
    if op == "/":
        return always(args[0], known) and _within(args[1], known, 0, None)
    if op == "**" and args[1].op == "number":
        power = args[1].args[0]
        return bool(power >= 1 and power.denominator == 1 and always(args[0], known))
    if op == "**":
        return _is_gap(args[1]) and _within(args[0], known, -1, 1)
    if op == "exp":
        factors = args[0].args if args[0].op == "*" else (args[0],)
        gaps = [one for one in factors if _is_gap(one)]
        signs = [-1 if _within(one, known, None, 0) else 1 for one in factors if not _is_gap(one)]
        fixed = all(_within(one, known, 0, None) or _within(one, known, None, 0) for one in factors if one not in gaps)
        return len(gaps) == 1 and fixed and prod(signs) < 0
    return _within(node, known, 0, None)


def _is_gap(node: Expr) -> bool:
    """Whether an expression is abs(s - t)."""
    return node == _GAP or node == _GAP.put({"s": _t, "t": _s})


def _within(node: Expr, known: Hypotheses, low: int | None, high: int | None) -> bool:
    """Whether a number or a parameter lies between two ends by itself or by its range."""
    if node.op == "number":
        least = most = node.args[0]
    elif node.op == "name" and node.args[0] not in ("s", "t"):
        found = known.ranges.get(node.args[0], Range())
        least, most = found.low, found.high
    else:
        return False
    return (low is None or (least is not None and least >= low)) and (
        high is None or (most is not None and most <= high)
    )


__all__ = ["TOKENS", "always", "check", "failure"]
