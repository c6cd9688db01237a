"""Inequalities between expectations that hold for what is averaged, whatever the tokens are.

From f >= g follows E f >= E g where both exist, and Var f <= (b - a)**2/4 where a <= f <= b (Popoviciu). Tokens are
Gaussian, so that what grows no faster than exponentials of linear forms has a mean.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from theorems.statement.expression import MOMENTS, Expr, StatementError, minus, name, negative, number
from theorems.statement.moments.having import visibly_nonnegative
from theorems.statement.moments.turned import LIGHT
from theorems.statement.proofs.comparing import parts_of, unclipped
from theorems.statement.proofs.exceeding import BOUNDED
from theorems.statement.proofs.prover import STEPS, Prover
from theorems.statement.proofs.steps import Step, Steps
from theorems.statement.proposition import Proposition
from theorems.statement.reading.laws import Law
from theorems.statement.reading.ranges import Range
from theorems.statement.reading.shapes import shape
from theorems.statement.work import Work

ZERO, ONE = number(0), number(1)
MONOTONE = "an expectation is monotone"
POPOVICIU = "Popoviciu's inequality"
#: What has a mean of Gaussian tokens where its arguments grow no faster than powers.
TAME = frozenset(
    ("+", "*", "/", "number", "name", "pi", "abs", "max", "min", "clip", "norm", "erf", "cos", "sin", "indicator")
)
#: The same of what is made of vectors, sequences and matrices.
VECTORS = frozenset(("vector", "family", "matrix", "T", "tr", "entrynorm", "softmax", "entry", "entropy"))
#: What has a value of any tokens, and but for exp and entire a mean where its arguments have moments of every order.
SURE = (TAME | VECTORS) - {"entry"} | {
    "token",
    "mean",
    "**",
    "sum",
    "stack",
    "columns",
    "column",
    "relation",
    "and",
    "exp",
    "entire",
}

Reading = Callable[[Proposition, Expr], tuple[Expr, Prover, set[str]]]


def by_points(prop: Proposition) -> Steps | None:
    """The steps to an inequality between combinations of expectations, or of a variance and a number."""
    if not (prop.law.gaussian and prop.way):
        return None
    high, low = (prop.right, prop.left) if prop.way > 0 else (prop.left, prop.right)
    if low.op == "Var" and not high.has(*MOMENTS) and not prop.relation.strip("<>"):
        return None
    try:
        if low.op == "Var" and not high.has(*MOMENTS):
            return _popoviciu(prop, low, high)
        inside = _averaged(minus(high, low))
        if inside is None or not inside.random:
            return None
        shown = _certain(prop, inside, prop.relation in ("<", ">"))
    except (StatementError, ValueError, KeyError):
        return None
    return None if shown is None else [Step(MONOTONE, f"{inside} >= 0 whatever the tokens are"), *shown]


def _popoviciu(prop: Proposition, variance: Expr, most: Expr) -> Steps | None:
    """Var f <= c where -sqrt(c) <= f <= sqrt(c), or 0 <= f <= 2 sqrt(c)."""
    (inner,) = variance.args
    for least, rise in ((-1, 1), (0, 2)):
        root = Expr("sqrt", (most,))
        ends = [Expr("*", (number(scale), root)) for scale in (least, rise)]
        above, below = _certain(prop, minus(ends[1], inner)), _certain(prop, minus(inner, ends[0]))
        if above is not None and below is not None:
            return [Step(POPOVICIU, f"{ends[0]} <= {inner} <= {ends[1]}", "Popoviciu"), *above, *below]
    return None


def _averaged(gap: Expr) -> Expr | None:
    """f where a number is E f, its expectations having factors that do not vary; None for another one."""
    found: list[Expr] = []
    for weight, part in parts_of(gap, Fraction(1)):
        factors = part.args if part.op == "*" else (part,)
        means = [one for one in factors if one.op == "E"]
        others = [one for one in factors if one.op != "E"]
        if (
            len(means) > 1
            or any(one.has(*MOMENTS) for one in others)
            or any(shape(*one.args) != "number" for one in means)
        ):
            return None
        found.append(Expr("*", (number(weight), *others, *(one.args[0] for one in means))))
    return Expr("+", tuple(found))


def averages_exist(prop: Proposition) -> bool:
    """Whether what is averaged is shown to have a value whatever the tokens are, and a mean."""
    moments = [one for side in (prop.left, prop.right) for one in side.walk() if one.op in MOMENTS]
    averages = [arg for one in moments if one.op != "P" for arg in one]
    if averages and prop.law.kind == "iid-student":
        # which of its moments exist is known of those with closed forms alone
        return False
    events = [part for one in moments if one.op == "P" for part in one.walk() if part.op == "relation"]
    inner = [one for one in averages if any(_may_fail(part, prop.law) for part in one.walk())]
    inner += [side for one in events for side in one if any(map(_may_have_none, side.walk()))]
    if inner and not (prop.law.gaussian or prop.law.exchangeable or prop.law.kind in LIGHT):
        return False
    return all(any(_shown(prop, one, read) is not None for read in (_readable, _of_vectors)) for one in inner)


def _shown(prop: Proposition, node: Expr, read: Reading) -> Steps | None:
    """Steps to a random number having a value, if it has a mean, where it can be read."""
    try:
        return _defined(*read(prop, node))
    except (StatementError, ValueError, KeyError):
        return None


def _may_fail(node: Expr, law: Law) -> bool:
    """Whether a number may have no value, or no mean, though what it is made of has both."""
    if node.random and node.op == "entire":
        # one may grow faster than a Gaussian density falls
        return law.kind not in BOUNDED and not law.lengths
    return _may_have_none(node) or (node.random and node.op == "exp")


def _may_have_none(node: Expr) -> bool:
    """Whether a random number may have no value, though what it is made of has one."""
    if not node.random:
        return False
    if node.op == "sqrt":
        return not visibly_nonnegative(node.args[0])
    if node.op == "entropy":
        return bool(node.args[0].op != "softmax")
    if node.op == "/":
        return bool(node.args[1].random)
    return node.op not in SURE or not _whole(node)


def _certain(prop: Proposition, node: Expr, strict: bool = False) -> Steps | None:
    """Steps to a random number being >= 0, or > 0, for all tokens, if it has a mean.

    Its forms in tokens are taken for any numbers, and where that shows nothing its tokens for any vectors.
    """
    for read in (_readable, _of_vectors):
        try:
            plain, prover, forms = read(prop, node)
        except StatementError:
            continue
        defined = _defined(plain, prover, forms)
        shown = None if defined is None else prover.at_least(plain, ZERO, strict)
        if defined is not None and shown is not None:
            return [*defined, *shown]
    return None


def _of_vectors(prop: Proposition, node: Expr) -> tuple[Expr, Prover, set[str]]:
    """A number with vectors for its tokens and a sequence for what is stacked, and what proves relations of it."""
    vectors: dict[Expr, str] = {}
    sequences: dict[Expr, str] = {}

    def fixed(one: Expr) -> Expr:
        if one.op in ("token", "mean") and one.random:
            return Expr("vector", (vectors.setdefault(one, f"x{len(vectors)}#"),))
        if one.op == "stack" and one.random and _polynomial(one.args[0]):
            return Expr("family", (sequences.setdefault(one, f"s{len(sequences)}#"),))
        return one.mapped(fixed)

    plain = unclipped(fixed(node))
    if plain.random or not all(map(_slow, plain.walk())):
        raise StatementError(f"{node} is not seen to have a mean")
    known = replace(
        prop.known,
        vectors=(*prop.known.vectors, *vectors.values()),
        sequences={**prop.known.sequences, **{label: (str(one.args[3]), None) for one, label in sequences.items()}},
    )
    prover = Prover(replace(prop, left=plain, right=ZERO, known=known, relation=">="), Work(STEPS))
    return plain, prover, set()


def _slow(node: Expr) -> bool:
    """Whether a function of vectors grows no faster than powers where its arguments do not."""
    inside = node.args[1] if node.op == "/" else node
    if not any(part.op in ("vector", "family") and part.args[0].endswith("#") for part in inside.walk()):
        return True
    return _whole(node) if node.op == "**" else node.op in TAME | VECTORS


def _defined(plain: Expr, prover: Prover, forms: set[str]) -> Steps | None:
    """Steps to a number having a value whatever its forms are, if it has a mean."""
    return prover.defined(plain) if _has_mean(plain, prover, forms) else None


def _readable(prop: Proposition, node: Expr) -> tuple[Expr, Prover, set[str]]:
    """A number with names for its forms in tokens, what proves relations of it, and the names."""
    forms: dict[Expr, str] = {}

    def fixed(one: Expr) -> Expr:
        if not one.random:
            return one
        vectors = [one] if one.op == "norm" else [arg for arg in one.args if one.op == "*" and shape(arg) != "number"]
        if not all(map(_polynomial, vectors)):
            raise StatementError(f"{one} is no polynomial in the tokens")
        if one.op == "norm":
            return name(forms.setdefault(one, f"norm{len(forms)}#"))
        if vectors:
            form = Expr("*", tuple(vectors))
            parts = [part.op for part in form.walk()]
            kind = "linear" if parts.count("token") + parts.count("mean") == 1 and "**" not in parts else "form"
            numbers = [fixed(arg) for arg in one.args if arg not in vectors]
            return Expr("*", (*numbers, name(forms.setdefault(form, f"{kind}{len(forms)}#"))))
        return one.mapped(fixed)

    plain = unclipped(fixed(node))
    if plain.random:
        raise StatementError(f"{node} is no function of forms in tokens")
    ranges = {label: Range(Fraction(0) if one.op == "norm" else None) for one, label in forms.items()}
    known = replace(prop.known, ranges={**prop.known.ranges, **ranges})
    prover = Prover(replace(prop, left=plain, right=ZERO, known=known, relation=">="), Work(STEPS))
    return plain, prover, set(ranges)


def _polynomial(node: Expr) -> bool:
    """Whether a vector, or a norm, is a polynomial in tokens and norms of such."""
    if not node.random or node.op in ("token", "mean"):
        return True
    if node.op == "/" and node.args[1].random:
        return False
    return _whole(node) and node.op in ("+", "*", "/", "**", "T", "sum", "norm") and all(map(_polynomial, node))


def _whole(node: Expr) -> bool:
    """Whether a node is no power, or one with an exponent 0, 1, 2, ..."""
    power = node.args[1] if node.op == "**" else ONE
    return power.op == "number" and power.args[0].denominator == 1 and bool(power.args[0] >= 0)


def _has_mean(node: Expr, prover: Prover, forms: set[str]) -> bool:
    """Whether a function of forms in Gaussian tokens is seen to have a mean."""
    if not node.names() & forms:
        return True
    if node.op == "log":
        # log(t) <= t where t >= 1
        least = prover.at_least(node.args[0], ONE, False)
        return least is not None and _has_mean(node.args[0], prover, forms)
    if node.op == "/" and node.args[1].names() & forms:
        above, below = node.args
        if _has_mean(above, prover, forms) and prover.at_least(below, ONE, False) is not None:
            return True
        return all(prover.at_least(*ends, False) is not None for ends in ((ONE, node), (node, negative(ONE))))
    if node.op == "exp":
        return all(_linear(part, forms) for _, part in parts_of(node.args[0], Fraction(1)))
    if node.op == "**":
        power = node.args[1]
        whole = power.op == "number" and power.args[0] >= 0
        return whole and _has_mean(node.args[0], prover, forms)
    return node.op in TAME and all(_has_mean(arg, prover, forms) for arg in node)


def _linear(part: Expr, forms: set[str]) -> bool:
    """Whether a term is a linear form, times what does not vary."""
    factors = part.args if part.op == "*" else (part,)
    varying = [one for one in factors if one.names() & forms]
    return len(varying) <= 1 and all(one.op == "name" and one.args[0].startswith("linear") for one in varying)
