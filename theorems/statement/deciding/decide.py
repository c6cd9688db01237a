"""Deciding a proposition about moments: exactly, in every order of the positions, by normal form.

Only this module calls such a proposition ``proved`` or ``disproved``: proved where both sides agree in every order that
the hypotheses allow, disproved at an exact case that satisfies them and where the sides differ (for a limit: where the
limits differ).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import pairwise, product
from typing import TYPE_CHECKING, Any, Literal

import sympy as sp

from theorems.algebra.expressions import rational_at
from theorems.algebra.spherical import Spherical, poles
from theorems.statement.deciding import decide_clauses
from theorems.statement.deciding.closed_forms import by_terms_of, equal_by_logarithms, proved_between
from theorems.statement.deciding.having_roots import bases_at, negative_power, roots_exist
from theorems.statement.expression import MOMENTS, Expr, StatementError, number, polynomial
from theorems.statement.limits.limit_sides import limit_sides
from theorems.statement.limits.limits import Regime, regimes
from theorems.statement.moments.forms import NotPolynomialError
from theorems.statement.moments.having import has_values, visibly_nonnegative
from theorems.statement.moments.mixing import Radial, radial_at
from theorems.statement.moments.normal import equal, nonnegative, sign
from theorems.statement.moments.pieces import gaps
from theorems.statement.moments.scalars import Exact
from theorems.statement.moments.signs import nonzero, positive_names
from theorems.statement.proposition import Proposition
from theorems.statement.reading.conditions import CLAUSES, parts
from theorems.statement.reading.laws import LENGTHS
from theorems.statement.reading.places import Order, Place, orders
from theorems.statement.values.cases import Case
from theorems.statement.values.kept import once
from theorems.statement.values.values import norm_at

if TYPE_CHECKING:
    from theorems.statement.proofs.steps import Step


@dataclass(frozen=True)
class Part:
    """One order (and regime) of a proposition: both sides there, and whether the relation was shown in it.

    ``proof`` are the steps by which an inequality between the sides was proved.
    """

    order: str
    left: sp.Expr
    right: sp.Expr
    holds: bool
    place: Order | None = None
    regime: Regime | None = None
    proof: tuple[Step, ...] = ()


@dataclass
class Decision:
    """What is known of a proposition: proved, open (some part not shown), or undecided for a reason."""

    status: Literal["proved", "disproved", "open", "undecided"]
    method: str
    parts: list[Part] = field(default_factory=list)
    reason: str = ""
    #: By how much the sides are the wrong way round at least, along a path that disproves.
    excess: str = ""
    #: Whether both sides have a closed form.
    valued: bool = True

    @property
    def failing(self) -> list[Part]:
        """The parts in which the relation was not shown."""
        return [part for part in self.parts if not part.holds]


#: Cases whose numbers are kept.
SEEN = 512
#: Laws of tokens no combination of which is constant where Sigma is positive definite.
DEFINITE = ("iid", "walk", "ar1")


class Derivation:
    """The exact values of a proposition's sides in every order of its positions."""

    def __init__(self, prop: Proposition) -> None:
        self.prop = prop
        self._exact: dict[Order, Exact] = {}
        self._formula: dict[tuple[Order, Expr], sp.Expr | NotPolynomialError] = {}
        self._divided: dict[Expr, list[Expr]] = {}
        self._equations: dict[Order, dict[sp.Symbol, sp.Expr]] = {}
        # the numbers of the names at the cases last looked at, by which object each case is
        self._seen: dict[int, _Seen] = {}

    @cached_property
    def orders(self) -> tuple[Order, ...]:
        """Every order of the places that the hypotheses leave."""
        found = orders(self.prop.places, self.prop.known.places)
        return tuple(order for order in found if not any(_tied(order, pair) for pair in self.prop.known.unequal))

    def exact(self, order: Order) -> Exact:
        """The values in one order."""
        if order not in self._exact:
            self._exact[order] = Exact(self.prop.law, self.prop.known, order)
        return self._exact[order]

    def value(self, order: Order, node: Expr) -> sp.Expr:
        """A side's exact formula in one order; NotPolynomialError where it has none."""
        key = (order, node)
        if key not in self._formula:
            try:
                self._formula[key] = self.exact(order).value(node)
            except NotPolynomialError as error:
                self._formula[key] = error
        found = self._formula[key]
        if isinstance(found, NotPolynomialError):
            raise found.with_traceback(None)
        return found

    def under(self, order: Order, node: Expr) -> sp.Expr:
        """A side's formula in one order, with what the hypotheses say that traces and forms are: norm(u) = 1."""
        if order not in self._equations:
            self._equations[order] = self._stated(order)
        return sp.sympify(self.value(order, node).xreplace(self._equations[order]))

    def _stated(self, order: Order) -> dict[sp.Symbol, sp.Expr]:
        names, found = self.exact(order).traces.table, dict[sp.Symbol, sp.Expr]()
        for one, two in ((one, two) for relation, one, two in self.prop.known.relations if relation == "="):
            try:
                values = [self.value(order, polynomial(side)).xreplace(found) for side in (one, two)]
            except StatementError:
                continue
            for value, other in (values, values[::-1]):
                if value.is_Pow and value.exp == sp.Rational(1, 2):
                    value, other = value.base, other**2
                if value.is_Symbol and value.name in names and value not in other.free_symbols:
                    found = {key: form.xreplace({value: other}) for key, form in found.items()} | {value: other}
                    break
        return found

    def order_at(self, case: Mapping[str, Any]) -> Order:
        """The order of the places at a case; KeyError where the hypotheses allow none."""
        for order in self.orders:
            values = [{_place(place, case) for place in node} for node in order.nodes]
            if all(len(node) == 1 for node in values):
                line = [next(iter(node)) for node in values]
                if all(one < two for one, two in pairwise(line)):
                    return order
        raise KeyError("no order of the positions fits the case")

    def at(self, node: Expr, case: Mapping[str, Any]) -> sp.Expr:
        """A side's exact value at a case; NotPolynomialError where it has none."""
        order = self.order_at(case)
        return self.put(self.value(order, polynomial(node)), order, case)

    def defined(self, node: Expr, case: Mapping[str, Any]) -> bool:
        """Whether a side has a value at a case: nothing in it divides by 0, or is a root of a negative number."""
        if not all(self.at(divisor, case) != 0 for divisor in self._divisors(node)):
            return False

        def place(end: Expr) -> int | None:
            try:
                found = self.at(end, case)
            except (StatementError, KeyError):
                # it holds the index of another sum
                return None
            return int(found) if found.is_Integer else None

        return not any(self._negative(base, case, strict) for base, strict in bases_at(node, place))

    def _negative(self, base: Expr, case: Mapping[str, Any], strict: bool) -> bool:
        """Whether what has to be >= 0, or > 0, is certified not to be so at a case."""
        try:
            found = sign(self.at(base, case))
        except (StatementError, KeyError):
            # the index of a sum has no value here
            return False
        return found is not None and (found < 0 or (strict and found == 0))

    def _divisors(self, node: Expr) -> list[Expr]:
        """What a side divides by, outside of moments: divisors, bases of negative powers, variances."""
        if node not in self._divided:
            # what stands under the index of a product, or of a sum to infinity, is shown to have a value
            inside = {
                id(one) for p in node.walk() if p.op in ("prod", "series", "integral") for one in p.args[0].walk()
            }
            parts = [p for p in node.walk() if id(p) not in inside]
            found = [p.args[1] for p in parts if p.op == "/" and not p.random and not _within_moment(node, p)]
            found += [p.args[0] for p in parts if p.op == "**" and negative_power(p.args[1])]
            found += [Expr("Var", (arg,)) for p in parts if p.op in ("Corr", "Skew", "Kurt") for arg in p.args]
            moments = [p for p in parts if p.op in MOMENTS and any(jumps for _, jumps, _ in gaps(p)) and self._has(p)]
            found += [Expr("Var", (gap,)) for p in moments for gap, jumps, _ in gaps(p) if jumps]
            self._divided[node] = [divisor for divisor in found if not divisor.random]
        return self._divided[node]

    def _has(self, moment: Expr) -> bool:
        """Whether a moment has a closed form."""
        try:
            self.value(self.orders[0], moment)
        except (StatementError, IndexError, KeyError):
            return False
        return True

    def _at(self, case: Mapping[str, Any]) -> _Seen:
        """What was found at a case; a case is not changed once it is looked at."""
        seen = self._seen.get(id(case))
        if seen is None or seen.case is not case:
            if len(self._seen) >= SEEN:
                self._seen.clear()
            seen = self._seen[id(case)] = _Seen(case)
        return seen

    def put(self, formula: sp.Expr, order: Order, case: Mapping[str, Any]) -> sp.Expr:
        """A formula in one order, with the numbers of a case for its names; NotPolynomialError for one without."""
        exact, seen = self.exact(order), self._at(case)
        if exact.law.lengths:
            # a moment of a power that is a number has a name
            formula = formula.replace(Radial, lambda power: Radial(self.put(power, order, case)))
        symbols, without = _made_of(formula)
        point: dict[str, Fraction | sp.Expr] = {}
        for s in symbols:
            if (order, s.name) not in seen.known:
                seen.known[order, s.name] = _number(s.name, seen, exact)
            point[s.name] = seen.known[order, s.name]
        rational = {name: value for name, value in point.items() if isinstance(value, Fraction)}
        if len(rational) == len(point) and (quick := rational_at(formula, rational)) is not None:
            return sp.Rational(int(quick.p), int(quick.q))
        table = {s: sp.sympify(point[s.name]) for s in symbols}
        # before anything is multiplied by it: 0 times what has no value is none
        if any(poles(one, table) for one in without):
            raise NotPolynomialError("a term of a sum to infinity divides by 0")
        value = sp.sympify(formula.xreplace(table)) if table else formula
        if value.has(sp.nan, sp.zoo):
            # at a = 0 a^j/a^i has no value, but the power that it is written for, a^(j - i), does
            placed = {s: value for s, value in table.items() if s.name in self.prop.positions}
            value = sp.sympify(sp.cancel(formula.xreplace(placed)).xreplace(table))
        return value.doit() if value.has(sp.Product) else value


