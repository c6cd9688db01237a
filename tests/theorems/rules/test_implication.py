"""When a print's conditions imply sufficient ones: what follows, and near-misses that do not."""

import subprocess
import sys
from dataclasses import replace

import pytest
import sympy as sp

from theorems.algebra.expressions import parse, symbol
from theorems.claims.conditions import read
from theorems.claims.facts import Facts
from theorems.lampert2026.rules.optimum import PATTERNS
from theorems.rules.implication import fails_everywhere, implied, shown, visibly_non_negative

LEAST = {"C": 1, "n": 2, "r": 1, "s": 0}


@pytest.mark.parametrize(
    ("printed", "sufficient"),
    [
        (("x**2 >= 1/2",), ("x**2 >= 49/100",)),
        (("x**2 > 1/2",), ("x**2 >= 1/2",)),
        (("2*x**2 >= 1", "r > 3*s"), ("x**2 >= 1/2", "r > 2*s")),
        (("r > 3*s",), ("r > 3*s",)),
        (("3*s < r",), ("r > 3*s",)),
        (("x < r/s + C/2",), ("x < r/s + 2*C",)),
        (("x < (r + C)/sqrt(s)",), ("x < (r + n*C - 1)/sqrt(s)",)),
        (("x == y",), ("x == y",)),
        (("x < C", "y > 0"), ("x < 2*C - 1",)),
    ],
)
def test_what_follows(printed: tuple[str, ...], sufficient: tuple[str, ...]) -> None:
    assert implied(printed, sufficient, LEAST)


@pytest.mark.parametrize(
    ("printed", "sufficient"),
    [
        (("x**2 >= 48/100",), ("x**2 >= 49/100",)),
        (("x**2 >= 1/2",), ("x**2 > 1/2",)),
        (("r > 2*s",), ("r > 3*s",)),
        (("r >= 3*s",), ("r > 3*s",)),
        (("r < 3*s",), ("r > 3*s",)),
        (("x < r/s + 2*C",), ("x < r/s + C/2",)),
        (("x < C",), ("x < 2*C - 2",)),
        (("x < C",), ("x < C + y",)),
        (("x == y",), ("x == 2*y",)),
        (("x >= y",), ("x == y",)),
        (("x > y",), ("x > y", "x > 0")),
        ((), ("x > 0",)),
    ],
)
def test_what_does_not_follow(printed: tuple[str, ...], sufficient: tuple[str, ...]) -> None:
    assert not implied(printed, sufficient, LEAST)


#: x is a part of 1 in the setting of the patterns, r_eff at least 1, and delta2 = 1 - lam^2.
FOLLOWS = [
    (("lam >= 1/2",), "lam**2 >= 1/4", True),
    (("lam >= 1/2",), "lam**2 > 1/4", False),
    (("lam > 1/2",), "lam**2 > 1/4", True),
    (("lam >= 1/2",), "lam**2 >= 1/3", False),
    (("delta2 <= 1/2",), "lam**2 >= 49/100", True),
    (("delta2 <= 1/2",), "lam**2 >= 51/100", False),
    (("lam >= 3/5", "r_eff > 2"), "r_eff > 3*delta2", True),
    (("lam >= 3/5", "r_eff > 2"), "r_eff > 4*delta2", False),
    (("lam >= 3/5",), "r_eff > 3*delta2", False),
    (("r_eff > 2",), "r_eff > 3*delta2", False),
    (("lam >= 3/5", "r_eff >= 2"), "r_eff > 3*delta2", True),
    (("r_eff**2 > 10*delta2", "delta2 <= 1/4"), "r_eff > 6*delta2", True),
    (("r_eff**2 > 10*delta2", "delta2 <= 1/3"), "r_eff > 6*delta2", False),
    (("r_eff > 5*delta2**2",), "r_eff > 3*delta2 - 1/2", True),
    (("r_eff > 4*delta2**2",), "r_eff > 3*delta2 - 1/2", False),
    (("r_eff < 3", "lam == 1/2"), "r_eff < 4", True),
    (("r_eff < 3",), "1/r_eff > 1/4", True),
    (("r_eff < 3",), "1/r_eff > 2/5", False),
]


@pytest.mark.parametrize(("printed", "wanted", "good"), FOLLOWS)
def test_what_follows_from_all_conditions_together(printed: tuple[str, ...], wanted: str, good: bool) -> None:
    assert implied(printed, (wanted,), PATTERNS) is good


