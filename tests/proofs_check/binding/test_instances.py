"""Claims whose empirical check simulates no walks, held to what they say by value: a side of a neighbour is seen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from math import prod
from typing import Any

import pytest
import sympy as sp

from montecarlo import registry
from montecarlo.empirical_checks import RegistryError
from montecarlo.registry import instance_of
from proofs_check.binding.instances import values_bound
from proofs_check.binding.named import InstanceError, instance
from proofs_check.binding.realised import between_ends
from proofs_check.binding.tied import Binding, quantities
from proofs_check.checks.evidence import Seen
from proofs_check.claims.pairing import Pair
from tests.proofs_check.binding.sides import derived_as, looked
from theorems.algebra.expressions import parse
from theorems.claims.catalogue import Said, by_id
from theorems.gaussian import functionals
from theorems.kernel.derivation import Derived, Enclosed, Equivalence, Fact, Inequality, SharpBound, fact
from theorems.kernel.settle import settle
from theorems.statement import proposition
from theorems.statement.reading.words import word_text

EQ5, SECOND, STEP = "bao2024.sec4.eq5", "bao2024.sec5.eq7-second", "bao2024.appC.lemma2-inequality"
SINK, ZERO = "lampert2026.sec6.sink-implies-switch", "lampert2026.sec6.zero-output-implies-sink"
SWITCH, ENTROPY, NUMBER = "lampert2026.sec6.switch-implies-sink", "bao2024.sec5.eq9", "bao2024.sec4.fig3-eta"
ENTRIES, COLUMNS = "bao2024.sec5.eq7-third-entrywise", "bao2024.sec5.eq7-third-induced"
RANGE, FOUR = "bao2024.sec4.xi-eta-range", "bao2024.appB.cauchy-schwarz"
SHAPE = "bao2024.sec5.eq9-unimodal"
SPREAD, INVERSE = "bao2024.sec5.eq8", "bao2024.sec5.eq10-first"


def found_as(seen: list[Seen], change: Callable[[Seen], float]) -> list[Seen]:
    """The same cases with every quantity's number changed."""
    return [
        replace(one, found={name: (change(one), pair[1]) for name, pair in one.found.items()})  # type: ignore[index]
        for one in seen
    ]


@pytest.mark.parametrize(
    "claim",
    [EQ5, SECOND, STEP, SINK, SWITCH, ZERO, NUMBER, ENTROPY, ENTRIES, COLUMNS, SPREAD, INVERSE, RANGE, FOUR, SHAPE],
)
def test_both_sides_of_the_shipped_claims_are_the_statement_s(claim: str) -> None:
    pair, seen = looked(claim)
    found = values_bound(pair, seen)
    assert found.bound
    assert len(found.evidence) == len(quantities(pair.statement))
    assert all("by value at " in told for told in found.evidence)


def test_the_evidence_says_at_how_many_cases() -> None:
    pair, seen = looked(STEP)
    (told,) = values_bound(pair, seen).evidence
    assert told.startswith("upper is abs(exp(-a**2)*X - exp(-b**2)*Y) by value at 24 cases: found within ")
    (told,) = values_bound(pair, seen[:3]).evidence
    assert "by value at 3 cases" in told


@pytest.mark.parametrize(
    ("claim", "name", "quantity"),
    [
        (SECOND, "upper", "nuclear_W"),
        (SECOND, "upper", "frobenius_W"),
        (ENTRIES, "upper", "entrywise_W"),
        (COLUMNS, "upper", "column_W"),
        # tr(W*Sigma) is no tr(W)
        (INVERSE, "upper", "Abs(tr1)"),
        (INVERSE, "upper", "tr_W"),
        (STEP, "upper", "Abs(exp(-a**2)*X + exp(-b**2)*Y)"),
        (STEP, "upper", "Abs(exp(-a)*X - exp(-b)*Y)"),
        (SINK, "", "deviation*value_radius"),
        (SINK, "", "deviation/keys"),
        (ZERO, "", "outside/2"),
        (SWITCH, "", "-score_gap"),
        (SWITCH, "", "score_gap - eps"),
        (FOUR, "", "sum_abce"),
        (FOUR, "", "sum_aa*sum_bb*sum_cc*sum_ee"),
        (FOUR, "", "sqrt(sum_aaaa*sum_bbbb*sum_cccc*sum_eeee)"),
    ],
)
def test_a_derivation_of_a_neighbouring_quantity_is_seen(claim: str, name: str, quantity: str) -> None:
    pair, seen = looked(claim)
    bound = next(iter(pair.derived().quantities.values()))
    assert isinstance(bound, Inequality)
    name = next(iter(pair.derived().quantities))
    other = derived_as(pair, **{name: replace(bound, quantity=parse(quantity))})
    found = values_bound(other, seen)
    assert not found.bound and not found.simulated
    assert found.derived[0].startswith("the derivation is of another quantity: at ")


