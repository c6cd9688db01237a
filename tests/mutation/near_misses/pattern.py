"""Near misses and further true steps of the rules of theorems/lampert2026/rules/pattern.py."""

from __future__ import annotations

from collections.abc import Iterator

import sympy as sp

from tests.mutation.steps import changed, made, step
from theorems.algebra.expressions import symbol
from theorems.gaussian.process import Step
from theorems.lampert2026.patterns.group_matrices import ONE, ZERO, C, GroupMatrix, Place, group_matrix, zero
from theorems.lampert2026.patterns.margins import (
    SQUARE,
    D,
    Delta,
    Routing,
    copy_query,
    cross,
    d,
    diagonal_matrix,
    dormant,
    kappa,
    lam,
    r_eta,
    routing,
    sink_matrix,
)

UNIT = kappa / sp.sqrt(d)
a, b, c, x = (symbol(name) for name in ("a", "b", "c", "x"))
LEAST_A, LEAST_B = UNIT / lam, UNIT * (1 + lam) / lam**2
DIAGONAL = UNIT / lam**2, UNIT, 2 * UNIT / lam
ALPHA = 2 * kappa * sp.sqrt(d) / Delta
E0: Place = None
G, H, F, K = (0, "c"), (0, "e"), (1, "c"), (1, "e")
OVER_COPY, OVER_BOS = "d_ci: b_BOS over c_c", "c_c: d_ci over b_BOS"


def _matrix(**entries: sp.Expr) -> GroupMatrix:
    """A matrix by its entries, named by two unit vectors each: "FG" is the copy query's row at its group's column."""
    places = {"E": E0, "G": G, "H": H, "F": F, "K": K}
    return group_matrix(2, {(places[name[0]], places[name[1]]): value for name, value in entries.items()})


# -- a number at e_0 alone: what is at most what, and what is not negative

CORNER = (Routing({E0: ONE}, {E0: ONE}),)


def _at_least(value: sp.Expr) -> Step:
    """kappa <= value, as a matrix that meets the constraint W >= kappa/sqrt(d) at e_0."""
    return step("routing-primal", CORNER, _matrix(EE=value / sp.sqrt(d)))


def _weighted(factor: sp.Expr) -> Step:
    """||M + alpha P_eta||_* for a factor alpha, which must not be negative."""
    return step("orthogonal-sum", UNIT + factor * r_eta, ALONE, factor)


ALONE = step("group-nuclear", _matrix(EE=UNIT), ((ZERO, ZERO), (UNIT, ZERO)), UNIT)


def _product(*factors: sp.Expr) -> Step:
    """-cost <= -(least cost) + product of the factors."""
    least = COPYING[-1]
    return step("cost-at-least", -least.data[0], sp.Mul(*factors) - least.data[0], factors, AVERAGE, least)


def _copying() -> tuple[Step, ...]:
    """The least cost of the copy queries alone: a matrix, its norm, and weights that show that no other has less."""
    slope, root = 1 / lam, sp.sqrt(lam**2 + C)
    first = 1 / root
    second = first / (lam * (root + lam))
    on_one = (1 / (lam**2 + C), lam / (lam**2 + C))
    matrix = group_matrix(2, {(F, E0): -UNIT * on_one[0], (F, G): UNIT * slope})
    matrix = matrix + group_matrix(2, {(F, G): ONE, (F, H): ONE}) * (UNIT * (on_one[1] - slope) / C)
    value = (C - 1) * UNIT * slope + UNIT / root
    norm = step("group-nuclear", matrix, ((UNIT * slope, ZERO), (UNIT / root, ZERO)), value)
    primal = step("routing-primal", routing(), matrix)
    dual = step("routing-dual", routing(), (first, second), value)
    return primal, norm, dual, step("least-cost", 2 * value, primal, norm, dual)


AVERAGE = step("routing-average", "sink", routing())
COPYING = _copying()
SINK = sink_matrix(LEAST_A, LEAST_B)
PAIRS = step(
    "binding-pair", "sink", sink_matrix(a, b), ("a", "b"), (OVER_COPY, OVER_BOS), (LEAST_A, LEAST_B), "b", LEAST_B
)


def near() -> Iterator[tuple[str, Step]]:
    """Why it is false, and the step."""
    yield from _signs()
    yield from _coefficients()
    yield from _margins()
    yield from _pairs()
    yield from _norms()
    yield from _groups()
    yield from _routes()


