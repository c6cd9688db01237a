"""The trusted rules of the proof kernel: each one checks that a step is an instance of it.

A rule returns True only if the step's data is what the rule licenses; what a rule takes on trust is in its docstring.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules
from types import MappingProxyType
from typing import Any

import sympy as sp
from sympy.calculus.util import continuous_domain

import theorems
from theorems.algebra.expressions import same, symbol
from theorems.algebra.ratio import Ratio, total
from theorems.algebra.sizes import elementary, modest
from theorems.claims.facts import Facts
from theorems.gaussian.moments.increments import SecondRoute
from theorems.gaussian.observables import Observable
from theorems.gaussian.process import Process

Trace = tuple[str, ...]
Rule = Callable[..., bool]

RULES: dict[str, Rule] = {}
#: What the rules say of themselves, by name.
ABOUT: dict[str, About] = {}

#: Functions of an integral: of others sympy's search for poles and jumps may not end.
INTEGRATED = (sp.exp, sp.log, sp.sin, sp.cos)

#: Where every exponential is 1.
ORIGIN = {symbol("u"): sp.Integer(1), symbol("v"): sp.Integer(1)}


Needs = tuple[str, ...] | Callable[..., tuple[str, ...]]


@dataclass(frozen=True)
class About:
    """What a rule says of itself, beside what it checks.

    ``says`` is the sentence that it licenses; ``needs`` are the hypotheses of the statement that it uses
    ("W symmetric", "eta > 0"), or a function of a step's data that gives them; ``concludes`` is the place of its
    conclusion in a step's data, ``takes`` the places of what must be known before, where it derives nothing by itself;
    ``facts`` are what the setting that the rule is about says of its names. ``trusted`` is what is taken on trust,
    ``source`` where that is from.
    """

    says: str = ""
    needs: Needs = ()
    concludes: int | None = None
    takes: tuple[int, ...] = ()
    facts: Facts = field(default_factory=Facts)
    trusted: str = ""
    source: str = ""


def rule(
    name: str,
    *,
    needs: Needs = (),
    concludes: int | None = None,
    takes: tuple[int, ...] = (),
    facts: Facts | None = None,
    argued: bool = False,
    source: str = "",
) -> Callable[[Rule], Rule]:
    """Register a rule of the kernel under its name, with what it says of itself.

    What it takes on trust is read from its docstring: the clause after "Trusted:", or all of it where the rule is
    ``argued``, that is, where the docstring holds an argument that no code checks.
    """

    def register(check: Rule) -> Rule:
        if not check.__module__.startswith("theorems."):
            load()
        if name in RULES:
            # what can be proved does not change with what is imported
            raise ValueError(f"{name!r} is a rule already, of {RULES[name].__module__}; take another name")
        RULES[name] = check
        words = " ".join((check.__doc__ or "").split())
        trusted = words if argued else _trusted(words)
        says = (check.__doc__ or "").split("\n\n")[0].partition("Trusted")[0]
        ABOUT[name] = About(" ".join(says.split()), needs, concludes, takes, facts or Facts(), trusted, source)
        return check

    return register


def _trusted(words: str) -> str:
    """The clause of a docstring after "Trusted:"; all of it where that says no more than that it is trusted."""
    _, mark, clause = words.partition("Trusted")
    if not mark:
        return ""
    return clause.removeprefix(":").strip() if clause.startswith(":") and not clause.startswith(": this") else words


@rule("isserlis", source="Isserlis, Biometrika 12, 1918; McCullagh, Tensor Methods in Statistics, 1987, Chapter 3")
def isserlis(observable: Observable, value: Ratio, process: Process, chain: tuple[str, ...]) -> bool:
    """E[x_a^T A x_b x_c^T B x_e] is a sum over the pairings of the tokens, each with its covariance K(s, t) Sigma.

    Recomputed from the joint cumulants of the forms.

    Trusted: the joint cumulants of quadratic forms in a Gaussian vector (connected terms of log det).
    """
    other = SecondRoute(process.kernel, chain, process.symmetric)
    return total(t.coefficient * other.product(t.forms) for t in observable.terms) == value


@rule("wick")
def wick(observable: Observable, value: Ratio, process: Process, chain: tuple[str, ...]) -> bool:
    """E[x_a^T A x_b x_c^T B x_e] is a sum over joint cumulants of the forms x_a^T A x_b.

    Recomputed by Wick's pairings of the tokens.
    """
    other = Process(process.kernel, chain, process.symmetric)
    return total(t.coefficient * other.product(t.forms) for t in observable.terms) == value


@rule("faulhaber", takes=(0,))
def faulhaber(summand: Ratio, index: str, lower: Ratio, upper: Ratio, primitive: Ratio, value: Ratio) -> bool:
    """sum_(m<k<=n) f(k) = P(n) - P(m) where P(k) - P(k - 1) = f(k): a sum by telescoping."""
    previous = primitive.substitute(index, Ratio.of(index) - 1)
    ends = primitive.substitute(index, upper) - primitive.substitute(index, lower)
    return primitive - previous == summand and ends == value


@rule("identity")
def identity(left: Ratio, right: Ratio) -> bool:
    """An identity of polynomials over monomials, decided by normal form."""
    return left == right


def _whole_at_origin(numerator: sp.Expr, denominator: sp.Expr, *_: Any) -> tuple[str, ...]:
    """What keeps a denominator away from 0 where every exponential is 1: nothing for a number, and T is one or more."""
    below = sp.factor(denominator.xreplace(ORIGIN))
    return () if below.is_number or below == symbol("T") else (f"{below} != 0",)


@rule("softmax-weight")
def softmax_weight(exponentials: tuple[tuple[sp.Expr, sp.Expr], ...], own: sp.Expr, value: sp.Expr) -> bool:
    """S_i = exp(w_i)/sum_j exp(w_j), a weight of the softmax over T scores.

    In (exponential, how many of it). The exponentials are 1, u and v, of scores that are 0 or names, and there are T of
    them in all: so many of each as 0, 1, 2, ..., or T less one of these.
    """
    known = {sp.Integer(1), *ORIGIN}
    counted = [exponential for exponential, _ in exponentials]
    if set(counted) - known or len(set(counted)) != len(counted):
        return False
    if not all(_is_count(count) for _, count in exponentials) or dict(exponentials).get(own, 0) == 0:
        return False
    whole = sp.Add(*(count * exponential for exponential, count in exponentials))
    return same(sp.Add(*(count for _, count in exponentials)), symbol("T")) and same(own / whole, value)


def _is_count(count: sp.Expr) -> bool:
    """Whether a number of scores is one of 0, 1, 2, ..., or of T, T - 1, T - 2, ..., for as many T as have it."""
    left = sp.expand(symbol("T") - count)
    return any(number.is_Integer and number.is_nonnegative for number in (sp.sympify(count), left))


@rule("derivative", needs=_whole_at_origin)
def derivative(numerator: sp.Expr, denominator: sp.Expr, variable: str, value: sp.Expr) -> bool:
    """The derivative of a quotient along w at u = v = 1, where u or v is exp(w).

    (N' D - N D')/D^2 with ' = x d/dx for x = exp(w).
    """
    x, below = symbol(variable), denominator.xreplace(ORIGIN)
    if x not in ORIGIN or not (elementary(numerator) and elementary(denominator)):
        return False
    # a denominator of 0 gives no number, which is the same as none
    slope = x * (sp.diff(numerator, x) * denominator - numerator * sp.diff(denominator, x))
    return same(slope.xreplace(ORIGIN) / below**2, value)


def _chances(_: Any, probabilities: tuple[sp.Expr, ...], *__: Any) -> tuple[str, ...]:
    """Probabilities that are no numbers are at least 0; as all of them add up to 1, none is more than 1."""
    return tuple(f"{probability} >= 0" for probability in probabilities if not probability.is_number)


@rule("finite-expectation", needs=_chances)
def finite_expectation(
    values: tuple[sp.Expr, ...], probabilities: tuple[sp.Expr, ...], statistic: sp.Expr, power: int, value: sp.Expr
) -> bool:
    """E[f(X)^k] of a finite distribution: the weighted sum, and probabilities from 0 on that add up to 1."""
    if any(probability.is_number and not probability >= 0 for probability in probabilities):
        return False
    total_weight, weighted = sp.Integer(0), sp.Integer(0)
    for outcome, probability in zip(values, probabilities, strict=True):
        total_weight += probability
        weighted += probability * statistic.xreplace({symbol("x"): outcome}) ** power
    return same(total_weight, sp.Integer(1)) and same(weighted, value)


def _parameters(
    integrand: sp.Expr, variable: sp.Symbol, low: sp.Expr, high: sp.Expr, primitive: sp.Expr, *_: Any
) -> tuple[str, ...]:
    """What keeps the parameters of an integral where it makes sense: nothing below a line is 0, no root is of less."""
    found = []
    for part in (integrand, primitive, low, high):
        for node in part.atoms(sp.Pow, sp.log):
            base = node.args[0]
            if base.is_number or base.has(variable) or (node.is_Pow and node.exp.is_Integer and node.exp > 0):
                continue
            found.append(f"{base} {'!=' if node.is_Pow and node.exp.is_Integer else '>'} 0")
    return tuple(dict.fromkeys(found))


@rule("antiderivative", needs=_parameters)
def antiderivative(
    integrand: sp.Expr, variable: sp.Symbol, low: sp.Expr, high: sp.Expr, primitive: sp.Expr, value: sp.Expr
) -> bool:
    """A definite integral by an antiderivative: F' is the integrand, and F(high) - F(low) the value.

    Both are short, of sums, products and small powers of rational functions of x, of roots of such, and of their exp,
    log, sin and cos. Trusted: the fundamental theorem of calculus on an interval where F is smooth, and sympy's
    simplification to 0.
    """
    if not (high - low).is_extended_nonnegative or not all(map(modest, (integrand, primitive, low, high, value))):
        return False
    if not all(_integrable(f, variable) for f in (integrand, primitive)):
        return False
    inside = sp.Interval(low, high)
    if any(continuous_domain(f, variable, inside) != inside for f in (integrand, primitive)):
        return False
    slope = sp.simplify(sp.diff(primitive, variable) - integrand)
    ends = sp.simplify(primitive.subs(variable, high) - primitive.subs(variable, low) - value)
    return bool(slope == 0 and ends == 0)


def _integrable(function: sp.Expr, variable: sp.Symbol) -> bool:
    """Whether no function but INTEGRATED stands in an expression, and none, nor a root, in another one.

    Roots are of real numbers, as those of others jump where sympy does not look.
    """
    rooted = {power for power in function.atoms(sp.Pow) if not power.exp.is_Integer}
    if any(power.base.has(sp.I) or (power.base.is_number and not power.base.is_positive) for power in rooted):
        return False
    known = all(isinstance(part, INTEGRATED) for part in function.atoms(sp.Function))
    return known and all(
        part.is_rational_function(variable) for node in {*rooted, *function.atoms(*INTEGRATED)} for part in node.args
    )


@rule("at-origin", needs=_whole_at_origin)
def at_origin(numerator: sp.Expr, denominator: sp.Expr, value: sp.Expr) -> bool:
    """The value of N/D where every exponential is 1 (u = v = 1)."""
    return same(numerator.xreplace(ORIGIN) / denominator.xreplace(ORIGIN), value)


@rule("eigenvalue-average")
def eigenvalue_average(polynomial: sp.Expr, value: sp.Expr) -> bool:
    """(1/d) sum_i p(w_i) over the eigenvalues, with multiplicity: c_0 + sum_k c_k tr(W^k)/d for p = sum_k c_k w^k.

    A constant is no function of the eigenvalues. Trusted: sum_i w_i^k = tr(W^k) (Schur's triangular form).
    """
    if not polynomial.has(symbol("w")):
        return False
    average = sp.Integer(0)
    for (power,), coefficient in sp.Poly(polynomial, symbol("w")).terms():
        average += coefficient * (symbol(f"tr{power}") / symbol("d") if power else 1)
    return same(average, value)


@rule("psd-root", needs=("Sigma psd",), source="Horn and Johnson, Matrix Analysis, 2nd ed., Theorem 7.2.6")
def psd_root(matrix: str, root: str) -> bool:
    """A positive semidefinite matrix, Sigma, has a symmetric square root. Trusted; that it is one is asked for."""
    return matrix == "Sigma" and bool(root) and root not in KNOWN


#: The letters that are known to be symmetric matrices, W_QK where the statement says so, beside a root of Sigma.
KNOWN = ("W_QK", "Sigma")


def canonical_trace(letters: Trace, rewriting: Mapping[str, Trace] = MappingProxyType({})) -> Trace:
    """The least of all rotations of a product of symmetric letters and of its transpose, after rewriting."""
    word = tuple(piece for letter in letters for piece in rewriting.get(letter, (letter,)))
    turns = [w[k:] + w[:k] for w in (word, word[::-1]) for k in range(len(w))]
    return next(iter(sorted(turns)), ())


def _root_rewriting(rewriting: Mapping[str, Trace]) -> bool:
    """Whether nothing is rewritten but Sigma as R R with a letter of its own."""
    return all(name == "Sigma" and one == two and one not in (*KNOWN, "") for name, (one, two) in rewriting.items())


def _of_known(words: tuple[Trace, ...], rewriting: Mapping[str, Trace]) -> bool:
    """Whether words are made of W_QK, Sigma and its root alone: of other letters nothing is known."""
    known = {*KNOWN, *(letter for root in rewriting.values() for letter in root)}
    return _root_rewriting(rewriting) and known.issuperset(letter for word in words for letter in word)


def _turned(left: Trace, right: Trace, rewriting: Mapping[str, Trace]) -> tuple[str, ...]:
    """Sigma has a root where it is used, and W is symmetric where only transposition makes one product the other."""
    rooted = ("Sigma psd",) if rewriting else ()
    one, two = (tuple(piece for x in word for piece in rewriting.get(x, (x,))) for word in (left, right))
    rotated = any(two == one[k:] + one[:k] for k in range(max(1, len(one))))
    return rooted if rotated or "W_QK" not in one else ("W symmetric", *rooted)


@rule("trace-identity", needs=_turned)
def trace_identity(left: Trace, right: Trace, rewriting: Mapping[str, Trace]) -> bool:
    """tr of a product of W_QK, Sigma and its root equals that of another, by rotation, transposition and rewriting."""
    return _of_known((left, right), rewriting) and canonical_trace(left, rewriting) == canonical_trace(right, rewriting)


def trace_symbol(letters: Trace, rewriting: Mapping[str, Trace]) -> sp.Expr:
    """d for tr(I), tr1, tr2, ... for tr((W_QK Sigma)^k); ValueError for a trace that has no symbol."""
    word = canonical_trace(letters, rewriting)
    if not word:
        return symbol("d")
    power = sum(letter == "W_QK" for letter in word)
    if word != canonical_trace(("W_QK", "Sigma") * power, rewriting):
        raise ValueError(f"the trace of {' '.join(word)} has no symbol")
    return symbol(f"tr{power}")


def _symmetric(one: Trace, two: Trace, *rest: Any) -> tuple[str, ...]:
    """W is symmetric, as a product of symmetric letters is turned round by reading it backwards; Sigma has its root."""
    return (*(("W symmetric",) if "W_QK" in (*one, *two) else ()), *(("Sigma psd",) if rest[-1] else ()))


@rule("cauchy-schwarz", needs=_symmetric)
def cauchy_schwarz(one: Trace, two: Trace, smaller: sp.Expr, larger: sp.Expr, rewriting: Mapping[str, Trace]) -> bool:
    """tr(A^T B)^2 <= tr(A^T A) tr(B^T B) for products of W_QK, Sigma and its root.

    Products of other letters have no trace by name. Trusted: Cauchy-Schwarz.
    """
    if not _root_rewriting(rewriting):
        return False
    turned = one[::-1]
    cross, first, second = (trace_symbol(w, rewriting) for w in (turned + two, turned + one, two[::-1] + two))
    return same(cross**2, smaller) and same(first * second, larger)


@rule("square-root")
def square_root(quantity: sp.Expr, square: sp.Expr) -> bool:
    """q^2 <= s implies -sqrt(s) <= q <= sqrt(s) for real q. Trusted; the kernel asks for q^2 <= s among the steps."""
    return bool(quantity.is_Symbol and square.is_polynomial(*square.free_symbols))


@cache
def load() -> None:
    """Import every module that registers rules, so that what is licensed does not depend on who imported what.

    A paper's own rules stand in a sub-package ``rules`` of the paper's.
    """
    papers = (one.name for one in iter_modules(theorems.__path__) if one.ispkg)
    for package in ("rules", *(f"{paper}.rules" for paper in papers if find_spec(f"theorems.{paper}.rules"))):
        for module in iter_modules(import_module(f"theorems.{package}").__path__):
            import_module(f"theorems.{package}.{module.name}")


def licensed(step: Any) -> bool:
    """Whether a step is an instance of the rule that it names; what the rule breaks on is not."""
    load()
    try:
        check = RULES[step.rule]
        return _plain(step.data) and bool(check(*step.data))
    except MemoryError:
        # this says nothing of the step
        raise
    except Exception:
        return False


def licensed_by(step: Any, rules: Collection[str]) -> bool:
    """Whether a step is licensed by one of these rules."""
    return step.rule in rules and licensed(step)


def _plain(data: Any) -> bool:
    """Whether all symbols are the plain ones of their names; assumptions of another would prove what is not so."""
    if isinstance(data, sp.Basic | sp.MatrixBase):
        return all(part == symbol(part.name) for part in data.atoms(sp.Symbol))
    parts = (*data, *data.values()) if isinstance(data, Mapping) else data
    return not isinstance(parts, tuple | list | set | frozenset) or all(map(_plain, parts))


#: Where in a step's data its conclusion stands, for rules whose conclusion is a value.
CONCLUSION = {
    "isserlis": 1,
    "wick": 1,
    "faulhaber": 5,
    "softmax-weight": 2,
    "derivative": 3,
    "at-origin": 2,
    "eigenvalue-average": 1,
    "finite-expectation": 4,
    "antiderivative": 5,
}

#: Rules that conclude when a property holds; their data begins with the property and its conditions.
EQUIVALENCES: set[str] = set()

#: The quantity that a step concludes, by its rule, as a function of its data: no other one may take its conclusion.
CONCLUDES: dict[str, Callable[..., str]] = {}


def concludes(step: Any) -> str:
    """The quantity that a step concludes; "" where its rule names none, or its data is of another shape."""
    try:
        return CONCLUDES[step.rule](*step.data)
    except LookupError:
        return ""
