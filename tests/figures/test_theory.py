"""The theory figures: their data against the exact law and the print, and their artists against the data."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure
from scipy import special

from figures import rho_grid, rho_localised, signal_propagation
from tests.figures.conftest import SMALL
from tests.figures.reading import bars_of, ends_of, printed, stated


@pytest.mark.parametrize("name", ["rho_grid", "rho_localised", "signal_propagation"])
def test_the_seed_fixes_the_samples_and_another_changes_them_alone(every: dict[str, dict[str, Any]], name: str) -> None:
    other = SMALL[name](1)
    key = "lines" if name == "signal_propagation" else "panels"
    for one, two in zip(every[name][key], other[key], strict=True):
        if key == "panels":
            assert all(one[side] == two[side] for side in ("printed", "derived", "exact", "finite"))
    assert [held["simulated"] for held in every[name][key]] != [held["simulated"] for held in other[key]]


def test_the_same_seed_gives_the_same_data() -> None:
    panels = [rho_grid.data(seed=3, xis=(1,), etas=(0.5,), walks=100) for _ in range(2)]
    lines = [
        signal_propagation.data(seed=3, means=(0.1,), scales=(1.0,), d=6, T=8, walks=20, draws=2) for _ in range(2)
    ]
    assert panels[0] == panels[1]
    assert lines[0] == lines[1]


# ---- Figs. 2 and 3


@pytest.fixture(params=("rho_grid", "rho_localised"))
def rho(every: dict[str, dict[str, Any]], request: pytest.FixtureRequest) -> dict[str, Any]:
    return copy.deepcopy(every[str(request.param)])


def misses(drawn: dict[str, Any]) -> int:
    """How many intervals leave out the exact law."""
    return sum(
        not low <= exact <= high
        for panel in drawn["panels"]
        for held in [panel["simulated"]]
        for low, exact, high in zip(held["low"], held["exact"], held["high"], strict=True)
    )


def test_the_simulated_points_agree_with_the_exact_law(rho: dict[str, Any]) -> None:
    assert misses(rho) == 0
    for panel in rho["panels"]:
        held = panel["simulated"]
        assert len(held["theta"]) == len(held["estimate"]) >= 9
        assert all(a <= b <= c for a, b, c in zip(held["low"], held["estimate"], held["high"], strict=True))
    # the law of another spectrum in the place of the right one is seen
    for panel in rho["panels"]:
        panel["simulated"]["exact"] = panel["simulated"]["exact"][::-1]
    assert misses(rho) > 0


def test_the_printed_curve_is_the_print_and_differs_from_the_derived(rho: dict[str, Any]) -> None:
    formula = printed("bao2024.sec4.eq6", "rho")
    for panel in rho["panels"]:
        theta = np.array(panel["theta"])
        found = np.array(panel["printed"])
        assert found == pytest.approx(formula(theta=theta, xi=panel["xi"], eta=panel["eta"]), abs=1e-14)
        gap = np.max(np.abs(found - np.array(panel["derived"])))
        # with tr(W) = 0 and a small eta nothing is left of the variance: rho is 1/2 either way
        assert gap > 0.03 or (panel["xi"] == 0 and panel["eta"] < 0.2)


def test_the_derived_curve_is_near_the_exact_law_where_the_printed_one_is_not(rho: dict[str, Any]) -> None:
    for panel in rho["panels"]:
        exact = np.array(panel["exact"])
        off = {side: float(np.max(np.abs(np.array(panel[side]) - exact))) for side in ("derived", "printed")}
        assert off["derived"] < 0.02
        assert off["derived"] <= off["printed"]


def test_the_grid_covers_what_the_text_names(every: dict[str, dict[str, Any]], pictures: dict[str, Figure]) -> None:
    drawn = every["rho_grid"]
    assert {0, 1, -1, 5, -5} <= set(drawn["xi"])
    assert max(drawn["xi"]) ** 2 == drawn["d"]
    assert 0.001 in drawn["eta"]
    assert max(drawn["eta"]) >= 0.5
    assert [(panel["xi"], panel["eta"]) for panel in drawn["panels"]] == [
        (xi, eta) for eta in drawn["eta"] for xi in drawn["xi"]
    ]
    assert "choice" in str(pictures["rho_grid"].get_label())


def test_localisation_has_the_pairs_of_the_caption_and_says_what_does_not_fit(
    every: dict[str, dict[str, Any]], pictures: dict[str, Figure]
) -> None:
    drawn = every["rho_localised"]
    claim = stated("bao2024.sec4.fig3-eta")
    told = {name: eval(text) for name, text in {**claim["definitions"], **claim["printed"]}.items()}
    pairs = [(panel["xi"], panel["product"]) for panel in drawn["panels"]]
    assert pairs[:2] == [(told["other_xi"], told["other_product"]), (told["xi"], told["product"])]
    assert (drawn["panels"][2]["xi"], drawn["panels"][2]["eta"]) == (told["xi"], told["eta"])
    assert all(panel["xi"] * panel["eta"] == pytest.approx(panel["product"]) for panel in drawn["panels"])
    assert f"{told['eta']:g}" in drawn["note"]
    assert f"{told['product'] / told['xi']:g}" in drawn["note"]
    assert rho_localised.readable(drawn["note"]) in str(pictures["rho_localised"].get_label())
    # it localises: nothing before the middle and after the second step, all between them
    last = drawn["panels"][1]
    theta, exact = np.array(last["theta"]), np.array(last["exact"])
    end = 0.5 + 1 / last["product"]
    between = (theta > 0.51) & (theta < end - 0.01)
    assert np.all(exact[between] > 0.999)
    assert np.all(exact[(theta < 0.49) | (theta > end + 0.01)] < 1e-3)


def test_the_artists_are_the_data(rho: dict[str, Any], pictures: dict[str, Figure]) -> None:
    figure = pictures[rho["figure"]]
    for axes, panel in zip(figure.axes, rho["panels"], strict=False):
        lines = axes.get_lines()
        for line, side in zip(lines, ("printed", "derived", "exact"), strict=False):
            assert np.array(line.get_xdata()).tolist() == panel["theta"]
            assert np.array(line.get_ydata()).tolist() == panel[side]
        assert np.array(lines[3].get_ydata()).tolist() == panel["finite"]["exact"]
        looks = {(str(line.get_color()), str(line.get_linestyle()), line.get_linewidth()) for line in lines[:4]}
        assert len(looks) == len({look[0] for look in looks}) == 4
        (bars,) = bars_of(axes)
        held = panel["simulated"]
        assert np.array(bars.lines[0].get_ydata()).tolist() == held["estimate"]
        assert ends_of(bars)[:, 0, 1] == pytest.approx(held["low"], abs=1e-12)
        assert ends_of(bars)[:, 1, 1] == pytest.approx(held["high"], abs=1e-12)
    (legend,) = figure.legends
    labels = [text.get_text() for text in legend.get_texts()]
    assert [label.split(",")[0] for label in labels] == [
        "printed (6)",
        "derived",
        "exact law",
        "exact law",
        "simulated",
    ]


# ---- Figs. 1 and 5, and the Gaussian error


def test_the_pieces_are_the_clipped_tangent(every: dict[str, dict[str, Any]], pictures: dict[str, Figure]) -> None:
    cut = every["softmax_pieces"]["cut"]
    gap = np.array(cut["difference"])
    assert np.array(cut["softmax"]) == pytest.approx(special.expit(gap), abs=1e-15)
    slope = (special.expit(1e-5) - special.expit(-1e-5)) / 2e-5
    assert np.array(cut["pieces"]) == pytest.approx(np.clip(0.5 + slope * gap, 0, 1), abs=1e-8)
    side, grid = every["softmax_pieces"]["omega"], np.array(every["softmax_pieces"]["grid"]["softmax"])
    assert grid == pytest.approx(special.expit(np.subtract.outer(side, side).T), abs=1e-15)
    axes = pictures["softmax_pieces"].axes
    (last,) = (held for held in axes if held.get_legend())
    assert [np.array(line.get_ydata()).tolist() for line in last.get_lines()[:2]] == [cut["softmax"], cut["pieces"]]


def test_simulated_attention_agrees_with_the_exact_law(every: dict[str, dict[str, Any]]) -> None:
    drawn = every["signal_propagation"]

    def missed(shift: int) -> int:
        return sum(
            not low <= exact <= high
            for line, other in zip(drawn["lines"], drawn["lines"][shift:] + drawn["lines"][:shift], strict=True)
            for low, exact, high in zip(
                line["simulated"]["low"], other["exact"], line["simulated"]["high"], strict=True
            )
        )

    assert missed(0) == 0
    assert missed(1) > 0, "the law of another mean is seen"
    assert len(drawn["lines"]) == 2 * len(drawn["means"]) * len(drawn["scales"])
    for line in drawn["lines"]:
        assert np.shape(line["draws"]) == (3, drawn["T"])
        assert all(0 <= value <= np.log(drawn["T"]) for value in line["entropy"])


def test_attention_is_drawn_with_its_draws_its_law_and_its_entropies(
    every: dict[str, dict[str, Any]], pictures: dict[str, Figure]
) -> None:
    drawn, figure = every["signal_propagation"], pictures["signal_propagation"]
    means, scales = drawn["means"], drawn["scales"]
    first = figure.axes[0]
    lines = [line for line in drawn["lines"] if line["covariance"] == "isotropic" and line["scale"] == scales[0]]
    heights = [np.array(held.get_ydata()).tolist() for held in first.get_lines()]
    for line in lines:
        for wanted in (line["simulated"]["estimate"], line["exact"], *line["draws"]):
            assert wanted in heights
    assert len(bars_of(first)) == len(means)
    bold = [held.get_linewidth() for held in first.get_lines() if np.array(held.get_ydata()).size == drawn["T"]]
    assert max(bold) > 3 * min(bold)
    entropies = figure.axes[len(scales)]
    for bars, mean in zip(bars_of(entropies), means, strict=True):
        kept = [
            line["entropy"] for line in drawn["lines"] if line["covariance"] == "isotropic" and line["mean"] == mean
        ]
        assert np.array(bars.lines[0].get_ydata()) == pytest.approx([np.mean(values) for values in kept])
        assert ends_of(bars)[:, 0, 1] == pytest.approx([min(values) for values in kept])
        assert ends_of(bars)[:, 1, 1] == pytest.approx([max(values) for values in kept])
    assert "our choice" in str(figure.get_label())
    assert len({look["marker"] for look in signal_propagation.LOOKS}) == len(signal_propagation.LOOKS)


def test_the_gaussian_error_keeps_its_bound_and_the_printed_variance_is_worse(every: dict[str, dict[str, Any]]) -> None:
    drawn = every["gaussian_error"]
    for held in drawn["maps"]:
        derived, print_, bound = (np.array(held[name]) for name in ("derived", "printed", "bound"))
        assert derived.shape == (len(drawn["T"]), len(drawn["d"]))
        assert np.all(derived + held["numerical"] <= bound)
        assert np.all(derived < print_)
        # in high dimension the law is nearly Gaussian, unless one eigenvalue dominates
        assert (derived[-1, -1] < 0.2 * derived[-1, 0]) == (held["spectrum"] != "dominant")
    assert drawn["measured"].startswith("against the exact law")


def test_the_maps_are_drawn(every: dict[str, dict[str, Any]], pictures: dict[str, Figure]) -> None:
    drawn, figure = every["gaussian_error"], pictures["gaussian_error"]
    count = len(drawn["maps"])
    for column, held in enumerate(drawn["maps"]):
        for row, name in enumerate(("derived", "printed")):
            (image,) = figure.axes[row * count + column].images
            assert np.array(image.get_array()).tolist() == held[name]
        heights = [np.array(line.get_ydata()).tolist() for line in figure.axes[2 * count + column].get_lines()]
        assert heights == [held[name][-1] for name in ("printed", "derived", "bound")]
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert labels == ["printed variance (measured)", "derived variance (measured)", "proved bound, derived"]
