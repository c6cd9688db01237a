"""How far the simulation's floats may lie from a value for rounding alone, entry by entry, at one case.

Where its interval arithmetic encloses the expression, the radius is the width of that, which grows with the condition
numbers of the matrices that are inverted. Elsewhere (gradients, eigenvalues) the matrices, vectors and sequences are
moved by a part of their size that is far above a roundoff, as the errors of backward stable algorithms are.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

from theorems.statement.expression import Expr
from theorems.statement.proposition import Proposition
from theorems.statement.values.cases import Case

#: The part of their size by which entries are moved, about 4000 roundoffs, and how often they are.
MOVED, TIMES = Fraction(1, 2**40), 3
Rows = tuple[tuple[Fraction, ...], ...]


def plain_case(prop: Proposition, case: Case) -> tuple[dict[str, Any], dict[str, tuple[str, str]]]:
    """A case as the simulation's interpreter reads it, and the sizes of its matrices."""
    plain = case.plain()
    sizes = {name: size for name, size in prop.known.sizes.items() if name in case.matrices}
    numbers = {name: int(v) if v.denominator == 1 else str(v) for name, v in case.numbers.items()}
    return {**numbers, **plain["matrices"], **plain["vectors"], **plain["sequences"]}, sizes


def radii(prop: Proposition, node: Expr, case: Case, floats: Callable[[Case], list[float]], count: int) -> list[float]:
    """A bound, or an estimate where there is none, of the rounding error of each of ``count`` entries."""
    return radii_of(widths(prop, node, case), case, floats, count)


def radii_of(bounds: list[float] | None, case: Case, floats: Callable[[Case], list[float]], count: int) -> list[float]:
    """The same by the ``widths``; infinity where these are no bound and there are no data that could be moved."""
    found = _movements(case, floats) if bounds is None else bounds
    return found if len(found) == count else [math.inf] * count


def data(case: Case) -> bool:
    """Whether a case has more than numbers."""
    return bool(case.matrices or case.vectors or case.sequences)


def widths(prop: Proposition, node: Expr, case: Case) -> list[float] | None:
    """The widths of the enclosure; None where the interval arithmetic does not have an operation."""
    from montecarlo.statements.encloser import Encloser, UnboundedError
    from montecarlo.statements.environment import environment_of
    from montecarlo.statements.nodes import StatementSimulationError, frozen

    table, sizes = plain_case(prop, case)

    def none(_: Any) -> tuple[float, float]:
        raise UnboundedError

    try:
        found = Encloser(environment_of(table, sizes=sizes), none).of(frozen(node.plain()))
    except (StatementSimulationError, UnboundedError, ArithmeticError):
        return None
    low, high = found.low.ravel().tolist(), found.high.ravel().tolist()
    return [two - one if math.isfinite(two - one) else math.inf for one, two in zip(low, high, strict=True)]


def _movements(case: Case, floats: Callable[[Case], list[float]]) -> list[float]:
    """How far each entry goes where the data are moved a little; infinity where a value is lost, [] without such."""
    if not data(case):
        return []
    here, far = floats(case), list[float]()
    for near in _near(case):
        there = floats(near)
        if len(there) != len(here):
            return []
        gaps = [abs(one - two) for one, two in zip(here, there, strict=True)]
        far = [max(one, two) for one, two in zip(far or gaps, gaps, strict=True)]
    return [gap if math.isfinite(gap) else math.inf for gap in far]


def _near(case: Case) -> Iterator[Case]:
    generator = random.Random(0)

    def part() -> Fraction:
        return 1 + MOVED * Fraction(generator.randint(-64, 64), 64)

    def matrix(rows: Rows) -> Rows:
        """Moved, and symmetric where it was."""
        square = len(rows) == len(rows[0])
        parts = [[part() for _ in row] for row in rows]
        return tuple(
            tuple(entry * parts[min(r, c) if square else r][max(r, c) if square else c] for c, entry in enumerate(row))
            for r, row in enumerate(rows)
        )

    for _ in range(TIMES):
        vectors, sequences = (
            {name: tuple(entry * part() for entry in entries) for name, entries in table.items()}
            for table in (case.vectors, case.sequences)
        )
        matrices = {name: matrix(rows) for name, rows in case.matrices.items()}
        yield replace(case, matrices=matrices, vectors=vectors, sequences=sequences)
