"""Section 5, fragment [47]: when dense attention smooths exchangeable tokens more than sparse attention.

Y_i(l) = beta z_i + W((1 - l) z_i + l mean_j z_j), D(l) = E|Y_i(l)|^2, N(l) = E[Y_i(l)^T Y_j(l)], R = N/D.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import sympy as sp

from theorems.algebra.expressions import symbol
from theorems.gaussian import ensemble  # noqa: F401  (registers t1, t2 and the planned variances)
from theorems.gaussian.exchangeable import Weighted, moment, moment_by_deviations, output, weighted_moment
from theorems.gaussian.process import Step
from theorems.kernel.derivation import Equivalence, Expected, Fact, derivation, fact, remark
from theorems.rules.exchangeable import LEVEL

beta, k, t1, t2 = (symbol(name) for name in ("beta", "k", "t1", "t2"))
_ONE, _ZERO = sp.Integer(1), sp.Integer(0)


def _moment(first: str, second: str, second_route: bool = False) -> Step:
    """E[Y_first(l)^T Y_second(l)] as a checked step."""
    one, two = output(first, LEVEL), output(second, LEVEL)
    value = (moment_by_deviations if second_route else moment)(one, two)
    return Step("exchangeable-moment", f"E[Y_{first}^T Y_{second}] by the tokens' second moments", (one, two, value))


def _energy(second_route: bool = False) -> Step:
    return _moment("i", "i", second_route)


def _balance() -> Step:
    return Step(
        "energy-balance", "D + (k - 1) N = E|sum_i Y_i|^2/k, the same for every l", (_energy(), _moment("i", "j"))
    )


def _cone() -> Step:
    return Step("energy-cone", "t2 >= 0, and t1 = 0 where t2 = 0: B is positive semidefinite", (t1, t2))


def _slope(level: sp.Expr, planned: str) -> Expected:
    energy = _energy()
    value = sp.expand(sp.diff(energy.data[2], LEVEL).xreplace({LEVEL: level}))
    step = Step("level-slope", f"D'({level}) by differentiation", (energy, level, value))
    return Expected(value, value**2 + symbol(planned), (energy, step), "second moments of exchangeable tokens")


@derivation("lampert2026.sec5.dprime-1")
def dprime_1() -> Expected:
    """D'(1), for every exchangeable law with finite second moments."""
    return _slope(_ONE, "slope_variance_1")


@derivation("lampert2026.sec5.dprime-0")
def dprime_0() -> Expected:
    """D'(0), for every exchangeable law with finite second moments."""
    return _slope(_ZERO, "slope_variance_0")


def _plane(x: Fraction, y: Fraction) -> dict[str, Any] | None:
    """Two tokens (1, h), (-1, h) and a W for which beta t1 : t2 = x : y; None where no law has that.

    B = diag(2, 0), so that t1 = t2 = 2 and beta = x/y; W acts on the mean so that it stays (0, h), h large: N > 0.
    """
    if y < 0 or (y == 0 and x != 0):
        return None
    if y == 0:
        return {"tokens": [[["1", "2"], ["-1", "2"]]], "W": [["0", "0"], ["0", "0"]], "beta": "1"}
    slope = x / y
    high = str(int(abs(slope)) + 3)
    tokens = [[["1", high], ["-1", high]]]
    return {"tokens": tokens, "W": [["1", "0"], ["0", str(1 - slope)]], "beta": str(slope)}


#: W turns the plane by a right angle: tr(BW) = 0 and W is not 0.
_TURN = {"tokens": [[["1", "0"], ["-1", "0"]]], "W": [["0", "1"], ["-1", "0"]], "beta": "1"}
#: The same with a mean that is not 0.
_TURN_MEAN = {"tokens": [[["1", "2"], ["-1", "2"]]], "W": [["0", "1"], ["-1", "0"]], "beta": "1"}
#: Small tokens; W, unlike its transpose, takes their difference to 0: tr(BW) = tr(B W^T W) = 0.
_SHEAR = {"tokens": [[["1/4", "1/8"], ["-1/4", "1/8"]]], "W": [["0", "1"], ["0", "0"]], "beta": "1"}
#: W = -1 undoes a skip of weight 1: beta tr(BW) + tr(BW^TW) = 0.
_UNDO = {"tokens": [[["1"], ["-1"]]], "W": [["-1"]], "beta": "1"}


def _equivalence(name: str, conditions: tuple[str, ...], steps: tuple[Step, ...], method: str) -> Equivalence:
    """An equivalence in the coordinates (beta t1, t2), in which every claim of the fragment is stated."""
    points = (_TURN, _UNDO, _SHEAR) if name.startswith("D") else (_TURN_MEAN, _SHEAR)
    return Equivalence(name, conditions, points, steps, method, (beta * t1, t2), _plane)


#: D' is a negative multiple of e(l) = beta t1 + (1 - l) t2: what its ends say.
_FALLS = ("beta*t1 >= 0", "beta*t1 + t2 > 0")
_RISES = ("beta*t1 + t2 <= 0", "beta*t1 < 0")


def _monotone(name: str, second_route: bool) -> Equivalence:
    """When D strictly falls, or strictly rises, on [0, 1]: by its slope, or by its chords."""
    conditions = _FALLS if name == "D decreasing" else _RISES
    energy, cone = _energy(second_route), _cone()
    if second_route:
        m, s = symbol("m"), symbol("s")
        D = energy.data[2]
        chord = sp.cancel(sp.together((D - D.xreplace({LEVEL: m})) / ((1 - 1 / k) * (m - LEVEL))))
        chord = sp.expand(sp.expand(chord).xreplace({m: s - LEVEL}))
        step = Step("chord-sign", f"{name} by the sign of its chords", (name, conditions, energy, cone, chord))
        return _equivalence(name, conditions, (energy, cone, step), "chords of the energy")
    step = Step("slope-sign", f"{name} by the sign of its slope at 0 and 1", (name, conditions, energy, cone))
    return _equivalence(name, conditions, (energy, cone, step), "the slope of the energy at both ends")


