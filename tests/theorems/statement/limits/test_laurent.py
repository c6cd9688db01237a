"""Limits by Laurent series, against limits that are known, and what has no such series."""

from __future__ import annotations

from fractions import Fraction
from math import inf

import pytest

from proofs_check.api import check
from proofs_check.statements.limits_without_tokens import _quotient, _values
from theorems.statement import proposition
from theorems.statement.expression import StatementError
from theorems.statement.limits.laurent import NoSeriesError
from theorems.statement.limits.leading import Limit, Number, quotient_limit
from theorems.statement.reading.language import parsed

ONE = parsed("1")


@pytest.mark.parametrize(
    ("function", "at", "limit"),
    [
        ("n*log(1 + 1/n)", None, 1),
        ("n*(n*log(1 + 1/n) - 1)", None, Fraction(-1, 2)),
        ("sqrt(n**2 + n) - n", None, Fraction(1, 2)),
        ("exp(n*log(1 + 1/n) - 1)", None, 1),
        ("n*log((1 - 2/n**2)**n)", None, -2),
        ("(4*n**2 + 1)**(1/2)/n", None, 2),
        ("-n**2/(n + 1)", None, -inf),
        ("sin(n)/n", 0, 1),
        ("n*log(4/4)", None, 0),
        ("n*(sqrt(1 + n**(-17)) - 1/n)", None, inf),
        ("(1 - cos(n))/n**2", 0, Fraction(1, 2)),
        ("(n - sin(n))/n**3", 0, Fraction(1, 6)),
        ("log(n)/(n - 1)", 1, 1),
        ("(n**2 - 1)/(n - 1)", 1, 2),
        ("1/n**2", 0, inf),
        ("log(n)/n", None, 0),
        ("log(n)", None, inf),
        ("-exp(n)/n**9", None, -inf),
        ("log(n)/log(n + 1)", None, 1),
        ("n*(log(n + 1) - log(n))", None, 1),
        ("log(2*n)**2/sqrt(n)", None, 0),
        ("n**9*exp(-n)", None, 0),
        ("n**(1/n)", None, 1),
        ("log(1 + exp(n))/n", None, 1),
        ("(exp(n) - exp(-n))/(exp(n) + exp(-n))", None, 1),
        ("sqrt(n)*(sqrt(n + 1) - sqrt(n))", None, Fraction(1, 2)),
        ("n**(2/3)*((n + 1)**(1/3) - n**(1/3))", None, Fraction(1, 3)),
        ("exp(-1/n**2)", 0, 0),
        ("(1 + 2/n)**n", None, Number(Fraction(1), Fraction(2))),
        ("3*(1 - 1/n)**(2*n)*n/(n + 1)", None, Number(Fraction(3), Fraction(-2))),
        ("n/n - 1 + 1/n", None, None),
    ],
)
def test_limits_are_those_that_are_known(function: str, at: int | None, limit: Limit | None) -> None:
    where = None if at is None else Fraction(at)
    if limit is None:
        # n/n - 1 is 0, which no truncated series shows
        with pytest.raises(NoSeriesError, match="cancel"):
            quotient_limit(parsed(function), ONE, "n", where)
    else:
        assert quotient_limit(parsed(function), ONE, "n", where) == limit


@pytest.mark.parametrize(
    ("function", "at", "why"),
    [
        ("log(log(n))", None, "no power of x"),
        ("exp(log(n)**2)", None, "exp"),
        ("exp(n*log(n))", None, "exp"),
        ("log(n)**(1/3)", None, "root of a power"),
        ("exp(n + 1/log(n)) - exp(n)", None, "not known up to"),
        ("sqrt(2 + 1/n)", None, "rational"),
        ("sqrt(n**2)/n", 0, "two sides differ"),
        ("1/n", 0, "two sides differ"),
        ("exp(1/n)", 0, "two sides differ"),
        ("n*log(n)", 0, "not seen to be positive"),
        ("abs(n)", 0, "no series"),
        ("m*n", None, "no series"),
        # what stands in log is 1 as far as the terms go, and is not 1
        ("n**20*log(1 + n**(-20))", None, "cancel"),
        ("log(1 + n**17)/n**17", 0, "cancel"),
    ],
)
def test_what_has_no_such_series_is_refused(function: str, at: int | None, why: str) -> None:
    with pytest.raises(NoSeriesError, match=why):
        quotient_limit(parsed(function), ONE, "n", None if at is None else Fraction(at))


