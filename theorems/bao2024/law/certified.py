"""Rigorous enclosures of the probabilities of ``theorems.bao2024.law`` in ball arithmetic.

P(Q > x) = (1/pi) Im int M(s) exp(-s x)/s ds + [c < 0] over a half line from a real c, 0 < |c| short of the nearest
singularity, into the upper half-plane: straight up, or at 60 degrees to the side where exp(-s x) decays (a rotation
meets no singularity, as those are real). The part up to a radius R is an ``acb.integral``, in u with |s - c| =
A sinh(u); the rest is bounded by hand, see ``_Law.rest``. No numerical step is shared with
``theorems.bao2024.law.quadrature``.

M is a product of powers of 1 - 2 alpha s, or, for the pairs alpha = w (c +- sqrt(ab))/2, of the quadratics
1 - 2 c w s - (ab - c^2) (w s)^2, whose coefficients are rational. The arguments of a quadratic's two factors differ in
sign, so neither they nor their sum reach +-pi, and the principal root of the quadratic is analytic off the rays.
"""

from __future__ import annotations

import cmath
import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import flint

from theorems.algebra.balls import precision, rational
from theorems.bao2024.law import kernel_limits, kernel_values, score_offset
from theorems.bao2024.law.arguments import exact, whole

Number = int | float | Fraction

#: The half line leans unless M exp(-s x) would grow beyond exp(LEAN) along it; then M decays fast straight up.
LEAN = 40.0
#: Values of factors that an enclosure may take, a few seconds; what needs more is left as wide as it is.
WORK = 1 << 20
#: The most bits that are asked for.
BITS = 10_000
#: The largest multiplicity that is multiplied out.
POWER = 16
#: The largest |u| that is tried before the bound of the rest is taken as it stands.
FAR = 400
#: The farthest end, in units of a weight, that is looked at as a float to choose the half line.
FARTHEST = 1e300
#: What is asked of the limit law, whose probabilities are compared with limits.
LIMIT_BITS = 32


@dataclass
class Work:
    """How many values of factors enclosures may still take; several share one where their time in all is bounded."""

    left: int = WORK


@dataclass(frozen=True)
class _Factor:
    """(1 - first s - second s^2)^(-count/2), with its weights enclosed."""

    first: Fraction
    second: Fraction
    count: int
    alphas: tuple[flint.arb, ...]


def certified(
    T: int,
    i: int,
    eigenvalues: Sequence[Number],
    multiplicities: Sequence[int] | None = None,
    lam: Number = 1,
    low: Number = 0,
    high: Number = 1,
    bits: int = 64,
    start: str = "sigma",
) -> flint.arb:
    """A ball around rho_i = P(low <= score_i <= high) for symmetric W_QK; its radius is about 2^-bits.

    Eigenvalues of W_QK Sigma, lam and finite ends are taken as the rationals that they are (a float is one).
    """
    size = exact("lam", lam)
    if size <= 0:
        raise ValueError(f"lam = {lam}; expected a positive number")
    a, b, c = kernel_values(T, i, start)
    offset = score_offset(T)
    lo, hi = _ends(low, high)
    ends = [end if isinstance(end, float) else size * (end - offset) for end in (lo, hi)]
    with precision(_working(bits)):
        return _between(_factors(a * b, c, eigenvalues, multiplicities), ends[0], ends[1], bits, Work())


def certified_limit(theta: Fraction, eigenvalues: Sequence[Number], multiplicities: Sequence[int]) -> flint.arb:
    """A ball around P(0 <= score <= 1) in the limit law, T -> infinity with i/T -> theta, at lam = 1."""
    ab, c = kernel_limits(theta)
    with precision(_working(LIMIT_BITS)):
        factors = _factors(ab, c, eigenvalues, multiplicities)
        return _between(factors, Fraction(0), Fraction(1), LIMIT_BITS, Work())


def _factors(
    ab: Fraction, c: Fraction, eigenvalues: Sequence[Number], multiplicities: Sequence[int] | None
) -> list[_Factor]:
    """The factors of M for the eigenvalues w of W_QK Sigma, whose weights are w (c +- sqrt(ab))/2."""
    factors = []
    root = rational(ab).sqrt()
    for w, count in _joined(eigenvalues, multiplicities):
        first, second = 2 * c * w, (ab - c * c) * w * w
        if second:
            alphas = tuple(rational(w) * (rational(c) + sign * root) / 2 for sign in (1, -1))
            factors.append(_Factor(first, second, count, alphas))
        elif first:
            factors.append(_Factor(first, Fraction(0), count, (rational(first / 2),)))
    return factors


