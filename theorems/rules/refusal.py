"""Why a step is not licensed, told to the author of the derivation."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

import sympy as sp

from theorems.algebra.expressions import symbol
from theorems.rules import RULES, load
from theorems.statement.reading.syntax import nearest

#: Longest value of a step's data that is shown.
SHOWN = 60


def refused(step: Any) -> str:
    """What is wrong with a step that its rule does not license, in a line: the rule, its data, or what it concludes."""
    load()
    check = RULES.get(step.rule)
    if check is None:
        return f"there is no rule {step.rule!r}{nearest(step.rule, tuple(RULES))}; docs/rules.md lists them"
    takes = list(inspect.signature(check).parameters.values())
    names = [one.name for one in takes]
    least = sum(one.default is one.empty and one.kind is not one.VAR_POSITIONAL for one in takes)
    most = len(step.data) if any(one.kind is one.VAR_POSITIONAL for one in takes) else len(takes)
    if not least <= len(step.data) <= most:
        return f"the rule {step.rule} takes ({', '.join(names)}), and {len(step.data)} are given"
    if odd := next((name for data in step.data for name in _assuming(data)), ""):
        return f"the symbol {odd} has assumptions of its own; make it with theorems.algebra.expressions.symbol"
    given = ", ".join(f"{name} = {_short(data)}" for name, data in zip(names, step.data, strict=False))
    try:
        if check(*step.data):
            return "what its rule asks for is not granted"
    except Exception as error:
        what = " ".join(f"{type(error).__name__}: {error}".split())
        return f"the rule {step.rule} cannot use {given}: {what}"
    says = " ".join((check.__doc__ or "").split()).split(" Trusted")[0]
    return f"the rule {step.rule} says: {says} That does not give this for {given}"


def _assuming(data: Any) -> list[str]:
    """Names of symbols that are not the plain ones."""
    if isinstance(data, sp.Basic | sp.MatrixBase):
        return [part.name for part in data.atoms(sp.Symbol) if part != symbol(part.name)]
    parts = (*data, *data.values()) if isinstance(data, Mapping) else data
    return [name for part in parts for name in _assuming(part)] if isinstance(parts, tuple | list | set) else []


def _short(data: Any) -> str:
    text = " ".join(str(data).split())
    return text if len(text) <= SHOWN else text[: SHOWN - 3] + "..."
