"""Weaker hypotheses as wrong versions of a statement: each hypothesis dropped or weakened in turn, and limits reversed.

A version is the same statement read again with one hypothesis less. Whether it is still true says whether the
hypothesis is needed; a statement that needs none of its hypotheses is stronger than it says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from theorems.statement.expression import Expr, StatementError, minus, name, number
from theorems.statement.proposition import Proposition, proposition
from theorems.statement.reading.declaring import declares, shape_of
from theorems.statement.reading.syntax import relations

#: What is left of a shape that is weakened by one step.
_WEAKER = {"positive definite": "psd", "psd": "symmetric", "symmetric": "any"}


@dataclass(frozen=True)
class Weaker:
    """A statement under weaker hypotheses: ``given`` was weakened to ``left``, "" where it was dropped.

    ``prop`` is None where it cannot be read then, for the ``reason``.
    """

    given: str
    left: str
    prop: Proposition | None
    reason: str = ""

    @property
    def words(self) -> str:
        """The change in words: without W symmetric; with i <= j for i < j."""
        return f"with {self.left} for {self.given}" if self.left else f"without {self.given}"


def weaker(prop: Proposition) -> list[Weaker]:
    """Every hypothesis of a statement dropped, and weakened where there is something between; none that only declares.

    Of a chain i <= j <= k each link is a hypothesis of its own.
    """
    parts = [link for text in prop.known.texts for link in _links(text)]
    found = []
    for k, part in enumerate(parts):
        for left in _weakened(part):
            shown = "" if left.endswith(" any") else left
            kept = [*parts[:k], *([left] if left else []), *parts[k + 1 :]]
            found.append(_version(prop, part, shown, kept))
    for position, share in prop.limit.regime:
        limit = ", ".join(part for part in map(str.strip, prop.limit.text.split(",")) if not part.startswith(position))
        stated = share.op == "name" and share.names() & (prop.left.names() | prop.right.names())
        bounds = [f"0 <= {share} <= 1"] if stated else []
        kept = [*parts, *bounds]
        found.append(_version(prop, f"{position}/T -> {share}", "", kept, limit or "T -> oo"))
    return found


def _version(prop: Proposition, given: str, left: str, kept: list[str], limit: str | None = None) -> Weaker:
    """The version under the hypotheses that are kept; names that only the one dropped declared stay real numbers."""
    reason = ""
    for more in ([], *([extra] for extra in _declaring(prop, given))):
        try:
            return Weaker(given, left, _again(prop, ", ".join([*kept, *more]), limit))
        except StatementError as error:
            reason = reason or " ".join(str(error).split())
    return Weaker(given, left, None, reason)


def _declaring(prop: Proposition, given: str) -> Iterator[str]:
    """What may be said of the names of a hypothesis in its place: that they are real, or stationary for AR(1)."""
    names = sorted(set(re.findall(r"[A-Za-z][A-Za-z0-9_]*", given)) & set(prop.parameters))
    if names:
        yield ", ".join(f"{one} in R" for one in names)
    if prop.law.kind == "ar1" and prop.law.parameter is not None and names == [str(prop.law.parameter)]:
        # the law is none beyond
        yield f"-1 <= {names[0]} <= 1"


def implied(prop: Proposition, version: Proposition) -> bool:
    """Whether a version assumes what the statement does, so that the hypothesis said nothing new."""
    bare = [replace(one.known, texts=()) for one in (prop, version)]
    return bare[0] == bare[1]


def _again(prop: Proposition, hypotheses: str, limit: str | None = None) -> Proposition:
    tends = prop.limit.text if limit is None else limit
    return proposition(prop.text, hypotheses, "; ".join(prop.definitions), prop.law.text, tends)


def _links(text: str) -> list[str]:
    """A chain of comparisons as its links; any other hypothesis as it stands."""
    marks = relations(text)
    if len(marks) < 2:
        return [text]
    sides, first = [], 0
    for relation, place in marks:
        sides.append(text[first:place].strip())
        first = place + len(relation)
    sides.append(text[first:].strip())
    return [f"{sides[k]} {relation} {sides[k + 1]}" for k, (relation, _) in enumerate(marks)]


def _weakened(part: str) -> Iterator[str]:
    """What a hypothesis may be weakened to, the nearest first; "" drops it."""
    if declares(part):
        return
    shaped = shape_of(part)
    if shaped is None:
        marks = relations(part)
        if len(marks) == 1 and marks[0][0] in "<>":
            relation, place = marks[0]
            yield f"{part[:place].strip()} {relation}= {part[place + 1 :].strip()}"
        yield ""
        return
    matrix, shape = shaped
    if matrix == "Sigma":
        # a covariance is positive semidefinite in any case
        if shape == "positive definite":
            yield ""
        return
    # a matrix that is declared by its shape stays a matrix
    while shape != "any":
        shape = _WEAKER[shape]
        yield f"{matrix} {shape}"


def reversed_limits(prop: Proposition) -> list[tuple[str, Expr]]:
    """Right sides of the other direction of a limit: i/T -> 1 - theta, the share counted from the other end."""
    found = []
    for position, share in prop.limit.regime:
        if share.op == "name" and share.args[0] in prop.right.names():
            turned = minus(number(1), name(share.args[0]))
            found.append((f"{position}/T -> {turned}", prop.right.put({share.args[0]: turned})))
    return found


def other_ends(prop: Proposition) -> list[Proposition]:
    """The same limit with its parameter tending to the other ends of its range: a -> 0 for a -> 1, lam -> oo for 0."""
    variable = prop.limit.variable
    if not variable or variable == "T" or variable in prop.positions or prop.limit.regime:
        return []
    known = prop.known.ranges.get(variable)
    ends = ["oo" if known is None or known.high is None else str(known.high)]
    ends.append("0" if known is None or known.low is None else str(known.low))
    here = "oo" if prop.limit.value is None else str(prop.limit.value)
    found = []
    for end in ends:
        if end != here:
            try:
                found.append(_again(prop, ", ".join(prop.known.texts), f"{variable} -> {end}"))
            except StatementError:
                continue
    return found
