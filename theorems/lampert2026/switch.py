"""Section 6: sinks and the hard attention switch, for one query, the sink (key 0) and n keys beside it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

import sympy as sp

from theorems.algebra.convex import nearest
from theorems.algebra.expressions import symbol
from theorems.gaussian.functionals import functional
from theorems.gaussian.numeric import Case
from theorems.gaussian.process import Step
from theorems.kernel.derivation import Inequality, derivation, remark
from theorems.rules import licensed
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

deviation, outside, out_norm, value_norm, gap, eps = (
    symbol(name) for name in ("deviation", "outside", "out_norm", "value_norm", "score_gap", "eps")
)
_ZERO, _ONE = sp.Integer(0), sp.Integer(1)


# -- the exact functionals of a context


def _length(vector: Iterable[sp.Expr]) -> sp.Expr:
    """The Euclidean norm of exact coordinates."""
    entries = [entry for entry in vector if entry != 0]
    return sp.Abs(entries[0]) if len(entries) == 1 else sp.sqrt(sp.Add(*(entry**2 for entry in entries)))


def _data(case: Case) -> tuple[list[Fraction], list[list[Fraction]]]:
    """Scores and values; ValueError where there are no two keys, or not one value of one length a score."""
    scores, values = case.vectors.get("scores", []), case.matrices.get("values", [])
    if len(scores) < 2 or len(values) != len(scores) or len({len(row) for row in values}) != 1:
        raise ValueError(
            f"scores = {case.raw.get('scores')}, values = {case.raw.get('values')}; expected a score and a value, a "
            "list of coordinates, of the sink and of each other key"
        )
    return scores, values


def _odds(scores: Sequence[Fraction]) -> tuple[list[Fraction], sp.Expr]:
    """The scores over the sink's, and the sum of their exponentials."""
    over = [score - scores[0] for score in scores]
    return over, sp.Add(*(sp.exp(sp.Rational(gap)) for gap in over))


def _mean(case: Case, centre: Sequence[Fraction]) -> list[sp.Expr]:
    """sum_j p_j (v_j - centre), by coordinates.

    Keys of one score are added first: exp at different rationals are linearly independent over the rationals, so that
    a coordinate is 0 only where it says 0.
    """
    scores, values = _data(case)
    over, total = _odds(scores)
    found = []
    for place, middle in enumerate(centre):
        groups: dict[Fraction, Fraction] = defaultdict(Fraction)
        for gap, row in zip(over, values, strict=True):
            groups[gap] += row[place] - middle
        found.append(sp.Add(*(sp.Rational(value) * sp.exp(sp.Rational(gap)) for gap, value in groups.items())) / total)
    return found


def _apart(values: Sequence[Sequence[Fraction]], centre: Sequence[Fraction]) -> list[list[Fraction]]:
    return [[entry - middle for entry, middle in zip(row, centre, strict=True)] for row in values]


@functional("keys", latex="n")
def keys(case: Case) -> sp.Expr:
    """The number n of keys beside the sink."""
    return sp.Integer(len(_data(case)[0]) - 1)


@functional("sink_margin", latex=r"\min_j(s_0-s_j)")
def sink_margin(case: Case) -> sp.Expr:
    """min_j (s_0 - s_j) over the keys beside the sink."""
    scores, _ = _data(case)
    return sp.Rational(scores[0] - max(scores[1:]))


@functional("score_gap", latex="(s_1-s_0)")
def score_gap(case: Case) -> sp.Expr:
    """s_1 - s_0."""
    scores, _ = _data(case)
    return sp.Rational(scores[1] - scores[0])


@functional("value_radius", latex=r"\max_j\|v_j-v_0\|")
def value_radius(case: Case) -> sp.Expr:
    """max_j |v_j - v_0|."""
    _, values = _data(case)
    largest = max(sum((entry**2 for entry in row), Fraction(0)) for row in _apart(values[1:], values[0]))
    return sp.sqrt(sp.Rational(largest))


@functional("sink_norm", latex=r"\|v_0\|")
def sink_norm(case: Case) -> sp.Expr:
    """|v_0|."""
    return _length(map(sp.Rational, _data(case)[1][0]))


