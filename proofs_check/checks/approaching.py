"""The check of a claim about a limit: values at growing lengths, brought to the limit, against the print itself.

A case of such a claim is sampled at several lengths T with the same matrices and the same shares i/T. Of the derived
value only the exponents of T are used (which powers of 1/T there are, not with what coefficients), to form the limit
from the simulated values with an interval (``extrapolation``). Where the claim is about sequences along an index k, and
nothing is known of their speed, the values at k, 2k and 3k must come to the print.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import lcm
from typing import Any

import sympy as sp

from proofs_check.checks.evidence import BETA, Measured, Planned, RunContext
from proofs_check.checks.extrapolation import (
    ROUNDING,
    Extrapolated,
    ExtrapolationError,
    allotted,
    approach,
    weights,
)
from proofs_check.checks.intervals import Interval, combined, detectable_together
from proofs_check.checks.planning import plan_case, to_be_drawn
from proofs_check.claims import report
from proofs_check.claims.cases import finite, numbers
from proofs_check.claims.pairing import Pair, Target, orders, scale_name
from proofs_check.claims.report import Case
from theorems.kernel.limits import Limit
from theorems.kernel.settle import value_of

#: Lengths up to this are sampled, or up to that of the case where it is longer.
LONGEST = 48
#: A plan that shows too little is made anew for a smaller error, so often at most.
PLANS = 8
#: Multiples of the shortest length at which every position is an integer.
MULTIPLES = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48)
#: A limit is looked for this much more coarsely than a value at one length: its error is made of those of several.
COARSER = 2.0
#: Most lengths that a limit may need: the false alarms of a claim are shared out for so many.
MOST_LENGTHS = 6
#: The index of the claims about sequences, and the multiples of it at which the values are looked at.
INDEX, ALONG = "k", (1, 2, 3)


@dataclass(frozen=True)
class Ladder:
    """A case at several lengths, shortest first, and for every quantity the scale and tolerance of its limit.

    ``factors`` are the weights of the lengths; none where only the approach is looked at. ``case`` is the place of
    the case itself.
    """

    rungs: tuple[Planned, ...]
    factors: tuple[float, ...]
    limits: Mapping[str, tuple[float, float]]
    case: int

    @property
    def raw(self) -> Mapping[str, Any]:
        """The case that the ladder was made for."""
        return self.rungs[self.case].raw

    @property
    def normals(self) -> int:
        """Normals that all lengths draw."""
        return sum(rung.normals for rung in self.rungs)

    @property
    def walks(self) -> int:
        """Walks at all lengths."""
        return sum(rung.walks for rung in self.rungs)


def exponents(pair: Pair, name: str) -> set[int]:
    """The p > 0 for which the derived value over the printed order has a term T^(-p); no coefficient is looked at."""
    value = value_of(pair.derived(), name).expr
    found = orders(value, pair.regime, -64)
    return {pair.least - power for power in found or () if power < pair.least}


def lengths(pair: Pair, raw: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The case at every length at which it may be sampled: the same shares i/T, shortest first, itself among them.

    Raises ValueError where a given theta is not the share that the positions have.
    """
    if INDEX in raw and isinstance(pair.quantity(next(iter(pair.statement.printed))), Limit):
        return [{**raw, INDEX: str(Fraction(raw[INDEX]) * by)} for by in ALONG]
    T = int(Fraction(raw["T"]))
    places = [name for name, _ in pair.regime if name in raw and name in pair.statement.positions]
    shares = {name: Fraction(int(raw[name]), T) for name in places}
    for name, form in pair.regime:
        theta = form.removesuffix("*T")
        if theta in raw and name in shares and Fraction(raw[theta]) != shares[name]:
            raise ValueError(f"{theta} = {raw[theta]}, but {name}/T = {shares[name]}; leave {theta} out")
    unit = lcm(*(share.denominator for share in shares.values()))
    every = sorted({*(unit * by for by in MULTIPLES if unit * by <= max(LONGEST, T)), T})
    counts = type(raw["T"])
    return [
        {**raw, "T": counts(length), **{name: int(share * length) for name, share in shares.items()}}
        for length in every
    ]


