"""Statements drawn by the engine: sides that meet where they are equal, faults that part them, and reproducible blocks.

Intervals are six standard errors wide on either side, with fixed seeds: each misses its mean with probability 2e-9.
"""

from __future__ import annotations

import math
import subprocess
import sys
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from montecarlo import engine
from montecarlo.accumulate import Sample
from montecarlo.cases import CaseError
from montecarlo.empirical_checks import RegistryError, Simulation, Tails
from montecarlo.statements import StatementSimulation, StatementSimulationError, blocks, simulation, tokens
from tests.montecarlo.statements.plain import (
    CASE,
    Plain,
    form,
    mat,
    minus,
    name,
    num,
    observe,
    over,
    plus,
    power,
    relation,
    statement,
    times,
    total,
    vec,
    x,
)

LARGEST_Z = 6.0
WALKS = 2**16
TRACE: Plain = ["tr", times(mat("W"), mat("Sigma"))]
#: tr(W Sigma W Sigma) and tr(W Sigma W^T Sigma).
TWICE: Plain = ["tr", power(times(mat("W"), mat("Sigma")), 2)]
TURNED: Plain = ["tr", times(mat("W"), mat("Sigma"), ["T", mat("W")], mat("Sigma"))]
LAST: Plain = name("T")


SUMMED: Plain = times(over(times(LAST, plus(LAST, num(1))), num(2)), TRACE)
PROJECTED: dict[str, Plain] = {key: times(["T", vec("b")], x(key)) for key in ("i", "j")}
WEIGHTS: Plain = ["softmax", ["stack", form("t", "T"), "t", num(1), LAST]]
SECOND, FIRST = ["E", power(form("i", "i"), 2)], ["E", form("i", "i")]


def quadratic(low: Plain, high: Plain) -> Plain:
    """Var x_s^T W x_t of the walk, s <= t: s t tr(W Sigma W^T Sigma) + s^2 tr((W Sigma)^2)."""
    return plus(times(low, high, TURNED), times(power(low, 2), TWICE))


#: Known identities: law, left side, right side.
TRUE: dict[str, tuple[Plain, Plain, Plain]] = {
    "mean of a form": (["walk"], ["E", form("i", "j")], times(name("i"), TRACE)),
    "from 0": (["walk-zero"], ["E", form("i", "j")], times(minus(name("i"), num(1)), TRACE)),
    "from m": (
        ["walk-mean"],
        ["E", form("i", "j")],
        plus(times(minus(name("i"), num(1)), TRACE), times(["T", vec("m")], mat("W"), vec("m"))),
    ),
    "iid": (["iid"], ["E", power(form("i", "j"), 2)], TURNED),
    "ar1": (["ar1", name("a")], ["E", form("i", "j")], times(power(name("a"), minus(name("j"), name("i"))), TRACE)),
    "kernel": (["gaussian", times(name("s"), name("t"))], ["E", form("i", "j")], times(name("i"), name("j"), TRACE)),
    "variance": (["walk"], ["Var", form("i", "j")], quadratic(name("i"), name("j"))),
    "covariance": (
        ["iid"],
        ["Cov", form("i", "i"), form("i", "i")],
        plus(TWICE, TURNED),
    ),
    "correlation": (["walk"], ["Corr", PROJECTED["i"], PROJECTED["j"]], ["sqrt", over(name("i"), name("j"))]),
    "Gaussian kurtosis": (["walk"], ["Kurt", times(["T", vec("b")], x("i"))], num(0)),
    "skewness of a square": (["iid"], ["Skew", power(["entry", x("i"), num(1)], 2)], ["sqrt", num(8)]),
    "kurtosis of a square": (["iid"], ["Kurt", power(["entry", x("i"), num(1)], 2)], num(12)),
    "probability": (["walk"], ["P", relation(">", times(["T", vec("b")], x("i")), num(0))], num("1/2")),
    "increment": (
        ["walk"],
        ["E", power(["norm", minus(x("T"), x("i")), ""], 2)],
        times(minus(LAST, name("i")), ["tr", mat("Sigma")]),
    ),
    "sum over tokens": (["walk"], ["E", total(form("k", "T"), "k")], SUMMED),
    "sum of expectations": (["walk"], total(["E", form("k", "T")], "k"), SUMMED),
    "sum of variances": (["walk"], total(["Var", form("k", "k")], "k", 1, 2), times(num(5), plus(TWICE, TURNED))),
    "mean token": (
        ["iid"],
        ["E", times(["T", ["mean"]], mat("W"), ["mean"])],
        over(TRACE, LAST),
    ),
    "weights": (["iid"], ["E", total(["entry", WEIGHTS, name("k")], "k")], num(1)),
    "moments on the right": (["walk"], ["Var", form("i", "i")], minus(SECOND, power(FIRST, 2))),
    "nothing random": (["walk"], ["E", TRACE], TRACE),
}  # fmt: skip


