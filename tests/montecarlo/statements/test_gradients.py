"""Gradients by automatic differentiation, parts of matrices and values at a point, as the simulations read them."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

from montecarlo.statements import StatementSimulationError
from montecarlo.statements.environment import environment_of
from montecarlo.statements.values import value

A = [[1, 2, 3], [0, 1, -1]]
B = [[1, 2, 1], [3, 1, -1]]
SIZES = {"A": ("m", "d"), "B": ("m", "d")}
MATRIX_A, MATRIX_B = ["matrix", "A"], ["matrix", "B"]
PRODUCT = ["tr", ["*", ["T", MATRIX_A], MATRIX_B, ["T", MATRIX_B], MATRIX_A]]
ONE, TOP = ["number", "1"], ["name", "n"]


def at(node: list[Any], **further: Any) -> Any:
    env = environment_of({"m": 2, "d": 3, "A": A, "B": B, "n": 3, "s": [1, -2, 3], **further}, sizes=SIZES)
    return value(node, env)


def entry(of: Any, index: Any) -> list[Any]:
    return ["entry", of, index]


def same(found: Any, expected: Any) -> bool:
    found = torch.as_tensor(found, dtype=torch.float64)
    return torch.allclose(found, torch.as_tensor(expected, dtype=torch.float64), atol=1e-12)


def test_the_gradient_by_a_rectangle() -> None:
    a, b = (torch.tensor(rows, dtype=torch.float64) for rows in (A, B))
    assert same(at(["grad", PRODUCT, MATRIX_A]), 2 * b @ b.T @ a)
    assert same(at(["grad", PRODUCT, MATRIX_B]), 2 * a @ a.T @ b)
    # what does not depend on a variable has the gradient 0
    assert same(at(["grad", ["tr", ["*", ["T", MATRIX_B], MATRIX_B]], MATRIX_A]), torch.zeros(2, 3))


def test_a_squared_norm_has_a_gradient_at_0() -> None:
    zero = at(["grad", ["**", ["norm", MATRIX_A, "fro"], ["number", "2"]], MATRIX_A], A=[[0, 0, 0], [0, 0, 0]])
    assert same(zero, torch.zeros(2, 3))


def test_the_gradient_of_a_softmax_at_the_origin_for_every_entry_at_once() -> None:
    slope = ["at", ["grad", entry(["softmax", ["family", "s"]], ["name", "i"]), ["family", "s"]], ["family", "s"]]
    whole = ["columns", [*slope, ["number", "0"]], "i", ONE, TOP]
    expected = torch.eye(3, dtype=torch.float64) / 3 - 1 / 9
    assert same(at(whole), expected)
    assert same(at([*slope, ["number", "0"]], i=2), expected[:, 1])
    own = ["sum", entry([*slope, ["number", "0"]], ["name", "i"]), "i", ONE, TOP]
    assert same(at(own), 3 * (1 / 3 - 1 / 9))


def test_away_from_the_origin_the_sequence_itself_counts() -> None:
    slope = ["grad", entry(["softmax", ["family", "s"]], ONE), ["family", "s"]]
    p = torch.softmax(torch.tensor([1.0, -2.0, 3.0], dtype=torch.float64), 0)
    assert same(at(slope), p[0] * (torch.tensor([1.0, 0.0, 0.0]) - p))


def test_every_place_of_a_sum_has_a_gradient_of_its_own() -> None:
    """sum_i (d/ds s_i^2 at s)_i = sum_i 2 s_i, and not a gradient of the whole sum in every term."""
    square = ["**", entry("s", ["name", "i"]), ["number", "2"]]
    total = ["sum", entry(["grad", square, ["family", "s"]], ["name", "i"]), "i", ONE, TOP]
    assert same(at(total), 2 * (1 - 2 + 3))
    assert same(at(["sum", ["norm", ["grad", square, ["family", "s"]], ""], "i", ONE, TOP]), 2 * (1 + 2 + 3))


def test_every_walk_has_a_gradient_of_its_own() -> None:
    tokens = torch.arange(6.0).double().reshape(3, 1, 2)
    env = environment_of({"d": 2, "W": [[1, 0], [0, 2]]}).with_tokens(tokens)
    token = ["token", ONE]
    form = ["*", ["T", token], ["matrix", "W"], token]
    found = value(["tr", ["grad", form, ["matrix", "W"]]], env)
    # the gradient is x x^T, its trace |x|^2
    assert same(found, [1, 13, 41])
    with torch.inference_mode():
        assert same(value(["tr", ["grad", form, ["matrix", "W"]]], env.with_tokens(tokens + 0)), [1, 13, 41])


def test_parts_of_a_matrix() -> None:
    assert same(at(["column", MATRIX_A, ["number", "3"]]), [3, -1])
    assert same(at(["element", MATRIX_A, ONE, ["number", "2"]]), 2)
    trace = ["sum", ["element", MATRIX_A, ["name", "i"], ["name", "i"]], "i", ONE, ["number", "2"]]
    assert same(at(trace), 2)
    again = ["columns", ["column", MATRIX_A, ["name", "i"]], "i", ONE, ["name", "d"]]
    assert same(at(again), A)
    with pytest.raises(StatementSimulationError, match="a place from 1 to 3"):
        at(["column", MATRIX_A, ["number", "4"]])


def test_indicators() -> None:
    held = ["stack", ["indicator", ["relation", ">=", entry("s", ["name", "i"]), ["number", "1"]]], "i", ONE, TOP]
    assert same(at(held), [1, 0, 1])


def test_sizes_are_held_to() -> None:
    with pytest.raises(StatementSimulationError, match=r"A is \(2, 3\); expected 2 x 2"):
        environment_of({"m": 2, "d": 2, "A": A}, sizes={"A": ("m", "d")})
    with pytest.raises(StatementSimulationError, match="the case has no whole number m"):
        environment_of({"d": 3, "A": A}, sizes={"A": ("m", "d")})
    with pytest.raises(StatementSimulationError, match="expected 2 x 2, as d = 2"):
        environment_of({"d": 2, "W": A})


def test_a_gradient_is_that_of_a_number() -> None:
    with pytest.raises(StatementSimulationError, match="the gradient of a matrix"):
        at(["grad", MATRIX_A, MATRIX_A])
    with pytest.raises(StatementSimulationError, match="expected 0 or a value of the size of s"):
        at(["at", ["norm", ["family", "s"], ""], ["family", "s"], ONE])


def test_the_tensors_of_a_case_stay_as_they_are() -> None:
    env = environment_of({"m": 2, "d": 3, "A": A, "B": B}, sizes=SIZES)
    before: Tensor = env.matrices["A"].clone()
    value(["grad", PRODUCT, MATRIX_A], env)
    assert torch.equal(env.matrices["A"], before)
    assert not env.matrices["A"].requires_grad
