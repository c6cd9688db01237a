"""A site's folder: its own files alone are written over and taken away, as long as they are as a report left them.

The list of them, ``files.txt``, names each with the SHA-256 of what was written, so that neither another's list nor an
edited page is taken for a report's.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import os
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path

from proofs_check.inputs.errors import UsageError
from proofs_check.report.outputs import check_folder, check_target, make_folder, remove_empty, write_together
from theorems.claims.outside import regular_bytes

#: The list of the files of the site, its first line, and where the pages of models are, which a report leaves.
MANIFEST, HEAD, MODELS = "files.txt", "# what twofold wrote here: SHA-256 and name", "models/"
#: Most files of a site: those of a report that can be read, by far.
MOST = 50_000
#: Seconds that another call has to come to its end; it takes less than one.
PATIENCE = 10
#: What every report has, and is looked for before any work.
ALWAYS = ("index.html", "report.json", "report.md", "graph.html", "rules.html", "run.html", "assets/style.css")

Written = set[tuple[str, str]]


def check_pages(argument: str, value: str, others: Mapping[str, str | None]) -> Path:
    """The folder for pages that ``value`` names, or the one file where it ends in .html.

    UsageError for a folder that holds another's pages, and for ``others``, files to write, that would lie among them.
    """
    if value.endswith(".html"):
        return check_target(argument, value)
    folder = check_folder(argument, value)
    for name, other in others.items():
        if other is not None and Path(os.path.realpath(other)).is_relative_to(folder):
            raise UsageError(name, other, f"a file outside of the pages of {argument}", "name another one")
    try:
        _check(dict.fromkeys(ALWAYS), folder)
    except OSError as error:
        raise UsageError(argument, value, f"a folder of its own; {error.strerror}", "or name a new folder") from None
    return folder


def model_pages(folder: Path) -> list[tuple[str, str]]:
    """The pages of models that are in a site's folder, and their names."""
    return [(f"{MODELS}{path.name}", path.stem) for path in sorted(folder.glob(f"{MODELS}*.html"))]


def publish(made: Mapping[str, bytes], folder: Path, stays: str) -> None:
    """Write files into a folder, which is made where it is missing: all of them, or none where there is no room.

    What an earlier call wrote and this one does not is taken away, unless its name begins with ``stays``. Raises
    OSError where a file cannot be written, and before any is where one is another's or would lie outside, by a link.
    """
    before = make_folder(folder)
    try:
        with _alone(folder):
            _publish(made, folder, stays)
    except BaseException:
        remove_empty(before)
        raise


def _publish(made: Mapping[str, bytes], folder: Path, stays: str) -> None:
    old = _check(made, folder)
    new = {(hashlib.sha256(content).hexdigest(), name) for name, content in made.items()}
    # first what is about to be written, so that the next call knows it as its own if this one is killed
    files = {MANIFEST: _listed(old | new), **made}
    # hundreds of small files, which can be written again: not worth waiting for the disk each time
    write_together({folder / name: content for name, content in files.items()}, durable=False)
    kept = {(mark, name) for mark, name in old if name not in made and name.startswith(stays)}
    for mark, name in old - kept:
        if name not in made and _mark(folder / name) == mark:
            with contextlib.suppress(OSError):
                (folder / name).unlink()
    write_together({folder / MANIFEST: _listed(new | kept)}, durable=False)


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """No other call writes into the folder meanwhile; OSError where one still does after ``PATIENCE`` seconds."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        end = time.monotonic() + PATIENCE
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > end:
                    raise BlockingIOError(errno.EAGAIN, "another run writes there; try again") from None
                time.sleep(0.05)
                continue
            except OSError:
                # not every file system has locks
                pass
            break
        yield
    finally:
        os.close(descriptor)


def _check(names: Iterable[str], folder: Path) -> Written:
    """What earlier calls wrote; OSError where what stands at one of the names is another's, or is reached by a link."""
    old, real, parents = _written(folder), Path(os.path.realpath(folder)), dict[Path, str]()
    if not old and os.path.lexists(folder / MANIFEST):
        raise FileExistsError(errno.EEXIST, f"{MANIFEST} in it is no list of a report's files; move it away")
    for name in names:
        above = Path(name).parent
        if above not in parents:
            place = folder / above
            there = os.path.realpath(place) == str(real / above)
            parents[above] = "" if there and (place.is_dir() or not os.path.lexists(place)) else str(above)
        if parents[above]:
            raise NotADirectoryError(errno.ENOTDIR, f"{parents[above]} in it is a link or a file; move it away")
        if os.path.lexists(folder / name) and (_mark(folder / name), name) not in old:
            raise FileExistsError(errno.EEXIST, f"{name} in it is not as a report left it; move it away")
    # names that lead out of the folder are not believed
    inside = {
        name for _, name in old if not os.path.isabs(name) and os.path.realpath(folder / name) == str(real / name)
    }
    return {(mark, name) for mark, name in old if name in inside}


def _written(folder: Path) -> Written:
    """What the list in a folder says; nothing where it is none."""
    try:
        head, *lines = regular_bytes(folder / MANIFEST).decode().split("\n", MOST + 2)
    except (OSError, ValueError):
        return set()
    if head != HEAD or len(lines) > MOST:
        return set()
    return {(mark, name) for mark, _, name in (line.partition("  ") for line in lines) if name and name.isprintable()}


def _mark(path: Path) -> str:
    """The SHA-256 of a file; "" where there is none that can be read."""
    try:
        return hashlib.sha256(regular_bytes(path)).hexdigest()
    except (OSError, ValueError):
        return ""


def _listed(written: Collection[tuple[str, str]]) -> bytes:
    lines = [HEAD, *(f"{mark}  {name}" for mark, name in sorted(written, key=lambda one: (one[1], one[0])))]
    return ("\n".join(lines) + "\n").encode()
