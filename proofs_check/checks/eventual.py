"""The empirical check of a lower bound that holds up to o(1): a search for the least value at many T."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray

from proofs_check.checks.evidence import Evidence, RunContext
from proofs_check.checks.points import seen_at, tried
from proofs_check.claims.mutants import mutants
from proofs_check.claims.pairing import Pair
from theorems.algebra.closed import vanishes
from theorems.algebra.expressions import floats, parse
from theorems.gaussian.numeric import Case
from theorems.kernel.eventually import Eventually, below, exceeding, excess
from theorems.kernel.outcome import Outcome

Array = NDArray[np.float64]

#: How near the search must come at every T and every value of the other names, as a part of leading - least.
SHARP = 0.999
#: Roundoffs allowed for the arithmetic of a formula.
ROUNDING = 64
#: Lengths of the trend that the report shows.
TREND = (16, 256, 4096)


def searched_eventually(
    pair: Pair, outcome: Outcome, search: Any, context: RunContext, only: Mapping[str, Any] | None = None
) -> Evidence:
    """A search that must never fall below the derived least value, and must come near it at every T.

    A formula for the bound, which holds up to o(1) only, is contradicted at a point where both the formula itself and
    the least value plus the limit of formula - leading exceed what was found.
    """
    found = tried(pair, search, context, only)
    bound = next(iter(pair.derived().quantities.values()))
    assert isinstance(bound, Eventually)
    table = {name: found.columns[name] for name in bound.names}
    value, error = found.columns["value"], found.error
    evidence = Evidence(tier="adversarial search", samples=len(found), cases=len(found))
    evidence.seen = seen_at(pair, found, range(len(found)))
    least = _floats(bound.upper, table)
    slack = error + ROUNDING * np.spacing(np.abs(least))
    for k in np.flatnonzero(value < least - slack)[:3]:
        where = ", ".join(f"{name} = {table[name][k]:g}" for name in bound.names)
        evidence.conflicts.append(f"at {where}: derived least value {float(least[k])!r}, found {float(value[k])!r}")
    evidence.detectable = 1 - _nearness(bound, table, value, least)
    near = evidence.detectable < 1 - SHARP
    ((name, text),) = pair.statement.printed.items()
    printed = parse(text)
    wrong = contradicted(printed, bound, table, least, value, slack)
    if not near:
        evidence.status = "underpowered"
        evidence.reason = f"the search came within {evidence.detectable:.1e} of {bound.leading} - least only"
    else:
        evidence.status = "contradicts" if wrong.any() else "agrees"
    lengths = sorted({int(T) for T in table["T"]})
    evidence.power = (
        f"at every T from {lengths[0]} to {lengths[-1]} and every nu tried the search came within "
        f"{evidence.detectable:.1e} of the least value, relative to {bound.leading} - least"
    )
    candidates = [*mutants(printed, ()), *_exponents(printed)]
    candidates += [(f"{name} + {shift}", printed + shift) for shift in (sp.Rational(1, 1000), sp.Rational(1, 10))]
    for label, other in candidates:
        # a decoy is a formula shown to be no bound
        if vanishes(other - printed) or below(other, bound) is not False:
            continue
        evidence.decoys += 1
        seen = bool(contradicted(other, bound, table, least, value, slack).any())
        evidence.caught += seen
        if not seen:
            evidence.survivors.append(f"{name}: {label}")
    evidence.trend = list(_trend(printed, name, bound, table, value))
    point = _exceeded(printed, bound)
    if wrong.any() and outcome.status == "disproved" and point is not None:
        case = Case(point)
        shown = {n: v if n == "T" else str(v) for n, v in point.items()}
        told = [str(sp.N(case.evaluate(formula), 15)) for formula in (printed, bound.upper)]
        evidence.counterexample = {"params": shown, "printed": told[0], "true": told[1]}
        evidence.confirmed = True
    return evidence


def _floats(formula: sp.Expr, table: Mapping[str, Array]) -> Array:
    shape = next(iter(table.values())).shape
    with np.errstate(all="ignore"):
        found: Array = np.broadcast_to(np.asarray(floats(formula, table), dtype=np.float64), shape)
    return found


def _nearness(bound: Eventually, table: Mapping[str, Array], value: Array, least: Array) -> float:
    """The smallest, over T and the other names, of (leading - best value found)/(leading - least value)."""
    leading = _floats(bound.leading, table)
    groups: dict[tuple[float, ...], list[int]] = {}
    for k, place in enumerate(zip(*(table[name].tolist() for name in bound.names), strict=True)):
        groups.setdefault(place, []).append(k)
    reached = []
    for where in groups.values():
        k = min(where, key=lambda index: value[index])
        reached.append(float((leading[k] - value[k]) / (leading[k] - least[k])) if leading[k] > least[k] else 1.0)
    return min(1.0, *reached)


def contradicted(
    formula: sp.Expr, bound: Eventually, table: Mapping[str, Array], least: Array, value: Array, slack: Array
) -> NDArray[np.bool_]:
    """At which points a formula for the bound exceeds what was found, its vanishing part apart."""
    gap = excess(formula, bound)
    nowhere: NDArray[np.bool_] = np.zeros(value.shape, dtype=np.bool_)
    if gap is None:
        return nowhere
    limit = np.zeros(value.shape)
    parts = list(gap.parts())
    for k, part in enumerate(parts):
        size = _floats(part, table)
        # what grows decides by its sign; the constant is what it is
        grows = np.where(size == 0, 0.0, np.copysign(np.inf, size))
        limit = np.where(limit == 0, size if k == len(parts) - 1 else grows, limit)
    raw = _floats(formula, table)
    slack = slack + ROUNDING * np.spacing(np.abs(raw))
    with np.errstate(invalid="ignore"):
        over: NDArray[np.bool_] = (raw > value + slack) & (least + limit > value + slack)
    return over


def _exponents(formula: sp.Expr) -> Iterator[tuple[str, sp.Expr]]:
    """The formula with the exponent of one exponential, at one place, halved, doubled, turned or left out."""
    for factor in (sp.Rational(1, 2), sp.Integer(2), sp.Integer(-1), sp.Integer(0)):
        for changed, node in _one_changed(formula, factor):
            yield f"{node} -> {sp.exp(factor * node.args[0])}, once", changed


def _one_changed(node: sp.Expr, factor: sp.Expr) -> Iterator[tuple[sp.Expr, sp.Expr]]:
    if isinstance(node, sp.exp):
        yield sp.exp(factor * node.args[0]), node
    for place, part in enumerate(node.args):
        for changed, what in _one_changed(part, factor) if not isinstance(node, sp.exp) else ():
            yield node.func(*node.args[:place], changed, *node.args[place + 1 :]), what


def _trend(printed: sp.Expr, name: str, bound: Eventually, table: Mapping[str, Array], value: Array) -> Iterator[str]:
    """The print minus the least entropy found, at one simple nu for several T; lines of evidence."""
    for T in TREND:
        here = np.flatnonzero(table["T"] == T)
        if not len(here):
            continue
        norms = table["nu"][here]
        nu = norms[np.argmin(np.abs(norms - 2))]
        k = here[norms == nu][np.argmin(value[here[norms == nu]])]
        claimed = float(_floats(printed, table)[k])
        told = f"found at T = {T}, nu = {nu:g}: {value[k]:.9g}"
        yield f"{told}; {name} there: {claimed:.9g}; {bound.leading}: {np.log(T):.9g}"


def _exceeded(printed: sp.Expr, bound: Eventually) -> Mapping[str, Any] | None:
    """The first point of the derivation where the print has an excess over the leading term that does not vanish."""
    gap = excess(printed, bound)
    if gap is None:
        return None
    return next((point for part in gap.parts() if (point := exceeding(part, bound)) is not None), None)


def curves(
    pair: Pair, norms: Mapping[int, Sequence[float]], found: int, bottom: float, seed: int
) -> tuple[dict[str, str], list[dict[str, Any]]]:
    """For a drawing: print, bound in the limit, least value and leading term, as formulas and over the norms of each T.

    A row for each T also has the entropies that the search found, at ``found`` norms where the least value is above
    ``bottom``.
    """
    from montecarlo.bao2024.entropy import profile
    from montecarlo.threads import one_torch_thread

    bound = next(iter(pair.derived().quantities.values()))
    assert isinstance(bound, Eventually)
    ((_, text),) = pair.statement.printed.items()
    formulas = {"printed": parse(text), "derived": bound.quantity, "least": bound.upper, "leading": bound.leading}
    rows = []
    for T, places in norms.items():
        nu = np.asarray(places, dtype=np.float64)
        table = {"T": np.full(nu.shape, float(T)), "nu": nu}
        row: dict[str, Any] = {"T": T, "nu": nu.tolist()}
        row |= {name: _floats(formula, table).tolist() for name, formula in formulas.items()}
        shown = np.flatnonzero(np.array(row["least"]) > bottom)
        some = nu[shown[np.linspace(0, len(shown) - 1, found + 1).astype(int)[1:]]].tolist()
        with one_torch_thread():
            row["found"] = {"nu": some, "value": profile(T, some, seed=seed + T)}
        rows.append(row)
    return {name: str(formula) for name, formula in formulas.items()}, rows
