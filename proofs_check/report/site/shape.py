"""A report brought into the shape that the pages rely on, whatever parts of it are missing or of another kind."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

Claim = dict[str, Any]

_STEP = {"text": "", "rule": "", "ok": True}
_LINE = {"label": "", "where": "", "printed": "", "derived": "", "holds": True, "reaches": False}
_CASE: dict[str, Any] = {
    "params": {},
    "quantity": "",
    "printed": None,
    "derived": None,
    "estimate": None,
    "low": None,
    "high": None,
    "samples": 0,
    "z": None,
}
_VARIANT: dict[str, Any] = {
    "name": "",
    "holds": None,
    "evidence": [""],
    "verdict": "error",
    "reason": "",
    "symbolic": {"status": "none", "method": ""},
    "simulation": {"status": "none", "samples": 0, "cases": 0, "detectable": None, "power": ""},
}
_TRUSTED = {"rule": "", "what": "", "source": ""}
_CLAIM: dict[str, Any] = {
    "id": "",
    "verdict": "error",
    "reason": "",
    "paper": {"id": "", "version": ""},
    "where": "",
    "kind": "",
    "fidelity": "",
    "statement": "",
    "reading": "",
    "assumptions": [""],
    "quantity": "",
    "symbols": [""],
    "printed": {},
    "symbolic": {"status": "none", "method": "", "evidence": [""], "exact": None, "trusted": [_TRUSTED]},
    "simulation": {
        "status": "none",
        "samples": 0,
        "cases": 0,
        "max_z": None,
        "p_value": None,
        "detectable": None,
        "tier": "",
        "power": "",
        "trusted": [""],
    },
    "counterexample": None,
    "correction": None,
    "decoys": {"caught": 0, "of": 0},
    "proof": {"steps": [_STEP], "lines": [_LINE], "first_false": None, "first_reaching": None},
    "starts": [{"start": "", "exact": False, "leading": False}],
    "variants": [_VARIANT],
    "cases": [_CASE],
    "depends_on": [""],
    "rests_on_refuted": [""],
    "seconds": 0.0,
    "replay": "",
    "traceback": None,
}
_EXAMPLE: dict[str, Any] = {"params": {}, "printed": None, "true": None}
#: Of a limit what the pages show: where it is, and its numbers.
_LIMIT: dict[str, Any] = {
    "at": "limit",
    **dict.fromkeys(("printed", "derived", "estimate", "low", "high", "z")),
}
_CORRECTION = {"latex": "", "sympy": None, "holds": ""}
_RUN: dict[str, Any] = {
    "seed": 0,
    "device": "",
    "dtype": "",
    "effort": "",
    "versions": {},
    "seconds": 0.0,
    "alpha": 0.0,
    "partial": False,
    "ledger": [{"id": "", "alpha": 0.0, "spent": 0.0}],
    "trusted": 0,
    "command": [""],
}


def _like(value: Any, model: Any) -> Any:
    """The value where it is of the model's kind, with the model's parts; else the model, lists of it empty."""
    if isinstance(model, dict):
        given = {str(key): part for key, part in value.items()} if isinstance(value, Mapping) else {}
        return {**given, **{key: _like(given.get(key), part) for key, part in model.items()}}
    if isinstance(model, list):
        wanted = dict if isinstance(model[0], dict) else str
        return [_like(part, model[0]) for part in value if isinstance(part, wanted)] if _listed(value) else []
    if model is None:
        return value if value is None or isinstance(value, (str, int, float)) else str(value)
    if isinstance(model, bool):
        return value if isinstance(value, bool) else model
    if isinstance(model, str):
        return value if isinstance(value, str) else model
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    finite = number and not (isinstance(value, float) and not math.isfinite(value))
    return value if finite else model


def _listed(value: Any) -> bool:
    return isinstance(value, (list, tuple))


def claim_of(value: Any) -> Claim:
    """One claim with every part that the pages read."""
    found: Claim = _like(value, _CLAIM)
    found["printed"] = {str(key): str(text) for key, text in found["printed"].items()}
    for key, model in (("counterexample", _EXAMPLE), ("correction", _CORRECTION)):
        given = value.get(key) if isinstance(value, Mapping) else None
        found[key] = _like(given, model) if isinstance(given, Mapping) else None
    if found["counterexample"] is not None:
        for name in ("limit", "finite"):
            text = found["counterexample"].get(name)
            found["counterexample"][name] = text if isinstance(text, str) else ""
    for case in found["cases"]:
        case["params"] = case["params"] if isinstance(case["params"], dict) else {}
        case["limit"] = _like(case.get("limit"), _LIMIT) if isinstance(case.get("limit"), Mapping) else None
    return found


def run_of(report: Mapping[str, Any]) -> dict[str, Any]:
    """What is said of the run."""
    found: dict[str, Any] = _like(report.get("run"), _RUN)
    found["versions"] = {str(key): str(text) for key, text in found["versions"].items()}
    return found


def claims_of(report: Mapping[str, Any]) -> list[Claim]:
    """The claims in the report's order; entries that are no objects are left out."""
    given = report.get("claims")
    return [claim_of(value) for value in given if isinstance(value, Mapping)] if _listed(given) and given else []


def finite(value: Any) -> float | None:
    """A number, or a text such as ``7/12``, as a finite float; None for anything else."""
    try:
        if isinstance(value, str):
            above, _, below = value.partition("/")
            if len(value) > 4_000:
                return None
            found = int(above) / int(below) if below else float(above)
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            found = float(value)
        else:
            return None
    except (ValueError, OverflowError, ZeroDivisionError):
        return None
    return found if math.isfinite(found) else None


def number(value: Any) -> str:
    """A number in six digits, an exact one as it stands where it is short."""
    if value is None:
        return "—"
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, float):
        return f"{value:.6g}" if math.isfinite(value) else "not a number" if math.isnan(value) else "infinite"
    try:
        text = str(value)
    except ValueError:
        # an integer of more digits than Python writes
        return "over 4000 digits"
    close = finite(value)
    return text if len(text) <= 24 or close is None else f"{close:.9g}"
