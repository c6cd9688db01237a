"""Near misses and further true steps of the rules of theorems/rules/convex.py."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

import sympy as sp

from tests.mutation.steps import made, step
from theorems.algebra.expressions import symbol
from theorems.algebra.pascal import RowSum
from theorems.gaussian.process import Step
from theorems.rules.convex import HULL, MARGIN, ONE, REPRESENTABLE, SEEN, rho_K, rho_Q

i, T, w, first, last = (symbol(name) for name in ("i", "T", "w", "first", "last"))
q, s, k, t, pp, pc, cc, uz, vk, c = (symbol(n) for n in ("q", "s", "k", "t", "pp", "pc", "cc", "uz", "vk", "c"))
dim, points = symbol("dim"), symbol("points")
ZERO = sp.Integer(0)
FULL, CAUSAL, WINDOW = SEEN.values()
SCORE, FACTORS = q * s - q * k, (q, s - k)
SEGMENT, SLOPE = (1 - t) ** 2 * pp + 2 * t * (1 - t) * pc + t**2 * cc, 2 * (pc - pp)

#: What the inequalities between the names say, each an amount that may be 0 and may be large.
GAPS = (first - 1, i - first, last - i, T - last, w - 1)


def _made(name: str, keys: tuple[sp.Expr, sp.Expr] = CAUSAL) -> Step:
    """rank-one for the hull of this name, and such keys."""
    return step("rank-one", ("rho_Q > 0", f"{name} > 0"), *keys, uz * vk, rho_Q**2 * symbol(name) ** 2)


def _both(name: str, keys: tuple[sp.Expr, sp.Expr]) -> tuple[Step, ...]:
    """Two necessary conditions that are sufficient together."""
    return (
        step("common-key", "rho_Q > 0", *keys, ONE),
        step("full-query", f"{name} > 0", *keys, last),
        _made(name, keys),
    )


def _when(parts: tuple[Step, ...], conditions: tuple[str, ...], property: str = REPRESENTABLE) -> Step:
    return step("necessary-and-sufficient", property, conditions, parts)


BOTH = ("rho_Q > 0", "rho_K > 0")
CAUSALLY = ("rho_Q > 0", "rho_K_causal > 0")
EVERYWHERE = _when(_both("rho_K", FULL), BOTH)
UNTIL = _when(_both("rho_K_causal", CAUSAL), CAUSALLY)

VALUE = MARGIN / (rho_Q * rho_K)
FACTOR = MARGIN / (rho_Q**2 * rho_K**2)


def _dual(norm: str, lower: sp.Expr = VALUE, margin: sp.Expr = MARGIN) -> Step:
    return step("sink-dual", norm, margin, symbol(norm) * rho_Q * rho_K, lower)


def _primal(norm: str, factor: sp.Expr = FACTOR, margin: sp.Expr = MARGIN) -> Step:
    return step("sink-primal", norm, margin, factor, factor * rho_Q * rho_K)


CELLS = 2 * RowSum(points - 1, dim - 1)
CHANCE = 2 ** (1 - points) * RowSum(points - 1, dim - 1)
SPHERE, COUNTED = (
    step("strict-sphere", "rho_K > 0", "dim", 2, 2 - 2 * c, c),
    step("hyperplane-cells", "dim", "points", CELLS),
)


GIVEN = ("dim >= 2", "points >= 1")


def _signs(
    probability: sp.Expr = CHANCE,
    parts: tuple[Step, ...] = (EVERYWHERE, SPHERE, COUNTED),
    queries: tuple[sp.Expr, sp.Expr] = FULL,
    keys: tuple[sp.Expr, sp.Expr] = FULL,
    given: tuple[str, ...] = GIVEN,
    dimension: str = "dim",
    count: str = "points",
) -> Step:
    return step("random-signs", probability, dimension, count, queries, keys, given, parts)


def near() -> Iterator[tuple[str, Step]]:
    """Why it is false, and the step."""
    yield from _keys()
    yield from _products()
    yield from _conditions()
    yield from _norms()
    yield from _spheres()


def _keys() -> Iterator[tuple[str, Step]]:
    # keys from low to high that all stand among 1..last, as the hull of rho_K_causal does
    lows = [ZERO, first - 1, i - 1, w - 1, i - w + 1, T - i, 2 - w, first - 2 * w + 1]
    lows += [ONE + a - b for a, b in permutations(GAPS, 2)]
    lows += [sp.Min(ONE, w - 1), sp.Min(i, w - 1), sp.Min(i - w, w), sp.Max(ZERO, i - w), ONE + symbol("n")]
    highs = [T, i + 1, last + 1, first + w, i + w - 1, sp.Max(i, w), sp.Max(last, i + 1), sp.Max(i + 1, last)]
    highs += [sp.Min(T, w), sp.Min(T, i + 1), sp.Min(i + w, T), sp.Min(w, first + w), 2 * i - first + 1, symbol("n")]
    for low in lows:
        yield f"{low} may be below 1", _made("rho_K_causal", (low, i))
        yield f"{low} may be below 1, for a common key", step("common-key", "rho_Q > 0", low, T, last)
    for high in highs:
        yield f"{high} may be above max J", _made("rho_K_causal", (ONE, high))
    positive = sp.Symbol("n", positive=True)
    yield "a positive number is no key", _made("rho_K_causal", (1 + positive * first, i))
    yield "a product may be beyond all keys", _made("rho_K_causal", (i * first, i))
    yield "a square may be beyond all keys", _made("rho_K_causal", (i**2, i))
    yield from made(
        "common-key",
        ("query i sees itself, which is no common key", ("rho_Q > 0", ONE, i, i)),
        ("not every query sees the last", ("rho_Q > 0", ONE, i, last)),
        ("the window need not hold the first", ("rho_Q > 0", *WINDOW, ONE)),
        ("no query sees the sink itself", ("rho_Q > 0", ONE, T, ZERO)),
        ("there is no key after T", ("rho_Q > 0", ONE, T + 1, T + 1)),
        ("there is no key after T, in sight", ("rho_Q > 0", ONE, T + 1, ONE)),
        ("the key is before what is seen", ("rho_Q > 0", first, T, ONE)),
        ("the key is after what is seen", ("rho_Q > 0", ONE, first, T)),
        ("it is a condition on the queries", ("rho_K > 0", ONE, T, ONE)),
    )
    yield from made(
        "full-query",
        ("query i of J is no fixed one", ("rho_K > 0", *FULL, i)),
        ("not every key is a query", ("rho_K > 0", *FULL, T)),
        ("the first sees fewer keys than the last", ("rho_K_causal > 0", *CAUSAL, first)),
        ("the last sees none after itself", ("rho_K > 0", *CAUSAL, last)),
        ("no window holds all that are seen", ("rho_K_window > 0", *WINDOW, last)),
        ("no window holds all that are seen, by the first", ("rho_K_window > 0", *WINDOW, first)),
        ("a window begins later", ("rho_K_causal > 0", *WINDOW, last)),
        ("a hull of windows is none of one query", ("rho_K_window > 0", *FULL, last)),
        ("it is a condition on the keys", ("rho_Q > 0", *FULL, last)),
        ("there is no key 0", ("rho_K > 0", ZERO, T, last)),
        ("there is no key after T", ("rho_K > 0", ONE, T + 1, last)),
        ("a key is missing at the end", ("rho_K_causal > 0", ONE, i - 1, last)),
        ("a key is missing at the beginning", ("rho_K_causal > 0", ONE + w - w + 1, i, last)),
    )
    shorter, windowed = _made("rho_K_causal", (ONE, i - 1)), _made("rho_K_window", WINDOW)
    yield from made(
        "sufficient-alone",
        ("another property", ("D decreasing", CAUSALLY, *CAUSAL, _made("rho_K_causal"))),
        ("a condition is missing", (REPRESENTABLE, CAUSALLY[:1], *CAUSAL, _made("rho_K_causal"))),
        ("of another hull", (REPRESENTABLE, CAUSALLY, *WINDOW, windowed)),
        ("of fewer keys", (REPRESENTABLE, CAUSALLY, *CAUSAL, shorter)),
        ("no mask has these keys", (REPRESENTABLE, CAUSALLY, *shorter.data[1:3], shorter)),
        ("the part is false", (REPRESENTABLE, CAUSALLY, *FULL, _made("rho_K_causal", FULL))),
        ("necessary is not enough", (REPRESENTABLE, "rho_Q > 0", *FULL, step("common-key", "rho_Q > 0", *FULL, ONE))),
    )
    for name, (bottom, top) in HULL.items():
        if name != "rho_K":
            yield "the hull does not hold all that is seen", _made(name, FULL)
        yield "the hull's first key is missing", _made(name, (bottom - 1, top))
        yield "the hull's last key is missing", _made(name, (bottom, top + 1))
    score, least = uz * vk, rho_Q**2 * rho_K**2
    yield from made(
        "rank-one",
        ("its first condition alone", (("rho_Q > 0",), *FULL, score, least)),
        ("its second condition alone", (("rho_K > 0",), *FULL, score, least)),
        ("the other order", (("rho_K > 0", "rho_Q > 0"), *FULL, score, least)),
        ("z_0 in a hull", (("rho_Q > 0", "rho_K >= 0"), *FULL, score, least)),
        ("another score", (BOTH, *FULL, uz + vk, rho_Q**2 + rho_K**2)),
        ("a square of the score", (BOTH, *FULL, (uz * vk) ** 2, least**2)),
        ("another least score", (BOTH, *FULL, score, rho_Q * rho_K)),
        ("of another hull", (BOTH, *FULL, score, rho_Q**2 * symbol("rho_K_causal") ** 2)),
    )


def _products() -> Iterator[tuple[str, Step]]:
    named = (("rho_C > 0",), FULL), (("rho_C_causal > 0",), CAUSAL), (("rho_C_window > 0",), WINDOW)
    for place, (condition, keys) in enumerate(named):
        other = named[place - 1][1]
        for rule, more in (("gordan", ()), ("nearest-point", (SEGMENT, SLOPE))):
            for why, data in (
                ("other keys", (REPRESENTABLE, condition, *other, SCORE, FACTORS)),
                ("another property", ("D decreasing", condition, *keys, SCORE, FACTORS)),
                ("0 may be in the hull", (REPRESENTABLE, (condition[0].replace(">", ">="),), *keys, SCORE, FACTORS)),
                ("no condition", (REPRESENTABLE, (), *keys, SCORE, FACTORS)),
                ("the score's sign", (REPRESENTABLE, condition, *keys, q * s + q * k, (q, s + k))),
                ("no difference of scores", (REPRESENTABLE, condition, *keys, q * s, (q, s))),
                ("other factors", (REPRESENTABLE, condition, *keys, SCORE, (q, s + k))),
                ("the second factor is of one side", (REPRESENTABLE, condition, *keys, SCORE, (q * (s - k), ONE))),
                ("the factors exchanged", (REPRESENTABLE, condition, *keys, SCORE, (s - k, q))),
                ("keys the other way round", (REPRESENTABLE, condition, *keys[::-1], SCORE, FACTORS)),
            ):
                yield why, step(rule, *data, *more)
    good = (REPRESENTABLE, *named[0][:1], *FULL, SCORE, FACTORS)
    for why, segment, slope in (
        ("a line is no square", (1 - t) * pp + t * cc, cc - pp),
        ("the square of twice the segment", 4 * SEGMENT, 4 * SLOPE),
        ("the product is counted once", SEGMENT - t * (1 - t) * pc, SLOPE - pc),
        ("a cubic", SEGMENT + t**2 * (1 - t), SLOPE),
        ("the slope at the other end", SEGMENT, 2 * (cc - pc)),
        ("half of the slope", SEGMENT, pc - pp),
        ("the slope's sign", SEGMENT, 2 * (pp - pc)),
        ("the segment from the other end", SEGMENT.xreplace({t: 1 - t}), SLOPE),
    ):
        yield why, step("nearest-point", *good, segment, slope)


def _conditions() -> Iterator[tuple[str, Step]]:
    queries, keys, made = _both("rho_K", FULL)
    for why, parts, conditions in (
        ("nothing is shown", (), ()),
        ("the conditions may suffice only", (made,), BOTH),
        ("one of them may not be needed", (queries, made), BOTH),
        ("the other may not be needed", (keys, made), BOTH),
        ("they may be needed only", (queries, keys), BOTH),
        ("one condition is left out", (queries, keys, made), BOTH[:1]),
        ("conditions of another hull", (queries, keys, made), CAUSALLY),
        ("one part is false", (queries, keys, _made("rho_K", (ONE, T + 1))), BOTH),
        ("of other keys", (queries, keys, _made("rho_K", CAUSAL)), BOTH),
        ("necessary for other keys", (_both("rho_K_causal", CAUSAL)[0], keys, made), BOTH),
        ("sufficient twice", (queries, keys, made, _made("rho_K_causal", FULL)), BOTH),
        ("a step that tells of no keys", (queries, keys, made, _dual("nuclear")), BOTH),
    ):
        yield why, _when(parts, conditions)
    yield "another property", _when((queries, keys, made), BOTH, "D decreasing")


def _norms() -> Iterator[tuple[str, Step]]:
    norm = "nuclear"
    size = symbol(norm)
    yield from made(
        "sink-dual",
        ("twice the bound", (norm, MARGIN, size * rho_Q * rho_K, 2 * VALUE)),
        ("another margin", (norm, 2 * MARGIN, size * rho_Q * rho_K, 2 * VALUE)),
        ("another pairing", (norm, MARGIN, size * rho_Q, MARGIN / rho_Q)),
        ("a norm of entries", ("column", MARGIN, symbol("column") * rho_Q * rho_K, VALUE)),
        ("of another norm", (norm, MARGIN, symbol("frobenius") * rho_Q * rho_K, VALUE)),
        ("a square of the distance", (norm, MARGIN, size * rho_Q * rho_K, FACTOR)),
    )
    yield from made(
        "sink-primal",
        ("half of the factor", (norm, MARGIN, FACTOR / 2, VALUE / 2)),
        ("another margin", (norm, MARGIN / 2, FACTOR / 2, VALUE / 2)),
        ("a norm of entries", ("column", MARGIN, FACTOR, VALUE)),
        ("another norm of it", (norm, MARGIN, FACTOR, VALUE / 2)),
        ("the factor is no norm", (norm, MARGIN, FACTOR, FACTOR)),
    )
    for why, name, value, parts in (
        ("nothing bounds it from below", norm, VALUE, (_primal(norm), _primal(norm))),
        ("nothing attains it", norm, VALUE, (_dual(norm), _dual(norm))),
        ("the other way round", norm, VALUE, (_primal(norm), _dual(norm))),
        ("a bound of another norm", norm, VALUE, (_dual("frobenius"), _primal(norm))),
        ("another norm of the matrix", norm, VALUE, (_dual(norm), _primal("frobenius"))),
        ("not this norm", "spectral", VALUE, (_dual(norm), _primal(norm))),
        ("another value", norm, 2 * VALUE, (_dual(norm), _primal(norm))),
        ("a false bound", norm, 2 * VALUE, (_dual(norm, 2 * VALUE), _primal(norm, 2 * FACTOR))),
        ("the bound is false, not the matrix", norm, VALUE, (_dual(norm, 2 * VALUE), _primal(norm))),
        ("the matrix is too small", norm, VALUE, (_dual(norm), _primal(norm, FACTOR / 2))),
    ):
        yield why, step("least-norm", name, value, parts)


def _spheres() -> Iterator[tuple[str, Step]]:
    yield from made(
        "strict-sphere",
        ("in dimension 1 two points are equal with probability 1/2", ("rho_K > 0", "dim", 1, 2 - 2 * c, c)),
        ("0 is in the hull of few queries with positive probability", ("rho_Q > 0", "dim", 2, 2 - 2 * c, c)),
        ("the square of the distance", ("rho_K > 0", "dim", 2, 1 - c, c)),
        ("the distance's sign", ("rho_K > 0", "dim", 2, 2 + 2 * c, c)),
        ("the cosine of twice the angle", ("rho_K > 0", "dim", 2, 2 - 2 * c, 2 * c**2 - 1)),
        ("the cosine's sign", ("rho_K > 0", "dim", 2, 2 - 2 * c, -c)),
        ("no dimension", ("rho_K > 0", "", 2, 2 - 2 * c, c)),
        ("another name is no dimension", ("rho_K > 0", "number_of_sheep", 2, 2 - 2 * c, c)),
        ("the points are no dimension", ("rho_K > 0", "points", 2, 2 - 2 * c, c)),
        ("no inner product", ("rho_K > 0", "dim", 2, ZERO, ONE)),
    )
    cells = (
        ("a half of them", RowSum(points - 1, dim - 1)),
        ("one hyperplane more", 2 * RowSum(points, dim - 1)),
        ("one hyperplane less", 2 * RowSum(points - 2, dim - 1)),
        ("one dimension more", 2 * RowSum(points - 1, dim)),
        ("one dimension less", 2 * RowSum(points - 1, dim - 2)),
        ("the names exchanged", 2 * RowSum(dim - 1, points - 1)),
        ("twice the hyperplanes", 2 * RowSum(2 * points - 1, dim - 1)),
        ("as many as in general", 2**points),
        ("times the dimension", dim * RowSum(points - 1, dim - 1)),
        ("one term of the sum", 2 * sp.binomial(points - 1, dim - 1)),
        ("a square", 2 * RowSum(points - 1, dim - 1) ** 2),
        ("of another sum for one hyperplane", 2 * RowSum(points - 1, 2 * dim - 2)),
        ("no hyperplane in no dimension", sp.Integer(0)),
        ("2 everywhere", sp.Integer(2)),
        ("a formula for d = 1 alone", 2 * RowSum(points - 1, 0) + dim - 1),
        ("a formula for N = 1 alone", 2 * RowSum(points - 1, dim - 1) * points),
        ("one of an infinite number of others", 2 * RowSum(points - 1, dim - 1) + RowSum(points - 1, dim - 2)),
        ("another one that meets the recursion", 2 * RowSum(points - 1, dim - 1) + RowSum(points - 2, dim - 3)),
        ("2 for one hyperplane in dimension 1 alone", 2 * RowSum(points - 1, dim - 1) + _later(2) - _later(3)),
        ("no polynomial in sums", 2 * sp.sqrt(RowSum(points - 1, dim - 1) ** 2)),
    )
    for why, formula in cells:
        yield why, step("hyperplane-cells", "dim", "points", formula)
    other = step("hyperplane-cells", "n", "points", 2 * RowSum(points - 1, symbol("n") - 1))
    causal = step("strict-sphere", "rho_K_causal > 0", "dim", 2, 2 - 2 * c, c)
    elsewhere = step("strict-sphere", "rho_K > 0", "n", 2, 2 - 2 * c, c)
    fewer = 2 * RowSum(symbol("N") - 1, dim - 1)
    beyond = step("strict-sphere", "rho_K > 0", "dim", 3, 2 - 2 * c, c)
    for why, found in (
        ("twice the probability", _signs(2 * CHANCE)),
        ("J holds other queries", _signs(queries=(first, last))),
        (
            "a sphere of another dimension than the hyperplanes'",
            _signs(
                2 ** (1 - points) * RowSum(points - 1, symbol("n") - 1),
                (EVERYWHERE, SPHERE, other),
                dimension="n",
                given=("n >= 2", "points >= 1"),
            ),
        ),
        (
            "in dimension 1 the sphere shows nothing",
            _signs(parts=(EVERYWHERE, _sphere("rho_K > 0", 1), COUNTED), given=("dim >= 1", "points >= 1")),
        ),
        ("J holds one query", _signs(queries=(ONE, ONE))),
        ("J holds all queries up to its last", _signs(queries=(ONE, last))),
        ("J begins with its first", _signs(queries=(first, T))),
        ("J holds one query more", _signs(queries=(ZERO, T))),
        ("every query sees the keys before it", _signs(keys=CAUSAL)),
        ("keys of another mask", _signs(keys=WINDOW)),
        ("all keys, where those before it are seen", _signs(parts=(UNTIL, _sphere("rho_K_causal > 0"), COUNTED))),
        ("dimension 1", _signs(given=("dim >= 1", "points >= 1"))),
        ("any dimension", _signs(given=())),
        ("the dimension may be 2, where more is needed", _signs(parts=(EVERYWHERE, beyond, COUNTED))),
        ("no point", _signs(given=("dim >= 2", "points >= 0"))),
        (
            "points that nobody counts",
            _signs(
                2 ** (-symbol("N")) * fewer,
                (EVERYWHERE, SPHERE, step("hyperplane-cells", "dim", "N", fewer)),
                given=("dim >= 2", "N >= 1"),
                count="N",
            ),
        ),
        ("the number of cells is no probability", _signs(CELLS)),
        ("a hull that the sphere says nothing of", _signs(parts=(EVERYWHERE, causal, COUNTED))),
        ("conditions that the sphere says nothing of", _signs(parts=(UNTIL, SPHERE, COUNTED))),
        (
            "cells of another space",
            _signs(2 ** (1 - points) * RowSum(points - 1, symbol("n") - 1), (EVERYWHERE, SPHERE, other)),
        ),
        ("a sphere of another space", _signs(parts=(EVERYWHERE, elsewhere, COUNTED))),
        ("another space", _signs(dimension="n")),
        ("another number of points", _signs(count="n")),
        ("the steps in another order", _signs(parts=(SPHERE, EVERYWHERE, COUNTED))),
        ("one step is missing", _signs(parts=(EVERYWHERE, SPHERE))),
        ("the equivalence is false", _signs(parts=(_when(_both("rho_K", FULL)[1:], BOTH), SPHERE, COUNTED))),
        (
            "the count is false",
            _signs(CHANCE / 2, (EVERYWHERE, SPHERE, step("hyperplane-cells", "dim", "points", CELLS / 2))),
        ),
        ("the equivalence is another", _signs(parts=(GORDAN, SPHERE, COUNTED))),
        (
            "an equivalence of these names, by other steps",
            _signs(parts=(step("gordan", *EVERYWHERE.data), SPHERE, COUNTED)),
        ),
    ):
        yield why, found


def _later(away: int) -> sp.Expr:
    """A sum that meets the recursion of the cells, and is 0 for d < away."""
    return RowSum(points - 1, dim - away)


def _sphere(condition: str, least: int = 2) -> Step:
    return step("strict-sphere", condition, "dim", least, 2 - 2 * c, c)


GORDAN = step("gordan", REPRESENTABLE, ("rho_C > 0",), *FULL, SCORE, FACTORS)


def true() -> Iterator[Step]:
    """Steps that hold."""
    yield from (*_both("rho_K", FULL), EVERYWHERE, *_both("rho_K_causal", CAUSAL), UNTIL)
    for name, keys in SEEN.items():
        data = (REPRESENTABLE, (f"{name} > 0",), *keys, SCORE, FACTORS)
        yield step("gordan", *data)
        yield step("nearest-point", *data, sp.expand(SEGMENT), SLOPE)
        part = _made(name.replace("C", "K", 1), keys)
        yield from (part, step("sufficient-alone", REPRESENTABLE, part.data[0], *keys, part))
    lows = (
        w,
        first,
        i,
        2 * first - 1,
        2 * w - 1,
        sp.Max(ZERO, first),
        sp.Max(ONE, i - w + 1),
        sp.Min(i, w),
        i - first + 1,
    )
    highs = (last, first, i, sp.Min(T, last), sp.Min(i + w, last), sp.Max(i, first), 2 * i - last, i - w + 1)
    for low in lows:
        yield _made("rho_K_causal", (low, i))
    for high in highs:
        yield _made("rho_K_causal", (ONE, high))
    yield _made("rho_K", (first, sp.Max(i, last)))
    # whatever the other number is
    for name in ("a", "n", "z"):
        yield _made("rho_K_causal", (sp.Max(first, symbol(name)), sp.Min(i, symbol(name))))
    yield step("common-key", "rho_Q > 0", first, T, last)
    yield step("common-key", "rho_Q > 0", *CAUSAL, first)
    yield step("full-query", "rho_K > 0", *FULL, first)
    for norm in ("spectral", "frobenius", "nuclear"):
        yield from (_dual(norm), _primal(norm), step("least-norm", norm, VALUE, (_dual(norm), _primal(norm))))
    yield from (SPHERE, COUNTED, _signs())
    yield step("strict-sphere", "rho_K_causal > 0", "dim", 3, 2 - 2 * c, c)
    causal = _sphere("rho_K_causal > 0")
    yield _signs(parts=(UNTIL, causal, COUNTED), keys=CAUSAL)
    yield _signs(parts=(EVERYWHERE, _sphere("rho_K > 0", 3), COUNTED), given=("dim >= 3", "points >= 1"))
    yield step("hyperplane-cells", "n", "k", 2 * RowSum(symbol("k") - 1, symbol("n") - 1))
