"""What an author may get wrong, each with words that name the place and the mend; and the engine on its own."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import sympy as sp
import torch
from torch import Tensor

from montecarlo import registry
from montecarlo.empirical_checks import Evaluation, RegistryError, Simulation
from montecarlo.walks import Walks, form
from proofs_check.api import Verdict, judge
from theorems.algebra.expressions import symbol
from theorems.algebra.ratio import Ratio
from theorems.authoring import (
    Fact,
    Moment,
    Position,
    Process,
    Statement,
    W,
    claim,
    coefficient,
    density,
    derivation,
    finite,
    random_walk,
)
from theorems.claims import catalogue
from theorems.claims.catalogue import CatalogueError
from theorems.kernel.catalogued import said as of_catalogue
from theorems.kernel.derivation import DerivationError

CLAIM = "notes.sec1.thing"


@pytest.fixture(autouse=True)
def _claims_are_forgotten() -> Iterator[None]:
    before = {statement.id for statement in catalogue.added()}
    yield
    for statement in catalogue.added():
        if statement.id not in before:
            catalogue.discard(statement.id)


def stated(id: str = CLAIM, **changes: Any) -> Statement:
    """E[x_i^T W x_j] as a notebook states it, with the given fields changed."""
    fields: dict[str, Any] = {"printed": "i*tr1", "symbols": "i tr1", "positions": "i j"}
    notebook = {"__name__": "__main__", "claim": claim, "fields": {**fields, **changes}, "id": id}
    made: Statement = eval("claim(id, **fields)", notebook)
    return made


def said(text: str = "E[x[i].T*W*x[j]] = i*tr(W*Sigma)", id: str = CLAIM, **changes: Any) -> Statement:
    """The same statement as data, with the given fields changed."""
    fields = {"hypotheses": "W symmetric, i <= j", **changes}
    made: Statement = eval(
        "claim(id, text, **fields)", {"__name__": "__main__", "claim": claim, "fields": fields, "id": id, "text": text}
    )
    return made


def derived(walk: Process, i: Position, j: Position) -> Moment:
    return walk.expect(walk.form(i, W, j))


def sampled(walk: Walks, W: Tensor, i: int, j: int) -> Tensor:
    return form(walk.token(i), W, walk.token(j))


def judged(
    statement: Statement, function: Callable[..., Any] = derived, simulation: Callable[..., Any] = sampled
) -> Verdict:
    return judge(statement, function, simulation, degree=2, effort="quick")


def test_the_right_one_is_verified_where_it_is_data() -> None:
    found = judged(said())
    assert found.verdict == "verified", found
    assert found.report["bound"] is True
    assert found.report["decoys"]["caught"] == found.report["decoys"]["of"] > 5


def test_the_right_one_in_words_is_undecided_and_says_why() -> None:
    found = judged(stated())
    assert found.verdict == "undecided"
    assert (found.report["symbolic"]["status"], found.report["simulation"]["status"]) == ("proved", "agrees")
    assert "informal: what the claim says stands in words alone" in found.reason
    assert f'claim("{CLAIM}", "E[' in found.reason
    assert found.report["bound"] is False


# ---- the statement


@pytest.mark.parametrize(
    ("changes", "parts"),
    [
        ({"printed": "i*tr1*q"}, ["printed value = 'i*tr1*q' uses q", "declare it in symbols = 'i tr1'"]),
        ({"printed": {"mean": "i*tr2"}}, ["printed mean", "uses tr2"]),
        ({"printed": "i**"}, ["printed value", "not an arithmetic expression"]),
        ({"printed": "__import__('os')"}, ["printed value", "not arithmetic"]),
        ({"printed": {}}, ["printed is empty", "give at least one"]),
        ({"kind": "theorem"}, ["kind = 'theorem'", "identity"]),
        ({"model": "levy"}, ["model = 'levy'", "walk"]),
        ({"relation": "=="}, ["relation = '=='"]),
        ({"fidelity": "sure"}, ["fidelity = 'sure'"]),
        ({"model": "free", "parameters": "p"}, ["ranges lack p", "1/4 1/2"]),
        ({"ranges": {"p": "many"}}, ["ranges['p'] = 'many'", "rationals"]),
        ({"ranges": {"p": "1/0"}}, ["ranges['p'] = '1/0'"]),
        ({"positions": "i i"}, ["positions = 'i i'", "each position once"]),
    ],
    ids=str,
)
def test_a_statement_in_words_that_cannot_be_used(changes: dict[str, Any], parts: list[str]) -> None:
    with pytest.raises(CatalogueError) as caught:
        stated(**changes)
    assert str(caught.value).startswith(f"{CLAIM}: ")
    for part in parts:
        assert part in str(caught.value)
    assert CLAIM not in {statement.id for statement in catalogue.added()}


@pytest.mark.parametrize(
    ("text", "changes", "parts"),
    [
        ("E[x[i].T*W*x[j] = 1", {}, ["not closed", "column 16"]),
        ("E[x[i].T*W*x[j]] = i*tr(V*Sigma)", {}, ["V"]),
        ("E[x[i].T*W*x[j]] = i*c", {}, ["c is declared nowhere", "c > 0"]),
        ("E[x[i].T*W*x[j]] = i*tr(W*Sigma)", {"hypotheses": "W round"}, ["'W round' is unknown"]),
        ("E[x[i].T*W*x[j]] = i*tr(W*Sigma)", {"hypotheses": "i < j, j < i"}, ["no positions satisfy"]),
        ("E[x[i].T*W*x[j]] = i*tr(W*Sigma)", {"law": "wlak"}, ["law", "walk"]),
        ("E[x[i].T*W*x[j]] = i*tr(W*Sigma)", {"limit": "T -> oo"}, ["states no limit"]),
        ("E[x[i].T*W*x[j]] = i*tr(W*Sigma)", {"reading": "for every W"}, ["reading stands beside", "drop it"]),
        ("E[x[i].T*W*x[j]] = i*tr(W*Sigma)", {"assumptions": ("Sigma = I",)}, ["assumptions stands beside"]),
        ("E[x[i].T*W*x[j]] = i*tr(W*Sigma)", {"limit": {"i": "theta*T"}}, ["limit stands beside"]),
    ],
    ids=str,
)
def test_a_statement_that_cannot_be_read(text: str, changes: dict[str, Any], parts: list[str]) -> None:
    with pytest.raises(CatalogueError) as caught:
        said(text, **changes)
    assert str(caught.value).startswith(f"{CLAIM}: ")
    for part in parts:
        assert part in str(caught.value)
    assert CLAIM not in {statement.id for statement in catalogue.added()}


def test_the_fields_of_a_claim_follow_from_its_statement() -> None:
    made = said("E[x[i].T*W*x[T]]/T -> theta*tr(W*Sigma)", hypotheses="W symmetric", limit="T -> oo, i/T -> theta")
    assert made.kind == "asymptotic"
    assert made.printed == {"value": "theta*tr(W*Sigma)"}
    assert made.quantity == "E[x[i].T*W*x[T]]/T"
    assert made.positions == ("i", "T")
    assert "symmetric W" in made.reading and "theta" in made.reading
    assert r"\to" in made.statement
    assert said("tr(W)**2 <= d*tr(W*W)", hypotheses="W symmetric").kind == "bound"


def test_a_claim_about_several_quantities_reads_what_is_printed_of_each() -> None:
    made = stated(
        printed={"mean": "i*tr1", "spread": "i*(i + j)*tr2"},
        symbols="i j tr1 tr2",
        quantity={"mean": "E[x[i].T*W*x[j]]", "spread": "Var[x[i].T*W*x[j]]"},
        hypotheses="W symmetric",
    )
    assert str(of_catalogue(made, "spread").right) == "i*(i + j)*tr(W*Sigma*W*Sigma)"
    assert of_catalogue(made, "mean").known.texts == ("W symmetric", "i <= j")
    assert "i*(i + j)" in made.reading.replace(" ", "").replace("i*(i+j)", "i*(i + j)")
    with pytest.raises(CatalogueError, match="quantity lacks value"):
        stated(quantity={"mean": "E[x[i].T*W*x[j]]"})
    with pytest.raises(CatalogueError, match="quantity has spread, of which nothing is printed"):
        stated(quantity={"value": "E[x[i].T*W*x[j]]", "spread": "Var[x[i].T*W*x[j]]"})
    with pytest.raises(CatalogueError, match="the reading and the LaTeX follow"):
        stated(quantity={"value": "E[x[i].T*W*x[j]]"}, reading="for every W")


@pytest.mark.parametrize("name", ["thing", "notes.thing", "notes..thing", ".notes.sec1.thing", "notes.sec1.a b", ""])
def test_an_id_is_paper_section_and_name(name: str) -> None:
    with pytest.raises(CatalogueError, match=r"paper\.section\.name, e\.g\. mypaper\.sec2\.thing"):
        stated(name)


def test_an_id_kept_for_corrections() -> None:
    with pytest.raises(CatalogueError, match="corrected"):
        stated("notes.sec1.thing.corrected")


def test_two_claims_of_one_id() -> None:
    claim("clash.sec1.thing", printed="1", symbols="")
    with pytest.raises(CatalogueError, match=r"clash\.sec1\.thing: a claim of that id is there already; give one"):
        claim("clash.sec1.thing", printed="2", symbols="")


def test_a_derivation_is_a_function() -> None:
    with pytest.raises(DerivationError, match=r"clash\.sec1\.none: 3 is no derivation; expected a function"):
        derivation("clash.sec1.none")(3)  # type: ignore[arg-type]


def test_two_sides_of_one_id() -> None:
    derivation("clash.sec1.sides")(derived)
    registry.simulation("clash.sec1.sides", degree=2)(sampled)
    try:
        with pytest.raises(DerivationError, match=r"clash\.sec1\.sides: a second derivation \(.*derived\); keep one"):
            derivation("clash.sec1.sides")(derived)
        with pytest.raises(RegistryError, match=r"already registered by .*sampled; give one of the two"):
            registry.simulation("clash.sec1.sides", degree=2)(sampled)
    finally:
        from theorems.kernel.derivation import registry as derivations

        del derivations["clash.sec1.sides"], registry._REGISTERED["clash.sec1.sides"]


# ---- the two sides


def test_a_missing_derivation() -> None:
    found = judge(stated(), None, sampled, degree=2, effort="quick")
    assert found.verdict == "error"
    assert f"{CLAIM}: no derivation is registered; write one with @derivation('{CLAIM}')" in found.reason


def test_a_missing_simulation() -> None:
    found = judge(stated(), derived, effort="quick")
    assert found.verdict == "error"
    assert f"{CLAIM}: no simulation is registered; write one with @simulation" in found.reason


NUMBERS = itertools.count()

SIMULATIONS: dict[str, tuple[Callable[..., Any], list[str]]] = {
    "tokens": (lambda walk: walk.tokens, ["value is (8192,", "expected one number a walk, shape (8192,)"]),
    "scalar": (lambda walk, W, i, j: sampled(walk, W, i, j).mean(), ["value is ()", "one number a walk"]),
    "column": (lambda walk, W, i, j: sampled(walk, W, i, j)[:, None], ["(8192, 1)", "one number a walk"]),
    "list": (lambda walk: [1.0] * walk.n, ["value is list", "one number a walk"]),
    "numpy": (lambda walk, W, i, j: sampled(walk, W, i, j).numpy(), ["value is ndarray"]),
    "none": (lambda walk: None, ["value is NoneType"]),
    "integers": (lambda walk, W, i, j: sampled(walk, W, i, j).long(), ["torch.int64", "expected real numbers"]),
    "complex": (lambda walk, W, i, j: sampled(walk, W, i, j) * 1j, ["complex", "expected real numbers"]),
    "nan": (lambda walk, W, i, j: sampled(walk, W, i, j) * float("nan"), ["NaN or inf"]),
    "names": (lambda walk, W, i, j: {"mean": sampled(walk, W, i, j)}, ["mean", "value"]),
    "own seed": (
        lambda walk, W, i, j: sampled(walk, W, i, j) + torch.randn(walk.n, dtype=torch.float64),
        ["differs between two runs", "take all randomness from the tokens"],
    ),
    "numpy seed": (
        lambda walk, W, i, j: sampled(walk, W, i, j) + torch.from_numpy(np.random.default_rng().normal(size=walk.n)),
        ["differs between two runs", "take all randomness from the tokens"],
    ),
    "state": (lambda walk, W, i, j: sampled(walk, W, i, j) + next(NUMBERS), ["differs between two runs"]),
}


@pytest.mark.parametrize("kind", SIMULATIONS)
def test_a_simulation_that_returns_something_else(kind: str) -> None:
    simulation, parts = SIMULATIONS[kind]
    found = judged(stated(), simulation=simulation)
    assert found.verdict == "error"
    for part in (CLAIM, *parts):
        assert part in found.reason


def test_a_degree_that_is_too_low() -> None:
    found = judge(stated(), derived, sampled, degree=1, effort="quick")
    assert found.verdict == "error"
    assert f"{CLAIM}: the simulation declares degree 1" in found.reason
    assert "degree=2" in found.reason


def test_numbers_beyond_the_bounds_they_were_promised() -> None:
    p = symbol("p")

    def drawn(generator: torch.Generator, n: int, p: float) -> Tensor:
        return 3.0 * (torch.rand(n, generator=generator) < p)

    statement = stated(
        "notes.sec1.wide",
        printed="3*p",
        symbols="p",
        positions="",
        model="free",
        parameters="p",
        ranges={"p": "1/4 1/2"},
        assumptions=["0 <= p <= 1"],
    )
    entry = Simulation(statement.id, drawn, bounded=(0, 1))
    with registry.registered(entry):
        found = judge(statement, lambda: finite([(3, p), (0, 1 - p)]).expect(lambda x: x), effort="quick")
    assert found.verdict == "error"
    assert "bounded" in found.reason


# ---- the derivation


def quoting_itself(walk: Process, i: Position, j: Position) -> Moment:
    text = catalogue.by_id()[CLAIM].printed["value"]
    return Moment(Ratio.of(text.partition("*")[0]), None, "mean", walk)


def quoting_another(walk: Process, i: Position, j: Position) -> Moment:
    assert "tr1" in catalogue.by_id()["bao2024.appA.eq15"].printed["moment"]
    return derived(walk, i, j)


def quoting_a_shipped_list(walk: Process, i: Position, j: Position) -> Moment:
    assert [dict(statement.printed) for statement in catalogue.paper_claims("bao2024")]
    return derived(walk, i, j)


def quoting_a_proof(walk: Process, i: Position, j: Position) -> Moment:
    assert [line.printed for line in catalogue.by_id()["bao2024.appA.eq17"].lines]
    return derived(walk, i, j)


def quoting_what_is_said(walk: Process, i: Position, j: Position) -> Moment:
    says = catalogue.by_id()["bao2024.appA.eq15"].says
    assert says is not None and says.quantities
    return derived(walk, i, j)


QUOTING = [quoting_itself, quoting_another, quoting_a_shipped_list, quoting_a_proof, quoting_what_is_said]


@pytest.mark.parametrize("function", QUOTING)
def test_a_derivation_that_reads_a_printed_formula(function: Callable[..., Any]) -> None:
    statement = stated()
    found = judged(statement, function)
    assert found.verdict == "error"
    assert f"{function.__name__} reads the printed formula" in found.reason
    assert "derive the value from the process instead" in found.reason
    assert dict(statement.printed) == {"value": "i*tr1"}
    assert catalogue.by_id()["bao2024.appA.eq15"].printed["moment"]


def test_a_derivation_that_reads_its_statement() -> None:
    statement = stated()

    def quoting(walk: Process, i: Position, j: Position) -> Moment:
        assert list(statement.printed.values())
        return derived(walk, i, j)

    assert "quoting reads the printed formula" in judged(statement, quoting).reason


@pytest.mark.parametrize(
    "wrong",
    [lambda walk, i, j: 3, lambda walk, i, j: None, lambda walk, i, j: i * coefficient("tr1")],
    ids=["number", "nothing", "coefficient"],
)
def test_a_derivation_that_returns_no_moment(wrong: Callable[..., Any]) -> None:
    found = judged(stated(), wrong)
    assert found.verdict == "error"
    assert f"{CLAIM}: " in found.reason
    assert "<lambda> returned" in found.reason
    assert "expected walk.expect(...)" in found.reason


def test_a_table_without_the_printed_quantity() -> None:
    found = judged(stated(), lambda walk, i, j: {"mean": derived(walk, i, j)})
    assert found.verdict == "error"
    assert CLAIM in found.reason
    assert "mean" in found.reason


def test_a_parameter_that_is_no_position() -> None:
    found = judged(stated(), lambda walk, i, k: walk.expect(walk.form(i, W, k)))
    assert found.verdict == "error"
    assert CLAIM in found.reason
    assert "k" in found.reason


def test_a_value_put_in_by_hand_must_follow_from_its_observable() -> None:
    """What no step of the engine led to is computed again, and counts for nothing where that gives another value."""

    def planted(x: Process) -> Moment:
        return Moment(2 * coefficient("tr1") + coefficient("mWm"), x.form("x", W, "x"), "mean", x)

    statement = stated(printed="2*tr1 + mWm", symbols="tr1 mWm", positions="", model="gaussian")
    found = judged(statement, planted, lambda x, W: form(x, W, x))
    assert found.verdict in ("undecided", "conflict"), found
    assert found.report["symbolic"]["status"] == "undecided"
    assert "its observable gives" in found.report["symbolic"]["evidence"][0]


def test_a_fact_without_steps_is_not_proved() -> None:
    statement = stated(printed="1/T", symbols="T", positions="", model="none", parameters="T i")
    with registry.registered(Evaluation(CLAIM, lambda T, i: {"value": (1 / T, 1e-15)})):
        found = judge(statement, lambda: Fact(1 / coefficient("T"), (), "because"), effort="quick")
    assert found.verdict == "undecided"


# ---- symbols and conditions


def test_a_symbol_that_the_derivation_needs_and_the_statement_lacks() -> None:
    found = judge(stated(), lambda walk, i, j: walk.expect(walk.form(i, W, j) ** 2), sampled, degree=4, effort="quick")
    assert found.verdict == "error"
    assert f"{CLAIM}: the derived value" in found.reason
    assert "which symbols does not declare; add it" in found.reason


def test_a_symbol_that_nothing_uses() -> None:
    found = judged(stated(symbols="i j tr1"))
    assert found.verdict == "error"
    assert f"{CLAIM}: the symbol j stands neither in the print nor in the derived value; drop it" in found.reason


@pytest.mark.parametrize(
    ("condition", "parts"),
    [
        ("j < i", ["none of", "meets j < i", "weaken the conditions"]),
        ("i == 17*j", ["none of", "weaken the conditions"]),
        ("q < i", ["condition 'q < i' names q", "no case has"]),
        ("i", ["condition 'i'", "expected an inequality such as 2*i <= j"]),
        ("i <", [CLAIM, "'i <'"]),
        ("1 <= i <= j", [CLAIM, "'1 <= i <= j'"]),
    ],
)
def test_a_condition_that_says_nothing(condition: str, parts: list[str]) -> None:
    found = judged(stated(conditions=[condition]))
    assert found.verdict == "error"
    for part in (CLAIM, *parts):
        assert part in found.reason


def test_how_many_cases_meet_a_condition_is_reported() -> None:
    found = judged(stated(conditions=["2*i <= j"]))
    assert found.report["simulation"]["status"] == "agrees"
    assert "% of the drawn cases meet the conditions" in found.power


def test_wrong_versions_that_no_case_can_tell_leave_it_undecided() -> None:
    """p = 1 is the only case, so that p^2 and p^3 are the same there."""
    p = symbol("p")

    def both(generator: torch.Generator, n: int, p: float) -> Tensor:
        drawn: Tensor = torch.rand(n, 2, generator=generator, device=generator.device) < p
        return drawn.all(1)

    def squared() -> Any:
        return finite([(1, p**2), (0, 1 - p**2)]).expect(lambda x: x)

    verdicts = {}
    for values in ("1", "1/4 1/2 3/4"):
        name = f"notes.sec1.coin{len(values)}"
        law: dict[str, Any] = {"model": "free", "parameters": "p", "ranges": {"p": values}}
        law["assumptions"] = ["0 <= p <= 1"]
        statement = stated(name, printed="p**2", symbols="p", positions="", **law)
        with registry.registered(Simulation(name, both, bounded=(0, 1))):
            verdicts[values] = judge(statement, squared, effort="quick")
    seeing, blind = verdicts["1/4 1/2 3/4"], verdicts["1"]
    assert seeing.report["simulation"]["status"] == "agrees" and "decoys" not in seeing.reason
    assert blind.verdict == "undecided"
    assert "not told apart: value: p**2 -> p**3" in blind.reason
    assert blind.report["decoys"]["caught"] < blind.report["decoys"]["of"]


# ---- other randomness, and the engine on its own


def test_any_expectation_of_a_density() -> None:
    t, a = symbol("t"), symbol("a")
    found = density(sp.Integer(1), t, 0, 1).expect(lambda x: a * x**2)
    assert sp.expand(found.mean - a / 3) == 0
    assert sp.expand(found.second - a**2 / 5) == 0
    with pytest.raises(ValueError, match="integrates to 2, not 1; divide by that"):
        density(sp.Integer(2), t, 0, 1).expect(lambda x: x)
    with pytest.raises(ValueError, match="add up to 1/2; expected 1"):
        finite([(1, sp.Rational(1, 2))])
    with pytest.raises(ValueError, match="not text"):
        finite([(1, "p"), (0, "1 - p")])


def test_the_engine_on_its_own() -> None:
    walk = random_walk("i", "j", "T")
    i, j, T = walk.positions
    score = walk.form(i, W, T)
    assert str(walk.expect(score)) == "i*tr1"
    assert walk.cov(score, walk.form(j, W, T)).ratio == Ratio.from_expr(sp.sympify("T*i*tr2 + i*j*tr2"))
    total = walk.sum(lambda a: walk.expect(walk.form(a, W, T)), upto=i)
    assert total.ratio == Ratio.from_expr(sp.sympify("i*(i + 1)*tr1/2"))
    assert (total / T**2).limit(i="theta*T").limit == Ratio.from_expr(sp.sympify("theta**2*tr1/2"))
    with pytest.raises(ValueError, match="position 'k' is not in the order i <= j <= T; declare it there"):
        walk.token("k")


def test_results_show_as_mathematics() -> None:
    walk = random_walk("i", "T")
    i, T = walk.positions
    shown = walk.variance(walk.form(i, W, T))
    for text in (shown._repr_latex_(), (walk.expect(walk.form(i, W, T)) / T).limit(i="theta*T")._repr_latex_()):
        assert text.startswith("$")
        assert text.endswith("$")
        assert "tr" in text
    assert shown.latex in shown._repr_latex_()
    assert "theta" in (walk.expect(walk.form(i, W, T)) / T).limit(i="theta*T")._repr_latex_()
