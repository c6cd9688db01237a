"""Section 4 and Lemma 2: statuses, and every derived value against quadrature, differences or exact arithmetic.

No printed formula is typed in: prints are read from the statements.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy as sp

from proofs_check.claims.pairing import Pair
from theorems.algebra.closed import vanishes
from theorems.algebra.expressions import parse, symbol
from theorems.bao2024 import localisation
from theorems.bao2024.localisation import limits
from theorems.claims.catalogue import by_id
from theorems.gaussian.numeric import Case
from theorems.gaussian.process import Moment, Step
from theorems.kernel import deriving
from theorems.kernel.derivation import Derived, Expected, Fact, Inequality, SharpBound
from theorems.kernel.derivation import fact as fact_of
from theorems.kernel.deriving import derive, registered
from theorems.kernel.limits import Limit
from theorems.kernel.settle import settle

SEC4, APPC = "bao2024.sec4.", "bao2024.appC."
STATUS = {
    SEC4 + "gaussian-rho": ("proved", ()),
    SEC4 + "eq6": ("disproved", ("variance", "rho")),
    SEC4 + "xi-eta-range": ("proved", ()),
    SEC4 + "fig2-eta": ("disproved", ("eta", "variance")),
    SEC4 + "fig3-eta": ("disproved", ("eta",)),
    SEC4 + "lemma2-1": ("disproved", ("rho",)),
    SEC4 + "lemma2-2": ("disproved", ("rho",)),
    SEC4 + "lemma2-3": ("disproved", ("slope",)),
    SEC4 + "lemma2-4": ("proved", ()),
    SEC4 + "a1-uniform": ("disproved", ("slope", "variance")),
    APPC + "lemma2-derivative": ("disproved", ("slope",)),
    APPC + "lemma2-inequality": ("disproved", ("upper",)),
    APPC + "lemma2-final-bound": ("disproved", ("upper",)),
}
theta, xi, eta = (symbol(name) for name in ("theta", "xi", "eta"))
#: theta, xi, eta: both signs of xi, small and large eta.
PLACES = [("1/4", "1", "1"), ("1/2", "-3", "1/2"), ("7/8", "2", "4"), ("1", "-1/2", "2"), ("0", "5", "1/4")]


@cache
def derived(claim: str, second_route: bool = False) -> Derived:
    statement = by_id()[claim]
    return derive(claim, statement.positions, parameters=statement.parameters, second_route=second_route)


def definitions(claim: str) -> dict[str, sp.Expr]:
    return {name: parse(text) for name, text in by_id()[claim].definitions.items()}


def number(expression: sp.Expr, point: dict[str, Any]) -> Any:
    """An expression's value by mpmath, at the working precision."""
    names = sorted(s.name for s in expression.free_symbols)
    values = [mpmath.mpf(Fraction(point[n]).numerator) / Fraction(point[n]).denominator for n in names]
    return mpmath.mpf(sp.lambdify([symbol(n) for n in names], expression, "mpmath")(*values))


def chance(mean: Any, variance: Any) -> Any:
    """P(0 <= N(mean, variance) <= 1) by quadrature of the density."""

    def density(x: Any) -> Any:
        return mpmath.exp(-((x - mean) ** 2) / (2 * variance)) / mpmath.sqrt(2 * mpmath.pi * variance)

    inside = min(max(mean, mpmath.mpf(0)), mpmath.mpf(1))
    width = mpmath.sqrt(variance)
    ends = sorted({mpmath.mpf(0), mpmath.mpf(1), *(min(max(inside + k * width, 0), 1) for k in (-8, -2, 0, 2, 8))})
    return mpmath.quad(density, ends)


def rho_of(mean: sp.Expr, variance: sp.Expr, point: dict[str, Any]) -> Callable[[Any], Any]:
    """theta -> P(0 <= N(mean, variance) <= 1) by quadrature at xi and eta of the point."""
    moments = [sp.lambdify([theta, xi, eta], e, "mpmath") for e in (mean, variance)]
    rest = [mpmath.mpf(Fraction(point[n]).numerator) / Fraction(point[n]).denominator for n in ("xi", "eta")]
    return lambda t: chance(*(moment(t, *rest) for moment in moments))


# -- statuses


