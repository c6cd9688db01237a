"""Limits along every sequence of vectors: leading exponentials against values far out, bounds, and verdicts."""

from __future__ import annotations

from fractions import Fraction
from math import inf

import pytest
import sympy as sp

from proofs_check.api import check
from theorems.statement import StatementError, proposition
from theorems.statement.deciding.decide import Derivation
from theorems.statement.deciding.sequences import Path, along, bounded, decided, limit_along, paths, vanishing

TWO = "u in R^d, v in R^d, Sigma = I"
POSITIVE = "E[(exp(-(norm(u)**2 + norm(v)**2)/2)*sum(exp(x[k].T*(u + v)), k, 1, T)/T - exp(u.T*v))**2]"
TRIGONOMETRIC = "E[(exp((norm(u)**2 + norm(v)**2)/2)*sum(cos(x[k].T*(u - v)), k, 1, T)/T - exp(u.T*v))**2]"
#: u = t, v = -4 t; and u = t (1, 0), v = (-1, 1).
AWAY, ASIDE = Path({"u": (1, (1, 0)), "v": (1, (-4, 0))}), Path({"u": (1, (1, 0)), "v": (0, (-1, 1))})


def stated(left: str, limit: str = "u.T*v -> -oo", hypotheses: str = TWO) -> Derivation:
    return Derivation(proposition(f"{left} -> 0", hypotheses, law="iid", limit=limit))


@pytest.mark.parametrize("path", [AWAY, ASIDE], ids=str)
@pytest.mark.parametrize(
    "left",
    [
        POSITIVE,
        TRIGONOMETRIC,
        f"1/{TRIGONOMETRIC}",
        f"{POSITIVE}/{TRIGONOMETRIC}",
        "E[exp(x[1].T*(u + v))]*exp(-norm(u)**2/2 - norm(v)**2/2 - u.T*v)",
    ],
)
def test_leading_exponentials_say_where_values_far_out_go(left: str, path: Path) -> None:
    derivation = stated(left)
    order = derivation.orders[-1]
    found = limit_along(derivation.value(order, derivation.prop.left), path)
    case = {"d": path.dimension, "T": 2, **path.at(Fraction(40))}
    value = sp.N(derivation.at(derivation.prop.left, case), 30)
    assert found is not None
    if found in (0.0, inf):
        assert value < sp.Float("1e-9") if not found else value > sp.Float("1e9")
    else:
        assert float(value) == pytest.approx(found, rel=1e-6)


def test_what_tends_goes_along_a_path_where_the_statement_says() -> None:
    prop = stated(POSITIVE).prop
    (goes,) = prop.limit.together
    assert along(prop, goes.source, AWAY) == along(prop, goes.source, ASIDE) == -inf
    assert along(prop, goes.source, Path({"u": (1, (1, 0)), "v": (1, (0, 1))})) is None
    assert {path.dimension for path in paths(prop)} == {1, 2}
    assert not list(paths(stated("E[cos(x[1].T*u)]", hypotheses=f"{TWO}, d = 1").prop))


@pytest.mark.parametrize(
    ("left", "holds"),
    [
        pytest.param(f"1/{TRIGONOMETRIC}", True, marks=pytest.mark.slow),
        ("E[cos(x[1].T*(u - v))]", True),
        ("-E[cos(x[1].T*(u - v))]", True),
        pytest.param(POSITIVE, False, marks=pytest.mark.slow),
        ("E[exp(x[1].T*(u + v))]", False),
        pytest.param("E[cos(x[1].T*(u + v))]", False, marks=pytest.mark.slow),
        ("1/E[exp(x[1].T*(u - v))]", True),
        pytest.param(TRIGONOMETRIC, False, marks=pytest.mark.slow),
    ],
)
def test_a_bound_is_found_of_what_tends_to_0_alone(left: str, holds: bool) -> None:
    derivation = stated(left)
    order = derivation.orders[-1]
    assert bool(bounded(derivation.prop, derivation, derivation.prop.left, order)) == holds


def test_a_sum_of_exponentials_vanishes_where_all_of_them_do() -> None:
    derivation = stated(POSITIVE)
    found = vanishing(derivation.value(derivation.orders[-1], derivation.prop.left))
    assert set(found.split(", ")) == {"2*u.T*v", "u.T*u + 4*u.T*v + v.T*v"}
    assert vanishing(1 / derivation.value(derivation.orders[-1], derivation.prop.left)) == ""


@pytest.mark.slow
def test_a_value_that_rises_before_it_falls_is_sampled_where_it_has_fallen() -> None:
    # along v = -2 u its sample is too dear before it is half of what it was; along v = -5/4 u it is not
    narrower = "norm(u)**2 + norm(v)**2 + 4*u.T*v -> -oo"
    found = check(f"{POSITIVE} -> 0", hypotheses=TWO, law="iid", limit=narrower, effort="quick")
    assert found.verdict == "verified", found.reason
    *_, rising, falling = (case["estimate"] for case in found.report["cases"])
    assert falling < rising / 100


def test_what_tends_is_a_number_made_of_vectors_or_a_name() -> None:
    for limit in ("u -> 0", "2 -> oo", "x[1].T*u -> oo"):
        with pytest.raises(StatementError):
            stated("E[cos(x[1].T*u)]", limit, "u in R^d, Sigma = I")


@pytest.mark.parametrize(
    ("hypotheses", "status"),
    # along the paths on which it does not tend to 0 u stays as it is, and v grows; where v cannot, u does
    [("", "open"), (", norm(u) = 1", "open"), (", norm(v) = 1", "proved"), (", norm(v) <= 1", "proved")],
)
def test_a_path_satisfies_the_hypotheses(hypotheses: str, status: str) -> None:
    prop = stated("E[cos(x[1].T*u)]", hypotheses=TWO + hypotheses).prop
    decision, ways = decided(prop, Derivation(prop))
    assert decision.status == status
    assert status == "proved" or all(isinstance(path, Path) and path.vectors["u"][0] == 0 for path in ways)
