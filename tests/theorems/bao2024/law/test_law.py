"""The law of the linearised score: its kernel, cumulants and weights against the definition, rho against sampling."""

from __future__ import annotations

import math
import time
import tracemalloc
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy as sp
from scipy import stats

from theorems.algebra.ratio import Ratio
from theorems.bao2024 import law
from theorems.bao2024.law import (
    approximation_error,
    cumulant,
    distance_bound,
    excess_kurtosis,
    gaussian_rho,
    kernel_values,
    limit_kernel,
    moments,
    rho,
    rho_limit,
    rho_matrix,
    score_kernel,
    skewness,
    spectra,
    spectrum,
    weights,
)
from theorems.bao2024.law.certified import certified, certified_probability
from theorems.bao2024.law.kernels import token_kernels
from theorems.bao2024.law.quadrature import intervals, probability
from theorems.bao2024.law.transform import Array
from theorems.bao2024.lemma1 import score
from theorems.gaussian.process import random_walk

COVARIANCES: dict[str, Callable[[int, int], int]] = {
    "sigma": min,
    "zero": lambda s, t: min(s, t) - 1,
    "iid": lambda s, t: int(s == t),
    "line": lambda s, t: s * t,
}


def definition(T: int, i: int) -> list[Fraction]:
    """gamma^i from the softmax itself: d/dw_a of exp(w_i)/sum exp(w) at 0 is S_i (1_{a = i} - S_a), S = 1/T."""
    share = Fraction(1, T)
    return [share * ((a == i) - share) for a in range(1, T + 1)]


@pytest.mark.parametrize("start", COVARIANCES)
def test_the_kernel_is_the_covariance_of_y_and_the_last_token(start: str) -> None:
    between = COVARIANCES[start]
    for T in (1, 2, 3, 6):
        for i in range(1, T + 1):
            slope, tokens = definition(T, i), range(1, T + 1)
            a = sum((slope[s - 1] * slope[t - 1] * between(s, t) for s in tokens for t in tokens), Fraction(0))
            c = sum((slope[s - 1] * between(s, T) for s in tokens), Fraction(0))
            assert kernel_values(T, i, start) == (a, Fraction(between(T, T)), c), (T, i)


def test_a_start_with_a_mean_and_a_token_out_of_range_are_refused() -> None:
    with pytest.raises(ValueError, match="mean that is not 0"):
        score_kernel("mean")
    with pytest.raises(ValueError, match="expected one of"):
        score_kernel("nowhere")
    with pytest.raises(ValueError, match="i = 4; expected 1 to 3"):
        kernel_values(3, 4)


@pytest.mark.parametrize(("start", "symmetric", "top"), [("sigma", True, 4), ("zero", True, 4), ("sigma", False, 3)])
def test_cumulants_agree_with_the_contraction_engine(start: str, symmetric: bool, top: int) -> None:
    walk = random_walk("i", "T", start=start, symmetric=symmetric)
    i, T = walk.positions
    f = score(walk, i, T, Ratio.of("lam"))
    raw, power = [Ratio.of(1)], f
    for _ in range(top):
        raw.append(walk.expect(power).ratio)
        power = power * f
    kappa: list[Ratio] = [Ratio.of(0)]
    for n in range(1, top + 1):
        rest = sum((math.comb(n - 1, k - 1) * kappa[k] * raw[n - k] for k in range(1, n)), Ratio.of(0))
        kappa.append(raw[n] - rest)
        assert cumulant(n, start, symmetric) == kappa[n], n
        assert cumulant(n, start, symmetric) * 2 != kappa[n]
    if symmetric:
        assert walk.variance(f).ratio == cumulant(2, start)


def test_cumulants_are_those_of_the_weights() -> None:
    values, T, i, lam = np.array([0.7, -0.4, 1.1]), 6, 2, 1.5
    alphas, counts = weights(values, [1, 2, 1], kernel_values(T, i))
    for n in range(1, 11):
        at = {"i": i, "T": T, "lam": lam, f"tr{n}": float(np.sum(np.array([1, 2, 1]) * values**n))}
        direct = 2 ** (n - 1) * math.factorial(n - 1) * float(np.sum(counts * alphas**n)) / lam**n
        assert cumulant(n).at(at) == pytest.approx(direct, rel=1e-12)
    with pytest.raises(ValueError, match="n = 0; expected 1 to 60"):
        cumulant(0)


