"""LaTeX as MathML that may stand in a page: converted, then rebuilt from a list of elements and attributes."""

from __future__ import annotations

import html
import re
import xml.etree.ElementTree as ET
from functools import cache, lru_cache
from typing import Any

from markupsafe import Markup, escape

from proofs_check.report.site import formula, prose, runs

#: Longest LaTeX that is converted.
LONGEST = 20_000
#: The elements of MathML Core that show something and link nowhere.
_ELEMENTS = (
    "math mrow mi mn mo ms mtext mspace mfrac msqrt mroot mstyle mpadded mphantom msub msup msubsup munder mover "
    "munderover mmultiscripts mprescripts mtable mtr mtd"
)
ELEMENTS = frozenset(_ELEMENTS.split())
_ATTRIBUTES = (
    "display displaystyle scriptlevel stretchy fence form separator lspace rspace minsize maxsize symmetric largeop "
    "movablelimits accent accentunder linethickness width height depth mathvariant columnspan rowspan dir"
)
ATTRIBUTES = frozenset(_ATTRIBUTES.split())
_VALUE = re.compile(r"[A-Za-z0-9 .%-]{0,40}")
_STYLE = re.compile(r"[A-Za-z0-9 .:;%-]{0,200}")
_NAMED = re.compile("&(?!(?:lt|gt|amp|quot|apos);)[A-Za-z]+;")
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def clean(text: str) -> str:
    """The text without characters that a page may not hold."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)


@cache
def _converter() -> Any:
    from math_core import LatexToMathML

    return LatexToMathML(xml_namespace=False, fancy_error=False)


def _rebuilt(node: ET.Element) -> str:
    """The element with allowed attributes only; ValueError for an element that is not allowed."""
    if node.tag not in ELEMENTS:
        raise ValueError(node.tag)
    kept = [(key, value) for key, value in node.attrib.items() if key in ATTRIBUTES and _VALUE.fullmatch(value)]
    style = node.get("style", "")
    if node.tag == "mtd" and style and _STYLE.fullmatch(style):
        kept.append(("style", style))
    inside = str(escape(node.text or ""))
    for child in node:
        inside += _rebuilt(child) + str(escape(child.tail or ""))
    attributes = "".join(f' {key}="{escape(value)}"' for key, value in kept)
    return f"<{node.tag}{attributes}>{inside}</{node.tag}>" if inside else f"<{node.tag}{attributes}/>"


@lru_cache(maxsize=20_000)
def converted(latex: str, block: bool = False) -> Markup | None:
    """The formula as a ``math`` element; None where the LaTeX cannot be converted."""
    if not latex.strip() or len(latex) > LONGEST:
        return None
    try:
        # a style of its own for each size keeps fractions readable in lines too
        text = _converter().convert_with_local_state(latex, displaystyle=block)
        tree = ET.fromstring(_NAMED.sub(lambda entity: html.unescape(entity[0]), text))
        tree.attrib.pop("display", None)
        if block:
            tree.set("displaystyle", "true")
        first = next((node for node in tree.iter() if node.tag in ("mo", "mi", "mn", "mtext")), None)
        if first is not None and first.tag == "mo" and (latex[:2] in ("+ ", "- ") or RELATION.match(latex)):
            first.attrib.update(form="infix", lspace="0.2222em", rspace="0.2222em")
        return Markup(_rebuilt(tree))
    except (ValueError, ET.ParseError, RecursionError, _errors()):
        return None


def _errors() -> type[Exception]:
    from math_core import LatexError

    found: type[Exception] = LatexError
    return found


def shown(latex: str, block: bool = False) -> Markup:
    """The formula as MathML, or its LaTeX as code where it cannot be converted."""
    return converted(latex, block) or code(latex)


def code(text: str) -> Markup:
    """A text as code."""
    return Markup("<code>{}</code>").format(clean(text))


#: A formula and the sign after it, which no line may begin with.
_ENDED = re.compile(r"(<math>(?:(?!</?math).)*</math>|<code>[^<]*</code>) ?([.,;:)])")
#: A name of data that comes with a step.
_DATA = re.compile(r"``(.+?)``")
#: What a part of a formula may begin or end with and not show.
_SPACES = re.compile(r"^(?:\\q?quad(?![A-Za-z])|\\ |\s)+|(?:\\q?quad|(?<!\\)\\ |(?<!\\)\\$|\s)+$")
_GAPS = re.compile(r"\\(?:qquad|quad|implies|iff)(?![A-Za-z])")
#: Where a long statement may be broken, too.
RELATION = re.compile(r"(?<!:)=|\\(?:leq?|geq?|to|approx)(?![A-Za-z])")
#: Letters of a statement that may be wider than a narrow page.
LONG = 60


def cut(latex: str) -> list[str]:
    """LaTeX cut at wide spaces and arrows outside all brackets, a long one at relations: a line may be broken there."""
    places, depth, place = [0], 0, 0
    long = len(latex) > LONG
    while place < len(latex):
        if gap := _GAPS.match(latex, place) or (RELATION.match(latex, place) if long else None):
            if depth == 0:
                places.append(place)
            place = gap.end()
        elif latex[place] == "\\":
            word = re.compile(r"\\(left|begin|right|end)(?![A-Za-z])").match(latex, place)
            depth += 0 if word is None else 1 if word[1] in ("left", "begin") else -1
            # the character after a backslash is no brace of its own
            place += len(word[0]) if word else 2
        else:
            depth += (latex[place] in "({[") - (latex[place] in ")}]")
            place += 1
    parts = [latex[a:b].strip() for a, b in zip(places, [*places[1:], len(latex)], strict=True)]
    return [part for part in (_SPACES.sub("", part) for part in parts) if part]


#: Words between formulas.
_WORDS = re.compile(r"\\text\{([^{}$\\]*)\}")


def worded(latex: str) -> tuple[str, str, str] | None:
    """The first words of a statement, and the LaTeX before and after them; None where they are part of a formula."""
    found = _WORDS.search(latex)
    if found is None or "\\begin" in latex:
        return None
    before, after = latex[: found.start()].strip(), latex[found.end() :].strip()
    end = after[:1] if after[:1] in (".", ",", ";", ":") else ""
    around = (before, after.removeprefix(end).strip())
    parts = (around[0], found[1].strip() + end, around[1])
    return parts if all(not part or converted(part) for part in around) else None


def statement(latex: str) -> Markup:
    """A statement in LaTeX as one or more formulas on a line that may be broken between them, and in its words."""
    if told := worded(latex):
        before, words, after = told
        inside = Markup("<span class=told>{}</span>").format(clean(words))
        return Markup(" ").join([*([statement(before)] if before else []), inside, *([statement(after)] * bool(after))])
    found = [converted(part, True) for part in cut(latex) if part]
    if found and all(part is not None for part in found):
        return Markup(" ").join(part for part in found if part is not None)
    return shown(latex, True)


def expression(text: str, block: bool = True) -> Markup:
    """A formula as the report writes it; its text as code where it cannot be read."""
    told = formula.clause(text)
    if told:
        word, conditions = told
        joined = Markup(" <span class=and>and</span> ").join(shown(condition, block) for condition in conditions)
        return Markup("<span class=word>{}</span> {}").format(word, joined)
    parts = formula.summands(text)
    if parts and len(text) > 40 and len(parts) > 1:
        found = [converted(part, block) for part in parts]
        if all(part is not None for part in found):
            return Markup(" ").join(part for part in found if part is not None)
    latex = formula.latex(text)
    return shown(latex, block) if latex else code(text)


@lru_cache(maxsize=20_000)
def sentence(text: str) -> Markup:
    """A sentence whose formulas are typeset."""
    out: list[Markup] = []
    for latex, run in prose.runs(clean(text)):
        parts = [converted(part) for part in prose.lines(latex)] if latex and len(run) > 40 else []
        whole = [converted(latex)] if latex and None in (parts or [None]) else parts
        out += _plain(run) if latex is None or None in whole else [part for part in whole if part]
    # as a plain string, for what is cut from a Markup and joined again is escaped again
    joined = _ENDED.sub(r"<span class=tight>\1\2</span>", str(Markup(" ").join(out)))
    return Markup(re.sub(r"\( (?=<math|<span class=tight>)", "(", joined))


def words(text: str) -> Markup:
    """A text of words in which only formulas of several signs are typeset: the C of Appendix C is no name."""
    parts = ((converted(latex) if latex else None, run) for latex, run in prose.runs(clean(text)))
    return Markup("").join(typeset or Markup(escape(run)) for typeset, run in parts)


def _plain(text: str) -> list[Markup]:
    """A text in whose words formulas stand, of the language of formulas alone."""
    words, *data = _DATA.split(text)
    if data:
        return [*_plain(words), code(data[0]), *_plain(text[len(words) + len(data[0]) + 4 :])]
    out: list[Markup] = []
    for is_formula, part in runs.pieces(text):
        latex = formula.relation(part) if is_formula else None
        typeset = _long(part) if latex and len(part) > 40 else converted(latex) if latex else None
        out.append(typeset or Markup(escape(runs.readable(part))))
    return out


def _long(part: str) -> Markup | None:
    """A long chain of equations, cut at its relations and summands."""
    out: list[Markup] = []
    for side in runs.sides(part):
        if side in ("=", "<=", ">=", "<", ">"):
            out.append(shown({"<=": r"\leq", ">=": r"\geq"}.get(side, side)))
            continue
        cuts = formula.summands(side) or [formula.latex(side) or ""]
        found = [converted(piece) for piece in cuts]
        if any(piece is None for piece in found):
            return None
        out += [piece for piece in found if piece is not None]
    return Markup(" ").join(out)
