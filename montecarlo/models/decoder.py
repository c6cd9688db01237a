"""The arithmetic of a decoder with RMSNorm, rotary positions, grouped queries and SwiGLU, a layer at a time."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from montecarlo.models.config import Config, ModelError
from montecarlo.models.rotary import rotated
from montecarlo.models.weights import Model


@dataclass(frozen=True)
class Layer:
    """What one layer does with the windows: B windows of T tokens, H heads of n numbers, width d.

    before, after: (B, T, d), the tokens before the layer and after it; normed: (B, T, d), what its attention reads;
    W_Q, W_K: (H, n, d), with the factor of scaled positions, the keys' of a group repeated;
    last: (B, H, T), the last query's scores;
    probabilities: (B, H, T, T), query by key; values: (B, H, T, n), those of a group repeated; W_O: (H, d, n).
    """

    number: int
    before: Tensor
    normed: Tensor
    W_Q: Tensor
    W_K: Tensor
    last: Tensor
    probabilities: Tensor
    values: Tensor
    W_O: Tensor
    after: Tensor


def rms_norm(x: Tensor, weight: Tensor, epsilon: float) -> Tensor:
    """x / sqrt(mean(x^2) + epsilon) * weight over the last axis."""
    return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + epsilon) * weight


def scores(q: Tensor, k: Tensor) -> Tensor:
    """q_i . k_j / sqrt(n): (..., T, n) twice -> (..., T, T), query by key."""
    return q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])


def attention(found: Tensor) -> Tensor:
    """softmax_j<=i of scores (..., T, T), query by key."""
    later = torch.ones(found.shape[-2:], device=found.device).triu(1).bool()
    return found.masked_fill(later, -math.inf).softmax(-1)


def embedded(model: Model, tokens: Tensor) -> Tensor:
    """(B, T) tokens -> (B, T, d)."""
    c = model.config
    return model.tensor("model.embed_tokens.weight", c.vocabulary, c.width)[tokens]


def layers(model: Model, tokens: Tensor) -> Iterator[Layer]:
    """The layers one after another on (B, T) tokens; the weights of one layer alone are held."""
    x = embedded(model, tokens.to(model.device))
    for number in range(model.config.layers):
        with torch.no_grad():
            found = _layer(model, number, x)
        if not bool(torch.isfinite(found.after).all()):
            raise ModelError(f"the tokens after layer {number} of {model.path.name}", "finite numbers; they overflow")
        yield found
        x = found.after


def _heads(model: Model, at: str, kind: str, normed: Tensor, count: int, factor: float = 1.0) -> tuple[Tensor, Tensor]:
    """A projection by heads, times a factor: the weight (H, n, d), what it makes (B, H, T, n); a group's repeated."""
    c: Config = model.config
    name = f"{at}self_attn.{kind}_proj"
    weight = model.tensor(f"{name}.weight", count * c.head_dim, c.width)
    made = normed @ weight.T
    if f"{name}.bias" in model.names:
        made = made + model.tensor(f"{name}.bias", count * c.head_dim)
    B, T = normed.shape[:2]
    if factor != 1:
        weight, made = factor * weight, factor * made
    made = made.reshape(B, T, count, c.head_dim).transpose(1, 2)
    times = c.heads // count
    return weight.reshape(count, c.head_dim, c.width).repeat_interleave(times, 0), made.repeat_interleave(times, 1)


def _layer(model: Model, number: int, x: Tensor) -> Layer:
    c, at = model.config, f"model.layers.{number}."
    normed = rms_norm(x, model.tensor(f"{at}input_layernorm.weight", c.width), c.epsilon)
    W_Q, q = _heads(model, at, "q", normed, c.heads, c.rotary.factor)
    W_K, k = _heads(model, at, "k", normed, c.kv_heads, c.rotary.factor)
    _, v = _heads(model, at, "v", normed, c.kv_heads)
    speeds = c.rotary.speeds(x.shape[1])
    found = scores(rotated(q, speeds), rotated(k, speeds))
    probabilities = attention(found)
    mixed = (probabilities @ v).transpose(1, 2).reshape(*x.shape[:2], c.heads * c.head_dim)
    out = model.tensor(f"{at}self_attn.o_proj.weight", c.width, c.heads * c.head_dim)
    W_O = out.reshape(c.width, c.heads, c.head_dim).transpose(0, 1)
    middle = x + mixed @ out.T
    read = rms_norm(middle, model.tensor(f"{at}post_attention_layernorm.weight", c.width), c.epsilon)
    gate = torch.nn.functional.silu(read @ model.tensor(f"{at}mlp.gate_proj.weight", c.inner, c.width).T)
    up = read @ model.tensor(f"{at}mlp.up_proj.weight", c.inner, c.width).T
    after = middle + (gate * up) @ model.tensor(f"{at}mlp.down_proj.weight", c.width, c.inner).T
    return Layer(number, x, normed, W_Q, W_K, found[:, :, -1].clone(), probabilities, v, W_O, after)
