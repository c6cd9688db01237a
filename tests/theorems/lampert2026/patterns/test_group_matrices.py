"""Matrices that no renaming of the groups changes, against the matrices written out for small C."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest
import sympy as sp

from theorems.algebra.expressions import symbol
from theorems.lampert2026.patterns.group_matrices import (
    ONE,
    C,
    Coordinates,
    GroupMatrix,
    Place,
    count,
    group_matrix,
    orbit,
)

PLACES: tuple[Place, ...] = (None, (0, "c"), (1, "c"), (0, "e"), (1, "e"))


def dense(matrix: GroupMatrix, groups: int) -> Any:
    """The matrix for C = groups, as an array."""
    places: list[Place] = [None, *((block, str(g)) for block in range(matrix.blocks) for g in range(groups))]
    entries = [[matrix.entry(p, q).xreplace({C: sp.Integer(groups)}) for q in places] for p in places]
    return np.array(entries, dtype=float)


def unit(place: Place, names: dict[str, int], groups: int) -> Any:
    vector = np.zeros(1 + 2 * groups)
    vector[0 if place is None else 1 + place[0] * groups + names[place[1]]] = 1.0
    return vector


def coordinates(rng: Random) -> Coordinates:
    return {place: sp.Integer(rng.randint(-3, 3)) for place in rng.sample(PLACES, rng.randint(1, 3))}


def written_out(left: Coordinates, right: Coordinates, groups: int) -> tuple[Any, int]:
    """The sum over all ways to give different groups to the names that occur, and how many there are."""
    named = sorted({place[1] for vector in (left, right) for place in vector if place is not None})
    ways: list[dict[str, int]] = [{}]
    for name in named:
        ways = [{**way, name: g} for way in ways for g in range(groups) if g not in way.values()]
    total = np.zeros((1 + 2 * groups, 1 + 2 * groups))
    for way in ways:
        one, two = (
            sum((float(x) * unit(p, way, groups) for p, x in vector.items()), np.zeros(1 + 2 * groups))
            for vector in (left, right)
        )
        total += np.outer(one, two)
    return total, len(ways)


@pytest.mark.parametrize("groups", [1, 2, 4])
def test_orbits_are_the_sums_written_out(groups: int) -> None:
    rng = Random(groups)
    for _ in range(25):
        left, right = coordinates(rng), coordinates(rng)
        total, ways = written_out(left, right, groups)
        assert np.array_equal(dense(orbit(2, left, right), groups), total)
        assert count(left, right).xreplace({C: sp.Integer(groups)}) == ways


def random_matrix(rng: Random) -> GroupMatrix:
    table: dict[tuple[Place, Place], sp.Expr] = {
        (p, q): sp.Integer(rng.randint(-2, 2)) for p in PLACES[:3] for q in PLACES
    }
    return group_matrix(2, table)


@pytest.mark.parametrize("groups", [1, 2, 3])
def test_the_two_parts_have_all_singular_values(groups: int) -> None:
    rng = Random(7)
    for _ in range(10):
        matrix = random_matrix(rng)
        at = {C: sp.Integer(groups)}
        parts = [np.array(part.xreplace(at).evalf(), dtype=float) for part in (matrix.standard, matrix.trivial)]
        values = [np.linalg.svd(part, compute_uv=False) for part in parts]
        together = np.sort(np.concatenate([*[values[0]] * (groups - 1), values[1]]))
        assert np.allclose(together, np.sort(np.linalg.svd(dense(matrix, groups), compute_uv=False)))
        assert np.array_equal(dense(matrix.T, groups), dense(matrix, groups).T)
        assert np.array_equal(dense(matrix + matrix.T, groups), dense(matrix, groups) + dense(matrix, groups).T)


def test_forms_and_put() -> None:
    a = symbol("a")
    matrix = group_matrix(2, {((0, "c"), None): a, ((1, "c"), (0, "e")): 2 * a})
    left: Coordinates = {(0, "c"): ONE, (1, "c"): sp.Integer(3)}
    assert matrix.form(left, {None: ONE, (0, "e"): ONE}) == 7 * a
    # no pair of one group
    assert matrix.form(left, {(0, "c"): ONE}) == 0
    assert matrix.put({a: sp.Integer(2)}).form(left, {None: ONE}) == 2
    assert (matrix * a).corner == 0 and (matrix * a).column[0, 0] == a**2
    assert matrix.of_one_group == sp.ImmutableMatrix([[0, 0, 0], [a, 0, 0], [0, 0, 0]])


def test_three_groups_are_too_many() -> None:
    with pytest.raises(ValueError, match="two at most"):
        orbit(2, {(0, "c"): ONE, (0, "e"): ONE}, {(0, "f"): ONE})
