"""Trusted rules about exchangeable tokens: moments, slopes, and when energies and their ratio rise or fall.

D(l) = E|Y_i(l)|^2 and N(l) = E[Y_i(l)^T Y_j(l)], R = N/D. Steps that build on others carry them in their data and are
licensed only where those are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy as sp

from theorems.algebra.expressions import same, symbol
from theorems.claims.conditions import read
from theorems.gaussian.exchangeable import Vector, moment, moment_by_deviations, output, token
from theorems.rules import CONCLUSION, EQUIVALENCES, Rule, licensed_by, rule

LEVEL = symbol("l")
Conditions = tuple[str, ...]
#: What the rules about levels need of a claim: with one token 1 - 1/k is 0, and D is constant.
TOKENS = ("k >= 2",)
#: What the rules about R need besides: S = E|sum_i Y_i|^2/k > 0, so that D >= S/k > 0.
ENERGY = (*TOKENS, "sum_energy > 0")


@rule("exchangeable-moment")
def exchangeable_moment(one: Vector, two: Vector, value: sp.Expr) -> bool:
    """The value of E[y^T z] for every exchangeable law: computed by pairs of tokens and by deviations from the mean."""
    return bool(moment(one, two) == moment_by_deviations(one, two) == sp.expand(value))


@rule("level-slope")
def level_slope(energy: Any, level: sp.Expr, value: sp.Expr) -> bool:
    """D'(l) = d/dl E|Y_i(l)|^2 at a level."""
    return _is_energy(energy) and same(sp.diff(energy.data[2], LEVEL).xreplace({LEVEL: level}), value)


@rule("energy-cone")
def energy_cone(linear: sp.Expr, square: sp.Expr) -> bool:
    """tr(B W^T W) >= 0, and tr(B W) = 0 where it is 0.

    With u = z_i - z_j the square is E|W u|^2/2 and the linear one E[u^T W u]/2, computed by both routes. Trusted: the
    mean of a square is not negative, and where it is 0, W u = 0 almost surely.
    """
    gap = token("i") + token("j").times(sp.Integer(-1))
    moved = gap.mapped()
    squares = moment(moved, moved) == moment_by_deviations(moved, moved) == sp.expand(2 * square)
    return bool(squares and moment(gap, moved) == moment_by_deviations(gap, moved) == sp.expand(2 * linear))


@rule("energy-balance")
def energy_balance(energy: Any, cross: Any) -> bool:
    """D(l) + (k - 1) N(l) = E|sum_i Y_i|^2/k does not depend on l: what D loses, N gains."""
    if not (_is_energy(energy) and _is_moment(cross)):
        return False
    if cross.data[:2] != (output("i", LEVEL), output("j", LEVEL)):
        return False
    k = symbol("k")
    return same(sp.diff(energy.data[2] + (k - 1) * cross.data[2], LEVEL), sp.Integer(0))


def _is_moment(step: Any) -> bool:
    return licensed_by(step, ("exchangeable-moment",))


def _is_energy(step: Any) -> bool:
    """Whether a step is about D(l) = E|Y_i(l)|^2 of the setting, and no other vector."""
    return _is_moment(step) and tuple(step.data[:2]) == (output("i", LEVEL),) * 2


def _ends(energy: Any, cone: Any) -> tuple[sp.Expr, sp.Expr] | None:
    """e(0), e(1) with D'(l) = -c e(l), c > 0 and e(l) = e(1) + (1 - l) t2; None where the steps are others.

    c = 2 (1 - 1/k) > 0 for k >= 2, and t2 >= 0 by the cone.
    """
    if not _is_energy(energy) or not licensed_by(cone, ("energy-cone",)):
        return None
    slope = sp.diff(energy.data[2], LEVEL) / (-2 * (1 - 1 / symbol("k")))
    slope = sp.expand(sp.cancel(sp.together(slope)))
    last = sp.expand(slope.xreplace({LEVEL: sp.Integer(1)}))
    if not same(slope, last + (1 - LEVEL) * cone.data[1]):
        return None
    return slope.xreplace({LEVEL: sp.Integer(0)}), last


def _are(conditions: Conditions, wanted: tuple[tuple[sp.Expr, tuple[int, ...]], ...]) -> bool:
    """Whether the conditions are these gaps with these signs, in this order."""
    found = [(sp.expand(gap), allowed) for gap, allowed in map(read, conditions)]
    return found == [(sp.expand(gap), allowed) for gap, allowed in wanted]


def _concludes(name: str, needs: Conditions = TOKENS) -> Callable[[Rule], Rule]:
    EQUIVALENCES.add(name)
    return rule(name, needs=needs)


