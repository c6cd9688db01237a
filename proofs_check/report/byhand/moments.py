"""Moments of Gaussian tokens in one dimension, by pairings: E[x_1 x_2^3] = 3 E[x_1 x_2] E[x_2^2].

With d = 1 a form x_i^T W x_j is W x_i x_j, a product of numbers that are jointly Gaussian, and Isserlis' sum over
pairings is short. Of a limit the covariances are closed sums of the engine, and their leading terms are shown.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy as sp

from proofs_check.report.byhand.substituting import chain, exact, formula, put_in, told
from theorems.algebra.expressions import parse
from theorems.algebra.ratio import Ratio
from theorems.gaussian.observables import START, Vector
from theorems.gaussian.process import KERNELS, process
from theorems.statement.expression import Expr
from theorems.statement.proposition import Proposition, proposition

#: coefficient * product of linear combinations of tokens
Product = tuple[Ratio, tuple[Vector, ...]]
_T, _THETA = sp.Symbol("T"), sp.Symbol("theta")
#: Most factors of a product whose pairings a reader follows.
FACTORS = 6
_LETTERS = "GHKL"


class _NotHere(ValueError):
    """The claim has another shape."""


@dataclass(frozen=True)
class Setting:
    """A claim's counterexample in one dimension: its numbers, and the law of the tokens."""

    prop: Proposition
    params: Mapping[str, Any]
    name: str

    @property
    def kernel(self) -> str:
        """The law by the engine's name."""
        start = str(self.params.get("start", "sigma"))
        if self.prop.law.kind != "walk" or start not in KERNELS or KERNELS[start].mean is not None:
            raise _NotHere
        return start

    def number(self, name: str) -> Fraction:
        """A number of the case, or the entry of a matrix of one entry."""
        value = self.params[name]
        while isinstance(value, list):
            (value,) = value
        return Fraction(value)

    def between(self, one: int, two: int) -> Fraction:
        """The covariance of two tokens for Sigma = 1."""
        first, second = sorted((one, two))
        kernel = KERNELS[self.kernel]
        found = kernel.at(first) if first == second else kernel.between(first, second)
        return Fraction(str(found.expr)) * self.number("Sigma")


def lines(claim: Mapping[str, Any]) -> list[str]:
    """The check of the first quantity whose values are those of the counterexample."""
    if int(claim["counterexample"]["params"].get("d", 0)) != 1:
        return []
    for name, printed in claim["printed"].items():
        try:
            setting = setting_of(claim, name)
            found = _limit(claim, setting, printed) if claim["counterexample"].get("limit") else None
            found = found or _finite(claim, setting, printed)
        except (_NotHere, KeyError, ValueError):
            continue
        if found:
            return found
    return []


def setting_of(claim: Mapping[str, Any], name: str) -> Setting:
    """A quantity of the claim at its counterexample."""
    said = claim["said"]
    text = f"{said['quantities'][name]} = 0"
    prop = proposition(text, said["hypotheses"], said["where"], said["law"], "")
    return Setting(prop, claim["counterexample"]["params"], name)


# -- products of linear combinations of tokens


def products(node: Expr, setting: Setting) -> list[Product]:
    """The expression as a sum of products, in one dimension."""
    match node.op:
        case "number":
            return [(Ratio.of(node.args[0]), ())]
        case "name":
            name = str(node.args[0])
            return [(Ratio.of(name if name in setting.prop.positions else setting.number(name)), ())]
        case "matrix" | "vector":
            return [(Ratio.of(1 if node.args[0] == "I" else setting.number(node.args[0])), ())]
        case "T":
            return products(node.args[0], setting)
        case "token":
            return [(Ratio.of(1), (Vector(((Ratio.of(1), ("at", _position(node.args[0]))),)),))]
        case "+":
            return [term for part in node for term in products(part, setting)]
        case "*":
            found: list[Product] = [(Ratio.of(1), ())]
            for part in node:
                more = products(part, setting)
                found = [(a * b, (*u, *v)) for a, u in found for b, v in more]
            return found
        case "/":
            ((below, vectors),) = products(node.args[1], setting)
            if vectors:
                raise _NotHere
            return [(a / below, u) for a, u in products(node.args[0], setting)]
        case "**" if node.args[1].op == "number" and node.args[1].args[0] in (2, 3):
            return products(Expr("*", (node.args[0],) * int(node.args[1].args[0])), setting)
        case "**" if node.args[1].op == "number":
            ((value, vectors),) = products(node.args[0], setting)
            if vectors:
                raise _NotHere
            return [(value ** int(node.args[1].args[0]), ())]
        case "sum":
            return [_summed(term, node, setting) for term in products(node.args[0], setting)]
    raise _NotHere


