"""The import law: who may import what, read from the source of all four packages, and shown to catch each breach.

A simulation that could reach the algebra, or a derivation that could reach the print, would prove nothing.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

#: What reads a user's model: the extra `models`, imported where a file asks for it.
FORMATS = {"safetensors", "gguf", "tokenizers"}
#: What each package may import beside the standard library and itself.
ALLOWED = {
    "theorems": {"sympy", "mpmath", "flint", "numpy", "scipy", "cvxpy", "clarabel"},
    "montecarlo": {"torch", "numpy", "scipy", "numba", "triton", *FORMATS},
    "proofs_check": {
        *(
            "theorems",
            "montecarlo",
            "rich",
            "hypothesis",
            "jinja2",
            "jsonschema",
            "msgspec",
            "markupsafe",
            "math_core",
            "shtab",
            "distributed",
        ),
        *("sympy", "mpmath", "flint", "cvxpy", "clarabel", "torch", "numpy", "scipy", "numba", "triton"),
    },
    "figures": {"proofs_check", "numpy", "matplotlib"},
}
#: The one import against the table: `twofold figures` and `twofold measure` hand over to the figures.
HANDS_OVER = (Path("proofs_check/commands/measuring.py"), "figures.")
#: Scripts that other libraries are timed with: each is a process of its own, and nothing imports them.
PEERS = Path("proofs_check/bench/peers")
#: Sub-packages of theorems that hold the prints or compare with them; none of a derivation's modules may reach these.
READERS = ("claims", "kernel")
#: What holds the printed formulas, and the file it reads them from.
PRINTS = ("theorems.claims.catalogue",)
PRINT_FILE = "statements.toml"


@dataclass(frozen=True)
class Import:
    """A module that a file names in an import; ``name`` is None where only running the code would tell."""

    name: str | None
    line: int


def module_of(path: Path, root: Path) -> tuple[str, ...]:
    """``theorems/bao2024/lemma1.py`` -> ("theorems", "bao2024", "lemma1")."""
    parts = path.relative_to(root).with_suffix("").parts
    return parts[:-1] if parts[-1] == "__init__" else parts


def package_of(path: Path, root: Path) -> tuple[str, ...]:
    """The package that relative imports of a file start from."""
    return path.relative_to(root).parent.parts


class Names:
    """What the names of one function stand for, where each is bound once: enough to follow a name to an import."""

    def __init__(self, nodes: Iterable[ast.AST], package: tuple[str, ...]) -> None:
        self.package = ".".join(package)
        self.bound: dict[str, ast.expr] = {}
        times: dict[str, int] = {}
        for node in nodes:
            if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
                name = node.targets[0].id
                if isinstance(node.value, ast.Constant) and node.value.value is None:
                    times[name] = times.get(name, 0) - 1
                else:
                    self.bound[name] = node.value
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                times[node.id] = times.get(node.id, 0) + 1
            if isinstance(node, ast.arg):
                times[node.arg] = times.get(node.arg, 0) + 1
        self.bound = {name: value for name, value in self.bound.items() if times[name] == 1}

    def start(self, node: ast.expr | None, depth: int = 0) -> str | None:
        """The text that a string expression begins with; None where only running it would tell."""
        if depth > 8:
            return None
        match node:
            case ast.Constant(value=str(text)):
                return text or None
            case ast.JoinedStr(values=[first, *rest]) | ast.BinOp(left=first, op=ast.Add(), right=ast.expr() as rest):
                begun = self.start(first.value if isinstance(first, ast.FormattedValue) else first, depth + 1)
                # The next piece follows at once: "tor" + "ch" begins with no module's name.
                follows = rest[0] if isinstance(rest, list) and rest else rest
                dotted = isinstance(follows, ast.Constant) and str(follows.value).startswith(".")
                return begun if begun and ("." in begun or dotted or not rest) else None
            case ast.Name(id="__package__"):
                return self.package
            case ast.Name(id=name):
                return self.start(self.bound.get(name), depth + 1)
            case ast.Attribute(value=ast.Name(id=name), attr="__name__"):
                called = self.bound.get(name)
                return self.start(called.args[0], depth + 1) if isinstance(called, ast.Call) and called.args else None
        return None


def scopes(tree: ast.Module) -> Iterator[list[ast.AST]]:
    """The nodes of each outermost function, and those outside all functions."""
    outside: list[ast.AST] = []
    queue: list[ast.AST] = [tree]
    while queue:
        node = queue.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield list(ast.walk(node))
        else:
            outside.append(node)
            queue += ast.iter_child_nodes(node)
    yield outside


def imports(path: Path, root: Path) -> tuple[Import, ...]:
    """Every import of a file, wherever in it: statements, relative ones, import_module and __import__ calls."""
    return tuple(_imports(path.read_text(encoding="utf-8"), package_of(path, root)))


@cache
def _imports(text: str, package: tuple[str, ...]) -> list[Import]:
    """Those of a file with this text, read once: many derivations reach the same files."""
    return list(_found(ast.parse(text), package))


def _found(tree: ast.Module, package: tuple[str, ...]) -> Iterator[Import]:
    for names, node in ((names, node) for nodes in scopes(tree) for names in [Names(nodes, package)] for node in nodes):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(alias.name, node.lineno)
        elif isinstance(node, ast.ImportFrom):
            base = package[: max(0, len(package) - node.level + 1)] if node.level else ()
            stem = ".".join((*base, *([node.module] if node.module else [])))
            if stem:
                yield Import(stem, node.lineno)
            for alias in node.names:
                yield Import(f"{stem}.{alias.name}" if stem else alias.name, node.lineno)
        elif isinstance(node, ast.Call):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if called in ("import_module", "__import__", "import_", "importorskip"):
                given = [*node.args, *(keyword.value for keyword in node.keywords if keyword.arg == "name")]
                name = names.start(given[0]) if given else None
                if name and name.startswith("."):
                    name = ".".join(package) + name
                yield Import(name, node.lineno)


def files(root: Path, package: str) -> list[Path]:
    """The sources of one package."""
    return sorted(path for path in (root / package).rglob("*.py") if root / PEERS not in path.parents)


def breaches(root: Path) -> list[str]:
    """Every import against the table, as ``file:line: what``."""
    found = []
    for package, allowed in ALLOWED.items():
        for path in files(root, package):
            for entry in imports(path, root):
                where = f"{path.relative_to(root)}:{entry.line}"
                if entry.name is None:
                    # Only there may a name be worked out at run time, where both sides may be imported anyway.
                    if package != "proofs_check":
                        found.append(f"{where}: imports a name that only running it would tell")
                    continue
                top = entry.name.split(".")[0]
                if path.relative_to(root) == HANDS_OVER[0] and entry.name.startswith(HANDS_OVER[1]):
                    continue
                if top != package and top not in allowed and top not in sys.stdlib_module_names:
                    found.append(f"{where}: {package} may not import {entry.name}")
    return found


def derivations(root: Path) -> list[Path]:
    """The modules below theorems/<folder>/: the papers' derivations, and sub-packages that they are written with."""
    below = [path for path in files(root, "theorems") if len(path.relative_to(root).parts) > 2]
    return [path for path in below if path.relative_to(root).parts[1] not in READERS]