@once
def derivation_of(prop: Proposition) -> Derivation:
    """The derivation of a proposition, which all that ask for its values have in common."""
    return Derivation(prop)


def _tied(order: Order, pair: tuple[Place, Place]) -> bool:
    """Whether an order says that two places are equal."""
    tied = dict(order.values)
    one, two = (
        Place(tied[place.name].name, tied[place.name].offset + place.offset) if place.name in tied else place
        for place in pair
    )
    return one == two


def _within_moment(node: Expr, part: Expr) -> bool:
    """Whether a part of a side stands inside a moment, where sums' own indices may occur in it."""
    return any(any(other is part for other in moment.walk()) for moment in node.walk() if moment.op in MOMENTS)


def _place(place: Place, case: Mapping[str, Any]) -> int:
    return (int(case[place.name]) if place.name else 0) + place.offset


@dataclass
class _Seen:
    """A case that was looked at, and the numbers that names were found to have there, by the order."""

    case: Mapping[str, Any]
    known: dict[tuple[Order, str], Fraction | sp.Expr] = field(default_factory=dict)

    @cached_property
    def rational(self) -> Case:
        """The case in rational numbers, sequences being vectors."""
        lists = {key: value for key, value in self.case.items() if isinstance(value, list) and value}
        matrices = {
            key: tuple(tuple(map(Fraction, row)) for row in value)
            for key, value in lists.items()
            if isinstance(value[0], list)
        }
        vectors = {key: tuple(map(Fraction, value)) for key, value in lists.items() if key not in matrices}
        numbers = {key: Fraction(value) for key, value in self.case.items() if not isinstance(value, list)}
        return Case(numbers, matrices, vectors)


