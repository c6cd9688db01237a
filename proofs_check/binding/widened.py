"""Whether what is derived holds under all that a statement allows, not only at the cases that an empirical check tried.

Cases drawn from the statement alone may show that its hypotheses are wider than those of the derivation; that none of
them does is no proof.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import flint

from montecarlo.registry import instance_of
from proofs_check.binding.balls import ball_of
from proofs_check.binding.instances import Place, derived_differs, formula_at, quantity_of
from proofs_check.binding.named import InstanceError
from proofs_check.binding.tied import Binding, quantities
from proofs_check.cases.of_statements import drawn as drawn_tokens
from proofs_check.cases.without_tokens import drawn
from proofs_check.checks.evidence import Seen
from proofs_check.checks.points import BITS
from proofs_check.claims.pairing import Pair
from theorems.algebra.balls import precision
from theorems.algebra.closed import names
from theorems.algebra.expressions import ExpressionError
from theorems.claims.conditions import read
from theorems.gaussian.numeric import Case as Exact
from theorems.kernel import bounds
from theorems.kernel.derivation import Fact, Inequality, SharpBound
from theorems.kernel.equivalence import holds
from theorems.kernel.eventually import Eventually
from theorems.kernel.hypotheses import granted, plain
from theorems.kernel.settle import ungranted
from theorems.statement.expression import StatementError
from theorems.statement.proposition import Proposition
from theorems.statement.reading.syntax import split_top
from theorems.statement.values.arithmetic import UndefinedError
from theorems.statement.values.cases import Case, frame
from theorems.statement.values.values import scalar

#: Cases wanted, and draws for them.
CASES, DRAWS = 40, 120


def needed_as_said(pair: Pair) -> Binding:
    """What is needed of the statement's own names is said as data, and not in the claim's words or conditions alone.

    Conditions on d are those under which a claim's families of vectors exist; of a correction they are its own.
    """
    claim = pair.statement
    says = claim.says
    assert says is not None
    try:
        props = list(quantities(claim).values())
    except StatementError:
        # told where both sides are compared
        return Binding()
    given = {one for part, _ in split_top(says.limit, ",;") for one in plain(part)}
    given = given.union(*map(_said, props))
    every = ((*prop.parameters, *prop.positions, *prop.matrices, *frame(prop).sizes) for prop in props)
    own = {"d", "T"}.union(*every)
    needs = ungranted(pair.derived(), given)
    lacking = [need for need in needs if _speaks_of(need) <= own]
    # what is needed of other names, tr1 == 0 say, fails at no case that the hypotheses leave
    others = [need for need in needs if need not in lacking]
    lacking += [need for need in others if any(_fails_at_tokens(pair, prop, need) for prop in props)]
    for key, quantity in pair.derived().quantities.items():
        if isinstance(quantity, Inequality) and "@" not in key:
            made = set(bounds.hypotheses(quantity)) - set(bounds.ungranted(claim, quantity))
            words = sorted(one for hypothesis in made for one in plain(hypothesis))
            lacking += [one for one in words if _speaks_of(one) <= own and not granted(one, given)]
    conditions = () if claim.corrects else claim.conditions
    lacking += [one for one in conditions if _speaks_of(one) <= own - {"d"} and not granted(one, given)]
    lacking += [one for prop in props for one in conditions if _fails_at_tokens(pair, prop, one)]
    return Binding(derived=[f"{need} is needed, and is not said" for need in lacking[:1]])


def _fails_at_tokens(pair: Pair, prop: Proposition, condition: str) -> bool:
    """Whether a condition, "tr1 == 0", fails at a case of Gaussian tokens within the hypotheses."""
    if not (prop.random and prop.law.gaussian):
        return False
    try:
        return any(holds((condition,), pair.exact(case)) is False for case in drawn_tokens(prop, 1, CASES))
    except (ValueError, ExpressionError):
        # it speaks of a name that such a case does not have, or is said in words
        return False


def _said(prop: Proposition) -> set[str]:
    """The hypotheses of a proposition: as written, what they say of numbers, and that sizes and positions count."""
    found = {one for text in prop.known.texts for one in plain(text)}
    found |= {f"1 <= {name}" for name in (*prop.positions, *frame(prop).sizes, "d", "T")}
    for name, values in prop.known.ranges.items():
        found |= {f"{name} {'>' if values.low_open else '>='} {values.low}"} if values.low is not None else set()
        found |= {f"{name} {'<' if values.high_open else '<='} {values.high}"} if values.high is not None else set()
    return found


def _speaks_of(need: str) -> frozenset[str]:
    """The names in a comparison; of words the first, "W symmetric"."""
    try:
        return names(read(need)[0])
    except (ValueError, ExpressionError):
        return frozenset({need.split()[0]})


def as_wide_as_said(pair: Pair) -> Binding:
    """Look for a case of the statement's hypotheses at which the derived value, or bound, is not that of its quantity.

    Nothing is said where the case's own names are not the statement's, and of limits but for least values.
    """
    if instance_of(pair.source) is not None:
        return Binding()
    try:
        table = quantities(pair.statement)
    except StatementError:
        # told where both sides are compared
        return Binding()
    found = Binding()
    for name, prop in table.items():
        quantity = quantity_of(pair, name)
        # of what grows the least value is one at every length
        if prop.limit.variable and not isinstance(quantity, Eventually):
            continue
        if isinstance(quantity, Fact | Inequality | SharpBound):
            found = found.joined(_looked(pair, name, prop, quantity))
    return found


def of_hypotheses(key: str, prop: Proposition) -> Iterator[Case]:
    """Cases drawn from a statement's hypotheses alone, at the present precision; the same for the same key."""
    generator = Random(key)
    return (case for case in (drawn(prop, generator.choice) for _ in range(DRAWS)) if case is not None)