def test_a_sharp_bound_of_a_neighbouring_quantity_is_seen() -> None:
    pair, seen = looked(EQ5)
    ((name, bound),) = pair.derived().quantities.items()
    assert isinstance(bound, SharpBound)
    steps = tuple(
        replace(s, data=tuple(part.subs("tr1", "tr2") if isinstance(part, sp.Expr) else part for part in s.data))
        for s in bound.steps
    )
    square = replace(bound, steps=steps)
    assert "another quantity" in values_bound(derived_as(pair, **{name: square}), seen).derived[0]
    # the quantity is right, and attains no such bound at that case
    apart = {"d": 2, "W": [["1", "0"], ["0", "2"]], "Sigma": [["1", "0"], ["0", "1"]]}
    found = values_bound(derived_as(pair, **{name: replace(bound, attained=apart)}), seen)
    assert "does not attain the derived bound" in found.missing[0]


@pytest.mark.parametrize(
    ("claim", "change"),
    [
        (EQ5, lambda one: one.found["value"][0] * 1.001),
        (EQ5, lambda one: -one.found["value"][0]),
        (SECOND, lambda one: one.found["frobenius_W"][0]),
        (ENTRIES, lambda one: one.found["spectral_W"][0]),
        (COLUMNS, lambda one: one.found["column_W"][0]),
        (SPREAD, lambda one: one.found["variance"][0] + 1e-3),
        (STEP, lambda one: abs(one.given["X"] - one.given["Y"])),
        (SINK, lambda one: one.found["value_radius"][0]),
        (SINK, lambda one: one.given["keys"]),
        (ZERO, lambda one: 1 - one.found["value"][0]),
        (ZERO, lambda one: one.found["out_norm"][0]),
        (SWITCH, lambda one: one.found["out_norm"][0]),
        (NUMBER, lambda one: 1 / 512),
        (FOUR, lambda one: one.found["value"][0] ** 0.5),
        (FOUR, lambda one: sum(map(prod, zip(*(one.given[name] for name in "abce"), strict=True))) ** 2),
    ],
)
def test_an_empirical_check_of_a_neighbouring_quantity_is_seen(claim: str, change: Callable[[Seen], float]) -> None:
    pair, seen = looked(claim)
    found = values_bound(pair, found_as(seen, change))
    assert found.simulated and not found.derived
    assert found.simulated[0].startswith("the empirical check is of another quantity: at ")


def test_a_least_value_that_is_beyond_the_quantity_or_far_from_it_is_seen() -> None:
    pair, seen = looked(ENTROPY)
    ((name, bound),) = pair.derived().quantities.items()
    assert isinstance(bound, Inequality)
    above = replace(bound, upper=bound.upper + sp.Rational(1, 1000))
    found = values_bound(derived_as(pair, **{name: above}), seen)
    assert "beyond the derived end" in found.derived[0]
    below = replace(bound, upper=bound.upper - 1)
    found = values_bound(derived_as(pair, **{name: below}), seen)
    assert "of its derived least value only" in found.missing[0]


def test_a_number_that_is_known_too_roughly_binds_nothing() -> None:
    pair, seen = looked(EQ5)
    rough = [replace(one, found={name: (value[0], 1e-3) for name, value in one.found.items()}) for one in seen]  # type: ignore[index]
    found = values_bound(pair, rough)
    assert not found.bound and "which says too little" in found.missing[0]


