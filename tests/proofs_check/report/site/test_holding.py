"""Where a correction holds: each thing once, and limits where they are others."""

from __future__ import annotations

from typing import Any

from proofs_check.report.site import holding

CELLS = [
    {"quantity": "rho", "where": "theta - 1/2 < 0", "limit": "0", "printed": "0", "agrees": True},
    {"quantity": "rho", "where": "theta - 1/2 = 0, r - 1 < 0", "limit": "1/2", "printed": "1", "agrees": False},
    {"quantity": "rho", "where": "theta - 1/2 > 0", "limit": "", "printed": "1", "agrees": False},
]


def claim(holds: str, **more: Any) -> Any:
    return {
        "id": "a.b.c",
        "fidelity": "verbatim",
        "paper": {"id": "a"},
        "printed": {"rho": "1"},
        "symbols": [],
        "quantity": "",
        "correction": {"holds": holds, "latex": "", "sympy": None, "cells": []},
        **more,
    }


def test_what_the_page_has_said_is_not_said_again() -> None:
    told = claim("as T -> infinity, every 1 <= i <= T. rho: true - printed = -2*theta")
    assert holding.lines(told, []) == [
        "as T -> infinity, every 1 <= i <= T",
        "the true value less the printed one is -2*theta",
    ]
    told["printed"]["slope"] = "0"
    assert holding.lines(told, [])[-1] == "the true value of rho less the printed one is -2*theta"
    assert holding.lines(told, ["The term `-2*theta` is missing."]) == ["as T -> infinity, every 1 <= i <= T"]
    assert holding.lines(told | {"printed": {"rho": "0"}}, []) == ["as T -> infinity, every 1 <= i <= T"]
    assert holding.lines(claim("everywhere"), []) == holding.lines(claim("always. rho: what holds is 2"), []) == []


def test_limits_are_told_by_what_is_compared() -> None:
    told = claim("every sequence. rho: theta - 1/2 < 0: limit 0, as printed. where r - 1 != 0")
    told["correction"].update(cells=CELLS, where="r - 1 != 0")
    assert holding.lines(told, []) == [
        "every sequence",
        "where `theta < 1/2`, the limit is `0`, as printed",
        "where `theta == 1/2` and `r < 1`, the limit is `1/2`, printed `1`",
        "where `theta > 1/2`, the limit depends on the sequence, printed `1`",
    ]
    assert holding.where(told) == "r != 1"


def test_what_an_equation_decides_is_not_said() -> None:
    cell: Any = {"where": "theta - 1/2 = 0, r*(theta - 1/2) - 1 < 0"}
    assert holding.conditions(cell, claim("always")) == "`theta == 1/2`"
    cell["where"] = "theta - 1/2 > 0, r*(theta - 1/2) - 1 = 0"
    assert holding.conditions(cell, claim("always")) == "`theta > 1/2` and `r*(theta - 1/2) == 1`"