def plan_ladder(
    pair: Pair, simulation: Any, raw: Mapping[str, Any], delta: float, context: RunContext
) -> Ladder | None:
    """The lengths and samples that make the wanted error of the limit visible; None where that would be too dear."""
    names = [name for name in pair.sampled_names if name in pair.formulas and pair.in_the_limit(name)]
    cases = lengths(pair, raw)
    if any(isinstance(pair.quantity(name), Limit) for name in names):
        planned = [plan_case(pair, simulation, case, delta, context) for case in cases]
        rungs = tuple(rung for rung in planned if rung is not None)
        told = {name: rungs[-1].quantities[name][1:] for name in names} if rungs else {}
        return Ladder(rungs, (), told, 0) if len(rungs) == len(cases) else None
    powers = {p for name in names for p in exponents(pair, name)}
    sizes = [int(Fraction(case["T"])) for case in cases]
    if len(powers) + 1 > min(MOST_LENGTHS, len(cases)):
        return None
    limits, spreads = _limits(pair, names, cases, sizes, context.effort.factor)
    wide = [max(spreads[name][k] / limits[name][1] for name in names) for k in range(len(cases))]
    try:
        factors = weights(sizes, sorted(powers), [max(w, 1e-9) * T**0.5 for w, T in zip(wide, sizes, strict=True)])
    except ExtrapolationError:
        return None
    # a length that shows the trend, where the limit is formed from short ones alone
    used = {T for T, a in zip(sizes, factors, strict=True) if a != 0}
    shown = min((T for T in sizes if 2 * T >= LONGEST), default=sizes[-1])
    used |= set() if any(2 * T >= LONGEST for T in used) else {shown}
    chosen = [k for k, case in enumerate(cases) if sizes[k] in used or case["T"] == raw["T"]]
    kept = tuple(float(factors[k]) for k in chosen)
    off = {name: allotted(list(factors), spreads[name], sizes, limits[name][1]) for name in names}
    for _ in range(PLANS):
        found: list[Planned] = []
        for k in chosen:
            # what has no limit is a value, and looked at where the case is
            elsewhere = () if cases[k]["T"] == raw["T"] else pair.sampled_names
            wanted = {name: float("inf") for name in elsewhere}
            wanted |= {name: off[name][k] * sizes[k] ** pair.least for name in names}
            rung = plan_case(pair, simulation, cases[k], delta, context, wanted)
            if rung is None:
                return None
            found.append(rung)
        short = {name: _visible(pair, simulation, found, kept, name, delta) / limits[name][1] for name in names}
        if max(short.values()) <= 1.0:
            place = next(k for k, rung in enumerate(found) if rung.raw["T"] == raw["T"])
            return Ladder(tuple(found), kept, limits, place)
        off = {name: [h / max(1.0, 1.01 * short[name]) for h in off[name]] for name in names}
    return None


def _visible(
    pair: Pair, simulation: Any, rungs: Sequence[Planned], factors: Sequence[float], name: str, delta: float
) -> float:
    """The error of the limit that the planned samples make visible."""
    parts = [
        (a / float(Fraction(rung.raw["T"])) ** pair.least, to_be_drawn(pair, simulation, rung, name))
        for a, rung in zip(factors, rungs, strict=True)
        if a
    ]
    return detectable_together(parts, delta=delta, beta=BETA)


def _limits(
    pair: Pair, names: Sequence[str], cases: Sequence[Mapping[str, Any]], sizes: Sequence[int], factor: float
) -> tuple[dict[str, tuple[float, float]], dict[str, list[float]]]:
    """For every quantity scale and tolerance of its limit, and the standard deviation of one number at each length.

    All over T^least. The scale is that of a value at one length (``pairing.scale_and_tolerance``), of the limit itself
    or, where that is 0, of the largest value on the way.
    """
    limits: dict[str, tuple[float, float]] = {}
    spreads: dict[str, list[float]] = {}
    for name in names:
        found = [pair.statistic(name, case) for case in cases]
        units = [float(T) ** pair.least for T in sizes]
        means = [abs(mean) / unit for (_, mean, _), unit in zip(found, units, strict=True)]
        spreads[name] = [
            variance**0.5 / unit if variance > 1e-12 * mean * mean else 0.0
            for (_, mean, variance), unit in zip(found, units, strict=True)
        ]
        true = pair.target(name, cases[-1]).true
        size = abs(float(true)) / units[-1] if true is not None else 0.0
        if scale_name(found[-1][0]) == "the value":
            scale, part = size or max(means), 0.02
        else:
            scale, part = max(size, spreads[name][-1]), 0.01
        limits[name] = (scale, COARSER * part * factor * scale or 1e-6 * max(1.0, size))
    return limits, spreads


