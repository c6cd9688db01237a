"""How much the referee catches: every print, rule, piece of the engine and check changed, one thing at a time.

The score is caught/(mutants - equivalent), of all and of each kind. Names of mutants are stable, and a sample is chosen
by them and by the seed, so that a survivor can be looked up again.
"""

from __future__ import annotations

import functools
import multiprocessing
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

from tests.mutation import by_hand
from tests.mutation import prints as mutation_prints
from tests.mutation import rules as mutation_rules
from tests.mutation import simulators as mutation_simulators
from tests.mutation.probes import claims, digest

KINDS = ("print", "correction", "rule", "engine", "simulator")
RESULTS = ("caught", "equivalent", "survived")
#: Mutants that a process takes at a time: neighbours share derivations and probes.
AT_ONCE = 40

Verdict = tuple[str, str]


@dataclass(frozen=True)
class Mutant:
    """One mutant: its kind, its name, and how it is judged; ``line`` is where it stands in the source today."""

    kind: str
    name: str
    judge: Callable[[], Verdict]
    line: int | None = None

    def row(self) -> dict[str, Any]:
        """The mutant judged, as the score lists it."""
        with warnings.catch_warnings():
            # of what a mutant makes of an expression
            warnings.simplefilter("ignore")
            try:
                result, how = by_hand.judged(self.name, *self.judge())
            except Exception as error:
                # which is to be mended, and spoils no other's judgement
                result, how = "survived", f"raised {type(error).__name__}: {error}"
        return {"name": self.name, "kind": self.kind, "line": self.line, "result": result, "how": how}


@functools.cache
def mutants() -> tuple[Mutant, ...]:
    """All mutants, in a fixed order; the same change in two places of one print is told apart by a number."""
    seen: Counter[str] = Counter()
    found = []
    for mutant in _mutants():
        seen[mutant.name] += 1
        number = seen[mutant.name]
        found.append(replace(mutant, name=f"{mutant.name} #{number}") if number > 1 else mutant)
    return tuple(found)


def _mutants() -> Iterator[Mutant]:
    for claim in claims():
        for name, verdict in mutation_prints.matrix_rows(claim.id):
            yield Mutant("correction" if " correction, " in name else "print", name, functools.partial(_told, verdict))
        for changed in mutation_prints.print_mutants(claim.id):
            yield Mutant(changed.kind, changed.name, functools.partial(mutation_prints.judged_print, changed))
    for code in mutation_rules.rule_mutants():
        yield Mutant("rule", code.name, functools.partial(mutation_rules.judged_rule, code), code.line)
    for code in mutation_rules.engine_mutants():
        yield Mutant("engine", code.name, functools.partial(mutation_rules.judged_engine, code), code.line)
    for claim in claims():
        for other in mutation_simulators.simulator_mutants(claim.id):
            line = other.code.line if other.code is not None else None
            yield Mutant("simulator", other.name, functools.partial(mutation_simulators.judged_simulator, other), line)


def _told(verdict: Verdict) -> Verdict:
    return verdict


def measure(*, seed: int, sample: int | None, step: Callable[[int, int], None], jobs: int = 1) -> dict[str, Any]:
    """Judge all mutants, or a sample of so many, and count what is caught.

    ``step(done, total)`` hears of the progress. With ``jobs`` > 1 so many processes share the work. Returns the numbers
    of ``mutants``, ``caught`` and ``equivalent``, the ``score``, the names of the ``survivors``, the counts ``by_kind``
    and the ``rows``. Code is changed in the process for a moment only, and always put back.
    """
    names = chosen(seed, sample)
    step(0, len(names))
    rows: list[dict[str, Any]] = []
    for part in _judged(names, jobs):
        rows += part
        step(len(rows), len(names))
    return counted(rows)


def chosen(seed: int, sample: int | None) -> list[str]:
    """The names of the mutants that are judged, in the order of all."""
    names = [mutant.name for mutant in mutants()]
    if sample is None or sample >= len(names):
        return names
    kept = set(sorted(names, key=lambda name: digest(seed, name))[:sample])
    return [name for name in names if name in kept]


def _judged(names: Sequence[str], jobs: int) -> Iterator[list[dict[str, Any]]]:
    if jobs <= 1:
        yield from (_rows([name]) for name in names)
        return
    parts = [names[k : k + AT_ONCE] for k in range(0, len(names), AT_ONCE)]
    with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield from pool.map(_rows, parts)


def _rows(names: Sequence[str]) -> list[dict[str, Any]]:
    table = _by_name()
    return [table[name].row() for name in names]


@functools.cache
def _by_name() -> dict[str, Mutant]:
    return {mutant.name: mutant for mutant in mutants()}


def counted(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The score of judged mutants."""
    by_kind = {}
    for kind in KINDS:
        mine = [row for row in rows if row["kind"] == kind]
        by_kind[kind] = {**_score(mine), "how": dict(Counter(row["how"] for row in mine if row["result"] == "caught"))}
    return {
        **_score(rows),
        "survivors": [row["name"] for row in rows if row["result"] == "survived"],
        "by_kind": by_kind,
        "rows": list(rows),
    }


def _score(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    results = Counter(row["result"] for row in rows)
    judged = len(rows) - results["equivalent"]
    score = results["caught"] / judged if judged else 1.0
    return {"mutants": len(rows), **{result: results[result] for result in RESULTS}, "score": score}
