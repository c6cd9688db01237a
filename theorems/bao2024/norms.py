"""Section 5: the norm inequalities (7) and (10), between W_QK, Sigma and the traces of W = W_QK Sigma."""

from __future__ import annotations

import sympy as sp

from theorems.algebra.expressions import symbol
from theorems.gaussian.process import Step
from theorems.kernel.derivation import Inequality, derivation
from theorems.rules.norm import COVARIANCE, DEFINITE, ONE_SIGNED, SYMMETRIC

d, tr1, tr2, tr_W = (symbol(name) for name in ("d", "tr1", "tr2", "tr_W"))
_WORDS = "{0} <= {1}"
_ONE = sp.Integer(1)
#: What becomes of (10) without |tr(W_QK)| in its middle.
_ENDS = "the two ends of (10): ||Sigma^{-1}||_F sqrt(tr(W^2)) in the place of |tr(W_QK)|, Sigma positive definite"


def _diagonal(W: tuple[str, ...], Sigma: tuple[str, ...] = ()) -> dict[str, object]:
    """A case of diagonal matrices."""

    def rows(values: tuple[str, ...]) -> list[list[str]]:
        return [[value if r == c else "0" for c in range(len(values))] for r, value in enumerate(values)]

    return {"d": len(W), "W": rows(W)} | ({"Sigma": rows(Sigma)} if Sigma else {})


def _schatten(one: str, two: str, matrix: str, factor: sp.Expr = _ONE, hypotheses: tuple[str, ...] = ()) -> Step:
    """||A||_one <= factor ||A||_two, by the singular values."""
    data = (symbol(f"{one}_{matrix}"), factor * symbol(f"{two}_{matrix}"), hypotheses, one, two, matrix)
    return Step("schatten-norms", f"{_WORDS}: norms of the singular values", data)


def _mixed(one: str, two: str, factor: sp.Expr = _ONE) -> Step:
    """||W||_one <= factor ||W||_two, by the entries of every column and then over the columns."""
    data = (symbol(f"{one}_W"), factor * symbol(f"{two}_W"), (), one, two, "W")
    return Step("mixed-norms", f"{_WORDS}: norms of the entries, column by column", data)


def _chained(
    quantity: sp.Expr, upper: sp.Expr, hypotheses: tuple[str, ...], *parts: tuple[Step, int]
) -> tuple[Step, ...]:
    """The parts, and the step that puts them together to quantity <= upper."""
    data = (quantity, upper, hypotheses, tuple((step, sp.Integer(power)) for step, power in parts))
    steps = tuple(dict.fromkeys(step for step, _ in parts))
    return (*steps, Step("chain", "hence {0} <= {1}", data))


@derivation("bao2024.sec5.eq7-first")
def eq7_first(second_route: bool) -> Inequality:
    """|tr(W)| <= d ||W_QK||_2 ||Sigma||_2, attained for W_QK and Sigma multiples of the identity.

    By |tr(A)| <= ||A||_* <= d ||A||_2 for A = W_QK Sigma; by the second route from Cauchy-Schwarz. The points are what
    an ascent of the ratio leads to for every d: multiples of the identity.
    """
    quantity = sp.Abs(tr1)
    W, Sigma = symbol("spectral_W"), symbol("spectral_Sigma")
    given = (SYMMETRIC, COVARIANCE)
    if second_route:
        inner = (quantity, symbol("frobenius_W") * symbol("frobenius_Sigma"), given, ("W",), ("Sigma",))
        parts = (
            Step("trace-cauchy-schwarz", f"{_WORDS}: Cauchy-Schwarz", inner),
            _schatten("frobenius", "spectral", "W", sp.sqrt(d)),
            _schatten("frobenius", "spectral", "Sigma", sp.sqrt(d)),
        )
    else:
        word = ("W", "Sigma")
        parts = (
            Step("trace-nuclear", _WORDS, (quantity, symbol("nuclear_W_Sigma"), given, word)),
            _schatten("nuclear", "spectral", "W_Sigma", d),
            Step("submultiplicative", _WORDS, (symbol("spectral_W_Sigma"), W * Sigma, (), *word)),
        )
    upper = d * W * Sigma
    points = tuple(
        _diagonal((w,) * n, (s,) * n) for n in (2, 3, 6) for w in ("1", "1/4", "-4") for s in ("1", "1/4", "4")
    )
    method = "Cauchy-Schwarz and singular values" if second_route else "nuclear and spectral norms"
    return Inequality(quantity, upper, points, _chained(quantity, upper, given, *((p, 1) for p in parts)), method)


@derivation("bao2024.sec5.eq7-second")
def eq7_second() -> Inequality:
    """||W_QK||_2 <= ||W_QK||_F for every square matrix, attained where W_QK has rank one."""
    step = _schatten("spectral", "frobenius", "W")
    points = tuple(_diagonal((w, *("0",) * (n - 1))) for n in (2, 3) for w in ("1", "1/4", "4"))
    return Inequality(step.data[0], step.data[1], points, (step,), "norms of the singular values")


@derivation("bao2024.sec5.eq7-third-entrywise")
def eq7_third_entrywise() -> Inequality:
    """||W_QK||_F <= sum |w_ij| for every square matrix, attained where W_QK has a single entry."""
    step = _mixed("frobenius", "entrywise")
    points = tuple(_diagonal((w, *("0",) * (n - 1))) for n in (2, 3) for w in ("1", "1/4", "4"))
    return Inequality(step.data[0], step.data[1], points, (step,), "norms of the entries")


