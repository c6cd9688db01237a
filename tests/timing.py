"""Which rows of parametrized tests ``make test`` leaves to ``make test-slow``, by the processor time that they take.

``slow.txt`` lists them. It is written anew from measured times, which are added to a folder's files as tests run:

    TWOFOLD_TIMES=times python -m pytest -n 2 -p tests.timing
    python -m tests.timing times

What was not measured, as it was slow before, stays in the list; ``-m "not browser"`` measures all.
"""

from __future__ import annotations

import os
import re
import sys
from collections import defaultdict
from collections.abc import Generator, Iterable
from pathlib import Path

import pytest

LISTED = Path(__file__).with_name("slow.txt")
#: Seconds of a row that is slow; a test's quickest row is not, however long it takes.
LONG = 0.1
#: Of these all rows are looked at in ``make test``: both sides of every claim, and faults planted in one of them.
WHOLE = re.compile(r"tests/properties/.*::test_(both_|a_search_measures|a_fault_in_|the_least_error_)")


def listed() -> frozenset[str]:
    """The rows that are left to ``make test-slow``."""
    return frozenset(LISTED.read_text(encoding="utf-8").splitlines())


def _spent() -> float:
    found = os.times()
    return found.user + found.system + found.children_user + found.children_system


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None]:
    """Write down the processor time of a test, its children's with it."""
    before = _spent()
    yield
    with (Path(os.environ["TWOFOLD_TIMES"]) / str(os.getpid())).open("a", encoding="utf-8") as file:
        file.write(f"{_spent() - before:.3f} {item.nodeid}\n")


def long_rows(measured: Iterable[str]) -> set[str]:
    """The rows to be left out, from lines of seconds and names."""
    rows = defaultdict[str, list[tuple[float, str]]](list)
    for seconds, name in (line.split(" ", 1) for line in measured):
        rows[name.split("[")[0]].append((float(seconds), name))
    found = (sorted(of)[1:] for test, of in rows.items() if not WHOLE.match(test))
    return {name for of in found for seconds, name in of if seconds > LONG}


def main(folder: str) -> None:
    """Write the list from the times in a folder."""
    measured = [line for file in Path(folder).iterdir() for line in file.read_text(encoding="utf-8").splitlines()]
    kept = listed() - {line.split(" ", 1)[1] for line in measured}
    LISTED.write_text("\n".join(sorted(kept | long_rows(measured))) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