def circles(root: Path, package: str, lazy: bool = True) -> list[list[str]]:
    """Modules and sub-packages right below a package that import each other in a circle.

    Without ``lazy`` imports within functions do not count.
    """
    above, *below = package.split(".")
    names = {".".join(module_of(path, root)) for path in files(root, above)}
    graph: dict[str, set[str]] = {}
    depth = 1 + len(below)
    for path in files(root, above):
        here = module_of(path, root)
        late = [] if lazy else [range(one.lineno, (one.end_lineno or 0) + 1) for one in functions(path)]
        for entry in imports(path, root):
            to = (entry.name or "").split(".")
            inside = len(here) > depth < len(to) and [*here[:depth]] == to[:depth] == [above, *below]
            counts = inside and not any(entry.line in lines for lines in late)
            if counts and to[depth] != here[depth] and ".".join(to[: depth + 1]) in names:
                graph.setdefault(here[depth], set()).add(to[depth])
    ordered = TopologicalSorter(graph)
    try:
        ordered.prepare()
    except CycleError as error:
        return [error.args[1]]
    return []


def functions(path: Path) -> list[ast.stmt]:
    """What runs later than an import: functions, and what only a type checker reads."""
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return [
        node
        for node in nodes
        if isinstance(node, ast.FunctionDef) or (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING")
    ]


def print_readers(root: Path) -> list[str]:
    """Derivations and simulations that could see a printed formula, as ``file: how``."""
    table = {".".join(module_of(path, root)): path for path in files(root, "theorems")}
    found = []
    for path in derivations(root):
        reached, queue = set(), [path]
        while queue:
            current = queue.pop()
            for entry in imports(current, root):
                name = entry.name or ""
                if name.startswith(PRINTS):
                    found.append(f"{path.relative_to(root)}: reaches {name} through {current.relative_to(root)}")
                if name in table and name not in reached:
                    reached.add(name)
                    queue.append(table[name])
    for path in [*derivations(root), *files(root, "montecarlo")]:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and PRINT_FILE in node.value:
                found.append(f"{path.relative_to(root)}: names {PRINT_FILE}")
        names = {(entry.name or "").split(".")[0] for entry in imports(path, root)}
        if "tomllib" in names:
            found.append(f"{path.relative_to(root)}: reads TOML")
    return found


def drawing_breaches(root: Path) -> list[str]:
    """Drawing functions (``draw...``) that use anything of proofs_check: they take results."""
    found = []
    for path in files(root, "figures"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        bound = {
            (alias.asname or alias.name).split(".")[0]
            for node in ast.walk(tree)
            if isinstance(node, (ast.Import, ast.ImportFrom))
            for alias in node.names
            if (getattr(node, "module", None) or alias.name).split(".")[0] == "proofs_check"
        }
        for function in ast.walk(tree):
            if isinstance(function, ast.FunctionDef) and function.name.startswith("draw"):
                used = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)} & bound
                found += [f"{path.relative_to(root)}: {function.name} uses {name}" for name in sorted(used)]
    return found


