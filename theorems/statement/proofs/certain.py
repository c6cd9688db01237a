"""A probability is at most 1: so it is at most whatever is at least 1, and b^s for 0 <= s <= 1 where it is at most b.

That an exponential moment E exp(f) is at least 1 follows from E f >= 0, by Jensen's inequality.
"""

from __future__ import annotations

from collections.abc import Mapping

from theorems.statement.expression import Expr, name, number
from theorems.statement.moments.having import visibly_nonnegative
from theorems.statement.moments.series_moments import ISOTROPIC
from theorems.statement.proofs.prover import Prover
from theorems.statement.proofs.steps import Step, Steps, together
from theorems.statement.reading.laws import Law

ZERO, ONE = number(0), number(1)
RULE = "a probability is at most 1"
JENSEN = "Jensen's inequality"


def mean_nonnegative(parts: Mapping[Expr | None, Expr], law: Law, prover: Prover) -> bool:
    """Whether c + sum of w A has a mean >= 0, from random atoms A and their weights w; the weight of None is c."""
    fine = all(atom is None or visibly_nonnegative(atom) or _symmetric(atom, law) for atom in parts)
    return fine and all(prover.at_least(weight, ZERO, False) is not None for weight in parts.values())


def _symmetric(atom: Expr, law: Law) -> bool:
    """Whether it is a power series with coefficients >= 0 in a form whose odd moments are 0, as x[1].T*z has."""
    if atom.op != "entire" or law.kind not in ISOTROPIC or not isinstance(atom.args[1], Expr):
        return False
    form = atom.args[1]
    random = [arg for arg in form if arg.random]
    plain = form.op == "*" and len(random) == 1
    return plain and (random[0].args[0] if random[0].op == "T" else random[0]).op == "token"


def large(bound: Expr, label: str, prover: Prover, moment: str) -> Steps | None:
    """Steps to exp(c) M^k being at least 1, M the exponential ``moment``, which is so."""
    found = _read(bound, label) if moment else None
    steps = None if found is None else together(prover.at_least(one, ZERO, False) for one in found)
    if steps is None:
        return None
    return [Step(JENSEN, f"{moment} >= 1", "Jensen"), Step(RULE, f"P[...] <= 1 <= {bound}"), *steps]


def power(bound: Expr, label: str, derived: tuple[Expr, Expr], prover: Prover) -> Steps | None:
    """Steps to exp(c) M^k >= min(1, exp(e) M^n), as it is that to the power k/n; ``derived`` are exp(e) and M^n."""
    found, given = _read(bound, label), _read(Expr("*", derived), label)
    if found is None or given is None:
        return None
    (c, k), (e, n) = found, given
    goals = (prover.at_least(k, ZERO, False), prover.at_least(n, k, False), prover.at_least(n, ZERO, True))
    same = prover.equal(Expr("*", (c, n)), Expr("*", (e, k)))
    steps = together((*goals, same))
    return None if steps is None else [Step(RULE, f"min(1, b) <= b**s, s = ({k})/({n})"), *steps]


def _read(bound: Expr, label: str) -> tuple[Expr, Expr] | None:
    """c and k of exp(c) M^k, M the name of a moment; None for anything else."""
    exponents, powers = [ZERO], [ZERO]
    for factor in bound.args if bound.op == "*" else (bound,):
        if factor.op == "exp":
            exponents.append(factor.args[0])
        elif factor == name(label):
            powers.append(ONE)
        elif factor.op == "**" and factor.args[0] == name(label):
            powers.append(factor.args[1])
        elif factor.op == "**" and factor.args[0].op == "exp":
            exponents.append(Expr("*", (factor.args[0].args[0], factor.args[1])))
        else:
            return None
    return Expr("+", tuple(exponents)), Expr("+", tuple(powers))
