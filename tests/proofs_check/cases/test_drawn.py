"""The drawn parameters: exact, admissible, the same for a seed, and covering the edges."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import cache
from typing import Any

import pytest
from sympy import QQ
from sympy.polys.matrices import DomainMatrix

from proofs_check.cases.drawn import EVERY_T, LONG_RUN, SLOTS, TRACELESS, Case, drawn, key, meets, slots, smallest
from proofs_check.cases.rotations import rotated
from theorems.claims.catalogue import Statement, by_id, catalogue

SEEDS = range(4)
DRAWS = 6
CLAIMS = ("bao2024.appA.eq12", "bao2024.appA.eq17", "bao2024.sec4.lemma1-variance", "bao2024.appC.lemma1-C1")
#: The claims of CLAIMS, and those without a slot of their own.
EVERY_MODEL = (*CLAIMS, "bao2024.sec2.softmax-taylor", "bao2024.sec5.eq8")


@cache
def cases_of(claim: str) -> tuple[tuple[Mapping[str, Any], Case], ...]:
    """(slot, case) over all slots of the standard effort and some seeds."""
    statement = by_id()[claim]
    return tuple(
        (slot, case)
        for run_seed in SEEDS
        for place, slot in enumerate(slots(statement, "standard"))
        for case in drawn(statement, slot, run_seed * 64 + place, DRAWS)
    )


def every_case() -> Iterator[tuple[Statement, Mapping[str, Any], Case]]:
    for claim in EVERY_MODEL:
        for slot, case in cases_of(claim):
            yield by_id()[claim], slot, case


def exact(rows: list[list[str]]) -> list[list[Fraction]]:
    return [[Fraction(entry) for entry in row] for row in rows]


def symmetric(rows: list[list[str]]) -> bool:
    return all(rows[r][c] == rows[c][r] for r in range(len(rows)) for c in range(len(rows)))


def elementary(rows: list[list[str]]) -> list[Fraction]:
    """The elementary symmetric functions e_1 .. e_d of the eigenvalues, from the characteristic polynomial."""
    matrix = DomainMatrix([[QQ(f.numerator, f.denominator) for f in row] for row in exact(rows)], (len(rows),) * 2, QQ)
    signed = [Fraction(int(c.numerator), int(c.denominator)) for c in matrix.charpoly()]
    return [(-1) ** k * c for k, c in enumerate(signed)][1:]


def eigenvalues(rows: list[list[str]]) -> list[float]:
    import numpy as np

    return sorted(float(v) for v in np.linalg.eigvalsh(np.array(exact(rows), dtype=float)))


def test_every_case_is_admissible_exactly() -> None:
    count = 0
    for statement, slot, case in every_case():
        count += 1
        assert json.loads(json.dumps(case)) == case
        if statement.model == "none":
            assert 1 <= case["i"] <= case["T"]
            continue
        d = case["d"]
        assert symmetric(case["W"]) and symmetric(case["Sigma"])
        assert len(case["W"]) == len(case["Sigma"]) == d
        # symmetric, so positive semidefinite exactly if no elementary symmetric function is negative
        assert all(e >= 0 for e in elementary(case["Sigma"])), case
        assert d == slot.get("d", d)
        if slot.get("anisotropic"):
            assert case["Sigma"] != rotated([case["Sigma"][0][0]] * d, [0] * d)
        wanted = {"d", "W", "Sigma", *statement.parameters, *statement.positions}
        wanted |= {"start"} if statement.model == "walk" else {"m"} if statement.model == "gaussian" else set()
        assert set(case) == wanted
        assert all(len(case[name]) == d for name in ("m", "a", "b") if name in case)
        assert Fraction(case.get("lam", "1")) > 0
        places = [case[name] for name in statement.positions]
        assert places == sorted(places) and min(places, default=1) >= 1
        if slot.get("start"):
            assert case["start"] == slot["start"]
        if statement.model == "walk" and "T" in case:
            lengths = LONG_RUN if statement.asymptotic else EVERY_T
            assert case["T"] in lengths[slot.get("T", "middle")]
    assert count > 300


def test_the_edges_occur() -> None:
    found = dict.fromkeys(EDGES, 0)
    for _, _, case in every_case():
        for name, edge in EDGES.items():
            found[name] += edge(case)
    assert all(found.values()), found


EDGES: dict[str, Callable[[Case], bool]] = {
    "d = 1": lambda case: case.get("d") == 1,
    "d > 2": lambda case: case.get("d", 0) > 2,
    "T = 1": lambda case: case.get("T") == 1,
    "T = 2": lambda case: case.get("T") == 2,
    "i = T": lambda case: "i" in case and case["i"] == case.get("T"),
    "i = j": lambda case: "j" in case and case["i"] == case["j"],
    "i < j": lambda case: "j" in case and case["i"] < case["j"],
    "start at 0": lambda case: case.get("start") == "zero",
    "start at Sigma": lambda case: case.get("start") == "sigma",
    "singular Sigma": lambda case: "Sigma" in case and elementary(case["Sigma"])[-1] == 0,
    "Sigma = 0": lambda case: "Sigma" in case and elementary(case["Sigma"])[0] == 0,
    "near-singular Sigma": lambda case: "Sigma" in case and 0 < eigenvalues(case["Sigma"])[0] < 0.02,
    "anisotropic Sigma": lambda case: "Sigma" in case and case["d"] > 1 and spread(case["Sigma"]) > 0.5,
    "signed W": lambda case: "W" in case and eigenvalues(case["W"])[0] < -0.1 < 0.1 < eigenvalues(case["W"])[-1],
    "repeated spectrum of W": lambda case: "W" in case and case["d"] > 1 and spread(case["W"]) < 1e-9,
    "singular W": lambda case: "W" in case and elementary(case["W"])[-1] == 0,
    "W not diagonal": lambda case: "W" in case and case["d"] > 1 and case["W"][0][1] != "0",
}


def spread(rows: list[list[str]]) -> float:
    values = eigenvalues(rows)
    return values[-1] - values[0]


def test_one_seed_gives_one_list_and_another_seed_another() -> None:
    statement = by_id()["bao2024.appA.eq17"]
    slot = SLOTS["walk"][2]
    first = drawn(statement, slot, 7, 8)
    assert first == drawn(statement, slot, 7, 8)
    assert first != drawn(statement, slot, 8, 8)
    assert len({key(case) for case in first}) == len(first) > 4


def test_no_case_is_drawn_beyond_those_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a claim with conditions twenty times as many may be drawn; the first that meet them are the same ones."""
    looked_at: list[bool] = []

    def counted(statement: Statement, case: Case) -> bool:
        looked_at.append(meets(statement, case))
        return looked_at[-1]

    statement = by_id()["bao2024.sec4.a1-uniform"]
    slot = slots(statement, "standard")[0]
    monkeypatch.setattr("proofs_check.cases.drawn.meets", counted)
    found = drawn(statement, slot, 3001, 4)
    assert len(found) == 4 and looked_at[-1] and 4 <= sum(looked_at) < 20
    assert len(looked_at) < 60


