"""Mutants of every print and of every correction, settled by algebra, or by the empirical check where that is open.

A mutant is caught where it is disproved or contradicted. One that is proved is true in spite of the change (a weaker
bound, the same formula in another form), and counts as equivalent.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from math import floor
from typing import Any

import sympy as sp

from proofs_check.cases import drawn as drawing
from proofs_check.checks.evaluating import LOOSE
from proofs_check.checks.evidence import EFFORTS, RunContext
from proofs_check.checks.matrices import decoys as matrix_decoys
from proofs_check.checks.searching import searched
from proofs_check.claims.mutants import clause_mutants, mutants
from proofs_check.claims.pairing import Pair, scale_and_tolerance
from tests.mutation import laws
from tests.mutation.by_words import by_its_words
from tests.mutation.code import TooLong, within
from tests.mutation.probes import claims, derivations
from theorems.algebra.balls import sign
from theorems.algebra.closed import names, substituted
from theorems.algebra.expressions import ExpressionError, parse, symbol, text
from theorems.claims.catalogue import Statement, is_data
from theorems.claims.conditions import SIGNS, clause, read
from theorems.claims.growth import bound, corrected
from theorems.gaussian.numeric import Case
from theorems.kernel.bounds import HYPOTHETICAL, NORMS, settle_bound
from theorems.kernel.catalogued import said
from theorems.kernel.derivation import Derived, Equivalence, Fact, Inequality
from theorems.kernel.equivalence import clause_of, holds, settle_equivalence, truth
from theorems.kernel.eventually import Eventually
from theorems.kernel.limits import Limit, compare_cells
from theorems.kernel.matrix_claims import matrix_of
from theorems.kernel.outcome import Outcome
from theorems.kernel.settle import compare, printed_value, settle, value_of
from theorems.rules.implication import fails_everywhere, implied, shown
from theorems.rules.norm import SYMMETRIC, granted
from theorems.statement.expression import Expr, number
from theorems.statement.mutants import mutants as tree_mutants
from theorems.statement.proposition import Proposition

#: Processor seconds that a mutant has; what takes longer is left undecided.
SECONDS = 10.0
#: Cases of every slot that are looked at for a print that algebra leaves open, and exact cases of a clause or bound.
CASES, POINTS = 12, 240
#: Of theta, so many values are looked at.
GRID = 80
#: Names of counts, which are 1 at least.
COUNTS = frozenset({"C", "T", "d", "k", "keys", "n"})
#: Between what names that begin so lie, for every law: means of cosines, E[Y_i^T Y_j]/E|Y_i|^2 by Cauchy-Schwarz,
#: E|1 - r^2| with E r^2 = 1, and the distance of the first two.
WITHIN = {"cosine": (-1, 1), "ratio": (-1, 1), "spread": (0, 2), "gap": (0, 2)}
#: Names without a sign whose signs are tried one after the other.
SPLIT = 4
#: An assumption that bounds names by numbers: "0 < p <= 1", "xi, eta > 0".
_BOUNDS = re.compile(r"(?:([\d/]+) (<=?) )?(\w+(?:, \w+)*) (<=?|>=?) ([\d/]+)")
#: A sum of weights times even powers: "sum_aabb".
_EVEN = re.compile(r"sum_(?:(.)\1)+")
#: How far numbers of a case are moved.
STEPS = (Fraction(21, 20), Fraction(19, 20), Fraction(3, 2), Fraction(2, 3))
#: What counts are multiplied by, and of so many shapes of a case.
MANY, SHAPES = 1000, 40
#: A name without an upper end is moved by this factor, so often at most, and so often halved towards a boundary.
FAR, OFTEN, HALVINGS = 4, 12, 20
#: The least change of a coefficient, as a part of it.
SMALL = sp.Rational(1, 20)


@dataclass(frozen=True)
class PrintMutant:
    """A changed print of a claim, or of the correction of a refuted one, and what was changed."""

    kind: str
    name: str
    statement: Statement
    #: What it says before and after the change, where both sides are interpreters of that.
    said: tuple[Proposition, Proposition] | None = None


@functools.cache
def settled(claim: str) -> Outcome:
    """The kernel's full word on a claim as printed: its steps are checked here once, for all of its mutants."""
    statement, derived = statement_of(claim), derivations(claim)
    if derived is None:
        return Outcome("undecided", "nothing was derived", [])
    return settle(statement, derived)


