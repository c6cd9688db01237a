"""A claim's two sides held against what it says: the derived value and the simulated numbers are of that quantity.

Where a claim ``says`` nothing as data, nothing ties its print, its derivation, its simulation and its words together:
a lemma of one's own is then informal, and at best undecided.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from montecarlo.registry import Simulation
from proofs_check.checking.cases import drawn, simple, size
from proofs_check.pairing import Pair
from theorems.catalogue import Statement
from theorems.catalogued import left_side, said
from theorems.deriving import derive
from theorems.expressions import ExpressionError
from theorems.kernel import value_of
from theorems.statement.derived import difference, kernel_of
from theorems.statement.expression import StatementError
from theorems.statement.laws import read_law
from theorems.statement.proposition import Proposition

#: Cases that are looked at for one where two values differ: small ones, and drawn ones.
SMALLEST, DRAWN = 150, 64
#: Cases drawn for the largest of them, at which a simulation of a lemma of one's own is compared too.
FAR = 16
MEND = 'state it as data, e.g. claim("{id}", "E[x[i].T*W*x[j]] = i*tr(W*Sigma)", hypotheses="W symmetric, i <= j")'


@dataclass
class Binding:
    """How a claim's sides are held against what it says.

    ``derived`` and ``simulated`` are the author's mistakes, where a side is of another quantity; ``missing`` says what
    could not be compared, ``evidence`` what was seen equal.
    """

    derived: list[str] = field(default_factory=list)
    simulated: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    evidence: list[str] = field(default_factory=list)

    @property
    def faults(self) -> list[str]:
        """The author's mistakes of both sides."""
        return [*self.derived, *self.simulated]

    @property
    def bound(self) -> bool:
        """Whether both sides were compared with the statement, and are of its quantity."""
        return not self.faults and not self.missing

    def joined(self, other: Binding) -> Binding:
        """Both together."""
        return Binding(
            [*self.derived, *other.derived],
            [*self.simulated, *other.simulated],
            [*self.missing, *other.missing],
            [*self.evidence, *other.evidence],
        )


def capped(claim: Statement, binding: Binding, ruling: str, reason: str) -> tuple[str, str]:
    """A verdict no better than the binding allows: a side of another quantity, or an informal lemma of one's own."""
    notes = binding.faults or (binding.missing if claim.plugin else [])
    if not notes or ruling not in ("verified", "refuted", "undecided"):
        return ruling, reason
    told = "; ".join(notes[:2])
    return "undecided", f"{told}; {reason}" if reason and ruling == "undecided" else told


def informal(claim: Statement, simulation: Any = None) -> list[str]:
    """Why a lemma of one's own stands in words, each with the mend; nothing for one that is all data."""
    mend = MEND.format(id=claim.corrects or claim.id)
    found = []
    if claim.says is None:
        found.append(
            f"informal: what the claim says stands in words alone, so nothing ties its two sides to it; {mend}"
        )
    if claim.assumptions:
        found.append(
            f'informal: the hypothesis "{claim.assumptions[0]}" stands in words; give it as data, hypotheses="..."'
        )
    if claim.conditions and claim.says is not None:
        found.append(f'informal: the condition "{claim.conditions[0]}" is not among the hypotheses; give it there')
    if isinstance(simulation, Simulation) and simulation.model == "free":
        found.append(
            "informal: the simulation has randomness of its own, which no statement is about; simulate it from walk or "
            "tokens, or leave it out"
        )
    return found


def bind(pair: Pair, simulation: Any, rows: Sequence[Mapping[str, Any]], seed: int) -> Binding:
    """Hold a claim's derivation and simulation, as they were judged at the rows' cases, against what it says."""
    claim = pair.statement
    found = Binding(missing=informal(claim, simulation) if claim.plugin and not claim.corrects else [])
    if claim.says is None:
        return found if found.missing else Binding(missing=["the claim says nothing as data"])
    laws = ["walk", "walk(start=0)"] if claim.model == "walk" and claim.says.law == "walk" else [claim.says.law]
    starts = {"walk": "sigma", "walk(start=0)": "zero"}

    def derived(kernel: Any, chain: tuple[str, ...], symmetric: bool) -> Any:
        if chain == claim.positions and kernel in starts.values() and symmetric == pair.symmetric:
            return pair.derived(kernel)
        return derive(
            pair.source,
            chain,
            kernel,
            parameters=claim.parameters,
            symmetric=symmetric,
            second_route=pair.second_route,
            definitions=claim.definitions,
        )

    found = found.joined(derivation_bound(claim, laws, derived))
    if isinstance(simulation, Simulation):
        cases = [row["params"] for row in rows]
        found = found.joined(simulation_bound(claim, simulation, cases, seed, pair.sampled_names))
    else:
        found.missing.append("the second side is no simulation of tokens")
    return found


