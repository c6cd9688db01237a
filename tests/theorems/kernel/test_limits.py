"""Tables of limits: what covers, what a cell needs, what disproves a print, and how a table is written as a formula."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from theorems.algebra.expressions import parse, symbol, text
from theorems.bao2024.law import rho_limit
from theorems.claims.catalogue import by_id
from theorems.gaussian.process import Step
from theorems.kernel.derivation import Derived
from theorems.kernel.deriving import derive
from theorems.kernel.limits import (
    Cell,
    Law,
    Limit,
    Pattern,
    at_point,
    compare_cells,
    described,
    enclosed,
    excluded_by,
    formula_of,
    matches,
    on_cell,
    sign_of,
    supported_cells,
)
from theorems.kernel.outcome import Outcome
from theorems.kernel.settle import settle
from theorems.rules import licensed

theta, r, xi, eta = (symbol(name) for name in ("theta", "r", "xi", "eta"))
HALF, ONE, ZERO = sp.Rational(1, 2), sp.Integer(1), sp.Integer(0)
A, B = theta - HALF, (theta - HALF) * r - 1
DOMAIN = (theta, 1 - theta)
PART1, PART2, PART4 = (f"bao2024.sec4.lemma2-{part}" for part in (1, 2, 4))
AT_HALF: Pattern = ((A, (0,)),)


def table(*values: Any, domain: tuple[sp.Expr, ...] = DOMAIN) -> Limit:
    """The limit of theta - 1/2 < 0, = 0, > 0, as one value each."""
    cells = tuple(Cell(((A, (sign,)),), value) for sign, value in zip((-1, 0, 1), values, strict=True))
    return Limit(theta, (A,), cells, (), domain, (), "")


def part(name: str, what: str = "rho") -> Limit:
    found = derive(name).quantities[what]
    assert isinstance(found, Limit)
    return found


def settled(name: str, limit: Limit, **changes: Any) -> Outcome:
    """What the kernel says of a claim for this table in the place of the derived one."""
    return settle(replace(by_id()[name], **changes), Derived({"rho": limit}, limit.steps))


# -- signs


@settings(max_examples=60)
@given(st.fractions(0, 1, max_denominator=16), st.fractions(-8, 8, max_denominator=4))
def test_signs_of_products_and_quotients(t: Fraction, s: Fraction) -> None:
    point = {theta: sp.Rational(t.numerator, t.denominator), r: sp.Rational(s.numerator, s.denominator)}
    signs = {p: int(sp.sign(p.xreplace(point))) for p in (A, B, r)}
    for expression in (2 * A, -B, 1 - 2 * theta, B / 3, sp.expand(B) * -5, theta - HALF - 1 / r, A / r, -r):
        value = expression.xreplace(point)
        found = sign_of(expression, signs)
        if value.is_finite:
            assert found == int(sp.sign(value))
        else:
            assert found is None
    # products of two, and what is none of them
    for other in (theta, A + 1, xi, A - r):
        assert sign_of(other, signs) is None


# -- covering and comparing


def test_a_print_is_compared_cell_by_cell() -> None:
    limit = table(ZERO, HALF, ONE)
    good = parse("Indicator(theta == 1/2)/2 + Indicator(theta > 1/2)")
    assert compare_cells("rho", limit, good).equal is True
    for same in (
        "Indicator(theta > 1/2)/2 + Indicator(theta >= 1/2)/2",
        "1 - Indicator(theta <= 1/2) + Indicator(theta==1/2)/2",
    ):
        assert compare_cells("rho", limit, parse(same)).equal is True
    for wrong in (
        "Indicator(theta >= 1/2)",
        "Indicator(theta > 1/2)",
        "1/2",
        "0",
        "Indicator(theta == 1/2)/2 + Indicator(theta < 1/2)",
    ):
        found = compare_cells("rho", limit, parse(wrong))
        assert found.equal is False
        assert any(not cell.agrees and cell.printed != cell.limit for cell in found.cells)


def test_weak_and_strict_matter_only_where_the_limit_differs() -> None:
    """At a boundary with the limits 0 | 1 | 1 the indicator must be weak, with 1 | 1 | 1 it does not matter."""
    strict, weak = parse("Indicator(theta > 1/2)"), parse("Indicator(theta >= 1/2)")
    assert compare_cells("rho", table(ZERO, ONE, ONE), weak).equal is True
    assert compare_cells("rho", table(ZERO, ONE, ONE), strict).equal is False
    assert compare_cells("rho", table(ZERO, ZERO, ONE), strict).equal is True
    assert compare_cells("rho", table(ZERO, ZERO, ONE), weak).equal is False
    for relation in ("<=", "<"):
        both = parse(f"Indicator(theta {relation} 1/2) + Indicator(theta {'>' if relation == '<=' else '>='} 1/2)")
        assert compare_cells("rho", table(ONE, ONE, ONE), both).equal is True
    # a boundary of its own is seen, on either side of the true one
    for moved in ("Indicator(theta >= 9/16)", "Indicator(theta >= 7/16)", "Indicator(theta >= 5/8)"):
        assert compare_cells("rho", table(ZERO, ONE, ONE), parse(moved)).equal is not True


def test_a_table_with_a_missing_cell_is_undecided() -> None:
    whole = table(ZERO, HALF, ONE)
    good = parse("Indicator(theta == 1/2)/2 + Indicator(theta > 1/2)")
    for k in range(3):
        limit = replace(whole, cells=(*whole.cells[:k], *whole.cells[k + 1 :]))
        found = compare_cells("rho", limit, good)
        assert found.equal is None
        assert "no limit was derived" in found.reason


@pytest.mark.parametrize("name", [PART1, PART2])
def test_the_kernel_leaves_a_missing_cell_open(name: str) -> None:
    """Printed with the true formula: proved where every cell is there, undecided without any of them."""
    limit = part(name)
    printed, conditions = formula_of(limit), excluded_by(limit)
    told = {"printed": {"rho": text(printed)}, "conditions": conditions}
    assert compare_cells("rho", limit, printed, conditions).equal is True
    for k, cell in enumerate(limit.cells):
        if cell.value is not None:
            fewer = replace(limit, cells=(*limit.cells[:k], *limit.cells[k + 1 :]))
            assert compare_cells("rho", fewer, printed, conditions).equal is None
    if name == PART1:
        assert settled(name, limit, **told).status == "proved"
        assert settled(name, fewer, **told).status == "undecided"


def test_a_limit_that_depends_on_the_sequence_disproves_a_print_that_speaks_there() -> None:
    limit = table(ZERO, None, ONE)
    assert excluded_by(limit) == ("theta - 1/2 != 0",)
    printed = parse("Indicator(theta > 1/2)")
    assert compare_cells("rho", limit, printed).equal is False
    assert compare_cells("rho", limit, printed, ("theta - 1/2 != 0",)).equal is True


def test_a_limit_that_depends_on_the_sequence_where_no_exact_point_is_leaves_a_print_open() -> None:
    """At theta = 1/sqrt(2) there is no limit, and no rational point shows it."""
    edge = 2 * theta**2 - 1
    cells = (Cell(((edge, (1,)),), ONE), Cell(((edge, (-1,)),), ZERO), Cell(((edge, (0,)),), None))
    limit = Limit(theta, (edge,), cells, (), DOMAIN, (), "")
    assert compare_cells("rho", limit, parse("Indicator(2*theta**2 > 1)")).equal is None
    assert compare_cells("rho", limit, parse("Indicator(2*theta**2 > 1)"), ("2*theta**2 - 1 != 0",)).equal is True


def test_conditions_take_cells_out() -> None:
    limit, printed = table(ZERO, HALF, ONE), parse("Indicator(theta >= 1/2)")
    assert compare_cells("rho", limit, printed).equal is False
    for condition in ("theta - 1/2 != 0", "2*theta - 1 != 0", "1/2 - theta != 0"):
        assert compare_cells("rho", limit, printed, (condition,)).equal is True
    # other cells stay
    for condition in ("theta != 0", "r != 0"):
        assert compare_cells("rho", limit, printed, (condition,)).equal is False
    assert compare_cells("rho", limit, parse("0"), ("theta - 1/2 != 0",)).equal is False


@pytest.mark.parametrize("condition", ["theta != 1/2", "1/2 != theta", "theta > 1/2"])
def test_a_condition_in_another_form_disproves_nothing_that_it_takes_out(condition: str) -> None:
    """The print is wrong at theta = 1/2 alone, of which the claim does not speak."""
    limit, printed = table(ZERO, HALF, ONE), parse("Indicator(theta >= 1/2)")
    assert compare_cells("rho", limit, printed, (condition,)).equal is not False


def test_cells_without_an_exact_point_disprove_nothing() -> None:
    """theta - 1/2 = 0 and theta - 1 >= 0 exclude one another, though no step shows it: open, not disproved."""
    other = theta - 1
    cells = (Cell(((A, (1,)),), ONE), Cell(((A, (-1,)),), ZERO), Cell(((A, (0,)), (other, (-1,))), HALF))
    impossible = Cell(((A, (0,)), (other, (0, 1))), sp.Integer(7))
    limit = Limit(theta, (A, other), (*cells, impossible), (), DOMAIN, (), "")
    printed = parse("Indicator(theta == 1/2)/2 + Indicator(theta > 1/2)")
    assert compare_cells("rho", limit, printed).equal is None
    shown: Pattern = ((A, (0,)), (other, (0, 1)))
    assert compare_cells("rho", replace(limit, empty=(shown,)), printed).equal is True


def test_a_limit_that_is_a_function_or_a_surd_is_compared_by_value() -> None:
    """theta/2 is theta/2, and (1 + sqrt 2)^2 is 3 + 2 sqrt 2; neither disproves itself."""
    everywhere = replace(table(ZERO, ZERO, ZERO), cells=(Cell((), theta / 2),))
    assert compare_cells("rho", everywhere, theta / 2).equal is not False
    surd = replace(everywhere, cells=(Cell((), (1 + sp.sqrt(2)) ** 2),))
    assert compare_cells("rho", surd, 3 + 2 * sp.sqrt(2)).equal is not False


def test_formulas_of_indicators_at_points_and_on_cells() -> None:
    printed = parse("Indicator(r > 2)*Indicator(theta <= 1/2 + 1/r)")
    assert at_point(printed, {"theta": Fraction(5, 8), "r": Fraction(4)}) == 1
    assert at_point(printed, {"theta": Fraction(7, 8), "r": Fraction(4)}) == 0
    # 1/r is not defined at r = 0, and is switched off
    assert at_point(printed, {"theta": Fraction(5, 8), "r": Fraction(0)}) == 0
    assert at_point(parse("Indicator(theta <= 1/2 + 1/r)"), {"theta": Fraction(5, 8), "r": Fraction(0)}) is None
    signs = {A: 1, B: -1, 2 - r: -1, r: 1}
    assert on_cell(printed, signs) == 1
    assert on_cell(printed, signs | {B: 1}) == 0
    assert on_cell(printed, signs | {2 - r: 1}) == 0
    assert on_cell(parse("Indicator(theta >= 3/4)"), signs) is None
    assert described({A: 0, B: -1}) == "theta - 1/2 = 0, r*(theta - 1/2) - 1 < 0"
    assert matches(((A, (0, 1)),), signs) and not matches(((A, (0, -1)),), signs)


# -- the formula


def grid(name: str) -> list[dict[str, Fraction]]:
    """Points of theta and r, r < 0 for part 2."""
    side = -1 if name == PART2 else 1
    sizes = [Fraction(k, 4) for k in (1, 3, 6, 8, 9, 12, 16, 24, 40)]
    return [{"theta": Fraction(k, 24), "r": side * size} for k in range(25) for size in sizes]


@pytest.mark.parametrize("name", [PART1, PART2, PART4])
def test_the_formula_of_a_table_reads_back_and_is_the_limit(name: str) -> None:
    """Through text and parse; the values at witnesses of all cells agree, and the comparison says so."""
    limit = part(name)
    formula = formula_of(limit)
    again = parse(text(formula))
    assert compare_cells("rho", limit, again, excluded_by(limit)).equal is True
    assert len({limit.limit_at(point) for point in grid(name)}) == (1 if name == PART4 else 4)
    for point in grid(name):
        value = limit.limit_at(point)
        assert value is None or at_point(again, point) == value
    assert {s.name for s in formula.free_symbols} <= {"theta", "r"}


@settings(max_examples=25)
@given(st.tuples(*[st.sampled_from([ZERO, HALF, ONE])] * 3))
def test_formulas_of_small_tables(values: tuple[sp.Expr, sp.Expr, sp.Expr]) -> None:
    limit = table(*values)
    formula = parse(text(formula_of(limit)))
    assert compare_cells("rho", limit, formula).equal is True
    for other in {ZERO, HALF, ONE} - {values[1]}:
        assert compare_cells("rho", table(values[0], other, values[2]), formula).equal is False


@pytest.mark.parametrize("allowed", [(-1, 1), (1, -1), (0, 1), (-1, 0)])
def test_the_formula_of_a_cell_with_two_signs(allowed: tuple[int, int]) -> None:
    """theta != 1/2 must not be written as 1, which would count the cell of theta = 1/2 twice."""
    (rest,) = {-1, 0, 1} - set(allowed)
    cells = (Cell(((A, (rest,)),), HALF), Cell(((A, allowed),), ONE))
    limit = Limit(theta, (A,), cells, (), DOMAIN, (), "")
    formula = parse(text(formula_of(limit)))
    for value in ("1/4", "1/2", "3/4"):
        point = {"theta": Fraction(value)}
        assert at_point(formula, point) == limit.limit_at(point)


def test_decoys_of_a_limit_are_told_from_it() -> None:
    """Every wrong version of the true formula that is not itself true is disproved or left open, never proved."""
    from proofs_check.claims.mutants import mutants

    limit = part(PART1)
    conditions, places = excluded_by(limit), grid(PART1)[::2]
    said = []
    for label, other in mutants(formula_of(limit), ())[::2]:
        values = [(limit.limit_at(point), at_point(other, point)) for point in places]
        true = all(value is None or value == claimed for value, claimed in values)
        found = compare_cells("rho", limit, other, conditions).equal
        said.append(found)
        # a false one may be left open, a true one too
        assert found is None or found == true, label
    assert said.count(False) >= 3


# -- where the claim speaks


def test_a_cell_is_empty_only_where_the_claim_does_not_speak() -> None:
    """Of a domain theta >= 1/2 no cell with theta < 1/2 has a point, and what is printed there is not looked at."""
    limit = part(PART1)
    domain: tuple[sp.Expr, ...] = (*limit.domain, A)
    below: Pattern = ((A, (-1,)),)
    steps = tuple(replace(s, data=(s.data[0], domain, s.data[2])) for s in limit.steps if s.rule == "empty-cell")
    steps += (Step("empty-cell", "", (below, domain, ((1, (-A,)), (1, (A,))))),)
    narrow = replace(
        limit,
        domain=domain,
        empty=(*limit.empty, below),
        steps=(*steps, *(s for s in limit.steps if s.rule != "empty-cell")),
        cells=tuple(cell for cell in limit.cells if below[0] not in cell.pattern),
    )
    conditions = (*by_id()[PART1].conditions, "theta - 1/2 != 0", "r*(theta - 1/2) - 1 != 0")
    everywhere = {"conditions": conditions, "printed": {"rho": "Indicator(r*(theta - 1/2) - 1 < 0)"}}
    found = settled(PART1, narrow, **everywhere)
    assert found.status == "undecided" and found.evidence == ["not assumed: theta - 1/2 >= 0"]
    assert settled(PART1, limit, **everywhere).status == "disproved"
    half = {**everywhere, "conditions": (*conditions, "theta - 1/2 >= 0")}
    assert settled(PART1, narrow, **half).status == "proved"


def test_a_point_outside_the_claim_disproves_nothing() -> None:
    """Of a domain without theta <= 1 the point theta = 5/2, r = 1 is one, where the limit is another."""
    limit = part(PART1)
    wide = tuple(term for term in limit.domain if term == r)

    def moved(step: Step) -> Step:
        return replace(step, data=tuple(wide if one == limit.domain else one for one in step.data))

    cells = tuple(replace(cell, steps=tuple(map(moved, cell.steps))) for cell in limit.cells)
    steps = tuple(moved(step) for step in limit.steps if step.rule != "empty-cell")
    open_ = replace(limit, domain=wide, empty=(), cells=cells, steps=steps)
    inside = "Indicator(theta >= 1/2)*Indicator(r*(theta - 1/2) - 1 < 0)"
    printed = f"{inside}*Indicator(r > 2) + Indicator(theta >= 1/2)*Indicator(r <= 2)"
    conditions = (*by_id()[PART1].conditions, "theta - 1/2 != 0", "r*(theta - 1/2) - 1 != 0")
    assert settled(PART1, limit, printed={"rho": printed}, conditions=conditions).status == "proved"
    assert settled(PART1, open_, printed={"rho": printed}, conditions=conditions).status == "undecided"
    assert compare_cells("rho", open_, parse(printed), conditions).equal is False


# -- steps


def test_a_cell_needs_its_step() -> None:
    limit = part(PART1)
    assert supported_cells(limit) == []
    for k, cell in enumerate(limit.cells):
        if cell.value is None:
            continue
        others = [c.steps for c in limit.cells if c.value is not None and c is not cell]
        for steps in ((), others[0]):
            changed = replace(limit, cells=(*limit.cells[:k], replace(cell, steps=steps), *limit.cells[k + 1 :]))
            assert supported_cells(changed)
        for value in {ZERO, HALF, ONE} - {cell.value}:
            changed = replace(limit, cells=(*limit.cells[:k], replace(cell, value=value), *limit.cells[k + 1 :]))
            assert supported_cells(changed)
    assert settled(PART1, changed).status == "undecided"


def test_a_step_of_another_probability_supports_nothing() -> None:
    limit, other = part(PART1), part(PART1, "rho@rho with the derived variance")
    assert supported_cells(replace(limit, cells=other.cells))
    assert supported_cells(replace(other, cells=limit.cells))
    exact = part(PART1, "rho@exact law, T -> infinity first")
    assert supported_cells(replace(exact, cells=limit.cells))
    assert supported_cells(replace(limit, cells=exact.cells))


def planted(limit: Limit, sign: int, value: sp.Expr, listed: bool) -> Limit:
    """The table with theta = 1/2 given that value, by a step that claims it; listed among the table's steps or not."""
    cells, steps = [], limit.steps
    for cell in limit.cells:
        if cell.pattern[0] == (A, (sign,)) and cell.value is not None:
            last = cell.steps[-1]
            false = replace(last, data=(*last.data[:6], value, *last.data[7:]))
            steps = (*steps, false) if listed else steps
            cell = Cell(cell.pattern, value, (*cell.steps[:-1], false))
        cells.append(cell)
    return replace(limit, cells=tuple(cells), steps=steps)


