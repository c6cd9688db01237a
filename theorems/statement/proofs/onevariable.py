"""Signs of functions of one variable on an interval: rational ones by their roots, others by derivatives and covers.

A function is shown >= 0 on (a, b) by its value at an end and the sign of its derivative, by the signs of its factors,
by balls over a cover of a compact interval, or on both sides of a point. Every denominator, and every argument of a
root or a logarithm, is first shown not to vanish inside, so that the function and its derivatives are smooth there.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm

import sympy as sp

from theorems.algebra.balls import ball, between, precision, sign
from theorems.algebra.covers import Box, covered
from theorems.statement.expression import Expr
from theorems.statement.proofs.patterns import Patterns
from theorems.statement.reading.shapes import shape
from theorems.statement.work import Work

#: Deepest derivatives, boxes of a cover, and points at which an interval is cut.
MAX_DEPTH, MAX_BOXES = 7, 400
_FUNCTIONS = {"sqrt": sp.sqrt, "exp": sp.exp, "log": sp.log, "cos": sp.cos, "sin": sp.sin, "erf": sp.erf}
CUTS = tuple(Fraction(text) for text in ("0", "1", "1/2", "-1", "2", "-1/2", "4", "-4", "10"))
End = Fraction | None


def read(node: Expr, variable: str) -> sp.Expr | None:
    """The function as sympy reads it; None where it is not smooth or has other names."""
    return _read(node, {Expr("name", (variable,)): sp.Symbol(variable, real=True)})


def composed(node: Expr) -> tuple[sp.Expr, Expr] | None:
    """A function of several names as one of t alone, t what stands in one of its error functions or exponentials.

    Where a name stands in t = r s as a factor, s is t/r everywhere. None where other names are left.
    """
    atoms: dict[Expr, sp.Symbol] = {}
    for inner in dict.fromkeys(one.args[0] for one in node.walk() if one.op in ("erf", "exp")):
        found, own = _read(node, atoms, others=True), _read(inner, atoms, others=True)
        if found is None or own is None:
            continue
        for name in sorted(own.free_symbols, key=str):
            rest = sp.cancel(own / name)
            if rest.has(name) or rest == 0:
                continue
            changed = sp.expand(found.xreplace({name: sp.Symbol(T, real=True) / rest}), power_base=False)
            changed = changed.replace(lambda one: isinstance(one, sp.exp | sp.erf), lambda one: one.func(_reduced(one)))
            if changed.free_symbols <= {sp.Symbol(T, real=True)}:
                return changed, inner
    return None


#: The name of the argument that a function of several names is one of.
T = "#t"


def _reduced(function: sp.Expr) -> sp.Expr:
    return sp.powdenest(sp.cancel(sp.together(function.args[0])), force=False)


def _read(node: Expr, names: dict[Expr, sp.Symbol], others: bool = False) -> sp.Expr | None:
    """A function of some nodes as sympy reads it; with ``others`` every number of another kind gets a name, too."""

    def build(one: Expr) -> sp.Expr:
        op, args = one.op, one.args
        if op == "number":
            return sp.Rational(args[0].numerator, args[0].denominator)
        if one in names:
            return names[one]
        if others and op == "norm" and args[1] == "":
            return sp.sqrt(build(Expr("*", (Expr("T", (args[0],)), args[0]))))
        if others and op == "*" and not all(shape(arg) == "number" for arg in args):
            numbers = [arg for arg in args if shape(arg) == "number"]
            rest = Expr("*", tuple(arg for arg in args if arg not in numbers))
            return sp.Mul(*map(build, numbers), names.setdefault(rest, sp.Symbol(f"n{len(names)}#", real=True)))
        if others and op in ("name", "norm", "tr"):
            return names.setdefault(one, sp.Symbol(f"n{len(names)}#", real=True))
        if op == "pi":
            return sp.pi
        if op == "+":
            return sp.Add(*map(build, args))
        if op == "*":
            return sp.Mul(*map(build, args))
        if op == "/":
            return build(args[0]) / build(args[1])
        if op == "**" and args[1].op == "number":
            return build(args[0]) ** build(args[1])
        if op in _FUNCTIONS:
            return _FUNCTIONS[op](build(args[0]))
        raise KeyError(op)

    try:
        found = build(node)
    except (KeyError, OverflowError):
        # sympy evaluates what it compares, and cannot the exponential of a tower
        return None
    # what sympy made of it on the way, such as |x| for sqrt(x**2), may not be smooth
    plain = all(f.func in _FUNCTIONS.values() for f in found.atoms(sp.Function)) and not found.has(sp.zoo, sp.nan, sp.I)
    return found if plain else None


@dataclass
class Line:
    """Signs on intervals; ``steps`` says in words what was shown."""

    variable: str
    work: Work
    steps: list[str] = field(default_factory=list)

    @property
    def symbol(self) -> sp.Symbol:
        return sp.Symbol(self.variable, real=True)

    def nonnegative(self, h: sp.Expr, low: End, high: End, closed: tuple[bool, bool], strict: bool) -> bool:
        """Whether h >= 0 (> 0 where strict) on an interval on which it is defined."""
        if not self.smooth(h, low, high):
            return False
        rooted = _of_root(h, self.symbol, low, high)
        if not self.above(*(rooted or (h, low, high)), strict, 0):
            return False
        # h is continuous where it is defined, so that >= 0 reaches a closed end
        ends = [end for end, shut in zip((low, high), closed, strict=True) if shut and end is not None]
        return not strict or all(self.at(h, end) == 1 for end in ends)

    def smooth(self, h: sp.Expr, low: End, high: End) -> bool:
        """Whether denominators and arguments of roots and logarithms do not vanish inside, the latter being > 0."""
        for node in sp.preorder_traversal(h):
            if (
                node.is_Pow
                and node.exp.is_Rational
                and not (node.exp.is_Integer and node.exp > 0)
                and node.base.has(self.symbol)
            ):
                root = not node.exp.is_Integer
                if not (
                    self.above(node.base, low, high, True, 2)
                    or (not root and self.above(-node.base, low, high, True, 2))
                ):
                    return False
            if node.func is sp.log and node.has(self.symbol) and not self.above(node.args[0], low, high, True, 2):
                return False
            if node.is_Pow and not node.exp.is_Rational and node.base is not sp.E and node.has(self.symbol):
                return False
        return True

    def at(self, h: sp.Expr, point: Fraction) -> int | None:
        """The certified sign of h at a point where it is smooth; None where it is not, or is not settled."""
        exact = sp.Rational(point.numerator, point.denominator)
        for node in sp.preorder_traversal(h):
            singular = node.is_Pow and not (node.exp.is_Integer and node.exp > 0) and node.base.has(self.symbol)
            if (singular and node.exp.is_Rational) or (node.func is sp.log and node.has(self.symbol)):
                base = node.base if node.is_Pow else node.args[0]
                if self.at(base, point) in (None, 0):
                    return None
        value = sp.expand_log(sp.expand(h.subs(self.symbol, exact)), force=False)
        if value == 0 or value.is_zero:
            return 0
        if not value.is_real or value.free_symbols:
            return None
        try:
            return sign(value, {})
        except (ValueError, KeyError, TypeError):
            return None

    def above(self, h: sp.Expr, low: End, high: End, strict: bool, depth: int) -> bool:
        """Whether h >= 0 (> 0 where strict) on the open interval; h is smooth there."""
        if depth > MAX_DEPTH or (size := h.count_ops()) > 300 or not self.work.spend(5 + size / 4):
            return False
        x = self.symbol
        if not h.has(x):
            known = self.at(h, Fraction(0))
            return known == 1 or (known == 0 and not strict)
        if h.is_rational_function(x) and not any(v.is_irrational for v in h.atoms(sp.Number, sp.NumberSymbol)):
            try:
                return self._rational(h, low, high, strict)
            except (sp.CoercionFailed, sp.PolynomialError):
                # a coefficient such as log(2) is no rational number
                pass
        turned = _of_exponential(h, x)
        if turned is not None:
            # t = exp(x/q) rises with x, and goes from 0 to infinity; from 1 where x begins at 0, and to 1 where it ends
            ends = (Fraction(int(low == 0)), Fraction(1) if high == 0 else None)
            try:
                if self._rational(turned, *ends, strict):
                    return True
            except (sp.CoercionFailed, sp.PolynomialError):
                pass
        # of two signs that are tried one is mostly seen to be wrong
        if self.at(h, _middle(low, high)) == -1:
            return False
        before, summed = len(self.steps), h
        h = _neat(h)
        # of a sum a limit, or a constant, is read off before it is made a fraction
        for way in (
            self._from_far,
            self._waves,
            self._power,
            self._factors,
            self._pattern,
            self._from_end,
            self._cover,
            self._cut,
        ):
            if way(summed if way in (self._from_far, self._power) else h, low, high, strict, depth):
                return True
            del self.steps[before:]
        return False

    def _rational(self, h: sp.Expr, low: End, high: End, strict: bool) -> bool:
        """No root of odd multiplicity inside (none at all where strict), and a positive value."""
        x = self.symbol
        above, below = sp.fraction(sp.cancel(sp.together(h)))
        inside = _middle(low, high)
        ends = [None if end is None else sp.Rational(end.numerator, end.denominator) for end in (low, high)]
        for part, poles in ((above, False), (below, True)):
            if not part.has(x):
                continue
            for factor, count in sp.Poly(part, x, domain="QQ").sqf_list()[1]:
                if count % 2 == 0 and not strict and not poles:
                    continue
                roots = factor.count_roots(*ends) - sum(end is not None and factor.eval(end) == 0 for end in ends)
                if roots:
                    return False
        for point in (inside, *_others(low, high)):
            value = h.subs(x, sp.Rational(point.numerator, point.denominator))
            if value.is_Rational and value != 0:
                return bool(value > 0)
        return bool(h == 0 and not strict)

    def _factors(self, h: sp.Expr, low: End, high: End, strict: bool, depth: int) -> bool:
        """The sign of a product by the signs of its factors."""
        factors = [f for f in sp.Mul.make_args(h) if f != 1]
        if len(factors) == 1 and not (factors[0].is_Pow or factors[0].func is sp.exp):
            return False
        total = 1
        for factor in factors:
            if factor.func is sp.exp:
                continue
            if factor.is_Pow and factor.exp.is_Rational:
                if not factor.exp.is_Integer:
                    # a root is positive where it is smooth
                    continue
                if factor.exp % 2 == 0:
                    # positive where its base is not 0
                    if strict and not self._nonzero(factor.base, low, high, depth + 1):
                        return False
                    continue
                factor = factor.base
            if factor == h:
                return False
            if self.above(factor, low, high, strict, depth + 1):
                continue
            if not self.above(-factor, low, high, strict, depth + 1):
                return False
            total = -total
        return total > 0

    def _nonzero(self, h: sp.Expr, low: End, high: End, depth: int) -> bool:
        """Whether h > 0, or h < 0, on the open interval."""
        return self.above(h, low, high, True, depth) or self.above(-h, low, high, True, depth)

    def _waves(self, h: sp.Expr, low: End, high: End, strict: bool, depth: int) -> bool:
        """A constant that cosines and sines, which lie between -1 and 1, do not reach."""
        constant, *waves = sp.expand(h).as_independent(self.symbol, as_Add=True)
        rates = [term.as_independent(self.symbol, as_Add=False) for term in sp.Add.make_args(waves[0])]
        if not all(wave.func in (sp.cos, sp.sin) for _, wave in rates):
            return False
        least = constant - sp.Add(*(abs(rate) for rate, _ in rates))
        return bool(least.is_Rational and (least > 0 or (least == 0 and not strict)))

    def _power(self, h: sp.Expr, low: End, high: End, strict: bool, depth: int) -> bool:
        """r >= c > 0 where r > 0 and r^m >= c^m, for a rational function r and a root c."""
        constant, rest = h.as_independent(self.symbol, as_Add=True)
        root = next((m for m in (2, 3, 4, 6) if constant.is_algebraic and sp.expand(constant**m).is_Rational), None)
        if (
            root is None
            or constant.is_Rational
            or not constant.is_negative
            or not rest.is_rational_function(self.symbol)
        ):
            return False
        powers = sp.cancel(rest**root - sp.expand((-constant) ** root))
        return self.above(rest, low, high, True, depth + 1) and self.above(powers, low, high, strict, depth + 1)

    def _from_far(self, h: sp.Expr, low: End, high: End, strict: bool, depth: int) -> bool:
        """h tends to what is >= 0 at infinity, and falls towards it."""
        if high is not None or depth > 2 or (far := _limit(h, self.symbol)) is None:
            return False
        if self.at(far, Fraction(0)) in (0, 1) and self.above(
            -_neat(sp.diff(h, self.symbol)), low, high, True, depth + 1
        ):
            self.steps.append(f"{h} falls to {far} at infinity")
            return True
        return False

    def _from_end(self, h: sp.Expr, low: End, high: End, strict: bool, depth: int) -> bool:
        """h >= 0 at an end, and rising from it."""
        slope = None
        for end, way in ((low, 1), (high, -1)):
            value = None if end is None else self.at(h, end)
            if value not in (0, 1):
                continue
            slope = _neat(sp.diff(h, self.symbol)) if slope is None else slope
            if self.above(way * slope, low, high, strict and value == 0, depth + 1):
                self.steps.append(f"{h} {'>' if value else '='} 0 at {end}, its derivative has one sign from there")
                return True
        return False

    def _pattern(self, h: sp.Expr, low: End, high: End, strict: bool, depth: int) -> bool:
        """One sign, by those of derivatives."""
        if depth > 2 or h.has(sp.cos, sp.sin, sp.log) or not h.has(sp.exp, sp.erf):
            return False
        if not Patterns(self.symbol, low, high, self.at, self.work).positive(h, strict):
            return False
        self.steps.append(f"{h} has one sign, as its derivatives rise or fall, or rise and fall once")
        return True

    def _cover(self, h: sp.Expr, low: End, high: End, strict: bool, depth: int) -> bool:
        """h > 0 on every part of a compact interval, by balls."""
        if low is None or high is None or self.at(h, low) != 1 or self.at(h, high) != 1:
            return False

        def settled(part: Box) -> bool | None:
            if not self.work.spend():
                return None
            ends = part[self.variable]
            try:
                value = ball(h, {self.variable: between(*ends)})
                middle = ball(h, {self.variable: between((ends[0] + ends[1]) / 2, (ends[0] + ends[1]) / 2)})
            except (ValueError, KeyError):
                return None
            return True if value > 0 else None if middle < 0 else False

        with precision(96):
            return covered(settled, {self.variable: (low, high)}, MAX_BOXES)

    def _cut(self, h: sp.Expr, low: End, high: End, strict: bool, depth: int) -> bool:
        """Both sides of a point at which h >= 0."""
        if depth > 2:
            return False
        for point in CUTS:
            if (low is not None and point <= low) or (high is not None and point >= high):
                continue
            value = self.at(h, point)
            if value == -1:
                return False
            if value == 1 or (value == 0 and not strict):
                # a zero inside is a least value: elsewhere a cut there is the only one that can work
                if self.above(h, low, point, strict, depth + 1) and self.above(h, point, high, strict, depth + 1):
                    return True
                if value == 0:
                    return False
        return False


def _of_exponential(h: sp.Expr, x: sp.Symbol) -> sp.Expr | None:
    """A rational function of t = exp(x/q), q >= 1 an integer, with x for t; None for another function."""
    waves = {wave: sp.expand(wave.exp if wave.is_Pow else wave.args[0]) / x for wave in h.atoms(sp.exp)}
    if not waves or not all(rate.is_Rational for rate in waves.values()):
        return None
    q = sp.ilcm(1, *(rate.q for rate in waves.values()))
    t = sp.Dummy(positive=True)
    found = h.xreplace({wave: t ** (rate * q) for wave, rate in waves.items()})
    return None if found.has(x) else found.xreplace({t: x})


def _of_root(h: sp.Expr, x: sp.Symbol, low: End, high: End) -> tuple[sp.Expr, End, End] | None:
    """A function with roots of x as one of t, x = t^q, on the interval of t; None where there are none, or others."""
    q = lcm(1, *(int(power.exp.q) for power in h.atoms(sp.Pow) if power.base == x and power.exp.is_Rational))
    if q == 1 or low is None or low < 0:
        return None
    ends = [None if end is None else sp.root(sp.Rational(end.numerator, end.denominator), q) for end in (low, high)]
    if not all(end is None or end.is_Rational for end in ends):
        return None
    t = sp.Dummy(positive=True)
    found = sp.expand_log(sp.powdenest(h.xreplace({x: t**q}), force=False), force=False).xreplace({t: x})
    return (found, *(None if end is None else Fraction(int(end.p), int(end.q)) for end in ends))


def _limit(h: sp.Expr, x: sp.Symbol) -> sp.Expr | None:
    """The limit at infinity of a rational function plus multiples of logarithms of others; None where it has none."""
    logs = [term for term in sp.Add.make_args(sp.expand(h, log=False)) if term.has(sp.log)]
    whole, total, degrees = sp.expand(h, log=False) - sp.Add(*logs), sp.Integer(0), sp.Integer(0)
    if not whole.is_rational_function(x):
        return None
    for term in (whole, *logs):
        weight, function = (sp.Integer(1), term) if term is whole else term.as_independent(x, as_Add=False)
        if term is not whole and function.func is not sp.log:
            return None
        inside = function if term is whole else function.args[0]
        if not inside.is_rational_function(x):
            return None
        parts = [sp.Poly(part, x) for part in sp.fraction(sp.cancel(sp.together(inside)))]
        degree, lead = parts[0].degree() - parts[1].degree(), parts[0].LC() / parts[1].LC()
        if term is whole:
            if inside != 0 and degree > 0:
                return None
            total += lead if inside != 0 and degree == 0 else 0
        else:
            total, degrees = total + weight * sp.log(lead), degrees + weight * degree
    return total if degrees == 0 else None


def _neat(h: sp.Expr) -> sp.Expr:
    """A function with common factors taken out."""
    if h.count_ops() > 120:
        return h
    # as a polynomial in exp(1/100), exp(t - 201/100) has a degree that takes minutes to factor
    waves = {wave: wave.exp.as_independent(*wave.free_symbols, as_Add=True) for wave in h.atoms(sp.exp)}
    parts = {wave: sp.Dummy(positive=True) for wave, (end, _) in waves.items() if end.is_Rational and end.q > 1}
    h = h.xreplace({wave: own * sp.exp(waves[wave][1]) for wave, own in parts.items()})
    back = {own: sp.exp(waves[wave][0]) for wave, own in parts.items()}
    try:
        return sp.factor(sp.together(h)).xreplace(back)
    except (sp.PolynomialError, ValueError):
        return h.xreplace(back)


def _middle(low: End, high: End) -> Fraction:
    if low is not None and high is not None:
        return (low + high) / 2
    return low + 1 if low is not None else high - 1 if high is not None else Fraction(0)


def _others(low: End, high: End) -> list[Fraction]:
    if low is not None and high is not None:
        return [low + (high - low) * Fraction(k, 17) for k in range(1, 17)]
    start, step = (low, 1) if low is not None else (high, -1) if high is not None else (Fraction(0), 1)
    assert start is not None
    return [start + step * Fraction(k, 7) for k in range(1, 60)]
