"""JSON from outside, under one bound of size, depth and digits; ValueError says in words what goes beyond it."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

from theorems.claims.outside import MAX_DIGITS, check_depth

#: Most values: a report of every claim has a few ten thousand.
MAX_VALUES = 1_000_000


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
    check_depth(found)
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
