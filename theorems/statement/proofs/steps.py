"""What a proof is made of."""

from __future__ import annotations

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