@pytest.mark.parametrize("what", ["rho", "rho@exact law, T -> infinity first"])
@pytest.mark.parametrize("listed", [True, False])
def test_a_false_cell_value_is_caught_by_its_step(what: str, listed: bool) -> None:
    """Whether or not the step stands among those of the table: every step of a cell must be licensed."""
    limit = planted(part(PART1, what), 0, ONE, listed)
    (false,) = [cell.steps[-1] for cell in limit.cells if cell.pattern[0] == AT_HALF[0]]
    assert not licensed(false)
    outcome = settled(PART1, limit, conditions=("(theta - 1/2)*r - 1 != 0",))
    assert outcome.status == "undecided"


@pytest.mark.parametrize("value", [ZERO, ONE])
def test_a_false_cell_value_is_caught_by_the_balls(value: sp.Expr) -> None:
    """Even where a step licensed it, the value far along a sequence is another one."""
    statement = by_id()[PART1]
    limit = part(PART1)
    assert enclosed(limit, statement.regime, statement.ranges) == ""
    for sign in (-1, 0, 1):
        true = {-1: ZERO, 0: HALF, 1: None}[sign]
        if true == value:
            continue
        doubt = enclosed(planted(limit, sign, value, True), statement.regime, statement.ranges)
        assert "does not confirm" in doubt


