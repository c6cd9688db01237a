"""What a causal language model is, apart from its weights; and what is wrong where it cannot be read."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from montecarlo.models.rotary import SCALINGS, Rotary, scaled

#: The architectures that are known: RMSNorm, rotary positions, grouped queries, SwiGLU; biases of q, k and v or none.
KNOWN = ("llama", "mistral", "qwen2")


class ModelError(Exception):
    """A model or text that cannot be used: ``value`` was given, ``expected`` was not found, ``mend`` is what to do.

    ``part`` is what it was given as: the model, the text or the heads.
    """

    def __init__(self, value: str, expected: str, mend: str = "", part: str = "model") -> None:
        super().__init__(f"{value}: expected {expected}" + (f"; {mend}" if mend else ""))
        self.value, self.expected, self.mend, self.part = value, expected, mend, part


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
    rotary: Rotary
    tied: bool
    context: int

    def __post_init__(self) -> None:
        for name in ("layers", "width", "heads", "kv_heads", "head_dim", "inner", "vocabulary", "context"):
            _sized(name, getattr(self, name))
        if self.heads % self.kv_heads:
            raise ModelError(f"{self.heads} heads over {self.kv_heads} keys", "a multiple of the number of keys")
        if self.head_dim % 2:
            raise ModelError(f"head_dim = {self.head_dim}", "an even number, as rotary positions turn pairs")
        if 2 * len(self.rotary.divisors) != self.head_dim:
            raise ModelError(f"{len(self.rotary.divisors)} pairs that turn", f"{self.head_dim // 2}, half of head_dim")
        if not 0 < self.epsilon < math.inf:
            raise ModelError(f"epsilon = {self.epsilon}", "a positive number")


def _sized(name: str, number: int) -> None:
    """ModelError for a size that no model has: each layer and each number of a head is counted before any is read."""
    most = 1 << {"layers": 12, "head_dim": 14}.get(name, 24)
    if not 1 <= number <= most:
        raise ModelError(f"{name} = {_shown(number)}", f"a whole number from 1 to {most}")


def _shown(number: int) -> str:
    """The number, or how long it is where nobody would read it."""
    return str(number) if abs(number) < 10**40 else "a number of over 40 digits"


def known(architecture: object) -> str:
    """The architecture's name, or ModelError with those that are known."""
    if architecture not in KNOWN:
        raise ModelError(
            f"architecture {architecture!r:.80}",
            f"one of {', '.join(KNOWN)}",
            "measure another model, or add this one as docs/measure.md tells",
        )
    return str(architecture)


def _rotary(theta: Any, head_dim: int, given: Mapping[str, Any], context: int) -> Rotary:
    """The rotary positions that a configuration gives; ModelError where they are not one of SCALINGS."""
    _sized("head_dim", head_dim)
    kind = given.get("rope_type", given.get("type", "default"))
    if kind not in SCALINGS:
        raise ModelError(f"rotary positions of type {kind!r:.80}", f"one of {', '.join(SCALINGS)}")
    for name, value in given.items():
        if isinstance(value, Mapping):
            raise ModelError(f"rotary positions for {name!r:.80}", "the same ones for all layers")
    if given.get("partial_rotary_factor") not in (None, 1):
        raise ModelError(
            f"partial_rotary_factor = {given['partial_rotary_factor']!r:.80}", "positions of the whole head, 1"
        )
    try:
        return scaled(float(theta), head_dim, given, context)
    except KeyError as error:
        raise ModelError(f"rotary positions of type {kind}", f"the entry {error.args[0]!r}") from None
    except (TypeError, ValueError, ArithmeticError) as error:
        raise ModelError(f"rotary positions of type {kind}", f"numbers in their places ({error})") from None


