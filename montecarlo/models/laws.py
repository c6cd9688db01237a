"""How far the tokens before a layer are from the laws that the theorems assume, each number with an interval.

Sums over windows are held by groups of windows, so that what is held does not grow with the text; an interval is that
of the jackknife over the groups.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import torch
from scipy import stats
from torch import Tensor

from montecarlo.models.decoder import Layer

#: Groups of windows, at most.
GROUPS = 32
#: An interval that reaches farther than this to both sides of a number says nothing of whether it is what is assumed.
NARROW = 0.25
#: Numbers of order 1 that are nearer than this are equal in float32.
ROUNDING = 1e-6

Named = Mapping[str, Tensor]


@dataclass(frozen=True)
class Interval:
    """An estimate, and an interval as if the groups of windows were independent draws."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Sums:
    """Sums over the windows of a text, by groups of them; every value has the windows along its first axis."""

    groups: int
    held: dict[str, Tensor] = field(default_factory=dict)

    def add(self, group: Tensor, values: Named) -> None:
        """Add the values (B, ...) of B windows, window b to the group group[b]."""
        for name, value in values.items():
            found = value.detach().double().cpu()
            held = self.held.setdefault(name, torch.zeros(self.groups, *found.shape[1:], dtype=torch.float64))
            held.index_add_(0, group, found)

    def of(self, statistic: Callable[[Named], Tensor]) -> Tensor:
        """A statistic of the sums over all windows."""
        return statistic({name: value.sum(0) for name, value in self.held.items()})

    def interval(self, statistic: Callable[[Named], Tensor], failure: float = 0.05) -> tuple[Tensor, Tensor, Tensor]:
        """A statistic with Student's interval over the jackknife's values, one for each of two groups or more."""
        if self.groups < 2:
            raise ValueError(f"{self.groups} groups; expected two or more")
        every = self.of(statistic)
        left = {name: value.sum(0) - value for name, value in self.held.items()}
        without = [statistic({name: value[g] for name, value in left.items()}) for g in range(self.groups)]
        values = self.groups * every - (self.groups - 1) * torch.stack(without)
        middle = values.mean(0)
        half = float(stats.t.ppf(1 - failure / 2, self.groups - 1)) / math.sqrt(self.groups) * values.std(0)
        return middle, middle - half, middle + half


def mean_of(name: str) -> Callable[[Named], Tensor]:
    """The mean over the windows of what was added under that name."""
    return lambda sums: sums[name] / sums["windows"]


