"""Near misses and further true steps of the rules of theorems/rules/softmax.py."""

from __future__ import annotations

from collections.abc import Iterator

import sympy as sp

from tests.mutation.steps import made, step
from theorems.algebra.expressions import parse, symbol
from theorems.gaussian.process import Step
from theorems.rules.softmax import (
    APART,
    NO_OUTPUT,
    NO_SINK_VALUE,
    SINK_MARGIN,
    SMALL_OUTPUT,
    TWO_KEYS,
    beside,
    inner,
    j,
    k,
    kappa,
    norm,
    output,
    radius,
    rho,
    s,
    share,
    u,
    v,
    weight,
)
from theorems.rules.softmax_sums import m, n

deviation, outside, out_norm, value_norm, gap, eps, x, b, c = (
    symbol(name) for name in ("deviation", "outside", "out_norm", "value_norm", "score_gap", "eps", "S", "b", "c")
)
ZERO, ONE, HALF = sp.Integer(0), sp.Integer(1), sp.Rational(1, 2)

P = weight(j)
ODDS, MOST = beside(sp.exp(s[j] - s[0])), n * sp.exp(-kappa)
MOVED = beside(P * (v[j] - v[0]))
WHOLE = norm(beside(P * v[j], m))
RISES = radius * x / (1 + x)
BY_ODDS, UPPER = RISES.xreplace({x: ODDS}), RISES.xreplace({x: MOST})


MARGIN = step("termwise", ODDS, MOST, (SINK_MARGIN,), "margin", ONE, n)
LENGTHS, OUTER = beside(P * norm(v[j] - v[0])), beside(P * radius)
PARTS = (
    step("attention-output", deviation, norm(MOVED), (), "deviation"),
    step("triangle", norm(MOVED), LENGTHS, (), P, v[j] - v[0]),
    step("termwise", LENGTHS, OUTER, (), "radius", P, n),
    step("sum-identity", OUTER, BY_ODDS, ()),
    step("increasing", BY_ODDS, UPPER, (SINK_MARGIN,), RISES, "S", MARGIN),
)
BOUND = step("in-turn", deviation, UPPER, (SINK_MARGIN,), PARTS)
#: Something else than the deviation that has the same bound where the radius is 1.
SHARES = step("increasing", ODDS / (1 + ODDS), MOST / (1 + MOST), (SINK_MARGIN,), x / (1 + x), "S", MARGIN)
PRODUCT = step("hull-distance", outside * rho, WHOLE, (), P)


def _equal(left: sp.Expr, right: sp.Expr, *hypotheses: str) -> Step:
    return step("sum-identity", left, right, hypotheses)


def _assumed(left: str, relation: str, right: str) -> Step:
    condition = f"{left} {relation} {right}"
    return step("assumed", parse(left), parse(right), (condition,), condition)


def _solved(
    function: sp.Expr, level: sp.Expr, value: sp.Expr, given: tuple[str, ...] = (), relation: str = "<="
) -> Step:
    """value as the largest score_gap with f(score_gap) <= level, which is a hypothesis f(...) = out_norm below b."""
    condition = f"out_norm {relation} {level}"
    everything = (TWO_KEYS, NO_SINK_VALUE, condition, *given)
    small = step(
        "in-turn",
        function,
        level,
        everything,
        (
            step("two-key-output", SIZE, out_norm, (TWO_KEYS, NO_SINK_VALUE)),
            step("assumed", out_norm, level, (condition,), condition),
        ),
    )
    return step("solved", gap, value, everything, function, small)


SIZE = value_norm / (1 + sp.exp(-gap))
LOG = -sp.log((value_norm - eps) / eps)
BETWEEN = ("eps > 0", "eps < value_norm")


def near() -> Iterator[tuple[str, Step]]:
    """Why it is false, and the step."""
    yield from _sums()
    yield from _signs()
    yield from _outputs()
    yield from _chains()
    yield from _attained()
    yield from _two_keys()
    yield from _hulls()


