"""What kernels stand on: arrays on lines of the cache, scratch of a thread's own, a place for compiled code."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("numba")

from numba import njit

from montecarlo.kernels import lanes


@pytest.mark.parametrize("count", [1, 3, 16, 1000])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.uint32])
def test_arrays_begin_at_a_line_of_the_cache(count: int, dtype: Any) -> None:
    kept = [lanes.aligned(count, dtype) for _ in range(5)]
    for found in kept:
        assert found.shape == (count,) and found.dtype == dtype and found.flags.writeable
        assert found.ctypes.data % lanes.LINE == 0
        found[:] = 7
    assert all((found == 7).all() for found in kept)


@pytest.mark.parametrize("width", [16, 256, 4096])
def test_rows_of_a_table_are_no_power_of_two_apart(width: int) -> None:
    found = lanes.table(5, width)
    assert found.shape[0] == 5 and found.shape[1] >= width and found.flags.c_contiguous
    starts = {int(row.ctypes.data) % 4096 for row in found}
    assert len(starts) == 5
    # as they would be without the room between them
    assert width < 512 or len({8 * width * row % 4096 for row in range(5)}) == 1


def test_scratch_is_made_once_for_sizes_and_never_shared_by_threads() -> None:
    made: list[tuple[int, ...]] = []

    def make(*sizes: int) -> tuple[np.ndarray[Any, Any], ...]:
        made.append(sizes)
        return tuple(lanes.aligned(size, np.float32) for size in sizes)

    scratch = lanes.Scratch(make)
    first = scratch.take(4, 8)
    assert scratch.take(4, 8) is first and made == [(4, 8)]
    assert scratch.take(4, 9)[1].shape == (9,) and made == [(4, 8), (4, 9)]
    elsewhere: list[Any] = []
    thread = threading.Thread(target=lambda: elsewhere.append(scratch.take(4, 9)))
    thread.start()
    thread.join()
    assert len(made) == 3
    assert not any(np.shares_memory(a, b) for a, b in zip(elsewhere[0], scratch.take(4, 9), strict=True))


def test_a_kernel_s_stack_is_aligned_where_it_asks_for_it() -> None:
    def asking(x: Any) -> Any:
        lanes.aligned_stack()
        return x + 1

    written = []
    for function in (asking, lambda x: x + 1):
        kernel = njit(**lanes.OPTIONS)(function)
        assert kernel(1) == 2
        written.append("\n".join(kernel.inspect_llvm().values()))
    assert f"alignstack={lanes.LINE}" in written[0] and "alignstack" not in written[1]


def test_folders_that_cannot_be_written_are_told_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    taken = tmp_path / "file"
    taken.write_text("")
    monkeypatch.setattr(lanes, "_folders", lambda: iter([taken / "below"]))
    folder = lanes._writable()
    assert folder is None
    assert len(capsys.readouterr().err.splitlines()) == 1
    monkeypatch.setattr(lanes, "_KEPT_IN", folder)
    assert lanes.compiled(lambda x: x + 1)(1) == 2
    monkeypatch.setattr(lanes, "_folders", lambda: iter([taken / "below", tmp_path / "kept"]))
    assert lanes._writable() == tmp_path / "kept"
