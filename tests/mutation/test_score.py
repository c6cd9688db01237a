"""The mutation score: what is false is caught, what cannot tell leaves survivors, and nothing stays changed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from types import FunctionType
from typing import Any

import pytest

from tests.mutation import prints as mutation_prints
from tests.mutation import rules as mutation_rules
from tests.mutation import score as mutation
from tests.mutation import simulators as mutation_simulators
from tests.mutation.code import CodeMutant, TooLong, code_mutants, mutated, plain, reached, within
from tests.mutation.prints import finer, judged_print, print_mutants
from tests.mutation.probes import Probes, digest, in_turn, key, probes, tampered
from tests.mutation.rules import judged_engine, judged_rule
from tests.mutation.simulators import judged_simulator, simulator_mutants
from theorems import rules
from theorems.algebra.expressions import parse, symbol
from theorems.algebra.ratio import Ratio
from theorems.gaussian.moments import wick
from theorems.gaussian.process import Step
from theorems.kernel.deriving import derive
from theorems.rules import licensed


def test_a_simulation_whose_code_changed_is_sampled_anew() -> None:
    changed = [one for one in simulator_mutants("bao2024.appA.eq14") if one.name.endswith(("2 -> 1", "2 -> 3"))]
    assert len(changed) == 2
    # the original's samples are remembered from the first on
    assert [judged_simulator(one)[0] for one in changed] == ["caught"] * 2


def sign_rule(value: int, *, strict: bool = False) -> bool:
    """A little rule: value > 0, or value >= 0 and even."""
    if not strict and value < 0:
        raise ValueError(f"value = {value}")
    return value > 0 and all(part in (1, 2) for part in (value,) if part != 3)


def changes(function: FunctionType) -> dict[str, CodeMutant]:
    return {mutant.name.partition(": ")[2]: mutant for mutant in code_mutants(function)}


def test_a_change_is_in_force_in_the_block_and_gone_after_it() -> None:
    code = sign_rule.__code__
    found = changes(plain(sign_rule))
    assert sign_rule(2) and not sign_rule(0)
    with mutated(found["value > 0 -> value <= 0"]):
        assert not sign_rule(2)
    with pytest.raises(KeyError), mutated(found["value > 0 -> value >= 0"]):
        raise KeyError
    assert sign_rule.__code__ is code and sign_rule(2)


def test_every_kind_of_change_is_made_once_and_messages_are_left_alone() -> None:
    found = changes(plain(sign_rule))
    assert {"not strict -> strict", "value < 0 -> value <= 0", "value < 0 -> value >= 0", "0 -> 1", "0 -> -1"} <= set(
        found
    )
    assert {"1 -> 2", "2 -> 3", "part in (1, 2) -> part not in (1, 2)", "part != 3 -> part == 3"} <= set(found)
    assert any(name.startswith("all(") and "-> any(" in name for name in found)
    assert any(name.startswith("if not strict") for name in found)
    # the same change in two places has two names, whatever the lines are
    assert {"0 -> 1", "0 -> 1 #2"} <= set(found)
    assert len({mutant.name for mutant in found.values()}) == len(code_mutants(plain(sign_rule)))
    assert not any(name.startswith(("f'", "'", "ValueError(")) for name in found)


def test_symmetric_functions_and_equal_arguments_are_not_exchanged() -> None:
    names = {mutant.name for mutant in code_mutants(plain(rules.at_origin))}
    assert not any("same(" in name for name in names)


def test_the_functions_of_a_rule_are_found() -> None:
    found = reached(rules.trace_identity, frozenset({"theorems.rules"}))
    assert {function.__name__ for function in found} >= {"trace_identity", "canonical_trace", "_root_rewriting"}
    assert plain(wick._contract).__name__ == "_contract"
    with pytest.raises(TypeError, match="expected a Python function"):
        plain(len)


def test_what_does_not_end_is_stopped() -> None:
    with pytest.raises(TooLong), within(0.02):
        while True:
            pass


def test_a_tampered_value_differs_by_one_thing() -> None:
    a, b = symbol("a"), symbol("b")
    shown = {str(other) for _, other in tampered(2 * a + b, ("a", "b", "T"))}
    assert {"3*a + b", "a + b", "2*a", "-2*a + b", "a + 2*b", "2*T + b"} <= shown
    assert {other for _, other in tampered(3)} == {4, 2, -3, 0}
    assert ("x >= 0" in {other for _, other in tampered("x > 0")}) and "" in {other for _, other in tampered("x > 0")}
    assert () in {other for _, other in tampered((1, 2))} and (2, 1) in {other for _, other in tampered((1, 2))}
    assert {key(other) for _, other in tampered({"k": True})} == {"{}", "{k: False}"}
    assert any(other == Ratio.of("i") + 1 for _, other in tampered(Ratio.of("i")))
    step = Step("identity", "", (1,))
    assert {part.data for _, part in tampered(step)} >= {(2,), (0,)}


def test_copies_come_from_all_places_in_turn() -> None:
    rows = [("a", "2", "a2"), ("a", "1", "a1"), ("b", "9", "b9")]
    assert in_turn(rows) == ["a1", "b9", "a2"]
    assert digest("x", 1) == digest("x", "1") != digest("x", 2)


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Steps of two short derivations only: all of them take seconds to derive."""
    from tests.mutation import probes as mutation_probes

    steps: dict[str, tuple[Step, ...]] = {}
    for claim in ("bao2024.sec4.eq5", "bao2024.appC.lemma1-C1", "bao2024.appA.eq18"):
        positions = {"bao2024.appC.lemma1-C1": ("T",), "bao2024.appA.eq18": ("i", "j")}.get(claim, ())
        for step in derive(claim, positions).steps:
            steps[step.rule] = (*steps.get(step.rule, ()), step)
    monkeypatch.setattr(mutation_probes, "true_steps", lambda: steps)
    for cached in (probes, mutation_rules._together):
        cached.cache_clear()
    yield
    for cached in (probes, mutation_rules._together):
        cached.cache_clear()


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("name", ["faulhaber", "cauchy-schwarz", "trace-identity", "isserlis"])
def test_mutants_of_a_rule_are_caught(name: str) -> None:
    found = probes(name)
    assert found.true and found.copies and all(licensed(step) for step in found.true)
    told = {mutant.name: judged_rule(mutant, found) for mutant in code_mutants(plain(rules.RULES[name]))}
    caught = [how for result, how in told.values() if result == "caught"]
    assert len(caught) >= 0.6 * len(told)
    assert all(licensed(step) for step in found.true)


