"""Trusted rules about softmax attention over a symbolic number of keys: inequalities between finite sums.

Scores are s[0], ..., s[n], values v[0], ..., v[n]; key 0 is the sink, and n (``keys``) the number of the others. The
weights are p_j = exp(s_j)/sum_k exp(s_k), and out = sum_j p_j v_j. ``norm`` is the Euclidean norm, ``inner`` the inner
product. Where only the keys j > 0 with v_j != 0 are meant, they stand first, as j = 1, ..., m. Every inequality's data
begins with (left, right, hypotheses): left <= right wherever the hypotheses hold.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import sympy as sp

from theorems.algebra.expressions import symbol
from theorems.algebra.sizes import cut
from theorems.claims.conditions import read, satisfiable
from theorems.gaussian.process import Step
from theorems.rules import licensed_by, rule
from theorems.rules.norm import MEANING
from theorems.rules.softmax_sums import INDEX, Atoms, counted, equal_sums, flat, m, n

Hypotheses = tuple[str, ...]

SINK_MARGIN = "kappa <= sink_margin"
NO_SINK_VALUE = "sink_norm == 0"
NO_OUTPUT = "out_norm == 0"
SMALL_OUTPUT = "out_norm <= eps"
TWO_KEYS = "keys == 1"
APART = "rho_V > 0"
MEANING[APART] = "0 is not in the convex hull of the values v_j != 0 of the keys j != 0"

s, v, share = sp.IndexedBase("s"), sp.IndexedBase("v"), sp.IndexedBase("w")
j, k, u = (symbol(name) for name in ("j", "k", "u"))
norm, inner = sp.Function("norm"), sp.Function("inner")
radius, kappa, rho = symbol("value_radius"), symbol("kappa"), symbol("rho_V")
#: Names of norms, weights and counts, which are never negative.
SIZES = frozenset({"value_radius", "rho_V", "out_norm", "value_norm", "deviation", "outside", "keys", "m"})

_VECTORS = (v, u)
#: What an exponent must not hold.
_NO_NUMBERS = (sp.I, *_VECTORS)

#: Every inequality rule of this module, by name; ``in-turn`` among them puts the others together.
SOFTMAX_RULES: set[str] = set()


def _softmax_rule(name: str) -> Callable[[Callable[..., bool]], Callable[..., bool]]:
    SOFTMAX_RULES.add(name)
    return rule(name)


def weight(index: sp.Expr | int) -> sp.Expr:
    """p_index of the softmax over the keys 0, ..., n."""
    return sp.exp(s[index]) / sp.Sum(sp.exp(s[k]), (k, 0, n))


def beside(body: sp.Expr, last: sp.Expr = n) -> sp.Expr:
    """The sum of a term in j over j = 1, ..., last."""
    return sp.Sum(body, (j, 1, last))


def output() -> sp.Expr:
    """out, the attention output over the keys 0, ..., n."""
    return sp.Sum(weight(j) * v[j], (j, 0, n))


def smooth(function: sp.Expr, variable: sp.Expr) -> bool:
    """Whether a function is made of numbers, names, exponentials, sums, products and powers, so that its slope tells.

    The slope of what has jumps, a case distinction say, is silent about these.
    """
    varying = [node for node in sp.preorder_traversal(function) if node.args and node.has(variable)]
    return all(node.is_Add or node.is_Mul or node.is_Pow or isinstance(node, sp.exp) for node in varying)


def unbroken(function: sp.Expr, variable: sp.Expr, sizes: Collection[str] = (), strict: Collection[str] = ()) -> bool:
    """Whether a function has no pole and no jump: what varies below a line or under a root is visibly positive."""
    return all(positive(inner, sizes, strict) for inner in cut(function) if inner.has(variable))


def not_negative(node: sp.Expr, sizes: Collection[str] = SIZES) -> bool:
    """Whether an expression is visibly >= 0: sums, products and powers of exponentials, norms and named sizes."""
    if node.is_number:
        return bool(node.is_nonnegative)
    if node.is_Symbol:
        return node.name in sizes
    if isinstance(node, sp.exp):
        return _real_exponent(node)
    if isinstance(node, norm):
        return True
    if isinstance(node, sp.Sum):
        return counted(node) and not_negative(node.args[0], sizes)
    if node.is_Pow:
        return not_negative(node.base, sizes) if node.exp.is_positive else positive(node, sizes)
    return (node.is_Add or node.is_Mul) and all(not_negative(part, sizes) for part in node.args)


def _real_exponent(node: sp.exp) -> bool:
    """Whether an exponential's exponent is visibly real: a logarithm or a root of what is negative is not."""
    made = all(isinstance(part, sp.exp) for part in node.atoms(sp.Function))
    return made and not node.has(*_NO_NUMBERS) and all(power.exp.is_Integer for power in node.atoms(sp.Pow))


