"""Checks by hand: right values, in few lines, for every way; and none where the report says something else."""

from __future__ import annotations

import copy
from collections import Counter
from fractions import Fraction
from typing import Any

import pytest
import sympy as sp

from proofs_check.claims.findings import saying
from proofs_check.report import byhand
from proofs_check.report.byhand import pairings, patterns, substituting
from proofs_check.report.site import mathml
from theorems.claims.catalogue import by_id
from theorems.lampert2026.patterns import symmetric

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
    "bao2024.sec3.diagonal-dominance": (WALK | {"T": 48, "a": ["1"], "b": ["1"]}, "1/6", "1/2"),
    "bao2024.sec4.a1-uniform": (
        {
            "d": 2,
            "W": [["1", "0"], ["0", "-1"]],
            "Sigma": [["1", "0"], ["0", "1"]],
            "start": "sigma",
            "i": 24,
            "T": 48,
            "lam": "1",
            "theta": "1/2",
        },
        "7/6",
        "1/6",
    ),
    "bao2024.sec4.fig2-eta": (WALK | {"i": 1, "T": 4, "lam": "2"}, "23/1024", "23/256"),
    "lampert2026.sec5.cosine-transfer": (
        {"tokens": [[["2", "0"], ["1", "0"]]], "W": [["1", "0"], ["1", "0"]], "beta": "1"},
        "0",
        "1 - 22*sqrt(493)/493",
    ),
    "lampert2026.sec6.zero-output-implies-sink": (
        {"scores": ["0", "0", "0"], "values": [["0"], ["1"], ["-1"]]},
        "0",
        "2/3",
    ),
    "choromanski2021.sec3.limit-positive": (
        {"T": 2, "d": 1, "Sigma": [["1"]], "u": ["3"], "v": ["-12"]},
        "0",
        "-exp(-72)/2 + exp(9)/2",
    ),
    "choromanski2021.appF.eq33-series": ({"u": "1/2"}, "-0.405465108108164", "-0.693147180559945"),
    "choromanski2021.appF.thm5-weight": ({"a_0": 0, "a_1": 2, "m": 2, "r": 0}, "4", "16"),
    "bao2024.sec6.grad-mean-q": ({"dim": "1", "inner": "1", "seed": "1"}, "-9", "-6"),
}
LIMITS = ("lemma1-variance", "remark2-selector", "lemma1-B2", "lemma2-1", "diagonal-dominance", "a1-uniform")


def costs(lam: str, sink: tuple[str, str], diag: tuple[str, str]) -> dict[str, Any]:
    """The least costs of both patterns between their ends, for one group of two tokens."""
    params = {"C": "1", "n": "2", "lam": lam, "overlap": "0"}
    return {"params": params, "unit": "kappa/sqrt(d)", "ends": {"OPT_sink": [*sink], "OPT_diag": [*diag]}}


