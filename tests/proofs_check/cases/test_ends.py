"""Cases between two ends and close ones: all of few choices, each once, and within the hypotheses."""

from __future__ import annotations

from random import Random

from proofs_check.cases.ends import GROWING, at_ends, close
from theorems.statement import proposition
from theorems.statement.values.cases import admissible


def test_one_entry_stands_at_one_end_and_the_others_at_the_other() -> None:
    prop = proposition("max(s) <= B", "s in R^n, abs(s[j]) <= B")
    found = list(at_ends(prop, Random(0), 60))
    assert len({str(case) for case in found}) > len(GROWING) * 20
    for case in found:
        first, *others = case.sequences["s"]
        assert abs(first) == case.numbers["B"] and set(others) == {-first} and not admissible(prop, case)
    assert {int(case.numbers["n"]) for case in found} == set(GROWING)


def test_few_choices_are_all_taken_once_and_many_at_random() -> None:
    prop = proposition("max(s) <= 1", "s in R^n, abs(s[j]) <= 1")
    found = [str(case) for case in at_ends(prop, Random(0), 2)]
    assert len(found) == len(set(found)) == 2 * len(GROWING)
    assert len(list(at_ends(prop, Random(0), 1))) == len(GROWING)


def test_what_is_close_nearly_coincides_or_is_near_0() -> None:
    prop = proposition(
        "norm(s - t) <= abs(B) + norm(p)", "s in R^n, t in R^n, p in R^n, B in R, p[j] >= 0, sum(p[j], j, 1, n) = 1"
    )
    found = list(close(prop, Random(0), 60))
    assert len(found) > 150 and all(not admissible(prop, case) for case in found)
    for case in found:
        pairs = zip(case.sequences["s"], case.sequences["t"], strict=True)
        assert all(abs(one - two) <= 0.2 for one, two in pairs)
    assert not any(close(proposition("u <= v", "u real, v real"), Random(0), 60))
