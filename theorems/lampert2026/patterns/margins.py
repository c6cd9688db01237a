"""The sink and the diagonal pattern: their tokens, what each query must attend to, and every margin that follows.

W_QK = Pi^T M Pi + alpha P_eta, with M a ``GroupMatrix`` on e_0 (BOS), block 0 (the group directions dbar_c) and block 1
(the copy queries c_c): b_BOS = sqrt(d) e_0, c_c = sqrt(d) e_{1,c}, d_ci = lam sqrt(d) e_{0,c} + eta_ci. Scores are
q^T W_QK k/sqrt(d). The nuisances eta are orthogonal to all unit vectors, |eta_ci|^2 = (1 - lam^2) d; of two of one
group |eta_ci - eta_cj|^2 = D >= Delta_diag is known, and of two of different groups |<eta, eta'>| <= (1 - lam^2) d.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import sympy as sp

from theorems.algebra.expressions import symbol
from theorems.gaussian.functionals import functional
from theorems.lampert2026.patterns.group_matrices import (
    ONE,
    ZERO,
    Coordinates,
    GroupMatrix,
    Place,
    group_matrix,
    groups_of,
)

if TYPE_CHECKING:
    from theorems.gaussian.numeric import Case

lam, d, kappa, Delta, r_eta = (symbol(name) for name in ("lam", "d", "kappa", "Delta_diag", "r_eta"))
#: |eta_ci - eta_cj|^2 of a pair of one group, and <eta_ci, eta_c'j> of two groups.
D, cross = symbol("D"), symbol("cross")
#: |eta_ci|^2.
SQUARE = (1 - lam**2) * d

GROUPS, COPIES = 0, 1
PATTERNS = ("sink", "diagonal")


@dataclass(frozen=True)
class Token:
    """A token: its coordinates over sqrt(d) in the unit vectors, and its nuisance (group, number), if it has one."""

    name: str
    structure: tuple[tuple[Place, sp.Expr], ...]
    nuisance: tuple[str, str] | None = None

    @property
    def coordinates(self) -> Coordinates:
        """The coordinates as a table."""
        return dict(self.structure)

    @property
    def group(self) -> str:
        """The group of a dormant token, "" for others."""
        return self.nuisance[0] if self.nuisance else ""


BOS = Token("b_BOS", ((None, ONE),))


def copy_query(group: str) -> Token:
    """c_c of a group."""
    return Token(f"c_{group}", (((COPIES, group), ONE),))


def dormant(group: str, number: str) -> Token:
    """d_ci of a group."""
    return Token(f"d_{group}{number}", (((GROUPS, group), lam),), (group, number))


@dataclass(frozen=True)
class Margin:
    """A wanted key's score less that of a visible key that is not wanted, for one query."""

    query: Token
    wanted: Token
    other: Token
    value: sp.Expr

    @property
    def always(self) -> bool:
        """Whether the margin is there for every C >= 1: it names one group only."""
        return len(groups_of(*(token.coordinates for token in (self.query, self.wanted, self.other)))) < 2

    @property
    def text(self) -> str:
        """The comparison in words."""
        return f"{self.query.name}: {self.wanted.name} over {self.other.name}"


def inner(one: Token, two: Token) -> sp.Expr:
    """<eta, eta'> of two tokens; 0 where one has no nuisance."""
    if one.nuisance is None or two.nuisance is None:
        return ZERO
    if one.nuisance == two.nuisance:
        return SQUARE
    # |eta - eta'|^2 = 2 |eta|^2 - 2 <eta, eta'> for two of equal length
    return SQUARE - D / 2 if one.group == two.group else cross


def score(query: Token, key: Token, M: GroupMatrix, alpha: sp.Expr = ZERO) -> sp.Expr:
    """query^T W_QK key/sqrt(d) for W_QK = Pi^T M Pi + alpha P_eta."""
    return sp.sqrt(d) * M.form(query.coordinates, key.coordinates) + alpha * inner(query, key) / sp.sqrt(d)


def visible(present: bool) -> tuple[Token, ...]:
    """Every kind of key beside the group c of the query: two of its own dormant tokens, where it has any, and others.

    "e" stands for any other group.
    """
    own = (dormant("c", "i"), dormant("c", "j")) if present else ()
    return (BOS, copy_query("c"), copy_query("e"), *own, dormant("e", "k"))


