"""Judging a statement about moments at every T: decided exactly, sampled at cases that cover its hypotheses."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable

import sympy as sp

from proofs_check.cases.of_statements import Case, counts, distinct, drawn, far_out, readable_case, size
from proofs_check.report.telling import parameters
from proofs_check.statements.found import Found
from proofs_check.statements.measuring import BETA, Measurement, Plan, TooDearError
from proofs_check.statements.planning import told
from proofs_check.statements.sampled import REFUTING, ROUNDS, Sampled
from proofs_check.statements.texts import exact_text, interval_text, raw_moments
from proofs_check.statements.violating import violations
from theorems.statement.deciding.decide import Decision, decide
from theorems.statement.expression import Expr, StatementError
from theorems.statement.moments.repairing import language_text
from theorems.statement.mutants import mutants
from theorems.statement.reading.entrywise import readable

#: Cases that Hypothesis draws, by effort; further cases for mutants that none of those sampled tells.
DRAWN = {"quick": 48, "standard": 96, "thorough": 192}
FURTHER = {"quick": 4, "standard": 8, "thorough": 12}
#: Cases at which a correction is computed by a second route.
AGAIN = 6
#: Cases that are looked at for a counterexample.
CANDIDATES = {"quick": 1000, "standard": 3000, "thorough": 10000}
#: Small cases that an inequality is looked at before it is proved; normals of a sample that is drawn as it is.
FIRST, FEW = 24, 1 << 22
#: How far off, by its own size, a wrong right side is at a simple case that is sampled for it.
ENOUGH = 0.2


class Checker(Sampled):
    """One statement being judged: decided, sampled, and its wrong versions looked for."""

    def run(self) -> Found:
        """Decide, sample, look for wrong versions."""
        self.found.doing = "while deriving"
        # several equations at once are met by small cases, if at all
        pool = drawn(self.prop, self.seed * 64 + 1, DRAWN[self.effort]) or list(itertools.islice(self.simple(), FIRST))
        # no prover looks for a proof of an inequality that is violated at one of these, or at a small case
        several = self.prop.way and self.derivation.orders
        few = itertools.chain(itertools.islice(self.simple(), FIRST), pool) if several else ()
        unviolated = not any(map(self.exactly.violates, few))
        decision = decide(self.prop, self.derivation, bounding=unviolated, proving=unviolated)
        self.found.method = decision.method
        self.found.doing = "while looking for cases"
        exact = decision.status != "undecided" and decision.valued
        # at the others a side has no value: it divides by 0
        pool = [case for case in pool if (None not in self.sides(case) if exact else self._defined_at(case))]
        self._record(decision)
        if decision.status == "proved":
            self.found.status = "proved"
        elif decision.status == "open":
            failing = [part.place for part in decision.failing[:3] if part.place is not None]
            self._refute(decision, [*pool, *(case for order in failing for case in far_out(self.prop, order))])
        else:
            self.found.status, self.found.reason = "undecided", decision.reason
            self.found.doing = "while looking for a case that violates it"
            # what has no formula for every case may have a value at one
            small = list(itertools.islice(self.simple(), FIRST))
            known = any(None not in self.sides(case) for case in small)
            if any(map(self.exactly.violates, (*small, *pool) if known else ())):
                self.found.method = "exact values at a case"
                self._refute(decision, pool)
            else:
                self._climb(pool)
        if self.found.status != "disproved":
            self._sample(pool)
        if self.found.status == "proved" and self.found.simulation == "agrees":
            self._mutants(pool)
        if self.second_route and self.found.status == "proved":
            self._again(pool)
        if self.found.status == "undecided" and self.found.simulation == "contradicts":
            worst = next(m for m in self.measured if m.contradicts(self.prop.relation))
            where = parameters(readable_case(worst.case))
            self.found.reason += f"; the simulation contradicts it at {where}: left side in {interval_text(worst.left)}"
        return self.found

    def _record(self, decision: Decision) -> None:
        for part in decision.parts[:8]:
            left, right = readable(str(part.left)), readable(str(part.right))
            text = f"{part.order}: left side {left}, right side {right}"
            self.found.evidence.append(text)
            self.found.steps.append({"text": text, "rule": "normal form", "ok": part.holds})
            for step in part.proof:
                self.found.took(step.rule, f"{step.rule}: {step.instance}", step.trusted)
        exact = self.exactly.general(self.prop.left)
        if exact is not None:
            self.found.exact, self.found.derived = exact_text(exact), readable(language_text(exact))

    # -- counterexamples

    def _refute(self, decision: Decision, pool: list[Case]) -> None:
        """Look for an exact case that violates the statement, and sample it on two streams."""
        found = violations(self.exactly, self._candidates(pool, []))
        if not found:
            self.found.status, where = "undecided", "; ".join(part.order for part in decision.failing[:3])
            self.found.reason = f"not shown for {where}, and no case that violates it was found"
            self._climb(pool)
            return
        self.found.status = "disproved"
        self._correct(decision)
        dear: list[Case] = []
        while found and len(dear) < ROUNDS and not self._refuted_at(found):
            # a number may not vary at a case: at other dimensions and positions it is cheaper
            dear += found
            found = violations(self.exactly, self._candidates(pool, dear))

    def _climb(self, pool: list[Case]) -> None:
        """Look for a violation farther out than cases are drawn."""
        from proofs_check.statements.bounding import refute_by_balls  # which imports scipy

        refute_by_balls(self, pool)

    def _refuted_at(self, cases: list[Case]) -> bool:
        """Sample cases that violate the statement, until one contradicts it; whether any was sampled.

        Where the sides are equal and one is to be larger, the samples have to agree with that, on both streams.
        """
        sampled = False
        for case in distinct(cases):
            left, right = self.sides(case)
            assert left is not None and right is not None
            gap = abs(float(left - right))
            try:
                first, again = (self._measure(case, mark, gap or None, REFUTING) for mark in ("", "confirmation"))
            except TooDearError as error:
                self.found.reason = f"disproved; {error}"
                continue
            sampled, self.found.reason = True, ""
            self.tell([first], str(self.prop.stated[0]))
            self.found.conflicts += self.conflicts([first, again])
            self.found.samples += first.walks + again.walks
            seen = [one.contradicts(self.prop.relation) if gap else one.agrees("=") for one in (first, again)]
            self.found.simulation, self.found.confirmed = "contradicts" if seen[0] else "underpowered", all(seen)
            self.found.counterexample = {"params": readable_case(case), "printed": str(right), "true": str(left)}
            planned = told([first, again])
            least = f"an error of {gap or first.tolerance:.3g} is caught with probability {1 - BETA:g}; {planned}"
            self.found.power = least if gap else f"both sides are equal there, and so are the samples: {least}"
            if self.found.confirmed:
                return True
        return sampled

    def _candidates(self, pool: list[Case], dear: list[Case]) -> Iterable[Case]:
        """Small cases and those of the pool, but for the dimensions and positions of ``dear`` ones."""
        few = itertools.islice(self.simple(), max(CANDIDATES[self.effort] - len(pool), 0))
        every = itertools.chain(few, sorted(pool, key=size))
        return itertools.islice((one for one in every if counts(one) not in map(counts, dear)), CANDIDATES[self.effort])

    def _correct(self, decision: Decision) -> None:
        """What is true instead, where one formula is."""
        found = self.found
        true = self.exactly.general(self.prop.left) if self.prop.relation == "=" else None
        if true is None or any(free.name.startswith("norm(") for free in true.free_symbols):
            found.holds = "; ".join(f"for {part.order}: {readable(str(part.left))}" for part in decision.parts[:6])
            return
        from theorems.statement.moments.repairing import corrected

        found.correction, found.correction_latex = corrected(self.prop, true)
        found.correction_sympy = exact_text(true)
        fine = [part.order for part in decision.parts if part.holds]
        found.holds = f"everywhere; as printed for {'; '.join(fine[:4])}" if fine else "everywhere"

    def _again(self, pool: list[Case]) -> None:
        """Compute the left side by joint cumulants at some cases: another method than the derivation's."""
        from theorems.statement.deciding.cumulants import CaseMoments

        moments = [one for one in raw_moments(self.prop.left) if one.op == "E"]
        agreed = 0
        for case in sorted(pool, key=size)[:AGAIN]:
            try:
                other = CaseMoments(self.derivation, case)
                for moment in moments:
                    value = other.expectation(moment.args[0])
                    exact = self.exact(moment, case)
                    if exact is not None and exact != sp.Rational(value.numerator, value.denominator):
                        self.found.conflicts.append(f"at {case}: {moment} = {exact} by pairings, {value} by cumulants")
                    agreed += 1
            except (StatementError, KeyError):
                # a moment inside a sum has the sum's index in it
                continue
        if agreed:
            self.found.method += f"; again by joint cumulants, exactly, at {agreed} cases"

    # -- wrong versions

    def _mutants(self, pool: list[Case]) -> None:
        """Try every wrong right side against the intervals; those that no case tells get a case of their own."""
        self.found.doing = "while telling wrong versions from it"
        found, room = self.found, FURTHER[self.effort]
        if self.prop.relation != "=":
            return self._flipped(pool)
        for mutant in mutants(self.prop):
            # what has a value nowhere says nothing
            valued = any(self.exactly.defined(mutant.right, m.case) for m in self.measured)
            if not valued or self._true(mutant.right):
                continue
            seen = self._told_apart(mutant.right, self.measured)
            if not seen and room:
                room -= 1
                further = self._one_more(mutant.right, pool)
                seen = further is not None and self._told_apart(mutant.right, [further])
            found.mutants += 1
            found.caught += seen
            found.survivors += [] if seen else [readable(mutant.label)]
        self._told()

    def _one_more(self, right: Expr, pool: list[Case]) -> Measurement | None:
        """One more sample, which tells a right side from the left one; None where all are too dear."""
        for sample in self._telling_plans(right, pool):
            try:
                self.measured.append(self._drawn(sample))
                return self.measured[-1]
            except TooDearError as error:
                self._skipped(error, further=True)
        return None

    def _telling_plans(self, right: Expr, pool: list[Case]) -> list[Plan]:
        """Samples that tell a wrong right side, those of the fewest normals first.

        The case where it is farthest off may be a long one, or one of heavy tails: a simple one does as well, or one
        that is sampled already.
        """
        plans: list[Plan] = []
        why: TooDearError | None = None
        for cases in ((self._telling(right, pool), self._telling(right, [], ENOUGH)), [m.case for m in self.measured]):
            for case in filter(None, cases):
                left, other = self.exact(self.prop.left, case), self.exact(right, case)
                if left is None or other is None or left == other:
                    continue
                try:
                    plans.append(self._plan(case, self._further_mark(), abs(float(left - other))))
                except TooDearError as error:
                    why = error
            if any(one.normals <= FEW for one in plans):
                break
        if why is not None and not plans:
            self._skipped(why, further=True)
        return sorted(plans, key=lambda one: one.normals)

    def _further_mark(self) -> str:
        """What gives the next further sample a stream of its own, at a case that was sampled before too."""
        return f"further {len(self.measured)}"

    def _flipped(self, pool: list[Case]) -> None:
        """Of an inequality: the other direction must be contradicted somewhere, if need be where it is farthest off."""
        other = {"<=": ">=", "<": ">", ">=": "<=", ">": "<"}.get(self.prop.relation)
        even = other is not None and other.endswith("=") and self._true(self.prop.right)
        self.found.remarks += [f"not seen to be one-sided: {other} holds as well"] * even
        if even or other is None:
            return
        seen = any(m.contradicts(other) for m in self.measured)
        if not seen:
            further = self._one_more(self.prop.right, pool)
            seen = further is not None and further.contradicts(other)
            if self.measured:
                self._told()
        self.found.mutants += 1
        self.found.caught += seen
        self.found.survivors += [] if seen else [f"{self.prop.relation} -> {other}"]

    def _true(self, right: Expr) -> bool:
        """Whether a right side is equal to the left one in every order."""
        # most are told apart by one exact value, without algebra
        if any(self.exactly.differ_at(self.prop.left, right, m.case) for m in self.measured):
            return False
        return self.exactly.agree(self.prop.left, right)

    def _told_apart(self, right: Expr, measured: Iterable[Measurement]) -> bool:
        for m in measured:
            value = self.exact(right, m.case)
            if value is not None and not m.left[0] <= float(sp.re(value)) <= m.left[1]:
                return True
        return False

    def _telling(self, right: Expr, pool: list[Case], enough: float = math.inf) -> Case | None:
        """The case where a wrong right side is farthest off by its own size, or the first that is ``enough`` off."""
        best: tuple[float, Case] | None = None
        for case in (*itertools.islice(self.simple(), 60), *pool):
            left, other = self.exact(self.prop.left, case), self.exact(right, case)
            if left is None or other is None:
                continue
            try:
                gap = abs(float(left - other)) / max(abs(float(left)), abs(float(other)), 1e-30)
            except TypeError:
                continue
            if best is None or gap > best[0] * 1.2:
                best = (gap, case)
            if gap >= enough:
                break
        return best[1] if best is not None and best[0] > 0 else None
