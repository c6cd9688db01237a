"""Text as it stands in a message. This module imports nothing, so that errors are told at once."""

from __future__ import annotations


def one_line(text: str, most: int = 480) -> str:
    """The text on one line that a terminal shows as it is, cut where it is longer."""
    text = "".join(one if one.isprintable() else repr(one)[1:-1] for one in " ".join(text.split()))
    return text if len(text) <= most else text[: most - 3] + "..."
