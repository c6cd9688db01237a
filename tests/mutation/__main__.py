"""``python -m tests.mutation [REPORT]``: judge every mutant, and write the score into a self-test's report."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from proofs_check.report.reading import read_selftest
from proofs_check.report.selftest import mutant_lines
from proofs_check.selftest.run import progress
from tests.mutation.score import measure


def main(words: Sequence[str] | None = None) -> int:
    """Exit status: 0, or 1 where a mutant survived."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("report", nargs="?", help="the JSON of twofold selftest, which gets the score too")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--sample", type=int, help="judge so many mutants only")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    args = parser.parse_args(words)
    report = read_selftest("REPORT", args.report) if args.report else None
    with progress() as step:
        scored = measure(
            seed=args.seed,
            sample=args.sample,
            step=lambda done, total: step("mutants", done, total),
            jobs=args.jobs,
        )
    print("\n".join(mutant_lines(scored)))
    if report is not None:
        Path(args.report).write_text(json.dumps({**report, "mutants": scored}, indent=1) + "\n", encoding="utf-8")
    return 1 if scored["survived"] else 0


if __name__ == "__main__":
    sys.exit(main())
