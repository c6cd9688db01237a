"""Plain expressions, as a reader hands them over, in few letters; and a case that they are looked at."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from montecarlo.statements import arrays
from montecarlo.statements.environment import environment_of
from montecarlo.statements.nodes import frozen
from montecarlo.statements.values import numbers

Plain = list[Any]

CASE: dict[str, Any] = {
    "d": 2,
    "T": 5,
    "i": 2,
    "j": 4,
    "W": [["1", "-1/2"], ["1/2", "3"]],
    "B": [["0", "2"], ["-1", "1/3"]],
    "Sigma": [["1", "1/3"], ["1/3", "1/4"]],
    "m": ["1", "-1/2"],
    "b": ["1/2", "2"],
    "s": ["1/3", "-2", "1"],
    "a": "-3/5",
    "lam": "7/4",
}


def observe(node: Plain, case: Mapping[str, Any], tokens: Any, definitions: Mapping[str, Any] | None = None) -> Any:
    """A random expression, without moments, walk by walk on given tokens (n, T, d) at a case: (n,) numbers."""
    env = environment_of(case, arrays.place(tokens))
    env.scalars = {"T": tokens.shape[1], **env.scalars}
    return numbers(frozen(node, definitions), env.with_tokens(arrays.double(tokens)))


def num(value: object) -> Plain:
    return ["number", str(value)]


def name(text: str) -> Plain:
    return ["name", text]


def place(position: str | int | Plain) -> Plain:
    return position if isinstance(position, list) else name(position) if isinstance(position, str) else num(position)


def x(position: str | int | Plain) -> Plain:
    return ["token", place(position)]


def mat(text: str) -> Plain:
    return ["matrix", text]


def vec(text: str) -> Plain:
    return ["vector", text]


def times(*parts: Plain) -> Plain:
    return ["*", *parts]


def plus(*parts: Plain) -> Plain:
    return ["+", *parts]


def minus(one: Plain, two: Plain) -> Plain:
    return ["+", one, ["*", num(-1), two]]


def over(one: Plain, two: Plain) -> Plain:
    return ["/", one, two]


def power(base: Plain, exponent: int | str | Plain) -> Plain:
    return ["**", base, exponent if isinstance(exponent, list) else num(exponent)]


def form(one: str | int | Plain, two: str | int | Plain, matrix: str = "W") -> Plain:
    """x[one].T*W*x[two]."""
    return times(["T", x(one)], mat(matrix), x(two))


def total(body: Plain, index: str, first: str | int | Plain = 1, last: str | int | Plain = "T") -> Plain:
    return ["sum", body, index, place(first), place(last)]


def relation(mark: str, one: Plain, two: Plain) -> Plain:
    return ["relation", mark, one, two]


def statement(left: Plain, right: Plain | None = None, law: Plain | None = None, **more: Any) -> dict[str, Any]:
    return {"law": law or ["walk"], "left": left, "right": right or num(0), **more}
