"""Limits of exact finite-T forms: T -> infinity with i = theta T, the remainder stated and not dropped."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import flint
import sympy as sp

from theorems.algebra.balls import ball, precision
from theorems.algebra.expressions import parse
from theorems.algebra.ratio import Ratio, total
from theorems.gaussian.display import latex
from theorems.gaussian.repair import presentable


@dataclass(frozen=True)
class Expansion:
    """value / scale = limit + remainder, the remainder in negative powers of T; ``grows`` where no limit exists."""

    limit: Ratio
    remainder: Ratio
    grows: bool

    def _repr_latex_(self) -> str:
        if self.grows:
            return "$\\text{no limit}$"
        rest = latex(sp.factor_terms(self.remainder.expr))
        return f"$\\displaystyle {latex(presentable(self.limit.expr))} + \\left[{rest}\\right]$"


def degree(scale: str) -> int:
    """k for a scale written "1", "T" or "T**k"; raises ValueError for any other."""
    terms = Ratio.from_expr(parse(scale)).terms("T")
    if len(terms) != 1 or next(iter(terms.values())) != 1:
        raise ValueError(f'the remainder o({scale}) is not a power of T; write o(1) as "1", o(T^2) as "T**2"')
    return next(iter(terms))


def in_regime(value: Ratio, regime: Mapping[str, str]) -> Ratio:
    """The value with the positions in their asymptotic form (i = theta T)."""
    for name, form in regime.items():
        value = value.substitute(name, Ratio.from_expr(parse(form)))
    return value


def uniform(regime: Mapping[str, str], positions: Sequence[str]) -> dict[str, str]:
    """The regime, with every position that it does not speak of as a part of T: i = u_i T, 0 < u_i <= 1.

    o(T) "for every i <= T" is uniform in i, so that i counts as T.
    """
    return {**{name: f"u_{name}*T" for name in positions if name != "T"}, **regime}


def regimes(regime: Mapping[str, str], positions: Sequence[str]) -> Iterator[dict[str, str]]:
    """Every way in which positions 1 <= i <= j <= ... <= T may go along with T: each a part of it, or fixed.

    Positions of which the regime speaks are as it says. What follows a position that grows in the stated order grows.
    """
    whole = uniform(regime, positions)
    order = [name for name in positions if name != "T"]
    free = [name for name in order if name not in regime]
    # those after a position of the regime are at least as large
    bound = next((place for place, name in enumerate(order) if name in regime), len(order))
    loose = [name for name in free if order.index(name) < bound]
    for fixed in range(len(loose) + 1):
        yield {name: form for name, form in whole.items() if name not in loose[:fixed]}


def expand(value: Ratio, regime: Mapping[str, str], scale: str = "1") -> Expansion:
    """value / scale as T -> infinity.

    The value is a polynomial in theta = i/T and 1/T, so the limit is the same along every i with i/T -> theta, and
    uniform in theta in [0, 1].
    """
    shift = degree(scale)
    terms = in_regime(value, regime).terms("T")
    limit = terms.get(shift, Ratio.of(0))
    remainder = total(c * Ratio.of("T") ** 0 / (Ratio.of("T") ** (shift - p)) for p, c in terms.items() if p < shift)
    return Expansion(limit.reduced(), remainder.reduced(), any(p > shift and c != 0 for p, c in terms.items()))


def leading(value: Ratio, regime: Mapping[str, str]) -> Ratio:
    """The part of highest order in T, written in the positions themselves (i counts as T)."""
    powers = in_regime(value, regime).terms("T")
    top = max((p for p, c in powers.items() if c != 0), default=0)
    return order_part(value, regime, top)


def order_part(value: Ratio, regime: Mapping[str, str], order: int) -> Ratio:
    """The part of the value of exactly that order in T, written in the positions themselves."""
    back = in_regime(value, regime).terms("T").get(order, Ratio.of(0))
    part = back * Ratio.of("T") ** order if order >= 0 else back / Ratio.of("T") ** -order
    for name, form in regime.items():
        share = form.removesuffix("*T")
        if share != form and share.isidentifier():
            part = part.substitute(share, Ratio.of(name) / Ratio.of("T"))
    return part.reduced()


def ball_check(value: Ratio, regime: Mapping[str, str], scale: str, limit: Ratio, bits: int = 40) -> bool:
    """Whether ball arithmetic puts |value/scale - limit| within M 2^(3 - bits) at T = 2^bits, for all theta in [0, 1].

    M is 1 + the sum of the remainder's absolute coefficients. Evaluates the sympy form of the finite-T value, not the
    polynomial the limit was read from; words are enclosed in balls over [-1, 1], lam in [1, 2], theta in sixteenths.
    """
    names = sorted((in_regime(value, regime).names | limit.names) - {"T", "theta"})
    finite = in_regime(value, regime).expr
    # the difference is formed symbolically: two balls of the same quantity would not cancel
    gap = sp.expand(finite / parse(scale) - limit.expr)
    size = 1 + sum(abs(c) for c in expand(value, regime, scale).remainder.expr.as_coefficients_dict().values())
    with precision(256):
        allowed = flint.arb(flint.fmpq(int(sp.ceiling(size)), 1)) * flint.arb(2) ** (3 - bits)
        for part in range(16):
            point = {name: flint.arb(0, 1) if name != "lam" else flint.arb(1.5, 0.5) for name in names}
            point["theta"] = flint.arb(flint.fmpq(2 * part + 1, 32), flint.arb(flint.fmpq(1, 32)))
            point["T"] = flint.arb(2) ** bits
            if not abs(ball(gap, point)) < allowed:
                return False
    return True