def test_the_cases_satisfy_the_hypotheses() -> None:
    pair, seen = looked(STEP)
    says = pair.statement.says
    assert says is not None
    narrowed = replace(pair.statement, says=replace(says, hypotheses="a > 0, b in R, X in R, Y in R"))
    found = values_bound(replace(pair, statement=narrowed), seen)
    assert "outside the hypotheses (a = " in found.simulated[0]


def test_a_print_that_is_judged_as_another_formula_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    pair, seen = looked(SECOND)
    monkeypatch.setitem(pair.__dict__, "formulas", {"upper": parse("nuclear_W")})
    found = values_bound(pair, seen)
    assert "norm(W, fro) is " in found.derived[0] and "frobenius_W is " in found.derived[0]


def test_a_matrix_s_own_trace_is_no_trace_with_sigma() -> None:
    assert word_text("tr_W") == "tr(W)"
    assert word_text("tr1") == "tr(W*Sigma)"


def test_what_no_case_gives_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    pair, seen = looked(SWITCH)
    monkeypatch.delitem(registry._INSTANCES, SWITCH)
    found = values_bound(pair, seen)
    assert "no case says what s is" in found.missing[0] and "@instance" in found.missing[0]
    monkeypatch.setitem(registry._INSTANCES, SWITCH, lambda keys, missing: {})
    assert "its instance asks for missing" in values_bound(pair, seen).missing[0]
    assert not values_bound(pair, []).bound


def test_an_instance_of_another_case_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    pair, seen = looked(SWITCH)
    monkeypatch.setitem(registry._INSTANCES, SWITCH, lambda scores, values: {"s": scores[::-1], "v": values[1]})
    found = values_bound(pair, seen)
    assert found.simulated or found.derived


def test_one_instance_a_claim_and_corrections_share_it() -> None:
    assert instance_of(SWITCH) is instance_of(f"{SWITCH}.corrected") is not None
    assert instance_of(EQ5) is None
    with pytest.raises(RegistryError, match="a second instance"):
        registry.instance(SWITCH)(dict)


def test_names_are_numbers_vectors_and_matrices() -> None:
    prop = proposition("a.T*W*a + u + s[1] = 0", "a in R^d, s in R^n, u in R")
    case = {"W": [["1", "0"], ["0", "1/2"]], "a": [0.5, 1], "u": Fraction(1, 3), "s": [2, 3]}
    made = instance(prop, Seen(case, case, {}), None)
    assert made.numbers == {"d": 2, "n": 2, "u": Fraction(1, 3)}
    half, one = Fraction(1, 2), Fraction(1)
    assert made.vectors["a"] == (half, one) and made.sequences["s"] == (2 * one, 3 * one)
    assert made.matrices["W"][1] == (0 * one, half)
    for name, wrong, part in (
        ("u", [1], "expected a number"),
        ("a", 3, "expected rows of numbers"),
        ("W", 3, "expected a matrix"),
        ("W", ["12", "34"], "expected rows of numbers"),
    ):
        with pytest.raises(InstanceError, match=part):
            instance(prop, Seen({**case, name: wrong}, {}, {}), None)


@pytest.mark.parametrize("formula", ["d*tr2 - tr1", "d*tr2 + tr1**2", "d**2*tr2 - tr1**2"])
def test_the_spread_of_other_numbers_than_eigenvalues_is_seen(formula: str) -> None:
    pair, seen = looked(SPREAD)
    other = derived_as(pair, variance=fact(parse(formula), (), ""))
    found = values_bound(other, seen)
    assert found.derived


def test_a_print_of_the_other_reading_of_a_norm_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    for claim, other in ((ENTRIES, "column_W"), (COLUMNS, "entrywise_W"), (INVERSE, "frobenius_Sigma*sqrt(tr2)")):
        pair, seen = looked(claim)
        monkeypatch.setitem(pair.__dict__, "formulas", {"upper": parse(other)})
        assert "the print is judged as another formula" in values_bound(pair, seen).derived[0]


