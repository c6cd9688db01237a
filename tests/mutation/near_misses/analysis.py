"""Near misses and further true steps of the rules of theorems/rules/analysis.py."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sympy as sp

from theorems.algebra.closed import names, substituted
from theorems.algebra.expressions import parse, symbol
from theorems.algebra.ratio import Ratio
from theorems.bao2024.softmax import gamma
from theorems.gaussian.observables import Vector
from theorems.gaussian.process import Step, random_walk

x, theta, xi, eta, r, v, u, lam, k = (symbol(name) for name in ("x", "theta", "xi", "eta", "r", "v", "u", "lam", "k"))
ZERO, ONE, HALF = sp.Integer(0), sp.Integer(1), sp.Rational(1, 2)
#: r >= 0, so that xi -> infinity; r <= 0, so that xi -> -infinity.
OUT, BACK = (theta, r), (theta, -r)

#: Not positive for every theta in [0, 1] and every value of the other names.
NOT_POSITIVE = (
    *("theta - 1/2", "1/2 - theta", "xi", "0", "xi**2", "v*xi", "-v", "a**3 + 1", "a + 1", "a*b**2 + 1", "1 - a**2"),
    *("-a**2 - 1", "a**k + 1", "a**2", "1/xi", "a**2 + b**2", "a**2 - 1/2"),
)
POSITIVE = (
    *("v*eta", "1/sqrt(lam)", "pi", "theta + 1/2", "3/2 - theta", "1 + a**2", "2 + 3*a**2*b**4 + (a - b)**2", "exp(2)"),
)
#: Not smooth for every theta in [0, 1] and every value of the other names.
NOT_SMOOTH = (
    "Abs(theta - 1/2)",
    "sqrt(theta)",
    "1/xi",
    "xi**(1/3)",
    "Abs(xi)",
    "exp(1/theta)",
    "log(theta)",
)
SMOOTH = ("erf(xi*theta)", "sqrt(v)*xi**3", "exp(xi)/(theta + 1/2)", "2**xi", "v**xi", "log(theta + 1/2)")


def near() -> Iterator[tuple[str, Step]]:
    """Why it is false, and the step."""
    for text in NOT_SMOOTH:
        function = parse(text)
        for name in sorted(names(function)):
            slope = sp.diff(function, symbol(name))
            yield f"{function} has no slope somewhere", Step("slope", "", (function, name, slope))
        yield f"the mean {function} is not smooth", _flow(function + theta, v)
    yield "an indicator has no slope at the jump", Step("slope", "", (parse("Indicator(theta > 1/2)"), "theta", ZERO))
    yield "the variance has a kink", _flow(theta, parse("1 + Max(theta - 1/2, 0)"))
    for text in NOT_POSITIVE:
        yield f"the variance {text} is not positive", _flow(theta, parse(text))
        yield f"the variance {text} is not positive", _normal(ZERO, parse(text))
        yield f"the weight {text} may be 0", Step("shrinking-interval", "", (parse(text), ZERO))
    yield "a complex variance", _flow(theta, v**sp.I)
    yield "squares of complex numbers", _flow(theta, 3 + (symbol("a") + sp.I) ** 2)
    yield "the probability is 0", Step("shrinking-interval", "", (theta + 1, HALF))
    yield from _gaussian()
    yield "a bare name", Step("substitution", "", (symbol("p"), {"p": ONE}, ONE))
    sized = sp.Symbol("v", positive=True)
    yield "a name that is positive by assumption", Step("substitution", "", (sp.Abs(xi) - xi, {"xi": sized}, ZERO))
    yield "nothing is put in", Step("substitution", "", (xi + 1, {"p": ONE}, xi + 1))
    yield "another value", Step("substitution", "", (xi + 1, {"xi": ONE}, ONE))
    yield "xi may be negative", Step("positive-root", "", (sp.sqrt(xi**2), xi, "xi"))
    yield "no root of v", Step("positive-root", "", (v**2 * sp.sqrt(1 + lam), v**2 * sp.sqrt(1 + lam), "v"))
    yield "no root at all", Step("positive-root", "", (2 * v**2, 2 * v**2, "v"))
    yield "the other root", Step("positive-root", "", (sp.sqrt(v**2), -v, "v"))
    for function, name, point, value, why in _no_limits():
        yield why, Step("continuous-limit", "", (function, name, point, value))
    for end in (sp.oo, -sp.oo, sp.I):
        yield f"{end} is no number", Step("continuous-limit", "", (sp.erf(xi), "xi", end, sp.erf(end)))
    yield from _ends()
    yield from _cells()
    yield "the mean is not 0", _independent(HALF, "mean")
    yield "they are correlated", _independent(sp.Rational(1, 3))
    walk, _, right, regime = FORM
    for scale in ("1", "1/T", "1/T**2", "1/T**3", "0"):
        other = right * Ratio.from_expr(parse(scale))
        yield f"{scale} times the other end", Step("independent-ends", "", (walk, other, right, regime, HALF))
    own = walk.token("i")
    yield "one end twice, where it is small", Step("independent-ends", "", (walk, own, own, regime, ZERO))
    ends, regime = (Vector(fixed="a"), Vector(fixed="b")), {"i": "theta*T"}
    yield "a^T W b is one number", Step("independent-ends", "", (random_walk("i", "T"), *ends, regime, HALF))


def true() -> Iterator[Step]:
    """Steps that hold."""
    for text in SMOOTH:
        function = parse(text)
        for name in sorted(names(function)):
            yield Step("slope", "", (function, name, sp.diff(function, symbol(name))))
        yield Step("continuous-limit", "", (function, "xi", ZERO, function.xreplace({xi: ZERO})))
    for text in POSITIVE:
        alone = parse(text).free_symbols <= {theta}
        yield Step("shrinking-interval", "", (parse(text), ZERO)) if alone else _flow(theta, parse(text))
        yield _normal(xi, parse(text))
    yield Step("shrinking-interval", "", (theta**2 - theta + 1, ZERO))
    yield Step("shrinking-interval", "", (theta + 1, ZERO))
    yield _normal(ZERO, v, ONE, ONE)
    yield _normal(ZERO, v, -sp.oo, sp.oo)
    yield Step("substitution", "", (xi**2 + 1, {"xi": v + 1}, v**2 + 2 * v + 2))
    yield Step("positive-root", "", (2**xi * sp.sqrt(v**2), 2**xi * v, "v"))
    yield Step("positive-root", "", (xi / sp.sqrt(v**2), xi / v, "v"))
    yield from (step for sign in (1, -1) for step in _true_ends(sign))
    edge = ((r - theta, (0,)), (ONE, (1,)), (theta, (1,)))
    yield _two((eta**-1 * (xi * eta - theta), "1/eta", r - theta), pattern=edge)
    yield _independent(HALF)
    walk = FORM[0]
    later = walk.token("T") - walk.token("i")
    yield Step("independent-ends", "", (walk, later, walk.token("i"), {"i": "theta*T"}, HALF))
    yield Step("empty-cell", "", (((theta - 2, (1,)),), (theta, 1 - theta), ((1, (theta - 2,)), (1, (1 - theta,)))))
    yield Step("empty-cell", "", (((xi, (1,)), (xi, (-1,))), (), ((1, (xi,)), (1, (-xi,)))))


# -- Gaussian laws


def _density(mean: sp.Expr, variance: sp.Expr) -> sp.Expr:
    return sp.exp(-((x - mean) ** 2) / (2 * variance)) / sp.sqrt(2 * sp.pi * variance)


def _normal(mean: sp.Expr, variance: sp.Expr, low: sp.Expr = ZERO, high: sp.Expr = ONE) -> Step:
    primitive = sp.erf((x - mean) / sp.sqrt(2 * variance)) / 2 if variance != 0 else x
    value = primitive.xreplace({x: high}) - primitive.xreplace({x: low})
    return Step("normal-interval", "", (mean, variance, low, high, primitive, value))


def _flow(mean: sp.Expr, variance: sp.Expr, low: sp.Expr = ZERO, high: sp.Expr = ONE) -> Step:
    """The slope in theta, if nothing else depended on it."""
    density = _density(mean, variance) if variance != 0 else x
    flow = -sp.diff(mean, theta) * density + sp.diff(variance, theta) * sp.diff(density, x) / 2
    value = flow.xreplace({x: high}) - flow.xreplace({x: low})
    return Step("heat-flow", "", (mean, variance, low, high, "theta", value))


def _gaussian() -> Iterator[tuple[str, Step]]:
    why = "the mean has the variable of integration"
    yield why, _flow(x - theta, v)
    flat = _density(x - 1, v)
    yield why, Step("normal-interval", "", (x - 1, v, ZERO, ONE, x * flat, flat))
    yield "the ends the wrong way round", _normal(ZERO, v, ONE, ZERO)
    yield "the ends the wrong way round", _flow(theta, v, ONE, ZERO)
    yield "complex ends", _flow(theta, v, sp.I, 1 + sp.I)
    yield "ends in no known order", _normal(ZERO, v, xi, ONE)
    yield "ends in no known order", _normal(ZERO, v, ZERO, xi)
    yield "the end moves", _flow(ZERO, v, theta, sp.Integer(2))
    yield "the end moves", _flow(ZERO, v, -ONE, theta)
    jump = sp.erf(x / sp.sqrt(2 * v)) / 2 + sp.atan(1 / (x - HALF)) + sp.atan(x - HALF)
    value = jump.xreplace({x: ONE}) - jump.xreplace({x: ZERO})
    yield "the primitive jumps at 1/2", Step("normal-interval", "", (ZERO, v, ZERO, ONE, jump, value))


# -- limits


def _no_limits() -> Iterator[tuple[sp.Expr, str, sp.Expr, sp.Expr, str]]:
    yield xi, "xi", xi + 1, xi + 1, "the point moves"
    yield u**xi, "u", ZERO, sp.Integer(0) ** xi, "without bound for xi < 0"
    yield u * (1 / u + sp.erf(1 / u)), "u", ZERO, ZERO, "the limit is 1"
    yield sp.sqrt(sp.Rational(3, 2) - theta), "theta", sp.Integer(2), sp.I / sp.sqrt(2), "theta leaves [0, 1]"
    yield sp.log(v), "v", sp.Integer(-1), sp.I * sp.pi, "no logarithm of -1"
    yield theta / theta**2, "theta", ZERO, sp.zoo, "without bound"
    yield sp.erf(xi), "xi", sp.zoo, sp.erf(sp.zoo, evaluate=False), "the point is no number"
    yield sp.Abs(xi - 1), "xi", ONE, ONE, "the limit is 0"
    yield parse("Indicator(theta > 1/2)"), "theta", HALF, ZERO, "a jump"
    yield sp.sqrt(xi), "v", ONE, sp.sqrt(xi), "xi may be negative"
    yield v + 1, "v", ZERO, ZERO, "the limit is 1"


Term = tuple[sp.Expr, str, sp.Expr]


def _term(scale: str, coefficient: sp.Expr, radicand: sp.Expr = ONE) -> Term:
    size = xi if scale == "xi" else 1 / eta
    return size * substituted(coefficient, {"r": xi * eta}) / sp.sqrt(radicand), scale, coefficient


def _erf(first: Term, second: Term, pattern: Any, value: sp.Expr, radicand: sp.Expr = ONE, out: Any = OUT) -> Step:
    finite = (sp.erf(first[0]) - sp.erf(second[0])) / 2
    return Step("erf-limit", "", (finite, first, second, radicand, pattern, out, value))


#: The mean of the linearised score over xi eta, and (mean - 1) where xi eta = r; twice its variance over eta^2.
MEAN, LESS, SPREAD = theta - HALF, (theta - HALF) * r - 1, parse("4*theta**2 - 4*theta + 7/6")
#: theta > 1/2, and a mean above 1.
ABOVE = ((MEAN, (1,)), (LESS, (1,)))


def _form(start: str = "sigma", scale: str = "1") -> tuple[Any, ...]:
    walk = random_walk("i", "T", start=start)
    i, T = walk.positions
    return (walk, gamma(walk, i) * Ratio.from_expr(parse(scale)), walk.token(T), {"i": "theta*T"})


FORM = _form()
APART = Step("independent-ends", "", (*FORM, HALF))


def _chebyshev(
    pattern: Any,
    value: sp.Expr,
    ends: Any = None,
    out: Any = OUT,
    first: sp.Expr = MEAN,
    second: sp.Expr = LESS,
    spread: sp.Expr = SPREAD,
    form: Any = FORM,
) -> Step:
    one, two = _term("xi", first, spread), _term("1/eta", second, spread)
    return Step("chebyshev-limit", "", (one, two, spread, pattern, out, ends, value, form))


def _two(second: Term, pattern: Any, radicand: sp.Expr = ONE) -> Step:
    return Step("two-sequences", "", (second, radicand, pattern))


#: theta > 0 and theta r - 1 > 0, and two that go without saying.
SIGNS = ((theta, (1,)), (theta * r - 1, (1,)))


def _true_ends(sign: int) -> Iterator[Step]:
    """The signs of both ends, for xi -> infinity and for xi -> -infinity."""
    one, two = _term("xi", theta), _term("1/eta", theta * r - 1)
    out = OUT if sign == 1 else BACK
    for second in (1, -1):
        value = sp.Rational(sign - second, 2)
        for told in ((), ((r, (sign,)),)):
            yield _erf(one, two, ((theta, (1,)), (theta * r - 1, (second,)), *told), value, out=out)
        yield _chebyshev(((MEAN, (1,)), (LESS, (second,))), value, out=out)
    yield _chebyshev(((MEAN, (0,)), (LESS, (-1,))), HALF, APART, out)


def _ends() -> Iterator[tuple[str, Step]]:
    one, two = _term("xi", theta), _term("1/eta", theta * r - 1)
    for out in ((), (theta,), (-theta, 2 * r), (r, -r), (1,), {"xi": 1, "1/eta": 1}, {"xi": -1, "1/eta": 1}):
        for value in (ZERO, -ONE):
            yield f"{out} says not where xi goes", _erf(one, two, SIGNS, value, out=out)
            yield f"{out} says not where xi goes", _chebyshev(ABOVE, value, out=out)
    yield "xi goes the other way", _erf(one, two, SIGNS, ZERO, out=BACK)
    for sign, out in ((1, OUT), (-1, BACK)):
        below = (SIGNS[0], (theta * r - 1, (-1,)), (r, (-sign,)))
        yield "xi eta has the sign of xi", _erf(one, two, below, sp.Rational(sign + 1, 2), out=out)
    yield "xi goes the other way", _chebyshev(ABOVE, ZERO, out=BACK)
    for allowed in ((0, 1), (-1, 1), (1, 0)):
        yield "theta may be 0 or negative", _erf(one, two, ((theta, allowed), SIGNS[1]), ZERO)
        yield "theta r - 1 may be 0 or negative", _erf(one, two, (SIGNS[0], (theta * r - 1, allowed)), ZERO)
        yield "the mean may be 0 or negative", _chebyshev(((MEAN, allowed), ABOVE[1]), ZERO)
        yield "the mean may be 1 or less", _chebyshev((ABOVE[0], (LESS, allowed)), ZERO)
    yield "the signs of theta are not stated", _erf(one, two, SIGNS[1:], ZERO)
    yield "the sign of the mean is not stated", _chebyshev(ABOVE[1:], ZERO)
    yield "theta r = 1 in the limit only", _erf(one, two, (SIGNS[0], (theta * r - 1, (0,))), HALF)
    yield "a mean of 1 in the limit only", _chebyshev((ABOVE[0], (LESS, (0,))), HALF)
    yield "another limit", _erf(one, two, SIGNS, ONE)
    yield "another limit", _chebyshev(ABOVE, ONE)
    yield "the argument is another one", _erf((one[0] + 1, one[1], one[2]), two, SIGNS, ZERO)
    small = _term("1/eta", eta)
    for found in (step for step in _true_ends(1) if step.rule == "erf-limit"):
        yield "of twice the function", Step("erf-limit", "", (2 * found.data[0], *found.data[1:]))
        yield "of another function", Step("erf-limit", "", (found.data[0] + sp.erf(theta), *found.data[1:]))
    yield "eta/eta does not grow", _erf(one, small, ((theta, (1,)), (eta, (1,))), ZERO)
    half = ((theta - HALF, (1,)), (theta, (1,)), (theta * r - 1, (1,)))
    for radicand in (theta - HALF, HALF - theta):
        ends = (_term("xi", theta, radicand), _term("1/eta", theta * r - 1, radicand))
        yield f"sqrt({radicand}) is not real everywhere", _erf(*ends, half, ZERO, radicand)
    yield from _laws()
    edge = r - theta
    on_edge = ((edge, (0,)), (ONE, (1,)), (theta, (1,)))
    yield "another scale", _two((xi * (xi * eta - theta), "xi", edge), on_edge)
    yield "sqrt(theta - 1/2) is not real everywhere", _two(_term("1/eta", edge, theta - HALF), on_edge, theta - HALF)
    yield "the argument is another one", _two((1 / eta, "1/eta", edge), on_edge)
    yield "r is not theta there", _two(_term("1/eta", edge), ((edge, (1,)), *on_edge[1:]))
    yield "r may be another number than theta", _two(_term("1/eta", edge), ((edge, (0, 1)), *on_edge[1:]))
    yield "z = xi grows", _two(_term("1/eta", r), ((r, (0,)), (ONE, (1,))))
    yield "z = xi grows for r = theta = 0", _two(_term("1/eta", edge), on_edge[:2])
    flat_edge = (((edge**2).expand(), (0,)), (sp.diff(edge**2, r), (0,)), (theta**2, (1,)))
    yield "(k eta)^2/eta -> 0", _two(_term("1/eta", edge**2), flat_edge)


def _laws() -> Iterator[tuple[str, Step]]:
    """Limits of the linearised score's law that are those of another one."""
    twice = ((MEAN, (1,)), (2 * MEAN * r - 1, (-1,)))
    yield "(mean - 1)/sd of another law", _chebyshev(twice, ONE, second=sp.expand(2 * MEAN * r - 1))
    raised = ((theta, (1,)), (theta * r - 1, (1,)))
    yield "of another mean", _chebyshev(raised, ZERO, first=theta, second=theta * r - 1)
    yield "of another variance", _chebyshev(ABOVE, ZERO, spread=SPREAD + 1)
    yield "of twice the form", _chebyshev(ABOVE, ZERO, form=_form(scale="2"))
    yield "of a form that grows", _chebyshev(ABOVE, ZERO, form=_form(scale="T"))
    part = ((-r / 2 - 1, (-1,)),)
    grows = _chebyshev(part, ZERO, first=-HALF, second=-r / 2 - 1, spread=sp.Rational(5, 6), form=_form(scale="T"))
    yield "of the part of a form that does not grow", grows
    turned = (*FORM[:3], {"i": "T - theta*T"})
    back = ((-MEAN, (1,)), (sp.expand(-MEAN * r - 1), (1,)))
    seen = _chebyshev(back, ZERO, first=-MEAN, second=sp.expand(-MEAN * r - 1), form=turned)
    yield "theta is not the position from the end", seen
    yield "of a form that vanishes", _chebyshev(ABOVE, ZERO, form=_form(scale="1/T"))
    below = ((MEAN, (-1,)), (MEAN + 1, (1,)), (LESS, (-1,)))
    yield "of another mean than that in (mean - 1)/sd", _chebyshev(below, ONE, first=MEAN + 1)
    good = _chebyshev(ABOVE, ZERO).data
    scaled = (_term("1/eta", MEAN, SPREAD), _term("xi", LESS, SPREAD))
    for place, other in ((0, (good[0][0], "1/eta", MEAN)), (1, good[0]), *enumerate(scaled)):
        yield "an argument of another scale", Step("chebyshev-limit", "", (*good[:place], other, *good[place + 1 :]))
    at_nought = ((MEAN, (0,)), (LESS, (-1,)))
    walk, left, right, regime = FORM
    for why, ends in (
        ("nothing says that the law is symmetric", None),
        ("a word of the author's", True),
        ("they are correlated there", Step("independent-ends", "", (*FORM, sp.Rational(1, 3)))),
        ("of another walk", Step("independent-ends", "", (*_form("zero"), HALF))),
        ("the ends of twice the form", Step("independent-ends", "", (*_form(scale="2"), HALF))),
        ("the ends the other way round", Step("independent-ends", "", (walk, right, left, regime, HALF))),
        ("a step of another rule", Step("chebyshev-limit", "", good)),
    ):
        yield why, _chebyshev(at_nought, HALF, ends)
    drifting = _form("mean")
    shifted = Step("independent-ends", "", (*drifting, HALF))
    yield "no step shows the law of a walk with a mean symmetric", _chebyshev(at_nought, HALF, shifted, form=drifting)


