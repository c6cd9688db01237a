"""The files a run leaves: the JSON report and JUnit XML, each there whole or not at all."""

from __future__ import annotations

import contextlib
import json
import math
import os
import platform
import re
import stat
import time
import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from typing import Any

from proofs_check.claims.report import SCHEMA, Claim, Report, Run, Spent
from proofs_check.inputs.errors import UsageError, shown
from proofs_check.inputs.expect import Difference
from proofs_check.report.telling import gives, sourced
from theorems.claims.catalogue import ALPHA

#: Folders in one another: each is made by one call more.
DEEPEST = 100
#: What a file is called while it is written, and the seconds after which none still is; ids are a machine's own.
_UNFINISHED, _LONG_AGO = re.compile(r"\.twofold-([1-9][0-9]{0,8})-[0-9a-f]{8}"), 60


def check_target(argument: str, value: str) -> Path:
    """The file that ``value`` names, links followed; raises UsageError where it could not be written."""
    if not value or value == "-" or value.endswith(("/", os.sep)):
        raise UsageError(argument, value, "a path of a file", "give a name such as report.json")
    try:
        path = Path(os.path.realpath(value))
        if path.is_symlink():
            raise UsageError(argument, value, "a path of a file; it is a link that leads nowhere", "name a file")
        if path.exists() and not stat.S_ISREG(path.stat().st_mode):
            what = "a directory" if path.is_dir() else "no regular file"
            raise UsageError(argument, value, f"a path of a file; it is {what}", "name a file")
        parent = path.parent
        if not parent.is_dir():
            problem = "is no directory" if parent.exists() else "does not exist"
            raise UsageError(
                argument, value, f"a file in an existing directory; {shown(str(parent))} {problem}", "make it first"
            )
        if not os.access(parent, os.W_OK | os.X_OK):
            raise UsageError(
                argument, value, f"a file in a writable directory; {shown(str(parent))} is not", "name another one"
            )
        if len(os.fsencode(path.name)) > os.pathconf(parent, "PC_NAME_MAX"):
            raise UsageError(argument, value, "a shorter file name")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise UsageError(argument, value, f"a usable path ({reason})") from None
    return path


def check_apart(given: Mapping[str, str | None], read: Mapping[str, str | None] | None = None) -> None:
    """Refuse two arguments that name one file to write, and one to write that is ``read`` too; raises UsageError.

    Nor does one lie in another as if that were a folder; what may lie among pages, ``check_pages`` says.
    """
    taken: dict[str, str] = {}
    for name, value in [*(read or {}).items(), *given.items()]:
        # what is no path is refused where it is opened
        with contextlib.suppress(OSError, ValueError):
            before = taken.setdefault(os.path.realpath(value), name) if value is not None else name
            if before != name and name in given:
                raise UsageError(name, value, f"another file than {before}'s", "name another one")
    for path, name in taken.items():
        above = next((above for above in Path(path).parents if str(above) in taken and not above.is_dir()), None)
        if name in given and above is not None and taken[str(above)] != "--html":
            raise UsageError(name, given[name], f"a path that is not in {taken[str(above)]}'s file", "name another one")


def check_folder(argument: str, value: str, example: str = "report/site") -> Path:
    """The folder that ``value`` names, which need not be there; raises UsageError where files could not be written."""
    if not value or value == "-":
        raise UsageError(argument, value, "a folder", f"give a name such as {example}")
    try:
        folder = Path(os.path.realpath(value))
        if len(folder.parts) > DEEPEST:
            raise UsageError(argument, value, f"a folder at most {DEEPEST} deep", "name another one")
        present = folder
        while not present.exists():
            if present.is_symlink():
                wanted = f"a folder; {shown(str(present))} is a link that leads nowhere"
                raise UsageError(argument, value, wanted, "name another one")
            present = present.parent
        if not present.is_dir():
            raise UsageError(argument, value, f"a folder; {shown(str(present))} is a file", "name another one")
        if not os.access(present, os.W_OK | os.X_OK):
            raise UsageError(argument, value, f"a writable folder; {shown(str(present))} is not", "name another one")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise UsageError(argument, value, f"a usable path ({reason})") from None
    return folder


def present_folder(argument: str, value: str) -> Path:
    """The folder that ``value`` names; raises UsageError where there is none."""
    folder = check_folder(argument, value)
    if not folder.is_dir():
        raise UsageError(argument, value, "a folder that is there")
    return folder


