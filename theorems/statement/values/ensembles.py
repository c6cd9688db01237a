"""Expectations under a finite exchangeable law, exactly: one of some sets of tokens, its tokens in random order.

Every order of a set's tokens is equally likely. Tokens that stand at positions take distinct ones of the set; the
others matter to sums and means of all tokens alone, in which their order does not show. For a sum over some of them,
or with weights, and for all else over an index, every order is looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from typing import Any

from theorems.statement.expression import RANGES, Expr, StatementError, name, number

Tokens = Sequence[Sequence[Fraction]]
#: Most tokens of which all orders are looked at.
MOST = 6


@dataclass(frozen=True, eq=False)
class Ordered:
    """What a case gives, with the tokens of one set in one order."""

    case: Any
    tokens: Tokens
    order: tuple[Sequence[Fraction], ...]

    def __getattr__(self, label: str) -> Any:
        return getattr(self.case, label)

    def chosen(self, places: Sequence[Expr] | None, value: Callable[[Expr], Any]) -> tuple[int, ...]:
        """The set and the tokens at some places, by where they are in memory; all tokens in order for None."""
        found = self.order if places is None else [self.order[int(value(place)) - 1] for place in places]
        return id(self.tokens), *map(id, found)


def asked(node: Expr) -> tuple[Expr, ...] | None:
    """The positions of the tokens that a value depends on beside their set; None where the order of all may matter."""
    summed = any(part.op in RANGES and part.random and not _whole(part) for part in node.walk())
    return None if summed else tuple(dict.fromkeys(_named(node, frozenset())))


def base(case: Any) -> Any:
    """The case without an order of its tokens."""
    return case.case if isinstance(case, Ordered) else case


def orders(node: Expr, case: Any, value: Callable[[Expr], Any]) -> Iterator[Ordered]:
    """The case with every arrangement of tokens that the value of a random expression may depend on."""
    sets: Sequence[Tokens] = getattr(case, "ensemble", ())
    if not sets:
        raise StatementError(f"{node} is random, and the case has no tokens", at=node.at)
    count = len(sets[0])
    named = asked(node)
    summed, places = named is None, sorted({_place(place, value, count) for place in named or ()})
    if summed and count > MOST:
        raise StatementError(f"a sum over {count} tokens in every order; expected at most {MOST}", at=node.at)
    for tokens in sets:
        for chosen in permutations(range(count), count if summed else len(places)):
            if summed:
                yield Ordered(case, tokens, tuple(tokens[k] for k in chosen))
                continue
            rest = iter(k for k in range(count) if k not in chosen)
            at = dict(zip(places, chosen, strict=True))
            yield Ordered(case, tokens, tuple(tokens[at[p] if p in at else next(rest)] for p in range(1, count + 1)))


def _whole(node: Expr) -> bool:
    """Whether a sum is over all tokens alike, whose order then does not show: its index stands for a token alone."""
    body, index = node.args[0], name(node.args[1])
    places = [part == index for part in body.walk()].count(True)
    tokens = [part == Expr("token", (index,)) for part in body.walk()].count(True)
    return node.op == "sum" and node.args[2:] == (number(1), name("T")) and places == tokens


def _named(node: Expr, own: frozenset[str]) -> Iterator[Expr]:
    """The positions of tokens, without the indices of the sums around."""
    if node.op == "token" and not node.args[0].names() & own:
        yield node.args[0]
    inner = own | {node.args[1]} if node.op == "sum" else own
    for k, arg in enumerate(node.args):
        if isinstance(arg, Expr):
            yield from _named(arg, inner if k == 0 else own)


def _place(node: Expr, value: Callable[[Expr], Any], count: int) -> int:
    found = value(node)
    if not isinstance(found, Fraction) or found.denominator != 1 or not 1 <= found <= count:
        raise IndexError(f"there is no token {found} of {count}")
    return int(found)


def token(case: Any, place: Any) -> tuple[Fraction, ...]:
    """x_place; StatementError outside of every moment."""
    order = getattr(case, "order", ())
    if not order:
        raise StatementError("a token outside of every moment; take E[...]")
    if not isinstance(place, Fraction) or place.denominator != 1 or not 1 <= place <= len(order):
        raise IndexError(f"there is no token {place} of {len(order)}")
    return tuple(order[int(place) - 1])


def mean(case: Any) -> tuple[Fraction, ...]:
    """The mean of all tokens."""
    order = getattr(case, "order", ())
    if not order:
        raise StatementError("the mean of tokens outside of every moment; take E[...]")
    return tuple(sum(column, Fraction(0)) / len(order) for column in zip(*order, strict=True))
