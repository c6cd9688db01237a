"""The correction of a refuted identity without tokens: the first right side with one change that is proved.

Where none is, and the left side has a derivative, an integral, a product or a sum to be worked out, it is its value.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import replace

import sympy as sp

from montecarlo.search_values import evaluate
from proofs_check.cases.without_tokens import drawn
from proofs_check.statements.found import Found
from proofs_check.statements.texts import exact_text
from theorems.statement.deciding.decide import Derivation
from theorems.statement.expression import Expr, StatementError
from theorems.statement.latex import latex
from theorems.statement.moments.forms import NotPolynomialError
from theorems.statement.moments.scalars import sympy_of
from theorems.statement.mutants import mutants
from theorems.statement.proofs import proved
from theorems.statement.proofs.prover import Prover
from theorems.statement.proofs.quotients import NoFormError
from theorems.statement.proofs.series import closed
from theorems.statement.proposition import Proposition
from theorems.statement.reading.calculus import worked
from theorems.statement.reading.hypotheses import words_of
from theorems.statement.reading.language import Vocabulary, parsed
from theorems.statement.work import Work

#: Cases at which both sides are compared before a proof is tried, of how many that are drawn, and how near they are.
CASES, DRAWN, NEAR = 6, 60, 1e-9
#: Steps of one proof.
PROOF = 1000


def correct(prop: Proposition, found: Found) -> None:
    """Write into what was found the right side that makes a refuted identity true, where one change does."""
    generator = random.Random(0)
    cases = [case for _ in range(DRAWN) if (case := drawn(prop, generator.choice)) is not None]
    points = {str(case): case.plain() for case in cases}.values()
    goals = [(point, evaluate(prop.left.plain(), point)) for point in points]
    goals = [(point, goal) for point, goal in goals if math.isfinite(goal)][:CASES]
    for right in changed(prop):
        if not goals or any(
            abs(evaluate(right.plain(), point) - goal) > NEAR * max(1.0, abs(goal)) for point, goal in goals
        ):
            continue
        other = replace(prop, right=right)
        try:
            if proved(other, Work(PROOF)) is None:
                continue
        except StatementError:
            continue
        found.correction, found.correction_latex, found.holds = str(right), latex(right), "everywhere"
        found.correction_sympy = _evaluated(right, words_of(prop.known))
        return


def derived(prop: Proposition) -> str | None:
    """The left side of an identity as it is derived, where there is something to be worked out in it."""
    if prop.relation == "=" and prop.left.has("sum") and (found := _summed(prop)) is not None:
        return found
    if prop.relation != "=" or not prop.left.has("diff", "integral", "prod", "series"):
        return None
    derivation = Derivation(prop)
    try:
        return exact_text(derivation.value(derivation.orders[0], worked(prop.left)))
    except StatementError:
        return None


def _summed(prop: Proposition) -> str | None:
    """The left side as the proofs read it, where that is a polynomial in names: sums of powers of their index."""
    atoms = Prover(prop, Work(PROOF)).atoms()
    try:
        form = atoms.settle(prop.left)
    except NoFormError:
        return None
    plain = all(atoms.node(label).op == "name" for label in form.above.names | form.below.names)
    return exact_text(sp.factor(form.above.expr / form.below.expr)) if plain else None


def changed(prop: Proposition) -> Iterator[Expr]:
    """Right sides with one number, sign, term or exponent changed that the statement's names can say, and the value."""
    words, own = words_of(prop.known), {*prop.parameters, *prop.left.names(), *prop.right.names()}
    for right in (*(one.right for one in mutants(prop)), *_without_exponent(prop.right), derived(prop)):
        if right is None:
            continue
        try:
            found = parsed(str(right), words)
        except StatementError:
            # a sum to infinity of what has no rational ratio, for one
            continue
        if found.names() <= own:
            # a derived value has names of its own for traces and forms
            yield found


def _without_exponent(node: Expr) -> Iterator[Expr]:
    """The tree with 1 for one exponent."""
    if node.op == "**":
        yield node.args[0]
    for k, arg in enumerate(node.args):
        if isinstance(arg, Expr):
            for one in _without_exponent(arg):
                yield Expr(node.op, (*node.args[:k], one, *node.args[k + 1 :]))


def _evaluated(right: Expr, words: Vocabulary) -> str | None:
    """The right side as sympy reads it, sums to infinity in closed form; None where it has none."""
    try:
        whole = closed(right, words)
        return None if whole is None else str(sympy_of(whole))
    except (NotPolynomialError, sp.PolynomialError):
        return None
