"""``twofold bench``: the whole run, as data, as lines, and what limits each tier in a sentence."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Mapping, Sequence
from typing import Any, TextIO

from proofs_check.bench import checks, device_rows, measure, roofline
from proofs_check.bench.measure import BASE, PEERS, TIERS, Told
from proofs_check.inputs.errors import UsageError
from proofs_check.judging.process import cores

SCHEMA = 1
#: What is asked for where nothing else is: the sizes, and the seconds of rounds for all of them together.
SIZES, SECONDS = ((40, 128), (512, 64)), 120.0
#: Ratios to reach with all cores: a tier to the plain script, and to its own generator.
GOALS = {"fused": {BASE: 70.0, "generator": 0.9}, "joint": {BASE: 1500.0}}
#: A tier so much faster than its generator was not measured on the same machine: others used it too.
UNQUIET = 1.05
#: Generators keep all their threads busy: given less of their time than this, they shared the machine with others.
GIVEN = 0.9
#: Most normals of a walk, and walks a second that its matrix would still allow.
MOST_NORMALS, MOST_DIMENSION = 1 << 26, 4096


def sizes_of(text: str) -> tuple[tuple[int, int], ...]:
    """``40x128,512x64`` -> ((40, 128), (512, 64)); raises UsageError."""
    found = []
    for part in text.split(","):
        if not re.fullmatch(r"[0-9]{1,9}x[0-9]{1,9}", part):
            raise UsageError("--sizes", text, "TxD,TxD, ..., e.g. 40x128,512x64")
        T, d = map(int, part.split("x"))
        if T < 1 or not 1 <= d <= MOST_DIMENSION or T * d > MOST_NORMALS:
            raise UsageError(
                "--sizes", text, f"T >= 1, 1 <= d <= {MOST_DIMENSION} and T d <= 2**26", "take smaller ones"
            )
        found.append((T, d))
    if len(set(found)) < len(found):
        raise UsageError("--sizes", text, "each size once")
    return tuple(found)


def tiers_of(text: str) -> tuple[str, ...]:
    """``literal,fused`` -> its names; raises UsageError."""
    names = tuple(text.split(","))
    for name in names:
        if name not in TIERS:
            raise UsageError("--tiers", text, f"some of {', '.join(TIERS)}, joined by commas")
    return tuple(dict.fromkeys(names))


def seconds_of(text: str) -> float:
    """The seconds of rounds; raises UsageError."""
    if not re.fullmatch(r"[0-9]{1,6}(\.[0-9]{1,6})?", text) or not float(text) > 0:
        raise UsageError("--seconds", text, "a number from 0.000001 to 999999, in digits, e.g. 120")
    return float(text)


def run(
    sizes: Sequence[tuple[int, int]] = SIZES,
    seconds: float = SECONDS,
    tiers: Sequence[str] = tuple(TIERS),
    told: Told = lambda _: None,
    whole: bool = True,
) -> dict[str, Any]:
    """Everything measured, in JSON's own types. ``told`` hears what is being done; the ``whole`` times checks, too."""
    entries = [*PEERS, *(entry for tier in tiers for entry in TIERS[tier])]
    told("limits of a core")
    limits = roofline.cpu()
    rows: list[dict[str, Any]] = []
    for T, d in sizes:
        rows += measure.measured(entries, T, d, seconds / len(sizes), cores(), told)
    told("GPU")
    rows += device_rows.rows(sizes, [tier for tier in tiers if tier != "literal"])
    machine = {
        "platform": platform.platform(),
        "processor": processor(),
        "cores": cores(),
        "load before and after": list(os.getloadavg()) if hasattr(os, "getloadavg") else None,
    }
    return {
        "schema": SCHEMA,
        "machine": machine,
        "limits": limits,
        "rows": rows,
        "checks": checks.rows(told) if whole else [],
        "said": said(rows, limits),
    }


def processor() -> str:
    """The processor's name."""
    try:
        with open("/proc/cpuinfo") as lines:
            return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def _goals(row: Mapping[str, Any]) -> str:
    goals = GOALS.get(row["name"], {})
    told = []
    for name, column in ((BASE, "ratio to numpy_script"), ("generator", "ratio to own generator")):
        if name in goals and row[column] is not None:
            reached = row[column]["median"]
            what = "the plain script" if name == BASE else "its generator"
            told.append(f"{'reaches' if reached >= goals[name] else 'misses'} the goal of {goals[name]:g} times {what}")
    return ", ".join(told)


def multiplications(row: Mapping[str, Any]) -> float:
    """Multiply-adds of a walk beside its normals: W in Schur form, d^2/2, and a product a normal (b) or two a token."""
    T, d = row["T"], row["d"]
    return float(d * d / 2 + (T * d if row["tier"] == "fused" else 2 * T))


def limit(row: Mapping[str, Any], limits: Mapping[str, Any]) -> float | None:
    """Normals a second that a tier's generator and multiply-adds allow, one after the other; None where unknown."""
    if row["tier"] == "literal" or row["ratio to own generator"] is None or not limits.get("peaks"):
        return None
    generator = row["normals a second"]["median"] / row["ratio to own generator"]["median"]
    multiplied = multiplications(row) / (limits["peaks"]["float"] * row["threads"])
    return float(row["normals a walk"] / (row["normals a walk"] / generator + multiplied))


