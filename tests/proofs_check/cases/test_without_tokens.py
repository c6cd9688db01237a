"""Cases of statements without tokens: what is drawn is within the hypotheses, families of vectors too."""

from __future__ import annotations

from random import Random

from proofs_check.cases.without_tokens import Choices, drawn
from theorems.statement import proposition
from theorems.statement.values.cases import admissible


def test_families_of_vectors_are_drawn() -> None:
    prop = proposition("norm(v[1]) <= sum(norm(v[j]), j, 1, N)", "v[1..N] in R^d, N >= 2, u[0..2, 1..N] in R^d")
    draw = Random(0)
    found = [case for case in (drawn(prop, draw.choice) for _ in range(40)) if case is not None]
    assert len(found) > 30 and all(not admissible(prop, case) for case in found)
    for case in found:
        N, d = int(case.numbers["N"]), int(case.numbers["d"])
        assert len(case.families["v"]) == N and all(len(vector) == d for vector in case.families["v"])
        assert len(case.families["u"]) == 3 and all(len(row) == N for row in case.families["u"])
    assert len({case.numbers["N"] for case in found}) > 3 and any(any(map(any, case.families["v"])) for case in found)


def test_a_case_drawn_near_another_keeps_most_of_its_choices() -> None:
    prop = proposition("norm(W, fro) <= sqrt(d)*norm(W, 2)")
    generator = Random(1)
    first = Choices(generator)
    drawn(prop, first)
    again = [Choices(generator, first) for _ in range(40)]
    cases = {str(drawn(prop, choices)) for choices in again}
    kept = [a == b for one in again for a, b in zip(one.made, first.made, strict=False)]
    assert 0.75 < sum(kept) / len(kept) < 0.95 and len(cases) > 5
