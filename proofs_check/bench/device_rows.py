"""The GPU's rows of the bench: each tier and program timed, beside its ceiling."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from proofs_check.bench import device, device_joint


def rows(sizes: Sequence[tuple[int, int]], tiers: Sequence[str] = ("fused", "joint")) -> list[dict[str, Any]]:
    """A row for each size, tier and program; where there is no GPU each says that it was not measured, and why."""
    why = device.missing()
    found = []
    for T, d in sizes:
        for tier, approximate in ((tier, approximate) for tier in tiers for approximate in (False, True)):
            name = f"{tier}, GPU" + (", approximate" if approximate else "")
            row = {
                "name": name,
                "kind": "gpu",
                "T": T,
                "d": d,
                "status": f"{device.NOT_MEASURED}: {why}",
                "ceiling": None,
            }
            if why is None:
                try:
                    row |= device.timed(tier, T, d, approximate)
                    if tier == "joint":
                        row["ceiling"] = device_joint.ceiling(T, d, approximate)
                    elif approximate:
                        row["ceiling"] = device.ceiling(d)
                except Exception as error:
                    row["status"] = f"failed: {type(error).__name__}: {str(error)[:200]}"
            found.append(row)
    return found
