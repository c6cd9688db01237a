"""The check of a claim about when a property holds: the property decided from its definition, case by case."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from proofs_check.cases import drawn as drawing
from proofs_check.cases import wide
from proofs_check.checks.evidence import Evidence, RunContext, Seen
from proofs_check.claims.cases import shown_case
from proofs_check.claims.mutants import clause_mutants
from proofs_check.claims.pairing import Pair
from proofs_check.claims.report import Counterexample
from theorems.claims.conditions import clause
from theorems.gaussian.numeric import Case
from theorems.kernel.bounds import admitted
from theorems.kernel.derivation import Enclosed, Equivalence, Fact
from theorems.kernel.equivalence import contradicted, holds, judged, truth
from theorems.kernel.outcome import Outcome

#: Least share of the drawn cases that the check must decide, and in which a property must be seen true and false.
DECIDED, EITHER = 0.9, 0.02
#: A derived enclosure that is wrong by this part of it must be seen; what the rounding of its ends may be.
OFF, ROUNDINGS = 0.02, 2.0**-44
#: Cases of every property and number that the report shows.
SHOWN = 4
#: Cases that are tried for one that contradicts a print, before it is made smaller.
SHRINKS = 40

Row = tuple[Case, Mapping[str, Any]]


def observed(
    pair: Pair, outcome: Outcome, observation: Any, context: RunContext, only: Mapping[str, Any] | None
) -> Evidence:
    """Look at every property in drawn cases, by its definition, and compare with the print and with the derivation."""
    points = [only] if only is not None else _drawn(pair, context)
    evidence = Evidence(tier="decision by definition", cases=len(points), detectable=0.0)
    rows: list[Row] = []
    for place, raw in enumerate(points):
        if place % 20 == 0:
            context.step(place, len(points))
        rows.append((Case(raw), observation.function(**{name: raw[name] for name in observation.parameters})))
    evidence.samples = len(rows)
    evidence.seen = [Seen(case.raw, case.raw, _given(row)) for case, row in rows]
    wrong: list[tuple[Case, str]] = []
    lacking: list[str] = []
    shares = []
    for name, printed in pair.statement.printed.items():
        found = pair.quantity(name)
        assert isinstance(found, Equivalence)
        word, conditions = clause(printed)
        seen = [(case, row[name]) for case, row in rows if row.get(name) is not None]
        for case, value in seen:
            true = truth(found, case)
            if true is None:
                lacking.append(f"the derivation does not settle {name} at {drawing.key(case.raw)}")
            elif bool(value) != true:
                evidence.conflicts.append(f"{name} at {drawing.key(case.raw)}: derived {true}, observed {value}")
            if _differs(word, holds(conditions, case), value):
                wrong.append((case, name))
        if only is None:
            lacking += _too_few(name, seen, len(rows))
            lacking += _vacuous(name, word, conditions, seen)
        elif not seen:
            lacking.append(f"the empirical check does not decide {name} at this case")
        shares.append(f"{name}: {sum(bool(v) for _, v in seen)} times true, {sum(not v for _, v in seen)} times false")
        _decoys(pair, word, conditions, found, name, seen, evidence, single=only is not None)
        first = seen[:SHOWN]
        evidence.rows += [
            shown_case(case.raw, name, holds(conditions, case), truth(found, case), (float(bool(v)),) * 2)
            for case, v in first
        ]
    unseen = _places(pair, rows, evidence) + _enclosed(pair, rows, evidence, single=only is not None)
    lacking += unseen if only is None else []
    evidence.status = "contradicts" if wrong else "underpowered" if lacking else "agrees"
    evidence.reason = lacking[0] if lacking and not wrong else ""
    decided = sum(any(value is not None for value in row.values()) for _, row in rows)
    told = f"decided from the definition at {decided} of {len(rows)} cases; " + "; ".join(shares)
    evidence.power = f"{told}; {evidence.power}" if evidence.power else told
    if wrong and outcome.status == "disproved":
        evidence.counterexample = _counterexample(pair, observation, wrong, shrink=only is None)
        evidence.confirmed = evidence.counterexample is not None
    return evidence


def _given(row: Mapping[str, Any]) -> dict[str, tuple[float, float] | bool]:
    """What an observation decided, and the numbers that it encloses as middle and half-width."""
    decided = {name: value for name, value in row.items() if value is not None}
    return {name: _middle(*v) if isinstance(v, tuple) else bool(v) for name, v in decided.items()}


def _middle(low: float, high: float) -> tuple[float, float]:
    middle = low / 2 + high / 2
    return middle, math.nextafter(max(high - middle, middle - low), math.inf)


def _drawn(pair: Pair, context: RunContext) -> list[Mapping[str, Any]]:
    """Distinct cases: as many for every slot."""
    slots = drawing.slots(pair.statement, context.effort_name)
    each = max(6, min(context.effort.points, 400) // len(slots))
    found: dict[str, Mapping[str, Any]] = {}
    for place, slot in enumerate(slots):
        for raw in drawing.drawn(pair.statement, slot, drawing.stream(pair.statement, context.seed, place), each):
            found.setdefault(drawing.key(raw), raw)
    return list(found.values())


def _differs(word: str, claimed: bool | None, value: Any) -> bool:
    if claimed is None:
        return False
    return claimed and not value if word == "if" else claimed != bool(value)


def _too_few(name: str, seen: Sequence[tuple[Any, Any]], cases: int) -> list[str]:
    """Why the cases show too little of a property."""
    if len(seen) < DECIDED * cases:
        return [f"{name} was decided in {len(seen)} of {cases} cases only"]
    true = sum(bool(value) for _, value in seen)
    if min(true, len(seen) - true) < EITHER * len(seen):
        return [f"{name} was seen true in {true} of {len(seen)} cases, so that one side of it is hardly tried"]
    return []


def _vacuous(name: str, word: str, conditions: tuple[str, ...], seen: Sequence[tuple[Case, Any]]) -> list[str]:
    """Why a clause says nothing: its conditions hold at no case that was drawn."""
    if word == "iff" or any(holds(conditions, case) for case, _ in seen):
        return []
    return [f"{' & '.join(conditions)} held at none of {len(seen)} cases, so that the clause for {name} says nothing"]


def _decoys(
    pair: Pair,
    word: str,
    conditions: tuple[str, ...],
    found: Equivalence,
    name: str,
    seen: Sequence[tuple[Case, Any]],
    evidence: Evidence,
    *,
    single: bool,
) -> None:
    """Wrong clauses: each must be contradicted by an observed case."""
    points: list[Mapping[str, Any] | Case] = [*map(Case, found.points), *(case for case, _ in seen)]
    for label, other in clause_mutants(conditions):
        caught = any(_differs(word, holds(other, case), value) for case, value in seen)
        if not caught:
            if single:
                continue
            # one that nobody sees and that is true says the same in another form
            if judged(word, other, found, points, partial(admitted, pair.statement))[0] is not False:
                continue
        evidence.decoys += 1
        evidence.caught += caught
        if not caught:
            evidence.survivors.append(f"{name}: {label}")


def _places(pair: Pair, rows: Sequence[Row], evidence: Evidence) -> list[str]:
    """Numbers that the derivation gives beside the properties must lie where the observation encloses them.

    Returns why the observation shows too little: a number that it encloses at no case.
    """
    lacking = []
    for name, quantity in pair.derived().quantities.items():
        if not isinstance(quantity, Fact):
            continue
        enclosed = [(case, row[name]) for case, row in rows if row.get(name) is not None]
        if not enclosed:
            lacking.append(f"the empirical check encloses {name} at no case")
        for case, bracket in enclosed:
            value = float(case.evaluate(quantity.ratio.expr))
            if not bracket[0] <= value <= bracket[1]:
                where = f"{name} at {drawing.key(case.raw)}"
                evidence.conflicts.append(f"{where}: derived {value!r}, observed in {bracket}")
    return lacking


def _enclosed(pair: Pair, rows: Sequence[Row], evidence: Evidence, *, single: bool) -> list[str]:
    """Numbers that both sides enclose: the two enclosures must meet at every case, wherever a property stands there.

    A derived enclosure moved by OFF, up or down, must miss the observed one at some case. Returns why the observation
    shows too little: a number that it does not enclose at every case.
    """
    lacking = []
    for name, quantity in pair.derived().quantities.items():
        if not isinstance(quantity, Enclosed):
            continue
        seen = [(case, row[name]) for case, row in rows if row.get(name) is not None]
        if len(seen) < len(rows):
            lacking.append(f"the empirical check encloses {name} at {len(seen)} of {len(rows)} cases only")
        widest, moved = 0.0, {"up": False, "down": False}
        for place, (case, (low, high)) in enumerate(seen):
            lows, highs = ([float(case.evaluate(e)) for e in ends] for ends in (quantity.lows, quantity.highs))
            least, most = max(lows, default=-math.inf), min(highs, default=math.inf)
            # a float64 evaluation of an end is off by a few roundings
            blur = ROUNDINGS * max(abs(low), abs(high))
            if least > high + blur or most < low - blur:
                where = f"{name} at {drawing.key(case.raw)}"
                evidence.conflicts.append(f"{where}: derived in {(least, most)}, observed in {(low, high)}")
            moved["up"] |= least * (1 + OFF) > high + blur
            moved["down"] |= most * (1 - OFF) < low - blur
            widest = max(widest, (high - low) / high if 0 < low <= high < math.inf else math.inf)
            if place < SHOWN:
                evidence.rows.append(shown_case(case.raw, name, None, (least, most), (low, high)))
        for way, caught in moved.items():
            if caught or not single:
                evidence.decoys += 1
                evidence.caught += caught
                evidence.survivors += [] if caught else [f"{name}: {OFF:.0%} {way}"]
        evidence.detectable = max(evidence.detectable or 0.0, widest) if math.isfinite(widest) else None
        told = f"{name} is enclosed within {widest:.1e} of it at every case"
        evidence.power += ("; " if evidence.power else "") + told
    return lacking


def _counterexample(
    pair: Pair, observation: Any, wrong: Sequence[tuple[Case, str]], *, shrink: bool
) -> Counterexample | None:
    """The smallest case found where both sides contradict a print: of the derivation's, of those drawn, or shrunk."""
    found: list[tuple[Mapping[str, Any], str]] = []
    for name in dict.fromkeys(name for _, name in wrong):
        refutes = partial(_refutes, pair, observation, name)
        places = [point for point in pair.quantity(name).points if admitted(pair.statement, point)]
        places += [case.raw for case, other in wrong if other == name]
        if shrink and (least := wide.smallest(pair.statement, {}, refutes, wide.LONG_WALKS, SHRINKS)):
            places.append(least)
        found += [(raw, name) for raw in places if refutes(raw)]
    if not found:
        return None
    raw, name = min(found, key=lambda row: (len(drawing.key(row[0])), drawing.key(row[0])))
    return _shown(raw, name, holds(_clause(pair, name)[1], Case(raw)), _observe(observation, name, raw))


def _refutes(pair: Pair, observation: Any, name: str, raw: Mapping[str, Any]) -> bool:
    """Whether the derivation contradicts a print at a case, and what is observed there does too."""
    word, conditions = _clause(pair, name)
    if not contradicted(word, conditions, pair.quantity(name), raw):
        return False
    value = _observe(observation, name, raw)
    return value is not None and _differs(word, holds(conditions, Case(raw)), value)


def _clause(pair: Pair, name: str) -> tuple[str, tuple[str, ...]]:
    return clause(pair.statement.printed[name])


def _observe(observation: Any, name: str, raw: Mapping[str, Any]) -> Any:
    return observation.function(**{p: raw[p] for p in observation.parameters}).get(name)


def _shown(raw: Mapping[str, Any], name: str, claimed: Any, seen: Any) -> Counterexample:
    return {"params": dict(raw), "printed": f"{name}: {claimed}", "true": f"{name}: {bool(seen)}"}
