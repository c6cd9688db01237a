"""How a run judges, and who is told how far it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from proofs_check.claims.report import Claim
from proofs_check.judging.process import cores


@dataclass(frozen=True)
class Options:
    """How to run: effort, seed, device, threads (all there are unless given), one case to judge at, if any.

    ``tier`` says how walks are sampled (``sampling.tier_of``), ``walks`` is the least number of walks of a case,
    ``elsewhere`` is other machines (``proofs_check.judging.cluster``), which give the same numbers. Claims are judged
    in so many ``processes``, which share the threads.
    """

    effort: str = "standard"
    seed: int = 0
    device: str = "auto"
    jobs: int | None = None
    case: Mapping[str, Any] | None = None
    walks: int = 0
    tier: str = "auto"
    elsewhere: Any = None
    processes: int = 1


class Progress(Protocol):
    """Who is told how far a run is."""

    def begin(self, claims: int) -> None:
        """So many claims will be judged."""

    def claim(self, id: str) -> None:
        """This claim is being judged."""

    def step(self, id: str, done: int, total: int) -> None:
        """So much of the claim's present piece of work is done."""

    def finished(self, claim: Claim) -> None:
        """This claim, or its correction, has its verdict."""


class Silent:
    """Tells nobody."""

    def begin(self, claims: int) -> None:
        """Say nothing."""

    def claim(self, id: str) -> None:
        """Say nothing."""

    def step(self, id: str, done: int, total: int) -> None:
        """Say nothing."""

    def finished(self, claim: Claim) -> None:
        """Say nothing."""


def threads(options: Options) -> int:
    """So many, or as many as there are cores."""
    return options.jobs or cores()


def resolve(options: Options) -> str:
    """The device to sample on: "auto" takes the GPU where there is one, or what the cluster's workers have."""
    if options.elsewhere is not None:
        return str(options.elsewhere.device(options.device))
    if options.device != "auto":
        return options.device
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"
