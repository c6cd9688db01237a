"""Cases of what a claim says in the language, as ``--case`` hands them over: read in its names, refused, judged."""

from __future__ import annotations

from typing import Any

import pytest

from proofs_check.api import judge
from theorems.authoring import claim
from theorems.claims import catalogue

FORM = ("E[x[i].T*W*x[j]] = i*tr(W*Sigma)", "")
MOMENTS = ("E[x[i]*x[j].T] = i*Sigma", "")
CHANCE = ("P[x[1].T*u > a] = (1 - erf(a/norm(u)))/2", "u in R^d, u != 0, Sigma = I, a real")
SHARE = ("E[x[i].T*W*x[T]]/T -> theta*tr(W*Sigma)", "", "T -> oo, i/T -> theta")
QUOTIENT = ("1/u <= 1", "u >= 0")
SOFT = ("max(softmax(s)) <= 1/2", "s in R^n")
GRADIENT = ("grad(tr(W_Q.T*W_K*W_K.T*W_Q), W_Q) = W_K*W_K.T*W_Q", "W_Q in R^(m x d), W_K in R^(m x d)")
CONDITION = ("u > 1 iff u**2 > 1", "u real")
ONE: dict[str, Any] = {"d": 1, "Sigma": [["1"]]}


def judged(says: tuple[str, ...], case: dict[str, Any]) -> tuple[str, str]:
    one = claim("aside.case", says[0], hypotheses=says[1], limit="".join(says[2:]))
    try:
        found = judge(one, case=case, effort="quick", device="cpu", jobs=1)
    finally:
        catalogue._added.pop(one.id, None)
    return found.verdict, found.reason


@pytest.mark.parametrize(
    ("says", "case"),
    [
        (FORM, {"i": 2, "j": 1, "Sigma": [["1"]], "W": [["1"]]}),
        (MOMENTS, {**ONE, "i": 2, "j": 1, "entry": [1, 1]}),
        (CHANCE, {**ONE, "u": ["1"], "a": "1"}),
        (QUOTIENT, {"u": "1/2"}),
        (SOFT, {"n": 2, "s": ["1", "0"]}),
        (GRADIENT, {"m": 1, "d": 1, "W_Q": [["1"]], "W_K": [["1"]]}),
        (CONDITION, {"u": "-2"}),
        (("theta**2 <= theta", "theta > 0"), {"theta": 2}),
    ],
)
def test_a_case_refutes_what_a_lemma_of_ones_own_says(says: tuple[str, str], case: dict[str, Any]) -> None:
    assert judged(says, case)[0] == "refuted"


@pytest.mark.parametrize(
    ("says", "case", "told"),
    [
        (FORM, {**ONE, "i": 1, "j": 1, "W": [["1"]]}, "it holds at this case"),
        (SHARE, {**ONE, "i": 1, "T": 3, "W": [["1"]], "theta": "1/3"}, "a case decides no limit"),
        (QUOTIENT, {"u": 1}, "both sides agree"),
        (QUOTIENT, {"u": 0}, "a division by 0"),
        (GRADIENT, {"m": 1, "d": 1, "W_Q": [["0"]], "W_K": [["1"]]}, "both sides agree"),
    ],
)
def test_a_case_at_which_it_holds_decides_nothing(says: tuple[str, ...], case: dict[str, Any], told: str) -> None:
    verdict, reason = judged(says, case)
    assert verdict == "undecided" and told in reason


@pytest.mark.parametrize(
    ("says", "case", "told"),
    [
        (FORM, {**ONE, "i": 2, "W": [["1"]]}, "the key j too"),
        (FORM, {**ONE, "i": 2, "j": 1, "W": [["1"]], "v": ["1"]}, "key 'v'"),
        (FORM, {**ONE, "i": 2, "j": 1, "W": [["1", "2"]]}, "satisfies the hypotheses: W"),
        (FORM, {"i": 2, "j": 1, "Sigma": [["-1"]], "W": [["1"]]}, "hypotheses: Sigma"),
        ((FORM[0], "i <= j"), {**ONE, "i": 2, "j": 1, "W": [["1"]]}, "not in the order"),
        (MOMENTS, {**ONE, "i": 2, "j": 1, "entry": [1, 2]}, "entry"),
        (QUOTIENT, {"u": "-1"}, "hypotheses: u"),
        (SOFT, {"n": 1, "s": "1"}, "a list of numbers"),
        (SOFT, {"n": 1, "s": [["1"]]}, "s[0]"),
        (SOFT, {"n": 3, "s": ["1"]}, "hypotheses: s"),
        (GRADIENT, {"m": 2, "d": 2, "W_Q": [["1", "0"], ["0"]], "W_K": [["1"]]}, "rows of one length"),
    ],
)
def test_a_case_that_is_none_is_refused(says: tuple[str, str], case: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match="cannot be used") as caught:
        judged(says, case)
    assert told in str(caught.value)
