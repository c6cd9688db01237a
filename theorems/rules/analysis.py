"""Trusted rules of analysis: slopes, Gaussian probabilities, limits by continuity, limits of error functions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy as sp

from theorems.algebra.balls import positive
from theorems.algebra.closed import names, substituted, vanishes
from theorems.algebra.expressions import symbol
from theorems.algebra.ratio import Ratio
from theorems.algebra.sizes import cut, elementary
from theorems.gaussian.asymptotics import in_regime
from theorems.gaussian.cells import Pattern, sign_of
from theorems.gaussian.moments.increments import SecondRoute
from theorems.gaussian.observables import Form, Vector, W
from theorems.gaussian.process import Process
from theorems.gaussian.words import Letter
from theorems.rules import licensed_by, rule

#: Names that a rule of this module may take to be positive, where the statement says so: its ``needs`` ask for it.
POSITIVE = frozenset({"v", "eta", "lam", "u", "tr2"})
#: What is no real number.
UNBOUNDED = (sp.nan, sp.zoo, sp.oo, -sp.oo)


def relied(*expressions: sp.Expr) -> tuple[str, ...]:
    """What keeps the arguments of quotients, roots and logarithms positive: POSITIVE names are, theta is in [0, 1]."""
    found: dict[str, None] = {}
    for expression in expressions:
        for part in filter(_bounded_below, expression.atoms(sp.Pow, sp.log)):
            inside = names(part.args[0])
            found |= dict.fromkeys(f"{name} > 0" for name in sorted(inside & POSITIVE))
            if "theta" in inside:
                found |= dict.fromkeys(("theta >= 0", "theta <= 1"))
    return tuple(found)


def _bounded_below(part: sp.Expr) -> bool:
    """Whether a part of an expression is a logarithm, a root or a quotient: what stands in it has to be positive."""
    return isinstance(part, sp.log) or (part.is_Pow and not natural(part.exp))


@rule("slope", takes=(0,))
def slope(function: sp.Expr, variable: str, value: sp.Expr) -> bool:
    """The derivative of a closed expression. Trusted: sympy's differentiation of elementary functions and erf."""
    return smooth(function) and vanishes(sp.diff(function, symbol(variable)) - value)


def _density(mean: sp.Expr, variance: sp.Expr, *_: Any) -> tuple[str, ...]:
    # the variance is positive, wherever its names stand in it
    return relied(mean, variance, 1 / variance)


@rule("normal-interval", needs=_density, takes=(0, 1))
def normal_interval(
    mean: sp.Expr, variance: sp.Expr, low: sp.Expr, high: sp.Expr, primitive: sp.Expr, value: sp.Expr
) -> bool:
    """P(low <= N(m, v) <= high) for v > 0: a primitive in x whose slope is the density, and its values at the ends.

    Trusted: the normal density, and the fundamental theorem of calculus.
    """
    x = symbol("x")
    density = sp.exp(-((x - mean) ** 2) / (2 * variance)) / sp.sqrt(2 * sp.pi * variance)
    ends = primitive.xreplace({x: high}) - primitive.xreplace({x: low})
    if any(part.has(x) for part in (mean, variance)) or any(part.has(sp.I) for part in (mean, low, high)):
        return False
    if not (high - low).is_extended_nonnegative:
        return False
    if not visibly_positive(variance) or not smooth(primitive):
        return False
    return vanishes(sp.diff(primitive, x) - density) and vanishes(ends - value)


@rule("heat-flow", needs=_density, takes=(0, 1))
def heat_flow(mean: sp.Expr, variance: sp.Expr, low: sp.Expr, high: sp.Expr, variable: str, value: sp.Expr) -> bool:
    """d/dt P(low <= N(m(t), v(t)) <= high) = [-m' n + (v'/2) dn/dx] between the ends, n the normal density.

    Trusted: dn/dm = -dn/dx and dn/dv = (d^2 n/dx^2)/2, and differentiation under the integral.
    """
    x, along = symbol("x"), symbol(variable)
    if not (low.is_extended_real and (high - low).is_extended_nonnegative):
        return False
    if any(part.has(x) for part in (mean, variance)):
        return False
    if not visibly_positive(variance) or not all(smooth(part) for part in (mean, variance)):
        return False
    density = sp.exp(-((x - mean) ** 2) / (2 * variance)) / sp.sqrt(2 * sp.pi * variance)
    flow = -sp.diff(mean, along) * density + sp.diff(variance, along) * sp.diff(density, x) / 2
    return vanishes(flow.xreplace({x: high}) - flow.xreplace({x: low}) - value)


