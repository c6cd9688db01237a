"""Probes of a rule: the steps of the shipped derivations, and copies of them with one thing changed.

Beside them stand the steps made by hand: true ones, and near misses. A rule must license every true step, and refuse
what the original refuses of the rest: a copy in which nothing that matters was changed is no probe.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from fractions import Fraction
from hashlib import sha256
from typing import Any

import sympy as sp

from proofs_check.claims.mutants import clause_mutants
from proofs_check.claims.pairing import Pair
from tests.mutation import near_misses
from tests.mutation.code import TooLong, within
from theorems.algebra.expressions import ExpressionError, parse, symbol, text
from theorems.algebra.ratio import Ratio
from theorems.claims.catalogue import Statement, catalogue
from theorems.claims.conditions import SIGNS, conjunction
from theorems.gaussian.process import Process, Step
from theorems.kernel.derivation import Derived
from theorems.rules import licensed

#: Most true steps and copies that are kept for one rule, and of how many steps copies are made.
STEPS, COPIES, SOURCES = 16, 160, 6
#: Copies of long data are fewer, for they take longer: so many characters of it in all, yet FEWEST copies at least.
CHARACTERS, FEWEST = 60_000, 50
#: Most seconds that a step made by hand or shipped may take, and a copy: they are asked for every mutant of the rule.
LONG, SHORT = 5.0, 0.05

#: A number is also changed by this part of it, and by its square.
NEAR = sp.Rational(1, 20)

Change = tuple[str, Any]


@dataclass(frozen=True)
class Probes:
    """Steps that a rule licenses, and near misses and changed copies, of which it refuses most.

    The first ``own_true`` of ``true`` and the first ``own_false`` of ``copies`` are made by hand, and are always asked.
    ``original`` keeps what the original said of those copies that it was asked about, by their place.
    """

    true: tuple[Step, ...]
    copies: tuple[Step, ...]
    own_true: int = 0
    own_false: int = 0
    original: dict[int, bool | None] = field(default_factory=dict)

    def refused(self, place: int) -> bool:
        """Whether the original rule refuses a copy; asked with the original in its place only."""
        if place not in self.original:
            self.original[place] = answer(self.copies[place], self._seconds(place))
        return self.original[place] is False

    def _seconds(self, place: int) -> float:
        return LONG if place < self.own_false else SHORT

    def suspicious(self, place: int) -> tuple[int, str] | None:
        """The first copy from a place on that the rule, as it now stands, licenses or breaks on, and which of these."""
        for k in range(place, len(self.copies)):
            if self.original.get(k, False) is not False:
                continue
            try:
                with within(self._seconds(k)):
                    found = licensed(self.copies[k])
            except TooLong:
                self.original[k] = None
                continue
            except Exception as error:
                return k, f"raised {type(error).__name__}"
            if found:
                return k, "licenses a false step"
        return None


def digest(*parts: Any) -> str:
    """A fixed order for things with a name."""
    return sha256("\\n".join(map(str, parts)).encode()).hexdigest()


def claims() -> list[Statement]:
    """The shipped claims with a derivation."""
    return [claim for claim in catalogue() if not claim.plugin]


@functools.cache
def derivations(claim: str, second: bool = False) -> Derived | None:
    """A claim's derivation by one of its two ways, run once; None where the source is too incomplete for one."""
    statement = next(c for c in claims() if c.id == claim)
    try:
        return Pair(statement, second).derived()
    except LookupError:
        return None


@functools.cache
def true_steps() -> Mapping[str, tuple[Step, ...]]:
    """All different steps of all shipped derivations, and the steps within them, by rule."""
    found: dict[str, dict[str, Step]] = {}
    for claim in claims():
        for second in (False, True):
            derived = derivations(claim.id, second)
            for step in _inside(derived.steps if derived is not None else ()):
                found.setdefault(step.rule, {}).setdefault(key(step.data), step)
    for step in near_misses.true_steps():
        found.setdefault(step.rule, {}).setdefault(key(step.data), step)
    return {rule: tuple(steps[name] for name in sorted(steps)) for rule, steps in found.items()}


