"""Pages of the documentation that no one writes by hand: what was found, from a report, and what is trusted, from code.

python -m proofs_check.report.documents report/report.json      # docs/findings.md and docs/rules.md
python -m proofs_check.report.documents                         # docs/rules.md alone
"""

from __future__ import annotations

import inspect
import json
import os
import re
import sys
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

from proofs_check.claims.report import Claim, Report
from proofs_check.claims.schema import schema
from proofs_check.inputs.errors import UsageError
from proofs_check.report import byhand
from proofs_check.report.causes import UNSTATED, causes, inherited, of_lower_order
from proofs_check.report.site import holding, names, notation, overview, view
from proofs_check.report.site.markdown import code, escaped, expression, math, named, sentence
from proofs_check.report.telling import FIDELITY, counted, false_lines, gives, narrowed, parameters, sourced, starts

FINDINGS, TRUSTED = "findings.md", "rules.md"
SCHEMA_FILE = Path(__file__).with_name("report.schema.json")
_HAND = "<!-- Written by `python -m proofs_check.report.documents`, never by hand. -->"
#: Where a piece of code stands in a text that is escaped.
MARK = "¤"
_OPEN = ("undecided", "conflict", "error")


def found(report: Report) -> str:
    """The findings as Markdown: by paper what is refuted and what is left open, then a row for every verdict."""
    entries = view.entries(report)
    run = report["run"]
    sources = overview.papers(entries)
    versions = ", ".join(f"{name} {version}" for name, version in run["versions"].items())
    out = [
        f"# What Twofold found in {_papers(len(sources))}",
        "",
        _HAND,
        "",
        *filter(None, (_gravest(source) for source in sources)),
        "",
        escaped(overview.headline(entries, run["partial"])),
    ]
    out += [escaped(remark)] if (remark := overview.remark(entries)) else []
    out += ["What each verdict promises, and what not, is in [statistics](statistics.md).", ""]
    out += [escaped(f"The run: {run['effort']} effort, seed {run['seed']}, {run['device']}; {versions}."), ""]
    for source in sources:
        members = [entry for section in source["sections"] for entry in section["entries"]]
        out += [
            f"## {escaped(source['title'])}",
            "",
            escaped(f"{source['authors']}; {source['version']}.".lstrip("; ")),
            "",
        ]
        told = overview.listed([f"{count} {verdict}" for verdict, count in source["counts"].items()])
        out += [escaped(f"Of {counted(len(members), 'claim')}: {told}."), ""]
        table = {entry.id: entry for entry in members}
        found = causes([entry.claim for entry in members])
        source_of = inherited([entry.claim for entry in members])
        own, lower = (sum(len(cause.own) for cause in found if cause.lower is of) for of in (False, True))
        out += [escaped(_by_cause(len(source_of), own, lower)), ""]
        for cause in found:
            for name in cause.own:
                out += _finding(table[name])
            heirs = overview.listed([escaped(table[name].within) for name in cause.heirs])
            out += [f"Inherited by {heirs}.", ""] if heirs else []
        inheriting = [
            _heir(entry, [table[name] for name in source_of[entry.id]]) for entry in members if entry.id in source_of
        ]
        out += ["### Inherited errors", "", *inheriting, ""] if inheriting else []
        out += _beyond(members)
        for verdict in _OPEN:
            for entry in members:
                if entry.verdict == verdict:
                    out += _finding(entry)
    out += [
        "## Every verdict",
        "",
        "| claim | verdict | where | rests on refuted claims |",
        "| --- | --- | --- | --- |",
    ]
    for entry in entries:
        rests = ", ".join(code(name) for name in entry.claim["rests_on_refuted"])
        out.append(f"| {code(entry.id)} | {entry.verdict} | {escaped(entry.claim['where'])} | {rests} |")
    return "\n".join(out).rstrip("\n") + "\n"


def _papers(count: int) -> str:
    return {1: "this paper", 2: "these two papers", 3: "these three papers"}.get(count, f"{count} papers")


