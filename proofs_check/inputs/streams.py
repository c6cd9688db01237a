"""The one way to a terminal: whatever stands in a text is seen, and no character of it steers the terminal.

Formulas, ids, paths and reports come from outside and may hold anything. The commands write to streams that show
control characters, marks that turn the direction of writing, and lone surrogates by their codes; only what a library
adds for colour and progress goes by (see ``proofs_check.report.terminal.console``).
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

#: Control characters but the newline and the tab, formatting marks that are not seen, and halves of characters.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f]"
)


def visible(text: str) -> str:
    """The text with each character that is not seen, or that steers a terminal, by its code."""
    return _UNSEEN.sub(lambda found: found[0].encode("unicode_escape", "backslashreplace").decode(), text)


class Visible:
    """A stream that writes to another one what is visible; all else is the other's."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        """Write the text, visibly."""
        self.stream.write(visible(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write some texts, visibly."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


def steered(stream: Any) -> Any:
    """The stream itself, for who writes codes of its own there and shows texts visibly."""
    return stream.stream if isinstance(stream, Visible) else stream


@contextmanager
def visibly() -> Iterator[None]:
    """Everything that is printed meanwhile is visible."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (Visible(steered(stream)) for stream in before)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before
