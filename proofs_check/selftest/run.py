"""``twofold selftest``: whether the referee itself can be trusted, measured and told as one JSON object and a summary.

The parts: how often it errs on claims that are true (``error_rates``); whether faults that are put into one side of a
claim are called conflicts (``independence``). The score of the suite's own tests on wrong versions of its code is added
to the object by them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

#: Version of the JSON object.
SCHEMA = 1
#: Part, done, total.
Step = Callable[[str, int, int], None]
Report = dict[str, Any]


def run(
    *,
    seed: int = 0,
    runs: int | None = None,
    jobs: int = 1,
    independence: bool = False,
    step: Step = lambda part, done, total: None,
) -> Report:
    """Measure the error rates, and faults in one side of a claim where asked for; the same object for any ``jobs``.

    ``consistent`` says whether every rate is within its level and no fault in one side of a claim went unseen.
    """
    from proofs_check.selftest import error_rates

    count = error_rates.RUNS if runs is None else runs
    rates = error_rates.measure(seed=seed, runs=count, jobs=jobs, step=_told(step, "error rates"))
    report: Report = {"schema": SCHEMA, "seed": seed, "error_rates": rates, "independence": None, "mutants": None}
    if independence:
        from proofs_check.selftest import independence as faults

        rows = faults.measure(seed=seed, claims=None, step=_told(step, "independence"))
        found = faults.tally(rows)
        report["independence"] = {**found, "rows": rows, "consistent": found["caught"] == found["of"]}
    parts = [part for part in (report["error_rates"], report["independence"]) if part]
    return {**report, "consistent": all(part.get("consistent", True) for part in parts)}


def _told(step: Step, part: str) -> Callable[[int, int], None]:
    return lambda done, total: step(part, done, total)


@contextmanager
def progress() -> Iterator[Step]:
    """Tells of the progress on a terminal, and nobody elsewhere."""
    terminal = next((stream for stream in (sys.stderr, sys.stdout) if stream.isatty()), None)
    if terminal is None:
        yield lambda part, done, total: None
        return
    from rich.progress import Progress

    from proofs_check.report.terminal import console

    with Progress(console=console(terminal), transient=True) as bar:
        task = bar.add_task("starting", total=None)
        yield lambda part, done, total: bar.update(task, description=part, completed=done, total=total)
