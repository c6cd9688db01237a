"""What a statement assumes, what follows from it, and that a rule that needs more leaves a claim undecided."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import sympy as sp

from theorems.algebra.expressions import symbol
from theorems.bao2024.entropy import least
from theorems.claims.catalogue import Statement, by_id
from theorems.gaussian.process import Step
from theorems.kernel.deriving import derive
from theorems.kernel.distributions import density, finite
from theorems.kernel.grounds import stated
from theorems.kernel.hypotheses import granted, needs, plain, ungranted
from theorems.kernel.settle import settle
from theorems.rules import ABOUT, licensed, rule

t, a, p = (symbol(name) for name in ("t", "a", "p"))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("W_QK symmetric", ("W symmetric",)),
        ("Sigma  positive semidefinite", ("Sigma psd",)),
        ("0 <= theta < 1", ("0 <= theta", "theta < 1")),
        ("lambda > 0", ("lam > 0",)),
        ("tr1 == 0", ("tr1 = 0",)),
        ("xi -> -oo", ("xi -> -infinity",)),
        ("W_QK != 0", ("W != 0",)),
        ("P symmetric (W stands for P: tr1 = tr(P))", ("P symmetric",)),
        # words around a relation are no hypothesis that it holds
        ("an estimate for n = 2", ("an estimate for n = 2",)),
        ("the scores are not 0 (but for T = 1)", ("the scores are not 0",)),
    ],
)
def test_a_hypothesis_is_written_in_one_way(text: str, found: tuple[str, ...]) -> None:
    assert plain(text) == found


def test_what_a_claim_assumes() -> None:
    found = stated(by_id()["bao2024.appB.display-b"])
    assert {"Sigma = I", "1 <= T", "P symmetric"} <= found and "W symmetric" not in found
    found = stated(by_id()["bao2024.appA.eq17"])
    assert {"1 <= i", "i <= j", "W symmetric"} <= found
    assert {"0 <= theta", "theta <= 1"} <= stated(by_id()["bao2024.sec4.lemma1-mean"])
    assert "mean = (theta - 1/2)*xi*eta" in stated(by_id()["bao2024.sec4.lemma2-3"])
    assert "T = 1" not in stated(by_id()["bao2024.sec3.eq3"])


PROBABILITY = ("0 <= p", "p <= 1")
STRENGTHS = ("kappa_1 > 0", "kappa_2 >= 0", "r >= 1")


@pytest.mark.parametrize(
    ("needed", "given"),
    [
        ("p >= 0", PROBABILITY),
        ("0 <= p <= 1", PROBABILITY),
        ("1 - p >= 0", PROBABILITY),
        ("p**2*(1 - p) >= 0", PROBABILITY),
        ("1 - p**2*(1 - p) >= 0", PROBABILITY),
        ("kappa_1/r + kappa_2 > 0", STRENGTHS),
        ("r != 0", STRENGTHS),
        ("W symmetric", ("W psd",)),
        ("sum_energy > 0", ("least_cross > 0",)),
        ("Sigma psd", ()),
        ("Sigma pd", ("Sigma = I",)),
        ("tr2 > 0", ("W symmetric", "W != 0", "Sigma pd")),
        ("tr2 > 0", ("tr2 > 0",)),
        ("tr1 = xi*eta*lam", ("tr1 = lam*eta*xi",)),
        ("tr2 = 2*eta", ("eta + eta = tr2",)),
        ("xi -> infinity", ("xi -> infinity",)),
    ],
)
def test_what_hypotheses_give(needed: str, given: tuple[str, ...]) -> None:
    assert granted(needed, given)


@pytest.mark.parametrize(
    ("needed", "given"),
    [
        ("p > 0", PROBABILITY),
        ("p != 0", PROBABILITY),
        ("p**2 - p >= 0", PROBABILITY),
        ("2*p - 1 >= 0", PROBABILITY),
        ("1 - p >= 0", ("0 <= p",)),
        ("kappa_1 - kappa_2 > 0", STRENGTHS),
        ("kappa_2 > 0", STRENGTHS),
        ("sqrt(kappa_2) > 0", STRENGTHS),
        ("eta > 0", ("eta >= 0", "eta != 1")),
        ("W symmetric", ("W != 0",)),
        ("Sigma = I", ("Sigma pd",)),
        # R W R may be 0 for a singular Sigma, and tr2 negative for another W
        ("tr2 > 0", ("W symmetric", "W != 0")),
        ("tr2 > 0", ("W != 0", "Sigma pd")),
        ("tr1 = 1001*tr1/1000", ()),
        # a name is not defined through itself
        ("tr1 = 1001*tr1/1000", ("tr1 = 1001*tr1/1000",)),
        ("tr1 = 2*eta", ("tr1 = eta",)),
        ("xi -> infinity", ("xi -> -infinity",)),
        ("", ()),
    ],
)
def test_what_hypotheses_do_not_give(needed: str, given: tuple[str, ...]) -> None:
    assert not granted(needed, given)


# -- what rules need


def without(claim: str, *gone: str, **changes: Any) -> Statement:
    """A shipped claim without these words in its assumptions and conditions."""
    statement = by_id()[claim]
    texts = [", ".join(part for part in text.split(", ") if part not in gone) for text in statement.assumptions]
    conditions = tuple(condition for condition in statement.conditions if condition not in gone)
    return replace(statement, assumptions=tuple(texts), conditions=conditions, **changes)


@pytest.mark.parametrize(
    ("claim", "gone", "needed"),
    [
        ("bao2024.sec4.eq5", ("W_QK symmetric",), "W symmetric"),
        ("bao2024.sec4.xi-eta-range", ("W_QK != 0",), "tr2 > 0"),
        ("bao2024.sec4.xi-eta-range", ("Sigma positive definite",), "tr2 > 0"),
        ("bao2024.sec4.gaussian-rho", ("v > 0",), "v > 0"),
        ("bao2024.sec4.lemma2-1", ("xi -> infinity",), "xi -> infinity"),
        ("bao2024.sec4.lemma2-2", ("eta -> 0",), "eta -> 0"),
        ("bao2024.sec4.lemma2-4", ("tr2 > 0",), "tr2 > 0"),
        ("bao2024.sec4.a1-uniform", ("eta > 0",), "eta > 0"),
        ("bao2024.appC.lemma2-derivative", ("eta > 0",), "eta > 0"),
        ("bao2024.appC.lemma2-derivative", ("0 <= theta <= 1",), "theta >= 0"),
        ("bao2024.appB.cauchy-schwarz", ("p_j >= 0",), "p_j >= 0"),
        ("bao2024.appB.dominance", ("Assumption 1 with Sigma = I",), "Sigma = I"),
        *(
            (
                f"lampert2026.sec5.cosine-{claim}",
                (f"{tokens} is almost surely not zero",),
                f"{tokens} is almost surely not zero",
            )
            for claim, tokens in (("approximation", "Y_i"), ("transfer", "Y_i(0)"), ("transfer", "Y_i(1)"))
        ),
        ("lampert2026.sec5.monotone-iff", ("k >= 2",), "k >= 2"),
        ("lampert2026.sec5.dense-smooths-more", ("least_cross > 0",), "sum_energy > 0"),
        ("lampert2026.sec5.uniform-vs-identity", ("sum_energy > 0",), "sum_energy > 0"),
        ("lampert2026.sec4.cost", ("rho_Q > 0", "rho_Q = dist(0, conv{z_i : i in J}) > 0"), "rho_Q > 0"),
        ("lampert2026.sec4.cost", ("kappa > 0", "kappa > 0; scores are divided by sqrt(d)"), "kappa > 0"),
        ("lampert2026.sec4.wendel", ("dim >= 2",), "dim >= 2"),
        ("lampert2026.sec7.sink-lower", ("lam < 1",), "lam < 1"),
        ("lampert2026.sec7.sink-upper", ("kappa > 0",), "kappa > 0"),
        ("lampert2026.sec7.diag-lower", ("lam < 1",), "lam < 1"),
        ("lampert2026.sec7.sinks-always-cheaper", ("C >= 1", "b_BOS, dbar_c and c_c"), "C >= 1"),
    ],
)
def test_a_claim_without_what_its_proof_needs_is_undecided(claim: str, gone: tuple[str, ...], needed: str) -> None:
    if claim.endswith("monotone-iff"):
        weaker = replace(by_id()[claim], assumptions=())
    elif claim.endswith("always-cheaper"):
        weaker = replace(by_id()[claim], assumptions=(), conditions=("n >= 2", "lam > 0", "lam < 1"))
    elif claim.endswith(("diag-lower", "sink-lower", "wendel")):
        weaker = replace(without(claim, *gone), assumptions=())
    else:
        weaker = without(claim, *gone)
    derived = derive(claim, weaker.positions, definitions=weaker.definitions)
    assert settle(by_id()[claim], derived).status in ("proved", "disproved")
    found = settle(weaker, derived)
    assert found.status == "undecided" and needed in found.method, found.method
    assert f"not assumed: {needed}" in found.evidence


def test_the_least_entropy_is_of_two_scores_or_more() -> None:
    (step,) = (one for one in least()[1] if one.rule == "least-entropy")
    assert needs(step) == ("T >= 2",)
    # as T grows that is no hypothesis
    assert settle(by_id()["bao2024.sec5.eq9"], derive("bao2024.sec5.eq9", ())).status == "disproved"


def test_a_limit_in_the_other_direction_is_not_that_of_the_claim() -> None:
    """erf-limit with xi -> -infinity for a claim whose xi grows: every step is licensed."""
    claim = by_id()["bao2024.sec4.lemma2-1"]
    derived = derive("bao2024.sec4.lemma2-2", definitions=claim.definitions)
    found = settle(claim, derived)
    assert found.status == "undecided" and "xi -> -infinity" in found.method


def test_the_sign_of_xi_is_that_of_r() -> None:
    """r > 0 and eta > 0, yet xi -> -infinity: there is no such sequence."""
    theta, xi, eta, r = (symbol(name) for name in ("theta", "xi", "eta", "r"))
    A, root = theta - sp.Rational(1, 2), sp.sqrt(2)
    first, second = (xi * A / root, "xi", A), ((A * xi * eta - 1) / eta / root, "1/eta", A * r - 1)
    finite_T = (sp.erf(first[0]) - sp.erf(second[0])) / 2
    signs = ((A, (1,)), (A * r - 1, (-1,)))
    for out, positive in ((1, (1,)), (1, (0,)), (1, (0, 1)), (-1, (-1,)), (-1, (0, -1))):
        value, domain = sp.Rational(out + 1, 2), (theta, 1 - theta, out * r)
        step = Step("erf-limit", "", (finite_T, first, second, sp.Integer(2), (*signs, (r, positive)), domain, value))
        assert licensed(step)
        assert needs(step)[0] == ("xi -> infinity" if out > 0 else "xi -> -infinity")
        for pattern, where in (((r, (-out,)), domain), ((r, (out,)), (theta, 1 - theta, -out * r))):
            wrong = (*step.data[:4], (*signs, pattern), where, value)
            assert not licensed(Step("erf-limit", "", wrong))


def test_other_names_of_a_slope_of_one_sign_are_positive() -> None:
    step = Step("no-turn", "", (t**2 / 2 + a * t, "t", t + a, sp.Integer(0)))
    assert licensed(step) and ungranted((step,), ("a real",)) == ("a > 0",) and not ungranted((step,), ("a >= 1",))


def test_probabilities_are_such() -> None:
    steps = finite([(1, p**2), (0, 1 - p**2)]).expect(lambda x: x).steps
    assert all(map(licensed, steps))
    assert ungranted(steps, ()) == ("1 - p**2 >= 0",)
    assert ungranted(steps, ("0 <= p", "p <= 1")) == ()
    assert ungranted(steps, ("0 <= p", "p <= 2")) == ("1 - p**2 >= 0",)
    assert not ungranted(finite([(1, sp.Rational(1, 3)), (a, sp.Rational(2, 3))]).expect(lambda x: x).steps, ())


def test_parameters_of_an_integral_keep_it_where_it_makes_sense() -> None:
    """int_0^1 e^(a t) dt = (e^a - 1)/a has no value at a = 0."""
    value = (sp.exp(a) - 1) / a
    step = Step("antiderivative", "", (sp.exp(a * t), t, sp.Integer(0), sp.Integer(1), sp.exp(a * t) / a, value))
    assert licensed(step)
    assert ungranted((step,), ()) == ("a != 0",) and not ungranted((step,), ("a > 0",))
    assert not ungranted(density(2 * t, t, 0, 1).expect(lambda x: x).steps, ())


def test_a_denominator_at_the_origin_is_not_0() -> None:
    u, T = symbol("u"), symbol("T")
    for name, data in (("at-origin", (u, u + T - 1, 1 / T)), ("derivative", (u, u + a - 1, "u", (a - 1) / a**2))):
        assert licensed(Step(name, "", data))
    assert needs(Step("at-origin", "", (u, u + T - 1, 1 / T))) == ()
    assert needs(Step("derivative", "", (u, u + a - 1, "u", (a - 1) / a**2))) == ("a != 0",)
    assert needs(Step("at-origin", "", (u, u + a - 1, 1 / a))) == ("a != 0",)
    # (N' D - N D')/D^2 with D = 0
    assert not licensed(Step("derivative", "", (u**2, u - 1, "u", sp.Integer(0))))


def test_the_least_value_of_a_square_needs_a_positive_lead() -> None:
    step = Step("completed-square", "", (a * (t - 1) ** 2, "t", a, sp.Integer(1), sp.Integer(0)))
    assert licensed(step) and ungranted((step,), ()) == ("a > 0",) and not ungranted((step,), ("a > 0",))
    assert not licensed(Step("completed-square", "", (sp.Integer(3), "t", sp.Integer(0), t - t, sp.Integer(3))))


def test_a_product_turned_round_needs_a_symmetric_matrix() -> None:
    for left, right, wanted in (
        (("W_QK", "Sigma"), ("R", "W_QK", "R"), ()),
        (("W_QK", "R", "Sigma", "W_QK"), ("W_QK", "Sigma", "R", "W_QK"), ()),
        (("W_QK", "R", "W_QK", "W_QK", "Sigma"), ("Sigma", "W_QK", "W_QK", "R", "W_QK"), ("W symmetric",)),
        (("R", "Sigma", "Sigma"), ("Sigma", "R", "Sigma"), ()),
    ):
        step = Step("trace-identity", "", (left, right, {"Sigma": ("R", "R")}))
        # with a root of Sigma there is one
        assert licensed(step) and needs(step) == (*wanted, "Sigma psd")


def test_what_a_rule_takes_to_be_positive_is_asked_for() -> None:
    """|lam exp(-x^2) a| <= lam |a| for lam > 0 alone, exp(-(1 + theta) x^2) <= 1 for theta >= -1."""
    lam, theta, x, v, p = (symbol(name) for name in ("lam", "theta", "x", "v", "p"))
    unit, inside = sp.exp(-(x**2)), ("theta >= 0", "theta <= 1")
    bent = sp.exp(-(1 + theta) * x**2)

    def size(value: sp.Expr) -> sp.Expr:
        return sp.Abs(value, evaluate=False)

    for name, data, wanted in (
        ("unit-combination", (size(lam * unit * a), lam * sp.Abs(a), ((p, a),), lam, {"p": unit}), ("lam > 0",)),
        ("unit-combination", (size(2 * unit * a), 2 * sp.Abs(a), ((p, a),), sp.Integer(2), {"p": unit}), ()),
        ("unit-combination", (size(bent * a), sp.Abs(a), ((p, a),), sp.Integer(1), {"p": bent}), inside),
        ("vertex-maximum", (size(bent * a), sp.Abs(a), p * a, {"p": bent}), inside),
        ("vertex-maximum", (size(unit * a), sp.Abs(a), p * a, {"p": unit}), ()),
        ("heat-flow", (x - x, 1 / v, sp.Integer(0), sp.Integer(1), "t", x - x), ("v > 0",)),
        ("heat-flow", (x - x, (1 + theta) ** -3, sp.Integer(0), sp.Integer(1), "t", x - x), inside),
    ):
        step = Step(name, "", data)
        assert licensed(step) and needs(step) == wanted, (name, data)


#: Hypotheses that rules need whatever their data are. Derivations use them side by side, so that one of them which
#: asked for less would not be missed.
GROUPS = ("C >= 1", "n >= 2", "lam > 0", "lam < 1")
CONSTANT: dict[tuple[str, ...], tuple[str, ...]] = {
    ("C >= 1", "lam > 0", "lam < 1", "kappa > 0"): (
        *("least-coefficient", "least-margin", "shortfall", "binding-pair", "group-nuclear", "nuclear-by-root"),
        *("orthogonal-sum", "sum-over-groups", "routing-average", "routing-dual", "routing-primal", "least-cost"),
        "cost-at-least",
    ),
    GROUPS: (
        *("symmetric-dual", "symmetric-primal", "factor-dual", "pair-average", "pinching", "factors-add"),
        *("weaker-bound", "optimum-decides", "costs-apart", "costs-apart-where", "below-everywhere"),
        *("dormant-dual", "dormant-factors", "dormant-pairs"),
    ),
    (*GROUPS, "kappa > 0", "d >= 1"): ("budget-below", "budget-at"),
    ("kappa > 0", "rho_Q > 0", "rho_K > 0"): ("sink-dual", "sink-primal"),
    ("k >= 2",): ("slope-sign", "chord-sign", "level-root"),
    ("k >= 2", "sum_energy > 0"): ("ratio-of-energy", "ends-compared", "interior-maximum"),
    ("Sigma = I",): ("wick-leading", "tube-growth"),
    ("Sigma psd",): ("psd-root",),
    ("tr2 > 0",): ("quotient", "shrinking-interval"),
}


def test_rules_that_stand_side_by_side_each_ask_for_what_they_need() -> None:
    asked = {name: about.needs for name, about in ABOUT.items() if about.needs and not callable(about.needs)}
    assert asked == {name: needed for needed, several in CONSTANT.items() for name in several}


@pytest.mark.parametrize(
    ("name", "needed"),
    [
        ("erf-limit", "xi -> infinity, eta -> 0, eta > 0, theta >= 0, theta <= 1"),
        ("chebyshev-limit", "xi -> infinity, eta -> 0, eta > 0, theta >= 0, theta <= 1"),
        ("empty-cell", "xi -> infinity, eta -> 0, eta > 0, theta >= 0, theta <= 1, theta >= 0, 1 - theta >= 0"),
        ("continuous-limit", "theta >= 0, theta <= 1"),
        ("crossing", "T > 0"),
    ],
)
def test_steps_of_the_papers_ask_for_what_they_need(name: str, needed: str) -> None:
    claims = ("bao2024.sec4.lemma2-1", "bao2024.sec4.lemma2-4", "bao2024.sec5.eq9-unimodal", "bao2024.appB.eq19")
    steps = (step for claim in claims for step in derive(claim, by_id()[claim].positions).steps)
    assert ", ".join(needs(next(step for step in steps if step.rule == name))) == needed


def test_steps_in_the_data_of_a_step_need_what_they_need() -> None:
    inner = Step("positive-root", "", (sp.sqrt(symbol("v") ** 2), symbol("v"), "v"))
    outer = Step("chain", "", (1, ((inner, 2),), [inner]))
    assert ungranted((outer,), ()) == ("v > 0",) and ungranted((outer,), ("v >= 1",)) == ()


def test_a_rule_says_what_it_needs_in_one_place() -> None:
    from theorems.rules import ABOUT, RULES

    assert ABOUT["pair-average"].needs == ("C >= 1", "n >= 2", "lam > 0", "lam < 1")
    name = "of two needs, for this test"
    rule(name, needs=("W symmetric", "d >= 2"), concludes=1, source="a book")(lambda *_: True)
    try:
        assert needs(Step(name, "", (1, 2))) == ("W symmetric", "d >= 2")
        assert (ABOUT[name].concludes, ABOUT[name].source, ABOUT[name].trusted) == (1, "a book", "")
        assert ungranted((Step(name, "", ()),), ("W symmetric",)) == ("d >= 2",)
    finally:
        del RULES[name], ABOUT[name]
