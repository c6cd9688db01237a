"""Orthogonal tokens as they are drawn: a uniform frame, independent lengths, and the kurtosis of exponentials."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import torch
from scipy import special

from montecarlo.statements import frames
from montecarlo.statements.nodes import NoValueError
from montecarlo.statements.simulation import StatementSimulation
from montecarlo.statements.tokens import Process
from tests.montecarlo.statements.plain import Plain, name, num, x

N = 1 << 17


def drawn(kind: str, k: int, d: int, generator: Any) -> Any:
    root = np.eye(d) if isinstance(generator, np.random.Generator) else torch.eye(d, dtype=torch.float64)
    return np.asarray(Process([kind], k, root, {}).draw(N, generator))


@pytest.mark.parametrize("kind", ("frame", "frame-sphere"))
@pytest.mark.parametrize("generator", [np.random.default_rng(3), torch.Generator().manual_seed(3)], ids=["np", "torch"])
def test_tokens_are_orthogonal_and_each_has_its_law(kind: str, generator: Any) -> None:
    tokens = drawn(kind, 3, 4, generator)
    for one, two in ((0, 1), (0, 2), (1, 2)):
        assert abs((tokens[:, one] * tokens[:, two]).sum(-1)).max() < 1e-10
    squares = (tokens**2).sum(-1)
    if kind == "frame-sphere":
        assert abs(squares - 4).max() < 1e-10
    else:
        # chi^2 of 4 degrees of freedom, uncorrelated
        assert abs(squares.mean(0) - 4).max() < 6 * math.sqrt(8 / N)
        assert abs(squares.var(0) - 8).max() < 6 * math.sqrt(8 * 8 * 8 / N)
        assert abs(np.corrcoef(squares.T) - np.eye(3)).max() < 6 / math.sqrt(N)
    # E (e_1.z)^2 (e_2.z)^2 = 1/(d (d + 2)) with E r^2 = d; independent ones have 1
    z = np.array([0.5, -0.5, 0.5, 0.5])
    both = (tokens[:, 0] @ z) ** 2 * (tokens[:, 1] @ z) ** 2
    assert abs(both.mean() - 4 / 6) < 6 * both.std() / math.sqrt(N) < 0.2
    assert abs(tokens.mean(0)).max() < 6 / math.sqrt(N)


def test_there_are_at_most_d() -> None:
    with pytest.raises(NoValueError, match="T <= d"):
        Process(["frame"], 3, np.eye(2), {})
    with pytest.raises(NoValueError, match="T <= d"):
        Process(["frame-sphere"], 3, np.eye(2), {}, places=[1])


@pytest.mark.parametrize(("d", "k", "b"), [(2, 2, 0.5), (3, 2, 2.0), (4, 3, 1.0), (8, 8, 3.0)])
def test_expectations_of_exponentials(d: int, k: int, b: float) -> None:
    slope = np.zeros((k, d))
    slope[:, 0] = b
    law = frames.Frame("frame", d)
    assert law.mean(slope.ravel()) == pytest.approx(special.hyp1f1(k * d / 2, d / 2, b**2 / 2), rel=1e-12)
    assert law.mean(1j * slope.ravel()).real == pytest.approx(special.hyp1f1(k * d / 2, d / 2, -(b**2) / 2), abs=1e-9)
    assert law.mean(slope[:1].ravel()) == pytest.approx(math.exp(b**2 / 2))
    if k == 2:
        # sum over t, u of c^(2u) (b^2/2)^(t+u) (d/2)_t (d/2)_u/(t! u! (d/2)_(t+u)), c = 2
        poch = [float(special.poch(d / 2, n)) for n in range(100)]
        size = b**2 / 2
        terms = [
            4.0**u * size ** (t + u) * poch[t] * poch[u] / math.factorial(t) / math.factorial(u) / poch[t + u]
            for t in range(50)
            for u in range(50)
        ]
        assert law.mean((slope * [[1], [2]]).ravel()) == pytest.approx(sum(terms), rel=1e-10)
    other = slope.copy()
    other[0, 1] = b
    with pytest.raises(frames.DirectionError):
        law.mean(other.ravel())


@pytest.mark.parametrize("kind", ("frame", "frame-sphere"))
def test_expectations_of_many_exponentials(kind: str) -> None:
    """Each in a row of its own as alone: one without a slope, and one whose first token has none, among them."""
    law, direction = frames.Frame(kind, 3), np.array([1.0, -2.0, 0.5])
    shares = np.array([[0, 0], [0, 0.5], [1, -1], [2j, 0.25]])
    rows = (shares[:, :, None] * direction).reshape(4, 6)
    assert law.mean(rows) == pytest.approx(np.array([law.mean(row) for row in rows]), rel=1e-14)
    assert law.mean(rows)[0] == 1.0
    # one that is not along the others' direction is alone in its own
    rows[1, 3:] = [0.0, 1.0, 0.0]
    assert np.isfinite(law.mean(rows)).all()
    rows[2, 3:] = [0.0, 1.0, 0.0]
    with pytest.raises(frames.DirectionError):
        law.mean(rows)


def tails(kind: str, power: int) -> float:
    total = ["sum", ["exp", ["*", ["T", x("k")], ["vector", "u"]]], "k", num(1), name("T")]
    plain = {"law": [kind], "left": ["E", ["**", ["+", total, num(-2)], num(power)]], "right": num(0)}
    case = {"d": 2, "T": 2, "Sigma": [["1", "0"], ["0", "1"]], "u": ["1/4", "0"]}
    simulation = StatementSimulation(plain, case)
    (statistic,) = simulation.statistics
    found = simulation.tails(statistic).kurtosis
    assert found is not None
    return found


@pytest.mark.parametrize("kind", ("frame", "frame-sphere"))
def test_the_kurtosis_is_that_of_quadrature(kind: str) -> None:
    angles = np.arange(32) * 2 * math.pi / 32
    r = np.linspace(0, 13, 131) if kind == "frame" else np.array([math.sqrt(2)])
    weight = r * np.exp(-(r**2) / 2) if kind == "frame" else np.ones(1)
    one, two, angle = np.meshgrid(r, r, angles, indexing="ij")
    mass = (weight[:, None] * weight[None, :])[:, :, None] * np.ones(len(angles))
    mass /= mass.sum()
    values = (np.exp(one * np.cos(angle) / 4) + np.exp(two * np.sin(angle) / 4) - 2) ** 2
    mean = (mass * values).sum()
    expected = (mass * (values - mean) ** 4).sum() / (mass * (values - mean) ** 2).sum() ** 2
    # a thousandth is added for rounding
    assert expected * (1 - 1e-6) < tails(kind, 2) < expected * 1.002
    # independent tokens have another one
    assert tails("iid" if kind == "frame" else "iid-sphere", 2) != pytest.approx(expected, rel=1e-2)


def of_squares(kind: str, other: str = "u", d: int = 2) -> float:
    """The kurtosis taken for (2 x_1.u + x_2.u)^2 (x_2.u)^2, |u| = 1/2, or with another vector for the last u."""

    def form(t: int, vector: str = "u") -> Plain:
        return ["*", ["T", x(t)], ["vector", vector]]

    argument = ["*", ["**", ["+", ["*", num(2), form(1)], form(2)], num(2)], ["**", form(2, other), num(2)]]
    plain = {"law": [kind], "left": ["E", argument], "right": num(0)}
    one = [[str(int(r == c)) for c in range(d)] for r in range(d)]
    rest = ["0"] * (d - 2)
    case = {"d": d, "T": 2, "Sigma": one, "u": ["3/10", "2/5", *rest], "v": ["1/2", "0", *rest]}
    simulation = StatementSimulation(plain, case)
    (statistic,) = simulation.statistics
    found = simulation.tails(statistic).kurtosis
    # bounded numbers have their width instead
    return math.inf if found is None else found


@pytest.mark.parametrize("d", [2, 3])
def test_the_kurtosis_of_polynomials_in_one_direction(d: int) -> None:
    # the law of (e_1.z)^2 and (e_2.z)^2: of Dirichlet's kind, here by a uniform direction of independent normals
    places, weights = np.polynomial.hermite_e.hermegauss(24)
    grids = np.meshgrid(*[places] * d, indexing="ij")
    mass = np.prod(np.meshgrid(*[weights] * d, indexing="ij"), axis=0) / (2 * math.pi) ** (d / 2)

    def moment(a: int, b: int) -> float:
        """E (x_1.u)^a (x_2.u)^b."""
        rising = [math.prod(d + 2 * k for k in range(n)) for n in range((a + b) // 2 + 1)]
        if a % 2 or b % 2:
            return 0.0
        uniform = (mass * grids[0] ** a * grids[1] ** b).sum() / rising[(a + b) // 2]
        return float(0.5 ** (a + b) * uniform * rising[a // 2] * rising[b // 2])

    def raw(n: int) -> float:
        """E ((2 y_1 + y_2) y_2)^(2 n)."""
        return sum(math.comb(2 * n, k) * 2.0**k * moment(k, 4 * n - k) for k in range(2 * n + 1))

    m1, m2, m3, m4 = (raw(n) for n in (1, 2, 3, 4))
    expected = (m4 - 4 * m3 * m1 + 6 * m2 * m1**2 - 3 * m1**4) / (m2 - m1**2) ** 2
    assert expected * (1 - 1e-6) < of_squares("frame", d=d) < expected * 1.002
    assert of_squares("frame", "v", d) == math.inf


def test_moments_of_products_of_powers() -> None:
    for kind in ("frame", "frame-sphere"):
        law = frames.Powers(kind, 3)
        slope = np.array([0.3, 0.0, 0.4, 0.0, 0.0, 0.0])
        assert law.powers(2.0, slope) == {(0j, 0j): 2, (1 + 0j, 0j): 0.5}
        tokens = drawn(kind, 2, 3, np.random.default_rng(5)) @ np.array([0.6, 0.0, 0.8])
        for exponents in ((2, 2), (2, 4), (4, 0), (1, 3)):
            values = tokens[:, 0] ** exponents[0] * tokens[:, 1] ** exponents[1]
            found = law.mean(np.array(exponents))
            assert abs(values.mean() - found) < 6 * values.std() / math.sqrt(N)
        with pytest.raises(frames.DirectionError):
            law.powers(0.0, slope[::-1].copy())