def _sums() -> Iterator[tuple[str, Step]]:
    whole, first = beside(sp.exp(s[j])), sp.exp(s[0])
    nothing = 1 / ((x + 1) ** 2 - x**2 - 2 * x - 1)
    yield "a sum from 2 is not one from 1", _equal(sp.Sum(sp.exp(s[j]), (j, 2, n)), whole)
    yield "a sum from -1 is not one from 1", _equal(sp.Sum(sp.exp(s[j]), (j, -1, n)), whole)
    yield "a sum to its own index means nothing", _equal(sp.Sum(s[j], (j, 1, j)), sp.Sum(s[k], (k, 1, j)))
    yield "its first term is missing", _equal(sp.Sum(sp.exp(s[j]), (j, 0, n)), whole)
    yield "its first term is another", _equal(sp.Sum(sp.exp(s[j]), (j, 0, n)), whole + sp.exp(s[-1]))
    yield "n + 1 terms", _equal(sp.Sum(ONE, (j, 0, n)), n)
    yield "0 below the line", _equal((x * (x + 1) - x**2 - x) * nothing, ZERO)
    yield "0 below the line, twice", _equal(nothing * (x + 1), nothing * (x + 1) + (x * (x + 1) - x**2 - x) * nothing)
    yield "a product of sums is not the sum of products", _equal(beside(sp.exp(2 * s[j])), whole**2)
    yield "another number of terms", _equal(whole, beside(sp.exp(s[j]), m))
    yield "the sink's score is not another's", _equal(sp.exp(s[0]), sp.exp(s[1]))
    yield "the sink's value is not another's", _equal(v[0], v[1])
    yield "a norm is not another", _equal(norm(v[0]), norm(v[1]))
    yield "e is not e^2", _equal(sp.exp(s[0] + 1), sp.exp(s[0] + 2))
    yield "e^s is not e^(2 s)", _equal(sp.exp(s[0]), sp.exp(2 * s[0]))
    yield "exp(2 log S) is not S", _equal(sp.exp(2 * sp.log(whole)), whole)
    yield "exp(-log S) is not S", _equal(sp.exp(-sp.log(whole)), whole)
    yield "sigmoid of the other sign", _equal(weight(0), 1 / (1 + sp.exp(s[0] - sp.log(whole))))
    yield (
        "a sum that uses the index of the one around it",
        _equal(
            beside(sp.exp(s[j]) * sp.Sum(sp.exp(s[j] * s[k]), (k, 1, n))),
            whole * sp.Sum(sp.exp(s[j] * s[k]), (k, 1, n)),
        ),
    )
    yield "the constant is lost", _equal(beside(rho * sp.exp(s[j])), whole)
    yield "the weights of the others are not 1", _equal(beside(P), ONE)
    yield (
        "a product that binds an index is no sum",
        _equal(sp.Product(sp.exp(s[j]), (j, 1, n)), sp.Product(2 * sp.exp(s[j]), (j, 1, n)) / 2),
    )
    yield "an exponent that grows with the index", _equal(beside(j * sp.exp(s[j])), n * whole)
    yield "the sink alone", _equal(beside(first * sp.exp(s[j])), first * n)


def _signs() -> Iterator[tuple[str, Step]]:
    """c a <= c b for a factor c that may be negative, with premises that hold."""
    scaled: tuple[tuple[str, sp.Expr, tuple[str, ...]], ...] = (
        ("c = -1", -ONE, ()),
        ("c = 0 is not > 0: a factor that is no name must be", ZERO, ()),
        ("c is a name of unknown sign", b, ()),
        ("1/c for c >= 0 only", 1 / rho, ()),
        ("1/c^2 for c >= 0 only", rho**-2, ()),
        ("a power that is no number", b**c, ("b > 0",)),
        ("a root of an unknown", sp.sqrt(b), ()),
        ("an inverse of an unknown", 1 / b, ()),
        ("a product with a factor of unknown sign", b * sp.exp(kappa), ()),
        ("a product with a negative factor", -b * sp.exp(kappa), ("b > 0",)),
        ("a sum with a term of unknown sign", b + sp.exp(kappa), ()),
        ("a sum with a negative term", ONE - rho, ()),
        ("a sum of what may all be 0, under the line", 1 / (rho + radius), ()),
        ("an inner product may be negative", 1 + inner(u, v[1]), ()),
        ("a logarithm may be negative", 1 + sp.log(1 + sp.exp(kappa)), ()),
        ("a score may be negative", s[0] ** 3 + 1, ()),
        ("a negative power of what may be 0", 1 + 1 / radius, ()),
        ("a negative power of what may be negative", 1 + 1 / b, ()),
        ("a power of unknown sign", 1 + radius**kappa, ()),
        ("a sum of negative terms", 1 + beside(-sp.exp(s[j])), ()),
        ("a sum of scores", 1 + beside(s[j]), ()),
        ("a sum over the keys with v_j != 0 may be empty", 1 / beside(P, m), ()),
        ("a sum to a negative end is negative", sp.Sum(ONE, (j, 0, -3 - n)) * sp.exp(kappa), ()),
        ("a sum to a negative end is negative, among others", 1 + sp.Sum(sp.exp(kappa), (j, 1, -3 * n)), ()),
        ("a sum from a later key may be empty", sp.Sum(sp.exp(s[j]), (j, 2, n)), ()),
        ("a sum of negative terms from 0", sp.Sum(-sp.exp(s[j]), (j, 0, n)), ()),
        ("exp of what is not real", sp.exp(sp.I * s[0]), ()),
        ("exp of what is not real, in a sum", 1 + sp.exp(sp.I * s[0]), ()),
        ("c >= 0 only", b, ("b >= 0",)),
        ("1/c for c >= 0 only, by hypothesis", 1 / b, ("b >= 0",)),
        ("b > c says nothing of the sign of b", 1 / b, ("b > c",)),
        ("b > -1 does not make b positive", 1 / b, ("b > -1",)),
        ("b > -c does not make b positive", 1 / b, ("b > -c", "c > 0")),
        ("b < c does not make b positive", 1 / b, ("b < c", "c > 0")),
        ("b < 0", 1 / b, ("b < 0",)),
        ("b + c > 1 leaves the sign of either open", 1 / b, ("b + c > 1",)),
        ("b > 0 or b < 0", 1 / b, ("b != 0",)),
        ("one hypothesis fits and another does not", 1 / (b * c), ("b > 0",)),
        ("b > c - 2 eps says nothing of the sign of b", 1 / b, ("b + 2*eps > c", "c > 0")),
        ("an inner product", inner(u, v[1]), ()),
        ("1/norm of what may be 0", 1 / norm(v[1]), ()),
        ("a double sum to a negative end", sp.Sum(sp.exp(s[j] + s[k]), (j, 1, n), (k, 1, -3 - n)), ()),
        ("exp of a root of what may be negative", sp.exp(sp.sqrt(b)), ()),
        ("exp of an arc cosine of what may be above 1", sp.exp(sp.acos(b)), ()),
        ("exp of a logarithm of what may be negative", sp.exp(b * sp.log(c)), ()),
        ("a name that is positive by assumption", abs(sp.Symbol("b", positive=True)), ()),
    )
    for why, factor, given in scaled:
        left, right = (sp.powsimp(factor * side) for side in PRODUCT.data[:2])
        yield why, step("scaled", left, right, given, factor, PRODUCT)
    yield (
        "exp(v) is no weight",
        step("triangle", norm(beside(sp.exp(v[j]) * v[j])), beside(sp.exp(v[j]) * norm(v[j])), (), sp.exp(v[j]), v[j]),
    )
    for why, factor in (
        ("a weight of unknown sign", s[j]),
        ("a negative weight", -P),
        ("a size that is not known here to be >= 0", b),
        ("a weight that is not real", sp.exp(sp.I * s[j])),
        ("exp of a vector is no weight", sp.exp(u)),
    ):
        yield why, step("triangle", norm(beside(factor * v[j])), beside(factor * norm(v[j])), (), factor, v[j])
        yield (
            why,
            step("termwise", beside(factor * norm(v[j] - v[0])), beside(factor * radius), (), "radius", factor, n),
        )
    yield (
        "the norm of the terms is not below that of the sum",
        step("triangle", beside(P * norm(v[j])), norm(beside(P * v[j])), (), P, v[j]),
    )
    yield "the weights are lost on the left", step("triangle", norm(beside(v[j])), beside(P * norm(v[j])), (), P, v[j])
    yield "the weights are lost on the right", step("triangle", norm(beside(P * v[j])), norm(v[j]), (), P, v[j])


