"""Near misses and further true steps of the rules of theorems/lampert2026/rules/optimum.py."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import sympy as sp

from tests.mutation.steps import changed, made, step
from theorems.algebra.expressions import symbol
from theorems.gaussian.process import Step
from theorems.lampert2026.comparison import diagonal_bound, sink_solution, structural_bound
from theorems.lampert2026.patterns.symmetric import COORDINATES, blocks, products
from theorems.lampert2026.rules.optimum import CHEAPER, MEANING, NO_SOLUTION, C, delta2, lam, n, r_eff

ZERO, ONE = sp.Integer(0), sp.Integer(1)
R = sp.Rational


SINK = sink_solution()
STRUCTURAL, FACTORS = structural_bound(), structural_bound(factors=True)
PINCHED, ADDED = diagonal_bound(), diagonal_bound(factors=True)
PAIRS = PINCHED.data[1][1]
TRACE, NUISANCES = PAIRS.data[1:]
#: The norm of the copy query's row on its own group and itself.
ROW = sp.sqrt(1 + lam**2)
#: A licensed step whose first part is a trace, and no bound.
CONE = step("energy-cone", symbol("t1"), symbol("t2"))

_ORBITS = {"gb": "f: g > b", "gf": "f: g > f", "gF": "f: g > F", "gG": "f: g > G"}
_ORBITS |= {"fb": "f: f > b", "fF": "f: f > F", "fG": "f: f > G"}


def _dual(bound: sp.Expr, rule: str = "symmetric-dual", pattern: str = "diag", **weights: sp.Expr) -> Step:
    """Multipliers by winner and loser among the copy queries' constraints."""
    return step(rule, pattern, bound, tuple((_ORBITS[name], weight) for name, weight in weights.items()))


def primal(entries: Mapping[str, Any], factor: sp.Expr = ONE) -> Step:
    """A sink solution by its coordinates, its norms computed; times a factor."""
    table = {name: sp.sympify(value) for name, value in entries.items()}
    two, three = blocks(table, C)
    product = products(three, C)
    root = _positive(two[0][0] * two[1][1] - two[0][1] * two[1][0])
    size = sp.sqrt(sp.expand(sum(entry**2 for row in two for entry in row) + 2 * root))
    mean_root = sp.sqrt(sp.expand(product[0][0] * product[1][1] - product[0][1] ** 2))
    mean = sp.sqrt(sp.expand(product[0][0] + product[1][1]) + 2 * mean_root)
    cost = 2 * (C - 1) * size + 2 * mean
    scaled = tuple((name, factor * value) for name, value in table.items())
    apart, means = (factor * size, factor**2 * root), (factor * mean, factor**2 * mean_root)
    return step("symmetric-primal", "sink", factor * cost, scaled, apart, means)


def _positive(value: sp.Expr) -> sp.Expr:
    found = sp.expand(value)
    return -found if found.could_extract_minus_sign() else found


def _scaled(factor: sp.Expr) -> Step:
    """A sink solution of least margin 1, times a factor that must be 1 at least."""
    return primal(PLAIN, factor)


PLAIN = {"eb": 1 / lam, "ef": -1, "fb": 1, "fe": 2 / lam}
TURNED = {"eb": 1 / lam, "ee": -1, "fb": 1, "fe": 2 / lam, "ff": -1}
FULL = {"eb": 2 / lam, "ee": -2, "eE": -1, "ef": -1, "fb": 1, "fe": 2 / lam, "ff": -1}
WHOLE = dict.fromkeys(COORDINATES[:-2], 0) | FULL


def near() -> Iterator[tuple[str, Step]]:
    """Why it is false, and the step."""
    yield from _duals()
    yield from _primals()
    yield from _bounds()
    yield from _conclusions()


