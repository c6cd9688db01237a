"""Vectors, forms and polynomials in them, before any expectation."""

from __future__ import annotations

import pytest

from theorems.algebra.ratio import Ratio
from theorems.gaussian.observables import Bound, Observable, Term, Vector, W
from theorems.gaussian.process import Position, random_walk

i, j, T = Position("i"), Position("j"), Position("T")


def test_vectors_add_up_and_cancel() -> None:
    walk = random_walk("i", "T")
    x, y = walk.token(i), walk.token(T)
    assert x + y == y + x
    assert (2 * x + y / "T") - x - y / "T" == x
    assert (x - x).parts == ()
    assert str(x - y) == "(-1)*x_T + x_i"
    assert str(walk.tokens(above=i)) == "sum_(i<a<=T) x_a"
    assert str(x - x) == "0"


def test_fixed_vectors_stay_apart() -> None:
    with pytest.raises(TypeError, match="the fixed vector a cannot be combined"):
        Vector(fixed="a") + random_walk("i").token(i)
    with pytest.raises(TypeError, match="the fixed vector a"):
        Vector(fixed="a") * 2


def test_products_multiply_out() -> None:
    walk = random_walk("i", "j", "T")
    f, g = walk.form(i, W, T), walk.form(j, W, T)
    square = (f + 2 * g) ** 2
    assert [t.coefficient for t in square.terms] == [1, 2, 2, 4]
    assert all(len(t.forms) == 2 for t in square.terms)
    assert square.degree() == 4
    assert ((f - 1) * 3).terms[1].coefficient == -3
    assert {str(t) for t in (1 - f).terms} == {str(t) for t in (-f + 1).terms}
    assert Observable.of(5).terms == (Term(Ratio.of(5)),)
    assert (f**0).terms == Observable.of(1).terms
    assert (f / "lam").terms[0].coefficient == Ratio.of(1) / "lam"
    assert walk.form("a", W, T).degree() == 1
    with pytest.raises(ValueError, match="power -1"):
        f**-1


def test_a_product_of_two_sums_has_two_indices() -> None:
    bound = Bound("j1", "i", "T")
    walk = random_walk("i", "j1", "T")
    summed = walk.form("j1", W, "a").summed(bound)
    one = Observable((Term(Ratio.of("j1"), walk.form(Position("j1"), W, T).terms[0].forms),)).summed(bound)
    square = one * one
    (term,) = square.terms
    assert [b.index for b in term.bounds] == ["j1", "j1'"]
    ends = {name for f in term.forms for v in (f.left, f.right) for _, atom in v.parts for name in atom[1:]}
    assert ends == {"j1", "j1'", "T"}
    assert (summed * one.renamed("''")).terms[0].bounds[1].index == "j1''"
    # every further factor has an index of its own, on whichever side it is multiplied
    for many, count in ((one * one * one, 3), (one * (one * one), 3), (square * square, 4), (one**5, 5)):
        (term,) = many.terms
        assert len({b.index for b in term.bounds}) == len(term.bounds) == count
        assert all((b.above, b.upto) == ("i", "T") for b in term.bounds)
        # a factor's end is tied to its own index
        assert [f.left.parts[0][1][1] for f in term.forms] == [b.index for b in term.bounds]
    several = (one + square) * (one + square)
    for product in several.terms:
        assert len({b.index for b in product.bounds}) == len(product.bounds) == len(product.forms)
    nested = walk.form(Position("j1"), W, T).summed(Bound("h", "0", "j1")).summed(bound).renamed("'")
    assert [(b.index, b.upto) for b in nested.terms[0].bounds] == [("j1'", "T"), ("h'", "j1'")]


def test_words_of_an_observable() -> None:
    walk = random_walk("i", "T")
    assert str(walk.form(i, (W, W), T)) == "(x_i)^T W Sigma W (x_T)"
    assert str(walk.form(i, W, T).summed(Bound("h", "0", "T", strict=True))) == "sum_(h<T) (x_i)^T W (x_T)"
    assert str(Bound("h", "i", "T")) == "i<h<=T"
    assert str(Observable(())) == "0"
    assert len(list((walk.form(i, W, T) * walk.form("a", W, T)).vectors())) == 4
