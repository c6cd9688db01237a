"""Weights, a tensor at a time: safetensors and GGUF are maps of numbers, so nothing in them is ever run."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from montecarlo.models.config import Config, ModelError, of_gguf, of_json

#: The names that llama.cpp gives to what Hugging Face calls otherwise.
_GGUF = {
    "model.embed_tokens": "token_embd",
    "model.norm": "output_norm",
    "lm_head": "output",
    "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}
#: Most bytes of a config.json: real ones have a few thousand.
CONFIG = 1 << 20
#: Most reads of a GGUF file's head: two for each token and each merge of a tokenizer, of some 250,000 each.
READS = 3_000_000
_INSTALL = "install the extra: pip install 'twofold[models]'"


@dataclass(frozen=True)
class Model:
    """A model whose tensors are read when they are asked for: ``tensor(name)`` is float32, as Hugging Face names it.

    They go to ``device``, where all of the arithmetic is done.
    """

    path: Path
    config: Config
    names: frozenset[str]
    read: Callable[[str], Tensor]
    fields: Mapping[str, Any]
    device: str = "cpu"

    def tensor(self, name: str, *shape: int) -> Tensor:
        """A tensor of this shape; ModelError where it is missing, of another shape or type, or has NaN."""
        if name not in self.names:
            raise ModelError(str(self.path), f"the tensor {name}", "the file is not whole, or of another architecture")
        try:
            found = self.read(name)
        except Exception as error:  # the libraries raise whatever they make of a type or a shape
            raise ModelError(f"{name} in {self.path.name}", f"weights that can be read ({error!s:.160})") from None
        # before a number is copied: a file may hold more of them than there is memory
        if tuple(found.shape) != shape:
            raise ModelError(f"{name} of shape {tuple(found.shape)}", f"the shape {shape} that the configuration tells")
        if not found.is_floating_point():
            kind = str(found.dtype).removeprefix("torch.")
            raise ModelError(f"{name} of type {kind}", "floating-point weights", "measure the model as it was released")
        found = found.to(self.device, torch.float32)
        if not bool(torch.isfinite(found).all()):
            raise ModelError(f"{name} in {self.path.name}", "finite numbers; it holds NaN or infinity")
        return found


def tensor_names(config: Config, biased: bool) -> frozenset[str]:
    """The names of all tensors of a model with this configuration."""
    parts = [f"{name}.weight" for name in _GGUF if "." in name and not name.startswith("model.")]
    parts += ["input_layernorm.weight", "post_attention_layernorm.weight"]
    parts += [f"self_attn.{kind}_proj.bias" for kind in "qkv"] if biased else []
    names = {f"model.layers.{layer}.{part}" for layer in range(config.layers) for part in parts}
    names |= {"model.embed_tokens.weight", "model.norm.weight"}
    return frozenset(names if config.tied else names | {"lm_head.weight"})


def _held(path: Path, config: Config, found: set[str]) -> frozenset[str]:
    """The tensors that the arithmetic uses; ModelError where one is missing, or one is held that it would not use."""
    biased = "model.layers.0.self_attn.q_proj.bias" in found
    wanted = tensor_names(config, biased)
    spare = {name for name in found - wanted if not name.endswith("rotary_emb.inv_freq")}
    spare -= {"lm_head.weight"} if config.tied else set()
    if wanted - found:
        raise ModelError(
            str(path), f"the tensor {min(wanted - found)}", "the file is not whole, or of another architecture"
        )
    if spare:
        raise ModelError(
            f"{path}: tensor {min(spare)}",
            f"the tensors of {config.architecture} alone",
            "measure another model, or add what this one does with it as docs/measure.md tells",
        )
    return wanted


def opened(path: Path) -> Model:
    """The model in a folder of Hugging Face's format, or in a GGUF file; ModelError in one line where there is none."""
    # unlike a path's own methods these say no of a name that no file can have
    if os.path.isdir(path):
        return _folder(path)
    if not os.path.isfile(path):
        raise ModelError(str(path), "a folder with config.json and *.safetensors, or a GGUF file")
    with path.open("rb") as handle:
        if handle.read(4) != b"GGUF":
            raise ModelError(str(path), "a GGUF file or a folder", "the file does not begin as GGUF does")
    return _gguf(path)


