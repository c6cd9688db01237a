"""Section 6 in finite precision: the gate identity holds to rounding, and weights vanish where the format says."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor

from montecarlo.lampert2026.switch import attention

DTYPES = (torch.float16, torch.bfloat16, torch.float32, torch.float64)
#: The type that torch's softmax computes in, where it is not that of its argument.
COMPUTED_IN = {torch.bfloat16: torch.float32, torch.float16: torch.float32}
INTEGERS = {16: torch.int16, 32: torch.int32, 64: torch.int64}
#: What a margin can bring about: the column of a weight of two keys, the sink's first, and the weight that it reaches.
EVENTS = {"outside is 0": (1, 0.0), "sink is 1": (0, 1.0)}


def flushes(dtype: torch.dtype) -> bool:
    """Whether arithmetic of this type gives 0 for what is smaller than the smallest normal number here."""
    return float(torch.full((16,), torch.finfo(dtype).tiny, dtype=dtype).mul(0.5)[0]) == 0


def predicted(dtype: torch.dtype, event: str, flush: bool, inside: torch.dtype | None = None) -> float:
    """The margin kappa from which on the softmax of (kappa, 0) has the event, from the formats alone.

    The softmax subtracts the maximum, so that the other key's exponential is exp(-kappa), takes it over 1 + exp(-kappa)
    in the type that it computes in, and rounds to nearest, ties to even. It is 0 from half the smallest subnormal
    number (tiny eps) on, or below the smallest normal one where small numbers are flushed to 0. The sink's weight is 1
    where 1 + exp(-kappa) rounds to 1, exp(-kappa) <= eps/2, or where 1 - exp(-kappa) rounds to 1 in a coarser result,
    exp(-kappa) <= eps/4, numbers below 1 being twice as dense.
    """
    inner, outer = torch.finfo(inside or COMPUTED_IN.get(dtype, dtype)), torch.finfo(dtype)
    if event == "sink is 1":
        return -math.log(max(inner.eps / 2, outer.eps / 4 if outer.bits < inner.bits else 0.0))
    # logarithms, as half the smallest subnormal number is none
    smallest = -math.log(inner.tiny) - (0.0 if flush else math.log(inner.eps / 2))
    return min(smallest, -math.log(outer.tiny) - math.log(outer.eps / 2))


def measured(dtype: torch.dtype, event: str) -> tuple[float, float]:
    """The least representable margin with the event, by halving over the numbers of the type, and one unit there."""
    column, wanted = EVENTS[event]
    integers = INTEGERS[torch.finfo(dtype).bits]

    def number(place: int) -> Tensor:
        return torch.tensor([place], dtype=integers).view(dtype)

    def there(margin: Tensor) -> bool:
        return float(torch.softmax(torch.stack([margin, torch.zeros_like(margin)], -1), -1)[0, column]) == wanted

    low, high = (int(torch.tensor(end, dtype=dtype).view(integers)) for end in (0.5, 2048.0))
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if there(number(middle)) else (middle, high)
    assert not there(number(low)) and there(number(high)) and there(1.5 * number(high))
    return float(number(high)), float(number(high).double() - number(low).double())


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_weights_vanish_where_the_format_says(dtype: torch.dtype, event: str) -> None:
    """And nowhere near: not half or twice as far, nor where the softmax of a half type is not computed in float32."""
    margin, unit = measured(dtype, event)
    flush = flushes(COMPUTED_IN.get(dtype, dtype))
    said = predicted(dtype, event, flush)
    assert 0 <= abs(margin - said) <= unit
    wrong = [said - math.log(2)] + ([said + math.log(2)] if event == "outside is 0" else [])
    if event == "outside is 0" and not flush and dtype not in COMPUTED_IN:
        wrong.append(predicted(dtype, event, True))
    if event == "sink is 1" and dtype in COMPUTED_IN:
        wrong.append(predicted(dtype, event, flush, dtype))
    assert all(abs(margin - other) > unit for other in wrong)


@pytest.mark.skipif(not torch.set_flush_denormal(False), reason="this processor cannot flush small numbers to 0")
def test_the_prediction_follows_when_small_numbers_are_flushed() -> None:
    event = "outside is 0"
    before = [measured(dtype, event)[0] for dtype in DTYPES[1:]]
    torch.set_flush_denormal(True)
    try:
        for dtype, kept in zip(DTYPES[1:], before, strict=True):
            margin, unit = measured(dtype, event)
            assert margin < kept and abs(margin - predicted(dtype, event, True)) <= unit
    finally:
        torch.set_flush_denormal(False)


def gate_errors(dtype: torch.dtype, keys: int) -> list[float]:
    """How far attention with a sink and g attn + (1 - g) v_0 in one type are from float64 and from each other.

    g = sigmoid(logsumexp_{j > 0} s_j - s_0), attn without the sink. The largest error of 512 contexts in unit roundoffs
    of the largest |v_j|; scores and values (normal, times 4) are rounded to the type first.
    """
    generator = torch.Generator().manual_seed(0)
    scores = (4 * torch.randn(512, keys + 1, generator=generator, dtype=torch.float64)).to(dtype)
    values = torch.randn(512, keys + 1, 4, generator=generator, dtype=torch.float64).to(dtype)

    def full(s: Tensor, v: Tensor) -> Tensor:
        return (torch.softmax(s, -1)[..., None] * v).sum(-2)

    g = torch.sigmoid(torch.logsumexp(scores[:, 1:], -1) - scores[:, 0])[:, None]
    gated = (g * full(scores[:, 1:], values[:, 1:]) + (1 - g) * values[:, 0]).double()
    _, true = attention(scores.double(), values.double())
    plain = full(scores, values).double()
    unit = values.double().abs().amax((-2, -1))[:, None] * torch.finfo(dtype).eps / 2
    return [float((gap.abs() / unit).max()) for gap in (plain - true, gated - true, plain - gated)]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("keys", [1, 8, 64])
def test_the_gate_identity_holds_to_rounding(dtype: torch.dtype, keys: int) -> None:
    """Errors of a few unit roundoffs of the values, which grow with the number of keys at most.

    A log-sum-exp of size L costs L roundoffs, and there are keys + 1 products and sums.
    """
    assert max(gate_errors(dtype, keys)) < keys + 32


def test_a_wrong_gate_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    true = torch.sigmoid
    for wrong in (lambda x: true(-x), lambda x: true(x + 1), lambda x: true(x) * (1 + 2.0**-10)):
        with monkeypatch.context() as patch:
            patch.setattr(torch, "sigmoid", wrong)
            plain, gated, _ = gate_errors(torch.float32, 8)
        assert gated > 1000 and plain < 40
