"""Moments of Gaussian tokens in one dimension, by pairings: E[x_1 x_2^3] = 3 E[x_1 x_2] E[x_2^2].

With d = 1 a form x_i^T W x_j is W x_i x_j, a product of numbers that are jointly Gaussian, and Isserlis' sum over
pairings is short. Of a limit the covariances are closed sums of the engine, and their leading terms are shown.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import sympy as sp

from proofs_check.report.byhand.pairings import (
    NotHere,
    Product,
    Setting,
    exact_value,
    in_order,
    moment_of,
    paired,
    setting_of,
    tends,
)
from proofs_check.report.byhand.substituting import chain, exact, formula, put_in, told
from theorems.algebra.expressions import parse
from theorems.gaussian.observables import Vector
from theorems.gaussian.process import KERNELS, process
from theorems.statement.expression import Expr

_LETTERS = "GHKL"


def lines(claim: Mapping[str, Any]) -> list[str]:
    """The check of the first quantity whose values are those of the counterexample."""
    if int(claim["counterexample"]["params"].get("d", 0)) != 1:
        return []
    for name, printed in claim["printed"].items():
        try:
            setting = setting_of(claim, name)
            found = _limit(claim, setting, printed) if claim["counterexample"].get("limit") else None
            found = found or _finite(claim, setting, printed)
        except (NotHere, KeyError, ValueError):
            continue
        if found:
            return found
    return []


# -- texts


def _power(text: str, times: int) -> str:
    return text if times == 1 else f"{text}^{times}"


def _covariance(pair: tuple[str, str]) -> str:
    return f"E[{_power(pair[0], 2)}]" if pair[0] == pair[1] else f"E[{pair[0]} {pair[1]}]"


def _sum(found: Mapping[tuple[tuple[str, str], ...], int], names: Mapping[str, str]) -> str:
    """The sum over pairings: ``E[x_i^2] E[x_j^2] + 2 E[x_i x_j]^2``."""
    parts = []
    for way, count in found.items():
        counts = Counter(tuple(sorted((names[a], names[b]))) for a, b in way)
        product = " ".join(_power(_covariance((a, b)), times) for (a, b), times in counts.items())
        parts.append(product if count == 1 else f"{count} {product}")
    return " + ".join(parts)


def _of(vectors: Sequence[Vector], names: Mapping[str, str], kind: str) -> str:
    counts = Counter(names[str(v)] for v in vectors)
    return f"{kind}[{' '.join(_power(name, times) for name, times in counts.items())}]"


def given(setting: Setting) -> str:
    """The case: d = 1, its matrices, and how the tokens vary together."""
    named = [f"{name} = {setting.number(name)}" for name in ("W", "Sigma", "lam") if name in setting.params]
    return f"Take d = 1, {', '.join(named)}: {tokens(setting)}."


def tokens(setting: Setting) -> str:
    """How the tokens vary together."""
    scale = "" if setting.number("Sigma") == 1 else " Sigma"
    return f"the tokens are numbers with E[x_s x_t] = {KERNELS[setting.kernel].below.expr}{scale} for s <= t"


# -- a case of its own


def _finite(claim: Mapping[str, Any], setting: Setting, printed: str) -> list[str]:
    example = claim["counterexample"]
    where = {
        name: Fraction(value)
        for name, value in example["params"].items()
        if isinstance(value, (int, str)) and name != "start"
    }
    seen: list[tuple[Expr, Product]] = []

    def value(node: Expr, own: Mapping[str, int]) -> Fraction:
        if node.op in ("E", "Var"):
            found = moment_of(node, setting)
            if not seen:
                seen.append((node, found))
            return _at(found, node.op == "Var", own)
        if node.op == "sum":
            body, index, first, last = node.args
            low, high = value(first, own), value(last, own)
            return sum((value(body, {**own, index: k}) for k in range(int(low), int(high) + 1)), Fraction(0))
        if node.op == "number":
            return Fraction(node.args[0])
        if node.op == "name":
            return Fraction(own[node.args[0]]) if node.args[0] in own else where[node.args[0]]
        parts = [value(part, own) for part in node]
        if node.op in ("+", "*"):
            total = Fraction(int(node.op == "*"))
            for part in parts:
                total = total + part if node.op == "+" else total * part
            return total
        if node.op == "/":
            return parts[0] / parts[1]
        if node.op == "**" and parts[1].denominator == 1:
            return parts[0] ** int(parts[1])
        raise NotHere

    def _at(product: Product, variance: bool, own: Mapping[str, int]) -> Fraction:
        factor, vectors = product
        table = {str(v): v for v in vectors}
        places = {name: int(number) for name, number in where.items() if number.denominator == 1} | dict(own)

        def covariance(one: str, two: str) -> Fraction:
            ends = [table[name].parts for name in (one, two)]
            if any(atom[0] != "at" or c != 1 for parts in ends for c, atom in parts):
                raise NotHere
            (a,), (b,) = ends
            return setting.between(places[a[1][1]], places[b[1][1]])

        total = Fraction(0)
        for way, count in paired(vectors, variance).items():
            part = Fraction(count)
            for one, two in way:
                part *= covariance(one, two)
            total += part
        numbers = {**where, **{name: Fraction(k) for name, k in own.items()}}
        return total * Fraction(str(exact(str(factor.expr), numbers))) ** (2 if variance else 1)

    true = value(setting.prop.left, {})
    values, shown = _printed_values(claim, setting)
    claimed = exact(printed, values)
    if true != Fraction(example["true"]) or claimed != sp.Rational(example["printed"]) or not seen:
        return []
    node, (_, vectors) = seen[0]
    single = setting.prop.left == node
    names = {str(v): _token(v, where if single else {}) for v in vectors}
    found = paired(vectors, node.op == "Var")
    sums = [_numbers(found, setting, where, vectors), told(sp.Rational(true))] if single else []
    second = chain(_of(vectors, names, node.op), _sum(found, names), *sums)
    scale = setting.number("W")
    if single and scale != 1:
        return []
    out = [given(setting), f"By pairings (Isserlis), {second}."]
    if not single:
        out.append(f"So {chain(str(setting.prop.left), told(sp.Rational(true)))} at {_where(where)}.")
    out.append(f"The print gives {chain(put_in(printed, shown), told(claimed))}.")
    return out


def _numbers(found: Mapping[tuple[tuple[str, str], ...], int], setting: Setting, where: Any, vectors: Any) -> str:
    """The sum over pairings in numbers: ``3*1*2``."""
    place = {str(v): int(where[v.parts[0][1][1]]) for v in vectors}
    parts = []
    for way, count in found.items():
        factors = [str(setting.between(place[a], place[b])) for a, b in way]
        parts.append("*".join([*([str(count)] if count > 1 else []), *factors]))
    return " + ".join(parts)


def _token(vector: Vector, places: Mapping[str, Fraction]) -> str:
    ((value, atom),) = vector.parts
    if value != 1 or atom[0] != "at":
        raise NotHere
    return f"x_{places.get(atom[1], atom[1])}"


def _where(numbers: Mapping[str, Fraction]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in numbers.items() if name != "d")


def _printed_values(claim: Mapping[str, Any], setting: Setting) -> tuple[dict[str, Fraction], dict[str, str]]:
    """The numbers of a printed formula: the case's, and traces of powers of W Sigma."""
    values = {
        name: Fraction(value)
        for name, value in claim["counterexample"]["params"].items()
        if isinstance(value, (int, str)) and name != "start"
    }
    both = setting.number("W") * setting.number("Sigma")
    for name in re.findall(r"\btr\d+\b", " ".join(claim["printed"].values())):
        values[name] = both ** int(name[2:])
    return values, {name: str(value) for name, value in values.items()}