def _gravest(source: Mapping[str, Any]) -> str:
    """The gravest error of a paper: what it makes false, where it is, what is wrong there, and what inherits it."""
    members = {entry.id: entry for section in source["sections"] for entry in section["entries"]}
    first = next(iter(causes([entry.claim for entry in members.values()])), None)
    if first is None:
        return ""
    cause, heirs = members[first.id], [members[name] for name in first.heirs]
    stated = [entry for entry in heirs if entry.claim["kind"] not in UNSTATED]
    lead, others = (stated[0], [entry for entry in heirs if entry is not stated[0]]) if stated else (cause, heirs)
    told = f"- *{escaped(source['title'])}*: {escaped(lead.within)} is false"
    told += f"; it should read {_truth(lead)}{_notation(lead)}" * (lead.claim["correction"] is not None)
    if lead is not cause:
        told += f". The error is in {escaped(cause.within)}: {' '.join(map(sentence, view.slips(cause)))}".rstrip(".: ")
    if others:
        told += f". {overview.listed([escaped(entry.within) for entry in others])} inherit{'s' * (len(others) == 1)} it"
    return told + "."


def _by_cause(heirs: int, own: int, lower: int) -> str:
    """How many of the refuted claims have which error, in a sentence."""
    if not heirs + own + lower:
        return ""
    counts = ((own, "an error of their own"), (lower, "one in lower-order terms only"), (heirs, "an inherited one"))
    told = overview.listed([f"{count} {'has' if count == 1 else 'have'} {what}" for count, what in counts if count])
    return f"Of the refuted ones {told}. The gravest come first."


def _heir(entry: view.Entry, sources: Sequence[view.Entry]) -> str:
    """A claim that inherits an error: what is correct there, and from where the error is."""
    told = f": {_truth(entry)}" if entry.claim["correction"] else ""
    origin = overview.listed([escaped(one.within) for one in sources])
    return f"- {escaped(entry.title)}{told}, from {origin} ({code(entry.id)})"


def _beyond(entries: Sequence[view.Entry]) -> list[str]:
    """What a paper could have said: statements of ours that are verified, beside its prints."""
    rows = [
        f"- {escaped(entry.within)}, {_in_letters(line['label'], entry)}: {math(view.line_latex(line, entry.claim))}, "
        f"{_in_letters(line['said'], entry)}; {_in_letters(line['where'], entry)} ({code(entry.id)})"
        for entry in entries
        for line in entry.claim.get("beyond", ())
        if line["holds"]
    ]
    return ["### Beyond the prints", "", *rows, ""] if rows else []


def _in_letters(text: str, entry: view.Entry) -> str:
    """A sentence of ours in the paper's letters."""
    return sentence(names.written(text, entry.claim, generated=True))


def _finding(entry: view.Entry) -> list[str]:
    """One claim that is not verified: what is printed, what is correct, why, a check, and how to see it again."""
    claim = entry.claim
    out = [f"### {entry.titled(escaped, expression)}: {entry.verdict}", "", code(entry.id), ""]

    def add(label: str, text: str) -> None:
        if text:
            out.append(f"- {label}: {text}")

    add(entry.head, math(claim["statement"]) if claim["statement"] else "")
    add("reading", sentence(claim["reading"]))
    if claim["fidelity"] != "verbatim":
        add("fidelity", escaped(FIDELITY.get(claim["fidelity"], claim["fidelity"])))
    add("judged", sentence(claim.get("judged", "")))
    add("reason", sentence(sourced(claim["reason"], claim)))
    add("what is wrong", " ".join(sentence(text) for text in view.slips(entry)))
    sure = entry.correction is None or entry.correction.verdict == "verified"
    if claim["correction"]:
        add("correct" if sure else "derived", _truth(entry))
    if entry.correction is not None and not sure:
        second = entry.correction.claim
        proved = second["symbolic"]["status"] == "proved" and entry.correction.verdict == "undecided"
        told = "proved; the simulation could not confirm it" if proved else entry.correction.verdict
        add("the correction is", f"{told} ({sentence(second['reason'] if proved else _how(second))})")
    if lines := byhand.check(claim):
        add("check", " ".join(_in_letters(line, entry) for line in lines))
    elif given := claim["counterexample"]:
        params = {names.letter(name, claim): value for name, value in given["params"].items()}
        add("check", escaped(f"{parameters(params)}: {sourced(gives(given), claim)}".removeprefix(": ")))
    if any(start["exact"] or start["leading"] for start in claim["starts"]):
        add("by the start of the walk", escaped(starts(claim)))
    add("weight", "wrong in lower-order terms only" if of_lower_order(claim) else "")
    add("in the proof", escaped(false_lines(claim)))
    add("see it", code(claim["replay"]) if claim["replay"] else "")
    return [*out, ""]


