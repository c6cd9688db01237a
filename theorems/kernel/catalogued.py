"""A claim of the catalogue as propositions: its quantities, its prints put in the language, its hypotheses and limit.

No derivation may import this module: it reads prints.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

from theorems.claims.catalogue import ProofLine, Said, Statement
from theorems.claims.growth import bound
from theorems.statement.expression import StatementError
from theorems.statement.proposition import Proposition, proposition
from theorems.statement.reading.factored import is_factored, summed
from theorems.statement.reading.syntax import relations, split_top
from theorems.statement.reading.words import word_text

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
#: The name that hypotheses speak of in vain, in the error that says so.
_IDLE = re.compile(r"the hypotheses speak of ([A-Za-z_][A-Za-z0-9_]*), which the statement does not have")
#: The name that a hypothesis declares: J of J in {1..n}^m, z of z[0..n] in R^d.
_DECLARES = re.compile(r"\s*([A-Za-z_][A-Za-z0-9_]*)\s*(?:\[[^\]]*\])?\s+in\s")
#: What every position meets: j <= T.
_EVERYWHERE = re.compile(r"\s*[A-Za-z_]\w*\s*<=\s*T\s*")
#: Functions of prints that the language has under another name.
_FUNCTIONS = {"Abs": "abs", "Max": "max", "Min": "min", "Sum": "sum", "Indicator": "indicator"}
#: A definition that names definitions is put in so often at most.
MOST_ROUNDS = 8


def said(statement: Statement, name: str) -> Proposition:
    """What a claim says of one of its printed quantities; StatementError where it is no proposition of the language."""
    return _read(*said_texts(statement, name))


def said_texts(statement: Statement, name: str) -> tuple[str, str, str, str, str]:
    """Text, hypotheses, definitions, law and limit of the proposition about a printed quantity."""
    says = statement.says
    if says is None:
        raise StatementError(f"{statement.id} stands in words alone; add [claim.says]")
    if name not in says.quantities:
        raise StatementError(f"{statement.id}: says.quantities lacks {name}; add its left-hand side")
    left = with_definitions(says.quantities[name], statement)
    if name not in statement.printed and len(says.quantities) == 1 and is_factored(statement.printed):
        # the print is a sum of words, each with its factor
        factors = {key: in_language(text, statement, name) for key, text in statement.printed.items()}
        return f"{left} = {summed(factors)}", says.hypotheses, says.where, says.law, says.limit
    if name not in statement.printed:
        raise StatementError(f"{statement.id}: nothing is printed of {name}")
    if says.text:
        return says.text, says.hypotheses, says.where, says.law, says.limit
    if statement.relation == "order":
        text = f"{left} = {bound(statement.printed[name])}"
        return text, _hypotheses_of(statement, name, text), says.where, says.law, says.limit
    if statement.relation == "when":
        text = f"{left} {_clause(statement, name)}"
        return text, says.hypotheses, says.where, says.law, says.limit
    relation = _relation(statement, name)
    right = in_language(statement.printed[name], statement, name)
    limit = says.limit or _limit(statement)
    if "lim(" in left:
        return f"{left} {relation} {right}", says.hypotheses, says.where, says.law, limit
    moving = {"T", *statement.positions} & set(_NAME.findall(right))
    if limit and relation == "=" and statement.remainder in ("", "1") and not moving:
        relation = "->"
    elif limit:
        # also where a print up to o(1) still has T in it
        right = f"{right} + o({in_language(statement.remainder or '1', statement, name)})"
    text = f"{left} {relation} {right}"
    return text, _hypotheses_of(statement, name, text), says.where, says.law, limit


def with_definitions(left: str, statement: Statement) -> str:
    """A quantity with the claim's printed definitions put in, but those that it says itself what they are."""
    says = statement.says
    assert says is not None
    table = {name: text for name, text in statement.definitions.items() if name not in _NAME.findall(says.where)}
    return _put(left, table)


def _hypotheses_of(statement: Statement, name: str, text: str) -> str:
    """The hypotheses without comparisons that are about the names of other quantities alone: i != j for that with j.

    What ties such a name to one of the quantity's own, or to T, says something of the quantity, and so does all that is
    said of a name that is tied: j <= 3 beside i <= j.
    """
    says = statement.says
    assert says is not None
    parts = [(part, set(_NAME.findall(part))) for part, _ in split_top(says.hypotheses, ",;")]
    tied = {*_NAME.findall(text), *_NAME.findall(says.where), "T"}
    rest = [other for table in (says.quantities, statement.printed) for key, other in table.items() if key != name]
    others = {word for other in rest for word in _NAME.findall(other)} - tied
    # some token is another one than i, where nothing more is said of it than that it is one
    told = [names for part, names in parts if relations(part) and not _EVERYWHERE.fullmatch(part) and "!=" not in part]
    told += [names for part, names in parts if "!=" in part and any(names & others & one for one in told)]
    while any(names & tied and not names <= tied for names in told):
        tied = tied.union(*(names for names in told if names & tied))
    kept = [part for part, names in parts if not (relations(part) and names & others - tied)]
    return ", ".join(part.strip() for part in kept)