# -- a limit


def _limit(claim: Mapping[str, Any], setting: Setting, printed: str) -> list[str]:
    """The leading terms of the covariances for i = theta T, and the quantity's from these."""
    example = claim["counterexample"]
    values, shown = _printed_values(claim, setting)
    at = {sp.Symbol("theta"): sp.Rational(values["theta"])} if "theta" in values else {}
    true, power = tends(exact_value(setting.prop.left, setting))
    other = setting_of(claim, printed) if printed in claim["said"]["quantities"] else None
    fixed = {sp.Symbol(n): sp.Rational(v) for n, v in values.items() if n not in ("i", "T", "theta")}
    claimed, same = tends(parse(printed).xreplace(fixed) if other is None else exact_value(other.prop.left, other))
    known = claimed.subs(at) == sp.Rational(example["printed"]) and true.subs(at) == sp.Rational(example["true"])
    if not known or power != same:
        return []
    over = "" if power == 0 else f" over {_power('T', power)}"
    place = f"; at theta = {values['theta']} it is {told(true.subs(at))}" if at and true.free_symbols else ""
    first, *rest = _derived(setting)
    out = [f"{given(setting).removesuffix('.')}{first}", *rest]
    out.append(f"So with i = theta*T the quantity{over} tends to {formula(str(true))}{place}.")
    if other is not None:
        head, *_ = _derived(other)
        told_other = head.replace("; the quantity is", "The reading puts", 1).removesuffix(".")
        return [
            *out,
            f"{told_other} in its place, which{over} tends to {formula(str(claimed))}, there {told(claimed.subs(at))}.",
        ]
    if printed and not {"i", "T"} & {name.name for name in parse(printed).free_symbols}:
        numbers = {name: text for name, text in shown.items() if name not in ("i", "T")}
        return [*out, f"The print gives {chain(put_in(printed, numbers), told(claimed.subs(at)))}."]
    return [*out, f"The print{over} tends to {formula(str(claimed))}, there {told(claimed.subs(at))}."]


