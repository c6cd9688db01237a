"""Hypotheses as data: of the matrices, the dimension, the positions and the parameters.

W symmetric, W psd, W any, W != 0, Sigma = I, Sigma positive definite, B symmetric, a in R^d, s in R^n, B in R^(m x d),
d = 1, d >= 2, i <= j <= k, 0 < a < 1, lam > 0, lam real, abs(s[j]) <= B, g entire with coefficients >= 0
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise

from theorems.statement.expression import PREDICATES, Expr, StatementError, coefficients, minus, number
from theorems.statement.reading.declaring import (
    CHOICE,
    ENTIRE,
    MEMBER,
    RECTANGLE,
    SHAPE,
    SHAPE_WORDS,
    SHAPES,
    names_something,
    said_real,
)
from theorems.statement.reading.families import Bounds, family_of
from theorems.statement.reading.language import Vocabulary, parsed
from theorems.statement.reading.places import Differences, Place, place_of
from theorems.statement.reading.ranges import LARGEST, Range
from theorems.statement.reading.shapes import shape
from theorems.statement.reading.syntax import about, nearest, relations, split_top, within

#: A position, i or i + 1, and a number, in hypotheses that order positions.
_PLACE = re.compile(r"^([A-Za-z]\w*)\s*(?:[+-]\s*[0-9]+)?$", re.ASCII)
_NUMBER = re.compile(r"^-?[0-9]+(?:/0*[1-9][0-9]*|\.[0-9]+)?$", re.ASCII)
_PROPERTY = re.compile(rf"^\s*(?:{'|'.join(PREDICATES)})\s*\(")


@dataclass(frozen=True)
class Hypotheses:
    """Everything that a statement assumes, as data.

    ``matrices`` maps a matrix to its shape (W is any real matrix, Sigma any covariance unless said otherwise),
    ``sizes`` to its rows and columns where it need not be d x d, ``nonzero`` are matrices that are not 0, ``places``
    what is known of positions, ``ranges`` of parameters and of d; ``vectors`` are fixed vectors of R^d, ``sequences``
    vectors s in R^n with the bound of their entries (None: none), ``families`` families of vectors with the bounds of
    their indices; ``relations`` are comparisons of expressions, and ``truths`` relations for every index,
    ``every(...)``, that only cases are held to. ``choices`` are sequences of integers with the ends between which these
    lie, and ``properties`` those of functions on an interval, such as positive(f, t, 0, 1).
    ``entire`` are power series with coefficients >= 0. ``letters`` stand for every entry in a bound, the j of
    ``abs(s[j]) <= B``. ``texts`` are the hypotheses as written.
    """

    matrices: dict[str, str] = field(default_factory=dict)
    identity: bool = False
    nonzero: tuple[str, ...] = ()
    places: Differences = field(default_factory=Differences)
    ranges: dict[str, Range] = field(default_factory=dict)
    vectors: tuple[str, ...] = ()
    families: dict[str, Bounds] = field(default_factory=dict)
    truths: tuple[Expr, ...] = ()
    sequences: dict[str, tuple[str, Expr | None]] = field(default_factory=dict)
    choices: dict[str, tuple[Expr, Expr]] = field(default_factory=dict)
    relations: tuple[tuple[str, Expr, Expr], ...] = ()
    properties: tuple[Expr, ...] = ()
    unequal: tuple[tuple[Place, Place], ...] = ()
    texts: tuple[str, ...] = ()
    sizes: dict[str, tuple[str, str]] = field(default_factory=dict)
    entire: tuple[str, ...] = ()
    letters: tuple[str, ...] = ()

    def size(self, matrix: str) -> tuple[str, str]:
        """Names of a matrix's rows and columns, or their numbers."""
        return self.sizes.get(matrix, ("d", "d"))

    @property
    def size_names(self) -> set[str]:
        """The names that stand for rows and columns of matrices."""
        return {name for size in self.sizes.values() for name in size if not name.isdigit()}

    @property
    def fixed(self) -> set[str]:
        """The names of sizes, which are one number each: s[n] is the last entry of s in R^n."""
        ends = {name for bounds in self.families.values() for _, last in bounds for name in last.names()}
        return {"d", "T", *self.size_names, *ends, *(size for size, _ in self.sequences.values())}

    def shape(self, matrix: str) -> str:
        """What is assumed of a matrix."""
        return self.matrices.get(matrix, "psd" if matrix == "Sigma" else "any")

    def symmetric(self, matrix: str) -> bool:
        """Whether a matrix equals its transpose."""
        return matrix in ("Sigma", "I") or self.shape(matrix) != "any"

    @property
    def dimension(self) -> Range:
        """What is assumed of d."""
        return self.ranges.get("d", Range(Fraction(1), integer=True))