def test_shape_is_the_ratio_of_cumulants_and_tends_to_its_limit() -> None:
    i, T, lam, theta = sp.symbols("i T lam theta")
    second = cumulant(2).expr
    point = {"i": 3, "T": 7, "lam": 2, "tr2": 5, "tr3": -3, "tr4": 11}
    assert (skewness() - cumulant(3).expr / second ** sp.Rational(3, 2)).subs(point).evalf(30) == pytest.approx(0)
    assert sp.simplify(excess_kurtosis() - cumulant(4).expr / second**2) == 0
    for finite, limit in ((skewness(), skewness(limit=True)), (excess_kurtosis(), excess_kurtosis(limit=True))):
        assert not limit.has(T, i, lam)
        gaps = []
        for size in (10**3, 10**6):
            near = finite.subs({i: theta * size, T: size}).subs({**point, theta: sp.Rational(1, 3)})
            gaps.append(abs(float(near - limit.subs({**point, theta: sp.Rational(1, 3)}))))
        assert gaps[1] < gaps[0] / 500 and gaps[1] < 1e-5


def dense(T: int, i: int, W: Array, Sigma: Array, start: str) -> Array:
    """The weights of sum_a gamma_a x_a^T W x_T from the whole walk's T d coordinates, increasing by size."""
    d = len(W)
    slope = np.array([float(g) for g in definition(T, i)])
    form = np.zeros((T * d, T * d))
    form[:, (T - 1) * d :] = np.kron(slope[:, None], W)
    scalar = np.array([[float(COVARIANCES[start](s, t)) for t in range(1, T + 1)] for s in range(1, T + 1)])
    values, vectors = np.linalg.eigh(np.kron(scalar, Sigma))
    root = vectors * np.sqrt(np.maximum(values, 0))
    found = np.linalg.eigvalsh(root.T @ (form + form.T) @ root / 2)
    return np.sort(found[np.argsort(-np.abs(found))[: 2 * d]])


def matrices(seed: int, d: int, symmetric: bool, rank: int) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    W, root = rng.normal(size=(d, d)), rng.normal(size=(d, rank))
    return (W + W.T if symmetric else W), root @ root.T


@pytest.mark.parametrize("start", COVARIANCES)
@pytest.mark.parametrize(("symmetric", "rank"), [(True, 3), (False, 3), (False, 2), (True, 1)])
def test_weights_are_those_of_the_whole_walk(start: str, symmetric: bool, rank: int) -> None:
    W, Sigma = matrices(4, 3, symmetric, rank)
    for T, i in ((4, 1), (4, 3), (3, 3)):
        kernel = kernel_values(T, i, start)
        truth = dense(T, i, W, Sigma, start)
        size = np.max(np.abs(truth)) + 1e-300
        core, _ = spectra.matrices(W, Sigma)
        assert np.allclose(spectra.block_weights(core, [kernel])[0], truth, rtol=0, atol=1e-12 * size + 1e-15)
        if symmetric:
            alphas, counts = weights(*spectrum(W, Sigma), kernel)
            assert np.allclose(np.sort(np.repeat(alphas, counts.astype(int))), truth, atol=1e-12 * size + 1e-15)
        if np.max(np.abs(truth)) > 1e-9:
            # a kernel without its covariance c is told apart
            other = spectra.block_weights(core, [(kernel[0] * 2, kernel[1], -kernel[2])])[0]
            assert not np.allclose(other, truth, atol=1e-6)


def test_spectrum_needs_a_symmetric_matrix_and_a_covariance() -> None:
    with pytest.raises(ValueError, match="rho_matrix"):
        spectrum([[0, 1], [0, 0]], np.eye(2))
    with pytest.raises(ValueError, match="eigenvalue"):
        spectrum(np.eye(2), np.diag([1.0, -1.0]))
    with pytest.raises(ValueError, match="not symmetric"):
        spectrum(np.eye(2), [[1, 1], [0, 1]])
    with pytest.raises(ValueError, match="d by d"):
        spectrum(np.eye(2), np.eye(3))
    values, counts = spectrum(np.outer([1, 2, 3], [1, 2, 3]), np.eye(3))
    assert values.tolist() == pytest.approx([0, 14]) and counts.tolist() == [2, 1]


