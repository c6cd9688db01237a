"""Functions that differ from piece to piece, as steps: abs(A) = A (2 [A > 0] - 1), and E of these of Gaussian tokens.

Where F is a polynomial, B a linear form and A_1, ..., A_n are uncorrelated linear forms of jointly normal tokens,

    E[F exp(B) g_1(A_1) ... g_n(A_n)] = E[exp(B)] sum_k p_k E_B[g_1^(k_1)(A_1)] ... E_B[g_n^(k_n)(A_n)]

by Gaussian integration by parts, with sum_k p_k z^k = E F at tokens moved by their covariances with B + z_1 A_1 + ...,
and A_i of the mean E A_i + Cov(A_i, B) under E_B. Here g is a step [A > 0], whose derivatives are those of a density at
0, or a cosine or a sine. An error function is a step of a form with noise: erf(A) = 2 P[A + N(0, 1/2) > 0] - 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

import sympy as sp

from theorems.statement.expression import Expr, minus, number

if TYPE_CHECKING:
    from theorems.statement.moments.waves import Linear

#: What differs from piece to piece, and is 0 or 1 times something.
PIECES = ("abs", "max", "min", "clip", "indicator")
ZERO, ONE = number(0), number(1)
#: A sum of powers of a variance, each times an expression.
Powers = list[tuple[sp.Rational, sp.Expr]]
#: The variance of the noise in a step that is (1 + erf)/2.
OF_ERF = Fraction(1, 2)


@dataclass(frozen=True)
class Gate:
    """The step [form + noise > 0], with noise of its own variance ``noise``: 1 or 0 where that is 0.

    ``level`` says that what it chooses between is equal where the form is 0, so that it may be 1 there as well.
    """

    form: tuple[Linear, ...]
    noise: Fraction = Fraction(0)
    level: bool = False

    def moved(self, change: Callable[[tuple[Linear, ...]], tuple[Linear, ...]]) -> Gate:
        """The step with its form changed."""
        return replace(self, form=change(self.form))


def pieced(node: Expr) -> bool:
    """Whether a random number differs from piece to piece."""
    return any(one.op in PIECES and one.random for one in node.walk())


def by_steps(node: Expr) -> Expr | None:
    """A function that differs from piece to piece by steps; None for another one."""
    if node.op == "erf":
        return minus(_times(number(2), Expr("step", (node.args[0], number(OF_ERF)))), ONE)
    found = _branches(node)
    return None if found is None else _chosen(*found)


def outside(operation: str, inner: Expr, *more: Expr) -> Expr | None:
    """f(g) for a function f of a number g that differs from piece to piece: by the values of f on its pieces."""
    one = next((part for part in _innermost(inner)), None)
    found = None if one is None else _branches(one)
    if one is None or found is None:
        return None
    gate, true, false = found
    return _chosen(gate, *(Expr(operation, (inner.swapped(one, value), *more)) for value in (true, false)))


def gaps(node: Expr, bound: bool = False) -> Iterator[tuple[Expr, bool, bool]]:
    """The numbers at whose sign something changes, whether it jumps there, and whether they stand in a sum over tokens.

    Of such the first is taken.
    """
    if node.op == "sum":
        body, index, first, _ = node.args
        yield from gaps(body.put({index: first}), True)
        return
    if node.op in ("P", "indicator") and node.args[0].random:
        yield from ((gap, True, bound) for one in of_event(node.args[0]) or () for gap in _parted(one))
    elif node.op in PIECES and node.random and (found := _branches(node)) is not None:
        gates = [gate.args[0] for gate in found[0].walk() if gate.op == "step"]
        yield from ((gap, False, bound) for one in gates for gap in _parted(one))
    for arg in node:
        yield from gaps(arg, bound)


def _parted(gap: Expr) -> Iterator[Expr]:
    """A number on each of its pieces, where it is random there."""
    one = next(_innermost(gap), None)
    found = None if one is None else _branches(one)
    if one is None or found is None:
        yield from (gap,) if gap.random else ()
        return
    for value in found[1:]:
        yield from _parted(gap.swapped(one, value))


def _innermost(node: Expr) -> Iterator[Expr]:
    for part in node.walk():
        if part.op in PIECES and part.random and not any(map(pieced, part)):
            yield part


def _chosen(gate: Expr, true: Expr, false: Expr) -> Expr:
    return Expr("+", (false, _times(gate, minus(true, false))))


def _times(*factors: Expr) -> Expr:
    return Expr("*", factors)


def _branches(node: Expr) -> tuple[Expr, Expr, Expr] | None:
    """A step, or a product of steps, and the values where it is 1 and where it is 0."""
    op, args = node.op, node.args
    if op == "abs":
        return _step(args[0], True), args[0], minus(ZERO, args[0])
    if op in ("max", "min") and len(args) > 1:
        one, *others = args
        two = others[0] if len(others) == 1 else Expr(op, tuple(others))
        above = _step(minus(one, two), True)
        return (above, one, two) if op == "max" else (above, two, one)
    if op == "clip":
        inner, low, high = args
        return _branches(Expr("min", (Expr("max", (inner, low)), high)))
    if op == "indicator" and (found := of_event(args[0])) is not None:
        return (_step(found[0]) if len(found) == 1 else _times(*map(_step, found))), ONE, ZERO
    return None


def _step(gap: Expr, level: bool = False) -> Expr:
    return Expr("step", (gap, ZERO, ONE) if level else (gap, ZERO))


def of_event(event: Expr) -> list[Expr] | None:
    """What is > 0 where an event occurs, but for an event of probability 0; None for what is no inequality."""
    relations = event.args if event.op == "and" else (event,)
    if any(one.op != "relation" or one.args[0] not in ("<", "<=", ">", ">=") for one in relations):
        return None
    return [minus(*(one.args[1:] if one.args[0][0] == ">" else one.args[:0:-1])) for one in relations]


def beyond(event: Expr) -> tuple[Expr, int, int, Expr, Expr] | None:
    """b, m, c and the events A > r and -A > r with P[event] = m + c (P[A > r] + P[-A > r]) for b >= 0.

    The event is |A| > b or < b, r = b, or A^n > b or < b for an even n, r = b^(1/n): |A|^n rises with |A|. None for
    what does not compare the absolute value, or an even power, of a random number with a number.
    """
    if event.op != "relation" or event.args[0] not in ("<", "<=", ">", ">="):
        return None
    mark, one, two = event.args
    size, end, above = (one, two, mark[0] == ">") if one.random else (two, one, mark[0] == "<")
    even = size.op == "**" and size.args[1].op == "number" and size.args[1].args[0] in (2, 4, 6, 8)
    if not (size.op == "abs" or even) or end.random or pieced(size.args[0]):
        return None
    root = Expr("**", (end, number(1 / size.args[1].args[0]))) if even else end
    parts = (Expr("relation", (">", side, root)) for side in (size.args[0], minus(ZERO, size.args[0])))
    return (end, *((0, 1) if above else (1, -1)), *parts)


# -- expectations of derivatives


def slopes(kind: str, order: int, mean: sp.Expr, variance: sp.Expr) -> Powers:
    """E g^(k)(A), A ~ N(mean, variance), as a sum of powers of the variance times the rest: of a step, cos or sin."""
    if kind != "step":
        quarter = order + (3 if kind == "sin" else 0)
        # g^(k) is the real part of i^k exp(iA), for sin of i^(k - 1) exp(iA)
        turn = (sp.cos(mean), -sp.sin(mean), -sp.cos(mean), sp.sin(mean))[quarter % 4]
        return [(sp.Integer(0), sp.exp(-variance / 2) * turn)]
    if not order:
        return [(sp.Integer(0), (1 + sp.erf(mean / sp.sqrt(2 * variance))) / 2)]
    density = sp.exp(-(mean**2) / (2 * variance)) / sp.sqrt(2 * sp.pi)
    # the (k - 1)-th derivative of the density of -A at 0, by Hermite polynomials
    n, found = order - 1, []
    for j in range(n // 2 + 1):
        weight = sp.Rational((-1) ** j * sp.factorial(n), sp.factorial(j) * sp.factorial(n - 2 * j) * 2**j)
        found.append((-sp.Rational(1, 2) - n + j, weight * (-mean) ** (n - 2 * j) * density))
    return [(power, value) for power, value in found if value != 0]


def over_powers(value: sp.Expr, base: sp.Expr) -> tuple[sp.Expr, int]:
    """value = rest * base^n with n as large as it may be."""
    count = 0
    while value != 0 and base.free_symbols:
        share, rest = sp.div(value, base, *sorted(base.free_symbols, key=str))
        if rest != 0:
            break
        value, count = share, count + 1
    return value, count


def over_roots(value: sp.Expr) -> sp.Expr:
    """A value with sqrt(v) for v/sqrt(v), where the terms over the root of a sum v add up to a multiple of it.

    E max(x^T u, x^T v) is one, of which either term has no value where u = v.
    """
    roots = {p for p in value.atoms(sp.Pow) if p.base.is_Add and p.exp.is_Rational and p.exp.q == 2 and p.exp < 0}
    for root in sorted(roots, key=str):
        expanded = sp.expand(value)
        above = expanded.coeff(root)
        # exponentials and error functions of the same names are factors of their own
        made = {one: sp.Dummy() for one in above.atoms(sp.Function)}
        plain = above.xreplace(made)
        if not plain.is_polynomial(*root.base.free_symbols):
            continue
        share, count = over_powers(plain, root.base)
        if count:
            share = share.xreplace({label: one for one, label in made.items()})
            value = expanded - sp.expand(above * root) + share * root.base ** (count + root.exp)
    return value


def together(gates: list[Gate], larger: Callable[[sp.Expr, bool], bool]) -> list[tuple[int, list[Gate]]]:
    """A product of steps as a sum of products of steps of forms that are no multiples of each other.

    ``larger`` says whether a number is >= 0, or > 0. ValueError where that is not known of what decides.
    """
    found: list[tuple[int, list[Gate]]] = [(1, [])]
    for gate in gates:
        if not gate.noise and not any(part.vector for part in gate.form):
            # no random number: its own sign
            end = gate_offset(gate)
            if end == 0 and gate.level:
                continue
            if not larger(end, True) and not larger(-end, True):
                # at 0 it matters whether an event is > or >=
                raise ValueError(f"whether {end} > 0" if end != 0 else "which of two forms that may coincide is larger")
            found = found if larger(end, True) else []
            continue
        found = [(sign * other, more) for sign, known in found for other, more in _joined(known, gate, larger)]
    return found


def _joined(known: list[Gate], gate: Gate, larger: Callable[[sp.Expr, bool], bool]) -> Iterator[tuple[int, list[Gate]]]:
    for k, other in enumerate(known):
        way = _share(other, gate)
        if way is None:
            continue
        if gate.noise or other.noise:
            raise ValueError("two error functions of one form")
        rest = [*known[:k], *known[k + 1 :]]
        gap = gate_offset(other) - way * gate_offset(gate)
        if way > 0:
            # A + b > 0 and A + c > 0, b = c + gap
            if larger(gap, False):
                yield 1, [*rest, gate]
            elif larger(-gap, False):
                yield 1, known
            else:
                raise ValueError(f"whether {gap} >= 0")
            return
        # A + b > 0 and -A + c > 0, gap = b + c: none of both where that is < 0
        if larger(gap, False):
            yield 1, known
            yield -1, [*rest, replace(other, form=_negative(gate.form))]
        elif not larger(-gap, False):
            raise ValueError(f"whether {gap} >= 0")
        return
    yield 1, [*known, gate]


def gate_offset(gate: Gate) -> sp.Expr:
    """The number in a form, beside its tokens."""
    return sp.Add(*(part.coefficient.expr for part in gate.form if not part.vector))


def _negative(form: tuple[Linear, ...]) -> tuple[Linear, ...]:
    return tuple(replace(part, coefficient=part.coefficient * -1) for part in form)


def _share(one: Gate, two: Gate) -> int | None:
    """1 where two forms have the same tokens, -1 where those of one are those of the other with the sign turned."""
    first, second = (
        {(part.vector, part.letters, part.place): part.coefficient for part in gate.form if part.vector}
        for gate in (one, two)
    )
    for way in (1, -1):
        if first.keys() == second.keys() and all(second[key] * way == value for key, value in first.items()):
            return way
    return None


def scaled(form: tuple[Linear, ...]) -> tuple[Linear, ...]:
    """A form over the rational number > 0 that its first coefficient has, so that multiples are equal."""
    lead = next((part.coefficient.expr for part in form if part.vector), sp.Integer(1))
    count = abs(sp.Poly(lead, *lead.free_symbols).LC() if lead.free_symbols and lead.is_polynomial() else lead)
    if not count.is_Rational or count == 0:
        return form
    factor = Fraction(int(count.q), int(count.p))
    return tuple(replace(part, coefficient=part.coefficient * factor) for part in form)
