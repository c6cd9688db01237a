"""What the kernel hands out: the outcome of a claim, and its steps as they were found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
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


@dataclass(frozen=True)
class Grows:
    """``of`` is of order T^exponent for all matrices where it is ``given``, and of no lower one for an example."""

    quantity: str
    of: str
    given: str
    exponent: str
    attained: str

    def __str__(self) -> str:
        where = f" with {self.given}" if self.given else ""
        order = f"of order T^({self.exponent}) for all matrices{where}"
        return f"{self.quantity}: {self.of} is {order}, attained for {self.attained}"


@dataclass(frozen=True)
class InCell:
    """The limit of a quantity where signs are as said, "" where it depends on the sequence, beside the printed one."""

    quantity: str
    where: str
    limit: str
    printed: str
    agrees: bool

    def __str__(self) -> str:
        limit = f"limit {self.limit}" if self.limit else "the limit depends on the sequence"
        return f"{self.quantity}: {self.where}: {limit}, {'as printed' if self.agrees else f'printed {self.printed}'}"


@dataclass(frozen=True)
class Between:
    """Values that are enclosed by certified ends at an instance, in a unit."""

    params: Mapping[str, str]
    unit: str
    ends: Mapping[str, tuple[Fraction, Fraction]]

    def __str__(self) -> str:
        where = ", ".join(f"{name} = {value}" for name, value in self.params.items())
        told = (f"{name} in [{float(low):.7f}, {float(high):.7f}]" for name, (low, high) in self.ends.items())
        return f"{where}, units of {self.unit}: {', '.join(told)}"


@dataclass
class Outcome:
    """What the kernel found for one claim; ``exact`` and ``corrections`` are expressions in the claim's symbols.

    ``excluded`` are conditions under which alone the corrections are stated ("theta != 1/2"). ``suffices`` names the
    properties whose correction is a sufficient condition, not an equivalent one. ``trusted`` is what the steps' rules
    take on trust. ``orders``, ``cells``, ``boundaries`` and ``attained`` are the data of what ``evidence`` says: by
    property the equations at which alone its clause is false, and the least value that there is for every T >= 2.
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
    orders: list[Grows] = field(default_factory=list)
    cells: list[InCell] = field(default_factory=list)
    boundaries: dict[str, tuple[str, ...]] = field(default_factory=dict)
    attained: sp.Expr | None = None