def test_long_conditions_are_let_be() -> None:
    wide = "+".join(f"{k + 1}*lam**{k % 5}*r_eff**{k % 7}*delta2**{k % 3}" for k in range(60))
    for long in ("(lam*r_eff - 1)**30*(lam + r_eff)**30 > 1/10**60", "r_eff**20*(lam - 1/2)**41 >= 0", f"{wide} > 9"):
        assert not implied((long,), ("lam >= 17/20",), PATTERNS)


def test_what_is_visibly_not_negative() -> None:
    for formula in ("s", "s/r**2", "x**2", "3*sqrt(r + s)", "1/sqrt(C + s**2)", "C*s + 1/2"):
        assert visibly_non_negative(parse(formula), LEAST), formula
    for formula in ("-s", "x", "s - 1", "x**3", "sqrt(r - s)", "x*s", "s*(r - C)"):
        assert not visibly_non_negative(parse(formula), LEAST), formula
    assert symbol("x") == read("x > 0")[0]


#: Of the setting of the patterns.
ENDS = replace(PATTERNS, least={**PATTERNS.least, "x": 0})
BOUND = "kappa*(4/sqrt(C + lam**2) + (2*C - 2)*sqrt(lam**2 + 4)/lam + r_eff*(2*n - 2)/(delta2*n))/sqrt(d)"


@pytest.mark.parametrize(
    ("here", "there"),
    [
        ("sqrt(C + lam**2)", "sqrt(2*C + lam**2)"),
        ("sqrt(C + lam**2)", "sqrt(C + lam)"),
        ("sqrt(lam**2 + 4)", "sqrt(lam**2 + 3)"),
        ("sqrt(lam**2 + 4)/lam", "sqrt(lam**2 + 4)"),
        ("(delta2*n)", "n"),
        ("(delta2*n)", "(delta2*n**2)"),
        ("/sqrt(d)", "/d"),
        # falls for no C from 1 on, where both are equal
        ("C", "1"),
    ],
)
def test_a_smaller_bound_follows_term_by_term(here: str, there: str) -> None:
    smaller = BOUND.replace(here, there)
    assert smaller != BOUND
    assert implied((f"budget < {smaller}",), (f"budget <= {BOUND}",), PATTERNS)
    assert implied((f"budget <= {smaller}",), (f"budget <= {BOUND}",), PATTERNS)
    assert not implied((f"budget <= {BOUND}",), (f"budget <= {smaller}",), PATTERNS)


@pytest.mark.parametrize(
    ("here", "there"),
    [
        ("sqrt(C + lam**2)", "sqrt(C + lam**3)"),
        ("sqrt(lam**2 + 4)", "sqrt(lam**2 + 5)"),
        ("sqrt(lam**2 + 4)", "sqrt((lam - 1)**2 + 4)"),
        ("sqrt(d)", "d**(1/4)"),
        ("4/sqrt(C + lam**2)", "5/sqrt(C + lam**2)"),
        ("kappa", "kappa**2"),
        ("2*n - 2", "2*n - 1"),
        ("sqrt(C + lam**2)", "sqrt(lam**2 - C)"),
    ],
)
def test_a_larger_bound_does_not(here: str, there: str) -> None:
    assert not implied((f"budget < {BOUND.replace(here, there)}",), (f"budget <= {BOUND}",), PATTERNS)


@pytest.mark.parametrize(
    ("printed", "sufficient", "follows"),
    [
        ("lam**3 >= 1/2", "lam**2 >= 1/2", True),
        ("lam**2 >= 1/2", "lam**3 >= 1/2", False),
        ("r_eff >= 3*delta2", "r_eff > 2*delta2", True),
        ("r_eff >= 2*delta2", "r_eff > 2*delta2", False),
        ("r_eff > 2", "r_eff > 2*delta2", True),
        ("r_eff > 2*delta2", "r_eff > 2", False),
        ("x >= 3*C", "x > 2*C", True),
        # n and r_eff may be 2 and 1
        ("x >= (n - 2)*r_eff", "x > 0", False),
        ("x >= 1 + (n - 2)*r_eff", "x > 0", True),
        # x may be 0
        ("C >= 2", "C + x > 2", False),
    ],
)
def test_strict_conditions_need_a_strict_difference(printed: str, sufficient: str, follows: bool) -> None:
    assert implied((printed,), (sufficient,), ENDS) is follows


@pytest.mark.parametrize("condition", ["lam > 1", "lam >= 1", "-C >= 1", "n < 2", "delta2*lam > C", "sqrt(d) < 1"])
def test_what_holds_nowhere(condition: str) -> None:
    assert fails_everywhere(condition, PATTERNS)


