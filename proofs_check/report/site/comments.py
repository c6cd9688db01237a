"""Comments on one paper in LaTeX, by cause and weight: what is printed, what holds, why, and a check."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any

from proofs_check.claims.report import Claim, Counterexample, Report
from proofs_check.inputs.expect import CORRECTED
from proofs_check.report import byhand
from proofs_check.report.causes import causes, inherited, of_lower_order
from proofs_check.report.site import formula, holding, mathml, names, overview, prose, runs, view
from proofs_check.report.site.cases import given_latex
from proofs_check.report.site.view import Entry, paper_title
from proofs_check.report.telling import (
    false_lines,
    narrowed,
    ordered,
    outcome,
    parameters,
    scaled,
    sentences,
    sourced,
    start_told,
)

_PREAMBLE = r"""\documentclass[10pt,a4paper]{article}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\IfFileExists{lmodern.sty}{\usepackage{lmodern}}{}
\usepackage{amsmath,amssymb,graphicx,multicol}
\usepackage[margin=2.2cm]{geometry}
\setlength{\parindent}{0pt}
\raggedright
\newlength{\margin}
\settowidth{\margin}{\textit{Printed}\quad}
\newsavebox{\formula}
\newlength{\room}
\setlength{\room}{\dimexpr\linewidth-\margin-1em\relax}
\newcommand{\fit}[1]{\sbox{\formula}{#1}\ifdim\wd\formula>\room
\resizebox{\room}{!}{\usebox{\formula}}\else\usebox{\formula}\fi}
\newcounter{finding}
\newcommand{\finding}[1]{\par\addvspace{1.1ex}\pagebreak[2]\stepcounter{finding}\textbf{\thefinding. #1.} }
\newcommand{\told}[2]{\par\nopagebreak\hangindent=\margin\hangafter=1\makebox[\margin][l]{\textit{#1}}#2}
\newcommand{\row}[2]{\par\hangindent=1.5em\hangafter=1 #1 \dotfill\ \mbox{#2}}
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
#: A formula within a sentence.
_QUOTED = re.compile(r"`([^`]*)`")
#: Letters of a formula that may be wider than the page.
LONG = 100
#: Letters of a correction that stands beside the place of the claim.
SHORT = 60
_COMMAND = re.compile(r"\\(?:begin|end)\{(\w*\*?)\}")
_ENVIRONMENTS = frozenset(["cases", "matrix", "pmatrix", "bmatrix", "vmatrix", "aligned"])


def escaped(text: str) -> str:
    """Plain text for LaTeX; letters that the usual fonts lack are written by their names."""
    out = []
    for letter in re.sub(r"(?<![\w.])'(?=[\w(])", "\N{LEFT SINGLE QUOTATION MARK}", mathml.clean(text)):
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
    known |= {"≥": r"$\geq$", "≠": r"$\neq$", "−": "$-$", "…": r"\dots{}", "→": r"$\to$", "∞": r"$\infty$"}
    return known.get(letter, f"[{name}]" if name else "[?]")


def safe(latex: str) -> bool:
    """Whether a formula may stand in the comments: it converts, only shows, and its environments are known."""
    environments = set(_COMMAND.findall(latex))
    stray = "&" in latex and not environments
    known = environments <= _ENVIRONMENTS and latex.count(r"\begin") == latex.count(r"\end")
    return not _ACTIVE.search(latex) and known and not stray and mathml.converted(latex, True) is not None


def _math(latex: str) -> str:
    return rf"\fit{{$\displaystyle {latex}$}}"


def _inline(latex: str) -> str:
    """A formula in a line; a long one is made as narrow as the page."""
    return rf"\fit{{${latex}$}}" if len(latex) > LONG else f"${latex}$"


def statement(latex: str) -> str:
    """A statement that may be broken at its wide spaces and in its words; as text where it may not stand."""
    if safe(latex) and (told := mathml.worded(latex)):
        before, words, after = told
        return " ".join(filter(None, (before and statement(before), escaped(words), after and statement(after))))
    parts = mathml.cut(latex)
    if latex and all(safe(part) for part in parts):
        related = [bool(mathml.RELATION.match(part)) for part in parts]
        shown = [_math("{}" * relation + part) for part, relation in zip(parts, related, strict=True)]
        return "".join((" " if related[k] else r" \quad ") * bool(k) + part for k, part in enumerate(shown))
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
    out: list[str] = []
    for latex, run in prose.runs(text):
        parts = prose.lines(latex) if latex and len(run) > LONG else [latex] if latex else []
        out += [_inline(f"{{}}{part}") for part in parts] if parts and all(map(safe, parts)) else _plain(run)
    return re.sub(r"\$ ([.,;:)])", r"$\1", " ".join(out)).replace("( $", "($")


#: How LaTeX writes a formula's parts.
WRITER = names.Writer(lambda latex: f"${latex}$", sentence, expression)


def _plain(text: str) -> list[str]:
    """A text in whose words formulas of the language stand."""
    out: list[str] = []
    for is_formula, part in runs.pieces(text):
        latex = formula.relation(part) if is_formula else None
        if latex is None:
            out.append(escaped(runs.readable(part)))
        elif len(part) > 90:
            out.append(_broken(part) or rf"\texttt{{{escaped(part)}}}")
        else:
            out.append(_inline(latex))
    return out


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
        out += [_inline(("{}" if k else "") + piece) for k, piece in enumerate(cuts)]
    return " ".join(out)


def _place(entry: Entry) -> str:
    """The place of a claim as a title."""
    told = entry.titled(escaped, lambda name: f"${formula.name(name)}$")
    return told[:1].upper() + told[1:]


def _row(head: str, told: str) -> list[str]:
    return [rf"\told{{{head}}}{{{told}}}"] if told else []


def _printed(entry: Entry) -> str:
    claim = entry.claim
    return statement(claim["statement"]) if claim["statement"] else names.on_a_line(claim, claim["printed"], WRITER)


def _correct(entry: Entry) -> str:
    """What holds in the place of the print, and where; "" where nothing is known."""
    claim, corrected = entry.claim, entry.correction.claim if entry.correction else None
    if corrected is not None and not narrowed(claim):
        told = names.on_a_line(claim, corrected["printed"], WRITER)
    elif claim["correction"] and claim["correction"]["latex"]:
        told = statement(claim["correction"]["latex"])
    else:
        return ""
    shown = corrected["printed"].values() if corrected is not None and not narrowed(claim) else ()
    defined = dict.fromkeys(sentence(one) for text in shown for one in names.left(text, claim))
    told += f" with {', '.join(defined)}" * bool(defined)
    exact = [start_told(start["start"]) for start in claim["starts"] if start["exact"]]
    where = names.written(holding.where(claim), claim, generated=True)
    remarks = [f"if {sentence(where)}" if where else ""]
    remarks += [f"the {sourced('printed', claim)} formula is exact for {sentence('; '.join(exact))}" if exact else ""]
    remarks += [sentence(names.follows(claim).rstrip(".").replace("The", "the", 1))]
    sure = corrected is not None and corrected["verdict"] == "verified"
    remarks += ["" if sure else "derived, not confirmed by the simulation"]
    return told + "".join(f"; {remark}" for remark in remarks if remark)


def _shared(claims: Sequence[Claim]) -> list[str]:
    """What several checks say of their tokens beside the numbers that they take, typeset: it is said once for all."""
    said = Counter(map(byhand.tokens, claims))
    return [sentence(text) for text, count in said.items() if text and count > 1]


def _check(claim: Claim, shared: Sequence[str]) -> str:
    """The counterexample, which a reader can work out."""
    given = claim["counterexample"]
    if not given:
        return ""
    if lines := byhand.check(claim):
        told = " ".join(sentence(names.written(line, claim, generated=True)) for line in lines)
        return reduce(lambda text, said: text.replace(f": {said}", "", 1), shared, told)
    case = ", ".join(_given(names.letter(name, claim), value) for name, value in _ordered(given))
    printed, true = (_value(outcome(given[side])) for side in ("printed", "true"))
    values = f"the {sourced('printed', claim)} formula gives {printed}, the true value is {true}"
    if given.get("limit"):
        what, value = scaled(given)
        values = (
            f"{sentence(given['limit'])}: {values}; {sentence(what)} at these parameters is exactly {_value(value)}"
        )
    return f"{case}{': ' * bool(case)}{values}."


def _ordered(given: Counterexample) -> list[tuple[str, Any]]:
    params = given.get("given") or given["params"]
    return [(name, params[name]) for name in ordered(params)]


def _given(name: str, value: Any) -> str:
    latex = given_latex(name, value)
    return _inline(latex) if latex and safe(latex) else sentence(parameters({name: value}))


def _value(text: str) -> str:
    """A value typeset in a line; as text where it is no formula."""
    parts = formula.summands(text)
    return escaped(text) if parts is None else " ".join(_inline(("{}" if k else "") + p) for k, p in enumerate(parts))


def _reason(entry: Entry) -> str:
    """What is wrong, the line of the printed proof in which the error is, and by which argument the print is false."""
    claim, known = entry.claim, _formulas(entry)
    # what only says print and correction again stands above
    new = [text for text in view.slips(entry) if not {*_QUOTED.findall(text)} <= known or "`" not in text]
    slips, proof = " ".join(map(sentence, new)), claim["proof"]
    parts = [escaped(false_lines(claim).rstrip("."))] if proof["first_false"] else []
    parts += [sentence(claim["symbolic"]["method"])] if claim["symbolic"]["method"] else []
    told = "; ".join(parts) + "." * bool(parts)
    return " ".join(filter(None, (slips, told[:1].upper() + told[1:])))


def _formulas(entry: Entry) -> set[str]:
    """The formulas of the print and of the correction, as sentences have them."""
    both = (entry.claim, *((entry.correction.claim,) if entry.correction else ()))
    return {names.written(text, entry.claim) for one in both for text in one["printed"].values()}


def _finding(entry: Entry, beside: Sequence[Entry], heirs: Sequence[Entry], shared: Sequence[str]) -> list[str]:
    """A cause: what is printed, what is correct, why, how to check it; a line for what goes with it or inherits it."""
    claim = entry.claim
    reading = [part for part in sentences(claim["reading"]) if not part.startswith("The report ")]
    parts = (sentence(names.written(part, claim)) for part in reading)
    told = " ".join(part if part.endswith((".", ".)")) else f"{part}." for part in parts)
    out = [rf"\finding{{{_place(entry)}}}{told}", *_row(entry.head.capitalize(), _printed(entry))]
    out += [*_row("Judged", sentence(claim.get("judged", ""))), *_row("Correct", _correct(entry))]
    out += [*_row("Reason", _reason(entry)), *_row("Check", _check(claim, shared))]
    for other in beside:
        correct = _correct(other)
        out += _row("Also", f"{_place(other)}: {_printed(other)}" + f"; correct is {correct}" * bool(correct) + ".")
    return out + _row("Inherit", "; ".join(map(_heir, heirs)) + "." * bool(heirs))


def _heir(entry: Entry) -> str:
    """The place of a claim that inherits an error, and what is correct there where that is one short formula."""
    formulas = entry.correction.claim["printed"].values() if entry.correction else ()
    return _place(entry) + f": {_correct(entry)}" * (len(formulas) == 1 and len(*formulas) <= SHORT)


def _appendix(entries: Sequence[Entry], numbers: Mapping[str, int]) -> list[str]:
    """Every claim in the order of the paper: its place, its verdict, and by its number the paragraph of its error."""
    out = [r"\par\addvspace{2ex}\begin{multicols}{2}[\textbf{Appendix. All statements}]\footnotesize"]
    sources = inherited([entry.claim for entry in entries])
    for entry in entries:
        given = dict.fromkeys(numbers[name] for name in (entry.id, *sources.get(entry.id, ())) if name in numbers)
        told = "false" if entry.verdict == "refuted" else escaped(entry.verdict)
        told += " in lower order" if of_lower_order(entry.claim) else ""
        told += f", no. {', '.join(map(str, given))}" if given else ""
        out.append(rf"\row{{{_place(entry)}}}{{{told}}}")
    return [*out, r"\end{multicols}"]


def comments(report: Report, paper: str) -> str:
    """Comments on one paper: a LaTeX document that needs amsmath, amssymb, graphicx and multicol alone.

    A paragraph a cause, the gravest first, with what is printed, what is correct, the reason, a check, and the claims
    that inherit the error; what is wrong in lower order only comes last, and all claims in an appendix.
    The author is left to be filled in.
    """
    entries = [entry for entry in view.entries(report) if entry.paper == paper and not entry.id.endswith(CORRECTED)]
    table = {entry.id: entry for entry in entries}
    found = causes([entry.claim for entry in entries])
    refuted = sum(entry.verdict == "refuted" for entry in entries)
    title, authors = paper_title(paper)
    run = report["run"]
    of = ", ".join(part for part in (authors, entries[0].claim["paper"]["version"] if entries else "") if part)
    own, lower = (sum(len(cause.own) for cause in found if cause.lower is of) for of in (False, True))
    read = sum(entry.verdict == "refuted" and entry.head != "printed" for entry in entries)
    stands = "it stands" if read == 1 else "they stand"
    apart = f", {read} of them as read here and not as {stands}" if read else ""
    counts = (
        (own, f"{own} by an error of {'its' if refuted == 1 else 'their'} own"),
        (lower, f"{lower} in lower-order terms only"),
        (refuted - own - lower, f"{refuted - own - lower} by an inherited error"),
    )
    out = [
        _PREAMBLE + rf"\begin{{center}}{{\Large Comments on ``{escaped(title)}''}}\\[0.6em]",
        escaped(of) + r"\\[0.6em]" if of else "",
        r"[author of these comments]",
        r"\end{center}",
        f"{refuted or 'None'} of {len(entries)} statements that were checked {'is' if refuted == 1 else 'are'} false "
        f"as printed{apart}{': ' * bool(refuted)}{overview.listed([text for count, text in counts if count])}. "
        "Each is disproved by a derivation and contradicted by an independent simulation, search or evaluation. "
        + escaped(f"(Twofold {run['versions'].get('twofold', '')}, {run['effort']} effort, seed {run['seed']}.)"),
    ]
    letters = dict.fromkeys(told for entry in entries if (told := names.mapped(entry.claim)))
    out += ["In the paper's notation, " + "; ".join(map(sentence, letters)) + "."] if letters else []
    shared = _shared([table[cause.id].claim for cause in found])
    out += [f"In the checks with $d = 1$ {said}." for said in shared]
    numbers: dict[str, int] = {}
    for place, cause in enumerate(found):
        if cause.lower and not (place and found[place - 1].lower):
            out += [r"\par\addvspace{2ex}\textbf{Wrong in lower-order terms only}"]
        numbers |= dict.fromkeys(cause.own, place + 1)
        beside, heirs = ([table[name] for name in group] for group in (cause.beside, cause.heirs))
        out += _finding(table[cause.id], beside, heirs, shared)
    return "\n".join([*out, *_appendix(entries, numbers), r"\end{document}", ""])
