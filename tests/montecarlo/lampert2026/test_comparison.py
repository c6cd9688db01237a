"""The bounds of the least cost from the tokens themselves: geometry, constraints, both certificates, planted faults."""

from itertools import product

import numpy as np
import pytest
import torch

from montecarlo.lampert2026 import comparison

PLACES = [(1, 2, 0.6, 0.0), (1, 3, 0.8, 0.0), (2, 2, 0.5, 1.0), (2, 2, 0.8, -0.5), (3, 2, 0.9, 0.25)]


@pytest.mark.parametrize("place", PLACES, ids=str)
def test_the_tokens_have_the_geometry_of_the_setting(place: tuple[int, int, float, float]) -> None:
    C, n, lam, overlap = place
    d = 9.0
    rows = comparison.tokens(*place, d)
    assert torch.allclose(rows.square().sum(1), torch.tensor(d, dtype=torch.float64))
    structural = torch.eye(rows.shape[1], dtype=torch.float64)[: 1 + 2 * C] * d**0.5
    assert torch.equal(rows[: 1 + C], structural[[0, *range(1 + C, 1 + 2 * C)]])
    groups = rows[1 + C :].reshape(C, n, -1)
    eta = groups - lam * structural[1 : 1 + C, None]
    assert torch.allclose(eta @ structural.T, torch.zeros(C, n, 1 + 2 * C, dtype=torch.float64), atol=1e-9)
    assert torch.allclose(eta.sum(1), torch.zeros_like(eta[:, 0]), atol=1e-9)
    assert torch.allclose(eta.square().sum(2), torch.tensor((1 - lam**2) * d, dtype=torch.float64))
    if C > 1:
        ratio = (eta[0, 0] @ eta[1, 0]) / ((1 - lam**2) * d)
        assert float(ratio) == pytest.approx(overlap, abs=1e-9)