@derivation("lampert2026.sec5.monotone-iff")
def monotone_iff(second_route: bool) -> dict[str, Equivalence]:
    """When D falls strictly on [0, 1], and when it rises strictly: by the sign of D' at both ends."""
    return {name: _monotone(name, second_route) for name in ("D decreasing", "D increasing")}


def _ratio(name: str, second_route: bool) -> Equivalence:
    """When R strictly rises, or strictly falls, on [0, 1]: just where D does the opposite."""
    of_energy = _monotone({"R increasing": "D decreasing", "R decreasing": "D increasing"}[name], second_route)
    balance = _balance()
    last = of_energy.steps[-1]
    step = Step("ratio-of-energy", f"{name} as D does the opposite", (name, of_energy.conditions, balance, last))
    return _equivalence(name, of_energy.conditions, (*of_energy.steps, balance, step), of_energy.method)


@derivation("lampert2026.sec5.dense-smooths-more")
def dense_smooths_more(second_route: bool) -> dict[str, Equivalence]:
    """R rises strictly on [0, 1] iff D falls strictly."""
    return {"R increasing": _ratio("R increasing", second_route)}


@derivation("lampert2026.sec5.dense-smooths-less")
def dense_smooths_less(second_route: bool) -> dict[str, Equivalence]:
    """R falls strictly on [0, 1] iff D rises strictly."""
    return {"R decreasing": _ratio("R decreasing", second_route)}


@derivation("lampert2026.sec5.uniform-vs-identity")
def uniform_vs_identity() -> dict[str, Equivalence | Fact]:
    """The sign of R(1) - R(0) is that of D(0) - D(1); the only interior extremum of R is where D' = 0."""
    balance, cone, energy = _balance(), _cone(), _energy()
    loss = "2*beta*t1 + t2"
    found: dict[str, Equivalence | Fact] = {}
    for name, sign in (("R(1) > R(0)", ">"), ("R(1) < R(0)", "<")):
        conditions = (f"{loss} {sign} 0",)
        step = Step("ends-compared", f"{name} by D(0) - D(1)", (name, conditions, balance))
        found[name] = _equivalence(name, conditions, (balance, cone, step), "the energy at both ends")
    name, inside = "interior maximum", ("beta*t1 + t2 > 0", "beta*t1 < 0")
    step = Step("interior-maximum", "D' changes sign once inside", (name, inside, balance, cone))
    found[name] = _equivalence(name, inside, (balance, cone, step), "the slope of the energy at both ends")
    slope = sp.diff(energy.data[2], LEVEL)
    (root,) = sp.solve(slope, LEVEL)
    place = sp.expand(root)
    found["place"] = fact(place, (energy, Step("level-root", "D' = 0 there", (energy, place))), "the zero of D'")
    return found


def attended(first: str, second: str, keep: sp.Expr = _ONE) -> sp.Expr:
    """E[Y_first^T Y_second] for Y_i = beta z_i + keep W sum_j a_ij z_j, any row-stochastic (a_ij).

    a_ii, a_ij, a_ji are entries and g_ii, g_ij = sum_m a_im a_jm products of rows, i = ``first`` and j = ``second``.
    """
    i, j = first, second
    one = Weighted(((beta, (), f"e_{i}"), (keep, ("W",), f"a_{i}")))
    two = Weighted(((beta, (), f"e_{j}"), (keep, ("W",), f"a_{j}")))
    products = {
        (f"e_{i}", f"e_{j}"): sp.Integer(i == j),
        (f"e_{i}", f"a_{j}"): symbol(f"a_{j}{i}"),
        (f"a_{i}", f"e_{j}"): symbol(f"a_{i}{j}"),
        (f"a_{i}", f"a_{j}"): symbol(f"g_{i}{j}"),
    }
    return weighted_moment(one, two, products)


@remark("lampert2026.sec5.uniform-vs-identity")
def any_attention() -> list[str]:
    """What the same moments give for any row-stochastic attention matrix, and for a sink whose value is 0."""
    own, cross = attended("i", "i"), attended("i", "j")
    identity = own.xreplace({symbol("a_ii"): _ONE, symbol("g_ii"): _ONE})
    gain = sp.collect(sp.expand(identity - own), [beta * t1, t2])
    kept = symbol("p")
    sunk = sp.expand(attended("i", "i", 1 - kept).xreplace({symbol("a_ii"): _ONE, symbol("g_ii"): _ONE}))
    uniform = attended("i", "i", 1 - kept).xreplace({symbol("a_ii"): 1 / k, symbol("g_ii"): 1 / k})
    loss = sp.factor(sp.expand(sunk - uniform))
    return [
        "any row-stochastic attention (a_ij), g_ij = sum_m a_im a_jm (causal masks included): "
        f"E|Y_i|^2 = {own}; E[Y_i^T Y_j] = {cross}",
        "doubly stochastic attention leaves sum_i Y_i as it is, so that it smooths more than the identity iff the mean "
        f"over i of {gain} is > 0: 2*beta*t1*(1 - tr(a)/k) + t2*(1 - |a|_F^2/k) > 0",
        "a sink with value 0 and weight p puts (1 - p) W in the place of W: the energy that uniform attention takes "
        f"from the identity becomes {loss}, which goes to 0 as p -> 1 and changes sign at p = 1 + 2*beta*t1/t2 "
        "where that lies in (0, 1)",
    ]
