"""The names of traces and chains that derivations and prints use, in the language of statements.

tr1 stands for tr(W*Sigma), tr_W_Wt for tr(W*Sigma*W.T*Sigma), tr_I for tr(Sigma), aSb for a.T*Sigma*b, tr_W for tr(W),
spectral_W for norm(W, 2).
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from theorems.statement.expression import Expr
from theorems.statement.reading.language import Vocabulary, parsed

_POWER = re.compile(r"tr([1-9][0-9]?)")
#: A matrix's own trace, a functional; every other trace is that of a word with Sigma.
_OWN_TRACE = re.compile(r"tr_(W|Sigma)")
_TRACE = re.compile(r"tr((?:_(?:Wt|W|I))+)")
_MATRIX = {"Wt": ("W.T",), "I": ()}
_NORM = re.compile(r"(spectral|frobenius|nuclear|entrywise|column)((?:_(?:W|Sigma_inverse|Sigma))+)")
_NORMS = {"spectral": "2", "frobenius": "fro", "nuclear": "nuclear", "entrywise": "sum", "column": "1"}
_CHAIN = re.compile(r"([abm])((?:S|Wt|W)*)([abm])")


def word_text(name: str) -> str | None:
    """What the name of a word stands for, in the language; None for a name that is no word's."""
    if (match := _POWER.fullmatch(name)) is not None:
        return _trace(["W"] * int(match[1]))
    if (match := _OWN_TRACE.fullmatch(name)) is not None:
        return f"tr({match[1]})"
    if (match := _TRACE.fullmatch(name)) is not None:
        return _trace(match[1][1:].split("_"))
    if (match := _NORM.fullmatch(name)) is not None:
        factors = [
            "inv(Sigma)" if part.endswith("inverse") else part for part in re.findall("W|Sigma_inverse|Sigma", match[2])
        ]
        return f"norm({'*'.join(factors)}, {_NORMS[match[1]]})"
    if (match := _CHAIN.fullmatch(name)) is not None:
        letters = [{"S": "Sigma", "W": "W", "Wt": "W.T"}[part] for part in re.findall("S|Wt|W", match[2])]
        return "*".join([f"({match[1]}.T", *letters, f"{match[3]})"])
    return None


def _trace(letters: list[str]) -> str:
    product = [part for letter in letters for part in (*_MATRIX.get(letter, (letter,)), "Sigma")]
    return f"tr({'*'.join(product)})"


def word_expression(name: str, vectors: Iterable[str]) -> Expr | None:
    """The expression that a word's name stands for; None for a name that is no word's."""
    text = word_text(name)
    if text is None:
        return None
    return parsed(text, Vocabulary(vectors=frozenset(vectors)))
