"""Claims of the kind "the property holds iff (or if) these conditions do", against a proved equivalence."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import Any

import sympy as sp

from theorems.claims.catalogue import Statement
from theorems.claims.conditions import clause, read, written
from theorems.gaussian.numeric import Case
from theorems.gaussian.process import Step
from theorems.kernel.bounds import admitted
from theorems.kernel.derivation import Derived, Equivalence, Fact
from theorems.kernel.outcome import CheckedStep, Outcome
from theorems.rules import ABOUT, EQUIVALENCES
from theorems.rules.implication import IMPLICATIONS, implied

Conditions = tuple[str, ...]
#: An exact case, as data or with the values that were asked of it before.
Point = Mapping[str, Any] | Case


def unsupported_equivalence(found: Equivalence) -> list[str]:
    """Why a proved equivalence does not follow from its steps; empty where its last step concludes it."""
    last = found.steps[-1] if found.steps else None
    if last is None or last.rule not in EQUIVALENCES:
        return ["no step concludes an equivalence"]
    if (last.data[0], tuple(last.data[1])) != (found.property, found.conditions):
        return [
            f"the last step is about {last.data[0]} iff {last.data[1]}, not {found.property} iff {found.conditions}"
        ]
    if found.plane is not None and not _in_cone(found):
        return ["no step says where the coordinates end"]
    lacking = ABOUT[last.rule].facts.lacking(found.facts)
    if lacking:
        return [f"nothing says that {lacking}"]
    about = [step for step in found.steps if step.rule in IMPLICATIONS and _of_the_same_keys(step, last)]
    shown = [(step.data[0], tuple(step.data[1])) for step in about]
    unshown = [enough for enough in found.sufficient if (found.property, enough) not in shown]
    return [f"no step concludes that {' & '.join(unshown[0])} suffices"] if unshown else []


def _of_the_same_keys(step: Step, last: Step) -> bool:
    """Whether what suffices and what is equivalent are about the same keys, as a property's name does not say which."""
    return step.rule != "sufficient-alone" or step.data[2:4] == last.data[2:4]


def _in_cone(found: Equivalence) -> bool:
    """Whether a step shows that the second coordinate is >= 0, and that the first is 0 where it is 0."""
    x, y = found.coordinates
    cones = [step.data for step in found.steps if step.rule == "energy-cone"]
    inner = [part.data for step in found.steps for part in step.data if getattr(part, "rule", "") == "energy-cone"]
    return any(y == square and not (x / linear).has(linear) for linear, square in (*cones, *inner))


def holds(conditions: Conditions, point: Point) -> bool | None:
    """Whether all conditions hold at an exact case; None where that is not settled."""
    case = point if isinstance(point, Case) else Case(point)
    settled = True
    for condition in conditions:
        gap, allowed = read(condition)
        try:
            found = case.sign(gap)
        except KeyError as error:
            known = ", ".join(sorted(case.raw))
            raise ValueError(f"{condition!r} asks for {error.args[0]}, which a case of {known} does not give") from None
        if found is None:
            settled = False
        elif found not in allowed:
            return False
    return True if settled else None


def truth(found: Equivalence, point: Point) -> bool | None:
    """Whether the property holds at an exact case, by the proved conditions."""
    return holds(found.conditions, point)


def contradicted(word: str, conditions: Conditions, found: Equivalence, point: Point) -> bool | None:
    """Whether "property iff (if) conditions" is false at an exact case; None where that is not settled."""
    claimed, true = holds(conditions, point), truth(found, point)
    if claimed is None or true is None:
        return None
    return claimed and not true if word == "if" else claimed != true


def judged(
    word: str,
    conditions: Conditions,
    found: Equivalence,
    points: Sequence[Point],
    inside: Callable[[Point], bool] = lambda _: True,
) -> tuple[bool | None, Any]:
    """Whether a clause is true, and a point that contradicts it where it is false.

    A clause is proved where its conditions are the derived ones (or more of them, for "if"), or where its truth is
    the same in every cell of the plane of the coordinates; it is disproved by a point. Points and cells that are not
    ``inside``, where the claim does not speak, count neither way.
    """
    for point in points:
        case = point if isinstance(point, Case) else Case(point)
        if inside(case) and contradicted(word, conditions, found, case):
            return False, case.raw
    if word == "if" and any(implied(conditions, enough, found.facts) for enough in found.sufficient):
        return True, None
    printed, derived = {_normal(c) for c in conditions}, {_normal(c) for c in found.conditions}
    if printed == derived or (word == "if" and printed >= derived):
        return True, None
    whole = True
    for cell in cells(conditions, found):
        if cell is None:
            return None, None
        verdict = contradicted(word, conditions, found, cell) if inside(cell) else None
        if verdict:
            return False, cell
        whole = whole and verdict is False
    return (True if whole and found.plane is not None else None), None


