"""How likely a run of all property tests, the slow ones with them, fails without a cause: below RUN, part by part."""

from __future__ import annotations

RUN = 1e-9
#: What samples are compared in; each has as much of RUN as any other, whatever else is run.
PARTS = (
    *("agreement", "many cases", "many seeds", "what cancels", "growth", "edges", "other statements", "normals"),
    # draws at another seed, before a fault is planted, and those whose aims a test leaves out
    *("least errors", "fewer aims"),
)
PART = RUN / len(PARTS)


def share(quantities: int, draws: int) -> float:
    """The level of one comparison: every quantity once at each case, and once over all cases of its claim."""
    return PART / (quantities * (draws + 1))