def read_hypotheses(text: str, positions: set[str], words: Vocabulary | None = None) -> Hypotheses:
    """The hypotheses of a text, comma between them; StatementError for one that is unknown or contradicts another.

    ``positions`` are the names that the statement uses as token positions: a comparison of these orders them. ``words``
    has the definitions that hypotheses may name, where they may be about expectations: those of an exchangeable law.
    """
    found = Hypotheses()
    # declarations first: of n in s in R^n the hypotheses before it say that it is an integer, too
    for part, column in sorted(split_top(text, ",;"), key=lambda entry: not names_something(entry[0])):
        if part:
            with within(part, column, text):
                found = _added(found, part, positions, words)
    texts = tuple(" ".join(part.split()) for part, _ in split_top(text, ",;") if part.strip())
    found = replace(found, texts=texts)
    for name, values in found.ranges.items():
        if values.empty:
            told = f"the hypotheses leave no value for {name}; drop one of them"
            raise about(name, text, told)
    for name in sorted(_whole(found)):
        if (least := _range_of(found, name).low) is not None and least > LARGEST:
            told = f"cases of {name} >= {least} are too large; expected {name} <= {LARGEST}, or every {name}"
            raise about(name, text, told)
    if found.places.shortest(positions) is None:
        raise StatementError("no positions satisfy the hypotheses; drop one of them", text, 0)
    for name, (rows, columns) in found.sizes.items():
        if rows != columns and found.shape(name) != "any":
            told = f"{name} is {rows} x {columns}, so that it is not {found.shape(name)}; drop one of the two"
            raise about(name, text, told)
    return found


def position_names(text: str, positions: set[str], parameters: set[str] | frozenset[str] = frozenset()) -> set[str]:
    """Names that the hypotheses order with positions, and which are positions too: i <= j <= k.

    A name that stands with a factor or in a function is a number, and so is one of the ``parameters``, one that is said
    to be real, or one that is compared with a number that no position needs: lam > 0, k <= 5/2.
    """
    found = set(positions)
    chains, numbers = [], said_real(text) | parameters
    for part, _ in split_top(text, ",;"):
        sides = _sides(part)
        chains.append({match[1] for match in map(_PLACE.match, sides) if match} - {"d"})
        for one, two in pairwise(sides):
            for name, bound in ((one, two), (two, one)):
                if (
                    name.isidentifier()
                    and _NUMBER.match(bound)
                    and (Fraction(bound) < 1 or "/" in bound or "." in bound)
                ):
                    numbers.add(name)
    while True:
        before = len(found)
        for names in chains:
            if names & found:
                found |= names - numbers
        if len(found) == before:
            return found


def orders_places(part: str) -> bool:
    """Whether a hypothesis only orders positions and integers: i + 1 <= j, i >= 3."""
    sides = _sides(part)
    return bool(sides) and all(_PLACE.match(side) or side.isdigit() for side in sides)


def _sides(part: str) -> list[str]:
    """What stands between the relations of a hypothesis; [] for one without."""
    found, first = [], 0
    for relation, place in relations(part):
        found.append(part[first:place].strip())
        first = place + len(relation)
    return [*found, part[first:].strip()] if found else []


