"""Intervals that hold at finite n for polynomials in Gaussians, heavy tails and all.

Mean. Let Y_1 .. Y_B be independent block means with mean mu and variance v, psi(x) = sign(x) log(1 + |x| + x^2/2) and
alpha > 0 fixed beforehand. As exp(psi(x)) <= 1 + x + x^2/2, E exp(+-sum_b psi(alpha (Y_b - mu))) <= exp(B alpha^2 v/2),
so by Markov's inequality, with probability at least 1 - 2 exp(-L),

    |r(mu)| <= alpha v/2 + L/(B alpha),   r(theta) = (1/(B alpha)) sum_b psi(alpha (Y_b - theta))

(Catoni's estimator). The interval is the set of theta that satisfy this with an upper bound of v taken from the data.

Variance. A polynomial f of degree q in Gaussians has E (f - mu)^4 <= K sigma^4 with a K = K(q) below 9^q
(``montecarlo.hypercontractivity``). Hence Z = (f - f')^2/2, for independent f, f', has mean sigma^2 and
E Z^2 <= (K + 3) sigma^4/2. As Z >= 0, E exp(-s Z) <= exp(-s E Z + s^2 E Z^2/2), so that over N pairs the average is at
least (1 - e) sigma^2, where e = sqrt((K + 3) L/N), except with probability exp(-L): sigma^2 <= average/(1 - e). Where
another bound of the kurtosis is stated, it stands for K. Numbers within a width w have Z <= w^2/2, so
E Z^2 <= sigma^2 w^2/2 and, with c = w^2 L/(4 N), average >= sigma^2 - 2 sqrt(c) sigma:
sigma <= sqrt(c) + sqrt(c + average).

Several samples. Independent samples k with means mu_k and weights a_k: each one's blocks are put together, in their
order, in G groups of m_kg blocks, and Z_g = sum_k a_k (mean of group g of sample k). The Z_g are independent with mean
sum_k a_k mu_k and variances of sum_k a_k^2 v_k/m_kg, so that what stands above holds of them with B = G and the average
of these variances for v. Their errors add up as those of independent numbers do, and not as the widths of intervals.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from montecarlo.empirical_checks import Tails
from montecarlo.hypercontractivity import kurtosis

#: A number whose square a float holds.
LARGEST = 1e150
#: Relative accuracy claimed for a statistic that does not vary at all.
CONSTANT = 1e-9
#: Roots are found to this part of an interval's width, and no nearer than floats of their size lie.
PRECISE, EPSILON = 1e-12, 4 * float(np.finfo(float).eps)
#: Most groups that the blocks of several samples are put together in: more of them shorten the interval by 1%.
GROUPS = 2048


@dataclass(frozen=True)
class Interval:
    """A confidence interval [low, high] of a mean; ``spread`` bounds the variance of one number from above.

    ``miss`` is how far the estimate may be from the mean but once in ``1/beta`` runs (beta as planned).
    """

    low: float
    high: float
    centre: float
    spread: float
    miss: float

    def holds(self, value: float) -> bool:
        """Whether the value is compatible with the data."""
        return self.low <= value <= self.high

    @property
    def detectable(self) -> float:
        """An error of this size is caught with the planned probability: half the width and the estimate's own miss."""
        return max(self.high - self.centre, self.centre - self.low) + self.miss