def _configuration(path: Path) -> dict[str, Any]:
    """The object in a folder's config.json, a regular file of at most CONFIG bytes; ModelError otherwise."""
    file = path / "config.json"
    # a pipe would be waited for
    if not file.is_file():
        raise ModelError(str(path), "a folder with config.json")
    try:
        if file.stat().st_size > CONFIG:
            raise ModelError(str(file), f"at most {CONFIG >> 10} KiB")
        raw = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise ModelError(str(file), f"a file that can be read ({error.strerror})") from None
    except (ValueError, RecursionError):
        raise ModelError(str(file), "JSON") from None
    if not isinstance(raw, dict):
        raise ModelError(str(file), "a JSON object")
    return raw


def _folder(path: Path) -> Model:
    config = of_json(_configuration(path))
    files = sorted(path.glob("*.safetensors"))
    if not files:
        raise ModelError(str(path), "*.safetensors in the folder", "pickled weights (.bin, .pt) are never opened")
    for file in files:
        if not file.is_file():
            raise ModelError(str(file), "a regular file")
    try:
        from safetensors import SafetensorError, safe_open
    except ImportError:
        raise ModelError(str(path), "the package safetensors", _INSTALL) from None
    held: dict[str, Path] = {}
    for file in files:
        try:
            with safe_open(file, framework="pt") as handle:
                held |= dict.fromkeys(handle.keys(), file)
        except (SafetensorError, OSError) as error:
            raise ModelError(str(file), f"a whole safetensors file ({error})") from None

    def read(name: str) -> Tensor:
        with safe_open(held[name], framework="pt") as handle:
            found: Tensor = handle.get_tensor(name)
            return found

    return Model(path, config, _held(path, config, set(held)), read, {})


def renamed(name: str) -> str:
    """The name in a GGUF file of the tensor that Hugging Face calls ``name``."""
    stem, _, kind = name.rpartition(".")
    if stem in _GGUF:
        return f"{_GGUF[stem]}.{kind}"
    _, _, layer, part = stem.split(".", 3)
    return f"blk.{layer}.{_GGUF[part]}.{kind}"


def _gguf(path: Path) -> Model:
    try:
        from gguf import GGUFReader, dequantize
    except ImportError:
        raise ModelError(str(path), "the package gguf", _INSTALL) from None

    class Reader(GGUFReader):
        """Reads what is in the file: without a bound its counts are followed beyond the end, for ever."""

        reads = 0

        def _get(self, offset: int, dtype: Any, count: int = 1, *more: Any, **named: Any) -> Any:
            self.reads += 1
            if offset + int(count) * np.dtype(dtype).itemsize > len(self.data) or self.reads > READS:
                raise ValueError("counts beyond the file")
            return super()._get(offset, dtype, count, *more, **named)

    try:
        reader = Reader(path)
        fields: dict[str, Any] = {key: field.contents() for key, field in reader.fields.items()}
        tensors = {tensor.name: tensor for tensor in reader.tensors}
    except Exception as error:  # the library raises whatever a broken file makes of its arithmetic
        raise ModelError(str(path), f"a whole GGUF file ({type(error).__name__})") from None
    config = of_gguf(fields | {name: True for name in tensors if name == "output.weight"})
    biased = "blk.0.attn_q.bias" in tensors
    back = {renamed(name): name for name in tensor_names(config, biased)}
    spare = set(tensors) - {"rope_freqs.weight"}
    names = _held(path, config, {back.get(name, name) for name in spare})
    if "rope_freqs.weight" in tensors:
        divisors = np.asarray(tensors["rope_freqs.weight"].data, dtype=np.float64).ravel()
        try:
            config = replace(config, rotary=replace(config.rotary, divisors=tuple(divisors.tolist())))
        except ValueError as error:
            raise ModelError(f"{path}: tensor rope_freqs.weight", f"positive numbers ({error})") from None

    def read(name: str) -> Tensor:
        tensor = tensors[renamed(name)]
        found = torch.from_numpy(dequantize(tensor.data, tensor.tensor_type).copy())
        turned = config.architecture == "llama" and (".q_proj." in name or ".k_proj." in name)
        return unpermuted(found, config.head_dim) if turned else found

    return Model(path, config, names, read, fields)


def unpermuted(weight: Tensor, head_dim: int) -> Tensor:
    """Rows of each head from llama.cpp's order, pair beside pair, to Hugging Face's: first halves, then second ones."""
    heads = weight.shape[0] // head_dim
    return weight.reshape(heads, head_dim // 2, 2, -1).transpose(1, 2).reshape(weight.shape)
