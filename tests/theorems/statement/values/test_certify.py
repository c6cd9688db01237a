"""Exact cases, certified violations, and proofs by general rules, with near-misses that must not be proved."""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction as F

import numpy as np
import pytest
from scipy import sparse

from proofs_check.cases.without_tokens import drawn
from theorems.statement import StatementError, proposition
from theorems.statement.expression import Expr, minus, number
from theorems.statement.proofs import facts, proved
from theorems.statement.proofs.atoms import Atoms, NoFormError
from theorems.statement.proofs.averages import weights
from theorems.statement.proofs.certificate import Columns, Term, certificate
from theorems.statement.proofs.facts import Fact, facts_of
from theorems.statement.proposition import Proposition
from theorems.statement.reading.hypotheses import Hypotheses
from theorems.statement.values.arithmetic import UndefinedError
from theorems.statement.values.cases import Case, admissible, free_names
from theorems.statement.values.certify import shown, undefined, violation
from theorems.statement.values.values import compared
from theorems.statement.work import Work

WEIGHTS = "p in R^n, p[j] >= 0, sum(p[j], j, 1, n) = 1"
TRUE = [
    ("norm(W, 2)**2 <= norm(W, 1)*norm(W, oo)", ""),
    ("norm(A, 2) <= sqrt(m)*norm(A, oo)", "A in R^(m x k)"),
    ("norm(W + B, oo) <= norm(W, oo) + norm(B, oo)", "B any"),
    ("norm(W*B, sum) <= norm(W, sum)*norm(B, sum)", "B any"),
    ("norm(W.T*W, nuclear) = norm(W, fro)**2", ""),
    ("norm(A*b, 1) <= norm(A, 1)*norm(b, 1)", "A in R^(m x k), b in R^k"),
    ("abs(a.T*b) <= norm(a, 1)*norm(b, oo)", "a in R^d, b in R^d"),
    ("gamma(u + 1/2)**2 <= u*gamma(u)**2", "u > 0"),
    ("entropy(p) <= log(n)", WEIGHTS),
    ("norm(p) <= 1", WEIGHTS),
    ("max(p) >= 1/n", WEIGHTS),
    ("p[i] <= 1", WEIGHTS),
    ("softmax(s)[i] <= exp(2*B)/(n - 1 + exp(2*B))", "s in R^n, abs(s[j]) <= B, n >= 2"),
    ("softmax(s)[i] >= exp(-2*B)/n", "s in R^n, abs(s[j]) <= B"),
    ("softmax(s)[i] < 1", "s in R^n, abs(s[j]) <= B, n >= 2"),
    ("max(softmax(s)) <= exp(2*B)/n", "s in R^n, abs(s[j]) <= B"),
    ("entropy(softmax(s)) >= log(n) - 2*B", "s in R^n, abs(s[j]) <= B"),
    ("entropy(softmax(s)) <= log(n)", "s in R^n"),
    ("entropy(softmax(s)) >= log(n) - (max(s) - min(s))**2/8", "s in R^n"),
    ("softmax(s)[1] - softmax(s)[2] <= exp(s[2])", "s in R^n, n = 2, s[1] < s[2]"),
    ("norm(softmax(s) - softmax(t), 1) + softmax(s).T*softmax(t) <= 3", "s in R^n, t in R^n"),
    ("sum(softmax(s)[i], i, 1, n) = 1", "s in R^n"),
    ("norm(s) <= sqrt(n)*B", "s in R^n, abs(s[j]) <= B"),
    ("abs(tr(W*Sigma)) <= sqrt(d*tr((W*Sigma)**2))", "W symmetric"),
    ("tr(W)**2 <= d*tr(W.T*W)", ""),
    ("norm(W, fro) <= 3*norm(W, 2)", "d <= 9"),
    ("(a.T*W*b)**2 <= a.T*W*W.T*a*norm(b)**2 + norm(a, oo)", "a in R^d, b in R^d, a != 0"),
    ("tr(W*Sigma*W*Sigma) <= tr(W*Sigma*W.T*Sigma)", ""),
    ("norm(W, fro) <= sqrt(d)*norm(W, 2)", ""),
    ("norm(W, 2) <= norm(W, fro)", ""),
    ("norm(W, nuclear) <= sqrt(d)*norm(W, fro)", ""),
    ("abs(tr(W)) <= norm(W, nuclear)", ""),
    ("norm(lam*W, 2) = lam*norm(W, 2)", "lam >= 0"),
    ("norm(W*B, fro) <= norm(W, 2)*norm(B, fro)", "B any"),
    ("norm(Sigma, nuclear) = tr(Sigma)", ""),
    ("norm(lam*Sigma, nuclear) = abs(lam)*tr(Sigma)", "lam real"),
    ("log(1 + u) <= u", "u > -1"),
    ("exp(u) >= 1 + u", "u real"),
    ("exp(u) > 1 + u", "u > 0"),
    ("u*(1 - u) <= 1/4", "u real"),
    ("-u*log(u) - (1 - u)*log(1 - u) <= log(2)", "0 < u < 1"),
    ("exp(u) <= 1 + u + u**2", "u <= 1"),
    ("sqrt(u*v) <= (u + v)/2", "u >= 0, v >= 0"),
    ("u/v + v/u >= 2", "u > 0, v > 0"),
    ("4*u**2 + 9*v**2 >= 12*u*v", "u real, v real"),
    ("abs(u + v) <= abs(u) + abs(v)", "u real, v real"),
    ("(lam + 1)**2 = lam**2 + 2*lam + 1", "lam real"),
    ("lam*u <= lam", "lam > 0, u <= 1"),
]
#: One hypothesis less, or one constant off: false, or without a value somewhere.
#: Of whose parts rules have something to say, whether or not they hold.
SPOKEN_OF = [
    ("entropy(softmax(s)) >= -log(max(softmax(s))) - log(sum(softmax(s)[j]**2, j, 1, n))", "s in R^n"),
    ("softmax(s)[i] + softmax(s)[j] + exp(s[i]) <= 1 + exp(s[j]) + exp(min(s)) + exp(max(s))", "s in R^n, i < j"),
    ("norm(p, 1) - norm(p)**2 <= max(p)", WEIGHTS),
    ("tr(W.T*Sigma*W)*norm(W, 2)*norm(W, max) > 0", "W != 0, Sigma positive definite"),
]
NEAR_MISSES = [
    ("norm(W, 2) <= norm(W, 1)", ""),
    ("norm(A, 1) <= sqrt(k)*norm(A, 2)", "A in R^(m x k)"),
    ("norm(A*b, oo) <= norm(A, 1)*norm(b, oo)", "A in R^(m x k), b in R^k"),
    ("gamma(u + 1)**2*(u + 1/2) >= u**2*gamma(u + 1/2)**2", "u > -1/2"),
    ("entropy(p) >= log(n)", WEIGHTS),
    ("norm(p) <= 1", "p in R^n, p[j] >= 0"),
    ("softmax(s)[i] <= exp(B)/(n - 1 + exp(B))", "s in R^n, abs(s[j]) <= B, n >= 2"),
    ("softmax(s)[i] <= exp(2*B)/(n - 1 + exp(2*B))", "s in R^n, abs(s[1]) <= B, n >= 2"),
    ("softmax(s)[i] < 1", "s in R^n, abs(s[j]) <= B"),
    ("max(softmax(s)) <= 1/2", "s in R^n, abs(s[j]) <= B"),
    ("max(softmax(s)) <= exp(B)/n", "s in R^n, abs(s[j]) <= B"),
    ("entropy(softmax(s)) >= log(n) - B", "s in R^n, abs(s[j]) <= B/4*5"),
    ("entropy(softmax(s)) < log(n)", "s in R^n, n >= 2"),
    ("entropy(softmax(s)) > 0", "s in R^n"),
    ("abs(tr(W*Sigma)) <= sqrt(d*tr((W*Sigma)**2))", ""),
    ("tr(W)**2 <= d*tr(W*W)", ""),
    ("tr(W*Sigma*W*Sigma) >= 0", ""),
    ("tr(W*B*Sigma) >= 0", "B psd, W psd"),
    ("norm(W, fro) <= norm(W, 2)", ""),
    ("norm(W, nuclear) <= sqrt(d)*norm(W, 2)", ""),
    ("abs(tr(W)) <= norm(W, fro)", ""),
    ("norm(lam*W, 2) = lam*norm(W, 2)", "lam real"),
    ("norm(lam*Sigma, nuclear) = lam*tr(Sigma)", "lam real"),
    ("norm(lam*W*B, 2) <= norm(W, 2)*norm(B, 2)", "B any, lam real"),
    ("norm(W, nuclear) = tr(W)", "W symmetric"),
    ("norm(W*B, 2) <= norm(B*W, 2)", "B any"),
    ("log(1 + u) <= u", "u real"),
    ("log(u) < u - 1", "u > 0"),
    ("exp(u) > 1 + u", "u real"),
    ("exp(u) >= 1 + u + u**2/2", "u real"),
    ("exp(u) <= 1 + u + u**2", "u <= 1794/1000"),
    ("u*exp(-u) <= 367/1000", "u real"),
    ("sqrt(u*v) <= (u + v)/2", "u real, v real"),
    ("sqrt(u**2) = u", "u real"),
    ("u/v + v/u >= 2", "u real, v != 0"),
    ("1/u >= 0", "u real"),
    ("4*u**2 + 9*v**2 >= 13*u*v", "u real, v real"),
    ("u**2 > 0", "u real"),
    ("lam*u <= lam", "lam real, u <= 1"),
    ("(lam + 1)**2 = lam**2 + 2*lam + 2", "lam real"),
]