@derivation("bao2024.sec5.eq7-third-induced")
def eq7_third_induced(second_route: bool) -> Inequality:
    """||W_QK||_F <= sqrt(d) ||W_QK||_{1->1}, attained for the identity: column by column.

    By the second route for symmetric matrices: ||W||_F <= sqrt(d) ||W||_2, and ||W||_2 is the spectral radius. The
    points are what an ascent of the ratio leads to: multiples of the identity, up to signs and permutations.
    """
    quantity, upper = symbol("frobenius_W"), sp.sqrt(d) * symbol("column_W")
    points = tuple(_diagonal((w,) * n) for n in (2, 3, 6) for w in ("1", "1/4", "4"))
    if not second_route:
        step = _mixed("frobenius", "column", sp.sqrt(d))
        return Inequality(quantity, upper, points, (step,), "norms of the columns")
    radius = Step(
        "spectral-radius", f"{_WORDS}: the spectral radius", (symbol("spectral_W"), symbol("column_W"), (SYMMETRIC,))
    )
    parts = ((_schatten("frobenius", "spectral", "W", sp.sqrt(d)), 1), (radius, 1))
    return Inequality(quantity, upper, points, _chained(quantity, upper, (SYMMETRIC,), *parts), "the spectral radius")


@derivation("bao2024.sec5.eq10-first")
def eq10_first() -> Inequality:
    """|tr(W_QK)| <= ||Sigma^{-1}||_F sqrt(tr(W^2)): Cauchy-Schwarz between Sigma^{-1} and M = R W_QK R, Sigma = R R.

    tr(M Sigma^{-1}) = tr(W_QK) and tr(M^2) = tr((W_QK Sigma)^2). Attained where W_QK is a multiple of Sigma^{-2}.
    """
    quantity, upper = sp.Abs(tr_W), symbol("frobenius_Sigma_inverse") * sp.sqrt(tr2)
    words = "|tr(M Sigma^-1)| = {0} <= {1} for M = R W_QK R, R R = Sigma: Cauchy-Schwarz"
    data = (quantity, upper, (SYMMETRIC, DEFINITE), ("R", "W", "R"), ("Sigma_inverse",))
    points = tuple(
        _diagonal(W, Sigma)
        for W, Sigma in (
            (("1", "1"), ("1", "1")),
            (("1/4", "1/4"), ("1", "1")),
            (("4", "1"), ("1", "2")),
            (("4", "4"), ("4", "4")),
            (("4", "1"), ("1/4", "1/2")),
        )
    )
    return Inequality(quantity, upper, points, (Step("trace-cauchy-schwarz", words, data),), "Cauchy-Schwarz")


@derivation("bao2024.sec5.eq10-second")
def eq10_second(second_route: bool) -> dict[str, Inequality]:
    """||W_QK||_2 <= |tr(W_QK)| where the eigenvalues of W_QK have one sign, attained at rank one.

    By the singular values, or by the factor C of W_QK = C^T C. Opposite eigenvalues make the trace 0, so that without
    the hypothesis no multiple of the trace is a bound; an ascent of the ratio leads there. Beside it, the two ends of
    (10) without their middle.
    """
    quantity, upper = symbol("spectral_W"), sp.Abs(tr_W)
    given = (SYMMETRIC, ONE_SIGNED)
    if second_route:
        C, F = symbol("spectral_C") ** 2, symbol("frobenius_C") ** 2
        words = "{0} <= {1} for W_QK = C^T C or -C^T C"
        parts: tuple[tuple[Step, int], ...] = (
            (Step("gram-factor", words, (quantity, C, given)), 1),
            (_schatten("spectral", "frobenius", "C"), 2),
            (Step("gram-factor", words, (F, upper, given)), 1),
        )
    else:
        signs = Step("one-signed-trace", f"{_WORDS}: eigenvalues of one sign", (symbol("nuclear_W"), upper, given))
        parts = ((_schatten("spectral", "nuclear", "W"), 1), (signs, 1))
    spectra = (("1", "-1"), ("1/4", "-1/4"), ("1", "0"), ("1/4", "0"), ("4", "0"), ("-1", "0"), ("1", "0", "0"))
    method = "a Gram factor" if second_route else "singular values of a one-signed matrix"
    steps = _chained(quantity, upper, given, *parts)
    points = tuple(_diagonal(w) for w in spectra)
    return {"upper": Inequality(quantity, upper, points, steps, method), f"upper@{_ENDS}": _ends()}


def _ends() -> Inequality:
    """||W_QK||_2 <= ||Sigma^{-1}||_F sqrt(tr(W^2)): W_QK = R^{-1} M R^{-1} with M = R W_QK R, attained at rank one."""
    quantity, upper = symbol("spectral_W"), symbol("frobenius_Sigma_inverse") * sp.sqrt(tr2)
    inverse, M = symbol("spectral_Sigma_inverse"), symbol("spectral_M")
    words = "{0} <= {1} for M = R W_QK R, R R = Sigma"
    parts = (
        (Step("congruence", words, (quantity, inverse * M, (DEFINITE,))), 1),
        (_schatten("spectral", "frobenius", "Sigma_inverse", hypotheses=(DEFINITE,)), 1),
        (_schatten("spectral", "frobenius", "M", hypotheses=(COVARIANCE,)), 1),
        (Step("congruence", words, (symbol("frobenius_M"), sp.sqrt(tr2), (SYMMETRIC, COVARIANCE))), 1),
    )
    points = (_diagonal(("1",), ("1",)),)
    return Inequality(quantity, upper, points, _chained(quantity, upper, (SYMMETRIC, DEFINITE), *parts), "congruence")