def _signs() -> Iterator[tuple[str, Step]]:
    k = kappa
    for value in (
        *(
            k * lam,
            k * (1 - lam),
            k / C,
            k * (C - 1),
            k * (C - 1) / 2 + k / 2 * lam,
            -k,
            ZERO,
            k * (2 - C),
            k / (C - 2),
        ),
        *(
            k * C / (1 + lam),
            k / (1 + lam),
            k * 2 / C,
            k * 2 * lam,
            k * (1 + 2 * lam - 1 / lam),
            3 * k / C,
            k * C * lam,
        ),
        *(
            k + 1 - d,
            k * d,
            k + x,
            k * sp.exp(1 - C),
            k * (1 - symbol("x") ** 2),
            k * sp.sqrt(d),
            k / (2 - C),
            k / (lam - 2),
        ),
        *(
            k + 1 - sp.sqrt(d),
            k * (1 + sp.sqrt(C - 1) - (C - 1)),
            k * (C + lam - 1),
            k * (C + 1) * lam,
            k * (C - lam - 1),
        ),
    ):
        yield f"{value} may be below kappa", _at_least(value)
    for value in (
        *(-ONE, -k, -lam, -(lam**2), lam - 1, 1 - C, C - 2, 2 - lam - 1 / lam, lam**2 - 1, 1 - 2 * lam, 2 * lam - 1),
        *(x, k - 1, 1 - lam**3, -sp.sqrt(C), sp.sqrt(2) - 2, 1 - lam - k, k * x, (C - 1) * x, k + x, x**2, sp.sqrt(x)),
        *(
            k**x,
            (1 - lam) ** x,
            x**-1,
            1 - 2 * lam**2,
            lam,
            C - 3,
            C,
            1 + lam**2 - 2 * lam,
            sp.log(C),
            sp.exp(k),
            -C * lam,
        ),
        *(
            1 / (C - 1),
            (C - 1) ** sp.Rational(-1, 2),
            1 / ((C - 1) * lam),
            1 / (C - 1 + k * (C - 1)),
            -(k**2),
            (-k) ** 3,
        ),
    ):
        if value not in (lam, C):
            yield f"{value} may be negative, or is no number", _weighted(value)
    for factors in (
        (lam - 1,),
        (C - 1, lam - 1),
        (k, -k),
        (k - lam,),
        (lam - C,),
        (sp.sqrt(C) - C,),
        (1 - sp.sqrt(C),),
        (1 - sp.sqrt(1 - C),),
        (lam - sp.sqrt(1 + lam**2),),
        (x - lam,),
        (2 * lam - sp.sqrt(C),),
        (x - sp.sqrt(x**2 + 1) + 2,),
        (-lam - C,),
        (C - x,),
        (sp.sqrt(C + lam) - x, k),
        (lam * x - lam * x / 2,),
        (sp.sqrt(x) + 1 - lam,),
        # log(2) < 1
        (sp.log(sp.log(2)),),
    ):
        yield f"{factors} may be negative", _product(*factors)


def _coefficients() -> Iterator[tuple[str, Step]]:
    sink = sink_matrix(a, b)
    half = LEAST_A / 2
    # a itself does not count for C = 1
    loose = sink_matrix(LEAST_A + (C - 1) * (a - LEAST_A), b)
    yield from made(
        "least-coefficient",
        ("half of it breaks a margin", ("sink", sink, {}, "a", ("b",), half)),
        ("half of it would do", ("sink", sink, {}, "a", ("b",), 2 * LEAST_A)),
        ("what the copy queries ask for", ("sink", sink, {}, "a", ("b",), UNIT)),
        ("b is not free", ("sink", sink, {}, "a", (), LEAST_A)),
        ("another pattern", ("diagonal", sink, {}, "a", ("b",), LEAST_A)),
        ("no b is large enough where it is subtracted", ("sink", sink_matrix(a, -b), {}, "a", ("b",), LEAST_A)),
        ("any a will do for C = 1", ("sink", loose, {}, "a", ("b",), LEAST_A)),
        ("no b is large enough for C = 1", ("sink", sink_matrix(a, (C - 1) * b), {}, "a", ("b",), LEAST_A)),
        ("b without a's part", ("sink", sink, {"a": LEAST_A}, "b", (), UNIT / lam)),
        ("b for another a", ("sink", sink, {"a": 2 * LEAST_A}, "b", (), LEAST_B)),
        ("an a that is not the least", ("sink", sink, {"a": 2 * LEAST_A}, "b", (), (UNIT + 2 * LEAST_A) / lam)),
        ("a is not known", ("sink", sink, {}, "b", (), LEAST_B)),
        ("the same name twice", ("sink", sink, {"b": LEAST_B}, "a", ("a",), LEAST_A)),
        ("the largest value, not the least", ("sink", sink_matrix(-a, b), {}, "a", ("b",), -LEAST_A)),
        ("a negative a does, too", ("sink", sink_matrix(a + 2 * a**2 / LEAST_A, b), {}, "a", ("b",), half)),
        ("a square has no least value", ("sink", sink_matrix(a**2 / LEAST_A, b), {}, "a", ("b",), LEAST_A)),
        ("a product with a later name", ("sink", sink_matrix(a, a * b), {}, "a", ("b",), LEAST_A)),
        ("no b is large enough for every D", ("sink", sink_matrix(a, b - D), {}, "a", ("b",), LEAST_A)),
        ("no b is large enough for every overlap", ("sink", sink_matrix(a, b + cross), {}, "a", ("b",), LEAST_A)),
        (
            "two margins ask for opposite later names",
            ("sink", _matrix(GE=a, FE=a + b - c, FG=b - c), {}, "a", ("b", "c"), LEAST_A),
        ),
        (
            "it binds only where there are two groups",
            ("sink", sink + _matrix(GK=UNIT), {}, "a", ("b",), LEAST_A + UNIT),
        ),
        ("not less than kappa but more", ("sink", sink, {}, "a", ("b",), LEAST_A + 1)),
        ("a margin that does not know the name", ("sink", sink_matrix(LEAST_A, b), {}, "a", ("b",), ZERO)),
        (
            "it is needed for one margin, others are below",
            ("diagonal", diagonal_matrix(a, ZERO, b), {}, "a", ("b",), DIAGONAL[0]),
        ),
    )