def _added(known: Hypotheses, part: str, positions: set[str], words: Vocabulary | None) -> Hypotheses:
    if _PROPERTY.match(part):
        tree = parsed(part, words, part)
        if tree.op in PREDICATES:
            return replace(known, properties=(*known.properties, tree))
    member, rectangle, family = MEMBER.match(part), RECTANGLE.match(part), family_of(part)
    if member:
        return _member(known, member[1], member[2] or "")
    if rectangle:
        return _rectangle(known, rectangle[1], (rectangle[2], rectangle[3]), part)
    if choice := CHOICE.match(part):
        ends = (parsed(choice[2], None, part, choice.start(2)), parsed(choice[3], None, part, choice.start(3)))
        listed = _member(known, choice[1], choice[4])
        return replace(listed, choices={**known.choices, choice[1]: ends})
    if series := ENTIRE.match(part):
        for one in coefficients(series[1]):
            known = _ranged(known, one, ">=", Fraction(0), part)
        return replace(known, entire=(*known.entire, series[1]))
    if family is not None:
        return replace(known, families={**known.families, family[0]: family[1]})
    if part.strip().startswith("every("):
        return replace(known, truths=(*known.truths, parsed(part, words_of(known), part)))
    if not relations(part):
        return _shaped(known, part)
    return _compared(known, part, positions, words)


def _member(known: Hypotheses, name: str, where: str) -> Hypotheses:
    if not where:
        return replace(known, ranges={**known.ranges, name: _range_of(known, name)})
    if where == "d":
        return replace(known, vectors=(*known.vectors, name))
    return replace(known, sequences={**known.sequences, name: (where, None)})


def _rectangle(known: Hypotheses, name: str, size: tuple[str, str], part: str) -> Hypotheses:
    if known.sizes.get(name, size) != size:
        one, two = (" x ".join(sides) for sides in (known.sizes[name], size))
        raise StatementError(f"{name} has two sizes, {one} and {two}; drop one", part, 0)
    return replace(known, sizes={**known.sizes, name: size})


def _shaped(known: Hypotheses, part: str) -> Hypotheses:
    match = SHAPE.match(part)
    word = SHAPE_WORDS.get(match[2]) if match else None
    if match and word is not None and match[1][0].isupper():
        name = match[1]
        if name == "Sigma" and word in ("any", "symmetric"):
            word = "psd"
        stronger = max(word, known.matrices.get(name, "any"), key=SHAPES.index)
        return replace(known, matrices={**known.matrices, name: stronger})
    if match and match[2] in ("real", "integer"):
        before = _range_of(known, match[1])
        # an integer is a real number too
        whole = before.integer or match[2] == "integer"
        return replace(known, ranges={**known.ranges, match[1]: replace(before, integer=whole)})
    if match and match[2] == "singular" and match[1] == "Sigma":
        raise StatementError("Sigma may be singular unless it is said to be positive definite; drop this", part, 0)
    known_words = (*SHAPE_WORDS, "real", "integer")
    near = nearest(part.split()[-1], known_words) if not part.endswith(known_words) else ""
    if match and word is not None:
        near = f"; write {match[1].upper()}, as a matrix has a capital letter"
    raise StatementError(
        f"the hypothesis {part!r} is unknown{near}; expected e.g. W symmetric, Sigma = I, i <= j, lam > 0, s in R^n",
        part,
        0,
    )


def _compared(known: Hypotheses, part: str, positions: set[str], given: Vocabulary | None) -> Hypotheses:
    marks = relations(part)
    sides, first = [], 0
    for relation, place in marks:
        sides.append((part[first:place], first))
        first = place + len(relation)
    sides.append((part[first:], first))
    words = words_of(known, given)
    trees = [parsed(text, words, part, column) for text, column in sides]
    for k, (relation, place) in enumerate(marks):
        if relation in ("->", "~"):
            raise StatementError(f"{relation} is no hypothesis; write limits with --as", part, place)
        known = _comparison(known, trees[k], "=" if relation == "==" else relation, trees[k + 1], part, positions)
    return known


