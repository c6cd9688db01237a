"""How the names of a claim are written: its quantities by their definitions, its letters as in the paper.

All follows from what the claim says as data (``said`` in the report): the quantities in the language of statements, the
letters of the cases' parameters and of what the statement names, ``T`` written as ``m``, and the paper's letters,
``W = W_QK*Sigma``, for products that the suite writes out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from markupsafe import Markup, escape

from proofs_check.claims.report import Claim
from proofs_check.report.site import formula, mathml
from proofs_check.report.telling import sourced, worded

#: The matrix of the model in the suite's names, and how it is written where the paper's W is another one.
MODEL, MODEL_HERE = "W", "W_QK"
#: Signs of a definition that is the head of a row, and of one that stands beside a row of a drawing.
LONGEST_HEAD, LONGEST_TAG = 26, 20
#: A definition longer than this, as text, is no part of a formula.
LONGEST_PART = 16
#: Quantities that bound another one: in words, and the sign before them.
BOUNDS = {"upper": ("upper bound", r"\leq"), "lower": ("lower bound", r"\geq")}
#: What begins a quantity that is a sentence, for which a clause stands.
WHETHER = "whether "
#: Kinds of claims whose formula is a limit.
LIMITS = ("limit", "asymptotic")
_POWER = re.compile(r"\btr([1-9]\d?)\b")
_EMPTY: Mapping[str, Any] = {}


def powers(text: str) -> list[str]:
    """The names of traces of powers that occur in a formula: tr1, tr2."""
    return sorted({found[0] for found in _POWER.finditer(text)})


def said(claim: Claim) -> Mapping[str, Any]:
    """What the claim says as data; nothing for one that has no such data."""
    return claim.get("said") or _EMPTY


def papers(claim: Claim) -> str:
    """The paper's letter for the product W_QK Sigma; "" where it has none."""
    letters = said(claim).get("paper", {})
    return next((letter for letter, text in letters.items() if text.replace(" ", "") == f"{MODEL_HERE}*Sigma"), "")


def _product(claim: Claim) -> str:
    """What W Sigma is on the page: the paper's letter for it, where Sigma = I the matrix itself; "" for no other."""
    if papers(claim) or not re.search(r"\bSigma = I\b", str(said(claim).get("hypotheses", ""))):
        return papers(claim)
    return str(said(claim)["letters"].get(MODEL, ""))


def written(text: str, claim: Claim, *, generated: bool = False) -> str:
    """A text with the paper's letters: tr2 as tr(W**2) where W is W_QK Sigma there, xx as norm(x)**2 by its definition.

    ``generated`` texts are of the suite, whose W is the model's matrix: it is W_QK there.
    """
    if generated:
        text = _relettered(sourced(text, claim), claim)
    # the letter is a word of Python, and no name of a formula
    text = re.sub(r"\blambda\b", "lam", text)
    text = _by_definition(_put_in(text, claim), claim)
    letter = _product(claim)
    if not letter:
        return text
    return _POWER.sub(lambda found: f"tr({letter}{'' if found[1] == '1' else '**' + found[1]})", text)


def corrected(text: str, claim: Claim) -> str:
    """What holds instead, with the error term up to which it does."""
    rest = said(claim).get("remainder", "")
    return f"{written(text, claim)} + o({rest})" if rest and not formula.clause(text) else written(text, claim)


def follows(claim: Claim) -> str:
    """The sentence on where the print follows from the correction; "" where that is not known."""
    gives = claim["correction"].get("gives", "") if claim["correction"] else ""
    return sourced("The print follows from it where ", claim) + f"{written(gives, claim)}." if gives else ""


def mapped(claim: Claim) -> str:
    """What the paper's letters are, ``W = W_QK*Sigma``; "" where the suite has no others."""
    return ", ".join(f"{letter} = {text}" for letter, text in said(claim).get("paper", {}).items())


def mapping(claim: Claim) -> Markup | None:
    """The sentence that says so; None where there is nothing to say."""
    told = mapped(claim)
    return Markup("In the paper's notation, used on this page, {}.").format(mathml.sentence(told)) if told else None


