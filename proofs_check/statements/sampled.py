"""Samples of a statement about moments: planned at its cases, drawn, held against exact values, and told."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import sympy as sp

from proofs_check.cases.of_statements import Case, covering, readable_case, simple, size
from proofs_check.claims.cases import shown_case
from proofs_check.report.telling import parameters
from proofs_check.statements.exactly import Exactly
from proofs_check.statements.found import Found
from proofs_check.statements.measuring import (
    BETA,
    Measurement,
    Plan,
    TooDearError,
    UnsimulatedError,
    WithoutValueError,
    plan,
)
from proofs_check.statements.planning import Spread, exact_spreads, told
from proofs_check.statements.texts import interval_text, raw_moments, without_cases
from theorems.statement.deciding.decide import derivation_of
from theorems.statement.expression import Expr, StatementError
from theorems.statement.proposition import Proposition

#: Cases that are sampled, by effort.
SAMPLED = {"quick": 5, "standard": 8, "thorough": 12}
#: Parts that a statement's false-alarm budget is cut into: cases, further cases, counterexample and confirmation.
PARTS = 32
#: How often cases are chosen in the place of those that would take too many walks.
ROUNDS = 4
#: What a refutation may cost beside a sampled case, and how many walks a statement may take in all.
REFUTING = 4
TOTAL = {"quick": 60_000_000, "standard": 600_000_000, "thorough": 4_000_000_000}


@dataclass
class Sampled:
    """One statement: its derivation, its cases, and where its samples are drawn."""

    prop: Proposition
    claim_id: str
    effort: str = "standard"
    seed: int = 0
    alpha: float = 1e-9
    threads: int = 2
    device: str = "cpu"
    second_route: bool = False
    found: Found = field(default_factory=Found)

    def __post_init__(self) -> None:
        self.derivation = derivation_of(self.prop)
        self.exactly = Exactly(self.prop, self.derivation)
        self.found.tier = "direct simulation"
        self.measured: list[Measurement] = []
        self.dear, self.why, self.without = 0, "", ""
        self._small: list[Case] = []
        self._further = simple(self.prop)

    # -- exact values

    def exact(self, node: Expr, case: Mapping[str, Any]) -> sp.Expr | None:
        """A side's exact value at a case; None where there is none, or no real one."""
        return self.exactly.at(node, case)

    def simple(self) -> Iterator[Case]:
        """Small cases from the smallest on, made once."""
        for k in itertools.count():
            if k == len(self._small):
                if (case := next(self._further, None)) is None:
                    return
                self._small.append(case)
            yield self._small[k]

    def _defined_at(self, case: Mapping[str, Any]) -> bool:
        """Whether nothing shows that a side has no value at a case."""
        try:
            return all(self.derivation.defined(side, case) for side in (self.prop.left, self.prop.right))
        except (StatementError, KeyError, ZeroDivisionError):
            return True

    def sides(self, case: Mapping[str, Any]) -> tuple[sp.Expr | None, sp.Expr | None]:
        """Both sides' exact values at a case."""
        return self.exact(self.prop.left, case), self.exact(self.prop.right, case)

    # -- sampling

    def measure(self, case: Mapping[str, Any], mark: str, wanted: float) -> Measurement:
        """Sample the case of a refutation."""
        return self._measure(case, mark, wanted, REFUTING)

    def _measure(self, case: Mapping[str, Any], *given: Any, **options: Any) -> Measurement:
        """Sample a case as ``_plan`` plans it."""
        return self._drawn(self._plan(case, *given, **options))

    def _drawn(self, sample: Plan) -> Measurement:
        """Draw a planned sample; TooDearError where too much was sampled already."""
        if self.found.samples_drawn > TOTAL[self.effort]:
            raise TooDearError(f"{self.effort} effort is spent")
        self.found.spent += self.alpha / PARTS
        self.found.doing = f"while sampling {readable_case(sample.case)}"
        measured = sample(self.found.streams)
        self.found.samples_drawn += measured.walks
        return measured

    def _plan(
        self,
        case: Mapping[str, Any],
        mark: str = "",
        wanted: float | None = None,
        budget: int = 1,
        prop: Proposition | None = None,
    ) -> Plan:
        """Plan a sample at a case, of another proposition where one is given.

        TooDearError where the effort does not afford it.
        """
        return plan(
            prop or self.prop,
            case,
            claim_id=self.claim_id,
            seed=self.seed,
            delta=self.alpha / PARTS,
            effort=self.effort,
            mark=mark,
            wanted=wanted,
            budget=budget,
            threads=self.threads,
            device=self.device,
            derived=self.spreads(case),
        )

    def spreads(self, case: Mapping[str, Any]) -> dict[str, Spread]:
        """The exact spreads of the raw numbers at a case, where they are cheap."""
        moments = {one: None for side in (self.prop.left, self.prop.right) for one in raw_moments(side)}
        try:
            return exact_spreads(moments, case, self.derivation, self.exact)
        except (StatementError, KeyError):
            return {}

    def _sample(self, pool: list[Case]) -> None:
        """Sample cases that cover what the hypotheses allow, and others in the place of those that are too dear."""
        wanted = len(covering(self.prop, pool, SAMPLED[self.effort]))
        rest = list(pool)
        for _ in range(ROUNDS):
            chosen = covering(self.prop, rest, wanted - len(self.measured))
            for case in chosen:
                try:
                    self.measured.append(self._measure(case))
                except TooDearError as error:
                    self._skipped(error)
            rest = [case for case in rest if case not in chosen]
            if len(self.measured) >= wanted or not rest:
                break
        self._told()

    def _skipped(self, error: TooDearError, further: bool = False) -> None:
        """Keep why a case is not sampled; a ``further`` case, of a wrong version, may have no value."""
        if isinstance(error, UnsimulatedError) or (isinstance(error, WithoutValueError) and not further):
            self.without = self.without or str(error)
        elif not isinstance(error, WithoutValueError):
            self.dear, self.why = self.dear + 1, str(error)

    def _told(self) -> None:
        found, relation = self.found, self.prop.relation
        found.cases = []
        self.tell(self.measured, str(self.prop.stated[0]))
        found.samples = sum(m.walks for m in self.measured)
        found.conflicts = self.conflicts(self.measured)
        if not self.measured:
            found.simulation = "underpowered"
            dear = f"none of the {self.dear} cases drawn can be sampled at this effort: {self.why}"
            none = self.without or (dear if self.dear else without_cases(self.prop))
            found.reason = f"{found.reason}; {none}" if found.reason else none
            return
        lost = next((m for m in self.measured if not math.isfinite(m.tolerance)), None)
        if lost is not None:
            at = parameters(readable_case(lost.case))
            self.without = self.without or f"no value at {at}: a side is beyond floating-point numbers"
        if any(m.contradicts(relation) for m in self.measured):
            found.simulation = "contradicts"
        elif all(m.agrees(relation) for m in self.measured) and not self.without:
            found.simulation = "agrees"
        else:
            found.simulation, found.reason = "underpowered", found.reason or self.without
        parts = (m.tolerance / m.scale for m in self.measured if m.scale and math.isfinite(m.tolerance))
        found.detectable = max(parts, default=None if lost else 0.0)
        ranged = ", or of the range of what did not vary in a pilot sample," * any(m.ranged for m in self.measured)
        cases = len({size(m.case) for m in self.measured})
        if found.detectable is None:
            return
        found.power = (
            f"an error of {100 * found.detectable:.2g}% of max(|mean|, standard deviation){ranged} is caught with "
            f"probability {1 - BETA:g} at each of {cases} cases; {told(self.measured)}"
        )
        if self.dear:
            found.power += f"; {self.dear} drawn cases would take more walks than {self.effort} effort affords"

    def tell(self, measured: Iterable[Measurement], quantity: str) -> None:
        """Write what was sampled into the cases."""
        for m in measured:
            left, right = self.sides(m.case)
            printed = right if right is not None else f"{m.right[0]:.6g}"
            self.found.cases.append(shown_case(readable_case(m.case), quantity, printed, left, m.left, samples=m.walks))

    def conflicts(self, measured: Iterable[Measurement]) -> list[str]:
        found = []
        for m in measured:
            if m.misfit:
                found.append(f"at {readable_case(m.case)}: {m.misfit}")
            left, right = self.sides(m.case)
            if left is None or right is None:
                continue
            value = sp.re(left - right)
            if not m.holds(float(value)):
                told = f"derived left - right = {sp.N(value, 8)}, simulated {interval_text(m.gap)}"
                found.append(f"at {readable_case(m.case)}: {told}")
        return found