def boundaries(
    word: str, conditions: Conditions, found: Equivalence, inside: Callable[[Point], bool] = lambda _: True
) -> Conditions:
    """Equations of the printed conditions' boundaries, where a false clause is false on these alone; () otherwise."""
    met: dict[str, None] = {}
    for cell in cells(conditions, found):
        verdict = cell is not None and (contradicted(word, conditions, found, cell) if inside(cell) else False)
        if cell is None or verdict is None:
            return ()
        if verdict:
            gaps = [read(condition)[0] for condition in conditions]
            zero = [gap for gap in gaps if Case(cell).sign(gap) == 0]
            if not zero:
                return ()
            met |= {written(gap, (0,)).replace("==", "="): None for gap in zero}
    return tuple(met)


def _normal(condition: str) -> tuple[sp.Expr, tuple[int, ...]]:
    """A condition up to a positive factor."""
    gap, allowed = read(condition)
    _, rest = sp.expand(gap).as_content_primitive()
    if rest.could_extract_minus_sign():
        rest, allowed = -rest, tuple(sorted(-s for s in allowed))
    return sp.expand(rest), allowed


def cells(conditions: Conditions, found: Equivalence) -> Iterator[dict[str, Any] | None]:
    """A case in every cell that the conditions, printed and derived, cut the plane of the coordinates into.

    None where some condition is not linear and homogeneous in the coordinates, so that cells decide nothing.
    """
    if found.plane is None:
        yield None
        return
    lines = []
    for condition in (*conditions, *found.conditions):
        line = _line(read(condition)[0], found.coordinates)
        if line is None:
            yield None
            return
        lines.append(line)
    # the condition's own line a x + b y = 0 runs along (b, -a); axes too, where a domain may end
    rays = {_primitive(s * b, -s * a) for a, b in lines if (a, b) != (0, 0) for s in (1, -1)}
    rays |= {(1, 0), (-1, 0), (0, 1), (0, -1)}
    order = sorted(rays, key=_angle)
    between = [(p[0] + q[0], p[1] + q[1]) for p, q in pairwise([*order, order[0]])]
    for x, y in [(0, 0), *order, *between]:
        case = found.plane(Fraction(x), Fraction(y))
        if case is not None:
            _check_cell(found, case, x, y)
        # nothing lies outside of the cone
        if case is not None or not (y < 0 or (y == 0 and x != 0)):
            yield case


def _check_cell(found: Equivalence, case: dict[str, Any], x: int, y: int) -> None:
    """Raise ValueError where a case's coordinates are not a positive multiple of (x, y)."""
    exact = Case(case)
    one, two = (exact.evaluate(coordinate) for coordinate in found.coordinates)
    if one * y != two * x or sp.sign(one) != sp.sign(x) or sp.sign(two) != sp.sign(y):
        raise ValueError(f"{found.property}: the case {case} has coordinates {one}, {two}; wanted the ray of {x}, {y}")


def _line(gap: sp.Expr, coordinates: tuple[sp.Expr, ...]) -> tuple[int, int] | None:
    """Whole a, b with gap a positive multiple of a x + b y in the coordinates x, y; None where there are none."""
    coefficients = []
    rest = sp.expand(gap)
    for coordinate in coordinates:
        found = [t for t in sp.Add.make_args(rest) if t != 0 and (t / coordinate).is_Rational]
        whole = sp.Add(*(t / coordinate for t in found))
        coefficients.append(Fraction(int(whole.p), int(whole.q)))
        rest = sp.expand(rest - sp.Add(*found))
    if rest != 0 or len(coordinates) != 2:
        return None
    a, b = coefficients
    return _primitive_fraction(a, b)


def _primitive_fraction(a: Fraction, b: Fraction) -> tuple[int, int]:
    scale = a.denominator * b.denominator
    return _primitive(int(a * scale), int(b * scale)) if a or b else (0, 0)