def _outputs() -> Iterator[tuple[str, Step]]:
    yield from made(
        "attention-output",
        ("not moved by v_0", (deviation, norm(beside(P * v[j])), (), "deviation")),
        ("twice as long", (deviation, norm(2 * MOVED), (), "deviation")),
        ("a vector is no length", (deviation, MOVED, (), "deviation")),
        ("another quantity", (outside, norm(MOVED), (), "deviation")),
        ("another quantity that is a norm", (norm(v[0]), norm(MOVED), (), "deviation")),
        ("the deviation is not the output's norm", (out_norm, norm(MOVED), (NO_SINK_VALUE,), "out_norm")),
        ("the sink's value is missing", (out_norm, WHOLE, (), "out_norm")),
        ("a key is missing", (out_norm, norm(beside(P * v[j], n - 1)), (NO_SINK_VALUE,), "out_norm")),
        ("no quantity of attention", (outside, WHOLE, (NO_SINK_VALUE,), "outside")),
        (
            "half of the output's keys are other ones",
            (out_norm, norm(beside(P * v[0], m)), (NO_SINK_VALUE,), "out_norm"),
        ),
        ("the deviation is not |v_0|", (deviation, norm(v[0]), (), "deviation")),
        ("an inner product is no norm", (deviation, inner(MOVED, v[0]), (), "deviation")),
    )
    yield from made(
        "termwise",
        ("no margin is given", (ODDS, MOST, (), "margin", ONE, n)),
        ("one term too few", (ODDS, (n - 1) * sp.exp(-kappa), (SINK_MARGIN,), "margin", ONE, n)),
        ("the other way round", (MOST, ODDS, (SINK_MARGIN,), "margin", ONE, n)),
        ("negative weights", (-ODDS, -MOST, (SINK_MARGIN,), "margin", -ONE, n)),
        ("the margin's sign", (beside(sp.exp(s[0] - s[j])), n * sp.exp(kappa), (SINK_MARGIN,), "margin", ONE, n)),
        ("<u, v_j> is 0 where v_j is", (beside(rho**2 * P), beside(P * inner(u, v[j])), (), "separation", P, n)),
        ("|v_j| is no distance from v_0", (beside(P * norm(v[j])), beside(P * radius), (), "radius", P, n)),
        ("another number of keys", (LENGTHS, beside(P * radius, m), (), "radius", P, n)),
        ("fewer keys on the right", (LENGTHS, beside(P * radius, n - 1), (), "radius", P, n - 1)),
        ("half of the radius", (LENGTHS, beside(P * radius / 2), (), "radius", P, n)),
        ("weights of the right side alone", (beside(norm(v[j] - v[0])), beside(P * radius), (), "radius", P, n)),
        ("no key is that close to 0", (beside(P * rho, m), beside(P * inner(u, v[j]), m), (), "separation", P, m)),
    )