def _truth(entry: view.Entry) -> str:
    """The correction, every quantity of it, and where it holds."""
    claim = entry.claim
    assert claim["correction"] is not None
    whole = entry.correction.claim["printed"] if entry.correction and not narrowed(claim) else {}
    text = named(claim, whole) or math(claim["correction"]["latex"])
    defined = ", ".join(map(sentence, dict.fromkeys(one for told in whole.values() for one in names.left(told, claim))))
    where = names.written(holding.where(claim), claim, generated=True)
    follows = sentence(names.follows(claim).rstrip(".").replace("The", "the", 1))
    text += f" with {defined}" * bool(defined) + (f", where {sentence(where)}" if where else "")
    return text + (f"; {follows}" if follows else "")


def _notation(entry: view.Entry) -> str:
    """What the symbols of a claim and its correction are, and how those of a limit grow, as the end of a sentence."""
    claim, correction = entry.claim, entry.correction.claim if entry.correction else None
    said, product = names.said(claim), names.papers(claim)
    sides = [*notation.equations(claim, correction), *said.get("along", {}).items()]
    sides += [(product, said["paper"][product])] if product else []
    told = [f"`{left} = {right}`" for left, right in sides if len(right) <= notation.LONG]
    told = [one for one in told if sentence(one) not in _truth(entry)]
    return f"; here {', '.join(map(sentence, told))}" if told else ""


def _how(claim: Claim) -> str:
    method = f"{claim['symbolic']['status']}: {claim['symbolic']['method']}".rstrip(": ")
    return method + (f"; {claim['reason']}" if claim["reason"] else "")


# ---- what is trusted


def trusted() -> str:
    """The rules of the proof kernel as Markdown, module by module, each with what it checks and takes on trust."""
    import theorems.kernel.settle  # noqa: F401  (brings the rules that it looks at itself)
    from theorems.claims.catalogue import with_sides
    from theorems.kernel.deriving import find
    from theorems.rules import RULES

    for claim in with_sides():
        # a derivation that is not there yet brings its paper's modules, and these the rules that only they need
        find(claim.id)
    modules: dict[str, list[str]] = {}
    for name, check in RULES.items():
        modules.setdefault(check.__module__, []).append(name)
    out = ["# The trusted rules", "", _HAND, ""]
    out += [
        f"A step of a derivation counts only if one of the {len(RULES)} rules below accepts it. Each rule recomputes",
        "the step by a route of its own; whatever it assumes without checking follows the word *Trusted*. What is",
        "set as `code` is data that comes with the step, for the rule to check. Nothing else of a derivation is",
        "believed ([the engine](engine.md) says how the kernel uses the rules).",
        "",
    ]
    for module in sorted(modules):
        title = (sys.modules[module].__doc__ or "").strip().split("\n")[0]
        out += [f"## {code(module)}", "", escaped(title), ""]
        out += [f"- {code(name)}: {_told(RULES[name].__doc__ or '')}" for name in modules[module]]
        out.append("")
    return "\n".join(out).rstrip("\n") + "\n"


def _told(docstring: str) -> str:
    """A docstring as one line of Markdown, its code as code."""
    # one text is escaped, as a sign at its start is, with a mark for each piece of code
    parts = " ".join(inspect.cleandoc(docstring).split()).replace(MARK, "").split("``")
    plain = escaped(MARK.join(parts[::2])).split(MARK)
    text = "".join(part for pair in zip_longest(plain, map(code, parts[1::2]), fillvalue="") for part in pair)
    return re.sub(r"\bTrusted(?=[:.])", "*Trusted*", text)


def schema_text() -> str:
    """The report's JSON schema as the file beside this module has it."""
    return json.dumps(schema(), indent=2) + "\n"


def main(argv: Sequence[str]) -> int:
    """Write the pages below docs/ of the current folder; exit status 2 for a report that cannot be used."""
    from proofs_check.report.outputs import atomic_write
    from proofs_check.report.reading import read_report

    folder = Path("docs")
    pages = {TRUSTED: trusted()}
    try:
        if not folder.is_dir():
            raise UsageError("docs", str(folder), "a folder docs here", "run it in the repository")
        for name in argv:
            report = read_report("REPORT", name)
            if report["run"]["partial"]:
                raise UsageError("REPORT", name, "a run that came to its end", "run it again")
            pages[FINDINGS] = found(report)
    except UsageError as error:
        print(f"twofold: error: {error}", file=sys.stderr)
        return 2
    files = {folder / name: text for name, text in pages.items()}
    for path, text in {**files, SCHEMA_FILE: schema_text()}.items():
        atomic_write(path, text)
        print(f"wrote {os.path.relpath(path)}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
