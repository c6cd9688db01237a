"""Numbers for the theory figures: printed and derived curves, the exact law beside them, frequencies with intervals.

A printed formula is read from its claim, a derived one from its derivation; the exact law comes from
``theorems.bao2024.law``, the frequencies from the simulators of ``montecarlo``. All results are of JSON's own types.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import sympy as sp
import torch
from scipy import stats

from montecarlo import seeds
from montecarlo.bao2024.attention import simulate
from montecarlo.bao2024.softmax import taylor
from montecarlo.gram import combined_scores
from montecarlo.threads import one_torch_thread
from proofs_check.claims.pairing import Pair
from proofs_check.inputs.lookup import by_id
from theorems.algebra.expressions import floats, parse, value_at
from theorems.bao2024 import law

RHO = "bao2024.sec4.eq6"
VARIANCE = "bao2024.sec4.lemma1-variance"
CAPTION = "bao2024.sec4.fig3-eta"
SOFTMAX = "bao2024.sec2.softmax-taylor"

#: Spectra of W that the Gaussian approximation is measured for.
SPECTRA = ("equal", "balanced", "normal", "dominant")
#: Share of tr(W^2) that the one large eigenvalue of the dominant spectrum holds.
DOMINANT = 0.9


@cache
def _pair(claim: str) -> Pair:
    return Pair(by_id(claim))


def _derived(claim: str, name: str) -> sp.Expr:
    """The derived formula of a quantity; a derivation of a single one gives it no name."""
    found = _pair(claim).derived()
    return found.ratio(name if found.known(name) else "").expr


@dataclass(frozen=True)
class Sides:
    """One quantity of a claim as printed and as derived."""

    printed: sp.Expr
    derived: sp.Expr


@cache
def sides(claim: str, name: str) -> Sides:
    """The printed and the derived formula of a quantity of a claim."""
    return Sides(_pair(claim).formulas[name], _derived(claim, name))


def evaluated(formula: sp.Expr, **table: Any) -> list[float]:
    """The formula's values in floating point, for numbers or one array in the table; a list as long as the array."""
    length = max(np.size(value) for value in table.values())
    return [float(value) for value in np.broadcast_to(floats(formula, table), (length,))]


@dataclass(frozen=True)
class Spectrum:
    """Eigenvalues of W = W_QK Sigma with multiplicities; ``lam`` is the temperature."""

    eigenvalues: tuple[float, ...]
    multiplicities: tuple[int, ...]
    lam: float = 1.0

    @property
    def dimension(self) -> int:
        """d, the number of eigenvalues."""
        return sum(self.multiplicities)


def two_signs(xi: float, eta: float, d: int) -> Spectrum:
    """eta/sqrt(d) and -eta/sqrt(d), (d + xi sqrt(d))/2 and (d - xi sqrt(d))/2 times: tr(W)/sqrt(tr(W^2)) = xi, lam = 1.

    Raises ValueError unless both multiplicities are whole numbers, none negative.
    """
    counts = [(d + sign * xi * math.sqrt(d)) / 2 for sign in (1, -1)]
    if d < 1 or min(counts) < 0 or any(count != round(count) for count in counts):
        raise ValueError(f"xi = {xi}, d = {d}: multiplicities {counts}; expected whole numbers; take d = 4 n^2 >= xi^2")
    size = eta / math.sqrt(d)
    kept = [(value, round(count)) for value, count in zip((size, -size), counts, strict=True) if count]
    return Spectrum(tuple(value for value, _ in kept), tuple(count for _, count in kept))


def exact_limit(spectrum: Spectrum, thetas: Sequence[float]) -> list[float]:
    """rho(theta) of the exact law for T -> infinity, i/T -> theta."""
    found = law.rho_limit(list(thetas), spectrum.eigenvalues, spectrum.multiplicities, spectrum.lam)
    return [float(value) for value in found.values]


def exact(spectrum: Spectrum, T: int) -> list[float]:
    """rho_i of the exact law for every token i = 1 .. T."""
    found = law.rho(T, spectrum.eigenvalues, spectrum.multiplicities, spectrum.lam)
    return [float(value) for value in found.values]


def exact_at(spectrum: Spectrum, T: int, tokens: Sequence[int]) -> list[float]:
    """rho_i of the exact law for some tokens, at a cost that does not grow with T."""
    offset = law.score_offset(T)
    low, high = (spectrum.lam * float(end - offset) for end in (Fraction(0), Fraction(1)))
    found = []
    for token in tokens:
        kernel = law.kernel_values(T, token)
        alphas, counts = law.weights(spectrum.eigenvalues, spectrum.multiplicities, kernel)
        found.append(law.probability(alphas, counts, low, high).value)
    return found


