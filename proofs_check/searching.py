"""The second side of a bound: a search for a violation, which must also come near the bound."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from proofs_check.decoys import mutants
from proofs_check.evidence import Bench, Evidence
from proofs_check.pairing import Pair
from theorems.derivation import SharpBound
from theorems.expressions import floats, parse
from theorems.kernel import Outcome
from theorems.numeric import Case


def searched(pair: Pair, outcome: Outcome, search: Any, bench: Bench) -> Evidence:
    """The second side of a bound: a search for a violation, which must also come near the bound."""
    from montecarlo.engine import run_search

    found = run_search(search, bench.effort.points, bench.seed, bench.device, pair.statement.id)
    evidence = Evidence(tier="adversarial search", samples=len(found), cases=len(found))
    bound = next(q for q in pair.derived().quantities.values() if isinstance(q, SharpBound))
    sharp = sp.sqrt(bound.square.expr)
    limits = {"upper": sharp, "lower": -sharp}
    value, error = found.columns["value"], found.error

    def ends(formula: sp.Expr) -> list[tuple[float, float]]:
        """The formula at every point, and how far the rounding of its columns may move it."""
        shifted = [
            {name: values + sign * found.errors.get(name, 0.0) for name, values in found.columns.items()}
            for sign in (-1, 0, 1)
        ]
        low, middle, high = (np.broadcast_to(floats(formula, table), value.shape) for table in shifted)
        off = np.maximum(abs(low - middle), abs(high - middle)) + 8 * np.spacing(np.maximum(abs(middle), 1e-300))
        return list(zip(middle.tolist(), off.tolist(), strict=True))

    reach = 0.0
    for name, formula in limits.items():
        for k, (end, off) in enumerate(ends(formula)):
            side = 1 if name == "upper" else -1
            if side * (value[k] - end) > error[k] + off:
                evidence.conflicts.append(f"{name} at {found.point(k)}: derived {end!r}, found {value[k]!r}")
            if end:
                reach = max(reach, float(value[k] / end))
    wrong: tuple[int, str] | None = None
    for name in pair.statement.printed:
        side = 1 if name == "upper" else -1
        for k, (end, off) in enumerate(ends(parse(pair.statement.printed[name]))):
            if side * (value[k] - end) > error[k] + off and wrong is None:
                wrong = (k, name)
    evidence.detectable = max(0.0, 1.0 - reach)
    evidence.status = "contradicts" if wrong else "agrees" if reach > 0.999 else "underpowered"
    evidence.power = (
        f"the search came within {evidence.detectable:.1e} of the bound: one smaller by more is seen violated"
    )
    for name, text in pair.statement.printed.items():
        side = 1 if name == "upper" else -1
        candidates = mutants(parse(text), ())
        for factor in (1 - 2 * max(evidence.detectable, 1e-9), 1 - 1e-3):
            candidates.append(
                (f"{name} times {factor}", sp.Rational(Fraction(factor).limit_denominator(10**12)) * parse(text))
            )
        for label, other in candidates:
            wanted = _false_bound(side * other, sharp)
            if not wanted:
                continue
            evidence.decoys += 1
            seen = any(
                side * (value[k] - end) > error[k] + off
                for k, (end, off) in enumerate(ends(other))
                if not math.isnan(end)
            )
            evidence.caught += seen
            if not seen:
                evidence.survivors.append(f"{name}: {label}")
    if wrong and outcome.status == "disproved":
        k, name = wrong
        raw = {
            "d": int(found.columns["d"][k]),
            **{m: [[str(Fraction(v)) for v in row] for row in rows] for m, rows in found.point(k).items()},
        }
        smallest = raw
        if not _shrunk_breaks(pair, name):
            case = Case(raw)
        else:
            smallest = dict(bound.attained)
            case = Case(smallest)
        evidence.counterexample = {
            "params": smallest,
            "printed": str(case.evaluate(parse(pair.statement.printed[name]))),
            "true": str(case.evaluate(limits[name])),
        }
        evidence.confirmed = True
    return evidence


def _shrunk_breaks(pair: Pair, name: str) -> bool:
    """Whether the equality case of the derivation already breaks the printed bound."""
    bound = next(q for q in pair.derived().quantities.values() if isinstance(q, SharpBound))
    case = Case(bound.attained)
    printed = case.evaluate(parse(pair.statement.printed[name]))
    sharp = case.evaluate(sp.sqrt(bound.square.expr))
    return bool(printed < sharp) if name == "upper" else bool(printed > -sharp)


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
