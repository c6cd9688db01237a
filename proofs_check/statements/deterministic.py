"""Judges a statement without tokens: proved by rules and searched in vain, or certified false and evaluated so.

A wrong version of a proved statement ("mutant") differs in one coefficient or exponent of the right side by 1, in a
factor of 2 %, or in the direction of the relation. One whose right side is nowhere stronger at the tried cases follows
from the statement and says nothing; of the others, those that the search does not refute mean that the statement is not
seen to be sharp, which is no fault of it. But a search that refutes not a single wrong version has shown nothing: then
there is no empirical check, and the verdict is ``undecided`` for all that is proved.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import chain
from typing import Any

import numpy as np

from montecarlo.search_statement import Landscape
from montecarlo.search_values import Floats, evaluate, floats
from proofs_check.cases.ends import at_ends, close
from proofs_check.cases.without_tokens import Choices, drawn, gram, simplex
from proofs_check.report.telling import counted
from proofs_check.statements import clauses
from proofs_check.statements.conflicting import AGREE, conflicting
from proofs_check.statements.shrinking import MANY, cost, shrunk
from proofs_check.statements.texts import without_cases
from proofs_check.statements.wrong_versions import mutants_of
from theorems.statement.expression import HALF_LINE, MOMENTS
from theorems.statement.moments.series import NoRatioError
from theorems.statement.proofs import proved
from theorems.statement.proofs.matrices import about_matrices
from theorems.statement.proposition import Proposition
from theorems.statement.reading.conditions import CLAUSES
from theorems.statement.reading.ranges import Range
from theorems.statement.values.cases import Case, admissible, frame
from theorems.statement.values.certify import shown, undefined, violation
from theorems.statement.work import Work

#: By effort: cases drawn, cases near the nearest, and ascents. Counts, so that no verdict hangs on a busy machine.
DRAWN = {"quick": 250, "standard": 600, "thorough": 2000}
VARIED = {"quick": 60, "standard": 200, "thorough": 1000}
ASCENTS = {"quick": 12, "standard": 40, "thorough": 300}
#: Cases at ends of a size, and close ones.
STRUCTURED = {"quick": 60, "standard": 120, "thorough": 500}
#: Of how many of the nearest cases choices are drawn again, and at how many cases the sides' two values are compared.
NEAREST, COMPARED = 5, 12
#: Steps that a proof may take, and one that a version is equal; cases that are looked at to make a violation small.
PROOF, EQUAL = {"quick": 3000, "standard": 9000, "thorough": 36000}, 500
SHRINKING = {"quick": 1500, "standard": 5000, "thorough": 20000}
#: Relative difference that floats can see.
SEEN = 1e-11


@dataclass(frozen=True)
class Mutant:
    """A wrong version of the right side, or of the relation, and what became of it: caught, implied, not seen."""

    text: str
    fate: str
    case: str = ""


@dataclass(frozen=True)
class Found:
    """What was found out: a verdict with its reason, and the data behind it.

    ``left`` and ``right`` are the sides at the counterexample, exact text where rational and short, else digits;
    ``evaluated`` the same in float64 by the other side. ``closest`` is the largest (left - right)/max(|left|, |right|)
    towards a violation, at ``closest_case``.
    """

    verdict: str
    reason: str
    proof: tuple[tuple[str, str, str], ...] = ()
    counterexample: Case | None = None
    left: str = ""
    right: str = ""
    evaluated: tuple[float, ...] | None = None
    tries: int = 0
    closest: float = -math.inf
    closest_case: str = ""
    mutants: tuple[Mutant, ...] = ()


@dataclass
class _Search:
    """The cases tried so far, and the exact judgement of those that floats call violations."""

    prop: Proposition
    landscape: Landscape
    pool: list[tuple[Case, Floats]] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)
    tries: int = 0
    #: The first cases at which both sides have a value in floats.
    first: list[Case] = field(default_factory=list)
    #: By the sizes of a case, since what is an equality in one dimension may be violated in the next.
    by_size: dict[tuple[Fraction, ...], list[tuple[float, Floats]]] = field(default_factory=dict)
    closest: tuple[float, str] = (-math.inf, "")
    hit: Case | None = None
    without: str = ""
    conflict: str = ""

    @property
    def done(self) -> bool:
        return self.hit is not None or bool(self.conflict)

    def look(self, case: Case | None) -> float:
        """How near a case comes to a violation; keeps it, and certifies one."""
        self.tries += 1
        if case is None or (label := str(case)) in self.seen:
            return math.nan
        self.seen.add(label)
        point = floats(case.plain())
        excess = self.landscape.excess(point)
        self.pool.append((case, point))
        if math.isnan(excess):
            self.without = self.without or _where(undefined(self.prop, case), case)
            return excess
        if len(self.first) < COMPARED:
            self.first.append(case)
        sizes = tuple(case.numbers[name] for name in sorted({"d", *frame(self.prop).sizes} & case.numbers.keys()))
        self.by_size.setdefault(sizes, []).append((excess, point))
        strict = self.prop.relation in ("<", ">", *CLAUSES)
        near = excess > -SEEN if strict else excess > SEEN / 10
        if near and violation(self.prop, case):
            self.confirm(case)
        elif excess > AGREE:
            # a violation in floats alone
            self.conflict = conflicting(self.prop, case)
        # beyond equality is rounding alone where no violation is certified
        reached = excess if self.done else min(excess, 0.0) + 0.0
        if reached > self.closest[0]:
            self.closest = (reached, label)
        return excess

    def confirm(self, case: Case) -> None:
        """Keep a certified violation where the other side sees it too; a certain disagreement is a conflict."""
        if _confirmed(self.prop, case):
            self.hit = case
        else:
            self.conflict = conflicting(self.prop, case)


def judge_deterministic(prop: Proposition, effort: str = "standard", seed: int = 0) -> Found:
    """The verdict on a statement without tokens; ValueError for one with tokens or an unknown effort."""
    if effort not in DRAWN:
        raise ValueError(f"effort = {effort!r}; expected one of {', '.join(DRAWN)}")
    if prop.random or any(side.has("token", "mean", *MOMENTS) for side in (prop.left, prop.right)):
        raise ValueError(f"{prop.text}: it has tokens or moments; the search is for statements without tokens")
    if prop.asymptotic:
        return Found("undecided", "a limit without tokens: no finite case refutes it, and no rule proves it")
    if about_matrices(prop):
        from proofs_check.statements.identities import judge_matrices

        return judge_matrices(prop, effort, seed)
    if undrawn := _undrawn(prop):
        return Found("undecided", undrawn)
    search = _Search(prop, Landscape(prop.left.plain(), prop.relation, prop.right.plain(), _plain(prop)))
    _check_shapes(prop, seed)
    _run(search, effort, seed)
    if search.hit is not None:
        return _refuted(search, Work(SHRINKING[effort]))
    return _unrefuted(search, Work(PROOF[effort]))


def judge_at(prop: Proposition, case: Case) -> Found:
    """The verdict at one case: refuted where both sides see that it is violated, or a conflict where they differ."""
    from proofs_check.statements import identities

    if why := undefined(prop, case):
        return Found("undecided", f"at this case, {why}", tries=1)
    left, right, whole = shown(prop.left, case), shown(prop.right, case), about_matrices(prop)
    if told := identities.compared(prop, case)[0] if whole else conflicting(prop, case):
        return Found("conflict", told, counterexample=case, left=left, right=right, tries=1)
    confirmed = identities.confirmed if whole else _confirmed
    if prop.asymptotic or not (violation(prop, case) and confirmed(prop, case)):
        return Found("undecided", "both sides agree at this case; others are not looked at", tries=1)
    values = clauses.evaluated if prop.relation in CLAUSES else identities.first_entries if whole else _values
    evaluated = values(prop, case)
    return Found("refuted", "", counterexample=case, left=left, right=right, evaluated=evaluated, tries=1)


def _undrawn(prop: Proposition) -> str:
    """Why no cases of a statement are drawn; "" where they are."""
    known = prop.known
    declared = [*known.families]
    if declared or known.truths:
        told = f"for {declared[0]}" if declared else f"that satisfy {known.truths[0]}"
        return f"no cases are drawn {told}: families and every(...) are for claims with cases"
    if any(side.has("exists", "least") for side in (prop.left, prop.right)):
        return "no search goes through the values of unknowns: exists and least are for claims with cases"
    if any(side.has(*HALF_LINE) for side in (prop.left, prop.right)):
        return f"no search goes along a half-line: {', '.join(HALF_LINE)} are for claims with cases"
    return ""


def violated_or_proved(prop: Proposition, effort: str, seed: int, part: float) -> tuple[Case | None, bool, str]:
    """A certified violation that a part of a search finds, made small, or else whether the rules prove the statement.

    Last what is to be said where neither is.
    """
    search = _Search(prop, Landscape(prop.left.plain(), prop.relation, prop.right.plain(), _plain(prop)))
    _check_shapes(prop, seed)
    _run(search, effort, seed, part)
    if search.hit is not None:
        return _refuted(search, Work(part * SHRINKING[effort])).counterexample, False, ""
    proof = None if search.without or search.conflict else proved(prop, Work(part * PROOF[effort]))
    vain = f"no proof, and no violation in {search.tries} tries"
    return None, proof is not None, search.without or search.conflict or vain


def _check_shapes(prop: Proposition, seed: int) -> None:
    """StatementError where a side is a vector or a matrix, or adds and multiplies what does not fit."""
    generator = random.Random(seed)
    case = next((one for _ in range(50) if (one := drawn(prop, generator.choice)) is not None), None)
    if case is not None:
        undefined(prop, case)


# -- the search


def _run(search: _Search, effort: str, start: int, part: float = 1.0) -> None:
    """Simple cases, then the nearest with some of their choices drawn again, then ascent from these and from others.

    Last those that chance seldom meets.
    """
    prop, generator = search.prop, random.Random(f"{start}")
    nearest: list[tuple[float, Choices]] = []
    drawings = round(part * DRAWN[effort])
    k = 0.0
    while k < drawings + round(part * VARIED[effort]):
        if search.done:
            return
        again = generator.choice(nearest)[1] if k >= drawings and nearest else None
        choices = Choices(generator, again)
        case = drawn(prop, choices)
        k += cost(case)
        excess = search.look(case)
        if math.isfinite(excess):
            nearest = sorted([*nearest, (excess, choices)], key=lambda entry: -entry[0])[:NEAREST]
    noise = np.random.default_rng(start)
    ascents = 0.0
    while ascents < round(part * ASCENTS[effort]):
        cases = [drawn(prop, generator.choice) for _ in range(10)]
        ascents += max(map(cost, cases))
        for case in cases:
            search.look(case)
        if search.done:
            return
        if not search.by_size:
            continue
        known = search.by_size[generator.choice(sorted(search.by_size))]
        # half the ascents begin near an equality, half anywhere: an equality may lie in a hollow
        known.sort(key=lambda entry: -entry[0])
        chosen = generator.choice(known[:3] if generator.random() < 0.5 else known)[1]
        excess, point, tries = search.landscape.climb(chosen, noise, 250)
        search.tries += tries
        if not math.isinf(excess):
            for case in _rounded(prop, point):
                search.look(case)
                if search.done:
                    return
    most = round(part * STRUCTURED[effort])
    for case in chain(at_ends(prop, generator, most), close(prop, generator, most)):
        search.look(case)
        if search.done:
            return


def _plain(prop: Proposition) -> dict[str, Any]:
    """The hypotheses as the search in floats reads them."""
    known, shape = prop.known, frame(prop)
    fixed = {*shape.sizes, *prop.positions, *shape.indices, "d"}
    fixed |= {name for name, values in known.ranges.items() if values.integer}
    ranges = {name: _interval(values) for name, values in known.ranges.items() if name not in fixed}
    shapes = {name: known.shape(name) for name in shape.matrices}
    if known.identity:
        shapes["Sigma"] = "identity"
    bounds = {n: None if bound is None else bound.plain() for n, (_, bound) in known.sequences.items()}
    totals = {name: float(total) for name, total in simplex(prop).items()}
    held = [
        (relation, one.plain(), two.plain())
        for relation, one, two in known.relations
        if not (totals and (one.has("entry") or two.has("entry")))
    ]
    return {
        "ranges": ranges,
        "fixed": fixed,
        "shapes": shapes,
        "bounds": bounds,
        "simplex": totals,
        # relations with an index of their own hold for every entry: only the exact side holds cases to them
        "relations": [r for r in held if not _indexed(prop, r)],
    }


def _indexed(prop: Proposition, relation: tuple[str, list[Any], list[Any]]) -> bool:
    text = str(relation)
    return any(f"['name', '{name}']" in text for name in frame(prop).quantified)


def _interval(values: Range) -> tuple[float, float]:
    low = -math.inf if values.low is None else float(values.low)
    high = math.inf if values.high is None else float(values.high)
    step = 1e-6 * (min(high - low, 1.0) if math.isfinite(high - low) else 1.0)
    return low + step * values.low_open, high - step * values.high_open


def _rounded(prop: Proposition, point: Floats) -> Iterator[Case]:
    """Exact cases near one in floats, the ones with the smallest denominators first."""
    for most in (1, 2, 4, 12, 100, 10**4, 10**8):
        case = _rational(prop, point, most)
        if case is not None and not admissible(prop, case):
            yield case


def _rational(prop: Proposition, point: Floats, most: int) -> Case | None:
    many = sum(np.size(v) for table in point.values() for v in table.values()) > MANY

    def exact(value: Any) -> Fraction:
        # of many numbers the common denominator has thousands of digits, unless all have the same
        return Fraction(round(float(value) * most), most) if many else Fraction(float(value)).limit_denominator(most)

    def column(entries: Any) -> tuple[Fraction, ...]:
        return tuple(map(exact, np.asarray(entries).ravel()))

    if not all(np.isfinite(v).all() for table in point.values() for v in table.values()):
        return None
    matrices = {}
    for name, rows in point["matrices"].items():
        if prop.known.shape(name) in ("psd", "positive definite") and not (name == "Sigma" and prop.known.identity):
            # rounded as A A^T, so that it stays positive semidefinite
            values, turn = np.linalg.eigh((rows + rows.T) / 2)
            half = (turn * np.sqrt(np.maximum(values, 0))) @ turn.T
            matrices[name] = gram([column(row) for row in half])
        else:
            matrices[name] = tuple(column(row) for row in rows)
    sequences = {name: column(entries) for name, entries in point["sequences"].items()}
    for name, total in simplex(prop).items():
        whole = sum(sequences[name], Fraction(0))
        if whole == 0:
            return None
        sequences[name] = tuple(total * v / whole for v in sequences[name])
    numbers = {name: exact(value) for name, value in point["numbers"].items()}
    return Case(numbers, matrices, {n: column(v) for n, v in point["vectors"].items()}, sequences)


# -- what it comes to


def _values(prop: Proposition, case: Case) -> tuple[float, float]:
    plain = case.plain()
    return evaluate(prop.left.plain(), plain), evaluate(prop.right.plain(), plain)


def _confirmed(prop: Proposition, case: Case) -> bool:
    """Whether the floats of the other side show the violation too, beyond their rounding."""
    if prop.relation in CLAUSES:
        return clauses.confirmed(prop, case, SEEN)
    left, right = _values(prop, case)
    if not (math.isfinite(left) and math.isfinite(right)):
        return False
    gap = {"<": left - right, ">": right - left, "=": abs(left - right)}[prop.relation[0]]
    size = max(abs(left), abs(right))
    weak = prop.relation in ("<", ">") and shown(prop.left, case) == shown(prop.right, case)
    return gap > SEEN * size or (weak and gap >= -SEEN * size)


def _where(reason: str, case: Case) -> str:
    return f"{reason} (at {case})" if reason else ""


def _refuted(search: _Search, work: Work) -> Found:
    prop, start = search.prop, search.hit
    assert start is not None

    def bad(case: Case) -> bool:
        try:
            return not admissible(prop, case) and bool(violation(prop, case)) and _confirmed(prop, case)
        except (KeyError, ValueError, ZeroDivisionError):
            return False

    # from the nearest violation the steps may end in a corner: fresh small cases are tried as well
    case = shrunk(prop, start, bad, work)
    fresh = random.Random(0)
    for _ in range(120):
        if work.over:
            break
        other = drawn(prop, lambda options: fresh.choice(list(options)[:3]))
        if other is not None and other.weight < case.weight and work.spend(cost(other)) and bad(other):
            case = shrunk(prop, other, bad, work)
    left, right = shown(prop.left, case), shown(prop.right, case)
    if difference := conflicting(prop, case):
        return Found("conflict", difference, counterexample=case, left=left, right=right, tries=search.tries)
    base = Found("refuted", "", counterexample=case, left=left, right=right, tries=search.tries)
    base = replace(base, closest=search.closest[0], closest_case=search.closest[1])
    if prop.relation in CLAUSES:
        reason = f"at {case} the left side {left}, while the right side {right}"
        return replace(base, reason=reason, evaluated=clauses.evaluated(prop, case))
    turned = {"=": "is not", "<=": "is above", "<": "is not below", ">=": "is below", ">": "is not above"}
    reason = f"at {case} the left side, {left}, {turned[prop.relation]} the right side, {right}"
    return replace(base, reason=reason, evaluated=_values(prop, case))


def _unrefuted(search: _Search, work: Work) -> Found:
    prop, (closest, where) = search.prop, search.closest
    base = Found("undecided", "", tries=search.tries, closest=closest, closest_case=where)
    told = (conflicting(prop, case) for case in search.first)
    if conflict := search.conflict or next(filter(None, told), ""):
        return replace(base, verdict="conflict", reason=conflict)
    if math.isinf(closest):
        return replace(base, reason=search.without or without_cases(prop))
    proof = None if search.without else proved(prop, work)
    vain = f"no violation in {search.tries} tries, closest was {closest:.3g} (relative, 0 is equality) at {where}"
    if proof is None:
        return replace(base, reason=search.without or vain)
    if prop.relation in CLAUSES and (missing := clauses.unseen(prop, (case for case, _ in search.pool))):
        return replace(base, reason=f"{missing}; {vain}")
    fates = tuple(_fates(search))
    steps = tuple((step.rule, step.instance, step.trusted) for step in proof.steps)
    base = replace(base, proof=steps, mutants=fates)
    caught, unseen = (sum(mutant.fate == fate for mutant in fates) for fate in ("caught", "not seen"))
    if not caught:
        return replace(base, reason=f"proved, but the search tells no wrong version from it; {vain}")
    extra = f"; {unseen} stronger versions were not refuted: not seen to be sharp" if unseen else ""
    return replace(
        base, verdict="verified", reason=f"proved; {vain}; {counted(caught, 'wrong version')} refuted{extra}"
    )


# -- wrong versions


def _fates(search: _Search) -> Iterator[Mutant]:
    prop = search.prop
    known = [search.landscape.terms(point) for _, point in search.pool]
    for wrong in mutants_of(prop):
        # a sum to infinity that is not read any more says nothing
        with suppress(NoRatioError):
            yield _fate(search, wrong, known)


def _fate(search: _Search, wrong: Proposition, known: list[dict[str, float]]) -> Mutant:
    prop, text = search.prop, f"{wrong.left} {wrong.relation} {wrong.right}"
    landscape = Landscape(wrong.left.plain(), wrong.relation, wrong.right.plain(), search.landscape.known)
    measured = [landscape.measured(point, terms) for (_, point), terms in zip(search.pool, known, strict=True)]
    worst = sorted(((excess, k) for k, (excess, _) in enumerate(measured) if excess > SEEN), reverse=True)
    if prop.relation not in CLAUSES:
        # where both sides are 0 what rounding leaves has the largest excess, but a small gap
        gaps = sorted(((measured[k][1], k) for _, k in worst), reverse=True)
        worst = [*worst[:8], *gaps[:8]]
    for k in dict.fromkeys(k for _, k in worst[:16]):
        case = search.pool[k][0]
        if violation(wrong, case) and _confirmed(wrong, case):
            return Mutant(text, "caught", str(case))
    if prop.relation in CLAUSES:
        fate = "implied" if clauses.follows(prop, wrong, (case for case, _ in search.pool)) else "not seen"
        return Mutant(text, fate)
    if wrong.relation == prop.relation and prop.relation != "=":
        own = [search.landscape.measured(point, terms)[1] for (_, point), terms in zip(search.pool, known, strict=True)]
        changes = [(new, was) for (_, new), was in zip(measured, own, strict=True)]
        if all(not new - was > SEEN * max(abs(new), abs(was)) for new, was in changes):
            return Mutant(text, "implied")
    if prop.relation == "=" and proved(wrong, Work(EQUAL)) is not None:
        # it says the same: sum(j, j, 0, n) is sum(j, j, 1, n)
        return Mutant(text, "implied")
    return Mutant(text, "not seen")
