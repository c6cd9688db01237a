"""The GPU's part of the bench: device events, and the ceiling of the GPU at hand. Without one nothing is measured.

A multiprocessor has four schedulers of 32 lanes, each of which issues one instruction a cycle, so that a program of c
instructions a normal draws at most 128 multiprocessors clock / c normals a second; c is counted in the loop of the
program's own machine code. That holds for tier b's programs with approximate instructions: one sine a pair of normals.
What limits tier c is counted in ``device_joint``.
"""

# mypy: disable-error-code="import-untyped, import-not-found, no-untyped-call"
from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from proofs_check.bench.measure import spread

#: Timings of a size, after some that warm up; walks of a timing of tiers b and c.
TIMINGS, WARM, WALKS, JOINT_WALKS = 30, 3, 1 << 22, 1 << 24
LANES_A_CYCLE = 4 * 32
NOT_MEASURED = "not measured"

_POINTERS = {"out": "*fp32", "ends": "*fp32", "queries": "*fp32", "level": "*fp64", "step": "*fp64"}


def code_and_loops(sass: str) -> tuple[list[str], list[tuple[int, int]]]:
    """The names of a program's instructions, and its loops as (first, last + 1): from a label to a jump back to it."""
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
    return code, loops


def loop_of(sass: str) -> list[str]:
    """The names of the instructions of the innermost loop that takes sines; empty where there is none."""
    code, loops = code_and_loops(sass)
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
    """The machine code of tier b's approximate program for a GPU of that capability (90 for 9.0); needs no GPU."""
    from montecarlo.kernels import gpu, gpu_code

    values = {"ROUNDS": gpu.ROUNDS, "QUADS": quads, "N": gpu.LANES, "APPROXIMATE": True}
    return machine_code(gpu_code.scores_program, values, _POINTERS, ["width"], capability)


def machine_code(
    program: Any, values: Mapping[str, object], types: Mapping[str, str], whole: Sequence[str], capability: int
) -> str:
    """A Triton program's machine code, for ``values`` of what is compiled in and ``types`` of what is no int32.

    Pointers, and the numbers in ``whole``, are multiples of 16.
    """
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    from montecarlo.kernels import gpu

    names = program.arg_names
    signature = {name: "constexpr" if name in values else types.get(name, "i32") for name in names}
    pointers = [name for name in names if signature[name].startswith("*")]
    aligned = {(names.index(name),): [["tt.divisibility", 16]] for name in (*pointers, *whole)}
    source = ASTSource(fn=program, signature=signature, constexprs=dict(values), attrs=aligned)
    built = triton.compile(source, target=GPUTarget("cuda", capability, 32), options={"num_warps": gpu.WARPS})
    return str(built.asm["sass"])


def missing() -> str | None:
    """Why nothing can be measured on a GPU here; None where it can."""
    from montecarlo.kernels import gpu

    if os.environ.get("TRITON_INTERPRET") == "1":
        return "TRITON_INTERPRET is set"
    return gpu.missing()


def facts() -> tuple[dict[str, Any], int]:
    """The GPU at hand, with its clock (Hz) and its memory's bytes a second, and its compute capability (90 for 9.0)."""
    import torch
    import triton

    index = torch.cuda.current_device()
    told = triton.runtime.driver.active.utils.get_device_properties(index)
    major, minor = torch.cuda.get_device_capability(index)
    found = {
        "device": torch.cuda.get_device_name(index),
        "clock": 1e3 * told["sm_clock_rate"],
        "multiprocessors": told["multiprocessor_count"],
        # two numbers a cycle and line
        "memory": 2e3 * told["mem_clock_rate"] * told["mem_bus_width"] / 8,
    }
    return found, 10 * major + minor


def ceiling(d: int) -> dict[str, Any]:
    """The issue limit of the GPU at hand for tier b, in normals a second, and what it is made of."""
    from montecarlo.kernels import gpu

    found, capability = facts()
    normal = a_normal(compiled(capability, gpu.layout(d).at_once))
    most = LANES_A_CYCLE * found["multiprocessors"] * found["clock"]
    return found | {"a normal": normal, "normals a second": None if normal is None else most / normal["issued"]}


def timed(tier: str, T: int, d: int, approximate: bool) -> dict[str, Any]:
    """Normals and walks a second of a tier on the GPU at hand, and the seconds until its first walks."""
    import time

    import torch

    from montecarlo.kernels import gpu, gpu_joint
    from proofs_check.bench.serve import weights

    ready = gpu_joint.ready if tier == "joint" else gpu.ready
    case = ready(T, d, torch.eye(d, dtype=torch.float64), torch.tensor(weights(d)), "sigma")
    walks = max(1 << 14, min(WALKS, (1 << 35) // (T * d)))
    if tier == "joint":
        # their scores take at most a quarter of what memory is free
        walks = max(1 << 14, min(JOINT_WALKS, torch.cuda.mem_get_info()[0] // (16 * T)))
    a_walk = T + d if tier == "joint" else T * d

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
        "normals a second": {name: rate * a_walk for name, rate in found.items()},
        "start": {"first walks": start},
        "memory": {"peak": once},
    }
