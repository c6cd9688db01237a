"""Exact functionals of a case, by name: what a formula's names stand for besides parameters, words and norms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import sympy as sp

#: An exact ``theorems.gaussian.numeric.Case`` as a closed expression.
Value = Callable[[Any], sp.Expr]


@dataclass(frozen=True)
class Functional:
    """A named number of a case: its LaTeX, and the function that gives it as an exact closed expression."""

    name: str
    latex: str
    value: Value


_KNOWN: dict[str, Functional] = {}


def functional(name: str, *, latex: str) -> Callable[[Value], Value]:
    """Register a function of a case as the functional of that name; ValueError where the name is taken."""

    def register(function: Value) -> Value:
        taken = _KNOWN.get(name)
        if taken is not None:
            raise ValueError(f"functional {name!r} is there already ({taken.value.__module__}); choose another name")
        _KNOWN[name] = Functional(name, latex, function)
        return function

    return register


def known(name: str) -> Functional | None:
    """The functional of that name; None where there is none."""
    return _KNOWN.get(name)
