"""Hypotheses as mutants: what a true statement needs is shown by a case, what it does not need is said."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
import sympy as sp

from proofs_check.cases.of_statements import satisfied
from proofs_check.statements import needs as module
from proofs_check.statements.exactly import Exactly
from proofs_check.statements.found import Found
from proofs_check.statements.judging import check_statement
from proofs_check.statements.needs import claim_needs, needs, tell_needs
from proofs_check.statements.request import Request
from theorems.claims.catalogue import by_id
from theorems.statement.deciding.decide import Derivation, decide
from theorems.statement.expression import Expr
from theorems.statement.proposition import proposition
from theorems.statement.weakening import weaker

SECOND = "E[(x[i].T*W*x[j])**2] = i**2*tr(W*Sigma)**2 + i*(i + j)*tr((W*Sigma)**2)"
FOURTH = "E[x[i].T*W*x[j]*x[k].T*W*x[l]] = i*k*tr(W*Sigma)**2 + i*j*(tr((W*Sigma)**2) + tr(W*Sigma*W.T*Sigma))"
VARIANCE = "Var[x[i].T*W*x[T]/T]/tr((W*Sigma)**2) -> theta + theta**2"

#: Statement, its options, and what becomes of each version.
TABLE: list[tuple[tuple[str, ...], dict[str, str]]] = [
    ((SECOND, "W symmetric, i <= j"), {"without W symmetric": "false", "without i <= j": "false"}),
    (
        (FOURTH, "i <= j <= k <= l, W psd"),
        {
            "without i <= j": "false",
            "without j <= k": "false",
            "without k <= l": "false",
            "with W symmetric for W psd": "holds",
            "without W psd": "holds",
        },
    ),
    (("E[norm(x[i])**2] = d*i", "Sigma = I"), {"without Sigma = I": "false"}),
    (("E[(x[i].T*W*x[i])**2] = 3*i**2*tr(W*Sigma)**2", "d = 1"), {"without d = 1": "false"}),
    (
        ("E[norm(x[i])**2] > 0", "Sigma positive definite, d >= 2"),
        {"without Sigma positive definite": "false", "without d >= 2": "holds"},
    ),
    (("E[x[i].T*W*x[j]] = i*tr(W*Sigma)", "i < j"), {"with i <= j for i < j": "holds", "without i < j": "false"}),
    (("E[x[i].T*W*x[j]] = i*tr(W*Sigma)", "i <= j, j <= k, i <= k"), {"without i <= k": "holds"}),
    (
        ("E[x[s].T*W*x[t]] = a**(t - s)*tr(W*Sigma)", "s <= t, 0 < a < 1", "", "ar1(a)"),
        {"without s <= t": "false", "without 0 < a": "holds", "without a < 1": "holds"},
    ),
    (
        (VARIANCE, "W symmetric", "", "walk", "T -> oo, i/T -> theta"),
        {"without W symmetric": "false", "without i/T -> theta": "false"},
    ),
    (("E[x[1].T*W*x[3]] -> tr(W*Sigma)", "0 <= a <= 1", "", "ar1(a)", "a -> 1"), {"as a -> 0": "false"}),
    (("abs(tr(W*Sigma)) <= sqrt(d*tr((W*Sigma)**2))", "W symmetric"), {"without W symmetric": "false"}),
    (("abs(tr(W*Sigma)) <= sqrt(d*tr((W*Sigma)**2))", "W psd"), {"with W symmetric for W psd": "holds"}),
    (("sqrt(u*v) <= (u + v)/2", "u >= 0, v >= 0"), {"without u >= 0": "false", "without v >= 0": "false"}),
]


@pytest.mark.parametrize(("given", "fates"), TABLE, ids=lambda entry: str(entry)[:60])
def test_what_becomes_of_each_version(given: tuple[str, ...], fates: dict[str, str]) -> None:
    found = {need.version: need for need in needs(proposition(*given))}
    assert {version: found[version].fate for version in fates} == fates
    assert all(need.remark for need in found.values())


def test_the_case_violates_that_hypothesis_alone() -> None:
    prop = proposition(SECOND, "W symmetric, i <= j")
    versions = {version.words: version.prop for version in weaker(prop)}
    shown = [need for need in needs(prop) if need.fate == "false"]
    assert len(shown) == 2
    for need in shown:
        weak = versions[need.version]
        assert weak is not None and need.case is not None
        assert satisfied(weak, need.case) and not satisfied(prop, need.case)


def test_what_only_declares_is_no_hypothesis() -> None:
    assert weaker(proposition("E[a.T*x[i]*x[j].T*b] = min(i, j)*a.T*Sigma*b", "a in R^d, b in R^d")) == []
    assert weaker(proposition("u <= exp(u)", "u real")) == []


def test_a_version_without_a_case_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(module.LOOKED_AT, "quick", 0)
    told = [need.remark for need in needs(proposition(SECOND, "W symmetric, i <= j"))]
    assert told == [
        f"not shown {v}, and no case that violates it was found" for v in ("without W symmetric", "without i <= j")
    ]


def test_versions_that_time_does_not_allow_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(*_: Any) -> Any:
        while True:
            sum(range(1000))

    monkeypatch.setattr(module, "_of_moments", endless)
    monkeypatch.setitem(module.SECONDS, "quick", 0.2)
    found = Found(status="proved")
    tell_needs(proposition(SECOND, "W symmetric, i <= j"), "check.x", found, "quick", 0, 1e-9)
    assert found.remarks == [
        "whether it holds without W symmetric was not told within 0.2 s",
        "whether it holds without i <= j was not looked at",
    ]


def test_a_check_says_what_it_needs() -> None:
    report = check_statement(Request(FOURTH, "i <= j <= k <= l, W psd"), "quick")[0]
    assert report["verdict"] == "verified"
    assert "holds without W psd" in report["symbolic"]["evidence"]
    assert any(line.startswith("false without i <= j: at ") for line in report["symbolic"]["evidence"])


def test_a_refuted_statement_is_not_asked_what_it_needs() -> None:
    report = check_statement(Request("E[x[i].T*W*x[i]] = (i - 1)*tr(W*Sigma)", "W symmetric"), "quick")[0]
    assert not any("without" in line for line in report["symbolic"]["evidence"])


@pytest.mark.slow
def test_samples_contradict_a_false_version_beyond_quick_effort(monkeypatch: pytest.MonkeyPatch) -> None:
    request = Request("E[norm(x[i])**2] = d*i", "Sigma = I")
    assert check_statement(request, "standard")[0]["verdict"] == "verified"

    # a derivation that is wrong outside the hypotheses is in conflict with the samples
    class Wrong(Exactly):
        def at(self, node: Expr, case: Mapping[str, Any]) -> sp.Expr | None:
            value = super().at(node, case)
            return None if value is None else 2 * value

    monkeypatch.setattr(module, "Exactly", Wrong)
    assert check_statement(request, "standard")[0]["verdict"] == "conflict"


def test_a_claim_of_the_catalogue_says_what_it_needs() -> None:
    told = claim_needs(by_id()["bao2024.appA.eq14"], "quick", 0)
    assert len(told) == 1 and told[0].startswith("moment: false without W symmetric: at d = 2")
    assert claim_needs(by_id()["bao2024.appA.eq11"], "quick", 0) == ["moment: holds without W symmetric"]


def test_no_prover_looks_for_a_proof_of_what_a_small_case_violates(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def proved_between(prop: Any, *_: Any) -> tuple[()]:
        asked.append(prop.text)
        return ()

    monkeypatch.setattr("theorems.statement.deciding.decide.proved_between", proved_between)
    (report,) = check_statement(Request("E[x[i].T*W*x[j]] <= j*tr(W*Sigma)", "i <= j"), "quick")
    assert report["verdict"] == "refuted" and not asked
    prop = proposition("E[x[i].T*W*x[j]] >= 0", "W psd")
    assert [need.fate for need in needs(prop, "quick")] == ["false", "false"]
    assert not asked
    # it is asked unless one says that it need not be
    false = proposition("E[x[i].T*W*x[j]] <= j*tr(W*Sigma)", "i <= j")
    assert decide(false, Derivation(false)).status == "open" and asked
