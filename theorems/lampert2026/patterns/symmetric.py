"""The least cost of a pattern where groups and the tokens of a group may be exchanged: 12 numbers for every C and n.

Averaging a W over those exchanges keeps its margins and does not raise its nuclear norm (convexity), so that an optimal
W may be taken invariant. Over the unit vectors e_c = dbar_c/sqrt(d), f_c = c_c/sqrt(d) and b = b_BOS/sqrt(d) it has the
coordinates ``COORDINATES``, a capital standing for another group: eE = e_c^T W e_c' with c' != c. On the nuisances
delta k_c (x) s_i of ``instances.overlapping`` it is A on the mean direction of the k_c and B on those orthogonal to it.
The nuclear norm is that of the blocks: one 2 x 3 (means over groups), C - 1 copies of one 2 x 2, A and B themselves.

The functions take numbers or sympy expressions alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

#: e_c^T W b, e_c^T W e_c, e_c^T W e_c', ..., f_c^T W f_c', and A, B on the nuisances.
COORDINATES = ("eb", "ee", "eE", "ef", "eF", "fb", "fe", "fE", "ff", "fF", "A", "B")
PATTERNS = ("sink", "diag")

Form = dict[str, Any]


@dataclass(frozen=True)
class Family:
    """C groups of n dormant tokens, lam, and the inner product ``overlap`` of the directions of different groups."""

    C: Any
    n: Any
    lam: Any
    overlap: Any = 0

    @property
    def delta2(self) -> Any:
        """delta^2 = 1 - lam^2."""
        return 1 - self.lam**2

    @property
    def spectrum(self) -> tuple[Any, Any]:
        """The eigenvalues of the directions' Gram matrix: on the mean direction, and orthogonal to it (C - 1 times)."""
        return 1 + (self.C - 1) * self.overlap, 1 - self.overlap


@dataclass(frozen=True)
class Orbit:
    """Constraints that exchanges carry into each other: form(W) >= 1 for an invariant W, each and on their mean."""

    name: str
    form: Form


def _plus(*parts: tuple[Any, Form]) -> Form:
    found: Form = {}
    for factor, form in parts:
        for name, value in form.items():
            found[name] = found.get(name, 0) + factor * value
    return found


def scores(family: Family) -> dict[tuple[str, str], Form]:
    """Every kind of score as a form in the coordinates, by query and key.

    Queries: f = c_c and g = d_ci. Keys: b; f, g of the query's group, F, G of another one; for a dormant query "g" is
    d_ci itself, "h" another token of its group, "G" and "H" tokens of another group of the same and of another i.
    """
    C, n, lam, delta2 = family.C, family.n, family.lam, family.delta2
    mean, apart = family.spectrum
    own = {"A": delta2 * mean / C, "B": delta2 * (C - 1) * apart / C}
    other = {"A": delta2 * mean / C, "B": -delta2 * apart / C}
    return {
        ("f", "b"): {"fb": 1},
        ("f", "f"): {"ff": 1},
        ("f", "F"): {"fF": 1},
        ("f", "g"): {"fe": lam},
        ("f", "G"): {"fE": lam},
        ("g", "b"): {"eb": lam},
        ("g", "f"): {"ef": lam},
        ("g", "F"): {"eF": lam},
        ("g", "g"): _plus((1, {"ee": lam**2}), (1, own)),
        ("g", "h"): _plus((1, {"ee": lam**2}), (-1 / _exact(n - 1), own)),
        ("g", "G"): _plus((1, {"eE": lam**2}), (1, other)),
        ("g", "H"): _plus((1, {"eE": lam**2}), (-1 / _exact(n - 1), other)),
    }


def _exact(value: Any) -> Any:
    """A number that divides exactly."""
    from fractions import Fraction

    return Fraction(value) if isinstance(value, int) else value


def wins(pattern: str) -> tuple[tuple[str, str, str], ...]:
    """Which key must beat which for what query: (query, winner, loser), in the letters of ``scores``.

    Sink: d_ci -> b, and c_c -> b where its group is absent; diagonal: d_ci and then c_c -> itself. In both, c_c -> its
    group (any token of it, so "g") over everything outside the group. Raises ValueError for another pattern.
    """
    copying = tuple(("f", "g", key) for key in ("b", "f", "F", "G"))
    if pattern == "sink":
        return (
            *(("g", "b", key) for key in ("g", "h", "G", "H", "f", "F")),
            *copying,
            *(("f", "b", key) for key in ("f", "F", "G")),
        )
    if pattern == "diag":
        return (
            *(("g", "g", key) for key in ("b", "h", "G", "H", "f", "F")),
            *copying,
            *(("f", "f", key) for key in ("b", "F", "G")),
        )
    raise ValueError(f"pattern = {pattern!r}; expected one of {', '.join(PATTERNS)}")


def orbits(family: Family, pattern: str, *, alone: bool = False) -> tuple[Orbit, ...]:
    """The constraints of a pattern by orbit; ``alone``: without those that name another group, as for C = 1."""
    table = scores(family)
    kept = [way for way in wins(pattern) if not (alone and way[2] in "FGH")]
    return tuple(Orbit(f"{q}: {w} > {k}", _plus((1, table[q, w]), (-1, table[q, k]))) for q, w, k in kept)


def blocks(entries: Mapping[str, Any], C: Any) -> tuple[list[list[Any]], list[list[Any]]]:
    """The 2 x 2 block of differences between groups, and the 2 x 3 block of means, whose first column counts sqrt(C).

    Both have the rows e, f; the columns are e, f, and b, e, f.
    """
    value = {name: entries.get(name, 0) for name in COORDINATES}
    apart = [[value[row + "e"] - value[row + "E"], value[row + "f"] - value[row + "F"]] for row in "ef"]
    means = [
        [value[row + "b"], value[row + "e"] + (C - 1) * value[row + "E"], value[row + "f"] + (C - 1) * value[row + "F"]]
        for row in "ef"
    ]
    return apart, means


def dual_blocks(sums: Mapping[str, Any], C: Any) -> tuple[list[list[Any]], list[list[Any]]]:
    """The blocks of the matrix Y with tr(Y^T W) = sum of h_k w_k over the coordinates, the first column over sqrt(C).

    ``sums`` is h. tr(Y^T W) counts the 2 x 2 block C - 1 times, so that Y's norm is the larger one of the blocks'. For
    C = 1 there is no other group and no 2 x 2 block: zeros.
    """
    h = {name: sums.get(name, 0) for name in COORDINATES}
    means, apart = [], []
    for row in "ef":
        same, mean = [], [h[row + "b"]]
        for column in "ef":
            one, other = h[row + column], h[row + column.upper()]
            middle = (one + other) / _exact(C)
            mean.append(middle)
            same.append(0 if C == 1 else (one - middle) / _exact(C - 1))
        means.append(mean)
        apart.append(same)
    return apart, means


def products(means: list[list[Any]], weight: Any) -> list[list[Any]]:
    """B B^T of the 2 x 3 block, whose first column stands with the square of its factor: C, or 1/C for a dual one."""
    return [[weight * one[0] * two[0] + one[1] * two[1] + one[2] * two[2] for two in means] for one in means]
