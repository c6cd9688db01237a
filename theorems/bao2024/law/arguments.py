"""What the functions of the law are given, as floats and whole numbers; ValueError names what is neither."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from theorems.bao2024.law.transform import Array

Counts = Sequence[int] | np.ndarray[Any, np.dtype[Any]]

#: The longest walks: the time grows like T, and these take a hundred times as long as 10,000 tokens.
LONGEST = 10**6


def reals(name: str, values: Any) -> Array:
    """Real numbers as an array of floats; those that no float is near, and nan, are refused."""
    try:
        if np.iscomplexobj(values):
            raise TypeError
        found = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{name} = {_shown(values)}; expected real numbers of the size of floats") from None
    if np.any(np.isnan(found)):
        raise ValueError(f"{name} = {_shown(values)}; expected numbers, not nan")
    return found


def real(name: str, value: Any) -> float:
    """One real number as a float."""
    found = reals(name, value)
    if found.ndim:
        raise ValueError(f"{name} has the shape {found.shape}; expected one number")
    return float(found)


def exact(name: str, value: Any) -> Fraction:
    """A real number as the rational that it is, as a float is one."""
    try:
        return Fraction(value.item() if isinstance(value, np.generic) else value)
    except (TypeError, ValueError, OverflowError, ZeroDivisionError):
        raise ValueError(f"{name} = {_shown(value)}; expected a rational number") from None


def whole(name: str, value: Any, most: int | None = None, least: int = 1) -> int:
    """A whole number between two bounds."""
    try:
        found = operator.index(value)
    except TypeError:
        raise ValueError(f"{name} = {_shown(value)}; expected a whole number") from None
    if found < least or (most is not None and found > most):
        raise ValueError(f"{name} = {_shown(found)}; expected {least} {'or more' if most is None else f'to {most}'}")
    return found


def checked(multiplicities: Counts, size: int) -> Array:
    """The multiplicities as an array of shape (size,); ValueError for a wrong count, a negative one or a fraction."""
    counts = reals("multiplicities", multiplicities)
    if counts.shape != (size,):
        raise ValueError(f"{counts.size} multiplicities for {size} weights; expected one for each")
    if not np.all((counts >= 0) & (counts == np.floor(counts)) & (counts < 2.0**53)):
        raise ValueError(f"multiplicities {_shown(multiplicities)}; expected counts, 0 or more")
    return counts


def _shown(value: Any) -> str:
    """A value in a message, cut where it is long."""
    if isinstance(value, int) and abs(value) >= 10**40:
        return "a whole number of more than 40 digits"
    text = repr(value.tolist() if isinstance(value, np.ndarray) else value)
    return text if len(text) <= 80 else text[:77] + "..."
