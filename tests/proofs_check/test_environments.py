"""Where the command runs: other locales, folders that cannot be written, missing packages, closed streams.

Each gives the verdict, or one clear line.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
#: A claim that is judged in no time, on both sides.
CLAIM = "lampert2026.sec5.dprime-0"
SAMPLED = "bao2024.appA.eq11"
COMMAND = [sys.executable, "-m", "proofs_check", "verify", CLAIM, "--effort", "quick"]
#: No user of the machine: it owns nothing.
NOBODY = 65534

Done = subprocess.CompletedProcess[str]


def slow(*values: Any) -> Any:
    """Parameters of a test that is run with the slow ones."""
    return pytest.param(*values, marks=pytest.mark.slow)


def environment(**changes: str | None) -> dict[str, str]:
    """This process's variables with changes; None takes one away."""
    table: dict[str, str | None] = {**os.environ, "PYTHONPATH": str(ROOT), "TWOFOLD_CACHE": "off", **changes}
    return {name: value for name, value in table.items() if value is not None}


def ran(command: Sequence[str] = COMMAND, cwd: Path = ROOT, env: Mapping[str, str] | None = None, **more: Any) -> Done:
    """Run a command to its end; what is no ASCII in its output is kept as bytes would show it."""
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL}
    return subprocess.run(
        command,
        cwd=cwd,
        env=environment() if env is None else env,
        check=False,
        timeout=300,
        text=True,
        encoding="utf-8",
        errors="backslashreplace",
        **{**streams, **more},
    )


def judged(done: Done, claim: str = CLAIM) -> None:
    """Fail unless the command gave the claim its verdict."""
    assert done.returncode == 0, done
    assert re.search(rf"^(verified|refuted|undecided)\t{re.escape(claim)}\t", done.stdout, re.MULTILINE), done
    assert "Traceback" not in done.stderr and "Warning" not in done.stderr


def told(done: Done, *parts: str) -> None:
    """Fail unless the command refused in one line that holds these parts."""
    assert done.returncode == 2, done
    assert done.stderr.count("\n") == 1 and done.stderr.startswith("twofold: error: "), done.stderr
    assert all(part in done.stderr for part in parts)


LOCALES: dict[str, dict[str, str | None]] = {
    "ascii": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "latin stdout": {"PYTHONIOENCODING": "latin-1"},
    "ascii stdout": {"PYTHONIOENCODING": "ascii", "LANG": "C"},
    "dumb terminal": {"TERM": "dumb", "COLUMNS": "20"},
    "no variables": dict.fromkeys(("HOME", "LANG", "LC_ALL", "TERM", "USER", "LOGNAME", "XDG_CACHE_HOME"), None),
}


@pytest.mark.parametrize("name", [slow(name) if name != "ascii" else name for name in LOCALES])
def test_locales_and_terminals(name: str, tmp_path: Path) -> None:
    report = tmp_path / "ré port" / "r é.json"
    report.parent.mkdir()
    command = [*COMMAND, "--json", str(report), "--html", str(report.parent / "pages")]
    judged(ran(command, cwd=tmp_path, env=environment(**LOCALES[name])))
    # nothing is left where the user is, by Hypothesis neither
    assert [found.name for found in tmp_path.iterdir()] == [report.parent.name]
    assert "≤" in report.read_text(encoding="utf-8") or report.stat().st_size > 1000
    assert (report.parent / "pages" / "index.html").is_file()