def _duals() -> Iterator[tuple[str, Step]]:
    weight = C / ROW
    # a chain over b, of norm 1 on the mean; what its rows lack between groups is put in on the groups alone
    chain = C / sp.sqrt(lam**2 + C)
    lacking = (C - 1) * (1 / lam - 1 / sp.sqrt(lam**2 + C))
    # cos and sin of a complex angle: the squares add up to 1
    unit = sp.sqrt(-C) / sp.sqrt(C)
    cos, sin = 1 - R(9, 20) * unit, R(3, 4) + R(3, 5) * unit
    on_groups, on_copies = (C - 1) * cos / lam, (C - 1) * sin
    apart, mean = (C - 1) / lam, 1 / sp.sqrt(lam**2 + C)
    for rule in ("symmetric-dual", "factor-dual"):
        for why, found in (
            ("half of the bound", _dual(C / ROW, rule, gf=weight)),
            ("twice the bound", _dual(4 * C / ROW, rule, gf=weight)),
            ("twice the weight", _dual(4 * C / ROW, rule, gf=2 * weight)),
            ("a negative weight", _dual(-2 * C / ROW, rule, gf=-weight)),
            ("no weights", _dual(2 * C / ROW, rule)),
            ("another orbit", _dual(2 * C / ROW, rule, gb=weight)),
            ("the sink pattern has no such constraint", _dual(2 * C, rule, "sink", fb=C)),
            ("no such pattern", _dual(2 * C / ROW, rule, "none", gf=weight)),
            ("two weights, one of them negative", _dual(2 * C / ROW - 2, rule, gf=weight, gF=-ONE)),
            ("a weight of unknown sign", _dual(2 * C / ROW + 2 * symbol("x"), rule, gf=weight, gF=symbol("x"))),
            ("norm above 1 between groups alone", _dual(4 * (C - 1), rule, fF=2 * (C - 1))),
            ("norm above 1 between groups alone, on the groups", _dual(4 * apart, rule, gG=2 * apart)),
            ("norm below 1 between groups alone", _dual(C - 1, rule, fF=(C - 1) / 2)),
            ("norm 1 for one group only", _dual(2 * C**2 / ROW, rule, gf=C**2 / ROW)),
            ("norm 1 for two groups only", _dual(4 / ROW * (C - 1), rule, gf=2 * (C - 1) / ROW)),
            ("norm 1 on the mean alone", _dual(2 * (C - 1) + 2 * weight, rule, gf=weight, fF=C - 1)),
            ("one constraint twice", step(rule, "diag", 4 * C / ROW, (("f: g > f", weight), ("f: g > f", weight)))),
            ("no such constraint", step(rule, "diag", 2 * C / ROW, (("f: g > f", weight), ("f: g > e", ZERO + 1)))),
            (
                "a dormant query's constraint has nuisances",
                step(rule, "diag", 2 * C / ROW + 2, (("f: g > f", weight), ("g: g > b", ONE))),
            ),
            ("dormant queries alone", step(rule, "diag", 2 * C * ROW, (("g: g > b", C * ROW),))),
            (
                "negative weights for what others undo: one more of c_c > c_c, d_ci > c_c, d_ci > b_BOS cancel",
                _dual(402 * chain + 2 * lacking, rule, gf=200 * chain, gb=-199 * chain, fb=200 * chain, gG=lacking),
            ),
            (
                "norm 1 between groups, more on the mean: 3 sqrt(2) > 2 sqrt(2) for C = 1 and lam near 1",
                _dual(6 * weight, rule, gf=weight, fb=2 * weight),
            ),
            (
                "complex weights have no order",
                _dual(2 * (on_groups + on_copies), rule, gG=on_groups, fF=on_copies),
            ),
            ("dormant queries of a pattern alone", step(rule, "sink", sp.Integer(2), (("g: b > f", ONE),))),
        ):
            yield why, found
    yield "between groups nothing is asked of the factors", _dual(2 * (C - 1), "factor-dual", fF=C - 1)
    yield "the factors' mean only", _dual(2 * C * mean + 2, "factor-dual", gf=C * mean)
    # both eigenvalues of the rows' products count, with the right sign of what two groups share
    shared = C / sp.sqrt(lam**2 + C + 1)
    for why, found in (
        ("b is shared by all groups", _dual(2 * shared, "factor-dual", fb=shared)),
        ("b is shared by all groups, by the group", _dual(2 * C, "factor-dual", gb=C / (lam + 1))),
        ("weights for one group", _dual(2 / sp.sqrt(2), "factor-dual", fb=1 / sp.sqrt(2))),
        ("one eigenvalue", _dual(2 * C / sp.sqrt(C + 1), "factor-dual", fb=C / sp.sqrt(C + 1))),
        ("the other eigenvalue", _dual(2 * C, "factor-dual", fb=C)),
        ("one eigenvalue, by the group", _dual(2 * C / sp.sqrt(C + lam**2), "factor-dual", gb=C / sp.sqrt(C + lam**2))),
        ("the other eigenvalue, by the group", _dual(2 * C / lam, "factor-dual", gb=C / lam)),
    ):
        yield why, found