def _inside(value: Any) -> Iterator[Step]:
    if isinstance(value, Step):
        yield value
        yield from _inside(value.data)
    elif isinstance(value, tuple | list):
        for part in value:
            yield from _inside(part)


def key(value: Any) -> str:
    """A fixed name of a step's data: the same for equal data in every run."""
    if isinstance(value, Step):
        return f"{value.rule}{key(value.data)}"
    if isinstance(value, Process):
        return f"{type(value).__name__}({value.kernel.name}, {value.chain}, {value.symmetric})"
    if isinstance(value, tuple | list):
        return "(" + ", ".join(map(key, value)) + ")"
    if isinstance(value, Mapping):
        return "{" + ", ".join(sorted(f"{key(k)}: {key(v)}" for k, v in value.items())) + "}"
    if isinstance(value, frozenset | set):
        return "{" + ", ".join(sorted(map(key, value))) + "}"
    if is_dataclass(value) and not isinstance(value, type):
        # a copy need not be fit to be printed
        return f"{type(value).__name__}{key([getattr(value, part.name) for part in fields(value)])}"
    return str(value)


@functools.cache
def by_hand() -> tuple[Mapping[str, tuple[Step, ...]], Mapping[str, tuple[Step, ...]]]:
    """The true steps and the near misses that are made by hand, by rule."""
    found: tuple[dict[str, tuple[Step, ...]], dict[str, tuple[Step, ...]]] = ({}, {})
    for table, made in zip(found, (near_misses.true_steps(), near_misses.near_misses()), strict=True):
        for step in made:
            table[step.rule] = (*table.get(step.rule, ()), step)
    return found