@lru_cache(maxsize=256)
def _made_of(formula: sp.Expr) -> tuple[tuple[sp.Symbol, ...], tuple[sp.Expr, ...]]:
    """The names in a formula, and the functions in it that may have no value."""
    return (*formula.free_symbols,), (*formula.atoms(sp.hyper, Spherical),)


def _number(name: str, seen: _Seen, exact: Exact) -> Fraction | sp.Expr:
    if name in exact.traces.table:
        return exact.traces.value(name, seen.rational.matrices, seen.rational.vectors)
    if name in exact.named:
        return norm_at(exact.named[name], seen.rational)
    if exact.law.lengths and (value := radial_at(name, [seen.rational.numbers[one] for one in LENGTHS])) is not None:
        return value
    if name not in seen.case:
        raise NotPolynomialError(f"{name} has no exact value at a case")
    return Fraction(seen.case[name])


def decide(prop: Proposition, derivation: Derivation, bounding: bool = True, proving: bool = True) -> Decision:
    """Whether the proposition is proved, part by part; what has no closed form is undecided.

    ``bounding`` says whether moments without one may be replaced by what bounds them, ``proving`` whether inequalities
    between closed forms are tried by the prover: not those that are known to be false.
    Raises StatementError for a statement that says nothing: a division by 0, too many orders of the positions.
    """
    if prop.limit.of_vectors:
        from theorems.statement.deciding.sequences import decided

        return decided(prop, derivation)[0]
    if prop.limit.together:
        return Decision("undecided", "several limits", reason="no rule decides limits of several parameters at once")
    if any(side.has("lim") for side in (prop.left, prop.right)):
        return Decision(
            "undecided", "a limit within a side", reason="write f -> value: lim(f) is not decided in a check"
        )
    if bounding and prop.way and not prop.limit.variable and (early := _of_any_moments(prop, derivation)):
        return early
    # a probability is bounded by its moments sooner than its closed form is compared
    tail = proving and bounding and prop.way and not prop.limit.variable and "P" in (prop.left.op, prop.right.op)
    try:
        parts = list(_parts(prop, derivation, proving and not tail))
        if tail and not all(part.holds for part in parts):
            if (by_moments := _bounded(prop, derivation, searching=False)) is not None:
                return by_moments
            parts = list(_parts(prop, derivation, proving))
        if all(part.holds for part in parts):
            # where a side has no value an equality does not hold; a difference elsewhere refutes it still
            has_values(prop)
            roots_exist(prop, derivation)
            _spread(prop, derivation)
    except (NotPolynomialError, ZeroDivisionError) as error:
        shorter = _bounded(prop, derivation) if bounding else None
        return shorter or Decision("undecided", "no closed form", reason=str(error))
    if not parts:
        return Decision("undecided", "nothing to show", reason="the hypotheses leave no way in which it tends there")
    rules = dict.fromkeys(rule for order in derivation.orders for rule in derivation.exact(order).rules)
    method = ", ".join(
        ("Isserlis' theorem", *rules, "sums in closed form, normal form in every order of the positions")
    )
    if prop.limit.variable:
        method += "; limits from leading terms"
    if used := dict.fromkeys(step.rule for part in parts for step in part.proof):
        method += f"; then {'; '.join(used)}"
    open_parts = [part for part in parts if not part.holds]
    if open_parts and bounding and (bounded := _bounded(prop, derivation)) is not None:
        return bounded
    return Decision("open" if open_parts else "proved", method, parts)