def narrowed_texts(statement: Statement, name: str) -> tuple[str, str, str, str, str]:
    """Those of the proposition under the further hypotheses, or along the other limit, under which it is to hold."""
    text, hypotheses, where, law, limit = said_texts(statement, name)
    hypotheses = ", ".join(filter(None, (hypotheses, statement.narrower.get("for", ""))))
    return text, hypotheses, where, law, statement.narrower.get("as", limit)


def line_said(line: ProofLine, statement: Statement) -> Proposition:
    """What a line of a claim's proof says: itself, or that a quantity of the claim is what is printed.

    Raises StatementError that names the line.
    """
    try:
        if line.says:
            return _read(line.says, line.hypotheses, "", line.law, "")
        if statement.says is None or line.quantity not in statement.says.quantities:
            raise StatementError(
                f"{line.quantity} is no quantity of the claim; write the line as a statement, says = ..."
            )
        printed = {line.quantity: line.printed}
        own = replace(statement, printed=printed, remainder=line.remainder, says=replace(statement.says, text=""))
        return said(own, line.quantity)
    except StatementError as error:
        raise StatementError(f"proof line {line.label}: {error}", error.text, error.at) from None


@lru_cache(maxsize=512)
def _read(text: str, hypotheses: str, where: str, law: str, limit: str) -> Proposition:
    return proposition(text, hypotheses, where, law, limit)


def property_said(says: Said, name: str) -> Proposition:
    """The proposition that a property is: of a claim about when it holds the quantity is a relation, "tr(W) > 0"."""
    return _read(says.quantities[name], says.hypotheses, says.where, says.law, says.limit)


def left_side(says: Said, name: str) -> Proposition:
    """The proposition ``quantity = 0``: for a quantity of which nothing is printed, so that it can be evaluated.

    Hypotheses about a name that only prints have (lam > 0) are left out.
    """
    text = f"{says.quantities[name]} = 0"
    return _read(text, _needed(text, says), says.where, says.law, _needed_limit(text, says))


def _needed_limit(text: str, says: Said) -> str:
    """A limit within a side needs to know what tends."""
    return says.limit if "lim(" in text else ""


def _needed(text: str, says: Said) -> str:
    """The hypotheses without those about a name that the text does not have."""
    parts = [part for part, _ in split_top(says.hypotheses, ",;")]
    while True:
        try:
            _read(text, ",".join(parts), says.where, says.law, _needed_limit(text, says))
        except StatementError as error:
            idle = _IDLE.search(str(error))
            if idle is not None:
                fewer = _without({idle[1]}, parts)
                if len(fewer) < len(parts):
                    parts = fewer
                    continue
        # what cannot be read is told where it is read
        return ",".join(parts)


def _without(names: set[str], parts: list[str]) -> list[str]:
    """The hypotheses that speak of none of the names, nor of one that only a hypothesis about these declares."""
    while True:
        dropped = [part for part in parts if names & set(_NAME.findall(part))]
        more = names | {match[1] for match in map(_DECLARES.match, dropped) if match}
        if more == names:
            return [part for part in parts if part not in dropped]
        names = more


def _relation(statement: Statement, name: str) -> str:
    if statement.relation == "=":
        return "="
    if statement.relation == "<":
        return ">" if name == "lower" else "<"
    if statement.relation in ("<=", "range"):
        # of a range these are its ends; that all between them is attained is looked at apart
        return {"upper": "<=", "lower": ">="}.get(name, "<=")
    raise StatementError(f"{statement.id}: the relation {statement.relation!r} is not part of the language yet")


def _clause(statement: Statement, name: str) -> str:
    """The printed clause "iff a > 0 & b == 0" in the language: iff a > 0 and b = 0."""
    word, _, conditions = statement.printed[name].partition(" ")
    joined = in_language(conditions, statement, name).replace("&", " and ").replace("==", "=")
    return f"{word} {' '.join(joined.split())}"


def _limit(statement: Statement) -> str:
    """The limit of a claim that says T -> infinity by its regime or its remainder alone."""
    if not statement.asymptotic:
        return ""
    shares = [f"{name}/T -> {_share(form)}" for name, form in statement.regime.items() if name in statement.positions]
    return ", ".join(["T -> oo", *shares])


def _share(form: str) -> str:
    """theta of theta*T."""
    factors = [part.strip() for part in form.split("*")]
    if "T" not in factors:
        raise StatementError(f"{form} is no share of T; expected e.g. theta*T")
    factors.remove("T")
    return "*".join(factors) or "1"


def in_language(text: str, statement: Statement, name: str = "") -> str:
    """A printed formula in the language: definitions and other quantities put in, words by what they stand for."""
    table = dict(statement.definitions)
    if statement.says is not None:
        table |= {key: left for key, left in statement.says.quantities.items() if key != name}
    return _NAME.sub(lambda found: word_text(found[0]) or _FUNCTIONS.get(found[0], found[0]), _put(text, table))


def _put(text: str, table: Mapping[str, str]) -> str:
    """The text with names replaced by formulas, which may name others."""
    for _ in range(MOST_ROUNDS):
        put = _NAME.sub(lambda found: f"({table[found[0]]})" if found[0] in table else found[0], text)
        if put == text:
            return text
        text = put
    circular = ", ".join(sorted(set(_NAME.findall(text)) & set(table)))
    raise StatementError(f"the definitions of {circular} name one another without an end; define each by other names")