def _margins() -> Iterator[tuple[str, Step]]:
    s, own, copy = DIAGONAL
    good = diagonal_matrix(*DIAGONAL)
    steep = diagonal_matrix(s / 4, own, copy)
    wrong = diagonal_matrix(s, own, UNIT * (1 + lam) / lam)
    yield from made(
        "least-margin",
        ("half of it", ("diagonal", good, ALPHA, kappa / 2)),
        ("twice of it", ("diagonal", good, ALPHA, 2 * kappa)),
        ("one margin is less", ("diagonal", good, ALPHA / 2, kappa)),
        ("no nuisance part", ("diagonal", good, ZERO, kappa)),
        ("a negative nuisance part", ("diagonal", good, -ALPHA, kappa)),
        ("half of s", ("diagonal", diagonal_matrix(s / 2, own, copy), ALPHA, kappa)),
        ("half of a", ("diagonal", diagonal_matrix(s, own / 2, copy), ALPHA, kappa)),
        ("less of b", ("diagonal", diagonal_matrix(s, own, copy * lam), ALPHA, kappa)),
        ("the sink pattern", ("sink", good, ALPHA, kappa)),
        ("two groups of the same nuisances have less", ("diagonal", steep, ALPHA, kappa)),
        ("two groups of opposite nuisances have less", ("sink", SINK, -UNIT, kappa)),
        ("one part only", ("diagonal", wrong, ALPHA / 2, kappa / 2)),
        ("the other part only", ("diagonal", wrong, ALPHA / 2, kappa * lam)),
        ("a part that no margin has", ("diagonal", good, ALPHA, sp.Min(kappa, kappa / 2 * C, evaluate=False))),
        (
            "a part that no margin has, beside one",
            ("diagonal", wrong, ALPHA / 2, sp.Min(kappa * lam, kappa / 2, kappa / 3)),
        ),
        ("a part that some margin has, among others", ("diagonal", wrong, ALPHA / 2, sp.Min(kappa * lam, kappa))),
        (
            "the matrix knows the number of groups",
            ("diagonal", diagonal_matrix(s, own, copy + UNIT * (C - 1)), ALPHA, kappa),
        ),
        ("the nuisance part knows it", ("diagonal", good, ALPHA * C, kappa)),
        (
            "a margin falls with D, and is kappa at the least D",
            ("diagonal", diagonal_matrix(s, own * (2 - D / Delta), copy), ALPHA, kappa),
        ),
        (
            "a margin rises with an overlap, and is kappa at the largest",
            ("diagonal", diagonal_matrix(s, own * cross / SQUARE, copy), ALPHA, kappa),
        ),
        ("a square of D", ("diagonal", good, D * ALPHA, kappa)),
        ("it falls with D", ("diagonal", diagonal_matrix(s + D * UNIT, own, copy - D), ALPHA, kappa)),
        (
            "the coefficient of an overlap has no sign",
            ("diagonal", diagonal_matrix(s + x * cross, own, copy), ALPHA, kappa),
        ),
        ("an overlap times D", ("diagonal", diagonal_matrix(s + D * cross, own, copy), ALPHA, kappa)),
        ("a square of an overlap", ("diagonal", diagonal_matrix(s + cross**2 * UNIT, own, copy), ALPHA, kappa)),
    )
    for why, value, least in (
        ("nothing is missing", kappa, FULL),
        ("it is no margin", -kappa, FULL),
        ("half is missing", ZERO, HALF),
        ("all is not missing", kappa, HALF),
        ("the margin is not what it lacks", sp.Max(ZERO, kappa), HALF),
        ("the other way round", sp.Min(ZERO, kappa / 2), HALF),
        ("the margin is more than kappa", -kappa, TWICE),
        ("a false margin", ZERO, changed(FULL, 3, 2 * kappa)),
        ("a false margin, as it is", -kappa, changed(FULL, 3, 2 * kappa)),
        ("one part is below kappa", ZERO, BELOW),
        ("one part alone", kappa / 2, BELOW),
        ("the other part alone", kappa - kappa * lam, BELOW),
        ("its sign", -(kappa - BELOW.data[3]), BELOW),
        ("the largest part", kappa - sp.Max(kappa * lam, kappa / 2), BELOW),
        ("nothing is known to be missing", kappa - OPEN.data[3], OPEN),
        ("nothing is known not to be", ZERO, OPEN),
        ("a slope is no margin", ZERO, step("derivative", ONE, ONE, "q", ZERO, kappa)),
        (
            "the least b is no margin",
            kappa / 2,
            step("least-coefficient", "sink", sink_matrix(a, b), {}, "a", ("b",), LEAST_A),
        ),
        ("the norm of a matrix is no margin", sp.Max(ZERO, kappa - RANK_ONE.data[3]), RANK_ONE),
        ("the names of a pair are no margins", sp.Max(ZERO, kappa - UNIT / 2), PAIRS),
        ("weights of a bound are no margin", sp.Max(ZERO, kappa - ZERO), ALONE),
    ):
        yield why, step("shortfall", value, least)


FULL = step("least-margin", "diagonal", diagonal_matrix(*DIAGONAL), ALPHA, kappa)
HALF = step("least-margin", "diagonal", diagonal_matrix(*DIAGONAL), ALPHA / 2, kappa / 2)
TWICE = step("least-margin", "diagonal", diagonal_matrix(*(2 * x for x in DIAGONAL)), 2 * ALPHA, 2 * kappa)
_BOTH = diagonal_matrix(DIAGONAL[0], UNIT, UNIT * (1 + lam) / lam)
BELOW = step("least-margin", "diagonal", _BOTH, ALPHA / 2, sp.Min(kappa * lam, kappa / 2))
#: Neither at least kappa nor below it: 2 lam kappa.
_WIDE = diagonal_matrix(2 * DIAGONAL[0], 2 * UNIT, UNIT * (2 + 2 * lam) / lam)
HALF_OPEN = step("least-margin", "diagonal", _WIDE, ALPHA / 2, sp.Min(2 * kappa * lam, kappa / 2))
_SIZES = symbol("rho_Q") * symbol("rho_K")
RANK_ONE = step(
    "sink-primal", "nuclear", kappa * sp.sqrt(d), kappa * sp.sqrt(d) / _SIZES**2, kappa * sp.sqrt(d) / _SIZES
)
OPEN = step("least-margin", "diagonal", _WIDE, 2 * ALPHA, sp.Min(2 * kappa * lam, 2 * kappa, evaluate=False))


