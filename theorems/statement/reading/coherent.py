"""Whether the parts of a statement speak of the same things: a name has one meaning, and what tends may tend there."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction

from theorems.statement.expression import (
    BINDERS,
    MOMENTS,
    OF_VECTORS,
    Expr,
    StatementError,
    coefficients,
    number,
)
from theorems.statement.reading.calls import CALLS
from theorems.statement.reading.hypotheses import Hypotheses, names_of
from theorems.statement.reading.indices import indices_of
from theorems.statement.reading.language import Vocabulary
from theorems.statement.reading.laws import Law
from theorems.statement.reading.notation import plain
from theorems.statement.reading.places import ZERO
from theorems.statement.reading.ranges import Range
from theorems.statement.reading.syntax import about, nearest, split_top
from theorems.statement.reading.tending import Limit

_WORD = re.compile(r"(?<![\w.])[A-Za-z]\w*")
#: A definition: its name, its indices, what it stands for.
DEFINED = re.compile(
    r"^\s*([A-Za-z][A-Za-z0-9_]*)\s*(?:\[\s*([A-Za-z][A-Za-z0-9_]*(?:\s*,\s*[A-Za-z][A-Za-z0-9_]*)*)\s*\])?"
    r"\s*=(?!=)\s*(.+)$",
    re.DOTALL,
)


def check_made(
    sides: tuple[Expr, ...], known: Hypotheses, words: Vocabulary, law: Law, text: str, others: Iterable[str]
) -> None:
    """Cases give names to the coefficients of power series, g0 for g[0], and to lengths: these are nothing else.

    A correction writes g0; ``others`` are all that is given beside the statement's ``text``, and speak of g[0].
    """
    listed = {label: f"{head}[{k}]" for head in known.entire for k, label in enumerate(coefficients(head))}
    lengths = dict.fromkeys(law.lengths, "a length of a token")
    for head in known.entire:
        kinds = (words.matrices, words.vectors, words.sequences, words.families, words.values, words.definitions)
        several = any(label in lengths for label in coefficients(head))
        if several or head in ("x", "T", "d", "pi", *MOMENTS, *CALLS) or any(head in kind for kind in kinds):
            raise about(head, text, f"{head} is no name of a power series here; take another letter")
    indices = {node.args[1] for side in sides for node in side.walk() if node.op in BINDERS}
    indices |= {name for side in sides for node in side.walk() for index in indices_of(node) for name in index.names()}
    if wrong := sorted(indices & listed.keys()):
        raise about(wrong[0], text, f"{wrong[0]} is {listed[wrong[0]]}, and no index; take another letter")
    for given, made in (*((one, listed | lengths) for one in others), (text, lengths)):
        for match in _WORD.finditer(given):
            if match[0] in made:
                raise StatementError(
                    f"{match[0]} stands for {made[match[0]]}; write {listed.get(match[0], 'another name')}",
                    given,
                    match.start(),
                )


def check_used(text: str, where: str) -> None:
    """StatementError for a definition that neither the statement uses nor another definition that it uses."""
    used = set(_WORD.findall(plain(text)))
    for part, column in reversed(list(split_top(plain(where), ";,"))):
        match = DEFINED.match(part.replace("\n", " "))
        if match is None:
            continue
        if match[1] not in used:
            raise StatementError(f"{match[1]} is defined, and the statement does not use it; drop it", where, column)
        used |= set(_WORD.findall(match[3]))


def check_names(
    sides: tuple[Expr, ...], known: Hypotheses, law: Law, limit: Limit, positions: set[str], text: str, hypotheses: str
) -> None:
    """Every name of the sides is declared somewhere, and none is oo."""
    for given, names in ((text, {one for side in sides for one in side.names()}), (hypotheses, set(names_of(known)))):
        if "oo" in names:
            raise about("oo", given, "oo is no number; write a limit with --as, e.g. T -> oo")
    declared = positions | set(names_of(known)) | law.names() | limit.names() | {"d", "T"}
    if not any(side.has("token", "mean") for side in sides):
        # the i of softmax(s)[i] is any entry of a sequence: it needs no declaration
        declared |= {n for side in sides for node in side.walk() if node.op == "entry" for n in node.args[-1].names()}
    for side in sides:
        for node in side.walk():
            if node.op == "name" and node.args[0] in side.names() and node.args[0] not in declared:
                word = node.args[0]
                near = nearest(word, declared | {"W", "Sigma", *CALLS})
                listed = any(one.op in OF_VECTORS and one.args[0] == node for one in side.walk())
                kinds = ("in R^n",) if listed else ("in R^(m x d)", "> 0") if word[0].isupper() else ("> 0", "real")
                told = f"say what it is with --for, e.g. {' or '.join(f'{word} {kind}' for kind in kinds)}"
                raise StatementError(f"{word} is declared nowhere{near}; {told}", text, node.at)


def check_spoken(
    sides: tuple[Expr, ...], known: Hypotheses, law: Law, limit: Limit, positions: set[str], given: str
) -> None:
    """The hypotheses speak of nothing that the sides, the law and the limit do not have."""
    used = {name for side in sides for name in side.names()} | law.names() | limit.names() | {"d", "T"}
    used |= known.size_names
    # the sizes of families, and what relations for every index hold of these
    used |= {name for bounds in known.families.values() for _, last in bounds for name in last.names()}
    used |= {name for truth in known.truths for name in truth.names()}
    # a constant that bounds what the vectors of the sides are made of
    vectors = {node.args[0] for side in sides for node in side.walk() if node.op == "vector"}
    for _, one, two in known.relations:
        if vectors & {node.args[0] for end in (one, two) for node in end.walk() if node.op == "vector"}:
            used |= one.names() | two.names()
    tokens = any(side.has("token", "mean") for side in sides)
    if not tokens and any(one.has("token", "mean") for _, *ends in known.relations for one in ends):
        raise about("x", given, "the hypotheses speak of x, which the statement does not have; drop it")
    # a power series by its name; one coefficient of it is enough
    series = {label: head for head in known.entire for label in coefficients(head)}
    used |= {label for label, head in series.items() if used.intersection(coefficients(head))}
    for label in sorted({series.get(label, label) for label in set(names_of(known)) - used - positions}):
        if not any(node.op in ("entry", "family") for side in sides for node in side.walk()):
            raise about(label, given, f"the hypotheses speak of {label}, which the statement does not have; drop it")
    for label in sorted(
        {*known.matrices, *known.sizes, *known.nonzero, *(["Sigma"] if known.identity else [])} - {"Sigma"}
        | ({"Sigma"} if known.identity and not tokens else set())
    ):
        if not any(node.op == "matrix" and node.args[0] == label for side in sides for node in side.walk()):
            raise about(label, given, f"the hypotheses speak of {label}, which the statement does not have; drop it")


def check_defined(words: Vocabulary, spoken: set[str], where: str) -> None:
    """A definition is put in where its name stands: hypotheses, laws and limits would speak of another name."""
    for label in sorted(spoken & {*words.values, *words.definitions, *words.several}):
        raise about(
            label,
            where,
            f"{label} is defined, and hypotheses, laws and limits do not know definitions; take another name, or write "
            "out what they say of it",
        )


def of_every_entry(known: Hypotheses) -> frozenset[str]:
    """Names of entries in hypotheses, which hold for every entry: the j of ``p[j] >= 0``."""
    return frozenset(
        node.args[-1].args[0]
        for _, one, two in known.relations
        for side in (one, two)
        for node in side.walk()
        if node.op == "entry" and node.args[-1].op == "name" and node.args[-1].args[0] in side.names() - known.fixed
    )


def check_letters(sides: tuple[Expr, ...], known: Hypotheses, hypotheses: str) -> None:
    """A letter that stands for every entry in a hypothesis stands for nothing else, in no other one and in no side."""
    own = {name for side in sides for name in side.names()}
    of_one = {name for _, *pair in known.relations for name in _unindexed(pair)}
    spoken = {*known.ranges, *known.places.names(), *of_one}
    spoken |= {place.name for pair in known.unequal for place in pair}
    spoken |= {name for _, bound in known.sequences.values() if bound is not None for name in bound.names()}
    every = {label: label in own | spoken for label in known.letters}
    every |= {label: label in spoken for label in of_every_entry(known) - own}
    for label in sorted(label for label, elsewhere in every.items() if elsewhere):
        raise about(
            label,
            hypotheses,
            f"{label} stands for every entry in a hypothesis, and for something else beside it; take another letter, "
            f"or say of which entries it is, e.g. every(s[{label}] >= 0, {label}, 2, n)",
        )


def _unindexed(pair: list[Expr]) -> set[str]:
    """The names in both sides of a relation, but those that are an index of an entry in it."""
    indices = {
        node.args[-1].args[0]
        for side in pair
        for node in side.walk()
        if node.op == "entry" and node.args[-1].op == "name"
    }
    return {name for side in pair for name in side.names()} - indices


def check_random(sides: tuple[Expr, ...], text: str) -> None:
    """StatementError where moments are taken and nothing is random: no token is named, and no number that is drawn."""
    moments = [node for side in sides for node in side.walk() if node.op in MOMENTS]
    if moments and not any(side.has("token", "mean", "normal", "member") for side in sides):
        raise StatementError(
            f"nothing in this statement is random, so that {moments[0].op}[...] says nothing; drop it, or name tokens "
            "such as x[1]",
            text,
            moments[0].at,
        )


def settled(node: Expr, text: str) -> Expr:
    """Moments of moments worked out: E of a number is that number, its Var and Cov are 0.

    StatementError for the others of a number, which say nothing, and for a quotient of moments within what varies.
    """
    found = node.mapped(lambda arg: settled(arg, text))
    if node.op not in MOMENTS:
        return found
    if any(arg.has(*MOMENTS) and not arg.random and not arg.has("member") for arg in node):
        if node.op in ("E", "Var", "Cov"):
            return next(iter(found)) if node.op == "E" else number(0)
        raise StatementError(
            f"what stands in {node.op}[...] is not random, so that it says nothing; drop {node.op}[...]", text, node.at
        )
    # neither side has values of it, and the exact one takes minutes to grow
    for part in (part for arg in found for part in arg.walk() if part.op in ("Corr", "Skew", "Kurt")):
        raise StatementError(
            f"{part} is a number and stands inside {node.op}[...]; take it out, or write a parameter for it",
            text,
            part.at,
        )
    return found


def check_bound(sides: tuple[Expr, ...], known: Hypotheses, free: set[str], law: Law, hypotheses: str) -> None:
    """What hypotheses say of a name that the statement has as an index alone would be said of nothing in it.

    The law of the tokens would not go along with an index, nor be differentiated.
    """
    spoken = set(names_of(known)) - of_every_entry(known)
    bound = {node.args[1] for side in sides for node in side.walk() if node.op in BINDERS}
    for label in sorted(bound & law.names()):
        raise about(
            label,
            law.text,
            f"{label} is a parameter of the law, which sums, derivatives and alike leave as it is; take another letter",
        )
    for label in sorted(bound & spoken - free):
        raise about(
            label,
            hypotheses,
            f"the hypotheses speak of {label}, which is an index here and goes from end to end; drop that",
        )


def check_reached(known: Hypotheses, limit: Limit, positions: set[str], given: str) -> None:
    """The hypotheses let the name that tends go there, and the positions have such shares of T."""
    name = limit.variable
    if not name or limit.together:
        return
    table = known.places.shortest(positions)
    assert table is not None
    values = known.ranges.get(name, Range())
    if limit.value is None:
        last = table.get((name, ZERO), float("inf")) if name in positions else values.high
        if last is not None and last != float("inf"):
            raise about(name, given, f"{name} -> oo, but the hypotheses bound it from above; drop one of them")
    elif limit.value.op == "number":
        point = Fraction(limit.value.args[0])
        if name in positions or name == "d" or values.integer:
            raise about(name, given, f"{name} is an integer, and tends to no number; write {name} -> oo")
        low, high = values.low, values.high
        if (low is not None and point < low) or (high is not None and point > high) or low == high is not None:
            raise about(name, given, f"the hypotheses keep {name} away from {point}; drop one of them")
    _check_shares(known, limit, table, given)


def _check_shares(known: Hypotheses, limit: Limit, table: dict[tuple[str, str], float], given: str) -> None:
    """Positions that stay in order have shares of T in that order: i <= 5 has the share 0, i >= T - 5 the share 1."""
    shares = {ZERO: Range(Fraction(0), Fraction(0)), "T": Range(Fraction(1), Fraction(1))}
    for label, form in limit.regime:
        if form.op == "number":
            shares[label] = Range(Fraction(form.args[0]), Fraction(form.args[0]))
        else:
            shares[label] = known.ranges.get(form.args[0], Range()).within(Fraction(0), Fraction(1))
    for (one, two), gap in table.items():
        if gap == float("inf") or one not in shares or two not in shares:
            continue
        # the least share of the lower one, and the largest of the higher one
        low, high = shares[one], shares[two]
        if Range(low.low, high.high, low.low_open, high.high_open).empty:
            label = one if one not in (ZERO, "T") else two
            raise about(label, given, f"the hypotheses leave {label} no such share of T; drop one of them")
