"""Where a correction holds, as its page says it: each thing once."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from markupsafe import Markup

from proofs_check.claims.report import Claim, InCell
from proofs_check.report.site import formula, mathml, names
from proofs_check.report.telling import APART, sentences, sourced
from theorems.algebra.expressions import parse

#: What says again that the correction holds, the correction, where it stands beside it, or the cells of its limits.
_REPEATS = re.compile(r"^always\b|^everywhere$|^where |: what holds is |: limit |: the limit depends ")


def where(claim: Claim) -> str:
    """The further conditions under which a correction holds; "" where there are none."""
    return formula.sided(claim["correction"].get("where", "")) if claim["correction"] else ""


def condition(claim: Claim) -> Markup | None:
    """The same typeset."""
    told = names.written(where(claim), claim, generated=True)
    return mathml.sentence(told) if told else None


def lines(claim: Claim, slips: Sequence[str]) -> list[str]:
    """Where the correction holds, beside what the page says above; ``slips`` is what it says to be wrong."""
    told = [
        names.written(_difference(part, claim), claim, generated=True)
        for part in sentences(claim["correction"]["holds"] if claim["correction"] else "")
        if not _REPEATS.search(part) and not _known(part, claim, slips)
    ]
    return told + [sourced(cell, claim) for cell in _cells(claim)]


def _difference(part: str, claim: Claim) -> str:
    """A difference from the print in words, with the name of its quantity where several are printed."""
    apart = APART.fullmatch(part)
    if apart is None:
        return part
    of = f" of {names.label(apart[1])}" if len(claim["printed"]) > 1 else ""
    return f"the true value{of} less the printed one is {apart[2]}"


def _known(part: str, claim: Claim, slips: Sequence[str]) -> bool:
    """Whether a difference from the print is the correction itself, or the term that is missing."""
    apart = APART.fullmatch(part)
    if apart is None:
        return False
    return claim["printed"].get(apart[1]) == "0" or f"`{names.written(apart[2], claim)}`" in " ".join(slips)


def _cells(claim: Claim) -> Iterator[str]:
    """The limit wherever it is another one."""
    for cell in claim["correction"].get("cells", ()) if claim["correction"] else ():
        limit = f"is `{names.written(cell['limit'], claim)}`" if cell["limit"] else "depends on the sequence"
        printed = "as printed" if cell["agrees"] else f"printed `{names.written(cell['printed'], claim)}`"
        of = f" of {names.label(cell['quantity'])}" if len(claim["printed"]) > 1 else ""
        yield f"where {conditions(cell, claim)}, the limit{of} {limit}, {printed}"


def conditions(cell: InCell, claim: Claim) -> str:
    """Where a cell of a limit lies, without what its equations decide."""
    from sympy import solve

    # a comparison with 0 each
    parts = cell["where"].split(", ")
    equal = [parse(part.removesuffix(" = 0")) for part in parts if part.endswith(" = 0")]
    fixed: dict[Any, Any] = next(iter(solve(equal, dict=True)), {}) if equal else {}
    kept = [part for part in parts if part.endswith(" = 0") or not parse(part.rsplit(" ", 2)[0]).subs(fixed).is_number]
    return " and ".join(f"`{formula.sided(names.written(part, claim))}`" for part in kept)