def _pairs() -> Iterator[tuple[str, Step]]:
    names, told = ("a", "b"), (OVER_COPY, OVER_BOS)
    sink, pair = sink_matrix(a, b), (LEAST_A, LEAST_B)
    groups = "d_ci: b_BOS over c_e"
    yield from made(
        "binding-pair",
        ("another pattern", ("diagonal", sink, names, told, pair, "b", LEAST_B)),
        ("b with the other sign", ("sink", sink_matrix(a, -b), names, told, (LEAST_A, -LEAST_B), "b", -LEAST_B)),
        ("the margins exchanged", ("sink", sink, names, told[::-1], pair, "b", LEAST_B)),
        *(
            (f"no {name} is large enough for C = 1", ("sink", only, names, told, values, "b", values[1]))
            for name, only, values in (
                ("a", sink_matrix((C - 1) * a, b), (LEAST_A / (C - 1), LEAST_B)),
                ("b", sink_matrix(a, (C - 1) * b), (LEAST_A, LEAST_B / (C - 1))),
            )
        ),
        ("the names exchanged", ("sink", sink, ("b", "a"), told, pair[::-1], "b", LEAST_B)),
        ("a margin of a alone, twice", ("sink", sink, names, (OVER_COPY, OVER_COPY), pair, "b", LEAST_B)),
        (
            "a margin of a alone, which leaves b open",
            ("sink", sink, names, (OVER_COPY, "d_ci: b_BOS over d_ci"), pair, "b", LEAST_B),
        ),
        ("there is no such margin", ("sink", sink, names, (OVER_COPY, "c_c: d_ci over d_ci"), pair, "b", LEAST_B)),
        ("one group has no such margin", ("sink", sink, names, (groups, OVER_BOS), pair, "b", LEAST_B)),
        (
            "one group has no such second margin",
            ("sink", sink, names, (OVER_COPY, "c_c: d_ci over d_ek"), (LEAST_A, UNIT / lam), "b", UNIT / lam),
        ),
        ("b is too large", ("sink", sink, names, told, (LEAST_A, 2 * LEAST_B), "b", 2 * LEAST_B)),
        ("a is too small", ("sink", sink, names, told, (UNIT, LEAST_B), "a", UNIT)),
        ("a is too large", ("sink", sink, names, told, (2 * LEAST_A, LEAST_B + UNIT / lam**2), "a", 2 * LEAST_A)),
        ("the value of the other name", ("sink", sink, names, told, pair, "a", LEAST_B)),
        ("no name of the pair", ("sink", sink, names, told, pair, "c", LEAST_B)),
        ("another value", ("sink", sink, names, told, pair, "b", LEAST_A)),
        (
            "a margin that is not met",
            ("sink", sink, names, (OVER_COPY, "c_c: d_ci over c_c"), (LEAST_A, UNIT / lam), "b", UNIT / lam),
        ),
        ("a square", ("sink", sink_matrix(a**2 / LEAST_A, b), names, told, pair, "b", LEAST_B)),
        ("a square of b", ("sink", sink_matrix(a, b**2 / LEAST_B), names, told, pair, "b", LEAST_B)),
        (
            "a number beside the names",
            ("sink", sink_matrix(a + LEAST_A, b), names, told, (ZERO, LEAST_B), "b", LEAST_B),
        ),
        ("a number beside b", ("sink", sink_matrix(a, b + LEAST_B), names, told, (LEAST_A, ZERO), "b", ZERO)),
        ("a is bounded from above", ("sink", sink_matrix(-a, b), names, told, (-LEAST_A, LEAST_B), "b", LEAST_B)),
        (
            "it binds only where there are two groups",
            ("sink", _matrix(GE=a, FE=a, FG=LEAST_B, GK=-b), names, (OVER_COPY, groups), (LEAST_A, ZERO), "b", ZERO),
        ),
        ("a number in the first margin", ("sink", _matrix(GE=a + UNIT, FE=a, FG=b), names, told, pair, "b", LEAST_B)),
        ("a number in the second margin", ("sink", _matrix(GE=a, FE=a, FG=b + UNIT), names, told, pair, "b", LEAST_B)),
        ("both names in the first margin", ("sink", sink_matrix(a + b, b), names, told, (ZERO, LEAST_A), "b", LEAST_A)),
        ("b does not occur", ("sink", sink_matrix(a, 2 * a / lam), names, told, (LEAST_A, LEAST_B), "b", LEAST_B)),
        (
            "a mean of the names",
            ("sink", sink_matrix(a, sp.sqrt(a**2 + b**2)), names, told, (LEAST_A, LEAST_B), "b", LEAST_B),
        ),
        (
            "margins that know D",
            ("sink", sink + _matrix(GH=D), names, told, pair, "b", LEAST_B),
        ),
        ("a margin of the others is below", ("sink", sink + _matrix(GK=UNIT), names, told, pair, "b", LEAST_B)),
    )


