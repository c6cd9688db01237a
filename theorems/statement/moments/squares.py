"""Traces of words, and forms, that cannot be negative or 0: tr(u P u^T Q) and a^T u P u^T a, by their letters."""

from __future__ import annotations

from theorems.statement.expression import Expr, number
from theorems.statement.moments.traces import Letter, Letters
from theorems.statement.reading.hypotheses import Hypotheses


def semidefinite(known: Hypotheses, letters: Letters, strict: bool = False) -> bool:
    """Whether the trace of a word is one of u P u^T Q with P, Q psd or absent: at least 0, and > 0 where ``strict``.

    tr(u P u^T Q) = |P^(1/2) u^T Q^(1/2)|^2 in the Frobenius norm. For W = W^T this has tr((W Sigma)^2k) in it, for any
    W tr(W Sigma W^T Sigma), and for psd ones every power. Where all factors but one are definite, it is 0 only if that
    one is.
    """
    turns = [letters[k:] + letters[:k] for k in range(len(letters))]
    return any(
        _square(known, word, strict) or (_psd(known, word[-1], strict) and _square(known, word[:-1], strict))
        for word in turns
    )


def _psd(known: Hypotheses, letter: Letter, strict: bool = False) -> bool:
    return known.shape(letter[0]) in (("positive definite",) if strict else ("psd", "positive definite"))


def _square(known: Hypotheses, word: Letters, strict: bool) -> bool:
    """Whether a word is u P u^T; if ``strict``, with one factor at most that is not definite, and that is not 0."""
    half = word[: (len(word) + 1) // 2]
    if strict:
        loose = [label for label, turned in half if not _psd(known, (label, turned), strict)]
        if len(loose) > 1 or not set(loose) <= set(known.nonzero):
            return False
    while len(word) > 1:
        label, turned = word[-1]
        if word[0] != (label, turned != (not known.symmetric(label))):
            return False
        word = word[1:-1]
    return all(_psd(known, letter) for letter in word)


def square_trace(name: str, known: Hypotheses, strict: bool = False) -> bool:
    """Whether a name is such a trace, or a form a^T u P u^T a of a fixed vector; > 0 where ``strict``."""

    def read(text: str) -> Letter:
        return (text.removesuffix(".T"), text.endswith(".T"))

    if name.startswith("tr(") and name.endswith(")"):
        return semidefinite(known, tuple(read(text) for text in name[3:-1].split("*")), strict)
    left, *inner, right = name.split("*") if "*" in name else (name, name)
    fixed = {*known.vectors, *known.sequences, "m"}
    word = tuple(read(text) for text in inner)
    if left != f"{right}.T" or right not in fixed:
        return False
    length = Expr("norm", (Expr("vector", (right,)), ""))
    varies = any(mark == ">" and (one, two) == (length, number(0)) for mark, one, two in known.relations)
    definite = varies and all(_psd(known, letter, True) for letter in word)
    return _square(known, word, False) and (definite or not strict)
