"""What comes from outside is read under bounds: regular files of a largest size, TOML of a largest depth and length.

The bounds are checked before a reader could spend time or memory on what lies beyond them.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from pathlib import Path
from typing import Any

#: No report of a run, and nothing else that is read, is larger.
LIMIT = 1 << 26
#: What a path may lead to that is no regular file.
_KINDS = (
    (stat.S_ISDIR, "a directory"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)
#: Most levels, and most digits of a number: a report of every claim has ten and twenty.
MAX_DEPTH, MAX_DIGITS = 100, 100
_LONG = re.compile(rf"[0-9_]{{{MAX_DIGITS + 1}}}|0x[0-9A-Fa-f_]{{{MAX_DIGITS + 1}}}")
#: Largest TOML, in characters, and most full stops in a line: a key of n parts costs its reader n^2.
MAX_TOML, MAX_STOPS = 1 << 20, 64


class NotRegular(OSError):
    """What stands at a path is no regular file: ``strerror`` says what."""


def regular_bytes(path: str | Path) -> bytes:
    """The bytes of a regular file of at most LIMIT; OSError or ValueError otherwise, and never a wait.

    A pipe would be waited for, a device has no end: neither is opened for longer than it takes to see that.
    """
    _check(os.stat(path).st_mode, path)
    # what stood there may have changed since
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    with open(descriptor, "rb") as handle:
        _check(os.fstat(descriptor).st_mode, path)
        raw = handle.read(LIMIT + 1)
    if len(raw) > LIMIT:
        raise OSError(errno.EFBIG, f"over {LIMIT >> 20} MiB", os.fspath(path))
    return raw


def _check(mode: int, path: str | Path) -> None:
    if not stat.S_ISREG(mode):
        what = next((name for is_kind, name in _KINDS if is_kind(mode)), "something else")
        raise NotRegular(errno.EINVAL, what, os.fspath(path))


def toml_of(text: str) -> dict[str, Any]:
    """The data of a TOML text; ValueError for anything else."""
    # what only opens a file has no TOML to read
    import tomllib

    if len(text) > MAX_TOML:
        raise ValueError(f"over {MAX_TOML >> 10} KiB")
    for number, line in enumerate(text.splitlines(), 1):
        if line.count(".") > MAX_STOPS:
            raise ValueError(f"over {MAX_STOPS} full stops in line {number}")
    if _LONG.search(text):
        raise ValueError(f"a number of over {MAX_DIGITS} digits")
    try:
        found = tomllib.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    check_depth(found)
    return found


def check_depth(found: Any) -> None:
    """Raise ValueError for lists and tables of over MAX_DEPTH levels."""
    level, depth = [found], 0
    while level := [
        part
        for value in level
        if isinstance(value, dict | list)
        for part in (value.values() if isinstance(value, dict) else value)
    ]:
        depth += 1
        if depth > MAX_DEPTH:
            raise ValueError("nested too deeply")