def _norms() -> Iterator[tuple[str, Step]]:
    t = sp.sqrt(C)
    one, two, six = _matrix(GE=UNIT), _matrix(GG=UNIT, FF=2 * UNIT), _matrix(EE=UNIT, GG=UNIT, FF=UNIT)
    zeros = (ZERO, ZERO)
    yield from made(
        "group-nuclear",
        ("one more", (one, (zeros, (UNIT * t, ZERO)), UNIT * t + UNIT)),
        ("1-perp once more", (two, PARTS, 3 * C * UNIT + 3 * UNIT)),
        ("1-perp once", (two, PARTS, 6 * UNIT)),
        ("a number of C's sign", (one, (zeros, (UNIT * C, ZERO)), UNIT * C)),
        ("minus the norm", (one, (zeros, (-UNIT * t, ZERO)), -UNIT * t)),
        ("minus both norms", (two, ((-3 * UNIT, 2 * UNIT**2), (-3 * UNIT, 2 * UNIT**2)), -3 * C * UNIT)),
        ("the difference of the singular values", (two, ((UNIT, -2 * UNIT**2), (UNIT, -2 * UNIT**2)), C * UNIT)),
        ("no product of singular values", (two, ((sp.sqrt(5) * UNIT, ZERO),) * 2, C * sp.sqrt(5) * UNIT)),
        ("another product", (two, ((4 * UNIT, sp.Rational(11, 2) * UNIT**2),) * 2, 4 * C * UNIT)),
        (
            "three singular values",
            (
                six,
                ((2 * UNIT, UNIT**2), (sp.sqrt(3 + 2 * sp.sqrt(3)) * UNIT, sp.sqrt(3) * UNIT**2)),
                (2 * C - 2 + sp.sqrt(3 + 2 * sp.sqrt(3))) * UNIT,
            ),
        ),
        ("the parts exchanged", (one, ((UNIT * t, ZERO), zeros), (C - 1) * UNIT * t)),
        ("nothing on 1-perp", (two, (zeros, PARTS[1]), 3 * UNIT)),
        ("nothing on the vectors 1", (two, (PARTS[0], zeros), 3 * (C - 1) * UNIT)),
    )
    good, full = _root(1, 2), _root(0, 1, 2)
    nilpotent = sp.ImmutableMatrix([[0, 1], [0, 0]])
    yield from made(
        "nuclear-by-root",
        ("one more", (two, (good, full), 3 * C * UNIT + UNIT)),
        ("1-perp once", (two, (good, full), 6 * UNIT)),
        ("1-perp once more", (two, (good, full), 3 * C * UNIT + 3 * UNIT)),
        ("a negative eigenvalue", (two, (_root(-1, 2), full), (C - 1) * UNIT + 3 * UNIT)),
        ("a negative eigenvalue at the end", (two, (good, _root(0, 1, -2)), 3 * (C - 1) * UNIT - UNIT)),
        ("a negative eigenvalue in the middle", (two, (good, _root(0, -1, 2)), 3 * (C - 1) * UNIT + UNIT)),
        ("two negative eigenvalues", (two, (_root(-1, -2), full), -3 * (C - 1) * UNIT + 3 * UNIT)),
        ("a negative eigenvalue hidden in the determinant", (MIXED, (_mixed(), _root(0, 1, 1)), 2 * UNIT)),
        ("not symmetric", (zero(2), (nilpotent, sp.ImmutableMatrix(sp.zeros(3))), ZERO)),
        ("the squares, not the roots", (two, (_root(1, 4), full), 5 * (C - 1) * UNIT + 3 * UNIT)),
        ("of another matrix", (two, (_root(2, 2), full), 4 * (C - 1) * UNIT + 3 * UNIT)),
        ("of another matrix on the vectors 1", (two, (good, _root(1, 1, 2)), 3 * (C - 1) * UNIT + 4 * UNIT)),
        ("the roots exchanged", (two, (full, good), 3 * C * UNIT)),
        ("three roots", (two, (good, full, full), 3 * C * UNIT)),
        ("one root", (two, (good,), 3 * C * UNIT)),
        ("a root of another shape", (two, (full, full), 3 * C * UNIT)),
    )
    yield from made(
        "orthogonal-sum",
        ("without the nuisances", (UNIT, ALONE, ALPHA)),
        ("a negative factor", (UNIT - ALPHA * r_eta, ALONE, -ALPHA)),
        ("one more", (2 * UNIT + ALPHA * r_eta, ALONE, ALPHA)),
        ("one nuisance", (UNIT + ALPHA, ALONE, ALPHA)),
        ("a false norm", (2 * UNIT + ALPHA * r_eta, changed(ALONE, 2, 2 * UNIT), ALPHA)),
        ("a lower bound is no norm", (COPYING[2].data[2] + ALPHA * r_eta, COPYING[2], ALPHA)),
    )


PARTS = ((3 * UNIT, 2 * UNIT**2), (3 * UNIT, 2 * UNIT**2))
#: [[0, 1], [1, 0]] on 1-perp has the eigenvalues 1 and -1; its diagonal is not negative.
MIXED = _matrix(GG=UNIT, FF=UNIT)


def _mixed() -> sp.ImmutableMatrix:
    return sp.ImmutableMatrix([[0, 1], [1, 0]]) * UNIT


def _root(*eigenvalues: int) -> sp.ImmutableMatrix:
    return sp.ImmutableMatrix(sp.diag(*eigenvalues)) * UNIT


