"""What a GPU allows tier c, in walks a second: counted in its programs' machine code, and by its products and bytes.

A program's instructions a walk are those of its loops, times how often they run, and the others once. A multiprocessor
issues 128 of them a cycle and takes 16 of its special-function unit. A walk's products of matrices are counted against
what its tensor cores multiply a cycle (TENSOR), its bytes against the memory's clock and width. Each limit holds alone:
the machine can be no faster than the least.
"""

# mypy: disable-error-code="import-untyped, import-not-found, no-untyped-call"
from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from proofs_check.bench import device

#: Lanes a cycle of a multiprocessor's special-function units.
SPECIAL_A_CYCLE = 16
#: Multiplications and additions of float16, added in float32, a cycle of a multiprocessor, by compute capability.
TENSOR = {80: 2048, 90: 4096}
#: What limits, in a word for the report.
LIMITS = {"issued": "issue", "special": "evaluate", "tensor": "multiply", "memory": "store"}


def program(sass: str, trips: Sequence[float]) -> dict[str, float] | None:
    """Instructions of a thread: issued, of the special-function unit, and loads and stores of local memory.

    ``trips`` says how often in all the body of each loop runs that makes normals, the innermost first. None where the
    loops are others than these.
    """
    code, loops = device.code_and_loops(sass)
    inner = [(a, b) for a, b in loops if any(name.startswith("MUFU") for name in code[a:b])]
    inner.sort(key=lambda found: found[1] - found[0])
    nested = all(c <= a and b <= d for (a, b), (c, d) in pairwise(inner))
    if len(inner) != len(trips) or not nested:
        return None
    total: dict[str, float] = defaultdict(float)
    done: Counter[str] = Counter()
    for (first, last), times in zip(inner, trips, strict=True):
        names = Counter(code[first:last])
        for name, count in (names - done).items():
            total[name] += count * times
        done = names
    for name, count in (Counter(code) - done).items():
        total[name] += count
    return {
        "issued": sum(total.values()),
        "special": sum(count for name, count in total.items() if name.startswith("MUFU")),
        "local": sum(count for name, count in Counter(code).items() if name.startswith(("LDL", "STL"))),
    }


def compiled(capability: int, d: int, approximate: bool, dense: bool = True) -> tuple[str, str]:
    """The machine code of both programs for a GPU of that capability (90 for 9.0), for W of d rows; needs no GPU."""
    from montecarlo.kernels import gpu_joint, gpu_joint_code

    shape = gpu_joint.shape(d, dense)
    shared = {"ROUNDS": 10, "N": gpu_joint.LANES, "APPROXIMATE": approximate}
    products = 0 if not dense else 2 if approximate else 3
    numbers = {"QUADS": shape.quads, "D": shape.rows, "PRODUCTS": products}
    half, single = "*fp16" if dense else "*fp32", "*fp32"
    types = {"found": single, "high": half, "low": half, "weight": single, "mean_unit": "fp32", "spread_unit": "fp32"}
    ends = device.machine_code(gpu_joint_code.ends_program, shared | numbers, types, ["width", "padded"], capability)
    types = {"out": single, "ends": single, "bridge": single}
    return ends, device.machine_code(gpu_joint_code.tokens_program, shared, types, ["width"], capability)


def a_walk(T: int, d: int, approximate: bool, capability: int, dense: bool = True) -> dict[str, float] | None:
    """What a walk from x_1 ~ N(0, Sigma) takes: instructions, operations of tensor cores, bytes; None if uncounted."""
    from montecarlo.kernels import gpu_joint

    shape = gpu_joint.shape(d, dense)
    panels = [(shape.padded - row) // (4 * shape.quads) for row in range(0, shape.padded, shape.rows)]
    trips = (sum(panels), len(panels)) if dense else (shape.padded // (4 * shape.quads),)
    ends_code, tokens_code = compiled(capability, d, approximate, dense)
    tokens = -(-T // 4)
    ends, later = program(ends_code, trips), program(tokens_code, (tokens,))
    if ends is None or later is None:
        return None
    products = 0 if not dense else 2 if approximate else 3
    return {name: ends[name] + later[name] for name in ends} | {
        "tensor": 2.0 * products * sum(panels) * 4 * shape.quads * shape.rows,
        # the scores, and two numbers of the end there and back
        "memory": 4.0 * (4 * tokens + 4),
    }


def limits(walk: Mapping[str, float], facts: Mapping[str, float], capability: int) -> dict[str, float | None]:
    """Walks a second by each limit alone, for a multiprocessor's ``clock`` and number, and bytes a second."""
    cycles = facts["multiprocessors"] * facts["clock"]
    allowed = {
        "issued": device.LANES_A_CYCLE * cycles,
        "special": SPECIAL_A_CYCLE * cycles,
        "tensor": TENSOR[capability] * cycles if capability in TENSOR else None,
        "memory": facts["memory"],
    }
    return {
        name: None if most is None or not walk[name] or not most else most / walk[name]
        for name, most in allowed.items()
    }


def ceiling(T: int, d: int, approximate: bool) -> dict[str, Any]:
    """The limits of the GPU at hand, in walks a second, the least of them, and what they are made of."""
    facts, capability = device.facts()
    walk = a_walk(T, d, approximate, capability)
    if walk is None:
        return facts | {"a walk": None, "walks a second": None, "normals a second": None}
    found = limits(walk, facts, capability)
    name, least = min(((name, most) for name, most in found.items() if most is not None), key=lambda pair: pair[1])
    normals = {"normals a second": least * (T + d), "by": LIMITS[name]}
    return facts | {"a walk": walk, "walks a second": found} | normals
