"""Parts of a sum's terms without its index: worked out once a sum, lazily, and never with another index's value."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from montecarlo import search_values
from montecarlo.search_values import evaluate
from theorems.statement.reading.language import Vocabulary, parsed

S = [0.5, -1.0, 2.0, 0.25]
CASE: dict[str, dict[str, Any]] = {"numbers": {"n": 4, "m": 0}, "sequences": {"s": S}}
WORDS = Vocabulary(sequences={"s": "n"})
P = np.exp(S) / np.exp(S).sum()
VALUES: dict[str, float] = {
    "sum(softmax(s)[j]*s[j], j, 1, n)": float(P @ S),
    "sum((s[j] - mean(s))**2, j, 1, n)": float(((np.array(S) - np.mean(S)) ** 2).sum()),
    # an inner sum has an index of the same name, or one that the part has
    "sum(s[j]*sum(s[j]**2, j, 1, n), j, 1, n)": float(np.sum(S) * (np.array(S) ** 2).sum()),
    "sum(sum(s[j]*s[k], k, 1, j), j, 1, n)": sum(S[j] * S[k] for j in range(4) for k in range(j + 1)),
    "sum(sum(exp(s[k]), k, 1, n)/j, j, 1, n)": float(np.exp(S).sum() * sum(1 / j for j in range(1, 5))),
    # what neither index stands in, under both
    "sum(sum(exp(m)*j*k, k, 1, 3), j, 1, n)": 60.0,
    "prod(1 + max(s)/j, j, 1, n)": math.prod(1 + 2 / j for j in range(1, 5)),
    # of no term, and of one that a case excludes, nothing is worked out
    "sum(1/m, j, 2, 1)": 0.0,
    "sum(indicator(m > 1)*(1/m), j, 1, n)": 0.0,
}


@pytest.mark.parametrize("text", VALUES)
def test_sums_have_the_values_that_their_terms_have(text: str) -> None:
    assert evaluate(parsed(text, WORDS).plain(), CASE) == pytest.approx(VALUES[text], rel=1e-12)


def test_a_softmax_is_worked_out_once_a_sum(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Any] = []
    real = search_values._FUNCTIONS["softmax"]

    def counted(value: Any) -> Any:
        calls.append(value)
        return real(value)

    monkeypatch.setitem(search_values._FUNCTIONS, "softmax", counted)
    evaluate(parsed("sum(softmax(s)[j]*log(softmax(s)[j]), j, 1, n)", WORDS).plain(), CASE)
    assert len(calls) == 2