@rule("substitution")
def substitution(formula: sp.Expr, table: Mapping[str, sp.Expr], value: sp.Expr) -> bool:
    """A formula with expressions put in for its names, by normal form; a bare name concludes nothing.

    That a name may be replaced so depends on the statement and the steps before, and is asked by
    ``theorems.kernel.grounds``.
    """
    if formula.is_Symbol or not set(table) & names(formula):
        return False
    return vanishes(substituted(formula, dict(table)) - value)


def _root_of(function: sp.Expr, value: sp.Expr, name: str) -> tuple[str, ...]:
    return (f"{name} > 0",)


@rule("positive-root", needs=_root_of, takes=(0,))
def positive_root(function: sp.Expr, value: sp.Expr, name: str) -> bool:
    """An identity that uses sqrt(n^2) = n for a name n that is positive."""
    plain = symbol(name)
    rooted = any(
        node.is_Pow and not node.exp.is_Integer and node.has(plain) for node in sp.preorder_traversal(function)
    )
    if name not in POSITIVE or not rooted:
        return False
    return vanishes((function - value).xreplace({plain: sp.Dummy(positive=True)}))


def smooth(expression: sp.Expr) -> bool:
    """Whether an expression is visibly smooth for theta in [0, 1], positive POSITIVE names and other real names.

    It is elementary, and only positive quantities stand below a line, under a root or in a logarithm.
    """
    return elementary(expression) and all(map(visibly_positive, cut(expression)))


def natural(exponent: sp.Expr) -> bool:
    """Whether an exponent is one of 0, 1, 2, ..."""
    return bool(exponent.is_Integer and exponent.is_nonnegative)


def positive_in_theta(expression: sp.Expr) -> bool:
    """Whether an expression of theta alone is shown to be positive for theta in [0, 1]."""
    return positive(expression, "theta", 0, 1)


def even_power(part: sp.Expr) -> bool:
    """Whether an expression is visibly an even power, from which names that are real make a number >= 0."""
    base, exponent = part.as_base_exp()
    real = base.xreplace({name: sp.Dummy(real=True) for name in base.free_symbols})
    return bool(exponent % 2 == 0 and real.is_real)


def visibly_positive(base: sp.Expr) -> bool:
    """Whether an expression is a product of powers of positive numbers, POSITIVE names and what is positive on [0, 1].

    A positive number to which multiples of even powers are added is positive, too.
    """
    if base.is_Mul:
        return all(visibly_positive(part) for part in base.args)
    if base.is_Pow and base.exp.is_Rational:
        return visibly_positive(base.base)
    if base.is_Symbol:
        return base.name in POSITIVE
    constant, rest = base.as_coeff_Add()
    if constant.is_positive and all(
        even_power(factor) or factor.is_positive for part in sp.Add.make_args(rest) for factor in sp.Mul.make_args(part)
    ):
        return True
    return positive_in_theta(base)


def _there(function: sp.Expr, variable: str, point: sp.Expr, value: sp.Expr) -> tuple[str, ...]:
    # the variable itself is asked about at the point only, where it must not stand below a line
    return tuple(need for need in relied(function) if need != f"{variable} > 0")


@rule("continuous-limit", needs=_there, takes=(0,))
def continuous_limit(function: sp.Expr, variable: str, point: sp.Expr, value: sp.Expr) -> bool:
    """The limit of f as a variable tends to a number where f is continuous: its value there.

    f is made of sums, products, erf and exp, and of powers and logarithms of what is positive for theta in [0, 1] and
    for v, eta, lam, u, tr2 > 0; what tends must not stand below a line, under a root or in a logarithm.
    """
    if point.has(symbol(variable), sp.I, *UNBOUNDED):
        return False
    at = substituted(function, {variable: point})
    below = any(part.args[0].has(symbol(variable)) for part in filter(_bounded_below, sp.preorder_traversal(function)))
    return not below and smooth(function) and vanishes(at - value)