def _groups() -> Iterator[tuple[str, Step]]:
    t = sp.sqrt(C)
    norm = step("group-nuclear", _matrix(GE=UNIT), ((ZERO, ZERO), (UNIT * t, ZERO)), UNIT * t)
    counted = step("group-nuclear", _matrix(GE=UNIT * C), ((ZERO, ZERO), (UNIT * C * t, ZERO)), UNIT * C * t)
    between = step("group-nuclear", _matrix(GH=UNIT), ((UNIT, ZERO), ((C - 1) * UNIT, ZERO)), 2 * (C - 1) * UNIT)
    two = step("group-nuclear", _matrix(GG=UNIT, FF=2 * UNIT), PARTS, 3 * C * UNIT)
    whole = step("orthogonal-sum", 3 * C * UNIT + ALPHA * r_eta, two, ALPHA)
    alone = (UNIT, ZERO)
    # some entries between groups, or with C in them, and others without
    some = step(
        "group-nuclear",
        _matrix(GH=UNIT, FE=UNIT),
        ((UNIT, ZERO), ((C - 1 + t) * UNIT, (C - 1) * t * UNIT**2)),
        ((C - 1) * 2 + t) * UNIT,
    )
    yield from made(
        "sum-over-groups",
        ("the norm, not the cost", (UNIT * t, 2 * C * UNIT, norm, alone)),
        ("half of the bound", (2 * UNIT * t, C * UNIT, norm, alone)),
        ("one group alone", (2 * UNIT * t, 2 * UNIT, norm, alone)),
        ("another norm of one group", (2 * UNIT * t, C * UNIT, norm, (UNIT / 2, ZERO))),
        ("the coefficients grow with C", (2 * UNIT * C * t, 2 * C * UNIT, counted, alone)),
        ("entries between groups", (4 * (C - 1) * UNIT, ZERO, between, (ZERO, ZERO))),
        ("some entries between groups", (2 * some.data[2], 2 * C * UNIT, some, alone)),
        ("e_0 alone is there once", (2 * UNIT, 2 * C * UNIT, ALONE, alone)),
        ("a false norm", (UNIT * t, 2 * C * UNIT, changed(norm, 2, UNIT * t / 2), alone)),
        ("the nuisances once", (2 * whole.data[0], 6 * C * UNIT + ALPHA * r_eta, whole, PARTS[1])),
        ("no nuisances", (2 * whole.data[0], 6 * C * UNIT, whole, PARTS[1])),
        ("nuisances that are not there", (6 * C * UNIT, 6 * C * UNIT + 2 * ALPHA * r_eta, two, PARTS[1])),
        ("a norm by roots", (6 * C * UNIT, 6 * C * UNIT, ROOTS, PARTS[1])),
        ("a bound is no norm", (2 * COPYING[2].data[2], 2 * C * UNIT, COPYING[2], alone)),
    )


ROOTS = step("nuclear-by-root", _matrix(GG=UNIT, FF=2 * UNIT), (_root(1, 2), _root(0, 1, 2)), 3 * C * UNIT)


