"""Both sides of the changed prints that are held to be true by hand, computed without the referee."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import integrate, special, stats

from proofs_check.report.selftest import mutant_lines
from tests.mutation.by_hand import TRUE, judged
from tests.mutation.prints import print_mutants
from tests.mutation.score import counted


def poisson_ratio() -> float:
    """The largest P[Po(w) >= n]/exp(-w - l (log(l/w) - 1)) over n - 1 < l <= n and w < l."""
    n = np.arange(1, 400)[:, None, None]
    lengths = n - 1 + np.linspace(1e-6, 1, 40)[:, None]
    w = lengths * np.linspace(1e-6, 1 - 1e-9, 60)
    return float(np.exp(stats.poisson.logsf(n - 1, w) + w + lengths * (np.log(lengths / w) - 1)).max())


def test_the_tail_of_a_poisson_number() -> None:
    # attained at n = l = 1 in the limit w -> 1
    assert poisson_ratio() == pytest.approx(1 - 1 / math.e, rel=1e-3) and poisson_ratio() < 19 / 20


def lower_side(power: int) -> float:
    """The least gap of (32) where exp(-|u + v|^power/2) stands before the sum, by the size of the right side."""
    r, d, most = np.geomspace(1e-2, 6, 200)[:, None], np.arange(2, 80), range(1, 12)
    ratio = np.exp(-(r**2) / 2) * special.hyp0f1(d / 2, d * r**2 / 4)
    gaps = []
    for number in most:
        f = np.prod([d / (d + 2 * k) for k in range(number)], axis=0)
        beyond = special.gammainc(number + 1, r**2 / 2) * np.exp(r**2 / 2 - r**power / 2)
        gaps.append(float((ratio - f * (1 - beyond)).min()))
    return min(gaps)


def test_the_ratio_of_the_kernels() -> None:
    assert lower_side(2) >= -1e-12 and lower_side(1) >= -1e-12
    # nothing taken off at all is false
    assert lower_side(-12) < -1e-3


def frames(rng: np.random.Generator, walks: int, m: int, d: int) -> Any:
    """sqrt(d) times m orthonormal directions' first coordinates, (walks, m)."""
    z = rng.standard_normal((walks, d))
    return math.sqrt(d) * z[:, :m] / np.linalg.norm(z, axis=1, keepdims=True)


def excess(d: int, m: int, square: float, power: int, factor: float = 1.0) -> float:
    """How far P[estimate > a] exceeds Theorem 3's second bound with theta^power, in standard errors, for u = v.

    For theta^3 >= L^(m - 4), L the exponential before the estimate, it follows from the corrected bound.
    """
    rng, walks = np.random.default_rng(d * 100 + m), 20_000
    before = math.exp(-square / 4)
    # a rotation of the frame leaves its law, and z may be along the first axis of every direction
    found = np.sort(before * np.exp(frames(rng, walks, m, d) * math.sqrt(square)).mean(1))
    mean = before * float(special.hyp0f1(d / 2, d * square / 4))
    along = math.sqrt(d * square)

    def density(s: float) -> float:
        return math.sin(s) ** (d - 2)

    whole = integrate.quad(density, 0, math.pi)[0]
    worst = -math.inf
    for theta in np.linspace(0.02, before ** ((m - 4) / 3), 15):

        def inner(s: float, theta: float = theta) -> float:
            return density(s) * math.exp(min(theta * before * math.exp(along * math.cos(s)), 700))

        mean_log = math.log(integrate.quad(inner, 0, math.pi)[0] / whole)
        off = factor * before**m * theta**power * m * (m - 1) / (4 * (d + 2)) * square**2
        for a in np.maximum(mean, np.quantile(found, np.linspace(0, 0.999, 30))):
            share = 1 - np.searchsorted(found, a, side="right") / walks
            bound = math.exp(min(m * (mean_log - theta * a), 700)) - off * math.exp(-theta * m * a)
            worst = max(worst, (share - bound) / math.sqrt(max(share * (1 - share), 1 / walks) / walks))
    return worst


@pytest.mark.slow
@pytest.mark.parametrize(("d", "m"), [(2, 2), (3, 2), (3, 3), (5, 5), (8, 3), (16, 16)])
def test_the_tail_of_orthogonal_features(d: int, m: int) -> None:
    for square in np.geomspace(0.1, 30, 12) / m:
        assert excess(d, m, float(square), 1) < 0
    # the numbers would show a term that is too large
    assert excess(d, m, 8 / m, 1, factor=40 * (d + 2)) > 5


def test_what_is_held_true_by_hand_is_a_mutant_and_counts_where_it_is_undecided() -> None:
    names = {mutant.name for name in TRUE for mutant in print_mutants(name.split()[0])}
    for name in TRUE:
        assert name in names
        result, how = judged(name, "survived", "undecided: not shown")
        assert result == "equivalent"
        # and is named where the score is told
        scored = counted([{"name": name, "kind": "print", "result": result, "how": how}])
        assert f"  {how}: {name}" in mutant_lines(scored)
        assert judged(name, "survived", "raised KeyError: 'x'")[0] == "survived"
        assert judged(name, "caught", "disproved") == ("caught", "disproved")
    assert judged("another", "survived", "undecided: not shown")[0] == "survived"
