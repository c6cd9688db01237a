"""Derivatives of expressions by a parameter, as expressions: the sum, product, chain and quotient rules."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from theorems.statement.expression import Expr, StatementError, minus, negative, number
from theorems.statement.reading.chances import by_erf
from theorems.statement.reading.shapes import shape

_ZERO, _ONE = number(0), number(1)


def derivative(node: Expr, variable: str) -> Expr:
    """d node/d variable; StatementError for what has no derivative here, such as min(...) and indicator(...).

    A derivative is put in where one stands in another. |f|' = f f'/|f|, which has no value where f = 0.
    """
    if node.op == "diff":
        return derivative(settled(node), variable)
    if node.has("lim"):
        raise StatementError(f"diff(...) of {node}, a limit; take lim(diff(...))", at=node.at)
    if variable not in node.names():
        return _ZERO
    rule = _RULES.get(node.op)
    if rule is None:
        raise StatementError(
            f"diff(...) of {node} by {variable}: {node.op}(...) has no derivative here; expected +, -, *, /, powers, "
            "sqrt, exp, log, cos, sin, erf, abs, sums and probabilities of a normal number",
            at=node.at,
        )
    return rule(node, variable)


def settled(node: Expr) -> Expr:
    """The expression that diff(body, name, place) is."""
    body, variable, at = node.args
    return derivative(body, variable).put({variable: at})


def worked(node: Expr) -> Expr:
    """The expression with all derivatives in it taken."""
    return settled(node) if node.op == "diff" else node.mapped(worked) if node.has("diff") else node


def _sum_of(terms: list[Expr]) -> Expr:
    kept = tuple(term for term in terms if term != _ZERO)
    return _ZERO if not kept else kept[0] if len(kept) == 1 else Expr("+", kept)


def _product_of(*factors: Expr) -> Expr:
    if _ZERO in factors:
        return _ZERO
    kept = tuple(factor for factor in factors if factor != _ONE)
    return _ONE if not kept else kept[0] if len(kept) == 1 else Expr("*", kept)


def _product(node: Expr, variable: str) -> Expr:
    parts = node.args
    return _sum_of(
        [_product_of(*parts[:k], derivative(part, variable), *parts[k + 1 :]) for k, part in enumerate(parts)]
    )


def _quotient(node: Expr, variable: str) -> Expr:
    above, below = node.args
    first = _product_of(derivative(above, variable), below)
    second = _product_of(above, derivative(below, variable))
    return Expr("/", (_sum_of([first, _ZERO if second == _ZERO else negative(second)]), Expr("**", (below, number(2)))))


def _power(node: Expr, variable: str) -> Expr:
    base, exponent = node.args
    if base.op == "norm" and base.args[1] in ("", "fro") and exponent == number(2):
        square = Expr("*", (Expr("T", (base.args[0],)), base.args[0]))
        return derivative(square if shape(base.args[0]) != "matrix" else Expr("tr", (square,)), variable)
    inner = derivative(base, variable)
    if variable not in exponent.names():
        less = number(exponent.args[0] - 1) if exponent.op == "number" else minus(exponent, _ONE)
        return _product_of(exponent, base if less == _ONE else Expr("**", (base, less)), inner)
    # base^exponent = exp(exponent log base)
    slope = _sum_of(
        [
            _product_of(derivative(exponent, variable), Expr("log", (base,))),
            _ZERO if inner == _ZERO else Expr("/", (_product_of(exponent, inner), base)),
        ]
    )
    return _product_of(node, slope)


def _chained(outer: Callable[[Expr, Expr], Expr]) -> Callable[[Expr, str], Expr]:
    """f(u)' from ``outer``, which makes of f(u) and u the factor of u'."""

    def rule(node: Expr, variable: str) -> Expr:
        return _product_of(outer(node, node.args[0]), derivative(node.args[0], variable))

    return rule


def _summed(node: Expr, variable: str) -> Expr:
    body, index, first, last = node.args
    if variable in first.names() | last.names():
        raise StatementError(
            f"diff(...) of {node}: {variable} is at its ends; expected it in its terms alone",
            at=node.at,
        )
    return Expr("sum", (derivative(body, variable), index, first, last))


def _expected(node: Expr, variable: str) -> Expr:
    """E[f]' = E[f'] for f that is a polynomial in the name, whose moments are finite."""
    inner = node.args[0]
    for part in inner.walk():
        within = any(variable in arg.names() for arg in part)
        plain = part.op in ("+", "*", "T", "tr", "norm", "sum", "E") or (
            part.op in ("/", "**") and variable not in part.args[1].names()
        )
        if within and not plain:
            raise StatementError(f"diff(...) of {node}; expected one of a polynomial in {variable}", at=node.at)
    return Expr("E", (derivative(inner, variable),))


def _through(node: Expr, variable: str) -> Expr:
    """Of what is linear: the transpose, the trace."""
    return Expr(node.op, (derivative(node.args[0], variable),))


def _gaussian(inner: Expr) -> Expr:
    """erf'(u) = 2 exp(-u^2)/sqrt(pi)."""
    weight = Expr("/", (number(2), Expr("sqrt", (Expr("pi"),))))
    return _product_of(weight, Expr("exp", (negative(Expr("**", (inner, number(2)))),)))


_RULES: dict[str, Callable[[Expr, str], Expr]] = {
    "name": lambda node, variable: _ONE,
    "+": lambda node, variable: _sum_of([derivative(part, variable) for part in node.args]),
    "*": _product,
    "/": _quotient,
    "**": _power,
    "sum": _summed,
    "E": _expected,
    "T": _through,
    "tr": _through,
    "sqrt": _chained(lambda node, inner: Expr("/", (number(Fraction(1, 2)), node))),
    "exp": _chained(lambda node, inner: node),
    "log": _chained(lambda node, inner: Expr("/", (_ONE, inner))),
    "cos": _chained(lambda node, inner: negative(Expr("sin", (inner,)))),
    "sin": _chained(lambda node, inner: Expr("cos", (inner,))),
    "abs": _chained(lambda node, inner: Expr("/", (inner, node))),
    "erf": _chained(lambda node, inner: _gaussian(inner)),
    "chance": lambda node, variable: derivative(by_erf(node), variable),
}