def _primals() -> Iterator[tuple[str, Step]]:
    for factor in (
        *(lam, 1 / C, 2 - C, (C + lam) / 2, R(1, 2), R(99, 100), ZERO, sp.sqrt(lam), 1 / sp.sqrt(C), sp.sqrt(C) - lam),
        *(1 + symbol("x"), 2 - 1 / lam, 3 - C, 2 - sp.sqrt(C), 1 + lam - 1 / C, C - lam, 1 / lam - (C - 1), C * lam),
        *(
            1 + symbol("x") ** 3,
            2 - symbol("n"),
            1 + sp.sqrt(C) - sp.sqrt(1 + lam) - lam,
            1 + (2 - C) * (2 - C),
            1 - C * C,
        ),
        *(1 + lam - sp.sqrt(C), 1 + sp.log(lam), sp.exp(1 - C), 1 + (C - 2) * lam, 1 + (C - 1) * (lam - R(1, 2)), -ONE),
        *(
            C / (2 - lam),
            (C + 1) / 3,
            (1 + 1 / lam) / 2 * C / 2,
            2 * C / 3,
            3 / (2 * C),
            2 / (1 + C),
            2 / (3 - C),
            1 / (2 * lam),
        ),
        *(1 + symbol("k"), 1 + symbol("v"), 2 - 1 / symbol("k")),
        *(1 + 1 / (C - 2), 1 + 1 / (lam - 2), 1 + sp.sqrt(1 + lam) - sp.sqrt(3), 1 + symbol("x") - symbol("x") ** 2),
    ):
        yield f"{factor} may be below 1", _scaled(factor)
    plain = primal(PLAIN)
    _, cost, entries, apart, means = plain.data
    for why, place, value in (
        ("half of the cost", 1, cost / 2),
        ("another cost", 1, cost + 1),
        ("1-perp once more", 1, cost + 2 * apart[0]),
        ("another pattern", 0, "diag"),
        ("no such pattern", 0, "none"),
        ("an entry is missing", 2, entries[1:]),
        ("an entry is negative", 2, (("eb", -1 / lam), *entries[1:])),
        ("an entry on the nuisances, which has a norm", 2, (*entries, ("A", ONE))),
        ("an entry on the nuisances of differences", 2, (*entries, ("B", ONE))),
        ("no such entry", 2, (*entries, ("bb", ONE))),
        ("the product of the singular values is lost", 3, (apart[0], ZERO)),
        ("its sign", 3, (apart[0], -apart[1])),
        ("the norm's sign", 3, (-apart[0], apart[1])),
        ("the products of the means exchanged", 4, (means[0], apart[1])),
        ("the means' sign", 4, (-means[0], means[1])),
        ("both exchanged", 3, means),
    ):
        yield why, changed(plain, place, value)
    difference = 2 / lam - 1, -2 / lam
    other = 2 * (C - 1) * difference[0] + 2 * means[0]
    yield (
        "a difference of singular values 2/lam and 1",
        step("symmetric-primal", "sink", other, entries, difference, means),
    )
    # what is subtracted stands for singular values of opposite sign
    for which in (PLAIN, TURNED, FULL):
        whole = primal(which)
        _, _, _, (size, root), (mean, mean_root) = whole.data
        less, mean_less = sp.sqrt(sp.expand(size**2 - 4 * root)), sp.sqrt(sp.expand(mean**2 - 4 * mean_root))
        perp, once = 2 * (C - 1), 2
        for why, first, last in (
            ("a difference of singular values", (less, -root), (mean, mean_root)),
            ("a difference of singular values, on the means", (size, root), (mean_less, -mean_root)),
            ("a Frobenius norm", (sp.sqrt(sp.expand(size**2 - 2 * root)), ZERO), (mean, mean_root)),
            ("a Frobenius norm, on the means", (size, root), (sp.sqrt(sp.expand(mean**2 - 2 * mean_root)), ZERO)),
            ("a norm below 0", (-size, root), (mean, mean_root)),
            ("a norm below 0, on the means", (size, root), (-mean, mean_root)),
            ("another product", (sp.sqrt(sp.expand(size**2 + 2)), root + 1), (mean, mean_root)),
            ("another product, on the means", (size, root), (sp.sqrt(mean**2 + 2), mean_root + 1)),
            ("another norm", (size + 1, root), (mean, mean_root)),
            ("another norm, on the means", (size, root), (mean + 1, mean_root)),
        ):
            cost = perp * first[0] + once * last[0]
            yield why, step("symmetric-primal", "sink", cost, whole.data[2], first, last)
    # each margin broken alone
    for name, value in (("ee", 2), ("eE", 2), ("ef", 2), ("eF", 2), ("fE", 2 / lam), ("ff", 2), ("fF", 2), ("fb", 3)):
        yield f"{name} = {value} breaks a margin", _broken(name, sp.sympify(value))


