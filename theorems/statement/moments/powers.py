"""Powers whose exponent is a name, products and sums to infinity, as exact values.

For a linear form A of tokens with variance q, integration by parts gives E A^(2k) = (2k - 1) q E A^(2k - 2) where it is
Gaussian, so that E A^(2k) = (2q)^k (1/2)_k with (a)_k = a (a + 1) ... (a + k - 1). A token on the sphere of radius
sqrt(d) is sqrt(d) g/|g| with g Gaussian and |g| independent of g/|g|, where E|g|^(2k) = (d + 2k - 2) E|g|^(2k - 2):
there E A^(2k) = (d q)^k (1/2)_k/(d/2)_k. Odd powers have mean 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import sympy as sp

from theorems.algebra.expressions import symbol
from theorems.algebra.ratio import Ratio
from theorems.algebra.spherical import SphereExp
from theorems.statement.expression import Expr, minus, name, number
from theorems.statement.moments.forms import NotPolynomialError
from theorems.statement.moments.series import NoRatioError, linear_factors, terms_of
from theorems.statement.moments.waves import variance, wave
from theorems.statement.reading.shapes import shape

if TYPE_CHECKING:
    from theorems.statement.moments.scalars import Exact
    from theorems.statement.reading.hypotheses import Hypotheses


#: Most factors that a product is written out with.
MAX_FACTORS = 1_000


def expected_power(node: Expr, exact: Exact) -> sp.Expr | None:
    """E of numbers times a power of one linear form, whose exponent is no number; None for any other node."""
    if not any(one.op == "**" and one.random and one.args[1].op != "number" for one in node.walk()):
        return None
    factor, base, exponent = _split(node, exact)
    if base is None:
        return None
    law, half = exact.law, exact.value(exponent) / 2
    parts = wave("exp", exact.terms(base), exact.traces.transposed).exponent
    places = {exact.order.index(part.place) for part in parts if part.vector}
    sphere = law.kind == "iid-sphere" and len(places) == 1
    if not all(part.vector for part in parts) or law.moved or not (law.gaussian or sphere):
        raise NotPolynomialError(f"the moments of {node} are not derived under the law {law.text}", at=node.at)
    if whole(half - sp.Rational(1, 2), exact.known):
        return sp.Integer(0)
    if not whole(half, exact.known):
        raise NotPolynomialError(f"{2 * half} is not shown to be an even number >= 0, or an odd one", at=node.at)
    q = exact.finished(Ratio.from_expr(sp.expand(variance(parts, exact.traces, exact.moments.at_nodes))))
    d = exact.value(name("d"))
    # of a whole exponent the power of a product is that of its factors
    scale = sp.Mul(*(one**half for one in (d if sphere else sp.Integer(2), *sp.Mul.make_args(sp.factor(q)))))
    below = rising(d / 2, half, exact.known) if sphere else sp.Integer(1)
    return exact.value(factor) * scale * rising(sp.Rational(1, 2), half, exact.known) / below


def _split(node: Expr, exact: Exact) -> tuple[Expr, Expr | None, Expr]:
    """The numbers before a power, its base and its exponent, powers of one base taken together.

    (A^p)^q = A^(p q) and A^p A^q = A^(p + q) for whole p and q alone: (A^2)^(1/2) is |A|.
    """
    op, args = node.op, node.args
    if not node.random:
        return node, None, number(0)
    if op == "**" and not args[1].random:
        power = exact.value(args[1])
        if not whole(power, exact.known):
            raise NotPolynomialError(f"{args[1]} is not shown to be a whole number >= 0", at=node.at)
        factor, base, exponent = _split(args[0], exact)
        return Expr("**", (factor, args[1])), base, Expr("*", (exponent, args[1]))
    if op == "/" and not args[1].random:
        factor, base, exponent = _split(args[0], exact)
        return Expr("/", (factor, args[1])), base, exponent
    if op == "*" and all(shape(arg) == "number" for arg in args):
        split = [_split(arg, exact) for arg in args]
        bases = {base for _, base, _ in split if base is not None}
        if len(bases) == 1:
            factor = Expr("*", tuple(one for one, _, _ in split))
            return factor, bases.pop(), Expr("+", tuple(exponent for _, _, exponent in split))
    return number(1), node, number(1)


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
    """A sum to infinity that converges everywhere, in closed form."""
    terms = terms_of(node)
    if not terms.everywhere or terms.closed is None:
        raise NotPolynomialError(f"{node} has no closed form here, or does not converge everywhere", at=node.at)
    found = terms.closed
    table = {one: exact.value(terms.parts.get(one.name, name(one.name))) for one in found.free_symbols}
    return found.xreplace(table).replace(SphereExp, lambda d, q: SphereExp(d, sp.expand(q)))
