"""Wick contraction against moments computed coordinate by coordinate, exactly, up to eight Gaussian factors."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import prod

import pytest

from tests.theorems.bruteforce import Family, Rows, line, minimum, number, one, rows, walk, words
from theorems import rules
from theorems.algebra.ratio import Ratio
from theorems.gaussian.moments.wick import MAX_FACTORS, contract
from theorems.gaussian.numeric import Case
from theorems.gaussian.observables import IDENTITY, Matrix, Observable, W
from theorems.gaussian.process import Position, Process, process

MATRICES: dict[int, Rows] = {
    1: rows((3,)),
    2: rows((1, 2), (-1, "1/2")),
    3: rows((1, 2, 0), (0, -1, 1), (3, 0, "1/2")),
}
SIGMAS: dict[int, Rows] = {
    1: rows((2,)),
    2: rows((2, 1), (1, 1)),
    3: rows((2, 1, 0), (1, 2, "1/2"), (0, "1/2", 1)),
}
M = {d: [Fraction(k + 1, 1 + (k % 2)) * (-1) ** k for k in range(d)] for d in (1, 2, 3)}
A = {d: [Fraction(2 - k) for k in range(d)] for d in (1, 2, 3)}
B = {d: [Fraction(1, k + 1) for k in range(d)] for d in (1, 2, 3)}


def symmetrised(matrix: Rows) -> Rows:
    d = len(matrix)
    return [[(matrix[r][c] + matrix[c][r]) / 2 for c in range(d)] for r in range(d)]


def case_of(d: int, symmetric: bool, positions: dict[str, int]) -> Case:
    matrix = symmetrised(MATRICES[d]) if symmetric else MATRICES[d]

    def text(m: Rows) -> list[list[str]]:
        return [[str(x) for x in row] for row in m]

    vectors = {name: [str(x) for x in v[d]] for name, v in (("m", M), ("a", A), ("b", B))}
    return Case({"d": d, "W": text(matrix), "Sigma": text(SIGMAS[d]), **vectors, **positions})


Spec = Sequence[tuple[str, str]]


def compare(kernel: str, family: Family, spec: Spec, positions: dict[str, int], d: int, symmetric: bool) -> Fraction:
    """E[prod u^T W v] by contraction and coordinate by coordinate; ends are positions, or "a", "b"."""
    source = process(kernel, list(positions), symmetric)
    product = Observable.of(1)
    for left, right in spec:
        ends = [Position(end) if end in positions else end for end in (left, right)]
        product = product * source.form(ends[0], W, ends[1])
    case = case_of(d, symmetric, positions)
    matrix = case.matrices["W"]
    fixed = {"a": A[d], "b": B[d]}
    wanted = family.forms(*((positions.get(u, fixed.get(u)), matrix, positions.get(v, fixed.get(v))) for u, v in spec))  # type: ignore[arg-type]
    found = case.evaluate(source.expect(product).ratio.expr)
    assert Fraction(int(found.p), int(found.q)) == wanted, (spec, positions, d)
    return wanted


def family_of(kernel: str, d: int) -> Family:
    sigma = SIGMAS[d]
    if kernel == "one":
        return Family(one, sigma, one, M[d])
    return Family(line, sigma) if kernel == "line" else walk(kernel, sigma, M[d])


FOUR: list[Spec] = [
    [("i", "i")],
    [("i", "j"), ("j", "i")],
    [("i", "j"), ("i", "j")],
    [("j", "i"), ("T", "T")],
    [("i", "T"), ("j", "T")],
    [("a", "i"), ("i", "j")],
    [("i", "a"), ("b", "j"), ("T", "i")],
    [("a", "b"), ("a", "T"), ("j", "b")],
]


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("kernel", ["sigma", "zero", "mean", "line"])
def test_products_of_forms_in_the_walk(kernel: str, d: int, symmetric: bool) -> None:
    family = family_of(kernel, d)
    for positions in ({"i": 1, "j": 2, "T": 4}, {"i": 2, "j": 2, "T": 3}, {"i": 1, "j": 1, "T": 1}):
        values = [compare(kernel, family, spec, positions, d, symmetric) for spec in FOUR]
        assert any(values) or (kernel == "zero" and positions["T"] == 1)


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("d", [1, 2, 3])
def test_products_of_forms_in_one_vector_with_a_mean(d: int, symmetric: bool) -> None:
    """The handbook's E[x^T A x], E[(x^T A x)^2], E[a^T A x x^T A x], ... for x ~ N(m, Sigma), and up to six factors."""
    specs: list[Spec] = [
        [("x", "x")],
        [("x", "x"), ("x", "x")],
        [("a", "x"), ("x", "x")],
        [("x", "a"), ("x", "x")],
        [("a", "x"), ("x", "b")],
        [("a", "x"), ("b", "x"), ("x", "x")],
    ]
    specs += [[("x", "x")] * 3] if d < 3 else []
    family = family_of("one", d)
    for spec in specs:
        compare("one", family, spec, {"x": 1}, d, symmetric)


@pytest.mark.parametrize(("d", "symmetric"), [(1, True), (2, True), (2, False)])
@pytest.mark.parametrize("kernel", ["sigma", "zero", "mean"])
def test_eight_gaussian_factors(kernel: str, d: int, symmetric: bool) -> None:
    spec = [("i", "j"), ("j", "T"), ("T", "i"), ("i", "T")]
    value = compare(kernel, family_of(kernel, d), spec, {"i": 2, "j": 3, "T": 4}, d, symmetric)
    assert value != 0


