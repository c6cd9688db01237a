"""The searches and simulations of Section 5 on cosines: small errors, bounds reached, false ones violated."""

from __future__ import annotations

from functools import cache
from itertools import permutations
from typing import Any

import numpy as np
import pytest
import torch

from montecarlo import registry
from montecarlo.directly import run_search
from montecarlo.draws import normals
from montecarlo.empirical_checks import Points, Search
from montecarlo.lampert2026 import cosine as second

APPROXIMATION, TRANSFER = NAMES = ("lampert2026.sec5.cosine-approximation", "lampert2026.sec5.cosine-transfer")


@cache
def points(name: str, count: int = 200, seed: int = 0) -> Points:
    entry = registry.find(name)
    assert isinstance(entry, Search)
    return run_search(entry, count, seed)


def generator(seed: int = 0) -> torch.Generator:
    made = torch.Generator()
    made.manual_seed(seed)
    return made


@pytest.mark.parametrize("name", NAMES)
def test_errors_are_not_generous(name: str) -> None:
    assert all(column == "t1" or error.max() <= 1e-12 for column, error in points(name).errors.items())


@pytest.mark.parametrize("name", NAMES)
def test_points_are_distinct_laws_of_every_shape_without_zeros(name: str) -> None:
    found = points(name)
    shapes = {array.shape for array in found.matrices["tokens"]}
    assert set(second.SHAPES) <= shapes
    assert all((array != 0).any(-1).all() for array in found.matrices["tokens"])
    assert len({array.tobytes() for array in found.matrices["tokens"]}) == len(found)


def upper(found: Points, c: float = 1.5) -> Any:
    columns = found.columns
    if "spread" in columns:
        return c * columns["spread"]
    return c * (columns["spread_0"] + columns["spread_1"]) + columns["ratio_0"] - columns["ratio_1"]


@pytest.mark.parametrize("name", NAMES)
def test_the_bound_is_reached_and_never_passed(name: str) -> None:
    found = points(name)
    value, bound = found.columns["value"], upper(found)
    assert (value <= bound + 4 * found.error).all()
    inside = value > 0
    if name == TRANSFER:
        inside &= found.columns["beta"] * found.columns["t1"] > abs(found.columns["beta"]) * found.errors["t1"]
    assert (value[inside] / bound[inside]).max() > 0.999
    # a constant smaller by 1 in 500 is seen to be false
    assert (value > upper(found, 1.497) + 4 * found.error)[inside].any()


def test_the_bound_is_reached_by_sets_of_two_and_of_three_tokens() -> None:
    found = points(APPROXIMATION)
    near = found.columns["value"] > 0.999 * upper(found)
    assert {found.matrices["tokens"][k].shape[1] for k in np.flatnonzero(near)} >= {2, 3}


def test_most_falls_are_found_by_climbing() -> None:
    """Nearly the whole fall of 2 that there can be, in sets of two; on a line there is none."""
    found = points(TRANSFER)
    meets = found.columns["beta"] * found.columns["t1"] > abs(found.columns["beta"]) * found.errors["t1"]
    on_a_line = np.array([array.shape[-1] == 1 for array in found.matrices["tokens"]])
    fall = found.columns["value"]
    assert fall[meets].max() > 1.5
    assert (fall[meets & on_a_line] <= found.error[meets & on_a_line]).all() and (meets & on_a_line).any()
    # with tr(BW) < 0 a line lowers cosines, too: the condition is not idle
    assert fall[~meets & on_a_line].max() > 0.1


def test_pairs_are_those_of_all_orders_of_the_tokens() -> None:
    Y = normals(generator(), 3, 2, 4, 3).numpy()
    found = [part.numpy() for part in second.pairs_of(torch.from_numpy(Y))]
    for n, sets in enumerate(Y):
        listed = [(order[0], order[1]) for tokens in sets for order in permutations(tokens)]
        D = np.mean([one @ one for one, _ in listed])
        wanted = (
            np.mean([one @ two / np.linalg.norm(one) / np.linalg.norm(two) for one, two in listed]),
            np.mean([one @ two for one, two in listed]) / D,
            np.mean([abs(1 - one @ one / D) for one, _ in listed]),
        )
        assert np.allclose([part[n] for part in found], wanted, rtol=1e-13)


