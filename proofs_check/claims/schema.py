"""The schema of the JSON report, made from its types; and reports with the fields that an earlier version lacks."""

from __future__ import annotations

import gc
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints

from proofs_check.claims.report import SCHEMA, Report

#: What must hold between a claim's fields.
TOGETHER: list[dict[str, Any]] = [
    {
        "if": {"properties": {"verdict": {"const": "verified"}}},
        "then": {
            "properties": {
                "symbolic": {"properties": {"status": {"const": "proved"}}},
                "simulation": {"properties": {"status": {"const": "agrees"}}},
                "counterexample": {"type": "null"},
                "correction": {"type": "null"},
            }
        },
    },
    {
        "if": {"properties": {"verdict": {"const": "refuted"}}},
        "then": {
            "properties": {
                "symbolic": {"properties": {"status": {"const": "disproved"}}},
                "simulation": {"properties": {"status": {"const": "contradicts"}}},
                "counterexample": {"type": "object"},
            }
        },
    },
    {
        "if": {"properties": {"verdict": {"enum": ["undecided", "conflict", "error"]}}},
        "then": {"properties": {"reason": {"minLength": 1}}},
    },
    {
        "if": {"properties": {"verdict": {"const": "error"}}},
        "then": {"properties": {"traceback": {"type": "string", "minLength": 1}}},
        "else": {"properties": {"traceback": {"type": "null"}}},
    },
]


def schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of the report, made from the types; no field beside theirs may stand there."""
    import msgspec

    (top,), parts = msgspec.json.schema_components([Report], ref_template="#/$defs/{name}")
    for part in parts.values():
        if "properties" in part:
            part["additionalProperties"] = False
    parts["Claim"]["allOf"] = TOGETHER
    # msgspec's Meta objects die badly when the interpreter collects them at its end (its issue 717): a crash after the
    # work, one time in four. What is frozen is not collected then.
    gc.freeze()
    title = f"Report of a Twofold run, version {SCHEMA}"
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title, **top, "$defs": parts}


def empty(kind: Any) -> Any:
    """What stands in a report for a type before anything was found: nothing, 0, no text, no entries."""
    kind = _bare(kind)
    if get_origin(kind) is Literal:
        return get_args(kind)[-1]
    if get_origin(kind) in (Union, UnionType):
        return None if NoneType in get_args(kind) else empty(get_args(kind)[0])
    if isinstance(kind, type) and hasattr(kind, "__required_keys__"):
        return {name: empty(part) for name, part in _fields(kind).items()}
    return (get_origin(kind) or kind)()


def complete(value: Any, kind: Any = Report) -> Any:
    """The report, or the part of the given type, with the fields that an earlier version did not write, empty."""
    kind = _bare(kind)
    if value is None:
        return None
    if get_origin(kind) in (Union, UnionType):
        kind = next(part for part in get_args(kind) if part is not NoneType)
    if get_origin(kind) is list:
        return [complete(part, get_args(kind)[0]) for part in value]
    if isinstance(kind, type) and hasattr(kind, "__required_keys__"):
        return {n: complete(value[n], part) if n in value else empty(part) for n, part in _fields(kind).items()}
    return value


@cache
def _fields(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind, include_extras=True)


def _bare(kind: Any) -> Any:
    """A type without its notes."""
    while get_origin(kind) in (Annotated, NotRequired):
        kind = get_args(kind)[0]
    return kind
