"""Work shared by threads, its results in order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

R = TypeVar("R")


def in_order(
    run: Callable[[int], R], items: range, threads: int, at_once: int, begin: Callable[[], object] = lambda: None
) -> Generator[R, None, None]:
    """The items' results in order: each thread takes ``at_once`` items, with few enough in flight to keep."""

    def several(part: range) -> list[R]:
        return [run(item) for item in part]

    waiting: deque[Future[list[R]]] = deque()
    with ThreadPoolExecutor(threads, initializer=begin) as pool:
        try:
            for first in range(0, len(items), at_once):
                waiting.append(pool.submit(several, items[first : first + at_once]))
                if len(waiting) > 2 * threads:
                    yield from waiting.popleft().result()
            while waiting:
                yield from waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()
