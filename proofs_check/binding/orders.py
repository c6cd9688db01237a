"""Claims about orders of growth held to what they say: of which expectations, walk by walk and at exact cases.

The statement is about the norm of the expectation of a matrix of every walk, or about the quotient of two. These
matrices are what the derivation's steps are about, entry by entry at exact tokens and matrices, and their traces are
the empirical check's numbers, walk by walk at a few lengths.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from montecarlo.empirical_checks import Growth
from montecarlo.registry import instance_of
from proofs_check.binding.named import InstanceError, instance
from proofs_check.binding.tied import Binding, line
from proofs_check.checks.evidence import Seen
from proofs_check.claims.pairing import Pair
from theorems.kernel.catalogued import said
from theorems.rules.orders import Order
from theorems.statement.deciding.derived import kernel_of
from theorems.statement.expression import Expr, StatementError
from theorems.statement.proposition import Proposition
from theorems.statement.values.arithmetic import UndefinedError
from theorems.statement.values.cases import Case, admissible
from theorems.statement.values.values import value

#: Lengths, and walks of each, at which the empirical check is looked at.
LENGTHS, WALKS = (1, 2, 5, 12), 64
#: The matrix of all tokens, by columns, in the place of x[i]: no name of a statement begins so.
TOKENS = "_x"
#: What an empirical check calls the numbers that the others are divided by.
DIVISOR = "divisor"


def orders_bound(pair: Pair, growth: Growth, seed: int) -> Binding:
    """Hold the derived orders, and an empirical check's numbers, against the statement's expectations."""
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
    if kernel_of(prop.law) != "sigma":
        return Binding(derived=[f"the steps to the order of {name} are about the walk, not {prop.law.text}"])
    order = pair.quantity(name)
    parts = _parts(prop.left)
    if not isinstance(order, Order) or order.summand is None or not order.points or len(order.terms) != len(parts):
        raise InstanceError(f"the derivation gives no {len(parts)} matrices at cases, whose expectations {name} is of")
    for point in order.points:
        for place, (term, part) in enumerate(zip(order.terms, map(_summand, parts), strict=True)):
            names, derived = order.summand(term, point)
            tokens = names["x"]
            case = _case(prop, {key: given for key, given in names.items() if key != "x"}, int(names["T"]))
            matrices = {**case.matrices, TOKENS: tuple(zip(*tokens, strict=True))}
            try:
                stated = value(part, Case(case.numbers, matrices, case.vectors, case.sequences))
            except (StatementError, UndefinedError, IndexError) as error:
                raise InstanceError(f"{name} has no value at {dict(point)}: {line(error)}") from None
            if getattr(stated, "rows", None) != derived:
                where = ", ".join(f"{key} = {given}" for key, given in point.items())
                which = ("", "divisor's ")[place]
                told = f"the derivation is of another quantity than {name}: at {where} its {which}summand differs"
                return Binding(derived=[told])
    told = "the quotient of the expectations" if len(parts) > 1 else "the expectation"
    count = len(order.points)
    return Binding(evidence=[f"{name} is {told} that the steps are about: equal summands at {count} cases"])


def _simulated(pair: Pair, growth: Growth, table: Mapping[str, Proposition], seed: int) -> Binding:
    from montecarlo.statements.nodes import StatementSimulationError
    from montecarlo.walk_by_walk import NotComparedError, growth_apart

    named = instance_of(pair.source)
    own = dict((named() if named is not None else None) or {})
    traces: dict[str, Expr] = {}
    for name, prop in table.items():
        for label, part in zip((name, DIVISOR), _parts(prop.left), strict=False):
            if traces.setdefault(label, _traced(part)) != _traced(part):
                raise InstanceError(f"{name} has another divisor than the quantities before it; state it apart")
    plain = {label: node.plain() for label, node in traces.items()}
    for T in LENGTHS:
        # what is expanded somewhere has no value of its own
        given = own | {name: [0] * T for prop in table.values() for name in prop.known.sequences}
        for name, prop in table.items():
            _isotropic(name, prop, given, T)
        try:
            found = growth_apart(growth, T, given, plain, seed=seed, walks=WALKS)
        except (NotComparedError, StatementSimulationError) as error:
            return Binding(missing=[f"the empirical check was not compared walk by walk: {line(error)}"])
        if found is not None:
            return Binding(
                simulated=[f"the empirical check is of another quantity than the statement's: at T = {T}, {found}"]
            )
    lengths = ", ".join(map(str, LENGTHS))
    told = (
        "the check's numbers are tr(M)/d for the statement's matrices M, whose expectations are multiples of I, "
        f"walk by walk: {WALKS} walks at each T of {lengths}"
    )
    return Binding(evidence=[told])


def _case(prop: Proposition, names: Mapping[str, Any], T: int) -> Case:
    """The statement's names at a length; a sequence without a value there, at which something is expanded, is 0."""
    table = {"T": T, **{name: [0] * T for name in prop.known.sequences}, **names}
    case = instance(prop, Seen(table, {}, {}), None)
    if failed := admissible(prop, case):
        raise InstanceError(f"a case outside the hypotheses: {failed}")
    return case


def _isotropic(name: str, prop: Proposition, given: Mapping[str, Any], T: int) -> None:
    """Raise InstanceError where an expectation need not be a multiple c I of I, of the norm |c| sqrt(d).

    An orthogonal map of all tokens, whose law stays the same, maps a product of tokens and of multiples of I with them,
    so that its expectation commutes with every orthogonal matrix.
    """
    if prop.known.vectors or prop.law.moved or any(node.op == "entry" and node.random for node in prop.left.walk()):
        raise InstanceError(f"{name} is of single coordinates, or of fixed vectors, so tr(M) says too little of it")
    for label, rows in _case(prop, given, T).matrices.items():
        if any(entry != (rows[0][0] if r == c else 0) for r, row in enumerate(rows) for c, entry in enumerate(row)):
            raise InstanceError(f"{label} is no multiple of I at the empirical check's example, so tr(M) is not {name}")


def _parts(node: Expr) -> tuple[Expr, ...]:
    """The expectations whose norm a quantity is, or whose norms it is the quotient of; InstanceError for another."""
    sides = node.args if node.op == "/" else (node,)
    if any(side.op != "norm" or side.args[1] != "fro" for side in sides):
        raise InstanceError(f"{node} is no norm(E[...], fro), and no quotient of two")
    return tuple(side.args[0] for side in sides)


def _summand(node: Expr) -> Expr:
    """What an expectation is of, its tokens the columns of one matrix; InstanceError where it is not linear in one."""
    if node.op == "E":
        return _with_columns(node.args[0])
    if node.op == "/" and not node.args[1].has("E"):
        return Expr("/", (_summand(node.args[0]), node.args[1]))
    raise InstanceError(f"{node} is no expectation, nor one over a number")


def _traced(node: Expr) -> Expr:
    """The trace of an expectation, over d."""
    if node.op == "E":
        return Expr("E", (Expr("/", (Expr("tr", node.args), Expr("name", ("d",)))),))
    return Expr("/", (_traced(node.args[0]), node.args[1]))


def _with_columns(node: Expr) -> Expr:
    changed = node.mapped(_with_columns)
    return Expr("column", (Expr("matrix", (TOKENS,)), changed.args[0])) if node.op == "token" else changed
