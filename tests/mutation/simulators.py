"""Mutants of the checks: another W, index, start, sign or scale, and changed code; each must spoil the verdict.

A simulation is judged on the three cheapest cases that a run at quick effort would take: an interval must leave the
derived value out. A search runs as in a run, an evaluation or an observation on fewer points, and the verdict on the
claim must change. What is not seen so is compared with the original on further inputs (``same``), and where it differs
judged again on more cases. A fixed number of changes of code is taken for every empirical check.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from types import FunctionType
from typing import Any

from proofs_check.cases import drawn as drawing
from proofs_check.checks import sampling
from proofs_check.checks.evaluating import evaluated
from proofs_check.checks.evidence import EFFORTS, Evidence, Planned, RunContext
from proofs_check.checks.growing import grown
from proofs_check.checks.observing import observed
from proofs_check.checks.searching import searched
from proofs_check.claims.pairing import Pair
from proofs_check.judging import variants
from proofs_check.judging.judgement import verdict
from tests.mutation import same
from tests.mutation.code import CodeMutant, TooLong, code_mutants, forget, mutated, plain, reached, within
from tests.mutation.prints import settled, statement_of
from tests.mutation.probes import derivations, digest
from tests.mutation.replay import Call, Recorder, repeated, telling
from tests.mutation.same import alike, coarse, otherwise, spoken, unsound

#: Changes of code that are tried of one empirical check.
CODE = 4
#: Cases of a simulation, and points of an evaluation or an observation, at a first look and at a second one.
CASES, POINTS = (3, 8), (24, 48)
#: Processor seconds that a mutant gets for each look, and what is said of one that needs more.
SECONDS, TIMED_OUT = 20.0, "timed out"


@dataclass(frozen=True)
class SimulatorMutant:
    """An empirical check with one thing changed: another function in its place, or a change of the code under it."""

    claim: str
    name: str
    function: Callable[..., Any] | None = None
    code: CodeMutant | None = None


@functools.cache
def simulator_mutants(claim: str) -> tuple[SimulatorMutant, ...]:
    """The mutants of a claim's empirical check; none where it has none."""
    from montecarlo import registry

    try:
        entry = registry.find(claim)
    except LookupError:
        return ()
    found = [SimulatorMutant(claim, f"{claim}: {label}", function) for label, function in _wrapped(entry.function)]
    own = plain(entry.function)
    module = frozenset({own.__module__})
    changes = [mutant for function in reached(own, module) for mutant in code_mutants(function)]
    changes.sort(key=lambda mutant: digest(claim, mutant.name))
    found += [SimulatorMutant(claim, f"{claim}: {mutant.name}", code=mutant) for mutant in changes[:CODE]]
    return tuple(found)


def _wrapped(function: Callable[..., Any]) -> Iterator[tuple[str, Callable[..., Any]]]:
    """The function with one of its arguments or its numbers changed, by what it takes."""
    names = tuple(inspect.signature(function).parameters)

    def with_arguments(change: Callable[[dict[str, Any]], dict[str, Any]]) -> Callable[..., Any]:
        return _signed(function, lambda *given, **named: function(*given, **change(named)))

    for label, name, change in _ARGUMENTS:
        # tokens beside a W and a beta are those of one case, not walks
        if name in names and not (name == "tokens" and "beta" in names):
            yield label, with_arguments(functools.partial(_replaced, name, change))
    for label, change in (("sign", lambda x: -x), ("times 1.05", lambda x: x * 1.05)):
        yield label, _signed(function, lambda *given, c=change, **named: _numbers(function(*given, **named), c))


def _replaced(name: str, change: Callable[[Any], Any], named: dict[str, Any]) -> dict[str, Any]:
    return {**named, name: change(named[name])}


def _signed(function: Callable[..., Any], other: Callable[..., Any]) -> Callable[..., Any]:
    """Another function that says it takes what the first takes."""
    other.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]
    return other


def _transposed(W: Any) -> Any:
    # a case's own matrix is a list of rows
    return [list(column) for column in zip(*W, strict=True)] if isinstance(W, list) else W.T


def _from_zero(walk: Any) -> Any:
    from montecarlo.walks import Walks

    return Walks(walk.normals, walk.root, "zero")


_ARGUMENTS: tuple[tuple[str, str, Callable[[Any], Any]], ...] = (
    ("W transposed", "W", _transposed),
    ("i -> i - 1", "i", lambda i: max(1, i - 1)),
    ("j -> j - 1", "j", lambda j: max(1, j - 1)),
    ("start of the walk at 0", "walk", _from_zero),
    ("start of the walk at 0", "tokens", lambda tokens: tokens - tokens[:, :1]),
)


