"""A small model that a test writes to a folder, its weights random or planted."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from montecarlo.models.weights import renamed

CONFIG: dict[str, Any] = {
    "model_type": "llama",
    "hidden_size": 24,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "num_hidden_layers": 2,
    "intermediate_size": 32,
    "vocab_size": 50,
    "rms_norm_eps": 1e-5,
    "rope_theta": 10000.0,
    "tie_word_embeddings": False,
    "max_position_embeddings": 128,
    "hidden_act": "silu",
}


def weights(config: dict[str, Any], biased: bool = False, seed: int = 0) -> dict[str, Tensor]:
    """Random weights for a configuration; norms near one."""
    generator = torch.Generator().manual_seed(seed)

    def drawn(*shape: int) -> Tensor:
        found: Tensor = torch.randn(shape, generator=generator) / math.sqrt(shape[-1])
        return found

    d, inner = config["hidden_size"], config["intermediate_size"]
    n = config.get("head_dim", d // config["num_attention_heads"])
    wide, narrow = n * config["num_attention_heads"], n * config["num_key_value_heads"]
    found = {"model.embed_tokens.weight": drawn(config["vocab_size"], d), "model.norm.weight": 1 + drawn(d)}
    if not config["tie_word_embeddings"]:
        found["lm_head.weight"] = drawn(config["vocab_size"], d)
    for layer in range(config["num_hidden_layers"]):
        at = f"model.layers.{layer}."
        for kind, size in (("q", wide), ("k", narrow), ("v", narrow)):
            found[f"{at}self_attn.{kind}_proj.weight"] = 3 * drawn(size, d)
            if biased:
                found[f"{at}self_attn.{kind}_proj.bias"] = drawn(size)
        found[f"{at}self_attn.o_proj.weight"] = drawn(d, wide)
        for kind, shape in (("gate", (inner, d)), ("up", (inner, d)), ("down", (d, inner))):
            found[f"{at}mlp.{kind}_proj.weight"] = drawn(*shape)
        found[f"{at}input_layernorm.weight"] = 1 + drawn(d)
        found[f"{at}post_attention_layernorm.weight"] = 1 + drawn(d)
    return found


def written(folder: Path, config: dict[str, Any], held: dict[str, Tensor]) -> Path:
    """The folder, with config.json and model.safetensors in it."""
    from safetensors.torch import save_file

    folder.mkdir(exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config))
    save_file({name: value.contiguous() for name, value in held.items()}, folder / "model.safetensors")
    return folder


def written_gguf(
    path: Path,
    config: dict[str, Any],
    held: dict[str, Tensor],
    fields: dict[str, Any],
    divisors: Sequence[float] | None = None,
) -> Path:
    """The file, as llama.cpp's conversion writes it, with more fields of the architecture."""
    from gguf import GGUFWriter

    writer = GGUFWriter(path, config["model_type"])
    heads = {"q": config["num_attention_heads"], "k": config["num_key_value_heads"]}
    sizes = {
        "embedding_length": config["hidden_size"],
        "block_count": config["num_hidden_layers"],
        "attention.head_count": heads["q"],
        "attention.head_count_kv": heads["k"],
        "attention.key_length": config["head_dim"],
        "feed_forward_length": config["intermediate_size"],
        "context_length": config["max_position_embeddings"],
    }
    numbers = {"rope.freq_base": config["rope_theta"], "attention.layer_norm_rms_epsilon": config["rms_norm_eps"]}
    adders: dict[type, Any] = {
        str: writer.add_string,
        int: writer.add_uint32,
        float: writer.add_float32,
        bool: writer.add_bool,
    }
    for name, value in (sizes | numbers | fields).items():
        adders[type(value)](f"{config['model_type']}.{name}", value)
    writer.add_array("tokenizer.ggml.tokens", [str(number) for number in range(config["vocab_size"])])
    for name, value in held.items():
        kind = name.split(".")[-2][0]
        if name.endswith(("q_proj.weight", "k_proj.weight")):
            # each head's first and second halves, pair beside pair
            value = value.reshape(heads[kind], 2, -1, value.shape[1]).transpose(1, 2).reshape(value.shape)
        writer.add_tensor(renamed(name), value.contiguous().numpy())
    if divisors is not None:
        writer.add_tensor("rope_freqs.weight", torch.tensor(divisors, dtype=torch.float32).numpy())
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path
