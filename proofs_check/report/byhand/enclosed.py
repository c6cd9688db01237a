"""Claims about least costs and orders of growth: what the report encloses them in, beside what is printed.

Nobody works out an optimum in five lines: a matrix and multipliers that are far enough from it are worked out where the
instance is small, and the certified ends are put in where it is not.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import sympy as sp

from proofs_check.report.byhand import patterns
from proofs_check.report.byhand.substituting import chain, formula, put_in
from proofs_check.report.byhand.substituting import told as told_number
from proofs_check.report.telling import worded
from theorems.algebra.expressions import parse
from theorems.gaussian.numeric import Case
from theorems.kernel.deriving import find


def lines(claim: Mapping[str, Any]) -> list[str]:
    """The check of a comparison of least costs, or of an order of growth."""
    if claim["kind"] == "order":
        return _grows(claim)
    params = {name: str(value) for name, value in claim["counterexample"]["params"].items()}
    found = next((one for one in claim["between"] if one["params"].items() <= params.items()), None)
    return _compared(claim, params, found) if found else []


def _compared(claim: Mapping[str, Any], params: Mapping[str, str], found: Mapping[str, Any]) -> list[str]:
    ((name, text),) = claim["said"]["quantities"].items()
    find(claim["id"])
    case = Case(params)
    costs = {name: (Fraction(low), Fraction(high)) for name, (low, high) in found["ends"].items()}
    tree = ast.parse(text, mode="eval").body
    if not isinstance(tree, ast.Compare):
        return []
    left, right = (ast.unparse(side) for side in (tree.left, *tree.comparators))
    ends, told = [], []
    compared: list[str | sp.Rational] = []
    for side in (left, right):
        if f"OPT_{side}" in costs:
            ends.append(costs[f"OPT_{side}"])
            ends_of = dict.fromkeys(f"{float(end):.7f}" for end in ends[-1])
            lies = " and ".join(ends_of)
            compared.append(side)
            told.append(f"{formula(f'OPT_{side}')} {'lies between' if len(ends_of) > 1 else 'is about'} {lies}")
        else:
            unit = parse(found["unit"]).xreplace(_numbers(found["unit"], case))
            number = Fraction(str(sp.nsimplify(sp.sympify(params[side]) / unit)))
            ends.append((number, number))
            compared.append(sp.Rational(number))
            told.append(f"the {side} is {number}")
    less = isinstance(tree.ops[0], ast.Lt)
    (low, high), (least, most) = ends if less else ends[::-1]
    holds = True if high < least else False if low > most else None
    sides = {key: claim["counterexample"][key] for key in ("printed", "true")}
    if holds is None or sides["true"] != f"{name}: {holds}" or sides["printed"] != f"{name}: {not holds}":
        return []
    shown = {key: value for key, value in params.items() if key in (*found["params"], right) or key in found["unit"]}
    sure = patterns.lines(params, *(compared if less != holds else compared[::-1]))
    if sure and f"OPT_{right}" not in costs:
        sure[-1] += f" In these units {told[1]}."
    enclosed = (
        f"In units of {formula(found['unit'])}, {' and '.join(told)}: a matrix with these margins costs no more, and a "
        "dual certificate shows that none costs less."
    )
    out = [f"Take {', '.join(f'{key} = {value}' for key, value in shown.items())}.", *(sure or [enclosed])]
    condition = claim["printed"][name].partition(" ")[2].split(" & ")
    if len(condition) == 1 and " < " in condition[0]:
        bound = condition[0].split(" < ")[1]
        numbers = _numbers(bound, case)
        worked = put_in(bound, {str(key): str(value) for key, value in numbers.items()})
        most = parse(bound).xreplace(numbers)
        in_units = most / parse(found["unit"]).xreplace(_numbers(found["unit"], case))
        out.append(
            f"The print's bound for it is {formula(bound.strip())}, here {chain(worked, str(most))}, that is "
            f"{told_number(sp.nsimplify(in_units))} in these units."
        )
    return [
        *out,
        f"So {formula(text)} {'holds' if holds else 'fails'} there, and the print says that it "
        f"{'fails' if holds else 'holds'}.",
    ]


def _numbers(text: str, case: Case) -> dict[sp.Symbol, sp.Expr]:
    return {name: sp.sympify(case.value(name.name)) for name in parse(text).free_symbols}


def _grows(claim: Mapping[str, Any]) -> list[str]:
    """What was measured of the exponents of growth, and the example for which the order is attained."""
    wrong = [name for name, printed in claim["printed"].items() if printed == "o(1)"]
    order = next((one for one in claim["orders"] if one["quantity"] in wrong), None)
    found = {one["quantity"]: one for one in claim["cases"] if None not in (one["low"], one["high"])}
    if order is None or not found:
        return []
    own = found.pop(order["quantity"], None)
    if own is None or not own["low"] <= 0 <= own["high"]:
        return []
    where = f" with {order['given']}" if order["given"] else ""
    longest = max(one["last"] for one in claim["exponents"])
    out = [
        f"By the derivation {order['of']} is of order T^({order['exponent']}) for all matrices{where}, "
        f"and no less than that for {order['attained']}.",
        f"Of what grows as a power of T, as {worded(order['quantity'])} does, o(1) says that the power lies below 0.",
        f"Simulated up to T = {longest}, that power lies within {_within(own)}: 0 is among what is possible.",
    ]
    for other, one in found.items():
        out.append(f"For {worded(other)}, which does fall, the same simulation has {_within(one)}.")
    return out


def _within(case: Mapping[str, Any]) -> str:
    return f"[{case['low']:.2f}, {case['high']:.2f}]"
