"""Trusted rules that conclude inequalities between norms, traces and eigenvalues of real d x d matrices.

Every step's data begins with (left, right, hypotheses): left <= right wherever the hypotheses hold. Matrices are W
(W_QK), Sigma, and products such as W_Sigma; C stands for a factor of W_QK.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import sympy as sp

from theorems.algebra.closed import vanishes
from theorems.algebra.expressions import symbol
from theorems.algebra.norms import Exact, is_semidefinite, is_symmetric
from theorems.rules import licensed_by, rule

Hypotheses = tuple[str, ...]

SYMMETRIC = "W_QK symmetric"
COVARIANCE = "Sigma positive semidefinite"
DEFINITE = "Sigma positive definite"
#: W_QK or -W_QK positive semidefinite, by its least and its largest eigenvalue.
ONE_SIGNED = "least_W*largest_W >= 0"
#: Hypotheses that are stated by functionals, in words.
MEANING = {ONE_SIGNED: "W_QK or -W_QK is positive semidefinite"}
#: What else gives a hypothesis.
IMPLIED_BY = {COVARIANCE: (DEFINITE,)}

#: The singular values' l_p norms and the entries' (p within a column, q over the columns) norms, by kind.
SCHATTEN = {"spectral": sp.oo, "frobenius": sp.Integer(2), "nuclear": sp.Integer(1)}
MIXED = {
    "frobenius": (sp.Integer(2), sp.Integer(2)),
    "entrywise": (sp.Integer(1), sp.Integer(1)),
    "column": (sp.Integer(1), sp.oo),
}
LETTERS = frozenset({"W", "Sigma", "R", "R_inverse", "Sigma_inverse"})

_ROOTS = {"Sigma": ("R", "R"), "Sigma_inverse": ("R_inverse", "R_inverse")}
_OPPOSITE = {"R": "R_inverse", "R_inverse": "R"}

#: Every rule of this module, by name; ``chain`` among them puts the others together.
NORM_RULES: set[str] = set()


def _norm_rule(name: str) -> Callable[[Callable[..., bool]], Callable[..., bool]]:
    NORM_RULES.add(name)
    return rule(name)


def _loss(p: sp.Expr, q: sp.Expr) -> sp.Expr:
    """The exponent e of the least factor n^e with |v|_p <= n^e |v|_q for vectors of n entries."""
    return max(sp.Integer(0), 1 / p - 1 / q)


@_norm_rule("schatten-norms")
def schatten_norms(left: sp.Expr, right: sp.Expr, hypotheses: Hypotheses, one: str, two: str, matrix: str) -> bool:
    """||s||_p <= d^{max(0, 1/p - 1/q)} ||s||_q for the d singular values s of a matrix.

    Trusted: the l_p norms of a vector, and that ||A||_2, ||A||_F, ||A||_* are those of s for p = infinity, 2, 1.
    """
    if not _exists(matrix, hypotheses):
        return False
    factor = symbol("d") ** _loss(SCHATTEN[one], SCHATTEN[two])
    return _is(left, symbol(f"{one}_{matrix}")) and _is(right, factor * symbol(f"{two}_{matrix}"))


@_norm_rule("mixed-norms")
def mixed_norms(left: sp.Expr, right: sp.Expr, hypotheses: Hypotheses, one: str, two: str, matrix: str) -> bool:
    """||A||_{p,q} <= d^{max(0, 1/p - 1/r) + max(0, 1/q - 1/s)} ||A||_{r,s}: within every column, then over the columns.

    Trusted: the l_p norms of a vector of d entries, used twice.
    """
    # C need not be square: its columns may have any number of entries
    if not _exists(matrix, hypotheses) or "C" in matrix:
        return False
    (p, q), (r, s) = MIXED[one], MIXED[two]
    factor = symbol("d") ** (_loss(p, r) + _loss(q, s))
    return _is(left, symbol(f"{one}_{matrix}")) and _is(right, factor * symbol(f"{two}_{matrix}"))


@_norm_rule("submultiplicative")
def submultiplicative(left: sp.Expr, right: sp.Expr, hypotheses: Hypotheses, one: str, two: str) -> bool:
    """||A B||_2 <= ||A||_2 ||B||_2. Trusted: an operator norm is submultiplicative."""
    if not LETTERS.issuperset((one, two)) or not _exists(f"{one}_{two}", hypotheses):
        return False
    product = symbol(f"spectral_{one}") * symbol(f"spectral_{two}")
    return _is(left, symbol(f"spectral_{one}_{two}")) and _is(right, product)


@_norm_rule("trace-nuclear")
def trace_nuclear(left: sp.Expr, right: sp.Expr, hypotheses: Hypotheses, word: tuple[str, ...]) -> bool:
    """|tr(A)| <= ||A||_* for a product A of symmetric letters.

    Trusted: |tr(U S V^T)| <= sum of S, as |(V^T U)_kk| <= 1.
    """
    if not _needed(word) <= _closure(hypotheses):
        return False
    return _is(left, sp.Abs(_traced(word))) and _is(right, symbol("nuclear_" + "_".join(word)))


@_norm_rule("spectral-radius")
def spectral_radius(left: sp.Expr, right: sp.Expr, hypotheses: Hypotheses) -> bool:
    """||A||_2 <= ||A||_{1->1} for symmetric A = W_QK.

    Trusted: ||A||_2 is then the largest |eigenvalue|, which no operator norm is smaller than.
    """
    return SYMMETRIC in hypotheses and _is(left, symbol("spectral_W")) and _is(right, symbol("column_W"))


@_norm_rule("one-signed-trace")
def one_signed_trace(left: sp.Expr, right: sp.Expr, hypotheses: Hypotheses) -> bool:
    """||A||_* <= |tr(A)| for symmetric A = W_QK whose eigenvalues w are of one sign: sum |w| = |sum w|.

    Trusted: the singular values of a symmetric matrix are |w|.
    """
    given = SYMMETRIC in hypotheses and ONE_SIGNED in hypotheses
    return given and _is(left, symbol("nuclear_W")) and _is(right, sp.Abs(symbol("tr_W")))


@_norm_rule("gram-factor")
def gram_factor(left: sp.Expr, right: sp.Expr, hypotheses: Hypotheses) -> bool:
    """||A||_2 <= ||C||_2^2 and ||C||_F^2 <= |tr(A)| for A = W_QK symmetric of one sign, A = C^T C or A = -C^T C.

    Trusted: a positive semidefinite matrix has such a factor; both are equalities.
    """
    if SYMMETRIC not in hypotheses or ONE_SIGNED not in hypotheses:
        return False
    spectral = _is(left, symbol("spectral_W")) and _is(right, symbol("spectral_C") ** 2)
    return spectral or (_is(left, symbol("frobenius_C") ** 2) and _is(right, sp.Abs(symbol("tr_W"))))


@_norm_rule("trace-cauchy-schwarz")
def trace_cauchy_schwarz(
    left: sp.Expr, right: sp.Expr, hypotheses: Hypotheses, one: tuple[str, ...], two: tuple[str, ...]
) -> bool:
    """|tr(A^T B)| <= sqrt(tr(A^T A)) sqrt(tr(B^T B)) for products A, B of symmetric letters.

    Sigma = R R with a symmetric root R needs Sigma positive semidefinite, an inverse needs it positive definite, and
    W is symmetric. Trusted: Cauchy-Schwarz for the inner product tr(A^T B).
    """
    if not _needed((*one, *two)) <= _closure(hypotheses):
        return False
    cross, first, second = (_traced(a[::-1] + b) for a, b in ((one, two), (one, one), (two, two)))
    # the root of a square of a norm is the norm
    product = sp.powdenest(sp.sqrt(first), force=True) * sp.powdenest(sp.sqrt(second), force=True)
    return _is(left, sp.Abs(cross)) and _is(right, product)


@_norm_rule("congruence")
def congruence(left: sp.Expr, right: sp.Expr, hypotheses: Hypotheses) -> bool:
    """||W||_2 <= ||Sigma^{-1}||_2 ||M||_2 and ||M||_F <= sqrt(tr((W Sigma)^2)), M = R W R with R R = Sigma.

    Trusted: W = R^{-1} M R^{-1} with ||R^{-1}||_2^2 = ||Sigma^{-1}||_2; tr(M^T M) = tr((W Sigma)^2) for symmetric W.
    """
    if DEFINITE in hypotheses and _is(left, symbol("spectral_W")):
        return _is(right, symbol("spectral_Sigma_inverse") * symbol("spectral_M"))
    given = {SYMMETRIC, COVARIANCE} <= _closure(hypotheses)
    return given and _is(left, symbol("frobenius_M")) and _is(right, sp.sqrt(symbol("tr2")))


@_norm_rule("chain")
def chain(left: sp.Expr, right: sp.Expr, hypotheses: Hypotheses, parts: tuple[tuple[Any, sp.Expr], ...]) -> bool:
    """Inequalities one after the other: c a^k <= c b^k for a <= b, c >= 0, k > 0, from left to right.

    ``parts`` are (step, k) pairs; every step must be licensed, under the hypotheses of the whole. Trusted: x -> c x^k
    rises on x >= 0, where norms and absolute values are.
    """
    now = left
    for step, power in parts:
        if not licensed_by(step, NORM_RULES) or not sp.Rational(power).is_positive:
            return False
        below, above, needed = step.data[:3]
        if not set(needed) <= _closure(hypotheses):
            return False
        factor = sp.powsimp(now / below**power)
        if not _non_negative(factor):
            return False
        now = sp.powsimp(factor * above**power)
    return bool(parts) and _is(now, right)


def _non_negative(factor: sp.Expr) -> bool:
    """Whether an expression is visibly non-negative and finite: numbers, d, norms, absolute values and their powers.

    Nothing but d stands below a line.
    """
    for part in sp.Mul.make_args(factor):
        base, power = part.as_base_exp()
        if power.is_Rational and (base == symbol("d") or base.is_positive):
            continue
        if not power.is_positive:
            return False
        kind = base.name.partition("_")[0] if base.is_Symbol else ""
        if kind not in {*SCHATTEN, *MIXED} and not isinstance(base, sp.Abs):
            return False
    return True


#: The matrices that norms are named by, and what gives each: a root of Sigma, an inverse, M = R W R.
NAMED: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(("W", "Sigma", "C"), frozenset()),
    **dict.fromkeys(("R", "M"), frozenset({COVARIANCE})),
    **dict.fromkeys(("R_inverse", "Sigma_inverse"), frozenset({DEFINITE})),
}


def _exists(matrix: str, hypotheses: Hypotheses) -> bool:
    """Whether the hypotheses give every matrix of a product by its name; KeyError for the name of none."""
    letters = (letter.replace("-", "_") for letter in matrix.replace("_inverse", "-inverse").split("_"))
    return all(NAMED[letter] <= _closure(hypotheses) for letter in letters)


def _needed(word: tuple[str, ...]) -> set[str]:
    """What the letters of a word, read as symmetric matrices, need."""
    letters = set(word)
    needed = {SYMMETRIC} if "W" in letters else set()
    if letters - {"W"}:
        needed.add(COVARIANCE)
    if any(letter.endswith("_inverse") for letter in letters):
        needed.add(DEFINITE)
    return needed


def _closure(hypotheses: Hypotheses) -> set[str]:
    """The hypotheses, and those that they imply."""
    given = set(hypotheses)
    return given | {weaker for weaker, stronger in IMPLIED_BY.items() if given & set(stronger)}


def granted(hypothesis: str, assumptions: tuple[str, ...], conditions: tuple[str, ...]) -> bool:
    """Whether a claim assumes a hypothesis: among the parts of its assumptions, or as a condition on its cases."""
    stated = tuple(part.strip() for text in assumptions for part in text.split(","))
    return hypothesis in _closure((*stated, *conditions))


def meets(hypothesis: str, matrices: Mapping[str, Exact]) -> bool:
    """Whether a case's matrices, where it has them, are shown to meet SYMMETRIC, COVARIANCE or DEFINITE, exactly."""
    name = "W" if hypothesis == SYMMETRIC else "Sigma"
    if name not in matrices:
        return True
    if hypothesis == SYMMETRIC:
        return is_symmetric(matrices[name])
    return is_semidefinite(matrices[name], definite=hypothesis == DEFINITE)