@pytest.mark.parametrize("claim", sorted(STATUS))
def test_statuses(claim: str) -> None:
    outcome = settle(by_id()[claim], derived(claim))
    assert (outcome.status, outcome.false_quantities) == STATUS[claim], outcome.method
    assert outcome.steps and all(step.ok for step in outcome.steps)
    assert bool(outcome.corrections) == (outcome.status == "disproved")


# -- values


def test_rho_of_a_normal_law() -> None:
    """Against quadrature for means in, at and beyond [0, 1]."""
    quantity = next(iter(derived(SEC4 + "gaussian-rho").quantities.values()))
    assert isinstance(quantity, Expected)
    for mean, variance in (("1/2", "1"), ("0", "1/16"), ("-1", "2"), ("3", "1/4"), ("1", "9")):
        point = {"mu": mean, "v": variance}
        with mpmath.workdps(20):
            exact = chance(*(mpmath.mpf(Fraction(v).numerator) / Fraction(v).denominator for v in (mean, variance)))
            assert abs(number(quantity.mean, point) - exact) < 1e-14
    # an indicator: its square has the same expectation
    assert quantity.second == quantity.mean


def test_the_limits_of_mean_and_variance_in_units_of_xi_and_eta() -> None:
    """By summing the walk's covariances at T = 40 and 80 and extrapolating in 1/T; W = 1 and d = 1."""
    mean, variance, _ = limits()

    def finite(T: int, place: Fraction) -> tuple[Fraction, Fraction]:
        """gamma^T K with K(s, t) = min(s, t), x_T and y = sum gamma_s x_s: E[x y] and Var[x y] = K_xx K_yy + K_xy^2."""
        i = int(place * T)
        weights = [Fraction(int(s == i), T) - Fraction(1, T * T) for s in range(1, T + 1)]
        cross = sum((w * s for s, w in enumerate(weights, 1)), Fraction(0))
        own = sum((a * b * min(s, t) for s, a in enumerate(weights, 1) for t, b in enumerate(weights, 1)), Fraction(0))
        return cross, own * T + cross**2

    for place in (Fraction(1, 4), Fraction(1, 2), Fraction(1)):
        near, far = finite(16, place), finite(32, place)
        for k, formula in enumerate((mean, variance)):
            limit = Fraction(str(formula.subs({xi: 1, eta: 1, theta: sp.Rational(place.numerator, place.denominator)})))
            # the remainder is a multiple of 1/T and of 1/T^2
            assert abs(2 * far[k] - near[k] - limit) < Fraction(1, 60)
            assert abs(far[k] - limit) < Fraction(1, 8)


@pytest.mark.parametrize("place", PLACES, ids=str)
def test_rho_by_quadrature(place: tuple[str, str, str]) -> None:
    """The derived rho(theta) with the derived moments, and the one that Lemma 2 defines."""
    point = dict(zip(("theta", "xi", "eta"), place, strict=True))
    mean, variance, _ = limits()
    printed, limit = definitions(SEC4 + "lemma2-1"), derived(SEC4 + "lemma2-1").quantities["rho"]
    assert isinstance(limit, Limit) and isinstance(limit.finite, sp.Expr)
    rhos = {
        derived(SEC4 + "eq6").ratio("rho").expr: (mean, variance),
        limit.finite: (printed["mean"], printed["variance"]),
    }
    for formula, moments in rhos.items():
        with mpmath.workdps(20):
            exact = rho_of(*moments, point)(mpmath.mpf(Fraction(place[0]).numerator) / Fraction(place[0]).denominator)
            assert abs(number(formula, point) - exact) < 1e-13
    assert len(rhos) == 2


@pytest.mark.parametrize("place", PLACES[:4], ids=str)
@pytest.mark.parametrize("claim", [APPC + "lemma2-derivative", APPC + "lemma2-final-bound"])
def test_slopes_by_differences_of_quadrature(claim: str, place: tuple[str, str, str]) -> None:
    point = dict(zip(("theta", "xi", "eta"), place, strict=True))
    table = definitions(claim)
    quantity = next(iter(derived(claim).quantities.values()))
    formula = quantity.quantity if isinstance(quantity, Inequality) else quantity.ratio.expr  # type: ignore[union-attr]
    with mpmath.workdps(25):
        at = mpmath.mpf(Fraction(place[0]).numerator) / Fraction(place[0]).denominator
        slope = mpmath.diff(rho_of(table["mean"], table["variance"], point), at, h=mpmath.mpf(10) ** -7)
        wanted = abs(slope) if isinstance(quantity, Inequality) else slope
        assert abs(number(formula, point) - wanted) < mpmath.mpf(10) ** -9
        # the print, read from the statement, is another number
        printed = number(parse(next(iter(by_id()[claim].printed.values()))), point)
        if not isinstance(quantity, Inequality):
            assert abs(printed - slope) > 1e-3


