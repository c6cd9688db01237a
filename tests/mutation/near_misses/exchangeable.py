"""Near misses and further true steps of the rules of theorems/rules/exchangeable.py."""

from __future__ import annotations

from collections.abc import Iterator

import sympy as sp

from tests.mutation.steps import changed
from theorems.algebra.expressions import symbol
from theorems.gaussian.exchangeable import MEAN, Vector, moment, output, token
from theorems.gaussian.process import Step
from theorems.rules.exchangeable import LEVEL

beta, k, t1, t2, s, m, c = (symbol(name) for name in ("beta", "k", "t1", "t2", "s", "m", "c"))
ZERO, ONE = sp.Integer(0), sp.Integer(1)


def _moment(one: Vector, two: Vector) -> Step:
    return Step("exchangeable-moment", "", (one, two, moment(one, two)))


def _of(first: str, second: str, level: sp.Expr = LEVEL) -> Step:
    return _moment(output(first, level), output(second, level))


ENERGY, CROSS = _of("i", "i"), _of("i", "j")
CONE = Step("energy-cone", "", (t1, t2))
BALANCE = Step("energy-balance", "", (ENERGY, CROSS))
CHORD = 2 * beta * t1 + (2 - s) * t2
FALLS, RISES = ("beta*t1 >= 0", "beta*t1 + t2 > 0"), ("beta*t1 + t2 <= 0", "beta*t1 < 0")
INSIDE = ("beta*t1 + t2 > 0", "beta*t1 < 0")
SLOPE = -2 * (1 - 1 / k) * (beta * t1 + (1 - LEVEL) * t2)
ROOT = 1 + beta * t1 / t2
#: Steps that say something else of D: no balance, no cone, no moment.
LEVEL_SLOPE = Step("level-slope", "", (ENERGY, ZERO, sp.expand(SLOPE.xreplace({LEVEL: ZERO}))))
LEVEL_ROOT = Step("level-root", "", (ENERGY, ROOT))


def _sign(name: str, conditions: tuple[str, ...], energy: Step = ENERGY, cone: Step = CONE) -> Step:
    return Step("slope-sign", "", (name, conditions, energy, cone))


def _chords(name: str, conditions: tuple[str, ...], chord: sp.Expr, energy: Step = ENERGY, cone: Step = CONE) -> Step:
    return Step("chord-sign", "", (name, conditions, energy, cone, chord))


def _by_chords(name: str, conditions: tuple[str, ...], energy: Step = ENERGY, cone: Step = CONE) -> Step:
    return _chords(name, conditions, CHORD, energy, cone)


def _ratio(name: str, conditions: tuple[str, ...], of_energy: Step, balance: Step = BALANCE) -> Step:
    return Step("ratio-of-energy", "", (name, conditions, balance, of_energy))


def _ends(sign: str, relation: str, loss: str = "2*beta*t1 + t2", balance: Step = BALANCE) -> Step:
    return Step("ends-compared", "", (f"R(1) {sign} R(0)", (f"{loss} {relation} 0",), balance))


def _inside(conditions: tuple[str, ...], name: str = "interior maximum", balance: Step = BALANCE) -> Step:
    return Step("interior-maximum", "", (name, conditions, balance, CONE))


