"""What ties a claim's sides to what it says: the claim's quantities as propositions, and what a comparison found."""

from __future__ import annotations

from dataclasses import dataclass, field

from theorems.claims.catalogue import Statement
from theorems.kernel.catalogued import left_side, property_said, said
from theorems.statement.expression import StatementError
from theorems.statement.proposition import Proposition


@dataclass
class Binding:
    """How a claim's sides are held against what it says.

    ``derived`` and ``simulated`` are the author's mistakes, where a side is of another quantity; ``missing`` says what
    could not be compared, ``evidence`` what was seen equal.
    """

    derived: list[str] = field(default_factory=list)
    simulated: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    evidence: list[str] = field(default_factory=list)

    @property
    def faults(self) -> list[str]:
        """The author's mistakes of both sides."""
        return [*self.derived, *self.simulated]

    @property
    def bound(self) -> bool:
        """Whether both sides were compared with the statement, and are of its quantity."""
        return not self.faults and not self.missing

    def joined(self, other: Binding) -> Binding:
        """Both together."""
        return Binding(
            [*self.derived, *other.derived],
            [*self.simulated, *other.simulated],
            [*self.missing, *other.missing],
            [*self.evidence, *other.evidence],
        )


def quantities(claim: Statement) -> dict[str, Proposition]:
    """What a claim says of its quantities; of one of which nothing (readable) is printed, that it is 0.

    Of a claim about when properties hold they are the printed clauses, or the properties alone where a clause cannot be
    read.

    Raises StatementError for a quantity that is none.
    """
    assert claim.says is not None
    found = {}
    for name in claim.says.quantities:
        try:
            found[name] = said(claim, name)
        except StatementError:
            alone = property_said if claim.relation == "when" and name in claim.printed else left_side
            found[name] = alone(claim.says, name)
    return found


def line(error: BaseException) -> str:
    """An error's message in one line."""
    return " ".join(str(error).split()) or type(error).__name__