@pytest.mark.parametrize("claim", [SEC4 + "lemma2-3", SEC4 + "a1-uniform"])
def test_slopes_at_xi_0(claim: str) -> None:
    """The limit as xi -> 0 from values nearby, and at tr(W) = 0, by differences of quadrature."""
    mean, variance, _ = limits()
    table = definitions(claim) or {"mean": mean, "variance": variance}
    formula = derived(claim).ratio("slope").expr
    assert "xi" not in {s.name for s in formula.free_symbols}
    for t, e in (("1/4", "1"), ("1", "2"), ("5/8", "1/2")):
        point = {"theta": t, "eta": e, "xi": "1/1000000000"}
        with mpmath.workdps(25):
            at = mpmath.mpf(Fraction(t).numerator) / Fraction(t).denominator
            slope = mpmath.diff(rho_of(table["mean"], table["variance"], point), at, h=mpmath.mpf(10) ** -7)
            assert abs(number(formula, point) - slope) < 1e-8
            assert abs(slope) > 1e-3 or claim == SEC4 + "a1-uniform"


def test_the_derived_slope_vanishes_at_the_middle_alone() -> None:
    """At tr(W) = 0 the derived variance is even about theta = 1/2, so rho has one flat place, not all of them."""
    formula = derived(SEC4 + "a1-uniform").ratio("slope").expr
    assert sp.simplify(formula.subs(theta, sp.Rational(1, 2))) == 0
    for t in ("1/4", "3/4", "1"):
        assert abs(number(formula, {"theta": t, "eta": "1"})) > 1e-2


def test_eta_of_figure_2() -> None:
    """With xi = tr1/sqrt(tr2), xi eta is the slope of the mean, and the variance goes like eta^2."""
    found = derived(SEC4 + "fig2-eta")
    tr1, tr2, lam = (symbol(name) for name in ("tr1", "tr2", "lam"))
    value = found.ratio("eta").expr
    moment = derive(SEC4 + "lemma1-mean", ("i", "T")).quantities["mean"]
    assert isinstance(moment, Moment)
    mean = moment.limit(i="theta*T").limit.expr
    assert vanishes(tr1 / sp.sqrt(tr2) * value - sp.diff(mean, theta))
    ratio = sp.cancel(found.ratio("variance").expr / found.ratio("variance_ref").expr)
    assert sp.simplify(ratio - (value**2).subs(tr2, 1)) == 0
    printed = parse(by_id()[SEC4 + "fig2-eta"].definitions["scale"])
    # equal at lambda = 1 only
    assert sp.simplify((printed - value).subs(lam, 1)) == 0
    assert sp.simplify((printed - value).subs(lam, 2)) != 0


def test_eta_of_figure_3() -> None:
    """xi eta/xi for both curves that the caption pairs: one number, and not the printed one."""
    table = {name: Fraction(str(value)) for name, value in definitions(SEC4 + "fig3-eta").items()}
    wanted = table["product"] / table["xi"]
    assert wanted == table["other_product"] / table["other_xi"]
    (fact,) = derived(SEC4 + "fig3-eta").quantities.values()
    assert isinstance(fact, Fact)
    assert Fraction(str(fact.ratio.expr)) == wanted
    assert Fraction(by_id()[SEC4 + "fig3-eta"].printed["eta"]) != wanted


def test_the_range_of_xi() -> None:
    (bound,) = derived(SEC4 + "xi-eta-range").quantities.values()
    assert isinstance(bound, SharpBound)
    case = Case(bound.attained)
    assert case.value("tr1") ** 2 == case.value("tr2") * Fraction(str(case.evaluate(bound.square.expr)))


