"""o(T) "for every i <= T" is uniform in i: positions that do not tend anywhere are no constants."""

from __future__ import annotations

from dataclasses import replace

import pytest

from theorems.algebra.expressions import parse
from theorems.algebra.ratio import Ratio
from theorems.claims.catalogue import by_id
from theorems.kernel.settle import compare, target


@pytest.mark.parametrize(
    ("value", "printed", "remainder", "positions", "equal"),
    [
        # E[x_i^T W x_T] = i tr1 is no o(T) at i = T, though it is one for every fixed i
        ("i*tr1", "0", "T", ("i", "T"), False),
        ("i*tr1", "0", "T", (), True),
        ("i*tr1", "0", "T**2", ("i", "T"), True),
        # a sum over all tokens, with what is of order T^2 at i of order T left out
        ("i*T*tr1 - i*(i - 1)*tr1/2", "T*i*tr1", "T**2", ("i", "T"), False),
        ("i*T*tr1 - i*(i - 1)*tr1/2", "T*i*tr1 - i**2*tr1/2", "T**2", ("i", "T"), True),
        # the fixed position decides
        ("T/i", "0", "T", ("i", "T"), False),
        ("T/i", "0", "T**2", ("i", "T"), True),
        # i <= j: a position after one that grows grows
        ("T**2/j", "0", "T**2", ("i", "j", "T"), False),
        ("i**2/j", "0", "T**2", ("i", "j", "T"), True),
        # a rational print
        ("T*(T + 1)*tr1/2", "T**3*tr1/(2*T + 7)", "T**2", ("T",), True),
        ("T*(T + 1)*tr1/2", "T**3*tr1/(3*T + 7)", "T**2", ("T",), False),
        # neither a fixed position nor a part of T shows it: i = sqrt(T) does
        ("0", "i*T**2/(T + i**2)", "T", ("i", "T"), False),
        ("0", "i*T/(T + i**2)", "T", ("i", "T"), True),
        ("0", "i*j/(i + j)", "T**2", ("i", "j", "T"), None),
    ],
)
def test_an_order_is_uniform_in_the_positions_that_do_not_tend_anywhere(
    value: str, printed: str, remainder: str, positions: tuple[str, ...], equal: bool | None
) -> None:
    assert compare(Ratio.from_expr(parse(value)), parse(printed), {}, remainder, positions) is equal


def test_a_position_after_one_of_the_regime_grows_with_it() -> None:
    value, zero = Ratio.from_expr(parse("T**2/j")), parse("0")
    assert compare(value, zero, {"i": "theta*T"}, "T**2", ("i", "j", "T")) is True
    assert compare(Ratio.from_expr(parse("T**2/i")), zero, {"j": "theta*T"}, "T**2", ("i", "j", "T")) is False


def test_the_target_of_an_order_keeps_what_a_free_position_makes_large() -> None:
    claim = replace(by_id()["bao2024.appC.lemma1-A"], regime={}, remainder="T**2", positions=("i", "T"))
    value = Ratio.from_expr(parse("i*T*tr1 - i*(i - 1)*tr1/2"))
    assert target(claim, value) == Ratio.from_expr(parse("i*T*tr1 - i**2*tr1/2"))
