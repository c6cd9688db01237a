"""Random expressions as polynomials in bilinear forms u^T M v of tokens and fixed vectors, sums kept as sums."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from theorems.algebra.ratio import Ratio
from theorems.statement.expression import Expr, StatementError, number
from theorems.statement.moments.pieces import by_steps, outside, pieced
from theorems.statement.moments.traces import Letters, Traces
from theorems.statement.moments.waves import PLAIN, WAVES, Wave, step, times, wave
from theorems.statement.reading.places import Place, place_of
from theorems.statement.reading.shapes import shape

#: An end of a form: the place of a token, or the name of a fixed vector.
End = Place | str
#: Most terms of a polynomial.
MAX_TERMS = 4_000


class NotPolynomialError(StatementError):
    """An expression that is no polynomial in the tokens, so that its moments have no closed form here."""


@dataclass(frozen=True)
class Bound:
    """A summation index, from ``first`` to ``last``."""

    index: str
    first: Place
    last: Place


@dataclass(frozen=True)
class Form:
    """left^T (product of letters) right."""

    left: End
    letters: Letters
    right: End


@dataclass(frozen=True)
class Term:
    """coefficient * product of forms * wave, summed over the bounds, outermost first."""

    coefficient: Ratio
    forms: tuple[Form, ...] = ()
    bounds: tuple[Bound, ...] = ()
    wave: Wave = PLAIN

    @property
    def factors(self) -> int:
        """The number of tokens in the product."""
        return sum(isinstance(end, Place) for form in self.forms for end in (form.left, form.right))

    def ends(self) -> Iterator[Place]:
        """The places of the tokens."""
        yield from (end for form in self.forms for end in (form.left, form.right) if isinstance(end, Place))
        yield from self.wave.places()


def alike_joined(terms: Iterable[Term]) -> list[Term]:
    """The same sum with terms joined that differ in the names of their indices alone.

    In a wave each token has its own part, so that indices with the same ends, and as they sort by these parts, are
    told apart by nothing else.
    """
    found: dict[tuple[tuple[Bound, ...], Wave], Term] = {}
    rest = []
    for term in terms:
        indices = [bound.index for bound in term.bounds]
        ends = {(bound.first, bound.last) for bound in term.bounds}
        own = {place.name for pair in ends for place in pair} | term.coefficient.names
        if term.forms or term.wave.plain or term.wave.steps or len(ends) > 1 or not own.isdisjoint(indices):
            rest.append(term)
            continue
        ranked = sorted(indices, key=term.wave.part)
        names = {index: f"_{place + 1}" for place, index in enumerate(ranked)}
        bounds = tuple(replace(term.bounds[0], index=names[index]) for index in ranked)
        key = bounds, term.wave.renamed(names).sorted()
        before = found[key].coefficient if key in found else Ratio.of(0)
        found[key] = Term(before + term.coefficient, (), *key)
    return [*rest, *(term for term in found.values() if term.coefficient.num)]


#: What a product is made of: ("scalar", terms), ("row"|"column"|"matrix"|"outer", [(term, data), ...]), and of a sum of
#: the last two ("mixed", [(term, (kind, data)), ...]).
Value = tuple[str, list[tuple[Term, Any]]]


class Polynomial:
    """Reads random scalar expressions; ``scalar`` turns a deterministic one into a coefficient."""

    def __init__(self, traces: Traces, scalar: Callable[[Expr], Ratio]) -> None:
        self.traces, self.scalar, self._count = traces, scalar, 0

    def terms(self, node: Expr) -> list[Term]:
        """The terms of a scalar; NotPolynomialError where it is no polynomial."""
        kind, found = self.value(node)
        if kind != "scalar":
            shape = {"outer": "matrix", "row": "row vector", "column": "vector"}.get(kind, kind)
            raise StatementError(f"{node} is a {shape}, not a number; expected e.g. x[i].T*W*x[j]", at=node.at)
        return [term for term, _ in found]

    def value(self, node: Expr) -> Value:
        """A scalar, vector or matrix as a sum of products."""
        op, args = node.op, node.args
        if op == "token":
            return "column", [(Term(Ratio.of(1)), ((), place_of(args[0])))]
        if op == "vector" or (op == "family" and args[0] in self.traces.known.sequences):
            return "column", [(Term(Ratio.of(1)), ((), args[0]))]
        if op == "matrix":
            return "matrix", [(Term(Ratio.of(1)), ((args[0], False),))]
        if op == "mean":
            bound = Bound(self._fresh(), Place("", 1), Place("T"))
            one = Term(Ratio.of(1) / Ratio.of("T"), (), (bound,))
            return "column", [(one, ((), Place(bound.index)))]
        if op == "T":
            return self._transposed(self.value(args[0]), node)
        if op == "+":
            return self._added([self.value(arg) for arg in args], node)
        if op == "*":
            product_ = self.value(args[0])
            for arg in args[1:]:
                product_ = self._times(product_, self.value(arg), node)
            return product_
        if op == "tr":
            return self._trace(self.value(args[0]), node)
        if op == "sum" and (node.random or node.has("matrix", "vector", "family")):
            return self._summed(node)
        if op == "**":
            return self._power(node)
        if op == "step" and pieced(args[0]) and (apart := outside(op, *args)) is not None:
            return self.value(apart)
        if op == "step":
            return "scalar", [(Term(Ratio.of(1), wave=self._step(*args)), None)]
        if not node.random and not (op == "/" and shape(node) != "number"):
            return "scalar", [(Term(self.scalar(node)), None)]
        if op == "/" and not args[1].random:
            kind, parts = self.value(args[0])
            factor = self.scalar(Expr("/", (number(1), args[1])))
            return kind, [(_scaled(term, factor), data) for term, data in parts]
        if op == "entire":
            return "scalar", [(Term(Ratio.of(1), wave=self._wave(*args)), None)]
        if op in WAVES:
            apart = outside(op, args[0]) if pieced(args[0]) else None
            if apart is not None:
                return self.value(apart)
            return "scalar", [(Term(Ratio.of(1), wave=self._wave(op, args[0])), None)]
        if (by_pieces := by_steps(node)) is not None:
            return self.value(by_pieces)
        raise NotPolynomialError(f"{node} is no polynomial in the tokens", at=node.at)

    def _wave(self, operation: str, inner: Expr) -> Wave:
        try:
            return wave(operation, self.terms(inner), self.traces.transposed)
        except StatementError as error:
            raise NotPolynomialError(f"{operation}({inner}): {error}", at=inner.at) from None

    def _step(self, gap: Expr, noise: Expr, *level: Expr) -> Wave:
        try:
            return step(self.terms(gap), noise.args[0], self.traces.transposed, bool(level))
        except StatementError as error:
            raise NotPolynomialError(f"whether {gap} > 0: {error}", at=gap.at) from None

    def _fresh(self) -> str:
        self._count += 1
        return f"_{self._count}"

    def _added(self, values: list[Value], node: Expr) -> Value:
        kinds = {kind for kind, _ in values}
        if len(kinds) > 1 and kinds <= set(_SQUARES):
            return self._checked("mixed", [entry for one in values for entry in _labelled(one)], node)
        if len(kinds) != 1:
            raise StatementError(f"{node} adds a {' and a '.join(sorted(kinds))}; the shapes differ", at=node.at)
        return self._checked(kinds.pop(), [entry for _, found in values for entry in found], node)

    def _checked(self, kind: str, found: list[tuple[Term, Any]], node: Expr) -> Value:
        if len(found) > MAX_TERMS:
            raise NotPolynomialError(f"{str(node)[:60]} expands to over {MAX_TERMS} terms", at=node.at)
        return kind, found

    def _transposed(self, value: Value, node: Expr) -> Value:
        if value[0] == "mixed":
            return self._added([self._transposed(one, node) for one in _apart(value)], node)
        kind, found = value
        flip = self.traces.transposed
        if kind == "scalar":
            return value
        if kind == "matrix":
            return kind, [(term, flip(letters)) for term, letters in found]
        if kind == "column":
            return "row", [(term, (end, flip(letters))) for term, (letters, end) in found]
        if kind == "row":
            return "column", [(term, (flip(letters), end)) for term, (end, letters) in found]
        return kind, [(t, (flip(d), e2, e1, flip(a))) for t, (a, e1, e2, d) in found]

    def _times(self, one: Value, two: Value, node: Expr) -> Value:
        if "mixed" in (one[0], two[0]):
            return self._added([self._times(a, b, node) for a in _apart(one) for b in _apart(two)], node)
        (first, left), (second, right) = one, two
        combine = _PRODUCTS.get((first, second))
        if combine is None:
            raise StatementError(f"{node} multiplies a {first} by a {second}; expected e.g. x[i].T*W*x[j]", at=node.at)
        if len(left) * len(right) > MAX_TERMS:
            raise NotPolynomialError(f"{str(node)[:60]} expands to over {MAX_TERMS} terms", at=node.at)
        kind, join = combine
        found = []
        for (a, x), (b, y) in product(left, right):
            forms, data = join(self, x, y)
            coefficient = a.coefficient * b.coefficient * forms[0]
            for weight, wave_ in times(a.wave, b.wave):
                parts = a.forms + b.forms + forms[1], a.bounds + b.bounds, wave_
                found.append((Term((coefficient * weight).reduced(), *parts), data))
        return self._checked(kind, self._collected(found) if kind == "scalar" else found, node)

    def _collected(self, found: list[tuple[Term, Any]]) -> list[tuple[Term, Any]]:
        """The terms of a scalar with equal products counted once, those outside of sums."""
        kept: dict[tuple[tuple[Form, ...], Wave], Term] = {}
        sums = [entry for entry in found if entry[0].bounds]
        for term, _ in found:
            if not term.bounds:
                forms = tuple(sorted(map(self._read, term.forms), key=str))
                before = kept.get((forms, term.wave))
                value = term.coefficient if before is None else before.coefficient + term.coefficient
                kept[forms, term.wave] = Term(value.reduced(), forms, wave=term.wave)
        return [*((term, None) for term in kept.values()), *sums]

    def _read(self, form: Form) -> Form:
        """A form, read from the end that comes first."""
        turned = Form(form.right, self.traces.reduced(self.traces.transposed(form.letters)), form.left)
        return min(form, turned, key=str)

    def _trace(self, value: Value, node: Expr) -> Value:
        if value[0] == "mixed":
            return self._added([self._trace(one, node) for one in _apart(value)], node)
        kind, found = value
        if kind == "matrix":
            return "scalar", [(_scaled(term, self.traces.trace(letters)), None) for term, letters in found]
        if kind == "outer":
            out = []
            for term, (a, one, two, d) in found:
                factor, forms = self.form(two, d + a, one)
                out.append((replace(term, coefficient=term.coefficient * factor, forms=term.forms + forms), None))
            return "scalar", out
        raise StatementError(f"tr(...) takes a matrix; {node.args[0]} is a {kind}", at=node.at)

    def form(self, left: End, letters: Letters, right: End) -> tuple[Ratio, tuple[Form, ...]]:
        """left^T letters right: a coefficient where both ends are fixed, a form otherwise."""
        if isinstance(left, str) and isinstance(right, str):
            return self.traces.chain(left, letters, right), ()
        return Ratio.of(1), (Form(left, self.traces.reduced(letters), right),)

    def _summed(self, node: Expr) -> Value:
        body, index, first, last = node.args
        fresh = self._fresh()
        bound = Bound(fresh, place_of(first), place_of(last))
        kind, found = self.value(body.put({index: Expr("name", (fresh,))}))
        if kind == "scalar" and not node.random:
            return kind, [(Term(self.scalar(node)), None)]
        return kind, [(replace(t, bounds=(bound, *t.bounds)), data) for t, data in found]

    def _power(self, node: Expr) -> Value:
        base, exponent = node.args
        if not node.random and (base.op != "norm" or exponent.op != "number"):
            kind, _ = self.value(base) if base.has("matrix") and base.op not in ("tr", "norm") else ("scalar", [])
            if kind != "matrix":
                return "scalar", [(Term(self.scalar(node)), None)]
        power = exponent.args[0] if exponent.op == "number" else None
        if power is None or power.denominator != 1 or power < 0:
            raise NotPolynomialError(
                f"the power {node} is no polynomial; expected an integer exponent >= 0", at=node.at
            )
        count = int(power)
        if base.op == "norm" and base.random:
            inner = base.args[0]
            vector = self.value(inner)[0] in ("column", "row")
            if count % 2 or not (vector or base.args[1] in ("", "fro")):
                raise NotPolynomialError(f"{node} is no polynomial; an even power of a Euclidean norm is", at=node.at)
            # every norm of a vector is the Euclidean one
            square = Expr("*", (Expr("T", (inner,)), inner))
            base, count = square if vector else Expr("tr", (square,)), count // 2
        if not base.random and not base.has("matrix"):
            return "scalar", [(Term(self.scalar(node)), None)]
        if base.op == "norm":
            return "scalar", [(Term(self.scalar(node)), None)]
        if not count:
            if base.has("matrix") and self.value(base)[0] in _SQUARES:
                raise NotPolynomialError(f"{node} is no product; write I for it", at=node.at)
            return "scalar", [(Term(Ratio.of(1)), None)]
        found = self.value(base)
        for _ in range(count - 1):
            found = self._times(found, self.value(base), node)
        return found


def _scaled(term: Term, factor: Ratio) -> Term:
    return replace(term, coefficient=(term.coefficient * factor).reduced())


#: Kinds that are matrices: products of matrices, M u v^T N, and sums of both.
_SQUARES = ("matrix", "outer", "mixed")


def _labelled(value: Value) -> list[tuple[Term, Any]]:
    """The parts of a sum of matrices, each with its kind."""
    kind, found = value
    return found if kind == "mixed" else [(term, (kind, data)) for term, data in found]


def _apart(value: Value) -> list[Value]:
    """A sum of matrices as sums of one kind each; anything else as it is."""
    kind, found = value
    if kind != "mixed":
        return [value]
    kinds = dict.fromkeys(one for _, (one, _) in found)
    return [(kind, [(term, data) for term, (one, data) in found if one == kind]) for kind in kinds]


_ONE: tuple[Ratio, tuple[Form, ...]] = (Ratio.of(1), ())

#: How shapes multiply: (kind, (reader, left data, right data) -> ((coefficient, forms), data)).
_PRODUCTS: dict[tuple[str, str], tuple[str, Callable[[Polynomial, Any, Any], Any]]] = {
    ("scalar", "scalar"): ("scalar", lambda p, x, y: (_ONE, None)),
    **{("scalar", kind): (kind, lambda p, x, y: (_ONE, y)) for kind in ("row", "column", "matrix", "outer")},
    **{(kind, "scalar"): (kind, lambda p, x, y: (_ONE, x)) for kind in ("row", "column", "matrix", "outer")},
    ("matrix", "matrix"): ("matrix", lambda p, x, y: (_ONE, x + y)),
    ("matrix", "column"): ("column", lambda p, x, y: (_ONE, (x + y[0], y[1]))),
    ("row", "matrix"): ("row", lambda p, x, y: (_ONE, (x[0], x[1] + y))),
    ("row", "column"): ("scalar", lambda p, x, y: (p.form(x[0], x[1] + y[0], y[1]), None)),
    ("column", "row"): ("outer", lambda p, x, y: (_ONE, (x[0], x[1], y[0], y[1]))),
    ("outer", "matrix"): ("outer", lambda p, x, y: (_ONE, (x[0], x[1], x[2], x[3] + y))),
    ("matrix", "outer"): ("outer", lambda p, x, y: (_ONE, (x + y[0], y[1], y[2], y[3]))),
    ("outer", "column"): ("column", lambda p, x, y: (p.form(x[2], x[3] + y[0], y[1]), (x[0], x[1]))),
    ("outer", "outer"): ("outer", lambda p, x, y: (p.form(x[2], x[3] + y[0], y[1]), (x[0], x[1], y[2], y[3]))),
    ("row", "outer"): ("row", lambda p, x, y: (p.form(x[0], x[1] + y[0], y[1]), (y[2], y[3]))),
}