def test_the_name_of_a_case_is_its_content() -> None:
    assert key({"d": 1, "i": 2}) == key({"i": 2, "d": 1})
    assert key({"d": 1, "i": 2}) != key({"d": 1, "i": 3})


@pytest.mark.parametrize(
    "claim",
    [claim.id for claim in catalogue() if claim.model in ("walk", "gaussian") and TRACELESS not in claim.conditions],
)
def test_a_case_shrinks_to_one_dimension_and_unit_matrices(claim: str) -> None:
    statement = by_id()[claim]
    found = smallest(statement, {}, 0, lambda case: True)
    assert found is not None
    assert (found["d"], found["W"], found["Sigma"]) == (1, [["1"]], [["1"]])
    assert found.get("start", "sigma") == "sigma"
    if statement.regime:
        assert 2 * found["i"] == found["T"] == 8
    else:
        assert found.get("i", 1) == found.get("j", 1) == 1


def test_the_smallest_case_has_the_property_asked_for() -> None:
    statement = by_id()["bao2024.appA.eq17"]
    found = smallest(statement, {}, 3, lambda case: bool(case["d"] >= 2 and case["j"] > case["i"]))
    assert found is not None
    assert (found["d"], found["i"], found["j"]) == (2, 1, 2)
    assert found["Sigma"] == [["1", "0"], ["0", "1"]]
    assert found == smallest(statement, {}, 3, lambda case: bool(case["d"] >= 2 and case["j"] > case["i"]))
    assert smallest(statement, {}, 3, lambda case: False) is None


def test_a_reflection_keeps_the_spectrum_exactly() -> None:
    values, direction = ["1", "-3/2", "1/64"], [1, 2, 2]
    rows = rotated(values, direction)
    assert symmetric(rows)
    spectrum = [Fraction(v) for v in values]
    assert elementary(rows) == [
        sum(spectrum),
        spectrum[0] * spectrum[1] + spectrum[0] * spectrum[2] + spectrum[1] * spectrum[2],
        spectrum[0] * spectrum[1] * spectrum[2],
    ]
    assert rows[0][1] != "0"


def test_slots_by_effort() -> None:
    walk = by_id()["bao2024.appA.eq17"]
    assert len(slots(walk, "quick")) == 3
    assert {slot.get("start") for slot in slots(walk, "quick")} == {None, "zero"}
    assert 1 in {slot.get("d") for slot in slots(walk, "quick")}
    assert set(map(str, slots(walk, "quick"))) <= set(map(str, slots(walk, "standard")))
    assert len(slots(walk, "thorough")) == 2 * len(slots(walk, "standard"))
    assert slots(by_id()["bao2024.sec2.softmax-taylor"], "quick") == ({},)
