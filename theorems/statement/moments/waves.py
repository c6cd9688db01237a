"""Exponentials, cosines and sines of linear forms in Gaussian tokens, and their expectations.

For linear forms A and B of jointly normal tokens, with means a and b,

    E[exp(A) cos(B)] = exp(a + (Var A - Var B)/2) cos(b + Cov(A, B)),

and the same with sin for cos: the moment generating function at A + iB. Products stay of this kind, as cos and sin of
two forms are those of their sum and difference.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import sympy as sp

from theorems.algebra.expressions import symbol
from theorems.algebra.ratio import Ratio, total
from theorems.algebra.spherical import FrameCos, FrameExp, SphereCos, SphereExp
from theorems.statement.expression import StatementError
from theorems.statement.moments.pieces import Gate, scaled
from theorems.statement.moments.traces import SIGMA, Letters, Traces
from theorems.statement.reading.places import Place

if TYPE_CHECKING:
    from theorems.statement.moments.forms import Form, Term

#: Functions of a random number that are read as waves, the hyperbolic ones by exponentials.
WAVES = ("exp", "cos", "sin")


NOWHERE = Place("")


@dataclass(frozen=True)
class Linear:
    """coefficient v^T (product of letters) x_place, v a fixed vector; the number itself where there is no vector."""

    coefficient: Ratio
    vector: str = ""
    letters: Letters = ()
    place: Place = NOWHERE

    @property
    def data(self) -> tuple[Any, ...]:
        """The form as tuples, which sort, its place last."""
        return self.vector, self.letters, self.coefficient.data, self.place.offset, self.place.name

    def moved(self, change: Callable[[Place], Place]) -> Linear:
        """The form with its token's place changed."""
        return replace(self, place=change(self.place)) if self.vector else self


@dataclass(frozen=True)
class Wave:
    """exp(sum of ``exponent``) cos(sum of ``phase``), or with sin for cos where it is ``odd``; times series and steps.

    ``series`` are power series, each by its name with the form that it is of.
    """

    exponent: tuple[Linear, ...] = ()
    phase: tuple[Linear, ...] = ()
    odd: bool = False
    series: tuple[tuple[str, Linear], ...] = ()
    steps: tuple[Gate, ...] = ()

    @property
    def plain(self) -> bool:
        """Whether it is the number 1."""
        return not (self.exponent or self.phase or self.odd or self.series or self.steps)

    def places(self) -> Iterable[Place]:
        """The places of the tokens."""
        parts = (*self.exponent, *self.phase, *(part for _, part in self.series))
        return (part.place for part in (*parts, *(one for gate in self.steps for one in gate.form)) if part.vector)

    def moved(self, change: Callable[[Place], Place]) -> Wave:
        """The wave with its tokens' places changed."""
        exponent, phase = (tuple(part.moved(change) for part in parts) for parts in (self.exponent, self.phase))
        series = tuple((head, part.moved(change)) for head, part in self.series)
        steps = tuple(replace(gate, form=tuple(part.moved(change) for part in gate.form)) for gate in self.steps)
        return Wave(exponent, phase, self.odd, series, steps)

    def renamed(self, names: Mapping[str, str]) -> Wave:
        """The wave with its tokens' indices renamed."""
        return self.moved(lambda place: replace(place, name=names.get(place.name, place.name)))

    def sorted(self) -> Wave:
        """The same wave with its parts in a fixed order."""
        exponent, phase = (tuple(sorted(parts, key=lambda one: one.data)) for parts in (self.exponent, self.phase))
        series = tuple(sorted(self.series, key=lambda one: (one[0], one[1].data)))
        return Wave(exponent, phase, self.odd, series, self.steps)

    def part(self, name: str) -> tuple[Any, ...]:
        """What is in it, but for steps, of the token with that index, as data without the index, which sort."""
        both = (sorted(part.data[:-1] for part in parts if _at(part, name)) for parts in (self.exponent, self.phase))
        return *both, sorted((head, *part.data[:-1]) for head, part in self.series if _at(part, name))

    def by_tokens(self, rank: Callable[[Place], object]) -> tuple[Any, ...]:
        """The wave without steps as data, whichever its tokens are; ``rank`` is the same for places of one token."""
        tokens: dict[object, tuple[list[Any], list[Any]]] = {}
        for which, parts in enumerate((self.exponent, self.phase)):
            for part in parts:
                token = rank(part.place) if part.vector else None
                tokens.setdefault(token, ([], []))[which].append(part.data[:3])
        return self.odd, tuple(sorted((tuple(sorted(a)), tuple(sorted(b))) for a, b in tokens.values()))


