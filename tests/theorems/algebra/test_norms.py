"""Norms of a case: the enclosures hold numpy's values and the closed forms, and bad input is told in one line."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

import flint
import numpy as np
import pytest
import sympy as sp

from theorems.algebra import norms
from theorems.algebra.balls import at, precision, sign
from theorems.algebra.expressions import parse
from theorems.gaussian.display import latex
from theorems.gaussian.numeric import Case

Rows = list[list[Fraction]]

NUMPY: dict[str, Any] = {
    "spectral": lambda a: np.linalg.norm(a, 2),
    "frobenius": np.linalg.norm,
    "nuclear": lambda a: np.linalg.norm(a, "nuc"),
    "entrywise": lambda a: np.abs(a).sum(),
    "column": lambda a: np.linalg.norm(a, 1),
    "tr": np.trace,
    "least": lambda a: np.linalg.eigvalsh(a)[0],
    "largest": lambda a: np.linalg.eigvalsh(a)[-1],
}
EYE = [[Fraction(int(r == c)) for c in range(3)] for r in range(3)]
ZERO = [[Fraction(0)] * 2 for _ in range(2)]


def rows(rng: Random, d: int, symmetric: bool) -> Rows:
    A = [[Fraction(rng.randint(-4, 4), rng.choice((1, 2, 3))) for _ in range(d)] for _ in range(d)]
    return [[(A[r][c] + A[c][r]) / 2 for c in range(d)] for r in range(d)] if symmetric else A


def drawn() -> list[tuple[Rows, bool]]:
    rng = Random(5)
    found = [(rows(rng, 1 + k % 5, k % 2 == 0), k % 2 == 0) for k in range(40)]
    rank_one = [[Fraction(a * b) for b in (1, -2, 3)] for a in (1, -2, 3)]
    return [*found, (EYE, True), (ZERO, True), (rank_one, True)]


def test_every_functional_against_numpy() -> None:
    for A, symmetric in drawn():
        dense = np.array(A, dtype=float)
        for kind, reference in NUMPY.items():
            if kind in ("least", "largest") and not symmetric:
                continue
            ball = norms.enclosure(f"{kind}_W", {"W": A})
            wanted = float(reference(dense))
            assert abs(float(ball) - wanted) <= 1e-9 * max(1.0, abs(wanted)), (kind, A)
            # close, and tight: a value that is off by 1e-9 is outside
            assert ball.rad() < 1e-12
            exact = norms.closed_form(f"{kind}_W", {"W": A})
            if exact is not None:
                assert at(exact, {}).overlaps(ball)
                assert not at(exact + sp.Rational(1, 10**9), {}).overlaps(ball)


def test_closed_forms_and_where_there_is_none() -> None:
    table = {"W": [[Fraction(0), Fraction(2)], [Fraction(2), Fraction(3)]], "Sigma": EYE}
    assert norms.closed_form("spectral_W", table) == 4
    assert norms.closed_form("least_W", table) == -1
    assert norms.closed_form("nuclear_W", table) == 5
    assert norms.closed_form("frobenius_Sigma", table) == sp.sqrt(3)
    assert norms.closed_form("tr_W", {"W": [[Fraction(-1, 2)]]}) == sp.Rational(-1, 2)
    golden = {"W": [[Fraction(1), Fraction(1)], [Fraction(1), Fraction(0)]]}
    assert norms.closed_form("spectral_W", golden) is None
    assert norms.rational_value("spectral_W", golden) is None
    assert norms.rational_value("column_W", golden) == 2
    assert abs(norms.shown("spectral_W", golden) - (1 + sp.sqrt(5)) / 2) < sp.Float("1e-28")


def test_the_inverse_of_sigma() -> None:
    Sigma = [[Fraction(2), Fraction(1)], [Fraction(1), Fraction(1)]]
    dense = np.linalg.inv(np.array(Sigma, dtype=float))
    assert abs(float(norms.enclosure("frobenius_Sigma_inverse", {"Sigma": Sigma})) - np.linalg.norm(dense)) < 1e-12
    assert abs(float(norms.enclosure("spectral_Sigma_inverse", {"Sigma": Sigma})) - np.linalg.norm(dense, 2)) < 1e-12


def test_precision_narrows_the_ball() -> None:
    golden = {"W": [[Fraction(1), Fraction(1)], [Fraction(1), Fraction(0)]]}
    radii = []
    for bits in (64, 256):
        with precision(bits):
            radii.append(norms.enclosure("spectral_W", golden).rad())
    assert radii[1] < flint.arb(2) ** -200 < radii[0]


def test_signs_with_enclosed_values() -> None:
    case = Case({"d": 2, "W": [["1", "1"], ["1", "0"]]})
    values = {name: case.number(name) for name in ("spectral_W", "frobenius_W", "column_W")}
    assert values["column_W"] == 2
    assert sign(parse("spectral_W - frobenius_W"), values) == -1
    assert sign(parse("frobenius_W - spectral_W"), values) == 1
    # an equality of enclosed numbers stays open
    assert sign(parse("spectral_W**2 - spectral_W - 1"), values) is None
    assert case.evaluate(parse("d*column_W + frobenius_W")) == 4 + sp.sqrt(3)
    assert abs(case.evaluate(parse("spectral_W")) - sp.GoldenRatio) < sp.Float("1e-28")


def test_bad_input_is_told_in_one_line() -> None:
    singular = Case({"d": 2, "W": [["1", "0"], ["0", "1"]], "Sigma": [["1", "2"], ["2", "4"]]})
    for call in (singular.number, lambda name: singular.evaluate(parse(name))):
        with pytest.raises(ValueError, match=r"^Sigma = .*'4'.* is singular, but its inverse is needed; give .*$"):
            call("frobenius_Sigma_inverse")
    lopsided = Case({"d": 2, "W": [["1", "1"], ["0", "1"]]})
    with pytest.raises(ValueError, match=r"^least_W = an eigenvalue of a matrix that is not symmetric; give"):
        lopsided.number("least_W")
    for name in ("spectral", "spectral_X", "spectral_V", "mean_W", "frobenius_Sigma"):
        with pytest.raises(KeyError):
            lopsided.number(name)
    with pytest.raises(ValueError, match=r"^tr2 needs Sigma, which the case \['W', 'd'\] lacks; give it$"):
        lopsided.number("tr2")
    with pytest.raises(KeyError):
        norms.enclosure("width_W", lopsided.matrices)


def test_definiteness_is_exact() -> None:
    """Against numpy's eigenvalues away from 0, and at singular matrices, one of them all but semidefinite."""
    for A, symmetric in drawn():
        assert norms.is_symmetric(A) == np.array_equal(np.array(A), np.array(A).T)
        if symmetric:
            least = float(np.linalg.eigvalsh(np.array(A, dtype=float))[0])
            if abs(least) > 1e-9:
                assert norms.is_semidefinite(A) == norms.is_semidefinite(A, definite=True) == (least > 0)
    for rows, semi, definite in (
        ([["1", "2"], ["2", "4"]], True, False),
        ([["1", "2"], ["2", "4000000001/1000000000"]], True, True),
        ([["1", "2"], ["2", "3999999999/1000000000"]], False, False),
        ([["0", "0"], ["0", "-1"]], False, False),
        ([["1", "1"], ["0", "1"]], False, False),
        ([["-1", "0"], ["0", "-1"]], False, False),
    ):
        exact = [[Fraction(v) for v in row] for row in rows]
        assert (norms.is_semidefinite(exact), norms.is_semidefinite(exact, definite=True)) == (semi, definite)


def test_words_keep_their_names() -> None:
    """tr_W_Wt and the other trace words are no functionals."""
    assert norms.functional("tr_W") == ("tr", "W")
    assert norms.functional("frobenius_Sigma_inverse") == ("frobenius", "Sigma_inverse")
    assert all(norms.functional(name) is None for name in ("tr1", "tr2", "tr_W_Wt", "tr_I_I", "W", "d", "theta"))


def test_latex() -> None:
    shown = latex(parse("sqrt(d)*spectral_W*frobenius_Sigma_inverse"))
    assert r"\|W_{QK}\|_2" in shown
    assert r"\|\Sigma^{-1}\|_{\mathrm F}" in shown
