"""The second route: joint cumulants and increments give what Wick's theorem and the kernel give."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.theorems.bruteforce import Family, minimum, number, rows, same_token, times, walk
from theorems.algebra.ratio import Ratio
from theorems.gaussian.moments.increments import FIRST_INCREMENT, SecondRoute, _partitions
from theorems.gaussian.numeric import Case
from theorems.gaussian.observables import START, Matrix, Observable, Vector, W
from theorems.gaussian.process import KERNELS, Kernel, Moment, Position, Process

NAMES = ("i", "j", "T")


def routes(kernel: str, symmetric: bool) -> tuple[Process, SecondRoute]:
    chain = (START, *NAMES)
    return Process(KERNELS[kernel], chain, symmetric), SecondRoute(KERNELS[kernel], chain, symmetric)


def vector(source: Process, spec: tuple[str, ...]) -> Vector:
    if spec[0] == "fixed":
        return Vector(fixed=spec[1])
    if spec[0] == "at":
        return source.token(spec[1])
    if spec[0] == "between":
        return source.tokens(spec[1], spec[2])
    return source.token(spec[1]) / "T" - source.tokens(upto="T") / (Ratio.of("T") ** 2)


vectors = st.one_of(
    st.sampled_from([("at", name) for name in NAMES]),
    st.sampled_from([("between", low, high) for k, low in enumerate((START, *NAMES)) for high in NAMES[k:]]),
    st.sampled_from([("selector", "i"), ("selector", "j")]),
)
ends = vectors | st.sampled_from([("fixed", "a"), ("fixed", "b")])
forms = st.lists(st.tuples(ends, ends, st.integers(1, 2)), min_size=1, max_size=3)


@settings(max_examples=50)
@given(forms, st.sampled_from(["sigma", "zero", "mean"]), st.booleans())
def test_products_of_forms(
    spec: list[tuple[tuple[str, ...], tuple[str, ...], int]], kernel: str, symmetric: bool
) -> None:
    values = []
    for source in routes(kernel, symmetric):
        product = Observable.of(1)
        for left, right, letters in spec:
            product = product * source.form(vector(source, left), (W,) * letters, vector(source, right))
        values.append(source.expect(product).ratio)
    assert values[0] == values[1]


@settings(max_examples=25)
@given(vectors, vectors, st.sampled_from(sorted(FIRST_INCREMENT)))
def test_covariances_from_increments(one: tuple[str, ...], two: tuple[str, ...], model: str) -> None:
    kernel = KERNELS[model]
    plain, increments = Process(kernel, (START, *NAMES)), SecondRoute(kernel, (START, *NAMES))
    u, v = vector(plain, one), vector(plain, two)
    assert increments.covariance(u, v) == plain.covariance(u, v)


@pytest.mark.parametrize("symmetric", [True, False])
def test_eight_factors_by_cumulants(symmetric: bool) -> None:
    values = []
    for source in routes("mean", symmetric):
        i, T = Position("i"), Position("T")
        values.append(source.expect(source.form(i, W, T) ** 2 * source.form(T, W, T) * source.form(i, W, i)).ratio)
    assert values[0] == values[1]
    # a value that no centred walk would give
    assert "mWm" in values[0].names


#: A form's ends, tokens or fixed vectors, and its letters; several letters are joined by Sigma.
SHAPES: dict[str, list[tuple[str, str, str]]] = {
    "a loop of three": [("i", "W", "j"), ("i", "A", "T"), ("T", "W", "j")],
    "a loop of three, one of two letters": [("i", "WA", "j"), ("T", "W", "i"), ("j", "A", "T")],
    "a loop of four": [("i", "W", "j"), ("j", "A", "T"), ("T", "W", "i"), ("i", "A", "i")],
    "one token everywhere": [("i", "W", "i"), ("i", "A", "i"), ("i", "W", "i")],
    "a chain of three": [("a", "W", "i"), ("T", "A", "i"), ("j", "W", "b")],
    "a chain of four": [("a", "W", "i"), ("j", "A", "i"), ("j", "W", "T"), ("T", "A", "b")],
    "two chains and a number": [("i", "W", "a"), ("b", "A", "T"), ("a", "W", "b")],
    "two chains from one vector": [("a", "W", "i"), ("j", "A", "a"), ("b", "W", "i"), ("T", "W", "b")],
    "a chain to a mean": [("a", "W", "i"), ("T", "A", "j")],
    "a chain and a loop": [("a", "W", "i"), ("i", "A", "b"), ("j", "I", "T")],
    "numbers only": [("a", "W", "b"), ("b", "A", "a")],
    "nothing": [],
}
MATRICES = {"W": rows((1, 2), (-1, "1/2")), "A": rows((0, 3), (1, -2)), "I": rows((1, 0), (0, 1))}
SIGMA = rows((2, 1), (1, 1))
VECTORS = {"m": [Fraction(1), Fraction(-2)], "a": [Fraction(2), Fraction(1)], "b": [Fraction(-1), Fraction(3)]}


@cache
def family_of(kernel: str) -> Family:
    if kernel == "iid":
        return Family(same_token, SIGMA)
    return Family(minimum, SIGMA, lambda t: t, VECTORS["m"]) if kernel == "drift" else walk(kernel, SIGMA, VECTORS["m"])


@pytest.mark.parametrize(
    ("kernel", "shape"),
    # four forms of tokens with a mean take seconds; test_eight_factors_by_cumulants has them
    [
        (k, s)
        for s in SHAPES
        for k in ("sigma", "iid", "mean", "drift")
        if "loop of four" not in s or k in ("sigma", "iid")
    ],
)
def test_both_routes_against_coordinates(kernel: str, shape: str) -> None:
    """E[product of forms] at matrices that are not symmetric, by Isserlis' theorem coordinate by coordinate."""
    drift = Kernel("drift", Ratio.of("s"), Ratio.of("s"), Ratio.of("t"))
    at = {"i": 2, "j": 3, "T": 5}
    wanted = []
    for left, letters, right in SHAPES[shape]:
        matrix = MATRICES[letters[0]]
        for letter in letters[1:]:
            matrix = times(matrix, SIGMA, MATRICES[letter])
        wanted.append((at.get(left, VECTORS.get(left, [])), matrix, at.get(right, VECTORS.get(right, []))))

    def text(values: Any) -> Any:
        return [text(value) for value in values] if isinstance(values, list) else str(values)

    case = Case({**{n: text(v) for n, v in {**MATRICES, **VECTORS}.items()}, "Sigma": text(SIGMA), **at})
    for kind in (Process, SecondRoute):
        source = kind(KERNELS.get(kernel, drift), (START, *NAMES), symmetric=False)
        product = Observable.of(1)
        for left, letters, right in SHAPES[shape]:
            product = product * source.form(left, tuple(Matrix(n.replace("I", "")) for n in letters), right)
        found = case.evaluate(source.expect(product).ratio.expr)
        assert Fraction(int(found.p), int(found.q)) == family_of(kernel).forms(*wanted)