def test_the_sums_that_a_print_names_are_held_to_the_statement(monkeypatch: pytest.MonkeyPatch) -> None:
    pair, seen = looked(FOUR)
    # another number under the name of one of them, on either side
    off = [replace(one, found={**one.found, "sum_aa": one.found["sum_bb"]}) for one in seen]
    assert "empirical check is of another quantity" in values_bound(pair, off).simulated[0]
    other = functionals.Functional("sum_aa", "", lambda case: case.functional("sum_bb"))
    monkeypatch.setitem(functionals._KNOWN, "sum_aa", other)
    told = values_bound(pair, seen).derived
    assert any("derivation is of another quantity" in line and "a[j]**2, j, 1, n) is" in line for line in told)


def test_the_correction_of_a_claim_is_held_to_it_too() -> None:
    pair, seen = looked(FOUR)
    fixed = replace(pair.statement, printed={"upper": "sqrt(sum_aaaa*sum_bbbb*sum_cccc*sum_eeee)"}, corrects=FOUR)
    found = values_bound(Pair(fixed), seen)
    assert found.bound and len(found.evidence) == len(quantities(fixed)) == 9


# -- the shape of a bound on a half-line


def test_turns_and_a_limit_of_a_neighbour_are_seen_on_either_side() -> None:
    pair, seen = looked(SHAPE)
    for name, other in (("maxima", 0), ("maxima", 2), ("minima", 1), ("limit", 1)):
        derived = derived_as(pair, **{name: fact(sp.Integer(other), (), "")})
        told = values_bound(derived, seen)
        assert told.derived[0].startswith("the derivation is of another quantity: at ") and not told.simulated
        off = [replace(one, found={**one.found, name: (float(other), 0.0)}) for one in seen]
        told = values_bound(pair, off)
        assert told.simulated[0].startswith("the empirical check is of another quantity: at ") and not told.derived


@pytest.mark.parametrize(
    "bound",
    [
        # with a minimum too, with a limit other than 0, and one that only falls
        "log(1 + T*exp(-nu)) + nu*exp(-nu/2)/(1/T + exp(-nu)) + nu/T**2",
        "log(1 + T*exp(-nu)) + nu*exp(-nu/2)/(1/T + exp(-nu)) + 1/T",
        "log(1 + T*exp(-nu)) + nu*exp(-nu)/(1/T + exp(-nu))",
    ],
)
def test_the_bound_whose_shape_is_said_is_the_one_that_is_printed(bound: str) -> None:
    pair, seen = looked(SHAPE)
    claim = replace(pair.statement, definitions={**pair.statement.definitions, "bound": bound})
    # what was derived and evaluated is of the shipped bound
    found = values_bound(replace(pair, statement=claim), seen)
    assert found.faults or found.missing


# -- a range, and what is free beside it


def test_every_value_between_the_ends_is_taken_as_derived() -> None:
    pair, seen = looked(RANGE)
    ((name, bound),) = pair.derived().quantities.items()
    assert isinstance(bound, SharpBound)
    told = values_bound(pair, seen).evidence
    assert told[0].endswith("and takes values between its ends beside eta as derived at 36 cases")
    points = list(between_ends(bound))
    assert len({raw["d"] for raw, _, _ in points}) == 3 and len({str(value) for _, value, _ in points}) == 16
    # another spectrum has another sum
    (place,) = (k for k, step in enumerate(bound.steps) if step.rule == "realised-spectrum")
    spectrum, *rest = bound.steps[place].data
    changed = (*((2 * w, m) for w, m in spectrum[:1]), *spectrum[1:])
    steps = [*bound.steps]
    steps[place] = replace(steps[place], data=(changed, *rest))
    found = values_bound(derived_as(pair, **{name: replace(bound, steps=tuple(steps))}), seen)
    assert "as was derived" in found.missing[0]


def test_what_is_free_beside_a_range_is_held_to_the_statement(monkeypatch: pytest.MonkeyPatch) -> None:
    pair, seen = looked(RANGE)
    ((name, bound),) = pair.derived().quantities.items()
    assert isinstance(bound, SharpBound)
    for formula, is_free in (
        ("sqrt(tr2)/lam", True),
        ("sqrt(tr2)/lam**2", False),
        ("tr1/lam", False),
        ("sqrt(tr2)", False),
        ("sqrt(d)/lam", False),
    ):
        other = replace(bound, free={"eta": parse(formula)})
        judged = derived_as(pair, **{name: other})
        assert values_bound(judged, seen).bound is is_free
        assert (settle(pair.statement, judged.derived()).status == "proved") is is_free
    changed = [replace(one, found={**one.found, "eta": (2 * one.found["eta"][0], 1e-12)}) for one in seen]  # type: ignore[index]
    assert "empirical check is of another quantity" in values_bound(pair, changed).simulated[0]
    says = pair.statement.says
    assert says is not None
    # the caption's definition of eta
    squared = replace(says, quantities={**says.quantities, "eta": "sqrt(tr((W*Sigma)**2))/lam**2"})
    found = values_bound(replace(pair, statement=replace(pair.statement, says=squared)), seen)
    assert found.faults


