"""A derivation in the form of a proof: each argument once, with what it gives.

What the kernel's log has twice, and sums within an expectation over an index of the engine's own, are left to the log,
which stands folded under the proof.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from proofs_check.claims.report import Claim
from proofs_check.report.near_misses import near_misses
from proofs_check.report.site import formula, mathml, names, prose
from theorems.rules import ABOUT

if TYPE_CHECKING:
    from proofs_check.report.site.view import Entry

_SUM = re.compile(r"sum over (.+?) < (\w+) <= (.+?) of (.+)")
#: A sum over an index of the engine's own.
_INNER = re.compile(r"sum over \S+ < _")
_RELATION = re.compile(r" (=|<=|<|>=|>) ")


@dataclass
class Part:
    """A stretch of a proof: its rule, what that says, and what it gives here."""

    rule: str
    says: Markup | None
    rows: list[Markup] = field(default_factory=list)

    @property
    def named(self) -> Markup:
        """The rule as it is shown: one that is named by a formula has that typeset."""
        return mathml.sentence(self.rule)


def parts(claim: Claim) -> list[Part]:
    """The proof of a claim, by its arguments; empty where its derivation has no steps or one that fails."""
    proof = claim["proof"]
    if not all(step["ok"] for step in proof["steps"]):
        return []
    says = proof.get("rules", {})
    found: dict[str, Part] = {}

    def written(text: str) -> str:
        return names.written(text, claim, generated=True)

    for text, rule in dict.fromkeys((step["text"], step["rule"]) for step in proof["steps"]):
        if not _INNER.match(text):
            part = found.setdefault(rule, Part(rule, mathml.sentence(says[rule]) if says.get(rule) else None))
            part.rows.append(_row(text, written))
    return list(found.values())


def conclusions(claim: Claim) -> list[Markup]:
    """What the derivation comes to: each quantity with its value, and with its limit and what is left of it."""
    found = []
    for one in claim["proof"].get("concludes", []):
        head = names.quantity(one["quantity"], claim)
        limit = names.limit_of(claim)
        value = _right(r"\to" if limit else "=", names.written(one["value"], claim))
        found.append(Markup("{} {}{}").format(head, value, mathml.sentence(f" as {limit}") if limit else ""))
        if one["limit"]:
            over = Markup("{}/{}").format(head, mathml.expression(one["over"], False)) if one["over"] != "1" else head
            limit, rest = (mathml.expression(names.written(one[key], claim)) for key in ("limit", "remainder"))
            found.append(Markup("{} {} {} + ({})").format(over, mathml.shown("="), limit, rest))
    return found


def _row(text: str, written: Callable[[str], str]) -> Markup:
    """A step as one relation between two formulas where it is one, which lines may break; else as a sentence."""
    summed = _SUM.fullmatch(text)
    sides = _RELATION.split(summed[4] if summed else text)
    latex = [_latex(written(side)) for side in sides[::2]]
    if len(sides) != 3 or None in latex:
        return mathml.sentence(written(text))
    left = str(latex[0])
    if summed:
        bounds = [_latex(written(summed[place])) for place in (1, 2, 3)]
        body = rf"\left({left}\right)" if " + " in sides[0] or " - " in sides[0] else left
        left = rf"\sum_{{{bounds[0]} < {bounds[1]} \leq {bounds[2]}}} {body}"
    pieces = [left] if summed else prose.lines(left)
    shown = [mathml.converted(piece, True) for piece in pieces]
    if None in shown:
        return mathml.sentence(written(text))
    return Markup("{} {}").format(Markup(" ").join(map(Markup, shown)), _right(sides[1], written(sides[2])))


def _right(relation: str, text: str) -> Markup:
    sign = {"<=": r"\leq", ">=": r"\geq"}.get(relation, relation)
    return Markup("{} {}").format(mathml.shown(sign), mathml.expression(text))


def _latex(text: str) -> str | None:
    """A formula of the report or of a sentence as LaTeX; None where it is none."""
    return formula.latex(text) or prose.whole(text)


def _said(text: str, says: str) -> str:
    told = re.sub(r"^[. ]*(Trusted[:;] )?|\bTrusted[:;] (?=this )", "", text.removeprefix(says))
    told = re.sub(r"(?<=\. )Trusted[:;] (\w)", lambda found: found[1].upper(), told)
    # beside what the argument says it is not named again
    return re.sub(r"(?<=\.) this argument\.$", "", told)


def rules(entries: Sequence[Entry]) -> list[dict[str, Any]]:
    """The rules that the claims' proofs use: what each says, takes on trust, accepts and refuses, and who uses it."""
    found: dict[str, dict[str, Any]] = {}
    for entry in entries:
        claim = entry.claim
        trusted = {one["rule"]: one for one in claim["symbolic"].get("trusted", [])}
        for name, says in claim["proof"].get("rules", {}).items():
            rule = found.setdefault(
                name, {"name": name, "says": mathml.sentence(says), "example": None, "refused": None, "users": []}
            )
            trust = trusted.get(name)
            # of a rule that is an argument as a whole the first sentence stands above
            rule["trusted"] = mathml.sentence(_said(trust["what"], says)) if trust else None
            needs = ABOUT[name].needs if name in ABOUT else ()
            rule["needs"] = mathml.sentence(", ".join(needs)) if needs and not callable(needs) else None
            rule["source"] = trust["source"] if trust else ""
            rule["users"].append(entry)
        for part in parts(claim):
            if part.rule in found:
                found[part.rule]["example"] = min(filter(None, (found[part.rule]["example"], *part.rows)), key=len)
    table = {entry.id: entry.claim for entry in entries}
    for name, near in near_misses().items():
        if name in found:
            found[name]["refused"] = _row(near.text, partial(_written, claim=table.get(near.claim)))
    return [found[name] for name in sorted(found)]


def _written(text: str, claim: Claim | None) -> str:
    """A formula in the letters of a claim's paper, where the report has that claim."""
    return names.written(text, claim, generated=True) if claim else text
