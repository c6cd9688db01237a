"""A claim's two sides held against what it says: the derived value and the simulated numbers are of that quantity.

Where a claim ``says`` nothing as data, nothing ties its print, its derivation, its simulation and its words together:
a lemma of one's own is then informal, and at best undecided.
"""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from montecarlo.empirical_checks import Growth, Simulation
from montecarlo.registry import drawing_of, instance_of
from proofs_check.binding.finite_laws import finite_laws_bound
from proofs_check.binding.instances import values_bound
from proofs_check.binding.matrix_instances import matrices_bound
from proofs_check.binding.orders import orders_bound
from proofs_check.binding.prints import prints_bound
from proofs_check.binding.signs import by_signs, signs_bound
from proofs_check.binding.tied import Binding, line, quantities
from proofs_check.binding.widened import as_wide_as_said, needed_as_said
from proofs_check.cases.of_statements import drawn, simple, size
from proofs_check.checks.evidence import Seen
from proofs_check.claims.pairing import Pair
from proofs_check.claims.report import Verdict
from theorems.algebra.expressions import ExpressionError, parse
from theorems.claims.catalogue import Statement
from theorems.gaussian.process import Step
from theorems.kernel.deriving import derive
from theorems.kernel.matrix_claims import matrix_of
from theorems.kernel.outcome import Outcome
from theorems.kernel.settle import trusted, value_of
from theorems.statement.deciding.derived import difference, kernel_of
from theorems.statement.expression import StatementError
from theorems.statement.proposition import Proposition
from theorems.statement.prose import law_in_words
from theorems.statement.reading.laws import read_law

#: Cases that are looked at for one where two values differ: small ones, and drawn ones.
SMALLEST, DRAWN = 150, 64
#: Draws of a simulation with a generator of its own that are looked at.
DRAWS = 8
#: The smallest cases, at which a simulation of a lemma of one's own is compared before all others.
SMALL = 24
#: Cases drawn for the largest of them, at which a simulation of a lemma of one's own is compared too; the longest walk.
FAR, LONG = 16, 128
#: Walks of one of these cases.
MANY = 4096
LEAVE = "; leave it out, and the statement is judged without it"
MEND = 'state it as data, e.g. claim("{id}", "E[x[i].T*W*x[j]] = i*tr(W*Sigma)", hypotheses="W symmetric, i <= j")'


def capped(claim: Statement, binding: Binding, ruling: Verdict, reason: str) -> tuple[Verdict, str]:
    """A verdict no better than the binding allows: a side of another quantity, or one that was compared with none.

    A shipped claim that stands in words alone, and a correction of one, which the shipped claim is held to, are not
    compared.
    """
    compared = bool(claim.plugin) or (claim.says is not None and not claim.corrects)
    notes = binding.faults or (binding.missing if compared else [])
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
    if claim.relation == "range":
        found.append(
            'informal: that every value between the prints is taken is said by no statement; relation = "<=" says that '
            "none lies beyond them"
        )
    if isinstance(simulation, Simulation) and simulation.model == "free":
        found.append(
            "informal: the simulation has randomness of its own, which no statement is about; simulate it from walk or "
            "tokens, or leave it out"
        )
    return found


def rules_of_its_own(steps: Sequence[Step]) -> list[str]:
    """Which rules a lemma's derivation rests on that are none of the kernel's: what they license is nobody's proof."""
    own = [one for one in trusted(tuple(steps)) if one.foreign]
    return [
        f"the derivation rests on a rule of its own, {one.rule} ({one.source}), which nothing checks" for one in own
    ]


def bind(
    pair: Pair,
    outcome: Outcome,
    simulation: Any,
    rows: Sequence[Mapping[str, Any]],
    seed: int,
    seen: Sequence[Seen] = (),
) -> Binding:
    """Hold a claim's derivation, empirical check and judged prints against what it says.

    The empirical check is looked at as it was judged, at the rows' cases; ``outcome`` is what the kernel found.
    """
    looked_at = seen or sampled(pair, rows)
    found = sides_bound(pair, simulation, rows, seed, seen)
    return found if found.faults else found.joined(prints_bound(pair, outcome, looked_at))


