"""theta -> v(theta): the variance of <gamma^i, omega> + gamma_0^i at i = theta T, in units of tr(W^2)/lambda^2."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from figures import FigureError
from figures.style import rows, simulated_rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

CLAIM = "bao2024.sec4.lemma1-variance"
QUANTITY = "variance"

#: Length of the simulated walks and the positions i whose variance is sampled.
LENGTH = 16
POSITIONS = (1, 2, 4, 6, 8, 10, 12, 14, 16)
#: The model that is sampled: anisotropic tokens, an indefinite W_QK, a temperature other than 1.
MODEL: Mapping[str, Any] = {
    "d": 2,
    "W": [["2", "1"], ["1", "-1"]],
    "Sigma": [["1", "0"], ["0", "1/2"]],
    "start": "sigma",
    "lam": "2",
}
#: Points of the curves in theta.
RESOLUTION = 64

PRINTED, DERIVED, SAMPLED = "#D55E00", "#0072B2", "#000000"


def data(
    *, seed: int = 0, length: int = LENGTH, positions: Sequence[int] = POSITIONS, effort: str = "quick"
) -> dict[str, Any]:
    """The printed and the derived limit, the exact variance at T = length, and simulated ones with their intervals.

    Every value is divided by tr(W^2)/lambda^2. The intervals are those that the claim is judged by; each fails with
    probability ``simulated.failure`` at most. Raises FigureError where nothing could be sampled.
    """
    from proofs_check.claims.pairing import Pair
    from proofs_check.inputs.lookup import by_id
    from proofs_check.judging import runner
    from proofs_check.judging.options import Options

    claim = by_id(CLAIM)
    pair = Pair(claim)
    derived = pair.derived()

    def case(i: int) -> dict[str, Any]:
        return {**MODEL, "T": length, "i": i}

    exact = pair.exact(case(1))
    unit = exact.value("tr2") / exact.value("lam") ** 2

    def scaled(value: Any) -> float:
        return float(value) / float(unit)

    grid = [Fraction(k, RESOLUTION) for k in range(RESOLUTION + 1)]
    limits = [pair.target(QUANTITY, {**case(1), "theta": str(theta)}) for theta in grid]
    finite = [pair.target(QUANTITY, case(i)) for i in range(1, length + 1)]

    sampled, verdicts, failure, formula = [], set(), 0.0, ""
    for i in positions:
        options = Options(effort=effort, seed=seed, device="cpu", case=case(i))
        report = runner.run_alone(claim, options)
        judged: Any = report["claims"][0]
        if not judged["cases"]:
            raise FigureError(f"{CLAIM}: nothing was sampled at i = {i}, T = {length}: {judged['reason']}")
        sampled.append(judged["cases"][0])
        verdicts.add(judged["verdict"])
        formula = judged["symbolic"]["exact"]
        failure = max(failure, report["run"]["ledger"][0]["spent"])

    return {
        "figure": "variance_profile",
        "claim": claim.id,
        "where": claim.where,
        "seed": seed,
        "unit": "tr2/lam**2",
        "model": {**MODEL, "T": length},
        "formulas": {
            "printed": claim.printed[QUANTITY],
            "derived": formula,
            "finite": str(derived.ratio(QUANTITY if derived.known(QUANTITY) else "")),
        },
        "limit": {
            "theta": [float(theta) for theta in grid],
            "printed": [scaled(target.claimed) for target in limits],
            "derived": [scaled(target.true) for target in limits],
        },
        "finite": {
            "theta": [i / length for i in range(1, length + 1)],
            "derived": [scaled(target.derived) for target in finite],
        },
        "simulated": {
            "theta": [i / length for i in positions],
            "derived": [scaled(finite[i - 1].derived) for i in positions],
            "estimate": [scaled(row["estimate"]) for row in sampled],
            "low": [scaled(row["low"]) for row in sampled],
            "high": [scaled(row["high"]) for row in sampled],
            "samples": [row["samples"] for row in sampled],
            "failure": failure,
            "verdicts": sorted(verdicts),
        },
    }


def table(drawn: dict[str, Any]) -> list[dict[str, Any]]:
    """One row a point: the two limits, the exact variance at T, and the simulated one with its interval."""
    found, T = [], drawn["model"]["T"]
    curves = (
        ("printed, limit", "limit", "printed"),
        ("derived, limit", "limit", "derived"),
        (f"derived, T = {T}", "finite", "derived"),
    )
    for curve, group, column in curves:
        held = drawn[group]
        found += rows({"panel": "profile", "curve": curve}, "theta", held["theta"], value=held[column])
    shared = {"panel": "profile", "curve": f"simulated, T = {T}"}
    return found + simulated_rows(shared, drawn["simulated"]["theta"], drawn["simulated"])


def draw(drawn: dict[str, Any]) -> Figure:
    """Two panels: v against theta, and the simulated points relative to the exact value at the same T."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.0, 6.0), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=(4, 1.3))
    _profiles(above, drawn)
    _residuals(below, drawn)
    above.set_title(f"{drawn['where']}: printed variance against the derived and the simulated one", loc="left")
    for panel in (above, below):
        panel.spines[["top", "right"]].set_visible(False)
        panel.grid(axis="y", color="0.9", linewidth=0.8)
        panel.set_axisbelow(True)
    figure.align_ylabels([above, below])
    return figure