@functools.cache
def probes(rule: str) -> Probes:
    """The probes of a rule; none where nothing uses it. What is made by hand comes first, and is kept whole."""
    right, wrong = (table.get(rule, ()) for table in by_hand())
    known = {key(step.data) for step in right}
    steps = sorted(true_steps().get(rule, ()), key=lambda step: digest(key(step.data)))
    shipped = [step for step in steps if key(step.data) not in known]
    true = tuple(step for step in (*right, *shipped[:STEPS]) if answer(step, LONG) is True)
    rows = []
    for turn, step in enumerate([*true[len(right) :], *right][:SOURCES]):
        others = [other.data for other in steps if other is not step and len(other.data) == len(step.data)]
        pool = sorted(set(_words(step.data)))
        for place, value in enumerate(step.data):
            foreign = [(f"of another step: {key(other[place])}", other[place]) for other in others[:4]]
            for label, other in (*tampered(value, pool), *foreign):
                data = (*step.data[:place], other, *step.data[place + 1 :])
                rows.append(((turn, place), digest(rule, turn, place, label), data))
        for label, data in together(step.data, pool):
            rows.append(((turn, len(step.data)), digest(rule, turn, label), data))
    longest = max((len(key(step.data)) for step in true), default=1)
    most = max(FEWEST, min(COPIES, CHARACTERS // longest))
    # a rule that there is not, and no data: whatever hands on to rules must refuse these
    shapeless = tuple(Step(name, "", step.data if name != rule else ()) for step in true[:1] for name in (rule, "none"))
    copies = (*wrong, *shapeless, *(Step(rule, "", data) for data in in_turn(rows)[:most]))
    return Probes(true, copies, min(len(right), len(true)), len(wrong))


def in_turn(rows: Sequence[tuple[Any, str, Any]]) -> list[Any]:
    """The values of rows (group, order, value), one of every group after the other."""
    groups: dict[Any, list[tuple[str, Any]]] = {}
    for group, order, value in rows:
        groups.setdefault(group, []).append((order, value))
    lines = [[value for _, value in sorted(part, key=lambda row: row[0])] for part in groups.values()]
    longest = max(map(len, lines), default=0)
    return [line[turn] for turn in range(longest) for line in lines if turn < len(line)]


def answer(step: Step, seconds: float) -> bool | None:
    """What the rule says of a step; None where it raises or takes long."""
    try:
        with within(seconds):
            return licensed(step)
    except (Exception, TooLong):
        return None


def _words(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, sp.Basic):
        yield from (s.name for s in value.free_symbols if isinstance(s, sp.Symbol))
    elif isinstance(value, tuple | list):
        for part in value:
            yield from _words(part)


def tampered(value: Any, pool: Sequence[str] = ()) -> Iterator[Change]:
    """A value with one number, sign, name, relation or part of it changed, with what was changed."""
    for kind, change in _CHANGED:
        if isinstance(value, kind):
            yield from change(value, pool)
            return
    if is_dataclass(value) and not isinstance(value, type | Process):
        for part in fields(value):
            if part.init:
                for label, other in tampered(getattr(value, part.name), pool):
                    # what cannot be made cannot be handed in
                    with contextlib.suppress(Exception):
                        yield f"{part.name}: {label}", replace(value, **{part.name: other})


def together(data: tuple[Any, ...], pool: Sequence[str]) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Data in which one thing is changed everywhere, so that its parts may still fit one another.

    Two names are exchanged, a name takes another value, or all expressions are multiplied.
    """
    names = [name for name in pool if name.isidentifier()]
    changes: list[tuple[str, Mapping[str, str], Mapping[sp.Symbol, sp.Expr], int]] = []
    for k, one in enumerate(names):
        changes += [(f"{one} <-> {two}", {one: two, two: one}, {}, 1) for two in names[k + 1 :]]
        changes.append((f"{one} -> q", {one: "q"}, {}, 1))
        x = symbol(one)
        others = (-x, 1 - x, x + 1, 2 * x, x**2, sp.Integer(0), sp.Integer(1), sp.Integer(-1))
        changes += [(f"{one} = {value}", {}, {x: value}, 1) for value in others]
    changes += [(f"times {factor}", {}, {}, factor) for factor in (-1, 0, 2)]
    for label, renamed, values, factor in changes:
        try:
            yield label, _everywhere(data, renamed, values, factor)
        except (ArithmeticError, TypeError, ValueError):
            # an index that is bound takes no value
            continue


def _everywhere(value: Any, names: Mapping[str, str], values: Mapping[sp.Symbol, sp.Expr], factor: int) -> Any:
    """A value with names and symbols replaced throughout, and its expressions multiplied."""
    if isinstance(value, str):
        return names.get(value, value)
    if isinstance(value, sp.Expr):
        table = {symbol(one): symbol(two) for one, two in names.items()} | dict(values)
        return factor * value.xreplace(table) if not value.is_Symbol or value in table else value
    if isinstance(value, Ratio) and type(value) is Ratio:
        return value * factor
    if isinstance(value, Step):
        return replace(value, data=_everywhere(value.data, names, values, factor))
    if type(value) in (tuple, list):
        return type(value)(_everywhere(part, names, values, factor) for part in value)
    if type(value) is dict:
        return {_everywhere(k, names, values, 1): _everywhere(v, names, values, factor) for k, v in value.items()}
    return value


def _boolean(value: bool, pool: Sequence[str]) -> Iterator[Change]:
    yield f"{not value}", not value


def _number(value: Any, pool: Sequence[str]) -> Iterator[Change]:
    near = (value * Fraction(21, 20), value * Fraction(19, 20)) if isinstance(value, Fraction) else ()
    for other in (value + 1, value - 1, -value, 0 * value, *near):
        if other != value:
            yield str(other), other


def _string(value: str, pool: Sequence[str]) -> Iterator[Change]:
    yield "''", ""
    if any(relation in value for relation in SIGNS):
        try:
            changed = clause_mutants(conjunction(value))
        except ValueError:
            # words, not a condition
            changed = ()
        yield from ((label, " & ".join(other)) for label, other in changed)
    for other in (*pool, "q"):
        if other != value:
            yield other, other
    try:
        formula = parse(value)
    except ExpressionError:
        return
    if not formula.is_Symbol:
        yield from ((label, text(other)) for label, other in _expression(formula, pool))


def _expression(value: Any, pool: Sequence[str]) -> Iterator[Change]:
    if isinstance(value, sp.MatrixBase):
        for place, entry in enumerate(value):
            for label, changed in _expression(entry, pool):
                rows = list(value)
                rows[place] = changed
                yield f"[{place}] {label}", type(value)(*value.shape, rows)
        return
    if not isinstance(value, sp.Expr):
        return
    yield from ((f"{value} -> {other}", other) for other in (-value, value + 1, value - 1, 2 * value, 0 * value))
    if value.is_Rational:
        yield from ((f"{value} times {f}", value * f) for f in (1 + NEAR, 1 - NEAR, 1 + NEAR**2, 1 - NEAR**2))
    names = sorted(s.name for s in value.free_symbols if isinstance(s, sp.Symbol))
    for name in names:
        for other in (*names, *(n for n in pool if n.isidentifier() and n not in names)):
            if other != name:
                swap = {symbol(name): symbol(other), symbol(other): symbol(name)}
                yield f"{name} <-> {other}", value.xreplace(swap)
        yield f"{name} -> {name} + 1", value.xreplace({symbol(name): symbol(name) + 1})
    for node in sp.preorder_traversal(value):
        for part in _parts(node):
            yield f"{node} -> {part}", value.xreplace({node: part})


def _parts(node: sp.Basic) -> Iterator[sp.Basic]:
    """What a node of an expression is changed to."""
    if isinstance(node, sp.Rational):
        yield from (node + 1, node - 1)
    elif isinstance(node, sp.Add | sp.Mul):
        for place, part in enumerate(node.args):
            rest = [*node.args[:place], *node.args[place + 1 :]]
            yield node.func(*rest)
            if isinstance(node, sp.Add):
                yield sp.Add(*rest, -part)
    elif isinstance(node, sp.Pow):
        yield from (node.base, node.base ** (node.exp + 1), node.base ** (node.exp - 1), node.base**-node.exp)
    elif isinstance(node, sp.Function):
        yield node.args[0]


def _sequence(value: Any, pool: Sequence[str]) -> Iterator[Change]:
    kind = type(value)
    if value:
        yield "empty", kind()
    for place, part in enumerate(value):
        rest = [*value[:place], *value[place + 1 :]]
        yield f"without [{place}]", kind(rest)
        if place:
            swapped = [*value[: place - 1], part, value[place - 1], *value[place + 1 :]]
            yield f"[{place - 1}] <-> [{place}]", kind(swapped)
        for label, other in tampered(part, pool):
            yield f"[{place}] {label}", kind([*value[:place], other, *value[place + 1 :]])


def _mapping(value: Mapping[Any, Any], pool: Sequence[str]) -> Iterator[Change]:
    if value:
        yield "empty", {}
    for name, part in value.items():
        yield f"without {name}", {k: v for k, v in value.items() if k != name}
        for label, other in tampered(part, pool):
            yield f"{name}: {label}", {**value, name: other}


def _ratio(value: Ratio, pool: Sequence[str]) -> Iterator[Change]:
    yield from (("+ 1", value + 1), ("- 1", value - 1), ("* 2", value * 2), ("* -1", -value), ("* 0", value * 0))
    for name in sorted(value.names):
        yield f"* {name}", value * Ratio.of(name)
        yield f"+ {name}", value + Ratio.of(name)
        if name not in value.den:
            yield f"{name} -> {name} + 1", value.substitute(name, Ratio.of(name) + 1)


def _step(value: Step, pool: Sequence[str]) -> Iterator[Change]:
    for place, part in enumerate(value.data):
        for label, other in tampered(part, pool):
            yield f"data[{place}] {label}", replace(value, data=(*value.data[:place], other, *value.data[place + 1 :]))
    yield "another rule", replace(value, rule="identity")


_CHANGED: tuple[tuple[Any, Callable[[Any, Sequence[str]], Iterator[Change]]], ...] = (
    (bool, _boolean),
    ((int, Fraction), _number),
    (str, _string),
    ((sp.Basic, sp.MatrixBase), _expression),
    (Ratio, _ratio),
    (Step, _step),
    ((tuple, list), _sequence),
    (Mapping, _mapping),
)
