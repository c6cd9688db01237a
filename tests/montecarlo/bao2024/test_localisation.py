"""Section 4 and Lemma 2, empirical checks: slopes against mpmath, simulations at exact values, searches and bounds."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
import torch
from torch import Tensor

from montecarlo import registry
from montecarlo.bao2024 import localisation
from montecarlo.bao2024.localisation import DERIVED
from montecarlo.directly import evaluate, run_search
from montecarlo.empirical_checks import Evaluation, Search, Simulation
from montecarlo.engine import draw
from montecarlo.walks import Walks

SEC4, APPC = "bao2024.sec4.", "bao2024.appC."
LARGEST_Z = 5.0


def mean_of(theta: Any, xi: Any, eta: Any) -> Any:
    """A mean and a variance of the tests' own."""
    return (theta - 0.5) * xi * eta


def variance_of(theta: Any, xi: Any, eta: Any) -> Any:
    return (theta**2 + theta / 2 + 0.25) * eta**2


def rho(t: Any, x: Any, e: Any) -> Any:
    """P(0 <= N(mean, variance) <= 1) by mpmath's error function."""
    mean, root = mean_of(t, x, e), mpmath.sqrt(2 * variance_of(t, x, e))
    return (mpmath.erf((1 - mean) / root) + mpmath.erf(mean / root)) / 2


def slope(theta: float, xi: float, eta: float) -> Any:
    """rho' by differences in 60 digits."""
    with mpmath.workdps(60):
        place = [mpmath.mpf(v) for v in (theta, xi, eta)]
        return mpmath.diff(lambda t: rho(t, *place[1:]), place[0], h=mpmath.mpf(10) ** -20)


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def close(values: Tensor, wanted: float, spread: float | None = None) -> bool:
    """Whether an average lies within LARGEST_Z standard errors."""
    error = float(values.double().std()) / math.sqrt(len(values)) if spread is None else spread
    return abs(float(values.double().mean()) - wanted) <= LARGEST_Z * error + 1e-12


# -- evaluations


def test_the_slope_is_within_its_error_bound() -> None:
    """All scales of xi and eta, both signs of xi, and the ends of [0, 1]; the bound is small."""
    numbers = np.random.default_rng(3)
    places = [(t, x, e) for t in (0.0, 0.5, 1.0) for x in (-3.0, 0.0, 5.0) for e in (0.25, 1.0, 256.0)]
    places += [
        (
            float(numbers.uniform()),
            float(numbers.choice([-1, 1]) * 2 ** numbers.uniform(-16, 3)),
            2 ** numbers.uniform(-2, 8),
        )
        for _ in range(60)
    ]
    worst = 0.0
    for theta, xi, eta in places:
        found = localisation.slope(theta, xi, eta, mean_of, variance_of)
        bound = localisation._slope_error(theta, xi, eta)
        off = abs(found - slope(theta, xi, eta))
        assert off <= bound < 1e-10
        worst = max(worst, float(off / bound))
    assert worst > 1e-5, "the bound says nothing"


def test_the_evaluation_of_the_derivative() -> None:
    entry = registry.find(APPC + "lemma2-derivative")
    assert isinstance(entry, Evaluation)
    case = {"theta": "3/8", "xi": "2", "eta": "1/2", "mean_of": mean_of, "variance_of": variance_of}
    value, error = evaluate(entry, case)["slope"]
    assert abs(value - slope(0.375, 2.0, 0.5)) <= error < 1e-11
    # another variance has another slope
    other, _ = evaluate(entry, case | {"variance_of": lambda theta, xi, eta: 0.25 * eta**2 + 0 * theta})["slope"]
    assert abs(other - value) > 1e-2


@pytest.mark.parametrize(("theta", "eta"), [(0.5, 1.0), (0.125, 0.25), (1.0, 4.0), (0.0, 2.0)])
def test_the_limit_as_xi_vanishes(theta: float, eta: float) -> None:
    """Richardson's value against mpmath's slope at xi = 0, within the stated error."""
    entry = registry.find(SEC4 + "lemma2-3")
    assert isinstance(entry, Evaluation)
    case = {"theta": str(theta), "eta": str(eta), "mean_of": mean_of, "variance_of": variance_of}
    value, error = evaluate(entry, case)["slope"]
    exact = slope(theta, 0.0, eta)
    assert abs(value - exact) <= error < 1e-7
    # off the limit by as much as one can see
    assert abs(value - slope(theta, 0.05, eta)) > error