def test_the_balls_see_a_value_that_is_off_by_a_thousandth() -> None:
    """At exact points the limit is confirmed to 2^-20; over intervals the values 0, 1/2 and 1 are told apart."""
    for claim in (PART1, PART4):
        statement, limit = by_id()[claim], part(claim)
        moved = tuple(
            replace(cell, value=None if cell.value is None else cell.value + sp.Rational(1, 1000))
            for cell in limit.cells
        )
        assert enclosed(limit, statement.regime, statement.ranges) == ""
        assert "does not confirm" in enclosed(replace(limit, cells=moved), statement.regime, statement.ranges)


def test_the_balls_see_a_wrong_direction_and_a_wrong_regime() -> None:
    statement = by_id()[PART1]
    limit = part(PART1)
    backwards = {"xi": "-(r + s/2**k)*4**k", "eta": "1/4**k"}
    assert enclosed(limit, backwards, statement.ranges)
    assert enclosed(limit, {"xi": "(r + s/2**k)/4**k", "eta": "1/4**k"}, statement.ranges)
    assert enclosed(part(PART4), {"eta": "1/4**k"}, by_id()[PART4].ranges)
    # a table that no interval of the sweep meets is not confirmed
    assert (
        enclosed(replace(limit, cells=()), statement.regime, statement.ranges) == "no admissible interval was enclosed"
    )


