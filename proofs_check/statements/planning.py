"""What a sample's size is planned from: exact means and variances of the raw numbers, or a pilot sample's.

The raw number of E[f] is f, of variance Var f. That of Var[f] is (f - f')^2/2 of two walks, of mean Var f and variance
(mu_4 + Var(f)^2)/2 = (Kurt f + 4) Var(f)^2/2. That of P[A] is 1 or 0, of variance P[A] (1 - P[A]). They follow from the
moment engine, which does not look at what the statement claims; where f has too high a degree for that to be quick, or
P[A] no closed form, a pilot sample is drawn.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sympy as sp

from proofs_check.statements.exactly import visibly_real
from theorems.statement.expression import Expr, StatementError, number

if TYPE_CHECKING:
    from montecarlo.statements.simulation import StatementSimulation
    from proofs_check.statements.measuring import Measurement
    from theorems.statement.deciding.decide import Derivation
    from theorems.statement.moments.scalars import Exact

#: Highest degree in the tokens of raw numbers whose variance is derived, and of sums over tokens.
DEGREE, DEGREE_OF_SUMS = 4, 2
#: The degree that exponentials, cosines, sines and steps of tokens count for.
OF_FUNCTIONS = 2
#: Most indices of sums in a product of tokens whose variance is derived: it has twice as many, in every order.
INDICES = 2
#: The exact value of an expression without randomness at a case; None where there is none.
Values = Callable[[Expr, Mapping[str, Any]], sp.Expr | None]


@dataclass(frozen=True)
class Spread:
    """A raw number's mean and variance at a case, and whether they are exact.

    ``reach`` is the width that it lies within where it did not vary in a pilot sample, else 0.
    """

    mean: float
    variance: float
    exact: bool
    reach: float = 0.0

    @property
    def scale(self) -> float:
        """max(|mean|, standard deviation), which errors are measured by; of what was not seen to vary, its range."""
        return max(abs(self.mean), math.sqrt(self.variance), self.reach)


def exact_spreads(
    moments: Iterable[Expr], case: Mapping[str, Any], derivation: Derivation, values: Values
) -> dict[str, Spread]:
    """The spreads of the raw numbers of moments, by the simulation's names for them, where they are cheap to derive."""
    from montecarlo.statements.nodes import frozen, text

    exact, found = derivation.exact(derivation.order_at(case)), {}
    for moment in moments:
        if moment.op == "P" and (chance := _number(values(moment, case))) is not None and 0 <= chance <= 1:
            # 1 where the event occurs, and else 0
            found[text(frozen(moment.plain()))] = Spread(chance, chance * (1 - chance), True)
        if moment.op not in ("E", "Var") or not _cheap(moment, exact):
            continue
        f = moment.args[0]
        variance = _of_sum(f, case, derivation) if moment.op == "E" else None
        if variance is None and moment.op == "E":
            # as one formula for every case it would be multiplied out
            mean, square = values(moment, case), values(Expr("E", (Expr("**", (f, number(2))),)), case)
            variance = None if mean is None or square is None else _number(square - mean**2)
        if variance is None:
            variance = _number(values(Expr("Var", (f,)), case))
        if moment.op == "E":
            name, mean = text(frozen(moment.plain())), _number(values(moment, case))
        else:
            name, mean = f"Var[{text(frozen(f.plain()))}]", variance
            beyond = _number(values(Expr("Kurt", (f,)), case)) if variance else 0.0
            variance = None if beyond is None or variance is None else (beyond + 4) * variance**2 / 2
        if mean is not None and variance is not None and variance >= 0:
            found[name] = Spread(mean, variance, True)
    return found


def _of_sum(f: Expr, case: Mapping[str, Any], derivation: Derivation) -> float | None:
    """Var f of a sum that is a quadratic form in Gaussian tokens, written out at the case; None for anything else.

    The closed form has twice as many indices as the sum, in every order.
    """
    terms = derivation.exact(derivation.order_at(case)).terms(f)
    if not any(term.bounds for term in terms) or not derivation.prop.law.gaussian:
        return None
    from theorems.statement.deciding.cumulants import CaseMoments

    try:
        return float(CaseMoments(derivation, case).variance(f))
    except (StatementError, KeyError):
        return None


def pilot_spreads(simulation: StatementSimulation, walks: int, **stream: Any) -> dict[str, Spread]:
    """The spreads of all raw numbers, estimated from a sample with a stream of its own."""
    estimates = simulation.draw(walks, **stream).estimates
    return {
        name: Spread(float(one.block_means.mean()), max(one.pair_mean, 0.0), False) for name, one in estimates.items()
    }


def told(measured: Sequence[Measurement]) -> str:
    """How samples were planned and drawn."""
    exact, moved = sum(m.exactly for m in measured), sum(m.moved for m in measured)
    pilot = "from a pilot sample, as the variance is not derived"
    if not measured:
        return ""
    if exact == len(measured):
        found = "sizes planned from the exact variance"
    elif not exact:
        found = f"sizes planned {pilot}"
    else:
        found = f"{exact} of {len(measured)} sizes planned from the exact variance, the others {pilot}"
    if moved:
        several = "" if moved == len(measured) else f"{moved} of {len(measured)} "
        found += f"; {several}sampled by importance, with exponentials drawn where they are large"
    return found


def _cheap(moment: Expr, exact: Exact) -> bool:
    if moment.has("entire"):
        # a polynomial of a high degree
        return False
    try:
        terms = exact.terms(moment.args[0])
    except StatementError:
        return False
    if any(len(term.bounds) > INDICES for term in terms):
        return False
    # products of functions of tokens, such as cosines, are sums of as many again
    degrees = (term.factors + OF_FUNCTIONS * (not term.wave.plain) for term in terms)
    degree = max(degrees, default=0) * (2 if moment.op == "Var" else 1)
    return degree <= (DEGREE_OF_SUMS if any(term.bounds for term in terms) else DEGREE)


def _number(value: sp.Expr | None) -> float | None:
    return float(value) if value is not None and (visibly_real(value) or (value.is_number and value.is_real)) else None