def positive(node: sp.Expr, sizes: Collection[str] = (), strict: Collection[str] = ()) -> bool:
    """Whether an expression is visibly > 0, for ``sizes`` >= 0 and ``strict`` > 0; a sum has a term, as n >= 1."""
    if node.is_number:
        return bool(node.is_positive)
    if node.is_Symbol:
        return node.name in strict
    if isinstance(node, sp.exp):
        return _real_exponent(node)
    if isinstance(node, sp.Sum):
        _, low, high = node.args[1]
        return counted(node) and (low == 0 or high == n) and positive(node.args[0], sizes, strict)
    if node.is_Pow:
        return bool(node.exp.is_Rational) and positive(node.base, sizes, strict)
    if node.is_Mul:
        return all(positive(part, sizes, strict) for part in node.args)
    if node.is_Add:
        some = any(positive(part, sizes, strict) for part in node.args)
        return some and all(not_negative(part, {*sizes, *strict}) for part in node.args)
    return False


def _licensed(step: Step, hypotheses: Hypotheses) -> bool:
    """Whether a premise is an inequality of this module that holds under the hypotheses of the whole."""
    return consistent(hypotheses) and licensed_by(step, SOFTMAX_RULES) and set(step.data[2]) <= set(hypotheses)


def consistent(hypotheses: Hypotheses) -> bool:
    """Whether the hypotheses are met together somewhere, sizes being >= 0: from a contradiction anything follows."""
    told = {part.name for hypothesis in hypotheses for part in read(hypothesis)[0].free_symbols}
    return satisfiable((*hypotheses, *(f"{name} >= 0" for name in sorted(told & SIZES))))


# -- attention


@_softmax_rule("attention-output")
def attention_output(left: sp.Expr, right: sp.Expr, hypotheses: Hypotheses, quantity: str) -> bool:
    """deviation = |out - v_0| and out_norm = |out|, as norms of sums over the keys beside the sink; an equality.

    The sum must equal out - v_0 (or out) by the definition of out, for every n. Under v_0 = 0 it may run over the keys
    with v_j != 0 alone. Trusted: the other terms are 0.
    """
    (side,) = {left, right} - {symbol(quantity)}
    if not isinstance(side, norm):
        return False
    (found,) = side.args
    if quantity == "deviation":
        return equal_sums(found, output() - v[0])
    return quantity == "out_norm" and NO_SINK_VALUE in hypotheses and equal_sums(found, beside(weight(j) * v[j], m))


@_softmax_rule("triangle")
def triangle(left: sp.Expr, right: sp.Expr, hypotheses: Hypotheses, factor: sp.Expr, vector: sp.Expr) -> bool:
    """|sum_j w_j x_j| <= sum_j w_j |x_j| for weights w_j >= 0. Trusted: the triangle inequality."""
    sides = left == norm(beside(factor * vector)) and right == beside(factor * norm(vector))
    return bool(sides and not_negative(factor, ()))


#: What a term is at most, and the hypothesis that says so: by the definition of the largest distance of a value from
#: v_0, of the margin, and of the nearest point u to 0 of the hull of the values v_j != 0, with |u| = rho_V.
TERMS: dict[str, tuple[sp.Expr, sp.Expr, Hypotheses]] = {
    "radius": (norm(v[j] - v[0]), radius, ()),
    "margin": (sp.exp(s[j] - s[0]), sp.exp(-kappa), (SINK_MARGIN,)),
    "separation": (rho**2, inner(u, v[j]), ()),
}


