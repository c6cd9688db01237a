"""The costs of the sink and the diagonal pattern for figures: printed bounds, constructions, least costs, a search.

An instance has C groups of n dormant tokens at lam, whose nuisances have the inner product ``overlap`` across groups
(``theorems.lampert2026.patterns.instances.overlapping``). Costs are 2 ||W_QK||_* in units of kappa/sqrt(d), so that
kappa = d = 1 in every formula. Printed formulas are read from their claims, derived ones from their derivations. All
results are of JSON's own types.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cache, partial
from itertools import pairwise
from typing import Any, TypeVar

import sympy as sp

from montecarlo.lampert2026 import comparison
from proofs_check.inputs.lookup import by_id
from proofs_check.report.curves.points import derived
from theorems.algebra.closed import names
from theorems.algebra.expressions import parse, symbol
from theorems.claims.conditions import clause, conjunction, read
from theorems.gaussian.numeric import Case
from theorems.kernel.derivation import Equivalence, Inequality
from theorems.kernel.equivalence import holds
from theorems.lampert2026.patterns.curves import over_groups, region
from theorems.lampert2026.patterns.instances import overlapping

PAPER = "lampert2026.sec7."
UPPER = {"sink": PAPER + "sink-upper", "diag": PAPER + "diag-upper"}
SINK_LOWER, DIAG_LOWER = PAPER + "sink-lower", PAPER + "diag-lower"
CHEAPER = PAPER + "sinks-cheaper-when"
PATTERNS = tuple(UPPER)

Label = TypeVar("Label")


# -- bounds and constructions


@cache
def printed_bounds() -> dict[str, sp.Expr]:
    """The printed bounds by "sink_low", "sink_high", "diag_low" and "diag_high", in the names of their claims.

    A lower bound x is printed as -cost <= -x, or as "no solution within the budget if budget < x".
    """
    found = {f"{pattern}_high": parse(by_id(claim).printed["upper"]) for pattern, claim in UPPER.items()}
    found["sink_low"] = -parse(by_id(SINK_LOWER).printed["upper"])
    (printed,) = by_id(DIAG_LOWER).printed.values()
    (condition,) = clause(printed)[1]
    gap, allowed = read(condition)
    bound = symbol("budget") - gap
    if allowed != (-1,) or bound.has(symbol("budget")):
        raise ValueError(f"{DIAG_LOWER} prints {condition}; expected budget < a bound")
    found["diag_low"] = bound
    return found


@cache
def _derived_cost(claim: str) -> sp.Expr:
    """The quantity that a derivation bounds from above."""
    (found,) = derived(claim).quantities.values()
    if not isinstance(found, Inequality):
        raise TypeError(f"{claim} is derived as {type(found).__name__}; expected an inequality")
    return found.quantity


def formulas() -> dict[str, sp.Expr]:
    """What is drawn beside the least costs, by name: printed bounds, constructions, the copy queries' own cost."""
    printed = {f"printed_{name}": formula for name, formula in printed_bounds().items()}
    built = {f"{pattern}_construction": _derived_cost(claim) for pattern, claim in UPPER.items()}
    return {**printed, **built, "copies": -_derived_cost(SINK_LOWER)}


def limits_of(claim: str) -> list[str]:
    """The conditions on lam under which a claim is printed."""
    return [text for text in by_id(claim).conditions if names(read(text)[0]) == {"lam"}]


def _places(C: int, n: int, lam: Fraction, overlap: Fraction) -> dict[sp.Symbol, sp.Expr]:
    """Every name of the formulas at an instance."""
    instance = overlapping(C, n, lam, overlap)
    table: dict[str, Any] = {
        "kappa": 1,
        "d": 1,
        "C": C,
        "lam": lam,
        "delta2": instance.delta2,
        "Delta_diag": instance.Delta_diag,
        "r_eta": instance.r_eta,
        "r_eff": instance.r_eff,
    }
    return {symbol(name): sp.Rational(str(value)) for name, value in table.items()}


def costs(
    lam: Fraction, overlap: Fraction, groups: Sequence[int], *, searched: Sequence[int], gap: float, n: int = 2
) -> dict[str, Any]:
    """Both patterns over C at one lam and overlap, everything divided by C.

    For each pattern: ``printed_low`` and ``printed_high``, the claims' bounds; ``construction``, the cost of the
    source's one; ``low`` and ``high``, certified bounds of the least cost; ``bound_low`` and, for the sink,
    ``bound_high``, closed forms derived for every instance; ``searched``, the bounds that a first-order search finds
    for the counts of groups there, to a relative gap.
    """
    rows = over_groups(lam, groups, overlap, n)
    table = formulas()
    held: dict[str, list[float]] = {name: [] for name in table}
    for C in groups:
        places = _places(C, n, lam, overlap)
        for name, formula in table.items():
            held[name].append(float(formula.xreplace(places)) / C)
    certified = {name: [row[name] / row["C"] for row in rows] for name in rows[0] if name not in ("cheaper", "shown")}
    found: dict[str, Any] = {"lam": float(lam), "overlap": float(overlap), "n": n, "C": list(groups)}
    for pattern in PATTERNS:
        found[pattern] = {
            "printed_low": held[f"printed_{pattern}_low"],
            "printed_high": held[f"printed_{pattern}_high"],
            "construction": held[f"{pattern}_construction"],
            "low": certified[f"{pattern}_low"],
            "high": certified[f"{pattern}_high"],
            "searched": search(pattern, searched, lam, overlap, gap=gap, n=n),
        }
    found["sink"] |= {"bound_low": held["copies"], "bound_high": certified["sink_solution"]}
    found["diag"] |= {"bound_low": certified["diag_bound"]}
    return found


