"""The costs that are drawn: closed forms against matrices, brackets against each other, and planted faults seen."""

from __future__ import annotations

import math
import tomllib
from fractions import Fraction as F
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy as sp
from scipy.optimize import linprog

from montecarlo.lampert2026 import comparison
from proofs_check.report.curves import cost as curves
from theorems.algebra.expressions import symbol
from theorems.lampert2026.patterns.instances import overlapping

STATEMENTS = Path(__file__).parents[4] / "theorems" / "lampert2026" / "statements.toml"
CLAIMS = {claim["id"]: claim for claim in tomllib.loads(STATEMENTS.read_text(encoding="utf-8"))["claim"]}


def evaluated(text: str, **table: float) -> Any:
    """An expression by Python itself."""
    return eval(compile(text, "printed", "eval"), {"__builtins__": {}, "sqrt": math.sqrt}, table)


def at(name: str, **table: Any) -> float:
    return float(curves.formulas()[name].xreplace({symbol(k): sp.sympify(v) for k, v in table.items()}))


# -- bounds and constructions


def test_the_printed_bounds_are_those_of_the_claims() -> None:
    table = {"kappa": 1.5, "d": 9.0, "C": 3.0, "r_eta": 2.0, "Delta_diag": 0.5, "r_eff": 1.25, "delta2": 0.36}
    wanted = {}
    for pattern, claim in curves.UPPER.items():
        wanted[f"{pattern}_high"] = evaluated(CLAIMS[claim]["printed"]["upper"], **table)
    wanted["sink_low"] = -evaluated(CLAIMS[curves.SINK_LOWER]["printed"]["upper"], **table)
    (printed,) = CLAIMS[curves.DIAG_LOWER]["printed"].values()
    condition = printed.removeprefix("if ")
    low = at("printed_diag_low", **table)
    # the bound is where the condition begins to fail
    assert evaluated(condition, budget=low * (1 - 1e-9), **table)
    assert not evaluated(condition, budget=low * (1 + 1e-9), **table)
    for name, value in wanted.items():
        assert at(f"printed_{name}", **table) == pytest.approx(value)


def block(C: int, n: int, entries: list[tuple[int, int]]) -> np.ndarray:
    """A sum of e_i e_j^T in the coordinates of ``comparison.tokens``."""
    found = np.zeros((1 + 2 * C + C * n,) * 2)
    for i, j in entries:
        found[i, j] = 1.0
    return found


def margins(W: np.ndarray, pattern: str, C: int, n: int, lam: float) -> np.ndarray:
    rows = comparison.tokens(C, n, lam, 0.0).numpy()
    ways = comparison.contests(C, n, pattern).numpy()
    scores = rows @ W @ rows.T
    found: np.ndarray = scores[ways[:, 0], ways[:, 1]] - scores[ways[:, 0], ways[:, 2]]
    return found


@pytest.mark.parametrize(("C", "lam"), [(1, 0.5), (3, 0.8)])
def test_the_sink_construction_costs_what_its_matrix_does(C: int, lam: float) -> None:
    """a r e_0^T + b sum_c e_{C+c} e_c^T with the least a, then the least b, by linear programs over the margins."""
    n = 2
    first = block(C, n, [(i, 0) for i in range(1, 1 + 2 * C)])
    second = block(C, n, [(C + c, c) for c in range(1, C + 1)])
    slopes = -np.stack([margins(part, "sink", C, n, lam) for part in (first, second)], 1)
    a = linprog([1, 0], slopes, -np.ones(len(slopes))).x[0]
    b = linprog([0, 1], slopes, -np.ones(len(slopes)), bounds=[(a * (1 - 1e-9), a * (1 + 1e-9)), (0, None)]).x[1]
    wanted = 2 * np.linalg.norm(a * first + b * second, "nuc")
    found = at("sink_construction", C=C, lam=F(lam), kappa=1, d=1)
    assert found == pytest.approx(wanted, rel=1e-6)
    assert found != pytest.approx(2 * np.linalg.norm(a * first + (b - 0.1) * second, "nuc"), rel=1e-3)


@pytest.mark.parametrize(("C", "lam"), [(1, 0.5), (3, 0.8)])
def test_the_diagonal_construction_costs_what_its_matrix_does(C: int, lam: float) -> None:
    n = 2
    table = {"kappa": 1.0, "d": 1.0, "lam": lam, "Delta_diag": float(overlapping(C, n, F(lam), F(0)).Delta_diag)}
    s, a, b, alpha = (
        evaluated(CLAIMS[curves.UPPER["diag"]]["definitions"][name], **table) for name in ("s", "a", "b", "alpha")
    )
    groups = range(1, C + 1)
    W = s * block(C, n, [(c, c) for c in groups]) + a * block(C, n, [(C + c, C + c) for c in groups])
    W += b * block(C, n, [(C + c, c) for c in groups])
    nuisances = comparison.tokens(C, n, lam, 0.0).numpy()[1 + C :, 1 + 2 * C :]
    P = np.linalg.pinv(nuisances) @ nuisances
    W[1 + 2 * C :, 1 + 2 * C :] = alpha * P
    assert margins(W, "diag", C, n, lam).min() > 1 - 1e-9
    rank = round(np.trace(P))
    assert at("diag_construction", C=C, r_eta=rank, **table) == pytest.approx(2 * np.linalg.norm(W, "nuc"))


@pytest.fixture(scope="module")
def drawn() -> dict[str, Any]:
    return curves.costs(F(4, 5), F(1), [1, 2, 5], searched=[1, 2], gap=1e-3)


