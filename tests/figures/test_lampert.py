"""The figures of lampert2026: simulated against derived, and artists against data."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from matplotlib.collections import PathCollection
from matplotlib.figure import Figure

from figures import cosine_ratio, representability, sign_map, smoothing_ratio
from tests.figures.reading import bars_of, ends_of


def test_the_seed_fixes_the_samples_and_another_changes_them_alone() -> None:
    def made(seed: int) -> list[Any]:
        return [
            representability.data(seed=seed, ratios=(1.5,), dimensions=(2,), draws=50, counts=(5,), mask_draws=20),
            smoothing_ratio.data(seed=seed, slopes=("1",), counts=(2,), inside=("-1/2",), sets=20),
            cosine_ratio.data(seed=seed, laws=("gaussian",), dimensions=(2,), sets=20),
        ]

    first, again, other = made(3), made(3), made(4)
    assert first == again
    assert [found["lines"][0]["derived"] for found in (first[0], other[0])] == [[1.0, 1.0, 0.75]] * 2
    for one, two in zip(first, other, strict=True):
        assert list(derived(one)) == list(derived(two))
        assert one != {**two, "seed": one["seed"]}


def derived(found: Any) -> Iterator[Any]:
    """Everything under the names of what is derived."""
    if isinstance(found, dict):
        for key, value in found.items():
            if key in ("derived", "exact", "ratio", "place"):
                yield value
            else:
                yield from derived(value)
    if isinstance(found, list):
        for value in found:
            yield from derived(value)


# ---- simulated against derived


def misses(points: dict[str, Any], exact: list[float]) -> int:
    return sum(not a <= value <= b for a, value, b in zip(points["low"], exact, points["high"], strict=True))


def test_the_simulated_ratios_agree_with_the_derived(every: dict[str, dict[str, Any]]) -> None:
    drawn = every["smoothing_ratio"]
    wrong = 0
    for panel in drawn["panels"]:
        for line in panel["lines"]:
            held = line["simulated"]
            assert misses(held, held["exact"]) == 0
            assert set(held["law"]) == set(drawn["laws"])
            assert held["exact"] == pytest.approx(np.interp(held["level"], line["level"], line["derived"]), abs=1e-3)
            wrong += misses(held, held["exact"][::-1])
    assert wrong > 10, "a curve turned around is seen"
    held = drawn["maximum"]["simulated"]
    assert misses(held, held["exact"]) == 0
    assert misses(held, held["exact"][::-1]) == len(held["exact"])


def test_every_regime_has_a_panel(every: dict[str, dict[str, Any]]) -> None:
    drawn = every["smoothing_ratio"]
    regions = [panel["region"] for panel in drawn["panels"]]
    assert regions == ["rises", "between", "falls"]
    assert {Fraction(slope) for slope in smoothing_ratio.SLOPES} >= {-1, 0, 1}
    for panel in drawn["panels"]:
        for line in panel["lines"]:
            best = int(np.argmax(line["derived"]))
            assert line["level"][best] == pytest.approx(panel["place"], abs=0.01)
            assert line["top"] == pytest.approx(line["derived"][best], abs=1e-4)


def test_the_cosine_stays_within_the_proved_bound_and_tails_move_it_off(every: dict[str, dict[str, Any]]) -> None:
    drawn = every["cosine_ratio"]
    assert len(drawn["panels"]) == len(cosine_ratio.LAWS) * len(cosine_ratio.STEPS)
    for panel in drawn["panels"]:
        off = np.abs(np.array(panel["estimate"]) - np.array(panel["ratio"]))
        reach = np.array(panel["high"]) - np.array(panel["estimate"])
        assert np.all(off <= np.array(panel["bound"]) + reach)
        if panel["law"] in ("mixture", "student"):
            assert np.all(off > reach), "the ratio is no cosine here"
        if (panel["law"], panel["step"]) == ("sphere", "X"):
            assert np.all(off <= reach), "on the sphere it is"
            assert np.array(panel["bound"]) == pytest.approx(0, abs=1e-12)


def test_no_head_has_R_on_the_wrong_side_and_some_a_cosine(every: dict[str, dict[str, Any]]) -> None:
    drawn = every["sign_map"]
    counts, heads = drawn["counts"], drawn["heads"]
    assert counts["heads"] == len(heads) == sum(counts[region] for region in sign_map.REGIONS)
    assert counts["wrong"]["ratio"] == counts["wrong ends"]["ratio"] == 0
    assert counts["wrong"]["cosine"] >= counts["wrong on rays"]["cosine"] > 0
    for name in sign_map.NAMES:
        assert counts["wrong"][name] == sum(head["wrong"][name] for head in heads)
    for head in heads:
        assert head["ratio"]["low"] <= head["derived"] <= head["ratio"]["high"]
        assert head["x"] ** 2 <= head["y"] * (1 + 1e-12)
        # the place is on the side of the derived lines that the region says
        first, second = (
            head["x"] * a + head["y"] * b for a, b in (line["weights"] for line in drawn["boundaries"][:2])
        )
        assert head["region"] == ("rises" if first >= 0 else "falls" if second <= 0 else "between")
    # the heads with the other side's words are seen to be wrong
    from proofs_check.report.curves.sign import against

    other = {"rises": "falls", "falls": "rises", "between": "between"}
    assert sum(against(other[head["region"]], head["ratio"]) for head in heads) > 5


def test_the_frequencies_agree_with_the_derived_probabilities(every: dict[str, dict[str, Any]]) -> None:
    drawn = every["representability"]
    for line in drawn["lines"]:
        assert misses(line["simulated"], line["exact"]) == 0
        assert line["derived"][2 * line["d"] - 1] == 0.5
    assert misses(drawn["lines"][0]["simulated"], drawn["lines"][1]["exact"]) > 0, "another dimension is seen"
    held = drawn["masks"]
    exact = [held["derived"][N - 1] for N in held["lines"][0]["simulated"]["N"]]
    off = {line["mask"]: misses(line["simulated"], exact) for line in held["lines"]}
    assert off["full"] == off["causal"] == 0, "where every token is a query the causal mask changes nothing"
    assert off["window 2"] > 0


# ---- artists


def test_the_ratios_drawn_are_the_data(every: dict[str, dict[str, Any]], pictures: dict[str, Figure]) -> None:
    drawn, figure = every["smoothing_ratio"], pictures["smoothing_ratio"]
    for axes, panel in zip(figure.axes, drawn["panels"], strict=False):
        heights = [np.array(line.get_ydata()).tolist() for line in axes.get_lines()]
        assert all(line["derived"] in heights for line in panel["lines"])
        shown = sorted(low for bars in bars_of(axes) for low in ends_of(bars)[:, 0, 1])
        assert shown == pytest.approx(sorted(low for line in panel["lines"] for low in line["simulated"]["low"]))
        tops = [line["top"] for line in panel["lines"]]
        assert all([top] in heights for top in tops) == (panel["region"] == "between")
    last = figure.axes[len(drawn["panels"])]
    assert np.array(last.get_lines()[0].get_ydata()).tolist() == drawn["maximum"]["derived"]


def test_the_heads_drawn_are_the_data(every: dict[str, dict[str, Any]], pictures: dict[str, Figure]) -> None:
    drawn, figure = every["sign_map"], pictures["sign_map"]
    for axes, name in zip(figure.axes, sign_map.NAMES, strict=False):
        clouds = [held for held in axes.collections if isinstance(held, PathCollection)]
        places = sorted(tuple(place) for cloud in clouds for place in np.array(cloud.get_offsets()).tolist())
        assert places == sorted((head["x"], head["y"]) for head in drawn["heads"])
        colours = sorted(float(value) for cloud in clouds for value in np.array(cloud.get_array()))
        assert colours == pytest.approx(sorted(head[name]["estimate"] for head in drawn["heads"]))
        assert str(drawn["counts"]["wrong"][name]) in axes.get_title()
        circled = [line for line in axes.get_lines() if line.get_marker() == "o"]
        assert [len(np.array(line.get_xdata())) for line in circled] == [drawn["counts"]["wrong"][name]]
        low, high = axes.get_ylim()
        assert all(low <= head["y"] <= high for head in drawn["heads"])
        for line, told in zip(axes.get_lines(), drawn["boundaries"], strict=False):
            x, y = np.array(line.get_xdata()), np.array(line.get_ydata())
            assert told["weights"][0] * x + told["weights"][1] * y == pytest.approx(0, abs=1e-12)


def test_the_cosines_and_frequencies_drawn_are_the_data(
    every: dict[str, dict[str, Any]], pictures: dict[str, Figure]
) -> None:
    drawn, figure = every["cosine_ratio"], pictures["cosine_ratio"]
    laws = drawn["laws"]
    for panel in drawn["panels"]:
        axes = figure.axes[list(cosine_ratio.STEPS).index(panel["step"]) * len(laws) + laws.index(panel["law"])]
        assert panel["ratio"] in [np.array(line.get_ydata()).tolist() for line in axes.get_lines()]
        (bars,) = bars_of(axes)
        assert ends_of(bars)[:, 1, 1] == pytest.approx(panel["high"])
    left, right = pictures["representability"].axes
    held = every["representability"]
    for line, bars in zip(held["lines"], bars_of(left), strict=True):
        assert ends_of(bars)[:, 0, 1] == pytest.approx(line["simulated"]["low"], abs=1e-12)
        assert ends_of(bars)[:, 0, 0] == pytest.approx([N / line["d"] for N in line["simulated"]["N"]])
    assert len(bars_of(right)) == len(held["masks"]["lines"])
