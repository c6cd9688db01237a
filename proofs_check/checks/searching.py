"""The empirical check of a bound: a search for a violation, which must also come near the bound."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import sympy as sp

from proofs_check.checks.eventual import searched_eventually
from proofs_check.checks.evidence import Evidence, RunContext
from proofs_check.checks.points import misread, seen_at, tried
from proofs_check.claims.mutants import mutants
from proofs_check.claims.pairing import Pair
from proofs_check.claims.report import Counterexample
from theorems.algebra.balls import ball, between, precision, sign
from theorems.algebra.closed import names
from theorems.algebra.expressions import floats, parse
from theorems.claims.conditions import SIGNS, read
from theorems.gaussian.numeric import Case
from theorems.kernel.bounds import admitted, larger, ungranted
from theorems.kernel.derivation import Inequality, SharpBound
from theorems.kernel.eventually import Eventually
from theorems.kernel.outcome import Outcome

#: How near the search must come, as a fraction of the bound.
SHARP = 0.999
#: Roundoffs allowed for the arithmetic of a printed formula.
ROUNDING = 64
#: Points at which every number of a search is recomputed exactly.
RECOMPUTED = 12


def searched(
    pair: Pair, outcome: Outcome, search: Any, context: RunContext, only: Mapping[str, Any] | None = None
) -> Evidence:
    """The empirical check of a bound: a search for a violation, which must also come near the bound.

    At ``only`` one case no search is made, and wrong versions count only where they are seen.
    """
    if isinstance(next(iter(pair.derived().quantities.values())), Eventually):
        return searched_eventually(pair, outcome, search, context, only)
    found = tried(pair, search, context, only)
    evidence = Evidence(tier="adversarial search", samples=len(found), cases=len(found))
    limits = derived_ends(pair)
    value, error = found.columns["value"], found.error
    if not (np.isfinite(value).all() and np.isfinite(error).all()):
        # NaN compares with nothing, and would pass for a point that keeps the bound
        lost = int((~np.isfinite(value) | ~np.isfinite(error)).sum())
        raise ValueError(f"{pair.source}: no number at {lost} of the search's {len(found)} points; leave them out")
    evidence.conflicts += misread(pair, found, range(0, len(found), max(1, len(found) // RECOMPUTED)))

    def surely(formula: sp.Expr, k: int, side: int) -> bool:
        """Whether a point is beyond an end in ball arithmetic, whatever the errors of its columns.

        What floats say may be the cancellation of the formula's terms.
        """
        columns = {name: (entries[k], found.errors.get(name)) for name, entries in found.columns.items()}
        with precision(128):
            point = {name: _around(v, None if e is None else e[k]) for name, (v, e) in columns.items()}
            try:
                return bool(side * (_around(value[k], error[k]) - ball(formula, point)) > 0)
            except ValueError:
                return False

    def ends(formula: sp.Expr) -> list[tuple[float, float]]:
        """The formula at every point, and how far the rounding of its columns may move it."""
        missing = names(formula) - set(found.columns)
        if missing:
            known = ", ".join(found.columns)
            raise ValueError(f"{pair.source}: a formula names {min(missing)}; the search has {known} only")
        shifted = [
            {name: values + sign * found.errors.get(name, 0.0) for name, values in found.columns.items()}
            for sign in (-1, 0, 1)
        ]
        with np.errstate(all="ignore"):
            low, middle, high = (np.broadcast_to(floats(formula, table), value.shape) for table in shifted)
            off = np.maximum(abs(low - middle), abs(high - middle))
        # the sign of a difference of two exact floats is exact
        moved = [found.errors[name] != 0 for name in names(formula) if name in found.errors]
        rounded = np.any(moved, axis=0) if moved and _compares(formula) else not _compares(formula)
        off = off + rounded * ROUNDING * np.spacing(np.maximum(abs(middle), 1e-300))
        return list(zip(middle.tolist(), off.tolist(), strict=True))

    def meeting(conditions: Sequence[str]) -> list[bool]:
        """Which points are sure to meet every condition, whatever the rounding of their columns."""
        met = [True] * len(found)
        # a hypothesis in words is none that columns show: there the points count, and a false bound is a conflict
        for gap, allowed in map(read, (c for c in conditions if any(relation in c for relation in SIGNS))):
            for k, (value, off) in enumerate(ends(gap)):
                sure = {1: value > off, -1: value < -off, 0: value == off == 0}
                weak = (allowed == (0, 1) and value >= off) or (allowed == (-1, 0) and value <= -off)
                met[k] = met[k] and bool(weak or any(sure[s] for s in allowed))
        return met

    inside = meeting(pair.statement.conditions)
    evidence.seen = seen_at(pair, found, [k for k in range(len(found)) if inside[k]])
    proved = meeting((*pair.statement.conditions, *_beyond(pair)))
    # an inequality must be reached in every dimension, and for every number of keys
    sizes = [name for name in ("d", "keys") if name in found.columns]
    by_size = isinstance(next(iter(pair.derived().quantities.values())), Inequality) and sizes
    group = found.columns[sizes[0]] if by_size else np.zeros(len(found))
    reaches = {}
    for name, formula in limits.items():
        side = 1 if name == "upper" else -1
        best: dict[float, float] = {}
        for k, (end, off) in enumerate(ends(formula)):
            if not proved[k]:
                continue
            if side * (value[k] - end) > error[k] + off and surely(formula, k, side):
                evidence.conflicts.append(f"{name} at {found.point(k)}: derived {end!r}, found {float(value[k])!r}")
            best[group[k]] = max(best.get(group[k], 0.0), _nearness(float(value[k]), end, side))
        reaches[name] = min(best.values(), default=0.0)
    wrong: tuple[int, str] | None = None
    for name in pair.statement.printed:
        side, formula = 1 if name == "upper" else -1, parse(pair.statement.printed[name])
        for k, (end, off) in enumerate(ends(formula)):
            beyond = wrong is None and inside[k] and side * (value[k] - end) > error[k] + off
            if beyond and surely(formula, k, side):
                wrong = (k, name)
    # a range is shown wrong, too, where its end is out of reach, and so is a bound that is said to be attained
    sharp = pair.statement.relation == "range" or pair.statement.attained

    # a bound is attained for every value of the claim's parameters: their whole parts tell groups apart
    parts = [np.floor(found.columns[name]) for name in pair.statement.parameters if name in found.columns]
    cells = list(zip(group.tolist(), *(part.tolist() for part in parts), strict=True))

    def nearest(formula: sp.Expr, side: int) -> dict[tuple[float, ...], tuple[float, int]]:
        """How near the points of every cell come to an end, and the one that does."""
        best: dict[tuple[float, ...], tuple[float, int]] = {}
        for k, (end, _) in enumerate(ends(formula)):
            if inside[k] and not math.isnan(end):
                best[cells[k]] = max(best.get(cells[k], (-math.inf, k)), (_nearness(float(value[k]), end, side), k))
        return best

    def out_of_reach(formula: sp.Expr, side: int, true: sp.Expr) -> int | None:
        """A point that comes nearest to an end which it does not reach, though the derived one is reached there."""
        reached = nearest(true, side)
        missed = [
            k for cell, (near, k) in nearest(formula, side).items() if near < SHARP < reached.get(cell, (0.0, 0))[0]
        ]
        return missed[0] if missed else None

    for name, text in pair.statement.printed.items() if pair.statement.attained else ():
        place = out_of_reach(parse(text), 1 if name == "upper" else -1, limits[name])
        if wrong is None and place is not None:
            wrong = (place, name)
    near = min(reaches.values()) if sharp else max(reaches.values())
    evidence.detectable = max(0.0, 1.0 - near)
    evidence.status = "contradicts" if wrong else "agrees" if near > SHARP else "underpowered"
    came = f"came within {evidence.detectable:.1e} of" if evidence.detectable else "reached"
    evidence.power = f"the search {came} the bound: one smaller by more is seen violated"
    for name, text in pair.statement.printed.items():
        side = 1 if name == "upper" else -1
        candidates = mutants(parse(text), ())
        factors = [1 - 2 * max(evidence.detectable, 1e-9), 1 - 1e-3]
        for factor in (*factors, *((1 + 2 * (1 - SHARP),) if sharp else ())):
            candidates.append(
                (f"{name} times {factor}", sp.Rational(Fraction(factor).limit_denominator(10**12)) * parse(text))
            )
        for label, other in candidates:
            told = partial(_false_end, pair, side, other, limits[name], sharp)
            if not pair.once(("false end", name, other), {}, told):
                continue
            points = ends(other)
            seen = any(
                side * (value[k] - end) > error[k] + off and surely(other, k, side)
                for k, (end, off) in enumerate(points)
                if inside[k] and not math.isnan(end)
            )
            seen = seen or (sharp and out_of_reach(other, side, limits[name]) is not None)
            if only is not None and not seen:
                # at one case only what is seen there counts
                continue
            evidence.decoys += 1
            evidence.caught += seen
            if not seen:
                evidence.survivors.append(f"{name}: {label}")
    if wrong and outcome.status == "disproved":
        evidence.counterexample = _counterexample(pair, found, *wrong, limits)
        evidence.confirmed = True
    return evidence


def _around(value: float, error: float | None) -> Any:
    """The ball of a column's entry and its error."""
    middle, spread = Fraction(float(value)), Fraction(float(error or 0.0))
    return between(middle - spread, middle + spread)


