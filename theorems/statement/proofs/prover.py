"""The prover: identities by normal form, one variable by derivatives and covers, the rest by exact certificates.

Nothing is proved of a statement whose sides are not shown to have a value wherever the hypotheses hold.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import permutations

from theorems.algebra.ratio import Ratio
from theorems.statement.expression import Expr, StatementError, minus, name, negative, number
from theorems.statement.proofs.atoms import Atoms, NoFormError, monomials
from theorems.statement.proofs.averages import by_means, weights
from theorems.statement.proofs.certificate import UNIT, Poly, Term, certificate, products, whole, written
from theorems.statement.proofs.comparing import by_exponent, by_logarithm, by_signs, by_terms, unclipped
from theorems.statement.proofs.existing import defined, needed
from theorems.statement.proofs.factors import as_sums, by_bases, by_common_products, by_factors
from theorems.statement.proofs.facts import Fact, facts_of
from theorems.statement.proofs.gradients import by_entries
from theorems.statement.proofs.induction import by_induction
from theorems.statement.proofs.inner_products import squares as squares_of_vectors
from theorems.statement.proofs.integrals import integrals_agree
from theorems.statement.proofs.matrices import OPERATIONS, about_matrices, equal_by_normal_form
from theorems.statement.proofs.onevariable import Line, T, composed, read
from theorems.statement.proofs.quotients import ONE, number_of
from theorems.statement.proofs.series import bounded, in_closed_form
from theorems.statement.proofs.slopes import by_slopes
from theorems.statement.proofs.softmax import of_any_scores
from theorems.statement.proofs.steps import Proof, Step, Steps, together
from theorems.statement.proofs.whole_sequences import by_ratios
from theorems.statement.proposition import Proposition
from theorems.statement.reading.calculus import worked
from theorems.statement.reading.conditions import CLAUSES
from theorems.statement.reading.ranges import Range
from theorems.statement.reading.shapes import shape
from theorems.statement.values.cases import frame
from theorems.statement.work import Work

#: Steps that one proof may take where nothing else is said.
STEPS = 3000
#: Most products of exponentials of a goal of which facts are taken.
MOST_EXPONENTIALS = 8

Facts = list[tuple[Fact, Term]]
Squares = dict[str, Poly]


def proved(prop: Proposition, work: Work | None = None) -> Proof | None:
    """A proof of a statement without tokens that takes no more work, or None."""
    if prop.random or prop.asymptotic:
        return None
    work, whole = work or Work(STEPS), about_matrices(prop)
    if whole and (same := equal_by_normal_form(prop)) is not None:
        told = f"both sides are {same}, for matrices of every size"
        return Proof((Step("matrix identity by normal form", told),))
    prop = by_entries(prop, work)
    # the rules below are about numbers
    if whole and any(side.has(*OPERATIONS) or shape(side) != "number" for side in (prop.left, prop.right)):
        return None
    if prop.left.has("diff") or prop.right.has("diff"):
        try:
            prop = replace(prop, left=worked(prop.left), right=worked(prop.right))
        except StatementError:
            return None
    prop = of_any_scores(replace(prop, left=unclipped(prop.left), right=unclipped(prop.right)))
    if prop.relation in CLAUSES:
        from theorems.statement.proofs.clauses import clause_steps

        steps = clause_steps(prop, lambda one: Prover(one, work))
    else:
        steps = Prover(prop, work).proof()
    return None if steps is None else Proof(tuple(dict.fromkeys(steps)))


class Prover:
    """Proves relations under a statement's hypotheses."""

    def __init__(self, prop: Proposition, work: Work) -> None:
        self.prop, self.work = prop, work
        self.known = replace(prop.known, letters=tuple(sorted(frame(prop).quantified)))
        self.nested, self.inductions = False, 0
        self.positive: dict[Expr, bool] = {}
        self.bounds: tuple[Expr, ...] = ()
        self.weights = weights(prop)
        self.whole = {*frame(prop).sizes, *frame(prop).indices, *prop.positions}
        known = self.known.ranges.items()
        self.whole |= {one for one, values in known if values.integer and values.low is not None and values.low >= 1}

    def proof(self) -> Steps | None:
        """Steps to the statement, both sides having a value."""
        left, right, relation = self.prop.left, self.prop.right, self.prop.relation
        self.bounds = (left, right) if "prod" in (left.op, right.op) and relation in ("<=", ">=") else ()
        found = together(map(self.defined, (left, right)))
        if found is None:
            return None
        if relation == "=":
            steps = self.equal(left, right)
        else:
            high, low = (right, left) if relation[0] == "<" else (left, right)
            steps = self.at_least(high, low, relation in ("<", ">"))
        return together((found, steps))

    def defined(self, node: Expr) -> Steps | None:
        """Steps showing that an expression has a value wherever the hypotheses hold."""
        return defined(self, node)

    def atoms(self) -> Atoms:
        """A reader of numbers under what is known here."""
        return Atoms(self.known, self.weights, self.whole)

    def powers(self, node: Expr) -> bool:
        """Whether the powers in an expression that are read as exponentials have bases that are shown to be > 0."""
        bases = [one.args[0] for one in node.walk() if one.op == "**" and one.args[1].op != "number"]
        return all(map(self._above_zero, bases))

    def _above_zero(self, base: Expr) -> bool:
        if base not in self.positive:
            # nothing is known of it while it is looked at
            self.positive[base] = False
            self.positive[base] = self.at_least(base, number(0), True) is not None
        return self.positive[base]

    # -- relations

    def related(self, high: Expr, low: Expr, strict: bool) -> Steps | None:
        """high >= low, or high > low, wherever no divisor is 0; roots, logarithms and powers have values."""
        for side in (high, low):
            for node in side.walk():
                wanted = needed(self, node) if node.op != "/" else None
                if wanted is not None and all(self.at_least(goal, number(0), wanted[1]) is None for goal in wanted[0]):
                    return None
        return self.at_least(high, low, strict)

    def equal(self, left: Expr, right: Expr) -> Steps | None:
        """left = right by normal form, or by both inequalities."""
        if left.has("integral") or right.has("integral"):
            return integrals_agree(self, left, right)
        if left.has("series") or right.has("series"):
            return in_closed_form(self, left, right)
        left, right = as_sums(left), as_sums(right)
        if not (self.powers(left) and self.powers(right)):
            return None
        if left.has("prod") and (steps := by_common_products(self, left, right, "=")) is not None:
            return steps
        same = self.identical(left, right)
        if same is None:
            return by_induction(self, left, right, "=")
        if same:
            return [Step("identity by normal form", f"{left} = {right}")]
        return by_induction(self, left, right, "=") or together(
            self.at_least(*pair, False) for pair in ((left, right), (right, left))
        )

    def identical(self, left: Expr, right: Expr) -> bool | None:
        """Whether both sides have one normal form; None where one has none."""
        return self.atoms().vanishes(minus(left, right))

    def at_least(self, high: Expr, low: Expr, strict: bool) -> Steps | None:
        """high >= low, or high > low."""
        if high.op in ("prod", "gamma") and low == number(0):
            inside, body = self.within(high) if high.op == "prod" else (self, high.args[0])
            positive = inside.at_least(body, low, strict or high.op == "gamma")
            told = "a product of positive factors is positive" if high.op == "prod" else "gamma(t) > 0 for t > 0"
            return None if positive is None else [Step(told, f"{high}"), *positive]
        if high.op in ("*", "/") and low == number(0) and high.has("gamma") and shape(high.args[0]) == "number":
            # by its factors, as gamma has no normal form
            return together(
                self.at_least(arg, low, strict or (high.op == "/" and k > 0)) for k, arg in enumerate(high.args)
            )
        if high.has("series") or low.has("series"):
            return bounded(self, high, low, strict)
        by = () if strict else (by_bases, by_ratios) if low.has("prod") else (by_bases,)
        if (steps := next(filter(None, (one(self, high, low) for one in by)), None)) is not None:
            return steps
        if "prod" in (high.op, low.op):
            return None if strict else by_factors(self, high, low) or by_induction(self, high, low, ">=")
        if high.has("prod") and (steps := by_common_products(self, high, low, ">" if strict else ">=")) is not None:
            return steps
        gap = minus(high, low)
        found = self._one_variable(high, low, strict)
        for rounds in (1, 2):
            if found is None:
                found = self._certified(gap, strict, rounds)
            if found is None and _rooted(high, low):
                found = self._squared(high, low, strict, rounds)
                # -root <= value says that -value <= root
                found = found or self._squared(negative(low), negative(high), strict, rounds)
        if found is None and any(side.has("sum") for side in (high, low)):
            found = by_terms(self, high, low, strict) or by_means(self, high, low, strict)
        if found is None and any(side.has("log") for side in (high, low)):
            found = by_logarithm(self, high, low, strict)
        found = found or by_exponent(self, high, low, strict)
        found = found or (None if strict else by_slopes(self, high, low)) or by_signs(self, high, low, strict)
        return found or (None if strict else by_induction(self, high, low, ">="))

    def certified(self, high: Expr, low: Expr, strict: bool) -> Steps | None:
        """high >= low, or high > low, by an exact certificate alone."""
        return next(filter(None, (self._certified(minus(high, low), strict, rounds) for rounds in (1, 2))), None)

    def within(self, node: Expr) -> tuple[Prover, Expr]:
        """The prover of what is said under an index that goes from first to last, and the body under it."""
        body, index, first, *last = node.args
        own = name(self.own_index(index))
        return self.knowing(("<=", first, own), *(("<=", own, end) for end in last)), body.put({index: own})

    def own_index(self, index: str) -> str:
        """The name of an index in what is said under it: a parameter, or an index of what stands around, is another."""
        around = (side for _, *sides in self.known.relations[len(self.prop.known.relations) :] for side in sides)
        taken = {*self.prop.parameters, *self.prop.positions, *self.whole}.union(*(side.names() for side in around))
        while index in taken:
            index += "#"
        return index

    def under(self, gap: Expr) -> Prover:
        """The prover where gap >= 0, too."""
        inside = self.knowing((">=", gap, number(0)))
        try:
            form = self.atoms().quotient(gap)
        except NoFormError:
            return inside
        terms = monomials(form.above) if form.below == ONE else {}
        end = -terms.pop((), Fraction(0))
        labels = [key[0][0] for key in terms if len(key) == 1 and key[0][1] == 1]
        if len(terms) == len(labels) == 1 and (values := self.known.ranges.get(labels[0])) is not None:
            # a number of its own lies on one side of an end
            (weight,) = terms.values()
            end /= weight
            if weight > 0 and (values.low is None or values.low < end):
                values = replace(values, low=end, low_open=False)
            if weight < 0 and (values.high is None or values.high > end):
                values = replace(values, high=end, high_open=False)
            inside.known = replace(inside.known, ranges={**self.known.ranges, labels[0]: values})
        return inside

    def knowing(self, *relations: tuple[str, Expr, Expr]) -> Prover:
        """The prover under further relations."""
        inside = Prover(self.prop, self.work)
        inside.known = replace(self.known, relations=(*self.known.relations, *relations))
        return inside

    def _squared(self, high: Expr, low: Expr, strict: bool, rounds: int) -> Steps | None:
        """low <= |low| <= high where high >= 0 and low^2 <= high^2."""
        two = number(2)
        goals = (high, False), (minus(Expr("**", (high, two)), Expr("**", (low, two))), strict)
        found = together(self._certified(*goal, rounds) for goal in goals)
        told = f"{high} >= 0 and ({low})**2 <= ({high})**2"
        return None if found is None else [Step("squares compare", told), *found]

    def _one_variable(self, upper: Expr, lower: Expr, strict: bool) -> Steps | None:
        gap = minus(upper, lower)
        names = gap.names()
        if gap.has("matrix", "family", "entry", "softmax", "sum"):
            return None
        variable, values = next(iter(names), ""), Range()
        if len(names) <= 1 and not gap.has("vector"):
            function = read(gap, variable)
            default = Range(Fraction(1), integer=True) if variable in self.whole or variable == "d" else Range()
            values = self.known.ranges.get(variable, default)
        elif (found := composed(gap)) is not None:
            (function, inner), variable = found, T
            if self.at_least(inner, number(0), False) is not None:
                values = Range(Fraction(0), low_open=self.at_least(inner, number(0), True) is not None)
        else:
            return None
        if function is None:
            return None
        # what covers and derivatives do not settle is left to certificates, which get the other half
        half = Work(self.work.left / 2)
        line = Line(variable, half)
        closed = (not values.low_open, not values.high_open)
        shown = line.nonnegative(function, values.low, values.high, closed, strict)
        self.work.spend(self.work.left / 2 - half.left)
        if not shown:
            return None
        low, high = ("-oo" if values.low is None else values.low), ("oo" if values.high is None else values.high)
        where = f" for {variable} between {low} and {high}" if variable else ""
        told = ": " + "; ".join(line.steps[:4]) if line.steps else ""
        return [Step("a function of one variable", f"{upper} {'>' if strict else '>='} {lower}{where}{told}")]

    def _certified(self, gap: Expr, strict: bool, rounds: int) -> Steps | None:
        """An exact certificate from facts about the atoms; in the second round also about the atoms that these have."""
        if not self.work.spend(5) or not self.powers(gap):
            return None
        atoms = self.atoms()
        try:
            for _, bound in self.known.sequences.values():
                if bound is not None and gap.has("softmax"):
                    atoms.quotient(Expr("exp", (Expr("*", (number(2), bound)),)))
            form = atoms.settle(gap)
        except NoFormError:
            return None
        goal, below = form.above, form.below
        found: dict[str, tuple[Fact, Term]] = {}
        for turn in range(rounds):
            before = len(found)
            self._look_up(atoms, found)
            if turn and len(found) == before:
                return None
            if turn + 1 < rounds:
                continue
            if rounds > 1:
                self._products_of_exponentials(goal, atoms, found)
            facts = list(found.values())
            squares = {label: whole(monomials(square)) for label, square in atoms.squares.items()}
            try:
                sign = 1 if below == ONE else self._sign(below, facts, squares)
                now = atoms.folded((goal * below if sign is None else goal * sign).reduced())
            except NoFormError:
                return None
            constant = number_of(now)
            if constant is not None:
                good = constant > 0 or (constant == 0 and not strict)
                return [Step("identity by normal form", f"{gap} = {constant}")] if good else None
            goal_now = self._without_common_factors(whole(monomials(now)), strict)
            for fact in squares_of_vectors(goal_now, atoms.nodes, self.known):
                self._enter(fact, atoms, found)
            facts = list(found.values())
            steps = self._combined(goal_now, facts, squares, strict, str(gap))
            steps = steps or self._by_exponents(goal_now, atoms, strict)
            if steps is not None:
                return steps
        return None

    def _by_exponents(self, goal: Poly, atoms: Atoms, strict: bool) -> Steps | None:
        """r (a exp(s) - b exp(t)) where s >= t, a >= b > 0, and r >= 0 is a monomial."""
        if len(goal) != 2 or self.nested or sum(goal.values()) < 0 or min(goal.values()) > 0:
            return None
        (high, more), (low, less) = sorted(goal.items(), key=lambda item: -item[1])
        exponents: list[Expr] = []
        rest: list[dict[str, int]] = []
        for key in (high, low):
            waves = [(label, power) for label, power in key if atoms.node(label).op == "exp"]
            inner = [(atoms.node(label).args[0], power) for label, power in waves]
            parts = [one if power == 1 else Expr("*", (number(power), one)) for one, power in inner]
            exponents.append(parts[0] if len(parts) == 1 else Expr("+", tuple(parts)) if parts else number(0))
            rest.append({label: power for label, power in key if (label, power) not in waves})
        if rest[0] != rest[1] or exponents[0] == exponents[1]:
            return None
        signed = [(atoms.node(label), number(0)) for label, power in rest[0].items() if power % 2 or strict]
        found = together(self._beneath(*goal, strict) for goal in [(exponents[0], exponents[1]), *signed])
        if found is None:
            return None
        factors = "".join(f"({label})**{power}*" for label, power in rest[0].items())
        counts = ("" if weight == 1 else f"{weight}*" for weight in (more, -less))
        told = f"{factors}({'exp(s) - '.join(counts)}exp(t)), s = {exponents[0]}, t = {exponents[1]}"
        return [Step("exp is increasing", told), *found]

    def _beneath(self, high: Expr, low: Expr, strict: bool) -> Steps | None:
        """high >= low, or high > low, of exponents and what stands beside exponentials: by none of their rules."""
        self.nested = True
        try:
            return self.at_least(high, low, strict)
        finally:
            self.nested = False

    def _look_up(self, atoms: Atoms, found: dict[str, tuple[Fact, Term]]) -> None:
        """Facts about the atoms as polynomials."""
        for fact in list(facts_of(atoms, self.known, self.whole)):
            self._enter(fact, atoms, found)

    def _enter(self, fact: Fact, atoms: Atoms, found: dict[str, tuple[Fact, Term]]) -> None:
        """A fact as a polynomial, where it is one."""
        label = f"{fact.node}{fact.strict}"
        if label in found or not self.work.spend() or not self.powers(fact.node):
            return
        try:
            form = atoms.quotient(fact.node)
            value = form.above if self._is_positive(form.below) else atoms.folded((form.above * form.below).reduced())
        except NoFormError:
            return
        if value.names:
            found[label] = fact, Term(whole(monomials(value)), (), fact.strict, fact.equal)

    def _is_positive(self, below: Ratio) -> bool:
        """Whether a denominator is a monomial of positive names, so that a fact may be multiplied by it."""
        terms = monomials(below)
        good = all(self._positive_name(label) for key in terms for label, _ in key)
        return len(terms) == 1 and next(iter(terms.values())) > 0 and good

    def _positive_name(self, label: str) -> bool:
        return label in self.whole or ((values := self.known.ranges.get(label)) is not None and values.sign == 1)

    def _from_zero(self, label: str) -> bool:
        return (values := self.known.ranges.get(label)) is not None and values.low is not None and values.low >= 0

    def _without_common_factors(self, goal: Poly, strict: bool) -> Poly:
        """A polynomial over the positive names that all of its terms have in common; or >= 0, unless ``strict``."""
        terms = [(dict(key), value) for key, value in goal.items()]
        least = {
            label: min(key.get(label, 0) for key, _ in terms)
            for label in terms[0][0]
            if self._positive_name(label) or (not strict and self._from_zero(label))
        }
        return {
            tuple((label, left) for label, power in key.items() if (left := power - least.get(label, 0))): value
            for key, value in terms
        }

    def _products_of_exponentials(self, goal: Ratio, atoms: Atoms, found: dict[str, tuple[Fact, Term]]) -> None:
        """Facts about exp(s) for products of exponentials in the goal, and for quotients of two of these."""
        keys = [{label: power for label, power in key if atoms.node(label).op == "exp"} for key in monomials(goal)]
        apart = [{k: one.get(k, 0) - two.get(k, 0) for k in {*one, *two}} for one, two in permutations(keys, 2)]
        several = {
            tuple(sorted((label, power) for label, power in key.items() if power))
            for key in (*keys, *apart)
            if min(key.values(), default=0) >= 0
        }
        for key in sorted(several, key=str)[:MOST_EXPONENTIALS]:
            if self.nested or len(key) + sum(power for _, power in key) < 3:
                # one exponential has its facts
                continue
            parts = tuple(Expr("**", (atoms.node(label), number(power))) for label, power in key)
            inside = tuple(Expr("*", (number(power), atoms.node(label).args[0])) for label, power in key)
            value, exponent = Expr("*", (number(1), *parts)), Expr("+", (number(0), *inside))
            facts = [
                Fact("exp(t) > 0", value, strict=True),
                Fact("exp(t) >= 1 + t", minus(value, Expr("+", (number(1), exponent)))),
            ]
            if self._beneath(number(0), exponent, False) is not None:
                facts.append(Fact("exp(t) <= 1 for t <= 0", minus(number(1), value)))
            for fact in facts:
                self._enter(fact, atoms, found)

    def _sign(self, below: Ratio, facts: Facts, squares: Squares) -> int | None:
        """The sign of a denominator, where it is certified."""
        constant = number_of(below)
        if constant is not None:
            return 1 if constant > 0 else -1
        for sign in (1, -1):
            if self._combined(whole(monomials(below * sign)), facts, squares, True, "") is not None:
                return sign
        return None

    def _combined(self, goal: Poly, facts: Facts, squares: Squares, strict: bool, text: str) -> Steps | None:
        """The goal as a sum of facts and of their products, with weights >= 0."""
        terms: dict[frozenset[tuple[object, Fraction | int]], Term] = {}
        for k, (_, term) in enumerate(facts):
            # the strict version of a fact is the stronger one
            key = frozenset(term.value.items())
            if key not in terms or term.strict:
                terms[key] = Term(term.value, (k,), term.strict, term.equal)
        labels = {label for key in goal for label, _ in key}
        near = sorted(terms.values(), key=lambda term: (len(_labels(term.value) - labels), len(term.value)))
        for more in (False, True):
            columns = products(near, goal, squares, self.work) if more else [Term(UNIT, strict=True), *near]
            found = certificate(goal, columns, strict, self.work)
            if found is not None:
                used = dict.fromkeys(facts[k][0] for _, term in found for k in term.parts)
                parts = " + ".join(_told(weight, term) for weight, term in found)
                steps = [Step(fact.rule, f"{fact.node} {_sign_of(fact)} 0", fact.trusted) for fact in used]
                return [*steps, Step("exact certificate", f"{text}: numerator = {parts[:400]}")]
        return None


def _labels(value: Poly) -> set[str]:
    return {label for key in value for label, _ in key}


def _sign_of(fact: Fact) -> str:
    return "=" if fact.equal else ">" if fact.strict else ">="


def _told(weight: Fraction, term: Term) -> str:
    return f"{weight}*({term.square})**2" if term.square and not term.parts else f"{weight}*({written(term.value)})"


def _rooted(high: Expr, low: Expr) -> bool:
    return high.has("sqrt", "norm", "abs", "**") or low.has("sqrt", "norm", "abs", "**")
