"""The figures: one module each, with ``data`` (what is drawn, computed by proofs_check), ``draw`` (the drawing) and
``table`` (what is drawn, one row a point)."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol, cast

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Every figure by the name of its module, in the order they are made.
FIGURES = (
    "softmax_pieces",
    "variance_profile",
    "rho_grid",
    "rho_localised",
    "entropy_bound",
    "signal_propagation",
    "gaussian_error",
    "representability",
    "smoothing_ratio",
    "cosine_ratio",
    "sign_map",
    "pattern_costs",
    "cheaper_map",
    "feature_errors",
    "regularised_kernel",
)

#: Figures of a trained model, drawn from what ``twofold measure`` found; their ``data`` takes that.
MODEL_FIGURES = (
    "model_assumptions",
    "model_cosines",
    "model_components",
    "model_spectra",
    "model_heads",
    "model_signs",
    "model_correlations",
    "model_patterns",
)


class FigureError(RuntimeError):
    """A figure cannot be made; the message says which and why."""


class FigureModule(Protocol):
    """What a module of this package offers."""

    @property
    def data(self) -> Callable[..., dict[str, Any]]:
        """What is drawn, in JSON's own types: of the seed, or of what was measured; the same for the same."""

    def draw(self, drawn: dict[str, Any]) -> Figure:
        """The figure of that data."""

    def table(self, drawn: dict[str, Any]) -> list[dict[str, Any]]:
        """That data as a long table, one row a point, with columns of numbers and text."""


def load(name: str) -> FigureModule:
    """The module of a figure; nothing heavy is imported before. Raises KeyError for a name that no figure has."""
    if name not in (*FIGURES, *MODEL_FIGURES):
        raise KeyError(name)
    return cast("FigureModule", importlib.import_module(f"{__package__}.{name}"))
