"""Reading a JSON report back: only one that keeps to the schema is taken, and nothing in it is run."""

from __future__ import annotations

import functools
import json
from collections import Counter
from typing import Any

from proofs_check.claims.report import SCHEMA, Report
from proofs_check.claims.schema import complete, schema
from proofs_check.inputs.data import json_of
from proofs_check.inputs.errors import UsageError, shown
from proofs_check.inputs.files import read_bytes

#: What is read, and what to do where a file holds none.
WANTED, AGAIN = "a JSON report that --json wrote", "write it again by `twofold verify --json`"


def read_report(argument: str, value: str) -> Report:
    """The report in a file; UsageError in one line for a file that holds none."""
    found = _object(argument, value)
    given = found.get("schema")
    if given != SCHEMA:
        raise UsageError(
            argument, value, f"a JSON report that --json wrote, of schema {SCHEMA}; its is {shown(given)}", AGAIN
        )
    import jsonschema

    try:
        problem = next(iter(jsonschema.Draft202012Validator(schema()).iter_errors(found)), None)
    except RecursionError:
        raise UsageError(argument, value, "a report that --json wrote (nested too deeply)", AGAIN) from None
    if problem is not None:
        where = ".".join(map(str, problem.absolute_path)) or "the report"
        raise UsageError(argument, value, f"a report that --json wrote; {where}: {shown(problem.message)}", AGAIN)
    ids = [claim["id"] for claim in found["claims"]]
    if len({*ids}) < len(ids):
        twice = next(name for name, times in Counter(ids).items() if times > 1)
        raise UsageError(argument, value, f"a report with each claim once; {shown(twice)} stands twice", AGAIN)
    report: Report = complete(found)
    return report


@functools.cache
def _claims() -> Any:
    import jsonschema

    return jsonschema.Draft202012Validator({**schema(), "$ref": "#/$defs/Claim"})


def is_claim(value: Any) -> bool:
    """Whether a value is what a report says of one claim."""
    try:
        return bool(_claims().is_valid(value))
    except RecursionError:
        return False


def read_selftest(argument: str, value: str) -> dict[str, Any]:
    """What ``twofold selftest --json`` wrote; UsageError in one line for a file that holds something else."""
    found = _object(argument, value)
    if found.get("schema") != 1 or not isinstance(found.get("error_rates"), dict) or "mutants" not in found:
        raise UsageError(argument, value, "a file that `twofold selftest --json` wrote")
    return found


def _object(argument: str, value: str) -> dict[str, Any]:
    try:
        text = read_bytes(argument, value, WANTED, AGAIN).decode("utf-8-sig")
        found = json_of(text)
        # a surrogate alone, which JSON can write, has no place in a file
        json.dumps(found, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise UsageError(argument, value, "a JSON file without surrogates that stand alone", AGAIN) from None
    except UnicodeDecodeError:
        raise UsageError(argument, value, "a JSON file in UTF-8", AGAIN) from None
    except ValueError as error:
        raise UsageError(argument, value, f"{WANTED} ({error})", AGAIN) from None
    if not isinstance(found, dict):
        raise UsageError(argument, value, WANTED, AGAIN)
    return found