def statement_of(claim: str) -> Statement:
    """The shipped claim of that id."""
    return next(c for c in claims() if c.id == claim)


def sources(claim: str) -> Iterator[tuple[str, Statement]]:
    """The claim as printed, and where it is false what the derivation puts in its place."""
    statement, outcome, derived = statement_of(claim), settled(claim), derivations(claim)
    if derived is not None and derived.missing:
        # what the source leaves open has no wrong version
        return
    yield "print", statement
    if outcome.status == "disproved" and outcome.corrections:
        told = {}
        for name, formula in outcome.corrections.items():
            if statement.relation == "when":
                told[name] = clause_of("if" if name in outcome.suffices else "iff", formula)
            elif statement.relation == "order":
                told[name] = corrected(statement.printed[name], formula)
            else:
                told[name] = text(formula)
        whole = {**statement.printed, **told} if statement.relation != "=" else told
        yield "correction", replace(statement, printed=whole, conditions=(*statement.conditions, *outcome.excluded))


@functools.cache
def print_mutants(claim: str) -> tuple[PrintMutant, ...]:
    """All mutants of a claim's print and of its correction, but those of a sum of matrix words."""
    found: dict[str, PrintMutant] = {}
    for kind, source in sources(claim):
        for name, printed in source.printed.items():
            if is_data(source):
                stated = said(source, name)
                for label, changed_prop in _changed_tree(stated):
                    full = f"{claim} {kind}, {name}: {label}"
                    found.setdefault(full, PrintMutant(kind, full, source, (stated, changed_prop)))
                continue
            for label, other in _changed(source, name, printed):
                full = f"{claim} {kind}, {name}: {label}"
                changed = replace(source, printed={**source.printed, name: other})
                found.setdefault(full, PrintMutant(kind, full, changed))
    return tuple(found.values())


def _changed_tree(prop: Proposition) -> Iterator[tuple[str, Proposition]]:
    for changed in tree_mutants(prop):
        yield changed.label, replace(prop, right=changed.right)
    for factor in (1 + SMALL, 1 - SMALL) if prop.right != number(0) else ():
        scale = number(Fraction(int(factor.p), int(factor.q)))
        yield f"times {factor}", replace(prop, right=Expr("*", (scale, prop.right)))


def _changed(statement: Statement, name: str, printed: str) -> Iterator[tuple[str, str]]:
    if statement.relation == "when":
        word, conditions = clause(printed)
        for label, other in clause_mutants(conditions):
            yield label, f"{word} {' & '.join(other)}"
        other_word = "iff" if word == "if" else "if"
        yield f"{word} -> {other_word}", f"{other_word} {' & '.join(conditions)}"
        return
    if statement.relation == "order":
        stated = bound(printed)
        for label, other in (*mutants(stated.exponent, ()), *finer(stated.exponent, ())):
            yield label, str(replace(stated, exponent=other))
        other_letter = replace(stated, strict=not stated.strict)
        yield f"{stated.letter} -> {other_letter.letter}", str(other_letter)
        return
    formula = parse(printed)
    words = [w for w in statement.symbols if w.startswith("tr")]
    for label, other in (
        *mutants(formula, statement.positions, words, statement.remainder),
        *finer(formula, statement.positions),
        *_other_start(statement, name),
    ):
        try:
            yield label, text(other)
        except ExpressionError:
            # no print could say it
            continue


