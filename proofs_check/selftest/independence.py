"""Independence, measured: a fault in one side of a claim alone, and whether the two sides are seen to differ.

Derivation and check are broken in turn, automatically by their kind, through the registries' own blocks, which
put everything back. A side that shared its numbers with the other would agree with it, broken or not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import singledispatch, wraps
from itertools import zip_longest
from typing import Any

import sympy as sp

from montecarlo import registry
from montecarlo.empirical_checks import SINGLE, Evaluation, Growth, Observation, Points, Registered, Search, Simulation
from proofs_check.cases import drawn as drawing
from proofs_check.checks.evaluating import evaluated
from proofs_check.checks.evidence import EFFORTS, Evidence, RunContext
from proofs_check.checks.growing import grown
from proofs_check.checks.observing import observed
from proofs_check.checks.sampling import sampled
from proofs_check.checks.searching import searched
from proofs_check.claims.pairing import Pair
from proofs_check.inputs.errors import UsageError
from proofs_check.inputs.plugins import empirical_check
from proofs_check.judging.judgement import verdict
from proofs_check.judging.process import cores
from proofs_check.judging.variants import keys, of
from theorems.algebra.ratio import Ratio
from theorems.claims.catalogue import Statement, with_sides
from theorems.claims.conditions import read, written
from theorems.gaussian.process import Moment
from theorems.kernel import deriving
from theorems.kernel.derivation import Derived, Enclosed, Equivalence, Expected, Fact, Inequality, SharpBound, closed
from theorems.kernel.eventually import Eventually
from theorems.kernel.limits import Limit
from theorems.kernel.matrix_facts import MatrixFact
from theorems.kernel.outcome import Outcome
from theorems.kernel.settle import settle
from theorems.rules.orders import Order

SIDES = ("derivation", "simulation")
NOT_APPLICABLE = "not applicable"
EFFORT = "quick"
#: Cases that a fault is looked for in, one after the other, before the whole claim is judged at this effort.
CASES = 6
#: A whole fault, relative to what it changes; smaller ones are parts of it.
WHOLE = Fraction(1)

Row = dict[str, Any]


@dataclass(frozen=True)
class Found:
    """What the referee says of a broken claim, and at which case (None: all that the empirical check looks at)."""

    verdict: str
    reason: str
    case: Mapping[str, Any] | None = None


def measure(
    *,
    seed: int = 0,
    claims: Sequence[Statement] | None = None,
    step: Callable[[int, int], None] = lambda done, of: None,
) -> list[Row]:
    """Break each side of each claim (all with sides of their own if none are given) and variant once: a row each.

    A row has ``id``, ``side``, ``fault`` in words, the ``verdict`` of the broken claim, ``caught`` and the ``reason``.
    A fault is caught where the sides are seen to differ, whatever the kernel says of a faulty derivation ("conflict"
    here), and those of the claim without it are not at the same case. Where a
    claim has several quantities each is broken alone and all must be caught. A side that gives nothing which could be
    wrong has the verdict "not applicable". ``step`` is told of the progress.
    """
    chosen = [one for claim in (with_sides() if claims is None else claims) for one in (claim, *_variants(claim))]
    rows: list[Row] = []
    for place, claim in enumerate(chosen):
        step(place, len(chosen))
        sound: dict[str, bool] = {}
        rows += [broken(claim, side, seed=seed, sound=sound) for side in SIDES]
    step(len(chosen), len(chosen))
    return rows


def _variants(claim: Statement) -> list[Statement]:
    """The claim's variants, as claims."""
    pair = Pair(claim)
    return [of(pair, key) for key in keys(pair)]


def tally(rows: Sequence[Row]) -> dict[str, int]:
    """How many faults were caught, and of how many; sides without anything to break are counted apart."""
    real = [row for row in rows if row["verdict"] != NOT_APPLICABLE]
    return {"caught": sum(row["caught"] for row in real), "of": len(real), "apart": len(rows) - len(real)}


