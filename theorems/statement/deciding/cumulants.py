"""A second route to the moments of a statement, at an exact case: joint cumulants, and covariances from the increments.

E[f_1 ... f_k] is the sum over the partitions of the forms of the products of their joint cumulants; a joint cumulant
of bilinear forms is a sum over the cyclic orders of the forms, each read either way, of a trace. Sums over tokens are
written out, matrices are multiplied as they are; neither pairings, closed sums nor traces' normal forms are used.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from math import prod
from operator import mul
from typing import Any

import flint

from theorems.algebra.quotients import fraction
from theorems.gaussian.numeric import depth
from theorems.statement.deciding.decide import Derivation
from theorems.statement.expression import Expr
from theorems.statement.moments.forms import Form, NotPolynomialError, Term
from theorems.statement.moments.traces import Letters
from theorems.statement.reading.laws import Law
from theorems.statement.reading.places import Place
from theorems.statement.values.numbers import rational_at

#: Most forms of a product, and most summands of a sum that is written out.
MOST_FORMS, MOST_SUMMANDS = 5, 2_000


class CaseMoments:
    """Exact moments at one case, by joint cumulants."""

    def __init__(self, derivation: Derivation, case: Mapping[str, Any]) -> None:
        self.derivation, self.case = derivation, case
        self.matrices = {name: _matrix(value) for name, value in case.items() if depth(value) == 2}
        self.vectors = {name: [Fraction(entry) for entry in value] for name, value in case.items() if depth(value) == 1}
        self.d = int(case["d"])
        last = max([int(case.get("T", 1)), *(int(v) + 2 for k, v in case.items() if isinstance(v, int) and k != "d")])
        self.covariances = covariances(derivation.prop.law, last, case)

    def expectation(self, node: Expr) -> Fraction:
        """E[node]; NotPolynomialError where it would take too long."""
        if self.derivation.prop.law.framed:
            raise NotPolynomialError("tokens of a frame are not independent")
        order = self.derivation.order_at(self.case)
        exact = self.derivation.exact(order)
        return sum((self._term(term, exact) for term in exact.terms(node)), Fraction(0))

    def variance(self, node: Expr) -> Fraction:
        """Var[node] of a quadratic form g^T S g + b^T g in Gaussian tokens of covariance C: 2 tr(S C S C) + b^T C b."""
        law = self.derivation.prop.law
        exact = self.derivation.exact(self.derivation.order_at(self.case))
        terms = exact.terms(node)
        if not law.gaussian or any(len(term.forms) > 1 or not term.wave.plain for term in terms):
            raise NotPolynomialError(f"{node} is no quadratic form in Gaussian tokens")
        # (s, t) for the matrix between two tokens, s for the row vector before one
        squares: dict[tuple[int, int], flint.fmpq_mat] = {}
        lines: dict[int, flint.fmpq_mat] = {}
        summands = (one for term in terms if term.forms for one in self._summands(term, exact))
        for weight, ((left, matrix, right),) in summands:
            matrix = matrix * flint.fmpq(weight.numerator, weight.denominator)
            if isinstance(left, int) and isinstance(right, int):
                _add(squares, (left, right), matrix)
            for one, by, other in ((left, matrix, right), (right, matrix.transpose(), left)):
                mean = self._mean(one)
                if isinstance(other, int) and mean is not None:
                    _add(lines, other, mean * by)
        places = sorted({place for pair in squares for place in pair} | lines.keys())
        size = len(places) * self.d
        form = flint.fmpq_mat(size, size)
        for (s, t), block in squares.items():
            _put(form, places.index(s) * self.d, places.index(t) * self.d, block)
        joint = flint.fmpq_mat(size, size)
        for (j, s), (k, t) in itertools.product(enumerate(places), repeat=2):
            kernel = self.covariances[s, t]
            block = self.matrices["Sigma"] * flint.fmpq(kernel.numerator, kernel.denominator)
            _put(joint, j * self.d, k * self.d, block)
        line = flint.fmpq_mat(1, size)
        for place, block in lines.items():
            _put(line, 0, places.index(place) * self.d, block)
        twice = (form + form.transpose()) * joint
        square = sum((twice[j, k] * twice[k, j] for j in range(size) for k in range(size)), flint.fmpq(0))
        return fraction(square / 2 + (line * joint * line.transpose())[0, 0])

    def _term(self, term: Term, exact: Any) -> Fraction:
        if not term.wave.plain:
            raise NotPolynomialError("the expectation of an exponential is not one of cumulants of forms")
        if len(term.forms) > MOST_FORMS:
            raise NotPolynomialError(f"a product of {len(term.forms)} forms")
        summands = self._summands(term, exact)
        return sum((weight * self._product(forms) * self._mixed(forms) for weight, forms in summands), Fraction(0))

    def _summands(self, term: Term, exact: Any) -> Iterator[tuple[Fraction, list[tuple[Any, flint.fmpq_mat, Any]]]]:
        """The weight and the forms of a term at each value of its indices."""
        moving = any(bound.index in term.coefficient.names for bound in term.bounds)
        weight = Fraction(0) if moving else _fraction_of(self.derivation, term, exact, self.case)
        for count, values in enumerate(self._indices(term), 1):
            if count > MOST_SUMMANDS:
                raise NotPolynomialError("a sum of too many terms to be written out")
            if moving:
                weight = _fraction_of(self.derivation, term, exact, {**self.case, **values})
            yield weight, [self._form(form, values) for form in term.forms]

    def _indices(self, term: Term) -> Iterator[dict[str, int]]:
        def inner(bounds: Sequence[Any], known: dict[str, int]) -> Iterator[dict[str, int]]:
            if not bounds:
                yield known
                return
            bound, *rest = bounds
            for value in range(self._at(bound.first, known), self._at(bound.last, known) + 1):
                yield from inner(rest, {**known, bound.index: value})

        return inner(term.bounds, {})

    def _at(self, place: Place, known: Mapping[str, int]) -> int:
        base = 0 if not place.name else known[place.name] if place.name in known else int(self.case[place.name])
        return base + place.offset

    def _form(self, form: Form, known: Mapping[str, int]) -> tuple[Any, flint.fmpq_mat, Any]:
        ends = [end if isinstance(end, str) else self._at(end, known) for end in (form.left, form.right)]
        return ends[0], self._matrix(form.letters), ends[1]

    def _matrix(self, letters: Letters) -> flint.fmpq_mat:
        factors = [self.matrices[name].transpose() if turned else self.matrices[name] for name, turned in letters]
        return reduce(mul, factors) if factors else _identity(self.d)

    def _product(self, forms: list[tuple[Any, flint.fmpq_mat, Any]]) -> Fraction:
        total = Fraction(0)
        for partition in _partitions(list(range(len(forms)))):
            total += prod((self._cumulant([forms[k] for k in block]) for block in partition), start=Fraction(1))
        return total

    def _mixed(self, forms: list[tuple[Any, flint.fmpq_mat, Any]]) -> Fraction:
        """What another law than the normal one multiplies it by: moments of the squared radius beside Gaussian ones."""
        law = self.derivation.prop.law
        if law.gaussian:
            return Fraction(1)
        counts = Counter(end for left, _, right in forms for end in (left, right) if isinstance(end, int))
        if any(count % 2 for count in counts.values()):
            return Fraction(0)
        given = [rational_at(node, self.case) for node in law.arguments]
        return prod((_radius(law.kind, given, count // 2, self.d) for count in counts.values()), start=Fraction(1))

    def _cumulant(self, block: list[tuple[Any, flint.fmpq_mat, Any]]) -> Fraction:
        """The joint cumulant of forms u^T A v: cycles, and chains between fixed vectors or means."""
        head, *rest = block
        total = Fraction(0)
        fixed = any(isinstance(end, str) for u, _, v in block for end in (u, v))
        if not fixed:
            for line in itertools.permutations(rest):
                for way in itertools.product((False, True), repeat=len(rest)):
                    total += self._cycle([head, *(_turned(f) if t else f for f, t in zip(line, way, strict=True))])
        moved = self.derivation.prop.law.moved
        if fixed or moved:
            for line in itertools.permutations(block):
                for way in itertools.product((False, True), repeat=len(block)):
                    total += self._chain([_turned(f) if t else f for f, t in zip(line, way, strict=True)]) / 2
        return total

    def _cycle(self, line: list[tuple[Any, flint.fmpq_mat, Any]]) -> Fraction:
        weight, product = Fraction(1), _identity(self.d)
        for one, two in zip(line, [*line[1:], line[0]], strict=True):
            weight *= self.covariances[one[2], two[0]]
            product = product * one[1] * self.matrices["Sigma"]
        return weight * sum((fraction(product[k, k]) for k in range(self.d)), Fraction(0)) if weight else weight

    def _chain(self, line: list[tuple[Any, flint.fmpq_mat, Any]]) -> Fraction:
        """A line of forms whose outer ends are fixed vectors or means, and whose inner ends are joined."""
        if any(isinstance(end, str) for one, two in itertools.pairwise(line) for end in (one[2], two[0])):
            return Fraction(0)
        left, right = self._mean(line[0][0]), self._mean(line[-1][2])
        if left is None or right is None:
            return Fraction(0)
        weight, product = Fraction(1), left
        for one, two in itertools.pairwise(line):
            weight *= self.covariances[one[2], two[0]]
            product = product * one[1] * self.matrices["Sigma"]
        return weight * fraction((product * line[-1][1] * right.transpose())[0, 0])

    def _mean(self, end: Any) -> flint.fmpq_mat | None:
        name = end if isinstance(end, str) else "m" if self.derivation.prop.law.moved else None
        return None if name is None else _matrix([self.vectors[name]])


def _radius(kind: str, given: Sequence[Fraction], half: int, d: int) -> Fraction:
    """E r^(2 half)/E |g|^(2 half) for the radius r of a token whitened, and g ~ N(0, I)."""
    gauss = prod((Fraction(d + 2 * k) for k in range(half)), start=Fraction(1))
    if kind == "iid-mixture":
        return given[0] * given[1] ** half + 1 - given[0]
    if kind == "iid-isotropic":
        return sum((one ** (2 * half) for one in given), Fraction(0)) / len(given) * Fraction(d) ** half / gauss
    if kind == "iid-student":
        # E (1/chi^2_nu)^k = 1/((nu - 2) ... (nu - 2k))
        return given[0] ** half / prod((given[0] - 2 * k for k in range(1, half + 1)), start=Fraction(1))
    if kind == "iid-signs" and d > 1 and half > 1:
        raise NotPolynomialError("the coordinates of signs")
    # the radius is sqrt(d), also that of signs
    return Fraction(d) ** half / gauss


def covariances(law: Law, last: int, case: Mapping[str, Any]) -> dict[tuple[int, int], Fraction]:
    """K(s, t) at the positions 1 to ``last``: a walk's by the increments that two tokens share, AR(1) by recursion."""
    places = range(1, last + 1)
    if law.kind.startswith("walk"):
        first = {"walk": Fraction(1)}.get(law.kind, Fraction(0))
        sizes = [first, *[Fraction(1)] * (last - 1)]
        return {(s, t): sum(sizes[: min(s, t)], Fraction(0)) for s in places for t in places}
    if law.kind.startswith("iid"):
        return {(s, t): Fraction(int(s == t)) for s in places for t in places}
    if law.kind == "ar1" and law.parameter is not None:
        a = rational_at(law.parameter, case)
        table: dict[tuple[int, int], Fraction] = {}
        for s in places:
            value = Fraction(1)
            for t in range(s, last + 1):
                table[s, t] = table[t, s] = value
                value *= a
        return table
    return {
        (s, t): rational_at(law.diagonal if s == t else law.below, {**case, "s": min(s, t), "t": max(s, t)})
        for s in places
        for t in places
    }


