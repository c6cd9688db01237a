"""Judging a limit along every sequence of vectors for which a number tends somewhere, as in u.T*v -> -oo."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from proofs_check.cases.of_statements import readable_case, satisfied
from proofs_check.statements.found import Found
from proofs_check.statements.limits_without_tokens import comes
from proofs_check.statements.measuring import Measurement, TooDearError
from proofs_check.statements.moments import Checker
from proofs_check.statements.texts import exact_text
from theorems.statement.arcs import Arc
from theorems.statement.decide import Part
from theorems.statement.mutants import mutants
from theorems.statement.repairing import corrected
from theorems.statement.sequences import Path, decided

#: Where on a path tokens are sampled, as far as that is affordable, and how many places are needed.
PLACES = tuple(Fraction(k, 16) for k in (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48))
LEAST = 3
#: What is disproved has a last value of at least this part of the first.
STAYS = 0.9
#: Positions of the cases on a path; d where the path needs no more.
LENGTH = 2


class SequenceChecker(Checker):
    """A statement about every sequence of vectors being judged."""

    def run(self) -> Found:
        """Disprove it by a path, or prove it by a bound; then sample along a path."""
        found = self.found
        found.doing = "while deriving"
        decision, path = decided(self.prop, self.derivation)
        self._record(decision)
        found.status, found.method, found.reason = "undecided", decision.method, decision.reason
        if decision.status in ("open", "proved"):
            found.evidence += [decision.reason] if decision.reason else []
            found.reason = ""
            found.status, found.exact = ("disproved" if decision.status == "open" else "proved"), None
            if isinstance(path, Arc):
                self._limit_told(decision.parts)
            if path is None:
                found.reason = "no path within the hypotheses was found along which it could be sampled"
            else:
                self._sample_along(path)
        return found

    def _limit_told(self, parts: list[Part]) -> None:
        """The limit that a continuous function has, and what it corrects."""
        limit = max(parts, key=lambda part: len(part.place.nodes) if part.place is not None else 0).left
        found = self.found
        found.exact = exact_text(limit) if limit != 0 else None
        if found.status == "disproved":
            found.correction, found.correction_latex = corrected(self.prop, limit)
            found.correction_sympy, found.holds = exact_text(limit), f"as {self.prop.limit.text}"

    def _case(self, path: Path | Arc, t: Fraction) -> dict[str, Any]:
        d = max(path.dimension, int(self.prop.known.dimension.low or 1))
        case: dict[str, Any] = dict.fromkeys(self.prop.positions, LENGTH) | {"d": d}
        case["Sigma"] = [[str(int(r == c)) for c in range(d)] for r in range(d)]
        case |= {name: str(value) for name, value in path.numbers.items()}
        return case | {name: [*entries, *["0"] * (d - len(entries))] for name, entries in path.at(t).items()}

    def _sample_along(self, path: Path | Arc) -> None:
        """The values on a path come to the print, or move away from it."""
        found, seen = self.found, list[Fraction]()
        for t in PLACES:
            case = self._case(path, t)
            if not satisfied(self.prop, case):
                continue
            try:
                self.measured.append(self._measure(case))
                seen.append(t)
            except TooDearError as error:
                self._skipped(error)
                if self.measured:
                    break
        self.tell(self.measured, str(self.prop.stated[0]))
        found.samples = sum(one.walks for one in self.measured)
        found.conflicts = self._conflicts(self.measured)
        if len(self.measured) < LEAST:
            found.simulation, found.reason = "underpowered", f"too few places on a path can be sampled: {self.why}"
            return
        first, last = self.measured[0], self.measured[-1]
        told = ", ".join(f"[{one.left[0]:.4g}, {one.left[1]:.4g}]" for one in self.measured)
        found.evidence.append(f"simulated along {path}, t = {', '.join(map(str, seen))}: {told}")
        found.power = f"{len(self.measured)} places on a path"
        values = [(Fraction(k), one.centre) for k, one in enumerate(self.measured)]
        printed = self.exact(self.prop.right, last.case)
        if printed is None:
            found.simulation, found.reason = "underpowered", f"{self.prop.right} has no value on the path"
            return
        goal = float(printed)
        if found.status == "proved":
            found.simulation = "agrees" if comes(values, goal) and _nearer(last, first, goal) else "underpowered"
            self._wrong(values)
        elif _away(first, last, goal) and self._found_again(goal):
            found.simulation, found.confirmed = "contradicts", True
            printed, true = self.sides(last.case)[1], self.exact(self.prop.left, last.case)
            found.counterexample = {"params": readable_case(last.case), "printed": str(printed), "true": str(true)}
        else:
            found.simulation = "underpowered"

    def _found_again(self, goal: float) -> bool:
        """Whether both ends of the path are found apart on fresh streams."""
        ends = [self._measure(one.case, "confirmation") for one in (self.measured[0], self.measured[-1])]
        self.found.conflicts += self._conflicts(ends)
        return _away(ends[0], ends[1], goal)

    def _wrong(self, values: list[tuple[Fraction, float]]) -> None:
        """Wrong limits, which the values do not come to."""
        for mutant in mutants(self.prop):
            if mutant.right.op == "number" and mutant.right != self.prop.right:
                self.found.mutants += 1
                self.found.caught += not comes(values, mutant.right.args[0])


def _away(first: Measurement, last: Measurement, goal: float) -> bool:
    """Whether the last value is about as far from a number as the first, or farther."""
    low, high = (end - goal for end in last.left)
    return bool(min(abs(low), abs(high)) >= STAYS * max(abs(end - goal) for end in first.left) and low * high > 0)


def _nearer(last: Measurement, first: Measurement, goal: float) -> bool:
    """Whether the last value is certainly nearer to a number than the first."""
    low, high = (end - goal for end in first.left)
    return max(abs(end - goal) for end in last.left) < (min(abs(low), abs(high)) if low * high > 0 else 0)