def sides_bound(
    pair: Pair, simulation: Any, rows: Sequence[Mapping[str, Any]], seed: int, seen: Sequence[Seen] = ()
) -> Binding:
    """Hold a claim's derivation and empirical check against what it says.

    Where no walks are simulated, both are by value, at the cases at which the check was ``seen``, or at which it
    was sampled with randomness of its own.
    """
    claim = pair.statement
    found = Binding(missing=informal(claim, simulation) if claim.plugin and not claim.corrects else [])
    if claim.plugin:
        found.missing += rules_of_its_own(pair.derived().steps)
    if claim.says is None:
        return found if found.missing else Binding(missing=["the claim says nothing as data"])
    found = found.joined(needed_as_said(pair))
    if isinstance(simulation, Growth):
        return found.joined(orders_bound(pair, simulation, seed))
    if not isinstance(simulation, Simulation):
        matrix = matrix_of(pair.derived())
        if matrix is not None:
            return found.joined(matrices_bound(pair, matrix, seen))
        found = found.joined(values_bound(pair, seen)).joined(as_wide_as_said(pair))
        decided = claim.relation == "when" and read_law(claim.says.law).exchangeable
        return found.joined(finite_laws_bound(pair)) if decided else found
    if read_law(claim.says.law).exchangeable:
        found = found.joined(finite_laws_bound(pair))
        return found.joined(simulation_bound(claim, simulation, [r["params"] for r in rows], seed, pair.sampled_names))
    if simulation.model == "free" and drawing_of(pair.source) is None:
        return found.joined(values_bound(pair, sampled(pair, rows)))
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

    # what is a number only in the limit is compared by value, with what is evaluated beside the simulation
    reached = _in_limits(claim)
    if reached:
        found = found.joined(values_bound(pair, seen, reached))
    found = found.joined(derivation_bound(claim, laws, derived, reached))
    cases = [row["params"] for row in rows]
    return found.joined(simulation_bound(claim, simulation, cases, seed, pair.sampled_names))


def sampled(pair: Pair, rows: Sequence[Mapping[str, Any]]) -> list[Seen]:
    """The rows of a simulation with randomness of its own as numbers at cases, each with half of its interval."""
    numbers: dict[str, dict[str, tuple[float, float]]] = {}
    cases: dict[str, Mapping[str, Any]] = {}
    for row in rows:
        if row["low"] is not None and row["high"] is not None:
            key = str(sorted(row["params"].items()))
            middle = (row["low"] + row["high"]) / 2
            numbers.setdefault(key, {})[row["quantity"]] = middle, row["high"] - middle
            cases[key] = row["params"]
    return [Seen(case, pair.handed(case), numbers[key], sampled=True) for key, case in cases.items()]


def _in_limits(claim: Statement) -> frozenset[str]:
    """The quantities that are limits, lim(...)."""
    try:
        return frozenset(name for name, prop in quantities(claim).items() if prop.left.has("lim"))
    except StatementError:
        # told of the derivation
        return frozenset()


def derivation_bound(
    claim: Statement, laws: Iterable[str], derived: Callable[..., Any], elsewhere: frozenset[str] = frozenset()
) -> Binding:
    """The derived value of every quantity against the statement's, under each law and in every order of positions.

    What is compared ``elsewhere`` is left out.
    """
    found = Binding()
    try:
        table = quantities(claim)
    except StatementError as error:
        return Binding(missing=[f"what the claim says cannot be read: {error}"])
    found.missing += [f"nothing is said of {name}" for name in claim.printed if name not in table]
    for name, stated in table.items():
        if name in elsewhere:
            continue
        if name in claim.parameters and name not in claim.printed:
            # what a parameter is in the statement's names
            continue
        if by_signs(stated):
            found = found.joined(_by_signs(claim, name, table, derived))
            continue
        for law in laws:
            prop = replace(stated, law=read_law(law))
            kernel = kernel_of(prop.law)
            if kernel is None:
                found.missing.append(f"no derivation runs on the law {law}{LEAVE if claim.plugin else ''}")
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
            except ValueError as error:
                # of a statement, an expression, or a name that is not derived
                found.missing.append(f"{name} was not compared with the statement: {line(error)}")
                continue
            if other is not None:
                found.derived.append(f"the derivation is of another quantity than {prop.left} ({law}): {other}")
            else:
                whose = f"{prop.left}, where {law_in_words(prop)}"
                found.evidence.append(f"the derived {name} is {whose}, in every order of the positions")
    return found


