"""What the pages show of each claim: typeset parts, links and texts, made once from the report."""

from __future__ import annotations

import contextlib
import hashlib
import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup, escape

from proofs_check.claims.report import Claim, Line, Report
from proofs_check.inputs.expect import CORRECTED, VERDICTS
from proofs_check.report import byhand
from proofs_check.report.causes import inherited, of_lower_order
from proofs_check.report.site import cases, compare, formula, holding, mathml, names, notation, plot, proof, slip
from proofs_check.report.site.ordering import arranged
from proofs_check.report.telling import (
    HOLDS,
    asked,
    edge_told,
    false_lines,
    graded,
    headed,
    narrowed,
    ordered,
    power,
    sourced,
    start_told,
    trusted,
    variant_told,
)
from theorems.claims.catalogue import PAPERS, paper_claims
from theorems.kernel.deriving import find

#: What a verdict means, for the legend.
MEANING = {
    "verified": "the derivation proves the claim as it is stated, and the simulation agrees with a stated power",
    "refuted": "the derivation disproves it and the empirical check contradicts it, confirmed on fresh seeds",
    "undecided": "derivation or simulation could not decide, or had too little power; the reason is given",
    "conflict": "derivation and simulation contradict each other: a bug in Twofold or, in your own lemma, two models",
    "error": "something broke; the traceback is in the report",
}
_SAFE = re.compile(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*")
#: What is a name in a title, W_Q.
_NAMED = re.compile(r"\b[A-Za-z]+_[A-Za-z0-9]+\b")
#: The name of a quantity in a variant, "rho@exact law: ": the variant's own stands above it.
_OF_VARIANT = re.compile(r"^(\w+)@[^:]*: ")
_SECTIONS = ((r"sec(\d+)", "Section"), (r"app([A-Z])", "Appendix"))
#: Words that the search takes for each other.
SYNONYMS = (
    ("variance", "spread", "second moment", "fluctuation"),
    ("mean", "expectation", "expected", "average"),
    ("gaussian", "normal", "isserlis", "wick"),
    ("entropy", "information", "collapse"),
    ("eigenvalue", "eigenspectrum", "spectrum", "trace"),
    ("norm", "frobenius", "spectral", "nuclear", "size"),
    ("softmax", "attention", "weights"),
    ("walk", "token", "embedding", "sequence"),
    ("bound", "inequality", "estimate"),
    ("limit", "asymptotic", "infinity"),
    ("gradient", "derivative", "slope"),
    ("sink", "switch", "bos"),
    ("oversmoothing", "smooths", "similarity", "cosine"),
    ("feature", "kernel", "performer", "favor"),
    ("eq", "equation", "display", "formula"),
    ("thm", "theorem"),
    ("optimum", "least", "minimum", "cost"),
)
#: Most letters of a title.
TITLE = 72
#: The parameter that counts how far a case is along a sequence.
CASES = ("k",)


@dataclass(frozen=True)
class Row:
    """A printed quantity beside the derived one; ``same`` says whether they agree, None where that was not found."""

    name: str
    shown: Markup
    printed: Markup
    derived: Markup | None
    same: bool | None


@dataclass
class Entry:
    """A claim and what is shown of it."""

    claim: Claim
    slug: str
    short: str
    title: str
    paper: str
    section: str
    statement: Markup
    correction: Entry | None = None
    corrects: Entry | None = None

    @property
    def id(self) -> str:
        """The claim's id."""
        return str(self.claim["id"])

    @property
    def verdict(self) -> str:
        """The verdict; an unknown one is an error."""
        return self.claim["verdict"] if self.claim["verdict"] in VERDICTS else "error"

    @property
    def within(self) -> str:
        """The title within a sentence."""
        return self.claim["where"][:1] + self.title[1:]

    @property
    def heading(self) -> Markup:
        """The title with its names typeset."""
        return Markup(self.titled(escape, lambda name: mathml.expression(name, block=False)))

    def titled(self, plain: Callable[[str], str], typeset: Callable[[str], str]) -> str:
        """The title with its names typeset, as W_Q, and the rest as plain text: the C of Appendix C is no name."""

        def shown(part: str) -> str:
            # a space at the end of a part is no part of what is escaped
            return part if part.isspace() else typeset(part) if _NAMED.fullmatch(part) else plain(part)

        return "".join(map(shown, re.split(rf"({_NAMED.pattern}|\s+)", self.title)))

    @property
    def head(self) -> str:
        """What stands before the statement: how far it is the source's."""
        return headed(self.claim)

    @property
    def judged(self) -> Markup:
        """What of the source's words the verdict speaks of, where not of these as they stand."""
        return mathml.sentence(self.claim.get("judged", ""))

    @property
    def href(self) -> str:
        """The page, seen from the site's root."""
        return f"claims/{self.slug}.html"

    @property
    def text(self) -> str:
        """What the search looks through."""
        claim = self.claim
        parts = (claim["id"], claim["where"], claim["kind"], claim["symbolic"]["method"], claim["quantity"])
        told = " ".join((*parts, " ".join(claim["printed"]), claim["reading"])).lower().replace("-", " ")[:1_000]
        more = [words for words in SYNONYMS if any(re.search(rf"\b{word}", told) for word in words)]
        wrong = " ".join(slips(self)).lower()[:1_000]
        return " ".join((told, section_title(self.section).lower(), wrong, *(" ".join(words) for words in more)))


def slugs(ids: Sequence[str]) -> list[str]:
    """A file name for each id, each another one also where case is ignored; the id itself where that is possible."""
    taken: set[str] = set()
    found = []
    for place, name in enumerate(ids):
        slug = name if _SAFE.fullmatch(name) and len(name) <= 120 else "claim-" + _digest(name)
        if slug.lower() in taken:
            slug = f"{slug[:100]}-{_digest(f'{place} {name}')}"
        taken.add(slug.lower())
        found.append(slug)
    return found


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:12]


