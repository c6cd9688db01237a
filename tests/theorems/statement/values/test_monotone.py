"""Properties of a function on an interval at an exact case, and expectations under finite exchangeable laws."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest

from theorems.statement.expression import StatementError
from theorems.statement.proposition import proposition
from theorems.statement.reading.conditions import truth
from theorems.statement.values.arithmetic import UndefinedError
from theorems.statement.values.cases import Case, admissible
from theorems.statement.values.values import scalar


def holds(text: str, u: str = "1") -> bool | None:
    """Whether a property of one parameter u holds."""
    prop = proposition(f"{text} if u = {u}", "u real")
    return truth(prop.left, Case({"u": Fraction(u)}))


@pytest.mark.parametrize(
    ("text", "u", "expected"),
    [
        ("increasing(t**2, t, 0, 1)", "1", True),
        ("increasing(t**2, t, -1, 1)", "1", False),
        ("increasing(t**3, t, -1, 1)", "1", True),
        ("increasing(u*t, t, 0, 1)", "0", False),
        ("decreasing(u*t, t, 0, 1)", "-1/7", True),
        ("increasing(u*t - t**2, t, 0, 1)", "2", True),
        ("increasing(u*t - t**2, t, 0, 1)", "1999/1000", False),
        ("peaks(u*t - t**2, t, 0, 1)", "1999/1000", True),
        ("peaks(u*t - t**2, t, 0, 1)", "2", False),
        ("peaks(t*(1 - t)*(t - 1/2)**2, t, 0, 1)", "1", False),
        ("increasing(t/(1 + t), t, 0, 1)", "1", True),
        ("decreasing(1/(1 + t)**2, t, 0, 1)", "1", True),
        ("positive(t**2 - t + u, t, 0, 1)", "1/4", False),
        ("positive(t**2 - t + u, t, 0, 1)", "26/100", True),
        ("positive(-1/(t - 2), t, 0, 1)", "1", True),
        ("increasing(exp(t), t, 0, 1)", "1", None),
    ],
)
def test_the_sign_changes_of_the_slope_decide(text: str, u: str, expected: bool | None) -> None:
    assert holds(text, u) is expected


def test_a_function_without_a_value_on_the_interval_has_no_property() -> None:
    with pytest.raises(UndefinedError, match="has no value somewhere"):
        holds("increasing(1/(t - 1/2), t, 0, 1)")
    with pytest.raises(UndefinedError, match="no interval"):
        holds("increasing(t, t, 1, u)", "1")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("increasing(t) iff u > 0", "expected increasing"),
        ("increasing(u, t, 0, 1) iff u > 0", "does not depend on t"),
        ("increasing(t*x[1].T*x[1], t, 0, 1) iff u > 0", "is random"),
        ("increasing(W*t, t, 0, 1) iff u > 0", "is a matrix"),
        ("increasing(t, W, 0, 1) iff u > 0", "W is no parameter"),
        ("increasing(t, t, 0, 1) = 1", "is a comparison"),
    ],
)
def test_what_is_no_property_is_named(text: str, said: str) -> None:
    with pytest.raises(StatementError, match=said) as caught:
        proposition(text, "u real")
    assert caught.value.caret


SETS = (((1, 2), (0, -1), (3, 1)), ((0, 0), (1, 1), (-2, 5)))
W = ((1, 2), (0, -1))


def law(**numbers: int) -> Case:
    """Two sets of three tokens in the plane, in random order."""
    exact = tuple(tuple(tuple(map(Fraction, one)) for one in tokens) for tokens in SETS)
    places = {"i": 1, "j": 2, "T": 3, "d": 2} | numbers
    rows = tuple(tuple(map(Fraction, row)) for row in W)
    return Case({name: Fraction(v) for name, v in places.items()}, {"W": rows}, ensemble=exact)


@pytest.mark.parametrize(
    ("text", "measure"),
    [
        ("E[x[i].T*W*x[j]]", lambda x, w: x[0] @ w @ x[1]),
        ("E[norm(x[i])**2]", lambda x, w: x[0] @ x[0]),
        ("E[norm(mean(x) - x[j])**2]", lambda x, w: np.sum((x.mean(0) - x[1]) ** 2)),
        ("E[sum(x[m].T*W*x[i], m, 1, T)]", lambda x, w: x.sum(0) @ w @ x[0]),
        ("E[sum(x[m].T*W*x[i], m, 2, T)]", lambda x, w: x[1:].sum(0) @ w @ x[0]),
        ("tr(E[x[i]*x[j].T]*W)", lambda x, w: x[1] @ w @ x[0]),
        ("E[sum(m*norm(x[m])**2, m, 1, T)]", lambda x, w: np.arange(1, 4) @ np.sum(x**2, 1)),
        ("E[sum(sum(m*x[m].T*x[k], m, 1, T), k, 1, T)]", lambda x, w: np.arange(1, 4) @ x @ x.sum(0)),
        ("E[largest(norm(x[m])**2, m, 2, T)]", lambda x, w: np.max(np.sum(x[1:] ** 2, 1))),
        ("E[norm(stack(m*norm(x[m])**2, m, 1, T))**2]", lambda x, w: np.arange(1, 4) ** 2 @ np.sum(x**2, 1) ** 2),
    ],
)
def test_expectations_are_means_over_every_order(text: str, measure: object) -> None:
    prop = proposition(f"{text} = 0", "i != j, i <= T, j <= T", law="exchangeable")
    orders = [np.array(order, dtype=float) for tokens in SETS for order in permutations(tokens)]
    mean = np.mean([measure(x, np.array(W, dtype=float)) for x in orders])  # type: ignore[operator]
    assert float(scalar(prop.left, law())) == pytest.approx(float(mean), rel=1e-12)
    assert isinstance(scalar(prop.left, law()), Fraction)


def test_an_expectation_inside_another_one_is_a_number() -> None:
    prop = proposition("E[norm(x[i])**2/E[norm(x[i])**2]] = 1", law="exchangeable")
    assert scalar(prop.left, law()) == 1


def test_derivatives_of_expectations() -> None:
    prop = proposition("diff(E[norm((1 - l)*x[i] + l*mean(x))**2], l, 1) = 0", law="exchangeable")
    assert scalar(prop.left, law()) == 0
    prop = proposition("diff(E[norm((1 - l)*x[i] + l*mean(x))**2], l, 0) = 0", law="exchangeable")
    spread = proposition("E[x[i].T*x[i]] - E[norm(mean(x))**2] = 0", law="exchangeable")
    assert scalar(prop.left, law()) == -2 * scalar(spread.left, law())


def test_hypotheses_about_an_exchangeable_law_hold_or_fail_at_a_case() -> None:
    assert not admissible(proposition("E[norm(x[i])**2] > 0", "E[norm(x[i])**2] > 1", law="exchangeable"), law())
    known = "positive(E[norm(x[i])**2] - 100*l, l, 0, 1)"
    assert "positive" in admissible(proposition("E[norm(x[i])**2] > 0", known, law="exchangeable"), law())
    with pytest.raises(StatementError, match="about random quantities"):
        proposition("E[norm(x[i])**2] > 0", "Var[norm(x[i])**2] > 1")


def test_an_exchangeable_law_takes_nothing() -> None:
    with pytest.raises(StatementError, match=r"exchangeable\(A\) is no law; expected exchangeable"):
        proposition("E[norm(x[i])**2] > 0", law="exchangeable(A)")


def test_a_token_that_is_not_there_makes_no_value() -> None:
    prop = proposition("E[norm(x[i])**2] = 0", law="exchangeable")
    with pytest.raises(IndexError, match="no token 4 of 3"):
        scalar(prop.left, law(i=4))