Term = tuple[sp.Expr, str, sp.Expr]
#: A bilinear form of tokens, left^T W right: the process, its ends, and where its tokens stand as T -> infinity.
Score = tuple[Process, Vector, Vector, Mapping[str, str]]


def _settled(expression: sp.Expr, pattern: Pattern) -> int:
    """The sign that an expression has by the signs of a pattern; ValueError where they do not settle it."""
    signs = {polynomial: sign for polynomial, allowed in pattern if len(allowed) == 1 for sign in allowed}
    found = sign_of(expression, signs)
    if found is None:
        raise ValueError(f"the sign of {expression} is not settled by {pattern}")
    return found


def _direction(domain: tuple[sp.Expr, ...]) -> int:
    """Where xi grows to: it has the sign of its limit r of xi eta, which the domain says is >= 0 (1) or <= 0 (-1).

    ValueError where the domain says neither, or both: r = 0 is the limit of xi eta for either direction of xi.
    """
    (side,) = (sign for sign in (1, -1) if sign * symbol("r") in domain)
    return side


def _argument_limit(term: Term, radicand: sp.Expr, pattern: Pattern, domain: tuple[sp.Expr, ...]) -> int:
    """The sign of infinity that z = scale c(theta, xi eta)/sqrt(radicand) tends to, 0 for z = 0.

    The scale grows without bound, xi in the direction of the domain and 1/eta upwards, and xi eta tends to r.
    ValueError where z has no such limit by these data.
    """
    argument, scale, coefficient = term
    if not names(coefficient) <= {"theta", "r"}:
        raise ValueError(f"coefficient {coefficient}; expected one in theta and r")
    if not positive_in_theta(radicand):
        raise ValueError(f"{radicand} is not shown to be positive")
    size, side = {"xi": (symbol("xi"), _direction(domain)), "1/eta": (1 / symbol("eta"), 1)}[scale]
    product = symbol("xi") * symbol("eta")
    whole = size * substituted(coefficient, {"r": product}) / sp.sqrt(radicand)
    if any(sp.expand(part - symbol("r")) == 0 and allowed == (-_direction(domain),) for part, allowed in pattern):
        raise ValueError("xi eta has the sign of xi, so that r has no other")
    sign = _settled(coefficient, pattern)
    if not vanishes(argument - whole) or (sign == 0 and coefficient.has(symbol("r"))):
        raise ValueError(f"{argument} is no {size} times {coefficient}, or has no limit")
    return sign * side


def _ways(*data: Any) -> tuple[str, ...]:
    """Where the statement lets xi and eta go: the direction of a step is that of the sign of r in its domain."""
    domain = next(part for part in data if isinstance(part, tuple) and any(_is_side(term) for term in part))
    sign = "" if _direction(domain) > 0 else "-"
    return (f"xi -> {sign}infinity", "eta -> 0", "eta > 0", "theta >= 0", "theta <= 1")


def _is_side(term: Any) -> bool:
    return isinstance(term, sp.Expr) and term in (symbol("r"), -symbol("r"))


@rule("erf-limit", needs=_ways)
def erf_limit(
    finite: sp.Expr,
    first: Term,
    second: Term,
    radicand: sp.Expr,
    pattern: Pattern,
    domain: tuple[sp.Expr, ...],
    value: sp.Expr,
) -> bool:
    """(erf(z_1) - erf(z_2))/2 where |z| grows without bound or z = 0, for every sequence with xi eta -> r, eta > 0.

    ``domain`` is what is >= 0 wherever the claim speaks; it holds r or -r, whose sign xi has.
    """
    ends = [_argument_limit(term, radicand, pattern, domain) for term in (first, second)]
    whole = (sp.erf(first[0]) - sp.erf(second[0])) / 2
    return vanishes(finite - whole) and vanishes(sp.Rational(ends[0] - ends[1], 2) - value)