EXACT = "rho@exact law, T -> infinity first"


def test_the_balls_look_at_a_law_without_closed_form() -> None:
    """The walk's own law far along the sequences: its limits are confirmed, any other value of a cell is not."""
    statement, limit = by_id()[PART1], part(PART1, EXACT)
    assert enclosed(limit, statement.regime, statement.ranges) == ""
    for sign, value in ((-1, ONE), (-1, HALF), (0, ZERO), (0, HALF + sp.Rational(1, 1000)), (1, HALF)):
        doubt = enclosed(planted(limit, sign, value, True), statement.regime, statement.ranges)
        assert "does not confirm" in doubt
    backwards = {"xi": "-(r + s/2**k)*4**k", "eta": "1/4**k"}
    assert "does not confirm" in enclosed(limit, backwards, statement.ranges)


def test_a_law_that_no_ball_encloses_confirms_nothing() -> None:
    """A function of a case says nothing of the limit: what it settles is open, whatever its steps conclude."""
    statement, limit = by_id()[PART1], part(PART1, EXACT)
    assert isinstance(limit.finite, Law)
    case_by_case = replace(limit, finite=limit.finite.at)
    assert supported_cells(case_by_case) == []
    assert "no ball confirms" in enclosed(case_by_case, statement.regime, statement.ranges)
    outcome = settled(PART1, case_by_case)
    assert outcome.status == "undecided" and "give a Law" in outcome.method