def _by_signs(claim: Statement, name: str, table: Mapping[str, Proposition], derived: Callable[..., Any]) -> Binding:
    """A derived probability of an event, by the signs of the tokens."""
    parameters = {label: table[label] for label in claim.parameters if label in table}
    try:
        value = value_of(derived("sigma", claim.positions, True), name).expr
        print_ = parse(claim.printed[name]) if name in claim.printed else None
        return signs_bound(table[name], parameters, value, print_, name)
    except (KeyError, StatementError, ExpressionError) as error:
        return Binding(missing=[f"{name} was not compared with the statement: {line(error)}"])


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
    sizes = {label: shape for prop in table.values() for label, shape in prop.known.sizes.items()}
    seen: dict[str, Mapping[str, Any]] = {str(sorted(case.items())): case for case in cases}
    law = next(iter(table.values())).law if table else None
    unsaid = [name for name in names if name not in table]
    if unsaid:
        return Binding(missing=[f"nothing is said of {unsaid[0]}, which is simulated"])
    if law is None or not seen:
        return Binding(missing=[f"no case was sampled at which the simulation could be compared{LEAVE}"])
    if simulation.model == "free" and not law.exchangeable:
        return _drawn_bound(simulation, seen, plain, seed)
    if claim.plugin and (told := _misdeclared(simulation, plain)):
        return Binding(missing=[told])
    many = ""
    if claim.plugin:
        # from the smallest on, so that what differs is told there; and far out, where what is clipped or cut off shows
        prop = next(iter(table.values()))
        far = sorted(drawn(prop, 2, FAR, far=True), key=size)[-FAR // 4 :]
        if not law.exchangeable:
            far += sorted(drawn(prop, 3, FAR, LONG, far=True), key=size)[-2:]
        # a number of a walk does not depend on how many others there are
        many = str(sorted(far[0].items())) if far else ""
        more = [*itertools.islice(simple(prop), SMALL), *far]
        seen |= {str(sorted(case.items())): case for case in more}
        seen = dict(sorted(seen.items(), key=lambda item: size(item[1])))
    for key, case in seen.items():
        walks = MANY if key == many else WALKS
        # the start of a case takes the place of the walk's own
        own = {"zero": ["walk-zero"]}.get(str(case.get("start", "")), law.plain())
        try:
            found = apart(simulation, case, own, plain, seed=seed, key=key, walks=walks, sizes=sizes)
        except (NotComparedError, StatementSimulationError, CaseError) as error:
            mend = LEAVE if claim.plugin else ""
            return Binding(missing=[f"the simulation was not compared walk by walk: {line(error)}{mend}"])
        if found is not None:
            shown = ", ".join(f"{k} = {v}" for k, v in case.items()).replace("'", "")
            return Binding(
                simulated=[f"the simulation is of another quantity than the statement's: at {shown}, {found}"]
            )
    told = f"the simulated numbers are the statement's, walk by walk: {WALKS} walks at each of {len(seen)} cases"
    if law.exchangeable:
        told += ", the mean over the tokens that the statement's positions may be"
    return Binding(evidence=[told])


def _misdeclared(simulation: Simulation, plain: Mapping[str, Any]) -> str:
    """What a simulation says of the tails of its numbers and is not so, or is shown by nothing; "" for nothing."""
    from montecarlo.statements.nodes import frozen
    from montecarlo.walk_by_walk import degree_of

    for name, left in plain.items():
        stated, node = simulation.tails_of(name if isinstance(simulation.degree, Mapping) else "value"), frozen(left)
        own = degree_of(node)
        if stated.degree is not None and own is not None and own > stated.degree:
            told = f"the simulation declares degree {stated.degree} for {name}, which has degree {own}"
            return f"{told}; write degree={own}"
        if stated.degree is None and not (stated.width is not None and node[0] == "P"):
            what = f"an interval of width {stated.width:g}" if stated.width else f"a kurtosis of {stated.kurtosis:g}"
            return f"the simulation declares {what} for {name}, which nothing shows to hold; declare a degree{LEAVE}"
    return ""


def _drawn_bound(
    simulation: Simulation, cases: Mapping[str, Mapping[str, Any]], plain: Mapping[str, Any], seed: int
) -> Binding:
    """A free simulation's numbers against the statement's quantities, on the tokens that it draws."""
    from montecarlo.statements.nodes import StatementSimulationError
    from montecarlo.walk_by_walk import NotComparedError, apart_as_drawn

    drawing, given = drawing_of(simulation.claim_id), instance_of(simulation.claim_id)
    if drawing is None or given is None:
        lacking = "the tokens that it draws (@drawing)" if drawing is None else "the statement's names (@instance)"
        return Binding(missing=[f"the simulation has a generator of its own, and nothing says {lacking}"])
    for key, case in cases.items():
        names = given(**{name: case[name] for name in inspect.signature(given).parameters})
        try:
            found = apart_as_drawn(simulation, case, names or {}, drawing, plain, seed=seed, key=key, walks=DRAWS)
        except (NotComparedError, StatementSimulationError) as error:
            return Binding(missing=[f"the simulation was not compared draw by draw: {line(error)}"])
        if found is not None:
            shown = ", ".join(f"{k} = {v}" for k, v in case.items())
            return Binding(
                simulated=[f"the simulation is of another quantity than the statement's: at {shown}, {found}"]
            )
    where = f"{DRAWS} at each of {len(cases)} cases"
    return Binding(evidence=[f"the simulated numbers are the statement's on the simulation's own draws: {where}"])


def _first(prop: Proposition) -> Iterator[Mapping[str, Any]]:
    """Small cases from the smallest on, then drawn ones of every dimension."""
    yield from itertools.islice(simple(prop), SMALLEST)
    yield from sorted(drawn(prop, 1, DRAWN), key=size)
