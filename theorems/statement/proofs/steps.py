"""What a proof is made of."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Step:
    """A rule, what it was used on, and the standard result that it takes on trust ("" where it is checked here)."""

    rule: str
    instance: str
    trusted: str = ""


@dataclass(frozen=True)
class Proof:
    """The steps by which a statement was proved."""

    steps: tuple[Step, ...]

    @property
    def trusted(self) -> tuple[str, ...]:
        """The standard results that the proof rests on."""
        return tuple(dict.fromkeys(step.trusted for step in self.steps if step.trusted))


Steps = list[Step]


def together(parts: Iterable[Steps | None]) -> Steps | None:
    """The steps to several goals; None from the first one on that is not reached."""
    found: Steps = []
    for steps in parts:
        if steps is None:
            return None
        found += steps
    return found
