"""What a report comes to: its claims by paper and section, what is wrong by cause, and a headline."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from proofs_check.inputs.expect import VERDICTS
from proofs_check.report.causes import causes
from proofs_check.report.site import mathml
from proofs_check.report.site.view import Entry, paper_title, section_title, slips


def papers(found: Sequence[Entry]) -> list[dict[str, Any]]:
    """The claims by paper and section, corrections left out that stand with their claim."""
    order: dict[str, dict[str, list[Entry]]] = {}
    for entry in found:
        if entry.corrects is None:
            order.setdefault(entry.paper, {}).setdefault(entry.section, []).append(entry)
    told = []
    for paper, sections in order.items():
        members = [entry for group in sections.values() for entry in group]
        title, authors = paper_title(paper)
        told.append(
            {
                "id": paper,
                "title": title,
                "authors": authors,
                "version": members[0].claim["paper"]["version"],
                "counts": counts(members),
                "causes": _causes(members),
                "sections": [
                    {"id": section, "title": section_title(section), "entries": group, "counts": counts(group)}
                    for section, group in sections.items()
                ],
            }
        )
    return told


def _causes(members: Sequence[Entry]) -> list[dict[str, Any]]:
    """What is wrong by itself, the gravest first, with what inherits the error."""
    table = {entry.id: entry for entry in members}
    return [
        {
            "entry": table[cause.id],
            "lower": cause.lower,
            "heirs": [table[name] for name in cause.heirs],
            "beside": [table[name] for name in cause.beside],
            "slips": [
                mathml.sentence(text) for text in dict.fromkeys(text for one in cause.own for text in slips(table[one]))
            ],
        }
        for cause in causes([entry.claim for entry in members])
    ]


def counts(found: Sequence[Entry]) -> dict[str, int]:
    """How many claims got each verdict; those that none got are left out."""
    numbers = {verdict: sum(entry.verdict == verdict for entry in found) for verdict in VERDICTS}
    return {verdict: number for verdict, number in numbers.items() if number}


def listed(parts: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    return parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + " and " + parts[-1] if parts else ""


def headline(found: Sequence[Entry], partial: bool) -> str:
    """What was checked and what was found, in one sentence."""
    base = [entry for entry in found if entry.corrects is None]
    if not base:
        return "No claim was judged."
    sources = len({entry.paper for entry in base})
    told = listed([f"{number} {verdict}" for verdict, number in counts(base).items()])
    where = "one paper" if sources == 1 else f"{sources} papers"
    verb = "were judged before the run was interrupted" if partial else "were judged"
    claims = "1 claim" if len(base) == 1 else f"{len(base)} claims"
    verb = verb.replace("were", "was", 1) if len(base) == 1 else verb
    return f"{claims} of {where} {verb}: {told}."


def remark(found: Sequence[Entry]) -> str:
    """What became of the corrections."""
    refuted = [entry for entry in found if entry.corrects is None and entry.verdict == "refuted"]
    if not refuted:
        return ""
    good = sum(entry.verdict == "verified" for entry in found if entry.corrects is not None)
    told = f"{good} of the {len(refuted)} refuted come with a correction that was itself derived and verified."
    read, partly = sum(entry.head == "as read" for entry in refuted), sum(bool(entry.judged) for entry in refuted)
    sense = f"{partly} of them {'is' if partly == 1 else 'are'} judged in one sense only, as it says there"
    if not read:
        return told + f" {sense}." * bool(partly)
    verb, what = ("is", "a statement") if read == 1 else ("are", "statements")
    others = f"the other {len(refuted) - read} stand in the source, and are judged as their pages read them"
    rest = others if len(refuted) > read else ""
    rest += f"; {sense}" * bool(rest and partly)
    told += f" {read} of the refuted {verb} {what} that this project filled in, made precise or read in its own way"
    return told + (f"; {rest}." if rest else ".")