def certified_probability(
    weights: Sequence[Number],
    multiplicities: Sequence[int] | None = None,
    low: Number = 0,
    high: Number = 1,
    bits: int = 64,
    work: Work | None = None,
) -> flint.arb:
    """A ball around P(low <= sum_j alpha_j chi^2_{m_j} <= high) for rational weights; its radius is about 2^-bits.

    It is infinite where ``work`` does not suffice.
    """
    with precision(_working(bits)):
        pairs = _joined(weights, multiplicities)
        factors = [_Factor(2 * alpha, Fraction(0), count, (rational(alpha),)) for alpha, count in pairs if alpha]
        return _between(factors, *_ends(low, high), bits, work or Work())


def _ends(low: Number, high: Number) -> tuple[Number, Number]:
    """The ends as rationals; those that are infinite as the floats that they are."""
    lo, hi = (
        end if isinstance(end, float) and math.isinf(end) else exact(name, end)
        for name, end in (("low", low), ("high", high))
    )
    return lo, hi


def _working(bits: int) -> int:
    return whole("bits", bits, BITS, least=8) + 48


def _joined(values: Sequence[Number], multiplicities: Sequence[int] | None) -> list[tuple[Fraction, int]]:
    """Distinct values with their total multiplicities."""
    given = [1] * len(values) if multiplicities is None else multiplicities
    counts = [exact("a multiplicity", count) for count in given]
    if len(counts) != len(values) or any(count < 0 or count.denominator > 1 for count in counts):
        raise ValueError(f"multiplicities for {len(values)} values: {len(counts)}; expected a count >= 0 for each")
    table: defaultdict[Fraction, int] = defaultdict(int)
    for value, count in zip(values, counts, strict=True):
        table[exact("a weight", value)] += int(count)
    return [(value, count) for value, count in table.items() if count]


def _between(factors: list[_Factor], low: Number, high: Number, bits: int, work: Work) -> flint.arb:
    if not low <= high:
        raise ValueError(f"low = {low} above high = {high}; expected low <= high")
    if not factors:
        return flint.arb(1 if low <= 0 <= high else 0)
    # scaled by a power of two, so that no float leaves its range
    size = max(max(abs(f.first), _root(f.second)) for f in factors)
    power = Fraction(2) ** (size.numerator.bit_length() - size.denominator.bit_length())
    unit = rational(power)
    scaled = [
        _Factor(f.first / power, f.second / power**2, f.count, tuple(alpha / unit for alpha in f.alphas))
        for f in factors
    ]
    law = _Law(scaled, bits, work)
    ends = [end if isinstance(end, float) else end / power for end in (low, high)]
    return law.above(ends[0]) - law.above(ends[1])


