"""The printed lines of a proof that are statements, or claims of their own: whether each holds, and whose error counts.

The error of a line that is a claim reaches the conclusion where every claim between the two, by what each rests on, is
refuted, too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from proofs_check.claims.report import Claim, Line
from proofs_check.statements.judging import both_sides
from theorems.claims.catalogue import ProofLine, Statement
from theorems.kernel.catalogued import line_said, said_texts
from theorems.statement.deciding.decide import decide, derivation_of
from theorems.statement.expression import StatementError
from theorems.statement.latex import statement_latex
from theorems.statement.proofs import proved
from theorems.statement.proposition import Proposition
from theorems.statement.prose import assumed

#: Whether what has a verdict holds.
VERDICTS = {"verified": True, "refuted": False}


def stated_lines(claim: Statement, seed: int, every: bool = False) -> list[Line]:
    """The lines of a claim's printed proof, each statement judged; claims among them are left to ``mark``.

    Lines about derived quantities are left to the derivation, unless ``every`` line is asked for.
    """
    return [_stated(line, claim, seed) for line in claim.lines if line.says or line.claim or every]


def beyond(claim: Statement, seed: int) -> list[Line]:
    """The statements of ours beside a claim's print, judged on both sides as claims are, with all that they assume."""
    rows = []
    for line in claim.beyond:
        prop = line_said(line, claim)
        found = both_sides(prop, f"{claim.id}:{line.label}", "quick", seed, "cpu", 1)
        row = _row(line) | {"latex": statement_latex(prop), "holds": VERDICTS.get(found.verdict[0])}
        rows.append(row | {"said": assumed(prop), "power": found.power})
    return rows


def _row(line: ProofLine) -> Line:
    return {
        "label": line.label,
        "where": line.where,
        "printed": line.says or line.printed,
        "derived": "",
        "holds": None,
        "reaches": False,
    }


def _stated(line: ProofLine, claim: Statement, seed: int) -> Line:
    row = _row(line)
    if line.claim:
        row["claim"] = line.claim
        return row
    prop = line_said(line, claim)
    row["latex"] = statement_latex(prop)
    row["holds"] = holds(prop, f"{claim.id}:{line.label}", seed)
    return row


def holds(prop: Proposition, key: str, seed: int) -> bool | None:
    """Whether a statement is proved or refuted; None where it is neither."""
    if decide(prop, derivation_of(prop)).status == "proved" if prop.random else proved(prop) is not None:
        return True
    return VERDICTS.get(both_sides(prop, key, "quick", seed, "cpu", 1).verdict[0])


def mark(report: Claim, table: Mapping[str, Statement], standing: Callable[[str], bool | None]) -> None:
    """Write into a claim's report which lines of its proof that are claims hold, and what follows from that.

    ``standing`` says of a claim whether it holds; None where it is neither proved nor refuted.
    """

    def refuted(name: str) -> bool:
        return standing(name) is False

    proof, ways = report["proof"], _reaching(table[report["id"]], table, refuted)
    for line in proof["lines"]:
        if not line.get("claim"):
            continue
        statement = table.get(line["claim"])
        if statement is None:
            line["printed"] = line["claim"]
            continue
        try:
            line["printed"] = "; ".join(said_texts(statement, name)[0] for name in statement.printed)
        except StatementError:
            # it stands in words, or cannot be read
            line["printed"] = statement.quantity or statement.id
        line["latex"] = statement.statement
        line["holds"] = standing(statement.id)
        line["reaches"] = report["verdict"] == "refuted" and statement.id in ways
    proof["first_false"] = next((line["label"] for line in proof["lines"] if line["holds"] is False), None)
    proof["first_reaching"] = next((line["label"] for line in proof["lines"] if line["reaches"]), None)


def _reaching(claim: Statement, table: Mapping[str, Statement], refuted: Callable[[str], bool]) -> set[str]:
    """The refuted claims from which a path of refuted ones leads to a claim that rests on them."""
    found: set[str] = set()
    queue = [claim]
    while queue:
        new = {name for name in queue.pop().depends_on if name in table and name not in found and refuted(name)}
        found |= new
        queue += [table[name] for name in new]
    return found
