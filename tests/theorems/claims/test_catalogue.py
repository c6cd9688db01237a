"""The catalogue: claims as data, one id each, a budget that is not overspent, and how claims are selected."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from theorems.algebra.expressions import parse
from theorems.bao2024 import appendix_a  # noqa: F401
from theorems.claims import catalogue as module
from theorems.claims.catalogue import (
    ALPHA,
    PLUGIN_SHARES,
    SHARES,
    CatalogueError,
    Paper,
    ProofLine,
    Statement,
    _letters,
    base_id,
    by_id,
    check_unique,
    paper_claims,
    rests_on,
    select,
)
from theorems.kernel.deriving import derive, find

CLAIMS = paper_claims("bao2024")
PAPER = Paper("p", "A title", "An author", "v1")


def claim(id: str = "p.sec.thing", **changes: Any) -> Statement:
    data: dict[str, Any] = {"where": "", "kind": "identity", "statement": "", "reading": "", "quantity": ""}
    data |= {"symbols": ("i", "tr1"), "printed": {"value": "i*tr1"}, "paper": PAPER}
    return Statement(id=id, **(data | changes))


def test_the_claims_of_the_paper() -> None:
    ids = [c.id for c in CLAIMS]
    assert len(ids) == len(set(ids)) == 59
    places = ["sec2", "sec3", "sec4", "sec5", "sec6", "appA", "appB", "appC"]
    sections = list(dict.fromkeys(c.section for c in CLAIMS))
    assert sections == [place for place in places if place in sections]
    assert {s: sum(c.section == s for c in CLAIMS) for s in ("sec2", "sec4", "appA", "appC")} == {
        "sec2": 2,
        "sec4": 13,
        "appA": 8,
        "appC": 11,
    }
    assert all(c.fidelity == "verbatim" and c.share == 1 for c in CLAIMS)


@pytest.mark.parametrize("statement", CLAIMS, ids=lambda c: c.id)
def test_a_statement_is_complete(statement: Statement) -> None:
    table = by_id()
    assert set(statement.depends_on) <= set(table)
    assert set(statement.proof) <= set(table)
    assert statement.id not in rests_on(statement, table)
    assert statement.reading
    assert statement.statement
    assert statement.where
    # a position in its asymptotic form, or a sequence that a definition is followed along
    assert set(statement.regime) <= {*statement.positions, "xi", "eta"}
    assert all(set(stratum) <= set(statement.parameters) for stratum in statement.strata)
    if statement.model == "walk":
        assert any("x_1 ~ N(0, Sigma)" in text for text in statement.assumptions)
    assert find(statement.id).__module__.startswith("theorems.bao2024.")


#: Words that the print of (12) is written in; its symbols name the coefficient that is judged instead.
OWN_WORDS = {
    "bao2024.appA.eq12": {"aSb", "am", "bm"},
    "bao2024.sec4.eq5": {"d", "tr2"},
    "bao2024.sec4.xi-eta-range": {"d"},
    "bao2024.sec4.eq6": {"tr1", "tr2", "xi", "eta"},
}


@pytest.mark.parametrize("statement", CLAIMS, ids=lambda c: c.id)
def test_symbols_cover_what_is_printed(statement: Statement) -> None:
    """Every name in a printed formula is declared, or derived, or an end that the claim's parameters name."""
    if statement.relation != "=" and statement.id not in OWN_WORDS:
        # a bound is written in functionals that its search must give; the judge raises for one that it does not
        return
    derived = derive(statement.id, statement.positions)
    allowed = {*statement.symbols, *OWN_WORDS.get(statement.id, set())}
    for text in statement.printed.values():
        names = {s.name for s in parse(text).free_symbols}
        own = {*statement.definitions, *statement.parameters} if statement.model != "walk" else {*statement.definitions}
        assert {n for n in names if not derived.known(n)} <= allowed | own
    for proof_line in statement.lines:
        names = {s.name for s in parse(proof_line.printed).free_symbols}
        lines_own = {*statement.positions, "tr1", "tr2", "lam", *statement.symbols}
        assert {n for n in names if not derived.known(n)} <= lines_own
        assert derived.known(proof_line.quantity) or proof_line.quantity in statement.printed