def section_title(section: str) -> str:
    """``sec4`` as Section 4, ``appA`` as Appendix A."""
    for pattern, word in _SECTIONS:
        if found := re.fullmatch(pattern, section):
            return f"{word} {found[1]}"
    return section or "Other claims"


def paper_title(paper: str) -> tuple[str, str]:
    """Title and authors of a shipped paper; the id alone of another."""
    if paper in PAPERS:
        source = paper_claims(paper)[0].paper
        return source.title, source.authors
    return paper or "Claims", ""


def entries(report: Report) -> list[Entry]:
    """Every claim of the report, corrections among them, in its order."""
    claims = report["claims"]
    for claim in claims:
        # a derivation's module brings the LaTeX of the names that are its own
        with contextlib.suppress(LookupError):
            find(claim["id"])
    prints = {claim["id"] + CORRECTED: claim["printed"] for claim in claims}
    found = []
    for judged, slug in zip(claims, slugs([claim["id"] for claim in claims]), strict=True):
        claim = _as_printed(judged, prints.get(judged["id"], {}))
        parts = claim["id"].removesuffix(CORRECTED).split(".")
        section = parts[1] if len(parts) > 2 else ""
        short = ".".join(parts[2:]) if len(parts) > 2 else parts[-1]
        where = claim["where"]
        title = shortened(where) or short or claim["id"]
        paper = claim["paper"]["id"] or parts[0]
        found.append(Entry(claim, slug, short, title, paper, section, statement(claim)))
    _told_apart(found)
    table = {entry.id: entry for entry in found}
    for entry in found:
        base = table.get(entry.id.removesuffix(CORRECTED)) if entry.id.endswith(CORRECTED) else None
        if base is not None and base is not entry:
            entry.corrects, base.correction = base, entry
            if narrowed(base.claim):
                entry.statement = base.statement
    return found


