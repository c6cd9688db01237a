"""Reading a file that an argument names: what cannot be read is told in one line."""

from __future__ import annotations

import errno
from pathlib import Path

from proofs_check.inputs.errors import UsageError
from theorems.claims import outside


def read_bytes(argument: str, value: str | Path, wanted: str = "a file that can be read", mend: str = "") -> bytes:
    """The bytes of a file that an argument names, where ``wanted`` was expected.

    UsageError for what cannot be read, is no regular file or over 64 MiB.
    """
    try:
        return outside.regular_bytes(value)
    except outside.NotRegular as error:
        raise UsageError(argument, str(value), f"a regular file; it is {error.strerror}", "copy it to a file") from None
    except (OSError, ValueError) as error:
        if isinstance(error, OSError) and error.errno == errno.EFBIG:
            raise UsageError(argument, str(value), f"a file of at most {outside.LIMIT >> 20} MiB") from None
        reason = getattr(error, "strerror", None) or error
        raise UsageError(argument, str(value), f"{wanted} ({reason})", mend) from None
