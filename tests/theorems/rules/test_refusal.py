"""A step that is not licensed says why: the rule, its data, or what the rule is about."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sympy as sp

from proofs_check.claims.pairing import Pair
from theorems.algebra.expressions import symbol
from theorems.claims.catalogue import by_id
from theorems.gaussian.process import Step
from theorems.kernel.settle import settle
from theorems.rules import licensed
from theorems.rules.refusal import refused

q, s = symbol("q"), symbol("s")


@pytest.mark.parametrize(
    ("step", "parts"),
    [
        (Step("square-rot", "", (q, s)), ["no rule 'square-rot'", "square-root", "docs/rules.md"]),
        (Step("square-root", "", (q,)), ["takes (quantity, square), and 1 are given"]),
        (Step("square-root", "", (q + 1, s)), ["q^2 <= s implies", "quantity = q + 1, square = s"]),
        (
            Step("square-root", "", (sp.Symbol("q", positive=True), s)),
            ["the symbol q has assumptions", "theorems.algebra.expressions"],
        ),
        (Step("square-root", "", ("q", s)), ["cannot use quantity = q", "AttributeError"]),
    ],
)
def test_what_is_wrong_is_told_in_a_line(step: Step, parts: list[str]) -> None:
    assert not licensed(step)
    told = refused(step)
    assert "\n" not in told
    assert [part for part in parts if part not in told] == []


def test_the_kernel_tells_it_to_the_author() -> None:
    claim = by_id()["bao2024.appA.eq15"]
    derived = Pair(claim).derived()
    head, *rest = derived.steps
    wrong = replace(derived, steps=(replace(head, data=(*head.data, q)), *rest))
    outcome = settle(claim, wrong)
    assert outcome.status == "undecided"
    assert outcome.evidence[0].startswith(f"not licensed: {head.text} (the rule {head.rule} takes (")
    assert not any("not licensed" in line for line in settle(claim, derived).evidence)
