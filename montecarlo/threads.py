"""Blocks drawn by several threads, their results in block order."""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from functools import partial
from typing import TypeVar

import torch

from montecarlo import ordered

R = TypeVar("R")
LOGGER = logging.getLogger("twofold")


class EngineError(ValueError):
    """Nothing can be sampled as asked; the message names the argument, its value and what was expected."""


class NotFiniteError(EngineError, ArithmeticError):
    """A simulation whose numbers are NaN or infinite."""


@contextmanager
def one_torch_thread() -> Iterator[None]:
    """Switch torch's own threads off in the threads started inside, and put the caller's number back."""
    saved = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(saved)


def at_least_one(name: str, value: int) -> None:
    """Raise EngineError for anything but a positive integer."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise EngineError(f"{name} = {value!r}; expected an integer >= 1")


def with_less(run: Callable[[int], R], blocks: range, threads: int, at_once: int) -> Generator[R, None, None]:
    """The blocks' results in block order; where the device's memory is too small, half as many blocks at a time."""
    done = 0
    while True:
        try:
            with closing(in_order(run, blocks[done:], threads, at_once)) as results:
                for result in results:
                    done += 1
                    yield result
            return
        except torch.OutOfMemoryError as error:
            if threads == 1:
                raise EngineError(
                    "one block of walks does not fit into the device's memory; give a smaller T or d, or --device cpu"
                ) from error
            threads, at_once = threads // 2, 1
            if torch.cuda.is_available():
                torch.cuda.empty_cache()
            LOGGER.warning("the device's memory is full: from here on %d blocks at a time", threads)


def in_order(run: Callable[[int], R], blocks: range, threads: int, at_once: int) -> Generator[R, None, None]:
    """The blocks' results in block order, from threads in each of which torch has no further ones."""
    with one_torch_thread():
        yield from ordered.in_order(run, blocks, threads, at_once, partial(torch.set_num_threads, 1))
