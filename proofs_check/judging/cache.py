"""Verdicts kept from earlier runs, by content: a killed run goes on where it was, and what is unchanged is not redone.

An entry answers one question (claim, effort, seed, device, case) and names all that the answer may depend on: the
claim as data, every file of code that is reached from the runner and from the claim's paper, the versions of what is
underneath. It counts only while all of that is the same, and only if it is whole. Entries are JSON, written whole or
not at all, so that two runs may share a folder; a folder that cannot be used costs time and nothing else.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib.metadata
import json
import math
import os
import platform
import re
import sys
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from proofs_check.claims.report import Claim
from proofs_check.inputs.data import json_of
from proofs_check.inputs.errors import UsageError
from theorems.claims.catalogue import CORRECTED, Statement
from theorems.claims.outside import regular_bytes
from theorems.claims.text import one_line

SCHEMA = 1
#: Where entries are kept, instead of the user's folder for caches; "off" keeps none.
VARIABLE = "TWOFOLD_CACHE"
OFF = "off"
#: What a verdict may depend on beneath the suite's own code.
BENEATH = (
    *("torch", "numba", "triton", "numpy", "scipy", "sympy", "mpmath", "python-flint", "hypothesis"),
    *("cvxpy", "clarabel"),
)
#: Verdicts that stay: what is a bug of ours or broke is looked at again.
LASTING = ("verified", "refuted", "undecided")
PACKAGES = ("theorems", "montecarlo", "proofs_check")
#: Changes that are named one by one.
NAMED = 3

#: Reports of a claim and its correction, each with what it spent of the budget.
Found = list[tuple[Claim, float]]

_IMPORTED = re.compile(
    rf"^\s*(?:from\s+((?:{'|'.join(PACKAGES)})[\w.]*)\s+import\s+(\([^)]*\)|.*)|import\s+((?:{'|'.join(PACKAGES)})[\w.]*))",
    re.MULTILINE,
)
_ROOT = Path(__file__).resolve().parents[2]


def default_folder() -> Path | None:
    """The folder that VARIABLE names, or twofold's part of the user's cache; None where none is wanted or known."""
    given = os.environ.get(VARIABLE)
    if given is not None:
        return None if given in ("", OFF) else Path(given)
    base = os.environ.get("XDG_CACHE_HOME")
    try:
        # a relative path there counts as none, says its specification
        home = Path(base) if base and os.path.isabs(base) else Path.home() / ".cache"
    except RuntimeError:
        return None
    return home / "twofold"


# ---- what a verdict depends on


@functools.cache
def _source(name: str) -> Path | None:
    """The file of a module of the suite; None where the name is no module's."""
    path = _ROOT.joinpath(*name.split("."))
    for candidate in (path.with_suffix(".py"), path / "__init__.py"):
        if candidate.is_file():
            return candidate
    return None


@functools.cache
def _imports(name: str) -> tuple[str, ...]:
    """The modules of the suite that a module's text imports, wherever in the text, and the packages above them."""
    path = _source(name)
    found: list[str] = []
    for module, names, plain in _IMPORTED.findall(path.read_text(encoding="utf-8") if path is not None else ""):
        parts = re.findall(r"\w+", re.sub(r"#.*|\bas\s+\w+", "", names))
        for given in [plain] if plain else [module, *(f"{module}.{part}" for part in parts)]:
            # importing a module runs the packages above it, and what these import
            pieces = given.split(".")
            found += [".".join(pieces[:end]) for end in range(1, len(pieces) + 1)]
    return tuple(name for name in dict.fromkeys(found) if _source(name) is not None)


