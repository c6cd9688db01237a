"""Instances against explicit vectors: Gram matrices, Sigma_D and what is derived from it, and what is refused."""

from fractions import Fraction as F

import flint
import numpy as np
import pytest

from theorems.lampert2026.patterns.instances import Instance, along, overlapping, simplex


def planar(lam: F, tangents: list[F]) -> Instance:
    """Antipodal pairs (n = 2) along lines of a common plane, at angles 2 atan(t), t rational, as is K then."""
    units = [((1 - t**2) / (1 + t**2), 2 * t / (1 + t**2)) for t in tangents]
    return along(lam, 2, [[x * u + y * v for u, v in units] for x, y in units])


FAMILIES = {
    "antipodal": overlapping(1, 2, F(3, 5), F(0)),
    "simplex": overlapping(1, 4, F(1, 2), F(0)),
    "orthogonal": overlapping(3, 2, F(4, 5), F(0)),
    "shared": overlapping(3, 3, F(4, 5), F(1)),
    "near-collinear": overlapping(2, 2, F(1, 3), F(99, 100)),
    "common subspace": overlapping(3, 2, F(2, 3), F(-1, 2)),
    "lines of a plane": planar(F(3, 4), [F(0), F(1, 2), F(-1, 4)]),
}


def vectors(instance: Instance) -> np.ndarray:
    """Rows eta_ci, explicitly, from a root of their Gram matrix."""
    values, columns = np.linalg.eigh(np.array(instance.nuisances, dtype=float))
    rows: np.ndarray = columns * np.sqrt(values.clip(min=0))
    return rows


@pytest.mark.parametrize("name", FAMILIES)
def test_the_derived_numbers_are_those_of_the_explicit_vectors(name: str) -> None:
    instance = FAMILIES[name]
    C, n, eta = instance.C, instance.n, vectors(instance)
    groups = [eta[c * n : (c + 1) * n] for c in range(C)]
    assert np.allclose([group.sum(0) for group in groups], 0, atol=1e-7)
    gaps = [g[i] - g[j] for g in groups for i in range(n) for j in range(n) if i != j]
    Sigma = sum(np.outer(gap, gap) for gap in gaps) / len(gaps)
    assert float(instance.trace) == pytest.approx(np.trace(Sigma))
    assert float(instance.trace) == pytest.approx(2 * n * float(instance.delta2) / (n - 1))
    assert float(instance.norm) == pytest.approx(np.linalg.norm(Sigma, 2))
    assert float(instance.r_eff) == pytest.approx(np.trace(Sigma) / np.linalg.norm(Sigma, 2))
    assert float(instance.Delta_diag) == pytest.approx(min(gap @ gap for gap in gaps))
    assert instance.r_eta == np.linalg.matrix_rank(eta, tol=1e-6)


@pytest.mark.parametrize("name", FAMILIES)
def test_the_gram_matrix_of_the_tokens(name: str) -> None:
    instance = FAMILIES[name]
    C, n, eta = instance.C, instance.n, vectors(instance)
    unit, blank = np.eye(1 + 2 * C), np.zeros(eta.shape[1])
    rows = [np.r_[unit[0], blank], *(np.r_[unit[1 + C + c], blank] for c in range(C))]
    rows += [np.r_[float(instance.lam) * unit[1 + c], eta[c * n + i]] for c in range(C) for i in range(n)]
    assert len(instance.tokens) == len(rows)
    assert np.allclose(np.array(instance.gram, dtype=float), np.array(rows) @ np.array(rows).T)
    assert np.allclose(np.diag(np.array(instance.gram, dtype=float)), 1)


def test_numbers_are_exact_where_they_are_rational_and_enclosed_elsewhere() -> None:
    assert FAMILIES["orthogonal"].r_eff == 3
    assert FAMILIES["shared"].r_eff == 2
    assert FAMILIES["common subspace"].r_eff == 2
    assert FAMILIES["near-collinear"].r_eff == F(2, 1 + F(99, 100))
    found = FAMILIES["lines of a plane"].r_eff
    assert isinstance(found, flint.arb)
    assert float(found.rad()) < 1e-30


def test_the_dimension_enters_through_the_span_alone() -> None:
    """P W P on the span has the scores of W and no larger nuclear norm, so that more dimensions do not help."""
    generator = np.random.default_rng(0)
    tokens = np.zeros((5, 12))
    tokens[:, :4] = generator.normal(size=(5, 4))
    P = np.diag([1.0] * 4 + [0.0] * 8)
    for _ in range(20):
        W = generator.normal(size=(12, 12))
        inner = P @ W @ P
        assert np.allclose(tokens @ inner @ tokens.T, tokens @ W @ tokens.T)
        assert np.linalg.norm(inner, "nuc") < np.linalg.norm(W, "nuc")


def test_what_is_no_instance_is_refused() -> None:
    half = F(3, 4)
    rows = ((half, -half), (-half, half))
    Instance(1, 2, F(1, 2), rows)
    with pytest.raises(ValueError, match="squared norms"):
        Instance(1, 2, F(1, 3), rows)
    with pytest.raises(ValueError, match="do not add up to 0"):
        Instance(1, 2, F(1, 2), ((half, F(0)), (F(0), half)))
    with pytest.raises(ValueError, match="no Gram matrix"):
        Instance(1, 2, F(1, 2), ((half, F(-1)), (F(-1), half)))
    with pytest.raises(ValueError, match="no Gram matrix"):
        overlapping(3, 2, F(1, 2), F(-51, 100))
    with pytest.raises(ValueError, match="between 0 and 1"):
        Instance(1, 2, F(1), rows)
    with pytest.raises(ValueError, match="n >= 2"):
        Instance(2, 1, F(1, 2), rows)
    with pytest.raises(ValueError, match="C n = 4"):
        Instance(2, 2, F(1, 2), rows)


def test_simplices_and_lines() -> None:
    assert simplex(2) == ((F(1), F(-1)), (F(-1), F(1)))
    assert all(sum(row) == 0 for row in simplex(5))
    assert along(F(1, 2), 2, [[1, 0], [0, 1]]) == overlapping(2, 2, F(1, 2), F(0))
    # tan of half the angle 0 and 1: orthogonal lines
    assert planar(F(1, 2), [F(0), F(1)]) == overlapping(2, 2, F(1, 2), F(0))