def _bounded(prop: Proposition, derivation: Derivation, searching: bool = True) -> Decision | None:
    """Moments and probabilities that have no closed form, bounded by moments.

    Unless ``searching``, by what normal forms show of these alone.
    """
    if prop.limit.variable or not prop.way:
        return None
    # provers, which import scipy
    from theorems.statement.proofs.exceeding import shown
    from theorems.statement.proofs.moment_bounds import weaker
    from theorems.statement.proofs.pointwise import averages_exist, by_points
    from theorems.statement.proofs.steps import Step

    try:
        has_values(prop)
        roots_exist(prop, derivation)
        steps = shown(prop) if searching and "P" in (prop.left.op, prop.right.op) else None
        high, low = (prop.right, prop.left) if prop.way > 0 else (prop.left, prop.right)
        exist = averages_exist(prop)
        if exist and low == number(0) and prop.relation in ("<=", ">=") and visibly_nonnegative(high):
            steps = [Step("an expectation of what is never negative", f"{high} >= 0")]
        steps = steps or (by_points(prop) if searching else None)
        ways = list(weaker(prop)) if exist and steps is None else []
        # most are shown by normal forms, which take no search
        for proving, (others, step) in product((False, True)[: 1 + searching], ways):
            found = []
            for other in others:
                found.append(decide(other, derivation_of(other), bounding=False, proving=proving))
                if found[-1].status != "proved":
                    break
            else:
                steps = [step, *(one for decided in found for part in decided.parts for one in part.proof)]
                break
    except StatementError:
        return None
    return None if steps is None else _shown(prop, derivation, steps)