@dataclass(frozen=True)
class Blocks:
    """Independent means of ``per_block`` numbers each, with the planned variance of one number.

    ``around`` is the interval of their mean; its ``spread`` is what the data say of the variance.
    """

    means: NDArray[np.float64]
    per_block: int
    planned: float
    around: Interval

    def grouped(self, groups: int) -> tuple[NDArray[np.float64], float]:
        """The means of so many groups of blocks in their order, and the average of 1/numbers of a group."""
        counts = np.full(groups, len(self.means) // groups)
        counts[: len(self.means) % groups] += 1
        starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
        return np.add.reduceat(self.means, starts) / counts, float((1.0 / counts).mean()) / self.per_block


def spread_slack(degree: int | Tails, pairs: int, log: float) -> float:
    """e with average >= (1 - e) sigma^2 but for exp(-log), over so many pairs, from a bound of the kurtosis."""
    fourth = (degree.kurtosis or math.inf) if isinstance(degree, Tails) else kurtosis(degree)
    return math.sqrt((fourth + 3.0) * log / pairs) if pairs else math.inf


def constant_after(degree: int | Tails, delta: float) -> float:
    """So many numbers that do not vary are those of a constant, but for delta, by a bound of the kurtosis."""
    return 2.0 * spread_slack(degree, 1, math.log(2.0 / delta)) ** 2


@np.errstate(over="ignore")
def spread_bound(average: float, degree: int | Tails, pairs: int, log: float) -> float:
    """An upper bound of sigma^2 from the average of (f - f')^2/2 over so many pairs, but for exp(-log)."""
    if isinstance(degree, Tails) and degree.width is not None:
        c = degree.width**2 * log / (4.0 * pairs) if pairs else math.inf
        return (math.sqrt(c) + math.sqrt(c + average)) ** 2
    slack = spread_slack(degree, pairs, log)
    return average / (1.0 - slack) if slack < 1.0 else math.inf


def influence(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Catoni's psi, sign(x) log(1 + |x| + x^2/2); a finite x beyond LARGEST counts as that, which is safe."""
    size = np.abs(x)
    size = np.where(np.isinf(size), size, np.minimum(size, LARGEST))
    return np.sign(x) * np.log1p(size + size * size / 2)


def _score(means: NDArray[np.float64], alpha: float) -> Callable[[float], float]:
    return lambda theta: float(influence(alpha * (means - theta)).mean() / alpha)


def tuning(planned: float, per_block: int, blocks: int, log: float) -> float:
    """The alpha that makes the interval short when the variance of one number is as planned."""
    return math.sqrt(2.0 * log * per_block / (blocks * planned))


@np.errstate(over="ignore")
def interval(
    means: NDArray[np.float64],
    per_block: int,
    pair_mean: float,
    pairs: int,
    *,
    degree: int | Tails,
    planned: float,
    delta: float,
    beta: float,
) -> Interval:
    """The interval of level 1 - delta from block means and half squared differences.

    ``planned`` is the variance that the sample size was planned with; it sets alpha and nothing else, so that a wrong
    one widens the interval but does not invalidate it. ``degree`` is the polynomial degree in Gaussians, or what else
    is known of the tails. Half of delta goes to the variance, half to the two sides.
    """
    centre = float(means.mean())
    if planned <= 0.0:
        slack = CONSTANT * max(1.0, abs(centre)) if pair_mean <= (CONSTANT * max(1.0, abs(centre))) ** 2 else math.inf
        return Interval(centre - slack, centre + slack, centre, pair_mean, 0.0)
    log_spread, log_mean = math.log(2.0 / delta), math.log(4.0 / delta)
    spread = spread_bound(pair_mean, degree, pairs, log_spread)
    if not math.isfinite(spread):
        return Interval(-math.inf, math.inf, centre, math.inf, math.inf)
    return _around(means, per_block, planned, spread, log_mean, beta)


@np.errstate(over="ignore")
def combined(parts: Sequence[tuple[float, Blocks]], *, delta: float, beta: float) -> Interval:
    """The interval of sum_k a_k mu_k from independent samples with the weights a_k.

    It holds but for delta/2 where the samples' bounds of their variances do.
    """
    # what does not vary has its interval without chance
    still = [(a, blocks.around) for a, blocks in parts if blocks.planned <= 0.0]
    varying = [(a, blocks) for a, blocks in parts if blocks.planned > 0.0]
    shift = sum(a * one.centre for a, one in still)
    slack = sum(abs(a) * (one.high - one.centre) for a, one in still)
    if not varying:
        return Interval(shift - slack, shift + slack, shift, sum(a * a * one.spread for a, one in still), 0.0)
    groups = min(GROUPS, *(len(blocks.means) for _, blocks in varying))
    means, planned, spread = np.zeros(groups), 0.0, 0.0
    for a, blocks in varying:
        own, part = blocks.grouped(groups)
        means += a * own
        planned += a * a * part * blocks.planned
        spread += a * a * part * blocks.around.spread
    if not math.isfinite(spread + slack):
        return Interval(-math.inf, math.inf, shift + float(means.mean()), math.inf, math.inf)
    found = _around(means, 1, planned, spread, math.log(4.0 / delta), beta)
    low, high = found.low + shift - slack, found.high + shift + slack
    return Interval(low, high, found.centre + shift, spread, found.miss)


def _around(
    means: NDArray[np.float64], per_block: int, planned: float, spread: float, log_mean: float, beta: float
) -> Interval:
    """The interval but for 2 exp(-log_mean), where ``spread`` is at least the variance of one number."""
    blocks = len(means)
    alpha = tuning(planned, per_block, blocks, log_mean)
    bound = alpha * spread / per_block / 2.0 + log_mean / (blocks * alpha)
    score = _score(means, alpha)
    centre = float(means.mean())
    root = sum(_root(score, 0.0, centre, bound)) / 2
    # outward: what rounding leaves open is within
    low, high = _root(score, bound, centre, bound)[0], _root(score, -bound, centre, bound)[1]
    miss = alpha * spread / per_block / 2.0 + math.log(2.0 / beta) / (blocks * alpha)
    return Interval(low, high, root, spread, miss)


@np.errstate(over="ignore")
def p_value(
    value: float,
    means: NDArray[np.float64],
    per_block: int,
    pair_mean: float,
    pairs: int,
    *,
    degree: int | Tails,
    planned: float,
    delta: float,
) -> float:
    """The least level at which the interval leaves the value out, delta/2 of it kept for the variance."""
    if planned <= 0.0:
        centre = float(means.mean())
        if pair_mean > (CONSTANT * max(1.0, abs(centre))) ** 2:
            return 1.0
        return 0.0 if abs(value - centre) > CONSTANT * max(1.0, abs(centre)) else 1.0
    blocks = len(means)
    bound = spread_bound(pair_mean, degree, pairs, math.log(2.0 / delta))
    if not math.isfinite(bound):
        return 1.0
    alpha = tuning(planned, per_block, blocks, math.log(4.0 / delta))
    spread = bound / per_block
    excess = abs(_score(means, alpha)(value)) - alpha * spread / 2.0
    return min(1.0, delta / 2.0 + 2.0 * math.exp(-max(0.0, excess) * blocks * alpha))


def _root(score: Callable[[float], float], level: float, centre: float, step: float) -> tuple[float, float]:
    """What theta with score(theta) = level is between; the score decreases from +infinity to -infinity."""
    low, high = centre - step, centre + step
    while score(low) < level:
        low, step = low - step, 2 * step
    while score(high) > level:
        high, step = high + step, 2 * step
    return _between(lambda theta: score(theta) - level, low, high, PRECISE * step)


def _between(f: Callable[[float], float], low: float, high: float, within: float) -> tuple[float, float]:
    """Ends around a root of a falling f, f(low) >= 0 >= f(high): by secants, half of an end's value where it stays."""
    above, below, stayed = f(low), f(high), 0
    # each end is kept at most once in a row with its full value, so that the bracket shrinks faster than by halves
    for _ in range(200):
        if high - low <= within + EPSILON * abs(low) or above == below:
            break
        theta = low + (high - low) * above / (above - below)
        if not low < theta < high:
            theta = (low + high) / 2
        value = f(theta)
        if value == 0.0:
            return theta, theta
        if value > 0.0:
            low, above, below, stayed = theta, value, below / 2 if stayed > 0 else below, 1
        else:
            high, below, above, stayed = theta, value, above / 2 if stayed < 0 else above, -1
    return low, high


@np.errstate(over="ignore")
def numbers_needed(
    variance: float, tolerance: float, *, degree: int | Tails, delta: float, beta: float, per_block: int, most: int
) -> int | None:
    """How many numbers (whole blocks) make an error of ``tolerance`` caught with probability 1 - beta.

    From the exact variance of one number; None where more than ``most`` would be needed. Room is left for the data's
    own estimate of the variance: a tenth, or three of the standard deviations that its kurtosis allows.
    """
    if variance <= 0.0:
        return 2 * per_block
    log_spread, log_mean, log_miss = math.log(2.0 / delta), math.log(4.0 / delta), math.log(2.0 / beta)
    numbers = max(8, math.ceil(4 * log_mean)) * per_block
    while numbers <= most:
        ratio = _seen(variance, numbers, degree, log_spread) / variance
        if _detectable(variance / numbers, ratio, numbers // per_block, log_mean, log_miss) <= tolerance:
            return numbers
        numbers += max(per_block, (numbers // (64 * per_block)) * per_block)
    return None


@dataclass(frozen=True)
class Drawn:
    """A planned sample: so many numbers of this exact variance and these tails, ``per_block`` a block."""

    variance: float
    degree: int | Tails
    numbers: int
    per_block: int


@np.errstate(over="ignore")
def detectable_together(parts: Sequence[tuple[float, Drawn]], *, delta: float, beta: float) -> float:
    """The error of sum_k a_k mu_k that planned samples of weights a_k make visible together (``combined``)."""
    varying = [(a, one) for a, one in parts if one.variance > 0.0]
    if not varying:
        return 0.0
    groups = min(GROUPS, *(one.numbers // one.per_block for _, one in varying))
    square, seen = 0.0, 0.0
    for a, one in varying:
        blocks = one.numbers // one.per_block
        # the average of 1/blocks over groups of one block more or less
        more = blocks % groups
        part = ((groups - more) / (blocks // groups) + more / (blocks // groups + 1)) / groups / one.per_block
        square += a * a * part * one.variance / groups
        seen += a * a * part * _seen(one.variance, one.numbers, one.degree, math.log(2.0 / delta)) / groups
    return _detectable(square, seen / square, groups, math.log(4.0 / delta), math.log(2.0 / beta))


def _seen(variance: float, numbers: int, degree: int | Tails, log_spread: float) -> float:
    """What the data are expected to say at most of a variance, with room for its own estimate."""
    bounded = isinstance(degree, Tails) and degree.width is not None
    room = 0.1 if bounded else max(0.1, 3.0 * spread_slack(degree, numbers, 1.0))
    return (1.0 + room) * spread_bound(variance, degree, numbers // 2, log_spread)


def _detectable(square: float, ratio: float, blocks: int, log_mean: float, log_miss: float) -> float:
    """What an interval makes visible: of a mean of that variance, which the data say to be ``ratio`` times as large."""
    if not math.isfinite(ratio):
        return math.inf
    # the least slope of r over the block means
    slope = 1.0 - log_mean / blocks
    unit = math.sqrt(square * log_mean / 2.0)
    return unit * (ratio + 1.0) / slope + unit * (ratio + log_miss / log_mean)
