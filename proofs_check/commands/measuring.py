"""``twofold figures``, ``bench`` and ``selftest``: pictures of the theory, speed, and the referee's own errors."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from proofs_check.commands import checks
from proofs_check.commands.checks import (
    MAX_JOBS,
    MAX_SEED,
    integer,
    needed,
)
from proofs_check.judging.process import cores

MAX_RUNS = 1_000_000


def fill_figures(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``twofold figures``."""
    from figures.drawing import NAMES

    parser.add_argument("names", nargs="*", metavar="NAME", help=NAMES)
    parser.add_argument("--out", default="report/figures", metavar="DIR", help="folder (report/figures unless given)")
    parser.add_argument("--seed", default="0", metavar="N", help="seed of the simulations (0 unless given)")
    parser.add_argument("--jobs", metavar="N", help="figures made at once (as many as cores unless given)")
    parser.add_argument("--expect", metavar="FILE", help="a lock to compare the figures' data with")


def run_figures(args: argparse.Namespace) -> int:
    """Draw figures; returns the exit status."""
    checks.catalogue([name for name in args.names if "." in name])
    needed("matplotlib")

    from figures.drawing import make

    return make(args)


def model_pictures(found: dict[str, Any]) -> dict[str, bytes]:
    """The files of the figures of a model, by their names."""
    from figures.files import of_model

    return of_model(found)


def fill_bench(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``twofold bench``."""
    parser.add_argument("--sizes", metavar="TxD,...", help="tokens and dimensions (40x128,512x64 unless given)")
    parser.add_argument("--tiers", metavar="NAME,...", help="which tiers (all unless given)")
    parser.add_argument(
        "--seconds",
        default="120",
        metavar="S",
        help="seconds of all rounds together (120 unless given); a minute a size on top, three at most, and one for "
        "`twofold check` where neither sizes nor tiers are given",
    )
    parser.add_argument("--json", metavar="FILE", help="write what was measured as JSON")
    parser.add_argument("--picture", metavar="FILE", help="write the roofline as SVG")


def run_bench(args: argparse.Namespace) -> int:
    """Time the sampling; returns the exit status."""
    from proofs_check.bench import measure, report
    from proofs_check.report import outputs

    sizes = report.SIZES if args.sizes is None else report.sizes_of(args.sizes)
    tiers = tuple(measure.TIERS) if args.tiers is None else report.tiers_of(args.tiers)
    whole = args.sizes is None and args.tiers is None
    seconds = report.seconds_of(args.seconds)
    given = {"--json": args.json, "--picture": args.picture}
    targets = {name: outputs.check_target(name, value) for name, value in given.items() if value is not None}
    outputs.check_apart(given)
    found = report.run(sizes, seconds, tiers, lambda text: print(text, file=sys.stderr), whole)
    report.show(found, sys.stdout)
    status = 0
    for name, path in targets.items():
        try:
            if name == "--json":
                outputs.write_json(found, path)
            else:
                from proofs_check.bench.picture import roofline

                outputs.atomic_write(path, roofline(found["rows"], found["limits"]))
        except OSError as error:
            print(outputs.unwritten(name, path, error), file=sys.stderr)
            status = 1
    return status


def fill_selftest(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``twofold selftest``."""
    parser.add_argument("--independence", action="store_true", help="put faults into one side of every claim too")
    parser.add_argument("--runs", metavar="N", help="runs of each estimator on true claims (400 unless given)")
    parser.add_argument("--seed", default="0", metavar="N", help="seed of the selftest (0 unless given)")
    parser.add_argument("--json", metavar="FILE", help="write what was measured as JSON")
    parser.add_argument(
        "--jobs", metavar="N", help="threads (all there are unless given); the result does not depend on it"
    )


def run_selftest(args: argparse.Namespace) -> int:
    """Measure the referee; returns the exit status."""
    from proofs_check.report import outputs

    seed = integer("--seed", args.seed, 0, MAX_SEED, "an integer from 0 to 2**63 - 1")
    runs = None
    if args.runs is not None:
        runs = integer("--runs", args.runs, 1, MAX_RUNS, f"an integer from 1 to {MAX_RUNS}")
    jobs = cores()
    if args.jobs is not None:
        jobs = integer("--jobs", args.jobs, 1, MAX_JOBS, f"an integer from 1 to {MAX_JOBS}")
    target = outputs.check_target("--json", args.json) if args.json is not None else None

    from proofs_check.report.selftest import show
    from proofs_check.selftest import run as selftest

    with selftest.progress() as step:
        report = selftest.run(seed=seed, runs=runs, jobs=jobs, independence=args.independence, step=step)
    show(report, sys.stdout)
    if target is not None:
        try:
            outputs.write_json(report, target)
        except OSError as error:
            print(outputs.unwritten("--json", target, error), file=sys.stderr)
            return 1
    return 0 if report["consistent"] else 1
