"""Moments that are reduced to those of one coordinate: sums over all tokens, and independent coordinates."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import sympy as sp

from proofs_check.report.byhand import moments
from proofs_check.report.byhand.moments import given, pairing
from proofs_check.report.byhand.pairings import Setting, exact_value, products, setting_of, tends
from proofs_check.report.byhand.substituting import chain, formula, put_in, told
from theorems.algebra.expressions import parse
from theorems.gaussian.process import process
from theorems.statement.expression import Expr, StatementError

_T = sp.Symbol("T")


def lines(claim: Mapping[str, Any]) -> list[str]:
    """The check of a mean of a sum over all tokens, or of a variance in several independent coordinates."""
    params = claim["counterexample"]["params"]
    if "W" not in params or "start" not in params:
        return []
    if int(params["d"]) > 1:
        return _coordinates(claim)
    for name, printed in claim["printed"].items():
        if printed in claim["said"]["quantities"] and (found := _summed(claim, name, printed)):
            return found
        if claim["said"]["quantities"].get(name, "").startswith("Var[") and (
            found := _by_another(claim, name, printed)
        ):
            return found
    return []


def _by_another(claim: Mapping[str, Any], name: str, printed: str) -> list[str]:
    """A variance whose print uses another printed quantity, known by its correction: all at the case's i and T."""
    example, quantities = claim["counterexample"], claim["said"]["quantities"]
    case = {
        sp.Symbol(key): sp.Rational(example["params"][key]) for key in ("i", "T", "lam") if key in example["params"]
    }
    setting = setting_of(claim, name)
    case |= {sp.Symbol(f"tr{k}"): sp.Rational((setting.number("W") * setting.number("Sigma")) ** k) for k in (1, 2)}
    other, symbol = next(((key, text) for key, text in claim["printed"].items() if text.isidentifier()), ("", ""))
    apart = claim["correction"].get("apart", {}).get(other) if symbol else None
    if apart is None:
        return []
    used = sp.expand(parse(claim["correction"]["sympy"]) - parse(apart))
    variances = {one: _lone(claim, one) for one in quantities if quantities[one].startswith("Var[")}
    values = {one: exact_value(of.prop.left, of).xreplace(case) for one, of in variances.items()}
    shown = {one: str(value) for one, value in values.items()} | {str(key): str(value) for key, value in case.items()}
    shown[symbol] = str(used.xreplace(case))
    claimed = parse(put_in(printed, shown))
    if values[name] != sp.Rational(example["true"]) or claimed != sp.Rational(example["printed"]):
        return []
    place = ", ".join(f"{key} = {value}" for key, value in case.items() if not str(key).startswith("tr"))
    letters, sums = pairing(setting)
    others = [one for one in variances if one != name and re.search(rf"\b{one}\b", printed)]
    takes = "".join(f", and {formula(one)} for {pairing(variances[one])[0]}, here {shown[one]}" for one in others)
    return [
        f"{given(setting)[:-1]}; at {place}.",
        f"The quantity is {formula(quantities[name])}, that is {letters}; by pairings {sums}, which is "
        f"{told(values[name])}.",
        f"The print takes {formula(f'{other} = {used}')}, here {shown[symbol]}{takes}.",
        f"With that it gives {chain(printed, put_in(printed, shown), told(claimed))}.",
    ]


def _lone(claim: Mapping[str, Any], name: str) -> Setting:
    """The setting of one quantity; a hypothesis may be about a name that another one has."""
    try:
        return setting_of(claim, name)
    except StatementError:
        return setting_of({**claim, "said": {**claim["said"], "hypotheses": ""}}, name)


