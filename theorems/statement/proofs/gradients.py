"""Entries of gradients by a sequence, for every length: d f(s)/d s_k as an expression, by the rules of calculus.

s_i is put as s_i + t [i = k], and what is made of all of s as its value and slope: softmax(s)_i as p_i + t p_i ([i = k]
- p_k); the derivative by t at 0 is the entry. Under a sum over all entries [j = k] is a name, in which the derivative
is linear: sum_j a_j [j = k] + b_j is a_k + sum_j b_j.
"""

from __future__ import annotations

from dataclasses import replace

from theorems.statement.expression import BINDERS, Expr, StatementError, fresh, minus, name, negative, number
from theorems.statement.proofs.fact import add, size, times
from theorems.statement.proofs.softmax import distinct
from theorems.statement.proposition import Proposition
from theorems.statement.reading.calculus import derivative
from theorems.statement.reading.hypotheses import Hypotheses
from theorems.statement.reading.shapes import shape
from theorems.statement.work import Work

ZERO, ONE, TWO = number(0), number(1), number(2)
#: What moves along a sequence: a name that no statement has.
ALONG = "t#"
#: Functions of numbers through which the rules go.
SMOOTH = ("+", "*", "/", "**", "exp", "log", "sqrt", "cos", "sin", "erf", "abs")


def by_entries(prop: Proposition, work: Work) -> Proposition:
    """The statement with entries of gradients by a sequence taken; of vectors that are equal, any entry of both.

    What has none stays as it is.
    """
    given = prop
    try:
        if prop.relation == "=" and shape(prop.left) == "vector" and prop.left.has("grad"):
            taken = {*prop.parameters, *prop.positions, *prop.left.names(), *prop.right.names()}
            place = name(next(fresh("entry", taken)))
            prop = replace(prop, left=_component(prop.left, place), right=_component(prop.right, place))
        left, right = (_taken(side, prop, work, frozenset()) for side in (prop.left, prop.right))
    except StatementError:
        return given
    if prop.relation == "=":
        totals = {node for side in (left, right) for node in side.walk() if node.op == "sum"}
        left, right = (_by_ratio(side, totals, prop.known) for side in (left, right))
    return replace(prop, left=left, right=right)


def _component(vector: Expr, place: Expr) -> Expr:
    """An entry of a vector."""
    if vector.op in ("family", "softmax", "grad"):
        return Expr("entry", (str(vector.args[0]) if vector.op == "family" else vector, place))
    if vector.op in ("+", "*", "/"):
        parts = [arg if shape(arg) == "number" else _component(arg, place) for arg in vector]
        if vector.op == "+" or sum(shape(arg) != "number" for arg in vector) == 1:
            return Expr(vector.op, tuple(parts))
    raise StatementError(f"{vector} has no entries here")


def _taken(node: Expr, prop: Proposition, work: Work, bound: frozenset[str]) -> Expr:
    """An expression with entries of gradients taken, the inner ones first."""
    inside = bound | {node.args[1]} if node.op in BINDERS else bound
    if node.op != "entry" or isinstance(node.args[0], str) or node.args[0].op != "grad":
        return node.mapped(lambda arg: _taken(arg, prop, work, inside))
    gradient, place = node.args
    function, variable = _taken(gradient.args[0], prop, work, inside), gradient.args[1]
    if variable.op != "family" or function.names() & inside:
        raise StatementError(f"{node} is no entry of a gradient by a sequence")
    from theorems.statement.proofs.prover import Prover

    prover = Prover(prop, work)
    if prover.defined(function) is None:
        # 1/s[1] is no gradient of log(s[1]) where that has no value
        raise StatementError(f"{function} is not shown to have a value")
    # a letter stands for the entries that there are; s[2] is there where n >= 2
    if place.op != "name" and prover.defined(Expr("entry", (variable.args[0], place))) is None:
        raise StatementError(f"{variable}[{place}] is not shown to be there")
    moved = _Moved(prop.known, variable, place).at(function, frozenset())
    return _summed(_tidy(derivative(moved, ALONG).put({ALONG: ZERO})), place)


