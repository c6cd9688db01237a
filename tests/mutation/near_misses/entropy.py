"""Near misses and further true steps of the rules of theorems/rules/entropy.py."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import sympy as sp

from theorems.algebra.closed import substituted
from theorems.algebra.expressions import parse, symbol
from theorems.bao2024.entropy import critical, eq9, least, rising, two_levels
from theorems.gaussian.process import Step
from theorems.rules.entropy import signs_of

x, y, e, s, g, n, k, m, T, nu, S, M = (
    symbol(name) for name in ("x", "y", "e", "s", "g", "n", "k", "m", "T", "nu", "S", "M")
)
ZERO, ONE, HALF = sp.Integer(0), sp.Integer(1), sp.Rational(1, 2)
JUMP = parse("Indicator(x > 1)")


def taylor(function: sp.Expr) -> Step:
    """A function of x that is positive for x > 0, as a sum of one term."""
    return Step("non-negative-sum", "", (function, ((sp.Integer(1), function),), "x", "s"))


def near() -> Iterator[tuple[str, Step]]:
    """Why it is false, and the step."""
    yield from _slopes()
    for text, why in (
        ("x - 2*Indicator(x > 1)", "-1/2 at x = 3/2"),
        ("x + log(x)", "negative near 0"),
        ("x - y", "y is unknown"),
        ("x - 1", "negative near 0"),
        ("1 + x - x**2", "negative for large x"),
        ("x**2 - x", "negative near 0"),
        ("exp(-x) - 1", "negative"),
        ("0*x", "0"),
        ("(x - 2)**2", "0 at 2"),
        ("(-1 - x)**3", "negative"),
        ("sqrt(-1 - x)", "no real number"),
        ("-2 - x", "negative"),
        ("sqrt(2)*x - sqrt(3)", "negative near 0"),
        ("x*exp(y)", "y is unknown, and may be no real number"),
        ("exp(x*log(-1 - x))", "no real number"),
        ("exp(x*log(y))", "y is unknown"),
    ):
        yield f"{text} is {why}", taylor(parse(text))
    yield "no real number", taylor(x**sp.I)
    yield "no real number", taylor(sp.I * x)
    yield from _sums()
    yield from _scores()
    yield from _least()
    yield from _squeezed()
    for factor, power, below, above, near_zero, rate, why in _no_crossings():
        yield why, _crossing(factor, power, below, above, near_zero, rate)
    good = _crossing(*_CROSSINGS[0]).data
    for kind, count in (("maxima", 0), ("maxima", 2), ("minima", 1), ("turns", 1)):
        yield f"there are not {count} {kind}", Step("crossing", "", (*good[:7], kind, sp.Integer(count)))
    yield "it jumps, which is a turn", Step("crossing", "", (good[0] + JUMP, *good[1:]))
    for hidden, why in (
        (sp.sqrt((x - 1) ** 2) / (x - 1), "a jump at 1"),
        (sp.log((1 - x) / (x - 1)), "no real number"),
        (sp.log(1 - x) - sp.log(x - 1), "a pole at 1"),
        (sp.I, "no real number"),
    ):
        yield f"{why}, which its slope is silent about", Step("crossing", "", (good[0] + 5 * hidden, *good[1:]))
    yield "another function", Step("crossing", "", (good[0] + x, *good[1:]))
    for function, why in ((-x + 5 * JUMP, "it jumps at 1"), (x - x**2, "it turns at 1/2"), (x * y - x, "y is unknown")):
        yield why, Step("no-turn", "", (function, "x", sp.diff(function, x).subs(JUMP, 0), ZERO))
    for hidden, why in (
        (sp.sqrt((x - 1) ** 2) / (x - 1), "it falls by 10 at 1"),
        (1 / (x - 1), "a pole at 1"),
        (sp.log((1 - x) / (x - 1)), "no real number"),
        (sp.log(1 - x) - sp.log(x - 1), "no real number"),
    ):
        yield why, Step("no-turn", "", (x - 5 * hidden, "x", sp.simplify(1 - 5 * sp.diff(hidden, x)), ZERO))
    yield "no real number", Step("no-turn", "", (x + sp.I, "x", ONE, ZERO))
    yield "every point of a constant is a turn", Step("no-turn", "", (2 * y / y, "x", ZERO, ZERO))
    yield "another slope", Step("no-turn", "", (x, "x", sp.Integer(2), ZERO))
    wave = sp.exp(sp.sqrt(-1 - y) / 2)
    yield "no real number", Step("no-turn", "", (wave * x, "x", wave, ZERO))
    yield "there is none", Step("no-turn", "", (x, "x", ONE, ONE))
    yield from _far()
    yield from _covers()


def true() -> Iterator[Step]:
    """Steps that hold."""
    function = parse("x*exp(-x) + log(1 + exp(-x/2))")
    slope = e**2 - x * e**2 - e / (2 * (1 + e))
    yield Step("exponential-slope", "", (function, "x", -HALF, "e", x * e**2 + sp.log(1 + e), slope))
    yield Step("implicit-slope", "", (x + y, "x", "y", x**2 + y**2, 1 - x / y))
    half = sp.exp(y / 2)
    yield Step("implicit-slope", "", (x + half, "x", "y", x + y, (4 - half**2) / (4 + 2 * half)))
    for text in (
        "exp(x) - 1 - x - x**2/2",
        "x*exp(x) - exp(x) + 1",
        "pi*x",
        "2 + x",
        "sqrt(x)",
        "exp(sqrt(x))",
        "1/(1 + x)",
        "(-1 - x)**2",
    ):
        yield taylor(parse(text))
    yield taylor(parse("-(-1 - x)**(-3)"))
    away = sp.exp((s - x) ** 2)
    yield Step("non-negative-sum", "", (away * x, ((away, x),), "x", "s"))
    yield from _true_scores()
    for numbers in _CROSSINGS:
        for kind, count in (("maxima", 1), ("minima", 0)):
            yield _crossing(*numbers, kind=kind, count=count)
    yield Step("no-turn", "", (x + sp.exp(x / 2), "x", 1 + sp.exp(x / 2) / 2, ZERO))
    yield Step("no-turn", "", (-x, "x", -ONE, ZERO))
    yield Step("no-turn", "", ((x - 1) ** 2 + 3 * x, "x", 2 * x + 1, ZERO))
    for text, value in (("log(2 + exp(-x)) + x*exp(-x)/(1 + exp(-x))", "log(2)"), ("x*exp(-x)/y + y", "y")):
        yield Step("decay", "", (parse(text), "x", -ONE, parse(value)))
    yield Step("decay", "", (parse("sqrt(1 + exp(-x)) - log(y)/sqrt(y)"), "x", -ONE, parse("1 - log(y)/sqrt(y)")))
    yield Step("decay", "", (2 ** sp.exp(-x), "x", -ONE, ONE))
    yield Step("far-enclosure", "", (parse("2 + x*exp(-x)"), (("x", 512),), sp.Integer(2)))
    for text, low, high in (
        ("1 - x", Fraction(1, 64), Fraction(63, 16)),
        ("2 - exp(x)", Fraction(0), Fraction(2)),
        ("1 - x", Fraction(0), Fraction(2)),
        ("1 - x", Fraction(0), Fraction(64)),
        ("2 - x**3 - x", Fraction(0), Fraction(3)),
    ):
        yield Step("sign-cover", "", (parse(text), "x", low, high))
    # it rises for a while soon after its root
    small, late = sp.Rational(1, 2**12), x - 1
    wave = -late * ((late - small) ** 2 + small**2 / 8)
    yield Step("sign-cover", "", (wave, "x", Fraction(0), Fraction(4)))


def _slopes() -> Iterator[tuple[str, Step]]:
    yield "it jumps at 1", Step("exponential-slope", "", (x + JUMP, "x", -HALF, "e", x + JUMP, ONE))
    yield "another slope", Step("exponential-slope", "", (x + sp.exp(-x), "x", -ONE, "e", x + e, 1 + e))
    yield "another form", Step("exponential-slope", "", (x + sp.exp(-x), "x", -ONE, "e", x - e, 1 + e))
    yield "e is taken", Step("exponential-slope", "", (x * e, "x", -ONE, "e", x * e, e - x * e))
    yield "the rate is no number", Step("exponential-slope", "", (sp.exp(x**2), "x", x, "e", e, x * e))
    yield "the rate is 0", Step("exponential-slope", "", (x, "x", ZERO, "e", x, ONE))
    yield "x depends on itself", Step("implicit-slope", "", (x**2, "x", "x", x, ZERO))
    yield "it jumps at 1", Step("implicit-slope", "", (x + JUMP, "x", "y", x + y, ONE))
    yield "the constraint jumps at 1", Step("implicit-slope", "", (x, "x", "y", x + y + JUMP, ONE))
    yield "y is not kept by it", Step("implicit-slope", "", (x + y, "x", "y", x**2, 1 - x / y))
    yield "another slope", Step("implicit-slope", "", (x + y, "x", "y", x**2 + y**2, 1 + x / y))


def _sums() -> Iterator[tuple[str, Step]]:
    yield "nothing is added", Step("non-negative-sum", "", (ZERO, (), "x", "s"))
    for weight, term, why in (
        (s - 1, x, "s - 1 < 0"),
        (2 - s - s, x, "2 - 2 s is no product of s and 1 - s"),
        (s, -x, "-s x < 0"),
        (y, x, "y is unknown"),
        (ZERO, x, "0"),
        (sp.exp(s * sp.acos(2)), x, "the arc cosine of 2 is no real number"),
        (sp.exp(sp.I * s), x, "no real number"),
        (s**sp.I, x, "no real number"),
    ):
        yield why, Step("non-negative-sum", "", (sp.expand(weight * term), ((weight, term),), "x", "s"))
    below = symbol("below")
    two = ((s, x), (below, x))
    yield (
        "the name of what is below 1, beside another",
        Step("non-negative-sum", "", (s * x + below * x, two, "x", "s")),
    )
    yield "another sum", Step("non-negative-sum", "", (x, ((s, x),), "x", "s"))


def _scores() -> Iterator[tuple[str, Step]]:
    for mean, factor in (("x", "k"), ("m", "x")):
        function = sp.exp(x) * (x - symbol(mean)) - symbol(factor) * x
        yield f"{mean} and {factor} are no constants", _roots(function, mean, factor)
    yield "three roots for small k", _roots(sp.exp(x) * (x - m) + k * x, "m", "k")
    two = sp.exp(x) * (x - m) - k * x
    for given in ((), ("k > 0",), ("m > 0",), ("m < 0", "k > 0"), ("m > 0", "k < 0"), ("m >= 0", "k >= 0")):
        yield "no root above 0 for m <= 0, none below it for k <= 0", Step("two-roots", "", (two, "x", "m", "k", given))
    found, slope, _, condition, signs = critical()[0].data
    yield "m is not known to be positive", Step("stationary-score", "", (found, slope, "x", condition, signs[1:]))
    yield "m is known to be negative", Step("stationary-score", "", (found, slope, "x", condition, ("m < 0", "k > 0")))
    data: tuple[Any, ...]
    for why, data in (
        ("no entropy", (found + 1 / (1 + S), slope, "x", condition, signs)),
        ("another slope", (found, -slope, "x", condition, signs)),
        ("another condition", (found, slope, "x", condition + 2 * k * x, signs)),
        ("another mean", (found, slope, "x", condition.xreplace({m: -m}), signs)),
    ):
        yield why, Step("stationary-score", "", data)
    square = g**2 * k * (T - k) / T
    for why, data in (
        ("the norm is half of it", (k, T, g, 2 * square, two_levels(T, k, g))),
        ("another entropy", (k, T, g, square, two_levels(T, k, -g))),
    ):
        yield why, Step("two-level-entropy", "", data)


def _least() -> Iterator[tuple[str, Step]]:
    value, (*_, last) = least()
    premises = last.data[0]

    def changed(why: str, **data: tuple[Any, ...]) -> tuple[str, Step]:
        """Some premises with other data, which hold as well."""
        other = tuple(Step(p.rule, "", data.get(p.rule.replace("-", "_"), p.data)) for p in premises)
        return why, Step("least-entropy", "", (other, "T", "nu", value))

    by_rule = {p.rule: p.data for p in premises}
    function, share, other, constraint, rise = by_rule["implicit-slope"]
    _, parts, _, _ = by_rule["non-negative-sum"]
    scores, roots, levels = (by_rule[name] for name in ("stationary-score", "two-roots", "two-level-entropy"))
    put = {m: symbol("c")}
    yield changed("roots of another condition", two_roots=(roots[0].xreplace(put), "x", "c", "k", signs_of("c", "k")))
    yield changed("levels of another total", two_level_entropy=_levels(k, S, g))
    yield changed("levels of one score up", two_level_entropy=_levels(ONE, T, g))
    yield changed("levels of another gap", two_level_entropy=_levels(k, T, 2 * g))
    yield changed("levels that do not hold", two_level_entropy=(k, T, g, ZERO, levels[4]))
    yield changed(
        "the slope by another name", implicit_slope=_renamed((function, share, other, constraint, rise), s, y)
    )
    yield changed(
        "all by another name",
        implicit_slope=_renamed((function, share, other, constraint, rise), s, y),
        non_negative_sum=_renamed(by_rule["non-negative-sum"], s, y),
    )
    yield changed("another function of the share", implicit_slope=(2 * function, share, other, constraint, 2 * rise))
    yield changed("another norm is kept", implicit_slope=(function, share, other, 2 * constraint, rise))
    first = parts[0]
    yield changed("another positive sum", non_negative_sum=(first[0] * first[1], (first,), "g", "s"))
    yield changed("a condition that does not hold", stationary_score=(*scores[:3], scores[3] + x, scores[4]))
    yield "a premise twice", Step("least-entropy", "", ((*premises, premises[0]), "T", "nu", value))
    for why, wrong in (("1 more", value + 1), ("two scores up", two_levels(T, sp.Integer(2), nu))):
        yield why, Step("least-entropy", "", (premises, "T", "nu", wrong))


def _roots(function: sp.Expr, mean: str, factor: str) -> Step:
    return Step("two-roots", "", (function, "x", mean, factor, signs_of(mean, factor)))


def _levels(up: sp.Expr, total: sp.Expr, gap: sp.Expr) -> tuple[sp.Expr, ...]:
    return up, total, gap, gap**2 * up * (total - up) / total, two_levels(total, up, gap)


def _renamed(value: Any, one: sp.Symbol, two: sp.Symbol) -> Any:
    if isinstance(value, tuple):
        return tuple(_renamed(part, one, two) for part in value)
    if isinstance(value, str):
        return two.name if value == one.name else value
    return value.xreplace({one: two})


def _sandwich(total: sp.Expr, norm: sp.Expr) -> tuple[Any, ...]:
    mean = norm * sp.exp(norm / 2) / sp.sqrt(total)
    return total, norm, total, sp.exp(norm) / total, mean, sp.log(total) - mean


def _expansion(gap: sp.Expr = g, count: sp.Expr = n) -> tuple[Any, ...]:
    function = sp.log(1 + count * sp.exp(-gap)) + gap * count * sp.exp(-gap) / (1 + count * sp.exp(-gap))
    small = sp.exp(gap) / count
    return function, gap.name, count.name, small, (1 + gap) * small + 1 / count


def _true_scores() -> Iterator[Step]:
    yield critical()[0]
    yield critical()[1]
    yield rising()[1]
    yield Step("two-level-entropy", "", _levels(sp.Integer(2), T, g))
    yield Step("entropy-sandwich", "", _sandwich(S, nu))
    yield Step("log-expansion", "", _expansion(nu, T))
    yield least()[1][-1]
    yield from (eq9(second).steps[-1] for second in (False, True))


def _squeezed() -> Iterator[tuple[str, Step]]:
    total, norm, partition, largest, mean, low = _sandwich(T, nu)
    data: tuple[Any, ...]
    for why, data in (
        (
            "Z may be smaller",
            (total, norm, 2 * T, sp.exp(nu) / (2 * T), mean / sp.sqrt(2), sp.log(2 * T) - mean / sp.sqrt(2)),
        ),
        ("p may be larger", (total, norm, partition, largest / 4, mean / 2, sp.log(T) - mean / 2)),
        ("the mean may be larger", (total, norm, partition, largest, mean / 2, sp.log(T) - mean / 2)),
        ("the mean is not below a negative number", (total, norm, partition, largest, -mean, sp.log(T) + mean)),
        ("above log T", (total, norm, partition, largest, mean, sp.log(T) + mean)),
    ):
        yield why, Step("entropy-sandwich", "", data)
    # a name of its own in what is 0 for every z
    z = sp.Symbol("z", positive=True)
    bound = Step("entropy-sandwich", "", (total, norm, partition, largest + z * (z + 1) - z**2 - z, mean, low))
    ends = (low, sp.log(T), sp.log(T))
    yield "a name that is positive by assumption", Step("squeeze", "", (bound, least()[0], "T", "nu", *ends))
    function, variable, count, small, remainder = _expansion()
    for why, data in (
        ("another function", (function + 1, variable, count, small, remainder)),
        ("y is exp(g)/n", (function, variable, count, -small, -(1 + g) * small + 1 / n)),
        ("a negative bound", (function, variable, count, small, -remainder)),
    ):
        yield why, Step("log-expansion", "", data)
    value = least()[0]
    for way in (False, True):
        premise, _, _, _, low, high, leading = eq9(way).steps[-1].data
        broken = Step(premise.rule, "", (*premise.data[:-1], premise.data[-1] + 1))
        for why, data in (
            ("the premise does not hold", (broken, value, "T", "nu", low + 1, high, leading)),
            ("the lower end is larger", (premise, value, "T", "nu", low + 1, high, leading)),
            ("the lower end is larger", (premise, value, "T", "nu", high, high, leading)),
            ("the upper end is smaller", (premise, value, "T", "nu", low, high - 1, leading)),
            ("all is moved", (premise, value, "T", "nu", low + 7, high + 7, leading + 7)),
            ("another norm", (premise, value, "T", "eta", low, high, leading)),
            ("another total", (premise, value, "S", "nu", low, high, leading)),
            ("another quantity", (_expanded(), value + 1, "T", "nu", *_around(nu))),
            ("another quantity", (premise, sp.Integer(7), "T", "nu", low, high, leading)),
            ("another quantity", (premise, leading, "T", "nu", low, high, leading)),
            ("no such premise", (Step("two-roots", "", critical()[1].data), value, "T", "nu", low, high, leading)),
        ):
            yield why, Step("squeeze", "", data)
    wide, grown = _sandwich(T, T), value.xreplace({nu: T})
    growing = (Step("entropy-sandwich", "", wide), grown, "T", "T", wide[5], sp.log(T), sp.log(T))
    yield "a norm that grows with T", Step("squeeze", "", growing)
    half = _sandwich(T, nu / 2)
    other = (Step("entropy-sandwich", "", half), value, "T", "nu", half[5], sp.log(T), sp.log(T))
    yield "a premise about scores of half the norm", Step("squeeze", "", other)
    yield "a norm that grows with T", Step("squeeze", "", (_expanded(), grown, "T", "T", *_around(T)))


def _expanded() -> Step:
    return Step("log-expansion", "", _expansion())


def _around(norm: sp.Expr) -> tuple[sp.Expr, sp.Expr, sp.Expr]:
    off = substituted(_expansion()[4], {"n": T - 1, "g": sp.sqrt(2) * norm})
    return sp.log(T) - off, sp.log(T) + off, sp.log(T)


# -- one turn: slopes P (T e^n B - A)

Pieces = tuple[sp.Expr, int, sp.Expr, sp.Expr, tuple[sp.Expr, sp.Expr], sp.Expr]
#: P, n, B, A, bounds for A from above and B from below, rate.
_CROSSINGS: tuple[Pieces, ...] = (
    (ONE, 1, x, x - 1 + e, (x**2 / 2, x / 2), -ONE),
    (T, 2, x + x * e, 2 * x**2, (3 * x**2, x / 2), -HALF),
    (ONE, 1, x, x**3, (2 * x**3, x / 3), -2 * ONE),
)


def _crossing(
    factor: sp.Expr,
    power: int,
    below: sp.Expr,
    above: sp.Expr,
    near_zero: tuple[sp.Expr, sp.Expr],
    rate: sp.Expr,
    kind: str = "maxima",
    count: int = 1,
) -> Step:
    """A function with this slope."""
    slope = sp.expand(factor * (T * e**power * below - above))
    function = sp.Add(*(_primitive(term, rate) for term in sp.Add.make_args(slope)))
    pieces = (factor, power, below, above)
    return Step("crossing", "", (function, "x", rate, "e", "T", pieces, near_zero, kind, sp.Integer(count)))


def _primitive(term: sp.Expr, rate: sp.Expr) -> sp.Expr:
    """A primitive of c x^n e^q for e = exp(rate x)."""
    rest, power = term, 0
    while rest.has(e):
        rest, power = sp.cancel(rest / e), power + 1
    if not power:
        return sp.integrate(term, x)
    total, sign = ZERO, 1
    while rest != 0:
        total, rest, sign = total + rest / (rate * power), -sp.diff(rest, x) / (rate * power), sign
    return sp.expand(total) * sp.exp(power * rate * x)


def _no_crossings() -> Iterator[tuple[Any, ...]]:
    yield ONE, 0, x, x - 1 + e, (x**2 / 2, x / 2), -ONE, "for T = 2 the slope is positive"
    yield ONE, 1, 1 + x, x**2, (2 * x**2, x), HALF, "for T = 1 the slope is positive"
    yield ONE, 1, 1 + x, x**2, (2 * x**2, x), ONE, "for T = 1 the slope is positive"
    yield -ONE, 1, x, x - 1 + e, (x**2 / 2, x / 2), -ONE, "it turns at a minimum"
    yield y, 1, x, x - 1 + e, (x**2 / 2, x / 2), -ONE, "y is unknown"
    yield ONE, 1, x + 1000 * x**3 * e**2, x**2, (2 * x**2, x / 2), -ONE, "the level falls and rises"
    yield ONE, 1, x**2, x**2 + x**3, (2 * x**2 + 2 * x**3, x**2 / 2), -ONE, "for T = 1/2 the slope is negative"
    yield ONE, 1, x**2 + x**2 * e, 2 * x**2, (3 * x**2, x**2 / 2), -ONE, "for T = 1/2 the slope is negative"
    yield ONE, 1, x**2 + x**2 * e, 2 * x**2, (3 * x**2, -x), -ONE, "for T = 1/2 the slope is negative"
    yield ONE, 1, x**2 + x**2 * e, 2 * x**2, (x**3, x**2 / 2), -ONE, "for T = 1/2 the slope is negative"
    yield ONE, 1, x**2 + x**2 * e, 2 * x**2, (3 * x**2, x), -ONE, "for T = 1/2 the slope is negative"
    yield ONE, 1, x + y, x**2 + 2 * x * y, (x**2, x), -ONE, "y is unknown"


def _far() -> Iterator[tuple[str, Step]]:
    v = symbol("v")
    for function, value, why in (
        (parse("Indicator(exp(-x) > 0)"), ZERO, "the limit is 1"),
        (v, ZERO, "the limit is v"),
        (x, ZERO, "it grows"),
        (sp.log(x), ZERO, "it grows"),
        (sp.sqrt(-sp.exp(-x)), ZERO, "no real number"),
        (sp.log(sp.exp(-x) - 2), sp.log(-2), "no real number"),
        (sp.log(sp.exp(-x)), sp.zoo, "it grows"),
        (x * sp.exp(-x) / (sp.exp(-x) - 1), ONE, "the limit is 0"),
        (1 / sp.sqrt(sp.exp(-x) - 2), 1 / sp.sqrt(-2), "no real number"),
        (2 + sp.exp(-x), -sp.Integer(2), "the limit is 2"),
    ):
        yield why, Step("decay", "", (function, "x", -ONE, value))
    yield "it grows", Step("decay", "", (x * sp.exp(x), "x", ONE, ZERO))
    yield "2^-100 away", Step("far-enclosure", "", (x, (("x", 1),), 1 - sp.Rational(1, 2**100)))
    yield "2 away", Step("far-enclosure", "", (x, (("x", 1),), -ONE))
    yield "1/512 away", Step("far-enclosure", "", (1 / x, (("x", 512),), ZERO))
    yield "0 there alone", Step("far-enclosure", "", (x / 512 - 1, (("x", 512),), ZERO))
    yield "0 further out alone", Step("far-enclosure", "", (x / 512 - 2, (("x", 512),), ZERO))
    yield "0 at two places", Step("far-enclosure", "", ((x / 512 - 1) * (x / 512 - 3), (("x", 512),), ZERO))
    ends = (("y", 1), ("x", 1))
    yield "2^-100 away everywhere", Step("far-enclosure", "", (y, ends, 1 - sp.Rational(1, 2**100)))


def _covers() -> Iterator[tuple[str, Step]]:
    tiny = sp.Rational(1, 2**20)
    for function, low, high, why in (
        (sp.Rational(3, 2) - x, HALF, sp.Rational(5, 4), "no root on the interval"),
        (sp.Rational(1, 4) - x, HALF, sp.Rational(5, 4), "no root on the interval"),
        ((1 - x) * ((x - 1) ** 2 - tiny**2), ZERO, sp.Integer(2), "three roots"),
        ((1 - x) * (x - 2) * (x - 3), ZERO, sp.Integer(4), "three roots"),
        ((1 - x) ** 2, ZERO, sp.Integer(2), "it is not negative"),
        (x - 1, ZERO, sp.Integer(2), "it rises"),
        (1 / (1 - x), ZERO, sp.Integer(2), "it has a pole, no root"),
        (y - x, ZERO, sp.Integer(2), "y is unknown"),
        (-1 / (x - 1) ** 3 - 2, ZERO, sp.Integer(2), "it has a pole, no root"),
        (ONE, ZERO, sp.Integer(2), "it has no root"),
    ):
        yield why, Step("sign-cover", "", (function, "x", Fraction(low), Fraction(high)))
