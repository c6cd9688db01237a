"""Norms by columns, rows and entries, inverses and eigenvalues: read, and evaluated by three interpreters alike."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from montecarlo.search_values import evaluate
from montecarlo.statements.environment import environment_of
from montecarlo.statements.nodes import StatementSimulationError, frozen
from montecarlo.statements.values import value as simulated
from proofs_check.statements.judging import judged
from proofs_check.statements.request import Request
from theorems.statement import StatementError, proposition
from theorems.statement.latex import latex
from theorems.statement.reading.language import parsed
from theorems.statement.reading.words import word_text
from theorems.statement.values.arithmetic import UndefinedError, Vector
from theorems.statement.values.cases import Case
from theorems.statement.values.spectra import eigenvalues
from theorems.statement.values.values import scalar, value

F = Fraction
#: Not symmetric, so that columns and rows differ; and a covariance with irrational eigenvalues.
W = ((F(1), F(-4)), (F(2), F(1, 2)))
SIGMA = ((F(2), F(1)), (F(1), F(1)))
CASE = Case({"d": F(2)}, {"W": W, "Sigma": SIGMA}, {"a": (F(3), F(-4))}, {})
#: A rational spectrum, a double eigenvalue among them.
TWICE = ((F(2), F(0), F(0)), (F(0), F(2), F(0)), (F(0), F(0), F(-1)))


def both(text: str, case: Case = CASE) -> float:
    """The value of a number by the exact side, after the two sides in floats were seen to have it too."""
    node = proposition(f"{text} = 0", "a in R^d" if "a" in case.vectors else "").left
    exact = float(scalar(node, case))
    plain = case.plain()
    flat = {**plain["matrices"], **plain["vectors"], "d": int(case.numbers["d"])}
    assert evaluate(node.plain(), plain) == pytest.approx(exact, rel=1e-12, abs=1e-12)
    assert float(simulated(frozen(node.plain()), environment_of(flat))) == pytest.approx(exact, rel=1e-12, abs=1e-12)
    return exact


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("norm(W, 1)", 4.5),
        ("norm(W.T, 1)", 5),
        ("norm(W, oo)", 5),
        ("norm(W, max)", 4),
        ("norm(W, sum)", 7.5),
        ("norm(W - W, sum)", 0),
        # a column is a d x 1 matrix, a row its transpose
        ("norm(a, 1)", 7),
        ("norm(a, oo)", 4),
        ("norm(a.T, 1)", 4),
        ("norm(a.T, oo)", 7),
        ("norm(a, sum)", 7),
        ("norm(a, max)", 4),
        ("norm(tr(W) - 3, 1)", 1.5),
        ("tr(inv(Sigma)*Sigma)", 2),
        ("norm(inv(Sigma), fro)**2", 7),
        ("a.T*inv(W)*a", (3 * 3 / 2 + 3 * -16 + 4 * 6 + 16) / 8.5),
        ("eig(Sigma)[1]", (3 - math.sqrt(5)) / 2),
        ("eig(Sigma)[2]", (3 + math.sqrt(5)) / 2),
        ("sum(eig(Sigma)[k]**2, k, 1, d)", 7),
        ("max(eig(Sigma))", (3 + math.sqrt(5)) / 2),
        ("norm(eig(Sigma))**2", 7),
    ],
)
def test_the_three_interpreters_have_one_value(text: str, expected: float) -> None:
    assert both(text) == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_eigenvalues_are_exact_where_they_are_rational_and_come_in_rising_order() -> None:
    assert eigenvalues(TWICE) == [F(-1), F(2), F(2)]
    irrational = eigenvalues(SIGMA) or []
    assert sorted(map(float, irrational)) == list(map(float, irrational))
    assert not any(isinstance(one, Fraction) for one in irrational)
    assert eigenvalues(((F(0), F(-1)), (F(1), F(0)))) is None
    # a product of a symmetric and a semidefinite matrix has real ones, also with no basis of eigenvectors
    assert eigenvalues(((F(0), F(1)), (F(0), F(0)))) == [F(0), F(0)]


def test_a_rotation_has_no_real_eigenvalues_and_a_singular_matrix_no_inverse() -> None:
    turn = Case({"d": F(2)}, {"W": ((F(0), F(-1)), (F(1), F(0)))})
    flat = {"W": [["0", "-1"], ["1", "0"]]}
    node = proposition("eig(W)[1] = 0").left
    with pytest.raises(UndefinedError, match="not all eigenvalues are real"):
        value(node, turn)
    assert math.isnan(evaluate(node.plain(), turn.plain()))
    with pytest.raises(StatementSimulationError, match="not real"):
        simulated(frozen(node.plain()), environment_of(flat))
    none = Case({"d": F(2)}, {"W": ((F(1), F(1)), (F(1), F(1)))})
    node = proposition("tr(inv(W)) = 0").left
    with pytest.raises(UndefinedError, match="no inverse"):
        value(node, none)
    assert math.isnan(evaluate(node.plain(), none.plain()))
    with pytest.raises(StatementSimulationError, match="without an inverse"):
        simulated(frozen(node.plain()), environment_of({"W": [["1", "1"], ["1", "1"]]}))


def test_an_inverse_of_balls() -> None:
    # sqrt(2) is known by a ball only
    found = value(parsed("inv(sqrt(2)*Sigma)*Sigma"), CASE)
    assert not isinstance(found, Vector)
    assert [[round(float(v), 12) for v in row] for row in found.rows] == pytest.approx(  # type: ignore[union-attr]
        np.eye(2) / math.sqrt(2)
    )


@pytest.mark.parametrize(
    ("text", "part", "at"),
    [
        ("norm(W, 3) <= 1", r"expected norm\(v\), or norm\(W, 2\|fro\|nuclear\|1\|oo\|max\|sum\)", 8),
        ("inv(tr(W)) = 1", r"tr\(W\) is a number; expected a matrix, e\.g\. inv\(W\)", 4),
        ("1 = tr(eig(W))", r"eig\(W\) is a vector; expected a matrix", 7),
        ("eig(a)[1] = 1", r"a is a vector; expected a matrix, e\.g\. eig\(W\)", 4),
        ("inv(W, W) = 1", r"inv\(\.\.\.\) of 2 arguments; expected inv\(W\)", 0),
    ],
)
def test_errors_name_the_place_and_the_mend(text: str, part: str, at: int) -> None:
    with pytest.raises(StatementError, match=part) as caught:
        proposition(text, "a in R^d" if "a)" in text else "")
    assert caught.value.at == at


def test_they_are_written_as_they_are_read() -> None:
    for text in ("norm(W, oo)", "norm(inv(Sigma), fro)", "eig(W*Sigma)[k]", "norm(W, 1)"):
        assert str(parsed(text)) == text
    assert latex(parsed("norm(inv(Sigma), sum)")) == r"\left\lVert \Sigma^{-1} \right\rVert_{\mathrm{sum}}"
    assert latex(parsed("norm(W, oo)")).endswith(r"_{\infty}")


@pytest.mark.parametrize(
    ("word", "text"),
    [
        ("entrywise_W", "norm(W, sum)"),
        ("column_W", "norm(W, 1)"),
        ("frobenius_Sigma_inverse", "norm(inv(Sigma), fro)"),
        ("spectral_W_Sigma", "norm(W*Sigma, 2)"),
    ],
)
def test_the_words_of_prints(word: str, text: str) -> None:
    assert word_text(word) == text


def verdict(text: str, hypotheses: str = "") -> str:
    prop = proposition(text, hypotheses)
    return str(
        judged(prop, Request(text, hypotheses), text, effort="quick", seed=0, device="cpu", jobs=1)[0]["verdict"]
    )


@pytest.mark.parametrize(
    ("text", "hypotheses", "expected"),
    [
        # what holds of the norms by singular values alone must not be used of these
        ("norm(W.T, 1) = norm(W, 1)", "", "refuted"),
        ("norm(W, 1) = norm(W, oo)", "", "refuted"),
        ("norm(W, 1) <= norm(W, fro)", "", "refuted"),
        ("norm(W*W, max) <= norm(W, max)**2", "", "refuted"),
        ("eig(Sigma)[1] >= 1", "", "refuted"),
        ("tr(inv(Sigma)) <= 1/tr(Sigma)", "Sigma positive definite", "refuted"),
        ("norm(W, 1) = norm(W, oo)", "W symmetric", "verified"),
        ("norm(W, fro) <= norm(W, sum)", "", "verified"),
        # what holds, and no rule proves
        ("tr(inv(Sigma)) >= d/eig(Sigma)[d]", "Sigma positive definite", "undecided"),
    ],
)
def test_verdicts(text: str, hypotheses: str, expected: str) -> None:
    assert verdict(text, hypotheses) == expected


def test_a_moment_of_such_a_norm_is_not_taken_for_a_euclidean_one() -> None:
    assert verdict("E[norm(x[i], 1)**2] = i*tr(Sigma)") != "verified"
    assert verdict("E[norm(x[i], max)**2] = i*tr(Sigma)", "d = 1") != "error"
    assert verdict("E[x[i].T*inv(Sigma)*x[i]] = d*i", "Sigma positive definite") in ("undecided", "verified")
