"""How long ``twofold check`` takes from the shell: a statement of each kind, beside an import of torch."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

#: A statement of each kind, as arguments of ``twofold check``: easy moments, and those that take longest.
STATEMENTS: dict[str, tuple[str, ...]] = {
    "moment": (
        "E[(x[i].T*W*x[j])**2] = i**2*tr(W*Sigma)**2 + i*(i + j)*tr((W*Sigma)**2)",
        "--for=W symmetric, i <= j",
    ),
    "limit": (
        "Var[s[i]]/tr((W*Sigma)**2) -> theta + theta**2",
        "--for=W symmetric",
        "--where=s[i] = x[i].T*W*x[T]/T",
        "--as=T -> oo, i/T -> theta",
    ),
    "function": ("E[abs(x[i].T*u)] = sqrt(2*i/pi)*norm(u)", "--for=u in R^d, Sigma = I"),
    "kernel": (
        "T*E[norm(mean(x))**2] -> tr(Sigma)*(1 - a)/(1 + a)",
        "--for=0 < a < 1",
        "--law=ar1(a)",
        "--as=T -> oo",
    ),
    "kurtosis": ("Kurt[x[i].T*W*x[i]] = 12*tr((W*Sigma)**4)/tr((W*Sigma)**2)**2", "--for=W symmetric"),
    "error term": ("E[sum(x[j].T*W*x[T], j, 1, T)] = T**3/(2*T + 7)*tr(W*Sigma) + o(T**2)", "--as=T -> oo"),
    "inequality": ("norm(W, 2) <= norm(W, fro)",),
}
EFFORTS = ("quick", "standard")
#: Runs of each, of which the fastest counts: the machine is shared.
RUNS = 2


def timed(command: Sequence[str]) -> dict[str, Any]:
    """Seconds until a command's first line and its end, its processor seconds, its exit status and last output."""
    began = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        first = time.perf_counter() - began
        told = process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return {
        "first line": first,
        "wall": time.perf_counter() - began,
        "cpu": used.ru_utime + used.ru_stime,
        "status": process.returncode,
        "told": told,
    }


def _best(command: Sequence[str]) -> dict[str, Any]:
    runs = [timed(command) for _ in range(RUNS)]
    best = min(runs, key=lambda run: float(run["cpu"]))
    return best | {"first line": min(run["first line"] for run in runs), "wall": min(run["wall"] for run in runs)}


def rows(told: Callable[[str], None] = lambda _: None) -> list[dict[str, Any]]:
    """A row for every statement and effort; each with its processor seconds over those of ``import torch``."""
    told("twofold check")
    yardstick = _best([sys.executable, "-c", "import torch"])
    found = []
    for kind, arguments in STATEMENTS.items():
        for effort in EFFORTS:
            run = _best([sys.executable, "-m", "proofs_check", "check", *arguments, f"--effort={effort}"])
            verdict = next((word for word in ("verified", "refuted", "undecided") if word in run["told"]), "error")
            found.append(
                {
                    "kind": kind,
                    "effort": effort,
                    "statement": arguments[0],
                    "verdict": verdict if run["status"] == 0 else f"exit {run['status']}",
                    "first line": run["first line"],
                    "wall": run["wall"],
                    "cpu": run["cpu"],
                    "over import torch": run["cpu"] / yardstick["cpu"],
                }
            )
    return found


def lines(found: Sequence[dict[str, Any]]) -> list[str]:
    """The rows as a table's lines."""
    head = ("twofold check", "effort", "verdict", "first line", "seconds", "processor", "/ import torch")
    table = [head]
    for row in found:
        times = (f"{row[name]:.2f}" for name in ("first line", "wall", "cpu", "over import torch"))
        table.append((row["kind"], row["effort"], row["verdict"], *times))
    widths = [max(len(line[k]) for line in table) for k in range(len(head))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in table]
