"""Names, tokens, sums, products and powers of numbers, vectors and matrices, walk by walk."""

from __future__ import annotations

import math
from fractions import Fraction

from montecarlo.statements.arrays import Array, alike, fetched, gathered, is_array, library, whole_array
from montecarlo.statements.environment import Environment
from montecarlo.statements.evaluation import CORE, Value, as_array, evaluate, reads, scalar, spread, whole
from montecarlo.statements.nodes import Node, NoValueError, StatementSimulationError, random, text


@reads("number")
def _number(node: Node, env: Environment) -> Value:
    return Value("scalar", float(Fraction(node[1])))


@reads("name")
def _name(node: Node, env: Environment) -> Value:
    return Value("scalar", env.scalar(node[1]))


@reads("token")
def _token(node: Node, env: Environment) -> Value:
    place = scalar(node[1], env)
    if isinstance(place, float | int):
        return Value("column", env.token(whole(place, node)))
    positions = [whole(one, node) for one in place.flatten().tolist()]
    found = env.tokens_at(positions)
    return Value("column", found.reshape(*place.shape[:-1], *found.shape[1:]))


@reads("entry")
def _entry(node: Node, env: Environment) -> Value:
    source = Value("family", env.list_of(node[1])) if isinstance(node[1], str) else evaluate(node[1], env)
    if CORE[source.kind] != 1:
        raise StatementSimulationError(f"{text(node)} takes an entry of a {source.kind}; expected one of a vector")
    data, place = source.array, scalar(node[2], env)
    length = data.shape[-1]
    for one in [place] if isinstance(place, float | int) else place.flatten().tolist():
        if not 1 <= whole(one, node) <= length:
            raise StatementSimulationError(f"{text(node)} at {one:g}; expected an entry from 1 to {length}")
    if not is_array(place):
        picked = data[..., int(place) - 1]
        return Value("scalar", picked if picked.ndim else picked.item())
    return Value("scalar", gathered(data, place - 1))


@reads("column")
def _column(node: Node, env: Environment) -> Value:
    return Value("column", _columns(evaluate(node[1], env), node[2], node, env))


@reads("element")
def _element(node: Node, env: Environment) -> Value:
    rows = Value("matrix", _columns(evaluate(node[1], env), node[3], node, env)[..., None, :])
    picked = _columns(rows, node[2], node, env)[..., 0]
    return Value("scalar", picked if picked.ndim else picked.item())


def _columns(source: Value, index: Node, node: Node, env: Environment) -> Array:
    """The column of a matrix at a place, (..., rows); at many places where the place is an array."""
    if source.kind != "matrix":
        raise StatementSimulationError(f"{text(node)} takes a part of a {source.kind}; expected one of a matrix")
    data, place = source.array, scalar(index, env)
    length = data.shape[-1]
    for one in _entries(place):
        if not 1 <= whole(one, node) <= length:
            raise StatementSimulationError(f"{text(node)} at {one:g}; expected a place from 1 to {length}")
    if not is_array(place):
        return data[..., int(place) - 1]
    return gathered(data, as_array(place)[..., None] - 1)


def _entries(place: Array | float) -> list[float]:
    found: list[float] = fetched(place).ravel().tolist() if is_array(place) else [place]
    return found


@reads("matrix")
def _matrix(node: Node, env: Environment) -> Value:
    return Value("matrix", env.matrix(node[1]))


@reads("vector")
def _fixed(node: Node, env: Environment) -> Value:
    found = env.list_of(node[1])
    if found.shape[-1:] != (env.scalar("d"),):
        raise StatementSimulationError(f"{node[1]} has {found.shape[-1]} entries; expected d = {env.scalar('d')}")
    return Value("column", found)


@reads("member")
def _of_family(node: Node, env: Environment) -> Value:
    """A vector of a family, by its indices: ("member", name, first indices, indices ...)."""
    data = env.family(node[1])
    places = [scalar(index, env) for index in node[3:]]
    rows = []
    for place, first, length in zip(places, node[2].split(","), data.shape, strict=False):
        for one in _entries(place):
            if not 0 <= whole(one, node) - int(first) < length:
                raise StatementSimulationError(
                    f"{text(node)} at {one:g}; expected {first} to {length + int(first) - 1}"
                )
        rows.append(whole_array(place) - int(first) if is_array(place) else whole(place, node) - int(first))
    return Value("column", data[tuple(rows)])


@reads("unknown")
def _unknown(node: Node, env: Environment) -> Value:
    """The trial value of an unknown, ("unknown", name, kind)."""
    label = f"unknown {node[1]}"
    return Value("matrix", env.matrix(label)) if node[2] == "matrix" else Value("scalar", env.scalar(label))


@reads("family")
def _family(node: Node, env: Environment) -> Value:
    return Value("family", env.list_of(node[1]))


@reads("mean")
def _mean(node: Node, env: Environment) -> Value:
    return Value("column", env.mean())