def sentence(row: Mapping[str, Any], limits: Mapping[str, Any], quiet: bool = True) -> str:
    """What limits a tier, and how far from it it runs; of a machine that was not quiet, the share of its generator."""
    who = f"{row['name']} at T = {row['T']}, d = {row['d']}"
    if row["status"] != "measured":
        return f"{who}: {row['status']}."
    rate = row["normals a second"]["median"]
    if row["kind"] == "gpu":
        issued = (row["ceiling"] or {}).get("normals a second")
        if issued is None:
            return f"{who} draws {rate:.3g} normals a second; its limit was not counted."
        by = row["ceiling"].get("by", "issue")
        return f"{who} draws {rate:.3g} normals a second, {rate / issued:.0%} of what the GPU can {by} ({issued:.3g})."
    who += f", {row['threads']} thread{'s' if row['threads'] > 1 else ''}"
    own = row["ratio to own generator"]
    if own is None:
        return f"{who} draws {rate:.3g} normals a second; its generator was not measured."
    told = f"{who} draws {rate:.3g} normals a second, {own['median']:.0%} of its generator's"
    if not quiet:
        return f"{told}, on a machine that was not quiet."
    together, top = limit(row, limits), limits.get("in turn")
    if together is not None:
        told += f"; its limit is its generator with its multiply-adds, {together:.3g}: {rate / together:.0%}"
    if top and row["tier"] != "literal":
        reached = rate / own["median"] / row["threads"] / top
        told += f"; the generator runs at {reached:.0%} of what its cores could issue"
    if own["median"] > UNQUIET:
        told += "; the machine was not quiet, for nothing is faster than its generator"
    goals = _goals(row)
    return told + (f"; it {goals}." if goals else ".")


def unquiet(rows: Sequence[Mapping[str, Any]]) -> str:
    """What is to be said where others used the machine too; empty where it was quiet.

    A narrow spread is no sign of quiet: a system that deals out cores evenly gives a steady share to each.
    """
    shares = [row["share"] for row in rows if row["kind"] == "generator" and row["status"] == "measured"]
    if not shares or min(shares) >= GIVEN:
        return ""
    return (
        f"The machine was not quiet: generators were given {min(shares):.0%} to {max(shares):.0%} of their threads' "
        "time. Rates and comparisons of numbers of threads do not hold, and no goal is judged; run it again."
    )


def said(rows: Sequence[Mapping[str, Any]], limits: Mapping[str, Any]) -> list[str]:
    """Whether the machine was quiet, and a sentence for each tier, size and number of threads."""
    warned = unquiet(rows)
    told = [sentence(row, limits, not warned) for row in rows if row["kind"] in ("tier", "gpu")]
    return [warned, *told] if warned else told


def show(report: Mapping[str, Any], stream: TextIO) -> None:
    """The report in lines: a table, the starts, the sentences."""
    head = ("", "threads", "batch", "walks/s", "quartiles", "normals/s", "× script", "× generator", "memory")
    for T, d in dict.fromkeys((row["T"], row["d"]) for row in report["rows"]):
        lines: list[tuple[str, ...]] = [head]
        for row in report["rows"]:
            if (row["T"], row["d"]) == (T, d):
                lines.append(_cells(row))
        print(f"T = {T}, d = {d}", file=stream)
        widths = [max(len(line[k]) for line in lines) for k in range(len(head))]
        for line in lines:
            cells = [
                line[0].ljust(widths[0]),
                *(cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True)),
            ]
            print(("  " + "  ".join(cells)).rstrip(), file=stream)
        print(file=stream)
    print("start, in seconds: import, making ready, first walks (compilation)", file=stream)
    for row in report["rows"]:
        if row.get("start") and "import" in row["start"] and row["threads"] == 1:
            parts = (f"{row['start'][name]:.2f}" for name in ("import", "make", "first walks"))
            print(f"  {row['name']}, {row['T']}x{row['d']}: {', '.join(parts)}", file=stream)
    print(file=stream)
    timed = report.get("checks", ())
    for line in (*((*checks.lines(timed), "") if timed else ()), *report["said"]):
        print(line, file=stream)


def _cells(row: Mapping[str, Any]) -> tuple[str, ...]:
    if "walks a second" not in row:
        return (row["name"], str(row.get("threads") or ""), "", row["status"], "", "", "", "", "")
    rates = row["walks a second"]
    ratios = [row.get(name) for name in ("ratio to numpy_script", "ratio to own generator")]
    memory = row.get("memory") or {}
    flat = "" if "flat" not in memory else "flat" if memory["flat"] else f"+{memory['grown'] >> 20} MiB"
    return (
        row["name"] + ("" if row["status"] == "measured" else f" ({row['status']})"),
        str(row.get("threads") or ""),
        str(row.get("batch") or ""),
        f"{rates['median']:.4g}",
        f"{rates['low']:.3g} to {rates['high']:.3g}",
        f"{row['normals a second']['median']:.3g}",
        *("" if found is None else f"{found['median']:.3g}" for found in ratios),
        flat,
    )