def _as_printed(claim: Claim, prints: Mapping[str, str]) -> Claim:
    """A correction with its formulas in the order of the print that it corrects; any other claim as it is."""
    moved = {name: arranged(text, prints[name]) if name in prints else text for name, text in claim["printed"].items()}
    return claim | {"printed": moved} if prints else claim


def shortened(where: str) -> str:
    """A place as a title: the first of several where they are long."""
    title = where if len(where) <= TITLE else textwrap.shorten(where.partition("; ")[0], TITLE, placeholder=" …")
    if title.count("(") > title.count(")"):
        # what is cut within brackets is left out with them
        title = title[: title.rindex("(")] + "…"
    # a quotation that is cut ends there
    title += "'" * (title.endswith("…") and title.count("'") % 2)
    return title[:1].upper() + title[1:]


def _told_apart(found: Sequence[Entry]) -> None:
    """Give claims of one title what their ids differ in, "Lemma 1 (variance)"."""
    same: dict[tuple[str, str], list[Entry]] = {}
    for entry in found:
        if not entry.id.endswith(CORRECTED):
            same.setdefault((entry.paper, entry.title), []).append(entry)
    added: dict[str, str] = {}
    for members in same.values():
        words = [entry.short.split("-") for entry in members]
        shared = next((k for k, column in enumerate(zip(*words, strict=False)) if len({*column}) > 1), 0)
        if len(members) > 1 and all(len(parts) > shared for parts in words):
            added |= {entry.id: "-".join(parts[shared:]) for entry, parts in zip(members, words, strict=True)}
    for entry in found:
        if word := added.get(entry.id.removesuffix(CORRECTED)):
            entry.title = f"{entry.title} ({word})"


def statement(claim: Claim) -> Markup:
    """The statement typeset: the paper's own LaTeX, or for a correction its formulas with their names."""
    if claim["statement"] and not claim["id"].endswith(CORRECTED):
        return mathml.statement(claim["statement"])
    write = names.PAGE._replace(
        sentence=lambda text: Markup("<span class=word>{}</span>").format(mathml.sentence(text))
    )
    told = Markup("<span class=named>{}</span>")
    return Markup(" ").join(
        told.format(Markup(" ").join(parts)) for parts in names.named(claim, claim["printed"], write)
    )


def rows(entry: Entry) -> list[Row]:
    """Each printed quantity beside what is derived.

    The report's exact value may be of another quantity, the coefficient of a word or a threshold: it stands here only
    where it agrees with the print.
    """
    claim, found = entry.claim, []
    corrected = entry.correction.claim["printed"] if entry.correction else {}
    exact = claim["symbolic"]["exact"]
    for place, (name, printed) in enumerate(claim["printed"].items()):
        text = corrected.get(name)
        derived: Markup | None = None
        same: bool | None = None
        if place == 0 and claim["correction"] and narrowed(claim):
            derived, same = names.value(printed, claim), True
        elif text is not None:
            same = compare.same(printed, text)
            # of one quantity the verdict says it, where the formulas are too much to compare
            same = False if same is None and claim["verdict"] == "refuted" and len(claim["printed"]) == 1 else same
            derived = mathml.expression(names.written(text, claim))
        elif claim["correction"] and place == 0 and claim["correction"]["latex"] and not narrowed(claim):
            derived = mathml.shown(claim["correction"]["latex"], True)
        elif place == 0 and exact and compare.same(printed, exact):
            derived, same = mathml.expression(names.written(exact, claim)), True
        elif claim["verdict"] == "verified":
            same = True
        bound = names.bounded(name, claim)
        head = mathml.shown(bound) if bound else names.quantity(name, claim)
        found.append(Row(names.label(name), head, names.value(printed, claim), derived, same))
    return found


def further(entry: Entry) -> Markup | None:
    """The exact value that the derivation gave, where ``rows`` does not show it."""
    exact = entry.claim["symbolic"]["exact"]
    if not exact:
        return None
    printed = [*entry.claim["printed"].values()][:1]
    corrected = [*entry.correction.claim["printed"].values()][:1] if entry.correction else []
    shown = any(compare.same(text, exact) for text in (*printed, *corrected))
    return None if shown else mathml.expression(names.written(exact, entry.claim))