def contradictions(held: dict[str, Any], searched: list[int]) -> list[str]:
    """Where bounds of one pattern's least cost exclude each other."""
    low, high = np.array(held["low"]), np.array(held["high"])
    search = [np.array(held["searched"][end]) for end in ("low", "high")]
    checks = {
        "bracket": low <= high,
        "construction": held["construction"] >= low,
        "bound_low": held["bound_low"] <= high,
        "bound_high": np.array(held.get("bound_high", high)) >= low,
        "searched": (search[0] <= high[searched]) & (low[searched] <= search[1]),
    }
    return [name for name, holds in checks.items() if not np.all(holds)]


def test_no_bound_contradicts_another_and_faults_are_seen(drawn: dict[str, Any]) -> None:
    other = curves.costs(F(3, 4), F(1), [1, 2], searched=[1, 2], gap=1e-3)
    for pattern in curves.PATTERNS:
        held = drawn[pattern]
        assert contradictions(held, [0, 1]) == []
        assert contradictions({**held, "searched": other[pattern]["searched"]}, [0, 1]) == ["searched"]
        half = [value / 2 for value in held["construction"]]
        assert contradictions({**held, "construction": half}, [0, 1]) == ["construction"]
        assert contradictions({**held, "bound_low": held["construction"]}, [0, 1]) == ["bound_low"]
        gaps = (np.array(held["high"]) - held["low"]) / held["high"]
        assert 0 < gaps.max() < 1e-6


def test_costs_are_those_of_a_group(drawn: dict[str, Any]) -> None:
    low, high = comparison.curves("sink", 2, 2, [0.8], 1.0, 1e-3)[0].tolist()
    assert drawn["sink"]["searched"]["low"][1] == low / 2
    assert drawn["sink"]["searched"]["high"][1] == high / 2
    copies = at("copies", C=5, lam=F(4, 5), kappa=1, d=1)
    assert drawn["sink"]["bound_low"][2] == pytest.approx(copies / 5)


def test_the_limits_of_lam_are_the_claim_s() -> None:
    for claim in curves.UPPER.values():
        found = curves.limits_of(claim)
        assert found
        assert set(found) <= set(CLAIMS[claim]["conditions"])
        assert all(evaluated(text, lam=0.999) for text in found)


# -- the map


def test_labels_are_refined_where_they_change() -> None:
    places = [F(k, 4) for k in range(5)]
    found = curves.refined(lambda x: x > F(1, 3), places, 4)
    assert found == sorted(found)
    assert [x for x, _ in found if x in places] == places
    last = max(x for x, above in found if not above)
    first = min(x for x, above in found if above)
    assert last <= F(1, 3) < first
    assert first - last == F(1, 4 * 2**4)
    assert len(curves.refined(lambda x: "", places, 4)) == len(places)


def test_cells_share_their_ends_and_stretches_join_them() -> None:
    places, ends = [F(1, 4), F(1, 2), F(5, 8)], (F(0), F(1))
    assert curves.cells(places, ends) == [(0.0, 0.375), (0.375, 0.5625), (0.5625, 1.0)]
    for labels, wanted in (
        ((True, True, False), [[0.0, 0.5625]]),
        ((True, False, True), [[0.0, 0.375], [0.5625, 1.0]]),
        ((False, False, False), []),
    ):
        assert curves.stretches(list(zip(places, labels, strict=True)), ends) == wanted


@pytest.mark.parametrize("overlap", [F(0), F(1)])
def test_the_stated_condition_is_that_of_the_claim(overlap: F) -> None:
    (printed,) = CLAIMS[curves.CHEAPER]["printed"].values()
    text = printed.removeprefix("if ").replace("&", "and")
    seen = set()
    for C in (1, 4, 16):
        for lam in (F(1, 2), F(7, 10), F(3, 4), F(7, 8), F(39, 40)):
            rank = overlapping(C, 2, lam, overlap).r_eff
            assert isinstance(rank, F)
            wanted = evaluated(text, lam=float(lam), r_eff=float(rank), delta2=float(1 - lam**2))
            assert curves.suffices(C, 2, lam, overlap) == wanted
            seen.add(wanted)
    assert seen == {True, False}


@pytest.mark.parametrize("overlap", [F(0), F(1)])
def test_the_signs_are_those_of_the_search(overlap: F) -> None:
    lams, ends = [F(k, 5) for k in range(1, 5)], (F(1, 10), F(9, 10))
    found = curves.column(2, overlap, lams, ends, halvings=1, finest=1)
    told = {}
    for cell in found["cells"]:
        assert cell["low"] < cell["lam"] < cell["high"]
        assert (cell["ratio_low"] > 1, cell["ratio_high"] <= 1) == (
            cell["cheaper"] == "sink",
            cell["cheaper"] == "diagonal",
        )
        if cell["shown"]:
            assert cell["cheaper"] == "sink"
        told[cell["lam"]] = cell["cheaper"]
    assert set(told.values()) == {"sink", "diagonal"}
    assert [found["cells"][0]["low"], found["cells"][-1]["high"]] == [float(end) for end in ends]
    places = [0.4, 0.8]
    sink, diag = (comparison.curves(pattern, 2, 2, places, float(overlap)) for pattern in curves.PATTERNS)
    for place, one, two in zip(places, sink.tolist(), diag.tolist(), strict=True):
        searched = "sink" if one[1] < two[0] else "diagonal" if two[1] < one[0] else ""
        assert told[place] == searched
        cell = next(cell for cell in found["cells"] if cell["lam"] == place)
        assert two[0] / one[1] <= cell["ratio_high"]
        assert cell["ratio_low"] <= two[1] / one[0]
        assert not two[0] / one[1] <= 1 / cell["ratio_low"] <= two[1] / one[0], "the inverse is seen"
