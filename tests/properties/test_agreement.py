"""Derivation and empirical check of a claim agree at whatever Hypothesis draws from the claim's hypotheses.

False alarms: every quantity that is sampled is compared once at each case and once over all cases of its claim, each at
the level PART/(quantities x (draws + 1)), ``quantities`` counted over all claims, so that a run of all property tests
fails without a cause with a probability below 10^-9, whatever the tails of the numbers are (see ``levels``, and
``proofs_check.checks.both_sides``). What is evaluated without randomness has no false alarms. Claims that are judged by
a search, or by their growth, stand in ``test_searches``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache, wraps
from typing import Any

import numpy as np
import pytest

from montecarlo import engine, registry, walks
from montecarlo.calibration import check_normals
from montecarlo.draws import draw_normals
from montecarlo.empirical_checks import Growth, Search, Simulation
from montecarlo.threads import EngineError
from proofs_check.cases import wide
from proofs_check.checks import agreeing, both_sides
from proofs_check.checks.agreeing import Agreed, agreement
from proofs_check.checks.both_sides import MOST, Pooled, Sides, compared
from proofs_check.claims.pairing import Pair
from tests.properties import planted
from tests.properties.levels import PART, share
from theorems.claims.catalogue import by_id, with_sides
from theorems.kernel import equivalence

Fault = Callable[[Sides], Sides]
#: Draws of a claim in ``make test``, and in ``make test-slow``.
DRAWS, MANY = 30, 1000
SEEDS = 20
#: Claims whose empirical check is a search, which looks at points of its own.
SEARCHED = frozenset(
    f"bao2024.{name}"
    for name in (
        *("sec4.eq5", "sec4.xi-eta-range", "sec5.eq9", "appC.lemma2-inequality", "appC.lemma2-final-bound"),
        *(f"sec5.eq7-{part}" for part in ("first", "second", "third-entrywise", "third-induced")),
        *("sec5.eq10-first", "sec5.eq10-second", "appB.cauchy-schwarz"),
    )
) | frozenset(
    f"lampert2026.{name}"
    for name in (
        *("sec5.cosine-approximation", "sec5.cosine-transfer", "sec6.sink-implies-switch"),
        *("sec6.switch-implies-sink", "sec6.zero-output-implies-sink"),
        *(f"sec7.{name}" for name in ("sink-upper", "diag-upper", "sink-lower")),
    )
)
#: Claims that are measured by their growth, or have no model.
GROWN = frozenset(f"bao2024.appB.{name}" for name in ("order19", "order20", "order21", "dominance"))
ELSEWHERE = SEARCHED | GROWN | {"lampert2026.sec7.value-terms"}
CLAIMS = tuple(claim.id for claim in with_sides() if claim.id not in ELSEWHERE)
#: Claims at which faults are planted in ``make test``: moments, a limit, a number, a matrix, a property.
FEW = frozenset(
    {
        "bao2024.appA.eq11",
        "bao2024.appA.eq17",
        "bao2024.sec3.eq3",
        "bao2024.sec4.lemma1-variance",
        "bao2024.sec4.lemma2-1",
        "bao2024.sec5.eq8",
        "lampert2026.sec5.dprime-1",
        "lampert2026.sec5.monotone-iff",
        "lampert2026.sec7.sink-construction",
    }
)
SOME = [pytest.param(name, marks=() if name in FEW else pytest.mark.slow) for name in CLAIMS]


@cache
def sides(claim: str) -> Sides:
    """The two sides of a claim, derived once."""
    return Sides(Pair(by_id()[claim]), registry.find(claim), registry.beside(claim))


@cache
def quantities() -> int:
    """How many quantities are sampled, over all claims."""
    return sum(sides(claim).quantities for claim in CLAIMS)


def asked(both: Sides, draws: int = DRAWS, seed: int = 0) -> Agreed:
    return agreement(both, draws, share(quantities(), draws), seed)


def test_every_claim_that_has_cases_is_asked() -> None:
    found = set()
    for claim in (statement.id for statement in with_sides()):
        try:
            check = registry.find(claim)
            assert isinstance(check, Search) == (claim in SEARCHED)
            if not isinstance(check, Search | Growth):
                found.add(claim)
        except LookupError:
            assert claim in ELSEWHERE
    assert found == set(CLAIMS)


@pytest.mark.parametrize("claim", CLAIMS)
def test_both_sides_agree(claim: str) -> None:
    found = asked(sides(claim))
    assert not str(found), str(found)
    assert found.compared >= len(found.cases) and not found.silent


@pytest.mark.slow
@pytest.mark.parametrize("claim", CLAIMS)
def test_both_sides_agree_at_many_cases(claim: str) -> None:
    found = asked(sides(claim), MANY, seed=1)
    assert not str(found) and not found.silent, str(found)


def test_what_cancels_is_compared_on_its_own_size() -> None:
    """Slopes that are 0 sample by sample, of terms of some hundreds, are 1e-13 in floating point."""
    assert not str(agreement(sides("lampert2026.sec5.dprime-0"), DRAWS, share(quantities(), DRAWS), 100))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(SEEDS))
def test_nothing_is_flaky(seed: int) -> None:
    level = share(quantities() * SEEDS, DRAWS)
    found = [agreement(sides(claim), DRAWS, level, 100 + seed) for claim in CLAIMS]
    assert not any(map(str, found)), "\n".join(filter(None, map(str, found)))
    assert not [(one.claim, one.silent) for one in found if one.silent]


def readable(case: Mapping[str, Any] | None) -> bool:
    """Whether a person can read a case: few dimensions and tokens, where they are not a claim's own, and short."""
    assert case is not None
    sizes = [case[name] for name in ("d", "i", "j", "T") if isinstance(case.get(name), int)]
    return all(size <= 4 for size in sizes) and len(str(case)) <= 300


