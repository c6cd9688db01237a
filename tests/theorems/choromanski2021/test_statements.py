"""The claims of choromanski2021: what they say is read, and what the lock holds of them is in their declared names."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
import sympy as sp

from theorems.claims.catalogue import Statement, paper_claims
from theorems.kernel.catalogued import said
from theorems.statement.deciding.decide import Derivation, decide

CLAIMS = paper_claims("choromanski2021")
LOCK = tomllib.loads((Path(__file__).parents[3] / "verdicts.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_every_claim_is_data_and_in_the_lock(claim: Statement) -> None:
    assert claim.interpreted and claim.says is not None and claim.quantity and claim.reading
    assert LOCK["verdicts"][claim.id] in ("verified", "refuted")
    for name in claim.printed:
        assert said(claim, name).text


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_what_the_lock_holds_is_in_declared_names(claim: Statement) -> None:
    for table in ("exact", "corrections"):
        text = LOCK[table].get(claim.id)
        if text is not None:
            read = sp.sympify(text, locals={name: sp.Symbol(name) for name in claim.symbols})
            assert {one.name for one in read.free_symbols} <= set(claim.symbols), text


@pytest.mark.parametrize(
    ("claim", "change"),
    [
        ("sec2.lemma1-positive", ("norm(u)**2/2", "norm(u)**2")),
        ("sec3.lemma2-positive", ("exp(xy)**2", "exp(xy)")),
        ("sec3.lemma2-trig", ("1/(2*m)", "1/m")),
        ("sec3.lemma2-hyperbolic", ("/2*positive", "*positive")),
        ("sec3.strictly-better", ("one/(2*m)", "one/(4*m)")),
        ("sec3.thm1-upper", ("exp(xy)", "exp(xy/2)")),
        ("appF.eq32", ("l + 1, oo", "l + 2, oo")),
        ("appF.chi-moment", ("d + j", "d + j + 1")),
        ("appF.lemma5", ("(x[1].T*u)**(2*k)]", "(x[1].T*u)**(2*k + 2)]")),
        ("appF.thm5-sum", ("4*d**2", "4*d")),
        ("sec3.thm2", ("(d + 2)", "(d + 1)")),
        ("sec3.thm2-reg", ("- 2*(m - 1)", "- 3*(m - 1)")),
    ],
)
def test_a_neighbour_is_not_proved(claim: str, change: tuple[str, str]) -> None:
    from dataclasses import replace

    own = next(one for one in CLAIMS if one.id.endswith(claim))
    assert own.says is not None
    printed = {name: text.replace(*change) for name, text in own.printed.items()}
    says = replace(own.says, quantities={name: text.replace(*change) for name, text in own.says.quantities.items()})
    other = replace(own, printed=printed, says=says)
    name = next(iter(own.printed))
    assert decide(said(own, name), Derivation(said(own, name))).status == "proved"
    assert decide(said(other, name), Derivation(said(other, name))).status == "open"