def _numbers(found: Any, change: Callable[[Any], Any]) -> Any:
    """What an empirical check returned, with its numbers changed; truth values are turned round."""
    from montecarlo.empirical_checks import Points

    if isinstance(found, Points):
        return replace(found, columns={**found.columns, "value": change(found.columns["value"])})
    if isinstance(found, Mapping):
        return {name: _numbers(value, change) for name, value in found.items()}
    if isinstance(found, bool):
        return not found
    if isinstance(found, tuple) and len(found) == 2:
        # an evaluation's bound of its error stays
        return (change(found[0]), found[1])
    if getattr(found, "dtype", None) is not None and "bool" in str(found.dtype):
        return ~found
    return None if found is None else change(found)


def _equivalent(mutant: SimulatorMutant) -> str:
    """Why a mutant says the same as the original, where algebra shows that."""
    label = mutant.name.removeprefix(f"{mutant.claim}: ")
    statement = statement_of(mutant.claim)
    if label in ("sign", "times 1.05") and statement.relation == "order":
        return "an exponent of growth is the same for every multiple"
    if label == "start of the walk at 0":
        pair = Pair(statement)
        if all(pair.quantity(name).ratio == pair.quantity(name, "zero").ratio for name in pair.sampled_names):
            return "the derived value is the same for that start"
    return ""


def judged_simulator(mutant: SimulatorMutant) -> tuple[str, str]:
    """What becomes of an empirical check's mutant: ("caught", how), ("equivalent", why) or ("survived", why)."""
    claim = mutant.claim
    why = _equivalent(mutant)
    if why:
        return "equivalent", why
    if mutant.name.endswith(": W transposed"):
        # most claims are about a symmetric one
        said = _same(mutant)
        if said[0]:
            return said
    for look in range(len(POINTS)):
        expected = _word(claim, look)
        found = _tried(mutant, functools.partial(_judged, claim, look=look))
        if found[0] == "caught":
            return found
        if found[1] != expected:
            return "caught", found[1]
        if look == 0:
            said = _same(mutant)
            if said[0]:
                return said
    return "survived", f"no difference is seen: {expected}"


def _same(mutant: SimulatorMutant) -> tuple[str, str]:
    """("equivalent", why) where the mutant says the same on further inputs, ("caught", how) where it breaks there."""
    claim = mutant.claim
    pair, entry, original = _pair(claim), _entry(claim), _spoken(claim)
    if coarse(entry, original):
        if told := _told_apart(mutant):
            return "caught", told
        if mutant.code is None:
            return "", ""
        function, calls = mutant.code.function, _calls(claim).get(mutant.code.function, [])
        broken, found = _tried(mutant, lambda _: telling(calls) and repeated(function, calls))
        why = f"the changed function returns the same in {len(calls)} of its calls" if found else ""
    else:
        broken, found = _tried(mutant, lambda entry: spoken(pair, entry, _planned(claim)[: CASES[-1]]))
        why = "" if broken else alike(pair, entry, original, found)
        if not broken and not why and (wrong := unsound(pair, entry, found)):
            return "caught", wrong
    return (broken, found) if broken else ("equivalent" if why else "", why)


def _told_apart(mutant: SimulatorMutant) -> str:
    """How an observation's mutant answers otherwise on further cases, or breaks there; "" if it does neither.

    These are many, so that running out of time shows nothing.
    """
    from montecarlo.empirical_checks import Observation

    if not isinstance(_entry(mutant.claim), Observation):
        return ""
    pair, original = _pair(mutant.claim), _spoken(mutant.claim)
    broken, found = _tried(mutant, lambda entry: otherwise(original, spoken(pair, entry, ())))
    return "" if broken and found == TIMED_OUT else str(found)


def _tried(mutant: SimulatorMutant, ask: Callable[[Any], Any]) -> tuple[str, Any]:
    """("", what is answered) with the mutant in the place of the original, or ("caught", how it broke)."""
    entry = _entry(mutant.claim)
    place: AbstractContextManager[None] = nullcontext()
    if mutant.code is not None:
        place = mutated(mutant.code)
    else:
        entry = replace(entry, function=mutant.function)
    try:
        # the time is over before the original comes back, so that nothing interrupts that
        with place, within(SECONDS):
            return "", ask(entry)
    except TooLong:
        return "caught", TIMED_OUT
    except Exception as error:
        return "caught", f"raised {type(error).__name__}"