@_softmax_rule("termwise")
def termwise(left: sp.Expr, right: sp.Expr, hypotheses: Hypotheses, kind: str, factor: sp.Expr, last: sp.Expr) -> bool:
    """sum_j w_j a_j <= sum_j w_j b_j for w_j >= 0 and a_j <= b_j: |v_j - v_0| <= radius, exp(s_j - s_0) <= exp(-kappa).

    And rho_V^2 <= <u, v_j> for the nearest point u to 0 in the hull of the values v_j != 0, |u| = rho_V.

    Trusted: the definitions of radius and margin; the projection on a closed convex set; exp increases.
    """
    small, large, needed = TERMS[kind]
    if not set(needed) <= set(hypotheses) or not not_negative(factor, ()):
        return False
    if last != (m if kind == "separation" else n):
        return False
    return equal_sums(left, beside(factor * small, last)) and equal_sums(right, beside(factor * large, last))


@_softmax_rule("sum-identity")
def sum_identity(left: sp.Expr, right: sp.Expr, hypotheses: Hypotheses) -> bool:
    """An identity between finite sums of a symbolic number of terms, by normal form."""
    return equal_sums(left, right)


@_softmax_rule("increasing")
def increasing(
    left: sp.Expr, right: sp.Expr, hypotheses: Hypotheses, function: sp.Expr, variable: str, premise: Step
) -> bool:
    """f(a) <= f(b) for 0 <= a <= b, f increasing on x >= 0: its slope is visibly not negative there, and f unbroken.

    Trusted: the mean value theorem.
    """
    x = symbol(variable)
    low, high = premise.data[:2]
    if not _licensed(premise, hypotheses) or not (not_negative(low) and not_negative(high)) or variable in SIZES:
        return False
    slope = sp.factor(sp.together(sp.diff(function, x)))
    sizes = {*SIZES, variable}
    if not smooth(function, x) or not unbroken(function, x, sizes) or not not_negative(slope, sizes):
        return False
    return equal_sums(left, function.xreplace({x: low})) and equal_sums(right, function.xreplace({x: high}))


@_softmax_rule("in-turn")
def in_turn(left: sp.Expr, right: sp.Expr, hypotheses: Hypotheses, parts: tuple[Step, ...]) -> bool:
    """left <= ... <= right: every step is licensed under these hypotheses and begins where the one before ends."""
    now = left
    for step in parts:
        below, above, *_ = step.data
        if not _licensed(step, hypotheses) or not equal_sums(below, now):
            return False
        now = above
    return bool(parts) and equal_sums(now, right)


@_softmax_rule("attained")
def attained(
    left: sp.Expr,
    right: sp.Expr,
    hypotheses: Hypotheses,
    bound: Step,
    sink: tuple[sp.Expr, sp.Expr],
    other: tuple[sp.Expr, sp.Expr],
) -> bool:
    """deviation <= bound, with equality for every n and kappa: at one (score, value) of the sink, one of all others.

    There s_0 - s_j = kappa for every j, and |v_j - v_0| = radius > 0 for values on a line; out is then the mean of the
    sink's value and n times the other one, with these weights. The configuration meets
    kappa <= min_j (s_0 - s_j), so that no other hypothesis may stand. Trusted: the definitions of deviation and radius.
    """
    if hypotheses != (SINK_MARGIN,):
        return False
    if not _licensed(bound, hypotheses) or (left, right) != bound.data[:2] or left != symbol("deviation"):
        return False
    gap, size = sp.expand(sink[0] - other[0]), sp.Abs(other[1] - sink[1])
    if gap != kappa or not size.is_positive:
        return False
    one, others = sp.exp(sink[0]), n * sp.exp(other[0])
    out = (one * sink[1] + others * other[1]) / (one + others)
    return equal_sums((out - sink[1]) * sp.sign(other[1] - sink[1]), right.xreplace({radius: size}))


# -- two keys


@_softmax_rule("two-key-output")
def two_key_output(left: sp.Expr, right: sp.Expr, hypotheses: Hypotheses) -> bool:
    """value_norm/(1 + exp(-g)) = out_norm for n = 1 and v_0 = 0, g = s_1 - s_0 the score gap: an equality.

    Checked: out = p_1 v_1 by the definition of out. Trusted: |p x| = p |x| for the weight p >= 0.
    """
    if not {TWO_KEYS, NO_SINK_VALUE} <= set(hypotheses) or right != symbol("out_norm"):
        return False
    gap, size = symbol("score_gap"), symbol("value_norm")
    table = {s[1]: s[0] + gap, v[0]: sp.Integer(0)}
    out = output().xreplace({n: sp.Integer(1)}).doit().xreplace(table)
    return equal_sums(out * size, left * v[1])


