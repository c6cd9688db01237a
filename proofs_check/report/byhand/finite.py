"""Claims about finitely many vectors: tokens in random order, keys with their scores, all put in and worked out."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import permutations
from typing import Any

import sympy as sp

from proofs_check.report.byhand.substituting import chain, close, formula, reported, told
from theorems.algebra.expressions import parse

#: Most vectors that a line lists.
MOST = 4
_COMPARE = {ast.Gt: sp.Gt, ast.Lt: sp.Lt, ast.GtE: sp.Ge, ast.LtE: sp.Le, ast.Eq: sp.Eq}


class Worked:
    """Formulas of vectors and matrices with numbers in them; ``free`` stay names.

    ``families`` are vectors by their index, tokens x among them; i and j are two different ones of them at random.
    """

    def __init__(self, where: str, known: Mapping[str, Any], families: Mapping[str, Mapping[int, sp.Matrix]]) -> None:
        parts = (part.strip().split(" = ", 1) for part in re.split(r";\s*", where.strip()) if " = " in part)
        self.defined = dict(parts)
        self.known, self.families = dict(known), families

    def value(self, text: str, **at: int) -> Any:
        """The value of a formula, at a choice of i and j."""
        return self._value(ast.parse(text.strip(), mode="eval").body, at)

    def average(self, node: ast.expr) -> Any:
        """The mean over all choices of two different tokens."""
        pairs = list(permutations(self.families["x"], 2))
        total = sum(
            (self._value(node, {"i": i, "j": j}) for i, j in pairs[1:]),
            self._value(node, {"i": pairs[0][0], "j": pairs[0][1]}),
        )
        return sp.expand(total / len(pairs)) if not isinstance(total, sp.MatrixBase) else total / len(pairs)

    def _value(self, node: ast.expr, at: Mapping[str, Any]) -> Any:
        match node:
            case ast.Constant(value=int() as number):
                return sp.Integer(number)
            case ast.Name(id=name):
                if name in at:
                    return sp.sympify(at[name])
                return self.known[name] if name in self.known else self.value(self.defined[name])
            case ast.UnaryOp(op=ast.USub(), operand=inner):
                return -self._value(inner, at)
            case ast.Attribute(value=inner, attr="T"):
                return sp.Matrix(self._value(inner, at)).T
            case ast.BinOp(left=left, op=op, right=right):
                return _scalar(_combined(op, self._value(left, at), self._value(right, at)))
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                return _COMPARE[type(op)](self._value(left, at), self._value(right, at))
            case ast.Subscript(value=ast.Name(id="E"), slice=inner):
                return self.average(inner)
            case ast.Subscript(value=ast.Name(id=name), slice=index):
                place = int(self._value(index, at))
                if name in self.families:
                    return self.families[name][place]
                (key,) = (key for key in self.defined if key.startswith(f"{name}["))
                return self._value(
                    ast.parse(self.defined[key], mode="eval").body, {**at, key[len(name) + 1 : -1]: place}
                )
            case ast.Call(func=ast.Name(id=called), args=arguments):
                return self._called(called, arguments, at)
        raise ValueError("another formula")

    def _called(self, called: str, arguments: Sequence[ast.expr], at: Mapping[str, Any]) -> Any:
        if called == "mean":
            vectors = [*self.families["x"].values()]
            return sum(vectors[1:], vectors[0]) / len(vectors)
        if called == "sum":
            body, index, first, last = arguments
            places = range(int(self._value(first, at)), int(self._value(last, at)) + 1)
            parts = [self._value(body, {**at, ast.unparse(index): place}) for place in places]
            return sum(parts[1:], parts[0])
        inside = self._value(arguments[0], at)
        if called == "norm" and len(arguments) == 1:
            return sp.sqrt(sum((entry**2 for entry in sp.Matrix([inside])), sp.Integer(0)))
        if called == "tr":
            return sp.Matrix([inside]).trace()
        if called == "indicator":
            return sp.Integer(bool(inside))
        return {"exp": sp.exp, "abs": sp.Abs}[called](inside)


def _combined(op: ast.operator, left: Any, right: Any) -> Any:
    if isinstance(op, ast.Add):
        return left + right
    if isinstance(op, ast.Sub):
        return left - right
    if isinstance(op, ast.Mult):
        return left * right
    return left / right if isinstance(op, ast.Div) else left**right


def _scalar(value: Any) -> Any:
    return value[0, 0] if isinstance(value, sp.MatrixBase) and value.shape == (1, 1) else value


def column(entries: Sequence[Any]) -> sp.Matrix:
    """A vector."""
    return sp.Matrix([sp.Rational(Fraction(entry)) for entry in entries])


def written(vector: Any) -> str:
    """A vector as ``(2, 0)``, one of one entry as its entry."""
    entries = [str(entry) for entry in sp.Matrix([vector])]
    return f"`{entries[0]}`" if len(entries) == 1 else "`(" + ", ".join(entries) + ")`"


def lines(claim: Mapping[str, Any]) -> list[str]:
    """The check of tokens in random order, of the weights of keys, or of a matrix that exists."""
    params = claim["counterexample"]["params"]
    if "tokens" in params:
        return _exchanged(claim)
    if "scores" in params:
        return _attended(claim)
    text = next(iter(claim["said"]["quantities"].values()))
    return _exists(claim, text) if "z" in params and text.startswith("exists(W, ") else []


def _matrix(rows: Sequence[Sequence[Any]]) -> sp.Matrix:
    return sp.Matrix([[sp.Rational(Fraction(entry)) for entry in row] for row in rows])


def _exchanged(claim: Mapping[str, Any]) -> list[str]:
    params, said = claim["counterexample"]["params"], claim["said"]
    (tokens,) = params["tokens"]
    known = {"W": _matrix(params["W"]), "beta": sp.Rational(params["beta"]), "l": sp.Symbol("l")}
    worked = Worked(said["where"], known, {"x": {k: column(token) for k, token in enumerate(tokens)}})
    count = "two" if len(tokens) == 2 else str(len(tokens))
    shown = " and ".join(written(token) for token in worked.families["x"].values())
    scalar = known["W"].shape == (1, 1)
    weight = formula(f"W = {known['W'][0, 0] if scalar else known['W'].tolist()}")
    first = f"Take {count} tokens in random order, {shown}, with {weight}, beta = {known['beta']}."
    name = claim["counterexample"]["true"].partition(":")[0]
    rest = _monotone(claim, worked, name) if name in claim["printed"] else _bounded(claim, worked)
    return [first, *rest] if rest else []


def _vectors(text: str, worked: Worked, where: str) -> list[str]:
    """What the vectors of the formula are by their definitions, and for each token: ``U[i] = W*x[i]`` is ... or ..."""
    parts = (part.partition(" = ") for part in re.split(r"; |, (?=[A-Z]\[)", " ".join(where.split())))
    defined = {left: f"{left} = {right}" for left, _, right in parts}
    found = []
    for name in dict.fromkeys(re.findall(r"\b([A-Z])\[i\]", text)):
        values = [worked.value(f"{name}[i]", i=k) for k in worked.families["x"]][:MOST]
        told = formula(defined.get(f"{name}[i]", f"{name}[i]"))
        found.append(f"{told} is {' or '.join(written(sp.simplify(value)) for value in values)}")
    return found


def _monotone(claim: Mapping[str, Any], worked: Worked, name: str) -> list[str]:
    """A quadratic that rises or falls, beside the condition that is printed for it."""
    call = ast.parse(claim["said"]["quantities"][name], mode="eval").body
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        return []
    inside = call.args[0]
    value = sp.expand(worked._value(inside, {}))
    slope = sp.diff(value, worked.known["l"])
    ends = [slope.subs(worked.known["l"], end) for end in (0, 1)]
    if sp.degree(slope, worked.known["l"]) > 1:
        return []
    falls, rises = (all(sign * end <= 0 for end in ends) and any(ends) for sign in (1, -1))
    holds = {"decreasing": falls, "increasing": rises}[call.func.id]
    condition = claim["printed"][name].removeprefix("iff ")
    left = condition.split(" > ")[0].split(" < ")[0]
    met = bool(worked.value(condition))
    if [str(met), str(holds)] != [claim["counterexample"][side].partition(": ")[2] for side in ("printed", "true")]:
        return []
    way = "falls" if falls else "rises" if rises else "neither falls nor rises throughout"
    return [
        f"Then {'; '.join(_vectors(ast.unparse(inside), worked, claim['said']['where']))}.",
        f"So {chain(ast.unparse(inside), str(value))} with the derivative {formula(str(slope))}, and strictly {way} "
        "for l from 0 to 1.",
        f"The print asks for {formula(condition)}, and here {chain(left, str(worked.value(left)))}.",
    ]


def _bounded(claim: Mapping[str, Any], worked: Worked) -> list[str]:
    """A difference of means that is larger than the bound that is printed for it."""
    ((name, printed),) = claim["printed"].items()
    text = claim["said"]["quantities"][name]
    true = worked.value(text)
    example = claim["counterexample"]
    if not close(true, reported(example["true"])) or not close(parse(printed), reported(example["printed"])):
        return []
    node = ast.parse(text.strip(), mode="eval").body
    if not isinstance(node, ast.BinOp):
        return []
    sides = [node.left, node.right]
    values = [sp.nsimplify(worked._value(side, {})) for side in sides]
    where = claim["said"]["where"]
    out = [
        f"{_vectors(ast.unparse(side), worked, where)[0]}, and {formula(ast.unparse(side))} is {_value(value)}."
        for side, value in zip(sides, values, strict=True)
    ]
    hypotheses = [part for part in claim["said"]["hypotheses"].split(", ") if " > 0" in part]
    given = [f"{chain(part.removesuffix(' > 0'), str(worked.value(part.removesuffix(' > 0'))))}" for part in hypotheses]
    with_given = f" though {' and '.join(given)} is positive, as the claim assumes" if given else ""
    return [*out, f"The difference is {_value(true)}, and the print bounds it by {formula(printed)}{with_given}."]


def _value(value: Any) -> str:
    exact, about, digits = told(value).partition(" (about")
    return formula(exact) + about + digits


def _attended(claim: Mapping[str, Any]) -> list[str]:
    """Keys with scores and values: their weights, the output, and the weight that is claimed to be 0."""
    params, said = claim["counterexample"]["params"], claim["said"]
    scores = [sp.Rational(score) for score in params["scores"]]
    values = {k: column(entry) for k, entry in enumerate(params["values"], 1)}
    places = {k: sp.Matrix([score]) for k, score in enumerate(scores, 1)}
    seen = {k: sp.Matrix([1]) for k in places}
    one = {name: {k: matrix[0, 0] for k, matrix in family.items()} for name, family in (("s", places), ("seen", seen))}
    worked = Worked(said["where"], {"N": sp.Integer(len(scores))}, {**one, "v": values})
    ((name, printed),) = claim["printed"].items()
    true = worked.value(said["quantities"][name])
    example = claim["counterexample"]
    if not close(true, reported(example["true"])) or not close(parse(printed), reported(example["printed"])):
        return []
    weights = [sp.exp(score) / sum(map(sp.exp, scores)) for score in scores]
    out = sum(
        (weight * value for weight, value in zip(weights, values.values(), strict=True)), sp.zeros(*values[1].shape)
    )
    shown = ", ".join(written(value) for value in values.values())
    return [
        f"Take {len(scores)} keys with the scores {', '.join(map(str, scores))} and the values {shown}, the sink "
        "first.",
        f"Their softmax weights are {', '.join(formula(str(weight)) for weight in weights)}, and the output, the sum "
        f"of weights times values, is {written(out)}.",
        f"But the keys whose values are not 0 have the weight {_value(true)} together; the print says "
        f"{formula(printed)}.",
    ]


def _exists(claim: Mapping[str, Any], text: str) -> list[str]:
    """Whether a W exists for vectors of one entry, where 1 or -1 is one or none is; and the hull in the print."""
    params, said = claim["counterexample"]["params"], claim["said"]["quantities"]
    if any(len(vector) != 1 for vector in params["z"]):
        return []
    points = {k: Fraction(*vector) for k, vector in enumerate(params["z"])}
    call = ast.parse(text, mode="eval").body
    if not isinstance(call, ast.Call) or not isinstance(call.args[1], ast.Call):
        return []
    condition, _, _, _, first, last = call.args[1].args
    if not isinstance(condition, ast.Compare):
        return []
    shown: dict[int, list[str]] = {1: [], -1: []}
    holds = {1: True, -1: True}
    for i in params["J"]:
        for j in range(_place_of(first, params, i), _place_of(last, params, i) + 1):
            for weight in shown:
                sides = [
                    _numbers(side, points, weight, {"i": i, "j": j})
                    for side in (condition.left, *condition.comparators)
                ]
                holds[weight] &= sides[0] > sides[1]
                shown[weight].append(f"{formula(f'{sides[0]} > {sides[1]}')} for i = {i}, j = {j}")
    weight = next((one for one in holds if holds[one]), 0)
    name, found = claim["counterexample"]["true"].split(": ")
    if str(bool(weight)) != found or not weight:
        return []
    distances = {key: _distance(body, points, params) for key, body in said.items() if body.startswith("dist(")}
    named = [key for key in distances if re.search(rf"\b{key}\b", claim["printed"][name])]
    vanishing = [key for key in named if distances[key] == 0]
    if not vanishing or claim["counterexample"]["printed"] != f"{name}: False":
        return []
    vectors = ", ".join(f"z[{k}] = {value}" for k, value in points.items())
    rest = "".join(f", {key} = {value}" for key, value in params.items() if key not in ("z", "J"))
    return [
        f"Take {vectors}{rest}, where J holds {' and '.join(map(str, params['J']))}.",
        f"With {formula(f'W = {weight}')} the condition {formula(ast.unparse(condition))} "
        f"reads {'; '.join(shown[weight])}: "
        "it holds, so that such a W exists.",
        f"But {' and '.join(f'{formula(key)} is 0' for key in vanishing)}, as 0 is in the hull of these vectors, and "
        "the print says that there is none.",
    ]


def _place_of(node: ast.expr, params: Mapping[str, Any], i: int) -> int:
    """An index such as max(1, i - w + 1)."""
    values = {name: sp.Integer(value) for name, value in {**params, "i": i}.items() if isinstance(value, int)}
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "max":
        return max(_place_of(argument, params, i) for argument in node.args)
    return int(parse(ast.unparse(node)).xreplace({sp.Symbol(name): value for name, value in values.items()}))


def _numbers(node: ast.expr, points: Mapping[int, Fraction], weight: int, at: Mapping[str, int]) -> Fraction:
    """A product of numbers z[i], z[i].T and W."""
    match node:
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            return _numbers(left, points, weight, at) * _numbers(right, points, weight, at)
        case ast.Attribute(value=inner, attr="T"):
            return _numbers(inner, points, weight, at)
        case ast.Name(id="W"):
            return Fraction(weight)
        case ast.Subscript(value=ast.Name(id="z"), slice=ast.Name(id=index)):
            return points[at[index]]
        case ast.Subscript(value=ast.Name(id="z"), slice=ast.Constant(value=int() as index)):
            return points[index]
    raise ValueError("another formula")


def _distance(body: str, points: Mapping[int, Fraction], params: Mapping[str, Any]) -> Fraction:
    """The distance of 0 from the hull of the z[i], i in J; 1 for one of another point or of other vectors."""
    if body.replace(" ", "") != "dist(0,hull(z[i],i,J))":
        return Fraction(1)
    chosen = [points[i] for i in params["J"]]
    return max(min(chosen), -max(chosen), Fraction(0))