@_concludes("slope-sign")
def slope_sign(name: str, conditions: Conditions, energy: Any, cone: Any) -> bool:
    """D strictly falls on [0, 1] iff e(1) >= 0 and e(0) > 0, strictly rises iff e(0) <= 0 and e(1) < 0.

    Trusted: a function with an affine slope is strictly monotone on a closed interval iff the slope keeps one sign at
    both ends and is not 0 at both; e(0) - e(1) = t2 >= 0 by the cone, so that the end e(0) is the larger.
    """
    ends = _ends(energy, cone)
    if ends is None:
        return False
    first, last = ends
    if name == "D decreasing":
        return _are(conditions, ((last, (0, 1)), (first, (1,))))
    return name == "D increasing" and _are(conditions, ((first, (-1, 0)), (last, (-1,))))


@_concludes("chord-sign")
def chord_sign(name: str, conditions: Conditions, energy: Any, cone: Any, chord: sp.Expr) -> bool:
    """The same by chords: D(m) - D(l) = -(1 - 1/k)(m - l) h(l + m), for l < m, with h affine on the open (0, 2).

    Trusted: an affine function is positive on an open interval iff it is >= 0 at both ends and not 0 at both; h(0) -
    h(2) = 2 (e(0) - e(1)) = 2 t2 >= 0 by the cone.
    """
    if _ends(energy, cone) is None:
        return False
    m, s = symbol("m"), symbol("s")
    if chord.free_symbols & {LEVEL, m}:
        return False
    D = energy.data[2]
    moved = chord.xreplace({s: LEVEL + m})
    if not same(D.xreplace({LEVEL: m}) - D, -(1 - 1 / symbol("k")) * (m - LEVEL) * moved):
        return False
    first, last = (sp.expand(chord.xreplace({s: sp.Integer(v)}) / 2) for v in (0, 2))
    if name == "D decreasing":
        return _are(conditions, ((last, (0, 1)), (first, (1,))))
    return name == "D increasing" and _are(conditions, ((first, (-1, 0)), (last, (-1,))))


@_concludes("ratio-of-energy", ENERGY)
def ratio_of_energy(name: str, conditions: Conditions, balance: Any, of_energy: Any) -> bool:
    """R = (S/D - 1)/(k - 1) with S = E|sum_i Y_i|^2/k > 0 fixed and D >= S/k > 0: R rises just where D falls.

    Trusted: D >= S/k, as N <= D by Cauchy-Schwarz.
    """
    if not licensed_by(balance, ("energy-balance",)) or not licensed_by(of_energy, ("slope-sign", "chord-sign")):
        return False
    turned = {"R increasing": "D decreasing", "R decreasing": "D increasing"}
    return of_energy.data[0] == turned.get(name) and tuple(conditions) == tuple(of_energy.data[1])


@_concludes("ends-compared", ENERGY)
def ends_compared(name: str, conditions: Conditions, balance: Any) -> bool:
    """R(1) > R(0) iff D(1) < D(0), R(1) < R(0) iff D(1) > D(0), as R = (S/D - 1)/(k - 1) with S > 0.

    Trusted: D >= S/k, as N <= D by Cauchy-Schwarz.
    """
    if not licensed_by(balance, ("energy-balance",)):
        return False
    D = balance.data[0].data[2]
    loss = D.xreplace({LEVEL: sp.Integer(0)}) - D.xreplace({LEVEL: sp.Integer(1)})
    loss = sp.expand(sp.cancel(sp.together(loss / (1 - 1 / symbol("k")))))
    signs = {"R(1) > R(0)": (1,), "R(1) < R(0)": (-1,)}
    return _are(conditions, ((loss, signs[name]),))


@_concludes("interior-maximum", ENERGY)
def interior_maximum(name: str, conditions: Conditions, balance: Any, cone: Any) -> bool:
    """R has exactly one maximum on [0, 1], in the open interval, iff e(0) > 0 and e(1) < 0.

    Trusted: D with the affine slope -c e has its only minimum where e changes from positive to negative; otherwise D is
    monotone or constant on [0, 1], and a maximum of R stands at an end; D >= S/k, as N <= D by Cauchy-Schwarz.
    """
    if not licensed_by(balance, ("energy-balance",)):
        return False
    ends = _ends(balance.data[0], cone)
    if ends is None:
        return False
    return name == "interior maximum" and _are(conditions, ((ends[0], (1,)), (ends[1], (-1,))))


@rule("level-root", needs=TOKENS)
def level_root(energy: Any, value: sp.Expr) -> bool:
    """The level at which the affine slope of D is 0: e(value) = 0, where e is not constant."""
    if not _is_energy(energy):
        return False
    return same(sp.diff(energy.data[2], LEVEL).xreplace({LEVEL: value}), sp.Integer(0))


CONCLUSION["exchangeable-moment"] = 2
CONCLUSION["level-slope"] = 2
CONCLUSION["level-root"] = 1