def near() -> Iterator[tuple[str, Step]]:
    """Why it is false, and the step."""
    value = ENERGY.data[2]
    for why, step in (
        ("that of the same token", changed(CROSS, 2, value)),
        ("that of two tokens", changed(ENERGY, 2, CROSS.data[2])),
        ("another one", changed(ENERGY, 2, value + t2)),
        (
            "the mean varies less than a token",
            changed(_moment(token(MEAN), token(MEAN)), 2, moment(token("i"), token("i"))),
        ),
        ("W is not its transpose", changed(_moment(output("i", ZERO), token("i")), 2, symbol("tr_B_W"))),
    ):
        yield why, step
    slope = sp.expand(SLOPE.xreplace({LEVEL: ZERO}))
    half = _of("i", "i", LEVEL / 2)
    yield "the slope at another level", Step("level-slope", "", (ENERGY, ONE, slope))
    yield (
        "a slope of two tokens' moment",
        Step("level-slope", "", (CROSS, ZERO, sp.diff(CROSS.data[2], LEVEL).subs(LEVEL, 0))),
    )
    yield "a slope of D(l/2)", Step("level-slope", "", (half, ZERO, sp.diff(half.data[2], LEVEL).subs(LEVEL, 0)))
    yield "a slope of what is no moment", Step("level-slope", "", (changed(ENERGY, 2, LEVEL), ZERO, ONE))
    yield "its sign", Step("level-slope", "", (ENERGY, ZERO, -slope))
    yield "the trace with W alone has any sign", Step("energy-cone", "", (t2, t1))
    yield "t1 may be negative", Step("energy-cone", "", (t1, t1))
    yield "nothing is known of beta", Step("energy-cone", "", (beta, t2))
    yield "a name that may be negative", Step("energy-cone", "", (t1, beta))
    yield "less than a square", Step("energy-cone", "", (t1, t2 - 1))
    yield "A need not vanish with B", Step("energy-cone", "", (symbol("tr_A_W"), t2))
    yield "twice the same moment", Step("energy-balance", "", (ENERGY, ENERGY))
    yield "the other way round", Step("energy-balance", "", (CROSS, ENERGY))
    yield "two tokens at another level", Step("energy-balance", "", (ENERGY, _of("i", "j", LEVEL / 2)))
    yield "a false energy", Step("energy-balance", "", (changed(ENERGY, 2, value + LEVEL), CROSS))
    yield "a false product", Step("energy-balance", "", (ENERGY, changed(CROSS, 2, CROSS.data[2] - LEVEL)))
    both = changed(ENERGY, 2, value + (k - 1) * LEVEL), changed(CROSS, 2, CROSS.data[2] - LEVEL)
    yield "two false moments that fit each other", Step("energy-balance", "", both)
    yield "tokens of other names", Step("energy-balance", "", (ENERGY, _of("i", "n")))
    rising = changed(ENERGY, 2, value - (LEVEL**2 + 1) * t2)
    other_cone = Step("energy-cone", "", (t1, 2 * t2))
    for name, right, wrong in (("D decreasing", FALLS, RISES), ("D increasing", RISES, FALLS)):
        for build in (_sign, _by_chords):
            yield "the opposite conditions", build(name, wrong)
            yield "its first condition alone", build(name, right[:1])
            yield "its second condition alone", build(name, right[1:])
            yield "a condition more", build(name, (*right, "t2 > 0"))
            yield "no condition", build(name, ())
            yield (
                "D is constant where both may be 0",
                build(name, tuple(x.replace("> 0", ">= 0").replace("< 0", "<= 0") for x in right)),
            )
            yield "D may stop at an end", build(name, tuple(x.replace(">=", ">").replace("<=", "<") for x in right))
            yield "conditions on the other ends", build(name, _exchanged(right))
            yield "another property", build("R increasing", right)
            yield "of two tokens' moment", build(name, right, CROSS)
            yield "of D(l/2)", build(name, right, half)
            yield "a false energy", build(name, right, rising)
            yield "no cone", build(name, right, ENERGY, LEVEL_SLOPE)
            yield "a cone of another trace", build(name, right, ENERGY, other_cone)
            yield "no cone but a name and a trace", build(name, right, ENERGY, changed(CONE, 0, beta))
            yield "a step of two, the second of which is t2", build(name, right, ENERGY, PSD)
        for why, chord in (
            ("twice the chord", 2 * CHORD),
            ("minus the chord", -CHORD),
            ("the chord from 0", CHORD.xreplace({s: LEVEL})),
            ("a chord told by its ends, too", CHORD + (LEVEL + m - s) * s * (s - 2)),
            ("a chord told by one end", CHORD + (LEVEL + m - s) * s * (s - 2) * LEVEL),
            ("a chord that bends", CHORD + s * (s - 2)),
        ):
            yield why, _chords(name, right, chord)
        turned = {"D decreasing": "R increasing", "D increasing": "R decreasing"}[name]
        of_energy = _sign(name, right)
        yield "R does the opposite", _ratio(name.replace("D", "R"), right, of_energy)
        yield "not of R", _ratio(name, right, of_energy)
        yield "other conditions", _ratio(turned, wrong, of_energy)
        yield "what is said of D is false", _ratio(turned, wrong, _sign(name, wrong))
        yield "no balance but a root", _ratio(turned, right, of_energy, LEVEL_ROOT)
        yield "the balance is false", _ratio(turned, right, of_energy, Step("energy-balance", "", (ENERGY, ENERGY)))
        yield "nothing is said of D", _ratio(turned, right, _inside(right))
        yield "a root of that name says nothing", _ratio(turned, wrong, Step("psd-root", "", (name, wrong)))
    for sign, relation in ((">", "<"), ("<", ">"), (">", ">="), ("<", "<="), (">", "!=")):
        yield "the relation", _ends(sign, relation)
    compared = ("2*beta*t1 + t2 > 0",)
    yield "a comparison of ends says nothing of all levels", _ratio("R increasing", compared, _ends(">", ">"))
    for loss in ("beta*t1 + t2", "2*beta*t1", "2*beta*t1 - t2", "beta*t1"):
        yield "another loss", _ends(">", ">", loss)
    yield "another comparison", _ends("=", ">")
    yield "two conditions", Step("ends-compared", "", ("R(1) > R(0)", ("2*beta*t1 + t2 > 0", "t2 > 0"), BALANCE))
    yield "no balance", _ends(">", ">", balance=LEVEL_ROOT)
    yield "no balance but a slope", _ends(">", ">", balance=LEVEL_SLOPE)
    yield "a false balance", _ends(">", ">", balance=Step("energy-balance", "", (ENERGY, ENERGY)))
    for why, step in (
        ("D rises at 0", _inside(RISES)),
        ("D falls to the end", _inside(FALLS)),
        ("the maximum may be at an end", _inside(("beta*t1 + t2 >= 0", "beta*t1 <= 0"))),
        ("the maximum may be at 0", _inside(("beta*t1 + t2 >= 0", "beta*t1 < 0"))),
        ("the maximum may be at 1", _inside(("beta*t1 + t2 > 0", "beta*t1 <= 0"))),
        ("its second condition alone", _inside(INSIDE[1:])),
        ("its first condition alone", _inside(INSIDE[:1])),
        ("a minimum", _inside(INSIDE, "interior minimum")),
        ("no balance", _inside(INSIDE, balance=LEVEL_ROOT)),
        ("a false balance", _inside(INSIDE, balance=Step("energy-balance", "", (ENERGY, ENERGY)))),
        ("no cone", Step("interior-maximum", "", ("interior maximum", INSIDE, BALANCE, LEVEL_SLOPE))),
        ("a cone of another trace", Step("interior-maximum", "", ("interior maximum", INSIDE, BALANCE, other_cone))),
    ):
        yield why, step
    for why, root in (
        ("its sign", -ROOT),
        ("the root of the chord", 2 * ROOT),
        ("no root", ONE),
        ("of 1 - l", 1 - ROOT),
    ):
        yield why, Step("level-root", "", (ENERGY, root))
    yield "a root of two tokens' moment", Step("level-root", "", (CROSS, ROOT))
    yield "a root of D(l/2)", Step("level-root", "", (half, 2 * ROOT))
    yield "a root of a false energy", Step("level-root", "", (changed(ENERGY, 2, t2), ONE))


