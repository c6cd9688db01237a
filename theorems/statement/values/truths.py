"""Whether relations, relations for every index, and the existence of unknowns hold at an exact case, certified."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from theorems.algebra.balls import PRECISIONS, precision
from theorems.statement.expression import HOLDS, Expr, StatementError, minus
from theorems.statement.values.arithmetic import Number, UndefinedError, Vector, plus, times
from theorems.statement.values.exponentials import vanishes
from theorems.statement.values.kept import kept
from theorems.statement.values.values import Data, value

#: Most values of indices that are looked at one by one.
MOST = 20_000

Own = Mapping[str, Fraction]


def truth(node: Expr, case: Data, own: Own | None = None) -> bool | None:
    """Whether a node is certified true or false at a case; None where balls settle neither. Raises UndefinedError."""
    if not own:
        found: bool | None = kept(case).once(("truth", node), lambda: _truth(node, case, {}))
        return found
    return _truth(node, case, own)


def _truth(node: Expr, case: Data, own: Own) -> bool | None:
    if node.op == "relation":
        return _related(node, case, own)
    if node.op == "every":
        found = [truth(one, case, at) for one, at in instances(node, case, own)]
        return False if False in found else None if None in found else True
    if node.op == "exists":
        # a program of its own, which needs the relations' instances
        from theorems.statement.values.programs import exists

        return exists(node, case, own)
    raise StatementError(f"{node} is neither true nor false; expected a relation", at=node.at)


def instances(node: Expr, case: Data, own: Own) -> Iterator[tuple[Expr, Own]]:
    """The relations that ``every`` stands for, with the values of its indices; of any other node itself alone.

    UndefinedError where balls do not tell whether a condition on the indices holds.
    """
    if node.op == "given":
        body, *conditions = node.args
        found = {one: _related(one, case, own) for one in conditions}
        if False in found.values():
            return
        if None in found.values():
            unsettled = next(one for one, holds in found.items() if holds is None)
            raise UndefinedError(f"whether {unsettled} holds is not settled")
        yield from instances(body, case, own)
    elif node.op == "every":
        body, index, *ends = node.args
        for place in places(ends, case, own):
            yield from instances(body, case, {**own, index: place})
    else:
        yield node, own


def places(ends: list[Expr], case: Data, own: Own) -> list[Fraction]:
    """The values of an index between two ends, or those that a sequence has."""
    found = [value(end, case, own) for end in ends]
    if len(found) == 1:
        (listed,) = found
        entries = listed.entries if isinstance(listed, Vector) else ()
        numbers = [entry for entry in entries if isinstance(entry, Fraction)]
        if len(numbers) < len(entries) or not entries:
            raise UndefinedError(f"{ends[0]} is no sequence of integers")
        return numbers
    whole = [one for one in found if isinstance(one, Fraction) and one.denominator == 1]
    if len(whole) < 2:
        raise UndefinedError(f"an index from {found[0]} to {found[1]}; expected integers")
    low, high = map(int, whole)
    if high - low > MOST:
        raise UndefinedError(f"an index from {low} to {high}; expected at most {MOST} values")
    return [Fraction(place) for place in range(low, high + 1)]


def _related(node: Expr, case: Data, own: Own) -> bool | None:
    mark, left, right = node.args
    for bits in PRECISIONS:
        with precision(bits):
            gap = plus(value(left, case, own), times(Fraction(-1), value(right, case, own)))
            assert not isinstance(gap, Vector)
            sign = _sign(gap)  # type: ignore[arg-type]
            if sign is not None:
                return sign in HOLDS[mark]
    return 0 in HOLDS[mark] if vanishes(minus(left, right), case, own) else None


def _sign(gap: Number) -> int | None:
    if isinstance(gap, Fraction):
        return (gap > 0) - (gap < 0)
    return 1 if gap > 0 else -1 if gap < 0 else None
