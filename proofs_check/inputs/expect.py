"""What a run is held to: a ``[verdicts]`` table in TOML, as ``twofold lock`` writes it, or an earlier JSON report.

Besides verdicts both may hold the derived values and the corrections.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from proofs_check.inputs.data import json_of
from proofs_check.inputs.errors import UsageError, did_you_mean, shown
from proofs_check.inputs.files import read_bytes
from theorems.claims.outside import toml_of

VERDICTS = ("verified", "refuted", "undecided", "conflict", "error")
CORRECTED = ".corrected"
#: Formulas that are compared besides the verdicts: their tables, and the words for one.
FORMULAS = {"exact": "the derived value", "corrections": "the correction", "clauses": "the corrected clause"}
#: From the least to the most.
EFFORTS = ("quick", "standard", "thorough")
_ARGUMENT = "--expect"


@dataclass(frozen=True)
class Difference:
    """A claim whose verdict, or the formula that ``what`` names, is not the expected; "" stands for none."""

    id: str
    expected: str
    got: str
    what: str = ""

    @property
    def sentence(self) -> str:
        """``<id>: expected refuted, got verified``."""
        if self.what:
            return f"{self.id}: expected {self.what} {self.expected or 'to be none'}, got {self.got or 'none'}"
        return f"{self.id}: expected {self.expected}, got {self.got or 'no verdict'}"


@dataclass(frozen=True)
class Expected:
    """Expected verdicts by id, formulas by table and id, and the effort they were found at ("" where not said)."""

    verdicts: Mapping[str, str]
    formulas: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    effort: str = ""

    def __len__(self) -> int:
        return len(self.verdicts)


def _parse(text: str, value: str) -> Any:
    is_json = value.endswith(".json") or (not value.endswith(".toml") and text.lstrip().startswith("{"))
    try:
        return json_of(text) if is_json else toml_of(text)
    except ValueError as error:
        raise UsageError(_ARGUMENT, value, f"valid {'JSON' if is_json else 'TOML'} ({error})") from None


def _reported(data: Mapping[str, Any], value: str) -> dict[str, Any]:
    """A JSON report as the tables of a lock."""
    # what is read here is the same in both
    if data.get("schema") not in (1, 2):
        raise UsageError(_ARGUMENT, value, f"a report with schema = 1 or 2; it has {shown(data.get('schema'))}")
    claims = data.get("claims")
    if not isinstance(claims, list):
        raise UsageError(_ARGUMENT, value, "a report with a list `claims`", "use a file that --json wrote")
    found: dict[str, Any] = {}
    for number, claim in enumerate(claims):
        if not isinstance(claim, dict) or not isinstance(claim.get("id"), str) or "verdict" not in claim:
            raise UsageError(_ARGUMENT, value, f"a report whose claims have id and verdict; claims[{number}] has not")
        if claim["id"] in found:
            raise UsageError(_ARGUMENT, value, f"a report with each claim once; {claim['id'][:60]!r} stands twice")
        found[claim["id"]] = claim["verdict"]
    run = data.get("run")
    return {
        "verdicts": found,
        **{table: formulas(claims, table) for table in FORMULAS},
        "made": {"effort": run.get("effort", "") if isinstance(run, dict) else ""},
    }


def formulas(claims: Iterable[Mapping[str, Any]], table: str) -> dict[str, str]:
    """The derived values ("exact"), the corrections, or what holds where it is no formula ("clauses"), by id."""
    parts = {"exact": ("symbolic", "exact"), "corrections": ("correction", "sympy"), "clauses": ("correction", "holds")}
    part, name = parts[table]
    found = {}
    for claim in claims:
        holder = claim.get(part)
        told = holder if isinstance(holder, Mapping) else {}
        formula = told.get(name)
        if isinstance(formula, str) and (table != "clauses" or told.get("sympy") is None):
            found[claim["id"]] = formula
    return found


def read(value: str, known: Collection[str], selected: Collection[str]) -> Expected:
    """What is expected of the selected claims and their corrections.

    ``known`` are the ids of the catalogue, ``selected`` those of this run. Raises UsageError for a file that cannot
    be read or used: an id that is in no catalogue, a verdict that is none, or not one selected claim.
    """
    try:
        text = read_bytes(_ARGUMENT, value, "a readable TOML or JSON file").decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UsageError(_ARGUMENT, value, "a TOML or JSON file in UTF-8") from None
    data = _parse(text, value)
    if not isinstance(data, dict):
        raise UsageError(_ARGUMENT, value, "a table of verdicts", 'write [verdicts] and "<id>" = "<verdict>" lines')
    if "verdicts" not in data and ("schema" in data or "claims" in data):
        data = _reported(data, value)
    verdicts = data.get("verdicts")
    if not isinstance(verdicts, dict):
        raise UsageError(
            _ARGUMENT, value, "a [verdicts] table or a report of an earlier run", 'write "<id>" = "<verdict>" lines'
        )
    for name, verdict in verdicts.items():
        if name.removesuffix(CORRECTED) not in known:
            raise UsageError(_ARGUMENT, value, f"ids of claims; {name[:60]!r} is none", did_you_mean(name, known))
        if not isinstance(verdict, str) or verdict not in VERDICTS:
            raise UsageError(_ARGUMENT, value, f"{name} to be one of {', '.join(VERDICTS)}; it is {shown(verdict)}")
    chosen = {name: verdict for name, verdict in verdicts.items() if name.removesuffix(CORRECTED) in selected}
    if not chosen:
        raise UsageError(_ARGUMENT, value, "a verdict for one selected claim at least", "select a claim that it names")
    held = {table: _formulas(data, table, value) for table in FORMULAS if table in data}
    made = data.get("made")
    effort = made.get("effort", "") if isinstance(made, dict) else ""
    if effort not in ("", *EFFORTS):
        raise UsageError(_ARGUMENT, value, f"made.effort to be one of {', '.join(EFFORTS)}; it is {shown(effort)}")
    return Expected(chosen, held, effort)


def _formulas(data: Mapping[str, Any], table: str, value: str) -> dict[str, str]:
    found = data[table]
    if not isinstance(found, dict) or not all(isinstance(formula, str) for formula in found.values()):
        raise UsageError(_ARGUMENT, value, f"[{table}] with a formula for each id", "let `twofold lock` write it")
    return found


def differences(
    expected: Expected, claims: Sequence[Mapping[str, Any]], partial: bool, effort: str = ""
) -> list[Difference]:
    """Where verdicts and formulas are not the expected ones.

    A partial run is not held to the claims it did not reach. A run at a lower effort than the expectation's may leave
    open what that decided, for it sees less.
    """
    got = {claim["id"]: claim["verdict"] for claim in claims}
    lower = "" not in (effort, expected.effort) and EFFORTS.index(effort) < EFFORTS.index(expected.effort)
    differs = [
        Difference(name, verdict, got.get(name, ""))
        for name, verdict in expected.verdicts.items()
        if got.get(name, verdict if partial else "") != verdict and not (lower and got.get(name) == "undecided")
    ]
    for table, wanted in expected.formulas.items():
        found = formulas(claims, table)
        for name in got:
            one, other = wanted.get(name, ""), found.get(name, "")
            # what was expected to stand beside a verdict that changed is told with the verdict
            if name in expected.verdicts and got[name] == expected.verdicts[name] and not _same(one, other):
                differs.append(Difference(name, one, other, FORMULAS[table]))
    return differs


def _same(one: str, other: str) -> bool:
    """Whether two formulas are seen to be one expression; a new release may only write it in another way."""
    if one == other or not (one and other):
        return one == other
    from theorems.algebra.agreement import agree
    from theorems.algebra.expressions import ExpressionError, parse

    try:
        return agree(parse(one), parse(other)) is True
    except ExpressionError:
        return False
