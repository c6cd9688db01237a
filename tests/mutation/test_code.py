"""What the mutation of code counts as no change: the arguments of a symmetric function exchanged."""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from types import FunctionType
from typing import Any

import pytest
import sympy as sp
import torch

import montecarlo
import theorems
from montecarlo import registry
from tests.mutation import code
from tests.mutation.code import SYMMETRIC, code_mutants, methods, mutated, plain
from theorems.algebra import agreement, closed, expressions
from theorems.algebra.expressions import symbol
from theorems.gaussian import exchangeable
from theorems.gaussian.exchangeable import MEAN, output, token
from theorems.gaussian.moments.increments import SecondRoute
from theorems.gaussian.process import KERNELS, Process, chain_of
from theorems.lampert2026.comparison import structural_bound
from theorems.lampert2026.rules import optimum as optimum_rules
from theorems.lampert2026.rules import optimum_ends
from theorems.rules import licensed, softmax_sums
from theorems.rules import norm as norm_rules
from theorems.statement import proposition
from theorems.statement.deciding.decide import Derivation
from theorems.statement.expression import Expr
from theorems.statement.moments import normal
from theorems.statement.proofs.prover import Prover
from theorems.statement.work import Work

x, y = symbol("x"), symbol("y")
NUMBERS = (x, y, (x + 1) ** 2, x**2 + 2 * x + 1, sp.sqrt(4 * x), 2 * sp.sqrt(x), sp.Integer(2))
VECTORS = (output("i", x), output("j", y), token(MEAN).mapped("Wt"), token("i").mapped().mapped("Wt") + token(MEAN))


def _covariance(kind: type[Process]) -> tuple[Callable[[Any, Any], Any], Sequence[Any]]:
    walk = kind(KERNELS["mean"], chain_of(("i", "j", "T")), symmetric=False)
    i, j, last = walk.positions
    return walk.covariance, (walk.token(i), walk.token(last), walk.tokens(i, last), walk.tokens(upto=j))


def _covariance_of_a_statement() -> tuple[Callable[[Any, Any], Any], Sequence[Any]]:
    prop = proposition("Cov[x[i].T*W*x[j], norm(x[j])**2] = E[x[i].T*x[j]]", "W symmetric, i < j")
    derivation = Derivation(prop)
    (order,) = derivation.orders
    return derivation.exact(order).covariance, (*prop.left.args, *prop.right.args)


def _equal_sides() -> tuple[Callable[[Any, Any], Any], Sequence[Any]]:
    """Whether two sides are shown equal: by normal form, by both inequalities, or not at all."""
    prop = proposition("norm(Sigma, nuclear) + (u + 1)**2 = tr(Sigma) + u**2 + 2*u + 1", "u real")
    prover = Prover(prop, Work(60000))

    def equal(left: Expr, right: Expr) -> bool:
        return prover.equal(left, right) is not None

    return equal, (prop.left, prop.right, prop.right.args[0])


#: Every function of those names, with arguments that it takes.
EXAMPLES: dict[str, tuple[Callable[[Any, Any], Any], Sequence[Any]]] = {
    "theorems.algebra.expressions.same": (expressions.same, NUMBERS),
    "theorems.algebra.closed.equal": (closed.equal, NUMBERS),
    # what asks it
    "theorems.algebra.agreement._Comparison.same": (agreement.agree, NUMBERS),
    "theorems.statement.moments.normal.equal": (normal.equal, NUMBERS),
    "theorems.statement.proofs.prover.Prover.equal": _equal_sides(),
    "theorems.statement.moments.scalars.Exact.covariance": _covariance_of_a_statement(),
    "theorems.rules.softmax_sums.equal_sums": (softmax_sums.equal_sums, NUMBERS),
    "theorems.rules.norm._is": (norm_rules._is, NUMBERS),
    "theorems.gaussian.exchangeable.moment": (exchangeable.moment, VECTORS),
    "theorems.gaussian.exchangeable.moment_by_deviations": (exchangeable.moment_by_deviations, VECTORS),
    "theorems.gaussian.process.Process.covariance": _covariance(Process),
    "theorems.gaussian.moments.increments.SecondRoute.covariance": _covariance(SecondRoute),
    "montecarlo.registry.covariance": (registry.covariance, tuple(torch.eye(4, dtype=torch.float64))),
}


