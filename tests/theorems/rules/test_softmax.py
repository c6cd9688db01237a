"""Every softmax rule: what it licenses is true on random contexts, and near misses are refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy as sp

from theorems.algebra.expressions import floats, symbol
from theorems.claims.conditions import read
from theorems.gaussian.process import Step
from theorems.lampert2026 import switch
from theorems.rules import RULES, licensed
from theorems.rules.softmax import (
    APART,
    NO_OUTPUT,
    NO_SINK_VALUE,
    SINK_MARGIN,
    SMALL_OUTPUT,
    SOFTMAX_RULES,
    TWO_KEYS,
    attains,
    beside,
    inner,
    j,
    k,
    kappa,
    norm,
    not_negative,
    output,
    positive,
    radius,
    rho,
    s,
    share,
    u,
    v,
    weight,
)
from theorems.rules.softmax_sums import equal_sums, m, n

P = weight(j)
ODDS = beside(sp.exp(s[j] - s[0]))
MOVED = beside(P * (v[j] - v[0]))
deviation, outside, out_norm, value_norm, gap, eps = (
    symbol(name) for name in ("deviation", "outside", "out_norm", "value_norm", "score_gap", "eps")
)
x = symbol("S")
SMALL = (TWO_KEYS, NO_SINK_VALUE, SMALL_OUTPUT, "eps > 0", "eps < value_norm")


def all_steps() -> dict[str, list[Step]]:
    """Every step of the derivations by its rule, those inside other steps too."""
    found: dict[str, list[Step]] = {}

    def visit(step: Step) -> None:
        found.setdefault(step.rule, []).append(step)
        for part in step.data:
            for inside in part if isinstance(part, tuple) else (part,):
                if isinstance(inside, Step):
                    visit(inside)

    bounds = (
        switch.sink_implies_switch(),
        switch.switch_implies_sink(),
        *(switch.zero_output_implies_sink(second_route=way) for way in (False, True)),
    )
    for bound in bounds:
        for step in bound.steps:
            visit(step)
    return found


STEPS = all_steps()


class Context:
    """A context in floating point, with the nonzero values first, and the names that the rules use."""

    def __init__(self, scores: Any, values: Any, slack: float = 0.0, **given: float) -> None:
        self.scores, self.values = np.asarray(scores, dtype=float), np.asarray(values, dtype=float)
        self.order = [0, *sorted(range(1, len(self.scores)), key=lambda i: not self.values[i].any())]
        self.scores, self.values = self.scores[self.order], self.values[self.order]
        weights = np.exp(self.scores) / np.exp(self.scores).sum()
        out = weights @ self.values
        some = [i for i in range(1, len(self.scores)) if self.values[i].any()]
        self.nearest = nearest(self.values[some]) if some else None
        self.names: dict[str, float] = {
            "keys": len(self.scores) - 1,
            "m": len(some),
            "kappa": (self.scores[0] - self.scores[1:]).min() - slack,
            "sink_margin": (self.scores[0] - self.scores[1:]).min(),
            "value_radius": np.linalg.norm(self.values[1:] - self.values[0], axis=1).max(),
            "deviation": np.linalg.norm(out - self.values[0]),
            "out_norm": np.linalg.norm(out),
            "sink_norm": np.linalg.norm(self.values[0]),
            "value_norm": np.linalg.norm(self.values[1]),
            "score_gap": self.scores[1] - self.scores[0],
            "outside": weights[some].sum(),
            "rho_V": float(np.linalg.norm(self.nearest)) if self.nearest is not None else np.inf,
            "eps": np.linalg.norm(out) + slack,
        } | given

    def meets(self, hypotheses: tuple[str, ...]) -> bool:
        for condition in hypotheses:
            condition_gap, allowed = read(condition)
            value = float(floats(condition_gap, self.names))
            if (0 if abs(value) < 1e-12 else int(np.sign(value))) not in allowed:
                return False
        return True

    def value(self, node: Any, index: dict[sp.Basic, int] | None = None) -> Any:
        """A number or a vector, by brute force."""
        here = index or {}
        if node in here:
            return float(here[node])
        if isinstance(node, sp.Sum):
            body, (name, low, high) = node.args
            last = int(self.value(high, here))
            terms = [self.value(body, {**here, name: i}) for i in range(int(low), last + 1)]
            return sum(terms[1:], terms[0]) if terms else 0.0
        if isinstance(node, sp.Indexed):
            place = int(self.value(node.indices[0], here))
            return self.scores[place] if node.base == s else self.values[place]
        if node == u:
            return self.nearest
        if node.is_Symbol:
            return self.names[node.name]
        if node.is_number:
            return float(node)
        parts = [self.value(part, here) for part in node.args]
        if isinstance(node, norm):
            return np.linalg.norm(parts[0])
        if isinstance(node, inner):
            return parts[0] @ parts[1]
        if node.is_Add:
            return sum(parts[1:], parts[0])
        if node.is_Mul:
            return np.prod(np.array([p for p in parts if np.ndim(p) == 0])) * next(
                (p for p in parts if np.ndim(p)), 1.0
            )
        return (
            {"exp": np.exp, "log": np.log}[node.func.__name__](parts[0]) if node.is_Function else parts[0] ** parts[1]
        )


def nearest(values: Any) -> Any:
    """The point of the hull nearest to 0, by a fine random and pairwise descent; only for a few values."""
    y = values.mean(0)
    for _ in range(3000):
        way = values[(values @ y).argmin()] - y
        if not (way @ way) > 0:
            break
        y = y + np.clip(-(y @ way) / (way @ way), 0, 1) * way
    return y


def contexts() -> list[Context]:
    """Random contexts, with a value 0 at the sink or not, values 0 elsewhere, one key beside the sink, out = 0."""
    rng = np.random.default_rng(0)
    found = []
    for count in (1, 1, 2, 3, 5):
        for sink in (0.0, 1.0):
            values = rng.normal(size=(count + 1, 2))
            values[0] *= sink
            if count > 2:
                values[2] = 0
            values[1:, 0] = np.where(values[1:].any(axis=1), np.abs(values[1:, 0]) + 1, 0)
            found.append(Context(rng.normal(size=count + 1) * 2, values, slack=float(rng.random())))
    found.append(Context([1.0, 0.5, -2.0, 0.5], [[0, 0], [0, 0], [0, 0], [0, 0]]))
    found += [Context([0.3, -0.4], [[0.0], [2.0]]), Context([0.0, 2.0], [[0.0], [-1.0]], slack=0.1)]
    return found


CONTEXTS = contexts()


@pytest.mark.parametrize("rule", sorted(SOFTMAX_RULES))
def test_what_is_licensed_is_true(rule: str) -> None:
    """left <= right at every context that meets the hypotheses; every rule is used, and met somewhere."""
    seen = 0
    for step in STEPS[rule]:
        assert licensed(step), step.text
        left, right, hypotheses = step.data[:3]
        for context in CONTEXTS:
            if not context.meets(hypotheses) or (context.nearest is None and (left + right).has(rho, u)):
                continue
            one, two = context.value(left), context.value(right)
            tolerance = 1e-9 * (1 + np.abs(one).max())
            if rule == "sum-identity":
                assert np.allclose(one, two)
            else:
                # the nearest point of the oracle is one to 1e-3
                assert one <= two + (5e-3 if (left + right).has(rho, u) else tolerance), (step.text, context.names)
            seen += 1
    assert seen or rule in ("in-turn", "put-to-zero")


@pytest.mark.parametrize("rule", ["attention-output", "two-key-output", "outside-weight", "attained"])
def test_equalities_are_equalities(rule: str) -> None:
    for step in STEPS[rule]:
        for context in CONTEXTS:
            if rule == "attained":
                count = int(context.names["keys"])
                level = Context([1.5, *[0.0] * count], [[0.0], *[[1.0]] * count])
                assert level.value(step.data[0]) == pytest.approx(level.value(step.data[1]))
            elif context.meets(step.data[2]) and context.nearest is not None:
                assert context.value(step.data[0]) == pytest.approx(context.value(step.data[1]))


IDENTITIES = (
    (beside(radius * P), radius * ODDS / (1 + ODDS), True),
    (beside(radius * P), radius * ODDS / (2 + ODDS), False),
    (MOVED, output() - v[0], True),
    (MOVED, output(), False),
    (MOVED, output() + v[0], False),
    (beside(sp.Integer(1)), n, True),
    (beside(sp.Integer(1)), n + 1, False),
    (sp.Sum(sp.Integer(1), (j, 0, n)), n + 1, True),
    (beside(sp.exp(s[j] + kappa)), sp.exp(kappa) * beside(sp.exp(s[j])), True),
    (beside(sp.exp(s[j] + kappa)), sp.exp(-kappa) * beside(sp.exp(s[j])), False),
    (beside(sp.exp(2 * s[j])), beside(sp.exp(s[j])) ** 2, False),
    (beside(sp.exp(s[j])), sp.Sum(sp.exp(s[j]), (j, 0, n)), False),
    (sp.Sum(sp.exp(s[k]), (k, 1, n)), beside(sp.exp(s[j])), True),
    (beside(sp.exp(s[j]) * radius), beside(sp.exp(s[j]) * rho), False),
    (1 - weight(0), 1 / (1 + sp.exp(s[0] - sp.log(beside(sp.exp(s[j]))))), True),
    (weight(0), 1 / (1 + sp.exp(s[0] - sp.log(beside(sp.exp(s[j]))))), False),
)


@pytest.mark.parametrize(("left", "right", "same"), IDENTITIES)
def test_identities_of_sums_by_brute_force(left: sp.Expr, right: sp.Expr, same: bool) -> None:
    """What is called equal is equal at random contexts; what differs there is not called equal."""
    differs = any(not np.allclose(c.value(left), c.value(right)) for c in CONTEXTS)
    assert differs == (not same)
    assert equal_sums(left, right) == same
    assert licensed(Step("sum-identity", "", (left, right, ()))) == same


@pytest.mark.parametrize(
    "left",
    [
        sp.Sum(s[j], (j, 2, n)),
        sp.Sum(s[j], (j, 1, j)),
        beside(sp.Sum(s[k] * s[j], (k, 1, n))),
        sp.Sum(s[j] * s[k], (j, 1, n), (k, 1, n)),
    ],
)
def test_sums_that_are_not_read_are_refused(left: sp.Expr) -> None:
    assert not licensed(Step("sum-identity", "", (left, left, ())))


def premise(rule: str) -> Step:
    return STEPS[rule][0]


MARGIN = Step("termwise", "", (ODDS, n * sp.exp(-kappa), (SINK_MARGIN,), "margin", sp.Integer(1), n))
RISES = radius * x / (1 + x)
BY_ODDS, UPPER = RISES.xreplace({x: ODDS}), RISES.xreplace({x: n * sp.exp(-kappa)})
BOUND = premise("attained").data[3]
WHOLE = norm(beside(P * v[j], m))
ALONG = beside(P * inner(u, v[j]), m)
LEVEL = premise("solved").data[4]
SIZE = value_norm / (1 + sp.exp(-gap))
LOG = -sp.log((value_norm - eps) / eps)
ZERO, ONE = sp.Integer(0), sp.Integer(1)
PRODUCT = Step("hull-distance", "", (outside * rho, WHOLE, (), P))
UPWARDS = (ZERO, value_norm, ("0 <= value_norm",), "0 <= value_norm")
UP = Step("assumed", "", UPWARDS)
LOWER = Step("assumed", "", (-x, ZERO, ("S > 0",), "S > 0"))

JUMP = x - 5 * sp.sqrt((x - 1) ** 2) / (x - 1)

MISSES: list[tuple[str, tuple[Any, ...]]] = [
    # from a contradiction anything follows
    ("assumed", (ONE, ZERO, ("1 <= 0",), "1 <= 0")),
    ("assumed", (eps + 1, eps, ("eps + 1 <= eps",), "eps + 1 <= eps")),
    ("assumed", (out_norm, eps, (SMALL_OUTPUT, "eps < 0"), SMALL_OUTPUT)),
    ("assumed", (out_norm, eps, (SMALL_OUTPUT, "eps < out_norm"), SMALL_OUTPUT)),
    ("put-to-zero", (x + eps, x, ("eps == 0", "eps > 0"), "eps")),
    # they fall between 0 and 4, though their slopes are positive on either side of 1, or are not real beyond it
    *(
        ("increasing", (f.xreplace({x: ZERO}), f.xreplace({x: value_norm}), UPWARDS[2], f, "S", UP))
        for f in (JUMP, x / (1 - x), -1 / (x - 1), -sp.sqrt(1 - x))
    ),
    ("attention-output", (deviation, norm(beside(P * v[j])), (), "deviation")),
    ("attention-output", (deviation, norm(2 * MOVED), (), "deviation")),
    ("attention-output", (deviation, MOVED, (), "deviation")),
    ("attention-output", (outside, norm(MOVED), (), "deviation")),
    ("attention-output", (out_norm, WHOLE, (), "out_norm")),
    ("attention-output", (out_norm, norm(beside(P * v[j], n - 1)), (NO_SINK_VALUE,), "out_norm")),
    ("attention-output", (outside, WHOLE, (NO_SINK_VALUE,), "outside")),
    ("triangle", (norm(MOVED), beside(norm(v[j] - v[0])), (), P, v[j] - v[0])),
    ("triangle", (norm(beside(-P * v[j])), beside(-P * norm(v[j])), (), -P, v[j])),
    ("triangle", (beside(P * norm(v[j])), norm(beside(P * v[j])), (), P, v[j])),
    ("triangle", (norm(beside(s[j] * v[j])), beside(s[j] * norm(v[j])), (), s[j], v[j])),
    ("termwise", (ODDS, n * sp.exp(-kappa), (), "margin", ONE, n)),
    ("termwise", (ODDS, (n - 1) * sp.exp(-kappa), (SINK_MARGIN,), "margin", ONE, n)),
    ("termwise", (n * sp.exp(-kappa), ODDS, (SINK_MARGIN,), "margin", ONE, n)),
    ("termwise", (-ODDS, -n * sp.exp(-kappa), (SINK_MARGIN,), "margin", -ONE, n)),
    ("termwise", (ODDS, n * sp.exp(kappa), (SINK_MARGIN,), "margin", ONE, n)),
    ("termwise", (beside(rho**2 * P), beside(P * inner(u, v[j])), (), "separation", P, n)),
    ("termwise", (beside(P * norm(v[j]), n), beside(P * radius, n), (), "radius", P, n)),
    ("increasing", (UPPER, BY_ODDS, (SINK_MARGIN,), RISES, "S", MARGIN)),
    ("increasing", (BY_ODDS, UPPER, (), RISES, "S", MARGIN)),
    (
        "increasing",
        (1 / (1 + ODDS), 1 / (1 + n * sp.exp(-kappa)), (SINK_MARGIN,), 1 / (1 + x), "S", MARGIN),
    ),
    ("increasing", (-ODDS, -n * sp.exp(-kappa), (SINK_MARGIN,), -x, "S", MARGIN)),
    ("increasing", (-1 / ODDS, -1 / (n * sp.exp(-kappa)), (SINK_MARGIN,), -1 / x, "S", MARGIN)),
    (
        "increasing",
        (
            BY_ODDS,
            BY_ODDS / 2,
            (SINK_MARGIN,),
            RISES,
            "S",
            Step("termwise", "", (ODDS, ODDS / 2, (), "margin", ONE, n)),
        ),
    ),
    ("in-turn", (deviation, UPPER, (SINK_MARGIN,), ())),
    ("in-turn", (deviation, UPPER, (), BOUND.data[3])),
    ("in-turn", (deviation, UPPER / 2, (SINK_MARGIN,), BOUND.data[3])),
    ("in-turn", (deviation, UPPER, (SINK_MARGIN,), BOUND.data[3][1:])),
    ("in-turn", (deviation, UPPER, (SINK_MARGIN,), (*BOUND.data[3][:2], *BOUND.data[3][3:]))),
    ("in-turn", (x, ZERO, (), (Step("wick", "", (x, ZERO, ())),))),
    ("attained", (deviation, UPPER, (SINK_MARGIN,), BOUND, (2 * kappa, ZERO), (ZERO, ONE))),
    ("attained", (deviation, UPPER, (SINK_MARGIN,), BOUND, (kappa, ZERO), (ZERO, ZERO))),
    ("attained", (deviation, UPPER, (), BOUND, (kappa, ZERO), (ZERO, ONE))),
    ("attained", (deviation, 2 * UPPER, (SINK_MARGIN,), BOUND, (kappa, ZERO), (ZERO, ONE))),
    ("two-key-output", (SIZE, out_norm, (NO_SINK_VALUE,))),
    ("two-key-output", (SIZE, out_norm, (TWO_KEYS,))),
    ("two-key-output", (value_norm / (1 + sp.exp(gap)), out_norm, (TWO_KEYS, NO_SINK_VALUE))),
    ("two-key-output", (SIZE, outside, (TWO_KEYS, NO_SINK_VALUE))),
    ("assumed", (out_norm, eps, (), SMALL_OUTPUT)),
    ("assumed", (eps, out_norm, (SMALL_OUTPUT,), SMALL_OUTPUT)),
    ("assumed", (out_norm, eps / 2, (SMALL_OUTPUT,), SMALL_OUTPUT)),
    ("solved", (gap, LOG, SMALL[:3], SIZE, LEVEL)),
    ("solved", (gap, LOG / 2, SMALL, SIZE, LEVEL)),
    ("solved", (gap, -LOG, SMALL, SIZE, LEVEL)),
    ("solved", (gap, LOG, (*SMALL[:3], "eps > 0"), SIZE, LEVEL)),
    ("solved", (gap, LOG, (*SMALL[:3], "eps < value_norm"), SIZE, LEVEL)),
    ("solved", (gap, LOG, SMALL, value_norm / (1 + sp.exp(gap)), LEVEL)),
    ("hull-distance", (outside * rho, WHOLE, (), 2 * P)),
    ("hull-distance", (outside * radius, WHOLE, (), P)),
    ("hull-distance", (outside * rho, norm(beside(P * v[j])), (), P)),
    ("outside-weight", (outside, beside(P), (), ONE)),
    ("outside-weight", (outside * rho, beside(P * rho**2, m), (), rho)),
    ("outside-weight", (outside * s[j], beside(P * s[j], m), (), s[j])),
    ("cauchy-schwarz-sum", (ALONG, WHOLE, (), P)),
    ("cauchy-schwarz-sum", (ALONG, rho * WHOLE, (), 2 * P)),
    ("cauchy-schwarz-sum", (rho * WHOLE, ALONG, (), P)),
    ("scaled", (outside, WHOLE / rho, (), 1 / rho, PRODUCT)),
    ("scaled", (-outside * rho, -WHOLE, (APART,), -ONE, PRODUCT)),
    ("scaled", (outside, WHOLE, (APART,), 1 / rho, PRODUCT)),
    ("scaled", (outside * rho * eps, WHOLE * eps, (APART,), eps, PRODUCT)),
    ("put-to-zero", (out_norm / rho, ZERO, (), "out_norm")),
    ("put-to-zero", (out_norm / rho + 1, ZERO, (NO_OUTPUT,), "out_norm")),
    ("put-to-zero", (rho / out_norm, ZERO, (NO_OUTPUT,), "out_norm")),
    ("hull-needed", (APART, (ZERO, sp.log(share[j])), sp.Rational(1, 3))),
    ("hull-needed", (NO_OUTPUT, (ZERO, sp.log(share[j])), sp.Rational(1, 2))),
    ("hull-needed", (APART, (ZERO, 2 * sp.log(share[j])), sp.Rational(1, 2))),
    ("hull-needed", (APART, (ZERO, ZERO), sp.Rational(1, 2))),
]


@pytest.mark.parametrize(("rule", "data"), MISSES)
def test_near_misses_are_refused(rule: str, data: tuple[Any, ...]) -> None:
    assert not licensed(Step(rule, "", data))


def test_every_rule_has_a_near_miss_that_names_it() -> None:
    missed = {rule for rule, _ in MISSES}
    assert SOFTMAX_RULES - missed == {"sum-identity"}
    assert {"hull-needed", *SOFTMAX_RULES} <= set(RULES)


def test_what_no_scores_attain_is_said_to_be_attained_by_none() -> None:
    """outside <= eps/rho_V is a bound, but the weights outside stay below 1 where eps/rho_V does not."""
    small = Step("assumed", "", (out_norm, eps, (SMALL_OUTPUT,), SMALL_OUTPUT))
    output_is = Step("attention-output", "", (WHOLE, out_norm, (NO_SINK_VALUE,), "out_norm"))
    given = (NO_SINK_VALUE, SMALL_OUTPUT, APART)
    below = Step("in-turn", "", (outside * rho, eps, given, (PRODUCT, output_is, small)))
    loose = Step("solved", "", (outside, eps / rho, given, outside * rho, below))
    assert licensed(loose) and not attains(loose)
    assert attains(premise("solved")) and attains(premise("attained")) and not attains(PRODUCT)


def test_other_scores_of_the_sink_give_other_weights() -> None:
    """The weight of 1/2 where 0 is in the hull is that of the sink's score 0; a score log(3) gives 1/4, as by hand."""
    assert licensed(Step("hull-needed", "", (APART, (ZERO, sp.log(share[j])), sp.Rational(1, 2))))
    assert licensed(Step("hull-needed", "", (APART, (sp.log(3), sp.log(share[j])), sp.Rational(1, 4))))
    for corner, shares in (([[1.0, 0], [-2.0, 0]], [2 / 3, 1 / 3]), ([[1, 0], [0, 1], [-1, -1]], [1 / 3] * 3)):
        context = Context([0.0, *np.log(shares)], [[0.0, 0.0], *corner])
        assert context.names["out_norm"] == pytest.approx(0, abs=1e-15)
        assert context.names["outside"] == pytest.approx(0.5)


def test_what_is_positive_is_so_visibly() -> None:
    assert positive(P, ())
    assert not_negative(beside(P * norm(v[j])))
    for doubtful in (x, -P, s[j], beside(s[j]), sp.log(x), x**-1, radius - 1):
        assert not positive(doubtful)
        assert not not_negative(doubtful, ())
    assert not positive(radius, ("value_radius",))
    assert positive(1 + radius, ("value_radius",))
    # a sum over the keys with v_j != 0 may be empty
    assert not positive(beside(P, m))
    assert positive(beside(P))
    assert not licensed(LOWER)
