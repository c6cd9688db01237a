"""Bad input: the place, the mend, and where a text may mean two things, both."""

from __future__ import annotations

import pytest

from theorems.statement import StatementError, proposition

#: Statement, hypotheses, what the error says, and what stands at the caret.
TABLE = [
    ("E[x[i].T W x[j]] = 0", "", "no operator before 'W x[j]] '; write * for a product", "W x[j]"),
    ("E[x[i].T*W*x[j]] = 2i*tr(W*Sigma)", "", "write * for a product", "i*tr"),
    ("sin u <= 1", "u real", "write sin(u) for a function, sin*u for a product", "u"),
    ("E[x[i].T*W*x[j]] = i(j + 1)", "", "i(...) is unknown; write i*(...) for a product", "i(j"),
    ("(1 + u)(1 - u) = 1 - u**2", "u real", "write (1 + u)*(...) for a product", "(1 + u)("),
    ("u >= 0 and", "u real", "nothing follows and", "and"),
    ("u => 0", "u real", "write >= for a comparison, A if B for an implication", "=>"),
    ("E[x[i].T*W*x[j]] = 0", "i =< j", "write <=", "=< j"),
    ("E[x[0].T*x[1]] = 0", "", "x[0] is no token; expected a position from 1 to T", "0]"),
    ("E[x[T + 2].T*x[1]] = 0", "", "x[T + 2] is no token", "T + 2"),
    ("E[x[i].T*W*x[j]] = i*tr(W*Sgima)", "", "did you mean Sigma?", "Sgima"),
    ("softmax(s)[i] <= 1", "", "e.g. s in R^n", "s)"),
    ("norm(W, nucler) <= 1", "", "did you mean nuclear?", "nucler"),
    ("P[x[1].T*u > 0 and x[2].T*u > 0] = 1/4", "u in R^d", "write E[indicator(a > 0)*indicator(b > 0)]", "x[1]"),
    ("E[prod(x[k].T*u, k, 1, 3)] = 0", "u in R^d", "write such factors out, f*g*h", "x[k]"),
]


@pytest.mark.parametrize(("text", "given", "told", "there"), TABLE)
def test_errors_point_at_their_place_with_the_mend(text: str, given: str, told: str, there: str) -> None:
    with pytest.raises(StatementError) as caught:
        proposition(text, given)
    assert told in str(caught.value)
    assert caught.value.text[caught.value.at :].lstrip().startswith(there)
    assert caught.value.caret.endswith("^")


def test_what_is_read_stays_read() -> None:
    for text in ("E[x[T - 1].T*x[T]] = 0", "E[x[i + 1].T*x[1]] = 0", "E[x[2].T*x[1]] = tr(Sigma)"):
        proposition(text)
    proposition("u >= 0 and v >= 0 if u*v >= 0", "u real, v real")
