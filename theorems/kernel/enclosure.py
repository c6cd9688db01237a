"""Ball arithmetic far along the sequences of a limit with case distinctions: whether it confirms the table of cells."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product

import flint
import sympy as sp

from theorems.algebra.balls import ball, between, precision, rational
from theorems.algebra.closed import names
from theorems.algebra.expressions import parse, value_at
from theorems.gaussian.cells import Cell, Law, Limit, described

#: Where the balls look: so many pieces of theta in [0, 1], and how far along the sequences.
PIECES = 256
FAR = 40
#: The same for a law without closed form, each ball of which is an integral; and the points of a cell that are taken.
LAW_PIECES, LAW_FAR, OWN = 16, 12, 2
#: How near the limit the value must be at an exact point, as 2^-FAR or less is expected there.
NEAR = Fraction(1, 2**20)
#: Over a piece of theta the enclosure of a difference is as wide as the piece. It has to tell the values of a table of
#: limits 0, 1/2 and 1 apart: a quarter of the distance between them.
APART = Fraction(1, 8)


def enclosed(limit: Limit, regime: Mapping[str, str], ranges: Mapping[str, tuple[str, ...]]) -> str:
    """Why ball arithmetic does not confirm the table far along the sequences; "" where it does.

    theta runs over small intervals that cover [0, 1] (those where a sign changes are left out), over their midpoints,
    over the exact points of the ranges and over points of the cells; the other names take the values of the ranges and
    of these points, the sequences' index is FAR. Every cell with a limit must be met. Of a Law exact points alone are
    looked at; what is only a function of a case is not confirmed.
    """
    if not isinstance(limit.finite, sp.Expr | Law):
        return "the law is a function of a case alone: no ball confirms its limit far along the sequences; give a Law"
    table = tuple((str(cell.pattern), cell.value) for cell in limit.cells)
    key = (
        limit.finite,
        limit.polynomials,
        table,
        str(limit.empty),
        str(limit.domain),
        str(sorted(regime.items())),
        str(sorted(ranges.items())),
    )
    if key not in _ENCLOSED:
        _ENCLOSED[key] = _enclosed(limit, regime, ranges)
    return _ENCLOSED[key]


#: What was found of a table before: a claim, its wrong versions and its correction ask for the same one.
_ENCLOSED: dict[tuple[object, ...], str] = {}

#: Exact values of all names but theta; theta, exact or an interval; how near the limit the probability must be.
Place = tuple[dict[str, Fraction], Fraction | flint.arb, Fraction]


def _enclosed(limit: Limit, regime: Mapping[str, str], ranges: Mapping[str, tuple[str, ...]]) -> str:
    sequence = {name: parse(form) for name, form in regime.items()}
    own = set(limit.finite.names) if isinstance(limit.finite, Law) else names(_expression(limit))
    parts = (*sequence.values(), *limit.polynomials, *(cell.value for cell in limit.cells if cell.value is not None))
    inner = (own | {n for part in parts for n in names(part)}) - set(sequence)
    met: list[Cell] = []
    with precision(1024):
        for fixed, theta, near in _places(limit, sorted(inner - {"theta", "k"}), ranges):
            point = {name: rational(value) for name, value in fixed.items()}
            point["theta"] = theta if isinstance(theta, flint.arb) else rational(theta)
            signs = _signs(limit, point)
            cell = limit.cell_of(signs) if signs is not None else None
            if signs is None or cell is None or cell.value is None:
                continue
            point |= {name: ball(form, point) for name, form in sequence.items()}
            if not all(point[name].is_finite() for name in sequence) or _stands_still(point, sequence):
                continue
            met.append(cell)
            value = _law(limit.finite, sequence, fixed, theta) if isinstance(limit.finite, Law) else None
            found = value if value is not None else ball(_expression(limit), point)
            if not abs(found - ball(cell.value, point)) < rational(near):
                return f"ball arithmetic does not confirm the limit {cell.value} at {described(signs)}"
    missed = [cell for cell in limit.cells if cell.value is not None and cell not in met]
    if met and missed:
        return f"no point of the cell with the limit {missed[0].value} was enclosed along the sequences"
    return "" if met else "no admissible interval was enclosed"


def _expression(limit: Limit) -> sp.Expr:
    assert isinstance(limit.finite, sp.Expr)
    return limit.finite


def _signs(limit: Limit, point: Mapping[str, flint.arb]) -> dict[sp.Expr, int] | None:
    """The signs of the polynomials at a point; None where a ball does not settle one."""
    found: dict[sp.Expr, int] = {}
    for polynomial in limit.polynomials:
        value = ball(polynomial, point)
        sign = 1 if value > 0 else -1 if value < 0 else 0
        if sign == 0 and not value.is_zero():
            return None
        found[polynomial] = sign
    return found


def _law(
    law: Law, sequence: Mapping[str, sp.Expr], fixed: Mapping[str, Fraction], theta: Fraction | flint.arb
) -> flint.arb:
    """A ball around the law's probability at an exact point of the sequences."""
    assert isinstance(theta, Fraction)
    exact = {**fixed, "theta": theta}
    for name, form in sequence.items():
        found = value_at(form, exact)
        exact[name] = Fraction(int(found.p), int(found.q))
    return law.far({name: exact[name] for name in law.names})


def _places(limit: Limit, others: Sequence[str], ranges: Mapping[str, tuple[str, ...]]) -> Iterator[Place]:
    """Where the balls look, at the present precision."""
    law = isinstance(limit.finite, Law)
    pieces, index = (LAW_PIECES, LAW_FAR) if law else (PIECES, FAR)
    width = Fraction(1, pieces)
    exact = [(part + Fraction(1, 2)) * width for part in range(pieces)] + [Fraction(t) for t in ranges.get("theta", ())]
    thetas: list[tuple[Fraction | flint.arb, Fraction]] = [(theta, NEAR) for theta in exact]
    if not law:
        thetas += [(between(part * width, (part + 1) * width), APART) for part in range(pieces)]
    for fixed in _fixed(others, {}, ranges):
        yield from (({**fixed, "k": Fraction(index)}, theta, near) for theta, near in thetas)
    for point in (point for _, _, own in limit.places for point in own[:OWN] if point):
        for fixed in _fixed(others, point, ranges):
            at = [point["theta"]] if "theta" in point else exact
            yield from (({**fixed, "k": Fraction(index)}, theta, NEAR) for theta in at)


def _fixed(
    others: Sequence[str], point: Mapping[str, Fraction], ranges: Mapping[str, tuple[str, ...]]
) -> Iterator[dict[str, Fraction]]:
    """The other names as a point has them, or with every value of the ranges."""
    choices = [[point[name]] if name in point else [Fraction(v) for v in ranges.get(name, ("1",))] for name in others]
    return (dict(zip(others, values, strict=True)) for values in product(*choices))


def _stands_still(point: Mapping[str, flint.arb], sequence: Mapping[str, sp.Expr]) -> bool:
    """Whether xi does not move along the sequence (r = 0 without a term of lower order)."""
    return "xi" in sequence and bool(point["xi"].is_zero())
