"""What is measured on a model: planted heads and traces, what is refused, and predictions that are the derived ones."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
import torch

from montecarlo.models.config import ModelError, of_json
from montecarlo.models.observe import heads, traces
from montecarlo.models.weights import Model
from proofs_check.commands import cli
from proofs_check.measure import measured as measure
from tests.montecarlo.models.small import CONFIG, weights

TOKENS = [random.Random(k).randrange(50) for k in range(80)]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> Model:
    """A small model whose tokenizer gives TOKENS for every text of 80 letters or more."""
    tensors = weights(CONFIG)
    model = Model(Path("small"), of_json(CONFIG), frozenset(tensors), tensors.__getitem__, {})
    monkeypatch.setattr(measure, "encoded", lambda model, text: TOKENS[: len(text)])
    monkeypatch.setattr("montecarlo.models.weights.opened", lambda path: model)
    return model


def test_traces_are_those_of_the_matrices() -> None:
    """tr(W Sigma) and tr((W Sigma)^2) in head_dim numbers are those in width numbers; W_Q = W_K is symmetric."""
    generator = torch.Generator().manual_seed(0)
    x, Q, K = (torch.randn(shape, generator=generator) for shape in ((2, 9, 6), (3, 4, 6), (3, 4, 6)))
    found = traces(x, Q, K)
    steps = (x[:, 1:] - x[:, :-1]).reshape(-1, 6).double()
    Sigma = steps.T @ steps / len(steps)
    for head in range(3):
        W = (Q[head].T @ K[head]).double()
        assert torch.isclose(found.first[head], torch.trace(W @ Sigma))
        assert torch.isclose(found.second[head], torch.trace(W @ Sigma @ W @ Sigma))
        part = ((W + W.T) / 2).square().sum() / W.square().sum()
        assert torch.isclose(found.symmetric[head], part)
    assert torch.allclose(traces(x, Q, Q).symmetric, torch.ones(3).double())


def test_an_even_attention_is_in_the_middle() -> None:
    even = torch.ones(20, 20).tril()
    last = torch.eye(20)
    first = torch.zeros(20, 20)
    first[:, 0] = 1
    found = heads(torch.stack([even / even.sum(-1, keepdim=True), last, first])[None])
    assert torch.allclose(found.late[0, 0], torch.tensor(0.5))
    assert found.late[0, 1] > 0.9 and found.late[0, 2] < 0.1


def test_a_prediction_is_the_derived_one() -> None:
    """A drift to later tokens puts the largest rho into the second half; without a positive square there is none."""
    assert measure.predicted(2.0, 1.0, 4)["xi"] == 2.0 and measure.predicted(2.0, 1.0, 4)["eta"] == 0.5
    peaks = [measure.predicted(first, 1.0, 4)["peak"] for first in (-2.0, 2.0)]
    assert peaks[0] is not None and peaks[1] is not None and peaks[0] < 0.5 < peaks[1]
    assert measure.predicted(1.0, -1.0, 4)["peak"] is None


def test_a_rank_correlation_and_its_interval() -> None:
    rows: Any = [{"xi": float(k), "late": float(k) ** 3, "eta": float(-k)} for k in range(30)]
    found = measure._correlation(rows, "xi", "late", "")
    assert found["rank_correlation"] == pytest.approx(1) and found["low"] > 0.9
    assert measure._correlation(rows, "eta", "late", "")["high"] < -0.9
    random.Random(0).shuffle(values := [row["late"] for row in rows])
    shuffled = [row | {"late": value} for row, value in zip(rows, values, strict=True)]
    none = measure._correlation(shuffled, "xi", "late", "")
    assert none["low"] < 0 < none["high"]
    assert measure._correlation(rows[:4], "xi", "late", "")["rank_correlation"] is None


def test_the_command_says_the_assumption_first(
    small: Model, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "text").write_text("a" * 80)
    out = tmp_path / "m.json"
    assert cli.main(["measure", "small", "--text", str(tmp_path / "text"), "--json", str(out)]) == 0
    told = capsys.readouterr().out
    assert told.index("random walk") < told.index("layer.head") < told.index("rank correlation")
    found = json.loads(out.read_text())
    assert (found["windows"], found["length"]) == (2, 40)
    assert len(found["heads"]) == 8 and len(found["assumptions"]) == 2
    assert cli.main(["measure", "small", "--text", str(tmp_path / "text"), "--heads", "1.3"]) == 0
    assert "1.3 " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--heads", "7.0"], "layers 0 to 1"),
        (["--heads", "3"], "LAYER.HEAD"),
        (["--tokens", "0"], "a whole number"),
        (["--tokens", "33"], "34 or more"),
        (["--text", "none"], "UTF-8 text"),
        (["--text", "bytes"], "UTF-8 text"),
    ],
)
def test_bad_input_is_one_line(
    options: list[str],
    told: str,
    small: Model,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text").write_text("a" * 80)
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\xff")
    assert cli.main(["measure", "small", "--text", "text", *options, "--json", "out.json"]) == 2
    error = capsys.readouterr().err
    assert told in error and error.count("\n") == 1
    assert not (tmp_path / "out.json").exists()


def test_a_text_that_is_too_short(small: Model) -> None:
    with pytest.raises(ModelError, match="34 or more"):
        measure.measured(small, "a" * 20, 1000)
