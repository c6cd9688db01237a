"""The edges of the models whose cases are exact instances, and which of them a case meets."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

from proofs_check.cases import given_structured, structured
from proofs_check.cases.drawn import SLOTS
from theorems.claims.catalogue import Statement
from theorems.claims.conditions import read

#: Conditions that leave no case at an edge.
FORBIDDEN: Mapping[str, str] = {
    "a query is 0": "rho_Q > 0",
    "two queries are opposite": "rho_Q > 0",
    "z_0 is a key": "rho_K > 0",
    "z_0 lies between two tokens": "rho_K > 0",
    "only a key after all queries is z_0": "rho_K > 0",
    "another key has the largest score": "kappa <= sink_margin",
    "the sink's value is not 0": "sink_norm == 0",
    "one key": "out_norm == 0",
    "several keys": "keys == 1",
    "W B = 0": "beta*t1 > 0",
    "beta t1 = 0 < t2": "beta*t1 > 0",
    "beta t1 = -t2 < 0": "beta*t1 > 0",
}
#: The edges that families of embeddings are for.
OF_FAMILY: Mapping[str, str] = {
    "null": "a query is 0",
    "opposite": "two queries are opposite",
    "equal": "z_0 is a key",
    "between": "z_0 lies between two tokens",
    "unseen": "only a key after all queries is z_0",
    "collinear": "all lie on a line",
}
EDGES: Mapping[str, frozenset[str]] = {
    "embeddings": frozenset({"d = 1", "d > 5", "T = 1", "T > 5", *OF_FAMILY.values()}),
    "ensemble": frozenset({"d = 1", "d > 5", "k = 2", "k > 5"}),
    "exchangeable": frozenset(
        {"d = 1", "d > 5", "k = 2", "m = 0", "W = 0", "beta < 0", *(f"law {s['law']}" for s in SLOTS["exchangeable"])}
    ),
    "context": frozenset(
        {
            *("the sink has the largest score", "another key has the largest score", "one key", "several keys"),
            *("the sink's value is 0", "the sink's value is not 0"),
        }
    ),
    "weighted": frozenset({"one point", "a weight is 0"}),
}
#: Edges of ensembles with a head, of B = E[z_i z_i^T] - E[z_i z_j^T], t1 = tr(BW) and t2 = tr(B W^T W).
ABOUT_HEADS = {"W B = 0", "beta t1 = 0 < t2", "beta t1 = -t2 < 0"}


def edges(statement: Statement) -> frozenset[str]:
    """What the cases of a claim must show between them, less what one of its conditions forbids."""
    found = {*EDGES[statement.model]}
    if statement.model == "ensemble" and "W" in given_structured.keys(statement)[0]:
        found |= ABOUT_HEADS
    found |= {"w = 1", "w = T"} if "w" in statement.parameters else set()
    found |= {f"{name} = {end}" for name, ends in sizes(statement).items() for end in ends}
    return frozenset(edge for edge in found if FORBIDDEN.get(edge) not in statement.conditions)


def sizes(statement: Statement) -> Mapping[str, tuple[str, ...]]:
    """How small and large the numbers are that a claim has beside its instance, where no condition ties them to it."""
    own, conditions = (*given_structured.KEYS[statement.model], "w"), [read(told)[0] for told in statement.conditions]
    tied = {symbol.name for gap in conditions if len(gap.free_symbols) > 1 for symbol in gap.free_symbols}
    return {name: structured.ENDS for name in given_structured.keys(statement)[0] if name not in {*own, *tied}}


def features(statement: Statement, case: Mapping[str, Any]) -> set[str]:
    """The edges that a case meets, among other things that can be read off it."""
    found = _FEATURES[statement.model](case) | {f"{name} = {case[name]}" for name in sizes(statement)}
    if "w" in statement.parameters:
        found |= {f"w = {case['w']}"} | ({"w = T"} if case["w"] >= len(case["z"]) - 1 else set())
    return found


def forbids(conditions: Collection[str], family: str) -> bool:
    """Whether conditions leave no case at the edge that a family of embeddings is for."""
    return FORBIDDEN.get(OF_FAMILY.get(family, "")) in conditions


def _of_embeddings(case: Mapping[str, Any]) -> set[str]:
    z, d, T = case["z"], len(case["z"][0]), len(case["z"]) - 1
    found = {f"d = {d}", f"T = {T}"} | ({"d > 5"} if d > 5 else set()) | ({"T > 5"} if T > 5 else set())
    queries = [z[i] for i in case["J"]]
    found |= {"a query is 0"} if any(not any(query) for query in queries) else set()
    found |= {"two queries are opposite"} if any(any(q) and [-e for e in q] in queries for q in queries) else set()
    found |= {"z_0 is a key"} if z[0] in z[1:] else set()
    # a causal mask hides it from them, and but for it some W would make the sink win
    last = max(case["J"])
    hidden = z[0] in z[last + 1 :] and _beyond(z[0], z[1 : last + 1]) and _beyond([0] * d, queries)
    found |= {"only a key after all queries is z_0"} if hidden else set()
    steps = [[a - b for a, b in zip(row, z[0], strict=True)] for row in z[1:]]
    met = any(_parallel(one, two) and _along(one, two) < 0 for one, two in combinations(steps, 2))
    found |= {"z_0 lies between two tokens"} if met else set()
    line = d > 1 and T > 1 and all(_parallel(one, two) for one, two in combinations(steps, 2))
    return found | ({"all lie on a line"} if line else set())


def _beyond(point: Sequence[int], rows: Sequence[Sequence[int]]) -> bool:
    """Whether a point lies on one side of all rows along an axis."""
    return any(all(a < b for b in axis) or all(a > b for b in axis) for a, *axis in zip(point, *rows, strict=True))


def _along(one: Sequence[int], two: Sequence[int]) -> int:
    return sum(a * b for a, b in zip(one, two, strict=True))


def _parallel(one: Sequence[int], two: Sequence[int]) -> bool:
    return _along(one, two) ** 2 == _along(one, one) * _along(two, two)


def _of_ensemble(case: Mapping[str, Any]) -> set[str]:
    k, d = len(case["tokens"][0]), len(case["tokens"][0][0])
    if "W" not in case:
        return _sizes(k, d)
    first, second = structured.traces(case["tokens"], [[Fraction(entry) for entry in row] for row in case["W"]])
    first *= Fraction(case["beta"])
    found = {"W B = 0"} if second == 0 else {"beta t1 = 0 < t2"} if first == 0 else set()
    return _sizes(k, d) | found | ({"beta t1 = -t2 < 0"} if first == -second < 0 else set())


def _sizes(k: int, d: int) -> set[str]:
    found = {f"k = {k}", f"d = {d}"} | ({"d > 5"} if d > 5 else set())
    return found | ({"k > 5"} if k > 5 else set())


def _of_context(case: Mapping[str, Any]) -> set[str]:
    sink, *others = map(Fraction, case["scores"])
    found = {"the sink has the largest score"} if sink > max(others) else {"another key has the largest score"}
    found.add("one key" if len(others) == 1 else "several keys")
    return found | {f"the sink's value is {'not ' * any(map(Fraction, case['values'][0]))}0"}


def _of_exchangeable(case: Mapping[str, Any]) -> set[str]:
    found = {f"law {case['law']}"} | ({"beta < 0"} if Fraction(case["beta"]) < 0 else set())
    found |= set() if any(map(Fraction, case["m"])) else {"m = 0"}
    return (
        _sizes(case["k"], case["d"])
        | found
        | ({"W = 0"} if not any(Fraction(entry) for row in case["W"] for entry in row) else set())
    )


def _of_weighted(case: Mapping[str, Any]) -> set[str]:
    weights = [Fraction(one) for one in case[given_structured.KEYS["weighted"][0]]]
    return ({"one point"} if len(weights) == 1 else set()) | ({"a weight is 0"} if 0 in weights else set())


_FEATURES: Mapping[str, Callable[[Mapping[str, Any]], set[str]]] = {
    "embeddings": _of_embeddings,
    "ensemble": _of_ensemble,
    "exchangeable": _of_exchangeable,
    "context": _of_context,
    "weighted": _of_weighted,
}