def finer(formula: sp.Expr, positions: tuple[str, ...]) -> Iterator[tuple[str, sp.Expr]]:
    """A coefficient times 1.05 or 0.95, a term dropped, two positions exchanged, tr(W)^2 for tr(W^2) and back."""
    found: dict[sp.Expr, str] = {}
    own = sp.expand(formula)
    nodes = [node for node in sp.preorder_traversal(formula) if isinstance(node, sp.Add)]
    for node in nodes:
        for term in node.args:
            rest = sp.Add(*(other for other in node.args if other is not term))
            found.setdefault(formula.xreplace({node: rest}), f"without {term}")
            for factor in (1 + SMALL, 1 - SMALL):
                found.setdefault(formula.xreplace({node: rest + factor * term}), f"{term} times {factor}")
    for factor in (1 + SMALL, 1 - SMALL):
        found.setdefault(factor * formula, f"times {factor}")
    places = [symbol(name) for name in positions if formula.has(symbol(name))]
    for k, one in enumerate(places):
        for two in places[k + 1 :]:
            found.setdefault(formula.xreplace({one: two, two: one}), f"{one} <-> {two}")
    tr1, tr2 = symbol("tr1"), symbol("tr2")
    found.setdefault(formula.xreplace({tr2: tr1**2}), "tr2 -> tr1**2")
    found.setdefault(formula.subs(tr1**2, tr2), "tr1**2 -> tr2")
    for other, label in found.items():
        if sp.expand(other) != own and not other.has(sp.zoo, sp.nan, sp.oo, sp.I):
            yield label, other


def _other_start(statement: Statement, name: str) -> Iterator[tuple[str, sp.Expr]]:
    """What the derivation gives for the walk that starts at 0."""
    if statement.model != "walk" or statement.relation != "=":
        return
    pair = Pair(statement)
    if isinstance(pair.quantity(name), Limit):
        return
    here, there = pair.limiting(name), pair.limiting(name, "zero")
    if sp.expand(here.expr - there.expr) != 0:
        yield "start of the walk at 0", there.expr


def judged_print(mutant: PrintMutant) -> tuple[str, str]:
    """What becomes of a changed print: ("caught", by what), ("equivalent", why) or ("survived", why)."""
    claim = mutant.statement.id
    if mutant.said is not None:
        return by_its_words(*mutant.said, claim)
    if settled(claim).status == "undecided":
        return "survived", "the claim itself is undecided"
    derived = derivations(claim)
    assert derived is not None
    if mutant.statement.model == "ensemble":
        # drawn for all mutants of the claim: that is no one's time
        _exact_cases(claim)
    try:
        with within(SECONDS):
            status = _status(mutant.statement, derived)
            if (
                status == "undecided"
                and mutant.statement.relation in ("<=", ">=")
                and _larger(mutant.statement, derived)
            ):
                return "equivalent", "a weaker bound"
            if status == "undecided" and mutant.statement.relation == "when":
                why = _same_clause(mutant.statement, derived) or _same_sums(mutant.statement, derived)
                return ("equivalent", why) if why else ("survived", status)
            if status == "undecided":
                status = "contradicted" if _contradicted(mutant.statement, derived) else status
    except TooLong:
        status = "timed out"
    except Exception as error:
        # a name that a side does not know, say
        return ("caught" if _answers(claim) else "survived"), f"raised {type(error).__name__}"
    if status in ("disproved", "contradicted"):
        return "caught", status
    return ("equivalent", "proved: true as changed") if status == "proved" else ("survived", status)


@functools.cache
def _answers(claim: str) -> bool:
    """Whether both sides answer, without raising, for the claim as printed."""
    statement, derived = statement_of(claim), derivations(claim)
    assert derived is not None
    try:
        _status(statement, derived)
        _contradicted(statement, derived)
    except Exception:
        return False
    return True


def _status(statement: Statement, derived: Derived) -> str:
    """The kernel's word on a print, the derivation's steps having been checked before."""
    if statement.relation == "order":
        return settle(statement, derived).status
    if statement.relation == "when":
        found = settle_equivalence(statement, derived, []).status
        return "disproved" if found == "undecided" and _false_clause(statement) else found
    if statement.relation != "=":
        found = settle_bound(statement, derived, []).status
        return "disproved" if found == "undecided" and _broken(statement, derived) else found
    verdicts = []
    for name, printed in statement.printed.items():
        quantity = derived.quantities[name if name in derived.quantities else ""]
        if isinstance(quantity, Limit):
            verdicts.append(compare_cells(name, quantity, parse(printed), statement.conditions).equal)
        else:
            value = value_of(derived, name)
            put = printed_value(statement, printed, derived)
            verdicts.append(compare(value, put, statement.regime, statement.remainder, statement.positions))
    if False in verdicts:
        return "disproved"
    return "undecided" if None in verdicts else "proved"