@pytest.mark.parametrize("pattern", comparison.PATTERNS)
def test_pairs_decide_every_set_of_visible_keys(pattern: str) -> None:
    """Scores that win all pairs win every visible set with b_BOS, and those that lose one pair lose some set."""
    C, n = 2, 2
    size = 1 + C + C * n
    ways = comparison.contests(C, n, pattern)

    def pattern_holds(S: np.ndarray) -> bool:
        for seen in product((False, True), repeat=size - 1):
            visible = [0, *(k + 1 for k, here in enumerate(seen) if here)]
            for query in visible[1:]:
                group = (query - 1) if query <= C else (query - 1 - C) // n
                own = [k for k in visible if k > C and (k - 1 - C) // n == group]
                target = [0] if pattern == "sink" else [query]
                if query <= C and own:
                    target = own
                lost = [k for k in visible if k not in target]
                if lost and min(S[query, w] for w in target) < max(S[query, k] for k in lost) + 1:
                    return False
        return True

    # scores that meet every constraint, and then miss a single one
    tight = np.zeros((size, size))
    for query in range(1, size):
        for _ in range(size):
            for q, w, k in ways.tolist():
                if q == query:
                    tight[q, w] = max(tight[q, w], tight[q, k] + 1)
    assert pattern_holds(tight)
    for q, w, k in ways.tolist():
        broken = tight.copy()
        broken[q, k] = broken[q, w] - 0.999
        assert not pattern_holds(broken), (q, w, k)


@pytest.mark.parametrize("place", PLACES, ids=str)
@pytest.mark.parametrize("pattern", comparison.PATTERNS)
def test_the_bounds_meet(place: tuple[int, int, float, float], pattern: str) -> None:
    rows, ways = comparison.tokens(*place)[None], comparison.contests(*place[:2], pattern)
    low, high = comparison.brackets(rows, ways, 1.0, 1.0, 1e-3)[0].tolist()
    assert 0 < low <= high <= low * (1 + 2e-3)


def test_any_feasible_matrix_costs_at_least_the_lower_bound() -> None:
    rows, ways = comparison.tokens(2, 2, 0.7, 0.5), comparison.contests(2, 2, "diag")
    low, _ = comparison.brackets(rows[None], ways, 1.0, 1.0, 1e-3)[0].tolist()
    generator = torch.Generator().manual_seed(0)
    inverse = torch.linalg.pinv(rows)
    # scores that win every contest, with noise on top; the rows of tokens are independent but for the sums of groups
    wanted = torch.zeros(len(rows), len(rows), dtype=torch.float64)
    for _ in range(20):
        for q, w, k in ways.tolist():
            wanted[q, w] = torch.maximum(wanted[q, w], wanted[q, k] + 1)
    tried = 0
    for _ in range(200):
        S = wanted + 0.3 * torch.randn(wanted.shape, generator=generator, dtype=torch.float64)
        W = inverse @ S @ inverse.T
        margins = (rows @ W @ rows.T)[ways[:, 0]]
        least = float((margins.gather(1, ways[:, 1:2]) - margins.gather(1, ways[:, 2:])).min())
        if least > 0:
            tried += 1
            assert 2 * float(torch.linalg.matrix_norm(W, "nuc")) / least > low
    assert tried > 20


def test_units_and_batches() -> None:
    """Costs scale with kappa/sqrt(d), and an instance is judged alike on its own and in a batch."""
    ways, lams = comparison.contests(2, 2, "diag"), (0.5, 0.7, 0.9)
    many = comparison.curves("diag", 2, 2, lams, 0.5)
    for line, lam in zip(many, lams, strict=True):
        scaled = comparison.brackets(comparison.tokens(2, 2, lam, 0.5, 16.0)[None], ways, 3.0, 16.0, 1e-3)[0] * 4 / 3
        assert scaled[0] <= line[1]
        assert line[0] <= scaled[1]


def test_a_constraint_left_out_is_noticed() -> None:
    rows, ways = comparison.tokens(2, 2, 0.6, 0.0)[None], comparison.contests(2, 2, "diag")
    low, _ = comparison.brackets(rows, ways, 1.0, 1.0, 1e-3)[0].tolist()
    copies = ways[(ways[:, 0] > 2) | (ways[:, 1] > 2)]
    _, high = comparison.brackets(rows, copies, 1.0, 1.0, 1e-3)[0].tolist()
    assert high < 0.99 * low


def enclosed(found: object, low: float, high: float) -> bool:
    """Whether a pair of bounds, not far apart, meets another one."""
    assert isinstance(found, tuple)
    return bool(0.99 * found[1] < found[0] <= high and low <= found[1])


def test_observations_decide_or_leave_open() -> None:
    case = {"C": "1", "n": "2", "lam": "4/5", "overlap": "0"}
    low, high = comparison.curves("diag", 1, 2, [0.8], 0.0, 1e-6)[0].tolist()
    budgets = {"16/5": low / 2 > 3.2, "13/4": high / 2 > 3.25}
    for budget, true in budgets.items():
        found = comparison.within_budget(**case, d="4", kappa="1", budget=budget)
        assert found["no solution within the budget"] == true
        assert enclosed(found["least diagonal cost"], low / 2, high / 2)
    near = str(round((low + high) / 4, 12))
    assert comparison.within_budget(**case, d="4", kappa="1", budget=near)["no solution within the budget"] is None
    sink = comparison.curves("sink", 1, 2, [0.8], 0.0, 1e-6)[0].tolist()
    found = comparison.cheaper(**case)
    assert found["sinks cheaper"] == (sink[1] < low)
    assert enclosed(found["least sink cost"], *sink) and enclosed(found["least diagonal cost"], low, high)
    assert comparison.cheaper(**{**case, "lam": "1/2"})["sinks cheaper"] is False


def test_what_is_refused() -> None:
    with pytest.raises(ValueError, match="pattern = 'other'"):
        comparison.contests(1, 2, "other")
    with pytest.raises(ValueError, match="overlap"):
        comparison.directions(3, -0.6)
