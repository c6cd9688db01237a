"""Claims whose empirical check simulates no walks, held to what they say by value.

At cases at which a claim was judged, the statement's names get their values there, and the statement's quantity, as the
two interpreters of statements evaluate it, must be the derived value and the empirical check's number.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any

import flint
import sympy as sp

from montecarlo.registry import instance_of
from proofs_check.binding.along import strays
from proofs_check.binding.balls import LEAST, TIGHT, _around, _settled, _shown, ball_of, stated_value
from proofs_check.binding.named import InstanceError, _completed, instance, named
from proofs_check.binding.realised import between_ends
from proofs_check.binding.tied import Binding, line, quantities
from proofs_check.cases import structured_edges
from proofs_check.checks.evidence import Seen
from proofs_check.checks.points import BITS
from proofs_check.claims.pairing import Pair
from proofs_check.report.telling import parameters
from theorems.algebra.balls import ball, between, precision, rational
from theorems.algebra.closed import names
from theorems.algebra.expressions import symbol
from theorems.claims.catalogue import Statement
from theorems.claims.conditions import clause
from theorems.gaussian.cells import Law, Limit
from theorems.gaussian.numeric import Case as Exact
from theorems.kernel.bounds import sharp_quantity
from theorems.kernel.catalogued import said
from theorems.kernel.derivation import Enclosed, Equivalence, Inequality, SharpBound
from theorems.kernel.equivalence import holds, truth
from theorems.kernel.eventually import Eventually
from theorems.kernel.limits import at_point
from theorems.kernel.settle import value_of
from theorems.statement.deciding.limiting import reached
from theorems.statement.expression import StatementError
from theorems.statement.proposition import Proposition
from theorems.statement.reading import conditions
from theorems.statement.reading.conditions import CLAUSES
from theorems.statement.values.arithmetic import UndefinedError
from theorems.statement.values.cases import Case, admissible
from theorems.statement.values.certify import violation
from theorems.statement.values.values import scalar

#: Cases at which a claim's numbers are looked at, and those at which least values are.
CASES, FEW = 24, 8
#: An error of a number beyond this part of max(1, |number|) says too little of it.
LOOSE = 1e-6
#: The same for the interval of a number that is sampled.
COARSE = 0.05
#: How near to its end the names of a limit are taken: all values there lie in one ball.
NEAR = Fraction(1, 1 << 300)
#: The second interpreter may be off by this part of the sizes that it adds, for rounding.
ROUNDING = 1e-9
#: How near a value between the ends of a range is come to, with rational matrices.
CLOSE = 1e-9
#: How near the least value that is derived a quantity must come, as a part of leading - least.
SHARP = 0.999


@dataclass(frozen=True)
class Place:
    """One case: what the empirical check found, the statement's names there, and the derivation's functionals."""

    seen: Seen
    case: Case
    exact: Exact

    @property
    def key(self) -> str:
        """The case in a line."""
        return place_of(self.seen)


def place_of(seen: Seen) -> str:
    """A case in a line."""
    shown = parameters(seen.case)
    return shown if len(shown) <= 160 else f"{shown[:157]}..."


def values_bound(pair: Pair, seen: Sequence[Seen], only: Collection[str] | None = None) -> Binding:
    """Hold the derived values and an empirical check's numbers against the statement, at CASES of the cases ``seen``.

    ``only`` are the quantities that are compared, where they are not all.
    """
    claim = pair.statement
    try:
        table = quantities(claim)
    except StatementError as error:
        return Binding(missing=[f"what the claim says cannot be read: {line(error)}"])
    found = Binding(missing=[f"nothing is said of {name}" for name in claim.printed if name not in table])
    if only is not None:
        table, found = {name: prop for name, prop in table.items() if name in only}, Binding()
    if not seen:
        return found.joined(Binding(missing=["the empirical check was seen at no case"]))
    given = instance_of(pair.source)
    try:
        seen = [one for one in seen if named(one, given) is not None]
    except InstanceError as error:
        return found.joined(Binding(missing=[f"nothing was compared with the statement: {error}"]))
    if not seen:
        return found.joined(Binding(missing=["the statement's names have no exact values at any case that was seen"]))
    numbers = claim.relation != "when"
    most = FEW if numbers and any(prop.left.has("least") for prop in table.values()) else CASES
    chosen = _chosen(claim, seen, most)
    for name, prop in table.items():
        try:
            places = [
                Place(one, instance(prop, one, given), pair.exact(_completed(pair, one, given))) for one in chosen
            ]
        except InstanceError as error:
            found.missing.append(f"{name} was not compared with the statement: {error}")
            continue
        found = found.joined(_bound(pair, name, prop, places))
    return found


def _chosen(claim: Statement, seen: Sequence[Seen], most: int) -> list[Seen]:
    """So many of the cases: one at each edge of the hypotheses that is met, and others at equal distances."""
    if len(seen) <= most:
        return list(seen)
    met: dict[str, int] = {}
    if claim.model in structured_edges.EDGES:
        edges = structured_edges.edges(claim)
        for place, one in enumerate(seen):
            for edge in sorted(edges & structured_edges.features(claim, one.case)):
                met.setdefault(edge, place)
    even = (len(seen) * k // most for k in range(most))
    return [seen[place] for place in sorted([*dict.fromkeys((*met.values(), *even))][:most])]


def _bound(pair: Pair, name: str, prop: Proposition, places: Sequence[Place]) -> Binding:
    """One quantity at all places; the first place where a side differs is told."""
    hold = _truths if pair.statement.relation == "when" and name in pair.statement.printed else _numbers
    with precision(BITS):
        # where the empirical check has no number of it, the quantity need not exist
        outside = [(admissible(prop, place.case), place) for place in places]
        places = [place for failed, place in outside if not failed]
        for failed, place in outside:
            if failed and name in place.seen.found:
                told = f"the empirical check counts a case outside the hypotheses ({failed}): {place.key}"
                return Binding(simulated=[told])
        try:
            return hold(pair, name, prop, places)
        except (InstanceError, StatementError, UndefinedError, IndexError, ValueError) as error:
            return Binding(missing=[f"{name} was not compared with the statement: {line(error)}"])


def derived_bound(pair: Pair, table: Mapping[str, Proposition], cases: Sequence[Mapping[str, Any]]) -> Binding:
    """Hold what is derived and the prints against the statement at cases of their own."""
    found = Binding(missing=[f"nothing is said of {name}" for name in pair.statement.printed if name not in table])
    hold = _truths if pair.statement.relation == "when" else _numbers
    for name, prop in table.items():
        places = [Place(one, instance(prop, one, None), Exact(one.case)) for one in (Seen(c, c, {}) for c in cases)]
        with precision(BITS):
            try:
                found = found.joined(hold(pair, name, prop, places, alone=True))
            except (InstanceError, StatementError, UndefinedError, IndexError, ValueError) as error:
                found.missing.append(f"{name} was not compared with the statement: {line(error)}")
    return found


# -- numbers


def _numbers(pair: Pair, name: str, prop: Proposition, places: Sequence[Place], alone: bool = False) -> Binding:
    """Numbers at all places; ``alone``: the derived ones, without those of an empirical check."""
    differs = derived_differs(pair, name)
    print_read = _print(pair, name, prop)
    compared, widest, roughest = 0, 0.0, 0.0
    for place in places:
        if isinstance(quantity_of(pair, name), Limit) and (told := strays(pair, prop, place.seen.case)):
            return Binding(simulated=[f"the empirical check goes another way: {told}; {place.key}"])
        stated = left_value(prop, place)
        where = f"at {place.key} the statement's quantity {claim_text(pair, name)} is {_shown(stated)}"
        roughest = max(roughest, float(stated.rad() / (1 + abs(stated.mid()))))
        if not prop.left.has("lim"):
            _by_the_other(prop, place.case, stated, where)
        if name in place.seen.found:
            number, error = place.seen.found[name]  # type: ignore[misc]
            compared, widest = compared + 1, max(widest, error / max(1.0, abs(number)))
            if not _around(number, error).overlaps(stated):
                return Binding(simulated=[f"the empirical check is of another quantity: {where}, it has {number!r}"])
        if told := differs(place, stated):
            return Binding(derived=[f"the derivation is of another quantity: {where}, {told}"])
        if print_read is not None and (told := print_read(place)):
            return Binding(derived=[f"the print is judged as another formula than is said: at {place.key}, {told}"])
    if not (compared or alone) and name in pair.statement.printed:
        raise InstanceError("the empirical check gives no number of it")
    sampled = any(place.seen.sampled for place in places)
    if widest > (COARSE if sampled else LOOSE):
        raise InstanceError(f"the empirical check knows it within {widest:.1e} only, which says too little")
    further = _at_the_bound(pair, name, prop, places)
    says = claim_text(pair, name)
    rough = f", itself known within {roughest:.1e}" if roughest > TIGHT else ""
    how = "sampled" if sampled else "found"
    near = f"{how} within {widest:.1e} of it{rough}, {_told(pair, name)}" if compared else f"derived{rough}"
    told = f"{name} is {says} by value at {count_of(places)}: {near}"
    further += "; its limit is taken by the first interpreter of statements alone" * prop.left.has("lim")
    return Binding(evidence=[told + further])


def left_value(prop: Proposition, place: Place) -> flint.arb:
    """The statement's quantity at a place, its limits taken."""
    if not prop.left.has("lim"):
        return stated_value(prop.left, around_the_limit(prop, place))
    derivation, found = reached(prop)
    return _settled(found.at(derivation, _flat(place.case)))