#: What is true or false at a point, or bounds a probability, or is enclosed: the lines must hold these words.
OTHERS: dict[str, tuple[dict[str, Any], str, str, dict[str, Any], tuple[str, ...]]] = {
    "lampert2026.sec4.prop41-window": (
        {"z": [["0"], ["1"], ["-1"]], "J": [1, 2], "w": 1},
        "representable: False",
        "representable: True",
        {},
        ("w = 1, where J holds 1 and 2.", "`W = -1`", "`0 > -1` for i = 2", "`rho_Q` is 0"),
    ),
    "lampert2026.sec5.monotone-iff": (
        {"tokens": [[[1], [0]]], "W": [[1]], "beta": "0"},
        "D decreasing: False",
        "D decreasing: True",
        {},
        (
            "`Y[i] = beta*x[i] + W*((1 - l)*x[i] + l*mean(x))` is",
            "l**2/4 - l/2 + 1/2",
            "strictly falls",
            "`beta*t1 = 0`",
        ),
    ),
    "lampert2026.sec7.sinks-always-cheaper": (
        {"C": "1", "n": "2", "lam": "1/2", "overlap": "0"},
        "sinks cheaper: True",
        "sinks cheaper: False",
        {"between": [costs("3/5", ("1", "1"), ("2", "2")), costs("1/2", ("73/10", "37/5"), ("61/10", "31/5"))]},
        ("`8/3 + sqrt(14)` (about 6.40832)", "(about 6.86404)", "`sink < diag` fails"),
    ),
    "lampert2026.sec7.diag-lower-other": (
        {"C": "1", "n": "2", "lam": "4/5", "overlap": "0", "d": "4", "kappa": "1", "budget": "4"},
        "no solution within the budget: True",
        "no solution within the budget: False",
        {"between": [costs("4/5", ("26/5", "53/10"), ("32/5", "13/2"))]},
        ("(about 7.0941)", "the budget is 8", "= 209/36`, that is 209/18 in these units", "`diag > budget` fails"),
    ),
    "choromanski2021.appF.thm5": (
        {"T": 2, "d": 2, "a": "1", "g0": "0", "g1": "1/13", "g2": "0", "g3": "0", "g4": "0"}
        | {"length1": "1", "length2": "1", "theta": "2", "Sigma": [["1", "0"], ["0", "1"]], "z": ["0", "6"]},
        "in [-0.241514, -0.240618]",
        "in [0, 0.000328414]",
        {},
        ("length `sqrt(2)`", "about 13.6107", "`2592/169`", "negative number"),
    ),
    "choromanski2021.sec3.thm3-ort": (
        {"T": 2, "d": 2, "a": "1/91", "theta": "35", "u": ["-3/2", "5/2"], "v": ["2", "-1/2"]}
        | {"Sigma": [["1", "0"], ["0", "1"]]},
        "in [-3.63577, -3.62655]",
        "in [0.411297, 0.4169]",
        {},
        ("about 9.03522", "about 9.83344"),
    ),
    "choromanski2021.sec3.thm1-lower": (
        {"d": 27, "C": "1", "u": ["27", *["0"] * 26], "v": ["0"] * 27},
        "2",
        "3.00000000000000",
        {"path": {"vectors": {"u": "d*e_1", "v": "0"}, "excess": "d - 2"}},
        ("about 3 or more", "`u = d*e_1`, `v = 0`", "by `d - 2` at least", "no o(1) makes up for it"),
    ),
    "bao2024.appB.dominance": (
        {"T": 4096},
        "o(1)",
        "of order 1",
        {
            "orders": [
                {
                    "quantity": "eq20_over_eq19",
                    "of": "(20) over (19)",
                    "given": "(19) not identically 0",
                    "exponent": "0",
                    "attained": "W_V = I",
                }
            ],
            "exponents": [{"quantity": "eq20_over_eq19", "first": 16, "last": 64, "low": -0.381, "high": 0.231}],
            "cases": [
                {"quantity": "eq20_over_eq19", "low": -0.114, "high": 0.087},
                {"quantity": "eq21_over_eq19", "low": -1.09, "high": -0.92},
            ],
        },
        ("of order T^(0)", "for W_V = I", "up to T = 64, ", "[-0.11, 0.09]", "[-1.09, -0.92]"),
    ),
}


CORRECTIONS = {
    "bao2024.sec4.fig2-eta": {
        "sympy": "sqrt(tr2)/lam",
        "apart": {"eta": "sqrt(tr2)/lam - sqrt(tr2)/lam**2"},
    }
}


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
        "kind": statement.kind,
        "fidelity": statement.fidelity,
        "correction": CORRECTIONS.get(name),
        "symbolic": {},
        "simulation": {},
    }


def claimed(name: str) -> Any:
    params, printed, true, found, _ = OTHERS[name]
    EXAMPLES.setdefault(name, (params, printed, true))
    nothing: dict[str, Any] = {"between": [], "orders": [], "path": None}
    return refuted(name) | {"symbolic": copy.deepcopy(nothing | found), "cases": found.get("cases", [])}


