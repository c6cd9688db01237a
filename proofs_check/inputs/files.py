"""Reading files that come from outside: regular ones alone, never more than a bound, whatever stands at the path."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from proofs_check.inputs.errors import UsageError

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


def read_bytes(argument: str, value: str | Path) -> bytes:
    """The bytes of a file that an argument names.

    UsageError for what is no regular file or over 64 MiB; OSError or ValueError where it cannot be read.
    """
    try:
        return regular_bytes(value)
    except NotRegular as error:
        raise UsageError(argument, str(value), f"a regular file; it is {error.strerror}", "copy it to a file") from None
    except OSError as error:
        if error.errno == errno.EFBIG:
            raise UsageError(argument, str(value), f"a file of at most {LIMIT >> 20} MiB") from None
        raise