def simulated(law: Plain, left: Plain, right: Plain, case: dict[str, Any] = CASE, **options: Any) -> Any:
    """The intervals of both sides."""
    told = StatementSimulation(statement(left, right, law), case)
    sample = told.draw(options.pop("walks", WALKS), 1, "test", "k", threads=1, **options)
    intervals = {name: around(estimate) for name, estimate in sample.estimates.items()}
    return told.interval("left", intervals), told.interval("right", intervals)


def around(estimate: Any) -> tuple[float, float]:
    slack = LARGEST_Z * estimate.std_error
    return estimate.mean - slack, estimate.mean + slack


def apart(one: tuple[float, float], two: tuple[float, float]) -> bool:
    return one[1] < two[0] or two[1] < one[0]


@pytest.mark.parametrize("which", TRUE)
def test_equal_sides_meet(which: str) -> None:
    left, right = simulated(*TRUE[which])
    assert not apart(left, right)
    assert all(math.isfinite(end) for end in (*left, *right))


@pytest.mark.parametrize("which", sorted(set(TRUE) - {"nothing random", "Gaussian kurtosis"}))
def test_a_right_side_off_by_half_is_parted(which: str) -> None:
    law, left, right = TRUE[which]
    one, two = simulated(law, left, times(num("3/2"), right), walks=2**19)
    assert apart(one, two)


def test_a_wrong_root_start_or_pairing_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    from montecarlo.statements import statistics

    faults: dict[str, tuple[str, Any, str, Any]] = {
        "root": ("mean of a form", simulation, "covariance_root", lambda Sigma: Sigma),
        "start": ("from 0", simulation, "Process", lambda law, *given: tokens.Process(["walk"], *given)),
        "recursion": ("ar1", tokens.Process, "_recursion", lambda self, z: z),
        "pairing": ("variance", statistics, "variance", lambda f: (f[::2] - f[1::2]) ** 2),
    }
    for which, place, attribute, fault in faults.values():
        assert not apart(*simulated(*TRUE[which]))
        with monkeypatch.context() as planted:
            planted.setattr(place, attribute, fault)
            assert apart(*simulated(*TRUE[which])), attribute


def drawn(threads: int = 1, seed: int = 1, **options: Any) -> Sample:
    told = StatementSimulation(statement(["Kurt", total(form("k", "T"), "k")]), {**CASE, "T": 40})
    return told.draw(2**13, seed, "test", "k", threads=threads, **options)


def same(one: Sample, two: Sample) -> bool:
    return all(np.array_equal(one[name].block_means, two[name].block_means) for name in one.estimates)


def test_a_sample_is_the_same_with_any_threads_and_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    one = drawn()
    assert same(one, drawn(threads=2))
    assert not same(one, drawn(seed=2))
    assert not same(one, drawn(first_block=one.next_block))


def test_long_walks_are_made_a_few_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []
    normals = tokens.Process.normals

    def counted(self: tokens.Process, n: int, generator: Any) -> Any:
        found = normals(self, n, generator)
        sizes.append(found.size)
        return found

    monkeypatch.setattr(tokens.Process, "normals", counted)
    monkeypatch.setattr(simulation, "MOST_NUMBERS", 5_000)
    left, right = simulated(*TRUE["sum over tokens"], case={**CASE, "T": 40}, walks=2**14)
    assert max(sizes) <= 5_000 and not apart(left, right)