def binomial(hits: int, n: int, failure: float) -> tuple[float, float]:
    """The exact (Clopper-Pearson) interval of a probability from hits in n trials; it misses in ``failure`` at most."""
    if not (0 <= hits <= n and n > 0 and 0 < failure < 1):
        raise ValueError(f"hits = {hits}, n = {n}, failure = {failure}; expected 0 <= hits <= n and 0 < failure < 1")
    low = float(stats.beta.ppf(failure / 2, hits, n - hits + 1)) if hits else 0.0
    high = float(stats.beta.ppf(1 - failure / 2, hits + 1, n - hits)) if hits < n else 1.0
    return low, high


def with_intervals(hits: Sequence[int], n: int, failure: float) -> dict[str, list[float]]:
    """Frequencies of hits in n trials and their intervals, each of which misses with probability failure at most."""
    ends = [binomial(count, n, failure) for count in hits]
    return {
        "estimate": [count / n for count in hits],
        "low": [low for low, _ in ends],
        "high": [high for _, high in ends],
    }


def frequencies(spectrum: Spectrum, T: int, tokens: Sequence[int], walks: int, seed: int) -> list[int]:
    """In how many of the simulated walks 0 <= <gamma^i, omega> + gamma_0^i <= 1, for each of the tokens."""
    key = json.dumps([spectrum.eigenvalues, spectrum.multiplicities, spectrum.lam, T, list(tokens), walks])
    generator = torch.Generator().manual_seed(seeds.block_seed(seeds.case_digest(seed, "figures.rho", key), 0))
    pairs = list(zip(spectrum.eigenvalues, spectrum.multiplicities, strict=True))
    with one_torch_thread():
        coefficients = [taylor(T, token) for token in tokens]
        gradients = torch.stack([gradient for gradient, _ in coefficients])
        offsets = torch.stack([offset for _, offset in coefficients])
        score = combined_scores(generator, walks, pairs, gradients) / spectrum.lam + offsets
        return [int(count) for count in ((score >= 0) & (score <= 1)).sum(0)]


def rho_panel(
    xi: float,
    eta: float,
    d: int,
    *,
    thetas: Sequence[float],
    places: Sequence[float],
    length: int,
    walks: int,
    short: int,
    failure: float,
    seed: int,
) -> dict[str, Any]:
    """rho(theta) for one (xi, eta): printed, derived, the exact law of a spectrum with two values, and simulated.

    ``printed``, ``derived`` and ``exact`` (T -> infinity) stand over ``thetas``; ``finite`` is the exact law for all
    tokens at T = short; ``simulated`` are walks of ``length`` tokens at i = theta T for the ``places``, with the exact
    law at that length beside them. An interval misses with probability ``failure`` at most.
    """
    spectrum, rho = two_signs(xi, eta, d), sides(RHO, "rho")
    table = {"theta": np.array(thetas), "xi": float(xi), "eta": float(eta)}
    tokens = sorted({min(length, max(1, round(theta * length))) for theta in places})
    hits = frequencies(spectrum, length, tokens, walks, seed)
    return {
        "xi": xi,
        "eta": eta,
        "d": d,
        "eigenvalues": list(spectrum.eigenvalues),
        "multiplicities": list(spectrum.multiplicities),
        "theta": [float(theta) for theta in thetas],
        "printed": evaluated(rho.printed, **table),
        "derived": evaluated(rho.derived, **table),
        "exact": exact_limit(spectrum, thetas),
        "finite": {"theta": [i / short for i in range(1, short + 1)], "exact": exact(spectrum, short)},
        "simulated": {
            "theta": [token / length for token in tokens],
            **with_intervals(hits, walks, failure),
            "exact": exact_at(spectrum, length, tokens),
        },
    }


def rho_formulas() -> dict[str, str]:
    """rho(theta) as printed and as derived, as text."""
    return {"printed": by_id(RHO).printed["rho"], "derived": str(sides(RHO, "rho").derived)}


def caption() -> dict[str, Any]:
    """The numbers of Fig. 3: the pairs (xi, xi eta) of the caption with the eta they give, and the eta of the text."""
    claim = by_id(CAPTION)
    numbers = {name: Fraction(str(value_at(parse(text), {}))) for name, text in claim.definitions.items()}
    told = Fraction(str(value_at(parse(claim.printed["eta"]), {})))
    pairs = [(numbers["other_xi"], numbers["other_product"]), (numbers["xi"], numbers["product"])]
    derived = Fraction(str(_derived(CAPTION, "eta")))
    return {
        "pairs": [{"xi": float(xi), "product": float(r), "eta": float(r / xi)} for xi, r in pairs],
        "text": {"xi": float(numbers["xi"]), "eta": float(told), "product": float(numbers["xi"] * told)},
        "derived_eta": float(derived),
        "agree": derived == told,
    }


def softmax_coefficients(T: int) -> dict[str, float]:
    """gamma^i_i, gamma^i_j (j != i) and gamma^i_0 as derived, at T tokens."""
    names = ("diagonal", "off_diagonal", "offset")
    return {name: float(value_at(_derived(SOFTMAX, name), {"T": T})) for name in names}


