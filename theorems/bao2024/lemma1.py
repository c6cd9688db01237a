"""Lemma 1: mean and variance of the linearised score, every line of its proof, and Remark 2."""

from __future__ import annotations

from theorems.algebra.ratio import Ratio
from theorems.bao2024.softmax import gamma, taylor
from theorems.gaussian.observables import Observable, W
from theorems.gaussian.process import Moment, Position, Process
from theorems.kernel.derivation import Derived, consequence, derivation


def score(walk: Process, i: Position, T: Position, lam: Ratio) -> Observable:
    """<gamma^i, omega> with omega = X^T W_QK x_T / lambda."""
    return walk.form(gamma(walk, i), W, T) / lam


@derivation("bao2024.sec2.remark2-selector")
def remark2(walk: Process, i: Position, T: Position, lam: Ratio) -> dict[str, Moment]:
    """Mean and variance of <gamma^i, omega>, and of omega_i / T, which Remark 2 puts in its place."""
    selected = walk.form(walk.token(i) / T, W, T) / lam
    full = score(walk, i, T, lam)
    return {
        "variance": walk.variance(full),
        "mean": walk.expect(full),
        "selector_variance": walk.variance(selected),
        "selector_mean": walk.expect(selected),
    }


@derivation("bao2024.sec4.lemma1-mean")
def mean(walk: Process, i: Position, T: Position, lam: Ratio) -> dict[str, Moment]:
    """E[<gamma^i, omega> + gamma_0^i], and the expectations in the first line of the printed proof."""
    return {
        "mean": walk.expect(score(walk, i, T, lam) + taylor()["offset"].ratio),
        "EiT": walk.expect(walk.form(i, W, T)),
        "sumEjT": walk.expect(walk.form(walk.tokens(upto=T), W, T)),
    }


@derivation("bao2024.sec4.lemma1-variance")
def variance(walk: Process, i: Position, T: Position, lam: Ratio) -> Moment:
    """Var[<gamma^i, omega> + gamma_0^i]."""
    return walk.variance(score(walk, i, T, lam) + taylor()["offset"].ratio)


def pair(walk: Process, a: Position, b: Position, T: Position) -> Moment:
    """E[x_a^T W_QK x_T x_b^T W_QK x_T]."""
    return walk.expect(walk.form(a, W, T) * walk.form(b, W, T))


@derivation("bao2024.appC.eq22")
def eq22(walk: Process, i: Position, j: Position, T: Position) -> dict[str, Moment]:
    """Eq. (22) for i <= j <= T, and the two expectations in its third line."""
    return {
        "pair": pair(walk, i, j, T),
        "EiWSWj": walk.expect(walk.form(i, (W, W), j)),
        "Eijjj": walk.expect(walk.form(i, W, j) * walk.form(j, W, j)),
    }


@derivation("bao2024.appC.lemma1-A")
def part_a(walk: Process, i: Position, T: Position) -> dict[str, Moment]:
    """(A) = E[(x_i^T W_QK x_T)^2]."""
    return {"A": pair(walk, i, i, T)}


@derivation("bao2024.appC.lemma1-B1")
def part_b1(walk: Process, i: Position, T: Position) -> dict[str, Moment]:
    """(B1) = 2 E[(x_i^T W_QK x_T)^2]."""
    return {"B1": 2 * pair(walk, i, i, T)}


@derivation("bao2024.appC.lemma1-B2")
def part_b2(walk: Process, i: Position, T: Position) -> dict[str, Moment]:
    """(B2) = 2 sum_{i < j <= T} E[x_i^T W_QK x_T x_j^T W_QK x_T]."""
    return {"B2": 2 * walk.sum(lambda j: pair(walk, i, j, T), above=i, upto=T)}


@derivation("bao2024.appC.lemma1-B3")
def part_b3(walk: Process, i: Position, T: Position) -> dict[str, Moment]:
    """(B3) = 2 sum_{j < i} E[x_i^T W_QK x_T x_j^T W_QK x_T]."""
    return {"B3": 2 * walk.sum(lambda j: pair(walk, i, j, T), below=i)}


@derivation("bao2024.appC.lemma1-C1")
def part_c1(walk: Process, T: Position) -> dict[str, Moment]:
    """(C1) = sum_j E[(x_j^T W_QK x_T)^2]."""
    return {"C1": walk.sum(lambda j: pair(walk, j, j, T), upto=T)}


@derivation("bao2024.appC.lemma1-C2")
def part_c2(walk: Process, T: Position) -> dict[str, Moment]:
    """(C2) = 2 sum_{j < k <= T} E[x_j^T W_QK x_T x_k^T W_QK x_T]."""
    return {"C2": 2 * walk.sum(lambda k: walk.sum(lambda j: pair(walk, j, k, T), below=k), upto=T)}


@derivation("bao2024.appC.lemma1-second-moment")
def second_moment(walk: Process, i: Position, T: Position) -> dict[str, Moment]:
    """E[<gamma^i, X^T W_QK x_T>^2], and the parts it is expanded into."""
    whole = walk.expect(walk.form(gamma(walk, i), W, T) ** 2)
    parts: dict[str, Moment] = {"second_moment": whole}
    for part in (part_a, part_b1, part_b2, part_b3):
        parts |= part(walk, i, T)
    with walk.over_all(i):
        parts |= part_c1(walk, T) | part_c2(walk, T)
    return parts


def _sum(value: Ratio, index: str, lower: Ratio, upper: Ratio) -> Ratio:
    """sum_{index = lower}^{upper} value."""
    closed = value.summed(index)
    return closed.substitute(index, upper) - closed.substitute(index, lower - 1)


@consequence("bao2024.sec4.lemma1-variance")
def second_moment_from(quantity: str, value: Ratio, derived: Derived) -> tuple[Ratio, Ratio]:
    """The second moment that follows when one line of the proof is taken as ``value``, and the one that is true.

    ``pair`` stands in (A) .. (C2) through their sums; the parts stand in the expansion of the second moment.
    """
    i, T, one = Ratio.of("i"), Ratio.of("T"), Ratio.of(1)
    parts = {name: derived.ratio(name) for name in ("A", "B1", "B2", "B3", "C1", "C2")}
    truth = derived.ratio("second_moment")
    if quantity == "variance":
        change = (value - derived.ratio("variance")) * Ratio.of("lam") ** 2
        return truth + change, truth
    if quantity == "second_moment":
        return value, truth
    if quantity == "pair":
        own = value.substitute("j", i)
        swapped = value.substitute("i", "h").substitute("j", i).substitute("h", "j")
        inner = value.substitute("i", "h").substitute("j", "k")
        parts["A"], parts["B1"] = own, 2 * own
        parts["B2"] = 2 * _sum(value, "j", i + 1, T)
        parts["B3"] = 2 * _sum(swapped, "j", one, i - 1)
        parts["C1"] = _sum(own.substitute("i", "j"), "j", one, T)
        parts["C2"] = 2 * _sum(_sum(inner, "h", one, Ratio.of("k") - 1), "k", one, T)
    else:
        parts[quantity] = value
    whole = parts["A"] / T**2 - (parts["B1"] + parts["B2"] + parts["B3"]) / T**3 + (parts["C1"] + parts["C2"]) / T**4
    return whole.reduced(), truth
