"""Probabilities of a normal number of its own: P[a <= normal(mu, v) <= b], and the error function that they are."""

from __future__ import annotations

from theorems.statement.expression import Expr, StatementError, minus, number

#: How a relation reads from right to left.
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_MEND = "of a normal number expected the probability of an interval, e.g. P[0 <= normal(mu, v) <= 1]"


def chance(moment: str, event: Expr, text: str, at: int) -> Expr:
    """The probability that a normal number lies in an interval, without its ends or with them, as it has no atom.

    StatementError for any other moment, and for an event that is not the number between numbers.
    """
    relations = event.args if event.op == "and" else (event,)
    if moment != "P" or any(one.op != "relation" for one in relations):
        raise StatementError(f"{moment}[{event}]: {_MEND}", text, at)
    ends: dict[str, Expr] = {}
    drawn: set[Expr] = set()
    for one in relations:
        mark, left, right = one.args
        if left.op != "normal":
            mark, left, right = _TURNED.get(mark, mark), right, left
        side = {"<": "high", "<=": "high", ">": "low", ">=": "low"}.get(mark, "")
        if left.op != "normal" or right.has("normal") or not side or side in ends:
            raise StatementError(f"{one}: {_MEND}", text, one.at if one.at >= 0 else at)
        drawn.add(left)
        ends[side] = right
    if len(drawn) > 1:
        raise StatementError("two normal numbers, and how they depend is not said; write one", text, at)
    (only,) = drawn
    if any(part.random for part in (*only.args, *ends.values())):
        raise StatementError(f"{event}: its mean, variance and ends are random; expected numbers, or moments", text, at)
    kind = "within" if len(ends) == 2 else "above" if "low" in ends else "below"
    return Expr("chance", (kind, *only.args, *(ends[side] for side in ("low", "high") if side in ends)), at)


def by_erf(node: Expr) -> Expr:
    """The probability by the error function: (erf(z_high) - erf(z_low))/2 with z = (end - mean)/sqrt(2 variance).

    Of an interval whose ends are not seen to be in order it is 0 where they are not.
    """
    kind, mean, variance, *ends = node.args
    spread = Expr("sqrt", (Expr("*", (number(2), variance)),))
    low, high = (Expr("erf", (Expr("/", (minus(end, mean), spread)),)) for end in (ends[0], ends[-1]))
    one = number(1)
    twice = minus(high if kind != "above" else one, low if kind != "below" else number(-1))
    found = Expr("/", (twice, number(2)))
    if kind != "within" or _ordered(*ends):
        return found
    return Expr("max", (number(0), found))


def _ordered(low: Expr, high: Expr) -> bool:
    return low.op == high.op == "number" and bool(low.args[0] <= high.args[0])