def moved(x: Tensor) -> Tensor:
    """mean_t |x_{t+k} - x_t|^2 of every window at the lags k = 1, 2, 4, ... <= (T - 1)/4: (B, T, d) -> (B, lags).

    The first token is left out: where it is a sink its size is all that one would see.
    """
    x = x[:, 1:]
    T = x.shape[1]
    if T < 16:
        raise ValueError(f"T = {T + 1}; expected 17 tokens or more")
    lags = [2**power for power in range(int(math.log2(T // 4)) + 1)]
    return torch.stack([(x[:, k:] - x[:, :-k]).square().sum(-1).mean(-1) for k in lags], dim=-1)


def growth(sizes: Tensor) -> Tensor:
    """The exponent a of sizes ~ k^a at the lags k of ``moved``, by least squares of the logarithms.

    A random walk has a = 1, independent tokens 0. Of sums over windows: one window's logarithm is too low on average.
    """
    # equal tokens, as the same word again, are as near as numbers are
    logs = sizes.clamp(min=torch.finfo(sizes.dtype).tiny).log2()
    powers = torch.arange(len(sizes), dtype=sizes.dtype)
    powers -= powers.mean()
    return (logs * powers).sum() / powers.square().sum()


def average_cosine(y: Tensor) -> Tensor:
    """The mean of cos(y_i, y_j) over the pairs i != j of every window: (..., k, d) -> (...)."""
    k = y.shape[-2]
    lengths: Tensor = y.norm(dim=-1, keepdim=True).clamp(min=torch.finfo(y.dtype).tiny)
    found: Tensor = ((1 / lengths).mT @ y)[..., 0, :].square().sum(-1)
    # every token but those that are 0 has the cosine 1 with itself
    return (found - (lengths > torch.finfo(y.dtype).tiny).sum((-2, -1))) / (k * (k - 1))


#: What ``alikeness`` gives.
ALIKE = ("cosine", "ratio")


def alikeness(y: Tensor) -> tuple[Tensor, Tensor]:
    """The mean of cos(y_i, y_j) over i != j, and that of y_i . y_j over that of |y_i|^2: (..., k, d) -> (...).

    Both of every window, as the derived bound of their difference is of norms that vary within one.
    """
    whole, own = y.sum(-2).square().sum(-1), y.square().sum((-2, -1))
    return average_cosine(y), (whole - own) / ((y.shape[-2] - 1) * own.clamp(min=torch.finfo(y.dtype).tiny))


def contexts(k: int) -> list[int]:
    """Numbers of first tokens that alikeness is looked at over: a quarter, half and all of k."""
    return [k // 4, k // 2, k]


def of_tokens(x: Tensor, z: Tensor) -> dict[str, Tensor]:
    """What is summed over windows: of the tokens x before a layer, and z that its attention reads, (B, T, d) both.

    All but ``first`` and ``sink`` leave the first token out.
    """
    first, sink = x[:, :1].double(), z[:, :1].double()
    x, z = x[:, 1:].double(), z[:, 1:].double()
    k = x.shape[1]
    half, quarter, far = k // 2, k // 4, k // 4
    steps = (x[:, 1:] - x[:, :-1]).square()
    sizes, products = x.square().sum(-1), z @ z.mT
    # pairs of tokens that are far apart, each once
    apart = torch.ones(k, k, dtype=torch.bool, device=x.device).triu(far + 1)
    parts = [z[:, q * quarter : (q + 1) * quarter].mean(1) for q in range(4)]
    toward = torch.nn.functional.cosine_similarity(sink, z, dim=-1)
    ends = toward.quantile(torch.tensor([0.05, 0.95], dtype=toward.dtype, device=x.device), dim=1)
    shorter = [alikeness(x[:, :many]) for many in contexts(k)]
    alike = {name: torch.stack(parts, 1) for name, parts in zip(ALIKE, zip(*shorter, strict=True), strict=True)}
    return {
        **{f"context {name}": values for name, values in alike.items()},
        "windows": torch.ones(len(x)),
        "moved": moved(torch.cat((first, x), 1)),
        "second": steps.sum(1),
        "fourth": steps.square().sum(1),
        "steps": torch.ones(len(x)) * (k - 1),
        "early": steps[:, : (k - 1) // 2].sum(-1).mean(1),
        "late": steps[:, (k - 1) // 2 :].sum(-1).mean(1),
        "near": products.diagonal(1, -2, -1).mean(-1),
        "far": products[:, apart].mean(-1),
        "own": z.square().sum(-1).mean(-1),
        "drift": ((parts[0] - parts[3]) * (parts[1] - parts[2])).sum(-1),
        "early norm": sizes[:, :half].mean(1),
        "late norm": sizes[:, half:].mean(1),
        "square": sizes.mean(1),
        "spread": (1 - sizes / sizes.mean(1, keepdim=True)).abs().mean(1),
        "first": first.norm(dim=-1)[:, 0] / sizes.sqrt().mean(1),
        "xz": (x * z).sum(-1).mean(1),
        "read cosine": average_cosine(z),
        **{name: values[:, -1] for name, values in alike.items()},
        "sink cosine": toward.mean(1),
        "sink low": ends[0],
        "sink high": ends[1],
    }


def beta(sums: Named) -> Tensor:
    """The factor of x = beta z that is nearest in mean square."""
    return sums["xz"] / sums["own"]


def _kurtosis(sums: Named) -> Tensor:
    """The excess kurtosis of an increment's coordinates, averaged over those that change."""
    moved = sums["second"] > 0
    return (sums["fourth"] * sums["steps"] / sums["second"].square() - 3)[moved].mean()


@dataclass(frozen=True)
class Assumption:
    """A number that is ``under`` where the law holds, and what is said where it is, is below, is above.

    extreme: it is never on one side of ``under``, so that windows where it is off are no accident.
    """

    paper: str
    what: str
    under: float
    statistic: Callable[[Named], Tensor]
    holds: str
    below: str
    above: str
    extreme: bool = False

    def verdict(self, found: Interval) -> bool | None:
        """Whether the law holds: None where the interval has the assumed number, and is too wide to say so."""
        if math.isnan(found.mean):
            return None
        low, high = (found.mean, found.mean) if self.extreme else (found.low, found.high)
        if not low - ROUNDING <= self.under <= high + ROUNDING:
            return False
        return True if high - low <= 2 * NARROW else None

    def words(self, found: Interval) -> str:
        """What an interval says of the assumption."""
        if math.isnan(found.mean):
            return "undecided: tokens do not differ"
        if self.verdict(found) is not False:
            return self.holds if self.verdict(found) else "undecided: too few windows"
        return self.below if found.mean < self.under else self.above


def _log_ratio(late: str, early: str) -> Callable[[Named], Tensor]:
    return lambda sums: (sums[late] / sums[early]).log()


#: What is assumed of the tokens before a layer, by a name, in the order it is said.
ASSUMPTIONS: Mapping[str, Assumption] = {
    "growth": Assumption(
        *("bao2024", "a random walk: E|xₜ₊ₖ − xₜ|² grows as kᵃ, a = 1", 1.0, lambda sums: growth(sums["moved"])),
        "increments grow as a random walk's do",
        "not a random walk: increments grow slower than k",
        "not a random walk: increments grow faster than k",
    ),
    "kurtosis": Assumption(
        *("bao2024", "Gaussian increments: their coordinates have excess kurtosis 0", 0.0, _kurtosis),
        "fourth moments of increments are a Gaussian's",
        "increments are not Gaussian: tails too light",
        "increments are not Gaussian: tails too heavy",
    ),
    "covariance": Assumption(
        *(
            "bao2024",
            "one covariance of increments: ln(late/early) of its trace is 0",
            0.0,
            _log_ratio("late", "early"),
        ),
        "increments are as large late as early",
        "the increments' covariance shrinks along the text",
        "the increments' covariance grows along the text",
    ),
    "neighbours": Assumption(
        "lampert2026",
        "exchangeable: neighbours are as alike as tokens far apart, (near − far)/(E|z|² − far) = 0",
        0.0,
        lambda sums: (sums["near"] - sums["far"]) / (sums["own"] - sums["far"]),
        "neighbours are no more alike than tokens far apart",
        "not exchangeable: neighbours are less alike than tokens far apart",
        "not exchangeable: neighbours are more alike than tokens far apart",
    ),
    "drift": Assumption(
        "lampert2026",
        "exchangeable: no drift, quarters' means have (q₁ − q₄)·(q₂ − q₃)/(E|z|² − far) = 0",
        0.0,
        lambda sums: sums["drift"] / (sums["own"] - sums["far"]),
        "no drift along the window is seen",
        "not exchangeable: quarters of a window alternate",
        "not exchangeable: tokens drift along the window",
    ),
    "norms": Assumption(
        *(
            "lampert2026",
            "exchangeable: norms have one law, ln(late/early) of E|x|² is 0",
            0.0,
            _log_ratio("late norm", "early norm"),
        ),
        "tokens are as long late as early",
        "norms shrink along the window",
        "norms grow along the window",
    ),
    "spread": Assumption(
        *("lampert2026", "equal norms (Section 7): E|1 − |x|²/E|x|²| is 0", 0.0, mean_of("spread")),
        *("norms are equal", "norms are equal", "norms differ from token to token"),
        extreme=True,
    ),
    "first": Assumption(
        *("lampert2026", "the sink's norm is that of others: |x₀|/E|xₜ| is 1", 1.0, mean_of("first")),
        "the first token is as long as others",
        "the first token is shorter than others",
        "the first token is longer than others",
    ),
    "scaled": Assumption(
        "lampert2026",
        "x = βz (Section 5): the share of |x|² that βz explains is 1",
        1.0,
        lambda sums: sums["xz"].square() / (sums["own"] * sums["square"]),
        *("x is a multiple of what attention reads", "x is no multiple of what attention reads", "x is a multiple"),
        extreme=True,
    ),
}


def growth_in_words(found: Interval) -> str:
    """What the interval of the exponent says of the tokens as a random walk."""
    if found.low <= 0 and found.high <= NARROW:
        return "not a random walk: increments do not grow"
    return ASSUMPTIONS["growth"].words(found)


def assumption(name: str, sums: Sums, failure: float = 0.05) -> tuple[Interval, str]:
    """One of ASSUMPTIONS on the sums of a layer: its interval, and a plain word."""
    found = Interval(*(float(value) for value in sums.interval(ASSUMPTIONS[name].statistic, failure)))
    return found, growth_in_words(found) if name == "growth" else ASSUMPTIONS[name].words(found)


def of_layer(layer: Layer) -> dict[str, Tensor]:
    """``of_tokens`` of a layer."""
    return of_tokens(layer.before, layer.normed)