def _exchanged(conditions: tuple[str, ...]) -> tuple[str, ...]:
    """e(0) >= 0 and e(1) > 0 for e(1) >= 0 and e(0) > 0."""
    ends = {"beta*t1": "beta*t1 + t2", "beta*t1 + t2": "beta*t1"}
    return tuple(" ".join((ends[" ".join(words[:-2])], *words[-2:])) for words in map(str.split, conditions))


#: Licensed, and its second part is t2; it says nothing of signs.
PSD = Step("square-root", "", (t1, t2))


def true() -> Iterator[Step]:
    """Steps that hold."""
    yield from (ENERGY, CROSS, CONE, BALANCE, LEVEL_SLOPE, LEVEL_ROOT)
    yield _moment(
        token("i").mapped() + token(MEAN).times(c), token("j").mapped("Wt").mapped() + token("i").times(ONE * 2)
    )
    yield Step("level-slope", "", (ENERGY, LEVEL, SLOPE))
    for name, conditions in (("D decreasing", FALLS), ("D increasing", RISES)):
        turned = {"D decreasing": "R increasing", "D increasing": "R decreasing"}[name]
        for step in (_sign(name, conditions), _chords(name, conditions, CHORD)):
            yield step
            yield _ratio(turned, conditions, step)
    # the same conditions written otherwise
    yield _sign("D decreasing", ("t1*beta >= 0", "t2 + beta*t1 > 0"))
    yield from (_ends(">", ">"), _ends("<", "<"), _ends(">", ">", "t2 + 2*t1*beta"))
    yield _inside(INSIDE)
