"""The kurtosis of functions of few Gaussian forms, against known ones and those of waves; what is refused."""

from __future__ import annotations

import math
from typing import Any

import pytest

from montecarlo.statements.simulation import StatementSimulation
from tests.montecarlo.statements.plain import Plain, name, num, x


def form(position: int | Plain, vector: str = "u") -> Plain:
    """x[position]^T u."""
    place = x(position) if isinstance(position, int) else ["token", position]
    return ["*", ["T", place], ["vector", vector]]


def tails(argument: Plain, moment: str = "E", law: str = "iid", **case: Any) -> float:
    plain = {"law": [law], "left": [moment, argument], "right": num(0)}
    given = {"d": 2, "T": 3, "Sigma": [["4", "0"], ["0", "1"]], "u": ["1/4", "1"], "v": ["1", "-1"], **case}
    simulation = StatementSimulation(plain, given)
    (statistic,) = simulation.statistics
    kurtosis = simulation.tails(statistic).kurtosis
    assert kurtosis is not None
    return kurtosis


#: The moments of |z| and of max(z, 0) for a standard normal z, up to the fourth.
HALF = math.sqrt(2 / math.pi)
MOMENTS = {"abs": (HALF, 1.0, 2 * HALF, 3.0), "relu": (HALF / 2, 0.5, HALF, 1.5)}


def kurtosis(m1: float, m2: float, m3: float, m4: float) -> float:
    return (m4 - 4 * m1 * m3 + 6 * m1**2 * m2 - 3 * m1**4) / (m2 - m1**2) ** 2


@pytest.mark.parametrize("law", ["iid", "walk", "ar1"])
def test_of_one_form_of_any_variance(law: str) -> None:
    law_of = {"ar1": ["ar1", ["number", "1/2"]]}.get(law, [law])
    plain = {"law": law_of, "left": ["E", ["abs", form(2)]], "right": num(0)}
    case = {"d": 2, "T": 3, "Sigma": [["4", "0"], ["0", "1"]], "u": ["1/4", "1"]}
    simulation = StatementSimulation(plain, case)
    (statistic,) = simulation.statistics
    assert simulation.tails(statistic).kurtosis == pytest.approx(kurtosis(*MOMENTS["abs"]), rel=2e-3)


def test_a_sum_over_independent_tokens_has_the_cumulants_of_its_terms() -> None:
    relu = ["max", form(name("j")), num(0)]
    found = tails(["sum", relu, "j", num(1), num(3)])
    assert found - 3 == pytest.approx((kurtosis(*MOMENTS["relu"]) - 3) / 3, rel=1e-2)


def test_of_two_forms_and_of_differences_of_walks() -> None:
    # max(f, 0) = f for f > 0; and (f - f')^2 of f = |x.u| from the moments of |z|
    by_hand = tails(["+", ["exp", form(1)], ["cos", form(2)]])
    again = tails(["+", ["max", ["exp", form(1)], num(0)], ["cos", form(2)]])
    assert again == pytest.approx(by_hand, rel=2e-3)
    half = [2 ** (k / 2) * math.gamma((k + 1) / 2) / math.sqrt(math.pi) for k in range(9)]
    even = [sum(math.comb(n, k) * (-1) ** k * half[k] * half[n - k] for k in range(n + 1)) for n in (2, 4, 6, 8)]
    assert tails(["abs", form(1)], "Var") == pytest.approx(kurtosis(*even), rel=2e-3)


def test_what_is_no_function_of_few_forms_has_no_interval() -> None:
    assert math.isinf(tails(["abs", ["*", ["T", x(1)], x(2)]]))
    # three forms that are correlated with one another
    three = ["max", form(1), ["max", form(1, "v"), form(2)]]
    assert math.isinf(tails(["+", three, ["max", form(2, "v"), num(0)]]))


def test_of_numbers_with_a_step() -> None:
    """exp(A) [A > 0] with A ~ N(0, 1/4): E of its k-th power is exp(k^2/8) Phi(k/2)."""
    plain = {"law": ["iid"], "left": ["E", ["*", ["exp", form(1)], ["indicator", ["relation", ">", form(1), num(0)]]]]}
    simulation = StatementSimulation({**plain, "right": num(0)}, {"d": 1, "T": 1, "Sigma": [["1/4"]], "u": ["1"]})
    (statistic,) = simulation.statistics
    own = [math.exp(k**2 / 8) * (1 + math.erf(k / 2 / math.sqrt(2))) / 2 for k in (1, 2, 3, 4)]
    # a check of it imports no torch
    assert simulation.native
    assert simulation.tails(statistic).kurtosis == pytest.approx(kurtosis(*own), rel=2e-3)


def test_what_grows_too_fast_for_the_grid_has_no_interval() -> None:
    ramp = ["max", ["+", form(1), num(-9)], num(0)]
    steep = ["*", ramp, ["exp", ["*", num(20), form(1)]]]
    assert math.isinf(tails(steep, u=["1/2", "0"]))
    assert math.isfinite(tails(["*", ["max", form(1), num(0)], ["exp", form(1)]]))


def test_bounded_numbers_keep_their_bounds() -> None:
    plain = {"law": ["iid"], "left": ["P", ["relation", ">", form(1), num(4)]], "right": num(0)}
    simulation = StatementSimulation(plain, {"d": 1, "T": 1, "Sigma": [["1"]], "u": ["1"]})
    (statistic,) = simulation.statistics
    assert simulation.tails(statistic).width == 1.0 and simulation.tails(statistic).kurtosis is None
