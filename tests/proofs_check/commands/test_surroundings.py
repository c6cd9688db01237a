"""What a command finds around it: the working folder, variables of libraries, Ctrl-C before anything is read."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from proofs_check.commands import cli

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("words", ["doctor", "check 'tr(W) >= 0' --for 'W psd'", "eval bao2024.appA.eq15 --set i=2"])
def test_a_working_folder_that_was_removed_is_told(words: str, tmp_path: Path) -> None:
    """The mathematics beneath torch ends the process there, with a line of its own or none."""
    command = f"mkdir gone; cd gone; rmdir ../gone; {sys.executable} -m proofs_check {words}"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, cwd=tmp_path, env=environment)
    assert done.returncode == 2 and done.stdout == ""
    assert "the working folder" in done.stderr and "cd to another" in done.stderr and done.stderr.count("\n") == 1


@pytest.mark.parametrize("threads", ["x", "-1", "0", "", "2,", "1e3", "9" * 20])
def test_numbers_of_threads_that_are_none_are_told(
    threads: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """OpenMP would say so, in its own words and beside whatever else is said."""
    monkeypatch.setenv("OMP_NUM_THREADS", threads)
    assert cli.main(["doctor"]) == 2
    error = capsys.readouterr().err
    assert f"OMP_NUM_THREADS {threads!r}" in error and "unset it" in error and error.count("\n") == 1


@pytest.mark.parametrize("processors", ["x", "0 x", "-1", "0-", "0-3:", "0;1"])
def test_processors_at_which_openmp_never_ends_are_told(
    processors: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GOMP_CPU_AFFINITY", processors)
    assert cli.main(["doctor"]) == 2
    error = capsys.readouterr().err
    assert f"GOMP_CPU_AFFINITY {processors!r}" in error and "unset it" in error and error.count("\n") == 1


@pytest.mark.parametrize("processors", ["", "0", "0-3", "0-3:2", "0,1", "0 1 2-3", " 0, 1 "])
def test_processors_are_those_of_openmp(processors: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOMP_CPU_AFFINITY", processors)
    assert cli.main(["list", "bao2024.appA"]) == 0


#: Presses Ctrl-C as a module is looked for.
PRESSED = """
import sys
class Pressing:
    def find_spec(self, name, *_):
        if name == {module!r}:
            raise KeyboardInterrupt
sys.meta_path.insert(0, Pressing())
sys.argv = ["twofold", "list"]
from proofs_check.__main__ import main
sys.exit(main())
"""


@pytest.mark.parametrize(
    "module", ["argparse", "proofs_check.commands.cli", "theorems.claims", "proofs_check.commands.verify"]
)
def test_an_interruption_while_the_modules_are_read_is_one_line(module: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PRESSED.format(module=module)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "twofold: interrupted\n")


@pytest.mark.parametrize("threads", ["2", " 4", "2,3", "01"])
def test_numbers_of_threads_are_those_of_openmp(threads: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", threads)
    assert cli.main(["list", "bao2024.appA"]) == 0
