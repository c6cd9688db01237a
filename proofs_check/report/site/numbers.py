"""Numbers of a report as the pages show and plot them."""

from __future__ import annotations

import math
from typing import Any


def finite(value: Any) -> float | None:
    """A number, or a text such as ``7/12``, as a finite float; None for anything else."""
    try:
        if isinstance(value, str):
            above, _, below = value.partition("/")
            if len(value) > 4_000:
                return None
            found = int(above) / int(below) if below else float(above)
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            found = float(value)
        else:
            return None
    except (ValueError, OverflowError, ZeroDivisionError):
        return None
    return found if math.isfinite(found) else None


def number(value: Any) -> str:
    """A number in six digits, an exact one as it stands where it is short."""
    if value is None:
        return "—"
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, float):
        return f"{value:.6g}" if math.isfinite(value) else "not a number" if math.isnan(value) else "infinite"
    try:
        text = str(value)
    except ValueError:
        # an integer of more digits than Python writes
        return "over 4000 digits"
    close = finite(value)
    return text if len(text) <= 24 or close is None else f"{close:.9g}"