def demands(pattern: str) -> Iterator[tuple[Token, tuple[Token, ...], tuple[Token, ...]]]:
    """What a pattern asks of each kind of query: the query, the keys that it attends to, and all visible keys.

    The query b_BOS may do what it likes. Raises ValueError for a name that is none of PATTERNS.
    """
    if pattern not in PATTERNS:
        raise ValueError(f"pattern = {pattern!r}; expected one of {', '.join(PATTERNS)}")
    token, query = dormant("c", "i"), copy_query("c")
    sink = pattern == "sink"
    yield token, (BOS if sink else token,), visible(present=True)
    yield query, (dormant("c", "i"), dormant("c", "j")), visible(present=True)
    yield query, (BOS if sink else query,), visible(present=False)


def margins(pattern: str, M: GroupMatrix, alpha: sp.Expr = ZERO) -> tuple[Margin, ...]:
    """Every margin of the pattern, up to the names of groups and numbers: wanted over not wanted, key by key."""
    return tuple(
        Margin(query, key, other, sp.expand(score(query, key, M, alpha) - score(query, other, M, alpha)))
        for query, wanted, keys in demands(pattern)
        for key in wanted
        for other in keys
        if other not in wanted
    )


# -- families of nuisances

#: Families whose nearest pair is known in closed form, by the number that a case gives.
PAIRS, SIMPLICES, TILTED = (1, 4), (2, 3), 5
#: e^(i angle) of one pair of the nearly collinear family to the next.
TURN = sp.Rational(63, 65) + sp.I * sp.Rational(16, 65)


@functional("Delta_diag", latex=r"\Delta_{\mathrm{diag}}")
def nearest_square(case: Case) -> sp.Expr:
    """min |eta_ci - eta_cj|^2 over the pairs of a group, of the family and the n of a case.

    Antipodal pairs in orthogonal directions (families 1, 4), with a triangle in a plane of its own for odd n; regular
    simplices (2, 3); antipodal pairs in one plane, each turned from the last (5). Raises ValueError for another family.
    """
    family, n = (int(case.scalars[name]) for name in ("family", "n"))
    share, width = (sp.Rational(case.scalars[name]) for name in ("lam", "d"))
    if n < 2 or family not in (*PAIRS, *SIMPLICES, TILTED):
        raise ValueError(f"n = {n}, family = {family}; Delta_diag is known for n >= 2 and the families 1 to 5")
    pairs = n // 2 if n % 2 == 0 else (n - 3) // 2
    if family in SIMPLICES or n == 3:
        square = sp.Rational(2 * n, n - 1)
    elif pairs == 1 and n % 2 == 0:
        square = sp.Integer(4)
    else:
        turns = [abs(sp.re(sp.expand(TURN**k))) for k in range(1, pairs)] if family == TILTED else []
        square = 2 - 2 * max(turns, default=ZERO)
    return square * (1 - share**2) * width


# -- the constructions


def sink_matrix(a: sp.Expr, b: sp.Expr) -> GroupMatrix:
    """M = a r e_0^T + b sum_c e_{1,c} e_{0,c}^T with r the sum of all unit vectors but e_0."""
    return group_matrix(
        2,
        {
            ((GROUPS, "c"), None): a,
            ((COPIES, "c"), None): a,
            ((COPIES, "c"), (GROUPS, "c")): b,
        },
    )


def diagonal_matrix(s: sp.Expr, a: sp.Expr, b: sp.Expr) -> GroupMatrix:
    """M = s sum_c e_{0,c} e_{0,c}^T + a sum_c e_{1,c} e_{1,c}^T + b sum_c e_{1,c} e_{0,c}^T."""
    return group_matrix(
        2,
        {
            ((GROUPS, "c"), (GROUPS, "c")): s,
            ((COPIES, "c"), (COPIES, "c")): a,
            ((COPIES, "c"), (GROUPS, "c")): b,
        },
    )


# -- the copy queries alone


@dataclass(frozen=True)
class Routing:
    """A family of constraints query^T W_QK key >= kappa sqrt(d), one for every way to give its groups.

    ``query`` and ``key`` are coordinates over sqrt(d).
    """

    query: Coordinates
    key: Coordinates


def routing() -> tuple[Routing, Routing]:
    """The copy query of a group over BOS, and over another group, both with the mean of a group's dormant tokens.

    The mean over the numbers i of margins of c_c, d_ci over BOS and d_ci over d_ek: as the nuisances of a group sum to
    0, the mean of d_ci is lam dbar_c.
    """
    found = []
    for other in (BOS, dormant("e", "k")):
        key = dict(dormant("c", "i").coordinates)
        for place, value in other.structure:
            key[place] = key.get(place, ZERO) - value
        found.append(Routing(copy_query("c").coordinates, key))
    return found[0], found[1]
