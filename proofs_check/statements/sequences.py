"""Judging a limit along every sequence of vectors for which a number tends to oo or -oo, as in u.T*v -> -oo."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from proofs_check.cases.of_statements import readable_case, satisfied
from proofs_check.statements.found import Found
from proofs_check.statements.limits_without_tokens import comes
from proofs_check.statements.measuring import Measurement, TooDearError
from proofs_check.statements.moments import Checker
from theorems.statement.mutants import mutants
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
            if path is None:
                found.reason = "no path within the hypotheses was found along which it could be sampled"
            else:
                self._sample_along(path)
        return found

    def _case(self, path: Path, t: Fraction) -> dict[str, Any]:
        d = max(path.dimension, int(self.prop.known.dimension.low or 1))
        case: dict[str, Any] = dict.fromkeys(self.prop.positions, LENGTH) | {"d": d}
        case["Sigma"] = [[str(int(r == c)) for c in range(d)] for r in range(d)]
        return case | {name: [*entries, *["0"] * (d - len(entries))] for name, entries in path.at(t).items()}

    def _sample_along(self, path: Path) -> None:
        """The values on a path come to 0, or move away from it."""
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
        self._rows(self.measured, str(self.prop.stated[0]))
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
        if found.status == "proved":
            found.simulation = (
                "agrees" if comes(values, Fraction(0)) and last.left[1] < first.left[0] else "underpowered"
            )
            self._wrong(values)
        elif _away(first, last) and self._found_again():
            found.simulation, found.confirmed = "contradicts", True
            printed, true = self.sides(last.case)[1], self.exact(self.prop.left, last.case)
            found.counterexample = {"params": readable_case(last.case), "printed": str(printed), "true": str(true)}
        else:
            found.simulation = "underpowered"

    def _found_again(self) -> bool:
        """Whether both ends of the path are found apart on fresh streams."""
        ends = [self._measure(one.case, "confirmation") for one in (self.measured[0], self.measured[-1])]
        self.found.conflicts += self._conflicts(ends)
        return _away(*ends)

    def _wrong(self, values: list[tuple[Fraction, float]]) -> None:
        """Wrong limits, which the values do not come to."""
        for mutant in mutants(self.prop):
            if mutant.right.op == "number" and mutant.right != self.prop.right:
                self.found.mutants += 1
                self.found.caught += not comes(values, mutant.right.args[0])


def _away(first: Measurement, last: Measurement) -> bool:
    """Whether the last value is about as far from 0 as the first, or farther."""
    low, high = last.left
    return bool(min(abs(low), abs(high)) >= STAYS * max(map(abs, first.left)) and low * high > 0)
