"""Each law's tokens: mean and covariance as defined, literally and at few positions, and planted faults that are seen.

Empirical second moments are compared in units of their standard error, with fixed seeds; |z| > 6 has probability 2e-9
for one of them by chance in choosing the seed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from montecarlo.statements import StatementSimulationError
from montecarlo.statements.tokens import Process
from montecarlo.walks import covariance_root
from tests.montecarlo.statements.plain import Plain, minus, name, num, over, power, times

SIGMA = torch.tensor([[1.0, 1 / 3], [1 / 3, 1 / 4]], dtype=torch.float64)
ROOT = covariance_root(SIGMA)
MEAN = torch.tensor([1.0, -0.5], dtype=torch.float64)
T, N, LARGEST_Z = 6, 2**17, 6.0
PARAMETERS: dict[str, float | Tensor] = {"a": -0.6, "H": 0.3, "s": 99.0}


def fractional() -> Plain:
    """Fractional Brownian motion, (s^2H + t^2H - |s - t|^2H)/2."""
    twice = times(num(2), name("H"))
    gap = power(["abs", minus(name("s"), name("t"))], twice)
    return over(minus(["+", power(name("s"), twice), power(name("t"), twice)], gap), num(2))


#: The law, K(s, t) by definition, and whether the mean is m.
LAWS: dict[str, tuple[Plain, Callable[[int, int], float], bool]] = {
    "walk": (["walk"], lambda s, t: min(s, t), False),
    "walk from 0": (["walk-zero"], lambda s, t: min(s, t) - 1, False),
    "walk from m": (["walk-mean"], lambda s, t: min(s, t) - 1, True),
    "iid": (["iid"], lambda s, t: float(s == t), False),
    "ar1": (["ar1", name("a")], lambda s, t: (-0.6) ** abs(s - t), False),
    "ar1 of 0": (["ar1", num(0)], lambda s, t: float(s == t), False),
    "ar1 of 1": (["ar1", num(1)], lambda s, t: 1.0, False),
    "ar1 of -1": (["ar1", num(-1)], lambda s, t: (-1.0) ** abs(s - t), False),
    "brownian": (["gaussian", ["min", name("s"), name("t")]], lambda s, t: min(s, t), False),
    "fractional": (
        ["gaussian", fractional()],
        lambda s, t: (s**0.6 + t**0.6 - abs(s - t) ** 0.6) / 2,
        False,
    ),
    "rank one": (["gaussian", times(name("s"), name("t"))], lambda s, t: s * t, False),
}


def generator(seed: int = 1) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def farthest(tokens: Tensor, places: list[int], K: Callable[[int, int], float], moved: bool) -> float:
    """The largest |z| of any first or second moment of the tokens against its definition; inf for a wrong constant."""
    mean = MEAN.numpy() if moved else np.zeros(2)
    X = tokens.numpy() - mean
    worst = 0.0
    for p, s in enumerate(places):
        for c in range(2):
            worst = max(worst, z(X[:, p, c], 0.0))
        for q, t in enumerate(places):
            for a, b in ((0, 0), (0, 1), (1, 0), (1, 1)):
                worst = max(worst, z(X[:, p, a] * X[:, q, b], K(s, t) * float(SIGMA[a, b])))
    return worst


def z(numbers: Any, expected: float) -> float:
    error = numbers.std(ddof=1) / math.sqrt(len(numbers))
    gap = abs(numbers.mean() - expected)
    return 0.0 if gap < 1e-12 else float(gap / error) if error > 1e-12 else math.inf


@pytest.mark.parametrize("which", LAWS)
def test_every_covariance_is_the_laws_own(which: str) -> None:
    law, K, moved = LAWS[which]
    tokens = Process(law, T, ROOT, PARAMETERS, MEAN).draw(N, generator())
    assert tokens.shape == (N, T, 2) and tokens.dtype == torch.float64
    assert farthest(tokens, list(range(1, T + 1)), K, moved) < LARGEST_Z


@pytest.mark.parametrize("places", [[1, 4], [2, 5, 6], [3]])
@pytest.mark.parametrize("which", LAWS)
def test_tokens_at_few_places_have_the_law_of_all_of_them(which: str, places: list[int]) -> None:
    law, K, moved = LAWS[which]
    few = Process(law, T, ROOT, PARAMETERS, MEAN, places).draw(N, generator(2))
    assert few.shape == (N, len(places), 2)
    assert farthest(few, places, K, moved) < LARGEST_Z


@pytest.mark.parametrize("which", LAWS)
def test_the_fourth_moment_at_few_places_is_that_of_all(which: str) -> None:
    """E (x_2^T x_5)^2 of the two ways of drawing, within 6 standard errors of their difference."""
    law, _, _ = LAWS[which]
    few = Process(law, T, ROOT, PARAMETERS, MEAN, [2, 5]).draw(N, generator(3))
    every = Process(law, T, ROOT, PARAMETERS, MEAN).draw(N, generator(4))[:, [1, 4]]
    squares = [((x[:, 0] * x[:, 1]).sum(1) ** 2).numpy() for x in (few, every)]
    error = math.sqrt(sum(one.var() for one in squares) / N)
    assert abs(squares[0].mean() - squares[1].mean()) < LARGEST_Z * error


def test_starts_are_exact() -> None:
    zero = Process(["walk-zero"], 3, ROOT, {}).draw(8, generator())
    moved = Process(["walk-mean"], 3, ROOT, {}, MEAN).draw(8, generator())
    assert torch.equal(zero[:, 0], torch.zeros(8, 2, dtype=torch.float64))
    torch.testing.assert_close(moved[:, 0], MEAN.expand(8, 2), rtol=0, atol=0)


FAULTS: dict[str, Callable[[Process], None]] = {
    "Sigma in place of its root": lambda p: setattr(p, "root", SIGMA),
    "one increment more at the start": lambda p: p._steps.__setitem__(0, 1.0),
    "an increment of twice the variance": lambda p: p._steps.__setitem__(2, math.sqrt(2)),
}


@pytest.mark.parametrize("which", FAULTS)
def test_a_planted_fault_is_seen(which: str) -> None:
    _, K, _ = LAWS["walk from 0"]
    process = Process(["walk-zero"], T, ROOT, {})
    FAULTS[which](process)
    assert farthest(process.draw(N, generator()), list(range(1, T + 1)), K, False) > LARGEST_Z


def test_a_wrong_start_or_decay_is_seen() -> None:
    _, K, _ = LAWS["walk"]
    places = list(range(1, T + 1))
    assert farthest(Process(["walk-zero"], T, ROOT, {}).draw(N, generator()), places, K, False) > LARGEST_Z
    process = Process(["ar1", num("1/2")], T, ROOT, {})
    process._decay[3] = 0.45
    assert farthest(process.draw(N, generator()), places, lambda s, t: 0.5 ** abs(s - t), False) > LARGEST_Z


def test_no_covariance_is_refused_with_its_eigenvalue() -> None:
    """K = |s - t| has the trace 0: at T = 2 the eigenvalues -1 and 1."""
    with pytest.raises(StatementSimulationError, match="eigenvalue -1 < 0"):
        Process(["gaussian", ["abs", minus(name("s"), name("t"))]], 2, ROOT, {})


def test_a_kernel_that_fails_beyond_the_places_read_is_refused() -> None:
    """1 - (s - t)^2/8 is a covariance of two neighbours, and none of five tokens."""
    kernel = minus(num(1), over(power(minus(name("s"), name("t")), 2), num(8)))
    Process(["gaussian", kernel], 2, ROOT, {})
    with pytest.raises(StatementSimulationError, match="eigenvalue"):
        Process(["gaussian", kernel], 5, ROOT, {}, places=[1, 2])


@pytest.mark.parametrize(
    ("law", "message"),
    [
        (["ar1", num("11/10")], "-1 <= a <= 1"),
        (["ar1", name("b")], "no b"),
        (["gaussian", name("s")], "not symmetric"),
        (["gaussian", over(num(1), minus(name("s"), name("t")))], "no finite value"),
        (["levy"], "levy"),
    ],
)
def test_what_is_no_law_is_named(law: Plain, message: str) -> None:
    with pytest.raises(StatementSimulationError, match=message):
        Process(law, 4, ROOT, {"a": 0.5})


def test_the_start_at_m_needs_m_of_the_right_length() -> None:
    with pytest.raises(StatementSimulationError, match="no vector m"):
        Process(["walk-mean"], 3, ROOT, {})
    with pytest.raises(StatementSimulationError, match="m has 3 entries"):
        Process(["walk-mean"], 3, ROOT, {}, torch.zeros(3, dtype=torch.float64))
