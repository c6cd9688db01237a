"""Expressions of a statement as data: immutable trees that both sides interpret in their own words."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import count, pairwise
from operator import is_
from typing import Any

#: Moments: the number of arguments each takes, and its degree as a multiple of its argument's.
MOMENTS = {"E": 1, "Var": 1, "Cov": 2, "Corr": 2, "Skew": 1, "Kurt": 1, "P": 1}
#: Functions of one number, of several numbers, and of a vector.
ELEMENTARY = ("sqrt", "exp", "log", "cos", "sin", "erf", "abs", "gamma")
SEVERAL = ("min", "max")
OF_VECTORS = ("softmax", "entropy")
OF_MATRICES = ("inv", "eig")
NORMS = ("2", "fro", "nuclear")
#: Norms by the entries, which the transpose may change: largest column sum, row sum and entry, and the sum of all.
ENTRY_NORMS = ("1", "oo", "max", "sum")
#: Nodes over an index from a first value to a last: their arguments are body, index, first and last.
SUMS = ("sum", "prod", "stack", "columns")
#: Properties of a function of one name on an interval: body, name, low, high.
PREDICATES = ("increasing", "decreasing", "peaks", "positive")
#: Numbers of a function of one name on a half-line: body, name and where it begins; of a limit it begins anywhere.
HALF_LINE = ("maxima", "minima", "limit")
RELATIONS = ("=", "<=", "<", ">=", ">", "->", "~")
#: The signs of left - right with which each relation holds.
HOLDS = {"=": {0}, "<=": {-1, 0}, "<": {-1}, ">=": {0, 1}, ">": {1}, "!=": {-1, 1}}
#: Nodes over an index: their arguments are body, index, and the index's ends or the sequence that it runs through.
RANGES = (*SUMS, "every", "each")
#: Nodes whose second argument is a name of their own, bound in the first: body, index, then expressions outside of it.
BINDERS = (*RANGES, "series", "integral", "diff", *PREDICATES, *HALF_LINE)
#: Nodes that are true or false.
TRUTHS = ("relation", "and", "every", "given", "exists", *PREDICATES)
#: What is taken of an expression for every value of indices.
OF_EACH = ("hull", "largest", "smallest", "onto")
#: At cases a power series is a polynomial of this degree.
DEGREE = 4


class StatementError(ValueError):
    """A statement that cannot be read: what stands where, and the mend; ``caret`` shows the place in the text."""

    def __init__(self, message: str, text: str = "", at: int = -1) -> None:
        super().__init__(message)
        self.text, self.at = text, at

    @property
    def caret(self) -> str:
        """The text with a caret under the place; "" where there is none."""
        if not self.text or self.at < 0:
            return ""
        first = max(0, self.at - 60)
        shown = self.text[first : first + 100].replace("\n", " ")
        return f"  {shown}\n  {' ' * (self.at - first)}^"


@dataclass(frozen=True)
class Expr:
    """A node: its operation, its arguments, and the column where it stands in the text (no part of its value).

    ``number`` (a Fraction), ``name``, ``matrix``, ``vector`` (names), ``token`` (its position), ``family`` (the vector
    of all entries of a defined or given sequence), ``entry`` (sequence, position), ``T`` (transpose), ``+``, ``*``,
    ``/``, ``**``, ``tr``, ``norm``, ``entrynorm``, ``sum`` and ``prod`` (body, index, first, last), ``diff`` (body,
    name, where), ``mean`` (of the tokens), ``relation``, ``and`` (a chain of relations), ``normal`` (mean, variance: a
    random number of its own), ``chance`` ("within" | "above" | "below", mean, variance, ends: its probability of an
    interval),
    ``pi``, a moment of MOMENTS, or a function. ``series`` (body, index, first) is a sum to infinity, ``integral``
    (body, index, low, high) an integral, ``stack`` and ``columns`` (as ``sum``) are the vector with these entries and
    the matrix with these columns, ``column`` (matrix, place) and ``element`` (matrix, row, column) parts of a matrix,
    ``grad`` (number, variable) a gradient, ``at`` (body, variable, value) a body with a variable's value.
    ``member`` is a vector of a family (name, first indices, indices), ``every`` a relation and ``each`` an expression
    for every value of an index, ``given`` one of these under conditions on indices, ``exists`` (unknowns, conditions)
    and ``least`` (function, unknowns, conditions) hold ``unknown`` (name, kind). ``entire`` (name, number) is a power
    series g(u), whose coefficients g[0], g[1], ... are the names g0, g1, ... HALF_LINE are numbers of a function on
    a half-line that goes to infinity.
    """

    op: str
    args: tuple[Any, ...] = ()
    at: int = field(default=-1, compare=False)

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        # a tree is asked for it at every lookup
        return hash((self.op, self.args))

    def __getstate__(self) -> dict[str, Any]:
        """The node itself: hashes of texts differ from process to process."""
        return {"op": self.op, "args": self.args, "at": self.at}

    def __iter__(self) -> Iterator[Expr]:
        """The arguments that are expressions."""
        return iter(self._below)

    @cached_property
    def _below(self) -> tuple[Expr, ...]:
        return tuple(arg for arg in self.args if isinstance(arg, Expr))

    def walk(self) -> Iterator[Expr]:
        """This node and all below it."""
        return iter(self._nodes)

    @cached_property
    def _nodes(self) -> tuple[Expr, ...]:
        found, left = [], [self]
        while left:
            node = left.pop()
            found.append(node)
            left.extend(reversed(node._below))
        return tuple(found)

    def has(self, *ops: str) -> bool:
        """Whether one of these operations occurs."""
        return not self._ops.isdisjoint(ops)

    @cached_property
    def _ops(self) -> frozenset[str]:
        return frozenset({self.op}).union(*(arg._ops for arg in self))

    @cached_property
    def random(self) -> bool:
        """Whether a token, or a random number, occurs outside every moment, so that the value differs."""
        if self.op in MOMENTS:
            return False
        return self.op in ("token", "mean", "normal") or any(arg.random for arg in self)

    def names(self) -> frozenset[str]:
        """The names that occur free: parameters and positions, not the indices of sums."""
        return self._names

    @cached_property
    def _names(self) -> frozenset[str]:
        if self.op == "name":
            return frozenset(self.args)
        if self.op == "entire":
            used: frozenset[str] = self.args[1].names()
            return used.union(coefficients(self.args[0]))
        if self.op in BINDERS:
            body, index, *ends = self.args
            inner: frozenset[str] = body.names() - {index}
            return inner.union(*(end.names() for end in ends))
        return frozenset().union(*(arg.names() for arg in self))

    def put(self, table: dict[str, Expr]) -> Expr:
        """The expression with names replaced; a bound index is a node's own, and renamed where it would capture one."""
        if self._names.isdisjoint(table):
            return self
        if self.op == "name":
            return table.get(self.args[0], self)
        if self.op in BINDERS:
            body, index, *ends = self.args
            inner = {name: value for name, value in table.items() if name != index and name in body.names()}
            brought = {name for value in inner.values() for name in value.names()}
            if index in brought:
                taken = brought | body.names()
                new = next(label for k in count(1) if (label := f"{index}{k}") not in taken)
                inner[index], index = Expr("name", (new,)), new
            return Expr(self.op, (body.put(inner), index, *(end.put(table) for end in ends)), self.at)
        return self.mapped(lambda arg: arg.put(table))

    def mapped(self, change: Callable[[Expr], Expr]) -> Expr:
        """The node with every argument that is an expression changed; the node itself where none is another then."""
        args = tuple(change(a) if isinstance(a, Expr) else a for a in self.args)
        # what was worked out of a node is kept with it
        return self if all(map(is_, args, self.args)) else Expr(self.op, args, self.at)

    def swapped(self, old: Expr, new: Expr) -> Expr:
        """The expression with another one in the place of one of its parts, wherever it stands."""
        return new if self == old else self.mapped(lambda arg: arg.swapped(old, new))

    def plain(self) -> list[Any]:
        """The tree as nested lists of text, as the other side reads it: ["+", ["number", "1/2"], ["name", "i"]]."""
        if self.op == "entire":
            return polynomial(self).plain()
        return [self.op, *(arg.plain() if isinstance(arg, Expr) else str(arg) for arg in self.args)]

    def __str__(self) -> str:
        return written(self)