def _profiles(panel: Axes, drawn: dict[str, Any]) -> None:
    limit, finite, points, T = drawn["limit"], drawn["finite"], drawn["simulated"], drawn["model"]["T"]
    formulas = drawn["formulas"]
    printed, derived = readable(formulas["printed"]), readable(formulas["derived"])
    panel.plot(
        limit["theta"],
        limit["printed"],
        color=PRINTED,
        linestyle=(0, (5, 2)),
        linewidth=2.4,
        label=f"printed: {printed}",
    )
    panel.plot(limit["theta"], limit["derived"], color=DERIVED, linewidth=2.4, label=f"derived, T → ∞: {derived}")
    panel.plot(
        finite["theta"],
        finite["derived"],
        color=DERIVED,
        linestyle=":",
        linewidth=1.8,
        label=f"derived, exact at T = {T}",
    )
    panel.errorbar(
        points["theta"],
        points["estimate"],
        yerr=_bars(points, points["estimate"]),
        color=SAMPLED,
        linestyle="none",
        marker="o",
        markersize=5,
        capsize=3,
        label=f"simulated at T = {T}",
    )
    panel.set_ylabel("v(θ)  [tr(W²)/λ²]")
    panel.set_xlim(-0.02, 1.02)
    panel.set_ylim(bottom=0.0)
    panel.legend(frameon=False, loc="upper left")
    _gap(panel, limit, points["theta"])


def _gap(panel: Axes, limit: Mapping[str, list[float]], thetas: Sequence[float]) -> None:
    """An arrow where, of the sampled thetas, the printed limit is off by the largest factor; none below a tenth."""
    printed, derived = (np.interp(thetas, limit["theta"], limit[name]) for name in ("printed", "derived"))
    factors = printed / derived
    worst = int(np.argmax(np.abs(np.log(factors))))
    if abs(factors[worst] - 1) < 0.1:
        return
    theta, low, high = thetas[worst], derived[worst], printed[worst]
    arrow = {"arrowstyle": "<->", "color": "0.35", "shrinkA": 3, "shrinkB": 5}
    panel.annotate("", xy=(theta, low), xytext=(theta, high), arrowprops=arrow)
    panel.annotate(
        f"the print is {factors[worst]:.3g} times\nthe derived limit at θ = {theta:g}",
        (theta, (low + high) / 2),
        xytext=(8, 0),
        textcoords="offset points",
        va="center",
        color="0.25",
    )


def _residuals(panel: Axes, drawn: dict[str, Any]) -> None:
    points, T = drawn["simulated"], drawn["model"]["T"]
    exact = np.array(points["derived"])
    relative = {name: 100 * (np.array(points[name]) / exact - 1) for name in ("estimate", "low", "high")}
    panel.axhline(0.0, color=DERIVED, linestyle=":", linewidth=1.6)
    panel.errorbar(
        points["theta"],
        relative["estimate"],
        yerr=_bars(relative, relative["estimate"]),
        color=SAMPLED,
        linestyle="none",
        marker="o",
        markersize=5,
        capsize=3,
    )
    reach = 1.25 * max(np.max(np.abs(relative["low"])), np.max(np.abs(relative["high"])))
    panel.set_ylim(-reach, reach)
    panel.set_ylabel("sim. − exact\n[% of exact]")
    panel.set_xlabel("θ = i/T, relative position of the token")
    chance, d = math.ceil(math.log10(points["failure"])), drawn["model"]["d"]
    told = f"simulated against exact at T = {T}, d = {d}; an interval misses with probability below 1e{chance}"
    panel.set_title(told, loc="left", fontsize="medium", color="0.25")


def _bars(ends: Mapping[str, Any], centre: Any) -> Any:
    """Lengths of the bars below and above, shape (2, points)."""
    middle = np.array(centre)
    return np.stack([middle - np.array(ends["low"]), np.array(ends["high"]) - middle])


#: How a formula's names are written for a reader.
SIGNS = (("**2", "²"), ("**3", "³"), ("**4", "⁴"), ("theta", "θ"), ("lam", "λ"), ("tr2", "tr(W²)"), ("- ", "− "))


def readable(formula: str) -> str:
    """``2*theta**2*tr2/lam**2`` as ``2θ² tr(W²)/λ²``."""
    for plain, sign in SIGNS:
        formula = formula.replace(plain, sign)
    return re.sub(r"(?<=\d)\*(?=θ|λ)", "", formula).replace("*", " ")
