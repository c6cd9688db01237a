"""A case's exact numbers ("p/q" strings) as the tensors and ints that a simulation's parameters name."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import torch
    from torch import Tensor

MATRICES = ("W", "Sigma")
VECTORS = ("m", "a", "b")
POSITIONS = ("i", "j")
SCALARS = ("lam", "theta")
#: The key that names a law of the tokens, the one value of a case that is a word.
LAW = "law"
#: How far below 0 rounding leaves an eigenvalue of a covariance, relative to the largest.
NEGATIVE = 1e-12
#: Where a walk starts: x_1 ~ N(0, Sigma), or 0.
STARTS = ("sigma", "zero")


class CaseError(ValueError):
    """A case can't be simulated; the message names the key, its value and what was expected."""


def number(name: str, value: Any) -> float:
    """The float nearest to a rational of a case; CaseError where it is none."""
    try:
        if isinstance(value, str):
            # A quotient of ints is correctly rounded, and far quicker to read than a Fraction.
            numerator, _, denominator = value.partition("/")
            return float(Fraction(value)) if "." in value else int(numerator) / int(denominator or 1)
        if type(value) is float and math.isfinite(value):
            return value
        return float(Fraction(value))
    except (TypeError, ValueError, ZeroDivisionError, OverflowError):
        raise CaseError(f'case[{name!r}] holds {value!r}; expected a rational such as 3 or "-1/2"') from None


def _count(case: Mapping[str, Any], name: str) -> int:
    value = case[name]
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise CaseError(f"case[{name!r}] = {value!r}; expected an integer >= 1")
    return value


def length(case: Mapping[str, Any]) -> int:
    """The walk's length T: the case's, or where it has none the last position that it names."""
    if "T" in case:
        return _count(case, "T")
    named = [_count(case, name) for name in POSITIONS if name in case]
    if not named:
        raise CaseError('case has none of T, i, j; give the walk\'s length, e.g. "T": 5')
    return max(named)


def dimension(case: Mapping[str, Any]) -> int:
    """The dimension d: the case's, or that of its first matrix or vector."""
    if "d" in case:
        return _count(case, "d")
    for name in (*MATRICES, *VECTORS):
        if name in case:
            return len(case[name])
    raise CaseError('case has no d and no matrix; give the dimension, e.g. "d": 2')


def rows(case: Mapping[str, Any], name: str) -> list[list[float]]:
    """A matrix of the case in rows, or a vector as its only row; CaseError where its shape or an entry is wrong."""
    d, value = dimension(case), case[name]
    found = value if name in MATRICES else [value]
    if not isinstance(value, (list, tuple)) or any(
        not isinstance(row, (list, tuple)) or len(row) != d for row in found
    ):
        shape = f"{d} x {d} nested lists" if name in MATRICES else f"a list of {d} numbers"
        raise CaseError(f"case[{name!r}] = {value!r}; expected {shape}, as d = {d}")
    if name in MATRICES and len(value) != d:
        raise CaseError(f"case[{name!r}] has {len(value)} rows; expected {d}, as d = {d}")
    return [[number(name, entry) for entry in row] for row in found]


def tensor(case: Mapping[str, Any], name: str, device: torch.device) -> Tensor:
    """A matrix (d, d) or vector (d,) of the case, float64; raises CaseError where its shape or an entry is wrong."""
    import torch

    numbers = torch.tensor(rows(case, name), dtype=torch.float64)
    return (numbers if name in MATRICES else numbers[0]).to(device)


def covariance_rows(case: Mapping[str, Any]) -> list[list[float]]:
    """Sigma in rows; raises CaseError where it is no covariance."""
    if "Sigma" not in case:
        raise CaseError('case has no Sigma; give the covariance, e.g. "Sigma": [[1]] for d = 1')
    found = rows(case, "Sigma")
    Sigma = np.array(found, dtype=np.float64)
    if not np.array_equal(Sigma, Sigma.T):
        raise CaseError(f"case['Sigma'] = {case['Sigma']!r} is not symmetric; expected a covariance")
    values = np.linalg.eigvalsh(Sigma)
    if values[0] < -NEGATIVE * abs(values).max():
        raise CaseError(f"case['Sigma'] has the eigenvalue {float(values[0]):.3g}; expected none below 0")
    return found


def covariance_matrix(case: Mapping[str, Any], device: torch.device) -> Tensor:
    """Sigma, (d, d) float64; raises CaseError where it is no covariance."""
    import torch

    return torch.tensor(covariance_rows(case), dtype=torch.float64, device=device)


def numbers(case: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """The named parameters of a free simulation, as numbers; arrays and the name of a law as the case holds them.

    Raises CaseError naming the first that the case lacks.
    """
    values: dict[str, Any] = {}
    for name in names:
        if name not in case:
            raise CaseError(f"case lacks {name!r}, which the simulation needs; it has {', '.join(case) or 'none'}")
        raw = case[name]
        values[name] = raw if isinstance(raw, list) or name == LAW else number(name, raw)
    return values


def arguments(case: Mapping[str, Any], names: Iterable[str], device: torch.device) -> dict[str, Any]:
    """The values of the named parameters; raises CaseError naming the first that the case lacks or that is wrong."""
    values: dict[str, Any] = {}
    for name in names:
        if name == "d":
            values[name] = dimension(case)
        elif name == "T":
            values[name] = length(case)
        elif name not in case:
            raise CaseError(f"case lacks {name!r}, which the simulation needs; it has {', '.join(case) or 'none'}")
        elif name in POSITIONS:
            values[name] = _count(case, name)
            if values[name] > length(case):
                raise CaseError(f"case[{name!r}] = {values[name]}; expected at most T = {length(case)}")
        elif name == "Sigma":
            values[name] = covariance_matrix(case, device)
        elif name in MATRICES or (name in VECTORS and isinstance(case[name], (list, tuple))):
            values[name] = tensor(case, name, device)
        else:
            values[name] = _named(name, case[name], device)
    return values


def _named(name: str, value: Any, device: torch.device) -> Any:
    """A name of a claim's own by its value: an integer, a number, a vector or a matrix."""
    import torch

    if isinstance(value, (list, tuple)):
        nested = [row if isinstance(row, (list, tuple)) else [row] for row in value]
        if len({len(row) for row in nested}) != 1:
            raise CaseError(f"case[{name!r}] = {value!r}; expected a list of numbers, or of rows of one length")
        found = torch.tensor([[number(name, entry) for entry in row] for row in nested], dtype=torch.float64)
        return (found if isinstance(value[0], (list, tuple)) else found[:, 0]).to(device)
    if type(value) is int and name not in SCALARS:
        return value
    return number(name, value)
