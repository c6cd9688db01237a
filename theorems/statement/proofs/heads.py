"""Means under weights p_k >= 0 that sum to 1, bounded below by their first terms.

Where f_k >= c for k < n, and f_k >= 0 from there on, sum_k p_k f_k >= c (1 - sum_(k >= n) p_k).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import sympy as sp

from theorems.algebra.spherical import SphereCos, SphereExp
from theorems.statement.expression import BINDERS, Expr, fresh, minus, name, number
from theorems.statement.moments.repairing import language_text
from theorems.statement.proofs.series import closed, positive
from theorems.statement.proofs.steps import Step, Steps, together
from theorems.statement.proposition import Proposition
from theorems.statement.reading.hypotheses import words_of
from theorems.statement.reading.language import Vocabulary, parsed
from theorems.statement.work import Work

if TYPE_CHECKING:
    from theorems.statement.moments.scalars import Exact
    from theorems.statement.proofs.prover import Prover

RULE = "a mean is at least that of its first terms"
TRUSTED = "sum_k p_k f_k >= c (1 - sum_(k >= n) p_k) where f_k >= c for k < n, and f_k >= 0"


def by_first_terms(prover: Prover, high: Expr, low: Expr) -> Steps | None:
    """high >= low, where high is such a mean, perhaps times a number, and low is c times 1 - a tail of the weights."""
    means = [one for one in factors_of(high) if one.op == "series"]
    heads = [(one, tail) for one in factors_of(low) if (tail := tail_of(one)) is not None]
    if len(means) != 1 or len(heads) != 1:
        return None
    (mean,), ((head, tail),) = means, heads
    index, first, start = mean.args[1], mean.args[2], tail.args[2]
    scale = [one for one in factors_of(high) if one is not mean]
    bound = [one for one in factors_of(low) if one is not head]
    term = Expr("*", (*scale, mean.args[0]))
    weight = tail.args[0].put({tail.args[1]: name(index)})
    whole, last = Expr("series", (weight, index, first)), minus(start, number(1))
    total = closed(whole, words_of(prover.known))
    if total is None:
        return None
    goals = (
        [Step(RULE, f"{high} >= {low}", TRUSTED)],
        prover.defined(mean),
        prover.defined(tail),
        prover.defined(whole),
        prover.at_least(start, first, False),
        prover.equal(total, number(1)),
        positive(*prover.within(Expr("series", (term, index, first)))),
        positive(*prover.within(whole)),
        _larger(prover, Expr("sum", (term, index, first, last)), Expr("sum", (weight, index, first, last)), bound),
    )
    return together(goals)


def _larger(prover: Prover, terms: Expr, weights: Expr, bound: list[Expr]) -> Steps | None:
    """Steps showing that each term is at least the bound times its weight: what both have as factors is left out."""
    inside, term = prover.within(terms)
    _, weight = prover.within(weights)
    ours, others = _powers(term), _powers(weight)
    for base in list(others):
        same = next((one for one in ours if _equal(inside, one, base)), None)
        if same is not None and inside.equal(ours[same], others[base]) is not None:
            del ours[same], others[base]
    if others:
        return None
    rest = [Expr("**", (base, power)) if power != number(1) else base for base, power in ours.items()]
    above, below = (one[0] if len(one) == 1 else Expr("*", (number(1), *one)) for one in (rest, bound))
    return inside.at_least(above, below, False)


def _equal(prover: Prover, one: Expr, two: Expr) -> bool:
    if one == two:
        return True
    plain = not any(side.has("prod", "series", "sum", "gamma") for side in (one, two))
    return plain and prover.equal(one, two) is not None


def factors_of(node: Expr) -> list[Expr]:
    """What a product is made of, the inverse of a divisor for it."""
    if node.op == "*":
        return [one for arg in node.args for one in factors_of(arg)]
    if node.op == "/":
        return [*factors_of(node.args[0]), *(Expr("**", (one, number(-1))) for one in factors_of(node.args[1]))]
    return [] if node == number(1) else [node]


def _powers(node: Expr) -> dict[Expr, Expr]:
    """The bases of a product with their exponents; of all exponentials one, exp(1)."""
    found: dict[Expr, Expr] = {}
    for one in factors_of(node):
        base, power = one.args if one.op == "**" else (one, number(1))
        if base.op == "exp":
            base, power = Expr("exp", (number(1),)), Expr("*", (base.args[0], power))
        found[base] = Expr("+", (found[base], power)) if base in found else power
    return found


def tail_of(node: Expr) -> Expr | None:
    """The sum to infinity of 1 minus one."""
    if node.op != "+" or len(node.args) != 2 or node.args[0] != number(1):
        return None
    rest = node.args[1]
    inner = rest.args[1] if rest.op == "*" and len(rest.args) == 2 and rest.args[0] == number(-1) else None
    return inner if inner is not None and inner.op == "series" else None


def shown(prop: Proposition, exact: Exact) -> tuple[Step, ...]:
    """The steps of a proof of an inequality between moments and sums to infinity; or none."""
    from theorems.statement.proofs.prover import STEPS, Prover

    sides = [with_series(side, exact, words_of(prop.known)) for side in (prop.left, prop.right)]
    low, high = sides if prop.relation[0] == "<" else sides[::-1]
    steps = Prover(prop, Work(STEPS)).at_least(high, low, prop.relation in ("<", ">"))
    return () if steps is None else tuple(dict.fromkeys(steps))


def with_series(node: Expr, exact: Exact, words: Vocabulary, bound: frozenset[str] = frozenset()) -> Expr:
    """A side whose moments are worked out, sums to infinity left as they stand, E exp and E cos on a sphere as such."""
    if not node.has("vector", "matrix", "token"):
        return node
    if node.has("series", "prod") or node.names() & bound:
        own = bound | {node.args[1]} if node.op in BINDERS else bound
        return node.mapped(lambda arg: with_series(arg, exact, words, own))
    value = exact.value(node)
    functions = sorted(value.atoms(SphereExp, SphereCos), key=str)
    taken = {one.name for one in value.free_symbols}
    labels = [label for label, _ in zip(fresh("spherical", taken), functions, strict=False)]
    shown = value.xreplace({one: sp.Symbol(label) for one, label in zip(functions, labels, strict=True)})
    series = {label: _series(one, words) for one, label in zip(functions, labels, strict=True)}
    return parsed(language_text(shown), words).put(series)


def _series(one: sp.Expr, words: Vocabulary) -> Expr:
    """sum_k (q/2)^k/k! d^k/(d (d + 2) ... (d + 2k - 2)), with the sign of the function."""
    d, q = one.args
    k, j = (next(fresh(stem, {part.name for part in one.free_symbols})) for stem in "kj")
    power = f"({language_text(sp.expand(one.way * q / 2))})**{k}/factorial({k})"
    return parsed(f"sum({power}*prod(({d})/({d} + 2*{j}), {j}, 0, {k} - 1), {k}, 0, oo)", words)
