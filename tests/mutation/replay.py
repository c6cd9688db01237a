"""Calls of functions, recorded while an empirical check runs, to be repeated with a function changed.

Truth values and counts are coarse: that they stay the same shows little. What a changed function returns at the very
arguments that the original was called with shows more.
"""

from __future__ import annotations

import contextlib
import copy
import inspect
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from types import CodeType, FrameType, FunctionType
from typing import Any

import numpy as np
import torch

#: Calls of a function that are kept: every one at first, then every second, fourth and so on.
MOST = 256
#: Functions that are left out: a generator returns many times, and *args and **kwargs have no names.
UNUSED = inspect.CO_GENERATOR | inspect.CO_VARARGS | inspect.CO_VARKEYWORDS

Call = tuple[dict[str, Any], Any]


class Recorder:
    """The calls of some functions inside a block: arguments, copied before the call, and what was returned.

    A function whose arguments cannot be copied has no calls.
    """

    def __init__(self, functions: Iterable[FunctionType]) -> None:
        self.names = {f.__code__: f for f in functions if not f.__code__.co_flags & UNUSED}
        self.calls: dict[FunctionType, list[Call]] = {f: [] for f in self.names.values()}
        self._every = dict.fromkeys(self.names, 1)
        self._seen = dict.fromkeys(self.names, 0)
        self._open: dict[FrameType, dict[str, Any]] = {}

    def __enter__(self) -> Recorder:
        self._before = sys.getprofile()
        sys.setprofile(self._hear)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(self._before)

    def _hear(self, frame: FrameType, event: str, found: Any) -> None:
        code = frame.f_code
        if code not in self.names:
            return
        if event == "call":
            self._seen[code] += 1
            if (self._seen[code] - 1) % self._every[code] == 0:
                with contextlib.suppress(Exception):
                    # what cannot be copied cannot be repeated
                    self._open[frame] = _arguments(frame, code)
        elif event == "return" and frame in self._open:
            kept, given = self.calls[self.names[code]], self._open.pop(frame)
            with contextlib.suppress(Exception):
                kept.append((given, copied(found)))
            if len(kept) >= MOST:
                del kept[1::2]
                self._every[code] *= 2


def _arguments(frame: FrameType, code: CodeType) -> dict[str, Any]:
    count = code.co_argcount + code.co_kwonlyargcount
    return {name: copied(frame.f_locals[name]) for name in code.co_varnames[:count]}


def copied(value: Any) -> Any:
    """A copy that nothing done to the value changes; tensors are cut off from their gradients."""
    if isinstance(value, torch.Tensor):
        return value.detach().clone()
    if isinstance(value, dict):
        return {name: copied(part) for name, part in value.items()}
    if type(value) in (list, tuple):
        return type(value)(map(copied, value))
    return copy.deepcopy(value)


def telling(calls: Sequence[Call]) -> bool:
    """Whether the calls returned more than truth values."""
    return any(not _coarse(found) for _, found in calls)


def _coarse(value: Any) -> bool:
    if isinstance(value, Mapping):
        return all(map(_coarse, value.values()))
    if isinstance(value, list | tuple):
        return all(map(_coarse, value))
    return value is None or isinstance(value, bool)


def repeated(function: Callable[..., Any], calls: Sequence[Call]) -> bool:
    """Whether the function, as it now stands, returns at every recorded call what was returned then."""
    return all(equal(function(**copied(given)), found) for given, found in calls)


def equal(one: Any, two: Any) -> bool:
    """Whether two results are the same in every part, to the last bit; functions never are."""
    if type(one) is not type(two):
        return False
    if isinstance(one, torch.Tensor):
        return one.shape == two.shape and bool(torch.equal(one.nan_to_num(), two.nan_to_num()))
    if isinstance(one, np.ndarray):
        return bool(np.array_equal(one, two, equal_nan=one.dtype.kind == "f"))
    if isinstance(one, Mapping):
        return list(one) == list(two) and all(equal(one[name], two[name]) for name in one)
    if isinstance(one, list | tuple):
        return len(one) == len(two) and all(map(equal, one, two))
    if is_dataclass(one) and not isinstance(one, type):
        return all(equal(getattr(one, part.name), getattr(two, part.name)) for part in fields(one))
    return not callable(one) and bool(one == two)
