"""The variance profile: data against sums over the covariance kernel written here, and what is drawn of it."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
from matplotlib.container import ErrorbarContainer

from figures.variance_profile import data, draw, readable, table
from proofs_check.judging import runner
from proofs_check.judging.options import Options
from tests.figures.reading import printed

T, POSITIONS = 8, (8,)


@pytest.fixture
def name() -> str:
    return "variance_profile"


def brute_force(i: int, length: int) -> float:
    """Var sum_a gamma_a x_a^T W x_T in units of tr(W^2), for a walk with Cov(x_s, x_t) = min(s, t) Sigma."""
    step = np.arange(1, length + 1, dtype=float)
    kernel = np.minimum.outer(step, step)
    gamma = np.full(length, -1.0 / length**2)
    gamma[i - 1] += 1.0 / length
    # Isserlis without the pairing inside each form: K(a, b) K(T, T) + K(a, T) K(T, b)
    both = kernel * kernel[-1, -1] + np.outer(kernel[:, -1], kernel[-1, :])
    return float(gamma @ both @ gamma)


def printed_at(theta: float) -> float:
    return float(printed("bao2024.sec4.lemma1-variance", "variance")(theta=theta, tr2=1.0, lam=1.0))


def test_every_curve_has_a_number_at_every_place(drawn: dict[str, Any]) -> None:
    assert drawn["claim"] == "bao2024.sec4.lemma1-variance"
    assert drawn["model"]["T"] == T
    assert drawn["limit"]["theta"][0] == 0.0
    assert drawn["limit"]["theta"][-1] == 1.0
    for group in ("limit", "finite", "simulated"):
        lengths = {
            len(values) for key, values in drawn[group].items() if isinstance(values, list) and key != "verdicts"
        }
        assert len(lengths) == 1, group


def test_the_printed_curve_is_the_print(drawn: dict[str, Any]) -> None:
    expected = [printed_at(theta) for theta in drawn["limit"]["theta"]]
    assert drawn["limit"]["printed"] == pytest.approx(expected, rel=1e-12)


def test_the_exact_curve_is_the_sum_over_the_kernel(drawn: dict[str, Any]) -> None:
    assert drawn["finite"]["theta"] == [i / T for i in range(1, T + 1)]
    assert drawn["finite"]["derived"] == pytest.approx([brute_force(i, T) for i in range(1, T + 1)], rel=1e-12)


@pytest.mark.parametrize("length", [256, 1024])
def test_the_limit_is_approached_like_one_over_T(drawn: dict[str, Any], length: int) -> None:
    for theta, limit in list(zip(drawn["limit"]["theta"], drawn["limit"]["derived"], strict=True))[1::7]:
        assert abs(brute_force(round(theta * length), length) - limit) < 4 / length


def test_the_simulated_intervals_hold_the_exact_value_and_are_short(drawn: dict[str, Any]) -> None:
    points = drawn["simulated"]
    assert points["theta"] == [i / T for i in POSITIONS]
    assert 0 < points["failure"] < 1e-6
    for i, low, estimate, high, exact in zip(
        POSITIONS, points["low"], points["estimate"], points["high"], points["derived"], strict=True
    ):
        assert exact == pytest.approx(brute_force(i, T), rel=1e-12)
        assert low < estimate < high
        assert low <= exact <= high
        assert high - low < 0.16 * exact


@pytest.mark.slow
def test_the_same_seed_gives_the_same_data(drawn: dict[str, Any]) -> None:
    again = data(length=T, positions=POSITIONS[:1])
    for name in ("estimate", "low", "high"):
        assert again["simulated"][name] == drawn["simulated"][name][:1]
    assert again["finite"] == drawn["finite"]


def test_the_seed_is_handed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(claims: Any, options: Options) -> Any:
        raise RuntimeError(f"seed {options.seed}")

    monkeypatch.setattr(runner, "run", run)
    with pytest.raises(RuntimeError, match="seed 5"):
        data(seed=5, length=2, positions=(2,))


def test_the_table_holds_every_point(drawn: dict[str, Any]) -> None:
    held = table(drawn)
    limit, points = drawn["limit"], drawn["simulated"]
    printed = [(row["theta"], row["value"]) for row in held if row["curve"] == "printed, limit"]
    assert printed == list(zip(limit["theta"], limit["printed"], strict=True))
    (last,) = (row for row in held if row["curve"].startswith("simulated") and row["theta"] == 1)
    assert (last["value"], last["low"], last["high"]) == tuple(points[name][-1] for name in ("estimate", "low", "high"))
    assert len(held) == 2 * len(limit["theta"]) + T + len(POSITIONS)


def test_the_drawing_shows_every_number_with_labels(drawn: dict[str, Any]) -> None:
    above, below = draw(drawn).axes
    lines = {str(line.get_label()).split(":")[0]: line for line in above.get_lines()}
    for label, group, column in (
        ("printed", "limit", "printed"),
        ("derived, T → ∞", "limit", "derived"),
        (f"derived, exact at T = {T}", "finite", "derived"),
    ):
        assert np.array(lines[label].get_xdata()).tolist() == drawn[group]["theta"]
        assert np.array(lines[label].get_ydata()).tolist() == drawn[group][column]
    styles = [lines[name].get_linestyle() for name in ("printed", "derived, T → ∞", f"derived, exact at T = {T}")]
    assert len(set(styles)) == 3, "curves are told apart without their colours"
    (points,) = (held for held in above.containers if isinstance(held, ErrorbarContainer))
    assert np.array(points.lines[0].get_ydata()).tolist() == drawn["simulated"]["estimate"]
    segments = np.array(points.lines[2][0].get_segments())
    assert segments[:, 0, 1] == pytest.approx(drawn["simulated"]["low"])
    assert segments[:, 1, 1] == pytest.approx(drawn["simulated"]["high"])
    legend = above.get_legend()
    assert legend is not None
    shown = [text.get_text() for text in legend.get_texts()]
    assert len(shown) == 4
    assert readable(drawn["formulas"]["printed"]) in shown[0]
    assert readable(drawn["formulas"]["derived"]) in shown[1]
    assert "tr(W²)/λ²" in above.get_ylabel()
    assert "θ" in below.get_xlabel()
    assert "%" in below.get_ylabel()
    assert above.get_title(loc="left").startswith("Lemma 1")


def test_everything_drawn_is_inside_the_panels(drawn: dict[str, Any]) -> None:
    above, below = draw(drawn).axes
    low, high = above.get_ylim()
    values = [*drawn["limit"]["printed"], *drawn["limit"]["derived"], *drawn["simulated"]["high"]]
    assert low <= min(values)
    assert max(values) <= high
    points = drawn["simulated"]
    assert below.get_ylim()[1] > 100 * max(np.array(points["high"]) / np.array(points["derived"]) - 1)


def test_the_arrow_stands_where_print_and_derivation_differ_only(drawn: dict[str, Any]) -> None:
    def notes(values: dict[str, Any]) -> list[str]:
        return [text.get_text() for text in draw(values).axes[0].texts if text.get_text()]

    agreeing = copy.deepcopy(drawn)
    agreeing["limit"]["printed"] = agreeing["limit"]["derived"]
    assert notes(agreeing) == []
    (told,) = notes(drawn)
    thetas = drawn["simulated"]["theta"]
    limit = np.interp(thetas, drawn["limit"]["theta"], drawn["limit"]["derived"])
    factors = [printed_at(theta) / value for theta, value in zip(thetas, limit, strict=True)]
    worst = int(np.argmax(factors))
    assert f"{factors[worst]:.3g} times" in told
    assert f"θ = {thetas[worst]:g}" in told


@pytest.mark.parametrize(
    ("plain", "shown"),
    [
        ("(2*theta**2 + 7/12)*tr2/lam**2", "(2θ² + 7/12) tr(W²)/λ²"),
        ("tr2*(2*theta**2 - 2*theta + 7/12)/lam**2", "tr(W²) (2θ² − 2θ + 7/12)/λ²"),
    ],
)
def test_formulas_are_written_for_readers(plain: str, shown: str) -> None:
    assert readable(plain) == shown