def detail(entry: Entry, table: Mapping[str, Entry]) -> dict[str, Any]:
    """Everything that only a claim's own page shows."""
    claim = entry.claim

    def generated(text: str) -> Markup:
        return mathml.sentence(names.written(text, claim, generated=True))

    def edge_shown(edge: str) -> Markup:
        name, equals, end = edge.partition(" = ")
        # an end of a range is told in the letter that the range is told in
        ranged = equals and name in {one["name"] for one in claim["agreement"]["ranges"]}
        return mathml.sentence(f"{names.letter(name, claim)} = {end}") if ranged else generated(edge_told(edge))

    steps = [
        {"text": generated(step["text"]), "named": mathml.sentence(step["rule"]), "ok": step["ok"]}
        for step in claim["proof"]["steps"]
    ]
    wrong = next((place for place, step in enumerate(steps) if not step["ok"]), None)
    below = notation.beneath(claim, {name: one.claim for name, one in table.items()})
    lines = [
        line
        | {
            side: mathml.expression(names.written(notation.spelt(line[side], claim, below), claim))
            for side in ("printed", "derived")
            if line[side]
        }
        | ({"printed": mathml.shown(line_latex(line, claim))} if line.get("latex") else {})
        | {"entry": table.get(line.get("claim", ""))}
        for line in claim["proof"]["lines"]
    ]
    beyond = [
        line
        | {"printed": mathml.shown(line_latex(line, claim)), "told": HOLDS[line["holds"]]}
        | {name: generated(line[name]) for name in ("label", "where", "said")}
        for line in claim.get("beyond", ())
    ]
    drawing, hand = plot.rows(claim["cases"]), byhand.check(claim)
    stated, contradicts = sourced("printed", claim), claim["simulation"]["status"] == "contradicts"
    hypotheses = str(names.said(claim).get("hypotheses", ""))
    latex = claim["correction"]["latex"] if claim["correction"] else ""
    whole = mathml.shown(latex, True) if latex else None
    if entry.correction and not narrowed(claim):
        whole = entry.correction.statement
    return {
        "rows": rows(entry),
        "slips": [mathml.sentence(text) for text in slips(entry)],
        "follows": mathml.sentence(told) if (told := names.follows(claim)) else None,
        "further": further(entry),
        "argument": proof.parts(claim),
        "concludes": proof.conclusions(claim),
        "regime": names.along(claim),
        "steps": steps,
        "wrong": wrong,
        "lines": lines,
        "beyond": beyond,
        "false_lines": false_lines(claim),
        "evidence": [generated(text) for text in gathered(claim)],
        "trusted": [mathml.sentence(trusted(one)) for one in claim["symbolic"]["trusted"]],
        "corrected": whole,
        "holds": [mathml.sentence(part) for part in holding.lines(claim, slips(entry))],
        "condition": holding.condition(entry.corrects.claim if entry.corrects else claim),
        "example": cases.example(claim),
        "byhand": [generated(line) for line in hand],
        # the check by hand begins with the case
        "restated": any(line.startswith("Take ") for line in hand),
        "plot": plot.drawn(drawing, "plot", lambda name: names.tag(name, claim), stated, contradicts),
        "outside": contradicts and drawing.outside,
        "plotted": plot.remarks(drawing, contradicts, stated),
        "cases": cases.simulated(claim),
        "asked": mathml.sentence(asked(claim, lambda name: names.letter(name, claim))),
        "met": [edge_shown(edge) for edge in claim["agreement"]["edges"]],
        "missed": [edge_shown(edge) for edge in claim["agreement"]["missed"]],
        "power": power(claim).rpartition(" / ")[::2] if claim["simulation"]["samples"] else ("", ""),
        "fidelity": mathml.sentence(graded(claim["fidelity"], claim.get("judged", ""))),
        "reading": mathml.sentence(names.written(claim["reading"], claim)),
        "reason": mathml.sentence(names.written(sourced(claim["reason"], claim), claim)),
        "stated": stated,
        "traces": _traces(claim),
        "open": mathml.sentence(names.written(entry.correction.claim["reason"], claim)) if entry.correction else None,
        "method": mathml.sentence(names.written(claim["symbolic"]["method"], claim)),
        "assumptions": [
            mathml.sentence(names.written(text, claim, generated=text in hypotheses)) for text in claim["assumptions"]
        ],
        "quantity": mathml.sentence(names.written(claim["quantity"], claim)),
        "place": mathml.words(claim["where"]),
        "defined": None if names.definitions(claim) == mathml.sentence(claim["quantity"]) else names.definitions(claim),
        "notation": notation.definitions(claim, entry.correction.claim if entry.correction else None, below),
        "along": names.along(claim) if any(index in CASES for index in ordered(_params(claim))) else None,
        "mapping": names.mapping(claim),
        "symbols": Markup(", ").join(mathml.expression(names.written(s, claim), False) for s in claim["symbols"]),
        "depends": [(name, table.get(name)) for name in claim["depends_on"]],
        "refuted_below": [(name, table.get(name)) for name in claim["rests_on_refuted"]],
        "sources": [
            (name, table.get(name), cause(table[name]) if name in table else None)
            for name in inherited([e.claim for e in table.values()]).get(entry.id, ())
        ],
        "lower": of_lower_order(claim),
        "above": [other for other in table.values() if entry.id in other.claim["depends_on"]],
        "starts": [
            start | {"how": _how(start), "start": mathml.sentence(start_told(start["start"]))}
            for start in claim["starts"]
        ],
        "variants": [
            variant
            | {
                "told": variant_told(variant).removeprefix(f"{variant['name']}: "),
                "evidence": [generated(_OF_VARIANT.sub(r"\1: ", text)) for text in variant["evidence"]],
            }
            for variant in claim["variants"]
        ],
    }