def _looked(pair: Pair, name: str, prop: Proposition, quantity: Any) -> Binding:
    count, conditions = 0, pair.statement.conditions
    if isinstance(quantity, Inequality):
        conditions = (*conditions, *bounds.ungranted(pair.statement, quantity))
    with precision(BITS):
        for case in of_hypotheses(pair.statement.id, prop):
            if count == CASES:
                continue
            raw = _raw(case)
            place = Place(Seen(raw, raw, {}), case, Exact(raw))
            try:
                if holds(conditions, place.exact) is not True:
                    continue
                stated = ball_of(scalar(prop.left, case))
            except (UndefinedError, IndexError, InstanceError):
                # the statement says nothing there
                continue
            except (ValueError, ExpressionError):
                return Binding()
            try:
                told = derived_differs(pair, name)(place, stated) or _beyond(quantity, place, stated)
            except (InstanceError, KeyError, ValueError):
                if isinstance(quantity, Eventually):
                    # at T = 1 there is no least value
                    continue
                return Binding()
            if told:
                text = f"more is said of {name} than is derived: under the hypotheses, at {place.key}, {told}"
                return Binding(derived=[text])
            count += 1
    what = "has the derived value" if isinstance(quantity, Fact) else "keeps the derived bound"
    return Binding(evidence=[f"{name} {what} at {count} cases drawn from the hypotheses"] if count else [])


def _beyond(quantity: Any, place: Place, stated: flint.arb) -> str:
    """How a quantity is beyond its derived bound at a place; "" where it is not, or where it has none."""
    if isinstance(quantity, Eventually):
        return ""
    if isinstance(quantity, Inequality) and stated > (end := formula_at(quantity.upper, place)):
        return f"it is {stated.str(6, radius=False)}, beyond the derived {end.str(6, radius=False)}"
    if isinstance(quantity, SharpBound) and stated**2 > (end := formula_at(quantity.square.expr, place)):
        return f"its square is {(stated**2).str(6, radius=False)}, beyond the derived {end.str(6, radius=False)}"
    return ""


def _raw(case: Case) -> dict[str, Any]:
    """The case as the derivation reads it."""
    plain = case.plain()
    numbers = {name: int(v) if name == "d" else str(v) for name, v in case.numbers.items()}
    return {**numbers, **plain["matrices"], **plain["vectors"], **plain["sequences"]}
