"""What a statement's names stand for at a case that an empirical check looked at."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from proofs_check.checks.evidence import Seen
from proofs_check.claims.pairing import Pair
from theorems.statement.proposition import Proposition
from theorems.statement.values.cases import Case, frame, only_set


class InstanceError(ValueError):
    """A case that gives the statement's names no values; the message says which, and the mend."""


def _completed(pair: Pair, seen: Seen, given: Callable[..., Mapping[str, Any] | None] | None) -> Mapping[str, Any]:
    """The case with the parameters that it lacks, as its instance has them.

    Raises InstanceError for one that is not what the empirical check found of it.
    """
    table = dict(seen.case)
    for name, value in (named(seen, given) or {}).items():
        if name in pair.statement.parameters and name not in table:
            number, error = seen.found.get(name, (Fraction(value), 0))  # type: ignore[misc]
            if abs(Fraction(value) - Fraction(number)) > Fraction(error):
                raise InstanceError(f"its instance has {name} = {float(value):.9g}, the empirical check {number:.9g}")
            table[name] = str(Fraction(value))
    return table


def named(seen: Seen, given: Callable[..., Mapping[str, Any] | None] | None) -> Mapping[str, Any] | None:
    """What ``given`` says of a statement's names at a case; None where they have no exact values there.

    Its parameters are what the check has at the case, by name; ``exact`` is the case itself. Raises InstanceError
    for a parameter that the case lacks.
    """
    if given is None:
        return {}
    wanted, table = inspect.signature(given).parameters, {**seen.given, "exact": seen.case}
    lacking = [name for name in wanted if name not in table]
    if lacking:
        raise InstanceError(f"its instance asks for {lacking[0]}; the case has {', '.join(seen.given)}")
    return given(**{name: table[name] for name in wanted})


def instance(prop: Proposition, seen: Seen, given: Callable[..., Mapping[str, Any] | None] | None) -> Case:
    """What a statement's names stand for at a case: what ``given`` says of them, else what the case itself has.

    Raises InstanceError for a name without a value, or with one of another shape than the statement's.
    """
    table = {**seen.case, **(named(seen, given) or {})}
    for name, (size, _) in prop.known.sequences.items():
        if name not in table and only_set(prop, name):
            # what at(...) sets everywhere may be anything
            table[name] = [0] * int(_one({**table, size: size} if size.isdigit() else table, size))
    if prop.limit.value is not None and prop.limit.value.op == "number":
        table.setdefault(prop.limit.variable, prop.limit.value.args[0])
    ensemble = _ensemble(table) if prop.law.exchangeable else ()
    if ensemble:
        table = {"T": len(ensemble[0]), "d": len(ensemble[0][0]), **table}
    sequences = {name: _row(table, name) for name in prop.known.sequences}
    vectors = {name: _row(table, name) for name in prop.known.vectors}
    matrices = {name: tuple(_entries(row, name) for row in _rows(table, name)) for name in prop.matrices}
    families = {name: _nested(table, name, len(bounds)) for name, bounds in prop.known.families.items()}
    for name, (size, _) in prop.known.sequences.items():
        if not size.isdigit():
            table.setdefault(size, len(sequences[name]))
    for name, rows in matrices.items():
        for size, length in zip(prop.known.size(name), (len(rows), len(rows[0])), strict=True):
            table.setdefault(size, length)
    for entries in (*vectors.values(), *map(_first, families.values())):
        table.setdefault("d", len(entries))
    return Case(
        {name: _one(table, name) for name in frame(prop).names}, matrices, vectors, sequences, families, ensemble
    )


def _nested(table: Mapping[str, Any], name: str, depth: int) -> tuple[Any, ...]:
    """The vectors of a family, as deep as it has indices."""

    def read(found: Any, left: int) -> tuple[Any, ...]:
        if not left:
            return _entries(found, name)
        if not isinstance(found, list | tuple):
            raise InstanceError(f"{name} holds {found!r}; expected vectors, in lists as deep as it has indices")
        return tuple(read(one, left - 1) for one in found)

    return read(_value(table, name), depth)


def _ensemble(table: Mapping[str, Any]) -> tuple[Any, ...]:
    """The sets of tokens of a finite exchangeable law."""
    sets = _rows(table, "tokens")
    return tuple(tuple(_entries(one, "tokens") for one in _rows({"tokens": tokens}, "tokens")) for tokens in sets)


def _value(table: Mapping[str, Any], name: str) -> Any:
    if name not in table:
        known = ", ".join(map(str, table))
        raise InstanceError(f"no case says what {name} is (it has {known}); register it with @instance")
    return table[name]


def _first(members: tuple[Any, ...]) -> tuple[Any, ...]:
    """The first vector of a family."""
    return _first(members[0]) if isinstance(members[0], tuple) else members


def _one(table: Mapping[str, Any], name: str) -> Fraction:
    return _number(_value(table, name), name)


def _row(table: Mapping[str, Any], name: str) -> tuple[Fraction, ...]:
    return _entries(_value(table, name), name)


def _rows(table: Mapping[str, Any], name: str) -> Sequence[Any]:
    found = _value(table, name)
    if not isinstance(found, list | tuple):
        raise InstanceError(f"{name} is {found!r}; expected a matrix, rows of numbers")
    return found


def _entries(row: Any, name: str) -> tuple[Fraction, ...]:
    if not isinstance(row, list | tuple):
        raise InstanceError(f"{name} holds {row!r}; expected rows of numbers")
    return tuple(_number(entry, name) for entry in row)


def _number(value: Any, name: str) -> Fraction:
    try:
        return Fraction(value)
    except (TypeError, ValueError, OverflowError, ZeroDivisionError):
        raise InstanceError(f"{name} is {value!r}; expected a number, or a nested list of numbers") from None
