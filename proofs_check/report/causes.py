"""Which refuted claims are wrong by themselves, and which inherit the error of another.

Computed from what each claim rests on: an error goes on to a claim that rests directly on a refuted one, unless the
refuted one is wrong in terms of lower order alone and the claim is wrong in a limit or to leading order, which these do
not reach, or is exact for a start of the walk for which the claim is not, or the claim is false for the right object in
the place of the printed one, too, as its variants say. A variant puts right what a claim is about and not the steps of
its proof, whose errors still reach it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from proofs_check.claims.report import Claim
from proofs_check.inputs.expect import CORRECTED

#: What no statement of a paper is: its steps, and what its captions define.
UNSTATED = ("proof-step", "definition")


@dataclass(frozen=True)
class Cause:
    """A refuted claim with an error of its own, and the refuted claims that inherit it, in the report's order.

    ``lower``: the print is right to leading order, under the law that the claim states. ``beside`` are refuted claims
    that have no error but this one: the same formula at another place.
    """

    id: str
    lower: bool
    heirs: tuple[str, ...]
    beside: tuple[str, ...] = ()

    @property
    def own(self) -> tuple[str, ...]:
        """The claims that have the error by themselves."""
        return (self.id, *self.beside)


def causes(claims: Sequence[Claim]) -> list[Cause]:
    """The causes of what is refuted, the gravest first.

    An error of lower order weighs least; else one weighs as many claims as have it, steps of proofs and definitions
    only among equals. Of these the paper's own words come before a reading of them, and then that on which most rests.
    """
    refuted = {claim["id"]: claim for claim in claims if _refuted(claim)}
    roots = {name: _roots(name, refuted) for name in refuted}
    found = [
        Cause(name, of_lower_order(claim), tuple(other for other in refuted if other != name and name in roots[other]))
        for name, claim in refuted.items()
        if name in roots[name]
    ]
    resting = Counter(below for claim in claims for below in claim["rests_on_refuted"])

    def weight(cause: Cause) -> tuple[bool, int, bool, int, int]:
        claim = refuted[cause.id]
        stated = sum(refuted[name]["kind"] not in UNSTATED for name in (cause.id, *cause.heirs))
        return cause.lower, -stated, claim["fidelity"] != "verbatim", -resting[cause.id], -len(cause.heirs)

    return sorted(_gathered(found, refuted), key=weight)


def _gathered(found: Sequence[Cause], refuted: Mapping[str, Claim]) -> list[Cause]:
    """The causes with those of one error as one: equal in print, correction and heirs."""
    groups: dict[object, list[Cause]] = {}
    for cause in found:
        claim = refuted[cause.id]
        right = claim["correction"]["latex"] if claim["correction"] else ""
        formula = (tuple(claim["printed"].values()), right) if right else cause.id
        groups.setdefault((cause.heirs, formula), []).append(cause)
    return [replace(first, beside=tuple(one.id for one in more)) for first, *more in groups.values()]


def inherited(claims: Sequence[Claim]) -> Mapping[str, tuple[str, ...]]:
    """The causes of each refuted claim that has no error of its own that is known."""
    refuted = {claim["id"]: claim for claim in claims if _refuted(claim)}
    found = {name: _roots(name, refuted) for name in refuted}
    return {name: causes for name, causes in found.items() if name not in causes}


def of_lower_order(claim: Claim) -> bool:
    """Whether the claim is refuted, and its print is wrong in terms of lower order alone."""
    starts = claim["starts"]
    return claim["verdict"] == "refuted" and bool(starts) and starts[0]["leading"] and not starts[0]["exact"]


def _refuted(claim: Claim) -> bool:
    return claim["verdict"] == "refuted" and not claim["id"].endswith(CORRECTED)


def _in_leading_terms(claim: Claim) -> bool:
    """Whether the print is wrong in a limit, or to leading order: more than an error of lower order can do."""
    given, starts = claim["counterexample"], claim["starts"]
    return bool(given and given.get("limit")) or bool(starts and not starts[0]["leading"])


def _exact_beyond(other: Claim, claim: Claim) -> bool:
    """Whether a print is exact for a start of the walk for which another one is not: it gives that no error there."""
    exact = [{start["start"] for start in one["starts"] if start["exact"]} for one in (other, claim)]
    return bool(other["starts"] and claim["starts"] and exact[0] - exact[1])


def _roots(name: str, refuted: Mapping[str, Claim], path: tuple[str, ...] = ()) -> tuple[str, ...]:
    """The claims whose own errors a refuted claim has: itself where none of those that it rests on reaches it."""
    claim = refuted[name]
    wrong_anyhow = any(variant["holds"] is False for variant in claim["variants"])
    reaching = [
        other
        for other in claim["depends_on"]
        if other in refuted
        and other not in path
        and not (wrong_anyhow and refuted[other]["kind"] != "proof-step")
        and not (of_lower_order(refuted[other]) and _in_leading_terms(claim))
        and not _exact_beyond(refuted[other], claim)
    ]
    found = [root for other in reaching for root in _roots(other, refuted, (*path, name))]
    return tuple(dict.fromkeys(found)) or (name,)
