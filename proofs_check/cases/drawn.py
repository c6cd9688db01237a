"""The parameters of a claim, drawn by Hypothesis: dimensions, positions, spectra, covariances, starts of the walk.

A case is exact and JSON-able, so that the seed of its simulation can be derived from it and anyone can replay it.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from random import Random
from typing import Any

import sympy as sp
from hypothesis import strategies as st

from proofs_check.cases import structured
from proofs_check.cases.drawing import EnoughError, each, integers, least, sampled_from
from proofs_check.cases.rotations import rotated
from theorems.algebra.expressions import ExpressionError
from theorems.claims.catalogue import STRUCTURED, Statement, base_id
from theorems.claims.conditions import read
from theorems.claims.growth import SHORTEST
from theorems.gaussian.numeric import Case as CaseValues
from theorems.kernel.deriving import find as find_derivation

Case = dict[str, Any]

#: Eigenvalues drawn, simplest first: signed, repeated, zero.
SPECTRUM = ("1", "-1", "2", "1/2", "-2", "3", "-3/2", "0")
#: Variances along the axes of Sigma, simplest first: isotropic, anisotropic, near-singular, singular.
VARIANCES = ("1", "2", "1/4", "3", "1/64", "0")
COEFFICIENTS = ("1", "2", "-1", "1/2", "-2", "0")
TEMPERATURES = ("1", "2", "1/2", "3")
THETAS = ("1/2", "1/4", "3/4", "1", "1/8", "3/8", "5/8", "7/8")

#: The condition tr(W) = 0, met by spectra of opposite pairs and an isotropic Sigma.
TRACELESS = "tr1 == 0"
#: What the simulated cases of a walk are made to cover, beyond what is drawn.
WALK_SLOTS: tuple[Mapping[str, Any], ...] = (
    {"d": 1, "T": "short"},
    {"d": 1, "T": "middle", "apart": True},
    {"d": 2, "T": "middle", "apart": True},
    {"d": 2, "T": "long", "apart": True, "anisotropic": True},
    {"d": 3, "T": "middle", "anisotropic": True},
    {"d": 2, "T": "middle", "start": "zero"},
)
SLOTS: Mapping[str, tuple[Mapping[str, Any], ...]] = {
    "walk": WALK_SLOTS,
    "gaussian": ({"d": 1}, {"d": 1}, {"d": 2}, {"d": 2, "anisotropic": True}, {"d": 3}, {"d": 4, "anisotropic": True}),
    "exchangeable": tuple(
        {"law": law, "d": d, "k": k}
        for law, d, k in (
            ("gaussian", 1, 2),
            ("gaussian", 2, 3),
            ("centred", 2, 4),
            ("signs", 3, 3),
            ("mixture", 2, 2),
            ("student", 3, 5),
        )
    ),
    # beta tr(BW) : tr(B W^T W), on both sides of every boundary of the claims and on them; and W B = 0
    "ensemble": (
        {"flat": True},
        *({"ratio": r} for r in ("1", "0", "-1", "-1/2", "-1/4", "-3/4", "-5/4", "3", "1/4", "-2/5", "-3/5", "-3")),
    ),
}
#: Lengths of the walk by slot, for a claim about T -> infinity and for one about every T.
LONG_RUN = {"short": (2, 1), "middle": (8, 16), "long": (48,)}
EVERY_T = {"short": (1, 2), "middle": (4, 5, 6), "long": (7, 8, 9)}


@st.composite
def case_strategy(draw: Callable[[st.SearchStrategy[Any]], Any], statement: Statement, slot: Mapping[str, Any]) -> Case:
    """A case of the statement's model, within what the slot asks for; shrinks towards d = 1, W = Sigma = 1, i = 1."""
    case: Case = {}
    if statement.model == "free":
        return {name: draw(sampled_from(slot.get(name, statement.ranges[name]))) for name in statement.parameters}
    if statement.model == "none":
        least_T = SHORTEST if statement.relation == "order" else 1
        case["T"] = draw(integers(least_T, max(64, 4 * least_T)))
        if "i" in statement.parameters:
            case["i"] = draw(integers(1, case["T"]))
        return case
    if statement.model in STRUCTURED:
        return structured.strategy(draw, statement, slot)
    # a condition that hardly any draw would meet is built in
    traceless = TRACELESS in statement.conditions
    d = slot.get("d") or draw(integers(1, 4))
    d = max(2, d) if traceless else d
    case["d"] = d
    spectrum = [draw(sampled_from(SPECTRUM)) for _ in range(d)]
    direction = [draw(integers(0, 2)) for _ in range(d)]
    case["W"] = rotated(spectrum, direction)
    if traceless:
        opposite = [w for value in spectrum[: d // 2] for w in (value, str(-Fraction(value)))]
        spectrum = [*opposite, *["0"] * (d % 2)]
        case["W"] = rotated(spectrum, direction)
        case["Sigma"] = rotated([draw(sampled_from(VARIANCES[:5]))] * d, [0] * d)
    variances = [draw(sampled_from(VARIANCES)) for _ in range(d)]
    if statement.covariance == "identity":
        variances = ["1"] * d
    elif slot.get("anisotropic") and d > 1 and len(set(variances)) == 1:
        variances[0] = "1/4" if variances[0] != "1/4" else "3"
    if not traceless:
        case["Sigma"] = rotated(variances, [draw(integers(0, 2)) for _ in range(d)])
    if statement.model == "walk":
        case["start"] = slot.get("start") or "sigma"
        _positions(draw, statement, slot, case)
    names = [*(("m",) if statement.model == "gaussian" else ()), *statement.parameters]
    for name in names:
        if name == "lam":
            case[name] = draw(sampled_from(TEMPERATURES[1:] if slot.get("apart") else TEMPERATURES))
        elif name in ("m", "a", "b"):
            case[name] = [draw(sampled_from(COEFFICIENTS)) for _ in range(d)]
    return case


def _positions(
    draw: Callable[[st.SearchStrategy[Any]], Any], statement: Statement, slot: Mapping[str, Any], case: Case
) -> None:
    lengths = (LONG_RUN if statement.asymptotic else EVERY_T)[slot.get("T", "middle")]
    T = draw(sampled_from(lengths))
    if statement.regime and T % 8 == 0:
        thetas = THETAS[1:] if slot.get("apart") else THETAS
        i = max(1, int(Fraction(draw(sampled_from(thetas))) * T))
        places = {"i": i, "T": T}
    elif slot.get("apart"):
        # distinct positions away from 1, so that moved indices and exponents can be told apart
        i = draw(integers(2, max(2, T - 2)))
        places = {"i": i, "j": draw(integers(i + 1, max(i + 1, T - 1))), "T": T}
    else:
        i = draw(integers(1, T))
        places = {"i": i, "j": draw(integers(i, T)), "T": T}
    case.update({name: places[name] for name in statement.positions})


def key(case: Mapping[str, Any]) -> str:
    """The name of a case: the same parameters give the same name."""
    return json.dumps(case, sort_keys=True, separators=(",", ":"))


def stream(statement: Statement, run_seed: int, place: int = 0) -> int:
    """The seed of a claim's own points, from those of no other claim, correction or variant."""
    name = json.dumps([run_seed, statement.id, "points", place]).encode()
    return int.from_bytes(hashlib.blake2b(name, digest_size=8).digest(), "big")


def drawn(statement: Statement, slot: Mapping[str, Any], run_seed: int, count: int) -> list[Case]:
    """Distinct cases that Hypothesis draws from the run's seed, in its order, within the statement's conditions.

    A claim, its variants and its correction have the same cases, as have claims with the same hypotheses.
    """
    return [dict(case) for case in _drawn(Asked.of(statement, slot, run_seed, count))]


@dataclass(frozen=True)
class Asked:
    """What cases are drawn from, equal for claims of one paper with the same hypotheses."""

    name: str
    statement: Statement = field(compare=False)
    what: Any = field(compare=False)
    seed: int
    count: int

    @classmethod
    def of(cls, statement: Statement, what: Any, seed: int, count: int) -> Asked:
        """So many cases of a statement, within what ``what`` asks for."""
        hypotheses = (statement.model, statement.covariance, statement.conditions, statement.positions)
        ranges = (statement.parameters, statement.ranges, statement.strata, statement.further)
        limits = (statement.regime, statement.asymptotic)
        return cls(repr((statement.id.split(".")[0], hypotheses, ranges, limits, what)), statement, what, seed, count)


@lru_cache(maxsize=128)
def _drawn(asked: Asked) -> list[Case]:
    statement, slot, run_seed, count = asked.statement, asked.what, asked.seed, asked.count
    found: dict[str, Case] = {}

    def collect(case: Case) -> None:
        if meets(statement, case):
            found.setdefault(key(case), case)
        if len(found) == count:
            raise EnoughError

    tries = count * (1 if not statement.conditions else 4 if statement.model in (*STRUCTURED, "free") else 20)
    each(case_strategy(statement, slot), run_seed, tries, collect)
    return list(found.values())


def hit_rate(statement: Statement, run_seed: int, count: int = 200) -> float:
    """The part of the drawn cases that meets the statement's conditions.

    Raises ValueError where none does: a claim about nothing proves nothing.
    """
    return _hit_rate(Asked.of(statement, {}, run_seed, count))


@lru_cache(maxsize=128)
def _hit_rate(asked: Asked) -> float:
    statement, met = asked.statement, list[bool]()

    each(case_strategy(statement, {}), asked.seed, asked.count, lambda case: met.append(meets(statement, case)))
    if not any(met):
        conditions = ", ".join(statement.conditions)
        raise ValueError(f"{statement.id}: none of {len(met)} drawn cases meets {conditions}; weaken the conditions")
    return sum(met) / len(met)


def meets(statement: Statement, case: Mapping[str, Any]) -> bool:
    """Whether a case meets the statement's conditions; ValueError names one that cannot be read."""
    values: CaseValues | None = None
    if statement.conditions:
        # a paper's functionals are registered by its derivations
        with contextlib.suppress(LookupError):
            find_derivation(base_id(statement.id))
    for condition in statement.conditions:
        values = values or CaseValues(case)
        try:
            gap, allowed = read(condition)
            value = values.evaluate(gap)
        except ExpressionError as error:
            raise ValueError(f"{statement.id}: condition {condition!r} cannot be read: {error}") from None
        except KeyError as error:
            raise ValueError(
                f"{statement.id}: condition {condition!r} names {error.args[0]}, which no case has"
            ) from None
        except ValueError as error:
            raise ValueError(f"{statement.id}: {error}") from None
        if int(sp.sign(value)) not in allowed:
            return False
    return True


def smallest(
    statement: Statement, slot: Mapping[str, Any], run_seed: int, contradicted: Callable[[Case], bool]
) -> Case | None:
    """The smallest case that Hypothesis finds with the property; None where it finds none."""

    def wanted(case: Case) -> bool:
        return meets(statement, case) and contradicted(case)

    return least(case_strategy(statement, slot), wanted, 400, Random(run_seed))


def slots(statement: Statement, effort: str) -> tuple[Mapping[str, Any], ...]:
    """What the simulated cases must cover at that effort."""
    whole = statement.strata or SLOTS.get(statement.model, ({},))
    if statement.strata:
        return whole if effort != "thorough" else whole * 2
    if statement.model == "ensemble":
        return whole
    if effort == "quick":
        return tuple(whole[k] for k in (1, 3, 5) if k < len(whole)) or whole
    return whole if effort == "standard" else whole * 2
