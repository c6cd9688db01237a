"""The raw numbers' means, exactly: over all pairs and triples of a law with few equally likely values."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import pytest
import torch
from torch import Tensor

from montecarlo.empirical_checks import Tails
from montecarlo.statements import StatementSimulationError, statistics
from montecarlo.statements.combine import combine
from montecarlo.statements.environment import Environment, environment_of
from montecarlo.statements.statistics import statistics_of
from tests.montecarlo.statements.plain import (
    CASE,
    Plain,
    form,
    mat,
    minus,
    name,
    num,
    over,
    plus,
    power,
    relation,
    times,
    total,
    x,
)

#: Equally likely values of x, d = 1, and of y = x^2 - x: neither is symmetric.
ATOMS = (-1, 0, 0, 1, 3)
X: Plain = ["entry", x(1), num(1)]
Y: Plain = minus(power(X, 2), X)
SQUARES = {"x": [Fraction(a) for a in ATOMS], "y": [Fraction(a * a - a) for a in ATOMS]}


def groups(size: int) -> Environment:
    """Every tuple of so many atoms as neighbouring walks: the mean over all is the expectation over the law."""
    rows = [value for group in itertools.product(ATOMS, repeat=size) for value in group]
    tokens = torch.tensor(rows, dtype=torch.float64).reshape(-1, 1, 1)
    return environment_of({"d": 1}).with_tokens(tokens)


def central(values: list[Fraction], order: int) -> Fraction:
    mean = sum(values, Fraction(0)) / len(values)
    return sum(((value - mean) ** order for value in values), Fraction(0)) / len(values)


def mixed() -> Fraction:
    one, two = SQUARES["x"], SQUARES["y"]
    means = [sum(values, Fraction(0)) / len(values) for values in (one, two)]
    return sum(((a - means[0]) * (b - means[1]) for a, b in zip(one, two, strict=True)), Fraction(0)) / len(one)


def exact_means(node: Plain, size: int) -> dict[str, float]:
    env = groups(size)
    return {one.name: float(one.function(env).double().mean()) for one in statistics_of(node).values()}


MOMENTS: dict[str, tuple[Plain, float]] = {
    "E": (["E", Y], float(sum(SQUARES["y"], Fraction(0)) / len(ATOMS))),
    "P": (["P", relation(">", X, num(0))], 0.4),
    "Var": (["Var", Y], float(central(SQUARES["y"], 2))),
    "Cov": (["Cov", X, Y], float(mixed())),
    "Corr": (["Corr", X, Y], float(mixed()) / math.sqrt(central(SQUARES["x"], 2) * central(SQUARES["y"], 2))),
    "Skew": (["Skew", Y], float(central(SQUARES["y"], 3)) / float(central(SQUARES["y"], 2)) ** 1.5),
    "Kurt": (["Kurt", Y], float(central(SQUARES["y"], 4) / central(SQUARES["y"], 2) ** 2 - 3)),
}


def enclosed(node: Plain) -> tuple[float, float]:
    """A moment from the exact means of its raw numbers; groups of 6 walks are whole pairs and whole triples."""
    means = exact_means(node, 6)
    return combine(node, environment_of({"d": 1}), {name: (mean, mean) for name, mean in means.items()})


@pytest.mark.parametrize("which", MOMENTS)
def test_a_moment_is_that_of_the_discrete_law(which: str) -> None:
    node, expected = MOMENTS[which]
    low, high = enclosed(node)
    assert low - 1e-11 <= expected <= high + 1e-11
    assert high - low < 1e-10


def test_the_raw_means_are_those_of_the_docstring() -> None:
    means = exact_means(plus(["Kurt", X], ["Skew", X]), 6)
    second, skewed, tails = (central(SQUARES["x"], k) for k in (2, 3, 4))
    found = [means[key] for key in means if key.startswith(("Var", "third", "fourth"))]
    expected = {"Var": second, "third": skewed * 3 / 4, "fourth": (tails + 3 * second**2) / 2}
    assert len(found) == 3
    for key, mean in means.items():
        assert mean == pytest.approx(float(expected[key.split("[")[0]]), rel=1e-12)


def _with_itself(f: Tensor) -> Tensor:
    return (f - f) ** 2 / 2


def _overlapping(f: Tensor) -> Tensor:
    """Both walks in the place of the second and third: (f1 - f2)^3 has the mean 0."""
    triples = f[: len(f) // 3 * 3].reshape(-1, 3)
    return (triples[:, 0] - triples[:, 1]) ** 3


@pytest.mark.parametrize(
    ("fold", "fault", "which"), [("variance", _with_itself, "Var"), ("third", _overlapping, "Skew")]
)
def test_a_wrong_pairing_is_seen(fold: str, fault: object, which: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statistics, fold, fault)
    node, expected = MOMENTS[which]
    low, high = enclosed(node)
    assert not low - 1e-6 <= expected <= high + 1e-6


def test_moments_share_their_raw_numbers() -> None:
    node = plus(["Kurt", X], ["Skew", X], ["Var", X], ["Corr", X, Y], ["Var", X])
    kinds = sorted(name.split("[")[0] for name in statistics_of(node))
    assert kinds == ["Cov", "Var", "Var", "fourth", "third"]


DEGREES: dict[str, tuple[Plain, int | None]] = {
    "form": (form("i", "j"), 2),
    "square of a form": (power(form("i", "j"), 2), 4),
    "product": (times(form("i", "j"), power(form("i", "i"), 2), name("lam")), 6),
    "sum": (plus(form("i", "j"), power(form("i", "i"), 3)), 6),
    "squared norm": (power(["norm", minus(x("T"), x("i")), ""], 2), 2),
    "fourth power of a norm": (power(["norm", x("i"), ""], 4), 4),
    "norm": (["norm", x("i"), ""], None),
    "cubed norm": (power(["norm", x("i"), ""], 3), None),
    "spectral norm squared": (power(["norm", times(x("i"), ["T", x("j")]), "2"], 2), None),
    "over T": (over(form("i", "j"), name("T")), 2),
    "over a form": (over(form("i", "j"), form("i", "i")), None),
    "sum over tokens": (power(total(form("k", "T"), "k"), 2), 4),
    "mean": (times(["T", ["mean"]], mat("W"), ["mean"]), 2),
    "outer": (["tr", times(x("i"), ["T", x("j")], mat("W"))], 2),
    "parameter in the exponent": (power(form("i", "j"), name("i")), 4),
    "index in the exponent": (total(power(form("k", "k"), name("k")), "k"), None),
    "root": (["sqrt", times(["T", x("i")], x("i"))], None),
    "negative power": (power(form("i", "j"), -1), None),
    "half power": (power(form("i", "j"), "1/2"), None),
    "clip": (["clip", form("i", "j"), num(0), num(1)], None),
    "fixed": (["tr", mat("W")], 0),
}


@pytest.mark.parametrize("which", DEGREES)
def test_the_degree_is_that_of_the_polynomial(which: str) -> None:
    node, expected = DEGREES[which]
    (one,) = statistics_of(["E", node], env=environment_of(CASE)).values()
    assert one.degree == expected
    if expected is not None:
        (pair,) = statistics_of(["Var", node], env=environment_of(CASE)).values()
        assert pair.degree == 2 * expected
    if expected is None and one.bounds is None:
        assert one.tails == Tails(kurtosis=math.inf)


SCORES: Plain = ["stack", form("t", "T"), "t", num(1), name("T")]
BOUNDS: dict[str, tuple[Plain, tuple[float, float] | None]] = {
    "softmax": (["entry", ["softmax", SCORES], name("i")], (0.0, 1.0)),
    "weighted softmax": (times(num(-2), ["entry", ["softmax", SCORES], name("i")]), (-2.0, 0.0)),
    "squared softmax": (power(["entry", ["softmax", SCORES], name("i")], 2), (0.0, 1.0)),
    "entropy": (["entropy", ["softmax", SCORES]], (0.0, math.log(5))),
    "largest weight": (["max", ["softmax", SCORES]], (0.0, 1.0)),
    "clip": (["clip", form("i", "j"), num(-1), name("lam")], (-1.0, 1.75)),
    "clip of a softmax": (["clip", ["entry", ["softmax", SCORES], num(1)], num("1/4"), num(3)], (0.25, 1.0)),
    "nested": (["max", ["min", form("i", "j"), num(1)], num(0)], (0.0, 1.0)),
    "exp of clip": (["exp", ["min", ["max", form("i", "j"), num(0)], num(0)]], (1.0, 1.0)),
    "below alone": (["max", form("i", "j"), num(0)], None),
    "form": (form("i", "j"), None),
    "softmax times a form": (times(["entry", ["softmax", SCORES], name("i")], form("i", "j")), None),
    "exp": (["exp", form("i", "j")], None),
    "over a softmax": (over(num(1), ["entry", ["softmax", SCORES], num(1)]), None),
}


@pytest.mark.parametrize("which", BOUNDS)
def test_bounds_enclose_what_is_bounded(which: str) -> None:
    node, expected = BOUNDS[which]
    (one,) = statistics_of(["E", node], env=environment_of(CASE)).values()
    assert (one.bounds is None) == (expected is None)
    if expected is not None and one.bounds is not None:
        assert one.bounds == pytest.approx(expected, abs=1e-10)


def test_bounds_of_pairs_hold_their_largest_numbers() -> None:
    """Walks at the two ends of the bounds give the largest numbers there are."""
    node = ["clip", X, num(-1), num(2)]
    env = environment_of({"d": 1})
    ends = env.with_tokens(torch.tensor([9.0, -9.0, -9.0, 9.0, -9.0, -9.0], dtype=torch.float64).reshape(-1, 1, 1))
    for moment in (["Var", node], ["Kurt", node], ["Skew", node], ["Cov", node, node]):
        for one in statistics_of(moment, env=env).values():
            assert one.bounds is not None
            assert float(one.function(ends).max()) == pytest.approx(one.bounds[1], rel=1e-12)


def test_a_sum_of_moments_is_written_out() -> None:
    env = environment_of(CASE)
    together = statistics_of(total(["E", form("k", "T")], "k"), env=env)
    assert list(together) == ["E[sum((x[k].T*W*x[T]), k, 1, T)]"]
    apart = statistics_of(total(["Var", form("k", "T")], "k"), env=env)
    assert list(apart) == [f"Var[(x[{k}].T*W*x[T])]" for k in range(1, 6)]
    assert combine(total(["Var", form("k", "T")], "k"), env, dict.fromkeys(apart, (1.0, 2.0))) == pytest.approx((5, 10))
    with pytest.raises(StatementSimulationError, match="give it"):
        statistics_of(total(["Var", form("k", "T")], "k"))
    with pytest.raises(StatementSimulationError, match="at most 256"):
        statistics_of(total(["Var", form("i", "k")], "k", 1, 1000), env=env)


def test_a_moment_inside_a_moment_is_refused() -> None:
    with pytest.raises(StatementSimulationError, match="inside another"):
        statistics_of(["E", power(minus(X, ["E", X]), 2)])
    with pytest.raises(StatementSimulationError, match="takes a relation"):
        statistics_of(["P", X])