def _chains() -> Iterator[tuple[str, Step]]:
    given = (SINK_MARGIN,)
    drops = 1 / (1 + x)
    falling = step("termwise", -ODDS, -MOST, given, "margin", -ONE, n)
    unlike = step("assumed", kappa, symbol("sink_margin"), given, SINK_MARGIN)
    jump = sp.Piecewise((ONE, x < 1), (ZERO, True))
    odds, most = (drops.xreplace({x: side}) for side in (ODDS, MOST))
    yield from made(
        "increasing",
        ("the other way round", (UPPER, BY_ODDS, given, RISES, "S", MARGIN)),
        ("the premise needs a hypothesis", (BY_ODDS, UPPER, (), RISES, "S", MARGIN)),
        ("it falls", (odds, most, given, drops, "S", MARGIN)),
        ("it falls, by a line", (-ODDS, -MOST, given, -x, "S", MARGIN)),
        ("it has a pole at 0", (-1 / ODDS, -1 / MOST, given, -1 / x, "S", MARGIN)),
        ("the premise is false", (ODDS**2, MOST**2, given, x**2, "S", falling)),
        ("a square falls below 0", (kappa**2, symbol("sink_margin") ** 2, given, x**2, "S", unlike)),
        ("the lower end may be negative", (kappa**2, out_norm**2, ("kappa <= out_norm",), x**2, "S", SIGNED)),
        ("the upper end may be negative", (out_norm**2, kappa**2, ("out_norm <= kappa",), x**2, "S", SIZED)),
        ("a jump down has the slope 0", (*(jump.xreplace({x: e}) for e in (ODDS, MOST)), given, jump, "S", MARGIN)),
        (
            "a jump down beside a line",
            (*((x + jump).xreplace({x: e}) for e in (ODDS, MOST)), given, x + jump, "S", MARGIN),
        ),
        ("a size in the function that is not the variable", (m * ODDS, m * MOST, given, m * x, "m", MARGIN)),
        ("the name of the variable is a size", (n**2 * ODDS, n * MOST**2, given, n * x, "keys", MARGIN)),
        ("the slope has an unknown sign", (b * ODDS, b * MOST, given, b * x, "S", MARGIN)),
        ("another function on the left", (2 * BY_ODDS, UPPER, given, RISES, "S", MARGIN)),
        ("another function on the right", (BY_ODDS, UPPER / 2, given, RISES, "S", MARGIN)),
        ("a size may not be the variable", (radius * ODDS, radius * MOST, given, m * radius, "m", MARGIN)),
        ("a size is taken for the variable", (ODDS**2, MOST**2, given, symbol("outside") ** 2, "outside", MARGIN)),
        ("another variable", (BY_ODDS, UPPER, given, RISES, "b", MARGIN)),
    )
    # what a rule of another kind says of its data is no inequality between the first two
    foreign = step("derivative", x, ONE, "S", x)
    yield from made(
        "in-turn",
        ("nothing is said", (deviation, UPPER, given, ())),
        ("nothing is said of equal sides", (deviation, deviation, given, ())),
        ("a hypothesis is missing", (deviation, UPPER, (), PARTS)),
        ("half of the bound", (deviation, UPPER / 2, given, PARTS)),
        ("it begins elsewhere", (deviation, UPPER, given, PARTS[1:])),
        ("a step is missing in the middle", (deviation, UPPER, given, (*PARTS[:2], *PARTS[3:]))),
        ("it ends elsewhere", (deviation, OUTER, given, PARTS[:2])),
        ("a step is false", (deviation, UPPER / 2, given, (*PARTS, step("sum-identity", UPPER, UPPER / 2, ())))),
        ("a slope is no inequality", (x, ONE, ("S",), (foreign,))),
        ("the first ends elsewhere than the second begins", (symbol("q"), b, ("q <= c", "c**2 <= b"), TURNS)),
    )
    yield from made(
        "assumed",
        ("not among the hypotheses", (out_norm, eps, (), SMALL_OUTPUT)),
        ("the other way round", (eps, out_norm, (SMALL_OUTPUT,), SMALL_OUTPUT)),
        ("half of it", (out_norm, eps / 2, (SMALL_OUTPUT,), SMALL_OUTPUT)),
        ("another hypothesis", (out_norm, eps, ("out_norm <= 2*eps",), SMALL_OUTPUT)),
        ("1 <= 0 contradicts itself", (ONE, ZERO, ("1 <= 0",), "1 <= 0")),
        ("b <= S and S < b", (x, b, ("S <= b", "b < S"), "S <= b")),
        ("b + 1 <= b", (b + 1, b, ("b + 1 <= b",), "b + 1 <= b")),
        ("a norm below 0", (out_norm, eps, (SMALL_OUTPUT, "eps < 0"), SMALL_OUTPUT)),
        ("b is 1 and 2", (x, b, ("S <= b", "b == 1", "b == 2"), "S <= b")),
    )
    yield from made(
        "put-to-zero",
        ("b is 0 and 1", (x + b, x, ("b == 0", "b == 1"), "b")),
        ("1 <= 0 beside it", (x + b, x, ("b == 0", "1 <= 0"), "b")),
    )
    contradicted = (*given, "kappa < 0", "kappa > 0")
    yield from made(
        "in-turn",
        ("hypotheses that contradict one another", (deviation, UPPER, contradicted, PARTS)),
    )
    yield from _broken()
    for relation in (">=", ">", "!="):
        yield f"{relation} is not <=", _assumed("q", relation, "b")


def _broken() -> Iterator[tuple[str, Step]]:
    """f(a) <= f(b) for an f that rises on either side of a pole or of a jump."""
    jump = sp.sqrt((x - 1) ** 2) / (x - 1)
    for why, function in (
        ("it falls by 10 at 1", x - 5 * jump),
        ("a jump from 1 to -1", -jump),
        ("a pole at 1", -1 / (x - 1)),
        ("a pole at 1", x / (1 - x)),
        ("a root of what is negative", -sp.sqrt(1 - x)),
    ):
        low, high = sp.Integer(0), sp.Integer(4)
        ends = (function.xreplace({x: low}), function.xreplace({x: high}))
        yield why, step("increasing", *ends, (), function, "S", step("sum-identity", low, high, ()))
        told = step("assumed", low, symbol("value_norm"), ("0 <= value_norm",), "0 <= value_norm")
        ends = (function.xreplace({x: low}), function.xreplace({x: symbol("value_norm")}))
        yield why, step("increasing", *ends, ("0 <= value_norm",), function, "S", told)


