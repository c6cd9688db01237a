"""JSON and TOML from outside, under one bound of size, depth and digits; ValueError says in words what goes beyond it.

The bounds are checked before a reader could spend time or memory on what lies beyond them.
"""

from __future__ import annotations

import json
import math
import re
import tomllib
from collections import Counter
from collections.abc import Sequence
from typing import Any

#: Most values, levels and digits of a number: a report of every claim has a few ten thousand, ten and twenty.
MAX_VALUES, MAX_DEPTH, MAX_DIGITS = 1_000_000, 100, 100
_LONG = re.compile(rf"[0-9_]{{{MAX_DIGITS + 1}}}|0x[0-9A-Fa-f_]{{{MAX_DIGITS + 1}}}")
#: Largest TOML, in characters, and most full stops in a line: a key of n parts costs its reader n^2.
MAX_TOML, MAX_STOPS = 1 << 20, 64


def json_of(text: str) -> Any:
    """The data of a JSON text: numbers are finite, no key stands twice; ValueError for anything else."""
    if text.count(",") + text.count("[") + text.count("{") > MAX_VALUES:
        raise ValueError(f"over {MAX_VALUES} values")
    try:
        found = json.loads(
            text, object_pairs_hook=_unique, parse_constant=_constant, parse_int=_integer, parse_float=_float
        )
    except RecursionError:
        raise ValueError("nested too deeply") from None
    _check_depth(found)
    return found


def toml_of(text: str) -> dict[str, Any]:
    """The data of a TOML text; ValueError for anything else."""
    if len(text) > MAX_TOML:
        raise ValueError(f"over {MAX_TOML >> 10} KiB")
    for number, line in enumerate(text.splitlines(), 1):
        if line.count(".") > MAX_STOPS:
            raise ValueError(f"over {MAX_STOPS} full stops in line {number}")
    if _LONG.search(text):
        raise ValueError(f"a number of over {MAX_DIGITS} digits")
    try:
        found = tomllib.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    _check_depth(found)
    return found


def _unique(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object; a key that stands twice would be dropped silently."""
    table = dict(pairs)
    if len(table) < len(pairs):
        seen = Counter(name for name, _ in pairs)
        twice = next(name for name, times in seen.items() if times > 1)
        raise ValueError(f"the key {twice[:40]!r} stands twice")
    return table


def _constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def _integer(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise ValueError(f"a number of over {MAX_DIGITS} digits")
    return int(digits)


def _float(digits: str) -> float:
    if len(digits) > MAX_DIGITS:
        raise ValueError(f"a number of over {MAX_DIGITS} digits")
    value = float(digits)
    if not math.isfinite(value):
        raise ValueError(f"{digits} is out of range")
    return value


def _check_depth(found: Any) -> None:
    level, depth = [found], 0
    while level := [
        part
        for value in level
        if isinstance(value, dict | list)
        for part in (value.values() if isinstance(value, dict) else value)
    ]:
        depth += 1
        if depth > MAX_DEPTH:
            raise ValueError("nested too deeply")
