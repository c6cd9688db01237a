"""Other notations: symbols with one meaning are read, all others refused at their place with what to write."""

from __future__ import annotations

import pytest

from theorems.statement import StatementError, proposition
from theorems.statement.reading.notation import plain


@pytest.mark.parametrize(
    ("text", "told", "place"),
    [
        ("E[x_i.T*W*x[j]] = 0", "write x[i] for a token", 2),
        ("tr(W*x_{i}) = 0", "x[i]", 5),
        ("E[x[i]^T*W*x[j]] = 0", "write x[i].T", 2),
        ("tr(W**T*Sigma) = 0", "write W.T", 3),
        ("tr(W^-1) = 0", "write inv(W)", 3),
        ("tr(T(W)) = 0", "write W.T for the transpose", 3),
        ("tr(W.t) = 0", "write .T for the transpose", 3),
        ("E[x[i]'*W*x[j]] = 0", "write .T for the transpose", 6),
        (r"E[\|x[i]\|**2] = 0", "norm(v)", 2),
        ("E[||x[i]||**2] = 0", "norm(v)", 2),
        ("E[|x[i].T*x[j]|] = 0", "abs(a)", 2),
        ("E[<x[i], x[j]>] = i*tr(Sigma)", "a.T*b", 2),
        ("<x[i], x[j]> = 0", "a.T*b", 0),
        ("E[x[i].T@W@x[j]] = 0", "write * for a product", 8),
        ("E[norm(x[i])**2] = i*Tr(Sigma)", "write tr(...)", 21),
        ("E[norm(x[i])**2] = i*trace(Sigma)", "write tr(...)", 21),
        ("E(x[i].T*W*x[j]) = 0", "E[...]", 0),
        ("Var(x[i].T*W*x[j]) = 0", "Var[...]", 0),
        ("var(x[i].T*W*x[j]) = 0", "Var[...]", 0),
        ("E[sum_{j=1}^T x[j].T*x[j]] = 0", "sum(expression, j, 1, T)", 2),
        (r"\mathbb{E}[x[i].T*x[i]] = 0", "LaTeX", 0),
        ("E[‖x[i]‖²] = 0", "norm(v)", 2),
        ("E[xᵢ.T*W*x[j]] = 0", "x[i]", 3),
        ("tr(WΣ) = 0", "write * for a product", 4),
        ("E[⟨x[i], x[j]⟩] = 0", "a.T*b", 2),
        ("∑x[j] = 0", "sum(expression, j, 1, T)", 0),
    ],
)
def test_other_notations_are_refused_with_what_to_write(text: str, told: str, place: int) -> None:
    with pytest.raises(StatementError) as refused:
        proposition(text)
    assert told in str(refused.value)
    assert refused.value.at == place, refused.value.caret


@pytest.mark.parametrize(
    ("given", "written"),
    [
        (("𝔼[x[i]ᵀ·W·x[j]] ≤ j·tr(W·Σ)", "i ≤ j"), ("E[x[i].T*W*x[j]] <= j*tr(W*Sigma)", "i <= j")),
        (("E[norm(x[i])²] − d·i = 0", "Σ = I"), ("E[norm(x[i])**2] - d*i = 0", "Sigma = I")),
        (("E[x[i].T*W*x[T]]/T → θ·tr(W*Σ)", "", "", "walk", "T → ∞, i/T → θ"),
         ("E[x[i].T*W*x[T]]/T -> theta*tr(W*Sigma)", "", "", "walk", "T -> oo, i/T -> theta")),
        (("λ·√(π) ≥ 0", "λ ∈ ℝ, λ > 0"), ("lam*sqrt(pi) >= 0", "lam in R, lam > 0")),
    ],
)  # fmt: skip
def test_symbols_with_one_meaning_are_read(given: tuple[str, ...], written: tuple[str, ...]) -> None:
    assert proposition(*given) == proposition(*written)


def test_what_is_written_in_the_language_stays_as_it_is() -> None:
    for text in ("norm(W, 'fro') <= 1", "P[a < b] = 1", "largest(s[j], j, 1, n, i < j, k > 1)", "x**12", "x[1]**2"):
        assert plain(text) == text
    assert plain("W²¹") == "W**21"
    proposition("norm(W, 'fro') >= 0")
    proposition("P[0 < x[i].T*W*x[j]] > 1/2", "d = 1")