def test_the_balls_of_a_law_hold_its_probability() -> None:
    """The limit law for xi = 4 and eta = 1/8, 16 eigenvalues 1/32, by quadrature."""
    law = part(PART1, EXACT).finite
    assert isinstance(law, Law)
    for place in ("0", "1/4", "1/2", "3/4", "1"):
        far = law.far({"theta": Fraction(place), "xi": Fraction(4), "eta": Fraction(1, 8)})
        quadrature = rho_limit(float(Fraction(place)), [1 / 32], [16]).values[0]
        assert float(quadrature) == pytest.approx(float(far.mid()), abs=1e-8)


def test_every_cell_is_met() -> None:
    """A false value in a cell that neither the ranges nor the pieces of theta meet is seen at a point of the cell."""
    statement = by_id()[PART1]
    ranges = {**statement.ranges, "theta": ("1/4",)}
    assert enclosed(part(PART1), statement.regime, ranges) == ""
    assert "does not confirm" in enclosed(planted(part(PART1), 0, ONE, True), statement.regime, ranges)
    # no range and no point of the grid goes beyond 64
    far = r - 200
    limit = replace(table(ZERO, ZERO, ONE), polynomials=(far,))
    near = Cell(((far, (-1, 0)),), theta)
    assert enclosed(replace(limit, cells=(near,)), {}, {"r": ("1",)}) == ""
    beyond = replace(limit, cells=(near, Cell(((far, (1,)),), ONE)))
    assert "no point of the cell with the limit 1" in enclosed(beyond, {}, {"r": ("1",)})


