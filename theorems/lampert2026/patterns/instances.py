"""Instances of the sink and diagonal patterns as exact data: C groups of n dormant tokens beside the structural ones.

    b_BOS the sink, dbar_c the group directions, c_c the copy queries (orthogonal, of norm sqrt(d)),
    d_ci = lam dbar_c + eta_ci, eta_ci orthogonal to these, |eta_ci|^2 = delta^2 d = (1 - lam^2) d, sum_i eta_ci = 0.

Everything is in units in which d = 1 and kappa = 1: with z = sqrt(d) x, a margin z^T W (z' - z'')/sqrt(d) >= kappa is
x^T W (x' - x'') >= kappa/sqrt(d), so that costs are those of d = kappa = 1 times kappa/sqrt(d). The dimension enters
nowhere else: for the projector P onto the span of the tokens, P W P has the margins of W and no larger nuclear norm.
So the Gram matrix of the nuisances is all that an instance is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import flint

from theorems.algebra import norms
from theorems.algebra.balls import precision

Gram = tuple[tuple[Fraction, ...], ...]


class Token(NamedTuple):
    """A token: of kind "b", "f" (the copy query of a group) or "g" (a dormant token); groups and i count from 0."""

    kind: str
    group: int = -1
    i: int = -1


#: Bits of an enclosure that stands for a number which is no rational.
BITS = 128


@dataclass(frozen=True)
class Instance:
    """C groups of n dormant tokens: lam, and the Gram matrix eta_ci . eta_c'j / d of the nuisances in the order (c, i).

    Raises ValueError where the Gram matrix is none, a nuisance has not the norm delta, or those of a group do not add
    up to 0.
    """

    C: int
    n: int
    lam: Fraction
    nuisances: Gram

    def __post_init__(self) -> None:
        if self.C < 1 or self.n < 2:
            raise ValueError(f"C = {self.C}, n = {self.n}; expected C >= 1 groups of n >= 2 dormant tokens")
        if not 0 < self.lam < 1:
            raise ValueError(f"lam = {self.lam}; expected a number between 0 and 1")
        rows = [list(row) for row in self.nuisances]
        if len(rows) != self.C * self.n or any(len(row) != len(rows) for row in rows):
            raise ValueError(
                f"nuisances have {len(rows)} rows; expected a Gram matrix of C n = {self.C * self.n} vectors"
            )
        if not norms.is_semidefinite(rows):
            raise ValueError("nuisances are no Gram matrix; expected a symmetric positive semidefinite one")
        if any(rows[k][k] != self.delta2 for k in range(len(rows))):
            raise ValueError(
                f"nuisances have squared norms {sorted({rows[k][k] for k in range(len(rows))})}; expected "
                f"delta^2 = 1 - lam^2 = {self.delta2} for every one"
            )
        for c in range(self.C):
            group = range(c * self.n, (c + 1) * self.n)
            if sum(rows[k][m] for k in group for m in group) != 0:
                raise ValueError(f"the nuisances of group {c} do not add up to 0; subtract their mean")

    @property
    def delta2(self) -> Fraction:
        """delta^2 = 1 - lam^2."""
        return Fraction(1) - self.lam * self.lam

    @property
    def tokens(self) -> tuple[Token, ...]:
        """The tokens that are queries or keys: b_BOS, the copy queries, the dormant tokens in the order (c, i)."""
        copies = (Token("f", c) for c in range(self.C))
        return (Token("b"), *copies, *(Token("g", c, i) for c in range(self.C) for i in range(self.n)))

    @property
    def gram(self) -> Gram:
        """The Gram matrix of ``tokens``, in units of d."""
        return tuple(tuple(self._product(one, two) for two in self.tokens) for one in self.tokens)

    def _product(self, one: Token, two: Token) -> Fraction:
        if one.kind != "g" or two.kind != "g":
            return Fraction(int(one == two))
        along = self.lam * self.lam if one.group == two.group else Fraction(0)
        return along + self.nuisances[one.group * self.n + one.i][two.group * self.n + two.i]

    # -- the quantities that the bounds are stated in; Sigma_D and its norm in units of d

    @property
    def trace(self) -> Fraction:
        """tr Sigma_D, the mean of |eta_ci - eta_cj|^2 over groups and ordered pairs i != j."""
        total = sum(
            (self._square(c, i, j) for c in range(self.C) for i in range(self.n) for j in range(self.n)), Fraction(0)
        )
        return total / (self.C * self.n * (self.n - 1))

    def _square(self, c: int, i: int, j: int) -> Fraction:
        H, one, two = self.nuisances, c * self.n + i, c * self.n + j
        return H[one][one] + H[two][two] - 2 * H[one][two]

    def differences(self) -> Gram:
        """The Gram matrix of eta_ci - eta_cj over c and i < j, which has the eigenvalues of Sigma_D after scaling."""
        pairs = [(c * self.n + i, c * self.n + j) for c in range(self.C) for i in range(self.n) for j in range(i)]
        H = self.nuisances
        return tuple(tuple(H[a][k] - H[a][m] - H[b][k] + H[b][m] for k, m in pairs) for a, b in pairs)

    @property
    def norm(self) -> Fraction | flint.arb:
        """||Sigma_D||_2: rational where that is shown, a ball elsewhere."""
        rows = [list(row) for row in self.differences()]
        # every unordered pair stands twice among the ordered ones
        scale = Fraction(2, self.C * self.n * (self.n - 1))
        exact = norms.rational_value("largest_Sigma", {"Sigma": rows})
        if exact is not None:
            return scale * exact
        with precision(BITS):
            return norms.enclosure("largest_Sigma", {"Sigma": rows}) * flint.arb(
                flint.fmpq(scale.numerator, scale.denominator)
            )

    @property
    def r_eff(self) -> Fraction | flint.arb:
        """tr Sigma_D / ||Sigma_D||_2."""
        trace, norm = self.trace, self.norm
        if isinstance(norm, Fraction):
            return trace / norm
        with precision(BITS):
            return flint.arb(flint.fmpq(trace.numerator, trace.denominator)) / norm

    @property
    def Delta_diag(self) -> Fraction:
        """min |eta_ci - eta_cj|^2 over c and i != j, in units of d."""
        return min(self._square(c, i, j) for c in range(self.C) for i in range(self.n) for j in range(i))

    @property
    def r_eta(self) -> int:
        """The dimension of the span of all nuisances."""
        H = self.nuisances
        return int(flint.fmpq_mat([[flint.fmpq(v.numerator, v.denominator) for v in row] for row in H]).rank())


def simplex(n: int) -> Gram:
    """The Gram matrix of n unit vectors that add up to 0, all at one angle (n = 2: antipodal)."""
    return tuple(tuple(Fraction(1) if i == j else Fraction(-1, n - 1) for j in range(n)) for i in range(n))


def along(lam: Fraction, n: int, directions: Sequence[Sequence[Fraction | int]]) -> Instance:
    """Nuisances delta k_c (x) s_i: a simplex s_i in every group, put along unit vectors k_c of that Gram matrix."""
    K = [[Fraction(v) for v in row] for row in directions]
    inner, delta2 = simplex(n), 1 - Fraction(lam) ** 2
    places = [(c, i) for c in range(len(K)) for i in range(n)]
    H = tuple(tuple(delta2 * K[c][k] * inner[i][j] for k, j in places) for c, i in places)
    return Instance(len(K), n, Fraction(lam), H)


def overlapping(C: int, n: int, lam: Fraction, overlap: Fraction) -> Instance:
    """Simplices in every group, those of different groups at the inner product ``overlap`` of their directions.

    0: orthogonal across groups; 1: shared by all groups; near 1: near-collinear; -1/(C - 1): in a common subspace of
    C - 1 directions.
    """
    t = Fraction(overlap)
    return along(lam, n, [[Fraction(1) if c == k else t for k in range(C)] for c in range(C)])
