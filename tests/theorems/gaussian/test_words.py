"""Words: one name for equal traces, different names for different ones, and values against plain matrix products."""

from __future__ import annotations

import time
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from tests.theorems.bruteforce import Rows, bilinear, rows, times, trace, transposed
from theorems.gaussian import words
from theorems.gaussian.words import Letter, Products, Word, chain, cycle, known, reverse

W = Letter("W", symmetric=False)
WT = W.flipped()
S = Letter("W")
A = Letter("A", symmetric=False)
I = Letter("")  # noqa: E741
SIGMA = rows((2, 1, 0), (1, 3, "1/2"), (0, "1/2", 1))
MATRICES: dict[str, Rows] = {
    "W": rows((1, 2, 0), (-1, "1/3", 4), (5, 0, -2)),
    "A": rows((0, 1, 1), (2, -1, 0), (1, 1, "1/2")),
}
VECTORS = {"a": [Fraction(1), Fraction(-2), Fraction(3)], "b": [Fraction(1, 2), Fraction(0), Fraction(1)]}


def matrix_of(letter: Letter) -> Rows:
    if not letter.name:
        return rows((1, 0, 0), (0, 1, 0), (0, 0, 1))
    matrix = MATRICES[letter.name]
    return transposed(matrix) if letter.transposed else matrix


def plain_trace(letters: tuple[Letter, ...]) -> Fraction:
    return trace(*(m for letter in letters for m in (matrix_of(letter), SIGMA)))


def test_names() -> None:
    assert cycle((S,)).name == "tr1"
    assert cycle((S, S, S)).name == "tr3"
    assert cycle((W, WT)).name == "tr_W_Wt"
    assert cycle((WT,)).name == "tr1"
    assert cycle((I,)).name == "tr_I"
    assert chain("m", (S,), "m").name == "mWm"
    assert chain("m", (S, S), "a").name == "aWSWm"
    assert chain("b", (I, I), "a").name == "aSb"
    assert chain("m", (W,), "a").name == "aWtm"
    assert chain("a", (W,), "m").name == "aWm"


@pytest.mark.parametrize("length", [1, 2, 3, 4])
def test_a_cycle_is_known_by_its_value(length: int) -> None:
    """Two words of W, W^T, A, A^T have one canonical form exactly where their traces agree, for generic matrices."""
    values: dict[Fraction, Word] = {}
    letters = (W, WT, A, A.flipped()) if length < 4 else (W, WT, A)
    for word in product(letters, repeat=length):
        found, value = cycle(word), plain_trace(word)
        assert Products(MATRICES, SIGMA, {}).value(found) == value
        assert values.setdefault(value, found) == found
    assert len({word.name for word in values.values()}) == len(values)


def test_a_chain_is_read_from_either_end() -> None:
    for word in product((W, WT, A), repeat=2):
        one, two = chain("a", word, "b"), chain("b", reverse(word), "a")
        assert one == two
        value = bilinear(VECTORS["a"], times(matrix_of(word[0]), SIGMA, matrix_of(word[1])), VECTORS["b"])
        assert Products(MATRICES, SIGMA, VECTORS).value(one) == value
    assert chain("a", (W, A), "b") != chain("a", (A, W), "b")
    assert chain("a", (W,), "a") == chain("a", (WT,), "a")
    assert chain("a", (W,), "b") != chain("b", (W,), "a")


def test_words_are_known_by_name() -> None:
    assert known(cycle((W, W, WT)).name) == cycle((W, W, WT))
    assert known("tr5") == cycle((S,) * 5)
    assert known("theta") is None
    assert known("trace") is None
    assert known("trx5") is None
    # no trace has no letters, and one name is enough for one trace
    assert known("tr0") is None
    assert known("tr05") is None
    assert known("tr\N{SUPERSCRIPT TWO}") is None


def test_the_identity_is_its_own_transpose() -> None:
    for letter in (I, Letter("", symmetric=False)):
        assert letter.flipped() == letter
    assert reverse((W, Letter("", symmetric=False))) == (Letter("", symmetric=False), WT)


def test_a_matrix_with_rows_of_different_lengths_is_refused() -> None:
    ragged = {"W": [[Fraction(1), Fraction(2)], [Fraction(3)]]}
    with pytest.raises(ValueError, match="lengths"):
        Products(ragged, rows((1, 0), (0, 1)), {}).value(cycle((W,)))


def test_products_are_made_once_and_in_halves(monkeypatch: pytest.MonkeyPatch) -> None:
    """Traces of two letters over the identity need no product; of four, one for each half, kept for the next word."""
    multiplied: list[words.Over] = []
    original = words._times

    def counted(one: words.Over, two: words.Over) -> words.Over:
        multiplied.append(one)
        return original(one, two)

    monkeypatch.setattr(words, "_times", counted)
    found = Products(MATRICES, matrix_of(I), VECTORS)
    for word, steps in ((cycle((W, WT)), 0), (cycle((W, W, W, W)), 1), (cycle((W, W, A)), 1)):
        assert found.value(word) == trace(*map(matrix_of, word.letters))
        assert len(multiplied) == steps, word


def test_the_words_of_a_large_matrix_of_floats_are_exact_in_seconds() -> None:
    d = 160
    drawn = np.random.default_rng(0).standard_normal((d, d))
    exact = {"W": [[Fraction(float(value)) for value in row] for row in drawn]}
    unit = [[Fraction(int(r == c)) for c in range(d)] for r in range(d)]
    begun = time.process_time()
    found = Products(exact, unit, {})
    for letters in ((W,) * 4, (W, W, WT, WT), (W, WT, W, WT)):
        whole = np.linalg.multi_dot([drawn.T if letter.transposed else drawn for letter in letters])
        assert float(found.value(cycle(letters))) == pytest.approx(np.trace(whole), rel=1e-9)
    assert time.process_time() - begun < 5