def broken(
    claim: Statement,
    side: str,
    *,
    seed: int = 0,
    size: Fraction = WHOLE,
    sound: dict[str, bool] | None = None,
) -> Row:
    """Break one side of a claim, a quantity after the other, each fault ``size`` times as large as a whole one.

    ``sound`` keeps at which cases the claim as it stands was seen without a conflict. Raises ValueError for a side that
    is none.
    """
    if side not in SIDES:
        raise ValueError(f"side = {side!r}; expected one of {', '.join(SIDES)}")
    row: Row = {"id": claim.id, "side": side, "fault": "none", "verdict": NOT_APPLICABLE, "caught": False}
    derived = Pair(claim).derived()
    if derived.missing:
        return row | {"reason": f"nothing is derived, as the source is incomplete: {derived.missing}"}
    try:
        entry = empirical_check(claim)
    except UsageError as error:
        return row | {"verdict": "error", "reason": " ".join(str(error).split())}
    known = {} if sound is None else sound
    told: list[str] = []
    found: list[tuple[str, Found]] = []
    for name in quantities(claim, derived):
        if side == "derivation":
            words, seen = _derivation_broken(claim, derived, name, entry, seed, size)
        else:
            words, seen = _simulation_broken(claim, name, entry, seed, size)
        if seen.verdict == "conflict" and not _sound(claim, entry, seed, seen.case, known):
            seen = replace(seen, verdict="error", reason="the claim is in conflict there without a fault, too")
        told.append(f"{name}: {words}" if name else words)
        found.append((name, seen))
    row["fault"] = "; ".join(told)
    missed = [(name, seen) for name, seen in found if seen.verdict != "conflict"]
    if not missed:
        return row | {"verdict": "conflict", "caught": True, "reason": found[0][1].reason}
    reasons = [(f"{name}: " if name else "") + (seen.reason or seen.verdict) for name, seen in missed]
    return row | {"verdict": missed[0][1].verdict, "reason": "; ".join(reasons)}


def quantities(claim: Statement, derived: Derived) -> tuple[str, ...]:
    """What can be wrong in a claim: what is printed, what the print refers to, and numbers beside a property."""
    if claim.relation == "when":
        return (*claim.printed, *(n for n, q in derived.quantities.items() if isinstance(q, Fact | Enclosed)))
    if set(derived.quantities) == {""} or claim.relation in ("<=", "range"):
        return ("",)
    return Pair(claim).names


def _derivation_broken(
    claim: Statement, derived: Derived, name: str, entry: Registered, seed: int, size: Fraction
) -> tuple[str, Found]:
    """The fault in words, and what is found of the claim whose derivation has it."""
    place = name if name in derived.quantities else next(iter(derived.quantities))
    words = faulty(derived.quantities[place], size)[1]
    source = claim.corrects or claim.id
    function = deriving.find(source)

    @wraps(function)
    def wrong(**given: Any) -> Any:
        result = function(**given)
        table = dict(result) if isinstance(result, dict) else {"": result}
        return table | {place: faulty(table[place], size)[0]}

    with deriving.registered(source, wrong):
        return words, _judged(claim, entry, seed, None if _given(claim, entry, name) else set())


def _given(claim: Statement, entry: Registered, name: str) -> bool:
    """Whether a simulation gives numbers of that name, or an evaluation beside it.

    Of other empirical checks that is not known before they run.
    """
    return not isinstance(entry, Simulation) or _drawn(claim, name) or _beside(claim, entry, name) is not None


def _drawn(claim: Statement, name: str) -> bool:
    return not name or name in Pair(claim).sampled_names


def _beside(claim: Statement, entry: Registered, name: str) -> Evaluation | None:
    """What evaluates a quantity that the claim's simulation does not return; None for other quantities."""
    if not isinstance(entry, Simulation) or _drawn(claim, name):
        return None
    return registry.beside(claim.corrects or claim.id)


def _simulation_broken(claim: Statement, name: str, entry: Registered, seed: int, size: Fraction) -> tuple[str, Found]:
    """The fault in words, and what is found of the claim whose empirical check has it."""
    other = _beside(claim, entry, name)
    wrong, words, touched = spoilt(other or entry, name, claim, size)
    with registry.registered(wrong, beside=other is not None):
        found = _judged(claim, entry if other else wrong, seed, touched)
    if found.verdict not in ("conflict", "error") and not touched:
        found = replace(found, reason="the empirical check gives no such number, so that nothing can be wrong in it")
    return words, found


def _judged(claim: Statement, entry: Registered, seed: int, touched: set[str] | None = None) -> Found:
    """What is found at the first case with a conflict, else of the whole claim.

    ``touched`` are the numbers that a fault was put into so far: where there are none the first case says it all.
    """
    found = Found("undecided", "no case was drawn")
    try:
        pair = Pair(claim)
        outcome = settle(claim, pair.derived())
        for case in _cases(claim, entry, seed):
            found = Found(*_ruling(outcome, _look(pair, outcome, entry, seed, case)), case)
            # a side gives all of its numbers at every case, but for a property's that may have none
            if found.verdict == "conflict" or (touched == set() and not isinstance(entry, Observation)):
                break
    except Exception as error:
        return Found("error", " ".join(f"{type(error).__name__}: {error}".split()))
    return found


def _ruling(outcome: Outcome, evidence: Evidence) -> tuple[str, str]:
    """The verdict, but that sides which differ are told as such even where the kernel has refused the derivation."""
    if evidence.conflicts:
        return "conflict", f"derivation and simulation disagree: {evidence.conflicts[0]}"
    return verdict(outcome, evidence)