def test_a_typing_error_in_a_print_is_seen() -> None:
    """The check above fails on a planted unknown name."""
    names = {s.name for s in parse("(i - 1)*tri1").free_symbols}
    assert not names <= {"i", "tr1"}


def test_one_id_stands_once() -> None:
    assert check_unique([claim("p.a"), claim("p.b")])[1].id == "p.b"
    with pytest.raises(CatalogueError, match=r"p\.a: the id stands twice"):
        check_unique([claim("p.a"), claim("p.b"), claim("p.a", quantity="another")])


def test_a_negative_share_makes_no_room_for_others() -> None:
    with pytest.raises(CatalogueError, match="share = -100"):
        check_unique([claim("p.a", share=-100.0), claim("p.b", share=200.0)])


@pytest.mark.parametrize(
    "lines",
    [
        [{"label": "l", "where": "w", "quantity": "q", "printed": "0", "colour": "red"}],
        [{"where": "w", "quantity": "q", "printed": "0"}],
        [{}],
    ],
)
def test_a_bad_line_of_a_proof_is_named(lines: list[dict[str, str]]) -> None:
    whole = {"where": "", "kind": "identity", "statement": "", "reading": "", "quantity": "", "printed": {"value": "i"}}
    good = [{"label": "l", "where": "w", "quantity": "q", "printed": "0", "remainder": "1"}]
    assert module._claim({"id": "p.x", "symbols": ["i"], **whole, "lines": good}, PAPER).lines[0].remainder == "1"
    with pytest.raises(CatalogueError, match=r"^p\.x: .*ProofLine.*compare it with the fields of Statement"):
        module._claim({"id": "p.x", "symbols": ["i"], **whole, "lines": lines}, PAPER)


def test_the_budget_is_not_overspent() -> None:
    """A claim and its correction hold a share each; the last affordable claim passes, one more does not."""
    affordable = (SHARES - PLUGIN_SHARES) // 2
    claims = [claim(f"p.c{n}") for n in range(affordable)]
    assert len(check_unique(claims)) == affordable
    with pytest.raises(CatalogueError, match=r"spends 226\.0 shares of 224; lower a claim's share"):
        check_unique([*claims, claim("p.more")])
    with pytest.raises(CatalogueError, match="lower a claim's share"):
        check_unique([claim("p.a", share=112.5)])
    spent = sum(2 * c.alpha for c in CLAIMS)
    assert spent == pytest.approx(2 * len(CLAIMS) / SHARES * ALPHA)
    assert spent < ALPHA * (1 - PLUGIN_SHARES / SHARES)
    assert claim(share=3.0).alpha == pytest.approx(3 * ALPHA / 256)


def test_claims_of_other_packages_have_their_own_part() -> None:
    guests = [claim(f"q.c{n}", plugin="q") for n in range(module.PLUGIN_SLOTS // 2)]
    assert len(check_unique([*CLAIMS, *guests])) == len(CLAIMS) + 512
    assert sum(2 * g.alpha for g in guests) == pytest.approx(ALPHA * PLUGIN_SHARES / SHARES)
    with pytest.raises(CatalogueError, match="uninstall a package"):
        check_unique([*guests, claim("q.more", plugin="q")])


def test_a_correction_has_a_part_and_an_id_of_its_own() -> None:
    statement = by_id()["bao2024.sec4.lemma1-variance"]
    correction = statement.corrected({"variance": "tr2"})
    assert correction.id == "bao2024.sec4.lemma1-variance.corrected"
    assert correction.corrects == base_id(correction.id) == statement.id
    assert correction.alpha == statement.alpha
    assert correction.printed == {"variance": "tr2"}
    assert correction.fidelity == "own"
    assert not correction.lines
    assert not correction.depends_on
    assert correction.regime == statement.regime


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "fact"}, "kind = 'fact'; expected one of identity"),
        ({"fidelity": "rough"}, "fidelity = 'rough'"),
        ({"model": "markov"}, "model = 'markov'"),
        ({"relation": "=="}, "relation = '=='"),
        ({"printed": {}}, "printed is empty"),
        ({"share": -1.0}, r"share = -1\.0; expected a number > 0"),
        ({"share": 0.0}, r"share = 0\.0; expected a number > 0"),
        ({"share": float("nan")}, "share = nan; expected a number > 0"),
        ({"model": "free", "parameters": ("p",)}, "ranges lack p"),
    ],
)
def test_unusable_data_is_named(change: dict[str, Any], message: str) -> None:
    with pytest.raises(CatalogueError, match=message):
        claim(**change)
    with pytest.raises(CatalogueError, match=r"p\.x: .*compare it with the fields of Statement"):
        module._claim({"id": "p.x", "colour": "red"}, PAPER)


