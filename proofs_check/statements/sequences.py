"""Judging a limit along every sequence of vectors for which a number tends somewhere, as in u.T*v -> -oo."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from proofs_check.cases.of_statements import case_as_text, readable_case, satisfied
from proofs_check.statements.found import Found
from proofs_check.statements.limits_without_tokens import comes
from proofs_check.statements.measuring import Measurement, TooDearError
from proofs_check.statements.moments import Checker
from proofs_check.statements.texts import exact_text
from theorems.statement.deciding.arcs import Arc, case_on
from theorems.statement.deciding.decide import Part
from theorems.statement.deciding.sequences import Path, decided
from theorems.statement.moments.repairing import corrected
from theorems.statement.mutants import mutants

#: Where on a path tokens are sampled, as far as that is affordable, and how many places are needed.
PLACES = tuple(Fraction(k, 16) for k in (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48))
LEAST = 3
#: The last value is at least this part of the first where it is disproved, at most this of the farthest where proved.
STAYS, NEARER = 0.9, 0.5
#: So many paths are tried for one on which a value is seen that is that much nearer.
TRIED = 4


class SequenceChecker(Checker):
    """A statement about every sequence of vectors being judged."""

    def run(self) -> Found:
        """Disprove it by a path, or prove it by a bound; then sample along a path."""
        found = self.found
        found.doing = "while deriving"
        decision, paths = decided(self.prop, self.derivation)
        self._record(decision)
        found.status, found.method, found.reason = "undecided", decision.method, decision.reason
        if decision.status in ("open", "proved"):
            found.evidence += [decision.reason] if decision.reason else []
            found.reason = ""
            found.status, found.exact = ("disproved" if decision.status == "open" else "proved"), None
            if isinstance(next(iter(paths), None), Arc):
                self._limit_told(decision.parts)
            if not paths:
                found.reason = "no path within the hypotheses was found along which it could be sampled"
            else:
                self._judge(*self._sampled(paths))
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
        return case_as_text(self.prop, case_on(self.prop, path, t))

    def _sampled(self, paths: Sequence[Path | Arc]) -> tuple[Path | Arc, dict[Fraction, Measurement]]:
        """Sample along the first path on which a value is seen that is much nearer to the print, or along the first.

        A value may rise before it falls: which places show that is planned from its derived values.
        """
        for path in paths[:TRIED] if self.found.status == "proved" else ():
            far = self._distances(path)
            farthest = max(far, key=lambda t: far[t], default=PLACES[-1])
            late = [t for t in far if t > farthest and far[t] <= NEARER / 2 * far[farthest]]
            for last in reversed(late):
                if (taken := self._taken(path, last)) is not None:
                    seen, before = {last: taken}, [t for t in far if t < last]
                    for t in (farthest, PLACES[0], before[len(before) // 2], *reversed(before)):
                        if len(seen) > LEAST:
                            break
                        if t not in seen and (taken := self._taken(path, t)) is not None:
                            seen[t] = taken
                    return path, dict(sorted(seen.items()))
        seen = {}
        for t in PLACES:
            measured = self._taken(paths[0], t) if satisfied(self.prop, self._case(paths[0], t)) else None
            if measured is not None:
                seen[t] = measured
            elif seen:
                break
        return paths[0], seen

    def _distances(self, path: Path | Arc) -> dict[Fraction, float]:
        """How far derived values are from the print, at the places where both have one."""
        found = {}
        for t in PLACES:
            case = self._case(path, t)
            left, right = self.sides(case) if satisfied(self.prop, case) else (None, None)
            if left is not None and right is not None:
                found[t] = abs(float(left - right))
        return found

    def _taken(self, path: Path | Arc, t: Fraction) -> Measurement | None:
        """The sample at a place; None where it is too dear."""
        try:
            return self._measure(self._case(path, t))
        except TooDearError as error:
            self._skipped(error)
            return None

    def _judge(self, path: Path | Arc, seen: Mapping[Fraction, Measurement]) -> None:
        """The values on a path come to the print, or move away from it."""
        found, self.measured = self.found, list(seen.values())
        self.tell(self.measured, str(self.prop.stated[0]))
        found.samples = sum(one.walks for one in self.measured)
        found.conflicts = self.conflicts(self.measured)
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
            farthest = max(self.measured, key=lambda one: abs(one.centre - goal))
            found.simulation = "agrees" if comes(values, goal) and _nearer(last, farthest, goal) else "underpowered"
            self._wrong(values)
        elif _away(first, last, goal) and self._found_again(goal):
            found.simulation, found.confirmed = "contradicts", True
            # far out on the path, where derived values show it best
            far = max(self._distances(path), default=None)
            case = last.case if far is None else self._case(path, far)
            true, printed = self.sides(case)
            found.counterexample = {"params": readable_case(case), "printed": str(printed), "true": str(true)}
        else:
            found.simulation = "underpowered"

    def _found_again(self, goal: float) -> bool:
        """Whether both ends of the path are found apart on fresh streams."""
        ends = [self._measure(one.case, "confirmation") for one in (self.measured[0], self.measured[-1])]
        self.found.conflicts += self.conflicts(ends)
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


def _nearer(last: Measurement, farthest: Measurement, goal: float) -> bool:
    """Whether the last value is certainly much nearer to a number than another."""
    low, high = (end - goal for end in farthest.left)
    least = min(abs(low), abs(high)) if low * high > 0 else 0
    return max(abs(end - goal) for end in last.left) < NEARER * least
