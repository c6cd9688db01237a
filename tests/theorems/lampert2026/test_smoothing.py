"""Fragment [47]: the derived polynomials and equivalences against enumerated laws, and attention of any kind."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from random import Random
from typing import Any

import pytest
import sympy as sp

from theorems.algebra.expressions import symbol
from theorems.gaussian import ensemble
from theorems.gaussian.exchangeable import Vector, output, token
from theorems.gaussian.moments import exchangeable_law
from theorems.gaussian.numeric import Case
from theorems.kernel.derivation import Equivalence
from theorems.kernel.deriving import derive, remarked
from theorems.kernel.equivalence import holds
from theorems.lampert2026 import smoothing

SECTION = "lampert2026.sec5."


def law(seed: int) -> dict[str, Any]:
    """A random finite law and head."""
    random = Random(seed)
    d, k = random.choice((1, 2)), random.choice((2, 3))

    def entry() -> str:
        return str(random.randint(-2, 2))

    tokens = [[[entry() for _ in range(d)] for _ in range(k)] for _ in range(2)]
    return {"tokens": tokens, "W": [[entry() for _ in range(d)] for _ in range(d)], "beta": entry()}


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("name", "level"), [("dprime-1", 1), ("dprime-0", 0)])
def test_the_derived_slopes_are_those_of_enumerated_laws(name: str, level: int, seed: int) -> None:
    raw = law(seed)
    slope = derive(f"{SECTION}{name}").ratio("").expr
    case = Case(raw)
    value = case.evaluate(slope.xreplace({symbol("k"): sp.Integer(len(raw["tokens"][0]))}))
    D = [ensemble.energy(raw, Fraction(level) + h) for h in (-1, 1)]
    assert Fraction(int(value.p), int(value.q)) == (D[1] - D[0]) / 2


@pytest.mark.parametrize("seed", range(40))
def test_equivalences_hold_of_enumerated_laws(seed: int) -> None:
    raw = law(seed)
    D = [ensemble.energy(raw, Fraction(n, 8)) for n in range(9)]
    falls, rises = (all((b - a) * s > 0 for a, b in pairwise(D)) for s in (-1, 1))
    found = derive(f"{SECTION}monotone-iff").quantities
    for name, seen in (("D decreasing", falls), ("D increasing", rises)):
        quantity = found[name]
        assert isinstance(quantity, Equivalence)
        derived = holds(quantity.conditions, raw)
        # eighths may miss that D turns close to an end
        assert derived == seen or (seen and not derived and _turns_near_an_end(raw))


def _turns_near_an_end(raw: dict[str, Any]) -> bool:
    t1, t2 = ensemble.traces(raw)
    place = 1 + Fraction(raw["beta"]) * t1 / t2
    return 0 < place < Fraction(1, 8) or Fraction(7, 8) < place < 1


def test_the_two_routes_derive_the_same_conditions() -> None:
    for name in ("monotone-iff", "dense-smooths-more", "dense-smooths-less"):
        one, two = (derive(SECTION + name, second_route=second) for second in (False, True))
        for key, quantity in one.quantities.items():
            other = two.quantities[key]
            assert isinstance(quantity, Equivalence)
            assert isinstance(other, Equivalence)
            assert quantity.conditions == other.conditions
            assert [s.rule for s in quantity.steps] != [s.rule for s in other.steps]


def test_another_model_changes_what_is_derived(monkeypatch: pytest.MonkeyPatch) -> None:
    before = derive(f"{SECTION}dprime-0").ratio("").expr

    def doubled(slot: str, level: sp.Expr) -> Vector:
        return output(slot, level) + token(slot)

    monkeypatch.setattr(smoothing, "output", doubled)
    after = derive(f"{SECTION}dprime-0").ratio("").expr
    t1, k = symbol("t1"), symbol("k")
    # a skip of beta + 1 in the place of beta
    assert sp.expand(after - before + 2 * (1 - 1 / k) * t1) == 0


@pytest.mark.parametrize("seed", range(8))
def test_any_attention_is_that_of_enumerated_laws(seed: int) -> None:
    raw, random = law(seed), Random(seed)
    k, d = len(raw["tokens"][0]), len(raw["W"])
    a = [[Fraction(random.randint(0, 3)) for _ in range(k)] for _ in range(k)]
    a = [
        [v / sum(row) for v in row] if sum(row) else [Fraction(int(c == r)) for c in range(k)]
        for r, row in enumerate(a)
    ]
    moments = ensemble.second_moments(raw)
    W, beta = sp.Matrix(raw["W"]), sp.Rational(raw["beta"])
    A, C = (sp.Matrix(d, d, lambda r, c, m=m: sp.Rational(str(m[r][c]))) for m in (moments.same, moments.other))
    i, j = 0, k - 1

    def second(u: list[Fraction], v: list[Fraction]) -> sp.Matrix:
        terms = (sp.Rational(str(u[p] * v[q])) * (A if p == q else C) for p in range(k) for q in range(k))
        return sum(terms, sp.zeros(d))

    def product(u: list[Fraction], v: list[Fraction]) -> sp.Rational:
        return sp.Rational(str(sum((x * y for x, y in zip(u, v, strict=True)), Fraction(0))))

    unit = [[Fraction(int(c == r)) for c in range(k)] for r in range(k)]
    for p, q in ((i, i), (i, j)):
        whole = (
            beta**2 * second(unit[p], unit[q]).trace()
            + beta * (W * second(unit[p], a[q])).trace()
            + beta * (W.T * second(a[p], unit[q])).trace()
            + (W.T * W * second(a[p], a[q])).trace()
        )
        first, other = ("i", "i") if p == q else ("i", "j")
        table = {symbol("beta"): beta, symbol(f"g_{first}{other}"): product(a[p], a[q])}
        table |= {
            symbol(f"a_{first}{other}"): sp.Rational(str(a[p][q])),
            symbol(f"a_{other}{first}"): sp.Rational(str(a[q][p])),
        }
        B = A - C
        words = {"tr_A": A, "tr_A_W": A * W, "tr_A_Wt_W": A * W.T * W, "tr_B": B, "t1": B * W, "t2": B * W.T * W}
        table |= {symbol(name): found.trace() for name, found in words.items()}
        assert smoothing.attended(first, other).xreplace(table) == whole


def test_the_report_says_more_than_the_print() -> None:
    lines = remarked(f"{SECTION}uniform-vs-identity")
    assert len(lines) == 3
    assert "row-stochastic" in lines[0]


@pytest.mark.parametrize("law_name", sorted(exchangeable_law.LAWS))
@pytest.mark.parametrize("level", [0, 1])
def test_the_planned_mean_is_the_derived_slope(law_name: str, level: int) -> None:
    raw = {"k": 3, "d": 2, "beta": "1/2", "W": [["1", "2"], ["-1", "1/2"]], "L": [["1", "0"], ["-2", "1"]]}
    raw |= {"m": ["1", "-1"], "law": law_name}
    case = Case(raw)
    derived = derive(f"{SECTION}dprime-{level}").quantities[""]
    mean, variance = exchangeable_law.slope_moments(case, level)
    assert case.evaluate(derived.mean) == mean  # type: ignore[union-attr]
    assert variance > 0
    assert case.evaluate(derived.variance) == variance  # type: ignore[union-attr]