def letter(name: str, claim: Claim) -> str:
    """A parameter of the cases as it is written, in the language of formulas."""
    return _relettered(name, claim, longest=None)


class Writer(NamedTuple):
    """How a form of the report writes LaTeX, a sentence with formulas in it, and a formula as the report has it."""

    math: Callable[[str], str]
    sentence: Callable[[str], str]
    expression: Callable[[str], str]


#: How the pages do.
PAGE = Writer(mathml.shown, mathml.sentence, mathml.expression)


def named(claim: Claim, formulas: Mapping[str, str], write: Writer) -> list[tuple[str, ...]]:
    """Formulas by the quantities that they are of, each as parts of a line."""
    parts: list[tuple[str, ...]] = []
    for name, told in formulas.items():
        text, limit = corrected(told, claim), limit_of(claim)
        clause, bound = formula.clause(text) is not None, bounded(name, claim)
        if bound:
            head: tuple[str, ...] = (write.math(bound),)
        elif clause and len(formulas) == 1 and claim["quantity"].startswith(WHETHER):
            head = (write.sentence(claim["quantity"].removeprefix(WHETHER)),)
        elif name in BOUNDS and claim["quantity"] and not clause:
            head = (write.sentence(claim["quantity"]), write.math(BOUNDS[name][1]))
        else:
            # what is defined by the formula itself has its name in words
            itself = said(claim).get("quantities", {}).get(name) == told and claim["quantity"]
            first = write.sentence(claim["quantity"]) if itself else _head(name, claim, write)
            head = (first, *(() if clause else (write.math(r"\to" if limit else "="),)))
        # what is tended to is no value
        parts.append((*head, write.expression(text), *((write.sentence(f"as {limit}"),) if limit else ())))
    return parts


def on_a_line(claim: Claim, formulas: Mapping[str, str], write: Writer) -> str:
    """The same on one line of text."""
    return "; ".join(" ".join(parts) for parts in named(claim, formulas, write))


def limit_of(claim: Claim) -> str:
    """The limit of which alone a claim gives the value, "xi -> 0"; "" for one of what is so before it."""
    told = said(claim)
    return told["limit"] if claim["kind"] in LIMITS and told.get("limit") and not told["remainder"] else ""


def quantity(name: str, claim: Claim) -> Markup:
    """A printed quantity on the pages."""
    return Markup(_head(name, claim, PAGE))


def tag(name: str, claim: Claim) -> Markup:
    """A quantity beside a row of a drawing: its definition where that has few signs, else its name."""
    latex = _short(name, claim) or ""
    return Markup(escape(label(name))) if _signs(latex) > LONGEST_TAG else quantity(name, claim)


def _signs(latex: str) -> int:
    """How many signs a formula shows, about."""
    bare = re.sub(r"\\(mathrm|operatorname|left|right)(?![A-Za-z])", "", latex)
    return len(re.sub(r"\\[A-Za-z]+|[{}^_ ]", lambda found: "x" * found[0].startswith("\\"), bare))


def _head(name: str, claim: Claim, write: Writer) -> str:
    """A printed quantity: its definition where it has one that is short, its name in words otherwise."""
    if name in BOUNDS:
        return write.sentence(BOUNDS[name][0])
    latex = _short(name, claim)
    # a word with an index is one of the suite's own, which needs a definition itself
    if latex and not re.search(r"\\mathrm\{[a-z]{2,}\}_", latex):
        return write.math(latex)
    if name == "value" and claim["quantity"]:
        return write.sentence(claim["quantity"])
    if re.fullmatch(r"[A-Z]\d?|[a-z]", name) or formula.name(name) == f"\\{name}":
        return write.math(formula.name(name))
    if name.startswith("factor of ") and "=" not in name:
        return write.sentence(f"factor of `{name.removeprefix('factor of ')}`")
    return write.sentence(name if re.search(r"[*(=]", name) else label(name))


