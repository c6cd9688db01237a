"""Appendix A: moments of a Gaussian vector, (11)-(14), and of the walk's tokens, (15)-(18), from samples."""

from __future__ import annotations

from torch import Tensor

from montecarlo.registry import simulation
from montecarlo.walks import Walks, form


@simulation("bao2024.appA.eq11", degree=2)
def eq11(x: Tensor, W: Tensor) -> dict[str, Tensor]:
    """(11): x^T W x, (n,), for x (n, d) ~ N(m, Sigma)."""
    return {"moment": form(x, W, x)}


@simulation("bao2024.appA.eq12", degree=2)
def eq12(x: Tensor, a: Tensor, b: Tensor) -> dict[str, Tensor]:
    """(12), read in the directions a and b: (a^T x)(x^T b), (n,)."""
    return {"moment": (x @ a) * (x @ b)}


@simulation("bao2024.appA.eq13", degree=3)
def eq13(x: Tensor, W: Tensor, a: Tensor) -> dict[str, Tensor]:
    """(13): a^T W x x^T W x, (n,)."""
    return {"moment": (x @ (a @ W)) * form(x, W, x)}


@simulation("bao2024.appA.eq14", degree=4)
def eq14(x: Tensor, W: Tensor) -> dict[str, Tensor]:
    """(14): x^T W x x^T W x, (n,)."""
    return {"moment": form(x, W, x) ** 2}


@simulation("bao2024.appA.eq15", degree=2)
def eq15(walk: Walks, W: Tensor, i: int) -> dict[str, Tensor]:
    """(15): x_i^T W x_i, (n,)."""
    x = walk.token(i)
    return {"moment": form(x, W, x)}


@simulation("bao2024.appA.eq16", degree=4)
def eq16(walk: Walks, W: Tensor, i: int) -> dict[str, Tensor]:
    """(16): x_i^T W x_i x_i^T W x_i, (n,)."""
    x = walk.token(i)
    return {"moment": form(x, W, x) ** 2}


@simulation("bao2024.appA.eq17", degree=4)
def eq17(walk: Walks, W: Tensor, i: int, j: int) -> dict[str, Tensor]:
    """(17): x_i^T W x_j x_j^T W x_i, (n,)."""
    x, y = walk.token(i), walk.token(j)
    return {"moment": form(x, W, y) * form(y, W, x)}


@simulation("bao2024.appA.eq18", degree=4)
def eq18(walk: Walks, W: Tensor, i: int, j: int) -> dict[str, Tensor]:
    """(18): x_i^T W x_j x_j^T W x_j, (n,)."""
    x, y = walk.token(i), walk.token(j)
    return {"moment": form(x, W, y) * form(y, W, y)}
