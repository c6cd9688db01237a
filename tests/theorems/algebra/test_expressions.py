"""The reader of printed formulas: it reads arithmetic, refuses everything else, and never runs anything."""

from __future__ import annotations

import ast
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy as sp
from hypothesis import example, given, settings
from hypothesis import strategies as st

from theorems.algebra.expressions import RESERVED, ExpressionError, floats, normal, parse, same, symbol, text, value_at

i, j, T, tr1 = (symbol(n) for n in ("i", "j", "T", "tr1"))


def test_one_name_is_one_symbol() -> None:
    assert symbol("theta") is symbol("theta")
    assert symbol("theta") == sp.sympify("theta")
    assert parse("theta + 1").free_symbols == {sp.Symbol("theta")}


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        ("(i - 1)*tr1", (i - 1) * tr1),
        ("-i**2/4", -(i**2) / 4),
        ("2*i**-1", 2 / i),
        ("1/2 + 1/3", sp.Rational(5, 6)),
        ("(7/12)*T**4", sp.Rational(7, 12) * T**4),
        ("sqrt(i*T)", sp.sqrt(i * T)),
        ("exp(i) + log(T) - erf(j)", sp.exp(i) + sp.log(T) - sp.erf(j)),
        ("Abs(i)", sp.Abs(i)),
        ("Sum(j, j, 1, T)", T * (T + 1) / 2),
        ("Sum(Sum(j, i, 1, j), j, 1, T)", T * (T + 1) * (2 * T + 1) / 6),
        ("  i  ", i),
    ],
)
def test_reads_arithmetic(formula: str, value: sp.Expr) -> None:
    assert sp.expand(parse(formula) - value) == 0