@pytest.mark.parametrize(("text", "given"), TRUE)
def test_true_statements_are_proved(text: str, given: str) -> None:
    proof = proved(proposition(text, given))
    assert proof is not None and proof.steps


def one(text: str, given: str = "", **parts: object) -> tuple[Proposition, Case]:
    return proposition(text, given), Case(**parts)  # type: ignore[arg-type]


def test_a_violation_is_certified_in_rationals_and_in_balls() -> None:
    prop, case = one("tr(W)**2 <= tr(W.T*W)", numbers={"d": F(2)}, matrices={"W": ((F(1), F(0)), (F(0), F(1)))})
    assert free_names(prop) == ("d",) and admissible(prop, case) == ""
    assert violation(prop, case) is True and (shown(prop.left, case), shown(prop.right, case)) == ("4", "2")
    prop, case = one(
        "norm(W, nuclear) <= norm(W, 2)", numbers={"d": F(2)}, matrices={"W": ((F(1), F(1)), (F(0), F(1)))}
    )
    assert violation(prop, case) is True and shown(prop.left, case).startswith("2.2360679774997")


def test_equality_is_no_violation_and_is_one_of_a_strict_relation() -> None:
    case = Case({"u": F(0)})
    assert violation(proposition("exp(u) >= 1 + u", "u real"), case) is False
    assert violation(proposition("exp(u) > 1 + u", "u real"), case) is True


