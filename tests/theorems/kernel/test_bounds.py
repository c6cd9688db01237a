"""Ranges and inequalities: ends that are right and wrong, prints beside the proved bound, and what supports a bound."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sympy as sp

from theorems.algebra.expressions import parse, symbol
from theorems.algebra.ratio import Ratio
from theorems.claims.catalogue import by_id
from theorems.gaussian.numeric import Case
from theorems.gaussian.process import Step
from theorems.kernel.bounds import unsupported_bound, unsupported_inequality
from theorems.kernel.derivation import Derived, Inequality, SharpBound
from theorems.kernel.deriving import derive
from theorems.kernel.outcome import Outcome
from theorems.kernel.settle import settle
from theorems.rules import licensed

RANGE, INEQUALITY, FINAL = (
    "bao2024.sec4.xi-eta-range",
    "bao2024.appC.lemma2-inequality",
    "bao2024.appC.lemma2-final-bound",
)
d, tr2, X, Y = (symbol(name) for name in ("d", "tr2", "X", "Y"))


def sharp() -> SharpBound:
    (found,) = derive(RANGE).quantities.values()
    assert isinstance(found, SharpBound)
    return found


def proved(name: str = INEQUALITY) -> Inequality:
    (found,) = derive(name).quantities.values()
    assert isinstance(found, Inequality)
    return found


def ranged(bound: SharpBound, **printed: str) -> Outcome:
    statement = by_id()[RANGE]
    table = {"upper": "sqrt(d)", "lower": "-sqrt(d)"} | printed
    return settle(replace(statement, printed=table), Derived({"": bound}, bound.steps))


def bounded(upper: str, bound: Inequality | None = None) -> Outcome:
    bound = bound or proved()
    return settle(replace(by_id()[INEQUALITY], printed={"upper": upper}), Derived({"": bound}, bound.steps))


# -- ranges


def test_a_range_with_its_sharp_ends_is_proved() -> None:
    assert ranged(sharp()).status == "proved"
    assert ranged(sharp(), upper="sqrt(4*d)/2", lower="-d/sqrt(d)").status == "proved"


@pytest.mark.parametrize(
    "upper", ["2*sqrt(d)", "sqrt(d)/2", "d", "sqrt(d - 1)", "sqrt(d + 1)", "-sqrt(d)", "1", "sqrt(2)", "0"]
)
def test_a_wrong_end_on_either_side_is_disproved(upper: str) -> None:
    """Too large is as wrong as too small: every value of a range is reached, and none beyond."""
    for name, side in (("upper", 1), ("lower", -1)):
        text = upper if side > 0 else f"-({upper})"
        outcome = ranged(sharp(), **{name: text})
        assert (outcome.status, outcome.false_quantities) == ("disproved", (name,))
        assert outcome.corrections == {name: side * sp.sqrt(d)}
    both = ranged(sharp(), upper=upper, lower=f"-({upper})")
    assert both.false_quantities == ("upper", "lower")


def test_a_range_needs_every_value_between_its_ends() -> None:
    bound = sharp()
    (filled,) = [step for step in bound.steps if step.rule == "realised-spectrum"]
    others = tuple(step for step in bound.steps if step is not filled)
    assert ranged(replace(bound, steps=others)).status == "undecided"
    # a step for another square
    spectrum, value, _, least = filled.data
    wrong = replace(filled, data=(spectrum, value, d + 1, least))
    assert not licensed(wrong)
    assert ranged(replace(bound, steps=(*others, wrong))).status == "undecided"


def test_a_range_that_is_filled_for_large_d_only_is_not_proved() -> None:
    """The claim is about d >= 2; a spectrum for every d >= 50 does not fill the range."""
    bound = sharp()
    steps = tuple(
        replace(step, data=(*step.data[:3], 50)) if step.rule == "realised-spectrum" else step for step in bound.steps
    )
    assert all(licensed(step) for step in steps)
    assert ranged(replace(bound, steps=steps)).status != "proved"


def test_a_quotient_of_another_root_supports_nothing() -> None:
    bound = sharp()
    steps = tuple(
        replace(step, data=(symbol("tr7"), *step.data[1:])) if step.rule == "quotient" else step for step in bound.steps
    )
    assert unsupported_bound(bound) == []
    assert unsupported_bound(replace(bound, steps=steps))


def test_a_sharp_bound_needs_each_of_its_steps_and_its_case() -> None:
    bound = sharp()
    for rule in ("psd-root", "cauchy-schwarz", "square-root", "quotient"):
        assert unsupported_bound(replace(bound, steps=tuple(s for s in bound.steps if s.rule != rule))), rule
    apart = {"d": 2, "W": [["1", "0"], ["0", "-1"]], "Sigma": [["1", "0"], ["0", "1"]]}
    assert unsupported_bound(replace(bound, attained=apart))
    assert unsupported_bound(replace(bound, square=Ratio.from_expr(2 * d)))


# -- inequalities


@pytest.mark.parametrize(
    "upper",
    ["Max(Abs(X), Abs(Y), Abs(X - Y))", "Max(Abs(X - Y), Abs(Y), Abs(X))", "Max(Abs(X), Abs(Y), Abs(Y - X))"],
)
def test_the_proved_bound_in_any_order_is_proved(upper: str) -> None:
    outcome = bounded(upper)
    assert outcome.status == "proved"
    assert not outcome.corrections and not outcome.false_quantities


@pytest.mark.parametrize(
    "upper",
    [
        "Abs(X - Y)",
        "Abs(X - Y)/2",
        "0",
        "-Max(Abs(X), Abs(Y), Abs(X - Y))",
        "Max(Abs(X), Abs(Y), Abs(X - Y))/2",
        "Abs(X)/2",
    ],
)
def test_a_bound_that_is_exceeded_at_a_point_is_disproved(upper: str) -> None:
    outcome = bounded(upper)
    assert (outcome.status, outcome.false_quantities) == ("disproved", ("upper",))
    assert outcome.corrections == {"upper": proved().upper}
    assert any("exceeded at" in line for line in outcome.evidence)


@pytest.mark.parametrize("upper", ["Abs(X) + Abs(Y) + Abs(X - Y)", "Abs(X) + Abs(Y)", "Abs(X - Y) + Abs(X) + 1"])
def test_a_bound_above_is_not_disproved(upper: str) -> None:
    """True, but not the proved one: proved only where it is seen to be above, and never disproved."""
    assert bounded(upper).status in ("undecided", "proved")
    assert bounded(f"2*({proved().upper})").status != "disproved"


def test_a_bound_that_no_point_tells_from_the_true_one_is_left_open() -> None:
    """False at X = -Y, which is none of the derivation's points."""
    assert bounded("Max(Abs(X), Abs(Y))").status == "undecided"


