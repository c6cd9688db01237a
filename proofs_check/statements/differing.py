"""What differs between a printed formula and the true one, marked under the true one."""

from __future__ import annotations

import difflib
import re

_TOKEN = re.compile(r"\*\*|[A-Za-z_]\w*|\d+|\S")


def marked(printed: str, true: str) -> str:
    """A line of ^ under what stands in the true formula and not, or elsewhere, in the printed one; "" for equal ones.

    Where something printed is missing from the true formula the mark stands under what follows it.
    """
    one, two = (list(_TOKEN.finditer(text)) for text in (printed, true))
    marks = [" "] * (len(true) + 1)
    matcher = difflib.SequenceMatcher(None, [m[0] for m in one], [m[0] for m in two], autojunk=False)
    for kind, _, _, first, last in matcher.get_opcodes():
        if kind == "equal":
            continue
        start = two[first].start() if first < len(two) else len(true)
        stop = two[last - 1].end() if last > first else start + 1
        marks[start:stop] = "^" * (stop - start)
    return "".join(marks).rstrip()
