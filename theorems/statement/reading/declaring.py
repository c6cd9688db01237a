"""What hypotheses declare: B symmetric, a in R^d, s in R^n, B in R^(m x d), J in {1..n}^m, g entire."""

from __future__ import annotations

import re

from theorems.statement.expression import StatementError
from theorems.statement.reading.families import family_of
from theorems.statement.reading.ranges import LARGEST
from theorems.statement.reading.syntax import split_top, within

#: What may be said of a matrix.
SHAPES = ("any", "symmetric", "psd", "positive definite")
SHAPE_WORDS = {
    "any": "any",
    "arbitrary": "any",
    "real": "any",
    "symmetric": "symmetric",
    "psd": "psd",
    "positive semidefinite": "psd",
    "pd": "positive definite",
    "positive definite": "positive definite",
}
MEMBER = re.compile(r"^\s*([A-Za-z][A-Za-z0-9_]*)\s+in\s+R(?:\s*(?:\^|\*\*)\s*([A-Za-z][A-Za-z0-9_]*|[0-9]+))?\s*$")
RECTANGLE = re.compile(
    r"^\s*([A-Za-z][A-Za-z0-9_]*)\s+in\s+R\s*(?:\^|\*\*)\s*[({]\s*(\w+)\s+x\s+(\w+)\s*[)}]\s*$", re.ASCII
)
#: A sequence of integers between two ends: J in {1..n}^m.
CHOICE = re.compile(
    r"^\s*([A-Za-z][A-Za-z0-9_]*)\s+in\s+\{\s*([^{}]+?)\s*\.\.\s*([^{}]+?)\s*\}"
    r"\s*(?:\^|\*\*)\s*([A-Za-z][A-Za-z0-9_]*|[0-9]+)\s*$"
)
#: A power series that converges everywhere.
ENTIRE = re.compile(r"^\s*([A-Za-z][A-Za-z_]*)\s+(?:is\s+)?entire\s+with\s+coefficients\s*>=\s*0\s*$")
SHAPE = re.compile(r"^\s*([A-Za-z][A-Za-z0-9_]*)\s+(?:is\s+)?([a-z][a-z ]*?)\s*$")
#: Names that stand for something in every statement.
_TAKEN = {
    "x": "the tokens",
    "T": "the number of tokens",
    "d": "the length of a token",
    "I": "the identity",
    "Sigma": "a d x d covariance",
    "pi": "a number",
    "oo": "infinity",
}
_SIZE = re.compile(r"[A-Za-z]\w*|[1-9][0-9]*")
_JOINED = re.compile(r"\b(and|or)\b")


def check_declared(text: str) -> None:
    """Raise StatementError for a declared name that is taken, for a size that is none, for two hypotheses in one."""
    for part, column in split_top(text, ",;"):
        with within(part, column, text):
            _check_part(part)


def _check_part(part: str) -> None:
    if (joined := _JOINED.search(part)) is not None:
        mend = "write a comma for it" if joined[1] == "and" else "check the cases one by one"
        raise StatementError(f"{joined[1]} joins no hypotheses; {mend}", part, joined.start())
    forms = ((MEMBER, (2,)), (RECTANGLE, (2, 3)), (CHOICE, (4,)), (ENTIRE, ()))
    matches = [(match, sizes) for form, sizes in forms if (match := form.match(part)) is not None]
    names = [match[1] for match, _ in matches] + [family[0] for family in (family_of(part),) if family is not None]
    for name in names:
        meaning = _TAKEN.get(name) or ("a matrix" if name == "W" and not RECTANGLE.match(part) else "")
        if meaning:
            raise StatementError(f"{name} stands for {meaning}; take another letter", part, 0)
    for match, sizes in matches:
        for k in sizes:
            if match[k] and (not _SIZE.fullmatch(match[k]) or (match[k].isdigit() and int(match[k]) > LARGEST)):
                told = f"the size {match[k]}; expected a name such as m, or an integer from 1 to {LARGEST}"
                raise StatementError(told, part, match.start(k))


def vocabulary_of(text: str) -> tuple[frozenset[str], frozenset[str], dict[str, str]]:
    """Matrices, fixed vectors, and sequences with their sizes: ``B symmetric``, ``a in R^d``, ``s in R^n``."""
    matrices = {"W", "Sigma", "I"}
    vectors: set[str] = set()
    sequences: dict[str, str] = {}
    for part, _ in split_top(text, ",;"):
        member, shape, rectangle = MEMBER.match(part), SHAPE.match(part), RECTANGLE.match(part)
        if rectangle:
            matrices.add(rectangle[1])
        if choice := CHOICE.match(part):
            sequences[choice[1]] = choice[4]
        elif member and member[2] == "d":
            vectors.add(member[1])
        elif member and member[2]:
            sequences[member[1]] = member[2]
        elif shape and shape[2] in SHAPE_WORDS and shape[1][0].isupper():
            matrices.add(shape[1])
    return frozenset(matrices), frozenset(vectors), sequences


def entire_of(text: str) -> frozenset[str]:
    """The names of power series that hypotheses declare: g entire with coefficients >= 0."""
    return frozenset(match[1] for part, _ in split_top(text, ",;") if (match := ENTIRE.match(part)))


def sizes_of(text: str) -> set[str]:
    """The names of sizes that hypotheses declare, which are no positions of tokens: s in R^n, v[1..n] in R^d."""
    parts = [part for part, _ in split_top(text, ",;")]
    sizes = [match[match.re.groups] for form in (MEMBER, CHOICE) for match in map(form.match, parts) if match]
    found = {size for size in sizes if size and not size.isdigit()}
    bounds = [bound for family in map(family_of, parts) if family for bound in family[1]]
    return found.union(*(last.names() for _, last in bounds)) - {"d"}


def shape_of(part: str) -> tuple[str, str] | None:
    """The matrix and the shape that a hypothesis such as ``W is psd`` gives it; None for any other hypothesis."""
    match = SHAPE.match(part)
    known = match is not None and match[1][0].isupper() and match[2] in SHAPE_WORDS
    return (match[1], SHAPE_WORDS[match[2]]) if match is not None and known else None


def said_real(text: str) -> set[str]:
    """The names of which hypotheses say that they are real numbers: lam real, lam in R."""
    parts = [part for part, _ in split_top(text, ",;")]
    found = {match[1] for match in map(MEMBER.match, parts) if match and not match[2]}
    return found | {match[1] for match in map(SHAPE.match, parts) if match and match[2] == "real"}


def declares(part: str) -> bool:
    """Whether a part of the hypotheses only says what a name stands for: a in R^d, s in R^n, lam real, B any."""
    match = SHAPE.match(part)
    shaped = shape_of(part)
    plain = shaped[1] == "any" if shaped else match is not None and match[2] in ("real", "integer")
    forms = (MEMBER, RECTANGLE, CHOICE, ENTIRE)
    return bool(plain or family_of(part) or any(form.match(part) for form in forms))


def names_something(part: str) -> bool:
    """Whether a part says what a name stands for, s in R^n or B symmetric, which other parts may speak of."""
    return bool(shape_of(part) or family_of(part) or any(form.match(part) for form in (MEMBER, RECTANGLE, CHOICE)))
