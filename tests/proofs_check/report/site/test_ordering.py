"""Corrections in the order of the print: the same formula, moved only."""

from __future__ import annotations

from typing import Any

import pytest

from proofs_check.report.site import view
from proofs_check.report.site.compare import same
from proofs_check.report.site.ordering import arranged

B2 = "(T**2*i - 2*T*i**2 - i**3)*tr2 + (T**2*i - i**3)*tr1**2"


@pytest.mark.parametrize(
    ("text", "like", "expected"),
    [
        (
            "tr1**2*(T**2*i - i**3) + tr2*(3*T**2*i - 2*T*i**2 - i**3)",
            B2,
            "(3*T**2*i - 2*T*i**2 - i**3)*tr2 + (T**2*i - i**3)*tr1**2",
        ),
        ("tr2*(2*theta**2 + 7/12)/lam**2", "(theta + 1)*tr2/lam**2", "(2*theta**2 + 7/12)*tr2/lam**2"),
        ("i**2*(tr1**2 + 2*tr2)", "(i**2 + 2)*(2*tr2 + tr1**2)", "i**2*(2*tr2 + tr1**2)"),
        ("i*tr1", "(i - 1)*tr1", "i*tr1"),
        # without coefficients before them traces stay where they are
        ("tr1**2*i + tr2*j", "tr2*j + tr1**2", "tr2*j + tr1**2*i"),
        ("tr1 - tr2", "tr2 + tr1", "tr1 - tr2"),
        ("iff a > 0 & b > 0", "iff tr1 > 0", "iff a > 0 & b > 0"),
        ("a + b", "b + a", "a + b"),
    ],
)
def test_terms_and_factors_stand_as_in_the_print(text: str, like: str, expected: str) -> None:
    assert arranged(text, like) == expected
    assert text.startswith("iff") or same(text, expected)


def test_a_page_has_the_correction_in_the_order_of_the_print(sample_report: Any) -> None:
    sample_report["claims"][1]["printed"] = {"mean": "(i - 1)*tr2 + (i + j)*tr1"}
    sample_report["claims"][2]["printed"] = {"mean": "tr1*(i + j) + tr2*(i + 2)"}
    entry = view.entries(sample_report)[1]
    assert entry.correction is not None
    assert entry.correction.claim["printed"] == {"mean": "(i + 2)*tr2 + (i + j)*tr1"}
    # the report itself stays as it is
    assert sample_report["claims"][2]["printed"] == {"mean": "tr1*(i + j) + tr2*(i + 2)"}
