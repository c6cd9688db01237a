"""Powers whose exponent is a name, products and sums to infinity, as exact values.

For a linear form A of tokens with variance q, integration by parts gives E A^(2k) = (2k - 1) q E A^(2k - 2) where it is
Gaussian, so that E A^(2k) = (2q)^k (1/2)_k with (a)_k = a (a + 1) ... (a + k - 1). Uncorrelated Gaussian forms A_i are
independent: E prod A_i^(2 t_i) is the product of these. The length |g| of a Gaussian token is independent of g/|g|, and
E|g|^(2k) = 2^k (d/2)_k; so for uncorrelated forms of one token r g/|g|, of any length r, with n = sum t_i,

    E prod A_i^(2 t_i) = E r^(2n)/(d/2)_n prod (q_i)^(t_i) (1/2)_(t_i),   q_i the variance of A_i for r = sqrt(d),

and independent tokens give the product of these. Tokens r_k e_k of a frame are, for forms A_k = z^T x_k in one
direction, as a uniformly turned z before fixed orthogonal e_k: with E r_k^(2 t_k) each for E r^(2n) it is the same
formula. Where a power is odd the mean is 0, by the reflection that turns the sign of that form alone.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from itertools import combinations
from typing import TYPE_CHECKING

import sympy as sp

from theorems.algebra.expressions import symbol
from theorems.algebra.ratio import Ratio
from theorems.algebra.spherical import SphereExp, plain
from theorems.statement.expression import Expr, StatementError, minus, name, number
from theorems.statement.moments.forms import NotPolynomialError
from theorems.statement.moments.having import visibly_nonnegative
from theorems.statement.moments.mixing import Radial
from theorems.statement.moments.normal import nonnegative
from theorems.statement.moments.series import NoRatioError, Terms, linear_factors, terms_of
from theorems.statement.moments.squares import square_trace
from theorems.statement.moments.waves import Linear, covariances, share, wave
from theorems.statement.reading.shapes import shape

if TYPE_CHECKING:
    from theorems.statement.moments.scalars import Exact
    from theorems.statement.reading.hypotheses import Hypotheses


#: Laws of tokens with uniform directions, beside the Gaussian ones.
SPHERICAL = ("iid-sphere", "iid-isotropic", "frame", "frame-sphere", "frame-isotropic")
#: Most factors that a product is written out with.
MAX_FACTORS = 1_000


def expected_power(node: Expr, exact: Exact) -> sp.Expr | None:
    """E of numbers times powers of linear forms, one of whose exponents is no number; None for any other node."""
    if not any(one.op == "**" and one.random and one.args[1].op != "number" for one in node.walk()):
        return None
    factor, powers = _split(node, exact)
    if not powers:
        return None
    forms = [_form(base, exact) for base in powers]
    if exact.law.moved or not _apart(forms, exact):
        raise NotPolynomialError(f"the moments of {node} are not derived under the law {exact.law.text}", at=node.at)
    halves = [sp.expand(exact.value(exponent) / 2) for exponent in powers.values()]
    if any(whole(half - sp.Rational(1, 2), exact.known) for half in halves):
        return sp.Integer(0)
    for half in halves:
        if not whole(half, exact.known):
            raise NotPolynomialError(f"{2 * half} is not shown to be an even number >= 0, or an odd one", at=node.at)
    return exact.value(factor) * _joint(forms, halves, exact)


def _form(base: Expr, exact: Exact) -> tuple[Linear, ...]:
    """A linear form of tokens, without a number beside them."""
    terms = exact.terms(base)
    with suppress(StatementError):
        parts = wave("exp", terms, exact.traces.transposed).exponent
        if all(part.vector for part in parts):
            return parts
    raise NotPolynomialError(f"powers of {base} are not derived; those of forms such as x[1].T*u are", at=base.at)


def _apart(forms: list[tuple[Linear, ...]], exact: Exact) -> bool:
    """Whether forms are uncorrelated and such as the formulas above are of, under a law for which these stand."""
    covariance, kind = _covariance(exact), exact.law.kind
    if not all(_vanishes(covariance(one, two), exact) for one, two in combinations(forms, 2)):
        return False
    if exact.law.gaussian:
        return True
    if kind not in SPHERICAL or any(len(_tokens(form, exact)) > 1 for form in forms):
        return False
    several = len(set().union(*(_tokens(form, exact) for form in forms))) > 1
    try:
        return not (exact.law.framed and several) or all(share(list(forms[0]), list(form)) != 0 for form in forms)
    except NotImplementedError:
        return False


def _vanishes(value: sp.Expr, exact: Exact) -> bool:
    """Whether a value is 0, or a multiple of what a hypothesis says to be 0: u.T*v = 0."""
    if value == 0:
        return True
    for relation, one, two in exact.known.relations:
        if relation == "=":
            with suppress(StatementError):
                gap = exact.value(minus(one, two))
                if gap != 0 and sp.cancel(value / gap).is_Rational:
                    return True
    return False


def _tokens(form: tuple[Linear, ...], exact: Exact) -> set[int]:
    return {exact.order.index(part.place) for part in form}


def _covariance(exact: Exact) -> Callable[[tuple[Linear, ...], tuple[Linear, ...]], sp.Expr]:
    found = covariances(exact.traces, exact.moments.at_nodes)
    return lambda one, two: exact.finished(Ratio.from_expr(sp.expand(found(one, two))))


def _joint(forms: list[tuple[Linear, ...]], halves: list[sp.Expr], exact: Exact) -> sp.Expr:
    """E prod A_k^(2 t_k) of such forms, t_k the halves."""
    law, square, d = exact.law, _covariance(exact), exact.value(name("d"))
    scale = sp.Integer(2) if law.gaussian or law.kind == "frame" else d
    value = sp.Integer(1)
    for form, half in zip(forms, halves, strict=True):
        # of a whole exponent the power of a product is that of its factors
        value *= sp.Mul(*(one**half for one in (scale, *sp.Mul.make_args(sp.factor(square(form, form))))))
        value *= rising(sp.Rational(1, 2), half, exact.known)
    if law.gaussian:
        return value
    by_token: dict[int, sp.Expr] = {}
    for form, half in zip(forms, halves, strict=True):
        (token,) = _tokens(form, exact)
        by_token[token] = by_token.get(token, sp.Integer(0)) + half
    for half in by_token.values():
        value *= rising(d / 2, half, exact.known) if law.kind == "frame" else sp.Integer(1)
        value *= Radial(sp.expand(2 * half)) if law.lengths else sp.Integer(1)
    turned = [sp.Add(*halves)] if law.framed else by_token.values()
    return value / sp.Mul(*(rising(d / 2, half, exact.known) for half in turned))


def _split(node: Expr, exact: Exact) -> tuple[Expr, dict[Expr, Expr]]:
    """The numbers before powers, and their bases with their exponents, powers of one base taken together.

    (A^p)^q = A^(p q) and A^p A^q = A^(p + q) for whole p and q alone: (A^2)^(1/2) is |A|.
    """
    op, args = node.op, node.args
    if not node.random:
        return node, {}
    if op == "**" and not args[1].random:
        power = exact.value(args[1])
        if not whole(power, exact.known):
            raise NotPolynomialError(f"{args[1]} is not shown to be a whole number >= 0", at=node.at)
        factor, powers = _split(args[0], exact)
        raised = {base: Expr("*", (exponent, args[1])) for base, exponent in powers.items()}
        return Expr("**", (factor, args[1])), raised
    if op == "/" and not args[1].random:
        factor, powers = _split(args[0], exact)
        return Expr("/", (factor, args[1])), powers
    if op == "*" and all(shape(arg) == "number" for arg in args):
        split = [_split(arg, exact) for arg in args]
        powers = {}
        for base, exponent in (pair for _, own in split for pair in own.items()):
            powers[base] = Expr("+", (powers[base], exponent)) if base in powers else exponent
        return Expr("*", tuple(factor for factor, _ in split)), powers
    return number(1), {node: number(1)}


def whole(value: sp.Expr, known: Hypotheses) -> bool:
    """Whether an expression is a whole number >= 0, by what is known of the names in it."""
    table = {}
    for one in value.free_symbols:
        values = known.ranges.get(one.name)
        low = values.low if values is not None and values.integer else None
        if low is None and one.name != "d":
            return False
        table[one] = sp.Rational(str(1 if low is None else low)) + one
    moved = sp.expand(value.xreplace(table))
    if not moved.is_polynomial(*value.free_symbols):
        return False
    coefficients = sp.Poly(moved, *value.free_symbols).coeffs() if value.free_symbols else [moved]
    return all(one.is_Integer and one >= 0 for one in coefficients)


def product(node: Expr, exact: Exact) -> sp.Expr:
    """prod(body, j, first, last) by rising factorials, where it is a quotient of linear functions of j."""
    body, index, first, last = node.args
    low, count = exact.value(first), sp.expand(exact.value(Expr("+", (minus(last, first), number(1)))))
    if count.is_Integer and count <= 0:
        return sp.Integer(1)
    own = sp.Dummy(index)
    value = exact.value(body.put({index: name("_factor#")})).xreplace({symbol("_factor#"): own})
    if not whole(count, exact.known) and value.subs(own, low - 1) == 1:
        # a factor 1 ahead of the first changes nothing, also where there is none to begin with
        low, count = low - 1, count + 1
    if not whole(count, exact.known):
        raise NotPolynomialError(f"{node} is not shown to have no less than 0 factors", at=node.at)
    _few(count)
    above, below = sp.fraction(sp.cancel(sp.together(value)))
    try:
        (lead, ups), (least, downs) = (linear_factors(sp.Poly(part, own)) for part in (above, below))
    except (NoRatioError, sp.PolynomialError):
        return sp.Product(value, (own, low, low + count - 1))
    above, below = (sp.Mul(*(rising(low + one, count, exact.known) for one in ends)) for ends in (ups, downs))
    return (lead / least) ** count * above / below


def binomial(node: Expr, exact: Exact) -> sp.Expr:
    """binomial(n, k) = n (n - 1) ... (n - k + 1)/k! of a whole number n >= 0, and of a number k."""
    n, k = (exact.value(arg) for arg in node.args)
    if not (whole(n, exact.known) and k.is_Integer):
        raise NotPolynomialError(
            f"{node} has no closed form here; a whole number n >= 0 over a number k has", at=node.at
        )
    _few(k)
    return sp.Mul(*((n - j) / (j + 1) for j in range(int(k)))) if k >= 0 else sp.Integer(0)


def _few(count: sp.Expr) -> None:
    """NotPolynomialError where so many factors are too many to be written out, beside those that a name counts."""
    if abs(count.as_coeff_Add()[0]) > MAX_FACTORS:
        raise NotPolynomialError(f"a product of {count} factors has no closed form here; expected <= {MAX_FACTORS}")


def rising(start: sp.Expr, count: sp.Expr, known: Hypotheses) -> sp.Expr:
    """(a)_n for n >= 0 by (b)_m, where b > 0 is as small as may be and m has no number, so that equals have one form.

    (a)_n = (b)_(n + a - b)/(b)_(a - b), and (b)_(m + 1) = (b + m) (b)_m.
    """
    shift = sp.floor(start.as_coeff_Add()[0])
    for number_of in (shift, count):
        _few(number_of)
    least = start - shift
    if least == 0 or (whole(2 * least, known) and not whole(2 * least - 1, known)):
        # it may be 0, and divides
        shift, least = shift - 1, least + 1
    if shift < 0 or not (least.is_Rational or whole(2 * least, known)):
        return sp.rf(start, count)
    more, moving = sp.expand(count + shift).as_coeff_Add()
    found = sp.rf(least, moving) / sp.rf(least, shift)
    factors = range(int(more)) if more >= 0 else range(int(more), 0)
    return found * sp.Mul(*(least + moving + k for k in factors)) ** (1 if more >= 0 else -1)


def to_infinity(node: Expr, exact: Exact) -> sp.Expr:
    """A sum to infinity that converges everywhere, in closed form.

    0F1(; d/2; d q/4) stands as E exp of a form of variance q where q >= 0 is shown: what is known of such a mean is
    false of q < 0, where it is that of a cosine.
    """
    terms = terms_of(node)
    if not terms.everywhere or terms.closed is None:
        raise NotPolynomialError(f"{node} has no closed form here, or does not converge everywhere", at=node.at)
    found = terms.closed
    table = {one: exact.value(terms.parts.get(one.name, name(one.name))) for one in found.free_symbols}
    above = {one: sp.Dummy() for one in found.free_symbols if _not_negative(one, terms, exact)}
    means = {one: SphereExp(*(sp.expand(arg.xreplace(table)) for arg in one.args)) for one in found.atoms(SphereExp)}
    shown = {one: mean if nonnegative(one.args[1], above) else plain(mean) for one, mean in means.items()}
    return found.xreplace(shown | table)


def _not_negative(one: sp.Symbol, terms: Terms, exact: Exact) -> bool:
    """Whether what a name in the terms of a sum stands for is shown to be >= 0."""
    if one.name in terms.parts:
        part = terms.parts[one.name]
        value = exact.value(part)
        return visibly_nonnegative(part) or (value.is_Symbol and square_trace(value.name, exact.known))
    values = exact.known.ranges.get(one.name)
    known = values is not None and values.low is not None and values.low >= 0
    return known or one.name in exact.table or one.name in ("d", *exact.known.size_names)
