"""By how much orthogonal tokens keep E of a product of power series below that of independent ones.

Let h(w) = sum b_s w^s converge everywhere with all b_s >= 0, and x_1, ..., x_n be tokens of a frame with Sigma = I,
whose lengths have any law. With M = E h(z^T x_1) and m = E (z^T x_1)^2 = |z|^2 E |x_1|^2/d,

    E prod h(z^T x_k) <= M^n - n (n - 1)/(d + 2) b_0^(n-2) (b_2 m)^2.

Of independent tokens it is M^n, the sum over s_1, ..., s_n of prod b_(s_k) E (z^T x_k)^(s_k). Turned to a uniform
direction, each term of orthogonal tokens is that times tau = prod (d)_(t_k)/(d)_(sum t_k), t_k = s_k/2, with
(a)_t = a (a + 2) ... (a + 2t - 2), and 0 for both where an s_k is odd. tau = 1 where one t_k is positive at most, and
tau <= d/(d + 2) where two are; no term grows, and the n (n - 1)/2 with two s_k = 2 and else 0 lose 2/(d + 2) of theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from theorems.statement.expression import Expr, minus, name, number
from theorems.statement.reading.hypotheses import Hypotheses
from theorems.statement.reading.laws import Law
from theorems.statement.reading.shapes import shape

ZERO, ONE, TWO = number(0), number(1), number(2)
TRUSTED = "terms with two even powers >= 2 are at most d/(d + 2) times as large, and none is larger"
RULE = "orthogonal tokens: E of a product of power series with coefficients >= 0 lies below the product of E"
#: b_0, b_1 and b_2.
Coefficients = tuple[Expr, Expr, Expr]


def losses(
    body: Expr, index: str, weight: Expr, copies: Expr, law: Law, known: Hypotheses, nonnegative: Callable[[Expr], bool]
) -> Iterator[Expr]:
    """What E exp(weight sum f(x_k)) of so many tokens lies below (E exp(weight f(x_1)))^copies by, f the body.

    With f = f_0 + f_1 w + f_2 w^2 + ... it is h = exp(s f), b_0 = exp(s f_0) and b_2 = b_0 (s f_2 + s^2 f_1^2/2). First
    comes less, without f_2 and the factor exp(n s f_0), then all but f_2, then all; none where h is no such series.
    """
    body = paired(body)
    direction = _direction(body, index)
    if not (law.framed and known.identity and direction is not None and nonnegative(weight)):
        return
    found = _series(body, direction, nonnegative)
    if found is None:
        return
    d, weight = name("d"), tidy(weight)
    spread: tuple[Expr, ...] = (_power(Expr("norm", (direction[1], "")), 4),)
    if law.lengths:
        length = Expr("norm", (Expr("token", (ONE,)), ""))
        spread = (*spread, Expr("/", (_power(Expr("E", (_power(length, 2),)), 2), _power(d, 2))))
    pairs = (copies, minus(copies, ONE))
    below = Expr("+", (d, TWO))
    head = Expr("exp", (_product(copies, weight, found[0]),))
    first = (_power(weight, 4), _power(found[1], 4), *spread)
    whole = _sum(_product(weight, found[2]), Expr("/", (_product(_power(weight, 2), _power(found[1], 2)), TWO)))
    quarter = Expr("/", (_product(*pairs), Expr("*", (number(4), below))))
    yield _product(quarter, *first)
    yield _product(quarter, head, *first)
    yield _product(Expr("/", (_product(*pairs), below)), head, _power(whole, 2), *spread)


def tidy(node: Expr) -> Expr:
    """An expression without factors 1."""
    node = node.mapped(tidy)
    return _product(*node.args) if node.op == "*" else node


def _power(base: Expr, exponent: int) -> Expr:
    return ONE if base == ONE else Expr("**", (base, number(exponent)))


def paired(node: Expr) -> Expr:
    """An expression whose products hold forms x^T z, or z^T x, as one factor each."""
    node = node.mapped(paired)
    if node.op != "*" or len(node.args) < 3:
        return node
    factors: list[Expr] = []
    for arg in node.args:
        before = factors[-1] if factors else ONE
        pair = before.op == "T" and "token" in (before.args[0].op, arg.op)
        factors[len(factors) - pair :] = [Expr("*", (before, arg)) if pair else arg]
    return factors[0] if len(factors) == 1 else Expr("*", tuple(factors))


def _direction(body: Expr, index: str) -> tuple[str, Expr] | None:
    """The index and the vector z of forms z^T x_index, where these are all that is random."""
    found = {form[1] for node in body.walk() if (form := _form(node, index)) is not None}
    tokens = sum(node.op == "token" for node in body.walk())
    forms = sum(_form(node, index) is not None for node in body.walk())
    return (index, found.pop()) if len(found) == 1 and tokens == forms and not body.has("mean") else None


def _form(node: Expr, index: str) -> tuple[str, Expr] | None:
    """z of a product x_index^T z, or z^T x_index."""
    token = Expr("token", (name(index),))
    if node.op != "*" or len(node.args) != 2:
        return None
    one, two = node.args
    if one == Expr("T", (token,)) and shape(two) == "vector" and not two.random:
        return index, two
    if two == token and one.op == "T" and shape(one.args[0]) == "vector" and not one.random:
        return index, one.args[0]
    return None


def _series(node: Expr, direction: tuple[str, Expr], nonnegative: Callable[[Expr], bool]) -> Coefficients | None:
    """The first coefficients of a power series in w = z^T x with coefficients >= 0; None for another number."""
    op, args = node.op, node.args
    if not node.random:
        return (node, ZERO, ZERO) if nonnegative(node) else None
    if _form(node, direction[0]) == direction:
        return ZERO, ONE, ZERO
    if op == "/" and not args[1].random:
        return _series(Expr("*", (Expr("/", (ONE, args[1])), args[0])), direction, nonnegative)
    if op not in ("+", "*", "exp", "entire"):
        return None
    parts = [_series(arg, direction, nonnegative) for arg in node]
    if any(part is None for part in parts):
        return None
    (a0, a1, a2), *others = (part for part in parts if part is not None)
    if op in ("+", "*"):
        for b0, b1, b2 in others:
            if op == "+":
                a0, a1, a2 = (_sum(*pair) for pair in ((a0, b0), (a1, b1), (a2, b2)))
            else:
                crossed = _sum(_product(a0, b2), _product(a1, b1), _product(a2, b0))
                a0, a1, a2 = _product(a0, b0), _sum(_product(a0, b1), _product(a1, b0)), crossed
        return a0, a1, a2
    square = _product(a1, a1)
    if op == "exp":
        head = ONE if a0 == ZERO else Expr("exp", (a0,))
        half = ZERO if square == ZERO else Expr("/", (square, TWO))
        return head, _product(head, a1), _product(head, _sum(a2, half))
    if a0 != ZERO:
        # its values beside 0 are not known by its coefficients there
        return None
    g0, g1, g2 = (name(f"{args[0]}{k}") for k in range(3))
    return g0, _product(g1, a1), _sum(_product(g1, a2), _product(g2, square))


def _sum(*parts: Expr) -> Expr:
    left = [part for part in parts if part != ZERO]
    return ZERO if not left else left[0] if len(left) == 1 else Expr("+", tuple(left))


def _product(*parts: Expr) -> Expr:
    if ZERO in parts:
        return ZERO
    flat = (one for part in parts for one in (part.args if part.op == "*" else (part,)))
    left = [part for part in flat if part != ONE]
    return ONE if not left else left[0] if len(left) == 1 else Expr("*", tuple(left))