def derived_differs(pair: Pair, name: str) -> Callable[[Place, flint.arb], str]:
    """What says how a derived quantity differs from the statement's at a place; "" where it does not."""
    quantity = quantity_of(pair, name)
    if isinstance(quantity, Limit):
        # its value on the way, as the statement's quantity
        on_the_way = quantity.finite
        if isinstance(on_the_way, Law):
            raise InstanceError("the derivation has a law there, and no formula")
        return lambda place, stated: _other(formula_at(on_the_way, place), stated)
    if isinstance(quantity, Eventually):
        return lambda place, stated: _beyond(formula_at(quantity.upper, place), stated, 1)
    if isinstance(quantity, Enclosed):
        ends = [(end, 1) for end in quantity.lows] + [(end, -1) for end in quantity.highs]
        return lambda place, stated: next(
            (told for end, side in ends if (told := _beyond(formula_at(end, place), stated, side))), ""
        )
    if isinstance(quantity, Inequality):
        value: sp.Expr | None = quantity.quantity
    elif isinstance(quantity, SharpBound):
        value = sharp_quantity(quantity)
    elif quantity is None:
        # what is free beside a bounded quantity, or a functional that prints name
        bound = next(iter(pair.derived().quantities.values()))
        value = bound.free.get(name) if isinstance(bound, SharpBound) else symbol(name)
    else:
        value = value_of(pair.derived(), name).expr
    if value is None:
        raise InstanceError("no step says what the derived bound is of")
    return lambda place, stated: _other(formula_at(value, place), stated)