def _routes() -> Iterator[tuple[str, Step]]:
    first, second = routing()
    turned = Routing(first.key, first.query)
    doubled = Routing(first.query, {place: 2 * value for place, value in first.key.items()})
    query = dormant("c", "i").coordinates
    for why, pattern, families in (
        ("nothing is said", "sink", ()),
        ("query and key exchanged", "sink", (turned,)),
        ("query and key exchanged, beside one that follows", "sink", (first, turned)),
        ("twice the key", "sink", (doubled, second)),
        ("no such pattern", "none", (first, second)),
        ("a group over itself", "sink", (Routing(first.query, {G: lam, F: -ONE, E0: -ONE}),)),
        ("BOS over a group", "sink", (Routing(first.query, {E0: ONE, G: -lam}),)),
        ("a dormant query is no mean", "diagonal", (Routing(query, {G: lam, E0: -ONE}),)),
        ("a dormant query in the sink pattern is none", "sink", (Routing(query, {E0: ONE, G: -lam}),)),
        ("the diagonal's copy query over a group of its own", "diagonal", (Routing(first.query, {F: ONE, G: -lam}),)),
        ("a token over one that is wanted as well", "sink", (Routing(first.query, {}),)),
    ):
        yield why, step("routing-average", pattern, families)
    primal, norm, dual, least = COPYING
    weights, value = dual.data[1:]
    yield from made(
        "routing-dual",
        ("twice the bound", (routing(), weights, 2 * value)),
        ("twice the weights", (routing(), tuple(2 * w for w in weights), 2 * value)),
        ("half of the weights is no norm of 1", (routing(), tuple(w / 2 for w in weights), value / 2)),
        ("the weights exchanged", (routing(), weights[::-1], value)),
        ("one weight", (routing(), weights[:1], value)),
        ("one family", (routing()[:1], weights, value)),
        ("a weight without a family", ((SAME,), (ONE, ONE), C * UNIT)),
        ("one family and one weight too many", (routing()[:1], (*weights[:1], ZERO), C * weights[0] * UNIT)),
        (
            "negative weights",
            (
                tuple(Routing(f.query, {k: -v for k, v in f.key.items()}) for f in routing()),
                tuple(-w for w in weights),
                -value,
            ),
        ),
        ("norm 1 on 1-perp alone", ((ON_ONE,), (ONE,), C * (C - 1) * UNIT)),
        ("twice the number of groups", ((SAME,), (ONE,), C * UNIT * 2)),
        ("no constraints", ((), (), ZERO)),
        ("a bound for each group", (routing(), weights, (weights[0] + weights[1]) * UNIT)),
    )
    matrix = primal.data[1]
    limits: tuple[Routing, ...]
    for why, limits, met in (
        ("no constraint", (), matrix),
        ("half of the matrix", routing(), matrix * sp.Rational(1, 2)),
        ("minus the matrix", routing(), matrix * -1),
        ("one of the families", (*routing(), SAME), matrix),
        ("one of the families, first", (SAME, *routing()), matrix),
    ):
        yield why, step("routing-primal", limits, met)
    corner = step("routing-primal", CORNER, matrix + _matrix(EE=UNIT))
    other = step("group-nuclear", _matrix(EE=value), ((ZERO, ZERO), (value, ZERO)), value)
    yield from made(
        "least-cost",
        ("half of the cost", (value, primal, norm, dual)),
        ("twice the cost", (4 * value, primal, norm, dual)),
        ("no norm", (2 * value, primal, primal, dual)),
        ("no bound", (2 * value, primal, norm, norm)),
        ("no matrix", (2 * value, dual, norm, dual)),
        ("a norm for the bound", (2 * UNIT, MET_ALONE, ALONE, ALONE)),
        ("a bound for the norm", (2 * value, primal, dual, dual)),
        ("the norm of another matrix", (2 * value, primal, other, dual)),
        ("other constraints are met", (2 * value, changed(primal, 0, routing()[:1]), norm, dual)),
        ("constraints at e_0 are met", (2 * value, corner, norm, dual)),
        ("a matrix that costs more", (4 * C * UNIT, *SAME_TWICE, SAME_BOUND)),
        ("the bound is not reached", (2 * C * UNIT, *SAME_TWICE, SAME_BOUND)),
        ("the bound is false", (4 * C * UNIT, *SAME_TWICE, changed(SAME_BOUND, 2, 2 * C * UNIT))),
        (
            "the constraints are not met",
            (2 * C * UNIT, step("routing-primal", (SAME,), _matrix(FF=UNIT / 2)), SAME_ONCE[1], SAME_BOUND),
        ),
        (
            "the matrix meets other constraints",
            (2 * C * UNIT, step("routing-primal", (SAME, SAME), SAME_ONCE[0].data[1]), SAME_ONCE[1], SAME_BOUND),
        ),
        ("a bound that no matrix attains", (C * UNIT, HALF_BOUND, MEAN_BOUND, HALF_BOUND)),
        ("the norm of a matrix of the same cost", (2 * C * UNIT, SAME_ONCE[0], SIGNED, SAME_BOUND)),
    )
    cost = least.data[0]
    factors = (UNIT, C - 1)
    right = sp.Mul(*factors) - cost
    yield from made(
        "cost-at-least",
        ("the cost, not minus the cost", (cost, cost + sp.Mul(*factors), factors, AVERAGE, least)),
        ("another left side", (-cost / 2, sp.Mul(*factors) - cost / 2, factors, AVERAGE, least)),
        ("another right side", (-cost, -2 * cost, factors, AVERAGE, least)),
        ("a false least cost", (-2 * cost, right - cost, factors, AVERAGE, changed(least, 0, 2 * cost))),
        ("the constraints do not follow", (-cost, right, factors, changed(AVERAGE, 1, (turned,)), least)),
        ("other constraints follow", (-cost, right, factors, changed(AVERAGE, 1, routing()[:1]), least)),
        ("constraints that the pattern has not", (-2 * C * UNIT, UNIT - 2 * C * UNIT, (UNIT,), AVERAGE, SAME_LEAST)),
        ("no such pattern", (-cost, right, factors, changed(AVERAGE, 0, "none"), least)),
        ("no pattern", (-cost, right, factors, primal, least)),
        ("no least cost", (-cost, right, factors, AVERAGE, dual)),
        ("one factor is negative", (-cost, -cost + (lam - 1) * UNIT, (UNIT, lam - 1), AVERAGE, least)),
    )


#: A constraint of every pair of groups, and one of every group with itself.
ON_ONE = Routing(copy_query("c").coordinates, {H: ONE})
SAME = Routing(copy_query("c").coordinates, {F: ONE})
MET_ALONE = step("routing-primal", CORNER, _matrix(EE=UNIT))
MET_TWICE = step("routing-primal", CORNER, _matrix(EE=2 * UNIT))
TWICE_ALONE = step("group-nuclear", _matrix(EE=2 * UNIT), ((ZERO, ZERO), (2 * UNIT, ZERO)), 2 * UNIT)


def _same(factor: int) -> tuple[Step, Step]:
    """A multiple of the least matrix for f_c^T W f_c >= kappa/sqrt(d), and its norm."""
    matrix, value = _matrix(FF=factor * UNIT), factor * UNIT
    met = step("routing-primal", (SAME,), matrix)
    return met, step("group-nuclear", matrix, ((value, ZERO), (value, ZERO)), C * value)


SAME_ONCE, SAME_TWICE = _same(1), _same(2)
SAME_BOUND = step("routing-dual", (SAME,), (ONE,), C * UNIT)
#: A bound of which a half is lost: only the second constraint, that of half of every row, has a weight.
_HALF = sp.Rational(1, 2)
_LOST = (SAME, Routing(copy_query("c").coordinates, {F: sp.Integer(2)})), (ZERO, _HALF)
HALF_BOUND = step("routing-dual", *_LOST, C * UNIT / 2)
#: An expectation that is this bound, of numbers that are its weights.
MEAN_BOUND = step("finite-expectation", _LOST[1], (_HALF, _HALF), C * UNIT / 2, 1, C * UNIT / 2)
SAME_LEAST = step("least-cost", 2 * C * UNIT, *SAME_ONCE, SAME_BOUND)
SIGNED = step("group-nuclear", _matrix(GG=UNIT), ((UNIT, ZERO), (UNIT, ZERO)), C * UNIT)


