"""A derivation as a proof: an argument stands once, with all that it gives; what it comes to closes it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from proofs_check.report.site import proof, view

Make = Callable[..., dict[str, Any]]
LEMMA = "E[x_a^T A x_b x_c^T B x_e] is a sum over the pairings of the tokens."


def step(text: str, rule: str = "isserlis", ok: bool = True) -> dict[str, Any]:
    return {"text": text, "rule": rule, "ok": ok}


def plain(markup: Any) -> str:
    """The letters of a formula, without its elements."""
    return re.sub(r"\s+", "", re.sub(r"<[^>]*>", "", str(markup)))


def proved(make_claim: Make, *steps: dict[str, Any], **more: Any) -> Any:
    claim = make_claim()
    return claim | {"proof": claim["proof"] | {"steps": list(steps), "rules": {"isserlis": LEMMA}} | more}


def test_an_argument_is_said_once_with_all_that_it_gives(make_claim: Make) -> None:
    claim = proved(
        make_claim,
        step("E[(x_i)^T W (x_j)] = i*tr1"),
        step("sum over i < j1 <= T of j1 = T**2/2 + T/2 - i**2/2 - i/2", "faulhaber"),
        step("E[(x_i)^T W (x_i)] = i*tr1"),
        step("E[(x_i)^T W (x_j)] = i*tr1"),
        step("sum over 0 < _k <= i of 1 = i", "faulhaber"),
    )
    found = proof.parts(claim)
    assert [(part.rule, len(part.rows)) for part in found] == [("isserlis", 2), ("faulhaber", 1)]
    assert plain(found[0].says).endswith("isasumoverthepairingsofthetokens.") and found[1].says is None
    assert "∑" in str(found[1].rows[0]) and "sum over" not in str(found[1].rows[0])
    assert all("<math" in str(row) for part in found for row in part.rows)


@pytest.mark.parametrize("text", ["balls put f below 0", "a <= b <= c, term by term", "sum over i < j of f = g"])
def test_what_is_no_relation_of_two_formulas_stands_as_a_sentence(text: str, make_claim: Make) -> None:
    ((part,), words) = (proof.parts(proved(make_claim, step(text))), plain(text))
    assert [plain(row).replace("≤", "<=").replace("&lt;", "<") for row in part.rows] == [words]


def test_a_step_that_fails_leaves_all_to_the_log(make_claim: Make) -> None:
    good, bad = step("E[(x_i)^T W (x_i)] = i*tr1"), step("E[(x_i)^T W (x_i)] = 2*i*tr1", ok=False)
    assert proof.parts(proved(make_claim, good)) and not proof.parts(proved(make_claim, good, bad))


def test_it_comes_to_the_value_its_limit_and_what_is_left(make_claim: Make) -> None:
    finite = {"quantity": "variance", "value": "tr2/12 + 1/T", "over": "1", "limit": "tr2/12", "remainder": "1/T"}
    only = {"quantity": "mean", "value": "i*tr1", "over": "", "limit": "", "remainder": ""}
    rows = [plain(row) for row in proof.conclusions(proved(make_claim, concludes=[only, finite]))]
    assert len(rows) == 3
    assert rows[0].startswith("mean=") and rows[1].startswith("variance=") and rows[2].endswith("+(1T)")


def test_claims_of_one_place_are_told_apart_by_their_ids(make_claim: Make, sample_report: dict[str, Any]) -> None:
    ids = ("bao2024.sec4.lemma1-mean", "bao2024.sec4.lemma1-variance", "bao2024.sec4.lemma1-variance.corrected")
    claims = [make_claim(id=name, where="Lemma 1") for name in ids] + [make_claim(where="Eq. (11)")]
    titles = [entry.title for entry in view.entries({**sample_report, "claims": claims})]  # type: ignore[typeddict-item]
    assert titles == ["Lemma 1 (mean)", "Lemma 1 (variance)", "Lemma 1 (variance)", "Eq. (11)"]


def test_the_rules_are_listed_with_what_they_trust_a_step_and_who_uses_them(
    make_claim: Make, sample_report: dict[str, Any]
) -> None:
    claim = proved(make_claim, step("E[(x_i)^T W (x_i)] = i*tr1"))
    trust = {"rule": "isserlis", "what": "joint cumulants", "source": "Isserlis 1918"}
    claims = [claim | {"symbolic": claim["symbolic"] | {"trusted": [trust]}}, make_claim(id="bao2024.appA.eq12")]
    (rule,) = proof.rules(view.entries({**sample_report, "claims": claims}))  # type: ignore[typeddict-item]
    assert (rule["name"], rule["source"], [user.id for user in rule["users"]]) == (
        "isserlis",
        "Isserlis 1918",
        [claim["id"]],
    )
    assert rule["needs"] is None and plain(rule["trusted"]) == "jointcumulants" and "<math" in rule["example"]


def test_a_rule_names_the_hypotheses_without_which_it_refuses_a_step(
    make_claim: Make, sample_report: dict[str, Any]
) -> None:
    one = step("Sigma has a root", "psd-root")
    says = "Sigma has a root"
    claim = proved(make_claim, one, rules={"psd-root": says})
    trust = {"rule": "psd-root", "what": f"{says}. Trusted: this argument.", "source": ""}
    claim["symbolic"] = claim["symbolic"] | {"trusted": [trust]}
    (rule,) = proof.rules(view.entries({**sample_report, "claims": [claim]}))  # type: ignore[typeddict-item]
    assert plain(rule["needs"]) == "Σpsd" and plain(rule["trusted"]) == "thisargument."


def test_a_rule_that_is_named_by_a_formula_has_it_typeset(make_claim: Make) -> None:
    parts = proof.parts(proved(make_claim, step("a = b", "norm(u + v)**2 >= 0"), step("b = c", "isserlis")))
    assert "<math>" in str(parts[0].named) and str(parts[1].named) == "isserlis"


def test_data_that_come_with_a_step_are_set_as_code(make_claim: Make) -> None:
    """What a rule says and takes on trust names them; the page of rules says what such names are."""
    says, what = "E[f] <= ``bound`` for a <= b.", "E[f] <= ``bound`` for a <= b. Trusted: ``bound``, of x_1."
    claim: Any = make_claim()
    claim["symbolic"]["trusted"] = [{"rule": "r", "what": what, "source": ""}]
    claim["proof"] |= {"steps": [step("a = b", "r")], "rules": {"r": says}}
    (part,) = proof.parts(claim)
    assert "<code>bound</code>" in str(part.says) and "`" not in str(part.says)
    (rule,) = proof.rules(view.entries({"claims": [claim]}))  # type: ignore[typeddict-item]
    assert str(rule["trusted"]).startswith("<span class=tight><code>bound</code>,</span> of <span class=tight><math>")