def _coordinates(claim: Mapping[str, Any]) -> list[str]:
    """A variance for diagonal matrices: a sum over independent coordinates of that of one."""
    params, example, quantities = (
        claim["counterexample"]["params"],
        claim["counterexample"],
        claim["said"]["quantities"],
    )
    rows = {name: [[Fraction(entry) for entry in row] for row in params[name]] for name in ("W", "Sigma")}
    if any(row[k] for matrix in rows.values() for r, row in enumerate(matrix) for k in range(len(row)) if r != k):
        return []
    weights = [rows["W"][k][k] * rows["Sigma"][k][k] for k in range(len(rows["W"]))]
    scale = sum((weight**2 for weight in weights), Fraction(0))
    of_variances = {
        name: printed
        for name, printed in claim["printed"].items()
        if all(quantities.get(one, "").startswith("Var[") for one in (name, printed))
    }
    if not of_variances or not scale:
        return []
    values = {side: str(sp.Rational(example[side]) / sp.Rational(scale)) for side in ("printed", "true")}
    one = {**params, "d": 1, "W": [["1"]], "Sigma": [["1"]]}
    reduced = {**claim, "printed": of_variances, "counterexample": {**example, **values, "params": one}}
    found = moments.lines(reduced)
    if not found:
        return []
    total = chain(" + ".join(f"({weight})**2" for weight in weights), str(scale))
    first = (
        f"The {len(weights)} coordinates are independent, with the weights {', '.join(map(str, weights))} in W*Sigma: "
        f"a variance is {total} times that of one coordinate. "
    )
    last = f" So in all the quantity is {told(example['true'])}, and the reading gives {told(example['printed'])}."
    return [first + found[0], *found[1:-1], found[-1] + last]


def _parts(node: Expr, setting: Setting) -> list[tuple[str, sp.Expr, sp.Expr]]:
    """The mean of a sum over all tokens as the terms of one summand, what each is, and what each sums to."""
    if node.op == "/":
        below = parse(str(node.args[1]))
        return [(text, value, total / below) for text, value, total in _parts(node.args[0], setting)]
    (inside,) = node.args
    body, index, first, last = inside.args
    if node.op != "E" or inside.op != "sum" or str(first) != "1" or str(last) != "T":
        return []
    walk = process(setting.kernel, (index, "T"))
    found = []
    for factor, vectors in products(body, setting):
        if len(vectors) != 2:
            return []
        names = [f"x_{v.parts[0][1][1]}" if v.parts[0][1][0] == "at" else "sum(x[j], j, 1, T)" for v in vectors]
        value = sp.expand(walk.covariance(*vectors).expr * sp.Rational(setting.number("Sigma")) * factor.expr)
        text = f"E[{names[0]}^2]" if names[0] == names[1] else f"E[{names[0]}*{names[1]}]"
        total = sp.summation(value, (sp.Symbol(index), 1, _T))
        found.append((f"{factor.expr}*{text}", value, sp.factor(total)))
    return found


def _summed(claim: Mapping[str, Any], name: str, printed: str) -> list[str]:
    """Both quantities as sums of covariances, and what each tends to."""
    example = claim["counterexample"]
    sides = []
    for one in (name, printed):
        setting = setting_of(claim, one)
        parts = _parts(setting.prop.left, setting)
        total = sum((total for _, _, total in parts), sp.Integer(0))
        sides.append((parts, total, tends(total)))
    (parts, true, (limit, power)), (others, _, (claimed, same)) = sides
    if power or same or [str(limit), str(claimed)] != [example["true"], example["printed"]]:
        return []
    out = [
        f"{given(setting_of(claim, name))[:-1]}; the quantity is {_defined(claim, name)}.",
        f"Its summands are {_listed(parts)}.",
        f"So it is {chain(str(sp.expand(true)))}, which tends to {told(limit)}.",
        f"The reading puts {_defined(claim, printed)} in its place. Its summands are {_listed(others)}, and it "
        f"tends to {told(claimed)}.",
    ]
    ratio = next(
        (key for key, text in claim["said"]["quantities"].items() if _quotient(claim, text, name, printed)), ""
    )
    if ratio and ratio in claim["printed"]:
        out.append(
            f"Their {ratio} is {told(limit / claimed)}, and the print has {told(parse(claim['printed'][ratio]))}."
        )
    return out


def _defined(claim: Mapping[str, Any], name: str) -> str:
    """A quantity, and the vectors in it by their definitions."""
    text, where = claim["said"]["quantities"][name], claim["said"]["where"]
    parts = re.split(r"[,;]\s*(?=\w+\[\w+\] = )", where)
    used = [formula(part) for part in parts if f"*{part.partition(' = ')[0]}*" in text]
    return " with ".join([formula(text), *([", ".join(used)] if used else [])])


def _quotient(claim: Mapping[str, Any], text: str, above: str, below: str) -> bool:
    """Whether a quantity is the quotient of two others, what both are divided by left out."""
    bare = [claim["said"]["quantities"][one].removesuffix("/T") for one in (above, below)]
    return text == "/".join(bare)


def _listed(parts: list[tuple[str, sp.Expr, sp.Expr]]) -> str:
    return " and ".join(formula(f"{text} = {sp.factor(value)}") for text, value, _ in parts)
