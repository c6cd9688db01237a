"""Verdicts that a run is held to: a ``[verdicts]`` table in TOML, or the JSON report of an earlier run."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from proofs_check.errors import UsageError, did_you_mean

VERDICTS = ("verified", "refuted", "undecided", "conflict", "error")
CORRECTED = ".corrected"
_ARGUMENT = "--expect"
_LIMIT = 1 << 26


@dataclass(frozen=True)
class Difference:
    """A claim whose verdict is not the expected one; ``got`` is "" where the run gave none."""

    id: str
    expected: str
    got: str

    @property
    def sentence(self) -> str:
        """``<id>: expected refuted, got verified``."""
        return f"{self.id}: expected {self.expected}, got {self.got or 'no verdict'}"


def unique_pairs(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object; raises ValueError for a key that stands twice, which `json` would silently drop."""
    table = dict(pairs)
    if len(table) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key {twice[:40]!r} stands twice")
    return table


def no_constant(name: str) -> Any:
    """Refuse NaN and Infinity, which JSON does not have."""
    raise ValueError(f"{name} is no JSON")


def _parse(text: str, value: str) -> Any:
    is_json = value.endswith(".json") or (not value.endswith(".toml") and text.lstrip().startswith("{"))
    try:
        if is_json:
            return json.loads(text, object_pairs_hook=unique_pairs, parse_constant=no_constant)
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else error
        raise UsageError(_ARGUMENT, value, f"valid {'JSON' if is_json else 'TOML'} ({reason})") from None


def _reported(data: Mapping[str, Any], value: str) -> dict[str, Any]:
    """The verdicts of a JSON report."""
    if data.get("schema") != 1:
        raise UsageError(_ARGUMENT, value, f"a report with schema = 1; it has {data.get('schema')!r}")
    claims = data.get("claims")
    if not isinstance(claims, list):
        raise UsageError(_ARGUMENT, value, "a report with a list `claims`", "use a file that --json wrote")
    found: dict[str, Any] = {}
    for number, claim in enumerate(claims):
        if not isinstance(claim, dict) or not isinstance(claim.get("id"), str) or "verdict" not in claim:
            raise UsageError(_ARGUMENT, value, f"a report whose claims have id and verdict; claims[{number}] has not")
        if claim["id"] in found:
            raise UsageError(_ARGUMENT, value, f"a report with each claim once; {claim['id'][:60]!r} stands twice")
        found[claim["id"]] = claim["verdict"]
    return found


def read(value: str, known: Collection[str], selected: Collection[str]) -> dict[str, str]:
    """The expected verdicts of the selected claims and their corrections, by id.

    ``known`` are the ids of the catalogue, ``selected`` those of this run. Raises UsageError for a file that cannot
    be read or used: an id that is in no catalogue, a verdict that is none, or not one selected claim.
    """
    try:
        with Path(value).open("rb") as handle:
            raw = handle.read(_LIMIT + 1)
        if len(raw) > _LIMIT:
            raise UsageError(_ARGUMENT, value, "a file of at most 64 MiB")
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UsageError(_ARGUMENT, value, "a TOML or JSON file in UTF-8") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise UsageError(_ARGUMENT, value, f"a readable TOML or JSON file ({reason})") from None
    data = _parse(text, value)
    if not isinstance(data, dict):
        raise UsageError(_ARGUMENT, value, "a table of verdicts", 'write [verdicts] and "<id>" = "<verdict>" lines')
    if "verdicts" in data:
        verdicts = data["verdicts"]
    elif "schema" in data or "claims" in data:
        verdicts = _reported(data, value)
    else:
        verdicts = None
    if not isinstance(verdicts, dict):
        raise UsageError(
            _ARGUMENT, value, "a [verdicts] table or a report of an earlier run", 'write "<id>" = "<verdict>" lines'
        )
    for name, verdict in verdicts.items():
        if name.removesuffix(CORRECTED) not in known:
            raise UsageError(_ARGUMENT, value, f"ids of claims; {name[:60]!r} is none", did_you_mean(name, known))
        if not isinstance(verdict, str) or verdict not in VERDICTS:
            raise UsageError(
                _ARGUMENT, value, f"{name} to be one of {', '.join(VERDICTS)}; it is {str(verdict)[:40]!r}"
            )
    chosen = {name: verdict for name, verdict in verdicts.items() if name.removesuffix(CORRECTED) in selected}
    if not chosen:
        raise UsageError(_ARGUMENT, value, "a verdict for one selected claim at least", "select a claim that it names")
    return chosen


def differences(expected: Mapping[str, str], claims: Iterable[Mapping[str, Any]], partial: bool) -> list[Difference]:
    """Where the verdicts are not the expected ones; a partial run is not held to the claims it did not reach."""
    got = {claim["id"]: claim["verdict"] for claim in claims}
    return [
        Difference(name, verdict, got.get(name, ""))
        for name, verdict in expected.items()
        if got.get(name, verdict if partial else "") != verdict
    ]
