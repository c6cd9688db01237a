"""Whether the two sides of a claim agree over many drawn cases: the smallest at which they differ, the edges missed."""

from __future__ import annotations

import json
import math
import shlex
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from montecarlo import registry
from montecarlo.empirical_checks import Evaluation, Observation, Simulation
from proofs_check.cases import wide
from proofs_check.cases.drawn import Case, key
from proofs_check.cases.wide import Lengths
from proofs_check.checks.both_sides import MOST, Budget, Look, Pooled, Sides, look, telling
from proofs_check.checks.matrices import SEED
from proofs_check.claims.pairing import Pair
from proofs_check.claims.report import Agreement
from proofs_check.claims.schema import empty
from theorems.gaussian.process import Moment
from theorems.kernel.matrix_claims import matrix_of

#: Longest walks of any draw, and of one that is aimed at long ones, by how many summed tokens stand in one form, as
#: both do in x_s^T W x_t: its numbers are T^2, and the variance of their sum takes T^3.
LENGTHS = (Lengths(1024, 1024), Lengths(128, 1024), Lengths(12, wide.LONG + 1))
#: How often cases are drawn once more at edges where none would show an error in some quantity.
ROUNDS = 8
#: What their keys are apart.
AGAIN = 10**6


def longest(sides: Sides) -> Lengths:
    """The longest walks at which a claim's moments, and its simulation, are cheap."""
    sums = int(sides.beside is not None)
    for name in sides.pair.sampled_names if isinstance(sides.check, Simulation) else ():
        moment = sides.pair.quantity(name)
        if isinstance(moment, Moment) and moment.observable is not None:
            for term in moment.observable.terms:
                summed = {bound.index for bound in term.bounds}
                sums = max(sums, *(len(summed & form.tokens) for form in term.forms), bool(summed))
    return LENGTHS[min(sums, len(LENGTHS) - 1)]


@dataclass
class Agreed:
    """What many cases of a claim showed: the smallest at which the sides differ, and the edges that they miss."""

    claim: str
    cases: list[Case] = field(default_factory=list)
    compared: int = 0
    case: Case | None = None
    told: str = ""
    pooled: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)
    #: edges that cases meet, of which none can be afforded, or would show a number twice as large
    unasked: list[str] = field(default_factory=list)
    #: printed quantities of which the two sides had a value together at no case
    silent: list[str] = field(default_factory=list)
    #: the smallest error of each simulated quantity, as a part of its mean, that all cases together would show
    least: dict[str, float] = field(default_factory=dict)
    #: the smallest that a case shows alone, as a part of max(|mean|, standard deviation), case by case
    alone: list[float] = field(default_factory=list)

    @property
    def replay(self) -> str:
        """The command that judges the claim at the case that was found."""
        return shlex.join(["twofold", "verify", self.claim, "--case", json.dumps(self.case, separators=(",", ":"))])

    def __str__(self) -> str:
        if self.case is not None:
            shown = ", ".join(f"{name} = {value}" for name, value in self.case.items()).replace("'", "")
            return f"{self.claim}: the two sides differ at {shown}: {self.told}\n    {self.replay}"
        if self.pooled:
            return f"{self.claim}: over {len(self.cases)} cases together, {'; '.join(self.pooled)}"
        return f"{self.claim}: no case with {', '.join(self.missed)}" if self.missed else ""


def agreement(sides: Sides, draws: int, delta: float, seed: int = 0, effort: int = 1) -> Agreed:
    """Ask both sides at so many drawn cases; where they differ, at ever smaller ones."""
    budget, top = Budget(delta, seed, effort), longest(sides)
    found = Agreed(sides.claim)
    pools: dict[str, Pooled] = {}
    names: set[str] = set()
    looks: dict[str, tuple[Case, Look]] = {}

    def looked(case: Case) -> Look:
        """What has no randomness is evaluated once."""
        return (looks.get(key(case)) or looks.setdefault(key(case), (case, look(sides, case, budget))))[1]

    sampled = isinstance(sides.check, Simulation)
    drawn, missed = _drawn(
        sides, draws, budget.seed, top, lambda case: telling(sides, case, budget) if sampled else looked(case).shows
    )
    # a case that was looked at and left out may differ as well
    apart: list[tuple[Case, wide.Aim]] = [(case, {}) for case, seen in looks.values() if seen.told]
    for case, aim in (*drawn, *apart):
        seen = look(sides, case, budget) if sampled else looked(case)
        found.cases.append(case)
        found.compared += seen.compared
        names |= seen.names
        found.alone += [seen.least] * bool(seen.least)
        if seen.told:
            _shrink(sides, found, case, aim, budget, top)
            return found
        for name, (standard, mean) in seen.standard.items():
            whole = pools.setdefault(name, Pooled(math.sqrt(2 * math.log(2 / delta) / (draws * effort * MOST / 2))))
            whole.add(standard, mean)
    for name, whole in pools.items():
        found.least[name] = whole.least(delta)
        if whole.apart(delta):
            mean = whole.total / whole.alpha / whole.count
            found.pooled.append(f"{name} is off by {mean:.2g} standard deviations in {whole.count} numbers")
    found.missed = missed
    found.silent = sorted({*sides.pair.statement.printed} - names)
    return found


