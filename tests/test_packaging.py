"""What is installed: pinned in full, with its data files, by two commands that set up everything."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("theorems", "montecarlo", "proofs_check", "figures")


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


@pytest.fixture
def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())


@pytest.fixture
def pins() -> dict[str, str]:
    text = re.sub(r"^#.*\n", "", (ROOT / "constraints.txt").read_text(), flags=re.MULTILINE)
    table = {}
    for line in text.replace("\\\n", "").splitlines():
        found = re.fullmatch(r"([A-Za-z0-9._-]+)==([A-Za-z0-9.]+)( +--hash=sha256:[0-9a-f]{64})+", line.rstrip())
        assert found, f"{line!r} is no exact pin with hashes"
        assert canonical(found[1]) not in table, f"{found[1]} is pinned twice"
        table[canonical(found[1])] = found[2]
    return table


def wanted(requirement: str) -> str:
    """The canonical name in a requirement such as ``numpy>=2.4``."""
    found = re.match(r"[A-Za-z0-9._-]+", requirement)
    assert found
    return canonical(found[0])


def direct(project: dict[str, Any]) -> list[str]:
    optional = project["project"]["optional-dependencies"]["dev"]
    return [*project["project"]["dependencies"], *optional, *project["build-system"]["requires"]]


def test_torch_is_pinned_and_the_rest_is_bounded_below(project: dict[str, Any], pins: dict[str, str]) -> None:
    assert "torch==2.13.0" in project["project"]["dependencies"]
    # its builds differ from machine to machine
    assert "torch" not in pins
    assert all(">=" in entry or "==" in entry for entry in direct(project))


def test_every_dependency_of_every_dependency_is_pinned(project: dict[str, Any], pins: dict[str, str]) -> None:
    seen: set[str] = set()
    queue = [wanted(entry) for entry in direct(project)]
    while queue:
        name = queue.pop()
        if name in seen:
            continue
        seen.add(name)
        assert name in {*pins, "torch"}, f"{name} is not in constraints.txt"
        try:
            requires = metadata.requires(name) or []
        except metadata.PackageNotFoundError:
            continue
        for entry in requires:
            if not re.search(r";.*(extra|platform_system|sys_platform|python_version|implementation)", entry):
                queue.append(wanted(entry))
    assert {"torch", "numpy", "sympy", "pytest"} <= seen


def test_nothing_is_pinned_that_nothing_needs(project: dict[str, Any], pins: dict[str, str]) -> None:
    needed = {wanted(entry) for entry in direct(project)} | {"editables"}
    for name in (*pins, "torch"):
        try:
            needed |= {wanted(entry) for entry in metadata.requires(name) or []}
        except metadata.PackageNotFoundError:
            needed |= {name}
    assert set(pins) <= needed


def test_the_script_is_the_command_line(project: dict[str, Any]) -> None:
    assert project["project"]["name"] == "twofold"
    assert project["project"]["scripts"] == {"twofold": "proofs_check.__main__:main"}
    assert project["project"]["requires-python"] == ">=3.11"


def test_the_wheel_holds_the_packages_with_their_data(tmp_path: Path) -> None:
    wheel = pytest.importorskip("hatchling.builders.wheel")
    built = next(wheel.WheelBuilder(str(ROOT)).build(directory=str(tmp_path), versions=["standard"]))
    with zipfile.ZipFile(built) as archive:
        names = set(archive.namelist())
    assert {name.split("/")[0] for name in names if ".dist-info/" not in name} == set(PACKAGES)
    for package in PACKAGES:
        sources = [path for path in (ROOT / package).rglob("*") if path.suffix in (".py", ".toml", ".json")]
        assert {str(path.relative_to(ROOT)) for path in sources} <= names
    assert {"proofs_check/report/report.schema.json", "theorems/bao2024/statements.toml"} <= names
    assert any(name.endswith("licenses/LICENSE") for name in names)


def test_the_wheel_works_beside_packages_of_the_same_names(tmp_path: Path) -> None:
    """In a folder with a `theorems` and a `figures` of its own, which are left alone, its worker processes too."""
    wheel = pytest.importorskip("hatchling.builders.wheel")
    built = next(wheel.WheelBuilder(str(ROOT)).build(directory=str(tmp_path), versions=["standard"]))
    with zipfile.ZipFile(built) as archive:
        archive.extractall(tmp_path / "site")
    here, script = tmp_path / "here", tmp_path / "bin" / "twofold"
    for package in (*PACKAGES, "tests"):
        (here / package).mkdir(parents=True)
        (here / package / "__init__.py").write_text("raise SystemExit('not this one')\n")
    script.parent.mkdir()
    # what pip writes for an entry point
    script.write_text(
        "import sys\nfrom proofs_check.__main__ import main\nif __name__ == '__main__': sys.exit(main())\n"
    )
    claims = ["bao2024.appA.eq11", "lampert2026.sec5.dprime-0"]
    for words in (["show", claims[0]], ["verify", *claims, "--effort", "quick", "--jobs", "2"]):
        command = [sys.executable, str(script), *words]
        env = {**os.environ, "PYTHONPATH": str(tmp_path / "site")}
        done = subprocess.run(command, cwd=here, env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    assert all(f"verified\t{claim}\t" in done.stdout for claim in claims)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A folder with what `make` reads."""
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def make(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    # A make that runs these tests hands its flags down by these.
    environment = {key: value for key, value in os.environ.items() if key not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    command = ["make", *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("target", ["verify", "test", "figures"])
def test_each_target_sets_everything_up_once(target: str, tree: Path) -> None:
    first = make(tree, "-n", target).stdout
    assert "-m venv .venv" in first
    assert "--require-hashes --no-deps -r constraints.txt" in first
    (tree / ".venv").mkdir()
    (tree / ".venv" / ".installed").touch()
    second = make(tree, "-n", target).stdout
    assert "pip" not in second
    assert ".venv/bin/" in second
    os.utime(tree / "constraints.txt", (2**32, 2**32))
    assert "--require-hashes --no-deps -r constraints.txt" in make(tree, "-n", target).stdout


def test_an_old_python_is_told_in_a_line(tree: Path) -> None:
    done = make(tree, "verify", "PYTHON=false")
    assert done.returncode != 0
    said = [line for line in done.stderr.splitlines() if not line.startswith("make")]
    assert said == ["PYTHON=false is not Python 3.11 or later: try make PYTHON=python3.12"]
    assert not (tree / ".venv").exists()


def test_ci_runs_the_tests() -> None:
    script = ROOT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    assert script.read_text().splitlines()[-1] == "exec make test"
