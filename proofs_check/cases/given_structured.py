"""A user's case of a model with structured data, read exactly; see ``structured`` for the shapes."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from proofs_check.cases.entries import count, fail, rational
from proofs_check.inputs.errors import nearest, shown
from theorems.claims.catalogue import Statement

Case = dict[str, Any]

#: Most rows and columns of a user's data, and most tokens of a law that is sampled.
MAX_ROWS, MAX_COLUMNS, MAX_TOKENS = 64, 16, 16
#: The laws that tokens are sampled from.
LAWS = ("gaussian", "centred", "signs", "mixture", "student")

#: The data that belong to a model, in the order of a case; parameters of a claim come after them.
KEYS: Mapping[str, tuple[str, ...]] = {
    "embeddings": ("z", "J"),
    "ensemble": ("tokens", "W", "beta"),
    "context": ("scores", "values"),
    "weighted": ("p", "a", "b", "c", "e"),
    "exchangeable": ("k", "d", "beta", "W", "L", "m", "law"),
}


def keys(statement: Statement) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The keys that a case must have, in its order, and those it may have; a claim about tokens alone needs no W."""
    own = KEYS[statement.model]
    optional: tuple[str, ...] = ()
    if statement.model == "ensemble" and statement.parameters:
        optional = tuple(name for name in own if name not in statement.parameters)
    required = tuple(name for name in own if name not in optional)
    return (*required, *(name for name in statement.parameters if name not in own)), optional


def check(statement: Statement, data: Mapping[str, Any]) -> Case:
    """A user's case in exact, canonical form; UsageError in one line for anything that is no case of the claim.

    At most MAX_ROWS rows and MAX_COLUMNS columns; entries are integers or strings "p/q" and come out as integers
    where they are whole, scalar parameters as strings.
    """
    required, optional = keys(statement)
    allowed = (*required, *optional)
    for name in data:
        if name not in allowed:
            near = nearest(name, allowed)
            told = f"a key of {statement.id}: {', '.join(allowed)}"
            fail(f"key {shown(name)}", told, f"nearest: {near[0]}" if near else "")
    missing = [name for name in required if name not in data]
    if missing:
        told = f"the key{'s' * (len(missing) > 1)} {', '.join(missing)} too"
        fail(shown(json.dumps(data)), told, f"{statement.id} needs {', '.join(required)}")
    case: Case = {}
    for name in allowed:
        if name in data:
            reader = _weighted if statement.model == "weighted" else _READERS.get(name, _parameter)
            case[name] = reader(name, data[name], case)
    return case


def plain(number: Fraction) -> int | str:
    """A number as a case holds it: an integer where it is whole, \"p/q\" elsewhere."""
    return number.numerator if number.denominator == 1 else str(number)


def _parameter(name: str, value: object, case: Case) -> str:
    return str(rational(name, value))


def _list(name: str, value: object, least: int, most: int, what: str) -> list[Any]:
    if not isinstance(value, list) or not least <= len(value) <= most:
        fail(f"{name} = {shown(value)}", f"a list of {least} to {most} {what}")
    return value


def _entries(name: str, value: object, columns: int | None) -> list[int | str]:
    """A row of numbers; ``columns`` is the number of entries of the rows before it, None for the first."""
    row = _list(name, value, 1, MAX_COLUMNS, "numbers")
    if columns is not None and len(row) != columns:
        fail(f"{name} = {shown(value)}", f"{columns} number{'s' * (columns > 1)}, as in every other row")
    return [plain(rational(f"{name}[{place}]", entry)) for place, entry in enumerate(row)]


def _rows(name: str, value: object, least: int, columns: int | None = None) -> list[list[int | str]]:
    rows: list[list[int | str]] = []
    for place, row in enumerate(_list(name, value, least, MAX_ROWS, "rows of numbers")):
        rows.append(_entries(f"{name}[{place}]", row, len(rows[0]) if rows else columns))
    return rows


def _embedded(name: str, value: object, case: Case) -> list[list[int | str]]:
    return _rows(name, value, 2)


def _queries(name: str, value: object, case: Case) -> list[int]:
    T = len(case["z"]) - 1
    chosen = [count(f"{name}[{place}]", i, T) for place, i in enumerate(_list(name, value, 1, T, "queries"))]
    if len(set(chosen)) < len(chosen):
        fail(f"{name} = {shown(value)}", "every query once", f"write {sorted(set(chosen))}")
    return sorted(chosen)


def _window(name: str, value: object, case: Case) -> int:
    return count(name, value, MAX_ROWS)


def _sets(name: str, value: object, case: Case) -> list[list[list[int | str]]]:
    sets: list[list[list[int | str]]] = []
    rows = 0
    for place, tokens in enumerate(_list(name, value, 1, MAX_ROWS, "sets of tokens")):
        where = f"{name}[{place}]"
        sets.append(_rows(where, tokens, 2, len(sets[0][0]) if sets else None))
        rows += len(sets[-1])
        if len(sets[-1]) != len(sets[0]):
            fail(f"{where} has {len(sets[-1])} tokens", f"{len(sets[0])}, as many as the sets before it have")
        if rows > MAX_ROWS:
            fail(f"{name} has {rows} tokens or more", f"at most {MAX_ROWS} over all sets")
    return sets


def _square(name: str, value: object, case: Case) -> list[list[int | str]]:
    d = case["d"] if "d" in case else len(case["tokens"][0][0])
    if not isinstance(value, list) or len(value) != d:
        fail(f"{name} = {shown(value)}", f"a list of {d} rows of {d} numbers each, as many as a token has")
    return _rows(name, value, d, d)


def _weighted(name: str, value: object, case: Case) -> list[int | str]:
    """A number for every point, of the weights first, which are not negative."""
    row = _entries(name, value, len(case["p"]) if "p" in case else None)
    if name == "p" and (negative := [entry for entry in row if Fraction(entry) < 0]):
        fail(f"p has the entry {negative[0]}", "weights >= 0")
    return row


def _scores(name: str, value: object, case: Case) -> list[int | str]:
    row = _list(name, value, 2, MAX_ROWS, "scores")
    return [plain(rational(f"{name}[{place}]", entry)) for place, entry in enumerate(row)]


def _values(name: str, value: object, case: Case) -> list[list[int | str]]:
    keys = len(case["scores"])
    rows = _rows(name, value, 2)
    if len(rows) != keys:
        fail(f"{name} has {len(rows)} rows", f"{keys}, one for every score")
    return rows


def _tokens(name: str, value: object, case: Case) -> int:
    found = count(name, value, MAX_TOKENS)
    if found < 2:
        fail(f"{name} = {found}", f"an integer from 2 to {MAX_TOKENS}")
    return found


def _dimension(name: str, value: object, case: Case) -> int:
    return count(name, value, MAX_COLUMNS)


def _mean(name: str, value: object, case: Case) -> list[int | str]:
    return _entries(name, value, case["d"])


def _law(name: str, value: object, case: Case) -> str:
    if value not in LAWS:
        fail(f"{name} = {shown(value)}", f"one of {', '.join(LAWS)}")
    return str(value)


#: How the data of the models are read; each may look at what was read before it.
_READERS: Mapping[str, Callable[[str, object, Case], Any]] = {
    "z": _embedded,
    "J": _queries,
    "w": _window,
    "tokens": _sets,
    "W": _square,
    "L": _square,
    "k": _tokens,
    "d": _dimension,
    "m": _mean,
    "law": _law,
    "scores": _scores,
    "values": _values,
}
