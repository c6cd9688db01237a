"""Cases from outside: read as exact data, refused in one line, evaluated never."""

from __future__ import annotations

import json
import time
from fractions import Fraction

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofs_check.cases import drawn as drawing
from proofs_check.cases import wide
from proofs_check.cases.given import keys, parse_case, positive_semidefinite
from proofs_check.claims.schema import schema
from proofs_check.inputs.errors import UsageError
from proofs_check.report.outputs import plain
from theorems.claims.catalogue import Statement, by_id, with_sides
from theorems.claims.growth import SHORTEST

EQ17 = by_id()["bao2024.appA.eq17"]
GOOD = {"d": 2, "i": 2, "j": 3, "W": [["1", "-1/2"], ["-1/2", 3]], "Sigma": [["1", "0"], ["0", "2/8"]], "start": "zero"}


def test_a_case_comes_out_exact_and_canonical() -> None:
    assert parse_case(json.dumps(GOOD), EQ17) == {
        "d": 2,
        "i": 2,
        "j": 3,
        "W": [["1", "-1/2"], ["-1/2", "3"]],
        "Sigma": [["1", "0"], ["0", "1/4"]],
        "start": "zero",
    }


def test_reading_twice_changes_nothing() -> None:
    once = parse_case(json.dumps(GOOD), EQ17)
    assert parse_case(json.dumps(once), EQ17) == once


def test_d_and_start_may_be_left_out() -> None:
    case = parse_case('{"i": 1, "j": 1, "W": [[2]], "Sigma": [["1"]]}', EQ17)
    assert (case["d"], case["start"]) == (1, "sigma")


def changed(**changes: object) -> str:
    return json.dumps({key: value for key, value in (GOOD | changes).items() if value is not None})


IDENTITY_65 = [[int(r == c) for c in range(65)] for r in range(65)]
REFUSED = {
    "": "JSON",
    "[]": "a JSON object",
    "3": "a JSON object",
    "null": "a JSON object",
    '{"i": NaN}': "NaN",
    '{"i": 1, "i": 2}': "stands twice",
    "[" * 100000: "nested",
    '{"a":' * 100000: "nested",
    '{"i": ' + "9" * 5000 + "}": "JSON",
    changed(sigma=1): "nearest: Sigma",
    changed(lam="1"): "key 'lam'",
    changed(i=None): "the key i too",
    changed(d=3): "W = ",
    changed(d=0): "d = 0: expected an integer from 1 to 64",
    changed(d=True): "d = True",
    changed(d=65, W=IDENTITY_65, Sigma=IDENTITY_65): "1 to 64",
    changed(i=4): "j = 3: expected i <= j; a position before it is 4",
    changed(i=0): "i = 0",
    changed(i="2"): "i = '2'",
    changed(i=2.0): "i = 2.0",
    changed(j=4097): "1 to 4096",
    changed(W=[["1", "0"], ["1", "1"]]): "a symmetric matrix",
    changed(W=[["1", "0"], ["0"]]): "W[1]",
    changed(W="1"): "W = '1'",
    changed(W={"0": 1}): "W = {",
    changed(W=[[0.5, 0], [0, 1]]): 'write 0.5 as "1/2"',
    changed(W=[[True, 0], [0, 1]]): "W[0][0] = True",
    changed(W=[["1e9", 0], [0, 1]]): "a rational",
    changed(W=[["__import__('os')", 0], [0, 1]]): "a rational",
    changed(W=[["1_0", 0], [0, 1]]): "a rational",
    changed(W=[[" 1", 0], [0, 1]]): "a rational",
    changed(W=[["٣", 0], [0, 1]]): "a rational",
    changed(W=[["1/0", 0], [0, 1]]): "a denominator that is not 0",
    changed(W=[["1/" + "9" * 41, 0], [0, 1]]): "40 digits",
    changed(W=[[10**6 + 1, 0], [0, 1]]): "between",
    changed(W=[[None, 0], [0, 1]]): "W[0][0] = None",
    changed(Sigma=[["1", "2"], ["2", "1"]]): "positive semidefinite",
    changed(Sigma=[["0", "1"], ["1", "0"]]): "positive semidefinite",
    changed(Sigma=[["-1", "0"], ["0", "1"]]): "positive semidefinite",
    changed(start="Sigma"): "one of sigma, zero",
    changed(start=[]): "one of sigma, zero",
}


