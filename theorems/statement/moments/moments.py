"""Moments of a statement's expressions: pairings, kernel values in one order of the positions, sums closed exactly.

E[prod_k u_k^T A_k v_k] is the sum over the pairings of the tokens of products of K(s, t) and of traces (Isserlis), for
every dimension and any matrices. In one order of the positions every K(s, t) is a polynomial in them and in powers
a^t; sums over tokens split at the positions and close by Faulhaber's formula or as geometric sums.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from typing import Any

import sympy as sp

from theorems.algebra.expressions import symbol
from theorems.algebra.ratio import Ratio, total
from theorems.gaussian.moments.joined import TooManyTermsError, contract_counted
from theorems.gaussian.moments.wick import contract
from theorems.gaussian.observables import Form as EngineForm
from theorems.gaussian.observables import Vector
from theorems.gaussian.words import Letter as EngineLetter
from theorems.gaussian.words import Word
from theorems.statement.expression import Expr, minus
from theorems.statement.moments import mixing
from theorems.statement.moments.forms import Bound, Form, NotPolynomialError, Term, alike_joined
from theorems.statement.moments.geometric import NotClosedError, Powers
from theorems.statement.moments.normal import nonnegative
from theorems.statement.moments.series_moments import of_series
from theorems.statement.moments.traces import SIGMA, Letters, Traces
from theorems.statement.moments.waves import Wave, expected, on_the_sphere
from theorems.statement.reading.laws import Law
from theorems.statement.reading.places import Order, Place
from theorems.statement.reading.ranges import Range

#: How far beside its node a neighbouring place stands.
BESIDE = Fraction(1, 10**6)
#: Products of more tokens are contracted by kinds of forms.
LONG = 10


@dataclass
class Chain:
    """Positions and summation indices in one strict order: the numbered nodes of an order, with indices between."""

    order: Order
    ranks: dict[str, Fraction] = field(default_factory=dict)

    def rank(self, place: Place) -> Fraction:
        """Where a place stands; an index with an offset stands beside the index."""
        if place.name in self.ranks:
            return self.ranks[place.name] + place.offset * BESIDE
        try:
            return Fraction(self.order.index(place))
        except KeyError:
            return self._beside(place)

    def _beside(self, place: Place) -> Fraction:
        """A place one beside a node: between neighbours of a strict order it may coincide with the next."""
        for rank, node in enumerate(self.order.nodes):
            for other in node:
                if other.name == place.name and abs(place.offset - other.offset) == 1:
                    return rank + (place.offset - other.offset) * BESIDE
        raise NotClosedError(f"x[{place}] inside a sum, two or more positions from the next token")

    def with_(self, index: str, rank: Fraction) -> Chain:
        """The chain with one more index."""
        return Chain(self.order, {**self.ranks, index: rank})


class Moments(Powers):
    """Expectations under a law, for one order of the positions."""

    def __init__(self, law: Law, traces: Traces, order: Order) -> None:
        super().__init__()
        self.law, self.traces, self.order = law, traces, order
        self._moving = any(kernel.names() & {"s", "t"} for kernel in (law.diagonal, law.below))
        self._memo: dict[tuple[Expr, Place, Place], Ratio] = {}
        self._waves: dict[tuple[Any, ...], Ratio] = {}

    # -- expectations

    def expect(self, terms: list[Term]) -> Ratio:
        """E of a sum of products of forms."""
        return total(self._summed(term, term.bounds, Chain(self.order)) for term in alike_joined(terms)).reduced()

    def _summed(self, term: Term, bounds: tuple[Bound, ...], chain: Chain) -> Ratio:
        if not bounds:
            if not term.wave.plain and (term.forms or term.wave.steps):
                return term.coefficient * self._tilted(term, chain)
            return term.coefficient * self._product(term.forms, chain) * self._wave(term, chain)
        bound, *rest = bounds
        moving = [end.offset for end in term.ends() if end.name == bound.index]
        if any(moving) and not self.law.continuous:
            raise NotClosedError(f"a sum over x[{bound.index} + 1] of tokens that are no walk")
        low, high = chain.rank(bound.first), chain.rank(bound.last)
        if low > high:
            return Ratio.of(0)
        nodes = self._nodes(chain)
        if not ({low, low - BESIDE} & nodes and {high, high + BESIDE} & nodes):
            raise NotClosedError(f"a sum from {bound.first} to {bound.last}, more than one beside another index")
        marks = sorted({low, high, *(rank for rank in nodes if low <= rank <= high)})
        if len(marks) == 1 and low not in nodes:
            raise NotClosedError(f"a sum from {bound.first} to {bound.last}, of one token")
        if (found := self._alike(term, bounds, chain, marks)) is not None:
            return found
        parts = []
        for place, rank in enumerate(marks):
            if rank in nodes:
                # the index coincides with a node
                parts.append(self._at(term, tuple(rest), bound.index, self._value_of(rank, chain), chain))
            if place + 1 < len(marks):
                after = marks[place + 1]
                inner = self._summed(term, tuple(rest), chain.with_(bound.index, (rank + after) / 2))
                above = self._ratio(self._value_of(rank, chain)) if rank in nodes else self._ratio(bound.first) - 1
                upto = self._ratio(self._value_of(after, chain)) - 1 if after in nodes else self._ratio(bound.last)
                parts.append(self._closed(inner, bound.index, above, upto))
        return total(parts)

    def _alike(self, term: Term, bounds: tuple[Bound, ...], chain: Chain, marks: list[Fraction]) -> Ratio | None:
        """The sum where all tokens are alike: the index meets one of the term's other tokens, or any of the rest.

        None where it matters where the index stands.
        """
        bound, *rest = bounds
        own = {one.index for one in bounds}
        if self._moving or term.wave.steps or len(marks) < 2 or term.coefficient.names & own:
            return None
        if any((one.first, one.last) != (bound.first, bound.last) for one in rest):
            return None
        met = {rank for end in term.ends() if end.name not in own for rank in [chain.rank(end)]}
        met = {rank for rank in met if marks[0] <= rank <= marks[-1]}
        if not met <= self._nodes(chain):
            return None
        inner = self._summed(term, tuple(rest), chain.with_(bound.index, (marks[0] + marks[1]) / 2))
        if any(bound.index in label for label in inner.names):
            return None
        others = self._ratio(bound.last) - self._ratio(bound.first) + 1 - len(met)
        there = (self._value_of(rank, chain) for rank in sorted(met))
        return total([*(self._at(term, tuple(rest), bound.index, one, chain) for one in there), inner * others])

    def _nodes(self, chain: Chain) -> set[Fraction]:
        """Where positions and indices stand."""
        return {*map(Fraction, range(len(self.order.nodes))), *chain.ranks.values()}

    def _at(self, term: Term, rest: tuple[Bound, ...], index: str, here: Place, chain: Chain) -> Ratio:
        """The summand where the index coincides with a place."""

        def moved(place: Place) -> Place:
            return Place(here.name, here.offset + place.offset) if place.name == index else place

        def end(one: Place | str) -> Place | str:
            return moved(one) if isinstance(one, Place) else one

        forms = tuple(Form(end(f.left), f.letters, end(f.right)) for f in term.forms)
        bounds = tuple(type(b)(b.index, moved(b.first), moved(b.last)) for b in rest)
        known = Term(_put(term.coefficient, index, self._ratio(here)), forms, (), term.wave.moved(moved))
        return self._summed(known, bounds, chain)

    def _value_of(self, rank: Fraction, chain: Chain) -> Place:
        name = next((index for index, other in chain.ranks.items() if other == rank), None)
        return Place(name) if name is not None else self.order.nodes[int(rank)][0]

    def _ratio(self, place: Place) -> Ratio:
        return Ratio.of(place.name) + place.offset if place.name else Ratio.of(place.offset)

    # -- products of forms

    def _product(self, forms: tuple[Form, ...], chain: Chain) -> Ratio:
        if not forms:
            return Ratio.of(1)
        if self.law.framed:
            factor = self._of_frame(forms, chain)
            return self._gaussian_product(forms, chain) * factor if factor.num else factor
        if not self.law.gaussian:
            return self._gaussian_product(forms, chain) * self._mixed(forms, chain)
        return self._gaussian_product(forms, chain)

    def _wave(self, term: Term, chain: Chain) -> Ratio:
        """E of the term's exponential, cosine or sine, under a name of its own."""
        if term.wave.plain:
            return Ratio.of(1)
        if term.wave.series:
            return of_series(term.wave, self.law, chain.rank)
        if self._moving or term.wave.steps:
            return self._expected(term.wave, chain)
        # the same whichever the tokens are
        key = term.wave.by_tokens(chain.rank)
        if key not in self._waves:
            self._waves[key] = self._expected(term.wave, chain)
        return self._waves[key]

    def _expected(self, wave: Wave, chain: Chain) -> Ratio:
        def kernel(s: Place, t: Place) -> Ratio:
            return self.kernel(s, t, chain)

        try:
            if self.law.gaussian:
                found = expected(wave, self.traces, kernel, "m" if self.law.moved else "")
            elif self.law.kind in ("iid-sphere", "frame", "frame-sphere"):
                found = on_the_sphere(wave, self.traces, kernel, chain.rank, self.law.kind)
            else:
                raise NotImplementedError
        except NotImplementedError:
            raise NotPolynomialError(f"such a function of tokens under the law {self.law.text}") from None
        return self._opaque(found)

    def _tilted(self, term: Term, chain: Chain) -> Ratio:
        """E of forms beside an exponential, a cosine or steps."""

        def kernel(s: Place, t: Place) -> Ratio:
            return self.kernel(s, t, chain)

        def alike(place: Place) -> Place:
            return self._value_of(rank, chain) if (rank := chain.rank(place)) in self._nodes(chain) else place

        def product(forms: tuple[Form, ...]) -> Ratio:
            return self._product(forms, chain)

        from theorems.statement.moments.tilting import Tilting

        tilting = Tilting(self.law, self.traces, kernel, product, alike, self.larger)
        return total(weight * self._opaque(value) for weight, value in tilting.expected(term))

    def larger(self, value: sp.Expr, strict: bool) -> bool:
        """Whether a number made of names is seen to be >= 0, or > 0."""
        told = list(self._told(strict))
        sums = [sp.expand(sp.Add(*gaps)) for k in (1, 2) for gaps in combinations(told, k)]
        if any(gap != 0 and sp.cancel(value / gap).is_positive for gap in sums):
            return True
        over: dict[sp.Symbol, sp.Expr] = {}
        signed = True
        for name in value.free_symbols:
            known, more = self.traces.known.ranges.get(name.name, Range()), sp.Dummy()
            if known.low is not None and known.low == known.high:
                over[name] = sp.Rational(str(known.low))
            elif strict:
                signed = signed and known.sign is not None
                over[name] = -more if known.sign == -1 else more
            elif known.low is not None and known.low >= 0:
                over[name] = sp.Rational(str(known.low)) + more
            elif known.high is not None and known.high <= 0:
                over[name] = sp.Rational(str(known.high)) - more
        if strict:
            terms = [term.as_coeff_Mul() for term in sp.Add.make_args(sp.expand(value.xreplace(over)))]
            return signed and all(count > 0 and rest.is_polynomial() for count, rest in terms)
        names = {one: one for form in over.values() for one in form.free_symbols}
        return nonnegative(value.xreplace(over), names)

    def _told(self, strict: bool) -> Iterator[sp.Expr]:
        """What relations of names and numbers among the hypotheses say to be >= 0, or > 0: b - a where a <= b."""
        from theorems.statement.moments.scalars import sympy_of

        for relation, left, right in self.traces.known.relations:
            low, high = (left, right) if relation[0] == "<" else (right, left)
            with suppress(NotPolynomialError):
                gap = sympy_of(minus(high, low))
                if relation in (("<", ">") if strict else ("<", ">", "<=", ">=")):
                    yield gap

    def _opaque(self, value: sp.Expr) -> Ratio:
        """A value under a name, its rational factor taken out."""
        count, rest = value.as_coeff_Mul()
        if count.is_Rational and (count != 1 or rest == 1):
            factor = Ratio.of(Fraction(int(count.p), int(count.q)))
            return factor if rest == 1 or not factor.num else factor * self._opaque(rest)
        label = f"({value})"
        self.opaque[label] = value
        return Ratio.of(label)

    def _mixed(self, forms: tuple[Form, ...], chain: Chain) -> Ratio:
        """What another law than the normal one multiplies a product by: a factor for each of its tokens."""
        counts = Counter(chain.rank(end) for form in forms for end in (form.left, form.right) if isinstance(end, Place))
        kind, known, found = self.law.kind, self.traces.known, Ratio.of(1)
        for count in counts.values():
            mixing.exists(kind, self.law.arguments, count, known)
        if any(count % 2 for count in counts.values()):
            return Ratio.of(0)
        arguments = [self._algebraic(node, {}) for node in self.law.arguments]
        for count in counts.values():
            found = found * mixing.factor(kind, arguments, count // 2, known, self._reciprocal)
        return found

    def _of_frame(self, forms: tuple[Form, ...], chain: Chain) -> Ratio:
        """What a frame multiplies the product for Gaussian tokens by, of forms in one direction z, or in one token.

        With 2 t_k factors of token k, n their sum, and (a)_k = a (a + 2) ... (a + 2k - 2): z turned to a uniform
        direction, E prod (e_k.z)^(2 t_k) = |z|^(2n) prod (2 t_k - 1)!!/(d)_n, so that it is prod (d)_(t_k)/(d)_n, or
        d^n/(d)_n where the lengths are sqrt(d), times prod E (r/sqrt(d))^(2 t_k) of lengths r of any law.
        """
        counts = Counter(chain.rank(end) for form in forms for end in (form.left, form.right) if isinstance(end, Place))
        # every token has the law of its negative, and distinct ones are orthogonal
        apart = [f for f in forms if self.traces.known.identity and not f.letters and self._of_two(f, chain)]
        if apart or any(count % 2 for count in counts.values()):
            return Ratio.of(0)
        turned = [form if isinstance(form.left, str) else self._flipped(form) for form in forms]
        if len(counts) > 1 and len({(form.left, form.letters) for form in turned}) > 1:
            raise NotPolynomialError(f"a product of different directions of tokens under the law {self.law.text}")
        if len(counts) > 1 and not all(isinstance(form.left, str) for form in turned):
            raise NotPolynomialError(f"a product of tokens with each other under the law {self.law.text}")

        def rising(count: int) -> Ratio:
            found = Ratio.of(1)
            for k in range(count):
                found = found * (Ratio.of("d") + 2 * k)
            return found

        half = sum(counts.values()) // 2
        above = Ratio.of(1)
        for count in counts.values():
            above = above * (rising(count // 2) if self.law.kind == "frame" else Ratio.of("d") ** (count // 2))
            if self.law.lengths:
                above = above * mixing.radial(count)
        return above * self._reciprocal(rising(half)) if len(counts) > 1 or self.law.kind != "frame" else Ratio.of(1)

    @staticmethod
    def _of_two(form: Form, chain: Chain) -> bool:
        """Whether a form is one of two distinct tokens."""
        ends = [chain.rank(end) for end in (form.left, form.right) if isinstance(end, Place)]
        return len(set(ends)) > 1

    def _flipped(self, form: Form) -> Form:
        return Form(form.right, self.traces.reduced(self.traces.transposed(form.letters)), form.left)

    def _reciprocal(self, value: Ratio) -> Ratio:
        """1/value, under a name of its own where it is no monomial."""
        expression = value.expr.expand()
        if expression.is_Rational:
            return Ratio.of(Fraction(int(expression.q), int(expression.p)))
        label = f"1/({expression})"
        self.opaque[label] = 1 / expression
        return Ratio.of(label)

    def _gaussian_product(self, forms: tuple[Form, ...], chain: Chain) -> Ratio:
        """E of the product for Gaussian tokens."""
        places: dict[str, Place] = {}
        composites: dict[str, Letters] = {}
        engine = [self._engine_form(form, places, composites) for form in forms]
        factors = sum(not end.fixed for form in engine for end in (form.left, form.right))
        by_kind = contract_counted if factors > LONG else contract
        try:
            vectors, contractions = by_kind(engine, not self.law.moved)
        except TooManyTermsError as error:
            raise NotPolynomialError(
                f"a product of {factors} tokens: {error}; take a lower power, fewer different positions, or symmetric "
                "matrices"
            ) from None
        parts = []
        for item in contractions:
            value = Ratio.of(item.count)
            for one, two in item.pairs:
                value = value * self.kernel(places[_key(vectors[one])], places[_key(vectors[two])], chain)
                if not value.num:
                    break
            if value.num:
                for word in item.words:
                    value = value * self._word(word, composites)
                parts.append(value)
        return total(parts)

    def _engine_form(self, form: Form, places: dict[str, Place], composites: dict[str, Letters]) -> EngineForm:
        ends = []
        for end in (form.left, form.right):
            if isinstance(end, str):
                ends.append(Vector(fixed=end))
            else:
                places[str(end)] = end
                ends.append(Vector(((Ratio.of(1), ("at", str(end))),)))
        letters = form.letters
        turned = self.traces.reduced(self.traces.transposed(letters))
        if not letters:
            made: tuple[EngineLetter, ...] = (EngineLetter("", symmetric=True),)
        else:
            least = min(letters, turned)
            label = "*".join(f"{n}.T" if t else n for n, t in least)
            composites[label] = least
            made = (EngineLetter(label, least != letters, letters == turned),)
        return EngineForm(ends[0], made, ends[1])

    def _word(self, word: Word, composites: Mapping[str, Letters]) -> Ratio:
        letters: Letters = ()
        for place, letter in enumerate(word.letters):
            product = composites[letter.name] if letter.name else ()
            letters += self.traces.transposed(product) if letter.transposed else product
            if not word.ends or place + 1 < len(word.letters):
                letters += (SIGMA,)
        return self.traces.chain(word.ends[0], letters, word.ends[1]) if word.ends else self.traces.trace(letters)

    # -- the kernel

    def at_nodes(self, one: Place, two: Place) -> Ratio:
        """K(one, two) of two positions."""
        return self.kernel(one, two, Chain(self.order))

    def kernel(self, one: Place, two: Place, chain: Chain) -> Ratio:
        """K(one, two)."""
        first, second = chain.rank(one), chain.rank(two)
        if first == second:
            return self._read(self.law.diagonal, one, one)
        return self._read(self.law.below, *((one, two) if first < second else (two, one)))

    def _read(self, node: Expr, s: Place, t: Place) -> Ratio:
        key = (node, s, t)
        if key not in self._memo:
            self._memo[key] = self._kernel_value(node, {"s": s, "t": t})
        return self._memo[key]

    def _kernel_value(self, node: Expr, at: Mapping[str, Place]) -> Ratio:
        try:
            return self._algebraic(node, at)
        except (NotPolynomialError, ZeroDivisionError, TypeError):
            from theorems.statement.moments.scalars import sympy_of

            label = f"K({at['s']}, {at['t']})"
            table = {name: self._ratio(place).expr for name, place in at.items()}
            self.opaque[label] = sympy_of(node).xreplace({symbol(name): value for name, value in table.items()})
            return Ratio.of(label)

    def _algebraic(self, node: Expr, at: Mapping[str, Place]) -> Ratio:
        """A kernel made of numbers, names, sums, products, integer powers, and powers whose exponent is a position."""
        op, args = node.op, node.args
        if op == "number":
            return Ratio.of(args[0])
        if op == "name":
            return self._ratio(at[args[0]]) if args[0] in at else Ratio.of(args[0])
        if op == "+":
            return total(self._algebraic(arg, at) for arg in args)
        if op == "*":
            value = Ratio.of(1)
            for arg in args:
                value = value * self._algebraic(arg, at)
            return value
        if op == "/":
            return self._algebraic(args[0], at) / self._algebraic(args[1], at)
        if op == "**":
            base, exponent = args
            if exponent.op == "number" and exponent.args[0].denominator == 1:
                power = int(exponent.args[0])
                value = self._algebraic(base, at) ** abs(power)
                return value if power >= 0 else Ratio.of(1) / value
            value = self._algebraic(base, at)
            if not value.num and self.law.kind == "ar1":
                # 0^(t - s) with s < t
                return Ratio.of(0)
            return self._exponential(value, self._algebraic(exponent, at))
        raise NotPolynomialError(f"{node} is no polynomial")


def _key(vector: Vector) -> str:
    return vector.parts[0][1][1]


def _put(value: Ratio, name: str, replacement: Ratio) -> Ratio:
    return value.substitute(name, replacement) if name in value.names else value
