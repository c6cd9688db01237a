"""Trusted rules about the entropy of a softmax, and about where a function of one name rises and falls."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from fractions import Fraction
from itertools import groupby
from typing import Any

import flint
import sympy as sp

from theorems.algebra.balls import ball, between, precision, rational
from theorems.algebra.closed import names, substituted, vanishes
from theorems.algebra.expressions import symbol
from theorems.algebra.sizes import cut, elementary
from theorems.gaussian.process import Step
from theorems.rules import licensed, rule
from theorems.rules.analysis import CONCLUSIONS, even_power, natural

#: Highest derivative that Taylor's formula is used with.
DERIVATIVES = 6
#: The cover of ``sign-cover``: pieces to begin with, and how often one is halved.
PIECES, HALVINGS = 64, 14
#: Bits that its balls are computed with, and those of ``far-enclosure``.
COVER_BITS, FAR_BITS = 128, 256
#: What an exponent that is to be real must not hold.
UNREAL = (sp.I, sp.log)
#: How near its limit ``far-enclosure`` wants a function to be.
CLOSE = Fraction(1, 2**100)


def in_unknown(expression: sp.Expr, variable: str, rate: sp.Expr, unknown: str) -> sp.Expr:
    """The expression with exp(n rate x) written as the n-th power of one unknown, for integers n.

    Raises ValueError for an exponential of another argument, or where the unknown's name is taken.
    """
    if unknown in names(expression):
        raise ValueError(f"{unknown} stands in {expression}; expected a name of its own for the exponential")
    table = {}
    for node in expression.atoms(sp.exp):
        power = sp.cancel(node.exp / (rate * symbol(variable)))
        if not power.is_Integer:
            raise ValueError(f"{node} is no integer power of exp({rate * symbol(variable)})")
        table[node] = symbol(unknown) ** power
    return expression.xreplace(table)


def flow(form: sp.Expr, variable: str, rate: sp.Expr, unknown: str) -> sp.Expr:
    """The derivative along x of a form in x and the unknown e = exp(rate x): d/dx + rate e d/de."""
    e = symbol(unknown)
    return sp.diff(form, symbol(variable)) + rate * e * sp.diff(form, e)


def vanishes_along(expression: sp.Expr, variable: str) -> bool:
    """Whether an expression is shown to be 0, its exponentials exp(n x/2) written as powers of exp(x/2)."""
    return vanishes(in_unknown(expression, variable, sp.Rational(1, 2), "exponential"))


def visible_sign(expression: sp.Expr, positive: Collection[str]) -> int | None:
    """The sign of sums and products of positive names, numbers and exponentials of one sign; None where none shows."""
    if expression.is_number:
        return _whole(sp.sign(expression))
    if expression.is_Symbol:
        return 1 if expression.name in positive else None
    if isinstance(expression, sp.exp):
        return 1 if _real(expression, positive) else None
    if expression.is_Pow and expression.exp.is_Rational:
        inner = visible_sign(expression.base, positive)
        return None if inner is None else _whole(sp.Integer(inner) ** expression.exp)
    if expression.is_Mul or expression.is_Add:
        signs = [visible_sign(part, positive) for part in expression.args]
        if expression.is_Mul:
            return None if None in signs else int(sp.prod(signs))
        found = set(signs)
        return found.pop() if len(found) == 1 else None
    return None


def _real(expression: sp.Expr, positive: Collection[str]) -> bool:
    """Whether an expression is visibly real: of positive names, without i, logarithms and roots of another sign."""
    if not elementary(expression) or not names(expression) <= set(positive) or expression.has(*UNREAL):
        return False
    return all(power.exp.is_Integer or visible_sign(power.base, positive) == 1 for power in expression.atoms(sp.Pow))


def _whole(value: sp.Expr) -> int | None:
    return int(value) if value.is_Integer else None


@rule("exponential-slope")
def exponential_slope(
    function: sp.Expr, variable: str, rate: sp.Expr, unknown: str, form: sp.Expr, value: sp.Expr
) -> bool:
    """The derivative along x of a function whose exponentials are powers of e = exp(rate x), as a form in x and e.

    Trusted: exp(n z) = exp(z)^n for integers n, and the chain rule.
    """
    if not rate.is_nonzero:
        # of exp(x^2), with x for a rate, the slope is another one
        return False
    same_form = vanishes(in_unknown(function, variable, rate, unknown) - form)
    return elementary(function) and same_form and vanishes(flow(form, variable, rate, unknown) - value)


@rule("implicit-slope")
def implicit_slope(function: sp.Expr, variable: str, other: str, constraint: sp.Expr, value: sp.Expr) -> bool:
    """d/dx f(x, y(x)) where y is kept by c(x, y) = constant: f_x - f_y c_x/c_y. Trusted: implicit differentiation."""
    x, y = symbol(variable), symbol(other)
    if x == y or not (elementary(function) and elementary(constraint)):
        return False
    along = sp.diff(function, x) - sp.diff(function, y) * sp.diff(constraint, x) / sp.diff(constraint, y)
    return vanishes_along(along - value, other)


def taylor_sign(function: sp.Expr, variable: str) -> bool:
    """Whether f(x) > 0 for x > 0: derivatives at 0 that are >= 0, up to one that is visibly positive for x > 0.

    f may contain no symbol but x: a second one would survive in a derivative, whose sign could then not be read off.
    It follows by Taylor's formula with its remainder as an integral.
    """
    x = symbol(variable)
    derivative = sp.expand(function)
    if not elementary(function) or not unbroken(function, {variable}):
        return False
    for _ in range(DERIVATIVES):
        if visible_sign(derivative, {variable}) == 1:
            return True
        start = derivative.xreplace({x: sp.Integer(0)})
        if not start.is_nonnegative:
            return False
        derivative = sp.expand(sp.diff(derivative, x))
    return False


@rule("non-negative-sum")
def non_negative_sum(value: sp.Expr, parts: tuple[tuple[sp.Expr, sp.Expr], ...], variable: str, share: str) -> bool:
    """value = sum_k c_k t_k > 0 for x > 0 and 0 < s < 1: each c_k a product of s, 1 - s and exponentials, t_k > 0.

    t_k has derivatives at 0 that are >= 0, up to one that is visibly positive for x > 0. Trusted: Taylor's formula with
    its remainder as an integral.
    """
    s = symbol(share)
    below = symbol("below")
    if any("below" in names(weight) for weight, _ in parts):
        return False
    for weight, term in parts:
        factors = sp.Mul.make_args(weight)
        told = sp.Mul(*(below if factor - (1 - s) == 0 else factor for factor in factors))
        if visible_sign(told, {share, variable, "below"}) != 1 or not taylor_sign(term, variable):
            return False
    return bool(parts) and vanishes(value - sp.Add(*(weight * term for weight, term in parts)))


@rule("two-roots")
def two_roots(function: sp.Expr, variable: str, mean: str, factor: str, given: tuple[str, ...]) -> bool:
    """exp(x)(x - m) - k x has one root below 0 and one above 0 where m, k > 0 is ``given``.

    Its second derivative exp(x)(x + 2 - m) changes sign once, so that there are three roots at most, with multiplicity;
    f(0) = -m < 0, and f -> infinity at both ends, so that the number on either side of 0 is odd.

    Trusted: Rolle's theorem and the intermediate value theorem.
    """
    x, m, k = (symbol(name) for name in (variable, mean, factor))
    if variable in (mean, factor) or given != signs_of(mean, factor):
        return False
    return vanishes(function - sp.exp(x) * (x - m) + k * x)


def signs_of(*positive: str) -> tuple[str, ...]:
    """The hypotheses that these names are positive."""
    return tuple(f"{name} > 0" for name in positive)


@rule("stationary-score")
def stationary_score(
    entropy: sp.Expr, slope_: sp.Expr, variable: str, condition: sp.Expr, signs: tuple[str, ...]
) -> bool:
    """Where the entropy is least on the ball of norm nu > 0, every score x solves exp(x)(x - m) - k x = 0, m, k > 0.

    With S and M the sums of exp and of x exp over the other scores, the entropy log Z - mean has the slope
    -exp(x)(x - mean)/Z in x, Z = exp(x) + S, mean = (x exp(x) + M)/Z; the condition has m for the mean. ``signs`` says
    that m and k are positive.

    Trusted: a continuous function has a least value on a ball; a shift keeps the softmax, and scores without their mean
    are no longer; along a ray d/dt H(t w) = -t Var(w) < 0, so that the least value is on the mean-free sphere;
    Lagrange's multipliers, whose constant is 0 as the slopes sum to 0; k = Z Var/nu^2; m > 0 as it grows along the ray.
    """
    x, S, M, m, k = (symbol(name) for name in (variable, "S", "M", "m", "k"))
    partition = sp.exp(x) + S
    mean = (x * sp.exp(x) + M) / partition
    return (
        signs == signs_of("m", "k")
        and vanishes(entropy - sp.log(partition) + mean)
        and vanishes(slope_ * partition + sp.exp(x) * (x - mean))
        and vanishes(condition - sp.exp(x) * (x - m) + k * x)
    )


@rule("two-level-entropy")
def two_level_entropy(up: sp.Expr, total: sp.Expr, gap: sp.Expr, square: sp.Expr, value: sp.Expr) -> bool:
    """Entropy and squared norm of ``total`` mean-free scores, ``up`` of them higher than the others by ``gap``.

    The higher are (total - up) gap/total above 0, the lower up gap/total below it, and p is 1/Z and exp(-gap)/Z with
    Z = up + (total - up) exp(-gap); the entropy is -sum p log p.
    """
    down = total - up
    high, low = down * gap / total, up * gap / total
    Z = up + down * sp.exp(-gap)
    entropy = up / Z * sp.log(Z) + down * sp.exp(-gap) / Z * (gap + sp.log(Z))
    return vanishes(up * high**2 + down * low**2 - square) and vanishes(entropy - value)


def _premise(premises: tuple[Step, ...], name: str) -> tuple[Any, ...]:
    """The data of the one premise of that rule; ValueError where there is none, several, or it is not licensed."""
    (found,) = [step for step in premises if step.rule == name]
    if not licensed(found):
        raise ValueError(f"the premise of {name} does not hold")
    return found.data


def _two_or_more(_: Any, total: str, *__: Any) -> tuple[str, ...]:
    return (f"{total} >= 2",)


@rule("least-entropy", needs=_two_or_more)
def least_entropy(premises: tuple[Step, ...], total: str, norm: str, value: sp.Expr) -> bool:
    """The least entropy of T >= 2 scores of Euclidean norm <= nu: that of one score up and T - 1 equal ones.

    A least point takes two values only (stationary-score, two-roots): k scores up. As a function of the share s = k/T,
    at a fixed norm, the entropy of two levels rises (implicit-slope of a positive value), so that k = 1 is least.
    Trusted: what rises on (0, 1) is least at the least of the shares 1/T, ..., (T - 1)/T.
    """
    T, nu, k, x = symbol(total), symbol(norm), symbol("k"), symbol("s")
    stationary = _premise(premises, "stationary-score")
    roots = _premise(premises, "two-roots")
    up, count, gap, square, entropy = _premise(premises, "two-level-entropy")
    function, share, other, constraint, rise = _premise(premises, "implicit-slope")
    positive, _, variable, of = _premise(premises, "non-negative-sum")
    told = (roots, up, count, gap, share, other, of)
    if told != ((stationary[3], stationary[2], "m", "k", stationary[4]), k, T, symbol(variable), "s", variable, "s"):
        return False
    # the same entropy and norm as functions of s = k/T, up to what does not depend on s
    per_share = entropy.xreplace({k: x * T})
    Z = function.xreplace({k: x * T})
    logs = {node: sp.log(T) + sp.log(sp.expand(part / T)) for node in per_share.atoms(sp.log) for part in node.args}
    same_function = vanishes(per_share.xreplace(logs) - sp.log(T) - Z)
    same_norm = vanishes(square.xreplace({k: x * T}) - T * constraint)
    factor = sp.cancel(sp.together(in_unknown(rise / positive, "g", sp.Integer(1), "e")))
    if not (same_function and same_norm and visible_sign(_square_free(factor), {"square"}) == 1):
        return False
    # the norm is nu for one score up at this gap
    width = nu * sp.sqrt(T / (T - 1))
    return vanishes(entropy.xreplace({k: sp.Integer(1), gap: width}) - value)


def _square_free(factor: sp.Expr) -> sp.Expr:
    """A factor with each square put as one positive name: (...)^-2 is positive wherever it is defined."""
    return sp.factor(factor).replace(even_power, lambda node: symbol("square"))


@rule("entropy-sandwich")
def entropy_sandwich(
    total: sp.Expr, norm: sp.Expr, partition: sp.Expr, largest: sp.Expr, mean: sp.Expr, low: sp.Expr
) -> bool:
    """log T >= H >= log Z_0 - mean for T mean-free scores of norm <= nu, with Z >= Z_0 and sum p x <= ``mean``.

    Z >= T exp(0) = Z_0 (Jensen); p <= exp(nu)/Z_0, as no score exceeds nu; (sum p x)^2 <= sum p^2 nu^2 (Cauchy-Schwarz)
    and sum p^2 <= largest p; H = log Z - sum p x; H <= log T (Jensen). Trusted: the two inequalities.
    """
    return (
        partition == total
        and vanishes(largest - sp.exp(norm) / partition)
        and vanishes(mean**2 - norm**2 * largest)
        and visible_sign(mean, names(norm) | names(total)) == 1
        and vanishes(low - sp.log(partition) + mean)
    )


@rule("log-expansion")
def log_expansion(function: sp.Expr, variable: str, count: str, small: sp.Expr, remainder: sp.Expr) -> bool:
    """|f - log(n + 1)| <= (1 + g) y + 1/n for f = log(1 + n e) + g n e/(1 + n e), e = exp(-g), y = exp(g)/n.

    1 + n e = n e (1 + y), so that f = log n + log(1 + y) - g/(1 + n e), and 1/(1 + n e) lies between 0 and y.
    Trusted: 0 <= log(1 + y) <= y for y >= 0, the same for 1/n, and log(a b) = log a + log b.
    """
    g, n, e = symbol(variable), symbol(count), symbol("e")
    form = in_unknown(function, variable, sp.Integer(-1), "e")
    y = in_unknown(small, variable, sp.Integer(-1), "e")
    off = in_unknown(remainder, variable, sp.Integer(-1), "e")
    return (
        vanishes(form - sp.log(1 + n * e) - g + g / (1 + n * e))
        and vanishes(1 + n * e - n * e * (1 + y))
        and vanishes(off - (1 + g) * y - 1 / n)
    )


@rule("squeeze")
def squeeze(
    premise: Step, least: sp.Expr, total: str, norm: str, low: sp.Expr, high: sp.Expr, leading: sp.Expr
) -> bool:
    """low <= least <= high, and high - leading, leading - low -> 0 as T -> infinity: least = leading + o(1).

    ``leading`` is log T; the two ends are those of entropy-sandwich, or of log-expansion with n = T - 1 and
    g = nu sqrt(T/(T - 1)) <= sqrt(2) nu. Trusted: a sequence between two with one limit has it, too; the remainder of
    log-expansion rises with g.
    """
    T, nu = symbol(total), symbol(norm)
    if leading != sp.log(T) or not licensed(premise) or not vanishes(least - _one_up(T, nu)):
        return False
    if premise.rule == "entropy-sandwich":
        if premise.data[:2] != (T, nu) or high != sp.log(T) or not vanishes(premise.data[5] - low):
            return False
    elif premise.rule == "log-expansion":
        function, variable, count, _, remainder = premise.data
        put = {count: T - 1, variable: nu * sp.sqrt(T / (T - 1))}
        off = substituted(remainder, {count: T - 1, variable: sp.sqrt(2) * nu})
        if not all(map(vanishes, (substituted(function, put) - least, off - (leading - low), off - (high - leading)))):
            return False
    else:
        return False
    return all(_dies_out(gap, T) for gap in (high - leading, leading - low))


def _one_up(T: sp.Symbol, nu: sp.Symbol) -> sp.Expr:
    """The entropy of T mean-free scores of norm nu, one above the others, which are equal."""
    gap = nu * sp.sqrt(T / (T - 1))
    others = (T - 1) * sp.exp(-gap)
    return sp.log(1 + others) + gap * others / (1 + others)


def _dies_out(gap: sp.Expr, T: sp.Symbol) -> bool:
    """Whether an expression is c/sqrt(T) or c/(T - 1) with c free of T."""
    return any(vanishes(sp.diff(gap * scale, T)) for scale in (sp.sqrt(T), T - 1))


def _parameter(*data: Any) -> tuple[str, ...]:
    return signs_of(data[4])


@rule("crossing", needs=_parameter)
def crossing(
    function: sp.Expr,
    variable: str,
    rate: sp.Expr,
    unknown: str,
    parameter: str,
    pieces: tuple[sp.Expr, int, sp.Expr, sp.Expr],
    near_zero: tuple[sp.Expr, sp.Expr],
    kind: str,
    count: sp.Expr,
) -> bool:
    """A function with the slope P (T e^n B - A), e = exp(rate x), turns once on x > 0, at a maximum, for every T > 0.

    For x > 0: P, A and B are positive; the level h = A/(e^n B) rises, as A'B - A B' > 0 and e falls; h -> 0 at 0, as
    A <= a and B >= b with a/b -> 0; h -> infinity, as A/B rises and e^-n grows. So T = h once. What stands in
    the function below a line, under a root or in a logarithm is visibly positive, so that it has no pole and no jump.
    ``kind`` names what is counted: "maxima" (1) or "minima" (0). Trusted: the intermediate value theorem, and Taylor's
    formula, as in ``non-negative-sum``.
    """
    factor, power, below, above = pieces
    value = flow(in_unknown(function, variable, rate, unknown), variable, rate, unknown)
    x, e, T = symbol(variable), symbol(unknown), symbol(parameter)
    if parameter in (variable, unknown) or not (rate.is_negative and power > 0):
        return False
    if not vanishes(value - factor * (T * e**power * below - above)):
        return False
    if visible_sign(factor, {variable, unknown, parameter}) != 1 or not elementary(function):
        return False
    if not unbroken(function, {variable, parameter}):
        return False

    def real(form: sp.Expr) -> sp.Expr:
        return sp.expand(form).xreplace({e: sp.exp(rate * x)})

    turn = flow(above, variable, rate, unknown) * below - above * flow(below, variable, rate, unknown)
    top, bottom = near_zero
    # of x alone each, so that the level is, too
    if not all(taylor_sign(real(form), variable) for form in (above, below, turn, top - above, below - bottom)):
        return False
    if visible_sign(bottom, {variable}) != 1 or sp.cancel(top / bottom).xreplace({x: sp.Integer(0)}) != 0:
        return False
    return bool({"maxima": 1, "minima": 0}.get(kind) == count)


def _others(function: sp.Expr, variable: str, *_: Any) -> tuple[str, ...]:
    return signs_of(*sorted(names(function) - {variable}))


@rule("no-turn", needs=_others)
def no_turn(function: sp.Expr, variable: str, slope_: sp.Expr, count: sp.Expr) -> bool:
    """A function whose slope has one visible sign for x > 0 has no maximum and no minimum there, all names positive.

    Trusted: the mean value theorem. What stands below a line, under a root or in a logarithm is visibly positive, so
    that the function has no pole and no jump.
    """
    if not elementary(function) or not unbroken(function, {variable, *names(function)}):
        return False
    shown = vanishes_along(sp.diff(function, symbol(variable)) - slope_, variable)
    return shown and visible_sign(slope_, {variable, *names(function)}) in (1, -1) and count == 0


def unbroken(function: sp.Expr, positive: Collection[str]) -> bool:
    """Whether no pole and no jump can hide in an expression of positive names, and no number that is not real.

    The bases of powers other than 0, 1, 2, ... and the arguments of logarithms must be visibly positive.
    """
    return not function.has(sp.I) and all(visible_sign(inner, positive) == 1 for inner in cut(function))


def far_out(function: sp.Expr, variable: str, rate: sp.Expr) -> sp.Expr:
    """A function of x and e = exp(rate x) written in e and v = x e, its fractions in lowest terms."""
    e, v, x = symbol("e"), symbol("v"), symbol(variable)
    terms = sp.Add.make_args(in_unknown(function, variable, rate, "e"))
    return sp.Add(*(t if t.has(sp.log) else sp.cancel(sp.together(t.xreplace({x: v / e}))) for t in terms))


@rule("decay")
def decay(function: sp.Expr, variable: str, rate: sp.Expr, value: sp.Expr) -> bool:
    """The limit as x -> infinity of a function of x and e = exp(rate x), rate < 0, continuous in e and v = x e at 0.

    Written in e and v, the function must have no x left, and below a line and in a logarithm nothing that is not
    positive at e = v = 0. Trusted: e -> 0 and x e -> 0.
    """
    e, v = symbol("e"), symbol("v")
    if not rate.is_negative or "v" in names(function) or not elementary(function):
        return False
    moved = far_out(function, variable, rate)
    if moved.has(symbol(variable)):
        return False
    zero = {e: sp.Integer(0), v: sp.Integer(0)}
    for node in sp.preorder_traversal(moved):
        if isinstance(node, sp.log) or (node.is_Pow and not natural(node.exp)):
            inner = node.args[0]
            if inner.has(*zero) and not inner.xreplace(zero).is_positive:
                return False
        if node.is_Pow and node.exp.has(*zero) and not node.base.is_positive:
            # 0 to a power that vanishes is not 0 to the power 0
            return False
    return vanishes(moved.xreplace(zero) - value)


@rule("far-enclosure")
def far_enclosure(function: sp.Expr, place: tuple[tuple[str, int], ...], value: sp.Expr) -> bool:
    """Balls put a function nearer than 2^-100 to a number at an exact point, and with its last name twice as far out.

    A cross-check of a limit that another rule concludes: by itself it concludes none.
    """
    *others, (last, end) = place
    with precision(FAR_BITS):
        still = {name: rational(number) for name, number in others}
        points = [still | {last: rational(number)} for number in (end, 2 * end)]
        return all(bool(abs(ball(function - value, point)) < rational(CLOSE)) for point in points)


@rule("sign-cover")
def sign_cover(function: sp.Expr, variable: str, low: Fraction, high: Fraction) -> bool:
    """f > 0, then falling through 0, then f < 0 on [low, high], by balls on intervals that cover it.

    An interval that settles no sign is halved; on what is left, one stretch, the slope must be negative.
    """
    if names(function) != {variable}:
        return False
    falling = sp.diff(function, symbol(variable))
    width = (high - low) / PIECES
    with precision(COVER_BITS):
        pieces = [
            piece
            for k in range(PIECES)
            for piece in _settled(function, variable, (low + k * width, low + (k + 1) * width), HALVINGS)
        ]
        runs = [(sign, list(run)) for sign, run in groupby(pieces, key=lambda piece: piece[0])]
        if [sign for sign, _ in runs] != [1, 0, -1]:
            return False
        _, (_, middle), _ = runs
        return all(_side(ball(falling, {variable: between(*ends)})) == -1 for _, ends in middle)


def _side(value: flint.arb) -> int:
    """1 for a ball above 0, -1 for one below, else 0."""
    sign = value.sgn()
    return 1 if sign == 1 else -1 if sign == -1 else 0


def _settled(
    function: sp.Expr, variable: str, ends: tuple[Fraction, Fraction], halvings: int
) -> Iterator[tuple[int, tuple[Fraction, Fraction]]]:
    """The interval cut into parts with a sign each, 0 for the short ones where none shows."""
    sign = _side(ball(function, {variable: between(*ends)}))
    if sign or not halvings:
        yield sign, ends
        return
    low, high = ends
    middle = (low + high) / 2
    for half in ((low, middle), (middle, high)):
        yield from _settled(function, variable, half, halvings - 1)


# a value that is the conclusion of one of these steps is licensed by it
CONCLUSIONS.update({"crossing": 8, "no-turn": 3, "decay": 3})