def _nearness(value: float, end: float, side: int) -> float:
    """How near a value comes to a bound: 1 minus its distance in units of the bound; a bound of 0 is reached or not."""
    return 1 - side * (end - value) / abs(end) if end else float(side * (value - end) >= 0)


def _compares(formula: sp.Expr) -> bool:
    """Whether a formula is the difference of two columns, or of a column and a number, or one of these alone."""
    terms = sp.Add.make_args(formula)
    return len(terms) <= 2 and all(t.is_Symbol or (-t).is_Symbol or t.is_Rational for t in terms)


def _beyond(pair: Pair) -> tuple[str, ...]:
    """What a proved inequality needs beyond the claim's assumptions."""
    bound = next(iter(pair.derived().quantities.values()))
    return ungranted(pair.statement, bound) if isinstance(bound, Inequality) else ()


def derived_ends(pair: Pair) -> dict[str, sp.Expr]:
    """What was derived for each end: both ends of a sharp bound, or the upper one of an inequality."""
    bound = next(iter(pair.derived().quantities.values()))
    if isinstance(bound, Inequality):
        return {"upper": bound.upper}
    assert isinstance(bound, SharpBound)
    sharp = sp.sqrt(bound.square.expr)
    return {"upper": sharp, "lower": -sharp}


def _counterexample(pair: Pair, found: Any, k: int, name: str, limits: Mapping[str, sp.Expr]) -> Counterexample:
    """The simplest violating point: one of the derivation's own, or else the first that the search found."""
    bound = next(iter(pair.derived().quantities.values()))
    printed = parse(pair.statement.printed[name])
    if isinstance(bound, Inequality):
        inside = (point for point in bound.points if admitted(pair.statement, point))
        smallest = next((point for point in inside if _contradicts(pair, bound, printed, point)), None)
        if smallest is None:
            smallest = {
                n: str(Fraction(float(v[k]))) for n, v in found.columns.items() if n in pair.statement.parameters
            }
            smallest |= _matrices(found, k)
        case = Case(smallest)
        true = case.evaluate(bound.quantity if _exceeds(bound, printed, smallest) else bound.upper)
        return {"params": dict(smallest), "printed": str(case.evaluate(printed)), "true": _number(true)}
    smallest = _matrices(found, k)
    if isinstance(bound, SharpBound) and _shrunk_breaks(pair, name):
        smallest = dict(bound.attained)
    case = Case(smallest)
    return {"params": smallest, "printed": str(case.evaluate(printed)), "true": str(case.evaluate(limits[name]))}