@functools.cache
def _exact_cases(claim: str) -> tuple[Case, ...]:
    """Exact cases that a claim is about, drawn for all of its mutants; what was computed of one is kept in it."""
    statement = statement_of(claim)
    slots = drawing.slots(statement, "standard")
    each = -(-POINTS // len(slots))
    found = {
        drawing.key(raw): raw for place, slot in enumerate(slots) for raw in drawing.drawn(statement, slot, place, each)
    }
    derived = derivations(claim)
    own = [p for q in derived.quantities.values() for p in getattr(q, "points", ())] if derived is not None else []
    near = [other for raw in found.values() for other in _scaled(statement, raw)]
    every = (*own, *near, *_extreme(statement), *_far(statement, near))
    return tuple(Case(raw) for raw in every)


def _far(statement: Statement, near: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """Cases by these with large counts, where a bound may be nearly attained, and by each the ends of a property.

    Of the cases that differ in names without an upper end only, or in d, one is taken.
    """
    derived = derivations(statement.id)
    if statement.model != "free" or statement.relation != "when" or derived is None:
        return
    counts = [name for name in statement.parameters if name in COUNTS]
    loose = [name for name in statement.parameters if name not in COUNTS and not _ends_above(statement, name)]
    shapes: dict[str, Mapping[str, Any]] = {}
    for raw in near:
        shape = {name: value for name, value in raw.items() if name not in (*loose, "d")}
        shapes.setdefault(drawing.key(shape), raw)
    chosen = list(shapes.values())[:: -(-len(shapes) // SHAPES)]
    for raw, large in product(chosen, product((1, MANY), repeat=len(counts))):
        other = {**raw, **{name: str(factor * Fraction(raw[name])) for name, factor in zip(counts, large, strict=True)}}
        if not drawing.meets(statement, other):
            continue
        yield other
        for found, name in product(derived.quantities.values(), loose):
            assert isinstance(found, Equivalence)
            yield from _boundary(found, other, name)


def _ends_above(statement: Statement, name: str) -> bool:
    """Whether a condition of the claim keeps a name from growing: its gap gets smaller with it, or it is in a size."""
    for gap, allowed in (read(c) for c in statement.conditions if any(relation in c for relation in SIGNS)):
        slope = sp.diff(gap, symbol(name))
        if slope != 0 and not (slope.is_Rational and allowed in ((1,), (0, 1)) and slope > 0):
            return True
    return False


def _boundary(found: Equivalence, raw: Mapping[str, Any], name: str) -> Iterator[Mapping[str, Any]]:
    """Two cases close by, found by moving a name from the case's value, at one of which the property holds."""
    start = Fraction(raw[name])

    def told(value: Fraction) -> bool | None:
        try:
            return truth(found, {**raw, name: str(value)})
        except ValueError:
            # too close to be settled
            return None

    here = told(start)
    for factor in (Fraction(FAR), Fraction(1, FAR)):
        low, high = start, start * factor
        for _ in range(OFTEN):
            if told(high) != here:
                break
            low, high = high, high * factor
        if here is None or told(high) is not (not here):
            continue
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            side = told(middle)
            if side is None:
                break
            low, high = (middle, high) if side is here else (low, middle)
        yield from ({**raw, name: str(value)} for value in (low, high))


def _extreme(statement: Statement) -> Iterator[Mapping[str, Any]]:
    """Laws that come near the ends of what a bound about a head's outputs may be."""
    if statement.model == "ensemble" and statement.relation == "<=" and "W" in statement.parameters:
        yield from (raw for raw in laws.pairs() if drawing.meets(statement, raw))


def _scaled(statement: Statement, raw: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """A case and others by it: heads and beta of the same ratio, as sizes far apart show a wrong homogeneity."""
    yield raw
    if {"W", "beta"} <= raw.keys():
        for factor in (Fraction(-1), Fraction(1, 8), Fraction(-1, 8)):
            rows = [[str(factor * Fraction(entry)) for entry in row] for row in raw["W"]]
            yield {**raw, "W": rows, "beta": str(factor * Fraction(raw["beta"]))}
    if statement.model == "free" and statement.relation == "when":
        # near to a drawn case there may be a boundary
        for name, factor in product(sorted(set(statement.parameters) - COUNTS), STEPS):
            other = {**raw, name: str(factor * Fraction(raw[name]))}
            if drawing.meets(statement, other):
                yield other


@functools.cache
def _truths(claim: str, name: str) -> tuple[tuple[Case, bool], ...]:
    """Whether a property holds at the exact cases, by the proved conditions."""
    derived = derivations(claim)
    assert derived is not None
    found = derived.quantities[name]
    assert isinstance(found, Equivalence)
    told = ((case, truth(found, case)) for case in _exact_cases(claim))
    return tuple((case, true) for case, true in told if true is not None)


def _false_clause(statement: Statement) -> bool:
    """Whether a printed clause is false at an exact case, or has no real value there."""
    for name, printed in statement.printed.items():
        word, conditions = clause(printed)
        for case, true in _truths(statement.id, name):
            # an "if" says something only where its conditions hold
            if word == "if" and true:
                continue
            held = holds(conditions, case)
            if held not in (true, None) or (held is None and any(_unreal(condition, case) for condition in conditions)):
                return True
    return False


def _unreal(condition: str, case: Case) -> bool:
    """Whether a condition compares what is no real number at an exact case."""
    gap, _ = read(condition)
    for name in names(gap):
        value = case.number(name)
        if callable(value):
            return False
        gap = gap.xreplace({symbol(name): sp.Rational(value.numerator, value.denominator)})
    return gap.is_real is False or gap.is_finite is False


def _same_clause(statement: Statement, derived: Derived) -> str:
    """Why a changed clause is true like one that is: it holds nowhere, it asks for more, or its signs are the same.

    The sign of a product of powers is that of the product of its names where all of these are >= 0, which is looked at
    in all exact cases.
    """
    true = dict(statement_of(statement.id).printed) if settled(statement.id).status == "proved" else {}
    told = ""
    for name, printed in statement.printed.items():
        found = derived.quantities[name]
        assert isinstance(found, Equivalence)
        word, conditions = clause(printed)
        known = [clause(true[name])] if name in true else []
        known += [("iff", found.conditions), *(("if", enough) for enough in found.sufficient)]
        signs = {_sign(statement.id, c) for c in conditions}
        if word == "if" and any(fails_everywhere(condition, found.facts) for condition in conditions):
            told = told or "says nothing: its conditions hold nowhere"
        elif any(w in (word, "iff") and signs == {_sign(statement.id, c) for c in other} for w, other in known):
            told = told or "its conditions have the same signs"
        elif word == "if" and any(
            implied(conditions, other, found.facts) or _asks_for_more(statement, conditions, other)
            for _, other in known
        ):
            told = told or "asks for more than one that is true"
        else:
            return ""
    return told


def _asks_for_more(statement: Statement, conditions: Sequence[str], other: Sequence[str]) -> bool:
    """Whether each of the other conditions follows from one of these, by the signs of the names in their difference."""
    return all(any(_follows(statement, one, two) for one in conditions) for two in other)


def _follows(statement: Statement, given: str, wanted: str) -> bool:
    (small, strict), (large, needed) = _upwards(given), _upwards(wanted)
    return not (needed and not strict) and strict is not None and needed is not None and _above(statement, large, small)


def _upwards(condition: str) -> tuple[sp.Expr, bool | None]:
    """g of "g > 0" or "g >= 0" and whether it is strict; None for another relation."""
    gap, allowed = read(condition)
    if allowed in ((1,), (0, 1)):
        return gap, 0 not in allowed
    return -gap, (0 not in allowed if allowed in ((-1,), (-1, 0)) else None)


def _sign(claim: str, condition: str) -> tuple[sp.Expr, tuple[int, ...]]:
    """A condition with every power of a name that is never negative replaced by the name, where it is one product."""
    gap, allowed = read(condition)
    if gap.is_Add or gap.is_number:
        return sp.expand(gap), allowed
    factors = [part.as_base_exp() for part in sp.Mul.make_args(gap)]
    if all(base.is_Symbol and power.is_positive and _never_negative(claim, base.name) for base, power in factors):
        return sp.Mul(*(base for base, _ in factors)), allowed
    return gap, allowed


def _same_sums(statement: Statement, derived: Derived) -> str:
    """Why a changed clause is the proved one: its sums of parts that are not negative are positive where those are.

    A part is not negative by its names, looked at in all exact cases, or as one of the clause's own conditions.
    """
    for name, printed in statement.printed.items():
        found = derived.quantities[name]
        assert isinstance(found, Equivalence)
        word, conditions = clause(printed)
        if word != "iff" or _sums(statement.id, conditions) != _sums(statement.id, found.conditions):
            return ""
    return "its sums have the same parts, which are not negative"


def _sums(claim: str, conditions: Sequence[str]) -> set[tuple[frozenset[sp.Expr], tuple[int, ...]]]:
    """The conditions as the parts of their sums; every part of a sum without negative ones as what has its sign."""
    given = [gap for gap, allowed in map(read, conditions) if allowed in ((1,), (0, 1))]
    told = set()
    for condition in conditions:
        gap, allowed = read(condition)
        parts = [_sign(claim, f"{text(part)} > 0")[0] for part in sp.Add.make_args(sp.expand(gap))]
        sound = all(part in given or _plain(claim, part) for part in parts)
        told.add((frozenset(parts if sound else [sp.expand(gap)]), allowed))
    return told


def _plain(claim: str, part: sp.Expr) -> bool:
    """Whether a product's factors are names that are never negative."""
    return all(factor.is_Symbol and _never_negative(claim, factor.name) for factor in sp.Mul.make_args(part))


@functools.cache
def _never_negative(claim: str, name: str) -> bool:
    return all(sign(symbol(name), {name: case.number(name)}) in (0, 1) for case in _exact_cases(claim))


def _broken(statement: Statement, derived: Derived) -> bool:
    """Whether a printed bound has no real value at an exact case, is exceeded there, or is said to be attained and not.

    The cases are those of the claim, within what the correction of a claim leaves out.
    """
    bound = next(iter(derived.quantities.values()))
    if not isinstance(bound, Inequality):
        return False
    for name, text_ in statement.printed.items():
        printed = substituted(parse(text_), {n: parse(f) for n, f in statement.definitions.items()})
        for case in _exact_cases(statement.id):
            try:
                values = {n: case.number(n) for n in names(printed) | names(bound.quantity) | names(bound.upper)}
                inside = all(
                    sign(read(c)[0], {n: case.number(n) for n in names(read(c)[0])}) in read(c)[1]
                    for c in statement.conditions
                    if any(relation in c for relation in SIGNS)
                )
            except (KeyError, ValueError):
                # of another model, or a norm that the case's matrices do not have
                continue
            if inside and _fails(printed, bound, values, name, attained=statement.attained):
                return True
    return False


def _fails(printed: sp.Expr, bound: Inequality, values: Mapping[str, Any], name: str, *, attained: bool) -> bool:
    rational = {symbol(n): sp.Rational(v.numerator, v.denominator) for n, v in values.items() if not callable(v)}
    if not callable(next((v for n, v in values.items() if n in names(printed) and callable(v)), None)):
        value = printed.xreplace(rational)
        if value.is_finite is False or value.is_real is False:
            return True
    if isinstance(bound, Eventually):
        # which holds up to o(1) only
        return False
    side = 1 if name == "upper" else -1
    if side == 1 and sign(bound.quantity - printed, values) == 1:
        return True
    return side == 1 and attained and sign(printed - bound.upper, values) == 1


def _larger(statement: Statement, derived: Derived) -> bool:
    """Whether a bound is weaker than a proved one, or than a print that is proved, by the signs of their names alone.

    Weaker, too, is one that no value of the quantity's own names exceeds (``WITHIN``).
    """
    bound = next(iter(derived.quantities.values()))
    ((name, printed),) = statement.printed.items()
    if not isinstance(bound, Inequality) or statement.attained:
        return False
    own = statement_of(statement.id)
    if tuple(statement.conditions) != tuple(own.conditions) and bound.steps[-1].rule not in HYPOTHETICAL:
        return False
    if isinstance(bound, Eventually):
        return name == "lower" and _above(statement, bound.quantity, parse(printed))
    proved = [parse(own.printed[name])] if settled(statement.id).status == "proved" else []
    known = (bound.upper, *proved, bound.quantity)
    return name == "upper" and any(
        _above(statement, parse(printed), other) or _by_roots(statement, parse(printed) - other) for other in known
    )


def _by_roots(statement: Statement, gap: sp.Expr) -> bool:
    """Whether a difference with roots of names is not negative, for names at or above the numbers of the claim."""
    least, above = {}, set()
    for name in names(gap):
        ends, _ = _ends(statement, name)
        if ends:
            low, strict = max(ends)
            least[name] = floor(low)
            above |= {name} if strict or low > least[name] else set()
    return shown(gap, least, above=above)


def _above(statement: Statement, large: sp.Expr, small: sp.Expr) -> bool:
    """Whether large >= small for all values of the names that the claim admits, by the signs of differences.

    What a name may be is cut into parts (``_parts``), and the two are compared in each: they, or their squares. Where
    that fails the signs of names that may have either are tried one after the other.
    """
    free = sorted(large.free_symbols | small.free_symbols, key=str)
    parts = [_parts(statement, name.name) for name in free]
    either = [place for place, known in enumerate(parts) if len(known) == 1 and known[0].is_nonnegative is None]
    finer = [
        [s * sp.Dummy(str(name), nonnegative=True) for s in (1, -1)] if place in either else known
        for place, (name, known) in enumerate(zip(free, parts, strict=True))
    ]
    for cells in (parts, finer) if 0 < len(either) <= SPLIT else (parts,):
        tables = (dict(zip(free, values, strict=True)) for values in product(*cells))
        if all(_exceeds(large.xreplace(table), small.xreplace(table)) for table in tables):
            return True
    return False


def _exceeds(large: sp.Expr, small: sp.Expr) -> bool:
    """Whether large >= small for names of known sign: as they are, or each piece of small below a piece of large.

    |x| is the larger of x and -x, so that a sum in which it is added is the larger of two others.
    """
    sizes: dict[sp.Expr, sp.Dummy] = {}
    for node in sorted((large - small).atoms(sp.Abs), key=str):
        sizes.setdefault(node, sp.Dummy("size", nonnegative=True))
    one, two = (part.xreplace(sizes) for part in (large, small))
    if _shown(one - two) or bool(one.is_nonnegative and two.is_nonnegative and _shown(one**2 - two**2)):
        return True
    above, below = _pieces(large), _pieces(small)
    return len(above) * len(below) > 1 and all(any(_shown(one - two) for one in above) for two in below)


def _pieces(formula: sp.Expr) -> list[sp.Expr]:
    """Formulas of which this one is the largest, where |x| and the largest of several are added or stand alone."""
    for node in sorted(formula.atoms(sp.Abs, sp.Max), key=str):
        size = sp.Dummy("size")
        slope = sp.diff(formula.xreplace({node: size}), size)
        if not slope.has(size) and slope.is_nonnegative:
            choices = (node.args[0], -node.args[0]) if isinstance(node, sp.Abs) else node.args
            return [piece for choice in choices for piece in _pieces(formula.xreplace({node: choice}))]
    return [formula]


def _shown(gap: sp.Expr) -> bool:
    numerator, denominator = sp.fraction(sp.factor(sp.together(gap)))
    return bool(sp.expand(numerator).is_nonnegative and denominator.is_positive)


def _parts(statement: Statement, name: str) -> list[sp.Expr]:
    """What a name may be, in terms of one whose sign is known, part by part.

    A name is as large as its least value in the claim's conditions and assumptions, and as small as its largest one
    there; or as positive as the values that the claim's ranges give it. Norms, absolute values and sums of even powers
    are not negative, and a count is 1 at least.
    """
    values = [Fraction(value) for value in statement.ranges.get(name, ())]
    least, most = _ends(statement, name)
    if least:
        low, strict = max(least)
        start = sp.Rational(low.numerator, low.denominator)
        if most:
            high, _ = min(most)
            width = sp.Rational(high.numerator, high.denominator) - start
            # all of (low, high] by w >= 0
            inside = start + width / (1 + sp.Dummy(name, nonnegative=True))
            return [inside] if strict else [inside, start]
        return [start + sp.Dummy(name, positive=strict or None, nonnegative=True)]
    # tr(W^2) = |R W_QK R|_F^2 with R R = Sigma
    square = name == "tr2" and granted(SYMMETRIC, statement.assumptions, ())
    norm = name.partition("_")[0] in NORMS or square or _EVEN.fullmatch(name) is not None
    positive, never_negative = bool(values) and min(values) > 0, norm or (bool(values) and min(values) >= 0)
    return [sp.Dummy(name, real=True, positive=positive or None, nonnegative=never_negative or None)]


def _ends(statement: Statement, name: str) -> tuple[list[tuple[Fraction, bool]], list[tuple[Fraction, bool]]]:
    """Numbers that a name is not below, and not above, each with whether it is not equal to it either."""
    # a name that is drawn below 1 counts nothing
    counts = name in COUNTS and all(Fraction(value) >= 1 for value in statement.ranges.get(name, ()))
    least = [(Fraction(1), False)] if counts else []
    most: list[tuple[Fraction, bool]] = []
    for gap, allowed in (read(c) for c in statement.conditions if any(relation in c for relation in SIGNS)):
        rest = gap - symbol(name)
        if rest.is_Rational and allowed in ((1,), (0, 1)):
            least.append((-Fraction(int(rest.p), int(rest.q)), 0 not in allowed))
    for found in filter(None, map(_BOUNDS.fullmatch, statement.assumptions)):
        low, first, told, second, high = found.groups()
        if name not in told.split(", ") or (low is not None and second.startswith(">")):
            continue
        if low is not None:
            least.append((Fraction(low), first == "<"))
        (most if second.startswith("<") else least).append((Fraction(high), len(second) == 1))
    for low, high in (WITHIN[known] for known in WITHIN if name.partition("_")[0] == known):
        least.append((Fraction(low), False))
        most.append((Fraction(high), False))
    return least, most


def _contradicted(statement: Statement, derived: Derived) -> bool:
    """Whether the empirical check contradicts a print, at quick effort.

    A bound is put to it itself. For an identity it has been seen, for the claim itself, to agree with the derived
    value; so a print contradicts it that is off by twice what is visible.
    """
    from montecarlo import registry
    from montecarlo.empirical_checks import Evaluation, Search, Simulation

    pair = Pair(statement, _derived={"sigma": derived})
    context = RunContext(effort=EFFORTS["quick"], effort_name="quick")
    outcome = Outcome("undecided", "", [])
    found = registry.find(statement.id)
    if isinstance(found, Search):
        return searched(pair, outcome, found, context).status == "contradicts"
    if not isinstance(found, Simulation | Evaluation):
        return False
    cases = [raw for slot in drawing.slots(statement, "quick") for raw in drawing.drawn(statement, slot, 0, CASES)]
    if "theta" in statement.parameters:
        # boundaries are moved by little
        whole = [{**cases[0], "r": r} for r in statement.ranges.get("r", ())] or cases[:1]
        moved = [{**raw, "theta": str(Fraction(k, GRID))} for raw in whole for k in range(1, GRID)]
        cases += [raw for raw in moved if drawing.meets(statement, raw)]
    return any(_off(pair, name, raw, context) for name in pair.sampled_names if name in pair.formulas for raw in cases)


def _off(pair: Pair, name: str, raw: Mapping[str, Any], context: RunContext) -> bool:
    """Whether a print differs from the derived value at a case by twice what the empirical check sees, or has none."""
    target = pair.target(name, raw)
    # a print of a limit is put against the limit
    printed, derived = target.claimed, target.true
    if printed is None or not printed.is_finite or not printed.is_real:
        return derived is not None
    if derived is None:
        return False
    gap = abs(float(printed) - float(derived))
    if isinstance(pair.quantity(name), Fact):
        return gap > 2 * LOOSE * max(1.0, abs(float(target.derived)))
    moment, mean, variance = pair.statistic(name, raw)
    return gap > 2 * scale_and_tolerance(moment, mean, variance, context.effort.factor)[1]


def matrix_rows(claim: str) -> Iterator[tuple[str, tuple[str, str]]]:
    """The mutants of a printed sum of matrix words, each with what becomes of it; nothing for other claims."""
    derived = derivations(claim)
    fact = matrix_of(derived) if derived is not None else None
    if fact is None:
        return
    for kind, source in sources(claim):
        for label, off in matrix_decoys(fact, source.printed):
            seen = any(fact.instance(point).evaluate(off).any() for point in fact.points)
            yield f"{claim} {kind}, {label}", ("caught", "disproved") if seen else ("survived", "no instance shows it")
