"""The chance that a random number is large, bounded by exponential moments: P[A > b] <= exp(-t b) E exp(t A), t >= 0.

That is Markov's inequality for exp(t A), under any law. Of A = c0 + c sum_k f(x_k) over n independent tokens of one law
E exp(t A) = exp(t c0) (E exp(t c f(x_1)))^n. The t is read off the exponential moment that the other side has: where
that is of exp(s0 + s f), t = s/c. A moment that is not seen to be finite bounds nothing here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from theorems.statement.expression import MOMENTS, Expr, StatementError, fresh, minus, name, negative, number
from theorems.statement.moments.having import visibly_nonnegative
from theorems.statement.moments.orthogonal import RULE as ORTHOGONAL
from theorems.statement.moments.orthogonal import TRUSTED, losses, tidy
from theorems.statement.proofs.certain import large, mean_nonnegative, power
from theorems.statement.proofs.prover import STEPS, Prover
from theorems.statement.proofs.steps import Step, Steps, together
from theorems.statement.proposition import Proposition
from theorems.statement.reading.laws import Law
from theorems.statement.reading.shapes import shape
from theorems.statement.work import Work

ZERO, ONE = number(0), number(1)
#: Steps of the proof that a bound is at least what was derived.
COMPARING = 1000
MARKOV = "Markov's inequality for exp(t A), t >= 0"
PRODUCT = "independent tokens of one law: E of a product is the product of E"
#: Laws of tokens that stay within a ball.
BOUNDED = ("iid-sphere", "iid-signs", "frame-sphere")
#: What of bounded numbers is bounded.
_CONTINUOUS = (
    "token",
    "T",
    "+",
    "*",
    "exp",
    "cos",
    "sin",
    "abs",
    "norm",
    "sum",
    "matrix",
    "vector",
    "name",
    "number",
    "entire",
)


@dataclass(frozen=True)
class Event:
    """A > b or A >= b, A = offset + weight * atom with a random atom, b no random number."""

    weight: Expr
    offset: Expr
    atom: Expr
    end: Expr


def shown(prop: Proposition) -> Steps | None:
    """Steps to P[...] <= a bound with exponential moments, under every order of the positions; or None."""
    read = _read(prop)
    if read is None:
        return None
    for one in read.bounds():
        for way in (read.compared, read.to_a_power):
            read.prover.work = Work(COMPARING)
            last = way(one)
            if last is not None:
                return [*one.steps, *last]
    read.prover.work = Work(COMPARING)
    return large(read.bound, read.label, read.prover, read.least_one)


def improved(prop: Proposition) -> list[Expr]:
    """What a probability is shown to be at most, by the exponential moment that its bound has: the simplest first."""
    read = _read(prop)
    if read is None:
        return []
    # exp(-t b) as it is written in the bound, where it is the same
    return [read.back(Expr("*", (read.factor(one) or tidy(one.factor), one.rest))) for one in read.bounds()]


@dataclass(frozen=True)
class Shown:
    """What a probability is at most, exp(-t b) times E of the rest, in names for moments; and the steps to it."""

    steps: Steps
    factor: Expr
    rest: Expr

    @property
    def bound(self) -> Expr:
        """The product of both."""
        return Expr("*", (self.factor, self.rest))


@dataclass
class _Read:
    """P[A > b] and its bound, in which names stand for moments; that of exp(s0 + s f) is ``label``."""

    event: Event
    chance: Expr
    bound: Expr
    label: str
    names: dict[Expr, Expr]
    parts: dict[Expr | None, Expr]
    atom: Expr
    prover: Prover
    law: Law
    #: The exponential moment, where it is at least 1.
    least_one: str

    def back(self, node: Expr) -> Expr:
        """An expression with moments for their names."""
        for moment, own in self.names.items():
            node = node.swapped(own, moment)
        return node

    def factor(self, one: Shown) -> Expr | None:
        """The exponential before the rest of the bound, where it is what was derived."""
        head = self.bound.args[0] if self.bound.op == "*" else self.bound
        same = head.op == "exp" and self.prover.equal(head, one.factor) is not None
        return head if same else None

    def compared(self, one: Shown) -> Steps | None:
        """Steps to the bound being at least what was derived: to exp(s) F >= exp(s) G by F >= G."""
        head = self.factor(one)
        if head is None or self.bound.op != "*":
            return self.prover.related(self.bound, one.bound, False)
        rest = self.bound.args[1] if len(self.bound.args) == 2 else Expr("*", self.bound.args[1:])
        found = self.prover.related(rest, one.rest, False)
        return None if found is None else [Step("identity by normal form", f"{head} = {one.factor}"), *found]

    def to_a_power(self, one: Shown) -> Steps | None:
        """Steps to the bound being a power of what was derived, at least where that is below 1."""
        return power(self.bound, self.label, (one.factor, one.rest), self.prover)

    def bounds(self) -> Iterator[Shown]:
        """exp(-t b) times what E exp(t A) is at most."""
        event, parts, atom = self.event, self.parts, self.atom
        for own, copies, goals, off in _matched(event.atom, atom, parts[atom], self.law, self.prover):
            # own: E exp(s0 + s atom) is that of exp(s0) exp(t weight atom)
            t = Expr("/", (parts[atom], event.weight))
            told = [
                Step(MARKOV, f"P[{self.chance.args[0]}] <= exp(-t*({event.end}))*E[exp(t*A)], t = {t}", "Markov"),
                *own,
            ]
            steps = together((told, *(self.prover.at_least(goal, ZERO, False) for goal in (t, *goals))))
            if steps is None:
                continue
            shift = Expr("*", (t, minus(event.offset, event.end)))
            inside = minus(shift, Expr("*", (copies, parts.get(None, ZERO))))
            power = name(self.label) if copies == ONE else Expr("**", (name(self.label), copies))
            factor = Expr("exp", (inside,))
            if off is None:
                yield Shown(steps, factor, power)
            # what is taken off is that of exp(s f) alone, without s0
            for loss in off or () if None not in parts else ():
                for moment, label in self.names.items():
                    loss = loss.swapped(moment, label)
                yield Shown(steps, factor, minus(power, loss))


def _read(prop: Proposition) -> _Read | None:
    chance, bound = (prop.left, prop.right) if prop.relation[:1] == "<" else (prop.right, prop.left)
    if prop.relation not in ("<=", ">=") or chance.op != "P" or chance.args[0].op != "relation":
        return None
    event = _event(*chance.args[0].args)
    moments = list(dict.fromkeys(node for node in bound.walk() if node.op in MOMENTS))
    exponential = [one for one in moments if one.op == "E" and one.args[0].op == "exp"]
    others = [one for one in moments if one not in exponential]
    if event is None or len(exponential) != 1 or not all(map(visibly_nonnegative, others)):
        return None
    (moment,) = exponential
    if not _finite(moment.args[0].args[0], prop.law):
        return None
    parts = _linear(moment.args[0].args[0])
    taken = {*bound.names(), *prop.parameters, *prop.positions}
    names = {one: name(label) for one, label in zip((moment, *others), fresh("moment", taken), strict=False)}
    atoms = [atom for atom in parts if atom is not None]
    if len(atoms) != 1:
        return None
    prover = Prover(prop, Work(STEPS))
    known = [("<" if one is moment else "<=", ZERO, own) for one, own in names.items()]
    prover.known = replace(prover.known, relations=(*prover.known.relations, *known))
    if all(prover.at_least(sign, ZERO, True) is None for sign in (event.weight, negative(event.weight))):
        # where the weight is 0 no t has t*A = s*f
        return None
    least_one = str(moment) if mean_nonnegative(parts, prop.law, prover) else ""
    for one, own in names.items():
        bound = bound.swapped(one, own)
    return _Read(event, chance, bound, names[moment].args[0], names, parts, atoms[0], prover, prop.law, least_one)


def _event(mark: str, one: Expr, two: Expr) -> Event | None:
    """A > b with A random and b not."""
    if mark[0] == "<":
        one, two = two, one
    elif mark[0] != ">":
        return None
    try:
        parts = _linear(minus(one, two))
    except StatementError:
        return None
    atoms = [atom for atom in parts if atom is not None]
    if len(atoms) != 1 or shape(minus(one, two)) != "number":
        return None
    return Event(parts[atoms[0]], parts.get(None, ZERO), atoms[0], ZERO)


def _matched(
    event: Expr, atom: Expr, weight: Expr, law: Law, prover: Prover
) -> Iterator[tuple[Steps, Expr, tuple[Expr, ...], Iterable[Expr] | None]]:
    """How often the moment of an atom is taken for that of the event's: once for itself, n times for n such tokens.

    With the steps that say so, what has to be >= 0, and for tokens of a frame what may be taken off the power.
    """
    if event == atom:
        yield [], ONE, (), None
    independent = law.kind == "iid" or law.kind.startswith("iid-")
    if event.op != "sum" or not (independent or law.framed):
        return
    body, index, first, last = event.args
    places = {token.args[0] for token in atom.walk() if token.op == "token"}
    if len(places) != 1 or first.random or last.random or atom.has("mean") or index in atom.names():
        return
    (place,) = places
    tokens = {token.args[0] for token in body.walk() if token.op == "token"}
    # the index stands in the token alone, so that all terms have one law
    bare = body.swapped(Expr("token", (name(index),)), ZERO)
    if tokens != {name(index)} or index in bare.names() or body.has("mean"):
        return
    if body.put({index: place}) != atom:
        return
    copies = Expr("+", (minus(last, first), ONE)) if first != ONE else last
    moment = f"E[exp(s*{atom})]**({copies})"
    if independent:
        yield [Step(PRODUCT, f"E[exp(s*{event})] = {moment}")], copies, (copies,), None
        return
    found = losses(
        body, index, weight, copies, law, prover.known, lambda one: prover.at_least(one, ZERO, False) is not None
    )
    yield [Step(ORTHOGONAL, f"E[exp(s*{event})] <= {moment} less what is taken off", TRUSTED)], copies, (copies,), found


def _finite(exponent: Expr, law: Law) -> bool:
    """Whether E exp(exponent) is seen to be finite: of bounded tokens, or of linear forms in Gaussian ones.

    The law of isotropic tokens is one for which the moments of the statement exist.
    """
    random = [node for node in exponent.walk() if node.random]
    if law.lengths:
        return True
    if law.kind in BOUNDED:
        return all(node.op in _CONTINUOUS for node in random)
    if not law.gaussian:
        return False
    return all(node.op in ("token", "T", "+", "*", "sum", "mean") for node in random) and all(
        sum(arg.random for arg in node) <= 1 for node in random if node.op == "*"
    )


def _linear(node: Expr) -> dict[Expr | None, Expr]:
    """A number as a sum of coefficients times random atoms; None stands for 1."""
    if not node.random:
        return {None: node}
    if node.op == "+":
        found: dict[Expr | None, Expr] = {}
        for part in node.args:
            for atom, weight in _linear(part).items():
                found[atom] = Expr("+", (found[atom], weight)) if atom in found else weight
        return found
    if node.op == "*":
        fixed = tuple(arg for arg in node.args if not arg.random and shape(arg) == "number")
        rest = tuple(arg for arg in node.args if arg not in fixed)
        if len(rest) == 1:
            return _scaled(_linear(rest[0]), fixed)
        return {Expr("*", rest): Expr("*", (ONE, *fixed))}
    if node.op == "/" and not node.args[1].random:
        return _scaled(_linear(node.args[0]), (Expr("/", (ONE, node.args[1])),))
    if node.op == "sum":
        body, index, first, last = node.args
        parts = _linear(body)
        if len(parts) == 1 and not any(index in weight.names() for weight in parts.values()):
            ((atom, weight),) = parts.items()
            if atom is not None:
                return {Expr("sum", (atom, index, first, last)): weight}
    return {node: ONE}


def _scaled(parts: dict[Expr | None, Expr], by: tuple[Expr, ...]) -> dict[Expr | None, Expr]:
    return {atom: Expr("*", (*by, weight)) for atom, weight in parts.items()} if by else parts
