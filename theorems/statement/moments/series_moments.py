"""Moments of power series g(z^T x_k) with coefficients >= 0 in isotropic tokens: names, and what is known of them.

Tokens x_k = Sigma^(1/2) r_k e_k with uniform directions, independent or those of a frame, are exchangeable. So a moment
hangs on which series stand with each token: E g(z^T x_3) g(z^T x_7) is that of x_1 and x_2, and a product of E where
tokens are independent.
"""

from __future__ import annotations

from collections.abc import Callable

from theorems.algebra.ratio import Ratio
from theorems.statement.moments.forms import NotPolynomialError
from theorems.statement.moments.waves import Wave
from theorems.statement.reading.laws import Law
from theorems.statement.reading.places import Place

#: Laws whose tokens have uniform directions, and are exchangeable.
ISOTROPIC = ("iid", "iid-sphere", "iid-isotropic", "frame", "frame-sphere", "frame-isotropic")


def of_series(wave: Wave, law: Law, alike: Callable[[Place], object]) -> Ratio:
    """E of a product of power series, under a name that reads as the moment; ``alike`` tells the tokens apart."""
    if wave.exponent or wave.phase or wave.odd or law.kind not in ISOTROPIC:
        raise NotPolynomialError(f"power series of tokens beside other functions, or under the law {law.text}")
    tokens: dict[object, list[tuple[str, str]]] = {}
    for head, part in wave.series:
        tokens.setdefault(alike(part.place), []).append((head, part.vector))
    groups = sorted(tuple(sorted(group)) for group in tokens.values())
    found = Ratio.of(1)
    for joint in [groups] if law.framed else [[group] for group in groups]:
        factors = [f"{head}(x[{k}].T*{vector})" for k, group in enumerate(joint, 1) for head, vector in group]
        found = found * Ratio.of(f"E[{'*'.join(factors)}]")
    return found
