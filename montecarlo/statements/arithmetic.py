"""Names, tokens, sums, products and powers of numbers, vectors and matrices, walk by walk."""

from __future__ import annotations

import math
from fractions import Fraction

from montecarlo.statements.arrays import Array, alike, gathered, is_array, library
from montecarlo.statements.environment import Environment
from montecarlo.statements.evaluation import CORE, Value, evaluate, reads, scalar, spread, whole
from montecarlo.statements.nodes import Node, StatementSimulationError, text


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


@reads("matrix")
def _matrix(node: Node, env: Environment) -> Value:
    return Value("matrix", env.matrix(node[1]))


@reads("vector")
def _fixed(node: Node, env: Environment) -> Value:
    found = env.list_of(node[1])
    if found.shape != (env.scalar("d"),):
        raise StatementSimulationError(f"{node[1]} has {len(found)} entries; expected d = {env.scalar('d')}")
    return Value("column", found)


@reads("family")
def _family(node: Node, env: Environment) -> Value:
    return Value("family", env.list_of(node[1]))


@reads("mean")
def _mean(node: Node, env: Environment) -> Value:
    return Value("column", env.mean())


@reads("+")
def _added(node: Node, env: Environment) -> Value:
    values = [evaluate(part, env) for part in node[1:]]
    kinds = {one.kind for one in values}
    if len(kinds) != 1:
        raise StatementSimulationError(f"{text(node)} adds a {' and a '.join(sorted(kinds))}; the shapes differ")
    total = values[0].data
    for one in values[1:]:
        total = total + one.data
    return Value(values[0].kind, total)


@reads("*")
def _multiplied(node: Node, env: Environment) -> Value:
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
    if kinds == ("row", "column"):
        return Value("scalar", (left * right).sum(-1))
    if kinds == ("row", "matrix"):
        return Value("row", applied(right.mT, left))
    if kinds == ("matrix", "column"):
        return Value("column", applied(left, right))
    if kinds == ("column", "row"):
        return Value("matrix", left[..., None] * right[..., None, :])
    if kinds == ("matrix", "matrix"):
        return Value("matrix", left @ right)
    raise StatementSimulationError(f"{text(node)} multiplies a {one.kind} by a {two.kind}; expected x[i].T*W*x[j]")


def applied(matrix: Array, columns: Array) -> Array:
    """M x: (d, d) or (..., d, d), and (d,) or (..., n, d)."""
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
        raise StatementSimulationError(f"{text(node)} = {base:g}**{exponent:g} is no finite real number")
    return float(power)