@pytest.mark.parametrize("condition", ["lam > 99/100", "C <= 1", "n <= 2", "budget < 0", "C == 0", "x < 0"])
def test_what_holds_somewhere_or_is_not_known_to_hold_nowhere(condition: str) -> None:
    assert not fails_everywhere(condition, PATTERNS)


def test_names_are_parts_where_that_is_said() -> None:
    gap = parse("lam - lam**2")
    assert shown(gap, {"lam": 0}, above={"lam"}, parts={"lam"})
    for least, above, parts in (({"lam": 0}, {"lam"}, ()), ({"lam": 0}, (), {"lam"}), ({}, {"lam"}, {"lam"})):
        assert not shown(gap, least, above=above, parts=parts)
    # of a name that may be at its least value nothing is known below a line
    assert shown(parse("2/x - 1/(x + x**2)"), {"x": 1}, strict=True)
    assert not shown(parse("2/x - 1/(x + x**2)"), {"x": 0}, strict=True)


@pytest.mark.parametrize(
    "text",
    [
        # what jumps is not seen by a derivative, nor by a look at a few points
        "C + 1000000*(1 - Indicator(C == 7)) - 2000000*Indicator(C == 7)",
        "1 - Indicator(C >= 100)*C",
        # the product of two roots of negative numbers is negative
        "1000000 + sqrt(-C - 1)*sqrt(-C - 2)",
        "Abs(C - 5)",
    ],
)
def test_what_jumps_or_is_not_real_is_shown_of_nothing(text: str) -> None:
    assert not shown(parse(text), PATTERNS.least, above=PATTERNS.above, parts=PATTERNS.parts)


@pytest.mark.parametrize(
    "gap",
    [
        # 2 and 0 below 1, -1 and less above it, with slope 0
        "((1 - s)**3)**(1/3)/(1 - s) + (1 - s)/((1 - s)**3)**(1/3)",
        "1 - cos(log((1 - s)**3) - 3*log(1 - s))",
    ],
)
def test_a_slope_of_0_does_not_say_that_there_is_no_jump(gap: str) -> None:
    formula = sp.sympify(gap, {"s": symbol("s")})
    assert sp.re(formula.subs(symbol("s"), 3).evalf()) < 0
    assert not shown(formula, {"s": 0})
    assert shown(sp.log(1 + symbol("s")), {"s": 0}) and shown(symbol("s") - 1 + 1 / (1 + symbol("s")), {"s": 0})


def test_facts_belong_to_one_setting() -> None:
    least = {"x": 0, "lam": 0}
    part = Facts(least, frozenset({"lam"}), frozenset({"lam"}))
    assert implied(("x > 1",), ("x > lam",), part)
    assert not implied(("x > 1",), ("x > lam",), least)
    assert PATTERNS.lacking(part) == "x >= 0" and not PATTERNS.lacking(Facts({"C": 0, "lam": 0}, part.above))
    assert PATTERNS.lacking(Facts({"C": 2})) == "C >= 2"
    assert PATTERNS.lacking(Facts(above=frozenset({"n"}))) == "n > 0"
    assert PATTERNS.lacking(Facts(parts=frozenset({"C"}))) == "0 < C < 1"
    assert PATTERNS.lacking(Facts(defined={"delta2": parse("1 - lam")})) == "delta2 = 1 - lam"


ASKED = """
import importlib, pkgutil
from theorems.rules.implication import fails_everywhere, implied
from theorems.claims.facts import Facts

def told():
    least = {"x": 0, "lam": 0, "delta2": 0, "kappa": 0}
    asked = [(("x > 1",), "x > lam"), (("delta2 <= 1/2",), "lam**2 >= 1/4"), (("x > 0",), "kappa > 0")]
    return [implied(given, (wanted,), least) for given, wanted in asked] + [fails_everywhere("lam > 1", Facts(least))]

before = told()
import theorems
for module in pkgutil.walk_packages(theorems.__path__, "theorems."):
    importlib.import_module(module.name)
assert told() == before == [False] * 4, (before, told())
"""


@pytest.mark.parametrize("power", [sp.I, 2 * sp.I + 1, sp.Integer(-1) ** sp.Rational(1, 3)])
def test_a_power_that_is_no_real_number_has_no_sign(power: sp.Expr) -> None:
    lam = symbol("lam")
    assert not shown(lam**power, {"lam": 0}) and not visibly_non_negative(lam**power, {"lam": 0})
    assert shown(lam ** sp.Rational(1, 3), {"lam": 0}) and shown(lam ** symbol("k"), {"lam": 0})


def test_importing_a_module_changes_nothing_that_is_shown() -> None:
    found = subprocess.run([sys.executable, "-c", ASKED], capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr
