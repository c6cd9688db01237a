"""Printed formulas: the one place where symbols are made, and a reader that evaluates nothing but arithmetic."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache, lru_cache, reduce
from math import comb, prod
from operator import itemgetter
from typing import Any

import flint
import numpy as np
import sympy as sp
from sympy.printing.precedence import PRECEDENCE
from sympy.printing.str import StrPrinter

from theorems.algebra.pascal import RowSum
from theorems.algebra.quotients import cancelled
from theorems.algebra.sums import close_sum

_BINARY = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**"}
_FUNCTIONS = {"sqrt": sp.sqrt, "exp": sp.exp, "log": sp.log, "cos": sp.cos, "sin": sp.sin, "erf": sp.erf, "Abs": sp.Abs}
_FUNCTIONS |= {"gamma": sp.gamma}
_RELATIONS = {ast.LtE: sp.Le, ast.GtE: sp.Ge, ast.Lt: sp.Lt, ast.Gt: sp.Gt, ast.Eq: sp.Eq, ast.NotEq: sp.Ne}
#: Longest formula that is read, in characters, and largest exponent.
MAX_LENGTH = 2_000
MAX_EXPONENT = 64
MAX_DEGREE = 256
MAX_TERMS = 3_000
MAX_SUMMANDS = 200
#: Most digits of an integer, levels of nesting, and arguments of Max and Min, which are compared with each other.
MAX_DIGITS, MAX_DEPTH, MAX_CHOICES = 100, 100, 12
#: Names that ``sympify`` reads back as something else.
RESERVED = frozenset({"E", "I", "N", "O", "Q", "S", "pi", "oo", "zoo", "nan"})


def _erf(x: Any) -> Any:
    # half a second to import, and hardly ever needed
    from scipy import special

    return special.erf(x)


def _gamma(x: Any) -> Any:
    from scipy import special

    return special.gamma(x)


_NUMERIC: dict[str, Any] = {"exp": np.exp, "log": np.log, "cos": np.cos, "sin": np.sin, "erf": _erf, "Abs": np.abs}
_NUMERIC |= {"gamma": _gamma}


class ExpressionError(ValueError):
    """A formula that is not plain arithmetic in names; the message quotes it and says what is wrong."""


class _Product(sp.Symbol):  # type: ignore[misc]
    """A symbol whose name is a product, u.T*v: raised to a power it is written in parentheses."""

    __slots__ = ()
    precedence = PRECEDENCE["Mul"] + 1


@cache
def symbol(name: str) -> sp.Symbol:
    """The symbol of that name: the same object everywhere, without assumptions, as ``sympify`` would make it."""
    return _Product(name) if "*" in name.partition("(")[0] else sp.Symbol(name)


@lru_cache(maxsize=4096)
def parse(text: str) -> sp.Expr:
    """Read one arithmetic expression: + - * / **, integers, names, pi, sqrt, exp, log, cos, sin, erf, gamma, Abs, ...

    ``Indicator(a <= b)`` is 1 where the relation holds and 0 elsewhere. ``Sum(body, k, low, high)`` closes at once
    (Faulhaber), its body a polynomial in k; ``Sum(binomial(n, k), k, 0, m)`` is a partial sum of a row of Pascal's
    triangle, which stays as it is while n or m holds a name. Nothing is executed, and what would take long to expand is
    refused. Raises ExpressionError.
    """
    if len(text) > MAX_LENGTH:
        raise ExpressionError(f"formula of {len(text)} characters; expected at most {MAX_LENGTH}")
    try:
        tree = ast.parse(text.strip(), mode="eval").body
        _check_nesting(tree, text)
        found = _build(tree, text)
    except ExpressionError:
        raise
    except (SyntaxError, ValueError, RecursionError, MemoryError, sp.PolynomialError) as error:
        reason = " ".join(str(error).split())[:120]
        raise ExpressionError(f"formula {text[:80]!r} is not an arithmetic expression: {reason}") from None
    if found.has(sp.zoo, sp.nan, sp.oo, -sp.oo, sp.I):
        raise ExpressionError(f"formula {text[:80]!r} has no finite real value")
    return found


def _check_nesting(tree: ast.expr, text: str) -> None:
    """Raise ExpressionError for a formula of too many levels; sums and products in a row are one level."""
    level: list[tuple[ast.AST, int]] = [(tree, 0)]
    while level:
        node, depth = level.pop()
        if depth > MAX_DEPTH:
            raise ExpressionError(f"formula {text[:80]!r} is nested over {MAX_DEPTH} deep; name its parts")
        for child in ast.iter_child_nodes(node):
            row = isinstance(node, ast.BinOp) and child is node.left and not isinstance(node.op, ast.Pow)
            level.append((child, depth + (not row)))


def terms(expression: sp.Expr) -> int:
    """A bound of the terms that expanding gives, seen before anything is expanded; one for what stays as it is."""
    if expression.is_Add:
        return sum(terms(part) for part in expression.args)
    if expression.is_Mul:
        return prod(terms(part) for part in expression.args)
    if expression.is_Pow and expression.exp.is_Integer and expression.exp > 1:
        return _power_terms(expression.base, int(expression.exp))
    return 1


def _power_terms(base: sp.Expr, power: int) -> int:
    return comb(terms(base) + power - 1, power)


def _degree(expression: sp.Expr) -> int:
    """The highest total degree that expanding could reach."""
    if expression.is_Pow and expression.exp.is_Integer:
        return _degree(expression.base) * abs(int(expression.exp))
    if expression.is_Add or expression.is_Mul:
        parts = [_degree(argument) for argument in expression.args]
        return max(parts) if expression.is_Add else sum(parts)
    return 0 if expression.is_number else 1


def _power(left: sp.Expr, right: sp.Expr, text: str) -> sp.Expr:
    if right.is_number and not right.is_Rational:
        raise ExpressionError(f"formula {text[:80]!r} has an exponent that is no rational number")
    if right.is_Rational and abs(right) > MAX_EXPONENT:
        raise ExpressionError(f"formula {text[:80]!r} has an exponent over {MAX_EXPONENT}; write a smaller power")
    if left == 0 and right.is_negative:
        raise ExpressionError(f"formula {text[:80]!r} divides by zero")
    if left.is_Rational and right.is_Rational:
        bits = max(abs(left.p), left.q).bit_length() * abs(float(right))
        if bits > 4 * MAX_LENGTH:
            raise ExpressionError(
                f"formula {text[:80]!r} holds a number of over {4 * MAX_LENGTH} bits; write a smaller one"
            )
    if right.is_Integer and _degree(left) * abs(int(right)) > MAX_DEGREE:
        raise ExpressionError(f"formula {text[:80]!r} is of a degree over {MAX_DEGREE}; write a smaller power")
    if right.is_Integer and left.is_Add and _power_terms(left, abs(int(right))) > MAX_TERMS:
        raise ExpressionError(f"formula {text[:80]!r} would expand to over {MAX_TERMS} terms; write a smaller power")
    return left**right


def _build(node: ast.expr, text: str) -> sp.Expr:
    if isinstance(node, ast.Constant) and type(node.value) is int:
        if abs(node.value) >= 10**MAX_DIGITS:
            raise ExpressionError(f"formula {text[:80]!r} holds an integer of over {MAX_DIGITS} digits")
        return sp.Integer(node.value)
    if isinstance(node, ast.Name) and node.id == "pi":
        return sp.pi
    if isinstance(node, ast.Name) and node.id not in RESERVED:
        return symbol(node.id)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_build(node.operand, text)
    if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        left, right = _build(node.left, text), _build(node.right, text)
        operation = _BINARY[type(node.op)]
        if operation == "+":
            return left + right
        if operation == "-":
            return left - right
        if operation == "*":
            return left * right
        if operation == "/":
            if right == 0:
                raise ExpressionError(f"formula {text[:80]!r} divides by zero")
            return left / right
        return _power(left, right, text)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        if node.func.id == "Sum" and len(node.args) == 4 and isinstance(node.args[1], ast.Name):
            if isinstance(node.args[0], ast.Call) and ast.unparse(node.args[0].func) == "binomial":
                return _row_sum(node.args[0], node.args[1].id, node.args[2], node.args[3], text)
            body, low, high = (_build(node.args[k], text) for k in (0, 2, 3))
            if _degree(body) > MAX_EXPONENT:
                raise ExpressionError(f"formula {text[:80]!r} sums a degree over {MAX_EXPONENT}; write a smaller power")
            if terms(body) > MAX_TERMS or len(sp.Add.make_args(sp.expand(body))) > MAX_SUMMANDS:
                raise ExpressionError(f"formula {text[:80]!r} sums over {MAX_SUMMANDS} terms; write a shorter sum")
            # Faulhaber's polynomial is of one degree more, in the ends
            if any(_power_terms(end, _degree(body) + 1) > MAX_TERMS for end in (low, high)):
                raise ExpressionError(f"formula {text[:80]!r} sums to an end of too many terms; name the end")
            return close_sum(body, symbol(node.args[1].id), low, high)
        if node.func.id == "Indicator" and len(node.args) == 1:
            return _indicator(node.args[0], text)
        if node.func.id in ("Max", "Min") and 1 < len(node.args) <= MAX_CHOICES:
            choice = sp.Max if node.func.id == "Max" else sp.Min
            return choice(*(_build(part, text) for part in node.args))
        if node.func.id in _FUNCTIONS and len(node.args) == 1:
            argument = _build(node.args[0], text)
            if argument.is_number and not argument.is_Rational and argument is not sp.pi:
                raise ExpressionError(f"formula {text[:80]!r} applies {node.func.id} to a number that is not rational")
            if node.func.id == "gamma" and argument.is_Rational and abs(argument) > MAX_DEGREE:
                raise ExpressionError(f"formula {text[:80]!r} takes gamma of a number over {MAX_DEGREE}")
            return _FUNCTIONS[node.func.id](argument)
    raise ExpressionError(f"formula {text[:80]!r}: {ast.unparse(node)[:80]!r} is not arithmetic in names and integers")


def _row_sum(body: ast.Call, index: str, low: ast.expr, high: ast.expr, text: str) -> sp.Expr:
    """sum_{k=0}^m C(n, k), with n and m free of k; ExpressionError for any other sum of binomial coefficients."""
    over = len(body.args) == 2 and not body.keywords and ast.unparse(body.args[1]) == index
    if not over or _build(low, text) != 0:
        raise ExpressionError(f"formula {text[:80]!r}: binomials are summed as Sum(binomial(n, k), k, 0, m) only")
    n, m = _build(body.args[0], text), _build(high, text)
    if (n + m).has(symbol(index)):
        raise ExpressionError(f"formula {text[:80]!r}: the ends of the sum over {index} hold {index}; rename it")
    if any(part.is_number and not (part.is_Integer and abs(part) <= MAX_TERMS) for part in (n, m)):
        raise ExpressionError(f"formula {text[:80]!r}: a sum of binomials takes integers of at most {MAX_TERMS}")
    return RowSum(n, m)


def _indicator(node: ast.expr, text: str) -> sp.Expr:
    """1 where one comparison holds, 0 elsewhere."""
    if not isinstance(node, ast.Compare) or len(node.ops) != 1 or type(node.ops[0]) not in _RELATIONS:
        raise ExpressionError(f"formula {text[:80]!r}: Indicator takes one comparison, e.g. Indicator(theta >= 1/2)")
    left, right = _build(node.left, text), _build(node.comparators[0], text)
    relation = _RELATIONS[type(node.ops[0])](left, right)
    return sp.Piecewise((sp.Integer(1), relation), (sp.Integer(0), True))


def normal(expression: sp.Expr) -> sp.Expr:
    """Normal form of a rational expression: expanded numerator over an expanded, content-free denominator."""
    expression = sp.sympify(expression)
    if expression.is_polynomial(*expression.free_symbols):
        return sp.expand(expression)
    if not expression.is_rational_function(*expression.free_symbols):
        return sp.expand(expression)
    numerator, denominator = sp.fraction(sp.cancel(sp.together(expression)))
    return sp.expand(sp.Add(*(term / denominator for term in sp.Add.make_args(sp.expand(numerator)))))


def same(left: sp.Expr, right: sp.Expr) -> bool:
    """Whether two rational expressions are equal, by normal form of their difference."""
    difference = sp.expand(sp.sympify(left) - sp.sympify(right))
    if difference == 0:
        return True
    if _monomial_denominators(difference) or not difference.is_rational_function(*difference.free_symbols):
        return False
    return bool(cancelled(difference)[0] == 0)


def _monomial_denominators(expanded: sp.Expr) -> bool:
    """Whether nothing but symbols and numbers is divided by, so that the expanded form is a normal form."""
    return not any(
        node.is_Pow and node.exp.is_negative and isinstance(node.base, sp.Add)
        for node in sp.preorder_traversal(expanded)
    )


class _Plain(StrPrinter):  # type: ignore[misc]
    """Writes indicators so that ``parse`` reads them back."""

    def _print_Piecewise(self, expression: sp.Expr) -> str:
        (value, condition), *others = expression.args
        if value != 1 or [tuple(other) for other in others] != [(0, sp.true)]:
            raise ExpressionError(f"{expression} is no indicator; it cannot be written as a formula")
        sign = {"Equality": "=="}.get(type(condition).__name__) or condition.rel_op
        return f"Indicator({self._print(condition.lhs)} {sign} {self._print(condition.rhs)})"


def text(expression: sp.Expr) -> str:
    """The expression as one line that ``parse`` reads back to an equal expression."""
    return str(_Plain().doprint(expression))


def value_at(expression: sp.Expr, point: Mapping[str, Fraction | int]) -> sp.Expr:
    """The expression with exact rational values put in for its symbols; raises KeyError for a missing one."""
    exact = rational_at(expression, point)
    if exact is not None:
        return sp.Rational(int(exact.p), int(exact.q))
    missing = sorted(s.name for s in expression.free_symbols if s.name not in point)
    if missing:
        raise KeyError(missing[0])
    table = {s: sp.Rational(*Fraction(point[s.name]).as_integer_ratio()) for s in expression.free_symbols}
    return sp.sympify(expression.xreplace(table)) if table else expression


Rationals = Callable[[Mapping[str, flint.fmpq]], flint.fmpq]


def rational_at(expression: sp.Expr, point: Mapping[str, Fraction | int]) -> flint.fmpq | None:
    """The value of a rational function, Abs, Max and Min included; None for another one, and where it has no value.

    Raises KeyError for a name that the point lacks.
    """
    found = _rational(expression)
    if found is None:
        return None
    function, names = found
    try:
        return function({name: flint.fmpq(*Fraction(point[name]).as_integer_ratio()) for name in names})
    except ZeroDivisionError:
        return None


@lru_cache(maxsize=2048)
def _rational(expression: sp.Expr) -> tuple[Rationals, tuple[str, ...]] | None:
    """The expression as a function of rational numbers, and its names: its tree is read once, not at every point."""
    function = _arithmetic(expression)
    return None if function is None else (function, tuple(sorted(s.name for s in expression.free_symbols)))


def _arithmetic(expression: sp.Expr) -> Rationals | None:
    if expression.is_Symbol:
        return itemgetter(expression.name)
    if expression.is_Rational:
        value = flint.fmpq(int(expression.p), int(expression.q))
        return lambda _: value
    if expression.is_Pow and not expression.exp.is_Integer:
        return None
    parts = [_arithmetic(argument) for argument in expression.args]
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    if expression.is_Pow:
        power = int(expression.exp)
        return lambda point: known[0](point) ** power
    if expression.is_Add:
        return lambda point: sum((part(point) for part in known), flint.fmpq(0))
    if expression.is_Mul:
        return lambda point: prod((part(point) for part in known), start=flint.fmpq(1))
    if isinstance(expression, sp.Abs):
        return lambda point: abs(known[0](point))
    if isinstance(expression, sp.Max | sp.Min):
        largest = max if isinstance(expression, sp.Max) else min
        return lambda point: largest(part(point) for part in known)
    return None


def floats(expression: sp.Expr, table: Mapping[str, Any]) -> Any:
    """The expression in floating point, for numbers or numpy arrays in the table; NaN where it is not real."""
    if expression.is_Symbol:
        return table[expression.name]
    if expression.is_number:
        return float(expression)
    parts = [floats(argument, table) for argument in expression.args]
    if expression.is_Add:
        return sum(parts[1:], parts[0])
    if expression.is_Mul:
        value = parts[0]
        for part in parts[1:]:
            value = value * part
        return value
    if expression.is_Pow and expression.exp.is_Integer and not isinstance(parts[0], float):
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            return parts[0] ** int(expression.exp)
    if expression.is_Pow:
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            return np.sqrt(parts[0]) if expression.exp == sp.Rational(1, 2) else np.power(parts[0], parts[1])
    name = expression.func.__name__
    if name in ("Max", "Min"):
        return reduce(np.maximum if name == "Max" else np.minimum, parts)
    if name in _NUMERIC:
        with np.errstate(invalid="ignore", over="ignore"):
            return _NUMERIC[name](parts[0])
    if isinstance(expression, RowSum):
        return expression.floats(*parts)
    raise ExpressionError(f"{expression.func.__name__} in {expression} has no floating-point form here")