def _broken(name: str, value: sp.Expr) -> Step:
    """A step with one entry other than in a solution, and the norms of the solution."""
    plain = primal(WHOLE)
    return changed(plain, 2, tuple((key, value if key == name else old) for key, old in plain.data[2]))


def _bounds() -> Iterator[tuple[str, Step]]:
    yield from made(
        "pair-average",
        ("one margin only", (ONE, TRACE, NUISANCES / 2)),
        ("twice the margin", (sp.Integer(4), TRACE, 2 * NUISANCES)),
        ("another trace", (sp.Integer(2), TRACE / 2, 2 * NUISANCES)),
        ("n numbers for n - 1", (sp.Integer(2), 2 * delta2, 2 * r_eff / delta2)),
        ("another bound", (sp.Integer(2), TRACE, 2 * NUISANCES)),
        ("no effective rank", (sp.Integer(2), TRACE, NUISANCES / r_eff)),
        (
            "the mean of the nuisances is not 0",
            (sp.Integer(2), 2 * delta2 * (n + 1) / n, 4 * r_eff * n / (2 * delta2 * (n + 1))),
        ),
    )
    for rule, whole, structural, other in (
        ("pinching", PINCHED, STRUCTURAL, FACTORS),
        ("factors-add", ADDED, FACTORS, STRUCTURAL),
    ):
        bound = whole.data[0]
        named = "factor-dual" if rule == "factors-add" else "symmetric-dual"
        routed = _dual(2 * C / ROW, named, "sink", gf=C / ROW)
        for why, total, parts in (
            ("the structural part twice", 2 * STRUCTURAL.data[1] + NUISANCES, (structural, PAIRS)),
            ("without the nuisances", structural.data[1], (structural, PAIRS)),
            ("the other kind of bound", bound, (other, PAIRS)),
            ("the parts exchanged", bound, (PAIRS, structural)),
            ("twice the nuisances", 2 * NUISANCES, (PAIRS, PAIRS)),
            ("a false structural bound", bound + 1, (changed(structural, 1, structural.data[1] + 1), PAIRS)),
            ("a false bound for the nuisances", bound + NUISANCES, (structural, changed(PAIRS, 2, 2 * NUISANCES))),
            ("another bound", bound + 1, whole.data[1]),
            ("of the sink pattern", routed.data[1] + NUISANCES, (routed, PAIRS)),
            ("a sink solution is no bound", SINK.data[1] + NUISANCES, (changed(SINK, 0, "diag"), PAIRS)),
            (
                "no bound for the nuisances",
                structural.data[1] + ZERO,
                (structural, step("derivative", ONE, ONE, "q", ZERO)),
            ),
            (
                "the bound of a cost",
                structural.data[1] + 1,
                (structural, step("derivative", ONE, symbol("q"), "p", ZERO)),
            ),
        ):
            yield why, step(rule, total, parts)
    simple = r_eff / delta2 + 2 * C
    for why, bound, part in (
        ("twice the groups", r_eff / delta2 + 4 * C, PINCHED),
        ("twice the nuisances", 2 * r_eff / delta2 + 2 * C, PINCHED),
        ("a false bound", simple, changed(PINCHED, 0, PINCHED.data[0] + 1)),
        ("a part of the bound", simple, STRUCTURAL),
        ("no bound", simple, CONE),
        ("a bound of the copy queries' rows", simple, step("least-cost", PINCHED.data[0], PINCHED.data[1], CONE, CONE)),
        *((why, simple, _pinched(structural)) for why, structural in _WEAK),
    ):
        yield why, step("weaker-bound", bound, part)


def _pinched(structural: Step) -> Step:
    return step("pinching", structural.data[1] + NUISANCES, (structural, PAIRS))