@functools.cache
def code(paper: str) -> dict[str, str]:
    """File -> digest, for all code and data that a verdict on a paper's claims may depend on."""
    roots = ["proofs_check.judging.runner"]
    for package in ("theorems", "montecarlo"):
        folder = _ROOT / package / paper
        roots += [f"{package}.{paper}.{path.stem}" for path in sorted(folder.glob("*.py"))]
    # rules are found by their folders, not by imports
    rules = sorted((_ROOT / "theorems").glob("**/rules/*.py"))
    roots += [".".join(path.relative_to(_ROOT).with_suffix("").parts) for path in rules]
    known = dict.fromkeys(roots)
    queue = list(roots)
    while queue:
        for name in _imports(queue.pop()):
            if name not in known:
                known[name] = None
                queue.append(name)
    files = {path for path in map(_source, known) if path is not None}
    files |= {path for package in PACKAGES for path in (_ROOT / package).rglob("*.toml")}
    # importing a module runs the packages above it
    files |= {folder / "__init__.py" for path in set(files) for folder in path.parents if folder.parent >= _ROOT}
    table = {path.relative_to(_ROOT).as_posix(): path for path in files if path.is_file()}
    return {name: sha256(table[name].read_bytes()).hexdigest()[:16] for name in sorted(table)}


@functools.cache
def sampling_code() -> dict[str, str]:
    """File -> digest, for the code that draws blocks: all of ``montecarlo``."""
    files = sorted((_ROOT / "montecarlo").rglob("*.py"))
    return {path.relative_to(_ROOT).as_posix(): sha256(path.read_bytes()).hexdigest()[:16] for path in files}


@functools.cache
def beneath(device: str) -> dict[str, str]:
    """What the code runs on: versions, processor, device."""
    found = {"python": platform.python_version(), "machine": platform.machine(), "byte order": sys.byteorder}
    for name in BENEATH:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found[name] = "not installed"
    import torch

    # torch's kernels differ in the last bits from one set of vector instructions to the next
    found["vector instructions"] = torch.backends.cpu.get_cpu_capability()
    if device == "cuda":
        found["GPU"] = torch.cuda.get_device_name()
    return found


def state(claim: Statement, device: str) -> dict[str, dict[str, str]]:
    """All that a claim's verdict may depend on besides the question itself."""
    data = json.dumps(dataclasses.asdict(claim), sort_keys=True, default=str)
    return {
        "claim": {claim.id: sha256(data.encode()).hexdigest()[:16]},
        "code": code(claim.paper.id),
        "beneath": beneath(device),
    }


def changes(before: Mapping[str, Any], now: Mapping[str, Mapping[str, str]]) -> list[str]:
    """What is not as it was, in words, each on one line: what was may be anybody's."""
    told = []
    for part, values in now.items():
        old = before.get(part)
        old = old if isinstance(old, dict) else {}
        for name in sorted({*old, *values}):
            was, is_ = old.get(name), values.get(name)
            if was == is_:
                continue
            if part == "beneath":
                told.append(f"{name} {was or 'unknown'} -> {is_ or 'unknown'}")
            elif part == "claim":
                told.append("the claim's statement changed")
            else:
                told.append(f"{name} {'is new' if was is None else 'is gone' if is_ is None else 'changed'}")
    return [one_line(change, 120) for change in told]


# ---- the entries


