"""Judging ``A iff B`` and ``A if B`` about moments: exact signs in every order, and the signs that are sampled."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import sympy as sp

from proofs_check.cases.of_statements import Case, covering, distinct, drawn, simple, size
from proofs_check.claims.cases import shown_case
from proofs_check.statements import clauses
from proofs_check.statements.found import Found
from proofs_check.statements.measuring import BETA, Measurement, TooDearError
from proofs_check.statements.moments import CANDIDATES, DRAWN, FURTHER, Checker
from proofs_check.statements.sampled import REFUTING, SAMPLED
from proofs_check.statements.wrong_versions import changed_numbers
from theorems.statement.deciding.decide import decide
from theorems.statement.expression import HOLDS, MOMENTS, Expr
from theorems.statement.moments.normal import sign
from theorems.statement.reading.conditions import parts, violated


@dataclass(frozen=True)
class Seen:
    """A case at which every relation was sampled: whether A and B hold there, None where the sample leaves it open."""

    case: Case
    left: bool | None
    right: bool | None


class ClauseChecker(Checker):
    """A statement of two conditions being judged."""

    def run(self) -> Found:
        """Decide, look for a case that violates it, sample the signs, look for wrong versions."""
        found = self.found
        found.doing = "while deriving"
        decision = decide(self.prop, self.derivation)
        found.method = decision.method
        if any(part.op != "relation" for side in (self.prop.left, self.prop.right) for part in parts(side)):
            found.status, found.reason, found.simulation = "undecided", decision.reason, "none"
            return found
        found.doing = "while looking for cases"
        pool = drawn(self.prop, self.seed * 64 + 1, DRAWN[self.effort])
        pool = [
            case for case in pool if None not in (self.truth(self.prop.left, case), self.truth(self.prop.right, case))
        ]
        self._record(decision)
        found.status = "undecided" if decision.status == "open" else decision.status
        found.reason = decision.reason
        if decision.status == "open":
            self._violated(pool, "; ".join(part.order for part in decision.failing[:3]))
        if found.status != "disproved":
            self._signs(covering(self.prop, pool, SAMPLED[self.effort]), pool)
        return found

    # -- exact

    def gap(self, part: Expr, case: Case) -> sp.Expr | None:
        """left - right of a relation at a case."""
        left, right = (self.exact(node, case) for node in part.args[1:])
        return None if left is None or right is None else left - right

    def truth(self, node: Expr, case: Case) -> bool | None:
        """Whether a condition holds at a case, by exact values."""
        found: list[bool | None] = []
        for part in parts(node):
            gap = self.gap(part, case)
            way = None if gap is None else 0 if gap == 0 else sign(gap)
            found.append(None if way is None else way in HOLDS[part.args[0]])
        return False if False in found else None if None in found else True

    def _meeting(self) -> Iterator[Case]:
        """Small cases at which equations of B hold, as if they were hypotheses: few others meet u.T*v = 0."""
        told = [part.args for part in parts(self.prop.right) if part.args[0] == "=" and not part.has(*MOMENTS)]
        if not told:
            return
        given = replace(self.prop, known=replace(self.prop.known, relations=(*self.prop.known.relations, *told)))
        yield from simple(given)

    def _violated(self, pool: list[Case], where: str) -> None:
        """Look for an exact case that violates the statement, and sample its signs on two streams."""
        found = self.found
        found.status, found.reason = "undecided", f"not shown for {where}, and no case that violates it was found"
        meeting = itertools.islice(self._meeting(), CANDIDATES[self.effort] // 2)
        ordered = distinct(itertools.chain(meeting, simple(self.prop), sorted(pool, key=size)))
        tried = 0
        for case in itertools.islice(ordered, CANDIDATES[self.effort]):
            left, right = self.truth(self.prop.left, case), self.truth(self.prop.right, case)
            if not violated(self.prop.relation, left, right):
                continue
            found.status, found.reason, tried = "disproved", "", tried + 1
            try:
                first, again = (self._sampled(case, mark, REFUTING) for mark in ("", "confirmation"))
            except TooDearError as error:
                found.reason = f"disproved; {error}"
                continue
            told = [bool(violated(self.prop.relation, seen.left, seen.right)) for seen in (first, again)]
            found.simulation = "contradicts" if told[0] else "underpowered"
            found.confirmed = all(told)
            words = {True: "holds", False: "fails"}
            found.counterexample = {
                "params": dict(case),
                "printed": f"that it {words[bool(right)]}",
                "true": f"{self.prop.left} {words[bool(left)]}",
            }
            found.holds = "see the signs of both sides in every order of the positions"
            found.power = f"a sign is missed with probability at most {BETA:g}"
            if found.confirmed or tried == 3:
                return

    # -- sampled

    def _sampled(self, case: Case, mark: str = "", budget: int = 1) -> Seen:
        """The truth values of A and B by samples of every relation; one that excludes the exact value is a conflict."""
        found: list[bool | None] = []
        for name, node in (("A", self.prop.left), ("B", self.prop.right)):
            truths = []
            for k, part in enumerate(parts(node)):
                gap = self.gap(part, case)
                wanted = None if gap is None or gap == 0 else abs(float(gap))
                one = replace(self.prop, left=part.args[1], relation=part.args[0], right=part.args[2])
                measured = self._measure(case, f"{mark}{name}{k}", wanted, budget, one)
                truths.append(self._sign_seen(part, gap, measured))
            found.append(False if False in truths else None if None in truths else True)
        return Seen(case, found[0], found[1])

    def _sign_seen(self, part: Expr, gap: sp.Expr | None, measured: Measurement) -> bool | None:
        """Whether a relation holds by its sample: by the sign that is seen, or by equality within the tolerance."""
        self.found.samples += measured.walks
        row = shown_case(measured.case, str(part), None, gap, measured.gap, samples=measured.walks)
        self.found.cases.append(row)
        if gap is not None and not measured.holds(float(sp.re(gap))):
            told = f"derived {sp.N(gap, 8)}, simulated [{measured.gap[0]:.6g}, {measured.gap[1]:.6g}]"
            self.found.conflicts.append(f"at {dict(measured.case)}: left - right of {part} is {told}")
        low, high = measured.gap
        equal = gap == 0 and (measured.agrees("=") or (not measured.walks and measured.holds(0.0)))
        way = 1 if low > 0 else -1 if high < 0 else 0 if equal else None
        return None if way is None else way in HOLDS[part.args[0]]

    def _signs(self, chosen: Iterable[Case], pool: list[Case]) -> None:
        found, seen = self.found, list[Seen]()
        wanted = {True} if self.prop.relation == "if" else {True, False}
        for case in distinct(itertools.chain(chosen, self._of_each(wanted, pool))):
            try:
                seen.append(self._sampled(case))
            except TooDearError as error:
                self._skipped(error)
        wrong = [s for s in seen if violated(self.prop.relation, s.left, s.right)]
        open_ = [s for s in seen if violated(self.prop.relation, s.left, s.right) is None]
        missing = wanted - {s.right for s in seen}
        found.simulation = "contradicts" if wrong else "underpowered" if open_ or missing or not seen else "agrees"
        if self.without and found.simulation == "agrees":
            found.simulation, found.reason = "underpowered", found.reason or self.without
        if missing and found.status == "proved":
            found.reason = (
                f"proved, but no case was sampled at which {self.prop.right} is {str(True in missing).lower()}"
            )
        found.power = f"the signs of both sides at {len(seen)} cases; one is missed with probability at most {BETA:g}"
        if found.status == "proved" and found.simulation == "agrees":
            self._wrong_versions(seen, pool)

    def _of_each(self, wanted: set[bool], pool: list[Case]) -> Iterator[Case]:
        """The simplest case at which B holds, and one at which it fails."""
        for value in sorted(wanted):
            yield from [case for case in sorted(pool, key=size) if self.truth(self.prop.right, case) is value][:1]

    def _wrong_versions(self, seen: list[Seen], pool: list[Case]) -> None:
        """Every wrong B that some drawn case tells from the statement's must be told by a sampled one."""
        room = FURTHER[self.effort]
        for wrong in clauses.mutants_of(self.prop, changed_numbers(self.prop.right)):
            told = self._contradicted(wrong.right, seen)
            new = [c for c in pool if c not in [s.case for s in seen]]
            case = None if told or not room else next((c for c in new if self._tells(wrong.right, c)), None)
            if not told and case is None and not any(self._tells(wrong.right, c) for c in pool):
                continue
            if case is not None:
                room -= 1
                try:
                    seen.append(self._sampled(case))
                    told = self._contradicted(wrong.right, seen[-1:])
                except TooDearError as error:
                    self._skipped(error, further=True)
            self.found.mutants += 1
            self.found.caught += told
            if not told:
                self.found.survivors.append(f"{self.prop.relation} {wrong.right}")
        if not self.found.mutants:
            self.found.simulation, self.found.reason = (
                "underpowered",
                "proved, but no case tells a wrong version from it",
            )

    def _tells(self, right: Expr, case: Case) -> bool:
        return bool(violated(self.prop.relation, self.truth(self.prop.left, case), self.truth(right, case)))

    def _contradicted(self, right: Expr, seen: Iterable[Seen]) -> bool:
        return any(violated(self.prop.relation, s.left, self.truth(right, s.case)) for s in seen)