def left(text: str, claim: Claim) -> list[str]:
    """What the names of quantities are that a formula still has when it is in the paper's letters, as equations."""
    quantities = said(claim).get("quantities", {})
    found = [
        name
        for name in dict.fromkeys((*claim["symbols"], *quantities))
        if not quantities.get(name, name).isidentifier() and re.search(rf"\b{name}\b", written(text, claim))
    ]
    return [f"`{name} = {written(quantities[name], claim, generated=True)}`" for name in found]


def label(name: str) -> str:
    """The name of a printed quantity in words."""
    return BOUNDS[name][0] if name in BOUNDS else name if re.search(r"[(*]|^factor of ", name) else worded(name)


def estimated(name: str, claim: Claim) -> str:
    """What a case estimates, in the letters of the page where it is a formula of the suite."""
    of_the_suite = name not in claim["printed"] and re.search(r"[(*]", name)
    return written(name, claim, generated=True) if of_the_suite else label(name)


def value(text: str, claim: Claim) -> Markup:
    """What is printed of a quantity; where that is another quantity, its definition."""
    latex = _short(text, claim)
    return mathml.shown(latex) if latex else mathml.expression(written(text, claim))


def definitions(claim: Claim) -> Markup | None:
    """The quantities by their definitions; None where not all of it is a formula."""
    quantities = said(claim).get("quantities", {})
    printed = [name for name in quantities if name in claim["printed"]] or quantities
    told = {name: _definition(name, claim) for name in printed if name not in _parts(claim)}
    # a declared symbol stands in the formulas under its name, as does one of several quantities
    shown = [
        f"{_named_as(name)} = {latex}" if latex and (name in claim["symbols"] or _word(name, told)) else latex
        for name, latex in told.items()
    ]
    if None in shown or not shown or re.search(r"^\S+ = |\[", claim["quantity"]):
        return None
    return Markup(", ").join(mathml.shown(str(latex)) for latex in dict.fromkeys(shown))


def _named_as(name: str) -> str:
    """The name of a quantity in LaTeX: of several words as these, "(20) over (19)"."""
    several = re.fullmatch(r"[A-Za-z]{2,}\d*(_[A-Za-z0-9]{2,})+", name) and not formula.greek(name.partition("_")[0])
    return rf"\text{{{label(name)}}}" if several else formula.name(name)


def _word(name: str, told: Mapping[str, str | None]) -> bool:
    """Whether a quantity needs its name beside its definition: it is one of several, and another may be printed so."""
    return len(told) > 1 and name.isidentifier() and name not in BOUNDS


def bounded(name: str, claim: Claim) -> str | None:
    """What a bound is of, and its sign, ``\\lVert W \\rVert_{2} \\leq``; None for no bound, and where that is long."""
    latex = _definition(name, claim) if name in BOUNDS else None
    return f"{latex} {BOUNDS[name][1]}" if latex and _signs(latex) <= LONGEST_HEAD else None


def _short(name: str, claim: Claim) -> str | None:
    if formula.name(name) == f"\\{name}" and formula.name(name) in claim["statement"]:
        return formula.name(name)
    # a letter of the print is that letter
    own = re.fullmatch(r"[A-Z]\d?", name) or said(claim).get("quantities", {}).get(name, "").isidentifier()
    latex = None if own else _definition(name, claim)
    return latex if latex and _signs(latex) <= LONGEST_HEAD and mathml.converted(latex) else None


def _definition(name: str, claim: Claim) -> str | None:
    text = defined(name, claim)
    return formula.latex(text) if text else None


def defined(name: str, claim: Claim) -> str:
    """The definition of a quantity in the letters of the paper; "" for one that has none."""
    return _relettered(said(claim).get("quantities", {}).get(name, ""), claim, longest=None)


def along(claim: Claim) -> Markup | None:
    """The sequences along which a limit is taken, where the cases name them by an index."""
    found = said(claim).get("along", {})
    parts = [mathml.sentence(f"{name} = {text}") for name, text in found.items()]
    return Markup(", ").join(parts) if parts else None