def claim_text(pair: Pair, name: str) -> str:
    """A quantity as the claim writes it, by the names of its definitions."""
    says = pair.statement.says
    assert says is not None
    return " ".join(says.quantities[name].split())


def _told(pair: Pair, name: str) -> str:
    """How the derivation was held to a statement's quantity, in words."""
    quantity = quantity_of(pair, name)
    if isinstance(quantity, Limit):
        return "and derived, on the way to the limit that is said"
    if isinstance(quantity, Eventually):
        return "and nowhere below the derived least value"
    return "and between the derived ends" if isinstance(quantity, Enclosed) else "and derived"


def quantity_of(pair: Pair, name: str) -> Any:
    """What is derived under a quantity's name, or of all prints at once; None for a name that only prints have."""
    found = pair.derived().quantities
    if name in found:
        return found[name]
    return next(iter(found.values())) if name in pair.statement.printed else None


def formula_at(formula: sp.Expr, place: Place) -> flint.arb:
    """A formula in the derivation's functionals at a place."""
    values = {}
    for name in names(formula):
        try:
            found = place.exact.number(name)
        except KeyError:
            if name not in place.case.numbers:
                raise InstanceError(f"the derivation's {name} has no value at {place.key}") from None
            found = place.case.numbers[name]
        values[name] = found() if callable(found) else rational(found)
    return ball(formula, values)


def _other(derived: flint.arb, stated: flint.arb) -> str:
    return "" if _settled(derived).overlaps(stated) else f"the derivation gives {_shown(derived)}"


def _beyond(end: flint.arb, stated: flint.arb, side: int) -> str:
    return f"beyond the derived end {_shown(end)}" if side * (_settled(end) - stated) > 0 else ""


def _print(pair: Pair, name: str, prop: Proposition) -> Callable[[Place], str] | None:
    """What says how a print in the language differs from the print as it is judged, at a place; None for no print."""
    claim = pair.statement
    if name not in claim.printed:
        return None
    try:
        said(claim, name)
    except StatementError as error:
        raise InstanceError(f"its print cannot be read in the language: {line(error)}") from None
    formula = pair.formulas[name]

    def differs(place: Place) -> str:
        stated, judged = stated_value(prop.right, place.case), _as_judged(pair, name, formula, place)
        if _settled(judged).overlaps(stated):
            return ""
        return f"{prop.right} is {_shown(stated)}, and {claim.printed[name]} is {_shown(judged)}"

    return differs