@_softmax_rule("assumed")
def assumed(left: sp.Expr, right: sp.Expr, hypotheses: Hypotheses, hypothesis: str) -> bool:
    """left <= right where that very inequality is among the hypotheses, which do not contradict one another."""
    gap, allowed = read(hypothesis)
    given = hypothesis in hypotheses and consistent(hypotheses)
    return given and allowed in ((-1, 0), (-1,)) and sp.expand(gap - left + right) == 0


def _strict(hypotheses: Hypotheses) -> tuple[set[str], list[sp.Expr]]:
    """The names that the hypotheses make positive, and every difference that they do."""
    gaps = [gap if allowed == (1,) else -gap for gap, allowed in map(read, hypotheses) if allowed in ((1,), (-1,))]
    found = {gap.name for gap in gaps if gap.is_Symbol}
    for gap in gaps:
        # a - b > 0 with b > 0
        added = [part.name for part in sp.Add.make_args(gap) if part.is_Symbol]
        rest = [-part for part in sp.Add.make_args(gap) if not part.is_Symbol]
        if len(added) == 1 and all(positive(part, (), found) for part in rest):
            found.update(added)
    return found, gaps


def _positive_argument(argument: sp.Expr, names: Collection[str], gaps: list[sp.Expr]) -> bool:
    """Whether an expression is a product of powers of positive names and of differences that are positive."""
    sign = 1
    for factor in sp.Mul.make_args(sp.factor(sp.together(argument))):
        base, power = factor.as_base_exp()
        if not power.is_Integer:
            return False
        if any(sp.expand(base + gap) == 0 for gap in gaps) or base == -1:
            sign *= -1 if power % 2 else 1
        elif not positive(base, (), names) and not any(sp.expand(base - gap) == 0 for gap in gaps):
            return False
    return sign == 1


def _reaches(premise: Any) -> bool:
    """Whether no assumption that a premise uses is a strict inequality, so that equality is not excluded."""
    if premise.rule == "assumed":
        return 0 in read(premise.data[3])[1]
    inner = [part for item in premise.data for part in (item if isinstance(item, tuple) else (item,))]
    return all(_reaches(part) for part in inner if isinstance(part, Step))


@_softmax_rule("solved")
def solved(left: sp.Expr, right: sp.Expr, hypotheses: Hypotheses, function: sp.Expr, premise: Step) -> bool:
    """x <= y from f(x) <= e and f(y) = e for f strictly increasing on the whole line; ``attains`` says where x = y is.

    ``left`` is the name x, the premise says f(x) <= e; every logarithm and root in y must have a positive argument, and
    no hypothesis may tell of x, or exclude f(x) = e. Trusted: the mean value theorem.
    """
    if not left.is_Symbol or not _licensed(premise, hypotheses) or right.has(left):
        return False
    if any(read(hypothesis)[0].has(left) for hypothesis in hypotheses) or not _reaches(premise):
        return False
    names, gaps = _strict(hypotheses)
    roots = [node.base for node in right.atoms(sp.Pow) if not node.exp.is_Integer]
    if not all(_positive_argument(base, names, gaps) for base in roots):
        return False
    level = premise.data[1]
    if not equal_sums(premise.data[0], function):
        return False
    arguments = [argument for node in right.atoms(sp.log) for argument in node.args]
    if not all(_positive_argument(argument, names, gaps) for argument in arguments):
        return False
    if right.atoms(sp.Function) - right.atoms(sp.log):
        return False
    slope = sp.factor(sp.together(sp.diff(function, left)))
    rising = smooth(function, left) and unbroken(function, left, (), names) and positive(slope, (), names)
    return rising and equal_sums(function.xreplace({left: right}), level)


#: Rules whose two sides are equal.
EQUALITIES = frozenset({"attention-output", "sum-identity", "two-key-output", "put-to-zero"})
#: What the scores decide, beside their gap.
_SCORED = ("score_gap", "sink_margin", "out_norm", "deviation", "outside")


def attains(step: Step) -> bool:
    """Whether the inequality that a step concludes is an equality somewhere under its hypotheses.

    Of x <= y by ``solved`` it is for the score gap x, which is any number, where f(x) is what one hypothesis says is
    <= e, and no other tells of what scores decide.
    """
    if step.rule != "solved":
        return step.rule == "attained"
    left, _, hypotheses, _, premise = step.data
    *equal, last = premise.data[3] if premise.rule == "in-turn" else (premise,)
    if left != symbol("score_gap") or last.rule != "assumed" or any(part.rule not in EQUALITIES for part in equal):
        return False
    others = (read(hypothesis)[0] for hypothesis in hypotheses if hypothesis != last.data[3])
    return not any(gap.has(*map(symbol, _SCORED)) for gap in others)


