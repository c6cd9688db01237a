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
from theorems.statement.reading.families import Bounds, family_of
from theorems.statement.reading.language import Vocabulary, parsed
from theorems.statement.reading.places import Differences, Place, place_of
from theorems.statement.reading.ranges import LARGEST, Range
from theorems.statement.reading.shapes import shape
from theorems.statement.reading.syntax import nearest, relations, split_top

#: What may be said of a matrix.
SHAPES = ("any", "symmetric", "psd", "positive definite")
_SHAPE_WORDS = {
    "any": "any",
    "arbitrary": "any",
    "real": "any",
    "symmetric": "symmetric",
    "psd": "psd",
    "positive semidefinite": "psd",
    "pd": "positive definite",
    "positive definite": "positive definite",
}
_MEMBER = re.compile(r"^\s*([A-Za-z][A-Za-z0-9_]*)\s+in\s+R(?:\s*(?:\^|\*\*)\s*([A-Za-z][A-Za-z0-9_]*|[0-9]+))?\s*$")
_RECTANGLE = re.compile(
    r"^\s*([A-Za-z][A-Za-z0-9_]*)\s+in\s+R\s*(?:\^|\*\*)\s*[({]\s*(\w+)\s+x\s+(\w+)\s*[)}]\s*$", re.ASCII
)
#: A sequence of integers between two ends: J in {1..n}^m.
_CHOICE = re.compile(
    r"^\s*([A-Za-z][A-Za-z0-9_]*)\s+in\s+\{\s*([^{}]+?)\s*\.\.\s*([^{}]+?)\s*\}"
    r"\s*(?:\^|\*\*)\s*([A-Za-z][A-Za-z0-9_]*|[0-9]+)\s*$"
)
#: A power series that converges everywhere.
_ENTIRE = re.compile(r"^\s*([A-Za-z][A-Za-z_]*)\s+(?:is\s+)?entire\s+with\s+coefficients\s*>=\s*0\s*$")
_SHAPE = re.compile(r"^\s*([A-Za-z][A-Za-z0-9_]*)\s+(?:is\s+)?([a-z][a-z ]*?)\s*$")
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
    for part, column in sorted(split_top(text, ",;"), key=lambda entry: not _declaring(entry[0])):
        if part.strip():
            try:
                found = _added(found, part, positions, words)
            except StatementError as error:
                place = column + error.at if error.at >= 0 and error.text == part else column
                raise StatementError(str(error), text, place) from None
    texts = tuple(" ".join(part.split()) for part, _ in split_top(text, ",;") if part.strip())
    found = replace(found, texts=texts)
    for name, values in found.ranges.items():
        if values.empty:
            raise StatementError(f"the hypotheses leave no value for {name}; drop one of them", text, 0)
    if (least := found.dimension.low) is not None and least > LARGEST:
        raise StatementError(f"cases of d >= {least} are too large; expected d <= {LARGEST}, or every d", text, 0)
    if found.places.shortest(positions) is None:
        raise StatementError("no positions satisfy the hypotheses; one contradicts another", text, 0)
    for name, (rows, columns) in found.sizes.items():
        if rows != columns and found.shape(name) != "any":
            raise StatementError(f"{name} is {rows} x {columns}, so that it is not {found.shape(name)}", text, 0)
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


def said_real(text: str) -> set[str]:
    """The names of which hypotheses say that they are real numbers: lam real, lam in R."""
    parts = [part for part, _ in split_top(text, ",;")]
    found = {match[1] for match in map(_MEMBER.match, parts) if match and not match[2]}
    return found | {match[1] for match in map(_SHAPE.match, parts) if match and match[2] == "real"}


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


def vocabulary_of(text: str) -> tuple[frozenset[str], frozenset[str], dict[str, str]]:
    """Matrices, fixed vectors, and sequences with their sizes: ``B symmetric``, ``a in R^d``, ``s in R^n``."""
    matrices = {"W", "Sigma", "I"}
    vectors: set[str] = set()
    sequences: dict[str, str] = {}
    for part, _ in split_top(text, ",;"):
        member, shape, rectangle = _MEMBER.match(part), _SHAPE.match(part), _RECTANGLE.match(part)
        if rectangle:
            matrices.add(rectangle[1])
        if choice := _CHOICE.match(part):
            sequences[choice[1]] = choice[4]
        elif member and member[2] == "d":
            vectors.add(member[1])
        elif member and member[2]:
            sequences[member[1]] = member[2]
        elif shape and shape[2] in _SHAPE_WORDS and shape[1][0].isupper():
            matrices.add(shape[1])
    return frozenset(matrices), frozenset(vectors), sequences


def entire_of(text: str) -> frozenset[str]:
    """The names of power series that hypotheses declare: g entire with coefficients >= 0."""
    return frozenset(match[1] for part, _ in split_top(text, ",;") if (match := _ENTIRE.match(part)))


def sizes_of(text: str) -> set[str]:
    """The names of sizes that hypotheses declare, which are no positions of tokens: s in R^n, v[1..n] in R^d."""
    parts = [part for part, _ in split_top(text, ",;")]
    sizes = [match[match.re.groups] for form in (_MEMBER, _CHOICE) for match in map(form.match, parts) if match]
    found = {size for size in sizes if size and not size.isdigit()}
    bounds = [bound for family in map(family_of, parts) if family for bound in family[1]]
    return found.union(*(last.names() for _, last in bounds)) - {"d"}