def test_what_balls_cannot_separate_is_left_open() -> None:
    prop = proposition("exp(log(u)) <= u", "u > 0")
    assert violation(prop, Case({"u": F(1, 3)})) is None


def test_a_side_without_a_value_is_named() -> None:
    prop, case = proposition("log(1 + u) <= u", "u real"), Case({"u": F(-2)})
    assert violation(prop, case) is None and "log(-1) has no value" in undefined(prop, case)
    assert undefined(prop, Case({"u": F(1)})) == ""


IDENTITY = ((F(1), F(0)), (F(0), F(1)))
LOPSIDED = ((F(0), F(1)), (F(0), F(0)))


@pytest.mark.parametrize(
    ("text", "given", "case", "fails"),
    [
        ("tr(W) >= 0", "W symmetric", Case({"d": F(2)}, {"W": LOPSIDED}), "W symmetric"),
        ("tr(W) >= 0", "W psd", Case({"d": F(2)}, {"W": ((F(1), F(2)), (F(2), F(1)))}), "W psd"),
        ("tr(W) >= 0", "W positive definite", Case({"d": F(2)}, {"W": ((F(1), F(1)), (F(1), F(1)))}), "W positive"),
        ("tr(W) >= 0", "W != 0", Case({"d": F(1)}, {"W": ((F(0),),)}), "W != 0"),
        ("tr(W) >= 0", "", Case({"d": F(3)}, {"W": IDENTITY}), "dimension"),
        ("tr(W) >= 0", "d >= 3", Case({"d": F(2)}, {"W": IDENTITY}), "d = 2 lies outside"),
        ("u >= 0", "u > 0", Case({"u": F(0)}), "u = 0 lies outside (0, oo)"),
        ("u >= 0", "u integer", Case({"u": F(1, 2)}), "integer"),
        ("u >= v", "u real, v real, u + v <= 1", Case({"u": F(1), "v": F(1)}), "u + v <= 1"),
        ("max(s) <= B", "s in R^n, abs(s[j]) <= B", Case({"n": F(1), "B": F(1)}, sequences={"s": (F(2),)}), "abs(s"),
        ("max(s) <= 1", "s in R^n", Case({"n": F(2)}, sequences={"s": (F(2),)}), "s has 1 entries"),
        ("s[2] <= 1", "s in R^n", Case({"n": F(1)}, sequences={"s": (F(0),)}), "no such entry"),
        ("s[i] <= 1", "s in R^n", Case({"n": F(1), "i": F(2)}, sequences={"s": (F(0),)}), "no such entry"),
        ("max(p) <= 1", "p in R^n, p[j] >= 0", Case({"n": F(2)}, sequences={"p": (F(1), F(-1))}), "p[j] >= 0"),
    ],
)
def test_the_hypothesis_that_a_case_breaks_is_named(text: str, given: str, case: Case, fails: str) -> None:
    assert fails in admissible(proposition(text, given), case)


