"""``twofold selftest``: whether the referee itself can be trusted, measured and told as one JSON object and a summary.

The parts: how often it errs on claims that are true (``error_rates``); whether faults that are put into one side of a
claim are called conflicts (``independence``). The score of the suite's own tests on wrong versions of its code is added
to the object by them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TextIO

#: Version of the JSON object.
SCHEMA = 1
#: Part, done, total.
Step = Callable[[str, int, int], None]
Report = dict[str, Any]

#: The columns of the table: head, key of the rate.
ERRORS = (
    ("refuted", "false_refutations"),
    ("agreed", "false_agreements"),
    ("missed", "missed_errors"),
    ("in power", "missed_detectable"),
    ("confirmed", "false_confirmations"),
    ("spread", "spread_too_small"),
)


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
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(file=terminal), transient=True) as bar:
        task = bar.add_task("starting", total=None)
        yield lambda part, done, total: bar.update(task, description=part, completed=done, total=total)


def percent(value: float) -> str:
    """A probability in per cent, two digits."""
    return f"{100 * value:.2g}%"


def cell(rate: Mapping[str, Any]) -> str:
    """A count and the most that its probability may be; "!" where it is more than its level allows."""
    return f"{rate['count']}, <{percent(rate['high'])}" + ("" if rate["consistent"] else " !")


def table(rates: Mapping[str, Any]) -> list[list[str]]:
    """Head, levels, and a row for every estimator."""
    estimators = rates["estimators"]
    first: Mapping[str, Any] = next(iter(estimators.values()), {})
    head = ["estimator", "runs", *(name for name, _ in ERRORS), "fresh seeds", "planted faults"]
    levels = ["at most", "", *(percent(first[key]["level"]) if first else "" for _, key in ERRORS), "", ""]
    rows = [
        [
            name,
            str(row["runs"]),
            *(cell(row[key]) for _, key in ERRORS),
            "independent" if row["fresh_seeds"]["consistent"] else "dependent !",
            "flagged" if row["planted_flagged"] else "unseen !",
        ]
        for name, row in estimators.items()
    ]
    return [head, levels, *rows]


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """The rows as lines of equal columns."""
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    return ["  ".join(f"{text:<{width}}" for text, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def lines(report: Mapping[str, Any]) -> list[str]:
    """The summary: the table, the heaviest tails, orders of growth, the ledger, the other parts, and one sentence."""
    rates = report["error_rates"]
    sure = 100 * rates["confidence"]
    told = [
        f"{rates['runs']} runs on true claims, intervals of level {rates['level']:g}; each count with the most that "
        f"its probability may be ({sure:g}% exact)",
        "",
        *aligned(table(rates)),
        "",
    ]
    heavy = rates["heaviest"]
    if heavy:
        told.append(
            f"heaviest tails: {heavy['quantity']} of {heavy['claim']}, degree {heavy['degree']}, kurtosis about "
            f"{heavy['kurtosis']:.3g} (bound {heavy['kurtosis_bound']:g})"
        )
        told += [
            f"  {size['numbers']} numbers: truth left out {cell(size['false_refutations'])}; "
            + (
                f"finite {cell(size['finite_too_soon'])}, as so few say nothing"
                if not size["enough"]
                else f"infinite {size['infinite']}"
            )
            for size in heavy["sizes"]
        ]
    words = {"refuted": "false_refutations", "confirmed": "false_confirmations"}
    words |= {"in conflict": "false_conflicts", "agreed": "false_agreements"}
    for growth in rates["growth"]:
        counts = "; ".join(f"{name} {cell(growth[key])}" for name, key in words.items())
        most = growth["false_refutations"]["level"]
        told.append(
            f"orders of growth, {growth['effort']}, {growth['runs']} runs, at most {percent(most)} each: {counts}"
        )
    budget = rates["ledger"]
    told.append(
        f"ledger: {budget['claims']} claims and corrections hold {budget['given']:.3g}, {budget['reserved']:.3g} is "
        f"kept for other packages, of {budget['alpha']:g}" + ("" if budget["consistent"] else " !")
    )
    sides = ", ".join(f"{count} {name}" for name, count in rates["without_randomness"].items())
    told.append(f"no chance in the word of {sides}: rounding errors are bounded, decisions exact")
    told += _others(report)
    if not all(row["planted_flagged"] for row in rates["estimators"].values()):
        told.append("so few runs do not show a planted fault, and prove nothing: give more --runs !")
    told.append("")
    told.append(
        "Consistent: no error is more frequent than stated."
        if report["consistent"]
        else "Not consistent: see what is marked with an exclamation mark."
    )
    return told


def _others(report: Mapping[str, Any]) -> list[str]:
    """The parts that were asked for."""
    told = []
    faults = report["independence"]
    if faults:
        mark = "" if faults["consistent"] else " !"
        told.append(
            f"independence: {faults['caught']} of {faults['of']} faults in one side alone are conflicts, "
            f"{faults['apart']} sides have nothing to break{mark}"
        )
        unseen = [row for row in faults["rows"] if not row["caught"] and row["verdict"] != "not applicable"]
        told += [f"  unseen: {row['id']}, {row['side']}: {row['fault']} ({row['verdict']})" for row in unseen]
    if report["mutants"]:
        told += mutant_lines(report["mutants"])
    return told


def mutant_lines(scored: Mapping[str, Any]) -> list[str]:
    """The mutation score: a line of all, a row a kind, and the survivors by kind and name."""
    counts = ("mutants", "caught", "equivalent", "survived")
    rows = [["mutants of", *counts[1:], "score"]]
    for kind, row in (*scored["by_kind"].items(), ("all", scored)):
        rows.append(
            [f"{kind}: {row['mutants']}", *(str(row[name]) for name in counts[1:]), f"{100 * row['score']:.1f}%"]
        )
    told = ["", *aligned(rows)]
    for kind in scored["by_kind"]:
        mine = [r for r in scored["rows"] if r["kind"] == kind and r["result"] == "survived"]
        told += [f"  survived, {kind}: {row['name']} ({row['how']})" for row in mine]
    return told


def show(report: Mapping[str, Any], out: TextIO) -> None:
    """Print the summary."""
    print("\n".join(lines(report)), file=out)