SIGNED = step("assumed", kappa, out_norm, ("kappa <= out_norm",), "kappa <= out_norm")
SIZED = step("assumed", out_norm, kappa, ("out_norm <= kappa",), "out_norm <= kappa")
TURNS = (
    _assumed("q", "<=", "c"),
    _assumed("c**2", "<=", "b"),
)


def _attained() -> Iterator[tuple[str, Step]]:
    given = (SINK_MARGIN,)
    ends = (kappa, ZERO), (ZERO, ONE)
    share_of_most = MOST / (1 + MOST)
    yield from made(
        "attained",
        ("a margin of 2 kappa is farther off", (deviation, UPPER, given, BOUND, (2 * kappa, ZERO), (ZERO, ONE))),
        ("the other key has the larger score", (deviation, UPPER, given, BOUND, (ZERO, ZERO), (kappa, ONE))),
        ("all values are one", (deviation, UPPER, given, BOUND, (kappa, ZERO), (ZERO, ZERO))),
        ("all values are one, at any margin", (deviation, UPPER, given, BOUND, (ZERO, ONE), (ZERO, ONE))),
        ("values of unknown size, maybe 0", (deviation, UPPER, given, BOUND, (kappa, ZERO), (ZERO, b))),
        ("no margin is given", (deviation, UPPER, (), BOUND, *ends)),
        ("another hypothesis may exclude it", (deviation, UPPER, (*given, "kappa > 0"), BOUND, *ends)),
        ("twice the bound", (deviation, 2 * UPPER, given, BOUND, *ends)),
        ("a bound of radius 1 alone", (deviation, share_of_most, given, SHARES, *ends)),
        ("a bound of something else", (ODDS / (1 + ODDS), share_of_most, given, SHARES, *ends)),
        ("the bound is not proved", (deviation, UPPER, given, step("sum-identity", deviation, UPPER, ()), *ends)),
    )
    # |sum_j v_j| >= m rho_V over the keys with v_j != 0, which is added to the bound
    parts = (
        step("termwise", m * rho**2, beside(inner(u, v[j]), m), (), "separation", ONE, m),
        step("cauchy-schwarz-sum", beside(inner(u, v[j]), m), rho * norm(beside(v[j], m)), (), ONE),
    )
    low, high = m * rho**2, rho * norm(beside(v[j], m))
    more = step("in-turn", low, high, (), parts)
    larger, added = UPPER + high - low, UPPER + x - low
    wide = step(
        "in-turn", deviation, larger, given, (BOUND, step("increasing", UPPER, larger, given, added, "S", more))
    )
    at_one = larger.xreplace({radius: ONE})
    nearer = sp.log(at_one / (1 - at_one) / n)
    yield "the margin is not kappa there", step("attained", deviation, larger, given, wide, (ZERO, ZERO), (nearer, ONE))