def _independent(place: sp.Expr, start: str = "sigma") -> Step:
    """Whether gamma^i and the last token become uncorrelated where i is this part of T."""
    walk = random_walk("i", "T", start=start)
    i, T = walk.positions
    return Step("independent-ends", "", (walk, gamma(walk, i), walk.token(T), {"i": "theta*T"}, place))


def _cells() -> Iterator[tuple[str, Step]]:
    positive, other = ((xi, (1,)),), ((lam, (1,)), (xi, (0, 1)))
    for why, data in (
        ("xi = 1", (positive, (), ((0, (xi,)),))),
        ("xi = 1", (positive, (), ((-1, (xi,)),))),
        ("xi = 0, lam = 1", (other, (-xi,), ((1, (xi, lam)), (1, (-xi, lam))))),
        ("xi = 1/2", (((xi, (1,)), (1 - xi, (1,))), (), ((1, (xi,)), (1, (1 - xi,))))),
        ("xi = 1/2", (((xi, (1,)),), (1 - xi,), ((1, (xi - 2,)), (1, (1 - xi,))))),
        ("theta = 1/4", (((HALF - theta, (0, 1)),), (theta, 1 - theta), ((1, (theta - 1,)), (1, (HALF - theta,))))),
        ("xi = 0", ((), (xi, -xi), ((1, (xi,)), (1, (-xi,))))),
        ("xi = 1, and nothing is added", (positive, (), ())),
    ):
        yield f"there is a point: {why}", Step("empty-cell", "", data)