def _weak() -> Iterator[tuple[str, Step]]:
    """Structural bounds that are true, and too small for the weaker one at some number of groups."""
    size = sp.sqrt(lam**2 + 4)
    yield "nothing of the structure", _dual(ZERO)
    yield "nothing at C = 1", _dual(2 * (C - 1), fF=C - 1)
    yield "nothing at C = 1, more between groups", _dual(2 * (C - 1) / lam, gG=(C - 1) / lam)
    yield "less than 4 for a group", _dual(2 * C / ROW, gf=C / ROW)
    # the chain g over f over F without b: its mean is 0
    chain, own = 2 * (C - 1) / (lam * size), (C - 1) * lam / size
    yield "nothing at C = 1, enough between groups", _dual(2 * (C - 1) * size / lam, fG=chain, gf=chain, fF=own)
    yield "4/sqrt(1 + lam^2) at C = 1, less than 18 at C = 9 and lam near 1", _turning()


def _turning() -> Step:
    """Multipliers that turn from the best ones at C = 1 to those of d_ci over c_c, which are 2 C/ROW."""
    once, over = C / ROW, 2 * C / (ROW * (C + 1))
    rest = (C - 1) / (lam * ROW) * (sp.sqrt(lam**2 + 4 * C / (C + 1) ** 2) - lam)
    return _dual(2 * (once + over + rest), gf=once, fb=over, gG=rest)


def _turned(cosine: sp.Expr, sine: sp.Expr, bound: sp.Expr) -> Step:
    """Multipliers between groups alone, turned by an angle from the best ones.

    Their bound is 2 (C - 1) sqrt(1 + 4/lam^2) times the cosine, in whatever form.
    """
    size = sp.sqrt(lam**2 + 4)
    chain = (C - 1) / (lam * size) * (2 * cosine - lam * sine)
    return _dual(bound, fG=chain, gf=chain, fF=(C - 1) / size * (lam * cosine + 2 * sine))


def _less() -> tuple[Step, Step]:
    """The best bound without 2 sqrt(1 + 4/lam^2) (C - 1)/(C + 1), and 4/5 of it."""
    best = sp.sqrt(lam**2 + 4) / lam
    slightly = 2 * (C - 2) * best + 4 * best / (C + 1)
    return (
        _turned(C / (C + 1), sp.sqrt(2 * C + 1) / (C + 1), slightly),
        _turned(R(4, 5), R(3, 5), R(8, 5) * (C - 1) * best),
    )


def _every_kind(rule: str = "symmetric-dual") -> Step:
    """Multipliers of all of one group's constraints: c_c prefers d_ci to b_BOS, d_ci to itself, and itself to b_BOS."""
    chain = C / (2 * sp.sqrt(lam**2 + C))
    groups = (C - 1) * (1 / lam - 1 / sp.sqrt(lam**2 + C))
    return _dual(6 * chain + 2 * groups, rule, gb=chain, gf=chain, fb=chain, gG=groups)


_WEAK = tuple(_weak())
LESS = _less()