def _two_keys() -> Iterator[tuple[str, Step]]:
    both = (TWO_KEYS, NO_SINK_VALUE)
    yield from made(
        "two-key-output",
        ("there may be other keys", (SIZE, out_norm, (NO_SINK_VALUE,))),
        ("the sink has a value", (SIZE, out_norm, (TWO_KEYS,))),
        ("the gap's sign", (value_norm / (1 + sp.exp(gap)), out_norm, both)),
        ("the output's norm is not the weight", (SIZE, outside, both)),
        ("the weight without the value", (1 / (1 + sp.exp(-gap)), out_norm, both)),
        ("the sink's weight", (value_norm * sp.exp(-gap) / (1 + sp.exp(-gap)), out_norm, both)),
    )
    yield "1/eps without a sign of eps", _solved(SIZE, eps, LOG, ("eps < value_norm",))
    yield "eps may be above |v_1|", _solved(SIZE, eps, LOG, ("eps > 0",))
    yield "no sign of anything", _solved(SIZE, eps, LOG)
    yield "half of it", _solved(SIZE, eps, LOG / 2, BETWEEN)
    yield "its sign", _solved(SIZE, eps, -LOG, BETWEEN)
    turned = value_norm * eps / (2 * eps - value_norm)
    yield "a logarithm of a negative number", _solved(SIZE, turned, -sp.log((eps - value_norm) / eps), BETWEEN)
    yield "equality is excluded", _solved(SIZE, eps, LOG, BETWEEN, "<")
    yield "a hypothesis may exclude equality", _solved(SIZE, eps, LOG, (*BETWEEN, "score_gap <= 5"))
    yield "not the premise's function", _solved(value_norm / (1 + sp.exp(gap)), eps, LOG, BETWEEN)
    yield "eps < 0", _solved(SIZE, eps, LOG, ("eps < 0", "eps < value_norm"))
    yield "eps above |v_1|", _solved(SIZE, eps, LOG, ("eps > 0", "eps > value_norm"))
    yield "eps >= 0 only", _solved(SIZE, eps, LOG, ("eps >= 0", "eps < value_norm"))
    yield "eps <= |v_1| only", _solved(SIZE, eps, LOG, ("eps > 0", "eps <= value_norm"))
    for why, level, given in (
        ("a logarithm of an unknown", "log(b)", ()),
        ("a logarithm of minus a positive number", "log(-b)", ("b > 0",)),
        ("a logarithm of minus a difference", "log(c - b)", ("b > c",)),
        ("a logarithm of its inverse", "log(1/(c - b))", ("b > c",)),
        ("a logarithm of a product of unknown sign", "log(b*c)", ("b > 0",)),
        ("a logarithm of another difference", "log(b - 2*c)", ("b > c",)),
        ("a logarithm of a sum with an unknown", "log(1 + b)", ()),
        (
            "a logarithm of a product of three signs",
            "log((c - b)*(c - eps)*(eps - b))",
            ("b > c", "b > eps", "eps > c"),
        ),
        ("a root of an unknown", "sqrt(b)", ()),
        ("a root of minus a positive number", "sqrt(-b)", ("b > 0",)),
        ("a root of a difference of the other sign", "sqrt(c - b)", ("b > c",)),
        ("a root of a product of unknown sign", "sqrt(b*c)", ("b > 0",)),
        ("a root under the line", "1/sqrt(b)", ("b < 0",)),
        ("a root of one unknown and of one positive number", "sqrt(b) + sqrt(c)", ("b > 0",)),
        ("a logarithm of one unknown and of one positive number", "log(b) + log(c)", ("b > 0",)),
        ("a function that the rule does not know", "erf(b)", ()),
    ):
        yield why, _bounded(level, parse(level) / rho, given)
    yield "another level", _bounded("eps", 2 * eps / rho, ())
    yield "equality is excluded in a step within a step", _bounded("eps", eps / rho, (), "<")
    yield "equality is excluded by the second of two assumptions", _bounded("eps", eps / rho, (), "<", "c")
    yield "its slope may be 0", step("solved", outside, WHOLE / rho, (), outside * rho, PRODUCT)
    yield "its slope may be 0, by a bound that is a number", _bounded("eps", eps / rho, (), apart=())
    # (L^2 - 1)/(L + 1) - L + 1 is 0, whatever L is
    power = sp.log(b**sp.I)
    nothing = (power**2 - 1) / (power + 1) - power + 1
    yield "a logarithm of a complex power", _bounded("eps", eps / rho + nothing, ("b > 0",))
    steps = sp.floor(gap)
    broken = SIZE + (steps**2 - 1) / (steps + 1) - steps + 1
    yield "0/0 for a gap in [-1, 0): no function of the whole line", _solved(broken, eps, LOG, BETWEEN)
    whole = SIZE + (steps + 1) ** 2 - steps**2 - 2 * steps - 1
    yield "a gap's whole part has no slope", _solved(whole, eps, LOG, BETWEEN)
    yield "0/0 for a gap of -1", _solved(SIZE + (gap**2 - 1) / (gap + 1) - gap + 1, eps, LOG, BETWEEN)
    yield "a text is no name", Step("solved", "", ("b", ONE, (), b, _equal(b, b)))
    for why, function, factor, given in (
        ("it falls", -outside, -ONE, ()),
        ("it may fall", b * outside, b, ()),
        ("it may be constant", rho * outside, rho, ()),
        ("its slope has an unknown sign", (1 + b) * outside, 1 + b, ("c > 0",)),
    ):
        level = beside(P * factor, m)
        premise = step("outside-weight", function, level, (), factor)
        yield why, step("solved", outside, beside(P, m), given, function, premise)
    same = step("outside-weight", outside, beside(P, m), (), ONE)
    square = step("increasing", outside**2, beside(P, m) ** 2, (), x**2, "S", same)
    yield "it rises on one side of 0 only", step("solved", outside, beside(P, m), (), outside**2, square)
    left, right, given, function, small = _bounded("eps", eps / rho, ()).data
    yield "a hypothesis of the premise is missing", step("solved", left, right, given[:2], function, small)
    yield "another function than the premise's", step("solved", left, right, given, function / 2, small)
    yield "a bound of no name", step("solved", 2 * outside, 2 * beside(P, m), (), outside, same)
    yield "the premise is false", step("solved", outside, beside(P, m) / 2, (), outside, _half(same))
    yield "a bound told by the name itself", step("solved", x, x, (), x, _equal(x, x))
    jump = sp.Piecewise((x, x < 0), (x - 5, True))
    yield "what has a jump down is not rising", step("solved", x, x, (), jump, _equal(jump, jump))


def _bounded(
    level: str,
    value: sp.Expr,
    given: tuple[str, ...],
    relation: str = "<=",
    middle: str = "",
    apart: tuple[str, ...] = (APART,),
) -> Step:
    """value as a bound of outside, from rho_V outside <= |out| and a hypothesis |out| <= level.

    Or from two hypotheses, |out| <= middle and middle <= level.
    """
    ends = ((middle, "<="), (level, relation)) if middle else ((level, relation),)
    assumed, now = [], "out_norm"
    for end, sign in ends:
        condition = f"{now} {sign} {end}"
        assumed.append(step("assumed", parse(now), parse(end), (condition,), condition))
        now = end
    parts = (PRODUCT, step("attention-output", WHOLE, out_norm, (NO_SINK_VALUE,), "out_norm"), *assumed)
    everything = (NO_SINK_VALUE, *apart, *(part.data[3] for part in assumed), *given)
    premise = step("in-turn", outside * rho, parse(level), everything, parts)
    return step("solved", outside, value, everything, outside * rho, premise)