def gathered(claim: Claim) -> list[str]:
    """What the derivation found; what it says of several quantities in the same words once, "a, b: proved"."""
    found: dict[str, list[str]] = {}
    for text in claim["symbolic"]["evidence"]:
        name, _, rest = text.partition(": ")
        same = rest and name in claim["printed"]
        found.setdefault(rest if same else text, []).extend([name] if same else [])
    return [f"{', '.join(dict.fromkeys(by))}: {text}" if by else text for text, by in found.items()]


def line_latex(line: Line, claim: Claim) -> str:
    """A line of a proof that is a statement: of another claim as that has it, else in the paper's letters."""
    latex = None if line.get("claim") else formula.relation(names.written(line["printed"], claim, generated=True))
    return latex or line["latex"]


def _params(claim: Claim) -> Mapping[str, Any]:
    cases = claim["cases"]
    return claim["counterexample"]["params"] if claim["counterexample"] else cases[0]["params"] if cases else {}


def _how(start: Mapping[str, Any]) -> str:
    return "exact" if start["exact"] else "right to leading order only" if start["leading"] else "wrong"


def _traces(claim: Claim) -> list[tuple[str, Markup]]:
    """What the traces are that the correction for sympy names."""
    formula = (claim["correction"]["sympy"] if claim["correction"] else None) or ""
    return [(name, mathml.expression(names.written(name, claim), False)) for name in names.powers(formula)]


def slips(entry: Entry) -> list[str]:
    """What the print has wrong, in sentences."""
    return slip.sentences(entry.claim, entry.correction.claim if entry.correction else None)


def cause(entry: Entry) -> Markup | None:
    """The first thing that a print has wrong, as the end of a sentence."""
    told = next(iter(slips(entry)), "")
    return mathml.sentence(told[0].lower() + told[1:]) if told else None
