"""Near misses and further true steps of the rules of theorems/rules/cosine.py."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sympy as sp

from theorems.algebra.expressions import parse, symbol
from theorems.gaussian.process import Step
from theorems.lampert2026.cosine import CERTIFICATES, MULTIPLIER, SHARP

R = sp.Rational
HALF = R(1, 2)


def _pointwise(c: Any = SHARP, mu: Any = MULTIPLIER, certificates: Any = CERTIFICATES) -> Step:
    return Step("cosine-pointwise", "", (c, mu, certificates))


def _orthant(c: Any = SHARP, mu: Any = MULTIPLIER) -> Step:
    return Step("cosine-orthant", "", (c, mu))


def _average(left: str, right: str, end: str, pointwise: Step) -> Step:
    return Step("cosine-average", "", (parse(left), parse(right), end, pointwise))


def _end(end: str) -> Step:
    return _average(f"Abs(cosine_{end} - ratio_{end})", f"3/2*spread_{end}", end, _orthant())


def _difference(right: str, first: Step, last: Step, left: str = "cosine_0 - cosine_1") -> Step:
    return Step("cosine-difference", "", (parse(left), parse(right), first, last))


FIRST, LAST = _end("0"), _end("1")
UPPER = "3/2*(spread_0 + spread_1) + ratio_0 - ratio_1"


def _certified(place: int, *terms: tuple[Any, tuple[Any, ...]], kept: bool = False) -> Step:
    """The certificate of one slack exchanged, or added to."""
    other = (*(CERTIFICATES[place] if kept else ()), *terms)
    return _pointwise(certificates=(*CERTIFICATES[:place], other, *CERTIFICATES[place + 1 :]))


def near() -> Iterator[tuple[str, Step]]:
    """Why it is false, and the step."""
    yield "c may be no smaller", _pointwise(R(149, 100))
    for c, mu in ((R(149, 100), MULTIPLIER), (SHARP, R(-51, 100)), (SHARP, R(-49, 100)), (R(5, 4), R(0)), (R(0), R(1))):
        yield f"a b = {c}, {mu} is met somewhere", _orthant(c, mu)
    yield "c is known to some digits", _orthant(sp.Float(1.5), MULTIPLIER)
    yield "mu is known to some digits", _orthant(SHARP, sp.Float(-0.5))
    yield "c is known to some digits, with certificates", _pointwise(sp.Float(1.5))
    yield "mu is known to some digits, with certificates", _pointwise(SHARP, sp.Float(-0.5))
    yield "c is a name", _orthant(symbol("c"), MULTIPLIER)
    first, second = CERTIFICATES[0][0], CERTIFICATES[0][1:]
    yield "coefficients known to some digits", _certified(0, (sp.Float(1), first[1]), *second)
    yield "c too small by less than a rounding", _rounded()
    for place, (_, exponents) in ((k, part[0]) for k, part in enumerate(CERTIFICATES)):
        yield "a product is added and taken away", _certified(place, (R(1), exponents), (R(-1), exponents), kept=True)
        yield "a term is missing", _certified(place, *CERTIFICATES[place][1:])
    yield "coefficients of 0 show nothing", _certified(0, (R(0), (0, 0, 1)))
    yield "a negative sum", _certified(3, (-HALF, (0, 2)))
    yield "1/(a - b) has no bound", _certified(0, (R(1), (0, -1, 0)), (R(1), (0, 0, 0)), kept=True)
    yield "a product of too few factors", _certified(0, (R(1), (0, 0)), kept=True)
    yield "a product of too many factors", _certified(3, (HALF, (0, 2, 5)))
    yield "a certificate is missing", _pointwise(certificates=CERTIFICATES[:5])
    yield "no certificates", _pointwise(certificates=())
    for why, data in (
        ("a smaller c than is shown", ("gap", "149/100*spread", "", _orthant())),
        ("what is shown is false", ("gap", "149/100*spread", "", _orthant(R(149, 100)))),
        ("the spread at 0 is not the tokens'", ("gap", "3/2*spread_0", "", _orthant())),
        ("the ratio at another level", ("Abs(cosine_0 - ratio_1)", "3/2*spread_0", "0", _orthant())),
        ("the cosine at another level", ("Abs(cosine_1 - ratio_0)", "3/2*spread_0", "0", _orthant())),
        ("the spread at another level", ("Abs(cosine_1 - ratio_1)", "3/2*spread_0", "1", _orthant())),
        ("another quantity", ("spread", "3/2*spread", "", _orthant())),
        ("there is no such end", ("gap", "3/2*spread", "2", _orthant())),
        ("traces are no c", ("gap", "t1*spread", "", Step("energy-cone", "", (symbol("t1"), symbol("t2"))))),
    ):
        yield why, _average(*data)
    less = _average("Abs(cosine_0 - ratio_0)", "spread_0", "0", _orthant())
    nothing = Step("derivative", "", (sp.Integer(1), parse("spread_0/8"), "0", sp.Integer(0)))
    for why, step in (
        ("the ratios' sign", _difference("3/2*(spread_0 + spread_1) - ratio_0 + ratio_1", FIRST, LAST)),
        ("the ratios are lost", _difference("3/2*(spread_0 + spread_1)", FIRST, LAST)),
        ("one error is lost", _difference("3/2*spread_0 + ratio_0 - ratio_1", FIRST, LAST)),
        ("the other way round", _difference(UPPER, FIRST, LAST, "cosine_1 - cosine_0")),
        ("the first end is the last", _difference(UPPER, LAST, FIRST)),
        ("both are the first", _difference("3*spread_0 + ratio_0 - ratio_1", FIRST, FIRST)),
        ("both are the last", _difference("3*spread_1 + ratio_0 - ratio_1", LAST, LAST)),
        ("one is false", _difference("spread_0 + 3/2*spread_1 + ratio_0 - ratio_1", less, LAST)),
        ("a slope is no error", _difference("spread_0/8 + 3/2*spread_1 + ratio_0 - ratio_1", nothing, LAST)),
    ):
        yield why, step


def _rounded() -> Step:
    """c below the least one by 10^-30, with certificates in which this is lost."""
    certificates = tuple(tuple((sp.Float(part), powers) for part, powers in sums) for sums in CERTIFICATES)
    return _pointwise(SHARP - R(1, 10**30), MULTIPLIER, certificates)


def true() -> Iterator[Step]:
    """Steps that hold."""
    yield from (_pointwise(), _orthant(), _orthant(R(2), R(-1)), FIRST, LAST)
    yield _average("gap", "2*spread", "", _orthant(R(2), R(-1)))
    yield _average("gap", "3/2*spread", "", _pointwise())
    yield _difference(UPPER, FIRST, LAST)