def _hulls() -> Iterator[tuple[str, Step]]:
    yield from made(
        "hull-distance",
        ("twice the weights on the right", (outside * rho, norm(beside(2 * P * v[j], m)), (), P)),
        ("weights twice as large", (outside * rho, norm(beside(2 * P * v[j], m)), (), 2 * P)),
        ("the weights must be those of the attention", (outside * rho, norm(beside(v[j], m)), (), ONE)),
        ("the radius is not the hull's distance", (outside * radius, WHOLE, (), P)),
        ("the keys with v_j = 0 too", (outside * rho, norm(beside(P * v[j])), (), P)),
        ("the other way round", (WHOLE, outside * rho, (), P)),
    )
    yield from made(
        "outside-weight",
        ("the keys with v_j = 0 too", (outside, beside(P), (), ONE)),
        ("another constant", (outside * rho, beside(P * rho**2, m), (), rho)),
        ("a constant that is none", (outside * s[j], beside(P * s[j], m), (), s[j])),
        ("the constant is lost on the left", (outside, beside(P * rho, m), (), rho)),
    )
    along = beside(P * inner(u, v[j]), m)
    yield from made(
        "cauchy-schwarz-sum",
        ("rho_V is lost", (along, WHOLE, (), P)),
        ("other weights", (along, rho * WHOLE, (), 2 * P)),
        ("other weights on the right", (along, rho * norm(beside(v[j] / 2, m)), (), P)),
        ("the other way round", (rho * WHOLE, along, (), P)),
        ("values are no weights", (beside(v[j] * inner(u, v[j]), m), rho * norm(beside(v[j] ** 2, m)), (), v[j])),
        ("the nearest point is no weight", (beside(u * inner(u, v[j]), m), rho * norm(beside(u * v[j], m)), (), u)),
    )
    yield from made(
        "scaled",
        ("the factor is lost on the left", (outside, WHOLE / rho, (APART,), 1, PRODUCT)),
        ("the factor is lost on the right", (outside, WHOLE, (APART,), 1 / rho, PRODUCT)),
        ("the premise is false", (outside * rho**2, WHOLE * rho / 2, (), rho, _half(PRODUCT))),
    )
    yield from made(
        "put-to-zero",
        ("not given", (out_norm / rho, ZERO, (), "out_norm")),
        ("something is left", (out_norm / rho + 1, ZERO, (NO_OUTPUT,), "out_norm")),
        ("0 below the line", (rho / out_norm, ZERO, (NO_OUTPUT,), "out_norm")),
        ("it is <= 0 that is given", (out_norm, ZERO, ("out_norm <= 0",), "out_norm")),
    )
    shares = sp.log(share[j])
    yield from made(
        "hull-needed",
        ("a third is not the weight", (APART, (ZERO, shares), sp.Rational(1, 3))),
        ("another hypothesis is needed for nothing", (NO_OUTPUT, (ZERO, shares), HALF)),
        ("nothing cancels, with as large a weight", (APART, (sp.log(n), ZERO), HALF)),
        ("these weights do not cancel", (APART, (ZERO, 2 * shares), HALF)),
        ("equal weights do not cancel", (APART, (ZERO, ZERO), HALF)),
        ("no finite score of the sink leaves nothing", (APART, (sp.oo, shares), ZERO)),
        ("the sink has no score of every key", (APART, (shares, shares), HALF)),
    )


def _half(part: Step) -> Step:
    left, right, *rest = part.data
    return Step(part.rule, "", (left, right / 2, *rest))


def true() -> Iterator[Step]:
    """Steps that hold."""
    yield from (*PARTS, BOUND, MARGIN, PRODUCT, SHARES)
    more = 1 / (kappa + 1)
    yield step("increasing", ODDS + more, MOST + more, (SINK_MARGIN,), x + more, "S", MARGIN)
    yield from _true_sums()
    yield from _true_signs()
    for sink, other in (((kappa, ZERO), (ZERO, ONE)), ((kappa + 1, sp.Integer(2)), (ONE, HALF))):
        yield step("attained", deviation, UPPER, (SINK_MARGIN,), BOUND, sink, other)
    yield step("two-key-output", SIZE, out_norm, (TWO_KEYS, NO_SINK_VALUE))
    yield _solved(SIZE, eps, LOG, BETWEEN)
    # the hypotheses in another order, and a chain of them
    yield _solved(SIZE, eps, LOG, ("c < value_norm", "eps < c", "eps > 0", "eps < value_norm"))
    for level, given in (
        ("log(b)", ("b > 0",)),
        ("log(b)", ("0 < b",)),
        ("log(b - c)", ("b > c",)),
        ("log(b - c)", ("c < b",)),
        ("log(b)", ("c > 0", "b > c")),
        ("log(b)", ("c > 0", "b - 2*c > 1")),
        ("log((c - b)*(c - eps))", ("b > c", "eps > c")),
        ("log(-1/(c - b))", ("b > c",)),
        ("log(1/(c - b)**2)", ("b > c",)),
        ("log(1/(b - c)**2)", ("c > b",)),
        ("sqrt(b)", ("b > 0",)),
        ("sqrt(b - c)", ("b > c",)),
        ("eps", ()),
    ):
        yield _bounded(level, parse(level) / rho, given)
    yield step("outside-weight", rho**2 * outside, beside(P * rho**2, m), (), rho**2)
    yield step("cauchy-schwarz-sum", beside(P * inner(u, v[j]), m), rho * WHOLE, (), P)
    yield step("cauchy-schwarz-sum", beside(inner(u, v[j]), m), rho * norm(beside(v[j], m)), (), ONE)
    yield step("termwise", beside(P * rho**2, m), beside(P * inner(u, v[j]), m), (), "separation", P, m)
    yield step("attention-output", WHOLE, out_norm, (NO_SINK_VALUE,), "out_norm")
    yield step("attention-output", out_norm, WHOLE, (NO_SINK_VALUE,), "out_norm")
    yield step("put-to-zero", out_norm / rho + b, b, (NO_OUTPUT,), "out_norm")
    for score, value in ((ZERO, HALF), (sp.log(3), sp.Rational(1, 4))):
        yield step("hull-needed", APART, (score, sp.log(share[j])), value)
    # all scores moved by the same
    yield step("hull-needed", APART, (s[0], s[0] + sp.log(share[j])), HALF)
    yield _assumed("q", "<=", "b")
    yield _assumed("q", "<", "b")
    yield _bounded("eps", eps / rho, (), "<=", "c")
    squares = x * (x + 2) + 1, (x + 1) ** 2
    # the ends are equal by a normal form, at either end and in the middle
    yield step("in-turn", squares[0], squares[0], (), (_equal(squares[1], squares[1]),))
    yield step(
        "in-turn",
        symbol("q"),
        b,
        ("q <= c", "c <= b"),
        tuple(_assumed(*r) for r in (("q", "<=", "c"), ("c", "<=", "b"))),
    )