# ---- the repository


@pytest.mark.parametrize("package", ALLOWED)
def test_there_is_something_to_check(package: str) -> None:
    assert files(ROOT, package)


def test_the_law_holds() -> None:
    assert breaches(ROOT) == []


@pytest.mark.parametrize("package", ALLOWED)
def test_layers_only_point_downwards(package: str) -> None:
    assert circles(ROOT, package) == []


def test_the_layers_of_statements_only_point_downwards() -> None:
    """What binds or nests, a limit within a value, is read by a function that imports it when it is called."""
    assert circles(ROOT, "theorems.statement", lazy=False) == []
    assert circles(ROOT, "theorems.statement") != []


def test_a_circle_is_found(tmp_path: Path) -> None:
    for name, other in (("upper", "lower"), ("lower", "upper")):
        folder = tmp_path / "theorems" / name
        folder.mkdir(parents=True)
        (folder / "__init__.py").write_text("")
        (folder / "one.py").write_text(f"def f():\n    from theorems.{other} import one\n")
    assert circles(tmp_path, "theorems") != []


def test_no_derivation_and_no_simulation_can_see_the_print() -> None:
    assert derivations(ROOT)
    assert print_readers(ROOT) == []


def test_drawing_functions_take_results() -> None:
    assert drawing_breaches(ROOT) == []