def test_hypotheses_of_one_quantity_are_no_burden_of_another() -> None:
    table = quantities(by_id()[RANGE])
    assert table["upper"].relation == "<=" and table["lower"].relation == ">="
    assert "lam > 0" in table["eta"].known.texts and "lam > 0" not in table["upper"].known.texts


# -- properties, and numbers between two ends


def claimed(printed: dict[str, str], says: dict[str, str], relation: str, derived: dict[str, Any]) -> Pair:
    """A claim about symmetric matrices with these derived quantities."""
    statement = replace(by_id()[SECOND], id="p.s.c", printed=printed, says=Said(says, "W symmetric"), relation=relation)
    return Pair(statement, _derived={"sigma": Derived(derived, ())})


def spectra(*values: int) -> list[Seen]:
    """Diagonal 2 x 2 matrices diag(v, 1), each with whether its trace is positive, and its trace."""
    cases = [{"d": 2, "W": [[str(v), "0"], ["0", "1"]]} for v in values]
    return [Seen(c, c, {"p": v + 1 > 0, "t": (v + 1.0, 0.0)}) for c, v in zip(cases, values, strict=True)]


def when(says: str, condition: str) -> tuple[Pair, Binding]:
    equivalence = Equivalence("p", (condition,), (), (), "")
    pair = claimed({"p": f"iff {condition}"}, {"p": says}, "when", {"p": equivalence})
    return pair, values_bound(pair, spectra(-3, -1, 0, 2))


def test_truth_values_agree_at_every_case() -> None:
    _, found = when("tr(W) > 0", "tr_W > 0")
    assert found.bound
    assert "derived and observed: 2 times true, 2 times false" in found.evidence[0]
    assert found.evidence[0].endswith("by the second interpreter too at 4")


def test_a_neighbouring_property_is_seen_on_either_side() -> None:
    _, found = when("tr(W) > 0", "tr_W >= 0")
    assert "derivation is of another property" in found.derived[0]
    _, found = when("tr(W) >= 0", "tr_W >= 0")
    assert "empirical check is of another property" in found.simulated[0]
    pair, _ = when("tr(W) > 0", "tr_W > 0")
    assert "true only" in values_bound(pair, spectra(1, 2)).missing[0]
    undecided = [replace(one, found={}) for one in spectra(-3, 2)]
    assert "never decided" in values_bound(pair, undecided).missing[0]


def test_a_number_between_derived_ends() -> None:
    def ends(low: str, high: str) -> Binding:
        quantity = {"t": Enclosed((parse(low),), (parse(high),)), "p": Equivalence("p", (), (), (), "")}
        pair = claimed({"p": "iff tr_W > 0"}, {"t": "tr(W)"}, "=", quantity)
        return values_bound(pair, spectra(-3, 2))

    assert ends("tr_W - 1", "tr_W").evidence[0].endswith("and between the derived ends")
    assert "beyond the derived end" in ends("tr_W + 1", "tr_W + 2").derived[0]
    assert "beyond the derived end" in ends("tr_W - 2", "tr_W - 1").derived[0]


def test_a_derived_value_is_compared_at_every_case() -> None:
    def value(formula: str) -> Binding:
        derived: dict[str, Fact] = {"t": fact(parse(formula), (), "")}
        return values_bound(claimed({"t": "tr_W"}, {"t": "tr(W)"}, "=", derived), spectra(-3, 0, 2))

    assert value("tr_W").bound
    assert "the derivation gives 2" in value("Abs(tr_W)").derived[0]
    # a formula of what no case has
    assert "has no value at" in value("tr_W + nothing").missing[0]
