"""Expectations without a Gaussian process: finite distributions and densities, exact, with steps the kernel checks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import sympy as sp

from theorems.algebra.expressions import symbol
from theorems.gaussian.process import Step
from theorems.kernel.derivation import Expected

Statistic = Callable[[sp.Symbol], sp.Expr]


@dataclass(frozen=True)
class Finite:
    """A random variable that takes ``values`` with ``probabilities``, both expressions in the claim's symbols."""

    values: tuple[sp.Expr, ...]
    probabilities: tuple[sp.Expr, ...]

    def expect(self, statistic: Statistic) -> Expected:
        """E[f(X)] = sum_k p_k f(x_k), for f given as a function of a symbol; the second moment comes along."""
        x = symbol("x")
        f = sp.sympify(statistic(x))
        steps = []
        moments = []
        for power in (1, 2):
            parts = [p * (f**power).subs(x, v) for v, p in zip(self.values, self.probabilities, strict=True)]
            value = sp.expand(sp.Add(*parts))
            data = (self.values, self.probabilities, f, power, value)
            steps.append(Step("finite-expectation", "E[({2})^{3}] = {4}", data))
            moments.append(value)
        return Expected(moments[0], moments[1], tuple(steps), "sum over a finite distribution")


def finite(table: Sequence[tuple[Any, Any]]) -> Finite:
    """A finite distribution from (value, probability) pairs; ValueError unless the probabilities add up to 1."""
    values = tuple(sp.sympify(v) for v, _ in table if not isinstance(v, str))
    probabilities = tuple(sp.sympify(p) for _, p in table if not isinstance(p, str))
    if len(values) != len(table) or len(probabilities) != len(table):
        raise ValueError("a finite distribution takes numbers and symbols, not text; write coefficient('p').expr for p")
    if sp.expand(sp.Add(*probabilities) - 1) != 0:
        raise ValueError(f"the probabilities add up to {sp.Add(*probabilities)}; expected 1")
    return Finite(values, probabilities)


@dataclass(frozen=True)
class Density:
    """A random variable on [low, high] with a density in the symbol ``variable``."""

    density: sp.Expr
    variable: sp.Symbol
    low: sp.Expr
    high: sp.Expr

    def expect(self, statistic: Statistic) -> Expected:
        """E[f(X)] by an antiderivative, which the kernel differentiates again.

        Raises ValueError where sympy finds none, where the density does not integrate to 1, and where it is not seen to
        be >= 0: a weight that is negative somewhere has means that no random variable has.
        """
        if not _never_negative(self.density, self.variable, self.low, self.high):
            raise ValueError(
                f"{self.density} is not seen to be >= 0 for {self.variable} in [{self.low}, {self.high}]; "
                "a density is, and has no other names"
            )
        f = sp.sympify(statistic(self.variable))
        steps, moments = [], []
        for power in (0, 1, 2):
            integrand = f**power * self.density
            primitive = sp.integrate(integrand, self.variable)
            if primitive.has(sp.Integral):
                raise ValueError(f"sympy finds no antiderivative of {integrand}; use a finite distribution")
            value = sp.simplify(primitive.subs(self.variable, self.high) - primitive.subs(self.variable, self.low))
            data = (integrand, self.variable, self.low, self.high, primitive, value)
            steps.append(Step("antiderivative", "integral of {0} over [{2}, {3}] = {5}", data))
            moments.append(value)
        if sp.simplify(moments[0] - 1) != 0:
            raise ValueError(f"the density {self.density} integrates to {moments[0]}, not 1; divide by that")
        return Expected(moments[1], moments[2], tuple(steps), "integration of a density")


def _never_negative(f: sp.Expr, x: sp.Symbol, low: sp.Expr, high: sp.Expr) -> bool:
    """Whether f >= 0 on [low, high]: by the signs of its parts, or by the roots of a rational function."""
    if not f.free_symbols <= {x} or not (high - low).is_extended_positive:
        return False
    q = sp.Dummy(nonnegative=True)
    if any(
        end.is_finite and sp.factor(f.subs(x, put)).is_nonnegative for end, put in ((low, low + q), (high, high - q))
    ):
        return True
    top, below = sp.fraction(sp.together(f))
    if not (
        top.is_polynomial(x) and below.is_polynomial(x) and all(c.is_rational for c in sp.Poly(top * below, x).coeffs())
    ):
        return False
    roots = sp.Poly(top * below, x).real_roots(multiple=False)
    inside = [root for root, times in roots if times % 2 and (root - low).is_positive and (high - root).is_positive]
    return not inside and bool(f.subs(x, _within(low, high, {root for root, _ in roots})).is_positive)


def _within(low: sp.Expr, high: sp.Expr, roots: set[sp.Expr]) -> sp.Expr:
    """A point between two ends, one of which may be infinite, that is no root."""
    finite_ends = [end for end in (low, high) if end.is_finite]
    way = high - low if len(finite_ends) == 2 else sp.Integer(1) if low.is_finite else sp.Integer(-1)
    start = finite_ends[0] if finite_ends else sp.Integer(0)
    return next(point for k in range(2, len(roots) + 3) if (point := start + way / k) not in roots)


def density(expression: sp.Expr, variable: sp.Symbol, low: Any, high: Any) -> Density:
    """A random variable on [low, high] with that density."""
    return Density(sp.sympify(expression), variable, sp.sympify(low), sp.sympify(high))
