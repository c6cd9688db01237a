"""Claims about orders of growth held to what they say: of which expectations, walk by walk and at exact cases.

The statement's expectation is of a number of every walk. That number is the second side's, walk by walk at a few
lengths, and what the derivation's steps are about, at exact tokens and matrices.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from montecarlo.registry import Growth, instance_of
from proofs_check.binding.instances import InstanceError, instance
from proofs_check.binding.tied import Binding, line
from proofs_check.checks.evidence import Seen
from proofs_check.claims.pairing import Pair
from theorems.kernel.catalogued import said
from theorems.rules.orders import Order
from theorems.statement.cases import Case, admissible
from theorems.statement.expression import Expr, StatementError
from theorems.statement.proposition import Proposition
from theorems.statement.values import UndefinedError, scalar

#: Lengths, and walks of each, at which the second side is looked at.
LENGTHS, WALKS = (1, 2, 5, 12), 64
#: The matrix of all tokens, by columns, in the place of x[i]: no name of a statement begins so.
TOKENS = "_x"


def orders_bound(pair: Pair, growth: Growth, seed: int) -> Binding:
    """Hold the derived orders, and a second side's numbers, against the statement's expectations."""
    claim = pair.statement
    assert claim.says is not None
    found = Binding()
    table = {}
    for name in claim.printed:
        try:
            table[name] = said(claim, name)
        except StatementError as error:
            found.missing.append(f"what is said of {name} cannot be read: {line(error)}")
    try:
        for name, prop in table.items():
            found = found.joined(_derived(pair, name, prop))
        return found.joined(_simulated(pair, growth, table, seed)) if table else found
    except InstanceError as error:
        return found.joined(Binding(missing=[f"the claim was not compared with the statement: {error}"]))


def _derived(pair: Pair, name: str, prop: Proposition) -> Binding:
    order = pair.quantity(name)
    if not isinstance(order, Order) or order.summand is None or len(order.terms) != 1:
        raise InstanceError(f"the derivation gives no number whose expectation {name} is")
    summand = _summand(prop.left)
    for point in order.points:
        names, value = order.summand(order.terms[0], point)
        tokens = names["x"]
        own = {key: given for key, given in names.items() if key != "x"}
        case = _case(prop, own, int(names["T"]))
        rows = tuple(zip(*tokens, strict=True))
        try:
            stated = scalar(summand, Case(case.numbers, {**case.matrices, TOKENS: rows}, case.vectors, case.sequences))
        except (StatementError, UndefinedError, IndexError) as error:
            raise InstanceError(f"{name} has no value at {dict(point)}: {line(error)}") from None
        if stated != value:
            where = ", ".join(f"{key} = {given}" for key, given in point.items())
            told = f"the derivation is of another quantity: at {where} its summand is {value}, the statement's {stated}"
            return Binding(derived=[told])
    count = len(order.points)
    return Binding(evidence=[f"{name} is the expectation that the steps are about: equal summands at {count} cases"])


def _simulated(pair: Pair, growth: Growth, table: Mapping[str, Proposition], seed: int) -> Binding:
    from montecarlo.statements.nodes import StatementSimulationError
    from montecarlo.walk_by_walk import NotComparedError, growth_apart

    named = instance_of(pair.source)
    own = dict((named() if named is not None else None) or {})
    plain = {name: prop.left.plain() for name, prop in table.items()}
    for T in LENGTHS:
        # what is expanded somewhere has no value of its own
        given = own | {name: [0] * T for prop in table.values() for name in prop.known.sequences}
        for prop in table.values():
            _case(prop, given, T)
        try:
            found = growth_apart(growth, T, given, plain, seed=seed, walks=WALKS)
        except (NotComparedError, StatementSimulationError) as error:
            return Binding(missing=[f"the second side was not compared walk by walk: {line(error)}"])
        if found is not None:
            return Binding(
                simulated=[f"the second side is of another quantity than the statement's: at T = {T}, {found}"]
            )
    lengths = ", ".join(map(str, LENGTHS))
    told = f"the second side's numbers are the statement's, walk by walk: {WALKS} walks at each T of {lengths}"
    return Binding(evidence=[told])


def _case(prop: Proposition, names: Mapping[str, Any], T: int) -> Case:
    """The statement's names at a length; a sequence without a value there, at which something is expanded, is 0."""
    table = {"T": T, **{name: [0] * T for name in prop.known.sequences}, **names}
    case = instance(prop, Seen(table, {}, {}), None)
    if failed := admissible(prop, case):
        raise InstanceError(f"a case outside the hypotheses: {failed}")
    return case


def _summand(node: Expr) -> Expr:
    """What an expectation is of, its tokens the columns of one matrix; InstanceError where it is not linear in one."""
    if node.op == "E":
        return _with_columns(node.args[0])
    if node.op == "/" and not node.args[1].has("E"):
        return Expr("/", (_summand(node.args[0]), node.args[1]))
    raise InstanceError(f"{node} is no expectation, nor one over a number")


def _with_columns(node: Expr) -> Expr:
    changed = node.mapped(_with_columns)
    return Expr("column", (Expr("matrix", (TOKENS,)), changed.args[0])) if node.op == "token" else changed