class _Moved:
    """Expressions at s + t e_k, up to what is small beside t."""

    def __init__(self, known: Hypotheses, variable: Expr, place: Expr) -> None:
        self.known, self.variable, self.place = known, variable, place
        self.own = Expr("entry", (variable.args[0], place))

    def _at_place(self, index: Expr, bound: frozenset[str]) -> Expr:
        """[index = k]."""
        if index.op == "name" and index.args[0] in bound:
            return name(_mark(index.args[0]))
        if index == self.place:
            return ONE
        if distinct(self.known, index, self.place):
            return ZERO
        raise StatementError(f"whether {index} is {self.place} is not known")

    def at(self, node: Expr, bound: frozenset[str]) -> Expr:
        """An expression that is moved; ``bound`` are the indices of sums over all entries around it."""
        slope = self._slope(node, bound) if _depends(node, self.variable) else ZERO
        if slope is not None:
            return node if slope == ZERO else add(node, times(name(ALONG), slope))
        if node.op == "sum":
            body, index, first, last = node.args
            if first != ONE or last != size(self.known, self.variable):
                raise StatementError(f"{node} is no sum over all entries of {self.variable}")
            own = next(fresh(f"{index}#", bound | self.place.names() | body.names()))
            return Expr("sum", (self.at(body.put({index: name(own)}), bound | {own}), own, first, last))
        if node.op not in SMOOTH or not all(shape(arg) == "number" for arg in node):
            raise StatementError(f"{node} has no derivative here")
        return node.mapped(lambda arg: self.at(arg, bound))

    def _slope(self, node: Expr, bound: frozenset[str]) -> Expr | None:
        """The slope of what is made of whole sequences, and of an entry; None for what the rules go through."""
        if node.op == "entry":
            head, index = node.args
            if head == self.variable.args[0]:
                return self._at_place(index, bound)
            share, scale = self._share(head)
            return times(scale, node, minus(self._at_place(index, bound), share))
        if node == Expr("entropy", (self.variable,)):
            return negative(add(Expr("log", (self.own,)), ONE))
        if node.op == "entropy":
            share, scale = self._share(node.args[0])
            return negative(times(scale, share, add(Expr("log", (share,)), node)))
        if node.op == "**" and node.args == (Expr("norm", (self.variable, "")), TWO):
            return times(TWO, self.own)
        if node.op == "norm" and node.args == (self.variable, ""):
            return Expr("/", (self.own, node))
        if node.op == "*" and len(node.args) == 2 and node.args[0].op == "T":
            ends = [node.args[0].args[0], node.args[1]]
            if any(one.op != "family" for one in ends):
                raise StatementError(f"{node} has no derivative here")
            others = [ends[1 - k] for k in (0, 1) if ends[k] == self.variable]
            return add(*(Expr("entry", (other.args[0], self.place)) for other in others), ZERO)
        return None

    def _share(self, vector: Expr | str) -> tuple[Expr, Expr]:
        """The entry of softmax(c*s) at the place, and c."""
        if isinstance(vector, str) or vector.op != "softmax":
            raise StatementError(f"{vector} has no derivative here")
        if not _multiple(vector.args[0], self.variable):
            raise StatementError(f"{vector} is no softmax of a multiple of {self.variable}")
        return Expr("entry", (vector, self.place)), vector.args[0].swapped(self.variable, ONE)


def _depends(node: Expr, variable: Expr) -> bool:
    own = variable.args[0]
    return any(one == variable or (one.op == "entry" and one.args[0] == own) for one in node.walk())


def _multiple(vector: Expr, variable: Expr) -> bool:
    """Whether a vector is a number times a sequence of which that number is not made."""
    if vector.op not in ("*", "/"):
        return vector == variable
    vectors = [arg for arg in vector if shape(arg) != "number" or _depends(arg, variable)]
    return len(vectors) == 1 and _multiple(vectors[0], variable)


def _mark(index: str) -> str:
    """The name of [index = k]."""
    return f"[{index}]#"


def _summed(node: Expr, place: Expr) -> Expr:
    """Sums over all entries of what is linear in [j = k], without it."""
    node = node.mapped(lambda arg: _summed(arg, place))
    if node.op != "sum" or (mark := _mark(node.args[1])) not in node.names():
        return node
    body, index, first, last = node.args
    rest = Expr("sum", (body.put({mark: ZERO}), index, first, last))
    return _tidy(add(derivative(body, mark).put({index: place}), rest))


def _tidy(node: Expr) -> Expr:
    """An expression without terms that are 0."""
    node = node.mapped(_tidy)
    if node.op == "+":
        kept = tuple(arg for arg in node if arg != ZERO)
        return node if len(kept) == len(node.args) else add(*kept) if len(kept) > 1 else (*kept, ZERO)[0]
    return ZERO if (node.op == "*" and ZERO in node.args) or (node.op == "sum" and node.args[0] == ZERO) else node


def _by_ratio(node: Expr, totals: set[Expr], known: Hypotheses) -> Expr:
    """softmax(s)[i] as exp(s_i)/sum_j exp(s_j) where the sum stands beside it, but below sums and logarithms."""
    if node.op in (*BINDERS, "log") or not totals:
        return node
    if node.op == "entry" and not isinstance(node.args[0], str) and node.args[0].op == "softmax":
        scores, index = node.args[0].args[0], node.args[1]
        variables = [one for one in scores.walk() if one.op == "family"]
        if len(variables) == 1 and _multiple(scores, variables[0]):
            for total in totals:
                body, bound, first, last = total.args
                weight = scores.swapped(variables[0], Expr("entry", (variables[0].args[0], name(bound))))
                same = first == ONE and last == size(known, variables[0])
                if same and bound not in scores.names() and body == Expr("exp", (weight,)):
                    return Expr("/", (body.put({bound: index}), total))
    return node.mapped(lambda arg: _by_ratio(arg, totals, known))