def softmax_pieces(omega: Any) -> dict[str, Any]:
    """S(omega)_1 and its piecewise approximation, <gamma^1, omega> + gamma^1_0 within 0 and 1; omega (..., T)."""
    scores = np.asarray(omega, dtype=np.float64)
    found = softmax_coefficients(scores.shape[-1])
    own, other = found["diagonal"], found["off_diagonal"]
    linear = (own - other) * scores[..., 0] + other * scores.sum(-1) + found["offset"]
    soft = torch.softmax(torch.from_numpy(scores), -1)[..., 0].numpy()
    return {"softmax": soft.tolist(), "pieces": np.clip(linear, 0.0, 1.0).tolist()}


def attention(
    mean: float,
    scale: float,
    covariance: str,
    *,
    d: int,
    T: int,
    walks: int,
    draws: int,
    failure: float,
    seed: int,
) -> dict[str, Any]:
    """One line of Fig. 5: rho_i of every draw of W_QK and their mean, the exact law's, and the entropies.

    ``exact`` is the mean of the exact law over the very draws, from their eigenvalues. The intervals treat the hits of
    all draws as one binomial count: given the draws, its variance is at most the binomial one (Jensen's inequality).
    """
    found = simulate(mean, scale, d=d, T=T, walks=walks, draws=draws, covariance=covariance, seed=seed)
    hits = (found.rho * walks).round().sum(0)
    laws = [law.rho(T, eigenvalues, None, math.sqrt(d)).values for eigenvalues in found.eigenvalues.numpy()]
    first, second = found.eigenvalues.sum(1), (found.eigenvalues**2).sum(1)
    return {
        "mean": mean,
        "scale": scale,
        "covariance": covariance,
        "xi": float((first / second.sqrt()).mean()) if bool((second > 0).all()) else None,
        "eta": float(second.sqrt().mean()) / math.sqrt(d),
        "theta": [i / T for i in range(1, T + 1)],
        "draws": found.rho.tolist(),
        "simulated": with_intervals([int(count) for count in hits], walks * draws, failure),
        "exact": np.mean(laws, axis=0).tolist(),
        "entropy": found.entropy.tolist(),
    }


def named_spectrum(kind: str, d: int, eta: float, seed: int) -> Spectrum:
    """A spectrum of d eigenvalues, the temperature such that sqrt(tr(W^2))/lam = eta.

    ``equal``: all 1. ``balanced``: half 1, half -1. ``normal``: drawn from N(0, 1) with the seed. ``dominant``: one
    holds DOMINANT of tr(W^2), the others are equal and share the rest.
    """
    if kind == "equal":
        values, counts = [1.0], [d]
    elif kind == "balanced":
        if d % 2:
            raise ValueError(f"d = {d}; expected an even dimension for as many eigenvalues 1 as -1")
        values, counts = [1.0, -1.0], [d // 2, d // 2]
    elif kind == "normal":
        values, counts = np.sort(np.random.default_rng([seed, d]).standard_normal(d)).tolist(), [1] * d
    elif kind == "dominant":
        if d < 2:
            raise ValueError(f"d = {d}; expected 2 or more, one eigenvalue beside the others")
        values, counts = [math.sqrt(DOMINANT), math.sqrt((1 - DOMINANT) / (d - 1))], [1, d - 1]
    else:
        raise ValueError(f"kind = {kind!r}; expected one of {', '.join(SPECTRA)}")
    scale = math.sqrt(sum(count * value**2 for value, count in zip(values, counts, strict=True)))
    return Spectrum(tuple(values), tuple(counts), scale / eta)


def gaussian_error(spectrum: Spectrum, T: int) -> dict[str, float]:
    """max_i |rho_i - Gaussian rho_i|, measured against the exact law, for the derived and for the printed variance.

    The derived mean and variance are exact at T; the printed variance, a limit, stands with the same mean. ``bound`` is
    proved for the derived ones (``law.distance_bound``, twice for an interval); ``numerical`` bounds the errors of the
    exact law's own evaluation.
    """
    formula = parse(by_id(VARIANCE).printed["variance"])
    parts = (T, spectrum.eigenvalues, spectrum.multiplicities, spectrum.lam)
    derived = law.approximation_error(*parts)
    unit = evaluated(formula, theta=np.array([i / T for i in range(1, T + 1)]), tr2=1.0, lam=1.0)
    tr2 = sum(m * w * w for w, m in zip(spectrum.eigenvalues, spectrum.multiplicities, strict=True))
    mean, _ = law.moments(*parts)
    printed = law.gaussian_rho(mean, np.array(unit) * tr2 / spectrum.lam**2)
    bound = 0.0
    for i in range(1, T + 1):
        kernel = law.kernel_values(T, i)
        alphas, counts = law.weights(spectrum.eigenvalues, spectrum.multiplicities, kernel)
        bound = max(bound, 2 * law.distance_bound(alphas, counts))
    return {
        "derived": derived.worst,
        "printed": float(np.max(np.abs(derived.exact - printed))),
        "numerical": derived.error,
        "bound": min(1.0, bound),
    }