@pytest.mark.parametrize(
    "formula",
    [
        *("", "i +", "i; j", "i = 1", "import os", "x²", "\0", "\ud800", "01", "(x:=1)", "lambda: 1", "[x for x in y]"),
        *("i.real", "i.__class__", "().__class__.__bases__", "i[0]", "(i, j)", "{i}", "[i]", "{i: j}", "f'{i}'"),
        *("__import__('os')", "eval('1')", "open('f')", "f(i)", "i(1)", "sqrt(i).evalf()", "(sqrt)(i, j)", "sqrt(x=1)"),
        *(
            "1.5",
            "1e9",
            "1j",
            "True",
            "None",
            "...",
            "'i'",
            "b'i'",
            "i < j",
            "i and j",
            "not i",
            "~i",
            "i % j",
            "i // j",
        ),
        *("i @ j", "i << 2", "i if j else T", "Sum(i, i, 1)", "Sum(i, 1, 1, T)", "Sum(i, i, 1, T, 2)", "sqrt()", "*i"),
        *("i/0", "i/(j - j)", "i**65", "i**-65", "2**64**64", "((9**64)**64)**64", "i" * 2001, "yield", "await i"),
    ],
)
def test_refuses_everything_else_in_one_line(formula: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        parse(formula)
    assert "formula" in str(caught.value)
    assert len(str(caught.value)) < 2_500


def test_a_long_formula_and_a_big_number_are_named() -> None:
    with pytest.raises(ExpressionError, match="formula of 2001 characters; expected at most 2000"):
        parse("1" * 2001)
    with pytest.raises(ExpressionError, match="exponent over 64"):
        parse("i**(8*9)")
    assert parse("(2**62)**64") == 2 ** (62 * 64)
    for big in ("((2**64)**64)**2", "((1/2)**64)**64*(((1/2)**64)**64)**2", "1/((2**64)**64)**2"):
        with pytest.raises(ExpressionError, match="over 8000 bits"):
            parse(big)


#: Formulas that once took minutes, ran out of stack, or came out as no finite real value.
HARMFUL = {
    "x" + "+x" * 990: "recursion",
    "Sum(1/k,k,1,T)": "not an arithmetic expression",
    "Sum(sqrt(k),k,1,T)": "not an arithmetic expression",
    "((9**64)**9)**9": "over 8000 bits",
    "Sum((k**64)**64,k,1,T)": "degree over 256",
    "Sum(((k+x)**64)**64,k,1,T)": "degree over 256",
    "Sum((k**2)**33,k,1,T)": "sums a degree over 64",
    "(a+b+c+d)**60": "expand to over 3000 terms",
    "2**exp(exp(exp(100)))": "not rational",
    "2**exp(1)": "no rational number",
    "gamma(10**12)": "gamma of a number over 256",
    "gamma(-(10**60) - 1/2)": "gamma of a number over 256",
    "0**-1": "divides by zero",
    "(i-i)**-1": "divides by zero",
    "log(0)": "no finite real value",
    "log(-1)": "no finite real value",
    "sqrt(-1)": "no finite real value",
    "(-1)**(1/2)": "no finite real value",
    "E*2": "'E' is not arithmetic",
    "oo": "'oo' is not arithmetic",
}


@pytest.mark.parametrize("formula", HARMFUL, ids=lambda formula: formula[:24])
def test_what_would_take_long_or_has_no_value_is_refused_at_once(formula: str) -> None:
    begin = time.process_time()
    with pytest.raises(ExpressionError, match=HARMFUL[formula]) as caught:
        parse(formula)
    assert time.process_time() - begin < 1.0
    assert len(str(caught.value).splitlines()) == 1
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize("name", sorted(RESERVED))
def test_no_name_is_read_that_sympify_would_read_as_something_else(name: str) -> None:
    assert sp.sympify(name) != sp.Symbol(name)
    if name == "pi":
        assert parse("2*pi") == 2 * sp.pi
        return
    with pytest.raises(ExpressionError):
        parse(f"2*{name}")


def test_nothing_is_executed(tmp_path: Path) -> None:
    """A formula that would leave a file behind, were it ever run, leaves none; run by eval it does."""
    file = tmp_path / "made"
    formulas = [
        f"open({str(file)!r}, 'w').close()",
        f"__import__('pathlib').Path({str(file)!r}).touch()",
        f"sqrt(open({str(file)!r}, 'w').close())",
        f"Sum(open({str(file)!r}, 'w').fileno(), k, 1, T)",
        f"[open({str(file)!r}, 'w') for k in (1,)]",
    ]
    for formula in formulas:
        with pytest.raises(ExpressionError):
            parse(formula)
        assert not file.exists()
    eval(formulas[0])
    assert file.exists()


ALPHABET = "ijTλﬁ0123456789+-*/() .,_[]{}'\"\\:=<>#@!%&|^~\n\tsqrtSumexplogE"


@settings(max_examples=250)
@given(st.text(ALPHABET, max_size=24) | st.text(max_size=12))
@example("((i)")
@example("'\\d'")
@example("1or i")
def test_any_text_gives_arithmetic_or_an_error(source: str) -> None:
    try:
        value = parse(source)
    except ExpressionError as error:
        assert str(error)
        return
    assert isinstance(value, sp.Expr)


def leaf() -> st.SearchStrategy[str]:
    return st.sampled_from(["i", "j", "T", "theta", "tr1", "tr_W_Wt", "mWm", "lam", "d"]) | st.integers(0, 12).map(str)


def grow(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    def join(a: str, op: str, b: str) -> str:
        return f"({a}){op}({b})"

    return st.one_of(
        st.builds(join, inner, st.sampled_from("+-*"), inner),
        st.builds(lambda a, b: f"({a})/({b} + 13)", inner, st.integers(0, 5)),
        st.builds(lambda a, p: f"({a})**{p}", inner, st.integers(0, 3)),
        inner.map(lambda a: f"-({a})"),
    )


@settings(max_examples=80)
@given(st.recursive(leaf(), grow, max_leaves=6))
def test_arithmetic_is_python_s_and_its_text_reads_back(source: str) -> None:
    """The value at a point is that of Python's own arithmetic, and str goes through sympify and through parse."""
    point = {"i": 2, "j": 5, "T": 7, "theta": 3, "tr1": -4, "tr_W_Wt": 11, "mWm": -6, "lam": 9, "d": 8}
    expression = parse(source)
    fractions: dict[str, Any] = {name: Fraction(value) for name, value in point.items()}
    numbers = ast.unparse(_Fractions().visit(ast.parse(source, mode="eval")))
    wanted = eval(numbers, {"Fraction": Fraction, **fractions})  # the test's own text
    assert value_at(expression, point) == sp.Rational(wanted.numerator, wanted.denominator)
    again = sp.sympify(text(expression))
    assert again == expression
    assert again.free_symbols <= {sp.Symbol(name) for name in point}
    assert same(parse(text(expression)), expression)


class _Fractions(ast.NodeTransformer):
    """Integers as Fractions outside exponents, so that / is exact."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        left = self.visit(node.left)
        right = node.right if isinstance(node.op, ast.Pow) else self.visit(node.right)
        return ast.copy_location(ast.BinOp(left, node.op, right), node)

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        return ast.Call(ast.Name("Fraction", ast.Load()), [node], [])


@pytest.mark.parametrize(
    ("one", "two", "equal"),
    [
        ("(i + 1)**2", "i**2 + 2*i + 1", True),
        ("(i**2 - 1)/(i - 1)", "i + 1", True),
        ("1/i + 1/j", "(i + j)/(i*j)", True),
        ("i/(i + 1)", "1 - 1/(i + 1)", True),
        ("(i + 1)**2", "i**2 + 2*i", False),
        ("i/(i + 1)", "1 + 1/(i + 1)", False),
        ("tr1**2", "tr2", False),
        ("sqrt(i)", "i", False),
        ("sqrt(4*i)", "2*sqrt(i)", True),
    ],
)
def test_equality_by_normal_form(one: str, two: str, equal: bool) -> None:
    assert same(parse(one), parse(two)) is equal
    if equal:
        assert normal(parse(one) - parse(two)) == 0


def test_values_at_a_point_are_exact_and_need_every_name() -> None:
    assert value_at(parse("i/T + sqrt(T)"), {"i": Fraction(1, 3), "T": 9}) == sp.Rational(1, 27) + 3
    assert value_at(parse("3"), {}) == 3
    with pytest.raises(KeyError, match="T"):
        value_at(parse("i/T"), {"i": 1})


@pytest.mark.parametrize("formula", ["exp(exp(exp(i)))", "i**64", "(i + 1/2)**(127/2)"])
def test_what_is_too_large_for_a_float_is_infinite_without_a_word(formula: str) -> None:
    assert np.isinf(floats(parse(formula), {"i": np.array([1e10])})).all()


def test_floats_for_numbers_and_arrays() -> None:
    grid = np.array([1.0, 4.0, -1.0])
    found = floats(parse("2*sqrt(i) - i**2/T"), {"i": grid, "T": 2.0})
    assert found[:2].tolist() == [1.5, -4.0]
    assert np.isnan(found[2])
    assert floats(parse("erf(i) + Max(i, 2)"), {"i": 0.0}) == 2.0
    with pytest.raises(ExpressionError, match="no floating-point form"):
        floats(parse("Indicator(i >= 1)"), {"i": 1.0})


ROW = "Sum(binomial(i - 1, k), k, 0, j)"


def test_a_sum_over_a_row_of_pascals_triangle_waits_for_its_numbers() -> None:
    read = parse(f"2**(1 - i)*{ROW}")
    assert parse(text(read)) == read and read.free_symbols == {i, j}
    for n in range(1, 7):
        for m in range(-2, 9):
            wanted = sp.Rational(sum(int(sp.binomial(n - 1, k)) for k in range(m + 1)), 2 ** (n - 1))
            assert value_at(read, {"i": n, "j": m}) == wanted
            assert floats(read, {"i": n, "j": m}) == float(wanted)
    found = floats(parse(ROW), {"i": np.array([1.0, 3.0, 3.5]), "j": 1.0})
    assert found[:2].tolist() == [1.0, 3.0] and np.isnan(found[2])
    # rows above the triangle, as moved indices ask for them
    assert value_at(parse(ROW), {"i": -1, "j": 3}) == sum(sp.binomial(-2, k) for k in range(4))


def test_the_index_of_a_sum_is_no_name_of_its_ends() -> None:
    read = parse("Sum(binomial(k, l), l, 0, l_)")
    assert parse(text(read)) == read and {s.name for s in read.free_symbols} == {"k", "l_"}


@pytest.mark.parametrize(
    "formula",
    [
        *("binomial(i, j)", "Sum(k*binomial(i, k), k, 0, j)", "Sum(binomial(i, k), k, 1, j)"),
        *("Sum(binomial(i, 2*k), k, 0, j)", "Sum(binomial(i, j), k, 0, j)", "Sum(binomial(k, k), k, 0, j)"),
        *("Sum(binomial(i, k), k, 0, k)", "Sum(binomial(1/2, k), k, 0, j)", "Sum(binomial(10**9, k), k, 0, 10**9)"),
        *("Sum(binomial(i), k, 0, j)", "Sum(binomial(i, k, j), k, 0, j)"),
    ],
)
def test_other_sums_of_binomials_are_refused(formula: str) -> None:
    with pytest.raises(ExpressionError, match=r"formula '"):
        parse(formula)


def test_a_name_that_is_a_product_is_raised_in_parentheses() -> None:
    inner, trace = symbol("u.T*v"), symbol("tr(W*Sigma)")
    assert str(2 * inner**2) == "2*(u.T*v)**2" and str(1 / inner) == "1/(u.T*v)" and str(-3 * inner) == "-3*u.T*v"
    assert str(trace**2) == "tr(W*Sigma)**2"