@pytest.mark.parametrize(
    ("patterns", "count"),
    [
        ([], 59),
        (["bao2024"], 59),
        (["bao2024."], 59),
        (["bao2024.appA"], 8),
        (["bao2024.appA.eq15"], 1),
        (["bao2024.appA.eq15.corrected"], 1),
        (["*"], 59),
        (["*.lemma1-*"], 9),
        (["bao2024.appA.eq1[1-4]"], 4),
        (["bao2024.sec?.*"], 30),
        (["bao2024.appA", "bao2024.appA.eq15", "*eq22"], 9),
    ],
)
def test_selection(patterns: list[str], count: int) -> None:
    chosen = [c.id for c in select(patterns) if c.paper.id == "bao2024"]
    assert len(chosen) == count
    order = [c.id for c in CLAIMS]
    assert chosen == sorted(chosen, key=order.index)


@pytest.mark.parametrize("pattern", ["bao2024.appA.eq1", "bao", "lemma1", "*.EQ15", "", ".", "bao2024.appa"])
def test_a_pattern_that_matches_nothing_is_named(pattern: str) -> None:
    with pytest.raises(KeyError) as caught:
        select(["bao2024.appA", pattern])
    assert caught.value.args == (pattern,)


def test_what_a_claim_rests_on_is_transitive() -> None:
    table = by_id()
    for statement in CLAIMS:
        direct = set(statement.depends_on)
        closure = set(rests_on(statement, table))
        assert direct <= closure
        for name in closure:
            assert set(rests_on(table[name], table)) <= closure
    found = rests_on(table["bao2024.sec4.lemma1-variance"], table)
    assert (
        found[: len(table["bao2024.sec4.lemma1-variance"].depends_on)]
        == table["bao2024.sec4.lemma1-variance"].depends_on
    )
    assert "bao2024.appA.eq12" in found
    assert "bao2024.sec5.eq8" not in found


def test_a_chain_and_a_circle_of_dependences() -> None:
    chain = {n: claim(n, depends_on=(m,)) for n, m in (("p.a", "p.b"), ("p.b", "p.c"), ("p.c", "p.missing"))}
    assert rests_on(chain["p.a"], chain) == ("p.b", "p.c")
    circle = {n: claim(n, depends_on=(m,)) for n, m in (("p.a", "p.b"), ("p.b", "p.a"))}
    assert rests_on(circle["p.a"], circle) == ("p.b", "p.a")


def test_asymptotic_claims_are_told_by_their_data() -> None:
    assert claim(remainder="1").asymptotic
    assert claim(regime={"i": "theta*T"}).asymptotic
    assert not claim().asymptotic
    assert replace(claim(), lines=(ProofLine("l", "w", "q", "0"),)).lines[0].remainder == ""


def test_a_lemma_may_not_take_the_id_of_a_claim_that_ships() -> None:
    for plugin in ("", "__main__", "mypaper"):
        with pytest.raises(CatalogueError, match=r"bao2024\.appA\.eq15: a claim of that id ships with Twofold"):
            module.add(claim("bao2024.appA.eq15", plugin=plugin))
    # the catalogue is what it was
    assert by_id()["bao2024.appA.eq15"].paper.id == "bao2024"


@pytest.mark.parametrize("share", [0, -1, 1e12, float("nan")])
def test_a_share_is_a_part_of_the_budget(share: float) -> None:
    with pytest.raises(CatalogueError, match="share = "):
        claim(share=share)


def test_letters_are_of_the_file_of_a_section_and_of_a_claim() -> None:
    table = {"T": "m", "x": "omega", "sec2": {"x": "z", "g[]": "a"}}
    assert _letters({"id": "paper.sec2.one", "letters": {"u": "v"}}, table) == {
        "T": "m",
        "x": "z",
        "g[]": "a",
        "u": "v",
    }
    assert _letters({"id": "paper.sec3.two"}, table) == {"T": "m", "x": "omega"}
