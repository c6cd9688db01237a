"""What is worked out once: values of whole objects, nodes that stay the same; and sums over one denominator."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import flint
import pytest

from theorems.statement.deciding.decide import Derivation, derivation_of
from theorems.statement.deciding.limiting import reached
from theorems.statement.expression import Expr, name
from theorems.statement.proposition import Proposition, proposition
from theorems.statement.reading import shapes
from theorems.statement.reading.language import parsed
from theorems.statement.values.arithmetic import Matrix, Vector, dot, times
from theorems.statement.values.kept import once
from theorems.statement.values.linear import Linear


def test_a_value_is_kept_with_its_object(monkeypatch: pytest.MonkeyPatch) -> None:
    made = list[Proposition]()
    read = Derivation.__init__

    def counted(self: Derivation, prop: Proposition) -> None:
        made.append(prop)
        read(self, prop)

    monkeypatch.setattr(Derivation, "__init__", counted)
    one, two = (proposition("lim(E[x[i].T*W*x[T]/T]) = 0", limit="T -> oo, i/T -> theta") for _ in range(2))
    assert reached(one) is reached(one) and reached(one)[0] is derivation_of(one)
    # an equal one is another object
    assert one == two and reached(two) is not reached(one)
    assert [id(prop) for prop in made] == [id(one), id(two)]


def test_an_error_is_no_value() -> None:
    tries = []

    @once
    def broken(one: Proposition) -> None:
        tries.append(one)
        raise ValueError(one.text)

    prop = proposition("log(1 + u) <= u", "u > -1")
    for _ in range(2):
        with pytest.raises(ValueError, match="log"):
            broken(prop)
    assert len(tries) == 2


def test_a_node_in_which_nothing_changes_stays_itself() -> None:
    node = parsed("sum(a*j, j, 1, n) + exp(a)*b")
    assert node.put({"j": name("u"), "c": name("u")}) is node
    assert node.mapped(lambda part: part) is node
    moved = node.put({"a": name("u")})
    assert str(moved) == "sum(u*j, j, 1, n) + exp(u)*b"
    assert moved.args[1].args[1] is node.args[1].args[1]


def test_a_sum_of_products_is_exact() -> None:
    random = Random(0)
    for size in range(12):
        one, two = ([Fraction(random.randint(-3, 3), random.randint(1, 30)) for _ in range(size)] for _ in range(2))
        assert dot(one, two) == sum((a * b for a, b in zip(one, two, strict=True)), Fraction(0))
    mixed = dot([Fraction(1, 3), flint.arb(2), flint.arb(0)], [Fraction(3, 4), Fraction(1, 2), flint.arb(7)])
    assert isinstance(mixed, flint.arb) and mixed.contains(Fraction(5, 4).numerator * flint.arb(0.25))


def test_a_product_of_rational_matrices_is_exact_and_reads_each_once(monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(1)
    entries = [Fraction(random.randint(-3, 3), random.randint(1, 30)) for _ in range(18)]
    one, two = Matrix((tuple(entries[:3]), tuple(entries[3:6]))), Matrix((*zip(*[iter(entries[6:])] * 4, strict=True),))
    columns = list(zip(*two.rows, strict=True))
    row, column = Vector(one.rows[0], row=True), Vector(columns[0])
    made, read = list[flint.fmpq_mat](), flint.fmpq_mat

    def counted(rows: list[list[flint.fmpq]]) -> flint.fmpq_mat:
        made.append(read(rows))
        return made[-1]

    monkeypatch.setattr(flint, "fmpq_mat", counted)
    for _ in range(2):
        assert times(one, two) == Matrix(tuple(tuple(dot(a, b) for b in columns) for a in one.rows))
        assert times(one, column) == Vector(tuple(dot(a, columns[0]) for a in one.rows))
        assert times(row, two) == Vector(tuple(dot(one.rows[0], b) for b in columns), row=True)
    assert len(made) == 4
    balls = times(Matrix(((flint.arb(2), Fraction(1)),)), Matrix(((Fraction(1, 2),), (Fraction(0),))))
    assert isinstance(balls, Matrix) and isinstance(balls.rows[0][0], flint.arb) and balls.rows[0][0] == 1


def test_a_node_that_stands_in_many_places_has_its_shape_told_once() -> None:
    node = parsed("a*b + 1")
    for _ in range(40):
        node = Expr("+", (node, node))
    before = shapes.shape.cache_info().misses
    assert shapes.shape(node) == "number" and shapes.shape.cache_info().misses - before < 100


def test_a_condition_of_a_program_has_its_hash_worked_out_once() -> None:
    class Counted(Fraction):
        def as_integer_ratio(self) -> tuple[int, int]:
            asked.append(self)
            return super().as_integer_ratio()

    asked = list[Fraction]()
    condition = Linear((Counted(1, 3), Fraction(0)), Fraction(1))
    assert {hash(condition), hash(condition)} == {hash(Linear((Fraction(1, 3), Fraction(0)), Fraction(1)))}
    assert len(asked) == 1
