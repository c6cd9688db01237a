"""Mutants of the second sides: another W, index, start, sign or scale, and changed code; each must spoil the verdict.

A simulation is judged on the three cheapest cases that a run at quick effort would take: an interval must leave the
derived value out. A search runs as in a run, an evaluation or an observation on fewer points, and the verdict on the
claim must change. A fixed number of changes of code is taken for every second side.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from proofs_check import sampling
from proofs_check.evaluating import evaluated
from proofs_check.evidence import EFFORTS, Bench, Evidence, Planned
from proofs_check.growing import grown
from proofs_check.judgement import verdict
from proofs_check.observing import observed
from proofs_check.pairing import Pair
from proofs_check.searching import searched
from proofs_check.selftest.code import CodeMutant, TooLong, code_mutants, mutated, plain, reached, within
from proofs_check.selftest.prints import settled, statement_of
from proofs_check.selftest.probes import derivations, digest
from theorems.expressions import parse

#: Changes of code that are tried of one second side.
CODE = 4
#: Cases of a simulation, points of an evaluation or an observation, and processor seconds that a mutant gets.
CASES, POINTS, SECONDS = 3, 24, 20.0


@dataclass(frozen=True)
class SimulatorMutant:
    """A second side with one thing changed: another function in its place, or a change of the code under it."""

    claim: str
    name: str
    function: Callable[..., Any] | None = None
    code: CodeMutant | None = None


@functools.cache
def simulator_mutants(claim: str) -> tuple[SimulatorMutant, ...]:
    """The mutants of a claim's second side; none where it has none."""
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
        if name in names:
            yield label, with_arguments(functools.partial(_replaced, name, change))
    for label, change in (("sign", lambda x: -x), ("times 1.05", lambda x: x * 1.05)):
        yield label, _signed(function, lambda *given, c=change, **named: _numbers(function(*given, **named), c))


def _replaced(name: str, change: Callable[[Any], Any], named: dict[str, Any]) -> dict[str, Any]:
    return {**named, name: change(named[name])}


def _signed(function: Callable[..., Any], other: Callable[..., Any]) -> Callable[..., Any]:
    """Another function that says it takes what the first takes."""
    other.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]
    return other


def _from_zero(walk: Any) -> Any:
    from montecarlo.walks import Walks

    return Walks(walk.normals, walk.root, "zero")


_ARGUMENTS: tuple[tuple[str, str, Callable[[Any], Any]], ...] = (
    ("W transposed", "W", lambda W: W.T),
    ("i -> i - 1", "i", lambda i: max(1, i - 1)),
    ("j -> j - 1", "j", lambda j: max(1, j - 1)),
    ("start of the walk at 0", "walk", _from_zero),
    ("start of the walk at 0", "tokens", lambda tokens: tokens - tokens[:, :1]),
)


def _numbers(found: Any, change: Callable[[Any], Any]) -> Any:
    """What a second side returned, with its numbers changed; truth values are turned round."""
    from montecarlo.registry import Points

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
    """Why a mutant says the same as the original, where that is seen without running it."""
    label = mutant.name.removeprefix(f"{mutant.claim}: ")
    statement = statement_of(mutant.claim)
    if label == "W transposed" and any(re.search(r"\b(W|W_QK|P) symmetric", text) for text in statement.assumptions):
        return "W is symmetric by assumption"
    if label in ("sign", "times 1.05") and statement.relation == "order":
        return "an exponent of growth is the same for every multiple"
    ends = [parse(printed) for name, printed in statement.printed.items() if name in ("upper", "lower")]
    if label == "sign" and statement.relation in ("<=", "range") and len(ends) == 2 and ends[0] == -ends[1]:
        return "the two ends are one bound of the size"
    return ""


def judged_simulator(mutant: SimulatorMutant) -> tuple[str, str]:
    """What becomes of a second side's mutant: ("caught", the verdict it leads to) or ("survived", why)."""
    claim = mutant.claim
    expected = _word(claim, None)
    same = _equivalent(mutant)
    if same:
        return "equivalent", same
    if expected not in ("verified", "refuted", "consistent"):
        return "survived", f"the claim itself is {expected} on so few points"
    try:
        if mutant.code is not None:
            # the time is over before the original comes back, so that nothing interrupts that
            with mutated(mutant.code), within(SECONDS):
                found = _word(claim, None, fresh=True)
        else:
            with within(SECONDS):
                found = _word(claim, mutant.function, fresh=True)
    except TooLong:
        return "caught", "timed out"
    except Exception as error:
        return "caught", f"raised {type(error).__name__}"
    return ("survived", "no difference is seen") if found == expected else ("caught", found)


_WORDS: dict[str, str] = {}


def _word(claim: str, function: Callable[..., Any] | None, *, fresh: bool = False) -> str:
    """The verdict that a second side leads to; for a simulation, "consistent" with the derived value or not."""
    if not fresh and claim in _WORDS:
        return _WORDS[claim]
    found = _judged(claim, function)
    if not fresh:
        _WORDS[claim] = found
    return found


def _judged(claim: str, function: Callable[..., Any] | None) -> str:
    from montecarlo import registry

    entry: Any = registry.find(claim)
    entry = entry if function is None else replace(entry, function=function)
    statement, derived = statement_of(claim), derivations(claim)
    if derived is None or derived.missing:
        return "undecided"
    pair = Pair(statement, _derived={"sigma": derived})
    outcome = settled(claim)
    bench = Bench(effort=EFFORTS["quick"], effort_name="quick")
    few = replace(bench, effort=replace(bench.effort, points=POINTS))
    if isinstance(entry, registry.Simulation):
        return _sampled(pair, entry, bench)
    evidence: Evidence
    if isinstance(entry, registry.Evaluation):
        evidence = evaluated(pair, outcome, entry, few, None)
    elif isinstance(entry, registry.Search):
        evidence = searched(pair, outcome, entry, bench)
    elif isinstance(entry, registry.Observation):
        evidence = observed(pair, outcome, entry, few, None)
    else:
        evidence = grown(pair, outcome, entry, statement.alpha, bench)
    return verdict(outcome, evidence)[0]


def _sampled(pair: Pair, simulation: Any, bench: Bench) -> str:
    """What intervals say of the derived values: "consistent" where they lie within what an error must be to be seen."""
    claim = pair.statement.id
    told = "consistent" if _planned(claim) else "undecided"
    for planned in _planned(claim):
        for found in sampling.measure(pair, simulation, planned, _delta(claim), bench):
            if found.conflicts:
                return "conflict"
            low, high = (float(found.target.derived) + sign * found.tolerance for sign in (-1, 1))
            if not low <= found.interval.low <= found.interval.high <= high:
                told = "underpowered"
    return told


def _delta(claim: str) -> float:
    return statement_of(claim).alpha / 8


@functools.cache
def _planned(claim: str) -> tuple[Planned, ...]:
    """The cheapest cases that a run at quick effort would sample, in which something varies."""
    from montecarlo import registry

    bench = Bench(effort=EFFORTS["quick"], effort_name="quick")
    pair = Pair(statement_of(claim))
    chosen, _ = sampling.choose_cases(pair, registry.find(claim), _delta(claim), bench)
    moving = [p for p in chosen if any(variance > 0 for variance, _, _ in p.quantities.values())]
    return tuple(sorted(moving, key=lambda planned: planned.normals)[:CASES])
