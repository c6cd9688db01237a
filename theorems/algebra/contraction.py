"""A polynomial of matrices evaluated at given ones, products in the cheapest order."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import count
from math import prod
from typing import Any

import numpy as np

from theorems.algebra.expressions import value_at
from theorems.algebra.matrix_calculus import Matrix


def evaluate(
    expression: Matrix,
    arrays: Mapping[str, Any],
    numbers: Mapping[str, Fraction],
    places: Mapping[str, int] | None = None,
) -> Any:
    """The value at given matrices: an array of Fractions where the arrays hold them, (1, 1) for a scalar.

    ``arrays`` are two-dimensional, by letter, a vector being n x 1, and the columns or entries of a matrix under their
    own name; ``numbers`` are the commuting names and, where needed, sizes; ``places`` the fixed indices, from 0.
    """
    total: Any = None
    fixed = places or {}
    for (cycles, word), coefficient in expression.terms.items():
        value = value_at(coefficient, numbers)
        number = Fraction(int(value.p), int(value.q))
        operands: list[Operand] = []
        fresh = count()
        axes: dict[str, int] = {}
        ends: list[int] = []
        for place, piece in enumerate((*cycles, word)):
            marks = [next(fresh) for _ in range(len(piece) + 1)]
            if place == len(cycles):
                ends = [marks[0], marks[-1]]
            else:
                marks[-1] = marks[0]
            for at, letter in enumerate(piece):
                sides = (marks[at + 1], marks[at]) if letter.transposed else (marks[at], marks[at + 1])
                array = np.asarray(arrays[letter.name])
                labels: list[int] = []
                for axis, name in enumerate(letter.index):
                    if name in fixed:
                        # a fixed token leaves a side of size 1
                        array = array.take([fixed[name]], axis=axis)
                    summed = name and name not in fixed
                    labels.append(axes.setdefault(name, next(fresh)) if summed else sides[axis])
                operands.append((array, tuple(labels)))
        part = _contracted(operands, ends) if word else _contracted(operands, [])[()] * _unit(expression, numbers)
        total = part * number if total is None else total + part * number
    if total is None:
        sizes = [int(numbers.get(size, 1)) for size in expression.shape]
        return np.full(sizes, Fraction(0), dtype=object)
    return total


Operand = tuple[Any, tuple[int, ...]]


def _contracted(operands: list[Operand], ends: list[int]) -> Any:
    """The product of labelled arrays, summed over every label that is no end; a missing end is a side of size 1."""
    left = list(operands)
    while len(left) > 1:
        pairs = ((one, two) for one in range(len(left)) for two in range(one))
        one, two = min(pairs, key=lambda pair: _cost(left[pair[0]], left[pair[1]]))
        first, second = left.pop(one), left.pop(two)
        needed = {*ends, *(label for _, labels in left for label in labels)}
        left.append(_product(first, second, needed))
    unit: Operand = (np.array(Fraction(1), dtype=object), ())
    array, labels = _product(left[0] if left else unit, unit, set(ends))
    kept = [label for label in ends if label in labels]
    array = array.transpose([labels.index(label) for label in kept])
    return array.reshape([array.shape[kept.index(label)] if label in kept else 1 for label in ends])


def _cost(one: Operand, two: Operand) -> tuple[bool, int]:
    """How large the product of two arrays is before it is summed; arrays without a common label come last."""
    sizes = {label: size for array, labels in (one, two) for label, size in zip(labels, array.shape, strict=True)}
    return not set(one[1]) & set(two[1]), prod(sizes.values())


def _product(one: Operand, two: Operand, needed: set[int]) -> Operand:
    """The product of two labelled arrays, summed over the labels that nobody else needs."""
    labels = tuple(dict.fromkeys((*one[1], *two[1])))
    # numpy hands out the bare object where no axis is left
    whole = np.asarray(_spread(one, labels) * _spread(two, labels))
    gone = tuple(axis for axis, label in enumerate(labels) if label not in needed)
    found = np.asarray(whole.sum(axis=gone)) if gone else whole
    return found, tuple(label for label in labels if label in needed)


def _spread(operand: Operand, labels: tuple[int, ...]) -> Any:
    """An array with one axis for each of the labels, of size 1 where it has none; a repeated label is a diagonal."""
    array, own = operand
    while len(set(own)) < len(own):
        label = next(label for label in own if own.count(label) > 1)
        first, second = (axis for axis, other in enumerate(own) if other == label)
        array = array.diagonal(axis1=first, axis2=second)
        own = (*(other for other in own if other != label), label)
    array = array.transpose([own.index(label) for label in labels if label in own])
    sizes = iter(array.shape)
    return array.reshape([next(sizes) if label in own else 1 for label in labels])


def _unit(expression: Matrix, numbers: Mapping[str, Fraction]) -> Any:
    if expression.shape == ("1", "1"):
        return np.full((1, 1), Fraction(1), dtype=object)
    size = int(numbers[expression.rows])
    return np.array([[Fraction(int(r == c)) for c in range(size)] for r in range(size)], dtype=object)