def _sound(
    claim: Statement, entry: Registered, seed: int, case: Mapping[str, Any] | None, known: dict[str, bool]
) -> bool:
    """Whether the claim as it stands is without a conflict at a case: a referee that always finds one sees nothing."""
    name = drawing.key(case or {})
    if name not in known:
        pair = Pair(claim)
        outcome = settle(claim, pair.derived())
        known[name] = _ruling(outcome, _look(pair, outcome, entry, seed, case))[0] != "conflict"
    return known[name]


def _cases(claim: Statement, entry: Registered, seed: int) -> Iterator[Mapping[str, Any] | None]:
    """Cases as quick effort draws them, its slots in turn, the whole claim last (None).

    It comes first where the empirical check draws its own points.
    """
    if not isinstance(entry, Search | Growth):
        drawn = [
            # Hypothesis begins with the plainest
            drawing.drawn(claim, slot, seed * 64 + place, EFFORTS[EFFORT].draws)[::-1]
            for place, slot in enumerate(drawing.slots(claim, EFFORT))
        ]
        turns = [case for turn in zip_longest(*drawn) for case in turn if case is not None]
        yield from turns[:CASES]
    yield None


def _look(pair: Pair, outcome: Outcome, entry: Registered, seed: int, case: Mapping[str, Any] | None) -> Evidence:
    """What the empirical check finds at one case, or where it draws its own points at all of them."""
    context = RunContext(seed, "cpu", cores(), EFFORTS[EFFORT], EFFORT)
    if isinstance(entry, Evaluation):
        return evaluated(pair, outcome, entry, context, case)
    if isinstance(entry, Growth):
        return grown(pair, outcome, entry, pair.statement.alpha, context)
    if isinstance(entry, Search):
        return searched(pair, outcome, entry, context)
    if isinstance(entry, Observation):
        return observed(pair, outcome, entry, context, case)
    return sampled(pair, outcome, entry, pair.statement.alpha, context, case)


def _off(value: sp.Expr, size: Fraction) -> tuple[sp.Expr, str]:
    """A value times 1.1 for a whole fault, 0 shifted instead, and the fault in words."""
    if value == 0:
        return sp.Rational(size / 10), f"0 -> {size / 10}"
    return value * sp.Rational(1 + size / 10), f"value times {1 + size / 10}"


def _times(size: Fraction) -> str:
    return "" if size == WHOLE else f"{size} "


@singledispatch
def faulty(quantity: Any, size: Fraction) -> tuple[Any, str]:
    """A derived quantity with a fault of that size, its steps as they were, and the fault in words.

    Raises TypeError for a kind of quantity without a fault.
    """
    raise TypeError(f"{type(quantity).__name__} has no fault to plant; add one beside the others")


@faulty.register
def _(quantity: Moment, size: Fraction) -> tuple[Any, str]:
    value, words = _off(quantity.expr, size)
    return replace(quantity, ratio=Ratio.from_expr(value)), words


@faulty.register
def _(quantity: Expected, size: Fraction) -> tuple[Any, str]:
    mean, words = _off(quantity.mean, size)
    # the spread stays, so that as many numbers are drawn as before
    return replace(quantity, mean=mean, second=quantity.second - quantity.mean**2 + mean**2), words


@faulty.register
def _(quantity: Fact, size: Fraction) -> tuple[Any, str]:
    value, words = _off(quantity.ratio.expr, size)
    return replace(quantity, ratio=closed(value)), words


@faulty.register
def _(quantity: Enclosed, size: Fraction) -> tuple[Any, str]:
    off = sp.Rational(1 + size / 50)
    wrong = replace(quantity, lows=tuple(off * e for e in quantity.lows), highs=tuple(off * e for e in quantity.highs))
    return wrong, f"both ends times {1 + size / 50}"


@faulty.register
def _(quantity: MatrixFact, size: Fraction) -> tuple[Any, str]:
    return replace(quantity, value=quantity.value * sp.Rational(1 + size / 10)), f"matrix times {1 + size / 10}"


@faulty.register
def _(quantity: SharpBound, size: Fraction) -> tuple[Any, str]:
    part = 1 - size / 2
    return replace(quantity, square=quantity.square * Ratio.of(part * part)), f"bound times {part}"


@faulty.register
def _(quantity: Inequality, size: Fraction) -> tuple[Any, str]:
    off = sp.Rational(size) * (sp.Abs(quantity.upper, evaluate=False) / 2 + sp.Rational(1, 10))
    return replace(quantity, upper=quantity.upper - off), f"bound lowered by {_times(size)}(half its size + 1/10)"


@faulty.register
def _(quantity: Eventually, size: Fraction) -> tuple[Any, str]:
    off = sp.Rational(size) * (quantity.upper / 2 + sp.Rational(1, 10))
    return replace(quantity, upper=quantity.upper + off), f"least value raised by {_times(size)}(its half + 1/10)"


