"""Checks by hand: right values, in few lines, for every way; and none where the report says something else."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

import pytest

from proofs_check.claims.findings import saying
from proofs_check.report import byhand
from proofs_check.report.byhand import moments, substituting
from proofs_check.report.site import mathml
from theorems.algebra.expressions import parse
from theorems.claims.catalogue import by_id

WALK = {"d": 1, "W": [["1"]], "Sigma": [["1"]], "start": "sigma"}
#: The id, the counterexample's parameters, what the print gives there and what is true: values worked out on paper.
EXAMPLES: dict[str, tuple[dict[str, Any], str, str]] = {
    "bao2024.appA.eq15": (WALK | {"i": 1}, "0", "1"),
    "bao2024.appA.eq16": (WALK | {"i": 2}, "6", "12"),
    "bao2024.appA.eq17": (WALK | {"i": 1, "j": 2}, "3", "4"),
    "bao2024.appA.eq18": (WALK | {"i": 1, "j": 2}, "3", "6"),
    "bao2024.appC.eq22": (WALK | {"i": 1, "j": 1, "T": 4}, "3", "6"),
    "bao2024.appB.display-b": (WALK | {"W": [["-1"]], "T": 4}, "832", "3840"),
    "bao2024.sec4.lemma1-variance": (WALK | {"i": 24, "T": 48, "lam": "1", "theta": "1/2"}, "13/12", "1/12"),
    "bao2024.sec2.remark2-selector": (WALK | {"i": 24, "T": 48, "lam": "1", "theta": "1/2"}, "3/4", "1/12"),
    "bao2024.appC.lemma1-B2": (WALK | {"i": 24, "T": 48, "theta": "1/2"}, "1/4", "5/4"),
    "bao2024.sec5.eq7-first": (
        {"d": 2, "W": [["1", "0"], ["0", "1"]], "Sigma": [["1", "0"], ["0", "1"]]},
        "sqrt(2)",
        "2",
    ),
    "bao2024.sec5.eq7-third-induced": ({"d": 2, "W": [["1", "0"], ["0", "1"]]}, "1", "sqrt(2)"),
    "bao2024.sec5.eq9": ({"T": 4096, "nu": "1"}, "8.96605742361131", "8.31752213546279"),
    "bao2024.appB.cauchy-schwarz": (
        {"p": ["1/2"], "a": ["1"], "b": ["1"], "c": ["1"], "e": ["1"]},
        "1/16",
        "1/4",
    ),
    "bao2024.appC.lemma2-inequality": ({"a": "0", "b": "1", "X": "1", "Y": "1"}, "0", "1 - exp(-1)"),
    "bao2024.sec4.lemma2-1": ({"theta": "1/2", "r": "1", "s": "0", "k": "2", "mix": "1"}, "1", "1/2"),
    "bao2024.sec4.lemma2-3": ({"theta": "1", "eta": "1"}, "0", "-24*sqrt(186)*exp(-6/31)/(961*sqrt(pi))"),
    "bao2024.sec6.grad-mean-q": ({"dim": "1", "inner": "1", "seed": "1"}, "-9", "-6"),
}
LIMITS = ("lemma1-variance", "remark2-selector", "lemma1-B2", "lemma2-1")


def refuted(name: str) -> Any:
    params, printed, true = EXAMPLES[name]
    statement = by_id()[name]
    example: dict[str, Any] = {"params": params, "printed": printed, "true": true}
    if name.endswith(LIMITS):
        example |= {"limit": "limit", "finite": "0"}
    if "seed" in params:
        example["given"] = {"W_Q": [["-2"]], "W_K": [["-3/2"]]}
    printed_texts = dict(statement.printed)
    return {
        "id": name,
        "verdict": "refuted",
        "printed": printed_texts,
        "said": saying(statement),
        "counterexample": example,
    }


@pytest.mark.parametrize("name", EXAMPLES)
def test_both_values_are_found_again_in_a_few_lines(name: str) -> None:
    claim = refuted(name)
    lines = byhand.check(claim)
    assert 0 < len(lines) <= byhand.MOST
    told = " ".join(lines)
    if name != "bao2024.sec5.eq9":
        values = [substituting.told(parse(text)) for text in EXAMPLES[name][1:]]
        assert all(value.split(" (about ")[-1].rstrip(")").removeprefix("about ") in told for value in values[:1])
    shown = " ".join(str(mathml.sentence(line)) for line in lines)
    assert "`" not in shown and "**" not in shown and "<code>" not in shown


@pytest.mark.parametrize("name", [name for name in EXAMPLES if name != "bao2024.sec5.eq9"])
@pytest.mark.parametrize("side", ["printed", "true"])
def test_no_check_is_shown_that_the_report_contradicts(name: str, side: str) -> None:
    claim = refuted(name)
    claim["counterexample"][side] = f"{claim['counterexample'][side]} + 1/7"
    assert byhand.check(claim) == ()


def test_the_entropy_bound_is_shown_only_where_no_entropy_reaches_it() -> None:
    claim = refuted("bao2024.sec5.eq9")
    assert "log(4096)" in " ".join(byhand.check(claim))
    claim["printed"]["lower"] = "log(T) - nu"
    assert byhand.check(claim) == ()


def test_another_law_has_other_covariances() -> None:
    claim = refuted("bao2024.appA.eq18")
    claim["counterexample"]["params"] = WALK | {"start": "zero", "i": 2, "j": 3}
    # x_1 = 0: E[x_2 x_3^3] = 3*1*2, and the print gives (6 - 5 + 2)*3
    claim["counterexample"] |= {"true": "6", "printed": "9"}
    lines = byhand.check(claim)
    assert "s - 1" in lines[0] and "3*1*2 = 6" in lines[1] and "= 9" in lines[2]
    claim["counterexample"]["params"]["start"] = "mean"
    assert byhand.check(claim) == ()


def test_what_is_not_refuted_or_has_no_data_has_no_check() -> None:
    claim = refuted("bao2024.appA.eq15")
    assert byhand.check(claim | {"verdict": "verified"}) == ()
    assert byhand.check(claim | {"said": None}) == () and byhand.check(claim | {"counterexample": None}) == ()
    claim["said"] = claim["said"] | {"quantities": {"moment": "E[("}, "where": "x ="}
    assert byhand.check(claim) == ()


def test_pairings_are_counted_by_double_factorials() -> None:
    assert [len(set(moments.pairings(count))) for count in (2, 4, 6)] == [1, 3, 15]
    assert Counter(x for way in moments.pairings(6) for pair in way for x in pair) == Counter(
        dict.fromkeys(range(6), 15)
    )


def test_numbers_are_put_in_with_brackets() -> None:
    assert substituting.put_in("(i - 1)*t**2", {"i": "3", "t": "-1/2"}) == "(3 - 1) * (-1 / 2) ** 2"
    assert substituting.exact("(i - 1)*t**2", {"i": Fraction(3), "t": Fraction(-1, 2)}) == Fraction(1, 2)
    assert substituting.chain("a", "1 / 2", "1/2") == "`a = 1/2`"
    assert substituting.chain("x", "sqrt(2)", "sqrt(2) (about 1.41)") == "`x = sqrt(2)` (about 1.41)"