@pytest.mark.parametrize("name", OTHERS)
def test_what_is_no_number_has_a_check_too(name: str) -> None:
    lines = byhand.check(claimed(name))
    assert 0 < len(lines) <= byhand.MOST
    told = " ".join(lines)
    assert all(words in told for words in OTHERS[name][-1]), told
    shown = " ".join(str(mathml.sentence(line)) for line in lines)
    assert "`" not in shown and "**" not in shown and "<code>" not in shown


def test_what_another_quantity_is_read_for_is_not_said_to_be_printed() -> None:
    """The print of A1 has no variance: its reading puts that of the last token in the place of another's."""
    for name in ("bao2024.sec4.a1-uniform", "bao2024.sec3.diagonal-dominance", "bao2024.sec2.remark2-selector"):
        told = " ".join(byhand.check(refuted(name)))
        assert "The reading puts" in told and "The print puts" not in told
    assert "the reading gives" in " ".join(byhand.check(refuted("bao2024.sec4.a1-uniform")))


def test_random_features_are_called_by_their_letter() -> None:
    told = byhand.check(claimed("choromanski2021.sec3.thm3-ort"))[0]
    assert "the `x[k]` are vectors" in told and "token" not in told


@pytest.mark.parametrize("name", [name for name in OTHERS if name != "bao2024.appB.dominance"])
def test_nor_is_one_shown_that_the_report_contradicts(name: str) -> None:
    claim = claimed(name)
    given = claim["counterexample"]
    turned = {"True": "False", "False": "True"}
    for side in ("printed", "true"):
        word, _, value = given[side].rpartition(": ")
        given[side] = f"{word}: {turned[value]}" if value in turned else {"printed": "in [1, 2]", "true": "7"}[side]
    assert byhand.check(claim) == ()


def test_an_order_has_no_check_where_the_powers_lie_below_it() -> None:
    claim = claimed("bao2024.appB.dominance")
    assert byhand.check(claim)
    claim["cases"][0]["high"] = -0.01
    assert byhand.check(claim) == ()
    claim["cases"][0]["high"] = None
    assert byhand.check(claim) == ()


def test_enclosed_costs_that_overlap_decide_nothing() -> None:
    claim = claimed("lampert2026.sec7.sinks-always-cheaper")
    claim["symbolic"]["between"][1]["ends"]["OPT_diag"][1] = "147/20"
    assert byhand.check(claim) == ()


