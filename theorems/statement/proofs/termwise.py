"""Inequalities between power series with known coefficients, term by term: E exp on the sphere, and of a frame.

With w = q/2, a_n = d^n/(d (d + 2) ... (d + 2n - 2)), tau(t, u) = a_(t+u)/(a_t a_u), by ``theorems.algebra.spherical``

    exp(w)                = sum_t w^t/t!                 SphereExp(d, q)  = sum_t w^t/t! a_t
    FrameExp(d, 2, q)     = sum_(t,u) w^(t+u)/(t! u!) tau(t, u)
    SphereExp(d, 2 q)     = sum_(t,u) w^(t+u)/(t! u!) tau(t, u) a_t a_u,

the last by sum_(t+u=n) 1/(t! u!) = 2^n/n!. Products of two single series are double ones as well. 0 <= a_n <= 1, and
for t, u >= 1

    0 <= tau(t, u) = prod_(k<u) (d + 2k)/(d + 2t + 2k) <= d/(d + 2),

as every factor is at most 1 and the first one at most d/(d + 2); tau(t, 0) = 1. A linear combination times exp(...) is
>= 0 for every w >= 0 where its coefficients are: of t, u >= 1, of one index >= 1, and the constant. Each is linear in
each of a_t, a_u and tau, so that its signs at the ends of their ranges suffice.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import sympy as sp

from theorems.algebra.spherical import FrameExp, SphereExp, Spherical
from theorems.statement.proofs.steps import Step

RULE = "comparison of power series, term by term"
_A, _B, _TAU = sp.symbols("a_t a_u tau")
#: What each series, or product of two, has for coefficients: of t, u >= 1, and of one index n >= 1 with a_n = a_t.
_DOUBLE: dict[tuple[str, ...], tuple[sp.Expr, sp.Expr]] = {
    (): (sp.Integer(0), sp.Integer(0)),
    ("e",): (sp.Integer(0), sp.Integer(1)),
    ("s",): (sp.Integer(0), _A),
    ("e", "e"): (sp.Integer(1), sp.Integer(2)),
    ("e", "s"): ((_A + _B) / 2, 1 + _A),
    ("s", "s"): (_A * _B, 2 * _A),
    ("frame",): (_TAU, sp.Integer(2)),
    ("sphere",): (_TAU * _A * _B, 2 * _A),
}
Weighed = tuple[sp.Expr, sp.Expr, dict[sp.Expr, int]]


def by_terms(gap: sp.Expr, nonnegative: Callable[[sp.Expr], bool]) -> Step | None:
    """The step by which a value is >= 0, ``nonnegative`` deciding of coefficients; None where it is not shown."""
    terms = [_weighed(term) for term in sp.Add.make_args(sp.expand(gap))]
    functions = {one for _, _, counts in terms for one in counts}
    if not functions or any(one.way < 0 for one in functions) or len({one.args[0] for one in functions}) > 1:
        return None
    d, w = next(iter(functions)).args[0], _least(functions) / 2
    shares = [sp.cancel((exponent - terms[0][1]) / w) for _, exponent, _ in terms]
    if not all(share.is_Integer for share in shares):
        return None
    inner, single, constant = sp.Integer(0), sp.Integer(0), sp.Integer(0)
    for (coefficient, _, counts), share in zip(terms, shares, strict=True):
        found = _DOUBLE.get(_kinds(counts, int(share - min(shares)), w))
        if found is None:
            return None
        inner, single, constant = (
            inner + coefficient * found[0],
            single + coefficient * found[1],
            constant + coefficient,
        )
    ends = product((0, 1), (0, 1), (0, d / (d + 2)))
    corners = [inner.subs({_A: a, _B: b, _TAU: tau}) for a, b, tau in ends]
    corners += [single.subs(_A, a) for a in (0, 1)]
    if not all(nonnegative(sp.factor(value)) for value in (*corners, constant)):
        return None
    shown = f"coefficients {sp.factor(inner)} of t, u >= 1, {sp.factor(single)} of one index, and {sp.factor(constant)}"
    trusted = "0 <= a_n <= 1 and 0 <= tau(t, u) <= d/(d + 2) for t, u >= 1, a_n = d^n/(d (d + 2) ... (d + 2n - 2))"
    return Step(RULE, f"{shown} are >= 0 in powers of {w}", trusted)


def _weighed(term: sp.Expr) -> Weighed:
    """A product as its coefficient, the exponent of its exponentials, and how often each function occurs."""
    coefficient, exponent, counts = sp.Integer(1), sp.Integer(0), dict[sp.Expr, int]()
    above, below = sp.fraction(term)
    # exponentials are factors of divisors, too
    for factor in sp.Mul.make_args(above / sp.factor(below)):
        base, power = factor.as_base_exp()
        if isinstance(factor, sp.exp):
            exponent += factor.args[0]
        elif isinstance(base, Spherical) and power.is_Integer and power > 0:
            counts[base] = counts.get(base, 0) + int(power)
        else:
            coefficient *= factor
    return coefficient, sp.expand(exponent), counts


def _least(functions: set[sp.Expr]) -> sp.Expr:
    """The variance q that the functions are all of, or of 2 q."""
    first, *rest = (one.args[-1] for one in functions)
    for other in rest:
        if sp.cancel(other / first) == sp.Rational(1, 2):
            first = other
    return first


def _kinds(counts: dict[sp.Expr, int], exponentials: int, w: sp.Expr) -> tuple[str, ...]:
    """The series that a product is made of; one that is not known where there are others."""
    found = ["e"] * exponentials
    for one, count in counts.items():
        ratio = sp.cancel(one.args[-1] / w)
        if isinstance(one, FrameExp):
            kind = "frame" if ratio == 2 and one.args[1] == 2 else "other"
        else:
            kind = {2: "s", 4: "sphere"}.get(ratio, "other") if isinstance(one, SphereExp) else "other"
        found += [kind] * count
    return tuple(sorted(found))
