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

Of one series beside polynomials times an exponential, c SphereExp + exp(w) sum_i p_i w^i, the coefficient of w^n/n! is
c a_n + sum_i p_i n (n - 1) ... (n - i + 1). There a_0 = a_1 = 1 and, for n >= 2,

    1 - n (n - 1)/(d + 2) <= a_n <= d/(d + 2),

as a_n is the product of 1 - 2 k/(d + 2 k), k < n, at least 1 - sum_k 2 k/(d + 2), and at most its factor of k = 1.
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
    weights: dict[tuple[str, ...], sp.Expr] = {}
    for (coefficient, _, counts), share in zip(terms, shares, strict=True):
        kinds = _kinds(counts, int(share - min(shares)), w)
        weights[kinds] = weights.get(kinds, sp.Integer(0)) + coefficient
    if not weights.keys() <= _DOUBLE.keys():
        return None
    varying = (w.free_symbols - d.free_symbols) & set().union(*(one.free_symbols for one in weights.values()))
    if varying:
        return _by_powers(weights, d, w, nonnegative)
    inner, single = (sum(one * _DOUBLE[kinds][k] for kinds, one in weights.items()) for k in (0, 1))
    constant = sp.Add(*weights.values())
    ends = product((0, 1), (0, 1), (0, d / (d + 2)))
    corners = [inner.subs({_A: a, _B: b, _TAU: tau}) for a, b, tau in ends]
    corners += [single.subs(_A, a) for a in (0, 1)]
    if not all(nonnegative(sp.factor(value)) for value in (*corners, constant)):
        return None
    shown = f"coefficients {sp.factor(inner)} of t, u >= 1, {sp.factor(single)} of one index, and {sp.factor(constant)}"
    trusted = "0 <= a_n <= 1 and 0 <= tau(t, u) <= d/(d + 2) for t, u >= 1, a_n = d^n/(d (d + 2) ... (d + 2n - 2))"
    return Step(RULE, f"{shown} are >= 0 in powers of {w}", trusted)


def _by_powers(
    weights: dict[tuple[str, ...], sp.Expr], d: sp.Expr, w: sp.Expr, nonnegative: Callable[[sp.Expr], bool]
) -> Step | None:
    """c SphereExp + p(w) exp(w) >= 0, by its coefficients in powers of w; None where it is another sum."""
    if weights.keys() != {("s",), ("e",)}:
        return None
    c, polynomial = weights["s",], _in_powers(weights["e",], w)
    if polynomial is None or c.free_symbols & (w.free_symbols - d.free_symbols):
        return None
    first, second, third, *others = [*polynomial, *[sp.Integer(0)] * max(0, 3 - len(polynomial))]
    if nonnegative(c):
        # the least of a_n is c (1 - n (n - 1)/(d + 2)), in falling powers of n as the others
        needed = [c + first, second, third - c / (d + 2), *others]
        used = "a_n >= 1 - n (n - 1)/(d + 2)"
    elif nonnegative(-c):
        needed = [c + first, c + first + second, c * d / (d + 2) + first, second, third, *others]
        used = "a_n <= d/(d + 2) for n >= 2"
    else:
        return None
    if not all(nonnegative(sp.factor(value)) for value in needed):
        return None
    trusted = f"{used}, a_n = d^n/(d (d + 2) ... (d + 2n - 2)), a_0 = a_1 = 1"
    n = sp.Symbol("n")
    rest = sum(sp.factor(one) * sp.prod([n - k for k in range(i)]) for i, one in enumerate(polynomial))
    coefficient = sp.factor(c) * sp.Symbol("a_n") + rest
    return Step(RULE, f"{coefficient}, the coefficient of w**n/n! with w = {w}, is >= 0", trusted)


def _in_powers(value: sp.Expr, w: sp.Expr) -> list[sp.Expr] | None:
    """The coefficients of a polynomial in w, of the lowest power first; None for anything else."""
    power = sp.Dummy("w")
    atoms = sorted((one for one in w.free_symbols if sp.diff(w, one).is_number), key=str)
    if not atoms:
        return None
    own = sp.cancel(value.subs(atoms[0], sp.solve(w - power, atoms[0])[0]))
    if own.free_symbols & w.free_symbols or not own.is_polynomial(power):
        return None
    return list(reversed(sp.Poly(own, power).all_coeffs()))


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