def _fraction_of(derivation: Derivation, term: Term, exact: Any, point: Mapping[str, Any]) -> Fraction:
    """A term's coefficient at a point; the case's words and the sums' indices put in."""
    expression = exact.finished(term.coefficient)
    value = derivation.put(expression, derivation.order_at(point), point)
    if not value.is_Rational:
        raise NotPolynomialError(f"the coefficient {expression} is not rational at the case")
    return Fraction(int(value.p), int(value.q))


def _add(table: dict[Any, flint.fmpq_mat], key: Any, matrix: flint.fmpq_mat) -> None:
    table[key] = table[key] + matrix if key in table else matrix


def _put(whole: flint.fmpq_mat, row: int, column: int, block: flint.fmpq_mat) -> None:
    for j, k in itertools.product(range(block.nrows()), range(block.ncols())):
        whole[row + j, column + k] = block[j, k]


def _turned(form: tuple[Any, flint.fmpq_mat, Any]) -> tuple[Any, flint.fmpq_mat, Any]:
    left, matrix, right = form
    return right, matrix.transpose(), left


def _partitions(items: list[int]) -> Iterator[list[list[int]]]:
    if not items:
        yield []
        return
    head, *rest = items
    for partition in _partitions(rest):
        yield [[head], *partition]
        for k, block in enumerate(partition):
            yield [*partition[:k], [head, *block], *partition[k + 1 :]]


def _matrix(rows: Sequence[Sequence[Any]]) -> flint.fmpq_mat:
    exact = [[Fraction(entry) for entry in row] for row in rows]
    return flint.fmpq_mat([[flint.fmpq(v.numerator, v.denominator) for v in row] for row in exact])


def _identity(size: int) -> flint.fmpq_mat:
    return _matrix([[int(r == c) for c in range(size)] for r in range(size)])