def words_of(known: Hypotheses, given: Vocabulary | None = None) -> Vocabulary:
    """What the names of hypotheses stand for, declared by those before, and by the definitions ``given``."""
    return Vocabulary(
        frozenset({*known.matrices, *known.sizes, "W", "Sigma", "I"}),
        frozenset(known.vectors),
        {name: size for name, (size, _) in known.sequences.items()},
        given.definitions if given is not None else {},
        given.values if given is not None else {},
        families={name: tuple(first for first, _ in bounds) for name, bounds in known.families.items()},
        entire=frozenset(known.entire),
    )


def _comparison(
    known: Hypotheses,
    left: Expr,
    relation: str,
    right: Expr,
    part: str,
    positions: set[str],
) -> Hypotheses:
    if left.op == "matrix" or right.op == "matrix":
        return _matrix_comparison(known, left, relation, right, part)
    refused = ("Var", "Cov", "P", "Kurt", "Skew", "Corr")
    if any(tree.random or tree.has(*refused) for tree in (left, right)):
        raise StatementError(f"{part!r} is about random quantities; expected fixed ones, e.g. lam > 0", part, left.at)
    if {shape(left, part), shape(right, part)} != {"number"}:
        left, relation, right = _apart(left, relation, right, part)
    names = left.names() | right.names()
    if names and names <= positions:
        return _ordered(known, left, relation, right, part)
    if left.op == "abs" and relation == "<=" and _every_entry(known, left.args[0], right):
        return _bounded(known, left.args[0], right, part)
    if left.op == "number" and right.op == "name":
        turned = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
        left, relation, right = right, turned.get(relation, relation), left
    if left.op == "name" and right.op == "number":
        return _ranged(known, left.args[0], relation, right.args[0], part)
    if not names and not any(
        tree.has("entry", "family", "vector", "tr", "norm", "entrynorm") for tree in (left, right)
    ):
        raise StatementError(f"{part!r} names nothing; expected e.g. lam > 0", part, left.at)
    return replace(known, relations=(*known.relations, (relation, left, right)))


def _apart(left: Expr, relation: str, right: Expr, part: str) -> tuple[Expr, str, Expr]:
    """Vectors, or matrices, that are equal or not, by the norm of their difference."""
    gap = left if right == number(0) else minus(left, right)
    kind = shape(gap, part)
    if relation not in ("=", "!=") or kind not in ("vector", "row", "matrix"):
        told = f"{part!r} compares what is no number by {relation}"
        raise StatementError(f"{told}; say it of entries, s[j] >= 0 for s in R^n", part, max(left.at, 0))
    return Expr("norm", (gap, "fro" if kind == "matrix" else "")), "=" if relation == "=" else ">", number(0)


def _matrix_comparison(known: Hypotheses, left: Expr, relation: str, right: Expr, part: str) -> Hypotheses:
    name = left.args[0] if left.op == "matrix" else ""
    zero = right.op == "number" and right.args[0] == 0
    if name == "Sigma" and relation == "=" and right == Expr("matrix", ("I",)):
        return replace(known, identity=True)
    if name and relation == "!=" and zero:
        return replace(known, nonzero=(*known.nonzero, name))
    if name and name != "Sigma" and relation == "=" and right == Expr("T", (left,)):
        return _shaped(known, f"{name} symmetric")
    if name and name != "Sigma" and relation == "=":
        told = f"{part.strip()!r} says what {name} is; expected as a definition: --where {part.strip()!r}"
        raise StatementError(told, part, max(left.at, 0))
    raise StatementError(
        f"the hypothesis {part!r} is unknown; of matrices expected W symmetric, W psd, W != 0, Sigma = I",
        part,
        max(left.at, 0),
    )


def _ordered(known: Hypotheses, left: Expr, relation: str, right: Expr, part: str) -> Hypotheses:
    try:
        one, two = place_of(left, part), place_of(right, part)
    except StatementError:
        if relation == "=" and {left.op, right.op} == {"name", "number"}:
            name = right if left.op == "number" else left
            raise StatementError(f"{part!r} leaves no value for {name}, an integer >= 1; drop it", part, 0) from None
        return replace(known, relations=(*known.relations, (relation, left, right)))
    places = known.places
    if relation == "!=":
        return replace(known, unequal=(*known.unequal, (one, two)))
    if relation in ("<=", "<", "="):
        places = places.with_(one, two, -1 if relation == "<" else 0)
    if relation in (">=", ">", "="):
        places = places.with_(two, one, -1 if relation == ">" else 0)
    return replace(known, places=places)