def test_a_multiple_of_a_bound_that_may_be_negative_is_no_weaker_bound() -> None:
    """2 u >= u for u >= 0 only; here the bound is a name of either sign."""
    from theorems.kernel.bounds import _weaker

    assert not _weaker(2 * X, X, ())
    assert not _weaker(sp.Integer(-4), sp.Integer(-2), ())
    assert not _weaker(X / 2, X, ())
    # the largest of names of either sign may be negative
    assert not _weaker(2 * sp.Max(X, Y), sp.Max(X, Y), ())
    assert _weaker(2 * sp.Max(sp.Abs(X), Y), sp.Max(sp.Abs(X), Y), ())


@pytest.mark.parametrize("upper", ["d**3", "d**4"])
def test_a_number_that_is_called_d_is_no_dimension(upper: str) -> None:
    """d^4 is below d^2 for d = 1/2: only a dimension is >= 1."""
    from theorems.kernel.bounds import _weaker

    printed, bound = parse(upper), parse("d**2")
    assert _weaker(printed, bound, ()) and not _weaker(printed, bound, ("p", "d"))
    norms = replace(by_id()["bao2024.sec5.eq7-second"], printed={"upper": "d*frobenius_W"})
    assert settle(norms, derive(norms.id)).status == "proved"


def test_an_inequality_is_the_conclusion_of_its_last_step() -> None:
    bound = proved()
    assert unsupported_inequality(bound) == []
    (step,) = bound.steps
    other = Step("slope", "", (X**2, "X", 2 * X))
    for wrong in (
        replace(bound, steps=()),
        replace(bound, steps=(other,)),
        replace(bound, steps=(step, other)),
        replace(bound, upper=bound.upper / 2),
        replace(bound, upper=sp.Abs(X - Y)),
        replace(bound, quantity=bound.quantity * 2),
        replace(bound, quantity=sp.Abs(X)),
    ):
        assert unsupported_inequality(wrong)
        assert bounded(str(bound.upper), wrong).status == "undecided"


def test_an_unlicensed_inequality_is_undecided() -> None:
    """The triangle bound with a corner left out: its step is not licensed, so that neither print is judged by it."""
    bound = proved()
    (step,) = bound.steps
    upper = sp.Max(sp.Abs(X), sp.Abs(X - Y))
    false = replace(bound, upper=upper, steps=(replace(step, data=(step.data[0], upper, *step.data[2:])),))
    assert not licensed(false.steps[0])
    for printed in (str(upper), "Abs(X - Y)"):
        assert bounded(printed, false).status == "undecided"


def test_the_points_of_the_inequalities_are_admissible_and_nearly_sharp() -> None:
    """0 <= theta <= 1 and xi, eta > 0; the quantity never exceeds the proved bound there."""
    for name in (INEQUALITY, FINAL):
        bound = proved(name)
        for point in bound.points:
            case = Case(point)
            value, upper = (float(case.evaluate(e)) for e in (bound.quantity, bound.upper))
            assert 0 < value <= upper
            if name == FINAL:
                numbers = case.scalars
                assert 0 <= numbers["theta"] <= 1 and numbers["xi"] > 0 and numbers["eta"] > 0
            else:
                assert value > 0.6 * upper