def search(
    pattern: str, groups: Sequence[int], lam: Fraction, overlap: Fraction, *, gap: float, n: int = 2
) -> dict[str, list[Any]]:
    """Bounds of the least cost over C by the first-order search on the tokens themselves, divided by C."""
    found: dict[str, list[Any]] = {"C": list(groups), "low": [], "high": []}
    for C in groups:
        low, high = comparison.curves(pattern, C, n, [float(lam)], float(overlap), gap)[0].tolist()
        found["low"].append(low / C)
        found["high"].append(high / C)
    return found


# -- the map


def refined(
    label: Callable[[Fraction], Label], places: Sequence[Fraction], halvings: int
) -> list[tuple[Fraction, Label]]:
    """A label at the places, in order, and at points between two of different labels, by that many bisections."""
    found = [(place, label(place)) for place in sorted(places)]
    for _ in range(halvings):
        between = [(one + two) / 2 for (one, first), (two, second) in pairwise(found) if first != second]
        found = sorted([*found, *((place, label(place)) for place in between)], key=lambda point: point[0])
    return found


def cells(places: Sequence[Fraction], ends: tuple[Fraction, Fraction]) -> list[tuple[float, float]]:
    """Where the cell of each place begins and ends: half way to its neighbours, the outer ones at the ends."""
    middle = [(one + two) / 2 for one, two in pairwise(places)]
    return [(float(low), float(high)) for low, high in pairwise([ends[0], *middle, ends[1]])]


def stretches(points: Sequence[tuple[Fraction, bool]], ends: tuple[Fraction, Fraction]) -> list[list[float]]:
    """The cells of true points, neighbours put together."""
    found: list[list[float]] = []
    for (low, high), (_, true) in zip(cells([place for place, _ in points], ends), points, strict=True):
        if true and found and found[-1][1] == low:
            found[-1][1] = high
        elif true:
            found.append([low, high])
    return found


@cache
def sufficient() -> dict[str, list[str]]:
    """Conditions under which sinks cost less: the stated ones, and the alternatives that are derived."""
    claim = by_id(CHEAPER)
    (name,) = claim.printed
    found = derived(CHEAPER).quantities[name]
    if not isinstance(found, Equivalence):
        raise TypeError(f"{CHEAPER} is derived as {type(found).__name__}; expected an equivalence")
    return {
        "stated": [" & ".join(clause(claim.printed[name])[1])],
        "derived": [" & ".join(some) for some in found.sufficient],
    }


def suffices(C: int, n: int, lam: Fraction, overlap: Fraction) -> bool:
    """Whether the stated condition says at an instance that sinks cost less."""
    # one group has no overlap
    case = Case({"C": str(C), "n": str(n), "lam": str(lam), "overlap": str(overlap if C > 1 else 0)})
    return any(holds(conjunction(joined), case) is True for joined in sufficient()["stated"])


def column(
    C: int,
    overlap: Fraction,
    lams: Sequence[Fraction],
    ends: tuple[Fraction, Fraction],
    *,
    halvings: int,
    finest: int,
    n: int = 2,
) -> dict[str, Any]:
    """Who is cheaper over lam at one C: cells with certified signs, and where the stated condition holds.

    A cell tells of its own ``lam``, and reaches from ``low`` to ``high``; ``shown``: a bound derived for every instance
    tells that the sink is cheaper. Cells that differ are bisected ``halvings`` times, the condition's ends ``finest``
    times.
    """
    rows: dict[Fraction, Mapping[str, Any]] = {}

    def told(lam: Fraction) -> tuple[str, bool]:
        (rows[lam],) = region([lam], [C], overlap, n)
        return rows[lam]["cheaper"], rows[lam]["shown"]

    points = refined(told, lams, halvings)
    reach = cells([lam for lam, _ in points], ends)
    return {
        "C": C,
        "r_eff": rows[lams[0]]["r_eff"],
        "cells": [
            {
                "lam": float(lam),
                "low": low,
                "high": high,
                "cheaper": cheaper,
                "shown": shown,
                "ratio_low": rows[lam]["diag_low"] / rows[lam]["sink_high"],
                "ratio_high": rows[lam]["diag_high"] / rows[lam]["sink_low"],
            }
            for (lam, (cheaper, shown)), (low, high) in zip(points, reach, strict=True)
        ],
        "stated": stretches(refined(partial(suffices, C, n, overlap=overlap), lams, finest), ends),
    }