def _named() -> Iterator[str]:
    """The functions of the two sides whose names are those of symmetric functions, and that take two arguments."""
    for package in (theorems, montecarlo):
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if ".kernels" in found.name or ".lampert2026" in found.name or ".bao2024" in found.name:
                # no function there is called by its name alone
                continue
            module = importlib.import_module(found.name)
            for value in vars(module).values():
                kind = type if isinstance(value, type) else None
                inside = methods(value) if kind else [getattr(value, "__wrapped__", value)]
                for function in inside:
                    own = isinstance(function, FunctionType) and function.__module__ == found.name
                    # a method takes itself, too
                    if own and function.__name__ in SYMMETRIC and function.__code__.co_argcount >= 2 + (kind is type):
                        yield f"{function.__module__}.{function.__qualname__}"


def _exchanged(function: Callable[[Any, Any], Any], arguments: Sequence[Any]) -> tuple[list[str], list[str]]:
    """The values at all pairs of arguments, and those of the pairs the other way round."""
    pairs = list(product(arguments, repeat=2))
    return [str(function(one, two)) for one, two in pairs], [str(function(two, one)) for one, two in pairs]


@pytest.mark.parametrize("name", EXAMPLES)
def test_symmetric_functions_are_symmetric(name: str) -> None:
    values, other = _exchanged(*EXAMPLES[name])
    assert values == other
    assert len(set(values)) > 1


def test_what_is_not_symmetric_is_seen() -> None:
    values, other = _exchanged(lambda one, two: exchangeable.moment(one, two.mapped()), VECTORS)
    assert values != other


def kept(changed: Callable[..., Any]) -> bool:
    """Whether what a cached function of a rule remembers outlasts the mutant of a function."""
    structural = structural_bound()
    assert licensed(structural)
    held = optimum_rules._dual_holds.cache_info().currsize
    assert held
    with mutated(code_mutants(plain(changed))[0]):
        left = optimum_rules._dual_holds.cache_info().currsize
    return left == held


def test_what_cannot_have_called_a_mutant_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    # in another module that is not imported, and in the same one by another name
    assert kept(optimum_ends.budget_at)
    assert kept(optimum_rules.pair_average)
    # itself, what it calls, and what that calls
    assert not kept(optimum_rules._dual_holds)
    assert not kept(optimum_rules.at_least_zero)
    assert not kept(optimum_rules._polynomial)
    # a table may be how it is called
    monkeypatch.setattr(optimum_rules, "WAYS", {"pairs": optimum_rules.pair_average}, raising=False)
    code._tabled.cache_clear()
    code._apart.cache_clear()
    assert not kept(optimum_rules.pair_average)
    monkeypatch.undo()
    code._tabled.cache_clear()
    code._apart.cache_clear()


def test_who_asks_for_rules_by_their_names_remembers_nothing() -> None:
    asking = functools.lru_cache(lambda step: licensed(step))
    asking.__module__ = optimum_rules.__name__
    assert not code._apart(asking, plain(optimum_ends.budget_at))
    # a function of no rule's module either
    assert not code._apart(closed.vanishes, plain(optimum_ends.budget_at))


def test_every_symmetric_function_of_ours_is_looked_at() -> None:
    assert set(_named()) == set(EXAMPLES)
    theirs = {"min", "max", "Min", "Max", "Add", "Mul", "gcd", "has"}
    assert {name.rpartition(".")[2] for name in EXAMPLES} == SYMMETRIC - theirs
