"""Laws of tokens and heads whose behaviour is planted are recognised, in a model as in a table of numbers."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

from montecarlo.models.config import of_json
from montecarlo.models.decoder import layers
from montecarlo.models.laws import (
    ASSUMPTIONS,
    ROUNDING,
    Interval,
    Sums,
    assumption,
    average_cosine,
    contexts,
    growth_in_words,
    mean_of,
    moved,
    of_tokens,
)
from montecarlo.models.observe import heads, inner, sizes, smoothing, switch, traces, written
from montecarlo.models.rotary import rotated, unscaled
from montecarlo.models.sinks import Certificate, integers, sinks
from montecarlo.models.weights import Model
from montecarlo.separability import Separation
from tests.montecarlo.models.small import CONFIG, weights

STEPS = torch.randn(40, 128, 6, generator=torch.Generator().manual_seed(4))
WALK, RISING = STEPS.cumsum(1), torch.linspace(1, 3, 128)[:, None]
EQUAL = torch.nn.functional.normalize(STEPS, dim=-1)
NEAR = STEPS.clone()
NEAR[:, 1:] += STEPS[:, :-1]


def said(x: Tensor, name: str, z: Tensor | None = None) -> tuple[Interval, str]:
    """An assumption on tokens x (B, T, d), each window a group; z are what attention reads, x itself if not given."""
    sums = Sums(len(x))
    sums.add(torch.arange(len(x)), of_tokens(x, x if z is None else z))
    return assumption(name, sums, 1e-4)


@pytest.mark.parametrize(
    ("name", "x", "holds", "words"),
    [
        ("growth", WALK, True, "as a random walk's do"),
        ("growth", STEPS, False, "do not grow"),
        ("growth", torch.arange(128.0)[:, None] + 0.1 * STEPS, False, "faster"),
        ("kurtosis", WALK, True, "a Gaussian's"),
        ("kurtosis", (STEPS**3).cumsum(1), False, "too heavy"),
        ("kurtosis", STEPS.sign().cumsum(1), False, "too light"),
        ("covariance", WALK, True, "as large"),
        ("covariance", (RISING * STEPS).cumsum(1), False, "grows"),
        ("neighbours", STEPS, True, "no more alike"),
        ("neighbours", NEAR, False, "more alike"),
        ("drift", STEPS, True, "no drift"),
        ("drift", STEPS + RISING, False, "drift along"),
        ("norms", STEPS, True, "as long late"),
        ("norms", RISING * STEPS, False, "grow"),
        ("norms", WALK, False, "grow"),
        ("spread", EQUAL, True, "equal"),
        ("spread", STEPS, False, "differ"),
        ("first", EQUAL, True, "as long as"),
        ("first", torch.cat((5 * EQUAL[:, :1], EQUAL[:, 1:]), 1), False, "longer"),
        ("scaled", STEPS, True, "a multiple"),
    ],
)
def test_a_law_is_seen_to_hold_and_to_fail(name: str, x: Tensor, holds: bool, words: str) -> None:
    found, told = said(x, name)
    assert words in told
    assert (found.low - ROUNDING <= ASSUMPTIONS[name].under <= found.high + ROUNDING) == holds


def test_the_exponents_are_those_of_the_laws() -> None:
    for x, exponent in ((WALK, 1), (STEPS, 0)):
        assert abs(said(x, "growth")[0].mean - exponent) < 0.1


def test_a_walk_is_one_however_few_its_directions() -> None:
    """The logarithm of one window's size varies by half of itself there, and its mean is no logarithm of a mean."""
    walk = torch.randn(2048, 128, 1, generator=torch.Generator().manual_seed(6)).cumsum(1)
    sums = Sums(32)
    sums.add(torch.arange(2048) // 64, of_tokens(walk, walk))
    found, told = assumption("growth", sums)
    assert "as a random walk's do" in told and found.high - found.low < 0.03


@pytest.mark.parametrize(
    ("name", "x", "z", "words"),
    [
        ("spread", EQUAL * (1 + 0.1 * STEPS[:, :, :1]), None, "norms differ"),
        ("spread", EQUAL, None, "norms are equal"),
        ("scaled", STEPS, STEPS * RISING, "no multiple"),
        ("scaled", STEPS, 2 * STEPS, "x is a multiple"),
    ],
)
def test_a_number_at_the_end_of_its_range_is_decided_by_two_windows(
    name: str, x: Tensor, z: Tensor | None, words: str
) -> None:
    """Norms that differ in two windows are not equal, however wide the interval of how much they differ."""
    assert words in said(x[:2], name, None if z is None else z[:2])[1]


def test_what_attention_reads_need_not_be_a_multiple() -> None:
    assert "no multiple" in said(STEPS, "scaled", STEPS * RISING[:6, 0])[1]


def test_a_large_first_token_does_not_tell_of_the_others() -> None:
    x = STEPS.clone()
    x[:, 0] = 1000.0
    assert torch.equal(moved(x), moved(STEPS))
    assert said(x, "norms") == said(STEPS, "norms")


def test_words_follow_the_interval() -> None:
    assert "slower" in growth_in_words(Interval(0.5, 0.4, 0.6))
    assert "slower" in growth_in_words(Interval(0.35, -0.2, 0.9))
    assert "do not grow" in growth_in_words(Interval(-0.5, -0.6, -0.4))


def test_an_interval_covers_as_often_as_it_says() -> None:
    draws = torch.randn(4000, 5, generator=torch.Generator().manual_seed(5))
    sums = Sums(5)
    sums.add(torch.arange(5), {"x": draws.T, "windows": torch.ones(5)})
    _, low, high = sums.interval(lambda held: held["x"] / held["windows"], 0.1)
    missed = int(((low > 0) | (high < 0)).sum())
    # 400 expected, standard deviation 19; six of them
    assert 286 < missed < 514


def test_sums_do_not_depend_on_the_batches() -> None:
    group = torch.arange(40) * 7 // 40
    whole, parts = Sums(7), Sums(7)
    whole.add(group, of_tokens(STEPS, STEPS))
    for batch in (slice(0, 16), slice(16, 40)):
        parts.add(group[batch], of_tokens(STEPS[batch], STEPS[batch]))
    for name, value in whole.held.items():
        assert torch.allclose(value, parts.held[name])
    assert assumption("kurtosis", whole)[0].mean == pytest.approx(assumption("kurtosis", parts)[0].mean)


def test_too_little_is_refused() -> None:
    with pytest.raises(ValueError, match="two or more"):
        Sums(1).interval(mean_of("x"))
    with pytest.raises(ValueError, match="17 tokens"):
        moved(torch.ones(1, 16, 2))
    with pytest.raises(ValueError, match="3 tokens"):
        heads(torch.ones(1, 1, 2, 2))


def planted() -> Model:
    """One layer of width 8, head_dim 4: heads that average, attend to the first token, the one before, and themselves.

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
    # Head 3: the key meets the query best where it was not turned on.
    query[3, 0, 0], key[3, 0, 0] = 20.0, 20.0
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
    assert float(found.previous[:, 2].min()) > 0.9 > 0.5 > float(found.previous[:, (0, 1, 3)].max())
    assert float(found.own[:, 3].min()) > 0.9 > 0.5 > float(found.own[:, :3].max())


# ---- traces and writing, by the matrices themselves


def drawn(*shape: int, seed: int = 0) -> Tensor:
    found: Tensor = torch.randn(shape, generator=torch.Generator().manual_seed(seed))
    return found


def test_traces_are_those_of_the_matrices() -> None:
    """tr(W Sigma) and tr((W Sigma)^2) in head_dim numbers are those in width numbers, at every rotary distance."""
    x, Q, K = drawn(2, 9, 6), drawn(3, 4, 6, seed=1), drawn(3, 4, 6, seed=2)
    distances = torch.tensor([0.0, 1.0, 5.0])
    speeds = unscaled(100.0, 4).speeds(9)
    found = traces(inner(x, Q, K) / 16, speeds, distances)
    symmetric, norm = sizes(Q, K)
    steps = (x[:, 1:] - x[:, :-1]).reshape(-1, 6).double()
    Sigma = steps.T @ steps / len(steps)
    for head in range(3):
        for place, distance in enumerate(distances):
            turn = rotated(torch.eye(4)[:, None], speeds, -distance[None])[:, 0].T.double()
            W = Q[head].T.double() @ turn @ K[head].double()
            one = (W + W.T) / 2 @ Sigma
            assert torch.isclose(found.first[head, place], torch.trace(one), atol=1e-6)
            assert torch.isclose(found.second[head, place], torch.trace(one @ one), atol=1e-5)
            if distance == 0:
                assert torch.isclose(symmetric[head], (((W + W.T) / 2).square().sum() / W.square().sum()))
                assert torch.isclose(norm[head], W.norm())
                values = torch.linalg.eigvals(W @ Sigma).abs().sort(descending=True).values[:4]
                assert torch.allclose(found.eigenvalues[head].abs().sort(descending=True).values, values)
    assert torch.allclose(sizes(Q, Q)[0], torch.ones(3).double())


def test_what_is_written_is_what_the_matrix_makes() -> None:
    values, W_O = drawn(2, 3, 5, 4), drawn(3, 7, 4, seed=1)
    expected = torch.stack([(values[:, h] @ W_O[h].T).norm(dim=-1) for h in range(3)], 1)
    assert torch.allclose(written(values, W_O), expected, atol=1e-5)


def test_a_sink_with_a_value_of_zero_is_a_switch() -> None:
    """Head 1 attends to the first token, whose value is 0 there and not for head 0."""
    model = planted()
    value = model.tensor("model.layers.0.self_attn.v_proj.weight", 16, 8).reshape(4, 4, 8).clone()
    # the first token has places 0 and 1 alone, in this proportion after its norm
    value[1, :, 1] = -value[1, :, 0] / 8
    read = model.read
    changed = replace(model, read=lambda name: value.reshape(16, 8) if "v_proj" in name else read(name))
    tokens = torch.tensor([[0, 3, 4, 5, 6, 7], [0, 9, 8, 7, 6, 5]])
    (layer,) = layers(changed, tokens)
    found = switch(layer)
    assert float(found["sink value"][:, 1].max()) < 1e-3 * float(found["value"][:, 1].min())
    assert torch.equal(found["on"][:, 1], torch.tensor([5, 5]))
    assert float((found["written on"][:, 1] / found["on"][:, 1]).max()) < 0.02 * float(found["value"][:, 1].min())
    assert float(found["sink value"][:, 0].min()) > 0.1 * float(found["value"][:, 0].min())


def test_the_sign_maps_traces_are_those_of_the_matrices() -> None:
    tokens = torch.randint(0, 50, (2, 12), generator=torch.Generator().manual_seed(7))
    tensors = weights(CONFIG)
    model = Model(Path("small"), of_json(CONFIG), frozenset(tensors), tensors.__getitem__, {})
    layer = next(iter(layers(model, tokens)))
    found = smoothing(layer)
    V = tensors["model.layers.0.self_attn.v_proj.weight"].reshape(2, 6, 24).repeat_interleave(2, 0)
    for window in range(2):
        z = layer.normed[window, 1:]
        B = torch.cov(z.T)
        for head in range(4):
            W = layer.W_O[head] @ V[head]
            assert torch.isclose(found["t1"][window, head], torch.trace(B @ W), rtol=1e-3)
            assert torch.isclose(found["t2"][window, head], torch.trace(B @ W.T @ W), rtol=1e-3)
    # an even attention is what the model would do with scores of 0
    x = layer.before + (layer.values.cumsum(2) / torch.arange(1, 13)[:, None])[:, 1] @ layer.W_O[1].T
    pairs = torch.nn.functional.normalize(x[:, 1:], dim=-1) @ torch.nn.functional.normalize(x[:, 1:], dim=-1).mT
    assert torch.allclose(found["even"][:, 1], (pairs.sum((1, 2)) - 11) / 110, atol=1e-5)


def test_parts_of_an_attention_step_are_as_alike_as_their_tokens() -> None:
    """By the definition: the mean cosine over pairs of what a head writes alone, and the ratio of expectations."""
    tensors = weights(CONFIG)
    model = Model(Path("small"), of_json(CONFIG), frozenset(tensors), tensors.__getitem__, {})
    layer = next(iter(layers(model, torch.randint(0, 50, (1, 12), generator=torch.Generator().manual_seed(8)))))
    found = smoothing(layer)

    def cosine(y: Tensor) -> float:
        return float(np.mean([torch.cosine_similarity(a, b, 0) for a, b in permutations(y[1:], 2)]))

    v = layer.values[0, 2] @ layer.W_O[2].T
    A, U = layer.probabilities[0, 2], torch.ones(12, 12).tril() / torch.arange(1, 13)[:, None]
    for name, mixed in (("identity", v), ("attended", A @ v), ("even", U @ v)):
        assert float(found[f"written {name}"][0, 2]) == pytest.approx(cosine(mixed), abs=1e-4)
        assert float(found[name][0, 2]) == pytest.approx(cosine(layer.before[0] + mixed), abs=1e-4)
    y = (layer.before[0] + v)[1:]
    inner = float(np.mean([float(a @ b) for a, b in permutations(y, 2)]))
    assert float(found["ratio"][0, 2]) == pytest.approx(inner / float(y.square().sum(1).mean()), rel=1e-4)


def test_the_context_is_made_of_the_first_tokens() -> None:
    found, parts = of_tokens(STEPS, STEPS), contexts(127)
    assert parts == [31, 63, 127]
    for place, many in enumerate(parts):
        assert torch.allclose(found["context cosine"][:, place], average_cosine(STEPS[:, 1 : many + 1].double()))
    assert torch.equal(found["context ratio"][:, 2], found["ratio"])
    assert torch.allclose(found["read cosine"], found["cosine"])


# ---- sinks, certified


def test_integers_are_exact() -> None:
    x = torch.tensor([[[0.1, -3.5], [1e-6, 0.0]]]).double().numpy()
    (found,) = integers(x)
    exact = [[Fraction(float(v)) for v in row] for row in x[0]]
    ratio = found[0][1] / exact[0][1]
    assert found == [[v * ratio for v in row] for row in exact]


def counts(normed: Tensor) -> tuple[int, int, bool | None]:
    found = sinks(normed)
    return found.windows(True), found.windows(False), found.together


def drawn_sinks() -> Tensor:
    z = 0.3 * drawn(3, 9, 12, seed=3) + 1
    z[:, 0, 0] += 4
    return z


def test_a_sink_is_certified_either_way() -> None:
    z = drawn_sinks()
    assert counts(z) == (3, 0, True)
    again = z.clone()
    again[1, 5] = again[1, 0]
    assert counts(again) == (2, 1, False)
    assert sinks(again).rho is None
    # queries on both sides of 0 leave no W either
    again = z.clone()
    again[2, 4] = -again[2, 3]
    assert counts(again)[1] == 1
    # each window has a W of its own, and no direction serves both: they are opposite
    assert counts(torch.stack((z[0], -z[0]))) == (2, 0, None)


def test_distances_are_those_of_one_matrix_for_all_windows() -> None:
    """Queries (1, 1, 0) and (1, -1, 0) of two windows leave the distance 1; of each alone it is sqrt(2)."""
    z = torch.tensor([[[1.0, 1, 3]] + [[1.0, 1, 0]] * 3, [[1.0, -1, 1]] + [[1.0, -1, 0]] * 3])
    assert sinks(z).rho == pytest.approx((1, 1))
    assert sinks(z[:1]).rho == pytest.approx((2**0.5, 3)) and sinks(z[1:]).rho == pytest.approx((2**0.5, 1))


def test_a_certificate_holds_of_its_tokens_alone() -> None:
    """Either way, also once it has been written and read; not where one of its numbers or of the tokens is another."""
    z = drawn_sinks()
    again = z.clone()
    again[0, 5], again[1, 5], again[2, 4] = again[0, 0], (again[1, 0] + again[1, 1]) / 2, -2 * again[2, 3]
    again[1, 0] = 2 * again[1, 5] - again[1, 1]
    for tokens in (z, again):
        for one in sinks(tokens).certificates:
            told = json.loads(json.dumps(one.as_json()))
            assert Certificate.of_json(told, 9) == one and one.holds(tokens)
            assert not one.holds(-tokens if one.representable else tokens + drawn(3, 9, 12))
            for side in {"queries", "keys"} & set(told):
                given = told[side]
                wrong = [-v for v in given] if isinstance(given, list) else given | {"7": "1/3"}
                assert not Certificate.of_json(told | {side: wrong}, 9).holds(tokens)
                # a part of what makes a sink makes none
                if one.representable:
                    assert not Certificate.of_json(told | {side: None}, 9).holds(tokens)
    assert sinks(again).certificates[0].as_json() == {
        "windows": [0],
        "representable": False,
        "keys": {"5": "1"},
    }
    assert Certificate((2,), Separation(False, weights=(Fraction(1),)), None).holds(torch.zeros(3, 2, 1))
    assert not Certificate((2,), None, None).holds(z)
    # weights show something of one window alone
    assert not replace(sinks(again).certificates[0], windows=(0, 0)).holds(again)