def _entry(claim: str) -> Any:
    from montecarlo import registry

    return registry.find(claim)


@functools.cache
def _pair(claim: str) -> Pair:
    derived = derivations(claim)
    assert derived is not None
    return Pair(statement_of(claim), _derived={"sigma": derived})


@functools.cache
def _word(claim: str, look: int) -> str:
    """What the original leads to; for a simulation, "consistent" with the derived value or not."""
    return _judged(claim, _entry(claim), look=look)


@functools.cache
def _spoken(claim: str) -> Any:
    return spoken(_pair(claim), _entry(claim), _planned(claim)[: CASES[-1]])


@functools.cache
def _calls(claim: str) -> Mapping[FunctionType, list[Call]]:
    """The calls of an empirical check's functions on the further inputs, nothing being remembered from before."""
    entry = _entry(claim)
    own = plain(entry.function)
    forget()
    with Recorder(reached(own, frozenset({own.__module__}))) as found:
        spoken(_pair(claim), entry, ())
    return found.calls


def _judged(claim: str, entry: Any, *, look: int) -> str:
    from montecarlo.empirical_checks import Evaluation, Observation, Search, Simulation

    derived = derivations(claim)
    if derived is None or derived.missing:
        return "undecided"
    pair, outcome = _pair(claim), settled(claim)
    # a function whose code changed is the same simulation
    pair.samples.clear()
    context = RunContext(effort=EFFORTS["quick"], effort_name="quick", seed=look)
    few = replace(context, effort=replace(context.effort, points=POINTS[look]))
    if look:
        context = replace(context, effort=replace(context.effort, points=same.POINTS))
    if isinstance(entry, Simulation):
        pairs = enumerate(_pairs(claim))
        return "; ".join(_sampled(one, entry, context, _planned(claim, k)[: CASES[look]]) for k, one in pairs)
    evidence: Evidence
    if isinstance(entry, Evaluation):
        evidence = evaluated(pair, outcome, entry, few, None)
    elif isinstance(entry, Search):
        evidence = searched(pair, outcome, entry, context)
    elif isinstance(entry, Observation):
        evidence = observed(pair, outcome, entry, few, None)
    else:
        evidence = grown(pair, outcome, entry, pair.statement.alpha, context)
    return verdict(outcome, evidence)[0]


def _sampled(pair: Pair, simulation: Any, context: RunContext, cases: tuple[Planned, ...]) -> str:
    """What intervals say of the derived values: "consistent" where they lie within what an error must be to be seen."""
    told = "consistent" if cases else "undecided"
    for planned in cases:
        for found in sampling.measure(pair, simulation, planned, _delta(pair.source), context):
            if found.conflicts:
                return "conflict"
            low, high = (float(found.target.derived) + sign * found.tolerance for sign in (-1, 1))
            if not low <= found.interval.low <= found.interval.high <= high:
                told = "underpowered"
    return told


def _delta(claim: str) -> float:
    return statement_of(claim).alpha / 8


@functools.cache
def _pairs(claim: str) -> tuple[Pair, ...]:
    """The claim, and its variants with the same simulation."""
    pair = _pair(claim)
    return pair, *(replace(pair, statement=variants.of(pair, key)) for key in variants.keys(pair))


@functools.cache
def _planned(claim: str, place: int = 0) -> tuple[Planned, ...]:
    """Cases in which something varies: the cheapest that a run at quick effort would sample, then one of every slot.

    Those of the claim, or of its variant at that place; none for an empirical check that is no simulation.
    """
    from montecarlo.empirical_checks import Simulation

    pair, entry = _pairs(claim)[place], _entry(claim)
    found: list[Planned] = []
    if not isinstance(entry, Simulation):
        return ()
    for slots, most in (("quick", CASES[0]), ("standard", CASES[-1])):
        context = RunContext(effort=EFFORTS["quick"], effort_name=slots)
        chosen, _ = sampling.choose_cases(pair, entry, _delta(pair.source), context)
        # of a case at several lengths, the case itself
        cases = [next(rung for rung in sampling.rungs(one) if rung.raw == one.raw) for one in chosen]
        moving = [p for p in cases if any(variance > 0 for variance, _, _ in p.quantities.values())]
        known = [drawing.key(p.raw) for p in found]
        new = (p for p in moving if drawing.key(p.raw) not in known)
        found += sorted(new, key=lambda planned: planned.normals)[:most]
    return tuple(found)