def test_the_quantity_of_the_final_bound_is_the_derived_slope() -> None:
    """What is bounded is the absolute value of the conclusion of the slope step, as no other step says."""
    bound = proved(FINAL)
    (slope,) = [step.data[2] for step in bound.steps if step.rule == "slope"]
    assert bound.quantity == sp.Abs(slope, evaluate=False)
    half = replace(bound, quantity=sp.Abs(slope / 2, evaluate=False), upper=bound.upper / 2)
    last = bound.steps[-1]
    parts = tuple((c, t / 2) for c, t in last.data[2])
    half = replace(
        half, steps=(*bound.steps[:-1], replace(last, data=(half.quantity, half.upper, parts, *last.data[3:])))
    )
    assert licensed(half.steps[-1])
    # the bound of half the slope, handed in as that of the slope
    assert unsupported_inequality(half), "the quantity is not tied to the steps before the last one"


def test_a_print_that_is_stated_by_its_definitions() -> None:
    """The definitions of a claim are put into a printed bound, as they are into an equality."""
    bound = proved()
    statement = replace(
        by_id()[INEQUALITY], printed={"upper": "Max(Abs(X), Abs(Y), gap)"}, definitions={"gap": "Abs(X - Y)"}
    )
    assert settle(statement, Derived({"": bound}, bound.steps)).status == "proved"
    assert parse("gap") == symbol("gap")


def test_a_parameter_named_like_a_norm_is_any_number() -> None:
    from theorems.kernel.bounds import _weaker

    spread = symbol("spread_left")
    assert _weaker(2 * spread, spread, ())
    assert not _weaker(2 * spread, spread, ("spread_left",))


def test_a_bound_holds_for_the_names_that_the_claim_allows() -> None:
    """d sqrt(d tr2)/4 is no bound for d < 4: what a derivation says of the least d is asked of the claim."""
    statement, found = by_id()["bao2024.sec4.eq5"], derive("bao2024.sec4.eq5")
    (bound,) = found.quantities.values()
    assert isinstance(bound, SharpBound)
    unit = [[str(int(r == c)) for c in range(4)] for r in range(4)]
    large = replace(bound, at_least={"d": 4, "tr2": 0}, attained={"d": 4, "W": unit, "Sigma": unit})
    printed = {"upper": "sqrt(d*tr2)*d/4", "lower": "-sqrt(d*tr2)*d/4"}

    def status(of: SharpBound, *more: str) -> str:
        claim = replace(statement, printed=printed, assumptions=(*statement.assumptions, *more))
        return settle(claim, Derived({"": of}, found.steps)).status

    assert (status(bound), status(large), status(large, "d >= 4")) == ("disproved", "undecided", "proved")


def test_what_grows_is_compared_for_the_names_that_the_claim_allows() -> None:
    statement, found = by_id()["bao2024.sec5.eq9"], derive("bao2024.sec5.eq9", parameters=("T", "nu"))
    assert settle(statement, found).status == "disproved"
    free = replace(statement, assumptions=tuple(one for one in statement.assumptions if one != "nu >= 0"))
    assert settle(free, found).evidence == ["not assumed: nu >= 0"]


def test_a_bound_is_attained_where_the_claim_speaks() -> None:
    statement, bound = by_id()[RANGE], sharp()
    assert settle(
        replace(statement, conditions=("d >= 2", "tr2 <= 1")), Derived({"": bound}, bound.steps)
    ).evidence == [f"{bound.attained} is no case of the claim"]


def test_a_point_that_the_claim_does_not_assume_disproves_nothing() -> None:
    """1 + theta (1 - theta) is below 1 for theta = 5, of which a claim about 0 <= theta <= 1 says nothing."""
    statement, bound = by_id()[FINAL], proved(FINAL)
    far = replace(bound, points=({"theta": "5", "xi": "1/64", "eta": "4"},))
    printed = {"upper": f"({bound.upper})*(1 + theta*(1 - theta))"}

    def status(*assumptions: str) -> str:
        claim = replace(statement, printed=printed, assumptions=assumptions)
        return settle(claim, Derived({"": far}, ())).status

    assert status(*statement.assumptions) == "undecided"
    assert status("0 <= theta", "xi, eta > 0") == "disproved"


@pytest.mark.parametrize("more", ["2*out_norm <= eps", "sink_margin >= 1", "score_gap != 0"])
def test_a_further_hypothesis_may_exclude_equality(more: str) -> None:
    """|out| = eps is met by no two keys with 2 |out| <= eps: what bounds the gap then is not attained."""
    claim = by_id()["lampert2026.sec6.switch-implies-sink"]
    derived = derive(claim.id)
    (bound,) = derived.quantities.values()
    assert isinstance(bound, Inequality) and settle(claim, derived).status == "proved"
    last = bound.steps[-1]
    told = Step(last.rule, last.text, (*last.data[:2], (*last.data[2], more), *last.data[3:]))
    narrowed = replace(bound, steps=(*bound.steps[:-1], told))
    found = settle(
        replace(claim, conditions=(*claim.conditions, more)), Derived({"upper": narrowed}, narrowed.steps, None)
    )
    assert found.status == "undecided"