def _drawn(
    sides: Sides, draws: int, seed: int, top: Lengths, tells: Callable[[Case], dict[str, bool]]
) -> tuple[list[tuple[Case, wide.Aim]], list[str]]:
    """Drawn cases, and the edges that they miss.

    At every edge every quantity is to be shown that is shown anywhere: cases of whose edges all else is shown by others
    give their places to such as do. An edge is missed where there are numbers, all of them too small to be seen.
    """
    statement = sides.pair.statement
    edges, found = wide.edges(statement), list(wide.drawn(statement, seed, draws, top))
    faint = set[str]()

    def shown(case: Case) -> set[tuple[str, str]]:
        """The edges that a case meets, and with them what it shows there."""
        at, seen = edges & wide.features(statement, case), tells(case)
        faint.update(at if not all(seen.values()) else ())
        return {(edge, name) for edge in at for name in ("met", *(name for name, more in seen.items() if more))}

    each = [shown(case) for case, _ in found]
    count = Counter(pair for pairs in each for pair in pairs)
    for number in range(1, ROUNDS + 1):
        wanted = {(edge, name) for edge in edges for _, name in count} - count.keys()
        if not wanted:
            break
        at = {edge for edge, _ in wanted}
        dark = at - {edge for edge, name in count if name != "met"}
        for case, aim in wide.drawn_again(statement, seed + AGAIN * number, top, at, dark, found):
            new = shown(case)
            free = [k for k, pairs in enumerate(each) if all(count[pair] > 1 or pair in new for pair in pairs)]
            if new & wanted and free:
                place = min(free, key=lambda k: len(each[k]))
                count = count - Counter(each[place]) + Counter(new)
                found[place], each[place] = (case, aim), new
                wanted -= new
    blind = faint - {edge for edge, name in count if name != "met"}
    return found, sorted({*blind, *wide.missed(statement, [case for case, _ in found])})


def _shrink(sides: Sides, found: Agreed, case: Case, aim: wide.Aim, budget: Budget, top: Lengths) -> None:
    """Put the smallest case at which the sides differ into what was found."""

    least = wide.smallest(sides.pair.statement, aim, lambda one: bool(look(sides, one, budget).told), top) or case
    found.case, found.told = least, look(sides, least, budget).told


#: Cases of a claim in a run, by effort; a quick run leaves them to the other efforts.
DRAWS = {"quick": 0, "standard": 30, "thorough": 300}
#: How large their samples are.
EFFORT = 4
#: The part of a claim's false-alarm budget that they spend.
PART = 1e-3


def widely(pair: Pair, alpha: float, seed: int, effort: str) -> tuple[Agreement, str]:
    """Ask both sides of a claim at cases as wide as its hypotheses: what these cover, and where the sides differ.

    Of what is judged by a search or by its growth nothing is asked.
    """
    sides = Sides(pair, registry.find(pair.source), registry.beside(pair.source))
    draws = DRAWS[effort] if isinstance(sides.check, Simulation | Observation | Evaluation) else 0
    if not draws:
        return empty(Agreement), ""
    found = agreement(sides, draws, PART * alpha / (max(1, sides.quantities) * (draws + 1)), seed, EFFORT)
    chosen = SEED if matrix_of(pair.derived()) is not None else ""
    told = str(found) if found.case is not None or found.pooled else ""
    return reported(found, wide.edges(pair.statement), chosen), told


def reported(found: Agreed, edges: Iterable[str], chosen: str = "") -> Agreement:
    """What the report says of the cases, of which the hypotheses have these edges.

    Of the number that ``chosen`` names, by which alone what is drawn differs, nothing is said.
    """
    together, alone = max(found.least.values(), default=math.inf), sorted(found.alone)
    missed = {*found.missed, *found.unasked}
    every = [edge for edge in sorted({*edges, *missed}) if edge.partition(" ")[0] != chosen]
    return {
        "cases": len(found.cases),
        "compared": found.compared,
        "ranges": [one for one in wide.ranges(found.cases) if one["name"] != chosen],
        "edges": [edge for edge in every if edge not in missed],
        "missed": [edge for edge in every if edge in missed],
        "least": together if together < math.inf else None,
        "alone": {"half": alone[(len(alone) - 1) // 2], "all": alone[-1]} if alone else None,
    }
