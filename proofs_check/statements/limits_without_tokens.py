"""A limit of a function of one name: decided by its series, confronted with its values along what tends."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

from proofs_check.statements.found import Found
from proofs_check.statements.rounding import radii
from theorems.statement.expression import Expr, minus, number
from theorems.statement.limits.laurent import NoSeriesError
from theorems.statement.limits.leading import Limit, quotient_limit, sign_near
from theorems.statement.mutants import mutants
from theorems.statement.proposition import Proposition
from theorems.statement.values.cases import Case

#: Values are looked at where x is 2^1, 2^2, ..., or as near as 2^-1, 2^-2, ... to the place.
STEPS = (*range(1, 17),)
#: And further on, to the end of float64, where values have not come to the limit by then: 1/log(n) is slow.
FURTHER = (32, 64, 128, 256, 512, 1000)
#: The last value is within this part of the limit, or of 1; values nearer to it come nearer by this factor.
NEAR, NEARER = 0.02, 0.5


def judged_limit(prop: Proposition) -> Found:
    """What the series and the values say of f -> c, f ~ g, f = g + o(h) or f = g + O(h), as x tends to one place."""
    found = Found(tier="values along the limit")
    variable = prop.limit.variable
    names = {name for side in (prop.left, prop.right) for name in side.names()}
    where = prop.limit.value
    if (
        prop.limit.together
        or names - {variable}
        or prop.known.relations
        or (where is not None and where.op != "number")
    ):
        found.status, found.reason = "undecided", "only limits of a function of one name are decided without tokens"
        return found
    at = None if where is None else Fraction(where.args[0])
    above, below = _quotient(prop)
    wanted = _wanted(prop)
    try:
        ways = _ways(prop, at)
        limit = quotient_limit(above, below, variable, at, ways)
        target = quotient_limit(wanted, number(1), variable, at, ways)
        # of an inequality up to an error, on which side of it the sides' difference is
        sided = (
            prop.way
            * float(limit)
            * (sign_near(prop.error[1], variable, at, ways) if prop.error and prop.way and limit else 1)
        )
    except NoSeriesError as error:
        found.status, found.reason = "undecided", f"no series in rational numbers: {error}"
        return found
    bounded = prop.error is not None and prop.error[0] == "O"
    holds = (math.isfinite(limit) if bounded else limit == target) or sided < 0
    found.status = "proved" if holds else "disproved"
    found.method = "its Laurent series, or leading terms, in rational numbers"
    found.exact = str(limit) if prop.relation == "->" and math.isfinite(limit) else None
    told = f"({above})/({below}) tends to {limit}"
    found.steps.append({"text": told, "rule": "Laurent series", "ok": holds})
    found.evidence.append(told)
    _confront(prop, found, above, below, limit, target, at)
    return found


def _quotient(prop: Proposition) -> tuple[Expr, Expr]:
    """What has the limit: f, f/g, or (f - g)/h."""
    if prop.error is not None:
        return minus(prop.left, prop.right), prop.error[1]
    return (prop.left, prop.right) if prop.relation == "~" else (prop.left, number(1))


def _wanted(prop: Proposition) -> Expr:
    return number(0) if prop.error is not None else number(1) if prop.relation == "~" else prop.right


def _ways(prop: Proposition, at: Fraction | None) -> tuple[int, ...]:
    """The sides from which a number is approached, by what is known of the name."""
    known = prop.known.ranges.get(prop.limit.variable)
    if at is None or known is None:
        return (1, -1)
    return tuple(w for w, end in ((1, known.high), (-1, known.low)) if end is None or w * (end - at) > 0)


Values = list[tuple[Fraction, float]]


def _values(prop: Proposition, above: Expr, below: Expr, at: Fraction | None, steps: tuple[int, ...] = STEPS) -> Values:
    """Values of a quotient along what tends, by the other side's code, from the first place on.

    A value that rounding alone may move by NEAR of its size, or of 1, says nothing: 1 + x is 1 in floats where x is
    small.
    """
    from montecarlo.search_values import evaluate

    variable = prop.limit.variable
    known = prop.known.ranges.get(variable)

    def value(node: Expr, place: Fraction) -> float:
        return evaluate(node.plain(), {"numbers": {variable: str(place)}})

    ways = (1,) if at is None else (1, -1)
    points = [(at or 0) + way * Fraction(2) ** (k if at is None else -k) for way in ways for k in steps]
    points = [place for place in points if known is None or known.holds(place)]

    def near(case: Case) -> list[float]:
        place = case.numbers[variable]
        return [value(above, place) / (value(below, place) or math.nan)]

    found = []
    for place in points:
        case = Case({variable: place})
        (one,), (radius,) = near(case), radii(prop, Expr("/", (above, below)), case, near, 1)
        if math.isfinite(one) and radius <= NEAR * max(1.0, abs(one)):
            found.append((place, one))
    return found


def comes(values: Values, goal: Limit) -> bool:
    """Whether values come to a number, or grow beyond bounds with its sign."""
    last, goal = values[-1][1], float(goal)
    if not math.isfinite(goal):
        return math.copysign(1, goal) * last > 1 / NEAR
    room = NEAR * max(1.0, abs(goal))
    first, nearest = abs(values[0][1] - goal), abs(last - goal)
    return bool(nearest <= room and (nearest <= NEARER * max(first, room) or first <= room))


def _confront(
    prop: Proposition,
    found: Found,
    above: Expr,
    below: Expr,
    limit: Limit,
    target: Limit,
    at: Fraction | None,
) -> None:
    """The values come to the printed limit, or they come to another one."""
    steps = STEPS
    values = _values(prop, above, below, at)
    if values and not comes(values, limit):
        steps += FURTHER
        values = _values(prop, above, below, at, steps)
    if len(values) < len(STEPS) // 2:
        found.simulation, found.reason = "underpowered", "too few values along the limit"
        return
    place, last = values[-1]
    found.samples = len(values)
    found.power = f"{len(values)} values up to {prop.limit.variable} = {float(place):.6g}; the last is {last:.6g}"
    if not comes(values, limit):
        found.simulation, found.reason = "underpowered", "the values do not yet come to the limit of the series"
    elif found.status == "proved":
        found.simulation = "agrees"
        if prop.way and limit:
            # the other direction is what the values contradict, as they come to a limit on one side
            found.mutants = found.caught = 1
        elif prop.error is None or prop.error[0] == "o":
            _mutants(prop, found, at, steps)
    elif comes(values, target) and not abs(last - float(limit)) < abs(last - float(target)):
        found.simulation = "underpowered"
        found.reason = "disproved; the values do not yet tell the limit of the series from the print"
    else:
        found.simulation, found.confirmed = "contradicts", True
        most = {1: "at most 0 in the limit", -1: "at least 0 in the limit"}.get(prop.way, "a limit of 0")
        printed = most if prop.error is not None else str(target)
        found.counterexample = {
            "params": {prop.limit.variable: _shown(place)},
            "printed": printed,
            "true": f"{last:.8g}",
        }
        if prop.relation == "->" and math.isfinite(limit):
            found.correction = found.correction_sympy = found.correction_latex = str(limit)
            found.holds = "everywhere"


def _shown(place: Fraction) -> str:
    """A place, as a power of 2 where it is one with many digits."""
    exponent = abs(place.numerator).bit_length() - 1
    return f"{'-' * (place < 0)}2**{exponent}" if abs(place) == Fraction(2) ** exponent > 1 << 64 else str(place)


def _mutants(prop: Proposition, found: Found, at: Fraction | None, steps: tuple[int, ...]) -> None:
    """Wrong right sides: the values do not come to what they say."""
    for mutant in mutants(prop):
        wrong = replace(prop, right=mutant.right)
        above, below = _quotient(wrong)
        try:
            limit, target = (
                quotient_limit(one, two, prop.limit.variable, at, _ways(prop, at))
                for one, two in ((above, below), (_wanted(wrong), number(1)))
            )
        except NoSeriesError:
            continue
        if limit == target:
            # another true statement
            continue
        seen = not comes(_values(wrong, above, below, at, steps), target)
        found.mutants += 1
        found.caught += seen
        if not seen:
            found.survivors.append(mutant.label)
