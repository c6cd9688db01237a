"""``twofold figures``: write figures as PNG and SVG, captions, JSON and CSV.

Exit status: 0 written, 1 a figure could not be made.
"""

from __future__ import annotations

import argparse
import json
import stat
import sys
import tempfile
from collections.abc import Iterator, Sequence
from itertools import repeat
from pathlib import Path

from figures import FIGURES, FigureError
from figures.files import made
from proofs_check.commands.checks import MAX_JOBS, MAX_SEED, integer
from proofs_check.inputs.errors import UsageError, nearest, shown
from proofs_check.judging.process import cores
from proofs_check.report.lock import changed, figures_of, fingerprint
from proofs_check.report.outputs import check_folder, make_folder, remove_empty, write_together

SUFFIXES = (".png", ".svg", ".txt", ".json", ".csv")
#: What can be drawn, as the help says it.
NAMES = f"figures ({', '.join(FIGURES)}) or claims; all figures if none"
JOBS = f"an integer from 1 to {MAX_JOBS}"
#: With fewer figures a process, its start costs more than it saves.
LEAST = 3


def _names(wanted: Sequence[str]) -> list[str]:
    """The figures and claims that are asked for; all figures if none is."""
    if all(name in FIGURES for name in wanted):
        return [name for name in FIGURES if not wanted or name in wanted]
    from proofs_check.inputs.lookup import ids

    known = [*FIGURES, *ids()]
    for name in wanted:
        if name not in known:
            near = nearest(name, known, 1)
            mend = f"nearest: {near[0]}" if near else ""
            raise UsageError("NAME", name, f"a figure ({', '.join(FIGURES)}) or the id of a claim", mend)
    return [name for name in known if name in wanted]


def _folder(value: str, names: Sequence[str]) -> Path:
    """The folder to write to, which need not exist yet; raises UsageError where the files could not be written."""
    folder = check_folder("--out", value, "report/figures")
    try:
        for path in (folder / (name + suffix) for name in names for suffix in SUFFIXES):
            if path.exists() and not stat.S_ISREG(path.stat().st_mode):
                raise UsageError("--out", value, f"a folder where {path.name} is no folder", "name another one")
    except OSError as error:
        raise UsageError("--out", value, f"a usable path ({error.strerror or error})") from None
    return folder


def _opened(folder: Path, value: str) -> list[Path]:
    """Make the folder and see that a file can be made in it, before any work; raises UsageError where that fails.

    Returns what was made, as `make_folder` does.
    """
    made: list[Path] = []
    try:
        made = make_folder(folder)
        with tempfile.TemporaryFile(dir=folder):
            return made
    except OSError as error:
        remove_empty(made)
        raise UsageError("--out", value, f"a writable folder ({error.strerror or error})", "name another one") from None


def _made(names: Sequence[str], seed: int, jobs: int) -> Iterator[tuple[str, dict[str, bytes]]]:
    """The files of each figure, in order; of many figures made in several processes."""
    from proofs_check.judging import workers

    processes = min(jobs, len(names) // LEAST)
    if processes < 2:
        for name in names:
            if sys.stderr.isatty():
                print(f"figures: making {name}", file=sys.stderr)
            yield name, made(name, seed)
        return
    with workers.executor(processes) as pool:
        yield from zip(names, pool.map(made, names, repeat(seed)), strict=True)


def make(args: argparse.Namespace) -> int:
    """Make the figures that ``twofold figures`` is asked for; returns the exit status."""
    names, seed = _names(args.names), integer("--seed", args.seed, 0, MAX_SEED, "an integer from 0 to 2**63 - 1")
    jobs = cores() if args.jobs is None else integer("--jobs", args.jobs, 1, MAX_JOBS, JOBS)
    held = figures_of("--expect", args.expect) if args.expect is not None else None
    folder = _folder(args.out, names)
    opened = _opened(folder, args.out)
    made_now = {}
    try:
        for name, files in _made(names, seed, jobs):
            try:
                write_together({folder / file: content for file, content in files.items()})
            except OSError as error:
                told = f"could not be written ({error.strerror or error})"
                raise FigureError(f"--out {shown(args.out)}: {told}") from None
            for file in files:
                print(Path(args.out) / file)
            made_now[name] = fingerprint(json.loads(files[name + ".json"]))
        theory = {name: mark for name, mark in made_now.items() if name in FIGURES}
        differs = changed(held, theory) if held is not None else []
        if differs:
            raise FigureError("; ".join(["data differs from --expect", *differs]))
    except FigureError as error:
        print(f"figures: error: {error}", file=sys.stderr)
        return 1
    finally:
        # nothing in it: an error, or an interruption
        remove_empty(opened)
    return 0
