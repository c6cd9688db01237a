"""A case's exact numbers become tensors; what can't is told in one line that names the key and its value."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from montecarlo import cases
from montecarlo.cases import CaseError

CPU = torch.device("cpu")
CASE: dict[str, Any] = {"d": 2, "T": 4, "i": 1, "j": 3, "W": [["1", "-1/2"], ["1/3", "3"]], "lam": "3/2"}
CASE |= {"Sigma": [["1", "0"], ["0", "1/4"]], "m": ["1", "0"], "a": ["0.25", "2"]}


def test_values_by_name() -> None:
    found = cases.arguments(CASE, ("W", "a", "i", "T", "d", "lam"), CPU)
    assert found["W"].tolist() == [[1.0, -0.5], [1 / 3, 3.0]] and found["W"].dtype == torch.float64
    assert found["a"].tolist() == [0.25, 2.0]
    assert (found["i"], found["T"], found["d"], found["lam"]) == (1, 4, 2, 1.5)


def test_names_of_a_claim_s_own_go_by_their_values() -> None:
    case = {"d": 2, "k": 3, "a": "1/2", "u": ["1", "-1/2"], "A": [["1", "2"], ["3", "4"], ["0", "1/4"]], "p": "3"}
    found = cases.arguments(case, ("k", "a", "u", "A", "p"), CPU)
    assert (found["k"], found["a"], found["p"]) == (3, 0.5, 3.0)
    assert type(found["k"]) is int and type(found["p"]) is float
    assert found["u"].tolist() == [1.0, -0.5]
    assert found["A"].tolist() == [[1.0, 2.0], [3.0, 4.0], [0.0, 0.25]]
    with pytest.raises(CaseError, match="rows of one length"):
        cases.arguments({"A": [["1"], ["1", "2"]]}, ("A",), CPU)
    with pytest.raises(CaseError, match="case lacks 'trace'"):
        cases.arguments(case, ("trace",), CPU)


def test_length_and_dimension_follow_from_what_is_there() -> None:
    assert cases.length({"i": 2, "j": 7}) == 7
    assert cases.length({"T": 9, "i": 2}) == 9
    assert cases.dimension({"Sigma": [["1"]]}) == 1


@pytest.mark.parametrize(
    ("change", "names", "message"),
    [
        ({"W": [["1", "0"]]}, ["W"], r"case\['W'\] has 1 rows; expected 2"),
        ({"W": [["1"], ["0"]]}, ["W"], r"case\['W'\] = .*; expected 2 x 2 nested lists"),
        ({"W": "x"}, ["W"], r"case\['W'\] = 'x'; expected 2 x 2"),
        ({"W": [["1", "x"], ["0", "1"]]}, ["W"], r"case\['W'\] holds 'x'; expected a rational"),
        ({"lam": "1/0"}, ["lam"], r"case\['lam'\] holds '1/0'; expected a rational"),
        ({"m": ["1"]}, ["m"], r"case\['m'\] = \['1'\]; expected a list of 2 numbers"),
        ({"i": 5}, ["i"], r"case\['i'\] = 5; expected at most T = 4"),
        ({"i": 0}, ["i"], r"case\['i'\] = 0; expected an integer >= 1"),
        ({"T": "4"}, ["T"], r"case\['T'\] = '4'; expected an integer >= 1"),
        ({"Sigma": [["1", "0"], ["1", "1"]]}, ["Sigma"], r"case\['Sigma'\] = .* is not symmetric"),
        (
            {"Sigma": [["1", "0"], ["0", "-1"]]},
            ["Sigma"],
            r"case\['Sigma'\] has the eigenvalue -1; expected none below",
        ),
        ({}, ["b"], r"case lacks 'b', which the simulation needs; it has d, T"),
    ],
)
def test_bad_cases(change: dict[str, Any], names: list[str], message: str) -> None:
    with pytest.raises(CaseError, match=message):
        cases.arguments(CASE | change, names, CPU)


def test_a_case_without_length_dimension_or_covariance() -> None:
    for function, message in ((cases.length, "none of T, i, j"), (cases.dimension, "no d and no matrix")):
        with pytest.raises(CaseError, match=message):
            function({})
    with pytest.raises(CaseError, match="no Sigma"):
        cases.covariance_matrix({"d": 1}, CPU)


def test_a_singular_covariance_is_one() -> None:
    assert cases.covariance_matrix({"Sigma": [["1", "1"], ["1", "1"]]}, CPU).tolist() == [[1.0, 1.0], [1.0, 1.0]]
