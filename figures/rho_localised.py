"""Fig. 3: rho(theta) for xi = 128 and 512, where it localises: printed, derived, from the exact law, simulated."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from figures.rho_grid import FAILURE, SHORT, curves_of, labels_of
from figures.rho_grid import table as table_of_panels
from figures.style import NORMAL, SMALL, canvas, legend, note, plain

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Tokens of the simulated walks, and the walks of a panel.
LENGTH, WALKS = 1 << 16, 8000
#: The steps of rho are as wide as 1/xi: they are resolved, sampled and magnified up to so many times that.
NEAR = 3.0


def data(*, seed: int = 0, walks: int = WALKS, length: int = LENGTH) -> dict[str, Any]:
    """A panel for each pair (xi, xi eta) of the caption, and one for the eta of the text, which is another.

    All eigenvalues are equal, d = xi^2: the smallest d that the bound (5) allows.
    """
    from proofs_check.report.curves import scores as curves

    told = curves.caption()
    cases = [*told["pairs"], told["text"]]
    sources = [*("caption" for _ in told["pairs"]), "text"]
    places = [places_of(case) for case in cases]
    each = FAILURE / sum(map(len, places))
    panels = [
        {
            "source": source,
            "product": case["product"],
            **curves.rho_panel(
                case["xi"],
                case["eta"],
                round(case["xi"] ** 2),
                thetas=thetas_of(case),
                places=where,
                length=length,
                walks=walks,
                short=SHORT,
                failure=each,
                seed=seed,
            ),
        }
        for source, case, where in zip(sources, cases, places, strict=True)
    ]
    text, last = told["text"], told["pairs"][-1]
    return {
        "figure": "rho_localised",
        "where": "Figure 3",
        "seed": seed,
        "formulas": curves.rho_formulas(),
        "length": length,
        "short": SHORT,
        "walks": walks,
        "failure": FAILURE,
        "caption": told,
        "note": (
            f"The caption's xi = {last['xi']:g} and xi eta = {last['product']:g} give eta = {last['eta']:g}; "
            f"the text says eta = {text['eta']:g}, with which xi eta = {text['product']:g}"
        ),
        "spectrum": "all eigenvalues of W equal, eta/xi, d = xi^2, lambda = 1",
        "panels": panels,
    }


def _steps(case: dict[str, float]) -> list[float]:
    """Where the mean of the score crosses 0 and, if that is a position, 1."""
    return [place for place in (0.5, 0.5 + 1 / case["product"]) if 0 <= place <= 1]


def thetas_of(case: dict[str, float]) -> list[float]:
    """An even grid, and a fine one about each step."""
    fine = [place + z / case["xi"] for place in _steps(case) for z in np.linspace(-NEAR, NEAR, 61)]
    every = np.concatenate([np.linspace(0, 1, 101), fine])
    return [float(theta) for theta in np.unique(every) if 0 <= theta <= 1]


def places_of(case: dict[str, float]) -> list[float]:
    """Where tokens are sampled: evenly, and about the first step."""
    near = [0.5 + z / case["xi"] for z in (-1, -0.5, -0.25, 0.25, 0.5, 1)]
    return sorted({*(k / 16 for k in range(17)), *near})


def table(drawn: dict[str, Any]) -> list[dict[str, Any]]:
    """One row a point, as for ``rho_grid``."""
    return table_of_panels(drawn)


def draw(drawn: dict[str, Any]) -> Figure:
    """Above rho over all positions, below the step at theta = 1/2 magnified."""
    figure = canvas(5.6)
    axes = figure.subplots(2, len(drawn["panels"]), sharey=True, squeeze=False)
    handles: list[Any] = []
    for column, panel in enumerate(drawn["panels"]):
        whole, near = axes[:, column]
        handles = curves_of(whole, panel)
        # 40 tokens are too far apart to be joined by lines here
        curves_of(near, panel)[-2].remove()
        plain(whole)
        plain(near)
        title = f"ξ = {panel['xi']:g}, ξη = {panel['product']:g}\n(η = {panel['eta']:g}, {panel['source']})"
        whole.set_title(title, fontsize=NORMAL)
        whole.set(xlim=(-0.02, 1.02), ylim=(-0.04, 1.06), xlabel="θ = i/T")
        reach = NEAR / panel["xi"]
        near.set(xlim=(0.5 - reach, 0.5 + reach), xlabel="(θ − ½) ξ")
        near.set_xticks([0.5 + z / panel["xi"] for z in (-2, 0, 2)], ["−2", "0", "2"])
    for held in axes[:, 0]:
        held.set_ylabel("ρ(θ)", fontsize=SMALL)
    told = (
        f"{readable(drawn['note'])}.\n"
        f"All d = ξ² eigenvalues equal. Below: the first step magnified. Bars: binomial intervals from "
        f"{drawn['walks']} walks,\nall together right with probability {1 - drawn['failure']:g}."
    )
    note(figure, told)
    legend(figure, handles, labels_of(drawn), 3)
    return figure


def readable(text: str) -> str:
    """The note with the symbols of the paper."""
    return text.replace("xi eta", "ξη").replace("xi", "ξ").replace("eta", "η")