@pytest.mark.parametrize(("text", "told"), REFUSED.items(), ids=[text[:60] for text in REFUSED])
def test_what_is_refused(text: str, told: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_case(text, EQ17)
    message = str(caught.value)
    assert told in message
    assert message.startswith("--case ")
    assert "\n" not in message
    assert len(message) < 400


@pytest.mark.parametrize(("lam", "good"), [("3/2", True), ("0", False), ("-1", False)])
def test_lam_is_positive(lam: str, good: bool) -> None:
    claim = by_id()["bao2024.sec4.lemma1-mean"]
    text = json.dumps({"i": 2, "T": 4, "W": [[1]], "Sigma": [[1]], "lam": lam, "theta": "1/2"})
    if good:
        assert parse_case(text, claim)["lam"] == lam
    else:
        with pytest.raises(UsageError, match=r"lam = .*a positive number"):
            parse_case(text, claim)


@pytest.mark.parametrize("theta", ["-1/2", "3/2"])
def test_theta_lies_between_0_and_1(theta: str) -> None:
    claim = by_id()["bao2024.sec4.lemma1-mean"]
    text = json.dumps({"i": 2, "T": 4, "W": [[1]], "Sigma": [[1]], "lam": "1", "theta": theta})
    with pytest.raises(UsageError, match="theta"):
        parse_case(text, claim)


def test_growth_is_asked_at_long_walks_alone() -> None:
    claim = next(claim for claim in with_sides() if claim.relation == "order")
    with pytest.raises(
        UsageError, match=f"T = {SHORTEST - 1}: expected at least {SHORTEST}; growth shows at long walks"
    ):
        parse_case(json.dumps({"T": SHORTEST - 1}), claim)


@pytest.mark.parametrize("claim", with_sides(), ids=lambda claim: str(claim.id))
def test_every_claim_takes_a_case_of_its_keys(claim: Statement) -> None:
    required, optional = keys(claim)
    value = {"d": 1, "i": 1, "j": 2, "T": 3, "start": "zero", "lam": "2", "theta": "1/3"}
    value |= {name: [["1"]] for name in ("W", "Sigma")} | {name: ["1"] for name in ("m", "a", "b")}
    value |= {"z": [[1], [0]], "J": [1], "w": 1, "kappa": "1", "eps": "1/4"}
    value |= {"scores": [0, 0], "values": [[0], [1]], "tokens": [[[1], [2]]], "beta": "1", "k": 2, "law": "signs"}
    if claim.model == "exchangeable":
        value |= {"L": [[1]], "m": [0]}
    if claim.model == "weighted":
        value |= {name: ["1"] for name in "pabce"}
    if claim.model == "free":
        value = {name: values[0] for name, values in claim.ranges.items()}
    if claim.relation == "order":
        value["T"] = SHORTEST
    for names in (required, (*required, *optional)):
        case = parse_case(json.dumps({name: value[name] for name in names}), claim)
        assert set(names) <= set(case)
    for left_out in required:
        with pytest.raises(UsageError):
            parse_case(json.dumps({name: value[name] for name in required if name != left_out}), claim)


@pytest.mark.parametrize("claim", with_sides(), ids=lambda claim: str(claim.id))
def test_every_case_that_a_run_draws_can_be_handed_back_and_keeps_to_the_schema(claim: Statement) -> None:
    wanted = jsonschema.Draft202012Validator(schema()["$defs"]["Case"]["properties"]["params"])
    for slot in drawing.slots(claim, "standard"):
        for case in drawing.drawn(claim, slot, run_seed=0, count=2):
            assert parse_case(json.dumps(case), claim) == case
            wanted.validate(json.loads(json.dumps(plain(case))))


def test_what_the_models_need() -> None:
    table = by_id()
    assert keys(table["bao2024.appA.eq11"]) == (("W", "Sigma", "m"), ("d",))
    assert keys(table["bao2024.appA.eq12"]) == (("Sigma", "m", "a", "b"), ("d", "W"))
    assert keys(table["bao2024.appC.eq22"]) == (("W", "Sigma", "i", "j", "T"), ("d", "start"))
    assert keys(table["bao2024.sec2.softmax-taylor"]) == (("T", "i"), ())
    assert keys(table["bao2024.sec4.eq5"]) == (("W", "Sigma"), ("d",))


rationals = st.fractions(min_value=-3, max_value=3, max_denominator=4)


@given(st.lists(st.lists(rationals, min_size=3, max_size=3), min_size=1, max_size=4))
def test_gram_matrices_are_positive_semidefinite(rows: list[list[Fraction]]) -> None:
    """R R^T is, singular or not; minus a little of x x^T along a row of its kernel or range, it may not be."""
    gram = [[sum((a * b for a, b in zip(x, y, strict=True)), Fraction(0)) for y in rows] for x in rows]
    assert positive_semidefinite(gram)
    gram[-1][-1] -= sum(gram[k][k] for k in range(len(gram))) + 1
    assert not positive_semidefinite(gram)


@given(st.lists(rationals, min_size=3, max_size=3), st.lists(rationals, min_size=3, max_size=3))
def test_definiteness_of_2_by_2_is_that_of_its_minors(x: list[Fraction], y: list[Fraction]) -> None:
    a, b, c = x[0], y[0], x[1]
    assert positive_semidefinite([[a, b], [b, c]]) == (a >= 0 and c >= 0 and a * c >= b * b)


def test_a_large_matrix_is_decided_in_time() -> None:
    size = 64
    Sigma = [[Fraction(min(r, c) + 1) for c in range(size)] for r in range(size)]
    begun = time.perf_counter()
    assert positive_semidefinite(Sigma)
    Sigma[-1][-1] -= Fraction(101, 100)
    assert not positive_semidefinite(Sigma)
    assert time.perf_counter() - begun < 5


def test_digits_without_end_are_refused_and_not_computed() -> None:
    size = 48
    Sigma = [[f"1/{10**39 + 7 * min(r, c) + 13 * max(r, c) + 1}" for c in range(size)] for r in range(size)]
    begun = time.perf_counter()
    with pytest.raises(UsageError):
        parse_case(changed(d=size, Sigma=Sigma, W=Sigma), EQ17)
    assert time.perf_counter() - begun < 10


def test_denominators_with_little_in_common_are_refused_beforehand() -> None:
    """Each number is short, and every number of a product would carry all their denominators along."""
    size = 24
    unit = [[int(r == c) for c in range(size)] for r in range(size)]
    W = [[f"1/{10**39 + 7 * min(r, c) + 130 * max(r, c) + 1}" for c in range(size)] for r in range(size)]
    with pytest.raises(UsageError, match="common denominator"):
        parse_case(changed(d=size, Sigma=unit, W=W), EQ17)
    W = [[f"{r + c}/{10**39}" for c in range(size)] for r in range(size)]
    assert parse_case(changed(d=size, Sigma=unit, W=W), EQ17)["d"] == size


@pytest.mark.parametrize("claim", [c for c in with_sides() if c.model == "free" and c.parameters], ids=lambda c: c.id)
def test_parameters_are_drawn_between_the_listed_ones_and_can_be_handed_back(claim: Statement) -> None:
    """Not from the listed ones alone, of which some claims have seven."""
    cases = [case for case, _ in wide.drawn(claim, 1, 60)]
    assert all(parse_case(json.dumps(case), claim) == case for case in cases)
    parts = (claim.ranges, *claim.strata, *claim.further)
    listed = {(name, value) for part in parts for name, values in part.items() for value in values}
    assert {(name, value) for case in cases for name, value in case.items()} - listed
