"""The self-test's report as lines: the table of error rates, the other parts, and one sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TextIO

#: The columns of the table: head, key of the rate.
ERRORS = (
    ("refuted", "false_refutations"),
    ("agreed", "false_agreements"),
    ("missed", "missed_errors"),
    ("in power", "missed_detectable"),
    ("confirmed", "false_confirmations"),
    ("spread", "spread_too_small"),
)


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
        f"ledger: the shares of {budget['claims'] // 2} claims, each with that of a correction, are "
        f"{budget['given']:.3g}, {budget['reserved']:.3g} is kept for other packages, of {budget['alpha']:g}"
        + ("" if budget["consistent"] else " !")
    )
    sides = ", ".join(f"{count} {name}" for name, count in rates["without_randomness"].items())
    told.append(f"no chance in the word of {sides}: rounding errors are bounded, decisions exact")
    told += _others(report)
    if not all(row["planted_flagged"] for row in rates["estimators"].values()):
        told.append("so few runs do not show a planted fault, and prove nothing: give more --runs !")
    told.append("")
    told.append(": ".join(concluded(report)) + ".")
    return told


def concluded(report: Mapping[str, Any]) -> tuple[str, str]:
    """What the self-test comes to, and why: runs too few to show a planted fault neither bear it out nor speak against.

    Raises KeyError or TypeError for a report of another form.
    """
    if report["consistent"]:
        return "Consistent", "no error is more frequent than stated"
    rates = report["error_rates"]
    parts = [row[key] for row in rates["estimators"].values() for key in ("fresh_seeds", *(key for _, key in ERRORS))]
    parts += [rates["heaviest"], *rates["growth"], rates["ledger"], report["independence"]]
    if all(part["consistent"] for part in parts if part):
        return "Not told", "no error was more frequent than stated, but so few runs do not show a planted fault"
    return "Not consistent", "see what is marked with an exclamation mark"


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


#: How what is said of a mutant begins that no rule here proves to be true.
BY_HAND = "true, by hand"


def mutant_lines(scored: Mapping[str, Any]) -> list[str]:
    """The mutation score: a line of all, a row a kind, and the survivors and those held true by hand, by name."""
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
    told += [f"  {row['how']}: {row['name']}" for row in scored["rows"] if row["how"].startswith(BY_HAND)]
    return told


def show(report: Mapping[str, Any], out: TextIO) -> None:
    """Print the summary."""
    print("\n".join(lines(report)), file=out)