@functional("value_norm", latex=r"\|v_1\|")
def value_of_key(case: Case) -> sp.Expr:
    """|v_1|."""
    return _length(map(sp.Rational, _data(case)[1][1]))


@functional("out_norm", latex=r"\|\mathrm{out}\|")
def norm_of_output(case: Case) -> sp.Expr:
    """|out|."""
    _, values = _data(case)
    return _length(_mean(case, [Fraction(0)] * len(values[0])))


@functional("deviation", latex=r"\|\mathrm{out}-v_0\|")
def deviation_of_output(case: Case) -> sp.Expr:
    """|out - v_0|."""
    return _length(_mean(case, _data(case)[1][0]))


@functional("outside", latex=r"\sum_{j\ne0,\,v_j\ne0}p_j")
def weight_outside(case: Case) -> sp.Expr:
    """The weight of the keys j != 0 with v_j != 0."""
    scores, values = _data(case)
    over, total = _odds(scores)
    return sp.Add(*(sp.exp(sp.Rational(over[place])) for place in range(1, len(over)) if any(values[place]))) / total


@functional("rho_V", latex=r"\rho_V")
def distance_of_values(case: Case) -> sp.Expr:
    """dist(0, conv{v_j : j != 0, v_j != 0}); ValueError where all these values are 0, so that the hull is empty."""
    values = [row for row in _data(case)[1][1:] if any(row)]
    if not values:
        raise ValueError(f"values = {case.raw['values']}; rho_V needs a value other than 0 beside the sink's")
    return sp.sqrt(sp.Rational(nearest(values).square))


def _context(scores: str, values: str, **parameters: str) -> dict[str, Any]:
    """A case: scores "s_0 s_1 ...", values "v_0; v_1; ..." by their coordinates, and the claim's parameters."""
    return {"scores": scores.split(), "values": [row.split() for row in values.split(";")], **parameters}


def _in_turn(left: sp.Expr, right: sp.Expr, hypotheses: tuple[str, ...], *parts: Step) -> Step:
    return Step("in-turn", "hence {0} <= {1}", (left, right, hypotheses, parts))


# -- a sink makes the switch


def gate() -> tuple[Step, Step]:
    """The attention with a sink as a gated attention without it, for every n.

    out = g attn + (1 - g) v_0 with attn the softmax attention over the keys beside the sink and
    g = 1 - p_0 = sigmoid(log sum_{j > 0} exp(s_j) - s_0).
    """
    total = sp.Sum(sp.exp(s[k]), (k, 1, n))
    opened = 1 / (1 + sp.exp(s[0] - sp.log(total)))
    attention = beside(sp.exp(s[j]) / total * v[j])
    gated = opened * attention + (1 - opened) * v[0]
    return (
        Step(
            "sum-identity",
            "g = {0} = sigmoid(L - s_0), L the log-sum-exp of s_1, ..., s_n",
            (1 - weight(0), opened, ()),
        ),
        Step("sum-identity", "out = g attn + (1 - g) v_0, attn the attention without the sink", (output(), gated, ())),
    )


@remark("lampert2026.sec6.sink-implies-switch")
def gated_attention() -> list[str]:
    """The gate identity, where its steps are licensed."""
    if not all(licensed(step) for step in gate()):
        return []
    return ["a sink is a gate: " + "; ".join(step.text for step in gate()[1:]) + "; g = sigmoid(logsumexp(s_j) - s_0)"]