@dataclass
class Approached:
    """One quantity along a ladder: what was simulated at every length, and what follows for the limit.

    ``stated`` is what the print says of the limit, in the units in which ``interval`` is an interval of it.
    """

    rungs: tuple[Measured, ...]
    case: int
    found: Extrapolated | None
    pair: Pair
    scale: float
    tolerance: float
    level: float

    @property
    def name(self) -> str:
        """The quantity."""
        return self.top.target.name

    @property
    def top(self) -> Measured:
        """The measurement at the case itself."""
        return self.rungs[self.case]

    @property
    def raw(self) -> Mapping[str, Any]:
        """The case itself."""
        return self.top.raw

    @property
    def target(self) -> Target:
        """What both sides say at the case itself."""
        return self.top.target

    @property
    def count(self) -> int:
        """Numbers at all lengths."""
        return sum(rung.count for rung in self.rungs)

    @property
    def interval(self) -> Interval:
        """The interval of the limit; at the end of the way where nothing is known of the speed."""
        return self.rungs[-1].interval if self.found is None else self.found.interval

    @property
    def judged(self) -> bool:
        """Whether the print says anything about the limit here."""
        return self.target.claimed is not None

    def said(self, formula: sp.Expr) -> float | None:
        """What a formula in the place of the print says of the number that the interval is of; None for nothing."""
        if self.found is None:
            value = self.pair.stated(formula, self.name, self.rungs[-1].raw)
            return float(value) if value.is_finite else None
        total = 0.0
        for weight, rung in zip(self.found.weights, self.rungs, strict=True):
            value = self.pair.kept(formula, rung.raw)
            if value is None or not value.is_finite:
                return None
            total += weight * float(value) / self._unit(rung)
        return total

    def _unit(self, rung: Measured) -> float:
        return float(Fraction(rung.raw["T"])) ** self.pair.least

    @property
    def stated(self) -> float | None:
        """What the print says of the limit."""
        return self.said(self.pair.formulas[self.name]) if self.judged else None

    def excludes(self, value: float) -> bool:
        """Whether the data leave out a value in the place of the printed limit."""
        if self.found is None:
            return self._trend(value) == "stays away"
        return not self.interval.holds(value)

    def _trend(self, value: float) -> str:
        indices = [Fraction(rung.raw[INDEX]) for rung in self.rungs]
        return approach(indices, [rung.interval for rung in self.rungs], value, self.tolerance)

    @property
    def contradicts(self) -> bool:
        """Whether the values do not come to the printed limit."""
        return self.stated is not None and self.excludes(self.stated)

    @property
    def agrees(self) -> bool:
        """Whether they come within the tolerance of it."""
        stated = self.stated
        if stated is None:
            return False
        if self.found is None:
            return self._trend(stated) == "approaches"
        inside = stated - self.tolerance <= self.interval.low and self.interval.high <= stated + self.tolerance
        return inside and not self.contradicts

    @property
    def detectable(self) -> float:
        """The error of the limit that would have been caught, relative to its scale."""
        return self.interval.detectable / self.scale if self.scale else 0.0

    @property
    def p(self) -> float:
        """The level of the interval where it leaves the print out, a bound of the p-value; 1 else."""
        return self.level if self.contradicts else 1.0

    @property
    def z(self) -> float | None:
        """(limit - print)/standard error, a display."""
        if self.stated is None or self.found is None:
            return None
        parts = zip(self.found.weights, self.rungs, strict=True)
        error = sum((a * rung.std_error / self._unit(rung)) ** 2 for a, rung in parts) ** 0.5
        return (self.interval.centre - self.stated) / error if error else None

    @property
    def measured(self) -> str:
        """What the error is measured against, in words."""
        what = self.top.measured
        return "the limit" if what == "the value" else f"{what} in the limit"

    @property
    def place(self) -> str:
        """Where the limit is taken: "limit at theta = 1/2", with the shares or the parameters that stay."""
        scalars = self.pair.exact(self.raw).scalars
        if self.found is None:
            told = [f"{name} = {scalars[name]}" for name in self.pair.statement.parameters if name in self._spoken]
        else:
            shares = {form.removesuffix("*T"): name for name, form in self.pair.regime}
            told = [f"{f'{p}/T' if share == f'u_{p}' else share} = {scalars[share]}" for share, p in shares.items()]
        over = (
            "" if self.found is None or self.pair.least == 0 else f" of the value over {self.pair.statement.remainder}"
        )
        return f"limit{over}" + (f" at {', '.join(told)}" if told else "")

    @property
    def _spoken(self) -> set[str]:
        """The parameters that the claim speaks of; others say only along which sequence the cases go."""
        statement = self.pair.statement
        says = statement.says
        if says is None:
            return {*statement.parameters} - {INDEX}
        texts = (says.hypotheses, says.where, says.limit, *says.quantities.values(), *statement.printed.values())
        return {*re.findall(r"\w+", " ".join(texts))} - {INDEX}

    def values(self) -> tuple[sp.Expr | None, sp.Expr | None]:
        """The limits, derived and printed."""
        return (self.target.true, self.target.claimed) if self.found is None else self._coefficients()

    def limit(self) -> report.Limit:
        """The limit as the report shows it."""
        true, claimed = self.values()
        # a print of several orders: what is of a higher one is taken off both
        shift = 0.0 if self.stated is None or claimed is None else self.stated - float(claimed)
        return {
            "at": self.place,
            "printed": None if claimed is None else str(claimed),
            "derived": None if true is None else str(true),
            "estimate": finite(self.interval.centre - shift),
            "low": finite(self.interval.low - shift),
            "high": finite(self.interval.high - shift),
            "z": self.z,
            "numbers": numbers(claimed, true),
            "along": [
                {
                    "params": {n: rung.raw[n] for n in (*self.pair.statement.positions, INDEX) if n in rung.raw},
                    "derived": str(rung.target.derived),
                    "estimate": rung.interval.centre,
                    "low": finite(rung.interval.low),
                    "high": finite(rung.interval.high),
                    "samples": rung.count,
                }
                for rung in self.rungs
            ],
        }

    def row(self) -> Case:
        """The case as the report shows it, with the limit beside it."""
        row = self.top.row()
        row["limit"] = self.limit()
        return row

    def _coefficients(self) -> tuple[sp.Expr | None, sp.Expr | None]:
        """The limits, derived and printed, of the value over T^least once the print's higher orders are taken off.

        The derived one is None where that has no limit.
        """
        least, case = self.pair.least, self.pair.exact(self.raw)
        value = value_of(self.pair.derived(), self.name).expr
        tables = [orders(formula, self.pair.regime, least) or {} for formula in (value, self.pair.formulas[self.name])]
        higher = {power for table in tables for power in table if power > least}
        gaps = [case.evaluate(tables[0].get(power, 0) - tables[1].get(power, sp.Integer(0))) for power in higher]
        true, claimed = (case.evaluate(table.get(least, sp.Integer(0))) for table in tables)
        return (None if any(gap != 0 for gap in gaps) else true), claimed


def reached(pair: Pair, ladder: Ladder, found: Sequence[Sequence[Measured]], delta: float) -> list[Approached]:
    """What the measurements at the lengths of a ladder say of the limits: one entry a quantity that is judged."""
    approached = []
    for name, (scale, tolerance) in ladder.limits.items():
        rungs = tuple(m for at in found for m in at if m.target.name == name)
        limit = _limit(ladder, rungs, pair.least, delta) if ladder.factors else None
        approached.append(Approached(rungs, ladder.case, limit, pair, scale, tolerance, delta * (len(rungs) + 1)))
    return approached


def _limit(ladder: Ladder, rungs: Sequence[Measured], power: int, delta: float) -> Extrapolated:
    """The interval of the limit of values over T^power, from the samples of all lengths together."""
    units = [float(Fraction(rung.raw["T"])) ** power for rung in rungs]
    parts = [(a / unit, rung.blocks) for a, unit, rung in zip(ladder.factors, units, rungs, strict=True) if a]
    around = combined(parts, delta=delta, beta=BETA)
    slack = ROUNDING * sum(abs(a * blocks.around.centre) for a, blocks in parts)
    return Extrapolated(replace(around, low=around.low - slack, high=around.high + slack), ladder.factors)
