"""A proposition: everything that a lemma says, as one immutable object, read once."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any

from theorems.statement.expression import MOMENTS, RANGES, Expr, StatementError, name, number
from theorems.statement.reading.binders import spoken, taken
from theorems.statement.reading.calls import CALLS
from theorems.statement.reading.coherent import (
    DEFINED,
    check_bound,
    check_defined,
    check_letters,
    check_made,
    check_names,
    check_random,
    check_reached,
    check_spoken,
    settled,
)
from theorems.statement.reading.conditions import condition, numbers_of, split_clause
from theorems.statement.reading.declaring import check_declared, entire_of, sizes_of, vocabulary_of
from theorems.statement.reading.entrywise import LEFT, RIGHT, entry
from theorems.statement.reading.families import families_of
from theorems.statement.reading.hypotheses import Hypotheses, names_of, position_names, read_hypotheses
from theorems.statement.reading.indices import check_entries, check_indices
from theorems.statement.reading.language import LETTERS, Vocabulary, parsed
from theorems.statement.reading.laws import Law, read_law
from theorems.statement.reading.notation import check_notation, plain
from theorems.statement.reading.places import Differences, Place, place_of
from theorems.statement.reading.shapes import as_number, shape
from theorems.statement.reading.sizes import NUMBER, size, told
from theorems.statement.reading.syntax import about, check_brackets, split_relation, split_top
from theorems.statement.reading.tending import Limit, check_limit, read_limit, share_ranges

#: The length T in hypotheses, and no transpose.
_LENGTH = re.compile(r"(?<![.\w])T(?!\w)")
#: Columns of definitions are counted from here on, as they are put into sides.
_DEFINED = 1 << 20
_INTEGER = re.compile(r"([A-Za-z]\w*)\s+(?:is\s+)?integer\b")


@dataclass(frozen=True)
class Proposition:
    """left RELATION right + error, under a law and hypotheses, along a limit where there is one.

    For ``iff`` and ``if`` both sides are conditions.
    Of sides that are vectors or matrices, ``left`` and ``right`` are any of their entries (entrywise.py), and ``whole``
    the sides as they are stated.
    ``error`` is ("o" or "O", scale) for an error term on the right side. ``positions`` are the names of token
    positions (1 <= i <= T), ``parameters`` the other names.
    """

    law: Law
    left: Expr
    relation: str
    right: Expr
    error: tuple[str, Expr] | None
    known: Hypotheses
    limit: Limit
    positions: tuple[str, ...]
    parameters: tuple[str, ...]
    text: str
    definitions: tuple[str, ...] = ()
    places: tuple[Place, ...] = field(default=())
    families: tuple[tuple[str, tuple[str, Expr]], ...] = ()
    whole: tuple[Expr, Expr] | None = None

    @property
    def stated(self) -> tuple[Expr, Expr]:
        """Both sides as a reader knows them: vectors and matrices whole."""
        return self.whole or (self.left, self.right)

    @property
    def random(self) -> bool:
        """Whether tokens occur: the statement is about moments."""
        return any(side.has("token", "mean") for side in (self.left, self.right))

    @property
    def asymptotic(self) -> bool:
        """Whether the statement is about a limit."""
        return self.relation in ("->", "~") or self.error is not None or self.left.has("lim")

    @property
    def way(self) -> int:
        """1 where the left side is at most the right one, -1 where it is at least that, 0 for another relation."""
        return {"<": 1, "<=": 1, ">": -1, ">=": -1}.get(self.relation, 0)

    def plain(self) -> dict[str, Any]:
        """The statement as nested lists and text, as the other side reads it."""
        sides = [self.left, self.right]
        if self.whole is not None:
            # the other side takes entries in its own way; a side that was changed stays as it is
            kind = shape(self.whole[0])
            sides = [one if entry(one, kind) == side else side for one, side in zip(self.whole, sides, strict=True)]
        found: dict[str, Any] = {"law": self.law.plain(), "left": sides[0].plain(), "right": sides[1].plain()}
        bodies = {name: [index, body.plain()] for name, (index, body) in self.families}
        if self.known.sizes:
            found["sizes"] = {label: list(shape) for label, shape in self.known.sizes.items()}
        return {**found, "definitions": bodies} if bodies else found

    @cached_property
    def matrices(self) -> tuple[str, ...]:
        """The matrices that occur, Sigma always where tokens do."""
        sides = (self.left, self.right, *(side for _, one, two in self.known.relations for side in (one, two)))
        used = {node.args[0] for side in sides for node in side.walk() if node.op == "matrix"}
        return tuple(sorted((used | ({"Sigma"} if self.random and not self.law.exchangeable else set())) - {"I"}))


def proposition(text: str, hypotheses: str = "", where: str = "", law: str = "walk", limit: str = "") -> Proposition:
    """Read a statement with its hypotheses, definitions, law and limit; StatementError names the place and the mend."""
    try:
        return _proposition(text, hypotheses, where, law, limit)
    except StatementError as error:
        raise located(error, error.text, where) from None


def located(error: StatementError, text: str, where: str) -> StatementError:
    """An error about a part of a side, with its place in the text of the statement or in that of the definitions."""
    if error.at >= _DEFINED:
        return StatementError(str(error), plain(where).replace("\n", " "), error.at - _DEFINED)
    return StatementError(str(error), text, error.at)


def _proposition(text: str, hypotheses: str, where: str, law: str, limit: str) -> Proposition:
    text, hypotheses, where, law, limit = map(plain, (text, hypotheses, where, law, limit))
    for given in (text, hypotheses, where):
        check_notation(given)
    for given in (text, hypotheses, where, law, limit):
        check_brackets(given)
    check_declared(hypotheses)
    # lines may be broken anywhere
    text, hypotheses, where = (part.replace("\n", " ") for part in (text, hypotheses, where))
    matrices, vectors, sequences = vocabulary_of(hypotheses)
    made = read_law(law)
    if made.moved:
        vectors |= {"m"}
    families, entire = families_of(hypotheses), entire_of(hypotheses)
    words = _defined(where, matrices, vectors, tuple(sequences.items()), tuple(families.items()), entire)
    clause = split_clause(text)
    left_text, relation, right_text, column = clause or split_relation(text)
    read = condition if clause else parsed
    left = settled(read(left_text, words, text, 0), text)
    right = settled(read(right_text, words, text, column + len(relation)), text)
    right, error = (right, None) if clause else _error_term(left, right, text)
    sides = (left, right) if error is None else (left, right, error[1])
    regime = read_limit(limit, words)
    # sums over the entries of a sequence end at its size, which is no position of a token
    tokens = any(side.has("token", "mean") for side in sides)
    integers = set() if tokens else set(_INTEGER.findall(hypotheses))
    positions = _positions(sides, integers) - sizes_of(hypotheses)
    if regime.variable == "T" or any("T" in side.names() for side in sides) or (tokens and _LENGTH.search(hypotheses)):
        positions.add("T")
    positions = position_names(hypotheses, positions, made.names())
    for label, share in regime.regime:
        if label not in positions:
            raise about(label, limit, f"{label}/T -> {share}, but the statement has no position {label}; drop it")
    known = read_hypotheses(hypotheses, positions, words if made.exchangeable else None)
    named, pairs = _places(sides, text, positions)
    places = tuple(sorted(named))
    known = _shares(_within(known, positions, pairs, text, hypotheses), regime, hypotheses)
    check_names(sides, known, made, regime, positions, text, hypotheses)
    if clause:
        for side in (left, right):
            shape(side, text)
        _check_shapes((*numbers_of(left), *numbers_of(right)), "", known, text)
    else:
        _check_shapes((left, right), relation if error is None else "", known, text)
    _check_law(made, known, places, positions, law, regime.variable)
    if not made.exchangeable:
        check_defined(words, {*names_of(known), *known.letters} | made.names() | regime.names(), where)
    check_made(sides, known, words, made, text, (hypotheses, where, law, limit))
    check_indices(sides, hypotheses, text)
    check_entries(sides, known, text, hypotheses)
    check_letters(sides, known, hypotheses)
    free = {name for side in sides for name in side.names()} | made.names() | regime.names() | {"T"}
    check_bound(sides, known, free, made, hypotheses)
    check_spoken(sides, known, made, regime, positions, hypotheses)
    check_limit(sides, relation, error, regime, text, limit)
    check_reached(known, regime, positions, limit)
    check_random(sides, text)
    used = {name for side in sides for name in side.names()} | made.names() | regime.names()
    parameters = sorted((used | set(names_of(known))) - positions - {"d"})
    whole = None
    if error is None and not clause and (any(side.has("token", "mean") for side in sides)) and shape(left) != "number":
        whole = left, right
        left, right, known = _entries(left, right, known, regime, text, limit)
    return Proposition(
        law=made,
        left=left,
        relation=relation,
        right=right,
        error=error,
        known=known,
        limit=regime,
        positions=tuple(sorted(positions, key=lambda n: (n == "T", n))),
        parameters=tuple(parameters),
        text=" ".join(text.split()),
        definitions=tuple(" ".join(part.split()) for part, _ in split_top(where, ";,") if part.strip()),
        places=places,
        families=tuple(words.definitions.items()),
        whole=whole,
    )


def _entries(
    left: Expr, right: Expr, known: Hypotheses, regime: Limit, text: str, given: str
) -> tuple[Expr, Expr, Hypotheses]:
    """Any entry of both sides, and the unit vectors that stand for its row and column among what a case gives."""
    kind = shape(left)
    lengths = dict(zip((LEFT, RIGHT), size(left, known, text), strict=True))
    units = {name: lengths[name] for name in {"vector": (LEFT,), "row": (RIGHT,)}.get(kind, (LEFT, RIGHT))}
    for label in units.values():
        if not (label.isidentifier() or label.isdigit()):
            raise StatementError(f"{left} has {label} entries; give that number a name of its own", text, left.at)
        if label == regime.variable:
            raise StatementError(f"{left} has no limit: its size {label} tends; take a number of it", given, 0)
    try:
        sides = entry(left, kind), entry(right, kind)
    except StatementError as error:
        raise StatementError(str(error), text, error.at) from None
    return *sides, replace(
        known, sequences={**known.sequences, **{name: (label, None) for name, label in units.items()}}
    )


# under weaker hypotheses the definitions are mostly the same
@lru_cache(maxsize=64)
def _defined(
    where: str,
    matrices: frozenset[str],
    vectors: frozenset[str],
    sequences: tuple[tuple[str, str], ...],
    families: tuple[tuple[str, tuple[int, ...]], ...],
    entire: frozenset[str],
) -> Vocabulary:
    """The vocabulary with the definitions of ``where``: s[i] = ..., f = ...; each may use those before it."""
    words = Vocabulary(matrices, vectors, dict(sequences), families=dict(families), entire=entire)
    for part, column in split_top(where, ";,"):
        if not part.strip():
            continue
        match = DEFINED.match(part)
        if match is None:
            raise StatementError(f"{part!r} is no definition; expected e.g. s[i] = x[i].T*W*x[T]/T", where, column)
        head, index, body = match[1], match[2], match[3]
        # x[i] = column(X, i): the tokens are the columns of a given matrix, so that there are no others
        tokens = head == "x" and index and not re.search(r"\bx\s*\[", body)
        # W = a*I: no other W is spoken of, before it or in it
        alone = head == "W" and len(re.findall(r"\bW\b", where[: column + len(part)])) == 1
        if (taken(words, head) and not tokens and not alone) or head in {*MOMENTS, *CALLS} - {*LETTERS}:
            raise StatementError(f"{head} is defined already; take another name", where, column)
        indices = tuple(name.strip() for name in (index or "").split(","))
        if again := next((one for k, one in enumerate(indices) if taken(words, one) or one in indices[:k]), ""):
            raise StatementError(f"{again} cannot be an index of {head}; take another letter", where, column)
        for other in re.findall(r"\w+", body):
            if both := spoken(words, other) & {*indices}:
                told = f"{other} is defined by {min(both)}, which is an index of {head}"
                raise StatementError(f"{told}; write {other}[{min(both)}] = ..., or take another letter", where, column)
        tree = parsed(body, words, where, _DEFINED + column + match.start(3))
        if len(indices) > 1:
            words = replace(words, several={**words.several, head: (indices, tree)})
        elif index:
            words = replace(words, definitions={**words.definitions, head: (index, tree)})
        else:
            words = replace(words, values={**words.values, head: tree})
        words = replace(words, matrices=words.matrices - {head})
    return words


def _error_term(left: Expr, right: Expr, text: str) -> tuple[Expr, tuple[str, Expr] | None]:
    """The right side without its o(...) or O(...), and that."""
    if left.has("o", "O"):
        raise StatementError("an error term on the left side; write it on the right, ... + o(T)", text, left.at)
    terms = right.args if right.op == "+" else (right,)
    errors = [term for term in terms if term.op in ("o", "O")]
    if not errors:
        if right.has("o", "O"):
            raise StatementError("an error term in a product or a function; expected ... + o(T)", text, right.at)
        return right, None
    if len(errors) > 1:
        raise StatementError("two error terms; keep the larger one", text, errors[1].at)
    rest = tuple(term for term in terms if term.op not in ("o", "O"))
    kept = rest[0] if len(rest) == 1 else Expr("+", rest) if rest else number(0)
    if kept.has("o", "O") or errors[0].args[0].has("o", "O"):
        raise StatementError("an error term in a product or a function; expected ... + o(T)", text, right.at)
    return kept, (errors[0].op, errors[0].args[0])


def _positions(sides: tuple[Expr, ...], integers: set[str]) -> set[str]:
    """The names that stand in x[...] or at the ends of a sum, but for ``integers`` where numbers alone are added."""
    found: set[str] = set()

    def look(node: Expr, own: frozenset[str]) -> None:
        if node.op in RANGES:
            body, index, *ends = node.args
            for end in ends if node.op == "sum" or body.has("token") else ():
                found.update(end.names() - own - {"d"} - (set() if body.has("entry") else integers))
            look(body, own | {index})
            for end in ends:
                look(end, own)
            return
        if node.op == "token":
            found.update(node.names() - own)
        if node.op == "mean":
            found.add("T")
        for arg in node:
            look(arg, own)

    for side in sides:
        look(side, frozenset())
    return found


def _places(sides: tuple[Expr, ...], text: str, positions: set[str]) -> tuple[set[Place], list[tuple[Place, Place]]]:
    """The places that tokens, ends of sums and minima of positions name, and pairs one <= two that hold for them.

    A token lies in 1 ... T, also one beside the index of a sum; the first index of a sum is at least 1 and the last at
    most T, while a sum that ends before it begins is 0. What a minimum compares may lie anywhere.
    """
    found: set[Place] = set()
    pairs: list[tuple[Place, Place]] = []
    one, top = Place("", 1), Place("T")

    def bound(place: Place, low: bool, high: bool) -> None:
        found.add(place)
        if low:
            pairs.append((one, place))
        if high and "T" in positions and not (place.name == "T" and place.offset > 0):
            pairs.append((place, top))

    def reached(place: Place, own: dict[str, tuple[Place, Place]], at: int) -> None:
        """The outermost token that a sum reaches with an index and an offset."""
        far = place
        while far.name in own:
            end = own[far.name][far.offset > 0]
            far = Place(end.name, end.offset + far.offset)
        if (not far.name and far.offset < 1) or (far.name == "T" and far.offset > 0):
            raise StatementError(
                f"the sum reaches x[{far}] with x[{place}]; expected positions from 1 to T: change its ends",
                text,
                at,
            )
        bound(far, True, True)

    def look(node: Expr, own: dict[str, tuple[Place, Place]]) -> None:
        if _over_tokens(node):
            body, index, first, last = node.args
            free = not any(side.has("token", "mean", "entry") for side in sides) and not positions & node.names()
            if not body.has("token", "mean") and (free or _counted(first, last)):
                # a sum over a count such as 2*C, or of numbers alone, with no token in it
                look(body, own)
                return
            ends = (place_of(first, text), place_of(last, text))
            for place, is_first in zip(ends, (True, False), strict=True):
                if place.name not in own:
                    bound(place, is_first, not is_first)
            look(body, {**own, index: ends})
            return
        if node.op == "mean":
            found.update((one, top))
        if node.op == "token":
            place = place_of(node.args[0], text)
            if place.name not in own:
                bound(place, True, True)
            elif place.offset:
                reached(place, own, node.at)
        if node.op in ("min", "max"):
            found.update(_compared_places(node, positions - own.keys()))
        for arg in node:
            look(arg, own)

    for side in sides:
        look(side, {})
    return found, pairs


def _counted(first: Expr, last: Expr) -> bool:
    """Whether an end of a sum is no position."""
    try:
        place_of(first), place_of(last)
    except StatementError:
        return True
    return False


def _over_tokens(node: Expr) -> bool:
    """Whether a node goes from one position to another: not one over coordinates, or through a sequence."""
    if node.op not in RANGES or len(node.args) != 4:
        return False
    body, _, first, last = node.args
    tokens: bool = body.has("token")
    return tokens or (node.op == "sum" and "d" not in first.names() | last.names())


def _compared_places(node: Expr, positions: set[str]) -> set[Place]:
    """The places of min(i, j + 1), where positions and integers alone are compared."""
    try:
        places = {place_of(arg) for arg in node.args}
    except StatementError:
        return set()
    names = {place.name for place in places} - {""}
    return places if names and names <= positions else set()


def _within(
    known: Hypotheses, positions: set[str], pairs: list[tuple[Place, Place]], text: str, given: str
) -> Hypotheses:
    """1 <= every position and <= T where the statement has a T, and what holds for its places."""
    least = [(Place("", 1), Place(label)) for label in sorted(positions)]
    most = [(Place(label), Place("T")) for label in sorted(positions) if "T" in positions]
    for bounds, message, where in (
        (Differences(), "no positions from 1 to T are as the statement has them; change the ends of its sums", text),
        (known.places, "no positions from 1 to T satisfy the hypotheses; drop one of them", given),
    ):
        for one, two in (*least, *most, *pairs):
            bounds = bounds.with_(one, two, 0)
        if bounds.shortest(positions) is None:
            raise StatementError(message, where, 0)
    return replace(known, places=bounds)


def _shares(known: Hypotheses, limit: Limit, given: str) -> Hypotheses:
    """What is known with the shares of T that positions tend to."""
    ranges = share_ranges(known.ranges, limit, known.places)
    for _, form in limit.regime:
        if form.op == "name" and ranges[form.args[0]].empty:
            told = f"the hypotheses leave no value for {form}, a share of T between 0 and 1; drop one of them"
            raise about(form.args[0], given, told)
    return replace(known, ranges=ranges)


def _check_law(
    law: Law, known: Hypotheses, places: tuple[Place, ...], positions: set[str], given: str, tends: str
) -> None:
    """AR(1) is stationary for |a| <= 1 only; the matrices of a covariance are positive semidefinite."""
    if law.kind == "gaussian":
        # evaluates the kernel, as cases do
        from theorems.statement.moments import covariance

        covariance.check(law, known, places, positions, given)
    if not law.gaussian and not law.exchangeable:
        # the moments of such a law, which need not be there to read another one
        from theorems.statement.moments import mixing

        if law.framed:
            return mixing.check_frame(known, places, given, tends in positions)
        mixing.check(law.kind, law.arguments, known, given)
    if law.kind != "ar1" or law.parameter is None:
        return
    node = law.parameter
    low = high = node.args[0] if node.op == "number" else None
    if node.op == "name" and node.args[0] in known.ranges:
        low, high = known.ranges[node.args[0]].low, known.ranges[node.args[0]].high
    if node.op == "number" and not -1 <= node.args[0] <= 1:
        raise StatementError(f"expected a number from -1 to 1, e.g. ar1(1/2); ar1({node}) is not stationary", given, 0)
    if low is None or high is None or low < -1 or high > 1:
        raise StatementError(
            f"ar1({node}) is stationary for -1 <= {node} <= 1 only; say so with --for, e.g. 0 < {node} < 1", given, 0
        )


def _check_shapes(sides: tuple[Expr, ...], relation: str, known: Hypotheses, text: str) -> None:
    """Sizes fit, sides are numbers, or vectors or matrices of one size with = between them; 0 has any size."""
    sizes = []
    for side in sides:
        if side.random:
            mend = "a probability of it, e.g. P[0 <= normal(mu, v) <= 1]" if side.has("normal") else f"E[{side}]"
            raise StatementError(f"{side} is random; a statement is about moments: take {mend}", text, side.at)
        found = shape(side, text)
        sizes.append(size(side, known, text))
        entrywise = relation == "=" or (relation == "->" and any(one.has("token", "mean") for one in sides))
        if found == "comparison" or (found != "number" and not entrywise):
            mend = as_number(side) or "multiply it by fixed vectors, a in R^d, or take a trace or a norm"
            if found == "comparison":
                mend = "take its probability, P[...], or indicator(...), or join conditions by iff"
            said = relation or "an error term"
            raise StatementError(f"{side} is a {found}, and {said} is about numbers; {mend}", text, side.at)
    if relation and sizes[0] != sizes[1] and not (sides[1] == number(0) and sizes[0] != NUMBER):
        said = f"{sides[0]} is {told(sizes[0])} and {sides[1]} is {told(sizes[1])}"
        raise StatementError(f"{said}; expected equal sizes, or 0 on the right", text, sides[1].at)


__all__ = ["Limit", "Proposition", "name", "proposition"]