def score_limits(score: Score) -> tuple[sp.Expr, sp.Expr]:
    """The limits of mean/tr1 and variance/tr2 of a form left^T W right, W symmetric; ValueError where there are none.

    By joint cumulants of the forms, whatever route a derivation took.
    """
    from theorems.gaussian.asymptotics import expand

    process, left, right, regime = score
    if set(regime.values()) != {"theta*T"}:
        raise ValueError(f"regime {dict(regime)}; expected positions theta*T, as theta is i/T")
    form = Form(left, (Letter(W.name, symmetric=True),), right)
    moments = SecondRoute(process.kernel, process.chain)
    mean = moments.product((form,))
    found = []
    for value, trace in ((mean, "tr1"), (moments.product((form, form)) - mean * mean, "tr2")):
        limit = expand(value, regime)
        if limit.grows:
            raise ValueError(f"{value} grows with T")
        found.append(sp.expand(limit.limit.expr / symbol(trace)))
    return found[0], found[1]


def _symmetric(ends: Any, score: Score) -> bool:
    """Whether a step shows that the ends of this very form become uncorrelated somewhere.

    Its mean is c tr1 and its variance (c^2 + a b) tr2 with c the ends' covariance and a, b their variances: where the
    mean is 0 and the variance is not, they are uncorrelated, if the tokens have no mean.
    """
    if not licensed_by(ends, ("independent-ends",)):
        return False
    process, *rest, _ = ends.data
    return (process.kernel, process.chain, *rest) == (score[0].kernel, score[0].chain, *score[1:])


@rule("chebyshev-limit", needs=_ways)
def chebyshev_limit(
    first: Term,
    second: Term,
    radicand: sp.Expr,
    pattern: Pattern,
    domain: tuple[sp.Expr, ...],
    ends: Any,
    value: sp.Expr,
    score: Score,
) -> bool:
    """P(0 <= S <= 1) where mean/sd = z_1 sqrt(2) and (mean - 1)/sd = z_2 sqrt(2) grow without bound or the mean is 0.

    S is the limit law of a form of tokens over lam as T -> infinity, with tr1/lam = xi eta and tr2/lam^2 = eta^2; mean
    and variance are computed here, by joint cumulants. Where the mean is 0 the step ``ends`` must show that the law is
    symmetric there. Trusted: Chebyshev's inequality; that half of a symmetric law without atoms lies above 0.
    """
    mean, variance = score_limits(score)
    # both arguments belong to this law: (mean - 1)/sd beside mean/sd; the second is -1/eta where r is not in it
    of_mean = vanishes(first[2] - mean) and vanishes(second[2] - mean * symbol("r") + 1)
    one_law = of_mean and vanishes(radicand - 2 * variance) and (first[1], second[1]) == ("xi", "1/eta")
    sides = [_argument_limit(term, radicand, pattern, domain) for term in (first, second)]
    if not one_law or (sides[0] == 0 and not _symmetric(ends, score)):
        return False
    return vanishes(sp.Rational(sides[0] - sides[1], 2) - value)


@rule("two-sequences", argued=True)
def two_sequences(second: Term, radicand: sp.Expr, pattern: Pattern) -> bool:
    """z = c(theta, xi eta)/(eta sqrt(radicand)) with c(theta, r) = 0 on the cell: its limit depends on the sequence.

    The slope of c in its second argument is not 0 on the cell, so along xi eta = r + k eta the limit of z is k times a
    number other than 0, for any k. There xi = r/eta + k grows without bound, as r is not 0: c(theta, 0) is not.
    """
    argument, scale, coefficient = second
    size, r = 1 / symbol("eta"), symbol("r")
    whole = size * substituted(coefficient, {"r": symbol("xi") * symbol("eta")}) / sp.sqrt(radicand)
    if scale != "1/eta" or not positive_in_theta(radicand) or not vanishes(argument - whole):
        return False
    others = sp.diff(coefficient, r), coefficient.xreplace({r: sp.Integer(0)})
    return _settled(coefficient, pattern) == 0 and all(_settled(other, pattern) != 0 for other in others)