@pytest.mark.parametrize("claim", [SEC4 + "lemma2-1", SEC4 + "lemma2-2", SEC4 + "lemma2-4"])
@pytest.mark.parametrize("what", ["rho", "rho@rho with the derived variance"])
def test_limits_far_along_sequences(claim: str, what: str) -> None:
    """The finite formula by mpmath, two rates of approach, at exact points of every sign."""
    limit = derived(claim).quantities[what]
    assert isinstance(limit, Limit) and isinstance(limit.finite, sp.Expr)
    statement = by_id()[claim]
    k = 40
    sequence = {name: parse(form) for name, form in statement.regime.items()}
    tried = 0
    for t in ("0", "1/8", "3/8", "1/2", "5/8", "3/4", "1"):
        for first in statement.ranges.get("r", ("0",)):
            for s in ("0", "1", "-1"):
                point: dict[str, Any] = {"theta": t, "r": first, "s": s, "k": k, "xi": "2"}
                if first == "0" and s != "1" and claim.endswith("1"):
                    continue
                exact = {symbol(n): sp.Rational(v) for n, v in point.items()}
                point |= {name: Fraction(str(form.xreplace(exact))) for name, form in sequence.items()}
                value = limit.limit_at({n: Fraction(v) for n, v in point.items()})
                if value is None:
                    continue
                tried += 1
                with mpmath.workdps(60):
                    assert abs(number(limit.finite, point) - mpmath.mpf(str(sp.N(value, 20)))) < 1e-5
    assert tried >= 7


def test_where_the_limit_depends_on_the_sequence_it_does() -> None:
    """(theta - 1/2) r = 1 at theta = 3/4, r = 4: with s = 0, 1, -1 the values stay apart."""
    for claim, side, at in ((SEC4 + "lemma2-1", 1, "3/4"), (SEC4 + "lemma2-2", -1, "1/4")):
        limit = derived(claim).quantities["rho"]
        assert isinstance(limit, Limit) and isinstance(limit.finite, sp.Expr)
        place = {"theta": Fraction(at), "r": Fraction(4 * side)}
        assert limit.limit_at(place) is None
        with mpmath.workdps(60):
            values = [
                number(
                    limit.finite,
                    {"theta": at, "xi": side * (4 + Fraction(s, 2**60)) * 4**60, "eta": Fraction(1, 4**60)},
                )
                for s in (-1, 0, 1)
            ]
        assert [round(float(v), 3) for v in values] == [1.0, 0.5, 0.0]


def test_the_exact_law_of_the_walk() -> None:
    """Values before the limit against 20000 walks of 32 tokens by numpy, softmax linearised by hand; 5 sigma."""
    generator = np.random.default_rng(11)
    T, n = 32, 20_000
    for size, up, down in ((Fraction(1, 2), 1, 1), (Fraction(1, 4), 3, 1), (Fraction(1), 0, 1)):
        signs = np.array([1.0] * up + [-1.0] * down) * float(size)
        walk = generator.standard_normal((n, T, up + down)).cumsum(axis=1)
        scores = np.einsum("ntd,d,nd->nt", walk, signs, walk[:, -1])
        for t in ("1/4", "1/2", "1"):
            i = int(Fraction(t) * T)
            values = scores[:, i - 1] / T - scores.sum(axis=1) / T**2 + 1 / T
            part = float(((values >= 0) & (values <= 1)).mean())
            place = {"size": size, "up": Fraction(up), "down": Fraction(down), "theta": Fraction(t)}
            value = float(localisation.exact_rho(place))
            assert abs(value - part) < 5 * (0.25 / n) ** 0.5
    with pytest.raises(ValueError, match="is no token"):
        localisation.exact_rho(place | {"theta": Fraction(1, 3)})


def test_the_spectra_of_the_cases_realise_xi_and_eta() -> None:
    """size (up - down) = xi eta and size^2 (up + down) = eta^2, at every case of the strata."""
    for claim in (SEC4 + "lemma2-1", SEC4 + "lemma2-2", SEC4 + "lemma2-4"):
        statement = by_id()[claim]
        for stratum in statement.strata:
            raw = {name: stratum.get(name, statement.ranges[name])[-1] for name in statement.parameters}
            case = Pair(statement).exact(raw).scalars
            assert case["size"] * (case["up"] - case["down"]) == case["xi"] * case["eta"]
            assert case["size"] ** 2 * (case["up"] + case["down"]) == case["eta"] ** 2
            assert min(case["up"], case["down"]) >= 0 and case["up"].denominator == case["down"].denominator == 1