def test_only_the_tokens_that_are_read_are_made() -> None:
    told = StatementSimulation(statement(["E", form("i", "j")]), {**CASE, "j": 1000, "T": 2000})
    assert told._process is not None and told._process.places == [2, 1000]
    every = StatementSimulation(statement(["E", total(form("k", "T"), "k")]), CASE)
    assert every._process is not None and every._process.places == [1, 2, 3, 4, 5]


def test_the_length_is_the_last_position_that_is_read() -> None:
    case = {key: value for key, value in CASE.items() if key != "T"}
    assert StatementSimulation(statement(["E", form("i", "j")]), case).T == 4
    assert StatementSimulation(statement(["E", form("i", plus(name("j"), num(3)))]), case).T == 7
    assert StatementSimulation(statement(["E", total(form("k", plus(name("k"), num(1))), "k", 1, "j")]), case).T == 5
    assert StatementSimulation(statement(["E", form("i", "j")]), CASE).T == 5


def test_tails_are_stated_by_statistic() -> None:
    clipped = ["clip", form("i", "j"), num(-1), num(1)]
    left = plus(["E", form("i", "j")], ["Var", form("i", "j")], ["E", clipped], ["P", relation(">", clipped, num(0))])
    told = StatementSimulation(statement(plus(left, ["E", ["norm", x("i"), ""]])), CASE)
    tails = [one.tails for one in told.statistics.values()]
    widths = [one.width for one in tails]
    assert [one.degree for one in tails] == [2, 4, None, None, None]
    assert widths[:2] == [None, None] and widths[2:4] == [pytest.approx(2.0), 1.0]
    assert tails[4] == Tails(kurtosis=math.inf)
    sample = told.draw(2**13, 1, "test", "k")
    assert sample["P[clip((x[i].T*W*x[j]), (-1), 1) > 0]"].hits is not None


def test_numbers_outside_their_bounds_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    told = StatementSimulation(statement(["E", ["clip", form("i", "j"), num(-1), num(1)]]), CASE)
    (one,) = told.statistics.values()
    object.__setattr__(one, "bounds", (-1.0, 0.5))
    with pytest.raises(StatementSimulationError, match="outside its bounds"):
        told.draw(2**13, 1, "test", "k")


def test_a_definition_is_followed() -> None:
    definitions = {"f": ["t", over(form("t", "T"), LAST)]}
    told = StatementSimulation(
        statement(["E", ["entropy", ["softmax", ["family", "f"]]]], definitions=definitions), CASE
    )
    (one,) = told.statistics.values()
    assert one.bounds == pytest.approx((0, math.log(5)))
    assert 0 < told.draw(2**13, 1, "test", "k")[one.name].mean < math.log(5)


def test_observing_is_what_the_statistic_draws() -> None:
    W = np.array([[float(Fraction(v)) for v in row] for row in CASE["W"]])
    x = np.random.default_rng(1).standard_normal((9, 5, 2))
    expected = np.einsum("na,ab,nb->n", x[:, 1], W, x[:, 3])
    np.testing.assert_allclose(observe(form("i", "j"), CASE, x), expected)
    np.testing.assert_allclose(observe(form("i", "j"), CASE, torch.from_numpy(x)).numpy(), expected)


@pytest.mark.parametrize("left", [["E", form("i", "j")], ["Var", form("i", "j")], ["Skew", form("i", "i")]])
def test_blocks_drawn_from_the_middle_of_a_turn_are_those_of_the_whole(left: Plain) -> None:
    told = StatementSimulation(statement(left), CASE)
    size = told.walks_per_block
    assert blocks.together(told.normals * size) > 3
    whole = told.draw(12 * size, 1, "test", "k")
    part = told.draw(6 * size, 1, "test", "k", first_block=3, threads=1)
    assert part.blocks == 6 and part.next_block == 9
    for label, estimate in whole.estimates.items():
        assert estimate.numbers_per_block == told.numbers_per_block(label)
        assert part[label].block_means.tolist() == estimate.block_means[3:9].tolist()
        # in a block are the numbers of its own walks
        assert len(set(estimate.block_means.tolist())) == 12


