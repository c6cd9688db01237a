"""Signs of exact values in one order of the positions: which names stand for what is >= 0, and what is never 0."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from theorems.algebra.expressions import symbol
from theorems.statement.moments.squares import square_trace
from theorems.statement.proposition import Proposition
from theorems.statement.reading.places import Order
from theorems.statement.reading.ranges import Range


def positive_names(prop: Proposition, order: Order, value: sp.Expr) -> dict[sp.Symbol, sp.Expr]:
    """Names of a value in variables that are >= 0: positions by order, parameters by sign, traces of squares."""
    table: dict[sp.Symbol, sp.Expr] = {}
    before: sp.Expr = sp.Integer(0)
    for number, node in enumerate(order.nodes):
        plain = [symbol(place.name) for place in node if place.name and place.offset == 0]
        named = [name for name in plain if name in value.free_symbols]
        if named:
            before = before + 1 + sp.Symbol(f"step{number}#")
            table |= dict.fromkeys(named, before)
    for name, known in prop.known.ranges.items():
        if known.low is not None and known.low >= 0:
            table[symbol(name)] = sp.Rational(str(known.low)) + sp.Symbol(f"{name}+")
    for size in ("d", *prop.known.size_names):
        table.setdefault(symbol(size), 1 + sp.Symbol(f"{size}+"))
    for free in value.free_symbols - set(table):
        # a share of T, such as i/T, or a trace of squares
        if free.name.endswith("/T") or square_trace(free.name, prop.known):
            table[free] = sp.Symbol(f"{free.name}+")
    return {name: form for name, form in table.items() if name in value.free_symbols}


def nonzero(prop: Proposition, order: Order, value: sp.Expr) -> bool:
    """Whether a value is 0 nowhere under the hypotheses, by its factors; False where that is not seen."""
    if value.is_number:
        return bool(value != 0)
    factors = [part.as_base_exp()[0] for part in sp.Mul.make_args(sp.factor(value))]
    return all(_factor_nonzero(prop, order, factor) for factor in factors)


def _factor_nonzero(prop: Proposition, order: Order, factor: sp.Expr) -> bool:
    if factor.is_number:
        return bool(factor != 0)
    if not factor.is_polynomial(*factor.free_symbols):
        return False
    ranges = dict(prop.known.ranges)
    ranges |= {
        free.name: Range(Fraction(0), Fraction(1), True) for free in factor.free_symbols if free.name.endswith("/T")
    }
    if len(factor.free_symbols) == 1 and (known := ranges.get(next(iter(factor.free_symbols)).name)) is not None:
        roots = sp.real_roots(sp.Poly(factor, *factor.free_symbols))
        if all(root.is_Rational and not known.holds(Fraction(str(root))) for root in roots):
            return True
    table = positive_names(prop, order, factor)
    strict = {sp.Symbol(f"{name}+") for name, known in ranges.items() if known.sign == 1 and known.low == 0}
    strict |= {
        sp.Symbol(f"{free.name}+") for free in factor.free_symbols if square_trace(free.name, prop.known, strict=True)
    }
    allowed = {inner for form in table.values() for inner in form.free_symbols}
    terms = sp.Poly(form := sp.expand(factor.xreplace(table)), *sorted(form.free_symbols, key=str)).terms()
    for way in (1, -1):
        signs = [(way * coefficient > 0, _odd(powers, form) <= allowed) for powers, coefficient in terms]
        if all(map(all, signs)) and any(_held(powers, form) <= strict for powers, _ in terms):
            return True
    return False


def _held(powers: tuple[int, ...], form: sp.Expr) -> set[sp.Symbol]:
    return {gen for gen, power in zip(sorted(form.free_symbols, key=str), powers, strict=True) if power}


def _odd(powers: tuple[int, ...], form: sp.Expr) -> set[sp.Symbol]:
    return {gen for gen, power in zip(sorted(form.free_symbols, key=str), powers, strict=True) if power % 2}