# -- second routes


@pytest.mark.parametrize(
    "claim", [SEC4 + "lemma2-3", SEC4 + "a1-uniform", APPC + "lemma2-derivative", SEC4 + "eq6", SEC4 + "fig2-eta"]
)
def test_second_routes_agree_with_the_first(claim: str) -> None:
    one, other = derived(claim), derived(claim, True)
    assert one.quantities.keys() == other.quantities.keys()
    for name in one.quantities:
        assert vanishes(one.ratio(name).expr - other.ratio(name).expr), name
    rules = [{step.rule for step in found.steps} for found in (one, other)]
    assert rules[0] != rules[1], "the second route is the first one again"
    if claim in (SEC4 + "lemma2-3", APPC + "lemma2-derivative"):
        assert "slope" in rules[0] and "heat-flow" in rules[1] and "slope" not in rules[1]
    assert settle(by_id()[claim], other).status == STATUS[claim][0]


# -- definitions and planted faults


def test_a_variance_without_theta_turns_part_3_into_a_theorem(monkeypatch: pytest.MonkeyPatch) -> None:
    """The definitions are handed to the derivation: with a constant variance the slope does tend to 0."""
    claim = SEC4 + "lemma2-3"
    changed = replace(by_id()[claim], definitions=dict(by_id()[claim].definitions) | {"variance": "7/12*eta**2"})
    table = by_id() | {claim: changed}
    monkeypatch.setattr(deriving, "by_id", lambda: table)
    outcome = settle(changed, derive(claim, parameters=changed.parameters))
    assert (outcome.status, outcome.corrections) == ("proved", {})


def test_a_statement_hands_its_own_definitions_to_its_derivation() -> None:
    """A changed copy of a statement is judged by its own definitions on both sides, not by the catalogue's."""
    claim = SEC4 + "lemma2-3"
    changed = replace(by_id()[claim], definitions=dict(by_id()[claim].definitions) | {"variance": "7/12*eta**2"})
    assert settle(changed, Pair(changed).derived()).status == "proved"


def test_the_printed_and_the_derived_definitions_differ() -> None:
    mean, variance, _ = limits()
    for claim in (SEC4 + "lemma2-1", SEC4 + "lemma2-3", APPC + "lemma2-derivative"):
        table = definitions(claim)
        assert vanishes(table["mean"] - mean)
        assert not vanishes(table["variance"] - variance)


@pytest.mark.parametrize("fault", ["coefficient", "sign", "variable"])
def test_a_planted_step_leaves_the_derivative_undecided(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    claim = APPC + "lemma2-derivative"
    honest = localisation.slope_of

    def planted(mean: sp.Expr, variance: sp.Expr, second_route: bool = False) -> tuple[sp.Expr, tuple[Step, ...]]:
        slope, steps = honest(mean, variance, second_route)
        wrong = {"coefficient": 2 * slope, "sign": -slope, "variable": slope.xreplace({theta: 1 - theta})}[fault]
        last = steps[-1]
        return wrong, (*steps[:-1], replace(last, data=tuple(wrong if part is slope else part for part in last.data)))

    monkeypatch.setattr(localisation, "slope_of", planted)
    statement = by_id()[claim]
    found = derive(claim, parameters=statement.parameters)
    for printed in (statement.printed, {"slope": str(found.ratio("").expr)}):
        outcome = settle(replace(statement, printed=printed), found)
        assert outcome.status == "undecided"
        assert not outcome.corrections


def test_a_value_beside_its_steps_is_undecided() -> None:
    """registered() with a coefficient that no step concludes."""
    claim = APPC + "lemma2-derivative"
    honest = deriving.find(claim)

    def doubled(mean: sp.Expr, variance: sp.Expr, second_route: bool) -> Fact:
        fact = honest(mean, variance, second_route)
        return fact_of(2 * fact.ratio.expr, fact.steps, fact.method)

    with registered(claim, doubled):
        outcome = settle(by_id()[claim], derive(claim, parameters=by_id()[claim].parameters))
    assert outcome.status == "undecided"
    assert "is not the conclusion" in outcome.evidence[0]


def test_the_limits_are_cut_off_from_the_print() -> None:
    """No derivation of the section reads a printed formula: they run with every print sealed."""
    for claim in STATUS:
        assert derived(claim).steps
