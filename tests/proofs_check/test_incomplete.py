"""A claim whose source is incomplete: undecided with what is missing, without a check, and nothing is planned."""

from __future__ import annotations

import pytest

from proofs_check.inputs.errors import UsageError
from proofs_check.judging.dry_run import plan
from proofs_check.judging.options import Options
from proofs_check.judging.runner import run
from theorems.claims.catalogue import by_id
from theorems.kernel.derivation import Incomplete
from theorems.kernel.deriving import registered

CLAIM = "lampert2026.sec7.value-terms"
FACT = "lampert2026.sec7.lower-constant"


def test_it_is_undecided_and_says_what_is_missing() -> None:
    (report,) = run([by_id()[CLAIM]], Options(effort="quick", device="cpu"))["claims"]
    assert report["verdict"] == "undecided" and "the source is incomplete: " in report["reason"]
    assert report["simulation"]["status"] == "none" and report["correction"] is None
    assert any("guess" in line for line in report["symbolic"]["evidence"])


def test_nothing_is_sampled_for_it() -> None:
    assert plan([by_id()[CLAIM]], Options(effort="quick", device="cpu")) == []


def test_a_claim_that_lacks_a_side_is_still_an_error() -> None:
    def guess() -> Incomplete:
        return Incomplete("a page")

    # where something was derived, an empirical check must be there
    claim = by_id()[CLAIM]
    with registered(CLAIM, lambda: _fact()), pytest.raises(UsageError):
        plan([claim], Options(effort="quick", device="cpu"))
    with registered(FACT, guess):
        (report,) = run([by_id()[FACT]], Options(effort="quick", device="cpu"))["claims"]
    assert (report["verdict"], report["simulation"]["status"]) == ("undecided", "none")
    assert "a page" in report["reason"]


def _fact() -> object:
    from theorems.lampert2026.costs import lower_constant

    return lower_constant()
