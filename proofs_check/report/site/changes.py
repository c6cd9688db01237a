"""What changed between two reports: verdicts, corrections, derived values, power, and what is new or gone."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from proofs_check.claims.report import Claim, Report
from proofs_check.report.site.numbers import number

#: What is compared of a claim, in the order told.
FIELDS = ("verdict", "printed", "correction", "holds", "exact", "detectable")
#: Power that moves by less than this share of itself is the same.
STEADY = 0.02
_RUN = ("seed", "effort", "device", "alpha", "partial")


@dataclass(frozen=True)
class Change:
    """One thing that changed: the claim, what of it, and both values, None where there is none.

    ``field`` is one of FIELDS, or ``added`` or ``removed`` with the verdict as value.
    """

    id: str
    field: str
    before: str | None
    after: str | None

    @property
    def sentence(self) -> str:
        """``<id>: verdict refuted -> verified``."""
        if self.field in ("added", "removed"):
            return f"{self.id}: {self.field}, {self.after or self.before}"
        return f"{self.id}: {self.field} {self.before or 'none'} -> {self.after or 'none'}"


@dataclass(frozen=True)
class Diff:
    """The changes of claims, in the order of the later report, and what differs between the runs' settings."""

    changes: tuple[Change, ...]
    settings: dict[str, tuple[str, str]] = field(default_factory=dict)
    partial: bool = False

    @property
    def verdicts(self) -> tuple[Change, ...]:
        """The changes of verdicts; claims that are new or gone included."""
        return tuple(change for change in self.changes if change.field in ("verdict", "added", "removed"))

    @property
    def others(self) -> tuple[Change, ...]:
        """The other changes."""
        return tuple(change for change in self.changes if change not in self.verdicts)

    def data(self) -> dict[str, Any]:
        """The diff in JSON's own types."""
        return {
            "schema": 1,
            "changes": [asdict(change) for change in self.changes],
            "settings": {name: list(pair) for name, pair in self.settings.items()},
            "partial": self.partial,
        }

    def lines(self) -> list[str]:
        """The diff for a terminal: verdicts first, then the rest, then the settings, and one sentence."""
        told = [change.sentence for change in self.verdicts]
        told += [change.sentence for change in self.others]
        told += [f"run: {name} {before} -> {after}" for name, (before, after) in self.settings.items()]
        count = len({change.id for change in self.changes})
        if not self.changes:
            end = "No claim changed."
        else:
            end = f"{count} claim{'s' * (count != 1)} changed, {len({c.id for c in self.verdicts})} in verdict."
        if self.partial:
            end += " One of the runs was interrupted: claims that it did not reach are not compared."
        return [*told, end]


def _read(claim: Claim) -> dict[str, str | None]:
    correction = claim["correction"]
    detectable = claim["simulation"]["detectable"]
    return {
        "verdict": claim["verdict"],
        "printed": "; ".join(f"{name} = {text}" for name, text in claim["printed"].items()) or None,
        "correction": (correction["sympy"] or correction["latex"] or None) if correction else None,
        "holds": (correction["holds"] or None) if correction else None,
        "exact": claim["symbolic"]["exact"],
        "detectable": None if detectable is None else number(float(detectable)),
    }


def _moved(name: str, before: str | None, after: str | None) -> bool:
    if name != "detectable" or before is None or after is None:
        return before != after
    try:
        one, two = float(before), float(after)
    except ValueError:
        return before != after
    return abs(one - two) > STEADY * max(abs(one), abs(two))


def diff(a: Report, b: Report) -> Diff:
    """What changed from report ``a`` to report ``b``."""
    first = {claim["id"]: claim for claim in a["claims"]}
    second = {claim["id"]: claim for claim in b["claims"]}
    runs = a["run"], b["run"]
    found: list[Change] = []
    for name, claim in second.items():
        if name not in first:
            # an interrupted run says nothing of the claims that it did not reach
            if not runs[0]["partial"]:
                found.append(Change(name, "added", None, claim["verdict"]))
            continue
        old, new = _read(first[name]), _read(claim)
        found += [Change(name, part, old[part], new[part]) for part in FIELDS if _moved(part, old[part], new[part])]
    if not runs[1]["partial"]:
        found += [Change(name, "removed", first[name]["verdict"], None) for name in first if name not in second]
    one, two = ({name: str(value) for name, value in run.items()} for run in runs)
    settings = {name: (one[name], two[name]) for name in _RUN if one[name] != two[name]}
    versions = runs[0]["versions"], runs[1]["versions"]
    for name in sorted({*versions[0], *versions[1]}):
        pair = versions[0].get(name, "none"), versions[1].get(name, "none")
        if pair[0] != pair[1]:
            settings[name] = pair
    return Diff(tuple(found), settings, bool(runs[0]["partial"] or runs[1]["partial"]))
