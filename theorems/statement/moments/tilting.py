"""E of a polynomial in Gaussian tokens times an exponential, a cosine and steps of linear forms: see pieces.py."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from itertools import product as choices
from math import prod

import sympy as sp

from theorems.algebra.ratio import Ratio, total
from theorems.statement.moments.forms import Form, NotPolynomialError, Term
from theorems.statement.moments.pieces import Powers, over_powers, slopes, together
from theorems.statement.moments.traces import SIGMA, Letters, Traces
from theorems.statement.moments.waves import Linear, centre, covariances, merged
from theorems.statement.reading.laws import Law
from theorems.statement.reading.places import Place

#: Most products of forms that moved tokens give.
MOST = 4_000
#: The kinds of functions of a form, the form, and the variance of a noise in it.
Function = tuple[str, tuple[Linear, ...], sp.Expr]
#: A fixed vector, M v, and the coefficient with which it is added to a token.
Shift = tuple[Ratio, Letters, str]


@dataclass(frozen=True)
class Tilting:
    """A law of Gaussian tokens in one order: their traces, kernel and moments of products, and what is >= 0."""

    law: Law
    traces: Traces
    kernel: Callable[[Place, Place], Ratio]
    product: Callable[[tuple[Form, ...]], Ratio]
    alike: Callable[[Place], Place]
    larger: Callable[[sp.Expr, bool], bool]

    def expected(self, term: Term) -> Iterator[tuple[Ratio, sp.Expr]]:
        """E of the term without its coefficient, as a sum of polynomials times other expressions."""
        wave = term.wave.moved(self.alike)
        if wave.series:
            raise NotPolynomialError("a power series of tokens beside other functions")
        if not self.law.gaussian:
            raise NotPolynomialError(f"such a function of tokens under the law {self.law.text}")
        gates = [replace(gate, form=merged(gate.form)) for gate in wave.steps]
        try:
            sums = together(gates, self.larger)
        except ValueError as error:
            raise NotPolynomialError(f"pieces of one form: {error} is not known") from None
        waves: list[Function] = []
        if wave.phase or wave.odd:
            waves.append(("sin" if wave.odd else "cos", merged(wave.phase), sp.Integer(0)))
        for sign, known in sums:
            steps = [("step", gate.form, sp.Rational(str(gate.noise))) for gate in known]
            for weight, value in self._of_functions(term.forms, merged(wave.exponent), [*waves, *steps]):
                yield weight * sign, value

    def _of_functions(
        self, forms: tuple[Form, ...], exponent: tuple[Linear, ...], functions: list[Function]
    ) -> Iterator[tuple[Ratio, sp.Expr]]:
        covariance, mean = covariances(self.traces, self.kernel), "m" if self.law.moved else ""
        for (_, one, _), (_, two, _) in combinations(functions, 2):
            if sp.expand(covariance(one, two)) != 0:
                raise NotPolynomialError("pieces of correlated forms, of which no joint probabilities are known")
        names = [f"z{k}#" for k in range(len(functions))]
        size = sp.exp(sp.expand(centre(exponent, self.traces, mean) + covariance(exponent, exponent) / 2))
        own = [
            tuple(replace(part, coefficient=part.coefficient * label) for part in form)
            for label, (_, form, _) in zip(names, functions, strict=True)
        ]
        moved = self._moved(forms, (*exponent, *(part for form in own for part in form)))
        centres = [sp.expand(centre(form, self.traces, mean) + covariance(form, exponent)) for _, form, _ in functions]
        spreads = [sp.expand(covariance(form, form)) + noise for _, form, noise in functions]
        for orders, weight in _by_powers(moved, names):
            values = [
                slopes(kind, order, *where)
                for (kind, _, _), order, *where in zip(functions, orders, centres, spreads, strict=True)
            ]
            yield _together(weight, values, spreads, size)

    def _moved(self, forms: tuple[Form, ...], form: tuple[Linear, ...]) -> Ratio:
        """E of a product of forms at tokens moved by their covariances with a linear form."""
        ways = [self._ways(one, form) for one in forms]
        if prod(map(len, ways)) > MOST:
            raise NotPolynomialError(f"a product of {len(forms)} forms beside a function of tokens: over {MOST} terms")
        parts = []
        for chosen in choices(*ways):
            left = tuple(one for _, one in chosen if one is not None)
            value = self.product(left) if left else Ratio.of(1)
            for factor, _ in chosen:
                value = value * factor
            parts.append(value)
        return total(parts).reduced()

    def _ways(self, one: Form, form: tuple[Linear, ...]) -> list[tuple[Ratio, Form | None]]:
        """A form with each of its tokens as it is, or replaced by what is added to it."""
        ends = [
            [(Ratio.of(1), (), end), *(self._shifts(end, form) if isinstance(end, Place) else ())]
            for end in (one.left, one.right)
        ]
        found: list[tuple[Ratio, Form | None]] = []
        for (a, before, left), (b, after, right) in choices(*ends):
            letters = (*self.traces.transposed(before), *one.letters, *after)
            if isinstance(left, str) and isinstance(right, str):
                found.append((a * b * self.traces.chain(left, letters, right), None))
            else:
                found.append((a * b, Form(left, self.traces.reduced(letters), right)))
        return found

    def _shifts(self, place: Place, form: tuple[Linear, ...]) -> Iterator[Shift]:
        """Cov(x_place, form), as a sum of fixed vectors."""
        for part in form:
            shared = self.kernel(place, part.place) if part.vector else Ratio.of(0)
            if shared.num:
                yield part.coefficient * shared, (SIGMA, *self.traces.transposed(part.letters)), part.vector


def _by_powers(value: Ratio, names: list[str]) -> Iterator[tuple[tuple[int, ...], Ratio]]:
    """The coefficients of a polynomial by the powers of several names."""
    if not names:
        yield (), value
        return
    for power, rest in value.terms(names[0]).items():
        for others, weight in _by_powers(rest, names[1:]):
            yield (power, *others), weight


def _together(weight: Ratio, values: list[Powers], spreads: list[sp.Expr], size: sp.Expr) -> tuple[Ratio, sp.Expr]:
    """weight times size times a product of sums of powers of variances, with powers of the same variance in one."""
    plain, found = weight.expr, size
    for sums, base in zip(values, spreads, strict=True):
        plain, count = over_powers(plain, base)
        found *= sp.Add(*(value * base ** (power + count) for power, value in sums))
    return Ratio.from_expr(plain), found
