"""The GPU's part of the bench: device events, and the ceiling of the GPU at hand. Without one nothing is measured.

A multiprocessor has four schedulers of 32 lanes, each of which issues one instruction a cycle, so that a program of c
instructions a normal draws at most 128 multiprocessors clock / c normals a second; c is counted in the loop of the
program's own machine code. That holds for the programs that use approximate instructions: one sine a pair of normals.
"""

# mypy: disable-error-code="import-untyped, import-not-found, no-untyped-call"
from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from proofs_check.bench.measure import spread

#: Timings of a size, after some that warm up; walks of a timing.
TIMINGS, WARM, WALKS = 30, 3, 1 << 22
LANES_A_CYCLE = 4 * 32
NOT_MEASURED = "not measured"

_POINTERS = {"out": "*fp32", "ends": "*fp32", "queries": "*fp32", "level": "*fp64", "step": "*fp64"}
_COMPILED = ("ROUNDS", "QUADS", "N", "APPROXIMATE")


def loop_of(sass: str) -> list[str]:
    """The names of the instructions of the innermost loop that takes sines; empty where there is none."""
    labels: dict[str, int] = {}
    code: list[str] = []
    loops: list[tuple[int, int]] = []
    for raw in sass.splitlines():
        line = raw.split("\t", 1)[-1].strip()
        if re.fullmatch(r"\w+:", line):
            labels[line[:-1]] = len(code)
        elif line.endswith(";"):
            line = re.sub(r"^@!?U?P\w+\s+", "", line)
            code.append(re.split(r"[\s;]", line, maxsplit=1)[0])
            jump = re.match(r"BRA\b.*?(\w+);$", line)
            if jump and jump[1] in labels:
                loops.append((labels[jump[1]], len(code)))
    taking = [(a, b) for a, b in loops if "MUFU.SIN" in code[a:b]]
    if not taking:
        return []
    first, last = min(taking, key=lambda found: found[1] - found[0])
    return code[first:last]


def a_normal(sass: str) -> dict[str, float] | None:
    """Instructions a normal in the loop of a program: issued, and those of the special-function unit."""
    loop = loop_of(sass)
    names = Counter(loop)
    normals = 2 * names["MUFU.SIN"]
    if not normals:
        return None
    special = sum(count for name, count in names.items() if name.startswith("MUFU"))
    return {"issued": len(loop) / normals, "special": special / normals, "local": float(names["LDL"] + names["STL"])}


def compiled(capability: int, quads: int) -> str:
    """The machine code of the approximate program for a GPU of that capability (90 for 9.0); needs Triton, no GPU."""
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    from montecarlo.kernels import gpu, gpu_code

    program = gpu_code.scores_program
    names = program.arg_names
    values = {"ROUNDS": gpu.ROUNDS, "QUADS": quads, "N": gpu.LANES, "APPROXIMATE": True}
    signature = {name: "constexpr" if name in _COMPILED else _POINTERS.get(name, "i32") for name in names}
    aligned = {(names.index(name),): [["tt.divisibility", 16]] for name in (*_POINTERS, "width")}
    source = ASTSource(fn=program, signature=signature, constexprs=values, attrs=aligned)
    built = triton.compile(source, target=GPUTarget("cuda", capability, 32), options={"num_warps": gpu.WARPS})
    return str(built.asm["sass"])


def missing() -> str | None:
    """Why nothing can be measured on a GPU here; None where it can."""
    from montecarlo.kernels import gpu

    if os.environ.get("TRITON_INTERPRET") == "1":
        return "TRITON_INTERPRET is set"
    return gpu.missing()


def ceiling(d: int) -> dict[str, Any]:
    """The issue limit of the GPU at hand, in normals a second, and what it is made of."""
    import torch
    import triton

    from montecarlo.kernels import gpu

    index = torch.cuda.current_device()
    facts = triton.runtime.driver.active.utils.get_device_properties(index)
    major, minor = torch.cuda.get_device_capability(index)
    normal = a_normal(compiled(10 * major + minor, gpu.layout(d).at_once))
    clock, units = 1e3 * facts["sm_clock_rate"], facts["multiprocessor_count"]
    found = {"device": torch.cuda.get_device_name(index), "clock": clock, "multiprocessors": units, "a normal": normal}
    return found | {"normals a second": None if normal is None else LANES_A_CYCLE * units * clock / normal["issued"]}


def timed(T: int, d: int, approximate: bool) -> dict[str, Any]:
    """Normals and walks a second of tier b on the GPU at hand, and the seconds until its first walks."""
    import time

    import torch

    from montecarlo.kernels import gpu
    from proofs_check.bench.serve import weights

    case = gpu.ready(T, d, torch.eye(d, dtype=torch.float64), torch.tensor(weights(d)), "sigma")
    walks = max(1 << 14, min(WALKS, (1 << 35) // (T * d)))

    def draw(block: int) -> None:
        case.draw(key=1, block=block, walks=walks, approximate=approximate)

    began = time.perf_counter()
    draw(0)
    torch.cuda.synchronize()
    start = time.perf_counter() - began
    rates = []
    for turn in range(WARM + TIMINGS):
        first, last = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        first.record()
        draw(turn + 1)
        last.record()
        last.synchronize()
        if turn >= WARM:
            rates.append(walks / (first.elapsed_time(last) / 1e3))
    torch.cuda.reset_peak_memory_stats()
    draw(0)
    once = torch.cuda.max_memory_allocated()
    found = spread(rates)
    return {
        "status": "measured",
        "walks a turn": walks,
        "rounds": TIMINGS,
        "walks a second": found,
        "normals a second": {name: rate * T * d for name, rate in found.items()},
        "start": {"first walks": start},
        "memory": {"peak": once},
    }


def rows(sizes: Sequence[tuple[int, int]]) -> list[dict[str, Any]]:
    """A row for each size and program of tier b; where there is no GPU each says that it was not measured, and why."""
    why = missing()
    found = []
    for T, d in sizes:
        for name, approximate in (("fused, GPU", False), ("fused, GPU, approximate", True)):
            row = {"name": name, "kind": "gpu", "T": T, "d": d, "status": f"{NOT_MEASURED}: {why}", "ceiling": None}
            if why is None:
                try:
                    row |= timed(T, d, approximate)
                    row["ceiling"] = ceiling(d) if approximate else None
                except Exception as error:
                    row["status"] = f"failed: {type(error).__name__}: {str(error)[:200]}"
            found.append(row)
        why_joint = why or "tier c has no program for a GPU"
        found.append({"name": "joint, GPU", "kind": "gpu", "T": T, "d": d, "status": f"{NOT_MEASURED}: {why_joint}"})
    return found