def _of_any_moments(prop: Proposition, derivation: Derivation) -> Decision | None:
    """What Cauchy and Schwarz's inequality says of moments, whatever they are."""
    from theorems.statement.proofs.moment_bounds import by_cauchy
    from theorems.statement.proofs.pointwise import averages_exist

    try:
        has_values(prop)
        roots_exist(prop, derivation)
        steps = by_cauchy(prop) if averages_exist(prop) else None
        correlated = [arg for side in (prop.left, prop.right) for one in side.walk() if one.op == "Corr" for arg in one]
        if steps and any(derivation.exact(order).constant(arg) for arg in correlated for order in derivation.orders):
            return None
    except StatementError:
        return None
    return None if steps is None else _shown(prop, derivation, steps)


def _shown(prop: Proposition, derivation: Derivation, steps: list[Step]) -> Decision:
    """A proposition that is proved by steps in which its sides have no closed form."""
    left, right = (sp.Symbol(str(side)) for side in (prop.left, prop.right))
    parts = [
        Part(str(order), left, right, True, order, proof=tuple(dict.fromkeys(steps))) for order in derivation.orders
    ]
    return Decision("proved", "; ".join(dict.fromkeys(step.rule for step in steps)), parts, valued=False)


def _spread(prop: Proposition, derivation: Derivation) -> None:
    """NotPolynomialError where a number at whose sign something changes may have the variance 0.

    Where what is averaged is continuous there, only what its formula divides by must not be 0.
    """
    above = replace(prop, relation=">")
    moments = [node for side in (prop.left, prop.right) for node in side.walk() if node.op in MOMENTS]
    for moment, order in product(moments, derivation.orders):
        for gap, jumps, bound in gaps(moment):
            spread = derivation.value(order, Expr("Var", (gap,)))
            if bound and jumps and prop.law.kind not in DEFINITE:
                raise NotPolynomialError(f"whether {gap} varies at every index is not known under {prop.law.text}")
            whole = derivation.value(order, moment)
            divisors = {one.base for one in whole.atoms(sp.Pow) if one.exp.could_extract_minus_sign()}
            for one in [spread] if jumps else [d for d in divisors if d.free_symbols & spread.free_symbols]:
                if not (nonzero(prop, order, one) or proved_between(above, order, one, sp.Integer(0))):
                    told = str(gap).removesuffix(" - 0")
                    raise NotPolynomialError(
                        f"the variance of {told} may be 0; exclude that by a hypothesis, e.g. u != 0"
                    )


