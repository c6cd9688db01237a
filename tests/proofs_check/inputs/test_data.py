"""JSON and TOML beyond the bounds are refused before they cost anything; what lies within is read."""

from __future__ import annotations

import json
import time
import tracemalloc
from typing import Any

import pytest

from proofs_check.inputs.data import MAX_VALUES, json_of
from theorems.claims.outside import MAX_DEPTH, MAX_DIGITS, MAX_STOPS, toml_of


def deep(levels: int) -> Any:
    found: Any = 1
    for _ in range(levels):
        found = [found]
    return found


JSON = {
    "many numbers": ("[" + "0," * MAX_VALUES + "0]", "over 1000000 values"),
    "many tables": ("[" + "{}," * MAX_VALUES + "0]", "over 1000000 values"),
    "many keys": ("{" + ",".join(f'"{k}":0' for k in range(MAX_VALUES + 1)) + "}", "over 1000000 values"),
    "zeros": ("0" * (1 << 20), "Extra data"),
    "deep": (json.dumps(deep(MAX_DEPTH + 1)), "nested too deeply"),
    "deeper": ("[" * 500_000 + "]" * 500_000, "nested too deeply"),
    "tables": ('{"a":' * 500_000, "nested too deeply"),
    "digits": ("1" * (MAX_DIGITS + 1), "over 100 digits"),
    "negative": ("-" + "1" * MAX_DIGITS, "over 100 digits"),
    "many digits": ("1" * 5000, "over 100 digits"),
    "decimals": ("0." + "1" * MAX_DIGITS, "over 100 digits"),
    "power": ("1e999", "out of range"),
    "NaN": ("NaN", "no JSON"),
    "twice": ('{"a": 1, "b": 2, "a": 3}', "'a' stands twice"),
}
TOML = {
    "dotted": ("a." * 100_000 + "b = 1\n", "full stops in line 1"),
    "dotted in a table": ("[v]\n" + "a . " * 1000 + "b = 1\n", "full stops in line 2"),
    "dotted after a string": ('k = {x = """\n""", ' + "a." * 1000 + "b = 1}\n", "full stops in line 2"),
    "dotted head": ("[" + "a." * 1000 + "b]\n", "full stops in line 1"),
    "large": ("# " * (1 << 20), "over 1024 KiB"),
    "deep": ("a = " + "[" * 20_000 + "]" * 20_000, "nested too deeply"),
    "deeper": ("a = " + "[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1), "nested too deeply"),
    "digits": ("a = " + "1" * (MAX_DIGITS + 1), "over 100 digits"),
    "grouped": ("a = " + "1_" * MAX_DIGITS + "1", "over 100 digits"),
    "hexadecimal": ("a = 0x" + "f" * 500_000, "over 100 digits"),
}


@pytest.mark.parametrize(
    ("reader", "text", "told"),
    [(json_of, *case) for case in JSON.values()] + [(toml_of, *case) for case in TOML.values()],
    ids=[*(f"json {name}" for name in JSON), *(f"toml {name}" for name in TOML)],
)
def test_what_is_beyond_the_bounds_costs_nothing(reader: Any, text: str, told: str) -> None:
    tracemalloc.start()
    began = time.process_time()
    try:
        with pytest.raises(ValueError, match=told):
            reader(text)
        assert time.process_time() - began < 2
        assert tracemalloc.get_traced_memory()[1] < 1 << 26
    finally:
        tracemalloc.stop()


def test_what_is_within_the_bounds_is_read() -> None:
    number = int("7" * MAX_DIGITS)
    assert json_of(json.dumps({"a": [number, 1.5, None]})) == {"a": [number, 1.5, None]}
    assert json_of(json.dumps(deep(MAX_DEPTH - 1))) == deep(MAX_DEPTH - 1)
    assert toml_of(f'a.b = {number}\nc = "{"." * (MAX_STOPS - 1)}"') == {"a": {"b": number}, "c": "." * (MAX_STOPS - 1)}
    assert toml_of("a = 1e400")["a"] == float("inf")