def test_a_quotient() -> None:
    entry = registry.find(SEC4 + "fig3-eta")
    assert isinstance(entry, Evaluation)
    for product, xi in (("3", "7"), ("1/3", "11"), ("-5/7", "2")):
        value, error = evaluate(entry, {"product": product, "xi": xi})["eta"]
        assert abs(Fraction(value) - Fraction(product) / Fraction(xi)) <= error < 1e-15


# -- simulations


@pytest.mark.parametrize(("mean", "variance"), [(0.5, 1.0), (0.0, 0.0625), (-1.0, 2.0), (1.0, 1.0)])
def test_a_normal_law(mean: float, variance: float) -> None:
    """The part in [0, 1] against math.erf; all numbers are 0 or 1, and both ends count."""
    root = math.sqrt(2 * variance)
    wanted = (math.erf((1 - mean) / root) + math.erf(mean / root)) / 2
    found = localisation.gaussian_rho(generator(), 200_000, mean, variance)["rho"]
    again = localisation._rho(generator(1), 200_000, mean, variance)
    for values in (found, again):
        assert set(values.tolist()) <= {0.0, 1.0}
        assert close(values, wanted)
        assert not close(values, wanted + 0.02)
    assert localisation._inside(torch.tensor([0.0, 1.0, 0.5, -1e-9, 1 + 1e-9], dtype=torch.float64)).tolist() == [
        1,
        1,
        1,
        0,
        0,
    ]


def test_walks_of_two_eigenvalues_are_those_of_matrices() -> None:
    """The part of scores in [0, 1], against walks of 32 tokens in d = 3 with W = diag(w, w, -w) and numpy alone."""
    T, i, size, n = localisation.LENGTH, 8, 0.4, 30_000
    numbers = np.random.default_rng(5)
    walk = numbers.standard_normal((n, T, 3)).cumsum(axis=1)
    scores = np.einsum("ntd,d,nd->nt", walk, np.array([size, size, -size]), walk[:, -1])
    values = scores[:, i - 1] / T - scores.mean(axis=1) / T + 1 / T
    part = ((values >= 0) & (values <= 1)).mean()
    found = localisation._walks(generator(2), n, i / T, size, 2.0, 1.0)
    found = found.double()
    assert abs(float(found.mean()) - part) < LARGEST_Z * math.sqrt(2 * part * (1 - part) / n)
    # the multiplicities the other way round are another law
    other = localisation._walks(generator(2), n, i / T, size, 1.0, 2.0)
    assert abs(float(other.double().mean()) - part) > LARGEST_Z * math.sqrt(2 * part * (1 - part) / n)


