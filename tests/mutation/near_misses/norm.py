"""Near misses and further true steps of the rules of theorems/rules/norm.py."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sympy as sp

from theorems.algebra.expressions import parse, symbol
from theorems.gaussian.process import Step
from theorems.rules.norm import COVARIANCE, DEFINITE, ONE_SIGNED, SYMMETRIC

#: The least powers of d with |A|_one <= d^power |A|_two, worked out by hand.
SCHATTEN = {
    ("spectral", "frobenius"): "0",
    ("spectral", "nuclear"): "0",
    ("frobenius", "spectral"): "1/2",
    ("frobenius", "nuclear"): "0",
    ("nuclear", "spectral"): "1",
    ("nuclear", "frobenius"): "1/2",
}
MIXED = {
    ("frobenius", "entrywise"): "0",
    ("frobenius", "column"): "1/2",
    ("entrywise", "frobenius"): "1",
    ("entrywise", "column"): "1",
    ("column", "frobenius"): "1/2",
    ("column", "entrywise"): "0",
}
BOTH = (SYMMETRIC, COVARIANCE)
INVERSE = ("R", "W", "R_inverse")
WORD = ("W", "Sigma")


def near() -> Iterator[tuple[str, Step]]:
    """Why it is false, and the step."""
    for name, table in (("schatten-norms", SCHATTEN), ("mixed-norms", MIXED)):
        for (one, two), power in table.items():
            smaller = sp.Rational(power) - sp.Rational(1, 4)
            yield f"d^{power} is the least factor", _norms(name, one, two, smaller)
        one, two = next(iter(table))
        exact = sp.Rational(table[one, two])
        yield "there may be no inverse", _norms(name, one, two, exact, "Sigma_inverse")
        yield "there may be no inverse", _norms(name, one, two, exact, "Sigma_inverse", BOTH)
        for matrix in ("V", "X_Y", "W_V", "inverse", "W_inverse", "Sigma_inverse_inverse", "", "C_inverse"):
            yield f"{matrix} is no known matrix", _norms(name, one, two, exact, matrix, (SYMMETRIC, DEFINITE))
        for matrix in ("R", "M", "W_R"):
            yield "Sigma may have no root", _norms(name, one, two, exact, matrix, (SYMMETRIC,))
        yield "R may have no inverse", _norms(name, one, two, exact, "R_inverse", BOTH)
        yield "another matrix", Step(name, "", (symbol(f"{one}_W"), symbol(f"{two}_Sigma"), (), one, two, "W"))
    for matrix in ("C", "W_C"):
        yield "C may have more rows than d", _norms("mixed-norms", "frobenius", "column", HALF, matrix)
    given: tuple[str, ...]
    spectral = {name: symbol(f"spectral_{name}") for name in ("W", "Sigma", "Sigma_inverse", "W_Sigma", "C")}
    for one, two, why in (("W", "Sigma_inverse", "there may be no inverse"), ("C", "W", "C need not be square")):
        product = symbol(f"spectral_{one}") * symbol(f"spectral_{two}")
        yield why, Step("submultiplicative", "", (symbol(f"spectral_{one}_{two}"), product, (), one, two))
    smaller = spectral["W"] * spectral["Sigma"] / 2
    yield "half of it", Step("submultiplicative", "", (spectral["W_Sigma"], smaller, (), "W", "Sigma"))
    nuclear: tuple[tuple[tuple[str, ...], tuple[str, ...], str, str], ...] = (
        (WORD, (SYMMETRIC,), "tr1", "Sigma has no real root"),
        (WORD, (COVARIANCE,), "tr1", "W is not symmetric"),
        (INVERSE, BOTH, "tr_W", "there may be no inverse"),
        (WORD, BOTH, "tr2", "another trace"),
        (("W", "W", "W"), BOTH, "d", "a trace without a name"),
    )
    for word, given, trace, why in nuclear:
        yield why, _nuclear(word, given, trace)
    yield "another norm", Step("trace-nuclear", "", (sp.Abs(symbol("tr1")), spectral["W_Sigma"], BOTH, WORD))
    yield "W is not symmetric", Step("spectral-radius", "", (spectral["W"], symbol("column_W"), ()))
    yield "another norm", Step("spectral-radius", "", (symbol("nuclear_W"), symbol("column_W"), (SYMMETRIC,)))
    for given in ((), (SYMMETRIC,), (ONE_SIGNED,)):
        size = sp.Abs(symbol("tr_W"))
        why = "eigenvalues of both signs, or no symmetric matrix"
        yield why, Step("one-signed-trace", "", (symbol("nuclear_W"), size, given))
        yield why, Step("gram-factor", "", (spectral["W"], spectral["C"] ** 2, given))
        yield why, Step("gram-factor", "", (symbol("frobenius_C") ** 2, size, given))
    signed = (SYMMETRIC, ONE_SIGNED)
    yield "the square is left out", Step("gram-factor", "", (spectral["W"], spectral["C"], signed))
    yield "another trace", Step("one-signed-trace", "", (symbol("nuclear_W"), sp.Abs(symbol("tr1")), signed))
    products: tuple[tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...], str, str, str], ...] = (
        (("W",), ("Sigma",), (SYMMETRIC,), "tr1", "frobenius_W*frobenius_Sigma", "Sigma has no real root"),
        (("W",), ("Sigma",), (COVARIANCE,), "tr1", "frobenius_W*frobenius_Sigma", "W is not symmetric"),
        (("R", "W", "R"), ("Sigma_inverse",), BOTH, "tr_W", "frobenius_Sigma_inverse*sqrt(tr2)", "no inverse"),
        (("W",), ("Sigma",), BOTH, "tr1", "frobenius_W", "a factor is left out"),
        (WORD, (), BOTH, "tr1", "sqrt(tr2)*sqrt(d)", "tr(A^T A) is another trace"),
        (("W", "Sigma", "Sigma"), ("Sigma",), BOTH, "tr2", "tr1", "traces without a name"),
    )
    for left, right, given, cross, bound, why in products:
        yield why, Step("trace-cauchy-schwarz", "", (sp.Abs(symbol(cross)), parse(bound), given, left, right))
    congruent = spectral["Sigma_inverse"] * symbol("spectral_M")
    yield "there may be no inverse", Step("congruence", "", (spectral["W"], congruent, BOTH))
    root = sp.sqrt(symbol("tr2"))
    for given in ((), (SYMMETRIC,), (COVARIANCE,)):
        yield "a hypothesis is missing", Step("congruence", "", (symbol("frobenius_M"), root, given))
    yield from _chains()


def true() -> Iterator[Step]:
    """Steps that hold."""
    for name, table in (("schatten-norms", SCHATTEN), ("mixed-norms", MIXED)):
        for (one, two), power in table.items():
            yield _norms(name, one, two, sp.Rational(power))
        yield _norms(name, one, two, sp.Rational(power), "Sigma_inverse", (DEFINITE,))
        yield _norms(name, one, two, sp.Rational(power), "R_inverse_W_Sigma", (DEFINITE,))
        for matrix in ("R", "M", "R_W"):
            yield _norms(name, one, two, sp.Rational(power), matrix, (COVARIANCE,))
    yield _norms("schatten-norms", "frobenius", "spectral", HALF, "C")
    product = symbol("spectral_R_inverse") * symbol("spectral_W")
    yield Step("submultiplicative", "", (symbol("spectral_R_inverse_W"), product, (DEFINITE,), "R_inverse", "W"))
    definite = (SYMMETRIC, DEFINITE)
    yield _nuclear(WORD, BOTH, "tr1")
    yield _nuclear(("Sigma", "W"), BOTH, "tr1")
    yield _nuclear(INVERSE, definite, "tr_W")
    yield _nuclear(("R", "R", *INVERSE), definite, "tr1")
    yield _nuclear(("R_inverse", "Sigma", "W", "R", "Sigma_inverse", "Sigma"), definite, "tr1")
    yield _nuclear(("Sigma", "Sigma_inverse"), definite, "d")
    yield Step("spectral-radius", "", (symbol("spectral_W"), symbol("column_W"), (SYMMETRIC, DEFINITE)))
    signed = (SYMMETRIC, ONE_SIGNED)
    yield Step("one-signed-trace", "", (symbol("nuclear_W"), sp.Abs(symbol("tr_W")), signed))
    yield Step("gram-factor", "", (symbol("spectral_W"), symbol("spectral_C") ** 2, signed))
    yield Step("gram-factor", "", (symbol("frobenius_C") ** 2, sp.Abs(symbol("tr_W")), signed))
    right = symbol("frobenius_W") * symbol("frobenius_Sigma")
    yield Step("trace-cauchy-schwarz", "", (sp.Abs(symbol("tr1")), right, BOTH, ("W",), ("Sigma",)))
    yield Step("congruence", "", (symbol("frobenius_M"), sp.sqrt(symbol("tr2")), definite))
    yield _chain("frobenius_W**2", "d*spectral_W**2", (_norms("schatten-norms", "frobenius", "spectral", HALF), 2))
    inner = (_norms("schatten-norms", "frobenius", "spectral", HALF), sp.Integer(1))
    yield _chain("2*d**2*Abs(tr_W)*frobenius_W", "2*d**2*Abs(tr_W)*sqrt(d)*spectral_W", inner)
    yield _chain("entrywise_W*frobenius_W/d", "entrywise_W*sqrt(d)*spectral_W/d", inner)


HALF = sp.Rational(1, 2)


def _norms(name: str, one: str, two: str, power: sp.Expr, matrix: str = "W", given: tuple[str, ...] = ()) -> Step:
    data = (symbol(f"{one}_{matrix}"), symbol("d") ** power * symbol(f"{two}_{matrix}"), given, one, two, matrix)
    return Step(name, "", data)


def _nuclear(word: tuple[str, ...], given: tuple[str, ...], trace: str) -> Step:
    return Step("trace-nuclear", "", (sp.Abs(symbol(trace)), symbol("nuclear_" + "_".join(word)), given, word))


def _chain(left: str, right: str, *parts: tuple[Step, Any], given: tuple[str, ...] = ()) -> Step:
    return Step("chain", "", (parse(left), parse(right), given, parts))


def _chains() -> Iterator[tuple[str, Step]]:
    bound = _norms("schatten-norms", "frobenius", "spectral", HALF)
    # its first two data are no sides of an inequality
    slope = Step("derivative", "", (symbol("spectral_W"), symbol("column_Sigma"), "", sp.Integer(0)))
    yield "the slope of a quotient is no inequality", _chain("spectral_W", "column_Sigma", (slope, 1))
    broken = _norms("schatten-norms", "frobenius", "spectral", sp.Integer(0))
    yield "a step that does not hold", _chain("frobenius_W", "spectral_W", (broken, 1))
    for power in (-1, -HALF):
        left, right = parse("frobenius_W") ** power, parse("sqrt(d)*spectral_W") ** power
        yield "a negative power turns it round", Step("chain", "", (left, right, (), ((bound, power),)))
    for factor, why in (
        ("tr_W", "tr_W may be negative"),
        ("-1", "-1 < 0"),
        ("1/nuclear_W", "the norm may be 0"),
        ("x", "x is unknown"),
        ("tr1**2*(-2)", "negative"),
        ("(d - 2)", "d may be 1"),
        ("frobenius_W**k", "k is unknown"),
    ):
        yield why, _chain(f"frobenius_W*({factor})", f"sqrt(d)*spectral_W*({factor})", (bound, 1))
    for base in (sp.Integer(2), symbol("d")):
        sides = parse("frobenius_W") * base**sp.I, parse("sqrt(d)*spectral_W") * base**sp.I
        yield f"{base}^i is no real number", Step("chain", "", (*sides, (), ((bound, 1),)))
    needs = Step("spectral-radius", "", (symbol("spectral_W"), symbol("column_W"), (SYMMETRIC,)))
    yield "a hypothesis is missing", _chain("spectral_W", "column_W", (needs, 1))
    yield "nothing is chained", _chain("spectral_W", "spectral_W")
    yield "another right side", _chain("frobenius_W", "spectral_W", (bound, 1))
