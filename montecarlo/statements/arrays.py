"""Arrays of numbers: numpy's on a CPU, torch's tensors on a GPU and where a simulation's own tensors are looked at.

The interpreter is written in what both libraries call by one name, so that a check on a CPU needs no torch, whose
import takes longer than most checks.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np

#: numpy's array or torch's tensor; the generator of either; the library itself.
Array = Any
Generator = Any
Library = Any


def is_array(data: Any) -> bool:
    """Whether data is an array, and no number."""
    return not isinstance(data, int | float)


def library(*data: Any) -> Library:
    """The library whose arrays these are; numpy for numbers alone."""
    if all(isinstance(one, int | float | np.ndarray | np.generic) for one in data):
        return np
    import torch

    return torch


def special(*data: Any) -> Library:
    """The special functions of the library whose arrays these are."""
    own = library(*data)
    if own is not np:
        return own.special
    from scipy import special as functions

    return functions


def array(data: Any, device: Any = None) -> Array:
    """Numbers as float64: numpy's where no device is named, else torch's there."""
    if device is None:
        return np.array(data, dtype=np.float64)
    import torch

    return torch.tensor(data, dtype=torch.float64, device=device)


def place(data: Array) -> Any:
    """The device of torch's tensors, which ``array`` takes; None for numpy's."""
    return None if isinstance(data, np.ndarray | np.generic) else data.device


def alike(*data: Any) -> list[Array]:
    """Numbers and arrays as arrays of one library, on one device."""
    own = library(*data)
    if own is np:
        return [np.asarray(one, dtype=None if is_array(one) else np.float64) for one in data]
    device = next(one.device for one in data if isinstance(one, own.Tensor))
    return [
        one if isinstance(one, own.Tensor) else own.as_tensor(one, dtype=own.float64, device=device) for one in data
    ]


def fetched(data: Array) -> Array:
    """The numbers as numpy's array."""
    return data if library(data) is np else data.cpu().numpy()


def double(data: Array) -> Array:
    """The numbers in float64."""
    return data.astype(np.float64, copy=False) if library(data) is np else data.double()


def floating(data: Array) -> bool:
    """Whether these are numbers, and no truth values."""
    return data.dtype.kind == "f" if library(data) is np else bool(data.dtype.is_floating_point)


def extreme(parts: Sequence[Any], largest: bool) -> Array:
    """The largest or the smallest of several, entry by entry."""
    arrays = alike(*parts)
    return reduce(getattr(library(*arrays), "maximum" if largest else "minimum"), arrays)


def gathered(data: Array, index: Array) -> Array:
    """Entry ``index`` (from 0) of the last axis, the other axes broadcast: (..., k) and (...) -> (...)."""
    own = library(data, index)
    data, index = alike(data, index)
    rows = (index.astype(np.int64) if own is np else index.long())[..., None]
    shape = np.broadcast_shapes(tuple(data.shape[:-1]), tuple(rows.shape[:-1]))
    wide, rows = own.broadcast_to(data, (*shape, data.shape[-1])), own.broadcast_to(rows, (*shape, 1))
    return (np.take_along_axis(wide, rows, -1) if own is np else own.gather(wide, -1, rows))[..., 0]


def whole_array(data: Array) -> Array:
    """Numbers as integers, which index."""
    return data.astype(np.int64) if library(data) is np else data.long()