@pytest.mark.parametrize("which", TRUE)
def test_torch_draws_what_numpy_draws(which: str) -> None:
    """As on a GPU: other normals of the same statement, whose intervals meet those of the walks drawn by numpy."""
    law, left, right = TRUE[which]
    told = StatementSimulation(statement(left, right, law), CASE)
    options: dict[str, Any] = {"walks": 2**14, "seed": 1, "claim_id": "test", "key": which, "threads": 1}
    one, two = told.draw(**options), told.by_torch(device="cpu", **options)
    assert one.estimates.keys() == two.estimates.keys() and one.walks_per_block == two.walks_per_block
    for label, found in two.estimates.items():
        assert abs(found.mean - one[label].mean) <= 7 * (found.std_error + one[label].std_error) + 1e-9
        assert found.mean != one[label].mean or found.variance < 1e-18


def test_a_check_on_a_cpu_imports_no_torch() -> None:
    code = (
        "import sys; from montecarlo.statements import StatementSimulation as S; "
        "f = ['*', ['T', ['token', ['number', '1']]], ['token', ['number', '2']]]; "
        "s = S({'law': ['walk'], 'left': ['E', f], 'right': ['number', '1']}, {'d': 1, 'Sigma': [['1']]}); "
        "s.draw(4096, 0, 'a', 'b'); sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_without_moments_both_sides_are_numbers() -> None:
    told = StatementSimulation(statement(["max", ["softmax", ["family", "s"]]], num("1/2")), {"s": ["0", "0", "1/2"]})
    assert not told.statistics
    left, right = told.interval("left", {}), told.interval("right", {})
    value = math.exp(0.5) / (2 + math.exp(0.5))
    assert left[0] <= value <= left[1] < right[0] <= 0.5 <= right[1]
    with pytest.raises(StatementSimulationError, match="no moment"):
        told.draw(10, 1, "test", "k")


WRONG: dict[str, tuple[Plain, dict[str, Any], str]] = {
    "no Sigma": (["E", form("i", "j")], {"d": 1, "i": 1, "j": 1, "W": [["1"]]}, "no Sigma"),
    "Sigma not symmetric": (["E", form("i", "j")], {**CASE, "Sigma": [["1", "0"], ["1", "1"]]}, "not symmetric"),
    "Sigma not a covariance": (["E", form("i", "j")], {**CASE, "Sigma": [["1", "2"], ["2", "1"]]}, "eigenvalue"),
    "another dimension": (["E", form("i", "j")], {**CASE, "W": [["1"]]}, "expected 2 x 2"),
    "no rational": (["E", form("i", "j")], {**CASE, "W": [["1", "one"], ["0", "1"]]}, "expected rationals"),
    "a vector": (["E", x("i")], CASE, "expected a number"),
    "past the end": (["E", form("i", "j")], {**CASE, "T": 2}, "1 <= t <= T"),
    "no position": (["E", form("i", "k")], CASE, "no k"),
}  # fmt: skip


@pytest.mark.parametrize("which", WRONG)
def test_what_cannot_be_simulated_is_told_at_once(which: str) -> None:
    left, case, message = WRONG[which]
    with pytest.raises((StatementSimulationError, CaseError), match=message):
        StatementSimulation(statement(left), case)


def test_a_free_simulation_states_its_tails_and_shape() -> None:
    def numbers(generator: torch.Generator, n: int) -> Tensor:
        return torch.randn(n, generator=generator)

    sim = Simulation("test.free", numbers, tails={"value": Tails(degree=1)}, shape=(512, 8))
    assert engine.draw(sim, {}, walks=1, seed=1, claim_id="c", key="k").walks_per_block == 2**8
    assert sim.tails_of("value") == Tails(degree=1)
    with pytest.raises(RegistryError, match="tails names value but not 'other'"):
        sim.tails_of("other")
    with pytest.raises(RegistryError, match="shape"):
        Simulation("test.free", numbers, tails={"value": Tails(degree=1)}, shape=(0, 8))