def sampled(T: int, W: Array, Sigma: Array, lam: float, start: str, walks: int, seed: int) -> Array:
    """How often each linearised score lies in [0, 1], from simulated walks."""
    rng = np.random.default_rng(seed)
    steps = rng.normal(size=(walks, T, len(W))) @ np.linalg.cholesky(Sigma).T
    if start == "zero":
        steps[:, 0] = 0
    tokens = np.cumsum(steps, axis=1)
    omega = np.einsum("nta,ab,nb->nt", tokens, W, tokens[:, -1]) / lam
    scores = omega / T - omega.sum(axis=1, keepdims=True) / T**2 + 1 / T
    return np.asarray(np.mean((scores >= 0) & (scores <= 1), axis=0))


@pytest.mark.parametrize(("symmetric", "start"), [(True, "sigma"), (True, "zero"), (False, "sigma")])
def test_rho_is_what_sampling_gives(symmetric: bool, start: str) -> None:
    W, Sigma = matrices(1, 3, symmetric, 3)
    if not symmetric:
        # mostly antisymmetric
        W = W - W.T + W / 4
    T, lam, walks = 5, 2.0, 200_000
    truth = rho_matrix(T, W, Sigma, lam, start).values
    hits = sampled(T, W, Sigma, lam, start, walks, 7)
    assert np.all(np.abs(hits - truth) < 5 * np.sqrt(truth * (1 - truth) / walks))
    if not symmetric:
        # the law of the symmetrised matrix is another one
        other = rho_matrix(T, (W + W.T) / 2, Sigma, lam, start).values
        assert np.any(np.abs(hits - other) > 10 * np.sqrt(other * (1 - other) / walks))


def test_rho_is_the_probability_of_each_token() -> None:
    values, counts, T, lam = [0.7, -0.4, 1.1], [1, 2, 1], 6, 1.5
    found = rho(T, values, counts, lam)
    assert found.values.shape == found.errors.shape == (T,)
    for i in range(1, T + 1):
        ends = [lam * (end - 1 / T) for end in (0, 1)]
        one = probability(*weights(values, counts, kernel_values(T, i)), *ends)
        assert abs(found.values[i - 1] - one.value) <= found.errors[i - 1] + one.error + 1e-15
    below, above = rho(T, values, counts, lam, low=-math.inf, high=0), rho(T, values, counts, lam, low=1, high=math.inf)
    assert np.allclose(below.values + found.values + above.values, 1, rtol=0, atol=1e-12)


@pytest.mark.parametrize("values", [[1.0], [0.0], [0.0, 0.0], [1.0, -1.0], []])
def test_one_token_has_the_score_one(values: list[float]) -> None:
    for start in ("sigma", "zero"):
        found = rho(1, values, start=start)
        assert found.values.tolist() == [1.0] and found.errors.tolist() == [0.0]
        assert rho(1, values, start=start, high=0.999).values.tolist() == [0.0]


def test_degenerate_spectra() -> None:
    assert rho(5, [0.0], [3]).values.tolist() == [1.0] * 5
    assert rho_matrix(5, np.zeros((2, 2)), np.eye(2)).values.tolist() == [1.0] * 5
    assert rho_matrix(5, [[0, 1], [0, 0]], np.zeros((2, 2))).values.tolist() == [1.0] * 5
    # x_1 = 0, T = 2: the scores are 1/2 -+ x_2^T W x_2/4, a single chi^2
    found = rho(2, [1.0], start="zero")
    assert np.allclose(found.values, stats.chi2(1).cdf(2), rtol=0, atol=1e-14)
    # d = 2 with equal eigenvalues w at theta = 1/2, where c = 0: Laplace with scale w sqrt(ab)
    ab, c = (value.at({"theta": 0.5}) for value in limit_kernel())
    assert c == 0
    middle = rho_limit(0.5, [3.0], [2])
    assert abs(middle.values[0] - (1 - math.exp(-1 / (3 * math.sqrt(ab)))) / 2) <= middle.errors[0]
    many = rho(8, [1e-6], [10**6])
    same = rho(8, np.full(1000, 1e-6), np.full(1000, 1000))
    assert np.all(np.abs(many.values - same.values) <= many.errors + same.errors)
    assert np.max(many.errors) < 1e-10


