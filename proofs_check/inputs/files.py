"""Reading the files that a user names: never more than a bound, whatever stands at the path."""

from __future__ import annotations

from pathlib import Path

from proofs_check.inputs.errors import UsageError

#: No report of a run, and nothing else that is read, is larger.
LIMIT = 1 << 26


def read_bytes(argument: str, value: str | Path) -> bytes:
    """The file's bytes; OSError or ValueError where it cannot be read, UsageError for one of over 64 MiB."""
    with Path(value).open("rb") as handle:
        raw = handle.read(LIMIT + 1)
    if len(raw) > LIMIT:
        raise UsageError(argument, str(value), "a file of at most 64 MiB")
    return raw
