"""What the machine allows: measured peaks of a core, and what a normal costs by the generator's own machine code.

The normals of the CPU's generator are made in one loop, bits and polynomials. Its vector instructions are counted in
the assembly that numba made on this machine, the normals by the roots taken: two a root. With F floating-point and I
integer instructions a normal and the measured peaks f and i of a core, a normal takes at least max(F/f, I/i) seconds
where the two run side by side, and at most F/f + I/i where they share the core's ports.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

#: Elements that the peak loops work on (in the first cache), instructions an element, repetitions of a timing.
ELEMENTS, DEPTH, TIMINGS = 2048, 24, 9
#: Bytes of the arrays whose copying is timed: more than any cache.
COPIED = 1 << 28

_WIDTH = {"x": 4, "y": 8, "z": 16}
_FLOAT = re.compile(r"v(f[n]?m(add|sub)|mul|add|sub|sqrt|div|rsqrt|max|min)\w*[ps]s$")
_INTEGER = re.compile(r"vp\w+$|vcvt\w+$|vshuf\w+$|vinsert\w+$|vperm\w+$|vblend\w+$|v(and|or|xor|andn)p[sd]$")
_MOVED = re.compile(r"v?p?mov|vbroadcast|vpbroadcast")


def innermost(assembly: str) -> list[list[str]]:
    """The instructions of every loop that holds no other: from a label to the first jump back to it."""
    labels: dict[str, int] = {}
    code: list[str] = []
    found: list[tuple[int, int]] = []
    for raw in assembly.splitlines():
        line = raw.split("#")[0].strip()
        if re.fullmatch(r"[.\w$]+:", line):
            labels[line[:-1]] = len(code)
        elif line and not line.startswith("."):
            code.append(line)
            jump = re.match(r"j\w+\s+([.\w$]+)$", line)
            if jump and jump[1] in labels:
                found.append((labels[jump[1]], len(code)))
    inner = [(a, b) for a, b in found if not any((c, e) != (a, b) and a <= c and e <= b for c, e in found)]
    return [code[a:b] for a, b in inner]


def counted(loop: list[str]) -> dict[str, float]:
    """Vector instructions of a loop in float32 numbers: floating, integer, roots and numbers stored."""
    total = {"float": 0.0, "integer": 0.0, "roots": 0.0, "stored": 0.0}
    for line in loop:
        name, _, rest = line.partition("\t") if "\t" in line else line.partition(" ")
        registers = re.findall(r"%([xyz])mm", rest)
        if not registers:
            continue
        width = max(_WIDTH[letter] for letter in registers)
        if _MOVED.match(name):
            # to memory in the assembly's order: the target stands last
            total["stored"] += width if rest.rstrip().endswith(")") else 0
        elif name.startswith(("vsqrt", "vrsqrt")):
            total["roots"] += width if name.startswith("vsqrt") else 0
            total["float"] += width
        elif _FLOAT.fullmatch(name):
            total["float"] += width
        elif _INTEGER.fullmatch(name):
            total["integer"] += width
    return total


def a_normal(assembly: str) -> dict[str, float] | None:
    """Floating and integer instructions (of one number each) a normal; None where no loop is as known."""
    loops = [counted(loop) for loop in innermost(assembly)]
    making = [loop for loop in loops if loop["roots"] and loop["stored"]]
    if not making:
        return None
    # the compiler may write a loop twice, with less care for the rest of a count
    least = min(making, key=lambda loop: (loop["float"] + loop["integer"]) / loop["roots"])
    return {kind: least[kind] / (2 * least["roots"]) for kind in ("float", "integer")}


def _best(run: Callable[[], object], amount: float) -> float:
    """The most a second of several timings of an amount."""
    run()
    taken = []
    for _ in range(TIMINGS):
        began = time.perf_counter()
        run()
        taken.append(time.perf_counter() - began)
    return amount / min(taken)


def peaks() -> dict[str, float]:
    """Instructions of one number a second of one core: fused multiply-adds, and integer additions, xors and shifts."""
    from numba import float32, njit, uint32

    a, b, factor = np.float32(0.999), np.float32(0.001), np.uint32(0xCD9E8D57)

    @njit(fastmath={"contract"}, error_model="numpy")
    def fused(x: Any, turns: int) -> None:
        for _ in range(turns):
            for i in range(len(x)):
                y = x[i]
                for _ in range(DEPTH):
                    y = float32(y * a) + b
                x[i] = y

    @njit(error_model="numpy")
    def mixed(x: Any, turns: int) -> None:
        for _ in range(turns):
            for i in range(len(x)):
                y = x[i]
                for _ in range(DEPTH // 2):
                    y = uint32(uint32(y + factor) ^ uint32(y >> uint32(7)))
                x[i] = y

    turns = 256
    floats, integers = np.ones(ELEMENTS, np.float32), np.arange(ELEMENTS, dtype=np.uint32)
    amount = float(ELEMENTS * DEPTH * turns)
    return {
        "float": _best(lambda: fused(floats, turns), amount),
        "integer": _best(lambda: mixed(integers, turns), amount * 3 / 2),
    }


def bandwidth() -> float:
    """Bytes a second of one thread, read and written, of a copy that fits in no cache."""
    source, target = np.ones(COPIED // 8), np.empty(COPIED // 8)
    return _best(lambda: np.copyto(target, source), 2.0 * COPIED)


def generator_assembly() -> str:
    """The machine code of the CPU's generator, compiled anew here."""
    from numba import njit

    from montecarlo.kernels import generator
    from montecarlo.kernels.lanes import LANES, OPTIONS

    drawn = njit(**OPTIONS)(generator._spin.py_func)
    state, z = np.empty(generator.STATE * LANES, np.uint32), np.empty(generator.TURN * LANES, np.float32)
    drawn(np.uint64(1), np.uint64(0), LANES, generator.TURN, state, generator.NUMBERS, z)
    return "\n".join(drawn.inspect_asm().values())


def cpu() -> dict[str, Any]:
    """The limits of one core of this machine; what could not be found is None, with the reason under ``status``."""
    found: dict[str, Any] = {"bandwidth": bandwidth(), "status": "measured", "peaks": None, "a normal": None}
    try:
        found["peaks"] = peaks()
        found["a normal"] = a_normal(generator_assembly())
    except ImportError as error:
        found["status"] = f"not measured: {error.name} is not installed"
    except (AttributeError, RuntimeError) as error:
        found["status"] = f"not measured: {type(error).__name__}: {error}"
    return found | ceiling(found["peaks"], found["a normal"])


def ceiling(peaks: Mapping[str, float] | None, normal: Mapping[str, float] | None) -> dict[str, float | None]:
    """Normals a second of one core, with floating and integer instructions side by side, and one after the other."""
    if peaks is None or normal is None:
        return {"side by side": None, "in turn": None}
    parts = [normal[name] / peaks[name] for name in ("float", "integer")]
    return {"side by side": 1 / max(parts), "in turn": 1 / sum(parts)}