def _matrices(found: Any, k: int) -> dict[str, Any]:
    exact = {name: _fractions(entries) for name, entries in found.point(k).items()}
    return ({"d": int(found.columns["d"][k])} if "d" in found.columns else {}) | exact


def _fractions(entries: Any) -> Any:
    """Nested lists of floats as exact fractions."""
    return [_fractions(entry) for entry in entries] if isinstance(entries, list) else str(Fraction(entries))


def _exceeds(bound: Inequality, printed: sp.Expr, point: Mapping[str, Any]) -> bool:
    case = Case(point)
    values = {name: case.number(name) for name in names(printed) | names(bound.quantity)}
    return sign(bound.quantity - printed, values) == 1


def _contradicts(pair: Pair, bound: Inequality, printed: sp.Expr, point: Mapping[str, Any]) -> bool:
    """Whether a print is exceeded at an exact case, or larger there than a bound that it should attain."""
    return _exceeds(bound, printed, point) or (pair.statement.attained and larger(printed, bound, point))


def _number(value: sp.Expr) -> str:
    """An exact value as it stands where it is short, to 15 digits otherwise."""
    text = str(value)
    return text if len(text) <= 60 else str(sp.N(value, 15))


def _shrunk_breaks(pair: Pair, name: str) -> bool:
    """Whether the equality case of the derivation already breaks the printed bound."""
    bound = next(q for q in pair.derived().quantities.values() if isinstance(q, SharpBound))
    case = Case(bound.attained)
    printed = case.evaluate(parse(pair.statement.printed[name]))
    sharp = case.evaluate(sp.sqrt(bound.square.expr))
    return bool(printed < sharp) if name == "upper" else bool(printed > -sharp)


def _false_end(pair: Pair, side: int, other: sp.Expr, true: sp.Expr, sharp: bool) -> bool:
    """Whether a decoy is false: below the sharp bound somewhere, or anywhere beside it where the claim is a range."""
    bound = next(iter(pair.derived().quantities.values()))
    if isinstance(bound, Inequality):
        inside = (point for point in bound.points if admitted(pair.statement, point))
        return any(_contradicts(pair, bound, other, point) for point in inside)
    if sharp:
        return bool(sp.expand(other - true) != 0)
    return _false_bound(side * other, side * true)


def _false_bound(upper: sp.Expr, sharp: sp.Expr) -> bool:
    """Whether |q| <= upper fails at one of a few points where the sharp bound is attained."""
    for d in (1, 2, 3, 6):
        for tr2 in (sp.Rational(1, 4), sp.Integer(4)):
            point = {
                s: {"d": sp.Integer(d), "tr2": tr2}.get(s.name, sp.Integer(1))
                for s in upper.free_symbols | sharp.free_symbols
            }
            value = upper.xreplace(point)
            if not value.is_real or value < sharp.xreplace(point):
                return True
    return False