def test_rank_one_from_matrices_has_no_rounding_left() -> None:
    v = np.random.default_rng(3).normal(size=40)
    found = rho_matrix(10, np.outer(v, v) / (v @ v), np.eye(40))
    exact = rho(10, [1.0])
    assert np.allclose(found.values, exact.values, rtol=0, atol=1e-12) and np.max(found.errors) < 1e-11
    limit = rho_limit([0.1, 0.9], *spectrum(np.outer(v, v), np.eye(40)))
    assert np.max(limit.errors) < 1e-11


@pytest.mark.parametrize("tolerance", [1e-12, 1e-13])
def test_the_error_counts_a_peak_between_the_nodes_of_a_contour_s_edge(tolerance: float) -> None:
    """64 light weights beside three heavy ones: nodes 1/2 apart saw a 24th part of the edge's integral."""
    eigenvalues, counts = [3.066448481206758e-08, -0.016954446813590474, -1.323313454296106], [64, 2, 1]
    found = rho(2, eigenvalues, counts, 1.5695168628712238e-09, "zero", 0.0, 0.5, tolerance)
    for kernel, value, error in zip(token_kernels(2, "zero"), found.values, found.errors, strict=True):
        alphas, each = law.weights(eigenvalues, counts, kernel)
        low = -1.5695168628712238e-09 / 2
        truth = certified_probability(alphas.tolist(), [int(count) for count in each], low, 0.0, 60)
        assert abs(value - float(truth.mid())) <= error < 1e-10


def test_the_errors_are_small_and_the_call_is_fast() -> None:
    values = np.random.default_rng(0).normal(size=128)
    spent = []
    for _ in range(5):
        begun = time.perf_counter()
        found = rho(40, values, None, math.sqrt(128))
        spent.append(time.perf_counter() - begun)
    assert np.max(found.errors) < 1e-10
    # a few ms on one core; the margin is for a busy machine
    assert min(spent) < 0.1


def test_the_law_tends_to_its_limit() -> None:
    values, theta = [1.0, -0.3], Fraction(1, 4)
    limit = rho_limit(float(theta), values, lam=2.0)
    gaps = []
    for T in (400, 400_000):
        kernel = kernel_values(T, int(theta * T))
        found = probability(*weights(values, None, kernel), -2 / T, 2 - 2 / T)
        gaps.append(abs(found.value - limit.values[0]))
    assert gaps[1] < gaps[0] / 100 and gaps[1] < 1e-4
    with pytest.raises(ValueError, match="no limit law"):
        limit_kernel("line")
    with pytest.raises(ValueError, match="between 0 and 1"):
        rho_limit(1.5, values)


def test_the_gaussian_beside_it() -> None:
    mean, variance = np.array([0.0, 0.4, -9.0, 30.0, 2.0]), np.array([1.0, 0.01, 1.0, 4.0, 0.0])
    found = gaussian_rho(mean, variance)
    for k in range(4):
        law_ = stats.norm(mean[k], math.sqrt(variance[k]))
        side = law_.sf(0) - law_.sf(1) if mean[k] < 0 else law_.cdf(1) - law_.cdf(0)
        assert found[k] == pytest.approx(side, rel=1e-10)
    assert found[4] == 0 and gaussian_rho(1.0, 0.0) == 1
    with pytest.raises(ValueError, match="variance"):
        gaussian_rho(0.0, -1.0)


def test_moments_are_the_first_two_cumulants() -> None:
    values, T, lam = np.array([0.7, -0.4]), 6, 1.5
    mean, variance = moments(T, values, None, lam)
    for i in range(1, T + 1):
        at = {"i": i, "T": T, "lam": lam, "tr1": values.sum(), "tr2": (values**2).sum()}
        assert mean[i - 1] == pytest.approx(cumulant(1).at(at) + 1 / T)
        assert variance[i - 1] == pytest.approx(cumulant(2).at(at))