def test_a_gradient_is_not_worked_out_to_be_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    prop = proposition("at(grad(softmax(s)[i], s), s, 0)[i] <= 1", "s in R^n")
    monkeypatch.setattr("theorems.statement.values.gradients.gradient", None)
    for i, told in ((2, ""), (3, "no such entry for a length of 2")):
        assert told in (found := admissible(prop, Case({"n": F(2), "i": F(i)}, sequences={"s": (F(0), F(0))})))
        assert bool(told) == bool(found)


def test_positions_are_held_to_their_order() -> None:
    prop = proposition("sum(s[k]**2, k, i, j) >= 0", "s in R^3, i < j, i != 2")
    zeros = (F(0),) * 3
    assert admissible(prop, Case({"i": F(1), "j": F(2)}, sequences={"s": zeros})) == ""
    assert "order" in admissible(prop, Case({"i": F(2), "j": F(1)}, sequences={"s": zeros}))
    assert "i != 2" in admissible(prop, Case({"i": F(2), "j": F(3)}, sequences={"s": zeros}))


def cases_of(prop: Proposition, count: int) -> list[Case]:
    generator = random.Random(prop.text)
    return [case for case in (drawn(prop, generator.choice) for _ in range(3 * count)) if case is not None][:count]


@pytest.mark.parametrize(("text", "given"), TRUE + SPOKEN_OF)
def test_every_fact_of_the_rules_holds_at_drawn_cases(text: str, given: str) -> None:
    """Each rule's inequality, near-misses of its hypotheses included, is evaluated exactly where it is used."""
    prop = proposition(text, given)
    _facts_hold(prop)