def _as_judged(pair: Pair, name: str, formula: sp.Expr, place: Place) -> flint.arb:
    """A print at a place, as it is judged: case by case, where it is about a limit with cases."""
    if not isinstance(quantity_of(pair, name), Limit):
        return formula_at(formula, place)
    found = at_point(formula, place.exact.scalars)
    if found is None:
        raise InstanceError(f"the print has no value at {place.key}")
    return ball(found, {})


def around_the_limit(prop: Proposition, place: Place) -> Case:
    """The case, and all values near the end of a limit whose name no case gives: what tends lies in their ball."""
    label, end = prop.limit.variable, prop.limit.value
    if label not in place.case.numbers or end is None or label in place.seen.case or label in place.seen.given:
        return place.case
    middle = place.case.numbers[label]
    near = {**place.case.numbers, label: between(middle - NEAR, middle + NEAR)}
    # a value that is read as a number may be a ball
    return replace(place.case, numbers=near)  # type: ignore[arg-type]


def _at_the_bound(pair: Pair, name: str, prop: Proposition, places: Sequence[Place]) -> str:
    """How near the statement's quantity comes to a derived bound that is said to be its extreme; "" for others."""
    quantity = quantity_of(pair, name)
    if isinstance(quantity, Eventually):
        shares = []
        for place in places:
            leading, least = (formula_at(f, place) for f in (quantity.leading, quantity.upper))
            shares.append(float((leading - stated_value(prop.left, place.case)) / (leading - least)))
        if not max(shares) > SHARP:
            raise InstanceError(f"it comes within {1 - max(shares):.1e} of its derived least value only")
        return f"; it comes within {1 - max(shares):.1e} of the derived least value"
    if not isinstance(quantity, SharpBound):
        return ""
    attained = Seen(quantity.attained, quantity.attained, {})
    given = instance_of(pair.source)
    if given is not None and not set(inspect.signature(given).parameters) <= set(quantity.attained):
        given = None
    place = Place(attained, instance(prop, attained, given), Exact(quantity.attained))
    if not (stated_value(prop.left, place.case) ** 2).overlaps(formula_at(quantity.square.expr, place)):
        raise InstanceError(f"it does not attain the derived bound at {place.key}")
    return "; it attains the derived bound" + (_all_between(pair, prop) if pair.statement.relation == "range" else "")


def _all_between(pair: Pair, prop: Proposition) -> str:
    """Values between the ends of a range that the statement's quantity is seen to take, beside every free one.

    Raises InstanceError where it does not take one that was derived.
    """
    table = quantities(pair.statement)
    points = list(between_ends(quantity_of(pair, next(iter(pair.statement.printed)))))
    for raw, value, free in points:
        seen = Seen(raw, raw, {})
        for other, wanted in ((prop, value), *((table[name], value) for name, value in free.items())):
            place = Place(seen, instance(other, seen, None), Exact(raw))
            if failed := admissible(other, place.case):
                raise InstanceError(f"a case at which it should be {wanted} is outside the hypotheses: {failed}")
            if not _around(float(wanted), CLOSE).overlaps(ball_of(scalar(other.left, place.case))):
                raise InstanceError(f"{other.left} is not {wanted} at {place.key}, as was derived")
    beside = "".join(f" beside {name}" for name in sorted({name for _, _, free in points for name in free}))
    return f", and takes values between its ends{beside} as derived at {len(points)} cases"


# -- truth values


