"""A text is read by the tokenizer beside a model as it is, and a tokenizer that reads none is told."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from montecarlo.models.config import ModelError, of_json
from montecarlo.models.tokens import encoded
from montecarlo.models.weights import Model
from tests.montecarlo.models.small import CONFIG

WORDS: dict[str, Any] = {
    "version": "1.0",
    "truncation": None,
    "padding": None,
    "added_tokens": [],
    "normalizer": None,
    "pre_tokenizer": {"type": "Whitespace"},
    "post_processor": None,
    "decoder": None,
    "model": {"type": "WordLevel", "vocab": {"a": 0, "b": 1}, "unk_token": "a"},
}
CUT = {"direction": "Right", "max_length": 3, "strategy": "LongestFirst", "stride": 0}
FILL = {"direction": "Right", "strategy": {"Fixed": 9}, "pad_id": 1, "pad_type_id": 0, "pad_token": "b"} | {
    "pad_to_multiple_of": None
}


def with_tokenizer(folder: Path, change: dict[str, Any]) -> Model:
    """A model of a folder with this tokenizer."""
    (folder / "tokenizer.json").write_text(json.dumps(WORDS | change))
    return Model(folder, of_json(CONFIG), frozenset(), lambda name: torch.ones(1), {})


@pytest.mark.parametrize("change", [{"truncation": CUT}, {"padding": FILL}, {"truncation": CUT | {"stride": 7}}])
def test_what_a_tokenizer_cuts_and_fills_in_batches_is_no_part_of_the_text(
    change: dict[str, Any], tmp_path: Path
) -> None:
    pytest.importorskip("tokenizers")
    assert encoded(with_tokenizer(tmp_path, change), "a b b a b") == [0, 1, 1, 0, 1]


SPLIT = {"type": "Split", "behavior": "Isolated", "invert": False}


@pytest.mark.parametrize(
    "change",
    [
        {"model": {"type": "WordLevel", "vocab": {}, "unk_token": "a"}},
        {"model": {"type": "BPE", "vocab": {"x": 0}, "merges": [], "unk_token": "gone"}},
        {"model": {"type": "Unigram", "vocab": [["x", -1.0]], "unk_id": None}},
        {"normalizer": {"type": "Precompiled", "precompiled_charsmap": "AAAA"}},
        {"pre_tokenizer": SPLIT | {"pattern": {"Regex": "(a+)+b"}}},
        {"model": None},
    ],
    ids=["words", "pairs", "unigram", "panics as it is read", "panics as it reads", "none"],
)
def test_a_tokenizer_that_reads_no_text_is_told(change: dict[str, Any], tmp_path: Path) -> None:
    pytest.importorskip("tokenizers")
    with pytest.raises(ModelError, match="one that reads the text"):
        encoded(with_tokenizer(tmp_path, change), "a" * 9000)


def test_a_tokenizer_has_a_largest_size(tmp_path: Path) -> None:
    pytest.importorskip("tokenizers")
    model = with_tokenizer(tmp_path, {})
    with (tmp_path / "tokenizer.json").open("ab") as file:
        file.truncate(1 << 30)
    with pytest.raises(ModelError, match="at most 64 MiB"):
        encoded(model, "a")


@pytest.mark.parametrize(
    "change",
    [
        {"merges": [1]},
        {"merges": 7},
        {"merges": ["x"]},
        {"merges": ["q r"]},
        {"pre": ["gpt-2"]},
        {"tokens": [1, 2]},
        {"tokens": [[1]]},
    ],
    ids=str,
)
def test_fields_of_a_tokenizer_that_are_of_no_use_are_told(change: dict[str, Any], tmp_path: Path) -> None:
    pytest.importorskip("tokenizers")
    fields = {f"tokenizer.ggml.{name}": value for name, value in ({"model": "gpt2", "tokens": ["x"]} | change).items()}
    model = Model(tmp_path, of_json(CONFIG), frozenset(), lambda name: torch.ones(1), fields)
    with pytest.raises(ModelError, match="one that reads the text"):
        encoded(model, "a")


class PanicException(BaseException):
    """As the library's Rust raises it."""


@pytest.mark.parametrize("error", [Exception("no token"), PanicException("a bound"), KeyboardInterrupt()], ids=str)
def test_whatever_a_tokenizer_raises_is_told(
    error: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Once, of a stand-in, so that the library need not be there; who interrupts is no tokenizer."""

    def from_file(name: str) -> None:
        os.write(2, b"thread panicked, with a backtrace\n")
        raise error

    library = SimpleNamespace(Tokenizer=SimpleNamespace(from_file=from_file))
    monkeypatch.setitem(sys.modules, "tokenizers", library)
    expected = KeyboardInterrupt if isinstance(error, KeyboardInterrupt) else ModelError
    with pytest.raises(expected):
        encoded(with_tokenizer(tmp_path, {}), "a")
    os.write(2, b"what comes after\n")
    assert capfd.readouterr().err == "what comes after\n"
