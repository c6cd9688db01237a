"""Section 7: searches for settings in which a construction costs more than its bound, or the least cost is less."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from itertools import product

import numpy as np
import torch

from montecarlo.empirical_checks import Points
from montecarlo.lampert2026.costs import (
    FAMILIES,
    ROUNDOFF,
    Formula,
    copy_cost,
    embeddings,
    nuclear,
    printed_diagonal,
    sink_cost,
    whole,
)
from montecarlo.registry import search

#: The grid of the searches: C, lam with its nuisances' n and family, kappa, d. The first point of each d is C = 1.
DIMENSIONS = (4, 36, 64)
COUNTS = (1, 2, 3, 5)
# 2/3 itself is no float, and the nearest one lies below it
LAMBDAS = (math.nextafter(2 / 3, 1.0), 0.7, 0.8, 0.9, 0.97, 0.999)
#: Shares below those of the prints: a claim's conditions leave out the points that are not its own.
SMALL = (0.1, 0.35, 0.5, 0.6, 0.63, 0.65)
KAPPAS = (1.0, 1 / 16, 16.0)
#: Most points of a search: each takes a singular value decomposition of the whole W_QK.
MOST = 400


def settings(
    points: int, generator: torch.Generator, counts: tuple[int, ...] = COUNTS
) -> Iterator[tuple[int, float, float, int, int]]:
    """(C, lam, kappa, d, place): the grid, as far as the embeddings fit into d dimensions, then others.

    Every fourth point is one of SMALL or, past the grid, from (0, 1); elsewhere lam is from [2/3, 1).
    """
    grid = [(C, lam, kappa, d) for d, C, lam, kappa in product(DIMENSIONS, counts, LAMBDAS, KAPPAS) if d > 4 or C == 1]
    for place in range(min(points, MOST)):
        C, lam, kappa, d = grid[(place - place // 4) % len(grid)]
        small, past = place % 4 == 3, place - place // 4 >= len(grid)
        if small:
            lam = SMALL[place // 4 % len(SMALL)]
        if past:
            drawn = float(torch.rand(1, generator=generator, device=generator.device))
            lam = 0.05 + 0.949 * drawn if small else 2 / 3 + drawn / 3 * 0.999
        yield C, lam, kappa, d, place


def _fitting(C: float, lam: float, kappa: float, d: float) -> tuple[int, float, float, int]:
    """A setting of a case, its counts whole."""
    whole(C=C, d=d)
    return int(C), lam, kappa, int(d)


def _sink_cost(C: int, lam: float, kappa: float, d: int) -> tuple[dict[str, float], dict[str, float]]:
    # in few dimensions all groups share their nuisances
    W, _, _, error = sink_cost(embeddings(C, 2, lam, d, 1 if d > 3 * C else 3), kappa)
    size, rounding = nuclear(W)
    row = {"value": 2 * size, "C": float(C), "lam": lam, "kappa": kappa, "d": float(d)}
    return row, {"value": 2 * (rounding + error * size)}


def _diagonal_cost(
    C: int, lam: float, kappa: float, d: int, place: int, forms: tuple[Formula, ...]
) -> tuple[dict[str, float], dict[str, float]]:
    family = 1 if d == 4 else 1 + place % len(FAMILIES)
    tokens = embeddings(C, 2 if d == 4 else 2 + place % 3, lam, d, family)
    block, alpha = printed_diagonal(tokens, kappa, *forms)
    size, rounding = nuclear(block + alpha * tokens.projector)
    shape = {"r_eta": float(np.rint(np.trace(tokens.projector))), "Delta_diag": tokens.nearest}
    row = {"value": 2 * size, "C": float(C), "lam": lam, "kappa": kappa, "d": float(d), **shape}
    blur = 64 * d * ROUNDOFF
    return row, {"value": 2 * rounding + 64 * d * blur * size, "Delta_diag": blur * d}


def _copy_cost(C: int, lam: float, kappa: float, d: int) -> tuple[dict[str, float], dict[str, float]]:
    value, error = copy_cost(C, lam, kappa, d)
    return {"value": -value, "C": float(C), "lam": lam, "kappa": kappa, "d": float(d)}, {"value": error}


def _gathered(found: Iterable[tuple[dict[str, float], dict[str, float]]]) -> Points:
    """Points of rows, each with its errors."""
    rows, errors = zip(*found, strict=True)
    columns = {name: np.array([row[name] for row in rows]) for name in rows[0]}
    return Points(columns, {name: np.array([row[name] for row in errors]) for name in errors[0]}, {})


def _diagonal_at(
    C: float,
    lam: float,
    kappa: float,
    d: float,
    s_of: Formula,
    a_of: Formula,
    b_of: Formula,
    alpha_of: Formula,
) -> Points:
    """The cost for antipodal nuisances, n = 2, whose r_eta and Delta_diag are what they are, as far as these fit."""
    if d < 3 * C + 1:
        nothing = np.zeros(0)
        return Points({"value": nothing, "Delta_diag": nothing}, {"value": nothing, "Delta_diag": nothing}, {})
    return _gathered([_diagonal_cost(*_fitting(C, lam, kappa, d), 0, (s_of, a_of, b_of, alpha_of))])


@search(
    "lampert2026.sec7.sink-upper",
    at=lambda C, lam, kappa, d: _gathered([_sink_cost(*_fitting(C, lam, kappa, d))]),
)
def sink_upper(points: int, generator: torch.Generator) -> Points:
    """The cost 2 ||W_QK||_* of the sink construction from the vectors, with the least a and b that they allow."""
    return _gathered(_sink_cost(*setting[:4]) for setting in settings(points, generator))


@search("lampert2026.sec7.diag-upper", at=_diagonal_at)
def diag_upper(
    points: int, generator: torch.Generator, s_of: Formula, a_of: Formula, b_of: Formula, alpha_of: Formula
) -> Points:
    """The cost 2 ||W_QK||_* of the diagonal construction from the vectors, with the printed constants."""
    forms = (s_of, a_of, b_of, alpha_of)
    return _gathered(_diagonal_cost(*setting, forms) for setting in settings(points, generator))


@search(
    "lampert2026.sec7.sink-lower",
    at=lambda C, lam, kappa, d: _gathered([_copy_cost(*_fitting(C, lam, kappa, d))]),
)
def sink_lower(points: int, generator: torch.Generator) -> Points:
    """Minus the least cost that the copy queries' constraints force; every sink solution meets them."""
    # smaller lam than elsewhere, too
    return _gathered(
        _copy_cost(C, lam if place % 2 else lam / 2, kappa, d)
        for C, lam, kappa, d, place in settings(points, generator, (1, 2, 3, 4))
    )