def _root(square: Fraction) -> Fraction:
    """A power of two within a factor 2 of the square root; 0 for 0."""
    if not square:
        return Fraction(0)
    return Fraction(2) ** ((square.numerator.bit_length() - square.denominator.bit_length()) // 2)


class _Law:
    """The law of a sum of weighted chi^2 that is no point mass."""

    def __init__(self, factors: list[_Factor], bits: int, work: Work) -> None:
        self.factors, self.bits, self.work = factors, bits, work
        self.terms = [(rational(f.first), rational(f.second), f.count) for f in factors]
        self.positive = any(f.second or f.first > 0 for f in factors)
        self.negative = any(f.second or f.first < 0 for f in factors)
        self.mids = mids = [(float(alpha.mid()), f.count) for f in factors for alpha in f.alphas]
        self.mean = sum(alpha * count for alpha, count in mids)
        self.spread = math.sqrt(sum(2 * alpha * alpha * count for alpha, count in mids))
        # the distance of the nearest singularity on either side
        self.right, self.left = (
            0.5 / top if top > 0 else math.inf
            for top in (max(sign * alpha for alpha, _ in mids) for sign in (1.0, -1.0))
        )

    def above(self, x: Number) -> flint.arb:
        """P(Q > x)."""
        if x == -math.inf or (x <= 0 and not self.negative):
            return flint.arb(1)
        if x == math.inf or (x >= 0 and not self.positive):
            return flint.arb(0)
        shift = rational(Fraction(x))
        scale = min(0.5 / self.spread, 0.5 * (self.right if x >= self.mean else self.left))
        c = scale if x >= self.mean else -scale
        leaning = x != 0 and self.growth(c, float(max(-FARTHEST, min(x, FARTHEST)))) < LEAN
        turn = flint.acb(*_direction(Fraction(1, 3) if leaning else Fraction(1, 2), x < 0))
        size, start = rational(Fraction(scale)), rational(Fraction(c))
        reach, rest = 1, flint.arb("inf")
        while not rest < flint.arb(2) ** (-self.bits - 2) and reach < FAR:
            reach += 1
            rest = self.rest(start, size * flint.arb(reach).sinh(), shift, leaning)

        def integrand(u: flint.acb, analytic: bool) -> flint.acb:
            self.work.left -= len(self.factors)
            s = start + turn * size * u.sinh()
            return self.transform(s, shift, analytic) / s * turn * size * u.cosh()

        most = flint.arb(2) ** (-self.bits - 4)
        value = flint.arb(0, rest.upper())
        for k in range(0, reach, 4):
            limit = self.work.left // len(self.factors)
            if limit <= 0 or not value.is_finite():
                return flint.arb(0, "inf")
            piece = flint.acb.integral(integrand, k, min(k + 4, reach), abs_tol=most, rel_tol=most, eval_limit=limit)
            value += piece.imag / flint.arb.pi()
        return value + (1 if c < 0 else 0)

    def growth(self, c: float, x: float) -> float:
        """The largest log |M(s) exp(-s x)| on the leaning half line, seen at some points: it only chooses the line."""
        turn = cmath.rect(1, math.pi / 3 if x > 0 else 2 * math.pi / 3)
        points = [c + turn * abs(c) * math.sinh(k / 4) for k in range(160)]
        return max(
            -s.real * x - sum(count / 2 * math.log(abs(1 - 2 * alpha * s)) for alpha, count in self.mids)
            for s in points
        )

    def transform(self, s: flint.acb, x: flint.arb, analytic: bool) -> flint.acb:
        """M(s) exp(-s x), every factor by its principal branch, high powers in the exponent."""
        value, exponent = flint.acb(1), -s * x
        for first, second, count in self.terms:
            base = 1 - s * (first + s * second)
            if count > POWER:
                exponent -= base.log(analytic=analytic) * count / 2
                continue
            half, odd = divmod(count, 2)
            value = value / base**half
            if odd:
                value = value * base.rsqrt(analytic=analytic)
        return value * exponent.exp()

    def rest(self, c: flint.arb, radius: flint.arb, x: flint.arb, leaning: bool) -> flint.arb:
        """A bound of (1/pi) int |M(s) exp(-s x)/s| |ds| over |s - c| >= radius on the half line.

        Leaning: |1 - 2 alpha s| is at least |1 - 2 alpha c| sin 60 (the distance of the singularity from the line) and
        2 |alpha| radius - |1 - 2 alpha c|, |s| likewise, and |exp(-s x)| = exp(-c x - |x| |s - c|/2) is integrated.
        Upwards: with v = radius, |M(c + i v)| falls at least like v^-p from there on, where p is the sum of
        (m/2) (2 alpha v)^2/|1 - 2 alpha (c + i v)|^2, which grows with v; and |s| >= v.
        """
        sine = flint.arb(3).sqrt() / 2
        log, power = -c * x, flint.arb(0)
        for factor in self.factors:
            for alpha in factor.alphas:
                own = abs(1 - 2 * alpha * c)
                far = 2 * abs(alpha) * radius
                if leaning:
                    least = (own * sine).max(far - own)
                    log -= least.log() * factor.count / 2
                else:
                    square = own * own + far * far
                    log -= square.log() * factor.count / 4
                    power += far * far / square * factor.count / 2
        if not leaning:
            return log.exp() / power / flint.arb.pi()
        decay = abs(x) / 2
        near = (abs(c) * sine).max(radius - abs(c))
        return (log - decay * radius).exp() / decay / near / flint.arb.pi()


def _direction(angle: Fraction, left: bool) -> tuple[flint.arb, flint.arb]:
    """cos and sin of angle * pi, turned to the left half-plane if asked."""
    sine, cosine = flint.arb.sin_cos_pi(rational(angle))
    return (-cosine if left else cosine), sine
