"""Mathematics as it stands in sentences, ``E[(x_i)^T W (x_T)]``, ``|W_Q|_F^2 >= 2 |W_QK|_*``, as LaTeX.

Beside the language of formulas (``formula``) it reads what people write there: products without a sign, ``^`` for
powers and transposes, bars for sizes and norms, angles for inner products. Nothing is evaluated. What is no mathematics
for certain is left as it is: names are symbols, not words, and something in the run must show that it is a formula.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache

from proofs_check.report.site import formula

#: Longest text that is searched, and deepest nesting.
LONGEST, DEEPEST = 24_000, 24
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)*")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_LONE = re.compile(r"\((?:([A-Za-z]+_[A-Za-z0-9]+)|([A-Za-z])(?=\)\^))\)")
_POWER = re.compile(r"(?:\^|\*\*)(?:(T)(?![A-Za-z0-9_])|(-?\d+|[A-Za-z]+)|\{([^{}]*)\}|\(([^()]*)\))")
_BELOW = re.compile(r"_(?:([A-Za-z0-9]+|\*)|\{([^{}]*)\})")
_BRACED = re.compile(r"\{([\w ,.:<>=^()+-]+)\}")
#: The point of an inner product, omega_1.z: the name before it has an index, and a letter follows.
_INNER = re.compile(r"\.(?=[a-z](?:_\w+)?\b)")
_DOTS = {"...": r"\dots"}
_SUMMED = re.compile(r"sum(?:_([A-Za-z]\w*)|_\{([^{}]*)\}|_\(([^()]*)\)) ")
_RELATIONS = {
    "<=": r"\leq",
    ">=": r"\geq",
    "->": r"\to",
    "!=": r"\neq",
    "~": r"\sim",
    "in": r"\in",
    "=": "=",
    "<": "<",
    ">": ">",
}
_RELATION = re.compile(r" (<=|>=|->|!=|~|=|<|>|in(?= (?:R\^|[A-Z]\b))) ")
_MOMENTS = {"E": r"\mathbb{E}", "P": r"\mathbb{P}", **{m: rf"\operatorname{{{m}}}" for m in ("Var", "Cov", "Kurt")}}
_WORDS = {"infinity": r"\infty"}
_CALLED = {
    "sqrt": r"\sqrt{%s}",
    "exp": r"\exp(%s)",
    "mean": r"\bar{%s}",
    **{called: rf"\operatorname{{{called}}}(%s)" for called in ("tr", "dist")},
}
#: What stands a little apart from the factor before it.
_APART = (r"\operatorname", r"\mathbb", r"\sum", r"\lVert", r"\mathrm", "|")
_BREAK = re.compile(r" (=|<|>|\\leq|\\geq|\\to|\+|-) ")
_MARKED = re.compile(r"`([^`]+)`(?!`)")
_ENDS = re.compile(r"(?=[\s.,;:!?)\]]|'s\b|$)")
#: What shows that a factor is one, and that a run is a formula, beside a product without a sign.
_SHOWN = re.compile(r"[\^|_\[]")
_TELLING = re.compile(r"\w'\(|\^|\*\*|\||\[|sum_| ~ | -> |\{|\(\w+_\w+\.[a-z]")


class _Stop(Exception):
    """No formula goes on here."""


class _Reader:
    """A formula from a place of a text on: ``at`` is where it ends."""

    def __init__(self, text: str, at: int) -> None:
        self.text, self.at, self.depth, self.beside = text, at, 0, False

    def eat(self, sign: str) -> bool:
        """Whether the sign stands here; then it is passed."""
        found = self.text.startswith(sign, self.at)
        self.at += len(sign) * found
        return found

    def match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """What the pattern finds here, passed."""
        found = pattern.match(self.text, self.at)
        if found:
            self.at = found.end()
        return found

    def attempt(self, read: Callable[[], str]) -> str | None:
        """What is read, or None with nothing passed."""
        at, beside = self.at, self.beside
        try:
            return read()
        except _Stop:
            self.at, self.beside = at, beside
            return None

    def relation(self) -> str:
        """Sums with relations between them."""
        out = self.sum()
        while (sign := _RELATION.match(self.text, self.at)) is not None:
            at, self.at = self.at, sign.end()
            right = self.attempt(self.sum)
            if right is None:
                self.at = at
                break
            out += f" {_RELATIONS[sign[1]]} {right}"
        return out

    def sum(self) -> str:
        """Products with + and - between them."""
        out = "-" * self.eat("-") + self.product()
        for sign in iter(lambda: self.text[self.at : self.at + 3], None):
            if sign not in (" + ", " - "):
                return out
            at = self.at
            self.at += 3
            right = self.attempt(self.product)
            if right is None:
                self.at = at
                return out
            out += sign + right
        return out

    def product(self) -> str:
        """Factors beside each other, with * or / between them, or with a space."""
        start, out = self.at, self.factor()
        while True:
            at = self.at
            sign = next((s for s in (" * ", " / ", "*", "/", " ") if self.eat(s)), None)
            if sign is None or (sign == "*" and self.text.startswith("*", self.at)):
                self.at = at
                return out
            beside = sign == " "
            before = self.text[start:at]
            right = self.attempt(self.factor)
            if right is None or (beside and not self._joins(before, self.text[at + 1 : self.at])):
                self.at = at
                return out
            self.beside |= beside
            dot = r" \cdot " if right[:1].isdigit() else r"\," if right.startswith(_APART) else " "
            out += f"/{right}" if sign.strip() == "/" else dot + right

    def _joins(self, before: str, factor: str) -> bool:
        """Whether what stands after a space is a factor: always in brackets; outside where one of both shows it."""
        last = before[before.rfind(" ") + 1 :]
        named = re.fullmatch(r"[aAI]", factor) is None and "(" not in factor[:1]
        if self.depth == 0 and last in ("a", "A"):
            # the article
            return False
        shown = _SHOWN.search(factor) or (_SHOWN.search(last) and named)
        return self.depth > 0 or bool(shown) or (named and (last == "tr" or "^T" in before))

    def factor(self) -> str:
        """An atom with its powers and indices."""
        start = self.at
        out = self.atom()
        while True:
            if power := self.match(_POWER):
                inner = next((part for part in power.groups()[1:] if part is not None), "")
                told = r"\top" if power[1] else _inner(inner)
                out = rf"{_based(out)}^{{{told}}}"
                if below := self.match(_BELOW):
                    out += rf"_{{{_inner(below[1] or below[2])}}}"
            elif self.eat(".T"):
                out = rf"{_based(out)}^{{\top}}"
            elif "_" in self.text[start : self.at] and self.match(_INNER):
                out += rf" \cdot {self.atom()}"
            else:
                break
        if self.at == start:
            raise _Stop
        return out

    def atom(self) -> str:
        """A number, a name, a call, a moment, or something in brackets, bars or angles."""
        if number := self.match(_NUMBER):
            return number[0]
        if summed := self.match(_SUMMED):
            index = next(part for part in summed.groups() if part)
            return rf"\sum_{{{_inner(index)}}} {self.product()}"
        for opening, closing, shown in (
            ("||", "||", (r"\lVert ", r" \rVert")),
            ("|", "|", ("|", "|")),
            ("(", ")", ("(", ")")),
        ):
            # a lone token in brackets, (x_i)^T or (a)^T, needs none
            if opening == "(" and (lone := self.match(_LONE)):
                return formula.name(lone[1] or lone[2])
            if self.eat(opening):
                return self._within(closing, shown)
        if self.text[self.at : self.at + 1] == "<" and self.text[self.at + 1 : self.at + 2].isalpha():
            self.at += 1
            return self._within(">", (r"\langle ", r" \rangle"))
        return self._named()

    def _within(self, closing: str, shown: tuple[str, str]) -> str:
        self.depth += 1
        if self.depth > DEEPEST:
            raise _Stop
        parts = [self.relation()]
        while closing != "|" and self.eat(", "):
            parts.append(self.relation())
        if not self.eat(closing):
            raise _Stop
        self.depth -= 1
        inside = ", ".join(parts)
        if closing in ("|", "||") and (norm := self.match(_BELOW)):
            kind = norm[1] or norm[2]
            return rf"\lVert {inside} \rVert_{{{kind if kind == '*' else _inner(kind)}}}"
        return inside.join(shown)

    def _hull(self) -> str:
        """What a hull is of, {z_i : i in J}: formulas, and in words what is none."""
        inside = self.match(_BRACED)
        if inside is None:
            raise _Stop
        parts = [part.split(", ") for part in inside[1].split(" : ", 1)]
        told = [", ".join(_DOTS.get(one) or whole(one) or _text(one) for one in part) for part in parts]
        return rf"\operatorname{{conv}}\{{{' : '.join(told)}\}}"

    def _named(self) -> str:
        found = self.match(_NAME)
        if found is None:
            raise _Stop
        word = found[0]
        if word == "R" and self.text.startswith("^", self.at):
            return r"\mathbb{R}"
        if word in _WORDS:
            return _WORDS[word]
        following = self.text[self.at : self.at + 1]
        if word in _MOMENTS and following and following in "[|":
            self.at += following == "["
            return _MOMENTS[word] + (self._within("]", ("[", "]")) if following == "[" else self.factor())
        if word == "conv" and following == "{":
            return self._hull()
        if word == "tr" and following == " ":
            return r"\operatorname{tr}"
        if following == "(" and word in (*_CALLED, *formula.functions()):
            self.at += 1
            inside = self._within(")", ("(", ")"))
            inside = inside[1:-1] if inside.startswith("(") and inside.endswith(")") else inside
            form = _CALLED.get(word) or formula.functions()[word].replace(r"\left", "").replace(r"\right", "")
            return form.replace("%s", inside)
        if not formula.recognised(word):
            raise _Stop
        shown = formula.name(word)
        if self.eat("~"):
            shown = rf"\tilde{{{shown}}}"
        if following == "[":
            self.at += 1
            return rf"{shown}_{{{self._within(']', ('', ''))}}}"
        if below := self.match(re.compile(r"_\{([^{}]*)\}")):
            return rf"{shown}_{{{_inner(below[1])}}}"
        if following == "'" and self.text[self.at + 1 : self.at + 2] in ("(", "^", "}", ""):
            self.at += 1
            shown, following = rf"{shown}'", self.text[self.at : self.at + 1]
        return shown + self._within(")", ("(", ")")) if following == "(" and self.eat("(") else shown


def _inner(text: str) -> str:
    """An index or exponent: as a formula where it is one."""
    if text == "T" or not text:
        return text
    if " x " in text:
        return r" \times ".join(map(_inner, text.split(" x ")))
    reader = _Reader(text, 0)
    found = reader.attempt(reader.relation)
    if found is not None and reader.at == len(text):
        return found
    spaced = re.sub(r"(<=|>=|<|>|\+|-)", r" \1 ", text)
    reader = _Reader(spaced, 0)
    found = reader.attempt(reader.relation)
    return (
        found if found is not None and reader.at == len(spaced) else rf"\mathrm{{{re.sub(r'[^A-Za-z0-9]', '', text)}}}"
    )


def _text(words: str) -> str:
    return rf"\text{{{words.replace('_', ' ').replace('^', ' ')}}}"


def _based(latex: str) -> str:
    """What a power stands on."""
    return f"{{{latex}}}" if "^" in latex else latex


def lines(latex: str) -> list[str]:
    """LaTeX cut before its relations and summands outside all brackets, so that a line may be broken there."""
    cuts, depth = [0], 0
    for place, sign in enumerate(latex):
        depth += (sign in "({[") - (sign in ")}]")
        if depth == 0 and sign == " " and _BREAK.match(latex, place):
            cuts.append(place)
    return [latex[a:b].strip() for a, b in zip(cuts, [*cuts[1:], len(latex)], strict=True)]


def whole(text: str) -> str | None:
    """A text that is one formula of this notation as LaTeX; None for any other."""
    reader = _Reader(text, 0)
    found = reader.attempt(reader.relation)
    return found if reader.at == len(text) else None


@lru_cache(maxsize=20_000)
def runs(text: str) -> tuple[tuple[str | None, str], ...]:
    """The text cut into (LaTeX, the text of it); None for what is no mathematics in this notation.

    What the language of formulas reads by itself is left to it. A text between backticks is a formula.
    """
    return tuple(_runs(text))


def _runs(text: str) -> Iterator[tuple[str | None, str]]:
    done = place = 0
    limit = min(len(text), LONGEST)
    while place < limit:
        if (marked := _MARKED.match(text, place)) and not text.startswith("``", place - 1):
            if done < place:
                yield None, text[done:place]
            yield formula.relation(marked[1]) or whole(marked[1]), marked[1]
            done = place = marked.end()
            continue
        if place and text[place - 1] not in " (":
            place += 1
            continue
        reader = _Reader(text, place)
        found = reader.attempt(reader.relation)
        run = text[place : reader.at]
        telling = reader.beside or _TELLING.search(run)
        if not found or not telling or not _ENDS.match(text, reader.at) or formula.relation(run) is not None:
            place += 1
            continue
        if done < place:
            yield None, text[done:place]
        yield found, run
        done = place = reader.at
    if done < len(text):
        yield None, text[done:]