def test_costs_that_are_not_worked_out_stand_between_their_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two groups, or where a margin is missed that the pattern has: here what the sink is for."""
    claim = claimed("lampert2026.sec7.sinks-always-cheaper")
    claim["counterexample"]["params"]["C"] = claim["symbolic"]["between"][1]["params"]["C"] = "2"
    assert "between 7.3000000 and 7.4000000" in " ".join(byhand.check(claim))
    numbers = {"C": "1", "n": "2", "lam": "1/2"}
    assert patterns.lines(numbers, "sink", "diag") and patterns.lines(numbers, "diag", "sink") == []
    assert patterns.lines(numbers, sp.Integer(6), "diag") == [] != patterns.lines(numbers, sp.Integer(7), "diag")
    monkeypatch.setattr(symmetric, "wins", lambda pattern: (("g", "b", "f"),))
    assert patterns.lines(numbers, sp.Integer(7), "diag") == [] == patterns.lines(numbers, "sink", sp.Integer(6))


def test_costs_of_another_instance_are_not_this_one() -> None:
    claim = claimed("lampert2026.sec7.sinks-always-cheaper")
    claim["symbolic"]["between"][1]["params"]["overlap"] = "1"
    assert byhand.check(claim) == ()


@pytest.mark.parametrize("name", EXAMPLES)
def test_both_values_are_found_again_in_a_few_lines(name: str) -> None:
    claim = refuted(name)
    lines = byhand.check(claim)
    assert 0 < len(lines) <= byhand.MOST
    told = " ".join(lines)
    if name != "bao2024.sec5.eq9":
        values = [substituting.told(substituting.reported(text)) for text in EXAMPLES[name][1:]]
        assert all(value.split(" (about ")[-1].rstrip(")").removeprefix("about ") in told for value in values[:1])
    shown = " ".join(str(mathml.sentence(line)) for line in lines)
    assert "`" not in shown and "**" not in shown and "<code>" not in shown


@pytest.mark.parametrize("name", [name for name in EXAMPLES if name != "bao2024.sec5.eq9"])
@pytest.mark.parametrize("side", ["printed", "true"])
def test_no_check_is_shown_that_the_report_contradicts(name: str, side: str) -> None:
    claim = refuted(name)
    claim["counterexample"][side] = f"{claim['counterexample'][side]} + 1/7"
    assert byhand.check(claim) == ()


def test_a_limit_along_sequences_is_shown_as_one() -> None:
    lines = byhand.check(refuted("bao2024.sec4.lemma2-1"))
    assert lines[0] == (
        "Take theta = 1/2, r = 1, xi = 16, eta = 1/16, of the sequences `xi = 4**k` and `eta = 4**(-k)` at k = 2."
    )
    # a long formula by the definitions that it is put together from
    assert lines[1] == "Then `z = (theta - 1/2)*xi = 0` and `width = sqrt(2*(2*theta**2 + 7/12)) = sqrt(78)/6`."
    assert lines[2].startswith(
        "The quantity is `erf(z/width)/2 - erf((z - 1/eta)/width)/2 = erf(0 / (sqrt(78) / 6)) / 2"
    )
    assert lines[2].endswith(", and tends to 1/2 as k grows.")


def test_no_single_place_is_shown_against_a_limit() -> None:
    name = "choromanski2021.sec3.limit-positive"
    assert "beyond all bounds while `exp(u.T*v)` tends to 0" in byhand.check(refuted(name))[-1]
    # here the error falls: (exp(1 + 4 - 8) - exp(-4))/2
    claim = refuted(name)
    claim["counterexample"]["params"] |= {"u": ["1"], "v": ["-2"]}
    claim["counterexample"]["true"] = "exp(-3)/2 - exp(-4)/2"
    assert byhand.check(claim) == ()


def test_the_summands_of_the_print_are_its_own() -> None:
    first, *_, line, _ = byhand.check(refuted("bao2024.sec3.diagonal-dominance"))
    assert first.endswith(" with `own[i] = x[i]*(1/T - 1/T**2)`.")
    # the sum over all j holds that with j = i: 1/T*E[x_i^2] stands there, -1/T**2*E[x_i^2] does not
    assert "`1/T*E[x_i^2] = i/T`" in line and "-1/T**2*E[x_i^2]" not in line
    assert "`-1/T**2*E[sum(x[j], j, 1, T)*x_i] = i*(-2*T + i - 1)/(2*T**2)`" in line


def test_the_variance_that_a_print_refers_to_is_told() -> None:
    assert "`variance_ref` for `Var[G x_T]` with `G = (1/T)*x_i + " in byhand.check(refuted("bao2024.sec4.fig2-eta"))[2]


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
    assert [len(set(pairings.pairings(count))) for count in (2, 4, 6)] == [1, 3, 15]
    assert Counter(x for way in pairings.pairings(6) for pair in way for x in pair) == Counter(
        dict.fromkeys(range(6), 15)
    )


def test_numbers_are_put_in_with_brackets() -> None:
    assert substituting.put_in("(i - 1)*t**2", {"i": "3", "t": "-1/2"}) == "(3 - 1) * (-1 / 2) ** 2"
    assert substituting.exact("(i - 1)*t**2", {"i": Fraction(3), "t": Fraction(-1, 2)}) == Fraction(1, 2)
    assert substituting.chain("a", "1 / 2", "1/2") == "`a = 1/2`"
    assert substituting.chain("x", "sqrt(2)", "sqrt(2) (about 1.41)") == "`x = sqrt(2)` (about 1.41)"
    # an empty product is told; a positive base, a power of 1 and words are none
    assert substituting.chain("a**m", "0 ** (2 - 2)", "1") == "`a**m = 0 ** (2 - 2) = 1`, with `0**0 = 1`"
    assert "with" not in substituting.chain("2 ** (2 - 2)", "0 ** (2 - 1)", "E[x_i^2]", "1")
