"""Inequalities with moments of power series of two orthogonal tokens, by what these are at most.

Let h(w) = sum b_s w^s with b_s >= 0 converge everywhere, and M = E h(z^T x_1). Of two tokens of a frame

    E h(z^T x_1) h(z^T x_2) <= M^2 - 2/(d + 2) (M - b_0)^2,

as its terms with s, t >= 2 are at most d/(d + 2) times those of independent tokens, and no other is larger: see
theorems.statement.moments.orthogonal. Every vector z and covariance will do, as Sigma^(1/2) z is a vector again.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import sympy as sp

from theorems.algebra.expressions import symbol
from theorems.statement.moments.orthogonal import TRUSTED
from theorems.statement.proofs.steps import Step
from theorems.statement.reading.laws import Law

RULE = "power series of two orthogonal tokens: E of their product lies below that of independent ones"
_SERIES = re.compile(r"([A-Za-z_]+)\(x\[(\d+)\]\.T\*(\w+)\)")


def by_series(gap: sp.Expr, law: Law, nonnegative: Callable[[sp.Expr], bool]) -> Step | None:
    """The step by which a value is >= 0, ``nonnegative`` deciding what is left of it without moments of two tokens.

    Each of these that stands with a factor that is <= 0 is replaced by what it is at most.
    """
    told = []
    for joint in sorted((one for one in gap.free_symbols if one.name.startswith("E[")), key=str):
        most = _most(joint.name, law)
        if most is None:
            continue
        gap = sp.expand(gap)
        factor = gap.coeff(joint, 1)
        rest = sp.expand(gap - factor * joint)
        if rest.has(joint) or not nonnegative(sp.factor(-factor)):
            return None
        gap = sp.together(rest + factor * most)
        told.append(f"{joint} <= {most}")
    if not told or not (sp.cancel(gap) == 0 or nonnegative(sp.factor(gap))):
        return None
    return Step(RULE, "; ".join(told), TRUSTED)


def _most(moment: str, law: Law) -> sp.Expr | None:
    """What a moment of two tokens is at most, where the same series stand with both; None for any other."""
    factors = [(head, int(token), vector) for head, token, vector in _SERIES.findall(moment)]
    one, two = ([(head, vector) for head, token, vector in factors if token == k] for k in (1, 2))
    if not law.framed or one != two or len(one) + len(two) < len(factors) or len({vector for _, vector in one}) != 1:
        return None
    whole = symbol(f"E[{'*'.join(f'{head}(x[1].T*{vector})' for head, vector in one)}]")
    first = sp.Mul(*(symbol(f"{head}0") for head, _ in one))
    return whole**2 - 2 / (symbol("d") + 2) * (whole - first) ** 2
