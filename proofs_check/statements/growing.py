"""Judging a statement about a limit: the printed limit is confronted with values along a growing index, sampled.

The values are brought to the limit by weights that remove the powers of 1/T that occur (their exponents are known from
the exact form, their coefficients are not used); a parameter that tends to a number or to oo does so as 1/N or N, with
N in the place of T. Where no exponents are known, the values have to come nearer to the printed limit.

The intervals hold at the statement's share of the false-alarm budget, so a limit that they leave out is excluded at
that rate. What they leave in is another matter: TOLERANCE says which errors of a limit are seen, and STEADY which
growth of what is to stay bounded; smaller ones are excluded by the derivation alone, and the verdict says so.
"""

from __future__ import annotations

import math
from dataclasses import replace

import sympy as sp

from proofs_check.cases.of_statements import readable_case, size
from proofs_check.checks.extrapolation import ExtrapolationError, extrapolated
from proofs_check.checks.intervals import Interval
from proofs_check.claims.cases import shown_case
from proofs_check.statements.configurations import CONFIGURATIONS, LEFT, LENGTHS, TOLERANCE, Configurations
from proofs_check.statements.found import Found
from proofs_check.statements.measuring import BETA, TooDearError
from proofs_check.statements.sampled import REFUTING
from proofs_check.statements.showing import NOT_SEEN
from proofs_check.statements.texts import exact_text
from proofs_check.statements.trends import GROWN, STEADY, Configuration, Trend
from theorems.statement.deciding.decide import Part, decide
from theorems.statement.expression import Expr, StatementError
from theorems.statement.limits.limits import GROWING, put
from theorems.statement.mutants import Mutant, mutants
from theorems.statement.reading.conditions import TURNED
from theorems.statement.reading.entrywise import readable
from theorems.statement.weakening import reversed_limits

#: Configurations at which a refutation is tried.
REFUTED = 2
#: Printed limits with larger denominators are shown as decimals.
READABLE = 1000


