"""Mutants of the proof kernel's rules and of the engine: each must refuse a true step, or license a false one.

A mutant of the engine is also caught where a derivation, run again, gives another value or no supported one.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from types import FunctionType
from typing import Any

from proofs_check.pairing import Pair
from proofs_check.selftest.code import CodeMutant, TooLong, code_mutants, methods, mutated, plain, reached, within
from proofs_check.selftest.probes import Probes, claims, derivations, digest, in_turn, key, probes
from theorems import exchangeable, increments, sums, wick, words
from theorems.derivation import Derived
from theorems.kernel import settle
from theorems.process import Process, Step
from theorems.rules import RULES, licensed

#: Processor seconds that a mutant has for all of its probes: several times what the slowest original takes.
SECONDS = 30.0
#: A function that several rules use is probed by as many steps and copies of all of them together.
TRUE, COPIES = 24, 120

#: Derivations that a mutant of the engine must still get right: every way that the engine has, in little time.
DERIVED = (
    *("bao2024.appA.eq11", "bao2024.appA.eq12", "bao2024.appA.eq13", "bao2024.appA.eq14", "bao2024.appA.eq17"),
    *("bao2024.appA.eq18", "bao2024.appC.eq22", "bao2024.appC.lemma1-B2", "bao2024.appC.lemma1-C1"),
    *("bao2024.sec4.lemma1-mean", "bao2024.sec4.lemma1-variance", "bao2024.sec3.diagonal-dominance"),
    *("lampert2026.sec5.dprime-0", "lampert2026.sec5.dprime-1"),
)
#: Methods of a process that compute.
KERNEL = (
    "product",
    "covariance",
    "mean",
    "variance",
    "cov",
    "_closed",
    "_split",
    "_atoms",
    "_pair",
    "_pieces",
    "_ends",
)
#: Rules that compute with the engine.
ENGINE_RULES = ("isserlis", "wick", "faulhaber", "identity", "limit-kernel", "wick-leading", "exchangeable-moment")

Verdict = tuple[str, str]


@functools.cache
def rule_functions() -> Mapping[FunctionType, tuple[str, ...]]:
    """The functions of the rules and those that they call in the rules' modules, with the rules that use each."""
    for claim in claims():
        derivations(claim.id)
    modules = frozenset(check.__module__ for check in RULES.values() if check.__module__.startswith("theorems."))
    found: dict[FunctionType, list[str]] = {}
    for name in sorted(RULES):
        if RULES[name].__module__ in modules:
            for function in reached(RULES[name], modules):
                found.setdefault(function, []).append(name)
    return {function: tuple(names) for function, names in found.items()}


def engine_functions() -> list[FunctionType]:
    """The functions of the engine: contraction, increments and cumulants, closed sums, exchangeable moments, words."""
    found = {plain(vars(Process)[name]): None for name in KERNEL}
    for module in (wick, increments, sums, exchangeable, words):
        for value in vars(module).values():
            if getattr(value, "__module__", "") != module.__name__ or not callable(value):
                continue
            written = methods(value) if isinstance(value, type) else [plain(value)]
            # what a dataclass adds has no source
            found |= dict.fromkeys(f for f in written if f.__code__.co_filename == module.__file__)
    return list(found)


def rule_mutants() -> list[CodeMutant]:
    """Every mutant of every rule's code."""
    return [mutant for function in rule_functions() for mutant in code_mutants(function)]


def engine_mutants() -> list[CodeMutant]:
    """Every mutant of the engine's code."""
    return [mutant for function in engine_functions() for mutant in code_mutants(function)]


@functools.cache
def _together(rules: tuple[str, ...]) -> Probes:
    found = [probes(rule) for rule in rules]
    if len(found) == 1:
        return found[0]
    true = in_turn([(k, f"{n:04}", step) for k, p in enumerate(found) for n, step in enumerate(p.true)])
    copies = in_turn([(k, f"{n:04}", step) for k, p in enumerate(found) for n, step in enumerate(p.copies)])
    return Probes(tuple(true[:TRUE]), tuple(copies[:COPIES]))


def judged_rule(mutant: CodeMutant, found: Probes | None = None) -> Verdict:
    """What becomes of a rule's mutant: ("caught", how) or ("survived", why)."""
    asked = _together(rule_functions()[mutant.function]) if found is None else found
    if not asked.true:
        return "survived", "no shipped derivation uses the rule"
    return _tried(mutant, asked)


def _tried(mutant: CodeMutant, asked: Probes, derived: Sequence[str] = ()) -> Verdict:
    try:
        # the time is over before the original comes back, so that nothing interrupts that
        with mutated(mutant), within(SECONDS):
            if not all(licensed(step) for step in asked.true):
                return "caught", "refuses a true step"
            found = _derived_again(derived)
    except TooLong:
        return "caught", "timed out"
    except Exception as error:
        # the original answers every probe
        return "caught", f"raised {type(error).__name__}"
    return found or _falsely(mutant, asked) or ("survived", "no probe tells it from the original")


def _falsely(mutant: CodeMutant, asked: Probes) -> Verdict | None:
    """A copy that the original refuses and the mutant does not."""
    place = 0
    while True:
        with mutated(mutant):
            found = asked.suspicious(place)
        if found is None:
            return None
        if asked.refused(found[0]):
            return "caught", found[1]
        place = found[0] + 1


def judged_engine(mutant: CodeMutant) -> Verdict:
    """What becomes of the engine's mutant: ("caught", how) or ("survived", why)."""
    for claim in DERIVED:
        for second in (False, True):
            _known(claim, second)
    return _tried(mutant, _together(ENGINE_RULES), DERIVED)


@functools.cache
def _known(claim: str, second: bool) -> tuple[str, str]:
    derived = derivations(claim, second)
    assert derived is not None
    return _told(claim, derived)


def _told(claim: str, derived: Derived) -> tuple[str, str]:
    """The kernel's status of a claim, and the derived values."""
    statement = next(c for c in claims() if c.id == claim)
    values = {name: str(derived.ratio(name)) for name in derived.quantities if derived.known(name)}
    return settle(statement, derived).status, str(values)


def _derived_again(derived: Sequence[str]) -> Verdict | None:
    for claim in derived:
        statement = next(c for c in claims() if c.id == claim)
        for second in (False, True):
            status, values = _told(claim, Pair(statement, second).derived())
            known = _known(claim, second)
            if status != known[0]:
                return "caught", "derivation not supported" if status == "undecided" else "another verdict"
            if values != known[1]:
                return "caught", "another value"
    return None


def steps_of(rules: Sequence[str]) -> Iterator[Step]:
    """The true steps of these rules, in a fixed order."""
    for rule in rules:
        yield from sorted(probes(rule).true, key=lambda step: digest(key(step.data)))


def row(kind: str, mutant: CodeMutant, verdict: Verdict) -> dict[str, Any]:
    """A mutant of code as the score lists it."""
    return {"name": mutant.name, "kind": kind, "line": mutant.line, "result": verdict[0], "how": verdict[1]}
