"""Whether both interpreters of a statement agree at a case: what is derived there, and what is sampled or evaluated.

A sample's interval of left - right holds the exact value e but for the level that it is handed, whatever the tails are
(``proofs_check.checks.intervals``). One of width w that does is of width (1 + f) w where the simulation gives 1 + f
times what is right, and holds (1 + f) e: it leaves e out where f > w/(|e| - w), the least error of that case, with what
rounding explains in w. The k-th sample of a quantity is handed delta/(k (k + 1)), which add up to delta however many
are looked at. Numbers without tokens are computed in exact or ball arithmetic on one side and in floating point on the
other, and differ by no more than rounding.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

from proofs_check.cases import at_edges
from proofs_check.cases.drawn import key as key_of
from proofs_check.cases.of_statements import Case, exact_case, readable_case, whole_case
from proofs_check.checks.agreeing import DRAWS, PART, Agreed, reported
from proofs_check.checks.both_sides import Look
from proofs_check.claims.report import Agreement
from proofs_check.statements.conflicting import conflicting
from proofs_check.statements.measuring import Measurement, TooDearError, plan
from proofs_check.statements.moments import Checker
from theorems.claims.catalogue import Statement
from theorems.kernel.catalogued import left_side, said
from theorems.statement.expression import MOMENTS, Expr, number
from theorems.statement.proposition import Proposition
from theorems.statement.values.certify import shown

#: Most walks of a case: errors of some parts in a hundred are seen, and small ones are left to the judgement; and of
#: one at an edge where so many show nothing.
MOST, MANY = 1 << 16, 1 << 20
#: Draws of a quantity whose cases take long, at every effort that draws any.
FEW = 8
#: How often cases are drawn once more at the edges that none met, or none that can be afforded.
ROUNDS = 8


def propositions(claim: Statement) -> dict[str, Proposition]:
    """What a claim says, by quantity: of moments, and short of a limit, the quantity itself; else both sides."""
    says = claim.says
    assert says is not None
    found = {name: said(claim, name) for name in claim.printed}
    alone = {name for name, prop in found.items() if prop.random or prop.asymptotic}
    alone |= {name for name, text in says.quantities.items() if name not in found and has_moments(text)}
    return found | {name: left_side(replace(says, limit=""), name) for name in sorted(alone)}


def costly(prop: Proposition) -> bool:
    """Whether a bound of the tails takes seconds a case, or a probability more walks than a property has."""
    return prop.random and (prop.law.kind.startswith("frame") or bounded(prop))


def bounded(prop: Proposition) -> bool:
    """Whether what is derived at a case may be but a bound: of probabilities, and with power series."""
    return prop.random and (bool(prop.known.entire) or prop.left.has("P"))


def has_moments(text: str) -> bool:
    """Whether there is an expectation in a formula, or a variance, a covariance, a probability."""
    return any(f"{one}[" in text for one in MOMENTS)


def least_at(checker: Checker, measured: Measurement) -> float:
    """The least error of a simulation, as a part of the exact value, that is sure to be seen in a sample."""
    (left, right), width = checker.sides(measured.case), measured.gap[1] - measured.gap[0]
    if left is None or right is None or not math.isfinite(width):
        return math.inf
    size = abs(float(left - right))
    width += measured.slack(2 * (size + width))
    return width / (size - width) if size > width else math.inf


def above(least: float) -> Fraction:
    """The factor that is off by so much, or just more."""
    return Fraction(math.ceil((1 + least) * 10**6), 10**6)


def multiplied(prop: Proposition, factor: int | Fraction = 2) -> Proposition:
    """A proposition whose left side is twice what it was, or another factor."""
    return replace(prop, left=Expr("*", (number(factor), prop.left)), whole=None)


@dataclass
class Interpreters:
    """A statement as it is derived, and as it is simulated or evaluated; these differ where a fault is planted."""

    claim: str
    derived: Proposition
    simulated: Proposition
    delta: float
    seed: int = 0
    #: What the claim says in print, of which a case may have more names than the quantity has.
    says: tuple[Proposition, ...] = ()

    def __post_init__(self) -> None:
        self.checker = Checker(self.derived, self.claim, "quick")
        self.looks: dict[str, Look] = {}
        self.samples, self.most = 0, MOST
        #: The least error of the simulation, as a part of the exact value, that some case shows.
        self.least = math.inf

    def look(self, case: Case) -> Look:
        """What both are found to say at a case, which is looked at once: it has one stream."""
        name = key_of(case)
        if name not in self.looks:
            self.looks[name] = self._look(case)
        return self.looks[name]

    def _look(self, case: Case) -> Look:
        """Ask both at a case; where a sample with a finite interval is too dear nothing is compared."""
        if not self.derived.random:
            exact = exact_case(self.derived, case)
            twice = conflicting(self.derived, exact, multiplied(self.simulated))
            # or nothing is there to be twice as large
            tells = bool(twice) or shown(self.derived.left, exact) == "0"
            return Look(conflicting(self.derived, exact, self.simulated), 1, tells=tells)
        level = self.delta / ((self.samples + 1) * (self.samples + 2))
        options = {"claim_id": self.claim, "seed": self.seed, "delta": level, "effort": "quick"}
        options["derived"] = self.checker.spreads(case)
        try:
            planned = plan(self.simulated, case, mark="property", **options)
            measured = replace(planned, walks=min(planned.walks, self.most))(self.checker.found.streams)
        except TooDearError:
            return Look()
        self.samples += 1
        told = "; ".join(self.checker.conflicts([measured])[:1])
        # both have a value, or neither
        valued = None not in self.checker.sides(case)
        least = least_at(self.checker, measured)
        self.least = min(self.least, least)
        finite = all(map(math.isfinite, measured.gap))
        sampled = finite and measured.walks > 0 and measured.scale > 0
        # an error as wide as the interval is sure to be seen
        width = (measured.gap[1] - measured.gap[0]) / measured.scale if sampled else 0.0
        # a number twice as large would be seen here, or nothing is there to be twice as large
        tells = least < 1 or (not valued and not finite) or set(self.checker.sides(case)) == {0}
        return Look(told, int(finite == valued), least=width, tells=tells)

    def agreement(self, draws: int, key: int, rounds: int | None = None) -> Agreed:
        """Ask both at the first of each list of cases that can be afforded; where they differ, at smaller ones."""
        found, dear, telling = Agreed(self.claim), list[Case](), list[Case]()
        edges = at_edges.edges(self.derived)
        drawn = at_edges.drawn(self.derived, edges.values(), key, draws)
        for again in range(1, (ROUNDS if rounds is None else rounds) + 2):
            for cases in drawn:
                looks = ((case, self.look(case)) for case in cases)
                case, seen = next((one for one in looks if one[1].compared or one[1].told), (cases[0], Look()))
                telling += [case] * seen.tells
                dear += [] if seen.tells else cases
                if seen.told:
                    # what is changed to lie at an edge, as vectors are, is seldom drawn elsewhere
                    there = [edge for edge in reversed(edges.values()) if edge.met(case)]
                    least = at_edges.smallest(self.derived, lambda one: bool(self.look(one).told), there) or case
                    found.case, found.told = readable_case(whole_case(least, self.says)), self.look(least).told
                    return found
                found.cases += [case] * seen.compared
                found.compared += seen.compared
                found.alone += [seen.least] * bool(seen.least)
            found.missed = at_edges.missed(edges.values(), [*found.cases, *dear])
            found.least = {"": self.least} if self.samples else {}
            left = at_edges.missed(edges.values(), telling)
            found.unasked = [edge for edge in left if edge not in found.missed]
            if not left:
                break
            self.most = MANY
            other = key + 1000 * again
            drawn = at_edges.drawn(self.derived, [edges[name] for name in left], other, len(left))
        return found


def widely(claim: Statement, alpha: float, seed: int, effort: str) -> tuple[Agreement, str]:
    """Ask both interpreters of what a claim says at cases as wide as its hypotheses, as ``checks.agreeing`` does."""
    props = propositions(claim) if DRAWS[effort] else {}
    # with what is known of a quantity but by a bound the samples of the judged cases are compared alone
    props = {} if any(map(bounded, props.values())) else props
    wholes, told, edges = [], [], set[str]()
    printed = tuple(said(claim, name) for name in claim.printed)
    for name, prop in props.items():
        draws, rounds = (FEW, 0) if costly(prop) else (-(-DRAWS[effort] // len(props)), ROUNDS)
        both = Interpreters(claim.id, prop, prop, PART * alpha / len(props), seed, printed)
        found = both.agreement(draws, seed, rounds)
        wholes.append(found)
        edges |= at_edges.edges(prop).keys()
        told += [f"{name}: {found}"] if found.case is not None else []
    whole = Agreed(claim.id)
    for one in wholes:
        whole.cases += one.cases
        whole.compared += one.compared
        whole.alone += one.alone
        whole.missed += one.missed
        whole.unasked += one.unasked
        whole.least |= {f"{len(whole.least)}": least for least in one.least.values()}
    return reported(whole, edges), "; ".join(told)