@pytest.mark.parametrize(("text", "given"), NEAR_MISSES)
def test_every_fact_holds_under_weaker_hypotheses_too(text: str, given: str) -> None:
    _facts_hold(proposition(text, given))


def _facts_hold(prop: Proposition) -> None:
    atoms = Atoms(prop.known, weights(prop))
    try:
        atoms.quotient(minus(prop.left, prop.right))
    except NoFormError:
        return
    whole = {size for size, _ in prop.known.sequences.values()}
    found = list(facts_of(atoms, prop.known, whole))
    for case in cases_of(prop, 6):
        point = case.with_number("d", case.numbers.get("d", F(1)))
        for fact in found:
            try:
                sign = compared(fact.node, number(0), point)
            except (UndefinedError, KeyError):
                continue
            allowed = {0, None} if fact.equal else {1, None} if fact.strict else {0, 1, None}
            assert sign in allowed, f"{fact} at {point}"


def test_a_planted_false_rule_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(atoms: Atoms, known: Hypotheses, label: str, node: Expr) -> Iterator[Fact]:
        yield Fact("planted: norm(A, 2) >= norm(A, fro)", minus(node, Expr("norm", (node.args[0], "fro"))))

    monkeypatch.setitem(facts._RULES, "norm", wrong)
    with pytest.raises(AssertionError, match="planted"):
        _facts_hold(proposition("norm(W, 2) >= norm(W, fro)"))
    # the prover itself would believe it: the rules are what is trusted
    assert proved(proposition("norm(W, 2) >= norm(W, fro)")) is not None


def test_a_bound_of_one_entry_is_no_bound_of_all() -> None:
    every = proposition("max(s) <= B", "s in R^n, abs(s[j]) <= B").known
    first = proposition("s[1] <= B", "s in R^n, abs(s[1]) <= B").known
    assert every.sequences["s"][1] is not None and first.sequences["s"][1] is None and first.relations
    with pytest.raises(StatementError, match="two bounds"):
        proposition("max(s) <= B", "s in R^n, abs(s[j]) <= B, abs(s[j]) <= 1")


def test_a_false_combination_is_not_certified() -> None:
    x = (("x", 1),)
    known = [Term({x: F(1)}, (0,))]
    far = Work(1e18)
    assert certificate({x: F(2)}, known, False, far) is not None
    assert certificate({x: F(-1)}, known, False, far) is None
    assert certificate({x: F(2)}, known, True, far) is None
    assert certificate({x: F(2)}, [Term({x: F(1)}, (0,), strict=True)], True, far) is not None


def test_facts_of_entries_are_made_where_entries_are_spoken_of_alone() -> None:
    prop = proposition("abs(a.T*b) <= norm(a)*norm(b)", "a in R^d, b in R^d")
    atoms = Atoms(prop.known)
    atoms.quotient(minus(prop.left, prop.right))
    assert not any(fact.node.has("entrynorm") for fact in facts_of(atoms, prop.known, set()))


@pytest.mark.parametrize("seed", range(20))
def test_a_sparse_matrix_is_that_of_scipy(seed: int) -> None:
    draw = random.Random(seed)
    shape = draw.randint(1, 9), draw.randint(1, 9)
    entries = [(r, c, draw.random()) for r in range(shape[0]) for c in range(shape[1]) if draw.random() < 0.4]
    draw.shuffle(entries)
    found, wanted = Columns(entries, shape), np.zeros(shape)
    for r, c, value in entries:
        wanted[r, c] = value
    theirs = sparse.csc_matrix(wanted)
    for part in ("data", "indices", "indptr", "nnz", "shape"):
        np.testing.assert_array_equal(getattr(found, part), getattr(theirs, part))


def test_a_long_fraction_is_shown_by_its_digits_and_a_short_one_exactly() -> None:
    power = proposition("(1 - 1/n)**n <= 1", "n integer, n >= 1").left
    assert shown(power, Case({"n": F(3)})) == "8/27"
    assert shown(power, Case({"n": F(250)})) == "0.367142453566242432990166800067"
