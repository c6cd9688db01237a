"""A site's folder: its own files alone are written over and taken away, by a list of them that is kept in it."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Collection, Mapping
from pathlib import Path

from proofs_check.inputs.errors import UsageError
from proofs_check.inputs.files import regular_bytes
from proofs_check.report.outputs import atomic_write, check_folder, check_target

#: The list of the files of the site, and where the pages of models are, which a report leaves as they are.
MANIFEST, MODELS = "files.txt", "models/"


def check_pages(argument: str, value: str) -> Path:
    """The folder for pages that ``value`` names, or the one file where it ends in .html; UsageError for another's."""
    if value.endswith(".html"):
        return check_target(argument, value)
    folder = check_folder(argument, value)
    if os.path.lexists(folder / "index.html") and "index.html" not in written(folder):
        wanted = "a folder of its own; the index.html in it is no report's"
        raise UsageError(argument, value, wanted, "name a new folder, or move that file away")
    return folder


def model_pages(folder: Path) -> list[tuple[str, str]]:
    """The pages of models that are in a site's folder, and their names."""
    return [(f"{MODELS}{path.name}", path.stem) for path in sorted(folder.glob(f"{MODELS}*.html"))]


def publish(made: Mapping[str, bytes], folder: Path, stays: str) -> None:
    """Write files into a folder, which is made where it is missing.

    What an earlier call wrote and this one does not is taken away, unless its name begins with ``stays``. Raises
    OSError where a file cannot be written, and before any is where one is another's or would lie outside, by a link.
    """
    old = written(folder)
    for name in made:
        if name not in old and os.path.lexists(folder / name):
            raise FileExistsError(errno.EEXIST, f"{name} is there already and no report's; move it away")
        if not _within(folder, name):
            raise NotADirectoryError(errno.ENOTDIR, f"{name} would lie outside, through a link; move it away")
    folder.mkdir(parents=True, exist_ok=True)
    # first what is about to be written, so that the next call knows it as its own if this one is killed
    _list({*old, *made}, folder)
    for name, content in made.items():
        _put(folder / name, content)
    kept = {name for name in old if name.startswith(stays)}
    for name in {*old} - {*made} - kept:
        with contextlib.suppress(OSError):
            (folder / name).unlink()
    _list({*made, *kept}, folder)


def written(folder: Path) -> list[str]:
    """The files that earlier calls wrote; names that lead out of the folder are not believed."""
    try:
        names = regular_bytes(folder / MANIFEST).decode().split("\n")
    except (OSError, ValueError):
        return []
    return [name for name in names if name and name.isprintable() and _within(folder, name)]


def _within(folder: Path, name: str) -> bool:
    """Whether a name is that of a file below the folder, no link on its way."""
    above = Path(name).parent
    inside = not above.is_absolute() and ".." not in above.parts
    return inside and Path(os.path.realpath(folder / above)) == Path(os.path.realpath(folder)) / above


def _list(names: Collection[str], folder: Path) -> None:
    _put(folder / MANIFEST, ("\n".join(sorted(names)) + "\n").encode())


def _put(path: Path, content: bytes) -> None:
    """Write a file so that a reader sees the old one or the new one, never a part."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # hundreds of small files, which can be written again: not worth waiting for the disk each time
    atomic_write(path, content, durable=False)
