"""Where a text cannot be an expression: brackets without their other half, operators without a term."""

from __future__ import annotations

import difflib
import keyword
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from theorems.statement.expression import RELATIONS, StatementError

_CLOSED = {"(": ")", "[": "]"}
_OPENED = {closing: opening for opening, closing in _CLOSED.items()}
#: Words of Python that no name can be, with what to write; others are parts of conditions.
_WORDS = {
    **dict.fromkeys(
        {*keyword.kwlist} - {"and", "or", "not", "if", "in", "True", "False", "None"}, "write another name"
    ),
    "lambda": "write lam",
    "else": "state the two cases one by one",
}
_RELATION = re.compile(r"->|<=|>=|!=|==|=|<|>|~")


def check_brackets(text: str) -> None:
    """Raise StatementError where a bracket has no other half: at the place where it is missing or too many."""
    opened: list[int] = []
    relations: list[tuple[int, int]] = []
    for place, character in enumerate(text):
        if character in _CLOSED:
            opened.append(place)
        elif character in _OPENED:
            if not opened:
                raise StatementError(f"{character} closes nothing; drop it, or open it before", text, place)
            before = opened.pop()
            if text[before] != _OPENED[character]:
                wanted = _CLOSED[text[before]]
                raise StatementError(
                    f"{character} stands where {text[before]} of column {before + 1} is open; write {wanted}",
                    text,
                    place,
                )
            relations = [entry for entry in relations if entry[1] < len(opened) + 1]
        elif opened and _RELATION.match(text, place):
            relations.append((place, len(opened)))
    if opened:
        place, wanted = opened[-1], _CLOSED[text[opened[-1]]]
        # the relation of the statement has been taken into the bracket; that of P[... > 0] belongs there
        first = text[max(place - 1, 0)] == "P"
        at = relations[first][0] if len(relations) > first else len(text)
        while at > place + 1 and text[at - 1] == " ":
            at -= 1
        raise StatementError(f"{text[place]} of column {place + 1} is not closed; write {wanted} here", text, at)


def reason(text: str, place: int) -> tuple[str, int]:
    """Why Python's parser stopped at a place of a text, and the place to look at."""
    if match := re.search(rf"\b(?:{'|'.join(_WORDS)})\b", text):
        return f"{match[0]} is a word of Python; {_WORDS[match[0]]}", match.start()
    if match := re.search(r"\[\s*\]", text):
        return "nothing stands in the brackets; expected e.g. x[i], E[x[i].T*W*x[j]]", match.start()
    if match := re.search(r"([-+*/^])\s*$", text):
        return f"nothing follows {match[1]}; expected a term such as tr(W*Sigma)", match.start(1)
    if match := re.search(r"\b(and|iff|if)\s*$", text):
        return f"nothing follows {match[1]}; expected a relation", match.start(1)
    if match := re.match(r"\s*([*/^]+)", text):
        return f"nothing stands before {match[1]}; expected a term", match.start(1)
    if match := re.search(r"(?<=[\w)\]])\s+(?=[\w(])|(?<![\w.])\d+(?=[A-Za-z_(])|\)(?=[\w(])", text):
        at = match.end()
        told, word = f"no operator before {text[at : at + 12]!r}", re.search(r"(?<![\w.^])([A-Za-z]\w*)\s+$", text[:at])
        if word and (after := re.match(r"[\w.]+", text[at:])):
            return f"{told}; write {word[1]}({after[0]}) for a function, {word[1]}*{after[0]} for a product", at
        return f"{told}; write * for a product", at
    near = text[place : place + 12] or "the end"
    return f"cannot be read at {near!r}; expected an operator, a name or a bracket", place


def counted(count: int, thing: str) -> str:
    """A number of things in words: 1 argument, 2 arguments."""
    return f"{count} {thing}{'' if count == 1 else 's'}"


def nearest(word: str, known: Iterable[str]) -> str:
    """ "; did you mean ...?" for a word that is nearly one of these, or ""; a single letter is a name of its own."""
    names = list(known)
    near = [name for name in names if name.lower() == word.lower()]
    near = near or (difflib.get_close_matches(word, names, 1, 0.6) if len(word) > 1 else [])
    return f"; did you mean {near[0]}?" if near else ""


def split_top(text: str, separators: str = ",") -> list[tuple[str, int]]:
    """The parts of a text between separators outside all brackets, without spaces around, each with its column."""
    parts: list[tuple[str, int]] = []
    depth, first = 0, 0

    def ended(place: int) -> None:
        part = text[first:place]
        parts.append((part.strip(), first + len(part) - len(part.lstrip())))

    for place, character in enumerate(text):
        depth += (character in "([") - (character in ")]")
        if character in separators and depth == 0:
            ended(place)
            first = place + 1
    ended(len(text))
    return parts


@contextmanager
def within(part: str, column: int, text: str) -> Iterator[None]:
    """An error about a part of a text is one about the text, at its place there."""
    try:
        yield
    except StatementError as error:
        at = error.at if error.at >= 0 and error.text == part else 0
        raise StatementError(str(error), text, column + at) from None


def about(word: str, text: str, message: str) -> StatementError:
    """An error that points at a word where it first stands in a text."""
    match = re.search(rf"(?<![\w.]){re.escape(word)}(?!\w)", text)
    return StatementError(message, text, match.start() if match is not None else 0)


def relations(text: str) -> list[tuple[str, int]]:
    """The relations of a text that stand outside all brackets, each with its column."""
    depth, found, place = 0, [], 0
    while place < len(text):
        character = text[place]
        depth += (character in "([") - (character in ")]")
        match = _RELATION.match(text, place) if depth == 0 else None
        if match:
            found.append((match[0], place))
            place = match.end()
        else:
            place += 1
    return found


def split_relation(text: str) -> tuple[str, str, str, int]:
    """Left side, relation, right side and the relation's column; StatementError where there is not exactly one."""
    found = relations(text)
    if not found:
        alone = re.match(r"\s*(exists|every|increasing|decreasing|peaks|positive)\(", text)
        mend = f"; {alone[1]}(...) is a condition: state it beside another, with iff or if" if alone else ""
        raise StatementError(f"no relation; expected one of {' '.join(RELATIONS)}{mend}", text, len(text))
    if len(found) > 1:
        raise StatementError(
            f"two relations, {found[0][0]} and {found[1][0]}; join them by iff or if, or check them one by one",
            text,
            found[1][1],
        )
    ((relation, place),) = found
    if relation not in RELATIONS:
        mend = "write =" if relation == "==" else f"expected one of {' '.join(RELATIONS)}"
        raise StatementError(f"{relation} is no relation of a statement; {mend}", text, place)
    return text[:place], relation, text[place + len(relation) :], place
