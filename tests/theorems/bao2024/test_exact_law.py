"""Remarks from the exact law: computed lines beside a verdict, none for other claims, and no print in reach."""

from __future__ import annotations

import re

import numpy as np
import pytest

from theorems.bao2024 import exact_law
from theorems.claims.catalogue import by_id
from theorems.kernel import derivation
from theorems.kernel.derivation import DerivationError
from theorems.kernel.deriving import find, remarked

RHO, UNIFORM, TOKEN = (f"bao2024.sec4.{name}" for name in ("gaussian-rho", "lemma2-3", "lemma2-4"))


def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact_law, "DIMENSIONS", (2, 8))
    monkeypatch.setattr(exact_law, "LENGTHS", (8,))


def test_spectra_have_the_square_norm_1() -> None:
    for name, make in exact_law.SPECTRA.items():
        for d in (2, 8) if name != "one eigenvalue" else (1,):
            eigenvalues, counts = make(d)
            assert sum(n * w * w for w, n in zip(eigenvalues, counts, strict=True)) == pytest.approx(1), name
            assert sum(counts) == d


def test_the_error_map_shrinks_with_the_dimension_and_stays_below_its_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    small(monkeypatch)
    lines = remarked(RHO)
    # a head, (2 + 2 + 1) spectra and dimensions at one length, and the shape
    assert len(lines) == 7
    shown = [re.search(r"^d = (\d+), T = 8, (.*): ([\d.]+) \(.*printed one; .*moments: (.*)$", line) for line in lines]
    rows = {(m[2], int(m[1])): (float(m[3]), m[4]) for m in shown if m}
    assert len(rows) == 5
    for name in ("all equal", "half +, half -"):
        assert rows[name, 8][0] < rows[name, 2][0]
    assert all(bound == "none below 1" or error <= float(bound) for error, bound in rows.values())


def test_the_error_is_that_of_sampled_scores() -> None:
    """d = 2, T = 8, equal eigenvalues: rho by sampling against the Gaussian probability with the sampled moments."""
    from scipy import stats

    from theorems.bao2024.law import approximation_error, rho

    T, d, n = 8, 2, 400_000
    eigenvalues, counts = exact_law.SPECTRA["all equal"](d)
    found = approximation_error(T, eigenvalues, counts)
    rng = np.random.default_rng(0)
    x = rng.standard_normal((n, T, d)).cumsum(1)
    i = found.token
    combined = (x[:, i - 1] - x.mean(1)) / T
    score = eigenvalues[0] * np.einsum("na,na->n", combined, x[:, -1]) + 1 / T
    sampled = float(((score >= 0) & (score <= 1)).mean())
    exact = float(rho(T, eigenvalues, counts).values[i - 1])
    assert abs(sampled - exact) < 5 * np.sqrt(exact * (1 - exact) / n)
    root = score.std()
    gaussian = stats.norm.cdf((1 - score.mean()) / root) - stats.norm.cdf(-score.mean() / root)
    assert abs(abs(gaussian - sampled) - found.worst) < 0.01
    assert found.worst > 0.02


def test_rho_is_not_uniform_where_the_trace_is_0() -> None:
    (line,) = remarked(UNIFORM)
    values = [float(text) for text in line.rsplit(" is ", 1)[1].split(", ")]
    assert len(values) == 4 and max(values) - min(values) > 0.05
    # the score's law at theta: y at theta with K(y, y) = theta^2 - theta + 1/3, K(y, z) = theta - 1/2, K(z, z) = 1
    rng = np.random.default_rng(0)
    n = 400_000
    for theta, value in zip((0.0, 0.25, 0.5, 1.0), values, strict=True):
        a, c = theta**2 - theta + 1 / 3, theta - 0.5
        g, h = rng.standard_normal((2, n, 2))
        y = c * g + np.sqrt(max(a - c * c, 0)) * h
        score = (y[:, 0] * g[:, 0] - y[:, 1] * g[:, 1]) / np.sqrt(2)
        inside = float(((score >= 0) & (score <= 1)).mean())
        assert abs(inside - value) < 5 * 0.5 / np.sqrt(n), theta


def test_one_token_propagates_always() -> None:
    first, second = remarked(TOKEN)
    assert "T = 1" in first and "rho = 1 " in first
    sizes = [float(text) for text in second.rsplit(" is ", 1)[1].split(", ")]
    assert sizes[0] > sizes[1] > sizes[2] > 0


def test_most_claims_have_no_remark() -> None:
    for claim in ("bao2024.appB.order19", "bao2024.appA.eq15", "bao2024.sec4.eq5"):
        assert remarked(claim) == []


def test_a_claim_that_nobody_derived_has_none_either() -> None:
    with pytest.raises(LookupError):
        remarked("bao2024.nowhere")


def test_a_remark_that_reads_a_print_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    claim = "bao2024.appB.order19"
    find(claim)

    def quoting() -> list[str]:
        return [by_id()[claim].printed["eq19"]]

    monkeypatch.setitem(derivation.remarks, claim, quoting)
    with pytest.raises(DerivationError, match="reads the printed formula"):
        remarked(claim)
    # the seal is gone afterwards
    assert by_id()[claim].printed["eq19"]


def test_a_remark_gets_the_printed_objects_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def noting(printed_variance: object) -> list[str]:
        seen.append(printed_variance)
        return ["a line"]

    remarked(TOKEN)
    monkeypatch.setitem(derivation.remarks, RHO, noting)
    assert remarked(RHO) == ["a line"]
    assert [str(s) for s in seen[0].free_symbols] == ["theta"]  # type: ignore[attr-defined]