def _every_entry(known: Hypotheses, node: Expr, bound: Expr) -> bool:
    """Whether abs(node) <= bound is about all entries: s, or s[j] with a letter that the bound does not have.

    abs(s[1]) <= B and abs(s[n]) <= B for the size n are about one entry alone, and abs(s[j]) <= B*j gives each its own
    bound: these stay relations.
    """
    if node.op == "family":
        return True
    index = node.args[-1] if node.op == "entry" else number(0)
    return index.op == "name" and index.args[0] not in bound.names() | known.fixed


def _bounded(known: Hypotheses, entry: Expr, bound: Expr, part: str) -> Hypotheses:
    name = entry.args[0]
    if name not in known.sequences:
        raise StatementError(f"{name} is no sequence; say first {name} in R^n", part, entry.at)
    size, before = known.sequences[name]
    if before is not None and before != bound:
        raise StatementError(
            f"{name} has two bounds, {before} and {bound}; write min({before}, {bound})", part, entry.at
        )
    letters = (*known.letters, entry.args[-1].args[0]) if entry.op == "entry" else known.letters
    return replace(known, sequences={**known.sequences, name: (size, bound)}, letters=letters)


def _whole(known: Hypotheses) -> set[str]:
    """The names that are sizes, integers >= 1."""
    lengths = {size for size, _ in known.sequences.values() if not size.isdigit()}
    lengths |= {last.args[0] for bounds in known.families.values() for _, last in bounds if last.op == "name"}
    return {"d", *known.size_names, *lengths}


def _range_of(known: Hypotheses, name: str) -> Range:
    """What is assumed of a number so far; sizes are integers >= 1 from the start."""
    return known.ranges.get(name, Range(Fraction(1), integer=True) if name in _whole(known) else Range())


def _ranged(known: Hypotheses, name: str, relation: str, value: Fraction, part: str) -> Hypotheses:
    whole = _whole(known)
    before = _range_of(known, name)
    after = before
    if relation in (">", ">=", "="):
        stronger = before.low is None or value > before.low or (value == before.low and relation == ">")
        after = replace(after, low=value, low_open=relation == ">") if stronger else after
    if relation in ("<", "<=", "="):
        stronger = before.high is None or value < before.high or (value == before.high and relation == "<")
        after = replace(after, high=value, high_open=relation == "<") if stronger else after
    if relation == "!=":
        if value != 0:
            mend = f"check {name} > {value} and {name} < {value} one by one"
            raise StatementError(f"{part!r} is not read, {name} != 0 is; {mend}", part, 0)
        after = replace(after, nonzero=True)
    if name in whole and (value.denominator != 1 or after.empty):
        raise StatementError(f"{part!r} leaves no value for {name}, an integer >= 1; drop it", part, 0)
    if after.empty or (relation == "=" and not before.holds(value)):
        raise StatementError(f"{part!r} leaves no value for {name} beside the other hypotheses; drop one", part, 0)
    return replace(known, ranges={**known.ranges, name: after})


def names_of(known: Hypotheses) -> Iterator[str]:
    """Every scalar name that a hypothesis is about."""
    yield from known.ranges
    yield from spoken_of(known)


def spoken_of(known: Hypotheses) -> Iterator[str]:
    """Every scalar name of which a hypothesis says more than the numbers between which it lies."""
    yield from known.places.names()
    for _, left, right in known.relations:
        yield from left.names() | right.names()
    for one, two in known.unequal:
        yield from {one.name, two.name} - {""}
    yield from known.size_names - {"d"}
    for bounds in known.families.values():
        for _, last in bounds:
            yield from last.names()
    for truth in known.truths:
        yield from truth.names()
    for ends in known.choices.values():
        yield from ends[0].names() | ends[1].names()
    for size, bound in known.sequences.values():
        if not size.isdigit():
            yield size
        yield from bound.names() if bound is not None else ()
