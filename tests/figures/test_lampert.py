"""The figures of lampert2026: simulated against derived, artists against data, and how they look."""

from __future__ import annotations

import copy
import io
import json
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from matplotlib.collections import PathCollection
from matplotlib.figure import Figure

from figures import FIGURES, FigureModule, cosine_ratio, load, representability, sign_map, smoothing_ratio
from figures.files import rendered, tabulated
from tests.figures.test_theory import bars_of, ends_of, faults, numbers, texts

#: As large as the figures are, but of few and small samples.
SMALL: dict[str, Callable[[int], dict[str, Any]]] = {
    "representability": lambda seed: representability.data(
        seed=seed, ratios=(1.0, 2.0, 3.0), dimensions=(2, 4), draws=400, counts=(4, 8), mask_draws=60
    ),
    "smoothing_ratio": lambda seed: smoothing_ratio.data(
        seed=seed, slopes=("1", "-1/2", "-1"), counts=(2, 4), inside=("-3/4", "-3/10"), sets=600
    ),
    "cosine_ratio": lambda seed: cosine_ratio.data(seed=seed, dimensions=(2, 8, 32), sets=200),
    "sign_map": lambda seed: sign_map.data(seed=seed, each=1, sets=400),
}


@pytest.fixture(scope="module")
def every() -> dict[str, dict[str, Any]]:
    return {name: make(0) for name, make in SMALL.items()}


@pytest.fixture(scope="module")
def pictures(every: dict[str, dict[str, Any]]) -> dict[str, Figure]:
    return {name: load(name).draw(drawn) for name, drawn in every.items()}


@pytest.fixture(params=SMALL)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def drawn(every: dict[str, dict[str, Any]], name: str) -> dict[str, Any]:
    return copy.deepcopy(every[name])


def module(name: str) -> FigureModule:
    return load(name)


# ---- all four


def test_they_are_registered() -> None:
    assert set(SMALL) <= set(FIGURES)


def test_the_data_are_json_and_drawing_leaves_them_alone(name: str, drawn: dict[str, Any]) -> None:
    assert json.loads(json.dumps(drawn, allow_nan=False)) == drawn
    assert drawn["figure"] == name
    before = copy.deepcopy(drawn)
    module(name).draw(drawn)
    assert tabulated(module(name).table(drawn)) == tabulated(module(name).table(before))
    assert drawn == before


@pytest.mark.parametrize("name", ["representability"])  # the others are drawn with the same parts
def test_the_same_data_give_the_same_bytes(name: str, every: dict[str, dict[str, Any]]) -> None:
    first, second = (rendered(module(name).draw(every[name]), ".svg", name) for _ in range(2))
    assert first == second


def test_texts_are_legible_and_apart(name: str, pictures: dict[str, Figure]) -> None:
    figure = pictures[name]
    assert figure.get_figwidth() == 7.0
    assert faults(figure) == []
    shown = " ".join(text.get_text() for text, _ in texts(figure))
    assert "[1]" in shown
    assert figure.legends or all(axes.get_legend() for axes in figure.axes)
    assert figure.axes[-2].get_xlabel()


@pytest.mark.parametrize("name", ["sign_map"])  # axes and artists of the others are looked at below
def test_the_figure_is_no_blank_page(name: str, pictures: dict[str, Figure]) -> None:
    from matplotlib.image import imread

    image = imread(io.BytesIO(rendered(pictures[name], ".png", name)))
    assert image.shape[1] == 1400
    assert np.mean(image[..., :3].min(axis=2) < 0.95) > 0.03


def test_every_number_of_the_table_is_one_of_the_data(name: str, drawn: dict[str, Any]) -> None:
    held = module(name).table(drawn)
    assert all({"panel", "curve", "value"} <= row.keys() for row in held)
    values = {row[column] for row in held for column in ("value", "low", "high") if column in row}
    assert values <= set(numbers(drawn))


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