@faulty.register
def _(quantity: Equivalence, size: Fraction) -> tuple[Any, str]:
    first, *others = quantity.conditions
    gap, allowed = read(first)
    other = written(gap, (s for s in (-1, 0, 1) if s not in allowed))
    return replace(quantity, conditions=(other, *others)), f"{first} negated"


@faulty.register
def _(quantity: Limit, size: Fraction) -> tuple[Any, str]:
    finite = quantity.finite
    words = f"probability before the limit + {size / 10}"
    if isinstance(finite, sp.Basic):
        return replace(quantity, finite=finite + sp.Rational(size / 10)), words
    return replace(quantity, finite=lambda scalars: finite(scalars) + size / 10), words


@faulty.register
def _(quantity: Order, size: Fraction) -> tuple[Any, str]:
    return replace(quantity, exponent=quantity.exponent + sp.Rational(size)), f"exponent + {size}"


def spoilt(entry: Registered, name: str, claim: Statement, size: Fraction) -> tuple[Registered, str, set[str]]:
    """An empirical check with a fault of that size in one quantity, the fault in words, and where it was put so far."""
    touched: set[str] = set()

    def changed(found: Any, fault: Callable[[str, Any], Any]) -> Any:
        """The numbers by name with the fault in that name's, in all of them where the quantity has no name."""
        if not isinstance(found, Mapping):
            touched.add(SINGLE)
            return fault(SINGLE, found)
        only = set(found) if not name or (name not in found and set(found) == {SINGLE}) else {name} & set(found)
        touched.update(only)
        return {key: fault(key, value) if key in only else value for key, value in found.items()}

    function = entry.function
    part = float(size)

    def wrapped(told: Callable[[Any], Any]) -> Any:
        @wraps(function)
        def wrong(*positional: Any, **given: Any) -> Any:
            return told(function(*positional, **given))

        return replace(entry, function=wrong)

    if isinstance(entry, Simulation):
        fault, words = _numbers_fault(entry, name, part)
        return wrapped(lambda found: changed(found, fault)), words, touched
    if isinstance(entry, Evaluation):
        words = f"value + {size / 1000} max(1, |value|)"
        return wrapped(lambda found: changed(found, lambda _, v: _shifted(v, part / 1000))), words, touched
    if isinstance(entry, Growth):

        @wraps(function)
        def longer(generator: Any, n: int, T: int) -> Any:
            return changed(function(generator, n, T), lambda _, v: v * float(T) ** part)

        return replace(entry, function=longer), f"numbers times T^{size}", touched
    if isinstance(entry, Search):
        down = set(claim.printed) == {"lower"}
        touched.add(SINGLE)
        words = f"values {'lowered' if down else 'raised'} by {_times(size)}(half their size + 1/10)"
        return wrapped(lambda found: _beyond(found, -part if down else part)), words, touched
    return wrapped(lambda found: changed(found, lambda _, v: _denied(v, part))), "what is observed is denied", touched


def _numbers_fault(entry: Simulation, name: str, part: float) -> tuple[Callable[[str, Any], Any], str]:
    """A fault in a simulation's numbers (n,), as large as what quick effort is to see."""
    if entry.bounded is not None:
        high, every = entry.bounded[1], max(1, round(5 / part))

        def raised(_: str, numbers: Any) -> Any:
            found = numbers.double().clone()
            found[every - 1 :: every] = high
            return found

        return raised, f"one number in {every} is {high}"

    def by_spread(key: str) -> bool:
        degree = entry.tails_of(key).degree
        return degree is None or degree <= 2

    def moved(key: str, numbers: Any) -> Any:
        return numbers + numbers.std() * part / 5 if by_spread(key) else numbers * (1 + part / 10)

    key = name if isinstance(entry.degree, Mapping) and name in entry.degree else SINGLE
    spread = by_spread(key) if not isinstance(entry.degree, Mapping) or key in entry.degree else False
    return moved, f"numbers + {part / 5:g} standard deviations" if spread else f"numbers times {1 + part / 10:g}"


def _shifted(found: tuple[float, float], part: float) -> tuple[float, float]:
    """An evaluated number off by that part of max(1, |value|), where its own error bound is below that."""
    value, error = found
    off = part * max(1.0, abs(value))
    return (value + off if error < off else value), error


def _beyond(found: Points, part: float) -> Points:
    """Points whose values are moved by half their size and 1/10."""
    value = found.columns[SINGLE]
    return replace(found, columns={**found.columns, SINGLE: value + part * (abs(value) / 2 + 0.1)})


def _denied(found: Any, part: float) -> Any:
    """The other truth value; a bracket of a number moved by 2%, or by its own width and more where it is wider."""
    if isinstance(found, tuple):
        low, high = found
        off = part * (abs(high) / 50 + (high - low))
        return low + off, high + off
    return None if found is None else not found
