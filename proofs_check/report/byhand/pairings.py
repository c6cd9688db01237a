"""Quantities in Gaussian tokens of one entry, as sums of products of covariances: E[x_1 x_2^3] = 3 E[x_1 x_2] E[x_2^2].

With d = 1 a form x_i^T W x_j is W x_i x_j, a product of numbers that are jointly Gaussian, and Isserlis' sum over
pairings is short.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy as sp

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


class NotHere(ValueError):
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
            raise NotHere
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


def setting_of(claim: Mapping[str, Any], name: str) -> Setting:
    """A quantity of the claim at its counterexample."""
    said = claim["said"]
    text = f"{said['quantities'][name]} = 0"
    prop = proposition(text, said["hypotheses"], said["where"], said["law"], "")
    return Setting(prop, claim["counterexample"]["params"], name)


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
                raise NotHere
            return [(a / below, u) for a, u in products(node.args[0], setting)]
        case "**" if node.args[1].op == "number" and node.args[1].args[0] in (2, 3):
            return products(Expr("*", (node.args[0],) * int(node.args[1].args[0])), setting)
        case "**" if node.args[1].op == "number":
            ((value, vectors),) = products(node.args[0], setting)
            if vectors:
                raise NotHere
            return [(value ** int(node.args[1].args[0]), ())]
        case "sum":
            return [_summed(term, node, setting) for term in products(node.args[0], setting)]
    raise NotHere


def _position(node: Expr) -> str:
    if node.op != "name":
        raise NotHere
    return str(node.args[0])


def _summed(term: Product, node: Expr, setting: Setting) -> Product:
    """The sum over all tokens of a product in which the index stands once."""
    _, index, first, last = node.args
    value, vectors = term
    own = [k for k, v in enumerate(vectors) if v == Vector(((Ratio.of(1), ("at", index)),))]
    if str(first) != "1" or str(last) != "T" or len(own) != 1 or index in str(value):
        raise NotHere
    whole = Vector(((Ratio.of(1), ("between", START, "T")),))
    return value, tuple(whole if k == own[0] else v for k, v in enumerate(vectors))


def _gathered(products: Sequence[Product], *, constant: bool) -> Product:
    """The sum as one product: all summands but constants share every factor but one."""
    parts = [(a, u) for a, u in products if u]
    if len(parts) < len(products) and not constant:
        raise NotHere
    if len(parts) == 1:
        return parts[0]
    shared = Counter(parts[0][1])
    for _, vectors in parts:
        shared &= Counter(vectors)
    rest = [list((Counter(vectors) - shared).elements()) for _, vectors in parts]
    if any(len(one) != 1 for one in rest):
        raise NotHere
    whole = Vector()
    for (value, _), (one,) in zip(parts, rest, strict=True):
        whole = whole + one * value
    return Ratio.of(1), (whole, *shared.elements())


def moment_of(node: Expr, setting: Setting) -> Product:
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


def paired(vectors: Sequence[Vector], variance: bool) -> Counter[tuple[tuple[str, str], ...]]:
    """The products of covariances of a moment, and how often each stands; of a variance without the squared mean."""
    factors = [str(v) for v in vectors] * (2 if variance else 1)
    if len(factors) % 2 or len(factors) > FACTORS:
        raise NotHere
    half = len(vectors)
    found: Counter[tuple[tuple[str, str], ...]] = Counter()
    for way in pairings(len(factors)):
        # pairs within each half make up the squared mean
        if variance and all((a < half) == (b < half) for a, b in way):
            continue
        pairs = ((factors[a], factors[b]) for a, b in way)
        found[tuple(sorted((min(pair), max(pair)) for pair in pairs))] += 1
    return found


def in_order(setting: Setting, indices: Sequence[str]) -> tuple[str, ...]:
    """The positions in their order, the indices of sums last before T."""
    return tuple(name for name in ("i", *indices, "T") if name in (*setting.prop.positions, *indices))


def exact_value(node: Expr, setting: Setting, indices: tuple[str, ...] = ()) -> sp.Expr:
    """A quantity in i, T and the indices, at the case's matrices: sums of products of covariances, closed."""
    if node.op in ("E", "Var"):
        factor, vectors = moment_of(node, setting)
        walk = process(setting.kernel, in_order(setting, indices))
        table = {str(v): v for v in vectors}
        total = sp.Integer(0)
        for way, count in paired(vectors, node.op == "Var").items():
            part = sp.Integer(count)
            for one, two in way:
                part *= walk.covariance(table[one], table[two]).expr * sp.Rational(setting.number("Sigma"))
            total += part
        return sp.sympify(total * factor.expr ** (2 if node.op == "Var" else 1))
    if node.op == "sum" and not indices:
        body, index, first, last = node.args
        if str(first) != "i + 1" or str(last) != "T":
            raise NotHere
        inner = sp.expand(exact_value(body, setting, (index,)))
        return sp.sympify(sp.summation(inner, (sp.Symbol(index), sp.Symbol("i") + 1, _T)))
    if node.op == "*":
        return sp.Mul(*(exact_value(part, setting, indices) for part in node))
    if node.op == "number":
        return sp.Rational(node.args[0])
    raise NotHere


def tends(value: sp.Expr) -> tuple[sp.Expr, int]:
    """The coefficient and the power of T in the leading term with i = theta T."""
    above, below = (sp.Poly(part, _T) for part in sp.fraction(sp.together(value.subs(sp.Symbol("i"), _THETA * _T))))
    if above.is_zero:
        raise NotHere
    return sp.expand(sp.cancel(above.LC() / below.LC())), int(above.degree() - below.degree())
