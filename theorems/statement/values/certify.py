"""Whether a statement without tokens is certified false at an exact case, and what its sides are there."""

from __future__ import annotations

from fractions import Fraction

from theorems.algebra.balls import precision
from theorems.statement.expression import HOLDS, PREDICATES, Expr
from theorems.statement.proposition import Proposition
from theorems.statement.reading import conditions
from theorems.statement.values.arithmetic import Matrix, Number, UndefinedError, Vector, ball
from theorems.statement.values.cases import Case
from theorems.statement.values.values import compared, value

#: Longest text of a fraction that is shown exactly.
LONGEST = 40


def violation(prop: Proposition, case: Case) -> bool | None:
    """Whether the relation is certified false (True) or true (False) at a case; None where balls cannot tell.

    A case at which a side has no value, such as log(0), is None: the statement says nothing there.
    """
    if prop.relation in conditions.CLAUSES:
        return conditions.violation(prop.relation, prop.left, prop.right, case)
    try:
        sign = compared(prop.left, prop.right, case)
    except (UndefinedError, IndexError):
        return None
    return None if sign is None else sign not in HOLDS[prop.relation]


def undefined(prop: Proposition, case: Case) -> str:
    """Why a side has no value at a case; "" where both have one, or where that is not settled."""
    for side in (*conditions.numbers_of(prop.left), *conditions.numbers_of(prop.right)):
        try:
            value(side, case)
        except (UndefinedError, IndexError) as error:
            return f"{side}: {error}"
    return ""


def _related(part: Expr, case: Case) -> str:
    if part.op in PREDICATES:
        return str(part)
    return f"{shown(part.args[1], case)} {part.args[0]} {shown(part.args[2], case)}"


def shown(node: Expr, case: Case) -> str:
    """The value at a case: exact where it is rational and short, else digits; of vectors and matrices as lists, [1, 2].

    Of a condition, whether it holds.
    """
    if node.op in ("and", "relation", *PREDICATES):
        told = {True: "holds", False: "fails", None: "open"}[conditions.truth(node, case)]
        return f"{told}: {' and '.join(_related(part, case) for part in conditions.parts(node))}"
    text = ""
    for bits in (128, 512):
        with precision(bits):
            found = value(node, case)
            if isinstance(found, Matrix):
                text, sure = _listed([_listed([_number(v) for v in row]) for row in found.rows])
            elif isinstance(found, Vector):
                text, sure = _listed([_number(v) for v in found.entries])
            else:
                text, sure = _number(found)
            if sure:
                return text
    return text


def _number(found: Number) -> tuple[str, bool]:
    """A number, and whether its digits are known: 15, or 30 of a fraction that is longer than that."""
    if isinstance(found, Fraction):
        text = str(found)
        return text if len(text) <= LONGEST else str(ball(found).str(30, radius=False)), True
    sure = found.rel_accuracy_bits() > 60
    return str(found.str(15, radius=not sure)), sure


def _listed(parts: list[tuple[str, bool]]) -> tuple[str, bool]:
    return f"[{', '.join(text for text, _ in parts)}]", all(sure for _, sure in parts)
