"""What a check found, line by line, for a terminal."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator

from proofs_check.claims.report import Claim
from proofs_check.report.telling import parameters

#: How a remark begins that says what the simulation of a limit leaves to the derivation.
NOT_SEEN = "by the simulation: "
_TOKEN = re.compile(r"\*\*|[A-Za-z_]\w*|\d+|\S")
MARKS = {"verified": "✓", "refuted": "✗", "undecided": "?", "conflict": "!", "error": "!"}


def lines(reports: list[Claim]) -> Iterator[str]:
    """The lines of a statement's report, the correction's verdict with it."""
    first = reports[0]
    only = next((told for told in first["symbolic"]["evidence"] if told.startswith(NOT_SEEN)), "")
    only = f"; {only.removeprefix(NOT_SEEN)}" if first["verdict"] == "verified" and only else ""
    yield f"{MARKS[first['verdict']]} {first['verdict']}   {first['quantity']}   ({first['seconds']:.1f} s){only}"
    for label, text in rows(reports):
        yield f"  {label:<15} {text}"


def rows(reports: list[Claim]) -> Iterator[tuple[str, str]]:
    """What a reader wants to know of a statement's report, label by label."""
    first = reports[0]
    if first["reason"]:
        yield "because", first["reason"]
    if first["verdict"] == "refuted":
        yield "printed", "; ".join(first["printed"].values())
    correction = first["correction"]
    if correction is not None and correction["sympy"] is not None:
        second = reports[1] if len(reports) > 1 else None
        true = second["printed"]["value"] if second is not None else correction["sympy"]
        verdict = f"   ({second['verdict']})" if second is not None else ""
        yield "true", f"{true}{verdict}"
        if second is not None and (marks := marked(first["printed"]["value"], true)):
            yield "", marks
    elif correction is not None and correction["holds"]:
        yield "true", correction["holds"]
    elif first["symbolic"]["exact"] is not None and first["verdict"] != "verified":
        yield "derived", first["symbolic"].get("derived") or first["symbolic"]["exact"]
    point = first["counterexample"]
    if point is not None:
        values = f"printed {point['printed']}, true {point['true']}"
        if "limit" in point:
            values = f"{point['limit']}: {values}; exactly {point['finite']} there, before the limit"
        yield "counterexample", f"{parameters(point['params'])}: {values}"
    symbolic = first["symbolic"]
    yield "derivation", f"{symbolic['status']}: {symbolic['method']}" if symbolic["method"] else symbolic["status"]
    for remark in symbolic["evidence"]:
        if remark.startswith(("simulated", "terms beyond", "not needed", "not seen to be sharp")):
            yield "", remark
    simulation = first["simulation"]
    if simulation["power"]:
        what, count = ("search", "tries") if simulation["tier"] == "search" else ("simulation", "walks")
        yield what, f"{simulation['status']}, {simulation['samples']:,} {count}; {simulation['power']}"
    if first["decoys"]["of"]:
        yield "wrong versions", f"{first['decoys']['caught']} of {first['decoys']['of']} told from it"
    yield "replay", first["replay"]


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
