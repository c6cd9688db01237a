"""Fig. 2: rho(theta) over xi and eta, as printed, as derived, from the exact law and simulated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from figures.style import CURVES, NORMAL, SMALL, canvas, legend, note, plain, points, rows, simulated_rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: The text names xi = 0, |xi| <= 1, |xi| >= 5 and eta = 0.001, eta >= 0.5; 20 = sqrt(d) is the bound of Eq. (5).
XI = (-20, -5, -1, 0, 1, 5, 20)
ETA = (0.001, 0.1, 0.5, 5.0)
#: A square, so that eigenvalues of one size give every xi of the grid.
DIMENSION = 400
#: Tokens of the simulated walks, so many that 1/T is small beside the smallest eta, and the walks of a panel.
LENGTH, WALKS = 1 << 16, 4000
#: Tokens of the walks of Fig. 5.
SHORT = 40
RESOLUTION = 100
#: Chance that any interval of the figure misses.
FAILURE = 1e-3


def data(
    *, seed: int = 0, xis: Sequence[int] = XI, etas: Sequence[float] = ETA, walks: int = WALKS, length: int = LENGTH
) -> dict[str, Any]:
    """One panel for each pair: curves over theta, and frequencies in simulated walks with binomial intervals.

    W has the eigenvalues eta/sqrt(d) and -eta/sqrt(d), as many of each as xi asks for.
    """
    from proofs_check.report.curves import scores as curves

    places = [k / 8 for k in range(9)]
    each = FAILURE / (len(xis) * len(etas) * len(places))
    panels = [
        curves.rho_panel(
            xi,
            eta,
            DIMENSION,
            thetas=np.linspace(0, 1, RESOLUTION + 1).tolist(),
            places=places,
            length=length,
            walks=walks,
            short=SHORT,
            failure=each,
            seed=seed,
        )
        for eta in etas
        for xi in xis
    ]
    return {
        "figure": "rho_grid",
        "where": "Figure 2",
        "seed": seed,
        "formulas": curves.rho_formulas(),
        "d": DIMENSION,
        "xi": list(xis),
        "eta": list(etas),
        "length": length,
        "short": SHORT,
        "walks": walks,
        "failure": FAILURE,
        "grid": "chosen to cover what the text says of xi and eta: it lists no grid",
        "spectrum": "eigenvalues eta/sqrt(d) and -eta/sqrt(d) of W, lambda = 1",
        "panels": panels,
    }


#: The curves by their names in the data, and what they are called.
NAMES = {
    "printed": "printed (6)",
    "derived": "derived, Gaussian, T → ∞",
    "exact": "exact law, T → ∞",
}


def table(drawn: dict[str, Any]) -> list[dict[str, Any]]:
    """One row a point of every curve, and of every simulated frequency with its interval."""
    found = []
    for panel in drawn["panels"]:
        shared = {"panel": f"xi = {panel['xi']:g}, eta = {panel['eta']:g}", "xi": panel["xi"], "eta": panel["eta"]}
        for name in NAMES:
            found += rows({**shared, "curve": name}, "theta", panel["theta"], value=panel[name])
        short, far = f"exact, T = {drawn['short']}", f"T = {drawn['length']}"
        found += rows({**shared, "curve": short}, "theta", panel["finite"]["theta"], value=panel["finite"]["exact"])
        simulated = panel["simulated"]
        found += rows({**shared, "curve": "exact, " + far}, "theta", simulated["theta"], value=simulated["exact"])
        found += simulated_rows({**shared, "curve": "simulated, " + far}, simulated["theta"], simulated)
    return found


def curves_of(axes: Axes, panel: dict[str, Any]) -> list[Any]:
    """The four curves and the simulated points of one panel; returns their handles in the order of ``labels_of``."""
    handles: list[Any] = [axes.plot(panel["theta"], panel[name], **CURVES[name])[0] for name in NAMES]
    handles += axes.plot(panel["finite"]["theta"], panel["finite"]["exact"], **CURVES["finite"])
    handles.append(points(axes, panel["simulated"]["theta"], panel["simulated"], zorder=5))
    return handles


def labels_of(drawn: dict[str, Any]) -> list[str]:
    """What the handles of ``curves_of`` are called."""
    return [*NAMES.values(), f"exact law, T = {drawn['short']}", f"simulated, T = {drawn['length']}"]


def draw(drawn: dict[str, Any]) -> Figure:
    """A row of panels for each eta, a column for each xi."""
    wide, high = len(drawn["xi"]), len(drawn["eta"])
    figure = canvas(1.3 + 1.35 * high)
    axes = figure.subplots(high, wide, sharex=True, sharey=True, squeeze=False)
    handles: list[Any] = []
    for held, panel in zip(axes.flat, drawn["panels"], strict=True):
        handles = curves_of(held, panel)
        plain(held)
    for held, xi in zip(axes[0], drawn["xi"], strict=True):
        held.set_title(f"ξ = {xi:g}".replace("-", "−"), fontsize=NORMAL)
    for held, eta in zip(axes[:, 0], drawn["eta"], strict=True):
        held.set_ylabel(f"η = {eta:g}\nρ(θ)", fontsize=SMALL)
    axes[0, 0].set(xlim=(-0.04, 1.04), ylim=(-0.04, 1.06))
    axes[0, 0].set_xticks([0, 0.5, 1], ["0", "½", "1"])
    axes[0, 0].set_yticks([0, 0.5, 1], ["0", "½", "1"])
    walks, chance = drawn["walks"], drawn["failure"]
    told = (
        f"θ = i/T, relative position of the token. ξ = tr W/√tr W², η = √tr W²/λ: the grid is our choice.\n"
        f"d = {drawn['d']}, eigenvalues ±η/√d. Bars: binomial intervals from {walks} walks, all together right with "
        f"probability {1 - chance:g}."
    )
    note(figure, told)
    legend(figure, handles, labels_of(drawn), 3)
    return figure