def _position(node: Expr) -> str:
    if node.op != "name":
        raise _NotHere
    return str(node.args[0])


def _summed(term: Product, node: Expr, setting: Setting) -> Product:
    """The sum over all tokens of a product in which the index stands once."""
    _, index, first, last = node.args
    value, vectors = term
    own = [k for k, v in enumerate(vectors) if v == Vector(((Ratio.of(1), ("at", index)),))]
    if str(first) != "1" or str(last) != "T" or len(own) != 1 or index in str(value):
        raise _NotHere
    whole = Vector(((Ratio.of(1), ("between", START, "T")),))
    return value, tuple(whole if k == own[0] else v for k, v in enumerate(vectors))


def _gathered(products: Sequence[Product], *, constant: bool) -> Product:
    """The sum as one product: all summands but constants share every factor but one."""
    parts = [(a, u) for a, u in products if u]
    if len(parts) < len(products) and not constant:
        raise _NotHere
    if len(parts) == 1:
        return parts[0]
    shared = Counter(parts[0][1])
    for _, vectors in parts:
        shared &= Counter(vectors)
    rest = [list((Counter(vectors) - shared).elements()) for _, vectors in parts]
    if any(len(one) != 1 for one in rest):
        raise _NotHere
    whole = Vector()
    for (value, _), (one,) in zip(parts, rest, strict=True):
        whole = whole + one * value
    return Ratio.of(1), (whole, *shared.elements())


def _moment(node: Expr, setting: Setting) -> Product:
    """What a mean, or a variance, is of, as one product."""
    inside = node.args[0]
    if inside.op == "**" and inside.args[1] == Expr("number", (Fraction(2),)):
        value, vectors = _gathered(products(inside.args[0], setting), constant=False)
        return value * value, (*vectors, *vectors)
    return _gathered(products(inside, setting), constant=node.op == "Var")


def pairings(count: int) -> Iterator[tuple[tuple[int, int], ...]]:
    """All ways of putting 0, ..., count - 1 into pairs."""

    def of(left: tuple[int, ...]) -> Iterator[tuple[tuple[int, int], ...]]:
        if not left:
            yield ()
            return
        first, *rest = left
        for k, other in enumerate(rest):
            for more in of((*rest[:k], *rest[k + 1 :])):
                yield ((first, other), *more)

    return of(tuple(range(count)))


def _paired(vectors: Sequence[Vector], variance: bool) -> Counter[tuple[tuple[str, str], ...]]:
    """The products of covariances of a moment, and how often each stands; of a variance without the squared mean."""
    factors = [str(v) for v in vectors] * (2 if variance else 1)
    if len(factors) % 2 or len(factors) > FACTORS:
        raise _NotHere
    half = len(vectors)
    found: Counter[tuple[tuple[str, str], ...]] = Counter()
    for way in pairings(len(factors)):
        # pairs within each half make up the squared mean
        if variance and all((a < half) == (b < half) for a, b in way):
            continue
        pairs = ((factors[a], factors[b]) for a, b in way)
        found[tuple(sorted((min(pair), max(pair)) for pair in pairs))] += 1
    return found


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
            found = _moment(node, setting)
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
        raise _NotHere

    def _at(product: Product, variance: bool, own: Mapping[str, int]) -> Fraction:
        factor, vectors = product
        table = {str(v): v for v in vectors}
        places = {name: int(number) for name, number in where.items() if number.denominator == 1} | dict(own)

        def covariance(one: str, two: str) -> Fraction:
            ends = [table[name].parts for name in (one, two)]
            if any(atom[0] != "at" or c != 1 for parts in ends for c, atom in parts):
                raise _NotHere
            (a,), (b,) = ends
            return setting.between(places[a[1][1]], places[b[1][1]])

        total = Fraction(0)
        for way, count in _paired(vectors, variance).items():
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
    found = _paired(vectors, node.op == "Var")
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
        raise _NotHere
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
    at = {_THETA: sp.Rational(values["theta"])} if "theta" in values else {}
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
        raise _NotHere
    found, indices = _inner(parts[0])
    return found, (*((node.args[1],) if node.op == "sum" else ()), *indices)


