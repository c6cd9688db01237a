"""Completion scripts: the shells take them, and they complete commands, options, choices and ids."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from proofs_check.commands import cli
from proofs_check.commands.completion import SHELLS, script


def written(shell: str) -> str:
    return script(shell, {name: (command.help, command.fill) for name, command in cli.COMMANDS.items()})


@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_names_commands_options_and_ids(shell: str) -> None:
    text = written(shell)
    for word in (*cli.COMMANDS, "effort", "thorough", "twofold list"):
        assert word in text, word


@pytest.mark.parametrize("shell", SHELLS)
def test_the_shell_takes_its_script(shell: str, tmp_path: Path) -> None:
    found = shutil.which(shell)
    if found is None:
        pytest.skip(f"no {shell} here")
    path = tmp_path / "script"
    path.write_text(written(shell))
    check = [found, "--no-execute" if shell == "fish" else "-n", str(path)]
    done = subprocess.run(check, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    path.write_text(path.read_text() + "\nif ((\n")
    assert subprocess.run(check, capture_output=True, timeout=60).returncode != 0


def completed(words: list[str], tmp_path: Path) -> list[str]:
    """What bash offers for the last of the words."""
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("no bash here")
    (tmp_path / "script").write_text(written("bash"))
    (tmp_path / "twofold").write_text("#!/bin/sh\nprintf 'p.a.one\\tbound\\np.a.two\\tbound\\nq.b\\tlimit\\n'\n")
    (tmp_path / "twofold").chmod(0o755)
    quoted = " ".join(f"'{word}'" for word in words)
    program = (
        f"source {tmp_path}/script; COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _shtab_twofold; "
        "printf '%s\\n' \"${COMPREPLY[@]}\""
    )
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run([bash, "-c", program], capture_output=True, text=True, timeout=60, env=environment)
    return done.stdout.split()


def test_bash_completes(tmp_path: Path) -> None:
    assert completed(["twofold", "ver"], tmp_path) == ["verify"]
    assert completed(["twofold", "verify", "--eff"], tmp_path) == ["--effort"]
    assert completed(["twofold", "verify", "--effort", "s"], tmp_path) == ["standard"]
    assert completed(["twofold", "show", "p."], tmp_path) == ["p.a.one", "p.a.two"]


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["completion", "bash"]) == 0
    assert "_twofold_ids" in capsys.readouterr().out
    assert cli.main(["completion", "csh"]) == 2
    assert "'csh': expected one of bash, zsh, fish" in capsys.readouterr().err
