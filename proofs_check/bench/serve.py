"""A contestant's process: ``python serve.py SCRIPT``, then a JSON object a line on standard input, one back on each.

    {"do": "make", "T":, "d":, "seed":, "batch": or "tier":} -> {"import": s, "make": s, "batches": [...]}
    {"do": "run", "walks":, "threads":}      -> {"seconds":, "share":, "walks":, "mean":, "square":, "peak": bytes}

``share`` is the part of its threads' time that the process was given cores for.

``mean`` and ``square`` are the means of the last token's score and of its square, where the script reduces scores. An
error comes back as {"missing": module} or {"error": text}. What a script prints goes to the standard error stream.
"""

from __future__ import annotations

import json
import os
import runpy
import sys
import time
from collections.abc import Callable
from typing import Any

Made = Callable[[int, int], Any]


def weights(d: int) -> Any:
    """W (d, d), the same for all: not symmetric, of trace about 1."""
    import numpy as np

    return (np.eye(d) + np.random.default_rng(0).standard_normal((d, d)) / d**0.5) / d


def peak() -> int:
    """The most memory that the process has held at a time, in bytes; 0 where the system does not say."""
    try:
        with open("/proc/self/status") as status:
            line = next(line for line in status if line.startswith("VmHWM"))
    except (OSError, StopIteration):
        return 0
    return int(line.split()[1]) * 1024


def make(script: str, asked: dict[str, Any]) -> tuple[Made, dict[str, Any]]:
    """Run the script and make its loop; also what that took."""
    began = time.perf_counter()
    space = runpy.run_path(script)
    imported = time.perf_counter()
    further = {name: asked[name] for name in ("batch", "tier") if name in asked}
    run = space["make"](asked["T"], asked["d"], weights(asked["d"]), asked["seed"], **further)
    made = time.perf_counter()
    return run, {"import": imported - began, "make": made - imported, "batches": list(space.get("BATCHES", ()))}


def timed(run: Made, walks: int, threads: int) -> dict[str, Any]:
    """Draw walks, timed; a script gives (first, second) sums by token, or (walks, mean, square[, its own seconds])."""
    began, worked = time.perf_counter(), time.process_time()
    found = run(walks, threads)
    seconds, worked = time.perf_counter() - began, time.process_time() - worked
    # of the wall's time, whatever seconds the script gives
    share = worked / (seconds * threads)
    answer: dict[str, Any] = {
        "seconds": seconds,
        "share": share,
        "walks": walks,
        "mean": None,
        "square": None,
        "peak": peak(),
    }
    if len(found) == 2:
        answer |= {"mean": float(found[0][-1]) / walks, "square": float(found[1][-1]) / walks}
    else:
        answer |= dict(zip(("walks", "mean", "square", "seconds"), found, strict=False))
    return answer


def main() -> int:
    """Answer line by line until the input ends."""
    answers = os.fdopen(os.dup(1), "w")
    # a library that prints must not be taken for an answer
    os.dup2(2, 1)
    run: Made | None = None
    for line in sys.stdin:
        asked = json.loads(line)
        try:
            if asked["do"] == "make":
                run, answer = make(sys.argv[1], asked)
            elif run is None:
                answer = {"error": "run before make"}
            else:
                answer = timed(run, asked["walks"], asked["threads"])
        except ModuleNotFoundError as error:
            answer = {"missing": error.name or str(error)}
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"[:500]}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
