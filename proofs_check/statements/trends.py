"""Values of a quantity along a growing index at one configuration, and what they say of its limit."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from proofs_check.cases.of_statements import Case
from proofs_check.checks.extrapolation import approach
from proofs_check.checks.intervals import Interval

#: An index at which a configuration meets the hypotheses, too, as it is to meet them along the whole limit: i <= 1000
#: holds of every share of T at the lengths that are sampled, and of none but 0 in the limit.
FAR = 2**200
#: From one length to the next, which doubles, a bounded value grows less than this, and a growing one more. Growth like
#: the square root of the length is by 2^(1/2) = 1.414: of what grows that fast it is seen that it is not bounded.
STEADY, GROWN = 1.4, 1.4


@dataclass(frozen=True)
class Configuration:
    """Everything but what tends: matrices, parameters, positions that stay; the share of T of every other position."""

    fixed: Mapping[str, Any]
    shares: Mapping[str, Fraction]

    def at(self, T: int) -> Case:
        """The case of length T."""
        return {**self.fixed, "T": T, **{name: max(1, int(share * T)) for name, share in self.shares.items()}}


@dataclass(frozen=True)
class Trend:
    """Values along the growing index at one configuration, and what they say of the limit."""

    configuration: Configuration
    points: tuple[tuple[Case, Interval], ...]
    limit: Interval | None
    printed: float
    tolerance: float
    #: how many at each of the points
    walks: tuple[int, ...]
    growing: bool = True
    bounded: bool = False
    #: 1 where the values are to be at most the print in the limit, -1 at least, 0 where they are to tend to it
    way: int = 0

    @property
    def beyond(self) -> bool:
        """Whether the last value, or the limit, lies on the side of the print that an inequality leaves out."""
        last = self.limit or self.points[-1][1]
        return not self.way or self.way * (last.low if self.way > 0 else last.high) > self.way * self.printed

    @property
    def below(self) -> bool:
        """Whether the limit, or the last values, are on the side of the print that an inequality allows."""
        values = [self.limit] if self.limit else [value for _, value in self.points[-2:]]
        ends = [self.way * ((value.high if self.way > 0 else value.low) - self.printed) for value in values]
        return bool(self.way) and all(end <= self.tolerance for end in ends) and ends[-1] <= ends[0]

    def grown(self, power: int = 0) -> tuple[float, float]:
        """How much larger the last value's size is than the one before, at least and at most, times T^power."""
        sizes = [sorted((abs(value.low), abs(value.high))) for _, value in self.points[-2:]]
        sizes = [
            [0.0 if v.low <= 0 <= v.high else low, high]
            for (low, high), (_, v) in zip(sizes, self.points[-2:], strict=True)
        ]
        (low, high), (last_low, last_high) = sizes
        factor = (self.points[-1][0]["T"] / self.points[-2][0]["T"]) ** power if self.growing else 2.0**power
        return factor * last_low / high if high else 0.0, factor * last_high / low if low else math.inf

    @property
    def agrees(self) -> bool:
        """Whether the values approach the printed limit within the tolerance; of O(...), whether they stay bounded."""
        if self.below:
            return True
        if self.bounded:
            flat = all(abs(end) <= self.tolerance for _, value in self.points for end in (value.low, value.high))
            return flat or self.grown()[1] <= STEADY
        if self.limit is not None:
            room = self.tolerance
            inside = self.printed - room <= self.limit.low and self.limit.high <= self.printed + room
            return inside and self.limit.holds(self.printed)
        return self._trend(self.printed) == "approaches"

    @property
    def contradicts(self) -> bool:
        """Whether the values do not tend to the printed limit, or grow where O(...) is printed."""
        if not self.beyond:
            return False
        if self.bounded:
            return self.grown()[0] >= GROWN
        return not self.allows(self.printed)

    @property
    def decisive(self) -> bool:
        """Whether the values were brought to the limit: no value before it refutes a limit that is proved."""
        return self.limit is not None and not self.bounded

    def allows(self, value: float) -> bool:
        """Whether the values may tend to this limit."""
        if self.limit is not None:
            return self.limit.holds(value)
        return self._trend(value) != "stays away"

    def _trend(self, value: float) -> str:
        """Whether the values come nearer to a value along the index."""
        indices = [case["T"] if self.growing else 2**k for k, (case, _) in enumerate(self.points, 1)]
        return approach(indices, [point for _, point in self.points], value, self.tolerance)