# -- an output that is 0


@_softmax_rule("hull-distance")
def hull_distance(left: sp.Expr, right: sp.Expr, hypotheses: Hypotheses, factor: sp.Expr) -> bool:
    """outside rho_V <= |sum_j p_j v_j| over the keys with v_j != 0, whose weights p_j >= 0 sum to outside.

    Trusted: (sum_j p_j v_j)/outside is a point of the hull where outside > 0, and rho_V the least norm of one.
    """
    named = left == symbol("outside") * rho and right == norm(beside(factor * v[j], m))
    return bool(named) and equal_sums(factor, weight(j))


@_softmax_rule("outside-weight")
def outside_weight(left: sp.Expr, right: sp.Expr, hypotheses: Hypotheses, size: sp.Expr) -> bool:
    """c outside = sum_j p_j c over the keys with v_j != 0. Trusted: the definition of ``outside``."""
    return left == size * symbol("outside") and not size.has(j) and equal_sums(right, beside(weight(j) * size, m))


@_softmax_rule("cauchy-schwarz-sum")
def cauchy_schwarz_sum(left: sp.Expr, right: sp.Expr, hypotheses: Hypotheses, factor: sp.Expr) -> bool:
    """sum_j w_j <u, v_j> = <u, sum_j w_j v_j> <= rho_V |sum_j w_j v_j| for |u| = rho_V.

    Trusted: Cauchy-Schwarz, and that the nearest point u of the hull has the norm rho_V.
    """
    if factor.has(*_VECTORS) or not equal_sums(left, beside(factor * inner(u, v[j]), m)):
        return False
    return bool(right == rho * norm(beside(factor * v[j], m)))


@_softmax_rule("scaled")
def scaled(left: sp.Expr, right: sp.Expr, hypotheses: Hypotheses, factor: sp.Expr, premise: Step) -> bool:
    """c a <= c b for a <= b and c >= 0, or a/c <= b/c for c > 0 among the hypotheses."""
    if not _licensed(premise, hypotheses):
        return False
    names, _ = _strict(hypotheses)
    if not (not_negative(factor) if factor.is_Symbol else positive(factor, SIZES, names)):
        return False
    below, above = (sp.powsimp(factor * side) for side in premise.data[:2])
    return bool(left == below and right == above)


@_softmax_rule("put-to-zero")
def put_to_zero(left: sp.Expr, right: sp.Expr, hypotheses: Hypotheses, name: str) -> bool:
    """An expression with 0 for a name that the hypotheses say is 0: an equality."""
    given = f"{name} == 0" in hypotheses and consistent(hypotheses)
    return given and sp.expand(left.xreplace({symbol(name): 0}) - right) == 0


@rule("hull-needed")
def hull_needed(hypothesis: str, scores: tuple[sp.Expr, sp.Expr], value: sp.Expr) -> bool:
    """Without the hypothesis rho_V > 0 some context has out = 0 with a weight > 0 on values other than 0.

    Where 0 = sum_j w_j v_j with w_j > 0 and sum_j w_j = 1 over some of the values, the context of these keys has
    v_0 = 0 and the given scores of the sink and of the others; ``value`` is the weight beside the sink there.
    Trusted: a hull of values other than 0 that holds 0 has such weights, its other values left out.
    """
    sink, other = scores
    attended = beside(sp.exp(other) * v[j])
    total = sp.exp(sink) + beside(sp.exp(other))
    out, found = (_known(node) for node in (attended / total, beside(sp.exp(other)) / total))
    inside = value.is_positive and (1 - value).is_positive
    return bool(hypothesis == APART and out == 0 and found == value and inside)


def _known(node: sp.Expr) -> sp.Expr:
    """The expression with sum_j w_j = 1 and sum_j w_j v_j = 0."""
    atoms: Atoms = {}
    told = flat(node, atoms)
    sums = {(share[INDEX], n): sp.Integer(1), (share[INDEX] * v[INDEX], n): sp.Integer(0)}
    return sp.cancel(told.xreplace({unknown: sums[what] for what, unknown in atoms.items() if what in sums}))