def _at(part: Linear, name: str) -> bool:
    return bool(part.vector) and part.place.name == name


PLAIN = Wave()


def wave(operation: str, terms: list[Term], flipped: Callable[[Letters], Letters]) -> Wave:
    """The wave that exp, cos or sin of a random number is; StatementError where the number is no linear form.

    Another ``operation`` is the name of a power series, of a form z^T x alone.
    """
    parts = tuple(_linear(term, flipped) for term in terms)
    if operation not in WAVES:
        if len(parts) != 1 or not parts[0].vector or parts[0].letters or parts[0].coefficient.expr != 1:
            raise StatementError("only one form such as x[1].T*u may stand in a power series")
        return Wave(series=((operation, parts[0]),))
    return Wave(parts) if operation == "exp" else Wave((), parts, operation == "sin")


def step(terms: list[Term], noise: Fraction, flipped: Callable[[Letters], Letters], level: bool = False) -> Wave:
    """The step [form + noise > 0]; StatementError where the number is no linear form."""
    form = merged(tuple(_linear(term, flipped) for term in terms))
    return Wave(steps=(Gate(form if noise else scaled(form), noise, level),))


def _linear(term: Term, flipped: Callable[[Letters], Letters]) -> Linear:
    if term.bounds or not term.wave.plain or len(term.forms) > 1:
        raise StatementError("only linear forms in tokens, such as x[1].T*u, may stand in an exponential")
    if not term.forms:
        return Linear(term.coefficient)
    form: Form = term.forms[0]
    if isinstance(form.left, str) and isinstance(form.right, Place):
        return Linear(term.coefficient, form.left, form.letters, form.right)
    if isinstance(form.right, str) and isinstance(form.left, Place):
        return Linear(term.coefficient, form.right, flipped(form.letters), form.left)
    raise StatementError("only linear forms in tokens, such as x[1].T*u, may stand in an exponential")


def times(one: Wave, two: Wave) -> list[tuple[Ratio, Wave]]:
    """The product of two waves as a sum: 2 cos a cos b = cos(a - b) + cos(a + b), and alike."""
    exponent = (*one.exponent, *two.exponent)
    if one.series or two.series or one.steps or two.steps:
        series = tuple(sorted((*one.series, *two.series), key=str))
        # a step is its own square; one with noise is not
        again = {gate for gate in one.steps if not gate.noise}
        steps = tuple(sorted((*one.steps, *(gate for gate in two.steps if gate not in again)), key=str))
        bare = times(replace(one, series=(), steps=()), replace(two, series=(), steps=()))
        return [(weight, replace(wave, series=series, steps=steps)) for weight, wave in bare]
    if not (one.phase or one.odd) or not (two.phase or two.odd):
        return [(Ratio.of(1), Wave(exponent, (*one.phase, *two.phase), one.odd or two.odd))]
    if one.odd and not two.odd:
        one, two = two, one
    back = tuple(replace(part, coefficient=part.coefficient * -1) for part in one.phase)
    half = Ratio.of(1) / Ratio.of(2)
    # 2 sin a sin b = cos(b - a) - cos(b + a), and 2 cos a sin b = sin(b - a) + sin(b + a)
    return [
        (half, Wave(exponent, (*two.phase, *back), one.odd != two.odd)),
        (half * (-1 if one.odd else 1), Wave(exponent, (*two.phase, *one.phase), one.odd != two.odd)),
    ]


def merged(parts: tuple[Linear, ...]) -> tuple[Linear, ...]:
    """The same form with parts in one token and vector added."""
    found: dict[tuple[str, Letters, Place], Ratio] = {}
    for part in sorted(parts, key=lambda one: (not one.vector, one.vector, one.letters, str(one.place))):
        key = part.vector, part.letters, part.place
        found[key] = found[key] + part.coefficient if key in found else part.coefficient
    return tuple(Linear(weight, *key) for key, weight in found.items() if weight.num)