def shape_of(part: str) -> tuple[str, str] | None:
    """The matrix and the shape that a hypothesis such as ``W is psd`` gives it; None for any other hypothesis."""
    match = _SHAPE.match(part)
    known = match is not None and match[1][0].isupper() and match[2] in _SHAPE_WORDS
    return (match[1], _SHAPE_WORDS[match[2]]) if match is not None and known else None


def declares(part: str) -> bool:
    """Whether a part of the hypotheses only says what a name stands for: a in R^d, s in R^n, lam real, B any."""
    match = _SHAPE.match(part)
    shaped = shape_of(part)
    plain = shaped[1] == "any" if shaped else match is not None and match[2] in ("real", "integer")
    forms = (_MEMBER, _RECTANGLE, _CHOICE, _ENTIRE)
    return bool(plain or family_of(part) or any(form.match(part) for form in forms))


def _added(known: Hypotheses, part: str, positions: set[str], words: Vocabulary | None) -> Hypotheses:
    if _PROPERTY.match(part):
        tree = parsed(part, words, part)
        if tree.op in PREDICATES:
            return replace(known, properties=(*known.properties, tree))
    member, rectangle, family = _MEMBER.match(part), _RECTANGLE.match(part), family_of(part)
    if member:
        return _member(known, member[1], member[2] or "")
    if rectangle:
        return _rectangle(known, rectangle[1], (rectangle[2], rectangle[3]), part)
    if choice := _CHOICE.match(part):
        ends = (parsed(choice[2], None, part, choice.start(2)), parsed(choice[3], None, part, choice.start(3)))
        listed = _member(known, choice[1], choice[4])
        return replace(listed, choices={**known.choices, choice[1]: ends})
    if series := _ENTIRE.match(part):
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
    if name in ("Sigma", "I", "x"):
        raise StatementError(f"{name} is d x d; take another letter for a matrix of another size", part, 0)
    for label in size:
        if label.isdigit() != (not label[0].isalpha()) or label == "0" or label[0] == "_":
            raise StatementError(f"the size {label}; expected a name such as m or an integer >= 1", part, 0)
    if known.sizes.get(name, size) != size:
        raise StatementError(f"{name} has two sizes, {known.sizes[name]} and {size}; drop one", part, 0)
    return replace(known, sizes={**known.sizes, name: size})


def _shaped(known: Hypotheses, part: str) -> Hypotheses:
    match = _SHAPE.match(part)
    word = _SHAPE_WORDS.get(match[2]) if match else None
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
    near = nearest(part.split()[-1], (*_SHAPE_WORDS, "real", "integer")) if part.split() else ""
    raise StatementError(
        f"the hypothesis {part.strip()!r} is unknown{near}; expected e.g. W symmetric, Sigma = I, i <= j, lam > 0, "
        "s in R^n",
        part,
        len(part) - len(part.lstrip()),
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
            raise StatementError(f"{relation} is no hypothesis; limits are given with --as", part, place)
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
        raise StatementError(f"{part.strip()!r} is about random quantities; expected parameters", part, left.at)
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
        raise StatementError(f"{part.strip()!r} names nothing; expected e.g. lam > 0", part, left.at)
    return replace(known, relations=(*known.relations, (relation, left, right)))


def _apart(left: Expr, relation: str, right: Expr, part: str) -> tuple[Expr, str, Expr]:
    """Vectors, or matrices, that are equal or not, by the norm of their difference."""
    gap = left if right == number(0) else minus(left, right)
    kind = shape(gap, part)
    if relation not in ("=", "!=") or kind not in ("vector", "row", "matrix"):
        told = f"{part.strip()!r} compares what is no number by {relation}"
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
        f"the hypothesis {part.strip()!r} is unknown; of matrices expected W symmetric, W psd, W != 0, Sigma = I",
        part,
        max(left.at, 0),
    )


def _ordered(known: Hypotheses, left: Expr, relation: str, right: Expr, part: str) -> Hypotheses:
    try:
        one, two = place_of(left, part), place_of(right, part)
    except StatementError:
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
        raise StatementError(f"{name} is no sequence; declare it first: {name} in R^n", part, entry.at)
    size, before = known.sequences[name]
    if before is not None and before != bound:
        raise StatementError(
            f"{name} has two bounds, {before} and {bound}; write min({before}, {bound})", part, entry.at
        )
    letters = (*known.letters, entry.args[-1].args[0]) if entry.op == "entry" else known.letters
    return replace(known, sequences={**known.sequences, name: (size, bound)}, letters=letters)


def _declaring(part: str) -> bool:
    """Whether a part says what a name stands for, s in R^n or B symmetric, which other parts may speak of."""
    return bool(shape_of(part) or family_of(part) or any(form.match(part) for form in (_MEMBER, _RECTANGLE, _CHOICE)))


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
            raise StatementError(f"{part.strip()!r}: of unequal numbers only {name} != 0 is known", part, 0)
        after = replace(after, nonzero=True)
    if name in whole and (value.denominator != 1 or after.empty):
        raise StatementError(f"{name} is an integer >= 1; {part.strip()!r} leaves none", part, 0)
    if after.empty or (relation == "=" and not before.holds(value)):
        raise StatementError(f"{part.strip()!r} leaves no value for {name}; it contradicts another hypothesis", part, 0)
    return replace(known, ranges={**known.ranges, name: after})


def names_of(known: Hypotheses) -> Iterator[str]:
    """Every scalar name that a hypothesis is about."""
    yield from known.ranges
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
