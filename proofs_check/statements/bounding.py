"""Cases at which an inequality fails though its moments have no closed form: balls around both sides show it.

From small cases, numbers are changed as long as the failure comes nearer, and then made as simple as they can be.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING, Any

from proofs_check.cases.of_statements import (
    Case,
    case_as_text,
    exact_case,
    range_of,
    readable_case,
    simple,
    size,
    steep,
)
from proofs_check.report.telling import parameters
from proofs_check.statements.measuring import BETA, Measurement, TooDearError
from proofs_check.statements.planning import told
from proofs_check.statements.shrinking import shrunk
from theorems.statement.deciding.decide import Derivation
from theorems.statement.deciding.enclosing import RULE, Excess, assumed
from theorems.statement.latex import latex
from theorems.statement.proofs.exceeding import improved
from theorems.statement.proposition import Proposition
from theorems.statement.values import cases as exact_cases
from theorems.statement.values.arithmetic import ball
from theorems.statement.work import Work

if TYPE_CHECKING:
    from proofs_check.statements.moments import Checker

#: Cases that are looked at in all, and in one climb; starts of a patient climb and of another one, and steps in vain
#: after which one is left.
LOOKS = {"quick": 3000, "standard": 6000, "thorough": 20000}
ONCE = 500
STARTS, VAIN = {True: 12, False: 6}, 100
#: Steps in vain of a patient climb, which has no other end.
PATIENCE = 250
#: A step is in vain where the lower side, as a part of the higher one, does not become larger by this factor.
NEARER = 1.02
#: How often a step scales several numbers and vectors at once.
SCALED = 0.4
#: By what numbers and vectors of a start are multiplied, once climbs from all of them have led nowhere.
FAR = [Fraction(2**k) for k in range(7)]
#: Steps of shrinking.
SHRINKING = 400
#: By how much an inequality fails at least where samples are to see it.
SEEN = Fraction(1, 50)
Score = tuple[bool, float]


class Climb:
    """A search for a case at which an inequality surely fails, by enough to be seen in samples.

    A ``patient`` one takes small steps from the smallest cases, another one leaves a start soon and goes far, too.
    """

    def __init__(
        self,
        prop: Proposition,
        derivation: Derivation,
        seed: int,
        effort: str,
        *,
        fine: bool = True,
        patient: bool = False,
    ) -> None:
        self.patient = patient
        self.prop, self.random, self.left = prop, Random(seed), LOOKS[effort] * 2 // (3 if fine else 2)
        self.excess = Excess(prop, derivation, fine=fine)
        # a chance is between 0 and 1, and a moment of any size
        self.relative = not any(side.has("P") for side in (prop.left, prop.right))

    def found(self, pool: list[Case]) -> Case | None:
        """The case, as simple as it could be made; None where no start led to one."""
        starts = list(itertools.islice(self._starts(pool), STARTS[self.patient]))
        # moments fail far away as exponentials do, and are seen to at once
        away = self._away(starts) if self.relative else ()
        if (far := next((one for one in away if self._fails(self.score(one))), None)) is not None:
            return self._least(far)
        for turn in itertools.count():
            if self.left <= 0 or not starts or (self.patient and turn >= len(starts)):
                break
            # a start from which nothing leads counts, too
            self.left -= not self.patient
            start = starts[turn % len(starts)]
            if turn >= len(starts):
                # what fails far away alone may be far from where a climb from near leads
                start = self._scaled(start, self._free(start), FAR)
            case = self._climbed(start)
            if case is not None:
                return self._least(case)
        return None

    def _away(self, starts: list[exact_cases.Case]) -> Iterator[exact_cases.Case]:
        """The starts with longer vectors, and with larger whole numbers beside them."""
        for factor, more, start in itertools.product(FAR[1:], FAR[:5], starts):
            whole = [name for name in self._free(start) if range_of(self.prop, name).integer]
            if whole or more == 1:
                numbers = {name: value * more if name in whole else value for name, value in start.numbers.items()}
                yield self._scaled(replace(start, numbers=numbers), [], [factor])

    def _least(self, case: exact_cases.Case) -> Case:
        least = shrunk(self.prop, case, lambda one: self._fails(self.score(one, (True, 0.0))), Work(SHRINKING))
        return case_as_text(self.prop, least)

    def beside(self, case: Case) -> Iterator[Case]:
        """Cases next to one at which the inequality fails as well: where nothing is random samples tell no error."""
        exact = exact_case(self.prop, case)
        for label, entries in exact.vectors.items():
            for off in map(Fraction, ("1/16", "1/8", "1/4")):
                moved = replace(exact, vectors={**exact.vectors, label: (entries[0] + off, *entries[1:])})
                if self._fails(self.score(moved, (True, 0.0))):
                    yield case_as_text(self.prop, moved)

    def gap(self, case: Case) -> tuple[float, float]:
        """The ends of the ball around left - right at a case."""
        found = self.excess.at(exact_case(self.prop, case), case)
        assert found is not None
        middle = ball(found[0]) if self.prop.relation[0] == "<" else -ball(found[0])
        return float(middle.lower()), float(middle.upper())

    def _starts(self, pool: list[Case]) -> Iterator[exact_cases.Case]:
        """Cases of different dimensions and positions: the smallest, and for haste the largest in turn with them."""
        several: dict[tuple[Any, ...], Case] = {}
        weight = size if self.patient and not self.relative else self._weight
        for case in sorted((*itertools.islice(simple(self.prop), 200), *pool), key=weight):
            several.setdefault(tuple(case.get(name) for name in ("d", *self.prop.positions)), case)
        left = list(several.values())
        while left:
            yield exact_case(self.prop, left.pop(0))
            if left and not self.patient:
                yield exact_case(self.prop, left.pop())

    def _weight(self, case: Case) -> tuple[Any, ...]:
        """Cases with vectors or matrices that are 0 come last: from there a climb may lead nowhere."""
        entries = [case[name] for name in self.prop.known.vectors]
        entries += [[entry for row in case[name] for entry in row] for name in self.prop.matrices]
        return sum(not any(map(Fraction, of)) for of in entries), *size(case)

    def score(self, case: exact_cases.Case, above: Score | None = None) -> Score | None:
        """Whether the inequality surely fails, and by how much: where it need not, beside what its side adds up.

        None where that is not ``above`` another score, or the case does not meet the hypotheses.
        """
        text = case_as_text(self.prop, case)
        try:
            found = None if exact_cases.admissible(self.prop, case) else self.excess.at(case, text)
        except (KeyError, ValueError, ZeroDivisionError):
            return None
        if found is None:
            return None
        low, whole = ball(found[0]).lower(), ball(found[1])
        if not low > 0 and not whole > 0:
            return None
        beside = low if low > 0 and not (self.relative and whole > 0) else low / whole
        score = (bool(low > 0), float(beside.lower()))
        # what is said of moments takes longest
        return score if (above is None or score > above) and assumed(self.prop, text) else None

    def _fails(self, score: Score | None) -> bool:
        return score is not None and score[0] and score[1] >= SEEN

    def _climbed(self, case: exact_cases.Case) -> exact_cases.Case | None:
        best, vain = self.score(case), 0
        most, least = (PATIENCE, 0) if self.patient else (VAIN, max(self.left - ONCE, 0))
        while best is not None and not self._fails(best) and vain < most and self.left > least:
            other = self._moved(case)
            self.left -= 1
            score = self.score(other, best)
            vain += 1
            if score is not None:
                # towards a place where both sides are equal ever smaller steps lead
                nearer = score[0] > best[0] or score[1] + 1 > NEARER * (best[1] + 1)
                vain = 0 if self.patient or nearer else vain
                case, best = other, score
        return case if self._fails(best) else None

    def _moved(self, case: exact_cases.Case) -> exact_cases.Case:
        """One number, or an entry of one or two vectors, changed; or all scaled by powers of one factor."""
        choose = self.random.choice
        names = [name for name in case.numbers if name != "d"]
        if not self.patient and self.random.random() < SCALED:
            factor = self._factor()
            return self._scaled(case, self._free(case), [1 / factor, Fraction(1), Fraction(1), factor])
        if names and (not case.vectors or self.random.random() < 0.6):
            label = choose(names)
            value = case.numbers[label]
            if label in self.prop.positions:
                return case.with_number(label, max(value + choose((1, -1)), Fraction(1)))
            return case.with_number(label, self._changed(value))
        if not case.vectors:
            return case
        labels = self.random.sample(sorted(case.vectors), k=choose(range(1, min(2, len(case.vectors)) + 1)))
        place = self.random.randrange(len(case.vectors[labels[0]]))
        shift = Fraction(choose((1, -1, "1/2", "-1/2", 4, -4)))
        vectors = dict(case.vectors)
        for label in labels:
            entries = list(vectors[label])
            entries[place] = entries[place] + shift
            vectors[label] = tuple(entries)
            # the other one moves along with it, or against it
            shift *= choose((1, -1))
        return replace(case, vectors=vectors)

    def _free(self, case: exact_cases.Case) -> list[str]:
        return [name for name in case.numbers if name not in ("d", *self.prop.positions)]

    def _scaled(self, case: exact_cases.Case, names: list[str], factors: list[Fraction]) -> exact_cases.Case:
        """Numbers and vectors each times one of some factors: so a product such as theta*g(z) may stay what it is."""
        by = {label: self.random.choice(factors) for label in (*names, *sorted(case.vectors))}
        numbers = {label: value * by.get(label, 1) for label, value in case.numbers.items()}
        vectors = {label: tuple(by[label] * v for v in entries) for label, entries in case.vectors.items()}
        return replace(case, numbers=numbers, vectors=vectors)

    def _factor(self) -> Fraction:
        return Fraction(self.random.choice((2, "1/2", 10, "1/10", "5/4", "4/5")))

    def _changed(self, value: Fraction) -> Fraction:
        way = self.random.choice(("times", "times", "plus"))
        if way == "times":
            return value * self._factor()
        return value + Fraction(self.random.choice((1, -1, "1/4", "-1/4")))


def refute_by_balls(checker: Checker, pool: list[Case]) -> None:
    """Refute an inequality at a case where balls show that it fails, and samples do, too.

    It is about a probability, or about exponentials, of which small vectors alone are drawn.
    """
    prop, found = checker.prop, checker.found
    chance = any(side.has("P") for side in (prop.left, prop.right))
    if prop.relation not in ("<=", "<", ">=", ">") or not (chance or steep(prop)):
        return
    # rough balls take a tenth of the time
    for fine, patient in ((False, True), (False, False), (True, False))[: 3 if chance else 1]:
        climb = Climb(prop, checker.derivation, checker.seed, checker.effort, fine=fine, patient=patient)
        if (case := climb.found(pool)) is not None:
            break
    else:
        return
    found.status, found.method, found.reason = "disproved", RULE if chance else "exact values at a case", ""
    measured: tuple[Case, Measurement, Measurement] | None = None
    for there in (case, *climb.beside(case)):
        least = min(map(abs, climb.gap(there)))
        try:
            measured = there, checker.measure(there, "", least), checker.measure(there, "confirmation", least)
            break
        except TooDearError as error:
            found.reason = found.reason or f"disproved; {error}"
    case = case if measured is None else measured[0]
    low, high = climb.gap(case)
    gap = f"at {parameters(readable_case(case))}: left - right in [{low:.6g}, {high:.6g}]"
    found.steps.append({"text": gap, "rule": RULE, "ok": True})
    _correct(checker)
    if measured is None:
        return
    found.reason = ""
    _, first, again = measured
    checker.tell([first], str(prop.stated[0]))
    for one in (first, again):
        apart = one.gap[0] > high or one.gap[1] < low
        found.conflicts += [f"{gap} by balls"] * apart
    found.samples += first.walks + again.walks
    seen = [one.contradicts(prop.relation) for one in (first, again)]
    found.simulation, found.confirmed = "contradicts" if seen[0] else "underpowered", all(seen)
    printed = f"in [{first.right[0]:.6g}, {first.right[1]:.6g}]"
    found.counterexample = {
        "params": readable_case(case),
        "printed": printed,
        "true": f"in [{first.left[0]:.6g}, {first.left[1]:.6g}]",
    }
    least, sampled = min(abs(low), abs(high)), told([first, again])
    found.power = f"an error of {least:.3g} is caught with probability {1 - BETA:g}; {sampled}"


def _correct(checker: Checker) -> None:
    """What a probability is at most, by the rule that bounds it; the simplest form, and the sharpest as a remark."""
    rights = improved(checker.prop)
    if not rights:
        return
    first, *others = rights
    found = checker.found
    found.correction, found.correction_latex, found.holds = str(first), latex(first), "everywhere"
    if others:
        found.remarks.append(f"sharper: {checker.prop.left} {checker.prop.relation} {others[-1]}")