@pytest.mark.parametrize("claim", SOME)
def test_a_fault_in_the_derivation_is_found_and_shrunk(claim: str) -> None:
    found = asked(planted.in_the_derivation(sides(claim)))
    assert readable(found.case), found
    assert f"twofold verify {claim} --case" in str(found)


@pytest.mark.parametrize("claim", SOME)
def test_a_fault_in_the_check_is_found_and_shrunk(claim: str) -> None:
    found = asked(planted.in_the_check(sides(claim)))
    assert readable(found.case), found


def test_a_fault_that_shows_at_no_one_case_shows_over_all() -> None:
    found = asked(planted.in_the_check(sides("bao2024.appA.eq16"), 1.05), 200)
    assert found.case is None and "standard deviations" in str(found)


@pytest.mark.parametrize("claim", SOME)
def test_the_least_error_that_is_stated_is_found(claim: str) -> None:
    """Where samples are compared at all; with no error nothing is found at the same seed."""
    both = sides(claim)
    least = asked(both, seed=2).least
    assert bool(least) == bool(both.quantities)
    if least:
        assert str(asked(planted.in_the_check(both, 1 + max(least.values())), seed=2))


@pytest.mark.slow
def test_a_bias_of_a_few_thousandths_is_found() -> None:
    """With four times the walks: 0.3% of the mean here, about 0.2% of the deviation."""
    found = agreement(planted.in_the_check(sides("bao2024.appA.eq15"), 1.003), MANY, share(quantities(), MANY), 1, 4)
    assert found.case is None and "standard deviations" in str(found)