def _inner(node: Expr) -> tuple[Expr, tuple[str, ...]]:
    """The one moment of a quantity, and the indices of the sums around it."""
    if node.op in ("E", "Var"):
        return node, ()
    parts = [part for part in node if part.has("E", "Var")]
    if len(parts) != 1 or node.op not in ("*", "sum"):
        raise NotHere
    found, indices = _inner(parts[0])
    return found, (*((node.args[1],) if node.op == "sum" else ()), *indices)


def pairing(setting: Setting) -> tuple[str, str]:
    """What a variance is of, in letters, and its sum over pairings."""
    _, vectors = moment_of(setting.prop.left, setting)
    names = _lettered(vectors)
    defined = ", ".join(formula(f"{names[key]} = {key}") for key in map(str, vectors) if names[key] in _LETTERS)
    moment = _of(vectors, names, "Var")
    return f"{formula(moment)} with {defined}", chain(moment, _sum(paired(vectors, True), names))


def _derived(setting: Setting) -> list[str]:
    """What the quantity is a moment of, the sum over pairings, and the sizes of its covariances."""
    node, indices = _inner(setting.prop.left)
    factor, vectors = moment_of(node, setting)
    names, found = _lettered(vectors), paired(vectors, node.op == "Var")
    table = {str(v): v for v in vectors}
    moment = _of(vectors, names, node.op)
    sums = _sum(found, names)
    if indices:
        value = sp.expand(exact_value(node, setting, indices))
        return [
            ".",
            f"By pairings (Isserlis), {chain(moment, sums, str(value))} for {' <= '.join(in_order(setting, indices))}.",
            f"The quantity is {formula(str(setting.prop.left))}.",
        ]
    defined = ", ".join(formula(f"{names[key]} = {key}") for key in table if names[key] in _LETTERS)
    walk = process(setting.kernel, in_order(setting, ()))
    pairs = sorted({pair for way in found for pair in way}, key=lambda pair: (names[pair[0]], names[pair[1]]))
    tending = ", ".join(
        f"`{_covariance((names[a], names[b]))} ~ {_sized(*tends(walk.covariance(table[a], table[b]).expr))}`"
        for a, b in pairs
    )
    scale = (factor * factor if node.op == "Var" else factor).expr
    head = f"; the quantity is `{'' if scale == 1 else f'({scale}) * '}{moment}`" + (
        f" with {defined}." if defined else "."
    )
    return [head, f"By pairings (Isserlis), {chain(moment, sums)}.", f"As T -> infinity, {tending}."]


def _lettered(vectors: Sequence[Vector]) -> dict[str, str]:
    names: dict[str, str] = {}
    letters = iter(_LETTERS)
    for vector in vectors:
        if str(vector) not in names:
            lone = len(vector.parts) == 1 and vector.parts[0][0] == 1 and vector.parts[0][1][0] == "at"
            names[str(vector)] = f"x_{vector.parts[0][1][1]}" if lone else next(letters)
    return names


def _sized(value: sp.Expr, power: int) -> str:
    text = f"({value})" if value.is_Add else str(value)
    size = "" if power == 0 else "T" if abs(power) == 1 else f"T**{abs(power)}"
    if not size:
        return str(value)
    if power < 0:
        return f"{text}/{size}"
    return size if value == 1 else f"{text}*{size}"
