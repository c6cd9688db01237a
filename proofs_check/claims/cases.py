"""A case as the report shows it: values as texts and as the numbers that a plot takes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from proofs_check.claims.report import Case, Numbers


def finite(value: float) -> float | None:
    """The value, or None where JSON has no number for it."""
    return value if math.isfinite(value) else None


def as_number(value: Any) -> float | bool | None:
    """A value of either side as a float, a truth value as it is; None for what is no finite real number."""
    if value is None or isinstance(value, (bool, str)):
        return None if isinstance(value, str) else value
    if str(value) in ("True", "False"):
        return bool(value)
    try:
        return finite(float(value))
    except (TypeError, ValueError, OverflowError, ArithmeticError):
        return None


def numbers(printed: Any, derived: Any, within: float = 0.0) -> Numbers:
    """Both values as a plot takes them."""
    return {"printed": as_number(printed), "derived": as_number(derived), "within": within}


def shown_case(
    params: Mapping[str, Any],
    quantity: str,
    printed: Any,
    derived: Any,
    interval: tuple[float, float],
    *,
    estimate: float | None = None,
    samples: int = 1,
    z: float | None = None,
) -> Case:
    """A case: printed and derived value as texts and numbers, the interval, and its middle unless an estimate is given.

    A pair of floats as ``derived`` is an enclosure.
    """
    low, high = interval
    within = 0.0
    told = None if derived is None else str(derived)
    if isinstance(derived, tuple):
        least, most = derived
        derived, within, told = least / 2 + most / 2, most / 2 - least / 2, f"{least:.10g} to {most:.10g}"
    middle = (low + high) / 2 if math.isfinite(low) and math.isfinite(high) else None
    return {
        "params": dict(params),
        "quantity": quantity,
        "printed": None if printed is None else str(printed),
        "derived": told,
        "estimate": middle if estimate is None else finite(estimate),
        "low": finite(low),
        "high": finite(high),
        "samples": samples,
        "z": z,
        "numbers": numbers(printed, derived, within if math.isfinite(within) else 0.0),
        "limit": None,
    }