@pytest.mark.parametrize("kernel", ["iid", "line", "one"])
def test_other_models_by_cumulants(kernel: str) -> None:
    values = []
    for source in routes(kernel, False):
        i, j = Position("i"), Position("j")
        values.append(source.expect(source.form(i, W, j) ** 2 * source.form(j, W, j) + source.form("a", W, i)).ratio)
    assert values[0] == values[1]


def test_sums_by_increments() -> None:
    values = []
    for source in routes("sigma", True):
        i, T = Position("i"), Position("T")

        def pair(k: Position, source: Process = source, T: Position = T) -> Moment:
            return source.expect(source.form(k, W, T) ** 2)

        values.append(source.sum(pair, upto=i).ratio)
    assert values[0] == values[1]
    for i_at in range(1, 5):
        wanted = sum(a * 6 + 2 * a * a for a in range(1, i_at + 1))
        assert number(values[1].expr, {"i": i_at, "T": 6, "tr1": 1, "tr2": 1}) == wanted


def test_a_walk_s_name_alone_does_not_make_a_kernel_a_walk() -> None:
    """A kernel of another formula keeps its own covariance on the second route, whatever it is called."""
    lying = type(KERNELS["sigma"])(KERNELS["sigma"].name, Ratio.of("s") * 5, Ratio.of("s") * 5)
    plain, increments = Process(lying, (START, *NAMES)), SecondRoute(lying, (START, *NAMES))
    u, v = plain.token("i"), plain.token("T")
    assert plain.covariance(u, v) == 5 * Ratio.of("i")
    assert increments.covariance(u, v) == 5 * Ratio.of("i")


def test_partitions_are_counted_by_bell_numbers() -> None:
    source = routes("sigma", True)[0]
    form = source.form(Position("i"), W, Position("i")).terms[0].forms[0]
    assert [len(list(_partitions([form] * n))) for n in range(6)] == [1, 1, 2, 5, 15, 52]