def unwritten(name: str, path: Path, error: OSError) -> str:
    """The line for a file that an argument names and that could not be written after the work was done."""
    return f"twofold: error: {name} {path}: could not be written ({error.strerror or error})"


@lru_cache(maxsize=1024)
def _clear(folder: Path) -> None:
    """Take away, once a process, what processes that were killed within a write left in a folder."""
    with contextlib.suppress(OSError):
        for entry in os.scandir(folder):
            made = _UNFINISHED.fullmatch(entry.name)
            if made and entry.is_file(follow_symlinks=False) and not _runs(int(made[1])):
                with contextlib.suppress(OSError):
                    if time.time() - entry.stat().st_mtime > _LONG_AGO:
                        os.unlink(entry)


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        # another user's
        return True
    return True


def make_folder(folder: Path) -> list[Path]:
    """Make a folder and those above it; returns the ones that were missing, the topmost first."""
    made = []
    for missing in reversed([one for one in (folder, *folder.parents) if not one.exists()]):
        try:
            missing.mkdir()
        except FileExistsError:
            # another run's, meanwhile
            continue
        made.append(missing)
    return made


def remove_empty(folders: Sequence[Path]) -> None:
    """Take away folders that `make_folder` made, as far as nothing stands in them."""
    for folder in reversed(folders):
        with contextlib.suppress(OSError):
            folder.rmdir()


def write_together(files: Mapping[Path, str | bytes], *, durable: bool = True) -> None:
    """Write files, text as UTF-8, so that a reader sees an old one or a new one, never a part.

    All are complete, beside where they belong, before the first is moved there, in order. Folders that are missing are
    made; what cannot be written leaves neither a file nor a folder behind. ``durable`` waits until the disk has them.
    """
    made: list[Path] = []
    complete: dict[Path, Path] = {}
    try:
        for path, content in files.items():
            made += make_folder(path.parent)
            _clear(path.parent.absolute())
            complete[path] = temporary = path.with_name(f".twofold-{os.getpid()}-{os.urandom(4).hex()}")
            with open(temporary, "xb") as handle:
                handle.write(content.encode() if isinstance(content, str) else content)
                handle.flush()
                if durable:
                    os.fsync(handle.fileno())
            if path.exists():
                os.chmod(temporary, stat.S_IMODE(path.stat().st_mode))
        for path, temporary in complete.items():
            os.replace(temporary, path)
    except BaseException:
        for temporary in complete.values():
            with contextlib.suppress(OSError):
                temporary.unlink()
        remove_empty(made)
        raise


def atomic_write(path: Path, content: str | bytes, *, durable: bool = True) -> None:
    """Write one file as `write_together` does."""
    write_together({path: content}, durable=durable)


def plain(value: Any, where: str = "report") -> Any:
    """The value in JSON's own types; rationals become "p/q", numbers that are not finite become null.

    A surrogate alone, as a file name that is no UTF-8 has them, is written as its code: UTF-8 has no form for it.
    Raises TypeError naming the place of a value that has no such form.
    """
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                raise TypeError(f"{where}: the key {key!r} is no string; write it as one")
        return {plain(key): plain(entry, f"{where}.{key}") for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(entry, f"{where}[{index}]") for index, entry in enumerate(value)]
    if callable(getattr(value, "item", None)) and getattr(value, "shape", None) == ():
        return plain(value.item(), where)
    raise TypeError(f"{where}: a {type(value).__name__} has no place in the report; write it as a string or a number")


def whole(
    claims: list[Claim],
    ledger: list[Spent],
    *,
    effort: str,
    seed: int,
    device: str,
    seconds: float,
    partial: bool = False,
    stopped: str = "",
) -> Report:
    """The report of a run: what it was, and its claims. ``stopped`` says why it ended early, if it did."""
    trusted = {one["rule"] for claim in claims for one in claim["symbolic"]["trusted"]}
    run: Run = {
        "seed": seed,
        "device": device,
        "dtype": "float32 draws, float64 sums",
        "effort": effort,  # type: ignore[typeddict-item]
        "versions": versions(),
        "seconds": round(seconds, 3),
        "alpha": ALPHA,
        "partial": partial,
        "ledger": ledger,
        "command": [],
        "bound": sum(claim["bound"] for claim in claims),
        "trusted": len(trusted),
    }
    if stopped:
        run["stopped"] = stopped
    return {"schema": SCHEMA, "run": run, "claims": claims}


