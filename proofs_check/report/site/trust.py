"""What a run says of itself: the false-alarm ledger and the self-test's scores, as tables of texts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proofs_check.claims.report import Run
from proofs_check.report.selftest import concluded, lines
from proofs_check.report.site.numbers import finite, number

#: The columns of the error rates: head, key, what the error would be.
ERRORS = (
    ("refuted", "false_refutations", "a true claim called false"),
    ("agreed", "false_agreements", "a false claim called true"),
    ("missed", "missed_errors", "an error of the stated size missed"),
    ("in power", "missed_detectable", "an error of detectable size missed"),
    ("confirmed", "false_confirmations", "a false alarm confirmed on fresh seeds"),
    ("spread", "spread_too_small", "a spread understated"),
)


def _table(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def ledger(run: Run) -> dict[str, Any]:
    """The shares of the false-alarm budget, and how much of them was spent."""
    rows = [
        {
            "id": entry["id"],
            "alpha": entry["alpha"],
            "spent": entry["spent"],
            "over": entry["spent"] > entry["alpha"],
        }
        for entry in run["ledger"]
    ]
    spent = sum(entry["spent"] for entry in run["ledger"])
    return {"rows": rows, "spent": spent, "alpha": run["alpha"], "over": spent > run["alpha"] > 0}


def rate(value: Any) -> dict[str, Any]:
    """A count with the most that its probability may be."""
    given = _table(value)
    high = finite(given.get("high"))
    return {
        "count": number(given.get("count")),
        "of": number(given.get("of")),
        "high": "—" if high is None else f"{100 * high:.2g}%",
        "bad": given.get("consistent") is False,
    }


def selftest(report: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """The self-test's scores; parts that were not measured are None."""
    if not isinstance(report, Mapping):
        return None
    rates, faults, mutants = (_table(report.get(key)) for key in ("error_rates", "independence", "mutants"))
    estimators = _table(rates.get("estimators"))
    first = _table(next(iter(estimators.values()), {}))
    levels = [finite(_table(first.get(key)).get("level")) for _, key, _ in ERRORS]
    rows = [
        {
            "name": str(name),
            "runs": number(_table(row).get("runs")),
            "rates": [rate(_table(row).get(key)) for _, key, _ in ERRORS],
            "planted": "flagged" if _table(row).get("planted_flagged") else "unseen",
        }
        for name, row in estimators.items()
    ]
    return {
        "summary": _summary(report),
        "seed": number(report.get("seed")),
        "concluded": _concluded(report),
        "runs": number(rates.get("runs")),
        "level": number(rates.get("level")),
        "levels": ["—" if level is None else f"{100 * level:.2g}%" for level in levels],
        "rows": rows,
        "independence": _independence(faults) if faults else None,
        "mutants": _mutants(mutants) if mutants else None,
    }


def _summary(report: Mapping[str, Any]) -> str:
    """The self-test's own words; "" where its report is of another form."""
    try:
        return "\n".join(lines(report))
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        return ""


def _concluded(report: Mapping[str, Any]) -> tuple[str, str]:
    try:
        return concluded(report)
    except (AttributeError, KeyError, TypeError):
        return "Not consistent", "its report is of another form"


def _independence(faults: Mapping[str, Any]) -> dict[str, Any]:
    rows = [_table(row) for row in _list(faults.get("rows"))]
    return {
        "caught": number(faults.get("caught")),
        "of": number(faults.get("of")),
        "apart": number(faults.get("apart")),
        "unseen": [
            f"{row.get('id', '')}, {row.get('side', '')}: {row.get('fault', '')}"
            for row in rows
            if not row.get("caught") and row.get("verdict") != "not applicable"
        ],
    }


def _mutants(mutants: Mapping[str, Any]) -> dict[str, Any]:
    score = finite(mutants.get("score"))
    keys = ("mutants", "caught", "equivalent", "survived")
    return {
        "score": "—" if score is None else f"{100 * score:.1f}%",
        "kinds": [
            {"kind": str(kind), **{key: number(_table(row).get(key)) for key in keys}}
            for kind, row in _table(mutants.get("by_kind")).items()
        ],
        "survivors": [str(name) for name in _list(mutants.get("survivors"))],
    }