@pytest.mark.parametrize("package", ["theorems", "montecarlo"])
def test_the_law_holds_where_it_is_run(package: str) -> None:
    """Importing every module of one side loads nothing of the other: what the source hides, the interpreter shows."""
    modules = [".".join(module_of(path, ROOT)) for path in files(ROOT, package)]
    foreign = {
        "theorems": ("torch", "numba", "triton", "montecarlo", "proofs_check", "figures"),
        "montecarlo": ("flint", "theorems", "proofs_check", "figures"),
    }[package]
    # torch imports sympy itself, so sympy's absence in montecarlo is checked in the source alone.
    code = f"import importlib, sys\nfor m in {modules!r}: importlib.import_module(m)\n"
    code += f"print([name for name in {foreign!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[]"


# ---- planted breaches

FORBIDDEN = {
    "theorems": ["torch", "numba", "triton", "montecarlo", "proofs_check", "figures", "rich", "matplotlib", "tests"],
    "montecarlo": ["sympy", "mpmath", "flint", "theorems", "proofs_check", "figures", "tests"],
    "proofs_check": ["figures", "matplotlib", "tests", "pandas"],
    "figures": ["torch", "sympy", "theorems", "montecarlo", "tests"],
}
PAIRS = [(package, name) for package, names in FORBIDDEN.items() for name in names]
FORMS = {
    "import": "import {name}",
    "as": "import {name} as harmless",
    "below": "import {name}.below",
    "from": "from {name} import thing",
    "from below": "from {name}.below import thing",
    "in a function": "def f():\n    import {name}",
    "in a try": "try:\n    import {name}\nexcept ImportError:\n    pass",
    "for types only": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import {name}",
    "relative": "from ... import {name}",
    "relative below": "from ...{name} import thing",
    "import_module": "import importlib\nimportlib.import_module('{name}')",
    "import_module, bare": "from importlib import import_module\nimport_module('{name}.below')",
    "import_module, named": "import importlib\nimportlib.import_module(name='{name}')",
    "import_module, f-string": "import importlib\nx = 'y'\nimportlib.import_module(f'{name}.{{x}}')",
    "import_module, sum": "import importlib\nx = 'y'\nimportlib.import_module('{name}.' + x)",
    "__import__": "__import__('{name}')",
}


def plant(root: Path, package: str, code: str, below: bool = True) -> Path:
    """A file with this code in a package of an otherwise empty tree."""
    path = root / package / ("paper/module.py" if below else "module.py")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(code)
    return path


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("package", "name"), PAIRS, ids=["-".join(pair) for pair in PAIRS])
def test_a_planted_import_is_caught(package: str, name: str, form: str, tmp_path: Path) -> None:
    plant(tmp_path, package, FORMS[form].format(name=name))
    found = breaches(tmp_path)
    assert found
    assert all(f"{package} may not import {name}" in line for line in found)
    assert found[0].startswith(f"{package}/paper/module.py:")


@pytest.mark.parametrize("form", [form for form in FORMS if not form.startswith("relative")])
@pytest.mark.parametrize("package", ALLOWED)
def test_what_is_allowed_is_not_caught(package: str, form: str, tmp_path: Path) -> None:
    plant(tmp_path, package, "\n".join(FORMS[form].format(name=name) for name in sorted(ALLOWED[package])))
    assert breaches(tmp_path) == []


def test_relative_imports_within_a_package_are_allowed(tmp_path: Path) -> None:
    plant(tmp_path, "theorems", "from . import sibling\nfrom .. import wick\nfrom ..wick import contract")
    assert breaches(tmp_path) == []


UNKNOWN = {
    "sum": "name = 'tor' + 'ch'\nimport_module(name)",
    "join": "import_module(''.join(['tor', 'ch']))",
    "f-string": "x = 'ch'\nimport_module(f'tor{x}')",
    "f-string of a name": "x = 'ch'\nfirst = 'tor'\nimport_module(f'{first}{x}')",
    "parameter": "def f(name):\n    import_module(name)",
    "name of the module": "name = 'theorems.x'\ndef f():\n    import_module(name)",
    "two bindings": "name = 'theorems.x'\nname = input()\nimport_module(name)",
    "parameter of another function": "name = 'theorems.x'\ndef f(name):\n    import_module(name)",
    "circle": "name = other\nother = name\nimport_module(name)",
}


