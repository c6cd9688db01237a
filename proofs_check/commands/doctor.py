"""What this installation has and what it misses."""

from __future__ import annotations

import importlib
import os
import platform
import sys
from importlib import metadata

from proofs_check import __version__
from proofs_check.judging.process import cores

#: What the suite imports: the name of the module and that of its distribution.
NEEDED = (
    ("torch", "torch"),
    ("sympy", "sympy"),
    ("mpmath", "mpmath"),
    ("flint", "python-flint"),
    ("numpy", "numpy"),
    ("scipy", "scipy"),
    ("hypothesis", "hypothesis"),
    ("rich", "rich"),
    ("matplotlib", "matplotlib"),
)
TORCH = "2.13.0"
MEND = "pip install -r constraints.txt, then pip install -e ."


def _memory() -> str:
    try:
        return f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.1f} GiB"
    except (ValueError, OSError, AttributeError):
        return "unknown"


def examine() -> tuple[list[tuple[str, str]], list[str]]:
    """Facts as (name, value), and what is missing or not as pinned, each with its mend."""
    facts = [("twofold", __version__), ("python", f"{platform.python_version()} ({sys.executable})")]
    missing: list[str] = []
    for module, distribution in NEEDED:
        try:
            importlib.import_module(module)
            facts.append((distribution, metadata.version(distribution)))
        except (ImportError, OSError) as error:
            reason = " ".join(str(error).split())
            facts.append((distribution, "missing"))
            missing.append(f"{distribution}: {reason}; {MEND}")
    facts += [("platform", platform.platform()), ("memory", _memory()), ("threads", str(cores()))]
    torch_facts, torch_missing = _torch()
    return facts + torch_facts, missing + torch_missing


def _torch() -> tuple[list[tuple[str, str]], list[str]]:
    try:
        import torch
    except (ImportError, OSError):
        return [], []
    facts = [
        ("torch threads", str(torch.get_num_threads())),
        ("device cpu", platform.processor() or platform.machine()),
    ]
    if torch.cuda.is_available():
        for index in range(torch.cuda.device_count()):
            properties = torch.cuda.get_device_properties(index)
            facts.append((f"device cuda:{index}", f"{properties.name}, {properties.total_memory / 2**30:.1f} GiB"))
    else:
        facts.append(("device cuda", "none"))
    missing = []
    if torch.__version__.split("+")[0] != TORCH:
        missing.append(f"torch {TORCH}: {torch.__version__} is installed; {MEND}")
    return facts, missing


def doctor() -> int:
    """Print the facts and what is missing; 0 where nothing is."""
    facts, missing = examine()
    width = max(len(name) for name, _ in facts)
    for name, value in facts:
        print(f"{name:<{width}}  {value}")
    for line in missing:
        print(f"missing: {line}")
    print("Nothing is missing." if not missing else f"{len(missing)} missing or not as pinned.")
    return 1 if missing else 0
