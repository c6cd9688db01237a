"""Checks of arguments that several commands take; each raises UsageError in one line."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from proofs_check.inputs.errors import UsageError, did_you_mean, nearest

if TYPE_CHECKING:
    from theorems.claims.catalogue import Statement

EFFORTS = ("quick", "standard", "thorough")
DEVICES = ("auto", "cpu", "cuda")
MAX_SEED, MAX_JOBS = 2**63 - 1, 1024
#: Most characters of a message that quotes an argument.
TOLD = 200
#: What the suite does not start without: the name of the module and that of its distribution.
NEEDED = {
    **{name: name for name in ("torch", "sympy", "mpmath", "numpy", "scipy", "hypothesis", "cvxpy", "clarabel")},
    **{name: name for name in ("rich", "matplotlib", "jsonschema", "msgspec", "shtab", "jinja2", "markupsafe")},
    "flint": "python-flint",
    "math_core": "math-core",
}
INTEGER = re.compile(r"[+-]?[0-9]{1,40}")


def integer(argument: str, value: str, low: int, high: int, expected: str) -> int:
    """An integer from low to high, as ``expected`` says."""
    if not INTEGER.fullmatch(value) or not low <= int(value) <= high:
        raise UsageError(argument, value, expected)
    return int(value)


def choice(argument: str, value: str, choices: Sequence[str]) -> str:
    """One of these words."""
    if value not in choices:
        near = nearest(value, choices, 1)
        raise UsageError(argument, value, f"one of {', '.join(choices)}", f"nearest: {near[0]}" if near else "")
    return value


def here() -> Path:
    """The working folder."""
    try:
        return Path.cwd()
    except OSError:
        raise UsageError("folder", ".", "a working folder that is there", "cd into another one") from None


def catalogue(patterns: Sequence[str]) -> dict[str, Statement]:
    """Every claim by id; a folder of the current one that holds a named paper's lemmas is opened first."""
    from proofs_check.inputs import plugins
    from theorems.claims import catalogue

    try:
        for pattern in patterns:
            paper = pattern.split(".")[0].strip("*")
            if paper not in catalogue.PAPERS and paper not in plugins.packages():
                plugins.open_folder(paper, here())
        plugins.load()
        return catalogue.by_id()
    except catalogue.CatalogueError as error:
        told = str(error)
        told = told if len(told) <= 2 * TOLD else told[: 2 * TOLD - 3] + "..."
        raise UsageError("catalogue", "", f"claims that can be used: {told}", verbatim=True) from None


def selected(patterns: Sequence[str]) -> list[Statement]:
    """The claims that ids, globs or prefixes name; all where there are none."""
    from theorems.claims.catalogue import select

    table = catalogue(patterns)
    try:
        return list(select(patterns))
    except KeyError as error:
        name = str(error.args[0])
        raise UsageError("ID", name, "the id of a claim, a glob or a prefix", did_you_mean(name, table)) from None


def one(name: str) -> Statement:
    """The claim of that id; UsageError with the nearest ids where there is none."""
    table = catalogue([name])
    if name not in table:
        raise UsageError("ID", name, "the id of one claim", did_you_mean(name, table))
    return table[name]


def needed(*modules: str) -> None:
    """Refuse before any work what would miss one of these packages after it; raises UsageError."""
    for module in modules:
        if find_spec(module) is None:
            raise UsageError(NEEDED[module], "missing", "it to be installed", "`twofold doctor` says what is missing")


def usable_device(value: str) -> str:
    """A device that this machine has; torch is imported only to look for a GPU that was asked for."""
    choice("--device", value, DEVICES)
    if value == "cuda":
        mend = "use --device auto or cpu"
        try:
            import torch
        except ImportError:
            raise UsageError(
                "--device", value, "torch to be installed", "`twofold doctor` says what is missing"
            ) from None
        if not torch.cuda.is_available():
            raise UsageError("--device", value, "a CUDA device; torch finds none here", mend)
    return value


def check_conditions(argument: str, given: str, claim: Statement, case: Mapping[str, Any]) -> None:
    """Refuse a case that the claim says nothing about."""
    from proofs_check.cases.drawn import meets

    try:
        inside = meets(claim, case)
    except ValueError as error:
        raise UsageError(argument, given, "a case that the claim's conditions can be read at", str(error)) from None
    if not inside:
        wanted = f"a case with {', '.join(claim.conditions)}"
        raise UsageError(argument, given, wanted, f"{claim.id} is about these only")
