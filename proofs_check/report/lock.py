"""The lock: verdicts, derived values, corrections and the figures' data of one whole run, to hold later runs to.

``twofold lock`` writes it, ``--expect`` reads it. A figure's data is held as a fingerprint that rounding does not
move: how many numbers, the sum of their sizes, a sum that their order enters, and a digest of the words.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from proofs_check.claims.report import Report
from proofs_check.inputs.data import json_of
from proofs_check.inputs.errors import UsageError, shown
from proofs_check.inputs.expect import FORMULAS, formulas
from proofs_check.inputs.files import read_bytes
from theorems.claims.outside import toml_of

HEAD = "# What `twofold verify` and `twofold figures` found, written by `twofold lock` and never by hand.\n"
#: Part of the sum of sizes by which two fingerprints of one figure may differ: vector units round differently.
ROUNDING = 1e-5
#: A sum that their order enters: number k counts 1 + (k mod this)/this.
TURN = 97
#: What a fingerprint holds.
MARKS: Mapping[str, type] = {"numbers": int, "size": float, "order": float, "words": str}
_BARE = re.compile(r"[A-Za-z0-9_-]+")

Fingerprint = dict[str, Any]


def fingerprint(data: Any) -> Fingerprint:
    """numbers, size = sum |x_k|, order = sum x_k (1 + (k mod 97)/97), words: what a figure's data is known by."""
    numbers: list[float] = []
    words = sha256()
    for leaf in _leaves(data):
        if isinstance(leaf, float | int) and not isinstance(leaf, bool):
            numbers.append(float(leaf))
        else:
            words.update(f"{leaf!r}\n".encode())
    ordered = (x * (1 + (k % TURN) / TURN) for k, x in enumerate(numbers))
    return {
        "numbers": len(numbers),
        "size": math.fsum(map(abs, numbers)),
        "order": math.fsum(ordered),
        "words": words.hexdigest()[:16],
    }


def _leaves(data: Any) -> Iterator[Any]:
    if isinstance(data, Mapping):
        for name, part in data.items():
            yield name
            yield from _leaves(part)
    elif isinstance(data, list | tuple):
        for part in data:
            yield from _leaves(part)
    else:
        yield data


def moved(held: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """How a figure's data differs from what is held, in words; "" where it does not."""
    if held.get("numbers") != now["numbers"]:
        return f"{held.get('numbers')} numbers, now {now['numbers']}"
    if held.get("words") != now["words"]:
        return "other words"
    allowed = ROUNDING * max(float(now["size"]), 1e-300)
    for name in ("size", "order"):
        if not abs(float(held.get(name, math.nan)) - now[name]) <= allowed:
            return f"other numbers ({name} {held.get(name):.9g}, now {now[name]:.9g})"
    return ""


def written(report: Report, figures: Mapping[str, Fingerprint]) -> str:
    """The lock as TOML; UsageError for a run that cannot be held to."""
    run = report["run"]
    if run["partial"]:
        raise UsageError("lock", "the run", "a run that came to its end", "run it again")
    bad = [claim["id"] for claim in report["claims"] if claim["verdict"] in ("conflict", "error")]
    if bad:
        raise UsageError("lock", bad[0], "no conflict and no error", f"`twofold verify {bad[0]}` shows it")
    claims = report["claims"]
    tables: dict[str, Mapping[str, Any]] = {
        "made": {"effort": run["effort"], "seed": run["seed"]},
        "versions": run["versions"],
        "verdicts": {claim["id"]: claim["verdict"] for claim in claims},
        **{table: formulas(claims, table) for table in FORMULAS},
        **{f"figures.{_key(name)}": mark for name, mark in figures.items()},
    }
    parts = [HEAD]
    for name, table in tables.items():
        lines = [f"{_key(key)} = {_value(value)}" for key, value in table.items()]
        parts.append("\n".join([f"[{name}]", *lines]) + "\n")
    return "\n".join(parts)


def is_lock(text: str) -> bool:
    """Whether ``twofold lock`` wrote a text, or it holds verdicts as its files do."""
    if text.startswith(HEAD):
        return True
    try:
        return isinstance(toml_of(text).get("verdicts"), dict)
    except ValueError:
        return False


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _value(name)


def _value(value: Any) -> str:
    """A TOML value: a JSON string is a basic string, and floats round-trip."""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)


def figures_of(argument: str, value: str) -> dict[str, Fingerprint]:
    """The fingerprints that a lock holds; UsageError where the file cannot be read or holds none that can be used."""
    try:
        data = toml_of(read_bytes(argument, value, "a file that `twofold lock` wrote").decode("utf-8-sig"))
    except ValueError as error:
        raise UsageError(argument, value, f"a file that `twofold lock` wrote ({error})") from None
    found = data.get("figures")
    if not found:
        raise UsageError(argument, value, "a lock that holds figures", "let `twofold lock` write it")
    for name, mark in found.items() if isinstance(found, dict) else [("figures", found)]:
        if not _is_fingerprint(mark):
            wanted = f"figures.{shown(name)} with {', '.join(MARKS)}"
            raise UsageError(argument, value, wanted, "let `twofold lock` write it")
    return dict(found)


def _is_fingerprint(mark: object) -> bool:
    return isinstance(mark, dict) and all(isinstance(mark.get(key), kind) for key, kind in MARKS.items())


def changed(held: Mapping[str, Fingerprint], now: Mapping[str, Fingerprint]) -> list[str]:
    """A line for each figure that was made and whose data is not as held."""
    lines = []
    for name, mark in now.items():
        how = moved(held[name], mark) if name in held else "is not held"
        if how:
            lines.append(f"{name}: {how}")
    return lines


def news(before: str, after: str) -> list[str]:
    """What a new lock says that the one before it did not, a line each."""
    try:
        old = toml_of(before)
    except ValueError:
        return ["the lock before could not be read"]
    new = toml_of(after)
    # a table that is none holds nothing
    old = {name: table if isinstance(table, dict) else {} for name, table in old.items()}
    lines = []
    for table in ("verdicts", *FORMULAS, "versions"):
        one, two = old.get(table, {}), new.get(table, {})
        for name in dict.fromkeys([*one, *two]):
            if one.get(name) != two.get(name):
                was, is_ = (" ".join(str(part.get(name, "none")).split()) for part in (one, two))
                lines.append(f"{table}: {' '.join(name.split())}: {was} -> {is_}")
    one, two = old.get("figures", {}), new.get("figures", {})
    one = {name: mark for name, mark in one.items() if _is_fingerprint(mark)}
    lines += [f"figures: {line}" for line in changed(one, two)]
    lines += [f"figures: {' '.join(name.split())}: no longer held" for name in one if name not in two]
    return lines


def data_of(folder: Path) -> dict[str, Fingerprint]:
    """The fingerprints of the figures' data in a folder that `twofold figures` wrote; UsageError for no such folder."""
    found = {}
    for path in sorted(folder.glob("*.json")):
        try:
            found[path.stem] = fingerprint(
                json_of(read_bytes("--figures", path, "a figure's data", "make it again").decode())
            )
        except (ValueError, OverflowError) as error:
            raise UsageError("--figures", str(path), f"a figure's data ({error})", "make it again") from None
    if not found:
        raise UsageError("--figures", str(folder), "a folder with figures' data", "`twofold figures` writes one")
    return found