def test_the_general_square_of_a_quadratic_form() -> None:
    """Var(x^T A x) = tr(A S A S) + tr(A S A^T S) + (m^T (A + A^T) S (A + A^T) m), for x ~ N(m, S)."""
    for d in (1, 2, 3):
        source = process("one", ["x"], symmetric=False)
        form = source.form(Position("x"), W, Position("x"))
        found = number(source.variance(form).ratio.expr, dict(words(MATRICES[d], SIGMAS[d], M[d])))
        family = family_of("one", d)
        triple = (1, MATRICES[d], 1)
        assert found == family.forms(triple, triple) - family.forms(triple) ** 2
        twice = [[2 * x for x in row] for row in symmetrised(MATRICES[d])]
        table = words(MATRICES[d], SIGMAS[d], M[d])
        chain = words(twice, SIGMAS[d], M[d])["mWSWm"]
        assert found == table["tr2"] + table["tr_W_Wt"] + chain


@pytest.mark.parametrize("power", [1, 2, 3, 4, 5, 6])
def test_moments_of_a_chi_square(power: int) -> None:
    """E[z^(2p)] = (2p - 1)!! for d = 1, and tr(W) tr(W) kept apart from tr(W^2) adds up to it."""
    source = process("sigma", ["i"])
    found = source.expect(source.form(Position("i"), W, Position("i")) ** power).ratio.expr
    table = {f"tr{k}": 1 for k in range(1, 7)} | {"i": 1}
    assert number(found, dict(table)) == prod(range(1, 2 * power, 2))
    # for Sigma = W = I in dimension d every trace is d: E[(z^T z)^p] = d (d + 2) ... (d + 2p - 2)
    for d in (2, 3, 7):
        table = {f"tr{k}": d for k in range(1, 7)} | {"i": 1}
        assert number(found, dict(table)) == prod(range(d, d + 2 * power, 2))


def test_two_matrices_and_the_identity() -> None:
    """E[x_i^T A x_T x_T^T x_i]: words of two matrices, checked by coordinates."""
    source = process("sigma", ["i", "T"], symmetric=False)
    x, y = Position("i"), Position("T")
    value = source.expect(source.form(x, Matrix("A"), y) * source.inner(y, x)).ratio
    matrix, sigma = MATRICES[2], SIGMAS[2]
    case = Case(
        {"A": [[str(v) for v in r] for r in matrix], "Sigma": [[str(v) for v in r] for r in sigma], "i": 2, "T": 3}
    )
    unit = rows((1, 0), (0, 1))
    found = case.evaluate(value.expr)
    assert Fraction(int(found.p), int(found.q)) == Family(minimum, sigma).forms((2, matrix, 3), (3, unit, 2))


def test_odd_products_vanish_and_thirteen_factors_are_refused() -> None:
    source = process("sigma", ["i"])
    x = Position("i")
    assert source.expect(source.form("a", W, x) * source.form(x, W, x)).ratio == 0
    forms = (source.form(x, W, x) ** 6 * source.form("a", W, x)).terms[0].forms
    with pytest.raises(ValueError, match=f"13 Gaussian factors; expected at most {MAX_FACTORS}"):
        contract(forms, True)
    # as many as are allowed, and one more
    four = source.form(x, W, x).terms[0].forms * 2
    assert len(contract(four, True, most=4)[1]) == 2
    with pytest.raises(ValueError, match="4 Gaussian factors; expected at most 3"):
        contract(four, True, most=3)


def test_the_number_of_pairings() -> None:
    source = process("sigma", ["i"])
    for factors, count in ((1, 1), (2, 3), (3, 15), (4, 105)):
        forms = (source.form(Position("i"), IDENTITY, Position("i")) ** factors).terms[0].forms
        _, terms = contract(forms, True)
        assert sum(term.count for term in terms) == count
    # matchings with fixed points of 2, 4, 6 points: 2, 10, 76
    for factors, count in ((1, 2), (2, 10), (3, 76)):
        forms = (source.form(Position("i"), IDENTITY, Position("i")) ** factors).terms[0].forms
        _, terms = contract(forms, False)
        assert sum(term.count for term in terms) == count


def test_a_contraction_that_drops_a_pairing_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """The value then differs from the coordinates', and the kernel's rule does not license the step."""
    from theorems.gaussian.moments import wick

    honest = process("sigma", ["i", "T"])
    x, y = Position("i"), Position("T")
    honest.expect(honest.form(x, W, y) ** 2)
    assert all(rules.licensed(step) for step in honest.steps)
    true = wick._matchings
    monkeypatch.setattr(
        wick, "_matchings", lambda slots, centred: list(true(slots, centred))[: 2 if len(slots) == 4 else None]
    )
    wick._contract.cache_clear()
    try:
        broken = Process(honest.kernel, honest.chain)
        value = broken.expect(broken.form(x, W, y) ** 2)
        assert not rules.licensed(broken.steps[-1])
        table: dict[str, Fraction | int] = {**words(rows((1,)), rows((1,))), "i": 1, "T": 2}
        assert number(value.ratio.expr, dict(table)) != walk("sigma", rows((1,))).forms(
            (1, rows((1,)), 2), (1, rows((1,)), 2)
        )
    finally:
        wick._contract.cache_clear()
    assert value.ratio != Ratio.of("i") * "T" * "tr2" + Ratio.of("i") ** 2 * (Ratio.of("tr1") ** 2 + "tr2")
