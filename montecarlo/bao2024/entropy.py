"""Section 5, Eq. (9): a search for the smallest entropy of a softmax, and where the printed bound turns."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from montecarlo.draws import normals, uniforms
from montecarlo.empirical_checks import Points
from montecarlo.registry import evaluation, search

Function = Callable[..., Any]

#: Numbers of scores of the search; the long ones get fewer starts.
LENGTHS = (2, 3, 4, 5, 8, 16, 64, 256, 1024, 4096)
LONG = 256
#: Norms of the search: multiples of 1/GRID in this range.
LOWEST, HIGHEST, GRID = 0.25, 12.0, 8
#: The norm that is tried at every length.
ALWAYS = 2.0
#: Starts of one length and norm: one of every kind (see ``started``).
KINDS = 5
ROUNDS = 60
#: Lengths of a step, in units of the norm.
STEPS = (1 / 64, 1 / 8, 1.0, 16.0)
ROUNDOFF = 2.0**-53
#: The part of the norm that scores stay away from the sphere, beyond all rounding.
INSIDE = 2.0**-40

#: Grid of nu on which the slope of the printed bound is looked at, and where its limit is read off.
PLACES, FAR = 40_000, 1024.0


def entropy(scores: Tensor) -> Tensor:
    """Shannon entropy of the softmax of each row, (n, T) -> (n,)."""
    logs = torch.log_softmax(scores, dim=-1)
    value: Tensor = -(logs.exp() * logs).sum(dim=-1)
    return value


def rounding(T: int, nu: Tensor) -> Tensor:
    """A bound of the rounding error of ``entropy`` on rows of norm nu, the excess of the norm itself included.

    The sums of T terms lose a few log2(T) roundings of terms up to log T + nu; the slope of the entropy along the
    norm is at most nu.
    """
    return 4 * ROUNDOFF * (math.log2(T) + 16) * (1 + math.log(T) + nu + nu**2)


def into_ball(scores: Tensor, nu: Tensor) -> Tensor:
    """The nearest rows (n, T) of norm nu (n, 1) at most."""
    norm = scores.norm(dim=-1, keepdim=True)
    inside: Tensor = scores * (nu / norm.clamp_min(1e-300)).clamp_max(1.0)
    return inside


def started(T: int, nu: Tensor, generator: torch.Generator) -> Tensor:
    """Rows to start from, (n, T), row k of kind k mod 5, with a little noise on all.

    One score up; some up; normal; heavy-tailed; one down. Some rows lie inside the ball.
    """
    n = len(nu)
    normal, share = normals(generator, n, T), uniforms(generator, n, 1)
    place = torch.arange(T, device=generator.device)
    kind = torch.arange(n, device=generator.device)[:, None] % KINDS
    up = (place[None] < (1 + share * T / 2).floor()).double()
    one = (place == 0).double()[None]
    rows = torch.where(kind == 0, one, up)
    rows = torch.where(kind == 2, normal, rows)
    rows = torch.where(kind == 3, normal**3, rows)
    rows = torch.where(kind == 4, -one, rows)
    rows = rows / rows.norm(dim=-1, keepdim=True) + 0.05 * normal / math.sqrt(T)
    radius = torch.where(kind % 2 == 0, torch.ones_like(share), share)
    return into_ball(2 * radius * nu * rows, nu)


def descended(scores: Tensor, nu: Tensor, rounds: int = ROUNDS) -> Tensor:
    """The rows (n, T) after projected gradient descent of the entropy in the ball of norm nu (n, 1).

    Each round takes the best of a few steps of different length, or none.
    """
    best = entropy(scores)
    for _ in range(rounds):
        with torch.inference_mode(False), torch.enable_grad():
            here = scores.detach().clone().requires_grad_()
            (slope,) = torch.autograd.grad(entropy(here).sum(), here)
        direction = slope / slope.norm(dim=-1, keepdim=True).clamp_min(1e-300)
        for step in STEPS:
            there = into_ball(scores - step * nu * direction, nu)
            value = entropy(there)
            better = value < best
            scores = torch.where(better[:, None], there, scores)
            best = torch.where(better, value, best)
    return scores


def smallest(T: int, nu: Tensor, generator: torch.Generator, rounds: int = ROUNDS) -> Tensor:
    """The entropies (n,) that the search ends at from one start for each norm (n,)."""
    return entropy(lowest(T, nu, generator, rounds))


def lowest(T: int, nu: Tensor, generator: torch.Generator, rounds: int = ROUNDS) -> Tensor:
    """The scores (n, T) that the search ends at from one start for each norm (n,), well inside its ball."""
    column = nu[:, None]
    return (1 - INSIDE) * descended(started(T, column, generator), column, rounds)


def least_at(T: float, nu: float) -> Points:
    """Where the descents from one start of every kind end, at one length and norm."""
    norms = torch.full((KINDS,), nu, dtype=torch.float64)
    return _entropies(int(T), norms, lowest(int(T), norms, torch.Generator().manual_seed(0)))


def _entropies(T: int, nu: Tensor, scores: Tensor) -> Points:
    """Columns value = entropy, T, nu of scores (n, T) within balls of norms nu (n,)."""
    table = {"value": entropy(scores), "T": torch.full_like(nu, T), "nu": nu}
    columns = {name: values.cpu().numpy() for name, values in table.items()}
    return Points(columns, {"value": rounding(T, nu).cpu().numpy()}, {"s": tuple(scores.cpu().numpy())})


@search("bao2024.sec5.eq9", at=least_at)
def eq9(points: int, generator: torch.Generator) -> Points:
    """Columns value = entropy at the end of a descent, T, nu: descents from one-up, several-up and random starts.

    The scores s go along.
    """
    n = max(points, 8 * KINDS)
    found = []
    for T in LENGTHS:
        groups = max(1, n // (KINDS * (12 if T < LONG else 40)))
        nu = ((LOWEST + (HIGHEST - LOWEST) * uniforms(generator, groups)) * GRID).round() / GRID
        nu[0] = ALWAYS
        nu = nu.repeat_interleave(KINDS)
        found.append(_entropies(T, nu, lowest(T, nu, generator)))
    return Points.joined(found)


def profile(T: int, nu: Sequence[float], seed: int = 0, starts: int = KINDS) -> list[float]:
    """The smallest entropy found at each norm, for a drawing."""
    generator = torch.Generator().manual_seed(seed)
    norms = torch.tensor(list(nu), dtype=torch.float64).repeat_interleave(starts)
    found: list[float] = smallest(T, norms, generator).reshape(len(nu), starts).min(dim=1).values.tolist()
    return found


def turns(slope: np.ndarray[Any, np.dtype[np.float64]]) -> tuple[int, int]:
    """How often a slope on a grid goes from + to - (maxima) and from - to + (minima); zeros do not count."""
    signs = np.sign(slope)
    signs = signs[signs != 0]
    return int(np.sum((signs[:-1] > 0) & (signs[1:] < 0))), int(np.sum((signs[:-1] < 0) & (signs[1:] > 0)))


@evaluation("bao2024.sec5.eq9-unimodal")
def eq9_unimodal(length: float, bound_of: Function) -> dict[str, tuple[float, float]]:
    """Maxima and minima of the printed bound on a dense grid of nu, its value far out; maxima of the least entropy.

    The slope is that of a complex step: the imaginary part of f(nu + ih)/h, exact to rounding for h = 1e-30. Twice the
    step from half the distance bounds what is left far out.
    """
    end = 64 + 4 * math.log(length)
    nu = np.linspace(end / PLACES, end, PLACES)
    maxima, minima = turns(np.imag(bound_of(T=length, nu=nu + 1e-30j)) / 1e-30)
    near, far = (float(bound_of(T=length, nu=np.array([place]))[0]) for place in (FAR, 2 * FAR))
    norms = np.linspace(0.25, 2 * math.log(length) + 4, 24)
    found = np.array(profile(round(length), norms.tolist()))
    rising = turns(np.diff(found))[0]
    return {
        "maxima": (float(maxima), 0.0),
        "minima": (float(minima), 0.0),
        "limit": (far, 2 * abs(near - far)),
        "maxima@the least entropy itself": (float(rising), 0.0),
    }