# -- continuous laws


@pytest.mark.parametrize("lam", [0.0, 0.5, 1.0])
def test_gaussian_tokens_have_the_energies_of_their_law(lam: float) -> None:
    """z_i = m e_1 + g_i, W = I/2: Y_i = 3/2 m e_1 + a g_i + b sum_j g_j, a = 1 + (1 - l)/2, b = l/(2k)."""
    k, d, mean, n = 5, 6, 0.7, 20_000
    [found] = second.simulate(generator(), n, "gaussian", k, d, lams=(lam,), mean=mean)
    a, b = 1 + (1 - lam) / 2, lam / (2 * k)
    middle = (1.5 * mean) ** 2
    wanted = (middle + a * a + 2 * a * b + k * b * b, middle + 2 * a * b + k * b * b)
    # the standard errors are below 0.005; chance of a failure below 1e-8
    assert found.energy == pytest.approx(wanted[0], abs=0.03)
    assert found.cross == pytest.approx(wanted[1], abs=0.03)


@pytest.mark.parametrize("law", second.LAWS)
def test_tokens_about_the_origin_have_no_expected_cosine(law: str) -> None:
    [found] = second.simulate(generator(1), 4000, law, 4, 3, lams=(0.0,), mean=0.0)
    assert abs(found.cosine) <= 6 * found.error
    assert 0 < found.error < 0.01


def test_equal_norms_leave_no_room_and_tails_leave_much() -> None:
    ends = {law: second.simulate(generator(2), 2000, law, 4, 4) for law in second.LAWS}
    assert ends["sphere"][0].spread < 1e-12
    assert ends["sphere"][0].cosine == pytest.approx(ends["sphere"][0].ratio, abs=1e-12)
    for found in ends.values():
        for one in found:
            assert abs(one.cosine - one.ratio) <= 1.5 * one.spread + 6 * one.error + 1e-12
    assert ends["student"][0].cosine - ends["student"][0].ratio > 0.05


def test_a_given_head_is_used_as_it_stands() -> None:
    """W = e_1 e_2^T moves the second coordinate to the first; with beta = 0 all tokens become collinear."""
    W = torch.zeros(3, 3)
    W[0, 1] = 1.0
    [found] = second.simulate(generator(), 2000, "gaussian", 2, 3, lams=(1.0,), W=W, beta=0.0)
    assert found.cosine == pytest.approx(1.0) and found.energy == pytest.approx(1 / 6, abs=0.03)
    [turned] = second.simulate(generator(), 2000, "gaussian", 2, 3, lams=(1.0,), W=W.T, beta=0.0, mean=2.0)
    assert turned.energy == pytest.approx(4 + 1 / 6, abs=0.2)


def test_blocks_are_only_a_matter_of_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(second, "BLOCK", 4000)
    [found] = second.simulate(generator(), 3000, "gaussian", 3, 3, lams=(1.0,))
    monkeypatch.undo()
    [whole] = second.simulate(generator(5), 3000, "gaussian", 3, 3, lams=(1.0,))
    assert abs(found.cosine - whole.cosine) < 8 * found.error
    assert found.error == pytest.approx(whole.error, rel=0.2)


@pytest.mark.parametrize("change", [{"n": 1}, {"k": 1}, {"d": 0}, {"law": "cauchy"}])
def test_a_wrong_argument_is_named(change: dict[str, Any]) -> None:
    arguments: dict[str, Any] = {"n": 10, "law": "gaussian", "k": 2, "d": 2} | change
    with pytest.raises(ValueError, match=next(iter(change))):
        second.simulate(generator(), **arguments)