def test_the_approximation_error_falls_with_the_dimension_and_sees_a_wrong_variance() -> None:
    worst = [approximation_error(20, [1.0], [d], math.sqrt(d)).worst for d in (1, 16, 256)]
    assert worst[0] > worst[1] > worst[2] > 0
    ab, c = limit_kernel()

    def true_variance(theta: float) -> float:
        return ab.at({"theta": theta}) + c.at({"theta": theta}) ** 2

    T, counts = 2000, [128, 128]
    right = approximation_error(T, [1.0, -1.0], counts, 16.0, variance=true_variance)
    wrong = approximation_error(T, [1.0, -1.0], counts, 16.0, variance=lambda t: true_variance(t) + t)
    derived = approximation_error(T, [1.0, -1.0], counts, 16.0)
    assert right.worst == pytest.approx(derived.worst, abs=1e-3)
    assert wrong.worst > 10 * derived.worst
    assert abs(wrong.exact[wrong.token - 1] - wrong.gaussian[wrong.token - 1]) == wrong.worst
    shifted = approximation_error(20, [1.0], [16], 4.0, mean=lambda theta: c.at({"theta": theta}) + 1)
    assert shifted.worst > 0.1


def distance(alphas: Array, counts: Array) -> float:
    """sup_x |P(Q <= x) - P(N <= x)| over a grid."""
    mean, spread = float(alphas @ counts), math.sqrt(2 * float(alphas**2 @ counts))
    grid = np.linspace(-4, 4, 161)
    rows = np.repeat(alphas[None, :], len(grid), axis=0)
    exact = intervals(rows, counts, np.full(len(grid), -np.inf), mean + spread * grid, 1e-9)
    return float(np.max(np.abs(exact.values - stats.norm.cdf(grid))))


def test_the_distance_bound_holds_and_is_sharp_for_many_equal_weights() -> None:
    rng = np.random.default_rng(1)
    ratios = []
    for counts in ([20], [100], [10**4], [10**6], [30, 30], [8] * 5, [1] * 60, [500, 1]):
        for mixed in (False, True):
            alphas = np.abs(rng.normal(size=len(counts))) + 0.5
            if mixed:
                alphas[::2] *= -1
            true, bound = distance(alphas, np.array(counts, dtype=float)), distance_bound(alphas, counts)
            assert true <= bound, (counts, mixed, true, bound)
            ratios.append(true / bound)
    assert max(ratios) > 0.99
    assert distance_bound([1.0], [1]) == 1.0
    # the smallest multiplicity with a bound that says something, and how it falls
    assert distance_bound([1.0], [10]) < 1 and distance_bound([2.0], [4 * 10**5]) == pytest.approx(
        distance_bound([1.0], [10**5]) / 2, rel=1e-3
    )
    with pytest.raises(ValueError, match="point mass"):
        distance_bound([0.0, 1.0], [3, 0])


