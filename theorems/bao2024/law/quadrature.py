"""P(low <= Q <= high), Q = sum_j alpha_j chi^2_{m_j}, independent, any signs, by Fourier inversion with error bounds.

M(s) = E exp(s Q) = prod_j (1 - 2 alpha_j s)^(-m_j/2). Its singularities lie on the real axis, at and beyond
1/(2 max alpha) and 1/(2 min alpha); off these two rays no factor meets (-inf, 0], so the principal branch of every
factor is analytic and nothing is unwrapped. Two rules, the second where the first would need too many nodes:

"line": s = i t on the imaginary axis and the trapezoid rule with step h. Poisson summation says exactly what it
returns, sum_k P(low + k L <= Q <= high + k L) with L = 2 pi/h, so the discretisation error is at most
P(Q >= low + L) + P(Q <= high - L), which Chernoff bounds, exp(K(s) - s y) with K = log M at a real s. On the axis
-d log|M|/d log t = p(t) grows with t, hence |M(i t)| <= |M(i t_N)| (t/t_N)^(-p_N) for t >= t_N, and the nodes left
out add at most 2 |M(i t_N)|/(pi p_N). Both are proved bounds.

"hyperbola": for each end x >= 0 (for x < 0 with -Q) the contour s(u) = B + A sin(phi + i u), which crosses the real
axis between the rays and off the pole of M(s) exp(-s x)/s, and on which exp(-s x) decays; the trapezoid rule in u.
Moving u to u + i v moves phi to phi - v, so the integrand is analytic for 0 <= phi' <= PHI, the opening, and the
error is at most (N_0 + N_PHI)/(exp(2 pi v/h) - 1), v = PHI/2, with N the integrals of the modulus along the two edges:
by the residue theorem the error is the integral of F/(exp(-+2 pi i u/h) - 1) along them. The N are evaluated in
floating point, from parabolas between nodes, with a factor 2 for safety: this bound is computed and not enclosed;
``theorems.bao2024.law.certified`` encloses.

"ball": where a few heavy weights stand beside many, a million times lighter, no opening may reach the tolerance, and
the enclosure is taken where it is narrower. A row of which no rule says anything raises ArithmeticError.

The ends are first drawn in to where Chernoff leaves the bound's mass outside; infinite ends become finite so.
Rounding is bounded to first order: an argument x of the trigonometric functions carries an error of a few eps |x|.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from theorems.bao2024.law.arguments import Counts, checked, real, reals
from theorems.bao2024.law.transform import BLOCK, EPS, Array, Transform

Nodes = np.ndarray[Any, np.dtype[np.int64]]

#: Openings of the strip of hyperbolas: below pi/2, where the edge would lie on the ray, then below pi/4, where
#: Re(s^2) < 0 far out, so that the factor exp(v s^2) of many light weights decays on the edge too.
OPENINGS = (1.2, 0.7, 0.35)
#: Nodes that a contour takes, about; up to which the line is tried first; and at most.
NODES, FEW, MANY = 64, 512, 1 << 20
#: Nodes that lines may take in all after contours, some seconds.
LINES = 1 << 24
#: How many times the tolerance an error may be, rounding aside, before the next rule is tried.
MISSED = 100
#: The least tolerance: no float near 1 is nearer to a probability.
LEAST = 1e-16
#: 1/2 with an error of 1/2 is true of every probability.
USELESS = 0.5
#: How near to the saddle a contour crosses the axis, relative to what is around: its distances from 0 and the rays.
NEAR = 1 / 64
#: Largest array of row times node, or times weight where rows share none, that is held at once.
HELD = 1 << 19
#: Coarse nodes of a contour that are looked at before it is asked whether more of them matter, the most that they are
#: apart, and their end. Where singularities lie a away, those of D factors are at most a (BENT/D)^(1/4) apart: a cubic
#: through them leaves of D logarithms, halved, at most (D/2) (6/a^4) h^4/384 = 1/32.
STRETCH, COARSE, FAR, BENT = 4, 0.5, 160.0, 4.0


@dataclass(frozen=True)
class Probability:
    """A probability with an absolute error bound, the rule that gave it and the nodes that this took."""

    value: float
    error: float
    method: str
    nodes: int


@dataclass(frozen=True)
class Rows:
    """Probabilities of several laws at once: values, errors, methods and nodes, each of shape (R,)."""

    values: Array
    errors: Array
    methods: tuple[str, ...]
    nodes: Nodes


def probability(
    weights: Sequence[float] | Array,
    multiplicities: Counts,
    low: float,
    high: float,
    tolerance: float = 1e-13,
) -> Probability:
    """P(low <= sum_j alpha_j chi^2_{m_j} <= high), the interval closed: all weights 0 is a point mass at 0.

    ``tolerance`` is the sum aimed at of the discretisation and truncation errors; the error reported adds rounding.
    """
    alphas = np.atleast_1d(reals("weights", weights))
    if alphas.ndim != 1:
        raise ValueError(f"weights of shape {alphas.shape}; expected one law's, a list of numbers")
    lo, hi = np.array([real("low", low)]), np.array([real("high", high)])
    rows = intervals(alphas[None, :], multiplicities, lo, hi, tolerance)
    return Probability(float(rows.values[0]), float(rows.errors[0]), rows.methods[0], int(rows.nodes[0]))


def intervals(
    weights: Array,
    multiplicities: Counts,
    low: Array | float,
    high: Array | float,
    tolerance: float = 1e-13,
    factors: Array | None = None,
) -> Rows:
    """P(low_r <= sum_j weights_rj chi^2_{m_j} <= high_r) for every row r; weights (R, n), the ends (R,) or one.

    With ``factors`` (R, K) the weights are shared, (n,), and those of row r are their multiples by all factors_rk.
    """
    weights, tolerance = reals("weights", weights), real("tolerance", tolerance)
    counts = checked(multiplicities, weights.shape[-1])
    size = len(weights if factors is None else factors)
    lo, hi = (np.broadcast_to(reals(name, end), size) for name, end in (("low", low), ("high", high)))
    if not np.all(np.isfinite(weights)):
        raise ValueError("a weight is not finite; expected real numbers")
    if not np.all(lo <= hi):
        raise ValueError(f"low = {lo.tolist()} above high = {hi.tolist()}; expected low <= high")
    if not LEAST <= tolerance < 0.1:
        raise ValueError(f"tolerance = {tolerance}; expected a number from {LEAST} to 0.1")
    used = counts > 0
    whole = Transform.of(weights[..., used], counts[used], factors)
    values, errors = ((lo <= 0) & (hi >= 0)).astype(np.float64), np.zeros(size)
    methods, nodes, missed = ["point"] * size, np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.bool_)
    rows = np.flatnonzero(whole.top > 0)
    each = max(NODES, whole.weights.size // max(size, 1)) * whole.factors.shape[1]
    for alive in np.array_split(rows, 1 + len(rows) * each // HELD) if len(rows) else ():
        law = _Law.of(whole.pick(alive), lo[alive], hi[alive], tolerance)
        values[alive], errors[alive], missed[alive], found, nodes[alive] = law.solve()
        for row, name in zip(alive, found, strict=True):
            methods[row] = name
    _enclose(whole, lo, hi, tolerance, missed | (errors >= USELESS), values, errors, methods)
    if len(useless := np.flatnonzero(errors >= USELESS)):
        row = int(useless[0])
        where = f"P({lo[row]:.3g} <= Q <= {hi[row]:.3g}), weights up to {whole.top[row]:.3g}"
        raise ArithmeticError(f"{where}: no rule bounds it; expected weights and ends of nearer sizes")
    return Rows(np.clip(values, 0.0, 1.0), errors, tuple(methods), nodes)


def _enclose(
    law: Transform,
    low: Array,
    high: Array,
    tolerance: float,
    chosen: np.ndarray[Any, np.dtype[np.bool_]],
    values: Array,
    errors: Array,
    methods: list[str],
) -> None:
    """Balls in place of the rows chosen where these are narrower, the worst first, while work is left."""
    rows = np.flatnonzero(chosen)
    if not len(rows):
        return
    from theorems.bao2024.law.certified import Work, certified_probability

    bits, work = max(8, math.ceil(-math.log2(tolerance))), Work()
    for row in rows[np.argsort(-errors[rows], kind="stable")]:
        weights, counts = law.row(row)
        ball = certified_probability(
            weights.tolist(), [int(count) for count in counts], float(low[row]), float(high[row]), bits, work
        )
        # the middle is rounded as it becomes a float; a ball that is infinite has no radius below any error
        middle, radius = float(ball.mid()), float(ball.rad()) + EPS
        if radius < errors[row]:
            values[row], errors[row], methods[row] = middle, radius, "ball"
        if work.left <= 0 or errors[row] >= USELESS:
            break


@dataclass
class _Law:
    """Rows of laws scaled to variance 1, none of them a point mass."""

    law: Transform
    low: Array
    high: Array
    tolerance: float

    @staticmethod
    def of(law: Transform, low: Array, high: Array, tolerance: float) -> _Law:
        top = law.top
        law = law.over(top)
        spread = np.sqrt(2 * law.power(2))
        # two divisions: the product of the scales may leave the range of floating point
        with np.errstate(over="ignore"):
            lo, hi = low / top / spread, high / top / spread
        return _Law(law.over(spread), lo, hi, tolerance)

    def solve(self) -> tuple[Array, Array, np.ndarray[Any, np.dtype[np.bool_]], list[str], Nodes]:
        """Values, errors, whether an error misses the tolerance by more than rounding, methods, nodes."""
        rows = len(self.law)
        slip = self.tolerance / 8
        upper, lower = _quantile(self.law, slip), -_quantile(self.law.over(-1), slip)
        lo, hi = np.maximum(self.low, lower), np.minimum(self.high, upper)
        values, errors, missed = np.zeros(rows), np.full(rows, slip), np.zeros(rows, dtype=np.bool_)
        # no mass at all beyond the support of a law with weights of one sign
        errors[(lo >= hi) & ((self.low >= upper) & (upper == 0) | (self.high <= lower) & (lower == 0))] = 0.0
        names, nodes = ["outside"] * rows, np.zeros(rows, dtype=np.int64)
        inside = np.flatnonzero(lo < hi)
        if not len(inside):
            return values, errors, missed, names, nodes
        trimmed = slip * ((lower[inside] > self.low[inside]) & (lower[inside] < 0)).astype(np.float64)
        trimmed += slip * ((upper[inside] < self.high[inside]) & (upper[inside] > 0))
        step = 2 * np.pi / np.maximum(upper - lo, hi - lower)[inside]
        law, lo, hi, ends = self.law.pick(inside), lo[inside], hi[inside], (lower[inside], upper[inside])
        needed, left = _nodes(law, step, self.tolerance / 4)
        found = _Found.of(len(inside))
        for count in np.unique(needed[needed <= FEW]):
            pick = np.flatnonzero(needed == count)
            value, rounding = _line(law.pick(pick), lo[pick], hi[pick], step[pick], int(count))
            found.better(pick, value, left[pick] + 2 * slip, rounding, needed[pick], "line")
        bent = np.flatnonzero(needed > FEW)
        limit = MISSED * self.tolerance
        for opening in OPENINGS:
            again = bent[found.aimed[bent] > limit]
            if len(again):
                at, stops = law.pick(again), (ends[0][again], ends[1][again])
                low = _beyond(at, lo[again], stops, self.tolerance / 4, opening)
                high = _beyond(at, hi[again], stops, self.tolerance / 4, opening)
                aimed, rounding, count = low[1] + high[1], low[2] + high[2], low[3] + high[3]
                found.better(again, low[0] - high[0], aimed, rounding, count, "hyperbola")
        again = bent[(found.aimed[bent] > limit) & (needed[bent] <= MANY)]
        again = again[np.argsort(needed[again], kind="stable")]
        for row in again[np.cumsum(needed[again]) <= LINES]:
            pick = np.array([row])
            value, rounding = _line(law.pick(pick), lo[pick], hi[pick], step[pick], int(needed[row]))
            found.better(pick, value, left[pick] + 2 * slip, rounding, needed[pick], "line")
        values[inside], nodes[inside], missed[inside] = found.values, found.nodes, found.aimed > limit
        errors[inside] = np.minimum(found.aimed + found.rounding + trimmed, 1.0)
        for row, name in zip(inside, found.methods, strict=True):
            names[row] = name
        return values, errors, missed, names, nodes


@dataclass
class _Found:
    """The best that the rules have found for each row; an error is what was aimed at and its rounding."""

    values: Array
    aimed: Array
    rounding: Array
    nodes: Nodes
    methods: list[str]

    @staticmethod
    def of(rows: int) -> _Found:
        return _Found(
            np.zeros(rows), np.full(rows, np.inf), np.zeros(rows), np.zeros(rows, dtype=np.int64), [""] * rows
        )

    def better(self, rows: Nodes, values: Array, aimed: Array, rounding: Array, nodes: Nodes, method: str) -> None:
        """Take what a rule found for these rows where its error is smaller than the one before."""
        less = aimed + rounding < self.aimed[rows] + self.rounding[rows]
        at = rows[less]
        self.values[at], self.aimed[at], self.rounding[at] = values[less], aimed[less], rounding[less]
        self.nodes[at] = nodes[less]
        for row in at:
            self.methods[row] = method


def _quantile(law: Transform, slip: float) -> Array:
    """y with P(Q >= y) <= slip by Chernoff, y = min_s (K(s) + log(1/slip))/s over a few s; shape (R,).

    Any s in (0, 1/(2 max beta)) gives a valid y. They are chosen about the best s for the bound
    K(s) <= mean s + s^2 v/(1 - 2 s max beta), v = sum m beta^2, which holds as -log(1 - 2u)/2 - u is at most
    u^2/(1 - 2u) for 0 <= u < 1/2 (its series, term by term) and at most u^2 for u < 0. With no positive weight y = 0.
    """
    edge = np.maximum(law.ends()[1], 0.0)
    level = -np.log(slip)
    centre = 1 / (2 * edge + np.sqrt(0.5 / level))
    s = centre[:, None] * np.array([0.7, 0.85, 1.0, 1.2, 1.45, 1.8])
    s = np.minimum(s, 0.98 / (2 * np.where(edge > 0, edge, 1.0)[:, None]))
    best = np.min((law.modulus(s + 0j) + level) / s, axis=1)
    # a relative margin for the rounding of the logarithms
    return np.where(edge > 0, best + 1e-12 * (np.abs(best) + law.power(1)), 0.0)


def _nodes(law: Transform, step: Array, wanted: float) -> tuple[Nodes, Array]:
    """The nodes that each row needs on the line, from a geometric list, and the bound of what they leave out."""
    rows = len(law)
    needed, left = np.full(rows, 2 * MANY, dtype=np.int64), np.full(rows, np.inf)
    open_ = np.arange(rows)
    count = max(4, int(0.7 * np.sqrt(-2 * np.log(wanted)) / np.max(step)))
    while len(open_) and count <= MANY:
        some, t = law.pick(open_), count * step[open_, None]
        # p = -d log|M(i t)|/d log t = t Im (log M)'(i t)
        size, power = -some.modulus(1j * t)[:, 0], (t * some.slope(1j * t).imag)[:, 0]
        with np.errstate(under="ignore", divide="ignore"):
            tail = 2 * np.exp(-size) / (np.pi * power)
        done = tail <= wanted
        needed[open_[done]], left[open_[done]] = count, tail[done]
        open_ = open_[~done]
        count = max(count + 2, int(count * (1.12 if count < FEW else 1.5)))
    return needed, left


def _line(law: Transform, lo: Array, hi: Array, step: Array, nodes: int) -> tuple[Array, Array]:
    """The trapezoid sum on the imaginary axis, and the bound of its rounding error.

    (h/2pi)(hi - lo) + (1/pi) sum_n Im(M(i t_n) (exp(-i t_n lo) - exp(-i t_n hi)))/n.
    """
    total, rounding = step * (hi - lo) / (2 * np.pi), np.zeros(len(law))
    far = np.maximum(np.abs(lo), np.abs(hi))[:, None]
    block = max(1, BLOCK // law.factors.size)
    for first in range(1, nodes + 1, block):
        n = np.arange(first, min(first + block, nodes + 1), dtype=np.float64)
        t = step[:, None] * n
        value, spread = law.log(1j * t)
        with np.errstate(under="ignore"):
            weight = np.exp(value.real) / n
        angle = value.imag
        total += np.sum(weight * (np.sin(angle - t * lo[:, None]) - np.sin(angle - t * hi[:, None])), axis=1) / np.pi
        rounding += 2 * np.sum(weight * _roundings(law) * (spread + t * far + 1), axis=1) / np.pi
    return total, rounding + 4 * EPS


def _roundings(law: Transform) -> float:
    """A sum of w terms in blocks of eight lanes adds w/8 roundings to the few of every term."""
    return EPS * (8 + law.width / 8)


def _beyond(
    law: Transform, x: Array, ends: tuple[Array, Array], wanted: float, opening: float
) -> tuple[Array, Array, Array, Nodes]:
    """P(Q > x) by the hyperbola, its errors and nodes as there; 1 and 0 where x is at the ends that were drawn in."""
    lower, upper = ends
    values, aimed, rounding = np.where(x <= lower, 1.0, 0.0), np.zeros(len(x)), np.zeros(len(x))
    nodes = np.zeros(len(x), dtype=np.int64)
    for sign in (1.0, -1.0):
        pick = np.flatnonzero((x > lower) & (x < upper) & ((x >= 0) if sign > 0 else (x < 0)))
        if len(pick):
            own = law.pick(pick).over(sign)
            above, aimed[pick], rounding[pick], nodes[pick] = _hyperbola(own, sign * x[pick], wanted, opening)
            values[pick] = above if sign > 0 else 1 - above
    return values, aimed, rounding, nodes


def _saddle(law: Transform, x: Array) -> tuple[Array, Array]:
    """Where the contours cross the real axis: the middle c and the half-width r of the crossings, off pole and rays."""
    least, most = law.ends()
    with np.errstate(divide="ignore"):
        right, left = np.where(most > 0, 0.5 / most, np.inf), np.where(least < 0, 0.5 / least, -np.inf)
    # with weights of one sign K' > x before D/(2x) on the open side; nothing nearer to a ray than c may be is asked
    # for, nor a c from which the square of a point of the contour leaves the range of floating point
    reach = np.sum(law.counts) * law.factors.shape[1] / np.maximum(x, 1e-60)
    a, b = np.maximum(0.8 * left, -reach), np.minimum(0.8 * right, reach)
    for _ in range(60):
        c = (a + b) / 2
        slope = law.slope(c[:, None] + 0j).real[:, 0]
        a, b = np.where(slope < x, c, a), np.where(slope < x, b, c)
        # every contour gives a bound, and one beside the best nearly its bound
        if np.all(b - a <= NEAR * np.minimum(np.maximum(np.abs(a + b), 0.5), np.minimum(right, -left))):
            break
    c = (a + b) / 2
    side = np.where(c >= 0, 1.0, -1.0)
    gap = np.where(c >= 0, right, -left)
    # near the mean the saddle meets the pole; e^(c^2/2) is no size there, so the contour may step aside
    c = np.minimum(np.maximum(np.abs(c), np.minimum(0.5, 0.4 * gap)), 0.75 * gap)
    return side * c, 0.7 * np.minimum(c, gap - c)


def _hyperbola(law: Transform, x: Array, wanted: float, opening: float) -> tuple[Array, Array, Array, Nodes]:
    """P(Q > x) for x >= 0, the bounds of its error but for rounding and of rounding, the nodes; of every row.

    P(Q > x) = (1/pi) Re int_0^inf F(u) du + [c < 0] with F = M(s) exp(-s x)/s A cos(phi + i u); the 1 is the residue
    of the pole at s = 0.
    """
    c, r = _saddle(law, x)
    size = 2 * r / np.sin(opening)
    base = c - r

    def contour(phi: float, u: Array) -> tuple[Any, Any]:
        """The hyperbola phi, (R, len(u)), and log F there but for log M."""
        s = base[:, None] + size[:, None] * np.sin(phi + 1j * u)
        return s, np.log(size[:, None] * np.cos(phi + 1j * u) / s) - s * x[:, None]

    def modulus(phi: float) -> tuple[Array, Array]:
        """Coarse nodes as far as they matter for some row, and log |F| there, which parabolas follow."""
        # the singularities of every factor lie at least pi/2 - phi from the axis of u
        coarse = np.arange(0.0, FAR, min(COARSE, (np.pi / 2 - phi) * (BENT / factors) ** 0.25))
        found: list[Array] = []
        for nodes in np.split(coarse, range(STRETCH, len(coarse), STRETCH)):
            s, beside = contour(phi, nodes)
            last = law.modulus(s) + beside.real
            found.append(last)
            if np.all((last[:, -1] < -depth - 8) & (last[:, -1] < last[:, -2] - (nodes[-1] - nodes[-2]))):
                break
        values = np.concatenate(found, axis=1)
        return coarse[: values.shape[1]], values

    depth, factors = -np.log(wanted), max(1.0, float(np.sum(law.counts)) * law.factors.shape[1])
    step = np.pi * opening / (depth + 6)
    seen, middle = modulus(opening / 2)
    # past the last node that matters, for all rows
    matters = np.max(np.where(middle > -depth - 4, seen, 0.0))
    end = min(matters + COARSE, FAR - 2 * COARSE)
    count = int(np.ceil(end / step)) + 1
    u = step * np.arange(count)
    s, beside = contour(opening / 2, u)
    exponent, spread = law.log(s)
    exponent, spread = exponent + beside, spread + np.abs(s) * x[:, None]
    with np.errstate(under="ignore", over="ignore", invalid="ignore"):
        weight = np.exp(np.minimum(exponent.real, 700.0))
        weight[:, 0] /= 2
        value = step / np.pi * np.sum(weight * np.cos(exponent.imag), axis=1)
        rounding = step / np.pi * _roundings(law) * np.sum(weight * (spread + 1), axis=1)
        tail = _rest(middle, seen, u[-1])
        edges = np.zeros(len(x))
        for phi in (0.0, opening):
            nodes, edge = modulus(phi)
            edges += _area(edge, nodes[1]) + _rest(edge, nodes, nodes[-1])
        strip = 2 * edges / np.pi / np.expm1(np.pi * opening / step)
    return value + (c < 0), strip + tail / np.pi, rounding + 4 * EPS, np.full(len(x), count)


def _area(log_modulus: Array, step: float) -> Array:
    """The integral of exp of an even function from its values at 0, step, ..., a parabola between two of them.

    A peak between two nodes, narrower than their distance, is seen by how the values bend.
    """
    bend = -np.diff(np.concatenate([log_modulus[:, 1:2], log_modulus, log_modulus[:, -1:]], axis=1), 2, axis=1)
    bend = np.maximum(np.maximum(bend[:, :-1], bend[:, 1:]), 1e-9)
    left, right = log_modulus[:, :-1], log_modulus[:, 1:]
    tilt = right - left
    peaked = np.abs(tilt) < bend / 2
    top = np.where(peaked, (left + right) / 2 + tilt * tilt / (2 * bend) + bend / 8, np.maximum(left, right))
    width = step * np.where(peaked, np.minimum(1.0, np.sqrt(2 * np.pi / bend)), 1.0)
    return np.asarray(np.sum(np.exp(np.minimum(top, 700.0)) * width, axis=1))


def _rest(log_modulus: Array, u: Array, start: float) -> Array:
    """What exp(log_modulus) has beyond ``start``: at its last rate of decay before, which only grows."""
    at = min(int(np.searchsorted(u, start, side="right")) - 1, len(u) - 1)
    rate = np.maximum((log_modulus[:, at - 1] - log_modulus[:, at]) / (u[at] - u[at - 1]), 1e-3)
    return np.asarray(np.exp(np.minimum(log_modulus[:, at], 700.0)) / rate)