def _truths(pair: Pair, name: str, prop: Proposition, places: Sequence[Place], alone: bool = False) -> Binding:
    quantity = quantity_of(pair, name)
    if not isinstance(quantity, Equivalence):
        raise InstanceError("the derivation says of no property when it holds")
    told, seen_again = {True: 0, False: 0}, 0
    text = str(prop.left) if prop.relation in CLAUSES else f"{prop.left} {prop.relation} {prop.right}"
    for place in places:
        observed = place.seen.found.get(name)
        stated = _holds(prop, place.case)
        if stated is None or (observed is None and not alone):
            continue
        where = f"at {place.key} {text} is {stated}"
        again = _truth_by_the_other(prop, place.case)
        if again is not None and again != stated:
            raise InstanceError(f"{where}; the second interpreter of statements has {again}")
        seen_again += again is not None
        if observed not in (None, stated):
            return Binding(simulated=[f"the empirical check is of another property: {where}, it observes {observed}"])
        if truth(quantity, place.exact) == (not stated):
            return Binding(derived=[f"the derivation is of another property: {where}, it gives {not stated}"])
        if told_apart := _clause_differs(pair, name, prop, place):
            return Binding(
                derived=[f"the print is judged as another clause than is said: at {place.key}, {told_apart}"]
            )
        told[stated] += 1
    if not min(told.values()):
        raise InstanceError("it was seen true only, or false only, or never decided")
    shares = f"{told[True]} times true, {told[False]} times false, by the second interpreter too at {seen_again}"
    how = "derived" if alone else "derived and observed"
    return Binding(evidence=[f"{name} is {text} by truth value at {count_of(places)}, {how}: {shares}"])


def _holds(prop: Proposition, case: Case) -> bool | None:
    """Whether the property that a claim is about holds at a case: the left side of a clause, or a relation."""
    if prop.relation in CLAUSES:
        return conditions.truth(prop.left, case)
    broken = violation(prop, case)
    return None if broken is None else not broken


def _clause_differs(pair: Pair, name: str, prop: Proposition, place: Place) -> str:
    """How the printed clause, as it is judged, differs from the one that is said; "" where that is not seen."""
    if prop.relation not in CLAUSES:
        return ""
    said_so = conditions.truth(prop.right, place.case)
    word, judged = clause(pair.statement.printed[name])
    found = holds(judged, place.exact)
    if word == prop.relation and (None in (said_so, found) or said_so == found):
        return ""
    return f"{prop.relation} {prop.right} is {said_so}, and {pair.statement.printed[name]} is {found}"


def _truth_by_the_other(prop: Proposition, case: Case) -> bool | None:
    """Whether the property holds in float64 by the interpreter of the simulations; None where it does not settle it."""
    from montecarlo.statements.nodes import StatementSimulationError, frozen
    from montecarlo.statements.values import value

    node = prop.left.plain()
    if prop.relation not in CLAUSES:
        node = ["relation", prop.relation, node, prop.right.plain()]
    try:
        return bool(value(frozen(node), _environment(case, ())))
    except StatementSimulationError:
        return None


# -- the statement's names at a case


# -- values


def _by_the_other(prop: Proposition, case: Case, stated: flint.arb, where: str) -> None:
    """Raise InstanceError where the interpreter of the simulations has another number for the quantity."""
    from montecarlo.statements.functions import sizes
    from montecarlo.statements.nodes import StatementSimulationError, frozen
    from montecarlo.statements.values import value

    node = frozen(prop.left.plain())
    shapes = tuple((name, size) for name, size in prop.known.sizes.items() if name in case.matrices)
    try:
        env = _environment(case, shapes)
        number, size = (float(value(one, env)) for one in (node, sizes(node)))
    except StatementSimulationError as error:
        raise InstanceError(f"{where}; the second interpreter has no number: {line(error)}") from None
    rounding = LEAST if prop.left.has("least") else ROUNDING
    if not _around(number, rounding * max(abs(size), abs(number))).overlaps(stated):
        raise InstanceError(f"{where}; the second interpreter of statements has {number!r}")


@lru_cache(maxsize=CASES)
def _environment(case: Case, shapes: tuple[tuple[str, tuple[str, str]], ...]) -> Any:
    """The names of a case for the second interpreter, which keeps what it works out there for further quantities."""
    from montecarlo.statements.ensemble import law_of
    from montecarlo.statements.environment import environment_of

    return law_of(_flat(case)) if case.ensemble else environment_of(_flat(case), sizes=dict(shapes))


def _flat(case: Case) -> dict[str, Any]:
    """A case as a simulation's interpreter reads it."""
    plain = case.plain()
    numbers = {name: int(v) if v.denominator == 1 else str(v) for name, v in case.numbers.items()}
    families = {"families": plain["families"]} if case.families else {}
    tokens = {"tokens": plain["tokens"]} if case.ensemble else {}
    return {**numbers, **plain["matrices"], **plain["vectors"], **plain["sequences"], **families, **tokens}


def count_of(places: Sequence[Any]) -> str:
    """How many cases, in words."""
    return f"{len(places)} case{'s' * (len(places) != 1)}"
