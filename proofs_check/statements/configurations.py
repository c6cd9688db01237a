"""Configurations of a limit: what stays fixed along it, the cases on the way, and what the statement says there."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from operator import itemgetter
from typing import Any

import sympy as sp

from proofs_check.cases.of_statements import Case, drawn, features, satisfied, simple, size
from proofs_check.checks.extrapolation import weights
from proofs_check.statements.moments import DRAWN, Checker
from proofs_check.statements.series import LENGTH, expanded
from proofs_check.statements.texts import exact_text
from proofs_check.statements.trends import FAR, Configuration
from theorems.statement.deciding.decide import Part
from theorems.statement.expression import Expr, StatementError
from theorems.statement.moments.normal import equal
from theorems.statement.moments.scalars import sympy_of
from theorems.statement.mutants import Mutant, mutants

#: Lengths along which T grows, how many configurations are sampled, and the error of the limit that is to be seen.
LENGTHS = {"quick": (8, 16, 32), "standard": (8, 16, 32, 64), "thorough": (8, 16, 32, 64, 128)}
CONFIGURATIONS = {"quick": 2, "standard": 4, "thorough": 6}
TOLERANCE = {"quick": 0.15, "standard": 0.05, "thorough": 0.02}
#: Shares of T at which positions are put, eighths as the lengths are multiples of 8.
SHARES = (Fraction(1, 2), Fraction(1, 4), Fraction(1), Fraction(3, 4), Fraction(1, 8))
#: Most choices of shares that are tried with the same matrices.
MOST_SHARES = 25
#: Largest dimension at growing lengths, and how many configurations are at hand for each that is sampled.
DIMENSION = {"quick": 2, "standard": 3, "thorough": 4}
SPARE = 3
#: Configurations that are looked at for those to sample.
MOST_CONFIGURATIONS = 40
#: The part of the tolerance that what is not removed may take.
LEFT = 0.25
#: Steps of a parameter towards its limit: 2^-k.
STEPS = (1, 2, 3, 4, 5, 6)
#: Of these, the first that lie in the parameter's range.
FURTHEST = 21


class Configurations(Checker):
    """What a statement about a limit says along its configurations: cases on the way, the print, the exact quantity."""

    def __post_init__(self) -> None:
        super().__post_init__()
        #: The effort whose lengths and tolerance are used.
        self.level = self.effort

    @property
    def bounded(self) -> bool:
        """Whether the statement is that something stays bounded, O(...)."""
        return self.prop.error is not None and self.prop.error[0] == "O"

    @property
    def growing(self) -> bool:
        """Whether the length T is what grows."""
        return self.prop.limit.variable == "T"

    def _limit_text(self, parts: list[Part]) -> str | None:
        """The limit in the strictest orders of the positions; None where it is not the same in all of these."""
        if self.prop.error is not None:
            return None
        placed = [(len(part.place.nodes), part.left) for part in parts if part.place is not None]
        limits = [left for nodes, left in placed if nodes == max(placed, key=itemgetter(0))[0]]
        if not limits or sp.oo in limits or not all(equal(limits[0], left) for left in limits):
            return None
        return exact_text(limits[0])

    # -- configurations

    def configurations(self) -> Iterator[Configuration]:
        """Matrices and parameters with shares of T for the positions, in turn the simple ones and those drawn.

        A position of which no share is said stays where the case has it, or is a share of T, too.
        """
        prop = self.prop
        said = dict(prop.limit.regime)
        free = [name for name in prop.positions if name not in said and name != "T"] if self.growing else []
        plain = list(itertools.islice(simple(prop), 40))
        other = sorted(drawn(prop, self.seed * 64 + 1, DRAWN[self.effort]), key=size)
        small = max(DIMENSION[self.effort], int(prop.known.dimension.low or 1))
        both = [case for pair in itertools.zip_longest(plain, other) for case in pair if case is not None]
        pool = [case for case in both if case.get("d", 0) <= small]
        seen = set()
        for case in pool:
            fixed = {k: v for k, v in case.items() if k not in self._tending()}
            for shares in itertools.islice(itertools.product(SHARES, repeat=len(said)), MOST_SHARES):
                for places in itertools.product((None, Fraction(1, 2), Fraction(1)), repeat=len(free)):
                    table = dict(zip(said, shares, strict=True))
                    table |= {name: place for name, place in zip(free, places, strict=True) if place is not None}
                    stay = {name: case[name] for name in free if name not in table}
                    named = {form.args[0]: str(table[n]) for n, form in said.items() if form.op == "name"}
                    if any(_share(form, named) != table[n] for n, form in said.items()):
                        continue
                    made = Configuration({**fixed, **named, **stay}, table)
                    # matrices of different sizes may be the same ones where d grows
                    key = str((made.fixed, made.shares) if self.growing else self._along(made))
                    if key not in seen and self._fits(made):
                        seen.add(key)
                        yield made

    def _share_names(self) -> set[str]:
        return {form.args[0] for _, form in self.prop.limit.regime if form.op == "name"}

    def _tending(self) -> set[str]:
        """What a configuration does not fix: positions where T grows, else the parameter alone."""
        moving = set(self.prop.positions) if self.growing else {self.prop.limit.variable}
        return moving | self._share_names()

    def _fits(self, configuration: Configuration) -> bool:
        name = self.prop.limit.variable
        if self.growing:
            cases = [configuration.at(T) for T in (16, 64, FAR)]
        elif name in ("d", *self.prop.positions):
            # matrices and vectors that are made larger need not meet an equation of traces any more
            cases = list(self._parameter_cases(configuration)) if self.prop.known.relations else []
        else:
            cases = [{**configuration.fixed, name: str(self._in_index(sp.Integer(N)))} for N in (*self._indices, FAR)]
        return all(satisfied(self.prop, case) for case in cases)

    def _chosen(self, configurations: list[Configuration]) -> list[Configuration]:
        """A few that together tell the most wrong limits from the print, and differ most in what they cover."""
        wrong = mutants(self.prop) if self.prop.error is None and self.prop.relation == "->" else []
        rest = []
        for made in configurations[:MOST_CONFIGURATIONS]:
            if self._defined(made):
                covered = features(self.prop, made.at(16)) if self.growing else features(self.prop, made.fixed)
                covered |= {f"{name} at {share}" for name, share in made.shares.items()}
                rest.append((made, covered, self._telling_of(made, wrong)))
        chosen: list[Configuration] = []
        seen: set[str] = set()
        told: set[str] = set()
        while rest and len(chosen) < SPARE * CONFIGURATIONS[self.effort]:
            best = max(rest, key=lambda entry: ("not 0" in entry[2], len(entry[2] - told), len(entry[1] - seen)))
            chosen.append(best[0])
            seen |= best[1]
            told |= best[2]
            rest.remove(best)
        return chosen

    def _telling_of(self, configuration: Configuration, wrong: list[Mutant]) -> set[str]:
        """The wrong limits that differ from the print at a configuration by more than the error that is seen there.

        And whether what tends differs from 0 there at all.
        """
        printed = self.prints(configuration)
        value = self.exact_quantity(configuration.at(16) if self.growing else self.last(configuration))
        if printed is None or value is None:
            return set()
        room = 2 * TOLERANCE[self.level] * abs(printed)
        values = {mutant.label: self.prints(configuration, mutant.right) for mutant in wrong}
        told = {label for label, other in values.items() if other is not None and abs(other - printed) > room}
        return told | ({"not 0"} if value != 0 else set())

    def _nearest_first(self, chosen: list[Configuration]) -> Iterator[Configuration]:
        """Those that come near to the limit, then the others; no more is looked at than is asked for."""
        far = []
        for configuration in chosen:
            if self._near(configuration):
                yield configuration
            else:
                far.append(configuration)
        yield from far

    def _near(self, configuration: Configuration) -> bool:
        """Whether the lengths go far enough to see the limit: what is not removed is small there."""
        printed = self.prints(configuration)
        if self.bounded or printed is None:
            return True
        tolerance = self._tolerance(printed, self._along(configuration))
        removal = self._weights(configuration, self._indices, tolerance)
        return removal is None or removal[2] <= LEFT * tolerance

    def _along(self, configuration: Configuration) -> list[Case]:
        """The cases along the index."""
        if self.growing:
            return [configuration.at(T) for T in self._indices]
        return list(self._parameter_cases(configuration))

    def _tolerance(self, printed: float, cases: Sequence[Case]) -> float:
        """The error of the limit that is to be seen, by the size of what tends."""
        # beside an error term that vanishes with a parameter the sides may be of any size
        reach = max(abs(printed), *(self._size(case) for case in (cases if self.growing else cases[:1])))
        return TOLERANCE[self.level] * (reach or 1.0)

    @property
    def _indices(self) -> tuple[int, ...]:
        """The lengths, or the steps of a parameter within its range, at which values are sampled."""
        if self.growing:
            return LENGTHS[self.level]
        known = self.prop.known.ranges.get(self.prop.limit.variable)
        steps = [2**k for k in range(1, FURTHEST)]
        if known is not None:
            steps = [N for N in steps if known.holds(Fraction(str(self._in_index(sp.Integer(N)))))]
        return tuple(steps[: len(STEPS)])

    def typical(self, configuration: Configuration) -> Case:
        """A case of a configuration, without the parameter that tends unless orders and sizes take it."""
        if self.growing:
            return configuration.at(64)
        sized = self.prop.limit.variable in ("d", *self.prop.positions)
        return self.last(configuration) if sized else dict(configuration.fixed)

    def last(self, configuration: Configuration) -> Case:
        """The case of a configuration at which the parameter is nearest to its limit."""
        return list(self._parameter_cases(configuration))[-1]

    def _defined(self, configuration: Configuration) -> bool:
        """Whether print and quantity have values: neither divides by 0."""
        cases = [configuration.at(T) for T in (16, 64)] if self.growing else list(self._parameter_cases(configuration))
        return self.prints(configuration) is not None and all(self.exact_quantity(case) is not None for case in cases)

    # -- the quantity that tends, and what is printed for it

    def prints(self, configuration: Configuration, right: Expr | None = None) -> float | None:
        """The printed limit at a configuration; 0 for an error term, 1 for a ratio.

        O(...) prints no limit, only that the ratio stays bounded (``bounded``).
        """
        if self.prop.error is not None:
            return 0.0
        if self.prop.relation == "~":
            return 1.0
        value = self.exact(right if right is not None else self.prop.right, self.typical(configuration))
        return None if value is None else float(sp.re(value))

    def quantity(self, left: Any, right: Any, scale: Any) -> Any:
        """What tends to the printed limit, from the sides: left, left/right, or (left - right)/scale."""
        if self.prop.error is not None:
            return (left - right) / scale
        return left / right if self.prop.relation == "~" else left

    def scale(self, case: Mapping[str, Any]) -> sp.Expr:
        """The scale of the error term at a case."""
        if self.prop.error is None:
            return sp.Integer(1)
        value = self.exact(self.prop.error[1], case)
        return sp.Integer(1) if value is None else value

    def exact_quantity(self, case: Mapping[str, Any]) -> sp.Expr | None:
        """The exact value of what tends, at a case."""
        left, right = self.sides(case)
        if left is None or right is None or (self.prop.relation == "~" and right == 0):
            return None
        return self.quantity(left, right, self.scale(case))

    def expansion(self, configuration: Configuration) -> tuple[list[Fraction], list[sp.Expr]] | None:
        """The powers p of the terms T^-p of the exact form there, and what is left after 1, 2, ... (``expanded``)."""
        value = self._in_length(configuration)
        return None if value is None else expanded(value)

    def _weights(
        self, configuration: Configuration, lengths: Sequence[int], tolerance: float
    ) -> tuple[list[float], list[Fraction], float] | None:
        """Weights that remove as few powers of 1/T as leave less than a part of the tolerance, and that rest.

        The rest is what the exact form says of the terms that are not removed, at the lengths themselves; it widens
        the interval of the limit.
        """
        form = self.expansion(configuration)
        if form is None:
            return None
        powers, rests = form
        best: tuple[list[float], list[Fraction], float] | None = None
        # what vanishes faster than every power is small at the longer lengths alone
        for first in range(len(lengths)):
            for count in range(min(len(powers), len(lengths) - first - 1) + 1):
                used = lengths[first:]
                factors = [0.0] * first + list(weights(used, powers[:count], costs=used))
                pairs = zip(factors, lengths, strict=True)
                rest = float(sum(abs(a * rests[count].subs(LENGTH, T)) for a, T in pairs if a))
                if best is None or rest < best[2]:
                    best = factors, powers[:count], rest
                if rest <= LEFT * tolerance:
                    return factors, powers[:count], rest
        return best

    def _in_length(self, configuration: Configuration) -> sp.Expr | None:
        """The exact form of what tends, in T alone (in N where a parameter tends), at a configuration."""
        case = configuration.at(1024) if self.growing else self.last(configuration)
        try:
            order = self.derivation.order_at(case)
            sides = [self.derivation.under(order, side) for side in (self.prop.left, self.prop.right)]
        except (StatementError, KeyError):
            return None
        table = {
            sp.Symbol(n): sp.Rational(s.numerator, s.denominator) * LENGTH for n, s in configuration.shares.items()
        }
        table |= {sp.Symbol(n): sp.Integer(k) for n, k in configuration.fixed.items() if n in self.prop.positions}
        if not self.growing:
            table = {sp.Symbol(self.prop.limit.variable): self._in_index(LENGTH)}
        known = {name: case[name] for name in configuration.fixed}
        forms = []
        for side in sides:
            formula = side.xreplace(table)
            try:
                named = formula.free_symbols - {LENGTH}
                forms.append(formula.xreplace({s: self.derivation.put(s, order, known) for s in named}))
            except (StatementError, KeyError):
                return None
        scale = sp.Integer(1)
        if self.prop.error is not None:
            scale = sympy_of(self.prop.error[1]).xreplace(table)
        return self.quantity(forms[0], forms[1], scale)

    # -- sampling along the index

    def _size(self, case: Case) -> float:
        """How large what tends is at a case; with an error term, the left side in units of its scale."""
        value = self.exact_quantity(case)
        left = self.exact(self.prop.left, case)
        if self.prop.error is not None and left is not None:
            value = left / self.scale(case)
        return 0.0 if value is None else abs(float(sp.re(value)))

    def _parameter_cases(self, configuration: Configuration) -> Iterator[Case]:
        name = self.prop.limit.variable
        for N in self._indices:
            value = self._in_index(sp.Integer(N))
            case = {**configuration.fixed, name: int(value) if name in ("d", *self.prop.positions) else str(value)}
            yield {one: self._widened(one, entries, N) for one, entries in case.items()} if name == "d" else case

    def _widened(self, name: str, entries: Any, d: int) -> Any:
        """What has entries in d dimensions: 0 beyond those of a case, and 1 on a square matrix's diagonal."""
        if name in self.prop.known.vectors:
            return [*entries, *["0"] * (d - len(entries))]
        if not (isinstance(entries, list) and isinstance(entries[0], list)):
            return entries
        down, across = (
            d if size == "d" else len(own)
            for size, own in zip(self.prop.known.size(name), (entries, entries[0]), strict=True)
        )
        known = {(i, j): entry for i, row in enumerate(entries) for j, entry in enumerate(row)}
        return [[known.get((i, j), str(int(i == j and down == across))) for j in range(across)] for i in range(down)]

    def _in_index(self, index: sp.Expr) -> sp.Expr:
        """The parameter that tends, in N: N itself towards oo, else its limit +- 1/N, within its range."""
        name, value = self.prop.limit.variable, self.prop.limit.value
        if value is None:
            return index
        known, point = self.prop.known.ranges.get(name), sympy_of(value)
        below = known is not None and known.high is not None and known.high <= Fraction(str(point))
        return point - 1 / index if below else point + 1 / index


def _share(form: Expr, named: Mapping[str, str]) -> Fraction:
    """The share of T that a position tends to: a number, or that of its name."""
    return Fraction(named[form.args[0]] if form.op == "name" else form.args[0])