class LimitChecker(Configurations):
    """A statement about a limit being judged."""

    def run(self) -> Found:
        """Decide the limit exactly, then confront the print with values along the growing index."""
        self.found.doing = "while deriving"
        decision = decide(self.prop, self.derivation)
        self.found.method = decision.method
        self.found.tier = "direct simulation at growing lengths" if self.growing else "direct simulation"
        self._record(decision)
        self.found.exact = self._limit_text(decision.parts)
        if decision.status == "undecided" or not self._indices:
            nowhere = "no place along the limit that can be sampled lies within the hypotheses"
            self.found.status, self.found.reason = "undecided", decision.reason or nowhere
            return self.found
        configurations = list(self.configurations())
        if decision.status == "proved":
            self.found.status = "proved"
            self._confront(self._chosen(configurations))
            if self.found.simulation == "agrees":
                self._limit_mutants()
            return self.found
        self._refute_limit(decision.failing, configurations)
        return self.found

    def _confront(self, chosen: list[Configuration]) -> None:
        trends: list[Trend] = []
        efforts = list(TOLERANCE)
        for level in reversed(efforts[: efforts.index(self.effort) + 1]):
            # what an effort does not afford at any configuration is looked for as the one below it does
            self.level = level
            for configuration in self._nearest_first(chosen):
                if len(trends) == CONFIGURATIONS[self.level]:
                    break
                try:
                    trends.append(self.trend(configuration))
                except (TooDearError, ExtrapolationError) as error:
                    self.dear += 1
                    self.found.reason = str(error)
            if trends:
                break
        self.trends = trends
        self._trends_told()

    def trend(self, configuration: Configuration, mark: str = "", gap: float | None = None) -> Trend:
        """Sample along the index and form the limit; TooDearError where this effort does not afford it.

        ``gap`` is how far the print is off where it is disproved: seeing that is enough there.
        """
        printed = self.prints(configuration)
        assert printed is not None
        # what a higher effort began to sample is there
        mark += "" if self.level == self.effort else f" {self.level}"
        lengths, cases = self._indices, self._along(configuration)
        tolerance = gap if gap is not None else self._tolerance(printed, cases)
        removal = self._weights(configuration, lengths, tolerance) if not self.bounded else None
        factors = removal[0] if removal is not None else None
        if factors is None and len(cases) < 2:
            raise TooDearError("one place along the limit that can be sampled lies within the hypotheses: no trend")
        total = sum(map(abs, factors)) if factors is not None else 1.0
        points, walks = [], []
        part, budget = (1 - LEFT) * tolerance / total, 1 if gap is None else REFUTING
        planned = []
        for k, case in enumerate(cases):
            if factors is None or factors[k] != 0:
                scale = abs(float(self.scale(case))) or 1.0
                planned.append((case, scale, self._plan(case, mark, scale * part, budget)))
        # nothing is drawn before every length is known to be affordable
        for case, scale, sample in planned:
            measured = self._drawn(sample)
            self.found.conflicts += self.conflicts([measured])
            ends = self._ends(measured.left, measured.right, scale)
            points.append((case, Interval(ends[0], ends[1], sum(ends) / 2, 0.0, 0.0)))
            walks.append(measured.walks)
        limit = None
        if removal is not None:
            factors, powers, rest = removal
            used = [factor for factor in factors if factor != 0]
            at = [length for length, factor in zip(lengths, factors, strict=True) if factor != 0]
            limit = extrapolated(at, [value for _, value in points], powers, using=used).interval
            limit = Interval(limit.low - rest, limit.high + rest, limit.centre, limit.spread, limit.miss)
            if rest:
                told = f"{'T' if self.growing else 'N'}^-{powers[-1]}" if powers else "the limit"
                self.found.remarks.append(f"terms beyond {told} in the exact form widen the limit by {rest:.2g}")
        own = (self.growing, self.bounded, self.prop.way)
        return Trend(configuration, tuple(points), limit, printed, tolerance, tuple(walks), *own)

    def _ends(self, left: tuple[float, float], right: tuple[float, float], scale: float) -> tuple[float, float]:
        if self.prop.error is not None:
            return (left[0] - right[1]) / scale, (left[1] - right[0]) / scale
        if self.prop.relation == "~":
            found = sorted(a / b for a in left for b in right) if right[0] * right[1] > 0 else [-sp.oo, sp.oo]
            return float(found[0]), float(found[-1])
        return left

    def _trends_told(self) -> None:
        found = self.found
        for trend in self.trends:
            exact = sp.Rational(trend.printed)
            printed = exact if exact.q <= READABLE else sp.Float(trend.printed)
            for (case, value), walks in zip(trend.points, trend.walks, strict=True):
                found.cases.append(
                    shown_case(
                        readable_case(case),
                        "value that tends to the print",
                        printed,
                        self.exact_quantity(case),
                        (value.low, value.high),
                        samples=walks,
                    )
                )
            around = trend.limit
            told = "" if around is None else f", brought to the limit: [{around.low:.5g}, {around.high:.5g}]"
            values = ", ".join(f"{value.centre:.5g}" for _, value in trend.points)
            found.evidence.append(f"simulated along the limit: {values}{told}; printed limit {trend.printed:.5g}")
        found.samples = sum(sum(trend.walks) for trend in self.trends)
        if not self.trends:
            found.simulation = "underpowered"
            found.reason = found.reason or "no configuration could be sampled at this effort"
        elif any(trend.contradicts and (trend.decisive or found.status == "disproved") for trend in self.trends):
            found.simulation = "contradicts"
        elif all(trend.agrees for trend in self.trends):
            found.simulation = "agrees"
        else:
            found.simulation = "underpowered"
            found.reason = (
                found.reason or "the values along the limit do not yet come within the tolerance of the print"
            )
        if self.trends:
            worst = max(trend.tolerance / max(abs(trend.printed), 1e-12) for trend in self.trends)
            shown = f"{100 * worst:.2g}% of the limit" if worst < 10 else f"{max(t.tolerance for t in self.trends):.3g}"
            found.detectable = worst if worst < 1e6 else None
            count = len(self.trends)
            found.power = (
                f"an error of {shown} is caught with probability {1 - BETA:g} at each of {count} configurations"
            )
            rest = "smaller ones are excluded by the derivation alone"
            if self.bounded:
                seen, doubled = math.log2(STEADY), "T doubles" if self.growing else "the parameter comes twice as near"
                found.power = (
                    f"growth by a factor {STEADY:g} or more as {doubled} (a power {seen:.2g}) is told from staying "
                    f"bounded at each of {count} configurations"
                )
                rest = "slower growth is excluded by the derivation alone"
            found.remarks.append(f"{NOT_SEEN}{found.power.split(' is ')[0]} is seen, {rest}")

    # -- refutation

    def _refute_limit(self, failing: list[Part], configurations: list[Configuration]) -> None:
        found = self.found
        tried = 0
        for configuration in sorted(configurations, key=lambda c: size(dict(c.fixed))):
            values = self.differing(failing, configuration)
            if values is None or not self._defined(configuration) or tried == REFUTED:
                continue
            tried += 1
            true, printed = values
            found.status = "disproved"
            self._limit_correction(failing)
            try:
                gap = abs(float(true - printed)) if true.is_finite else None
                first, again = (self.trend(configuration, mark, gap) for mark in ("", "confirmation"))
            except (TooDearError, ExtrapolationError) as error:
                found.reason = f"disproved; {error}"
                continue
            self.trends = [first]
            self._trends_told()
            found.confirmed = first.contradicts and again.contradicts
            case = configuration.at(LENGTHS[self.level][-1]) if self.growing else self.last(configuration)
            finite = self.exact_quantity(case)
            # beside d the identity says nothing, and fills pages
            params = {name: value for name, value in case.items() if (self.prop.limit.variable, name) != ("d", "Sigma")}
            found.counterexample = {"params": readable_case(params), "printed": str(printed), "true": str(true)}
            if finite is not None:
                found.counterexample |= {"limit": self._where(configuration), "finite": str(finite)}
            if found.confirmed:
                return
        if found.status != "disproved":
            where = "; ".join(part.order for part in failing[:3])
            found.status, found.reason = (
                "undecided",
                f"not shown for {where}, and no configuration that violates it was found",
            )

    def _where(self, configuration: Configuration) -> str:
        """Of what a counterexample's printed and true value are limits: "T -> oo, i/T -> 1/2"."""
        value = self.prop.limit.value
        parts = [f"{self.prop.limit.variable} -> {'oo' if value is None else value}"]
        shares = configuration.shares.items() if self.growing else ()
        parts += [f"{name}/T -> {share}" for name, share in shares if share is not None]
        kind = "of (left - right)/scale" if self.prop.error is not None else "of left/right"
        return ", ".join(parts) + (f", {kind}" if self.prop.error is not None or self.prop.relation == "~" else "")

    def differing(self, failing: list[Part], configuration: Configuration) -> tuple[sp.Expr, sp.Expr] | None:
        """The true and the printed limit at a configuration where they differ: of the part that it belongs to."""
        case = configuration.at(1024) if self.growing else self.last(configuration)
        try:
            order = self.derivation.order_at(case)
        except KeyError:
            return None
        for part in failing:
            if part.place != order or part.regime is None or not self._in_regime(part, configuration):
                continue
            extra = {f"{name}/T": str(share) for name, share in configuration.shares.items() if share is not None}
            try:
                if part.left is sp.oo:
                    # grows: shown by the power of T, wherever its coefficient is not 0
                    value = self.derivation.put(
                        put(self.derivation.under(order, self.prop.left), part.regime),
                        order,
                        {**case, **extra, GROWING.name: "1048576"},
                    )
                    return (sp.oo, self.derivation.put(part.right, order, {**case, **extra})) if value != 0 else None
                left = self.derivation.put(part.left, order, {**case, **extra})
                right = self.derivation.put(part.right, order, {**case, **extra})
            except (StatementError, KeyError):
                continue
            gap = sp.simplify(left - right)
            if gap != 0 and not (self.prop.error is not None and self.prop.way * gap < 0):
                return left, right
        return None

    def _in_regime(self, part: Part, configuration: Configuration) -> bool:
        """Whether the positions of which no share is said grow, and stay, as the part has it."""
        assert part.regime is not None
        free = [name for name in configuration.at(1) if name in self.prop.positions]
        free = [name for name in free if name not in dict(self.prop.limit.regime)]
        return all((name in part.regime.table) == (name in configuration.shares) for name in free if name != "T")

    def _limit_correction(self, failing: list[Part]) -> None:
        if self.prop.error is not None or self.prop.relation == "~":
            told = dict.fromkeys(f"{part.order}: (left - right)/scale tends to {part.left}" for part in failing)
            self.found.holds = "; ".join(list(told)[:3])
            return
        widest = max(failing, key=lambda part: len(part.place.nodes) if part.place is not None else 0)
        if widest.left is sp.oo:
            self.found.holds = "nowhere: the left side grows without bound"
            return
        if any("/T" in one.name for one in widest.left.free_symbols):
            # a share that the statement does not name
            self.found.exact = None
            self.found.holds = "see the limit in every order of the positions"
            return
        from theorems.statement.moments.repairing import corrected

        self.found.correction, self.found.correction_latex = corrected(self.prop, widest.left)
        self.found.correction_sympy = exact_text(widest.left)
        self.found.holds = f"as {self.prop.limit.text}"

    # -- wrong versions

    def _limit_mutants(self) -> None:
        """Every wrong limit must be left out by the values at some configuration."""
        if self.bounded:
            # O(g/T) is false where O(g) is sharp: somewhere the values times T must be seen to grow
            seen = any(trend.grown(1)[0] >= GROWN and trend.beyond for trend in self.trends)
            self.found.mutants, self.found.caught = 1, int(seen)
            if not seen:
                self.found.mutants = 0
                self.found.remarks.append("not seen to be sharp: a scale smaller by a factor T fits as well")
            return
        if self.prop.way:
            return self._turned()
        if self.prop.error is not None or self.prop.relation == "~":
            for value in (1.0, -1.0):
                self.found.mutants += 1
                seen = any(not trend.allows(trend.printed + 2 * value * trend.tolerance) for trend in self.trends)
                self.found.caught += seen
                if not seen:
                    self.found.survivors.append(f"a limit off by {2 * value:+g} times the tolerance")
            return
        for mutant in [*mutants(self.prop), *(Mutant(*wrong) for wrong in reversed_limits(self.prop))]:
            values = [(trend, self.prints(trend.configuration, mutant.right)) for trend in self.trends]
            seen = any(value is not None and not trend.allows(value) for trend, value in values)
            if (
                not seen
                and all(value is not None and abs(value - trend.printed) < 1e-12 for trend, value in values)
                and self._true_limit(mutant.right)
            ):
                continue
            self.found.mutants += 1
            self.found.caught += seen
            if not seen:
                self.found.survivors.append(readable(mutant.label))

    def _turned(self) -> None:
        """Of an inequality the other direction must be contradicted, unless it holds as well."""
        relation = TURNED[self.prop.relation]
        if decide(replace(self.prop, relation=relation), self.derivation).status == "proved":
            self.found.remarks.append(f"not seen to be one-sided: {relation} holds as well")
            return
        self.found.mutants = 1
        self.found.caught = int(any(replace(trend, way=-trend.way).contradicts for trend in self.trends))
        if not self.found.caught:
            self.found.survivors.append(f"{self.prop.relation} -> {relation}")

    def _true_limit(self, right: Expr) -> bool:
        """Whether another right side is the limit, too."""
        try:
            return decide(replace(self.prop, right=right), self.derivation).status == "proved"
        except StatementError:
            return False