def test_a_direction_is_the_domains() -> None:
    """A step for r <= 0, xi -> -infinity, says nothing where the table has r >= 0."""
    limit, other = part(PART1), part(PART2)
    backwards = tuple(step for cell in other.cells for step in cell.steps)
    assert all(licensed(step) for step in backwards)
    for name in ("rho", EXACT):
        here, there = part(PART1, name), part(PART2, name)
        for k, cell in enumerate(here.cells):
            turned = [c for c in there.cells if c.pattern == cell.pattern and c.value is not None]
            for false in turned:
                cells = (*here.cells[:k], replace(false, pattern=cell.pattern), *here.cells[k + 1 :])
                assert supported_cells(replace(here, cells=cells))
    assert supported_cells(replace(limit, domain=DOMAIN))


def test_two_sequences_are_of_this_probability() -> None:
    """An argument of another law that depends on the sequence would disprove a true print."""
    limit, other = part(PART1), part(PART1, "rho@rho with the derived variance")
    (open_cell,) = [cell for cell in other.cells if cell.value is None]
    cells = tuple(open_cell if cell.value is None else cell for cell in limit.cells)
    assert supported_cells(limit) == []
    assert supported_cells(replace(limit, cells=cells))


def test_an_empty_pattern_needs_its_certificate() -> None:
    limit = part(PART1)
    for pattern in limit.empty:
        kept = tuple(s for s in limit.steps if s.rule != "empty-cell" or s.data[0] != pattern)
        assert supported_cells(replace(limit, steps=kept))
    more = replace(limit, empty=(*limit.empty, AT_HALF))
    assert supported_cells(more)
    assert settled(PART1, more).status == "undecided"


