"""Section 4 and Lemma 2: rho sampled from its definition and from walks, its slope by automatic differentiation."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import Tensor

from montecarlo.bao2024.lemma1 import full_score, linear
from montecarlo.bao2024.softmax import taylor
from montecarlo.bao2024.spectrum import eq5, traces
from montecarlo.draws import normals, uniforms
from montecarlo.empirical_checks import Points
from montecarlo.gram import combined_scores, lengths
from montecarlo.registry import evaluation, instance, search, simulation, variance
from montecarlo.walks import Walks

Function = Callable[..., Any]

#: Length of the walks whose spectrum realises (xi, eta).
LENGTH = 32
ROUNDOFF = 2.0**-53
#: A covariance whose least eigenvalue is above this part of the largest is definite, whatever is rounded.
DEFINITE = 1e-9


def _inside(values: Tensor) -> Tensor:
    """Whether a value lies in [0, 1]."""
    return (values >= 0) & (values <= 1)


@simulation("bao2024.sec4.gaussian-rho", bounded=(0, 1))
def gaussian_rho(generator: torch.Generator, n: int, mu: float, v: float) -> dict[str, Tensor]:
    """Whether N(mu, v) lies in [0, 1], (n,)."""
    return {"rho": _inside(math.sqrt(v) * normals(generator, n) + mu)}


@simulation("bao2024.sec4.eq6", degree={"variance": 4, "mean": 2})
def eq6(walk: Walks, W: Tensor, i: int) -> dict[str, Tensor]:
    """<gamma^i, X^T W x_T> + gamma_0^i: the mean (n,) and the variance (n // 2,), at lambda = 1."""
    score = full_score(walk, W, i, 1.0)
    return {"variance": variance(score), "mean": score}


#: Lengths at which a unit score is looked at, and values of theta = i/T, in eighths, at which polynomials are fitted.
LENGTHS, EIGHTHS = (64, 128, 256, 512, 1024), tuple(range(1, 9))
#: Simulations take the limits for exact: how near they must be known for that.
KNOWN = 1e-9
#: Where rho is evaluated.
PLACES = {"xi": ("0", "1", "-2", "1/2", "3"), "eta": ("1", "1/2", "4")}


def _unit_score(T: int, i: int) -> tuple[float, float]:
    """Mean and variance of the i-th score of a walk of T tokens in one dimension, W = Sigma = lambda = 1.

    With x_t = z_1 + ... + z_t it is (c . z)(1 . z), c_s the sum of gamma_t over t >= s, for standard normals z: its
    mean is c . 1, its variance |c|^2 |1|^2 + (c . 1)^2.
    """
    c = taylor(T, i)[0].flip(0).cumsum(0)
    mean = float(c.sum())
    return mean, T * float((c**2).sum()) + mean**2


@lru_cache(maxsize=1)
def limit_moments() -> tuple[tuple[float, ...], tuple[float, ...], float]:
    """Mean and variance of the unit score as T -> infinity, coefficients of polynomials in theta, and their error.

    At finite T both are polynomials in 1/T for fixed theta (sums of powers of s), so that Neville's scheme gives the
    limit. The mean is affine and the variance quadratic in theta; what a fit leaves at eight places, and the last two
    orders of the scheme, bound the error with what is rounded. Raises ArithmeticError for limits that are not KNOWN.
    """
    found, worst = [], 0.0
    for part, degree in ((0, 1), (1, 2)):
        limits = []
        for k in EIGHTHS:
            row = [_unit_score(T, T * k // 8)[part] for T in LENGTHS]
            for order in range(1, len(LENGTHS)):
                before = row
                row = [(2**order * b - a) / (2**order - 1) for a, b in pairwise(row)]
            worst = max(worst, abs(row[-1] - before[-1]))
            limits.append(row[-1])
        places = np.array(EIGHTHS) / 8
        fitted = np.polynomial.polynomial.polyfit(places, limits, degree)
        worst = max(worst, float(abs(np.polynomial.polynomial.polyval(places, fitted) - limits).max()))
        found.append(tuple(float(c) for c in fitted))
    error = 16 * worst + 2.0**-40
    if error > KNOWN:
        raise ArithmeticError(f"the limits of the unit score's mean and variance are known within {error:.1e} only")
    return found[0], found[1], error


def limit_mean(theta: Any, xi: float, eta: float) -> Any:
    """The limit of the score's mean for tr(W)/lambda = xi eta: sums over the eigenvalues of W are those of means."""
    return xi * eta * _polynomial(limit_moments()[0], theta)


def limit_variance(theta: Any, xi: float, eta: float) -> Any:
    """The limit of the score's variance for tr(W^2)/lambda^2 = eta^2; the eigenvalues' directions are independent."""
    return eta**2 * _polynomial(limit_moments()[1], theta)


def _polynomial(coefficients: tuple[float, ...], theta: Any) -> Any:
    return sum(c * theta**k for k, c in enumerate(coefficients))


@evaluation("bao2024.sec4.eq6", beside=True, at=PLACES)
def limit_rho(i: int, T: int, xi: float, eta: float) -> dict[str, tuple[float, float]]:
    """P(0 <= N <= 1) of the normal law with the limits of the score's mean and variance, at theta = i/T.

    With unit variance v the arguments are (xi m, xi m - 1/eta)/sqrt(v); an error e of m and v moves each by at most
    (|xi| + (|xi m| + 1/eta)/v) e/sqrt(v).
    """
    theta = torch.tensor(i / T, dtype=torch.float64)
    mean, variance = limit_mean(theta, xi, eta), limit_variance(theta, xi, eta)
    m, v = (abs(float(_polynomial(c, theta))) for c in limit_moments()[:2])
    off = (abs(xi) + (abs(xi) * m + 1 / eta) / v) * limit_moments()[2] / math.sqrt(v)
    return {"rho": (float(_normal_probability(mean, variance)), 4 * off)}


@instance("bao2024.sec4.eq6")
def matrices_of(i: str, T: str, xi: str, eta: str) -> dict[str, Any]:
    """W = diag(eta/4, ..., -eta/4, ...) and Sigma = I in 16 dimensions: tr(W^2) = eta^2, and tr(W) = xi eta.

    8 + 2 xi of the eigenvalues are positive, so xi is a multiple of 1/2 between -4 and 4.
    """
    up, size = 8 + 2 * Fraction(xi), Fraction(eta) / 4
    if up.denominator != 1 or not 0 <= up <= 16:
        raise ValueError(f"xi = {xi}; expected a multiple of 1/2 from -4 to 4")
    signs = [1 if k < up else -1 for k in range(16)]
    return {
        "d": 16,
        "theta": Fraction(i) / Fraction(T),
        "W": [[sign * size if r == k else 0 for k in range(16)] for r, sign in enumerate(signs)],
        "Sigma": [[int(r == k) for k in range(16)] for r in range(16)],
    }


@simulation("bao2024.sec4.fig2-eta", degree=4)
def fig2_eta(walk: Walks, W: Tensor, i: int, lam: float) -> dict[str, Tensor]:
    """Variances of the score at lambda, and at 1 for the same walks, (n // 2,)."""
    return {
        "variance": variance(full_score(walk, W, i, lam)),
        "variance_ref": variance(full_score(walk, W, i, 1.0)),
    }


@evaluation("bao2024.sec4.fig2-eta", beside=True)
def eta_of_the_mean(W: Tensor, Sigma: Tensor, lam: float) -> dict[str, tuple[float, float]]:
    """eta with mean = (theta - 1/2) xi eta: what the limit of the mean gains over theta, over xi.

    E[x_t^T W_QK x_T] = t tr(W), so that the mean is tr(W)/lambda times that of the unit score. No number for xi = 0.
    """
    product, sizes = W @ Sigma, W.abs() @ Sigma.abs()
    trace, square = float(product.trace()), float((product * product.T).sum())
    off = 8 * len(W) * ROUNDOFF * float(sizes.trace())
    blur = 8 * len(W) ** 2 * ROUNDOFF * float((sizes * sizes.T).sum())
    if abs(trace) <= 4 * off or square <= 4 * blur:
        return {}
    gained = limit_moments()[0][1] * trace / lam
    value = gained / (trace / math.sqrt(square))
    return {"eta": (value, abs(value) * (limit_moments()[2] + 2 * off / abs(trace) + blur / square + 16 * ROUNDOFF))}


@evaluation("bao2024.sec4.fig3-eta")
def fig3_eta(xi: float, product: float) -> dict[str, tuple[float, float]]:
    """eta = (xi eta)/xi in float64; two roundings of numbers and one of a quotient."""
    value = product / xi
    return {"eta": (value, 4 * ROUNDOFF * abs(value))}


@simulation("bao2024.sec4.a1-uniform", degree=4)
def a1_uniform(walk: Walks, W: Tensor, i: int, lam: float) -> dict[str, Tensor]:
    """Variances of the score at token i and at the last token, (n // 2,)."""
    scores = walk.scores(W) / lam
    return {"variance": variance(linear(scores, i)), "variance_last": variance(linear(scores, walk.T))}


@evaluation("bao2024.sec4.a1-uniform", beside=True, at={"eta": PLACES["eta"]})
def uniform_slope(i: int, T: int, eta: float) -> dict[str, tuple[float, float]]:
    """rho'(theta) at xi = 0 and theta = i/T, by automatic differentiation, with the limits of mean and variance.

    With unit variance v it is a density up to 1/(eta sqrt(v)) times v'/v; an error e of v moves it by a few e/v of its
    terms, which 1/(eta v)^k, k <= 3, bound.
    """
    value = slope(i / T, 0.0, eta, limit_mean, limit_variance)
    v = abs(float(_polynomial(limit_moments()[1], i / T)))
    return {"slope": (value, 16 * limit_moments()[2] * (1 + 1 / (eta * v)) ** 3)}


@instance("bao2024.sec4.a1-uniform")
def traceless(i: str, T: str, eta: str, lam: str) -> dict[str, Any]:
    """A W with tr(W) = 0 and tr(W^2)/lambda^2 = eta^2."""
    return matrices_of(i, T, "0", str(Fraction(eta) * Fraction(lam)))


# -- Lemma 2


def _rho(generator: torch.Generator, n: int, mean: float, spread: float) -> Tensor:
    """Whether N(mean, spread) lies in [0, 1], (n,)."""
    return _inside(mean + math.sqrt(spread) * normals(generator, n))


def _walks(generator: torch.Generator, n: int, theta: float, size: float, up: float, down: float) -> Tensor:
    """Whether the score of token theta T lies in [0, 1], (n,), for walks with eigenvalues +size and -size.

    ``up`` and ``down`` are their multiplicities; lambda = 1.
    """
    spectrum = [(w, round(m)) for w, m in ((size, up), (-size, down)) if m]
    gamma, offset = taylor(LENGTH, round(theta * LENGTH))
    return _inside(combined_scores(generator, n, spectrum, gamma[None])[:, 0] + float(offset))


def _limit_walks(generator: torch.Generator, n: int, theta: float, size: float, up: float, down: float) -> Tensor:
    """The same as T -> infinity, (n,): the law of the score whose unit score has the limits of mean and variance.

    The unit score is (c . z)(1 . z), two jointly normal numbers g and h at every T, so in the limit too: given h it is
    m h^2 + s h z with mean m and variance 2 m^2 + s^2; the eigenvalues' directions are independent.
    """
    spectrum = [(w, round(m)) for w, m in ((size, up), (-size, down)) if m]
    level, spread = lengths(generator, n, [w for w, _ in spectrum], [m for _, m in spectrum])
    mean, spread_of_one = float(limit_mean(theta, 1.0, 1.0)), float(limit_variance(theta, 1.0, 1.0))
    z = normals(generator, n, 1)
    return _inside((mean * level + math.sqrt(max(spread_of_one - 2 * mean**2, 0.0)) * spread * z)[:, 0])


#: rho with the mean and variance that the score has in the limit, in the place of the printed ones.
DERIVED = "rho@rho with the derived variance"


def _simulate(part: str, law: str, walks: Callable[..., Tensor]) -> None:
    """Register a part of Lemma 2: rho from its definition, N(mean, variance), and from walks that realise (xi, eta).

    The last one is that of the normal law with the limits of the score's own mean and variance.
    """

    @simulation(part, bounded=(0, 1))
    def lemma2(
        generator: torch.Generator,
        n: int,
        theta: float,
        mean: float,
        variance: float,
        size: float,
        up: float,
        down: float,
        xi: float,
        eta: float,
    ) -> dict[str, Tensor]:
        own = (float(moment(theta, xi, eta)) for moment in (limit_mean, limit_variance))
        return {
            "rho": _rho(generator, n, mean, variance),
            law: walks(generator, n, theta, size, up, down),
            DERIVED: _rho(generator, n, *own),
        }


_simulate("bao2024.sec4.lemma2-1", "rho@exact law, T -> infinity first", _limit_walks)
_simulate("bao2024.sec4.lemma2-2", "rho@exact law, T -> infinity first", _limit_walks)
_simulate("bao2024.sec4.lemma2-4", "rho@exact law, T >= 2", _walks)


def _on_the_way(xi: str, eta: str) -> dict[str, str]:
    """xi and eta of a case, which are sequences in k."""
    return {"xi": xi, "eta": eta}


for _part in ("1", "2", "4"):
    instance(f"bao2024.sec4.lemma2-{_part}")(_on_the_way)


def _normal_probability(mean: Tensor, spread: Tensor) -> Tensor:
    """P(0 <= N(mean, spread) <= 1) by torch's error function."""
    width = torch.as_tensor(spread, dtype=torch.float64).sqrt()
    found: Tensor = torch.special.ndtr((1 - mean) / width) - torch.special.ndtr(-mean / width)
    return found


def slope(theta: float, xi: float, eta: float, mean_of: Function, variance_of: Function) -> float:
    """rho'(theta) by automatic differentiation of P(0 <= N(mean, variance) <= 1), float64."""
    with torch.inference_mode(False), torch.enable_grad():
        place = torch.tensor(theta, dtype=torch.float64, requires_grad=True)
        given = {"theta": place, "xi": xi, "eta": eta}
        value = _normal_probability(mean_of(**given), variance_of(**given))
        (found,) = torch.autograd.grad(value, place)
    return float(found)


def _slope_error(theta: float, xi: float, eta: float) -> float:
    """A bound of the rounding error of ``slope``: a few dozen roundings of terms up to the size below.

    The slope is a density at two arguments times their slopes, which |xi| and 1/eta bound up to a factor of 4; the
    arguments' own rounding moves the density by as many roundings as they are large.
    """
    size = 1 + abs(xi) + 1 / eta
    return 256 * ROUNDOFF * size**2


@evaluation("bao2024.appC.lemma2-derivative")
def lemma2_derivative(
    theta: float, xi: float, eta: float, mean_of: Function, variance_of: Function
) -> dict[str, tuple[float, float]]:
    """rho'(theta) of the rho that the printed mean and variance define."""
    return {"slope": (slope(theta, xi, eta, mean_of, variance_of), _slope_error(theta, xi, eta))}


#: xi at which the limit xi -> 0 is read off.
SMALL = 2.0**-16


@evaluation("bao2024.sec4.lemma2-3")
def lemma2_3(theta: float, eta: float, mean_of: Function, variance_of: Function) -> dict[str, tuple[float, float]]:
    """rho'(theta) as xi -> 0, with the printed moments and with the score's own: by Richardson from xi = +-h and +-2h.

    The even part of rho' in xi is a smooth function of xi^2, so that (4 f(h) - f(2h))/3 is off by a multiple of h^4;
    f(2h) - f(h) = 3 c h^2 + ... bounds that generously.
    """

    v = float(_polynomial(limit_moments()[1], theta))
    # the slope is v'/(eta v^{3/2}) times a density at 1/(eta sqrt(v)), and x exp(-x/2) < 1
    off = 8 * limit_moments()[2] * (1 + 1 / (eta * min(v, 1.0) ** 2.5))
    own, error = _flat_slope(theta, eta, limit_mean, limit_variance)
    return {
        "slope": _flat_slope(theta, eta, mean_of, variance_of),
        "slope@rho with the derived variance": (own, error + off),
    }


def _flat_slope(theta: float, eta: float, mean_of: Function, variance_of: Function) -> tuple[float, float]:
    """The limit of rho'(theta) as xi -> 0, and a bound of its error."""

    def even(h: float) -> float:
        return sum(slope(theta, side * h, eta, mean_of, variance_of) for side in (1, -1)) / 2

    near, far = even(SMALL), even(2 * SMALL)
    value = (4 * near - far) / 3
    return value, abs(far - near) + 4 * _slope_error(theta, SMALL, eta)


@search("bao2024.sec4.xi-eta-range", at=lambda W, Sigma: _ratios(traces(W[None], Sigma[None]), lambda n: np.ones(n)))
def xi_eta_range(points: int, generator: torch.Generator) -> Points:
    """Columns value = xi = tr(W)/sqrt(tr(W^2)), d, and eta = sqrt(tr(W^2))/lam at some lam > 0.

    The points are those of the search against (5) that have W != 0, d >= 2 and a Sigma that is surely definite.
    """
    return _ratios(eq5(points, generator), lambda n: _grid(_uniform(n, 0.125, 4, generator)).cpu().numpy())


def _ratios(found: Points, lam_of: Callable[[int], Any]) -> Points:
    """xi and eta of those of the points that have them, lambda given by how many they are."""
    trace, square, d = found.columns["value"], found.columns["tr2"], found.columns["d"]
    spectra = [np.linalg.eigvalsh(Sigma) for Sigma in found.matrices["Sigma"]]
    definite = np.array([values[0] > DEFINITE * values[-1] for values in spectra])
    kept = (d >= 2) & (square > 2 * found.errors["tr2"]) & definite
    root = np.sqrt(square[kept])
    value = trace[kept] / root
    # the errors of both, and the roundings of root and quotient
    off = found.errors["value"][kept] / root + np.abs(value) * (found.errors["tr2"][kept] / square[kept] + 4 * ROUNDOFF)
    places = np.flatnonzero(kept)
    lam = lam_of(len(places))
    eta = root / lam
    wide = eta * (found.errors["tr2"][kept] / square[kept] + 4 * ROUNDOFF)
    return Points(
        columns={"value": value, "d": d[kept], "lam": lam, "eta": eta},
        errors={"value": off, "eta": wide},
        matrices={name: tuple(arrays[k] for k in places) for name, arrays in found.matrices.items()},
    )


@instance("bao2024.sec4.xi-eta-range")
def temperature(lam: float) -> dict[str, float]:
    """The lambda of a point; its matrices are the case's own."""
    return {"lam": lam}


def _uniform(n: int, low: float, high: float, generator: torch.Generator) -> Tensor:
    return low + (high - low) * uniforms(generator, n)


def _grid(values: Tensor) -> Tensor:
    """Multiples of 2^-20, so that a point is exactly what it says."""
    return (values * 2.0**20).round() / 2.0**20


def _difference(a: Tensor, b: Tensor, X: Tensor, Y: Tensor) -> Points:
    """|exp(-a^2) X - exp(-b^2) Y|, (n,)."""
    one, two = torch.exp(-(a**2)) * X, torch.exp(-(b**2)) * Y
    value = (one - two).abs()
    # an exponential that is too small for a float is 0
    below = torch.finfo(torch.float64).tiny * (X.abs() + Y.abs())
    error = 8 * ROUNDOFF * (one.abs() * (1 + a**2) + two.abs() * (1 + b**2) + value) + below
    table = {"value": value, "a": a, "b": b, "X": X, "Y": Y}
    return Points({name: values.cpu().numpy() for name, values in table.items()}, {"value": error.cpu().numpy()}, {})


@search(
    "bao2024.appC.lemma2-inequality",
    at=lambda a, b, X, Y: _difference(*(torch.tensor([one], dtype=torch.float64) for one in (a, b, X, Y))),
)
def lemma2_inequality(points: int, generator: torch.Generator) -> Points:
    """Columns value = |exp(-a^2) X - exp(-b^2) Y| and a, b, X, Y: at random, one exponential near 0, or both 1."""
    n = max(points, 8)
    a, b = (_uniform(n, -3, 3, generator) for _ in range(2))
    X, Y = (_uniform(n, -4, 4, generator) for _ in range(2))
    # a fifth each: as drawn twice, both exponentials 1, only the first 1, only the second 1
    kind = torch.arange(n, device=a.device) % 5
    zero, far = torch.zeros_like(a), torch.full_like(a, 8.0)
    a = torch.where(kind < 2, a, torch.where(kind == 4, far, zero))
    b = torch.where(kind < 2, b, torch.where(kind == 3, far, zero))
    return _difference(*map(_grid, (a, b, X, Y)))


def _slope_at(theta: float, xi: float, eta: float, mean_of: Function, variance_of: Function) -> Points:
    """|rho'(theta)| at one point."""
    place, one, two = torch.tensor([[theta], [xi], [eta]], dtype=torch.float64)
    return _slopes(place, one, two, mean_of, variance_of)


@search("bao2024.appC.lemma2-final-bound", at=_slope_at)
def lemma2_final_bound(points: int, generator: torch.Generator, mean_of: Function, variance_of: Function) -> Points:
    """Columns value = |rho'(theta)| (automatic differentiation), theta, xi > 0, eta > 0, of all scales.

    Of four points two are of any kind; one has the mean 1 and a large xi, so that of the normal density at the ends 0
    and 1 the one at 1 is left; one has theta = 0, where the variance does not move, and the one at 0 is left.
    """
    # enough that some come near the bound at each of its ends
    n = max(points, 4000)
    theta = _grid(_uniform(n, 0, 1, generator))
    xi = _grid(torch.exp2(_uniform(n, -16, 3, generator))).clamp_min(2.0**-20)
    eta = _grid(torch.exp2(_uniform(n, -2, 8, generator)))
    kind = torch.arange(n, device=theta.device) % 4
    theta = torch.where(kind == 2, 0.625 + 0.375 * theta, torch.where(kind == 3, 0.0, theta))
    xi = torch.where(kind == 2, _grid(torch.exp2(_uniform(n, 3, 6, generator))), xi)
    eta = torch.where(kind == 2, 1 / ((theta - 0.5) * xi), torch.where(kind == 3, eta.clamp_max(2.0) / 32, eta))
    return _slopes(_grid(theta), xi, _grid(eta), mean_of, variance_of)


def _slopes(theta: Tensor, xi: Tensor, eta: Tensor, mean_of: Function, variance_of: Function) -> Points:
    """|rho'(theta)| by automatic differentiation, (n,)."""
    with torch.inference_mode(False), torch.enable_grad():
        place = theta.clone().requires_grad_()
        given = {"theta": place, "xi": xi, "eta": eta}
        (found,) = torch.autograd.grad(_normal_probability(mean_of(**given), variance_of(**given)).sum(), place)
    size = 1 + xi.abs() + 1 / eta
    table = {"value": found.abs(), "theta": theta, "xi": xi, "eta": eta}
    return Points(
        {name: values.detach().cpu().numpy() for name, values in table.items()},
        {"value": (256 * ROUNDOFF * size**2).cpu().numpy()},
        {},
    )
