"""Statements without tokens, judged: no false one is verified, each false one has a small counterexample."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction as F
from typing import Any

import numpy as np
import pytest

from montecarlo.search_statement import Landscape
from montecarlo.search_values import evaluate
from montecarlo.statements import integrals
from proofs_check.statements import conflicting, deterministic
from proofs_check.statements.deterministic import judge_deterministic
from proofs_check.statements.shrinking import cost, shrunk
from proofs_check.statements.wrong_versions import mutants_of
from theorems.statement import StatementError, proposition
from theorems.statement.proofs import Proof, Step
from theorems.statement.values.arithmetic import UndefinedError
from theorems.statement.values.cases import Case, admissible
from theorems.statement.values.certify import shown, violation
from theorems.statement.work import Work

TRUE = [
    ("softmax(s)[i] <= exp(2*B)/(n - 1 + exp(2*B))", "s in R^n, abs(s[j]) <= B, n >= 2"),
    ("max(softmax(s)) >= 1/n", "s in R^n"),
    ("entropy(softmax(s)) >= log(n) - 2*B", "s in R^n, abs(s[j]) <= B"),
    ("abs(tr(W*Sigma)) <= sqrt(d*tr((W*Sigma)**2))", "W symmetric"),
    ("norm(W, fro) <= sqrt(d)*norm(W, 2)", ""),
    ("norm(W, 2) <= norm(W, fro)", ""),
    ("norm(W, nuclear) <= sqrt(d)*norm(W, fro)", ""),
    ("abs(tr(W)) <= norm(W, nuclear)", ""),
    ("tr(W)**2 <= d*tr(W.T*W)", ""),
    ("abs(a.T*W*b) <= norm(a)*norm(W, 2)*norm(b)", "a in R^d, b in R^d"),
    ("log(1 + u) <= u", "u > -1"),
    ("exp(u) >= 1 + u", "u real"),
    ("u*(1 - u) <= 1/4", "u real"),
    ("sqrt(u*v) <= (u + v)/2", "u >= 0, v >= 0"),
    ("(lam + 1)**2 = lam**2 + 2*lam + 1", "lam real"),
    ("tr(W*B) = tr(B*W)", "B any"),
]
#: False statements, and the most entries that a counterexample needs.
FALSE = [
    ("max(softmax(s)) <= 1/2", "s in R^n, abs(s[j]) <= B", 3),
    ("softmax(s)[i] <= exp(B)/(n - 1 + exp(B))", "s in R^n, abs(s[j]) <= B, n >= 2", 5),
    ("softmax(s)[i] <= exp(2*B)/(n + exp(2*B))", "s in R^n, abs(s[j]) <= B, n >= 2", 5),
    ("entropy(softmax(s)) >= log(n) - B/2", "s in R^n, abs(s[j]) <= B", 8),
    ("entropy(p) <= log(n) - 1/100", "p in R^n, p[j] >= 0, sum(p[j], j, 1, n) = 1", 2),
    ("norm(s) <= B", "s in R^n, abs(s[j]) <= B", 4),
    ("abs(tr(W*Sigma)) <= sqrt(d*tr((W*Sigma)**2))", "", 9),
    ("norm(W, fro) <= norm(W, 2)", "", 5),
    ("norm(W, nuclear) <= norm(W, fro)", "", 5),
    ("norm(W, nuclear) <= abs(tr(W))", "W symmetric", 5),
    ("tr(W)**2 <= d*tr(W*W)", "", 5),
    ("tr(W*B*W) >= 0", "B psd", 19),
    ("abs(a.T*W*b) <= 999/1000*norm(a)*norm(b)*norm(W, fro)", "a in R^d, b in R^d", 4),
    ("log(1 + u) <= 99/100*u", "u > -1", 1),
    ("exp(u) >= 1 + 11/10*u", "u real", 1),
    ("exp(u) > 1 + u", "u real", 1),
    ("u*(1 - u) <= 249/1000", "u real", 1),
    ("sqrt(u*v) <= (u + v)/2", "u real, v real", 2),
    ("lam*u <= lam", "lam real, u <= 1", 2),
    ("(lam + 1)**2 = lam**2 + 2*lam + 2", "lam real", 1),
    ("u**4 - 3*u**2*v**2 + v**6 + 1/2 >= 0", "u real, v real", 2),
    ("u**2 - 3*u + 224/100 >= 0", "u real", 1),
    ("softmax(s)[1] >= softmax(s)[2]", "s in R^n, s[1] >= s[2] - 1/10", 3),
    ("n <= 6", "s in R^n", 26),
]


@pytest.mark.parametrize(("text", "given"), TRUE)
def test_true_statements_are_verified(text: str, given: str) -> None:
    found = judge_deterministic(proposition(text, given), "quick", 1)
    assert found.verdict == "verified", found.reason
    assert found.proof and found.tries > 100 and "tries" in found.reason
    assert any(mutant.fate == "caught" for mutant in found.mutants)


@pytest.mark.parametrize(("text", "given", "entries"), FALSE)
def test_false_statements_have_a_small_counterexample(text: str, given: str, entries: int) -> None:
    prop = proposition(text, given)
    found = judge_deterministic(prop, "quick", 1)
    assert found.verdict == "refuted", found.reason
    case = found.counterexample
    assert case is not None and len(list(case.entries())) <= entries
    assert admissible(prop, case) == "" and violation(prop, case)
    assert found.evaluated is not None and all(map(math.isfinite, found.evaluated))
    assert found.left in found.reason and found.right in found.reason and str(case) in found.reason


def test_what_is_true_but_not_proved_is_undecided_with_its_closest_case() -> None:
    found = judge_deterministic(proposition("exp(mean(s)) <= sum(exp(s[j]), j, 1, n)/n", "s in R^n"), "quick")
    assert found.verdict == "undecided" and "closest was" in found.reason and found.closest >= -1e-9


def test_a_side_without_a_value_leaves_it_undecided() -> None:
    found = judge_deterministic(proposition("log(1 + u) <= u", "u real"), "quick")
    assert found.verdict == "undecided" and "has no value" in found.reason


def test_hypotheses_that_no_case_meets_leave_it_undecided_or_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    nowhere = proposition("u <= v - 1", "u real, v real, u > v, v > u")
    with pytest.raises(StatementError, match="no case meets u > v: u <= v by the others"):
        judge_deterministic(nowhere, "quick")
    # where the contradiction is not seen
    monkeypatch.setattr("theorems.statement.proofs.contradiction.proved", lambda *_: None)
    found = judge_deterministic(nowhere, "quick")
    assert found.verdict == "undecided" and "no case" in found.reason


def test_a_wrong_proof_of_a_false_statement_does_not_verify_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deterministic, "proved", lambda *_: Proof((Step("planted", "planted"),)))
    found = judge_deterministic(proposition("u*(1 - u) <= 249/1000", "u real"), "quick")
    assert found.verdict == "refuted"


def test_a_proof_alone_is_not_enough_where_the_search_sees_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deterministic, "_fates", lambda search: [])
    found = judge_deterministic(proposition("exp(u) >= 1 + u", "u real"), "quick")
    assert found.verdict == "undecided" and "tells no wrong version" in found.reason and found.proof


def test_a_wrong_evaluation_is_a_conflict(monkeypatch: pytest.MonkeyPatch) -> None:
    def off(*of: Any) -> float:
        return evaluate(*of) * 1.01

    monkeypatch.setattr(conflicting, "evaluate", off)
    found = judge_deterministic(proposition("exp(u) <= 2 - u", "u real"), "quick")
    assert found.verdict == "conflict" and "in floats" in found.reason


@pytest.mark.parametrize(
    ("text", "given"),
    [
        # what violates it in floats, and what does not
        ("integral(cos(t)**4, t, 0, pi) = 3*pi/8", ""),
        ("integral(cos(t)**(2*k), t, 0, pi) <= pi", "k integer, k >= 1"),
        ("integral(cos(t)**(2*k), t, 0, pi) <= 4", "k integer, k >= 1"),
    ],
)
def test_a_wrong_integral_of_numbers_is_a_conflict(text: str, given: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = integrals.value
    assert judge_deterministic(proposition(text, given), "quick").verdict != "conflict"
    monkeypatch.setattr(integrals, "value", lambda *of: 1.01 * plain(*of))
    found = judge_deterministic(proposition(text, given), "quick")
    assert found.verdict == "conflict" and "in floats" in found.reason


def test_a_wrong_evaluation_that_leaves_a_true_statement_true_is_a_conflict(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = evaluate
    monkeypatch.setattr(conflicting, "evaluate", lambda *of: plain(*of) * 1.01)
    found = judge_deterministic(proposition("exp(u) >= 1 + u", "u real"), "quick")
    assert found.verdict == "conflict" and "in floats" in found.reason


def test_what_differences_lose_to_rounding_is_no_conflict(monkeypatch: pytest.MonkeyPatch) -> None:
    """Second differences of 10**10 at 1/32 know a second derivative of 2/9 to a few parts in a hundred."""
    prop = proposition("diff(diff((t/3 + r)**2, t), t, 0)**2 = 4/81", "r real")
    near, far = (Case({"r": F(r)}) for r in (1, 100_001))
    value = evaluate(prop.left.plain(), far.plain())
    assert abs(value * 81 / 4 - 1) > conflicting.DIGITS
    assert not conflicting.conflicting(prop, near) and not conflicting.conflicting(prop, far)
    monkeypatch.setattr(conflicting, "evaluate", lambda *of: evaluate(*of) * 1.01)
    assert conflicting.conflicting(prop, near)


def test_a_value_far_below_floats_is_compared_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """exp(-10**12) has an exponent of twelve digits, whose power of ten nobody writes out."""
    monkeypatch.setattr(conflicting, "Fraction", lambda _: pytest.fail("written out"))
    case = Case({"u": F(10**6)})
    assert not conflicting.conflicting(proposition("exp(-u**2) >= 0", "u real"), case)
    assert not conflicting.conflicting(proposition("exp(u**2) >= 0", "u real"), case)


def test_a_tiny_value_is_compared_on_its_own_size() -> None:
    """Where an enclosure bounds rounding: exp(-100) is no rounding of 0, and 0 of a trace that cancels is."""
    prop, case = proposition("exp(-u) <= 1", "u > 0"), Case({"u": F(100)})
    assert not conflicting.conflicting(prop, case)
    assert conflicting.conflicting(prop, case, proposition("2*exp(-u) <= 1", "u > 0"))
    third = ((F(1, 3), F(0)), (F(0), F(-1, 3)))
    cancels = proposition("tr(W*W*W) <= 1", "W any")
    assert not conflicting.conflicting(cancels, Case({"d": F(2)}, {"W": third}))


def test_a_value_that_floats_alone_have_is_not_compared() -> None:
    """Floats take eigenvalues of +-1e-8 i for 0, as of a symmetric W in the version without that hypothesis."""
    prop = proposition("sum(eig(W*Sigma)[k]**2, k, 1, d) = tr((W*Sigma)**2)", "W any")
    case = Case({"d": F(2)}, {"W": ((F(0), F(-1)), (F(1), F(0))), "Sigma": ((F(1), F(0)), (F(0), F(1, 10**16)))})
    assert evaluate(prop.left.plain(), case.plain()) == 0
    with pytest.raises(UndefinedError):
        shown(prop.left, case)
    assert not conflicting.conflicting(prop, case)


def test_mutants_are_caught_implied_or_not_seen() -> None:
    found = judge_deterministic(proposition("u*(1 - u) <= 1", "0 <= u <= 1"), "quick")
    fates = {mutant.text: mutant.fate for mutant in found.mutants}
    assert found.verdict == "verified" and "not seen to be sharp" in found.reason
    assert fates["u*(1 - u) <= 2"] == "implied" and fates["u*(1 - u) <= 49/50"] == "not seen"
    assert fates["u*(1 - u) <= 0"] == "caught" and fates["u*(1 - u) >= 1"] == "caught"


def test_mutants_differ_from_the_statement() -> None:
    prop = proposition("softmax(s)[i] <= exp(2*B)/(n - 1 + exp(2*B))", "s in R^n, abs(s[j]) <= B, n >= 2")
    wrong = mutants_of(prop)
    assert len(wrong) > 8 and all((one.right, one.relation) != (prop.right, prop.relation) for one in wrong)


def test_shrinking_keeps_the_violation_and_ends_in_the_smallest_case() -> None:
    prop = proposition("norm(W, fro) <= norm(W, 2)")
    rows = tuple(tuple(F(3 * r + c * c + 1, 7) for c in range(4)) for r in range(4))
    start = Case({"d": F(4)}, {"W": rows})
    case = shrunk(prop, start, lambda one: not admissible(prop, one) and bool(violation(prop, one)), Work(1e18))
    assert case.numbers["d"] == 2 and violation(prop, case) and case.weight < start.weight


def test_a_large_case_is_weighed_where_it_changes_and_counts_as_several(monkeypatch: pytest.MonkeyPatch) -> None:
    prop = proposition("norm(W, 2) <= 1", "d = 20")
    start = Case({"d": F(20)}, {"W": tuple(tuple(F(r * c + 1, 7) for c in range(20)) for r in range(20))})
    walked, looked, entries = itertools.count(), itertools.count(), Case.entries

    def counted(case: Case) -> Iterator[F]:
        next(walked)
        return entries(case)

    def bad(case: Case) -> bool:
        next(looked)
        return sum(map(bool, case.matrices["W"][0])) > 1 and case.numbers["d"] == 20

    monkeypatch.setattr(Case, "entries", counted)
    case = shrunk(prop, start, bad, work := Work(1e6))
    looks, walks = next(looked), next(walked)
    assert sum(v != 0 for row in case.matrices["W"] for v in row) == 2 and set(case.entries()) == {0, 1, 20}
    assert walks < 2 * looks and 1e6 - work.left > 1.5 * looks


def test_large_cases_of_a_search_have_one_small_denominator() -> None:
    prop = proposition("norm(W, 2) <= 1", "W psd, d = 40")
    point = np.random.default_rng(0).standard_normal((40, 40))
    near: dict[str, dict[str, Any]] = {
        "numbers": {"d": 40.0},
        "matrices": {"W": point @ point.T},
        "vectors": {},
        "sequences": {},
    }
    for most, case in zip((1, 2, 4, 12), deterministic._rounded(prop, near), strict=False):
        assert math.lcm(*(v.denominator for v in case.entries())) <= most**2
    assert cost(None) == 1 and cost(Case({"d": F(1)})) == 1 < cost(Case(matrices={"W": ((F(0),) * 40,) * 40}))


def test_both_sides_read_the_same_expression_alike() -> None:
    prop = proposition(
        "tr(W*B.T)*norm(W + B, nuclear) + a.T*W**2*a - norm(B, 2) + clip(u, 0, 1)**2 = max(u, 1/2, -u)/3",
        "B any, a in R^d, u real",
    )
    case = Case(
        {"d": F(2), "u": F(5, 2)},
        {"W": ((F(1), F(2)), (F(-1), F(1, 3))), "B": ((F(0), F(1)), (F(4), F(-2)))},
        {"a": (F(1), F(-3))},
    )
    for node in (prop.left, prop.right):
        assert float(F(shown(node, case))) == pytest.approx(evaluate(node.plain(), case.plain()), rel=1e-12)


def test_the_landscape_has_a_slope_where_one_side_is_zero() -> None:
    prop = proposition("u**2 - 3*u + 224/100 >= 0", "u real")
    known = deterministic._plain(prop)
    landscape = Landscape(prop.left.plain(), prop.relation, prop.right.plain(), known)
    points = [{"numbers": {"u": u}, "matrices": {}, "vectors": {}, "sequences": {}} for u in (3.0, 2.0, 1.5)]
    heights = [landscape.excess(point) for point in points]
    assert heights == sorted(heights) and heights[-1] > 0


def test_statements_with_clauses_are_measured_as_the_search_measures_them() -> None:
    prop = proposition("u*v > 0 if u > 0 and v > 0", "u real, v real")
    landscape = Landscape(prop.left.plain(), prop.relation, prop.right.plain(), deterministic._plain(prop))
    point = {"numbers": {"u": 1.5, "v": 0.5}, "matrices": {}, "vectors": {}, "sequences": {}}
    excess, gap = landscape.measured(point, landscape.terms(point))
    assert excess == landscape.excess(point) and math.isnan(gap)


def test_a_proved_implication_has_its_wrong_versions_told_from_it() -> None:
    found = judge_deterministic(proposition("u*v > 0 if u > 0 and v > 0", "u real, v real"), "quick")
    assert found.verdict == "verified" and any(wrong.fate == "caught" for wrong in found.mutants)


def test_tokens_and_unknown_efforts_are_refused() -> None:
    with pytest.raises(ValueError, match="effort"):
        judge_deterministic(proposition("u <= u", "u real"), "fast")
    with pytest.raises(ValueError, match="tokens"):
        judge_deterministic(proposition("E[x[i].T*W*x[j]] = i*tr(W*Sigma)", "i <= j"))


@pytest.mark.parametrize("text", ["W <= 1", "exp(W) >= 0", "tr(W) + W >= 0", "tr(3) >= 0"])
def test_what_is_no_number_is_refused(text: str) -> None:
    with pytest.raises(StatementError):
        judge_deterministic(proposition(text), "quick")


def test_the_same_seed_gives_the_same_verdict_and_counterexample() -> None:
    prop = proposition("norm(W, nuclear) <= norm(W, fro)")
    one, two = (judge_deterministic(prop, "quick", 5) for _ in range(2))
    assert one == two and one.verdict == "refuted"


def test_what_rounding_leaves_is_no_violation_that_comes_close() -> None:
    found = judge_deterministic(proposition("entropy(softmax(s)) <= log(n)", "s in R^n"), "quick")
    assert found.verdict == "verified" and found.closest == 0 and "closest was 0 (" in found.reason