def pairing(setting: Setting) -> tuple[str, str]:
    """What a variance is of, in letters, and its sum over pairings."""
    _, vectors = _moment(setting.prop.left, setting)
    names = _lettered(vectors)
    defined = ", ".join(formula(f"{names[key]} = {key}") for key in map(str, vectors) if names[key] in _LETTERS)
    moment = _of(vectors, names, "Var")
    return f"{formula(moment)} with {defined}", chain(moment, _sum(_paired(vectors, True), names))


def _derived(setting: Setting) -> list[str]:
    """What the quantity is a moment of, the sum over pairings, and the sizes of its covariances."""
    node, indices = _inner(setting.prop.left)
    factor, vectors = _moment(node, setting)
    names, found = _lettered(vectors), _paired(vectors, node.op == "Var")
    table = {str(v): v for v in vectors}
    moment = _of(vectors, names, node.op)
    sums = _sum(found, names)
    if indices:
        value = sp.expand(exact_value(node, setting, indices))
        return [
            ".",
            f"By pairings (Isserlis), {chain(moment, sums, str(value))} for {' <= '.join(_chain(setting, indices))}.",
            f"The quantity is {formula(str(setting.prop.left))}.",
        ]
    defined = ", ".join(formula(f"{names[key]} = {key}") for key in table if names[key] in _LETTERS)
    walk = process(setting.kernel, _chain(setting, ()))
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


def _chain(setting: Setting, indices: Sequence[str]) -> tuple[str, ...]:
    """The positions in their order, the indices of sums last before T."""
    return tuple(name for name in ("i", *indices, "T") if name in (*setting.prop.positions, *indices))


def exact_value(node: Expr, setting: Setting, indices: tuple[str, ...] = ()) -> sp.Expr:
    """A quantity in i, T and the indices, at the case's matrices: sums of products of covariances, closed."""
    if node.op in ("E", "Var"):
        factor, vectors = _moment(node, setting)
        walk = process(setting.kernel, _chain(setting, indices))
        table = {str(v): v for v in vectors}
        total = sp.Integer(0)
        for way, count in _paired(vectors, node.op == "Var").items():
            part = sp.Integer(count)
            for one, two in way:
                part *= walk.covariance(table[one], table[two]).expr * sp.Rational(setting.number("Sigma"))
            total += part
        return sp.sympify(total * factor.expr ** (2 if node.op == "Var" else 1))
    if node.op == "sum" and not indices:
        body, index, first, last = node.args
        if str(first) != "i + 1" or str(last) != "T":
            raise _NotHere
        inner = sp.expand(exact_value(body, setting, (index,)))
        return sp.sympify(sp.summation(inner, (sp.Symbol(index), sp.Symbol("i") + 1, _T)))
    if node.op == "*":
        return sp.Mul(*(exact_value(part, setting, indices) for part in node))
    if node.op == "number":
        return sp.Rational(node.args[0])
    raise _NotHere


def tends(value: sp.Expr) -> tuple[sp.Expr, int]:
    """The coefficient and the power of T in the leading term with i = theta T."""
    above, below = (sp.Poly(part, _T) for part in sp.fraction(sp.together(value.subs(sp.Symbol("i"), _THETA * _T))))
    if above.is_zero:
        raise _NotHere
    return sp.expand(sp.cancel(above.LC() / below.LC())), int(above.degree() - below.degree())


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
