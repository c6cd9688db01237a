"""Every claim of the catalogue is held to what it says, at its two sides."""

from __future__ import annotations

import pytest

from tests.proofs_check.judged import judged
from theorems.claims.catalogue import by_id

#: Without a model in the source; and a correction whose empirical check looks at no case of its own.
LACKING = {"lampert2026.sec7.value-terms", "lampert2026.sec6.zero-output-implies-sink.corrected"}
#: One of each way in which a claim is held: by normal form, by value, in a limit, for an exchangeable law, as a matrix.
FEW = {
    "bao2024.appA.eq11",
    "bao2024.appB.cauchy-schwarz",
    "bao2024.sec4.lemma2-3",
    "bao2024.sec6.grad-scale-q",
    "lampert2026.sec5.dprime-1",
    "lampert2026.sec6.zero-output-implies-sink",
    "lampert2026.sec7.value-terms",
}


@pytest.mark.parametrize("claim", [pytest.param(c, marks=() if c in FEW else pytest.mark.slow) for c in by_id()])
def test_a_claim_is_bound(claim: str) -> None:
    for report in judged(claim):
        assert report["bound"] is (report["id"] not in LACKING), report["id"]
