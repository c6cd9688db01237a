"""What the symbols on a claim's page are: every one is defined there, by the claim's data."""

from __future__ import annotations

from typing import Any

import pytest

from proofs_check.claims.findings import saying
from proofs_check.report.site import notation
from theorems.claims.catalogue import by_id, shipped
from theorems.kernel.deriving import find

TRANSFER = "lampert2026.sec5.cosine-transfer"
#: The print that fig2-eta names by the name of its definition; on its page stands what that is.
CORRECTIONS = {
    "bao2024.sec4.fig2-eta": {
        "sympy": "sqrt(tr2)/lam",
        "apart": {"eta": "sqrt(tr2)/lam - sqrt(tr2)/lam**2"},
    }
}


def claim(name: str) -> Any:
    statement = by_id()[name]
    return {
        "id": name,
        "printed": dict(statement.printed),
        "said": saying(statement),
        "reading": statement.reading,
        "quantity": statement.quantity,
        "assumptions": list(statement.assumptions),
        "symbols": list(statement.symbols),
        "proof": {},
        "correction": CORRECTIONS.get(name),
    }


@pytest.mark.parametrize("name", [statement.id for statement in shipped()])
def test_every_symbol_of_a_shipped_claim_is_defined_on_its_page(name: str) -> None:
    assert notation.undefined(claim(name), None) == []


@pytest.mark.parametrize("where", ["printed", "corrected", "concluded", "used by a quantity"])
def test_a_symbol_that_is_left_undefined_is_found(where: str) -> None:
    found = claim(TRANSFER)
    correction = claim(TRANSFER) | {"printed": {"upper": "ratio_0 - ratio_1 + 3*spread_0/2"}}
    assert notation.undefined(found, correction) == []
    if where == "printed":
        found["printed"]["upper"] = "2*stray"
    elif where == "corrected":
        correction["printed"]["upper"] += " + stray"
    elif where == "concluded":
        found["proof"] = {"concludes": [{"value": "stray", "limit": "", "remainder": ""}]}
    else:
        found["said"]["quantities"]["upper"] += " - stray[i]"
    assert notation.undefined(found, correction) == ["stray"]


def test_what_a_correction_names_is_defined_with_all_that_its_definitions_use() -> None:
    correction = claim(TRANSFER) | {"printed": {"upper": "ratio_0 - ratio_1 + 3*spread_0/2 + 3*spread_1/2"}}
    # the module of a derivation brings the LaTeX of its names
    find(TRANSFER)
    told = " ".join(map(str, notation.definitions(claim(TRANSFER), correction)))
    assert "<code>" not in told
    # R_k(0) and r_i(0) of the correction, and U_i = Y_i(0) and V_i = Y_i(1) by which they are defined
    for letter in ("R", "r", "U", "V"):
        assert f"<mi>{letter}</mi>" in told
    alone = " ".join(map(str, notation.definitions(claim(TRANSFER), None)))
    assert "<mi>R</mi>" not in alone and "<mi>U</mi>" in alone
