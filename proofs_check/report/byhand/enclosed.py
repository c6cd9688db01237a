"""Claims about least costs and orders of growth: what the report encloses them in, beside what is printed.

Nobody works out an optimum in five lines; what the evidence encloses it in is put in.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import sympy as sp

from proofs_check.report.byhand.substituting import chain, formula, put_in
from proofs_check.report.byhand.substituting import told as told_number
from proofs_check.report.telling import worded
from theorems.algebra.expressions import parse
from theorems.gaussian.numeric import Case
from theorems.kernel.deriving import find

_COSTS = re.compile(r"(?P<where>[^:]+), units of (?P<unit>[^:]+): (?P<costs>OPT_.+)")
_COST = re.compile(r"OPT_(\w+) in \[([\d.]+), ([\d.]+)\]")
_EXPONENT = re.compile(r"(\w+): exponent between T = (\d+) and (\d+) within \[(-?[\d.]+), (-?[\d.]+)\]")
_ATTAINED = re.compile(r"(\w+): (.+), attained for (.+)")


def lines(claim: Mapping[str, Any]) -> list[str]:
    """The check of a comparison of least costs, or of an order of growth."""
    if claim["kind"] == "order":
        return _grows(claim)
    params = {name: str(value) for name, value in claim["counterexample"]["params"].items()}
    for line in claim["evidence"]:
        found = _COSTS.fullmatch(line)
        where = dict(part.split(" = ") for part in found["where"].split(", ")) if found else {}
        if found and where.items() <= params.items():
            return _compared(claim, params, where, found)
    return []


def _compared(
    claim: Mapping[str, Any], params: Mapping[str, str], where: Mapping[str, str], found: re.Match[str]
) -> list[str]:
    ((name, text),) = claim["said"]["quantities"].items()
    find(claim["id"])
    case = Case(params)
    costs = {one: (Fraction(low), Fraction(high)) for one, low, high in _COST.findall(found["costs"])}
    tree = ast.parse(text, mode="eval").body
    if not isinstance(tree, ast.Compare):
        return []
    left, right = (ast.unparse(side) for side in (tree.left, *tree.comparators))
    ends, told = [], []
    for side in (left, right):
        if side in costs:
            ends.append(costs[side])
            ends_of = dict.fromkeys(f"{float(end):.7f}" for end in costs[side])
            lies = " and ".join(ends_of)
            told.append(f"{formula(f'OPT_{side}')} {'lies between' if len(ends_of) > 1 else 'is about'} {lies}")
        else:
            unit = parse(found["unit"]).xreplace(_numbers(found["unit"], case))
            number = Fraction(str(sp.nsimplify(sp.sympify(params[side]) / unit)))
            ends.append((number, number))
            told.append(f"the {side} is {number}")
    less = isinstance(tree.ops[0], ast.Lt)
    (low, high), (least, most) = ends if less else ends[::-1]
    holds = True if high < least else False if low > most else None
    sides = {key: claim["counterexample"][key] for key in ("printed", "true")}
    if holds is None or sides["true"] != f"{name}: {holds}" or sides["printed"] != f"{name}: {not holds}":
        return []
    shown = {key: value for key, value in params.items() if key in (*where, right) or key in found["unit"]}
    out = [
        f"Take {', '.join(f'{key} = {value}' for key, value in shown.items())}.",
        f"In units of {formula(found['unit'])}, {' and '.join(told)}: a matrix with these margins costs no more, and a "
        "dual certificate shows that none costs less.",
    ]
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
    exponents = [found.groups() for line in claim["evidence"] if (found := _EXPONENT.fullmatch(line))]
    wrong = [name for name, printed in claim["printed"].items() if printed == "o(1)"]
    attained = next(
        (found for line in claim["evidence"] if (found := _ATTAINED.fullmatch(line)) and found[1] in wrong), None
    )
    if attained is None or not exponents:
        return []
    name = attained[1]
    own = [(first, last, float(low), float(high)) for one, first, last, low, high in exponents if one == name]
    if not own or not all(low <= 0 <= high for _, _, low, high in own):
        return []
    others = sorted({one for one, *_ in exponents if one != name})
    out = [
        f"By the derivation {attained[2]}, and no less than that for {attained[3]}.",
        f"Of what grows as a power of T, as {worded(name)} does, o(1) says that the power lies below 0.",
        f"Simulated from T = {own[0][0]} to {own[-1][1]}, fourfold each time, that power lies within "
        f"{', '.join(f'[{low}, {high}]' for _, _, low, high in own)}: each time 0 is among what is possible.",
    ]
    for other in others:
        within = [f"[{low}, {high}]" for one, _, _, low, high in exponents if one == other]
        out.append(f"For {worded(other)}, which does fall, the same simulation has {', '.join(within)}.")
    return out
