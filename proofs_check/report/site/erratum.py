"""The refuted claims of one paper as an erratum in LaTeX: print, what holds, a counterexample and the proof."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping

from proofs_check.claims.report import Claim, Report
from proofs_check.inputs.expect import CORRECTED
from proofs_check.report.site import formula, mathml
from proofs_check.report.site.view import BOUNDS, label, paper_title, sentences
from proofs_check.report.telling import gives, parameters

_PREAMBLE = r"""\documentclass[11pt]{article}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\usepackage{amsmath,amssymb}
\usepackage[margin=2.4cm]{geometry}
\setlength{\parindent}{0pt}
\setlength{\parskip}{0.5em}
\setlength{\emergencystretch}{3em}
\sloppy
\begin{document}
"""
_ESCAPED = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "'": "'",
    "`": r"\textasciigrave{}",
    "-": "{-}",
}
#: What a formula may not do in somebody's TeX: define, read, write or leave the mode.
_ACTIVE = re.compile(
    r"\\(?:[gex]?def|let|futurelet|(?:re|provide)?newcommand|renewcommand|providecommand|input|include|write|read|open(?:in|out)|"
    r"immediate|catcode|csname|special|usepackage|documentclass|end\{document|expandafter|loop|href|url|label|ref|tag|"
    r"includegraphics|DeclareMathOperator)|[%#$~`\"]|\^\^|[^\x20-\x7e]"
)
_COMMAND = re.compile(r"\\(?:begin|end)\{(\w*\*?)\}")
_ENVIRONMENTS = frozenset(["cases", "matrix", "pmatrix", "bmatrix", "vmatrix", "aligned"])


def escaped(text: str) -> str:
    """Plain text for LaTeX; letters that the usual fonts lack are written by their names."""
    out = []
    for letter in mathml.clean(text):
        if letter in _ESCAPED:
            out.append(_ESCAPED[letter])
        elif letter.isspace():
            out.append(" ")
        elif " " < letter <= "~":
            out.append(letter)
        else:
            out.append(_foreign(letter))
    return "".join(out)


def _foreign(letter: str) -> str:
    simple = unicodedata.normalize("NFKD", letter)
    accents = {"\u0300": "`", "\u0301": "'", "\u0302": "^", "\u0303": "~", "\u0308": '"', "\u030c": "v"}
    if len(simple) == 2 and simple[0].isascii() and simple[0].isalpha() and simple[1] in accents:
        return rf"\{accents[simple[1]]}{{{simple[0]}}}"
    name = unicodedata.name(letter, "").lower()
    greek = re.fullmatch(r"greek (small|capital) letter (\w+)", name)
    if greek:
        word = {"lamda": "lambda"}.get(greek[2], greek[2])
        shown = formula.name(word if greek[1] == "small" else word.capitalize())
        return f"${shown}$" if shown.startswith("\\") else word
    known = {"–": "--", "—": "---", "‘": "`", "’": "'", "“": "``", "”": "''", "×": r"$\times$", "≤": r"$\leq$"}
    known |= {"≥": r"$\geq$", "−": "$-$", "…": r"\dots{}", "→": r"$\to$", "∞": r"$\infty$"}
    return known.get(letter, f"[{name}]" if name else "[?]")


def safe(latex: str) -> bool:
    """Whether a formula may stand in the erratum: it converts, only shows, and its environments are known."""
    environments = set(_COMMAND.findall(latex))
    stray = "&" in latex and not environments
    known = environments <= _ENVIRONMENTS and latex.count(r"\begin") == latex.count(r"\end")
    return not _ACTIVE.search(latex) and known and not stray and mathml.converted(latex, True) is not None


def _math(latex: str) -> str:
    return rf"$\displaystyle {latex}$"


def statement(latex: str) -> str:
    """A statement that may be broken at its wide spaces; as text where it may not stand."""
    parts = mathml.cut(latex)
    if latex and all(safe(part) for part in parts):
        return r" \quad ".join(_math(part) for part in parts)
    return rf"\texttt{{{escaped(latex)}}}"


def expression(text: str) -> str:
    """A formula as the report writes it, that may be broken between its summands; as text where it cannot be read."""
    told = formula.clause(text)
    if told:
        return escaped(told[0]) + " " + " and ".join(_math(condition) for condition in told[1])
    parts = formula.summands(text)
    if parts is None:
        return rf"\texttt{{{escaped(text)}}}"
    return " ".join(_math(("{}" if place else "") + part) for place, part in enumerate(parts))


def sentence(text: str) -> str:
    """A sentence with its formulas typeset."""
    out = []
    for is_formula, part in formula.pieces(text):
        latex = formula.relation(part) if is_formula else None
        if latex is None:
            out.append(escaped(part))
        elif len(part) > 90:
            out.append(_broken(part) or rf"\texttt{{{escaped(part)}}}")
        else:
            out.append(f"${latex}$")
    return re.sub(r"\$ ([.,;:])", r"$\1", " ".join(out))


def _broken(part: str) -> str:
    """A long chain of equations, cut at its relations and summands."""
    out = []
    for place, side in enumerate(re.split(r" (=|<=|>=|<|>) ", part)):
        if place % 2:
            out.append("$" + {"<=": r"\leq", ">=": r"\geq"}.get(side, side) + "$")
            continue
        cuts = formula.summands(side)
        if cuts is None:
            return ""
        out += [f"${'{}' if k else ''}{piece}$" for k, piece in enumerate(cuts)]
    return " ".join(out)


def _named(printed: Mapping[str, str]) -> str:
    lines = []
    for name, text in printed.items():
        joint = " " if formula.clause(text) else " $=$ "
        needed = len(printed) > 1 or joint == " " or name in BOUNDS
        lines.append((escaped(label(name)) + joint if needed else "") + expression(text))
    return r" \\[0.4em] ".join(lines)


def _block(body: str) -> list[str]:
    return [r"\begin{quote}\raggedright", body, r"\end{quote}"]


def _item(claim: Claim, corrected: Claim | None) -> list[str]:
    out = [rf"\section*{{{escaped(claim['where'] or claim['id'])}}}", rf"\texttt{{{escaped(claim['id'])}}}", ""]
    out += [
        r"\textbf{Printed.}",
        *_block(statement(claim["statement"]) if claim["statement"] else _named(claim["printed"])),
    ]
    out += [r"\textbf{Reading.} " + sentence(claim["reading"]), ""]
    head = "What holds" if corrected and corrected["verdict"] == "verified" else "What the derivation gives"
    if corrected is not None:
        out += [
            rf"\textbf{{{head}}} ({escaped(corrected['verdict'])})\textbf{{.}}",
            *_block(_named(corrected["printed"])),
        ]
    elif claim["correction"] and claim["correction"]["latex"]:
        out += [rf"\textbf{{{head}.}}", *_block(statement(claim["correction"]["latex"]))]
    if claim["correction"] and claim["correction"]["holds"]:
        out += [
            "It holds: "
            + ". ".join(sentence(part).rstrip(".") for part in sentences(claim["correction"]["holds"]))
            + ".",
            "",
        ]
    given = claim["counterexample"]
    if given:
        out += [r"\textbf{Counterexample.} " + escaped(f"{parameters(given['params'])}: {gives(given)}") + ".", ""]
    steps = (
        (corrected or claim)["proof"]["steps"] if corrected and not claim["proof"]["steps"] else claim["proof"]["steps"]
    )
    if steps:
        method = claim["symbolic"]["method"]
        out += [r"\textbf{Proof}" + (f" ({escaped(method)})" if method else "") + r"\textbf{.}", r"\begin{enumerate}"]
        out += [
            rf"\item {sentence(step['text'])} \hfill\mbox{{\footnotesize [{escaped(step['rule'])}]}}" for step in steps
        ]
        out += [r"\end{enumerate}"]
    return [*out, r"\textbf{Replay.} {\footnotesize\ttfamily\raggedright " + escaped(claim["replay"]) + r"\par}", ""]


def erratum(report: Report, paper: str) -> str:
    """The erratum of one paper as a LaTeX document that needs amsmath and amssymb alone.

    It holds the paper's refuted claims in the report's order, each with what is printed, what holds, a counterexample,
    the steps of the derivation and the command that repeats the verdict.
    """
    claims = report["claims"]
    table = {claim["id"]: claim for claim in claims}
    refuted = [
        claim
        for claim in claims
        if claim["verdict"] == "refuted"
        and not claim["id"].endswith(CORRECTED)
        and (claim["paper"]["id"] or claim["id"].split(".")[0]) == paper
    ]
    title, authors = paper_title(paper)
    version = refuted[0]["paper"]["version"] if refuted else ""
    run = report["run"]
    out = [_PREAMBLE + rf"\begin{{center}}{{\Large Erratum to ``{escaped(title)}''}}\\[0.6em]"]
    out += [escaped(part) + r"\\" for part in (authors, version) if part]
    count = "One claim is" if len(refuted) == 1 else f"{len(refuted) or 'No'} claims are"
    out += [
        r"\end{center}",
        f"{count} refuted: each derivation disproves the print, and an independent empirical check contradicts it. "
        + escaped(f"Run of Twofold {run['versions'].get('twofold', '')}, {run['effort']} effort, seed {run['seed']}.")
        + r" In the derived formulas $\operatorname{tr}((W\Sigma)^{k})$ stands for the trace of the $k$-th power.",
        "",
    ]
    for claim in refuted:
        out += _item(claim, table.get(claim["id"] + CORRECTED))
    return "\n".join([*out, r"\end{document}", ""])
