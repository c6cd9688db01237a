"""What loops over lanes need so that LLVM turns each into straight vector code: a lane is a walk.

Loads and stores name the array they touch by a number, and arrays of different numbers share no memory: without that
promise the compiler would have to check it again in every loop. Sums have the order in which they are written, and a
product is fused with a sum where ``fma`` says so and nowhere else. So the numbers are the same to the last bit
whatever the width of the machine's registers.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba import njit, types
from numba.extending import intrinsic
from numpy.typing import NDArray

#: Walks side by side: 16 float32 are the widest register there is.
LANES = 16
#: Bytes of a line of the cache, and of the widest register.
LINE = 64
#: How many arrays a kernel can tell apart.
ARRAYS = 8

#: Divisions follow numpy, and other threads run meanwhile. No fastmath: a sum that is reordered is another number.
OPTIONS: dict[str, Any] = {"error_model": "numpy", "nogil": True}

#: numba's settings; its stubs don't list them.
_SETTINGS: Any = numba.config
HERE = Path(__file__).parent
#: The files whose code goes into a kernel.
PARTS = ("lanes", "generator", "forms", "project", "fused", "joint")


def _folders() -> Iterator[Path]:
    """Where compiled kernels may be kept, best first: named by what they are made of, so that none is ever stale."""
    # numba looks at the file of a kernel only, not at those of the parts it is made of
    made_of = b"".join((HERE / f"{part}.py").read_bytes() for part in PARTS)
    name = f"numba-{hashlib.blake2b(made_of, digest_size=8).hexdigest()}"
    if _SETTINGS.CACHE_DIR:
        yield Path(_SETTINGS.CACHE_DIR) / name
        return
    yield HERE / "__pycache__" / name
    yield Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "twofold" / name


def _writable() -> Path | None:
    for folder in _folders():
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                return folder
        except (OSError, RuntimeError):
            continue
    print("kernels are compiled anew in each run: no folder to keep them in can be written", file=sys.stderr)
    return None


_KEPT_IN = _writable()


def aligned(count: int, dtype: Any) -> NDArray[Any]:
    """``count`` numbers, not set, from the beginning of a line of the cache on: loads across two lines are slow."""
    size = np.dtype(dtype).itemsize
    room = np.empty(count * size + LINE, np.uint8)
    first = -int(room.__array_interface__["data"][0]) % LINE
    return room[first : first + count * size].view(dtype)


def table(rows: int, width: int) -> NDArray[np.float64]:
    """Room for (rows, width) float64, not set, in rows longer by ``LANES``.

    Rows of a power of two would lie on one set of the cache.
    """
    return aligned(rows * (width + LANES), np.float64).reshape(rows, width + LANES)


def of_walks(room: NDArray[np.float64], rows: int, blocks: int, walks: int) -> NDArray[np.float64]:
    """Of a ``table`` its first rows, (rows, blocks walks), without the walks that fill up each block to sixteens."""
    width = -(-walks // LANES) * LANES
    out = room[:rows, : blocks * width]
    return out if width == walks else out.reshape(rows, blocks, width)[:, :, :walks].reshape(rows, blocks * walks)


class Scratch(threading.local):
    """What a thread's calls of a kernel work in, made by ``make`` and kept for the next call of the same sizes."""

    def __init__(self, make: Callable[..., tuple[NDArray[Any], ...]]) -> None:
        self._make = make
        self._sizes: tuple[int, ...] | None = None
        self._arrays: tuple[NDArray[Any], ...] = ()

    def take(self, *sizes: int) -> tuple[NDArray[Any], ...]:
        """The arrays for these sizes, with whatever the last call left in them."""
        if self._sizes != sizes:
            self._arrays, self._sizes = self._make(*sizes), sizes
        return self._arrays


def compiled(function: Callable[..., Any]) -> Any:
    """A kernel, compiled at its first call and kept on disk where a folder can be written."""
    if _KEPT_IN is None:
        return njit(**OPTIONS)(function)
    before, _SETTINGS.CACHE_DIR = _SETTINGS.CACHE_DIR, str(_KEPT_IN)
    try:
        return njit(cache=True, **OPTIONS)(function)
    finally:
        _SETTINGS.CACHE_DIR = before


def inlined(function: Callable[..., Any]) -> Any:
    """A part of a kernel: it has no code of its own."""
    return njit(forceinline=True, **OPTIONS)(function)


def _emitted(function: Callable[..., Any]) -> Any:
    """An operation that ``function`` types and writes in LLVM's own language; literal numbers stay literal."""
    return intrinsic(prefer_literal=True)(function)


def _apart(module: Any, instruction: Any, number: int) -> None:
    """Tell LLVM which array an instruction touches, and that it is none of the others."""
    domain = module.add_metadata(["kernel"])
    scopes = [module.add_metadata([f"array {place}", domain]) for place in range(ARRAYS)]
    others = [scope for place, scope in enumerate(scopes) if place != number]
    instruction.set_metadata("alias.scope", module.add_metadata([scopes[number]]))
    instruction.set_metadata("noalias", module.add_metadata(others))


def _cell(context: Any, builder: Any, kind: Any, array: Any, index: Any) -> Any:
    data = context.make_array(kind)(context, builder, array).data
    return builder.gep(data, [index], inbounds=True)


@_emitted
def load(typingctx: Any, number: Any, array: Any, index: Any) -> Any:
    """array[index], of the contiguous array called ``number``; the index is not checked."""

    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        found = builder.load(_cell(context, builder, sig.args[1], args[1], args[2]))
        _apart(builder.module, found, number.literal_value)
        return found

    return array.dtype(number, array, types.intp), code


@_emitted
def store(typingctx: Any, number: Any, array: Any, index: Any, value: Any) -> Any:
    """array[index] = value, of the contiguous array called ``number``; the index is not checked."""

    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        done = builder.store(args[3], _cell(context, builder, sig.args[1], args[1], args[2]))
        _apart(builder.module, done, number.literal_value)
        return context.get_dummy_value()

    return types.void(number, array, types.intp, array.dtype), code


@_emitted
def fma(typingctx: Any, a: Any, b: Any, c: Any) -> Any:
    """a b + c, rounded once; three numbers of one type, float32 or float64."""

    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.fma(*args)

    return a(a, a, a), code


@_emitted
def bits_of(typingctx: Any, x: Any) -> Any:
    """The bits of a float32, as int32."""

    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.bitcast(args[0], context.get_value_type(types.int32))

    return types.int32(types.float32), code


@_emitted
def float_of(typingctx: Any, x: Any) -> Any:
    """The float32 of these bits, int32."""

    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.bitcast(args[0], context.get_value_type(types.float32))

    return types.float32(types.int32), code


@_emitted
def aligned_stack(typingctx: Any) -> Any:
    """For the first line of a kernel: registers that it puts aside lie on lines of the cache of their own."""

    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        builder.function.attributes.alignstack = LINE
        # without a further attribute llvmlite writes none
        builder.function.attributes.add("norecurse")
        return context.get_dummy_value()

    return types.void(), code
