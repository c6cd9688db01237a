"""MathML that may stand in a page: from a list of elements, whatever the LaTeX holds."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from proofs_check.report.site import mathml
from theorems.claims.catalogue import catalogue


def test_a_place_has_its_formulas_typeset_and_no_letters() -> None:
    told = str(mathml.words("Appendix C, 'so x^i falls', a <b>"))
    assert told.startswith("Appendix C, &#39;so <math>") and told.endswith(", a &lt;b&gt;")


def test_every_statement_of_the_catalogue_is_typeset() -> None:
    for claim in catalogue():
        assert mathml.converted(claim.statement, True) is not None, claim.id
        assert "<code>" not in mathml.statement(claim.statement), claim.id
        for text in claim.printed.values():
            assert "<code>" not in mathml.expression(text), (claim.id, text)


@pytest.mark.parametrize(
    "latex",
    [
        r"\text{<script>alert(1)</script>}",
        r"\href{javascript:alert(1)}{x}",
        r"\mathrm{\"><img src=x onerror=alert(1)>}",
        r"\text{&lt;b&gt; & &amp;}",
        r"\def\a{\a\a}\a",
        "x^{",
        "\\",
        "\x00\ud800",
        "{" * 3000,
    ],
)
def test_hostile_latex_stays_text(latex: str) -> None:
    shown = str(mathml.shown(latex))
    tree = ET.fromstring(shown)
    allowed = {*mathml.ELEMENTS, "code"}
    assert {node.tag for node in tree.iter()} <= allowed
    assert all(set(node.attrib) <= {*mathml.ATTRIBUTES, "style"} for node in tree.iter())


def test_an_element_that_is_not_listed_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    class Careless:
        def convert_with_local_state(self, latex: str, *, displaystyle: bool) -> str:
            return f"<math><mtext>{latex}</mtext></math>"

    monkeypatch.setattr(mathml, "_converter", Careless)
    assert mathml.converted("<script>made up for this test</script>") is None
    assert mathml.converted("made up for this test") is not None


def test_a_sentence_keeps_its_words_and_its_markup() -> None:
    shown = str(mathml.sentence("where T = 4: <b>balls</b> show i**2/2 + i/2, and more"))
    assert "&lt;b&gt;balls&lt;/b&gt;" in shown and "</math>:" in shown and "</math>,</span> and more" in shown
    assert shown.count("<math>") == 2 and "&lt;/math" not in shown


def test_wide_spaces_cut_a_statement_outside_braces_only() -> None:
    assert mathml.cut(r"a = b, \quad c \implies d") == ["a = b,", "c", r"\implies d"]
    assert mathml.cut(r"\text{a \quad b} \left( c \quad d \right)") == [r"\text{a \quad b} \left( c \quad d \right)"]
    assert mathml.cut("") == []


def test_a_long_statement_is_cut_at_its_relations_too() -> None:
    long = "+ x" * 20
    assert mathml.cut(f"a = b(c = d) {long}, \\ e := f") == ["a", f"= b(c = d) {long}, \\ e := f"]
    assert mathml.cut(rf"\text{{entropy}}\ \ge\ x {long}") == [r"\text{entropy}", rf"\ge\ x {long}"]


def test_words_of_a_statement_are_text_and_end_with_their_sign() -> None:
    assert mathml.worded(r"a \text{ for every } b") == ("a", "for every", "b")
    assert mathml.worded(r"\text{if it holds}, b") == ("", "if it holds,", "b")
    assert mathml.worded("a = b") is None and mathml.worded(r"\sqrt{\text{a} b}") is None
    told = str(mathml.statement(r"a \text{ <for> every } b"))
    assert "<span class=told>&lt;for&gt; every</span>" in told and told.count("<math") == 2