def _rotary_of_json(raw: Mapping[str, Any], head_dim: int, context: int) -> Rotary:
    """As ``transformers`` reads them: ``rope_scaling`` before ``rope_parameters``, what is in it before what is not."""
    given = dict(raw.get("rope_scaling") or raw.get("rope_parameters") or {})
    for name in ("rope_theta", "partial_rotary_factor"):
        if raw.get(name) is not None:
            given.setdefault(name, raw[name])
    if raw.get("original_max_position_embeddings"):
        given["original_max_position_embeddings"] = raw["original_max_position_embeddings"]
    return _rotary(given.get("rope_theta", 10000.0), head_dim, given, context)


def _rotary_of_gguf(field: Mapping[str, Any], at: str, head_dim: int, context: int) -> Rotary:
    """As ``llama.cpp`` writes them: none, linear or yarn; llama3's divisors are a tensor of the file."""
    rope = {name.removeprefix(at + "rope."): value for name, value in field.items() if name.startswith(at + "rope.")}
    given = {name.removeprefix("scaling."): value for name, value in rope.items() if name.startswith("scaling.")}
    kind = given.pop("type", "linear" if "factor" in given else "none")
    names = {
        "factor": "factor",
        "original_context_length": "original_max_position_embeddings",
        "yarn_beta_fast": "beta_fast",
        "yarn_beta_slow": "beta_slow",
    }
    given.pop("finetuned", None)
    for name in given:
        if name not in names:
            raise ModelError(f"the field rope.scaling.{name}", f"no others than {', '.join(names)}")
    if rope.get("dimension_count", head_dim) != head_dim:
        raise ModelError(f"rope.dimension_count = {rope['dimension_count']!r:.80}", f"that of the head, {head_dim}")
    if kind not in ("none", "linear", "yarn"):
        raise ModelError(f"rope.scaling.type = {kind!r:.80}", "none, linear or yarn")
    scaling = {names[name]: value for name, value in given.items()} | {"rope_type": kind}
    theta = rope.get("freq_base", 10000.0)
    return _rotary(theta, head_dim, {} if kind == "none" else scaling, context)


def of_json(raw: Mapping[str, Any]) -> Config:
    """The configuration that a Hugging Face ``config.json`` holds; ModelError where it is not one of KNOWN."""
    architecture = known(raw.get("model_type"))
    if raw.get("hidden_act", "silu") != "silu":
        raise ModelError(f"hidden_act {raw['hidden_act']!r}", "silu")
    window = raw.get("sliding_window") if raw.get("use_sliding_window", architecture == "mistral") else None
    try:
        width, heads = int(raw["hidden_size"]), int(raw["num_attention_heads"])
        head_dim, context = int(raw.get("head_dim") or width // heads), int(raw.get("max_position_embeddings", 2048))
        rotary = _rotary_of_json(raw, head_dim, context)
        # dynamic positions are for longer windows than the model was trained on
        context = min(int(rotary.stretch * context), 1 << 24)
        return Config(
            architecture=architecture,
            layers=int(raw["num_hidden_layers"]),
            width=width,
            heads=heads,
            kv_heads=int(raw.get("num_key_value_heads") or heads),
            head_dim=head_dim,
            inner=int(raw["intermediate_size"]),
            vocabulary=int(raw["vocab_size"]),
            epsilon=float(raw.get("rms_norm_eps", 1e-6)),
            rotary=rotary,
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
        head_dim, context = (
            int(field.get(at + "attention.key_length", width // heads)),
            int(field[at + "context_length"]),
        )
        return Config(
            architecture=architecture,
            layers=int(field[at + "block_count"]),
            width=width,
            heads=heads,
            kv_heads=int(field.get(at + "attention.head_count_kv", heads)),
            head_dim=head_dim,
            inner=int(field[at + "feed_forward_length"]),
            vocabulary=len(field["tokenizer.ggml.tokens"]),
            epsilon=float(field[at + "attention.layer_norm_rms_epsilon"]),
            rotary=_rotary_of_gguf(field, at, head_dim, context),
            tied="output.weight" not in field,
            context=context,
        )
    except KeyError as error:
        raise ModelError("GGUF", f"the field {error.args[0]!r}") from None
    except (TypeError, ValueError, ArithmeticError) as error:
        raise ModelError("GGUF", f"numbers in their fields ({error})") from None