@pytest.mark.usefixtures("few")
def test_a_rule_that_licenses_what_it_must_not_is_caught_by_copies_alone() -> None:
    found = probes("faulhaber")
    loose = changes(plain(rules.faulhaber))["primitive - previous == summand and ends == value -> ends == value"]
    assert judged_rule(loose, found) == ("caught", "licenses a false step")
    # without copies nothing tells: the score can fail
    assert judged_rule(loose, Probes(found.true, ()))[0] == "survived"
    assert judged_rule(loose, Probes((), ()))[0] == "survived"


@pytest.mark.usefixtures("few")
def test_a_copy_that_the_original_licenses_is_no_evidence() -> None:
    step = probes("faulhaber").true[0]
    found = Probes((step,), (step,))
    loose = changes(plain(rules.faulhaber))["primitive - previous == summand and ends == value -> ends == value"]
    assert judged_rule(loose, found)[0] == "survived"
    assert found.original == {0: True}


def test_a_mutant_of_the_engine_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mutation_rules, "DERIVED", ("bao2024.appA.eq18",))
    monkeypatch.setattr(mutation_rules, "ENGINE_RULES", ())
    contraction = {m.name.partition(": ")[2]: m for m in code_mutants(plain(wick._contract))}
    assert judged_engine(contraction["two < 0 -> two >= 0"])[0] == "caught"
    functions = {function.__qualname__ for function in mutation_rules.engine_functions()}
    assert {
        "contract",
        "SecondRoute._cumulant",
        "antidifference",
        "close_sum",
        "moment",
        "Process.product",
    } <= functions


def test_finer_changes_of_a_formula() -> None:
    found = {label for label, _ in finer(parse("2*i*tr1**2 + j*tr2"), ("i", "j"))}
    assert {"i <-> j", "tr2 -> tr1**2", "tr1**2 -> tr2", "times 21/20", "without j*tr2"} <= found


@pytest.mark.parametrize("claim", ["bao2024.appA.eq15", "bao2024.sec4.eq5", "bao2024.sec5.eq7-first"])
def test_mutants_of_prints_and_corrections_are_caught(claim: str) -> None:
    found = [(mutant, judged_print(mutant)) for mutant in print_mutants(claim)]
    assert len(found) > 20
    assert not [mutant.name for mutant, verdict in found if verdict[0] == "survived"]
    assert sum(verdict[0] == "caught" for _, verdict in found) > len(found) / 2
    if claim == "bao2024.appA.eq15":
        assert {mutant.kind for mutant, _ in found} == {"print", "correction"}
        assert any("start of the walk" in mutant.name for mutant, _ in found)


def test_a_kernel_that_cannot_tell_leaves_survivors(monkeypatch: pytest.MonkeyPatch) -> None:
    mutants = print_mutants("bao2024.appA.eq11")
    monkeypatch.setattr(mutation_prints, "_status", lambda *_: "undecided")
    monkeypatch.setattr(mutation_prints, "_contradicted", lambda *_: False)
    assert {judged_print(mutant)[0] for mutant in mutants} == {"survived"}


def test_mutants_of_a_simulation_are_caught() -> None:
    found = {m.name.partition(": ")[2]: m for m in simulator_mutants("bao2024.appA.eq18")}
    assert {"W transposed", "i -> i - 1", "j -> j - 1", "start of the walk at 0", "sign", "times 1.05"} <= set(found)
    assert judged_simulator(found["sign"]) == ("caught", "conflict")
    assert judged_simulator(found["j -> j - 1"]) == ("caught", "conflict")


