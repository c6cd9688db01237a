"""Nothing that is read is run: the product's code calls nothing that takes text, or a file, for code."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("theorems", "montecarlo", "proofs_check", "figures")
#: Calls by their last name, wherever it comes from.
CALLS = frozenset({"exec", "__import__", "parse_expr", "parse_latex", "parse_mathematica", "system", "popen", "S"})
#: Modules whose files are programs, or that start others.
MODULES = frozenset({"pickle", "cPickle", "dill", "cloudpickle", "marshal", "shelve", "joblib", "yaml", "subprocess"})
#: Who reads what a user hands over never makes an expression of it.
READERS = (
    *("reading", "expect", "caseinput", "structured_input", "entries", "lock", "kept", "cluster", "explore", "files"),
    *("cli", "plugins", "outputs", "errors", "terminal", "checks", "verify", "claims", "reports", "measuring"),
)


#: The bench times scripts of its own in processes of their own; a worker talks with its own process beside it.
KNOWN = {
    "proofs_check/bench/checks.py": ["imports subprocess"],
    "proofs_check/bench/contestant.py": ["imports subprocess"],
    "proofs_check/judging/remote.py": ["imports pickle", "imports subprocess"],
}


def offences(text: str, name: str) -> Iterator[str]:
    """What in a module's text could run what it reads."""
    reader = name.startswith("proofs_check/") and Path(name).stem in READERS
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else [node.module or ""]
            yield from (f"imports {module}" for module in names if module.split(".")[0] in MODULES)
        if not isinstance(node, ast.Call):
            continue
        called = _dotted(node.func)
        last = called.rsplit(".", 1)[-1]
        if last in CALLS or called == "eval" or called == "compile" or called.endswith("torch.load"):
            yield f"calls {called}"
        elif last == "sympify" and (reader or _text(node)):
            yield f"calls {called} on text"
        elif called in ("np.load", "numpy.load", "np.fromfile") and not any(
            k.arg == "allow_pickle" and ast.unparse(k.value) == "False" for k in node.keywords
        ):
            yield f"calls {called} without allow_pickle=False"
        elif last == "lambdify":
            yield f"calls {called}"


def _dotted(node: ast.expr) -> str:
    """The text of a name; unparsing takes long, and nearly all calls are of plain names."""
    if isinstance(node, ast.Name):
        return node.id
    return f"{_dotted(node.value)}.{node.attr}" if isinstance(node, ast.Attribute) else ast.unparse(node)


def _text(node: ast.Call) -> bool:
    """Whether a call's first argument is plainly text."""
    first = node.args[0] if node.args else None
    return isinstance(first, ast.JoinedStr) or (isinstance(first, ast.Constant) and isinstance(first.value, str))


@pytest.mark.parametrize("package", PACKAGES)
def test_nothing_that_is_read_is_run(package: str) -> None:
    found = {
        path.relative_to(ROOT).as_posix(): list(
            offences(path.read_text(encoding="utf-8"), path.relative_to(ROOT).as_posix())
        )
        for path in sorted((ROOT / package).rglob("*.py"))
    }
    assert {name: what for name, what in found.items() if what and KNOWN.get(name) != what} == {}
    assert len(found) > 5


@pytest.mark.parametrize(
    "planted",
    [
        "eval(text)",
        "exec(text)",
        "compile(text, '', 'eval')",
        "import pickle",
        "from pickle import loads",
        "__import__(name)",
        "sp.sympify('x')",
        "sympy.S(text)",
        "sympy.parse_expr(text)",
        "torch.load(path)",
        "np.load(path)",
        "np.load(path, allow_pickle=True)",
        "os.system(text)",
        "sp.lambdify(x, e)",
        "sp.sympify(value)",
    ],
)
def test_a_planted_offence_is_seen(planted: str) -> None:
    assert list(offences(f"def f(text, path):\n    {planted}\n", "proofs_check/report/reading.py"))
    assert not list(offences("def f(x):\n    return ast.parse(x)\n", "proofs_check/report/reading.py"))