@pytest.mark.parametrize("what", UNKNOWN)
@pytest.mark.parametrize("package", ["theorems", "montecarlo", "figures"])
def test_a_name_worked_out_at_run_time_is_caught(package: str, what: str, tmp_path: Path) -> None:
    plant(tmp_path, package, "from importlib import import_module\n" + UNKNOWN[what])
    assert "only running it would tell" in breaches(tmp_path)[0]


FOLLOWED = {
    "name": "name = 'torch.cuda'\nimport_module(name)",
    "f-string of a name": "name = f'torch.{input()}'\nimport_module(f'{name}.{input()}')",
    "name of a module": "package = import_module('torch.cuda')\nimport_module(f'{package.__name__}.{input()}')",
}


@pytest.mark.parametrize("what", FOLLOWED)
def test_a_name_is_followed_to_its_import(what: str, tmp_path: Path) -> None:
    plant(tmp_path, "theorems", "from importlib import import_module\n" + FOLLOWED[what])
    assert all("theorems may not import torch" in line for line in breaches(tmp_path))
    assert breaches(tmp_path)


def test_modules_of_the_own_package_may_be_found_at_run_time(tmp_path: Path) -> None:
    plant(tmp_path, "montecarlo", "import importlib\nimportlib.import_module(f'{__package__}.{input()}')")
    assert breaches(tmp_path) == []


@pytest.mark.parametrize(
    "code",
    [
        "import theorems.claims.catalogue",
        "from theorems.claims import catalogue",
        "from theorems.claims.catalogue import by_id",
        "from ..claims import catalogue",
        "from ..claims.catalogue import by_id",
        "def f():\n    from ..claims.catalogue import by_id",
        "open('statements.toml')",
        "from importlib import resources\nresources.files('theorems.paper').joinpath('statements.toml')",
        "import tomllib",
    ],
)
def test_a_derivation_that_reads_the_print_is_caught(code: str, tmp_path: Path) -> None:
    plant(tmp_path, "theorems", code)
    assert print_readers(tmp_path)


def test_a_derivation_that_reaches_the_print_through_a_helper_is_caught(tmp_path: Path) -> None:
    plant(tmp_path, "theorems", "from theorems.helper import thing")
    (tmp_path / "theorems" / "helper.py").write_text("from . import middle")
    (tmp_path / "theorems" / "middle.py").write_text("from theorems.claims.catalogue import by_id")
    told = "theorems/paper/module.py: reaches theorems.claims.catalogue through theorems/middle.py"
    assert told in print_readers(tmp_path)


def test_a_simulation_that_reads_the_print_is_caught(tmp_path: Path) -> None:
    plant(tmp_path, "montecarlo", "open('../theorems/paper/statements.toml')", below=False)
    assert print_readers(tmp_path) == ["montecarlo/module.py: names statements.toml"]


@pytest.mark.parametrize(
    "code",
    [
        "from proofs_check.judging import runner\ndef draw(ax):\n    runner.run()",
        "import proofs_check.judging.runner as r\ndef draw_panel(ax):\n    r.run()",
        "def draw(ax):\n    from proofs_check.judging.runner import run\n    run()",
    ],
)
def test_a_drawing_function_that_computes_is_caught(code: str, tmp_path: Path) -> None:
    plant(tmp_path, "figures", code)
    assert drawing_breaches(tmp_path)


def test_a_data_function_may_compute(tmp_path: Path) -> None:
    plant(
        tmp_path,
        "figures",
        "from proofs_check.judging import runner\ndef data():\n    return runner.run()\ndef draw(r): r",
    )
    assert drawing_breaches(tmp_path) == []
