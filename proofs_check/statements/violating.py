"""Exact cases that violate a statement: small ones, and those at which samples see it best."""

from __future__ import annotations

from collections.abc import Iterable

import sympy as sp

from proofs_check.cases.of_statements import Case
from proofs_check.statements.exactly import Exactly
from theorems.statement.deciding.decide import contradicts
from theorems.statement.expression import Expr

#: Cases after which sides that are equal where one is to be larger are counterexample enough.
EVEN = 100


def violations(exactly: Exactly, candidates: Iterable[Case]) -> list[Case]:
    """Cases that violate the statement: the smallest where the sides differ by a fifth, and where it is plainest.

    Plainest is where the difference is largest beside what a single walk's number varies by. Where none differ, the
    smallest at which equal sides violate it.
    """
    plain: list[tuple[float, Case]] = []
    even: list[Case] = []
    for k, case in enumerate(candidates):
        left, right = exactly.at(exactly.prop.left, case), exactly.at(exactly.prop.right, case)
        if left is None or right is None or contradicts(exactly.prop, left, right) is not True:
            continue
        gap, scale = abs(float(left - right)), max(abs(float(left)), abs(float(right)))
        if gap == 0:
            even.append(case)
        elif 5 * gap >= scale:
            return [case, *(other for _, other in plain[:1])]
        else:
            plain.append((-gap / _spread(exactly, case, scale), case))
            plain.sort(key=lambda entry: entry[0])
        if even and k >= EVEN:
            break
    return [case for _, case in plain[:2]] or even[:2]


def _spread(exactly: Exactly, case: Case, scale: float) -> float:
    """The standard deviation of one walk's number, where the left side is an expectation; else its value."""
    if exactly.prop.left.op == "E":
        found = exactly.at(Expr("Var", exactly.prop.left.args), case)
        if found is not None and found.is_number:
            return max(float(sp.re(found)), 0.0) ** 0.5 or scale
    return scale
