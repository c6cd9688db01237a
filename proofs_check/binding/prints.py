"""A print as it is judged, held to the whole statement: its hypotheses, relation and limit.

The kernel compares a print with what was derived, in the claim's own symbols. The statement says the same in the
language; whether it is true is decided again from the statement alone: exactly, in every order of the positions, where
its quantity is a moment of Gaussian tokens, else by value at cases that satisfy its hypotheses. A bound up to an error
term, and a probability by signs, are decided by neither; the evidence says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from montecarlo.registry import instance_of
from proofs_check.binding.along import FAR
from proofs_check.binding.balls import stated_value
from proofs_check.binding.finite_laws import finite_laws
from proofs_check.binding.instances import CASES, FEW, Place, around_the_limit, left_value, place_of, quantity_of
from proofs_check.binding.named import InstanceError, instance
from proofs_check.binding.signs import by_signs
from proofs_check.binding.tied import Binding, line, quantities
from proofs_check.binding.widened import of_hypotheses
from proofs_check.checks.approaching import INDEX
from proofs_check.checks.evidence import Seen
from proofs_check.checks.points import BITS
from proofs_check.claims.pairing import Pair
from theorems.algebra.balls import precision
from theorems.claims.catalogue import by_id
from theorems.gaussian.numeric import Case as Exact
from theorems.kernel.bounds import admitted
from theorems.kernel.derivation import SharpBound
from theorems.kernel.outcome import Outcome
from theorems.statement.deciding.decide import decide, derivation_of
from theorems.statement.expression import StatementError
from theorems.statement.proposition import Proposition
from theorems.statement.reading.factored import is_factored
from theorems.statement.values.arithmetic import UndefinedError
from theorems.statement.values.cases import Case, admissible
from theorems.statement.values.certify import violation

#: What has no value at a case, or none in the language.
UNREAD = (InstanceError, StatementError, UndefinedError, IndexError, ValueError)


def prints_bound(pair: Pair, outcome: Outcome, seen: Sequence[Seen]) -> Binding:
    """Hold what the kernel found of every print against the statement; cases are those ``seen`` and the derivation's.

    A print that the kernel proves and the statement contradicts, or the other way round, is a fault of the claim's.
    """
    factored = is_factored(pair.statement.printed)
    if outcome.status not in ("proved", "disproved") or pair.statement.says is None or factored:
        # a matrix and its print are compared entry by entry with what is said
        return Binding()
    try:
        table = quantities(pair.statement)
    except StatementError:
        # told of the quantities
        return Binding()
    found = Binding()
    for name, prop in table.items():
        if name not in pair.statement.printed:
            continue
        with precision(BITS):
            try:
                found = found.joined(_bound(pair, name, prop, name in outcome.false_quantities, seen))
            except UNREAD as error:
                told = f"the print of {name} was not held to the whole statement: {line(error)}"
                found = found.joined(Binding(missing=[told]))
    return found


def _bound(pair: Pair, name: str, prop: Proposition, false: bool, seen: Sequence[Seen]) -> Binding:
    if prop.random and prop.law.gaussian and not prop.left.has("lim"):
        decision = decide(prop, derivation_of(prop))
        if decision.status != "undecided":
            return _as_decided(prop, false, decision.status == "proved", [str(p.order) for p in decision.failing])
    if prop.error is not None or by_signs(prop):
        why = "has no value at a case" if prop.error is not None else "is held to the share of signs alone"
        return Binding(evidence=[f"the print of {name} was not decided again from the statement alone: it {why}"])
    return _by_value(pair, name, prop, false, seen)


def _as_decided(prop: Proposition, false: bool, proved: bool, failing: Sequence[str]) -> Binding:
    """What the engine of statements finds, beside what the kernel found."""
    if proved is not false:
        order = failing[0] if failing and not failing[0].isidentifier() else ""
        where = " in every order of the positions" if proved else f" where {order}" if order else ""
        told = "holds" if proved else "fails"
        return Binding(evidence=[f"decided from the statement alone, {prop.text} {told}{where}, as was derived"])
    kernel, engine = ("disproved", "true") if false else ("proved", "not true")
    where = f" for {failing[0]}" if failing else ""
    told = f"the print is {kernel}, and the statement {prop.text} is {engine}{where}: they are not one claim"
    return Binding(derived=[told])


def _by_value(pair: Pair, name: str, prop: Proposition, false: bool, seen: Sequence[Seen]) -> Binding:
    """The statement at cases within its hypotheses: a proved print fails at none, a disproved one fails somewhere."""
    fails, holds = list[str](), 0
    looked = ((place_of(one), _broken(pair, prop, one)) for one in _looked_at(pair, name, prop, seen))
    for where, broken in chain(looked, _drawn(pair, prop)):
        if broken and not false:
            told = f"the print is proved, and the statement {prop.text} fails at {where}"
            return Binding(derived=[f"{told}: they are not one claim"])
        fails += [where] if broken else []
        holds += broken is False
    if false and not fails and pair.statement.attained and holds:
        return Binding(evidence=[f"{prop.text} holds at {holds} cases; the claim adds that its bound is attained"])
    if false and not fails:
        raise InstanceError(f"it is disproved, and {prop.text} fails at none of {holds} cases that were looked at")
    if not false and not holds:
        raise InstanceError(f"it is proved, and {prop.text} was seen to hold at no case")
    told = f"fails at {fails[0]}" if false else f"holds at {holds} case{'s' * (holds != 1)}"
    of = f" of {name}" if len(pair.statement.printed) > 1 else ""
    return Binding(evidence=[f"by the statement alone, the print{of} {told}"])


def _looked_at(pair: Pair, name: str, prop: Proposition, seen: Sequence[Seen]) -> list[Seen]:
    """A part of the cases seen, the derivation's extremes, and of an exchangeable law finite ones."""
    most = FEW if prop.left.has("least") else CASES
    chosen = [seen[len(seen) * k // most] for k in range(most)] if len(seen) > most else list(seen)
    quantity = quantity_of(pair, name)
    own = [quantity.attained] if isinstance(quantity, SharpBound) else [*getattr(quantity, "points", ())][:most]
    own += finite_laws([prop]) if prop.law.exchangeable else []
    return chosen + [Seen(point, point, {}) for point in own]


def _drawn(pair: Pair, prop: Proposition) -> Iterator[tuple[str, bool | None]]:
    """Cases drawn from the hypotheses of a statement without tokens or a limit, and whether it fails there.

    A correction is stated under conditions of its own, which such a case need not meet.
    """
    claim = pair.statement
    own = claim.conditions != by_id()[claim.corrects].conditions if claim.corrects else False
    if not (prop.random or prop.limit.variable or own):
        yield from ((str(case), violation(prop, case)) for case in of_hypotheses(claim.id, prop))


def _broken(pair: Pair, prop: Proposition, one: Seen) -> bool | None:
    """Whether the statement fails at a case, its limits taken; None where that is not settled, or not within it."""
    if pair.statement.corrects and not _meets(pair, one):
        return None
    case = _named(pair, prop, one)
    if case is None or admissible(prop, case):
        return None
    if prop.relation not in ("=", "->"):
        return violation(prop, case)
    try:
        if INDEX in one.case and prop.limit.variable:
            return _stays_away(pair, prop, one)
        place = Place(one, case, Exact({}))
        return not left_value(prop, place).overlaps(stated_value(prop.right, around_the_limit(prop, place)))
    except (InstanceError, UndefinedError, IndexError):
        return None


def _meets(pair: Pair, one: Seen) -> bool:
    """Whether a case is shown to meet the conditions under which a correction is stated."""
    try:
        return admitted(pair.statement, pair.exact(one.case))
    except (KeyError, ValueError):
        return False


def _named(pair: Pair, prop: Proposition, one: Seen) -> Case | None:
    """The statement's names at a case, which the derivation's may already be; None where they have no values."""
    for given in (instance_of(pair.source), None):
        try:
            return instance(prop, one, given)
        except (InstanceError, TypeError):
            # an instance reads what the empirical check is handed; the derivation's points may be texts
            continue
    return None


def _stays_away(pair: Pair, prop: Proposition, one: Seen) -> bool | None:
    """Whether the quantity does not come nearer to the print far along the sequences of a case."""
    gaps = []
    for k in FAR:
        raw = {**one.case, INDEX: str(k)}
        case = _named(pair, prop, Seen(raw, pair.handed(raw), {}))
        if case is None:
            return None
        gaps.append(abs(stated_value(prop.left, case) - stated_value(prop.right, case)))
    near, far = gaps
    return not (far.contains(0) or bool(2 * far <= near))
