"""What the kernel hands out: the outcome of a claim, and its steps as they were found."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import sympy as sp


@dataclass(frozen=True)
class CheckedStep:
    """A step as it was found: its words, the rule it names, and whether the rule licenses it."""

    text: str
    rule: str
    ok: bool


@dataclass(frozen=True)
class Trusted:
    """What a derivation takes on trust by a rule that it uses, and where that is from, if it is from anywhere.

    A ``foreign`` rule is not one of the kernel's: its source is the module that it stands in.
    """

    rule: str
    what: str
    source: str = ""
    foreign: bool = False


@dataclass(frozen=True)
class Conclusion:
    """What a derivation comes to: quantity = value; where a limit is taken, (quantity)/over = limit + remainder."""

    quantity: str
    value: str
    over: str = ""
    limit: str = ""
    remainder: str = ""


@dataclass
class Outcome:
    """What the kernel found for one claim; ``exact`` and ``corrections`` are expressions in the claim's symbols.

    ``excluded`` are conditions under which alone the corrections are stated ("theta != 1/2"). ``suffices`` names the
    properties whose correction is a sufficient condition, not an equivalent one. ``trusted`` is what the steps' rules
    take on trust.
    """

    status: Literal["proved", "disproved", "checked", "undecided", "none"]
    method: str
    steps: list[CheckedStep] = field(default_factory=list)
    evidence: list[str] = field(default_factory=list)
    exact: sp.Expr | None = None
    corrections: dict[str, sp.Expr] = field(default_factory=dict)
    false_quantities: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    suffices: tuple[str, ...] = ()
    trusted: tuple[Trusted, ...] = ()
    conclusions: list[Conclusion] = field(default_factory=list)