@pytest.mark.parametrize(
    ("statement", "limit", "hypotheses", "verdict"),
    [
        ("l*log((1 - (2*l - 2)/l**3)**l) -> -2", "l -> oo", "l > 1", "verified"),
        ("l*log((1 - (2*l - 2)/l**3)**l) -> -1", "l -> oo", "l > 1", "refuted"),
        ("log((1 - (2*l - 2)/l**3)**l) = -2/l + o(1/l)", "l -> oo", "l > 1", "verified"),
        ("log((1 - (2*l - 2)/l**3)**l) = -2/l + O(1/l**2)", "l -> oo", "l > 1", "verified"),
        ("log((1 - (2*l - 2)/l**3)**l) = -2/l + o(1/l**2)", "l -> oo", "l > 1", "refuted"),
        ("sqrt(n**2 + n) ~ n", "n -> oo", "n > 0", "verified"),
        ("sqrt(n**2 + n) ~ 2*n", "n -> oo", "n > 0", "refuted"),
        ("n**2/(n + 1) -> 1", "n -> oo", "n > 0", "refuted"),
        ("sin(u)/u -> 1", "u -> 0", "u != 0", "verified"),
        ("sqrt(u**2)/u -> 1", "u -> 0", "u != 0", "undecided"),
        ("a*n/(n + 1) -> a", "n -> oo", "n > 0, a real", "undecided"),
        ("(1 + 1/n)**n -> exp(1)", "n -> oo", "n > 0", "verified"),
        ("(1 + 2/n)**n -> exp(1)", "n -> oo", "n > 0", "refuted"),
        ("(1 + 1/n)**n -> 3", "n -> oo", "n > 0", "refuted"),
        ("log(n)/n -> 0", "n -> oo", "n > 0", "verified"),
        ("log(n)**9/n -> 0", "n -> oo", "n > 0", "verified"),
        ("1/log(n) -> 0", "n -> oo", "n > 1", "verified"),
        ("1/log(n) -> 1/50", "n -> oo", "n > 1", "refuted"),
        ("n*log(n) = O(sqrt(n))", "n -> oo", "n > 0", "refuted"),
        ("log(n)/log(n + 1) -> 2", "n -> oo", "n > 1", "refuted"),
        ("u*log(u) -> 0", "u -> 0", "u > 0", "verified"),
        ("u*log(u) -> 1", "u -> 0", "u > 0", "refuted"),
        ("u*log(u) -> 0", "u -> 0", "u real", "undecided"),
        ("1/u -> 1", "u -> 0", "u > 0", "refuted"),
        ("1/u -> 1", "u -> 0", "u != 0", "undecided"),
        # 1 + n**(-20) is 1 in floats, too
        ("n**20*log(1 + n**(-20)) -> 0", "n -> oo", "n > 0", "undecided"),
        ("log(1 + u**17)/u**17 = o(1)", "u -> 0", "u != 0", "undecided"),
    ],
)
def test_limits_without_tokens_are_judged(statement: str, limit: str, hypotheses: str, verdict: str) -> None:
    found = check(statement, hypotheses=hypotheses, limit=limit, effort="quick")
    assert found.verdict == verdict
    decoys = found.report["decoys"]
    if verdict == "verified" and "O(" not in statement:
        assert decoys["of"] == decoys["caught"] > 0


def test_a_place_far_out_is_shown_as_a_power() -> None:
    found = check("1/log(n) -> 1/50", hypotheses="n > 1", limit="n -> oo", effort="quick")
    assert found.report["counterexample"]["params"] == {"n": "2**1000"}


def test_values_that_rounding_moves_say_nothing_of_a_limit() -> None:
    prop = proposition("n**12*(1 + n**(-12) - 1) -> 0", "n > 0", limit="n -> oo")
    values = _values(prop, *_quotient(prop), None)
    assert values and all(abs(one - 1) < 0.05 for _, one in values)
    assert max(place for place, _ in values) < 2**5


@pytest.mark.parametrize(
    ("text", "limit"),
    [("n**2 -> n", "n -> oo"), ("n -> 2*n", "n -> oo"), ("u*v -> u", "u -> oo, v -> 0, u*v -> 1")],
)
def test_a_limit_does_not_move(text: str, limit: str) -> None:
    with pytest.raises(StatementError, match="moves with it"):
        proposition(text, ", ".join(f"{one} real" for one in "nuv" if one in text), limit=limit)
