"""Judging an inequality up to o(g) as d -> oo, where vectors may change with d: by a bound, or along a path in d."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

import sympy as sp

from proofs_check.cases.of_statements import case_as_text, readable_case
from proofs_check.statements.found import Found
from proofs_check.statements.measuring import Measurement, TooDearError
from proofs_check.statements.moments import Checker
from theorems.statement.deciding.decide import Derivation
from theorems.statement.deciding.dimensions import case_at, decided
from theorems.statement.deciding.sequences import Path
from theorems.statement.mutants import mutants

#: Dimensions that are looked at, and walks at each, whose values must stay within their bounds.
DIMENSIONS = (10, 14, 20, 27)
WALKS = 1 << 10


class DimensionChecker(Checker):
    """A statement about all vectors of growing dimension being judged."""

    def run(self) -> Found:
        """Disprove it along vectors that grow with d, by what the moments can be there, or prove it and sample."""
        found = self.found
        found.doing = "while deriving"
        decision, path = decided(self.prop, self.derivation)
        self._record(decision)
        found.method, found.reason, found.tier = decision.method, decision.reason, "enclosure of the values"
        found.status = "undecided"
        if decision.status == "proved":
            found.status, found.reason, found.tier = "proved", "", ""
            self._sampled(path)
        elif path is not None:
            found.status, found.reason = "disproved", ""
            found.evidence.append(decision.reason)
            found.path = {"vectors": path.multiples("d"), "excess": decision.excess}
            self._along(path)
        return found

    def _sampled(self, path: Path | None) -> None:
        """On a path the sampled excess over the right side stays below what the statement allows."""
        found = self.found
        if path is None:
            found.simulation, found.reason = "none", "no path within the hypotheses was found that could be sampled"
            return
        try:
            self.measured = [self._measure(self._case(path, d)) for d in DIMENSIONS]
        except TooDearError as error:
            self._skipped(error)
            found.simulation, found.reason = "underpowered", f"a path cannot be sampled: {self.why}"
            return
        self.tell(self.measured, str(self.prop.stated[0]))
        found.samples = sum(one.walks for one in self.measured)
        found.conflicts = self.conflicts(self.measured)
        found.evidence.append(f"sampled along {path}, t = d = {', '.join(map(str, DIMENSIONS))}")
        found.power = (
            f"an error of {max(one.tolerance for one in self.measured):.3g} is seen at each of {len(DIMENSIONS)} d"
        )
        found.simulation = "agrees" if all(self._below(one) for one in self.measured) else "underpowered"
        self._wrong()

    def _below(self, measured: Measurement, shift: Fraction = Fraction(0)) -> bool:
        """Whether the left side lies within its right one, moved by so much, by the whole of its interval."""
        way = 1 if self.prop.relation == "<=" else -1
        return all(way * (end - float(shift)) <= 0 for end in measured.gap)

    def _wrong(self) -> None:
        """Right sides that are other numbers, and of which no proof is found: the values exceed them."""
        right = self.prop.right
        for mutant in mutants(self.prop):
            if right.op == mutant.right.op == "number":
                other = replace(self.prop, right=mutant.right)
                if decided(other, Derivation(other))[0].status != "proved":
                    shift = mutant.right.args[0] - right.args[0]
                    self.found.mutants += 1
                    self.found.caught += not all(self._below(one, shift) for one in self.measured)

    def _case(self, path: Path, d: int) -> dict[str, Any]:
        return case_as_text(self.prop, case_at(self.prop, path, d))

    def _along(self, path: Path) -> None:
        """On the path the excess over the right side grows, or stays, as d does: by enclosures of what is averaged."""
        from montecarlo.statements.nodes import StatementSimulationError

        found = self.found
        found.simulation = "underpowered"
        found.doing = "while sampling along a path"
        try:
            measured = [self._enclosed(self._case(path, d)) for d in DIMENSIONS]
        except StatementSimulationError as error:
            found.reason = f"disproved; the simulation stops on the path: {error}"
            return
        self.tell(measured, str(self.prop.stated[0]))
        found.samples = sum(one.walks for one in measured)
        found.conflicts = self.conflicts(measured)
        way = 1 if self.prop.relation == "<=" else -1
        excess = [min(way * end for end in one.gap) for one in measured]
        told = ", ".join(f"{one:.5g}" for one in excess)
        where = ", ".join(map(str, DIMENSIONS))
        found.evidence.append(f"at least this far beyond the right side for d = {where}: {told}")
        found.power = f"{len(measured)} dimensions on a path"
        if excess[0] > 0 and all(one <= two for one, two in pairwise(excess)):
            last = measured[-1].case
            left, right = self.sides(last)
            found.simulation, found.confirmed = "contradicts", True
            params = {name: value for name, value in last.items() if name != "Sigma"}
            found.counterexample = {
                "params": readable_case(params),
                "printed": str(right),
                "true": str(sp.N(left, 15)) if left is not None else told,
            }

    def _enclosed(self, case: Mapping[str, Any]) -> Measurement:
        """Both sides where means lie within the bounds of what is averaged, which the values drawn do not leave."""
        from montecarlo.statements.nodes import StatementSimulationError
        from montecarlo.statements.simulation import StatementSimulation

        simulation = StatementSimulation(self.prop.plain(), case)
        bounds = {name: one.bounds for name, one in simulation.statistics.items()}
        sure = {name: one for name, one in bounds.items() if one is not None}
        if len(sure) < len(bounds):
            raise StatementSimulationError("what is averaged has no bound")
        key = f"d = {case['d']}"
        sample = simulation.draw(WALKS, self.seed, self.claim_id, key, device=self.device, threads=self.threads)
        self.found.streams.see(sample, f"the sample at {key}")
        left, right = (simulation.interval(side, sure) for side in ("left", "right"))
        return Measurement(case, left, right, sample.walks, abs(left[1] - left[0]))
