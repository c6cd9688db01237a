"""The report as Markdown with formulas between dollar signs, as GitHub, GitLab and pandoc read it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from proofs_check.claims.report import Claim, Report
from proofs_check.report.site import formula, mathml, names, overview, prose, runs, view
from proofs_check.report.telling import (
    HOLDS,
    asked,
    gives,
    graded,
    parameters,
    power,
    sourced,
    took,
    trusted,
    variant_told,
)

_SPECIAL = re.compile(r"([\\`*_\[\]|~$]|^[#+=-])")
_MARKS = {"verified": "✓", "refuted": "✗", "undecided": "?", "conflict": "!", "error": "!"}


def escaped(text: str | None) -> str:
    """Plain text on one line, nothing of which is read as Markdown or HTML."""
    text = text or ""
    text = " ".join(mathml.clean(text).split())
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    # a number at the start is no list where its point is escaped
    return re.sub(r"^(\d+)([.)])", r"\1\\\2", _SPECIAL.sub(r"\\\1", text))


def code(text: str) -> str:
    """A text as code, whatever backticks it holds."""
    text = " ".join(mathml.clean(text).split())
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=0))
    space = " " if text[:1] == "`" or text[-1:] == "`" or not text else ""
    return f"{fence}{space}{text}{space}{fence}"


def math(latex: str) -> str:
    """A formula, in signs that a table may hold too and that make no link; as code where it cannot be converted."""
    if re.search(r"[$`]|(?<!\\)%", latex) or mathml.converted(latex, True) is None:
        return code(latex)
    latex = latex.replace("](", "] (")
    inside = latex.replace(r"\|", r"\Vert ").replace("|", r"\vert ").replace("<", r"\lt ").replace(">", r"\gt ")
    return "$" + " ".join(inside.split()) + "$"


def expression(text: str) -> str:
    """A formula as the report writes it."""
    told = formula.clause(text)
    if told:
        return f"{told[0]} " + " and ".join(math(condition) for condition in told[1])
    latex = formula.latex(text)
    return math(latex) if latex else code(text)


@lru_cache(maxsize=20_000)
def sentence(text: str) -> str:
    """A sentence with its formulas typeset."""
    out = []
    for whole, run in prose.runs(text):
        for is_formula, part in runs.pieces(run) if whole is None else ((True, run),):
            latex = whole or (formula.relation(part) if is_formula else None)
            out.append(math(latex) if latex else escaped(part))
    return re.sub(r"\$ ([.,;:)])", r"$\1", " ".join(out)).replace("\\( $", "\\($")


def _statement(entry: view.Entry) -> str:
    claim = entry.claim
    if claim["statement"] and entry.corrects is None:
        return math(claim["statement"])
    return named(claim, claim["printed"]) or "-"


#: How Markdown writes a formula's parts.
WRITER = names.Writer(math, sentence, expression)


def named(claim: Claim, formulas: Mapping[str, str]) -> str:
    """Formulas by the quantities that they are of, on one line."""
    return names.on_a_line(claim, formulas, WRITER)


def _block(label: str, text: str) -> list[str]:
    return [f"- **{label}**: {text}"] if text else []


def _row(*cells: str) -> str:
    """A row of a table, whose cells code may not end."""
    return "| " + " | ".join(re.sub(r"(?<!\\)\|", r"\|", cell) for cell in cells) + " |"


def _claim(entry: view.Entry) -> list[str]:
    claim, simulation = entry.claim, entry.claim["simulation"]
    out = [f"#### {_MARKS[entry.verdict]} {escaped(entry.id)}: {entry.verdict}", "", _statement(entry), ""]
    out += _block("Where", escaped(claim["where"])) + _block("Reason", sentence(sourced(claim["reason"], claim)))
    out += _block("Reading", sentence(claim["reading"]))
    out += _block("Fidelity", sentence(graded(claim["fidelity"], claim.get("judged", ""))))
    out += _block("Assumptions", "; ".join(sentence(text) for text in claim["assumptions"]))
    out += _block(entry.head.capitalize(), named(claim, claim["printed"]))
    out += _block("Exact value", expression(claim["symbolic"]["exact"]) if claim["symbolic"]["exact"] else "")
    out += _block("Derivation", escaped(f"{claim['symbolic']['status']}: {claim['symbolic']['method']}".rstrip(": ")))
    trust = (trusted(one) for one in claim["symbolic"]["trusted"])
    out += _block("On trust", "; ".join(sentence(text) for text in trust))
    if claim["correction"]:
        latex = claim["correction"]["latex"]
        whole = f"{_statement(entry.correction)} ({entry.correction.verdict})" if entry.correction else ""
        out += _block("Correction", whole or (math(latex) if latex else ""))
        out += _block("It holds", sentence(sourced(claim["correction"]["holds"], claim)))
        out += _block(sourced("The print follows", claim), sentence(claim["correction"].get("gives", "")))
    if given := claim["counterexample"]:
        out += _block("Counterexample", escaped(f"{parameters(given['params'])}: {sourced(gives(given), claim)}"))
    told = f"{simulation['status']}, {power(claim)}" + (f", {simulation['tier']}" if simulation["tier"] else "")
    out += _block("Simulation", escaped(told)) + _block("Power", escaped(simulation["power"]))
    out += _block("Trusted of the simulation", escaped("; ".join(simulation["trusted"])))
    out += _block("Both sides", escaped(asked(claim)))
    for variant in claim["variants"]:
        out += _block("Variant", escaped(variant_told(variant)))
    for line in claim.get("beyond", ()):
        label, where, said = (
            sentence(names.written(line[name], claim, generated=True)) for name in ("label", "where", "said")
        )
        out += _block(
            "Beyond the print",
            f"{label} ({HOLDS[line['holds']]}): {math(view.line_latex(line, claim))}, {said}; {where}; "
            f"{escaped(line['power'])}",
        )
    out += _block("Rests on", ", ".join(code(name) for name in claim["depends_on"]))
    out += _block("Rests on refuted", ", ".join(code(name) for name in claim["rests_on_refuted"]))
    out += _block("Replay", code(claim["replay"]) if claim["replay"] else "")
    if steps := claim["proof"]["steps"]:
        out += ["", "Steps:", ""]
        out += [
            f"{place}. {'' if step['ok'] else '**wrong** '}{sentence(step['text'])} ({escaped(step['rule'])})"
            for place, step in enumerate(steps, 1)
        ]
    if lines := claim["proof"]["lines"]:
        out += [
            "",
            "Lines of the printed proof:",
            "",
            "| line | printed | derived | holds |",
            "| --- | --- | --- | --- |",
        ]
        for line in lines:
            first = " **first false line**" if line["label"] == claim["proof"]["first_false"] else ""
            printed = math(line["latex"]) if line.get("latex") else expression(line["printed"])
            cells = (escaped(line["label"]) + first, printed, expression(line["derived"]) if line["derived"] else "")
            out.append(_row(*cells, {True: "yes", False: "no", None: "not decided"}[line["holds"]]))
    if claim["traceback"]:
        body = mathml.clean(claim["traceback"]).rstrip("\n").split("\n")
        out += ["", "Traceback:", "", *("    " + line for line in body)]
    return [*out, ""]


def markdown(report: Report) -> str:
    """The whole report as one Markdown document: the sentence, a table of verdicts by section, then claim by claim."""
    found = view.entries(report)
    run = report["run"]
    out = [f"# {escaped(overview.headline(found, run['partial']))}", ""]
    if remark := overview.remark(found):
        out += [escaped(remark), ""]
    versions = ", ".join(f"{name} {version}" for name, version in run["versions"].items())
    out += [
        escaped(
            f"{run['effort']} effort, seed {run['seed']}, {run['device']}, {took(run, report['claims'])}; {versions}"
        ),
        "",
    ]
    for paper in overview.papers(found):
        out += [f"## {escaped(paper['title'])}", "", escaped(f"{paper['authors']} ({paper['version']})".strip()), ""]
        out += ["| section | verdict | claim | statement |", "| --- | --- | --- | --- |"]
        for section in paper["sections"]:
            for entry in section["entries"]:
                cells = (escaped(section["title"]), f"{_MARKS[entry.verdict]} {entry.verdict}", code(entry.id))
                out.append(_row(*cells, _statement(entry)))
        out.append("")
        for section in paper["sections"]:
            out += [f"### {escaped(section['title'])}", ""]
            for entry in section["entries"]:
                out += _claim(entry)
                if entry.correction:
                    out += _claim(entry.correction)
    return "\n".join(out).rstrip("\n") + "\n"
