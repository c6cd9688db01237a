"""Matrices that no renaming of the C groups changes, for symbolic C, on one unit vector e_0 and blocks of C of them.

Such a matrix is (corner, row; column, same I + every 1 1^T) in blocks. On the vectors (0, x, y, ...) with x, y, ... in
the span of 1 it acts as ``trivial``, and on 1-perp, C - 1 times over, as ``standard``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import sympy as sp

from theorems.algebra.expressions import symbol

#: A unit vector: None for e_0, else its block and the name of its group.
Place = tuple[int, str] | None
Coordinates = Mapping[Place, sp.Expr]

C = symbol("C")
ZERO, ONE = sp.Integer(0), sp.Integer(1)


@dataclass(frozen=True)
class GroupMatrix:
    """corner e_0 e_0^T + e_0 row + column e_0^T + (same I + every 1 1^T), with ``blocks`` blocks of C unit vectors.

    ``row`` and ``column`` hold a multiple of 1 for every block, ``same`` and ``every`` one for every pair of blocks.
    """

    corner: sp.Expr
    row: sp.ImmutableMatrix
    column: sp.ImmutableMatrix
    same: sp.ImmutableMatrix
    every: sp.ImmutableMatrix

    @property
    def blocks(self) -> int:
        """The number of blocks."""
        return int(self.same.rows)

    @property
    def T(self) -> GroupMatrix:
        """The transpose."""
        return GroupMatrix(self.corner, self.column.T, self.row.T, self.same.T, self.every.T)

    def __add__(self, other: GroupMatrix) -> GroupMatrix:
        return GroupMatrix(
            self.corner + other.corner,
            self.row + other.row,
            self.column + other.column,
            self.same + other.same,
            self.every + other.every,
        )

    def __mul__(self, factor: sp.Expr) -> GroupMatrix:
        return GroupMatrix(
            self.corner * factor, self.row * factor, self.column * factor, self.same * factor, self.every * factor
        )

    @property
    def parts(self) -> tuple[sp.Expr, ...]:
        """Every coefficient."""
        return (self.corner, *self.row, *self.column, *self.same, *self.every)

    def put(self, table: Mapping[sp.Symbol, sp.Expr]) -> GroupMatrix:
        """The matrix with expressions put in for names."""
        fixed = dict(table)
        return GroupMatrix(
            self.corner.xreplace(fixed),
            *(part.applyfunc(lambda e: e.xreplace(fixed)) for part in (self.row, self.column, self.same, self.every)),
        )

    def entry(self, one: Place, two: Place) -> sp.Expr:
        """The entry at two unit vectors."""
        if one is None:
            return self.corner if two is None else self.row[0, two[0]]
        if two is None:
            return self.column[one[0], 0]
        return self.every[one[0], two[0]] + (self.same[one[0], two[0]] if one[1] == two[1] else ZERO)

    def form(self, left: Coordinates, right: Coordinates) -> sp.Expr:
        """left^T matrix right."""
        return sp.Add(*(x * y * self.entry(p, q) for p, x in left.items() for q, y in right.items()))

    @property
    def standard(self) -> sp.ImmutableMatrix:
        """How the matrix acts on 1-perp of every block, C - 1 times over."""
        return self.same

    @property
    def trivial(self) -> sp.ImmutableMatrix:
        """How the matrix acts on e_0 and the vectors 1/sqrt(C) of every block."""
        root = sp.sqrt(C)
        top = sp.Matrix([[self.corner]]).row_join(self.row * root)
        below = (self.column * root).row_join(self.same + C * self.every)
        return sp.ImmutableMatrix(top.col_join(below))

    @property
    def of_one_group(self) -> sp.ImmutableMatrix:
        """The matrix for C = 1."""
        return sp.ImmutableMatrix(self.trivial.xreplace({C: ONE}))


def group_matrix(blocks: int, entries: Mapping[tuple[Place, Place], sp.Expr]) -> GroupMatrix:
    """The sum over all groups of the given multiples of outer products of unit vectors, e.g. {((1, "c"), None): a}.

    A pair of two group names runs over the ordered pairs of different groups.
    """
    total = zero(blocks)
    for (one, two), value in entries.items():
        total = total + orbit(blocks, {one: ONE}, {two: ONE}) * value
    return total


def zero(blocks: int) -> GroupMatrix:
    """The matrix 0."""
    square = sp.ImmutableMatrix.zeros(blocks, blocks)
    return GroupMatrix(ZERO, sp.ImmutableMatrix.zeros(1, blocks), sp.ImmutableMatrix.zeros(blocks, 1), square, square)


def groups_of(*vectors: Coordinates) -> set[str]:
    """The names of groups that occur in coordinates."""
    return {place[1] for vector in vectors for place in vector if place is not None}


def count(*vectors: Coordinates) -> sp.Expr:
    """How many ways there are to give the groups named in the coordinates: C, or C (C - 1) for two names."""
    named = len(groups_of(*vectors))
    return sp.Mul(*(C - k for k in range(named)))


def orbit(blocks: int, left: Coordinates, right: Coordinates) -> GroupMatrix:
    """The sum of left right^T over all ways to give different groups to the names in the coordinates (two at most).

    Raises ValueError for more than two names of groups.
    """
    named = len(groups_of(left, right))
    if named > 2:
        raise ValueError(
            f"coordinates name the groups {', '.join(sorted(groups_of(left, right)))}; expected two at most"
        )
    corner, row, column = ZERO, sp.zeros(1, blocks), sp.zeros(blocks, 1)
    same, every = sp.zeros(blocks, blocks), sp.zeros(blocks, blocks)
    # for one fixed group, the other one has C - 1 values
    others = C - 1 if named == 2 else ONE
    for p, x in left.items():
        for q, y in right.items():
            value = x * y
            if p is None and q is None:
                corner += value * count(left, right)
            elif p is None and q is not None:
                row[0, q[0]] += value * others
            elif p is not None and q is None:
                column[p[0], 0] += value * others
            elif p is not None and q is not None and p[1] == q[1]:
                same[p[0], q[0]] += value * others
            elif p is not None and q is not None:
                every[p[0], q[0]] += value
                same[p[0], q[0]] -= value
    frozen = (sp.ImmutableMatrix(part) for part in (row, column, same, every))
    return GroupMatrix(corner, *frozen)