def _true_sums() -> Iterator[Step]:
    whole = beside(sp.exp(s[j]))
    for left, right in (
        (sp.Sum(ONE, (j, 0, n)), n + 1),
        (beside(sp.exp(s[j] + kappa)), sp.exp(kappa) * whole),
        (sp.Sum(sp.exp(s[k]), (k, 1, n)), whole),
        (sp.Sum(sp.exp(s[j]), (j, 0, n)), sp.exp(s[0]) + whole),
        (1 - weight(0), 1 / (1 + sp.exp(s[0] - sp.log(whole)))),
        (output(), weight(0) * v[0] + beside(P * v[j])),
        (sp.exp(s[0] + 1), sp.exp(1) * sp.exp(s[0])),
        (sp.exp(2 * s[0] + 2), sp.exp(1) ** 2 * sp.exp(s[0]) ** 2),
        (sp.exp(-2 * sp.log(whole)), 1 / whole**2),
        (sp.exp((1 + s[0]) * sp.log(whole)), whole * sp.exp(s[0] * sp.log(whole))),
        (beside(sp.exp(s[j]) * sp.Sum(sp.exp(s[k]) * s[j], (k, 1, n))), whole * beside(s[j] * sp.exp(s[j]))),
        (beside(P * b * sp.Sum(sp.exp(s[k]), (k, 1, m))), b * beside(P) * beside(sp.exp(s[j]), m)),
        (beside(j * sp.exp(s[j]) * b), b * sp.Sum(k * sp.exp(s[k]), (k, 1, n))),
        (beside(norm(v[j])), sp.Sum(norm(v[k]), (k, 1, n))),
        (beside(sp.exp(s[j]) / (whole + sp.exp(s[j]))), sp.Sum(sp.exp(s[k]) / (whole + sp.exp(s[k])), (k, 1, n))),
    ):
        yield _equal(left, right)


def _true_signs() -> Iterator[Step]:
    factors: tuple[tuple[sp.Expr, tuple[str, ...]], ...] = (
        (rho, ()),
        (sp.Integer(3), ()),
        (1 / rho, (APART,)),
        (rho**-2, (APART,)),
        (sp.sqrt(rho), (APART,)),
        (sp.exp(kappa), ()),
        (1 / (1 + rho), ()),
        (1 + sp.sqrt(radius) + rho * radius, ()),
        (1 + norm(v[1]) + 2 * radius, ()),
        (1 + beside(norm(v[j]), m), ()),
        (1 + 1 / (1 + rho), ()),
        (beside(sp.exp(s[j])), ()),
        (1 / sp.Sum(sp.exp(s[j]), (j, 0, m)), ()),
        (1 / sp.Sum(sp.exp(s[j]), (j, 0, n)), ()),
        (2 * b, ("c > 0", "b > c")),
        (2 * b, ("c > 0", "c < b")),
        (2 * b, ("c > 0", "b - 2*c > 0")),
        (b * c, ("b > 0", "c > 0")),
    )
    for factor, given in factors:
        left, right = (sp.powsimp(factor * side) for side in PRODUCT.data[:2])
        yield step("scaled", left, right, given, factor, PRODUCT)
    yield step("triangle", norm(beside(v[j])), beside(norm(v[j])), (), ONE, v[j])
    more = 1 + sp.exp(s[j])
    yield step("triangle", norm(beside(more * v[j])), beside(more * norm(v[j])), (), more, v[j])
    yield step("termwise", beside(norm(v[j] - v[0])), n * radius, (), "radius", ONE, n)
    premises = (ODDS, MOST)
    for function in (x**2, x * rho, 1 - 1 / (1 + x), sp.exp(x), x * sp.exp(s[0])):
        low, high = (function.xreplace({x: side}) for side in premises)
        yield step("increasing", low, high, (SINK_MARGIN,), function, "S", MARGIN)