def write_json(report: Mapping[str, Any], path: Path) -> None:
    """Write the report as JSON, the same bytes for the same report."""
    atomic_write(path, json.dumps(plain(report), indent=2, ensure_ascii=False, allow_nan=False) + "\n")


# XML 1.0 has no form for these characters, not even an escaped one.
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def _clean(text: str) -> str:
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)


def _finding(claim: Claim) -> str:
    """What is known of one claim, a fact a line."""
    facts = [f"{sourced('print', claim)}: {name} = {formula}" for name, formula in claim["printed"].items()]
    if claim["symbolic"]["exact"] is not None:
        facts.append(f"derived: {claim['symbolic']['exact']}")
    if claim["counterexample"]:
        example = claim["counterexample"]
        facts.append(f"counterexample: {json.dumps(plain(example['params']), ensure_ascii=False)}")
        facts.append(f"there {sourced(gives(example), claim)}")
    if claim["correction"]:
        facts.append(f"correction: {claim['correction']['sympy']}")
        facts.append(f"it holds: {sourced(claim['correction']['holds'], claim)}")
    facts.append(f"replay: {claim['replay']}")
    return "\n".join(facts)


def junit(report: Report, differences: Sequence[Difference] = ()) -> str:
    """The report as JUnit XML: a suite a section of a paper, a test a claim.

    A conflict and a difference from the expectation are failures, an error is an error, an undecided claim is
    skipped with its reason; a refuted claim is a passed test that says what was found.
    """
    differs = {difference.id: difference for difference in differences}
    root = ET.Element("testsuites", name="twofold")
    suites: dict[str, ET.Element] = {}
    totals: dict[str, dict[str, float]] = {}

    def case(name: str, seconds: float) -> tuple[ET.Element, dict[str, float]]:
        group = ".".join(name.split(".")[:2])
        if group not in suites:
            suites[group] = ET.SubElement(root, "testsuite", name=group)
            totals[group] = dict.fromkeys(("tests", "failures", "errors", "skipped", "time"), 0)
        counts = totals[group]
        counts["tests"] += 1
        counts["time"] += seconds
        attributes = {"classname": group, "name": name, "time": f"{seconds:.3f}"}
        return ET.SubElement(suites[group], "testcase", attributes), counts

    def child(parent: ET.Element, tag: str, message: str, text: str = "") -> None:
        ET.SubElement(parent, tag, message=_clean(message)).text = _clean(text) or None

    for claim in report["claims"]:
        test, counts = case(claim["id"], float(claim["seconds"] or 0))
        difference = differs.pop(claim["id"], None)
        if claim["verdict"] == "error":
            counts["errors"] += 1
            child(test, "error", claim["reason"] or "error", claim["traceback"] or "")
        elif difference is not None:
            counts["failures"] += 1
            child(test, "failure", difference.sentence, claim["reason"])
        elif claim["verdict"] == "conflict":
            counts["failures"] += 1
            child(test, "failure", claim["reason"] or "the two sides disagree", _finding(claim))
        elif claim["verdict"] == "undecided":
            counts["skipped"] += 1
            child(test, "skipped", claim["reason"] or "undecided")
        ET.SubElement(test, "system-out").text = _clean(f"{claim['verdict']}: {claim['reading']}\n{_finding(claim)}")
    for difference in differs.values():
        test, counts = case(difference.id, 0.0)
        counts["failures"] += 1
        child(test, "failure", difference.sentence)

    for group, counts in totals.items():
        for key, number in counts.items():
            suites[group].set(key, f"{number:.3f}" if key == "time" else str(int(number)))
    for key in ("tests", "failures", "errors", "skipped"):
        root.set(key, str(int(sum(counts[key] for counts in totals.values()))))
    root.set("time", f"{sum(counts['time'] for counts in totals.values()):.3f}")
    ET.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def write_junit(report: Report, path: Path, differences: Sequence[Difference] = ()) -> None:
    """Write the report as JUnit XML."""
    atomic_write(path, junit(report, differences))


def versions() -> dict[str, str]:
    """The versions that a verdict may depend on."""
    found = {"python": platform.python_version()}
    for name in ("twofold", "torch", "sympy", "python-flint", "numpy", "scipy", "hypothesis"):
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = "not installed"
    return found
