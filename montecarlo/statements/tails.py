"""What is known of the tails of an expression's values: its polynomial degree in the Gaussians, or bounds."""

from __future__ import annotations

import math

from montecarlo.statements.encloser import Encloser, UnboundedError
from montecarlo.statements.environment import Environment
from montecarlo.statements.nodes import DERIVATIVE, Node, StatementSimulationError, parts, random, text
from montecarlo.statements.values import value

#: What rounding may add to a bound, relatively.
ROUNDING = 1e-12


def degree(node: Node, env: Environment | None = None, token: int | None = None) -> int | None:
    """The polynomial degree in the tokens, at most; None where it is no polynomial, or cannot be seen to be one.

    With a ``token``, the degree in that one alone.
    """
    op = node[0]
    if not random(node):
        return 0
    if op == "token":
        return int(token is None or _may_be(node[1], env, token))
    if op == "mean":
        return 1
    if op in ("+", "*"):
        found = [degree(part, env, token) for part in node[1:]]
        known = [one for one in found if one is not None]
        return None if len(known) < len(found) else max(known) if op == "+" else sum(known)
    if op in ("T", "tr", "sum", "stack"):
        # the ends of a sum are no random numbers
        return None if any(random(part) for part in parts(node)[1:]) else degree(node[1], env, token)
    if op == "/":
        return None if random(node[2]) else degree(node[1], env, token)
    if op == "entry":
        return None if random(node[2]) else degree(node[1], env, token)
    if op == DERIVATIVE:
        # by a parameter
        return None if random(node[3]) else degree(node[1], env, token)
    if op == "**":
        return _of_power(node, env, token)
    return None


def _may_be(place: Node, env: Environment | None, token: int) -> bool:
    """Whether a place may be that of a token; the index of a sum may be any."""
    try:
        return bool(value(place, env or Environment()) == token)
    except StatementSimulationError:
        return True


def _of_power(node: Node, env: Environment | None, token: int | None = None) -> int | None:
    _, base, exponent = node
    k = _exponent(exponent, env)
    if k is None or k < 0:
        return None
    if base[0] == "norm" and base[2:] in ((), ("",), ("fro",)):
        # an even power of a Euclidean norm is one of its square
        inner = degree(base[1], env, token)
        return None if k % 2 or inner is None else k * inner
    inner = degree(base, env, token)
    return None if inner is None else k * inner


def _exponent(node: Node, env: Environment | None) -> int | None:
    try:
        found = None if random(node) else value(node, env or Environment())
    except StatementSimulationError:
        # a name of a case that is not there, or the index of a sum
        return None
    return round(found) if isinstance(found, float | int) and found == round(found) else None


def _inner(node: Node) -> tuple[float, float]:
    raise StatementSimulationError(f"{text(node)} stands inside another moment")


def _of_direction(node: Node, env: Environment) -> tuple[float, float] | None:
    """Bounds of (v.u)^k/|v|^k, which lies within |u|^k of 0 by Cauchy and Schwarz, and is not negative for even k."""
    if node[0] != "/":
        return None
    (form, k), (norm, other) = (one[1:] if one[0] == "**" else (one, ("number", "1")) for one in node[1:])
    if norm[0] != "norm" or norm[2:] not in ((), ("",)) or form[0] != "*" or len(form) != 3:
        return None
    sides = [one[1] if one[0] == "T" else one for one in form[1:]]
    fixed = next((one for one in sides if not random(one)), None)
    power, below = _exponent(k, env), _exponent(other, env)
    if fixed is None or norm[1] not in sides or power is None or power != below or power < 0:
        return None
    try:
        length = value(("norm", fixed, ""), env)
    except StatementSimulationError:
        return None
    size = float(length) ** power * (1 + ROUNDING)
    return (0.0, size) if power % 2 == 0 else (-size, size)


def bounds(node: Node, env: Environment | None = None) -> tuple[float, float] | None:
    """Finite bounds of a random number's values; None where there are none."""
    if not random(node):
        return None
    try:
        low, high = Encloser(env or Environment(), _inner).number(node).pair
    except (UnboundedError, StatementSimulationError):
        return _of_direction(node, env or Environment())
    return (low, high) if math.isfinite(low) and math.isfinite(high) else None