def _inside(_: Pattern, domain: tuple[sp.Expr, ...], *__: Any) -> tuple[str, ...]:
    """What the domain says is >= 0; of r that is the direction of xi."""
    ways = _ways(domain) if any(map(_is_side, domain)) else ()
    return (*ways, *(f"{polynomial} >= 0" for polynomial in domain if not _is_side(polynomial)))


@rule("empty-cell", needs=_inside)
def empty_cell(
    pattern: Pattern, domain: tuple[sp.Expr, ...], combination: tuple[tuple[int, tuple[sp.Expr, ...]], ...]
) -> bool:
    """No point has these signs: non-negative products of what is >= 0 there add up to something negative, or to 0.

    ``combination`` lists (coefficient, factors), each factor >= 0 by the pattern or the domain; a sum of 0 with a
    product that is > 0 is a contradiction, too.
    """
    total, strict = sp.Integer(0), False
    for coefficient, factors in combination:
        if not coefficient > 0:
            return False
        kinds = [_lower(factor, pattern, domain) for factor in factors]
        if any(kind is None for kind in kinds):
            return False
        strict = strict or all(kinds)
        total += sp.Rational(coefficient) * sp.Mul(*factors)
    total = sp.expand(total)
    return bool(total < 0 or (total == 0 and strict))


def _lower(factor: sp.Expr, pattern: Pattern, domain: tuple[sp.Expr, ...]) -> bool | None:
    """True for a factor that is > 0, False for one that is >= 0, None for one of which neither is known."""
    for polynomial, allowed in pattern:
        for orientation in (1, -1):
            if sp.expand(factor - orientation * polynomial) == 0:
                signs = {orientation * sign for sign in allowed}
                if -1 not in signs:
                    return 0 not in signs
    return False if any(sp.expand(factor - known) == 0 for known in domain) else None


@rule("independent-ends")
def independent_ends(process: Process, left: Vector, right: Vector, regime: Mapping[str, str], theta: sp.Expr) -> bool:
    """The two ends of a bilinear form of centred Gaussians become uncorrelated at this theta, so its law is symmetric.

    Their correlation c/sqrt(a b) tends to 0: a b and c^2 are divided by one power of T, and the limit of a b is
    positive. Trusted: uncorrelated jointly Gaussian vectors are independent, so that (y, x) -> (-y, x) keeps their law.
    """

    if process.kernel.mean is not None:
        return False
    a, b, c = (process.covariance(*pair) for pair in ((left, left), (right, right), (left, right)))
    sizes, crossed = (in_regime(value, regime).terms("T") for value in (a * b, c * c))
    # c^2 <= a b has no higher power
    leading = (parts.get(max(sizes), Ratio.of(0)).expr for parts in (sizes, crossed))
    size, cross = (substituted(value, {"theta": theta}) for value in leading)
    return bool(size.is_positive and sp.expand(cross) == 0)


@rule("shrinking-interval", needs=("tr2 > 0",))
def shrinking_interval(square: sp.Expr, value: sp.Expr) -> bool:
    """P(a u <= Q <= b u) -> P(Q = 0) = 0 as u -> 0, for a quadratic form Q in Gaussians with a weight that is not 0.

    ``square``, the sum of the squared weights up to a factor, must be positive on [0, 1]. Trusted: continuity of
    measure from above; the zero set of a polynomial that is not constant has measure 0.
    """
    return positive_in_theta(square) and value == 0


#: Rules that turn one expression into another: by themselves they derive nothing.
REWRITING = frozenset({"substitution", "positive-root", "slope", "continuous-limit", "identity"})
#: Where in a step's data its conclusion stands.
CONCLUSIONS = {
    "slope": 2,
    "normal-interval": 5,
    "heat-flow": 5,
    "positive-root": 1,
    "substitution": 2,
    "continuous-limit": 3,
    "erf-limit": 6,
    "chebyshev-limit": 6,
}
