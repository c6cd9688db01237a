"""The values that hypotheses leave a number."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

#: Largest d that hypotheses may ask for: statements are looked at in exact arithmetic at matrices of that size.
LARGEST = 64


@dataclass(frozen=True)
class Range:
    """The values of a parameter: an interval, open or closed at its ends, without 0 where ``nonzero``."""

    low: Fraction | None = None
    high: Fraction | None = None
    low_open: bool = False
    high_open: bool = False
    nonzero: bool = False
    integer: bool = False

    def holds(self, value: Fraction) -> bool:
        """Whether a value lies in the range."""
        above = self.low is None or value > self.low or (value == self.low and not self.low_open)
        below = self.high is None or value < self.high or (value == self.high and not self.high_open)
        whole = not self.integer or value.denominator == 1
        return above and below and whole and not (self.nonzero and value == 0)

    def within(self, low: Fraction, high: Fraction) -> Range:
        """The part of the range between two ends; an end that replaces one is closed, as it is no hypothesis."""
        found = self
        if self.low is None or self.low < low:
            found = replace(found, low=low, low_open=False)
        if self.high is None or self.high > high:
            found = replace(found, high=high, high_open=False)
        return found

    def between(self, below: Range, above: Range) -> Range:
        """The part of the range for numbers at least one of ``below``, and at most one of ``above``."""
        found, low, high = self, below.low, above.high
        if low is not None and (self.low is None or (low, below.low_open) > (self.low, self.low_open)):
            found = replace(found, low=low, low_open=below.low_open)
        if high is not None and (self.high is None or (-high, above.high_open) > (-self.high, self.high_open)):
            found = replace(found, high=high, high_open=above.high_open)
        return found

    @property
    def empty(self) -> bool:
        """Whether no value lies in the range."""
        if self.low is None or self.high is None:
            return False
        if self.low == self.high:
            return not self.holds(self.low)
        if not self.integer:
            return self.low > self.high
        first = math.floor(self.low) + 1 if self.low_open else math.ceil(self.low)
        last = math.ceil(self.high) - 1 if self.high_open else math.floor(self.high)
        return first > last or (first == last == 0 and self.nonzero)

    @property
    def sign(self) -> int | None:
        """1 or -1 where every value has that sign, else None."""
        if self.low is not None and (self.low > 0 or (self.low == 0 and (self.low_open or self.nonzero))):
            return 1
        if self.high is not None and (self.high < 0 or (self.high == 0 and (self.high_open or self.nonzero))):
            return -1
        return None