def reduced(word: tuple[str, ...]) -> tuple[str, ...]:
    """A cyclic word in the letters with Sigma = R R, R next to its inverse cancelled, in its least rotation."""
    letters = [piece for letter in word for piece in _ROOTS.get(letter, (letter,))]
    found: list[str] = []
    for letter in letters:
        if found and _OPPOSITE.get(found[-1]) == letter:
            found.pop()
        else:
            found.append(letter)
    while found and _OPPOSITE.get(found[0]) == found[-1]:
        found = found[1:-1]
    turns = [tuple(found[k:] + found[:k]) for k in range(len(found))]
    return next(iter(sorted(turns)), ())


def trace_of(word: tuple[str, ...]) -> sp.Expr | None:
    """The trace of a product of letters by its name: tr_W, tr1, tr2, or the square of a Frobenius norm; else None."""
    if not LETTERS.issuperset(word):
        raise ValueError(f"word = {word}; expected letters among {', '.join(sorted(LETTERS))}")
    names: tuple[tuple[tuple[str, ...], sp.Expr], ...] = (
        ((), symbol("d")),
        (("W",), symbol("tr_W")),
        (("W", "Sigma"), symbol("tr1")),
        (("W", "Sigma", "W", "Sigma"), symbol("tr2")),
        *(((name, name), symbol(f"frobenius_{name}") ** 2) for name in ("W", "Sigma", "Sigma_inverse")),
    )
    return next((value for other, value in names if reduced(other) == reduced(word)), None)


def _traced(word: tuple[str, ...]) -> sp.Expr:
    found = trace_of(word)
    if found is None:
        raise ValueError(f"word = {word}; expected one whose trace has a name")
    return found


def _is(one: sp.Expr, other: sp.Expr) -> bool:
    return vanishes(one - other)