def _primitive(a: int, b: int) -> tuple[int, int]:
    common = int(sp.igcd(a, b))
    return (a // common, b // common)


def _angle(ray: tuple[int, int]) -> tuple[int, Fraction]:
    """The order of rays around the origin, exactly: by half plane, then by slope."""
    x, y = ray
    upper = 0 if y > 0 or (y == 0 and x > 0) else 1
    if upper:
        x, y = -x, -y
    # the angle in [0, pi) grows as -x/(|x| + y) does
    return upper, Fraction(-x, abs(x) + y)


def settle_equivalence(statement: Statement, derived: Derived, steps: list[CheckedStep]) -> Outcome:
    """Every printed clause against the proved equivalence of its property."""
    outcome = Outcome("proved", "", steps)
    wrong, undecided = [], []
    for name, printed in statement.printed.items():
        found = derived.quantities.get(name)
        if not isinstance(found, Equivalence):
            return Outcome("undecided", f"nothing was derived for when {name} holds", steps)
        outcome.method = outcome.method or found.method
        true = " & ".join(found.conditions)
        outcome.evidence.append(f"proved: {name} iff {true}")
        outcome.evidence += [f"proved: {name} if {' & '.join(enough)}" for enough in found.sufficient]
        word, conditions = clause(printed)
        if found.property != name:
            return Outcome("undecided", f"what was derived for {name} is about {found.property}", steps)
        verdict, point = judged(word, conditions, found, found.points, partial(admitted, statement))
        if verdict is None:
            undecided.append(name)
        if verdict is False:
            wrong.append(name)
            where = ", ".join(f"{parameter} = {value}" for parameter, value in point.items()).replace("'", "")
            so = "holds" if truth(found, point) else "does not hold"
            outcome.evidence.append(f"{name}: the print, {printed}, fails at {where}, where {name} {so}")
            if alone := boundaries(word, conditions, found, partial(admitted, statement)):
                outcome.boundaries[name] = alone
                outcome.evidence.append(f"{name}: the print fails only where {' or '.join(alone)}")
        loose = word == "if" and bool(found.sufficient)
        outcome.suffices += (name,) if loose else ()
        outcome.corrections[name] = conjoined(found.sufficient[0] if loose else found.conditions)
    outcome.exact = _exact(statement, derived, outcome)
    if wrong:
        outcome.status, outcome.false_quantities = "disproved", tuple(wrong)
        outcome.corrections = {n: f for n, f in outcome.corrections.items() if n in wrong}
    elif undecided:
        outcome.status, outcome.method = "undecided", f"whether the clause for {undecided[0]} is true was not decided"
    if not wrong:
        outcome.corrections = {}
    return outcome


def _exact(statement: Statement, derived: Derived, outcome: Outcome) -> sp.Expr | None:
    """The value of the quantity that the claim's symbols name, where the derivation gives one beside the properties."""
    for name, quantity in derived.quantities.items():
        if isinstance(quantity, Fact):
            outcome.evidence.append(f"{name} = {quantity.ratio}")
            if statement.symbols:
                return quantity.ratio.expr
    return None


def conjoined(conditions: Conditions) -> sp.Basic:
    """The conditions as one sympy conjunction, not evaluated."""
    parts = [relation(condition) for condition in conditions]
    return parts[0] if len(parts) == 1 else sp.And(*parts, evaluate=False)


def relation(condition: str) -> sp.Basic:
    """A condition as a sympy relation, not evaluated."""
    gap, allowed = read(condition)
    kinds = {(1,): sp.Gt, (0, 1): sp.Ge, (-1,): sp.Lt, (-1, 0): sp.Le, (0,): sp.Eq, (-1, 1): sp.Ne}
    return kinds[allowed](gap, sp.Integer(0), evaluate=False)


def clause_of(word: str, conditions: sp.Basic) -> str:
    """The clause that says what a conjunction of relations does."""
    signs = {"StrictGreaterThan": (1,), "GreaterThan": (0, 1), "StrictLessThan": (-1,), "LessThan": (-1, 0)}
    signs |= {"Equality": (0,), "Unequality": (-1, 1)}
    parts = conditions.args if isinstance(conditions, sp.And) else (conditions,)
    return f"{word} " + " & ".join(written(p.lhs - p.rhs, signs[type(p).__name__]) for p in parts)