@derivation("lampert2026.sec6.sink-implies-switch")
def sink_implies_switch() -> Inequality:
    """|out - v_0| <= radius S/(1 + S) with S = sum_j exp(s_j - s_0) <= n exp(-kappa), attained for every n and kappa.

    out - v_0 = sum_j p_j (v_j - v_0) over the keys beside the sink, the triangle inequality, and S/(1 + S) rises.
    Attained where all other scores are s_0 - kappa and all other values one v != v_0.
    """
    given = (SINK_MARGIN,)
    moved = beside(weight(j) * (v[j] - v[0]))
    lengths = beside(weight(j) * norm(v[j] - v[0]))
    odds, most = beside(sp.exp(s[j] - s[0])), n * sp.exp(-kappa)
    outer = beside(weight(j) * radius)
    x = symbol("S")
    function = radius * x / (1 + x)
    by_odds, upper = function.xreplace({x: odds}), function.xreplace({x: most})
    parts = (
        Step(
            "attention-output",
            "out - v_0 = sum_j p_j (v_j - v_0) over the keys beside the sink, for every n",
            (deviation, norm(moved), (), "deviation"),
        ),
        Step(
            "triangle",
            "|{4}| summed with weights: the triangle inequality",
            (norm(moved), lengths, (), weight(j), v[j] - v[0]),
        ),
        Step("termwise", "|v_j - v_0| <= radius in every term", (lengths, outer, (), "radius", weight(j), n)),
        Step("sum-identity", "{0} = {1}", (outer, by_odds, ())),
        Step(
            "increasing",
            "{3} rises in {4}: {0} <= {1}",
            (
                by_odds,
                upper,
                given,
                function,
                "S",
                Step("termwise", "{0} <= {1}", (odds, most, given, "margin", _ONE, n)),
            ),
        ),
    )
    bound = _in_turn(deviation, upper, given, *parts)
    last = Step(
        "attained",
        "{0} <= {1}; an equality for every n and kappa at scores and values {4} of the sink, {5} of every other key",
        (deviation, upper, given, bound, (kappa, _ZERO), (_ZERO, _ONE)),
    )
    sizes = ("1", "1/4", "4")
    points = (
        *(_context(f"{margin} 0", f"0;{size}", kappa=margin) for margin in ("0", "1", "4", "-1") for size in sizes),
        *(
            _context(f"{margin}{' 0' * count}", "0" + ";1" * count, kappa=margin)
            for count in (2, 8)
            for margin in ("0", "1", "4", "-1")
        ),
        _context("2 0", "0;1", kappa="1"),
    )
    return Inequality(deviation, upper, points, (*gate(), *parts, bound, last), "triangle inequality and monotone odds")


# -- the switch makes a sink


@derivation("lampert2026.sec6.switch-implies-sink")
def switch_implies_sink() -> Inequality:
    """s_1 - s_0 <= -log((|v_1| - eps)/eps) for two keys, v_0 = 0 and |out| <= eps < |v_1|; attained at |out| = eps.

    |out| = |v_1|/(1 + exp(s_0 - s_1)) rises in s_1 - s_0 and equals eps at that bound.
    """
    given = (TWO_KEYS, NO_SINK_VALUE, SMALL_OUTPUT, "eps > 0", "eps < value_norm")
    function = value_norm / (1 + sp.exp(-gap))
    small = _in_turn(
        function,
        eps,
        given,
        Step(
            "two-key-output", "|out| = {0} for s_1 - s_0 = score_gap", (function, out_norm, (TWO_KEYS, NO_SINK_VALUE))
        ),
        Step("assumed", "{0} <= {1}", (out_norm, eps, (SMALL_OUTPUT,), SMALL_OUTPUT)),
    )
    upper = -sp.log((value_norm - eps) / eps)
    words = "{0} <= {1}, as {3} rises in {0} and equals eps at {1}: attained where |out| = eps"
    last = Step("solved", words, (gap, upper, given, function, small))
    # eps is |out|, or just above it where that is no rational number
    points = (
        *(_context("0 0", f"0;{2 * half}", eps=str(half)) for half in (1, 4)),
        _context("0 0", "0;1", eps="1/2"),
        _context("0 0", "0;1/4", eps="1/8"),
        *(
            _context(f"0 {score}", f"0;{size}", eps=_above(sp.Integer(size) / (1 + sp.exp(-sp.Integer(score)))))
            for score in (1, -1, 3, -3)
            for size in (1, 4)
        ),
    )
    return Inequality(gap, upper, points, (*small.data[3], small, last), "the output rises with the score")


