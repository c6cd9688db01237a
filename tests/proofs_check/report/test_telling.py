"""The words about claims and runs that every output shares."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from proofs_check.claims.report import Trusted
from proofs_check.report import telling, terminal

Report = Any


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0"), (950, "950"), (12345, "12.3k"), (1638400, "1.64M"), (2 * 10**9, "2G")]
)
def test_amounts(count: int, text: str) -> None:
    assert telling.amount(count) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.421, "0.42 s"), (12.34, "12.3 s"), (143.2, "2 min 23 s"), (12_060, "3 h 21 min"), (2e6, "23 d 3 h")],
)
def test_durations(seconds: float, text: str) -> None:
    assert telling.duration(seconds) == text


@pytest.mark.parametrize(
    ("detectable", "samples", "text"),
    [
        (0.0094, 1638400, "0.94% / 1.64M"),
        (4e-11, 148, "4e-11 / 148"),
        (0.0, 200, "any size / 200"),
        (None, 9, "9"),
        (0.1, 0, "-"),
    ],
)
def test_power(detectable: float | None, samples: int, text: str, make_claim: Callable[..., Report]) -> None:
    simulation = make_claim()["simulation"] | {"detectable": detectable, "samples": samples}
    assert telling.power(make_claim(simulation=simulation)) == text
    size, _, count = text.partition(" / ")
    words = f"errors of {size} seen, {count} samples, " if count else ""
    assert telling.power_in_words(make_claim(simulation=simulation)) == words


def test_a_counterexample_reads_as_in_a_paper() -> None:
    params = {"start": "sigma", "W": [["1", "0"], ["0", "-1/2"]], "Sigma": [["1"]], "d": 2, "i": 1}
    assert telling.parameters(params) == "i = 1, d = 2, Sigma = [[1]], W = [[1, 0], [0, -1/2]], x_1 ~ N(0, Sigma)"


@pytest.mark.parametrize(
    ("name", "fidelity", "head", "text"),
    [
        ("a.b.c", "verbatim", "printed", "The print follows, as printed"),
        ("a.b.c", "inferred", "as read", "The statement follows, as stated"),
        ("a.b.c.corrected", "own", "corrected", "The statement follows, as stated"),
    ],
)
def test_a_print_is_what_stands_in_the_source(name: str, fidelity: Any, head: str, text: str) -> None:
    claim: Any = {"id": name, "fidelity": fidelity, "paper": {"id": "bao2024"}}
    assert telling.headed(claim) == head and telling.sourced("The print follows, as printed", claim) == text
    # what another package states is its author's
    claim["paper"]["id"] = "notes"
    assert telling.headed(claim) == ("corrected" if name.endswith("corrected") else "printed")


def test_a_decimal_number_is_about_that() -> None:
    assert [telling.outcome(value) for value in ("3.00000000000000", "1/3", "log(2)", "holds: True")] == [
        "about 3",
        "1/3",
        "log(2)",
        "holds: yes",
    ]


def test_a_value_before_a_limit_is_in_the_scale_of_the_limit() -> None:
    example: Any = {"params": {"T": 48}, "finite": "139392", "limit": "limit of the value over T**3 at theta = 1/2"}
    assert telling.scaled(example) == ("the value over T**3", "121/96")
    assert telling.scaled(example | {"limit": "limit at theta = 1/2"}) == ("the value", "139392")


def test_the_truth_about_several_quantities_names_them(sample_report: Report) -> None:
    _, refuted, corrected = sample_report["claims"][:3]
    refuted["printed"] = {"second": "o(1)", "third": "o(1)"}
    corrected["printed"] = {"second": "O(1)", "third": "o(1)"}
    refuted["correction"]["sympy"] = "0"
    assert dict(telling.findings(refuted, corrected))["truth"] == "second = O(1); third = o(1)"
    # without a judged correction there is the expression alone
    assert dict(telling.findings(refuted, None))["truth"] == "0"


def test_where_the_truth_holds_and_how_far_the_print_is_off(sample_report: Report) -> None:
    refuted = sample_report["claims"][1]
    refuted["correction"]["holds"] = "as T -> oo. value: true - printed = -tr1"
    assert telling.holding(refuted) == [("truth holds", "as T -> oo"), ("truth - print", "-tr1")]
    refuted["correction"]["holds"] = "always. one: true - printed = -tr1. two: true - printed = 1/2"
    assert telling.holding(refuted) == [("truth holds", "always"), ("truth - print", "one: -tr1; two: 1/2")]
    refuted["correction"].update(where="l > 0", narrowed=True)
    assert telling.holding(refuted) == [("print holds", "where l > 0")]


def test_a_refutation_tells_print_truth_counterexample_and_replay(sample_report: Report) -> None:
    _, refuted, corrected = sample_report["claims"][:3]
    facts = dict(telling.findings(refuted, corrected))
    assert facts["print"] == "(i - 1)*tr1"
    assert facts["truth"] == "i*tr1"
    assert facts["truth holds"] == "for every i >= 1"
    assert facts["correction"].startswith("verified (proved: exact enumeration; simulation agrees")
    assert "the print gives 0, the truth is 1" in facts["counterexample"]
    assert facts["simulated"].startswith("1.0003 in [0.98, 1.02]; print 0, derived 1, z = 512")
    assert facts["starts"] == "x_1 ~ N(0, Sigma): right to leading order only; x_1 = 0: exact"
    assert facts["first false line"] == "line 2 (Appendix A): print (i - 1)*tr1, derived i*tr1"
    assert facts["reaches the end"] == "line 2, the same line"
    assert facts["replay"] == refuted["replay"]


def test_what_a_derivation_trusts_is_told_in_a_line(make_claim: Callable[..., Report]) -> None:
    hoelder: Trusted = {"rule": "hoelder", "what": "Hoelder's inequality", "source": ""}
    isserlis: Trusted = {"rule": "isserlis", "what": "joint cumulants", "source": "Isserlis 1918"}
    symbolic = make_claim()["symbolic"]
    facts = dict(telling.findings(make_claim(symbolic=symbolic | {"trusted": [hoelder, isserlis]}), None))
    assert facts["on trust"] == "hoelder, isserlis"
    assert [telling.trusted(one) for one in (hoelder, isserlis)] == [
        "hoelder: Hoelder's inequality",
        "isserlis: joint cumulants (Isserlis 1918)",
    ]
    # a report of an earlier day, and a derivation that trusts nothing
    for before in (symbolic, symbolic | {"trusted": []}):
        assert "on trust" not in dict(telling.findings(make_claim(symbolic=before), None))


def test_a_verified_claim_tells_print_derivation_and_worst_case(make_claim: Callable[..., Report]) -> None:
    case = make_claim()["cases"][0]
    claim = make_claim(cases=[case | {"z": 0.1}, case | {"z": -2.5, "estimate": 4.9}, case | {"z": None}])
    facts = dict(telling.findings(claim, None))
    assert (facts["print"], facts["derived"]) == ("tr1 + mWm", "tr1 + mWm")
    assert facts["simulated"].startswith("4.9 in [4.99, 5.02]; print 5, derived 5, z = -2.5 (262k samples at d = 1")


@pytest.mark.parametrize("verdict", ["undecided", "conflict", "error"])
def test_what_was_not_settled_says_why(verdict: str, sample_report: Report) -> None:
    claim = next(claim for claim in sample_report["claims"] if claim["verdict"] == verdict)
    facts = telling.findings(claim, None)
    assert facts[0] == ("reason", claim["reason"])
    assert ("traceback" in dict(facts)) == (verdict == "error")


def test_blocks_end_with_what_needs_a_reader_most(sample_report: Report) -> None:
    blocks = [claim["id"] for claim, _ in telling.blocks(sample_report["claims"])]
    assert blocks == [
        "bao2024.appA.eq11",
        "bao2024.appA.eq15",
        "bao2024.appA.eq16",
        "bao2024.appC.eq22",
        "bao2024.appC.lemma1-A",
    ]


def test_a_correction_that_failed_has_its_own_block(sample_report: Report) -> None:
    sample_report["claims"][2].update(verdict="conflict", reason="its two sides disagree")
    assert "bao2024.appA.eq15.corrected" in [claim["id"] for claim, _ in telling.blocks(sample_report["claims"])]


def test_the_sentence_says_what_was_checked_and_found(sample_report: Report) -> None:
    assert telling.summary(sample_report) == (
        "Judged 5 claims in 2 min 23 s (standard effort, seed 0, cpu): 1 verified, 1 refuted, 1 undecided, 1 conflict, "
        "1 error; of 1 correction 1 verified; the chance of any false alarm was kept below 1e-06."
    )
    sample_report["claims"] = []
    sample_report["run"]["partial"] = True
    assert "0 claims" in telling.summary(sample_report)
    assert "none finished; interrupted" in telling.summary(sample_report)


def test_a_run_of_kept_verdicts_shows_the_work_that_was_done_before(sample_report: Report) -> None:
    claims = [claim | {"seconds": 90.0} for claim in sample_report["claims"][:2]]
    run = sample_report["run"] | {"seconds": 2.04}
    assert telling.took(run, claims) == "2.04 s, with 3 min 0 s of work on the claims"


def test_the_fidelity_stands_beside_a_verdict_that_is_not_about_the_papers_own_words(
    sample_report: Report,
) -> None:
    first = sample_report["claims"][0]
    assert telling.fidelity(first) == ""
    for word in ("inferred", "own"):
        other = first | {"fidelity": word}
        assert terminal.plain_row(other).endswith(f"\t{word}")
        assert dict(telling.findings(other, None))["fidelity"].startswith(f"{word}: ")
        # a lemma of one's own is one's own
        assert telling.fidelity(other | {"paper": {"id": "mypaper", "version": ""}}) == ""


def test_the_first_false_line_and_the_one_that_matters_are_told_apart() -> None:
    def told(first: str | None, reaching: str | None) -> str:
        claim: Any = {"proof": {"first_false": first, "first_reaching": reaching}}
        return telling.false_lines(claim)

    assert told(None, None) == ""
    assert told("line 1", "line 1").endswith("is 'line 1', and its error reaches the conclusion.")
    assert told("line 1", "line 2").endswith("its error does not reach the conclusion, but that of 'line 2' does.")
    assert told("line 1", None).endswith("nor does that of another line.")