def test_each_line_of_the_bound_s_proof() -> None:
    rng = np.random.default_rng(6)
    t = np.geomspace(1e-3, 50, 400)
    z = np.concatenate([-t[::-1], t])
    assert np.all(np.abs(np.log(1 - 1j * z) + 1j * z - z**2 / 2) <= np.abs(z) ** 3 / 3 + 1e-15)
    for size in (3, 8, 40):
        beta = rng.normal(size=size)
        beta /= math.sqrt(2 * np.sum(beta**2))
        top, third = np.max(np.abs(beta)), np.sum(np.abs(beta) ** 3)
        f = np.exp(-0.5 * np.sum(np.log(1 - 2j * beta * t[:, None]) + 2j * beta * t[:, None], axis=1))
        g = np.exp(-(t**2) / 2)
        assert np.all(np.abs(f) >= g * (1 - 1e-12))
        assert np.all(np.abs(f - g) <= 4 / 3 * third * t**3 * np.abs(f) + 1e-15)
        assert np.all(np.abs(f) <= (1 + 4 * top**2 * t**2) ** (-1 / (8 * top**2)) * (1 + 1e-12))
        # with 1 for 4/3 the third line fails somewhere for weights of one sign
        one = np.abs(beta)
        f = np.exp(-0.5 * np.sum(np.log(1 - 2j * one * t[:, None]) + 2j * one * t[:, None], axis=1))
        assert np.any(np.abs(f - g) > third * t**3 * np.abs(f))


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: rho(0, [1.0]), "T = 0"),
        (lambda: rho(3, [1.0], lam=0.0), "lam"),
        (lambda: rho(3, [math.inf]), "finite"),
        (lambda: rho(3, [1.0], [1, 2]), "one for each"),
        (lambda: rho(3, [1.0], low=1, high=0), "low <= high"),
        (lambda: rho(3, [1.0], start="mean"), "mean that is not 0"),
        (lambda: law.rho_limit(0.5, [1.0], lam=-1.0), "lam"),
        (lambda: law.moments(4, [1e200]), "moderate size"),
        (lambda: law.approximation_error(4, [1e200]), "moderate size"),
        (lambda: rho(10**9, [1.0]), "T = 1000000000; expected 1 to 1000000"),
        (lambda: rho(2.5, [1.0]), "T = 2.5; expected a whole number"),  # type: ignore[arg-type]
        (lambda: rho(3, [10**400]), "eigenvalues = .*of the size of floats"),
        (lambda: rho(3, [1j]), "eigenvalues"),  # type: ignore[list-item]
        (lambda: rho(3, [1.0], [10**400]), "multiplicities = "),
        (lambda: rho(3, [1.0], lam=10**400), "lam = a whole number of more than 40 digits"),
        (lambda: rho(3, [1.0], low=-(10**400)), "low = "),
        (lambda: rho(3, [1.0], tolerance=1e-300), "tolerance"),
        (lambda: law.rho_limit(math.nan, [1.0]), "theta"),
        (lambda: law.kernel_limits(math.nan), "theta"),  # type: ignore[arg-type]
        (lambda: law.gaussian_rho(math.nan, 1), "mean"),
        (lambda: law.score_offset(0), "T = 0"),
        (lambda: cumulant(200), "n = 200; expected 1 to 60"),
        (lambda: law.approximation_error(3, [1.0], mean=lambda theta: 10**400), "mean"),
    ],
)
def test_bad_input_is_named(call: Callable[[], Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        call()


def test_numbers_may_be_fractions() -> None:
    given: Any = ([Fraction(1, 4)], None, Fraction(1, 2))
    assert np.array_equal(rho(3, *given).values, rho(3, [0.25], lam=0.5).values)


def test_a_matrix_at_the_end_of_floating_point_is_one_of_another_unit() -> None:
    W = np.array([[1.0, 1.0], [-1.0, 1.0]])
    unit = 2.0**1023
    assert np.array_equal(law.rho_matrix(50, W * unit, np.eye(2), unit).values, law.rho_matrix(50, W, np.eye(2)).values)


def test_the_blocks_of_many_tokens_are_not_held_at_once() -> None:
    """T = 10,000 at d = 512 would be 84 TB of them."""
    core, kernel = np.random.default_rng(2).standard_normal((24, 24)), kernel_values(5, 2)
    tracemalloc.start()
    found = spectra.block_weights(core, [kernel] * 1500)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.shape == (1500, 48) and np.all(found == found[0])
    assert peak < 1500 * 48**2 * 8 / 2


@pytest.mark.parametrize("power", [-1065, -1030, -600, 600, 1020])
def test_eigenvalues_over_lam_are_all_that_counts(power: int) -> None:
    """Also where both are so small that numbers have lost digits, for products of them have lost more."""
    values, lam = np.array([1.5, -0.25, 0.75]), 0.75
    some, scale = np.ldexp(values, power), math.ldexp(lam, power)
    for found, expected in (
        (rho(4, some, [2, 1, 1], scale), rho(4, values, [2, 1, 1], lam)),
        (rho_limit([0.25, 1.0], some, None, scale), rho_limit([0.25, 1.0], values, None, lam)),
    ):
        assert np.array_equal(found.values, expected.values) and np.array_equal(found.errors, expected.errors)
    assert np.array_equal(moments(4, some, None, scale), moments(4, values, None, lam))
    ball = certified(4, 2, [Fraction(value) for value in some.tolist()], [2, 1, 1], Fraction(scale))
    found = rho(4, some, [2, 1, 1], scale)
    assert abs(float(ball.mid()) - found.values[1]) <= found.errors[1] + float(ball.rad())


def test_an_end_beyond_all_floats_is_enclosed() -> None:
    for lam in (Fraction(10) ** 300, Fraction(10) ** 600):
        assert certified(4, 2, [Fraction(1, 10**300)], lam=lam).overlaps(1)