def _above(number: sp.Expr) -> str:
    """A fraction over 2^40 just above a real number."""
    return str(sp.Rational(sp.floor(number * 2**40) + 1, 2**40))


# -- an output that is 0


def _quotient(second_route: bool) -> tuple[Step, ...]:
    """outside <= out_norm/rho_V for v_0 = 0 and rho_V > 0: by the least norm in the hull, or by its nearest point u."""
    given = (NO_SINK_VALUE, APART)
    whole = norm(beside(weight(j) * v[j], m))
    same = Step(
        "attention-output",
        "|out| = {0} over the m keys with v_j != 0",
        (whole, out_norm, (NO_SINK_VALUE,), "out_norm"),
    )
    if not second_route:
        words = "{0} <= {1}: the weighted mean of the v_j != 0 lies in their hull"
        parts: tuple[Step, ...] = (Step("hull-distance", words, (outside * rho, whole, (), weight(j))), same)
        product, factor = outside * rho, 1 / rho
    else:
        least, along = beside(weight(j) * rho**2, m), beside(weight(j) * inner(u, v[j]), m)
        words = "<u, v_j> >= rho_V^2 for the nearest point u to 0 in the hull of the v_j != 0"
        product, factor = rho**2 * outside, rho**-2
        parts = (
            Step("outside-weight", "{0} = {1}", (product, least, (), rho**2)),
            Step("termwise", words, (least, along, (), "separation", weight(j), m)),
            Step("cauchy-schwarz-sum", "{0} <= {1}: Cauchy-Schwarz", (along, rho * whole, (), weight(j))),
            Step("scaled", "{0} = {1}", (rho * whole, rho * out_norm, (NO_SINK_VALUE,), rho, same)),
        )
    right = out_norm if not second_route else rho * out_norm
    bound = _in_turn(product, right, given, *parts)
    return (*parts, bound, Step("scaled", "hence {0} <= {1}", (outside, out_norm / rho, given, factor, bound)))


@derivation("lampert2026.sec6.zero-output-implies-sink")
def zero_output_implies_sink(second_route: bool) -> Inequality:
    """The weight on values other than 0 is 0 where out = v_0 = 0 and 0 is not in the hull of those values.

    By the least norm in the hull, or by its nearest point and Cauchy-Schwarz. Without that, opposite values cancel: for
    every set of values whose hull holds 0, some context of them has out = 0 with a weight of 1/2 on them.
    """
    given = (NO_SINK_VALUE, NO_OUTPUT, APART)
    steps = _quotient(second_route)
    nothing = Step("put-to-zero", "{0} = {1} as |out| = 0", (out_norm / rho, _ZERO, (NO_OUTPUT,), "out_norm"))
    scores = (_ZERO, sp.log(share[j]))
    words = (
        "needed: where 0 = sum_j w_j v_j with w_j > 0, sum_j w_j = 1, the scores {1} of the sink and of key j give "
        "out = 0 and outside = {2}"
    )
    needed = Step("hull-needed", words, (APART, scores, sp.Rational(1, 2)))
    last = _in_turn(outside, _ZERO, given, steps[-1], nothing)
    points = tuple(
        _context(scores, values)
        for scores, values in (
            ("0 0 0", "0;1;-1"),
            ("0 0 0", "0;1/4;-1/4"),
            ("0 4 4", "0;1;-1"),
            ("4 0 0", "0;1;-1"),
            ("0 0 0 0", "0;1;1;-2"),
            ("0 0 0 0", "0 0;1 0;0 1;-1 -1"),
            ("0 0 0 0", "0;0;1;-1"),
        )
    )
    method = "the nearest point of the hull and Cauchy-Schwarz" if second_route else "the least norm in the hull"
    return Inequality(outside, _ZERO, points, (needed, *steps, nothing, last), method)


@remark("lampert2026.sec6.zero-output-implies-sink")
def small_output() -> list[str]:
    """What follows from an output that is small, where its steps are licensed."""
    if not all(licensed(step) for step in _quotient(second_route=False)):
        return []
    return ["where v_0 = 0 and rho_V > 0, an output that is not 0 still gives outside <= |out|/rho_V"]
