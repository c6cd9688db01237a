"""Moments of exponentials: bounded on a sphere by Cauchy-Schwarz, or known for Gaussian tokens.

A token on a sphere has ``x.T*z <= |x| |z|``, so that a mean of something that grows with ``x.T*z`` is at most its value
there; for N(0, I) the mean of ``exp(x.T*z)`` is ``exp(|z|**2/2)``.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import sympy as sp

from proofs_check.report.byhand.numbers import case_of, worked
from proofs_check.report.byhand.substituting import chain, close, formula, reported, told
from theorems.algebra.expressions import parse
from theorems.statement.values.cases import Case

#: A product of a token and a vector.
_PAIRED = re.compile(r"x\[\w+\]\.T\*(\w+|\([^()]*\))")
_ERROR = re.compile(
    r"E\[\((?P<scale>.+)\*sum\(exp\(x\[k\]\.T\*(?P<by>\([^()]*\)|\w+)\), k, 1, T\)/T - (?P<goal>.+)\)\*\*2\]"
)


def lines(claim: Mapping[str, Any]) -> list[str]:
    """The check of a probability, of a limit on the sphere, or of a mean squared error."""
    said = claim["said"]
    ((name, text),) = ((name, said["quantities"][name]) for name in claim["printed"])
    if said["law"] == "iid" and (found := _ERROR.fullmatch(text)):
        return _error(claim, found)
    if text.startswith("P[") and said["law"].startswith("frame("):
        return _probability(claim, claim["printed"][name])
    return _ratio(claim, text, claim["printed"][name]) if said["law"] == "iid(sphere)" else []


def _radius(claim: Mapping[str, Any]) -> tuple[str, str]:
    """The largest length of a vector x[k], and the sentence that says the lengths.

    It is a token unless the claim has another letter for it.
    """
    params = claim["counterexample"]["params"]
    size, lengths = int(params["d"]), [Fraction(v) for name, v in params.items() if name.startswith("length")]
    most = max(lengths, default=Fraction(1))
    most_text, *others = (str(sp.sqrt(size) * sp.Rational(length)) for length in dict.fromkeys([most, *lengths]))
    vectors = "`x[k]`" if "x" in claim["said"]["letters"] else "tokens"
    several = " or ".join(formula(text) for text in (most_text, *others))
    return most_text, f"{vectors} are vectors of the length{'s' * bool(others)} {several}"


def _place(claim: Mapping[str, Any], *left_out: str) -> str:
    """The numbers and vectors of the case; entries that are 0 at the end of a long vector are left out."""
    parts = []
    for name, given in claim["counterexample"]["params"].items():
        if name in ("Sigma", "d", *left_out) or re.fullmatch(r"(length|g)\d", name):
            continue
        if isinstance(given, list):
            zero = not any(Fraction(entry) for entry in given)
            long = len(given) > 3 and not any(Fraction(entry) for entry in given[1:])
            shown = "0" if zero else f"({given[0]}, 0, ..., 0)" if long else f"({', '.join(map(str, given))})"
            parts.append(f"{name} = {shown}" if len(given) > 1 else f"{name} = {given[0]}")
        else:
            parts.append(f"{name} = {given}")
    series = {
        name[1:]: given for name, given in claim["counterexample"]["params"].items() if re.fullmatch(r"g\d", name)
    }
    if series:
        terms = [f"{given}*t**{power}" for power, given in series.items() if Fraction(given)]
        parts.append("g(t) = " + str(parse(" + ".join(terms) or "0")))
    return ", ".join([f"d = {claim['counterexample']['params']['d']}", *parts])


class _AtMost(ast.NodeTransformer):
    """A power series g by its coefficients, a mean by what it is of, and a product of given vectors by its number."""

    def __init__(self, case: Case) -> None:
        self.case = case

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        if isinstance(node.value, ast.Name) and node.value.id == "E":
            inside: ast.AST = self.visit(node.slice)
            return inside
        name = ast.unparse(node).replace("[", "").replace("]", "")
        return ast.Name(name) if name in self.case.numbers else node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == "g":
            (inside,) = map(ast.unparse, node.args)
            terms = [f"{name}*({inside})**{name[1:]}" for name in self.case.numbers if re.fullmatch(r"g\d", name)]
            return ast.parse(" + ".join(terms), mode="eval").body
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        match node:
            case ast.BinOp(ast.Attribute(ast.Name(id=one), "T"), ast.Mult(), ast.Name(id=two)):
                pairs = zip(self.case.sequences[one], self.case.sequences[two], strict=True)
                return ast.parse(str(sum((a * b for a, b in pairs), Fraction(0))), mode="eval").body
        self.generic_visit(node)
        return node


def _at_most(text: str, case: Case, radius: str) -> sp.Expr:
    """The value of a formula whose tokens point to where they are multiplied with."""
    put = _PAIRED.sub(lambda found: f"({radius}*norm{found[1] if found[1][0] == '(' else f'({found[1]})'})", text)
    put = re.sub(r"norm\(x\[\w+\]\)", f"({radius})", put)
    tree = _AtMost(case).visit(ast.parse(put.strip(), mode="eval"))
    return worked(ast.unparse(tree), case, lambda _: None)[1]


def _probability(claim: Mapping[str, Any], printed: str) -> list[str]:
    """An upper bound of a probability that is below 0: M is bounded, and what is taken away from its power is more."""
    case, said = case_of(claim), claim["said"]["quantities"]
    radius, lengths = _radius(claim)
    values = {name: _at_most(text, case, radius) for name, text in said.items() if name not in ("upper", "M")}
    given = {name: sp.Rational(number) for name, number in case.numbers.items()}
    known = {sp.Symbol(name): value for name, value in {**given, **values}.items()}
    most = _at_most(said["M"], case, radius)
    at_m = sp.Poly(sp.expand(parse(printed).xreplace(known)), sp.Symbol("M"))
    (power, lead), (rest, away) = at_m.terms()
    taken = -away / lead
    low, high = map(float, re.findall(r"-?[\d.]+(?:e-?\d+)?", claim["counterexample"]["printed"]))
    bound = float(lead * (most ** power[0] - taken))
    if rest != (0,) or not lead > 0 or not low <= high < 0 or not low <= bound < 0:
        return []
    by = _PAIRED.findall(said["M"])[0].strip("()")
    grown = (
        formula(f"x[1].T*({by}) <= {radius}*norm({by})")
        if " " in by
        else formula(f"x[1].T*{by} <= {radius}*norm({by})")
    )
    mean = f"M = {said['M']}"
    return [
        f"Take {_place(claim)}: the {lengths}.",
        f"By Cauchy-Schwarz {grown}, so that {formula(mean)} is at most {chain(told(most))}, and "
        f"{formula(f'M**{power[0]}')} at most {chain(told(most ** power[0]))}.",
        f"What the print takes away from {formula(f'M**{power[0]}')} is {chain(told(taken))}, which is more.",
        f"So it bounds a probability, which is at least 0, from above by a negative number (in "
        f"[{low:.6g}, {high:.6g}]).",
    ]


def _ratio(claim: Mapping[str, Any], text: str, printed: str) -> list[str]:
    """What grows on a path: the quantity there is at least what Cauchy-Schwarz leaves of it."""
    case, example = case_of(claim), claim["counterexample"]
    radius, lengths = _radius(claim)
    least = _at_most(text, case, radius)
    right = parse(printed)
    if (
        not close(least, reported(example["true"]))
        or not close(right, reported(example["printed"]))
        or not least > right
    ):
        return []
    by = _PAIRED.findall(text)[0].strip("()")
    (inside,) = re.findall(r"E\[(exp\(.+?\))\]", text)
    most = _at_most(inside, case, radius)
    out = [
        f"Take {_place(claim, 'C')}: the {lengths}.",
        f"By Cauchy-Schwarz {formula(f'x[1].T*({by}) <= {radius}*norm({by})')}, so that {formula(f'E[{inside}]')} is "
        f"at most {chain(told(sp.powsimp(most)))}.",
        f"So the quantity is about {float(least):.6g} or more, and the print bounds it by {formula(printed)}, up "
        "to what tends to 0.",
    ]
    if path := claim["path"]:
        way = ", ".join(formula(f"{name} = {vector}") for name, vector in path["vectors"].items())
        far = formula(path["excess"])
        out.append(f"Along {way} it exceeds that by {far} at least, which grows with d: no o(1) makes up for it.")
    return out


def _error(claim: Mapping[str, Any], found: re.Match[str]) -> list[str]:
    """The mean squared error of a mean of independent exponentials of N(0, I)."""
    case, example = case_of(claim), claim["counterexample"]

    by = found["by"].strip("()")

    def numbers(of: Case) -> list[sp.Expr]:
        """|z|**2, what is estimated, and the mean and the mean square of a summand."""
        trees = [
            _AtMost(of).visit(ast.parse(text, mode="eval"))
            for text in (found["scale"], f"norm({by})**2", found["goal"])
        ]
        scale, square, goal = (worked(ast.unparse(tree), of, lambda _: None)[1] for tree in trees)
        return [square, goal, *(sp.powsimp(scale**k * sp.exp(k**2 * square / 2)) for k in (1, 2))]

    square, goal, mean, second = numbers(case)
    count = case.numbers["T"]
    true = (second - mean**2) / sp.Rational(count) + (mean - goal) ** 2
    ((_, printed),) = claim["printed"].items()
    if not close(true, reported(example["true"])) or not close(parse(printed), reported(example["printed"])):
        return []
    off, estimated = sp.simplify(mean - goal), f"{found['goal']} = {goal}"
    # no single place refutes a limit: along t times these vectors the exponents have to be t**2 times these
    twice = replace(case, sequences={name: tuple(2 * x for x in entries) for name, entries in case.sequences.items()})
    powers = [[sp.log(side) for side in numbers(at)[1:]] for at in (case, twice)]
    if [4 * power for power in powers[0]] != powers[1] or not powers[0][2] > max(0, 2 * powers[0][1]):
        return []
    names = " and ".join(formula(f"t*{name}") for name in case.sequences)
    return [
        f"Take {_place(claim)}. For `x ~ N(0, I)` one has {formula('E[exp(x.T*z)] = exp(norm(z)**2/2)')}; here "
        f"z = {by} has {formula(f'norm(z)**2 = {square}')}.",
        f"Each summand, {formula(found['scale'])} times {formula('exp(x.T*z)')}, has the mean {formula(str(mean))} and "
        f"the mean square {formula(str(second))}.",
        f"What is estimated is {formula(estimated)}"
        + (", the mean." if off == 0 else f", off the mean by {chain(told(off))}."),
        f"So the mean squared error of {count} of them is {chain(told(sp.simplify(true)))}.",
        f"For {names} in their places the exponents are {formula('t**2')} times these: the error grows beyond all "
        f"bounds while {formula(found['goal'])} tends to 0, and the print says that it tends to {formula(printed)}.",
    ]
