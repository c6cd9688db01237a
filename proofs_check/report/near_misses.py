"""For each rule of the kernel a step that it refuses: one of a shipped derivation with one of its parts changed.

They are computed from the derivations of all claims and kept in a file, which the pages read::

    python -m proofs_check.report.near_misses
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import sympy as sp

from theorems.algebra.ratio import Ratio
from theorems.gaussian.process import Step
from theorems.rules import ABOUT, CONCLUSION, licensed

FILE = Path(__file__).with_suffix(".json")
#: Steps of a rule that are tried, those with the shortest words first.
TRIED = 4


class NearMiss(msgspec.Struct):
    """What a refused step says, and the claim with whose letters it is written."""

    claim: str
    text: str


@cache
def near_misses() -> dict[str, NearMiss]:
    """The refused step of each rule that has one in words."""
    return msgspec.json.decode(FILE.read_bytes(), type=dict[str, NearMiss])


def refused(step: Step) -> str:
    """The words of the step with one part changed so that its rule refuses it; "" where none is found."""
    for place in _places(step):
        above = f"<= {{{place}}}" in step.words and f"{{{place}}} <=" not in step.words
        for part in _changed(step.data[place], above):
            other = replace(step, data=(*step.data[:place], part, *step.data[place + 1 :]))
            if other.text != step.text and not licensed(other):
                return other.text
    return ""


def _places(step: Step) -> Iterator[int]:
    """The parts that the words name, the conclusion first."""
    named = [place for place in range(len(step.data)) if f"{{{place}}}" in step.words]
    about = ABOUT[step.rule].concludes if step.rule in ABOUT else None
    conclusion = CONCLUSION.get(step.rule) if about is None else about
    yield from sorted(named, key=lambda place: (place != conclusion, -place))


def _changed(part: Any, above: bool) -> Iterator[Any]:
    """Half as much of what bounds from above, twice as much of others; one more, and the other sign."""
    if isinstance(part, Ratio):
        yield part + part
    elif isinstance(part, sp.Expr):
        yield from (other for other in (part / 2 if above else 2 * part, part + 1, -part) if other != part)


def found() -> dict[str, NearMiss]:
    """The refused steps, computed from the derivations of all claims."""
    from theorems.claims.catalogue import with_sides
    from theorems.kernel.deriving import derive

    steps: dict[str, dict[str, tuple[str, Step]]] = {}
    for claim in with_sides():
        try:
            derived = derive(claim.id, claim.positions)
        except LookupError:
            continue
        for step in derived.steps:
            steps.setdefault(step.rule, {}).setdefault(step.text, (claim.id, step))
    told = {}
    for rule, of in sorted(steps.items()):
        shortest = sorted(of, key=len)[:TRIED]
        near = (NearMiss(of[text][0], refused(of[text][1])) for text in shortest)
        if first := next((one for one in near if one.text), None):
            told[rule] = first
    return told


def main() -> None:
    """Write the file anew."""
    rows = {rule: msgspec.structs.asdict(one) for rule, one in found().items()}
    FILE.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    print(f"{len(rows)} rules have a step that they refuse")


if __name__ == "__main__":
    main()