@pytest.mark.slow
def test_a_narrow_ascii_terminal(tmp_path: Path) -> None:
    """A terminal that cannot show the marks of verdicts gets other signs, and the same table."""
    import pty

    here, there = pty.openpty()
    env = environment(TERM="dumb", COLUMNS="20", LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    run = subprocess.Popen(COMMAND, cwd=ROOT, env=env, stdin=there, stdout=there, stderr=there)
    os.close(there)
    shown = b""
    while True:
        try:
            part = os.read(here, 4096)
        except OSError:
            break
        if not part:
            break
        shown += part
    os.close(here)
    assert run.wait(60) == 0
    assert shown.isascii() and b"Traceback" not in shown and b"Judged 1 claim" in shown.replace(b"\r\n", b" ")


FOLDERS: dict[str, Callable[[Path], dict[str, str | None]]] = {
    "no home": lambda folder: {"HOME": str(folder / "none"), "XDG_CACHE_HOME": None},
    "home is a file": lambda folder: {"HOME": str(folder / "file"), "XDG_CACHE_HOME": None},
    "cache in a file": lambda folder: {"XDG_CACHE_HOME": str(folder / "file")},
    "cache where nothing can be written": lambda folder: {"XDG_CACHE_HOME": "/proc"},
    "empty": lambda folder: {"HOME": "", "XDG_CACHE_HOME": ""},
}


@pytest.mark.slow
@pytest.mark.parametrize("name", FOLDERS)
def test_verdicts_that_cannot_be_kept_cost_time_only(name: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    env = environment(**{"TWOFOLD_CACHE": None, **FOLDERS[name](tmp_path)})
    done = ran(cwd=tmp_path, env=env)
    if done.returncode == 2:
        told(done, "folder")
    else:
        judged(done)


#: All is imported by root, for another user may not read root's Python; then the process is somebody else.
AS_NOBODY = """
import os, sys
from proofs_check.commands.cli import main
claim, folder = {claim!r}, {folder!r}
status = [main(["verify", claim, "--effort", "quick", "--quiet"])]
os.environ.pop("TWOFOLD_CACHE")
os.chdir(folder)
if os.geteuid() == 0:
    os.setgroups([])
    os.setgid({nobody})
    os.setuid({nobody})
print("now somebody else", file=sys.stderr)
for more in ([], ["--json", "r.json"], ["--html", "pages"]):
    status.append(main(["verify", claim, "--effort", "quick", "--quiet", *more]))
print(status)
"""


@pytest.mark.slow
def test_another_user_in_a_folder_that_is_read_only() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "wörk ing"
        folder.mkdir()
        Path(name).chmod(0o755)
        folder.chmod(0o555)
        try:
            program = AS_NOBODY.format(claim=CLAIM, folder=str(folder), nobody=NOBODY)
            env = environment(HOME="/nonexistent", XDG_CACHE_HOME=None)
            done = ran([sys.executable, "-c", program], env=env)
            assert done.stdout == "[0, 0, 2, 2]\n", done
            said = done.stderr.partition("now somebody else\n")[2]
            assert "verdicts are not kept there (Permission denied)" in said
            refusals = [line for line in said.split("\n") if "error: " in line]
            assert len(refusals) == 2 and all("writable" in line for line in refusals)
            assert not list(folder.iterdir())
        finally:
            folder.chmod(0o755)


BLOCKED = """
import sys
for name in {names!r}:
    sys.modules[name] = None
from proofs_check.commands.cli import main
sys.exit(main({arguments!r}))
"""


def without(names: Sequence[str], *arguments: str, cwd: Path = ROOT) -> Done:
    """The command where these packages are not installed."""
    return ran([sys.executable, "-c", BLOCKED.format(names=list(names), arguments=list(arguments))], cwd=cwd)


@pytest.mark.slow
@pytest.mark.parametrize(
    "names",
    [
        ("triton",),
        ("numba",),
        ("dask", "distributed", "cupy", "pandas"),
        ("matplotlib", "jinja2", "markupsafe", "shtab"),
    ],
    ids=" ".join,
)
def test_verdicts_without_what_they_do_not_need(names: tuple[str, ...]) -> None:
    judged(without(names, "verify", SAMPLED, "--effort", "quick"), SAMPLED)


@pytest.mark.parametrize(
    ("names", "arguments", "parts"),
    [
        (["numba"], ["verify", SAMPLED, "--tier", "fused"], ["--tier 'fused'", "numba"]),
        slow(["distributed"], ["verify", SAMPLED, "--cluster", "tcp://127.0.0.1:1"], ["--cluster", "Dask"]),
        (["matplotlib"], ["figures", "softmax_pieces", "--out", "{}"], ["matplotlib"]),
        (["jinja2"], ["verify", SAMPLED, "--html", "{}"], ["jinja2"]),
        (["markupsafe"], ["verify", SAMPLED, "--html", "{}"], ["markupsafe"]),
        (["shtab"], ["completion", "bash"], ["shtab"]),
        slow(["torch"], ["verify", SAMPLED], ["torch"]),
        (["sympy"], ["verify", SAMPLED], ["sympy"]),
        slow(["flint"], ["verify", SAMPLED], ["python-flint"]),
        slow(["scipy"], ["verify", SAMPLED], ["scipy"]),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_what_is_missing_is_one_line(names: list[str], arguments: list[str], parts: list[str], tmp_path: Path) -> None:
    target = tmp_path / "new"
    told(without(names, *(word.format(target) for word in arguments)), "installed", *parts)
    assert not target.exists()


#: A module of a library that breaks as it is imported, and what is said of it.
BREAKING = {
    "scipy": "import os; os.environ['NO_SUCH_VARIABLE']",
    "sympy": "def cwd():\n    raise FileNotFoundError(2, 'No such file')\ncwd()",
    "hypothesis": "int('x\\x1b')",
    "numpy": "1/0",
}


@pytest.mark.parametrize("name", ["scipy", *map(slow, ("sympy", "hypothesis", "numpy"))])
def test_a_library_that_breaks_as_it_is_imported_is_one_line(name: str, tmp_path: Path) -> None:
    (tmp_path / f"{name}.py").write_text(BREAKING[name])
    env = environment(PYTHONPATH=os.pathsep.join((str(tmp_path), str(ROOT))))
    told(ran(COMMAND, cwd=tmp_path, env=env), f"error: {name}: expected it to load here")


def test_a_fault_of_the_suite_s_own_is_shown_whole() -> None:
    """Though a library called it."""
    program = "import proofs_check.commands.cli as cli, sys, types\n"
    program += "def broken(*_): import scipy.optimize as so; so.brentq(lambda x: 1/0, -1, 1)\n"
    program += "cli._run = broken\ncli.main(['list'])\n"
    done = ran([sys.executable, "-c", program])
    assert done.returncode == 1 and "ZeroDivisionError" in done.stderr and "Traceback" in done.stderr


#: A command that is done at once, and one that judges.
LISTS, JUDGES = ["list"], ["verify", CLAIM, "--effort", "quick", "--json", "{}"]
EITHER = pytest.mark.parametrize("arguments", [LISTS, slow(JUDGES)], ids=["list", "verify"])


def piped(arguments: Sequence[str], streams: str, report: Path) -> Done:
    """A command in a shell, with its streams led elsewhere; it says no traceback and writes its report."""
    words = [sys.executable, "-m", "proofs_check", *(word.format(report) for word in arguments), streams]
    done = ran(["bash", "-c", " ".join(words)])
    assert "Traceback" not in done.stderr + done.stdout
    assert report.is_file() or "verify" not in arguments
    return done


@EITHER
@pytest.mark.parametrize("closed", ["0<&-", "1>&-", "2>&-", "0<&- 1>&- 2>&-"])
def test_closed_streams(closed: str, arguments: list[str], tmp_path: Path) -> None:
    assert piped(arguments, closed, tmp_path / "r.json").returncode == 0


def test_a_closed_stream_is_not_missed_in_development_mode() -> None:
    done = ran(["bash", "-c", f"{sys.executable} -X dev -m proofs_check show nothing >&-"])
    assert done.returncode == 2 and done.stderr.count("\n") == 1, done.stderr


@EITHER
@pytest.mark.parametrize("stream", ["1", "2"])
def test_a_full_disk_behind_a_stream(stream: str, arguments: list[str], tmp_path: Path) -> None:
    done = piped(arguments, f"{stream}>/dev/full", tmp_path / "r.json")
    if stream == "1":
        assert done.returncode == 1
        assert done.stderr.endswith("twofold: error: stdout: could not be written (No space left on device)\n")


@EITHER
@pytest.mark.parametrize("pipe", ["| head -c 1", "2>&1 | head -c 1", "| true", "2>&1 >/dev/null | true"])
def test_a_reader_that_leaves_loses_nothing(pipe: str, arguments: list[str], tmp_path: Path) -> None:
    piped(arguments, pipe, tmp_path / "r.json")


# ---- what is said to be supported


def project() -> dict[str, Any]:
    found: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return found


def supported() -> list[str]:
    """The Pythons that the README says the tests were run on."""
    text = (ROOT / "README.md").read_text(encoding="utf-8").partition("\nSupported:")[2]
    return re.findall(r"\b3\.\d+\b", text.partition("with torch")[0])


def test_what_is_called_supported_is_tested() -> None:
    """README, classifiers and the workflow name the same Pythons; what these tests run on is one of them, or later."""
    named = [text.rsplit(" ", 1)[1] for text in project()["classifiers"] if "Python :: 3." in text]
    workflow = (ROOT / ".github" / "workflows" / "verify.yml").read_text(encoding="utf-8")
    (matrix,) = re.findall(r"^ +python: \[(.*)\]$", workflow, re.MULTILINE)
    assert supported() == named == re.findall(r"[0-9.]+", matrix) == ["3.11", "3.12", "3.13", "3.14"]
    assert project()["requires-python"] == f">={named[0]}"
    here = f"{sys.version_info.major}.{sys.version_info.minor}"
    assert here in named or sys.version_info[:2] > (3, 14)


def test_numpy_2() -> None:
    assert int(np.__version__.split(".")[0]) == 2
    assert any(text.startswith("numpy>=2") for text in project()["dependencies"])


PARSED = """
import ast, pathlib, sys, warnings
warnings.simplefilter("error")
for folder in ("theorems", "montecarlo", "proofs_check", "figures"):
    for path in pathlib.Path(folder).rglob("*.py"):
        ast.parse(path.read_text(encoding="utf-8"), str(path))
"""


def others() -> list[str]:
    """Other Pythons that are at hand, and run."""
    kept = [str(path) for path in Path.home().glob(".pyenv/versions/*/bin/python3")]
    found = [path for minor in range(12, 17) if (path := shutil.which(f"python3.{minor}"))]
    program = "import sys; sys.exit(sys.version_info[:2] <= (3, 11))"
    return [
        path for path in (*found, *kept) if subprocess.run([path, "-c", program], capture_output=True).returncode == 0
    ]


def test_every_file_is_python_for_the_others_too() -> None:
    """Another Python that is at hand reads the code; no verdict is said of it."""
    pythons = others()
    if not pythons:
        pytest.skip("no later Python is at hand")
    for python in pythons:
        done = ran([python, "-c", PARSED])
        assert done.returncode == 0, (python, done.stderr)