@dataclasses.dataclass
class VerdictCache:
    """Verdicts of earlier runs in a folder (None keeps none); ``fresh`` takes none of them but writes new ones.

    ``reasons`` says of each claim asked for why it was taken or judged; ``hits`` counts what was taken; ``trouble``
    is the first thing that could not be written, in a line.
    """

    folder: Path | None
    fresh: bool = False
    reasons: dict[str, str] = dataclasses.field(default_factory=dict)
    hits: int = 0
    trouble: str = ""

    def look(self, claim: Statement, question: Mapping[str, Any]) -> Found | None:
        """What is kept for a claim under these options; None where it has to be judged, with the reason noted."""
        found, reason = self._looked(claim, question)
        self.reasons[claim.id] = f"taken from {reason}" if found is not None else f"judged: {reason}"
        self.hits += found is not None
        return found

    def _looked(self, claim: Statement, question: Mapping[str, Any]) -> tuple[Found | None, str]:
        if self.folder is None:
            return None, f"nothing is kept ({VARIABLE}={OFF}, or no home folder)"
        if claim.plugin:
            return None, "claims of other packages are not kept, for their code may be anywhere"
        if self.fresh:
            return None, "--fresh"
        path = self._path(claim, question)
        try:
            raw = regular_bytes(path)
        except FileNotFoundError:
            return None, "nothing is kept for this effort, seed, device and case"
        except OSError as error:
            return None, f"{path} cannot be read ({error.strerror or error})"
        entry = _whole(raw)
        if entry is None or entry.get("question") != _plain(_question(claim, question)):
            return None, f"{path} is damaged"
        differs = changes(entry["state"], state(claim, str(question["device"])))
        if differs:
            more = len(differs) - NAMED
            return None, ", ".join(differs[:NAMED]) + (f" and {more} more" if more > 0 else "")
        reports = [(row["report"], row["spent"]) for row in entry["found"]]
        if not _usable(claim, reports):
            return None, f"{path} is damaged"
        return reports, str(path)

    def keep(self, claim: Statement, question: Mapping[str, Any], found: Found) -> None:
        """Keep what was found, where it lasts."""
        if self.folder is None or claim.plugin or any(report["verdict"] not in LASTING for report, _ in found):
            return
        from proofs_check.report.outputs import atomic_write, plain

        entry = {
            "schema": SCHEMA,
            "question": _question(claim, question),
            "state": state(claim, str(question["device"])),
            "found": [{"report": plain(report), "spent": spent} for report, spent in found],
        }
        path = self._path(claim, question)
        try:
            atomic_write(path, _sealed(entry))
        except OSError as error:
            # a full disk or a read-only folder: the run is none the worse for it
            self.trouble = self.trouble or f"{path.parent}: verdicts are not kept there ({error.strerror or error})"

    def _path(self, claim: Statement, question: Mapping[str, Any]) -> Path:
        assert self.folder is not None
        text = json.dumps(_plain(_question(claim, question)), sort_keys=True)
        return self.folder / claim.paper.id / f"{claim.id}-{sha256(text.encode()).hexdigest()[:16]}.json"


def _question(claim: Statement, question: Mapping[str, Any]) -> dict[str, Any]:
    return {"id": claim.id, **question}


def _plain(value: Mapping[str, Any]) -> Any:
    """The value as it comes back from JSON."""
    from proofs_check.report.outputs import plain

    return json.loads(json.dumps(plain(value)))


def _sealed(entry: Mapping[str, Any]) -> str:
    """An entry as text, with a digest of the rest in its first line."""
    text = json.dumps(entry, ensure_ascii=False, allow_nan=False)
    return f"{sha256(text.encode()).hexdigest()}\n{text}\n"


def _whole(raw: bytes) -> dict[str, Any] | None:
    """An entry as it was written; None for anything else."""
    try:
        digest, _, text = raw.decode().partition("\n")
        if sha256(text.removesuffix("\n").encode()).hexdigest() != digest:
            return None
        entry = json_of(text)
    except ValueError:
        return None
    if not isinstance(entry, dict) or entry.get("schema") != SCHEMA or not isinstance(entry.get("state"), dict):
        return None
    rows = entry.get("found")
    whole = isinstance(rows, list) and all(isinstance(row, dict) and {*row} == {"report", "spent"} for row in rows)
    return entry if whole else None


def _usable(claim: Statement, found: Sequence[tuple[Any, Any]]) -> bool:
    """Whether the reports are this claim's, whole, with verdicts that last."""
    from proofs_check.report.reading import is_claim

    ids = [claim.id, claim.id + CORRECTED][: len(found)]
    return len(found) == len(ids) > 0 and all(
        isinstance(report, dict)
        and report.get("id") == name
        and report.get("verdict") in LASTING
        and isinstance(spent, int | float)
        and math.isfinite(spent)
        and is_claim(report)
        for name, (report, spent) in zip(ids, found, strict=True)
    )


def opened(fresh: bool) -> VerdictCache:
    """The verdicts kept for this user; UsageError where VARIABLE names something that is no folder."""
    folder = default_folder()
    try:
        taken = folder is not None and folder.exists() and not folder.is_dir()
    except (OSError, ValueError) as error:
        # a name that is too long, a loop of links
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise UsageError(VARIABLE, str(folder), f"a usable path ({reason}), or off") from None
    if taken:
        raise UsageError(VARIABLE, str(folder), "a folder, or off", "name another one")
    return VerdictCache(folder, fresh)