@pytest.mark.parametrize("claims", [("bao2024.appA.eq17",), pytest.param(CLAIMS, marks=pytest.mark.slow)])
def test_a_clamp_of_the_normals_is_found(claims: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """At 3.5 standard deviations: a thousandth of the variance, which shows in the normals alone.

    Every claim that is simulated on tokens finds it; randomness of a simulation's own is no normals of the sampler.
    """
    monkeypatch.setattr(engine, "draw_normals", planted.clamped(draw_normals))
    monkeypatch.setattr(walks, "draw_normals", planted.clamped(draw_normals))
    check_normals.cache_clear()
    checks = {claim: sides(claim).check for claim in claims}
    simulated = [name for name, one in checks.items() if isinstance(one, Simulation) and one.model != "free"]
    assert simulated
    for claim in simulated:
        with pytest.raises(EngineError, match=r"beyond 3\.5"):
            asked(sides(claim), 1)


def test_a_property_whose_draws_miss_an_edge_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = tuple(aim for aim in wide.MATRIX_AIMS if aim.get("Sigma") != "singular")
    monkeypatch.setattr(wide, "MATRIX_AIMS", kept)
    monkeypatch.setattr(wide, "_each_aim", wide._each_aim.__wrapped__)
    found = asked(sides("bao2024.appA.eq15"))
    assert found.missed == ["Sigma singular"] and "no case with Sigma singular" in str(found)


@pytest.mark.parametrize(
    ("claim", "edge"),
    [
        ("bao2024.appA.eq15", "Sigma singular"),
        ("bao2024.appA.eq17", "j = 1"),
        ("bao2024.appC.lemma1-C2", "T > 100"),
        ("bao2024.sec4.lemma2-2", "theta = 0"),
        ("bao2024.sec4.lemma2-3", "eta = 1000"),
        ("lampert2026.sec7.sink-construction", "d = C*n + C + 1"),
        ("bao2024.sec2.softmax-taylor", "i = 1 < T"),
        ("lampert2026.sec5.dprime-1", "m = 0"),
        ("bao2024.sec2.softmax-taylor", "T = 2"),
        ("bao2024.sec4.gaussian-rho", "mu = 0"),
        ("bao2024.sec5.eq8", "Sigma small"),
        ("bao2024.appA.eq17", "W small"),
        pytest.param("bao2024.appB.display-b", "T > 100", marks=pytest.mark.slow),
    ],
)
def test_a_fault_at_one_edge_alone_is_found(claim: str, edge: str) -> None:
    """Where no case was, or one whose numbers have a mean far below their deviation."""
    found = asked(planted.at_an_edge(sides(claim), edge))
    assert found.case is not None and edge in wide.features(by_id()[claim], found.case), found


def test_a_fault_of_one_quantity_at_an_edge_is_found() -> None:
    """Where the only case showed another quantity."""
    found = asked(planted.at_an_edge(sides("bao2024.sec2.remark2-selector"), "d = 1", only="variance"))
    assert found.case is not None and found.case["d"] == 1 and found.told.startswith("variance"), found


@pytest.mark.parametrize(
    ("claim", "edge"),
    [
        ("lampert2026.sec7.sink-construction", "d = C*n + C + 1"),
        ("bao2024.sec2.softmax-taylor", "i = 1 < T"),
        ("lampert2026.sec5.dprime-1", "m = 0"),
        ("lampert2026.sec5.monotone-iff", "beta t1 = 0 < t2"),
        ("bao2024.sec2.softmax-taylor", "T = 2"),
        ("bao2024.sec4.gaussian-rho", "mu = 0"),
        ("lampert2026.sec4.prop41-causal", "two queries are opposite"),
        ("lampert2026.sec4.prop41-window", "z_0 lies between two tokens"),
        ("lampert2026.sec4.prop41-causal", "only a key after all queries is z_0"),
        ("lampert2026.sec4.cost", "all lie on a line"),
        ("lampert2026.sec4.cost", "kappa = 1/1000000"),
        ("lampert2026.sec4.prop41-window", "w = T"),
    ],
)
def test_an_edge_that_no_case_meets_is_missed(claim: str, edge: str) -> None:
    assert edge in wide.edges(by_id()[claim])
    reached = [case for case, _ in wide.drawn(by_id()[claim], 0, DRAWS)]
    others = [case for case in reached if edge not in wide.features(by_id()[claim], case)]
    assert others != reached and edge in wide.missed(by_id()[claim], others)


def test_a_property_without_its_aims_at_conditions_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of d >= C n + C + 1 and d >= n + 4 the ends are not among the numbers that d is drawn from."""
    whole = wide.aims
    monkeypatch.setattr(wide, "aims", lambda statement: tuple(aim for aim in whole(statement) if "tie" not in aim))
    monkeypatch.setattr(wide, "_each_aim", wide._each_aim.__wrapped__)
    assert asked(sides("lampert2026.sec7.diag-construction")).missed == ["d = C*n + C + 1", "d = n + 4"]


def test_a_derivation_that_leaves_all_open_agrees_with_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(equivalence, "truth", lambda *given: None)
    found = asked(sides("lampert2026.sec5.monotone-iff"))
    assert not found.compared and found.silent == ["D decreasing", "D increasing"]


def test_a_difference_at_a_case_that_is_left_out_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """What has no randomness is looked at before it is known which cases are kept."""
    whole = agreeing._drawn

    def none(*given: Any) -> Any:
        whole(*given)
        return [], []

    monkeypatch.setattr(agreeing, "_drawn", none)
    both = sides("bao2024.sec2.softmax-taylor")
    assert asked(both).case is None and asked(planted.in_the_derivation(both)).case is not None


def test_a_quantity_that_is_not_evaluated_is_told() -> None:
    both = sides("bao2024.sec2.softmax-taylor")
    function: Any = both.check.function

    @wraps(function)
    def offset(**given: Any) -> Any:
        return {"offset": function(**given)["offset"]}

    less = planted.with_check(both, offset)
    assert asked(less).silent == ["diagonal", "off_diagonal"]


@pytest.mark.parametrize(
    ("edge", "d"), [("Sigma = 0", 1), ("W = 0", 1), ("W singular", 2), ("Sigma nearly singular", 2)]
)
def test_what_is_seldom_drawn_is_shrunk_in_its_aim(edge: str, d: int) -> None:
    found = asked(planted.at_an_edge(sides("bao2024.sec5.eq8"), edge, zero=1))
    assert found.case is not None and found.case["d"] == d, found


def test_what_an_aim_asks_for_is_not_undone() -> None:
    """A query that is to be 0 was pushed away from 0 in a third of the draws: all of them at one seed of twenty."""
    statement = by_id()["lampert2026.sec4.prop41"]
    zero = [case for case, aim in wide.drawn(statement, 113, DRAWS) if aim.get("family") == "null"]
    assert zero and all("a query is 0" in wide.features(statement, case) for case in zero)


def test_an_aim_that_conditions_forbid_is_none() -> None:
    statement = replace(by_id()["lampert2026.sec4.prop41"], conditions=("rho_Q > 0",))
    assert {"family": "null"} not in wide.aims(statement) and {"family": "equal"} in wide.aims(statement)


def test_an_edge_is_read_off_the_case() -> None:
    statement = by_id()["bao2024.appA.eq17"]
    case = {"d": 2, "W": [["1", "0"], ["0", "-1"]], "Sigma": [["1", "1"], ["1", "1"]], "start": "zero", "i": 1, "j": 1}
    met = wide.features(statement, case)
    assert {"d = 2", "W indefinite", "W traceless", "Sigma singular", "start zero", "i = j", "j = 1"} <= met
    assert "W and Sigma do not commute" in met and "Sigma nearly singular" not in met
    assert "i < j" in wide.missed(statement, [case])


def test_the_level_is_kept_and_an_error_is_seen() -> None:
    """At the level 1/100 right numbers are left out in fewer cases; a shift is always seen."""
    generator = np.random.default_rng(0)
    own = generator.standard_normal((2000, 512))
    heavy = own**3 / 15**0.5
    for numbers in (own, heavy):
        assert sum(bool(compared(row, 0.0, 1.0, 0.0, 0.01)[0]) for row in numbers) <= 20
        assert all(compared(row + 0.4, 0.0, 1.0, 0.0, 0.01)[0] for row in numbers[:200])


def test_no_more_than_a_part_of_the_level_is_spent(monkeypatch: pytest.MonkeyPatch) -> None:
    spent: list[float] = []

    def counted(function: Callable[..., Any]) -> Callable[..., Any]:
        def called(*given: Any) -> Any:
            spent.append(given[-1])
            return function(*given)

        return called

    monkeypatch.setattr(both_sides, "compared", counted(compared))
    monkeypatch.setattr(Pooled, "apart", counted(Pooled.apart))
    both = sides("bao2024.appA.eq11")
    asked(both)
    assert sum(spent) == pytest.approx(PART * both.quantities / quantities(), rel=1e-9, abs=0)


def test_small_errors_add_up() -> None:
    generator = np.random.default_rng(1)
    right, wrong = (Pooled((2 * np.log(2 / 1e-12) / (100 * MOST)) ** 0.5) for _ in range(2))
    for _ in range(100):
        numbers = generator.standard_normal(MOST)
        right.add(numbers)
        wrong.add(numbers + 0.02)
    assert not right.apart(1e-12) and wrong.apart(1e-12)
