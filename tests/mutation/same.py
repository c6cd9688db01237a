"""Whether a changed empirical check still says what the original says: both are run on the same further inputs.

What is compared are the numbers themselves, not a verdict: numbers of sampled walks, truth values, evaluated numbers
with their bounds against the exact value, the points of a search against the derivation's functionals.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from montecarlo.directly import draw_growth, evaluate, run_search
from montecarlo.empirical_checks import Evaluation, Growth, Observation, Points, Search, Simulation
from montecarlo.engine import draw
from proofs_check.cases import drawn as drawing
from proofs_check.checks.evaluating import LOOSE
from proofs_check.checks.evidence import Planned
from proofs_check.checks.matrices import handed
from proofs_check.checks.points import exact_quantity, misread
from proofs_check.claims.pairing import Pair
from tests.mutation.probes import claims, derivations
from theorems.algebra.expressions import floats
from theorems.kernel.derivation import Equivalence
from theorems.kernel.eventually import Eventually
from theorems.kernel.matrix_claims import matrix_of

#: Seed of the further inputs, cases of an evaluation or observation, points of a search, and how many are recomputed.
SEED, FURTHER, POINTS, RECOMPUTED = 1, 60, 450, 40
#: Numbers of a simulation that is no polynomial: where none differs, fewer than one in 2000 do (but for 1e-6).
DRAWS = 1 << 15
#: Numbers of the same walks are the same up to the rounding of float32 sums.
ROUNDED = 1e-6
#: Lengths and walks of a growth; exponents are multiples of 1/2, and a quotient of so small a one has none.
LENGTHS, WALKS, FLAT = (128, 1024), 16_000, 1 / 8
#: How near a search for a least value must come to it.
NEAR = 0.999

Numbers = dict[str, tuple[float, float]]


def spoken(pair: Pair, entry: Any, planned: Sequence[Planned]) -> Any:
    """What an empirical check says on the further inputs; of a simulation, its numbers at the planned cases."""
    claim = pair.statement.id
    if isinstance(entry, Simulation):
        return [_sampled(pair, entry, case) for case in planned]
    if isinstance(entry, Evaluation):
        return [(raw, evaluate(entry, given)) for raw, given in _given(pair)]
    if isinstance(entry, Search):
        return run_search(entry, POINTS, SEED, "cpu", claim, pair.handed({}))
    if isinstance(entry, Observation):
        return [entry.function(**{name: raw[name] for name in entry.parameters}) for raw in further(pair)]
    assert isinstance(entry, Growth)
    return {T: draw_growth(entry, T, WALKS, SEED, "cpu", claim, 1) for T in LENGTHS}


def further(pair: Pair) -> list[Mapping[str, Any]]:
    """Distinct cases of their own seed, from all slots in turn, and the points at which derivations have properties.

    A claim's own points are looked at, and those of claims with the same parameters that it is about.
    """
    slots = drawing.slots(pair.statement, "standard")
    each = -(-FURTHER // len(slots))
    found = [
        raw
        for place, slot in enumerate(slots)
        for raw in drawing.drawn(pair.statement, slot, SEED * 64 + place, each)[:each]
    ]
    own = pair.statement
    for claim in claims() if own.relation == "when" else ():
        derived = derivations(claim.id) if (claim.model, claim.parameters) == (own.model, own.parameters) else None
        for quantity in derived.quantities.values() if derived is not None else ():
            points = quantity.points if isinstance(quantity, Equivalence) else ()
            found += points if claim.id == own.id else [raw for raw in points if drawing.meets(own, raw)]
    return list({drawing.key(raw): raw for raw in found}.values())


def _given(pair: Pair) -> list[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    fact = matrix_of(pair.derived())
    if fact is None:
        return [(raw, pair.handed(raw)) for raw in further(pair)]
    return [(raw, {**raw, "matrices": handed(fact.instance(raw), fact)}) for raw in further(pair)]


def _sampled(pair: Pair, simulation: Simulation, planned: Planned) -> Mapping[str, Any]:
    """Means over blocks and halves of squared differences, by quantity.

    Polynomials that agree at a random point of a continuous law are equal; of other numbers DRAWS are looked at.
    """
    sample = draw(
        simulation,
        pair.handed(planned.raw) if simulation.model == "free" else planned.raw,
        walks=1 if simulation.degree is not None else min(DRAWS, planned.walks),
        seed=SEED,
        claim_id=pair.statement.id,
        key=drawing.key(planned.raw),
    )
    return {name: np.array([*e.block_means, e.pair_mean]) for name, e in sample.estimates.items()}


def alike(pair: Pair, entry: Any, one: Any, two: Any) -> str:
    """Why a changed check, which said ``two``, says the same as the original, which said ``one``; "" if not."""
    if isinstance(entry, Simulation):
        equal = all(map(_close, one, two))
        return f"the same numbers from the same draws in {len(one)} cases" if one and equal else ""
    if isinstance(entry, Evaluation):
        return _evaluated(pair, one, two)
    if isinstance(entry, Search):
        return _searched(pair, entry, one, two)
    if isinstance(entry, Observation):
        # truth values are too coarse to show it
        return ""
    return _grown(one, two)


def otherwise(one: Sequence[Mapping[str, Any]], two: Sequence[Mapping[str, Any]]) -> str:
    """How a changed observation, which said ``two``, is told from the original by its answers alone; "" if it is not.

    An answer is another one, too, where the original decides and the changed one does not.
    """
    pairs = list(zip(one, two, strict=True))
    off = sum(any(value is not None and other.get(name) != value for name, value in a.items()) for a, other in pairs)
    return f"another answer at {off} of {len(pairs)} further cases" if off else ""


def unsound(pair: Pair, entry: Any, said: Any) -> str:
    """At how many further cases an evaluation is off by more than the bound it states; "" if at none."""
    if not isinstance(entry, Evaluation):
        return ""
    off = 0
    for raw, found in said:
        exact = _exact(pair, raw, found)
        # the exact value itself is rounded here
        off += any(abs(value - exact[name]) > error + math.ulp(exact[name]) for name, (value, error) in found.items())
    return f"its bound of the error does not hold at {off} of {len(said)} further cases" if off else ""


def coarse(entry: Any, said: Any) -> bool:
    """Whether a check gives truth values, or whole numbers without an error: then its calls must be compared."""
    if isinstance(entry, Observation):
        return True
    if not isinstance(entry, Evaluation):
        return False
    names = {name for _, found in said for name in found}
    return any(
        all(error == 0 and value == round(value) for value, error in (f[name] for _, f in said if name in f))
        for name in names
    )


def _close(one: Mapping[str, Any], two: Mapping[str, Any]) -> bool:
    return one.keys() == two.keys() and all(
        one[name].shape == two[name].shape
        and bool((abs(one[name] - two[name]) <= ROUNDED * abs(one[name]).max()).all())
        for name in one
    )


def _evaluated(
    pair: Pair, one: Sequence[tuple[Mapping[str, Any], Numbers]], two: Sequence[tuple[Mapping[str, Any], Numbers]]
) -> str:
    """Numbers within the original's bounds of the original's, and bounds that exact errors keep twice over."""
    moved = False
    for (raw, first), (_, second) in zip(one, two, strict=True):
        if first.keys() != second.keys():
            return ""
        exact = _exact(pair, raw, first)
        for name, (value, error) in first.items():
            other, bound = second[name]
            if other == value or (math.isnan(other) and math.isnan(value)):
                wider = bound >= error
            else:
                moved, wider = True, False
            if not abs(other - value) <= error and other != value:
                return ""
            size = max(1.0, abs(exact[name]))
            # the exact value itself is rounded here
            off = max(0.0, abs(other - exact[name]) - math.ulp(exact[name])) if other != exact[name] else 0.0
            if not (wider or 2 * off <= bound) or 2 * bound > LOOSE * size:
                return ""
    what = "numbers within the stated error" if moved else "the same numbers"
    return f"{what}, bounds that exact errors keep at {len(one)} further cases"


def _exact(pair: Pair, raw: Mapping[str, Any], found: Numbers) -> dict[str, float]:
    fact = matrix_of(pair.derived())
    if fact is None:
        return {name: float(pair.target(name, raw).derived) for name in found}
    entries = fact.instance(raw).evaluate(fact.value)
    return {f"[{r + 1},{c + 1}]": float(entry) for (r, c), entry in np.ndenumerate(entries)}


def _searched(pair: Pair, entry: Search, one: Points, two: Points) -> str:
    """The same numbers at the same points, or at all points recomputed the derivation's own.

    Of a least value that is derived for every point the numbers of others show nothing as long as they are not below
    it, and some of each group come as near to it as they must.
    """
    same = one.columns.keys() == two.columns.keys() and all(
        np.array_equal(one.columns[name], two.columns[name], equal_nan=True) for name in one.columns
    )
    if same and all((two.errors[name] >= one.errors[name]).all() for name in one.errors):
        return f"the same numbers at {len(one)} further points"
    bound = next(iter(pair.derived().quantities.values()))
    if isinstance(bound, Eventually) and one.columns.keys() == two.columns.keys() and len(two):
        return "other points, none below the least value, which is reached" if _reaches(bound, two) else ""
    if exact_quantity(pair) is None or one.columns.keys() != two.columns.keys() or not len(two):
        return ""
    # the bounds of the errors are halved, so that they are kept twice over
    tight = replace(two, errors={name: error / 2 for name, error in two.errors.items()})
    rows = range(0, len(two), max(1, len(two) // RECOMPUTED))
    if not misread(pair, tight, rows):
        return f"{'the same' if same else 'other'} points, and every number is right at them"
    # half the width of a bracket may be needed whole
    if not misread(pair, two, rows) and all(_as_before(entry, two, row) for row in rows):
        return "other points, and the original says the same of each"
    return ""


def _as_before(entry: Search, found: Points, row: int) -> bool:
    """Whether the original has the same numbers and errors at a point, where it can be asked of one."""
    if entry.at is None:
        return False
    own = inspect.signature(entry.at).parameters
    if not {*own} <= {*found.columns}:
        return False
    again = entry.at(**{name: found.columns[name][row] for name in own})
    pairs = ((again.columns, found.columns), (again.errors, found.errors))
    return all(one.keys() == two.keys() and all(one[k][0] == two[k][row] for k in one) for one, two in pairs)


def _reaches(bound: Eventually, found: Points) -> bool:
    """Whether no number is below the least value, and for every T one comes near it at each value of the other names.

    The numbers' own bounds of their errors must be small beside the least value.
    """
    table = {name: found.columns[name] for name in bound.names}
    value, error = found.columns["value"], found.errors["value"]
    least, leading = (np.broadcast_to(floats(part, table), value.shape) for part in (bound.upper, bound.leading))
    if not ((value >= least - error - np.spacing(abs(least))).all() and (error <= LOOSE).all()):
        return False
    part = (leading - value) / np.maximum(leading - least, LOOSE)
    places = list(zip(*(column.tolist() for column in table.values()), strict=True))
    reached: dict[tuple[float, ...], float] = {}
    for place, share in zip(places, part.tolist(), strict=True):
        reached[place] = max(reached.get(place, 0.0), share)
    return min(reached.values()) > NEAR


def _grown(one: Mapping[int, Mapping[str, Any]], two: Mapping[int, Mapping[str, Any]]) -> str:
    """A multiple, or numbers whose mean over the original's does not grow."""
    first, last = LENGTHS
    whole = True
    for name in one[first]:
        quotients = {}
        for T in LENGTHS:
            a, b = (np.asarray(side[T][name], dtype=np.float64) for side in (one, two))
            if not (np.isfinite(b).all() and a.mean() and b.mean()):
                return ""
            factor = float((b @ a) / (a @ a))
            whole = whole and bool((abs(b - factor * a) <= ROUNDED * abs(b).max()).all())
            quotients[T] = (float(b.mean() / a.mean()), _spread(a, b))
        (q, s), (r, t) = (quotients[T] for T in LENGTHS)
        if q * r <= 0:
            return ""
        slope = abs(math.log(r / q)) + 5 * math.hypot(s / abs(q), t / abs(r))
        if not slope / math.log(last / first) < FLAT:
            return ""
    return "a multiple of the original's numbers" if whole else "its mean over the original's has the exponent 0"


def _spread(a: Any, b: Any) -> float:
    """The standard error of mean(b)/mean(a) from pairs of numbers."""
    quotient = b.mean() / a.mean()
    return float((b - quotient * a).std() / (abs(a.mean()) * math.sqrt(len(a))))
