"""The numbers of lampert2026's figures: each against a computation of another kind, and planted faults seen."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy as sp
import torch

from montecarlo.lampert2026 import cosine, representability
from montecarlo.separability import separate
from proofs_check import lampert_curves as curves
from proofs_check.curves import evaluated
from theorems import ensemble
from theorems.numeric import Case

HEAD: dict[str, Any] = {
    "k": 3,
    "beta": "1",
    "W": [["1", "3/4"], ["-1/4", "1/2"]],
    "L": [["1", "0"], ["1/2", "1"]],
    "m": ["1", "-1/2"],
    "law": "gaussian",
}


def under(law: str) -> dict[str, Any]:
    return {**HEAD, "law": law, "m": ["0", "0"] if law == curves.RAYS else HEAD["m"]}


# -- laws and derived values


@pytest.mark.parametrize("law", ["gaussian", "centred", "signs", "mixture", "student", curves.TAILS, curves.RAYS])
def test_the_second_moments_are_those_of_the_sampled_tokens(law: str) -> None:
    case = under(law)
    z = curves.sampled(case, 40_000, torch.Generator().manual_seed(5))

    def misses(A: Any, B: Any) -> bool:
        """Whether an average of products is more than 6 standard errors off."""
        own = z[:, 0, :, None] * z[:, 0, None, :]
        other = (z[:, 0, :, None] * z[:, 1, None, :] + z[:, 1, :, None] * z[:, 0, None, :]) / 2
        found = [
            abs(values.mean(0).numpy() - np.array(wanted, dtype=float)) > 6 * values.std(0).numpy() / len(z) ** 0.5
            for values, wanted in ((own, A), (own - other, B))
        ]
        return bool(np.any(found))

    A, B = curves.second_moments(case)
    assert not misses(A, B)
    assert misses(A + B / 4, B)
    assert misses(A, B * Fraction(5, 4))


def test_laws_of_which_R_says_nothing_are_refused() -> None:
    with pytest.raises(ValueError, match="expected a mean that is not 0"):
        curves.second_moments({**HEAD, "law": "centred", "m": ["0", "0"]})
    with pytest.raises(ValueError, match="expected a mean that is 0"):
        curves.second_moments({**HEAD, "law": curves.RAYS})


def test_the_levels_are_those_of_a_finite_law_exactly() -> None:
    random = np.random.default_rng(2)
    for k in (2, 3):
        law = {
            "tokens": random.integers(-3, 4, (3, k, 2)).astype(str).tolist(),
            "W": random.integers(-3, 4, (2, 2)).astype(str).tolist(),
            "beta": "2/3",
        }
        found = ensemble.second_moments(law)
        A, B, W = (np.array(rows, dtype=object) for rows in (found.same, found.B, ensemble.read(law).W))
        D, N = curves.levels_of(A, B, W, Fraction(2, 3), k)
        floats = curves.levels_of(A.astype(float), B.astype(float), W.astype(float), 2 / 3, k)
        for level in (Fraction(0), Fraction(1, 3), Fraction(1)):
            at = {curves.LEVEL: sp.Rational(level.numerator, level.denominator)}
            wanted = [ensemble.energy(law, level), ensemble.cross(law, level)]
            assert [D.xreplace(at), N.xreplace(at)] == [sp.Rational(v.numerator, v.denominator) for v in wanted]
            assert [float(f.xreplace(at)) for f in floats] == pytest.approx([float(v) for v in wanted], abs=1e-12)
        other, _ = curves.levels_of(A, B, W, Fraction(2, 3), k + 1)
        assert sp.expand(other - D) != 0


@pytest.mark.parametrize(
    ("slope", "side"),
    [("1", "rises"), ("0", "rises"), ("-1/3", "between"), ("-3/4", "between"), ("-1", "falls"), ("-2", "falls")],
)
def test_the_place_is_where_R_is_largest(slope: str, side: str) -> None:
    case = curves.at_slope(HEAD, Fraction(slope))
    at = Case(case)
    across, up = curves.plane(at)
    assert across == pytest.approx(float(Fraction(slope)) * up, abs=1e-12)
    assert curves.region(at) == side
    grid = np.linspace(0, 1, 401)
    values = np.array(evaluated(curves.ratio_of(case), l=grid))
    assert curves.place(case) == pytest.approx(grid[values.argmax()], abs=1 / 400)
    steps = np.diff(values)
    assert {"rises": np.all(steps > 0), "falls": np.all(steps < 0), "between": steps[0] > 0 > steps[-1]}[side]
    assert curves.holds(curves.ENDS, "R(1) > R(0)", at) == (values[-1] > values[0])


def test_no_beta_turns_a_traceless_head() -> None:
    turned = curves.at_slope(HEAD, Fraction(0))
    assert turned["beta"] == HEAD["beta"]
    with pytest.raises(ValueError, match="no beta gives"):
        curves.at_slope(turned, Fraction(1))


def test_the_derived_properties_change_on_the_boundaries_and_nowhere_else() -> None:
    lines = curves.boundaries()
    assert len(lines) == 3
    assert len({line["weights"][1] / line["weights"][0] for line in lines}) == 3
    crossings = sorted(-line["weights"][1] / line["weights"][0] for line in lines)
    between = [crossings[0] - 0.25, *np.convolve(crossings, [0.5, 0.5], "valid"), crossings[-1] + 0.25]
    told = []
    for slope in between:
        at = Case(curves.at_slope(HEAD, Fraction(slope)))
        told.append((curves.region(at), curves.holds(curves.ENDS, "R(1) > R(0)", at)))
    assert len(set(told)) == 4


# -- samples


def test_cosines_and_energies_are_averages_over_pairs() -> None:
    Y = torch.randn((4, 3, 2), generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    pairs = [(i, j) for i in range(3) for j in range(3) if i != j]
    D, N = curves.energies(Y)
    for n, y in enumerate(Y.numpy()):
        products = [float(y[i] @ y[j]) for i, j in pairs]
        turned = [p / math.sqrt((y[i] @ y[i]) * (y[j] @ y[j])) for p, (i, j) in zip(products, pairs, strict=True)]
        assert float(D[n]) == pytest.approx(np.mean([v @ v for v in y]))
        assert float(N[n]) == pytest.approx(np.mean(products))
        assert float(curves.cosines(Y)[n]) == pytest.approx(np.mean(turned))
    Y[0, 0] = 0
    with pytest.raises(ValueError, match="some Y_i is zero"):
        curves.cosines(Y)


def test_intervals_hold_as_often_as_they_say() -> None:
    """Of 2000 intervals that miss 1 time in 10 some 200 miss, give or take 5 standard deviations (67)."""
    draws = torch.randn((2000, 200, 2), generator=torch.Generator().manual_seed(3), dtype=torch.float64)
    top, below = 1 + 0.5 * draws[..., 0], 2 + 0.5 * draws[..., 0] + 0.5 * draws[..., 1]
    for true, seen in ((0.5, True), (0.52, False)):
        found = [curves.ratio_interval(t, b, 0.1) for t, b in zip(top, below, strict=True)]
        missed = sum(not one["low"] <= true <= one["high"] for one in found)
        assert (abs(missed - 200) < 67) == seen
    missed = sum(not one["low"] <= 1 <= one["high"] for one in (curves.mean_interval(t, 0.1) for t in top))
    assert abs(missed - 200) < 67


def test_the_simulated_maximum_is_that_of_the_simulated_ratio() -> None:
    case = curves.at_slope(HEAD, Fraction(-1, 3))
    found = curves.place_of_maximum(case, n=500, failure=0.01, seed=1)
    z = curves.sampled(case, 500, curves.generator(1, "smoothing_ratio.place", case))
    grid = np.linspace(0, 1, 201)
    D = [float(curves.energies(curves.outputs(case, z, level))[0].mean()) for level in grid]
    assert found["estimate"] == pytest.approx(grid[int(np.argmin(D))], abs=1 / 200)


# -- the cosine


def test_the_constant_is_kept_and_nearly_met_by_a_law() -> None:
    law = {"tokens": [[["1"], ["1/1000"]]] * 6 + [[["2"], ["-2"]]]}
    gap = abs(float(ensemble.cosine(law, 0)) - float(ensemble.ratio(law, 0)))
    spread = float(ensemble.spread(law, 0))
    assert 0.99 * curves.constant() * spread < gap <= curves.constant() * spread


@pytest.mark.parametrize("law", ["gaussian", "sphere", "mixture", "student"])
def test_the_moments_of_drawn_laws_are_those_of_draws(law: str) -> None:
    d = 3
    z = cosine.draw(torch.Generator().manual_seed(7), 60_000, law, 2, d)
    A, B = curves.drawn_moments(law, d)
    shared = A - B
    products = (z[:, 0, :, None] * z[:, 1, None, :]).numpy()
    own = (z[:, 0, :, None] * z[:, 0, None, :]).numpy()
    error = products.std(0) / len(z) ** 0.5
    assert np.all(abs(products.mean(0) - shared) < 6 * error)
    assert np.any(abs(products.mean(0) - shared * 1.1) > 6 * error)
    if law != "student":
        # whose squares have no variance
        assert np.all(abs(own.mean(0) - A) < 6 * own.std(0) / len(z) ** 0.5)
    with pytest.raises(ValueError, match="expected one of"):
        curves.drawn_moments("cauchy", d)


def test_on_a_line_the_sphere_is_two_signs() -> None:
    mean, square = curves.on_sphere(1)
    assert mean == pytest.approx(math.erf(1 / math.sqrt(2)), abs=1e-8)
    assert square == pytest.approx(1, abs=1e-8)


def test_the_cosine_keeps_to_the_bound_and_follows_light_tails() -> None:
    lines = curves.cosine_lines("gaussian", (2, 32), k=4, n=400, failure=1e-4, seed=0)
    for line in lines.values():
        far = np.abs(np.array(line["estimate"]) - np.array(line["ratio"]))
        assert np.all(far < np.array(line["bound"]))
        assert far[1] < 0.02
    assert lines["local"]["ratio"] != lines["averaged"]["ratio"]


# -- the map


@pytest.mark.parametrize("kind", curves.KINDS)
def test_heads_are_drawn_from_seed_and_index_alone(kind: str) -> None:
    one = curves.random_case(kind, "gaussian", 1, 2)
    assert one == curves.random_case(kind, "gaussian", 1, 2)
    assert one != curves.random_case(kind, "gaussian", 1, 3)
    x, y = curves.plane(Case(one))
    _, B = curves.second_moments(one)
    assert x * x <= float(np.trace(B)) * y * (1 + 1e-12)


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="kind = 'sparse'"):
        curves.random_case("sparse", "gaussian", 0, 0)


@pytest.mark.parametrize("slope", ["1", "-1/4", "-3/4", "-3/2"])
def test_a_head_changes_R_as_derived(slope: str) -> None:
    case = curves.at_slope({**HEAD, "law": curves.TAILS}, Fraction(slope))
    found = curves.head(case, n=4000, failure=1e-5, seed=0)
    held = found["ratio"]
    assert held["low"] <= found["derived"] <= held["high"]
    assert not held["low"] <= found["derived"] + 0.5 <= held["high"]
    assert found["x"] / found["y"] == pytest.approx(float(Fraction(slope)))
    assert (found["ends"] == "rises") == (found["derived"] > 0)


def test_on_rays_the_cosine_falls_where_R_rises() -> None:
    found = curves.head(curves.at_slope(under(curves.RAYS), Fraction(1)), n=500, failure=1e-5, seed=0)
    assert found["region"] == "rises"
    assert found["wrong"] == {"cosine": True, "ratio": False}


def test_a_change_is_against_a_sign_only_if_its_interval_is() -> None:
    up, down, both = {"low": 0.1, "high": 0.2}, {"low": -0.2, "high": -0.1}, {"low": -0.1, "high": 0.1}
    assert [curves.against("rises", change) for change in (up, down, both)] == [False, True, False]
    assert [curves.against("falls", change) for change in (up, down, both)] == [True, False, False]
    assert not any(curves.against("between", change) for change in (up, down, both))


# -- representability


def test_the_probability_is_one_up_to_d_and_a_half_at_2d() -> None:
    for d in (2, 3, 8):
        found = curves.probabilities(d, list(range(1, 4 * d)))
        assert found[:d] == [1.0] * d
        assert found[2 * d - 1] == 0.5
        assert all(a > b for a, b in zip(found[d - 1 :], found[d:], strict=False))
    # N arcs of a half circle on the circle: some token is the first of a half circle
    assert curves.probabilities(2, [5]) == [5 / 2**4]


def test_hulls_avoid_0_as_certified() -> None:
    random = np.random.default_rng(4)
    seen = set()
    for _ in range(60):
        vectors = random.standard_normal((8, 4))
        certified = separate([[Fraction(entry) for entry in row] for row in vectors.tolist()])
        assert certified is not None
        assert curves.avoids(vectors) == certified.separable
        seen.add(certified.separable)
    assert seen == {True, False}
    with pytest.raises(ArithmeticError, match="float64 cannot decide"):
        curves.avoids(np.array([[1.0, 1e-9], [-1.0, 1e-9]]))


@pytest.mark.parametrize("mask", ["full", "causal", "window 2"])
def test_masks_are_decided_as_by_certificates(mask: str) -> None:
    d, N, draws = 2, 5, 40
    found = curves.mask_frequencies(d, [N], mask, draws=draws, failure=0.01, seed=0)
    seen = {"full": representability.full, "causal": representability.causal, "window 2": representability.window(2)}
    random = curves.generator(0, "representability.mask", [d, N, mask])
    z = torch.randn((draws, N + 1, d), generator=random, dtype=torch.float64)
    hits = 0
    for rows in (z / z.norm(dim=2, keepdim=True)).tolist():
        exact = [[str(Fraction(entry)) for entry in row] for row in rows]
        one = representability.representable(exact, range(1, N + 1), seen[mask])
        assert one is not None
        hits += one.separable
    assert found["estimate"] == [hits / draws]
    assert 0 < hits < draws


def test_both_ways_to_count_on_the_sphere_agree_with_the_derived_probability(monkeypatch: pytest.MonkeyPatch) -> None:
    def inside(wrong: int = 0) -> bool:
        found = curves.sphere_frequencies(3, [5, 7], n=2000, few=1500, failure=1e-4, seed=0)
        true = curves.probabilities(3 + wrong, [5, 7])
        return all(a <= p <= b for a, p, b in zip(found["low"], true, found["high"], strict=True))

    assert inside()
    assert not inside(1)
    monkeypatch.setattr(representability, "MINORS", 1)
    assert curves.sphere_frequencies(3, [5], n=2000, few=10, failure=0.01, seed=0)["draws"] == [10]
    assert inside()
    assert not inside(1)
