"""What a causal language model is, apart from its weights; and what is wrong where it cannot be read."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

#: The architectures that are known: RMSNorm, rotary positions, grouped queries, SwiGLU; biases of q, k and v or none.
KNOWN = ("llama", "mistral", "qwen2")


class ModelError(Exception):
    """A model or text that cannot be used: ``value`` was given, ``expected`` was not found, ``mend`` is what to do."""

    def __init__(self, value: str, expected: str, mend: str = "") -> None:
        super().__init__(f"{value}: expected {expected}" + (f"; {mend}" if mend else ""))
        self.value, self.expected, self.mend = value, expected, mend


@dataclass(frozen=True)
class Config:
    """The sizes of a model: ``heads`` query heads share ``kv_heads`` keys and values, each of ``head_dim`` numbers."""

    architecture: str
    layers: int
    width: int
    heads: int
    kv_heads: int
    head_dim: int
    inner: int
    vocabulary: int
    epsilon: float
    theta: float
    tied: bool
    context: int

    def __post_init__(self) -> None:
        sizes = ("layers", "width", "heads", "kv_heads", "head_dim", "inner", "vocabulary", "context")
        for name in sizes:
            # a tensor has a width and a name: layers are counted by names
            most = 1 << (12 if name == "layers" else 24)
            if not 1 <= getattr(self, name) <= most:
                raise ModelError(f"{name} = {_shown(getattr(self, name))}", f"a whole number from 1 to {most}")
        if self.heads % self.kv_heads:
            raise ModelError(f"{self.heads} heads over {self.kv_heads} keys", "a multiple of the number of keys")
        if self.head_dim % 2:
            raise ModelError(f"head_dim = {self.head_dim}", "an even number, as rotary positions turn pairs")
        if not (0 < self.epsilon < math.inf and 0 < self.theta < math.inf):
            raise ModelError(f"epsilon = {self.epsilon}, theta = {self.theta}", "positive numbers")


def _shown(number: int) -> str:
    """The number, or how long it is where nobody would read it."""
    return str(number) if abs(number) < 10**40 else "a number of over 40 digits"


def known(architecture: object) -> str:
    """The architecture's name, or ModelError with those that are known."""
    if architecture not in KNOWN:
        raise ModelError(
            f"architecture {architecture!r:.80}",
            f"one of {', '.join(KNOWN)}",
            "convert the model, or measure another one",
        )
    return str(architecture)


def _rotation(raw: Mapping[str, Any]) -> float:
    """The base of the rotary positions; scaled ones are refused, as they are other positions."""
    for name in ("rope_scaling", "rope_parameters"):
        given = raw.get(name) or {}
        kind = given.get("rope_type", given.get("type", "default"))
        if kind != "default":
            raise ModelError(f"{name} of type {kind!r}", "rotary positions without scaling")
        if "rope_theta" in given:
            return float(given["rope_theta"])
    return float(raw.get("rope_theta", 10000.0))


def of_json(raw: Mapping[str, Any]) -> Config:
    """The configuration that a Hugging Face ``config.json`` holds; ModelError where it is not one of KNOWN."""
    architecture = known(raw.get("model_type"))
    if raw.get("hidden_act", "silu") != "silu":
        raise ModelError(f"hidden_act {raw['hidden_act']!r}", "silu")
    window = raw.get("sliding_window") if raw.get("use_sliding_window", architecture == "mistral") else None
    try:
        width, heads = int(raw["hidden_size"]), int(raw["num_attention_heads"])
        context = int(raw.get("max_position_embeddings", 2048))
        return Config(
            architecture=architecture,
            layers=int(raw["num_hidden_layers"]),
            width=width,
            heads=heads,
            kv_heads=int(raw.get("num_key_value_heads") or heads),
            head_dim=int(raw.get("head_dim") or width // heads),
            inner=int(raw["intermediate_size"]),
            vocabulary=int(raw["vocab_size"]),
            epsilon=float(raw.get("rms_norm_eps", 1e-6)),
            theta=_rotation(raw),
            tied=bool(raw.get("tie_word_embeddings", False)),
            # within the window every earlier token is seen, as without one
            context=min(context, int(window)) if window else context,
        )
    except KeyError as error:
        raise ModelError("config.json", f"the entry {error.args[0]!r}") from None
    except (TypeError, ValueError, AttributeError, ArithmeticError) as error:
        raise ModelError("config.json", f"numbers in their places ({error})") from None


def of_gguf(field: Mapping[str, Any]) -> Config:
    """The configuration that the fields of a GGUF file hold; there mistral goes by the name of llama."""
    architecture = known(field.get("general.architecture"))
    at = architecture + "."
    try:
        width, heads = int(field[at + "embedding_length"]), int(field[at + "attention.head_count"])
        if any(key.startswith(at + "rope.scaling") and field[key] not in ("none", 1.0) for key in field):
            raise ModelError("rope.scaling", "rotary positions without scaling")
        return Config(
            architecture=architecture,
            layers=int(field[at + "block_count"]),
            width=width,
            heads=heads,
            kv_heads=int(field.get(at + "attention.head_count_kv", heads)),
            head_dim=int(field.get(at + "attention.key_length", width // heads)),
            inner=int(field[at + "feed_forward_length"]),
            vocabulary=len(field["tokenizer.ggml.tokens"]),
            epsilon=float(field[at + "attention.layer_norm_rms_epsilon"]),
            theta=float(field.get(at + "rope.freq_base", 10000.0)),
            tied="output.weight" not in field,
            context=int(field[at + "context_length"]),
        )
    except KeyError as error:
        raise ModelError("GGUF", f"the field {error.args[0]!r}") from None
    except (TypeError, ValueError, ArithmeticError) as error:
        raise ModelError("GGUF", f"numbers in their fields ({error})") from None
