"""How long a search or a proof may go on, in steps: what it finds hangs on its seed, not on how busy the machine is."""

from __future__ import annotations


class Work:
    """A number of steps that may be spent; a step is of the order of a millisecond."""

    def __init__(self, steps: float) -> None:
        self.left = float(steps)

    @property
    def over(self) -> bool:
        """Whether all steps are spent."""
        return self.left <= 0

    def spend(self, steps: float = 1.0) -> bool:
        """Spend steps; whether there were any left."""
        was_left = self.left > 0
        self.left -= steps
        return was_left