def _parts(prop: Proposition, derivation: Derivation, proving: bool) -> Iterator[Part]:
    if prop.relation in CLAUSES:
        yield from _clauses(prop, derivation)
        return
    for order in derivation.orders:
        left, right = derivation.under(order, prop.left), derivation.under(order, prop.right)
        for node, value in ((prop.left, left), (prop.right, right)):
            if value.has(sp.nan, sp.zoo):
                raise NotPolynomialError(f"{node} has no value: it divides by 0, such as a variance of 0", at=node.at)
        if not prop.limit.variable:
            steps: tuple[Step, ...] = ()
            shown = _related(prop, order, left, right)
            if proving and not shown and prop.relation in ("<=", "<", ">=", ">"):
                steps = by_terms_of(prop, order, left, right) or proved_between(prop, order, left, right)
                steps = steps or _with_series(prop, derivation.exact(order))
            yield Part(str(order), left, right, shown or bool(steps), order, proof=steps)
            continue
        scale = derivation.value(order, prop.error[1]) if prop.error is not None else sp.Integer(1)
        for regime in regimes(prop, order):
            found = limit_sides(prop, order, regime, left, right, scale)
            if found is not None:
                yield Part(f"{order}; {regime.words}", *found, order, regime)


def _clauses(prop: Proposition, derivation: Derivation) -> Iterator[Part]:
    for order in derivation.orders:

        def positive(value: sp.Expr, order: Order = order) -> bool:
            return nonnegative(value, positive_names(prop, order, value)) and nonzero(prop, order, value)

        sides: list[list[decide_clauses.Signs]] = []
        for side in (prop.left, prop.right):
            if any(part.op != "relation" for part in parts(side)):
                raise NotPolynomialError(f"{side} is not decided for moments")
            found = [(p.args[0], *(derivation.value(order, node) for node in p.args[1:])) for p in parts(side)]
            sides.append([decide_clauses.signs(relation, left - right) for relation, left, right in found])
        gaps = [sp.Tuple(*(gap for gap, _ in side)) for side in sides]
        shown = decide_clauses.holds(prop.relation, sides[0], sides[1], positive)
        yield Part(str(order), gaps[0], gaps[1], shown, order)


def _related(prop: Proposition, order: Order, left: sp.Expr, right: sp.Expr) -> bool:
    high, low = (prop.right, prop.left) if prop.relation == "<=" else (prop.left, prop.right)
    if prop.relation in ("<=", ">=") and low == number(0) and visibly_nonnegative(high):
        return True
    positive = positive_names(prop, order, left - right)
    if equal(left, right, positive) or equal_by_logarithms(prop, order, left, right):
        return prop.relation in ("=", "<=", ">=")
    if prop.relation in ("<=", "<", ">=", ">"):
        gap = right - left if prop.relation in ("<=", "<") else left - right
        return prop.relation in ("<=", ">=") and nonnegative(gap, positive_names(prop, order, gap))
    return False


def _with_series(prop: Proposition, exact: Exact) -> tuple[Step, ...]:
    """The steps of a proof between sums to infinity, as they are stated; or none."""
    if not any(side.has("series") for side in (prop.left, prop.right)):
        return ()
    from theorems.statement.proofs.heads import shown

    return shown(prop, exact)


def contradicts(prop: Proposition, left: sp.Expr, right: sp.Expr) -> bool | None:
    """Whether exact values at a case violate the relation; None where that is not certain."""
    found = sign(left - right)
    if left == right:
        found = 0
    if prop.relation == "=":
        return None if found is None else found != 0
    if found is None:
        return None
    return {"<=": found > 0, "<": found >= 0, ">=": found < 0, ">": found <= 0}.get(prop.relation)