def coefficients(head: str) -> tuple[str, ...]:
    """The names of a power series' coefficients, as far as cases give them."""
    return tuple(f"{head}{k}" for k in range(DEGREE + 1))


def fresh(stem: str, taken: Container[str]) -> Iterator[str]:
    """Names that are not taken yet, for what a proof speaks of beside a statement."""
    return (label for k in count() if (label := f"{stem}{k}") not in taken)


def polynomial(node: Expr) -> Expr:
    """An expression as it is at cases: every power series in it as the polynomial g0 + g1 u + g2 u^2 + ..."""
    node = node.mapped(polynomial) if node.has("entire") else node
    if node.op != "entire":
        return node
    head, inner = node.args
    powers = [Expr("**", (inner, number(k))) if k > 1 else inner for k in range(1, DEGREE + 1)]
    constant, *others = map(name, coefficients(head))
    return Expr("+", (constant, *(Expr("*", pair) for pair in zip(others, powers, strict=True))), node.at)


def number(value: Fraction | int) -> Expr:
    """A rational number."""
    return Expr("number", (Fraction(value),))


def name(text: str) -> Expr:
    """A name."""
    return Expr("name", (text,))


def minus(one: Expr, two: Expr) -> Expr:
    """one - two."""
    return Expr("+", (one, negative(two)))


def negative(one: Expr) -> Expr:
    """-one."""
    return Expr("*", (number(-1), one))