@pytest.mark.parametrize(
    ("claim", "names"),
    [
        ("lemma2-1", {"rho", "rho@exact law, T -> infinity first", DERIVED}),
        ("lemma2-2", {"rho", "rho@exact law, T -> infinity first", DERIVED}),
        ("lemma2-4", {"rho", "rho@exact law, T >= 2", DERIVED}),
    ],
)
def test_lemma_2_samples_the_definition_and_the_walk(
    claim: str, names: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = registry.find(SEC4 + claim)
    assert isinstance(entry, Simulation)
    case: dict[str, Any] = {"theta": "1/4", "mean": "1/4", "variance": "1/9", "size": "1/2", "up": "3", "down": "1"}
    case |= {"xi": "1", "eta": "2"}
    sample = draw(entry, case, walks=40_000, seed=0, claim_id=SEC4 + claim, key="test")
    assert set(sample.estimates) == names
    root = math.sqrt(2 / 9)
    wanted = (math.erf(0.75 / root) + math.erf(0.25 / root)) / 2
    assert abs(sample["rho"].mean - wanted) < LARGEST_Z * sample["rho"].std_error
    # the score's own mean (theta - 1/2) xi eta and variance (2 theta^2 - 2 theta + 7/12) eta^2 in the limit
    own, spread = -0.5, 4 * (2 / 16 - 2 / 4 + 7 / 12)
    wanted = (math.erf((1 - own) / math.sqrt(2 * spread)) - math.erf(-own / math.sqrt(2 * spread))) / 2
    assert abs(sample[DERIVED].mean - wanted) < LARGEST_Z * sample[DERIVED].std_error
    (exact,) = (sample[name] for name in names if name not in ("rho", DERIVED))
    if "rho@exact law, T >= 2" not in names:
        # the law of the limit is that of long walks, up to terms in 1/T
        monkeypatch.setattr(localisation, "LENGTH", 4096)
    direct = localisation._walks(generator(9), 40_000, 0.25, 0.5, 3.0, 1.0)
    assert abs(exact.mean - float(direct.double().mean())) < LARGEST_Z * 1.5 * exact.std_error


ONE = torch.ones(1, 1, dtype=torch.float64)


def walks(T: int, n: int = 40_000) -> Walks:
    return Walks(torch.randn((T, 1, n), generator=generator(4), dtype=torch.float32), ONE, "sigma")


def moments(T: int, i: int) -> tuple[float, float]:
    """Mean and variance of <gamma^i, X x_T> + 1/T in one dimension, from Cov(x_s, x_t) = min(s, t)."""
    weights = np.eye(T)[i - 1] / T - 1 / T**2
    places = np.arange(1, T + 1)
    cross = float(weights @ places)
    own = float(weights @ np.minimum.outer(places, places) @ weights)
    return cross + 1 / T, own * T + cross**2


def test_scores_of_walks() -> None:
    """The mean with its offset, variances at lambda and at 1 on the same walks, and at the last token."""
    T, i, lam = 6, 2, 2.0
    mean, spread = moments(T, i)
    _, last = moments(T, T)
    found = localisation.eq6(walks(T), ONE, i)
    assert close(found["mean"], mean) and close(found["variance"], spread)
    assert not close(found["mean"], mean - 1 / T)
    both = localisation.fig2_eta(walks(T), ONE, i, lam)
    assert torch.allclose(both["variance"] * lam**2, both["variance_ref"])
    assert close(both["variance_ref"], spread)
    uniform = localisation.a1_uniform(walks(T), ONE, i, lam)
    assert close(uniform["variance"], spread / lam**2) and close(uniform["variance_last"], last / lam**2)
    assert not close(uniform["variance"], last / lam**2)


# -- searches


def test_the_search_for_xi_keeps_its_bounds_and_reaches_both_ends() -> None:
    entry = registry.find(SEC4 + "xi-eta-range")
    assert isinstance(entry, Search)
    points = run_search(entry, 200, seed=0)
    value, d, error = points.columns["value"], points.columns["d"], points.errors["value"]
    assert (d >= 2).all() and len(points) > 80
    assert (np.abs(value) <= np.sqrt(d) * (1 + 1e-12) + error).all()
    assert (value / np.sqrt(d)).max() > 1 - 1e-6 and (value / np.sqrt(d)).min() < -1 + 1e-6
    for k in range(0, len(points), 10):
        W, Sigma = (np.array(points.point(k)[name]) for name in ("W", "Sigma"))
        product = W @ Sigma
        xi = np.trace(product) / math.sqrt(np.trace(product @ product))
        assert abs(xi - value[k]) <= error[k] + 1e-9 * abs(xi)
        assert len(W) == d[k]


def test_the_search_against_the_inequality() -> None:
    """Values within their errors, violations of |X - Y| by much, none of the largest corner."""
    entry = registry.find(APPC + "lemma2-inequality")
    assert isinstance(entry, Search)
    points = run_search(entry, 200, seed=0)
    a, b, X, Y = (points.columns[name] for name in ("a", "b", "X", "Y"))
    value, error = points.columns["value"], points.errors["value"]
    with mpmath.workdps(40):
        for k in range(0, len(points), 5):
            exact = abs(mpmath.exp(-(mpmath.mpf(a[k]) ** 2)) * X[k] - mpmath.exp(-(mpmath.mpf(b[k]) ** 2)) * Y[k])
            assert abs(value[k] - exact) <= error[k]
    assert error.max() < 1e-12
    assert (value > np.abs(X - Y) + 0.1).sum() > 10
    corners = np.maximum(np.maximum(np.abs(X), np.abs(Y)), np.abs(X - Y))
    assert (value <= corners + error).all()
    # nearly sharp at each corner
    for corner in (np.abs(X), np.abs(Y), np.abs(X - Y)):
        with np.errstate(all="ignore"):
            assert (value / np.where(corner == corners, corner, np.inf)).max() > 0.999


def test_the_search_against_the_final_bound() -> None:
    """Values are slopes within their errors, at exact points of [0, 1] with xi, eta > 0."""
    entry = registry.find(APPC + "lemma2-final-bound")
    assert isinstance(entry, Search)
    handed = {"mean_of": mean_of, "variance_of": variance_of}
    points = run_search(entry, 60, seed=0, handed=handed)
    theta, xi, eta = (points.columns[name] for name in ("theta", "xi", "eta"))
    assert ((theta >= 0) & (theta <= 1)).all() and (xi > 0).all() and (eta > 0).all()
    for column in (theta, xi, eta):
        assert (column * 2.0**20 == np.round(column * 2.0**20)).all()
    for k in range(0, 60, 3):
        exact = abs(slope(float(theta[k]), float(xi[k]), float(eta[k])))
        assert abs(points.columns["value"][k] - exact) <= points.errors["value"][k] < 1e-9
    # small xi beside large ones
    assert xi.min() < 1e-3 and xi.max() > 1 and eta.max() > 16 and eta.min() < 1


# -- beside the simulations


@pytest.mark.parametrize("theta", [0.0, 1 / 48, 0.25, 0.5, 0.9, 1.0])
def test_the_limits_of_mean_and_variance_are_integrals_over_the_walk(theta: float) -> None:
    """With c(s) = [s < theta] - (1 - s) they are int c, and int c^2 + (int c)^2."""

    def c(s: Any) -> Any:
        return (s < theta) - (1 - s)

    first = mpmath.quad(c, [0, theta, 1])
    second = mpmath.quad(lambda s: c(s) ** 2, [0, theta, 1]) + first**2
    means, variances, error = localisation.limit_moments()
    assert error < 1e-9
    assert float(first) == pytest.approx(sum(a * theta**k for k, a in enumerate(means)), abs=error)
    assert float(second) == pytest.approx(sum(a * theta**k for k, a in enumerate(variances)), abs=error)


def test_the_unit_score_has_the_moments_of_sampled_walks() -> None:
    generator = torch.Generator().manual_seed(3)
    walks = Walks(torch.randn(6, 1, 200_000, generator=generator), torch.eye(1, dtype=torch.float64))
    one = torch.eye(1, dtype=torch.float64)
    score = walks.scores(one) @ torch.tensor([-1, -1, 5, -1, -1, -1], dtype=torch.float64) / 36
    mean, variance = localisation._unit_score(6, 3)
    assert abs(float(score.mean()) - mean) < LARGEST_Z * math.sqrt(variance / len(score))
    assert float(score.var()) == pytest.approx(variance, rel=0.03)


@pytest.mark.parametrize(("xi", "eta"), [("0", "1"), ("1", "1/2"), ("-2", "4")])
def test_rho_and_its_slope_beside_the_simulations(xi: str, eta: str) -> None:
    beside = registry.beside(SEC4 + "eq6")
    assert beside is not None
    x, e = float(Fraction(xi)), float(Fraction(eta))

    def limiting(t: Any, x: float = x) -> Any:
        mean, v = (t - mpmath.mpf(1) / 2) * x * e, (t**3 / 3 + (1 - t) ** 3 / 3 + (t - mpmath.mpf(1) / 2) ** 2) * e**2
        return mpmath.ncdf((1 - mean) / mpmath.sqrt(v)) - mpmath.ncdf(-mean / mpmath.sqrt(v))

    value, error = evaluate(beside, {"i": 3, "T": 8, "xi": xi, "eta": eta})["rho"]
    assert abs(value - float(limiting(mpmath.mpf(3) / 8))) <= error < 1e-7
    uniform = registry.beside(SEC4 + "a1-uniform")
    assert uniform is not None
    value, error = evaluate(uniform, {"i": 3, "T": 8, "eta": eta})["slope"]
    assert abs(value - float(mpmath.diff(lambda t: limiting(t, 0.0), mpmath.mpf(3) / 8))) <= error < 1e-6


def test_eta_beside_the_simulation_is_that_of_the_mean() -> None:
    beside = registry.beside(SEC4 + "fig2-eta")
    assert beside is not None
    case = {"W": [["1", "2"], ["2", "-3"]], "Sigma": [["2", "1"], ["1", "1"]], "lam": "2"}
    product = np.array([[1, 2], [2, -3]]) @ np.array([[2, 1], [1, 1]])
    value, error = evaluate(beside, case)["eta"]
    assert abs(value - math.sqrt(np.trace(product @ product)) / 2) <= error < 1e-9
    # xi = 0 has no eta
    assert evaluate(beside, {**case, "W": [["1", "0"], ["0", "-1"]], "Sigma": [["1", "0"], ["0", "1"]]}) == {}