def true() -> Iterator[Step]:
    """Steps that hold."""
    k = kappa
    yield from (
        AVERAGE,
        *COPYING,
        ALONE,
        MET_ALONE,
        MET_TWICE,
        TWICE_ALONE,
        FULL,
        HALF,
        TWICE,
        BELOW,
        OPEN,
        ROOTS,
        PAIRS,
    )
    yield changed(changed(PAIRS, 5, "a"), 6, LEAST_A)
    for value in (
        *(
            k,
            k * C,
            k / lam,
            k * (1 + lam),
            k * (2 - lam),
            k * C / lam,
            k * (C + 1) / 2,
            k * (1 + (C - 1) * lam),
            k + d,
        ),
        *(
            k + sp.sqrt(d),
            k * (2 * C - 1) / C,
            k * (1 + 1 / lam - lam),
            k * (1 + lam - lam**2),
            k * (2 - 1 / C),
            k + Delta,
        ),
        *(k * (1 + r_eta), k * (C - lam) / (1 - lam), k * (3 - 2 * lam)),
    ):
        yield _at_least(value)
    for value in (
        *(ZERO, ONE, C - 1, 1 - lam, 1 - lam**2, k, sp.sqrt(C) * k / lam, (1 - lam**2) * d, sp.sqrt(lam**2 + C)),
        *(
            sp.Rational(1, 3),
            1 / (1 - lam),
            1 / (C + C * lam),
            (C - 1) ** 2,
            sp.sqrt(C - 1),
            r_eta / d,
        ),
        *(k + lam, 2 * C, k * (C - 1)),
    ):
        yield _weighted(value)
    root = sp.sqrt(lam**2 + C)
    for factors in (
        (UNIT, C - 1),
        (1 - lam,),
        (sp.sqrt(C), UNIT),
        (root - lam,),
        (root - sp.sqrt(lam**2 + 1), UNIT),
        (root + 1 - lam,),
        (sp.sqrt(1 + lam**2) - lam, root + lam + 1),
        (),
    ):
        yield _product(*factors)
    sink = sink_matrix(a, b)
    yield step("least-coefficient", "sink", sink, {}, "a", ("b",), LEAST_A)
    yield step("least-coefficient", "sink", sink, {"a": LEAST_A}, "b", (), LEAST_B)
    yield step("least-coefficient", "sink", sink_matrix(2 * a, b + c), {}, "a", ("b", "c"), LEAST_A / 2)
    yield step("least-margin", "diagonal", diagonal_matrix(DIAGONAL[0] / 4, UNIT, DIAGONAL[2]), ALPHA, kappa / 4)
    yield step("least-margin", "diagonal", diagonal_matrix(DIAGONAL[0], UNIT / 2, DIAGONAL[2]), ALPHA, kappa / 2)
    yield step("least-margin", "sink", SINK, ZERO, kappa)
    yield step("least-margin", "sink", SINK, UNIT, _least_sink(UNIT))
    yield from (step("shortfall", ZERO, FULL), step("shortfall", ZERO, TWICE), step("shortfall", kappa / 2, HALF))
    yield step("shortfall", sp.Max(ZERO, kappa / 2), HALF)
    yield step("shortfall", kappa - BELOW.data[3], BELOW)
    yield from (HALF_OPEN, step("shortfall", kappa - HALF_OPEN.data[3], HALF_OPEN))
    yield step("shortfall", sp.Max(ZERO, kappa - OPEN.data[3]), OPEN)
    t = sp.sqrt(C)
    norm = step("group-nuclear", _matrix(GE=UNIT), ((ZERO, ZERO), (UNIT * t, ZERO)), UNIT * t)
    two = step("group-nuclear", _matrix(GG=UNIT, FF=2 * UNIT), PARTS, 3 * C * UNIT)
    whole = step("orthogonal-sum", 3 * C * UNIT + ALPHA * r_eta, two, ALPHA)
    yield from (norm, two, whole)
    yield step("group-nuclear", _matrix(GH=UNIT), ((UNIT, ZERO), ((C - 1) * UNIT, ZERO)), 2 * (C - 1) * UNIT)
    yield step("nuclear-by-root", zero(2), (sp.ImmutableMatrix(sp.zeros(2)), sp.ImmutableMatrix(sp.zeros(3))), ZERO)
    yield step("sum-over-groups", 2 * UNIT * t, 2 * C * UNIT, norm, (UNIT, ZERO))
    yield step("sum-over-groups", 2 * whole.data[0], 6 * C * UNIT + 2 * ALPHA * r_eta, whole, PARTS[1])
    yield step("routing-average", "diagonal", routing())
    yield step("routing-average", "sink", routing()[:1])
    yield from (*SAME_ONCE, *SAME_TWICE, SAME_BOUND, SAME_LEAST, SIGNED, HALF_BOUND)
    # not below kappa, as 3 lam (1 - lam) is in (0, 1), which does not show in the signs of coefficients
    more = 1 / (1 - 3 * lam + 3 * lam**2)
    open_end = diagonal_matrix(DIAGONAL[0], UNIT * more, UNIT * (1 + more) / lam)
    yield step("least-margin", "diagonal", open_end, ALPHA, sp.Min(kappa, kappa * more))


def _least_sink(alpha: sp.Expr) -> sp.Expr:
    """The least of the sink pattern's margins where W has a nuisance part: those against d_ci and d_ek."""
    return kappa - alpha * sp.sqrt(d) * (1 - lam**2)