def _conclusions() -> Iterator[tuple[str, Step]]:
    for prop, conditions in MEANING.items():
        other = next(c for p, c in MEANING.items() if p != prop)
        yield from made(
            "optimum-decides",
            ("the other property's condition", (prop, other)),
            ("a difference of 0", (prop, (conditions[0].replace(">", ">="),))),
            ("the sign", (prop, (conditions[0].replace(">", "<"),))),
            ("no condition", (prop, ())),
            ("no such property", ("representable", conditions)),
        )
    yield "no property, no conditions", step("optimum-decides", "representable", ())
    simple = step("weaker-bound", r_eff / delta2 + 2 * C, PINCHED)
    spent = "budget {} kappa/sqrt(d)*({})"
    told: tuple[str, ...]
    for why, prop, told, part in (
        ("the bound itself may be reached", NO_SOLUTION, (spent.format("<=", simple.data[0]),), simple),
        ("more than the bound", NO_SOLUTION, (spent.format(">", simple.data[0]),), simple),
        ("other than the bound", NO_SOLUTION, (spent.format("!=", simple.data[0]),), simple),
        ("twice the bound", NO_SOLUTION, (spent.format("<", 2 * simple.data[0]),), simple),
        ("no units", NO_SOLUTION, (f"budget < {simple.data[0]}",), simple),
        ("another property", CHEAPER, (spent.format("<", simple.data[0]),), simple),
        ("another condition more", NO_SOLUTION, (spent.format("<", simple.data[0]), "C > 1"), simple),
        ("no condition", NO_SOLUTION, (), simple),
        (
            "a false bound",
            NO_SOLUTION,
            (spent.format("<", 2 * simple.data[0]),),
            changed(simple, 0, 2 * simple.data[0]),
        ),
        ("a trace is no bound", NO_SOLUTION, (spent.format("<", symbol("t1")),), CONE),
        ("a margin of the pairs is none", NO_SOLUTION, (spent.format("<", 2),), PAIRS),
    ):
        yield why, step("budget-below", prop, told, part)
    upper, lower = SINK.data[1], PINCHED.data[0]
    below = f"{upper} < {lower}"
    cheap_sink = _dual(2 * C / ROW, pattern="sink", gf=C / ROW)
    for why, prop, told, parts in (
        ("they may be equal", CHEAPER, (f"{upper} <= {lower}",), (SINK, PINCHED)),
        ("the other way round", CHEAPER, (f"{upper} > {lower}",), (SINK, PINCHED)),
        ("other than equal", CHEAPER, (f"{upper} != {lower}",), (SINK, PINCHED)),
        ("half of the cost", CHEAPER, (f"({upper})/2 < {lower}",), (SINK, PINCHED)),
        ("twice the bound", CHEAPER, (f"{upper} < 2*({lower})",), (SINK, PINCHED)),
        ("another property", NO_SOLUTION, (below,), (SINK, PINCHED)),
        ("no condition", CHEAPER, (), (SINK, PINCHED)),
        ("one condition more", CHEAPER, (below, "C > 1"), (SINK, PINCHED)),
        ("a false cost", CHEAPER, (f"{upper - 1} < {lower}",), (changed(SINK, 1, upper - 1), PINCHED)),
        ("a false bound", CHEAPER, (f"{upper} < {lower + 1}",), (SINK, changed(PINCHED, 0, lower + 1))),
        ("a bound of sinks is no cost", CHEAPER, (f"{cheap_sink.data[1]} < {lower}",), (cheap_sink, PINCHED)),
        ("a trace is no bound", CHEAPER, (f"{upper} < t1",), (SINK, CONE)),
        ("a margin is no bound", CHEAPER, (f"{upper} < 2",), (SINK, PAIRS)),
    ):
        yield why, step("costs-apart", prop, told, parts)


def _apart(upper: Step = SINK, lower: Step = PINCHED) -> Step:
    return step("costs-apart", CHEAPER, (f"{upper.data[1]} < {lower.data[0]}",), (upper, lower))


def true() -> Iterator[Step]:
    """Steps that hold."""
    yield from (SINK, STRUCTURAL, FACTORS, PAIRS, PINCHED, ADDED, *LESS, _turning())
    yield from (_every_kind(), _every_kind("factor-dual"))
    for rule in ("symmetric-dual", "factor-dual"):
        yield _dual(2 * C / ROW, rule, gf=C / ROW)
        yield _dual(2 * C / ROW, rule, "sink", gf=C / ROW)
        yield _dual(2 * C / ROW, rule, **(dict.fromkeys(_ORBITS, ZERO) | {"gf": C / ROW}))
    yield from (_dual(2 * (C - 1), fF=C - 1), _dual(2 * (C - 1) / lam, gG=(C - 1) / lam), _dual(ZERO))
    for entries in (PLAIN, TURNED, FULL, WHOLE):
        yield primal(entries)
    for factor in (2 - lam, 2 - 1 / C, 1 + symbol("r_eff"), (C + 1 / lam) / 2, 1 + (C - 1) / 3, 1 + (1 - lam) / 3):
        yield _scaled(factor)
    simple = step("weaker-bound", r_eff / delta2 + 2 * C, PINCHED)
    yield from (simple, step("weaker-bound", r_eff / delta2 + 2 * C, ADDED))
    for bound in (simple, PINCHED, ADDED):
        yield step("budget-below", NO_SOLUTION, (f"budget < kappa/sqrt(d)*({bound.data[0]})",), bound)
    yield from (step("optimum-decides", *item) for item in MEANING.items())
    yield from (_apart(), _apart(SINK, ADDED), _apart(primal(PLAIN)))
