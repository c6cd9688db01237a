"""Sums to infinity: read where they are known to converge, enclosed with their remainders, proved in closed form."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import flint
import pytest
import sympy as sp

from montecarlo.search_values import evaluate
from proofs_check.statements.judging import check_statement
from proofs_check.statements.request import Request
from theorems.algebra.balls import precision
from theorems.statement import proposition
from theorems.statement.expression import StatementError
from theorems.statement.latex import latex
from theorems.statement.moments import series
from theorems.statement.moments.series import enclosed, terms_of
from theorems.statement.proofs.prover import proved
from theorems.statement.reading.language import parsed
from theorems.statement.values.arithmetic import UndefinedError
from theorems.statement.values.cases import Case
from theorems.statement.values.values import Reader, value
from theorems.statement.work import Work

FACTORIAL = "prod(1/j, j, 1, k)"


TAIL, HELD = "sum(exp(-w)*w**k/factorial(k), k, n, oo)", "n integer, n >= 1, 0 < w, w < l, "
FIRST = "exp(-w)*w**n/factorial(n)"


@pytest.mark.parametrize(
    ("statement", "hypotheses", "holds"),
    [
        (f"{TAIL} <= exp(-w - l*(log(l/w) - 1))", HELD + "l <= n", True),
        # n may lie below l, and l below w
        (f"{TAIL} <= exp(-w - l*(log(l/w) - 1))", HELD + "n < l", False),
        (f"{TAIL} <= exp(-w - l*(log(l/w) - 1))", "n integer, n >= 1, 0 < w, 0 < l, l <= n", False),
        (f"{TAIL} <= exp(-w - (l + 1)*(log(l/w) - 1))", HELD + "l <= n", False),
        (f"{TAIL} < exp(-w - l*(log(l/w) - 1))", HELD + "l <= n", False),
        # terms of both signs
        (f"{TAIL.replace('w**k', '(-w)**k')} <= exp(-w - l*(log(l/w) - 1))", HELD + "l <= n", False),
        ("sum(u**i/i, i, 1, oo) <= u/(1 - u)", "0 < u, u < 1", True),
        ("sum(u**i/i, i, 1, oo) <= u/(1 - u)", "0 < u, u <= 1", False),
        ("sum(u**i/i, i, 1, oo) >= 2*u", "0 < u, u < 1", False),
        # by a geometric series
        (f"{TAIL} <= {FIRST}*(n + 1)/(n + 1 - w)", "n integer, n >= 1, 0 < w, w < n + 1", True),
        # the ratio at n is w/(n + 1), and below 1
        (f"{TAIL} <= {FIRST}*(n + 2)/(n + 2 - w)", "n integer, n >= 1, 0 < w, w < n + 1", False),
        (f"{TAIL} <= {FIRST}*(n + 1)/(n + 1 - w)", "n integer, n >= 1, 0 < w, w <= n + 1", False),
        # the ratio rises with k
        ("sum(u**k/k, k, n, oo) <= u**n/n/(1 - u*n/(n + 1))", "n integer, n >= 1, 0 < u, u < 1", False),
        # terms of both signs
        (
            f"{TAIL.replace('w**k', '(-w)**k')} <= {FIRST}*(n + 1)/(n + 1 - w)",
            "n integer, n >= 1, 0 < w, w < n + 1",
            False,
        ),
    ],
)
def test_bounds_of_sums(statement: str, hypotheses: str, holds: bool) -> None:
    assert (proved(proposition(statement, hypotheses), Work(1000)) is not None) == holds


@pytest.mark.parametrize("x", ["1/4", "-1/3"])
@pytest.mark.parametrize(
    ("ups", "downs"), [((), ()), ((sp.Rational(5, 2),), ()), ((1, 1), (2,)), ((), (sp.Rational(3, 2),))]
)
def test_closed_forms_have_these_taylor_series(
    ups: tuple[sp.Expr, ...], downs: tuple[sp.Expr, ...], x: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _agrees(ups, downs, sp.Rational(x))
    right = series._closed
    monkeypatch.setattr(series, "_closed", lambda *args: right(*args) * (1 + args[0] ** 3))
    assert not _agrees(ups, downs, sp.Rational(x))


def _agrees(ups: tuple[sp.Expr, ...], downs: tuple[sp.Expr, ...], x: sp.Rational) -> bool:
    def rising(one: sp.Expr, n: int) -> sp.Expr:
        return sp.prod(one + k for k in range(n))

    terms = (
        sp.prod(rising(a, n) for a in ups) / sp.prod(rising(b, n) for b in downs) * x**n / sp.factorial(n)
        for n in range(60)
    )
    known = series._closed(x, [sp.sympify(a) for a in ups], [sp.sympify(b) for b in downs])
    return bool(abs(sp.N(known, 30) - sp.N(sum(terms), 30)) < sp.Float("1e-15"))


CASES = [
    ("sum(u**i/i, i, 1, oo)", {"u": Fraction(9, 10)}, lambda: flint.arb(10).log()),
    ("sum((-1)**i*u**i/i, i, 1, oo)", {"u": Fraction(1, 2)}, lambda: -(flint.arb(3) / 2).log()),
    (f"sum(w**k*{FACTORIAL}, k, 0, oo)", {"w": Fraction(20)}, lambda: flint.arb(20).exp()),
    ("sum(w**k/gamma(k + 1), k, 0, oo)", {"w": Fraction(90)}, lambda: flint.arb(90).exp()),
    ("sum(i**3*u**i, i, 1, oo)", {"u": Fraction(1, 2)}, lambda: flint.arb(26)),
    ("sum(2*i*u**(2*i + 1), i, 2, oo)", {"u": Fraction(-1, 2)}, lambda: -flint.arb(7) / 36),
]


@pytest.mark.parametrize(("text", "numbers", "true"), CASES)
def test_both_sides_enclose_the_sum(text: str, numbers: dict[str, Fraction], true: Callable[[], flint.arb]) -> None:
    node = parsed(text)
    with precision(128):
        found, exact = value(node, Case(numbers)), true()
        assert isinstance(found, flint.arb)
        assert found.contains(exact) or abs(found - exact) < 1e-36
        assert found.rad() < 1e-34 * abs(exact)
    floats = evaluate(node.plain(), {"numbers": {name: str(one) for name, one in numbers.items()}})
    assert floats == pytest.approx(float(exact), rel=1e-13)


def test_a_remainder_that_is_taken_too_small_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    node, case = parsed("sum(u**i/i, i, 1, oo)"), Case({"u": Fraction(9, 10)})
    right = series._ratios
    monkeypatch.setattr(series, "_ratios", lambda *args: tuple(one / 2**40 for one in right(*args)))
    with precision(128):
        found = enclosed(node, Reader(case, {}))
        assert isinstance(found, flint.arb) and not found.overlaps(flint.arb(10).log())


@pytest.mark.parametrize("u", [Fraction(1), Fraction(-3, 2), Fraction(3)])
def test_what_diverges_has_no_value(u: Fraction) -> None:
    node = parsed("sum(u**i/i, i, 1, oo)")
    with precision(64):
        if abs(u) == 1:
            found = value(node, Case({"u": u}))
            assert isinstance(found, flint.arb) and not found.is_finite()
        else:
            with pytest.raises(UndefinedError, match="diverges"):
                value(node, Case({"u": u}))
    floats = evaluate(node.plain(), {"numbers": {"u": str(u)}})
    assert floats != floats


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("sum(log(i), i, 1, oo)", "converges"),
        ("sum(i**i, i, 1, oo)", "converges"),
        ("sum(exp(-i**2), i, 1, oo)", "converges"),
        # an empty product is 1: it gains no factor where it is shorter than that
        ("sum(w**k*prod(1/j, j, 3, k), k, 0, oo)", "factors"),
        ("sum(w**k/prod(j, j, 0, k), k, 1, oo)", "divides by 0"),
        ("prod(1 - u/i, i, 1, oo)", "only a sum"),
        ("sum(x[1].T*x[i], i, 1, oo)", "random"),
    ],
)
def test_what_is_not_known_to_converge_is_refused_at_its_place(text: str, told: str) -> None:
    with pytest.raises(StatementError, match=told) as error:
        parsed(text)
    assert "^" in error.value.caret


def test_it_is_written_as_it_is_read() -> None:
    node = parsed("2*sum(u**i/i, i, 1, oo)")
    assert parsed(str(node)) == node and node.names() == {"u"}
    assert latex(node) == r"2 \, \left(\sum_{i=1}^{\infty} \frac{u^{i}}{i}\right)"
    assert terms_of(node.args[1]).closed == -sp.log(1 - sp.Symbol("u"))


@pytest.mark.parametrize(
    ("statement", "hypotheses", "correction"),
    [
        ("log(1 - u) = sum((-1)**i*u**i/i, i, 1, oo)", "0 < u, u < 1", "log(1 - u)"),
        ("(a + b)**2 = a**2 + a*b + b**2", "a real, b real", "a**2 + 2*a*b + b**2"),
        ("a*b = a + b", "a real, b real", None),
    ],
)
def test_a_refuted_identity_is_corrected_where_one_change_does(
    statement: str, hypotheses: str, correction: str | None
) -> None:
    first, *rest = check_statement(Request(statement, hypotheses, "", "walk", ""), effort="quick")
    assert first["verdict"] == "refuted"
    if correction is None:
        assert first["correction"] is None and not rest
        return
    assert first["correction"] is not None and first["correction"]["sympy"] == correction
    assert [one["verdict"] for one in rest] == ["verified"]