def written(node: Expr, outer: int = 0) -> str:
    """The expression as text that reads back to an equal one."""
    text, binding = _text(node)
    return f"({text})" if binding < outer else text


def _text(node: Expr) -> tuple[str, int]:
    op, args = node.op, node.args
    if op == "number":
        value = args[0]
        return str(value), 4 if value.denominator == 1 and value >= 0 else 0
    if op in ("name", "matrix", "vector", "family", "unknown"):
        return str(args[0]), 4
    if op == "member":
        return f"{args[0]}[{', '.join(map(written, args[2:]))}]", 4
    if op == "every" and args[0].op == "given":
        body, *rest = args[0].args
        return f"every({', '.join(_argument(one) for one in (body, *args[1:], *rest))})", 4
    if op in ("exists", "least"):
        return f"{op}({', '.join(_argument(one) for one in args)})", 4
    if op in ("token", "entry"):
        head = "x" if op == "token" else args[0] if isinstance(args[0], str) else written(args[0], 4)
        return f"{head}[{args[-1]}]", 4
    if op == "element":
        return f"{written(args[0], 4)}[{args[1]}, {args[2]}]", 4
    if op == "T":
        return f"{written(args[0], 4)}.T", 4
    if op == "+":
        return _sum_text(args), 1
    if op == "*":
        first, *rest = args
        if first.op == "number" and first.args[0] < 0 and first.args[0].denominator == 1 and rest:
            size = [] if first == number(-1) else [str(-first.args[0])]
            return "-" + "*".join([*size, *(written(one, 3 if size or k else 2) for k, one in enumerate(rest))]), 1
        return "*".join(written(one, 3 if k else 2) for k, one in enumerate(args)), 2
    if op == "/":
        return f"{written(args[0], 2)}/{written(args[1], 3)}", 2
    if op == "**":
        return f"{written(args[0], 4)}**{written(args[1], 4)}", 3
    if op in MOMENTS:
        return f"{op}[{', '.join(map(written, args))}]", 4
    if op == "relation":
        return f"{written(args[1], 1)} {args[0]} {written(args[2], 1)}", 0
    if op == "mean":
        return "mean(x)", 4
    if op == "each":
        return ", ".join(_each_text(node)), 0
    if op == "pi":
        return "pi", 4
    if op == "and":
        return _chain_text(args), 0
    if op == "chance":
        return f"P[{_event_text(*args)}]", 4
    if op == "diff":
        body, index, at = args
        place = "" if at == name(index) else f", {written(at)}"
        return f"diff({written(body)}, {index}{place})", 4
    if op == "series":
        return f"sum({written(args[0])}, {args[1]}, {written(args[2])}, oo)", 4
    if op in HALF_LINE:
        body, index, *low = args
        return f"{op}({', '.join((written(body), index, *map(written, low), 'oo'))})", 4
    if op == "entire":
        return f"{args[0]}({written(args[1])})", 4
    if op in ("norm", "entrynorm"):
        inner = written(args[0])
        return (f"norm({inner}, {args[1]})" if args[1] else f"norm({inner})"), 4
    return f"{op}({', '.join(written(arg) if isinstance(arg, Expr) else str(arg) for arg in args)})", 4


def _argument(one: Any) -> str:
    return written(one) if isinstance(one, Expr) else str(one)


def _sum_text(args: tuple[Any, ...]) -> str:
    pieces: list[str] = []
    for arg in args:
        text = written(arg, 1)
        pieces.append(f"- {text[1:]}" if text.startswith("-") and pieces else f"+ {text}" if pieces else text)
    return " ".join(pieces)


def chained(relations: tuple[Any, ...]) -> bool:
    """Whether relations are those of a chain a <= b <= c."""
    return all(one.op == two.op == "relation" and one.args[2] == two.args[1] for one, two in pairwise(relations))


def _chain_text(relations: tuple[Any, ...]) -> str:
    if not chained(relations):
        return " and ".join(map(written, relations))
    first = written(relations[0].args[1], 1)
    return first + "".join(f" {one.args[0]} {written(one.args[2], 1)}" for one in relations)


def _event_text(kind: str, mean: Expr, variance: Expr, *ends: Expr) -> str:
    number = f"normal({written(mean)}, {written(variance)})"
    low, high = (written(ends[0], 1), written(ends[-1], 1))
    return {"within": f"{low} <= {number} <= {high}", "above": f"{number} >= {low}", "below": f"{number} <= {high}"}[
        kind
    ]


def _each_text(node: Expr) -> list[str]:
    """An expression with its indices and conditions as they are written: s[j] - s[i], i, 1, n, j, 1, n, i < j."""
    indices = list[str]()
    while node.op == "each":
        node, index, *ends = node.args
        indices += [index, *map(written, ends)]
    body, *conditions = node.args if node.op == "given" else (node,)
    return [written(body), *indices, *map(written, conditions)]
