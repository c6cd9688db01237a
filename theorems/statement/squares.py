"""Names of traces and of forms that cannot be negative, read off their letters."""

from __future__ import annotations

from theorems.statement.proposition import Proposition
from theorems.statement.traces import Letter


def square_trace(name: str, prop: Proposition) -> bool:
    """Whether a name is a trace tr(u P u^T Q) or a form a^T u P u^T a with P, Q psd or absent: at least 0.

    tr(u P u^T Q) = |P^(1/2) u^T Q^(1/2)|^2 in the Frobenius norm. For W = W^T this has tr((W Sigma)^2k) in it, for any
    W tr(W Sigma W^T Sigma), and for psd ones every power.
    """

    def read(text: str) -> Letter:
        return (text.removesuffix(".T"), text.endswith(".T"))

    def psd(letter: Letter) -> bool:
        return prop.known.shape(letter[0]) in ("psd", "positive definite")

    def square(word: list[Letter]) -> bool:
        if len(word) < 2:
            return all(map(psd, word))
        label, turned = word[-1]
        return word[0] == (label, turned != (not prop.known.symmetric(label))) and square(word[1:-1])

    if name.startswith("tr(") and name.endswith(")"):
        letters = [read(text) for text in name[3:-1].split("*")]
        turns = [letters[k:] + letters[:k] for k in range(len(letters))]
        return any(square(word) or (psd(word[-1]) and square(word[:-1])) for word in turns)
    left, *inner, right = name.split("*") if "*" in name else (name, name)
    fixed = {*prop.known.vectors, *prop.known.sequences, "m"}
    return left == f"{right}.T" and right in fixed and square([read(text) for text in inner])
