"""Statements ``A iff B`` and ``A if B``: conditions A and B, each a relation or several joined by ``and``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

from theorems.statement.expression import HOLDS, PREDICATES, TRUTHS, Expr, StatementError
from theorems.statement.reading.hypotheses import Hypotheses
from theorems.statement.reading.language import Vocabulary, parsed
from theorems.statement.reading.ranges import Range
from theorems.statement.reading.syntax import relations

if TYPE_CHECKING:
    from theorems.statement.values.values import Data

#: How a statement joins two conditions: ``A if B`` says that B implies A.
CLAUSES = ("iff", "if")
NEGATED = {"=": "!=", "!=": "=", "<=": ">", ">": "<=", ">=": "<", "<": ">="}
TURNED = {"=": "=", "!=": "!=", "<=": ">=", ">=": "<=", "<": ">", ">": "<"}


def split_clause(text: str) -> tuple[str, str, str, int] | None:
    """A, ``iff`` or ``if``, B and the word's column; None for a text with neither outside all brackets."""
    found = [(word, place) for word, place in _words(text) if word in CLAUSES]
    if not found:
        return None
    if len(found) > 1:
        raise StatementError(
            f"{found[0][0]} and {found[1][0]} in one statement; join conditions by and, or check them one by one",
            text,
            found[1][1],
        )
    ((word, place),) = found
    return text[:place], word, text[place + len(word) :], place


def _words(text: str) -> Iterator[tuple[str, int]]:
    """The words ``iff``, ``if`` and ``and`` outside all brackets, with their columns."""
    depth = 0
    for match in re.finditer(r"[(\[]|[)\]]|\b(?:iff|if|and)\b", text):
        if match[0] in "([":
            depth += 1
        elif match[0] in ")]":
            depth -= 1
        elif depth == 0:
            yield match[0], match.start()


def condition(text: str, words: Vocabulary, whole: str, column: int) -> Expr:
    """A condition: ``u > 0``, ``0 < u <= v``, several joined by ``and``; StatementError with its place in the whole."""
    parts, first = [], 0
    for word, place in _words(text):
        if word == "and":
            parts.append((text[first:place], column + first))
            first = place + len(word)
    parts.append((text[first:], column + first))
    found = [one for part, at in parts for one in _relations(part, words, whole, at)]
    return found[0] if len(found) == 1 else Expr("and", tuple(found), found[0].at)


def _relations(text: str, words: Vocabulary, whole: str, column: int) -> list[Expr]:
    """The relations of one part; 0 < u <= v is two."""
    marks = relations(text)
    start = column + len(text) - len(text.lstrip())
    if not text.strip():
        raise StatementError("no condition stands here; expected a relation such as u > 0", whole, start)
    if not marks and (whole_part := parsed(text, words, whole, column)).op in PREDICATES:
        return [whole_part]
    if not marks:
        node = parsed(text, words, whole, column)
        if node.op in TRUTHS:
            return [node]
        raise StatementError(f"{text.strip()} is no relation; expected e.g. {text.strip()} > 0", whole, start)
    for mark, place in marks:
        if mark not in HOLDS:
            mend = "write =" if mark == "==" else f"expected one of {' '.join(HOLDS)}"
            raise StatementError(f"{mark} is no relation of a condition; {mend}", whole, column + place)
    ends = [(0, 0), *((place, len(mark)) for mark, place in marks), (len(text), 0)]
    sides = []
    for (place, width), (until, _) in pairwise(ends):
        sides.append(parsed(text[place + width : until], words, whole, column + place + width))
    for side in sides:
        if side.has("o", "O"):
            raise StatementError("a condition has no error term; drop it, or state it alone", whole, max(side.at, 0))
    return [
        Expr("relation", (mark, one, two), one.at) for (mark, _), one, two in zip(marks, sides, sides[1:], strict=False)
    ]


def parts(node: Expr) -> tuple[Expr, ...]:
    """The relations that a condition joins."""
    return node.args if node.op == "and" else (node,)


def numbers_of(node: Expr) -> Iterator[Expr]:
    """The numbers that a side of a statement is about: the side itself, or both sides of a condition's relations."""
    if node.op in TRUTHS:
        for part in parts(node):
            yield from part.args[1:] if part.op == "relation" else part.args[2:] if part.op in PREDICATES else ()
    else:
        yield node


def truth(node: Expr, case: Data) -> bool | None:
    """Whether a condition is certified to hold at a case; None where balls cannot tell.

    Raises UndefinedError, or IndexError, where a side has no value.
    """
    found = [truth_of(part, case) for part in parts(node)]
    return False if False in found else None if None in found else True


def truth_of(part: Expr, case: Data) -> bool | None:
    """Whether one relation, one property of a function, or what is said of every index or of unknowns is certified."""
    # values are worked out by what need not be there to read a statement
    if part.op in PREDICATES:
        from theorems.statement.values import monotone

        return monotone.truth(part, case)
    if part.op != "relation":
        from theorems.statement.values import truths

        return truths.truth(part, case)
    from theorems.statement.values.values import compared

    sign = compared(part.args[1], part.args[2], case)
    return None if sign is None else sign in HOLDS[part.args[0]]


def violated(relation: str, left: bool | None, right: bool | None) -> bool | None:
    """Whether ``A iff B``, or ``A if B``, fails for these truth values of A and B; None where that is open."""
    if relation == "iff":
        return None if left is None or right is None else left != right
    if left is True or right is False:
        return False
    return None if left is None or right is None else True


def violation(relation: str, left: Expr, right: Expr, case: Data) -> bool | None:
    """Whether a statement of two conditions is certified false (True) or true (False) at a case."""
    from theorems.statement.values.arithmetic import UndefinedError

    try:
        return violated(relation, truth(left, case), truth(right, case))
    except (UndefinedError, IndexError):
        return None


def negation(part: Expr) -> Expr:
    """The relation that holds just where another one fails."""
    return Expr("relation", (NEGATED[part.args[0]], *part.args[1:]), part.at)


def assumed(known: Hypotheses, given: tuple[Expr, ...]) -> Hypotheses:
    """The hypotheses with relations added; a name beside a number narrows the name's range too."""
    for part in given:
        relation, left, right = part.args
        known = replace(known, relations=(*known.relations, (relation, left, right)))
        if left.op == "number" and right.op == "name":
            left, relation, right = right, TURNED[relation], left
        if left.op == "name" and right.op == "number" and left.args[0] not in ("d", "n"):
            known = _narrowed(known, left.args[0], relation, right.args[0])
    return known


def _narrowed(known: Hypotheses, name: str, relation: str, value: Fraction) -> Hypotheses:
    """The range of a name cut by a relation, as far as the rest is not empty."""
    before = known.ranges.get(name, Range())
    after = before
    if relation in (">", ">=", "=") and (before.low is None or value >= before.low):
        strict = relation == ">" or (value == before.low and before.low_open)
        after = replace(after, low=value, low_open=strict)
    if relation in ("<", "<=", "=") and (before.high is None or value <= before.high):
        strict = relation == "<" or (value == before.high and before.high_open)
        after = replace(after, high=value, high_open=strict)
    if relation == "!=" and value == 0:
        after = replace(after, nonzero=True)
    return known if after.empty else replace(known, ranges={**known.ranges, name: after})
