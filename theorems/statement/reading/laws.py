"""Laws of the tokens as data: walks, independent tokens, AR(1), and any Gaussian process with covariance K(s, t) Sigma.

A kernel is an expression in two positions s < t; ``min``, ``max`` and ``abs(s - t)`` are read in that order.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from theorems.statement.expression import Expr, StatementError, minus, name, number
from theorems.statement.reading.language import parsed
from theorems.statement.reading.syntax import counted, nearest, split_top

_LAW = re.compile(r"^\s*([A-Za-z][A-Za-z0-9_]*)\s*(?:\((.*)\))?\s*$", re.DOTALL)
EXPECTED = (
    "walk, walk(start=0), walk(start=m), iid, iid(student(nu)), frame, frame(sphere), frame(isotropic), ar1(a), "
    "gaussian(EXPRESSION in s, t), exchangeable"
)
#: Laws of independent tokens that are not Gaussian, with the number of their arguments.
INDEPENDENT = {"signs": 0, "sphere": 0, "student": 1, "mixture": 2, "isotropic": 0}
#: Of isotropic tokens, at a case: their lengths over sqrt(d), one of two with probability 1/2 each.
LENGTHS = ("length1", "length2")


@dataclass(frozen=True)
class Law:
    """How the tokens are made: with Cov(x_s, x_t) = K(s, t) Sigma and mean m or 0, or ``exchangeable``.

    They are Gaussian but for ``arguments``, ``exchangeable``, and ``frame``, ``frame-sphere`` and ``frame-isotropic``,
    orthogonal tokens.

    Independent tokens of another law (``kind`` iid-signs, iid-sphere, iid-student, iid-mixture, iid-isotropic) have its
    arguments; isotropic tokens are of any law of lengths, and at cases of one with ``LENGTHS``.
    ``below`` is K(s, t) for s < t and ``diagonal`` K(s, s), expressions in the names s and t; ``moved`` says that every
    token has the mean m. ``kind`` and ``parameter`` say how a simulation makes the tokens, without the kernel.
    """

    kind: str
    parameter: Expr | None
    below: Expr
    diagonal: Expr
    moved: bool = False
    text: str = "walk"
    arguments: tuple[Expr, ...] = ()

    @property
    def gaussian(self) -> bool:
        """Whether the tokens are jointly Gaussian."""
        return not (self.kind.startswith("iid-") or self.exchangeable or self.framed)

    @property
    def framed(self) -> bool:
        """Whether the tokens are Sigma^(1/2) times orthogonal vectors: uncorrelated, but not independent."""
        return self.kind.startswith("frame")

    @property
    def lengths(self) -> set[str]:
        """The names that cases give a law of lengths by."""
        return set(LENGTHS) if self.kind.endswith("-isotropic") else set()

    @property
    def exchangeable(self) -> bool:
        """Whether any exchangeable law is meant: of these there are many, and none whose moments are derived."""
        return self.kind == "exchangeable"

    @property
    def continuous(self) -> bool:
        """Whether the formula for s < t is that of s = t too, so that neighbours in an order may coincide."""
        return self.kind.startswith("walk")

    def names(self) -> set[str]:
        """The parameters of the law."""
        own = {name for node in self.arguments for name in node.names()}
        return own | ((self.below.names() | self.diagonal.names()) - {"s", "t"})

    def plain(self) -> list[Any]:
        """The law as the other side reads it: ["walk"], ["ar1", ["name", "a"]]."""
        given = self.arguments if self.parameter is None else (self.parameter,)
        return [self.kind, *(node.plain() for node in given)]


_s, _t = name("s"), name("t")


def read_law(text: str) -> Law:
    """The law that a text names; StatementError where it names none."""
    match = _LAW.match(text or "walk")
    head, inside = (match[1], match[2]) if match else ("", None)
    given = (inside or "").replace(" ", "")
    words = " ".join((text or "walk").split())
    if head == "walk":
        if given in ("", "start=Sigma", "start=drawn"):
            return Law("walk", None, _s, _s, text=words)
        before = minus(_s, number(1))
        if given in ("start=0", "start=zero"):
            return Law("walk-zero", None, before, before, text=words)
        if given == "start=m":
            return Law("walk-mean", None, before, before, moved=True, text=words)
        told = f"walk({given}) is no law; expected walk, walk(start=0) or walk(start=m)"
        raise StatementError(told, text, text.find("(") + 1)
    if head == "iid" and not given:
        return Law("iid", None, number(0), number(1), text=words)
    if head == "iid" or (match is None and words.startswith("iid ")):
        return _independent(text, words)
    if head == "frame":
        if given not in ("", "sphere", "isotropic"):
            told = f"frame({given}) is no law; expected frame, frame(sphere) or frame(isotropic)"
            raise StatementError(told, text, text.find("(") + 1)
        kind = f"frame-{given}" if given else "frame"
        return Law(kind, None, number(0), number(1), text=words, arguments=_lengths(given))
    if head == "exchangeable":
        if given:
            raise StatementError(
                f"exchangeable({given}) is no law; expected exchangeable, with the names of moments by --where, e.g. "
                "B = E[x[i]*x[i].T] - E[x[i]*x[j].T]",
                text,
                text.find("(") + 1,
            )
        return Law("exchangeable", None, number(0), number(1), text=words)
    if head in ("ar1", "gaussian"):
        if not given:
            raise StatementError(
                f"{head} has no argument; expected {'ar1(a)' if head == 'ar1' else 'gaussian(min(s, t))'}", text, 0
            )
        tree = _inside(text, inside or "")
        if head == "ar1":
            if names := sorted(tree.names() & {"s", "t"}):
                raise StatementError(
                    f"{names[0]} in a law is a position, and none here; write another letter, e.g. ar1(a)",
                    text,
                    tree.at,
                )
            return Law("ar1", tree, Expr("**", (tree, minus(_t, _s))), number(1), text=words)
        return _gaussian(tree, text, words)
    near = nearest(head, ("walk", "iid", "frame", "ar1", "gaussian", "exchangeable"))
    raise StatementError(
        f"the law {words[:40]!r} is unknown{near}; expected {EXPECTED}",
        text,
        0,
    )


def _independent(text: str, words: str) -> Law:
    """iid(student(5)), or iid student(5)."""
    start = text.find("iid") + 3
    rest = text[start:].rstrip()
    first = len(rest) - len(rest.lstrip())
    if rest[first:].startswith("(") and rest.endswith(")"):
        rest, start = rest[first + 1 : -1], start + first + 1
    match = _LAW.match(rest)
    head = match[1] if match else ""
    if match is None or head not in INDEPENDENT:
        raise StatementError(
            f"{words[:40]!r} is no law{nearest(head, tuple(INDEPENDENT))}; expected iid for N(0, Sigma), iid(signs), "
            "iid(sphere), iid(student(nu)), iid(mixture(p, c)) or iid(isotropic)",
            text,
            start + len(rest) - len(rest.lstrip()),
        )
    parts = [(part, column) for part, column in split_top(match[2] or "", ",") if part.strip()]
    if len(parts) != INDEPENDENT[head]:
        expected = {"student": "student(nu)", "mixture": "mixture(p, c)"}.get(head, head)
        raise StatementError(f"{head} has {counted(len(parts), 'argument')}; expected {expected}", text, start)
    arguments = tuple(_inside(text, part, start + match.start(2) + column) for part, column in parts)
    return Law(f"iid-{head}", None, number(0), number(1), text=words, arguments=arguments or _lengths(head))


def _lengths(head: str) -> tuple[Expr, ...]:
    return tuple(map(name, LENGTHS)) if head == "isotropic" else ()


def _inside(text: str, inside: str, column: int | None = None) -> Expr:
    column = text.find("(") + 1 if column is None else column
    tree = parsed(inside, whole=text, column=column)
    if tree.random or tree.has("E", "Var", "Cov", "P", "matrix", "tr", "norm"):
        raise StatementError(f"{tree} in a law; expected numbers and parameters", text, column)
    return tree


def _gaussian(tree: Expr, text: str, words: str) -> Law:
    names = tree.names()
    if not {"s", "t"} & names:
        raise StatementError(
            f"the covariance {tree} names neither s nor t; expected e.g. gaussian(min(s, t))", text, max(tree.at, 0)
        )
    below = _ordered(tree)
    swapped = _ordered(tree.put({"s": _t, "t": _s}))
    if below != swapped and not _same(below, swapped):
        told = f"{tree} is not symmetric in s and t; expected K(s, t) = K(t, s), e.g. abs(s - t)"
        raise StatementError(told, text, text.find("(") + 1)
    return Law("gaussian", tree, below, _ordered(tree.put({"t": _s})), text=words)


def _same(one: Expr, two: Expr) -> bool:
    """Whether two kernels are equal as rational expressions."""
    from theorems.algebra.expressions import ExpressionError, parse, same

    try:
        return same(parse(str(one)), parse(str(two)))
    except ExpressionError:
        return False


def _ordered(node: Expr) -> Expr:
    """The expression for s < t: min, max and abs of s and t without themselves."""
    inner = node.mapped(_ordered)
    if inner.op in ("min", "max") and set(inner.args) == {_s, _t}:
        return _s if inner.op == "min" else _t
    if inner.op in ("min", "max") and len(set(inner.args)) == 1:
        return next(iter(inner))
    if inner.op == "abs":
        gap = _gap(inner.args[0])
        if gap:
            return minus(_t, _s)
        if gap == 0:
            return number(0)
    return inner


def _gap(node: Expr) -> int | None:
    """1 for s - t or t - s, 0 for s - s, None for anything else."""
    if node in (minus(_s, _t), minus(_t, _s)):
        return 1
    return 0 if node in (minus(_s, _s), minus(_t, _t)) else None
