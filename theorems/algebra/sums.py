"""Exact sums of polynomials over tokens: closed by Faulhaber's formula, provable by telescoping."""

from __future__ import annotations

from functools import cache

import sympy as sp
from sympy.polys.domains import QQ
from sympy.polys.rings import PolyElement, ring


@cache
def power_sum(exponent: int) -> tuple[tuple[int, sp.Rational], ...]:
    """Coefficients (power of n, rational) of sum_{k=1}^n k**exponent, a polynomial of degree exponent + 1 in n.

    From the telescoping recursion (n+1)^(p+1) - 1 = sum_{q<=p} C(p+1, q) S_q(n), which defines the sums without
    quoting Bernoulli numbers.
    """
    _, n = ring("n", QQ)
    total = (n + 1) ** (exponent + 1) - 1
    for lower in range(exponent):
        closed = sum((n**power * coefficient for power, coefficient in power_sum(lower)), n * 0)
        total -= closed * int(sp.binomial(exponent + 1, lower))
    total = total * QQ(1, exponent + 1)
    return tuple((power, coefficient) for (power,), coefficient in total.terms())


def antidifference(summand: PolyElement, index: int) -> PolyElement:
    """P with P(n) - P(n - 1) = summand(n) and P(0) = 0, in the generator numbered ``index`` of the summand's ring."""
    target = summand.ring
    result: dict[tuple[int, ...], object] = {}
    for monomial, coefficient in summand.terms():
        for power, weight in power_sum(monomial[index]):
            key = (*monomial[:index], power, *monomial[index + 1 :])
            result[key] = result.get(key, QQ(0)) + coefficient * weight
    return target.from_dict(result)


def close_sum(body: sp.Expr, index: sp.Symbol, low: sp.Expr, high: sp.Expr) -> sp.Expr:
    """sum_{index=low}^{high} body for a body that is a polynomial in the index; raises ValueError otherwise.

    Closed form by Faulhaber; for high = low - 1 it is 0, as an empty sum should be.
    """
    if not sp.sympify(body).is_polynomial(index):
        raise ValueError(f"sum over {index}: {body} is not a polynomial in {index}")
    total = sp.Integer(0)
    for (power,), coefficient in sp.Poly(body, index).terms():
        for exponent, weight in power_sum(power):
            rational = sp.Rational(weight.numerator, weight.denominator)
            total += coefficient * rational * (high**exponent - (low - 1) ** exponent)
    return sp.expand(total)
