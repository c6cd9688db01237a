"""The hypotheses of a statement as plain strings, and whether they give what a rule needs.

A hypothesis is a relation between expressions ("eta > 0", "tr1 = xi*eta*lam") or words of a fixed form ("W symmetric").
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sympy as sp

from theorems.algebra.closed import vanishes
from theorems.algebra.expressions import ExpressionError, parse
from theorems.claims.conditions import SIGNS, read, written
from theorems.claims.facts import Facts
from theorems.gaussian.process import Step
from theorems.rules import ABOUT
from theorems.rules.implication import implied, shown

#: How the same thing is written in one way.
WRITTEN = (
    (re.compile(r"\bW_QK\b"), "W"),
    (re.compile(r"\blambda\b"), "lam"),
    (re.compile(r"\bpositive semidefinite\b"), "psd"),
    (re.compile(r"\bpositive definite\b"), "pd"),
    (re.compile(r"\b(?:infinity|oo)\b"), "infinity"),
)
RELATION = re.compile(r"(<=|>=|==|!=|->|<|>|=)")
#: What follows from other hypotheses in words: Sigma is a covariance in every claim, tr2 = |R W R|_F^2, and
#: E|sum_i Y_i|^2 = k (D + (k - 1) N) for D = E|Y_i|^2 >= 0 and N = E[Y_i^T Y_j].
FOLLOWS: Mapping[str, tuple[frozenset[str], ...]] = {
    "Sigma psd": (frozenset(),),
    "Sigma pd": (frozenset({"Sigma = I"}),),
    "W symmetric": (frozenset({"W psd"}),),
    "sum_energy > 0": (frozenset({"least_cross > 0"}),),
    "tr2 >= 0": (frozenset({"W symmetric"}),),
    "tr2 > 0": (frozenset({"W symmetric", "W != 0", "Sigma pd"}), frozenset({"W symmetric", "W != 0", "Sigma = I"})),
}


def plain(text: str) -> tuple[str, ...]:
    """A hypothesis in one way of writing it; a chain a <= b < c link by link, words in which no relation is read whole.

    Only a relation between expressions counts as one: "for n = 2" is no hypothesis that n is 2.
    """
    for pattern, word in WRITTEN:
        text = pattern.sub(word, text)
    text = " ".join(text.split())
    sides = [part.strip() for part in RELATION.split(text)]
    links = [sides[k : k + 3] for k in range(0, len(sides) - 2, 2)]
    if not links or not all(map(_expression, sides[::2])):
        return (re.sub(r" \(.*", "", text),)
    return tuple(" ".join("=" if part == "==" else part for part in link) for link in links)


def _expression(side: str) -> bool:
    try:
        parse(side)
    except ExpressionError:
        return False
    return True


def granted(needed: str, given: Collection[str]) -> bool:
    """Whether hypotheses give what is needed: it is one of them, or follows from them."""
    links = plain(needed)
    if len(links) > 1:
        return all(granted(link, given) for link in links)
    (wanted,) = links
    if _equality(wanted) is not None:
        return _equal(wanted, given)
    if wanted in given or any(all(granted(one, given) for one in ways) for ways in FOLLOWS.get(wanted, ())):
        return True
    try:
        gap, allowed = read(wanted)
    except (ExpressionError, ValueError):
        return False
    known = _Known(tuple(comparisons(given)))
    return any(known.shows(side * gap, strict=0 not in allowed) for side in (1, -1) if side in allowed)


@dataclass(frozen=True)
class _Known:
    """Relations between expressions that are given."""

    relations: tuple[str, ...]

    def shows(self, gap: sp.Expr, *, strict: bool) -> bool:
        """Whether gap > 0, or gap >= 0, follows: by a relation, by least values, or factor by factor."""
        if gap.is_number:
            return bool(gap > 0 if strict else gap >= 0)
        wanted, facts = written(gap, (1,) if strict else (0, 1)), self._facts()
        near = tuple(one for one in self.relations if read(one)[0].free_symbols & gap.free_symbols)
        if implied(near, (wanted,), facts) or shown(gap, facts.least, strict=strict, above=facts.above):
            return True
        number, product = sp.factor(gap).as_coeff_Mul()
        factors = sp.Mul.make_args(product)
        if len(factors) == 1 and not (product.is_Pow and product.exp.is_Integer):
            return False
        return bool(math.prod(self._sign(factor, strict=strict) for factor in factors) * sp.sign(number) > 0)

    def _sign(self, factor: sp.Expr, *, strict: bool) -> int:
        """1 for a factor >= 0 (> 0), -1 for one <= 0 (< 0), 0 where neither is shown."""
        base, power = factor.as_base_exp()
        if power.is_Integer and power % 2 == 0:
            # an even power is positive where its base has a sign
            return 1 if not strict or self._sign(base, strict=True) else 0
        if factor.is_Pow and power.is_Rational and power.q == 1:
            return self._sign(base, strict=strict or bool(power < 0))
        return next((side for side in (1, -1) if self.shows(side * factor, strict=strict)), 0)

    def _facts(self) -> Facts:
        """Names that a relation puts at or above a whole number, or strictly above it."""
        least: dict[str, int] = {}
        above: dict[str, set[int]] = {}
        for gap, allowed in map(read, self.relations):
            for side, signs in ((1, allowed), (-1, tuple(-sign for sign in allowed))):
                start, name = (side * gap).as_coeff_Add()
                if -1 in signs or not name.is_Symbol or not start.is_Integer:
                    continue
                if int(-start) >= least.get(name.name, int(-start)):
                    least[name.name] = int(-start)
                if 0 not in signs:
                    above.setdefault(name.name, set()).add(int(-start))
        return Facts(least, frozenset(name for name, starts in above.items() if least[name] in starts))


def comparisons(given: Iterable[str]) -> Iterator[str]:
    """The hypotheses that compare expressions."""
    for one in sorted(given):
        if any(sign in one for sign in SIGNS):
            try:
                read(one)
            except (ExpressionError, ValueError):
                continue
            yield one


def _equality(text: str) -> tuple[sp.Expr, sp.Expr] | None:
    """The two sides of "a = b", None for what is no equality of expressions."""
    left, mark, right = text.partition(" = ")
    if not mark or RELATION.search(right):
        return None
    try:
        return parse(left), parse(right)
    except ExpressionError:
        return None


def _equal(wanted: str, given: Iterable[str]) -> bool:
    """Whether a name's value is one that a hypothesis gives it, not by itself."""
    sides = _equality(wanted)
    assert sides is not None
    name, value = sides
    known = [pair for pair in map(_equality, given) if pair is not None]
    values = [b if a == name else a for a, b in known if name in (a, b)]
    return any(not other.has(name) and vanishes(other - value) for other in values)


def parts(step: Step) -> Iterator[Step]:
    """A step and every step that stands in its data."""
    yield step
    waiting: list[Any] = list(step.data)
    while waiting:
        item = waiting.pop()
        if isinstance(item, Step):
            yield from parts(item)
        elif isinstance(item, tuple | list):
            waiting.extend(item)


def needs(step: Step) -> tuple[str, ...]:
    """The hypotheses that a step uses, by what its rule says of itself."""
    wanted: Sequence[str] | Callable[..., tuple[str, ...]] = ABOUT[step.rule].needs if step.rule in ABOUT else ()
    return tuple(wanted(*step.data)) if callable(wanted) else tuple(wanted)


def ungranted(steps: Iterable[Step], given: Collection[str]) -> tuple[str, ...]:
    """The hypotheses that steps use and that are not given, each once, in order."""
    wanted = dict.fromkeys(need for step in steps for part in parts(step) for need in needs(part))
    return tuple(need for need in wanted if not granted(need, given))