def unsaid(params: Mapping[str, Any], claim: Claim) -> set[str]:
    """The numbers of a case along a sequence that no formula of the claim has: they only choose what is sampled."""
    sequences = " ".join(said(claim).get("along", {}).values())
    if not {*re.findall(r"\*\*(\w+)", sequences)} & {*params}:
        return set()
    return {*params} - {*re.findall(r"\w+", f"{said(claim)} {claim['printed']}")}


def _relettered(text: str, claim: Claim, longest: int | None = 1) -> str:
    """A text of the suite in the letters of the paper; of a sentence not the longer names, which may be words of it."""
    letters = said(claim).get("letters", {})
    table = {name: letter for name, letter in letters.items() if longest is None or len(_stem(name)) <= longest}
    paper = papers(claim)
    if paper:
        table[MODEL] = MODEL_HERE
    told = _named(table).sub(lambda found: table.get(found[1]) or table[f"{found[1]}[]"], text) if table else text
    # the product by itself, as in tr((W_QK*Sigma)**2), is the paper's letter
    return re.sub(rf"(?<=\(){MODEL_HERE}\*Sigma(?=\))", paper, told) if paper else told


def _by_definition(text: str, claim: Claim) -> str:
    """A formula with the short definitions of the declared symbols in their places."""
    table = _parts(claim)

    def put_in(found: re.Match[str]) -> str:
        written = _relettered(table[found[1]], claim)
        inside = text[found.end() : found.end() + 2] == "**" or text[: found.start()].endswith("/")
        return f"({written})" if inside or not re.fullmatch(r"[^ +-]*", written) else written

    return _named(table).sub(put_in, text) if table else text


def _put_in(text: str, claim: Claim) -> str:
    """A formula with the printed formula of the first quantity in the place of the name that the cases give it."""
    table = unnamed(claim)
    if not table:
        return text
    return _named(table).sub(lambda found: table[found[1]] if text == found[1] else f"({table[found[1]]})", text)


def unnamed(claim: Claim) -> dict[str, str]:
    """The name printed for the first quantity that stands for no other: what the correction is away from."""
    name, text = next(iter(claim["printed"].items()), ("", ""))
    known = text in said(claim).get("quantities", {}) or text in claim["symbols"]
    correction = claim["correction"]
    if not text.isidentifier() or known or correction is None or not correction["sympy"]:
        return {}
    apart = correction.get("apart", {}).get(name)
    return {text: less(correction["sympy"], apart)} if apart else {}


@lru_cache(maxsize=64)
def less(one: str, other: str) -> str:
    """The difference of two formulas."""
    from sympy import expand

    from theorems.algebra.expressions import ExpressionError, parse

    try:
        return str(expand(parse(one) - parse(other)))
    except ExpressionError:
        return f"{one} - ({other})"


def _parts(claim: Claim) -> dict[str, str]:
    """The declared symbols with definitions that are short enough to stand in formulas."""
    told = said(claim)
    table = {left: right for left, _, right in (part.partition(" = ") for part in split(told.get("where", "")))}
    table |= told.get("quantities", {})
    return {name: table[name] for name in claim["symbols"] if 0 < len(table.get(name, "")) <= LONGEST_PART}


def _named(table: Mapping[str, str]) -> re.Pattern[str]:
    """These names where they stand alone, ``g[]`` where it has an index; a T after a point is a transpose."""
    each = (rf"{_stem(name)}(?=\[|_?\d+\b)" if name.endswith("[]") else rf"{re.escape(name)}(?!\w)" for name in table)
    return re.compile(rf"(?<![\w.])({'|'.join(each)})")


def _stem(name: str) -> str:
    """The name of ``p[0]``."""
    return name.partition("[")[0]


def split(text: str) -> list[str]:
    """Definitions cut at the commas and semicolons outside brackets."""
    parts, depth, start = [], 0, 0
    for place, sign in enumerate(text):
        depth += (sign in "([{") - (sign in ")]}")
        if sign in ",;" and depth == 0:
            parts.append(text[start:place].strip())
            start = place + 1
    return [*parts, text[start:].strip()]