def expected(found: Wave, traces: Traces, kernel: Callable[[Place, Place], Ratio], mean: str) -> sp.Expr:
    """E of a wave of Gaussian tokens with the covariances kernel(s, t) Sigma; ``mean`` names their mean, or is ""."""

    covariance = covariances(traces, kernel)

    a, b = merged(found.exponent), merged(found.phase)
    size = sp.exp(sp.expand(centre(a, traces, mean) + (covariance(a, a) - covariance(b, b)) / 2))
    turn = sp.expand(centre(b, traces, mean) + covariance(a, b))
    return size * (sp.sin(turn) if found.odd else sp.cos(turn))


def covariances(
    traces: Traces, kernel: Callable[[Place, Place], Ratio]
) -> Callable[[tuple[Linear, ...], tuple[Linear, ...]], sp.Expr]:
    """The covariance of two forms."""

    def product(one: Linear, two: Linear) -> Ratio:
        shared = kernel(one.place, two.place)
        if not shared.num:
            return shared
        letters = (*one.letters, SIGMA, *traces.transposed(two.letters))
        return one.coefficient * two.coefficient * shared * traces.chain(one.vector, letters, two.vector)

    def covariance(ones: tuple[Linear, ...], twos: tuple[Linear, ...]) -> sp.Expr:
        return total(product(a, b) for a in ones if a.vector for b in twos if b.vector).expr

    return covariance


def centre(parts: tuple[Linear, ...], traces: Traces, mean: str = "") -> sp.Expr:
    """The mean of a form: its numbers, and what its tokens' mean adds."""
    numbers = [part.coefficient for part in parts if not part.vector]
    moved = [part for part in parts if part.vector and mean]
    numbers += [part.coefficient * traces.chain(part.vector, part.letters, mean) for part in moved]
    return total(numbers).expr


def on_the_sphere(
    found: Wave, traces: Traces, kernel: Callable[[Place, Place], Ratio], alike: Callable[[Place], object], kind: str
) -> sp.Expr:
    """E of an exponential, or of a cosine or sine, of tokens that are uniform on the sphere, or of a frame (``kind``).

    ``alike`` is the same for two places of one token. Of independent tokens it is the product over them, whose law is
    symmetric: E sin(b + B) = sin(b) E cos(B). NotImplementedError for an exponential times a cosine, and for forms of
    a frame's tokens that are of different vectors, or of other lengths than +-1 times each other.
    """
    a, b = merged(found.exponent), merged(found.phase)
    if any(part.vector for part in a) and any(part.vector for part in b):
        raise NotImplementedError
    covariance = covariances(traces, kernel)
    turn = centre(b, traces)
    value = sp.exp(centre(a, traces)) * (sp.sin(turn) if found.odd else sp.cos(turn))
    for parts, function in ((a, SphereExp), (b, SphereCos)):
        tokens: dict[object, list[Linear]] = {}
        for part in parts:
            if part.vector:
                tokens.setdefault(alike(part.place), []).append(part)
        if kind.startswith("frame"):
            value *= _on_a_frame(list(tokens.values()), covariance, function is SphereExp, kind)
            continue
        for group in tokens.values():
            value *= function(symbol("d"), sp.expand(covariance(tuple(group), tuple(group))))
    return value


def _on_a_frame(
    tokens: list[list[Linear]],
    covariance: Callable[[tuple[Linear, ...], tuple[Linear, ...]], sp.Expr],
    exponential: bool,
    kind: str,
) -> sp.Expr:
    """E exp, or E cos, of the sum over tokens of forms c_k z^T x_k in one direction z."""
    d = symbol("d")
    shares = [share(tokens[0], group) for group in tokens] if tokens else []
    squares = [sp.expand(covariance(tuple(group), tuple(group))) for group in tokens]
    if kind == "frame-sphere":
        # sum of c_k e_k is |c| times a uniform direction
        return (SphereExp if exponential else SphereCos)(d, sp.expand(sp.Add(*squares)))
    if any(share not in (1, -1) for share in shares):
        raise NotImplementedError
    return (FrameExp if exponential else FrameCos)(d, len(tokens), squares[0]) if tokens else sp.Integer(1)


def share(one: list[Linear], two: list[Linear]) -> sp.Expr:
    """c with two = c one, as forms of their tokens; NotImplementedError where there is none."""
    first, second = ({(part.vector, part.letters): part.coefficient for part in group} for group in (one, two))
    shares = {sp.cancel(second[key].expr / first[key].expr) for key in first if key in second}
    if first.keys() != second.keys() or len(shares) != 1:
        raise NotImplementedError
    return shares.pop()
