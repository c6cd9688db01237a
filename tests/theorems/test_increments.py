"""The second route: joint cumulants and increments give what Wick's theorem and the kernel give."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.theorems.bruteforce import number
from theorems.increments import FIRST_INCREMENT, SecondRoute, _partitions
from theorems.observables import START, Observable, Vector, W
from theorems.process import KERNELS, Moment, Position, Process
from theorems.ratio import Ratio

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