def test_a_certificate_in_another_domain_shows_nothing() -> None:
    """-1 >= 0 "in the domain" makes every cell empty: without them the print of part 1 would be proved."""
    limit = part(PART1)
    (loose,) = [cell.pattern for cell in limit.cells if cell.value is None]
    steps = limit.steps
    for pattern in (AT_HALF, loose):
        steps = (*steps, Step("empty-cell", "", (pattern, (-ONE,), ((1, (-ONE,)),))))
    kept = tuple(c for c in limit.cells if c.value is not None and c.pattern[0] != AT_HALF[0])
    false = replace(limit, cells=kept, empty=(*limit.empty, AT_HALF, loose), steps=steps)
    assert settled(PART1, false).status != "proved"


def test_a_limit_along_another_variable_is_not_the_cell() -> None:
    """rho is continuous in xi, too: its value at xi = 0 is no limit as eta -> infinity."""
    limit = part(PART4)
    assert isinstance(limit.finite, sp.Expr)
    value = limit.finite.xreplace({xi: ZERO})
    step = Step("continuous-limit", "", (limit.finite, "xi", ZERO, value))
    assert licensed(step)
    assert supported_cells(replace(limit, cells=(Cell((), value, (step,)),), steps=(*limit.steps, step)))


def test_a_cell_without_a_limit_needs_a_reason() -> None:
    """Calling the limit dependent on the sequence where it is 1 would disprove the true print."""
    limit = part(PART1)
    printed, conditions = {"rho": text(formula_of(limit))}, excluded_by(limit)
    cells = tuple(replace(c, value=None) if c.value == 1 else c for c in limit.cells)
    assert settled(PART1, replace(limit, cells=cells), printed=printed, conditions=conditions).status != "disproved"


def test_values_before_the_limit() -> None:
    """rho at theta = 1/2, xi = 4, eta = 1/4: P(0 <= N(0, (13/12)/16) <= 1) by mpmath's erf."""
    limit = part(PART1)
    place = {"theta": Fraction(1, 2), "xi": Fraction(4), "eta": Fraction(1, 4), "r": Fraction(1)}
    assert float(limit.at(place)) == pytest.approx(float(sp.erf(4 / sp.sqrt(sp.Rational(13, 6)))) / 2, abs=1e-15)
    assert limit.limit_at(place) == HALF
    assert limit.limit_at(place | {"theta": Fraction(3, 4)}) == 1
    assert limit.limit_at(place | {"theta": Fraction(3, 4), "r": Fraction(4)}) is None


@pytest.mark.parametrize("what", ["rho", EXACT])
def test_the_table_of_the_other_direction_is_not_proved(what: str) -> None:
    """Every step of part 2 holds for r <= 0; along the sequences of part 1, xi -> infinity, its limits are others."""
    other = part(PART2, what)
    assert supported_cells(other) == []
    for printed in (formula_of(other), formula_of(part(PART1, what))):
        outcome = settled(PART1, other, printed={"rho": text(printed)}, conditions=excluded_by(other))
        assert outcome.status == "undecided", outcome.method
