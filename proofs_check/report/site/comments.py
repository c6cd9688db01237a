"""Comments on one paper in LaTeX, by cause and weight: what is printed, what holds, why, and a check."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence

from proofs_check.claims.report import Claim, Report
from proofs_check.inputs.expect import CORRECTED
from proofs_check.report import byhand
from proofs_check.report.causes import causes, inherited, of_lower_order, placed
from proofs_check.report.site import formula, mathml, names, prose
from proofs_check.report.site.view import BOUNDS, label, paper_title, sentences
from proofs_check.report.telling import parameters

_PREAMBLE = r"""\documentclass[11pt]{article}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\usepackage{amsmath,amssymb,graphicx,longtable}
\usepackage[margin=2.4cm]{geometry}
\setlength{\parindent}{0pt}
\setlength{\parskip}{0.5em}
\setlength{\emergencystretch}{3em}
\newsavebox{\formula}
\newcommand{\fit}[1]{\sbox{\formula}{#1}\ifdim\wd\formula>0.9\linewidth
\resizebox{0.9\linewidth}{!}{\usebox{\formula}}\else\usebox{\formula}\fi}
\sloppy
\tolerance=10000
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
#: Letters of a formula that may be wider than the page.
LONG = 100
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
    out: list[str] = []
    for latex, run in prose.runs(text):
        parts = prose.lines(latex) if latex and len(run) > LONG else [latex] if latex else []
        out += [_inline(f"{{}}{part}") for part in parts] if parts and all(map(safe, parts)) else _plain(run)
    return re.sub(r"\$ ([.,;:)])", r"$\1", " ".join(out)).replace("( $", "($")


def _plain(text: str) -> list[str]:
    """A text in whose words formulas of the language stand."""
    out: list[str] = []
    for is_formula, part in formula.pieces(text):
        latex = formula.relation(part) if is_formula else None
        if latex is None:
            out.append(escaped(part))
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


def _named(printed: Mapping[str, str]) -> str:
    lines = []
    for name, text in printed.items():
        joint = " " if formula.clause(text) else " $=$ "
        needed = len(printed) > 1 or joint == " " or name in BOUNDS
        lines.append((escaped(label(name)) + joint if needed else "") + expression(text))
    return r" \\[0.4em] ".join(lines)


def _block(body: str) -> list[str]:
    return [r"\begin{quote}\raggedright", body, r"\end{quote}"]


def _place(claim: Claim) -> str:
    return escaped(claim["where"] or claim["id"])


def _printed(claim: Claim) -> list[str]:
    told = statement(claim["statement"]) if claim["statement"] else _named(claim["printed"])
    return [r"\textbf{Printed.}", *_block(told)]


def _holding(claim: Claim, corrected: Claim | None) -> list[str]:
    """What holds in the place of the print, and where."""
    sure = corrected is not None and corrected["verdict"] == "verified"
    head = "What holds" if sure else "What the derivation gives, not confirmed by the empirical check"
    out: list[str] = []
    if corrected is not None:
        out = [rf"\textbf{{{head}.}}", *_block(_named(corrected["printed"]))]
    elif claim["correction"] and claim["correction"]["latex"]:
        out = [rf"\textbf{{{head}.}}", *_block(statement(claim["correction"]["latex"]))]
    if claim["correction"] and claim["correction"]["holds"]:
        parts = [part for part in sentences(claim["correction"]["holds"].replace("->", "→")) if part != "always"]
        told = " ".join(f"{sentence(part[0].upper() + part[1:]).rstrip('.')}." for part in parts)
        out += [rf"{{\raggedright {told}\par}}", ""] if told else []
    return out


def _check(claim: Claim) -> list[str]:
    """The counterexample, which a reader can work out."""
    given = claim["counterexample"]
    if not given:
        return []
    if lines := byhand.check(claim):
        told = " ".join(sentence(names.written(line, claim, generated=True)) for line in lines)
        return [rf"{{\raggedright\textbf{{Check.}} {told}\par}}", ""]
    case = sentence(parameters(given["params"]))
    values = f"the print gives {_value(given['printed'])}, the truth is {_value(given['true'])}"
    if given.get("limit"):
        values = f"the {sentence(given['limit'])}: {values}; before the limit it is exactly {_value(given['finite'])}"
    return [rf"{{\raggedright\textbf{{Check.}} {case}{': ' * bool(case)}{values}.\par}}", ""]


def _value(text: str) -> str:
    """A value typeset in a line; as text where it is no formula."""
    parts = formula.summands(text)
    return escaped(text) if parts is None else " ".join(_inline(("{}" if k else "") + p) for k, p in enumerate(parts))


def _reason(claim: Claim) -> list[str]:
    """By which argument the print is false, and the first line of its proof that is."""
    parts = [sentence(claim["symbolic"]["method"])] if claim["symbolic"]["method"] else []
    proof = claim["proof"]
    if line := proof["first_reaching"] or proof["first_false"]:
        what = "whose error reaches the end" if proof["first_reaching"] else "that is false"
        parts.append(f"the first line of the printed proof {what} is {escaped(line)}")
    return [rf"\textbf{{Reason.}} {'; '.join(parts)}.", ""] if parts else []


def _section(claim: Claim, table: Mapping[str, Claim], heirs: Sequence[str]) -> list[str]:
    out = [rf"\section{{{_place(claim)}}}"]
    out += [sentence(claim["reading"]), ""] if claim["reading"] else []
    out += _printed(claim) + _holding(claim, table.get(claim["id"] + CORRECTED)) + _reason(claim) + _check(claim)
    if heirs:
        out += [r"\textbf{The error goes on to} " + "; ".join(_place(table[name]) for name in heirs) + ".", ""]
    return out


def _appendix(claims: Sequence[Claim], sources: Mapping[str, tuple[str, ...]], table: Mapping[str, Claim]) -> list[str]:
    """Every claim in the order of the paper: its place, its verdict, and whose error it has."""
    rows = [r"\appendix", r"\section{All statements}", r"\begin{longtable}{@{}p{0.5\linewidth}lp{0.3\linewidth}@{}}"]
    for claim in claims:
        source = "; ".join(_place(table[name]) for name in sources.get(claim["id"], ()))
        told = f"by {source}" if source else "in lower order only" if of_lower_order(claim) else ""
        rows.append(rf"{_place(claim)} & {escaped(claim['verdict'])} & {told} \\[0.3em]")
    return [*rows, r"\end{longtable}"]


def comments(report: Report, paper: str) -> str:
    """Comments on one paper: a LaTeX document that needs amsmath, amssymb, graphicx and longtable alone.

    A section a cause, the gravest first, with what is printed, what holds, the reason, a check, and the claims that
    inherit the error; what is wrong in lower order only comes in one section at the end, and all claims in an appendix.
    The author is left to be filled in.
    """
    every = list(placed(report["claims"]))
    table = {claim["id"]: claim for claim in every}
    claims = [
        claim
        for claim in every
        if not claim["id"].endswith(CORRECTED) and (claim["paper"]["id"] or claim["id"].split(".")[0]) == paper
    ]
    found = causes(claims)
    refuted = sum(claim["verdict"] == "refuted" for claim in claims)
    title, authors = paper_title(paper)
    version = claims[0]["paper"]["version"] if claims else ""
    run = report["run"]
    of = ", ".join(part for part in (authors, version) if part)
    count = "One" if refuted == 1 else str(refuted or "None")
    own = sum(not cause.lower for cause in found)
    out = [
        _PREAMBLE + rf"\begin{{center}}{{\Large Comments on ``{escaped(title)}''}}\\[0.6em]",
        escaped(of) + r"\\[0.6em]" if of else "",
        r"[author of these comments]",
        r"\end{center}",
        f"{count} of {len(claims)} statements that were checked {'is' if refuted == 1 else 'are'} false as printed; "
        f"errors of their own, beside those in lower order only: {own}. The others inherit one, or are wrong in lower "
        "order only. Each print is disproved by a "
        "derivation, and contradicted by an independent simulation, search or evaluation. "
        + escaped(f"(Twofold {run['versions'].get('twofold', '')}, {run['effort']} effort, seed {run['seed']}.)")
        + r" In the formulas $\operatorname{tr}((W\Sigma)^{k})$ is the trace of the $k$-th power.",
        "",
    ]
    for cause in found:
        if not cause.lower:
            out += _section(table[cause.id], table, cause.heirs)
    small = [cause for cause in found if cause.lower]
    if small:
        out += [r"\section{Wrong in lower order only}", "These are right to leading order.", ""]
    for cause in small:
        claim = table[cause.id]
        out += [
            rf"\subsection*{{{_place(claim)}}}",
            *_printed(claim),
            *_holding(claim, table.get(cause.id + CORRECTED)),
        ]
        if cause.heirs:
            out += ["Likewise " + "; ".join(_place(table[name]) for name in cause.heirs) + ".", ""]
    out += _appendix(claims, inherited(claims), table)
    return "\n".join([*out, r"\end{document}", ""])
