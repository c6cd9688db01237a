"""What a claim says, as propositions: left-hand sides from ``says``, the print put into the language's own words."""

from __future__ import annotations

import re

from theorems.claims.catalogue import Said, Statement
from theorems.statement import Proposition, proposition

_NORMS = {"spectral": "2", "frobenius": "fro", "nuclear": "nuclear"}
_CHAIN = re.compile(r"([a-z])((?:Wt|W)?)((?:S(?:Wt|W)?)*)([a-z])")


def said(statement: Statement, name: str) -> Proposition:
    """The proposition that a claim makes about one of its printed quantities."""
    told = statement.says
    assert told is not None, f"{statement.id} says nothing"
    return proposition(
        f"{told.quantities[name]} {relation(statement, name)} {print_of(statement, name)}",
        told.hypotheses,
        told.where,
        told.law,
        told.limit,
    )


def finite(statement: Statement, name: str, value: str) -> Proposition:
    """The proposition that a quantity of ``says`` equals a formula in the catalogue's symbols, at every finite T."""
    told = statement.says
    assert told is not None, f"{statement.id} says nothing"
    text = f"{told.quantities[name]} = {translated(value, statement, told)}"
    return proposition(text, relevant(told, text), told.where, told.law)


def relevant(told: Said, text: str) -> str:
    """The hypotheses without those of names that neither a text nor the definitions have."""
    heads = set(re.findall(r"([a-z]+)\[", text))
    defined = [part for part in told.where.split(", ") if part.split("[")[0] in heads]
    words = set(re.findall("[A-Za-z]+", " ".join((text, *defined)))) | {"W", "Sigma", "d"}
    parts = [part.strip() for part in told.hypotheses.split(",")]
    return ", ".join(part for part in parts if part and re.findall("[A-Za-z]+", part)[0] in words | {"tr", "norm"})


def relation(statement: Statement, name: str) -> str:
    """The relation of a printed quantity to its print: bounds are called upper and lower."""
    return statement.relation if statement.relation != "<=" or name != "lower" else ">="


def print_of(statement: Statement, name: str) -> str:
    """The printed right-hand side in the language, with its error term."""
    told = statement.says
    assert told is not None
    error = f" + o({statement.remainder})" if statement.remainder else ""
    return f"{translated(statement.printed[name], statement, told)}{error}"


def translated(text: str, statement: Statement, told: Said) -> str:
    """A printed formula in the language's words: its symbols, the claim's definitions and its quantities."""

    def word(match: re.Match[str]) -> str:
        label = match[0]
        if label in told.quantities:
            return f"({told.quantities[label]})"
        if label in statement.definitions:
            return f"({translated(statement.definitions[label], statement, told)})"
        return spoken(label, told)

    return re.sub(r"[A-Za-z_][A-Za-z0-9_]*", word, text)


def spoken(label: str, told: Said) -> str:
    """A symbol of the catalogue in the language: tr2 is tr((W*Sigma)**2), aSb is a.T*Sigma*b."""
    if label in ("Sum", "Abs", "Max", "Min", "Indicator"):
        return label.lower()
    if power := re.fullmatch("tr([1-9])", label):
        return "tr(W*Sigma)" if power[1] == "1" else f"tr((W*Sigma)**{power[1]})"
    if label == "tr_W":
        return "tr(W)"
    kind, _, matrix = label.partition("_")
    if kind in _NORMS and matrix in ("W", "Sigma"):
        return f"norm({matrix}, {_NORMS[kind]})"
    chain = _CHAIN.fullmatch(label)
    if chain and {chain[1], chain[4]} <= vectors(told):
        middle = re.findall("Wt|W|S", chain[2] + chain[3])
        letters = [{"Wt": "W.T", "S": "Sigma"}.get(letter, letter) for letter in middle]
        return f"({'*'.join([f'{chain[1]}.T', *letters, chain[4]])})"
    return label


def vectors(told: Said) -> set[str]:
    """The fixed vectors of what a claim says, m among them where it is the start of the walk."""
    declared = set(re.findall(r"\b([a-z])\s+in\s+R\^d", told.hypotheses))
    return declared | ({"m"} if "m" in told.law.partition("start=")[2] else set())
