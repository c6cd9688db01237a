"""``--case`` and the case of `judge` with data of every shape: an exact case comes out, or one line."""

from __future__ import annotations

import copy
import json
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import strategies as st

from proofs_check.api import judge
from proofs_check.cases import drawn as drawing
from proofs_check.cases.given import parse_case
from proofs_check.inputs.errors import UsageError
from tests.proofs_check.hostile import CODE, examples, explore, jsons, one_line, texts
from theorems.claims.catalogue import Statement, catalogue

#: One claim of every model, and all that name parameters of their own.
CLAIMS = list({(claim.model, claim.parameters): claim for claim in catalogue()}.values())
#: JSON that is no data, or more than there should be.
RAW = (
    *("", "{", "[]", "null", "NaN", '{"d": NaN}', '{"d": Infinity}', '{"d": -Infinity}', '{"d": 1e999}', "[" * 100_000),
    *(
        '{"a":' * 100_000,
        '{"d": 1, "d": 2}',
        '{"d": ' + "9" * 5000 + "}",
        '{"d": "' + "9" * 5000 + '"}',
        '{"d": "1/0"}',
    ),
    *('{"\\ud800": 1}', '{"i": "\\u0000"}', '{"i": 1j}', '{"W": ' + "[" * 900 + "1" + "]" * 900 + "}", "\ud800", "\0"),
    *(f'{{"i": {json.dumps(text)}}}' for text in CODE),
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path of every part of a JSON value."""
    found = [path]
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in items:
        found += places(part, (*path, key))
    return found


@st.composite
def damaged(draw: st.DrawFn, whole: Any) -> Any:
    """A JSON value with one part dropped, replaced, said twice, or put elsewhere."""
    other = copy.deepcopy(whole)
    path = draw(st.sampled_from(places(whole)[1:]))
    holder = other
    for key in path[:-1]:
        holder = holder[key]
    how = draw(st.sampled_from(["drop", "replace", "more", "text", "number"]))
    if how == "drop":
        del holder[path[-1]]
    elif how == "more" and isinstance(holder, list):
        holder.insert(path[-1], copy.deepcopy(holder[path[-1]]))
    elif how == "more":
        holder[draw(texts)] = copy.deepcopy(holder[path[-1]])
    else:
        kind = {"text": texts, "number": st.floats() | st.integers()}.get(how, jsons)
        holder[path[-1]] = draw(kind)
    return other


def whole(claim: Statement) -> dict[str, Any]:
    """A case that the claim takes."""
    try:
        slot = drawing.slots(claim, "quick")[0]
        found = dict(drawing.drawn(claim, slot, 0, 1)[0])
    except (KeyError, IndexError, ValueError):
        found = {}
    return found or {"d": 1, "W": [["1"]], "Sigma": [["1"]]}


def read(text: str, claim: Statement) -> None:
    """Fail unless the text is refused in one line, or read as a case that comes out of JSON as it went in."""
    try:
        case = parse_case(text, claim)
    except UsageError as error:
        assert str(error).startswith("--case ")
        one_line(f"error: {error}\n")
        return
    assert parse_case(json.dumps(case), claim) == case
    for leaf in _leaves(case):
        assert isinstance(leaf, int) or leaf in ("sigma", "zero") or leaf.isalpha() or str(Fraction(leaf)) == leaf


def _leaves(value: Any) -> list[Any]:
    if isinstance(value, dict | list):
        return [leaf for part in (value.values() if isinstance(value, dict) else value) for leaf in _leaves(part)]
    return [value]


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: str(claim.id))
def test_text_that_is_no_case(claim: Statement) -> None:
    for text in RAW:
        with pytest.raises(UsageError) as caught:
            parse_case(text, claim)
        one_line(f"error: {caught.value}\n")


@examples(200, 5000)
def test_damaged_cases(count: int) -> None:
    known = [(claim, whole(claim)) for claim in CLAIMS]
    chosen = st.sampled_from(known).flatmap(lambda pair: st.tuples(st.just(pair[0]), damaged(pair[1]) | jsons))
    explore(count, chosen, lambda pair: read(json.dumps(pair[1]), pair[0]))


@examples(20, 500)
def test_cases_of_judge(count: int) -> None:
    claim = next(claim for claim in CLAIMS if claim.model == "walk")

    def check(case: Any) -> None:
        with pytest.raises(ValueError, match=r"^case = ") as caught:
            judge(claim, effort="quick", case=case)
        one_line(f"error: {caught.value}\n")

    deep: Any = []
    for _ in range(10_000):
        deep = [deep]
    for case in (3, [1], "x", {1: 2}, {"i": 10**5000}, {"i": object()}, {"W": deep}, {"i": 1j}, {"W": {1, 2}}):
        check(case)
    explore(count, jsons.filter(lambda value: value is not None), lambda value: check(copy.deepcopy(value)))