def quantities(claim: Statement) -> dict[str, Proposition]:
    """What a claim says of its quantities; of one of which nothing (readable) is printed, that it is 0.

    Raises StatementError for a quantity that is none.
    """
    assert claim.says is not None
    found = {}
    for name in claim.says.quantities:
        try:
            found[name] = said(claim, name)
        except StatementError:
            found[name] = left_side(claim.says, name)
    return found


def derivation_bound(claim: Statement, laws: Iterable[str], derived: Callable[..., Any]) -> Binding:
    """The derived value of every quantity against the statement's, under each law and in every order of positions."""
    found = Binding()
    try:
        table = quantities(claim)
    except StatementError as error:
        return Binding(missing=[f"what the claim says cannot be read: {error}"])
    found.missing += [f"nothing is said of {name}" for name in claim.printed if name not in table]
    for name, stated in table.items():
        for law in laws:
            prop = replace(stated, law=read_law(law))
            kernel = kernel_of(prop.law)
            if kernel is None:
                found.missing.append(f"no derivation runs on the law {law}")
                continue
            symmetric = prop.known.symmetric("W")
            places = claim.positions or tuple(prop.positions)

            def value(chain: tuple[str, ...], kernel: Any = kernel, name: str = name, w: bool = symmetric) -> Any:
                return value_of(derived(kernel, chain, w), name).expr

            try:
                other = difference(prop, value, places, _first(prop))
            except KeyError:
                found.missing.append(f"{name} was not compared with the statement: the derivation gives no value of it")
                continue
            except (StatementError, ExpressionError) as error:
                found.missing.append(f"{name} was not compared with the statement: {_line(error)}")
                continue
            if other is not None:
                found.derived.append(f"the derivation is of another quantity than {prop.left} ({law}): {other}")
            else:
                found.evidence.append(f"the derived {name} is {prop.left} ({law}), in every order of the positions")
    return found


def simulation_bound(
    claim: Statement,
    simulation: Simulation,
    cases: Iterable[Mapping[str, Any]],
    seed: int,
    names: Sequence[str],
) -> Binding:
    """A simulation's numbers against the statement's quantities, walk by walk, at every case that was sampled.

    ``names`` are the quantities that it is judged by.
    """
    from montecarlo.cases import CaseError
    from montecarlo.statements.nodes import StatementSimulationError
    from montecarlo.walk_by_walk import WALKS, NotComparedError, apart

    try:
        table = {name: prop for name, prop in quantities(claim).items() if name in names}
    except StatementError:
        # told of the derivation
        return Binding()
    plain = {name: prop.left.plain() for name, prop in table.items()}
    seen: dict[str, Mapping[str, Any]] = {str(sorted(case.items())): case for case in cases}
    law = next(iter(table.values())).law if table else None
    unsaid = [name for name in names if name not in table]
    if unsaid:
        return Binding(missing=[f"nothing is said of {unsaid[0]}, which is simulated"])
    if law is None or not seen:
        return Binding(missing=["no case was sampled at which the simulation could be compared"])
    if claim.plugin:
        # far out, where what is clipped or cut off shows
        far = sorted(drawn(next(iter(table.values())), 2, FAR, far=True), key=size)[-FAR // 4 :]
        seen |= {str(sorted(case.items())): case for case in far}
    for key, case in seen.items():
        # the start of a case takes the place of the walk's own
        own = {"zero": ["walk-zero"]}.get(str(case.get("start", "")), law.plain())
        try:
            found = apart(simulation, case, own, plain, seed=seed, key=key)
        except (NotComparedError, StatementSimulationError, CaseError) as error:
            return Binding(missing=[f"the simulation was not compared walk by walk: {_line(error)}"])
        if found is not None:
            shown = ", ".join(f"{k} = {v}" for k, v in case.items()).replace("'", "")
            return Binding(
                simulated=[f"the simulation is of another quantity than the statement's: at {shown}, {found}"]
            )
    told = f"the simulated numbers are the statement's, walk by walk: {WALKS} walks at each of {len(seen)} cases"
    return Binding(evidence=[told])


def _first(prop: Proposition) -> Iterator[Mapping[str, Any]]:
    """Small cases from the smallest on, then drawn ones of every dimension."""
    yield from itertools.islice(simple(prop), SMALLEST)
    yield from sorted(drawn(prop, 1, DRAWN), key=size)


def _line(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__