@reads("+")
def _added(node: Node, env: Environment) -> Value:
    values = [evaluate(part, env) for part in node[1:]]
    kinds = {"column" if one.kind == "family" else one.kind for one in values}
    if len(kinds) != 1:
        raise StatementSimulationError(f"{text(node)} adds a {' and a '.join(sorted(kinds))}; the shapes differ")
    total = values[0].data
    for one in values[1:]:
        total = total + one.data
    return Value(values[0].kind, total)


def _is_zero(found: Value) -> bool:
    """Whether a number is 0 for every walk and index at once."""
    return bool((as_array(found.data) == 0).all())


@reads("*")
def _multiplied(node: Node, env: Environment) -> Value:
    # cases: where one does not apply, its formula need not have a value
    if any(part[0] == "indicator" and _is_zero(evaluate(part, env)) for part in node[1:] if not random(part)):
        try:
            found = _product_of(node, env)
        except StatementSimulationError:
            return Value("scalar", 0.0)
        return Value("scalar", 0.0) if found.kind == "scalar" else found
    return _product_of(node, env)


def _product_of(node: Node, env: Environment) -> Value:
    found = evaluate(node[1], env)
    for part in node[2:]:
        found = product(found, evaluate(part, env), node)
    return found


def product(one: Value, two: Value, node: Node) -> Value:
    """The product of two values, by their kinds."""
    if one.kind == "scalar":
        return Value(two.kind, spread(one.data, CORE[two.kind]) * two.data)
    if two.kind == "scalar":
        return Value(one.kind, one.data * spread(two.data, CORE[one.kind]))
    left, right = one.array, two.array
    kinds = (one.kind, two.kind)
    if kinds in (("row", "column"), ("row", "family")):
        return Value("scalar", library(left, right).einsum("...d,...d->...", left, right))
    if kinds == ("row", "matrix"):
        return Value("row", applied(right.mT, left))
    if kinds in (("matrix", "column"), ("matrix", "family")):
        return Value("column", applied(left, right))
    if kinds in (("column", "row"), ("family", "row")):
        return Value("matrix", left[..., None] * right[..., None, :])
    if kinds == ("matrix", "matrix"):
        return Value("matrix", left @ right)
    raise StatementSimulationError(f"{text(node)} multiplies a {one.kind} by a {two.kind}; expected x[i].T*W*x[j]")


def applied(matrix: Array, columns: Array) -> Array:
    """M x: (d, d) or (..., d, d), and (d,) or (..., n, d)."""
    if matrix.ndim > 2 and columns.ndim == 1:
        return matrix @ columns
    if matrix.ndim > 2:
        return (matrix * columns[..., None, :]).sum(-1)
    if columns.ndim == 1:
        return matrix @ columns
    # walks are innermost in memory, and stay there
    own = library(columns)
    return own.matmul(own.broadcast_to(matrix, (*columns.shape[:-2], *matrix.shape)), columns.mT).mT


@reads("/")
def _divided(node: Node, env: Environment) -> Value:
    above, below = evaluate(node[1], env), scalar(node[2], env)
    if not is_array(below) and below == 0:
        raise StatementSimulationError(f"{text(node)} divides by 0")
    return Value(above.kind, above.data / spread(below, CORE[above.kind]))


@reads("**")
def _power(node: Node, env: Environment) -> Value:
    if node[1][0] == "norm" and node[1][2:] in ((), ("",), ("fro",)) and node[2] == ("number", "2"):
        # |v|^2 has a gradient where |v| has none
        inner = evaluate(node[1][1], env)
        axes = tuple(range(-CORE[inner.kind], 0))
        if axes:
            core = "cd"[-len(axes) :]
            return Value("scalar", library(inner.array).einsum(f"...{core},...{core}->...", inner.array, inner.array))
    base, exponent = evaluate(node[1], env), scalar(node[2], env)
    if base.kind == "matrix":
        if is_array(exponent) or exponent != round(exponent) or exponent < 0:
            raise StatementSimulationError(f"{text(node)}: a matrix has powers 0, 1, 2, ...")
        return Value("matrix", library(base.array).linalg.matrix_power(base.array, round(exponent)))
    if base.kind != "scalar":
        raise StatementSimulationError(f"{text(node)} raises a {base.kind} to a power; expected a number or a matrix")
    return Value("scalar", _raised(base.data, exponent, node))


def _raised(base: Array | float, exponent: Array | float, node: Node) -> Array | float:
    if is_array(base) and not is_array(exponent) and exponent in (2, 3, 4):
        square = base * base
        return square if exponent == 2 else square * (base if exponent == 3 else square)
    if is_array(base) or is_array(exponent):
        one, two = alike(base, exponent)
        return one**two
    try:
        power = base**exponent
    except (OverflowError, ZeroDivisionError):
        power = math.nan
    if isinstance(power, complex) or not math.isfinite(power):
        raise NoValueError(f"{text(node)} = {base:g}**{exponent:g} is no finite real number")
    return float(power)
