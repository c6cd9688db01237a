"""Numbers of a case that a user hands over: read exactly, refused in one line that names key, value and mend."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import NoReturn

from proofs_check.inputs.errors import UsageError, shown

#: Most digits of a numerator or denominator, largest size of a number.
MAX_DIGITS, MAX_SIZE = 40, 10**6

_RATIONAL = re.compile(rf"[+-]?[0-9]{{1,{MAX_DIGITS}}}(/[0-9]{{1,{MAX_DIGITS}}})?")


def fail(what: str, expected: str, mend: str = "") -> NoReturn:
    """Refuse ``--case``; raises UsageError."""
    raise UsageError("--case", what, expected, mend, verbatim=True)


def rational(name: str, value: object) -> Fraction:
    """An integer or a string "p/q" as an exact number of at most MAX_SIZE; UsageError for anything else."""
    where = f"{name} = {shown(value)}"
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        mend = 'write 0.5 as "1/2"' if isinstance(value, float) else ""
        fail(where, 'an integer or a rational in a string such as "-3/4"', mend)
    if isinstance(value, str):
        if not _RATIONAL.fullmatch(value):
            fail(where, f'a rational such as "-3/4", at most {MAX_DIGITS} digits above and below')
        try:
            number = Fraction(value)
        except ZeroDivisionError:
            fail(where, "a denominator that is not 0")
    else:
        number = Fraction(value)
    if abs(number) > MAX_SIZE:
        fail(where, f"a number between -{MAX_SIZE} and {MAX_SIZE}")
    return number


def count(name: str, value: object, most: int) -> int:
    """An integer from 1 to ``most``; UsageError for anything else."""
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
        fail(f"{name} = {shown(value)}", f"an integer from 1 to {most}")
    return value
