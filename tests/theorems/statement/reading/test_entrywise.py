"""Statements between vectors and matrices: any of their entries is decided, and the entry that differs is named."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from montecarlo.statements.entries import picked
from montecarlo.statements.nodes import frozen
from montecarlo.statements.simulation import StatementSimulation
from proofs_check.cases.of_statements import readable_case, unit
from proofs_check.checks.streams import Streams
from proofs_check.statements.judging import both_sides, judged
from proofs_check.statements.measuring import planned
from proofs_check.statements.request import Request
from theorems.statement import proposition
from theorems.statement.deciding.decide import Derivation, decide
from theorems.statement.moments.repairing import whole_text
from theorems.statement.prose import in_words
from theorems.statement.typeset import typeset

CUBIC = "E[(x[i].T*W*x[i])*x[i]*x[i].T]"


def test_a_mean_that_is_not_zero_stands_beside_the_covariance() -> None:
    law = "walk(start=m)"
    right = "(i - 1)*Sigma + m*m.T"
    for text, status in ((f"E[x[i]*x[i].T] = {right}", "proved"), ("E[x[i]]*E[x[j]].T = m*m.T", "proved")):
        prop = proposition(text, law=law)
        assert decide(prop, Derivation(prop)).status == status
    prop = proposition("E[x[i]*x[i].T] = (i - 1)*Sigma", law=law)
    derivation = Derivation(prop)
    assert {whole_text(derivation.value(order, prop.left)) for order in derivation.orders} == {right}


def test_the_reader_sees_the_matrices_and_no_unit_vectors() -> None:
    prop = proposition("E[x[i]*x[j].T] = i*Sigma", "i <= j")
    assert typeset(prop) == "𝔼[xᵢ xⱼᵀ] = i Σ"
    assert "E[x[i]*x[j].T] = i*Sigma, entry by entry" in in_words(prop)
    assert "_left" not in in_words(prop)


def test_the_entry_where_the_sides_differ_is_named() -> None:
    request = Request(f"{CUBIC} = i**2*(tr(W*Sigma)*Sigma + 2*Sigma*W*Sigma)")
    first, second = judged(request.read(), request, request.id, effort="quick", seed=0)
    assert (first["verdict"], second["verdict"]) == ("refuted", "verified")
    assert first["counterexample"] is not None
    params: dict[str, Any] = dict(first["counterexample"]["params"])
    row, column = params["entry"]
    sigma, w = (np.array(params[name], dtype=float) for name in ("Sigma", "W"))
    scale = params["i"] ** 2
    trace = np.trace(w @ sigma) * sigma
    true = scale * (trace + sigma @ w @ sigma + sigma @ w.T @ sigma)[row - 1, column - 1]
    printed = scale * (trace + 2 * sigma @ w @ sigma)[row - 1, column - 1]
    assert (float(Fraction(first["counterexample"]["true"])), float(Fraction(first["counterexample"]["printed"]))) == (
        true,
        printed,
    )
    assert true != printed


def test_a_limit_between_matrices() -> None:
    for right, verdict in (("Sigma", "verified"), ("2*Sigma", "refuted")):
        prop = proposition(f"E[x[T]*x[T].T]/T -> {right}", limit="T -> oo")
        assert both_sides(prop, "check.limit", "quick", 0, "cpu", 1).verdict[0] == verdict


CASE = {
    "i": 2, "j": 3, "d": 2, "m": "1", "A": [["1", "-2"]],
    "Sigma": [["2", "1"], ["1", "3"]], "W": [["1", "2"], ["0", "1"]],
}  # fmt: skip


@pytest.mark.parametrize(
    ("text", "places", "mean"),
    [
        # by hand: E x_2 x_3^T = 2 Sigma, A Sigma = (0, -5), W Sigma = ((4, 7), (1, 3))
        ("E[x[i]*x[j].T] = 0", (1, 2), 2.0),
        ("E[W*x[i]*x[j].T] = 0", (2, 1), 2.0),
        ("E[W*x[i]*x[j].T].T = 0", (2, 1), 14.0),
        ("W*E[x[i]*x[j].T]/2 = 0", (1, 1), 4.0),
        ("E[A*x[i]*x[j].T] = 0", (1, 2), -10.0),
        ("Cov[A*x[i], x[j]] = 0", (1, 2), -10.0),
        ("Cov[x[j], A*x[i]] = 0", (2, 1), -10.0),
        ("E[x[i].T*W*x[j]*A] = 0", (1, 2), -28.0),
    ],
)
def test_the_simulation_takes_entries_in_its_own_way(text: str, places: tuple[int, int], mean: float) -> None:
    prop = proposition(text, "A in R^(m x d)" if "A" in text else "")
    kind = {"A*x[i]*": (1, 2), "Cov[A": (1, 2), "Cov[x": (2, 1), "*A]": (1, 2)}
    rows, columns = next((size for part, size in kind.items() if part in text), (2, 2))
    units = {"_left": unit(places[0], rows), "_right": unit(places[1], columns)}
    case = {name: value for name, value in CASE.items() if name != "A" or "A" in text} | units
    simulation = StatementSimulation(prop.plain(), case)
    sample = simulation.draw(1 << 16, 0, "test", "entries", threads=1)
    (estimate,) = sample.estimates.values()
    found = float(estimate.block_means.mean())
    weight = simulation.interval("left", {next(iter(sample.estimates)): (1.0, 1.0)})[0]
    assert weight * found == pytest.approx(mean, abs=8 * (estimate.pair_mean / (1 << 16)) ** 0.5 + 1e-9)


def test_a_planted_fault_in_the_entry_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The simulation transposes its entry: the sides disagree, and no verdict comes of it."""
    turned = lambda node: picked(("T", node)) if node[0] == "E" else picked(node)  # noqa: E731
    monkeypatch.setattr("montecarlo.statements.simulation.picked", turned)
    found = both_sides(proposition("E[W*x[i]*x[i].T] = i*W*Sigma"), "check.planted", "quick", 0, "cpu", 1)
    assert found.verdict[0] == "conflict"


def test_a_number_is_its_own_entry() -> None:
    node = frozen(["tr", ["E", ["*", ["token", ["name", "i"]], ["T", ["token", ["name", "i"]]]]]])
    assert picked(node) == node
    assert readable_case({"d": 1}) == {"d": 1}
    assert readable_case({"_left": ["0", "1"], "_right": ["1", "0"]}) == {"entry": [2, 1]}


def test_a_wrong_right_side_is_simulated_as_it_is() -> None:
    """A changed right side is what is sampled, not the one that was stated."""
    from dataclasses import replace

    from theorems.statement.expression import Expr, number

    prop = proposition("E[x[i]*x[i].T] = i*Sigma")
    wrong = replace(prop, right=Expr("*", (number(2), prop.right)))
    case = {"i": 1, "d": 1, "Sigma": [["1"]], "_left": ["1"], "_right": ["1"]}
    options: dict[str, Any] = {"claim_id": "x", "seed": 0, "delta": 1e-9, "effort": "quick", "threads": 1}
    assert planned(prop, case, **options)(Streams()).agrees("=")
    assert planned(wrong, case, **options)(Streams()).contradicts("=")
