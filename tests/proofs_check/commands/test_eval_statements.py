"""``twofold eval`` of claims that are statements: vectors from files, values exact, and one line for what cannot be."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from proofs_check.commands.cli import main

POSITIVE = "choromanski2021.sec3.lemma2-positive"


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    arrays = {"u": [0.25, 0.0], "v": [0.0, -0.5], "long": [1.0, 2.0, 3.0], "matrix": [[1.0]]}
    for name, values in arrays.items():
        np.save(tmp_path / f"{name}.npy", np.array(values))
    return {name: str(tmp_path / f"{name}.npy") for name in arrays}


def test_an_error_at_one_s_own_vectors(files: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    given = ["--vector", f"u={files['u']}", "--vector", f"v={files['v']}", "--set", "m=3", "--effort", "quick"]
    assert main(["eval", POSITIVE, *given]) == 0
    told = capsys.readouterr().out
    # |x|^2 = 1/16, |y|^2 = 1/4, x.y = 0: (exp(5/16) - 1)/3
    assert told.count(f"= {(np.exp(5 / 16) - 1) / 3:.6g}\n") == 2
    low, high = (float(end) for end in told.split(" in [")[1].split("]")[0].split(","))
    assert low < (np.exp(5 / 16) - 1) / 3 < high < (np.exp(5 / 16) - 1) / 2


def test_what_has_no_tokens_is_exact(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", "choromanski2021.appF.eq35-end", "--set", "l=3", "--set", "c=1", "--set", "w=1/2"]) == 0
    told = capsys.readouterr().out
    assert "exp(2)/27" in told and "exp(5/2)/216" in told and "exact" in told


@pytest.mark.parametrize(
    ("claim", "given", "why"),
    [
        (POSITIVE, ["u=u", "v=long"], "d = 2"),
        (POSITIVE, ["u=u"], "values for"),
        (POSITIVE, ["w=u"], "one of u, v"),
        (POSITIVE, ["u"], "NAME=FILE.npy"),
        (POSITIVE, ["u=u", "u=v"], "each name once"),
        (POSITIVE, ["u=matrix", "v=v"], "shape"),
        (POSITIVE, ["u=u", "v=v", "set m=0"], "an integer"),
        (POSITIVE, ["u=u", "v=v", "set q=1"], "a name of the statement"),
        ("choromanski2021.sec3.limit-positive", ["u=u", "v=v", "set T=2"], "about a limit"),
        ("choromanski2021.appF.eq35-end", ["set l=3", "set c=1", "set w=2"], "hypotheses"),
        ("bao2024.appA.eq17", ["u=u"], "--m, --a and --b"),
    ],
)
def test_what_cannot_be_evaluated_is_told_in_one_line(
    claim: str, given: list[str], why: str, files: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    words = []
    for text in given:
        name, _, file = text.partition("=")
        words += (
            ["--set", text[4:]] if text.startswith("set ") else ["--vector", f"{name}={files[file]}" if file else name]
        )
    assert main(["eval", claim, *words]) == 2
    told = capsys.readouterr().err
    assert why in told and told.count("\n") == 1
