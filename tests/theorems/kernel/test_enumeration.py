"""Exact enumeration on the 3-point grid: hand values, one-dimensional moments, and the derived moments of claims."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from tests.theorems.bruteforce import eye, rows, walk
from theorems.algebra.ratio import Ratio
from theorems.gaussian.numeric import Case
from theorems.gaussian.observables import IDENTITY, Observable, W
from theorems.gaussian.process import Moment, Position, process, random_walk
from theorems.kernel.derivation import Derived
from theorems.kernel.deriving import derive
from theorems.kernel.enumeration import INSTANCES, MAX_ROWS, Enumeration, _places, enumerated

i, T = Position("i"), Position("T")


def case(matrix: list[list[str]], **places: Any) -> Case:
    return Case(
        {"W": matrix, "Sigma": [[str(int(r == c)) for c in range(len(matrix))] for r in range(len(matrix))], **places}
    )


def test_moments_of_one_normal() -> None:
    """E[z^2] = 1 and E[z^4] = 3: the rule is exact; E[z^6] = 15 is beyond it, where it gives 9."""
    grid, source = Enumeration(1, 1), random_walk("i")
    at = case([["1"]], i=1)
    square = source.form(i, W, i)
    assert grid.expect(Observable.of(1), at) == 1
    assert grid.expect(square, at) == 1
    assert grid.expect(square**2, at) == 3
    assert grid.weights.sum() == grid.scale


def test_moments_of_a_walk_in_one_dimension() -> None:
    """E[x_s x_t] = min(s, t), E[x_s^2 x_t^2] = s t + 2 min(s, t)^2, and one less for the walk from 0."""
    source = random_walk("i", "T")
    for start, late in (("sigma", 0), ("zero", 1)):
        grid = Enumeration(1, 4, start)
        for s in range(1, 5):
            for t in range(s, 5):
                at = case([["1"]], i=s, T=t)
                assert grid.expect(source.form(i, W, T), at) == s - late
                assert (
                    grid.expect(source.form(i, W, i) * source.form(T, W, T), at)
                    == (s - late) * (t - late) + 2 * (s - late) ** 2
                )


@pytest.mark.parametrize("start", ["sigma", "zero"])
@pytest.mark.parametrize(
    ("d", "T_max", "matrix"),
    [(2, 3, [["1", "2"], ["0", "-1"]]), (3, 2, [["1", "2", "0"], ["0", "-1", "1"], ["3", "0", "2"]])],
)
def test_forms_of_a_walk_by_coordinates(start: str, d: int, T_max: int, matrix: list[list[str]]) -> None:
    grid, family, M = Enumeration(d, T_max, start), walk(start, eye(d)), rows(*matrix)
    source = random_walk("i", "T", start=start, symmetric=False)
    for s in range(1, T_max + 1):
        at = case(matrix, i=s, T=T_max)
        found = grid.expect(source.form(i, W, T) * source.form(T, W, T), at)
        assert found == family.forms((s, M, T_max), (T_max, M, T_max))
        mixed = grid.expect(source.form(source.tokens() / "T" - source.token(i), W, T) * 3, at)
        mean = sum((family.forms((a, M, T_max)) for a in range(1, T_max + 1)), Fraction(0)) / T_max
        assert mixed == 3 * (mean - family.forms((s, M, T_max)))


def test_sums_over_indices_are_taken_term_by_term() -> None:
    source = random_walk("i", "T")
    late = source.sum(lambda k: source.expect(source.form(k, W, T)), above=i, upto=T)
    early = source.sum(lambda k: source.expect(source.form(k, IDENTITY, T)), below=i)
    assert late.observable is not None
    assert early.observable is not None
    grid = Enumeration(1, 4)
    for s in range(1, 5):
        at = case([["2"]], i=s, T=4)
        assert grid.expect(late.observable, at) == 2 * sum(range(s + 1, 5))
        assert grid.expect(early.observable, at) == sum(range(1, s))


def test_a_wrong_value_is_found() -> None:
    derived = derive("bao2024.appC.lemma1-B2", ("i", "T"))
    (line,) = enumerated(derived, ("i", "T"))
    assert "agrees at 13 instances" in line
    moment = derived.quantities["B2"]
    assert isinstance(moment, Moment)
    for wrong in (moment.ratio + 1, moment.ratio * 2, moment.ratio + (Ratio.of("T") - "i") * "tr2"):
        with pytest.raises(ArithmeticError, match="B2 at"):
            enumerated(Derived({"B2": replace(moment, ratio=wrong)}, ()), ("i", "T"))
    # the other start is another model
    with pytest.raises(ArithmeticError):
        enumerated(derived, ("i", "T"), "zero")


def test_a_wrong_variance_is_found() -> None:
    source = random_walk("i", "T")
    spread = source.variance(source.form(i, W, T))
    assert enumerated(Derived({"": spread}, ()), ("i", "T"))
    with pytest.raises(ArithmeticError):
        enumerated(Derived({"": replace(spread, kind="mean")}, ()), ("i", "T"))


def test_what_is_not_on_the_grid_gives_no_evidence() -> None:
    x = process("one", ["x"])
    assert enumerated(Derived({"": x.expect(x.form("a", W, Position("x")))}, ()), ()) == []
    assert enumerated(Derived({}, ()), ()) == []
    with pytest.raises(ValueError, match="expected at most 729"):
        Enumeration(2, 4)
    with pytest.raises(ValueError, match="fixed vector a is not on the grid"):
        Enumeration(1, 1).expect(x.form("a", W, Position("x")), case([["1"]]))


@pytest.mark.parametrize(
    "raw",
    [
        {"W": [["1"]], "Sigma": [["2"]]},
        {"W": [["1"]], "Sigma": [["0"]]},
        {"W": [["1/2"]], "Sigma": [["1"]]},
        {"W": [["1", "0"], ["0", "1"]], "Sigma": [["1", "1/2"], ["1/2", "1"]]},
        {"W": [["1", "0"], ["0", "-1/3"]], "Sigma": [["1", "0"], ["0", "1"]]},
        {"W": [["1", "0"], ["0", "1"]], "Sigma": [["1"]]},
    ],
)
def test_a_case_that_the_grid_does_not_hold_is_refused(raw: dict[str, Any]) -> None:
    source = random_walk("i")
    grid = Enumeration(len(raw["W"]), 1)
    with pytest.raises(ValueError, match="Sigma = I and a W of integers"):
        grid.expect(source.form(i, W, i), Case({**raw, "i": 1}))


def test_a_walk_with_a_mean_is_refused() -> None:
    for start in ("mean", "iid", ""):
        with pytest.raises(ValueError, match=f"start = '{start}'; the grid holds centred walks"):
            Enumeration(1, 1, start)
    source = random_walk("i", start="mean")
    with pytest.raises(ValueError, match="centred walks"):
        enumerated(Derived({"": source.expect(source.form(i, W, i))}, ()), ("i",), "mean")


def test_powers_of_a_sum_over_indices() -> None:
    """E[(sum_{k <= i} x_k x_T)^2] by the grid against the double sum of E[x_k x_h x_T^2] = min(k, h) T + 2 k h."""
    source = random_walk("i", "T")
    f = source.sum(lambda k: source.expect(source.form(k, W, T)), upto=i).observable
    assert f is not None
    grid = Enumeration(1, 3)
    for place in range(1, 4):
        at = case([["1"]], i=place, T=3)
        wanted = sum(min(k, h) * 3 + 2 * k * h for k in range(1, place + 1) for h in range(1, place + 1))
        assert grid.expect(f * f, at) == wanted


def test_a_covariance_is_on_the_grid_where_both_of_its_parts_are() -> None:
    """Cov[f, g] with f of degree 2 and g of degree 4 is of degree 6, where the 3-point rule is wrong."""
    source = random_walk("i", "j")
    f, g = source.form(i, W, Position("j")), source.form(i, W, i) * source.form(Position("j"), W, i)
    linear = source.form(i, W, i)
    assert enumerated(Derived({"": source.cov(f, g)}, ()), ("i", "j")) == []
    assert enumerated(Derived({"": source.cov(f, linear)}, ()), ("i", "j"))[0].startswith("exact enumeration")
    wrong = replace(source.cov(f, linear), ratio=source.cov(f, linear).ratio * 2)
    with pytest.raises(ArithmeticError, match="derived 16, enumerated 8"):
        enumerated(Derived({"": wrong}, ()), ("i", "j"))


def test_every_admissible_place_is_visited() -> None:
    assert MAX_ROWS == 729
    assert all(3 ** (d * length) <= MAX_ROWS and len(matrix) == d for d, length, matrix in INSTANCES)
    assert _places(("i", "j", "T"), 2) == [{"i": 1, "j": 1, "T": 2}, {"i": 1, "j": 2, "T": 2}, {"i": 2, "j": 2, "T": 2}]
    assert _places((), 3) == [{}]
