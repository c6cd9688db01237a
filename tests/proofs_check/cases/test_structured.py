"""Exact instances: every family is drawn, ratios and degenerate heads are exact, and no bad data is let through."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import permutations
from typing import Any

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from montecarlo.lampert2026.representability import full, representable
from proofs_check.cases import structured
from proofs_check.cases.drawn import drawn, key, smallest
from proofs_check.cases.entries import MAX_SIZE
from proofs_check.cases.given_structured import check
from proofs_check.cases.structured import FAMILIES
from proofs_check.inputs.errors import UsageError
from theorems.claims.catalogue import Statement, by_id

#: A claim of no paper, given the model and the parameters that a test needs.
CLAIM = replace(by_id()["lampert2026.sec4.prop41"], id="mine.sec1.claim", parameters=(), ranges={}, conditions=())
EMBEDDINGS = replace(CLAIM, parameters=("z", "J"))
WINDOW = replace(CLAIM, parameters=("z", "J", "w", "kappa"), ranges={"kappa": ("1", "1/2")})
ENSEMBLE = replace(CLAIM, model="ensemble")
COSINES = replace(ENSEMBLE, parameters=("tokens", "W", "beta"))
CONTEXT = replace(CLAIM, model="context", parameters=("scores", "values", "kappa"))
WEIGHTED = replace(CLAIM, model="weighted", parameters=("p", "a", "b", "c", "e"))
EVERY = (EMBEDDINGS, WINDOW, ENSEMBLE, COSINES, CONTEXT, WEIGHTED)
DRAWS = 40

Case = Mapping[str, Any]
RATIOS = ("1", "0", "-1", "-1/2", "7/3")


@cache
def some(place: int, slot: str = "{}", count: int = DRAWS) -> list[Case]:
    return list(drawn(EVERY[place], json.loads(slot), 3, count))


def of(statement: Statement, count: int = DRAWS, **slot: Any) -> list[Case]:
    return some(EVERY.index(statement), json.dumps(slot), count)


@pytest.mark.parametrize("statement", EVERY)
def test_draws_are_plain_data_and_pass_as_a_users_case(statement: Statement) -> None:
    for case in of(statement):
        assert check(statement, json.loads(json.dumps(case))) == case
    assert drawn(statement, {}, 3, 20) == drawn(statement, {}, 3, 20)
    assert {key(case) for case in drawn(statement, {}, 4, 20)} != {key(case) for case in drawn(statement, {}, 3, 20)}


# -- embeddings


def test_embeddings_cover_their_sizes() -> None:
    cases = of(WINDOW, 120)
    for case in cases:
        z, J, T = case["z"], case["J"], len(case["z"]) - 1
        assert len({len(row) for row in z}) == 1 and J and sorted(set(J) & set(range(1, T + 1))) == J
        assert 1 <= case["w"] <= T and case["kappa"] in ("1", "1/2")
    assert {len(case["z"][0]) for case in cases} == {1, 2, 3}
    assert {len(case["z"]) - 1 for case in cases} == {1, 2, 3, 4, 5}
    assert {1, 2, 3} <= {case["w"] for case in cases}
    assert any(len(case["J"]) < len(case["z"]) - 1 for case in cases)


def test_both_truths_are_drawn_often() -> None:
    found = [representable(case["z"], case["J"], full) for case in of(EMBEDDINGS, 120)]
    true = sum(bool(separation and separation.separable) for separation in found)
    assert None not in found and len(found) / 3 < true < len(found) * 2 / 3


def test_pushed_apart_embeddings_are_representable() -> None:
    """W = e f^T with the axes: queries have one sign along the one, z_0 leads along the other."""
    for case in of(EMBEDDINGS, apart=True):
        z, axes = case["z"], range(len(case["z"][0]))
        assert any(all(s * z[i][a] > 0 for i in case["J"]) for a in axes for s in (1, -1))
        assert any(all(s * (z[0][a] - row[a]) > 0 for row in z[1:]) for a in axes for s in (1, -1))


def opposite(z: list[list[int]], J: list[int]) -> bool:
    return any([-entry for entry in z[i]] == z[j] for i in J for j in J)


def between(z: list[list[int]]) -> bool:
    doubled = [2 * entry for entry in z[0]]
    return any([a + b for a, b in zip(one, two, strict=True)] == doubled for one in z[1:] for two in z[1:])


def collinear(z: list[list[int]]) -> bool:
    steps = [[a - b for a, b in zip(row, z[0], strict=True)] for row in z[1:]]
    d = range(len(z[0]))
    return all(one[r] * two[c] == one[c] * two[r] for one in steps for two in steps for r in d for c in d)


def test_degenerate_families_are_what_they_say() -> None:
    holds: dict[str, Callable[[list[list[int]], list[int]], bool]] = {
        "free": lambda z, J: True,
        "null": lambda z, J: any(not any(z[i]) for i in J),
        "opposite": opposite,
        "between": lambda z, J: len(z) == 2 or between(z),
        "edge": lambda z, J: len(z) == 2 or between(z),
        "equal": lambda z, J: z[0] in z[1:],
        "unseen": lambda z, J: z[-1] == z[0] and max(J) < len(z) - 1,
        "collinear": lambda z, J: collinear(z),
    }
    assert set(holds) == set(FAMILIES)
    for family in FAMILIES:
        cases = of(EMBEDDINGS, 25, family=family, apart=False)
        assert all(holds[family](c["z"], c["J"]) for c in cases), family
    free = of(EMBEDDINGS, 25, family="free", apart=False)
    for family in set(FAMILIES) - {"free"}:
        assert not all(holds[family](case["z"], case["J"]) for case in free), family


def test_an_edge_has_the_other_keys_on_one_side() -> None:
    cases = [case for case in of(EMBEDDINGS, 25, family="edge", apart=False) if len(case["z"]) > 3]
    for case in cases:
        below = [row for row in case["z"][1:] if row[-1] < case["z"][0][-1]]
        assert len(below) <= 1
    assert cases


def test_embeddings_shrink_to_the_simplest() -> None:
    case = smallest(EMBEDDINGS, {}, 0, lambda case: len(case["J"]) > 1)
    assert case == {"z": [[0], [0], [0]], "J": [1, 2]}


# -- ensembles


def law(case: Case) -> Iterator[list[list[Fraction]]]:
    """Every outcome of the exchangeable law, all equally likely."""
    for tokens in case["tokens"]:
        for order in permutations(tokens):
            yield [[Fraction(entry) for entry in token] for token in order]


def head(case: Case) -> tuple[list[list[Fraction]], Fraction]:
    return [[Fraction(entry) for entry in row] for row in case["W"]], Fraction(case["beta"])


def traces(case: Case) -> tuple[Fraction, Fraction]:
    """t1 = E[z_1^T W z_1] - E[z_2^T W z_1] and t2 = E|W z_1|^2 - E[(W z_1)^T (W z_2)], over all orders."""
    W, _ = head(case)
    first, second, outcomes = Fraction(0), Fraction(0), 0
    for z in law(case):
        images = [[sum(a * b for a, b in zip(row, token, strict=True)) for row in W] for token in z[:2]]
        first += sum((a - b) * c for a, b, c in zip(z[0], z[1], images[0], strict=True))
        second += sum(a * (a - b) for a, b in zip(*images, strict=True))
        outcomes += 1
    return first / outcomes, second / outcomes


def vanishes(case: Case) -> bool:
    """Whether (beta + W) sum_i z_i = 0 for every set."""
    W, beta = head(case)
    sums = [[sum(column) for column in zip(*tokens, strict=True)] for tokens in case["tokens"]]
    images = (
        [beta * own + sum(a * b for a, b in zip(row, total, strict=True)) for own, row in zip(total, W, strict=True)]
        for total in sums
    )
    return not any(map(any, images))


def test_traces_are_expectations_over_the_law() -> None:
    for case in of(ENSEMBLE, 40):
        assert structured.traces(case["tokens"], head(case)[0]) == traces(case)


@pytest.mark.parametrize("ratio", RATIOS)
def test_a_ratio_is_met_exactly(ratio: str) -> None:
    cases = of(ENSEMBLE, ratio=ratio)
    for case in cases:
        first, second = traces(case)
        assert Fraction(case["beta"]) * first == Fraction(ratio) * second and second > 0
        assert not vanishes(case)
    assert len(cases) > 20 and len({len(case["tokens"]) for case in cases}) > 1
    if ratio == "0":
        # either side of the product is what vanishes
        assert {case["beta"] == "0" for case in cases} == {True, False}


def test_without_a_ratio_every_sign_occurs() -> None:
    cases = of(ENSEMBLE, 70)
    signs = {(value > 0) - (value < 0) for case in cases for value in [head(case)[1] * traces(case)[0]]}
    assert signs == {-1, 0, 1}
    assert all(traces(case)[1] > 0 and not vanishes(case) for case in cases)
    assert {len(case["tokens"]) for case in cases} == {1, 2, 3}
    assert {len(tokens) for case in cases for tokens in case["tokens"]} == {2, 3, 4}
    assert {len(case["W"]) for case in cases} == {1, 2, 3}
    assert any(case["W"] != [list(row) for row in zip(*case["W"], strict=True)] for case in cases)
    assert any(isinstance(entry, str) for case in cases for row in case["W"] for entry in row)


def test_flat_heads_do_not_move_the_differences() -> None:
    cases = of(ENSEMBLE, flat=True)
    assert not any(any(traces(case)) or vanishes(case) for case in cases)
    null = [not any(map(any, case["W"])) for case in cases]
    assert any(null) and not all(null)


def test_where_cosines_are_looked_at_nothing_is_zero() -> None:
    for case in of(COSINES, 40):
        W, beta = head(case)
        for tokens in case["tokens"]:
            mean = [Fraction(sum(column), len(tokens)) for column in zip(*tokens, strict=True)]
            for token in tokens:
                assert any(token)
                for into in (token, mean):
                    image = [sum(a * b for a, b in zip(row, into, strict=True)) for row in W]
                    assert any(beta * own + more for own, more in zip(token, image, strict=True))


def test_a_claim_about_tokens_alone_has_no_head() -> None:
    alone = replace(ENSEMBLE, parameters=("tokens",))
    cases = drawn(alone, {}, 0, 20)
    assert all(set(case) == {"tokens"} for case in cases)
    assert check(alone, {"tokens": [[[1], [2]]], "beta": 2}) == {"tokens": [[[1], [2]]], "beta": "2"}


# -- contexts


def test_contexts_cover_zero_opposite_and_sinks() -> None:
    cases = of(CONTEXT, 150)
    assert {len(case["scores"]) - 1 for case in cases} == {1, 2, 3, 4}
    assert {len(case["values"][0]) for case in cases} == {1, 2, 3}
    assert all(len(case["scores"]) == len(case["values"]) and case["kappa"] for case in cases)
    # with no value at all beside the sink there is nothing to attend to
    assert all(any(map(any, case["values"][1:])) for case in cases)
    zero = sum(any(not any(row) for row in case["values"][1:]) for case in cases)
    turned = sum(opposite(case["values"], list(range(1, len(case["values"])))) for case in cases)
    sinks = sum(case["scores"][0] >= max(case["scores"][1:]) for case in cases)
    nulls = sum(not any(case["values"][0]) for case in cases)
    assert min(zero, turned) > 20 and 40 < sinks < 140 and 30 < nulls < 120


@pytest.mark.parametrize("null", [True, False])
def test_the_slot_says_whether_the_sink_has_a_value(null: bool) -> None:
    assert all(any(case["values"][0]) != null for case in of(CONTEXT, 40, null=null))


def test_what_conditions_would_hardly_meet_is_built_in() -> None:
    free = replace(CONTEXT, parameters=("scores", "values"))
    pair = replace(free, conditions=("keys == 1", "sink_norm == 0"))
    for case in some_of(pair):
        assert len(case["scores"]) == 2 and not any(case["values"][0])
    silent = replace(free, conditions=("sink_norm == 0", "out_norm == 0"))
    for case in some_of(silent):
        # keys of one score together, since their weights are alike
        for score in set(case["scores"][1:]):
            rows = [v for s, v in zip(case["scores"][1:], case["values"][1:], strict=True) if s == score]
            assert not any(map(sum, zip(*rows, strict=True)))


def some_of(statement: Statement) -> list[Case]:
    """Draws of the strategy itself, before the conditions are looked at."""
    found: list[Case] = []

    @seed(5)
    @settings(max_examples=40, database=None, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.data())
    def collect(data: Any) -> None:
        found.append(structured.strategy(data.draw, statement, {}))

    collect()
    return found


# -- a user's case

GOOD: dict[str, tuple[Statement, dict[str, Any]]] = {
    "embeddings": (WINDOW, {"z": [[1, "1/2"], ["4/2", "-6/4"], [0, 3]], "J": [2, 1], "w": 1, "kappa": "2/4"}),
    "ensemble": (ENSEMBLE, {"tokens": [[[1, 2], [0, "-3/9"]]], "W": [[1, 0], ["0/5", "1/2"]], "beta": 2}),
    "context": (CONTEXT, {"scores": [1, "2/4"], "values": [[0], ["3/3"]], "kappa": "1"}),
    "weighted": (WEIGHTED, {"p": ["2/4", 0], "a": [1, "-6/4"], "b": ["1", 2], "c": [0, 3], "e": ["1/3", 1]}),
}


def test_a_case_comes_out_exact_and_canonical() -> None:
    read = {model: check(statement, data) for model, (statement, data) in GOOD.items()}
    assert read == {
        "embeddings": {"z": [[1, "1/2"], [2, "-3/2"], [0, 3]], "J": [1, 2], "w": 1, "kappa": "1/2"},
        "ensemble": {"tokens": [[[1, 2], [0, "-1/3"]]], "W": [[1, 0], [0, "1/2"]], "beta": "2"},
        "context": {"scores": [1, "1/2"], "values": [[0], [1]], "kappa": "1"},
        "weighted": {"p": ["1/2", 0], "a": [1, "-3/2"], "b": [1, 2], "c": [0, 3], "e": ["1/3", 1]},
    }
    for model, (statement, _) in GOOD.items():
        assert check(statement, read[model]) == read[model]


BIG = [[0] for _ in range(65)]
REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("embeddings", {"K": 1}, "key 'K': expected a key of mine.sec1.claim: z, J, w, kappa"),
    ("embeddings", {"Kappa": 1}, "nearest: kappa"),
    ("embeddings", {"z": None}, "the key z too"),
    ("embeddings", {"z": None, "J": None}, "the keys z, J too"),
    ("embeddings", {"z": 3}, "z = 3: expected a list of 2 to 64 rows"),
    ("embeddings", {"z": "ab"}, "a list of 2 to 64 rows"),
    ("embeddings", {"z": []}, "a list of 2 to 64 rows"),
    ("embeddings", {"z": [[1]]}, "a list of 2 to 64 rows"),
    ("embeddings", {"z": BIG}, "a list of 2 to 64 rows"),
    ("embeddings", {"z": [[0] * 17] * 2}, "a list of 1 to 16 numbers"),
    ("embeddings", {"z": [[], []]}, "a list of 1 to 16 numbers"),
    ("embeddings", {"z": [[1, 2], [1]]}, "z[1] = [1]: expected 2 numbers, as in"),
    ("embeddings", {"z": [1, 2]}, "z[0] = 1: expected a list"),
    ("embeddings", {"z": [[1], [0.5]]}, 'z[1][0] = 0.5: expected an integer or a rational in a string such as "-3/4"'),
    ("embeddings", {"z": [[1], [True]]}, "z[1][0] = True"),
    ("embeddings", {"z": [[1], ["x"]]}, "z[1][0] = 'x'"),
    ("embeddings", {"z": [[1], ["1/0"]]}, "a denominator that is not 0"),
    ("embeddings", {"z": [[1], ["1e3"]]}, "a rational such as"),
    ("embeddings", {"z": [[1], [MAX_SIZE + 1]]}, "a number between"),
    ("embeddings", {"z": [[1], ["1/" + "9" * 41]]}, "at most 40 digits"),
    ("embeddings", {"z": [[1], [[1]]]}, "z[1][0] = [1]"),
    ("embeddings", {"J": []}, "J = []: expected a list of 1 to 2 queries"),
    ("embeddings", {"J": 1}, "J = 1: expected a list of 1 to 2 queries"),
    ("embeddings", {"J": [0]}, "J[0] = 0: expected an integer from 1 to 2"),
    ("embeddings", {"J": [3]}, "J[0] = 3: expected an integer from 1 to 2"),
    ("embeddings", {"J": ["1"]}, "J[0] = '1'"),
    ("embeddings", {"J": [True]}, "J[0] = True"),
    ("embeddings", {"J": [2, 2]}, "every query once; write [2]"),
    ("embeddings", {"J": [1, 2, 1]}, "a list of 1 to 2 queries"),
    ("embeddings", {"w": 0}, "w = 0: expected an integer from 1"),
    ("embeddings", {"w": "1"}, "w = '1'"),
    ("embeddings", {"kappa": [1]}, "kappa = [1]"),
    ("ensemble", {"tokens": []}, "a list of 1 to 64 sets"),
    ("ensemble", {"tokens": [[[1, 2]]]}, "tokens[0] = [[1, 2]]: expected a list of 2 to 64 rows"),
    ("ensemble", {"tokens": [[1, 2]]}, "tokens[0][0] = 1: expected a list"),
    ("ensemble", {"tokens": [[[1, 2], [1]]]}, "tokens[0][1] = [1]: expected 2 numbers"),
    ("ensemble", {"tokens": [[[1, 2]] * 2, [[1]] * 2]}, "tokens[1][0] = [1]: expected 2 numbers"),
    ("ensemble", {"tokens": [[[1, 2]] * 2, [[1, 2]] * 3]}, "tokens[1] has 3 tokens: expected 2"),
    ("ensemble", {"tokens": [[[1, 2]] * 33] * 2}, "at most 64 over all sets"),
    ("ensemble", {"W": [[1, 2]]}, "W = [[1, 2]]: expected a list of 2 rows of 2 numbers"),
    ("ensemble", {"W": [[1, 2, 3], [1, 2, 3]]}, "W[0] = [1, 2, 3]: expected 2 numbers"),
    ("ensemble", {"W": [[1, 2], [1]]}, "W[1] = [1]: expected 2 numbers"),
    ("ensemble", {"W": "identity"}, "W = 'identity'"),
    ("ensemble", {"beta": None}, "the key beta too"),
    ("ensemble", {"beta": 0.5}, 'write 0.5 as "1/2"'),
    ("context", {"scores": [1]}, "a list of 2 to 64 scores"),
    ("context", {"scores": ["inf", 0]}, "scores[0] = 'inf'"),
    ("context", {"values": [[0]]}, "a list of 2 to 64 rows"),
    ("context", {"values": [[0]] * 3}, "values has 3 rows: expected 2, one for every score"),
    ("context", {"values": [[0], [1, 2]]}, "values[1] = [1, 2]: expected 1 number, as in"),
    ("context", {"sink": 0}, "key 'sink'"),
    ("weighted", {"p": ["1/2", "-1/2"]}, "p has the entry -1/2: expected weights >= 0"),
    ("weighted", {"b": [1]}, "b = [1]: expected 2 numbers"),
    ("weighted", {"p": "1/2"}, "p = '1/2': expected a list of 1 to 16 numbers"),
    ("weighted", {"e": None}, "the key e too"),
]


@pytest.mark.parametrize(("model", "changes", "told"), REFUSED)
def test_bad_data_is_refused_in_one_line(model: str, changes: dict[str, Any], told: str) -> None:
    statement, good = GOOD[model]
    data = {name: value for name, value in (good | changes).items() if value is not None}
    with pytest.raises(UsageError) as refusal:
        check(statement, data)
    message = str(refusal.value)
    assert told in message and "\n" not in message and message.startswith("--case ") and "expected" in message
