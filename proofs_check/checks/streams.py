"""Which streams of random numbers the samples of a claim were drawn from: every sample has one of its own."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from montecarlo.accumulate import Sample

#: Block means that are compared tell two samples apart only where they take so many values.
TELLING = 8


class SharedStreamError(RuntimeError):
    """Two samples that have to be independent were drawn from one stream; the message names both."""


@dataclass
class Streams:
    """The streams seen so far, each with the name of its sample."""

    seeded: dict[tuple[int, ...], str] = field(default_factory=dict)
    drawn: dict[tuple[str, bytes], str] = field(default_factory=dict)

    def see(self, sample: Sample, name: str) -> None:
        """Take note of a sample; SharedStreamError where its seeds, or its very numbers, were another one's."""
        self._own(self.seeded, sample.stream, name, "seeds")
        for quantity, found in sample.estimates.items():
            if len(set(found.block_means.tolist())) >= TELLING:
                self._own(self.drawn, (quantity, found.block_means.tobytes()), name, f"numbers {quantity}")

    @staticmethod
    def _own(table: dict[Any, str], key: Any, name: str, what: str) -> None:
        if key in table:
            raise SharedStreamError(f"{name} and {table[key]} have the same {what}: they are no independent samples")
        table[key] = name