def test_a_bench_that_sees_nothing_leaves_survivors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mutation_simulators, "_judged", lambda *_, **__: "consistent")
    monkeypatch.setattr(mutation_simulators, "_word", lambda *_: "consistent")
    (turned,) = [mutant for mutant in simulator_mutants("bao2024.appA.eq15") if mutant.name.endswith(": sign")]
    assert judged_simulator(turned)[0] == "survived"


def sample() -> list[mutation.Mutant]:
    """A fixed sample with mutants of every kind, of what is derived in no time."""
    prints = [m for claim in ("bao2024.appA.eq15", "bao2024.sec4.eq5") for m in print_mutants(claim)]
    found = [mutation.Mutant(m.kind, m.name, partial(judged_print, m)) for m in prints]
    for rule in ("faulhaber", "cauchy-schwarz"):
        found += [
            mutation.Mutant("rule", m.name, partial(judged_rule, m, probes(rule)))
            for m in code_mutants(plain(rules.RULES[rule]))
        ]
    found += [mutation.Mutant("engine", m.name, partial(judged_engine, m)) for m in code_mutants(plain(wick._contract))]
    found += [
        mutation.Mutant("simulator", m.name, partial(judged_simulator, m))
        for m in simulator_mutants("bao2024.appA.eq15")
    ]
    chosen = []
    for kind in mutation.KINDS:
        mine = sorted((m for m in found if m.kind == kind), key=lambda mutant: digest(0, mutant.name))
        chosen += mine[:8]
    return chosen


def blinded(judge: Any, blind: Probes) -> Any:
    """The judgement of a rule's mutant by other probes."""
    return partial(judged_rule, judge.args[0], blind)


#: Survivors that a sample may have, of each kind.
SPARED = 1


def too_many(scored: dict[str, Any]) -> list[str]:
    """The kinds with more survivors than they may have."""
    return [kind for kind, row in scored["by_kind"].items() if row["survived"] > SPARED or not row["mutants"]]


@pytest.mark.usefixtures("few")
def test_of_a_fixed_sample_nearly_all_are_caught_and_blind_probes_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mutation_rules, "DERIVED", ("bao2024.appA.eq18",))
    monkeypatch.setattr(mutation_rules, "ENGINE_RULES", ())
    chosen = sample()
    assert {mutant.kind for mutant in chosen} == set(mutation.KINDS) and len(chosen) >= 30
    scored = mutation.counted([mutant.row() for mutant in chosen])
    assert not too_many(scored), scored["survivors"]
    blind = Probes((), ())
    found = [replace(m, judge=blinded(m.judge, blind)) if m.kind == "rule" else m for m in chosen]
    with monkeypatch.context() as patched:
        # probes that show nothing, a kernel and an empirical check that cannot tell
        patched.setattr(mutation_rules, "_together", lambda *_: blind)
        patched.setattr(mutation_rules, "_derived_again", lambda *_: None)
        patched.setattr(mutation_prints, "_status", lambda *_: "undecided")
        patched.setattr(mutation_prints, "_contradicted", lambda *_: False)
        patched.setattr(mutation_simulators, "_judged", lambda *_, **__: "consistent")
        patched.setattr(mutation_simulators, "_word", lambda *_: "consistent")
        dim = mutation.counted([mutant.row() for mutant in found])
    assert too_many(dim) == list(mutation.KINDS)


def fixed(kind: str, name: str, result: str) -> mutation.Mutant:
    return mutation.Mutant(kind, name, lambda: (result, "because"))


def test_the_score_counts_by_kind_and_names_survivors(monkeypatch: pytest.MonkeyPatch) -> None:
    table = [fixed("print", f"p{k}", "caught") for k in range(6)]
    table += [fixed("rule", "r", "survived"), fixed("rule", "s", "caught"), fixed("print", "e", "equivalent")]
    monkeypatch.setattr(mutation, "mutants", lambda: tuple(table))
    mutation._by_name.cache_clear()
    heard: list[tuple[int, int]] = []
    try:
        found = mutation.measure(seed=0, sample=None, step=lambda done, total: heard.append((done, total)))
        assert (found["mutants"], found["caught"], found["equivalent"]) == (9, 7, 1)
        assert found["score"] == 7 / 8 and found["survivors"] == ["r"]
        assert found["by_kind"]["rule"] == {
            "mutants": 2,
            "caught": 1,
            "equivalent": 0,
            "survived": 1,
            "score": 0.5,
            "how": {"because": 1},
        }
        assert heard[0] == (0, 9) and heard[-1] == (9, 9)
        names = [mutation.chosen(seed, 4) for seed in (0, 0, 1)]
        assert names[0] == names[1] != names[2] and all(len(part) == 4 for part in names)
    finally:
        mutation._by_name.cache_clear()
