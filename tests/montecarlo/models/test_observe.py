"""Laws of tokens and heads whose behaviour is planted are recognised, in a model as in a table of numbers."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import Tensor

from montecarlo.models.config import of_json
from montecarlo.models.decoder import layers
from montecarlo.models.observe import Interval, growth, growth_in_words, heads, interval
from montecarlo.models.weights import Model
from tests.montecarlo.models.small import CONFIG, weights

STEPS = torch.randn(40, 128, 6, generator=torch.Generator().manual_seed(4))


@pytest.mark.parametrize(
    ("x", "exponent", "words"),
    [
        (STEPS.cumsum(1), 1, "as a random walk's do"),
        (STEPS, 0, "do not grow"),
        (torch.arange(128.0)[:, None] + 0.1 * STEPS, 2, "faster"),
    ],
)
def test_the_growth_of_a_law_is_found(x: Tensor, exponent: float, words: str) -> None:
    found = interval(growth(x), failure=1e-3)
    assert abs(found.mean - exponent) < 0.1
    assert words in growth_in_words(found)


def test_a_large_first_token_does_not_tell_of_the_others() -> None:
    x = STEPS.clone()
    x[:, 0] = 1000.0
    assert torch.equal(growth(x), growth(STEPS))


def test_words_follow_the_interval() -> None:
    assert "slower" in growth_in_words(Interval(0.5, 0.4, 0.6))
    assert "do not grow" in growth_in_words(Interval(-0.5, -0.6, -0.4))


def test_an_interval_covers_as_often_as_it_says() -> None:
    draws = torch.randn(4000, 5, generator=torch.Generator().manual_seed(5))
    missed = sum(not (found.low <= 0 <= found.high) for found in (interval(row, 0.1) for row in draws))
    # 400 expected, standard deviation 19; six of them
    assert 286 < missed < 514


def test_too_little_is_refused() -> None:
    with pytest.raises(ValueError, match="two windows"):
        interval(torch.ones(1))
    with pytest.raises(ValueError, match="17 tokens"):
        growth(torch.ones(1, 16, 2))
    with pytest.raises(ValueError, match="3 tokens"):
        heads(torch.ones(1, 1, 2, 2))


def planted() -> Model:
    """One layer of width 8, head_dim 4: heads that average, that attend to the first token, and two drawn ones.

    Every token has 1 in place 0; the token number 0, which the window begins with alone, has 8 in place 1 too.
    """
    config = CONFIG | {"hidden_size": 8, "head_dim": 4, "num_key_value_heads": 4, "num_hidden_layers": 1}
    # one rotary pair turns by the position itself, the other nearly not at all
    config |= {"rope_theta": 1e12}
    held = weights(config)
    table = torch.zeros(50, 8)
    table[:, 0], table[0, 1] = 1.0, 8.0
    held["model.embed_tokens.weight"] = table
    held["model.layers.0.input_layernorm.weight"] = torch.ones(8)
    query, key = torch.zeros(4, 4, 8), torch.zeros(4, 4, 8)
    # head 0: all scores are 0. Head 1: the slow pair's score is the key's place 1.
    query[1, 1, 0], key[1, 1, 1] = 20.0, 20.0
    # Head 2: the key turned one position on meets the query best one token later.
    angle = torch.tensor(1.0)
    query[2, 0, 0], key[2, 0, 0], key[2, 2, 0] = 20.0, angle.cos(), angle.sin()
    held["model.layers.0.self_attn.q_proj.weight"] = query.reshape(16, 8)
    held["model.layers.0.self_attn.k_proj.weight"] = key.reshape(16, 8)
    return Model(Path("planted"), of_json(config), frozenset(held), held.__getitem__, {})


def test_planted_heads_are_recovered() -> None:
    # six tokens: the pair of head 2 turns by one radian a token, and has not come round
    tokens = torch.tensor([[0, 3, 4, 5, 6, 7], [0, 9, 8, 7, 6, 5]])
    (layer,) = layers(planted(), tokens)
    found = heads(layer.probabilities)
    assert torch.allclose(found.entropy[:, 0], torch.ones(2))
    assert float(found.first[:, 1].min()) > 0.99 > 0.5 > float(found.first[:, 0].max())
    assert float(found.previous[:, 2].min()) > 0.9 > 0.5 > float(found.previous[:, :2].max())
